package nodepkg

import (
	"path"
	"slices"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/registry"
	"github.com/ambit-dev/ambit/predict/internal/source"
)

// releaseDirs are the folders of the packages that version, pack and publish act on.
func (p *plan) releaseDirs() []string {
	f := p.req.Flags
	if !f.AllWorkspaces && len(f.Workspaces) == 0 {
		return []string{p.root}
	}
	all := p.members(p.manifest(p.root))
	if len(f.Workspaces) > 0 {
		all = selected(all, f.Workspaces, p.root, p.cwd)
	}
	var dirs []string
	if f.IncludeRoot {
		dirs = append(dirs, p.root)
	}
	for _, w := range all {
		dirs = append(dirs, w.dir)
	}
	return dirs
}

// npmVersion plans npm version VALUE (node_modules/libnpmversion/lib/version.js): scripts around the change of package.json, and
// in a git repository a commit and a tag before the last one.
func (p *plan) npmVersion() {
	if len(p.req.Names) == 0 {
		return // prints versions
	}
	workspaces := p.req.Flags.AllWorkspaces || len(p.req.Flags.Workspaces) > 0
	for _, dir := range p.releaseDirs() {
		m := p.manifest(dir)
		if m == nil {
			continue
		}
		p.lifecycle(m, "preversion")
		rule := effect.Source{Rule: "npm/version"}
		files := []string{path.Join(dir, "package.json")}
		for _, n := range []string{"package-lock.json", "npm-shrinkwrap.json"} {
			if f := path.Join(dir, n); p.fs.Exists(f) {
				files = append(files, f)
			}
		}
		for _, f := range files {
			p.claim(effect.File, effect.Write, f, false, rule)
		}
		p.lifecycle(m, "version")
		if !workspaces && !p.cfg.Off("git-tag-version") && p.fs.Exists(path.Join(dir, ".git")) {
			p.versionGit(dir, files)
		}
		p.lifecycle(m, "postversion")
	}
	if workspaces && !p.cfg.Off("workspaces-update") {
		// The new versions are installed where they are depended on (lib/utils/update-workspaces.js).
		p.req.Flags.Workspaces = nil
		p.npmPolicy(p.manifest(p.root))
		p.npmReify("install", nil, p.manifest(p.root))
	}
}

// versionGit adds the git commands of npm version.
func (p *plan) versionGit(dir string, files []string) {
	git := "git"
	if v := p.cfg.Text("git"); v != "" {
		git = v
	}
	commit := []string{git, "commit", "-m", "version"}
	if p.cfg.Off("commit-hooks") {
		commit = append(commit, "--no-verify")
	}
	sets := [][]string{append([]string{git, "add"}, files...), commit, {git, "tag", "-m", "version", "version"}}
	for _, argv := range sets {
		p.res.Jobs = append(p.res.Jobs, source.Job{Argv: argv, Dir: dir, Label: "git " + argv[1] + " of npm version", From: effect.Source{Rule: "npm/version/git"}})
	}
}

// npmPack plans npm pack and npm publish of folders (node_modules/libnpmpack/lib/index.js, lib/commands/publish.js): what is on disk
// is prepared, packed, and for publish sent to the registry.
func (p *plan) npmPack() {
	f := p.req.Flags
	rule := "npm/" + p.req.Verb
	dirs := p.releaseDirs()
	if len(p.req.Names) > 0 && !slices.Contains(p.req.Names, ".") {
		dirs = nil
	}
	for _, n := range p.req.Names {
		if s := parseSpec(n); s.kind == directorySpec && n != "." {
			dirs = append(dirs, p.specPath(n))
		} else if s.kind != directorySpec && s.kind != fileSpec && !f.Offline {
			p.fetch("", rule)
		}
	}
	for _, dir := range dirs {
		m := p.manifest(dir)
		if m == nil {
			continue
		}
		if p.req.Verb == "publish" {
			p.lifecycle(m, "prepublishOnly")
		}
		p.lifecycle(m, "prepack", "prepare", "postpack")
	}
	dry := f.DryRun || p.cfg.On("dry-run")
	if p.req.Verb == "pack" && !dry {
		to := p.req.Dir
		if d := p.cfg.Text("pack-destination"); d != "" {
			to = d
		}
		p.claim(effect.File, effect.Write, to, true, effect.Source{Rule: rule})
	}
	if p.req.Verb == "publish" {
		host, from := registry.NPM(p.cfg, "")
		from.Rule = rule
		access := effect.Send
		if dry {
			access = effect.Fetch // it still asks for the versions that exist
		}
		p.claim(effect.Network, access, host, false, from)
		for _, dir := range dirs {
			if m := p.manifest(dir); m != nil {
				p.lifecycle(m, "publish", "postpublish")
			}
		}
	}
}
