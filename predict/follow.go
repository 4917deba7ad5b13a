package predict

import (
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
)

// follow does what a workflow source says: its claims, its unknowns, and its jobs.
func (e *engine) follow(f *frame, r source.Result) {
	for _, c := range r.Claims {
		e.claim(f, c)
	}
	for _, u := range r.Unknowns {
		g := *f
		e.unknown(&g, u.From, u.Why, u.Could...)
	}
	e.tellChanged(f, 0)
	for _, j := range r.Jobs {
		if !e.step(f) {
			return
		}
		e.job(f, j)
	}
}

// claimed is the frame of something that a file says: metadata, unless it was concluded from the command line alone.
func (f *frame) claimed(from effect.Source) frame {
	g := *f
	if from.File != "" {
		g.view = effect.Metadata
	}
	return g
}

func (e *engine) claim(f *frame, c source.Claim) {
	g := f.claimed(c.From)
	if c.Dir != "" {
		g.dir = c.Dir
	}
	w := word{text: strings.ReplaceAll(c.Target, "${"+unknownName+"}", hole), quoted: true}
	src := c.From
	switch c.Class {
	case effect.File:
		switch c.Access {
		case effect.Read:
			e.read(&g, w, c.Tree, src)
		case effect.Delete:
			e.remove(&g, w, c.Tree, src)
		default:
			e.write(&g, w, c.Tree, src)
		}
	case effect.Network:
		e.network(&g, w, c.Access, src)
	case effect.Environment:
		if c.Access == effect.Read && strings.Contains(c.Target, "/") {
			e.envFile(&g, w, src)
			return
		}
		if r, err := effect.New(effect.EnvKind, c.Target); err == nil {
			e.note(&g, c.Class, c.Access, effect.Exactly(r), src)
		}
	case effect.Process:
		if r, err := effect.Name(effect.ExeKind, c.Target); err == nil {
			e.note(&g, c.Class, c.Access, effect.Exactly(r), src)
		}
	case effect.Container:
		k := effect.ImageKind
		if c.Access == effect.Call {
			k = effect.ObjectKind
		}
		e.container(&g, c.Access, k, w.text, src)
	case effect.MCP:
		if r, err := effect.Name(effect.ToolKind, c.Target); err == nil {
			e.note(&g, c.Class, c.Access, effect.Exactly(r), src)
		}
	}
}

// job runs one command of a workflow source in a process of its own.
func (e *engine) job(f *frame, j source.Job) {
	from := j.From
	from.File = e.shownFile(from.File)
	title := j.Label
	text := j.Shell
	if text == "" && len(j.Argv) > 0 {
		text = strings.Join(j.Argv, " ")
	}
	if title == "" {
		title = text
	} else if text != "" {
		title += ": " + text
	}
	g := f.claimed(j.From)
	c := g.child(show(strings.ReplaceAll(title, "${"+unknownName+"}", hole)), from)
	c.depth++
	if j.Dir != "" {
		c.dir = j.Dir
	}
	c.from, c.lineBase = j.From, j.From.Line-1
	if j.From.File == "" {
		c.from, c.lineBase = f.from, f.lineBase
	}
	c.drops, c.funcs, c.calls, c.ended = nil, map[string]function{}, nil, false
	c.vars = map[string]variable{}
	for k, v := range f.vars {
		if v.exported {
			v.told = true
			c.vars[k] = v
		}
	}
	for k, v := range j.Env {
		c.vars[k] = variable{vals: []word{{text: strings.ReplaceAll(v, "${"+unknownName+"}", hole)}}, exported: true}
	}
	c.fields = map[string]string{}
	for k, v := range f.fields {
		c.fields[k] = v
	}
	for k, v := range j.Fields {
		c.fields[k] = v
	}
	if len(j.Path) > 0 {
		if j.From.Rule == "hook-manager/husky" {
			e.setVariable(c, "PATH", word{text: hole}, 1) // husky's wrapper exports it
		}
		c.path = append(slices.Clone(j.Path), f.path...)
	}
	if j.Container != "" {
		c.container = j.Container
	}
	c.out = nil
	if !f.server {
		c.in = nil
	}
	c.comp = e.newComponent()
	c.stdio = nil
	e.jobBody(c, j)
}

func (e *engine) jobBody(c *frame, j source.Job) {
	interp := j.Interp
	c.params = []word{{text: "sh"}}
	for _, a := range j.Args {
		c.params = append(c.params, word{text: strings.ReplaceAll(a, "${"+unknownName+"}", hole), quoted: true})
	}
	switch {
	case j.Script != "":
		e.exports(c, nil, 1)
		src := c.source(1, j.From.Rule)
		e.note(c, effect.Process, effect.Exec, exeOf(j.Script), src)
		e.runFile(c, j.Script, c.params, interp, 1)
	case len(j.Argv) > 0:
		argv := make([]word, len(j.Argv))
		for i, a := range j.Argv {
			argv[i] = word{text: strings.ReplaceAll(a, "${"+unknownName+"}", hole), quoted: true}
		}
		e.program(c, argv, 1, nil)
	default:
		if interp == "" {
			interp = "sh"
		}
		p := e.find(c, path.Base(interp))
		e.note(c, effect.Process, effect.Exec, p.pattern(), c.source(1, j.From.Rule))
		if language(interp) != "shell" {
			e.runText(c, word{text: j.Shell}, 1, interp, j.From.Rule)
			return
		}
		c.stdio, c.comp = nil, nil
		e.shell(c, j.Shell, variant(path.Base(interp)))
	}
}

func exeOf(p string) effect.Pattern {
	if r, err := effect.Name(effect.ExeKind, p); err == nil {
		return effect.Exactly(r)
	}
	return effect.Any(effect.ExeKind)
}
