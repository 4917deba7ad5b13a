package jsscan

import (
	"github.com/ambit-dev/ambit/predict/internal/script"
)

func (p *parser) expression() *node {
	e := p.assignment()
	if !p.is(pComma) {
		return e
	}
	n := p.node(script.OpSeq, e.Line)
	n.List = append(n.List, e)
	for p.eat(pComma) {
		n.List = append(n.List, p.assignment())
	}
	return n
}

// assignOp reports the assignment operators.
func assignOp(x punct) bool {
	switch x {
	case pAssign, pack("+="), pack("-="), pack("*="), pack("/="), pack("%="), pack("**="), pack("<<="), pack(">>="),
		punct('>')<<24 | '>'<<16 | '>'<<8 | '=', pack("&="), pack("|="), pack("^="), pack("&&="), pack("||="), pack("??="):
		return true
	}
	return false
}

func (p *parser) assignment() *node {
	defer func() { p.depth-- }()
	if !p.enter() {
		return p.node(script.OpBad, 0)
	}
	if n := p.arrow(); n != nil {
		return n
	}
	t := p.tok()
	if t.kind == tName && p.str(t) == "yield" {
		if n := p.yield(); n != nil {
			return n
		}
	}
	left := p.conditional()
	if t := p.tok(); t.kind == tPunct && assignOp(t.punct) {
		p.i++
		n := p.node(script.OpAssign, left.Line)
		n.Str, n.A = t.punct.String(), left
		n.B = p.assignment()
		return n
	}
	return left
}

func (p *parser) yield() *node {
	next := p.at(1)
	if next.kind == tPunct {
		switch next.punct {
		case pAssign, pDot, pOpenParen:
			if next.punct != pOpenParen {
				return nil
			}
		}
	}
	n := p.node(script.OpYield, p.tok().line)
	p.i++
	p.eat(pStar)
	if t := p.tok(); p.i >= p.end || t.nl || t.kind == tPunct && (t.punct == pCloseParen || t.punct == pCloseBrace || t.punct == pCloseBracket || t.punct == pComma || t.punct == pSemicolon || t.punct == pColon) {
		return n
	}
	n.A = p.assignment()
	return n
}

// arrow parses an arrow function; nil, and nothing read, where there is none.
func (p *parser) arrow() *node {
	t := p.tok()
	start := p.i
	async := false
	if t.kind == tName && p.str(t) == "async" && !p.at(1).nl {
		if n := p.at(1); n.kind == tName && !(n.kind == tName && p.str(n) == "function") || n.kind == tPunct && (n.punct == pOpenParen || n.punct == pLess && p.ts) {
			async = true
			p.i++
		}
	}
	t = p.tok()
	var params []*node
	switch {
	case t.kind == tName && p.at(1).kind == tPunct && p.at(1).punct == pArrow:
		p.i++
		n := p.node(script.OpName, t.line)
		n.Str = p.name(t)
		params = []*node{n}
	case p.is(pOpenParen) && p.arrowAfter(p.closer(p.i)+1), p.ts && p.is(pLess) && p.genericArrow():
		if p.is(pLess) {
			p.angles()
		}
		noIn, noType := p.noIn, p.noType
		p.noIn, p.noType = false, false
		params = p.params()
		if p.ts && p.eat(pColon) {
			p.skipType()
		}
		p.noIn, p.noType = noIn, noType
	default:
		p.i = start
		return nil
	}
	n := p.node(script.OpFunc, t.line)
	f := &script.Func{Line: int(t.line), Params: params, Arrow: true, Async: async}
	n.Fn = f
	p.need(pArrow)
	if p.is(pOpenBrace) {
		p.body(f)
	} else {
		f.Expr = p.assignment()
	}
	return n
}

// arrowAfter reports whether => follows at index i, behind a return type in TypeScript.
func (p *parser) arrowAfter(i int) bool {
	if i >= p.end || p.toks[i].kind != tPunct {
		return false
	}
	if p.toks[i].punct == pArrow {
		return true
	}
	if !p.ts || p.toks[i].punct != pColon || p.noType {
		return false
	}
	q := &parser{text: p.text, i: i + 1, end: p.end, depth: p.depth}
	q.skipType()
	return q.err == nil && q.is(pArrow)
}

func (p *parser) genericArrow() bool {
	q := &parser{text: p.text, i: p.i, end: p.end, depth: p.depth}
	q.angles()
	return q.err == nil && q.is(pOpenParen) && q.arrowAfter(q.closer(q.i)+1)
}

func (p *parser) conditional() *node {
	test := p.binary(0)
	if !p.is(pQuestion) {
		return test
	}
	p.i++
	n := p.node(script.OpCond, test.Line)
	n.A = test
	noIn, noType := p.noIn, p.noType
	p.noIn, p.noType = false, true
	n.B = p.assignment()
	p.noIn, p.noType = noIn, noType
	p.need(pColon)
	n.C = p.assignment()
	return n
}

// precedence of the binary operators; 0 for all other tokens.
func (p *parser) precedence(t *token) int {
	if t.kind == tName {
		switch p.str(t) {
		case "instanceof":
			return 7
		case "in":
			if !p.noIn {
				return 7
			}
		case "as", "satisfies":
			if p.ts && !t.nl {
				return 7
			}
		}
		return 0
	}
	if t.kind != tPunct {
		return 0
	}
	switch t.punct {
	case pack("??"), pack("||"):
		return 1
	case pack("&&"):
		return 2
	case pOr:
		return 3
	case punct('^'):
		return 4
	case pAnd:
		return 5
	case pack("=="), pack("!="), pack("==="), pack("!=="):
		return 6
	case pLess, pGreater, pack("<="), pack(">="):
		return 7
	case pack("<<"), pack(">>"), pack(">>>"):
		return 8
	case punct('+'), pMinus:
		return 9
	case pStar, punct('/'), punct('%'):
		return 10
	case pack("**"):
		return 11
	}
	return 0
}

func (p *parser) binary(least int) *node {
	left := p.unary()
	for p.err == nil {
		t := p.tok()
		prec := p.precedence(t)
		if prec == 0 || prec <= least {
			return left
		}
		op := p.str(t)
		p.i++
		if op == "as" || op == "satisfies" {
			p.skipType()
			continue
		}
		n := p.node(script.OpBinary, left.Line)
		if prec <= 2 {
			n.Op = script.OpLogical
		}
		n.Str, n.A = op, left
		if prec == 11 {
			prec-- // ** binds to the right
		}
		n.B = p.binary(prec)
		left = n
	}
	return left
}

func (p *parser) unary() *node {
	defer func() { p.depth-- }()
	if !p.enter() {
		return p.node(script.OpBad, 0)
	}
	t := p.tok()
	switch t.kind {
	case tPunct:
		switch t.punct {
		case pNot, punct('~'), punct('+'), pMinus:
			p.i++
			n := p.node(script.OpUnary, t.line)
			n.Str = t.punct.String()
			n.A = p.unary()
			return n
		case pIncrement, pDecrement:
			p.i++
			n := p.node(script.OpUpdate, t.line)
			n.Str = t.punct.String()
			n.A = p.unary()
			return n
		case pLess:
			if p.ts {
				p.angles() // an old-style type assertion
				return p.unary()
			}
		}
	case tName:
		w := p.str(t)
		switch w {
		case "typeof", "void":
			p.i++
			n := p.node(script.OpUnary, t.line)
			n.Str = w
			n.A = p.unary()
			return n
		case "delete":
			p.i++
			n := p.node(script.OpDelete, t.line)
			n.A = p.unary()
			return n
		case "await":
			if p.awaits() {
				p.i++
				n := p.node(script.OpAwait, t.line)
				n.A = p.unary()
				return n
			}
		}
	}
	e := p.leftHand()
	if t := p.tok(); t.kind == tPunct && !t.nl && (t.punct == pIncrement || t.punct == pDecrement) {
		p.i++
		n := p.node(script.OpUpdate, t.line)
		n.Str, n.A = t.punct.String(), e
		return n
	}
	return e
}

// awaits tells the operator await from a variable of that name.
func (p *parser) awaits() bool {
	n := p.at(1)
	if n.nl && n.kind != tName {
		return false
	}
	switch n.kind {
	case tEOF:
		return false
	case tPunct:
		switch n.punct {
		case pOpenParen, pOpenBracket, pOpenBrace, pNot, pMinus:
			return true
		}
		return false
	case tName:
		switch p.str(n) {
		case "in", "of", "instanceof":
			return false
		}
	}
	return true
}

// leftHand parses a member, call or new expression.
func (p *parser) leftHand() *node {
	e := p.primary()
	return p.suffixes(e, true)
}

func (p *parser) suffixes(e *node, calls bool) *node {
	for p.err == nil {
		t := p.tok()
		switch t.kind {
		case tTemplate, tHead:
			n := p.node(script.OpTagged, t.line)
			n.A = e
			n.B = p.template()
			e = n
			continue
		case tPunct:
		default:
			return e
		}
		switch t.punct {
		case pDot:
			p.i++
			e = p.memberAccess(e, false)
		case pOptional:
			if !calls {
				return e
			}
			p.i++
			switch {
			case p.is(pOpenParen):
				e = p.call(e)
				e.Opt = true
			case p.is(pOpenBracket):
				e = p.index(e)
				e.Opt = true
			default:
				e = p.memberAccess(e, true)
			}
		case pOpenBracket:
			e = p.index(e)
		case pOpenParen:
			if !calls {
				return e
			}
			e = p.call(e)
		case pNot:
			if !p.ts || t.nl {
				return e
			}
			p.i++
		case pLess, pack("<<"):
			if !p.ts || !p.typeArguments() {
				return e
			}
		default:
			return e
		}
	}
	return e
}

// typeArguments reads <T>, where a call, a template or an end of the expression follows.
func (p *parser) typeArguments() bool {
	q := &parser{text: p.text, i: p.i, end: p.end, depth: p.depth}
	q.angles()
	if q.err != nil {
		return false
	}
	t := q.tok()
	ok := t.kind == tTemplate || t.kind == tHead || t.kind == tEOF || t.nl
	if t.kind == tPunct {
		switch t.punct {
		case pOpenParen, pCloseParen, pCloseBracket, pCloseBrace, pComma, pSemicolon, pColon, pDot, pOptional:
			ok = true
		}
	}
	if ok {
		p.i = q.i
	}
	return ok
}

func (p *parser) memberAccess(e *node, opt bool) *node {
	t := p.tok()
	if t.kind != tName && t.kind != tPrivate {
		return p.fail("expected a property name")
	}
	p.i++
	n := p.node(script.OpMember, t.line)
	n.A, n.Str, n.Opt = e, p.name(t), opt
	return n
}

func (p *parser) index(e *node) *node {
	n := p.node(script.OpIndex, p.tok().line)
	p.i++
	n.A = e
	noIn, noType := p.noIn, p.noType
	p.noIn, p.noType = false, false
	n.B = p.expression()
	p.noIn, p.noType = noIn, noType
	p.need(pCloseBracket)
	return n
}

func (p *parser) call(e *node) *node {
	n := p.node(script.OpCall, p.tok().line)
	n.A = e
	n.List = p.arguments()
	return n
}

func (p *parser) arguments() []*node {
	noIn, noType := p.noIn, p.noType
	p.noIn, p.noType = false, false
	defer func() { p.noIn, p.noType = noIn, noType }()
	p.need(pOpenParen)
	var list []*node
	for p.err == nil && !p.is(pCloseParen) {
		list = append(list, p.element())
		if !p.eat(pComma) {
			break
		}
	}
	p.need(pCloseParen)
	return list
}

// element parses an argument or array element, spread or not.
func (p *parser) element() *node {
	if t := p.tok(); p.eat(pRest) {
		n := p.node(script.OpSpread, t.line)
		n.A = p.assignment()
		return n
	}
	return p.assignment()
}

func (p *parser) primary() *node {
	t := p.tok()
	line := t.line
	leaf := func(op script.Op, s string) *node {
		p.i++
		n := p.node(op, line)
		n.Str = s
		return n
	}
	switch t.kind {
	case tStr:
		s := p.s[t.pos+1 : max(t.pos+1, t.end-1)]
		return leaf(script.OpStr, unescape(s))
	case tNum:
		return leaf(script.OpNum, p.str(t))
	case tRegex:
		return leaf(script.OpRegex, p.str(t))
	case tTemplate, tHead:
		return p.template()
	case tPrivate:
		return leaf(script.OpName, p.str(t)) // #x in obj
	case tJSXOpen:
		return p.jsxElement(line)
	case tPunct:
		switch t.punct {
		case pOpenParen:
			p.i++
			noIn, noType := p.noIn, p.noType
			p.noIn, p.noType = false, false
			e := p.expression()
			p.noIn, p.noType = noIn, noType
			p.need(pCloseParen)
			return e
		case pOpenBracket:
			return p.array(line)
		case pOpenBrace:
			return p.object(line)
		case pAt:
			p.decorators()
			return p.class(false)
		}
	case tName:
		switch w := p.str(t); w {
		case "function":
			return p.function(false)
		case "async":
			if n := p.at(1); n.kind == tName && p.str(n) == "function" && !n.nl {
				return p.function(false)
			}
			return leaf(script.OpName, w)
		case "class":
			return p.class(false)
		case "this":
			return leaf(script.OpThis, "")
		case "super":
			return leaf(script.OpSuper, "")
		case "null":
			return leaf(script.OpNull, "")
		case "true":
			return leaf(script.OpTrue, "")
		case "false":
			return leaf(script.OpFalse, "")
		case "new":
			return p.newExpression(line)
		case "import":
			return p.importExpression(line)
		case "if", "for", "while", "return", "throw", "var", "const", "switch", "case", "else", "catch", "finally", "in", "instanceof", "export", "extends":
			return p.fail("the word " + w + " where a value was expected")
		default:
			return leaf(script.OpName, p.name(t))
		}
	}
	return p.fail("expected a value")
}

func (p *parser) newExpression(line int32) *node {
	defer func() { p.depth-- }()
	if !p.enter() {
		return p.node(script.OpBad, 0)
	}
	p.i++
	if p.eat(pDot) { // new.target
		p.i++
		return p.node(script.OpUndef, line)
	}
	n := p.node(script.OpNew, line)
	n.A = p.suffixes(p.primary(), false)
	if p.is(pOpenParen) {
		n.List = p.arguments()
	}
	return n
}

func (p *parser) importExpression(line int32) *node {
	p.i++
	if p.eat(pDot) {
		if p.eatWord("meta") {
			return p.node(script.OpMeta, line)
		}
		p.i++ // import.source(...), import.defer(...)
	}
	n := p.node(script.OpImport, line)
	args := p.arguments()
	if len(args) > 0 {
		n.A = args[0]
	} else {
		n.A = p.node(script.OpUndef, line)
	}
	return n
}
