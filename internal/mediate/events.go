package mediate

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/policy"
	"github.com/ambit-dev/ambit/record"
)

// sealedRef names an entry.
type sealedRef struct {
	Seq  int64  `json:"seq"`
	Leaf string `json:"leaf"`
}

func refOf(s record.Sealed, ok bool) *sealedRef {
	if !ok {
		return nil
	}
	return &sealedRef{s.Seq, s.Leaf}
}

// prompt is the body of the entry that says that the agent showed its own prompt for a call.
type prompt struct {
	Intent *sealedRef `json:"intent"` // null where no intent was sealed before
	subject
}

// subject says which call an entry is about. Event is the agent's own name of the moment.
type subject struct {
	Agent   string `json:"agent"`
	Session string `json:"session"`
	Event   string `json:"event"`
	Call    string `json:"call"`
	Tool    string `json:"tool"`
	Digest  string `json:"action_digest"`
}

// outcome is the body of the entry that says what became of a call.
type outcome struct {
	Intent   *sealedRef `json:"intent"`  // null where none was sealed: the call ran without ambit's knowledge
	Changed  bool       `json:"changed"` // the call that ran is not the one that was sealed
	Ran      bool       `json:"ran"`
	Failed   bool       `json:"failed"`
	Error    string     `json:"error"`
	Duration float64    `json:"duration_ms"`
	Answered answered   `json:"answered_by"`
	Response response   `json:"response"`
	subject
}

// response is a tool's result by size and keyed commitment: results hold what files hold, and the record proves which one it was.
type response struct {
	Size       int    `json:"size"` // bytes of JSON
	Commitment string `json:"commitment"`
}

// remember leaves pointers to a sealed intent, by which the events that follow find it. They are a convenience: what cannot be
// found is recorded as not found.
func (m *Monitor) remember(log *record.Log, c Call, digest string, s record.Sealed) {
	_ = log.Point(digestKey(digest), s)
	if c.ID != "" {
		_ = log.Point(callKey(c), s)
	}
}

func digestKey(digest string) string   { return "action " + digest }
func promptedKey(digest string) string { return "prompted " + digest }
func callKey(c Call) string            { return "call " + c.Agent + " " + c.Session + " " + c.ID }

// Prompted is called when the agent shows its own prompt for a call. If the call was sealed before, that is recorded, and the
// verdict is the sealed one's: the person answers. If it was not (the agent has no earlier moment, or skipped it), it is decided now.
func (m *Monitor) Prompted(ctx context.Context, c Call) (v Verdict) {
	defer refuseDefects(&v)
	log, err := m.open()
	if err != nil {
		return refusal(err)
	}
	digest, err := m.digest(log, c)
	if err != nil {
		return refusal(err)
	}
	intent, ok := log.Pointed(digestKey(digest))
	if ok {
		// A pointer is a hint. What is answered is what the entry says.
		was, err := m.sealedIntent(log, intent.Seq)
		ok = err == nil && was.Base.Action.Digest == digest && was.Decision.Is != policy.Deny
	}
	if ok {
		v = Verdict{Is: policy.Ask, Rule: "sealed", Seq: intent.Seq, Sealed: true}
	} else {
		if v = m.decide(log, c, m.start(ctx, c)); v.Is == policy.Deny {
			return v
		}
		intent, ok = log.Pointed(digestKey(digest))
		ok = ok && intent.Seq == v.Seq
	}
	_ = log.Unpoint(digestKey(digest)) // one prompt for one intent
	s, err := log.Append(kindPrompt, prompt{Intent: refOf(intent, ok), subject: subjectOf(c, digest)})
	if err != nil {
		return refusal(err)
	}
	_ = log.Point(promptedKey(digest), s)
	return v
}

func subjectOf(c Call, digest string) subject {
	return subject{Agent: c.Agent, Session: c.Session, Event: c.Event, Call: c.ID, Tool: c.Tool, Digest: digest}
}

// digest of the action as it stands in records.
func (m *Monitor) digest(log *record.Log, c Call) (string, error) {
	act, err := action.New(c.Agent, c.Session, c.Dir, c.Tool, c.Args)
	if err != nil {
		return "", err
	}
	sealed, err := m.sealedAction(log, act)
	return sealed.Digest, err
}

// Outcome is what the agent says became of a call.
type Outcome struct {
	Ran      bool
	Failed   bool
	Error    string
	Duration float64 // milliseconds, 0 if it is not known
	Response []byte  // JSON, nil if there is none
}

// ErrNotSealed means that a call ran of which no intent was sealed, or another one than was sealed.
var ErrNotSealed = errors.New("the call ran without a sealed record")

// Ran records what became of a call. An error means that it could not be recorded, or, with ErrNotSealed, that it was and shows a
// call that went past ambit.
func (m *Monitor) Ran(_ context.Context, c Call, o Outcome) error {
	log, err := m.open()
	if err != nil {
		return err
	}
	digest, err := m.digest(log, c)
	if err != nil {
		return err
	}
	sealed, ok := log.Pointed(callKey(c))
	out := outcome{
		Intent: refOf(sealed, ok), Ran: o.Ran, Failed: o.Failed, Error: o.Error, Duration: o.Duration,
		Answered: answered{By: "agent-rules", Name: c.Agent}, subject: subjectOf(c, digest),
	}
	if o.Response != nil {
		out.Response = response{len(o.Response), log.Keeper().Commit(string(o.Response))}
	}
	var unread error // an intent that cannot be read keeps its outcome from nothing but the comparison
	if ok {
		var was *intent
		if was, unread = m.sealedIntent(log, sealed.Seq); unread != nil {
			was = &intent{Base: baseContext{Action: sealedAction{Digest: digest}}}
		}
		out.Changed = was.Base.Action.Digest != digest
		if was.Decision.Is == policy.Ask {
			out.Answered.By = "agent-prompt"
		}
		if out.Changed {
			digest = was.Base.Action.Digest
		}
	}
	if _, asked := log.Pointed(promptedKey(digest)); asked {
		out.Answered.By = "agent-prompt"
	}
	if _, err := log.Append(kindOutcome, out); err != nil {
		return err
	}
	for _, key := range []string{callKey(c), digestKey(digest), promptedKey(digest)} {
		_ = log.Unpoint(key)
	}
	if unread == nil && o.Ran && (!ok || out.Changed) {
		return ErrNotSealed
	}
	return unread
}

func (m *Monitor) sealedIntent(log *record.Log, seq int64) (*intent, error) {
	e, err := log.Entry(seq)
	if err != nil {
		return nil, err
	}
	in := &intent{}
	return in, json.Unmarshal(e.Body, in)
}
