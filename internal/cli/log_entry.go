package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ambit-dev/ambit/record"
	"github.com/ambit-dev/ambit/secret"
)

// sealed is the body of an entry, of any of the kinds that a call leaves: docs/formats.md, "What a call leaves in the log".
type sealed struct {
	Base        sealedBase      `json:"base_context"`
	Routing     string          `json:"routing_outcome"`
	PolicyInput sealedInput     `json:"policy_input"`
	Decision    sealedDecision  `json:"decision"`
	Represented json.RawMessage `json:"represented"` // a list does not look into it
	Answered    sealedAnswer    `json:"answered_by"`
	Shown       sealedShown     `json:"shown"`
	Intent      *reference      `json:"intent"`
	Agent       string          `json:"agent"`
	Session     string          `json:"session"`
	Event       string          `json:"event"`
	Call        string          `json:"call"`
	Tool        string          `json:"tool"`
	Digest      string          `json:"action_digest"`
	Changed     bool            `json:"changed"`
	Ran         bool            `json:"ran"`
	Failed      bool            `json:"failed"`
	Error       string          `json:"error"`
	Duration    float64         `json:"duration_ms"`
	Response    *sealedResponse `json:"response"`

	effects sealedEffects // what readBody makes of Represented
}

type sealedBase struct {
	Agent     string `json:"agent"`
	Session   string `json:"session"`
	Subagent  string `json:"subagent"`
	Event     string `json:"event"`
	Call      string `json:"call"`
	Mode      string `json:"mode"`
	Workspace string `json:"workspace"`
	Ambit     string `json:"ambit"`
	Action    struct {
		Dir        string          `json:"dir"`
		Tool       string          `json:"tool"`
		Args       json.RawMessage `json:"args"`
		Digest     string          `json:"digest"`
		Commitment string          `json:"commitment"`
	} `json:"action"`
	Environment struct {
		Names       []string `json:"names"`
		Commitments []string `json:"commitments"`
	} `json:"environment"`
}

type sealedInput struct {
	Policy   string   `json:"policy"`
	SHA256   string   `json:"policy_sha256"`
	Explicit []string `json:"explicit"`
	Defect   string   `json:"defect"`
}

type sealedDecision struct {
	Is    string   `json:"is"`
	Rule  string   `json:"rule"`
	Why   string   `json:"why"`
	Added []string `json:"added"`
	Facts []struct {
		Rule   string `json:"rule"`
		Why    string `json:"why"`
		Place  string `json:"place"`
		Access string `json:"access"`
		By     string `json:"by"`
		Whole  bool   `json:"whole"`
	} `json:"facts"`
}

type sealedEffects struct {
	Views     map[string][]string `json:"views"`
	Effects   []sealedEffect      `json:"effects"`
	Ordinary  []sealedEffect      `json:"ordinary"`
	Delegated []sealedEffect      `json:"delegated"`
	Unknowns  []struct {
		Where sealedSource `json:"where"`
		Why   string       `json:"why"`
		Could []string     `json:"could"`
	} `json:"unknowns"`
	Reads []sealedSource `json:"reads"`
}

type sealedEffect struct {
	Class    string         `json:"class"`
	Access   string         `json:"access"`
	Resource string         `json:"resource"`
	View     string         `json:"view"`
	Sources  []sealedSource `json:"sources"`
}

type sealedSource struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	SHA256 string `json:"sha256"`
	Rule   string `json:"rule"`
}

type sealedAnswer struct {
	By   string `json:"by"`
	Name string `json:"name"`
}

type sealedShown struct {
	Text   string `json:"text"`
	SHA256 string `json:"sha256"`
}

type sealedResponse struct {
	Size       int    `json:"size"`
	Commitment string `json:"commitment"`
}

// reference names an entry by its number and leaf hash.
type reference struct {
	Seq  int64  `json:"seq"`
	Leaf string `json:"leaf"`
}

// What became of a call, in call.Outcome.
const (
	cameRan     = "ran"
	cameFailed  = "failed"  // it ran, and the tool reported an error
	cameNotRun  = "not-run" // the agent said so
	cameNothing = "none"    // nothing was heard
	cameChanged = "changed" // what ran is not what was sealed
)

// call is one call as a list shows it: docs/formats.md, "A list of calls".
type call struct {
	Seq        int64      `json:"seq"`
	Time       time.Time  `json:"time"`
	Kind       string     `json:"kind"`
	Agent      string     `json:"agent"`
	Session    string     `json:"session"`
	Call       string     `json:"call"`
	Tool       string     `json:"tool"`
	Summary    string     `json:"summary"`
	Decision   string     `json:"decision"`
	Rule       string     `json:"rule"`
	Routing    string     `json:"routing_outcome"`
	AnsweredBy string     `json:"answered_by"`
	Added      []string   `json:"added"`
	Outcome    string     `json:"outcome"`
	Note       string     `json:"note,omitempty"`
	Error      *errorBody `json:"error,omitempty"`

	event    string
	prompted bool
}

// follow is what the entries after an intent say of it.
type follow struct {
	sealed
	seq      int64
	time     time.Time
	kind     string
	prompted bool
	outcome  string // "" if no outcome was sealed
}

// before joins what an entry says with what the later ones said.
func (f *follow) before(later *follow) *follow {
	if later == nil {
		return f
	}
	later.prompted = later.prompted || f.prompted
	if later.outcome == "" && f.outcome != "" {
		f.prompted = later.prompted
		return f
	}
	return later
}

// alone is the line of an entry whose intent is not there.
func (f *follow) alone() *call {
	c := &call{
		Seq: f.seq, Time: f.time, Kind: f.kind, Agent: f.Agent, Session: f.Session, Call: f.Call, Tool: f.Tool, Added: []string{},
		AnsweredBy: f.Answered.By, Outcome: f.outcome, event: f.Event, prompted: f.prompted,
	}
	if c.Outcome == "" {
		c.Outcome = cameNothing
	}
	return c
}

// readCall makes a line of an entry, or what it says of an earlier one. Nothing is skipped: what cannot be read has a line that says so.
func readCall(e *record.Entry, err error) (*call, *follow) {
	c := &call{Seq: e.Seq, Time: e.Time, Kind: e.Kind, Note: e.Note, Added: []string{}, Outcome: cameNothing}
	if err != nil {
		f := recordFault(err)
		c.Error = &errorBody{f.code, f.message, f.next}
		return c, nil
	}
	if e.Note != "" {
		return c, nil
	}
	var s sealed
	if err := json.Unmarshal(e.Body, &s); err != nil {
		c.Note = "its body is of a form that this ambit does not know: " + err.Error()
		return c, nil
	}
	switch e.Kind {
	case "intent":
		b := s.Base
		c.Agent, c.Session, c.Call, c.Tool, c.Summary, c.event = b.Agent, b.Session, b.Call, b.Action.Tool, summary(b.Action.Args), b.Event
		c.Decision, c.Rule, c.Routing, c.AnsweredBy = s.Decision.Is, s.Decision.Rule, s.Routing, s.Answered.By
		c.Added = append(c.Added, s.Decision.Added...)
		return c, nil
	case "prompt", "outcome":
		f := &follow{sealed: s, seq: e.Seq, time: e.Time, kind: e.Kind, prompted: e.Kind == "prompt"}
		if e.Kind == "outcome" {
			f.outcome = s.outcome()
		}
		if s.Intent == nil {
			return f.alone(), nil
		}
		return nil, f
	}
	c.Note = fmt.Sprintf("an entry of kind %q, which this ambit does not know", e.Kind)
	return c, nil
}

func (s sealed) outcome() string {
	switch {
	case s.Changed:
		return cameChanged
	case s.Ran && s.Failed:
		return cameFailed
	case s.Ran:
		return cameRan
	}
	return cameNotRun
}

func (c *call) join(f *follow) {
	if f == nil {
		return
	}
	c.prompted = f.prompted
	switch {
	case f.outcome != "":
		c.Outcome, c.AnsweredBy = f.outcome, f.Answered.By
	case f.prompted:
		c.AnsweredBy = "agent-prompt"
	}
}

func sortCalls(rows []*call) {
	slices.SortStableFunc(rows, func(a, b *call) int { return int(max(-1, min(1, a.Seq-b.Seq))) })
}

// title is the tool and what it was given; a path in the home folder begins with ~.
func (c *call) title(home string) string {
	if c.Note != "" {
		return strings.TrimSpace(c.Kind + ": " + c.Note)
	}
	what := c.Summary
	if rest, ok := strings.CutPrefix(what, home+"/"); ok && len(home) > 1 {
		what = "~/" + rest
	}
	return strings.TrimSpace(c.Tool + " " + what)
}

// answer says in a few words who answered and what became of the call.
func (c *call) answer() (string, style) {
	ran := map[string]string{cameRan: "ran", cameFailed: "ran, failed", cameNotRun: "not run", cameChanged: "another call ran"}[c.Outcome]
	went := ran != "" && c.Outcome != cameNotRun
	switch {
	case c.Note != "":
		return "", ""
	case c.Kind == "outcome" && went:
		return "no record before: " + ran, red
	case c.Kind != "intent":
		return "no record before: " + c.Kind, red
	case c.Outcome == cameChanged:
		return ran, red
	case c.Decision == "deny" && went:
		return "denied by " + c.Rule + ", and " + ran, red
	case c.Decision == "deny":
		return "rule " + c.Rule, ""
	case c.Decision == "ask" && c.event == "PreSkillShellCommand":
		if went {
			return "nobody asked, and " + ran, red
		}
		return "nobody to ask: not run", ""
	case c.Decision == "ask", c.prompted:
		if !went {
			return "prompt: not run", ""
		}
		return "prompt: " + ran, ""
	case ran == "":
		return "agent's rules: no outcome", dim
	}
	return "agent's rules: " + ran, ""
}

// summary is what a tool was given, in a line: the command, the file, the address; else the arguments as JSON.
func summary(args json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil {
		return ""
	}
	for _, name := range []string{"command", "file_path", "notebook_path", "path", "url", "query", "pattern", "skill"} {
		var text string
		if json.Unmarshal(members[name], &text) == nil && strings.TrimSpace(text) != "" {
			return strings.TrimSpace(secret.Hide(name, text))
		}
	}
	if len(members) == 0 {
		return ""
	}
	return secret.Hide("", string(args))
}
