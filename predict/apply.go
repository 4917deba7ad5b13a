package predict

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/model"
)

// invocation is a program being analysed by its model.
type invocation struct {
	name  string
	args  []word // with the program's name first
	line  int
	dir   string // where the program is started, before options like -C
	match *model.Match
	src   effect.Source // of the command, with the model's rule

	contacts bool // the handler has named the registry that the model only says is there
}

// word gives the value of a step with the data that flowed into its argument.
func (v *invocation) word(text string, index int) word {
	w := word{text: text, quoted: true}
	if index >= 0 && index+1 < len(v.args) {
		w.data = v.args[index+1].data
		w.quoted = v.args[index+1].quoted
	}
	return w
}

// rest is the words of a nested command line that starts at a step's value.
func (v *invocation) rest(index int) []word {
	if index+1 >= len(v.args) || index < 0 {
		return nil
	}
	return v.args[index+1:]
}

// after is the words behind a step's value.
func (v *invocation) after(index int) []word {
	if rest := v.rest(index); len(rest) > 0 {
		return rest[1:]
	}
	return nil
}

// applyModel does what a command model says of this argument vector.
func (e *engine) applyModel(f *frame, c *model.Command, name string, args []word, line int) {
	argv := make([]string, len(args)-1)
	for i, a := range args[1:] {
		argv[i] = a.text
	}
	m := c.Match(name, argv)
	v := &invocation{name: name, args: args, line: line, dir: f.dir, match: m}
	v.src = f.source(line, strings.Join(m.Path, "/"))
	plan := m.Plan()
	steps := append(plan.Do, m.Env(e.envValue(f))...)

	g := *f
	g.drops = slices.Clone(f.drops)
	silent := false
	for _, s := range steps {
		switch s.Verb {
		case "nothing":
			silent = true
		case "drop":
			g.drops = append(g.drops, strings.FieldsFunc(s.Arg, func(r rune) bool { return r == ',' || r == ' ' })...)
		case "chdir":
			for _, t := range v.targets(s) {
				e.changeDir(&g, []word{t})
			}
		case "root":
			for _, t := range v.targets(s) {
				g.root, g.dir = f.abs(t.text), "/"
			}
		}
	}
	if silent {
		f.print(word{text: hole})
		return
	}
	if m.Missing && plan.Handler != "git" {
		e.unknown(&g, v.src, name+": subcommand "+show(m.Path[len(m.Path)-1])+" is not known to the model of "+name)
	}
	e.unseenOptions(&g, v)
	if ops := m.Operands; name == "git" && len(m.Path) > 1 && (m.Path[1] == "config" && len(ops) > 0 && harmlessGitKey(ops[0].Text) || e.namesRemote(f, v)) {
		outer := e.changes.mute
		e.changes.mute = true
		defer func() { e.changes.mute = outer }()
	}
	for _, s := range steps {
		if plan.Handler == "git" && s.Arg == "@remote" {
			continue // the handler names the hosts, and a remote may be a folder
		}
		if plan.Handler == "npm" && s.Verb == "registry" {
			continue
		}
		e.apply(&g, v, s)
	}
	if plan.Handler != "" && e.step(&g) {
		e.handle(&g, plan.Handler, v)
	}
	for _, s := range steps {
		if plan.Handler == "npm" && s.Verb == "registry" && !v.contacts {
			e.apply(&g, v, s)
		}
	}
	if f.out != nil && g.out == f.out {
		f.print(e.output(&g, v))
	}
	f.ended = f.ended || g.ended
}

// unseenOptions says what an unquoted word that is not known could add: it may hold options.
func (e *engine) unseenOptions(f *frame, v *invocation) {
	for _, a := range v.args[1:] {
		if !a.pure() || a.quoted {
			continue
		}
		if could := optionClasses(v.match); len(could) > 0 {
			e.unknown(f, v.src, v.name+": an argument that is not known before it runs may hold options", could...)
		}
		return
	}
}

func optionClasses(m *model.Match) []effect.Class {
	var could []effect.Class
	for _, c := range m.Levels {
		for _, as := range c.Options {
			for _, a := range as {
				could = append(could, verbClasses(a.Verb)...)
			}
		}
	}
	slices.Sort(could)
	return slices.Compact(could)
}

func verbClasses(verb string) []effect.Class {
	switch verb {
	case "write", "write-tree", "mode", "mode-tree", "touch", "put", "put-tree", "put-moved", "put-link", "put-hard", "bind", "delete", "delete-tree", "move":
		return []effect.Class{effect.File}
	case "exec", "command", "shell", "script", "code", "module":
		return anything()
	case "fetch", "send", "listen", "registry":
		return []effect.Class{effect.Network}
	case "from", "to":
		return []effect.Class{effect.File, effect.Network}
	case "credential":
		return []effect.Class{effect.File}
	case "set-env", "read-env", "env-file":
		return []effect.Class{effect.Environment}
	case "image", "build-image", "engine":
		return []effect.Class{effect.Container}
	}
	return nil
}

// textArguments are the operands beside program text, behind the name of a program. "-" for standard input is one to node
// (process.argv[1]) and none to others.
func (v *invocation) textArguments(index int, lang string) []word {
	args := []word{{}}
	for i, w := range v.operands() {
		if v.match.Operands[i].Index == index || i == 0 && index < 0 && lang != "node" && (w.text == "-" || w.text == "/dev/stdin") {
			continue
		}
		args = append(args, w)
	}
	return args
}

// targets are the words that a step acts on: its argument with the places filled, or its value.
func (v *invocation) targets(s model.Step) []word {
	if s.Arg == "" {
		if !s.HasValue {
			return nil
		}
		return []word{v.word(s.Value, s.Index)}
	}
	var out []word
	for _, t := range v.match.Expand(s.Arg, s.Value) {
		out = append(out, v.word(t, s.Index))
	}
	return out
}

// apply does one step. An unknown verb cannot occur: models with one do not load.
func (e *engine) apply(f *frame, v *invocation, s model.Step) {
	src := f.source(v.line, s.Rule)
	if daemonNetwork(v.name, s) {
		e.unknown(f, src, v.name+": the engine connects to the registry, outside this process tree", effect.Network)
		g := *f
		g.container = "engine"
		f = &g
	}
	for _, w := range e.stepWords(f, v, s) {
		if w.text == "-" && (s.Arg == "" || s.Arg[0] == '{') {
			continue // standard input or output; a file of that name is written ./-
		}
		e.applyTo(f, v, s, w, src)
	}
	switch s.Verb {
	case "registry":
		e.network(f, word{text: s.Arg}, effect.Fetch, src)
	case "engine":
		e.container(f, effect.Call, effect.ObjectKind, "engine/"+v.name, src)
	case "script":
		e.scriptStep(f, v, s)
	case "code":
		lang, _, _ := strings.Cut(s.Arg, " ")
		g := *f
		g.args = v.textArguments(s.Index, lang)
		e.runText(&g, v.word(s.Value, s.Index), v.line, lang, s.Rule)
	case "module":
		e.module(f, v, s)
	case "stdin":
		if s.Arg != "" {
			g := *f
			g.args = v.textArguments(-1, s.Arg)
			e.runInput(&g, s.Arg, v.line, s.Rule)
		}
	case "unknown":
		classes, why, _ := strings.Cut(s.Arg, ":")
		e.unknown(f, src, v.name+": "+strings.TrimSpace(why), parseClasses(classes)...)
	case "handler":
		e.handle(f, s.Arg, v)
	}
}

// applyTo does one step on one word.
func (e *engine) applyTo(f *frame, v *invocation, s model.Step, w word, src effect.Source) {
	switch s.Verb {
	case "read":
		e.read(f, w, false, src)
	case "read-tree":
		e.read(f, w, true, src)
	case "list":
		e.list(f, w, src)
	case "write":
		e.write(f, w, false, src)
	case "write-tree":
		e.write(f, w, true, src)
	case "mode", "mode-tree":
		e.attributes(f, w, s.Verb == "mode-tree", src)
	case "touch":
		if w.known() && e.present(f.abs(w.text)) {
			e.attributes(f, w, false, src)
		} else {
			e.write(f, w, false, src)
		}
	case "put", "put-tree", "put-moved", "put-link", "put-hard", "bind":
		e.put(f, v, s, w, src)
	case "delete":
		e.remove(f, w, false, src)
	case "delete-tree":
		e.remove(f, w, true, src)
	case "move":
		e.read(f, w, e.folder(f, w), src)
		e.remove(f, w, e.folder(f, w), src)
	case "from":
		e.from(f, w, src)
	case "to":
		e.to(f, w, src)
	case "fetch":
		e.network(f, w, effect.Fetch, src)
	case "send":
		e.network(f, w, effect.Send, src)
	case "listen":
		e.network(f, w, effect.Listen, src)
	case "set-env":
		name, val, has := strings.Cut(w.text, "=")
		if containerCLI(v.name) { // the container gets it, not a child of this command
			if !has {
				e.readVariable(f, name, src)
			}
			return
		}
		if !strings.Contains(name, hole) && !f.dropped(effect.Environment, effect.Write) {
			e.setVariable(f, name, word{text: val, data: w.data}, v.line)
			f.export(name, word{text: val, data: w.data})
		}
	case "read-env":
		e.readVariable(f, w.text, src)
	case "credential":
		e.credential(f, w, src)
	case "env-file":
		e.envFile(f, w, src)
	case "image":
		e.container(f, effect.Run, effect.ImageKind, w.text, src)
	case "build-image":
		e.container(f, effect.Build, effect.ImageKind, w.text, src)
	case "call":
		if r, err := effect.Name(effect.ToolKind, w.text); err == nil {
			e.note(f, effect.MCP, effect.Call, effect.Exactly(r), src)
		}
	case "exec":
		e.startProgram(f, []word{w}, v.line)
	case "command":
		e.nested(f, v, s)
	case "shell":
		e.runText(f, w, v.line, "shell", s.Rule)
	}
}

// daemonNetwork tells whether a step is a connection that a container daemon makes for its client.
func daemonNetwork(name string, s model.Step) bool {
	if !containerCLI(name) || localEngine(name) {
		return false
	}
	return s.Verb == "registry" || (s.Verb == "fetch" || s.Verb == "send") && strings.HasPrefix(s.Arg, "@")
}

// stepWords are the targets of the verbs that act on words.
func (e *engine) stepWords(f *frame, v *invocation, s model.Step) []word {
	switch s.Verb {
	case "registry", "engine", "script", "code", "module", "stdin", "unknown", "handler", "drop", "nothing", "chdir", "root", "text", "skip", "link":
		return nil
	}
	ws := v.targets(s)
	for i := range ws {
		ws[i].text = e.expandVariables(f, ws[i].text, s.Arg)
		if v.match.Path[0] == "git" && (s.Arg == ".git" || strings.HasPrefix(s.Arg, ".git/")) {
			ws[i].text = e.gitFolder(f, v) + ws[i].text[len(".git"):]
		}
		if v.match.Path[0] == "git" && s.Arg == "." && strings.HasSuffix(s.Verb, "-tree") {
			ws[i].text = e.gitTree(f, v)
		}
	}
	return ws
}

// expandVariables fills $HOME and the folders of the XDG specification in a model's argument; the value of an option stays
// as it is.
func (e *engine) expandVariables(f *frame, text, arg string) string {
	if arg == "" || !strings.HasPrefix(text, "$") {
		return text
	}
	name, rest, slash := strings.Cut(text[1:], "/")
	dir, ok := e.envValue(f)(name)
	if strings.HasPrefix(name, "XDG_") && !path.IsAbs(dir) {
		ok = false // "all paths must be absolute, others are ignored" (XDG base directory specification)
	}
	if !ok || dir == "" {
		switch name {
		case "XDG_CONFIG_HOME":
			dir = e.homeText(f) + "/.config"
		case "XDG_CACHE_HOME":
			dir = e.homeText(f) + "/.cache"
		case "XDG_DATA_HOME":
			dir = e.homeText(f) + "/.local/share"
		case "XDG_STATE_HOME":
			dir = e.homeText(f) + "/.local/state"
		case "CLAUDE_CONFIG_DIR":
			dir = e.homeText(f) + "/.claude"
		case "TMPDIR":
			dir = "/tmp"
		case "HOME":
			dir = e.homeText(f)
		default:
			return text
		}
	}
	if slash {
		return dir + "/" + rest
	}
	return dir
}

// list looks at names only: part of the flow, and an effect nowhere but in a person's folders.
func (e *engine) list(f *frame, w word, src effect.Source) {
	p := e.place(f, w, true, true)
	if name := filePath(p); e.ordinaryRead(name, false) || !e.personalFolder(name) {
		f.comp.touch(effect.File, effect.Read, p)
		return
	}
	e.note(f, effect.File, effect.Read, p, src)
}

func (e *engine) envFile(f *frame, w word, src effect.Source) {
	if f.dropped(effect.Environment, effect.Read) {
		return
	}
	p := e.place(f, w, false, true)
	e.note(f, effect.Environment, effect.Read, p, src)
	e.note(f, effect.File, effect.Read, p, src)
}

func parseClasses(s string) (classes []effect.Class) {
	for _, n := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		if c, err := effect.ParseClass(n); err == nil {
			classes = append(classes, c)
		} else if n == "all" || n == "any" {
			return anything()
		}
	}
	return classes
}

// dropped tells whether an option of the command took an effect away.
func (f *frame) dropped(c effect.Class, a effect.Access) bool {
	for _, d := range f.drops {
		if d == c.String() || d == c.String()+"."+a.String() {
			return true
		}
	}
	return false
}

// export sets a variable for the programs that this command starts.
func (f *frame) export(name string, w word) {
	vars := make(map[string]variable, len(f.vars)+1)
	for k, v := range f.vars {
		vars[k] = v
	}
	vars[name] = variable{vals: []word{w}, exported: true, told: true}
	f.vars = vars
	if name == "PATH" {
		f.path = f.splitPath(w)
	}
}

// nested follows the command line that is part of another one.
func (e *engine) nested(f *frame, v *invocation, s model.Step) {
	rest := v.rest(s.Index)
	if len(rest) == 0 {
		return
	}
	if first := v.word(s.Value, s.Index); first.text != rest[0].text {
		rest = append([]word{first}, rest[1:]...)
	}
	if s.Arg == "each" {
		rest = withEach(f, rest)
	}
	e.startProgram(f, rest, v.line)
}

// withEach puts a file that is not known for {} into a command line, or behind it (fd -x).
func withEach(f *frame, args []word) []word {
	unknown := word{text: hole, quoted: true, data: f.comp}
	out := make([]word, 0, len(args)+1)
	found := false
	for _, w := range args {
		if strings.Contains(w.text, "{}") {
			w.text, found = strings.ReplaceAll(w.text, "{}", hole), true
		}
		out = append(out, w)
	}
	if !found {
		out = append(out, unknown)
	}
	return out
}

// startProgram analyses a program started by another one: no functions or builtins of the shell apply.
func (e *engine) startProgram(f *frame, args []word, line int) {
	if len(args) == 0 || args[0].text == "" || !e.step(f) {
		return
	}
	c := *f
	c.depth++
	c.drops = nil
	c.funcs = nil
	e.program(&c, args, line, nil)
}

// output is what a program prints, for the few whose output is certain.
func (e *engine) output(f *frame, v *invocation) word {
	var operands []word
	for _, o := range v.match.Operands {
		operands = append(operands, v.word(o.Text, o.Index))
	}
	out := word{text: hole, data: f.comp}
	if len(operands) == 0 {
		switch v.name {
		case "base64", "cat", "ls", "find", "fd", "fdfind", "mktemp", "git", "rg", "grep":
		default:
			return out
		}
	}
	switch v.name {
	case "dirname":
		if w := operands[0]; w.known() {
			return word{text: path.Dir(w.text) + "\n", data: w.data}
		}
	case "basename":
		if w := operands[0]; w.known() {
			base := path.Base(w.text)
			if len(operands) > 1 {
				base = strings.TrimSuffix(base, operands[1].text)
			}
			return word{text: base + "\n", data: w.data}
		}
	case "realpath", "readlink":
		if w := operands[0]; w.known() && (v.name == "realpath" || v.match.Has("-f -e -m")) {
			if p, err := e.resolve(f.dir, w.text, true); err == nil {
				return word{text: p + "\n", data: w.data}
			}
		}
	case "ls", "find", "fd", "fdfind":
		return e.listed(f, operands, v)
	case "mktemp":
		return mktempOutput(e.homeTemp(f), operands, v)
	case "which":
		if p := e.find(f, operands[0].text); operands[0].known() && p.link != "" {
			return word{text: p.link + "\n"}
		}
	case "cat":
		return e.catOutput(f, operands)
	case "base64":
		if v.match.Has("-d -D --decode") && f.in != nil && f.in.text.known() {
			return word{text: decodeBase64(f.in.text.text), data: f.comp}
		}
	}
	return out
}

// listed is what ls and find print, as far as it is certain: names below the places they were given.
func (e *engine) listed(f *frame, operands []word, v *invocation) word {
	out := word{data: f.comp}
	if v.match.Has("-l -s -i -g -o -ls -printf -exec --format --long") {
		return word{text: hole, data: f.comp}
	}
	if len(operands) == 0 || v.name == "fd" || v.name == "fdfind" {
		out.text = "./" + hole + "\n"
		return out
	}
	for _, w := range operands {
		if strings.HasPrefix(w.text, "-") || w.text == "(" || w.text == "!" {
			break // find's expression
		}
		switch {
		case v.name == "find":
			out.text = cut(out.text + strings.TrimSuffix(w.text, "/") + "/" + hole + "\n")
		case w.known() && !e.isDir(f.abs(w.text)):
			out.text = cut(out.text + w.text + "\n")
		case len(operands) == 1:
			out.text = "./" + hole + "\n" // names without their folder
		default:
			return word{text: hole, data: f.comp}
		}
	}
	if out.text == "" {
		out.text = "./" + hole + "\n"
	}
	return out
}

func (e *engine) homeTemp(f *frame) string {
	if v, ok := e.envValue(f)("TMPDIR"); ok && v != "" && !strings.Contains(v, hole) {
		return v
	}
	return "/tmp"
}

// mktempOutput is a name that mktemp(1) makes up: known but for its last characters.
func mktempOutput(temp string, operands []word, v *invocation) word {
	tmpl := "tmp."
	if len(operands) > 0 {
		tmpl = strings.TrimRight(operands[0].text, "X")
	}
	switch o, ok := v.match.Opt("-p --tmpdir"); {
	case ok && o.Value != "":
		tmpl = strings.TrimSuffix(o.Value, "/") + "/" + tmpl
	case ok, v.match.Has("-t"), len(operands) == 0:
		tmpl = temp + "/" + tmpl
	}
	return word{text: tmpl + hole}
}

// catOutput is the content of files that cat prints, for "cat install.sh | sh".
func (e *engine) catOutput(f *frame, operands []word) word {
	out := word{data: f.comp}
	if len(operands) == 0 && f.in != nil {
		return word{text: f.in.text.text, data: joined(f.comp, f.in.text.data)}
	}
	for _, w := range operands {
		if !w.known() || w.text == "-" {
			return word{text: hole, data: f.comp}
		}
		file, ok := e.data(f.abs(w.text))
		if !ok || len(file.Data) > maxText || strings.ContainsRune(string(file.Data), 0) {
			return word{text: hole, data: f.comp}
		}
		out.text = cut(out.text + string(file.Data))
	}
	if len(operands) == 0 {
		out.text = hole
	}
	return out
}

// variant is the dialect of shell text that a program with this name runs.
func variant(name string) syntax.LangVariant {
	switch name {
	case "zsh":
		return syntax.LangZsh
	case "mksh", "ksh":
		return syntax.LangMirBSDKorn
	}
	return syntax.LangBash // a superset of POSIX: what sh would refuse is shown rather than lost
}
