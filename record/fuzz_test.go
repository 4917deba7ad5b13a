package record

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/action"
)

// FuzzEntry: whatever stands in a log, reading it ends in an entry or an error, and what is put together anew is canonical JSON.
func FuzzEntry(f *testing.F) {
	b, err := os.ReadFile(filepath.Join("testdata", "log-v1", "log", "tile", "entries", "000.p", "3"))
	if err != nil {
		f.Fatal(err)
	}
	list, _ := split(b, full)
	for _, raw := range list {
		f.Add(raw)
	}
	f.Add([]byte(`{"at":[7],"body":{},"kind":"intent","version":3}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, blobs, err := parseEntry(1, raw)
		if e == nil || !bytes.Equal(e.Raw, raw) {
			t.Fatal("the entry is lost")
		}
		if err != nil || e.Note != "" {
			return
		}
		body, err := attach(e.Body, blobs, func(b blob) ([]byte, error) { return []byte(`{"put":"back"}`), nil })
		if err == nil && !json.Valid(body) {
			t.Errorf("%s", body)
		}
	})
}

// FuzzBody: any JSON object can be sealed, and comes back.
func FuzzBody(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,"x",null]},"":true}`))
	f.Add([]byte(`{"a":"` + strings.Repeat("x", 5000) + `","b":{"~/":["` + strings.Repeat("\\n", 3000) + `"]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		want, err := action.Canonical(raw)
		if err != nil || want[0] != '{' {
			return
		}
		small, blobs, err := detach(want)
		if err != nil {
			t.Fatal(err)
		}
		text := sealed(small, blobs, "intent", 0, strings.Repeat("0", 64), fixedClock()())
		if again, err := action.Canonical(text); err != nil || !bytes.Equal(again, text) || len(text) > maxEntry {
			t.Fatalf("%v: %s", err, text)
		}
		e, found, err := parseEntry(0, text)
		if err != nil {
			t.Fatal(err)
		}
		data := map[string][]byte{}
		for _, b := range blobs {
			data[b.Sum] = b.data
		}
		got, err := attach(e.Body, found, func(b blob) ([]byte, error) { return data[b.Sum], nil })
		if len(found) == 0 {
			got = e.Body
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %s is not %s", err, got, want)
		}
	})
}

// FuzzCheckpoint: what is no checkpoint is refused, and what is one is written in one way only.
func FuzzCheckpoint(f *testing.F) {
	b, err := os.ReadFile(filepath.Join("testdata", "log-v1", "log", "checkpoint"))
	if err != nil {
		f.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join("testdata", "log-v1", "log.pub"))
	if err != nil {
		f.Fatal(err)
	}
	v, err := verifier(string(key))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(bytes.Replace(b, []byte("-v1/"), []byte("-v2/"), 1))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := openCheckpoint(text, v)
		if err == nil && (c.Size != 3 || !bytes.HasPrefix(text, b[:bytes.Index(b, []byte("\n\n"))])) {
			t.Errorf("a checkpoint that nobody signed: %s", text)
		}
		var p Inclusion
		if p.UnmarshalText(text) == nil {
			if again, _ := p.MarshalText(); !bytes.Contains(text, []byte("\nextra ")) && !bytes.Equal(again, text) {
				t.Errorf("%q is written as %q", text, again)
			}
		}
	})
}
