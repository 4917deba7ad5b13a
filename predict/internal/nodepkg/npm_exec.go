package nodepkg

import (
	"crypto/sha512"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// npmExec plans npm exec and npx (node_modules/libnpmexec/lib/index.js; lib/commands/exec.js).
func (p *plan) npmExec() {
	f := p.req.Flags
	p.npmPolicy(nil)
	if f.AllWorkspaces || len(f.Workspaces) > 0 {
		all := p.members(p.manifest(p.root))
		if len(f.Workspaces) > 0 {
			all = selected(all, f.Workspaces, p.root, p.cwd)
		}
		for _, w := range all {
			p.npmExecIn(w.dir, w.dir)
		}
		return
	}
	p.npmExecIn(p.root, p.req.Dir)
}

// npmExecIn runs the command with the packages of home, in dir.
func (p *plan) npmExecIn(home, dir string) {
	f := p.req.Flags
	argv := append(slices.Clone(p.req.Names), p.req.Args...)
	packages := slices.Clone(f.Packages)
	if f.Call == "" && len(argv) == 0 {
		return // an interactive shell, or nothing
	}
	var prefix []string
	if len(packages) == 0 && f.Call == "" {
		name := argv[0]
		for _, own := range slices.Compact([]string{home, p.root}) {
			// The project's own command: npx links the project into its cache and runs it from there.
			if m := p.manifest(own); m != nil && m.bins()[name] != "" {
				p.res.Jobs = append(p.res.Jobs, source.Job{Script: workspace.Join(own, m.bins()[name]), Args: argv[1:], Dir: dir, Path: p.binPath(dir),
					Fields: p.fields, Env: p.extra, Label: name + " of " + m.id(),
					From: effect.Source{File: m.file.Path, Line: 1, SHA256: m.file.SHA256, Rule: "npm/exec/own"}})
				return
			}
		}
		if bin := p.localBin(home, name); bin != "" {
			p.execJob(argv, dir, bin)
			return
		}
		if bin := p.cfg.Prefix + "/bin"; p.cfg.Prefix != "" && p.fs.Exists(path.Join(bin, name)) && !strings.Contains(name, "/") {
			p.execJob(argv, dir, bin)
			return
		}
		if m, bin := p.localPackage(home, parseSpec(name)); m != nil {
			p.execJob(append([]string{bin}, argv[1:]...), dir, path.Join(m.dir, strings.Repeat("../", 1+strings.Count(m.name, "/")), ".bin"))
			return
		}
		packages = []string{name}
		argv[0] = ""
	}
	var missing []string
	for _, pkg := range packages {
		s := parseSpec(pkg)
		if s.kind == directorySpec || s.kind == fileSpec {
			if m := p.manifest(p.specPath(pkg)); m != nil {
				p.runLinks([]member{{dir: m.dir, name: m.name, link: m.name}})
				continue
			}
		}
		if m, _ := p.localPackage(home, s); m == nil {
			missing = append(missing, pkg)
		}
	}
	if len(missing) > 0 {
		bin, command, known := p.npxCache(packages, missing)
		if !known {
			return
		}
		prefix = []string{bin}
		if len(argv) > 0 && argv[0] == "" {
			argv[0] = command
		}
	}
	switch {
	case f.Call != "":
		m := p.manifest(home)
		if m == nil {
			m = &manifest{dir: dir, file: &workspace.File{}}
		}
		p.run(task{m: m, event: "npx", text: f.Call, dir: dir, prefix: prefix, label: "npx -c", from: &effect.Source{Rule: "npm/exec/call"}})
	case len(argv) > 0 && argv[0] != "":
		p.execJob(argv, dir, prefix...)
	}
}

// execJob runs a command with folders in front of PATH.
func (p *plan) execJob(argv []string, dir string, prefix ...string) {
	p.res.Jobs = append(p.res.Jobs, source.Job{Argv: argv, Dir: dir, Path: append(slices.Clone(prefix), p.binPath(dir)...), Fields: p.fields, Env: p.extra,
		Label: argv[0], From: effect.Source{Rule: p.req.Manager + "/exec"}})
}

// localBin finds the node_modules/.bin folder, here or further up, that has a command (libnpmexec lib/file-exists.js).
func (p *plan) localBin(dir, name string) string {
	if strings.Contains(name, "/") {
		return ""
	}
	for d := dir; ; d = path.Dir(d) {
		bin := path.Join(d, "node_modules/.bin")
		if p.fs.IsFile(path.Join(bin, name)) {
			return bin
		}
		if d == "/" {
			return ""
		}
	}
}

// localPackage finds an installed package that a spec names, and the command that stands for it (get-bin-from-manifest.js).
func (p *plan) localPackage(dir string, s spec) (*manifest, string) {
	if s.kind != registrySpec || s.name == "" {
		return nil, ""
	}
	m := p.manifest(path.Join(dir, "node_modules", s.name))
	if m == nil || s.rest != "" && s.rest != "*" && !settles(m.version, s) {
		return nil, ""
	}
	bins := m.bins()
	names := sortedKeys(bins)
	own := m.name[strings.LastIndexByte(m.name, '/')+1:]
	switch {
	case len(names) == 1 || len(names) > 1 && allSame(bins):
		return m, names[0]
	case bins[own] != "":
		return m, own
	}
	return nil, ""
}

func allSame(m map[string]string) bool {
	first, set := "", false
	for _, v := range m {
		if set && v != first {
			return false
		}
		first, set = v, true
	}
	return true
}

// npxCache plans the download of packages into npx's cache. If the one package that is asked for by its exact version is in the
// cache, what runs is known: the folder of its commands, and the command that stands for it.
func (p *plan) npxCache(packages, missing []string) (bin, command string, known bool) {
	what := several(missing)
	scope := ""
	s := parseSpec(packages[0])
	if strings.HasPrefix(s.name, "@") {
		scope, _, _ = strings.Cut(s.name, "/")
	}
	if !p.req.Flags.Offline {
		p.fetch(scope, "npm/exec")
	}
	cache := p.cfg.Text("cache")
	if cache == "" {
		cache = path.Join(p.req.Home, ".npm")
	}
	// The folder is named by a digest of the packages (libnpmexec lib/index.js).
	sum := sha512.Sum512([]byte(strings.Join(slices.Sorted(slices.Values(packages)), "\n")))
	dir := path.Join(workspace.Join(p.root, cache), "_npx", hex.EncodeToString(sum[:])[:16])
	bin = path.Join(dir, "node_modules/.bin")
	cached := p.fs.IsDir(bin)
	if v, ok := p.cfg.Get("yes"); ok && v.False() && !cached {
		p.skip(Skip{Label: what, Why: "yes is set to false" + where(v) + ": npx does not install what is missing", From: valueSource(v, "npm/exec/yes")})
		return "", "", false
	}
	p.claim(effect.File, effect.Write, dir, true, effect.Source{Rule: "npm/exec"})
	if cached && len(packages) == 1 && s.kind == registrySpec && exact(s.rest) {
		if _, command := p.localPackage(dir, s); command != "" {
			return bin, command, true
		}
	}
	p.unknown(effect.Source{Rule: "npm/exec"}, what+" is downloaded and run: its code is not on disk yet", anything...)
	return "", "", false
}

// npmInit plans npm init: with a name it is npm exec of the package create-NAME (lib/commands/init.js).
func (p *plan) npmInit() {
	if len(p.req.Names) == 0 {
		p.claim(effect.File, effect.Write, path.Join(p.req.Dir, "package.json"), false, effect.Source{Rule: "npm/init"})
		p.load(path.Join(p.req.Home, ".npm-init.js"), "npm/init/module", "init-module")
		return
	}
	p.req.Names = append([]string{createName(p.req.Names[0])}, p.req.Names[1:]...)
	p.npmExec()
}

// createName is the package that an initialiser's name stands for: "react-app" is create-react-app, "@s" is @s/create,
// "@s/x@1" is @s/create-x@1, "owner/repo" is owner/create-repo.
func createName(name string) string {
	if strings.HasPrefix(name, "@") && !strings.Contains(name, "/") {
		scope, version, ok := strings.Cut(name[1:], "@")
		if ok {
			return "@" + scope + "/create@" + version
		}
		return "@" + scope + "/create"
	}
	s := parseSpec(name)
	if s.kind == registrySpec || s.kind == tagSpec {
		scope, base, scoped := strings.Cut(s.name, "/")
		out := "create-" + s.name
		if scoped {
			out = scope + "/create-" + base
		}
		if s.rest != "" {
			out += "@" + s.rest
		}
		return out
	}
	if owner, repo, ok := strings.Cut(name, "/"); ok && s.kind == gitSpec {
		return owner + "/create-" + repo
	}
	return name
}
