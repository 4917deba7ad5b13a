package cargo

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// pkg is one package of the dependency graph.
type pkg struct {
	*manifest
	local bool // its folder is named by a path: it belongs to the project
	deps  []dependency
	build []dependency
}

// build is what every command that compiles does.
func (p *planner) build(command string, m mode) {
	selected := p.selected()
	if len(selected) == 0 {
		return // cargo stops: no package is called so
	}
	p.vars = p.environment()
	pkgs := p.collect(selected, m.tests || p.args.AllTargets || len(p.args.Examples)+len(p.args.Tests)+len(p.args.Benches) > 0)
	runsAtBuild := false
	for _, k := range pkgs {
		runsAtBuild = runsAtBuild || k.procMacro() || p.buildScript(k.manifest) != ""
	}
	p.tools(m.links || runsAtBuild)
	switch command {
	case "clippy":
		p.exec("clippy-driver", effect.Source{Rule: "cargo/clippy"})
	case "doc", "rustdoc", "test":
		p.exec("rustdoc", effect.Source{Rule: "cargo/" + command})
	case "fix":
		for _, k := range selected {
			p.write(k.dir, true, "cargo/fix")
		}
	case "install":
		p.write(path.Join(p.home, "bin"), true, "cargo/install")
	}
	p.write(p.targetDir, true, "cargo/"+command)
	if p.lockFile == nil && !p.args.Locked {
		p.write(path.Join(p.root.dir, "Cargo.lock"), false, "cargo/"+command)
	}
	for _, k := range pkgs {
		p.compile(k)
	}
	if m.runs && !p.args.NoRun {
		p.execute(command, m, selected, pkgs)
	}
	if m.publishes && !p.args.DryRun {
		p.credentials()
		p.claim(source.Claim{Class: effect.Network, Access: effect.Send, Target: "@crates", From: effect.Source{Rule: "cargo/publish"}})
	}
	if _, external := map[string]bool{"nextest": true, "llvm-cov": true, "tarpaulin": true, "expand": true}[command]; external {
		p.exec("cargo-"+command, effect.Source{Rule: "cargo/external"})
	}
	if command == "doc" && p.args.Open {
		p.exec("xdg-open", effect.Source{Rule: "cargo/doc"})
	}
}

// collect finds the packages that the selected ones need, fetching what is not on this machine.
func (p *planner) collect(selected []*manifest, dev bool) []pkg {
	p.readLock()
	g := &graph{planner: p, seen: map[string]bool{}, vendor: p.vendored()}
	for _, m := range selected {
		g.local(m, dev)
	}
	for len(g.todo) > 0 && len(g.out) < 5000 {
		l := g.todo[0]
		g.todo = g.todo[1:]
		g.locked(l)
	}
	g.report()
	return g.out
}

type graph struct {
	*planner
	seen     map[string]bool
	todo     []*locked
	out      []pkg
	vendor   string
	absent   []*locked       // not on this machine
	unsolved []effect.Source // dependencies for which no lock file says which version
	first    string          // the name of the first of them
	srcDirs  []string
}

// local adds a package of the project with what it depends on.
func (g *graph) local(m *manifest, dev bool) {
	if m == nil || g.seen["path "+m.dir] || len(g.out) > 5000 {
		return
	}
	g.seen["path "+m.dir] = true
	k := pkg{manifest: m, local: true}
	k.deps = g.dependencies(m, m.tables(false, dev)...)
	k.build = g.dependencies(m, m.BuildDeps, m.BuildOld)
	for _, x := range sortedKeys(m.Targets) {
		t := m.Targets[x]
		if targetApplies(x) {
			k.build = append(k.build, g.dependencies(m, t.BuildDeps)...)
		}
	}
	for _, d := range slices.Concat(k.build, k.deps) {
		g.need(m, d)
	}
	g.out = append(g.out, k)
}

func (g *graph) need(m *manifest, d dependency) {
	if d.path != "" {
		g.local(g.manifest(d.path), false)
		return
	}
	if dir := g.patched(d.name); dir != "" {
		g.local(g.manifest(dir), false)
		return
	}
	if len(g.lock[d.name]) == 0 {
		if g.once("unsolved", d.name) {
			if g.first == "" {
				g.first = d.name
			}
			g.unsolved = append(g.unsolved, m.at(d.name, "cargo/dependencies"))
		}
		if d.git != "" {
			g.claim(source.Claim{Class: effect.Network, Access: effect.Fetch, Target: d.git, From: m.at(d.name, "cargo/git")})
		}
		return
	}
	g.todo = append(g.todo, g.lock[d.name]...)
}

// patched gives the folder that a [patch] or [paths] puts in a crate's place.
func (g *graph) patched(name string) string {
	for _, source := range sortedKeys(g.root.Patch) {
		t := g.root.Patch[source]
		for _, k := range sortedKeys(t) {
			v := t[k]
			n := k
			if s, ok := get(v, "package").(string); ok {
				n = s
			}
			if s, ok := get(v, "path").(string); ok && n == name {
				return workspace.Join(g.root.dir, s)
			}
		}
	}
	for _, c := range g.config {
		for _, d := range c.Paths {
			dir := workspace.Join(c.dir, d)
			if m := g.manifest(dir); m != nil && m.name() == name {
				return dir
			}
		}
	}
	return ""
}

// locked adds a crate of the lock file, by its manifest where it is on this machine.
func (g *graph) locked(l *locked) {
	key := l.name + " " + l.version + " " + l.source
	if g.seen[key] || l.source == "" { // without a source it is a package of the project
		return
	}
	g.seen[key] = true
	dir := g.unpacked(l)
	var m *manifest
	if dir != "" {
		m = g.manifest(dir)
	}
	if m == nil {
		g.absent = append(g.absent, l)
		for _, d := range l.deps {
			name, _, _ := strings.Cut(d, " ")
			g.todo = append(g.todo, g.lock[name]...)
		}
		return
	}
	k := pkg{manifest: m, deps: g.dependencies(m, m.tables(false, false)...), build: g.dependencies(m, m.BuildDeps, m.BuildOld)}
	listed := map[string]bool{}
	for _, d := range l.deps {
		name, _, _ := strings.Cut(d, " ")
		listed[name] = true
	}
	for _, d := range slices.Concat(k.build, k.deps) {
		if listed[d.name] {
			g.todo = append(g.todo, g.lock[d.name]...)
		}
	}
	g.out = append(g.out, k)
}

// unpacked finds the folder of a crate: vendored, or in cargo's registry.
func (g *graph) unpacked(l *locked) string {
	if g.vendor != "" {
		for _, n := range []string{l.name + "-" + l.version, l.name} {
			if d := path.Join(g.vendor, n); g.fs.Exists(path.Join(d, "Cargo.toml")) {
				return d
			}
		}
	}
	if g.srcDirs == nil {
		src := path.Join(g.home, "registry/src")
		names, _ := g.fs.Names(src)
		g.srcDirs = []string{}
		for _, n := range names {
			g.srcDirs = append(g.srcDirs, path.Join(src, n))
		}
	}
	for _, d := range g.srcDirs {
		if d := path.Join(d, l.name+"-"+l.version); g.fs.Exists(path.Join(d, "Cargo.toml")) {
			return d
		}
	}
	return ""
}

// report says what has to be fetched, and that its build scripts and macros cannot be seen.
func (g *graph) report() {
	hosts := []string{}
	for _, l := range g.absent {
		from := effect.Source{File: g.lockFile.Path, Line: l.line, SHA256: g.lockFile.SHA256, Rule: "cargo/lock"}
		host := l.source
		switch kind, url, _ := strings.Cut(l.source, "+"); {
		case kind == "git":
			host, _, _ = strings.Cut(url, "#")
			host, _, _ = strings.Cut(host, "?")
		case strings.HasSuffix(url, ".io-index") || strings.HasPrefix(url, "https://index.crates"):
			host = "@crates"
		case url != "":
			host = url
		}
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
			g.fetches(host, from)
		}
	}
	if n := len(g.absent); n > 0 {
		l := g.absent[0]
		from := effect.Source{File: g.lockFile.Path, Line: l.line, SHA256: g.lockFile.SHA256, Rule: "cargo/lock"}
		why := fmt.Sprintf("the crate %s %s is not on this machine, so its build script or macros are not known", l.name, l.version)
		if n > 1 {
			why = fmt.Sprintf("%d crates, %s %s first, are not on this machine, so their build scripts and macros are not known", n, l.name, l.version)
		}
		g.unknown(from, why, anything()...)
	}
	if len(g.unsolved) > 0 {
		from := g.unsolved[0]
		g.fetches("@crates", from)
		g.unknown(from, fmt.Sprintf("no lock file says which crates are used for %s, so their build scripts and macros are not known", g.first), anything()...)
	}
}

// readLock reads the workspace's Cargo.lock.
func (p *planner) readLock() {
	p.lock = map[string][]*locked{}
	name := path.Join(p.root.dir, "Cargo.lock")
	f, err := p.fs.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var list []locked
	if err == nil {
		p.lockFile = f
		list, err = readLock(f.Data)
	}
	if err != nil {
		p.unknown(effect.Source{File: name, Rule: "cargo/lock"}, "the lock file cannot be read: "+err.Error(), anything()...)
	}
	for i := range list {
		p.lock[list[i].name] = append(p.lock[list[i].name], &list[i])
	}
}

// buildScript gives the path of a package's build script; empty where it has none.
func (p *planner) buildScript(m *manifest) string {
	if m.Package == nil {
		return ""
	}
	switch b := m.Package.Build.(type) {
	case string:
		return path.Join(m.dir, b)
	case bool:
		if !b {
			return ""
		}
	}
	if f := path.Join(m.dir, "build.rs"); p.fs.Exists(f) || m.Package.Build == true {
		return f
	}
	return ""
}

// compile follows what of a package runs while it is compiled: its build script, or the macros that it defines.
func (p *planner) compile(k pkg) {
	name := k.name()
	if script := p.buildScript(k.manifest); script != "" {
		dir := path.Join(p.targetDir, p.profile(), "build", name)
		line := 1
		from := effect.Source{File: script, Line: line, Rule: "cargo/build-script"}
		if f, err := p.fs.Read(script); err == nil {
			from.SHA256 = f.SHA256
		}
		p.exec(path.Join(dir, "build-script-build"), from)
		c := &crate{planner: p, what: "build script of " + name, rule: "cargo/build-script", manifest: k.dir, workdir: k.dir, outDir: path.Join(dir, "out")}
		for _, d := range k.build {
			if d.path == "" {
				c.deps = append(c.deps, d.key)
			} else if m := p.manifest(d.path); m != nil {
				p.library(m, "build script of "+name+", by "+m.name(), "cargo/build-script", c.workdir, c.outDir, false)
			}
		}
		c.scan(script)
	}
	if k.procMacro() {
		p.library(k.manifest, "macros of "+name, "cargo/proc-macro", p.root.dir, "", false)
	}
	if k.Package != nil && k.Package.Metabuild != nil {
		p.unknown(k.at("metabuild", "cargo/metabuild"), "the package "+name+" is built by other packages (metabuild)", anything()...)
	}
}

func (p *planner) profile() string {
	if p.args.Release {
		return "release"
	}
	return "debug"
}

// library scans the library of a package.
func (p *planner) library(m *manifest, what, rule, workdir, outDir string, test bool) {
	root := path.Join(m.dir, "src/lib.rs")
	if m.Lib != nil && m.Lib.Path != "" {
		root = path.Join(m.dir, m.Lib.Path)
	}
	if !p.fs.Exists(root) || !p.once("library", root, rule, fmt.Sprint(test)) {
		return
	}
	c := &crate{planner: p, what: what, rule: rule, manifest: m.dir, workdir: workdir, outDir: outDir, test: test}
	c.scan(root)
}

// programs lists the root files of a package's programs, tests, examples or benchmarks: those that the manifest names and
// those in the usual place.
func (p *planner) programs(m *manifest, units []unit, folder, mainFile string) []unit {
	var out []unit
	add := func(u unit) {
		if p.fs.IsFile(u.Path) && !slices.ContainsFunc(out, func(o unit) bool { return o.Path == u.Path }) {
			out = append(out, u)
		}
	}
	for _, u := range units {
		if u.Path == "" {
			u.Path = path.Join(folder, u.Name+".rs")
			if !p.fs.Exists(path.Join(m.dir, u.Path)) && p.fs.Exists(path.Join(m.dir, folder, u.Name, "main.rs")) {
				u.Path = path.Join(folder, u.Name, "main.rs")
			}
			if mainFile != "" && !p.fs.Exists(path.Join(m.dir, u.Path)) {
				u.Path = mainFile
			}
		}
		add(unit{Name: u.Name, Path: path.Join(m.dir, u.Path)})
	}
	if mainFile != "" {
		add(unit{Name: m.name(), Path: path.Join(m.dir, mainFile)})
	}
	names, err := p.fs.Names(path.Join(m.dir, folder))
	if err != nil {
		return out
	}
	for _, n := range names {
		if base, ok := strings.CutSuffix(n, ".rs"); ok {
			add(unit{Name: base, Path: path.Join(m.dir, folder, n)})
		} else {
			add(unit{Name: n, Path: path.Join(m.dir, folder, n, "main.rs")})
		}
	}
	return out
}

// execute follows what is run after it was built.
func (p *planner) execute(command string, m mode, selected []*manifest, pkgs []pkg) {
	rule := "cargo/" + command
	runner, from := p.runner()
	start := func(exe string) {
		if runner != nil {
			p.job(source.Job{Argv: append(slices.Clone(runner), exe), Dir: p.dir, Label: "runner", From: from})
		}
		p.exec(exe, effect.Source{Rule: rule})
	}
	for _, k := range selected {
		if m.tests {
			p.tests(command, rule, k, start)
			continue
		}
		for _, u := range p.chosen(k) {
			sub := p.profile()
			if len(p.args.Examples) > 0 {
				sub = path.Join(sub, "examples")
			}
			start(path.Join(p.targetDir, sub, u.Name))
			c := &crate{planner: p, what: "program " + u.Name, rule: rule, manifest: k.dir, workdir: p.dir}
			c.outDir = path.Join(p.targetDir, p.profile(), "build", k.name(), "out")
			c.scan(u.Path)
		}
	}
	for _, k := range pkgs { // the libraries of the project that the programs use
		if k.local && !k.procMacro() {
			what, dir := "library "+k.name(), p.dir
			if m.tests {
				dir = k.dir
			}
			p.library(k.manifest, what, rule, dir, path.Join(p.targetDir, p.profile(), "build", k.name(), "out"), false)
		}
	}
}

// chosen lists the programs that `cargo run` may mean.
func (p *planner) chosen(m *manifest) []unit {
	if len(p.args.Examples) > 0 {
		return named(p.programs(m, m.Example, "examples", ""), p.args.Examples)
	}
	all := p.programs(m, m.Bin, "src/bin", "src/main.rs")
	if len(p.args.Bins) > 0 {
		return named(all, p.args.Bins)
	}
	if d := m.Package.DefaultRun; d != "" {
		return named(all, []string{d})
	}
	if len(all) > 1 {
		return nil // cargo stops: it cannot tell which one
	}
	return all
}

func named(list []unit, names []string) []unit {
	return slices.DeleteFunc(list, func(u unit) bool {
		return !slices.ContainsFunc(names, func(n string) bool { ok, err := path.Match(n, u.Name); return ok && err == nil })
	})
}

// tests scans the tests or benchmarks of a package, or those of them that are named.
func (p *planner) tests(command, rule string, m *manifest, start func(string)) {
	a := p.args
	some := a.Lib || len(a.Bins)+len(a.Tests)+len(a.Benches)+len(a.Examples) > 0
	var list []unit
	if command == "bench" {
		list = p.programs(m, m.Bench, "benches", "")
		if len(a.Benches) > 0 {
			list = named(list, a.Benches)
		} else if some {
			list = nil
		}
	} else {
		list = p.programs(m, m.Test, "tests", "")
		if len(a.Tests) > 0 {
			list = named(list, a.Tests)
		} else if some {
			list = nil
		}
	}
	if !some || len(a.Bins) > 0 {
		bins := p.programs(m, m.Bin, "src/bin", "src/main.rs")
		if len(a.Bins) > 0 {
			bins = named(bins, a.Bins)
		}
		list = append(list, bins...)
	}
	out := path.Join(p.targetDir, p.profile(), "build", m.name(), "out")
	for _, u := range list {
		start(path.Join(p.targetDir, p.profile(), "deps", u.Name))
		c := &crate{planner: p, what: "tests " + u.Name, rule: rule, manifest: m.dir, workdir: m.dir, test: true, outDir: out}
		c.scan(u.Path)
	}
	if !some || a.Lib {
		start(path.Join(p.targetDir, p.profile(), "deps", m.name()))
		p.library(m, "tests of "+m.name(), rule, m.dir, out, true)
	}
}
