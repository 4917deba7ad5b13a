package githooks

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/gitrepo"
)

// act is something that a git command does and that makes git run hooks or configured programs.
type act uint32

const (
	readsIndex  act = 1 << iota // asks the file system monitor
	writesIndex                 // runs post-index-change
	movesRefs                   // runs reference-transaction
	cleans                      // takes work tree files in: clean filters
	smudges                     // writes work tree files: smudge filters
	merges                      // merge drivers
	diffs                       // external diff programs
	converts                    // textconv programs
	fetches                     // contacts a remote to get
	pushes                      // contacts a remote to give
	edits                       // a message: the editor
	sequences                   // a list of steps: the sequence editor
	signs                       // the signing program
	verifies                    // the same, to check
	pages                       // output goes through the pager, on a terminal
	collects                    // garbage collection, at least "gc --auto"
	picks                       // interactive choice of hunks
	visits                      // reads many objects, which a partial clone fetches
)

// picksHunks tells whether the user chooses hunks one by one.
func picksHunks(c gitrepo.Call) bool {
	switch c.Verb {
	case "add", "checkout", "restore", "reset", "stash", "commit":
		return has(c, "-p", "--patch", "-i", "--interactive")
	}
	return false
}

// tree is what every command that moves the work tree to another commit does.
const tree = readsIndex | writesIndex | movesRefs | cleans | smudges | visits

// acts says what the call of r does, as far as programs depend on it. More than what happens is said where that depends on
// the state of the repository.
func acts(r *gitrepo.Repo) act {
	c := r.Call
	a := verbActs(c)
	switch c.Verb {
	case "commit":
		a |= commitActs(c)
	case "merge":
		a |= mergeActs(c)
	case "pull":
		a |= mergeActs(c)
		if pullRebases(r) && (optionText(c, "--rebase") == "interactive" || r.Config.Text("pull.rebase") == "interactive") {
			a |= sequences | edits
		}
	case "rebase":
		if has(c, "-i", "--interactive", "--edit-todo") || c.Short('i', "sXxC", "S") {
			a |= sequences | edits
		}
		if has(c, "--continue") {
			a |= edits
		}
	case "revert":
		if !has(c, "--no-edit", "-n", "--no-commit", "--abort", "--quit", "--skip") {
			a |= edits
		}
	case "cherry-pick":
		if has(c, "-e", "--edit", "--continue") {
			a |= edits
		}
	case "tag":
		a |= tagActs(c)
	case "branch":
		if has(c, "--edit-description") {
			a |= edits
		}
	case "config":
		if has(c, "-e", "--edit") || sub(c) == "edit" {
			a |= edits
		}
	case "notes":
		a |= notesActs(c)
	case "log", "show", "whatchanged", "format-patch", "stash":
		if has(c, "--ext-diff") {
			a |= diffs
		}
	}
	if picksHunks(c) {
		a |= picks
	}
	if a&(diffs|converts) != 0 && namesOnly(c) {
		a &^= diffs | converts
	}
	if has(c, "--no-ext-diff") {
		a &^= diffs
	}
	if has(c, "--no-textconv") {
		a &^= converts
	}
	return a | signActs(r)
}

// verbActs is what a verb does whatever its options; first those that work on the work tree, then the others.
func verbActs(c gitrepo.Call) act {
	switch c.Verb {
	case "add", "stage", "rm", "mv":
		return readsIndex | writesIndex | cleans
	case "commit":
		return readsIndex | writesIndex | movesRefs | cleans | collects
	case "status", "update-index", "apply":
		return readsIndex | writesIndex | cleans
	case "checkout", "switch", "restore":
		return tree | merges
	case "reset", "bisect", "sparse-checkout", "read-tree", "checkout-index", "filter-branch":
		return tree
	case "merge", "pull", "rebase", "cherry-pick", "revert", "am":
		return tree | merges | collects
	case "stash":
		switch sub(c) {
		case "list", "show":
			return pages | converts | visits
		}
		return tree | merges
	case "worktree":
		switch {
		case sub(c) == "add" && has(c, "--no-checkout"):
			return movesRefs
		case sub(c) == "add":
			return tree
		}
		return readsIndex
	case "clone":
		return tree | fetches
	case "submodule":
		return submoduleActs(c)
	}
	return otherActs(c)
}

func otherActs(c gitrepo.Call) act {
	switch c.Verb {
	case "diff":
		return readsIndex | writesIndex | cleans | diffs | converts | pages | visits
	case "difftool":
		return readsIndex | writesIndex | cleans | smudges | diffs | converts | pages | visits
	case "diff-index", "diff-files", "diff-tree":
		return readsIndex | cleans | diffs | visits
	case "log", "show", "whatchanged", "reflog":
		return converts | pages | visits
	case "blame", "annotate":
		return readsIndex | cleans | converts | pages | visits
	case "grep":
		return readsIndex | pages | visits
	case "branch", "tag":
		return pages | refChange(c)
	case "shortlog", "range-diff", "help", "config":
		return pages
	case "fetch":
		return fetches | movesRefs | readsIndex | collects
	case "push":
		return pushes | movesRefs
	case "remote":
		return remoteActs(c)
	case "ls-remote", "fetch-pack":
		return fetches
	case "send-pack", "http-push":
		return pushes
	case "archive":
		if has(c, "--remote") {
			return fetches
		}
		return smudges | visits
	case "describe":
		if has(c, "--dirty", "--broken") {
			return readsIndex | writesIndex
		}
	case "ls-files", "clean", "check-ignore", "check-attr", "write-tree", "repack", "prune", "fsck":
		return readsIndex
	case "gc", "maintenance":
		return readsIndex | movesRefs | collects
	case "update-ref", "symbolic-ref", "notes", "replace", "pack-refs", "fast-import", "bundle", "replay", "refs", "receive-pack":
		return movesRefs
	case "hash-object":
		return cleans
	case "cat-file":
		return converts | smudges | visits
	case "verify-commit", "verify-tag":
		return verifies
	}
	return 0
}

func remoteActs(c gitrepo.Call) act {
	switch sub(c) {
	case "update", "show", "prune":
		return fetches | movesRefs | readsIndex
	case "rename", "remove", "rm", "set-head":
		return movesRefs
	case "add":
		if has(c, "-f", "--fetch") {
			return fetches | movesRefs
		}
	}
	return 0
}

// refChange is movesRefs unless the call only lists.
func refChange(c gitrepo.Call) act {
	if has(c, "-l", "--list", "--show-current", "--contains", "--merged", "--no-merged", "-v", "--verify", "-a", "-r", "--all", "--remotes") && !has(c, "-d", "-D", "--delete") {
		return 0
	}
	if len(c.Operands()) == 0 && !has(c, "-u", "--set-upstream-to", "--unset-upstream") {
		return 0
	}
	return movesRefs
}

func submoduleActs(c gitrepo.Call) act {
	switch sub(c) {
	case "update", "add":
		return tree | fetches
	case "", "status", "summary", "foreach", "deinit":
		return readsIndex
	}
	return 0
}

// commitActs: an editor is started unless the message comes from elsewhere (git-commit(1)).
func commitActs(c gitrepo.Call) act {
	if has(c, "--dry-run", "--short", "--porcelain", "--long") {
		return 0
	}
	given := c.Short('m', "FCt", commitOptional) || c.Short('F', "mCct", commitOptional) || c.Short('C', "mFct", commitOptional) ||
		has(c, "--no-edit") || longest(c, "--message", len("--me")) || longest(c, "--file", len("--fil")) ||
		longest(c, "--reuse-message", len("--reu")) || longest(c, "--fixup", len("--fi")) && !strings.HasPrefix(optionText(c, "--fixup"), "amend:") &&
		!strings.HasPrefix(optionText(c, "--fixup"), "reword:")
	if c.Short('e', commitValues, commitOptional) || has(c, "--edit") || !given {
		return edits
	}
	return 0
}

func longest(c gitrepo.Call, name string, least int) bool { _, ok := c.Long(name, least); return ok }

func optionText(c gitrepo.Call, name string) string { v, _ := optionValue(c.Args, name); return v }

func mergeActs(c gitrepo.Call) act {
	if has(c, "--abort", "--quit", "--squash", "--no-commit", "--ff-only", "--no-edit") || c.Short('m', "sXF", "S") && !has(c, "-e", "--edit") {
		return fetchesIfPull(c)
	}
	return fetchesIfPull(c) | edits
}

func fetchesIfPull(c gitrepo.Call) act {
	if c.Verb == "pull" {
		return fetches
	}
	return 0
}

func tagActs(c gitrepo.Call) act {
	var a act
	if c.Short('v', "mFun", "") || has(c, "--verify") {
		a |= verifies
	}
	annotated := has(c, "-a", "--annotate", "-s", "--sign", "-u", "--local-user") || c.Short('a', "mFun", "")
	if annotated && !c.Short('m', "Fun", "") && !c.Short('F', "mun", "") && !has(c, "--message", "--file") || has(c, "-e", "--edit") {
		a |= edits
	}
	return a
}

func notesActs(c gitrepo.Call) act {
	if s := sub(c); (s == "add" || s == "append" || s == "edit") && !c.Short('m', "FCc", "") && !c.Short('F', "mCc", "") && !c.Short('C', "mFc", "") {
		return edits
	}
	return 0
}

// signActs follows -S and the settings that sign without being asked.
func signActs(r *gitrepo.Repo) act {
	c := r.Call
	var a act
	switch c.Verb {
	case "commit", "merge", "rebase", "cherry-pick", "revert", "am", "pull":
		asked := has(c, "--gpg-sign") || c.Short('S', commitValues+"sXx", "u")
		if (asked || r.Config.Bool("commit.gpgsign", false)) && !has(c, "--no-gpg-sign") {
			a |= signs
		}
		if has(c, "--verify-signatures") || r.Config.Bool("merge.verifysignatures", false) && (c.Verb == "merge" || c.Verb == "pull") {
			a |= verifies
		}
	case "tag":
		annotated := c.Short('a', "mFun", "") || c.Short('m', "Fun", "") || c.Short('F', "mun", "") || has(c, "--annotate", "--message", "--file")
		asked := c.Short('s', "mFun", "") || c.Short('u', "mFn", "") || has(c, "--sign", "--local-user")
		if (asked || r.Config.Bool("tag.gpgsign", false) || annotated && r.Config.Bool("tag.forcesignannotated", false)) && !has(c, "--no-sign") {
			a |= signs
		}
	case "push":
		v, given := optionValue(c.Args, "--signed")
		if !given {
			v = r.Config.Text("push.gpgsign")
		}
		if has(c, "--signed") && v == "" || v == "true" || v == "if-asked" {
			a |= signs
		}
	case "log", "show", "whatchanged":
		if has(c, "--show-signature") || r.Config.Bool("log.showsignature", false) {
			a |= verifies
		}
	}
	return a
}

// namesOnly tells whether only a summary of changes is asked for, which git makes without an external program.
func namesOnly(c gitrepo.Call) bool {
	if has(c, "-p", "--patch", "-u") {
		return false
	}
	return has(c, "--stat", "--shortstat", "--numstat", "--dirstat", "--name-only", "--name-status", "--raw", "--summary", "--check", "--quiet", "-s", "--no-patch") ||
		(c.Verb == "log" || c.Verb == "reflog") && !has(c, "-p", "--patch", "-u", "--cc", "-c", "-L", "-G")
}
