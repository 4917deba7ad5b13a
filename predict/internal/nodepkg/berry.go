package nodepkg

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/npmrc"
	"github.com/ambit-dev/ambit/predict/internal/registry"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// The rules of Yarn from 2 on were read in its bundle (@yarnpkg/cli-dist 4.18.1) and are compared with it by TestRealityBerry.

// berryState is what a call of Yarn from 2 on is planned with.
type berryState struct {
	self   string
	rcs    []*document // .yarnrc.yml files, the nearest first, then the home folder's
	linker string
	built  bool // enableScripts
}

// berry plans a call of Yarn from 2 on.
func (p *plan) berry(self, version string) {
	f := &p.req.Flags
	b := &berryState{self: self}
	for dir := p.cwd; ; dir = path.Dir(dir) {
		if d := p.yaml(path.Join(dir, ".yarnrc.yml"), "yarn/config"); d != nil {
			b.rcs = append(b.rcs, d)
		}
		if dir == "/" {
			break
		}
	}
	if p.req.Home != "" && !workspace.Within(p.cwd, p.req.Home) {
		if d := p.yaml(path.Join(p.req.Home, ".yarnrc.yml"), "yarn/config"); d != nil {
			b.rcs = append(b.rcs, d)
		}
	}
	p.cfg = npmrc.Load(p.fs, npmrc.Options{Env: p.req.Env, Home: p.req.Home, Install: p.in})
	p.fields = map[string]string{"INIT_CWD": p.req.Dir, "PROJECT_CWD": p.root}
	if version != "" {
		p.fields["npm_config_user_agent"] = "yarn/" + version
	}
	p.berryOwnCode(b)
	b.linker, _ = p.berryText(b, "nodeLinker")
	b.built = p.berryScripts(b)
	switch p.req.Verb {
	case "install", "add", "remove", "update", "dedupe", "link", "unlink", "rebuild", "import":
		p.berryTree(b)
	case "run", "test", "start", "stop", "restart", "exec", "node":
		p.berryRun(b)
	case "dlx", "create":
		host, from := p.berryHost("")
		from.Rule = "yarn/dlx"
		if !f.Offline {
			p.claim(effect.Network, effect.Fetch, host, false, from)
		}
		f.Offline = true // the registry is claimed already
		p.downloaded(createIf(p.req.Verb == "create", p.req.Names), "yarn/dlx")
	case "init":
		p.claim(effect.File, effect.Write, path.Join(p.req.Dir, "package.json"), false, effect.Source{Rule: "yarn/init"})
	case "version":
		p.claim(effect.File, effect.Write, path.Join(self, "package.json"), false, effect.Source{Rule: "yarn/version"})
	case "pack", "publish":
		if p.req.Verb == "publish" {
			p.lifecycleOf(self, "prepublish")
		}
		p.lifecycleOf(self, "prepack", "postpack")
		if p.req.Verb == "publish" {
			host, from := p.berryHost("")
			from.Rule = "yarn/publish"
			p.claim(effect.Network, effect.Send, host, false, from)
			p.lifecycleOf(self, "postpublish")
		} else {
			p.claim(effect.File, effect.Write, path.Join(self, "package.tgz"), false, effect.Source{Rule: "yarn/pack"})
		}
	}
}

// berryText is a setting: from YARN_ variables, then from the nearest .yarnrc.yml that has it.
func (p *plan) berryText(b *berryState, key string) (value, from string) {
	if v, ok := p.req.Env("YARN_" + strings.ToUpper(strings.ReplaceAll(kebabCase(key), "-", "_"))); ok {
		return v, " in the environment"
	}
	for _, d := range b.rcs {
		if n := get(d.root, key); n != nil && n.Kind == yaml.ScalarNode {
			return n.Value, fmt.Sprintf(" in %s line %d", d.file.Path, n.Line)
		}
	}
	return "", ""
}

// berryScripts tells whether dependencies' scripts run unless dependenciesMeta says otherwise. The default was on until lockfile
// version 8 and is off from 9 on (bundle: the migrations of yarn install by lockfile version).
func (p *plan) berryScripts(b *berryState) bool {
	if v, _ := p.berryText(b, "enableScripts"); v != "" {
		return !no(v) && v != "0"
	}
	f, err := p.fs.Read(path.Join(p.root, "yarn.lock"))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(f.Data), "\n__metadata:")
	for l := range strings.Lines(strings.TrimPrefix(rest, "\n")) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(l), "version:"); ok {
			n, err := strconv.Atoi(strings.Trim(strings.TrimSpace(v), `"'`))
			return err != nil || n < 9
		}
	}
	return true
}

// berryOwnCode is what Yarn loads out of the repository: itself (yarnPath), plugins, and variables from .env.yarn.
func (p *plan) berryOwnCode(b *berryState) {
	for _, d := range b.rcs {
		if n := get(d.root, "yarnPath"); n != nil {
			from := d.at(n, "yarn/path")
			file := workspace.Join(path.Dir(d.file.Path), text(n))
			if f, err := p.fs.Read(file); err == nil {
				from = effect.Source{File: f.Path, Line: 1, SHA256: f.SHA256, Rule: "yarn/path"}
			}
			p.unknown(from, "Yarn is run from a file of the repository, "+file+", which is not read", anything...)
		}
		list := get(d.root, "plugins")
		if list == nil || list.Kind != yaml.SequenceNode {
			continue
		}
		for _, n := range list.Content {
			n = deref(n)
			file := text(n)
			if file == "" {
				file = text(get(n, "path"))
			}
			if file == "" || !strings.Contains(file, "/") || strings.HasPrefix(file, "@") {
				continue // a plugin that is part of Yarn
			}
			from := d.at(n, "yarn/plugin")
			file = workspace.Join(path.Dir(d.file.Path), file)
			if f, err := p.fs.Read(file); err == nil {
				from = effect.Source{File: f.Path, Line: 1, SHA256: f.SHA256, Rule: "yarn/plugin"}
			}
			p.unknown(from, "Yarn loads the plugin "+file+", which is not read", anything...)
		}
	}
	files := []string{".env.yarn"}
	for _, d := range b.rcs {
		if n := get(d.root, "injectEnvironmentFiles"); n != nil {
			files = texts(n)
			break
		}
	}
	for _, name := range files {
		if file := workspace.Join(p.root, strings.TrimSuffix(name, "?")); p.fs.IsFile(file) {
			p.claim(effect.Environment, effect.Read, file, false, effect.Source{File: file, Line: 1, Rule: "yarn/env"})
		}
	}
}

// berryTree plans the commands that change the installation: workspaces run their preinstall, install and postinstall, whatever
// enableScripts says, and dependencies theirs if they may.
func (p *plan) berryTree(b *berryState) {
	f, verb := p.req.Flags, p.req.Verb
	rule := effect.Source{Rule: "yarn/" + verb}
	if verb != "rebuild" && verb != "unlink" {
		host, from := p.berryHost("")
		from.Rule = rule.Rule
		p.claim(effect.Network, effect.Fetch, host, false, from)
	}
	if !f.on("immutable") && verb != "rebuild" {
		p.claim(effect.File, effect.Write, path.Join(p.root, "yarn.lock"), false, rule)
	}
	if verb == "add" || verb == "remove" || verb == "update" || verb == "link" {
		p.claim(effect.File, effect.Write, path.Join(b.self, "package.json"), false, rule)
	}
	if b.linker == "node-modules" || b.linker == "pnpm" {
		p.claim(effect.File, effect.Write, path.Join(p.root, "node_modules"), true, rule)
	} else {
		p.claim(effect.File, effect.Write, path.Join(p.root, ".pnp.cjs"), false, rule)
	}
	p.claim(effect.File, effect.Write, path.Join(p.root, ".yarn"), true, rule)
	if mode := f.last("mode"); mode == "skip-build" || mode == "update-lockfile" {
		p.ignored = "--mode=" + mode
	}
	p.berryDeps(b)
	if verb == "add" || verb == "update" {
		p.fetchedBerry(b, strings.Join(p.req.Names, ", ")+" and of what it depends on", rule.Rule)
	}
	root := p.manifest(p.root)
	for _, w := range append([]member{{dir: p.root}}, p.members(root)...) {
		if m := p.manifest(w.dir); m != nil && (verb != "rebuild" || len(p.req.Names) == 0 || slices.Contains(p.req.Names, m.name)) {
			p.lifecycle(m, installEvents[:]...)
		}
	}
}

func (p *plan) fetchedBerry(b *berryState, what, rule string) {
	if !b.built && p.ignored == "" {
		p.skip(Skip{Label: "install scripts of " + what, Why: "enableScripts is off", From: effect.Source{Rule: rule}})
		return
	}
	p.fetched(what, rule)
}

// berryDenies says why a dependency's scripts do not run (bundle: extractBuildRequest).
func (p *plan) berryDenies(b *berryState, name, version string) string {
	var meta map[string]bool
	if root := p.manifest(p.root); root != nil {
		meta = root.built
	}
	built, set := meta[name]
	for _, key := range [...]string{name + "@" + version, name + "@npm:" + version} {
		if v, ok := meta[key]; ok {
			built, set = v, true
		}
	}
	switch {
	case set && !built:
		return "dependenciesMeta says that it is not built"
	case !b.built && !built:
		return "enableScripts is off"
	}
	return ""
}

// berryDeps adds the scripts of dependencies, from wherever the linker puts them.
func (p *plan) berryDeps(b *berryState) {
	found := p.berryInstalled(b)
	any := false
	for _, d := range found {
		m := p.manifest(d.dir)
		if m == nil || len(p.req.Names) > 0 && p.req.Verb == "rebuild" && !slices.Contains(p.req.Names, m.name) {
			continue
		}
		any = true
		why := cmp.Or(p.ignored, p.berryDenies(b, d.name, m.version))
		for _, event := range installEvents {
			p.event(m, event, why, nil)
		}
	}
	allowed := b.built
	if root := p.manifest(p.root); root != nil {
		for _, v := range root.built {
			allowed = allowed || v
		}
	}
	if p.ignored != "" || !allowed || p.req.Verb == "rebuild" && any {
		return
	}
	if p.berryComplete(b, found) {
		return
	}
	p.absentDependencies(p.members(p.manifest(p.root)), "yarn/lockfile", any)
}

// berryInstalled lists packages on disk that may have scripts: Yarn unpacks those into .yarn/unplugged under Plug'n'Play, all into
// node_modules or node_modules/.store otherwise.
func (p *plan) berryInstalled(b *berryState) (list []place) {
	switch b.linker {
	case "node-modules":
		for _, base := range append([]member{{dir: p.root}}, p.members(p.manifest(p.root))...) {
			for _, d := range p.packagesBelow(base.dir) {
				if !d.link {
					list = append(list, place{dir: d.dir, name: nameOf(d.loc)})
				}
			}
		}
		return list
	case "pnpm":
		store := path.Join(p.root, "node_modules/.store")
		names, _ := p.fs.Names(store)
		for _, n := range names {
			if m := p.manifest(path.Join(store, n, "package")); m != nil {
				list = append(list, place{dir: m.dir, name: m.name})
			}
		}
		return list
	}
	store := path.Join(p.root, ".yarn/unplugged")
	names, _ := p.fs.Names(store)
	for _, n := range names {
		base := path.Join(store, n, "node_modules")
		inner, _ := p.fs.Names(base)
		for _, name := range inner {
			if !strings.HasPrefix(name, "@") {
				list = append(list, place{dir: path.Join(base, name), name: name})
				continue
			}
			scoped, _ := p.fs.Names(path.Join(base, name))
			for _, s := range scoped {
				list = append(list, place{dir: path.Join(base, name, s), name: name + "/" + s})
			}
		}
	}
	return list
}

// berryComplete tells whether all that yarn.lock lists is among what is on disk. Under Plug'n'Play most packages are in archives, and
// nothing tells what is new.
func (p *plan) berryComplete(b *berryState, found []place) bool {
	f, err := p.fs.Read(path.Join(p.root, "yarn.lock"))
	if err != nil || b.linker != "node-modules" && b.linker != "pnpm" {
		return false
	}
	have := map[string]bool{}
	for _, d := range found {
		if m := p.manifest(d.dir); m != nil {
			have[m.name+"@npm:"+m.version], have[d.name] = true, true
		}
	}
	// Entries are blocks; a package for other systems has a line "conditions: os=win32 & cpu=x64" and is not installed.
	for block := range strings.SplitSeq(string(f.Data), "\n\n") {
		id, elsewhere := "", false
		for l := range strings.Lines(block) {
			key, v, _ := strings.Cut(strings.TrimSpace(l), ": ")
			switch key {
			case "resolution":
				id = strings.Trim(v, `"`)
			case "conditions":
				elsewhere = !p.fitsConditions(v)
			}
		}
		switch {
		case id == "" || elsewhere || strings.Contains(id, "@workspace:") || strings.Contains(id, "@link:") || strings.Contains(id, "@portal:"):
		case !have[id] && (strings.Contains(id, "@npm:") || !have[trimVersion(id[:strings.Index(id+":", ":")])]):
			return false
		}
	}
	// And everything that is asked for has to be listed.
	for _, w := range append([]member{{dir: p.root}}, p.members(p.manifest(p.root))...) {
		if m := p.manifest(w.dir); m != nil && !m.listed(f.Data) {
			return false
		}
	}
	return true
}

// listed tells whether a lockfile of Yarn has a descriptor for every dependency of a manifest.
func (m *manifest) listed(lock []byte) bool {
	for _, deps := range m.deps[:peerDeps] {
		for name, value := range deps {
			if !bytes.Contains(lock, []byte(name+"@npm:"+value)) && !bytes.Contains(lock, []byte(name+"@"+value)) {
				return false
			}
		}
	}
	return true
}

// fitsConditions tells whether conditions of a lockfile hold on this machine. What is not understood holds.
func (p *plan) fitsConditions(s string) bool {
	pl := p.platform()
	lists := map[string][]string{}
	for part := range strings.SplitSeq(strings.NewReplacer("(", "", ")", "").Replace(s), "&") {
		for alt := range strings.SplitSeq(part, "|") {
			if key, v, ok := strings.Cut(strings.TrimSpace(alt), "="); ok {
				lists[key] = append(lists[key], v)
			}
		}
	}
	return pl.fits(p.fs, lists["os"], lists["cpu"], lists["libc"])
}

// berryRun plans yarn run, yarn exec and yarn workspaces foreach: no pre and post scripts; a name with a colon may be a script of
// any workspace; else a command of a package.
func (p *plan) berryRun(b *berryState) {
	f, verb := p.req.Flags, p.req.Verb
	argv := append(slices.Clone(p.req.Names), p.req.Args...)
	switch verb {
	case "run", "exec":
	case "node":
		argv = append([]string{"node"}, argv...)
	default:
		argv, verb = append([]string{verb}, argv...), "run"
	}
	if len(argv) == 0 {
		return
	}
	if file := path.Join(p.root, ".pnp.cjs"); p.fs.IsFile(file) && b.linker != "node-modules" && b.linker != "pnpm" {
		p.unknown(effect.Source{File: file, Line: 1, Rule: "yarn/pnp"}, "every node process loads .pnp.cjs, which is not read", anything...)
	}
	all := p.members(p.manifest(p.root))
	dirs := []string{b.self}
	if f.on("top-level") {
		dirs = []string{p.root}
	}
	if f.AllWorkspaces || len(f.Workspaces) > 0 {
		dirs = nil
		for _, w := range append([]member{{dir: p.root, name: p.nameIn(p.root)}}, all...) {
			if f.AllWorkspaces && p.foreach(w.name) || slices.Contains(f.Workspaces, w.name) {
				dirs = append(dirs, w.dir)
			}
		}
	}
	for _, dir := range dirs {
		if verb == "exec" || verb == "node" {
			cwd := dir
			if !f.AllWorkspaces && len(f.Workspaces) == 0 {
				cwd = p.cwd
			}
			p.berryExec(argv, cwd, dir)
			continue
		}
		p.berryScript(argv, dir, all)
	}
}

func (p *plan) nameIn(dir string) string {
	if m := p.manifest(dir); m != nil {
		return m.name
	}
	return ""
}

// foreach tells whether --include and --exclude leave a workspace in.
func (p *plan) foreach(name string) bool {
	o := p.req.Flags.Options
	match := func(list []string) bool {
		return slices.ContainsFunc(list, func(pat string) bool { return globName(pat, name) })
	}
	return (len(o["include"]) == 0 || match(o["include"])) && !match(o["exclude"])
}

func (p *plan) berryScript(argv []string, dir string, all []member) {
	m := p.manifest(dir)
	if m == nil {
		return
	}
	name := argv[0]
	if s, ok := m.script(name); ok {
		p.run(task{m: m, event: name, text: s.text, line: s.line, rule: "yarn/run", args: argv[1:]})
		return
	}
	for _, bin := range [...]string{path.Join(dir, "node_modules/.bin"), path.Join(p.root, "node_modules/.bin")} {
		if p.fs.Exists(path.Join(bin, name)) {
			p.execJob(argv, dir, bin)
			return
		}
	}
	if strings.Contains(name, ":") {
		for _, w := range append([]member{{dir: p.root}}, all...) {
			if o := p.manifest(w.dir); o != nil {
				if s, ok := o.script(name); ok {
					p.run(task{m: o, event: name, text: s.text, line: s.line, rule: "yarn/run", args: argv[1:]})
					return
				}
			}
		}
	}
	for _, deps := range m.deps[:peerDeps] {
		if len(deps) > 0 && p.fs.Exists(path.Join(p.root, ".pnp.cjs")) {
			p.unknown(effect.Source{Rule: "yarn/run"}, "the command "+name+" is in a package that Yarn keeps in an archive", anything...)
			return
		}
	}
}

// berryExec runs a command line by Yarn's own shell, which reads a subset of sh.
func (p *plan) berryExec(argv []string, cwd, dir string) {
	if p.req.Verb == "exec" && len(argv) == 1 {
		m := p.manifest(dir)
		if m == nil {
			m = &manifest{dir: dir, file: &workspace.File{}}
		}
		p.run(task{m: m, event: "exec", text: argv[0], dir: cwd, label: "yarn exec", from: &effect.Source{Rule: "yarn/exec"}})
		return
	}
	p.execJob(argv, cwd, path.Join(dir, "node_modules/.bin"), path.Join(p.root, "node_modules/.bin"))
}

// berryHost is the registry that Yarn from 2 on talks to.
func (p *plan) berryHost(scope string) (string, effect.Source) {
	return registry.Berry(p.fs, p.cwd, p.req.Home, p.req.Env, scope)
}

// yarnHost is the registry that Yarn classic talks to.
func (p *plan) yarnHost(scope string) (string, effect.Source) {
	return registry.Yarn(p.fs, p.cfg, []string{p.cwd, p.root, p.req.Home}, p.req.Env, scope)
}
