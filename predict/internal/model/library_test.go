package model_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ambit-dev/ambit/predict/internal/model"
	"github.com/ambit-dev/ambit/predict/models"
)

// TestShippedModelsParse parses every model: a broken one must be found here, not in front of a person.
func TestShippedModelsParse(t *testing.T) {
	l := &model.Library{Files: models.Files}
	names, err := l.Names()
	if err != nil || len(names) == 0 {
		t.Fatalf("names: %v, %d of them", err, len(names))
	}
	if err := l.Check(); err != nil {
		t.Error(err)
	}
}

func library(text string) *model.Library {
	return &model.Library{Files: fstest.MapFS{"a.yaml": &fstest.MapFile{Data: []byte(text)}}}
}

func TestSubcommandBlocks(t *testing.T) {
	l := library(`
tool|tl:
  options: {"-C=": chdir}
tool add|a:
  options: {"-o=": write}
  operands: read...
tool sub:
tool sub deep:
  operands: delete
tool sub *:
  operands: text...
other:
  like: tool
other add:
  operands: write...
`)
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, path, steps string }{
		{"tool -C d add -o f x y", "tool add", "chdir=d write=f read=x read=y"},
		{"tl a x", "tl a", "read=x"},
		{"tool sub -C d deep x", "tool sub deep", "chdir=d delete=x"},
		{"tool sub more x", "tool sub *", "text=more text=x"},
		{"other sub deep x", "other sub deep", "delete=x"},
		{"other add x", "other add", "write=x"},
		{"other a x", "other a", "read=x"},
		{"tool add|a x", "tool add|a", ""},
	} {
		words := strings.Fields(c.in)
		cmd, err := l.Find(words[0])
		if err != nil || cmd == nil {
			t.Fatalf("%s: %v", c.in, err)
		}
		m := cmd.Match(words[0], words[1:])
		var steps []string
		if !m.Missing {
			for _, s := range m.Plan().Do {
				steps = append(steps, s.Verb+"="+s.Value)
			}
		}
		if got := strings.Join(m.Path, " "); got != c.path {
			t.Errorf("%s: path %q, want %q", c.in, got, c.path)
		}
		if got := strings.Join(steps, " "); got != c.steps {
			t.Errorf("%s: steps %q, want %q", c.in, got, c.steps)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"a:\na|b:\n":                     "two blocks",
		"a b:\n":                         "no block",
		"a|b:\nb c:\n":                   "no block",
		"a:\n  does: frobnicate\n":       "no verb",
		"a:\n  like: b\nb:\n  like: a\n": "circle",
		"a:\n  sub:\n    x: {like: y}\n": "no such model",
		"a:\na b:\n  colour: red\n":      "colour",
	} {
		if err := library(text).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func TestCasePatterns(t *testing.T) {
	l := library(`
tool:
  options: {"-c --conf=": , "-n": }
  operands: read...
  if:
    - {has: "-c=alias.*=!*", does: "unknown file: alias"}
    - {not: "-n -c=safe", first: "s3://*/x", does: "fetch {1}"}
    - {last: "*.go", does: "exec go"}
`)
	cmd, err := l.Find("tool")
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"-c alias.x=!ls":         "unknown",
		"--conf=alias.x=ls":      "",
		"-c a -c alias.y=!ls":    "unknown",
		"s3://b/k/x":             "fetch",
		"-c safe s3://b/k/x":     "",
		"s3://b/k":               "",
		"a b.go":                 "exec",
		"b.go a":                 "",
		"-n s3://b/x -c other c": "",
	} {
		var got []string
		for _, s := range cmd.Match("tool", strings.Fields(in)).Plan().Do {
			if s.Verb != "read" {
				got = append(got, s.Verb)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %q", in, got, want)
		}
	}
}

// TestOuterOptions: options of a program whose style is "first" end at the subcommand.
func TestOuterOptions(t *testing.T) {
	l := library(`
git:
  style: first
  options: {"-C=": chdir, "-c --conf=": , "-p --pager": }
  sub:
    switch:
      options: {"-c --create=": }
      operands: read...
go:
  options: {"-C=": chdir, "-c=": }
  sub:
    build: {operands: read..., options: {"-c": }}
`)
	for _, c := range []struct{ in, steps, innerC, outerC string }{
		{"git -C d -c a switch -c b x", "chdir=d read=x", "b", "a"},
		{"git switch --conf x", "read=x", "", ""},
		{"git --conf=a switch x", "read=x", "", "a"},
		{"go -c=a build -C d -c x", "chdir=d read=x", "", "a"},
	} {
		words := strings.Fields(c.in)
		cmd, err := l.Find(words[0])
		if err != nil {
			t.Fatal(err)
		}
		m := cmd.Match(words[0], words[1:])
		var steps []string
		for _, s := range m.Plan().Do {
			steps = append(steps, s.Verb+"="+s.Value)
		}
		if got := strings.Join(steps, " "); got != c.steps {
			t.Errorf("%s: steps %q, want %q", c.in, got, c.steps)
		}
		if o, _ := m.Opt("-c"); o.Value != c.innerC {
			t.Errorf("%s: -c is %q, want %q", c.in, o.Value, c.innerC)
		}
		outer := ""
		for _, o := range m.At(0, "-c") {
			outer = o.Value
		}
		if outer != c.outerC {
			t.Errorf("%s: outer -c is %q, want %q", c.in, outer, c.outerC)
		}
	}
}

func TestRepoFolder(t *testing.T) {
	l := library("clone:\n  operands: from\n  does: \"write {1.repo}\"\n")
	cmd, err := l.Find("clone")
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"https://h.example/o/r.git":  "r",
		"https://h.example/o/r.git/": "r",
		"git@h.example:r.git":        "r",
		"../r/.git":                  "r",
		"/srv/r.js":                  "r.js",
	} {
		m := cmd.Match("clone", []string{address})
		if got := m.Expand("{1.repo}", ""); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, want %s", address, got, want)
		}
	}
}
