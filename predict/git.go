package predict

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/githooks"
	"github.com/ambit-dev/ambit/predict/internal/gitrepo"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// gitCommand adds to git's model what the repository and its configuration make of the command: hooks, aliases, filters,
// helpers, and the hosts of remotes.
func (e *engine) gitCommand(f *frame, v *invocation) {
	if len(v.match.Path) < 2 {
		return
	}
	if strings.Contains(v.dir, hole) {
		e.unknown(f, v.src, "git runs in a folder that is not known, so its hooks and configuration are not either")
		return
	}
	call := e.gitCall(f, v)
	if v.match.Missing {
		e.gitAlias(f, v, call)
		return
	}
	e.gitTemplates(f, v, call)
	r := githooks.Plan(e.fs, call)
	for i := 0; i < len(r.Claims); i++ {
		// That a push or a fetch uses the network is what the command says; its address is what the repository says.
		if c := r.Claims[i]; c.Class == effect.Network {
			e.network(f, word{text: c.Target}, c.Access, c.From)
			r.Claims = slices.Delete(r.Claims, i, i+1)
			i--
		}
	}
	e.follow(f, r)
}

// gitTemplates says what a repository that is made now, or was made before in this action, runs: nothing, unless the account's
// configuration gives it hooks (git-init(1), TEMPLATE DIRECTORY).
func (e *engine) gitTemplates(f *frame, v *invocation, call gitrepo.Call) {
	r := gitrepo.Open(e.fs, call)
	switch call.Verb {
	case "init", "init-db", "clone":
		if _, ok := r.Config.Get("init.templatedir"); ok || call.Env["GIT_TEMPLATE_DIR"] != "" {
			e.unknown(f, v.src, "git: hooks come with the template that is configured")
		}
		return
	}
	if r.GitDir != "" {
		return
	}
	if _, ok := r.Config.Get("core.hookspath"); ok {
		e.unknown(f, v.src, "git: core.hooksPath is configured, and there is no repository yet")
	}
	// The repository may be one that this action has made. What git does to it by itself makes nothing run; anything else may.
	own := call.Dir + "/.git"
	for _, x := range e.changes.made {
		if workspace.Within(x.path, own) && x.path != own && !(x.git && x.tree) && !slices.Contains(e.changes.active, x.by) {
			e.hit(x)
		}
	}
	e.look(own+"/config", false)
}

// gitRemote is a setting that the action has made for later calls of git in a repository.
type gitRemote struct {
	dir   string // the repository, or where there is none yet the folder
	entry gitrepo.Entry
}

// namesRemote remembers the address that "git remote add" and "set-url" give a remote; false for any other command, or where
// it is not all known.
func (e *engine) namesRemote(f *frame, v *invocation) bool {
	if v.name != "git" || len(v.match.Path) < 3 || v.match.Path[1] != "remote" || v.match.Path[2] != "add" && v.match.Path[2] != "set-url" || strings.Contains(v.dir, hole) {
		return false
	}
	ops := v.operands()
	if len(ops) != 2 || !ops[0].known() || !ops[1].known() || v.match.Has("--add --push --delete") {
		return false
	}
	e.remotes = append(e.remotes, gitRemote{e.gitPlace(e.gitCall(f, v)), gitrepo.Entry{Key: "remote." + ops[0].text + ".url", Value: ops[1].text, HasValue: true, Scope: gitrepo.Command}})
	return true
}

func (e *engine) gitPlace(c gitrepo.Call) string { return cmp.Or(gitrepo.Open(e.fs, c).GitDir, c.Dir) }

// gitFolder is the ".git" of a model: the repository's, which git finds from the folder it runs in, or by its options.
func (e *engine) gitFolder(f *frame, v *invocation) string {
	if strings.Contains(v.dir, hole) {
		return ".git"
	}
	if r := gitrepo.Open(e.fs, e.gitCall(f, v)); r.GitDir != "" {
		return r.GitDir
	}
	return ".git"
}

// gitTree is the "." of a model: what a command of git changes is the working tree, whichever folder below it git runs in, and
// wherever its options put it. A few commands keep to the folder.
func (e *engine) gitTree(f *frame, v *invocation) string {
	if strings.Contains(v.dir, hole) {
		return "."
	}
	r := gitrepo.Open(e.fs, e.gitCall(f, v))
	switch v.match.Path[len(v.match.Path)-1] {
	case "clean", "bugreport", "diagnose", "format-patch", "unpack-file", "archimport", "cvsimport", "init", "clone":
		if workspace.Within(v.dir, r.WorkTree) {
			return "."
		}
	}
	return cmp.Or(r.WorkTree, ".")
}

// gitCall reads the invocation as git does.
func (e *engine) gitCall(f *frame, v *invocation) gitrepo.Call {
	args := make([]string, 0, len(v.args))
	for _, a := range v.args[1:] {
		args = append(args, shellUnknown(a.text))
	}
	c := gitrepo.ParseCall(args, v.dir, e.homeOf(f), e.environment(f))
	if len(e.remotes) > 0 {
		at := e.gitPlace(c)
		for _, r := range e.remotes {
			if r.dir == at {
				c.Config = append(c.Config, r.entry)
			}
		}
	}
	return c
}

// homeOf is the home folder that a program is given.
func (e *engine) homeOf(f *frame) string {
	if v, ok := f.vars["HOME"]; ok && v.exported && v.one().known() && v.one().text != "" {
		return f.abs(v.one().text)
	}
	return e.home
}

// gitAlias follows a verb that is not git's own: an alias, or a program git-VERB on the path (git(1)).
func (e *engine) gitAlias(f *frame, v *invocation, call gitrepo.Call) {
	r := gitrepo.Open(e.fs, call)
	x, ok := r.Expand()
	switch {
	case ok && x.Shell != "":
		e.follow(f, githooks.Plan(e.fs, call))
	case ok && e.step(f):
		argv := slices.Clone(v.args[:v.match.SubIndex+1])                             // git and its own options
		for _, c := range x.Call.Config[min(len(call.Config), len(x.Call.Config)):] { // the alias' own options
			argv = append(argv, word{text: "-c"}, word{text: c.Key + "=" + c.Value, quoted: true})
		}
		if x.Call.Dir != call.Dir {
			argv = append(argv, word{text: "-C"}, word{text: x.Call.Dir, quoted: true})
		}
		if x.Call.GitDir != call.GitDir {
			argv = append(argv, word{text: "--git-dir=" + x.Call.GitDir, quoted: true})
		}
		if x.Call.WorkTree != call.WorkTree {
			argv = append(argv, word{text: "--work-tree=" + x.Call.WorkTree, quoted: true})
		}
		argv = append(argv, word{text: x.Call.Verb})
		for _, a := range x.Call.Args {
			argv = append(argv, word{text: strings.ReplaceAll(a, "${"+unknownName+"}", hole), quoted: true})
		}
		g := f.claimed(x.From)
		g.dir = v.dir
		e.startProgram(&g, argv, v.line)
	default:
		name := "git-" + call.Verb
		if p := e.find(f, name); p.path != "" && !strings.Contains(call.Verb, "${") {
			e.startProgram(f, append([]word{{text: name}}, v.args[v.match.SubIndex+2:]...), v.line)
			return
		}
		e.unknown(f, v.src, "git: "+show(v.args[v.match.SubIndex+1].text)+" is neither a command of git, an alias, nor a program git-NAME on the path")
	}
}

// shellUnknown writes holes the way workflow sources know them.
func shellUnknown(s string) string { return strings.ReplaceAll(s, hole, "${"+unknownName+"}") }

// environment is what a program of this frame inherits, as far as values are known.
func (e *engine) environment(f *frame) map[string]string {
	env := make(map[string]string, len(e.env)+len(f.vars))
	for k, v := range e.env {
		env[k] = v
	}
	for k, v := range f.fields {
		env[k] = v
	}
	for k, v := range f.vars {
		if v.exported {
			env[k] = shellUnknown(v.one().text)
		}
	}
	return env
}
