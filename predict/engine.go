package predict

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/flow"
	"github.com/ambit-dev/ambit/predict/internal/model"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
	"github.com/ambit-dev/ambit/predict/models"
)

// shipped is the library of embedded models; it parses a model when it is first asked for and is only read afterwards.
var shipped = sync.OnceValue(func() *model.Library { return &model.Library{Files: models.Files, Index: models.Index} })

type effectKind uint8

const (
	realEffect effectKind = iota
	ordinaryEffect
	delegatedEffect
)

// noted is an effect with what the rubric makes of it.
type noted struct {
	effect.Effect
	kind effectKind
}

type effectKey struct {
	class  effect.Class
	access effect.Access
	on     effect.Pattern
	kind   effectKind
}

// engine collects one prediction. It is used by one goroutine and thrown away.
type engine struct {
	ctx       context.Context
	fs        *workspace.FS
	limits    Limits
	deadline  time.Time
	workspace string
	home      string
	env       map[string]string
	models    []*model.Library

	effects  []noted
	index    map[effectKey]int
	unknowns []Unknown
	seen     map[string]int // unknowns by place and reason
	root     *Node
	comps    []*component
	steps    int
	stopped  string          // why everything after some point is unknown; empty while analysis goes on
	running  map[string]bool // files and scripts being followed, against cycles
	paths    map[string]string
	names    names
	overlay  overlay
	remotes  []gitRemote
	changes  changes
	pipes    map[string]word // what process substitutions print, by the name that stands for them
}

func newEngine(ctx context.Context, a action.Action, o Options) *engine {
	l := o.Limits.orDefault()
	e := &engine{
		ctx: ctx, fs: workspace.New(o.Root, l.Files), limits: l, deadline: time.Now().Add(l.Time),
		env: map[string]string{}, index: map[effectKey]int{}, seen: map[string]int{}, running: map[string]bool{},
		paths: map[string]string{}, pipes: map[string]word{},
	}
	e.overlay = overlay{fs: e.fs, names: &e.names}
	for _, kv := range o.Env {
		if k, v, ok := strings.Cut(kv, "="); ok {
			e.env[k] = v
		}
	}
	e.workspace = cmp.Or(o.Workspace, a.Dir)
	if p, err := e.fs.Resolve("/", e.workspace, true); err == nil {
		e.workspace = p
	}
	e.home = e.env["HOME"]
	if p, err := e.fs.Resolve("/", e.home, true); err == nil && path.IsAbs(e.home) {
		e.home = p
	}
	for _, f := range o.Models {
		e.models = append(e.models, userLibrary(f))
	}
	e.models = append(e.models, shipped())
	e.root = &Node{}
	e.fs.Looked = e.look
	return e
}

func userLibrary(f fs.FS) *model.Library { return &model.Library{Files: f} }

func (e *engine) rootFrame(dir string) *frame {
	f := &frame{
		dir: dir, vars: map[string]variable{}, funcs: map[string]function{}, view: effect.Command, node: e.root,
		path: strings.Split(e.env["PATH"], ":"),
	}
	f.params = []word{{text: "bash"}}
	return f
}

// place is why something is concluded: the file being read, its line, and the rule.
func (f *frame) source(line int, rule string) effect.Source {
	s := f.from
	s.Rule = show(rule)
	if s.File != "" && line > 0 {
		s.Line = f.lineBase + line
	}
	return s
}

// note records an effect, merging it with one on the same resource, and returns its index.
func (e *engine) note(f *frame, c effect.Class, a effect.Access, on effect.Pattern, src effect.Source) {
	kind := e.judge(c, a, on)
	if f.server && (c == effect.Process || c == effect.Environment && a == effect.Write) {
		kind = ordinaryEffect // the client has started the server before the call
	}
	if f.container != "" && kind != ordinaryEffect {
		kind = delegatedEffect
	}
	if f.comp != nil {
		f.comp.touch(c, a, on)
	}
	if c == effect.File && a != effect.Read {
		e.changed(f, on, a, src)
	}
	src.File = e.shownFile(src.File)
	view := f.view
	if view == effect.Explicit && c != f.names {
		view = effect.Command
	}
	k := effectKey{c, a, on, kind}
	i, ok := e.index[k]
	if !ok {
		i = len(e.effects)
		e.index[k] = i
		e.effects = append(e.effects, noted{effect.Effect{Class: c, Access: a, On: on, View: view}, kind})
	}
	x := &e.effects[i]
	x.View = min(x.View, view)
	if !slices.Contains(x.Sources, src) && len(x.Sources) < 16 {
		x.Sources = append(x.Sources, src)
	}
	if n := len(f.node.Effects); n == 0 || f.node.Effects[n-1] != i {
		f.node.Effects = append(f.node.Effects, i)
	}
}

func (e *engine) shownFile(file string) string {
	if file == "" {
		return ""
	}
	return e.relative(file)
}

// unknown records a place where analysis stops. Classes that the place could have are never fewer than one.
func (e *engine) unknown(f *frame, src effect.Source, why string, could ...effect.Class) {
	if len(could) == 0 {
		could = anything()
	}
	switch f.container {
	case "":
	case remoteMachine:
		could = []effect.Class{effect.Network}
	default:
		could = []effect.Class{effect.Container}
	}
	src.File = e.shownFile(src.File)
	could = slices.Clone(could)
	if slices.Contains(could, effect.Process) && f.container == "" { // a program that is not known can do anything
		could = append(could, anything()...)
	}
	slices.Sort(could)
	could = slices.Compact(could)
	key := fmt.Sprintf("%s\x00%d\x00%s", src.File, src.Line, why)
	i, ok := e.seen[key]
	if !ok {
		i = len(e.unknowns)
		e.seen[key] = i
		e.unknowns = append(e.unknowns, Unknown{src, why, could, f.view})
	} else {
		u := &e.unknowns[i]
		u.Could = append(u.Could, could...)
		slices.Sort(u.Could)
		u.Could = slices.Compact(u.Could)
		u.View = min(u.View, f.view)
	}
	if !slices.Contains(f.node.Unknowns, i) {
		f.node.Unknowns = append(f.node.Unknowns, i)
	}
	if f.comp != nil {
		f.comp.open = true
	}
}

// remoteMachine is the container of commands that another machine runs.
const remoteMachine = "remote"

// anything is what unseen code could do on this machine without an MCP client.
func anything() []effect.Class {
	return []effect.Class{effect.Container, effect.Environment, effect.File, effect.Network, effect.Process}
}

// step counts work; false means that a budget is used up, which has been said as an unknown.
func (e *engine) step(f *frame) bool {
	if e.stopped != "" {
		return false
	}
	e.steps++
	switch {
	case e.steps > e.limits.Steps:
		e.stopped = fmt.Sprintf("more than %d commands", e.limits.Steps)
	case e.steps%64 == 0 && time.Now().After(e.deadline):
		e.stopped = fmt.Sprintf("more than %v of analysis", e.limits.Time)
	case e.steps%64 == 0 && e.ctx.Err() != nil:
		e.stopped = "the analysis was cancelled"
	case f.depth > e.limits.Depth:
		e.unknown(f, f.source(0, "limit/depth"), fmt.Sprintf("workflow is nested more than %d deep", e.limits.Depth))
		return false
	}
	if e.stopped != "" {
		e.unknown(f, f.source(0, "limit/steps"), "analysis stopped: "+e.stopped)
		return false
	}
	return true
}

// model finds a command model by a program's name. A broken model makes the command unknown.
func (e *engine) model(name string) (*model.Command, error) {
	for _, l := range e.models {
		if c, err := l.Find(name); c != nil || err != nil {
			return c, err
		}
	}
	return nil, nil
}

// component is one data-flow component while it is being collected; merged ones point to their parent.
type component struct {
	parent  *component
	in, out map[effect.Pattern]bool
	effects effect.Set
	open    bool // part of it is unknown
	order   int
}

func (e *engine) newComponent() *component {
	c := &component{in: map[effect.Pattern]bool{}, out: map[effect.Pattern]bool{}, order: len(e.comps)}
	e.comps = append(e.comps, c)
	return c
}

func (c *component) find() *component {
	for c.parent != nil {
		c = c.parent
	}
	return c
}

// join makes two components one: data can get from either to the other.
func (c *component) join(o *component) {
	if c == nil || o == nil {
		return
	}
	a, b := c.find(), o.find()
	if a == b {
		return
	}
	if b.order < a.order {
		a, b = b, a
	}
	maps.Copy(a.in, b.in)
	maps.Copy(a.out, b.out)
	a.effects |= b.effects
	a.open = a.open || b.open
	b.parent, b.in, b.out = a, nil, nil
}

func (c *component) touch(cl effect.Class, a effect.Access, on effect.Pattern) {
	r := c.find()
	r.effects = r.effects.With(cl, a)
	switch a {
	case effect.Read, effect.Fetch:
		r.in[on] = true
	case effect.Write, effect.Delete, effect.Send:
		r.out[on] = true
	case effect.Call:
		r.in[on], r.out[on] = true, true
	}
}

// flows summarises the components, without those that neither read nor write anything but start programs.
func (e *engine) flows() []flow.Flow {
	flows := []flow.Flow{}
	seen := map[string]bool{}
	for _, c := range e.comps {
		if c.parent != nil || c.effects == 0 && !c.open {
			continue
		}
		f := flow.Flow{In: sortedPatterns(c.in), Out: sortedPatterns(c.out), Sensitivity: flow.Public, Effects: c.effects}
		for _, p := range f.In {
			f.Sensitivity = max(f.Sensitivity, e.sensitivity(p))
		}
		if c.open {
			f.Effects = f.Effects.With(effect.Process, effect.Exec)
		}
		if key := fmt.Sprint(f); !seen[key] {
			seen[key] = true
			flows = append(flows, f)
		}
	}
	return flows
}

func sortedPatterns(m map[effect.Pattern]bool) []effect.Pattern {
	return slices.SortedFunc(maps.Keys(m), func(a, b effect.Pattern) int { return strings.Compare(a.String(), b.String()) })
}
