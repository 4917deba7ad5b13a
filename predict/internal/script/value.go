package script

import (
	"math"
	"slices"
	"strings"
)

// Val is an abstract value: Undef, Null, bool, float64, string, or a pointer to one of the
// types below. nil is not a value.
type Val any

type (
	// Undef is undefined.
	Undef struct{}
	// Null is null and None.
	Null struct{}

	// Unk is a value that is not known. Text holds what is known of it as text, with Holes.
	Unk struct {
		Text string
		Env  string // the environment variable it was read from
		// Likely, when not nil, is what it is unless something failed: the error that a
		// callback is given, the exit status of a child.
		Likely Val
	}

	// Obj is an object, a dict, an instance or a module.
	Obj struct {
		Keys  []string
		props map[string]Val
		Proto *Obj
		Open  bool // it may have properties that are not listed
		Rest  Val  // values stored under unknown keys
		Base  Val  // the native class that its class extends
		Ctor  *Fn
		Env   bool // it starts as a copy of the environment
		Class bool // a prototype: functions found through it are methods
		cond  int
	}

	// Arr is an array, list or tuple.
	Arr struct {
		Elems []Val
		Open  bool // there may be more elements
		cond  int
	}

	// Fn is a function or class of the program.
	Fn struct {
		Def     *Func
		Scope   *Scope
		Name    string
		This    Val // of an arrow or a bound function
		Bound   []Val
		IsBound bool
		Class   bool
		Parent  Val
		Fields  []*Node
		Names   []string // annotated fields of a Python class, the parameters of a dataclass
		Props   *Obj
		proto   *Obj
		home    *Obj // the prototype it was defined on, for super
		cond    int
	}

	// Native is a function, class, module or instance of the platform or of a package that
	// is described by a table. Path names it, such as "fs.writeFile".
	Native struct {
		Path string
		Recv Val // what it was taken from or made of, where that matters
	}

	// Go is a function of the scanner.
	Go struct {
		Do func(ev *Eval, this Val, args Args) Val
	}

	// Accessor is a property with a getter.
	Accessor struct{ Get Val }

	// Union is one of a few values.
	Union struct{ Alts []Val }

	// Rejected is a promise that is known to fail.
	Rejected struct{ Why Val }
)

// Args are the arguments of a call.
type Args struct {
	List  []Val
	Names []string // of keyword arguments
	Named []Val
	Open  bool // more positional arguments may follow
}

// At is the i-th positional argument, Undef where there is none.
func (a Args) At(i int) Val {
	if i < len(a.List) {
		return a.List[i]
	}
	if a.Open {
		return NewUnk()
	}
	return Undef{}
}

// Get is the keyword argument, or the i-th positional one (i < 0: keyword only).
func (a Args) Get(name string, i int) Val {
	for k, n := range a.Names {
		if n == name {
			return a.Named[k]
		}
	}
	if i >= 0 {
		return a.At(i)
	}
	return Undef{}
}

// NewUnk is a value about which nothing is known.
func NewUnk() *Unk { return &Unk{Text: Hole} }

const (
	maxAlts = 8
	maxText = 16 << 10
)

// FromPattern turns a text with holes into a value.
func FromPattern(s string) Val {
	if len(s) > maxText {
		s = s[:maxText] + Hole
	}
	if strings.Contains(s, Hole) {
		return &Unk{Text: s}
	}
	return s
}

func (ev *Eval) NewObj() *Obj { return &Obj{cond: ev.cond} }

func (ev *Eval) NewArr(elems ...Val) *Arr { return &Arr{Elems: elems, cond: ev.cond} }

// Add appends elements. A list that grows past all sense becomes one of unknown length.
func (a *Arr) Add(elems ...Val) {
	const most = 2000
	if room := most - len(a.Elems); len(elems) > room {
		elems, a.Open = elems[:max(0, room)], true
	}
	a.Elems = append(a.Elems, elems...)
}

// Own is the property of o itself.
func (o *Obj) Own(name string) (Val, bool) {
	v, ok := o.props[name]
	return v, ok
}

// Find looks up a property along the prototypes; holder is where it was found.
func (o *Obj) Find(name string) (v Val, holder *Obj) {
	for p, n := o, 0; p != nil && n < 32; p, n = p.Proto, n+1 {
		if v, ok := p.props[name]; ok {
			return v, p
		}
	}
	return nil, nil
}

// Put sets a property regardless of conditions.
func (o *Obj) Put(name string, v Val) {
	if o.props == nil {
		o.props = make(map[string]Val, 4)
	}
	if _, ok := o.props[name]; !ok {
		o.Keys = append(o.Keys, name)
	}
	o.props[name] = v
}

func (o *Obj) remove(name string) {
	if _, ok := o.props[name]; ok {
		delete(o.props, name)
		o.Keys = slices.DeleteFunc(o.Keys, func(k string) bool { return k == name })
	}
}

// Proto is the prototype object of instances made by f.
func (f *Fn) Prototype() *Obj {
	if f.proto == nil {
		f.proto = &Obj{Class: true, Ctor: f, cond: f.cond}
	}
	return f.proto
}

func (f *Fn) own() *Obj {
	if f.Props == nil {
		f.Props = &Obj{cond: f.cond}
	}
	return f.Props
}

// same reports values that are certainly equal.
func same(a, b Val) bool {
	switch a := a.(type) {
	case Undef:
		_, ok := b.(Undef)
		return ok
	case Null:
		_, ok := b.(Null)
		return ok
	case bool, float64, string:
		return a == b
	case *Native:
		n, ok := b.(*Native)
		return ok && n.Path == a.Path && n.Recv == nil && a.Recv == nil
	case *Unk:
		u, ok := b.(*Unk)
		return ok && u.Text == a.Text && u.Env == a.Env && u.Likely == a.Likely
	}
	return a == b
}

// Join is one of a or b.
func Join(a, b Val) Val {
	if a == nil {
		return b
	}
	if b == nil || same(a, b) {
		return a
	}
	u, ok := a.(*Union)
	if _, many := b.(*Union); ok && !many && contains(u.Alts, b) {
		return a
	}
	alts := make([]Val, 0, 4)
	for _, v := range [2]Val{a, b} {
		if u, ok := v.(*Union); ok {
			for _, x := range u.Alts {
				if !contains(alts, x) {
					alts = append(alts, x)
				}
			}
		} else if !contains(alts, v) {
			alts = append(alts, v)
		}
	}
	if len(alts) == 1 {
		return alts[0]
	}
	if len(alts) > maxAlts {
		return widen(alts)
	}
	return &Union{alts}
}

func contains(list []Val, v Val) bool {
	for _, x := range list {
		if same(x, v) {
			return true
		}
	}
	return false
}

// widen gives up the alternatives but keeps functions and what texts begin with.
func widen(alts []Val) Val {
	prefix, first := "", true
	var keep []Val
	for _, v := range alts {
		switch v := v.(type) {
		case *Fn, *Native, *Obj, *Arr:
			if len(keep) < maxAlts-1 {
				keep = append(keep, v)
			}
		case string, *Unk:
			t := textOf(v)
			t, _, _ = strings.Cut(t, Hole)
			if first {
				prefix, first = t, false
			}
			for !strings.HasPrefix(t, prefix) {
				prefix = prefix[:len(prefix)-1]
			}
		}
	}
	u := &Unk{Text: prefix + Hole}
	if len(keep) == 0 {
		return u
	}
	return &Union{append(keep, u)}
}

// Alts lists the values that v may be.
func Alts(v Val) []Val {
	if u, ok := v.(*Union); ok {
		return u.Alts
	}
	return []Val{v}
}

// textOf is v as text, with a Hole for what is not known.
func textOf(v Val) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return FormatNumber(v)
	case bool:
		if v {
			return "true"
		}
		return "false"
	case *Unk:
		return v.Text
	case *Arr:
		if v.Open {
			return Hole
		}
		parts := make([]string, len(v.Elems))
		for i, e := range v.Elems {
			parts[i] = textOf(e)
		}
		return strings.Join(parts, ",")
	case *Obj:
		if s, ok := v.Own("\x00text"); ok {
			return textOf(s)
		}
	case *Native:
		if v.Recv != nil {
			if s, ok := v.Recv.(string); ok {
				return s
			}
			if u, ok := v.Recv.(*Unk); ok {
				return u.Text
			}
		}
	case Undef:
		return "undefined"
	case Null:
		return "null"
	}
	return Hole
}

// Text is v as text with Holes.
func Text(v Val) string { return textOf(v) }

// Values are the texts that v may be. undefined, null and booleans are left out of a union:
// a program that uses the value as a text has excluded them.
func Values(v Val) []Value {
	u, ok := v.(*Union)
	if !ok {
		switch v.(type) {
		case Undef, Null:
			return []Value{Pattern(Hole)} // a value that was lost, more often than one that is used
		}
		return []Value{Pattern(textOf(v))}
	}
	var list []Value
	for _, a := range u.Alts {
		switch a.(type) {
		case Undef, Null, bool:
			continue
		}
		x := Pattern(textOf(a))
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return []Value{Pattern(Hole)}
	}
	return list
}

// OneValue is v as one text.
func OneValue(v Val) Value {
	if l := Values(v); len(l) == 1 {
		return l[0]
	}
	if u, ok := v.(*Union); ok {
		return Pattern(textOf(widen(u.Alts)))
	}
	return Pattern(Hole)
}

// Concat joins texts.
func Concat(parts ...Val) Val {
	texts := []string{""}
	for _, p := range parts {
		alts := Values(p)
		if len(texts)*len(alts) > maxAlts {
			alts = []Value{OneValue(p)}
		}
		next := make([]string, 0, len(texts)*len(alts))
		for _, t := range texts {
			for _, a := range alts {
				if len(t) > maxText {
					next = append(next, t)
					continue
				}
				if strings.HasSuffix(t, Hole) && strings.HasPrefix(a.Text, Hole) {
					next = append(next, t+a.Text[1:])
				} else {
					next = append(next, t+a.Text)
				}
			}
		}
		texts = next
	}
	var v Val
	for _, t := range texts {
		v = Join(v, FromPattern(t))
	}
	return v
}

// NewLikely is an unknown that is v unless something failed.
func NewLikely(v Val) *Unk { return &Unk{Text: Hole, Likely: v} }

// likely is v, or what it is unless something failed; ok says that v is such an unknown.
func likely(v Val) (Val, bool) {
	if u, ok := v.(*Unk); ok && u.Likely != nil {
		return u.Likely, true
	}
	return v, false
}

// Truthy tells what v is as a condition.
func (ev *Eval) Truthy(v Val) (value, known bool) {
	switch v := v.(type) {
	case Undef, Null:
		return false, true
	case bool:
		return v, true
	case float64:
		return v != 0 && !math.IsNaN(v), true
	case string:
		return v != "", true
	case *Unk:
		if strings.Trim(v.Text, Hole) != "" {
			return true, true
		}
		return false, false
	case *Native:
		if strings.Contains(v.Path, "().") || strings.HasPrefix(v.Path, "pkg:") && strings.Contains(v.Path, ".") {
			return false, false // a property of an instance, or of a package: a function or any value
		}
	case *Arr:
		if ev.py {
			if len(v.Elems) > 0 {
				return true, true
			}
			return false, !v.Open
		}
	case *Obj:
		if ev.py && v.Ctor == nil && v.Proto == nil {
			if len(v.Keys) > 0 {
				return true, true
			}
			return false, !v.Open && v.Rest == nil
		}
	case *Union:
		first := true
		for _, a := range v.Alts {
			t, k := ev.Truthy(a)
			if !k || !first && t != value {
				return false, false
			}
			value, first = t, false
		}
		return value, true
	}
	return true, true
}

// Equal tells whether a and b are equal; known is false where that is open.
func (ev *Eval) Equal(a, b Val, strict bool) (value, known bool) {
	for _, v := range []Val{a, b} {
		if _, ok := v.(*Union); ok {
			return ev.equalUnion(a, b, strict)
		}
	}
	ua, aUnk := a.(*Unk)
	ub, bUnk := b.(*Unk)
	switch {
	case aUnk && bUnk:
		return false, false
	case aUnk:
		return false, couldNot(ua, b)
	case bUnk:
		return false, couldNot(ub, a)
	}
	if same(a, b) {
		return true, true
	}
	if !strict {
		_, an := a.(Null)
		_, au := a.(Undef)
		_, bn := b.(Null)
		_, bu := b.(Undef)
		if (an || au) && (bn || bu) {
			return true, true
		}
		if prim(a) && prim(b) && textOf(a) == textOf(b) {
			return true, true
		}
	}
	if nativeish(a) || nativeish(b) {
		_, af := a.(*Fn)
		_, bf := b.(*Fn)
		if prim(a) != prim(b) && !af && !bf {
			switch a.(type) {
			case Undef, Null:
				return false, true
			}
			switch b.(type) {
			case Undef, Null:
				return false, true
			}
		}
		return false, false
	}
	return false, true
}

func (ev *Eval) equalUnion(a, b Val, strict bool) (value, known bool) {
	first := true
	for _, x := range Alts(a) {
		for _, y := range Alts(b) {
			v, k := ev.Equal(x, y, strict)
			if !k || !first && v != value {
				return false, false
			}
			value, first = v, false
		}
	}
	return value, !first
}

func prim(v Val) bool {
	switch v.(type) {
	case Undef, Null, bool, float64, string:
		return true
	}
	return false
}

func nativeish(v Val) bool {
	switch v.(type) {
	case *Native, *Go, *Rejected, *Accessor:
		return true
	}
	return false
}

// couldNot reports that the unknown u cannot be v: its known ends differ from v's.
func couldNot(u *Unk, v Val) bool {
	if u.Text == Hole {
		return false
	}
	s, ok := v.(string)
	if !ok {
		_, isNull := v.(Null)
		_, isUndef := v.(Undef)
		return isNull || isUndef
	}
	first := strings.Index(u.Text, Hole)
	last := strings.LastIndex(u.Text, Hole)
	return !strings.HasPrefix(s, u.Text[:first]) || !strings.HasSuffix(s, u.Text[last+1:])
}
