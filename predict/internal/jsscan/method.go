package jsscan

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// Method calls a method of a value that is not an object of the program.
func (l *lang) Method(ev *eval, recv val, name string, a args) (val, bool) {
	switch name {
	case "call":
		if callable(recv) {
			return ev.Call(recv, a.At(0), rest(a, 1)), true
		}
	case "apply":
		if callable(recv) {
			b := args{}
			if arr, ok := a.At(1).(*script.Arr); ok {
				b.List, b.Open = arr.Elems, arr.Open
			} else {
				b.Open = true
			}
			return ev.Call(recv, a.At(0), b), true
		}
	case "bind":
		switch f := recv.(type) {
		case *script.Fn:
			g := *f
			g.IsBound, g.This, g.Bound = true, a.At(0), append([]val(nil), rest(a, 1).List...)
			return &g, true
		case *native:
			return f, true
		}
	case "then", "catch", "finally":
		return l.then(ev, recv, name, a), true
	case "fail", "caught", "otherwise", "done", "tap", "always", "spread", "asCallback", "nodeify": // of older promise libraries
		n, ok := recv.(*native)
		if !ok || !strings.HasPrefix(n.Path, "pkg:") || !callable(a.At(0)) {
			break
		}
		switch name {
		case "fail", "caught", "otherwise":
			name = "catch"
		case "always":
			name = "finally"
		default:
			name = "then"
		}
		return l.then(ev, recv, name, a), true
	case "toString", "valueOf":
		switch recv.(type) {
		case string, *script.Unk, float64:
			return script.FromPattern(script.Text(recv)), true
		}
	case "hasOwnProperty":
		if o, ok := recv.(*script.Obj); ok {
			return hasOwn(o, a.At(0)), true
		}
	}
	if isEvent("." + name) {
		return l.listen(ev, recv, a), true
	}
	switch r := recv.(type) {
	case string:
		return l.stringMethod(ev, r, name, a)
	case *script.Arr:
		return l.arrayMethod(ev, r, name, a)
	case *script.Unk:
		return l.unknownMethod(ev, r, name, a)
	case *native:
		if r.Path == "RegExp()" && (name == "test" || name == "exec") {
			return l.regexpMethod(ev, r, name, a), true
		}
	}
	return nil, false
}

func callable(v val) bool {
	switch v := v.(type) {
	case *script.Fn, *native, *script.Go:
		return true
	case *script.Union:
		for _, a := range v.Alts {
			if callable(a) {
				return true
			}
		}
	}
	return false
}

func rest(a args, n int) args {
	b := a
	b.List = a.List[min(n, len(a.List)):]
	return b
}

func hasOwn(o *script.Obj, key val) val {
	k, ok := key.(string)
	if !ok {
		return script.NewUnk()
	}
	if _, has := o.Own(k); has {
		return true
	}
	if o.Open || o.Rest != nil || o.Base != nil {
		return script.NewUnk()
	}
	return false
}

// then follows what a promise is continued with. A value stands for its promise.
func (l *lang) then(ev *eval, recv val, name string, a args) val {
	_, rejected := recv.(*script.Rejected)
	run := func(f val, list ...val) (r val) {
		r = recv
		if !callable(f) {
			return r
		}
		ev.Contained(func() { r = ev.Call(f, script.Undef{}, args{List: list}) })
		return r
	}
	switch {
	case name == "finally":
		run(a.At(0))
		return recv
	case name == "catch" || rejected && name == "then":
		handler := a.At(0)
		if name == "then" {
			handler = a.At(1)
		}
		if rejected {
			return run(handler, nat("Error()"))
		}
		if ev.Fallible > 0 {
			ev.OnError(func() { ev.Conditional(func() { run(handler, nat("Error()")) }) })
		}
		return recv
	}
	v := run(a.At(0), recv)
	if callable(a.At(1)) {
		ev.OnError(func() { ev.Conditional(func() { v = script.Join(v, run(a.At(1), nat("Error()"))) }) })
	}
	return v
}

// unknownMethod knows methods by names that only one platform module has.
func (l *lang) unknownMethod(ev *eval, r *script.Unk, name string, a args) (val, bool) {
	switch name {
	case "writeFileSync", "readFileSync", "appendFileSync", "mkdirSync", "unlinkSync", "rmSync", "rmdirSync", "renameSync", "copyFileSync", "chmodSync", "symlinkSync",
		"existsSync", "createWriteStream", "writeFile", "unlink", "outputFile", "outputFileSync", "ensureDir", "ensureDirSync":
		return l.callFS(ev, nat("fs."+name), name, a, false), true
	case "execSync", "spawnSync", "execFileSync":
		return l.callChild(ev, name, a), true
	case "listen":
		switch a.At(0).(type) {
		case float64, string, *script.Unk, *script.Union:
			l.callNet(ev, nat("server.listen"), a, false)
			return script.NewUnk(), true
		}
	case "trim", "toLowerCase", "toUpperCase", "replace", "replaceAll", "slice", "substring", "substr", "split", "concat", "padStart", "padEnd", "trimEnd", "trimStart":
		ev.Callbacks(a)
		if name == "concat" && r.Text != script.Hole {
			return script.Concat(append([]val{r}, a.List...)...), true
		}
		if name == "split" {
			arr := ev.NewArr()
			arr.Open = true
			return arr, true
		}
		if name[:4] == "trim" && r.Text != script.Hole {
			return r, true
		}
		if name == "replace" && r.Text != script.Hole {
			return l.replaceIn(r.Text, a), true
		}
		return script.NewUnk(), true
	case "startsWith":
		if s, ok := a.At(0).(string); ok {
			if p := script.Pattern(r.Text).Prefix; strings.HasPrefix(p, s) {
				return true, true
			}
		}
		return script.NewUnk(), true
	case "endsWith":
		if s, ok := a.At(0).(string); ok && strings.HasSuffix(r.Text, s) {
			return true, true
		}
		return script.NewUnk(), true
	}
	return nil, false
}

func (l *lang) replaceIn(text string, a args) val {
	from, ok := a.At(0).(string)
	to, ok2 := a.At(1).(string)
	if ok && ok2 && !strings.Contains(from, script.Hole) {
		return script.FromPattern(strings.Replace(text, from, to, 1))
	}
	return script.FromPattern(script.Pattern(text).Prefix[:0] + script.Hole)
}

// regexpMethod runs test and exec on known text.
func (l *lang) regexpMethod(ev *eval, re *native, name string, a args) val {
	s, ok := a.At(0).(string)
	if !ok {
		return script.NewUnk()
	}
	groups, known := matchRegexp(ev, re, s)
	if !known {
		return script.NewUnk()
	}
	if name == "test" {
		return groups != nil
	}
	return matchValue(ev, groups)
}

func matchValue(ev *eval, groups []string) val {
	if groups == nil {
		return script.Null{}
	}
	arr := ev.NewArr()
	for _, g := range groups {
		arr.Add(g)
	}
	return arr
}

func (l *lang) stringMethod(ev *eval, s, name string, a args) (val, bool) {
	arg, argKnown := a.At(0).(string)
	switch name {
	case "trim":
		return strings.TrimSpace(s), true
	case "trimEnd", "trimRight":
		return strings.TrimRight(s, " \t\r\n"), true
	case "trimStart", "trimLeft":
		return strings.TrimLeft(s, " \t\r\n"), true
	case "toLowerCase":
		return strings.ToLower(s), true
	case "toUpperCase":
		return strings.ToUpper(s), true
	case "slice", "substring":
		return ev.SliceOf(s, a.At(0), a.At(1)), true
	case "substr":
		if i, ok := a.At(0).(float64); ok && i >= 0 {
			if n, ok := a.At(1).(float64); ok {
				return ev.SliceOf(s, i, i+n), true
			}
			return ev.SliceOf(s, i, script.Undef{}), true
		}
		return script.NewUnk(), true
	case "concat":
		return script.Concat(append([]val{s}, a.List...)...), true
	case "startsWith", "endsWith", "includes", "indexOf", "lastIndexOf":
		if !argKnown {
			return script.NewUnk(), true
		}
		switch name {
		case "startsWith":
			return strings.HasPrefix(s, arg), true
		case "endsWith":
			return strings.HasSuffix(s, arg), true
		case "includes":
			return strings.Contains(s, arg), true
		case "indexOf":
			return float64(strings.Index(s, arg)), true
		}
		return float64(strings.LastIndex(s, arg)), true
	case "split":
		if !argKnown {
			arr := ev.NewArr()
			arr.Open = true
			return arr, true
		}
		arr := ev.NewArr()
		for i, p := range strings.Split(s, arg) {
			if i >= 200 {
				arr.Open = true
				break
			}
			arr.Add(p)
		}
		return arr, true
	case "replace", "replaceAll":
		to, toKnown := a.At(1).(string)
		if argKnown && toKnown {
			if name == "replaceAll" {
				return strings.ReplaceAll(s, arg, to), true
			}
			return strings.Replace(s, arg, to, 1), true
		}
		if groups, known := matchRegexp(ev, a.At(0), s); known && groups == nil {
			return s, true
		} else if known && toKnown && !strings.Contains(to, "$") {
			if lit, _ := a.At(0).(*native).Recv.(string); !strings.HasSuffix(lit, "g") {
				return strings.Replace(s, groups[0], to, 1), true
			}
		}
		ev.Callbacks(a)
		return script.NewUnk(), true
	case "match":
		if groups, known := matchRegexp(ev, a.At(0), s); known {
			return matchValue(ev, groups), true
		}
		return script.NewUnk(), true
	case "charAt", "at":
		return ev.Index(s, a.At(0)), true
	case "repeat":
		if n, ok := a.At(0).(float64); ok && n >= 0 && n < 100 && len(s) < 100 {
			return strings.Repeat(s, int(n)), true
		}
		return script.NewUnk(), true
	}
	return nil, false
}

// arrayMethod calls a method of an array whose elements are known, as far as they are.
func (l *lang) arrayMethod(ev *eval, r *script.Arr, name string, a args) (val, bool) {
	cb := a.At(0)
	each := func(do func(v, result val)) {
		i := 0.0
		ev.Each(r, func(v val) {
			do(v, ev.Call(cb, a.At(1), args{List: []val{v, i, r}}))
			i++
		})
	}
	out := ev.NewArr()
	out.Open = r.Open
	switch name {
	case "forEach":
		each(func(val, val) {})
		return script.Undef{}, true
	case "map", "flatMap":
		each(func(_, x val) {
			if inner, ok := x.(*script.Arr); ok && name == "flatMap" {
				out.Add(inner.Elems...)
				out.Open = out.Open || inner.Open
				return
			}
			out.Add(x)
		})
		return out, true
	case "filter":
		each(func(v, x val) {
			t, known := ev.Truthy(x)
			if !known {
				out.Open = true
			}
			if t || !known {
				out.Add(v)
			}
		})
		if b, ok := cb.(*native); ok && b.Path == "Boolean" {
			out.Elems = out.Elems[:0]
			for _, v := range r.Elems {
				if t, known := ev.Truthy(v); t || !known {
					out.Add(v)
				}
			}
			out.Open = r.Open
		}
		return out, true
	case "find", "some", "every", "findIndex", "findLast":
		return l.search(ev, r, name, cb), true
	case "reduce":
		return l.reduce(ev, r, a), true
	case "push", "unshift":
		return l.push(ev, r, name, a), true
	case "pop", "shift":
		return pop(r, name), true
	}
	return l.arrayParts(ev, r, name, a)
}

// arrayParts calls the methods that take an array apart or put it together.
func (l *lang) arrayParts(ev *eval, r *script.Arr, name string, a args) (val, bool) {
	out := ev.NewArr()
	out.Open = r.Open
	switch name {
	case "slice":
		return ev.SliceOf(r, a.At(0), a.At(1)), true
	case "splice":
		removed := ev.SliceOf(r, a.At(0), script.Undef{})
		r.Open = true
		return removed, true
	case "concat":
		out.Add(r.Elems...)
		for _, x := range a.List {
			if inner, ok := x.(*script.Arr); ok {
				out.Add(inner.Elems...)
				out.Open = out.Open || inner.Open
			} else if _, unknown := x.(*script.Unk); unknown {
				out.Open = true
			} else {
				out.Add(x)
			}
		}
		return out, true
	case "flat", "reverse", "sort", "toSorted", "fill":
		if name == "sort" || name == "toSorted" {
			ev.Callbacks(a)
		}
		if name != "flat" {
			return r, true
		}
		for _, x := range r.Elems {
			if inner, ok := x.(*script.Arr); ok {
				out.Add(inner.Elems...)
				out.Open = out.Open || inner.Open
			} else {
				out.Add(x)
			}
		}
		return out, true
	case "join":
		return l.joinArray(r, a), true
	case "includes", "indexOf":
		return l.contains(ev, r, name, a.At(0)), true
	case "at":
		if i, ok := a.At(0).(float64); ok && i < 0 && !r.Open {
			return ev.Index(r, i+float64(len(r.Elems))), true
		}
		return ev.Index(r, a.At(0)), true
	case "keys", "values", "entries":
		if name == "values" {
			return r, true
		}
		if name == "entries" {
			for i, x := range r.Elems {
				out.Add(ev.NewArr(float64(i), x))
			}
			return out, true
		}
		return ev.KeysOf(r), true
	}
	return nil, false
}

func (l *lang) search(ev *eval, r *script.Arr, name string, cb val) val {
	var found val
	for i, v := range r.Elems {
		if i >= 100 {
			return script.NewUnk()
		}
		x := ev.Call(cb, script.Undef{}, args{List: []val{v, float64(i), r}})
		t, known := ev.Truthy(x)
		switch {
		case !known:
			found = script.Join(found, v)
		case t && name == "some" && found == nil:
			return true
		case t && strings.HasPrefix(name, "find") && name != "findIndex":
			return script.Join(found, v)
		case t && name == "findIndex" && found == nil:
			return float64(i)
		case !t && name == "every":
			return false
		}
	}
	if r.Open {
		ev.Conditional(func() { ev.Call(cb, script.Undef{}, args{List: []val{script.NewUnk()}}) })
		return script.Join(found, script.NewUnk())
	}
	switch {
	case name == "find" || name == "findLast":
		return script.Join(found, script.Undef{})
	case found != nil:
		return script.NewUnk()
	case name == "findIndex":
		return -1.0
	}
	return name == "every"
}

func (l *lang) reduce(ev *eval, r *script.Arr, a args) val {
	acc := a.At(1)
	list := r.Elems
	if _, undef := acc.(script.Undef); undef && len(list) > 0 {
		acc, list = list[0], list[1:]
	}
	for i, v := range list {
		if i >= 100 {
			break
		}
		acc = ev.Call(a.At(0), script.Undef{}, args{List: []val{acc, v, float64(i), r}})
	}
	if r.Open {
		ev.Conditional(func() {
			acc = script.Join(acc, ev.Call(a.At(0), script.Undef{}, args{List: []val{acc, script.NewUnk(), script.NewUnk(), r}}))
		})
	}
	return acc
}

func (l *lang) push(ev *eval, r *script.Arr, name string, a args) val {
	if len(r.Elems) > 2000 {
		r.Open = true
		return script.NewUnk()
	}
	if ev.InBranch(r) {
		// It may or may not be there; keep it as a possible element at the end.
		r.Open = true
	}
	if name == "push" {
		r.Add(a.List...)
	} else {
		r.Elems = append(append([]val(nil), a.List...), r.Elems...)
	}
	r.Open = r.Open || a.Open
	return float64(len(r.Elems))
}

func pop(r *script.Arr, name string) val {
	if len(r.Elems) == 0 {
		if r.Open {
			return script.NewUnk()
		}
		return script.Undef{}
	}
	if name == "shift" {
		v := r.Elems[0]
		r.Elems = r.Elems[1:]
		return v
	}
	v := r.Elems[len(r.Elems)-1]
	r.Elems = r.Elems[:len(r.Elems)-1]
	return v
}

func (l *lang) joinArray(r *script.Arr, a args) val {
	var sep val = ","
	if len(a.List) > 0 {
		sep = a.At(0)
	}
	var parts []val
	for i, e := range r.Elems {
		if i > 0 {
			parts = append(parts, sep)
		}
		if i > 200 {
			break
		}
		switch e.(type) {
		case script.Undef, script.Null:
			continue
		}
		parts = append(parts, e)
	}
	if r.Open {
		parts = append(parts, script.NewUnk())
	}
	return script.Concat(parts...)
}

func (l *lang) contains(ev *eval, r *script.Arr, name string, x val) val {
	open := r.Open
	for i, e := range r.Elems {
		eq, known := ev.Equal(e, x, true)
		if !known {
			open = true
			continue
		}
		if eq {
			if name == "includes" {
				return true
			}
			if !open {
				return float64(i)
			}
		}
	}
	switch {
	case open:
		return script.NewUnk()
	case name == "includes":
		return false
	}
	return -1.0
}
