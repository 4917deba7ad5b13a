package makefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// FuzzPlan tests on any text that reading it ends, that no mark of an unknown value gets out, and that every job says where it is from.
func FuzzPlan(f *testing.F) {
	for _, c := range cases {
		if !strings.Contains(c.text, "\n-- ") {
			f.Add([]byte(c.text), c.argv)
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, argv string) {
		if err := os.WriteFile(filepath.Join(dir, "Makefile"), text, 0o644); err != nil {
			t.Fatal(err)
		}
		a := ParseArgs("/", strings.Fields(argv), nil)
		a.System, a.Machine = "Linux", "x86_64"
		r := Plan(workspace.New(dir, workspace.Limits{}), "/", a)
		for _, j := range r.Jobs {
			if strings.ContainsRune(j.Shell+j.Label+strings.Join(j.Argv, ""), 0) {
				t.Errorf("job %q holds a mark", j.Shell)
			}
			if n := strings.Count(string(text), "\n") + 2; j.From.Line < 0 || j.From.Line > n {
				t.Errorf("job %q is from line %d of %d", j.Shell, j.From.Line, n)
			}
			if (j.Shell == "") == (j.Argv == nil) {
				t.Errorf("job %+v has not exactly one of Shell and Argv", j)
			}
		}
		for _, c := range r.Claims {
			if strings.ContainsRune(c.Target, 0) {
				t.Errorf("claim %+v holds a mark", c)
			}
		}
		for _, u := range r.Unknowns {
			if u.Why == "" || len(u.Could) == 0 || strings.ContainsRune(u.Why, 0) {
				t.Errorf("unknown %+v says nothing", u)
			}
		}
	})
}
