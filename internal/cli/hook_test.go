package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// asked is an event of Claude Code about a command that nobody has anything against.
func asked(t *testing.T, dir string) string {
	t.Helper()
	event, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": dir, "hook_event_name": "PreToolUse", "permission_mode": "bypassPermissions",
		"tool_name": "Bash", "tool_input": map[string]any{"command": "ls"}, "tool_use_id": "toolu_1",
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(event)
}

// hookProcess is the real program as Claude Code starts it.
func hookProcess(t *testing.T, home string, in io.Reader) *exec.Cmd {
	t.Helper()
	ambit, err := exec.LookPath("ambit")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(ambit, "hook", "claude-code")
	cmd.Env, cmd.Stdin = []string{"HOME=" + home, "GORACE=atexit_sleep_ms=0"}, in
	return cmd
}

// checkDenied: exit code 2 with a reason and a next step on standard error, and on standard output a whole denial, or nothing.
func checkDenied(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 2 {
		t.Fatalf("%v, want exit code 2\n%s%s", err, stdout.String(), stderr.String())
	}
	if !strings.Contains(stderr.String(), "ambit denies this call: ") || !strings.Contains(stderr.String(), "\nNext: ") {
		t.Errorf("standard error is %q", stderr.String())
	}
	var out struct {
		Specific struct {
			Event    string `json:"hookEventName"`
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if cmd.Stdout != &stdout {
		return
	}
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		t.Fatalf("%v in %q", err, stdout.String())
	}
	if s := out.Specific; s.Event != "PreToolUse" || s.Decision != "deny" || s.Reason == "" {
		t.Errorf("standard output is %s", stdout.String())
	}
}

// The program refuses wherever it cannot do its work, in the form that Claude Code takes for a refusal. The first call of each shows that
// it is not always refusing.
func TestSafetyHookFailsClosed(t *testing.T) {
	open := func(t *testing.T, name string) *os.File {
		t.Helper()
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	for name, broken := range map[string]func(t *testing.T, cmd *exec.Cmd, home string){
		"no home":                     func(t *testing.T, cmd *exec.Cmd, home string) { cmd.Env = nil; cmd.Env = []string{"A=b"} },
		"a home that is not absolute": func(t *testing.T, cmd *exec.Cmd, home string) { cmd.Env = []string{"HOME=home"} },
		"a home that is not there":    func(t *testing.T, cmd *exec.Cmd, home string) { cmd.Env = []string{"HOME=/dev/null/x"} },
		"no input":                    func(t *testing.T, cmd *exec.Cmd, home string) { cmd.Stdin = nil },
		"input is a folder": func(t *testing.T, cmd *exec.Cmd, home string) {
			f, err := os.Open(home)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			cmd.Stdin = f
		},
		"input that is cut off": func(t *testing.T, cmd *exec.Cmd, home string) { cmd.Stdin = strings.NewReader(asked(t, home)[:50]) },
		"input that does not end": func(t *testing.T, cmd *exec.Cmd, home string) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Close(); w.Close() })
			cmd.Stdin = r
		},
		"output is full": func(t *testing.T, cmd *exec.Cmd, home string) { cmd.Stdin, cmd.Stdout = nil, open(t, "/dev/full") },
		"output is closed": func(t *testing.T, cmd *exec.Cmd, home string) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			t.Cleanup(func() { w.Close() })
			cmd.Stdin, cmd.Stdout = nil, w
		},
		"somebody holds the lock": func(t *testing.T, cmd *exec.Cmd, home string) {
			if err := unix.Flock(int(open(t, filepath.Join(home, ".local/state/ambit/lock")).Fd()), unix.LOCK_EX); err != nil {
				t.Fatal(err)
			}
		},
		"the state folder is a file": func(t *testing.T, cmd *exec.Cmd, home string) {
			state := filepath.Join(home, ".local/state/ambit")
			if err := os.RemoveAll(state); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(state, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		// The shell's limit on the size of files (ulimit -f, in blocks): a write beyond it fails, and Go takes no notice of SIGXFSZ.
		"no file may grow": func(t *testing.T, cmd *exec.Cmd, home string) {
			cmd.Args = []string{"sh", "-c", `ulimit -f 0; exec "$0" hook claude-code`, cmd.Path}
			cmd.Path = "/bin/sh"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			good := hookProcess(t, home, strings.NewReader(asked(t, home)))
			if out, err := good.CombinedOutput(); err != nil || len(out) > 0 {
				t.Fatalf("before anything is broken: %v, %s", err, out)
			}
			cmd := hookProcess(t, home, strings.NewReader(asked(t, home)))
			broken(t, cmd, home)
			checkDenied(t, cmd)
		})
	}
}

// An agent that is gone does not end the hook before its answer: a broken pipe is an error, not a signal.
func TestHookDoesNotDieOfAPipe(t *testing.T) {
	home := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	cmd := hookProcess(t, home, nil)
	cmd.Stdout, cmd.Stderr = w, w
	cmd.Run()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() || status.ExitStatus() != 2 {
		t.Errorf("the hook ended with %v", cmd.ProcessState)
	}
}
