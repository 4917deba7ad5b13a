package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/action"
	"pgregory.net/rapid"
)

var names = []string{"a", "b", "represented", "reads", "", "~", "/", "a/b~c", "~1", "é", "\U0001f600", "\ufb33", `"`, `\`, "\x00", "\n", "0", "12", "null"}

// anyValue draws JSON with strings on both sides of every limit.
func anyValue(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := []string{"null", "bool", "number", "text", "text", "list", "object", "object"}
		if depth == 0 {
			kinds = kinds[:5]
		}
		switch rapid.SampledFrom(kinds).Draw(t, "kind") {
		case "bool":
			return rapid.Bool().Draw(t, "bool")
		case "number":
			return rapid.SampledFrom([]any{0.0, -1.5, 1e21, 5e-324, 9007199254740991.0, 123456.0}).Draw(t, "number")
		case "text":
			n := rapid.SampledFrom([]int{0, 1, 5, 20, 1000, 2040, 4093, 4094, 4095, 4100, 9000, 30000}).Draw(t, "length")
			return strings.Repeat(rapid.SampledFrom([]string{"x", "\n", "é", `"`, "\x01", "<"}).Draw(t, "of"), n)
		case "list":
			return rapid.SliceOfN(anyValue(depth-1), 0, 6).Draw(t, "list")
		case "object":
			return rapid.MapOfN(rapid.SampledFrom(names), anyValue(depth-1), 0, 6).Draw(t, "object")
		}
		return nil
	})
}

func anyBody(t *rapid.T) map[string]any {
	body := rapid.MapOfN(rapid.SampledFrom(names), anyValue(4), 0, 8).Draw(t, "body")
	switch rapid.IntRange(0, 9).Draw(t, "special") {
	case 0: // what is too much only as a whole
		for i := range rapid.IntRange(10, 30).Draw(t, "members") {
			body["m"+strconv.Itoa(i)] = strings.Repeat("y", rapid.IntRange(3000, 4090).Draw(t, "length"))
		}
	case 1: // and in very many members
		for i := range rapid.IntRange(3000, 9000).Draw(t, "members") {
			body["member "+strconv.Itoa(i)] = i
		}
	case 2: // or in large parts
		body["deep"] = nested(rapid.IntRange(1, 200).Draw(t, "depth"), strings.Repeat("z", rapid.IntRange(0, 5000).Draw(t, "length")))
	}
	return body
}

func nested(depth int, v any) any {
	for range depth {
		v = []any{map[string]any{"in": v, "beside": 1.0}}
	}
	return v
}

func canonical(t interface{ Fatal(...any) }, v any) []byte {
	b, err := json.Marshal(v)
	if err == nil {
		b, err = action.Canonical(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// detachRule is the rule of docs/formats.md over a tree: which values are kept outside, by pointer.
func detachRule(t interface{ Fatal(...any) }, v any, path string, out map[string][]byte) (large bool) {
	text := canonical(t, v)
	inner := false
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			inner = detachRule(t, x, path+"/"+escape.Replace(name), out) || inner
		}
	case []any:
		for i, x := range v {
			inner = detachRule(t, x, path+"/"+strconv.Itoa(i), out) || inner
		}
	}
	if large = len(text) > 4096; large && !inner && path != "" {
		out[path] = text
	}
	return large
}

// TestBodies: whatever is sealed comes back whole, and the entry keeps its form.
func TestBodies(t *testing.T) {
	m := newMemory()
	l := m.mustLog(t)
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		body := anyBody(t)
		want := canonical(t, body)
		s, err := l.Append("intent", body)
		if err != nil {
			t.Fatal(err)
		}
		e, err := l.Entry(s.Seq)
		if err != nil {
			t.Fatal(err)
		}
		if string(e.Body) != string(want) || e.Kind != "intent" || e.Seq != s.Seq || e.Leaf != s.Leaf || e.Version != 1 || e.Note != "" {
			t.Fatalf("%s\nis not\n%s", e.Body, want)
		}
		if len(e.Raw) > 65_535 {
			t.Fatalf("%d bytes", len(e.Raw))
		}
		if again, err := action.Canonical(e.Raw); err != nil || string(again) != string(e.Raw) {
			t.Fatalf("%v: the entry is not canonical: %s", err, e.Raw)
		}
		_, blobs, err := parseEntry(s.Seq, e.Raw)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(blobs, func(a, b blob) int { return cmp.Compare(a.Path, b.Path) }) {
			t.Fatalf("%v is not sorted", blobs)
		}
		rule := map[string][]byte{}
		detachRule(t, body, "", rule)
		first := true
		for _, b := range blobs {
			text, ok := rule[b.Path]
			first = first && ok && isBlob(b, text)
		}
		switch {
		case first && len(blobs) == len(rule):
			seen[fmt.Sprintf("%d values", min(len(rule), 3))]++
		case len(blobs) == 1 && blobs[0].Path == "":
			seen["body"]++
		default:
			seen["members"]++
			for _, b := range blobs {
				if _, ok := rule[b.Path]; !ok && strings.Count(b.Path, "/") != 1 {
					t.Fatalf("%s is detached: neither by the rule nor a member", b.Path)
				}
			}
		}
	})
	for _, want := range []string{"0 values", "1 values", "3 values", "body", "members"} {
		if seen[want] == 0 {
			t.Errorf("never drawn: %s (%v)", want, seen)
		}
	}
	if rep, err := m.verify(VerifyOptions{}); err != nil || !rep.OK() {
		t.Errorf("%v %+v", err, rep)
	}
}

// TestDetach fixes which values go.
func TestDetach(t *testing.T) {
	at := func(n int) string { return strings.Repeat("x", n-2) } // n bytes as JSON
	for name, tt := range map[string]struct {
		body  any
		small string
		paths []string
	}{
		"small":              {map[string]any{"a": 1}, `{"a":1}`, nil},
		"at the limit":       {map[string]any{"a": at(4096)}, `{"a":"` + at(4096) + `"}`, nil},
		"above":              {map[string]any{"a": at(4097), "b": 2}, `{"a":null,"b":2}`, []string{"/a"}},
		"the inner one":      {map[string]any{"a": map[string]any{"b": at(5000), "c": 1}}, `{"a":{"b":null,"c":1}}`, []string{"/a/b"}},
		"two inner ones":     {map[string]any{"a": []any{at(5000), 1, at(6000)}}, `{"a":[null,1,null]}`, []string{"/a/0", "/a/2"}},
		"by its parts":       {map[string]any{"a": []any{at(3000), at(3000)}}, `{"a":null}`, []string{"/a"}},
		"the body's parts":   {map[string]any{"a": at(3000), "b": at(3000)}, `{"a":"` + at(3000) + `","b":"` + at(3000) + `"}`, nil},
		"a long name":        {map[string]any{"a": map[string]any{at(5000): 1}}, `{"a":null}`, []string{"/a"}},
		"null stays":         {map[string]any{"a": nil, "b": at(5000)}, `{"a":null,"b":null}`, []string{"/b"}},
		"pointer is escaped": {map[string]any{"a/b~": map[string]any{"": at(5000)}}, `{"a/b~":{"":null}}`, []string{"/a~1b~0/"}},
		"sorted by pointer":  {map[string]any{"a": map[string]any{"b": at(5000)}, "a!": at(5000)}, `{"a":{"b":null},"a!":null}`, []string{"/a!", "/a/b"}},
	} {
		small, blobs, err := detach(canonical(t, tt.body))
		var paths []string
		for _, b := range blobs {
			paths = append(paths, b.Path)
		}
		if err != nil || string(small) != tt.small || !slices.Equal(paths, tt.paths) {
			t.Errorf("%s: %v %v\n%s", name, err, paths, small)
		}
	}
}

// TestDetachMembers: what is too much for an entry although no value is large goes by members, the largest first; what has too many members
// goes whole.
func TestDetachMembers(t *testing.T) {
	body := map[string]any{"large": strings.Repeat("z", 9000)}
	for i := range 20 {
		body[fmt.Sprintf("m%02d", i)] = strings.Repeat("y", 3500+i) // 70,000 in all
	}
	small, blobs, err := detach(canonical(t, body))
	if err != nil || len(blobs) != 3 || blobs[0].Path != "/large" || blobs[1].Path != "/m18" || blobs[2].Path != "/m19" {
		t.Errorf("%v %+v", err, blobs)
	}
	if n := len(sealed(small, blobs, "intent", 0, strings.Repeat("0", 64), fixedClock()())); n > maxEntry {
		t.Errorf("%d bytes", n)
	}
	body = map[string]any{}
	for i := range 9000 {
		body[fmt.Sprint("a member of the body ", i)] = i
	}
	if small, blobs, err = detach(canonical(t, body)); err != nil || string(small) != "null" || len(blobs) != 1 || blobs[0].Path != "" {
		t.Errorf("%v %d %.100s", err, len(blobs), small)
	}
	// A member that has detached values in it takes them along.
	inner := map[string]any{"big": strings.Repeat("z", 5000)}
	for i := range 30 {
		inner[fmt.Sprint(i)] = strings.Repeat("y", 3000)
	}
	small, blobs, err = detach(canonical(t, map[string]any{"m": inner}))
	if err != nil || string(small) != `{"m":null}` || len(blobs) != 1 || blobs[0].Path != "/m" {
		t.Errorf("%v %d %.100s", err, len(blobs), small)
	}
}

// TestDetachLarge: the work is in proportion to the body, whatever is in it.
func TestDetachLarge(t *testing.T) {
	many := map[string]any{}
	for i := range 3000 {
		many[fmt.Sprintf("m%05d", i)] = strings.Repeat("y", 4000)
	}
	for name, body := range map[string]any{
		"many members": many,
		"many values":  map[string]any{"a": slices.Repeat([]any{strings.Repeat("z", 5000)}, 2000)},
		"deep":         map[string]any{"a": nested(4000, strings.Repeat("z", 3_000_000))},
	} {
		text := canonical(t, body)
		small, blobs, err := detach(text)
		if err != nil || len(small) > maxEntry {
			t.Fatalf("%s: %v, %d bytes", name, err, len(small))
		}
		data := map[string][]byte{}
		for _, b := range blobs {
			data[b.Sum] = b.data
		}
		if got, err := attach(small, blobs, func(b blob) ([]byte, error) { return data[b.Sum], nil }); err != nil || string(got) != string(text) {
			t.Errorf("%s: %v: it does not come back", name, err)
		}
	}
}

// TestAttachRefuses: lists of detached values that no Append writes.
func TestAttachRefuses(t *testing.T) {
	one := detached("/a", []byte(`"x"`))
	load := func(b blob) ([]byte, error) { return b.data, nil }
	for name, tt := range map[string]struct {
		small string
		blobs []blob
	}{
		"twice":               {`{"a":null}`, []blob{one, one}},
		"no place":            {`{"b":null}`, []blob{one}},
		"not null":            {`{"a":1}`, []blob{one}},
		"inside another":      {`{"a":null}`, []blob{one, detached("/a/b", []byte(`1`))}},
		"not JSON":            {`{"a":null`, []blob{one}},
		"no pointer":          {`{"a":null}`, []blob{detached("a", []byte(`1`))}},
		"the body and a part": {`null`, []blob{one, detached("", []byte(`{}`))}},
	} {
		if got, err := attach([]byte(tt.small), tt.blobs, load); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got, err := attach([]byte(`{"a":null,"b":[null]}`), []blob{one}, load); err != nil || string(got) != `{"a":"x","b":[null]}` {
		t.Errorf("%s %v", got, err)
	}
}

// TestBodyRefused: what is no object, or cannot be written. Nothing is sealed.
func TestBodyRefused(t *testing.T) {
	m := newMemory()
	l := m.mustLog(t)
	for name, body := range map[string]any{
		"nil": nil, "list": []int{1}, "text": "x", "a function": func() {}, "not UTF-8": map[string]any{"a": "\xff"},
		"duplicate": json.RawMessage(`{"a":1,"a":2}`), "no JSON": json.RawMessage(`{`), "an integer that no double holds": map[string]any{"a": int64(9007199254740993)},
		"too large": map[string]any{"a": strings.Repeat("x", maxBody)},
	} {
		_, err := l.Append("intent", body)
		if e, ok := err.(*Error); !ok || e.Code != CodeBody || e.Next == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, kind := range []string{"", "Intent", "in tent", `"`, strings.Repeat("x", 33)} {
		if _, err := l.Append(kind, map[string]any{}); err == nil {
			t.Errorf("kind %q is taken", kind)
		}
	}
	if n, err := l.Size(); n != 0 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}

// TestEntryForms: what parseEntry takes and what it calls damaged.
func TestEntryForms(t *testing.T) {
	zero := strings.Repeat("0", 64)
	good := `{"at":{"prev":"` + zero + `","seq":7,"time":"2026-12-01T01:39:49.5Z"},"body":{},"kind":"intent","version":1}`
	if e, _, err := parseEntry(7, []byte(good)); err != nil || e.Kind != "intent" || e.Time.Nanosecond() != 500_000_000 {
		t.Fatal(err)
	}
	for name, raw := range map[string]string{
		"nothing": ``, "another number": strings.Replace(good, `"seq":7`, `"seq":8`, 1), "no version": strings.Replace(good, `,"version":1`, ``, 1),
		"version 0": strings.Replace(good, `"version":1`, `"version":0`, 1), "two kinds": strings.Replace(good, `"kind"`, `"kind":"a","kind"`, 1),
		"no time": strings.Replace(good, `,"time":"2026-12-01T01:39:49.5Z"`, ``, 1), "no hash": strings.Replace(good, zero, "abc", 1), "no body": strings.Replace(good, `"body":{},`, ``, 1),
		"a blob's name leads away": strings.Replace(good, `{"prev"`, `{"blobs":[{"path":"","sha256":"../../../../etc/passwd","size":1}],"prev"`, 1),
		"more behind":              good + `{}`,
	} {
		if e, _, err := parseEntry(7, []byte(raw)); err == nil || e.Note != "" {
			t.Errorf("%s is taken: %+v", name, e)
		}
	}
	for name, raw := range map[string]string{
		"of version 2":             strings.Replace(good, `"version":1`, `"version":2`, 1),
		"with another form of at":  `{"at":[7],"body":{},"kind":"intent","version":3}`,
		"with a number for a kind": strings.Replace(strings.Replace(good, `"version":1`, `"version":2`, 1), `"intent"`, `4`, 1),
	} {
		if e, _, err := parseEntry(7, []byte(raw)); err != nil || e.Note == "" || e.Body != nil || e.Version < 2 || string(e.Raw) != raw {
			t.Errorf("an entry %s: %v %+v", name, err, e)
		}
	}
}
