package nodepkg

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

func TestScripts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       map[string]string
		lines      map[string]int
		err        error
	}{
		{"plain", "{\n \"name\": \"x\",\n \"scripts\": {\n  \"a\": \"1\",\n  \"b\": \"2\"\n }\n}", map[string]string{"a": "1", "b": "2"}, map[string]int{"a": 4, "b": 5}, nil},
		{"repeated key", "{\"scripts\": {\n\"a\": \"1\",\n\"a\": \"2\"}}", map[string]string{"a": "2"}, map[string]int{"a": 3}, nil},
		{"repeated scripts", "{\"scripts\": {\"a\": \"1\"},\n\"scripts\": {\"b\": \"2\"}}", map[string]string{"b": "2"}, map[string]int{"b": 2}, nil},
		{"escaped key", `{"\u0073cripts": {"post\u0069nstall": "x\ty"}}`, map[string]string{"postinstall": "x\ty"}, map[string]int{"postinstall": 1}, nil},
		{"not strings", `{"scripts": {"a": 1, "b": null, "c": ["x"], "d": {"e": "f"}, "g": "h"}}`, map[string]string{"g": "h"}, map[string]int{"g": 1}, nil},
		{"scripts that are no object", `{"scripts": ["a"]}`, nil, nil, nil},
		{"an array", `[{"scripts": {"a": "1"}}]`, nil, nil, nil},
		{"byte order mark", "\ufeff\n{\"scripts\": {\"a\": \"1\"}}", map[string]string{"a": "1"}, map[string]int{"a": 2}, nil},
		{"nested scripts", `{"x": {"scripts": {"a": "1"}}}`, nil, nil, nil},
		{"comment", "{// x\n\"scripts\": {}}", nil, nil, errSyntax},
		{"trailing comma", `{"scripts": {"a": "1",}}`, nil, nil, errSyntax},
		{"nothing", "", nil, nil, errSyntax},
		{"NUL", "{\"scripts\": {\"a\": \"1\"}}\x00", nil, nil, errSyntax},
		{"NUL inside", "{\"scripts\": {\"a\": \"\x00\"}}", nil, nil, errSyntax},
		{"cut", `{"scripts": {"a": "1`, nil, nil, errSyntax},
		{"two values", `{} {}`, nil, nil, errSyntax},
		{"deep", `{"x":` + strings.Repeat("[", 1e6), nil, nil, errDeep},
		{"deep in scripts", `{"scripts": {"a":` + strings.Repeat(`{"a":`, 1e5), nil, nil, errDeep},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, lines, err := Scripts([]byte(c.text))
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if diff := cmp.Diff(c.lines, lines, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("lines: -want +got\n%s", diff)
			}
		})
	}
}

// FuzzPackageJSON compares with encoding/json: what it reads is read as it reads it, and nothing else has scripts.
func FuzzPackageJSON(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		got, lines, err := Scripts(data)
		var want struct{ Scripts any }
		text := bytes.TrimPrefix(data, []byte("\ufeff"))
		m := map[string]any{}
		if !json.Valid(text) {
			return // it may be read or refused; it must only come to an end
		}
		if errors.Is(err, errDeep) {
			return
		}
		if err != nil {
			t.Fatalf("valid JSON was refused: %v", err)
		}
		if json.Unmarshal(text, &m) != nil {
			if len(got) > 0 {
				t.Fatalf("scripts of no object: %v", got)
			}
			return
		}
		want.Scripts = m["scripts"]
		scripts, _ := want.Scripts.(map[string]any)
		for name, v := range scripts {
			if s, ok := v.(string); ok && got[name] != s {
				t.Errorf("%q is %q, want %q", name, got[name], s)
			}
		}
		for name := range got {
			if _, ok := scripts[name].(string); !ok {
				t.Errorf("%q is no script", name)
			}
			if lines[name] < 1 || lines[name] > 1+bytes.Count(data, []byte("\n")) {
				t.Errorf("%q is on line %d", name, lines[name])
			}
		}
	})
}

// FuzzLockfile reads lockfiles of any version: it ends, and a package with a script that encoding/json sees is kept.
func FuzzLockfile(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := parseNPMLock(&workspace.File{Data: data}, nil, false)
		var want struct {
			Version  any `json:"lockfileVersion"`
			Packages map[string]struct {
				Script any `json:"hasInstallScript"`
			} `json:"packages"`
		}
		if !json.Valid(data) || errors.Is(err, errDeep) || json.Unmarshal(data, &want) != nil {
			return
		}
		if err != nil {
			t.Fatalf("valid JSON was refused: %v", err)
		}
		for loc, p := range want.Packages {
			if on, _ := p.Script.(bool); !on || loc == "" {
				continue
			}
			found := false
			for _, k := range l.pkgs {
				found = found || k.loc == loc && k.script
			}
			if !found {
				t.Errorf("%q has a script and was not kept", loc)
			}
		}
	})
}

func TestOldLockfileKeepsAll(t *testing.T) {
	for _, text := range []string{
		`{"lockfileVersion": 1, "packages": {"node_modules/a": {"version": "1.0.0"}}}`,
		`{"packages": {"node_modules/a": {"version": "1.0.0"}}}`,
		`{"lockfileVersion": 3, "packages": {"node_modules/a": {"version": "1.0.0"}}, "lockfileVersion": 1}`,
		`{"lockfileVersion": "3", "packages": {"node_modules/a": {"version": "1.0.0"}}}`,
		`{"lockfileVersion": 1, "dependencies": {"a": {"version": "1.0.0"}}}`,
		`{"dependencies": {"a": {"version": "1.0.0", "dependencies": {}}}, "lockfileVersion": 1}`,
	} {
		l, err := parseNPMLock(&workspace.File{Data: []byte(text)}, nil, false)
		if err != nil || !l.old || len(l.pkgs) != 1 || l.pkgs[0].loc != "node_modules/a" || l.pkgs[0].version != "1.0.0" {
			t.Errorf("%s: %+v, %v", text, l, err)
		}
	}
	l, err := parseNPMLock(&workspace.File{Data: []byte(`{"lockfileVersion": 3, "packages": {"": {}, "node_modules/a": {}, "node_modules/b": {"hasInstallScript": true}}}`)}, nil, true)
	if err != nil || l.old || l.count != 2 || len(l.pkgs) != 1 || !cmp.Equal(l.places, []string{"node_modules/a"}) {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestSatisfies(t *testing.T) {
	for _, c := range []struct {
		version, rng string
		want         bool
	}{
		{"1.2.3", "", true}, {"1.2.3", "*", true}, {"1.2.3", "x", true}, {"1.2.3", "1", true}, {"1.2.3", "1.2", true}, {"1.2.3", "1.x", true}, {"2.0.0", "1.x", false},
		{"1.2.3", "1.2.3", true}, {"1.2.3", "=1.2.3", true}, {"1.2.3", "v1.2.3", true}, {"1.2.4", "1.2.3", false}, {"1.9.0", "^1.2.3", true}, {"2.0.0", "^1.2.3", false},
		{"0.2.9", "^0.2.3", true}, {"0.3.0", "^0.2.3", false}, {"0.0.4", "^0.0.3", false}, {"1.2.9", "~1.2.3", true}, {"1.3.0", "~1.2.3", false}, {"1.9.9", "~1", true},
		{"1.2.3", ">=1.0.0 <2.0.0", true}, {"2.0.0", ">=1.0.0 <2.0.0", false}, {"1.2.3", ">= 1.0.0 < 2", true}, {"1.2.3", "1.0.0 - 2.0.0", true}, {"2.3.0", "1.2 - 2.3", true},
		{"2.4.0", "1.2 - 2.3", false}, {"3.0.0", "1.x || >=2.5.0 || 5.0.0 - 7.2.3", true}, {"2.0.0", "<2.0.0 || >3", false}, {"1.0.0-beta.2", "^1.0.0-beta.1", true},
		{"1.0.0-beta.2", "^1.0.0", false}, {"1.1.0-beta.2", "^1.0.0-beta.1", false}, {"1.0.0", "^1.0.0-beta.1", true}, {"2.0.0-0", "<2.0.0", false}, {"1.2.3+build", "1.2.3", true},
		{"2.0.0-alpha", "^1.0.0", false}, {"1.0.1", ">1.0.0", true}, {"1.9.9", ">1", false}, {"2.0.0", ">1", true}, {"1.9.9", "<=1", true},
	} {
		v, ok := parseVersion(c.version)
		if !ok {
			t.Fatal(c.version)
		}
		if got, ok := satisfies(v, c.rng); got != c.want || !ok {
			t.Errorf("%s in %q is %v (%v), want %v", c.version, c.rng, got, ok, c.want)
		}
	}
	for _, s := range []string{"latest", "git+ssh://x", "1.2.3.4", "01.2.3", ">", "^", "1.2.3 -", "a - b", "99999999999999999999"} {
		if _, ok := satisfies(version{}, s); ok {
			t.Errorf("%q is taken for a range", s)
		}
	}
}

func TestParseSpec(t *testing.T) {
	for arg, want := range map[string]spec{
		"a": {registrySpec, "a", ""}, "a@1.2.3": {registrySpec, "a", "1.2.3"}, "@s/a": {registrySpec, "@s/a", ""}, "@s/a@^1": {registrySpec, "@s/a", "^1"},
		"a@latest": {tagSpec, "a", "latest"}, ".": {directorySpec, "", "."}, "./a": {directorySpec, "", "./a"}, "../a.tgz": {fileSpec, "", "../a.tgz"},
		"file:a": {directorySpec, "", "a"}, "/x/a.tar.gz": {fileSpec, "", "/x/a.tar.gz"}, "owner/repo": {gitSpec, "", "owner/repo"}, "owner/repo#x": {gitSpec, "", "owner/repo#x"},
		"git+https://h/x": {gitSpec, "", "git+https://h/x"}, "github:o/r": {gitSpec, "", "github:o/r"}, "https://h/a.tgz": {remoteSpec, "", "https://h/a.tgz"},
		"https://h/a.git": {gitSpec, "", "https://h/a.git"}, "b@npm:a@1.0.0": {registrySpec, "a", "1.0.0"}, "a@file:x": {directorySpec, "a", "x"}, "a@o/r": {gitSpec, "a", "o/r"},
		"git@h:o/r": {gitSpec, "", "git@h:o/r"}, "": {registrySpec, "", ""},
	} {
		if got := parseSpec(arg); got != want {
			t.Errorf("%q is %+v, want %+v", arg, got, want)
		}
	}
}

func TestFromRegistry(t *testing.T) {
	for url, want := range map[string]string{
		"https://r.example/a/-/a-1.2.3.tgz": "a@1.2.3", "https://r.example/@s/a/-/a-1.2.3.tgz": "@s/a@1.2.3", "http://r.example/x/y/@s%2fa/-/a-1.0.0-b.1.tgz": "@s/a@1.0.0-b.1",
		"https://r.example/-/a-1.2.3.tgz": "", "https://r.example/a/-/b-1.2.3.tgz": "", "file:a-1.2.3.tgz": "", "https://r.example/a/-/a-1.2.3.zip": "",
		"git+ssh://r.example/a/-/a-1.2.3.tgz": "", "https://r.example/a/-/a-1.2.tgz": "", "https://r.example/a/-/x/a-1.2.3.tgz": "",
	} {
		name, version, ok := fromRegistry(url)
		if got := name + "@" + version; ok != (want != "") || ok && got != want {
			t.Errorf("%s is %s (%v), want %q", url, got, ok, want)
		}
	}
}
