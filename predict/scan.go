package predict

import (
	"maps"
	"path"
	"slices"
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
func (s scriptFS) Exists(name string) bool            { return s.fs.Exists(name) }
func (s scriptFS) IsDir(name string) bool             { return s.fs.IsDir(name) }
func (s scriptFS) Names(dir string) ([]string, error) { return s.fs.Names(dir) }

func (s scriptFS) Real(name string) string { return s.fs.Real(name) }

type scanner func(script.FS, string, script.Options) ([]script.FileFindings, error)

// scan follows a JavaScript or Python program and turns what the scanner found into effects.
func (e *engine) scan(f *frame, program scanner, entry string, text []byte, interp string, args []word) {
	opts := script.Options{Source: text, Inline: text != nil, Dir: f.dir, Home: e.homeText(f), Env: e.scriptEnv(f), Interpreter: path.Base(interp)}
	if strings.Contains(opts.Dir, hole) {
		opts.Dir = ""
	}
	if f.in != nil && f.in.text.known() && f.in.from.File == "" {
		opts.Input, opts.HasInput = f.in.text.text, true
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
	network := e.count(effect.Network)
	e.scanned(f, files, entry, interp, func(x script.Finding) bool { return !x.OnError })
	// What runs when something failed is followed where it may have been the network that failed; a program or file of this
	// machine that is there works.
	fallback := e.count(effect.Network) > network
	for _, ff := range files {
		fallback = fallback || slices.ContainsFunc(ff.Findings, func(x script.Finding) bool { return x.Class == "network" && !x.OnError })
	}
	e.scanned(f, files, entry, interp, func(x script.Finding) bool { return x.OnError && (fallback || x.Kind == script.Unknown) })
	if !fallback {
		e.onlyOnError(f, files)
	}
}

// count is the number of effects of a class.
func (e *engine) count(c effect.Class) int {
	n := 0
	for _, x := range e.effects {
		if x.Class == c {
			n++
		}
	}
	return n
}

// onlyOnError says of what happens after a failure that it may happen.
func (e *engine) onlyOnError(f *frame, files []script.FileFindings) {
	for _, ff := range files {
		could, line := map[effect.Class]bool{}, 0
		for _, x := range ff.Findings {
			if !x.OnError || x.Kind == script.Import || x.Kind == script.Unknown || x.Class == "environment" && x.Access == "read" || x.Class == "file" && x.Access == "read" {
				continue
			}
			if line == 0 {
				line = x.Line
			}
			if x.Kind == script.Effect {
				if c, err := effect.ParseClass(x.Class); err == nil {
					could[c] = true
				}
				continue
			}
			for _, c := range parseClasses(strings.Join(script.All(), ",")) {
				could[c] = true
			}
		}
		if line == 0 {
			continue
		}
		g := *f
		if file, err := e.fs.Read(ff.Path); ff.Path != "" && err == nil {
			g.from, g.lineBase = effect.Source{File: file.Path, SHA256: file.SHA256}, 0
		}
		e.unknown(&g, g.source(line, "script/failure"), "what runs only when something before it fails", slices.Sorted(maps.Keys(could))...)
	}
}

// scanned turns the findings that take accepts into effects.
func (e *engine) scanned(f *frame, files []script.FileFindings, entry, interp string, take func(script.Finding) bool) {
	for _, ff := range files {
		g := *f
		if !slices.ContainsFunc(ff.Findings, take) {
			continue
		}
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
			if !take(x) {
				continue
			}
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
		if _, ok := e.env[name]; !ok && len(e.env) > 0 && !launcherSets(name, f.fields["npm_config_local_prefix"] != "") {
			if _, ok := f.vars[name]; !ok {
				return script.Var{Known: true} // the action inherits no variable of that name
			}
		}
		return script.Var{}
	}
}

// launcherSets tells variables that shells and package managers give to what they start. npm's own are known but for a few
// (@npmcli/config, lib/set-envs.js): those of options are there when the option is given.
func launcherSets(name string, npm bool) bool {
	if option, ok := strings.CutPrefix(strings.ToLower(name), "npm_config_"); ok && npm {
		return npmOwnOption(option) || strings.Contains(option, "proxy")
	}
	switch name {
	case "INIT_CWD", "NODE", "PWD", "OLDPWD", "SHLVL", "_", "PATH", "HOME", "SHELL", "USER", "LOGNAME", "LANG", "TERM", "EDITOR", "COLOR", "TMPDIR", "HOSTNAME",
		"PROJECT_CWD", "BERRY_BIN_FOLDER", "PNPM_SCRIPT_SRC_DIR", "BUN_WHICH_IGNORE_CWD", "PYTHONPATH", "VIRTUAL_ENV", "OUT_DIR", "MAKEFLAGS", "MAKELEVEL", "MFLAGS":
		return true
	}
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "npm_") || strings.HasPrefix(lower, "pnpm_") || strings.HasPrefix(lower, "yarn_") || strings.HasPrefix(lower, "cargo_") ||
		strings.HasPrefix(lower, "git_") || strings.HasPrefix(lower, "pre_commit") || strings.HasPrefix(lower, "lefthook") || strings.HasPrefix(lower, "husky")
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
			e.remove(f, w, x.Tree, src)
		default:
			e.writeAt(f, w, x.Tree, x.Link == nil, src)
			if x.Link != nil {
				e.link(f, w, x.Link.Text, false)
			}
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

// npmOwnOption tells the options that npm gives to every script it runs (@npmcli/config, lib/set-envs.js).
func npmOwnOption(option string) bool {
	switch option {
	case "cache", "userconfig", "globalconfig", "prefix", "global_prefix", "local_prefix", "user_agent", "init_module", "node_gyp", "noproxy", "npm_version", "registry",
		"fetch_retries":
		return true
	}
	return false
}
