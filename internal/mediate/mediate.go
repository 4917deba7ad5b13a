// Package mediate is the reference monitor: the one road that a call of an agent takes from its words to a sealed decision. It
// orders predict, decide and seal, and refuses what it cannot seal: no path through it ends in a yes by accident, and the zero
// Verdict is a denial.
package mediate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/internal/visible"
	"github.com/ambit-dev/ambit/policy"
	"github.com/ambit-dev/ambit/predict"
	"github.com/ambit-dev/ambit/record"
	"github.com/ambit-dev/ambit/secret"
)

// Options say in which surroundings the monitor works.
type Options struct {
	Env        []string // "NAME=value", what the action's process would inherit
	Models     []fs.FS  // the user's own command models, strongest first
	Place      record.Place
	Version    string   // of ambit, for the record
	Executable []string // the paths of ambit's own program
	Now        func() time.Time
}

// Call is one thing that an agent asks about, as its surface understood it.
type Call struct {
	Agent     string // "claude-code"
	Session   string
	Event     string // the agent's own name of the moment: "PreToolUse"
	ID        string // the agent's identifier of the call; "" if it gives none
	Mode      string // the agent's permission mode
	Subagent  string // identifier and kind of a subagent, "" for the agent itself
	Dir       string // absolute
	Workspace string // absolute; "" is Dir
	Tool      string
	Args      []byte // a JSON object
}

// Verdict is the answer to a surface. The zero value denies without a record. Is Allow means that ambit has no objection: the
// agent's own rules still hold. Text is what a person is to be shown, "" for Allow.
type Verdict struct {
	Is     policy.Kind
	Rule   string
	Text   string
	Seq    int64 // of the sealed intent
	Sealed bool
}

// Monitor mediates calls. It keeps nothing between them but its surroundings.
type Monitor struct{ o Options }

// New makes a monitor.
func New(o Options) *Monitor {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Monitor{o}
}

// judgement is what is known about a call before it is sealed.
type judgement struct {
	call       Call
	action     action.Action
	prediction *predict.Prediction // nil where there is a defect
	input      policy.Input
	decision   policy.Decision
}

// Decide works out what a call sets in motion, decides, and seals both before it answers. It never fails: what goes wrong is a
// denial that says why and what to do next.
func (m *Monitor) Decide(ctx context.Context, c Call) (v Verdict) {
	defer refuseDefects(&v)
	judged := m.start(ctx, c) // beside opening the log: the key's arithmetic takes as long as a simple prediction
	log, err := m.open()
	if err != nil {
		return refusal(err)
	}
	return m.decide(log, c, judged)
}

// judged is a judgement, or why there is none.
type judged struct {
	*judgement
	err error
}

// start judges on another goroutine. A defect there is a denial like any other.
func (m *Monitor) start(ctx context.Context, c Call) <-chan judged {
	done := make(chan judged, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- judged{err: fmt.Errorf("ambit failed while deciding (%v); please report this, with the command", r)}
			}
		}()
		j, err := m.judge(ctx, c)
		done <- judged{j, err}
	}()
	return done
}

func (m *Monitor) open() (*record.Log, error) {
	return record.Open(m.o.Place, record.Options{Now: m.o.Now})
}

// refuseDefects turns a defect of ambit's own into a denial.
func refuseDefects(v *Verdict) {
	if r := recover(); r != nil {
		*v = Verdict{Text: fmt.Sprintf("ambit denies this call: it failed while deciding (%s).\nNext: please report this, with the command.", plain(fmt.Sprint(r)))}
	}
}

func (m *Monitor) decide(log *record.Log, c Call, from <-chan judged) Verdict {
	j := <-from
	if j.err != nil {
		return refusal(j.err)
	}
	in, err := m.intent(log, j.judgement)
	if err != nil {
		return refusal(err)
	}
	sealed, err := log.Append(kindIntent, in)
	if err != nil {
		return refusal(err)
	}
	if j.decision.Is != policy.Deny {
		m.remember(log, c, in.Base.Action.Digest, sealed)
	}
	return Verdict{Is: j.decision.Is, Rule: j.decision.Rule, Text: in.Shown.Text, Seq: sealed.Seq, Sealed: true}
}

// judge predicts and decides. An error means that there is no action that could be sealed.
func (m *Monitor) judge(ctx context.Context, c Call) (*judgement, error) {
	act, err := action.New(c.Agent, c.Session, c.Dir, c.Tool, c.Args)
	if err != nil {
		return nil, &record.Error{Code: record.CodeBody, Message: "the call cannot be written down exactly: " + err.Error(), Next: "ask for it again with arguments that are plain JSON"}
	}
	j := &judgement{call: c, action: act}
	j.prediction, err = predict.Predict(ctx, act, predict.Options{Env: m.o.Env, Workspace: c.Workspace, Models: m.o.Models})
	if err != nil {
		j.input.Defect = "what it does cannot be told: " + err.Error()
		j.decision = policy.Decide(j.input)
		return j, nil
	}
	j.input = m.input(j.prediction)
	j.decision = policy.Decide(j.input)
	return j, nil
}

// input is I(b): what the policy looks at.
func (m *Monitor) input(p *predict.Prediction) policy.Input {
	in := policy.Input{Explicit: p.Views(effect.Explicit), Effects: p.Effects, Ordinary: p.Ordinary, Delegated: p.Delegated}
	for _, u := range p.Unknowns {
		in.Unknowns = append(in.Unknowns, policy.Unknown{Why: u.Why, Could: u.Could})
	}
	if touchesFiles(p.Effects) || touchesFiles(p.Ordinary) || touchesFiles(p.Delegated) {
		in.Met = policy.NewGuards(m.surroundings(p), effect.OS{}).Meet(p.Effects, p.Ordinary, p.Delegated)
	}
	return in
}

// touchesFiles spares the ordinary command the layout of the protected places.
func touchesFiles(effects []effect.Effect) bool {
	for _, e := range effects {
		if e.Class == effect.File {
			return true
		}
	}
	return false
}

func (m *Monitor) surroundings(p *predict.Prediction) policy.Surroundings {
	home := m.variable("HOME")
	in := func(name, otherwise string) string {
		if dir := m.variable(name); path.IsAbs(dir) {
			return dir
		}
		if home == "" {
			return ""
		}
		return path.Join(home, otherwise)
	}
	place := m.o.Place
	return policy.Surroundings{
		Home: home, Config: in("XDG_CONFIG_HOME", ".config"),
		Claude: in("CLAUDE_CONFIG_DIR", ".claude"), Codex: in("CODEX_HOME", ".codex"), Copilot: in("COPILOT_HOME", ".copilot"),
		Ambit: []string{place.State, place.Config}, Binaries: m.o.Executable, Keys: place.Keys(),
		Workspace: p.Workspace, Dir: p.Action.Dir,
	}
}

// variable is the first of its name, as in the C library.
func (m *Monitor) variable(name string) string {
	for _, entry := range m.o.Env {
		if len(entry) > len(name) && entry[len(name)] == '=' && entry[:len(name)] == name {
			return entry[len(name)+1:]
		}
	}
	return ""
}

// refusal is the denial of a call that could not be sealed.
func refusal(err error) Verdict {
	next := "ambit log verify says more"
	if e := (*record.Error)(nil); errors.As(err, &e) && e.Next != "" {
		next = e.Next
	}
	return Verdict{Rule: "not-sealed", Text: "ambit denies this call: it cannot be recorded. " + capital(sentence(plain(err.Error()))) + "\nNext: " + next}
}

// plain is the text of a failure, which may quote the call, as it may be shown.
func plain(s string) string { return visible.Text((*secret.Keeper)(nil).Text("", s)) }

// capital begins a sentence.
func capital(s string) string {
	if s == "" || s[0] >= utf8.RuneSelf {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
