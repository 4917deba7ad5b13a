package pyscan

import (
	"github.com/ambit-dev/ambit/predict/internal/script"
)

// arguments parses call arguments after the opening bracket, and the closing one.
func (p *parser) arguments() []*node {
	var list []*node
	for p.err == nil && !p.is(")") {
		n := p.node(script.OpSpread)
		switch {
		case p.eat("**"):
			n.Str = "**"
			n.A = p.expression()
		case p.eat("*"):
			n.A = p.expression()
		case p.tok().kind == tName && p.at(1).kind == tOp && p.str(p.at(1)) == "=":
			n.Op, n.Str = script.OpKeyword, p.str(p.tok())
			p.i += 2
			n.A = p.expression()
		default:
			n = p.named()
			if p.word("for") || p.word("async") {
				n = p.comprehension(n, "()", n.Line)
			}
		}
		list = append(list, n)
		if !p.eat(",") {
			break
		}
	}
	p.need(")")
	return list
}

func (p *parser) subscript(e *node) *node {
	n := p.node(script.OpIndex)
	p.i++
	n.A = e
	undef := func() *node { return p.node(script.OpUndef) }
	part := func() *node {
		if p.is(":") || p.is("]") || p.is(",") {
			return undef()
		}
		return p.starred()
	}
	first := part()
	if p.eat(":") {
		n.Op = script.OpSlice
		n.B = first
		n.C = part()
		if p.eat(":") {
			part()
			n.B, n.C = undef(), undef()
			n.Op = script.OpSlice
		}
	} else {
		n.B = first
	}
	for p.err == nil && p.eat(",") { // several dimensions: not followed
		part()
		for p.eat(":") {
			part()
		}
		n.Op, n.B = script.OpIndex, p.node(script.OpBad)
		n.B.Op, n.B.Str = script.OpName, "\x00"
	}
	p.need("]")
	return n
}

// comprehension parses the loops after the element.
func (p *parser) comprehension(element *node, form string, line int32) *node {
	n := &node{Op: script.OpComp, Str: form, A: element, Line: line}
	for p.err == nil {
		p.eatWord("async")
		switch {
		case p.word("for"):
			l := p.node(script.OpForOf)
			p.i++
			l.A = p.targets()
			if !p.eatWord("in") {
				return p.fail("expected in")
			}
			l.B = p.or()
			n.List = append(n.List, l)
		case p.word("if"):
			l := p.node(script.OpIf)
			p.i++
			l.A = p.or()
			n.List = append(n.List, l)
		default:
			return n
		}
	}
	return n
}

func (p *parser) atom() *node {
	t := p.tok()
	switch t.kind {
	case tName:
		n := p.node(script.OpName)
		p.i++
		switch w := p.str(t); w {
		case "None":
			n.Op = script.OpNull
		case "True":
			n.Op = script.OpTrue
		case "False":
			n.Op = script.OpFalse
		case "and", "or", "in", "is", "if", "else", "elif", "for", "while", "def", "class", "return", "import", "with", "as", "try", "except", "finally", "raise", "pass", "break", "continue", "global", "nonlocal", "del", "assert":
			p.i--
			return p.fail("the word " + w + " where a value was expected")
		default:
			n.Str = w
		}
		return n
	case tNum:
		n := p.node(script.OpNum)
		n.Str = p.str(t)
		p.i++
		return n
	case tStr:
		return p.strings()
	case tOp:
		switch p.str(t) {
		case "(":
			return p.parens()
		case "[":
			n := p.node(script.OpArray)
			p.i++
			n.List = p.elements("]")
			return p.maybeComp(n, "[]", "]")
		case "{":
			return p.braces()
		case "...":
			p.i++
			return p.node(script.OpNull)
		case "`":
			return p.fail("a back quote")
		}
	}
	return p.fail("expected a value")
}

func (p *parser) elements(end string) []*node {
	var list []*node
	for p.err == nil && !p.is(end) {
		list = append(list, p.starred())
		if p.word("for") || p.word("async") || !p.eat(",") {
			break
		}
	}
	return list
}

func (p *parser) maybeComp(n *node, form, end string) *node {
	if len(n.List) == 1 && (p.word("for") || p.word("async")) {
		n = p.comprehension(n.List[0], form, n.Line)
	}
	p.need(end)
	return n
}

func (p *parser) parens() *node {
	n := p.node(script.OpTuple)
	p.i++
	if p.word("yield") {
		y := p.yield()
		p.need(")")
		return y
	}
	for p.err == nil && !p.is(")") {
		n.List = append(n.List, p.starred())
		if p.word("for") || p.word("async") {
			return p.maybeComp(n, "()", ")")
		}
		if !p.is(",") && len(n.List) == 1 {
			p.need(")")
			return n.List[0]
		}
		if !p.eat(",") {
			break
		}
	}
	p.need(")")
	return n
}

// braces parses a dict or set.
func (p *parser) braces() *node {
	n := p.node(script.OpObject)
	p.i++
	for p.err == nil && !p.is("}") {
		item := p.node(script.OpProp)
		if p.is("**") {
			item.Op = script.OpSpread
			p.i++
			item.A = p.binary(0)
			n.List = append(n.List, item)
		} else {
			key := p.starred()
			if !p.is(":") { // a set
				set := &node{Op: script.OpArray, Line: n.Line, List: []*node{key}}
				if p.eat(",") {
					set.List = append(set.List, p.elements("}")...)
				}
				return p.maybeComp(set, "{}", "}")
			}
			p.i++
			item.A = key
			item.B = p.expression()
			if p.word("for") || p.word("async") {
				pair := &node{Op: script.OpTuple, Line: n.Line, List: []*node{item.A, item.B}}
				c := p.comprehension(pair, "{:}", n.Line)
				p.need("}")
				return c
			}
			n.List = append(n.List, item)
		}
		if !p.eat(",") {
			break
		}
	}
	p.need("}")
	return n
}
