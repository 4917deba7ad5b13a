//go:build linux

package claudetest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// ask has ambit judge a harmless call, which makes the log, and gives what it says.
func (a Agent) ask(t *testing.T) string {
	t.Helper()
	binary, err := ambit()
	if err != nil {
		t.Fatal(err)
	}
	event, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": a.Dir, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": "ls"}, "tool_use_id": "t",
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "hook", "claude-code")
	cmd.Env, cmd.Stdin = []string{"HOME=" + a.Home}, strings.NewReader(string(event))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// Whatever is broken: the tool does not run, also where the agent asks nobody, and the model is told why and what to do next. A call
// that ran before shows that it is the broken thing that stops it.
func TestBroken(t *testing.T) {
	ours := func(says string) []string { return []string{"ambit denies this call: ", says, "\nNext: "} }
	theirs := []string{`blocking because onFailure is "block"`}
	for _, c := range []struct {
		name  string
		do    func(t *testing.T, a Agent)
		texts []string
	}{
		{"state folder is a file", func(t *testing.T, a Agent) {
			remove(t, a.state())
			write(t, a.state(), "")
		}, ours("not a directory")},
		{"state folder is gone", func(t *testing.T, a Agent) { remove(t, a.state()) }, ours("The log is missing")},
		{"log is gone", func(t *testing.T, a Agent) { remove(t, filepath.Join(a.state(), "log")) }, ours("The log is missing")},
		{"key is gone", func(t *testing.T, a Agent) { remove(t, filepath.Join(a.state(), "log.key")) }, ours("log.key is missing")},
		{"key is a folder", func(t *testing.T, a Agent) {
			remove(t, filepath.Join(a.state(), "log.key"))
			if err := os.Mkdir(filepath.Join(a.state(), "log.key"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, ours("Cannot read the key")},
		{"key is open to others", func(t *testing.T, a Agent) {
			if err := os.Chmod(filepath.Join(a.state(), "log.key"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, ours("open to other users")},
		{"log of a newer version", func(t *testing.T, a Agent) {
			for _, name := range []string{"log/checkpoint", "log.key"} {
				name = filepath.Join(a.state(), name)
				if err := os.WriteFile(name, []byte(strings.ReplaceAll(read(t, name), "ambit-log-v1/", "ambit-log-v2/")), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}, ours("another version")},
		{"full disk", fullDisk, ours("no space left on device")},
		{"program is gone", func(t *testing.T, a Agent) { a.program(t, "") }, theirs},
		{"program is killed", func(t *testing.T, a Agent) { a.program(t, "#!/bin/sh\nkill -9 $$\n") }, theirs},
		{"program crashes", func(t *testing.T, a Agent) { a.program(t, "#!/bin/sh\nexit 1\n") }, theirs},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := guarded(t, shop, "--permission-mode", "bypassPermissions")
			if out := a.ask(t); out != "" {
				t.Fatalf("before anything is broken: %s", out)
			}
			c.do(t, a)
			m := model(t, Script{Calls: []Call{bash("ls > /dev/null; echo it-$((1+1))-ran")}})
			if _, err := a.Run(t.Context(), m, "do it"); err != nil {
				t.Fatal(err)
			}
			checkResults(t, m.Results(""), []want{{true, c.texts}})
			if strings.Contains(m.Results("")[0].Text, "it-2-ran") {
				t.Error("it ran")
			}
		})
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if !exists(name) {
		t.Fatalf("%s is not there to be broken", name)
	}
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
}

// program puts another program, or none, in the place of ambit.
func (a Agent) program(t *testing.T, text string) {
	t.Helper()
	binary, err := ambit()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(a.Home, "ambit")
	settings := filepath.Join(a.Dir, ".claude", "settings.json")
	write(t, settings, strings.ReplaceAll(read(t, settings), binary, other))
	if text == "" {
		return
	}
	if err := os.WriteFile(other, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// fullDisk moves the state onto a disk without room.
func fullDisk(t *testing.T, a Agent) {
	t.Helper()
	disk := t.TempDir()
	if err := unix.Mount("ambit-test", disk, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("a small disk cannot be mounted (%v); a limit on the size of files stands for it in internal/cli. Next: run the tests as root", err)
	}
	t.Cleanup(func() { unix.Unmount(disk, 0) })
	if err := os.CopyFS(filepath.Join(disk, "ambit"), os.DirFS(a.state())); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"log.key", "commit.key"} {
		if err := os.Chmod(filepath.Join(disk, "ambit", key), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	remove(t, a.state())
	if err := os.Symlink(filepath.Join(disk, "ambit"), a.state()); err != nil {
		t.Fatal(err)
	}
	if out := a.ask(t); out != "" {
		t.Fatalf("while there is room: %s", out)
	}
	f, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
}
