package nodepkg

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/npmrc"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// npm's rules were read in the sources of npm 11.16, 11.19.1 and 12.2.2 (paths in comments are below npm's own folder) and are
// compared with the npm on this machine by TestReality.

// npm plans a call of npm or npx.
func (p *plan) npm() {
	f := &p.req.Flags
	p.cwd = p.req.Dir
	p.in = npmrc.Find(p.fs, p.req.Env)
	implicit := p.npmPrefix()
	project := p.root
	if f.Global {
		project = ""
	}
	p.cfg = npmrc.Load(p.fs, npmrc.Options{CLI: f.Options, Env: p.req.Env, Home: p.req.Home, Project: project, Install: p.in})
	for _, problem := range p.cfg.Problems {
		p.broken(problem.File, "npm/config", fmt.Sprintf("npm's configuration %s cannot be read: %v", problem.File, problem.Err))
	}
	if f.Global = f.Global || p.cfg.On("global"); f.Global && p.cfg.Prefix != "" {
		p.root = p.cfg.Prefix + "/lib"
	}
	p.npmOptions(implicit)
	p.npmFields()
	switch p.req.Verb {
	case "install", "ci", "add", "update", "remove", "rebuild", "dedupe", "prune", "link", "install-test", "install-ci-test":
		p.npmTree()
	case "run", "test", "start", "stop", "restart":
		p.npmRun(p.req.Verb)
	case "exec", "dlx":
		p.npmExec()
	case "create", "init":
		p.npmInit()
	case "version":
		p.npmVersion()
	case "pack", "publish":
		p.npmPack()
	}
}

// npmPrefix finds the project: the nearest folder upwards with a package.json or a node_modules; if a package.json further up
// has that folder among its workspaces, then that one is the project and the workspace is selected
// (node_modules/@npmcli/config/lib/index.js, loadLocalPrefix). It gives the selected workspace, if any.
func (p *plan) npmPrefix() (implicit string) {
	f := p.req.Flags
	if f.Prefix != "" {
		p.root = workspace.Join(p.cwd, f.Prefix)
		return ""
	}
	for dir := p.cwd; ; dir = path.Dir(dir) {
		has := p.fs.Exists(path.Join(dir, "package.json"))
		switch {
		case p.root == "" && (has || p.fs.IsDir(path.Join(dir, "node_modules"))):
			p.root = dir
			if f.Global || slices.Contains(f.Options["workspaces"], "false") {
				return ""
			}
		case p.root != "" && has:
			if m := p.manifest(dir); m != nil && len(m.workspaces) > 0 &&
				slices.ContainsFunc(p.members(m), func(w member) bool { return w.dir == p.root }) {
				implicit, p.root = p.root, dir
				return implicit
			}
		}
		if dir == "/" {
			break
		}
	}
	if p.root == "" {
		p.root = p.cwd
	}
	return ""
}

// npmOptions takes over what the configuration says about scripts and the environment.
func (p *plan) npmOptions(implicit string) {
	f := &p.req.Flags
	if v, ok := p.cfg.Get("ignore-scripts"); f.IgnoreScripts {
		p.ignored = "--ignore-scripts"
	} else if ok && v.True() {
		p.ignored = "ignore-scripts is set" + where(v)
	}
	f.ForegroundScripts = f.ForegroundScripts || p.cfg.On("foreground-scripts")
	f.Offline = f.Offline || p.cfg.On("offline")
	f.IfPresent = f.IfPresent || p.cfg.On("if-present")
	f.IncludeRoot = f.IncludeRoot || p.cfg.On("include-workspace-root")
	if !f.AllWorkspaces {
		f.AllWorkspaces = p.cfg.On("workspaces")
	}
	if v, ok := p.cfg.Get("workspace"); ok && len(f.Workspaces) == 0 {
		f.Workspaces = v.List
	}
	if implicit != "" && len(f.Workspaces) == 0 && !f.AllWorkspaces {
		f.Workspaces = []string{implicit}
	}
	if p.shell = f.ScriptShell; p.shell == "" {
		p.shell = p.cfg.Text("script-shell")
	}
	if p.in.Dir != "" {
		p.tail = []string{p.in.Dir + "/node_modules/@npmcli/run-script/lib/node-gyp-bin"}
	}
	if v, ok := p.cfg.Get("node-options"); ok && v.Text != "" && v.Layer != npmrc.Env {
		p.extra = map[string]string{"NODE_OPTIONS": v.Text}
		p.claim(effect.Environment, effect.Write, "NODE_OPTIONS", false, valueSource(v, "npm/node-options"))
	}
}

// where says where an option was set, for people.
func where(v npmrc.Value) string {
	switch v.Layer {
	case npmrc.CLI:
		return " on the command line"
	case npmrc.Env:
		return " in the environment"
	}
	return fmt.Sprintf(" in %s line %d", v.File, v.Line)
}

func valueSource(v npmrc.Value, rule string) effect.Source {
	return effect.Source{File: v.File, Line: v.Line, SHA256: v.SHA256, Rule: rule}
}

// npmFields is the constant set that every script of this call sees (node_modules/@npmcli/config/lib/set-envs.js).
func (p *plan) npmFields() {
	cmd := p.req.Verb
	switch cmd {
	case "run":
		cmd = "run-script"
	case "add":
		cmd = "install"
	case "remove":
		cmd = "uninstall"
	case "dlx":
		cmd = "exec"
	case "create":
		cmd = "init"
	}
	p.fields = map[string]string{"INIT_CWD": p.req.Dir, "npm_command": cmd, "npm_config_local_prefix": p.root}
	for key, v := range p.cfg.Given() {
		if !strings.ContainsAny(key, "/:@.") && !strings.HasPrefix(key, "_") { // credentials and scopes are not given to scripts
			p.fields["npm_config_"+strings.ReplaceAll(key, "-", "_")] = v
		}
	}
	if p.req.Home != "" {
		p.fields["HOME"] = p.req.Home
	}
	if p.cfg.Prefix != "" {
		p.fields["npm_config_global_prefix"] = p.cfg.Prefix
	}
	if p.in.Node != "" {
		p.fields["NODE"], p.fields["npm_node_execpath"] = p.in.Node, p.in.Node
	}
	if p.in.Dir != "" {
		p.fields["npm_execpath"] = p.in.Dir + "/bin/npm-cli.js"
		p.fields["npm_config_npm_version"] = p.in.Version
	}
}

// npmAtLeast tells whether the npm on PATH is known to be of a version or later.
func (p *plan) npmAtLeast(v string) bool {
	have, ok := parseVersion(p.in.Version)
	want, _ := parseVersion(v)
	return ok && have.compare(want) >= 0
}

// omit is the set of dependency types that are left out (@npmcli/config lib/definitions, buildOmitList).
func (p *plan) omit() map[string]bool {
	set := map[string]bool{}
	v, given := p.cfg.Get("omit")
	if env, _ := p.req.Env("NODE_ENV"); !given && env == "production" {
		set["dev"] = true
	}
	for _, t := range v.List {
		set[t] = true
	}
	if only := p.cfg.Text("only"); p.req.Flags.OmitDev || only == "prod" || only == "production" || p.cfg.On("production") {
		set["dev"] = true
	}
	if p.cfg.Off("optional") {
		set["optional"] = true
	}
	if also := p.cfg.Text("also"); also == "dev" || also == "development" || p.cfg.Off("production") {
		delete(set, "dev")
	}
	if v, ok := p.cfg.Get("include"); ok {
		for _, t := range v.List {
			delete(set, t)
		}
	}
	return set
}

// npmRun plans npm run NAME and the verbs that stand for it (lib/commands/run.js, lib/lifecycle-cmd.js).
func (p *plan) npmRun(verb string) {
	f := p.req.Flags
	name, args := verb, p.req.Args
	if verb == "run" {
		if len(p.req.Names) == 0 {
			return // lists the scripts
		}
		name = p.req.Names[0]
		args = append(slices.Clone(p.req.Names[1:]), args...)
	} else {
		args = append(slices.Clone(p.req.Names), args...)
	}
	dirs := []string{p.root}
	if f.AllWorkspaces || len(f.Workspaces) > 0 {
		all := p.members(p.manifest(p.root))
		dirs = nil
		if f.IncludeRoot {
			dirs = append(dirs, p.root)
		}
		if len(f.Workspaces) > 0 {
			all = selected(all, f.Workspaces, p.root, p.cwd)
		}
		for _, w := range all {
			dirs = append(dirs, w.dir)
		}
	}
	for _, dir := range dirs {
		p.npmScript(dir, name, args)
	}
}

func (p *plan) npmScript(dir, name string, args []string) {
	m := p.manifest(dir)
	if m == nil {
		return
	}
	main, ok := m.script(name)
	from := effect.Source{File: m.file.Path, Line: 1, SHA256: m.file.SHA256, Rule: "npm/run/default"}
	switch {
	case ok:
	case name == "restart":
		main = script{text: "npm stop --if-present && npm start", line: 1}
	case name == "env":
		main = script{text: "env", line: 1}
	case name == "start" && p.fs.IsFile(path.Join(dir, "server.js")):
		main = script{text: "node server.js", line: 1}
	default:
		return // npm says that the script is missing
	}
	around := func(event string) {
		if s, ok := m.script(event); ok {
			if p.ignored != "" {
				p.skip(Skip{Label: event + " of " + m.id(), Text: s.text, Why: p.ignored,
					From: effect.Source{File: m.file.Path, Line: s.line, SHA256: m.file.SHA256, Rule: "npm/run/" + event}})
				return
			}
			p.run(task{m: m, event: event, text: s.text, line: s.line, rule: "npm/run"})
		}
	}
	around("pre" + name)
	t := task{m: m, event: name, text: main.text, line: main.line, rule: "npm/run", args: args}
	if !ok {
		t.from = &from
	}
	p.run(t)
	around("post" + name)
}

// trimVersion takes a version off a package argument: "a@1" is a, "@s/a@1" is @s/a.
func trimVersion(arg string) string {
	if i := strings.LastIndexByte(arg, '@'); i > 0 {
		return arg[:i]
	}
	return arg
}
