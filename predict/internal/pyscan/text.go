package pyscan

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// strings parses adjacent string literals, which are one text.
func (p *parser) strings() *node {
	n := p.node(script.OpConcat)
	for p.err == nil && p.tok().kind == tStr {
		t := p.tok()
		p.i++
		body, prefix := literal(p.str(t))
		raw := strings.ContainsAny(prefix, "rR")
		if strings.ContainsAny(prefix, "fFtT") {
			n.List = append(n.List, p.format(body, raw, t.line+p.line)...)
			continue
		}
		if !raw {
			body = unescape(body)
		}
		n.List = append(n.List, &node{Op: script.OpStr, Str: body, Line: t.line + p.line})
	}
	if len(n.List) == 1 && n.List[0].Op == script.OpStr {
		return n.List[0]
	}
	return n
}

// literal takes the prefix and quotes off.
func literal(s string) (body, prefix string) {
	i := strings.IndexAny(s, `"'`)
	if i < 0 {
		return "", ""
	}
	prefix, s = s[:i], s[i:]
	q := 1
	if len(s) >= 6 && s[1] == s[0] && s[2] == s[0] {
		q = 3
	}
	if len(s) < 2*q {
		return "", prefix
	}
	return s[q : len(s)-q], prefix
}

// format splits an f-string into text and expressions.
func (p *parser) format(body string, raw bool, line int32) []*node {
	var parts []*node
	var b strings.Builder
	flush := func() {
		s := b.String()
		b.Reset()
		if !raw {
			s = unescape(s)
		}
		parts = append(parts, &node{Op: script.OpStr, Str: s, Line: line})
	}
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case (c == '{' || c == '}') && i+1 < len(body) && body[i+1] == c:
			b.WriteByte(c)
			i++
		case c == '{':
			end := replacementEnd(body, i+1)
			flush()
			parts = append(parts, p.replacement(body[i+1:min(end, len(body))], line))
			for end < len(body) && body[end] != '}' { // a conversion or format after it
				if body[end] == '{' {
					end = replacementEnd(body, end+1)
				}
				end++
			}
			i = end
		default:
			b.WriteByte(c)
		}
	}
	flush()
	return parts
}

// replacementEnd is the index of what ends the expression that starts at i: } : or !.
func replacementEnd(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch c := s[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']':
			depth--
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		case ':':
			if depth == 0 {
				return i
			}
		case '!':
			if depth == 0 && !(i+1 < len(s) && s[i+1] == '=') {
				return i
			}
		case '\'', '"':
			j := i + 1
			for j < len(s) && s[j] != c {
				j++
			}
			i = j
		}
	}
	return len(s)
}

// replacement parses the expression of an f-string's braces.
func (p *parser) replacement(src string, line int32) *node {
	defer func() { p.depth-- }()
	if !p.enter() {
		return &node{Op: script.OpBad, Line: line}
	}
	toks, err := tokenize("(" + strings.TrimSuffix(strings.TrimSpace(src), "=") + ")")
	if err != nil {
		return &node{Op: script.OpName, Str: "\x00", Line: line}
	}
	q := &parser{text: &text{s: "(" + strings.TrimSuffix(strings.TrimSpace(src), "=") + ")", toks: toks, line: line - 1}, i: 1, end: len(toks) - 1, depth: p.depth}
	e := q.expressions()
	if q.err != nil {
		return &node{Op: script.OpName, Str: "\x00", Line: line}
	}
	return e
}

// unescape resolves the escapes of a string.
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
		case 'a', 'b', 'f', 'v':
			b.WriteByte(' ')
		case '\n':
		case '\\', '\'', '"':
			b.WriteByte(c)
		case 'x', 'u', 'U':
			n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			if v, err := strconv.ParseUint(s[i+1:min(i+1+n, len(s))], 16, 32); err == nil && v <= utf8.MaxRune {
				b.WriteRune(rune(v))
				i += n
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v, j := 0, i
			for j < len(s) && j < i+3 && s[j] >= '0' && s[j] <= '7' {
				v = v*8 + int(s[j]-'0')
				j++
			}
			b.WriteRune(rune(v & 0xFF))
			i = j - 1
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}
