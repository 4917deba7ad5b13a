// Package taskfile reads Taskfiles as Task does and says what running a task would start: its dependencies, its commands,
// the commands that compute variables, and those that decide whether it runs. It runs nothing: what a command prints is
// not known, and templates are understood only as far as they name variables. The source of its rules is Task's schema
// reference, version 3.
package taskfile

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Placeholder stands for a value that is not known, as in package makefile.
const Placeholder = "${AMBIT_UNKNOWN}"

// Limits of one plan.
const (
	maxSteps = 20_000
	maxText  = 4 << 20 // bytes of text that templates give
	maxValue = 64 << 10
	maxFiles = 60
	maxJobs  = 1000
	maxChain = 60
)

// Args is what task was asked.
type Args struct {
	File   string // --taskfile
	Dir    string // --dir
	Global bool   // --global: the Taskfile of the home folder
	Tasks  []string
	Vars   map[string]string
	CLI    []string // behind "--"
	Shows  bool     // --list, --dry and the like: no task runs
	Force  bool

	// Env gives a variable of the environment; nil is an empty environment.
	Env func(name string) (string, bool)
}

// ParseArgs reads the arguments of task, without the program's name.
func ParseArgs(argv []string, env func(string) (string, bool)) Args {
	a := Args{Env: env, Vars: map[string]string{}}
	for i := 0; i < len(argv); i++ {
		s := argv[i]
		if s == "--" {
			a.CLI = argv[i+1:]
			break
		}
		if !strings.HasPrefix(s, "-") {
			if k, v, ok := strings.Cut(s, "="); ok {
				a.Vars[k] = v
			} else {
				a.Tasks = append(a.Tasks, s)
			}
			continue
		}
		name, value, has := strings.Cut(s, "=")
		switch name {
		case "-t", "--taskfile", "-d", "--dir", "-o", "--output", "-C", "--concurrency", "-I", "--interval", "--sort", "--timeout", "--expiry",
			"--output-group-begin", "--output-group-end", "--completion", "--cacert":
			if !has && i+1 < len(argv) {
				i++
				value = argv[i]
			}
		}
		switch name {
		case "-t", "--taskfile":
			a.File = value
		case "-d", "--dir":
			a.Dir = value
		case "-g", "--global":
			a.Global = true
		case "-f", "--force", "--force-all":
			a.Force = true
		case "-l", "--list", "-a", "--list-all", "-n", "--dry", "--summary", "-h", "--help", "--version", "-i", "--init", "--completion", "--clear-cache":
			a.Shows = true
		}
	}
	return a
}

// Plan says what task started in dir with these arguments sets in motion.
func Plan(fs *workspace.FS, dir string, args Args) source.Result {
	p := &planner{fs: fs, args: args, dir: path.Clean(dir), seen: map[string]bool{}, tasks: map[string]*task{}, once: map[string]bool{}, global: map[string]string{}}
	if !args.Shows {
		p.plan()
	}
	return p.result
}

type planner struct {
	fs     *workspace.FS
	args   Args
	dir    string // working directory of the user
	root   string // folder of the first Taskfile
	result source.Result
	seen   map[string]bool
	tasks  map[string]*task
	order  []string
	once   map[string]bool   // tasks that ran, with their variables
	global map[string]string // of the environment files of the first Taskfile

	steps, text, files int
	stopped            bool
}

// file is one Taskfile.
type file struct {
	*workspace.File
	node *yaml.Node
	dir  string // where its tasks run
	ns   string // what its tasks are called with in front
	vars []scopeVars
	env  []*yaml.Node
}

// scopeVars are variables in the order of their definition, with the file that they stand in.
type scopeVars struct {
	node *yaml.Node
	file *file
}

// task is one task as it is written.
type task struct {
	name string
	node *yaml.Node
	file *file
	line int
}

func anything() []effect.Class {
	return []effect.Class{effect.Container, effect.Environment, effect.File, effect.Network, effect.Process}
}

func (f *file) at(line int, rule string) effect.Source {
	return effect.Source{File: f.Path, Line: line, SHA256: f.SHA256, Rule: rule}
}

func (p *planner) env(name string) (string, bool) {
	if p.args.Env == nil {
		return "", false
	}
	return p.args.Env(name)
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
		c.Dir = cmp.Or(c.Dir, p.root, p.dir)
		p.result.Claims = append(p.result.Claims, c)
	}
}

func (p *planner) job(j source.Job) {
	if j.Shell != "" {
		p.result.Jobs = append(p.result.Jobs, j)
	}
}

// step takes from the budget and tells whether there is any left.
func (p *planner) step(from effect.Source, text int) bool {
	p.steps++
	p.text += text
	if !p.stopped && (p.steps > maxSteps || p.text > maxText || len(p.result.Jobs) > maxJobs) {
		p.stopped = true
		p.unknown(from, "the Taskfile takes more steps than are allowed", anything()...)
	}
	return !p.stopped
}

// names are the file names that Task looks for, in its order.
func names() []string {
	return []string{"Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml", "taskfile.dist.yml", "Taskfile.dist.yaml", "taskfile.dist.yaml"}
}

func (p *planner) in(dir string) string {
	for _, n := range names() {
		if f := path.Join(dir, n); p.fs.Exists(f) {
			return f
		}
	}
	return ""
}

// find gives the first Taskfile: named, of the home folder, or in this folder or the nearest one above.
func (p *planner) find() string {
	dir := p.dir
	if p.args.Dir != "" {
		dir = workspace.Join(dir, p.args.Dir)
	}
	if p.args.Global {
		home, _ := p.env("HOME")
		return p.in(workspace.Join("/", home))
	}
	if p.args.File != "" {
		f := workspace.Join(dir, p.args.File)
		if p.fs.IsDir(f) {
			return p.in(f)
		}
		return f
	}
	for ; ; dir = path.Dir(dir) {
		if f := p.in(dir); f != "" {
			return f
		}
		if dir == "/" || dir == "." {
			return ""
		}
	}
}

func (p *planner) plan() {
	name := p.find()
	if remote(p.args.File) {
		p.claim(source.Claim{Class: effect.Network, Access: effect.Fetch, Target: p.args.File, From: effect.Source{Rule: "task/remote"}})
		p.unknown(effect.Source{Rule: "task/remote"}, "the Taskfile is fetched: "+p.args.File, anything()...)
		return
	}
	if name == "" {
		return // task says that there is no Taskfile
	}
	p.root = path.Dir(name)
	if p.args.Dir != "" {
		p.root = workspace.Join(p.dir, p.args.Dir)
	}
	f := p.read(name, effect.Source{}, &file{dir: p.root}, 0)
	if f == nil {
		return
	}
	top := p.scope(f, nil)
	top.dotenv = p.global
	top.readDotenv(field(f.node, "dotenv"))
	goals := p.args.Tasks
	if len(goals) == 0 {
		goals = []string{"default"}
	}
	for _, g := range goals {
		if t, match := p.lookup(g); t != nil {
			p.run(t, p.args.Vars, match, 0)
		}
	}
}

func remote(s string) bool {
	return strings.Contains(s, "://") || strings.HasPrefix(s, "git@")
}

// read reads one Taskfile, what it includes, and its tasks.
func (p *planner) read(name string, by effect.Source, f *file, depth int) *file {
	text, err := p.fs.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // task stops, or the file is optional
	}
	var node *yaml.Node
	if err == nil {
		node, err = decode(text.Data)
	}
	if p.files++; p.files > maxFiles || depth > maxChain/4 {
		err = errors.New("files include each other more often than is followed")
	}
	if err != nil {
		by.File = cmp.Or(by.File, name)
		by.Rule = cmp.Or(by.Rule, "task/file")
		p.unknown(by, "the Taskfile "+name+" cannot be read: "+err.Error(), anything()...)
		return nil
	}
	f.File, f.node = text, node
	f.vars = append(f.vars, scopeVars{field(node, "vars"), f})
	f.env = append(f.env, field(node, "env"))
	for _, inc := range pairs(field(node, "includes")) {
		p.include(f, inc, depth)
	}
	for _, t := range pairs(field(node, "tasks")) {
		one := &task{f.ns + t.key, t.value, f, t.line}
		p.add(one.name, one)
		for _, a := range list(field(t.value, "aliases")) {
			p.add(f.ns+str(a), one)
		}
	}
	return f
}

func (p *planner) add(name string, t *task) {
	if _, has := p.tasks[name]; !has {
		p.order = append(p.order, name)
	}
	p.tasks[name] = t
}

// include reads `name: path` or `name: {taskfile, dir, vars, flatten, ...}`.
func (p *planner) include(f *file, inc pair, depth int) {
	name := str(inc.value)
	if inc.value.Kind == yaml.MappingNode {
		name = str(field(inc.value, "taskfile"))
	}
	from := f.at(inc.line, "task/include")
	name = p.scope(f, nil).expand(name, inc.line)
	switch {
	case remote(name):
		p.claim(source.Claim{Class: effect.Network, Access: effect.Fetch, Target: name, From: from})
		p.unknown(from, "an included Taskfile is fetched: "+name, anything()...)
		return
	case name == "" || strings.Contains(name, Placeholder):
		p.unknown(from, "the name of an included Taskfile is not known", anything()...)
		return
	}
	name = workspace.Join(path.Dir(f.Path), name)
	if p.fs.IsDir(name) {
		name = p.in(name)
	}
	sub := &file{dir: f.dir, ns: f.ns + inc.key + ":", vars: slices.Clone(f.vars), env: slices.Clone(f.env)}
	if str(field(inc.value, "flatten")) == "true" {
		sub.ns = f.ns
	}
	if d := str(field(inc.value, "dir")); d != "" {
		sub.dir = workspace.Join(path.Dir(f.Path), p.scope(f, nil).expand(d, inc.line))
	}
	if v := field(inc.value, "vars"); v != nil {
		sub.vars = append(sub.vars, scopeVars{v, f})
	}
	before := len(p.order)
	if p.read(name, from, sub, depth+1) == nil {
		return
	}
	for _, a := range list(field(inc.value, "aliases")) { // the tasks under another name in front
		for _, n := range p.order[before:] {
			if rest, ok := strings.CutPrefix(n, f.ns+inc.key+":"); ok && len(p.tasks) < 5000 {
				p.tasks[f.ns+str(a)+":"+rest] = p.tasks[n]
			}
		}
	}
}

// lookup finds a task by name, alias or wildcard; match is what the wildcards stand for. The name of an include alone is
// its default task.
func (p *planner) lookup(name string) (*task, []string) {
	name = strings.TrimPrefix(name, ":")
	if t := p.tasks[name]; t != nil {
		return t, nil
	}
	if t := p.tasks[name+":default"]; t != nil {
		return t, nil
	}
	for _, n := range p.order {
		if strings.Contains(n, "*") {
			if m, ok := wildcard(n, name); ok {
				return p.tasks[n], m
			}
		}
	}
	return nil, nil
}

// wildcard matches a name with `*` and gives what each of them stands for.
func wildcard(pattern, name string) ([]string, bool) {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return nil, false
	}
	var out []string
	for i, part := range parts[1:] {
		j := strings.Index(rest, part)
		if i == len(parts)-2 {
			j = len(rest) - len(part)
			if !strings.HasSuffix(rest, part) {
				return nil, false
			}
		}
		if j < 0 {
			return nil, false
		}
		out = append(out, rest[:j])
		rest = rest[j+len(part):]
	}
	return out, true
}

// applies tells whether a list of platforms holds this machine; an empty one does.
func applies(n *yaml.Node) bool {
	l := list(n)
	for _, x := range l {
		system, arch, both := strings.Cut(str(x), "/")
		switch {
		case both && system == runtime.GOOS && arch == runtime.GOARCH, !both && (system == runtime.GOOS || system == runtime.GOARCH):
			return true
		}
	}
	return len(l) == 0
}
