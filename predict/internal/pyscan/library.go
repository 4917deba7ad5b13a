package pyscan

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

func openList(ev *eval) val {
	arr := ev.NewArr()
	arr.Open = true
	return arr
}

func (l *lang) searchAlso(ev *eval, name string, a args) {
	i := 0
	if name == "path.insert" {
		i = 1
	}
	for _, p := range l.Paths(a.At(i)) {
		if p.Known && len(l.search) < 16 {
			l.search = append([]string{p.Text}, l.search...)
		}
	}
}

// special are functions of other modules that need more than the table says.
func (l *lang) special(ev *eval, n *native, a args) (val, bool) {
	switch n.Path {
	case "importlib.import_module", "importlib.__import__":
		return l.importText(ev, a), true
	case "importlib.util.spec_from_file_location", "imp.load_source", "runpy.run_path":
		i := 1
		if n.Path == "runpy.run_path" {
			i = 0
		}
		return l.runPath(ev, a.At(i)), true
	case "runpy.run_module":
		return l.importText(ev, a), true
	case "shlex.split":
		if s, ok := a.At(0).(string); ok && !strings.ContainsAny(s, `'"\`) {
			arr := ev.NewArr()
			for _, w := range strings.Fields(s) {
				arr.Add(w)
			}
			return arr, true
		}
		return openList(ev), true
	case "shlex.quote", "pipes.quote":
		return a.At(0), true
	case "shlex.join":
		return join(" ", a.At(0)), true
	case "platform.system":
		return "Linux", true
	case "platform.machine":
		if ev.Opts.Arch == "arm64" {
			return "aarch64", true
		}
		return "x86_64", true
	case "tempfile.gettempdir":
		return ev.Opts.Temp, true
	case "tempfile.mkdtemp", "tempfile.mkstemp", "tempfile.NamedTemporaryFile", "tempfile.TemporaryDirectory", "tempfile.TemporaryFile":
		return l.tempFile(ev, n.Path, a), true
	case "json.loads":
		if s, ok := a.At(0).(string); ok {
			return ev.ParseJSON(s), true
		}
		ev.Fallible++
		return script.NewUnk(), true
	case "json.load":
		if n, ok := a.At(0).(*native); ok && n.Path == "sys.stdin" {
			if s, ok := ev.Input().(string); ok {
				return ev.ParseJSON(s), true
			}
		}
		return script.NewUnk(), true
	case "asyncio.run", "asyncio.run_until_complete", "asyncio.ensure_future", "asyncio.create_task", "asyncio.get_event_loop().run_until_complete", "typing.cast":
		return a.At(0), true
	case "asyncio.create_subprocess_exec":
		l.exec(ev, "py/"+n.Path, a.List, a)
		return script.NewUnk(), true
	case "asyncio.create_subprocess_shell", "pty.spawn":
		l.shell(ev, "py/"+n.Path, a.At(0), a)
		return script.NewUnk(), true
	case "functools.partial":
		return partial(a), true
	case "functools.wraps", "functools.lru_cache", "functools.cache", "contextlib.contextmanager":
		return a.At(0), true
	}
	return l.later(ev, n, a)
}

// later goes on with functions that start something, connect or keep values.
func (l *lang) later(ev *eval, n *native, a args) (val, bool) {
	switch n.Path {
	case "setuptools.setup", "distutils.core.setup", "numpy.distutils.core.setup":
		l.setup(ev, n.Path, a)
		return script.NewUnk(), true
	case "threading.Thread", "multiprocessing.Process", "threading.Timer", "multiprocessing.Pool":
		l.thread(ev, a)
		return &native{Path: n.Path + "()"}, true
	case "http.client.HTTPConnection", "http.client.HTTPSConnection", "httplib.HTTPConnection", "httplib.HTTPSConnection":
		return &native{Path: n.Path + "()", Recv: a.Get("host", 0)}, true
	case "http.client.HTTPConnection().request", "http.client.HTTPSConnection().request", "httplib.HTTPConnection().request", "httplib.HTTPSConnection().request", "http.client.HTTPConnection().connect", "http.client.HTTPSConnection().connect":
		ev.Emit(script.Finding{Kind: script.Effect, Rule: "py/" + strings.ReplaceAll(n.Path, "()", ""), Class: "network", Access: "fetch", Target: script.OneValue(n.Recv)})
		return script.NewUnk(), true
	case "urllib.request.Request", "urllib2.Request":
		return a.Get("url", 0), true
	case "urllib.parse.urljoin", "urlparse.urljoin":
		return urlJoin(a.At(0), a.At(1)), true
	case "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "tarfile.open", "zipfile.ZipFile", "aiofiles.open", "gzip.GzipFile", "tarfile.TarFile.open":
		l.open(ev, "py/"+n.Path, a.At(0), a.Get("mode", 1))
		return &native{Path: strings.TrimSuffix(n.Path, ".open") + "()"}, true
	case "atexit.register", "signal.signal":
		i := 0
		if n.Path == "signal.signal" {
			return script.NewUnk(), true
		}
		f := a.At(i)
		ev.Later(func() { ev.Callback(f) })
		return f, true
	case "logging.basicConfig":
		switch name := a.Get("filename", 9).(type) {
		case script.Undef, script.Null:
		default:
			l.Place.Effect(ev, "py/"+n.Path, "write", name)
		}
		return script.NewUnk(), true
	case "fileinput.input", "fileinput.FileInput":
		if t, known := ev.Truthy(a.Get("inplace", 1)); t || !known {
			l.Place.Effect(ev, "py/"+n.Path, "write", a.Get("files", 0))
		}
		return openList(ev), true
	case "collections.OrderedDict", "collections.defaultdict", "types.SimpleNamespace":
		o := ev.NewObj()
		for i, k := range a.Names {
			o.Put(k, a.Named[i])
		}
		if src, ok := a.At(0).(*script.Obj); ok {
			ev.Assign(o, src)
		} else {
			o.Open = true
		}
		return o, true
	}
	return nil, false
}

func urlJoin(base, ref val) val {
	r := script.OneValue(ref).Text
	if strings.Contains(r, "://") {
		return ref
	}
	b := script.OneValue(base).Text
	if i := strings.LastIndexByte(b, '/'); i > 7 {
		b = b[:i]
	}
	return script.FromPattern(b + "/" + strings.TrimPrefix(r, "/"))
}

func partial(a args) val {
	f := a.At(0)
	if len(a.List) == 0 {
		return script.NewUnk()
	}
	bound := append([]val(nil), a.List[1:]...)
	names, named := a.Names, a.Named
	return &script.Go{Do: func(ev *eval, this val, b args) val {
		return ev.Call(f, this, args{List: append(append([]val(nil), bound...), b.List...), Names: append(append([]string(nil), names...), b.Names...), Named: append(append([]val(nil), named...), b.Named...), Open: b.Open})
	}}
}

// thread follows the target of a thread or process.
func (l *lang) thread(ev *eval, a args) {
	f := a.Get("target", 1)
	b := args{}
	if arr, ok := a.Get("args", 3).(*script.Arr); ok {
		b.List, b.Open = arr.Elems, arr.Open
	}
	if fn, ok := f.(*script.Fn); ok {
		ev.Contained(func() { ev.Call(fn, script.Undef{}, b) })
		return
	}
	ev.Callbacks(a)
}

// setup is setuptools' setup(): its command classes run, and extensions are compiled.
func (l *lang) setup(ev *eval, rule string, a args) {
	rule = "py/" + rule
	for _, dir := range []string{"build", "*.egg-info"} {
		if dir == "build" {
			l.Place.Effect(ev, rule, "write", dir)
		}
	}
	if ext, ok := a.Get("ext_modules", -1).(*script.Arr); ok && (len(ext.Elems) > 0 || ext.Open) {
		cc := script.Known("cc")
		ev.Emit(script.Finding{Kind: script.Exec, Rule: rule + " ext_modules", Target: cc, Argv: []script.Value{cc, script.Pattern(script.Hole)}})
	}
	classes, ok := a.Get("cmdclass", -1).(*script.Obj)
	if !ok {
		return
	}
	for _, k := range classes.Keys {
		c, ok := ev.Get(classes, k).(*script.Fn)
		if !ok {
			continue
		}
		ev.Conditional(func() {
			ev.Contained(func() {
				o := ev.Construct(c, args{})
				for _, m := range []string{"initialize_options", "finalize_options", "run"} {
					if f, ok := ev.Get(o, m).(*script.Fn); ok {
						ev.Call(f, o, args{})
					}
				}
			})
		})
	}
}

func (l *lang) tempFile(ev *eval, p string, a args) val {
	dir := a.Get("dir", 2)
	switch dir.(type) {
	case script.Undef, script.Null:
		dir = ev.Opts.Temp
	}
	name := script.Concat(script.JoinPath(false, dir, "tmp"), script.NewUnk())
	l.Place.Effect(ev, "py/"+p, "write", name)
	switch path.Base(strings.ReplaceAll(p, ".", "/")) {
	case "mkstemp":
		return ev.NewArr(3.0, name)
	case "NamedTemporaryFile", "TemporaryFile":
		return &native{Path: "tempfile.File()", Recv: name}
	}
	return name
}

// importText is import_module(name) and __import__(name).
func (l *lang) importText(ev *eval, a args) val {
	name := a.Get("name", 0)
	s, ok := name.(string)
	if !ok {
		ev.Unknown("a module whose name is computed")
		return script.NewUnk()
	}
	from, _ := ev.File.Module.(*module)
	if from == nil {
		return script.NewUnk()
	}
	first, last := l.resolve(ev, from, s)
	if last != nil {
		return last.value()
	}
	return l.found(ev, s, first, last, true)
}

// runPath follows another file as part of this program.
func (l *lang) runPath(ev *eval, p val) val {
	for _, x := range l.Paths(p) {
		if !x.Known || !ev.FS.Exists(x.Text) {
			ev.Unknown("a file whose name is computed is run")
			continue
		}
		m := l.load(ev, x.Text, "__main__")
		return m.value()
	}
	return script.NewUnk()
}

// runText follows the text given to exec and eval where it is known.
func (l *lang) runText(ev *eval, name string, v val) val {
	s, ok := v.(string)
	if !ok {
		if n, isNative := v.(*native); isNative && n.Path == "compiled()" {
			s, ok = n.Recv.(string)
		}
	}
	if !ok {
		ev.Unknown("code that is made while running (" + name + ")")
		return script.NewUnk()
	}
	if l.nesting > 4 {
		return script.NewUnk()
	}
	line := int32(ev.Line)
	toks, err := tokenize(s)
	if err != nil {
		return script.NewUnk()
	}
	p := &parser{text: &text{s: s, toks: toks, line: line - 1}, i: 1, end: len(toks) - 1}
	list := p.statements(p.end)
	if p.err != nil {
		return script.NewUnk()
	}
	for _, n := range list {
		relocate(n, line, 0)
	}
	l.nesting++
	ev.Run(list)
	l.nesting--
	return script.NewUnk()
}

// relocate gives code from a string the line of the call that runs it.
func relocate(n *node, line int32, depth int) {
	if n == nil || depth > 2*maxDepth {
		return
	}
	n.Line = line
	relocate(n.A, line, depth+1)
	relocate(n.B, line, depth+1)
	relocate(n.C, line, depth+1)
	for _, c := range n.List {
		relocate(c, line, depth+1)
	}
}

// tool follows the handler of an MCP server for the call that standard input makes: what
// the decorators tool() and call_tool() are applied to. It returns true for decorators that
// register handlers, so that the others are not followed.
func (l *lang) tool(ev *eval, path string, a args) bool {
	call, known := ev.Tool()
	if !known {
		return false
	}
	f, ok := a.At(0).(*script.Fn)
	if !ok {
		return false
	}
	path = strings.TrimSuffix(path, "()")
	b := args{}
	switch path[strings.LastIndexByte(path, '.')+1:] {
	case "tool":
		if f.Name != call.Name {
			return true
		}
		if o, ok := call.Args.(*script.Obj); ok {
			for _, k := range o.Keys {
				b.Names = append(b.Names, k)
				b.Named = append(b.Named, ev.Get(o, k))
			}
		}
	case "call_tool":
		b.List = []val{call.Name, call.Args}
	case "resource", "prompt", "list_tools", "list_resources", "list_prompts", "get_prompt", "read_resource":
		return true
	default:
		return false
	}
	ev.Later(func() { ev.Contained(func() { ev.Call(f, script.Undef{}, b) }) })
	return true
}
