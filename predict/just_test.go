package predict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJustAndTask(t *testing.T) {
	dir := tree(t, map[string]string{
		"justfile":     "v := `touch from-backticks`\nbuild dir='out': clean\n  mkdir {{dir}}\nclean:\n  rm -rf old\n",
		"Taskfile.yml": "vars: {D: made}\ntasks:\n  default: [{task: b}, 'mkdir {{.D}}']\n  b: touch first\n",
	})
	for command, want := range map[string][]string{
		"just build x": {"file.delete file:./old/**", "file.write file:./from-backticks", "file.write file:./x"},
		"just --list":  nil,
		"task":         {"file.write file:./first", "file.write file:./made"},
	} {
		p := plan(t, dir, command)
		if d := cmp.Diff(want, summary(p)); d != "" {
			t.Errorf("%s (-want +got):\n%s", command, d)
		}
		if len(p.Unknowns) != 0 {
			t.Errorf("%s: unknowns = %+v", command, p.Unknowns)
		}
	}
}
