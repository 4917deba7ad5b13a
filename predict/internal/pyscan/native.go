package pyscan

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// Global is a built-in name.
func (l *lang) Global(ev *eval, name string) (val, bool) {
	switch name {
	case "open", "print", "len", "str", "int", "float", "bool", "bytes", "list", "dict", "set", "frozenset", "tuple", "range", "enumerate", "zip", "map", "filter",
		"sorted", "reversed", "sum", "min", "max", "any", "all", "abs", "round", "repr", "ascii", "chr", "ord", "hex", "iter", "next", "isinstance", "issubclass",
		"getattr", "setattr", "hasattr", "delattr", "callable", "type", "super", "object", "exec", "eval", "compile", "execfile", "__import__", "input", "raw_input",
		"exit", "quit", "globals", "locals", "vars", "dir", "id", "hash", "property", "staticmethod", "classmethod", "memoryview", "bytearray", "unicode", "xrange", "format",
		"breakpoint", "Exception", "BaseException", "ValueError", "TypeError", "KeyError", "IndexError", "RuntimeError", "OSError", "IOError", "ImportError",
		"ModuleNotFoundError", "FileNotFoundError", "PermissionError", "AttributeError", "NotImplementedError", "StopIteration", "SystemExit", "KeyboardInterrupt",
		"AssertionError", "EnvironmentError", "UnicodeDecodeError", "ConnectionError", "TimeoutError", "Warning", "DeprecationWarning", "UserWarning":
		return nat("builtins." + name), true
	case "NotImplemented", "Ellipsis", "__debug__", "__builtins__":
		return script.NewUnk(), true
	}
	return nil, false
}

// Member is a property of a value that the program did not put there.
func (l *lang) Member(ev *eval, obj val, name string) (val, bool) {
	n, ok := obj.(*native)
	if !ok {
		return nil, false
	}
	if m, ok := n.Recv.(*module); ok && n.Path == "\x00module" {
		if v, ok := l.member(ev, m, name); ok {
			return v, true
		}
		return script.NewUnk(), true
	}
	if name == script.ItemsMark {
		lines, known := ev.InputLines()
		if n.Path != "sys.stdin" || !known {
			return nil, false
		}
		arr := ev.NewArr()
		for _, line := range lines {
			arr.Add(line + "\n")
		}
		return arr, true
	}
	if key, ok := strings.CutPrefix(name, script.ItemMark); ok {
		switch {
		case strings.HasSuffix(n.Path, ".__dict__"):
			return l.Member(ev, &native{Path: strings.TrimSuffix(n.Path, ".__dict__"), Recv: n.Recv}, key)
		case n.Path == "sys.modules":
			return nat(key), true
		}
		if n.Path == "os.environ" {
			return l.environment(ev, "py/os.environ", key, script.NewUnk()), true
		}
		return script.NewUnk(), true
	}
	switch n.Path {
	case "os":
		switch name {
		case "name":
			return "posix", true
		case "sep", "altsep":
			return "/", true
		case "pathsep":
			return ":", true
		case "linesep":
			return "\n", true
		case "curdir":
			return ".", true
		case "pardir":
			return "..", true
		case "devnull":
			return "/dev/null", true
		}
	case "sys":
		return l.sys(ev, name), true
	case "sys.version_info":
		switch name {
		case "major":
			return 3.0, true
		case "minor":
			return script.NewUnk(), true
		}
	case "subprocess.Popen()":
		if name == "returncode" {
			return script.NewLikely(0.0), true
		}
	case "pathlib.Path()":
		return l.pathMember(n, name), true
	case "typing":
		if name == "TYPE_CHECKING" {
			return false, true
		}
	}
	if name == script.Hole && strings.Contains(n.Path, "()") {
		return script.NewUnk(), true
	}
	if strings.Count(n.Path, ".") > 10 {
		return script.NewUnk(), true
	}
	return &native{Path: canonical(n.Path + "." + name), Recv: n.Recv}, true
}

// canonical gives a function with several names one path.
func canonical(p string) string {
	switch p {
	case "posixpath", "ntpath":
		return "os.path"
	case "pathlib.PosixPath", "pathlib.PurePath", "pathlib.PurePosixPath":
		return "pathlib.Path"
	case "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "tarfile.open", "zipfile.ZipFile", "fileinput.open", "builtins.file", "aiofiles.open", "tarfile.TarFile.open", "gzip.GzipFile":
		return p
	case "os.getenvb":
		return "os.getenv"
	case "commands.getoutput":
		return "subprocess.getoutput"
	case "typing.TYPE_CHECKING":
		return p
	}
	return p
}

func (l *lang) sys(ev *eval, name string) val {
	switch name {
	case "platform":
		if ev.Opts.Platform == "" {
			return "linux"
		}
		return ev.Opts.Platform
	case "executable":
		if ev.Opts.Interpreter != "" {
			return ev.Opts.Interpreter
		}
		return "python3"
	case "argv":
		a := ev.NewArr(l.entry.path)
		if l.entry.path == "" {
			a.Elems[0] = "-c"
		}
		for _, x := range ev.Opts.Args {
			a.Add(script.FromPattern(x))
		}
		return a
	case "version_info":
		return nat("sys.version_info")
	case "prefix", "base_prefix", "exec_prefix", "version", "maxsize", "byteorder", "flags", "hexversion", "implementation":
		return script.NewUnk()
	}
	return nat("sys." + name)
}

// environment reads a variable by name.
func (l *lang) environment(ev *eval, rule string, name, otherwise val) val {
	var r val
	for _, x := range script.Values(name) {
		if !x.Known {
			r = script.Join(r, script.NewUnk())
			continue
		}
		ev.Emit(script.Finding{Kind: script.Effect, Rule: rule, Class: "environment", Access: "read", Target: x})
		v := ev.Opts.Env(x.Text)
		switch {
		case v.Known && v.Set:
			r = script.Join(r, v.Value)
		case v.Known:
			r = script.Join(r, otherwise)
		default:
			r = script.Join(r, &script.Unk{Text: script.Hole, Env: x.Text})
			if _, none := otherwise.(script.Null); !none {
				r = script.Join(r, otherwise)
			}
		}
	}
	return r
}

// Set is told of an assignment to an attribute or key of something native.
func (l *lang) Set(ev *eval, n *native, name val, v val) {
	if m, ok := n.Recv.(*module); ok && n.Path == "\x00module" {
		_ = m
		return
	}
	if n.Path != "os.environ" {
		return
	}
	if u, ok := v.(*script.Unk); ok && u.Env != "" && u.Env == script.Text(name) {
		return
	}
	for _, x := range script.Values(name) {
		ev.Emit(script.Finding{Kind: script.Effect, Rule: "py/os.environ.set", Class: "environment", Access: "write", Target: x})
	}
}

// Binary evaluates the operators that Python's own types define.
func (l *lang) Binary(ev *eval, op string, a, b val) (val, bool) {
	if n, ok := a.(*native); ok {
		switch {
		case n.Path == "pathlib.Path()" && op == "/":
			return newPath(script.JoinPath(true, n.Recv, pathText(b))), true
		case n.Path == "sys.version_info":
			return versionTest(op, b), true
		case n.Path == "os.environ" && op == "|":
			o := ev.NewObj()
			o.Env = true
			ev.Assign(o, b)
			return o, true
		}
	}
	if n, ok := b.(*native); ok {
		if n.Path == "pathlib.Path()" && op == "/" {
			return newPath(script.JoinPath(true, a, n.Recv)), true
		}
		if n.Path == "os.environ" && (op == "in" || op == "not in") {
			v := l.environment(ev, "py/os.environ", a, script.Null{})
			if _, unknown := v.(*script.Unk); unknown {
				return v, true
			}
			_, none := v.(script.Null)
			return none == (op == "not in"), true
		}
	}
	switch op {
	case "in", "not in":
		v, known := contains(ev, a, b)
		if !known {
			return script.NewUnk(), true
		}
		return v == (op == "in"), true
	case "%":
		if s, ok := a.(string); ok {
			return percent(ev, s, b), true
		}
	case "is":
		v, known := ev.Equal(a, b, true)
		if known {
			return v, true
		}
		return script.NewUnk(), true
	}
	return nil, false
}

// versionTest compares sys.version_info: scripts ask for versions that are long there, or
// long gone.
func versionTest(op string, b val) val {
	arr, ok := b.(*script.Arr)
	if !ok || len(arr.Elems) == 0 {
		return script.NewUnk()
	}
	major, ok := arr.Elems[0].(float64)
	if !ok {
		return script.NewUnk()
	}
	minor := 0.0
	if len(arr.Elems) > 1 {
		minor, _ = arr.Elems[1].(float64)
	}
	old := major < 3 || major == 3 && minor <= 8
	switch op {
	case ">=", ">":
		if old {
			return true
		}
	case "<", "<=":
		if old {
			return false
		}
	}
	return script.NewUnk()
}

func contains(ev *eval, a, b val) (value, known bool) {
	switch c := b.(type) {
	case string:
		if s, ok := a.(string); ok {
			return strings.Contains(c, s), true
		}
	case *script.Arr:
		open := c.Open
		for _, e := range c.Elems {
			eq, k := ev.Equal(a, e, true)
			if k && eq {
				return true, true
			}
			open = open || !k
		}
		return false, !open
	case *script.Obj:
		if s, ok := a.(string); ok {
			if _, has := c.Own(s); has {
				return true, true
			}
			return false, !c.Open && c.Rest == nil && c.Base == nil && !c.Env
		}
	}
	return false, false
}

// percent is text % values.
func percent(ev *eval, f string, v val) val {
	var list []val
	arr, isArr := v.(*script.Arr)
	if isArr {
		list = arr.Elems
	} else {
		list = []val{v}
	}
	var parts []val
	for {
		i := strings.IndexByte(f, '%')
		if i < 0 || i+1 >= len(f) {
			break
		}
		parts = append(parts, f[:i])
		f = f[i+1:]
		if f[0] == '%' {
			parts = append(parts, "%")
			f = f[1:]
			continue
		}
		var x val = script.NewUnk()
		if f[0] == '(' {
			end := strings.IndexByte(f, ')')
			if end < 0 {
				break
			}
			x = ev.Index(v, f[1:end])
			f = f[end+1:]
		} else if len(list) > 0 {
			x, list = list[0], list[1:]
		}
		j := 0
		for j < len(f) && strings.IndexByte("-+ #0123456789.*l", f[j]) >= 0 {
			j++
		}
		parts = append(parts, x)
		f = f[min(j+1, len(f)):]
	}
	return script.Concat(append(parts, f)...)
}

// Call calls something native.
func (l *lang) Call(ev *eval, n *native, this val, a args, isNew bool) val {
	if n.Path == "\x00module" {
		return script.NewUnk()
	}
	head, name, _ := strings.Cut(n.Path, ".")
	if strings.Contains(n.Path, script.Hole) {
		switch head {
		case "os", "subprocess", "shutil", "sys", "builtins", "importlib", "socket", "urllib", "http", "ctypes", "requests":
			ev.Unknown("a function of " + head + " that is chosen while the program runs")
		}
		ev.Callbacks(a)
		return script.NewUnk()
	}
	switch head {
	case "builtins":
		return l.builtin(ev, name, a)
	case "subprocess":
		return l.subprocess(ev, name, a)
	case "os":
		if v, ok := l.osCall(ev, n, name, a); ok {
			return v
		}
	case "pathlib":
		return l.pathCall(ev, n, name, a)
	case "sys":
		switch name {
		case "exit", "_exit":
			ev.Exit()
		case "stdin.readline":
			return ev.NextLine()
		case "stdin.read", "stdin.buffer.read":
			return ev.Input()
		case "stdin.readlines", "stdin.buffer.readlines":
			if v, ok := l.Member(ev, nat("sys.stdin"), script.ItemsMark); ok {
				return v
			}
		}
		if name == "path.insert" || name == "path.append" {
			l.searchAlso(ev, name, a)
		}
		return script.NewUnk()
	case "glob":
		return l.glob(ev, a)
	case "argparse":
		if v, ok := l.argparse(ev, n, a); ok {
			return v
		}
	}
	if (head == "mcp" || head == "fastmcp") && l.tool(ev, n.Path, a) {
		return a.At(0)
	}
	if v, ok := l.special(ev, n, a); ok {
		return v
	}
	rules := lookup(n.Path)
	l.apply(ev, n.Path, rules, a)
	ev.Callbacks(a)
	if strings.Count(n.Path, "()") > 3 {
		return script.NewUnk()
	}
	return &native{Path: n.Path + "()"}
}
