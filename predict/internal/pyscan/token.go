package pyscan

import (
	"fmt"
	"math"
)

type kind uint8

const (
	tEOF kind = iota
	tName
	tNum
	tStr // with its prefix and quotes
	tOp
	tNewline
	tIndent // match is the index of its tDedent
	tDedent
)

// token is a piece of the source. match is the partner of a bracket or of an indent.
type token struct {
	kind  kind
	pos   int32
	end   int32
	line  int32
	match int32
}

// syntaxError says where the text stopped making sense.
type syntaxError struct {
	line int32
	what string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

type lexer struct {
	src     string
	i       int
	line    int32
	toks    []token
	open    []int32 // open brackets
	indents []indent
	start   bool // at the start of a logical line
	err     *syntaxError
}

type indent struct {
	width int
	tok   int32
}

// tokenize splits src. On an error the tokens before it are returned too.
func tokenize(src string) ([]token, *syntaxError) {
	if len(src) > math.MaxInt32/4 {
		return []token{{}, {kind: tEOF, line: 1}}, &syntaxError{1, "file too large"}
	}
	lx := &lexer{src: src, line: 1, start: true, toks: make([]token, 1, len(src)/5+16)}
	if len(src) >= 3 && src[:3] == "\xEF\xBB\xBF" {
		lx.i = 3
	}
	for lx.err == nil && lx.i < len(src) {
		lx.next()
	}
	if len(lx.open) > 0 {
		lx.fail("a bracket is not closed")
		for _, o := range lx.open {
			lx.toks[o].match = int32(len(lx.toks))
		}
	}
	lx.add(tNewline, lx.i)
	for len(lx.indents) > 0 {
		lx.dedent()
	}
	lx.add(tEOF, lx.i)
	return lx.toks, lx.err
}

func (lx *lexer) fail(what string) {
	if lx.err == nil {
		lx.err = &syntaxError{lx.line, what}
	}
}

func (lx *lexer) add(k kind, pos int) {
	lx.toks = append(lx.toks, token{kind: k, pos: int32(pos), end: int32(lx.i), line: lx.line})
}

func (lx *lexer) dedent() {
	last := lx.indents[len(lx.indents)-1]
	lx.indents = lx.indents[:len(lx.indents)-1]
	lx.toks[last.tok].match = int32(len(lx.toks))
	lx.add(tDedent, lx.i)
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// indentation measures a line's start; lines without code change nothing.
func (lx *lexer) indentation() {
	width := 0
	for ; lx.i < len(lx.src); lx.i++ {
		switch lx.src[lx.i] {
		case ' ':
			width++
		case '\t':
			width = width/8*8 + 8
		case '\f':
			width = 0
		default:
			goto measured
		}
	}
measured:
	if lx.i >= len(lx.src) {
		return
	}
	switch lx.src[lx.i] {
	case '\n', '\r', '#':
		return
	}
	lx.start = false
	current := 0
	if n := len(lx.indents); n > 0 {
		current = lx.indents[n-1].width
	}
	if width > current {
		lx.add(tIndent, lx.i)
		lx.indents = append(lx.indents, indent{width, int32(len(lx.toks) - 1)})
		return
	}
	for len(lx.indents) > 0 && lx.indents[len(lx.indents)-1].width > width {
		lx.dedent()
	}
}

func (lx *lexer) next() {
	if lx.start && len(lx.open) == 0 {
		lx.indentation()
		if lx.i >= len(lx.src) {
			return
		}
	}
	src, c := lx.src, lx.src[lx.i]
	start := lx.i
	switch {
	case c == '\n':
		lx.i++
		if len(lx.open) == 0 && !lx.start {
			lx.add(tNewline, start)
			lx.start = true
		}
		lx.line++
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		lx.i++
	case c == '#':
		for lx.i < len(src) && src[lx.i] != '\n' {
			lx.i++
		}
	case c == '\\':
		lx.i++
		if lx.i < len(src) && src[lx.i] == '\r' {
			lx.i++
		}
		if lx.i < len(src) && src[lx.i] == '\n' {
			lx.i++
			lx.line++
			return
		}
		lx.fail("a backslash outside a string")
	case c == '"' || c == '\'':
		lx.quoted(start)
	case c >= '0' && c <= '9' || c == '.' && lx.i+1 < len(src) && src[lx.i+1] >= '0' && src[lx.i+1] <= '9':
		lx.number()
		lx.add(tNum, start)
	case nameByte(c):
		for lx.i < len(src) && nameByte(src[lx.i]) {
			lx.i++
		}
		if lx.i < len(src) && (src[lx.i] == '"' || src[lx.i] == '\'') && stringPrefix(src[start:lx.i]) {
			lx.quoted(start)
			return
		}
		lx.add(tName, start)
	default:
		lx.operator(c)
	}
}

func stringPrefix(p string) bool {
	if len(p) > 3 {
		return false
	}
	for i := 0; i < len(p); i++ {
		switch p[i] | 0x20 {
		case 'r', 'b', 'u', 'f', 't':
		default:
			return false
		}
	}
	return true
}

func (lx *lexer) number() {
	for lx.i < len(lx.src) {
		c := lx.src[lx.i]
		if (c == '+' || c == '-') && lx.src[lx.i-1]|0x20 == 'e' {
			lx.i++
			continue
		}
		if !(nameByte(c) || c == '.') || c >= 0x80 {
			return
		}
		lx.i++
	}
}

// quoted reads a string; lx.i is at its first quote, start at its prefix.
func (lx *lexer) quoted(start int) {
	src := lx.src
	q := src[lx.i]
	line := lx.line
	long := lx.i+2 < len(src) && src[lx.i+1] == q && src[lx.i+2] == q
	if long {
		lx.i += 3
	} else {
		lx.i++
	}
	for lx.i < len(src) {
		switch c := src[lx.i]; {
		case c == '\\':
			if lx.i+1 < len(src) && src[lx.i+1] == '\n' {
				lx.line++
			}
			lx.i += 2
		case c == '\n' && !long:
			lx.fail("a string is not closed")
			return
		case c == '\n':
			lx.line++
			lx.i++
		case c == q && !long:
			lx.i++
			lx.toks = append(lx.toks, token{kind: tStr, pos: int32(start), end: int32(lx.i), line: line})
			return
		case c == q && lx.i+2 < len(src) && src[lx.i+1] == q && src[lx.i+2] == q:
			lx.i += 3
			lx.toks = append(lx.toks, token{kind: tStr, pos: int32(start), end: int32(lx.i), line: line})
			return
		default:
			lx.i++
		}
	}
	lx.i = len(src)
	lx.fail("a string is not closed")
}

func (lx *lexer) operator(c byte) {
	start := lx.i
	rest := lx.src[lx.i:]
	switch c {
	case '(', '[', '{':
		lx.i++
		lx.add(tOp, start)
		lx.open = append(lx.open, int32(len(lx.toks)-1))
		return
	case ')', ']', '}':
		n := len(lx.open)
		want := byte('(')
		if c != ')' {
			want = c - 2 // [ and ], { and } are two apart
		}
		if n == 0 || lx.src[lx.toks[lx.open[n-1]].pos] != want {
			lx.fail("brackets that do not match")
			lx.i++
			return
		}
		lx.i++
		lx.toks[lx.open[n-1]].match = int32(len(lx.toks))
		lx.open = lx.open[:n-1]
		lx.add(tOp, start)
		return
	}
	lx.i += operatorLength(rest)
	switch c {
	case '+', '-', '*', '/', '%', '@', '&', '|', '^', '~', '<', '>', '=', '!', '.', ',', ':', ';', '`', '$', '?':
		lx.add(tOp, start)
	default:
		lx.fail("a character that is not Python")
	}
}

// operatorLength is the length of the operator that s begins with.
func operatorLength(s string) int {
	if len(s) < 2 {
		return 1
	}
	two := false
	switch s[0] {
	case '*', '/', '<', '>':
		if two = s[1] == s[0]; two && len(s) > 2 && s[2] == '=' {
			return 3
		}
		two = two || s[1] == '=' || s[0] == '<' && s[1] == '>'
	case '.':
		if len(s) > 2 && s[1] == '.' && s[2] == '.' {
			return 3
		}
	case '-':
		two = s[1] == '=' || s[1] == '>'
	case '=', '!', '+', '%', '&', '|', '^', '@', ':':
		two = s[1] == '='
	}
	if two {
		return 2
	}
	return 1
}
