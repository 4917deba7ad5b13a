package nodepkg

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/npmrc"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Yarn classic's rules were observed with yarn 1.22.22 and are compared with it by TestRealityYarn.

// yarn plans a call of Yarn, after finding out which one runs: a project of berry has a .yarnrc.yml, a lockfile with __metadata, or
// pins a version from 2 on.
func (p *plan) yarn() {
	p.cwd = p.req.Dir
	if f := p.req.Flags; f.Prefix != "" {
		p.cwd = workspace.Join(p.cwd, f.Prefix)
	}
	p.in = npmrc.Find(p.fs, p.req.Env)
	self := p.upward(p.cwd, "package.json")
	if self == "" {
		self = p.cwd
	}
	p.root = p.workspaceRoot(self)
	root := p.manifest(p.root)
	version, major := p.managerVersion("yarn", root)
	rc := p.upward(p.cwd, ".yarnrc.yml")
	if major > 1 || major == 0 && (rc != "" || p.berryLock()) || rc != "" && p.berryLock() {
		p.berry(self, version)
		return
	}
	p.classic(self)
}

// workspaceRoot is the folder above whose package.json has self among its workspaces, or self.
func (p *plan) workspaceRoot(self string) string {
	for dir := path.Dir(self); ; dir = path.Dir(dir) {
		if p.fs.Exists(path.Join(dir, "package.json")) {
			if m := p.manifest(dir); m != nil && len(m.workspaces) > 0 && slices.ContainsFunc(p.members(m), func(w member) bool { return w.dir == self }) {
				return dir
			}
		}
		if dir == "/" {
			return self
		}
	}
}

func (p *plan) berryLock() bool {
	f, err := p.fs.Read(path.Join(p.root, "yarn.lock"))
	return err == nil && strings.Contains(string(f.Data), "\n__metadata:")
}

// classic plans a call of Yarn 1.
func (p *plan) classic(self string) {
	f := &p.req.Flags
	p.cfg = npmrc.Load(p.fs, npmrc.Options{CLI: f.Options, Env: p.req.Env, Home: p.req.Home, Project: p.root, Install: p.in})
	p.fields = map[string]string{"INIT_CWD": p.req.Dir, "npm_command": p.req.Verb}
	if f.IgnoreScripts {
		p.ignored = "--ignore-scripts"
	}
	for _, dir := range slices.Compact([]string{self, p.root, p.req.Home}) {
		if p.classicRC(path.Join(dir, ".yarnrc")) {
			return
		}
	}
	switch p.req.Verb {
	case "install", "add", "remove", "update", "dedupe", "import", "link", "unlink":
		p.classicTree(self)
	case "run", "test", "start", "stop", "restart":
		p.classicRun(self)
	case "exec":
		p.execJob(append(slices.Clone(p.req.Names), p.req.Args...), self, path.Join(self, "node_modules/.bin"), path.Join(p.root, "node_modules/.bin"))
	case "node":
		p.execJob(append([]string{"node"}, append(slices.Clone(p.req.Names), p.req.Args...)...), p.cwd)
	case "dlx", "create":
		p.downloaded(createIf(p.req.Verb == "create", p.req.Names), "yarn/create")
	case "init":
		p.claim(effect.File, effect.Write, path.Join(p.req.Dir, "package.json"), false, effect.Source{Rule: "yarn/init"})
	case "version":
		p.npmVersion()
	case "pack":
		p.lifecycleOf(self, "prepack")
		p.claim(effect.File, effect.Write, self, true, effect.Source{Rule: "yarn/pack"})
		p.lifecycleOf(self, "postpack")
	case "publish":
		p.lifecycleOf(self, "prepublish", "prepare", "prepublishOnly", "prepack", "postpack", "publish", "postpublish")
		p.yarnFetch(effect.Send, "yarn/publish")
	}
}

// yarnFetch claims traffic with Yarn's registry.
func (p *plan) yarnFetch(access effect.Access, rule string) {
	if p.req.Flags.Offline {
		return
	}
	host, from := p.yarnHost("")
	from.Rule = rule
	p.claim(effect.Network, access, host, false, from)
}

// classicRC reads a .yarnrc: lines of a key and a value, quoted or not. With yarn-path another Yarn, out of the repository, takes
// over: true.
func (p *plan) classicRC(name string) bool {
	f, err := p.fs.Read(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			p.broken(name, "yarn/config", fmt.Sprintf("%s cannot be read: %v", name, err))
		}
		return false
	}
	n := 0
	for l := range strings.Lines(string(f.Data)) {
		n++
		key, value, _ := strings.Cut(strings.TrimSpace(l), " ")
		key, value = strings.Trim(key, `":`), strings.Trim(strings.TrimSpace(value), `"`)
		from := effect.Source{File: f.Path, Line: n, SHA256: f.SHA256, Rule: "yarn/config"}
		switch strings.TrimPrefix(strings.TrimPrefix(key, "--"), p.req.Verb+".") {
		case "ignore-scripts":
			if value == "true" && p.ignored == "" {
				p.ignored = fmt.Sprintf("ignore-scripts is set in %s line %d", f.Path, n)
			}
		case "script-shell":
			if p.shell == "" {
				p.shell = value
			}
		case "yarn-path":
			file := workspace.Join(path.Dir(name), value)
			if yarn, err := p.fs.Read(file); err == nil {
				from.File, from.Line, from.SHA256 = yarn.Path, 1, yarn.SHA256
			}
			p.unknown(from, "Yarn is run from a file of the repository, "+file+", which is not read", anything...)
		}
	}
	return false
}

// classicTree plans the commands that change node_modules: the project's preinstall, the dependencies' scripts, then the rest of
// the project's.
func (p *plan) classicTree(self string) {
	f, verb := p.req.Flags, p.req.Verb
	rule := effect.Source{Rule: "yarn/" + verb}
	if verb == "link" || verb == "unlink" {
		p.claim(effect.File, effect.Write, path.Join(p.root, "node_modules"), true, rule)
		return
	}
	p.yarnFetch(effect.Fetch, rule.Rule)
	if f.Global {
		if verb != "remove" {
			p.fetched(strings.Join(p.req.Names, ", ")+" and of what it depends on", rule.Rule)
		}
		return
	}
	if !f.on("frozen-lockfile") && !f.on("pure-lockfile") && !f.on("no-lockfile") {
		p.claim(effect.File, effect.Write, path.Join(p.root, "yarn.lock"), false, rule)
	}
	if verb == "add" || verb == "remove" || verb == "update" {
		p.claim(effect.File, effect.Write, path.Join(self, "package.json"), false, rule)
	}
	p.claim(effect.File, effect.Write, path.Join(p.root, "node_modules"), true, rule)
	prod := f.OmitDev
	if env, _ := p.req.Env("NODE_ENV"); env == "production" && f.last("production") != "false" {
		prod = true
	}
	own := verb == "install" || verb == "add"
	if own {
		p.lifecycleOf(self, "preinstall")
	}
	p.classicDeps(prod)
	switch verb {
	case "add":
		p.fetched(strings.Join(p.req.Names, ", ")+" and of what it depends on", rule.Rule)
	case "update":
		p.fetched("packages that are updated", rule.Rule)
	}
	if own {
		p.lifecycleOf(self, "install", "postinstall")
		if !prod {
			p.lifecycleOf(self, "prepublish", "prepare")
		}
	}
}

// classicDeps adds the scripts of dependencies and workspaces. When node_modules/.yarn-integrity says that all is as yarn.lock and
// package.json ask, Yarn runs none of them.
func (p *plan) classicDeps(prod bool) {
	members := p.members(p.manifest(p.root))
	current, locked := p.classicCurrent(prod)
	if current && p.req.Verb == "install" && !p.req.Flags.on("force") {
		p.skip(Skip{Label: "install scripts of dependencies", Why: "node_modules is as yarn.lock asks: Yarn installs nothing",
			From: effect.Source{File: path.Join(p.root, "node_modules/.yarn-integrity"), Line: 1, Rule: "yarn/integrity"}})
		return
	}
	seen := map[string]bool{}
	installed := false
	for _, base := range append([]member{{dir: p.root}}, members...) {
		for _, d := range p.packagesBelow(base.dir) {
			dir := d.dir
			if d.link {
				target, err := p.fs.Resolve("/", dir, true)
				if err != nil || !slices.ContainsFunc(members, func(m member) bool { return m.dir == target }) {
					continue // link: dependencies are left alone
				}
				dir = target
			} else {
				installed = true
			}
			m := p.manifest(dir)
			if m == nil || seen[dir] {
				continue
			}
			seen[dir] = true
			for _, event := range installEvents {
				p.event(m, event, p.ignored, nil)
			}
		}
	}
	for _, m := range members {
		if !seen[m.dir] {
			p.lifecycleOf(m.dir, installEvents[:]...)
		}
	}
	if p.ignored == "" && !current && (!installed || locked > 0) {
		p.absentDependencies(members, "yarn/lockfile", installed)
	}
}

// absentDependencies is the unknown for what is not known to be on disk.
func (p *plan) absentDependencies(members []member, rule string, some bool) {
	depends := false
	for _, w := range append([]member{{dir: p.root}}, members...) {
		if m := p.manifest(w.dir); m != nil {
			depends = depends || m.fetches()
		}
	}
	if !depends {
		return
	}
	why := "the dependencies are not on disk yet: which of them have install scripts is not known"
	if some {
		why = "some dependencies are not on disk as the lockfile asks: which of them have install scripts is not known"
	}
	p.unknown(effect.Source{Rule: rule}, why, anything...)
}

// classicCurrent compares node_modules/.yarn-integrity with yarn.lock and the manifests, as Yarn does (src/integrity-checker.js):
// flags, patterns of the manifests, and every entry of the lockfile. locked is how many entries of yarn.lock differ.
func (p *plan) classicCurrent(prod bool) (current bool, locked int) {
	lock, err := p.fs.Read(path.Join(p.root, "yarn.lock"))
	if err != nil {
		return false, 0
	}
	wanted := classicLock(lock.Data)
	f, err := p.fs.Read(path.Join(p.root, "node_modules/.yarn-integrity"))
	if err != nil {
		return false, len(wanted)
	}
	have, top, flags, system := map[string]string{}, []string(nil), []string(nil), ""
	r := newReader(f.Data)
	r.object(func(k []byte, _ int) {
		switch string(k) {
		case "systemParams":
			system = r.text()
		case "lockfileEntries":
			have = r.texts()
		case "topLevelPatterns":
			top = r.strings()
		case "flags":
			flags = r.strings()
		}
	})
	if r.end() != nil {
		return false, len(wanted)
	}
	for pattern, resolved := range wanted {
		if have[pattern] != resolved {
			locked++
		}
	}
	current = locked == 0 && p.thisNode(system) && len(have) == len(wanted) && slices.Contains(flags, "production") == prod && !slices.ContainsFunc(flags, func(s string) bool {
		return s != "production" && s != "ignoreScripts"
	})
	return current && p.classicPatterns(top), locked
}

// thisNode tells whether a record is of this system and of the node on PATH: "linux-x64-115", where the number is the version of
// node's binary interface, which its header files name. Without those nothing is certain, and Yarn may install everything anew.
func (p *plan) thisNode(system string) bool {
	pl := thisMachine()
	abi, ok := strings.CutPrefix(system, pl.os+"-"+pl.cpu+"-")
	if !ok || p.in.Node == "" {
		return false
	}
	real, err := p.fs.Resolve("/", p.in.Node, true)
	if err != nil {
		return false
	}
	f, err := p.fs.Read(path.Join(path.Dir(path.Dir(real)), "include/node/node_version.h"))
	if err != nil {
		return false
	}
	for l := range strings.Lines(string(f.Data)) {
		if words := strings.Fields(l); len(words) == 3 && words[0] == "#define" && words[1] == "NODE_MODULE_VERSION" && words[2] == abi {
			return true
		}
	}
	return false
}

// classicPatterns tells whether the dependencies of the manifests are those that were installed.
func (p *plan) classicPatterns(top []string) bool {
	root := p.manifest(p.root)
	var asked []string
	for _, w := range append([]member{{dir: p.root}}, p.members(root)...) {
		m := p.manifest(w.dir)
		if m == nil {
			continue
		}
		if w.dir != p.root {
			asked = append(asked, w.name+"@"+m.version)
		}
		for _, deps := range m.deps[:peerDeps] {
			for name, value := range deps {
				asked = append(asked, name+"@"+value)
			}
		}
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	top = slices.Clone(top)
	slices.Sort(top)
	top = slices.DeleteFunc(slices.Compact(top), func(s string) bool { return strings.HasPrefix(s, "workspace-aggregator-") })
	return slices.Equal(asked, top)
}

// classicLock gives the address of every pattern of a yarn.lock of version 1.
func classicLock(data []byte) map[string]string {
	entries := map[string]string{}
	var patterns []string
	for l := range strings.Lines(string(data)) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case l == "" || l[0] == '#':
		case l[0] != ' ' && strings.HasSuffix(l, ":"):
			patterns = patterns[:0]
			for part := range strings.SplitSeq(strings.TrimSuffix(l, ":"), ", ") {
				patterns = append(patterns, strings.Trim(part, `"`))
				entries[strings.Trim(part, `"`)] = ""
			}
		default:
			if v, ok := strings.CutPrefix(l, "  resolved "); ok {
				for _, pat := range patterns {
					entries[pat] = strings.Trim(v, `"`)
				}
			}
		}
	}
	return entries
}

// classicRun plans yarn run NAME, yarn NAME and those of workspaces: a script with its pre and post, or else a command of a package.
func (p *plan) classicRun(self string) {
	name, args := p.req.Verb, append(slices.Clone(p.req.Names), p.req.Args...)
	if name == "run" {
		if len(p.req.Names) == 0 {
			return
		}
		name, args = p.req.Names[0], append(slices.Clone(p.req.Names[1:]), p.req.Args...)
	}
	f := p.req.Flags
	dirs := []string{self}
	if members := p.members(p.manifest(p.root)); f.AllWorkspaces || len(f.Workspaces) > 0 {
		dirs = nil
		for _, m := range members {
			if f.AllWorkspaces || slices.Contains(f.Workspaces, m.name) {
				dirs = append(dirs, m.dir)
			}
		}
	}
	for _, dir := range dirs {
		m := p.manifest(dir)
		if m == nil {
			continue
		}
		s, ok := m.script(name)
		if !ok {
			if name == "env" {
				continue // prints the environment
			}
			for _, bin := range [...]string{path.Join(dir, "node_modules/.bin"), path.Join(p.root, "node_modules/.bin")} {
				if p.fs.Exists(path.Join(bin, name)) {
					p.execJob(append([]string{name}, args...), dir, bin)
					break
				}
			}
			continue
		}
		// Yarn 1 runs pre and post with --ignore-scripts as well (src/cli/commands/run.js looks only at the script).
		if pre, ok := m.script("pre" + name); ok {
			p.run(task{m: m, event: "pre" + name, text: pre.text, line: pre.line, rule: "yarn/run"})
		}
		p.run(task{m: m, event: name, text: s.text, line: s.line, rule: "yarn/run", args: args})
		if post, ok := m.script("post" + name); ok {
			p.run(task{m: m, event: "post" + name, text: post.text, line: post.line, rule: "yarn/run"})
		}
	}
}
