package predict

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/script"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// scriptFS shows the workspace to a scanner.
type scriptFS struct{ fs *workspace.FS }

func (s scriptFS) Read(name string) ([]byte, error) {
	f, err := s.fs.Read(name)
	if err != nil {
		return nil, err
	}
	return f.Data, nil
}
func (s scriptFS) Exists(name string) bool { return s.fs.Exists(name) }
func (s scriptFS) IsDir(name string) bool  { return s.fs.IsDir(name) }
func (s scriptFS) Real(name string) string {
	if p, err := s.fs.Resolve("/", name, true); err == nil {
		return p
	}
	return name
}

type scanner func(script.FS, string, script.Options) ([]script.FileFindings, error)

// scan follows a JavaScript or Python program and turns what the scanner found into effects.
func (e *engine) scan(f *frame, program scanner, entry string, text []byte, interp string, args []word) {
	opts := script.Options{Source: text, Dir: f.dir, Home: e.homeText(f), Env: e.scriptEnv(f), Interpreter: path.Base(interp)}
	if strings.Contains(opts.Dir, hole) {
		opts.Dir = ""
	}
	for _, a := range args[min(1, len(args)):] {
		opts.Args = append(opts.Args, a.text)
	}
	files, err := program(scriptFS{e.fs}, entry, opts)
	if err != nil {
		e.unknown(f, f.source(1, "script/read"), "script cannot be analysed: "+errorText(err))
		return
	}
	outer := f.comp
	f.comp = e.newComponent()
	f.comp.join(f.stdio)
	f.comp.join(outer)
	for _, ff := range files {
		g := *f
		if ff.Path != "" {
			if file, err := e.source(ff.Path); err == nil {
				g.from = effect.Source{File: file.Path, SHA256: file.SHA256}
				g.lineBase = 0
			}
			if ff.Path != entry && len(ff.Findings) > 0 {
				g.node = &Node{Title: e.shownFile(g.from.File), Note: "imported", From: g.source(1, "script/import")}
				g.node.From.File = e.shownFile(g.node.From.File)
				f.node.Children = append(f.node.Children, g.node)
			}
		}
		for _, x := range ff.Findings {
			if !e.step(&g) {
				return
			}
			e.finding(&g, x, interp)
		}
	}
}

func (e *engine) scriptEnv(f *frame) func(string) script.Var {
	return func(name string) script.Var {
		if v, ok := f.vars[name]; ok && v.exported {
			w := v.one()
			return script.Var{Value: w.text, Set: true, Known: w.known()}
		}
		if v, ok := f.fields[name]; ok {
			return script.Var{Value: v, Set: true, Known: true}
		}
		if v, ok := e.env[name]; ok && wellKnownValue(name) {
			return script.Var{Value: v, Set: true, Known: true}
		}
		return script.Var{}
	}
}

// finding turns one finding of a scanner into what the engine records.
func (e *engine) finding(f *frame, x script.Finding, interp string) {
	src := f.source(x.Line, x.Rule)
	if x.Kind == script.Effect {
		e.changes.code = true
		defer func() { e.changes.code = false }()
	}
	g := *f
	if x.Dir != nil {
		g.dir = x.Dir.Text
		if !path.IsAbs(g.dir) {
			g.dir = f.abs(g.dir)
		}
	}
	w := word{text: x.Target.Text, quoted: true}
	switch x.Kind {
	case script.Import:
	case script.Effect:
		e.scriptEffect(&g, x, w, src)
	case script.Shell:
		e.runText(&g, w, x.Line, "sh", x.Rule)
	case script.Exec:
		e.startProgram(&g, values(x.Argv), x.Line)
	case script.Script:
		if argv := values(x.Argv); len(argv) > 0 {
			e.startScript(&g, argv, interp, x.Line)
		}
	default:
		e.unknown(f, src, x.Why, parseClasses(strings.Join(x.Could, ","))...)
	}
}

func (e *engine) scriptEffect(f *frame, x script.Finding, w word, src effect.Source) {
	c, err1 := effect.ParseClass(x.Class)
	a, err2 := effect.ParseAccess(x.Access)
	if err1 != nil || err2 != nil {
		e.unknown(f, src, "effect "+x.Class+"."+x.Access+" is not in the vocabulary")
		return
	}
	switch c {
	case effect.File:
		switch a {
		case effect.Read:
			if w.pure() { // a path that is not known says nothing of where it leads: the flow has it, the rubric does not
				f.comp.touch(c, a, effect.Any(effect.FileKind))
				return
			}
			e.read(f, w, false, src)
		case effect.Delete:
			e.remove(f, w, false, src)
		default:
			e.write(f, w, false, src)
		}
	case effect.Network:
		if w.text == "" {
			w.text = hole
		}
		e.network(f, w, a, src)
	case effect.Environment:
		if a == effect.Read {
			if envFile(w.text) {
				e.envFile(f, w, src)
				return
			}
			e.readVariable(f, w.text, src)
			return
		}
		if r, err := effect.New(effect.EnvKind, w.text); err == nil && !strings.Contains(w.text, hole) {
			e.note(f, c, effect.Write, effect.Exactly(r), src)
		} else {
			e.note(f, c, effect.Write, effect.Any(effect.EnvKind), src)
		}
	case effect.Process:
		e.note(f, c, effect.Exec, effect.Any(effect.ExeKind), src)
	case effect.Container:
		e.container(f, a, effect.ObjectKind, "engine", src)
	default:
		if r, err := effect.Name(effect.ToolKind, w.text); err == nil {
			e.note(f, c, a, effect.Exactly(r), src)
		}
	}
}

func values(vs []script.Value) []word {
	ws := make([]word, len(vs))
	for i, v := range vs {
		ws[i] = word{text: v.Text, quoted: true}
	}
	return ws
}
