package secret

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is how deep arrays and objects may be nested in what JSON takes.
const maxDepth = 1000

// JSON redacts one JSON value: each string by the name of the member that holds it, each member name, the element of an argument vector
// that follows an option for a secret, the value of {"name": ..., "value": ...}, and a number under a name that says password. All else stays byte
// for byte. It is an error if the value is no JSON that action.Canonical would take by its strings and names, is nested deeper than 1000, or
// has a member name twice after redaction. A secret of one string is redacted in all of them, see Knowing.
func (k *Keeper) JSON(raw []byte) ([]byte, error) {
	k, err := k.Knowing(raw)
	if err != nil {
		return nil, err
	}
	return rewrite(raw, func(in context, s string) string {
		return k.replace(s, spansOf(s, locate(k.context(in), s)))
	})
}

// HideJSON is Hide for every string of a JSON value, as Keeper.JSON reads them.
func HideJSON(raw []byte) ([]byte, error) {
	k, err := (*Keeper)(nil).Knowing(raw)
	if err != nil {
		return nil, err
	}
	return rewrite(raw, func(in context, s string) string { return hide(k.context(in), s) })
}

// rewriter copies a JSON value, and writes strings anew where they change.
type rewriter struct {
	dec   *jsontext.Decoder
	raw   []byte
	out   []byte
	from  int // what is before it was copied
	depth int
	text  func(in context, s string) string
}

func rewrite(raw []byte, text func(context, string) string) ([]byte, error) {
	r := &rewriter{dec: jsontext.NewDecoder(bytes.NewBuffer(raw)), raw: raw, text: text}
	if err := r.value(context{}); err != nil {
		return nil, hideError(err)
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("secret: there is more than one JSON value")
	}
	if r.from == 0 {
		return append([]byte(nil), raw...), nil
	}
	return append(r.out, raw[r.from:]...), nil
}

// hideError makes an error that names the place, and not the text there, which may be the secret.
func hideError(err error) error {
	if e := (*jsontext.SyntacticError)(nil); errors.As(err, &e) {
		return fmt.Errorf("secret: not valid JSON at byte %d", e.ByteOffset)
	}
	return err
}

// value reads one value.
func (r *rewriter) value(in context) error {
	switch kind := r.dec.PeekKind(); kind {
	case '{':
		return r.nested(in, r.object)
	case '[':
		return r.nested(in, r.array)
	case '"':
		s, raw, at, err := r.string()
		if err != nil {
			return err
		}
		return r.put(at, len(raw), s, r.text(in, s))
	case '0':
		v, err := r.dec.ReadValue()
		if err != nil {
			return err
		}
		at := int(r.dec.InputOffset()) - len(v)
		if n := nameOf(in.name); n.class != password || len(v) < 4 {
			return nil
		}
		s := string(v)
		return r.put(at, len(s), s, r.text(in, s))
	default:
		_, err := r.dec.ReadToken()
		return err
	}
}

func (r *rewriter) nested(in context, read func(context) error) error {
	if r.depth++; r.depth > maxDepth {
		return fmt.Errorf("secret: JSON is nested deeper than %d", maxDepth)
	}
	err := read(in)
	r.depth--
	return err
}

// string reads a string token: its text, as it is written, and where.
func (r *rewriter) string() (text string, raw []byte, at int, err error) {
	v, err := r.dec.ReadValue()
	if err != nil {
		return "", nil, 0, err
	}
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return "", nil, 0, err
	}
	return string(b), v, int(r.dec.InputOffset()) - len(v), nil
}

// put writes a string or number that changed.
func (r *rewriter) put(at, size int, before, after string) error {
	if before == after {
		return nil
	}
	r.out = append(r.out, r.raw[r.from:at]...)
	out, err := jsontext.AppendQuote(r.out, after)
	r.out, r.from = out, at+size
	return err
}

func (r *rewriter) object(in context) error {
	start := int(r.dec.InputOffset())
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	var about about
	if r.depth <= maxPeekDepth {
		about = r.peek(start)
	}
	var names map[string]bool // once one of them changed
	var all []string
	for r.dec.PeekKind() != '}' {
		name, raw, at, err := r.string()
		if err != nil {
			return err
		}
		after := r.text(context{}, name)
		if err := r.put(at, len(raw), name, after); err != nil {
			return err
		}
		all = append(all, after)
		if after != name && names == nil {
			names = map[string]bool{}
		}
		member := context{name: name}
		switch {
		case inherits(name) && in.name != "":
			member = in
		case strings.EqualFold(name, "value") && about.pair != "":
			member.name = about.pair
		case arguments(name):
			member.tool = about.program
		case about.manifest && (name == "data" || name == "stringData"):
			member.manifest = true
		case in.manifest && nameOf(name).class == nothing:
			member.name = "secret"
		}
		if err := r.value(member); err != nil {
			return err
		}
	}
	if names != nil {
		for _, name := range all {
			if names[name] {
				return errors.New("secret: two members of an object have the same name after redaction")
			}
			names[name] = true
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

// inherits tells whether a member only holds the value of the object around it: {"password": {"value": "x"}}.
func inherits(name string) bool {
	switch strings.ToLower(name) {
	case "value", "default", "plain", "plaintext", "text", "#text", "string":
		return true
	}
	return false
}

func arguments(name string) bool {
	switch strings.ToLower(name) {
	case "args", "argv", "arguments", "cmd", "command":
		return true
	}
	return false
}

// about is what some members of an object say about the others.
type about struct {
	pair     string // the name of a pair of name and value
	program  toolID // whose arguments are in another member
	manifest bool   // a Secret of Kubernetes, whose data is secret
}

// peek looks at the strings of an object before they are read in order.
func (r *rewriter) peek(start int) (a about) {
	rest := r.raw[start:]
	if n := bytes.IndexByte(rest, '{'); n >= 0 {
		rest = rest[n:]
	}
	d := jsontext.NewDecoder(bytes.NewReader(rest[:min(len(rest), maxPeek)]))
	if _, err := d.ReadToken(); err != nil {
		return a
	}
	for n := 0; n < 8 && d.PeekKind() == '"'; n++ {
		t, err := d.ReadToken()
		if err != nil {
			return a
		}
		name := strings.ToLower(t.String())
		if d.PeekKind() != '"' {
			if d.SkipValue() != nil {
				return a
			}
			continue
		}
		if t, err = d.ReadToken(); err != nil {
			return a
		}
		switch name {
		case "name", "key":
			a.pair = t.String()
		case "command", "cmd", "program":
			a.program = programOf(t.String())
		case "kind":
			a.manifest = t.String() == "Secret"
		}
	}
	return a
}

// maxPeek and maxPeekDepth bound what peek reads, so that nested objects are not read again for each of their levels.
const (
	maxPeek      = 4096
	maxPeekDepth = 16
)

// programOf is the program that a path names.
func programOf(path string) toolID {
	base := path[strings.LastIndexAny(path, "/\\")+1:]
	base = strings.TrimSuffix(base, ".exe")
	for _, e := range tables().entries {
		if e.tool != 0 && e.tool < keyword && e.text == base {
			return e.tool
		}
	}
	return 0
}

// array reads the elements. Where they are strings they may be an argument vector: what follows an option for a secret is one.
func (r *rewriter) array(in context) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	var v vector
	v.tool = in.tool
	for r.dec.PeekKind() != ']' {
		if r.dec.PeekKind() != '"' {
			v.awaited = named{}
			if err := r.value(context{name: in.name}); err != nil {
				return err
			}
			continue
		}
		s, raw, at, err := r.string()
		if err != nil {
			return err
		}
		after := r.text(context{name: in.name, tool: v.tool, argument: true, awaited: v.awaited, part: v.part}, s)
		if err := r.put(at, len(raw), s, after); err != nil {
			return err
		}
		v.next(s)
	}
	_, err := r.dec.ReadToken()
	return err
}

// vector is what the arguments so far say of the next one.
type vector struct {
	tool    toolID
	awaited named // what the option before wants; the class nothing if it wants no secret
	part    part
	setting bool // "set" or "config" was before: a name comes
}

func (v *vector) next(s string) {
	setting := v.setting
	v.awaited, v.part, v.setting = named{}, allOf, false
	name, isOption := strings.CutPrefix(s, "-")
	switch {
	case isOption && v.tool != 0 && !strings.Contains(s, "="):
		if o, ok := shortOptionOf(v.tool, name); ok && o.part != attachedOnly {
			v.awaited, v.part = named{password, o.kind}, o.part
			return
		}
	case setting && !isOption:
		v.awaited = nameOf(s[strings.LastIndexAny(s, ":/")+1:])
		return
	}
	switch {
	case isOption && len(name) > 2 && !strings.ContainsAny(name, "= "):
		v.awaited = nameOf(name)
	case s == "login" && v.tool == engine:
		v.tool = login
	case s == "secret" && v.tool == gh:
		v.tool = ghSecret
	case s == "set" && v.tool == settings:
		v.setting = true
	default:
		if id := programOf(s); id != 0 && !isOption {
			v.tool = id
		}
	}
}
