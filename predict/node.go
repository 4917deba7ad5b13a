package predict

import (
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/nodepkg"
)

// nodeManager follows what npm, pnpm, yarn, bun and their short forms take from manifests, lockfiles and installed packages.
func (e *engine) nodeManager(f *frame, v *invocation) {
	argv := make([]string, 0, len(v.args))
	for _, a := range v.args[1:] {
		argv = append(argv, shellUnknown(a.text))
	}
	req, ok := nodepkg.Parse(v.name, argv)
	if !ok {
		return
	}
	if strings.Contains(v.dir, hole) {
		e.unknown(f, v.src, v.name+" runs in a folder that is not known, so its scripts are not either")
		return
	}
	key := e.callKey(f, v.name, v.dir, argv)
	if e.running[key] {
		return // a script that starts itself again
	}
	e.running[key] = true
	defer delete(e.running, key)
	req.Dir, req.Home, req.Env = v.dir, e.home, e.envValue(f)
	r := nodepkg.Plan(e.fs, req)
	if req.Verb == "run" && len(req.Names) > 0 && len(r.Jobs)+len(r.Claims)+len(r.Unknowns)+len(r.Skipped) == 0 {
		e.nothingToDo(f, v, "there is no script "+show(strings.ReplaceAll(req.Names[0], "${"+unknownName+"}", hole)))
	}
	for i := 0; i < len(r.Claims); i++ {
		// That packages are fetched is what the command says; from where is what its options and the configuration say.
		if c := r.Claims[i]; c.Class == effect.Network {
			e.network(f, word{text: strings.ReplaceAll(c.Target, "${"+unknownName+"}", hole)}, c.Access, c.From)
			r.Claims = slices.Delete(r.Claims, i, i+1)
			v.contacts = true
			i--
		}
	}
	e.follow(f, r.Result)
	for _, s := range r.Skipped {
		from := s.From
		from.File = e.shownFile(from.File)
		f.node.Children = append(f.node.Children, &Node{Title: s.Label, Note: "does not run: " + s.Why, From: from})
	}
}
