package justfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// write puts the files of a text (`-- name --` lines divide it; what is before the first is justfile) into a new folder.
func write(t testing.TB, text string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split("\n-- justfile --\n"+text, "\n-- ")[1:] {
		name, body, _ := strings.Cut(part, " --")
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(strings.TrimPrefix(body, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func show(dir string, r source.Result) []string {
	var out []string
	for _, c := range r.Claims {
		out = append(out, fmt.Sprintf("%s %s %s @%d", c.Class, c.Access, strings.ReplaceAll(c.Target, dir, "DIR"), c.From.Line))
	}
	for _, j := range r.Jobs {
		s := j.Shell
		if j.Argv != nil {
			s = strings.Join(j.Argv, "|")
		}
		if j.Interp != "" {
			s = j.Interp + ": " + s
		}
		if j.Dir != dir {
			s += " in " + strings.ReplaceAll(j.Dir, dir, "DIR")
		}
		if len(j.Env) > 0 {
			s += " " + fmt.Sprint(j.Env)
		}
		if len(j.Args) > 0 {
			s += " " + fmt.Sprint(j.Args)
		}
		out = append(out, fmt.Sprintf("%s @%d", strings.ReplaceAll(s, dir, "DIR"), j.From.Line))
	}
	for _, u := range r.Unknowns {
		out = append(out, fmt.Sprintf("? %s @%d", strings.ReplaceAll(u.Why, dir, "DIR"), u.From.Line))
	}
	return out
}

func TestPlan(t *testing.T) {
	const u = Placeholder
	for _, c := range []struct{ name, argv, text, want string }{
		{"the first recipe", "", "# c\n\nall: b\n  @echo all\n\nb:\n\techo b # kept\n", "echo b # kept @7; echo all @4"},
		{"the default recipe", "", "a:\n  a\n[default]\nb:\n  b\n", "b @5"},
		{"parameters", "r x y z", "r a b='d' *rest:\n  echo {{a}} {{ b }} {{rest}}\n", "echo x y z @2"},
		{"defaults", "r x", "v := 'V'\nr a b=('<' + v + '>') c=v:\n  echo {{a}} {{b}} {{c}}\n", "echo x <V> V @3"},
		{"several recipes", "a 1 b", "a x:\n  echo {{x}}\nb:\n  echo b\n", "echo 1 @2; echo b @4"},
		{"dependencies with arguments", "a", "a: (b 'x' 'y z') && d\n  a\nb p q:\n  echo {{p}}|{{q}}\nd:\n  d\n", "echo x|y z @4; a @2; d @6"},
		{"once each", "a", "a: b c\nb: d\nc: d\nd:\n  d\n", "d @5"},
		{"a circle", "a", "a: b\n  a\nb: a\n  b\n", "b @4; a @2"},
		{"aliases", "b", "alias b := build\nbuild:\n  make\n", "make @3"},
		{"backticks run first", "a", "v := `git describe`\na:\n  echo {{v}}\n", "git describe @1; echo " + u + " @3"},
		{"backticks run though unused", "a", "v := `curl x`\na:\n  a\n", "curl x @1; a @3"},
		{"nothing runs for a list", "--list", "v := `curl x`\na:\n  a\n", ""},
		{"evaluate runs backticks", "--evaluate", "v := `curl x`\na:\n  a\n", "curl x @1"},
		{"overrides", "v=2 a", "v := `curl x`\na:\n  echo {{v}}\n", "echo 2 @3"},
		{"conditions", "a", "v := if '1' == '1' { 'yes' } else { `no` }\nw := if `x` == '' { `y` } else { `z` }\na:\n  echo {{v}} {{w}}\n", "x @2; y @2; z @2; echo yes " + u + " @4"},
		{"functions", "a", "a:\n  {{uppercase('x')}} {{replace('abc', 'b', '-')}} {{parent_directory('/a/b')}} {{ 'a' / 'b' }} {{quote(\"i's\")}} {{env('NOPE', 'd')}}\n", "environment read NOPE @2; X a-c /a a/b 'i'\\''s' d @2"},
		{"exported variables", "a", "export A := 'x'\nB := 'y'\na $C='z':\n  go\n", "go map[A:x C:z] @4"},
		{"all exported", "a", "set export\nB := 'y'\na c='z':\n  go\n", "go map[B:y c:z] @4"},
		{"environment", "a", "k := env_var('API_TOKEN')\na:\n  curl {{k}} {{env('PLAIN')}}\n", "environment read API_TOKEN @1; environment read PLAIN @3; curl " + u + " plain @3"},
		{"dotenv", "a", "set dotenv-load\na:\n  go\n-- .env --\nX=1\nMY_SECRET=s\n", "environment read DIR/.env @1; go map[MY_SECRET:" + u + " X:1] @3"},
		{"scripts", "a", "a x='1':\n  #!/usr/bin/env python3\n  import os\n    \n  os.x({{x}})\n", "python3: #!/usr/bin/env python3\nimport os\n\nos.x(1) @2"},
		{"the script attribute", "a", "[script('node')]\na:\n  go()\n", "node: go() @3"},
		{"another shell", "a", "set shell := ['bash', '-c']\na:\n  go\n", "bash: go @3"},
		{"a program as the shell", "a", "set shell := ['python3', '-c']\na:\n  go\n", "python3|-c|go @3"},
		{"other systems", "a", "[windows]\na:\n  win\n[unix]\na:\n  nix\n", "nix @6"},
		{"folders", "a", "[no-cd]\na: b\n  a\n[working-directory: 'sub']\nb:\n  b\n", "b in DIR/sub @6; a @3"},
		{"imports and modules", "a", "import 'x.just'\nmod m\na: x m::y\n-- x.just --\nx:\n  x\n-- m/mod.just --\ny:\n  y\n", "x @2; y in DIR/m @2"},
		{"a recipe of a module", "m y", "mod m 'lib.just'\n-- lib.just --\ny:\n  y\n", "y @2"},
		{"a recipe of a folder", "sub/y", "a:\n  a\n-- sub/justfile --\ny:\n  y\n", "y in DIR/sub @2"},
		{"continued lines", "a", "a:\n  one \\\n    two\n", "one \\\ntwo @2"},
		{"positional arguments", "a 1 '2 3'", "set positional-arguments\na *x:\n  echo $1\n", "echo $1 [1 '2 3'] @3"},
		{"four braces", "a", "a:\n  echo {{{{x}}\n", "echo {{x}} @2"},
		{"long strings", "a", "v := '''\n  one\n    two\n'''\na:\n  echo {{v}}\n", "echo one\n  two\n @6"},
		{"lists over lines", "a", "set shell := [\n  'sh',\n  '-c',\n]\nv := (\n 'x' +\n 'y'\n)\na:\n  {{v}}\n", "xy @10"},
		{"no such recipe", "zzz", "v := `curl x`\na:\n  a\n", ""},
		{"a command", "-c ls -l", "export A := 'x'\na:\n  a\n", "ls|-l map[A:x] @0"},
		{"the shell function", "a", "v := shell('echo $1', 'x')\na:\n  {{v}}\n", "echo $1 [x] @1; " + u + " @3"},
		{"not understood", "a", "a = b c\n\ta\n", "? the justfile is not understood @1"},
		{"an open string", "a", "a := 'x\n", "? the justfile is not understood: a string is not closed @1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, c.text)
			env := func(name string) (string, bool) {
				v, ok := map[string]string{"API_TOKEN": "s3cret", "PLAIN": "plain"}[name]
				return v, ok
			}
			argv := strings.Fields(c.argv)
			if i := strings.Index(c.argv, "'"); i >= 0 {
				argv = append(strings.Fields(c.argv[:i]), c.argv[i:])
			}
			got := show(dir, Plan(workspace.New("", workspace.Limits{}), dir, ParseArgs(argv, env)))
			var want []string
			if c.want != "" {
				want = strings.Split(c.want, "; ")
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestFoldersAbove(t *testing.T) {
	dir := write(t, "a:\n  a {{invocation_directory()}}\n-- sub/x --\n")
	r := Plan(workspace.New("", workspace.Limits{}), dir+"/sub", Args{})
	if d := cmp.Diff([]string{"a DIR/sub @2"}, show(dir, r)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestHostile(t *testing.T) {
	repeat := strings.Repeat
	doubling := "v0 := 'xxxxxxxx'\n"
	for i := range 60 {
		doubling += fmt.Sprintf("v%d := v%d + v%d\n", i+1, i, i)
	}
	tree := "a0:\n  x\n"
	for i := range 40 {
		tree += fmt.Sprintf("a%d p='': (a%d p + '1') (a%d p + '2')\n", i+1, i, i)
	}
	for name, text := range map[string]string{
		"brackets":        "v := " + repeat("(", 200_000) + "\na:\n  x\n",
		"closed brackets": "v := " + repeat("(", 5_000) + "'x'" + repeat(")", 5_000) + "\na:\n  x\n",
		"doubling":        doubling + "a:\n  {{v60}}\n",
		"calls":           strings.Replace(tree, "a0:", "a0 p='':", 1) + "[default]\nz: a40\n",
		"imports itself":  "import 'justfile'\nimport 'justfile'\na:\n  x\n",
		"a module itself": "mod m 'justfile'\na:\n  x\n",
		"conditions":      "v := " + repeat("if `x` == `y` { 'a' } else ", 5_000) + "{ 'b' }\na:\n  {{v}}\n",
		"open string":     "v := '" + repeat("x\n", 400_000),
		"open tripled":    "v := '''" + repeat("x\n", 400_000),
		"interpolations":  "a:\n  " + repeat("{{'x'}}", 100_000) + "\n",
		"too large":       repeat("# x\n", 300_000),
		"many recipes":    repeat("a:\n  x\n", 60_000),
		"chain": func() string {
			var b strings.Builder
			for i := range 5000 {
				fmt.Fprintf(&b, "a%d: a%d\n  x\n", i, i+1)
			}
			return b.String()
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, text)
			start := time.Now()
			r := Plan(workspace.New("", workspace.Limits{}), dir, Args{})
			if d := time.Since(start); d > time.Minute {
				t.Errorf("took %v", d)
			}
			if len(r.Jobs)+len(r.Unknowns) == 0 {
				t.Error("neither a job nor an unknown")
			}
		})
	}
	t.Run("FIFO", func(t *testing.T) {
		dir := write(t, "")
		if err := os.Remove(filepath.Join(dir, "justfile")); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(dir, "justfile"), 0o644); err != nil {
			t.Fatal(err)
		}
		if r := Plan(workspace.New("", workspace.Limits{}), dir, Args{}); len(r.Unknowns) != 1 {
			t.Errorf("unknowns = %+v", r.Unknowns)
		}
	})
}

// FuzzPlan tests on any text that reading ends and that everything said has a meaning.
func FuzzPlan(f *testing.F) {
	f.Add([]byte("set shell := ['sh', \"-c\"]\nexport v := if `x` == 'y' { 'a' / 'b' } else { env('C', 'd') }\n[linux, script('x')]\na b='c' *d: (e v) && f\n  #!sh\n  {{b}}\ne x:\nf:\n"), "v=1 a b")
	f.Add([]byte("import? 'justfile'\nmod justfile\nalias x := justfile::y\n@y +z: \n\tone \\\n\t  {{ replace(z, 'a', '''b\n''') }}\n"), "x y")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, argv string) {
		if err := os.WriteFile(filepath.Join(dir, "justfile"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		r := Plan(workspace.New(dir, workspace.Limits{}), "/", ParseArgs(strings.Fields(argv), nil))
		for _, j := range r.Jobs {
			if (j.Shell == "") == (len(j.Argv) == 0) || j.Label == "" {
				t.Errorf("job %+v", j)
			}
		}
		for _, u := range r.Unknowns {
			if u.Why == "" || len(u.Could) == 0 {
				t.Errorf("unknown %+v", u)
			}
		}
	})
}
