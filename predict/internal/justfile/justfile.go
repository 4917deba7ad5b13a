// Package justfile reads justfiles as just does and says what running a recipe would start: its dependencies, its lines
// or its script, and the commands in backticks. It runs nothing: what a command prints is not known. The source of its
// rules is the just manual and its grammar.
package justfile

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Placeholder stands for a value that is not known, as in package makefile.
const Placeholder = "${AMBIT_UNKNOWN}"

// Limits of one plan.
const (
	maxBytes  = 1 << 20 // of one file
	maxText   = 4 << 20 // of all text that expressions give
	maxSteps  = 50_000
	maxDepth  = 60
	maxFiles  = 60
	maxJobs   = 1000
	maxValue  = 64 << 10
	maxChains = 200 // recipes that depend on each other
)

// Args is what just was asked.
type Args struct {
	File     string // --justfile
	WorkDir  string // --working-directory
	Shell    []string
	Set      map[string]string // NAME=VALUE and --set
	Words    []string          // recipes and their arguments
	Dotenv   []string          // --dotenv-path, --dotenv-filename
	NoDotenv bool
	NoDeps   bool
	DryRun   bool // also for every option that only shows something
	Evaluate bool
	Command  []string // --command

	// Env gives a variable of the environment; nil is an empty environment.
	Env func(name string) (string, bool)
}

// ParseArgs reads the arguments of just, without the program's name.
func ParseArgs(argv []string, env func(string) (string, bool)) Args {
	a := Args{Env: env, Set: map[string]string{}}
	for i := 0; i < len(argv); i++ {
		s := argv[i]
		if !strings.HasPrefix(s, "-") || s == "-" {
			a.words(argv[i:])
			return a
		}
		if s == "--" {
			a.words(argv[i+1:])
			return a
		}
		name, value, has := strings.Cut(s, "=")
		if !strings.HasPrefix(s, "--") && len(s) > 2 {
			name, value, has = s[:2], s[2:], true
		}
		take := func() string {
			if !has && i+1 < len(argv) {
				i++
				value = argv[i]
			}
			return value
		}
		switch name {
		case "-f", "--justfile":
			a.File = take()
		case "-d", "--working-directory":
			a.WorkDir = take()
		case "--shell":
			a.Shell = append([]string{take()}, a.Shell...)
		case "--shell-arg":
			a.Shell = append(a.Shell, take())
		case "--set":
			k := take()
			if i+1 < len(argv) {
				i++
				a.Set[k] = argv[i]
			}
		case "-E", "--dotenv-path", "--dotenv-filename":
			a.Dotenv = append(a.Dotenv, take())
		case "--no-dotenv":
			a.NoDotenv = true
		case "--no-deps", "--one":
			a.NoDeps = name == "--no-deps" || a.NoDeps
		case "--evaluate":
			a.Evaluate = true
		case "-c", "--command":
			a.Command = argv[min(i+1, len(argv)):]
			return a
		case "-n", "--dry-run", "-l", "--list", "--summary", "--dump", "--variables", "--groups", "--fmt", "--init", "-e", "--edit", "--completions", "--man",
			"-h", "--help", "-V", "--version", "-s", "--show", "--changelog":
			a.DryRun = true
		case "--chooser", "--color", "--command-color", "--dump-format", "--alias-style", "--list-heading", "--list-prefix", "--timestamp-format", "--tempdir",
			"--cygpath", "--ceiling":
			take()
		}
	}
	return a
}

func (a *Args) words(argv []string) {
	for i, w := range argv {
		name, value, ok := strings.Cut(w, "=")
		if !ok || !isName(name) {
			a.Words = argv[i:]
			return
		}
		a.Set[name] = value
	}
}

// Plan says what just started in dir with these arguments sets in motion.
func Plan(fs *workspace.FS, dir string, args Args) source.Result {
	p := &planner{fs: fs, args: args, dir: path.Clean(dir), seen: map[string]bool{}}
	if !args.DryRun {
		p.plan()
	}
	return p.result
}

type planner struct {
	fs     *workspace.FS
	args   Args
	dir    string
	result source.Result
	seen   map[string]bool

	steps, text, files int
	stopped            bool
}

// module is one justfile with what it imports.
type module struct {
	*planner
	name     string
	file     *workspace.File
	work     string // where its recipes run
	recipes  map[string]*recipe
	order    []*recipe
	vars     map[string]*variable
	varOrder []string
	mods     map[string]*module
	settings map[string][]token // the words behind `set NAME :=`, or nil
	set      map[string]bool
	dotenv   map[string]string
	loaded   map[string]string // values of variables
	loading  map[string]bool
	ran      map[string]bool
}

type variable struct {
	expr     []token
	exported bool
	file     *workspace.File
}

type recipe struct {
	name   string
	params []param
	deps   []call
	after  []call
	body   []bodyLine
	attrs  map[string][]token
	file   *workspace.File
	line   int
	alias  string
}

type param struct {
	name       string
	def        []token
	hasDefault bool
	variadic   byte // '*', '+' or 0
	exported   bool
}

type call struct {
	name string
	args [][]token
}

type bodyLine struct {
	text string
	line int
}

func anything() []effect.Class {
	return []effect.Class{effect.Container, effect.Environment, effect.File, effect.Network, effect.Process}
}

func (p *planner) env(name string) (string, bool) {
	if p.args.Env == nil {
		return "", false
	}
	return p.args.Env(name)
}

func at(f *workspace.File, line int, rule string) effect.Source {
	if f == nil {
		return effect.Source{Rule: rule}
	}
	return effect.Source{File: f.Path, Line: line, SHA256: f.SHA256, Rule: rule}
}

func (p *planner) unknown(from effect.Source, why string, could ...effect.Class) {
	key := "unknown\x00" + from.File + "\x00" + why
	if !p.seen[key] {
		p.seen[key] = true
		p.result.Unknowns = append(p.result.Unknowns, source.Unknown{From: from, Why: why, Could: could})
	}
}

func (p *planner) claim(c source.Claim) {
	key := "claim\x00" + c.Class.String() + c.Access.String() + "\x00" + c.Target
	if !p.seen[key] {
		p.seen[key] = true
		c.Dir = cmp.Or(c.Dir, p.dir)
		p.result.Claims = append(p.result.Claims, c)
	}
}

// step takes from the budget and tells whether there is any left.
func (p *planner) step(f *workspace.File, line, text int) bool {
	p.steps++
	p.text += text
	if !p.stopped && (p.steps > maxSteps || p.text > maxText || len(p.result.Jobs) > maxJobs) {
		p.stopped = true
		p.unknown(at(f, line, "just/limit"), "the justfile takes more steps than are allowed", anything()...)
	}
	return !p.stopped
}

// find looks for the justfile in this folder and those above.
func (p *planner) find() string {
	if p.args.File != "" {
		return workspace.Join(p.dir, p.args.File)
	}
	for dir := p.dir; ; dir = path.Dir(dir) {
		if f := p.in(dir); f != "" {
			return f
		}
		if dir == "/" || dir == "." {
			return ""
		}
	}
}

// in finds the justfile of a folder; its name is compared without case.
func (p *planner) in(dir string) string {
	for _, n := range []string{"justfile", "Justfile", ".justfile"} {
		if p.fs.Exists(path.Join(dir, n)) {
			return path.Join(dir, n)
		}
	}
	names, _ := p.fs.Names(dir)
	for _, n := range names {
		if s := strings.ToLower(n); s == "justfile" || s == ".justfile" {
			return path.Join(dir, n)
		}
	}
	return ""
}

func (p *planner) plan() {
	name := p.find()
	if name == "" {
		return // just says that there is no justfile
	}
	m := p.load(name, "", 0)
	if m == nil {
		return
	}
	if p.args.WorkDir != "" {
		m.work = workspace.Join(p.dir, p.args.WorkDir)
	}
	if len(p.args.Command) > 0 {
		m.evaluateAll()
		p.result.Jobs = append(p.result.Jobs, source.Job{Argv: p.args.Command, Dir: m.work, Env: m.exported(), Label: "just --command", From: effect.Source{Rule: "just/command"}})
		return
	}
	if p.args.Evaluate {
		m.evaluateAll()
		return
	}
	words := p.args.Words
	if len(words) == 0 {
		if r := m.first(); r != nil {
			m.run(r, nil, 0)
		}
		return
	}
	for len(words) > 0 {
		rest := m.invoke(words)
		if len(rest) == len(words) {
			return // just stops: there is no such recipe
		}
		words = rest
	}
}

// first is the default recipe: the one with that attribute, or the first one.
func (m *module) first() *recipe {
	for _, r := range m.order {
		if _, ok := r.attrs["default"]; ok {
			return r
		}
	}
	for _, r := range m.order {
		if r.alias == "" {
			return r
		}
	}
	return nil
}

// invoke runs the recipe that the first word names, with as many of the next ones as it takes, and gives the rest.
func (m *module) invoke(words []string) []string {
	name := words[0]
	if mod, rest, ok := strings.Cut(name, "::"); ok && m.mods[mod] != nil {
		return m.mods[mod].invoke(append([]string{rest}, words[1:]...))
	}
	if sub := m.mods[name]; sub != nil && m.recipe(name) == nil {
		if len(words) > 1 {
			return sub.invoke(words[1:])
		}
		if r := sub.first(); r != nil {
			sub.run(r, nil, 0)
		}
		return nil
	}
	if dir, rest, ok := cutLast(name, "/"); ok && m.recipe(name) == nil {
		if f := m.in(workspace.Join(m.dir, dir)); f != "" { // a recipe of another folder
			if other := m.load(f, "", 0); other != nil {
				return other.invoke(append([]string{rest}, words[1:]...))
			}
		}
	}
	r := m.recipe(name)
	if r == nil {
		return words
	}
	words = words[1:]
	var args []string
	for _, p := range r.params {
		if p.variadic != 0 {
			args, words = append(args, words...), nil
			break
		}
		if len(words) == 0 {
			break
		}
		args, words = append(args, words[0]), words[1:]
	}
	m.run(r, args, 0)
	return words
}

func cutLast(s, sep string) (string, string, bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}

// recipe finds a recipe by name or alias.
func (m *module) recipe(name string) *recipe {
	for range 5 {
		r := m.recipes[name]
		if r == nil || r.alias == "" {
			return r
		}
		name = r.alias
	}
	return nil
}

// enabled tells whether a recipe is for this system.
func (r *recipe) enabled() bool {
	any, hit := false, false
	for name, here := range map[string]bool{"linux": runtime.GOOS == "linux", "macos": runtime.GOOS == "darwin", "windows": runtime.GOOS == "windows",
		"unix": runtime.GOOS != "windows", "openbsd": runtime.GOOS == "openbsd"} {
		if _, ok := r.attrs[name]; ok {
			any = true
			hit = hit || here
		}
	}
	return !any || hit
}

// run runs a recipe with arguments: what it depends on first, each once.
func (m *module) run(r *recipe, args []string, depth int) {
	key := r.name + "\x00" + strings.Join(args, "\x00")
	if m.ran[key] || depth > maxChains || !m.step(r.file, r.line, 0) {
		return
	}
	m.ran[key] = true
	m.evaluateAll()
	scope := m.bind(r, args)
	if !m.args.NoDeps {
		m.calls(r, r.deps, scope, depth)
	}
	m.body(r, scope, args)
	if !m.args.NoDeps {
		m.calls(r, r.after, scope, depth)
	}
}

func (m *module) calls(r *recipe, list []call, scope map[string]string, depth int) {
	for _, c := range list {
		in, name := m, c.name
		for {
			mod, rest, ok := strings.Cut(name, "::")
			if !ok || in.mods[mod] == nil {
				break
			}
			in, name = in.mods[mod], rest
		}
		d := in.recipe(name)
		if d == nil {
			continue // just reports an error before it runs anything
		}
		var args []string
		for _, a := range c.args {
			args = append(args, m.eval(a, scope, r.file, 0))
		}
		in.run(d, args, depth+1)
	}
}

// bind gives the parameters their values.
func (m *module) bind(r *recipe, args []string) map[string]string {
	scope := map[string]string{}
	for _, p := range r.params {
		switch {
		case p.variadic != 0 && len(args) > 0:
			scope[p.name], args = strings.Join(args, " "), nil
		case len(args) > 0:
			scope[p.name], args = args[0], args[1:]
		case p.hasDefault:
			scope[p.name] = m.eval(p.def, scope, r.file, 0)
		default:
			scope[p.name] = ""
		}
	}
	return scope
}

// exported is the environment that recipes get: exported variables and parameters, and the dotenv file.
func (m *module) exported() map[string]string {
	env := map[string]string{}
	for k, v := range m.dotenv {
		env[k] = v
	}
	for _, name := range m.varOrder {
		if m.vars[name].exported || m.set["export"] {
			env[name] = m.loaded[name]
		}
	}
	if len(env) == 0 {
		return nil
	}
	return env
}

// shell is the command that runs lines and backticks: `sh -cu` unless the file sets another one.
func (m *module) shell() []string {
	if len(m.args.Shell) > 0 {
		return m.args.Shell
	}
	if list, ok := m.settings["shell"]; ok {
		var out []string
		for _, t := range list {
			if t.kind == text {
				out = append(out, t.text)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return []string{"sh", "-cu"}
}

// command makes a job run text by the shell.
func (m *module) command(j source.Job, script string) {
	if strings.TrimSpace(script) == "" {
		return
	}
	shell := m.shell()
	switch base := path.Base(shell[0]); base {
	case "sh", "bash", "dash", "zsh", "ksh", "ash":
		j.Shell = script
		if base != "sh" {
			j.Interp = base
		}
	default:
		j.Argv = append(slices.Clone(shell), script)
	}
	m.result.Jobs = append(m.result.Jobs, j)
}

// readDotenv reads the dotenv file where a setting or an option asks for it.
func (m *module) readDotenv() {
	var names []string
	for _, key := range []string{"dotenv-path", "dotenv-filename"} {
		for _, t := range m.settings[key] {
			names = append(names, t.text)
		}
	}
	names = append(names, m.args.Dotenv...)
	if len(names) == 0 && (m.set["dotenv-load"] || m.set["dotenv-required"]) {
		names = []string{".env"}
	}
	if m.args.NoDotenv {
		names = nil
	}
	for _, n := range names {
		name := workspace.Join(m.work, n)
		f, err := m.fs.Read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		from := effect.Source{File: name, Line: 1, Rule: "just/dotenv"}
		if err != nil {
			m.unknown(from, "the dotenv file cannot be read: "+err.Error(), effect.Environment)
			continue
		}
		from.SHA256 = f.SHA256
		m.claim(source.Claim{Class: effect.Environment, Access: effect.Read, Target: name, From: from})
		for _, line := range strings.Split(string(f.Data), "\n") {
			k, v, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
			if ok && isName(k) && m.step(f, 1, len(v)) {
				m.dotenv[k] = hidden(k, strings.Trim(v, `"'`))
			}
		}
	}
}

// hidden keeps what may be a credential out of the plan.
func hidden(name, value string) string {
	name = strings.ToUpper(name)
	for _, s := range []string{"TOKEN", "SECRET", "PASSW", "CREDENTIAL", "APIKEY", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "_AUTH"} {
		if strings.Contains(name, s) && value != "" {
			return Placeholder
		}
	}
	return value
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && (c == '-' || c >= '0' && c <= '9')) {
			return false
		}
	}
	return s != ""
}
