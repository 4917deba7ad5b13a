package predict

import (
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// A prediction is made from the files as they are now. What an action has written or deleted before it reads it is no longer
// what stands on the disk, so a program, a manifest or a configuration that is read after such a change is unknown.

// change is a file, or with tree all below a folder, that a command has written or deleted.
type change struct {
	path string
	tree bool
	any  bool // nothing is known of where it lies
	part part // what is known of its name, with tree
	git  bool // made for git, which changes its configuration and hooks only by name
	deps bool // made by a package manager in the folder that it installs into
	venv bool // a virtual environment was made there: its programs are what they are called
	gone bool // it was deleted
	by   int  // the call that made it
}

// anyChange is what is told, once, of a change that may have touched any file: where it is made.
type anyChange struct {
	from effect.Source
	told bool
}

// changes is what an action has changed so far, and what was looked at.
type changes struct {
	made   []change
	seen   map[change]bool
	call   int   // calls that have begun
	active []int // those that have not ended
	looked []string
	hits   []string // names of changed places that were read, until they are told
	wide   anyChange
	reach  bool // what the widest change may have touched was read, until it is told
	off    int  // above 0: what is looked at is data, not a program
	code   bool // a script makes the changes, in the order of its text
	part   part // of the name that is being written
	mute   bool // what is changed leaves what is run as it was
	loops  int  // above 0: what is looked at is remembered
}

// begin starts a call: what it changes itself counts for those that come after it, as one program knows what it writes.
func (c *changes) begin() {
	c.call++
	c.active = append(c.active, c.call)
}

// changed remembers that a file was written or deleted.
func (e *engine) changed(f *frame, on effect.Pattern, a effect.Access, src effect.Source) {
	rule := src.Rule
	if f.container != "" || e.changes.mute {
		return
	}
	x := change{path: filePath(on), tree: on.Tree, gone: a == effect.Delete, by: -1}
	if x.any = x.tree && x.path == "/"; !x.any {
		x.part = e.changes.part
	}
	tool, verb, _ := strings.Cut(rule, "/")
	switch tool {
	case "apt-get", "apt", "aptitude", "dnf", "yum", "apk", "pacman", "zypper":
		if systemFolder(x.path) {
			return // what the system installs is as trusted as the system
		}
	case "python-m", "virtualenv", "uv":
		x.venv = x.tree && (strings.HasPrefix(verb, "venv") || tool == "virtualenv" || strings.HasPrefix(verb, "virtualenv"))
	case "git":
		x.git = !strings.HasPrefix(verb, "remote") && !strings.HasPrefix(verb, "submodule") && !strings.HasPrefix(verb, "lfs")
	case "npm", "pnpm", "yarn", "bun", "go", "lerna":
		x.git = true
		x.deps = x.tree && path.Base(x.path) == "node_modules"
		if !x.tree && keepsRest(verb) {
			return
		}
	}
	if n := len(e.changes.active); n > 0 && !e.changes.code {
		x.by = e.changes.active[n-1]
	}
	if len(e.changes.made) > 1000 { // too many to tell apart: any file may be one of them
		x = change{path: "/", tree: true, any: true, by: -1}
	}
	if device(x.path) || e.changes.seen[x] {
		return
	}
	if x.any && e.changes.wide.from.Rule == "" {
		e.changes.wide.from = src
	}
	if e.changes.seen == nil {
		e.changes.seen = map[change]bool{}
	}
	e.changes.seen[x] = true
	e.changes.made = append(e.changes.made, x)
}

// keepsRest tells whether a package manager changes its manifest and lockfile only in what it says of dependencies and versions.
func keepsRest(verb string) bool {
	switch verb {
	case "install", "add", "ci", "uninstall", "remove", "update", "up", "upgrade", "version", "get", "mod/tidy", "dedupe", "prune", "dependencies":
		return true
	}
	return false
}

// part is what is known of a path of which a part is not: how it begins (absolute) and how it ends.
type part struct{ head, tail string }

func (x part) fits(p string) bool {
	return strings.HasPrefix(p, x.head) && strings.HasSuffix(p, x.tail) && len(p) >= len(x.head)+len(x.tail)
}

// partOf is the known part of a path with holes.
func (f *frame) partOf(w word) part {
	i, j := strings.Index(w.text, hole), strings.LastIndex(w.text, hole)
	if i < 0 || strings.Contains(f.dir, hole) {
		return part{}
	}
	x := part{tail: w.text[j+len(hole):]}
	if strings.Contains(x.tail, "/") {
		x.tail = path.Base(x.tail)
	}
	if head := w.text[:i]; head != "" && !strings.Contains(head, "..") {
		if x.head = f.abs(head); strings.HasSuffix(head, "/") {
			x.head = strings.TrimSuffix(x.head, "/") + "/"
		}
	}
	return x
}

// harmlessGitKey tells whether a key of git's configuration starts nothing and names no file.
func harmlessGitKey(key string) bool {
	section, name, _ := strings.Cut(strings.ToLower(key), ".")
	switch section {
	case "user", "author", "committer", "color", "push", "pull", "advice", "rerere", "branch", "init":
		return name != "templatedir" && name != ""
	}
	return false
}

// covers tells whether a change may have touched a file.
func (e *engine) covers(x change, p string, missing bool) bool {
	if x.path == p {
		// Only "git init" and "git clone" make a repository, and one that runs nothing of its own (gitCommand looks at templates).
		return (!x.gone || !missing) && !(x.git && missing && path.Base(p) == ".git")
	}
	if x.venv { // its programs are what they are called, and it has no configuration of its own
		return workspace.Within(p, x.path+"/lib")
	}
	if !x.tree || missing && (x.gone || x.deps) || !x.part.fits(p) {
		return false
	}
	if x.any {
		return !missing && workspace.Within(p, e.workspace)
	}
	if !workspace.Within(p, x.path) {
		return false
	}
	rest := strings.TrimPrefix(p, x.path)
	return !x.git || path.Base(x.path) != ".git" && !strings.Contains(rest+"/", "/.git/")
}

// madeVenv tells whether the action has made a virtual environment at a path.
func (e *engine) madeVenv(p string) bool {
	return slices.ContainsFunc(e.changes.made, func(x change) bool { return x.venv && x.path == p })
}

// look is told of each file whose content, or absence, an analysis asks for.
func (e *engine) look(p string, missing bool) {
	c := &e.changes
	if c.off > 0 {
		return
	}
	if c.loops > 0 {
		c.looked = append(c.looked, p)
	}
	if x, ok := e.changeOf(p, missing, 0); ok {
		e.hit(x)
	}
}

func (e *engine) hit(x change) {
	if x.any {
		e.changes.reach = true
		return
	}
	name := e.relative(x.path)
	if x.tree {
		name = "what lies below " + name
	}
	if !slices.Contains(e.changes.hits, name) {
		e.changes.hits = append(e.changes.hits, name)
	}
}

// changeOf finds a change of a file by a call that has ended.
func (e *engine) changeOf(p string, missing bool, since int) (change, bool) {
	for _, x := range e.changes.made[since:] {
		if e.covers(x, p, missing) && !slices.Contains(e.changes.active, x.by) {
			return x, true
		}
	}
	return change{}, false
}

// data reads a file that a program reads as it would any other; it is not known once it was changed.
func (e *engine) data(p string) (*workspace.File, bool) {
	r, err := e.fs.Resolve("/", p, true)
	if err != nil {
		r = p
	}
	if _, stale := e.changeOf(r, false, 0); stale {
		return nil, false
	}
	file, err := e.source(p)
	return file, err == nil
}

// source reads a file that was read before, to name it.
func (e *engine) source(p string) (*workspace.File, error) {
	e.changes.off++
	defer func() { e.changes.off-- }()
	return e.fs.Read(p)
}

// isDir tells whether a folder is at a path that a program uses as data.
func (e *engine) isDir(p string) bool {
	e.changes.off++
	defer func() { e.changes.off-- }()
	return e.fs.IsDir(p)
}

// present is isDir for anything at all.
func (e *engine) present(p string) bool {
	e.changes.off++
	defer func() { e.changes.off-- }()
	return e.fs.Exists(p)
}

// end ends a call, and tells which changed files it was analysed from.
func (e *engine) end(f *frame, line int) {
	e.changes.active = e.changes.active[:len(e.changes.active)-1]
	e.tellChanged(f, line)
}

func (e *engine) tellChanged(f *frame, line int) {
	for _, name := range e.changes.hits {
		e.unknown(f, f.source(line, "file/changed"), name+" is changed before it is used: what it then holds is not known")
	}
	e.changes.hits = nil
	if e.changes.reach && !e.changes.wide.told {
		e.changes.wide.told = true
		e.unknown(f, e.changes.wide.from, "a file whose name is not known is written here: other files of this action may hold something else when they are used")
	}
	e.changes.reach = false
}

// loop analyses the body of a loop once: what one turn changes, the next one reads.
func (e *engine) loop(f *frame, line int, body func()) {
	c := &e.changes
	looked, made := len(c.looked), len(c.made)
	c.loops++
	body()
	c.loops--
	for _, p := range c.looked[looked:] {
		if x, ok := e.changeOf(p, false, made); ok {
			e.hit(x)
		}
	}
	if c.loops == 0 {
		c.looked = nil
	}
	e.tellChanged(f, line)
}
