package nodepkg

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
)

// dependency is one package in node_modules whose scripts may be run.
type dependency struct {
	locked
	dir  string // absolute
	lock *npmLock
	why  string // why what runs is not what is on disk; empty when it is
	root bool   // it is the project itself
	gyp  bool   // npm knows it from a lockfile that gives it no script: only its binding.gyp counts
}

// npmLocked lists the packages of a lockfile whose scripts npm may run now, and tells whether anything is installed or changed.
//
// npm unpacks a package when it is not there, or when version or integrity differ from what it has recorded in
// node_modules/.package-lock.json (@npmcli/arborist lib/diff.js, getAction); only then its scripts run. With fresh (npm ci) all
// are unpacked. npm compares with the files themselves when a folder is newer than that record, so both are looked at here, and
// a difference from either one counts: neither can hide a script that the other would run.
func (p *plan) npmLocked(l *npmLock, fresh bool, root *manifest) (deps []dependency, changed bool) {
	omit, pl := p.omit(), p.platform()
	if l.drifted(root) {
		omit = nil // npm works out anew what is for development only, and the lockfile's word does not count
	}
	var record map[string]*locked
	if len(l.pkgs) > 0 {
		record = p.npmRecord(these(l))
	}
	changed = fresh && l.count > 0
	for _, k := range l.pkgs {
		if k.link || !strings.Contains(k.loc, "node_modules/") || k.omitted(omit) {
			continue
		}
		d := dependency{locked: k, dir: path.Join(p.root, k.loc), lock: l}
		old := record[k.loc]
		if !k.script && !l.old {
			// Nothing of it runs but a binding.gyp, which is looked for below.
			changed = changed || old == nil || old.version != k.version || old.integrity != k.integrity
			if fresh {
				l.places = append(l.places, k.loc)
			}
			continue
		}
		if !p.cfg.On("force") && !pl.fits(p.fs, k.os, k.cpu, k.libc) {
			if k.optional && k.script {
				p.skip(Skip{Label: "install scripts of " + d.id(), Why: "it is optional and not for this system (os, cpu or libc)", From: d.source("npm/lockfile")})
			}
			if k.optional {
				continue
			}
		}
		m := p.manifest(d.dir)
		switch {
		case m == nil:
			d.why = "not on disk yet"
		case m.shape != "":
			d.why = "on disk in a form that cannot be read"
		case k.version != "" && m.version != k.version:
			d.why = fmt.Sprintf("not on disk yet (version %s is)", cmp.Or(m.version, "none"))
		case old != nil && (old.integrity != k.integrity || old.integrity == "" && old.resolved != k.resolved):
			d.why = "not on disk yet (the lockfile names other contents than those that were installed)"
		case record != nil && old == nil && !fresh:
			d.why = "not known to be the one on disk (it is missing from node_modules/.package-lock.json)"
		case !fresh && p.binsExist(m, k.loc):
			p.settledScripts(m, d)
			continue
		}
		changed = true
		deps = append(deps, d)
	}
	if fresh {
		deps = append(deps, p.npmGyp(l)...)
	}
	return deps, changed
}

// these keeps the places of another lockfile's packages.
func these(l *npmLock) func([]byte) bool {
	places := make(map[string]bool, len(l.pkgs))
	for i := range l.pkgs {
		places[l.pkgs[i].loc] = true
	}
	return func(loc []byte) bool { return places[string(loc)] }
}

// binsExist tells whether all command links of a package are there; npm unpacks it again otherwise.
func (p *plan) binsExist(m *manifest, loc string) bool {
	dir := path.Join(p.root, loc[:strings.LastIndex(loc, "node_modules/")], "node_modules/.bin")
	for name := range m.bins() {
		if !p.fs.Exists(path.Join(dir, path.Base(name))) {
			return false
		}
	}
	return true
}

// settledScripts lists the scripts of a package that stays as it is.
func (p *plan) settledScripts(m *manifest, d dependency) {
	for _, event := range [...]string{"preinstall", "install", "postinstall"} {
		if s, ok := m.script(event); ok {
			p.skip(Skip{Label: event + " of " + m.id(), Text: s.text, Why: "it is installed already, and npm runs it only when it unpacks the package (npm ci and npm rebuild do run it)",
				From: effect.Source{File: m.file.Path, Line: s.line, SHA256: m.file.SHA256, Rule: "npm/lifecycle/" + event}})
		}
	}
}

// npmGyp finds packages with a binding.gyp among those that the lockfile gives no script: npm looks for the file after unpacking,
// whatever the lockfile says (lib/arborist/rebuild.js, isGyp).
func (p *plan) npmGyp(l *npmLock) []dependency {
	var list []dependency
	for _, loc := range p.fs.Having(p.root, l.places, "binding.gyp") {
		if dir := path.Join(p.root, loc); p.fs.IsFile(dir + "/binding.gyp") {
			list = append(list, dependency{locked: locked{loc: loc}, dir: dir, lock: l, gyp: true})
		}
	}
	return list
}

func (d *dependency) id() string {
	if d.version == "" {
		return d.packageName()
	}
	return d.packageName() + "@" + d.version
}

func (d *dependency) source(rule string) effect.Source {
	if d.lock == nil {
		return effect.Source{Rule: rule}
	}
	return effect.Source{File: d.lock.file.Path, Line: d.line, SHA256: d.lock.file.SHA256, Rule: rule}
}

// git tells whether the package comes from a git repository.
func (d *dependency) git() bool { return strings.HasPrefix(d.resolved, "git") }

// byDepth is npm's order: depth, then path (lib/arborist/rebuild.js, sortNodes).
func byDepth(a, b dependency) int {
	if c := cmp.Compare(strings.Count(a.loc, "node_modules/"), strings.Count(b.loc, "node_modules/")); c != 0 {
		return c
	}
	return cmp.Or(strings.Compare(strings.ToLower(a.dir), strings.ToLower(b.dir)), strings.Compare(a.dir, b.dir))
}

// runDeps adds the dependencies' scripts: each event for all packages before the next one.
func (p *plan) runDeps(deps []dependency) {
	slices.SortStableFunc(deps, byDepth)
	for i := range deps {
		if d := &deps[i]; d.git() {
			p.gitDependency(d)
		}
	}
	for _, event := range [...]string{"preinstall", "install", "postinstall"} {
		for i := range deps {
			d := &deps[i]
			why := p.ignored
			if why == "" && (!d.root || p.policy.listed) {
				why = p.policy.denies(d)
			}
			if m := p.manifest(d.dir); d.why == "" && m != nil {
				_, has := m.script(event)
				switch {
				case event == "install" && (d.gyp || !has && m.noGyp && !d.root) && m.scripts["preinstall"].text == "" && p.fs.IsFile(d.dir+"/binding.gyp"):
					// A lockfile does not keep "gypfile": false, so that npm may not know of it.
					p.makeGyp(m, why, d.env())
				case !d.gyp:
					p.event(m, event, why, d.env())
				}
				continue
			}
			if event != "install" {
				continue // one entry stands for all scripts of a package that is not there
			}
			if why != "" {
				p.skip(Skip{Label: "install scripts of " + d.id(), Why: why, From: d.source("npm/lifecycle")})
			} else {
				p.unknown(d.source("npm/lifecycle"), fmt.Sprintf("install script of %s is %s", d.id(), d.why), anything...)
			}
		}
	}
}

// gitDependency is cloned into a temporary folder, where npm installs its development dependencies and runs its prepare script
// (pacote lib/git.js, #prepareDir). Only the prepare script of the copy that is on disk can be shown.
func (p *plan) gitDependency(d *dependency) {
	if p.ignored != "" {
		return
	}
	m := p.manifest(d.dir)
	if m != nil && d.why == "" && !hasAny(m, "postinstall", "build", "preinstall", "install", "prepack", "prepare") && len(m.workspaces) == 0 {
		return
	}
	if m != nil && d.why == "" {
		p.event(m, "prepare", "", d.env())
	}
	p.unknown(d.source("npm/git"), "git dependency "+d.id()+" is cloned and prepared in a temporary folder, with what it depends on", anything...)
}

func hasAny(m *manifest, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { _, ok := m.scripts[n]; return ok })
}

// env is the part of the constant set that describes a dependency (lib/arborist/rebuild.js, #runScripts).
func (d *dependency) env() map[string]string {
	flag := func(b bool) string {
		if b {
			return "1"
		}
		return ""
	}
	return map[string]string{"npm_package_resolved": d.resolved, "npm_package_integrity": d.integrity, "npm_package_optional": flag(d.optional),
		"npm_package_dev": flag(d.dev), "npm_package_peer": flag(d.peer), "npm_package_dev_optional": flag(d.devOptional && !d.dev && !d.optional)}
}

// npmLinks lists the folders that are linked into node_modules: workspaces, and dependencies that are folders. Their scripts run
// on every installation (lib/arborist/reify.js, _build).
func (p *plan) npmLinks(root *manifest) []member {
	if root == nil {
		return nil
	}
	var list []member
	f, omit := p.req.Flags, p.omit()
	members := p.members(root)
	off := p.cfg.Off("workspaces")
	if !off {
		list = slices.Clone(members)
		if len(f.Workspaces) > 0 {
			list = selected(members, f.Workspaces, p.root, p.cwd)
		}
	}
	owners := []*manifest{root}
	if len(f.Workspaces) > 0 && !f.IncludeRoot {
		owners = nil
	}
	for _, w := range list {
		owners = append(owners, p.manifest(w.dir))
	}
	for _, m := range owners {
		for kind, deps := range m.deps {
			if kind == peerDeps || omit[[...]string{"", "dev", "optional"}[min(kind, 2)]] {
				continue
			}
			for _, name := range sortedKeys(deps) {
				s := parseValue(name, deps[name])
				if s.kind != directorySpec {
					continue
				}
				dir := s.rest
				if rest, ok := strings.CutPrefix(dir, "~/"); ok {
					dir = path.Join(p.req.Home, rest)
				} else if !path.IsAbs(dir) {
					dir = path.Join(m.dir, dir)
				}
				if p.manifest(dir) != nil && !slices.ContainsFunc(list, func(o member) bool { return o.dir == dir }) {
					list = append(list, member{dir: dir, name: name, link: name})
				}
			}
		}
	}
	return list
}

// runLinks adds the scripts of linked folders: preinstall and prepare of all before install and postinstall of all
// (lib/arborist/rebuild.js, #build with type links). They are read from the folder itself, whatever the lockfile says.
func (p *plan) runLinks(links []member) {
	slices.SortStableFunc(links, func(a, b member) int { return strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name)) })
	for _, event := range [...]string{"preinstall", "prepare", "install", "postinstall"} {
		for _, l := range links {
			m := p.manifest(l.dir)
			if m == nil {
				continue
			}
			why := p.ignored
			if why == "" && l.link != "" {
				why = p.policy.denies(&dependency{locked: locked{loc: "node_modules/" + l.link, link: true, resolved: l.dir}, dir: l.dir})
			}
			p.event(m, event, why, nil)
		}
	}
}
