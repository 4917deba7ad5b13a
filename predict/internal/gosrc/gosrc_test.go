package gosrc_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/predict/internal/gosrc"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestGenerate(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module x\n\ngo 1.24\n")
	write(t, dir, "a.go", "package x\n\n//go:generate stringer -type \"A B\" $GOFILE\n// go:generate not one\n")
	write(t, dir, "sub/b.go", "package sub\n\n//go:generate -command gen go run ./gen\n//go:generate gen x\n")
	write(t, dir, "vendor/c.go", "package c\n//go:generate rm -rf /\n")
	var got [][]string
	for _, j := range gosrc.Plan(workspace.New("", workspace.Limits{}), gosrc.Request{Verb: "generate", Patterns: []string{"./..."}, Dir: dir}).Jobs {
		got = append(got, j.Argv)
	}
	want := [][]string{{"stringer", "-type", "A B", "a.go"}, {"go", "run", "./gen", "x"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestMissingModules(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	write(t, dir, "go.mod", "module x\n\ngo 1.24\n\nrequire example.com/A v1.0.0\n")
	plan := func() int {
		return len(gosrc.Plan(workspace.New("", workspace.Limits{}), gosrc.Request{Verb: "build", Dir: dir, Home: home}).Claims)
	}
	if n := plan(); n != 1 {
		t.Errorf("not in the cache: %d claims, want 1", n)
	}
	write(t, home, "go/pkg/mod/example.com/!a@v1.0.0/go.mod", "module example.com/A\n")
	if n := plan(); n != 0 {
		t.Errorf("in the cache: %d claims, want 0", n)
	}
}

func TestExecutable(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/tool/v2\n\ngo 1.24\n")
	write(t, dir, "main.go", "// Tool does.\npackage main // here\n")
	write(t, dir, "cmd/one/one_test.go", "package main\n")
	write(t, dir, "cmd/one/a.go", "package main\n")
	write(t, dir, "lib/gen.go", "//go:build ignore\n\npackage main\n")
	write(t, dir, "lib/lib.go", "package lib\n")
	for _, c := range []struct {
		patterns []string
		output   bool
		want     string
	}{
		{nil, false, "tool"},
		{[]string{"."}, true, ""},
		{[]string{"./cmd/one"}, false, "one"},
		{[]string{"./lib"}, false, ""},
		{[]string{"./..."}, false, ""},
		{[]string{".", "./cmd/one"}, false, ""},
		{[]string{"./cmd/one/a.go"}, false, "a"},
		{[]string{"./nothing"}, false, ""},
	} {
		r := gosrc.Plan(workspace.New("", workspace.Limits{}), gosrc.Request{Verb: "build", Patterns: c.patterns, Output: c.output, Dir: dir})
		got := ""
		for _, x := range r.Claims {
			got += x.Target
		}
		if got != c.want || len(r.Unknowns) > 0 {
			t.Errorf("%v: %q and %v, want %q", c.patterns, got, r.Unknowns, c.want)
		}
	}
}
