package trace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseStrace(t *testing.T) {
	tests := []struct {
		name, in string
		want     []call
	}{
		{"plain", `7 openat(AT_FDCWD</w>, "a, b)", O_RDONLY|O_CLOEXEC) = 3</w/a, b)>`,
			[]call{{pid: 7, name: "openat", args: []string{"AT_FDCWD</w>", `"a, b)"`, "O_RDONLY|O_CLOEXEC"}, ret: "3</w/a, b)>"}}},
		{"error", `7 unlink("x\"y") = -1 ENOENT (No such file or directory)`,
			[]call{{pid: 7, name: "unlink", args: []string{`"x\"y"`}, ret: "-1", errno: "ENOENT"}}},
		{"folder with a comma and a bracket in its name", `7 unlinkat(4</w/a, [b>, "c", 0) = 0`,
			[]call{{pid: 7, name: "unlinkat", args: []string{"4</w/a, [b>", `"c"`, "0"}, ret: "0"}}},
		{"interrupted by another thread keeps its place",
			"7 connect(3<socket:[9]>, {sa_family=AF_UNIX, sun_path=\"/s\"}, 110 <unfinished ...>\n" +
				"8 chdir(\"/\")                = 0\n" +
				"7 <... connect resumed>)    = -1 ENOENT (No such file or directory)",
			[]call{{pid: 7, name: "connect", args: []string{"3<socket:[9]>", `{sa_family=AF_UNIX, sun_path="/s"}`, "110"}, ret: "-1", errno: "ENOENT"},
				{pid: 8, name: "chdir", args: []string{`"/"`}, ret: "0", seq: 1}}},
		{"killed before it returned", "7 execve(\"/bin/a\", [\"a\"], [\"K=v, w\"] <unfinished ...>",
			[]call{{pid: 7, name: "execve", args: []string{`"/bin/a"`, `["a"]`, `["K=v, w"]`}, ret: "?"}}},
		{"another thread executes", "8 execve(\"/bin/a\", [\"a\"], [] <pid changed to 7 ...>\n7 +++ superseded by execve in pid 8 +++\n7 <... execve resumed>) = 0",
			[]call{{pid: 7, name: "execve", args: []string{`"/bin/a"`, `["a"]`, `[]`}, ret: "0"}}},
		{"no system calls", "7 --- SIGCHLD {si_signo=SIGCHLD} ---\n7 +++ exited with 0 +++\nstrace: Process 7 attached\n", nil},
		{"no arguments", "7 fork() = 9", []call{{pid: 7, name: "fork", ret: "9"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseStrace(strings.NewReader(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(call{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestUnquote(t *testing.T) {
	for in, want := range map[string]string{
		`"a\nb\t\"c\\"`:           "a\nb\t\"c\\",
		`"\0\1\377\3foo"`:         "\x00\x01\xff\x03foo",
		`"\0619"`:                 "19",
		`"\x41\x7e"`:              "A~",
		`"cut short"...`:          "cut short",
		`"\303\251"`:              "é",
		`"no escape, all the way`: "no escape, all the wa",
	} {
		if got, ok := unquote(in); !ok || got != want {
			t.Errorf("unquote(%s) = %q, %v; want %q", in, got, ok, want)
		}
	}
	if got, ok := unquote("NULL"); ok {
		t.Errorf("unquote(NULL) = %q; want none", got)
	}
}

func FuzzParseStrace(f *testing.F) {
	f.Fuzz(func(t *testing.T, in string) {
		calls, err := parseStrace(strings.NewReader(in))
		if err != nil {
			return
		}
		events, images := follow(calls, "/w", nil)
		tr := &Trace{Command: Command{Dir: "/w", Home: "/h", Tmp: "/t", Instr: "/i"}, Events: events, Images: images}
		seen, _ := tr.Judge(Scope{})
		for _, e := range events {
			if (e.Op == Write || e.Op == Read) && strings.Contains(e.Target, "/../") {
				t.Errorf("path %q is not clean", e.Target)
			}
		}
		if len(seen.Programs) > 0 && len(images) == 0 {
			t.Errorf("programs %v without an image", seen.Programs)
		}
	})
}
