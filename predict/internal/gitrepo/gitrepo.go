// Package gitrepo is a git repository as git itself would see it for one command line: where it is, every setting that
// applies with the file and line it stands in, its remotes, aliases and attributes. It reads only; it refuses to guess: a
// setting that cannot be read is an unknown.
package gitrepo

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Repo is what one git call finds. GitDir is empty outside of a repository; the configuration of system, user and
// command line is there all the same.
type Repo struct {
	FS   *workspace.FS
	Call Call

	GitDir    string // absolute, links resolved
	CommonDir string // where hooks, refs and config are shared by worktrees
	WorkTree  string // empty for a bare repository
	Branch    string // short name of the current branch; empty when detached or not known

	Config   Config
	Unknowns []source.Unknown
}

// Open finds the repository of a call and reads its configuration. A command that makes a repository looks for none around it.
func Open(w *workspace.FS, c Call) *Repo {
	r := &Repo{FS: w, Call: c}
	worktree := ""
	switch c.Verb {
	case "clone", "init", "init-db":
	default:
		worktree = r.find()
	}
	if r.GitDir != "" {
		r.CommonDir = r.GitDir
		if d := c.Env["GIT_COMMON_DIR"]; d != "" {
			r.CommonDir = r.resolve(c.Dir, d)
		} else if text, ok := r.line(r.GitDir + "/commondir"); ok {
			r.CommonDir = r.resolve(r.GitDir, text)
		}
		if text, ok := r.line(r.GitDir + "/HEAD"); ok {
			if ref, ok := strings.CutPrefix(text, "ref:"); ok {
				r.Branch, _ = strings.CutPrefix(strings.TrimSpace(ref), "refs/heads/")
			}
		}
		if r.Branch == ".invalid" { // the reftable format keeps the real one elsewhere
			r.Branch = ""
		}
	}
	r.load()
	if r.GitDir != "" {
		r.WorkTree = r.workTree(worktree)
	}
	return r
}

// Top is the folder in which git runs hooks, shell aliases and most programs: the top of the work tree, or the repository
// itself where there is none (githooks(5)).
func (r *Repo) Top() string {
	switch {
	case r.WorkTree != "":
		return r.WorkTree
	case r.GitDir != "":
		return r.GitDir
	}
	return r.Call.Dir
}

// find sets GitDir and gives the folder that its place makes the work tree.
func (r *Repo) find() (worktree string) {
	c := r.Call
	explicit := c.GitDir
	if explicit == "" {
		explicit = c.Env["GIT_DIR"]
	}
	if explicit == "" && c.Bare {
		explicit = "."
	}
	if explicit != "" {
		dir := workspace.Join(c.Dir, explicit)
		if to, ok := r.gitFile(dir); ok {
			dir = to
		}
		if r.isGitDir(dir) {
			r.GitDir = r.resolve("/", dir)
		}
		return c.Dir
	}
	ceilings := strings.Split(c.Env["GIT_CEILING_DIRECTORIES"], ":")
	dir, err := r.FS.Resolve("/", c.Dir, true)
	if err != nil {
		return ""
	}
	for at := dir; ; at = path.Dir(at) {
		dot := workspace.Join(at, ".git")
		if to, ok := r.gitFile(dot); ok {
			dot = to
		}
		if r.isGitDir(dot) {
			r.GitDir = r.resolve("/", dot)
			return at
		}
		if r.isGitDir(at) {
			r.GitDir = at
			return ""
		}
		if at == "/" || isCeiling(path.Dir(at), ceilings) {
			return ""
		}
	}
}

func isCeiling(dir string, ceilings []string) bool {
	for _, c := range ceilings {
		if path.IsAbs(c) && path.Clean(c) == dir {
			return true
		}
	}
	return false
}

// gitFile reads a ".git" file that points elsewhere (gitrepository-layout(5)).
func (r *Repo) gitFile(name string) (dir string, ok bool) {
	if !r.FS.IsFile(name) {
		return "", false
	}
	text, ok := r.line(name)
	if !ok {
		return "", false
	}
	to, ok := strings.CutPrefix(text, "gitdir:")
	return workspace.Join(path.Dir(name), strings.TrimSpace(to)), ok
}

// isGitDir follows git's own test: HEAD, objects and refs, where a worktree has the last two in its common directory.
func (r *Repo) isGitDir(dir string) bool {
	if _, err := r.FS.Lstat(dir + "/HEAD"); err != nil {
		return false
	}
	common := dir
	if text, ok := r.line(dir + "/commondir"); ok {
		common = workspace.Join(dir, text)
	}
	objects := common + "/objects"
	if d := r.Call.Env["GIT_OBJECT_DIRECTORY"]; d != "" {
		objects = workspace.Join(r.Call.Dir, d)
	}
	return r.FS.IsDir(objects) && r.FS.IsDir(common+"/refs")
}

// workTree applies --work-tree, GIT_WORK_TREE, core.worktree and core.bare, in git's order.
func (r *Repo) workTree(found string) string {
	c := r.Call
	if c.WorkTree != "" {
		return r.resolve(c.Dir, c.WorkTree)
	}
	if d := c.Env["GIT_WORK_TREE"]; d != "" {
		return r.resolve(c.Dir, d)
	}
	if e, ok := r.Config.Get("core.worktree"); ok && e.HasValue && e.Scope >= Local {
		return r.resolve(r.GitDir, e.Value)
	}
	if c.Bare || r.GitDir == r.CommonDir && r.Config.Bool("core.bare", false) {
		return ""
	}
	return found
}

// resolve gives the absolute path with links resolved, or as written where that fails.
func (r *Repo) resolve(dir, name string) string {
	if p, err := r.FS.Resolve(dir, name, true); err == nil {
		return p
	}
	return workspace.Join(dir, name)
}

// line is the text of a small file that holds one line, without the white space at its end.
func (r *Repo) line(name string) (string, bool) {
	f, err := r.FS.Read(name)
	if err != nil {
		return "", false
	}
	return strings.TrimRight(string(f.Data), " \t\r\n"), true
}

// read reads a file of settings. A missing one is what git ignores; any other failure is an unknown.
func (r *Repo) read(name, rule string) (*workspace.File, bool) {
	f, err := r.FS.Read(name)
	if err == nil {
		return f, true
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		r.unknown(effect.Source{File: name, Rule: rule}, name+" cannot be read: "+err.Error())
	}
	return nil, false
}

func (r *Repo) unknown(from effect.Source, why string) {
	r.Unknowns = append(r.Unknowns, source.Unknown{From: from, Why: why, Could: []effect.Class{effect.File, effect.Network, effect.Process}})
}
