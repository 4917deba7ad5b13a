package githooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/gitrepo"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// eventNames are the hooks of githooks(5) that git on this machine can run by itself.
var eventNames = []string{"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg",
	"post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "post-receive", "post-update",
	"reference-transaction", "pre-auto-gc", "post-rewrite", "post-index-change"}

// world is a real repository with a hook for every event, each of which writes its name into a log.
type world struct {
	t    *testing.T
	root string
	env  map[string]string
}

func newWorld(t *testing.T) *world {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &world{t, root, map[string]string{"HOME": root + "/home", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
		"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_EDITOR": "true", "LOG": root + "/log"}}
}

// pattern makes the world that the tests copy. Nothing in it names where it is.
func pattern(t *testing.T) *world {
	w := newWorld(t)
	for _, e := range eventNames {
		w.program("hooks/"+e, "")
		w.program("receive-hooks/"+e, "there:")
	}
	w.program("hooks/monitor", "")
	w.file("home/.gitconfig", "[init]\ndefaultBranch=main\n[advice]\ndetachedHead=false\n[protocol \"file\"]\nallow=always\n")
	w.git("init", "-q", w.root+"/r")
	w.file("r/a", "a\n")
	w.git("add", "a")
	w.git("commit", "-qm", "one")
	w.file("r/b", "b\n")
	w.git("add", "b")
	w.git("commit", "-qm", "two")
	w.git("branch", "old", "HEAD~1")
	w.git("checkout", "-q", "-b", "side", "HEAD~1")
	w.file("r/c", "c\n")
	w.git("add", "c")
	w.git("commit", "-qm", "three")
	w.git("checkout", "-q", "main")
	w.git("init", "-q", "--bare", w.root+"/b.git")
	w.git("remote", "add", "origin", "../b.git")
	w.git("push", "-q", "-u", "origin", "main", "side")
	w.git("config", "core.hooksPath", "../hooks")
	w.git("config", "core.fsmonitor", "../hooks/monitor")
	w.git("--git-dir="+w.root+"/b.git", "config", "core.hooksPath", "../receive-hooks")
	return w
}

func (w *world) copy(t *testing.T) *world {
	c := newWorld(t)
	if err := os.CopyFS(c.root, os.DirFS(w.root)); err != nil {
		t.Fatal(err)
	}
	c.git("-c", "core.hooksPath=/dev/null", "status") // the index knows the files by their inodes
	return c
}

func (w *world) file(name, text string) {
	w.t.Helper()
	name = filepath.Join(w.root, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// program writes a script that logs its own name.
func (w *world) program(name, prefix string) {
	w.t.Helper()
	w.file(name, "#!/bin/sh\necho "+prefix+filepath.Base(name)+" >> \"$LOG\"\n")
	if err := os.Chmod(filepath.Join(w.root, name), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) try(args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = w.root
	if _, err := os.Stat(w.root + "/r"); err == nil {
		cmd.Dir = w.root + "/r"
	}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	for k, v := range w.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return cmd.CombinedOutput()
}

func (w *world) git(args ...string) {
	w.t.Helper()
	if out, err := w.try(args...); err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// observed runs the command and gives the hooks that really ran, sorted.
func (w *world) observed(args []string) []string {
	w.t.Helper()
	w.file("log", "")
	if out, err := w.try(args...); err != nil {
		w.t.Logf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	b, err := os.ReadFile(w.root + "/log")
	if err != nil {
		w.t.Fatal(err)
	}
	names := strings.Fields(string(b))
	slices.Sort(names)
	return slices.Compact(names)
}

func (w *world) call(args []string) gitrepo.Call {
	return gitrepo.ParseCall(args, w.root+"/r", w.root+"/home", w.env)
}

// predicted gives the hooks that Plan names, in the words of the log.
func (w *world) predicted(args []string) []string {
	res := Plan(workspace.New("", workspace.Limits{}), w.call(args))
	if len(res.Unknowns) > 0 {
		w.t.Errorf("unknowns: %v", res.Unknowns)
	}
	return hookNames(res)
}

func hookNames(res source.Result) []string {
	var names []string
	for _, j := range res.Jobs {
		switch {
		case j.Script != "" && strings.Contains(j.Script, "/receive-hooks/"):
			names = append(names, "there:"+filepath.Base(j.Script))
		case j.Script != "":
			names = append(names, filepath.Base(j.Script))
		case j.Label == "core.fsmonitor":
			names = append(names, "monitor")
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestHooksOfVerbs runs each command in a real repository, with a hook for every event, and compares with what was predicted.
// Extra names what is predicted though it does not run in this state of the repository, or only in later versions of git.
func TestHooksOfVerbs(t *testing.T) {
	change := func(w *world) { w.file("r/a", "changed\n") }
	diverge := func(w *world) {
		w.git("-c", "core.hooksPath=/dev/null", "push", "-q", "origin", "side:main", "-f")
		w.git("-c", "core.hooksPath=/dev/null", "fetch", "-q")
	}
	mergeStopped := func(w *world) { w.git("-c", "core.hooksPath=/dev/null", "merge", "-q", "--no-commit", "side") }
	conflict := func(w *world) {
		w.git("checkout", "-q", "side")
		w.file("r/b", "other\n")
		w.git("add", "b")
		w.git("commit", "-qm", "conflict")
	}
	rebaseStopped := func(w *world) {
		conflict(w)
		w.try("rebase", "main")
		w.file("r/b", "both\n")
		w.git("add", "b")
	}
	pickStopped := func(w *world) {
		conflict(w)
		w.try("cherry-pick", "main")
		w.file("r/b", "both\n")
		w.git("add", "b")
	}
	patch := func(w *world) { w.git("format-patch", "-q", "-1", "side", "-o", w.root) }
	template := func(w *world) {
		if err := os.CopyFS(w.root+"/tmpl/hooks", os.DirFS(w.root+"/hooks")); err != nil {
			w.t.Fatal(err)
		}
	}
	submodule := func(w *world) {
		w.git("-c", "core.hooksPath=/dev/null", "submodule", "--quiet", "add", "../b.git", "sub")
	}
	tests := []struct {
		command string
		prepare func(*world)
		extra   string
	}{
		{"clone -q --template=../tmpl ../b.git ../cl", template, ""},
		{"clone -q ../b.git ../cl --template ../tmpl", template, ""},
		{"-c init.templateDir=../tmpl clone -q ../b.git ../cl", template, ""},
		{"clone -q -n --template=../tmpl ../b.git ../cl", template, "post-index-change"},
		{"clone -q --bare --template=../tmpl ../b.git ../cl", template, "post-index-change"},
		{"clone -q ../b.git ../cl", nil, ""},
		{"submodule -q status", submodule, ""},
		{"submodule -q update", func(w *world) { // the submodule is not where the index says
			submodule(w)
			w.git("commit", "-qm", "sub", "--no-verify")
			w.git("-C", "sub", "checkout", "-q", "HEAD~1")
			w.git("-C", "sub", "config", "core.hooksPath", w.root+"/hooks")
			w.git("config", "core.hooksPath", "/dev/null")
		}, "reference-transaction"},
		{"commit -qam m", change, ""},
		{"commit -nqam m", change, ""},
		{"commit -qam m --no-verify", change, ""},
		{"commit -qam m --no-verify --verify", change, ""},
		{"commit -qa -m -n", change, ""}, // the message is "-n"
		{"commit -qamn", change, ""},     // and here "n"
		{"commit --amend -qm z", nil, ""},
		{"commit --amend --no-edit -q", nil, ""},
		{"commit --amend --no-post-rewrite -qm z", nil, ""},
		{"commit --dry-run -a -m x", change, "reference-transaction"},
		{"commit --allow-empty -m x", nil, ""},
		{"-c core.hooksPath=/dev/null commit -qam m", change, ""},
		{"merge -q side", nil, ""},
		{"merge -q --no-verify side", nil, ""},
		{"merge -q --ff-only main", func(w *world) { w.git("checkout", "-q", "old") }, ""},
		{"merge -q main", func(w *world) { w.git("checkout", "-q", "old") }, "commit-msg pre-merge-commit prepare-commit-msg"},
		{"merge -q --squash side", nil, ""},
		{"merge -q --no-commit side", nil, "post-merge"},
		{"merge --continue", mergeStopped, "post-merge"},
		{"merge --abort", mergeStopped, ""},
		{"-c merge.ff=only merge -q main", func(w *world) { w.git("checkout", "-q", "old") }, ""},
		{"checkout -q side", nil, "reference-transaction"},
		{"checkout -q -- a", change, "reference-transaction"},
		{"checkout -q -b nb", nil, "monitor post-index-change"},
		{"switch -q side", nil, "reference-transaction"},
		{"restore a", change, "reference-transaction"},
		{"rebase -q main side", nil, ""},
		{"rebase -q --no-verify main side", nil, ""},
		{"rebase -q --apply main side", nil, ""},
		{"-c rebase.backend=apply rebase -q main side", nil, ""},
		{"rebase -q -i main side", nil, "commit-msg pre-commit"},
		{"rebase --continue", rebaseStopped, ""},
		{"rebase --abort", rebaseStopped, ""},
		{"rebase --skip", rebaseStopped, "post-commit prepare-commit-msg"},
		{"cherry-pick side", nil, ""},
		{"cherry-pick -n side", nil, "reference-transaction"},
		{"cherry-pick -e side", nil, ""},
		{"cherry-pick --continue", pickStopped, ""},
		{"cherry-pick --abort", pickStopped, ""},
		{"revert --no-edit HEAD", nil, ""},
		{"revert HEAD", nil, ""},
		{"am -q ../0001-three.patch", patch, ""},
		{"am -q -3 ../0001-three.patch", patch, ""},
		{"push -q", change, "there:post-receive there:post-update there:pre-receive there:reference-transaction there:update reference-transaction"},
		{"push -q origin main:new", nil, ""},
		{"push -q --no-verify origin main:new", nil, ""},
		{"push -q --dry-run origin main:new", nil, "reference-transaction"},
		{"push -q origin :side", nil, ""},
		{"fetch -q", diverge, "reference-transaction"},
		{"pull -q --no-rebase", diverge, ""},
		{"pull -q --rebase", diverge, "post-commit post-merge post-rewrite prepare-commit-msg"},
		{"pull -q --ff-only", func(w *world) { w.git("reset", "-q", "--hard", "HEAD~1") }, ""},
		{"-c pull.rebase=true pull -q", diverge, "post-commit post-merge post-rewrite prepare-commit-msg"},
		{"reset -q --hard", change, ""},
		{"stash -q", change, ""},
		{"stash list", nil, ""},
		{"status", nil, ""},
		{"diff", nil, "post-index-change"},
		{"log -1", nil, ""},
		{"rev-parse HEAD", nil, ""},
		{"branch nb", nil, ""},
		{"branch", nil, ""},
		{"tag t", nil, ""},
		{"tag -l", nil, ""},
		{"add a", change, ""},
		{"rm -q a", nil, ""},
		{"mv a z", nil, ""},
		{"ls-files", nil, ""},
		{"worktree add ../wt side", nil, ""},
		{"worktree add --no-checkout ../wt side", nil, "reference-transaction"},
		{"update-ref refs/heads/k HEAD", nil, ""},
		{"gc --auto -q", nil, "monitor pre-auto-gc reference-transaction"},
		{"bisect start HEAD HEAD~1", nil, "monitor post-checkout post-index-change reference-transaction"},
		{"hook run pre-commit", nil, ""},
		{"hook run --ignore-missing no-such", nil, ""},
		{"-c alias.ci=commit ci -qam m", change, ""},
		{"-c alias.ci=commit -c alias.save='ci -n' save -qam m", change, ""},
		{"-c alias.commit=status commit -qam m", change, ""},
	}
	first := pattern(t)
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			t.Parallel()
			w := first.copy(t)
			if tt.prepare != nil {
				tt.prepare(w)
			}
			args := splitCommand(tt.command)
			got := w.predicted(args)
			for _, x := range strings.Fields(tt.extra) {
				got = slices.DeleteFunc(got, func(n string) bool { return n == x })
			}
			want := slices.DeleteFunc(w.observed(args), func(n string) bool { return slices.Contains(strings.Fields(tt.extra), n) })
			if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
				t.Error("hooks (-ran +predicted):", d)
			}
		})
	}
}

// splitCommand splits at blanks, with single quotes.
func splitCommand(s string) []string {
	var words []string
	for i, part := range strings.Split(s, "'") {
		if i%2 == 1 {
			words[len(words)-1] += part
			continue
		}
		words = append(words, strings.Fields(part)...)
		if i == 0 {
			continue
		}
	}
	return words
}
