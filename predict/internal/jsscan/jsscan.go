// Package jsscan says what a JavaScript or TypeScript program does, by what it imports and
// calls. It refuses to run it: it follows the code from the top with abstract values, and a
// function counts only when something that runs calls it.
package jsscan

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// Program reports what happens when entry is run by node, following require, import and
// import() through fs. An error means that entry itself could not be read.
func Program(fs script.FS, entry string, opts script.Options) ([]script.FileFindings, error) {
	l := &lang{modules: map[string]*module{}, manifests: map[string]manifest{}, Place: script.Place{Dir: opts.Dir}}
	ev := script.NewEval(fs, l, opts)
	if len(opts.Source) > 0 {
		l.run(ev, entry, opts.Source)
	} else {
		if found, ok := l.file(ev, entry); ok {
			entry = found
		}
		src, err := ev.ReadSource(entry)
		if err != nil {
			return nil, err
		}
		l.run(ev, entry, src)
	}
	ev.RunQueue()
	return ev.Findings(), nil
}

// Scan reports what one source text does by itself; its imports are named, not followed.
func Scan(src []byte, opts script.Options) []script.Finding {
	opts.Source = src
	if len(src) == 0 {
		return nil
	}
	list, err := Program(script.NoFiles{}, "", opts)
	if err != nil || len(list) == 0 {
		return nil
	}
	return list[0].Findings
}

// lang is JavaScript for the evaluator.
type lang struct {
	modules   map[string]*module
	manifests map[string]manifest
	script.Place
	nesting int
	workers int // worker threads around the code that is followed
}

// module is one file of the program.
type module struct {
	path    string
	obj     *script.Obj // module, with its exports
	exports *script.Obj // the namespace of an ES module
	esm     bool
	scope   *script.Scope
	values  script.Val // a JSON module
	failed  bool
}

func (l *lang) Python() bool { return false }

// run evaluates the entry file.
func (l *lang) run(ev *script.Eval, name string, src []byte) {
	m := &module{path: name}
	l.modules[name] = m
	l.evaluate(ev, m, src)
}

// syntaxOf tells TypeScript and JSX by the file's extension.
func syntaxOf(name string) (ts, jsx bool) {
	switch path.Ext(name) {
	case ".ts", ".mts", ".cts":
		return true, false
	case ".tsx":
		return true, true
	}
	return false, true
}

func (l *lang) evaluate(ev *script.Eval, m *module, src []byte) {
	ts, jsx := syntaxOf(m.path)
	list, text, err := parse(src, ts, jsx)
	file := ev.NewFile(m.path)
	file.Module = m
	m.esm = text.esm
	m.obj = ev.NewObj()
	exports := ev.NewObj()
	m.obj.Put("exports", exports)
	m.obj.Put("require", nat("require"))
	m.obj.Put("constructor", nat("module"))
	m.exports = exports
	globals := map[string]script.Val{}
	var this script.Val = script.Undef{}
	if !m.esm || path.Ext(m.path) != ".mjs" {
		globals["module"] = m.obj
		globals["exports"] = exports
		globals["require"] = &script.Native{Path: "require"}
		this = exports
	}
	if m.path != "" {
		globals["__filename"] = m.path
		globals["__dirname"] = path.Dir(m.path)
	}
	ev.InModule(file, globals, this, func(scope *script.Scope) {
		m.scope = scope
		if err != nil {
			if se, ok := err.(*syntaxError); ok {
				ev.Line = int(se.line)
			}
			ev.Unknown("syntax that is not understood: " + err.Error())
		}
		if m.esm {
			for _, n := range list { // imports come first
				if n.Op == script.OpImportFrom || n.Op == script.OpExportFrom {
					ev.Run([]*node{n})
				}
			}
			kept := list[:0:0]
			for _, n := range list {
				if n.Op != script.OpImportFrom && n.Op != script.OpExportFrom && !(n.Op == script.OpBad && err != nil) {
					kept = append(kept, n)
				}
			}
			l.hoistExports(ev, m, kept)
			ev.Run(kept)
			return
		}
		if err != nil && len(list) > 0 && list[len(list)-1].Op == script.OpBad {
			list = list[:len(list)-1]
		}
		ev.Run(list)
	})
}

// hoistExports makes exported names readable before their statement, for import cycles.
func (l *lang) hoistExports(ev *script.Eval, m *module, list []*node) {
	get := func(name string) script.Val {
		return &script.Accessor{Get: &script.Go{Do: func(*script.Eval, script.Val, script.Args) script.Val {
			if v, ok := m.scope.Var(name); ok {
				return v
			}
			return script.Undef{}
		}}}
	}
	for _, n := range list {
		if n.Op != script.OpExport {
			continue
		}
		for _, a := range n.List {
			if a.Str != "default" && a.A.Op == script.OpName {
				m.exports.Put(a.Str, get(a.A.Str))
			}
			if a.Str == "default" && a.A.Op == script.OpFunc && a.A.Fn.Name != "" {
				m.exports.Put("default", get(a.A.Fn.Name))
			}
		}
		if n.A == nil {
			continue
		}
		switch n.A.Op {
		case script.OpFunc:
			m.exports.Put(n.A.Fn.Name, get(n.A.Fn.Name))
		case script.OpClass:
			m.exports.Put(n.A.Str, get(n.A.Str))
		case script.OpVar:
			for _, d := range n.A.List {
				for _, name := range boundNames(d.A, nil) {
					m.exports.Put(name, get(name))
				}
			}
		}
	}
}

// boundNames are the names that a pattern binds.
func boundNames(p *node, names []string) []string {
	switch p.Op {
	case script.OpName:
		return append(names, p.Str)
	case script.OpAssign, script.OpSpread:
		return boundNames(p.A, names)
	case script.OpArray:
		for _, c := range p.List {
			names = boundNames(c, names)
		}
	case script.OpObject:
		for _, c := range p.List {
			if c.Op == script.OpProp {
				names = boundNames(c.B, names)
			} else {
				names = boundNames(c, names)
			}
		}
	}
	return names
}

// Export evaluates an export declaration.
func (l *lang) Export(ev *script.Eval, n *node) {
	m, ok := ev.File.Module.(*module)
	if !ok {
		return
	}
	if n.A != nil {
		ev.Run([]*node{n.A})
		return
	}
	for _, a := range n.List {
		switch {
		case a.Str == "export=":
			m.obj.Put("exports", ev.Eval(a.A))
		case a.Str == "default":
			if a.A.Op == script.OpFunc && a.A.Fn.Name != "" && a.A.Opt || a.A.Op == script.OpClass && a.A.Str != "" && a.A.Opt {
				ev.Run([]*node{a.A})
				name := a.A.Str
				if a.A.Op == script.OpFunc {
					name = a.A.Fn.Name
				}
				if v, ok := m.scope.Var(name); ok {
					m.exports.Put("default", v)
				} else {
					m.exports.Put("default", ev.Eval(a.A))
				}
				continue
			}
			m.exports.Put("default", ev.Eval(a.A))
		}
	}
}

// load returns the module at a path, evaluating it the first time.
func (l *lang) load(ev *script.Eval, file string) *module {
	if m, ok := l.modules[file]; ok {
		return m
	}
	m := &module{path: file}
	l.modules[file] = m
	if ev.OverBudget() {
		ev.Unknown("more modules than the analysis budget follows")
		m.failed = true
		return m
	}
	src, err := ev.ReadSource(file)
	if err != nil {
		ev.Unknown("cannot read " + file + ": " + err.Error())
		m.failed = true
		return m
	}
	if path.Ext(file) == ".json" {
		m.values = ev.ParseJSON(string(src))
		return m
	}
	l.evaluate(ev, m, src)
	ev.Survive()
	return m
}

// namespace is the module as import * sees it, exported what require returns.
func (m *module) namespace(ev *script.Eval) script.Val {
	if m.failed {
		return script.NewUnk()
	}
	if m.values != nil {
		o := ev.NewObj()
		o.Put("default", m.values)
		return o
	}
	if m.esm {
		return m.exports
	}
	exports, _ := m.obj.Own("exports")
	o := ev.NewObj()
	if x, ok := exports.(*script.Obj); ok {
		for _, k := range x.Keys {
			v, _ := x.Own(k)
			o.Put(k, v)
		}
		o.Open = x.Open
		o.Base = x.Base
	} else {
		ev.Assign(o, exports)
	}
	o.Put("default", exports)
	return o
}

func (m *module) exported() script.Val {
	switch {
	case m.failed:
		return script.NewUnk()
	case m.values != nil:
		return m.values
	case m.esm:
		if v, ok := m.obj.Own("exports"); ok && v != script.Val(m.exports) {
			return v // export =
		}
		return m.exports
	}
	v, _ := m.obj.Own("exports")
	return v
}

// imported is the name of an import statement in a module.
func (m *module) imported(ev *script.Eval, name string) script.Val {
	switch {
	case m.failed:
		return script.NewUnk()
	case m.esm:
		if _, ok := m.exports.Own(name); !ok && m.exports.Open {
			return script.NewUnk()
		}
		return ev.Get(m.exports, name)
	case name == "default":
		return m.exported()
	}
	return ev.Get(m.exported(), name)
}

// Import evaluates import and export-from statements, and import(spec).
func (l *lang) Import(ev *script.Eval, n *node, spec script.Val) script.Val {
	if n.Op == script.OpImport {
		return l.dynamicImport(ev, spec)
	}
	var get func(name string) script.Val
	m, native := l.resolveModule(ev, n.Str, true)
	switch {
	case m != nil:
		get = func(name string) script.Val {
			if name == "*" {
				return m.namespace(ev)
			}
			return m.imported(ev, name)
		}
	default:
		get = func(name string) script.Val {
			if name == "*" || name == "default" {
				return native
			}
			return ev.Get(native, name)
		}
	}
	if n.Op == script.OpImportFrom {
		for _, a := range n.List {
			name := a.Str
			ev.Define(a.A.Str, script.Undef{}, func() script.Val { return get(name) })
		}
		return script.Undef{}
	}
	self, _ := ev.File.Module.(*module)
	if self == nil {
		return script.Undef{}
	}
	for _, a := range n.List {
		name := a.A.Str
		self.exports.Put(a.Str, &script.Accessor{Get: &script.Go{Do: func(*script.Eval, script.Val, script.Args) script.Val { return get(name) }}})
	}
	if len(n.List) == 0 {
		l.exportAll(ev, self, m, native)
	}
	return script.Undef{}
}

func (l *lang) exportAll(ev *script.Eval, self, m *module, native script.Val) {
	if m == nil {
		if self.exports.Base == nil {
			self.exports.Base = native
		}
		return
	}
	ns, ok := m.namespace(ev).(*script.Obj)
	if !ok {
		self.exports.Open = true
		return
	}
	for _, k := range ns.Keys {
		if _, has := self.exports.Own(k); has || k == "default" {
			continue
		}
		v, _ := ns.Own(k)
		self.exports.Put(k, v)
	}
	self.exports.Open = self.exports.Open || ns.Open
}

func (l *lang) dynamicImport(ev *script.Eval, spec script.Val) script.Val {
	var v script.Val
	for _, s := range script.Values(spec) {
		if !s.Known {
			l.unknownModule(ev, s)
			v = script.Join(v, script.NewUnk())
			continue
		}
		m, native := l.resolveModule(ev, s.Text, true)
		if ev.Halted() {
			return script.NewUnk()
		}
		if m != nil {
			v = script.Join(v, m.namespace(ev))
		} else {
			v = script.Join(v, native)
		}
	}
	return v
}

// require evaluates require(spec).
func (l *lang) require(ev *script.Eval, spec script.Val) script.Val {
	var v script.Val
	for _, s := range script.Values(spec) {
		if !s.Known {
			l.unknownModule(ev, s)
			v = script.Join(v, script.NewUnk())
			continue
		}
		m, native := l.resolveModule(ev, s.Text, false)
		if ev.Halted() {
			return script.NewUnk()
		}
		if m != nil {
			v = script.Join(v, m.exported())
		} else {
			v = script.Join(v, native)
		}
	}
	return v
}

func (l *lang) unknownModule(ev *script.Eval, spec script.Value) {
	if strings.HasSuffix(spec.Text, ".json") || strings.HasSuffix(spec.Text, ".node") && l.addon(ev) {
		return
	}
	ev.Unknown("a module whose name is computed")
}

// addon reports native code; it returns true.
func (l *lang) addon(ev *script.Eval) bool {
	ev.Unknown("native code: an addon is loaded")
	return true
}

// resolveModule finds what spec names from the file being followed. Exactly one of its
// results is set, but for a module that does not exist: then the code throws.
func (l *lang) resolveModule(ev *script.Eval, spec string, esm bool) (*module, script.Val) {
	if name, ok := builtin(spec); ok {
		ev.Emit(script.Finding{Kind: script.Import, Rule: "js/import", Target: script.Known("node:" + name)})
		return nil, &script.Native{Path: canonical(name)}
	}
	from := ev.File.Path
	if name := packageName(spec); name != "" && tabled(name) {
		if ev.InTry() && from != "" && strings.Contains(from, "/node_modules/") {
			if _, ok := l.resolve(ev, from, spec, esm); !ok {
				ev.Throw() // an optional package that is not installed
				return nil, script.NewUnk()
			}
		}
		ev.Emit(script.Finding{Kind: script.Import, Rule: "js/import", Target: script.Known(spec)})
		l.loaded(ev, name)
		return nil, &script.Native{Path: packagePath(spec)}
	}
	file, ok := l.resolve(ev, from, spec, esm)
	if !ok {
		if ev.InTry() || relative(spec) && from != "" {
			ev.Fallible++
			if !ev.InTry() {
				ev.Emit(script.Finding{Kind: script.Unknown, Rule: "js/import", Why: "the module " + spec + " is not there", Could: script.All(), Target: script.Known(spec)})
			}
			ev.Throw()
			return nil, script.NewUnk()
		}
		ev.Emit(script.Finding{Kind: script.Unknown, Rule: "js/import", Why: "the module " + spec + " is not installed", Could: script.All(), Target: script.Known(spec)})
		return nil, &script.Native{Path: packagePath(spec)}
	}
	ev.Emit(script.Finding{Kind: script.Import, Rule: "js/import", Target: script.Known(file)})
	if path.Ext(file) == ".node" {
		l.addon(ev)
		return nil, script.NewUnk()
	}
	if path.Ext(file) == ".wasm" {
		return nil, script.NewUnk()
	}
	return l.load(ev, file), nil
}

func relative(spec string) bool {
	return strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../") || strings.HasPrefix(spec, "/") || spec == "." || spec == ".."
}
