package jsscan

import "github.com/ambit-dev/ambit/predict/internal/script"

// newMap makes a Map or WeakMap: a native whose entries with text keys are kept in an object.
func newMap(ev *eval, from val) val {
	store := ev.NewObj()
	switch x := from.(type) {
	case script.Undef, script.Null:
	case *native:
		if s, ok := x.Recv.(*script.Obj); ok && x.Path == "Map()" {
			ev.Assign(store, s)
		} else {
			store.Open = true
		}
	default:
		if ev.Each(from, func(e val) { put(ev, store, ev.Index(e, 0.0), ev.Index(e, 1.0)) }) {
			store.Open = true
		}
	}
	return &native{Path: "Map()", Recv: store}
}

func put(ev *eval, store *script.Obj, key, v val) {
	switch k := key.(type) {
	case string:
		ev.Set(store, k, v)
	case float64:
		ev.Set(store, script.FormatNumber(k), v)
	default:
		store.Rest = script.Join(store.Rest, v)
	}
}

// mapCall calls a method of a Map.
func (l *lang) mapCall(ev *eval, n *native, method string, a args) val {
	store, ok := n.Recv.(*script.Obj)
	if !ok {
		ev.Callbacks(a)
		return script.NewUnk()
	}
	pairs := func() *script.Arr {
		arr, _ := l.entries(ev, store, true).(*script.Arr)
		return arr
	}
	switch method {
	case "set":
		put(ev, store, a.At(0), a.At(1))
		return &native{Path: "Map()", Recv: store}
	case "get":
		if k, ok := a.At(0).(string); ok {
			return ev.Get(store, k)
		}
		return ev.Index(store, a.At(0))
	case "has":
		return hasOwn(store, a.At(0))
	case "delete", "clear":
		store.Open = true
		return script.NewUnk()
	case "keys":
		return ev.KeysOf(store)
	case "values":
		return l.entries(ev, store, false)
	case "entries":
		return pairs()
	case "forEach":
		ev.Each(pairs(), func(e val) {
			ev.Call(a.At(0), script.Undef{}, args{List: []val{ev.Index(e, 1.0), ev.Index(e, 0.0)}})
		})
		return script.Undef{}
	}
	ev.Callbacks(a)
	return script.NewUnk()
}

// newSet makes a Set: a native that holds the list of its elements.
func newSet(ev *eval, from val) val {
	list := ev.NewArr()
	switch x := from.(type) {
	case script.Undef, script.Null:
	case *script.Arr:
		list.Add(x.Elems...)
		list.Open = x.Open
	case *native:
		if s, ok := x.Recv.(*script.Arr); ok && x.Path == "Set()" {
			list.Add(s.Elems...)
			list.Open = s.Open
		} else {
			list.Open = true
		}
	default:
		list.Open = true
	}
	return &native{Path: "Set()", Recv: list}
}

// setCall calls a method of a Set.
func (l *lang) setCall(ev *eval, n *native, method string, a args) val {
	list, ok := n.Recv.(*script.Arr)
	if !ok {
		ev.Callbacks(a)
		return script.NewUnk()
	}
	switch method {
	case "add":
		l.push(ev, list, "push", a)
		return &native{Path: "Set()", Recv: list}
	case "has":
		return l.contains(ev, list, "includes", a.At(0))
	case "delete", "clear":
		list.Open = true
		return script.NewUnk()
	case "keys", "values":
		return list
	case "forEach":
		ev.Each(list, func(v val) { ev.Call(a.At(0), script.Undef{}, args{List: []val{v}}) })
		return script.Undef{}
	}
	ev.Callbacks(a)
	return script.NewUnk()
}

// items is what a loop over a Map or Set goes through.
func (l *lang) items(ev *eval, n *native) (val, bool) {
	switch r := n.Recv.(type) {
	case *script.Obj:
		if n.Path == "Map()" {
			return l.entries(ev, r, true), true
		}
	case *script.Arr:
		if n.Path == "Set()" {
			return r, true
		}
	}
	return nil, false
}
