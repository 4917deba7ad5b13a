package jsscan

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

func (p *parser) array(line int32) *node {
	p.i++
	n := p.node(script.OpArray, line)
	noIn, noType := p.noIn, p.noType
	p.noIn, p.noType = false, false
	for p.err == nil && !p.is(pCloseBracket) {
		if p.eat(pComma) {
			n.List = append(n.List, p.node(script.OpUndef, line))
			continue
		}
		n.List = append(n.List, p.element())
		if !p.eat(pComma) {
			break
		}
	}
	p.noIn, p.noType = noIn, noType
	p.need(pCloseBracket)
	return n
}

func (p *parser) object(line int32) *node {
	p.i++
	n := p.node(script.OpObject, line)
	noIn, noType := p.noIn, p.noType
	p.noIn, p.noType = false, false
	for p.err == nil && !p.is(pCloseBrace) {
		n.List = append(n.List, p.property())
		if !p.eat(pComma) {
			break
		}
	}
	p.noIn, p.noType = noIn, noType
	p.need(pCloseBrace)
	return n
}

// property parses one member of an object literal.
func (p *parser) property() *node {
	t := p.tok()
	if p.is(pRest) {
		return p.element()
	}
	n := p.node(script.OpProp, t.line)
	f := &script.Func{Line: int(t.line)}
	for t.kind == tName {
		next := p.at(1)
		if next.kind == tPunct && next.punct != pOpenBracket && next.punct != pStar {
			break
		}
		w := p.str(t)
		if w == "async" && !f.Async {
			f.Async = true
		} else if (w == "get" || w == "set") && f.Kind == "" {
			f.Kind, n.Str = w, w
		} else {
			break
		}
		p.i++
		t = p.tok()
	}
	f.Gen = p.eat(pStar)
	t = p.tok()
	n.A = p.propertyName()
	switch {
	case p.is(pOpenParen) || p.ts && p.is(pLess):
		f.Name = n.A.Str
		n.B = p.node(script.OpFunc, t.line)
		n.B.Fn = f
		p.signature(f)
	case p.eat(pColon):
		n.B = p.assignment()
		if n.B.Op == script.OpFunc && n.B.Fn.Name == "" {
			n.B.Fn.Name = n.A.Str
		}
	case t.kind == tName:
		local := p.node(script.OpName, t.line)
		local.Str = p.name(t)
		n.B = p.withDefault(local)
	default:
		p.fail("expected : after a property name")
	}
	return n
}

// propertyName parses a key: OpStr for a fixed name, the expression for a computed one.
func (p *parser) propertyName() *node {
	t := p.tok()
	n := p.node(script.OpStr, t.line)
	switch {
	case t.kind == tName || t.kind == tPrivate:
		n.Str = p.name(t)
	case t.kind == tStr:
		n.Str = unescape(p.s[t.pos+1 : max(t.pos+1, t.end-1)])
	case t.kind == tNum:
		n.Str = numberKey(p.str(t))
	case p.is(pOpenBracket):
		p.i++
		e := p.assignment()
		p.need(pCloseBracket)
		return e
	default:
		return p.fail("expected a property name")
	}
	p.i++
	return n
}

// template parses a template literal into its parts.
func (p *parser) template() *node {
	t := p.tok()
	n := p.node(script.OpConcat, t.line)
	piece := func(t *token, cut int32) {
		s := p.node(script.OpStr, t.line)
		s.Str = unescape(p.s[t.pos+1 : max(t.pos+1, t.end-cut)])
		n.List = append(n.List, s)
	}
	p.i++
	if t.kind == tTemplate {
		piece(t, 1)
		return n
	}
	piece(t, 2)
	noIn, noType := p.noIn, p.noType
	p.noIn, p.noType = false, false
	defer func() { p.noIn, p.noType = noIn, noType }()
	for p.err == nil {
		n.List = append(n.List, p.expression())
		t = p.tok()
		switch t.kind {
		case tMiddle:
			piece(t, 2)
			p.i++
		case tTail:
			piece(t, 1)
			p.i++
			return n
		default:
			p.fail("a template string is not closed")
		}
	}
	return n
}

// jsxElement parses the expressions inside a JSX element.
func (p *parser) jsxElement(line int32) *node {
	n := p.node(script.OpJSX, line)
	end := p.closer(p.i)
	p.i++
	for p.i < end && p.err == nil {
		if !p.is(pOpenBrace) {
			p.i++
			continue
		}
		close := p.closer(p.i)
		p.i++
		if p.i < close { // not an empty {} or a comment
			n.List = append(n.List, p.element())
		}
		if p.err == nil {
			p.i = close + 1
		}
	}
	if p.err == nil {
		p.i = end + 1
	}
	return n
}

// numberKey is a number as a property name.
func numberKey(lit string) string {
	if v, ok := script.ParseNumber(lit); ok {
		return script.FormatNumber(v)
	}
	return lit
}

// unescape resolves the escapes of a string or template.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'v':
			b.WriteByte('\v')
		case '\n':
		case '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
		case 'x':
			if v, err := strconv.ParseUint(s[i+1:min(i+3, len(s))], 16, 8); err == nil && i+3 <= len(s) {
				b.WriteRune(rune(v))
				i += 2
			}
		case 'u':
			i += unicodeEscape(&b, s[i+1:])
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v := 0
			j := i
			for j < len(s) && j < i+3 && s[j] >= '0' && s[j] <= '7' {
				v = v*8 + int(s[j]-'0')
				j++
			}
			b.WriteRune(rune(v & 0xFF))
			i = j - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unicodeEscape writes what follows \u and returns how many bytes it took.
func unicodeEscape(b *strings.Builder, s string) int {
	if strings.HasPrefix(s, "{") {
		end := strings.IndexByte(s, '}')
		if end < 0 || end > 12 {
			return 0
		}
		if v, err := strconv.ParseUint(s[1:end], 16, 32); err == nil && v <= utf8.MaxRune {
			b.WriteRune(rune(v))
		}
		return end + 1
	}
	if len(s) < 4 {
		return 0
	}
	v, err := strconv.ParseUint(s[:4], 16, 16)
	if err != nil {
		return 0
	}
	b.WriteRune(rune(v))
	return 4
}
