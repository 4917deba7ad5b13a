package jsscan

import (
	"path"
	"regexp"
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

// Global is the value of a name that the program does not define.
func (l *lang) Global(ev *eval, name string) (val, bool) {
	switch name {
	case "undefined":
		return script.Undef{}, true
	case "NaN", "Infinity":
		return script.NewUnk(), true
	case "globalThis", "global":
		return nat("global"), true
	case "process", "console", "Buffer", "Object", "Array", "JSON", "Math", "Promise", "Reflect", "Symbol", "Date", "RegExp", "Number", "String", "Boolean",
		"Map", "Set", "WeakMap", "WeakSet", "WeakRef", "Proxy", "Intl", "URL", "URLSearchParams", "Error", "TypeError", "RangeError", "SyntaxError", "AggregateError",
		"BigInt", "Int8Array", "Uint8Array", "Uint16Array", "Int32Array", "Uint32Array", "Float64Array", "ArrayBuffer", "DataView", "TextEncoder", "TextDecoder",
		"AbortController", "Headers", "Request", "Response", "FormData", "Blob", "performance", "crypto", "WebAssembly", "fetch", "WebSocket", "EventSource",
		"XMLHttpRequest", "setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "queueMicrotask", "structuredClone",
		"parseInt", "parseFloat", "isNaN", "isFinite", "encodeURIComponent", "decodeURIComponent", "encodeURI", "decodeURI", "escape", "unescape",
		"eval", "Function", "Event", "EventTarget", "AbortSignal", "atob", "btoa", "Bun", "Deno":
		if name == "Bun" || name == "Deno" { // each is there in its own runtime alone, and described like a package
			if strings.EqualFold(path.Base(ev.Opts.Interpreter), name) {
				return nat("pkg:" + name), true
			}
			return nil, false
		}
		return nat(name), true
	case "import.meta":
		return nat("import.meta"), true
	case "require":
		return nat("require"), true
	case "super":
		return script.NewUnk(), true
	}
	return nil, false
}

// Member is a property of a value that the program did not put there.
func (l *lang) Member(ev *eval, obj val, name string) (val, bool) {
	n, ok := obj.(*native)
	if !ok {
		if name == "constructor" {
			return constructor(obj), true
		}
		return nil, false
	}
	switch name {
	case "constructor":
		return nat("Function"), true
	case script.ItemsMark:
		if v, ok := l.items(ev, n); ok {
			return v, true
		}
		lines, known := ev.InputLines()
		if !known || !strings.HasPrefix(n.Path, "process.stdin") && !strings.HasPrefix(n.Path, "readline.") {
			return nil, false
		}
		arr := ev.NewArr()
		for _, line := range lines {
			arr.Add(line)
		}
		return arr, true
	case "default":
		if n.Path != "import.meta" {
			return n, true
		}
	case "call", "apply", "bind", "then", "catch", "finally", "toString", "hasOwnProperty", "fail", "caught", "otherwise", "done", "tap", "always", "spread":
		return nil, false
	case "__esModule":
		return script.Undef{}, true
	}
	return l.platform(ev, n, name)
}

// platform is a property of an object of the platform.
func (l *lang) platform(ev *eval, n *native, name string) (val, bool) {
	switch n.Path {
	case "global":
		if v, ok := l.Global(ev, name); ok {
			return v, true
		}
		return script.Undef{}, true
	case "process.env":
		return l.environment(ev, name), true
	case "process":
		return l.process(ev, name), true
	case "import.meta":
		return l.meta(ev, name), true
	case "os":
		if name == "EOL" {
			return "\n", true
		}
		if name == "devNull" {
			return "/dev/null", true
		}
	case "path":
		switch name {
		case "sep":
			return "/", true
		case "delimiter":
			return ":", true
		case "posix", "default":
			return n, true
		}
	case "worker_threads":
		if name == "isMainThread" {
			return l.workers == 0, true
		}
	case "cluster":
		if name == "isMaster" || name == "isPrimary" || name == "isWorker" {
			return script.NewUnk(), true
		}
	case "module":
		if name == "Module" {
			return n, true
		}
	case "RegExp()":
		if name == "source" {
			return script.NewUnk(), true
		}
	case "pkg:detect-libc":
		switch name {
		case "GLIBC", "MUSL":
			return strings.ToLower(name), true
		}
	case "Map()", "Set()":
		if name == "size" {
			return script.NewUnk(), true
		}
	case "URL()":
		return urlPart(n, name), true
	case "require":
		if name == "main" {
			for _, f := range ev.Findings()[:1] {
				if m := l.modules[f.Path]; m != nil && m.obj != nil {
					return m.obj, true
				}
			}
			return script.NewUnk(), true
		}
		if name == "cache" || name == "extensions" {
			o := ev.NewObj()
			o.Open = true
			return o, true
		}
	}
	if strings.HasPrefix(n.Path, "pkg:") && (name == "prototype" || strings.Count(n.Path, ".") > 6) {
		return script.NewUnk(), true
	}
	return &native{Path: n.Path + "." + name, Recv: n.Recv}, true
}

// environment reads a variable by name.
func (l *lang) environment(ev *eval, name string) val {
	if name == script.Hole || strings.Contains(name, script.Hole) {
		return script.NewUnk()
	}
	ev.Emit(script.Finding{Kind: script.Effect, Rule: "js/process.env", Class: "environment", Access: "read", Target: script.Known(name)})
	v := ev.Opts.Env(name)
	switch {
	case v.Known && v.Set:
		return v.Value
	case v.Known:
		return script.Undef{}
	}
	return &script.Unk{Text: script.Hole, Env: name}
}

func (l *lang) process(ev *eval, name string) val {
	switch name {
	case "platform":
		return ev.Opts.Platform
	case "arch":
		return ev.Opts.Arch
	case "env":
		return nat("process.env")
	case "execPath", "argv0":
		if ev.Opts.Interpreter != "" {
			return ev.Opts.Interpreter
		}
		return "node"
	case "argv":
		a := ev.NewArr(l.process(ev, "execPath"))
		if f := ev.Findings(); ev.Opts.Inline { // node -e TEXT ARGUMENTS
		} else if len(f) > 0 && f[0].Path != "" {
			a.Add(f[0].Path)
		} else {
			a.Add(script.NewUnk())
		}
		for _, x := range ev.Opts.Args {
			a.Add(script.FromPattern(x))
		}
		return a
	case "execArgv":
		return ev.NewArr()
	case "report":
		return l.report(ev)
	case "mainModule":
		o := ev.NewObj()
		o.Open = true
		o.Put("require", nat("require"))
		return o
	case "versions":
		o := ev.NewObj()
		for _, k := range []string{"node", "v8", "uv", "modules", "openssl", "napi", "zlib", "ares", "unicode", "icu"} {
			o.Put(k, script.NewUnk())
		}
		return o
	case "config", "release", "features":
		o := ev.NewObj()
		o.Open = true
		return o
	case "version":
		return &script.Unk{Text: "v" + script.Hole}
	case "pid", "ppid", "title", "exitCode", "connected", "send", "channel", "noDeprecation", "allowedNodeEnvironmentFlags", "debugPort":
		return script.NewUnk()
	case "cwd", "chdir", "exit", "reallyExit", "abort", "kill", "on", "once", "off", "addListener", "prependListener", "removeListener", "removeAllListeners", "emit",
		"emitWarning", "nextTick", "hrtime", "uptime", "memoryUsage", "cpuUsage", "resourceUsage", "umask", "getuid", "geteuid", "getgid", "getegid", "getgroups",
		"setuid", "setgid", "dlopen", "binding", "loadEnvFile", "disconnect", "listeners", "listenerCount", "setMaxListeners", "getMaxListeners", "_rawDebug",
		"getBuiltinModule", "stdin", "stdout", "stderr", "setUncaughtExceptionCaptureCallback", "setSourceMapsEnabled", "finalization", "permission",
		"constrainedMemory", "availableMemory", "getActiveResourcesInfo", "execve", "eventNames", "rawListeners", "prependOnceListener":
	default:
		return script.Undef{} // process.pkg, process.browser, process.isBun: of other platforms
	}
	return nat("process." + name)
}

func (l *lang) meta(ev *eval, name string) val {
	file := ev.File.Path
	if file == "" {
		return script.NewUnk()
	}
	switch name {
	case "url":
		return "file://" + file
	case "filename":
		return file
	case "dirname":
		return dirname(file)
	case "resolve":
		return nat("import.meta.resolve")
	case "main":
		f := ev.Findings()
		return len(f) > 0 && f[0].Path == file
	}
	return script.Undef{}
}

// Set is told of an assignment to a property of a platform object.
func (l *lang) Set(ev *eval, n *native, name val, v val) {
	if n.Path != "process.env" {
		if f, ok := v.(*script.Fn); ok && strings.Contains(n.Path, "()") {
			ev.Later(func() { ev.Callback(f) }) // ws.onmessage = ...
		}
		return
	}
	if _, undef := v.(script.Undef); undef {
		return
	}
	if u, ok := v.(*script.Unk); ok && u.Env != "" && u.Env == script.Text(name) {
		return
	}
	for _, x := range script.Values(name) {
		ev.Emit(script.Finding{Kind: script.Effect, Rule: "js/process.env.set", Class: "environment", Access: "write", Target: x})
	}
}

// Binary has no rules of its own in JavaScript.
func (l *lang) Binary(*eval, string, val, val) (val, bool) { return nil, false }

// Call calls something of the platform or of a package.
func (l *lang) Call(ev *eval, n *native, this val, a args, isNew bool) val {
	head, name, _ := strings.Cut(n.Path, ".")
	if strings.Contains(n.Path, script.Hole) {
		l.chosen(ev, head)
		ev.Callbacks(a)
		return script.NewUnk()
	}
	if strings.HasPrefix(n.Path, "pkg:") {
		return l.callPackage(ev, n, this, a, isNew)
	}
	switch head {
	case "fs":
		return l.callFS(ev, n, name, a, isNew)
	case "child_process":
		return l.callChild(ev, name, a)
	case "http", "https", "net", "tls", "dgram", "dns", "http2", "fetch", "WebSocket", "EventSource", "inspector", "http()", "net()":
		return l.callNet(ev, n, a, isNew)
	case "path":
		return l.callPath(ev, name, a)
	case "os":
		return l.callOS(ev, name)
	case "process":
		return l.callProcess(ev, name, a)
	case "url", "URL", "URL()":
		return l.callURL(ev, n, a, isNew)
	case "Object", "Reflect", "Array", "JSON", "Promise", "String", "Number", "Boolean":
		if v, ok := l.callBasic(ev, n.Path, a); ok {
			return v
		}
	case "util":
		return l.callUtil(ev, name, a)
	case "Map()":
		return l.mapCall(ev, n, name, a)
	case "Set()":
		return l.setCall(ev, n, name, a)
	}
	return l.callGlobal(ev, n, a, isNew)
}

// callGlobal calls the functions that belong to no module with a table of its own.
func (l *lang) callGlobal(ev *eval, n *native, a args, isNew bool) val {
	head, name, _ := strings.Cut(n.Path, ".")
	switch n.Path {
	case "require", "module._load", "module.prototype.require":
		return l.require(ev, a.At(0))
	case "require.resolve", "import.meta.resolve":
		return l.requireResolve(ev, a)
	case "require.resolve.paths":
		return script.NewUnk()
	case "module.createRequire", "module.createRequireFromPath":
		return nat("require")
	case "eval", "Function", "vm.runInThisContext", "vm.runInNewContext", "vm.runInContext", "vm.Script", "vm.compileFunction":
		return l.evaluateText(ev, n.Path, a)
	case "setTimeout", "setInterval", "setImmediate", "queueMicrotask", "process.nextTick", "timers.promises.setTimeout":
		cb := a.At(0)
		ev.Later(func() { ev.Contained(func() { ev.Call(cb, script.Undef{}, args{}) }) })
		return script.NewUnk()
	case "Map", "WeakMap":
		return newMap(ev, a.At(0))
	case "Set", "WeakSet":
		return newSet(ev, a.At(0))
	case "Proxy":
		return a.At(0)
	case "RegExp":
		return script.NewUnk()
	case "encodeURIComponent", "decodeURIComponent", "encodeURI", "decodeURI":
		if s, ok := a.At(0).(string); ok && plain(s) {
			return s
		}
		return script.NewUnk()
	case "parseInt", "parseFloat":
		if s, ok := a.At(0).(string); ok {
			if f, ok := script.ParseNumber(s); ok {
				return f
			}
		}
		return script.NewUnk()
	case "worker_threads.Worker", "cluster.fork":
		l.worker(ev, n.Path, a)
		return &native{Path: "Worker()"}
	case "process.dlopen":
		l.addon(ev)
		return script.NewUnk()
	case "stream.pipeline", "stream.finished":
		ev.Callbacks(a)
		return script.NewUnk()
	}
	if isEvent(n.Path) {
		return l.listen(ev, n, a)
	}
	if head == "WebAssembly" || head == "wasi" {
		return script.NewUnk()
	}
	ev.Callbacks(a)
	if isNew || strings.HasPrefix(name, "create") {
		return &native{Path: n.Path + "()"}
	}
	return script.NewUnk()
}

var eventMethods = [...]string{".on", ".once", ".addListener", ".prependListener", ".addEventListener"}

func isEvent(path string) bool {
	for _, m := range eventMethods {
		if strings.HasSuffix(path, m) {
			return true
		}
	}
	return false
}

// listen follows a listener; one for errors runs only when something failed.
func (l *lang) listen(ev *eval, n val, a args) val {
	event, _ := a.At(0).(string)
	cb := a.At(1)
	switch event {
	case "error", "uncaughtException", "unhandledRejection", "SIGINT", "SIGTERM", "SIGHUP", "abort", "timeout":
		ev.Later(func() { ev.OnError(func() { ev.Callback(cb) }) })
	case "exit", "close":
		ev.Later(func() {
			ev.Conditional(func() {
				ev.Contained(func() {
					ev.Call(cb, n, args{List: []val{script.NewLikely(0.0), script.NewLikely(script.Null{})}, Open: true})
				})
			})
		})
	case "line", "data":
		if l.feed(ev, n, event, cb) {
			return n
		}
		ev.Later(func() { ev.Callback(cb) })
	default:
		ev.Later(func() { ev.Callback(cb) })
	}
	return n
}

// feed gives a listener on standard input the input, where it is known.
func (l *lang) feed(ev *eval, n val, event string, cb val) bool {
	src, ok := n.(*native)
	if !ok || !strings.HasPrefix(src.Path, "process.stdin") && !strings.HasPrefix(src.Path, "readline.") {
		return false
	}
	lines, known := ev.InputLines()
	if !known {
		return false
	}
	if event == "data" {
		lines = []string{ev.Opts.Input}
	}
	for _, line := range lines {
		ev.Later(func() {
			ev.Contained(func() { ev.Call(cb, n, args{List: []val{line}}) })
		})
	}
	return true
}

// evaluateText follows the text given to eval and its relatives where it is known.
func (l *lang) evaluateText(ev *eval, path string, a args) val {
	v := a.At(0)
	if path == "Function" && len(a.List) > 0 {
		v = a.List[len(a.List)-1]
	}
	s, ok := v.(string)
	if !ok {
		if _, isText := v.(*script.Fn); isText {
			return script.NewUnk()
		}
		ev.Unknown("code that is made while running (" + path + ")")
		return script.NewUnk()
	}
	list, _, err := parse([]byte(s), false, false)
	if err != nil || l.nesting > 4 {
		return script.NewUnk()
	}
	if path == "Function" {
		f := &script.Func{Line: ev.Line, Parse: func() []*node { return list }}
		return ev.Eval(&node{Op: script.OpFunc, Line: int32(ev.Line), Fn: f})
	}
	l.nesting++
	line := ev.Line
	for _, n := range list {
		relocate(n, int32(line), 0)
	}
	ev.Run(list)
	l.nesting--
	return script.NewUnk()
}

// relocate gives code from a string the line of the call that runs it.
func relocate(n *node, line int32, depth int) {
	if n == nil || depth > maxDepth {
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

func (l *lang) requireResolve(ev *eval, a args) val {
	s, ok := a.At(0).(string)
	if !ok {
		ev.Fallible++
		return script.NewUnk()
	}
	if _, isBuiltin := builtin(s); isBuiltin {
		return s
	}
	from := ev.File.Path
	if o, ok := a.At(1).(*script.Obj); ok {
		if paths, ok := ev.Get(o, "paths").(*script.Arr); ok {
			for _, p := range paths.Elems {
				if dir, ok := p.(string); ok {
					if f, ok := l.resolve(ev, dir+"/_", s, false); ok {
						return f
					}
				} else {
					ev.Fallible++
					return script.NewUnk()
				}
			}
		}
	}
	if f, ok := l.resolve(ev, from, s, false); ok {
		return f
	}
	ev.Fallible++
	if ev.InTry() {
		ev.Throw()
	}
	return script.NewUnk()
}

// matchRegexp runs a simple regular expression on known text.
func matchRegexp(ev *eval, re val, s string) (groups []string, known bool) {
	n, ok := re.(*native)
	if !ok || n.Path != "RegExp()" {
		return nil, false
	}
	lit, _ := n.Recv.(string)
	end := strings.LastIndexByte(lit, '/')
	if end < 1 || len(lit) > 500 || len(s) > 1<<16 {
		return nil, false
	}
	ev.Charge(4 * (len(s) + len(lit)))
	expr, flags := lit[1:end], lit[end+1:]
	if strings.Contains(flags, "i") {
		expr = "(?i)" + expr
	}
	if strings.Contains(flags, "m") {
		expr = "(?m)" + expr
	}
	c, err := regexp.Compile(expr)
	if err != nil {
		return nil, false
	}
	return c.FindStringSubmatch(s), true
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return true
}

// report is process.report, which scripts ask for the C library of the machine.
func (l *lang) report(ev *eval) val {
	header, report, o := ev.NewObj(), ev.NewObj(), ev.NewObj()
	header.Open, o.Open = true, true
	shared := ev.NewArr()
	if musl(ev) {
		header.Open = false
		shared.Add("/lib/ld-musl-x86_64.so.1")
	} else if ev.Opts.Platform == "linux" {
		header.Put("glibcVersionRuntime", &script.Unk{Text: "2." + script.Hole})
	}
	report.Put("header", header)
	report.Put("sharedObjects", shared)
	o.Put("getReport", &script.Go{Do: func(*eval, val, args) val { return report }})
	return o
}

// musl tells which C library programs of this machine are linked with, by its loader.
func musl(ev *eval) bool {
	for _, arch := range []string{"x86_64", "aarch64", "armhf", "i386"} {
		if ev.FS.Exists("/lib/ld-musl-" + arch + ".so.1") {
			return true
		}
	}
	return false
}

// constructor is what made a value: through it code reaches Function, and so eval.
func constructor(obj val) val {
	switch o := obj.(type) {
	case *script.Obj:
		if o.Ctor != nil {
			return o.Ctor
		}
	case *script.Fn, *script.Go:
		return nat("Function")
	}
	return nat("Object")
}

// chosen reports a call of a function of the platform whose name is not known.
func (l *lang) chosen(ev *eval, module string) {
	switch module {
	case "fs":
		ev.Unknown("a function of fs that is chosen while the program runs", "file")
	case "child_process":
		ev.Unknown("a function of child_process that is chosen while the program runs", "environment", "file", "network", "process")
	case "http", "https", "net", "tls", "dgram", "dns", "http2":
		ev.Unknown("a function of "+module+" that is chosen while the program runs", "network")
	case "process", "module", "vm", "worker_threads", "global", "require":
		ev.Unknown("a function of " + module + " that is chosen while the program runs")
	}
}
