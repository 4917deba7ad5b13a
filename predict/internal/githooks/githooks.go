// Package githooks is what a git command runs besides git: hooks, and every program that its configuration names. It reads
// only and refuses to decide whether a hook will pass: each that may run is named.
package githooks

import (
	"path"
	"slices"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/gitrepo"
	"github.com/ambit-dev/ambit/predict/internal/hookmanager"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// UnknownValue stands in shell text for a value that only the run will know.
const UnknownValue = "${AMBIT_UNKNOWN}"

// Plan says everything that a git command runs and contacts besides git's own work on its repository. An alias is followed.
func Plan(w *workspace.FS, c gitrepo.Call) source.Result {
	r := gitrepo.Open(w, c)
	res := source.Result{Unknowns: r.Unknowns}
	if x, ok := r.Expand(); ok {
		if x.Shell != "" {
			res.Jobs = append(res.Jobs, source.Job{Shell: x.Shell + ` "$@"`, Args: x.Args, Dir: r.Top(), Label: "alias " + c.Verb, From: rule(x.From, "git/alias")})
			return res
		}
		if !slices.Equal(x.Call.Config, c.Config) || x.Call.Dir != c.Dir || x.Call.GitDir != c.GitDir {
			r = gitrepo.Open(w, x.Call)
		}
		r.Call = x.Call
	}
	res.Add(Hooks(r))
	res.Add(Programs(r))
	res.Add(Contacts(r))
	if locksIndex(r) {
		res.Claims = append(res.Claims, source.Claim{Class: effect.File, Access: effect.Write, Target: r.GitDir + "/index", From: effect.Source{Rule: "git/index-lock"}})
	}
	return res
}

// locksIndex tells whether a command that only looks takes the lock of the index all the same, to write down what it learnt of
// the files (git(1), GIT_OPTIONAL_LOCKS).
func locksIndex(r *gitrepo.Repo) bool {
	c := r.Call
	if r.WorkTree == "" || c.NoLocks {
		return false
	}
	if v, ok := c.Env["GIT_OPTIONAL_LOCKS"]; ok && (v == "0" || v == "false" || v == "no" || v == "off") {
		return false
	}
	return c.Verb == "status" || c.Verb == "describe" && has(c, "--dirty", "--broken")
}

// Hooks says which hooks the call of r runs.
func Hooks(r *gitrepo.Repo) source.Result {
	var res source.Result
	seen := map[string]bool{}
	for _, e := range events(r) {
		if key := e.dir + "\x00" + e.name; !seen[key] {
			seen[key] = true
			res.Add(hook(r, e))
		}
	}
	if r.Call.Verb == "submodule" && sub(r.Call) == "update" {
		for _, there := range submodules(r) {
			res.Add(Hooks(there))
		}
	}
	return res
}

// submodules opens the submodules that are there already, each for the checkout that an update makes in it.
func submodules(r *gitrepo.Repo) []*gitrepo.Repo {
	env := map[string]string{}
	for k, v := range r.Call.Env {
		switch k { // git takes away what belongs to the outer repository
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG_COUNT":
		default:
			env[k] = v
		}
	}
	var repos []*gitrepo.Repo
	for _, m := range gitrepo.Submodules(r) {
		there := gitrepo.Open(r.FS, gitrepo.Call{Dir: workspace.Join(r.Top(), m.Path), Home: r.Call.Home, Env: env, Config: r.Call.Config, Verb: "checkout"})
		if there.GitDir != "" && there.WorkTree != r.WorkTree && len(repos) < 50 {
			repos = append(repos, there)
		}
	}
	return repos
}

// event is one hook that git may run. dir is where it runs; empty for the top of the work tree.
type event struct {
	name string
	args []string
	dir  string
}

// hook gives the jobs of one event: configured hooks in the order of their event settings, then the file in the hooks folder
// (git-hook(1)).
func hook(r *gitrepo.Repo, e event) source.Result {
	var res source.Result
	dir := e.dir
	if dir == "" {
		dir = r.Top()
	}
	var fields map[string]string
	if r.GitDir != "" {
		fields = map[string]string{"GIT_DIR": r.GitDir}
	}
	from := "git/hook/" + e.name
	for _, c := range configured(r.Config, e.name) {
		res.Jobs = append(res.Jobs, source.Job{Shell: c.Value, Args: e.args, Dir: dir, Fields: fields, Label: e.name + " hook", From: rule(c.From, from)})
	}
	folder, ok := HooksDir(r)
	if !ok {
		res.Unknowns = append(res.Unknowns, source.Unknown{From: effect.Source{Rule: from}, Why: "the folder that core.hooksPath names is not known", Could: anything()})
		return res
	}
	if folder == "" {
		return res
	}
	p := path.Join(folder, e.name)
	if !r.FS.Executable(p) {
		return res
	}
	if f, err := r.FS.Read(p); err == nil {
		if managed, ok := hookmanager.Hook(r.FS, command(r, e.args), f, e.name); ok {
			res.Add(managed)
			return res
		}
	}
	res.Jobs = append(res.Jobs, source.Job{Script: p, Args: e.args, Dir: dir, Fields: fields, Label: e.name + " hook", From: fileSource(r.FS, p, from)})
	return res
}

// command is what a hook manager needs to know of the repository.
func command(r *gitrepo.Repo, args []string) hookmanager.Command {
	folder, _ := HooksDir(r)
	return hookmanager.Command{Args: args, Dir: r.Top(), Home: r.Call.Home, Env: r.Call.Env, Top: r.WorkTree, GitDir: r.CommonDir, HooksDir: folder, Branch: r.Branch}
}

// configured gives the commands that hook.*.event settings bind to an event (git-config(1) since 2.54). Older versions ignore
// them; which one will run is not known, so they count.
func configured(c gitrepo.Config, event string) []gitrepo.Entry {
	if !c.Bool("hook."+event+".enabled", true) {
		return nil
	}
	var names []string
	for _, e := range c {
		section, sub, name := gitrepo.SplitKey(e.Key)
		if section != "hook" || sub == "" || name != "event" {
			continue
		}
		if e.Value == "" || e.Value == event {
			names = slices.DeleteFunc(names, func(n string) bool { return n == sub })
		}
		if e.Value == event {
			names = append(names, sub)
		}
	}
	var commands []gitrepo.Entry
	for _, n := range names {
		if cmd, ok := c.Get("hook." + n + ".command"); ok && cmd.Value != "" && c.Bool("hook."+n+".enabled", true) {
			commands = append(commands, cmd)
		}
	}
	return commands
}

// HooksDir is the folder of hook files: core.hooksPath relative to where hooks run, or hooks of the repository (of the template,
// for a clone). It is empty where there is none, and false where it cannot be known.
func HooksDir(r *gitrepo.Repo) (string, bool) {
	if e, ok := r.Config.Get("core.hookspath"); ok && e.HasValue {
		if e.Value == "" {
			return "", true
		}
		p, known := r.Path(e.Value)
		return workspace.Join(r.Top(), p), known
	}
	if r.Call.Verb == "clone" || r.GitDir == "" {
		return templateHooks(r)
	}
	return r.CommonDir + "/hooks", true
}

// templateHooks is the hooks folder that a new repository gets a copy of (git-init(1), TEMPLATE DIRECTORY).
func templateHooks(r *gitrepo.Repo) (string, bool) {
	if v, ok := optionValue(r.Call.Args, "--template"); ok {
		return path.Join(workspace.Join(r.Call.Dir, v), "hooks"), true
	}
	if v := r.Call.Env["GIT_TEMPLATE_DIR"]; v != "" {
		return path.Join(workspace.Join(r.Call.Dir, v), "hooks"), true
	}
	if e, ok := r.Config.Get("init.templatedir"); ok && e.Value != "" {
		p, known := r.Path(e.Value)
		return path.Join(workspace.Join(r.Call.Dir, p), "hooks"), known
	}
	return "/usr/share/git-core/templates/hooks", true
}

func rule(s effect.Source, name string) effect.Source { s.Rule = name; return s }

// fileSource is a file as a source. A file that cannot be read has no digest: who follows the job finds that out.
func fileSource(w *workspace.FS, name, rule string) effect.Source {
	s := effect.Source{File: name, Line: 1, Rule: rule}
	if f, err := w.Read(name); err == nil {
		s.SHA256 = f.SHA256
	}
	return s
}

// anything is what a program of which nothing is known could do.
func anything() []effect.Class { return []effect.Class{effect.File, effect.Network, effect.Process} }
