package predict

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// call analyses a simple command: assignments, words, redirections, and what its first word names.
func (e *engine) call(f *frame, c *syntax.CallExpr, redirs []*syntax.Redirect) {
	if name, vals := f.severalValues(c, redirs); name != "" && e.stopped == "" {
		e.callEach(f, c, redirs, name, vals)
		return
	}
	if !e.step(f) {
		return
	}
	outerComp, outerIn, outerOut, outerFiles := f.comp, f.in, f.out, f.fds
	f.comp = e.newComponent()
	f.comp.join(f.stdio)
	line := 0
	if c != nil {
		line = lineOf(c)
	}
	e.changes.begin()
	var args []word
	defer func() {
		e.end(f, line)
		f.comp, f.in, f.out = outerComp, outerIn, outerOut
		if len(args) != 1 || args[0].text != "exec" { // which alone opens files for what follows
			f.fds = outerFiles
		}
	}()

	if c != nil {
		args = e.fields(f, c.Args)
	}
	e.redirects(f, redirs)
	if c == nil {
		return
	}
	if len(args) == 0 {
		for _, a := range c.Assigns {
			e.assign(f, a, false)
		}
		return
	}
	for _, a := range args {
		f.comp.join(a.data)
	}
	set := e.prefixAssignments(f, c.Assigns, line)
	e.run(f, args, line, set)
}

// severalValues finds a variable with alternatives that a command uses.
func (f *frame) severalValues(c *syntax.CallExpr, redirs []*syntax.Redirect) (name string, vals []word) {
	any := false
	for _, v := range f.vars {
		any = any || !v.array && len(v.vals) > 1
	}
	if !any {
		return "", nil
	}
	look := func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && name == "" {
			if v := f.vars[p.Param.Value]; !v.array && len(v.vals) > 1 {
				name, vals = p.Param.Value, v.vals
			}
		}
		return name == ""
	}
	if c != nil {
		syntax.Walk(c, look)
	}
	for _, r := range redirs {
		if r.Word != nil {
			syntax.Walk(r.Word, look)
		}
	}
	return name, vals
}

// callEach analyses a command once for each value that a variable may have.
func (e *engine) callEach(f *frame, c *syntax.CallExpr, redirs []*syntax.Redirect, name string, vals []word) {
	v := f.vars[name]
	outer := f.ways
	defer func() { f.ways = outer }()
	if f.ways = max(f.ways, 1) * len(vals); f.ways > 64 { // many variables with alternatives: one that is not known
		all := word{text: hole}
		for _, w := range vals {
			all.data = joined(all.data, w.data)
		}
		vals = []word{all}
	}
	e.branches(f, func() (ways []func(*frame)) {
		for _, w := range vals {
			ways = append(ways, func(b *frame) {
				b.vars[name] = variable{vals: []word{w}, exported: v.exported, told: v.told}
				e.call(b, c, redirs)
			})
		}
		return ways
	}()...)
}

// prefixAssignments evaluates the assignments in front of a command: they go to that command's environment.
func (e *engine) prefixAssignments(f *frame, as []*syntax.Assign, line int) map[string]word {
	if len(as) == 0 {
		return nil
	}
	set := map[string]word{}
	for _, a := range as {
		if a.Name == nil {
			continue
		}
		w := e.literal(f, a.Value)
		f.comp.join(w.data)
		set[a.Name.Value] = w
	}
	return set
}

func (e *engine) assign(f *frame, a *syntax.Assign, export bool) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	old := f.vars[name]
	v := variable{exported: old.exported || export, evaluated: old.evaluated}
	switch {
	case a.Array != nil:
		v.array = true
		if a.Append {
			v.elems = slices.Clone(old.elems)
		}
		for _, el := range a.Array.Elems {
			if el.Index != nil {
				e.arithmetic(f, el.Index)
			}
			if el.Value == nil {
				continue
			}
			if el.Index != nil {
				v.elems = append(v.elems, e.literal(f, el.Value))
			} else {
				v.elems = append(v.elems, e.fields(f, []*syntax.Word{el.Value})...)
			}
		}
		if len(v.elems) > maxFields {
			v.elems = []word{{text: hole}}
		}
	case a.Naked:
		v = old
		v.exported = v.exported || export
		if _, ok := f.vars[name]; !ok && !export {
			v.vals = []word{{}}
		} else if !ok {
			return // exporting what the environment already has changes nothing
		}
	default:
		w := e.literal(f, a.Value)
		if a.Index != nil {
			e.arithmetic(f, a.Index)
			v.array = true
			v.elems = append(slices.Clone(old.elems), w)
			break
		}
		if a.Append {
			o := old.one()
			w = word{text: cut(o.text + w.text), data: joined(o.data, w.data)}
		}
		e.assignedEvaluated(f, name, v.evaluated, w, lineOf(a))
		v.vals = []word{w}
	}
	f.vars[name] = v
	if name == "PATH" {
		f.path = f.splitPath(v.one())
	}
	if name == "PS4" && strings.ContainsAny(v.one().text, "$`") {
		e.variableRuns(f, name, v.one(), lineOf(a))
	}
}

// declare handles export, declare, local, readonly and typeset.
func (e *engine) declare(f *frame, d *syntax.DeclClause) {
	export, options := d.Variant.Value == "export", ""
	for _, a := range d.Args {
		if a.Naked && a.Name == nil {
			for _, w := range e.fields(f, []*syntax.Word{a.Value}) {
				name, val, has := strings.Cut(w.text, "=")
				switch {
				case strings.HasPrefix(w.text, "-"):
					export = export || strings.Contains(w.text, "x") && d.Variant.Value != "local"
					options += w.text
				case has:
					e.declaredEvaluated(f, word{text: name}, word{text: val, data: w.data}, options, lineOf(a))
					f.vars[name] = variable{vals: []word{{text: val, data: w.data}}, exported: export}
				}
			}
			continue
		}
		e.assign(f, a, export)
		if v := f.vars[a.Name.Value]; strings.ContainsAny(options, "in") {
			e.declaredEvaluated(f, word{}, v.one(), options, lineOf(a))
			v.evaluated = true
			f.vars[a.Name.Value] = v
		} else if options != "" {
			e.declaredEvaluated(f, word{}, v.one(), options, lineOf(a))
		}
	}
}

// run analyses an argument vector: functions, builtins, then programs.
func (e *engine) run(f *frame, args []word, line int, set map[string]word) {
	name := args[0]
	if text, ok := f.aliases[name.text]; ok && name.known() { // whether aliases are on depends on the shell and its options
		b := f.fork()
		b.aliases = maps.Clone(f.aliases)
		delete(b.aliases, name.text)
		for _, a := range args[1:] {
			q, err := syntax.Quote(shellUnknown(a.text), syntax.LangBash)
			if err != nil {
				q = "${" + unknownName + "}"
			}
			text.text += " " + q
		}
		e.evalText(b, text, line, "shell/alias")
	}
	if fn, ok := f.funcs[name.text]; ok && name.known() {
		if fn.or == nil {
			e.callFunction(f, fn, args, set)
			return
		}
		var ways []func(*frame)
		for x, n := &fn, 0; x != nil && n < 8; x, n = x.or, n+1 {
			ways = append(ways, func(b *frame) { e.callFunction(b, *x, args, set) })
		}
		e.branches(f, ways...)
		return
	}
	if name.known() && isBuiltin(name.text) {
		if e.builtin(f, args, line, set) {
			return
		}
	}
	e.program(f, args, line, set)
}

func (e *engine) callFunction(f *frame, fn function, args []word, set map[string]word) {
	name, depth := args[0].text+"\x00", 0
	for _, c := range f.calls {
		if strings.HasPrefix(c, name) {
			depth++
		}
	}
	if depth > 2 { // whatever it is given in the end
		args = []word{args[0], {text: hole}}
	}
	key := name + argKey(args)
	if slices.Contains(f.calls, key) || len(f.calls) > 40 {
		return // a recursive call with the same words does nothing that the first one does not
	}
	c := *f
	c.calls = append(slices.Clone(f.calls), key)
	c.openParams = depth > 2
	c.params = append([]word{f.params[0]}, args[1:]...)
	c.from, c.lineBase = fn.from, fn.base
	c.stdio = f.comp
	c.comp = nil
	for k, v := range set {
		c.set(k, v)
	}
	e.stmt(&c, fn.body)
	// A function changes its caller's variables and directory; "return" ends the function alone.
	f.vars, f.funcs, f.dir, f.path = c.vars, c.funcs, c.dir, c.path
	if c.out != nil {
		f.out = c.out
	}
}

// print adds to what a substitution or pipe collects; a command whose output is unknown adds a hole.
func (f *frame) print(w word) {
	if f.out == nil {
		return
	}
	f.out.text = cut(f.out.text + w.text)
	f.out.data = joined(f.out.data, w.data)
}

// exports notes the variables that a child process gets and its parent did not have.
func (e *engine) exports(f *frame, set map[string]word, line int) {
	for name, v := range f.vars {
		if v.exported && !v.told {
			v.told = true
			f.vars[name] = v
			e.setVariable(f, name, v.one(), line)
		}
	}
	for name, w := range set {
		e.setVariable(f, name, w, line)
	}
}

func (e *engine) setVariable(f *frame, name string, w word, line int) {
	if strings.HasPrefix(name, "BASH_FUNC_") {
		e.variableRuns(f, name, w, line)
	}
	r, err := effect.New(effect.EnvKind, name)
	if err != nil || e.env[name] == w.text && w.text != "" {
		return
	}
	e.note(f, effect.Environment, effect.Write, effect.Exactly(r), f.source(line, "shell/environment"))
	e.variableRuns(f, name, w, line)
}

// program analyses the start of a program that is not part of the shell.
func (e *engine) program(f *frame, args []word, line int, set map[string]word) {
	name := args[0]
	src := f.source(line, "shell/command")
	title := commandTitle(args)
	c := f.child(title, src)
	c.args = nil
	e.changes.begin()
	defer func() {
		e.end(c, line)
		f.ended, f.out = f.ended || c.ended, c.out
	}()
	e.exports(c, set, line)
	if set != nil {
		vars := make(map[string]variable, len(f.vars)+len(set))
		for k, v := range f.vars {
			vars[k] = v
		}
		c.vars = vars
		for k, w := range set {
			c.vars[k] = variable{vals: []word{w}, exported: true, told: true}
			if k == "PATH" {
				c.path = c.splitPath(w)
			}
		}
	}
	if !name.known() {
		e.note(c, effect.Process, effect.Exec, effect.Any(effect.ExeKind), src)
		e.unknown(c, src, "the program's name is not known before it runs: "+show(name.text))
		c.print(word{text: hole})
		return
	}
	p := e.find(c, name.text)
	e.note(c, effect.Process, effect.Exec, p.pattern(), src)
	e.runFound(c, p, args, line)
}

// found is a program that a name was resolved to.
type found struct {
	name  string // base name, for models
	path  string // absolute, links resolved; empty where nothing was found
	link  string // absolute, as found on PATH
	own   bool   // it belongs to the workspace: what it is called says nothing
	hides bool   // it stands in front of a program of the same name outside the workspace
}

func (p found) pattern() effect.Pattern {
	text := p.path
	if text == "" {
		text = p.name
	}
	r, err := effect.Name(effect.ExeKind, text)
	if err != nil {
		return effect.Any(effect.ExeKind)
	}
	return effect.Exactly(r)
}

// find resolves a program's name as execvp(3) does, with the frame's PATH.
func (e *engine) find(f *frame, name string) found {
	if strings.Contains(name, "/") {
		p := found{name: path.Base(name), link: f.abs(name)}
		if r, err := e.resolve(f.dir, name, true); err == nil {
			p.path = r
			p.own = workspace.Within(r, e.workspace) || workspace.Within(path.Clean(p.link), e.workspace)
		}
		return p
	}
	p := found{name: name}
	for _, d := range f.path {
		if strings.Contains(d, hole) {
			continue
		}
		if d == "" {
			d = "."
		}
		link := f.abs(d) + "/" + name
		if !e.fs.Executable(link) {
			continue
		}
		r, err := e.resolve("/", link, true)
		if err != nil {
			continue
		}
		own := workspace.Within(r, e.workspace) || workspace.Within(path.Clean(link), e.workspace)
		if p.link == "" {
			p.path, p.link, p.own = r, path.Clean(link), own
			if !own {
				return p
			}
			continue
		}
		if !own {
			p.hides = true
			return p
		}
	}
	return p
}

// commandTitle is the command as people would type it, with holes shown as "…".
func commandTitle(args []word) string {
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		t := show(a.text)
		if q, err := syntax.Quote(t, syntax.LangBash); err == nil && !strings.Contains(t, "…") {
			t = q
		}
		b.WriteString(t)
		if b.Len() > 400 {
			b.WriteString(" …")
			break
		}
	}
	return b.String()
}

// show is text with its holes visible.
func show(s string) string { return strings.ReplaceAll(s, hole, "…") }
