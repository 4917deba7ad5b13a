package script

import (
	"math"
	"strings"
)

// eval is the value of an expression.
func (ev *Eval) eval(n *Node) Val {
	if n == nil {
		return Undef{}
	}
	if ev.halt != running || !ev.step(n) {
		return NewUnk()
	}
	if ev.depth++; ev.depth > maxEvalDepth {
		ev.depth--
		ev.Line = int(n.Line)
		ev.Unknown("an expression nested too deeply")
		return NewUnk()
	}
	v := ev.expr(n)
	ev.depth--
	if v == nil {
		return NewUnk()
	}
	return v
}

// Eval is the value of an expression.
func (ev *Eval) Eval(n *Node) Val { return ev.eval(n) }

func (ev *Eval) expr(n *Node) Val {
	switch n.Op {
	case OpName:
		return ev.name(n)
	case OpStr:
		return n.Str
	case OpNum:
		if v, ok := ParseNumber(n.Str); ok {
			return v
		}
		return NewUnk()
	case OpRegex:
		return &Native{Path: "RegExp()", Recv: n.Str}
	case OpTrue:
		return true
	case OpFalse:
		return false
	case OpNull:
		return Null{}
	case OpUndef:
		return Undef{}
	case OpThis:
		if ev.frame != nil && ev.frame.this != nil {
			return ev.frame.this
		}
		return Undef{}
	case OpConcat:
		parts := make([]Val, len(n.List))
		for i, p := range n.List {
			parts[i] = ev.eval(p)
		}
		return Concat(parts...)
	case OpArray, OpTuple:
		return ev.array(n)
	case OpObject:
		return ev.object(n)
	case OpFunc:
		return ev.function(n)
	case OpClass:
		return ev.class(n)
	case OpUnary:
		return ev.unary(n)
	case OpUpdate:
		return ev.update(n)
	case OpBinary:
		a := ev.eval(n.A)
		b := ev.eval(n.B)
		return ev.binary(n.Str, a, b)
	case OpLogical:
		return ev.logical(n)
	case OpAssign:
		return ev.assign(n)
	case OpCond:
		return ev.conditional(n)
	case OpCall:
		return ev.callNode(n)
	case OpNew:
		return ev.newNode(n)
	case OpMember:
		obj := ev.eval(n.A)
		if n.Opt && nullish(obj) {
			return Undef{}
		}
		ev.Line = int(n.Line)
		return ev.get(obj, n.Str)
	case OpIndex:
		obj := ev.eval(n.A)
		if n.Opt && nullish(obj) {
			return Undef{}
		}
		key := ev.eval(n.B)
		ev.Line = int(n.Line)
		return ev.index(obj, key)
	case OpSlice:
		return ev.slice(n)
	case OpSeq:
		var v Val = Undef{}
		for _, e := range n.List {
			v = ev.eval(e)
		}
		return v
	case OpAwait:
		v := ev.eval(n.A)
		if ev.frame != nil {
			ev.frame.awaited = true
		}
		return ev.Await(v)
	case OpYield:
		v := ev.eval(n.A)
		if ev.frame != nil && ev.frame.yields != nil && len(ev.frame.yields.Elems) < 50 {
			ev.frame.yields.Elems = append(ev.frame.yields.Elems, v)
		}
		if _, ok := v.(Undef); ok {
			return NewUnk()
		}
		return v // __awaiter and co resume with what was yielded
	case OpTagged:
		return ev.tagged(n)
	case OpImport:
		spec := ev.eval(n.A)
		ev.Line = int(n.Line)
		return ev.Lang.Import(ev, n, spec)
	case OpMeta:
		v, _ := ev.Lang.Global(ev, "import.meta")
		return v
	case OpComp:
		return ev.comprehension(n)
	case OpJSX:
		for _, e := range n.List {
			ev.eval(e)
		}
		return NewUnk()
	case OpDelete:
		if n.A.Op == OpMember {
			switch o := ev.eval(n.A.A).(type) {
			case *Obj:
				if ev.cond <= o.cond {
					o.remove(n.A.Str)
				}
			}
		}
		return true
	case OpSpread, OpKeyword:
		return ev.eval(n.A)
	case OpSuper:
		v, _ := ev.Lang.Global(ev, "super")
		return v
	case OpBad:
		ev.Line = int(n.Line)
		ev.Unknown("syntax that is not understood: " + n.Str)
		return NewUnk()
	}
	ev.exec(n) // a statement where an expression stands
	return Undef{}
}

func nullish(v Val) bool {
	switch v.(type) {
	case Undef, Null:
		return true
	}
	return false
}

func (ev *Eval) array(n *Node) Val {
	a := ev.NewArr()
	for _, e := range n.List {
		if e.Op == OpSpread {
			ev.spread(a, ev.eval(e.A))
			continue
		}
		a.Elems = append(a.Elems, ev.eval(e))
	}
	return a
}

func (ev *Eval) spread(a *Arr, v Val) {
	if x, ok := v.(*Arr); ok {
		a.Elems = append(a.Elems, x.Elems...)
		a.Open = a.Open || x.Open
		return
	}
	if u, ok := v.(*Union); ok {
		for _, alt := range u.Alts {
			if x, ok := alt.(*Arr); ok {
				a.Elems = append(a.Elems, x.Elems...)
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
		if o.Base == nil && o.Proto == nil && x.Path != "process.env" {
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
	ev.block(n.List)
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

func (ev *Eval) unary(n *Node) Val {
	if n.Str == "typeof" && n.A.Op == OpName && ev.lookup(n.A.Str) == nil {
		if _, ok := ev.Lang.Global(ev, n.A.Str); !ok {
			return "undefined"
		}
	}
	if n.Str == "!" || n.Str == "not" {
		if t, known := ev.test(n); known {
			return t
		}
		return NewUnk()
	}
	v := ev.eval(n.A)
	switch n.Str {
	case "-":
		if f, ok := v.(float64); ok {
			return -f
		}
	case "+":
		if f, ok := v.(float64); ok {
			return f
		}
		if s, ok := v.(string); ok {
			if f, ok := ParseNumber(s); ok {
				return f
			}
		}
	case "void":
		return Undef{}
	case "typeof":
		return typeOf(v)
	}
	return NewUnk()
}

func typeOf(v Val) Val {
	switch v := v.(type) {
	case Undef:
		return "undefined"
	case Null, *Obj, *Arr:
		return "object"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case *Fn, *Go:
		return "function"
	case *Unk:
		if v.Text != Hole {
			return "string"
		}
	}
	return NewUnk()
}

func (ev *Eval) update(n *Node) Val {
	old := ev.eval(n.A)
	var v Val = NewUnk()
	if f, ok := old.(float64); ok {
		if n.Str == "++" {
			v = f + 1
		} else {
			v = f - 1
		}
	}
	ev.bind(n.A, v, nil)
	return v
}

func (ev *Eval) binary(op string, a, b Val) Val {
	if v, ok := ev.Lang.Binary(ev, op, a, b); ok {
		return v
	}
	switch op {
	case "===", "==", "is":
		if v, known := ev.Equal(a, b, op != "=="); known {
			return v
		}
		return NewUnk()
	case "!==", "!=", "is not":
		if v, known := ev.Equal(a, b, op != "!="); known {
			return !v
		}
		return NewUnk()
	case "instanceof":
		return ev.instanceOf(a, b)
	case "in":
		if o, ok := b.(*Obj); ok {
			if k, ok := a.(string); ok {
				if _, holder := o.Find(k); holder != nil {
					return true
				}
				if !o.Open && o.Rest == nil && o.Base == nil {
					return false
				}
			}
		}
		return NewUnk()
	}
	x, xNum := a.(float64)
	y, yNum := b.(float64)
	if xNum && yNum {
		return arithmetic(op, x, y)
	}
	if op == "+" {
		if _, ok := a.(*Arr); ok && ev.py {
			l := ev.NewArr()
			ev.spread(l, a)
			ev.spread(l, b)
			return l
		}
		if anyText(a) || anyText(b) {
			return Concat(a, b)
		}
	}
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			switch op {
			case "<":
				return s < t
			case ">":
				return s > t
			case "<=":
				return s <= t
			case ">=":
				return s >= t
			}
		}
	}
	return NewUnk()
}

func anyText(v Val) bool {
	switch v := v.(type) {
	case string, *Unk, *Obj, *Native, *Arr:
		return true
	case *Union:
		for _, a := range v.Alts {
			if anyText(a) {
				return true
			}
		}
	}
	return false
}

func (ev *Eval) instanceOf(a, b Val) Val {
	o, ok := a.(*Obj)
	f, isFn := b.(*Fn)
	if ok && isFn {
		for p, n := o.Proto, 0; p != nil && n < 32; p, n = p.Proto, n+1 {
			if p == f.proto {
				return true
			}
		}
		if !o.Open {
			return false
		}
	}
	return NewUnk()
}

func arithmetic(op string, x, y float64) Val {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	case "%":
		if y != 0 {
			return math.Mod(x, y)
		}
	case "**":
		return math.Pow(x, y)
	case "//":
		return math.Floor(x / y)
	case "<":
		return x < y
	case ">":
		return x > y
	case "<=":
		return x <= y
	case ">=":
		return x >= y
	}
	if math.Abs(x) < 1<<53 && math.Abs(y) < 1<<53 {
		switch op {
		case "|":
			return float64(int32(int64(x)) | int32(int64(y)))
		case "&":
			return float64(int32(int64(x)) & int32(int64(y)))
		case "^":
			return float64(int32(int64(x)) ^ int32(int64(y)))
		}
	}
	return NewUnk()
}

// logical evaluates && || ??, and Python's and, or.
func (ev *Eval) logical(n *Node) Val {
	a := ev.eval(n.A)
	var decided, goOn bool
	if n.Str == "??" {
		decided, goOn = true, nullish(a)
		if u, ok := a.(*Union); ok {
			for _, x := range u.Alts {
				decided = decided && !nullish(x)
			}
			if decided {
				goOn = false
			}
		}
		if u, ok := a.(*Unk); ok && strings.Trim(u.Text, Hole) == "" {
			decided = false
		}
	} else {
		var truth bool
		truth, decided = ev.Truthy(a)
		goOn = truth == (n.Str == "&&")
	}
	if decided {
		if !goOn {
			return a
		}
		return ev.eval(n.B)
	}
	var b Val
	ev.branch(func() { b = ev.eval(n.B) })
	switch n.Str {
	case "||", "??":
		a = dropFalsy(a)
	}
	return Join(a, b)
}

// test evaluates a condition. It knows that "x || true" holds whatever x is.
func (ev *Eval) test(n *Node) (truth, known bool) {
	if n != nil && n.Op == OpUnary && (n.Str == "!" || n.Str == "not") {
		t, k := ev.test(n.A)
		return !t && k, k
	}
	if n == nil || n.Op != OpLogical || n.Str == "??" || ev.depth > maxEvalDepth-10 {
		return ev.Truthy(ev.eval(n))
	}
	ev.depth++
	defer func() { ev.depth-- }()
	stop := n.Str == "||"
	a, known := ev.test(n.A)
	if known {
		if a == stop {
			return a, true
		}
		return ev.test(n.B)
	}
	var b, bKnown bool
	ev.branch(func() { b, bKnown = ev.test(n.B) })
	if bKnown && b == stop {
		return b, true
	}
	return false, false
}

// dropFalsy leaves out what || and ?? pass over.
func dropFalsy(v Val) Val {
	u, ok := v.(*Union)
	if !ok {
		return v
	}
	var keep Val
	for _, a := range u.Alts {
		switch a.(type) {
		case Undef, Null:
			continue
		}
		keep = Join(keep, a)
	}
	return keep
}

// branch runs one side of a condition that is not decided.
func (ev *Eval) branch(do func()) {
	ev.cond++
	do()
	ev.cond--
	ev.mayHaltHere()
}

// mayHaltHere turns a way out that was taken in one branch into one that may be taken.
func (ev *Eval) mayHaltHere() {
	if ev.halt != running && !ev.spent {
		ev.halt = running
		ev.maybe++
	}
}

func (ev *Eval) assign(n *Node) Val {
	switch n.Str {
	case "=":
		v := ev.eval(n.B)
		if f, ok := v.(*Fn); ok && f.Name == "" && n.A.Op == OpName {
			f.Name = n.A.Str
		} else if ok && f.Name == "" && n.A.Op == OpMember {
			f.Name = n.A.Str
		}
		ev.Line = int(n.Line)
		ev.bind(n.A, v, nil)
		return v
	case "||=", "&&=", "??=":
		l := &Node{Op: OpLogical, Line: n.Line, Str: n.Str[:2], A: n.A, B: n.B}
		v := ev.logical(l)
		ev.bind(n.A, v, nil)
		return v
	}
	old := ev.eval(n.A)
	v := ev.binary(strings.TrimSuffix(n.Str, "="), old, ev.eval(n.B))
	ev.Line = int(n.Line)
	ev.bind(n.A, v, nil)
	return v
}

func (ev *Eval) conditional(n *Node) Val {
	if t, known := ev.test(n.A); known {
		if t {
			return ev.eval(n.B)
		}
		return ev.eval(n.C)
	}
	var a, b Val
	ev.branch(func() { a = ev.eval(n.B) })
	ev.branch(func() { b = ev.eval(n.C) })
	return Join(a, b)
}

func (ev *Eval) slice(n *Node) Val {
	v := ev.eval(n.A)
	lo, hi := ev.eval(n.B), ev.eval(n.C)
	return ev.SliceOf(v, lo, hi)
}

// SliceOf is v[lo:hi] of a text or list; undefined and null are the ends.
func (ev *Eval) SliceOf(v, lo, hi Val) Val {
	bound := func(x Val, length int, open int) (int, bool) {
		switch x := x.(type) {
		case Undef, Null:
			return open, true
		case float64:
			i := int(x)
			if i < 0 {
				i = max(0, length+i)
			}
			return min(i, length), true
		}
		return 0, false
	}
	switch x := v.(type) {
	case string:
		i, ok1 := bound(lo, len(x), 0)
		j, ok2 := bound(hi, len(x), len(x))
		if ok1 && ok2 {
			return x[i:max(i, j)]
		}
	case *Arr:
		i, ok1 := bound(lo, len(x.Elems), 0)
		j, ok2 := bound(hi, len(x.Elems), len(x.Elems))
		if ok1 && ok2 {
			a := ev.NewArr(append([]Val(nil), x.Elems[i:max(i, j)]...)...)
			a.Open = x.Open
			return a
		}
		a := ev.NewArr(append([]Val(nil), x.Elems...)...)
		a.Open = true
		return a
	case *Union:
		var r Val
		for _, a := range x.Alts {
			r = Join(r, ev.SliceOf(a, lo, hi))
		}
		return r
	}
	return NewUnk()
}

func (ev *Eval) tagged(n *Node) Val {
	tag, this := ev.callee(n.A)
	parts := ev.NewArr()
	args := Args{List: []Val{parts}}
	if n.B.Op == OpConcat {
		for i, p := range n.B.List {
			if i%2 == 0 {
				parts.Elems = append(parts.Elems, p.Str)
			} else {
				args.List = append(args.List, ev.eval(p))
			}
		}
	}
	ev.Line = int(n.Line)
	if nat, ok := tag.(*Native); ok {
		// A native tag is called with the whole text and a mark that it was a tag.
		var all []Val
		for i, p := range parts.Elems {
			all = append(all, p)
			if i+1 < len(args.List) {
				all = append(all, args.List[i+1])
			}
		}
		return ev.Lang.Call(ev, &Native{Path: nat.Path + "``", Recv: nat.Recv}, this, Args{List: []Val{Concat(all...)}}, false)
	}
	return ev.Call(tag, this, args)
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
			out.Elems = append(out.Elems, v)
		}
		return
	}
	l := n.List[i]
	if l.Op == OpIf {
		t, known := ev.test(l.A)
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
