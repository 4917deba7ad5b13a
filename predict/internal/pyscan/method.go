package pyscan

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// builtin calls a built-in function.
func (l *lang) builtin(ev *eval, name string, a args) val {
	x := a.At(0)
	switch name {
	case "open", "file":
		l.open(ev, "py/open", x, a.Get("mode", 1))
		return &native{Path: "builtins.open()", Recv: nil}
	case "exec", "eval", "compile", "execfile":
		if name == "execfile" {
			return l.runPath(ev, x)
		}
		if name == "compile" {
			return &native{Path: "compiled()", Recv: x}
		}
		return l.runText(ev, name, x)
	case "__import__":
		return l.importText(ev, a)
	case "exit", "quit":
		ev.Exit()
	case "str", "repr", "format", "unicode":
		return script.FromPattern(script.OneValue(pathText(x)).Text)
	case "int", "float":
		if s, ok := x.(string); ok {
			if f, ok := script.ParseNumber(s); ok {
				return f
			}
		}
		if f, ok := x.(float64); ok {
			return f
		}
	case "bool":
		if t, known := ev.Truthy(x); known {
			return t
		}
	case "len":
		switch v := x.(type) {
		case string:
			return float64(len(v))
		case *script.Arr:
			if !v.Open {
				return float64(len(v.Elems))
			}
		}
	default:
		return l.collection(ev, name, a)
	}
	return script.NewUnk()
}

// collection calls the built-in functions that make and walk collections and objects.
func (l *lang) collection(ev *eval, name string, a args) val {
	x := a.At(0)
	switch name {
	case "list", "tuple", "sorted", "reversed", "set", "frozenset", "iter":
		return l.list(ev, name, a)
	case "dict":
		return l.dict(ev, a)
	case "enumerate", "zip":
		return l.zip(ev, name, a)
	case "map":
		arr := ev.NewArr()
		arr.Open = ev.Each(a.At(1), func(v val) {
			if len(arr.Elems) < 200 {
				arr.Add(ev.Call(x, script.Undef{}, args{List: []val{v}}))
			}
		})
		return arr
	case "filter":
		ev.Callbacks(a)
		return openList(ev)
	case "range":
		return l.numbers(ev, a)
	case "getattr":
		if n, ok := x.(*native); ok && n.Path != "\x00module" {
			if _, known := a.At(1).(string); !known {
				return &native{Path: n.Path + "." + script.Hole}
			}
		}
		if s, ok := a.At(1).(string); ok {
			v := ev.Get(x, s)
			if len(a.List) > 2 {
				if _, undef := v.(script.Undef); undef {
					return a.At(2)
				}
			}
			return v
		}
	case "setattr":
		if s, ok := a.At(1).(string); ok {
			ev.Set(x, s, a.At(2))
		}
		return script.Null{}
	case "globals", "locals", "vars":
		if n, ok := x.(*native); ok {
			return &native{Path: n.Path + ".__dict__", Recv: n.Recv}
		}
		if m, ok := ev.File.Module.(*module); ok && m.scope != nil && len(a.List) == 0 {
			o := ev.NewObj()
			for _, k := range m.scope.Names() {
				if v, ok := m.scope.Var(k); ok {
					o.Put(k, v)
				}
			}
			o.Open = true
			return o
		}
	case "super":
		return ev.Super()
	case "print":
		return script.Null{}
	case "input", "raw_input":
		if s, ok := ev.NextLine().(string); ok {
			return strings.TrimSuffix(s, "\n")
		}
	case "next":
		if arr, ok := x.(*script.Arr); ok && len(arr.Elems) > 0 && !arr.Open {
			return arr.Elems[0]
		}
		return ev.Index(x, script.NewUnk())
	case "property", "staticmethod", "classmethod":
		return x
	default:
		ev.Callbacks(a)
		if name != "" && name[0] >= 'A' && name[0] <= 'Z' {
			return nat("builtins." + name + "()")
		}
	}
	return script.NewUnk()
}

func (l *lang) list(ev *eval, name string, a args) val {
	src := a.At(0)
	if key := a.Get("key", -1); name == "sorted" {
		ev.Callback(key)
	}
	if _, none := src.(script.Undef); none {
		return ev.NewArr()
	}
	if arr, ok := ev.KeysOf(src).(*script.Arr); ok {
		b := ev.NewArr(append([]val(nil), arr.Elems...)...)
		b.Open = arr.Open
		return b
	}
	return openList(ev)
}

func (l *lang) dict(ev *eval, a args) val {
	o := ev.NewObj()
	switch x := a.At(0).(type) {
	case script.Undef:
	case *native:
		if x.Path == "os.environ" {
			o.Env = true
		} else {
			o.Open = true
		}
	case *script.Obj:
		ev.Assign(o, x)
	case *script.Arr:
		o.Open = ev.Each(x, func(e val) {
			if k, ok := ev.Index(e, 0.0).(string); ok {
				o.Put(k, ev.Index(e, 1.0))
			}
		})
	default:
		o.Open = true
	}
	for i, k := range a.Names {
		o.Put(k, a.Named[i])
	}
	return o
}

func (l *lang) zip(ev *eval, name string, a args) val {
	out := ev.NewArr()
	if name == "enumerate" {
		i := 0.0
		out.Open = ev.Each(ev.KeysOf(a.At(0)), func(v val) {
			out.Add(ev.NewArr(i, v))
			i++
		})
		return out
	}
	n := -1
	for _, x := range a.List {
		arr, ok := x.(*script.Arr)
		if !ok || arr.Open {
			out.Open = true
			return out
		}
		if n < 0 || len(arr.Elems) < n {
			n = len(arr.Elems)
		}
	}
	for i := 0; i < n; i++ {
		t := ev.NewArr()
		for _, x := range a.List {
			t.Add(x.(*script.Arr).Elems[i])
		}
		out.Add(t)
	}
	return out
}

func (l *lang) numbers(ev *eval, a args) val {
	from, to := a.At(0), a.At(1)
	if _, one := to.(script.Undef); one {
		from, to = 0.0, from
	}
	x, ok := from.(float64)
	y, ok2 := to.(float64)
	if !ok || !ok2 || y-x > 40 || len(a.List) > 2 {
		return openList(ev)
	}
	arr := ev.NewArr()
	for ; x < y; x++ {
		arr.Add(x)
	}
	return arr
}

// join is separator.join(list).
func join(sep string, v val) val {
	arr, ok := v.(*script.Arr)
	if !ok {
		return script.NewUnk()
	}
	var parts []val
	for i, e := range arr.Elems {
		if i > 200 {
			break
		}
		if i > 0 {
			parts = append(parts, sep)
		}
		parts = append(parts, e)
	}
	if arr.Open {
		parts = append(parts, script.NewUnk())
	}
	return script.Concat(parts...)
}

// Method calls a method of a value that is not an object of the program.
func (l *lang) Method(ev *eval, recv val, name string, a args) (val, bool) {
	switch r := recv.(type) {
	case string:
		return l.textMethod(ev, r, name, a)
	case *script.Arr:
		return l.listMethod(ev, r, name, a)
	case *script.Obj:
		return l.dictMethod(ev, r, name, a)
	case *script.Unk:
		if rules := apis().rules["~."+name]; len(rules) > 0 {
			l.apply(ev, "~."+name, rules, a)
			return script.NewUnk(), true
		}
		switch name {
		case "split", "splitlines", "keys", "values", "items":
			return openList(ev), true
		case "format", "strip", "lower", "upper", "replace", "join", "encode", "decode", "rstrip", "lstrip":
			if (name == "strip" || name == "rstrip" || name == "decode" || name == "encode") && r.Text != script.Hole {
				return r, true
			}
			return script.NewUnk(), true
		case "unlink", "mkdir", "touch":
			if len(a.List) == 0 && !ev.HasMethod(name) { // a pathlib.Path that was lost track of
				l.Place.Effect(ev, "py/pathlib.Path."+name, pathUse(name), recv)
				return script.NewUnk(), true
			}
		}
	}
	return nil, false
}

func (l *lang) textMethod(ev *eval, s, name string, a args) (val, bool) {
	arg, known := a.At(0).(string)
	switch name {
	case "format":
		return format(ev, s, a), true
	case "join":
		return join(s, a.At(0)), true
	case "strip", "rstrip", "lstrip":
		cut := " \t\r\n"
		if known {
			cut = arg
		}
		switch name {
		case "rstrip":
			return strings.TrimRight(s, cut), true
		case "lstrip":
			return strings.TrimLeft(s, cut), true
		}
		return strings.Trim(s, cut), true
	case "lower", "casefold":
		return strings.ToLower(s), true
	case "upper":
		return strings.ToUpper(s), true
	case "encode", "decode":
		return s, true
	case "split", "rsplit", "splitlines":
		arr := ev.NewArr()
		var parts []string
		switch {
		case name == "splitlines":
			parts = strings.Split(strings.TrimSuffix(s, "\n"), "\n")
		case known && len(a.List) == 1:
			parts = strings.Split(s, arg)
		case len(a.List) == 0:
			parts = strings.Fields(s)
		default:
			arr.Open = true
		}
		for i, p := range parts {
			if i >= 200 {
				arr.Open = true
				break
			}
			arr.Add(p)
		}
		return arr, true
	case "replace":
		if to, ok := a.At(1).(string); ok && known {
			return strings.ReplaceAll(s, arg, to), true
		}
		return script.NewUnk(), true
	case "startswith", "endswith":
		if known {
			if name == "startswith" {
				return strings.HasPrefix(s, arg), true
			}
			return strings.HasSuffix(s, arg), true
		}
		return script.NewUnk(), true
	}
	return nil, false
}

// format is text.format(...).
func format(ev *eval, f string, a args) val {
	var parts []val
	next := 0
	for {
		i := strings.IndexAny(f, "{}")
		if i < 0 || i+1 >= len(f) {
			break
		}
		parts = append(parts, f[:i])
		if f[i+1] == f[i] {
			parts = append(parts, f[i:i+1])
			f = f[i+2:]
			continue
		}
		end := strings.IndexByte(f[i:], '}')
		if f[i] == '}' || end < 0 {
			f = f[i+1:]
			continue
		}
		field, _, _ := strings.Cut(f[i+1:i+end], ":")
		field, _, _ = strings.Cut(field, "!")
		f = f[i+end+1:]
		name, _, dotted := strings.Cut(strings.ReplaceAll(field, "[", "."), ".")
		var v val
		switch n, ok := script.ParseNumber(name); {
		case name == "":
			v = a.At(next)
			next++
		case ok:
			v = a.At(int(n))
		default:
			v = a.Get(name, -1)
		}
		if dotted {
			v = script.NewUnk()
		}
		parts = append(parts, v)
	}
	return script.Concat(append(parts, f)...)
}

func (l *lang) listMethod(ev *eval, r *script.Arr, name string, a args) (val, bool) {
	if len(r.Elems) > 2000 {
		r.Open = true
		return script.NewUnk(), true
	}
	switch name {
	case "append", "add", "appendleft":
		if ev.InBranch(r) {
			r.Open = true
		}
		r.Add(a.At(0))
		return script.Null{}, true
	case "extend", "update", "union":
		if arr, ok := a.At(0).(*script.Arr); ok {
			r.Add(arr.Elems...)
			r.Open = r.Open || arr.Open || ev.InBranch(r)
		} else {
			r.Open = true
		}
		return script.Null{}, true
	case "insert":
		if i, ok := a.At(0).(float64); ok && i >= 0 && int(i) <= len(r.Elems) && !ev.InBranch(r) {
			r.Elems = append(r.Elems[:int(i):int(i)], append([]val{a.At(1)}, r.Elems[int(i):]...)...)
		} else {
			r.Add(a.At(1))
			r.Open = true
		}
		return script.Null{}, true
	case "pop":
		if n := len(r.Elems); n > 0 && !r.Open && !ev.InBranch(r) {
			if i, ok := a.At(0).(float64); ok && int(i) == 0 {
				v := r.Elems[0]
				r.Elems = r.Elems[1:]
				return v, true
			}
			v := r.Elems[n-1]
			r.Elems = r.Elems[:n-1]
			return v, true
		}
		r.Open = true
		return ev.Index(r, script.NewUnk()), true
	case "remove", "clear", "discard", "sort", "reverse":
		if name != "sort" && name != "reverse" {
			r.Open = true
		}
		ev.Callbacks(a)
		return script.Null{}, true
	case "copy":
		b := ev.NewArr(append([]val(nil), r.Elems...)...)
		b.Open = r.Open
		return b, true
	}
	return nil, false
}

func (l *lang) dictMethod(ev *eval, r *script.Obj, name string, a args) (val, bool) {
	if r.Ctor != nil || r.Proto != nil {
		return nil, false
	}
	switch name {
	case "get", "pop", "setdefault":
		if k, ok := a.At(0).(string); ok {
			if r.Env {
				if _, own := r.Own(k); !own {
					return l.environment(ev, "py/os.environ."+name, k, script.Null{}), true
				}
			}
			v := ev.Get(r, k)
			if _, undef := v.(script.Undef); undef {
				if len(a.List) > 1 {
					if name == "setdefault" {
						ev.Set(r, k, a.At(1))
					}
					return a.At(1), true
				}
				return script.Null{}, true
			}
			return v, true
		}
		return ev.Index(r, a.At(0)), true
	case "keys":
		return ev.KeysOf(r), true
	case "values", "items":
		arr := ev.NewArr()
		arr.Open = r.Open || r.Rest != nil || r.Env
		for _, k := range r.Keys {
			v := ev.Get(r, k)
			if name == "items" {
				v = ev.NewArr(k, v)
			}
			arr.Add(v)
		}
		return arr, true
	case "update":
		ev.Assign(r, a.At(0))
		for i, k := range a.Names {
			ev.Set(r, k, a.Named[i])
		}
		return script.Null{}, true
	case "copy":
		o := ev.NewObj()
		ev.Assign(o, r)
		return o, true
	}
	return nil, false
}
