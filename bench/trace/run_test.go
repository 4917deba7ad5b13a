package trace

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// traceOf runs shell text in a fresh workspace that holds the given files.
func traceOf(t *testing.T, world World, files map[string]string, text string, change func(*Command)) *Trace {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := Command{World: world, Dir: top + "/work", Home: top + "/home", Tmp: top + "/tmp", Instr: top + "/instruments",
		Path: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", Argv: []string{"bash", "-c", text}, Timeout: time.Minute}
	for _, dir := range []string{c.Dir, c.Home, c.Tmp, c.Instr} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if change != nil {
		change(&c)
	}
	tr, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestRunSeesWritesOfEveryKind(t *testing.T) {
	tr := traceOf(t, None, map[string]string{"old": "1", "gone": "1"}, `mkdir -p a/b; cd a; echo x > b/new; mv ../old moved; rm ../gone; ln -s b link; exit 3`, nil)
	seen, _ := tr.Judge(Scope{})
	want := []string{"$WS/a", "$WS/a/b", "$WS/a/b/new", "$WS/a/link", "$WS/a/moved", "$WS/gone", "$WS/old"}
	if !slices.Equal(seen.Writes, want) {
		t.Errorf("writes %v, want %v", seen.Writes, want)
	}
	for i, p := range want {
		if p = strings.Replace(p, "$WS", tr.Command.Dir, 1); !slices.Contains(tr.Changed, p) {
			t.Errorf("the hashes do not show %s (%d)", p, i)
		}
	}
	if tr.Exit != 3 {
		t.Errorf("exit %d, want 3", tr.Exit)
	}
}

// Reads by name are logged by the second instrument; a copy of the whole environment is none.
func TestRunSeesVariablesReadByName(t *testing.T) {
	files := map[string]string{
		"a.js": `const env = { ...process.env }; for (const k in process.env) env[k] = process.env[k];
console.log(process.env.ASKED, 'TESTED' in process.env, env.COPIED);
const { TAKEN } = process.env;`,
		"a.py": `import os
env = dict(os.environ)
copy = os.environ.copy()
os.environ.get("GOT"), os.getenv("LOOKED"), "HELD" in os.environ
try:
    os.environ["INDEXED"]
except KeyError:
    pass
`,
	}
	env := func(c *Command) { c.Env = []string{"ASKED=1", "COPIED=1", "GOT=1", "ALSO=1"} }
	for script, want := range map[string][]string{
		"node a.js":             {"ASKED", "TAKEN", "TESTED"},
		"/usr/bin/python3 a.py": {"GOT", "HELD", "INDEXED", "LOOKED"},
	} {
		seen, _ := traceOf(t, None, files, script, env).Judge(Scope{})
		if !slices.Equal(seen.EnvRead, want) {
			t.Errorf("%s: read %v, want %v", script, seen.EnvRead, want)
		}
	}
}

func TestRunInEachWorld(t *testing.T) {
	// The sinkhole answers with a refusal, so that what follows an answer is seen as well.
	text := `curl -sS -o page -w '%{http_code}' http://shop.example.test/ > code; test -s code`
	for _, world := range []World{None, Sinkhole} {
		tr := traceOf(t, world, nil, text, nil)
		seen, _ := tr.Judge(Scope{})
		// Without a route the question cannot be sent: only the attempt to reach a name server is seen.
		want := map[World]string{None: "dns", Sinkhole: "shop.example.test"}[world]
		if !slices.Contains(seen.Network, want) {
			t.Errorf("%s: network %v lacks %s", world, seen.Network, want)
		}
		code, err := os.ReadFile(filepath.Join(tr.Command.Dir, "code"))
		if want := map[World]string{None: "000", Sinkhole: "404"}[world]; err != nil || string(code) != want {
			t.Errorf("%s: status %q %v, want %s", world, code, err, want)
		}
		if reached := slices.Contains(seen.Network, "*:80"); reached != (world == Sinkhole) {
			t.Errorf("%s: network %v", world, seen.Network)
		}
	}
}

func TestRunWithServer(t *testing.T) {
	server := `node -e "require('http').createServer((q, r) => r.end('hello')).listen(7499, '127.0.0.1')"`
	tr := traceOf(t, None, nil, `curl -sS http://127.0.0.1:7499/ > got`, func(c *Command) { c.Serve, c.Port = server, 7499 })
	if got, err := os.ReadFile(filepath.Join(tr.Command.Dir, "got")); string(got) != "hello" {
		t.Errorf("the server answered %q, %v: %s", got, err, tr.Output)
	}
	seen, _ := tr.Judge(Scope{})
	if len(seen.Network) > 0 || slices.Contains(seen.Programs, "node") {
		t.Errorf("loopback or the server counts: %v, %v", seen.Network, seen.Programs)
	}
}

// A daemon that outlives its starter must not hold the trace up for ever, and must be gone afterwards.
func TestRunEndsDaemons(t *testing.T) {
	tr := traceOf(t, None, nil, `setsid sh -c 'echo $$ > pid; exec sleep 600' & while ! test -s pid; do :; done`, func(c *Command) { c.Timeout = 3 * time.Second })
	if !tr.TimedOut {
		t.Error("the run was not ended")
	}
	pid, err := os.ReadFile(filepath.Join(tr.Command.Dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); ; { // a signal takes its time
		cmdline, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/cmdline")
		if err != nil || !strings.HasPrefix(string(cmdline), "sleep") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %s still runs", pid)
		}
	}
}
