package script

import "strings"

// callee evaluates what is called, and its receiver.
func (ev *Eval) callee(n *Node) (fn, this Val) {
	switch n.Op {
	case OpMember:
		if n.A.Op == OpSuper {
			return ev.superMember(n.Str), ev.this()
		}
		obj := ev.eval(n.A)
		ev.Line = int(n.Line)
		return ev.get(obj, n.Str), obj
	case OpIndex:
		obj := ev.eval(n.A)
		key := ev.eval(n.B)
		return ev.index(obj, key), obj
	}
	return ev.eval(n), Undef{}
}

func (ev *Eval) this() Val {
	if ev.frame == nil || ev.frame.this == nil {
		return Undef{}
	}
	return ev.frame.this
}

func (ev *Eval) superMember(name string) Val {
	if ev.frame == nil || ev.frame.fn == nil || ev.frame.fn.home == nil {
		return NewUnk()
	}
	home := ev.frame.fn.home
	if home.Proto != nil {
		if v, holder := home.Proto.Find(name); holder != nil {
			return ev.access(v, ev.frame.this, holder)
		}
	}
	if home.Base != nil {
		if v, ok := ev.Lang.Member(ev, home.Base, name); ok {
			return v
		}
	}
	return NewUnk()
}

// Super is what Python's super() makes: an object whose methods are the parents'.
func (ev *Eval) Super() Val {
	if ev.frame == nil || ev.frame.fn == nil || ev.frame.fn.home == nil {
		return NewUnk()
	}
	home := ev.frame.fn.home
	this := ev.frame.this
	if this == nil || this == Val(Undef{}) {
		this = ev.frame.args.At(0)
	}
	o := ev.NewObj()
	o.Open, o.Base = true, home.Base
	for p, n := home.Proto, 0; p != nil && n < 32; p, n = p.Proto, n+1 {
		for _, k := range p.Keys {
			if _, ok := o.Own(k); ok {
				continue
			}
			v, _ := p.Own(k)
			o.Put(k, ev.access(v, this, p))
		}
	}
	return o
}

func (ev *Eval) arguments(list []*Node) Args {
	var a Args
	for _, n := range list {
		switch n.Op {
		case OpSpread:
			v := ev.eval(n.A)
			if n.Str == "**" {
				if o, ok := v.(*Obj); ok {
					for _, k := range o.Keys {
						a.Names = append(a.Names, k)
						a.Named = append(a.Named, ev.get(o, k))
					}
				}
				continue
			}
			tmp := &Arr{}
			ev.spread(tmp, v)
			a.List = append(a.List, tmp.Elems...)
			a.Open = a.Open || tmp.Open
		case OpKeyword:
			a.Names = append(a.Names, n.Str)
			a.Named = append(a.Named, ev.eval(n.A))
		default:
			a.List = append(a.List, ev.eval(n))
		}
	}
	return a
}

func (ev *Eval) callNode(n *Node) Val {
	if n.A.Op == OpSuper {
		args := ev.arguments(n.List)
		if ev.py {
			return ev.Super()
		}
		return ev.superCall(args)
	}
	fn, this := ev.callee(n.A)
	if (n.Opt || n.A.Opt) && (nullish(fn) || nullish(this) && n.A.Opt) {
		return Undef{}
	}
	if f, ok := fn.(*Fn); ok && f.Def != nil && !f.Def.Arrow && n.A.Op == OpFunc {
		this = Undef{}
	}
	args := ev.arguments(n.List)
	if ev.halt != running {
		return NewUnk()
	}
	ev.Line = int(n.Line)
	name := ""
	switch n.A.Op {
	case OpMember:
		name = n.A.Str
	case OpIndex:
		if n.A.B.Op == OpStr {
			name = n.A.B.Str
		}
	}
	helper := name
	if n.A.Op == OpName {
		helper = n.A.Str
	}
	if strings.HasPrefix(helper, "_") {
		if v, ok := ev.Lang.Helper(ev, helper, args); ok {
			return v
		}
	}
	if name != "" {
		return ev.CallMethod(this, fn, name, args)
	}
	return ev.Call(fn, this, args)
}

// CallMethod calls recv.name where fn is what recv has under that name.
func (ev *Eval) CallMethod(recv, fn Val, name string, args Args) Val {
	switch f := fn.(type) {
	case *Fn, *Native, *Go:
		return ev.Call(f, recv, args)
	case *Union:
		callable := false
		for _, a := range f.Alts {
			switch a.(type) {
			case *Fn, *Native, *Go:
				callable = true
			}
		}
		if callable {
			return ev.Call(f, recv, args)
		}
	}
	if u, ok := recv.(*Union); ok {
		var v Val
		handled, all := false, true
		for _, a := range u.Alts {
			if nullish(a) {
				continue
			}
			if r, ok := ev.Lang.Method(ev, a, name, args); ok {
				v, handled = Join(v, r), true
			} else {
				all = false
			}
		}
		if handled {
			if !all {
				v = Join(v, NewUnk())
			}
			return v
		}
	}
	switch r := recv.(type) {
	case string:
		ev.Charge(len(r))
	case *Arr:
		ev.Charge(len(r.Elems))
	}
	if v, ok := ev.Lang.Method(ev, recv, name, args); ok {
		return v
	}
	if ev.lost(recv) {
		ev.byName(name, args)
	}
	ev.callbacks(args)
	return NewUnk()
}

// lost reports receivers whose class the evaluator does not know.
func (ev *Eval) lost(recv Val) bool {
	switch r := recv.(type) {
	case *Unk:
		return true
	case *Obj:
		return r.Open
	case *Union:
		for _, a := range r.Alts {
			if ev.lost(a) {
				return true
			}
		}
	}
	return false
}

// byName follows the program's own methods of that name.
func (ev *Eval) byName(name string, args Args) {
	if commonMethod(name) {
		return
	}
	list := ev.methods[name]
	if len(list) == 0 || len(list) > 4 {
		return
	}
	for _, f := range list {
		this := Val(NewUnk())
		a := args
		if f.home != nil && f.home.Ctor != nil {
			o := ev.NewObj()
			o.Proto, o.Open = f.home, true
			this = o
		}
		if f.Def != nil && f.Def.Self {
			a.List = append([]Val{this}, args.List...)
		}
		ev.branch(func() { ev.Contained(func() { ev.Call(f, this, a) }) })
	}
}

// commonMethod are names that say too little to look a method up by.
func commonMethod(name string) bool {
	switch name {
	case "then", "catch", "finally", "get", "set", "push", "pop", "map", "forEach", "filter", "on", "once", "off", "toString", "call", "apply", "bind",
		"next", "return", "throw", "add", "has", "delete", "keys", "values", "entries", "join", "split", "replace", "concat", "slice", "test", "exec",
		"write", "read", "end", "close", "open", "pipe", "emit", "trim", "match", "find", "some", "every", "reduce", "sort", "includes", "indexOf",
		"append", "update", "items", "copy", "format", "strip", "info", "debug", "warn", "error", "log", "toJSON", "valueOf", "constructor", "create", "parse",
		"send", "clear", "reset", "resolve", "reject", "shift", "unshift", "start", "stop", "name", "length", "type", "default", "data", "message", "equals", "clone":
		return true
	}
	return false
}

// callbacks follows functions that were handed to something that is not followed.
func (ev *Eval) callbacks(args Args) {
	for _, a := range args.List {
		ev.Callback(a)
	}
	for _, a := range args.Named {
		ev.Callback(a)
	}
}

// Callback follows v, or the functions in it, as called later with unknown arguments.
func (ev *Eval) Callback(v Val) { ev.callback(v, 0) }

func (ev *Eval) callback(v Val, depth int) {
	switch f := v.(type) {
	case *Arr: // a list of tasks or handlers
		if depth > 1 {
			return
		}
		for i, e := range f.Elems {
			if i == maxIter {
				return
			}
			ev.callback(e, depth+1)
		}
	case *Fn:
		if f.Class {
			return
		}
		ev.branch(func() { ev.Contained(func() { ev.Call(f, NewUnk(), unknownArgs(f)) }) })
	case *Obj:
		if f.Proto != nil || f.Class {
			return
		}
		for _, k := range f.Keys {
			if g, ok := f.props[k].(*Fn); ok && !g.Class {
				ev.branch(func() { ev.Contained(func() { ev.Call(g, f, unknownArgs(g)) }) })
			}
		}
	case *Union:
		for _, a := range f.Alts {
			ev.callback(a, depth)
		}
	}
}

// Callbacks follows the functions among args.
func (ev *Eval) Callbacks(args Args) { ev.callbacks(args) }

func unknownArgs(f *Fn) Args {
	a := Args{Open: true}
	if f.Def != nil {
		for range f.Def.Params {
			a.List = append(a.List, NewUnk())
		}
	}
	return a
}

// Call calls any value.
func (ev *Eval) Call(fn, this Val, args Args) Val {
	if ev.halt != running {
		return NewUnk()
	}
	switch f := fn.(type) {
	case *Fn:
		if f.IsBound {
			args.List = append(append([]Val(nil), f.Bound...), args.List...)
			this = f.This
		}
		if f.Class {
			return ev.Construct(f, args)
		}
		return ev.callFn(f, this, args)
	case *Native:
		return ev.Lang.Call(ev, f, this, args, false)
	case *Go:
		return f.Do(ev, this, args)
	case *Obj:
		if ev.py {
			if m, holder := f.Find("__call__"); holder != nil {
				return ev.Call(ev.access(m, f, holder), f, args)
			}
		}
	case *Union:
		var v Val
		for _, a := range f.Alts {
			switch a.(type) {
			case *Fn, *Native, *Go, *Obj:
				ev.branch(func() { v = Join(v, ev.Call(a, this, args)) })
			}
		}
		if v != nil {
			return v
		}
	}
	ev.callbacks(args)
	return NewUnk()
}

// callFn follows a function of the program.
func (ev *Eval) callFn(f *Fn, this Val, args Args) Val {
	d := f.Def
	if d == nil {
		return Undef{}
	}
	limit := maxCalls
	if d.cost > ev.Opts.MaxSteps/40 {
		limit = 3
	}
	if d.active >= maxRecursion || ev.calls >= maxCallDepth || d.calls >= limit {
		return NewUnk()
	}
	d.calls++
	d.active++
	ev.calls++
	steps := ev.steps
	fr := &frame{fn: f, this: this, args: args, name: f.Name}
	if d.Arrow {
		fr.this = f.This
		if ev.frame != nil && f.Name == "" {
			fr.name = ev.frame.name
		}
	}
	if d.Gen {
		fr.yields = ev.NewArr()
	}
	oldScope, oldFrame, oldFile, oldLine, oldMaybe, oldOnError := ev.scope, ev.frame, ev.File, ev.Line, ev.maybe, ev.onError
	ev.scope = &Scope{parent: f.Scope, fn: true, file: f.Scope.file}
	ev.frame = fr
	if f.Scope.file != nil {
		ev.File = f.Scope.file
	}
	ev.params(d, args)
	if d.Expr != nil {
		fr.ret = ev.eval(d.Expr)
	} else {
		ev.block(d.Body())
	}
	falls := ev.halt == running
	ev.scope, ev.frame, ev.File, ev.Line, ev.onError = oldScope, oldFrame, oldFile, oldLine, oldOnError
	if ev.halt != threw && ev.halt != exited {
		ev.maybe = oldMaybe
	}
	d.active--
	ev.calls--
	d.cost += ev.steps - steps
	return ev.result(f, fr, falls)
}

// result is what a call returns, after its end has been handled.
func (ev *Eval) result(f *Fn, fr *frame, falls bool) Val {
	if ev.halt == returned || ev.halt == broke || ev.halt == continued {
		ev.halt = running
	}
	if f.Def.Async && !ev.spent {
		switch {
		case ev.halt == threw && !ev.py:
			ev.halt = running
			return &Rejected{NewUnk()}
		case ev.halt == exited && fr.awaited && !ev.py:
			ev.halt = running
			ev.maybe++
		}
	}
	if fr.yields != nil {
		if fr.ret != nil && len(fr.yields.Elems) == 0 {
			return fr.ret
		}
		fr.yields.Open = true
		return fr.yields
	}
	ret := fr.ret
	if falls && f.Def.Expr == nil {
		if ev.py {
			ret = Join(ret, Null{})
		} else {
			ret = Join(ret, Undef{})
		}
	}
	if ret == nil {
		return NewUnk()
	}
	return ret
}

// params binds parameters.
func (ev *Eval) params(d *Func, args Args) {
	used := 0
	for i, p := range d.Params {
		switch p.Op {
		case OpSpread:
			if p.Str == "**" {
				o := ev.NewObj()
				for k, n := range args.Names {
					o.Put(n, args.Named[k])
				}
				ev.bind(p.A, o, ev.scope)
				continue
			}
			rest := ev.NewArr()
			if i < len(args.List) {
				rest.Add(args.List[i:]...)
			}
			rest.Open = args.Open
			ev.bind(p.A, rest, ev.scope)
			used = len(args.List)
		default:
			v := args.At(used)
			if len(args.Names) > 0 {
				name := p.Str
				if p.Op == OpAssign {
					name = p.A.Str
				}
				v = args.Get(name, used)
			}
			used++
			if ev.py && p.Op == OpName {
				if _, undef := v.(Undef); undef {
					v = NewUnk()
				}
			}
			ev.bind(p, v, ev.scope)
		}
	}
}

func (ev *Eval) newNode(n *Node) Val {
	fn := ev.eval(n.A)
	args := ev.arguments(n.List)
	ev.Line = int(n.Line)
	if ev.halt != running {
		return NewUnk()
	}
	var v Val
	for _, f := range Alts(fn) {
		switch f := f.(type) {
		case *Fn:
			v = Join(v, ev.Construct(f, args))
		case *Native:
			v = Join(v, ev.Lang.Call(ev, f, Undef{}, args, true))
		case *Go:
			v = Join(v, f.Do(ev, Undef{}, args))
		}
	}
	if v == nil {
		ev.callbacks(args)
		return NewUnk()
	}
	return v
}

// Construct makes an instance of a class or function of the program.
func (ev *Eval) Construct(f *Fn, args Args) Val {
	o := ev.NewObj()
	o.Proto = f.Prototype()
	o.Ctor = f
	for p, n := o.Proto, 0; p != nil && n < 32; p, n = p.Proto, n+1 {
		o.Open = o.Open || p.Open
		if p.Base != nil && o.Base == nil {
			o.Base = p.Base
		}
	}
	if ev.py {
		if m, holder := o.Find("__init__"); holder != nil {
			ev.Call(ev.access(m, o, holder), o, args)
		} else {
			ev.dataclass(o, f, args)
		}
		return o
	}
	if r := ev.initialise(o, f, args, 0); r != nil {
		return r
	}
	return o
}

// dataclass stores the arguments of a class without a constructor in its annotated fields.
func (ev *Eval) dataclass(o *Obj, f *Fn, args Args) {
	var names []string
	for c, n := f, 0; c != nil && n < 16; n++ {
		names = append(append([]string(nil), c.Names...), names...)
		parent, _ := c.Parent.(*Fn)
		c = parent
	}
	for i, name := range names {
		v := args.Get(name, i)
		if _, none := v.(Undef); !none {
			o.Put(name, v)
		} else if _, holder := o.Find(name); holder == nil {
			o.Put(name, NewUnk())
		}
	}
}

// initialise runs the constructor of f on o; it returns what that returned instead of o.
func (ev *Eval) initialise(o *Obj, f *Fn, args Args, depth int) Val {
	if depth > 16 {
		return nil
	}
	parent, derived := f.Parent.(*Fn)
	if f.Class && f.Def == nil && derived {
		ev.initialise(o, parent, args, depth+1)
	}
	if !derived || f.Def == nil {
		ev.fields(o, f)
	}
	if f.Def == nil {
		if n, ok := f.Parent.(*Native); ok {
			ev.Lang.Call(ev, n, o, args, true)
		}
		return nil
	}
	g := f
	if f.Class {
		g = &Fn{Def: f.Def, Scope: f.Scope, Name: f.Name, home: f.Prototype(), cond: f.cond}
	}
	if r, ok := ev.callFn(g, o, args).(*Obj); ok && r != o {
		return r
	}
	return nil
}

func (ev *Eval) fields(o *Obj, f *Fn) {
	old := ev.scope
	ev.scope = f.Scope
	if ev.scope == nil {
		ev.scope = old
	}
	for _, m := range f.Fields {
		if m.B == nil {
			o.Put(textOf(ev.key(m.A)), Undef{})
			continue
		}
		fn, ok := ev.function(m.B).(*Fn)
		if !ok {
			continue
		}
		fn.This, fn.home = o, f.Prototype()
		v := ev.Call(fn, o, Args{})
		name := textOf(ev.key(m.A))
		o.Put(name, v)
		ev.register(name, v)
	}
	ev.scope = old
}

// superCall is super(...) in a JavaScript constructor.
func (ev *Eval) superCall(args Args) Val {
	if ev.frame == nil || ev.frame.fn == nil || ev.frame.fn.home == nil {
		ev.callbacks(args)
		return Undef{}
	}
	o, ok := ev.frame.this.(*Obj)
	class := ev.frame.fn.home.Ctor
	if !ok || class == nil {
		return Undef{}
	}
	switch parent := class.Parent.(type) {
	case *Fn:
		ev.initialise(o, parent, args, 1)
	case *Native:
		ev.Lang.Call(ev, parent, o, args, true)
	default:
		ev.callbacks(args)
	}
	ev.fields(o, class)
	return Undef{}
}

// Await is the value of a promise.
func (ev *Eval) Await(v Val) Val {
	switch p := v.(type) {
	case *Rejected:
		ev.halt = threw
		return NewUnk()
	case *Union:
		var r Val
		for _, a := range p.Alts {
			if _, ok := a.(*Rejected); ok {
				ev.Fallible++
				continue
			}
			r = Join(r, a)
		}
		return r
	}
	return v
}
