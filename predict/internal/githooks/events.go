package githooks

import (
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/gitrepo"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// events lists the hooks that a call may run, in the order in which they run (githooks(5)). The list was compared with git
// 2.39 by running each verb with a hook for every event; later versions run reference-transaction for more verbs.
func events(r *gitrepo.Repo) []event {
	c := r.Call
	does := acts(r)
	var evs []event
	if does&writesIndex != 0 {
		evs = append(evs, event{name: "post-index-change", args: []string{UnknownValue, UnknownValue}})
	}
	evs = append(evs, verbEvents(r)...)
	if does&movesRefs != 0 {
		evs = append(evs, event{name: "reference-transaction", args: []string{UnknownValue}})
	}
	if does&collects != 0 && (c.Verb == "gc" || c.Verb == "maintenance" || needsGC(r)) {
		evs = append(evs, event{name: "pre-auto-gc"})
	}
	return evs
}

func verbEvents(r *gitrepo.Repo) []event {
	c := r.Call
	switch c.Verb {
	case "commit":
		return commitEvents(r)
	case "merge":
		return mergeEvents(r)
	case "pull":
		return pullEvents(r)
	case "rebase":
		return rebaseEvents(r)
	case "am":
		return amEvents(r)
	case "cherry-pick", "revert":
		return pickEvents(r)
	case "checkout", "switch", "restore":
		return []event{{name: "post-checkout", args: []string{UnknownValue, UnknownValue, UnknownValue}}}
	case "bisect":
		switch sub(c) {
		case "start", "good", "bad", "new", "old", "skip", "reset", "run", "replay", "next":
			return []event{{name: "post-checkout", args: []string{UnknownValue, UnknownValue, "1"}}}
		}
	case "stash":
		if sub(c) == "branch" {
			return []event{{name: "post-checkout", args: []string{UnknownValue, UnknownValue, "1"}}}
		}
	case "worktree":
		return worktreeEvents(r)
	case "clone":
		return cloneEvents(c)
	case "push":
		return pushEvents(r)
	case "hook":
		return hookRunEvents(c)
	case "send-email":
		if !has(c, "--no-validate") {
			return []event{{name: "sendemail-validate", args: []string{UnknownValue, UnknownValue}, dir: c.Dir}}
		}
	case "receive-pack":
		return receiveEvents(c.Dir)
	case "p4":
		if sub(c) == "submit" {
			return []event{{name: "p4-changelist"}, {name: "p4-prepare-changelist"}, {name: "p4-post-changelist"}, {name: "p4-pre-submit"}}
		}
	}
	return nil
}

// skipsVerify tells whether --no-verify (or the short option n) is in force: the last of the two spellings wins.
func skipsVerify(c gitrepo.Call, short bool, withValue, optional string) bool {
	skip := short && c.Short('n', withValue, optional)
	for _, a := range beforeOperands(c.Args) {
		switch {
		case len(a) >= len("--no-ve") && strings.HasPrefix("--no-verify", a):
			skip = true
		case a == "--verify":
			skip = false
		}
	}
	return skip
}

const (
	commitValues   = "mFCct" // short options of git commit that take a value
	commitOptional = "uS"    // and those with a joined one only
)

func commitEvents(r *gitrepo.Repo) []event {
	c := r.Call
	if has(c, "--dry-run", "--short", "--porcelain", "--long", "-z", "--null") {
		return nil
	}
	message := r.GitDir + "/COMMIT_EDITMSG"
	verify := !skipsVerify(c, true, commitValues, commitOptional)
	var evs []event
	if verify {
		evs = append(evs, event{name: "pre-commit"})
	}
	evs = append(evs, event{name: "prepare-commit-msg", args: []string{message, UnknownValue}})
	if verify {
		evs = append(evs, event{name: "commit-msg", args: []string{message}})
	}
	evs = append(evs, event{name: "post-commit"})
	if amends(c) && !has(c, "--no-post-rewrite") {
		evs = append(evs, event{name: "post-rewrite", args: []string{"amend"}})
	}
	return evs
}

func amends(c gitrepo.Call) bool {
	_, ok := c.Long("--amend", len("--am"))
	return ok
}

func mergeEvents(r *gitrepo.Repo) []event {
	c := r.Call
	switch {
	case has(c, "--abort", "--quit"):
		return nil
	case has(c, "--continue"):
		return append(commitEvents(r), event{name: "post-merge", args: []string{"0"}})
	case has(c, "--squash"):
		return []event{{name: "post-merge", args: []string{"1"}}}
	case has(c, "--no-commit"):
		return []event{{name: "post-merge", args: []string{"0"}}} // a fast-forward is made all the same
	}
	var evs []event
	only := has(c, "--ff-only") || strings.EqualFold(r.Config.Text("merge.ff"), "only") && !has(c, "--ff", "--no-ff")
	if !only {
		verify := !skipsVerify(c, false, "", "")
		message := r.GitDir + "/MERGE_MSG"
		if verify {
			evs = append(evs, event{name: "pre-merge-commit"})
		}
		evs = append(evs, event{name: "prepare-commit-msg", args: []string{message, "merge"}})
		if verify {
			evs = append(evs, event{name: "commit-msg", args: []string{message}})
		}
	}
	return append(evs, event{name: "post-merge", args: []string{"0"}})
}

func pullEvents(r *gitrepo.Repo) []event {
	if pullRebases(r) {
		return append(rebaseEvents(r), event{name: "post-merge", args: []string{"0"}}) // a fast-forward is merged
	}
	return mergeEvents(r)
}

// pullRebases follows --rebase, branch.*.rebase and pull.rebase (git-pull(1)).
func pullRebases(r *gitrepo.Repo) bool {
	value, found := "", false
	for _, a := range beforeOperands(r.Call.Args) {
		switch {
		case a == "-r" || a == "--rebase":
			value, found = "true", true
		case a == "--no-rebase":
			value, found = "false", true
		case strings.HasPrefix(a, "--rebase="):
			value, found = strings.TrimPrefix(a, "--rebase="), true
		}
	}
	e := gitrepo.Entry{Value: value, HasValue: true}
	if !found {
		e, found = r.Config.Get("branch." + r.Branch + ".rebase")
	}
	if !found {
		e, found = r.Config.Get("pull.rebase")
	}
	b, ok := e.Bool()
	return found && (b || !ok) // "interactive" and "merges" are no booleans
}

func rebaseEvents(r *gitrepo.Repo) []event {
	c := r.Call
	if has(c, "--quit", "--edit-todo", "--show-current-patch", "--abort") {
		return nil
	}
	rewrite := event{name: "post-rewrite", args: []string{"rebase"}}
	message := r.GitDir + "/COMMIT_EDITMSG"
	commits := []event{{name: "prepare-commit-msg", args: []string{message, UnknownValue}}, {name: "post-commit"}}
	verified := []event{{name: "pre-commit"}, {name: "commit-msg", args: []string{message}}} // by reword, edit and squash steps
	if has(c, "--continue", "--skip") {
		if todo, _ := rebaseSteps(r); todo {
			commits = append(commits, verified...)
		}
		return append(commits, rewrite)
	}
	var evs []event
	if !skipsVerify(c, false, "", "") {
		evs = append(evs, event{name: "pre-rebase", args: []string{UnknownValue, UnknownValue}})
	}
	evs = append(evs, event{name: "post-checkout", args: []string{UnknownValue, UnknownValue, "1"}})
	interactive := has(c, "-i", "--interactive") || c.Short('i', "sXxC", "S")
	switch {
	case has(c, "--apply", "--whitespace", "--ignore-whitespace"),
		r.Config.Text("rebase.backend") == "apply" && !interactive && !has(c, "--merge", "-m", "-x", "--exec", "--rebase-merges", "-r", "--autosquash"):
		evs = append(evs, event{name: "applypatch-msg", args: []string{r.GitDir + "/rebase-apply/final-commit"}},
			event{name: "pre-applypatch"}, event{name: "post-applypatch"})
	case interactive || has(c, "--autosquash") || r.Config.Bool("rebase.autosquash", false):
		evs = append(slices.Concat(evs, commits), verified...)
	default:
		evs = append(evs, commits...)
	}
	return append(evs, rewrite)
}

// rebaseSteps reads what a stopped rebase still has to do: whether some step commits as git commit does, and the shell text of
// its exec steps (git-rebase(1), INTERACTIVE MODE).
func rebaseSteps(r *gitrepo.Repo) (verified bool, execs []source.Job) {
	f, err := r.FS.Read(r.GitDir + "/rebase-merge/git-rebase-todo")
	if err != nil {
		return false, nil
	}
	for i, line := range strings.Split(string(f.Data), "\n") {
		step, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch step {
		case "reword", "r", "edit", "e", "squash", "s", "fixup", "f":
			verified = true
		case "exec", "x":
			execs = append(execs, source.Job{Shell: strings.TrimSpace(rest), Dir: r.Top(), Label: "rebase step",
				From: effect.Source{File: f.Path, Line: i + 1, SHA256: f.SHA256, Rule: "git/rebase/exec"}})
		}
	}
	return verified, execs
}

func amEvents(r *gitrepo.Repo) []event {
	c := r.Call
	if has(c, "--abort", "--quit", "--show-current-patch") {
		return nil
	}
	var evs []event
	if !skipsVerify(c, true, "CpS", "S") {
		evs = append(evs, event{name: "applypatch-msg", args: []string{r.GitDir + "/rebase-apply/final-commit"}}, event{name: "pre-applypatch"})
	}
	return append(evs, event{name: "post-applypatch"})
}

func pickEvents(r *gitrepo.Repo) []event {
	c := r.Call
	message := r.GitDir + "/COMMIT_EDITMSG"
	switch {
	case has(c, "--abort", "--quit") || c.Short('n', "mSX", "S") || has(c, "--no-commit"):
		return nil
	case has(c, "--continue"):
		return []event{{name: "pre-commit"}, {name: "prepare-commit-msg", args: []string{message, "merge"}},
			{name: "commit-msg", args: []string{message}}, {name: "post-commit"}}
	}
	return []event{{name: "prepare-commit-msg", args: []string{message, UnknownValue}}, {name: "post-commit"}}
}

func worktreeEvents(r *gitrepo.Repo) []event {
	c := r.Call
	if sub(c) != "add" || has(c, "--no-checkout") {
		return nil
	}
	dir := c.Dir
	if ops := c.Operands("-b", "-B", "--reason", "--orphan"); len(ops) > 1 {
		dir = workspace.Join(c.Dir, ops[1])
	}
	return []event{{name: "post-checkout", args: []string{strings.Repeat("0", 40), UnknownValue, "1"}, dir: dir}}
}

// cloneOptions are the options of git clone that take the next argument.
var cloneOptions = []string{"-o", "--origin", "-b", "--branch", "-u", "--upload-pack", "--reference", "--reference-if-able", "--separate-git-dir",
	"--depth", "-c", "--config", "--template", "-j", "--jobs", "--filter", "--server-option", "--shallow-since", "--shallow-exclude",
	"--bundle-uri", "--ref-format", "--revision"}

func cloneEvents(c gitrepo.Call) []event {
	if has(c, "--bare", "--mirror", "--no-checkout") || c.Short('n', "obucj", "") {
		return nil
	}
	return []event{{name: "post-checkout", args: []string{strings.Repeat("0", 40), UnknownValue, "1"}, dir: cloneDir(c)}}
}

// cloneDir is the folder that git clone makes: its second operand, or the "humanish" end of the address (git-clone(1)).
func cloneDir(c gitrepo.Call) string {
	ops := c.Operands(cloneOptions...)
	switch {
	case len(ops) > 1:
		return workspace.Join(c.Dir, ops[1])
	case len(ops) == 0:
		return c.Dir
	}
	u := strings.TrimRight(ops[0], "/")
	u = strings.TrimRight(strings.TrimSuffix(u, "/.git"), "/")
	u = u[strings.LastIndexAny(u, "/:")+1:]
	return path.Join(c.Dir, strings.TrimSuffix(strings.TrimSuffix(u, ".git"), ".bundle"))
}

func pushEvents(r *gitrepo.Repo) []event {
	if skipsVerify(r.Call, false, "", "") {
		return nil
	}
	name := pushTarget(r)
	rem := r.Remote(name)
	var evs []event
	for _, u := range rem.Push[:min(1, len(rem.Push))] { // once for each address, with the same hook
		evs = append(evs, event{name: "pre-push", args: []string{name, u.Text}})
	}
	return evs
}

// receiveEvents are the hooks of the repository that is pushed to; they run in it (githooks(5)).
func receiveEvents(dir string) []event {
	var evs []event
	for _, n := range []string{"pre-receive", "update", "proc-receive", "reference-transaction", "push-to-checkout", "post-receive", "post-update"} {
		evs = append(evs, event{name: n, dir: dir, args: []string{UnknownValue, UnknownValue, UnknownValue}})
	}
	return evs
}

func hookRunEvents(c gitrepo.Call) []event {
	ops := c.Operands("--to-stdin", "-j", "--jobs")
	if len(ops) < 2 || ops[0] != "run" {
		return nil
	}
	var args []string
	if i := slices.Index(c.Args, "--"); i >= 0 {
		args = c.Args[i+1:]
	}
	return []event{{name: ops[1], args: args}}
}

// needsGC tells whether "git gc --auto" would find work: more loose objects than gc.auto says, estimated from one folder of
// 256 as git does, or more packs than gc.autoPackLimit.
func needsGC(r *gitrepo.Repo) bool {
	if !r.Config.Bool("maintenance.auto", true) || r.CommonDir == "" {
		return false
	}
	limit := number(r.Config, "gc.auto", 6700)
	if limit <= 0 {
		return false
	}
	loose, _ := r.FS.Names(r.CommonDir + "/objects/17")
	if len(loose) > (limit+255)/256 {
		return true
	}
	packs := 0
	names, _ := r.FS.Names(r.CommonDir + "/objects/pack")
	for _, n := range names {
		if strings.HasSuffix(n, ".pack") {
			packs++
		}
	}
	most := number(r.Config, "gc.autopacklimit", 50)
	return most > 0 && packs > most
}
