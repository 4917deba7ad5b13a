package jsscan

import (
	"bytes"
	"fmt"
	"math"
)

type kind uint8

const (
	tEOF     kind = iota
	tName         // identifier or keyword
	tPrivate      // #name
	tPunct
	tNum
	tStr
	tRegex
	tTemplate // a whole template without substitutions: `text`
	tHead     // `text${
	tMiddle   // }text${
	tTail     // }text`
	tJSXOpen  // the start of an element; match is its tJSXClose
	tJSXClose
)

// token is a piece of the source. match is the index of the partner of a bracket, of a
// template's head (its tail) and of tJSXOpen; 0 where there is none.
type token struct {
	kind  kind
	nl    bool // a line break stands before it
	punct punct
	pos   int32
	end   int32
	line  int32
	match int32
}

// punct is an operator's bytes, packed: comparison without a string.
type punct uint32

func pack(s string) punct {
	var p punct
	for i := 0; i < len(s); i++ {
		p = p<<8 | punct(s[i])
	}
	return p
}

func (p punct) String() string {
	var b [4]byte
	n := 4
	for p != 0 {
		n--
		b[n] = byte(p)
		p >>= 8
	}
	return string(b[n:])
}

const (
	pOpenBrace    = punct('{')
	pCloseBrace   = punct('}')
	pOpenParen    = punct('(')
	pCloseParen   = punct(')')
	pOpenBracket  = punct('[')
	pCloseBracket = punct(']')
	pSemicolon    = punct(';')
	pComma        = punct(',')
	pColon        = punct(':')
	pDot          = punct('.')
	pQuestion     = punct('?')
	pAssign       = punct('=')
	pLess         = punct('<')
	pGreater      = punct('>')
	pStar         = punct('*')
	pNot          = punct('!')
	pAt           = punct('@')
	pAnd          = punct('&')
	pOr           = punct('|')
	pMinus        = punct('-')
	pArrow        = punct('=')<<8 | '>'
	pOptional     = punct('?')<<8 | '.'
	pRest         = punct('.')<<16 | '.'<<8 | '.'
	pIncrement    = punct('+')<<8 | '+'
	pDecrement    = punct('-')<<8 | '-'
)

// frame is an open bracket of the tokenizer.
type frame struct {
	open      int32 // index of the token
	what      byte  // '(', '[', '{', '$' (a template's substitution), 'j' (a brace in JSX), '<' (an element)
	regexNext bool  // after the closing bracket an operand may follow, so / starts a regex
	tag       bool  // for '<': still inside the tag, not in its content
	depth     int32 // for '<': elements that are open
}

type lexer struct {
	src   []byte
	i     int
	line  int32
	nl    bool
	toks  []token
	stack []frame
	ts    bool
	jsx   bool
	err   error
}

// syntaxError says where the text stopped making sense.
type syntaxError struct {
	line int32
	what string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

// tokenize splits src. On an error the tokens up to it are returned too, with every open
// bracket closed at the end, so that what stands before can still be read.
func tokenize(src []byte, ts, jsx bool) ([]token, error) {
	if len(src) > math.MaxInt32/4 {
		return nil, &syntaxError{1, "file too large"}
	}
	lx := &lexer{src: src, line: 1, ts: ts, jsx: jsx, toks: make([]token, 1, len(src)/5+16)}
	lx.toks[0] = token{kind: tEOF, line: 1} // so that index 0 means none
	if len(src) >= 3 && src[0] == 0xEF && src[1] == 0xBB && src[2] == 0xBF {
		lx.i = 3
	}
	if lx.i+1 < len(src) && src[lx.i] == '#' && src[lx.i+1] == '!' {
		lx.lineComment()
	}
	for lx.err == nil && lx.next() {
	}
	if lx.err == nil && len(lx.stack) > 0 {
		lx.fail("a bracket is not closed")
	}
	end := token{kind: tEOF, nl: true, pos: int32(min(lx.i, len(src))), end: int32(min(lx.i, len(src))), line: lx.line}
	for len(lx.stack) > 0 {
		f := lx.stack[len(lx.stack)-1]
		lx.stack = lx.stack[:len(lx.stack)-1]
		lx.toks[f.open].match = int32(len(lx.toks))
	}
	lx.toks = append(lx.toks, end)
	return lx.toks, lx.err
}

func (lx *lexer) fail(what string) {
	if lx.err == nil {
		lx.err = &syntaxError{lx.line, what}
	}
}

func (lx *lexer) add(k kind, p punct, pos int) {
	lx.toks = append(lx.toks, token{kind: k, nl: lx.nl, punct: p, pos: int32(pos), end: int32(lx.i), line: lx.line})
	lx.nl = false
}

func (lx *lexer) lineComment() {
	for lx.i < len(lx.src) {
		c := lx.src[lx.i]
		if c == '\n' || c == '\r' || c == 0xE2 && lx.lineSeparator() {
			return
		}
		lx.i++
	}
}

// lineSeparator reports U+2028 or U+2029, which end a line in JavaScript.
func (lx *lexer) lineSeparator() bool {
	return lx.i+2 < len(lx.src) && lx.src[lx.i+1] == 0x80 && lx.src[lx.i+2]&^1 == 0xA8
}

func (lx *lexer) blockComment() {
	for lx.i += 2; lx.i < len(lx.src); lx.i++ {
		switch lx.src[lx.i] {
		case '\n':
			lx.line++
			lx.nl = true
		case '*':
			if lx.i+1 < len(lx.src) && lx.src[lx.i+1] == '/' {
				lx.i += 2
				return
			}
		}
	}
	lx.fail("a comment is not closed")
}

var identByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
	}
	return t
}()

// next adds one token; false at the end of the text.
func (lx *lexer) next() bool {
	src := lx.src
	if n := len(lx.stack); n > 0 && lx.stack[n-1].what == '<' {
		return lx.jsxNext()
	}
	for lx.i < len(src) {
		c := src[lx.i]
		switch {
		case c == '\n':
			lx.line++
			lx.nl = true
			lx.i++
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			lx.i++
		case c == '\r':
			lx.nl = true
			lx.i++
		case c == 0xE2 && lx.lineSeparator():
			lx.nl = true
			lx.i += 3
		case c == 0xC2 && lx.i+1 < len(src) && src[lx.i+1] == 0xA0:
			lx.i += 2
		case c == 0xEF && lx.i+2 < len(src) && src[lx.i+1] == 0xBB && src[lx.i+2] == 0xBF:
			lx.i += 3
		case c == '/' && lx.i+1 < len(src) && src[lx.i+1] == '/':
			lx.lineComment()
		case c == '/' && lx.i+1 < len(src) && src[lx.i+1] == '*':
			lx.blockComment()
		default:
			lx.token(c)
			return lx.err == nil
		}
		if lx.err != nil {
			return false
		}
	}
	return false
}

func (lx *lexer) token(c byte) {
	start := lx.i
	switch {
	case c >= '0' && c <= '9' || c == '.' && lx.i+1 < len(lx.src) && lx.src[lx.i+1] >= '0' && lx.src[lx.i+1] <= '9':
		lx.number()
		lx.add(tNum, 0, start)
	case identByte[c] || c == '\\':
		lx.name()
		lx.add(tName, 0, start)
	case c == '"' || c == '\'':
		lx.quoted(c)
		lx.add(tStr, 0, start)
	case c == '`':
		lx.i++
		lx.template(start, tTemplate, tHead)
	case c == '#':
		lx.i++
		lx.name()
		lx.add(tPrivate, 0, start)
	case c == '/' && lx.operandNext():
		lx.regex()
		lx.add(tRegex, 0, start)
	default:
		lx.operator(c)
	}
}

func (lx *lexer) name() {
	for lx.i < len(lx.src) {
		c := lx.src[lx.i]
		switch {
		case c == 0xE2 && lx.lineSeparator():
			return
		case identByte[c]:
			lx.i++
		case c == '\\' && lx.i+1 < len(lx.src) && lx.src[lx.i+1] == 'u':
			lx.i += 2
			if lx.i < len(lx.src) && lx.src[lx.i] == '{' {
				for lx.i < len(lx.src) && lx.src[lx.i] != '}' && lx.src[lx.i] != '\n' {
					lx.i++
				}
				if lx.i < len(lx.src) && lx.src[lx.i] == '}' {
					lx.i++
				}
			}
		case c == '\\':
			lx.fail("a backslash outside a string")
			lx.i++
			return
		default:
			return
		}
	}
}

func (lx *lexer) number() {
	for lx.i < len(lx.src) {
		c := lx.src[lx.i]
		if (c == '+' || c == '-') && lx.i > 0 && lx.src[lx.i-1]|0x20 == 'e' && !lx.hexBefore() {
			lx.i++
			continue
		}
		if !(identByte[c] || c == '.') || c >= 0x80 {
			return
		}
		lx.i++
	}
}

func (lx *lexer) hexBefore() bool {
	for j := lx.i - 1; j > 0 && j > lx.i-20; j-- {
		if lx.src[j] == 'x' || lx.src[j] == 'X' {
			return true
		}
		if !identByte[lx.src[j]] {
			return false
		}
	}
	return false
}

func (lx *lexer) quoted(q byte) {
	src := lx.src
	for lx.i++; lx.i < len(src); lx.i++ {
		switch src[lx.i] {
		case q:
			lx.i++
			return
		case '\\':
			lx.i++
			if lx.i < len(src) && src[lx.i] == '\n' {
				lx.line++
			}
			if lx.i+1 < len(src) && src[lx.i] == '\r' && src[lx.i+1] == '\n' {
				lx.i++
				lx.line++
			}
		case '\n':
			lx.fail("a string is not closed")
			return
		}
	}
	lx.fail("a string is not closed")
}

// template reads template text after ` or the } of a substitution. whole is the kind when
// it ends the template, open when a substitution follows.
func (lx *lexer) template(start int, whole, open kind) {
	src := lx.src
	line := lx.line
	for lx.i < len(src) {
		switch src[lx.i] {
		case '`':
			lx.i++
			lx.toks = append(lx.toks, token{kind: whole, nl: lx.nl, pos: int32(start), end: int32(lx.i), line: line})
			lx.nl = false
			return
		case '\\':
			if lx.i+1 < len(src) && src[lx.i+1] == '\n' {
				lx.line++
			}
			lx.i += 2
		case '\n':
			lx.line++
			lx.i++
		case '$':
			lx.i++
			if lx.i < len(src) && src[lx.i] == '{' {
				lx.i++
				lx.toks = append(lx.toks, token{kind: open, nl: lx.nl, pos: int32(start), end: int32(lx.i), line: line})
				lx.nl = false
				lx.stack = append(lx.stack, frame{open: int32(len(lx.toks) - 1), what: '$'})
				return
			}
		default:
			lx.i++
		}
	}
	lx.i = len(src)
	lx.fail("a template string is not closed")
}

func (lx *lexer) regex() {
	src := lx.src
	class := false
	for lx.i++; lx.i < len(src); lx.i++ {
		switch src[lx.i] {
		case '\\':
			lx.i++
		case '[':
			class = true
		case ']':
			class = false
		case '\n':
			lx.fail("a regular expression is not closed")
			return
		case '/':
			if class {
				continue
			}
			lx.i++
			for lx.i < len(src) && identByte[src[lx.i]] && src[lx.i] < 0x80 {
				lx.i++
			}
			return
		}
	}
	lx.i = len(src)
	lx.fail("a regular expression is not closed")
}

// operandNext reports whether an operand, not an operator, comes next: / is then a regex
// and < starts an element. It looks at the token before.
func (lx *lexer) operandNext() bool {
	t := &lx.toks[len(lx.toks)-1]
	switch t.kind {
	case tNum, tStr, tRegex, tTemplate, tTail, tPrivate, tJSXClose:
		return false
	case tName:
		if len(lx.toks) > 2 && lx.toks[len(lx.toks)-2].punct == pDot && lx.toks[len(lx.toks)-2].kind == tPunct {
			return false
		}
		return operandKeyword(lx.src[t.pos:t.end])
	case tPunct:
		switch t.punct {
		case pCloseParen, pCloseBrace, pCloseBracket:
			return t.match < 0 // marked by close
		case pIncrement, pDecrement:
			return false
		case pNot: // x! / y is TypeScript's assertion that x is there
			if b := &lx.toks[len(lx.toks)-2]; lx.ts && b.end == t.pos && (b.kind == tName || b.kind == tPunct && b.match >= 0 && (b.punct == pCloseParen || b.punct == pCloseBracket)) {
				return b.kind == tName && operandKeyword(lx.src[b.pos:b.end])
			}
		}
	}
	return true
}

// operandKeyword reports keywords after which an operand follows.
func operandKeyword(b []byte) bool {
	switch string(b) {
	case "return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case", "do", "else", "await", "yield", "default", "extends":
		return true
	}
	return false
}

// operators longer than one byte, longest first for each first byte.
func (lx *lexer) operator(c byte) {
	start := lx.i
	n := 1
	rest := lx.src[lx.i:]
	at := func(k int) byte {
		if k < len(rest) {
			return rest[k]
		}
		return 0
	}
	switch c {
	case '(', '[', '{':
		lx.open(c)
		return
	case ')', ']', '}':
		lx.close(c)
		return
	case '.':
		if at(1) == '.' && at(2) == '.' {
			n = 3
		}
	case '=':
		if at(1) == '>' {
			n = 2
		} else if at(1) == '=' {
			n = 2
			if at(2) == '=' {
				n = 3
			}
		}
	case '!':
		if at(1) == '=' {
			n = 2
			if at(2) == '=' {
				n = 3
			}
		}
	case '?':
		if at(1) == '.' && !(at(2) >= '0' && at(2) <= '9') {
			n = 2
		} else if at(1) == '?' {
			n = 2
			if at(2) == '=' {
				n = 3
			}
		}
	case '+', '-':
		if at(1) == c || at(1) == '=' {
			n = 2
		}
	case '*', '&', '|':
		switch {
		case at(1) == c && at(2) == '=':
			n = 3
		case at(1) == c || at(1) == '=':
			n = 2
		}
	case '/', '%', '^':
		if at(1) == '=' {
			n = 2
		}
	case '<':
		if lx.jsx && lx.operandNext() && elementStart(rest) {
			lx.i++
			lx.add(tJSXOpen, 0, start)
			lx.stack = append(lx.stack, frame{open: int32(len(lx.toks) - 1), what: '<', tag: true, depth: 1})
			return
		}
		switch {
		case at(1) == '<' && at(2) == '=':
			n = 3
		case at(1) == '<' || at(1) == '=':
			n = 2
		}
	case '>':
		for n < 3 && at(n) == '>' {
			n++
		}
		if at(n) == '=' {
			n++
		}
	case ';', ',', ':', '~', '@':
	default:
		lx.fail("a character that is not JavaScript")
		lx.i++
		return
	}
	lx.i += n
	lx.add(tPunct, pack(string(lx.src[start:lx.i])), start)
}

func (lx *lexer) open(c byte) {
	f := frame{what: c}
	prev := &lx.toks[len(lx.toks)-1]
	switch c {
	case '(':
		if prev.kind == tName {
			switch string(lx.src[prev.pos:prev.end]) {
			case "if", "while", "for", "with":
				f.regexNext = !(len(lx.toks) > 2 && lx.toks[len(lx.toks)-2].punct == pDot)
			}
		}
	case '{':
		f.regexNext = lx.blockNext(prev)
	}
	start := lx.i
	lx.i++
	lx.add(tPunct, punct(c), start)
	f.open = int32(len(lx.toks) - 1)
	lx.stack = append(lx.stack, f)
}

// blockNext reports whether a { after prev opens statements rather than an object.
func (lx *lexer) blockNext(prev *token) bool {
	switch prev.kind {
	case tEOF:
		return true
	case tName:
		switch string(lx.src[prev.pos:prev.end]) {
		case "return", "typeof", "case", "in", "of", "new", "delete", "void", "throw", "await", "yield", "default", "instanceof":
			return false
		}
		return true
	case tPunct:
		switch prev.punct {
		case pCloseParen, pCloseBrace, pSemicolon, pOpenBrace, pArrow, pCloseBracket, pGreater:
			return true
		case pColon:
			// A label or case in a block; a property's value in an object.
			return len(lx.stack) == 0 || lx.stack[len(lx.stack)-1].what == '{' && lx.stack[len(lx.stack)-1].regexNext
		}
	}
	return false
}

func (lx *lexer) close(c byte) {
	if len(lx.stack) == 0 {
		lx.fail("a closing bracket too many")
		lx.i++
		return
	}
	f := lx.stack[len(lx.stack)-1]
	start := lx.i
	ok := c == ')' && f.what == '(' || c == ']' && f.what == '[' || c == '}' && (f.what == '{' || f.what == '$' || f.what == 'j')
	if !ok {
		lx.fail("brackets that do not match")
		lx.i++
		return
	}
	lx.stack = lx.stack[:len(lx.stack)-1]
	lx.i++
	if f.what == '$' {
		before := len(lx.toks)
		lx.template(start, tTail, tMiddle)
		if len(lx.toks) > before {
			lx.toks[f.open].match = int32(before)
		}
		return
	}
	lx.add(tPunct, punct(c), start)
	lx.toks[f.open].match = int32(len(lx.toks) - 1)
	if f.regexNext {
		lx.toks[len(lx.toks)-1].match = -1
	}
}

// jsxNext reads inside an element: names, strings and braces of a tag, text between tags.
func (lx *lexer) jsxNext() bool {
	f := &lx.stack[len(lx.stack)-1]
	src := lx.src
	for lx.i < len(src) {
		c := src[lx.i]
		if c == '\n' {
			lx.line++
		}
		switch {
		case c == '{':
			start := lx.i
			lx.i++
			lx.add(tPunct, pOpenBrace, start)
			lx.stack = append(lx.stack, frame{open: int32(len(lx.toks) - 1), what: 'j'})
			return true
		case f.tag && (c == '"' || c == '\''):
			for lx.i++; lx.i < len(src) && src[lx.i] != c; lx.i++ {
				if src[lx.i] == '\n' {
					lx.line++
				}
			}
			lx.i++
		case f.tag && c == '/' && lx.i+1 < len(src) && src[lx.i+1] == '>':
			lx.i += 2
			f.tag = false
			if f.depth--; f.depth == 0 {
				return lx.jsxEnd()
			}
		case f.tag && c == '>':
			lx.i++
			f.tag = false
		case !f.tag && c == '<' && lx.i+1 < len(src) && src[lx.i+1] == '/':
			for lx.i < len(src) && src[lx.i] != '>' {
				lx.i++
			}
			lx.i++
			if f.depth--; f.depth == 0 {
				return lx.jsxEnd()
			}
		case !f.tag && c == '<':
			lx.i++
			f.tag = true
			f.depth++
		default:
			lx.i++
		}
	}
	lx.i = len(src)
	lx.fail("an element is not closed")
	return false
}

func (lx *lexer) jsxEnd() bool {
	f := lx.stack[len(lx.stack)-1]
	lx.stack = lx.stack[:len(lx.stack)-1]
	lx.add(tJSXClose, 0, lx.i)
	lx.toks[f.open].match = int32(len(lx.toks) - 1)
	return true
}

// elementStart tells <name ...> and <> from the type parameters <T,> and <T extends U> of
// an arrow function.
func elementStart(rest []byte) bool {
	i := 1
	for i < len(rest) && i < 256 && (identByte[rest[i]] || rest[i] == '.' || rest[i] == '-' || rest[i] == ':') {
		i++
	}
	if i == 1 {
		return len(rest) > 1 && rest[1] == '>'
	}
	if rest[1] >= '0' && rest[1] <= '9' || i >= len(rest) {
		return false
	}
	return rest[i] != ',' && !bytes.HasPrefix(rest[i:], []byte(" extends "))
}
