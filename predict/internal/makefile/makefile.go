// Package makefile reads Makefiles as GNU make does and says what a run would start, without running anything: every
// recipe line that may run, every `$(shell ...)` that runs while make is still reading, and the files that make writes
// itself. It refuses to guess: the value of a command's output is unknown, a condition on it is taken both ways, and
// where a limit is reached or make's syntax is not understood there is an unknown. The source of its rules is the GNU
// make manual, 4.4, and the behaviour of 4.3.
package makefile

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Placeholder is the text that stands in a job where a value is not known. It is a shell parameter, so that the text
// stays one word of shell; in a job's Env and Argv it stands as it is.
const Placeholder = "${AMBIT_UNKNOWN}"

// Override is one VAR=VALUE of the command line; Op is "=", ":=", "::=", ":::=", "+=", "?=" or "!=".
type Override struct{ Name, Op, Value string }

// Args is what make was asked. The zero value is a plain `make`.
type Args struct {
	File         []string // -f, in order; "-" is standard input and unknown
	Targets      []string // goals; none: the default goal
	Overrides    []Override
	IncludeDirs  []string // -I
	Eval         []string // --eval, read before every makefile
	DryRun       bool     // -n
	Question     bool     // -q
	Touch        bool     // -t
	AlwaysMake   bool     // -B
	KeepGoing    bool     // -k
	EnvOverrides bool     // -e
	NoRules      bool     // -r
	NoVariables  bool     // -R
	Help         bool     // -h or -v: make reads nothing
	Jobs         string   // -j, as written

	// Env gives a variable of make's environment; nil is an empty environment.
	Env func(name string) (string, bool)
	// System and Machine are what uname prints; empty: those of the machine that predicts.
	System, Machine string
}

// Limits of one plan. A real Makefile of a large C project stays a factor of ten below; what does not ends in an unknown.
const (
	maxSteps  = 200_000  // expansions, lines, rule trials
	maxBytes  = 16 << 20 // text produced by expansions
	maxDepth  = 150      // nested expansions, includes and evals
	maxChain  = 1000     // prerequisites of prerequisites
	maxWorlds = 24       // evaluations under different outcomes of unknown conditions
	maxJobs   = 2000
	maxFiles  = 500 // makefiles read, includes counted each time
)

// Plan says what make started in dir with these arguments would set in motion. Jobs that run while make reads come first.
func Plan(fs *workspace.FS, dir string, args Args) source.Result {
	p := &planner{fs: fs, dir: path.Clean(dir), args: args, seen: map[string]bool{}, flipped: map[string]bool{}, dirs: map[string][]string{}, there: map[string]bool{}}
	if !args.Help {
		p.explore()
	}
	return p.result
}

// planner is what the worlds of one plan share: the budget, what was emitted, and which outcomes were tried.
type planner struct {
	fs     *workspace.FS
	dir    string
	args   Args
	result source.Result

	steps, bytes, reads int
	stopped             string // why the whole plan stopped; empty: it has not
	stopAt              loc
	seen                map[string]bool // jobs, claims and unknowns that were emitted
	flipped             map[string]bool // outcomes of conditions that were tried or are waiting
	waiting             [][]bool
	dirs                map[string][]string // directory listings
	there               map[string]bool     // files that were looked for
}

// explore evaluates once, and then once more for every outcome of an unknown condition that was not seen yet. That
// covers every branch, though not every combination of branches.
func (p *planner) explore() {
	p.waiting = [][]bool{nil}
	for n := 0; len(p.waiting) > 0; n++ {
		if n == maxWorlds {
			p.stop(loc{}, "the Makefile has more conditions on unknown values than are followed")
		}
		if p.stopped != "" {
			break
		}
		prefix := p.waiting[0]
		p.waiting = p.waiting[1:]
		newWorld(p, prefix).make()
	}
	if p.stopped != "" {
		p.unknown(p.stopAt, p.stopped, anything()...)
	}
}

func anything() []effect.Class { return effect.Classes() }

// stop ends the whole plan; the first reason stays.
func (p *planner) stop(at loc, why string) {
	if p.stopped == "" {
		p.stopped, p.stopAt = why, at
	}
}

// step takes from the budget and tells whether there is any left.
func (p *planner) step(at loc, n int) bool {
	p.steps += n
	if p.steps > maxSteps {
		p.stop(at, "reading the Makefile takes more steps than are allowed")
	}
	return p.stopped == ""
}

// spend takes bytes from the budget.
func (p *planner) spend(at loc, n int) bool {
	p.bytes += n
	if p.bytes > maxBytes {
		p.stop(at, "the variables of the Makefile expand to more text than is allowed")
	}
	return p.stopped == ""
}

// once tells whether a thing is new, so that worlds do not repeat each other.
func (p *planner) once(parts ...string) bool {
	key := strings.Join(parts, "\x00")
	if p.seen[key] {
		return false
	}
	p.seen[key] = true
	return true
}

func (p *planner) job(j source.Job) {
	if len(p.result.Jobs) >= maxJobs {
		p.stop(loc{}, "the Makefile starts more commands than are listed")
		return
	}
	env := ""
	for _, k := range sortedKeys(j.Env) {
		env += k + "=" + j.Env[k] + "\x00"
	}
	if p.once("job", j.Shell, strings.Join(j.Argv, "\x01"), j.Interp, j.Label, env, j.From.File, fmt.Sprint(j.From.Line)) {
		p.result.Jobs = append(p.result.Jobs, j)
	}
}

func (p *planner) claim(c source.Claim) {
	if p.once("claim", c.Class.String(), c.Access.String(), c.Target, c.From.File, fmt.Sprint(c.From.Line)) {
		p.result.Claims = append(p.result.Claims, c)
	}
}

func (p *planner) unknown(at loc, why string, could ...effect.Class) {
	if p.once("unknown", why, at.name(), fmt.Sprint(at.line)) {
		p.result.Unknowns = append(p.result.Unknowns, source.Unknown{From: at.source("make/unknown"), Why: why, Could: could})
	}
}

// loc is a place in a makefile; the zero value is the command line.
type loc struct {
	file *workspace.File
	line int
}

func (l loc) name() string {
	if l.file == nil {
		return ""
	}
	return l.file.Path
}

func (l loc) source(rule string) effect.Source {
	if l.file == nil {
		return effect.Source{Rule: rule}
	}
	return effect.Source{File: l.file.Path, Line: l.line, SHA256: l.file.SHA256, Rule: rule}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
