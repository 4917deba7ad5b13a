// Package cargo reads Rust projects and says what a cargo command would set in motion: the build scripts and macros that
// run while it compiles, the programs that its configuration puts in the compiler's place, the crates that are fetched,
// and what the program or the tests that it runs call. It compiles nothing: Rust text is scanned for calls of the
// standard library and of well-known crates, and crates that are not on this machine are an unknown. The source of its
// rules is The Cargo Book.
package cargo

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Plan says what cargo started in dir with these arguments sets in motion.
func Plan(fs *workspace.FS, dir string, args Args) source.Result {
	p := &planner{fs: fs, args: args, dir: path.Clean(dir), manifests: map[string]*manifest{}, seen: map[string]bool{}}
	p.home = "/root/.cargo"
	if v, ok := p.env("CARGO_HOME"); ok && v != "" {
		p.home = workspace.Join(p.dir, v)
	} else if v, ok := p.env("HOME"); ok {
		p.home = path.Join(v, ".cargo")
	}
	p.plan()
	return p.result
}

type planner struct {
	fs   *workspace.FS
	args Args
	dir  string // working directory
	home string // CARGO_HOME

	root      *manifest // of the workspace
	here      *manifest // the member in whose folder cargo works; nil: none
	targetDir string
	config    []*config
	vars      map[string]string // of [env]
	manifests map[string]*manifest
	lock      map[string][]*locked
	lockFile  *workspace.File
	result    source.Result
	seen      map[string]bool

	sources, sourceBytes int
	full                 bool
}

func (p *planner) env(name string) (string, bool) {
	if p.args.Env == nil {
		return "", false
	}
	return p.args.Env(name)
}

// anything is what code that is not seen could do.
func anything() []effect.Class {
	return []effect.Class{effect.Container, effect.Environment, effect.File, effect.Network, effect.Process}
}

func (p *planner) claim(c source.Claim) {
	if p.once("claim", c.Class.String(), c.Access.String(), c.Target, c.From.Rule) {
		c.Dir = cmp.Or(c.Dir, p.dir)
		p.result.Claims = append(p.result.Claims, c)
	}
}

func (p *planner) unknown(from effect.Source, why string, could ...effect.Class) {
	if p.once("unknown", from.File, why) {
		p.result.Unknowns = append(p.result.Unknowns, source.Unknown{From: from, Why: why, Could: could})
	}
}

func (p *planner) job(j source.Job) {
	if len(p.result.Jobs) >= maxFindings || !p.once("job", j.Shell, strings.Join(j.Argv, "\x00"), j.Dir, j.From.File) {
		return
	}
	if len(p.vars) > 0 {
		env := map[string]string{}
		for _, m := range []map[string]string{p.vars, j.Env} {
			for k, v := range m {
				env[k] = v
			}
		}
		j.Env = env
	}
	if len(j.Env) == 0 {
		j.Env = nil
	}
	p.result.Jobs = append(p.result.Jobs, j)
}

func (p *planner) once(parts ...string) bool {
	key := strings.Join(parts, "\x01")
	if p.seen[key] {
		return false
	}
	p.seen[key] = true
	return true
}

func (p *planner) exec(program string, from effect.Source) {
	p.claim(source.Claim{Class: effect.Process, Access: effect.Exec, Target: program, From: from})
}

func (p *planner) write(target string, tree bool, rule string) {
	p.claim(source.Claim{Class: effect.File, Access: effect.Write, Target: target, Tree: tree, From: effect.Source{Rule: rule}})
}

// plan resolves the command and does what it means.
func (p *planner) plan() {
	if p.args.Help || p.args.Command == "" {
		return
	}
	p.config = p.configs()
	p.alias()
	command := shortName(p.args.Command)
	switch command {
	case "help", "version", "new", "init", "login", "logout", "search", "info", "yank", "owner", "locate-project", "pkgid", "read-manifest", "verify-project",
		"fmt", "add", "remove", "report":
		if command == "search" || command == "info" || command == "yank" || command == "owner" || command == "add" {
			p.fetches("@crates", effect.Source{Rule: "cargo/" + command})
		}
		if command != "add" && command != "remove" {
			return
		}
	case "install":
		if p.args.Path == "" {
			p.install()
			return
		}
		p.args.ManifestPath = path.Join(p.args.Path, "Cargo.toml")
	}
	if !p.open() {
		p.external(command)
		return
	}
	p.toolchain()
	switch command {
	case "add", "remove":
		p.write(p.root.dir+"/Cargo.lock", false, "cargo/"+command)
		return
	case "update", "generate-lockfile":
		p.fetches("@crates", effect.Source{Rule: "cargo/" + command})
		p.write(path.Join(p.root.dir, "Cargo.lock"), false, "cargo/"+command)
		return
	case "clean":
		p.claim(source.Claim{Class: effect.File, Access: effect.Delete, Target: p.targetDir, Tree: true, From: effect.Source{Rule: "cargo/clean"}})
		return
	case "fetch", "vendor", "tree", "metadata":
		if p.args.NoDeps {
			return // it reads the manifests only
		}
		p.collect(p.selected(), true)
		if command == "vendor" {
			p.write(workspace.Join(p.dir, append(slices.Clone(p.args.Operands), "vendor")[0]), true, "cargo/vendor")
		}
		return
	}
	if mode, ok := modeOf(command); ok {
		p.build(command, mode)
		return
	}
	p.external(command)
}

// shortName gives the whole name of cargo's own abbreviations.
func shortName(s string) string {
	switch s {
	case "b":
		return "build"
	case "c":
		return "check"
	case "d":
		return "doc"
	case "r":
		return "run"
	case "t":
		return "test"
	case "rm":
		return "remove"
	}
	return s
}

// mode is what a building command does.
type mode struct {
	links, runs, tests bool
	publishes          bool
}

func modeOf(command string) (mode, bool) {
	switch command {
	case "build", "rustc", "install":
		return mode{links: true}, true
	case "run":
		return mode{links: true, runs: true}, true
	case "test", "bench", "nextest", "llvm-cov", "tarpaulin":
		return mode{links: true, runs: true, tests: true}, true
	case "check", "clippy", "doc", "rustdoc", "fix", "expand":
		return mode{}, true
	case "package":
		return mode{links: true}, true
	case "publish":
		return mode{links: true, publishes: true}, true
	}
	return mode{}, false
}

// alias replaces a command that the configuration defines. Cargo's own commands cannot be replaced.
func (p *planner) alias() {
	for range 10 {
		if _, own := modeOf(shortName(p.args.Command)); own {
			return
		}
		var words []string
		for _, c := range p.config {
			if v, ok := c.Alias[p.args.Command]; ok {
				words = stringList(v)
				break
			}
		}
		if len(words) == 0 {
			return
		}
		old := p.args
		p.args = ParseArgs(append(words, old.Rest...), old.Env)
		p.args.Toolchain = cmp.Or(p.args.Toolchain, old.Toolchain)
		p.args.Config = append(old.Config, p.args.Config...)
	}
}

// open finds the manifest and the workspace.
func (p *planner) open() bool {
	var m *manifest
	if p.args.ManifestPath != "" {
		m = p.manifest(path.Dir(workspace.Join(p.dir, p.args.ManifestPath)))
	} else {
		m = p.find(p.dir)
	}
	if m == nil {
		return false
	}
	p.root = p.rootOf(m)
	p.targetDir = path.Join(p.root.dir, "target")
	for i := len(p.config) - 1; i >= 0; i-- {
		if d := p.config[i].Build.TargetDir; d != "" {
			p.targetDir = workspace.Join(p.config[i].dir, d)
		}
	}
	for _, name := range []string{"CARGO_BUILD_TARGET_DIR", "CARGO_TARGET_DIR"} {
		if v, ok := p.env(name); ok && v != "" {
			p.targetDir = workspace.Join(p.dir, v)
		}
	}
	if p.args.TargetDir != "" {
		p.targetDir = workspace.Join(p.dir, p.args.TargetDir)
	}
	p.current(m)
	return true
}

// current remembers the package that the command is about where none is named.
func (p *planner) current(m *manifest) {
	if len(p.args.Packages) == 0 && !p.args.Workspace && m != p.root && m.Package != nil {
		p.here = m
	}
}

// selected lists the packages that the command is about.
func (p *planner) selected() []*manifest {
	if p.here != nil {
		return []*manifest{p.here}
	}
	all := []*manifest{}
	if p.root.Package != nil {
		all = append(all, p.root)
	}
	if w := p.root.Workspace; w != nil {
		if len(p.args.Packages) == 0 && !p.args.Workspace {
			if len(w.DefaultMembers) > 0 {
				return p.members(p.root, w.DefaultMembers)
			}
			if p.root.Package != nil {
				return all
			}
		}
		for _, m := range p.members(p.root, w.Members) {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return slices.DeleteFunc(all, func(m *manifest) bool {
		named := func(list []string) bool {
			return slices.ContainsFunc(list, func(spec string) bool {
				name, _, _ := strings.Cut(spec[strings.LastIndexByte(spec, '#')+1:], "@")
				ok, err := path.Match(name, m.name())
				return name == m.name() || ok && err == nil
			})
		}
		return len(p.args.Packages) > 0 && !named(p.args.Packages) || named(p.args.Exclude)
	})
}

// external is a command that cargo looks for as cargo-NAME.
func (p *planner) external(command string) {
	if _, own := modeOf(command); own {
		return // no manifest: cargo stops
	}
	switch command {
	case "update", "generate-lockfile", "clean", "fetch", "vendor", "tree", "metadata", "add", "remove":
		return
	}
	words := append([]string{"cargo-" + command, command}, p.args.Rest...)
	p.result.Jobs = append(p.result.Jobs, source.Job{Argv: words, Dir: p.dir, Label: "cargo " + command, From: effect.Source{Rule: "cargo/external"}})
}

// install fetches and builds a program from the registry or a repository.
func (p *planner) install() {
	from := effect.Source{Rule: "cargo/install"}
	where := p.args.Git
	if where == "" {
		p.fetches("@crates", from)
		where = strings.Join(p.args.Operands, " ")
	} else {
		p.claim(source.Claim{Class: effect.Network, Access: effect.Fetch, Target: where, From: from})
	}
	p.root = &manifest{dir: p.dir}
	p.tools(true)
	p.write(path.Join(p.home, "bin"), true, "cargo/install")
	p.unknown(from, "the build scripts and macros of "+where+" are not on this machine", anything()...)
}

// fetches claims that crates are fetched, unless nothing may be.
func (p *planner) fetches(host string, from effect.Source) {
	offline := p.args.Offline
	for _, c := range p.config {
		offline = offline || c.Net.Offline
	}
	if v, ok := p.env("CARGO_NET_OFFLINE"); ok && v == "true" {
		offline = true
	}
	if offline {
		return
	}
	if host == "@crates" {
		if h, at := p.registryHost(); h != host {
			host = h
			if at.File != "" {
				from = at
			}
		}
	}
	p.credentials()
	p.claim(source.Claim{Class: effect.Network, Access: effect.Fetch, Target: host, From: from})
}

// toolchain is what rustup does first: it fetches a toolchain that the project asks for and that is not there.
func (p *planner) toolchain() {
	name, from := p.args.Toolchain, effect.Source{Rule: "cargo/toolchain"}
	if name == "" {
		for dir := p.dir; name == ""; dir = path.Dir(dir) {
			for _, base := range []string{"rust-toolchain", "rust-toolchain.toml"} {
				f, err := p.fs.Read(path.Join(dir, base))
				if err != nil || name != "" {
					continue
				}
				from = effect.Source{File: f.Path, SHA256: f.SHA256, Line: 1, Rule: "cargo/toolchain"}
				var t struct {
					Toolchain struct{ Channel, Path string }
				}
				if !strings.Contains(string(f.Data), "[toolchain]") {
					name = strings.TrimSpace(string(f.Data))
				} else if err := decode(f.Data, &t); err != nil {
					p.unknown(from, "the toolchain file cannot be read: "+err.Error(), anything()...)
				} else if t.Toolchain.Path != "" {
					p.unknown(from, "the compiler is the one in "+t.Toolchain.Path+", which is not analysed", anything()...)
				}
				name = cmp.Or(name, t.Toolchain.Channel)
			}
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	rustup, ok := p.env("RUSTUP_HOME")
	if !ok {
		rustup = path.Join(path.Dir(p.home), ".rustup")
	}
	if name == "" || !p.fs.IsDir(path.Join(rustup, "toolchains")) {
		return
	}
	list, err := p.fs.Names(path.Join(rustup, "toolchains"))
	if err != nil || slices.ContainsFunc(list, func(n string) bool { return n == name || strings.HasPrefix(n, name+"-") }) {
		return
	}
	p.claim(source.Claim{Class: effect.Network, Access: effect.Fetch, Target: "@rustup", From: from})
	p.claim(source.Claim{Class: effect.File, Access: effect.Write, Target: path.Join(rustup, "toolchains"), Tree: true, From: from})
}
