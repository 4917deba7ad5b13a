package nodepkg

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/npmrc"
	"github.com/ambit-dev/ambit/predict/internal/registry"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// bun's rules were observed with bun 1.4.5 and are compared with it by TestRealityBun.

// bunTrusted is what "bun pm default-trusted" of bun 1.4.5 prints: packages whose scripts run unless package.json has a list of its
// own.
//
//go:embed bun_trusted.txt
var bunTrusted string

// bunfig is what is used of bunfig.toml.
type bunfig struct {
	Preload any `toml:"preload"`
	Install struct {
		IgnoreScripts bool `toml:"ignoreScripts"`
	} `toml:"install"`
}

// bun plans a call of bun or bunx.
func (p *plan) bun() {
	f := &p.req.Flags
	p.cwd = p.req.Dir
	if f.Prefix != "" {
		p.cwd = workspace.Join(p.cwd, f.Prefix)
	}
	self := p.upward(p.cwd, "package.json")
	if self == "" {
		self = p.cwd
	}
	p.root = p.workspaceRoot(self)
	p.in = npmrc.Find(p.fs, p.req.Env)
	p.cfg = npmrc.Load(p.fs, npmrc.Options{CLI: f.Options, Env: p.req.Env, Home: p.req.Home, Project: p.root, Install: p.in})
	fig := p.bunfig()
	switch v, ok := p.cfg.In("ignore-scripts", npmrc.Project, npmrc.User); {
	case f.IgnoreScripts:
		p.ignored = "--ignore-scripts"
	case fig.Install.IgnoreScripts:
		p.ignored = "ignoreScripts is set in bunfig.toml"
	case ok && v.True():
		p.ignored = "ignore-scripts is set" + where(v)
	}
	p.fields = map[string]string{"INIT_CWD": p.req.Dir}
	switch p.req.Verb {
	case "install", "ci", "add", "remove", "update", "link", "unlink", "rebuild":
		p.bunTree(self)
	case "run", "exec":
		p.bunRun(self, &fig)
	case "dlx", "create":
		p.bunX(createIf(p.req.Verb == "create", p.req.Names), self)
	case "init":
		p.claim(effect.File, effect.Write, path.Join(p.req.Dir, "package.json"), false, effect.Source{Rule: "bun/init"})
	case "version":
		p.npmVersion()
	case "pack", "publish":
		if p.req.Verb == "publish" {
			p.lifecycleOf(self, "prepublishOnly")
		}
		p.lifecycleOf(self, "prepack", "prepare", "postpack")
		if p.req.Verb == "publish" {
			p.bunFetch(effect.Send, "")
			p.lifecycleOf(self, "publish", "postpublish")
		} else {
			p.claim(effect.File, effect.Write, self, true, effect.Source{Rule: "bun/pack"})
		}
	}
}

// bunfig reads bunfig.toml of the project.
func (p *plan) bunfig() (b bunfig) {
	name := path.Join(p.root, "bunfig.toml")
	f, err := p.fs.Read(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			p.broken(name, "bun/config", fmt.Sprintf("bunfig.toml cannot be read: %v", err))
		}
		return b
	}
	if err := toml.Unmarshal(f.Data, &b); err != nil {
		p.unknown(effect.Source{File: f.Path, Line: 1, SHA256: f.SHA256, Rule: "bun/config"}, fmt.Sprintf("bunfig.toml is not understood: %v", err), anything...)
		return bunfig{}
	}
	return b
}

func (p *plan) bunFetch(access effect.Access, scope string) {
	if p.req.Flags.Offline {
		return
	}
	host, from := registry.Bun(p.fs, p.cfg, p.cwd, p.req.Env, scope)
	from.Rule = "bun/" + p.req.Verb
	p.claim(effect.Network, access, host, false, from)
}

// bunTree plans the commands that change node_modules: scripts of new trusted dependencies, then of workspaces, then the project's
// own, on every call.
func (p *plan) bunTree(self string) {
	f, verb := p.req.Flags, p.req.Verb
	rule := effect.Source{Rule: "bun/" + verb}
	if verb == "link" && len(p.req.Names) == 0 || verb == "unlink" {
		return
	}
	if verb != "rebuild" {
		p.bunFetch(effect.Fetch, "")
	}
	if f.Global {
		if verb != "remove" {
			p.fetched(strings.Join(p.req.Names, ", ")+" and of what it depends on", rule.Rule)
		}
		return
	}
	if !f.on("frozen-lockfile") && !f.on("no-save") && verb != "ci" && !f.DryRun {
		p.claim(effect.File, effect.Write, path.Join(p.root, "bun.lock"), false, rule)
		if verb == "add" || verb == "remove" || verb == "update" || verb == "rebuild" {
			p.claim(effect.File, effect.Write, path.Join(self, "package.json"), false, rule)
		}
	}
	if f.DryRun || f.LockfileOnly {
		return
	}
	p.claim(effect.File, effect.Write, path.Join(p.root, "node_modules"), true, rule)
	root := p.manifest(p.root)
	members := p.members(root)
	trusted := p.bunTrust(root)
	p.bunDeps(trusted, root, members)
	if verb == "rebuild" {
		return // bun pm trust
	}
	switch verb {
	case "add":
		p.bunAdded(trusted)
	case "update":
		p.fetched("packages that are updated", rule.Rule)
	}
	if len(f.Workspaces) > 0 {
		for _, m := range members {
			if slices.ContainsFunc(f.Workspaces, func(pat string) bool { return pnpmMatches(m, pat, p.root, p.cwd) }) {
				p.lifecycleOf(m.dir, "preinstall", "install", "postinstall", "prepare")
			}
		}
		return
	}
	for _, m := range members {
		p.lifecycleOf(m.dir, "preinstall", "install", "postinstall", "prepare")
	}
	p.lifecycle(root, "preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare")
}

// bunTrust gives which dependencies' scripts run: those of trustedDependencies where package.json has it, else the built-in list.
func (p *plan) bunTrust(root *manifest) func(string) bool {
	asked := p.req.Names
	if p.req.Verb == "rebuild" {
		return func(name string) bool { return slices.Contains(asked, name) }
	}
	list := []string(nil)
	if root != nil && root.hasTrusted {
		list = root.trusted
	} else {
		list = strings.Fields(bunTrusted)
	}
	if p.req.Flags.on("trust") {
		for _, n := range asked {
			list = append(list, parseSpec(n).name)
		}
	}
	set := make(map[string]bool, len(list))
	for _, n := range list {
		set[n] = true
	}
	return func(name string) bool { return set[name] }
}

func (p *plan) bunAdded(trusted func(string) bool) {
	var run, not []string
	for _, n := range p.req.Names {
		if s := parseSpec(n); trusted(s.name) || s.name == "" {
			run = append(run, n)
		} else {
			not = append(not, n)
		}
	}
	if len(not) > 0 {
		p.skip(Skip{Label: "install scripts of " + strings.Join(not, ", "), Why: "bun runs only those of trusted dependencies", From: effect.Source{Rule: "bun/trusted"}})
	}
	// What a package depends on may be on the built-in list.
	p.fetched(several(append(run, "trusted packages that "+several(p.req.Names)+" depends on")), "bun/add")
}

// bunDeps adds the scripts of trusted dependencies. Those that are installed already at the version of bun.lock are left alone,
// as bun leaves them.
func (p *plan) bunDeps(trusted func(string) bool, root *manifest, members []member) {
	lock, known := p.bunLock(trusted)
	anew := p.req.Flags.on("force") || p.req.Verb == "rebuild" // bun ci keeps what is there
	found := map[string]bool{}
	for _, d := range p.bunInstalled(members) {
		if !trusted(d.name) {
			continue
		}
		m := p.manifest(d.dir)
		if m == nil {
			continue
		}
		found[d.name+"@"+m.version], found[d.name] = true, true
		why := p.ignored
		if why == "" && !anew {
			why = "it is installed already, and bun runs it only when it installs the package"
		}
		for _, event := range installEvents {
			p.event(m, event, why, nil)
		}
	}
	if p.ignored != "" || p.req.Verb == "rebuild" {
		return
	}
	var absent []string
	for _, id := range lock {
		name := trimVersion(id)
		dir, local := strings.CutPrefix(id, name+"@file:")
		switch m := p.manifest(path.Join(p.root, dir)); {
		case found[id], strings.ContainsAny(id[len(name):], ":/") && found[name]:
		case local && m != nil:
			for _, event := range installEvents {
				p.event(m, event, "", nil) // a folder: what will be copied is known
			}
		default:
			absent = append(absent, id)
		}
	}
	switch {
	case len(absent) > 0:
		p.unknown(effect.Source{File: path.Join(p.root, "bun.lock"), Line: 1, Rule: "bun/lockfile"}, "install scripts of "+several(absent)+" are not on disk yet", anything...)
	case !known && len(found) == 0 && root != nil && root.fetches() && !(root.hasTrusted && len(root.trusted) == 0) && !p.fs.IsDir(path.Join(p.root, "node_modules")):
		p.absentDependencies(members, "bun/lockfile", false)
	}
}

// bunLock lists the trusted packages with install scripts of bun.lock, as name@version. known is false when there is no lockfile
// that can be read; a binary bun.lockb is an unknown.
func (p *plan) bunLock(trusted func(string) bool) (ids []string, known bool) {
	f, err := p.fs.Read(path.Join(p.root, "bun.lock"))
	if err != nil {
		if p.fs.Exists(path.Join(p.root, "bun.lockb")) && p.ignored == "" && !p.fs.IsDir(path.Join(p.root, "node_modules")) {
			p.unknown(effect.Source{File: path.Join(p.root, "bun.lockb"), Rule: "bun/lockfile"}, "bun.lockb is binary: which trusted dependencies it lists is not known", anything...)
			return nil, true
		}
		return nil, false
	}
	pl := p.platform()
	r := newReader(f.Data)
	r.loose = true
	r.object(func(k []byte, _ int) {
		if string(k) != "packages" {
			return
		}
		r.object(func(k []byte, _ int) {
			name := string(k)
			name = bunName(name)
			id, script, fits := "", false, true
			n := 0
			r.array(func() {
				if n++; n == 1 {
					id = r.text()
					return
				}
				if r.peek() != '{' {
					return
				}
				var os, cpu, libc []string
				r.object(func(k []byte, _ int) {
					switch string(k) {
					case "hasInstallScript":
						script = r.truthy()
					case "os":
						os = r.strings()
					case "cpu":
						cpu = r.strings()
					case "libc":
						libc = r.strings()
					}
				})
				fits = pl.fits(p.fs, os, cpu, libc)
			})
			if trusted(name) && script && fits {
				version := id[strings.LastIndexByte(id, '@')+1:]
				ids = append(ids, name+"@"+version)
			}
		})
	})
	if err := r.end(); err != nil {
		p.unknown(effect.Source{File: f.Path, Line: 1, SHA256: f.SHA256, Rule: "bun/lockfile"}, fmt.Sprintf("bun.lock is %v", err), anything...)
	}
	return ids, true
}

// bunName is the package's name in a key of bun.lock: "a/b/@s/c" is @s/c below b below a.
func bunName(key string) string {
	parts := strings.Split(key, "/")
	if n := len(parts); n > 1 && strings.HasPrefix(parts[n-2], "@") {
		return parts[n-2] + "/" + parts[n-1]
	}
	return parts[len(parts)-1]
}

// bunInstalled lists what is in node_modules, and in node_modules/.bun under the isolated linker.
func (p *plan) bunInstalled(members []member) (list []place) {
	for _, base := range append([]member{{dir: p.root}}, members...) {
		for _, d := range p.packagesBelow(base.dir) {
			if !d.link {
				list = append(list, place{dir: d.dir, name: nameOf(d.loc)})
			}
		}
	}
	store := path.Join(p.root, "node_modules/.bun")
	names, _ := p.fs.Names(store)
	for _, n := range names {
		i := strings.IndexByte(n[min(1, len(n)):], '@')
		if i < 0 {
			continue
		}
		name := strings.ReplaceAll(n[:i+1], "+", "/")
		if dir := path.Join(store, n, "node_modules", name); p.fs.IsDir(dir) {
			list = append(list, place{dir: dir, name: name})
		}
	}
	return list
}

// bunRun plans bun run: a script with its pre and post; else a file, which bun itself executes; else a command of a package.
func (p *plan) bunRun(self string, b *bunfig) {
	f := p.req.Flags
	if p.req.Verb == "exec" {
		m := &manifest{dir: p.cwd, file: &workspace.File{}}
		p.run(task{m: m, event: "exec", text: f.Call, label: "bun exec", from: &effect.Source{Rule: "bun/exec"}})
		return
	}
	if len(p.req.Names) == 0 {
		return
	}
	name, args := p.req.Names[0], append(slices.Clone(p.req.Names[1:]), p.req.Args...)
	dirs := []string{self}
	if len(f.Workspaces) > 0 || f.on("workspaces") {
		dirs = nil
		for _, m := range p.members(p.manifest(p.root)) {
			if f.on("workspaces") || slices.ContainsFunc(f.Workspaces, func(pat string) bool { return pnpmMatches(m, pat, p.root, p.cwd) }) {
				dirs = append(dirs, m.dir)
			}
		}
	}
	for _, dir := range dirs {
		m := p.manifest(dir)
		if m != nil {
			if s, ok := m.script(name); ok {
				p.bunScript(m, name, s, args)
				continue
			}
		}
		p.bunFile(name, args, dir, b)
	}
}

func (p *plan) bunScript(m *manifest, name string, s script, args []string) {
	if pre, ok := m.script("pre" + name); ok {
		p.run(task{m: m, event: "pre" + name, text: pre.text, line: pre.line, rule: "bun/run"})
	}
	p.run(task{m: m, event: name, text: s.text, line: s.line, rule: "bun/run", args: args})
	if post, ok := m.script("post" + name); ok {
		p.run(task{m: m, event: "post" + name, text: post.text, line: post.line, rule: "bun/run"})
	}
}

// bunFile runs a file, with what bunfig.toml preloads before it, or a command of a package.
func (p *plan) bunFile(name string, args []string, dir string, b *bunfig) {
	file := workspace.Join(p.cwd, name)
	if !p.fs.IsFile(file) {
		for _, ext := range [...]string{".tsx", ".jsx", ".mts", ".ts", ".mjs", ".js", ".cjs", ".cts"} {
			if p.fs.IsFile(file + ext) {
				file += ext
				break
			}
		}
	}
	if !p.fs.IsFile(file) {
		for _, bin := range [...]string{path.Join(dir, "node_modules/.bin"), path.Join(p.root, "node_modules/.bin")} {
			if p.fs.Exists(path.Join(bin, name)) && !strings.Contains(name, "/") {
				p.execJob(append([]string{name}, args...), p.cwd, bin)
				return
			}
		}
		return
	}
	p.bunPreload(b)
	from := effect.Source{File: file, Line: 1, Rule: "bun/run"}
	if f, err := p.fs.Read(file); err == nil {
		from.File, from.SHA256 = f.Path, f.SHA256
	}
	p.res.Jobs = append(p.res.Jobs, source.Job{Script: file, Interp: "bun", Args: args, Dir: p.cwd, Path: p.binPath(dir), Label: name, From: from, Env: p.extra})
}

// bunPreload adds the files that bunfig.toml loads in front of a file.
func (p *plan) bunPreload(b *bunfig) {
	var files []string
	switch v := b.Preload.(type) {
	case string:
		files = append(files, v)
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok {
				files = append(files, s)
			}
		}
	}
	for _, file := range append(files, p.req.Flags.Options["preload"]...) {
		if strings.HasPrefix(file, ".") || strings.HasPrefix(file, "/") {
			p.load(workspace.Join(p.root, file), "bun/preload", "preload of "+file)
		} else {
			p.unknown(effect.Source{File: path.Join(p.root, "bunfig.toml"), Line: 1, Rule: "bun/preload"}, "bun preloads the package "+file+", which is not read", anything...)
		}
	}
}

// bunX plans bunx: a command of an installed package, or of one that is fetched (without its install scripts).
func (p *plan) bunX(names []string, self string) {
	if len(names) == 0 {
		return
	}
	s := parseSpec(names[0])
	args := append(slices.Clone(names[1:]), p.req.Args...)
	bin := s.name
	if m, own := p.localPackage(self, s); m != nil {
		bin = own
	}
	if len(p.req.Flags.Packages) == 0 && bin != "" {
		if at := p.localBin(self, path.Base(bin)); at != "" {
			p.execJob(append([]string{path.Base(bin)}, args...), p.cwd, at)
			return
		}
	}
	scope := ""
	if strings.HasPrefix(s.name, "@") {
		scope, _, _ = strings.Cut(s.name, "/")
	}
	p.bunFetch(effect.Fetch, scope)
	p.req.Flags.Offline = true // the registry is claimed already
	p.downloaded(names, "bun/x")
}
