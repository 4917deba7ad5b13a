// Package nodepkg is what npm, pnpm, Yarn (classic and berry) and bun set in motion: lifecycle scripts of the project, of its
// workspaces and of its dependencies, package.json scripts, and commands taken from packages, each with the file and line
// where it stands. It refuses to run or to fetch anything: a script whose text is not on disk is an unknown, and one that the
// manager's configuration forbids is listed as skipped, with the setting that forbids it.
package nodepkg

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/npmrc"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Request is one call of a package manager.
type Request struct {
	Manager string // "npm", "pnpm", "yarn", "bun"; "npx", "pnpx", "yarnpkg" and "bunx" name the same managers
	Verb    string // the manager's subcommand in its long form: install, ci, add, update, remove, rebuild, run, exec, dlx, create, ...
	Names   []string
	Args    []string // what stands behind the script or command name, passed on to it
	Flags   Flags
	Dir     string // absolute folder that the manager is started in
	Home    string
	Env     func(string) (string, bool)
}

// Flags are the options of the command line that change what is run. Options holds those and any other one by the manager's
// long name without dashes, one value for each time it was given ("" or "true" for a bare one); a flag that is set here and
// in Options counts when either says so.
type Flags struct {
	IgnoreScripts     bool
	Global            bool
	OmitDev           bool // --omit=dev, --production, --prod
	Offline           bool
	IfPresent         bool
	AllWorkspaces     bool     // npm --workspaces, pnpm --recursive, bun --filter '*'
	IncludeRoot       bool     // --include-workspace-root
	Workspaces        []string // npm --workspace, pnpm and bun --filter, in order
	Packages          []string // npm exec --package
	Call              string   // npm exec --call, pnpm exec --shell-mode
	Prefix            string   // npm --prefix, pnpm -C, yarn --cwd, bun --cwd
	ScriptShell       string
	ForegroundScripts bool
	LockfileOnly      bool // --package-lock-only, --lockfile-only
	DryRun            bool
	Options           map[string][]string
}

// Skip is a script that exists and is not run, and why not.
type Skip struct {
	Label string // "postinstall of esbuild@0.25.0"
	Text  string // the script, where it was read
	Why   string // "ignore-scripts is set in /home/u/.npmrc line 3"
	From  effect.Source
}

// Result is what a call sets in motion, and the scripts that it leaves alone.
type Result struct {
	source.Result
	Skipped []Skip
}

// Plan says what a call of a package manager sets in motion. It reads below fs only and never fails: what cannot be told is an
// unknown of the result.
func Plan(fs *workspace.FS, req Request) Result {
	p := &plan{fs: fs, req: req, manifests: map[string]*manifest{}, paths: map[string][]string{}}
	if p.req.Env == nil {
		p.req.Env = func(string) (string, bool) { return "", false }
	}
	p.req.Dir = path.Clean(p.req.Dir)
	switch req.Manager {
	case "npm", "npx":
		p.npm()
	case "pnpm", "pnpx", "pn", "pnx":
		p.pnpm()
	case "yarn", "yarnpkg":
		p.yarn()
	case "bun", "bunx":
		p.bun()
	default:
		p.unknown(effect.Source{Rule: "node/manager"}, fmt.Sprintf("%q is no package manager that is known", req.Manager), anything...)
	}
	return p.res
}

// anything is what a script that cannot be read could do.
var anything = []effect.Class{effect.Environment, effect.File, effect.Network, effect.Process}

// plan is the state of one Plan.
type plan struct {
	fs        *workspace.FS
	req       Request
	res       Result
	manifests map[string]*manifest
	paths     map[string][]string

	root string // project root
	cwd  string // where the manager was started, or told to be
	cfg  *npmrc.Config
	in   npmrc.Install

	policy  npmPolicy
	pn      pnpmState
	ignored string // why no script runs; empty when they do
	shell   string // script-shell, empty for sh
	tail    []string
	fields  map[string]string // constant set of this call
	extra   map[string]string // variables that configuration sets beyond the constant set
}

func (p *plan) unknown(from effect.Source, why string, could ...effect.Class) {
	p.res.Unknowns = append(p.res.Unknowns, source.Unknown{From: from, Why: why, Could: could})
}

func (p *plan) claim(c effect.Class, a effect.Access, target string, tree bool, from effect.Source) {
	p.res.Claims = append(p.res.Claims, source.Claim{Class: c, Access: a, Target: target, Tree: tree, Dir: p.root, From: from})
}

func (p *plan) skip(s Skip) { p.res.Skipped = append(p.res.Skipped, s) }

// broken reports a file that exists and cannot be used.
func (p *plan) broken(file, rule, why string) {
	p.unknown(effect.Source{File: file, Rule: rule}, why, anything...)
}

// manifest reads dir/package.json once; nil when there is none. One that cannot be read or parsed is an unknown, and empty.
func (p *plan) manifest(dir string) *manifest {
	if m, ok := p.manifests[dir]; ok {
		return m
	}
	name := path.Join(dir, "package.json")
	if !p.fs.Exists(name) {
		p.manifests[dir] = nil
		return nil
	}
	m := &manifest{dir: dir, file: &workspace.File{Path: name}}
	p.manifests[dir] = m
	f, err := p.fs.Read(name)
	if err != nil {
		p.broken(name, "node/package.json", fmt.Sprintf("%s cannot be read: %v", name, err))
		m.shape = "it cannot be read"
		return m
	}
	m.file = f
	if err := m.parse(f.Data, p.req.Manager == "bun" || p.req.Manager == "bunx"); err != nil {
		*m = manifest{dir: dir, file: f, shape: "it cannot be parsed"}
		p.unknown(effect.Source{File: f.Path, Line: 1, SHA256: f.SHA256, Rule: "node/package.json"}, fmt.Sprintf("package.json is %v", err), anything...)
	} else if m.shape != "" {
		p.unknown(effect.Source{File: f.Path, Line: 1, SHA256: f.SHA256, Rule: "node/package.json"}, "package.json holds no package: "+m.shape, anything...)
	}
	return m
}

// binPath is the folders that are put in front of PATH for a script of a package: node_modules/.bin of its folder and of every
// one above it (@npmcli/run-script, lib/set-path.js), then the manager's own.
func (p *plan) binPath(dir string) []string {
	if list, ok := p.paths[dir]; ok {
		return list
	}
	var list []string
	for d := dir; ; d = path.Dir(d) {
		list = append(list, path.Join(d, "node_modules/.bin"))
		if d == "/" {
			break
		}
	}
	list = append(list, p.tail...)
	p.paths[dir] = list
	return list
}

// task is one script to run.
type task struct {
	m      *manifest
	event  string
	text   string
	line   int
	rule   string
	args   []string
	env    map[string]string // further variables of the launcher's constant set
	from   *effect.Source    // where the text stands, when not in package.json
	label  string
	dir    string   // working directory, when not the package's folder
	prefix []string // folders in front of the usual PATH
}

// run adds a job for a script.
func (p *plan) run(t task) {
	dir := t.dir
	if dir == "" {
		dir = t.m.dir
	}
	fields := maps.Clone(p.fields)
	if fields == nil {
		fields = map[string]string{}
	}
	maps.Copy(fields, t.m.env)
	maps.Copy(fields, t.env)
	fields["npm_lifecycle_event"] = t.event
	fields["npm_lifecycle_script"] = t.text
	fields["npm_package_json"] = path.Join(t.m.dir, "package.json")
	from := effect.Source{File: t.m.file.Path, Line: t.line, SHA256: t.m.file.SHA256, Rule: t.rule}
	if t.from != nil {
		from = *t.from
	}
	label := t.label
	if label == "" {
		label = t.event + " of " + t.m.id()
	}
	job := source.Job{Shell: withArgs(t.text, t.args), Interp: p.shell, Dir: dir, Path: p.binPath(dir), Fields: fields, Label: label, From: from, Env: p.extra}
	if strings.Contains(job.Interp, "/") {
		job.Interp = workspace.Join(dir, job.Interp)
	}
	if len(t.prefix) > 0 {
		job.Path = append(slices.Clone(t.prefix), job.Path...)
	}
	p.res.Jobs = append(p.res.Jobs, job)
}

// withArgs appends arguments to shell text as npm does (@npmcli/promise-spawn, lib/escape.js sh): quoted when they hold one of
// these characters, and otherwise, brackets and braces included, bare.
func withArgs(text string, args []string) string {
	var b strings.Builder
	b.WriteString(text)
	for _, a := range args {
		b.WriteByte(' ')
		if a != "" && !strings.ContainsAny(a, "\t\n\r \"#$&'()*;<>?\\`|~") {
			b.WriteString(a)
		} else {
			b.WriteString(quote(a))
		}
	}
	return b.String()
}

// quote makes one shell word.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
