package script

import "slices"

// block runs statements in the current scope, functions first.
func (ev *Eval) block(list []*Node) {
	if !ev.py {
		for _, n := range list {
			d := n
			if n.Op == OpVar && n.Str == "var" && ev.scope.fn {
				for _, v := range n.List {
					if v.A.Op == OpName && ev.scope.vars[v.A.Str] == nil {
						ev.declare(ev.scope, v.A.Str, Undef{})
					}
				}
			}
			if n.Op == OpExport && n.A != nil {
				d = n.A
			}
			if d.Op == OpFunc && d.Opt && d.Fn.Name != "" {
				ev.declare(ev.scope, d.Fn.Name, ev.function(d))
			}
		}
	}
	for _, n := range list {
		if ev.halt != running {
			return
		}
		ev.exec(n)
	}
}

// Run runs the statements of a module in its scope.
func (ev *Eval) Run(list []*Node) {
	ev.block(list)
	if ev.halt == returned {
		ev.halt = running
	}
}

// nested runs do in a block scope.
func (ev *Eval) nested(do func()) {
	if ev.py {
		do()
		return
	}
	old := ev.scope
	ev.scope = &Scope{parent: old, file: old.file}
	do()
	ev.scope = old
}

func (ev *Eval) exec(n *Node) {
	if n == nil || ev.halt != running || !ev.step(n) {
		return
	}
	if ev.depth++; ev.depth > maxEvalDepth {
		ev.depth--
		ev.Line = int(n.Line)
		ev.Unknown("statements nested too deeply")
		return
	}
	ev.statement(n)
	ev.depth--
}

func (ev *Eval) statement(n *Node) {
	switch n.Op {
	case OpVar:
		for _, d := range n.List {
			ev.declaration(n.Str, d)
		}
	case OpFunc:
		if n.Fn.Name != "" && (n.Opt || ev.py) {
			if ev.py {
				ev.assignName(n.Fn.Name, ev.function(n))
			}
			return // hoisted
		}
		ev.function(n)
	case OpClass:
		c := ev.class(n)
		if n.Str != "" {
			for i := len(n.decorators()) - 1; i >= 0; i-- {
				c = ev.decorate(n.decorators()[i], c)
			}
			if ev.py {
				ev.assignName(n.Str, c)
			} else {
				ev.declare(ev.scope, n.Str, c)
			}
		}
	case OpReturn:
		var v Val = Undef{}
		if ev.py {
			v = Null{}
		}
		if n.A != nil {
			v = ev.eval(n.A)
		}
		if ev.halt == running {
			if ev.frame != nil {
				ev.frame.ret = Join(ev.frame.ret, v)
			}
			ev.halt = returned
		}
	case OpIf:
		ev.ifStatement(n)
	case OpFor:
		ev.nested(func() { ev.forStatement(n) })
	case OpForIn, OpForOf:
		ev.forEach(n)
	case OpWhile:
		ev.while(n.A, nil, n.B, n.C)
	case OpDo:
		ev.exec(n.B)
		ev.endIteration()
	case OpBreak:
		ev.halt = broke
	case OpContinue:
		ev.halt = continued
	default:
		ev.compoundStatement(n)
	}
}

// compoundStatement runs the statements that contain others, and those of modules.
func (ev *Eval) compoundStatement(n *Node) {
	switch n.Op {
	case OpThrow:
		ev.eval(n.A)
		if ev.halt == running {
			ev.halt = threw
		}
	case OpTry:
		ev.try(n)
	case OpSwitch:
		ev.nested(func() { ev.switchStatement(n) })
	case OpBlock:
		ev.nested(func() { ev.block(n.List) })
	case OpWith:
		for _, item := range n.List {
			v := ev.eval(item.B)
			ev.Line = int(item.Line)
			v = ev.enter(v)
			if item.A != nil {
				ev.bind(item.A, v, ev.scope)
			}
		}
		ev.exec(n.C)
	case OpGlobal:
		s := ev.fnScope()
		if s.global == nil {
			s.global = map[string]bool{}
		}
		for _, g := range n.List {
			s.global[g.Str] = true
		}
	case OpImportFrom, OpExportFrom:
		ev.Line = int(n.Line)
		ev.Lang.Import(ev, n, n.Str)
	case OpExport:
		ev.Line = int(n.Line)
		ev.Lang.Export(ev, n)
	case OpEmpty, OpCatch, OpCase, OpAlias:
	default:
		ev.eval(n)
	}
}

// decorators of a class are kept under C.
func (n *Node) decorators() []*Node {
	if n.C == nil {
		return nil
	}
	return n.C.List
}

// enter is the value that a with statement binds.
func (ev *Eval) enter(v Val) Val {
	if o, ok := v.(*Obj); ok {
		if m, holder := o.Find("__exit__"); holder != nil {
			ev.Later(func() {
				ev.Contained(func() { ev.Call(ev.access(m, o, holder), o, Args{List: []Val{Null{}, Null{}, Null{}}}) })
			})
		}
		if m, holder := o.Find("__enter__"); holder != nil {
			return ev.Call(ev.access(m, o, holder), o, Args{})
		}
	}
	return v
}

func (ev *Eval) declaration(kind string, d *Node) {
	s := ev.scope
	if kind == "var" {
		s = ev.fnScope()
		if d.B == nil {
			if d.A.Op == OpName && s.vars[d.A.Str] == nil {
				ev.declare(s, d.A.Str, Undef{})
			}
			return
		}
	}
	v := ev.eval(d.B)
	if f, ok := v.(*Fn); ok && f.Name == "" && d.A.Op == OpName {
		f.Name = d.A.Str
	}
	ev.Line = int(d.Line)
	if kind != "var" && d.A.Op == OpName {
		if s.vars == nil {
			s.vars = map[string]*variable{}
		}
		s.vars[d.A.Str] = &variable{val: v, cond: ev.cond} // a new variable in each round
		return
	}
	ev.bind(d.A, v, s)
}

func (ev *Eval) ifStatement(n *Node) {
	v := ev.test(n.A)
	if ev.halt != running {
		return
	}
	if v.known {
		if v.value {
			ev.exec(n.B)
		} else {
			ev.exec(n.C)
		}
		return
	}
	first := ev.arm(v, true, n.B)
	second := ev.arm(v, false, n.C)
	if ev.spent {
		return
	}
	switch {
	case first == second:
		ev.halt = first
	default:
		// Which way it went is open; what follows may run.
		ev.halt = running
		ev.maybe++
		if v.leans && (v.value && second == running || !v.value && first == running) {
			ev.onError++ // only what failed goes on; until the function ends
		}
	}
}

// arm runs one branch of an if whose condition is not decided, and says how it ended.
func (ev *Eval) arm(v verdict, taken bool, n *Node) halt {
	if ev.spent {
		return ev.halt
	}
	ev.halt = running
	run := func() {
		ev.cond++
		ev.exec(n)
		ev.cond--
	}
	if v.leans && v.value != taken {
		ev.OnError(run)
	} else {
		run()
	}
	return ev.halt
}

// endIteration clears break and continue; true when the loop ends.
func (ev *Eval) endIteration() bool {
	switch ev.halt {
	case broke:
		ev.halt = running
		return true
	case continued:
		ev.halt = running
	}
	return ev.halt != running
}

func (ev *Eval) forStatement(n *Node) {
	if n.A != nil {
		ev.exec(n.A)
	}
	var test *Node
	if n.B != nil {
		test = n.B
	}
	ev.while(test, n.C, n.List[0], nil)
}

// while follows a loop as long as its course is known, then one round of it as code that
// may run.
func (ev *Eval) while(test, update, body, orElse *Node) {
	for i := 0; i < maxIter; i++ {
		t, known := true, true
		if test != nil {
			v := ev.test(test)
			t, known = v.value, v.known
		}
		if ev.halt != running {
			return
		}
		if known && !t {
			if orElse != nil {
				ev.exec(orElse)
			}
			return
		}
		if !known {
			ev.havoc(update)
			ev.cond++
			ev.exec(body)
			ev.endIteration()
			if update != nil {
				ev.eval(update)
			}
			ev.cond--
			ev.mayHaltHere()
			return
		}
		before := ev.maybe
		ev.exec(body)
		if ev.endIteration() {
			return
		}
		if update != nil {
			ev.eval(update)
		}
		if ev.maybe > before && (test == nil || i > 2) {
			return // it may have ended; further rounds add nothing that is certain
		}
	}
}

// havoc makes the counters of a loop unknown.
func (ev *Eval) havoc(update *Node) {
	if update == nil {
		return
	}
	switch update.Op {
	case OpUpdate:
		if update.A.Op == OpName {
			if v := ev.lookup(update.A.Str); v != nil {
				v.val = NewUnk()
			}
		}
	case OpSeq:
		for _, u := range update.List {
			ev.havoc(u)
		}
	}
}

func (ev *Eval) forEach(n *Node) {
	obj := ev.eval(n.B)
	if ev.halt != running {
		return
	}
	if nat, ok := obj.(*Native); ok { // standard input, line by line
		if v, ok := ev.Lang.Member(ev, nat, ItemsMark); ok {
			if arr, ok := v.(*Arr); ok {
				obj = arr
			}
		}
	}
	var items Val = obj
	if n.Op == OpForIn || ev.py {
		items = ev.KeysOf(obj)
	}
	kind := "let"
	target := n.A
	if target.Op == OpVar {
		kind = target.Str
		target = target.List[0].A
	}
	stop := false
	ev.Each(items, func(v Val) {
		if stop || ev.halt != running {
			return
		}
		ev.nested(func() {
			s := ev.scope
			if kind == "var" || ev.py {
				s = ev.fnScope()
			}
			var declared *Scope
			if n.A.Op == OpVar {
				declared = s
			}
			ev.Line = int(n.Line)
			ev.bind(target, v, declared)
			ev.exec(n.C)
		})
		stop = ev.endIteration()
		if _, known := items.(*Arr); stop && !known {
			ev.mayHaltHere()
		}
	})
}

// KeysOf lists what for-in (or Python's for) goes over.
func (ev *Eval) KeysOf(obj Val) Val {
	switch o := obj.(type) {
	case *Arr:
		if ev.py {
			return o
		}
		a := ev.NewArr()
		for i := range o.Elems {
			a.Add(FormatNumber(float64(i)))
		}
		a.Open = o.Open
		return a
	case *Obj:
		a := ev.NewArr()
		for _, k := range o.Keys {
			a.Add(k)
		}
		a.Open = o.Open || o.Rest != nil || o.Env
		return a
	case *Fn:
		if o.Props != nil {
			return ev.KeysOf(o.Props)
		}
		return ev.NewArr()
	case string:
		if ev.py && len(o) <= maxIter {
			a := ev.NewArr()
			for _, r := range o {
				a.Add(string(r))
			}
			return a
		}
	}
	return NewUnk()
}

func (ev *Eval) try(n *Node) {
	before := ev.Fallible
	if len(n.List) > 0 {
		ev.tries++
	}
	ev.exec(n.A)
	if len(n.List) > 0 {
		ev.tries--
	}
	threwHere := ev.halt == threw
	state := ev.halt
	mayThrow := ev.Fallible != before
	switch {
	case len(n.List) == 0:
	case threwHere:
		ev.halt = running
		ev.handle(n.List)
		state = ev.halt
	case mayThrow && !ev.spent:
		ev.halt = running
		maybe := ev.maybe
		ev.OnError(func() { ev.Conditional(func() { ev.handle(n.List) }) })
		ev.maybe = maybe
		if ev.spent {
			return
		}
		if ev.halt != state && state != running && ev.halt == running {
			// The block left, its handler goes on: both are possible.
			state = running
			ev.maybe++
		}
	}
	if !ev.spent {
		ev.halt = state
	}
	if state == running && n.B != nil {
		ev.exec(n.B)
		state = ev.halt
	}
	if n.C != nil && !ev.spent {
		ev.halt = running
		ev.exec(n.C)
		if ev.halt == running {
			ev.halt = state
		}
	}
}

// handle runs the handlers of a try statement: Python has several, of which one runs.
func (ev *Eval) handle(list []*Node) {
	for i, c := range list {
		run := func() {
			ev.nested(func() {
				if c.A != nil {
					ev.bind(c.A, NewUnk(), ev.scope)
				}
				ev.exec(c.B)
			})
		}
		if len(list) == 1 {
			run()
			return
		}
		if i > 0 {
			ev.halt = running
		}
		ev.cond++
		run()
		ev.cond--
	}
	ev.mayHaltHere()
}

func (ev *Eval) switchStatement(n *Node) {
	v := ev.eval(n.A)
	start, certain := -1, true
	var possible []int
	deflt := -1
	for i, c := range n.List {
		if c.A == nil {
			deflt = i
			continue
		}
		eq, known := ev.Equal(v, ev.eval(c.A), true)
		if !known {
			certain = false
			possible = append(possible, i)
		} else if eq {
			start = i
			break
		}
	}
	if start < 0 {
		start = deflt
	}
	if certain {
		if start >= 0 {
			for _, c := range n.List[start:] {
				ev.block(c.List)
			}
		}
		if ev.halt == broke {
			ev.halt = running
		}
		return
	}
	if start >= 0 && !slices.Contains(possible, start) {
		possible = append(possible, start)
	}
	first, all := running, deflt >= 0
	for k, i := range possible {
		ev.halt = running
		ev.cond++
		for _, c := range n.List[i:] {
			ev.block(c.List)
		}
		ev.cond--
		if ev.spent {
			return
		}
		if ev.halt == broke {
			ev.halt = running
		}
		if k == 0 {
			first = ev.halt
		} else if first != ev.halt {
			all = false
		}
	}
	if all {
		ev.halt = first
	} else {
		ev.halt = running
		ev.maybe++
	}
}
