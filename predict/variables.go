package predict

import (
	"strings"
)

// variableRuns follows variables that make the program that inherits them, or one that it starts, run something (environ(7)
// and the manuals of the programs).
func (e *engine) variableRuns(f *frame, name string, w word, line int) {
	src := f.source(line, "environment/"+name)
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
	case "NODE_OPTIONS":
		e.nodeOptions(f, w, line)
	case "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "PYTHONPATH", "PERL5LIB", "RUBYLIB", "NODE_PATH", "CLASSPATH",
		"GCONV_PATH", "PROMPT_COMMAND", "PYTHONHOME":
		if name == "PYTHONPATH" {
			for _, d := range strings.Split(w.text, ":") {
				if d != "" && !strings.Contains(d, hole) {
					e.scriptIfThere(f, d+"/sitecustomize.py", "python", line)
					e.scriptIfThere(f, d+"/usercustomize.py", "python", line)
				}
			}
		}
		if w.text != "" && (name == "PERL5OPT" || name == "PYTHONHOME" || name == "RUBYOPT" || strings.Contains(name, "JAVA") && strings.Contains(w.text, "-agent") || name == "GCONV_PATH") {
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
