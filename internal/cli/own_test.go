package cli

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/ambit-dev/ambit/predict"
)

// TestSafetyOwnModel: what an agent may do with ambit is decided from the model of ambit's own command line
// (predict/models/ambit.yaml). It must know every command, and what it does not know must be a change of ambit's state.
func TestSafetyOwnModel(t *testing.T) {
	k, err := kong.New(&commands{}, kong.Name("ambit"), kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}), kong.Vars{"version": "x"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	plan := func(command string) *predict.Prediction {
		act, err := newShell(dir, command)
		if err != nil {
			t.Fatal(err)
		}
		p, err := predict.Predict(context.Background(), act, predict.Options{Env: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	paths, nodes := below(k.Model.Children, "")
	if len(paths) < 10 {
		t.Fatalf("commands %q", paths)
	}
	for i, path := range paths {
		if len(nodes[i].Children) > 0 {
			continue
		}
		if p := plan("ambit " + path); len(p.Unknowns) > 0 && !strings.HasPrefix(path, "bench") {
			t.Errorf("ambit %s: %v", path, p.Unknowns)
		}
	}
	for _, command := range []string{"ambit hook claude-code", "ambit setup claude-code", "ambit log rewrite", "ambit anything"} {
		p, wrote := plan(command), false
		for _, e := range p.Effects {
			wrote = wrote || e.Kind() == "file.write" && strings.Contains(e.On.String(), "/.local/state/ambit")
		}
		if !wrote {
			t.Errorf("%s: its plan does not say that ambit's state changes", command)
		}
	}
}
