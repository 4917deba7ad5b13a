package predict

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// A command can make a file reachable by another name and then use that name: a symbolic link, a bind mount, a link that was
// moved, a descriptor that was opened, another root. The files that a word names are all those that it may reach: by the file
// system as it is, and by what the action has put there.

// names is what an action has made of names so far.
type names struct {
	links map[string][]string // what the link at a resolved path may lead to, as it is written
	moved map[string]string   // for links that stand for a move or a copy: the resolved path that was moved
	open  []openLink
	most  int // the most alternatives that a path has
}

// openLink is a link whose own name is not known: it lies somewhere below dir.
type openLink struct{ dir, to string }

const maxTargets = 4

// overlay is the file system with what the action has made of names. It implements effect.Links.
type overlay struct {
	fs    *workspace.FS
	names *names
	which int    // which of the alternatives a path leads to; -1: the file system as it is
	cwd   string // what /proc/self/cwd leads to
}

// entry is the information of a file that the action has made, or of one of /proc that is another process's.
type entry fs.FileMode

func (entry) Name() string        { return "" }
func (entry) Size() int64         { return 0 }
func (m entry) Mode() fs.FileMode { return fs.FileMode(m) }
func (entry) ModTime() time.Time  { return time.Time{} }
func (m entry) IsDir() bool       { return fs.FileMode(m).IsDir() }
func (entry) Sys() any            { return nil }

// Lstat is the file system's, but for links that the action makes and the folders of processes.
func (o *overlay) Lstat(name string) (fs.FileInfo, error) {
	if _, ok := o.target(name); ok {
		return entry(fs.ModeSymlink), nil
	}
	if strings.HasPrefix(name, "/proc/") && processPath(name) != nil {
		return entry(fs.ModeDir), nil
	}
	return o.fs.Lstat(name)
}

// Readlink is the file system's with the same exceptions. A target that is not known is a hole.
func (o *overlay) Readlink(name string) (string, error) {
	if to, ok := o.target(name); ok {
		return to, nil
	}
	return o.fs.Readlink(name)
}

func (o *overlay) target(name string) (string, bool) {
	if rest := processPath(name); len(rest) > 1 {
		own := rest[0] != "other"
		switch {
		case len(rest) == 2 && rest[1] == "root":
			return "/", true // a process in another root is not one that an agent starts
		case len(rest) == 2 && rest[1] == "cwd" && own && !strings.Contains(o.cwd, hole):
			return o.cwd, true
		case len(rest) == 2 && (rest[1] == "cwd" || rest[1] == "exe"), len(rest) == 3 && (rest[1] == "fd" || rest[1] == "map_files") && !own:
			return "/" + hole, true
		}
	}
	if o.which < 0 || o.names.links == nil {
		return "", false
	}
	to := o.names.links[name]
	if len(to) == 0 {
		return "", false
	}
	return to[min(o.which, len(to)-1)], true
}

// processPath takes a path of /proc that belongs to a process apart (proc(5)): "own" or "other", then what is below the
// process's folder. It is nil for any other path.
func processPath(name string) []string {
	rest, ok := strings.CutPrefix(name, "/proc/")
	if !ok {
		return nil
	}
	parts := strings.Split(rest, "/")
	switch pid := parts[0]; {
	case pid == "self" || pid == "thread-self":
		parts[0] = "own"
	case pid != "" && strings.Trim(pid, "0123456789") == "":
		parts[0] = "other"
	default:
		return nil
	}
	if len(parts) > 2 && parts[1] == "task" {
		parts = append(parts[:1], parts[3:]...)
	}
	return parts
}

// descriptor is the number of an open file that a resolved path stands for: /proc/self/fd/3, which opens the file anew.
func descriptor(name string) (string, bool) {
	if n, ok := strings.CutPrefix(name, "/dev/fd/"); ok {
		return n, true
	}
	if p := processPath(name); len(p) == 3 && p[0] == "own" && p[1] == "fd" {
		return p[2], true
	}
	switch name {
	case "/dev/stdin":
		return "0", true
	}
	return "", false
}

// place is the pattern of files that a word names by the file system as it is: the resolved path, or where the word has a hole,
// everything below the folder that is known. A word of which nothing is known names any file.
func (e *engine) place(f *frame, w word, tree, follow bool) effect.Pattern {
	p, _ := e.placeBy(f, w, tree, follow, -1)
	return p
}

// places are all patterns of files that a word may name. The first is place's.
func (e *engine) places(f *frame, w word, tree, follow bool) []effect.Pattern {
	first := e.place(f, w, tree, follow)
	if e.names.links == nil && e.names.open == nil && f.fds == nil && f.root == "" {
		return []effect.Pattern{first}
	}
	all := []effect.Pattern{first}
	add := func(p effect.Pattern) {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	for i := range e.names.most {
		if p, ok := e.placeBy(f, w, tree, follow, i); ok && !e.onlyMoved(f, w, p) {
			add(p)
		}
	}
	for _, p := range slices.Clone(all) {
		if n, ok := descriptor(filePath(p)); ok && !p.Tree {
			if file, ok := f.fds[n]; ok {
				add(e.place(f, file, tree, true))
			}
		}
		for _, o := range e.names.open {
			if p.Tree && (workspace.Within(filePath(p), o.dir) || workspace.Within(o.dir, filePath(p))) {
				add(e.place(f, word{text: o.to}, true, true))
			}
		}
	}
	if f.root != "" {
		g := *f
		g.root = ""
		w.text = f.root + "/" + f.abs(w.text)
		for _, p := range e.places(&g, w, tree, follow) {
			add(p)
		}
	}
	return all
}

// onlyMoved tells whether a place lies in what was moved to the word's place: what counts there are links that lead out of it.
func (e *engine) onlyMoved(f *frame, w word, p effect.Pattern) bool {
	for to, from := range e.names.moved {
		if workspace.Within(filePath(p), from) && workspace.Within(path.Clean(f.abs(w.text)), to) {
			return true
		}
	}
	return false
}

// placeBy is place by one of the alternatives of names; false for one that leads in a circle.
func (e *engine) placeBy(f *frame, w word, tree, follow bool, which int) (effect.Pattern, bool) {
	anywhere := effect.Any(effect.FileKind)
	t := w.text
	if strings.Contains(f.dir, hole) && !path.IsAbs(t) {
		t = f.dir + "/" + t
	}
	if strings.Contains(t, hole) {
		if t = knownFolder(t); t == "" {
			return anywhere, true
		}
		tree, follow = true, true
	}
	p, err := e.resolveBy(f.dir, t, follow, which)
	if err != nil {
		return anywhere, which < 0 || err != effect.ErrLinks
	}
	if strings.Contains(p, hole) { // a link leads to a place that is not known
		if p = knownFolder(p); p == "" || strings.Contains(t, "..") {
			return anywhere, true
		}
		tree = true
	}
	r, err := effect.FilePath(p)
	if err != nil {
		return anywhere, true
	}
	return effect.Pattern{Resource: r, Tree: tree}, true
}

// knownFolder is the folder below which a path with a hole lies, with a slash at its end; empty where it may lie anywhere. What
// stands in the hole is taken for names below that folder, and each ".." behind it for a step up from there.
func knownFolder(t string) string {
	i := strings.Index(t, hole)
	slash := strings.LastIndexByte(t[:i], '/')
	dir := "./" // "name<hole>": a file beside it
	switch {
	case i == 0:
		return ""
	case slash >= 0:
		dir = t[:slash+1]
	}
	if _, below, _ := strings.Cut(t[i:], "/"); dir == "/proc/" && below != "" {
		switch first, _, _ := strings.Cut(below, "/"); {
		case first == "root", first == "cwd", first == "fd", first == "task", first == "map_files", strings.Contains(first, hole):
			return "" // these lead anywhere (proc(5))
		}
	}
	for c := range strings.SplitSeq(t[i:], "/") {
		if c == ".." {
			dir += "../"
		}
	}
	return dir
}

// resolve is the file system's resolution, remembered: the same few folders are asked for again and again.
func (e *engine) resolve(dir, name string, follow bool) (string, error) {
	return e.resolveBy(dir, name, follow, -1)
}

func (e *engine) resolveBy(dir, name string, follow bool, which int) (string, error) {
	key := dir + "\x01" + name
	if !follow {
		key += "\x01"
	}
	if which >= 0 {
		key += "\x02" + string(rune('0'+which))
	}
	if p, ok := e.paths[key]; ok {
		return p, nil
	}
	e.overlay.which, e.overlay.cwd = which, dir
	p, err := effect.Resolve(&e.overlay, dir, name, follow)
	if err == nil {
		e.paths[key] = p
	}
	return p, err
}

// link remembers that the action makes a symbolic link, or what acts like one, with the text of what it leads to.
func (e *engine) link(f *frame, at word, to string, moved bool) {
	if at.text == "" || to == "" {
		return
	}
	if strings.HasPrefix(to, hole) {
		to = "/" + hole // it may begin with a slash
	}
	for _, p := range e.places(f, at, false, false) {
		name := filePath(p)
		if to == name {
			continue
		}
		if p.Tree {
			e.names.open = append(e.names.open, openLink{name, f.abs(to)})
			continue
		}
		if e.names.links == nil {
			e.names.links = map[string][]string{}
		}
		targets := e.names.links[name]
		if slices.Contains(targets, to) {
			continue
		}
		if len(targets) >= maxTargets {
			to = "/" + hole
			targets = targets[:maxTargets-1]
		}
		e.names.links[name] = append(slices.Clip(targets), to)
		e.names.most = max(e.names.most, len(targets)+1)
		if moved {
			if e.names.moved == nil {
				e.names.moved = map[string]string{}
			}
			e.names.moved[name] = filePath(e.place(f, word{text: to}, false, false))
		}
	}
	clear(e.paths)
}
