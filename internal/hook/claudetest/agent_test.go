package claudetest

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// install makes an agent in fresh folders. A test is skipped only where Claude Code is not installed.
func install(t *testing.T, args ...string) Agent {
	t.Helper()
	binary, err := Find(os.Getenv)
	if err != nil {
		t.Skip(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := Agent{Binary: binary, Home: filepath.Join(root, "home"), Dir: filepath.Join(root, "project"), Args: args}
	if err := os.Mkdir(a.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := a.Prepare(); err != nil {
		t.Fatal(err)
	}
	return a
}

func model(t *testing.T, scripts ...Script) *Model {
	t.Helper()
	m := NewModel(scripts...)
	t.Cleanup(m.Close)
	return m
}

// The instrument itself: without a hook the calls of the script run, in every mode in which nobody is asked, and the model receives what they gave.
func TestAgentRuns(t *testing.T) {
	for name, args := range map[string][]string{
		"allowed tools": {"--allowedTools", "Bash,Write"},
		"accept edits":  {"--permission-mode", "acceptEdits", "--allowedTools", "Bash"},
		"bypass":        {"--permission-mode", "bypassPermissions"},
	} {
		t.Run(name, func(t *testing.T) {
			a := install(t, args...)
			m := model(t, Script{Calls: []Call{
				{"Bash", map[string]any{"command": "echo told-$((40+2)) | tee marker", "description": "x"}},
				{"Write", map[string]any{"file_path": filepath.Join(a.Dir, "b.txt"), "content": "bee\n"}},
			}})
			out, err := a.Run(t.Context(), m, "do it")
			if err != nil {
				t.Fatal(err)
			}
			results := m.Results("")
			if len(results) != 2 || results[0].Text != "told-42" || results[0].Error || results[1].Error {
				t.Errorf("the model received %+v", results)
			}
			if out.Result != "done" || out.Error {
				t.Errorf("the run ended with %q: %s", out.Result, out.Stderr)
			}
			for file, want := range map[string]string{"marker": "told-42\n", "b.txt": "bee\n"} {
				if got, err := os.ReadFile(filepath.Join(a.Dir, file)); err != nil || string(got) != want {
					t.Errorf("%s holds %q, %v", file, got, err)
				}
			}
			if outside := m.Outside(); len(outside) > 0 {
				t.Errorf("the agent wanted to reach %q", outside)
			}
		})
	}
}

// ./test installs the version that these tests run.
func TestVersionIsInstalled(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("..", "..", "..", "test"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{module + "@" + Version, `"$tools/claude-code@` + Version + `"`} {
		if !strings.Contains(string(script), text) {
			t.Errorf("./test does not have %s", text)
		}
	}
}

// hook makes the agent's hooks: for each event a shell script that keeps its standard input in EVENT.json and then prints what it is given.
func (a Agent) hook(t *testing.T, prints map[string]string) {
	t.Helper()
	hooks := map[string]any{}
	for event, text := range prints {
		base := filepath.Join(a.Home, event)
		for name, content := range map[string]string{".sh": "cat > " + base + ".json; cat " + base + ".out", ".out": text} {
			if err := os.WriteFile(base+name, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		hooks[event] = []any{map[string]any{"matcher": "*", "hooks": []any{
			map[string]any{"type": "command", "command": "/bin/sh", "args": []string{base + ".sh"}},
		}}}
	}
	settings, err := json.Marshal(map[string]any{"hooks": hooks})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(a.Dir, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.Dir, ".claude", "settings.json"), settings, 0o600); err != nil {
		t.Fatal(err)
	}
}

// fifo makes a pipe with a name, opened for reading, so that a test can wait for a hook. Reading ends after a minute.
func fifo(t *testing.T, name string) *os.File {
	t.Helper()
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.SetReadDeadline(time.Now().Add(limit)); err != nil {
		t.Fatal(err)
	}
	return f
}

// In a terminal a question of a hook is shown with its reason in every mode, and the answer decides whether the call runs.
func TestTerminalAsks(t *testing.T) {
	const ask = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask",` +
		`"permissionDecisionReason":"row 1\nrow 2\nrow 3\nrow 4\nrow 5\nrow 6\nrow 7\nrow 8\nrow 9"}}`
	for _, c := range []struct {
		mode, key string
		runs      bool
	}{
		{"default", "1", true},
		{"default", "2", false},
		{"acceptEdits", "1", true},
		{"auto", "1", true},
		{"bypassPermissions", "1", true},
		{"bypassPermissions", "2", false},
	} {
		t.Run(c.mode+" "+c.key, func(t *testing.T) {
			a := install(t, "--permission-mode", c.mode)
			a.hook(t, map[string]string{"PreToolUse": ask, "PermissionRequest": "", "PostToolUse": ""})
			prompted := fifo(t, filepath.Join(a.Home, "PermissionRequest.json"))
			m := model(t, Script{Calls: []Call{{"Bash", map[string]any{"command": "echo ran > marker", "description": "x"}}}})
			term, err := a.Start(m, "do it")
			if err != nil {
				t.Fatal(err)
			}
			defer term.Close()
			if _, err := term.Wait(t.Context(), "requires confirmation", "row 1", "row 9", "1. Yes", "2. No"); err != nil {
				t.Fatal(err)
			}
			// The hook of PermissionRequest runs beside the question: neither waits for the other.
			if data, err := io.ReadAll(io.LimitReader(prompted, 1)); err != nil || string(data) != "{" {
				t.Errorf("no PermissionRequest with the question: %q, %v", data, err)
			}
			if err := term.Type(c.key); err != nil {
				t.Fatal(err)
			}
			after := "● done"
			if !c.runs {
				after = "Interrupted"
			}
			if _, err := term.Wait(t.Context(), after); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{filepath.Join(a.Dir, "marker"), filepath.Join(a.Home, "PostToolUse.json")} {
				if _, err := os.Stat(file); (err == nil) != c.runs {
					t.Errorf("%s: %v", file, err)
				}
			}
		})
	}
}
