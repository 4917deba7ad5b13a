package script

import (
	"slices"
	"strconv"
)

// ItemMark begins the name that Lang.Member is asked for a Python item, obj["key"], which is
// not the attribute obj.key.
const ItemMark = "\x01"

// ItemsMark is the name that Lang.Member is asked for what a loop over a Native goes through.
const ItemsMark = "\x02"

// get reads a property.
func (ev *Eval) get(obj Val, name string) Val {
	switch o := obj.(type) {
	case *Obj:
		if v, holder := o.Find(name); holder != nil {
			return ev.access(v, obj, holder)
		}
		if o.Base != nil {
			base := o.Base
			if n, ok := base.(*Native); ok && o.Ctor != nil && !o.Class {
				base = &Native{Path: n.Path + "()", Recv: n.Recv} // an instance of the native class
			}
			if v, ok := ev.Lang.Member(ev, base, name); ok {
				return v
			}
		}
		if v, ok := ev.Lang.Member(ev, obj, name); ok {
			return v
		}
		if o.Rest != nil {
			return Join(o.Rest, Undef{})
		}
		if o.Open || o.Env {
			return NewUnk()
		}
		return Undef{}
	case *Fn:
		return ev.getFn(o, name)
	case *Arr:
		if name == "length" && !o.Open {
			return float64(len(o.Elems))
		}
	case string:
		if name == "length" {
			return float64(len(o))
		}
	case *Union:
		var v Val
		for _, a := range o.Alts {
			switch a.(type) {
			case Undef, Null:
				continue
			}
			v = Join(v, ev.get(a, name))
		}
		if v == nil {
			return NewUnk()
		}
		return v
	}
	if v, ok := ev.Lang.Member(ev, obj, name); ok {
		return v
	}
	return NewUnk()
}

// access turns a stored property into the value read from obj.
func (ev *Eval) access(v Val, obj Val, holder *Obj) Val {
	if a, ok := v.(*Accessor); ok {
		return ev.Call(a.Get, obj, Args{})
	}
	if f, ok := v.(*Fn); ok && ev.py && holder.Class && obj != Val(holder) && f.Def != nil && f.Def.Self && !f.IsBound {
		if f.Def.Kind == "property" {
			return ev.Call(f, obj, Args{List: []Val{obj}})
		}
		this := obj
		if f.Def.Kind == "class" {
			if o, ok := obj.(*Obj); ok && o.Ctor != nil {
				this = o.Ctor
			}
		}
		return &Fn{Def: f.Def, Scope: f.Scope, Name: f.Name, This: this, Bound: []Val{this}, IsBound: true, home: f.home, cond: f.cond}
	}
	return v
}

func (ev *Eval) getFn(f *Fn, name string) Val {
	if f.Props != nil {
		if v, ok := f.Props.Own(name); ok {
			return ev.access(v, f, f.Props)
		}
	}
	if name == "prototype" {
		return f.Prototype()
	}
	if name == "name" || name == "__name__" {
		return f.Name
	}
	if ev.py && f.Class {
		if v, holder := f.Prototype().Find(name); holder != nil {
			if m, ok := v.(*Fn); ok && m.Def != nil && m.Def.Kind == "class" {
				return &Fn{Def: m.Def, Scope: m.Scope, Name: m.Name, This: f, Bound: []Val{f}, IsBound: true, home: m.home}
			}
			return v
		}
	}
	if p, ok := f.Parent.(*Fn); ok && f.Class {
		return ev.getFn(p, name)
	}
	if v, ok := ev.Lang.Member(ev, f, name); ok {
		return v
	}
	if f.Props != nil && f.Props.Open {
		return NewUnk()
	}
	return Undef{}
}

// Get reads a property of a value.
func (ev *Eval) Get(obj Val, name string) Val { return ev.get(obj, name) }

// index reads obj[key].
func (ev *Eval) index(obj, key Val) Val {
	switch k := key.(type) {
	case string:
		if n, ok := obj.(*Native); ok && ev.py {
			if v, ok := ev.Lang.Member(ev, n, ItemMark+k); ok {
				return v
			}
			return NewUnk()
		}
		return ev.get(obj, k)
	case float64:
		switch o := obj.(type) {
		case *Arr:
			i := int(k)
			if i < 0 && ev.py {
				i += len(o.Elems)
			}
			if i >= 0 && i < len(o.Elems) {
				return o.Elems[i]
			}
			if o.Open {
				return NewUnk()
			}
			return Undef{}
		case string:
			i := int(k)
			if i < 0 && ev.py {
				i += len(o)
			}
			if i >= 0 && i < len(o) {
				return o[i : i+1]
			}
			return Undef{}
		case *Union:
			var v Val
			for _, a := range o.Alts {
				v = Join(v, ev.index(a, key))
			}
			return v
		}
		return ev.get(obj, FormatNumber(k))
	case *Union:
		var v Val
		for _, a := range k.Alts {
			v = Join(v, ev.index(obj, a))
		}
		return v
	}
	switch o := obj.(type) {
	case *Arr:
		var v Val
		for _, e := range o.Elems {
			v = Join(v, e)
		}
		if v == nil || o.Open {
			return Join(v, NewUnk())
		}
		return v
	case *Obj:
		var v Val
		for _, k := range o.Keys {
			v = Join(v, ev.access(o.props[k], o, o))
		}
		return Join(Join(v, o.Rest), NewUnk())
	case *Native:
		if v, ok := ev.Lang.Member(ev, o, Hole); ok {
			return v
		}
	}
	return NewUnk()
}

// Index reads obj[key].
func (ev *Eval) Index(obj, key Val) Val { return ev.index(obj, key) }

// set stores a property.
func (ev *Eval) set(obj Val, name string, v Val) {
	switch o := obj.(type) {
	case *Obj:
		if old, ok := o.props[name]; ok && ev.cond > o.cond {
			v = Join(old, v)
		} else if ev.cond > o.cond && !o.Class {
			v = Join(Undef{}, v)
		}
		o.Put(name, v)
		ev.register(name, v)
	case *Fn:
		if name == "prototype" {
			if p, ok := v.(*Obj); ok {
				p.Class, p.Ctor = true, o
				o.proto = p
			}
			return
		}
		o.own().Put(name, v)
		ev.register(name, v)
	case *Arr:
		if i, err := strconv.Atoi(name); err == nil {
			ev.setIndex(o, float64(i), v)
		}
	case *Native:
		ev.Lang.Set(ev, o, name, v)
	case *Union:
		for _, a := range o.Alts {
			ev.Conditional(func() { ev.set(a, name, v) })
		}
	}
}

// Set stores a property of a value.
func (ev *Eval) Set(obj Val, name string, v Val) { ev.set(obj, name, v) }

func (ev *Eval) setIndex(obj, key, v Val) {
	switch k := key.(type) {
	case string:
		ev.set(obj, k, v)
		return
	case float64:
		a, ok := obj.(*Arr)
		if !ok {
			ev.set(obj, FormatNumber(k), v)
			return
		}
		i := int(k)
		switch {
		case i >= 0 && i < len(a.Elems) && ev.cond <= a.cond:
			a.Elems[i] = v
		case i >= 0 && i < len(a.Elems):
			a.Elems[i] = Join(a.Elems[i], v)
		case i == len(a.Elems):
			a.Add(v)
		default:
			a.Open = true
		}
		return
	}
	switch o := obj.(type) {
	case *Obj:
		o.Rest = Join(o.Rest, v)
	case *Arr:
		o.Open = true
		if len(o.Elems) < 200 {
			o.Add(v)
		}
	case *Native:
		ev.Lang.Set(ev, o, key, v)
	}
}

// register remembers methods by name, for calls on values that were lost track of.
func (ev *Eval) register(name string, v Val) {
	if f, ok := v.(*Fn); ok && len(ev.methods[name]) < 6 && !slices.Contains(ev.methods[name], f) {
		ev.methods[name] = append(ev.methods[name], f)
	}
}

// HasMethod reports that the program defines a method of that name.
func (ev *Eval) HasMethod(name string) bool { return len(ev.methods[name]) > 0 }
