package script

import (
	"math"
	"strings"
)

func (ev *Eval) unary(n *Node) Val {
	if n.Str == "typeof" && n.A.Op == OpName && ev.lookup(n.A.Str) == nil {
		if _, ok := ev.Lang.Global(ev, n.A.Str); !ok {
			return "undefined"
		}
	}
	if n.Str == "!" || n.Str == "not" {
		v := ev.test(n)
		if v.known {
			return v.value
		}
		if v.leans {
			return NewLikely(v.value)
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
	case *Native:
		return typeOfNative(v.Path)
	case *Unk:
		if v.Text != Hole {
			return "string"
		}
	}
	return NewUnk()
}

// typeOfNative tells the platform's modules, which are objects, from its functions.
func typeOfNative(path string) Val {
	switch path {
	case "fs", "fs.promises", "path", "os", "process", "process.env", "Math", "JSON", "console", "Reflect", "Intl", "global", "child_process", "import.meta", "WebAssembly", "crypto", "performance":
		return "object"
	}
	if strings.Contains(path, "()") || strings.HasPrefix(path, "pkg:") || strings.HasSuffix(path, ".prototype") {
		return NewUnk()
	}
	return "function"
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
	x, ok := likely(a)
	y, ok2 := likely(b)
	if !ok && !ok2 {
		return ev.operate(op, a, b)
	}
	r := ev.operate(op, a, b)
	if u, isUnk := r.(*Unk); isUnk && u.Likely == nil {
		if v := ev.operate(op, x, y); prim(v) {
			return &Unk{Text: u.Text, Env: u.Env, Likely: v}
		}
	}
	return r
}

func (ev *Eval) operate(op string, a, b Val) Val {
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
			return ev.concat(a, b)
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
	ev.side(ev.judge(a), n.Str == "&&", func() { b = ev.eval(n.B) })
	switch n.Str {
	case "||", "??":
		a = dropFalsy(a)
	}
	return Join(a, b)
}

// verdict is what is known of a condition.
type verdict struct {
	value bool
	known bool
	leans bool // not known, but value unless something failed
}

func (ev *Eval) judge(v Val) verdict {
	if t, known := ev.Truthy(v); known {
		return verdict{t, true, false}
	}
	if x, ok := likely(v); ok {
		t, known := ev.Truthy(x)
		return verdict{t, false, known}
	}
	return verdict{}
}

// test evaluates a condition. It knows that "x || true" holds whatever x is.
func (ev *Eval) test(n *Node) verdict {
	if n != nil && n.Op == OpUnary && (n.Str == "!" || n.Str == "not") {
		v := ev.test(n.A)
		v.value = !v.value
		return v
	}
	if n == nil || n.Op != OpLogical || n.Str == "??" || ev.depth > maxEvalDepth-10 {
		return ev.judge(ev.eval(n))
	}
	ev.depth++
	defer func() { ev.depth-- }()
	stop := n.Str == "||"
	a := ev.test(n.A)
	if a.known {
		if a.value == stop {
			return a
		}
		return ev.test(n.B)
	}
	var b verdict
	ev.side(a, !stop, func() { b = ev.test(n.B) })
	switch {
	case b.known && b.value == stop:
		return b
	case a.leans && a.value == stop:
		return a
	case a.leans && (b.known || b.leans):
		return verdict{b.value, false, true}
	case b.leans && b.value == stop:
		return verdict{stop, false, true}
	}
	return verdict{}
}

// side runs one side of a condition that is not decided; taken is the truth that leads there.
// The side against which the condition leans runs only when something failed.
func (ev *Eval) side(v verdict, taken bool, do func()) {
	if v.leans && v.value != taken {
		ev.OnError(func() { ev.branch(do) })
		return
	}
	ev.branch(do)
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
	v := ev.test(n.A)
	if v.known {
		if v.value {
			return ev.eval(n.B)
		}
		return ev.eval(n.C)
	}
	var a, b Val
	ev.side(v, true, func() { a = ev.eval(n.B) })
	ev.side(v, false, func() { b = ev.eval(n.C) })
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

func (ev *Eval) concat(parts ...Val) Val {
	v := Concat(parts...)
	if s, ok := v.(string); ok {
		ev.Charge(len(s))
	}
	return v
}
