package jsscan

import (
	"encoding/json"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// callBasic calls the functions of the language's own objects that matter to the value of
// paths, commands and modules.
func (l *lang) callBasic(ev *eval, path string, a args) (val, bool) {
	switch path {
	case "Object.keys", "Object.getOwnPropertyNames", "Reflect.ownKeys":
		if o, ok := a.At(0).(*native); ok && o.Path == "process.env" {
			return script.NewUnk(), true
		}
		return ev.KeysOf(a.At(0)), true
	case "Object.values", "Object.entries":
		return l.entries(ev, a.At(0), path == "Object.entries"), true
	case "Object.assign":
		return l.assign(ev, a), true
	case "Object.freeze", "Object.seal", "Object.preventExtensions", "Object.setPrototypeOf", "Reflect.setPrototypeOf", "Object":
		return a.At(0), true
	case "Object.create":
		o := ev.NewObj()
		switch p := a.At(0).(type) {
		case *script.Obj:
			o.Proto = p
		case *native:
			o.Base = p
		}
		return o, true
	case "Object.defineProperty", "Reflect.defineProperty":
		l.define(ev, a.At(0), a.At(1), a.At(2))
		return a.At(0), true
	case "Object.defineProperties":
		if o, ok := a.At(1).(*script.Obj); ok {
			for _, k := range o.Keys {
				l.define(ev, a.At(0), k, ev.Get(o, k))
			}
		}
		return a.At(0), true
	case "Object.fromEntries":
		o := ev.NewObj()
		if n, ok := a.At(0).(*native); ok {
			if v, ok := l.items(ev, n); ok {
				a.List[0] = v
			}
		}
		if ev.Each(a.At(0), func(e val) {
			if k, ok := ev.Index(e, 0.0).(string); ok {
				o.Put(k, ev.Index(e, 1.0))
			} else {
				o.Open = true
			}
		}) {
			o.Open = true
		}
		return o, true
	case "Object.getPrototypeOf":
		if o, ok := a.At(0).(*script.Obj); ok && o.Proto != nil {
			return o.Proto, true
		}
		return script.NewUnk(), true
	case "Object.prototype.hasOwnProperty", "Object.hasOwn":
		if o, ok := a.At(0).(*script.Obj); ok {
			return hasOwn(o, a.At(1)), true
		}
		return script.NewUnk(), true
	case "Reflect.apply":
		b := args{Open: true}
		if arr, ok := a.At(2).(*script.Arr); ok {
			b = args{List: arr.Elems, Open: arr.Open}
		}
		return ev.Call(a.At(0), a.At(1), b), true
	}
	return l.callValues(ev, path, a)
}

// callValues calls the functions of Array, JSON, Promise and the primitive types.
func (l *lang) callValues(ev *eval, path string, a args) (val, bool) {
	switch path {
	case "Array.isArray":
		switch a.At(0).(type) {
		case *script.Arr:
			return true, true
		case *script.Unk, *native, *script.Union:
			return script.NewUnk(), true
		}
		return false, true
	case "Array.from", "Array.of", "Array":
		return l.arrayFrom(ev, path, a), true
	case "JSON.parse":
		if s, ok := a.At(0).(string); ok {
			return ev.ParseJSON(s), true
		}
		ev.Fallible++
		return script.NewUnk(), true
	case "JSON.stringify":
		if s, ok := a.At(0).(string); ok {
			if b, err := json.Marshal(s); err == nil {
				return string(b), true
			}
		}
		return script.NewUnk(), true
	case "Promise":
		return l.newPromise(ev, a.At(0)), true
	case "Promise.resolve":
		return a.At(0), true
	case "Promise.reject":
		return &script.Rejected{Why: a.At(0)}, true
	case "Promise.all", "Promise.allSettled", "Promise.race", "Promise.any":
		if arr, ok := a.At(0).(*script.Arr); ok && path == "Promise.all" {
			return arr, true
		}
		return script.NewUnk(), true
	case "String":
		return script.FromPattern(script.OneValue(a.At(0)).Text), true
	case "String.raw``":
		return a.At(0), true
	case "Boolean":
		if t, known := ev.Truthy(a.At(0)); known {
			return t, true
		}
		return script.NewUnk(), true
	case "Number":
		switch x := a.At(0).(type) {
		case float64:
			return x, true
		case string:
			if f, ok := script.ParseNumber(x); ok {
				return f, true
			}
		}
		return script.NewUnk(), true
	}
	return nil, false
}

func (l *lang) entries(ev *eval, v val, pairs bool) val {
	o, ok := v.(*script.Obj)
	if !ok {
		arr := ev.NewArr()
		arr.Open = true
		return arr
	}
	out := ev.NewArr()
	out.Open = o.Open || o.Rest != nil || o.Env
	for _, k := range o.Keys {
		x := ev.Get(o, k)
		if pairs {
			x = ev.NewArr(k, x)
		}
		out.Add(x)
	}
	return out
}

// define is Object.defineProperty.
func (l *lang) define(ev *eval, target, key, desc val) {
	d, ok := desc.(*script.Obj)
	if !ok {
		return
	}
	v := ev.Get(d, "value")
	if get, ok := d.Own("get"); ok && callable(get) {
		v = &script.Accessor{Get: get}
	}
	for _, k := range script.Values(key) {
		if !k.Known {
			if o, ok := target.(*script.Obj); ok {
				o.Open = true
			}
			continue
		}
		switch t := target.(type) {
		case *script.Obj:
			t.Put(k.Text, v)
		case *script.Fn:
			ev.Set(t, k.Text, v)
		}
	}
}

func (l *lang) arrayFrom(ev *eval, path string, a args) val {
	out := ev.NewArr()
	switch path {
	case "Array.of":
		out.Add(a.List...)
		return out
	case "Array":
		if len(a.List) == 1 {
			out.Open = true
		} else {
			out.Add(a.List...)
		}
		return out
	}
	src := a.At(0)
	if n, ok := src.(*native); ok {
		if v, ok := l.items(ev, n); ok {
			src = v
		}
	}
	arr, ok := src.(*script.Arr)
	if !ok {
		arr = &script.Arr{Open: true}
	}
	if callable(a.At(1)) {
		out.Open = ev.Each(arr, func(v val) {
			out.Add(ev.Call(a.At(1), script.Undef{}, args{List: []val{v}}))
		})
		return out
	}
	out.Add(arr.Elems...)
	out.Open = arr.Open
	return out
}

// newPromise runs the executor; the promise is the value that it resolves with.
func (l *lang) newPromise(ev *eval, executor val) val {
	var v val
	resolve := &script.Go{Do: func(ev *eval, _ val, a args) val {
		v = script.Join(v, a.At(0))
		return script.Undef{}
	}}
	rejected := false
	reject := &script.Go{Do: func(ev *eval, _ val, a args) val {
		rejected = true
		ev.Fallible++
		return script.Undef{}
	}}
	ev.Contained(func() { ev.Call(executor, script.Undef{}, args{List: []val{resolve, reject}}) })
	switch {
	case v == nil && rejected:
		return script.Join(&script.Rejected{Why: script.Undef{}}, script.NewUnk())
	case v == nil:
		return script.NewUnk()
	case rejected:
		return script.Join(v, &script.Rejected{Why: script.Undef{}})
	}
	return v
}

func (l *lang) callUtil(ev *eval, name string, a args) val {
	switch name {
	case "promisify", "callbackify", "deprecate", "types.isPromise":
		return a.At(0)
	case "format":
		if s, ok := a.At(0).(string); ok {
			return formatText(s, a.List[1:])
		}
	case "inherits":
		if f, ok := a.At(0).(*script.Fn); ok {
			switch p := a.At(1).(type) {
			case *script.Fn:
				f.Prototype().Proto = p.Prototype()
			case *native:
				f.Prototype().Base = p
			}
		}
	default:
		ev.Callbacks(a)
	}
	return script.NewUnk()
}

func formatText(f string, list []val) val {
	var parts []val
	for {
		i := strings.IndexByte(f, '%')
		if i < 0 || i+1 >= len(f) {
			break
		}
		parts = append(parts, f[:i])
		if f[i+1] == '%' {
			parts = append(parts, "%")
		} else if len(list) > 0 {
			parts = append(parts, list[0])
			list = list[1:]
		}
		f = f[i+2:]
	}
	parts = append(parts, f)
	return script.Concat(parts...)
}

// Helper knows the functions that TypeScript, Babel and esbuild generate.
func (l *lang) Helper(ev *eval, name string, a args) (val, bool) {
	switch name {
	case "__importStar", "__toESM", "_interopRequireWildcard", "__importDefault", "_interopRequireDefault", "_interopDefault", "_interopNamespace", "_interopDefaultLegacy", "_interopNamespaceDefault", "__toModule":
		return l.interop(ev, a.At(0)), true
	case "__awaiter":
		f := a.At(3)
		var v val
		ev.Contained(func() { v = ev.Call(f, a.At(0), args{}) })
		if v == nil {
			v = script.NewUnk()
		}
		return v, true
	case "__generator":
		return ev.Call(a.At(1), a.At(0), args{List: []val{script.NewUnk()}}), true
	case "__spreadArray", "__spread", "__spreadArrays", "_toConsumableArray":
		out := ev.NewArr()
		for _, x := range a.List[:min(2, len(a.List))] {
			if arr, ok := x.(*script.Arr); ok {
				out.Add(arr.Elems...)
				out.Open = out.Open || arr.Open
			} else {
				out.Open = true
			}
		}
		return out, true
	case "__assign", "_objectSpread", "_extends", "__spreadProps", "__spreadValues":
		o := ev.NewObj()
		for _, x := range a.List {
			ev.Assign(o, x)
		}
		return o, true
	}
	return nil, false
}

// interop gives a module a default member, unless it has one.
func (l *lang) interop(ev *eval, v val) val {
	switch x := v.(type) {
	case *native, *script.Unk:
		return x
	case *script.Obj:
		if t, ok := x.Own("__esModule"); ok && t != val(script.Undef{}) || x.Base != nil && len(x.Keys) == 0 {
			return x
		}
		if _, ok := x.Own("default"); ok {
			return x
		}
		o := ev.NewObj()
		for _, k := range x.Keys {
			p, _ := x.Own(k)
			o.Put(k, p)
		}
		o.Open, o.Base = x.Open, x.Base
		o.Put("default", x)
		return o
	case *script.Union:
		var r val
		for _, alt := range x.Alts {
			r = script.Join(r, l.interop(ev, alt))
		}
		return r
	}
	o := ev.NewObj()
	ev.Assign(o, v)
	o.Put("default", v)
	return o
}

// assign is Object.assign.
func (l *lang) assign(ev *eval, a args) val {
	target := a.At(0)
	for _, src := range a.List[min(1, len(a.List)):] {
		switch t := target.(type) {
		case *script.Obj:
			ev.Assign(t, src)
		case *native, *script.Fn:
			if o, ok := src.(*script.Obj); ok {
				for _, k := range o.Keys {
					ev.Set(t, k, ev.Get(o, k))
				}
			}
		}
	}
	return target
}
