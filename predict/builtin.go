package predict

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/ambit-dev/ambit/effect"
)

func isBuiltin(n string) bool {
	switch n {
	case ":", ".", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete", "compopt", "continue", "declare",
		"dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false", "fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill",
		"let", "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt",
		"source", "suspend", "test", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait":
		return true
	}
	return false
}

// builtin analyses a command of the shell itself; false means that it is a program after all.
func (e *engine) builtin(f *frame, args []word, line int, set map[string]word) bool {
	src := f.source(line, "shell/"+args[0].text)
	rest := args[1:]
	switch args[0].text {
	case "cd", "pushd":
		e.cd(f, rest, set)
	case "popd":
		f.dir = hole
	case "eval":
		e.eval(f, rest, line)
	case "source", ".":
		e.sourceFile(f, rest, line)
	case "exec":
		if len(rest) > 0 {
			for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
				if rest[0].text == "-a" && len(rest) > 1 {
					rest = rest[1:]
				}
				rest = rest[1:]
			}
			if len(rest) > 0 {
				e.program(f, rest, line, set)
			}
			f.ended = true
		}
	case "command", "builtin":
		e.commandBuiltin(f, rest, line, set)
	case "exit", "return", "logout":
		f.ended = true
	case "break", "continue":
		f.ended = true
	case "export", "readonly", "declare", "typeset", "local":
		for _, w := range rest {
			if name, val, ok := strings.Cut(w.text, "="); ok && !strings.Contains(name, hole) {
				f.vars[name] = variable{vals: []word{{text: val, data: w.data}}, exported: args[0].text == "export"}
			} else if v, ok := f.vars[w.text]; ok && args[0].text == "export" {
				v.exported = true
				f.vars[w.text] = v
			}
		}
	case "unset":
		e.namesEvaluated(f, "unset", rest, line)
		for _, w := range rest {
			delete(f.vars, w.text)
			delete(f.funcs, w.text)
		}
	case "set":
		e.setBuiltin(f, rest)
	case "shift":
		if len(f.params) > 1 {
			f.params = append([]word{f.params[0]}, f.params[2:]...)
		}
	case "read", "mapfile", "readarray", "getopts":
		if args[0].text != "read" {
			e.optionText(f, rest, "-C", line)
		} else {
			e.namesEvaluated(f, "read", rest, line)
		}
		e.readBuiltin(f, rest, args[0].text)
	case "echo":
		f.print(echoed(rest))
	case "wait":
		e.namesEvaluated(f, "wait", rest, line)
	case "printf":
		e.namesEvaluated(f, "printf", rest, line)
		e.printfBuiltin(f, rest)
	case "pwd":
		f.print(word{text: f.dir + "\n"})
	case "test", "[":
		for i, w := range rest[:max(len(rest)-1, 0)] {
			if w.text == "-v" {
				e.subscripts(f, rest[i+1], line, 8)
			}
		}
	case "alias":
		for _, w := range rest {
			if name, text, ok := strings.Cut(w.text, "="); ok {
				f.alias(name, word{text: text, data: w.data})
			}
		}
	case "trap":
		if len(rest) > 0 && rest[0].text == "--" {
			rest = rest[1:]
		}
		if len(rest) > 1 && rest[0].text != "-" && rest[0].text != "" && !strings.HasPrefix(rest[0].text, "-") {
			f.traps = append(f.traps, trap{rest[0], line})
		}
	case "hash":
		if len(rest) > 2 && rest[0].text == "-p" {
			for _, w := range rest[2:] {
				f.alias(w.text, rest[1])
			}
		}
	case "compgen":
		e.optionText(f, rest, "-C", line)
		f.print(word{text: hole})
	case "type", "help", "caller", "times", "jobs", "dirs":
		f.print(word{text: hole})
	case "enable":
		for i, w := range rest {
			if w.text == "-f" && i+1 < len(rest) {
				e.unknown(f, src, "enable -f loads code into the shell")
			}
		}
	case "bind":
		if len(rest) > 0 {
			e.unknown(f, src, "bind can make keys run commands", effect.Process)
		}
	case "history", "fc":
		for i, w := range rest {
			if (w.text == "-w" || w.text == "-a") && i+1 < len(rest) {
				e.write(f, rest[i+1], false, src)
			}
		}
	case "kill":
		return len(rest) == 0 // signalling another process is a program's deed like any other
	}
	return true
}

// cd is changeDir with what the shell makes of it: a name that is searched for along CDPATH, and with -P the folder that links
// lead to.
func (e *engine) cd(f *frame, args []word, set map[string]word) {
	before := f.dir
	e.changeDir(f, args)
	physical := false
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") && len(args[0].text) > 1 {
		physical = physical || args[0].text == "-P"
		args = args[1:]
	}
	paths, searched := set["CDPATH"]
	if !searched {
		var from setness
		if paths, from = e.cdPath(f); from == unset {
			paths = word{}
		}
	}
	if len(args) > 0 && paths.text != "" {
		if name := args[0].text; name != "" && name[0] != '/' && name != "." && name != ".." && !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
			f.dir = e.searchedFolder(paths, name, before, f.dir)
		}
	}
	if physical && !strings.Contains(f.dir, hole) {
		f.dir = filePath(e.place(f, word{text: f.dir}, false, true))
	}
}

func (e *engine) cdPath(f *frame) (word, setness) {
	if v, ok := f.vars["CDPATH"]; ok {
		return v.one(), isSet
	}
	if v, ok := e.env["CDPATH"]; ok {
		return word{text: v}, isSet
	}
	return word{}, unset
}

// searchedFolder is the first folder along CDPATH that has the name; otherwise is the one without it.
func (e *engine) searchedFolder(paths word, name, from, otherwise string) string {
	if !paths.known() || strings.Contains(name, hole) || strings.Contains(from, hole) {
		return hole
	}
	for _, d := range strings.Split(paths.text, ":") {
		if !path.IsAbs(d) {
			d = from + "/" + d
		}
		if c := path.Join(d, name); e.isDir(c) {
			return c
		}
	}
	return otherwise
}

func (e *engine) changeDir(f *frame, args []word) {
	for len(args) > 0 && (args[0].text == "-P" || args[0].text == "-L" || args[0].text == "-e" || args[0].text == "--") {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		f.dir = e.homeText(f)
	case args[0].text == "-" || strings.HasPrefix(args[0].text, "+"):
		f.dir = hole
	case !args[0].known():
		f.dir = hole
		if args[0].text[0] == '/' || !args[0].pure() {
			f.dir = path.Join("/", f.abs(args[0].text)) // keeps the known part in front of the hole
		}
	default:
		f.dir = path.Clean(f.abs(args[0].text))
	}
	if f.out != nil && len(args) > 0 && args[0].text == "-" {
		f.print(word{text: hole})
	}
}

func (e *engine) eval(f *frame, args []word, line int) {
	texts := make([]string, len(args))
	w := word{}
	for i, a := range args {
		texts[i] = a.text
		w.data = joined(w.data, a.data)
	}
	w.text = strings.Join(texts, " ")
	e.evalText(f, w, line, "shell/eval")
}

// evalText analyses text that was computed; where part of it is not known, neither is what it does.
func (e *engine) evalText(f *frame, w word, line int, rule string) {
	if !w.known() {
		e.unknown(f, f.source(line, rule), "text that is run as a command is not known: "+show(w.text))
		f.print(word{text: hole})
		if w.pure() {
			return
		}
		w.text = strings.ReplaceAll(w.text, hole, "${"+unknownName+"}")
	}
	c := *f
	c.depth++
	c.lineBase = f.lineBase + line - 1
	c.stdio, c.comp = f.comp, nil
	if !e.step(&c) {
		return
	}
	e.shell(&c, w.text, syntax.LangBash)
	f.vars, f.funcs, f.aliases, f.dir, f.path, f.ended = c.vars, c.funcs, c.aliases, c.dir, c.path, c.ended
}

// optionText runs the command that an option of a builtin names.
func (e *engine) optionText(f *frame, args []word, option string, line int) {
	for i, w := range args[:max(len(args)-1, 0)] {
		if w.text == option {
			e.evalText(f.fork(), args[i+1], line, "shell/"+option)
		}
	}
}

// sourceFile follows "." and source: the file's text runs in this very shell.
func (e *engine) sourceFile(f *frame, args []word, line int) {
	src := f.source(line, "shell/source")
	if len(args) == 0 {
		return
	}
	w := args[0]
	if out, ok := e.pipes[w.text]; ok {
		e.evalText(f, out, line, "shell/source")
		return
	}
	if w.text == "/dev/stdin" && f.in != nil {
		e.evalText(f, f.in.text, line, "shell/source")
		return
	}
	if !w.known() {
		e.unknown(f, src, "the file that is sourced is not known: "+show(w.text))
		return
	}
	name := w.text
	if !strings.Contains(name, "/") {
		if p := e.find(f, name); p.path != "" && !e.fs.Exists(f.abs(name)) {
			name = p.path
		}
	}
	if e.sourced(f, name) {
		return
	}
	e.read(f, w, false, src)
	file, err := e.fs.Read(f.abs(name))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			e.unknown(f, src, "sourced file cannot be read: "+errorText(err))
		}
		return
	}
	key := "source:" + file.Path
	if e.running[key] || !e.step(f) {
		return
	}
	e.running[key] = true
	defer delete(e.running, key)
	c := f.child("source "+w.text, src)
	c.depth++
	c.view = effect.Metadata
	c.from = effect.Source{File: file.Path, SHA256: file.SHA256, Line: 1}
	c.lineBase = 0
	c.stdio, c.comp = f.comp, nil
	if len(args) > 1 {
		c.params = append([]word{f.params[0]}, args[1:]...)
	}
	e.shell(c, string(file.Data), shellVariant(file.Path, file.Data))
	f.vars, f.funcs, f.dir, f.path = c.vars, c.funcs, c.dir, c.path
}

// sourced tells whether a file is a virtual environment's activate script or another whose effect on the shell is known and
// whose text would only add noise.
func (e *engine) sourced(f *frame, name string) bool {
	bin := path.Clean(f.abs(path.Dir(name)))
	if path.Base(name) != "activate" || !e.fs.Exists(path.Dir(bin)+"/pyvenv.cfg") && !e.madeVenv(path.Dir(bin)) {
		return false
	}
	f.vars["VIRTUAL_ENV"] = variable{vals: []word{{text: path.Dir(bin)}}, exported: true}
	f.vars["PATH"] = variable{vals: []word{{text: bin + ":" + strings.Join(f.path, ":")}}, exported: true}
	f.path = append([]string{bin}, f.path...)
	return true
}

func (e *engine) commandBuiltin(f *frame, args []word, line int, set map[string]word) {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") && args[0].known() {
		if args[0].text == "-v" || args[0].text == "-V" {
			out := word{text: hole}
			if len(args) > 1 && args[1].known() && args[0].text == "-v" {
				if p := e.find(f, args[1].text); p.link != "" {
					out.text = p.link + "\n"
				}
			}
			f.print(out)
			return
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	if args[0].known() && isBuiltin(args[0].text) && e.builtin(f, args, line, set) {
		return
	}
	e.program(f, args, line, set)
}

func (e *engine) setBuiltin(f *frame, args []word) {
	for i, a := range args {
		if a.text == "--" {
			f.params = append([]word{f.params[0]}, args[i+1:]...)
			f.openParams = false
			return
		}
		if !strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "+") {
			if i > 0 && args[i-1].text == "-o" {
				continue
			}
			f.params = append([]word{f.params[0]}, args[i:]...)
			return
		}
	}
}

func (e *engine) readBuiltin(f *frame, args []word, name string) {
	value := word{text: hole, data: f.comp}
	var names []string
	for i := 0; i < len(args); i++ {
		t := args[i].text
		if strings.HasPrefix(t, "-") && len(t) > 1 && name != "getopts" {
			if strings.ContainsAny(t[len(t)-1:], "adinNptuOscCk") && len(t) == 2 && !strings.Contains("rse", t[1:]) {
				if t == "-a" && i+1 < len(args) {
					f.vars[args[i+1].text] = variable{array: true, elems: []word{value}}
				}
				i++
			}
			continue
		}
		if name == "getopts" && i == 0 {
			f.set("OPTARG", word{text: hole})
			continue
		}
		names = append(names, t)
	}
	if name == "read" && len(names) == 0 {
		names = []string{"REPLY"}
	}
	for _, n := range names {
		if !strings.Contains(n, hole) {
			f.set(n, value)
		}
	}
	if lines := f.inputLines(); name == "read" && len(names) == 1 && len(lines) > 0 && !strings.Contains(names[0], hole) {
		old := f.vars[names[0]]
		old.vals = lines
		f.vars[names[0]] = old
	}
}

// inputLines are the lines of standard input, where there are few enough to be looked at one by one. Of names that a program
// lists ("./<hole>") each line may stand for many.
func (f *frame) inputLines() (lines []word) {
	if f.in == nil || f.in.text.pure() {
		return nil
	}
	for l := range strings.SplitSeq(strings.TrimRight(f.in.text.text, "\n"), "\n") {
		if w := (word{text: strings.Trim(l, " \t"), data: f.in.text.data, quoted: true}); !slices.ContainsFunc(lines, func(x word) bool { return x.text == w.text }) {
			lines = append(lines, w)
		}
		if len(lines) > maxAlternatives {
			return nil
		}
	}
	return lines
}

func echoed(args []word) word {
	out := word{}
	newline := true
	escapes := false
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' && strings.Trim(args[0].text[1:], "neE") == "" {
		newline = newline && !strings.Contains(args[0].text, "n")
		escapes = strings.Contains(args[0].text, "e")
		args = args[1:]
	}
	for i, a := range args {
		if i > 0 {
			out.text += " "
		}
		t := a.text
		if escapes && strings.Contains(t, `\`) {
			t = ansiC(t)
		}
		out.text = cut(out.text + t)
		out.data = joined(out.data, a.data)
	}
	if newline {
		out.text += "\n"
	}
	return out
}

// printfBuiltin knows the output of formats that have %s alone; -v assigns it.
func (e *engine) printfBuiltin(f *frame, args []word) {
	target := ""
	if len(args) > 1 && args[0].text == "-v" {
		target = args[1].text
		args = args[2:]
	}
	out := word{text: hole}
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) > 0 {
		out = formatted(args[0], args[1:])
	}
	if target != "" {
		f.set(target, out)
		return
	}
	f.print(out)
}

func formatted(format word, args []word) word {
	out := word{data: format.data}
	for _, a := range args {
		out.data = joined(out.data, a.data)
	}
	text := format.text
	for first := true; first || len(args) > 0; first = false {
		used := false
		for i := 0; i < len(text); i++ {
			if text[i] != '%' || i+1 >= len(text) {
				if text[i] == '\\' && i+1 < len(text) {
					out.text += ansiC(text[i : i+2])
					i++
					continue
				}
				out.text += text[i : i+1]
				continue
			}
			i++
			switch text[i] {
			case '%':
				out.text += "%"
			case 's':
				if len(args) > 0 {
					out.text = cut(out.text + args[0].text)
					args = args[1:]
				}
				used = true
			default:
				return word{text: hole, data: out.data}
			}
		}
		if !used || len(out.text) > maxText {
			break
		}
	}
	return out
}

func shellVariant(name string, data []byte) syntax.LangVariant {
	switch path.Ext(name) {
	case ".zsh":
		return syntax.LangZsh
	case ".bats":
		return syntax.LangBats
	case ".ksh", ".mksh":
		return syntax.LangMirBSDKorn
	}
	if i := strings.IndexByte(string(data[:min(len(data), 128)]), '\n'); i > 0 {
		switch first := string(data[:i]); {
		case strings.HasPrefix(first, "#!") && strings.Contains(first, "zsh"):
			return syntax.LangZsh
		case strings.HasPrefix(first, "#!") && strings.Contains(first, "ksh"):
			return syntax.LangMirBSDKorn
		}
	}
	return syntax.LangBash
}
