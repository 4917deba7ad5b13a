package nodepkg

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/npmrc"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// pnpm's rules were read in its settings documentation and change log, and are compared with pnpm 12 by TestRealityPNPM; those of
// 8, 9 and 10 were observed with the fixture of that test.

// pnpmSettings are the settings of package.json's "pnpm" that decide which dependencies' scripts run.
type pnpmSettings struct {
	only, never       []string
	onlyFile          string
	builds            []allowance
	hasOnly, hasNever bool
	all               bool
	line              int
}

// field reads one setting of package.json's "pnpm".
func (s *pnpmSettings) field(r *reader, key string) {
	s.line = line(r.data, r.pos)
	switch key {
	case "onlyBuiltDependencies":
		s.only, s.hasOnly = r.strings(), true
	case "neverBuiltDependencies":
		s.never, s.hasNever = r.strings(), true
	case "onlyBuiltDependenciesFile":
		s.onlyFile = r.text()
	case "allowBuilds":
		s.builds = r.allowances()
	case "dangerouslyAllowAllBuilds":
		s.all, _ = r.boolean()
	}
}

// pnpmState is what a pnpm call is planned with.
type pnpmState struct {
	major    int // of the version that runs; 0 when it is not known
	version  string
	doc      *document // pnpm-workspace.yaml
	global   *document // the user's config.yaml
	patterns []string
	all      []member // the workspace's projects, the root first
	self     string   // folder of the project that pnpm was started in
	wanted   pnpmSettings
	modules  string // node_modules of the workspace root
}

// pnpm plans a call of pnpm or pnpx.
func (p *plan) pnpm() {
	p.cwd = p.req.Dir
	s := &p.pn
	if f := p.req.Flags; f.Prefix != "" {
		p.cwd = workspace.Join(p.cwd, f.Prefix)
	}
	p.in = npmrc.Find(p.fs, p.req.Env)
	s.self = p.upward(p.cwd, "package.json")
	if s.self == "" {
		s.self = p.cwd
	}
	if p.root = p.upward(p.cwd, "pnpm-workspace.yaml"); p.root == "" || p.req.Flags.on("ignore-workspace") {
		p.root = s.self
	} else {
		s.doc = p.yaml(path.Join(p.root, "pnpm-workspace.yaml"), "pnpm/workspace")
	}
	root := p.manifest(p.root)
	s.version, s.major = p.managerVersion("pnpm", root)
	p.cfg = npmrc.Load(p.fs, npmrc.Options{CLI: p.req.Flags.Options, Env: p.req.Env, Home: p.req.Home, Project: p.root, Install: p.in})
	for _, problem := range p.cfg.Problems {
		p.broken(problem.File, "pnpm/config", fmt.Sprintf("the configuration %s cannot be read: %v", problem.File, problem.Err))
	}
	if s.pnpmMay(11) {
		s.global = p.yaml(path.Join(p.configHome(), "pnpm/config.yaml"), "pnpm/config")
	}
	p.pnpmOptions(root)
	p.pnpmProjects(root)
	p.pnpmFields()
	p.pnpmHooks()
	switch p.req.Verb {
	case "install", "ci", "add", "update", "remove", "rebuild", "dedupe", "prune", "link", "unlink", "import", "fetch":
		p.pnpmTree()
	case "install-test":
		p.req.Verb = "install"
		p.pnpmTree()
		p.pnpmRun("test", p.req.Args)
	case "run", "test", "start", "stop", "restart":
		p.pnpmScript()
	case "exec":
		p.pnpmExec()
	case "dlx", "create":
		p.downloaded(createIf(p.req.Verb == "create", p.req.Names), "pnpm/dlx")
	case "init":
		p.claim(effect.File, effect.Write, path.Join(p.req.Dir, "package.json"), false, effect.Source{Rule: "pnpm/init"})
	case "version":
		p.npmVersion()
	case "pack", "publish":
		p.pnpmPack()
	}
}

// pnpmMay tells whether the pnpm that runs may be of a major version or later.
func (s *pnpmState) pnpmMay(major int) bool { return s.major == 0 || s.major >= major }

// upward is the nearest folder, here or above, that holds a file.
func (p *plan) upward(dir, name string) string {
	for d := dir; ; d = path.Dir(d) {
		if p.fs.Exists(path.Join(d, name)) {
			return d
		}
		if d == "/" {
			return ""
		}
	}
}

func (p *plan) configHome() string {
	if dir, ok := p.req.Env("XDG_CONFIG_HOME"); ok && path.IsAbs(dir) {
		return dir
	}
	return path.Join(p.req.Home, ".config")
}

// managerVersion is the version of the manager that will run: the one that the project pins (packageManager, which corepack and
// pnpm itself follow), or the one found on PATH. Major is 0 when it cannot be told.
func (p *plan) managerVersion(name string, root *manifest) (version string, major int) {
	if root != nil {
		if v, ok := strings.CutPrefix(root.packageManager, name+"@"); ok {
			version, _, _ = strings.Cut(v, "+")
		}
	}
	if _, ok := parseVersion(version); !ok {
		version = p.versionOnPath(name)
	}
	v, ok := parseVersion(version)
	if !ok {
		return "", 0
	}
	return version, int(min(v.n[0], 1000))
}

// versionOnPath finds the package that a command on PATH belongs to.
func (p *plan) versionOnPath(name string) string {
	paths, _ := p.req.Env("PATH")
	for _, dir := range strings.Split(paths, ":") {
		if !path.IsAbs(dir) || !p.fs.Executable(path.Join(dir, name)) {
			continue
		}
		real, err := p.fs.Resolve("/", path.Join(dir, name), true)
		if err != nil {
			return ""
		}
		for d := path.Dir(real); d != "/"; d = path.Dir(d) {
			f, err := p.fs.Read(path.Join(d, "package.json"))
			if err != nil {
				continue
			}
			m := &manifest{}
			if m.parse(f.Data, false) == nil && (m.name == name || name == "pnpm" && strings.HasPrefix(m.name, "@pnpm/exe") || m.name == "@yarnpkg/cli-dist") {
				return m.version
			}
			return ""
		}
		return ""
	}
	return ""
}

// pnpmText is a setting by its name in pnpm-workspace.yaml, from where this version of pnpm looks for it: the command line, the
// environment, pnpm-workspace.yaml (from 10 on), the user's config.yaml (from 11 on), .npmrc (before 11). Where the version is
// not known, .npmrc and npm_config_ variables are left out: they may not count.
func (p *plan) pnpmText(name string) (value, from string) {
	kebab := kebabCase(name)
	for _, key := range [...]string{kebab, "config." + name, "config." + kebab} {
		if list := p.req.Flags.Options[key]; len(list) > 0 {
			return list[len(list)-1], " on the command line"
		}
	}
	snake := strings.ReplaceAll(kebab, "-", "_")
	if p.pn.pnpmMay(11) {
		for _, key := range [...]string{"pnpm_config_" + snake, "PNPM_CONFIG_" + strings.ToUpper(snake)} {
			if v, ok := p.req.Env(key); ok && v != "" {
				return v, " in the environment"
			}
		}
	}
	old := p.pn.major > 0 && p.pn.major < 11
	if old {
		if v, ok := p.req.Env("npm_config_" + snake); ok && v != "" {
			return v, " in the environment"
		}
	}
	for _, d := range [...]*document{p.pn.doc, p.pn.global} {
		if d == nil || !p.pn.pnpmMay(10) {
			continue
		}
		if n := get(d.root, name); n != nil && n.Kind == yaml.ScalarNode {
			return n.Value, fmt.Sprintf(" in %s line %d", d.file.Path, n.Line)
		}
	}
	if v, ok := p.cfg.In(kebab, npmrc.Project, npmrc.User, npmrc.Global, npmrc.Builtin); ok && old {
		return v.Text, where(v)
	}
	return "", ""
}

func kebabCase(name string) string {
	var b strings.Builder
	for _, c := range name {
		if unicode.IsUpper(c) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// pnpmOptions takes over what the settings say about scripts.
func (p *plan) pnpmOptions(root *manifest) {
	f := &p.req.Flags
	if v, from := p.pnpmText("ignoreScripts"); f.IgnoreScripts {
		p.ignored = "--ignore-scripts"
	} else if yes(v) {
		p.ignored = "ignoreScripts is set" + from
	}
	if p.shell = f.ScriptShell; p.shell == "" {
		if p.shell, _ = p.pnpmText("scriptShell"); strings.HasPrefix(p.shell, ".") {
			p.shell = workspace.Join(p.root, p.shell)
		}
	}
	if v, _ := p.pnpmText("nodeOptions"); v != "" {
		p.extra = map[string]string{"NODE_OPTIONS": v}
		p.claim(effect.Environment, effect.Write, "NODE_OPTIONS", false, effect.Source{Rule: "pnpm/node-options"})
	}
	if v, _ := p.pnpmText("offline"); yes(v) {
		f.Offline = true
	}
	p.pn.modules = path.Join(p.root, "node_modules")
	if v, _ := p.pnpmText("modulesDir"); v != "" {
		p.pn.modules = workspace.Join(p.root, v)
	}
	p.pn.wanted = p.pnpmBuilds(root)
}

// pnpmProjects lists the workspace's packages.
func (p *plan) pnpmProjects(root *manifest) {
	s := &p.pn
	if root != nil {
		s.all = append(s.all, member{dir: p.root, name: root.name})
	}
	if s.doc == nil {
		return
	}
	if n := get(s.doc.root, "packages"); n != nil {
		s.patterns = texts(n)
		for _, m := range p.packagesIn(p.root, s.patterns, s.doc.at(n, "pnpm/workspace")) {
			if m.dir != p.root {
				s.all = append(s.all, m)
			}
		}
	}
}

func (p *plan) pnpmFields() {
	p.fields = map[string]string{"INIT_CWD": p.req.Dir, "PNPM_SCRIPT_SRC_DIR": p.pn.self}
	if p.in.Node != "" {
		p.fields["NODE"], p.fields["npm_node_execpath"] = p.in.Node, p.in.Node
	}
	switch p.req.Verb {
	case "run", "test", "start", "stop", "restart":
		p.fields["npm_command"] = "run-script"
	default:
		p.fields["npm_command"] = p.req.Verb
	}
	if p.pn.version != "" {
		p.fields["npm_config_user_agent"] = "pnpm/" + p.pn.version
	}
}

// pnpmHooks are the files that pnpm loads whatever it is asked for, with --ignore-scripts as well: .pnpmfile.cjs (.mjs from 11 on),
// a user's global pnpmfile, and those of configuration dependencies.
func (p *plan) pnpmHooks() {
	if v, _ := p.pnpmText("ignorePnpmfile"); yes(v) || p.req.Flags.on("ignore-pnpmfile") || p.req.Verb == "version" || p.req.Verb == "init" {
		return
	}
	names := []string{".pnpmfile.cjs"}
	if p.pn.pnpmMay(11) {
		names = append(names, ".pnpmfile.mjs")
	}
	if v, _ := p.pnpmText("pnpmfile"); v != "" {
		names = []string{v}
	}
	if v, _ := p.pnpmText("globalPnpmfile"); v != "" {
		names = append(names, v)
	}
	for _, n := range names {
		p.load(workspace.Join(p.root, n), "pnpm/pnpmfile", "pnpm hooks in "+n)
	}
	if p.pn.doc == nil {
		return
	}
	each(get(p.pn.doc.root, "configDependencies"), func(k, _ *yaml.Node) {
		dir := path.Join(p.root, "node_modules/.pnpm-config", k.Value)
		if !p.fs.IsDir(dir) {
			p.unknown(p.pn.doc.at(k, "pnpm/config-dependency"), "configuration dependency "+k.Value+" is not on disk yet, and pnpm loads its hooks", anything...)
			return
		}
		for _, n := range [...]string{"pnpmfile.cjs", "pnpmfile.mjs"} {
			p.load(path.Join(dir, n), "pnpm/config-dependency", "pnpm hooks of "+k.Value)
		}
	})
}

// pnpmSelected gives the projects that --filter, --recursive and --workspace-root name. A filter that asks for dependencies,
// dependants or changes selects all that it could select.
func (p *plan) pnpmSelected(recursive []member) []member {
	f := p.req.Flags
	s := &p.pn
	if f.on("workspace-root") {
		return []member{{dir: p.root}}
	}
	if len(f.Workspaces) == 0 {
		if f.AllWorkspaces {
			return recursive
		}
		return []member{{dir: s.self}}
	}
	var in []member
	var out []string
	for _, pat := range f.Workspaces {
		if rest, ok := strings.CutPrefix(pat, "!"); ok {
			if !strings.ContainsAny(rest, ".^[") {
				out = append(out, rest)
			}
			continue
		}
		for _, m := range s.all {
			if pnpmMatches(m, pat, p.root, p.cwd) && !slices.Contains(in, m) {
				in = append(in, m)
			}
		}
	}
	if len(in) == 0 && len(out) > 0 {
		in = slices.Clone(recursive)
	}
	return slices.DeleteFunc(in, func(m member) bool {
		return slices.ContainsFunc(out, func(pat string) bool { return pnpmMatches(m, pat, p.root, p.cwd) })
	})
}

func pnpmMatches(m member, pat, root, cwd string) bool {
	if strings.Contains(pat, "...") || strings.Contains(pat, "[") || strings.Contains(pat, "^") {
		return true
	}
	name, dir := pat, ""
	if i := strings.IndexByte(pat, '{'); i >= 0 && strings.HasSuffix(pat, "}") {
		name, dir = pat[:i], pat[i+1:len(pat)-1]
	} else if strings.HasPrefix(pat, ".") || strings.HasPrefix(pat, "/") {
		name, dir = "", pat
	}
	if dir != "" {
		base, _, glob := strings.Cut(dir, "*")
		if within := workspace.Join(cwd, base); m.dir != within && !(workspace.Within(m.dir, within) && (glob || name == "")) {
			return false
		}
	}
	return name == "" || name == m.name || globName(name, m.name) || !strings.HasPrefix(name, "@") && strings.HasSuffix(m.name, "/"+name)
}

// globName matches a name against a pattern in which only * is special.
func globName(pat, name string) bool {
	parts := strings.Split(pat, "*")
	if len(parts) == 1 {
		return pat == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}
