package predict

import (
	"github.com/ambit-dev/ambit/predict/internal/justfile"
	"github.com/ambit-dev/ambit/predict/internal/taskfile"
)

// just follows the recipes that just would run.
func (e *engine) just(f *frame, v *invocation) {
	e.follow(f, justfile.Plan(e.fs, v.dir, justfile.ParseArgs(v.texts(), e.envValue(f))))
}

// task follows the tasks that Task would run.
func (e *engine) task(f *frame, v *invocation) {
	e.follow(f, taskfile.Plan(e.fs, v.dir, taskfile.ParseArgs(v.texts(), e.envValue(f))))
}

// texts are the arguments behind the program's name, unknown parts as a parameter of the shell.
func (v *invocation) texts() []string {
	argv := make([]string, 0, len(v.args))
	for _, a := range v.args[1:] {
		argv = append(argv, shellUnknown(a.text))
	}
	return argv
}
