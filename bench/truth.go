package bench

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ambit-dev/ambit/bench/trace"
)

//go:embed testdata/mcpcall.mjs
var mcpClient string

// Truth is what the traced runs of a case did.
type Truth struct {
	Classes  []string   `json:"classes"`            // of the whole command
	Unstable []string   `json:"unstable,omitempty"` // classes that not every repetition had
	Seen     trace.Seen `json:"seen"`

	Hook         []string    `json:"hook,omitempty"` // of the nested hook alone; empty when it never ran
	HookUnstable []string    `json:"hook_unstable,omitempty"`
	HookSeen     *trace.Seen `json:"hook_seen,omitempty"`

	Exits    map[string]int `json:"exits"`               // exit status by world, of the last repetition
	TimedOut bool           `json:"timed_out,omitempty"` // a run was ended by its time limit; what it did until then counts
}

// AllRuns are the runs a label is made of: one in every network world, and two more in the first of them.
func AllRuns() []trace.World {
	worlds := trace.Worlds()
	return append(worlds, worlds[0], worlds[0])
}

// Trace runs the case once in each of the worlds given and labels it: a class counts when any run had it, and is unstable
// when runs in the first world disagree. Logf, which may be nil, is told about each run.
func Trace(ctx context.Context, c Case, worlds []trace.World, logf func(format string, a ...any)) (*Truth, error) {
	t := &Truth{Exits: map[string]int{}}
	var nested trace.Seen
	var whole, hook [][]string
	for i, world := range worlds {
		r, err := c.runOnce(ctx, world)
		if err != nil {
			return nil, fmt.Errorf("trace %s in world %s: %w", c.ID, world, err)
		}
		t.Exits[string(world)] = r.Exit
		t.TimedOut = t.TimedOut || r.TimedOut
		seen, _ := r.Judge(trace.Scope{MCP: c.Tool != ""})
		t.Seen.Merge(seen)
		var inner trace.Seen
		if c.Hook != nil {
			var ran bool
			if inner, ran = r.Judge(trace.Scope{Package: c.Hook.Package, Event: c.Hook.Event}); ran {
				nested.Merge(inner)
				t.HookSeen = &nested
			}
		}
		if world == worlds[0] {
			whole = append(whole, seen.Classes())
			hook = append(hook, inner.Classes())
		}
		if logf != nil {
			logf("%s run %d, %s: exit %d, %d events, %v", c.ID, i+1, world, r.Exit, len(r.Events), seen.Classes())
		}
	}
	t.Classes, t.Unstable = t.Seen.Classes(), unstable(whole)
	if c.Tool != "" {
		t.Classes = append(t.Classes, "mcp")
		slices.Sort(t.Classes)
	}
	t.Hook, t.HookUnstable = nested.Classes(), unstable(hook)
	shorten(&t.Seen)
	shorten(&nested)
	return t, nil
}

func shorten(s *trace.Seen) {
	s.Writes = trace.Folders(s.Writes, 20)
	s.Reads = trace.Folders(s.Reads, 20)
	if n := 60; len(s.EnvRead) > n {
		s.EnvRead = append(s.EnvRead[:n:n], "...")
	}
}

// unstable returns the classes that some repetitions had and others had not.
func unstable(reps [][]string) (out []string) {
	for _, class := range Classes() {
		n := 0
		for _, r := range reps {
			if slices.Contains(r, class) {
				n++
			}
		}
		if n > 0 && n < len(reps) {
			out = append(out, class)
		}
	}
	return out
}

// runOnce prepares a fresh workspace with fresh HOME and TMPDIR and traces one run in it.
func (c Case) runOnce(ctx context.Context, world trace.World) (*trace.Trace, error) {
	top, err := os.MkdirTemp("", "ambit-truth-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(top)
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return nil, err
	}
	base, err := cacheDir()
	if err != nil {
		return nil, err
	}
	cmd := trace.Command{World: world, Dir: filepath.Join(top, "work"), Home: filepath.Join(top, "home"), Tmp: filepath.Join(top, "tmp"), Instr: filepath.Join(top, "instruments"),
		Machine: os.Environ(), Serve: c.Serve, Port: c.Port, Timeout: time.Duration(max(c.Seconds, 60)) * time.Second}
	for _, dir := range []string{cmd.Dir, cmd.Tmp, cmd.Instr} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	if err := writeHome(cmd.Home); err != nil {
		return nil, err
	}
	if c.Manager == "go" {
		if err := linkGoCache(base, cmd.Home); err != nil {
			return nil, err
		}
	}
	if err := Prepare(c, cmd.Dir); err != nil {
		return nil, err
	}
	if cmd.Path, err = c.searchPath(base); err != nil {
		return nil, err
	}
	for k, v := range c.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	if cmd.Argv, err = c.argv(cmd.Instr); err != nil {
		return nil, err
	}
	return trace.Run(ctx, cmd)
}

// linkGoCache leads Go's build cache out of the fresh HOME: it is baseline, and to compile the standard library in every
// run would take minutes.
func linkGoCache(base, home string) error {
	shared := filepath.Join(base, "go-build")
	if err := errors.Join(os.MkdirAll(shared, 0o755), os.Mkdir(filepath.Join(home, ".cache"), 0o755)); err != nil {
		return err
	}
	return os.Symlink(shared, filepath.Join(home, ".cache", "go-build"))
}

func (c Case) argv(instr string) ([]string, error) {
	if c.Tool == "" {
		return []string{"bash", "-c", c.Command}, nil
	}
	client := filepath.Join(instr, "mcpcall.mjs")
	if err := os.WriteFile(client, []byte(mcpClient), 0o644); err != nil {
		return nil, err
	}
	server, tool, ok := strings.Cut(strings.TrimPrefix(c.Tool, "mcp__"), "__")
	if !ok {
		return nil, errors.New("tool is not of the form mcp__SERVER__TOOL")
	}
	input := c.Input
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	return []string{"node", client, server, tool, string(input)}, nil
}
