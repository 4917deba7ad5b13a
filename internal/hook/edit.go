package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// A settings file belongs to a person: their order, their blanks, their line ends. So it is edited as text, at the places that
// change, and never written anew from what was understood.

// node is a value in a JSON text.
type node struct {
	start, end int // of the value; of a member, its name stands at from
	from       int
	name       string
	kind       jsontext.Kind
	children   []node
}

// parseJSON finds the values of a JSON text. It refuses what is not JSON of exactly one reading (RFC 8259, no duplicate names).
func parseJSON(text []byte) (node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	n, err := parseValue(d)
	if err != nil {
		return node{}, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return node{}, fmt.Errorf("more text after the value, at byte %d", d.InputOffset())
	}
	return n, nil
}

// parseValue reads the next value. The depth is bounded by the decoder.
func parseValue(d *jsontext.Decoder) (node, error) {
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		v, err := d.ReadValue()
		if err != nil {
			return node{}, err
		}
		end := int(d.InputOffset())
		return node{start: end - len(v), end: end, kind: kind}, nil
	}
	if _, err := d.ReadToken(); err != nil {
		return node{}, err
	}
	n := node{start: int(d.InputOffset()) - 1, kind: kind}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		child, name, from := node{}, "", -1
		if kind == '{' {
			raw, err := d.ReadValue()
			if err != nil {
				return node{}, err
			}
			from = int(d.InputOffset()) - len(raw)
			if err := json.Unmarshal(raw, &name); err != nil {
				return node{}, err
			}
		}
		child, err := parseValue(d)
		if err != nil {
			return node{}, err
		}
		if child.name, child.from = name, from; from < 0 {
			child.from = child.start
		}
		n.children = append(n.children, child)
	}
	if _, err := d.ReadToken(); err != nil {
		return node{}, err
	}
	n.end = int(d.InputOffset())
	return n, nil
}

// member finds a member of an object.
func (n node) member(name string) (node, bool) {
	if n.kind == '{' {
		for _, c := range n.children {
			if c.name == name {
				return c, true
			}
		}
	}
	return node{}, false
}

func splice(text []byte, start, end int, with string) []byte {
	return append(append(append([]byte{}, text[:start]...), with...), text[end:]...)
}

// cut takes a child out of an array or object, with the comma that it no longer needs.
func cut(text []byte, parent node, i int) []byte {
	switch {
	case i > 0:
		return splice(text, parent.children[i-1].end, parent.children[i].end, "")
	case len(parent.children) > 1:
		return splice(text, parent.children[0].from, parent.children[1].from, "")
	}
	return splice(text, parent.start+1, parent.end-1, "")
}

// add appends a value to an array, or with a name a member to an object, laid out as its neighbours are.
func add(text []byte, parent node, name, value string) []byte {
	if name != "" {
		quoted, _ := json.Marshal(name) // a text always can
		value = string(quoted) + ": " + value
	}
	if n := len(parent.children); n > 0 {
		last := parent.children[n-1]
		lead := text[:last.from]
		blank := string(lead[len(bytes.TrimRight(lead, " \t\r\n")):])
		return splice(text, last.end, last.end, ","+blank+value)
	}
	line, outer := "\n", lineIndent(text, parent.start)
	if bytes.Contains(text, []byte("\r\n")) {
		line = "\r\n"
	}
	return splice(text, parent.start+1, parent.end-1, line+outer+indentOf(text)+value+line+outer)
}

// indentOf is one step of indentation: what stands before the first thing on a line of its own.
func indentOf(text []byte) string {
	if _, rest, found := bytes.Cut(text, []byte("\n")); found {
		if blank := string(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))]); blank != "" {
			return blank
		}
	}
	return "  "
}

// lineIndent is the blank at the beginning of the line that a position is in.
func lineIndent(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
