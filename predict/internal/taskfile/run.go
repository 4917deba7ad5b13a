package taskfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// scope is where templates look variables up: what a call gives comes before the task's own, and those before the file's.
type scope struct {
	*planner
	file   *file
	task   *task
	call   map[string]string
	item   map[string]string // ITEM and KEY of a loop
	dir    string
	dotenv map[string]string
	values map[string]string // what was computed
	busy   map[string]bool
}

// scope is the scope of a file, or of a task in it.
func (p *planner) scope(f *file, t *task) *scope {
	s := &scope{planner: p, file: f, task: t, call: map[string]string{}, dir: f.dir, dotenv: map[string]string{}, values: map[string]string{}, busy: map[string]bool{}}
	for k, v := range p.args.Vars {
		s.call[k] = v
	}
	for k, v := range p.global {
		s.dotenv[k] = v
	}
	return s
}

// run runs a task: the tasks it depends on, then its commands.
func (p *planner) run(t *task, vars map[string]string, match []string, chain int) {
	key := t.name + "\x00" + fmt.Sprint(vars) + fmt.Sprint(match)
	if p.once[key] || chain > maxChain || !p.step(t.file.at(t.line, "task/limit"), 0) {
		return
	}
	p.once[key] = true
	if !applies(field(t.node, "platforms")) {
		return
	}
	s := p.scope(t.file, t)
	for k, v := range vars {
		s.call[k] = v
	}
	for i, m := range match {
		s.call[fmt.Sprintf("MATCH%d", i)] = m
	}
	if d := field(t.node, "dir"); d != nil {
		s.dir = workspace.Join(t.file.dir, s.expand(str(d), d.Line))
	}
	s.readDotenv(field(t.node, "dotenv"))
	for _, d := range list(field(t.node, "deps")) {
		s.callTask(d, chain)
	}
	s.conditions()
	for _, c := range s.commands() {
		s.command(c, chain)
	}
	if list(field(t.node, "sources")) != nil && str(field(t.node, "method")) != "none" && str(field(t.node, "method")) != "timestamp" {
		p.claim(source.Claim{Class: effect.File, Access: effect.Write, Target: path.Join(p.root, ".task"), Tree: true, From: t.file.at(t.line, "task/fingerprint")})
	}
}

// commands are the commands of a task, which may be written in four ways.
func (s *scope) commands() []*yaml.Node {
	n := s.task.node
	if n.Kind == yaml.MappingNode {
		if c := field(n, "cmds"); c != nil {
			return list(c)
		}
		return list(field(n, "cmd"))
	}
	return list(n)
}

// conditions are the commands that decide whether the task runs.
func (s *scope) conditions() {
	for _, c := range list(field(s.task.node, "status")) {
		s.shell(str(c), c.Line, "task/status", nil)
	}
	for _, c := range list(field(s.task.node, "preconditions")) {
		s.shell(cmp.Or(str(c), str(field(c, "sh"))), c.Line, "task/precondition", nil)
	}
	if c := field(s.task.node, "if"); c != nil {
		s.shell(str(c), c.Line, "task/if", nil)
	}
}

// callTask runs the task that a dependency or command names.
func (s *scope) callTask(n *yaml.Node, chain int) {
	name := str(n)
	if n.Kind == yaml.MappingNode {
		name = str(field(n, "task"))
	}
	s.each(field(n, "for"), func(s *scope) {
		name := s.expand(name, n.Line)
		if strings.Contains(name, Placeholder) {
			s.unknown(s.file.at(n.Line, "task/call"), "the name of a task that is called is not known", anything()...)
			return
		}
		t, match := s.lookup(strings.TrimPrefix(s.file.ns+name, ":"))
		if strings.HasPrefix(name, ":") || t == nil {
			t, match = s.lookup(name)
		}
		if t == nil {
			return // task stops
		}
		vars := map[string]string{}
		for _, v := range pairs(field(n, "vars")) {
			vars[v.key] = s.define(v.value)
		}
		s.planner.run(t, vars, match, chain+1)
	})
}

// command runs one command: text, a call of a task, or either of them put off to the end.
func (s *scope) command(n *yaml.Node, chain int) {
	if n.Kind != yaml.MappingNode {
		s.shell(str(n), n.Line, "task/cmd", nil)
		return
	}
	if !applies(field(n, "platforms")) {
		return
	}
	if c := field(n, "if"); c != nil {
		s.shell(str(c), c.Line, "task/if", nil)
	}
	switch {
	case field(n, "task") != nil:
		s.callTask(n, chain)
	case field(n, "defer") != nil:
		s.command(field(n, "defer"), chain)
	default:
		cmd := field(n, "cmd")
		s.each(field(n, "for"), func(s *scope) {
			if cmd != nil {
				s.shell(str(cmd), cmd.Line, "task/cmd", nil)
			}
		})
	}
}

// each runs a function once for every element of a `for`, and once without one.
func (s *scope) each(loop *yaml.Node, do func(*scope)) {
	if loop == nil {
		do(s)
		return
	}
	for _, item := range s.elements(loop) {
		if !s.step(s.file.at(loop.Line, "task/limit"), 0) {
			return
		}
		c := *s
		c.item = item
		do(&c)
	}
}

// elements are what a loop goes over: a list, a matrix, the words of a variable, or the sources.
func (s *scope) elements(loop *yaml.Node) []map[string]string {
	as := cmp.Or(str(field(loop, "as")), "ITEM")
	var out []map[string]string
	add := func(v string) { out = append(out, map[string]string{as: v, "ITEM": v}) }
	switch {
	case loop.Kind == yaml.SequenceNode:
		for _, x := range items(loop) {
			add(s.expand(str(x), x.Line))
		}
		return out
	case field(loop, "var") != nil:
		v := s.value(str(field(loop, "var")))
		sep := str(field(loop, "split"))
		if strings.Contains(v, Placeholder) {
			add(Placeholder)
			return out
		}
		words := strings.Fields(v)
		if sep != "" {
			words = strings.Split(v, sep)
		}
		for _, w := range words {
			add(w)
		}
		return out
	}
	add(Placeholder)
	return out
}

// shell adds the job of one command line.
func (s *scope) shell(text string, line int, rule string, env map[string]string) {
	from := s.file.at(line, rule)
	text = s.expand(text, line)
	if strings.TrimSpace(text) == "" || !s.step(from, len(text)) {
		return
	}
	label := "task"
	if s.task != nil {
		label = "task " + s.task.name
	}
	if env == nil {
		env = s.environment()
	}
	s.job(source.Job{Shell: text, Interp: "bash", Dir: s.dir, Env: env, Label: label, From: from})
}

// environment is what the commands are given: the dotenv files, `env` of the file and of the task. An environment that is
// there already is not changed by the file's.
func (s *scope) environment() map[string]string {
	env := map[string]string{}
	for k, v := range s.dotenv {
		env[k] = v
	}
	list := s.file.env
	if s.task != nil {
		list = append(list[:len(list):len(list)], field(s.task.node, "env"))
	}
	for _, n := range list {
		for _, v := range pairs(n) {
			if _, there := s.env(v.key); !there && !s.busy["env "+v.key] {
				s.busy["env "+v.key] = true
				env[v.key] = s.define(v.value)
				delete(s.busy, "env "+v.key)
			}
		}
	}
	if len(env) == 0 {
		return nil
	}
	return env
}

// define computes a variable: a text with templates, a command's output, or something that is no text.
func (s *scope) define(n *yaml.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == yaml.ScalarNode:
		return s.expand(str(n), n.Line)
	case n.Kind == yaml.MappingNode && field(n, "sh") != nil:
		sh := field(n, "sh")
		if key := fmt.Sprintf("sh %s %d", s.file.Path, sh.Line); !s.seen[key] {
			s.seen[key] = true
			s.shell(str(sh), sh.Line, "task/var", map[string]string{})
		}
		return Placeholder
	case n.Kind == yaml.SequenceNode:
		var words []string
		for _, x := range items(n) {
			words = append(words, s.expand(str(x), x.Line))
		}
		return strings.Join(words, " ")
	}
	return Placeholder
}

// value looks a variable up.
func (s *scope) value(name string) string {
	if v, ok := s.item[name]; ok {
		return v
	}
	if v, ok := s.call[name]; ok {
		return v
	}
	if v, ok := s.values[name]; ok {
		return v
	}
	if v, ok := s.special(name); ok {
		return v
	}
	if n, f := s.find(name); n != nil && !s.busy[name] {
		s.busy[name] = true
		in := *s
		in.file = f
		v := in.define(n)
		delete(s.busy, name)
		s.values[name] = v
		return v
	}
	if v, ok := s.dotenv[name]; ok {
		return v
	}
	if v, ok := s.env(name); ok {
		s.readsEnv(name)
		return hidden(name, v)
	}
	return ""
}

// find gives the definition that holds: the task's own, or the last of the files'.
func (s *scope) find(name string) (*yaml.Node, *file) {
	if s.task != nil {
		if n := field(field(s.task.node, "vars"), name); n != nil {
			return n, s.file
		}
	}
	for i := len(s.file.vars) - 1; i >= 0; i-- {
		if n := field(s.file.vars[i].node, name); n != nil {
			return n, s.file.vars[i].file
		}
	}
	return nil, nil
}

// special are the variables that Task sets.
func (s *scope) special(name string) (string, bool) {
	switch name {
	case "CLI_ARGS":
		return strings.Join(s.args.CLI, " "), true
	case "ROOT_DIR":
		return s.root, true
	case "ROOT_TASKFILE", "TASKFILE":
		return s.file.Path, true
	case "TASKFILE_DIR":
		return path.Dir(s.file.Path), true
	case "TASK_DIR":
		return s.dir, true
	case "USER_WORKING_DIR":
		return s.planner.dir, true
	case "TASK":
		if s.task != nil {
			return s.task.name, true
		}
	case "TASK_EXE":
		return "task", true
	case "CLI_FORCE", "CLI_SILENT", "CLI_VERBOSE", "CLI_OFFLINE":
		return "false", true
	case "CHECKSUM", "TIMESTAMP", "TASK_VERSION", "EXIT_CODE", "CLI_ARGS_LIST":
		return Placeholder, true
	}
	return "", false
}

// readsEnv says that a variable of the environment is looked up by name.
func (s *scope) readsEnv(name string) {
	switch name {
	case "HOME", "PATH", "USER", "LOGNAME", "SHELL", "PWD", "TERM", "LANG", "TMPDIR":
		return
	}
	line := 1
	if s.task != nil {
		line = s.task.line
	}
	s.claim(source.Claim{Class: effect.Environment, Access: effect.Read, Target: name, From: s.file.at(line, "task/environment")})
}

// readDotenv reads the environment files that a Taskfile or a task names. What is set already stays.
func (s *scope) readDotenv(n *yaml.Node) {
	for _, x := range list(n) {
		if str(x) == "" {
			continue
		}
		from := s.file.at(x.Line, "task/dotenv")
		name := workspace.Join(s.file.dir, s.expand(str(x), x.Line))
		if strings.Contains(name, Placeholder) {
			s.unknown(from, "the name of an environment file is not known", effect.Environment)
			continue
		}
		text, err := s.fs.Read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		s.claim(source.Claim{Class: effect.Environment, Access: effect.Read, Target: name, From: from})
		if err != nil {
			s.unknown(from, "an environment file cannot be read: "+err.Error(), effect.Environment)
			continue
		}
		for _, line := range strings.Split(string(text.Data), "\n") {
			k, v, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
			k = strings.TrimSpace(k)
			if _, has := s.dotenv[k]; ok && k != "" && k[0] != '#' && !has && s.step(from, len(v)) {
				s.dotenv[k] = hidden(k, strings.Trim(strings.TrimSpace(v), `"'`))
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
