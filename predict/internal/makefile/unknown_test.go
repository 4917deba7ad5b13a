package makefile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// TestNotKnown tests what becomes of values that only a run could tell: they are a placeholder in the text, and both
// branches of a condition on them are followed.
func TestNotKnown(t *testing.T) {
	const u = Placeholder
	for _, c := range []struct {
		name, argv, text string
		want             []string
		unknowns         int
	}{
		{"shell runs at once", "", "V := $(shell git describe)\na:\n\techo $(V)\n", []string{"git describe", "echo " + u}, 0},
		{"shell runs under -n", "-n", "V := $(shell git describe)\na:\n\techo $(V)\n", []string{"git describe"}, 0},
		{"shell runs though the target is missing", "nope", "V := $(shell git describe)\n", []string{"git describe"}, 0},
		{"lazy shell does not run unused", "", "V = $(shell git describe)\na:\n\techo ok\n", []string{"echo ok"}, 0},
		{"shell assignment", "", "V != git describe\na:\n\techo $(V)\n", []string{"git describe", "echo " + u}, 0},
		{"single quotes are closed", "", "V := $(shell date)\na:\n\techo 'x $(V)' \"$(V)\" it\\'s $(V)\n",
			[]string{"date", `echo 'x '"` + u + `"'' "` + u + `" it\'s ` + u}, 0},
		{"both branches", "", "ifeq ($(shell date),x)\nV = 1\nelse\nV = 2\nendif\na:\n\techo $(V)\n", []string{"date", "echo 1", "echo 2"}, 0},
		{"the same condition twice", "", "D := $(shell date)\nifeq ($(D),x)\nV = 1\nendif\nifeq ($(D),x)\nW = 1\nendif\na:\n\techo [$(V)$(W)]\n",
			[]string{"date", "echo [11]", "echo []"}, 0},
		{"one value at a time", "", "D := $(shell date)\nifeq ($(D),x)\nV = 1\nendif\nifeq ($(D),y)\nW = 2\nendif\na:\n\techo [$(V)$(W)]\n",
			[]string{"date", "echo [1]", "echo [2]", "echo []"}, 0},
		{"else chain", "", "D := $(shell date)\nifeq ($(D),x)\nV = 1\nelse ifeq ($(D),y)\nV = 2\nelse\nV = 3\nendif\na:\n\techo $(V)\n",
			[]string{"date", "echo 1", "echo 2", "echo 3"}, 0},
		{"error in one branch", "", "ifeq ($(shell which x),)\n$(error no x)\nendif\na:\n\techo a\n", []string{"which x", "echo a"}, 0},
		{"if function", "", "CC := $(if $(shell which clang),clang,gcc)\na:\n\t$(CC) x\n", []string{"which clang", "clang x", "gcc x"}, 0},
		{"what cannot be equal", "", "ifeq (v$(shell date),x)\nV = 1\nelse\nV = 2\nendif\na:\n\techo $(V)\n", []string{"date", "echo 2"}, 0},
		{"filter of an unknown", "", "ifneq ($(filter x y,$(shell date)),)\nV = 1\nelse\nV = 2\nendif\na:\n\techo $(V)\n", []string{"date", "echo 1", "echo 2"}, 0},
		{"words keep their place", "", "V := $(shell date)\na:\n\techo $(addprefix -I,a $(V)) $(patsubst %.c,%.o,b.c d$(V).c) $(notdir x/$(V)/y)\n",
			[]string{"date", "echo -Ia -I" + u + " b.o d" + u + ".o y"}, 0},
		{"targets that a command names", "", "O := $(shell ls)\nall: $(O)\n$(O):\n\tbuild $@\n", []string{"ls", "build " + u}, 0},
		{"objects of sources that a command names", "", "O := $(patsubst %.c,%.o,$(shell ls))\nall: $(O)\n\tld $^\n%.o: %.c\n\tcc $<\n",
			[]string{"ls", "cc " + u + ".c", "ld " + u}, 0},
		{"prerequisites that could be any target", "", "all: $(shell ls)\na:\n\techo a\n", []string{"ls"}, 1},
		{"a goal that a command may name", "go", "$(shell ls):\n\techo $@\n", []string{"ls", "echo go"}, 0},
		{"include of an unknown", "", "include $(shell ls)\na:\n\techo a\n", []string{"ls", "echo a"}, 1},
		{"a line of unknown text", "", "$(shell ./x)\na:\n\techo a\n", []string{"./x", "echo a"}, 1},
		{"a line whose command prints nothing", "", "$(shell mkdir -p d)\na:\n\techo a\n", []string{"mkdir -p d", "echo a"}, 0},
		{"eval of unknown text", "", "$(eval $(shell ./x))\na:\n\techo a\n", []string{"./x", "echo a"}, 1},
		{"a variable of unknown name", "", "$(shell ls) = 1\na:\n\techo a\n", []string{"ls", "echo a"}, 1},
		{"guile", "", "V = $(guile (x))\na:\n\techo $(V)\n", []string{"echo " + u}, 1},
		{"load", "", "load x.so\na:\n\techo a\n", []string{"echo a"}, 1},
		{"not a makefile", "", "a:\n\techo a\n!include x\n", nil, 1},
		{"known output", "", "A := $(shell pwd)\nB := $(shell uname) $(shell uname -m)\nC := $(shell cat VERSION)\nD := $(shell basename /x/y.c .c)\na:\n\techo $(A) $(B) $(C) $(D)\n-- VERSION --\n1.2\n",
			[]string{"pwd", "uname", "uname -m", "cat VERSION", "basename /x/y.c .c", "echo DIR Linux x86_64 1.2 y"}, 0},
		{"known output is not believed under another PATH", "", "export PATH := bin:$(PATH)\nB := $(shell uname)\na:\n\techo $(B)\n", []string{"uname", "echo " + u}, 0},
		{"find", "", "S := $(shell find src -name '*.c' -type f)\na: $(S:.c=.o)\n%.o: %.c\n\tcc $<\n-- src/a.c --\n-- src/b/c.c --\n-- src/x.h --\n",
			[]string{"find src -name '*.c' -type f", "cc src/a.c", "cc src/b/c.c"}, 0},
		{"files of an earlier recipe", "", "a: b\n\tgo $(wildcard *.x) $(wildcard y)\nb:\n\tgen\n", []string{"gen", "go *.x " + u}, 0},
		{"a file may be gone", "", "all: clean x\nclean:\n\trm -rf x\nx:\n\tmk x\n-- x --\n", []string{"rm -rf x", "mk x"}, 0},
		{"a secret is named, not copied", "", "a:\n\tcurl -H '$(API_TOKEN)' $(PLAIN)\n", []string{`curl -H ''"${API_TOKEN}"'' plain`}, 0},
		{"generated include", "", "-include dep.mk\na:\n\techo a\ndep.mk:\n\tgen\n", []string{"gen", "echo a"}, 1},
		{"missing include", "", "include dep.mk\na:\n\techo a\n", []string{"echo a"}, 1},
		{"own shell program", "", "SHELL := ./sh.py\n.SHELLFLAGS = -x\na:\n\techo a\n", []string{"./sh.py|-x|echo a"}, 0},
		{"python as the shell", "", "SHELL := /usr/bin/env python3\n.ONESHELL:\na:\n\timport os\n\tos.x()\n", []string{"python3|-c|import os\nos.x()"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, c.text)
			env := func(name string) (string, bool) {
				v, ok := map[string]string{"API_TOKEN": "s3cret", "PLAIN": "plain", "HOME": "/home/u"}[name]
				return v, ok
			}
			a := ParseArgs(dir, strings.Fields(c.argv), env)
			a.System, a.Machine = "Linux", "x86_64"
			r := plan(dir, a)
			got := commands(r)
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], dir, "DIR")
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("jobs (-want +got):\n%s", d)
			}
			if len(r.Unknowns) != c.unknowns {
				t.Errorf("unknowns = %+v, want %d of them", r.Unknowns, c.unknowns)
			}
		})
	}
}

func TestSources(t *testing.T) {
	dir := write(t, `V := $(shell date)
include sub/x.mk

all: one
	echo a

	echo b \
	  c
	$(call f,x)
define f
echo $(1)
endef
W = $(shell late)
-- sub/x.mk --

one:
	echo one $(W)
`)
	r := plan(dir, Args{Targets: []string{"all"}})
	var got []string
	for _, j := range r.Jobs {
		if len(j.From.SHA256) != 64 || j.Dir != dir {
			t.Errorf("job %q has digest %q and folder %q", j.Shell, j.From.SHA256, j.Dir)
		}
		rel, _ := filepath.Rel(dir, j.From.File)
		got = append(got, fmt.Sprintf("%s:%d %s %s", rel, j.From.Line, j.From.Rule, j.Label))
	}
	want := []string{"Makefile:1 make/shell $(shell) in the Makefile", "Makefile:13 make/shell $(shell) in the Makefile", "sub/x.mk:3 make/recipe target one",
		"Makefile:5 make/recipe target all", "Makefile:7 make/recipe target all", "Makefile:9 make/recipe target all"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestEnvironment(t *testing.T) {
	dir := write(t, `export A = $(B) a
B = b
C = c
export D
D = d
unexport E
E = e
HOME = /elsewhere
t: export F = f
t: G = $(TOK)
t:
	echo
	@sub $(EDITOR)
SHELL = /bin/bash
`)
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"HOME": "/home/u", "E": "from outside", "EDITOR": "vi", "MAKELEVEL": "1", "MAKEFLAGS": "k -- Z=1\\ 2"}[name]
		return v, ok
	}
	r := Plan(workspace.New("", workspace.Limits{}), dir, ParseArgs(dir, []string{"X=y"}, env))
	if len(r.Jobs) != 2 {
		t.Fatalf("jobs = %+v", r.Jobs)
	}
	want := map[string]string{"A": "b a", "D": "d", "F": "f", "HOME": "/elsewhere", "X": "y", "Z": "1 2"}
	if d := cmp.Diff(want, r.Jobs[0].Env); d != "" {
		t.Errorf("Env (-want +got):\n%s", d)
	}
	wantFields := map[string]string{"MAKEFLAGS": `k -- Z=1\ 2 X=y`, "MAKELEVEL": "2", "MAKE": "make"}
	if d := cmp.Diff(wantFields, r.Jobs[0].Fields); d != "" {
		t.Errorf("Fields (-want +got):\n%s", d)
	}
	if r.Jobs[0].Interp != "bash" {
		t.Errorf("Interp = %q", r.Jobs[0].Interp)
	}
	if len(r.Claims) != 1 || r.Claims[0].Target != "EDITOR" || r.Claims[0].Class != effect.Environment || r.Claims[0].Access != effect.Read {
		t.Errorf("Claims = %+v", r.Claims)
	}
}

func TestClaims(t *testing.T) {
	dir := write(t, `$(file >out.txt,x)
V := $(file <in.txt)
all: x.c3
	echo $(V)
%.c3: %.c2
	three
%.c2: %.c1
	two
-- in.txt --
known
-- x.c1 --
`)
	r := plan(dir, Args{})
	var got []string
	for _, c := range r.Claims {
		got = append(got, fmt.Sprint(c.Class, " ", c.Access, " ", c.Target, " ", c.From.Line, " ", c.From.Rule))
	}
	want := []string{"file write out.txt 1 make/file", "file delete x.c2 5 make/intermediate"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("claims (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"two", "three", "echo known"}, commands(r)); d != "" {
		t.Errorf("jobs (-want +got):\n%s", d)
	}
}

// TestHostile tests that what a workspace can do to the reader ends in an unknown, quickly. The time is generous: it is
// for what would otherwise take minutes or not end.
func TestHostile(t *testing.T) {
	repeat := strings.Repeat
	deep := func(n int) string { return "A = " + repeat("$(", n) + "\nall:\n\techo $(A)\n" }
	chain := func(n int) string {
		var b strings.Builder
		b.WriteString("all: t0\n")
		for i := range n {
			fmt.Fprintf(&b, "t%d: t%d\n\techo\n", i, i+1)
		}
		return b.String()
	}
	bomb := "A0 = xxxxxxxxxx\n"
	for i := range 40 {
		bomb += fmt.Sprintf("A%d = $(A%d)$(A%d)\n", i+1, i, i)
	}
	conds := ""
	for i := range 100 {
		conds += fmt.Sprintf("ifeq ($(shell x%d),1)\nV%d = 1\nendif\n", i, i)
	}
	list := repeat("w ", 3000)
	for name, text := range map[string]string{
		"nested references":          deep(1_000_000),
		"nested closed references":   "A = " + repeat("$(", 100_000) + "x" + repeat(")", 100_000) + "\nall:\n\techo $(A)\n",
		"nested braces":              "A := " + repeat("${a$(", 200_000) + "\n",
		"doubling":                   bomb + "all:\n\techo $(A40)\n",
		"simple doubling":            "A := x\n" + repeat("A := $(A)$(A)\n", 60) + "all:\n\techo $(A)\n",
		"appending":                  "A := " + repeat("y", 1000) + "\n" + repeat("A += $(A)\n", 60) + "all:\n\techo $(A)\n",
		"foreach":                    "L = " + list + "\nA := $(foreach a,$(L),$(foreach b,$(L),$(foreach c,$(L),$(a)$(b)$(c))))\n",
		"filter":                     "L = " + list + "\nA := $(foreach a,$(L),$(filter $(L),$(L)))\n",
		"include cycle":              "include Makefile\nall:\n\techo\n",
		"eval recursion":             "define X\n$(eval $(value X))\n$(eval $(value X))\nendef\n$(eval $(value X))\n",
		"call recursion":             "f = $(call f,x$(1))$(call f,y$(1))\nA := $(call f,)\n",
		"chain of prerequisites":     chain(20_000),
		"many conditions":            conds + "all:\n\techo a\n",
		"open ifs":                   repeat("ifdef X\n", 100_000),
		"open defines":               repeat("define X\n", 100_000),
		"stars":                      "A := $(wildcard " + repeat("*a", 1000) + "b)\nall:\n\techo $(A)\n",
		"dollars":                    repeat("$", 1_000_000) + ":\n",
		"quoted hashes":              "A = " + repeat(`\#`, 500_000) + "\n",
		"backslashes":                repeat(`\`, 1_000_001) + "\n" + repeat(`\`, 1_000_001) + ":\n",
		"continuation":               "A = " + repeat("x \\\n", 300_000) + "\nall:\n\techo $(A)\n",
		"nul and control characters": "a\x00b:\n\techo \x01\x02\x00 c\r\r\n\xff\xfe: \x80\n",
		"patterns":                   repeat("%.a: %.b\n\tx\n%.b: %.c\n\ty\n%.c: %.d\n\tz\n", 300) + "all: q.a r.a s.a\n",
		"many targets": func() string {
			var b strings.Builder
			for i := range 20_000 {
				fmt.Fprintf(&b, "all: t%d\nt%d: ; cmd%d\n", i, i, i)
			}
			return b.String()
		}(),
		"long prerequisites": "all: " + repeat("abc ", 200_000) + "\n\techo $^\n",
		"find":               "A := $(shell find / -name '*a*a*a*b')\nall:\n\techo $(A)\n",
		"shell per line":     "export A = $(shell a$(1))\nall:\n" + repeat("\techo $(A)\n", 3000),
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, text)
			start := time.Now()
			r := plan(dir, Args{})
			if d := time.Since(start); d > time.Minute {
				t.Errorf("took %v", d)
			}
			switch name {
			case "nul and control characters", "stars", "quoted hashes", "backslashes", "continuation", "patterns", "find", "dollars", "shell per line", "long prerequisites":
				return // hard to read, but it can be read
			}
			if len(r.Unknowns) == 0 {
				t.Errorf("no unknown says that reading stopped; %d jobs", len(r.Jobs))
			}
		})
	}
}

func TestHostileFiles(t *testing.T) {
	dir := write(t, "include fifo\ninclude loop\ninclude noread\ninclude folder\ninclude big\nall:\n\techo a\n-- folder/ --\n")
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "Makefile"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "Makefile"), []byte("include fifo\ninclude loop\ninclude folder\ninclude big\nall:\n\techo a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "big"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "big"), 100<<20); err != nil {
		t.Fatal(err)
	}
	r := plan(dir, Args{})
	if len(r.Unknowns) != 4 {
		t.Errorf("unknowns = %+v, want one for each of the four files that cannot be read", r.Unknowns)
	}
	if d := cmp.Diff([]string{"echo a"}, commands(r)); d != "" {
		t.Errorf("jobs (-want +got):\n%s", d)
	}
}

func TestParseArgs(t *testing.T) {
	env := func(name string) (string, bool) {
		if name == "MAKEFLAGS" {
			return `ks -I/inc --no-builtin-rules -- A=1\ 2`, true
		}
		return "", false
	}
	a := ParseArgs("/w", strings.Fields("-j8 -C sub all -fx.mk --file y.mk -nB --dir=d2 X:=1 -j 4 --always -- -weird"), env)
	a.Env = nil
	want := Args{File: []string{"x.mk", "y.mk"}, Targets: []string{"all", "-weird"}, IncludeDirs: []string{"/inc"}, Jobs: "4",
		Overrides: []Override{{"A", "=", "1 2"}, {"X", ":=", "1"}}, DryRun: true, AlwaysMake: true, KeepGoing: true, NoRules: true}
	if d := cmp.Diff(want, a); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := Chdir("/w", strings.Fields("-C sub all --dir=d2 -j 4")); d != "/w/sub/d2" {
		t.Errorf("Chdir = %q", d)
	}
}
