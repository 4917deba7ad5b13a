package record

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// TestVectors seals what docs/formats.md gives, with its key and its times, and compares every byte of the log. The files were made by another
// program, in another language, from the text of the formats.
func TestVectors(t *testing.T) {
	vectors := filepath.Join("testdata", "log-v1")
	read := func(name string) []byte {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(vectors, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	p := newPlace(t)
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.State, logKeyFile), read("log.key"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Open(p, Options{Now: fixedClock()})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var input []struct {
		Kind string
		Body json.RawMessage
	}
	if err := json.Unmarshal(read("input.json"), &input); err != nil {
		t.Fatal(err)
	}
	for _, in := range input {
		if _, err := l.Append(in.Kind, in.Body); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(p.PublicKeyFile()); string(got) != string(read("log.pub")) {
		t.Errorf("log.pub is %s", got)
	}
	files := 0
	for _, side := range []string{vectors + "/log", p.LogDir()} {
		err := filepath.WalkDir(side, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			files++
			rel, _ := filepath.Rel(side, name)
			want := read("log/" + filepath.ToSlash(rel))
			if got, err := os.ReadFile(filepath.Join(p.LogDir(), rel)); err != nil || string(got) != string(want) {
				t.Errorf("%s: %v\n%q\nis not\n%q", rel, err, got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files != 8 {
		t.Errorf("%d files on both sides, want 4 on each", files)
	}
	rep, err := Verify(filepath.Join(vectors, "log"), string(read("log.pub")), VerifyOptions{})
	if err != nil || !rep.OK() || rep.Entries != 3 || rep.Blobs != 1 || len(rep.Notes) != 0 {
		t.Errorf("%v %+v", err, rep)
	}
}

// TestKeyText: base64 has plus signs, and so has the form of the key.
func TestKeyText(t *testing.T) {
	plus := false
	for range 100 {
		skey, vkey, err := note.GenerateKey(nil, originPrefix+"0123456789abcdef")
		if err != nil {
			t.Fatal(err)
		}
		k, err := parseLogKey(skey + "\n")
		if err != nil || k.public != vkey {
			t.Fatalf("%v: %s is not %s", err, k.public, vkey)
		}
		plus = plus || strings.Contains(skey[len(skey)-44:], "+")
	}
	if !plus {
		t.Error("none of the keys has a plus sign")
	}
	for _, bad := range []string{"", "\n", "x\n", "PRIVATE+KEY+a+00000000+AQ==\n"} {
		if _, err := parseLogKey(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
