package script

import (
	"strings"
)

func (ev *Eval) array(n *Node) Val {
	a := ev.NewArr()
	for _, e := range n.List {
		if e.Op == OpSpread {
			ev.spread(a, ev.eval(e.A))
			continue
		}
		a.Add(ev.eval(e))
	}
	return a
}

func (ev *Eval) spread(a *Arr, v Val) {
	if x, ok := v.(*Arr); ok {
		a.Add(x.Elems...)
		a.Open = a.Open || x.Open
		return
	}
	if n, ok := v.(*Native); ok {
		if items, ok := ev.Lang.Member(ev, n, ItemsMark); ok {
			if x, ok := items.(*Arr); ok {
				a.Add(x.Elems...)
				a.Open = a.Open || x.Open
				return
			}
		}
	}
	if u, ok := v.(*Union); ok {
		for _, alt := range u.Alts {
			if x, ok := alt.(*Arr); ok {
				a.Add(x.Elems...)
			}
		}
	}
	a.Open = true
}

func (ev *Eval) object(n *Node) Val {
	o := ev.NewObj()
	for _, p := range n.List {
		if p.Op == OpSpread {
			ev.Assign(o, ev.eval(p.A))
			continue
		}
		var key Val = p.A.Str
		if p.A.Op != OpStr {
			key = ev.eval(p.A)
		}
		v := ev.eval(p.B)
		if f, ok := v.(*Fn); ok && f.home == nil {
			f.home = o
		}
		if p.Str == "get" {
			v = &Accessor{v}
		} else if p.Str == "set" {
			continue
		}
		k, ok := key.(string)
		if !ok {
			if f, isNum := key.(float64); isNum {
				k = FormatNumber(f)
			} else {
				o.Rest = Join(o.Rest, v)
				continue
			}
		}
		o.Put(k, v)
		ev.register(k, v)
	}
	return o
}

// Assign copies the properties of v into o, as {...v} does.
func (ev *Eval) Assign(o *Obj, v Val) {
	switch x := v.(type) {
	case *Obj:
		ev.Charge(32 * len(x.Keys))
		for _, k := range x.Keys {
			ev.set(o, k, ev.get(x, k))
		}
		o.Open = o.Open || x.Open
		o.Env = o.Env || x.Env
		if x.Rest != nil {
			o.Rest = Join(o.Rest, x.Rest)
		}
	case *Native:
		if x.Path == "process.env" || x.Path == "os.environ" {
			o.Env = true
		}
		o.Open = true
		if o.Base == nil && o.Proto == nil && x.Path != "process.env" && x.Path != "os.environ" {
			o.Base = x // a copy of a module still has its functions
		}
	case *Fn:
		if x.Props != nil {
			ev.Assign(o, x.Props)
		}
	case *Union:
		for _, a := range x.Alts {
			ev.Conditional(func() { ev.Assign(o, a) })
		}
	case Undef, Null, bool, float64, string:
	default:
		o.Open = true
	}
}

func (ev *Eval) function(n *Node) Val {
	f := &Fn{Def: n.Fn, Scope: ev.scope, Name: n.Fn.Name, cond: ev.cond}
	if n.Fn.Arrow && ev.frame != nil {
		f.This = ev.frame.this
		f.home = homeOf(ev.frame.fn)
	}
	if n.Fn.Name != "" && !n.Opt && !n.Fn.Arrow && !n.Fn.Self && n.Fn.Kind == "" && !ev.py {
		// A named function expression sees itself.
		f.Scope = &Scope{vars: map[string]*variable{n.Fn.Name: {val: f, cond: ev.cond}}, parent: ev.scope, file: ev.scope.file}
	}
	var v Val = f
	for i := len(n.Fn.Decorators) - 1; i >= 0; i-- {
		v = ev.decorate(n.Fn.Decorators[i], v)
	}
	return v
}

// decorate applies a decorator. What it returns usually behaves as what it was given.
func (ev *Eval) decorate(d *Node, v Val) Val {
	dec := ev.eval(d)
	if f, ok := dec.(*Fn); ok {
		if r, ok := ev.Call(f, Undef{}, Args{List: []Val{v}}).(*Fn); ok {
			return r
		}
		return v
	}
	if n, ok := dec.(*Native); ok {
		r := ev.Lang.Call(ev, n, Undef{}, Args{List: []Val{v}}, false)
		switch r.(type) {
		case *Fn, *Obj:
			return r
		}
	}
	return v
}

func homeOf(f *Fn) *Obj {
	if f == nil {
		return nil
	}
	return f.home
}

func (ev *Eval) class(n *Node) Val {
	c := &Fn{Class: true, Scope: ev.scope, Name: n.Str, cond: ev.cond}
	if n.A != nil {
		c.Parent = ev.eval(n.A)
		if u, ok := c.Parent.(*Union); ok {
			c.Parent = u.Alts[0]
		}
	}
	p := c.Prototype()
	switch parent := c.Parent.(type) {
	case *Fn:
		p.Proto = parent.Prototype()
		p.Base = p.Proto.Base
	case nil, Null, Undef:
	default:
		p.Base = parent
		if _, ok := parent.(*Native); !ok {
			p.Open = true
		}
	}
	if n.Str != "" && !ev.py {
		c.Scope = &Scope{vars: map[string]*variable{n.Str: {val: c, cond: ev.cond}}, parent: ev.scope, file: ev.File}
	}
	if ev.py {
		ev.pyClass(c, n)
		return c
	}
	old := ev.scope
	ev.scope = c.Scope
	for _, m := range n.List {
		ev.classMember(c, m)
	}
	ev.scope = old
	return c
}

func (ev *Eval) classMember(c *Fn, m *Node) {
	if m.Str == " field" {
		c.Fields = append(c.Fields, m)
		return
	}
	if m.Str == "init" || strings.HasSuffix(m.Str, " field") {
		f, _ := ev.function(m.B2()).(*Fn)
		var v Val = Undef{}
		if f != nil {
			f.This, f.home = c, c.Prototype()
			v = ev.Call(f, c, Args{})
		}
		if m.A != nil {
			ev.set(c, textOf(ev.key(m.A)), v)
		}
		return
	}
	f, ok := ev.function(m.B).(*Fn)
	if !ok {
		return
	}
	key := textOf(ev.key(m.A))
	f.home = c.Prototype()
	f.Scope = ev.scope
	var v Val = f
	if strings.HasSuffix(m.Str, "get") {
		v = &Accessor{f}
	} else if strings.HasSuffix(m.Str, "set") {
		return
	}
	if strings.HasPrefix(m.Str, "static") {
		c.own().Put(key, v)
	} else if key == "constructor" {
		c.Def = f.Def
	} else {
		c.Prototype().Put(key, v)
	}
	ev.register(key, v)
}

// B2 is the initial value of a field, as a function; a field without one has an empty body.
func (n *Node) B2() *Node {
	if n.B != nil {
		return n.B
	}
	return &Node{Op: OpFunc, Line: n.Line, Fn: &Func{Arrow: true, Line: int(n.Line)}}
}

func (ev *Eval) key(n *Node) Val {
	if n.Op == OpStr {
		return n.Str
	}
	return ev.eval(n)
}

// pyClass runs the body of a Python class in a scope of its own.
func (ev *Eval) pyClass(c *Fn, n *Node) {
	scope := &Scope{vars: map[string]*variable{}, parent: ev.scope, fn: true, class: true, file: ev.File}
	old := ev.scope
	ev.scope = scope
	var body []*Node
	for _, s := range n.List {
		field := s.Op == OpAssign && s.Opt && s.A.Op == OpName
		if field {
			c.Names = append(c.Names, s.A.Str)
		}
		if !field || s.B != nil {
			body = append(body, s)
		}
	}
	ev.block(body)
	ev.scope = old
	for _, name := range scope.Names() {
		v := scope.vars[name].val
		if f, ok := v.(*Fn); ok {
			if f.home == nil {
				f.home = c.Prototype()
			}
			if name == "__init__" {
				c.Def = f.Def
			}
		}
		c.Prototype().Put(name, v)
		ev.register(name, v)
	}
}

// comprehension evaluates Python's [x for ...] and its relatives.
func (ev *Eval) comprehension(n *Node) Val {
	out := ev.NewArr()
	scope := &Scope{vars: map[string]*variable{}, parent: ev.scope, fn: true, file: ev.File}
	old := ev.scope
	ev.scope = scope
	ev.compLoop(n, 0, out)
	ev.scope = old
	if n.Str == "{:}" {
		o := ev.NewObj()
		for _, e := range out.Elems {
			if kv, ok := e.(*Arr); ok && len(kv.Elems) == 2 {
				if k, ok := kv.Elems[0].(string); ok {
					o.Put(k, kv.Elems[1])
				} else {
					o.Rest = Join(o.Rest, kv.Elems[1])
				}
			}
		}
		o.Open = out.Open
		return o
	}
	return out
}

func (ev *Eval) compLoop(n *Node, i int, out *Arr) {
	if i == len(n.List) {
		if v := ev.eval(n.A); len(out.Elems) < 200 {
			out.Add(v)
		}
		return
	}
	l := n.List[i]
	if l.Op == OpIf {
		v := ev.test(l.A)
		t, known := v.value, v.known
		if known && !t {
			return
		}
		if !known {
			out.Open = true
			ev.Conditional(func() { ev.compLoop(n, i+1, out) })
			return
		}
		ev.compLoop(n, i+1, out)
		return
	}
	if ev.Each(ev.eval(l.B), func(v Val) {
		ev.bind(l.A, v, ev.scope)
		ev.compLoop(n, i+1, out)
	}) {
		out.Open = true
	}
}

// Each calls do for the elements of v. Where they are not all known, do is called with an
// unknown element too, as code that may not run, and Each returns true.
func (ev *Eval) Each(v Val, do func(Val)) (open bool) {
	arr, ok := v.(*Arr)
	if !ok {
		if u, isUnion := v.(*Union); isUnion {
			for _, a := range u.Alts {
				if x, ok := a.(*Arr); ok {
					ev.Conditional(func() { ev.Each(x, do) })
				}
			}
			return true
		}
		if s, isText := v.(string); isText && len(s) == 0 {
			return false
		}
		ev.Conditional(func() { do(NewUnk()) })
		return true
	}
	for i, e := range arr.Elems {
		if i >= maxIter || ev.halt == exited {
			return true
		}
		do(e)
	}
	if arr.Open {
		ev.Conditional(func() { do(NewUnk()) })
	}
	return arr.Open
}
