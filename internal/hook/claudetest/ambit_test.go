//go:build linux

package claudetest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/tools/txtar"

	"github.com/ambit-dev/ambit/record"
)

// built is the folder of the program that the tests build.
var built string

// ambit builds the program once for all tests that need it.
var ambit = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(built, "ambit")
	if out, err := exec.Command("go", "build", "-o", binary, "github.com/ambit-dev/ambit/cmd/ambit").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %s", err, out)
	}
	return binary, nil
})

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "mcp-server" {
		serveMCP(os.Stdin, os.Stdout)
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ambit-built-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built = dir
	return m.Run()
}

// guarded is an agent whose settings in the project have the hooks of ambit, in a project with some files.
func guarded(t *testing.T, project string, args ...string) Agent {
	t.Helper()
	a := install(t, args...)
	a.Env = append(a.Env, "PATH="+os.Getenv("PATH"))
	for _, f := range txtar.Parse([]byte(project)).Files {
		write(t, filepath.Join(a.Dir, f.Name), string(f.Data))
	}
	binary, err := ambit()
	if err != nil {
		t.Fatal(err)
	}
	settings, err := exec.Command(binary, "hook", "claude-code", "--settings").Output()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(a.Dir, ".claude", "settings.json"), string(settings))
	return a
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func (a Agent) state() string { return filepath.Join(a.Home, ".local", "state", "ambit") }

// entry is what the log says of one moment of a call, as far as these tests look at it.
type entry struct {
	Kind string
	Body struct {
		Routing string `json:"routing_outcome"`
		Base    struct {
			Action struct {
				Tool string
				Args json.RawMessage
			}
			Event, Call, Mode, Subagent, Workspace string
		} `json:"base_context"`
		Decision struct{ Is, Rule string }
		Answered struct{ By, Name string } `json:"answered_by"`
		Shown    struct{ Text string }
		Intent   *struct{ Seq int }
		Ran      bool
		Failed   bool
		Call     string
		Tool     string
	}
}

// line is an entry in words: the kind, the tool, what was decided or happened, and who answered.
func (e entry) line() string {
	b, intent := e.Body, "no intent"
	if b.Intent != nil {
		intent = fmt.Sprint("entry ", b.Intent.Seq)
	}
	switch e.Kind {
	case "intent":
		return fmt.Sprintf("intent %s: %s, %s by %s %s", b.Base.Action.Tool, b.Routing, b.Decision.Is, b.Answered.By, b.Answered.Name)
	case "outcome":
		return fmt.Sprintf("outcome %s of %s: ran %t, by %s %s", b.Tool, intent, b.Ran, b.Answered.By, b.Answered.Name)
	}
	return fmt.Sprintf("%s %s of %s", e.Kind, b.Tool, intent)
}

// log verifies the record with its folder and the public key alone, and reads it.
func (a Agent) log(t *testing.T) []entry {
	t.Helper()
	place := record.Place{State: a.state(), Config: filepath.Join(a.Home, ".config", "ambit")}
	report, err := record.Verify(place.LogDir(), read(t, place.PublicKeyFile()), record.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() {
		t.Errorf("the log does not verify: %+v", report)
	}
	r, err := record.Read(place.LogDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out []entry
	for e, err := range r.All(record.Oldest) {
		if err != nil {
			t.Fatal(err)
		}
		one := entry{Kind: string(e.Kind)}
		if err := json.Unmarshal(e.Body, &one.Body); err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

// waitFor waits until the log has an entry of a kind: the checkpoint's folder changes with each.
func (a Agent) waitFor(t *testing.T, kind string) error {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return err
	}
	changes := os.NewFile(uintptr(fd), "inotify")
	defer changes.Close()
	if _, err := unix.InotifyAddWatch(fd, filepath.Join(a.state(), "log"), unix.IN_MOVED_TO); err != nil {
		return err
	}
	if err := changes.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	for {
		for _, e := range a.log(t) {
			if e.Kind == kind {
				return nil
			}
		}
		if _, err := changes.Read(make([]byte, 4096)); err != nil {
			return fmt.Errorf("the log has no %s: %w", kind, err)
		}
	}
}

func lines(entries []entry) (out []string) {
	for _, e := range entries {
		out = append(out, e.line())
	}
	return out
}

// serveMCP is an MCP server (specification 2025-06-18, stdio) with one tool, note, that writes a file.
func serveMCP(in io.Reader, out io.Writer) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var req struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ProtocolVersion string
				Arguments       struct{ Path string }
			}
		}
		if json.Unmarshal(lines.Bytes(), &req) != nil || req.ID == nil {
			continue
		}
		var result any = map[string]any{}
		switch req.Method {
		case "initialize":
			result = map[string]any{
				"protocolVersion": req.Params.ProtocolVersion, "capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo": map[string]any{"name": "notes", "version": "1"},
			}
		case "tools/list":
			result = map[string]any{"tools": []any{map[string]any{"name": "note", "description": "Writes a note.", "inputSchema": map[string]any{
				"type": "object", "properties": map[string]any{"path": map[string]any{"type": "string"}},
			}}}}
		case "tools/call":
			text := "noted"
			if err := os.WriteFile(req.Params.Arguments.Path, []byte("note"), 0o600); err != nil {
				text = err.Error()
			}
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
		}
		data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": req.ID, "result": result})
		if err != nil {
			return
		}
		fmt.Fprintf(out, "%s\n", data)
	}
}
