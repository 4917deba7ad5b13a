package compose

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

// write puts the files of a text (`-- name --` lines divide it; what is before the first is compose.yaml) into a new folder.
func write(t testing.TB, text string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text, "-- ") {
		text = "-- compose.yaml --\n" + text
	}
	for _, part := range strings.Split("\n"+text, "\n-- ")[1:] {
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
		out = append(out, fmt.Sprintf("[%s] %s in %s @%d", j.Container, text, strings.ReplaceAll(j.Dir, dir, "DIR"), j.From.Line))
	}
	for _, u := range r.Unknowns {
		out = append(out, fmt.Sprintf("? %s %v @%d", strings.ReplaceAll(u.Why, dir, "DIR"), u.Could, u.From.Line))
	}
	return out
}

func TestPlan(t *testing.T) {
	for _, c := range []struct{ name, argv, text, want string }{
		{"image and command", "up", "services:\n  web:\n    image: nginx:1\n    command: nginx -g 'daemon off'\n",
			"container run nginx:1 @3; [web] nginx|-g|daemon off in /dev/null/container @4"},
		{"a list is a command too", "up -d", "services:\n  web:\n    image: a\n    entrypoint: [\"/e\", \"x y\"]\n    command: [z]\n", "container run a @3; [web] /e|x y|z in /dev/null/container @5"},
		{"build", "up", `services:
  app:
    build:
      context: ./app
      args: {V: "2"}
      target: prod
    ports: ["8080:80", "127.0.0.1:9000:9000/tcp", "53", {target: 1, published: 2}]
-- app/Dockerfile --
ARG V=1
FROM node:$V AS prod
WORKDIR /srv
COPY . .
RUN npm ci
CMD ["node", "x.js"]
FROM never
`, "container build app @4; container run node:2 @2; file read DIR/app/** @4; network listen 0.0.0.0:8080 @7; network listen 127.0.0.1:9000 @7; network listen 0.0.0.0 @7; network listen 0.0.0.0:2 @7; [app/prod] npm ci in DIR/app @5; [app] node|x.js in DIR/app @6"},
		{"what it depends on comes first", "up web", `services:
  other: {image: o}
  web: {image: w, depends_on: [db]}
  db: {image: d, depends_on: {q: {condition: service_started}}}
  q: {image: q}
`, "container run q @5; container run d @4; container run w @3"},
		{"no dependencies", "up --no-deps web", "services:\n  web: {image: w, depends_on: [db]}\n  db: {image: d}\n", "container run w @2"},
		{"a circle of dependencies", "up", "services:\n  a: {image: a, depends_on: [b]}\n  b: {image: b, depends_on: [a]}\n", "container run b @3; container run a @2"},
		{"profiles", "up", "services:\n  a: {image: a}\n  b: {image: b, profiles: [x]}\n", "container run a @2"},
		{"an active profile", "--profile x up", "services:\n  a: {image: a}\n  b: {image: b, profiles: [x]}\n", "container run a @2; container run b @3"},
		{"naming a service activates it", "up b", "services:\n  a: {image: a}\n  b: {image: b, profiles: [x]}\n", "container run b @3"},
		{"mounts", "up", `services:
  a:
    image: i
    working_dir: /w/sub
    command: make
    volumes:
      - .:/w
      - ./c:/c:ro
      - data:/d
      - ~/k:/k
      - type: bind
        source: /abs
        target: /x
      - /anonymous
`, "container run i @3; file write DIR/** @7; file read DIR/c/** @8; file write /home/u/k/** @10; file write /abs/** @11; [a] make in DIR/sub @5"},
		{"the engine's socket", "up", "services:\n  a:\n    image: i\n    volumes: [/var/run/docker.sock:/s]\n",
			"container run i @3; container call engine/docker.sock @4; ? the container is given the container engine's socket and can do through it what this machine's root can [container environment file network process] @4"},
		{"privileges", "up", "services:\n  a:\n    image: i\n    privileged: true\n    network_mode: host\n    pid: host\n    cap_add: [SYS_ADMIN, CHOWN]\n",
			"container run i @3; ? the container is privileged and can do what this machine's root can [container environment file network process] @4; ? the container shares this machine's network and may listen on any port [network] @5; ? the container sees and may control this machine's processes [process file] @6; ? the container has the capability SYS_ADMIN, which can break out of it [container environment file network process] @7"},
		{"variables", "up", "services:\n  a:\n    image: ${IMG:-x}:${V}$$\n    command: [\"${UNSET-d}\", \"$FROM_FILE\", \"${API_TOKEN}\", \"${V:+r}\"]\n-- .env --\nFROM_FILE=f # c\nV=no\n",
			"environment read DIR/.env @1; environment read IMG @3; environment read V @3; environment read UNSET @4; environment read FROM_FILE @4; environment read API_TOKEN @4; container run x:vee$ @3; [a] d|f|${AMBIT_UNKNOWN}|r in /dev/null/container @4"},
		{"environment of a service", "up", "services:\n  a:\n    image: i\n    environment: [A=1, PASSED]\n    env_file: [e.env]\n  b:\n    image: j\n    environment:\n      C:\n-- e.env --\nX=1\n",
			"container run i @3; environment read DIR/e.env @5; environment read PASSED @4; container run j @7; environment read C @9"},
		{"secrets and configs", "up", "services:\n  a: {image: i, secrets: [s, t], configs: [{source: c}]}\nsecrets:\n  s: {file: ./s.txt}\n  t: {environment: TT}\n  unused: {file: u}\nconfigs:\n  c: {file: c.conf}\n",
			"container run i @2; file read DIR/s.txt @4; environment read TT @5; file read DIR/c.conf @8"},
		{"override file", "up", "services:\n  a: {image: i, command: x, ports: ['1:1']}\n-- compose.override.yaml --\nservices:\n  a: {command: y, ports: ['2:2']}\n  b: {image: j}\n",
			"container run i @2; network listen 0.0.0.0:1 @2; network listen 0.0.0.0:2 @2; container run j @3; [a] y in /dev/null/container @2"},
		{"-f and reset", "-f a.yml -f b.yml up", "-- a.yml --\nservices:\n  a: {image: i, ports: ['1:1'], command: x}\n-- b.yml --\nservices:\n  a:\n    ports: !reset []\n    command: !override y\n",
			"container run i @2; [a] y in /dev/null/container @4"},
		{"include has its own folder", "up", "include:\n  - sub/c.yaml\nservices:\n  a: {image: i}\n-- sub/c.yaml --\nservices:\n  b:\n    image: ${S}\n    volumes: ['./d:/d']\n-- sub/.env --\nS=fromsub\n",
			"environment read DIR/sub/.env @1; environment read S @3; container run fromsub @3; file write DIR/sub/d/** @4; container run i @4"},
		{"extends", "up", "services:\n  a:\n    extends: {file: sub/base.yml, service: base}\n    command: mine\n  c:\n    extends: a\n-- sub/base.yml --\nservices:\n  base:\n    image: i\n    command: theirs\n    volumes: ['./d:/d']\n",
			"container run i @3; file write DIR/sub/d/** @5; [a] mine in /dev/null/container @4; [c] mine in /dev/null/container @4"},
		{"extends itself", "up", "services:\n  a: {image: i, extends: b}\n  b: {extends: a}\n", "container run i @2; ? services extend each other in a circle [container environment file network process] @2"},
		{"anchors and merge keys", "up", "x-a: &a\n  image: i\n  volumes: ['./d:/d']\nservices:\n  a:\n    <<: *a\n    command: x\n", "container run i @2; file write DIR/d/** @3; [a] x in /dev/null/container @7"},
		{"run", "run -v ./m:/m -p 1:2 -e K --rm web sh -c 'x'", "services:\n  web: {image: w, command: no, ports: ['3:3'], depends_on: [db]}\n  db: {image: d, ports: ['4:4']}\n",
			"container run d @3; network listen 0.0.0.0:4 @3; container run w @2; file write DIR/m/** @0; network listen 0.0.0.0:1 @0; [web] sh|-c|'x' in /dev/null/container @0"},
		{"run with an entry point", "run --entrypoint e web", "services:\n  web: {image: w, command: no}\n", "container run w @2; [web] e in /dev/null/container @2"},
		{"exec", "exec -T web ls -l", "services:\n  web: {image: w, volumes: ['.:/w'], working_dir: /w}\n", "file write DIR/** @2; [web] ls|-l in DIR @2"},
		{"build command", "build a", "services:\n  a: {build: ., image: me}\n  b: {build: .}\n-- Dockerfile --\nFROM x\n", "container build me @2; container run x @1"},
		{"inline Dockerfile", "build", "services:\n  a:\n    build:\n      dockerfile_inline: |\n        FROM x\n        RUN y\n", "container build a @4; container run x @5; [a/stage 0] y in /dev/null/container @6"},
		{"build secrets", "build", "services:\n  a:\n    build: {context: ., secrets: [s]}\nsecrets: {s: {environment: SS}}\n-- Dockerfile --\nFROM x\nRUN --mount=type=secret,id=s y\n", "container build a @3; container run x @1; environment read SS @2; [a/stage 0] y in /dev/null/container @2"},
		{"pull", "pull", "services:\n  a: {image: i}\n  b: {build: .}\n", "container fetch i @2"},
		{"push", "push", "services:\n  a: {image: i, build: .}\n  b: {image: j}\n", "container send i @2"},
		{"down", "down", "services:\n  a: {image: i, pre_stop: [{command: bye}]}\nvolumes: {d: }\n", "[a] bye in /dev/null/container @2"},
		{"down with volumes", "down -v --rmi all", "services:\n  a: {image: i}\nvolumes:\n  d:\n  e: {external: true}\n", "container delete i @2; container delete volume/d @4"},
		{"logs", "logs -f a", "services:\n  a: {image: i}\n", ""},
		{"config reads only", "config", "services:\n  a: {image: $IMG}\n", "environment read IMG @2"},
		{"dry run", "--dry-run up", "services:\n  a: {image: i}\n", ""},
		{"health check", "up", "services:\n  a: {image: i, healthcheck: {test: ['CMD-SHELL', 'curl x || exit 1']}}\n", "container run i @2; [a] /bin/sh|-c|curl x || exit 1 in /dev/null/container @2"},
		{"provider runs on this machine", "up", "services:\n  a: {provider: {type: cloud, options: {k: v}}}\n", "[] cloud|compose|up|--k=v|a in DIR @2"},
		{"cp", "cp a:/x ./y", "services:\n  a: {image: i}\n", "file write DIR/y/** @0"},
		{"in a folder below", "--project-directory sub up", "services:\n  a: {image: i, volumes: ['./d:/d']}\n", "container run i @2; file write DIR/sub/d/** @2"},
		{"no file", "up", "-- x --\n", ""},
		{"not YAML", "up", "services: [\n", "? the compose file cannot be read: it is no YAML that is understood: ERR [container environment file network process] @0"},
		{"a list", "up", "- a\n", "? the compose file is not a mapping [container environment file network process] @1"},
		{"odd shapes", "up", "services:\n  a: []\n  b: x\n  c:\n  d: {image: [1], volumes: x, ports: {a: b}, environment: 3, command: {a: b}, build: []}\n",
			"container build d @5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, c.text)
			env := func(name string) (string, bool) {
				v, ok := map[string]string{"V": "vee", "API_TOKEN": "s3cret", "HOME": "/home/u"}[name]
				return v, ok
			}
			got := show(dir, Plan(workspace.New("", workspace.Limits{}), dir, ParseArgs(strings.Fields(c.argv), env)))
			for i, s := range got {
				if a, b, ok := strings.Cut(s, "that is understood: "); ok {
					got[i] = a + "that is understood: ERR" + b[strings.LastIndex(b, " ["):]
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

func TestEnvironmentOfJobs(t *testing.T) {
	dir := write(t, "services:\n  a:\n    build: .\n    environment: {A: one, DB_PASSWORD: $DB_PASSWORD}\n    env_file: e.env\n-- Dockerfile --\nFROM x\nENV A=zero B=two\nCMD run\n-- e.env --\nC='th$ree'\nA=file\n")
	env := func(name string) (string, bool) { return "hunter2", name == "DB_PASSWORD" }
	r := Plan(workspace.New("", workspace.Limits{}), dir, ParseArgs([]string{"up"}, env))
	if len(r.Jobs) != 1 {
		t.Fatalf("jobs = %+v", r.Jobs)
	}
	want := map[string]string{"A": "one", "B": "two", "C": "th$ree", "DB_PASSWORD": Placeholder}
	if d := cmp.Diff(want, r.Jobs[0].Env); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestHostile(t *testing.T) {
	repeat := strings.Repeat
	laughs := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := range 12 {
		laughs += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, repeat(fmt.Sprintf("*a%d,", i), 9))
	}
	long := "services:\n"
	for i := range 3000 {
		long += fmt.Sprintf("  s%d: {image: i, command: c%d, depends_on: [s%d]}\n", i, i, i+1)
	}
	for name, text := range map[string]string{
		"aliases":  laughs,
		"brackets": "services: " + repeat("[", 200_000),
		"braces":   "services: " + repeat("{a: ", 50_000),
		"indentation": func() string {
			var b strings.Builder
			for i := range 600 {
				b.WriteString(repeat(" ", i) + "a:\n")
			}
			return b.String()
		}(),
		"sequence":         repeat("- ", 100_000) + "x\n",
		"too large":        "services:\n  a: {image: i}\n# " + repeat("x", 600_000),
		"includes itself":  "include: [compose.yaml, compose.yaml]\nservices: {a: {image: i}}\n",
		"alias of itself":  "a: &a\n  b: *a\nservices: {a: {image: i}}\n",
		"many services":    long,
		"open references":  "services: {a: {image: '" + repeat("${a:-", 50_000) + "'}}\n",
		"nested variables": "services: {a: {image: '" + repeat("${a:-", 10_000) + repeat("}", 10_000) + "', privileged: true}}\n",
		"NUL":              "services: {a: \x00}\n",
		"invalid UTF-8":    "services: {a: \"\xff\xfe\"}\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, text)
			start := time.Now()
			r := Plan(workspace.New("", workspace.Limits{}), dir, Args{Command: "up"})
			if d := time.Since(start); d > time.Minute {
				t.Errorf("took %v", d)
			}
			if name != "open references" && len(r.Unknowns) == 0 {
				t.Errorf("no unknown; %d jobs", len(r.Jobs))
			}
		})
	}
	t.Run("doubling in .env", func(t *testing.T) {
		dir := write(t, "services: {a: {image: $A}}\n-- .env --\nA=xxxxxxxxxxxxxxxx\n"+repeat("A=$A$A$A$A\n", 5000))
		start := time.Now()
		Plan(workspace.New("", workspace.Limits{}), dir, Args{Command: "up"})
		if d := time.Since(start); d > time.Minute {
			t.Errorf("took %v", d)
		}
	})
	t.Run("FIFO", func(t *testing.T) {
		dir := write(t, "-- x --\n")
		if err := syscall.Mkfifo(filepath.Join(dir, "compose.yaml"), 0o644); err != nil {
			t.Fatal(err)
		}
		if r := Plan(workspace.New("", workspace.Limits{}), dir, Args{Command: "up"}); len(r.Unknowns) != 1 {
			t.Errorf("unknowns = %+v", r.Unknowns)
		}
	})
}

// FuzzPlan tests on any text that reading ends and that everything said has a meaning.
func FuzzPlan(f *testing.F) {
	f.Add([]byte("x: &x {image: '${A:-b}'}\nservices:\n  a:\n    <<: *x\n    build: {context: ., args: [A]}\n    ports: [1, '2:3']\n"), "up")
	f.Add([]byte("include: [{path: compose.yaml}]\nservices:\n  a: {extends: {service: a}, volumes: [{type: bind}, ~:/x], env_file: [{path: .env}]}\n"), "run a b")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, argv string) {
		if err := os.WriteFile(filepath.Join(dir, "compose.yaml"), text, 0o644); err != nil {
			t.Fatal(err)
		}
		r := Plan(workspace.New(dir, workspace.Limits{}), "/", ParseArgs(strings.Fields(argv), nil))
		for _, j := range r.Jobs {
			if (j.Shell == "") == (len(j.Argv) == 0) || j.Label == "" || !strings.HasPrefix(j.Dir, "/") {
				t.Errorf("job %+v", j)
			}
		}
		for _, c := range r.Claims {
			if c.Target == "" || c.Class.String() == "invalid" || c.Access.String() == "invalid" {
				t.Errorf("claim %+v", c)
			}
		}
		for _, u := range r.Unknowns {
			if u.Why == "" || len(u.Could) == 0 {
				t.Errorf("unknown %+v", u)
			}
		}
	})
}
