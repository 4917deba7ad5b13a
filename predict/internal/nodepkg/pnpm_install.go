package nodepkg

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// pnpmBuilds collects which dependencies' scripts may run (pnpm.io, "Build Settings"). Before 10 all run but neverBuiltDependencies,
// or only onlyBuiltDependencies; in 10 none but onlyBuiltDependencies and allowBuilds, or all but neverBuiltDependencies; from 11
// on none but allowBuilds and permissions. dangerouslyAllowAllBuilds allows all the others.
func (p *plan) pnpmBuilds(root *manifest) pnpmSettings {
	s := &p.pn
	var w pnpmSettings
	if root != nil && !(s.major >= 11) {
		w = root.pnpm
		if s.major < 10 && s.major > 0 {
			w.builds, w.all = nil, false
		}
	}
	if v, _ := p.pnpmText("dangerouslyAllowAllBuilds"); yes(v) {
		w.all = true
	}
	if s.doc != nil && s.pnpmMay(10) {
		r := s.doc.root
		if !(s.major >= 11) {
			if n := get(r, "onlyBuiltDependencies"); n != nil {
				w.only, w.hasOnly = append(w.only, texts(n)...), true
			}
			if n := get(r, "neverBuiltDependencies"); n != nil {
				w.never, w.hasNever = append(w.never, texts(n)...), true
			}
			if n := get(r, "onlyBuiltDependenciesFile"); n != nil {
				w.onlyFile = text(n)
			}
		}
		each(get(r, "allowBuilds"), func(k, v *yaml.Node) {
			if yes(v.Value) || no(v.Value) {
				w.builds = append(w.builds, allowance{k.Value, yes(v.Value), k.Line})
			}
		})
		each(get(r, "permissions"), func(k, v *yaml.Node) {
			if b := get(v, "build"); b != nil {
				w.builds = append(w.builds, allowance{k.Value, yes(text(b)), k.Line})
			} else if yes(text(v)) {
				w.builds = append(w.builds, allowance{k.Value, true, k.Line})
			}
		})
	}
	for _, name := range p.req.Flags.Options["allow-build"] {
		w.builds = append(w.builds, allowance{key: name, ok: true})
	}
	if w.onlyFile != "" {
		w.hasOnly = true
		file := workspace.Join(p.root, w.onlyFile)
		if f, err := p.fs.Read(file); err == nil {
			w.only = append(w.only, newReader(f.Data).strings()...)
		} else {
			p.broken(file, "pnpm/only-built", fmt.Sprintf("onlyBuiltDependenciesFile %s cannot be read: %v", w.onlyFile, err))
		}
	}
	return w
}

// everything tells whether packages run their scripts without being listed. For an unknown version the answer is that of pnpm 10;
// mayBeOlder says that it may be wrong.
func (p *plan) everything() bool {
	w, major := &p.pn.wanted, p.pn.major
	switch {
	case w.all:
		return true
	case major > 0 && major < 10:
		return !w.hasOnly
	case major == 10 || major == 0:
		return w.hasNever && !w.hasOnly
	}
	return false
}

// pnpmDenies says why a package's scripts do not run; empty when they do, or may.
func (p *plan) pnpmDenies(name, version string) string {
	w := &p.pn.wanted
	if slices.ContainsFunc(w.never, func(k string) bool { return k == name }) && p.everything() {
		return "neverBuiltDependencies lists it"
	}
	for _, b := range w.builds {
		if !b.ok && pnpmKey(b.key, name, version, false) {
			if !w.all || p.pn.major >= 12 {
				return fmt.Sprintf("allowBuilds denies it (line %d)", b.line)
			}
		}
	}
	if p.everything() {
		return ""
	}
	for _, k := range w.only {
		if pnpmKey(k, name, version, true) {
			return ""
		}
	}
	for _, b := range w.builds {
		if b.ok && pnpmKey(b.key, name, version, true) {
			return ""
		}
	}
	return unlisted
}

const unlisted = "pnpm runs install scripts only of dependencies that are allowed (allowBuilds, onlyBuiltDependencies)"

// installEvents are the scripts of a dependency that is installed.
var installEvents = [...]string{"preinstall", "install", "postinstall"}

// pnpmKey tells whether a key of a build setting is for a package: a name, with exact versions joined by ||, or, loosely, with *
// in it or a source that is not a registry.
func pnpmKey(key, name, version string, loose bool) bool {
	base := trimVersion(key)
	rest := strings.TrimPrefix(strings.TrimPrefix(key, base), "@")
	if base != name && !(loose && strings.Contains(base, "*") && globName(base, name)) {
		return false
	}
	if rest == "" || loose && strings.ContainsAny(rest, ":/") {
		return true
	}
	for alt := range strings.SplitSeq(rest, "||") {
		if strings.TrimSpace(alt) == version {
			return true
		}
	}
	return false
}

// pnpmTree plans the commands that change node_modules.
func (p *plan) pnpmTree() {
	f, verb := p.req.Flags, p.req.Verb
	p.pnpmClaims()
	if f.LockfileOnly || f.on("lockfile-only") || f.DryRun || f.Global || verb == "import" || verb == "fetch" {
		if f.Global && verb != "remove" {
			p.fetched(strings.Join(p.req.Names, ", ")+" and of what it depends on", "pnpm/"+verb)
		}
		return
	}
	prod := p.omitsDev()
	early := p.pn.major >= 12
	own, events := p.pnpmOwn(prod)
	if own != nil && !prod && verb != "rebuild" && (verb != "add" || p.pn.doc == nil) {
		p.lifecycleOf(p.root, "pnpm:devPreinstall")
	}
	if early && len(events) > 0 && events[0] == "preinstall" {
		for _, m := range own {
			p.lifecycleOf(m.dir, "preinstall")
		}
		events = events[1:]
	}
	if verb == "remove" && p.pn.pnpmMay(12) {
		p.lifecycleOf(p.pn.self, "preuninstall", "uninstall", "postuninstall")
	}
	p.pnpmDeps()
	switch verb {
	case "add":
		p.fetched(strings.Join(p.req.Names, ", ")+" and of what it depends on", "pnpm/add")
	case "update":
		p.fetched("packages that are updated", "pnpm/update")
	case "link":
		if p.pn.major < 10 {
			for _, n := range p.req.Names {
				if folder(n) {
					p.lifecycleOf(p.specPath(n), "preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare")
				}
			}
		}
	}
	for _, m := range own {
		p.lifecycleOf(m.dir, events...)
	}
}

func (p *plan) lifecycleOf(dir string, events ...string) { p.lifecycle(p.manifest(dir), events...) }

// omitsDev tells whether development dependencies are left out.
func (p *plan) omitsDev() bool {
	f := p.req.Flags
	return f.OmitDev || f.on("prod") || f.on("production") || f.on("P")
}

// pnpmOwn gives the projects whose own scripts run, and for which events.
func (p *plan) pnpmOwn(prod bool) ([]member, []string) {
	s, verb := &p.pn, p.req.Verb
	events := []string{"preinstall", "install", "postinstall"}
	if !(prod && s.major >= 12) {
		events = append(events, "preprepare", "prepare", "postprepare")
		if s.major > 0 && s.major < 9 {
			events = []string{"preinstall", "install", "postinstall", "prepare"}
		}
	}
	self := []member{{dir: s.self}}
	if p.req.Flags.AllWorkspaces {
		self = s.all
	}
	switch verb {
	case "install", "ci", "dedupe":
		if len(p.req.Flags.Workspaces) > 0 {
			list := p.pnpmSelected(s.all)
			if !slices.ContainsFunc(list, func(m member) bool { return m.dir == p.root }) {
				list = append(list, member{dir: p.root})
			}
			return list, events
		}
		if v, _ := p.pnpmText("recursiveInstall"); no(v) {
			return self, events
		}
		return s.all, events
	case "update", "prune":
		if s.major < 9 || verb == "prune" && s.major >= 12 {
			return s.all, events
		}
		return self, events
	case "add":
		if s.doc == nil {
			return nil, nil // outside a workspace, pnpm add runs nothing of the project
		}
		if s.major >= 12 {
			events = events[:3]
		}
		return self, events
	case "link":
		if s.major >= 12 {
			return nil, nil
		}
		return self, events
	case "rebuild":
		if s.major >= 12 || len(p.req.Names) > 0 {
			return nil, nil
		}
		return self, []string{"preinstall", "install", "postinstall", "prepublish", "prepare"}
	}
	return nil, nil
}

func (p *plan) pnpmClaims() {
	f, verb := p.req.Flags, p.req.Verb
	rule := effect.Source{Rule: "pnpm/" + verb}
	if verb != "rebuild" && verb != "unlink" && !f.Offline {
		p.fetch("", rule.Rule)
	}
	if f.Global || f.DryRun {
		return
	}
	frozen := f.on("frozen-lockfile") || verb == "ci" || verb == "rebuild" || verb == "fetch"
	if !frozen {
		p.claim(effect.File, effect.Write, path.Join(p.root, "pnpm-lock.yaml"), false, rule)
	}
	if verb == "add" || verb == "remove" || verb == "update" || verb == "link" {
		p.claim(effect.File, effect.Write, path.Join(p.pn.self, "package.json"), false, rule)
	}
	if f.LockfileOnly || verb == "import" {
		return
	}
	for _, m := range p.pn.all {
		p.claim(effect.File, effect.Write, path.Join(m.dir, "node_modules"), true, rule)
	}
}

// pnpmDeps adds the scripts of dependencies that are allowed to run. Packages are looked for in node_modules/.pnpm by name, or, when
// all may run, one by one.
func (p *plan) pnpmDeps() {
	lock, lockErr := p.fs.Read(path.Join(p.root, "pnpm-lock.yaml"))
	if lockErr != nil && !errors.Is(lockErr, fs.ErrNotExist) {
		p.broken(path.Join(p.root, "pnpm-lock.yaml"), "pnpm/lockfile", fmt.Sprintf("pnpm-lock.yaml cannot be read: %v", lockErr))
	}
	found, installed := p.pnpmInstalled()
	pending, settled := p.pnpmPending(lock)
	any := false
	var older []string
	for _, d := range found {
		m := p.manifest(d.dir)
		if m == nil || len(p.req.Names) > 0 && p.req.Verb == "rebuild" && !slices.Contains(p.req.Names, m.name) {
			continue
		}
		why := p.ignored
		if why == "" {
			why = p.pnpmDenies(d.name, m.version)
		}
		if v, _ := p.pnpmText("ignoreDepScripts"); why == "" && yes(v) {
			why = "ignoreDepScripts is set"
		}
		if why == unlisted && p.mayBeOlder() {
			if slices.ContainsFunc(installEvents[:], func(e string) bool { _, ok := m.script(e); return ok }) {
				older = append(older, m.id())
			}
			continue
		}
		key := d.name + "@" + m.version
		if why == "" && settled && !d.local && !slices.Contains(pending, key) {
			why = "it is built already, and pnpm-lock.yaml has not changed since"
		}
		any = true
		for _, event := range installEvents {
			p.event(m, event, why, nil)
		}
	}
	if len(older) > 0 {
		p.unknown(effect.Source{Rule: "pnpm/version"}, "the version of pnpm is not known: before 10 it runs the install scripts of "+several(older), anything...)
	}
	if p.ignored == "" {
		p.pnpmAbsent(lock, lockErr, installed, found, any)
	}
}

// place is an installed package and the name that it is installed under.
type place struct {
	dir, name string
	local     bool // from a folder or tarball: built anew each time
}

// pnpmInstalled lists packages whose scripts may run. With an allow list only those are looked at, by the names of folders in the
// virtual store ("@s+name@1.0.0_peers"), so that the cost is one listing.
func (p *plan) pnpmInstalled() (list []place, installed bool) {
	store := path.Join(p.pn.modules, ".pnpm")
	if v, _ := p.pnpmText("virtualStoreDir"); v != "" {
		store = workspace.Join(p.root, v)
	}
	names, err := p.fs.Names(store)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			p.broken(store, "pnpm/store", fmt.Sprintf("%s cannot be listed: %v", store, err))
		}
		if p.fs.Exists(path.Join(p.pn.modules, ".modules.yaml")) || p.fs.IsDir(p.pn.modules) {
			// nodeLinker: hoisted has the layout of npm.
			for _, d := range p.packagesBelow(path.Dir(p.pn.modules)) {
				list = append(list, place{dir: d.dir, name: nameOf(d.loc)})
			}
		}
		return list, len(list) > 0
	}
	for _, n := range names {
		i := strings.IndexByte(n[min(1, len(n)):], '@')
		if i < 0 || n == "node_modules" {
			continue
		}
		name, version := strings.ReplaceAll(n[:i+1], "+", "/"), n[i+2:]
		if !p.everything() && p.pnpmDenies(name, pureVersion(version)) != "" {
			// A long folder name is cut and ends in a digest: what is allowed by version is looked at all the same.
			if p.pn.major != 0 || !p.mayBeOlder() {
				continue
			}
		}
		dir := path.Join(store, n, "node_modules", name)
		if p.fs.IsDir(dir) {
			list = append(list, place{dir: dir, name: name, local: strings.HasPrefix(version, "file+")})
		}
	}
	return list, true
}

// pureVersion takes peers and digests off the version in a folder's name.
func pureVersion(s string) string {
	s, _, _ = strings.Cut(s, "_")
	s, _, _ = strings.Cut(s, "(")
	return s
}

// mayBeOlder tells whether the pnpm that runs, of unknown version, may be one that runs all scripts. The lockfile's format does not
// tell 9 and 10 apart.
func (p *plan) mayBeOlder() bool { return p.pn.major == 0 && !p.pn.wanted.hasOnly }

// pnpmPending reads what the last installation left unbuilt, and tells whether node_modules is as pnpm-lock.yaml says: pnpm then
// builds nothing but those.
func (p *plan) pnpmPending(lock *workspace.File) (pending []string, settled bool) {
	switch p.req.Verb {
	case "rebuild", "ci":
		return nil, false
	}
	if lock == nil || p.req.Flags.on("force") {
		return nil, false
	}
	current, err := p.fs.Read(path.Join(p.pn.modules, ".pnpm/lock.yaml"))
	if err != nil || !bytes.Equal(current.Data, lock.Data) {
		return nil, false
	}
	f, err := p.fs.Read(path.Join(p.pn.modules, ".modules.yaml"))
	if err != nil {
		return nil, false
	}
	add := func(ids []string) {
		for _, id := range ids {
			pending = append(pending, strings.TrimPrefix(pureVersion(id), "/"))
		}
	}
	store := ""                                  // of another machine: pnpm makes node_modules anew
	if r := newReader(f.Data); r.peek() == '{' { // pnpm writes JSON, which is read much faster
		r.object(func(k []byte, _ int) {
			switch string(k) {
			case "pendingBuilds", "ignoredBuilds":
				add(r.strings())
			case "storeDir":
				store = r.text()
			}
		})
		return pending, r.end() == nil && p.fs.IsDir(store)
	}
	state := p.yaml(f.Path, "pnpm/modules")
	if state == nil {
		return nil, false
	}
	add(texts(get(state.root, "pendingBuilds")))
	add(texts(get(state.root, "ignoredBuilds")))
	return pending, p.fs.IsDir(text(get(state.root, "storeDir")))
}

// pnpmAbsent reports packages that may run scripts and are not on disk.
func (p *plan) pnpmAbsent(lock *workspace.File, lockErr error, installed bool, found []place, any bool) {
	w := &p.pn.wanted
	if p.everything() || p.mayBeOlder() && !installed {
		p.pnpmAbsentAll(lock, installed)
		return
	}
	keys := slices.Clone(w.only)
	for _, b := range w.builds {
		if b.ok {
			keys = append(keys, b.key)
		}
	}
	slices.Sort(keys)
	var absent []string
	for _, key := range slices.Compact(keys) {
		name := trimVersion(key)
		there := slices.ContainsFunc(found, func(d place) bool { return d.name == name }) || strings.Contains(name, "*") && any
		if !there && (lock == nil || inLock(lock.Data, key, name)) {
			absent = append(absent, name)
		}
	}
	absent = slices.Compact(absent)
	if len(absent) > 0 && p.req.Verb != "rebuild" {
		from := effect.Source{Rule: "pnpm/lockfile"}
		if lock != nil {
			from.File, from.SHA256, from.Line = lock.Path, lock.SHA256, 1
		}
		p.unknown(from, "install scripts of "+several(absent)+" are not on disk yet", anything...)
	} else if len(found) == 0 && !any {
		p.skip(Skip{Label: "install scripts of dependencies", From: effect.Source{Rule: "pnpm/allow-builds"},
			Why: "pnpm " + p.pn.version + " runs only those of dependencies that are allowed, and none is"})
	}
}

// inLock tells whether a lockfile may have a package that a key of a build setting is for.
func inLock(lock []byte, key, name string) bool {
	rest := strings.TrimPrefix(strings.TrimPrefix(key, name), "@")
	if rest == "" || strings.ContainsAny(rest, ":/") {
		return strings.Contains(name, "*") || bytes.Contains(lock, []byte(name))
	}
	for alt := range strings.SplitSeq(rest, "||") {
		if v := strings.TrimSpace(alt); bytes.Contains(lock, []byte(name+"@"+v)) || bytes.Contains(lock, []byte(name+"/"+v)) {
			return true
		}
	}
	return false
}

// pnpmAbsentAll is the case that every dependency may run scripts and not all are known to be there.
func (p *plan) pnpmAbsentAll(lock *workspace.File, installed bool) {
	current, err := p.fs.Read(path.Join(p.pn.modules, ".pnpm/lock.yaml"))
	if p.req.Verb == "rebuild" || installed && lock != nil && err == nil && bytes.Equal(current.Data, lock.Data) {
		return
	}
	if installed && lock == nil && err != nil {
		return
	}
	depends := false
	for _, m := range p.pn.all {
		if man := p.manifest(m.dir); man != nil {
			depends = depends || man.fetches()
		}
	}
	if !depends {
		return
	}
	why := "the dependencies are not on disk yet: which of them have install scripts is not known"
	if p.pn.major == 0 {
		why += " (nor is the version of pnpm: from 10 on it would run only those that are allowed)"
	}
	p.unknown(effect.Source{Rule: "pnpm/dependencies"}, why, anything...)
}
