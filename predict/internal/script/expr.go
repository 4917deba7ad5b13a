package script

import ()

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
	}
	return ev.compound(n)
}

// compound evaluates the expressions that have parts.
func (ev *Eval) compound(n *Node) Val {
	switch n.Op {
	case OpConcat:
		parts := make([]Val, len(n.List))
		for i, p := range n.List {
			parts[i] = ev.eval(p)
		}
		return ev.concat(parts...)
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
	}
	return ev.special(n)
}

// special evaluates the rarer expressions.
func (ev *Eval) special(n *Node) Val {
	switch n.Op {
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

func (ev *Eval) tagged(n *Node) Val {
	tag, this := ev.callee(n.A)
	parts := ev.NewArr()
	args := Args{List: []Val{parts}}
	if n.B.Op == OpConcat {
		for i, p := range n.B.List {
			if i%2 == 0 {
				parts.Add(p.Str)
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
