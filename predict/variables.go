package predict

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/effect"
)

// variableRuns follows variables that make the program that inherits them, or one that it starts, run something (environ(7)
// and the manuals of the programs).
func (e *engine) variableRuns(f *frame, name string, w word, line int) {
	src := f.source(line, "environment/"+name)
	if strings.HasPrefix(name, "BASH_FUNC_") {
		e.unknown(f, src, name+" defines a function in every bash that is started")
	}
	switch name {
	case "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH":
		if w.text != "" {
			e.unknown(f, src, name+" puts code into every program that is started")
		}
	case "BASH_ENV", "ENV", "ZDOTDIR":
		switch {
		case w.text == "":
		case name == "BASH_ENV":
			e.runScript(f, []word{w}, "bash", line)
		case !w.known():
			e.unknown(f, src, name+" is not known and may make shells run a file")
		case name == "ENV":
			e.scriptIfThere(f, w.text, "sh", line)
		default:
			e.scriptIfThere(f, w.text+"/.zshenv", "zsh", line)
			e.scriptIfThere(f, w.text+"/.zshrc", "zsh", line)
		}
	case "OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES":
		if w.text != "" && w.text != "/dev/null" {
			e.unknown(f, src, name+" can load code into every program that uses OpenSSL")
		}
	case "CC", "CXX", "CPP", "LD", "AR", "AS", "FC":
		words := strings.Fields(w.text)
		if len(words) > 1 && isShell(path.Base(words[0])) || len(words) > 0 && e.find(f, words[0]).own {
			e.unknown(f, src, name+" names a program that builds run")
		}
	case "GOFLAGS":
		for _, o := range strings.Fields(w.text) {
			if key, val, ok := strings.Cut(strings.TrimLeft(o, "-"), "="); ok && (key == "toolexec" || key == "exec" || key == "vettool") {
				e.startProgram(f, []word{{text: val, data: w.data}}, line)
			}
		}
	case "BUN_OPTIONS":
		if !w.known() || strings.Contains(w.text, "-r") || strings.Contains(w.text, "preload") {
			e.unknown(f, src, name+" loads code into every bun process")
		}
	case "PS4":
		if strings.ContainsAny(w.text, "$`") {
			e.evalText(f.fork(), word{text: ": \"" + strings.ReplaceAll(w.text, `"`, "") + "\"", data: w.data}, line, "environment/"+name)
		}
	case "NODE_REPL_EXTERNAL_MODULE":
		e.runScript(f, []word{w}, "node", line)
	case "DOCKER_HOST", "CONTAINER_HOST", "BUILDKIT_HOST":
		if scheme, _, ok := strings.Cut(w.text, "://"); !w.known() || ok && scheme != "unix" && scheme != "fd" && scheme != "npipe" {
			e.network(f, w, effect.Send, src)
		}
	case "NODE_OPTIONS":
		e.nodeOptions(f, w, line)
	case "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "PYTHONPATH", "PERL5LIB", "RUBYLIB", "NODE_PATH", "CLASSPATH",
		"GCONV_PATH", "PROMPT_COMMAND", "PYTHONHOME":
		if name == "PROMPT_COMMAND" && w.text != "" {
			e.runText(f, w, line, "bash", "environment/"+name)
		}
		if name == "PYTHONSTARTUP" && w.known() {
			e.scriptIfThere(f, w.text, "python", line)
		}
		if name == "PYTHONPATH" {
			for _, d := range strings.Split(w.text, ":") {
				if d != "" && !strings.Contains(d, hole) {
					e.scriptIfThere(f, d+"/sitecustomize.py", "python", line)
					e.scriptIfThere(f, d+"/usercustomize.py", "python", line)
				}
			}
		}
		if w.text != "" && (name == "PERL5OPT" || name == "PYTHONHOME" || name == "RUBYOPT" || strings.Contains(name, "JAVA") && strings.Contains(w.text, "agent") || name == "GCONV_PATH") {
			e.unknown(f, src, name+" makes programs of its language load code")
		}
	}
}

// nodeOptions follows the files that --require and --import of NODE_OPTIONS load into every node process.
func (e *engine) nodeOptions(f *frame, w word, line int) {
	words := strings.Fields(w.text)
	for i, o := range words {
		name, val, has := strings.Cut(o, "=")
		switch name {
		case "-r", "--require", "--import", "--loader", "--experimental-loader":
			if !has && i+1 < len(words) {
				val = words[i+1]
			}
			if strings.Contains(val, hole) || !strings.HasPrefix(val, ".") && !strings.HasPrefix(val, "/") {
				e.unknown(f, f.source(line, "environment/NODE_OPTIONS"), "NODE_OPTIONS loads "+show(val)+" into every node process")
				continue
			}
			e.runScript(f, []word{{text: val}}, "node", line)
		}
	}
	if !w.known() {
		e.unknown(f, f.source(line, "environment/NODE_OPTIONS"), "NODE_OPTIONS is not known and may load code into every node process")
	}
}

func isShell(name string) bool { return language(name) == "shell" }
