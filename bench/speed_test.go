package bench

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The report has each thing that was asked for, with a time; a program that does nothing stands in for ambit.
func TestSpeed(t *testing.T) {
	program, err := exec.LookPath("true")
	if err != nil {
		t.Skip("no true here")
	}
	cases := []Case{
		{ID: "a", Source: "a", Files: map[string]string{"go.sh": "echo x > y\n"}, Command: "sh go.sh"},
		{ID: "cannot be made", Source: "b", Files: map[string]string{"x": ""}, Setup: []string{"exit 7"}, Command: "ls"},
	}
	if cache, err := exec.Command("go", "env", "GOCACHE").Output(); err == nil {
		t.Setenv("GOCACHE", strings.TrimSpace(string(cache))) // else hello world compiles the standard library into the folder below
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	r, err := Speed(program, cases, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Baselines, func(t Timing) bool { return t.Name == "true" }) || r.Runs != 3 {
		t.Errorf("baselines %v over %d runs: true is missing", r.Baselines, r.Runs)
	}
	if len(r.Cases) != 1 || r.Cases[0].ID != "a" {
		t.Fatalf("cases %v, want only a", r.Cases)
	}
	for _, x := range append(r.Baselines, r.Cases[0].Fresh, r.Cases[0].Warm) {
		if x.Median <= 0 || x.P95 < x.Median {
			t.Errorf("%s: median %v, P95 %v", x.Name, x.Median, x.P95)
		}
	}
	if len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0], "cannot be made") {
		t.Errorf("skipped %q, want the case that cannot be made", r.Skipped)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil || !strings.Contains(b.String(), "| a | ") || !strings.Contains(b.String(), "- prepare cannot be made") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
