package jsscan

import "github.com/ambit-dev/ambit/predict/internal/script"

// maxAngles bounds the search for the end of <type parameters>, in tokens.
const maxAngles = 2000

// angles skips <...> at the current token. Operators that begin with > close it too.
func (p *parser) angles() {
	depth := 0
	for n := 0; p.i < p.end && n < maxAngles; n++ {
		t := p.tok()
		if t.kind == tPunct {
			switch t.punct {
			case pLess:
				depth++
			case pack("<<"):
				depth += 2
			case pGreater:
				depth--
			case pack(">>"):
				depth -= 2
			case pack(">>>"):
				depth -= 3
			case pack(">="), pack(">>="): // <T>= in a default; not split further
				p.i++
				return
			case pOpenParen, pOpenBracket, pOpenBrace:
				p.i = p.closer(p.i)
			case pSemicolon, pCloseParen, pCloseBrace, pCloseBracket, pack("&&"), pack("||"):
				p.fail("type parameters are not closed")
				return
			}
		} else if t.kind == tHead {
			p.skipTemplate()
			continue
		}
		p.i++
		if depth <= 0 {
			return
		}
	}
	p.fail("type parameters are not closed")
}

func (p *parser) skipTemplate() {
	for p.i < p.end && p.tok().kind != tTail {
		if m := int(p.toks[p.i].match); m > p.i {
			p.i = m
		} else {
			p.i++
		}
	}
	p.i++
}

// annotation skips ": type" where TypeScript has one.
func (p *parser) annotation() {
	if p.ts && p.eat(pColon) {
		p.skipType()
	}
}

// skipType skips one type.
func (p *parser) skipType() {
	defer func() { p.depth-- }()
	if !p.enter() {
		return
	}
	if p.is(pOr) || p.is(pAnd) {
		p.i++
	}
	for p.err == nil {
		p.typeOperand()
		t := p.tok()
		switch {
		case p.is(pOr) || p.is(pAnd):
			p.i++
		case t.kind == tName && !t.nl && p.str(t) == "extends":
			p.i++
			p.skipType()
			if p.eat(pQuestion) {
				p.skipType()
				p.need(pColon)
				p.skipType()
			}
			return
		case t.kind == tName && !t.nl && p.str(t) == "is":
			p.i++
			p.eat(pOr)
		default:
			return
		}
	}
}

// typeOperand skips a type without operators between types.
func (p *parser) typeOperand() {
	for p.err == nil {
		t := p.tok()
		if t.kind != tName {
			break
		}
		n := p.at(1)
		begins := n.kind == tName || n.kind == tStr || n.kind == tTemplate || n.kind == tHead || n.kind == tPunct && (n.punct == pOpenBrace || n.punct == pOpenParen || n.punct == pOpenBracket)
		switch p.str(t) {
		case "keyof", "unique", "infer", "readonly", "asserts", "typeof", "new", "abstract":
			if begins && !(n.kind == tName && (p.str(n) == "is" || p.str(n) == "extends")) {
				p.i++
				continue
			}
		}
		break
	}
	t := p.tok()
	switch t.kind {
	case tName, tPrivate:
		p.i++
		if p.str(t) == "import" && p.is(pOpenParen) {
			p.i = p.closer(p.i) + 1
		}
		for p.is(pDot) {
			p.i += 2
		}
		if p.is(pLess) && !p.tok().nl {
			p.angles()
		}
	case tStr, tNum, tTemplate:
		p.i++
	case tHead:
		p.skipTemplate()
	case tPunct:
		switch t.punct {
		case pMinus:
			p.i += 2
		case pLess: // <T>(x: T) => U
			p.angles()
			if !p.is(pOpenParen) {
				p.fail("expected a function type")
				return
			}
			p.i = p.closer(p.i) + 1
			p.need(pArrow)
			p.skipType()
			return
		case pOpenParen:
			params := p.paramsAhead()
			p.i = p.closer(p.i) + 1
			if params && p.eat(pArrow) {
				p.skipType()
				return
			}
		case pOpenBrace, pOpenBracket:
			p.i = p.closer(p.i) + 1
		default:
			p.fail("expected a type")
			return
		}
	default:
		p.fail("expected a type")
		return
	}
	for p.is(pOpenBracket) && !p.tok().nl {
		p.i = p.closer(p.i) + 1
	}
}

// paramsAhead tells the parameters of a function type from a type in parentheses.
func (p *parser) paramsAhead() bool {
	t := p.at(1)
	if t.kind == tPunct {
		return t.punct == pCloseParen || t.punct == pRest || t.punct == pOpenBrace || t.punct == pOpenBracket
	}
	n := p.at(2)
	return t.kind == tName && n.kind == tPunct && (n.punct == pColon || n.punct == pComma || n.punct == pCloseParen || n.punct == pQuestion)
}

// typeStatement parses what only TypeScript has.
func (p *parser) typeStatement(w string, line int32) (*node, bool) {
	next := p.at(1)
	if next.nl || next.kind != tName && next.kind != tStr && !(next.kind == tPunct && next.punct == pOpenBrace) {
		return nil, false
	}
	empty := p.node(script.OpEmpty, line)
	named := next.kind == tName
	switch w {
	case "type":
		if !named {
			return nil, false
		}
		p.i += 2
		if p.is(pLess) {
			p.angles()
		}
		p.need(pAssign)
		p.skipType()
		p.semicolon()
		return empty, true
	case "interface":
		if !named {
			return nil, false
		}
		p.toBrace()
		return empty, true
	case "enum":
		if named {
			return p.enum(), true
		}
	case "abstract":
		if named && p.str(next) == "class" {
			p.i++
			return p.class(true), true
		}
	case "declare":
		p.i++
		if next.kind == tName && p.str(next) == "global" {
			p.toBrace()
		} else {
			p.statement()
		}
		return empty, true
	case "global":
		if named || next.kind == tStr {
			return nil, false
		}
		p.toBrace()
		return empty, true
	case "namespace", "module":
		if p.is(pOpenBrace) || !named && next.kind != tStr {
			return nil, false
		}
		p.i++
		for p.i < p.end && !p.is(pOpenBrace) && !p.is(pSemicolon) && !p.tok().nl {
			p.i++
		}
		if p.is(pOpenBrace) {
			return p.block(), true
		}
		return empty, true
	}
	return nil, false
}

// toBrace skips to the end of the next braces.
func (p *parser) toBrace() {
	for p.i < p.end && !p.is(pOpenBrace) {
		if p.is(pLess) {
			p.angles()
			continue
		}
		p.i++
	}
	if p.i < p.end {
		p.i = p.closer(p.i) + 1
	}
}

// enum parses an enum into an object of its members.
func (p *parser) enum() *node {
	line := p.tok().line
	p.i++ // enum
	name := p.node(script.OpName, line)
	name.Str = p.name(p.tok())
	p.i++
	obj := p.node(script.OpObject, line)
	open := p.i
	p.need(pOpenBrace)
	if p.err != nil {
		return obj
	}
	close := p.closer(open)
	for count := 0; p.i < close && p.err == nil; count++ {
		m := p.node(script.OpProp, p.tok().line)
		m.A = p.propertyName()
		if p.eat(pAssign) {
			m.B = p.assignment()
		} else {
			m.B = p.node(script.OpNum, m.Line)
			m.B.Str = script.FormatNumber(float64(count))
		}
		obj.List = append(obj.List, m)
		if !p.eat(pComma) {
			break
		}
	}
	p.need(pCloseBrace)
	n := p.node(script.OpVar, line)
	n.Str = "const"
	d := p.node(script.OpAssign, line)
	d.Str, d.A, d.B = "=", name, obj
	n.List = []*node{d}
	return n
}

// specifier reads a module name.
func (p *parser) specifier() string {
	t := p.tok()
	if t.kind != tStr {
		p.fail("expected a module name")
		return ""
	}
	p.i++
	s := unescape(p.s[t.pos+1 : max(t.pos+1, t.end-1)])
	if (p.word("with") || p.word("assert")) && p.at(1).kind == tPunct && p.at(1).punct == pOpenBrace {
		p.i++
		p.i = p.closer(p.i) + 1
	}
	return s
}

func (p *parser) importDeclaration(line int32) *node {
	p.esm = true
	p.i++
	n := p.node(script.OpImportFrom, line)
	if p.tok().kind == tStr {
		n.Str = p.specifier()
		p.semicolon()
		return n
	}
	typeOnly := false
	if p.ts && p.word("type") {
		next := p.at(1)
		if next.kind == tPunct && (next.punct == pOpenBrace || next.punct == pStar) || next.kind == tName && (p.str(next) != "from" || p.at(2).kind == tName) {
			typeOnly = true
			p.i++
		}
	}
	if t := p.tok(); t.kind == tName {
		p.i++
		n.List = append(n.List, p.alias("default", p.name(t), t.line))
		if p.ts && p.is(pAssign) { // import x = require("y"), import x = A.B
			p.i++
			n.Op, n.Str = script.OpVar, "const"
			d := p.node(script.OpAssign, line)
			d.Str, d.A = "=", n.List[0].A
			d.B = p.assignment()
			n.List = []*node{d}
			p.semicolon()
			return n
		}
		p.eat(pComma)
	}
	if p.eat(pStar) {
		if !p.eatWord("as") {
			return p.fail("expected as")
		}
		t := p.tok()
		p.i++
		n.List = append(n.List, p.alias("*", p.name(t), t.line))
	} else if p.is(pOpenBrace) {
		n.List = append(n.List, p.aliases(true)...)
	}
	if !p.eatWord("from") {
		return p.fail("expected from")
	}
	n.Str = p.specifier()
	p.semicolon()
	if typeOnly {
		return p.node(script.OpEmpty, line)
	}
	return n
}

func (p *parser) alias(outer, local string, line int32) *node {
	n := p.node(script.OpAlias, line)
	n.Str = outer
	n.A = p.node(script.OpName, line)
	n.A.Str = local
	return n
}

// aliases reads { a, b as c }: for an import a is the outer name and c the local one; for an
// export the reverse.
func (p *parser) aliases(imported bool) []*node {
	var list []*node
	p.need(pOpenBrace)
	for p.err == nil && !p.is(pCloseBrace) {
		typeOnly := false
		if p.ts && p.word("type") && p.at(1).kind == tName && p.str(p.at(1)) != "as" {
			typeOnly = true
			p.i++
		}
		line := p.tok().line
		first := p.aliasName()
		second := first
		if p.eatWord("as") {
			second = p.aliasName()
		}
		if !imported {
			first, second = second, first
		}
		if !typeOnly {
			list = append(list, p.alias(first, second, line))
		}
		if !p.eat(pComma) {
			break
		}
	}
	p.need(pCloseBrace)
	return list
}

func (p *parser) aliasName() string {
	t := p.tok()
	p.i++
	switch t.kind {
	case tName:
		return p.name(t)
	case tStr:
		return unescape(p.s[t.pos+1 : max(t.pos+1, t.end-1)])
	}
	p.i--
	p.fail("expected a name")
	return ""
}

func (p *parser) exportDeclaration(line int32) *node {
	p.esm = true
	p.i++
	n := p.node(script.OpExport, line)
	if p.ts {
		next := p.at(1)
		switch {
		case p.is(pAssign): // export = x
			p.i++
			d := p.node(script.OpAlias, line)
			d.Str = "export="
			d.A = p.expression()
			n.List = []*node{d}
			p.semicolon()
			return n
		case p.word("type") && next.kind == tPunct && (next.punct == pOpenBrace || next.punct == pStar):
			p.i++
			p.exported(n)
			return p.node(script.OpEmpty, line)
		case p.word("as"): // export as namespace X
			p.i += 3
			p.semicolon()
			return p.node(script.OpEmpty, line)
		case p.word("import"): // export import a = b.c
			return p.importDeclaration(line)
		}
	}
	return p.exported(n)
}

func (p *parser) exported(n *node) *node {
	line := n.Line
	switch {
	case p.eatWord("default"):
		d := p.node(script.OpAlias, line)
		d.Str = "default"
		switch {
		case p.word("function"), p.word("async") && p.at(1).kind == tName && p.str(p.at(1)) == "function":
			d.A = p.function(true)
		case p.word("class"):
			d.A = p.class(true)
		case p.ts && p.word("abstract") && p.at(1).kind == tName && p.str(p.at(1)) == "class":
			p.i++
			d.A = p.class(true)
		case p.ts && p.word("interface") && p.at(1).kind == tName:
			p.toBrace()
			return p.node(script.OpEmpty, line)
		default:
			d.A = p.assignment()
			p.semicolon()
		}
		n.List = []*node{d}
		return n
	case p.eat(pStar):
		n.Op = script.OpExportFrom
		if p.eatWord("as") {
			n.List = []*node{p.alias(p.aliasName(), "*", line)}
		}
		if !p.eatWord("from") {
			return p.fail("expected from")
		}
		n.Str = p.specifier()
		p.semicolon()
		return n
	case p.is(pOpenBrace):
		n.List = p.aliases(false)
		if p.eatWord("from") {
			n.Op = script.OpExportFrom
			n.Str = p.specifier()
			if len(n.List) == 0 {
				n.Op = script.OpImportFrom
			}
		}
		p.semicolon()
		return n
	case p.is(pAt):
		p.decorators()
	}
	n.A = p.statement()
	return n
}
