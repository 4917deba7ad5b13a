package predict

import (
	"slices"
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
	key := e.callKey(f, v.name, dir, argv)
	if e.running[key] {
		return // it calls itself: what it does is being followed already
	}
	e.running[key] = true
	defer delete(e.running, key)
	r := makefile.Plan(e.fs, dir, makefile.ParseArgs(dir, argv, e.envValue(f)))
	if len(r.Jobs)+len(r.Claims)+len(r.Unknowns) == 0 {
		e.nothingToDo(f, v, "make finds no rule with commands to run for this")
	}
	e.follow(f, r)
}

// nothingToDo says why a program that runs what a file holds runs nothing: a plan without effects is not to be taken for a
// harmless command when it is only a wrong one.
func (e *engine) nothingToDo(f *frame, v *invocation, why string) {
	f.node.Children = append(f.node.Children, &Node{Title: v.name, Note: "nothing to do: " + why, From: v.src})
}

// callKey names a call by all that decides what it does, without what tools count up from one level to the next.
func (e *engine) callKey(f *frame, name, dir string, argv []string) string {
	vars := make([]string, 0, len(f.vars))
	for k, v := range f.vars {
		if v.exported && !strings.HasPrefix(k, "MAKE") && !strings.HasPrefix(k, "npm_") && k != "SHLVL" {
			vars = append(vars, k+"="+v.one().text)
		}
	}
	slices.Sort(vars)
	return strings.Join(slices.Concat([]string{name, dir}, argv, []string{"\x00"}, vars), "\x00")
}

// makeFile follows a Makefile that is executed by its #! line.
func (e *engine) makeFile(f *frame, name string, args []word) {
	argv := []string{"-f", name}
	for _, a := range args[min(1, len(args)):] {
		argv = append(argv, shellUnknown(a.text))
	}
	e.follow(f, makefile.Plan(e.fs, f.dir, makefile.ParseArgs(f.dir, argv, e.envValue(f))))
}
