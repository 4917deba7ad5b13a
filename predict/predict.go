// Package predict says what an action will set in motion, from its text and the sources in the workspace. It only reads: it
// runs nothing, connects to nothing, and refuses to conclude "no effect" where its analysis stops; such a place is an
// Unknown.
package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/flow"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Options say in which surroundings an action would run. The zero value is a machine without environment.
type Options struct {
	Env       []string // "NAME=value", what the action's process would inherit
	Workspace string   // absolute; empty: the action's directory
	Root      string   // prefix under which the file system is looked at; empty: the machine's own
	Models    []fs.FS  // the user's own command models, strongest first
	Limits    Limits
}

// Limits bound one prediction. Zero fields take the defaults.
type Limits struct {
	Time  time.Duration // wall time; beyond it the rest is unknown
	Depth int           // jobs within jobs
	Steps int           // simple commands analysed
	Text  int           // bytes of one shell text
	Files workspace.Limits
}

var defaultLimits = Limits{Time: 2 * time.Second, Depth: 24, Steps: 20_000, Text: 2 << 20}

func (l Limits) orDefault() Limits {
	l.Time = cmp.Or(l.Time, defaultLimits.Time)
	l.Depth = cmp.Or(l.Depth, defaultLimits.Depth)
	l.Steps = cmp.Or(l.Steps, defaultLimits.Steps)
	l.Text = cmp.Or(l.Text, defaultLimits.Text)
	return l
}

// Unknown is a place where analysis stopped, why, and the classes of effect it could have. View is the first view that
// reaches the place.
type Unknown struct {
	From  effect.Source
	Why   string
	Could []effect.Class
	View  effect.View
}

// Read is a file that the prediction depends on. Path is absolute, SHA256 hexadecimal.
type Read struct {
	Path   string
	SHA256 string
}

// Node is one expansion: a command, and what it set in motion. Effects and Unknowns index those of the Prediction.
type Node struct {
	Title    string // the command as analysed, or what a source calls it
	Note     string // why it runs, or why something under it does not
	From     effect.Source
	Effects  []int
	Unknowns []int
	Children []*Node
}

// Prediction is everything that an action sets in motion, as far as it can be known. Effects are those of the labelling
// rubric. Ordinary lists what is touched below its threshold (reads inside the workspace, loopback); Delegated what a
// container engine or another machine would do on behalf of the action, outside its process tree.
type Prediction struct {
	Action    action.Action
	Workspace string
	Effects   []effect.Effect
	Ordinary  []effect.Effect
	Delegated []effect.Effect
	Flows     []flow.Flow
	Unknowns  []Unknown
	Reads     []Read
	Tree      *Node
}

// Views are the classes that a view holds, in canonical order. Each contains the ones before it.
func (p *Prediction) Views(v effect.View) []effect.Class {
	var has [effect.Process + 1]bool
	for _, e := range p.Effects {
		if e.View <= v {
			has[e.Class] = true
		}
	}
	classes := []effect.Class{}
	for _, c := range effect.Classes() {
		if has[c] {
			classes = append(classes, c)
		}
	}
	return classes
}

// ErrTool is returned for a tool whose arguments Predict cannot read.
var ErrTool = errors.New("the tool's arguments cannot be read")

// Predict works out what an action sets in motion. It fails only when there is no action to plan: the directory is missing
// or the arguments cannot be read. Everything else that stops analysis is in the Prediction as an Unknown.
func Predict(ctx context.Context, a action.Action, o Options) (*Prediction, error) {
	e := newEngine(ctx, a, o)
	if !e.fs.IsDir(a.Dir) {
		return nil, fmt.Errorf("directory %s: does not exist or is no directory; give an existing one", a.Dir)
	}
	dir, err := e.fs.Resolve("/", a.Dir, true)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", a.Dir, err)
	}
	f := e.rootFrame(dir)
	if err := e.guarded(f, a); err != nil {
		return nil, err
	}
	return e.finish(a), nil
}

// RuleDefect is the rule of the unknown that a defect of the analysis itself leaves behind.
const RuleDefect = "internal/defect"

// guarded analyses an action; a defect that would end the program becomes an unknown that could be anything.
func (e *engine) guarded(f *frame, a action.Action) (err error) {
	defer func() {
		if r := recover(); r != nil {
			g := e.rootFrame(f.dir)
			e.unknown(g, effect.Source{Rule: RuleDefect}, fmt.Sprintf("analysis failed (%v); please report it with the command", r))
		}
	}()
	return e.tool(f, a)
}

// finish puts what was collected into canonical order: the same action in the same workspace gives the same prediction.
func (e *engine) finish(a action.Action) *Prediction {
	p := &Prediction{Action: a, Workspace: e.workspace, Unknowns: e.unknowns, Tree: e.root, Flows: e.flows()}
	order := make([]int, len(e.effects))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return compareEffects(e.effects[i].Effect, e.effects[j].Effect) })
	place := make([]int, len(e.effects))
	for i := range place {
		place[i] = -1
	}
	for _, i := range order {
		switch x := e.effects[i]; x.kind {
		case realEffect:
			place[i] = len(p.Effects)
			p.Effects = append(p.Effects, x.Effect)
		case ordinaryEffect:
			p.Ordinary = append(p.Ordinary, x.Effect)
		case delegatedEffect:
			p.Delegated = append(p.Delegated, x.Effect)
		}
	}
	renumber(e.root, place)
	for _, f := range e.fs.Files() {
		p.Reads = append(p.Reads, Read{f.Path, f.SHA256})
	}
	slices.SortFunc(p.Reads, func(a, b Read) int { return strings.Compare(a.Path, b.Path) })
	return p
}

func compareEffects(a, b effect.Effect) int {
	return cmp.Or(cmp.Compare(a.View, b.View), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Access, b.Access),
		strings.Compare(a.On.String(), b.On.String()))
}

func renumber(n *Node, place []int) {
	kept := n.Effects[:0]
	for _, i := range n.Effects {
		if place[i] >= 0 {
			kept = append(kept, place[i])
		}
	}
	slices.Sort(kept)
	n.Effects = slices.Compact(kept)
	for _, c := range n.Children {
		renumber(c, place)
	}
}

// Relative is a path as it is shown: relative to the workspace when inside it.
func (p *Prediction) Relative(file string) string {
	if file != "" && file != p.Workspace && workspace.Within(file, p.Workspace) {
		return strings.TrimPrefix(strings.TrimPrefix(file, p.Workspace), "/")
	}
	return file
}

func (e *engine) relative(file string) string {
	if workspace.Within(file, e.workspace) && file != e.workspace {
		return strings.TrimPrefix(strings.TrimPrefix(file, e.workspace), "/")
	}
	return path.Clean(file)
}
