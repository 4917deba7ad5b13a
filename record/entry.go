package record

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/ambit-dev/ambit/action"
)

// Entry is one leaf of the log.
type Entry struct {
	Seq     int64           // its place, from 0
	Time    time.Time       // when it was sealed, by the machine's clock; UTC
	Kind    string          // "intent", "prompt", "outcome", ...
	Version int             // 1; a larger one was written by a newer ambit
	Prev    string          // the leaf hash of the entry before, hexadecimal; 64 zeros for the first
	Leaf    string          // the RFC 6962 leaf hash, hexadecimal
	Body    json.RawMessage // canonical JSON, whole: detached values are put back. nil where it cannot be read, see Note
	Raw     []byte          // the entry as it stands in the log
	Note    string          // "", or why Body is nil: a version that this program does not know
}

// Version is the version of the entries that Append writes.
const Version = 1

// detachOver is the size of canonical JSON, in bytes, above which a value is kept outside of its entry.
const detachOver = 4096

// maxBody bounds the canonical JSON of a body, in bytes.
const maxBody = maxBlob

// blob is a detached value.
type blob struct {
	Path string `json:"path"` // RFC 6901, into the body
	Sum  string `json:"sha256"`
	Size int64  `json:"size"`
	data []byte
}

// wire is an entry as JSON.
type wire struct {
	At struct {
		Blobs []blob `json:"blobs"`
		Prev  string `json:"prev"`
		Seq   int64  `json:"seq"`
		Time  string `json:"time"`
	} `json:"at"`
	Body    jsontext.Value `json:"body"`
	Kind    string         `json:"kind"`
	Version int            `json:"version"`
}

// canonicalBody is the RFC 8785 form of a body, after redaction.
func canonicalBody(body any, redact func([]byte) ([]byte, error)) ([]byte, error) {
	const next = "this is a fault of ambit or of what it was given: report it with the call"
	raw, err := jsonv2.Marshal(body)
	if err == nil {
		raw, err = redact(raw)
	}
	if err == nil {
		raw, err = action.Canonical(raw)
	}
	switch {
	case err != nil:
		return nil, &Error{Code: CodeBody, Message: "what should be sealed cannot be written as JSON", Next: next, Err: err}
	case len(raw) == 0 || raw[0] != '{':
		return nil, fail(CodeBody, next, "what should be sealed is no JSON object")
	case len(raw) > maxBody:
		return nil, fail(CodeBody, "make the call smaller: give it a file instead of its content", "what should be sealed has %d bytes, more than %d", len(raw), maxBody)
	}
	return raw, nil
}

func isKind(s string) bool {
	return s != "" && len(s) <= 32 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// sealed makes the text of an entry around a body that has been made small, by hand: it is canonical JSON because its parts are.
func sealed(small []byte, blobs []blob, kind string, seq int64, prev string, at time.Time) []byte {
	b := make([]byte, 0, len(small)+256+160*len(blobs))
	b = append(b, `{"at":{`...)
	for i, d := range blobs {
		b = append(b, pick(i == 0, `"blobs":[`, `,`)...)
		b = append(b, `{"path":`...)
		b, _ = jsontext.AppendQuote(b, d.Path) // it came from JSON: it is UTF-8
		b = append(b, `,"sha256":"`+d.Sum+`","size":`...)
		b = append(strconv.AppendInt(b, d.Size, 10), '}')
	}
	b = append(b, pick(len(blobs) > 0, `],`, ``)...)
	b = append(b, `"prev":"`+prev+`","seq":`...)
	b = strconv.AppendInt(b, seq, 10)
	b = append(b, `,"time":"`+at.UTC().Format(time.RFC3339Nano)+`"},"body":`...)
	b = append(b, small...)
	return append(b, `,"kind":"`+kind+`","version":`+strconv.Itoa(Version)+`}`...)
}

func pick(c bool, a, b string) string {
	if c {
		return a
	}
	return b
}

// span is a value inside a canonical body.
type span struct {
	start, end int
	path       string
}

// line is how many bytes a detached value takes in an entry: its line in at.blobs, and null.
func (s span) line() int {
	quoted, _ := jsontext.AppendQuote(nil, s.path)
	return len(`{"path":,"sha256":"","size":},`) + len(quoted) + 64 + len(strconv.Itoa(s.end-s.start)) + len("null")
}

// around bounds what an entry has besides its body and the lines of detached values.
const around = 512

// detach replaces the large values of a canonical body by null, so that what is left fits an entry with the rest of it:
//
//  1. every value above detachOver none of whose children is above it, so that what is large goes and the names around it stay;
//  2. if that is not enough, whole members of the body, first those of which the most is left;
//  3. if that is not enough either (a body of very many members), the body.
func detach(body []byte) (small []byte, blobs []blob, err error) {
	if len(body) <= detachOver {
		return body, nil, nil
	}
	members, large, err := spans(body)
	if err != nil {
		return nil, nil, err
	}
	size := around + len(body)
	for _, s := range large {
		size -= s.end - s.start - s.line()
	}
	if size > maxEntry {
		large, size = detachMembers(members, large, size)
	}
	if size > maxEntry {
		return []byte("null"), []blob{detached("", body)}, nil
	}
	small, blobs = cut(body, large)
	return small, blobs, nil
}

// detachMembers adds members to what is detached until an entry that would have size bytes is small enough, or nothing helps. It returns
// what is detached then, and the size.
func detachMembers(members, large []span, size int) ([]span, int) {
	inside := func(s, m span) bool { return s.start >= m.start && s.end <= m.end }
	type member struct {
		span
		gain int // how much smaller the entry becomes
	}
	var list []member
	i := 0
	for _, m := range members {
		gain := m.end - m.start - m.line()
		for ; i < len(large) && inside(large[i], m); i++ {
			gain -= large[i].end - large[i].start - large[i].line()
		}
		list = append(list, member{m, gain})
	}
	slices.SortStableFunc(list, func(a, b member) int { return cmp.Compare(b.gain, a.gain) })
	var out []span
	for _, m := range list {
		if size <= maxEntry || m.gain <= 0 {
			break
		}
		size -= m.gain
		out = append(out, m.span)
	}
	slices.SortFunc(out, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	// What is detached inside a member goes with it.
	var all []span
	for _, s := range large {
		for len(out) > 0 && out[0].end <= s.start {
			all, out = append(all, out[0]), out[1:]
		}
		if len(out) == 0 || !inside(s, out[0]) {
			all = append(all, s)
		}
	}
	return append(all, out...), size
}

func detached(path string, value []byte) blob {
	sum := sha256.Sum256(value)
	return blob{Path: path, Sum: hex.EncodeToString(sum[:]), Size: int64(len(value)), data: value}
}

// cut takes spans, which are in order and do not overlap, out of a body.
func cut(body []byte, list []span) (small []byte, blobs []blob) {
	end := 0
	for _, s := range list {
		small = append(append(small, body[end:s.start]...), "null"...)
		blobs = append(blobs, detached(s.path, body[s.start:s.end]))
		end = s.end
	}
	small = append(small, body[end:]...)
	slices.SortFunc(blobs, func(a, b blob) int { return cmp.Compare(a.Path, b.Path) })
	return small, blobs
}

// spans walks over a canonical object once: its members, and the values inside it that are large while none of their children is.
func spans(body []byte) (members, large []span, err error) {
	type open struct {
		start int
		child bool // a child is large
	}
	var stack []open
	d := jsontext.NewDecoder(bytes.NewBuffer(body))
	for {
		tok, err := d.ReadToken()
		if err == io.EOF {
			return members, large, nil
		}
		if err != nil {
			return nil, nil, err
		}
		end := int(d.InputOffset())
		var s span
		child := false
		switch k := tok.Kind(); k {
		case '{', '[':
			stack = append(stack, open{start: end - 1})
			continue
		case '}', ']':
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			s, child = span{start: top.start, end: end}, top.child
		default:
			if kind, n := d.StackIndex(d.StackDepth()); kind == '{' && n%2 == 1 {
				continue // a member's name
			}
			s = span{start: end - tokenLength(body, end, k, tok), end: end}
		}
		if len(stack) == 0 {
			continue // the body itself
		}
		if s.end-s.start > detachOver {
			stack[len(stack)-1].child = true
			if !child {
				s.path = string(d.StackPointer())
				large = append(large, s)
			}
		}
		if len(stack) == 1 {
			s.path = string(d.StackPointer())
			members = append(members, s)
		}
	}
}

// tokenLength is the length of a scalar that ends at end, as it is written.
func tokenLength(body []byte, end int, k jsontext.Kind, tok jsontext.Token) int {
	if k != '"' {
		return len(tok.String()) // true, false, null; a number's text
	}
	quoted, _ := jsontext.AppendQuote(nil, tok.String()) // the body is canonical: this is how it is written there
	return len(quoted)
}

// attach puts detached values back.
func attach(small []byte, blobs []blob, load func(blob) ([]byte, error)) ([]byte, error) {
	at := map[string]blob{}
	for _, b := range blobs {
		at[b.Path] = b
	}
	if len(at) != len(blobs) {
		return nil, fmt.Errorf("a value is detached twice")
	}
	var out []byte
	done := 0
	d := jsontext.NewDecoder(bytes.NewBuffer(small))
	for {
		tok, err := d.ReadToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if tok.Kind() != 'n' {
			continue
		}
		b, ok := at[string(d.StackPointer())]
		if !ok {
			continue
		}
		delete(at, b.Path)
		value, err := load(b)
		if err != nil {
			return nil, err
		}
		end := int(d.InputOffset())
		out = append(append(out, small[done:end-len("null")]...), value...)
		done = end
	}
	if len(at) > 0 {
		return nil, fmt.Errorf("a detached value has no place in the body")
	}
	return append(out, small[done:]...), nil
}

// parseEntry reads an entry, but for its detached values. An entry of a newer version has Version, Raw, Leaf, Note and as much of the
// rest as could be read.
func parseEntry(seq int64, raw []byte) (*Entry, []blob, error) {
	e := &Entry{Seq: seq, Raw: raw, Leaf: hexHash(tlog.RecordHash(raw))}
	bad := func(err error) (*Entry, []blob, error) {
		return e, nil, &Error{Code: CodeDamaged, Message: fmt.Sprintf("entry %d is damaged", seq), Next: "run ambit log verify", Err: err}
	}
	var w wire
	err := jsonv2.Unmarshal(raw, &w)
	if w.Version > Version || err != nil && versionOf(raw) > Version {
		e.Version = max(w.Version, versionOf(raw))
		e.Kind, e.Prev = w.Kind, w.At.Prev
		e.Time, _ = time.Parse(time.RFC3339Nano, w.At.Time)
		e.Note = fmt.Sprintf("an entry of version %d, made by a newer ambit: its body is not read, only shown as it stands", e.Version)
		return e, nil, nil
	}
	if err != nil {
		return bad(err)
	}
	e.Version, e.Kind, e.Prev, e.Body = w.Version, w.Kind, w.At.Prev, json.RawMessage(w.Body)
	e.Time, err = time.Parse(time.RFC3339Nano, w.At.Time)
	switch {
	case err != nil:
		return bad(err)
	case w.Version != Version:
		return bad(fmt.Errorf("version %d", w.Version))
	case w.At.Seq != seq:
		return bad(fmt.Errorf("it says that it is entry %d", w.At.Seq))
	case !isHash(w.At.Prev) || !isKind(w.Kind) || len(w.Body) == 0:
		return bad(fmt.Errorf("a member is missing or malformed"))
	}
	for _, b := range w.At.Blobs {
		if !isHash(b.Sum) || b.Size < 0 || b.Size > maxBlob {
			return bad(fmt.Errorf("a detached value is malformed"))
		}
	}
	return e, w.At.Blobs, nil
}

// versionOf finds the version of an entry whose other members cannot be read; 0 if there is none.
func versionOf(raw []byte) int {
	var v struct {
		Version int `json:"version"`
	}
	if jsonv2.Unmarshal(raw, &v) != nil {
		return 0
	}
	return v.Version
}

func hexHash(h tlog.Hash) string { return hex.EncodeToString(h[:]) }
