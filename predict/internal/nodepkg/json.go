package nodepkg

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// maxDepth bounds nesting. Real manifests and lockfiles stay below 20 (a lockfile of version 1 nests as deep as node_modules).
const maxDepth = 400

// spaces is eight blanks.
const spaces = 0x2020202020202020

var (
	errDeep   = errors.New("nested too deeply")
	errSyntax = errors.New("not valid JSON")
)

// reader reads JSON text from front to back and knows at every moment where it is, which encoding/json does not tell. Nothing
// is built for what is skipped, so that a lockfile of a megabyte costs about a millisecond. Errors stick: after the first
// one every method does nothing.
//
// What JSON.parse accepts is read as JSON.parse reads it (the fuzz target compares with encoding/json); what is skipped is only
// checked for balance, since a manager that refuses the file runs nothing.
type reader struct {
	data  []byte
	pos   int
	depth int
	loose bool // comments and trailing commas are allowed (bun)
	err   error
}

func newReader(data []byte) *reader {
	return &reader{data: bytes.TrimPrefix(data, []byte("\ufeff"))}
}

// line is the 1-based line of a position.
func line(data []byte, pos int) int {
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		pos += len("\ufeff")
	}
	return 1 + bytes.Count(data[:min(pos, len(data))], []byte("\n"))
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("%w (line %d)", err, line(r.data, r.pos))
		r.pos = len(r.data)
	}
}

// peek moves to the next token and gives its first byte; 0 at the end.
func (r *reader) peek() byte {
	for r.pos < len(r.data) {
		c := r.data[r.pos]
		switch {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
			r.pos++
			for r.pos+8 <= len(r.data) && binary.LittleEndian.Uint64(r.data[r.pos:]) == spaces {
				r.pos += 8 // most of a lockfile is indentation
			}
		case c == '/' && r.loose && r.comment():
		default:
			return c
		}
	}
	return 0
}

func (r *reader) comment() bool {
	rest := r.data[r.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			r.pos += i
		} else {
			r.pos = len(r.data)
		}
		return true
	case bytes.HasPrefix(rest, []byte("/*")):
		if i := bytes.Index(rest[2:], []byte("*/")); i >= 0 {
			r.pos += i + 4
			return true
		}
	}
	return false
}

// object calls each with every key, in order and with repetitions; pos is where the key's quote stands. A value that each does
// not read is skipped. It tells whether there was an object; any other value is skipped.
func (r *reader) object(each func(key []byte, pos int)) bool {
	if r.peek() != '{' {
		r.skip()
		return false
	}
	if !r.enter() {
		return false
	}
	for r.err == nil {
		c := r.peek()
		if c == '}' {
			r.leave()
			return true
		}
		pos := r.pos
		key := r.key()
		if r.peek() != ':' {
			r.fail(errSyntax)
			return false
		}
		r.pos++
		r.peek()
		at := r.pos
		each(key, pos)
		if r.pos == at {
			r.skip()
		}
		r.comma('}')
	}
	return false
}

// array calls each for every element, and otherwise does as object.
func (r *reader) array(each func()) bool {
	if r.peek() != '[' {
		r.skip()
		return false
	}
	if !r.enter() {
		return false
	}
	for r.err == nil {
		if r.peek() == ']' {
			r.leave()
			return true
		}
		at := r.pos
		each()
		if r.pos == at {
			r.skip()
		}
		r.comma(']')
	}
	return false
}

func (r *reader) enter() bool {
	r.pos++
	if r.depth++; r.depth > maxDepth {
		r.fail(errDeep)
		return false
	}
	return true
}

func (r *reader) leave() {
	r.pos++
	r.depth--
}

// comma reads what stands behind a member: a comma, or the end (left in place).
func (r *reader) comma(end byte) {
	switch c := r.peek(); {
	case c == ',':
		r.pos++
		if r.peek() == end && !r.loose {
			r.fail(errSyntax)
		}
	case c != end:
		r.fail(errSyntax)
	}
}

// key is a string as bytes: a part of the data where it has no escapes.
func (r *reader) key() []byte {
	raw, plain := r.token()
	if plain && utf8.Valid(raw) {
		return raw[1 : len(raw)-1]
	}
	if raw == nil {
		return nil
	}
	return []byte(r.decode(raw))
}

// token is the text of a string with its quotes; plain when it stands for itself.
func (r *reader) token() (raw []byte, plain bool) {
	if r.peek() != '"' {
		r.fail(errSyntax)
		return nil, false
	}
	start := r.pos
	plain = true
	for i := start + 1; ; {
		j := bytes.IndexByte(r.data[i:], '"')
		if j < 0 {
			r.fail(errSyntax)
			return nil, false
		}
		k := bytes.IndexByte(r.data[i:i+j], '\\')
		if k < 0 {
			r.pos = i + j + 1
			return r.data[start:r.pos], plain
		}
		plain = false
		if i += k + 2; i > len(r.data) {
			r.fail(errSyntax)
			return nil, false
		}
	}
}

func (r *reader) decode(raw []byte) string {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		r.fail(errSyntax)
	}
	return s
}

// str reads a string; any other value is skipped.
func (r *reader) str() (string, bool) {
	if r.peek() != '"' {
		r.skip()
		return "", false
	}
	raw, plain := r.token()
	if raw == nil {
		return "", false
	}
	if plain && utf8.Valid(raw) {
		for _, c := range raw {
			if c < ' ' {
				r.fail(errSyntax)
				return "", false
			}
		}
		return string(raw[1 : len(raw)-1]), true
	}
	return r.decode(raw), r.err == nil
}

// text reads a string, or skips another value and gives the empty string.
func (r *reader) text() string { s, _ := r.str(); return s }

// boolean reads true or false; any other value is skipped.
func (r *reader) boolean() (value, ok bool) {
	r.peek()
	raw := r.raw()
	return string(raw) == "true", string(raw) == "true" || string(raw) == "false"
}

// truthy reads any value and tells whether JavaScript takes it for true.
func (r *reader) truthy() bool {
	r.peek()
	switch raw := r.raw(); string(raw) {
	case "false", "null", "0", `""`, "-0", "0.0", "":
		return false
	}
	return true
}

// strings reads an array's strings, leaving out whatever else is in it; a single string counts as a list of one.
func (r *reader) strings() []string {
	var list []string
	if r.peek() == '"' {
		return append(list, r.text())
	}
	r.array(func() {
		if s, ok := r.str(); ok {
			list = append(list, s)
		}
	})
	return list
}

// raw is the text of the next value.
func (r *reader) raw() []byte {
	start := r.pos
	r.skip()
	if r.err != nil {
		return nil
	}
	return bytes.TrimSpace(r.data[start:r.pos])
}

// skip moves behind the next value.
func (r *reader) skip() {
	depth := 0
	for r.err == nil {
		switch c := r.peek(); c {
		case 0:
			r.fail(errSyntax)
		case '"':
			r.token()
		case '{', '[':
			depth++
			if r.pos++; r.depth+depth > maxDepth {
				r.fail(errDeep)
			}
			continue
		case '}', ']':
			if depth--; depth < 0 {
				r.fail(errSyntax)
				return
			}
			r.pos++
		case ',', ':':
			if depth == 0 {
				r.fail(errSyntax)
				return
			}
			r.pos++
			continue
		default:
			start := r.pos
			for r.pos < len(r.data) && literal(r.data[r.pos]) {
				r.pos++
			}
			if r.pos == start {
				r.fail(errSyntax)
			}
		}
		if depth == 0 {
			return
		}
	}
}

// literal tells whether a byte can be part of a number or of true, false and null.
func literal(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '.' || c == '-' || c == '+'
}

// end makes anything behind the value an error.
func (r *reader) end() error {
	if r.err == nil && r.peek() != 0 {
		r.fail(errSyntax)
	}
	if r.err == nil && r.pos < len(r.data) {
		r.fail(errSyntax) // a NUL
	}
	return r.err
}

// quoted is the next value's text with its quotes if it is a string, for unquote; nil otherwise. It is for values that are
// mostly thrown away again.
func (r *reader) quoted() []byte {
	if r.peek() != '"' {
		r.skip()
		return nil
	}
	raw, _ := r.token()
	return raw
}

// unquote gives the string that a text of quoted stands for; the empty string for nil.
func (r *reader) unquote(raw []byte) string {
	if raw == nil {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	return r.decode(raw)
}

// lines tells the line of positions that mostly grow, in one pass over the data.
type lines struct{ pos, line int }

func (l *lines) at(data []byte, pos int) int {
	if pos < l.pos || l.line == 0 {
		l.pos, l.line = 0, 1
	}
	l.line += bytes.Count(data[l.pos:pos], []byte("\n"))
	l.pos = pos
	return l.line
}
