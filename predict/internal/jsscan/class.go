package jsscan

import (
	"github.com/ambit-dev/ambit/predict/internal/script"
)

// function parses a function declaration or expression, with async before it or not.
func (p *parser) function(declared bool) *node {
	n := p.node(script.OpFunc, p.tok().line)
	f := &script.Func{Line: int(n.Line)}
	n.Fn, n.Opt = f, declared
	f.Async = p.eatWord("async")
	p.i++
	f.Gen = p.eat(pStar)
	if t := p.tok(); t.kind == tName {
		f.Name = p.name(t)
		p.i++
	}
	if !p.signature(f) {
		n.Op = script.OpEmpty // an overload or ambient declaration
	}
	return n
}

// signature parses type parameters, parameters, return type and body of f; false when
// there is no body.
func (p *parser) signature(f *script.Func) bool {
	noIn, noType := p.noIn, p.noType
	p.noIn, p.noType = false, false
	defer func() { p.noIn, p.noType = noIn, noType }()
	if p.ts && p.is(pLess) {
		p.angles()
	}
	f.Params = p.params()
	if p.ts && p.eat(pColon) {
		p.skipType()
	}
	if p.err == nil && !p.is(pOpenBrace) {
		if p.ts {
			p.semicolon()
			return false
		}
		p.fail("expected a function body")
		return true
	}
	p.body(f)
	return true
}

func (p *parser) params() []*node {
	p.need(pOpenParen)
	var list []*node
	for p.err == nil && !p.is(pCloseParen) {
		if p.is(pAt) {
			p.decorators()
		}
		if p.ts {
			for p.modifier() {
			}
		}
		list = append(list, p.patternDefault())
		if !p.eat(pComma) {
			break
		}
	}
	p.need(pCloseParen)
	return list
}

// modifier eats a TypeScript parameter property's modifier.
func (p *parser) modifier() bool {
	t, n := p.tok(), p.at(1)
	if t.kind != tName || !(n.kind == tName || n.kind == tPunct && (n.punct == pOpenBrace || n.punct == pOpenBracket)) {
		return false
	}
	switch p.str(t) {
	case "public", "private", "protected", "readonly", "override":
		p.i++
		return true
	}
	return false
}

// body leaves the statements of f unparsed and moves behind them.
func (p *parser) body(f *script.Func) {
	if p.err != nil || !p.is(pOpenBrace) {
		p.need(pOpenBrace)
		return
	}
	start, end := p.i+1, p.closer(p.i)
	t := p.text
	f.Parse = func() []*node {
		q := &parser{text: t, i: start, end: end}
		return q.statements()
	}
	p.i = end
	p.need(pCloseBrace)
}

// class parses a class declaration or expression.
func (p *parser) class(declared bool) *node {
	n := p.node(script.OpClass, p.tok().line)
	n.Opt = declared
	p.i++
	if t := p.tok(); t.kind == tName && p.str(t) != "extends" && !(p.ts && p.str(t) == "implements" && p.at(1).kind == tName) {
		n.Str = p.name(t)
		p.i++
	}
	if p.ts && p.is(pLess) {
		p.angles()
	}
	if p.eatWord("extends") {
		n.A = p.leftHand()
		if p.ts && p.is(pLess) {
			p.angles()
		}
	}
	if p.ts && p.eatWord("implements") {
		for p.err == nil {
			p.skipType()
			if !p.eat(pComma) {
				break
			}
		}
	}
	open := p.i
	p.need(pOpenBrace)
	if p.err != nil {
		return n
	}
	close := p.closer(open)
	for p.i < close && p.err == nil {
		if p.eat(pSemicolon) {
			continue
		}
		if m := p.member(); m != nil {
			n.List = append(n.List, m)
		}
	}
	p.need(pCloseBrace)
	return n
}

// member parses one member of a class; nil for what only types have.
func (p *parser) member() *node {
	if p.is(pAt) {
		p.decorators()
	}
	line := p.tok().line
	static, async, gen, kind, abstract := false, false, false, "", false
	for {
		t, n := p.tok(), p.at(1)
		// A modifier is followed by the rest of a member; else it is the member's name.
		if t.kind != tName || n.kind == tPunct && (n.punct == pOpenParen || n.punct == pAssign || n.punct == pSemicolon || n.punct == pCloseBrace || n.punct == pLess || n.punct == pColon || n.punct == pQuestion || n.punct == pNot) {
			break
		}
		w := p.str(t)
		switch {
		case w == "static":
			if n.kind == tPunct && n.punct == pOpenBrace {
				p.i++
				f := &script.Func{Line: int(line), Arrow: true, Name: "static"}
				p.body(f)
				m := p.node(script.OpProp, line)
				m.Str = "init"
				m.B = p.node(script.OpFunc, line)
				m.B.Fn = f
				return m
			}
			static = true
		case w == "async" && !n.nl:
			async = true
		case w == "get" || w == "set":
			if n.nl {
				goto named
			}
			kind = w
		case p.ts && (w == "abstract" || w == "declare"):
			abstract = true
		case w == "accessor" && !n.nl:
		case p.ts && (w == "public" || w == "private" || w == "protected" || w == "readonly" || w == "override"):
		default:
			goto named
		}
		p.i++
	}
named:
	gen = p.eat(pStar)
	if p.ts && p.is(pOpenBracket) && p.at(1).kind == tName && p.at(2).kind == tPunct && p.at(2).punct == pColon {
		p.i = p.closer(p.i) + 1 // an index signature
		p.annotation()
		p.semicolon()
		return nil
	}
	m := p.node(script.OpProp, line)
	m.A = p.propertyName()
	if p.ts {
		_ = p.eat(pQuestion) || p.eat(pNot)
	}
	if static {
		m.Str = "static"
	}
	if kind != "" {
		m.Str = kind
	}
	if p.is(pOpenParen) || p.ts && p.is(pLess) {
		f := &script.Func{Line: int(line), Async: async, Gen: gen, Name: m.A.Str, Kind: kind}
		m.B = p.node(script.OpFunc, line)
		m.B.Fn = f
		if static && kind != "" {
			m.Str = "static " + kind
		}
		if !p.signature(f) {
			return nil
		}
		return m
	}
	p.annotation()
	if p.eat(pAssign) {
		value := p.assignment()
		m.B = p.node(script.OpFunc, line) // evaluated for each instance, with this
		m.B.Fn = &script.Func{Line: int(line), Arrow: true, Expr: value, Name: m.A.Str}
	}
	m.Str += " field"
	p.semicolon()
	if abstract {
		return nil
	}
	return m
}

func (p *parser) decorators() {
	for p.err == nil && p.eat(pAt) {
		p.leftHand()
	}
}
