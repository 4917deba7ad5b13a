package pyscan

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

type node = script.Node

// maxDepth bounds the nesting that is followed; deeper text is a syntax error to us.
const maxDepth = 500

// text is one tokenized file, shared by the parsers of its function bodies.
type text struct {
	s    string
	toks []token
	line int32 // added to every line: the place of an f-string's expression
}

type parser struct {
	*text
	i, end int
	depth  int
	class  bool // the statements are a class body
	err    *syntaxError
}

// parse splits and parses one file. Statements before a syntax error are returned with it.
func parse(src string) ([]*node, *syntaxError) {
	toks, err := tokenize(src)
	p := &parser{text: &text{s: src, toks: toks}, i: 1, end: len(toks) - 1}
	list := p.statements(p.end)
	if err == nil {
		err = p.err
	}
	if n := len(list); err != nil && n > 0 && list[n-1].Op == script.OpBad {
		list = list[:n-1]
	}
	return list, err
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

func (p *parser) is(op string) bool {
	t := p.tok()
	return t.kind == tOp && p.s[t.pos:t.end] == op
}

func (p *parser) word(w string) bool {
	t := p.tok()
	return t.kind == tName && p.s[t.pos:t.end] == w
}

func (p *parser) eat(op string) bool {
	if p.is(op) {
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

func (p *parser) need(op string) {
	if !p.eat(op) {
		p.fail("expected " + op)
	}
}

func (p *parser) fail(what string) *node {
	line := p.tok().line + p.line
	if p.err == nil {
		p.err = &syntaxError{line, what}
	}
	p.i = p.end
	return &node{Op: script.OpBad, Line: line, Str: what}
}

func (p *parser) node(op script.Op) *node {
	return &node{Op: op, Line: p.tok().line + p.line}
}

func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested too deeply")
		return false
	}
	return true
}

func (p *parser) statements(end int) []*node {
	var list []*node
	for p.i < end && p.err == nil {
		before := p.i
		list = append(list, p.statement()...)
		if p.i == before && p.err == nil {
			p.fail("a token that begins no statement")
		}
	}
	if p.err != nil {
		list = append(list, &node{Op: script.OpBad, Line: p.err.line, Str: p.err.what})
	}
	return list
}

// statement parses one logical line, or a compound statement.
func (p *parser) statement() []*node {
	defer func() { p.depth-- }()
	if !p.enter() {
		return nil
	}
	t := p.tok()
	switch t.kind {
	case tNewline, tDedent:
		p.i++
		return nil
	case tIndent: // unexpected, but its statements are still read
		p.i++
		return nil
	case tName:
		if n := p.compound(p.str(t)); n != nil {
			return n
		}
	case tOp:
		if p.is("@") {
			return p.decorated()
		}
	}
	var list []*node
	for p.err == nil {
		list = append(list, p.simple()...)
		if !p.eat(";") {
			break
		}
		if p.tok().kind == tNewline {
			break
		}
	}
	if p.err == nil && p.tok().kind == tNewline {
		p.i++
	} else if p.err == nil && p.i < p.end {
		p.fail("expected the end of the line")
	}
	return list
}

// compound parses a statement that has a block; nil where w begins none.
func (p *parser) compound(w string) []*node {
	switch w {
	case "if":
		return []*node{p.ifStatement()}
	case "while":
		n := p.node(script.OpWhile)
		p.i++
		n.A = p.named()
		n.B = p.block()
		if p.eatWord("else") {
			n.C = p.block()
		}
		return []*node{n}
	case "for":
		return p.forStatement()
	case "try":
		return []*node{p.try()}
	case "with":
		return []*node{p.with()}
	case "def":
		return []*node{p.function(nil, false)}
	case "class":
		return []*node{p.classStatement(nil)}
	case "async":
		if n := p.at(1); n.kind == tName {
			p.i++
			if p.str(n) == "def" {
				return []*node{p.function(nil, true)}
			}
			return p.compound(p.str(n))
		}
	case "match":
		return p.match()
	}
	return nil
}

// block parses ": suite".
func (p *parser) block() *node {
	n := p.node(script.OpBlock)
	p.need(":")
	if p.err != nil {
		return n
	}
	if p.tok().kind != tNewline {
		n.List = p.statement()
		return n
	}
	p.i++
	if p.tok().kind != tIndent {
		p.fail("expected an indented block")
		return n
	}
	end := p.dedent()
	p.i++
	for p.i < end && p.err == nil {
		before := p.i
		n.List = append(n.List, p.statement()...)
		if p.i == before && p.err == nil {
			p.fail("a token that begins no statement")
		}
	}
	if p.err == nil {
		p.i = end + 1
	}
	return n
}

// dedent is the index of the dedent that ends the indent at the current token.
func (p *parser) dedent() int {
	m := int(p.toks[p.i].match)
	if m <= p.i || m > p.end {
		return p.end
	}
	return m
}

func (p *parser) ifStatement() *node {
	n := p.node(script.OpIf)
	first := n
	p.i++
	n.A = p.named()
	n.B = p.block()
	for p.word("elif") && p.err == nil {
		e := p.node(script.OpIf)
		p.i++
		e.A = p.named()
		e.B = p.block()
		n.C = e
		n = e
	}
	if p.eatWord("else") {
		n.C = p.block()
	}
	return first
}

func (p *parser) forStatement() []*node {
	n := p.node(script.OpForOf)
	p.i++
	n.A = p.targets()
	if !p.eatWord("in") {
		return []*node{p.fail("expected in")}
	}
	n.B = p.expressions()
	n.C = p.block()
	if p.eatWord("else") {
		return []*node{n, p.block()}
	}
	return []*node{n}
}

// targets parses the variables of a for: names, members, tuples.
func (p *parser) targets() *node {
	n := p.node(script.OpTuple)
	for p.err == nil {
		if p.eat("*") {
			s := p.node(script.OpSpread)
			s.A = p.unary()
			n.List = append(n.List, s)
		} else {
			n.List = append(n.List, p.postfix())
		}
		if !p.eat(",") {
			if len(n.List) == 1 {
				return n.List[0]
			}
			break
		}
		if p.word("in") || p.is("=") {
			break
		}
	}
	return n
}

func (p *parser) try() *node {
	n := p.node(script.OpTry)
	p.i++
	n.A = p.block()
	for p.word("except") && p.err == nil {
		c := p.node(script.OpCatch)
		p.i++
		p.eat("*")
		if !p.is(":") {
			c.C = p.expressions()
			if p.eatWord("as") {
				c.A = p.postfix()
			}
		}
		c.B = p.block()
		n.List = append(n.List, c)
	}
	if p.eatWord("else") {
		n.B = p.block()
	}
	if p.eatWord("finally") {
		n.C = p.block()
	}
	return n
}

func (p *parser) with() *node {
	n := p.node(script.OpWith)
	p.i++
	paren := p.is("(") && p.withParens()
	if paren {
		p.i++
	}
	for p.err == nil && !p.is(")") {
		item := p.node(script.OpAssign)
		item.Str = "="
		item.B = p.expression()
		if p.eatWord("as") {
			item.A = p.postfix()
		}
		n.List = append(n.List, item)
		if !p.eat(",") {
			break
		}
	}
	if paren {
		p.need(")")
	}
	n.C = p.block()
	return n
}

// withParens tells with (a as b, c as d): from with (expression):.
func (p *parser) withParens() bool {
	end := int(p.toks[p.i].match)
	if end <= p.i || end+1 >= p.end || p.str(&p.toks[end+1]) != ":" {
		return false
	}
	for i := p.i + 1; i < end; i++ {
		t := &p.toks[i]
		if m := int(t.match); m > i && m < end {
			i = m
			continue
		}
		if t.kind == tName && p.str(t) == "as" || t.kind == tOp && p.str(t) == "," {
			return true
		}
	}
	return false
}

func (p *parser) decorated() []*node {
	var list []*node
	for p.err == nil && p.eat("@") {
		list = append(list, p.named())
		if p.tok().kind == tNewline {
			p.i++
		}
	}
	async := p.eatWord("async")
	switch {
	case p.word("def"):
		return []*node{p.function(list, async)}
	case p.word("class"):
		return []*node{p.classStatement(list)}
	}
	return []*node{p.fail("expected def or class")}
}

// function parses a def; its body stays unparsed until it is called.
func (p *parser) function(decorators []*node, async bool) *node {
	n := p.node(script.OpFunc)
	n.Opt = true
	f := &script.Func{Line: int(n.Line), Async: async, Self: p.class}
	n.Fn = f
	p.i++
	f.Name = p.str(p.tok())
	p.i++
	if p.is("[") {
		p.i = p.closer() + 1
	}
	p.need("(")
	f.Params = p.params(")")
	p.need(")")
	if p.eat("->") {
		p.expression()
	}
	for _, d := range decorators {
		switch name := lastName(d); {
		case name == "staticmethod":
			f.Self = false
		case name == "classmethod":
			f.Kind = "class"
		case name == "property" || name == "cached_property":
			f.Kind = "property"
		case name == "setter" || name == "deleter" || name == "overload":
			n.Op = script.OpEmpty
		default:
			f.Decorators = append(f.Decorators, d)
		}
	}
	if !p.is(":") {
		p.need(":")
		return n
	}
	p.lazyBody(f)
	return n
}

func lastName(d *node) string {
	switch d.Op {
	case script.OpName, script.OpMember:
		return d.Str
	}
	return ""
}

// lazyBody leaves the block of f unparsed and moves behind it.
func (p *parser) lazyBody(f *script.Func) {
	if p.at(1).kind != tNewline || p.at(2).kind != tIndent {
		body := p.block()
		for _, s := range body.List {
			f.Gen = f.Gen || s.Op == script.OpYield
		}
		f.Parse = func() []*node { return body.List }
		return
	}
	p.i += 2
	start, end := p.i+1, p.dedent()
	t := p.text
	for i := start; i < end; i++ {
		if tk := &t.toks[i]; tk.kind == tName && tk.end-tk.pos == 5 && p.s[tk.pos:tk.end] == "yield" {
			f.Gen = true
			break
		}
	}
	f.Parse = func() []*node {
		q := &parser{text: t, i: start, end: end}
		return q.statements(end)
	}
	p.i = min(end+1, p.end)
}

// params parses parameters up to the closing token.
func (p *parser) params(end string) []*node {
	var list []*node
	for p.err == nil && !p.is(end) {
		n := p.node(script.OpSpread)
		switch {
		case p.eat("/"):
			n = nil
		case p.eat("**"):
			n.Str = "**"
			n.A = p.param(end)
		case p.eat("*"):
			if !p.is(",") && !p.is(end) {
				n.A = p.param(end)
			}
		default:
			n = p.param(end)
			if p.eat("=") {
				d := p.node(script.OpAssign)
				d.Str, d.A = "=", n
				d.B = p.expression()
				n = d
			}
		}
		if n != nil {
			list = append(list, n)
		}
		if !p.eat(",") {
			break
		}
	}
	return list
}

func (p *parser) param(end string) *node {
	n := p.node(script.OpName)
	if p.tok().kind != tName {
		return p.fail("expected a parameter")
	}
	n.Str = p.str(p.tok())
	p.i++
	if end == ")" && p.eat(":") {
		p.eat("*")
		p.expression()
	}
	return n
}

// closer is the index of the bracket that closes the one at the current token.
func (p *parser) closer() int {
	m := int(p.toks[p.i].match)
	if m <= p.i || m > p.end {
		return p.end
	}
	return m
}

func (p *parser) classStatement(decorators []*node) *node {
	n := p.node(script.OpClass)
	n.Opt = true
	p.i++
	n.Str = p.str(p.tok())
	p.i++
	if p.is("[") {
		p.i = p.closer() + 1
	}
	if p.eat("(") {
		for _, a := range p.arguments() {
			if a.Op != script.OpKeyword && a.Op != script.OpSpread && n.A == nil {
				n.A = a
			}
		}
	}
	if len(decorators) > 0 {
		n.C = &node{Op: script.OpArray, List: decorators}
	}
	was := p.class
	p.class = true
	n.List = p.block().List
	p.class = was
	return n
}

// match parses a match statement; nil where match is only a name.
func (p *parser) match() []*node {
	start := p.i
	q := *p
	q.i++
	if t := q.tok(); t.kind == tNewline || t.kind == tOp && !strings.Contains("([{-*", q.str(t)) {
		return nil
	}
	subject := q.expressions()
	if q.err != nil || !q.is(":") || q.at(1).kind != tNewline || q.at(2).kind != tIndent {
		p.i = start
		return nil
	}
	p.i = q.i + 2
	end := p.dedent()
	p.i++
	n := p.node(script.OpSwitch)
	n.A = subject
	for p.i < end && p.err == nil {
		if !p.eatWord("case") {
			p.fail("expected case")
			break
		}
		c := p.node(script.OpCase)
		c.A = p.casePattern()
		c.List = append(p.block().List, &node{Op: script.OpBreak, Line: c.Line})
		n.List = append(n.List, c)
	}
	if p.err == nil {
		p.i = end + 1
	}
	return []*node{n}
}

// casePattern keeps a literal pattern; all others stand for something unknown.
func (p *parser) casePattern() *node {
	first := p.i
	simple := p.tok().kind == tStr || p.tok().kind == tNum
	if p.word("_") && p.str(p.at(1)) == ":" {
		p.i++
		return nil
	}
	for p.i < p.end && !p.is(":") && p.tok().kind != tNewline {
		if m := p.closer(); m > p.i && m < p.end && p.toks[p.i].match > 0 {
			p.i = m
		}
		p.i++
	}
	if simple && p.i == first+1 {
		q := &parser{text: p.text, i: first, end: p.i}
		return q.atom()
	}
	return &node{Op: script.OpName, Str: "\x00pattern", Line: p.toks[first].line}
}
