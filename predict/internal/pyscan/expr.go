package pyscan

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// simple parses a statement without a block.
func (p *parser) simple() []*node {
	t := p.tok()
	if t.kind == tName {
		switch p.str(t) {
		case "import":
			return p.importStatement()
		case "from":
			if !p.str2("=", ".", "(", ",") {
				return []*node{p.fromStatement()}
			}
		case "return":
			n := p.node(script.OpReturn)
			p.i++
			if !p.lineEnds() {
				n.A = p.expressions()
			}
			return []*node{n}
		case "raise":
			n := p.node(script.OpThrow)
			p.i++
			if !p.lineEnds() {
				n.A = p.expressions()
				if p.eatWord("from") {
					p.expression()
				}
			}
			return []*node{n}
		case "pass":
			p.i++
			return nil
		case "break", "continue":
			n := p.node(script.OpBreak)
			if p.str(t) == "continue" {
				n.Op = script.OpContinue
			}
			p.i++
			return []*node{n}
		case "global", "nonlocal":
			n := p.node(script.OpGlobal)
			p.i++
			for p.err == nil && p.tok().kind == tName {
				g := p.node(script.OpName)
				g.Str = p.str(p.tok())
				p.i++
				n.List = append(n.List, g)
				if !p.eat(",") {
					break
				}
			}
			return []*node{n}
		case "del":
			n := p.node(script.OpDelete)
			p.i++
			n.A = p.expressions()
			return []*node{n}
		case "assert":
			p.i++
			return []*node{p.expressions()}
		case "print", "exec":
			// Python 2 statements: what is printed does not matter.
			if k := p.at(1); k.kind == tStr || k.kind == tName && !operatorWord(p.str(k)) {
				for !p.lineEnds() {
					p.i++
				}
				return nil
			}
		case "type":
			if p.at(1).kind == tName && !operatorWord(p.str(p.at(1))) {
				for !p.lineEnds() {
					p.i++
				}
				return nil
			}
		}
	}
	return []*node{p.assignment()}
}

func operatorWord(w string) bool {
	switch w {
	case "and", "or", "not", "in", "is", "if", "else", "for":
		return true
	}
	return false
}

// str2 reports that the next token but one is one of the operators.
func (p *parser) str2(ops ...string) bool {
	t := p.at(1)
	if t.kind != tOp {
		return false
	}
	for _, o := range ops {
		if p.str(t) == o && o != "." {
			return true
		}
	}
	return false
}

func (p *parser) lineEnds() bool {
	t := p.tok()
	return t.kind == tNewline || t.kind == tEOF || p.is(";")
}

func (p *parser) dotted() string {
	var b strings.Builder
	for p.err == nil && p.tok().kind == tName {
		b.WriteString(p.str(p.tok()))
		p.i++
		if !p.is(".") {
			break
		}
		p.i++
		b.WriteByte('.')
	}
	return b.String()
}

func (p *parser) importStatement() []*node {
	p.i++
	var list []*node
	for p.err == nil {
		n := p.node(script.OpImportFrom)
		n.Str = p.dotted()
		n.A = p.node(script.OpName)
		n.A.Str, _, _ = strings.Cut(n.Str, ".")
		if p.eatWord("as") {
			n.A.Str = p.str(p.tok())
			n.Opt = true
			p.i++
		}
		list = append(list, n)
		if !p.eat(",") {
			break
		}
	}
	return list
}

func (p *parser) fromStatement() *node {
	n := p.node(script.OpImportFrom)
	p.i++
	for p.is(".") || p.is("...") {
		n.Str += p.str(p.tok())
		p.i++
	}
	if !p.word("import") {
		n.Str += p.dotted()
	}
	if !p.eatWord("import") {
		return p.fail("expected import")
	}
	if p.eat("*") {
		a := p.node(script.OpAlias)
		a.Str = "*"
		n.List = append(n.List, a)
		return n
	}
	paren := p.eat("(")
	for p.err == nil && p.tok().kind == tName {
		a := p.node(script.OpAlias)
		a.Str = p.str(p.tok())
		p.i++
		a.A = p.node(script.OpName)
		a.A.Str = a.Str
		if p.eatWord("as") {
			a.A.Str = p.str(p.tok())
			p.i++
		}
		n.List = append(n.List, a)
		if !p.eat(",") {
			break
		}
	}
	if paren {
		p.need(")")
	}
	return n
}

// assignment parses an expression statement or an assignment of any form.
func (p *parser) assignment() *node {
	left := p.expressions()
	t := p.tok()
	if t.kind != tOp {
		return left
	}
	switch op := p.str(t); op {
	case ":":
		p.i++
		p.expression()
		n := p.node(script.OpAssign)
		n.Str, n.A, n.Opt = "=", left, true
		if !p.eat("=") {
			if !p.class {
				n.Op = script.OpEmpty
			}
			return n // a field of a class
		}
		n.B = p.expressions()
		return n
	case "=":
		p.i++
		n := p.node(script.OpAssign)
		n.Str, n.A = "=", left
		defer func() { p.depth-- }()
		if !p.enter() {
			return n
		}
		n.B = p.assignment()
		return n
	case "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**=":
		p.i++
		n := p.node(script.OpAssign)
		n.Str, n.A = op, left
		n.B = p.expressions()
		return n
	}
	return left
}

// expressions parses one expression or a tuple without brackets.
func (p *parser) expressions() *node {
	if p.word("yield") {
		return p.yield()
	}
	e := p.starred()
	if !p.is(",") {
		return e
	}
	n := &node{Op: script.OpTuple, Line: e.Line, List: []*node{e}}
	for p.err == nil && p.eat(",") {
		if p.lineEnds() || p.is("=") || p.is(")") || p.is(":") || p.is("]") || p.is("}") {
			break
		}
		n.List = append(n.List, p.starred())
	}
	return n
}

func (p *parser) starred() *node {
	if p.is("*") {
		n := p.node(script.OpSpread)
		p.i++
		n.A = p.binary(0)
		return n
	}
	return p.named()
}

func (p *parser) yield() *node {
	n := p.node(script.OpYield)
	p.i++
	p.eatWord("from")
	if !p.lineEnds() && !p.is(")") && !p.is("]") {
		n.A = p.expressions()
	}
	return n
}

// named parses an expression that may be name := value.
func (p *parser) named() *node {
	e := p.expression()
	if p.eat(":=") {
		n := p.node(script.OpAssign)
		n.Str, n.A = "=", e
		n.B = p.expression()
		return n
	}
	return e
}

func (p *parser) expression() *node {
	defer func() { p.depth-- }()
	if !p.enter() {
		return p.node(script.OpBad)
	}
	if p.word("lambda") {
		n := p.node(script.OpFunc)
		p.i++
		n.Fn = &script.Func{Line: int(n.Line)}
		n.Fn.Params = p.params(":")
		p.need(":")
		n.Fn.Expr = p.expression()
		return n
	}
	e := p.or()
	if p.word("if") {
		n := p.node(script.OpCond)
		p.i++
		n.B = e
		n.A = p.or()
		if !p.eatWord("else") {
			return p.fail("expected else")
		}
		n.C = p.expression()
		return n
	}
	return e
}

func (p *parser) or() *node {
	e := p.and()
	for p.err == nil && p.word("or") {
		n := p.node(script.OpLogical)
		p.i++
		n.Str, n.A = "||", e
		n.B = p.and()
		e = n
	}
	return e
}

func (p *parser) and() *node {
	e := p.not()
	for p.err == nil && p.word("and") {
		n := p.node(script.OpLogical)
		p.i++
		n.Str, n.A = "&&", e
		n.B = p.not()
		e = n
	}
	return e
}

func (p *parser) not() *node {
	if p.word("not") {
		defer func() { p.depth-- }()
		if !p.enter() {
			return p.node(script.OpBad)
		}
		n := p.node(script.OpUnary)
		p.i++
		n.Str = "not"
		n.A = p.not()
		return n
	}
	return p.comparison()
}

func (p *parser) comparison() *node {
	e := p.binary(0)
	for p.err == nil {
		op := ""
		t := p.tok()
		switch {
		case t.kind == tOp:
			switch s := p.str(t); s {
			case "==", "!=", "<", ">", "<=", ">=", "<>":
				op = s
			}
		case p.word("in"):
			op = "in"
		case p.word("is"):
			op = "is"
			if k := p.at(1); k.kind == tName && p.str(k) == "not" {
				op = "is not"
				p.i++
			}
		case p.word("not"):
			if k := p.at(1); k.kind == tName && p.str(k) == "in" {
				op = "not in"
				p.i++
			}
		}
		if op == "" {
			return e
		}
		n := p.node(script.OpBinary)
		p.i++
		n.Str, n.A = op, e
		n.B = p.binary(0)
		e = n
	}
	return e
}

func precedence(op string) int {
	switch op {
	case "|":
		return 1
	case "^":
		return 2
	case "&":
		return 3
	case "<<", ">>":
		return 4
	case "+", "-":
		return 5
	case "*", "/", "//", "%", "@":
		return 6
	}
	return 0
}

func (p *parser) binary(least int) *node {
	e := p.unary()
	for p.err == nil {
		t := p.tok()
		if t.kind != tOp {
			return e
		}
		op := p.str(t)
		prec := precedence(op)
		if prec <= least {
			return e
		}
		n := p.node(script.OpBinary)
		p.i++
		n.Str, n.A = op, e
		n.B = p.binary(prec)
		e = n
	}
	return e
}

func (p *parser) unary() *node {
	defer func() { p.depth-- }()
	if !p.enter() {
		return p.node(script.OpBad)
	}
	t := p.tok()
	if t.kind == tOp {
		switch op := p.str(t); op {
		case "-", "+", "~":
			n := p.node(script.OpUnary)
			p.i++
			n.Str = op
			n.A = p.unary()
			return n
		}
	}
	e := p.postfix()
	if p.is("**") {
		n := p.node(script.OpBinary)
		p.i++
		n.Str, n.A = "**", e
		n.B = p.unary()
		return n
	}
	return e
}

// postfix parses an atom with its calls, members and subscripts.
func (p *parser) postfix() *node {
	if p.word("await") {
		n := p.node(script.OpAwait)
		p.i++
		n.A = p.postfix()
		return n
	}
	e := p.atom()
	for p.err == nil {
		switch {
		case p.is("."):
			p.i++
			n := p.node(script.OpMember)
			if p.tok().kind != tName {
				return p.fail("expected a name")
			}
			n.A, n.Str = e, p.str(p.tok())
			p.i++
			e = n
		case p.is("("):
			n := p.node(script.OpCall)
			p.i++
			n.A = e
			n.List = p.arguments()
			e = n
		case p.is("["):
			e = p.subscript(e)
		default:
			return e
		}
	}
	return e
}
