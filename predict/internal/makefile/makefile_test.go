package makefile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// write puts the files of a text (`-- name --` lines divide it; what is before the first is Makefile) into a new folder.
func write(t testing.TB, text string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	name := "Makefile"
	var body strings.Builder
	flush := func() {
		p := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(p, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(p), 0o755); err == nil {
			err = os.WriteFile(p, []byte(body.String()), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		body.Reset()
	}
	started := false
	for _, line := range strings.SplitAfter(text, "\n") {
		if s := strings.TrimSpace(line); strings.HasPrefix(s, "-- ") && strings.HasSuffix(s, " --") {
			if started {
				flush()
			}
			name, started = s[3:len(s)-3], true
			continue
		}
		if line != "" {
			started = true
			body.WriteString(line)
		}
	}
	if started {
		flush()
	}
	return dir
}

func plan(dir string, args Args) source.Result {
	if args.Env == nil {
		args.Env = func(string) (string, bool) { return "", false }
	}
	if args.System == "" {
		args.System, args.Machine = "Linux", "x86_64"
	}
	return Plan(workspace.New("", workspace.Limits{}), dir, args)
}

// commands lists the shell texts and argument lists of the jobs.
func commands(r source.Result) []string {
	var out []string
	for _, j := range r.Jobs {
		if j.Argv != nil {
			out = append(out, strings.Join(j.Argv, "|"))
		} else {
			out = append(out, j.Shell)
		}
	}
	return out
}

// cases are read by TestPlan against what the manual says, and by TestAgainstMake against GNU make itself.
// Each starts with the arguments of make; want is what runs, in order.
var cases = []struct {
	name, argv, text string
	want             []string
	unlike           string // why GNU make -n prints something else
}{
	{"first target", "", "a: b\n\techo a\nb:\n\techo b\n", []string{"echo b", "echo a"}, ""},
	{"no makefile", "", "-- x --\n", nil, ""},
	{"no such target", "nope", "a:\n\techo a\n", nil, ""},
	{"dot targets are no goal", "", ".PHONY: x\n.x:\n\techo dot\nx:\n\techo x\n", []string{"echo x"}, ""},
	{"default goal", "", ".DEFAULT_GOAL := b\na:\n\techo a\nb:\n\techo b\n", []string{"echo b"}, ""},
	{"several goals", "b a", "a:\n\techo a\nb: c\n\techo b\nc:\n\techo c\n", []string{"echo c", "echo b", "echo a"}, ""},
	{"once only", "", "a: b c\nb: d\n\techo b\nc: d\n\techo c\nd:\n\techo d\n", []string{"echo d", "echo b", "echo c"}, ""},
	{"cycle is dropped", "", "a: b\n\techo a\nb: a\n\techo b\n", []string{"echo b", "echo a"}, ""},
	{"prefixes", "", "a:\n\t@echo one\n\t-echo two\n\t +@ echo three\n", []string{"echo one", "echo two", "echo three"}, "make -n runs the line with +"},
	{"semicolon recipe", "", "a: ; echo one\n\techo two\n", []string{"echo one", "echo two"}, ""},
	{"escaped dollar", "", "a:\n\techo $$HOME $${X}\n", []string{"echo $HOME ${X}"}, ""},
	{"continued recipe", "", "a:\n\techo one \\\n\t  two\n", []string{"echo one \\\n  two"}, ""},
	{"continued variable", "", "V = a \\\n    b\\\n\tc\na:\n\techo $(V)\n", []string{"echo a b c"}, ""},
	{"comments", "", "V = a # no\nW = b\\#c\na: # x\n\techo $(V)$(W) # kept\n", []string{"echo a b#c # kept"}, ""},
	{"file order", "", "a:\n\techo Makefile\n-- makefile --\na:\n\techo makefile\n-- GNUmakefile --\na:\n\techo GNU\n", []string{"echo GNU"}, ""},
	{"-f", "-f x.mk -f y.mk", "-- x.mk --\nV = 1\n-- y.mk --\na:\n\techo $(V)\n", []string{"echo 1"}, ""},
	{"command line wins", "V=2", "V = 1\na:\n\techo $(V)\n", []string{"echo 2"}, ""},
	{"override wins", "V=2", "override V = 1\na:\n\techo $(V)\n", []string{"echo 1"}, ""},
	{"override appends", "V=2", "override V += 1\na:\n\techo $(V)\n", []string{"echo 2 1"}, ""},
	{"flavours", "", "X = 1\nA = $(X)\nB := $(X)\nC ?= $(X)\nC ?= 9\nD ::= $(X)\nX = 2\nA += 3\nB += $(X)\na:\n\techo $(A) $(B) $(C) $(D)\n",
		[]string{"echo 2 3 1 2 2 1"}, ""},
	{"define", "", "define cmds =\necho one\n@echo $(X)\nendef\nX = two\na:\n\t$(cmds)\n", []string{"echo one", "echo two"}, ""},
	{"define in a branch not taken", "", "ifdef NO\ndefine X\nelse\nendef\nendif\na:\n\techo $(X)\n", []string{"echo "}, ""},
	{"undefine", "", "V = 1\nundefine V\na:\n\techo [$(V)]\n", []string{"echo []"}, ""},
	{"computed names", "", "x = y\ny = z\na:\n\techo $($(x)) $(x$(y)q)\nxzq = ok\n", []string{"echo z ok"}, ""},
	{"substitution reference", "", "S = a.c b.c x\na:\n\techo $(S:.c=.o) $(S:%.c=d/%.o)\n", []string{"echo a.o b.o x d/a.o d/b.o x"}, ""},
	{"automatic variables", "", "d/out.x: a b a | c\n\techo $@ $< $^ $+ $| $(@D) $(@F) $(<F)\na b c:\n", []string{"echo d/out.x a a b a b a c d out.x a"}, ""},
	{"static pattern", "", "all: a.o b.o\na.o b.o: %.o: %.c\n\tgcc $< $* $@\n-- a.c --\n-- b.c --\n", []string{"gcc a.c a a.o", "gcc b.c b b.o"}, ""},
	{"pattern rule", "", "all: o/a.o\no/%.o: s/%.c\n\tgcc $< $* $@\n-- s/a.c --\n", []string{"gcc s/a.c a o/a.o"}, ""},
	{"shortest stem", "", "all: lib/x.o\n%.o: %.c\n\techo long $<\nlib/%.o: lib/%.c\n\techo short $<\n-- lib/x.c --\n", []string{"echo short lib/x.c"}, ""},
	{"pattern by prerequisites", "", "all: x.o\n%.o: %.cc\n\techo cc\n%.o: %.z\n\techo z\n-- x.z --\n", []string{"echo z"}, ""},
	{"pattern chain", "", "all: x.c3\n%.c3: %.c2\n\techo 3 $<\n%.c2: %.c1\n\techo 2 $<\n-- x.c1 --\n", []string{"echo 2 x.c1", "echo 3 x.c2"}, "make removes x.c2 itself"},
	{"suffix rule", "", ".SUFFIXES: .in .out2\n.in.out2:\n\techo $< $@\nall: x.out2\n-- x.in --\n", []string{"echo x.in x.out2"}, ""},
	{"double colon", "", "all: x\nx::\n\techo 1\nx::\n\techo 2\n", []string{"echo 1", "echo 2"}, ""},
	{"prerequisites add up", "", "all: a\nall: b\n\techo $^ $<\na b:\n\techo $@\n", []string{"echo b", "echo a", "echo b a b"}, ""},
	{"exists without prerequisites", "", "all: x\n\techo all\nx:\n\techo x\n-- x --\n", []string{"echo all"}, ""},
	{"phony exists", "", "all: x\n.PHONY: x\nx:\n\techo x\n-- x --\n", []string{"echo x"}, ""},
	{"always", "-B", "all: x\nx:\n\techo x\n-- x --\n", []string{"echo x"}, ""},
	{"order only does not trigger", "", "x: | d\n\techo x\nd:\n\techo d\n-- x --\n", []string{"echo d"}, ""},
	{"DEFAULT", "foo", ".DEFAULT:\n\techo default $@\n", []string{"echo default foo"}, ""},
	{"include", "", "include *.mk sub/x\n-include none\nall: one two\n-- a.mk --\none:\n\techo one\n-- sub/x --\ntwo:\n\techo two\n", []string{"echo one"}, ""},
	{"include directory", "-I inc", "include x.mk\n-- inc/x.mk --\na:\n\techo found\n", []string{"echo found"}, ""},
	{"target-specific", "", "V = g\nall: p\np: V = t\np: V += u\np: q\n\techo $(V)\nq:\n\techo $(V)\n", []string{"echo t u", "echo t u"}, ""},
	{"target-specific adds", "", "V = g\nall: p q\np: V += t\np:\n\techo $(V)\nq:\n\techo $(V)\n", []string{"echo g t", "echo g"}, ""},
	{"pattern-specific", "", "%.x: V = px\nall: a.x b\na.x b:\n\techo [$(V)]\n", []string{"echo [px]", "echo []"}, ""},
	{"private", "", "p: private V = t\np: q\n\techo [$(V)]\nq:\n\techo [$(V)]\n", []string{"echo []", "echo [t]"}, ""},
	{"second expansion", "", ".SECONDEXPANSION:\nx_DEPS = y\nx: $$($$@_DEPS)\n\techo $^\ny:\n\techo y\n", []string{"echo y", "echo y"}, ""},
	{"conditionals", "", "A = 1\nifeq ($(A),1)\nB = yes\nelse\nB = no\nendif\nifneq '$(A)' \"1\"\nC = yes\nelse ifdef A\nC = elif\nendif\nifndef ZZ\nD = d\nendif\na:\n\techo $(B) $(C) $(D)\n",
		[]string{"echo yes elif d"}, ""},
	{"conditional in recipe", "", "a:\n\techo 1\nifdef NO\n\techo 2\nelse\n\techo 3\nendif\n", []string{"echo 1", "echo 3"}, ""},
	{"oneshell", "", ".ONESHELL:\na:\n\t@cd x\n\t@pwd\n", []string{"cd x\npwd"}, ""},
	{"recipe prefix", "", ".RECIPEPREFIX = >\na:\n>echo ok\n", []string{"echo ok"}, ""},
	{"foreach and eval", "", "define rule\n$(1):\n\techo $(1) $$@\nendef\nall: x y\n$(foreach t,x y,$(eval $(call rule,$(t))))\n", []string{"echo x x", "echo y y"}, ""},
	{"grouped targets", "", "all: x y\nx y &: z\n\techo $@\nz:\n", []string{"echo x"}, ""},
	{"dry run still recurses", "-n", "a:\n\techo one\n\t+echo two\n\t$(MAKE) sub\n", []string{"echo two", "make sub"}, "make prints what it does not run"},
	{"touch", "-t", "a:\n\techo one\n\t+echo two\n", []string{"echo two"}, "make -t says what it touches"},
	{"CC", "", "-- x --\n", nil, ""},
	{"built-in link", "prog", "-- prog.c --\n", []string{"cc     prog.c   -o prog"}, ""},
	{"built-in compile", "", "CFLAGS = -O2\nprog: a.o b.o\n-- a.c --\n-- b.cpp --\n", []string{"cc -O2   -c -o a.o a.c", "g++    -c -o b.o b.cpp"}, ""},
	{"built-in link of objects", "", "a: b.o\n-- a.c --\n-- b.c --\n", []string{"cc    -c -o b.o b.c", "cc     a.c b.o   -o a"}, ""},
	{"built-in script", "run", "-- run.sh --\n", []string{"cat run.sh >run", "chmod a+x run"}, "make has a blank at the end"},
	{"no built-in rules", "-r prog", "-- prog.c --\n", nil, ""},
	{"MAKEFLAGS turns rules off", "prog", "MAKEFLAGS += -r\n-- prog.c --\n", nil, "4.3 looks at it too late"},
	{"checked out of RCS", "x.txt", "all:\n-- RCS/x.txt,v --\n", []string{"co  RCS/x.txt,v x.txt"}, ""},
	{"VPATH", "", "VPATH = src\nall: a.o\n%.o: %.c\n\tgcc $<\n-- src/a.c --\n", []string{"gcc src/a.c"}, ""},
	{"vpath", "", "vpath %.c src\nall: a.o\n%.o: %.c\n\tgcc $<\n-- src/a.c --\n", []string{"gcc src/a.c"}, ""},
	{"CRLF", "", "a:\r\n\techo x\r\n", []string{"echo x"}, ""},
	{"wildcard", "", "a: $(wildcard *.c) *.h\n\techo $^ $(wildcard nope*)\n-- x.c --\n-- y.c --\n-- z.h --\n", []string{"echo x.c y.c z.h "}, ""},
	{"recursion", "", "a:\n\t$(MAKE) -C sub x\n\tcd d && ${MAKE}\n", []string{"make -C sub x", "cd d && make"}, "make -n runs it"},
	{"error stops", "", "a:\n\techo a\n$(error no)\n", nil, ""},
	{"error in a recipe", "", "a: b\n\techo a\n\techo $(error no)\nb:\n\techo b\n", []string{"echo b"}, ""},
	{"archive member", "lib.a(x.o)", "-- x.o --\n", []string{"ar rv lib.a x.o"}, ""},
	{"makefile is remade", "", "include gen.mk\na:\n\techo a\ngen.mk: src\n\techo x > $@\n-- src --\n", []string{"echo x > gen.mk", "echo a"}, "make starts again with the new file"},
	{"makefile from a script", "", "a:\n\techo a\n-- Makefile.sh --\n", []string{"cat Makefile.sh >Makefile", "chmod a+x Makefile", "echo a"}, "only where the script is newer"},
	{"export as a target word", "", "export A B\na:\n\techo ok\n", []string{"echo ok"}, ""},
	{"variable named like a directive", "", "include = 1\nexport = 2\nifdef = 3\na:\n\techo $(include)$(export)$(ifdef)\n", []string{"echo 123"}, ""},
	{"leading ./", "./x", "x:\n\techo $@\n", []string{"echo x"}, ""},
	{"BOM", "", "\xef\xbb\xbfa:\n\techo ok\n", []string{"echo ok"}, ""},
}

func TestPlan(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, c.text)
			got := commands(plan(dir, ParseArgs(dir, strings.Fields(c.argv), nil)))
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("jobs (-want +got):\n%s", d)
			}
		})
	}
}

// TestAgainstMake replays the table on GNU make with -n, where the machine has it.
func TestAgainstMake(t *testing.T) {
	exe, err := exec.LookPath("make")
	if err != nil {
		t.Skip("GNU make is not installed; the table itself is tested by TestPlan")
	}
	for _, c := range cases {
		if c.unlike != "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, c.text)
			cmd := exec.Command(exe, append([]string{"-n", "-k", "--no-print-directory"}, strings.Fields(c.argv)...)...)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
			out, _ := cmd.Output() // a failing make still prints what it would run
			var lines []string
			for _, l := range strings.SplitAfter(string(out), "\n") {
				if !strings.HasPrefix(l, "make: ") {
					lines = append(lines, l)
				}
			}
			var want strings.Builder
			for _, s := range c.want {
				want.WriteString(s + "\n")
			}
			if d := cmp.Diff(want.String(), strings.Join(lines, "")); d != "" {
				t.Errorf("the table and make -n disagree (-table +make):\n%s", d)
			}
		})
	}
}
