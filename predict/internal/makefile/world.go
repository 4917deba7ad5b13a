package makefile

import (
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// world is one evaluation of the makefiles, in which every condition on an unknown value has one outcome.
type world struct {
	*planner
	args Args // as changed by MAKEFLAGS in the makefile

	choices []bool          // outcomes that this world is for, in the order of asking
	path    []bool          // outcomes so far
	decided map[string]bool // outcome of a condition by its expanded text
	bound   map[string]string
	marks   []unknownText
	markBy  map[string]int

	globals   map[string]*variable
	exportAll bool
	prefix    byte
	at        loc
	depth     int
	failed    bool // make would have ended with an error, or did by $(error)

	targets         map[string]*target
	marked          []string // targets whose name is not known
	patterns        []*rule
	patternVars     []patternVars
	groups          [][]string
	suffixes        []string
	noSuffixes      bool
	secondExpansion bool
	oneShell        bool
	vpaths          []searchPath
	makefiles       []included
	mentioned       map[string]bool
	written         map[string]bool // by $(file) so far, or by a recipe that was emitted

	// While recipes are being run.
	running  *scope // scope of the target that is being made
	done     map[string]bool
	active   map[string]bool
	ran      bool // a recipe that could change files was emitted
	shellRan bool // a $(shell) that could change files was emitted
	builtins []*rule
	suffixed []*rule
	suffixAt int      // number of targets when suffixed was made
	exports  []string // global variables that recipes are given; nil: to be found
	searched map[string]*match
}

// included is a makefile that was asked for.
type included struct {
	name          string
	at            loc
	must, missing bool
}

func newWorld(p *planner, choices []bool) *world {
	w := &world{planner: p, args: p.args, choices: choices, prefix: '\t', decided: map[string]bool{}, bound: map[string]string{},
		markBy: map[string]int{}, globals: map[string]*variable{}, targets: map[string]*target{}, mentioned: map[string]bool{},
		written: map[string]bool{}, done: map[string]bool{}, active: map[string]bool{}, searched: map[string]*match{}}
	return w
}

// fail ends the world as an error ends make. What is after it is never run; but the error may be this package's, so it is
// said.
func (w *world) fail(why string) {
	if !w.over() {
		w.unknown(w.at, "make stops here, or its syntax is not understood: "+why, anything()...)
	}
	w.failed = true
}

// quit ends the world as $(error) does.
func (w *world) quit() { w.failed = true }

// make reads the makefiles and then makes the goals.
func (w *world) make() {
	for _, o := range w.args.Overrides {
		w.assign(o.Name, o.Op, o.Value, byCommand, nil, nil)
	}
	w.readAll()
	if w.over() {
		return
	}
	w.remakeMakefiles()
	goals := w.args.Targets
	if len(goals) == 0 {
		goals = words(w.value(nil, ".DEFAULT_GOAL"))
	}
	for _, g := range goals {
		if w.over() {
			return
		}
		w.build(cleanName(g), nil, 0)
	}
}

// readAll reads what make reads by itself, in its order (manual, "The Variable MAKEFILES", "What Name to Give Your Makefile").
func (w *world) readAll() {
	for _, text := range w.args.Eval {
		w.eval(text)
	}
	if w.args.Env != nil {
		if list, ok := w.args.Env("MAKEFILES"); ok {
			w.include(words(list), false, false)
		}
	}
	for _, name := range w.args.File {
		if name == "-" {
			w.unknown(w.at, "the makefile is read from standard input", anything()...)
			continue
		}
		w.readFile(name, true, true)
	}
	if len(w.args.File) > 0 {
		return
	}
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if w.fs.Exists(workspace.Join(w.dir, name)) {
			w.readFile(name, true, true)
			return
		}
	}
}

// remakeMakefiles makes every makefile that a rule can make, as make does before anything else, also under -n
// (manual, "How Makefiles Are Remade"). What the new one would hold is not known.
func (w *world) remakeMakefiles() {
	if len(w.makefiles) > maxFiles {
		return
	}
	dry := w.args
	w.args.DryRun, w.args.Question, w.args.Touch, w.args.AlwaysMake = false, false, false, false
	for _, m := range w.makefiles {
		if w.over() {
			break
		}
		name := cleanName(m.name)
		t := w.targets[name]
		if t != nil && t.phony || t == nil && w.fs.Present(workspace.Join(w.dir, name)) && strings.HasPrefix(name, "/") {
			continue
		}
		before := len(w.result.Jobs)
		w.build(name, nil, 0)
		made := len(w.result.Jobs) > before
		switch {
		case made && m.missing:
			w.unknown(m.at, "the included makefile "+w.plain(name)+" is made by a rule and read afterwards", effect.File, effect.Process)
		case m.missing && m.must && !w.canMake(name):
			w.unknown(m.at, "the makefile "+w.plain(name)+" does not exist", anything()...)
		}
	}
	w.args = dry
}

func (w *world) canMake(name string) bool {
	t := w.targets[name]
	return t != nil && len(t.rules) > 0 || w.search(name, 0, nil) != nil
}

// readsEnv says that a value came from a variable of the environment, outside those that every program looks at.
func (w *world) readsEnv(name string) {
	switch name {
	case "HOME", "PATH", "USER", "LOGNAME", "SHELL", "PWD", "TERM", "LANG", "TMPDIR", "MAKELEVEL", "MAKEFLAGS", "MAKE", "MFLAGS",
		"MAKEFILES", "HOSTNAME", "COLUMNS", "LINES", "_":
		return
	}
	if strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "MAKE_") {
		return
	}
	w.claim(source.Claim{Class: effect.Environment, Access: effect.Read, Target: name, Dir: w.dir, From: w.at.source("make/environment")})
}

// environment is what a recipe is given beyond make's own environment: exported variables, those of the command line, and
// those of the environment that the makefile changed (manual, "Communicating Variables to a Sub-make").
func (w *world) environment(sc *scope) map[string]string {
	env := map[string]string{}
	if w.exports == nil {
		w.exports = []string{}
		for name, v := range w.globals {
			if v != nil && w.exported(name, v) {
				w.exports = append(w.exports, name)
			}
		}
	}
	names := slices.Clone(w.exports)
	for s := sc; s != nil; s = s.parent {
		for name := range s.vars {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		v := w.lookup(sc, name)
		if v == nil || !w.exported(name, v) || !w.step(w.at, 1) {
			continue
		}
		env[name] = w.plain(w.value(sc, name))
	}
	if len(env) == 0 {
		return nil
	}
	return env
}

func (w *world) exported(name string, v *variable) bool {
	switch name {
	case "MAKEFLAGS", "MAKELEVEL", "MAKE", "MAKEFILE_LIST", "CURDIR", ".DEFAULT_GOAL", "SHELL":
		return v.export == exportYes && name == "SHELL"
	}
	if v.origin == automatic || v.origin == byDefault || v.origin == byEnv || v.export == exportNo || !shellName(name) {
		return v.origin == byDefault && v.export == exportYes
	}
	if v.export == exportYes || v.origin == byCommand || w.exportAll {
		return true
	}
	if w.args.Env != nil {
		_, there := w.args.Env(name)
		return there
	}
	return false
}

func shellName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}
