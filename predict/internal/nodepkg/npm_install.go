package nodepkg

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/registry"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// npmTree plans the commands that change node_modules (lib/commands/install.js, ci.js, rebuild.js and so on).
func (p *plan) npmTree() {
	f, verb := p.req.Flags, p.req.Verb
	names := slices.DeleteFunc(slices.Clone(p.req.Names), func(n string) bool { return folder(n) && p.specPath(n) == p.root })
	test := false
	switch verb {
	case "install-test":
		verb, test = "install", true
	case "install-ci-test":
		verb, test = "ci", true
	case "add":
		verb = "install"
	}
	root := p.manifest(p.root)
	p.npmClaims(verb, names)
	if f.LockfileOnly || p.cfg.On("package-lock-only") || f.DryRun || p.cfg.On("dry-run") {
		return
	}
	p.npmPolicy(root)
	if why := p.policy.refuses; why != "" {
		p.skip(Skip{Label: "every script", Why: why, From: effect.Source{Rule: "npm/allow-scripts"}})
		return
	}
	p.npmExtension(verb)
	// npm 12 runs the project's preinstall before anything is fetched, earlier ones run it behind the dependencies' scripts.
	own := []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"}
	bare := len(names) == 0 && (verb == "install" || verb == "ci") && !f.Global
	if bare && p.npmAtLeast("12.0.0") {
		p.lifecycle(root, own[0])
		own = own[1:]
	}
	switch {
	case f.Global:
		p.npmGlobal(names)
	case verb == "rebuild":
		p.npmRebuild(root, names)
	case verb == "link" && len(names) == 0:
		p.runLinks([]member{{dir: p.root}})
	default:
		p.npmReify(verb, names, root)
	}
	if bare {
		p.lifecycle(root, own...)
	}
	if test {
		p.npmScript(p.root, "test", nil)
	}
}

// npmExtension is the file that npm 12 loads before it resolves anything (@npmcli/arborist lib/npm-extension.js); npm ci and
// ignore-scripts leave it alone.
func (p *plan) npmExtension(verb string) {
	if p.in.Version != "" && !p.npmAtLeast("12.0.0") || verb == "ci" || p.ignored != "" || p.cfg.On("ignore-extension") {
		return
	}
	names := []string{".npm-extension.mjs", ".npm-extension.cjs"}
	if v, ok := p.cfg.Get("extension-file"); ok && v.Text != "" {
		names = []string{v.Text}
	}
	for _, n := range names {
		p.load(workspace.Join(p.root, n), "npm/extension", "npm extension "+n)
	}
}

// load adds a job for a JavaScript file that the manager itself loads, if the file is there.
func (p *plan) load(file, rule, label string) {
	f, err := p.fs.Read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		p.broken(file, rule, fmt.Sprintf("%s is loaded by %s and cannot be read: %v", file, p.req.Manager, err))
		return
	}
	p.res.Jobs = append(p.res.Jobs, source.Job{Script: f.Path, Interp: "node", Dir: p.root, Label: label,
		From: effect.Source{File: f.Path, Line: 1, SHA256: f.SHA256, Rule: rule}, Fields: p.fields, Env: p.extra})
}

// npmClaims is what npm does by itself to the project and over the network.
func (p *plan) npmClaims(verb string, names []string) {
	f := p.req.Flags
	rule := effect.Source{Rule: "npm/" + verb}
	offline := verb == "rebuild" || verb == "link" && len(names) == 0
	if !offline && !f.Offline {
		p.fetch("", rule.Rule)
	}
	if !offline && !f.Global && !f.DryRun {
		if verb != "ci" && !p.cfg.Off("package-lock") {
			lock := "package-lock.json"
			if !p.npmAtLeast("12.0.0") && p.fs.Exists(path.Join(p.root, "npm-shrinkwrap.json")) {
				lock = "npm-shrinkwrap.json"
			}
			p.claim(effect.File, effect.Write, path.Join(p.root, lock), false, rule)
		}
		if !p.cfg.Off("save") && (verb == "remove" || verb == "install" && len(names) > 0) {
			p.claim(effect.File, effect.Write, path.Join(p.root, "package.json"), false, rule)
		}
	}
	if !f.DryRun && !f.LockfileOnly && verb != "rebuild" { // rebuild only makes links that are missing
		p.claim(effect.File, effect.Write, path.Join(p.root, "node_modules"), true, rule)
	}
}

// fetch claims that packages of a scope are downloaded.
func (p *plan) fetch(scope, rule string) {
	host, from := registry.NPM(p.cfg, scope)
	if p.pn.modules != "" {
		host, from = registry.PNPM(p.fs, p.cfg, p.cwd, p.req.Env, scope)
	}
	from.Rule = rule
	p.claim(effect.Network, effect.Fetch, host, false, from)
}

// lifecycle adds the project's own scripts for some events, in order.
func (p *plan) lifecycle(m *manifest, events ...string) {
	if m == nil {
		return
	}
	for _, event := range events {
		p.event(m, event, p.ignored, nil)
	}
}

// event adds a package's script for one event if it has one, or lists it as skipped when why says so.
func (p *plan) event(m *manifest, event, why string, env map[string]string) {
	s, ok := m.script(event)
	if !ok {
		// npm makes up an install script for a package with a binding.gyp (@npmcli/run-script lib/run-script-pkg.js).
		if event == "install" && !m.noGyp && m.scripts["install"].text == "" && m.scripts["preinstall"].text == "" && p.fs.IsFile(m.dir+"/binding.gyp") {
			p.makeGyp(m, why, env)
		}
		return
	}
	src := effect.Source{File: m.file.Path, Line: s.line, SHA256: m.file.SHA256, Rule: "npm/lifecycle/" + event}
	p.runOrSkip(task{m: m, event: event, text: s.text, from: &src, env: env}, why)
}

func (p *plan) makeGyp(m *manifest, why string, env map[string]string) {
	src := effect.Source{File: m.dir + "/binding.gyp", Line: 1, Rule: "npm/lifecycle/binding.gyp"}
	if f, err := p.fs.Read(src.File); err == nil {
		src.File, src.SHA256 = f.Path, f.SHA256
	}
	p.runOrSkip(task{m: m, event: "install", text: "node-gyp rebuild", from: &src, env: env}, why)
}

func (p *plan) runOrSkip(t task, why string) {
	if why == "" {
		p.run(t)
		return
	}
	p.skip(Skip{Label: t.event + " of " + t.m.id(), Text: t.text, Why: why, From: *t.from})
}

// npmLockfile reads the project's lockfile; nil when there is none, or when it cannot be used (an unknown then).
func (p *plan) npmLockfile(keep func([]byte) bool, ci bool) *npmLock {
	if p.cfg.Off("package-lock") && !ci {
		return nil
	}
	names := []string{"npm-shrinkwrap.json", "package-lock.json"}
	if p.npmAtLeast("12.0.0") {
		names = names[1:]
	}
	for _, n := range names {
		parse := func(f *workspace.File) (*npmLock, error) { return parseNPMLock(f, keep, ci) }
		if l, err := p.readNPMLock(path.Join(p.root, n), parse); l != nil || err != nil {
			return l
		}
	}
	return nil
}

func (p *plan) readNPMLock(name string, parse func(*workspace.File) (*npmLock, error)) (*npmLock, error) {
	f, err := p.fs.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		p.broken(name, "npm/lockfile", fmt.Sprintf("%s cannot be read: %v", path.Base(name), err))
		return nil, err
	}
	l, err := parse(f)
	if err != nil {
		p.unknown(effect.Source{File: f.Path, Line: 1, SHA256: f.SHA256, Rule: "npm/lockfile"}, fmt.Sprintf("%s is %v", path.Base(name), err), anything...)
		return nil, err
	}
	return l, nil
}

// npmRecord reads what npm notes about what it installed, for some places; nil when there is no record.
func (p *plan) npmRecord(keep func([]byte) bool) map[string]*locked {
	l, _ := p.readNPMLock(path.Join(p.root, "node_modules/.package-lock.json"), func(f *workspace.File) (*npmLock, error) { return parseRecord(f, keep) })
	if l == nil {
		return nil
	}
	record := make(map[string]*locked, len(l.pkgs))
	for i := range l.pkgs {
		record[l.pkgs[i].loc] = &l.pkgs[i]
	}
	return record
}

// npmReify plans an installation: what the lockfile lists and is not there yet, what is asked for besides, and links.
func (p *plan) npmReify(verb string, names []string, root *manifest) {
	around := [...]string{"predependencies", "dependencies", "postdependencies"}
	keep := rootKeeper(root)
	if root != nil && (len(p.policy.entries) > 0 || slices.ContainsFunc(around[:], func(e string) bool { _, ok := root.scripts[e]; return ok })) {
		keep = every
	}
	lock := p.npmLockfile(keep, verb == "ci")
	changed := verb == "ci" || verb == "remove" || len(names) > 0
	links := p.npmLinks(root)
	changed = changed || p.cfg.Off("workspaces") || slices.ContainsFunc(links, func(l member) bool {
		to, err := p.fs.Resolve("/", path.Join(p.root, "node_modules", l.name), true)
		return err != nil || to != l.dir
	})
	var deps []dependency
	if lock != nil {
		if len(p.policy.entries) > 0 {
			all := map[string]*locked{}
			for i := range lock.pkgs {
				all[lock.pkgs[i].loc] = &lock.pkgs[i]
			}
			p.policy.learn(all, root)
		}
		var differs bool
		deps, differs = p.npmLocked(lock, verb == "ci", root)
		changed = changed || differs
	}
	if (lock == nil || verb != "ci") && p.npmMissing(lock, root) {
		changed = true
	}
	switch verb {
	case "install", "link":
		for _, n := range names {
			for _, l := range p.npmAdded(n) {
				if !slices.ContainsFunc(links, func(o member) bool { return o.dir == l.dir }) {
					links = append(links, l)
				}
			}
		}
	case "update":
		p.fetched("packages that are updated", "npm/update")
	case "remove":
		gone := func(name string) bool { return slices.Contains(names, name) }
		deps = slices.DeleteFunc(deps, func(d dependency) bool { return d.loc == "node_modules/"+d.packageName() && gone(d.packageName()) })
		links = slices.DeleteFunc(links, func(m member) bool { return m.link != "" && gone(m.link) })
	}
	p.runDeps(deps)
	p.runLinks(links)
	if changed {
		p.lifecycle(root, around[:]...)
	}
}

// rootKeeper keeps the places of the project's direct dependencies.
func rootKeeper(root *manifest) func([]byte) bool {
	if root == nil {
		return nil
	}
	return func(loc []byte) bool {
		name, ok := strings.CutPrefix(string(loc), "node_modules/")
		if !ok {
			return false
		}
		for _, deps := range root.deps {
			if _, ok := deps[name]; ok {
				return true
			}
		}
		return false
	}
}

// fetched is the unknown for packages that have to be downloaded before their scripts can be known.
func (p *plan) fetched(what, rule string) {
	if p.ignored != "" {
		p.skip(Skip{Label: "install scripts of " + what, Why: p.ignored, From: effect.Source{Rule: rule}})
		return
	}
	if why := p.policy.unlisted; why != "" {
		p.skip(Skip{Label: "install scripts of " + what, Why: why, From: p.policy.from})
		return
	}
	p.unknown(effect.Source{Rule: rule}, "install scripts of "+what+" are not on disk yet", anything...)
}

// specPath is the folder or file that a path argument names.
func (p *plan) specPath(arg string) string {
	s := pathSpec("", arg).rest
	if rest, ok := strings.CutPrefix(s, "~/"); ok {
		return path.Join(p.req.Home, rest)
	}
	return workspace.Join(p.cwd, s)
}

// npmAdded plans one package that is asked for by name: a folder becomes a link, whose scripts are known.
func (p *plan) npmAdded(arg string) []member {
	s := parseSpec(arg)
	switch s.kind {
	case directorySpec:
		dir := p.specPath(arg)
		if m := p.manifest(dir); m != nil {
			return []member{{dir: dir, name: m.name, link: m.name}}
		}
	case registrySpec, tagSpec:
		for _, w := range p.members(p.manifest(p.root)) {
			if w.name == s.name {
				return []member{w}
			}
		}
	}
	p.fetched(arg+" and of what it depends on", "npm/install")
	return nil
}

// npmGlobal plans npm install -g: folders are linked, all else is fetched.
func (p *plan) npmGlobal(names []string) {
	if len(names) == 0 && (p.req.Verb == "install" || p.req.Verb == "link") {
		names = []string{"."}
	}
	var links []member
	if p.req.Verb == "install" || p.req.Verb == "add" || p.req.Verb == "link" {
		for _, n := range names {
			links = append(links, p.npmAdded(n)...)
		}
	} else if p.req.Verb == "update" || p.req.Verb == "rebuild" {
		p.fetched("globally installed packages", "npm/"+p.req.Verb)
	}
	p.runLinks(links)
}

// npmMissing looks for direct dependencies that are not installed, or not as package.json asks, and that the lockfile does not
// settle; they are one unknown. It tells whether there are any.
func (p *plan) npmMissing(lock *npmLock, root *manifest) bool {
	if root == nil {
		return false
	}
	have := map[string]string{}
	if lock != nil {
		for i := range lock.pkgs {
			l := &lock.pkgs[i]
			if name, ok := strings.CutPrefix(l.loc, "node_modules/"); ok {
				have[name] = cmp.Or(l.version, l.resolved, "?")
			}
		}
	}
	linked := map[string]bool{}
	for _, m := range p.members(root) {
		linked[m.name] = true
	}
	omit := p.omit()
	var missing []string
	for kind, deps := range root.deps {
		if omit[[...]string{"", "dev", "optional", "peer"}[kind]] {
			continue
		}
		for name, value := range deps {
			if kind == prodDeps && root.deps[optionalDeps][name] != "" || linked[name] ||
				kind == peerDeps && slices.Contains(root.optionalPeers, name) {
				continue
			}
			s := parseValue(name, value)
			if s.kind == directorySpec {
				continue // a link
			}
			settled := false
			if lock != nil {
				settled = settles(have[name], s) && (s.kind == registrySpec || lock.root == nil || sameSpec(s, parseValue(name, lock.root[name])))
			} else if m := p.manifest(path.Join(p.root, "node_modules", name)); m != nil {
				settled = settles(m.version, s) || s.kind != registrySpec
			}
			if !settled {
				missing = append(missing, name)
			}
		}
	}
	if lock == nil && len(missing) == 0 {
		missing = p.npmGaps(omit)
	}
	if len(missing) == 0 {
		return false
	}
	slices.Sort(missing)
	p.fetched(several(slices.Compact(missing))+" (neither installed nor in a lockfile) and of what they depend on", "npm/install")
	return true
}

// npmGaps looks, where there is no lockfile, for what installed packages depend on and do not find: npm fetches it. Optional
// dependencies may be missing for good.
func (p *plan) npmGaps(omit map[string]bool) (missing []string) {
	for _, d := range p.packagesBelow(p.root) {
		m := p.manifest(d.dir)
		if m == nil || d.link {
			continue
		}
		for _, kind := range [...]int{prodDeps, peerDeps} {
			for name, value := range m.deps[kind] {
				if kind == peerDeps && (omit["peer"] || slices.Contains(m.optionalPeers, name)) || m.deps[optionalDeps][name] != "" || slices.Contains(m.bundled, name) {
					continue
				}
				if s := parseValue(name, value); !p.npmFinds(d.dir, name, s) {
					missing = append(missing, name)
				}
			}
		}
	}
	return missing
}

// npmFinds looks a dependency up as node does: in node_modules of every folder upwards.
func (p *plan) npmFinds(dir, name string, s spec) bool {
	for d := dir; ; d = path.Dir(d) {
		if path.Base(d) != "node_modules" {
			if m := p.manifest(path.Join(d, "node_modules", name)); m != nil {
				return settles(m.version, s) || s.kind != registrySpec
			}
		}
		if d == p.root || d == "/" {
			return false
		}
	}
}

// settles tells whether what is there is what is asked for, so that nothing is looked up.
func settles(have string, s spec) bool {
	if s.kind != registrySpec {
		return have != ""
	}
	v, ok := parseVersion(have)
	in, _ := satisfies(v, s.rest)
	return ok && in
}

// sameSpec tells whether two values of a dependency are spellings of one.
func sameSpec(a, b spec) bool {
	return a == b || a.kind == b.kind && (a.kind == fileSpec || a.kind == directorySpec) && path.Clean(a.rest) == path.Clean(b.rest)
}

// several names things for people, the first few of many.
func several(names []string) string {
	if len(names) > 5 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:5], ", "), len(names)-5)
	}
	return strings.Join(names, ", ")
}
