package mediate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/policy"
	"github.com/ambit-dev/ambit/predict"
	"github.com/ambit-dev/ambit/record"
)

// The body of an intent entry has the paper's objects under their names: docs/formats.md, "Intent".
type intent struct {
	Base        baseContext     `json:"base_context"`    // b0
	Routing     string          `json:"routing_outcome"` // h
	PolicyInput policyInput     `json:"policy_input"`    // I(b), with the members that it names
	Decision    decision        `json:"decision"`        // d
	Represented json.RawMessage `json:"represented"`     // Rep(p)
	Answered    answered        `json:"answered_by"`
	Shown       shown           `json:"shown"`
}

type baseContext struct {
	Agent       string       `json:"agent"`
	Session     string       `json:"session"`
	Subagent    string       `json:"subagent"`
	Event       string       `json:"event"`
	Call        string       `json:"call"`
	Mode        string       `json:"mode"`
	Workspace   string       `json:"workspace"`
	Action      sealedAction `json:"action"`
	Environment environment  `json:"environment"`
	Ambit       string       `json:"ambit"`
}

// sealedAction is the action with commitments in the place of secrets. Digest is that of the action as it stands here: a digest of
// the real text would let a short password be guessed. Commitment is the keyed one of the real action.
type sealedAction struct {
	Dir        string          `json:"dir"`
	Tool       string          `json:"tool"`
	Args       json.RawMessage `json:"args"`
	Digest     string          `json:"digest"`
	Commitment string          `json:"commitment"`
}

// environment is what the action would inherit: the names, and a keyed commitment of each value, in the same order.
type environment struct {
	Names       []string `json:"names"`
	Commitments []string `json:"commitments"`
}

type policyInput struct {
	Members  []string       `json:"members"`
	Name     string         `json:"policy"`
	SHA256   string         `json:"policy_sha256"`
	Explicit []effect.Class `json:"explicit"`
	Defect   string         `json:"defect"`
	Met      []met          `json:"met"`
}

// met is a protected place that an effect meets.
type met struct {
	Rule   string        `json:"rule"`
	Why    string        `json:"why"`
	On     string        `json:"place"`
	Writes policy.Kind   `json:"writes"`
	Reads  policy.Kind   `json:"reads"`
	Access effect.Access `json:"access"`
	By     string        `json:"by"`
	Whole  bool          `json:"whole"`
}

type decision struct {
	Is    policy.Kind    `json:"is"`
	Rule  string         `json:"rule"`
	Why   string         `json:"why"`
	Added []effect.Class `json:"added"`
	Facts []met          `json:"facts"`
}

type answered struct {
	By   string `json:"by"`   // "rule"; "agent-prompt" where the agent is to ask, and an outcome says how it went
	Name string `json:"name"` // of the rule, or of the agent
}

type shown struct {
	Text   string `json:"text"`
	SHA256 string `json:"sha256"`
}

// The kinds of entry that a call leaves.
const (
	kindIntent  = "intent"
	kindPrompt  = "prompt"
	kindOutcome = "outcome"
)

// The routing outcomes, h.
const (
	routedAsk    = "ask"
	routedPass   = "pass-through"
	routedDenial = "local-denial"
)

// intent is the body of the entry that seals a judgement.
func (m *Monitor) intent(log *record.Log, j *judgement) (*intent, error) {
	c := j.call
	act, err := m.sealedAction(log, j.action)
	if err != nil {
		return nil, err
	}
	in := &intent{
		Base: baseContext{
			Agent: c.Agent, Session: c.Session, Subagent: c.Subagent, Event: c.Event, Call: c.ID, Mode: c.Mode,
			Workspace: c.Workspace, Action: act, Environment: m.environment(log), Ambit: m.o.Version,
		},
		PolicyInput: policyInput{
			Members: []string{"base_context", "represented"}, Name: policy.Name, SHA256: policy.Digest(),
			Explicit: append([]effect.Class{}, j.input.Explicit...), Defect: j.input.Defect, Met: metsOf(j.input.Met),
		},
		Decision: decision{Is: j.decision.Is, Rule: j.decision.Rule, Why: j.decision.Why, Added: j.decision.Added, Facts: metsOf(j.decision.Met)},
		Answered: answered{By: "rule", Name: j.decision.Rule},
	}
	if j.prediction != nil {
		in.Base.Workspace = j.prediction.Workspace
	}
	switch j.decision.Is {
	case policy.Allow:
		in.Routing = routedPass
	case policy.Ask:
		in.Routing, in.Answered = routedAsk, answered{By: "agent-prompt", Name: c.Agent}
	default:
		in.Routing = routedDenial
	}
	if in.Represented, err = represented(j); err != nil {
		return nil, err
	}
	if j.decision.Is != policy.Allow {
		if in.Shown.Text, err = m.question(j, act.Digest); err != nil {
			return nil, err
		}
		sum := sha256.Sum256([]byte(in.Shown.Text))
		in.Shown.SHA256 = hex.EncodeToString(sum[:])
	}
	return in, nil
}

// sealedAction has the real arguments still: Append puts the commitments in their place, and Digest is of what it will make.
func (m *Monitor) sealedAction(log *record.Log, real action.Action) (sealedAction, error) {
	keeper := log.Keeper()
	args, err := keeper.JSON(real.Args)
	if err != nil {
		return sealedAction{}, err
	}
	redacted, err := action.New(real.Agent, real.Session, keeper.Text("", real.Dir), real.Tool, args)
	if err != nil {
		return sealedAction{}, err
	}
	return sealedAction{Dir: real.Dir, Tool: real.Tool, Args: real.Args, Digest: redacted.Digest(), Commitment: keeper.Commit(real.Digest())}, nil
}

func (m *Monitor) environment(log *record.Log) environment {
	env := environment{[]string{}, []string{}}
	keeper := log.Keeper()
	for _, entry := range m.o.Env {
		name, value, ok := strings.Cut(entry, "=")
		if !ok {
			continue
		}
		env.Names = append(env.Names, name)
		env.Commitments = append(env.Commitments, keeper.Commit(value))
	}
	return env
}

// represented is Rep(p): the members of the plan (docs/formats.md) but the action, which stands in the base context. Without a
// prediction it is one unknown that could be anything.
func represented(j *judgement) (json.RawMessage, error) {
	p := j.prediction
	if p == nil {
		p = &predict.Prediction{Action: j.action, Unknowns: []predict.Unknown{{Why: j.input.Defect, Could: effect.Classes(), View: effect.Explicit}}}
	}
	whole, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(whole, &members); err != nil {
		return nil, err
	}
	delete(members, "action")
	delete(members, "version")
	return json.Marshal(members)
}

func metsOf(list []policy.Met) []met {
	out := []met{}
	for _, m := range list {
		out = append(out, met{m.Guard.Rule, m.Guard.Why, m.Guard.On.String(), m.Guard.Writes, m.Guard.Reads, m.Effect.Access, m.Effect.On.String(), m.Whole})
	}
	return out
}
