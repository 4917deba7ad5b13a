package predict

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/makefile"
)

// makeCommand follows the rules that make would run.
func (e *engine) makeCommand(f *frame, v *invocation) {
	argv := make([]string, 0, len(v.args))
	for _, a := range v.args[1:] {
		argv = append(argv, shellUnknown(a.text))
	}
	dir := makefile.Chdir(v.dir, argv)
	if strings.Contains(dir, hole) || strings.Contains(dir, unknownName) {
		e.unknown(f, v.src, "make runs in a folder that is not known")
		return
	}
	e.follow(f, makefile.Plan(e.fs, dir, makefile.ParseArgs(dir, argv, e.envValue(f))))
}

// makeFile follows a Makefile that is executed by its #! line.
func (e *engine) makeFile(f *frame, name string, args []word) {
	argv := []string{"-f", name}
	for _, a := range args[min(1, len(args)):] {
		argv = append(argv, shellUnknown(a.text))
	}
	e.follow(f, makefile.Plan(e.fs, f.dir, makefile.ParseArgs(f.dir, argv, e.envValue(f))))
}
