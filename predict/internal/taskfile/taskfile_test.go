package taskfile

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// write puts the files of a text (`-- name --` lines divide it; what is before the first is Taskfile.yml) into a new folder.
func write(t testing.TB, text string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split("\n-- Taskfile.yml --\n"+text, "\n-- ")[1:] {
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
		if j.Dir != dir {
			s += " in " + j.Dir
		}
		if len(j.Env) > 0 {
			s += " " + fmt.Sprint(j.Env)
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
		{"the default task", "", "version: '3'\ntasks:\n  default:\n    cmds:\n      - one\n      - cmd: two\n  other: three\n", "one @5; two @6"},
		{"four ways to write commands", "a b c d", "tasks:\n  a: one\n  b: [two, three]\n  c: {cmd: four}\n  d: {cmds: [five]}\n", "one @2; two @3; three @3; four @4; five @5"},
		{"dependencies and calls", "a", "tasks:\n  a:\n    deps: [b, {task: c, vars: {X: '1'}}]\n    cmds:\n      - task: d\n        vars: {Y: '{{.Z}}2'}\n      - defer: end\n    vars: {Z: z}\n  b: b\n  c: c {{.X}}\n  d: d {{.Y}}\n",
			"b @9; c 1 @10; d z2 @11; end @7"},
		{"a circle", "a", "tasks:\n  a: [{task: b}, a]\n  b: [{task: a}, b]\n", "b @3; a @2"},
		{"variables", "a V=cli", "vars: {V: global, W: '{{.V}}-w', U: {sh: git describe}}\ntasks:\n  a:\n    vars: {T: '{{.W}}t'}\n    cmds: ['{{.V}} {{.T}} {{.U}} {{.NONE}}.']\n", "git describe @1; cli cli-wt " + u + " . @5"},
		{"an unused variable does not run", "a", "vars: {U: {sh: curl x}}\ntasks: {a: go}\n", "go @2"},
		{"arguments behind the dashes", "a -- -x y", "tasks: {a: 'go {{.CLI_ARGS}}'}\n", "go -x y @1"},
		{"environment", "a", "env: {A: x, B: {sh: bb}}\ndotenv: [.env]\ntasks:\n  a:\n    env: {C: '{{.D}}'}\n    vars: {D: d}\n    cmds: [go]\n-- .env --\nE=e\nMY_TOKEN=t\n",
			"environment read DIR/.env @2; bb @1; go map[A:x B:" + u + " C:d E:e MY_TOKEN:" + u + "] @7"},
		{"a variable of the environment", "a", "tasks: {a: 'go {{.PLAIN}} {{.API_TOKEN}}'}\n", "environment read PLAIN @1; environment read API_TOKEN @1; go plain " + u + " @1"},
		{"commands that decide", "a", "tasks:\n  a:\n    status: [test -f x]\n    preconditions: [{sh: check, msg: no}, plain]\n    if: maybe\n    cmds: [go]\n", "test -f x @3; check @4; plain @4; maybe @5; go @6"},
		{"folders", "a", "tasks:\n  a:\n    dir: sub/{{.X}}\n    vars: {X: y}\n    cmds: [go]\n", "go in DIR/sub/y @5"},
		{"a fingerprint is written", "a", "tasks:\n  a:\n    sources: ['*.c']\n    cmds: [go]\n", "file write DIR/.task @2; go @4"},
		{"platforms", "a", "tasks:\n  a:\n    - cmd: here\n      platforms: [" + runtime.GOOS + "]\n    - cmd: elsewhere\n      platforms: [plan9]\n", "here @3"},
		{"loops", "a", "vars: {L: 'p q', M: {sh: ls}}\ntasks:\n  a:\n    - for: [x, y]\n      cmd: one {{.ITEM}}\n    - for: {var: L, as: I}\n      cmd: two {{.I}}\n    - for: {var: M}\n      cmd: three {{.ITEM}}\n    - for: [z]\n      task: b\n      vars: {V: '{{.ITEM}}'}\n  b: b {{.V}}\n",
			"one x @5; one y @5; two p @7; two q @7; ls @1; three " + u + " @9; b z @13"},
		{"includes", "default l:b flat", "includes:\n  l: ./lib\n  f: {taskfile: flat.yml, flatten: true}\n  v: {taskfile: lib, dir: sub, vars: {W: given}}\ntasks:\n  default: [{task: 'l:a'}, {task: 'v:b'}]\n-- lib/Taskfile.yml --\nvars: {X: fromlib}\ntasks:\n  a: [{task: b}]\n  b: 'b {{.X}} {{.W}} {{.TASKFILE_DIR}}'\n-- flat.yml --\ntasks: {flat: flat}\n",
			"b fromlib  DIR/lib @4; b fromlib given DIR/lib in DIR/sub @4; flat @1"},
		{"the default task of an include", "l", "includes: {l: lib.yml}\ntasks: {}\n-- lib.yml --\ntasks: {default: d}\n", "d @1"},
		{"remote include", "a", "includes: {r: 'https://x.example/T.yml'}\ntasks: {a: go}\n", "network fetch https://x.example/T.yml @1; go @2; ? an included Taskfile is fetched: https://x.example/T.yml @1"},
		{"conditions of templates", "a", "vars: {Y: yes}\ntasks:\n  a:\n    - '{{if eq OS \"plan9\"}}p9{{else}}other{{end}} x'\n    - '{{if .Y}}y{{else}}n{{end}} {{if not .Y}}a{{else if .N}}b{{else}}c{{end}}'\n    - 'go {{if eq .U \"1\"}}a{{else}}b{{end}} {{range .L}}x{{end}} {{fn .Y}}.'\n    - '{{.N | default \"d\"}} {{default \"e\" .N}} {{.Y | upper}} {{- /* c */ -}} .'\n",
			"other x @4; y c @5; go b " + u + " " + u + ". @6; d e YES. @7"},
		{"wildcards and aliases", "build-x-y s", "tasks:\n  build-*-*: 'b {{.MATCH}}{{index .MATCH 0}}'\n  start: {aliases: [s], cmds: [go]}\n", "b " + u + " @2; go @3"},
		{"anchors and merge keys", "a", "x: &x\n  cmds: [go]\n  dir: sub\ntasks:\n  a:\n    <<: *x\n", "go in DIR/sub @2"},
		{"nothing runs for a list", "--list", "vars: {U: {sh: curl x}}\ntasks: {default: go}\n", ""},
		{"nothing runs for a dry run", "--dry a", "tasks: {a: go}\n", ""},
		{"no such task", "zzz", "tasks: {a: go}\n", ""},
		{"another file", "-t x.yml a", "tasks: {a: no}\n-- x.yml --\ntasks: {a: yes}\n", "yes @1"},
		{"not YAML", "", "tasks: [\n", "? the Taskfile DIR/Taskfile.yml cannot be read: it is no YAML that is understood: ERR @0"},
		{"odd shapes", "", "tasks: {default: {cmds: {a: b}, deps: x, vars: [1], env: 3, dotenv: {}, sources: 1}, b: 3}\nincludes: [1]\n", "file write DIR/.task @1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, c.text)
			env := func(name string) (string, bool) {
				v, ok := map[string]string{"API_TOKEN": "s3cret", "PLAIN": "plain"}[name]
				return v, ok
			}
			got := show(dir, Plan(workspace.New("", workspace.Limits{}), dir, ParseArgs(strings.Fields(c.argv), env)))
			for i, s := range got {
				if a, b, ok := strings.Cut(s, "that is understood: "); ok {
					got[i] = a + "that is understood: ERR" + b[strings.LastIndex(b, " @"):]
				}
			}
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

func TestHostile(t *testing.T) {
	repeat := strings.Repeat
	doubling := "vars:\n  A0: xxxxxxxx\n"
	for i := range 60 {
		doubling += fmt.Sprintf("  A%d: '{{.A%d}}{{.A%d}}'\n", i+1, i, i)
	}
	tree := "tasks:\n  default: [{task: t40}]\n  t0: go\n"
	for i := range 40 {
		tree += fmt.Sprintf("  t%d: [{task: t%d, vars: {P: '{{.P}}1'}}, {task: t%d, vars: {P: '{{.P}}2'}}]\n", i+1, i, i)
	}
	loops := "tasks:\n  default:\n"
	for range 30 {
		loops += "    - {for: [" + repeat("a,", 1000) + "], cmd: 'x {{.ITEM}}'}\n"
	}
	for name, text := range map[string]string{
		"doubling":        doubling + "tasks: {default: 'x {{.A60}}'}\n",
		"calls":           tree,
		"loops":           loops,
		"includes itself": "includes: {a: Taskfile.yml, b: Taskfile.yml}\ntasks: {default: go}\n",
		"brackets":        "tasks: " + repeat("[", 50_000),
		"templates":       "tasks: {default: '" + repeat("{{if not .A}}", 9_000) + "'}\n",
		"else ifs":        "tasks: {default: '{{if .A}}" + repeat("x{{else if .B}}", 5_000) + "{{end}} go'}\n",
		"open actions":    "tasks: {default: 'x " + repeat("{{", 40_000) + "'}\n",
		"too large":       "tasks: {default: go}\n# " + repeat("x", 200_000),
		"merge of itself": "tasks:\n  default: &a\n    <<: *a\n    cmds: [go]\n",
		"variable itself": "vars: {A: '{{.B}}', B: '{{.A}}'}\ntasks: {default: 'x {{.A}}'}\n",
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
		if err := os.Remove(filepath.Join(dir, "Taskfile.yml")); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(dir, "Taskfile.yml"), 0o644); err != nil {
			t.Fatal(err)
		}
		if r := Plan(workspace.New("", workspace.Limits{}), dir, Args{}); len(r.Unknowns) != 1 {
			t.Errorf("unknowns = %+v", r.Unknowns)
		}
	})
}

// FuzzPlan tests on any text that reading ends and that everything said has a meaning.
func FuzzPlan(f *testing.F) {
	f.Add([]byte("vars: {A: {sh: x}, B: '{{.A}}'}\nincludes: {i: {taskfile: Taskfile.yml, flatten: true}}\ntasks:\n  default: {deps: [a], cmds: [{for: {var: B}, cmd: '{{if .A}}x{{else}}{{.ITEM}}{{end}}'}]}\n  a: &a [b]\n  c: *a\n"), "c X=1 -- y")
	f.Add([]byte("dotenv: ['{{.X}}']\nenv: {A: '{{.A}}'}\ntasks:\n  default:\n    <<: {cmds: [x]}\n    status: [y]\n  'b*': {task: default}\n"), "bc")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, argv string) {
		if err := os.WriteFile(filepath.Join(dir, "Taskfile.yml"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		r := Plan(workspace.New(dir, workspace.Limits{}), "/", ParseArgs(strings.Fields(argv), nil))
		for _, j := range r.Jobs {
			if j.Shell == "" || j.Label == "" || !strings.HasPrefix(j.Dir, "/") {
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
