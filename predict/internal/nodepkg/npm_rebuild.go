package nodepkg

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
)

// npmRebuild plans npm rebuild: the scripts of what is installed, the project itself included (lib/commands/rebuild.js).
func (p *plan) npmRebuild(root *manifest, names []string) {
	deps, links := p.npmInstalled()
	if len(names) > 0 {
		var specs []spec
		for _, n := range names {
			specs = append(specs, parseSpec(n))
		}
		wanted := func(name, version, dir string) bool {
			return slices.ContainsFunc(specs, func(s spec) bool {
				if s.kind == directorySpec {
					return p.specPath(s.rest) == dir
				}
				return s.name == name && (s.rest == "" || settles(version, s))
			})
		}
		deps = slices.DeleteFunc(deps, func(d dependency) bool {
			m := p.manifest(d.dir)
			return d.inBundle || m == nil || !wanted(nameOf(d.loc), m.version, d.dir)
		})
		links = slices.DeleteFunc(links, func(l member) bool {
			m := p.manifest(l.dir)
			return m == nil || !wanted(l.name, m.version, l.dir)
		})
	} else if root != nil {
		deps = append(deps, dependency{dir: p.root, root: true})
	}
	p.missingBins(deps)
	if len(p.policy.entries) > 0 {
		p.npmIdentities(deps, root)
	}
	p.runDeps(deps)
	p.runLinks(links)
}

// npmIdentities fills in where installed packages came from, which is what entries of allowScripts are compared with.
func (p *plan) npmIdentities(deps []dependency, root *manifest) {
	record := p.npmRecord(every)
	p.policy.learn(record, root)
	for i := range deps {
		if l := record[deps[i].loc]; l != nil && l.version == deps[i].version {
			deps[i].resolved, deps[i].integrity, deps[i].name, deps[i].inBundle = l.resolved, l.integrity, l.name, l.inBundle
		}
	}
}

// missingBins claims the links to commands of packages that rebuild will make, since they are not there yet (bin-links).
func (p *plan) missingBins(deps []dependency) {
	if p.req.Flags.DryRun || p.cfg.Off("bin-links") {
		return
	}
	for _, d := range deps {
		m := p.manifest(d.dir)
		if m == nil || d.root {
			continue
		}
		i := strings.LastIndex(d.dir, "/node_modules/")
		if i < 0 {
			continue
		}
		for name := range m.bins() {
			if !p.fs.Exists(path.Join(d.dir[:i], "node_modules/.bin", name)) {
				p.claim(effect.File, effect.Write, path.Join(d.dir[:i], "node_modules/.bin"), true, effect.Source{Rule: "npm/rebuild"})
				return
			}
		}
	}
}

// npmInstalled lists what is in node_modules. It reads every package.json there instead of believing
// node_modules/.package-lock.json, as npm itself does when a folder is newer than that file: rebuild is rare, and so nothing
// that is on disk can be concealed.
func (p *plan) npmInstalled() (deps []dependency, links []member) {
	members := p.members(p.manifest(p.root))
	bases := []string{p.root}
	for _, w := range members {
		bases = append(bases, w.dir)
	}
	for _, base := range bases {
		found := p.packagesBelow(base)
		for _, d := range found {
			if d.link {
				p.npmLinked(d.dir, nameOf(d.loc), members, &links)
				continue
			}
			if m := p.manifest(d.dir); m != nil {
				d.version = m.version
				deps = append(deps, d)
			}
		}
	}
	return deps, links
}

// packagesBelow walks node_modules of a folder and of the packages in it. Links are given and not followed.
func (p *plan) packagesBelow(base string) []dependency {
	var list []dependency
	var visit func(dir, loc string)
	pkg := func(dir, loc, name string) {
		dir, loc = path.Join(dir, name), path.Join(loc, name)
		info, err := p.fs.Lstat(dir)
		if err != nil {
			return
		}
		link := info.Mode()&fs.ModeSymlink != 0
		if link || info.IsDir() {
			list = append(list, dependency{locked: locked{loc: loc, script: true, link: link}, dir: dir})
		}
		if info.IsDir() {
			visit(path.Join(dir, "node_modules"), path.Join(loc, "node_modules"))
		}
	}
	visit = func(dir, loc string) {
		names, err := p.fs.Names(dir)
		if err != nil {
			if p.fs.Exists(dir) {
				p.unknown(effect.Source{File: dir, Rule: "node/modules"}, fmt.Sprintf("%s cannot be listed: %v", dir, err), anything...)
			}
			return
		}
		for _, name := range names {
			switch {
			case strings.HasPrefix(name, "."):
			case strings.HasPrefix(name, "@"):
				scoped, _ := p.fs.Names(path.Join(dir, name))
				for _, s := range scoped {
					pkg(dir, loc, name+"/"+s)
				}
			default:
				pkg(dir, loc, name)
			}
		}
	}
	rel := ""
	if base != p.root {
		rel = strings.TrimPrefix(base, p.root+"/")
	}
	visit(path.Join(base, "node_modules"), path.Join(rel, "node_modules"))
	return list
}

// npmLinked notes where a link in node_modules leads.
func (p *plan) npmLinked(dir, name string, members []member, links *[]member) {
	target, err := p.fs.Resolve("/", dir, true)
	if err != nil || p.manifest(target) == nil || slices.ContainsFunc(*links, func(l member) bool { return l.dir == target }) {
		return
	}
	l := member{dir: target, name: name, link: name}
	if slices.ContainsFunc(members, func(m member) bool { return m.dir == target }) {
		l.link = ""
	}
	*links = append(*links, l)
}
