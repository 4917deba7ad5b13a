package predict_test

import (
	"testing"

	"github.com/ambit-dev/ambit/effect"
)

// TestCommandForEach: a command that is run for each of some files acts on files that are not known.
func TestCommandForEach(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": "x"})
	for _, c := range []struct {
		command string
		access  effect.Access
	}{
		{"fd -x rm", effect.Delete},
		{"fd -e js --exec rm -f {}", effect.Delete},
		{"fd a -X touch", effect.Write},
	} {
		found := false
		for _, e := range plan(t, dir, c.command).Effects {
			found = found || e.Class == effect.File && e.Access == c.access
		}
		if !found {
			t.Errorf("%q: no %s of a file", c.command, c.access)
		}
	}
}
