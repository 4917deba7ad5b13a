package dockerfile

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

// write puts the files of a text (`-- name --` lines divide it; what is before the first is Dockerfile) into a new folder.
func write(t testing.TB, text string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split("-- Dockerfile --\n"+text, "-- ")
	for _, part := range parts[1:] {
		name, body, _ := strings.Cut(part, " --\n")
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(p, 0o755)
		} else {
			err = os.WriteFile(p, []byte(body), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// show writes a result as lines: class access target @line, and job texts.
func show(dir string, r source.Result) []string {
	var out []string
	for _, c := range r.Claims {
		tree := ""
		if c.Tree {
			tree = "/**"
		}
		out = append(out, fmt.Sprintf("%s %s %s%s @%d", c.Class, c.Access, strings.ReplaceAll(c.Target, dir, "DIR"), tree, c.From.Line))
	}
	for _, j := range r.Jobs {
		text := j.Shell
		if j.Argv != nil {
			text = strings.Join(j.Argv, "|")
		}
		if j.Interp != "" {
			text = j.Interp + ": " + text
		}
		out = append(out, fmt.Sprintf("[%s] %s @%d", j.Container, text, j.From.Line))
	}
	for _, u := range r.Unknowns {
		out = append(out, fmt.Sprintf("? %s @%d", u.Why, u.From.Line))
	}
	return out
}

func TestPlan(t *testing.T) {
	for _, c := range []struct{ name, argv, text, want string }{
		{"shell and exec form", "-t me/app:1", "FROM alpine:3\nRUN apk add x && \\\n  y\nRUN [\"z\", \"a b\"]\n",
			"container build me/app:1 @0; container run alpine:3 @1; [stage 0] apk add x && \\\n  y @2; [stage 0] z|a b @4"},
		{"only the stages that are needed", "--target app .", `FROM golang AS build
RUN make
FROM node AS docs
RUN docs
FROM alpine AS app
COPY --from=build /x /x
COPY --from=busybox /bin/sh /y
RUN app
FROM app
RUN last
`, "container build . @0; container run golang @1; container run alpine @5; container run busybox @7; [build] make @2; [app] app @8"},
		{"the last stage by default", "", "FROM a AS x\nRUN 1\nFROM b\nRUN 2\n", "container build . @0; container run b @3; [stage 1] 2 @4"},
		{"stages by number", "--target=0", "FROM a\nRUN 1\nFROM b\nCOPY --from=0 /a /b\nRUN 2\n", "container build . @0; container run a @1; [stage 0] 1 @2"},
		{"a copy from a stage by number", "", "FROM a\nRUN 1\nFROM b\nCOPY --from=0 /a /b\n", "container build . @0; container run a @1; container run b @3; [stage 0] 1 @2"},
		{"a mount from a stage", "", "FROM a AS x\nRUN 1\nFROM b\nRUN --mount=from=x,target=/x 2\n", "container build . @0; container run a @1; container run b @3; [x] 1 @2; [stage 1] 2 @4"},
		{"no such stage", "--target nope", "FROM a\nRUN 1\n", "container build . @0"},
		{"no Dockerfile", "", "-- Dockerfile2 --\nFROM a\n", "container build . @0"},
		{"-f", "-f d/x.df d", "-- d/x.df --\nFROM a\nCOPY y /\n-- d/y --\n", "container build d @0; container run a @1; file read DIR/d/y @2"},
		{"arguments", "--build-arg V=2 --build-arg W", `ARG V=1
ARG IMG=node
FROM $IMG:${V}-${X:-slim}
ARG V
ARG U=u$V
ENV E=${U}e
ADD https://x.example/$V/${E}.tgz /
RUN echo $V
`, "container build . @0; container run node:2-slim @3; network fetch https://x.example/2/u2e.tgz @7; [stage 0] echo $V @8"},
		{"an argument is gone after FROM", "", "ARG V=1\nFROM scratch\nADD https://x.example/a$V /\n", "container build . @0; network fetch https://x.example/a @3"},
		{"a variable of the base image is not known", "", "FROM a\nCOPY $X/a /b\n", "container build . @0; container run a @1; ? the name of a file that is copied into the image is not known @2"},
		{"base image not known", "", "FROM ${A?}\n", "container build . @0; ? the base image is not known @1"},
		{"git source", "", "FROM scratch\nADD git@github.com:o/r.git#v1 /src\n", "container build . @0; network fetch git@github.com:o/r.git#v1 @2"},
		{"COPY fetches nothing", "", "FROM scratch\nCOPY https://x.example/a /\n", "container build . @0"},
		{"here-document as the script", "", "FROM a\nRUN <<EOF\nset -e\nmake\nEOF\nRUN done\n", "container build . @0; container run a @1; [stage 0] set -e\nmake\n @3; [stage 0] done @6"},
		{"here-document with an interpreter", "", "FROM a\nRUN <<'EOF'\n#!/usr/bin/env python3\nimport os\nEOF\n", "container build . @0; container run a @1; [stage 0] python3: #!/usr/bin/env python3\nimport os\n @3"},
		{"here-document for a command", "", "FROM a\nRUN cat <<-EOF > /x\n\tone\n\tEOF\n", "container build . @0; container run a @1; [stage 0] cat <<-EOF > /x\none\nEOF\n @2"},
		{"here-document of COPY", "", "FROM a\nCOPY <<EOF /x\nRUN no\nEOF\nRUN yes\n", "container build . @0; container run a @1; [stage 0] yes @5"},
		{"comments inside a continued line", "", "FROM a\nRUN one && \\\n# no\n\n  two\n", "container build . @0; container run a @1; [stage 0] one && \\\n\\\n\\\n  two @2"},
		{"quotes join continued lines", "", "FROM a\nRUN echo 'a \\\n b'\n", "container build . @0; container run a @1; [stage 0] echo 'a  b' @2"},
		{"escape directive", "", "# escape=`\nFROM a\nRUN x `\n y\\\nRUN z\n", "container build . @0; container run a @2; [stage 0] x \\\n y\\ @3; [stage 0] z @5"},
		{"official frontend", "", "# syntax=docker/dockerfile:1\nFROM a\n", "container build . @0; container run docker/dockerfile:1 @1; container run a @2"},
		{"foreign frontend", "", "# syntax = evil/front\nFROM a\n", "container build . @0; container run evil/front @1; container run a @2; ? the Dockerfile is read by the program of another image, evil/front @1"},
		{"a frontend from an argument", "--build-arg BUILDKIT_SYNTAX=e/f", "FROM a\n", "container build . @0; container run e/f @0; container run a @1; ? the Dockerfile is read by the program of another image, e/f @0"},
		{"a directive after a comment is none", "", "# hello\n# syntax=evil/front\nFROM a\n", "container build . @0; container run a @3"},
		{"ONBUILD runs in the child", "", "FROM a AS base\nONBUILD RUN child\nRUN own\nFROM base\nRUN last\n", "container build . @0; container run a @1; [base] own @3; [stage 1] child @2; [stage 1] last @5"},
		{"SHELL", "", "FROM a\nSHELL [\"/bin/bash\", \"-c\"]\nRUN x\nSHELL [\"powershell\", \"-command\"]\nRUN y\n", "container build . @0; container run a @1; [stage 0] bash: x @3; [stage 0] powershell|-command|y @5"},
		{"secrets", "--secret id=tok,env=TOKEN --secret id=f,src=s.txt --ssh default", "FROM a\nRUN --mount=type=secret,id=tok --mount=type=secret,id=f --mount=type=ssh --mount=type=cache,target=/c x\n",
			"container build . @0; container run a @1; environment read TOKEN @2; file read DIR/s.txt @2; environment read SSH_AUTH_SOCK @2; [stage 0] x @2"},
		{"secrets that were not given", "", "FROM a\nRUN --mount=type=secret,id=tok x\n", "container build . @0; container run a @1; [stage 0] x @2"},
		{"what of the context is sent", "", "FROM a\nCOPY . /app\nCOPY *.json ./\n-- .env --\n-- .npmrc --\n-- a.json --\n-- b.json --\n-- .dockerignore --\n.env\nb.*\n",
			"container build . @0; container run a @1; file read DIR/** @2; file read DIR/.npmrc @2; file read DIR/a.json @3"},
		{"ignored with exceptions", "", "FROM a\nCOPY src/a src/b x /\n-- src/a --\n-- src/b --\n-- x --\n-- .dockerignore --\n**\n!src/b\n", "container build . @0; container run a @1; file read DIR/src/b @2"},
		{"a copy cannot leave the context", "", "FROM a\nCOPY ../../etc/passwd /\n-- etc/passwd --\n", "container build . @0; container run a @1; file read DIR/etc/passwd @2"},
		{"remote context", "https://github.com/o/r.git#main", "", "container build https://github.com/o/r.git#main @0; network fetch https://github.com/o/r.git#main @0; ? the build context and its Dockerfile are fetched, and so are not known: https://github.com/o/r.git#main @0"},
		{"named contexts", "--build-context base=docker-image://alpine:3 --build-context d=./sub", "FROM base\nCOPY --from=d x /\n", "container build . @0; container run alpine:3 @1; file read DIR/sub/** @2"},
		{"standard input", "-", "FROM a\n", "container build - @0; ? the build context is read from standard input @0"},
		{"unknown instruction", "", "FROM a\nRUNN x\n", `container build . @0; container run a @1; ? the instruction "RUNN" is not known @2`},
		{"insecure", "", "FROM a\nRUN --security=insecure x\n", "container build . @0; container run a @1; [stage 0] x @2; ? the command runs without the builder's confinement @2"},
		{"lower case, tabs and CRLF", "", "from a as B\r\n\trun x \\\r\n y\r\nFROM b\r\n", "container build . @0; container run a @1; [b] x \\\n y @2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, c.text)
			r := Plan(workspace.New("", workspace.Limits{}), dir, ParseArgs(strings.Fields(c.argv), nil))
			if d := cmp.Diff(strings.Split(c.want, "; "), show(dir, r)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestLegacyRunsAllStages(t *testing.T) {
	dir := write(t, "FROM a\nRUN 1\nFROM b AS t\nRUN 2\nFROM c\nRUN 3\n")
	env := func(n string) (string, bool) { return "0", n == "DOCKER_BUILDKIT" }
	r := Plan(workspace.New("", workspace.Limits{}), dir, ParseArgs([]string{"--target", "t", "."}, env))
	want := []string{"container build . @0", "container run a @1", "container run b @3", "file read DIR/** @0", "[stage 0] 1 @2", "[t] 2 @4"}
	if d := cmp.Diff(want, show(dir, r)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestFolders tests that a job works in the folder of the context that was copied to where it runs, so that what it runs
// can be followed, and otherwise in a place that does not exist.
func TestFolders(t *testing.T) {
	dir := write(t, `FROM node AS deps
WORKDIR /app
RUN nowhere
COPY package.json ./
RUN install
FROM node
COPY --from=deps /app /srv
COPY . /all
WORKDIR /all/sub
RUN sub
WORKDIR /srv
ENV A=1
RUN srv
ENTRYPOINT ["./start"]
CMD x y
-- package.json --
-- sub/z --
`)
	r, im := Build(workspace.New("", workspace.Limits{}), dir, Args{})
	var got []string
	for _, j := range r.Jobs {
		got = append(got, j.Shell+" "+strings.ReplaceAll(j.Dir, dir, "DIR"))
	}
	if d := cmp.Diff([]string{"nowhere /dev/null/container/app", "install DIR", "sub DIR/sub", "srv DIR"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"./start", "/bin/sh", "-c", "x y"}, im.Command(nil, nil)); d != "" {
		t.Errorf("command of the image (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"e", "z"}, im.Command([]string{"e"}, []string{"z"})); d != "" {
		t.Errorf("replaced entry point (-want +got):\n%s", d)
	}
	if j := im.Job("web", im.Command(nil, []string{"z"})); j.Dir != dir || j.Env["A"] != "1" || j.From.Line != 14 {
		t.Errorf("job of the container = %+v", j)
	}
}

func TestHostile(t *testing.T) {
	repeat := strings.Repeat
	for name, text := range map[string]string{
		"stages": repeat("FROM a\nRUN x\n", 100_000),
		"chain of stages": func() string {
			s := "FROM a AS s0\n"
			for i := range 1000 {
				s += fmt.Sprintf("FROM s%d AS s%d\nRUN x\n", i, i+1)
			}
			return s
		}(),
		"doubling":          "FROM a\nENV A=xxxxxxxxxxxxxxxx\n" + repeat("ENV A=$A$A$A$A\n", 4000) + "RUNN\n",
		"nested references": "FROM " + repeat("${a:-", 200_000) + "\n",
		"nested closed":     "FROM " + repeat("${a:-", 20_000) + repeat("}", 20_000) + "\n",
		"one long line":     "FROM a\nRUN " + repeat("x \\\n", 600_000),
		"open document":     "FROM a\nRUN <<E\n" + repeat("x\n", 600_000),
		"documents":         "FROM a\nRUN " + repeat("<<E ", 100_000) + "\n" + repeat("E\n", 100_000) + "RUNN\n",
		"comments":          "FROM a\nRUN a \\\n" + repeat("#\n", 500_000) + "b\nRUNN\n",
		"NUL":               "FROM a\x00b\nRUN \x00\xff\nRUNN\n",
		"copies":            "FROM a\n" + repeat("COPY . /a\nWORKDIR /a/b/c\nRUN x\n", 1500) + "RUNN\n",
		"brackets":          "FROM a\nRUN " + repeat("[", 1_000_000) + "\nRUNN\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, "")
			if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			r := Plan(workspace.New("", workspace.Limits{}), dir, Args{})
			if d := time.Since(start); d > time.Minute {
				t.Errorf("took %v", d)
			}
			if len(r.Unknowns) == 0 {
				t.Errorf("no unknown; %d jobs", len(r.Jobs))
			}
		})
	}
	t.Run("FIFO", func(t *testing.T) {
		dir := write(t, "")
		if err := os.Remove(filepath.Join(dir, "Dockerfile")); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(dir, "Dockerfile"), 0o644); err != nil {
			t.Fatal(err)
		}
		if r := Plan(workspace.New("", workspace.Limits{}), dir, Args{}); len(r.Unknowns) != 1 {
			t.Errorf("unknowns = %+v", r.Unknowns)
		}
	})
}

// FuzzPlan tests on any text that reading ends and that every job and unknown says where it is from.
func FuzzPlan(f *testing.F) {
	f.Add([]byte("# escape=`\nARG V=1\nFROM a:$V AS b\nRUN --mount=type=bind,target=/x <<E\nx\nE\nCOPY --from=b a* /b\n"), "b")
	f.Add([]byte("FROM a\nENV A=${B:-${C:+d}} \"E\"='f'\nONBUILD RUN [\"x\"]\nSHELL [\"s\"]\nFROM 0\nADD $A/${E%x} [\"a\", \"b\"]\n"), "")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, target string) {
		if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), text, 0o644); err != nil {
			t.Fatal(err)
		}
		r, im := Build(workspace.New(dir, workspace.Limits{}), "/", Args{Target: target})
		im.Command(nil, nil)
		for _, j := range r.Jobs {
			if (j.Shell == "") == (len(j.Argv) == 0) || j.Container == "" || j.From.Line < 1 || j.From.Line > strings.Count(string(text), "\n")+2 {
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
