package hookmanager

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

var errNoLiteral = errors.New("it is not a plain value")

// parseLiteral reads JSON, and what JavaScript allows in plain values besides: comments, single quotes, templates without
// expressions, names without quotes and commas at the end. Anything that would have to be run is a computed node.
func parseLiteral(f *workspace.File, text string) (*node, error) {
	p := literal{file: f, text: text, line: 1}
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if n.kind == computed {
		return nil, errNoLiteral
	}
	return n, nil
}

// parseModule finds what a JavaScript or TypeScript module exports, where that is a plain object: after "module.exports =" or
// "export default", through one call like defineConfig(...) and through one name. Otherwise the whole is computed.
func parseModule(f *workspace.File, text string) (*node, error) {
	at := exported(text)
	if at < 0 {
		return &node{file: f, line: 1}, nil
	}
	p := literal{file: f, text: text, at: at, line: 1 + strings.Count(text[:at], "\n")}
	p.space()
	if name := p.peekName(); name != "" {
		rest := strings.TrimLeft(p.text[p.at+len(name):], " \t")
		if strings.HasPrefix(rest, "(") { // defineConfig({...})
			p.at = len(p.text) - len(rest) + 1
		} else if at := declared(text, name); at >= 0 {
			p.at, p.line = at, 1+strings.Count(text[:at], "\n")
		}
	}
	n, err := p.value(0)
	if err != nil || n.kind != object {
		return &node{file: f, line: p.line}, nil
	}
	return n, nil
}

func exported(text string) int {
	for _, mark := range []string{"module.exports", "export default"} {
		if i := strings.LastIndex(text, mark); i >= 0 {
			i += len(mark)
			rest := strings.TrimLeft(text[i:], " \t\r\n")
			if mark == "module.exports" {
				if !strings.HasPrefix(rest, "=") {
					return -1
				}
				rest = rest[1:]
			}
			return len(text) - len(rest)
		}
	}
	return -1
}

// declared finds the value of "const NAME = " or the like, with a type or without.
func declared(text, name string) int {
	for _, word := range []string{"const ", "let ", "var "} {
		i := strings.Index(text, word+name)
		if i < 0 {
			continue
		}
		rest := text[i+len(word)+len(name):]
		eq := strings.IndexByte(rest, '=')
		if eq < 0 || strings.ContainsAny(rest[:eq], ";{}()") || eq > 0 && isNameByte(rest[0]) {
			continue
		}
		return len(text) - len(rest) + eq + 1
	}
	return -1
}

type literal struct {
	file  *workspace.File
	text  string
	at    int
	line  int
	count int
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

func (p *literal) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// space skips white space and comments.
func (p *literal) space() {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '\n':
			p.line++
			p.at++
		case c == ' ' || c == '\t' || c == '\r':
			p.at++
		case strings.HasPrefix(p.text[p.at:], "//"):
			if end := strings.IndexByte(p.text[p.at:], '\n'); end >= 0 {
				p.at += end
			} else {
				p.at = len(p.text)
			}
		case strings.HasPrefix(p.text[p.at:], "/*"):
			end := strings.Index(p.text[p.at+2:], "*/")
			if end < 0 {
				p.at = len(p.text)
				return
			}
			p.line += strings.Count(p.text[p.at:p.at+2+end], "\n")
			p.at += end + 4
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(p.text[p.at:])
			if !unicode.IsSpace(r) && r != '\ufeff' {
				return
			}
			p.at += size
		default:
			return
		}
	}
}

func (p *literal) peekName() string {
	end := p.at
	for end < len(p.text) && isNameByte(p.text[end]) {
		end++
	}
	if name := p.text[p.at:end]; name != "" && (name[0] < '0' || name[0] > '9') {
		return name
	}
	return ""
}

// value reads one value. After a plain value something may follow that makes it computed, as in 'a' + b.
func (p *literal) value(depth int) (*node, error) {
	p.space()
	if p.count++; p.count > maxNodes || depth > maxDepth {
		return nil, errTooBig
	}
	n := &node{file: p.file, line: p.line}
	start, startLine := p.at, p.line
	var err error
	switch c := p.peek(); {
	case c == '{':
		err = p.object(n, depth)
	case c == '[':
		err = p.list(n, depth)
	case c == '"' || c == '\'' || c == '`':
		n.text, err = p.quoted(c)
		n.kind = scalar
	case c == 0:
		return nil, errNoLiteral
	default:
		p.word(n)
	}
	if errors.Is(err, errTooBig) {
		return nil, err
	}
	p.space()
	if c := p.peek(); err == nil && n.kind != computed && (c == 0 || c == ',' || c == '}' || c == ']' || c == ')' || c == ';' || depth == 0) {
		return n, nil
	}
	p.at, p.line = start, startLine
	if !p.skipExpression() {
		return nil, errNoLiteral
	}
	return &node{file: p.file, line: startLine}, nil
}

// word reads a number or a word that means a value.
func (p *literal) word(n *node) {
	end := p.at
	for end < len(p.text) && (isNameByte(p.text[end]) || p.text[end] == '-' || p.text[end] == '+' || p.text[end] == '.') {
		end++
	}
	w := p.text[p.at:end]
	p.at = end
	switch w {
	case "true", "false":
		n.kind, n.text, n.bare = scalar, w, true
	case "null", "undefined":
		n.kind = null
	default:
		if _, err := strconv.ParseFloat(w, 64); err == nil {
			n.kind, n.text, n.bare = scalar, w, true
		}
	}
}

func (p *literal) object(n *node, depth int) error {
	n.kind = object
	p.at++
	for {
		p.space()
		switch p.peek() {
		case '}':
			p.at++
			return nil
		case ',':
			p.at++
			continue
		case 0:
			return errNoLiteral
		}
		line, start := p.line, p.at
		key, plain, err := p.key()
		if err != nil {
			return err
		}
		p.space()
		if !plain || p.peek() != ':' { // a spread, a method, a shorthand or a computed name
			if !p.skipExpression() {
				return errNoLiteral
			}
			if key == "" {
				key = "..."
			}
			if p.at == start { // a bracket or semicolon that belongs to nothing
				return errNoLiteral
			}
			n.set(key, &node{file: p.file, line: line})
			continue
		}
		p.at++
		v, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		v.line = max(v.line, line)
		n.set(key, v)
	}
}

// key reads a member's name; plain is false for anything that is no name or text.
func (p *literal) key() (key string, plain bool, err error) {
	switch c := p.peek(); {
	case c == '"' || c == '\'':
		key, err = p.quoted(c)
		return key, true, err
	case isNameByte(c):
		end := p.at
		for end < len(p.text) && isNameByte(p.text[end]) {
			end++
		}
		key = p.text[p.at:end]
		p.at = end
		return key, true, nil
	}
	return "", false, nil
}

func (p *literal) list(n *node, depth int) error {
	n.kind = list
	p.at++
	for {
		p.space()
		switch p.peek() {
		case ']':
			p.at++
			return nil
		case ',':
			p.at++
			continue
		case 0:
			return errNoLiteral
		}
		start := p.at
		v, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		if p.at == start {
			return errNoLiteral
		}
		n.items = append(n.items, v)
	}
}

// quoted reads a text. A template with an expression in it is no plain text.
func (p *literal) quoted(q byte) (string, error) {
	var b strings.Builder
	for i := p.at + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == q:
			p.line += strings.Count(p.text[p.at:i], "\n")
			p.at = i + 1
			return b.String(), nil
		case c == '\n' && q != '`':
			return "", errNoLiteral
		case q == '`' && strings.HasPrefix(p.text[i:], "${"):
			return "", errNoLiteral
		case c == '\\':
			n := p.escape(&b, i+1)
			if n == 0 {
				return "", errNoLiteral
			}
			i += n
		default:
			b.WriteByte(c)
		}
	}
	return "", errNoLiteral
}

// escape writes what follows a backslash and gives its length.
func (p *literal) escape(b *strings.Builder, at int) int {
	if at >= len(p.text) {
		return 0
	}
	switch c := p.text[at]; c {
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
	case '\n':
	case 'u', 'x':
		digits := 4
		if c == 'x' {
			digits = 2
		}
		if at+digits >= len(p.text) {
			return 0
		}
		v, err := strconv.ParseUint(p.text[at+1:at+1+digits], 16, 32)
		if err != nil {
			return 0
		}
		b.WriteRune(rune(v)) // half of a surrogate pair becomes U+FFFD; no command has one
		return digits + 1
	default:
		b.WriteByte(c)
	}
	return 1
}

// skipExpression passes over code to the comma or bracket that ends it, with its strings and brackets.
func (p *literal) skipExpression() bool {
	depth := 0
	for p.at < len(p.text) {
		switch c := p.text[p.at]; c {
		case '"', '\'', '`':
			if !p.skipText(c) {
				return false
			}
			continue
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return true
			}
			depth--
		case ',', ';':
			if depth == 0 {
				return true
			}
		case '/':
			if strings.HasPrefix(p.text[p.at:], "//") || strings.HasPrefix(p.text[p.at:], "/*") {
				p.space()
				continue
			}
		case '\n':
			p.line++
		}
		p.at++
	}
	return depth == 0
}

func (p *literal) skipText(q byte) bool {
	for p.at++; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case '\\':
			p.at++
		case '\n':
			p.line++
		case q:
			p.at++
			return true
		}
	}
	return false
}
