package predict

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/jsscan"
	"github.com/ambit-dev/ambit/predict/internal/model"
	"github.com/ambit-dev/ambit/predict/internal/pyscan"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// runFound follows a program: what it is called says what it does only where it does not come from the workspace.
func (e *engine) runFound(f *frame, p found, args []word, line int) {
	src := f.source(line, "program/"+p.name)
	if p.own && !installedTool(p) && !e.installedBinary(f, p) {
		if e.fs.IsFile(p.path) {
			e.runFile(f, p.path, args, "", line)
			return
		}
		e.unknown(f, src, "program "+e.relative(p.path)+" is not there yet: what it will do cannot be known")
		f.print(word{text: hole})
		return
	}
	if p.own {
		if x, changed := e.changeOf(p.path, false, 0); changed && !x.deps { // it is no longer what was installed
			e.hit(x)
		}
	}
	c, err := e.model(p.name)
	if err != nil {
		e.unknown(f, src, err.Error())
		return
	}
	if c != nil && c.Code && p.own && e.fs.IsFile(p.path) {
		e.runFile(f, p.path, args, "", line)
		return
	}
	if containerCLI(p.name) {
		e.container(f, effect.Call, effect.ObjectKind, "engine/"+p.name, src)
	}
	if c != nil {
		e.applyModel(f, c, p.name, args, line)
		return
	}
	if p.path != "" && (p.own || !systemFolder(p.path)) && e.fs.IsFile(p.path) {
		e.runFile(f, p.path, args, "", line)
		return
	}
	e.unknown(f, src, p.name+": there is no model of this program, so what it does is not known")
	f.print(word{text: hole})
}

// installedTool tells whether a program of the workspace is one that a package manager installed and put on the path: then
// a model of its name may speak for it, as for programs of the system, unless it hides one of those. Anything else in the
// workspace is read instead.
func installedTool(p found) bool {
	if strings.Contains(p.link, "/node_modules/.bin/") && strings.Contains(p.path, "/node_modules/") {
		return !p.hides
	}
	if strings.Contains(p.link, "/.venv/bin/") || strings.Contains(p.link, "/venv/bin/") {
		return !p.hides || strings.HasPrefix(p.name, "python") || strings.HasPrefix(p.name, "pip")
	}
	return false
}

// installedBinary tells whether a program is a compiled one that a package in node_modules brought (lefthook-linux-x64/bin/lefthook)
// and that a model knows: nothing can be read of it, and the model may speak for it as for the package's link in .bin.
func (e *engine) installedBinary(f *frame, p found) bool {
	if !strings.Contains(p.path, "/node_modules/") {
		return false
	}
	if c, err := e.model(p.name); c == nil || err != nil {
		return false
	}
	if s := e.find(f, p.name); s.path != "" && (!s.own || s.hides) {
		return false
	}
	file, err := e.fs.Read(p.path)
	return errors.Is(err, workspace.ErrTooLarge) || err == nil && languageOf(p.path, file.Data) == "binary"
}

// runFile follows a file that is executed, by its interpreter: the one given, or that of its first line.
func (e *engine) runFile(f *frame, name string, args []word, interp string, line int) {
	src := f.source(line, "program/file")
	p, err := e.resolve("/", name, true)
	if err != nil {
		p = name
	}
	f.comp.touch(effect.File, effect.Read, e.place(f, word{text: p}, false, true))
	file, err := e.fs.Read(p)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			e.unknown(f, src, "script "+e.relative(p)+" is not there yet: what it will do cannot be known")
		} else {
			e.unknown(f, src, "script "+e.relative(p)+" cannot be read: "+errorText(err))
		}
		f.print(word{text: hole})
		return
	}
	e.tellChanged(f, line)
	var options []string
	if interp == "" {
		interp, options = shebang(file.Data)
	}
	if interp == "" {
		interp = languageOf(p, file.Data)
	}
	key := interp + "\x00" + p + "\x00" + argKey(args)
	if e.running[key] {
		return
	}
	if !e.step(f) {
		return
	}
	e.running[key] = true
	defer delete(e.running, key)
	c := e.scriptFrame(f, file, args)
	if len(options) > 0 { // "#!/usr/bin/env -S node --require x"
		c.from.Line = 1
	}
	e.runSource(c, interp, file, args)
	f.print(word{text: hole, data: f.comp})
}

func argKey(args []word) string {
	var b strings.Builder
	for _, a := range args[min(1, len(args)):] {
		b.WriteString(a.text)
		b.WriteByte(1)
	}
	return b.String()
}

// scriptFrame is the frame of a new process that runs a file: it has its parent's exported variables and no others.
func (e *engine) scriptFrame(f *frame, file *workspace.File, args []word) *frame {
	c := f.child("", effect.Source{File: e.shownFile(file.Path), SHA256: file.SHA256, Line: 1, Rule: "program/file"})
	c.node.Title = e.shownFile(file.Path)
	c.depth++
	c.view = effect.Metadata
	c.from = effect.Source{File: file.Path, SHA256: file.SHA256}
	c.lineBase = 0
	c.vars = map[string]variable{}
	for k, v := range f.vars {
		if v.exported {
			v.told = true
			c.vars[k] = v
		}
	}
	c.funcs = map[string]function{}
	c.params = append([]word{{text: file.Path}}, args[min(1, len(args)):]...)
	c.openParams = false
	c.stdio, c.comp = f.comp, nil
	c.calls, c.drops, c.ended = nil, nil, false
	return c
}

// runSource analyses a file's text in a frame made for it.
func (e *engine) runSource(c *frame, interp string, file *workspace.File, args []word) {
	c.server = false
	switch language(interp) {
	case "shell":
		c.out = nil
		e.shell(c, string(file.Data), shellVariant(file.Path, file.Data))
	case "node":
		e.scan(c, jsscan.Program, file.Path, nil, interp, args)
	case "python":
		e.scan(c, pyscan.Program, file.Path, nil, interp, args)
	case "make":
		e.makeFile(c, file.Path, args)
	case "binary":
		e.unknown(c, c.source(0, "program/binary"), e.relative(file.Path)+" is a compiled program, which is not analysed")
	case "data":
		return
	default:
		e.unknown(c, c.source(1, "program/language"), e.relative(file.Path)+": programs for "+interp+" are not analysed")
	}
}

// language names the family of an interpreter.
func language(interp string) string {
	base := path.Base(interp)
	base = strings.TrimRight(base, "0123456789.")
	switch base {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "busybox", "shell":
		return "shell"
	case "node", "nodejs", "bun", "deno", "tsx", "ts-node", "javascript", "js", "typescript", "esno", "jiti":
		return "node"
	case "python", "pypy", "py":
		return "python"
	case "make", "gmake":
		return "make"
	case "binary", "data":
		return base
	}
	return base
}

// shebang reads the interpreter of a #! line, through env.
func shebang(data []byte) (interp string, options []string) {
	if !bytes.HasPrefix(data, []byte("#!")) {
		return "", nil
	}
	first, _, _ := bytes.Cut(data[2:min(len(data), 256)], []byte("\n"))
	words := strings.Fields(string(first))
	if len(words) == 0 {
		return "", nil
	}
	if path.Base(words[0]) == "env" {
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
		if len(words) == 0 {
			return "", nil
		}
	}
	return words[0], words[1:]
}

// languageOf guesses by what execvp(3) does and by name: compiled formats, else shell text.
func languageOf(name string, data []byte) string {
	switch path.Ext(name) {
	case ".js", ".cjs", ".mjs", ".ts", ".mts", ".cts", ".jsx", ".tsx":
		return "node"
	case ".py", ".pyw":
		return "python"
	case ".rb":
		return "ruby"
	case ".pl":
		return "perl"
	case ".php":
		return "php"
	}
	for _, magic := range []string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "MZ", "PK\x03\x04", "\x00asm"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return "binary"
		}
	}
	if bytes.IndexByte(data[:min(len(data), 512)], 0) >= 0 || !utf8.Valid(data[:min(len(data), 512)/4]) {
		return "binary"
	}
	return "sh"
}

// startScript runs a file with a named interpreter, as a new process.
func (e *engine) startScript(f *frame, argv []word, interp string, line int) {
	if !e.step(f) {
		return
	}
	src := f.source(line, "program/"+path.Base(interp))
	p := e.find(f, path.Base(interp))
	e.note(f, effect.Process, effect.Exec, p.pattern(), src)
	e.runScript(f, argv, interp, line)
}

// runScript follows a script file that an interpreter which has already started runs.
func (e *engine) runScript(f *frame, argv []word, interp string, line int) {
	src := f.source(line, "program/"+path.Base(interp))
	if !argv[0].known() {
		e.unknown(f, src, "the script that "+path.Base(interp)+" runs is not known: "+show(argv[0].text))
		return
	}
	if out, ok := e.pipes[argv[0].text]; ok {
		c := *f
		c.in = &stdin{text: out}
		e.runInput(&c, interp, line, "program/pipe")
		return
	}
	if argv[0].text == "/dev/stdin" || argv[0].text == "-" {
		c := *f
		c.args = argv
		e.runInput(&c, interp, line, "program/stdin")
		return
	}
	name := f.abs(argv[0].text)
	if language(interp) == "node" && !e.fs.IsFile(name) {
		for _, ext := range []string{".js", ".mjs", ".cjs", ".ts", "/index.js"} {
			if e.fs.IsFile(name + ext) {
				name += ext
				break
			}
		}
	}
	c := *f
	c.depth++
	e.runFile(&c, name, argv, interp, line)
}

// runText analyses program text that is given on a command line or by a script.
func (e *engine) runText(f *frame, w word, line int, lang, rule string) {
	if w.text == "" {
		return
	}
	switch language(lang) {
	case "shell":
		c := *f
		c.drops, c.funcs = nil, map[string]function{}
		c.vars = map[string]variable{}
		for k, v := range f.vars {
			if v.exported {
				c.vars[k] = v
			}
		}
		c.depth++
		c.stdio, c.comp = f.comp, nil
		c.ended = false
		e.evalIn(&c, w, line, rule)
	case "node", "python":
		if !w.known() {
			e.unknown(f, f.source(line, rule), "text of a "+lang+" program is not known before it runs")
			return
		}
		program := scanner(jsscan.Program)
		entry := f.dir + "/[eval].js"
		if language(lang) == "python" {
			program, entry = pyscan.Program, f.dir+"/[eval].py"
		}
		c := *f
		c.depth++
		c.lineBase = f.lineBase + max(line-1, 0)
		if e.step(&c) {
			e.scan(&c, program, entry, []byte(w.text), lang, c.args)
		}
	default:
		e.unknown(f, f.source(line, rule), "text of a program for "+lang+" is not analysed")
	}
}

// evalIn is evalText for a new shell: nothing it does to variables comes back.
func (e *engine) evalIn(c *frame, w word, line int, rule string) {
	d := c.fork()
	e.evalText(d, w, line, rule)
}

// runInput follows a program that is read from standard input.
func (e *engine) runInput(f *frame, lang string, line int, rule string) {
	src := f.source(line, rule)
	if f.in == nil {
		if f.stdio != nil {
			e.unknown(f, src, "program text comes from a pipe or file that is not known")
		}
		return
	}
	in := f.in
	c := *f
	c.in = nil
	switch {
	case in.from.File != "":
		c.from, c.lineBase, c.view, line = in.from, 0, effect.Metadata, 1
	case in.line > 0:
		line = in.line - f.lineBase
	}
	if in.text.pure() || !in.text.known() && language(lang) != "shell" {
		e.unknown(f, src, "program text comes from another command and is not known before it runs")
		return
	}
	e.runText(&c, in.text, line, lang, rule)
}

// scriptStep is the verb script: the value is a file for an interpreter, or a named file that is run when it is there.
func (e *engine) scriptStep(f *frame, v *invocation, s model.Step) {
	lang, name, named := strings.Cut(s.Arg, " ")
	if named {
		for _, t := range v.match.Expand(name, s.Value) {
			e.scriptIfThere(f, t, lang, v.line)
		}
		return
	}
	if !s.HasValue {
		return
	}
	argv := append([]word{v.word(s.Value, s.Index)}, v.after(s.Index)...)
	if slices.ContainsFunc(v.match.Opts, func(o model.Opt) bool { return o.Index == s.Index }) {
		argv = argv[:1] // the value of an option has no arguments
	}
	if e.step(f) {
		e.runScript(f, argv, lang, v.line)
	}
}

// scriptIfThere runs the files that a tool loads by name, such as its configuration.
func (e *engine) scriptIfThere(f *frame, name, lang string, line int) {
	name = e.expandVariables(f, name, name)
	if p := f.abs(name); workspace.Within(p, e.home) && !workspace.Within(p, e.workspace) {
		if _, stale := e.changeOf(p, false, 0); stale {
			e.look(p, false)
		}
		return // the account's own files are as trusted as its programs, until the action changes them
	}
	names := []string{name}
	if strings.ContainsAny(name, "*?[") {
		names, _ = e.globNames(f, name)
	}
	for _, n := range names {
		if e.fs.IsFile(f.abs(n)) && e.step(f) {
			e.runScript(f, []word{{text: n}}, lang, line)
		}
	}
}

// module is the verb module: "python -m name".
func (e *engine) module(f *frame, v *invocation, s model.Step) {
	w := v.word(s.Value, s.Index)
	src := f.source(v.line, s.Rule)
	if !w.known() {
		e.unknown(f, src, "the module that "+v.name+" runs is not known")
		return
	}
	argv := append([]word{w}, v.after(s.Index)...)
	rel := strings.ReplaceAll(w.text, ".", "/")
	for _, name := range []string{rel + ".py", rel + "/__main__.py"} {
		if e.fs.IsFile(f.abs(name)) {
			argv[0].text = name
			if e.step(f) {
				e.runScript(f, argv, "python", v.line)
			}
			return
		}
	}
	name := s.Arg + "-m"
	c, err := e.model(name)
	if err != nil || c == nil {
		e.unknown(f, src, "module "+w.text+" is not in the workspace and has no model")
		return
	}
	if e.step(f) {
		e.applyModel(f, c, name, append([]word{{text: name}}, argv...), v.line)
	}
}

func errorText(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func decodeBase64(s string) string {
	b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		return hole
	}
	return strings.ReplaceAll(string(b), "\x00", "")
}
