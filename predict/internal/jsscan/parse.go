package jsscan

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

type node = script.Node

// maxDepth bounds the nesting that is followed; deeper text is a syntax error to us.
const maxDepth = 1000

// text is one tokenized file, shared by the parsers of its function bodies.
type text struct {
	s    string
	toks []token
	ts   bool
	esm  bool // it has import or export declarations
}

type parser struct {
	*text
	i, end int // the next token; the token that ends this parser's range
	depth  int
	noIn   bool // in the head of a for statement, where "in" is not an operator
	noType bool // between ? and :, where a colon does not begin a return type
	err    *syntaxError
	slab   []node
}

// parse splits and parses one file. Statements before a syntax error are returned with it.
func parse(src []byte, ts, jsx bool) ([]*node, *text, error) {
	toks, err := tokenize(src, ts, jsx)
	t := &text{s: string(src), toks: toks, ts: ts}
	p := &parser{text: t, i: 1, end: len(toks) - 1}
	list := p.statements()
	if err == nil && p.err != nil {
		err = p.err
	}
	return list, t, err
}

func (p *parser) tok() *token {
	if p.i >= p.end {
		return &p.toks[len(p.toks)-1]
	}
	return &p.toks[p.i]
}

func (p *parser) at(n int) *token {
	if p.i+n >= p.end {
		return &p.toks[len(p.toks)-1]
	}
	return &p.toks[p.i+n]
}

func (p *parser) str(t *token) string { return p.s[t.pos:t.end] }

func (p *parser) is(x punct) bool {
	t := p.tok()
	return t.kind == tPunct && t.punct == x
}

func (p *parser) word(w string) bool {
	t := p.tok()
	return t.kind == tName && p.s[t.pos:t.end] == w
}

func (p *parser) eat(x punct) bool {
	if p.is(x) {
		p.i++
		return true
	}
	return false
}

func (p *parser) eatWord(w string) bool {
	if p.word(w) {
		p.i++
		return true
	}
	return false
}

func (p *parser) need(x punct) {
	if !p.eat(x) {
		p.fail("expected " + x.String())
	}
}

// fail records the first error and moves to the end, so that every loop ends.
func (p *parser) fail(what string) *node {
	line := p.tok().line
	if p.err == nil {
		p.err = &syntaxError{line, what}
	}
	p.i = p.end
	return &node{Op: script.OpBad, Line: line, Str: what}
}

func (p *parser) node(op script.Op, line int32) *node {
	if len(p.slab) == 0 {
		p.slab = make([]node, 64)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	n.Op, n.Line = op, line
	return n
}

func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested too deeply")
		return false
	}
	return true
}

// closer is the index of the bracket that closes the one at index i.
func (p *parser) closer(i int) int {
	m := int(p.toks[i].match)
	if m <= i || m > p.end {
		return p.end
	}
	return m
}

func (p *parser) statements() []*node {
	var list []*node
	for p.i < p.end {
		before := p.i
		if s := p.statement(); s != nil && s.Op != script.OpEmpty {
			list = append(list, s)
		}
		if p.i == before {
			p.fail("a token that begins no statement")
		}
	}
	if p.err != nil {
		list = append(list, &node{Op: script.OpBad, Line: p.err.line, Str: p.err.what})
	}
	return list
}

func (p *parser) semicolon() {
	if p.eat(pSemicolon) || p.i >= p.end || p.is(pCloseBrace) || p.tok().nl {
		return
	}
	p.fail("expected ;")
}

func (p *parser) block() *node {
	n := p.node(script.OpBlock, p.tok().line)
	open := p.i
	p.need(pOpenBrace)
	if p.err != nil {
		return n
	}
	close := p.closer(open)
	for p.i < close {
		before := p.i
		if s := p.statement(); s != nil && s.Op != script.OpEmpty {
			n.List = append(n.List, s)
		}
		if p.i == before {
			p.fail("a token that begins no statement")
			break
		}
	}
	if p.err == nil {
		p.need(pCloseBrace)
	}
	return n
}

func (p *parser) statement() *node {
	defer func() { p.depth-- }()
	if !p.enter() {
		return nil
	}
	t := p.tok()
	switch t.kind {
	case tPunct:
		switch t.punct {
		case pOpenBrace:
			return p.block()
		case pSemicolon:
			p.i++
			return p.node(script.OpEmpty, t.line)
		case pAt:
			p.decorators()
			return p.statement()
		}
	case tName:
		if n := p.at(1); n.kind == tPunct && n.punct == pColon && !reserved(p.str(t)) {
			p.i += 2 // a label
			return p.statement()
		}
		if s, ok := p.keyword(p.str(t), t.line); ok {
			return s
		}
	}
	e := p.expression()
	p.semicolon()
	return e
}

func reserved(w string) bool {
	switch w {
	case "default", "case", "this", "null", "true", "false", "super":
		return true
	}
	return false
}

// keyword parses the statement that the word w begins; false where w begins an expression.
func (p *parser) keyword(w string, line int32) (*node, bool) {
	next := p.at(1)
	switch w {
	case "var", "const":
		if w == "const" && next.kind == tName && p.str(next) == "enum" {
			p.i++
			return p.enum(), true
		}
		n := p.declaration()
		p.semicolon()
		return n, true
	case "let":
		if next.kind == tName && p.str(next) != "in" && p.str(next) != "instanceof" && p.str(next) != "of" || next.kind == tPunct && (next.punct == pOpenBrace || next.punct == pOpenBracket) {
			n := p.declaration()
			p.semicolon()
			return n, true
		}
	case "using":
		if next.kind == tName && !next.nl && p.str(next) != "in" && p.str(next) != "of" {
			n := p.declaration()
			p.semicolon()
			return n, true
		}
	case "await":
		if next.kind == tName && p.str(next) == "using" && !next.nl && p.at(2).kind == tName {
			p.i++
			n := p.declaration()
			p.semicolon()
			return n, true
		}
	case "function":
		return p.function(true), true
	case "async":
		if next.kind == tName && p.str(next) == "function" && !next.nl {
			return p.function(true), true
		}
	case "class":
		return p.class(true), true
	case "if":
		return p.ifStatement(line), true
	case "for":
		return p.forStatement(line), true
	case "while":
		p.i++
		n := p.node(script.OpWhile, line)
		n.A = p.parens()
		n.B = p.statement()
		return n, true
	case "do":
		p.i++
		n := p.node(script.OpDo, line)
		n.B = p.statement()
		if !p.eatWord("while") {
			return p.fail("expected while"), true
		}
		n.A = p.parens()
		p.eat(pSemicolon)
		return n, true
	case "return", "throw":
		p.i++
		n := p.node(script.OpReturn, line)
		if w == "throw" {
			n.Op = script.OpThrow
		}
		if !p.is(pSemicolon) && !p.is(pCloseBrace) && p.i < p.end && !p.tok().nl {
			n.A = p.expression()
		}
		p.semicolon()
		return n, true
	}
	return p.laterKeyword(w, line)
}

// laterKeyword goes on with the words that begin the other statements.
func (p *parser) laterKeyword(w string, line int32) (*node, bool) {
	next := p.at(1)
	switch w {
	case "break", "continue":
		p.i++
		n := p.node(script.OpBreak, line)
		if w == "continue" {
			n.Op = script.OpContinue
		}
		if t := p.tok(); t.kind == tName && !t.nl {
			p.i++
		}
		p.semicolon()
		return n, true
	case "try":
		return p.try(line), true
	case "switch":
		return p.switchStatement(line), true
	case "with":
		if next.kind != tPunct || next.punct != pOpenParen {
			return nil, false
		}
		p.i++
		n := p.node(script.OpBlock, line)
		n.List = []*node{p.parens(), p.statement()}
		return n, true
	case "import":
		if next.kind == tPunct && (next.punct == pOpenParen || next.punct == pDot) {
			return nil, false
		}
		return p.importDeclaration(line), true
	case "export":
		return p.exportDeclaration(line), true
	case "debugger":
		p.i++
		p.semicolon()
		return p.node(script.OpEmpty, line), true
	}
	if p.ts {
		return p.typeStatement(w, line)
	}
	return nil, false
}

func (p *parser) parens() *node {
	p.need(pOpenParen)
	e := p.expression()
	p.need(pCloseParen)
	return e
}

func (p *parser) ifStatement(line int32) *node {
	p.i++
	n := p.node(script.OpIf, line)
	n.A = p.parens()
	n.B = p.statement()
	if p.eatWord("else") {
		n.C = p.statement()
	}
	return n
}

func (p *parser) forStatement(line int32) *node {
	p.i++
	p.eatWord("await")
	n := p.node(script.OpFor, line)
	p.need(pOpenParen)
	if !p.is(pSemicolon) {
		p.noIn = true
		if p.word("await") && p.at(1).kind == tName && p.str(p.at(1)) == "using" {
			p.i++
		}
		if p.word("var") || p.word("const") || p.word("using") && p.at(1).kind == tName && p.str(p.at(1)) != "of" || p.word("let") && p.at(1).kind != tPunct || p.word("let") && (p.at(1).punct == pOpenBrace || p.at(1).punct == pOpenBracket) {
			n.A = p.declaration()
		} else {
			n.A = p.expression()
		}
		p.noIn = false
	}
	if p.word("of") || p.word("in") {
		n.Op = script.OpForIn
		if p.word("of") {
			n.Op = script.OpForOf
		}
		p.i++
		n.B = p.expression()
		p.need(pCloseParen)
		n.C = p.statement()
		return n
	}
	p.need(pSemicolon)
	if !p.is(pSemicolon) {
		n.B = p.expression()
	}
	p.need(pSemicolon)
	if !p.is(pCloseParen) {
		n.C = p.expression()
	}
	p.need(pCloseParen)
	n.List = []*node{p.statement()}
	return n
}

func (p *parser) try(line int32) *node {
	p.i++
	n := p.node(script.OpTry, line)
	n.A = p.block()
	if p.word("catch") {
		c := p.node(script.OpCatch, p.tok().line)
		p.i++
		if p.eat(pOpenParen) {
			c.A = p.pattern()
			p.annotation()
			p.need(pCloseParen)
		}
		c.B = p.block()
		n.List = []*node{c}
	}
	if p.eatWord("finally") {
		n.C = p.block()
	}
	return n
}

func (p *parser) switchStatement(line int32) *node {
	p.i++
	n := p.node(script.OpSwitch, line)
	n.A = p.parens()
	open := p.i
	p.need(pOpenBrace)
	if p.err != nil {
		return n
	}
	close := p.closer(open)
	for p.i < close && p.err == nil {
		c := p.node(script.OpCase, p.tok().line)
		if p.eatWord("case") {
			c.A = p.expression()
		} else if !p.eatWord("default") {
			p.fail("expected case")
			break
		}
		p.need(pColon)
		for p.i < close && !p.word("case") && !(p.word("default") && p.at(1).punct == pColon) {
			before := p.i
			if s := p.statement(); s != nil && s.Op != script.OpEmpty {
				c.List = append(c.List, s)
			}
			if p.i == before {
				p.fail("a token that begins no statement")
			}
		}
		n.List = append(n.List, c)
	}
	p.need(pCloseBrace)
	return n
}

// declaration parses var, let, const and using without the semicolon.
func (p *parser) declaration() *node {
	n := p.node(script.OpVar, p.tok().line)
	n.Str = p.str(p.tok())
	p.i++
	for p.err == nil {
		d := p.node(script.OpAssign, p.tok().line)
		d.Str = "="
		d.A = p.pattern()
		if p.ts {
			p.eat(pNot)
		}
		p.annotation()
		if p.eat(pAssign) {
			d.B = p.assignment()
		}
		n.List = append(n.List, d)
		if !p.eat(pComma) {
			break
		}
	}
	return n
}

// pattern parses a binding target without its default.
func (p *parser) pattern() *node {
	defer func() { p.depth-- }()
	if !p.enter() {
		return p.node(script.OpBad, 0)
	}
	t := p.tok()
	switch {
	case t.kind == tName:
		p.i++
		n := p.node(script.OpName, t.line)
		n.Str = p.name(t)
		return n
	case p.is(pOpenBracket):
		p.i++
		n := p.node(script.OpArray, t.line)
		for p.err == nil && !p.is(pCloseBracket) {
			if p.eat(pComma) {
				n.List = append(n.List, p.node(script.OpUndef, t.line))
				continue
			}
			n.List = append(n.List, p.patternDefault())
			if !p.eat(pComma) {
				break
			}
		}
		p.need(pCloseBracket)
		return n
	case p.is(pOpenBrace):
		p.i++
		n := p.node(script.OpObject, t.line)
		for p.err == nil && !p.is(pCloseBrace) {
			if p.is(pRest) {
				n.List = append(n.List, p.patternDefault())
			} else {
				prop := p.node(script.OpProp, p.tok().line)
				key := p.tok()
				prop.A = p.propertyName()
				if p.eat(pColon) {
					prop.B = p.patternDefault()
				} else {
					local := p.node(script.OpName, key.line)
					local.Str = p.name(key)
					prop.B = p.withDefault(local)
				}
				n.List = append(n.List, prop)
			}
			if !p.eat(pComma) {
				break
			}
		}
		p.need(pCloseBrace)
		return n
	}
	return p.fail("expected a name to bind")
}

func (p *parser) patternDefault() *node {
	if t := p.tok(); p.eat(pRest) {
		n := p.node(script.OpSpread, t.line)
		n.A = p.pattern()
		p.annotation()
		return n
	}
	n := p.pattern()
	if p.ts {
		p.eat(pQuestion)
	}
	p.annotation()
	return p.withDefault(n)
}

func (p *parser) withDefault(target *node) *node {
	if !p.eat(pAssign) {
		return target
	}
	n := p.node(script.OpAssign, target.Line)
	n.Str, n.A = "=", target
	n.B = p.assignment()
	return n
}

// name is a token's identifier with \u escapes resolved, so that they hide nothing.
func (p *parser) name(t *token) string {
	s := p.str(t)
	if strings.IndexByte(s, '\\') >= 0 {
		return unescape(s)
	}
	return s
}
