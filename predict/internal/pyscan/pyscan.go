// Package pyscan says what a Python program does, by what it imports and calls. It refuses
// to run it: it follows the code from the top with abstract values, and a function counts
// only when something that runs calls it.
package pyscan

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

type (
	val    = script.Val
	native = script.Native
	args   = script.Args
	eval   = script.Eval
)

func nat(path string) *native { return &native{Path: path} }

// Program reports what happens when entry is run by python, following imports of modules
// beside it through fs. An error means that entry itself could not be read.
func Program(fs script.FS, entry string, opts script.Options) ([]script.FileFindings, error) {
	l := &lang{Place: script.Place{Dir: opts.Dir}, modules: map[string]*module{}}
	ev := script.NewEval(fs, l, opts)
	src := opts.Source
	if len(src) == 0 {
		if fs.IsDir(entry) { // python DIR runs its __main__
			entry = path.Join(entry, "__main__.py")
		}
		b, err := ev.ReadSource(entry)
		if err != nil {
			return nil, err
		}
		src = b
	}
	l.search = []string{path.Dir(entry)}
	if entry == "" {
		l.search = nil
	}
	m := &module{path: entry, name: "__main__", pkg: l.packageOf(ev, entry)}
	l.modules[entry] = m
	l.entry = m
	l.evaluate(ev, m, src)
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

// lang is Python for the evaluator.
type lang struct {
	script.Place
	modules     map[string]*module
	search      []string // where modules are looked for
	entry       *module
	nesting     int
	options     []option // of argparse
	subs        []string // its subcommands
	subDest     string   // where their name is stored
	defaults    []setting
	optionsOpen bool // there are options that are not known
}

// module is one file of the program, or a package folder.
type module struct {
	path   string
	name   string
	pkg    string // the folder that its relative imports start from
	scope  *script.Scope
	failed bool
}

func (l *lang) Python() bool { return true }

// packageOf is the folder of the package that a file belongs to.
func (l *lang) packageOf(ev *eval, file string) string { return path.Dir(file) }

func (l *lang) evaluate(ev *eval, m *module, src []byte) {
	list, err := parse(string(src))
	file := ev.NewFile(m.path)
	file.Module = m
	globals := map[string]val{"__name__": m.name, "__doc__": script.NewUnk(), "__package__": script.NewUnk()}
	if m.path != "" {
		globals["__file__"] = m.path
		globals["__path__"] = ev.NewArr(path.Dir(m.path))
	}
	ev.InModule(file, globals, script.Undef{}, func(scope *script.Scope) {
		m.scope = scope
		if err != nil {
			ev.Line = int(err.line)
			ev.Unknown("syntax that is not understood: " + err.Error())
		}
		ev.Run(list)
	})
}

// load returns the module in a file, evaluating it the first time.
func (l *lang) load(ev *eval, file, name string) *module {
	if m, ok := l.modules[file]; ok {
		return m
	}
	m := &module{path: file, name: name, pkg: path.Dir(file)}
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
	l.evaluate(ev, m, src)
	ev.Survive()
	return m
}

// value is the module as a value of the program.
func (m *module) value() val { return &native{Path: "\x00module", Recv: m} }

// member is a name in a module, or its submodule.
func (l *lang) member(ev *eval, m *module, name string) (val, bool) {
	if m.scope != nil {
		if v, ok := m.scope.Var(name); ok {
			return v, true
		}
	}
	if path.Base(m.path) == "__init__.py" || strings.HasSuffix(m.path, "/") {
		if sub := l.find(ev, path.Dir(m.path), name, m.name+"."+name); sub != nil {
			return sub.value(), true
		}
	}
	if m.failed {
		return script.NewUnk(), true
	}
	return nil, false
}

// find loads module name (one part) from a folder; nil where it is not there.
func (l *lang) find(ev *eval, dir, name, full string) *module {
	base := path.Join(dir, name)
	if init := path.Join(base, "__init__.py"); ev.FS.Exists(init) {
		return l.load(ev, init, full)
	}
	if file := base + ".py"; ev.FS.Exists(file) && !ev.FS.IsDir(file) {
		return l.load(ev, file, full)
	}
	if ev.FS.IsDir(base) && l.hasPython(ev, base) {
		if m, ok := l.modules[base+"/"]; ok {
			return m
		}
		m := &module{path: base + "/", name: full, pkg: base}
		l.modules[base+"/"] = m
		return m
	}
	return nil
}

// hasPython tells a namespace package from any other folder of that name.
func (l *lang) hasPython(ev *eval, dir string) bool {
	return ev.FS.Exists(path.Join(dir, "__main__.py")) || !ev.FS.Exists(path.Join(dir, "package.json"))
}

// resolve loads a dotted module. first is its first part's value, last the module itself;
// a nil last means that it is not a module of the program.
func (l *lang) resolve(ev *eval, from *module, spec string) (first, last *module) {
	dirs := l.search
	rest := strings.TrimLeft(spec, ".")
	if dots := len(spec) - len(rest); dots > 0 {
		dir := from.pkg
		for ; dots > 1; dots-- {
			dir = path.Dir(dir)
		}
		dirs = []string{dir}
		if rest == "" {
			if m := l.modules[path.Join(dir, "__init__.py")]; m != nil {
				return m, m
			}
			m := &module{path: dir + "/", name: path.Base(dir), pkg: dir}
			return m, m
		}
	} else if standard(rest) && !l.shadows(ev, from, rest) {
		return nil, nil
	}
	parts := strings.Split(rest, ".")
	for _, d := range dirs {
		m := l.find(ev, d, parts[0], parts[0])
		if m == nil {
			continue
		}
		first, last = m, m
		for _, part := range parts[1:] {
			if last = l.find(ev, path.Dir(last.path), part, last.name+"."+part); last == nil {
				return first, nil
			}
		}
		return first, last
	}
	return nil, nil
}

// shadows reports a module beside the script that hides one of the standard library.
func (l *lang) shadows(ev *eval, from *module, name string) bool {
	name, _, _ = strings.Cut(name, ".")
	for _, d := range l.search {
		if ev.FS.Exists(path.Join(d, name+".py")) {
			return true
		}
	}
	return false
}

// Import evaluates an import statement, or importlib's spec.
func (l *lang) Import(ev *eval, n *node, spec val) val {
	from, _ := ev.File.Module.(*module)
	if from == nil {
		return script.Undef{}
	}
	first, last := l.resolve(ev, from, n.Str)
	if n.A != nil { // import a.b [as c]
		v := l.found(ev, n.Str, first, last, n.Opt)
		if ev.Halted() {
			return script.Undef{}
		}
		ev.Define(n.A.Str, v, nil)
		return v
	}
	for _, a := range n.List {
		if a.Str == "*" {
			l.importAll(ev, n.Str, last)
			continue
		}
		v := l.importName(ev, n.Str, a.Str, first, last)
		if ev.Halted() {
			return script.Undef{}
		}
		ev.Define(a.A.Str, v, nil)
	}
	return script.Undef{}
}

// found is the value that import a.b binds: a, or with "as" the module itself.
func (l *lang) found(ev *eval, spec string, first, last *module, whole bool) val {
	if last != nil {
		ev.Emit(script.Finding{Kind: script.Import, Rule: "py/import", Target: script.Known(last.path)})
		if whole {
			return last.value()
		}
		return first.value()
	}
	if first != nil {
		return first.value()
	}
	l.external(ev, spec)
	if whole {
		return nat(spec)
	}
	head, _, _ := strings.Cut(spec, ".")
	return nat(head)
}

func (l *lang) importName(ev *eval, spec, name string, first, last *module) val {
	if last == nil {
		if first == nil {
			l.external(ev, spec)
		}
		return nat(strings.TrimLeft(spec, ".") + "." + name)
	}
	ev.Emit(script.Finding{Kind: script.Import, Rule: "py/import", Target: script.Known(last.path)})
	if v, ok := l.member(ev, last, name); ok {
		return v
	}
	if strings.HasSuffix(last.path, "/") || path.Base(last.path) == "__init__.py" {
		if sub := l.find(ev, path.Dir(last.path), name, last.name+"."+name); sub != nil {
			return sub.value()
		}
	}
	if last.scope == nil && !last.failed { // a folder has only modules
		l.external(ev, strings.TrimSuffix(spec, ".")+"."+name)
	}
	return script.NewUnk()
}

func (l *lang) importAll(ev *eval, spec string, m *module) {
	if m == nil {
		l.external(ev, spec)
		l.starred(ev, spec)
		return
	}
	ev.Emit(script.Finding{Kind: script.Import, Rule: "py/import", Target: script.Known(m.path)})
	if m.scope == nil {
		return
	}
	for _, name := range m.scope.Names() {
		if strings.HasPrefix(name, "_") {
			continue
		}
		if v, ok := m.scope.Var(name); ok {
			ev.Define(name, v, nil)
		}
	}
}

// starred remembers from X import * of a library: unknown names are looked up in it.
func (l *lang) starred(ev *eval, spec string) {
	for _, name := range tableNames(spec) {
		ev.Define(name, nat(spec+"."+name), nil)
	}
}

// external reports an import that is not followed; what no table describes is unknown.
func (l *lang) external(ev *eval, spec string) {
	ev.Emit(script.Finding{Kind: script.Import, Rule: "py/import", Target: script.Known(spec)})
	if strings.HasPrefix(spec, ".") {
		ev.Fallible++
		if ev.InTry() {
			ev.Throw()
			return
		}
		ev.Emit(script.Finding{Kind: script.Unknown, Rule: "py/import", Why: "the module " + spec + " is not there", Could: script.All(), Target: script.Known(spec)})
		return
	}
	head, _, _ := strings.Cut(spec, ".")
	if standard(head) {
		return
	}
	ev.Fallible++ // it may not be installed
	if described(head) {
		return
	}
	ev.Emit(script.Finding{Kind: script.Unknown, Rule: "py/import", Why: "the module " + spec + " is not followed", Could: script.All(), Target: script.Known(spec)})
}

// Export does not occur in Python.
func (l *lang) Export(*eval, *node) {}

// Helper knows no generated functions in Python.
func (l *lang) Helper(*eval, string, args) (val, bool) { return nil, false }

// standard tells the modules of the standard library.
func standard(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	switch name {
	case "__future__", "_thread", "abc", "aifc", "argparse", "array", "ast", "asyncio", "atexit", "base64", "bdb", "binascii", "bisect", "builtins", "bz2",
		"calendar", "cgi", "cmath", "cmd", "code", "codecs", "codeop", "collections", "colorsys", "compileall", "concurrent", "configparser", "ConfigParser", "contextlib",
		"contextvars", "copy", "copyreg", "cProfile", "csv", "ctypes", "curses", "dataclasses", "datetime", "dbm", "decimal", "difflib", "dis", "distutils",
		"doctest", "email", "encodings", "ensurepip", "enum", "errno", "faulthandler", "fcntl", "filecmp", "fileinput", "fnmatch", "fractions", "ftplib",
		"functools", "gc", "getopt", "getpass", "gettext", "glob", "graphlib", "grp", "gzip", "hashlib", "heapq", "hmac", "html", "http", "httplib", "imaplib", "imp",
		"importlib", "inspect", "io", "ipaddress", "itertools", "json", "keyword", "linecache", "locale", "logging", "lzma", "mailbox", "marshal", "math",
		"mimetypes", "mmap", "modulefinder", "multiprocessing", "netrc", "nntplib", "numbers", "operator", "optparse", "os", "pathlib", "pdb", "pickle",
		"pickletools", "pipes", "pkgutil", "platform", "plistlib", "poplib", "posix", "posixpath", "pprint", "profile", "pstats", "pty", "pwd", "py_compile",
		"pyclbr", "pydoc", "queue", "Queue", "quopri", "random", "re", "readline", "reprlib", "resource", "runpy", "sched", "secrets", "select", "selectors", "shelve",
		"shlex", "shutil", "signal", "site", "smtplib", "sndhdr", "socket", "socketserver", "sqlite3", "ssl", "stat", "statistics", "string", "stringprep",
		"struct", "subprocess", "symtable", "sys", "sysconfig", "syslog", "tarfile", "telnetlib", "tempfile", "termios", "textwrap", "threading", "time",
		"timeit", "tkinter", "token", "tokenize", "tomllib", "trace", "traceback", "tracemalloc", "tty", "turtle", "types", "typing", "unicodedata", "unittest",
		"urllib", "urllib2", "urlparse", "uuid", "venv", "warnings", "wave", "weakref", "webbrowser", "winreg", "wsgiref", "xml", "xmlrpc", "zipapp", "zipfile", "zipimport",
		"zlib", "zoneinfo", "StringIO", "cStringIO", "cPickle", "commands", "io_":
		return true
	}
	return false
}
