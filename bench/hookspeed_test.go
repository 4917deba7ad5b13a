package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The report has every event over both logs, and the verification of one with as many entries as were asked for.
func TestHookSpeed(t *testing.T) {
	program := filepath.Join(t.TempDir(), "ambit")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/ambit").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if cache, err := exec.Command("go", "env", "GOCACHE").Output(); err == nil {
		t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	}
	r, err := HookSpeed(program, 2, 300, nil)
	if err != nil {
		t.Fatal(err)
	}
	// One entry is the first, and each event over the long log has sealed one more in each run.
	if want := 300 + 2*len(hookEvents); r.Entries != want {
		t.Errorf("%d entries are verified, want %d", r.Entries, want)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, e := range hookEvents {
		if strings.Count(b.String(), "| "+e.name+", ") != 2 {
			t.Errorf("%s is not there twice:\n%s", e.name, &b)
		}
	}
	if home, err := os.UserHomeDir(); err == nil && strings.Contains(b.String(), home) {
		t.Error("the report names this machine's folders")
	}
}
