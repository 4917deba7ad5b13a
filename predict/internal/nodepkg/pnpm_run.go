package nodepkg

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/registry"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// pnpmScript plans pnpm run NAME and the verbs that stand for it.
func (p *plan) pnpmScript() {
	name, args := p.req.Verb, append(slices.Clone(p.req.Names), p.req.Args...)
	if name == "run" {
		if len(p.req.Names) == 0 {
			return // lists the scripts
		}
		name, args = p.req.Names[0], append(slices.Clone(p.req.Names[1:]), p.req.Args...)
	}
	if name == "restart" {
		for _, n := range [...]string{"stop", "restart", "start"} {
			p.pnpmRun(n, args)
		}
		return
	}
	p.pnpmRun(name, args)
}

// pnpmRun runs a script, or those whose names a /regular expression/ matches, in the selected projects.
func (p *plan) pnpmRun(name string, args []string) {
	p.pnpmVerify()
	rest := p.pn.all
	if len(rest) > 0 && p.pn.doc != nil {
		rest = rest[1:] // --recursive leaves out the root (pnpm run --help)
	}
	for _, l := range p.pnpmSelected(rest) {
		m := p.manifest(l.dir)
		if m == nil {
			continue
		}
		names := []string{name}
		if pat, ok := strings.CutPrefix(name, "/"); ok && strings.HasSuffix(pat, "/") && len(pat) > 1 {
			re, err := regexp.Compile(strings.TrimSuffix(pat, "/"))
			if err != nil {
				p.unknown(effect.Source{Rule: "pnpm/run"}, "the pattern "+name+" of scripts is not understood", anything...)
				continue
			}
			names = slices.DeleteFunc(slices.Clone(m.order), func(n string) bool { return !re.MatchString(n) })
		}
		for _, n := range names {
			p.pnpmOne(m, n, args)
		}
	}
}

func (p *plan) pnpmOne(m *manifest, name string, args []string) {
	around := p.pn.major == 0 || p.pn.major >= 9
	if v, _ := p.pnpmText("enablePrePostScripts"); v != "" {
		around = !no(v)
	}
	s, ok := m.script(name)
	from := effect.Source{File: m.file.Path, Line: s.line, SHA256: m.file.SHA256, Rule: "pnpm/run"}
	switch {
	case ok:
	case name == "start" && p.fs.IsFile(path.Join(m.dir, "server.js")):
		s.text, from.Line = "node server.js", 1
	default:
		// "pnpm NAME" and "pnpm run NAME" fall back to a command of a package.
		if p.fs.Exists(path.Join(m.dir, "node_modules/.bin", name)) || p.fs.Exists(path.Join(p.root, "node_modules/.bin", name)) {
			p.execJob(append([]string{name}, args...), m.dir, path.Join(m.dir, "node_modules/.bin"), path.Join(p.root, "node_modules/.bin"))
		}
		return
	}
	part := func(event string) {
		if s, ok := m.script(event); ok && around {
			p.run(task{m: m, event: event, text: s.text, line: s.line, rule: "pnpm/run"})
		}
	}
	part("pre" + name)
	p.run(task{m: m, event: name, text: s.text, from: &from, args: args})
	part("post" + name)
}

// pnpmVerify plans what pnpm run does first, from 11 on, when node_modules is not up to date: it installs
// (pnpm.io, verifyDepsBeforeRun). What it compares is written in node_modules/.pnpm-workspace-state-v1.json: the time and size of
// every manifest and of the lockfile.
func (p *plan) pnpmVerify() {
	if p.pn.major < 11 {
		return
	}
	if v, _ := p.pnpmText("verifyDepsBeforeRun"); v != "" && v != "install" && v != "prompt" {
		return
	}
	if p.pnpmCurrent() {
		return
	}
	req := p.req
	p.req.Verb, p.req.Names, p.req.Args = "install", nil, nil
	p.req.Flags.Workspaces, p.req.Flags.AllWorkspaces = nil, false
	p.pnpmTree()
	p.req = req
}

// pnpmCurrent tells whether pnpm will find node_modules up to date.
func (p *plan) pnpmCurrent() bool {
	f, err := p.fs.Read(path.Join(p.pn.modules, ".pnpm-workspace-state-v1.json"))
	if err != nil {
		return false
	}
	sizes, stamp := map[string][2]int64{}, int64(0)
	read := func(r *reader) (v [2]int64) {
		r.object(func(k []byte, _ int) {
			switch string(k) {
			case "mtimeNs":
				v[0], _ = strconv.ParseInt(string(r.raw()), 10, 64)
			case "size":
				v[1], _ = strconv.ParseInt(string(r.raw()), 10, 64)
			}
		})
		return v
	}
	r := newReader(f.Data)
	r.object(func(k []byte, _ int) {
		switch string(k) {
		case "lastValidatedTimestamp":
			stamp, _ = strconv.ParseInt(string(r.raw()), 10, 64)
		case "validation":
			r.object(func(k []byte, _ int) {
				switch string(k) {
				case "files":
					r.object(func(k []byte, _ int) { sizes[string(k)] = read(r) })
				case "manifestFiles":
					r.object(func(k []byte, _ int) { sizes[path.Join(p.root, string(k), "package.json")] = read(r) })
				}
			})
		}
	})
	if r.end() != nil {
		return false
	}
	files := []string{path.Join(p.root, "pnpm-lock.yaml")}
	for _, m := range p.pn.all {
		files = append(files, path.Join(m.dir, "package.json"))
	}
	if p.pn.doc != nil {
		files = append(files, p.pn.doc.file.Path)
	}
	for _, name := range files {
		info, err := p.fs.Lstat(name)
		if err != nil {
			continue
		}
		if want, ok := sizes[name]; ok {
			if info.ModTime().UnixNano() != want[0] || info.Size() != want[1] {
				return false
			}
		} else if info.ModTime().UnixMilli() > stamp {
			return false
		}
	}
	return true
}

// pnpmExec plans pnpm exec: a command with node_modules/.bin of the project in front of PATH.
func (p *plan) pnpmExec() {
	f := p.req.Flags
	argv := append(slices.Clone(p.req.Names), p.req.Args...)
	rest := p.pn.all
	for _, l := range p.pnpmSelected(rest) {
		dir := l.dir
		if len(f.Workspaces) == 0 && !f.AllWorkspaces && !f.on("workspace-root") {
			dir = p.cwd
		}
		bins := []string{path.Join(l.dir, "node_modules/.bin"), path.Join(p.root, "node_modules/.bin")}
		switch {
		case f.Call != "" || f.on("shell-mode"):
			text := f.Call
			if text == "" {
				text = strings.Join(argv, " ")
			}
			p.res.Jobs = append(p.res.Jobs, source.Job{Shell: text, Interp: p.shell, Dir: dir, Path: append(bins, p.binPath(dir)...), Fields: p.fields,
				Env: p.extra, Label: "pnpm exec -c", From: effect.Source{Rule: "pnpm/exec"}})
		case len(argv) > 0:
			p.execJob(argv, dir, bins...)
		}
	}
}

// downloaded plans a command that is fetched and run at once.
func (p *plan) downloaded(names []string, rule string) {
	packages := append(slices.Clone(p.req.Flags.Packages), p.req.Flags.Options["package"]...)
	slices.Sort(packages)
	if packages = slices.Compact(packages); len(packages) == 0 {
		packages = names[:min(1, len(names))]
	}
	if len(packages) == 0 {
		return
	}
	scope := ""
	if s := parseSpec(packages[0]); strings.HasPrefix(s.name, "@") {
		scope, _, _ = strings.Cut(s.name, "/")
	}
	if !p.req.Flags.Offline {
		host, from := registry.NPM(p.cfg, scope)
		from.Rule = rule
		p.claim(effect.Network, effect.Fetch, host, false, from)
	}
	p.unknown(effect.Source{Rule: rule}, several(packages)+" is downloaded and run: its code is not on disk yet", anything...)
}

// createIf turns an initialiser's name into its package's.
func createIf(create bool, names []string) []string {
	if !create || len(names) == 0 {
		return names
	}
	return append([]string{createName(names[0])}, names[1:]...)
}

// pnpmPack plans pnpm pack and publish.
func (p *plan) pnpmPack() {
	verb := p.req.Verb
	rule := effect.Source{Rule: "pnpm/" + verb}
	for _, l := range p.pnpmSelected(p.pn.all) {
		m := p.manifest(l.dir)
		if m == nil {
			continue
		}
		if verb == "publish" {
			p.lifecycle(m, "prepublishOnly", "prepublish")
		}
		p.lifecycle(m, "prepack", "prepare", "postpack")
		if verb == "publish" {
			p.lifecycle(m, "publish", "postpublish")
		} else if !p.req.Flags.DryRun {
			to := p.req.Flags.last("pack-destination")
			if to == "" {
				to = l.dir
			}
			p.claim(effect.File, effect.Write, workspace.Join(p.cwd, to), true, rule)
		}
	}
	if verb == "publish" {
		host, from := registry.NPM(p.cfg, "")
		from.Rule = rule.Rule
		p.claim(effect.Network, effect.Send, host, false, from)
	}
}
