package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// run judges a transcript of strace as if it had been taken in the workspace /w with HOME /h and TMPDIR /t.
func run(t *testing.T, sc Scope, reads []Event, lines ...string) (Seen, bool) {
	t.Helper()
	calls, err := parseStrace(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	tr := &Trace{Command: Command{Dir: "/w", Home: "/h", Tmp: "/t", Instr: "/i", Path: "/usr/bin"}, Env: map[string]string{"PATH": "/usr/bin"}}
	tr.Events, tr.Images = follow(calls, "/w", tr.Env)
	for _, r := range reads {
		r.Image = tr.Images[len(tr.Images)-1]
		tr.Events = append(tr.Events, r)
	}
	return tr.Judge(sc)
}

const bash = `1 execve("/usr/bin/bash", ["bash", "-c", "x"], ["PATH=/usr/bin"]) = 0`

func TestJudge(t *testing.T) {
	bashOnly := []string{"bash"}
	tests := []struct {
		name  string
		lines []string
		reads []Event
		want  Seen
	}{
		{"a shell alone is a process", nil, nil, Seen{Programs: bashOnly}},
		{"relative names follow the working folder of their own process",
			[]string{
				`1 chdir("sub") = 0`,
				`1 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 2`,
				`2 chdir("deep") = 0`,
				`2 mkdir("made", 0777) = 0`,
				`1 rename("a", "../b") = 0`,
			}, nil,
			Seen{Programs: bashOnly, Writes: []string{"$WS/b", "$WS/sub/a", "$WS/sub/deep/made"}}},
		{"threads share the working folder",
			[]string{`1 clone3({flags=CLONE_VM|CLONE_FS|CLONE_THREAD}, 88) = 2`, `2 chdir("/w/x") = 0`, `1 unlink("gone") = -1 ENOENT (No such file or directory)`}, nil,
			Seen{Programs: bashOnly, Writes: []string{"$WS/x/gone"}}},
		{"devices, the tracer's own and reads inside are no effects",
			[]string{`1 openat(AT_FDCWD</w>, "/dev/null", O_WRONLY) = 3`, `1 openat(AT_FDCWD</w>, "/i/env.jsonl", O_WRONLY|O_CREAT|O_APPEND, 0666) = 3`,
				`1 openat(AT_FDCWD</w>, "main.c", O_RDONLY) = 3</w/main.c>`, `1 openat(AT_FDCWD</w>, "/etc/hosts", O_RDONLY) = 3`}, nil,
			Seen{Programs: bashOnly}},
		{"a credential store counts although it is not there",
			[]string{`1 openat(AT_FDCWD</w>, "/h/.ssh/id_ed25519", O_RDONLY) = -1 ENOENT (No such file or directory)`}, nil,
			Seen{Programs: bashOnly, Reads: []string{"$HOME/.ssh/id_ed25519"}}},
		{"an environment file is environment, its sample is not",
			[]string{`1 openat(AT_FDCWD</w>, ".env.local", O_RDONLY) = 3</w/.env.local>`, `1 openat(AT_FDCWD</w>, ".env.example", O_RDONLY) = 3`}, nil,
			Seen{Programs: bashOnly, EnvFiles: []string{"$WS/.env.local"}}},
		{"loopback is no network, the rest is",
			[]string{
				`1 connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16) = 0`,
				`1 connect(3<socket:[2]>, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = -1 ENETUNREACH (Network is unreachable)`,
				`1 bind(4<socket:[3]>, {sa_family=AF_INET, sin_port=htons(0), sin_addr=inet_addr("127.0.0.1")}, 16) = 0`, `1 listen(4<socket:[3]>, 511) = 0`}, nil,
			Seen{Programs: bashOnly, Network: []string{"*:443"}}},
		{"listening on every address",
			[]string{`1 bind(4<socket:[3]>, {sa_family=AF_INET6, sin6_port=htons(3000), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::", &sin6_addr), sin6_scope_id=0}, 28) = 0`}, nil,
			Seen{Programs: bashOnly, Network: []string{"listen [::]:3000"}}},
		{"a name look-up",
			[]string{`1 connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("192.0.2.1")}, 16) = 0`,
				`1 sendmmsg(3<socket:[1]>, [{msg_hdr={msg_name=NULL, msg_iov=[{iov_base="\312\241\1\0\0\1\0\0\0\0\0\0\3foo\7example\0\0\1\0\1", iov_len=29}]}}], 1, MSG_NOSIGNAL) = 1`}, nil,
			Seen{Programs: bashOnly, Network: []string{"dns", "foo.example"}}},
		{"a new variable and a changed one, not the shell's own",
			[]string{`1 clone(child_stack=NULL, flags=SIGCHLD) = 2`, `2 execve("/usr/bin/tool", ["tool"], ["PATH=/x:/usr/bin", "MODE=1", "SHLVL=1", "_=/usr/bin/tool"]) = 0`}, nil,
			Seen{Programs: []string{"bash", "tool"}, EnvGiven: []string{"MODE", "PATH"}}},
		{"reads by name, without the usual ones and the manager's",
			nil,
			[]Event{{Op: EnvRead, Target: "TOKEN", By: "/w/a.js"}, {Op: EnvRead, Target: "HOME", By: "/w/a.js"}, {Op: EnvRead, Target: "CI", By: "/usr/lib/node_modules/npm/lib/cli.js"}},
			Seen{Programs: bashOnly, EnvRead: []string{"TOKEN"}}},
		{"a container program counts even when it is not found, and so does an engine's socket",
			[]string{`1 clone(child_stack=NULL, flags=SIGCHLD) = 2`, `2 execve("/usr/bin/podman", ["podman"], []) = -1 ENOENT (No such file or directory)`,
				`1 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path="/var/run/docker.sock"}, 23) = -1 ENOENT (No such file or directory)`}, nil,
			Seen{Programs: bashOnly, Engines: []string{"/var/run/docker.sock", "podman"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := run(t, Scope{}, tt.reads, append([]string{bash}, tt.lines...)...)
			if !ok {
				t.Fatal("not judged")
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestJudgeHook(t *testing.T) {
	lines := []string{
		`1 execve("/usr/bin/npm", ["npm", "rebuild", "x"], ["PATH=/usr/bin"]) = 0`,
		`1 openat(AT_FDCWD</w>, "/h/.npm/_logs/1.log", O_WRONLY|O_CREAT, 0666) = 3`,
		`1 openat(AT_FDCWD</w>, "/w/node_modules/.package-lock.json", O_WRONLY|O_CREAT, 0666) = 3`,
		`1 vfork() = 2`,
		`2 execve("/usr/bin/sh", ["sh", "-c", "node i.js"], ["PATH=/w/node_modules/.bin:/usr/bin", "npm_package_name=x", "npm_lifecycle_event=postinstall", "INIT_CWD=/w"]) = 0`,
		`2 mkdir("/w/node_modules/x/out", 0777) = 0`,
	}
	got, ok := run(t, Scope{Package: "x"}, nil, lines...)
	if want := (Seen{Programs: []string{"sh"}, Writes: []string{"$WS/node_modules/x/out"}}); !ok || !cmp.Equal(want, got) {
		t.Errorf("hook: %v %s", ok, cmp.Diff(want, got))
	}
	got, _ = run(t, Scope{}, nil, lines...)
	if want := []string{"$WS/node_modules/.package-lock.json", "$WS/node_modules/x/out"}; !cmp.Equal(want, got.Writes) || got.EnvGiven != nil {
		t.Errorf("whole command: writes %v, given %v", got.Writes, got.EnvGiven)
	}
	if got, ok := run(t, Scope{Package: "y"}, nil, lines...); ok || got.Classes() != nil {
		t.Errorf("a hook that never ran was judged: %v", got)
	}
}

func TestJudgeMCP(t *testing.T) {
	lines := []string{
		`1 execve("/usr/bin/node", ["node", "/i/mcpcall.mjs", "s", "t", "{}"], ["PATH=/usr/bin"]) = 0`,
		`1 vfork() = 2`,
		`2 execve("/usr/bin/node", ["node", "server.mjs"], ["PATH=/usr/bin", "KEY=1"]) = 0`,
	}
	got, _ := run(t, Scope{MCP: true}, nil, lines...)
	if want := (Seen{EnvGiven: []string{"KEY"}}); !cmp.Equal(want, got) {
		t.Errorf("starting the server: %s", cmp.Diff(want, got))
	}
	got, _ = run(t, Scope{MCP: true}, nil, append(lines, `2 vfork() = 3`, `3 execve("/usr/bin/git", ["git"], ["PATH=/usr/bin", "KEY=1"]) = 0`)...)
	if want := []string{"git"}; !cmp.Equal(want, got.Programs) {
		t.Errorf("a server that starts a program: %v, want %v", got.Programs, want)
	}
}

func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("same", "1")
	put("content", "1")
	put("mode", "1")
	put("gone", "1")
	before, err := snapshot(dir)
	if err != nil {
		t.Fatal(err)
	}
	put("content", "2")
	put("new", "1")
	if err := os.Chmod(file("mode"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file("gone")); err != nil {
		t.Fatal(err)
	}
	after, err := snapshot(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{file("content"), file("gone"), file("mode"), file("new")}
	if d := cmp.Diff(want, before.diff(after)); d != "" {
		t.Error(d)
	}
}

func TestFolders(t *testing.T) {
	in := []string{"$WS/a/b/c/d/e1", "$WS/a/b/c/d/e2", "$WS/a/b/c/f", "$WS/x"}
	if d := cmp.Diff([]string{"$WS/a/b/c/**", "$WS/x"}, Folders(in, 2)); d != "" {
		t.Error(d)
	}
}
