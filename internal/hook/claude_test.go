package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/internal/mediate"
	"github.com/ambit-dev/ambit/policy"
)

// monitor answers what it is told to, and keeps what it was asked.
type monitor struct {
	verdict mediate.Verdict
	err     error
	do      func() // in every method; nil for nothing

	decided, prompted, ran []mediate.Call
	outcomes               []mediate.Outcome
}

func (m *monitor) act() {
	if m.do != nil {
		m.do()
	}
}

func (m *monitor) Decide(_ context.Context, c mediate.Call) mediate.Verdict {
	m.decided = append(m.decided, c)
	m.act()
	return m.verdict
}

func (m *monitor) Prompted(_ context.Context, c mediate.Call) mediate.Verdict {
	m.prompted = append(m.prompted, c)
	m.act()
	return m.verdict
}

func (m *monitor) Ran(_ context.Context, c mediate.Call, o mediate.Outcome) error {
	m.ran, m.outcomes = append(m.ran, c), append(m.outcomes, o)
	m.act()
	return m.err
}

// event is an input as Claude Code sends it: the members that all have, and some more. A nil member is left out.
func event(name string, more map[string]any) string {
	members := map[string]any{
		"session_id": "s1", "transcript_path": "/home/u/.claude/projects/p/s1.jsonl", "cwd": "/home/u/shop", "prompt_id": "p1",
		"permission_mode": "default", "effort": map[string]any{"level": "medium"}, "hook_event_name": name,
		"tool_name": "Bash", "tool_input": map[string]any{"command": "npm install", "description": "d"}, "tool_use_id": "toolu_1",
	}
	for k, v := range more {
		members[k] = v
		if v == nil {
			delete(members, k)
		}
	}
	out, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(out)
}

const asks = "ambit asks about `npm install`: it adds file to what you see.\n  file write  config/local.json  scripts/setup.js:4"

func sealed(k policy.Kind, text string) mediate.Verdict {
	return mediate.Verdict{Is: k, Text: text, Seq: 3, Sealed: true}
}

// denial is how a refusal reads at the moment before a tool.
func denial(text string) Reply {
	return refusal("PreToolUse", text)
}

func refusal(event, text string) Reply {
	q, _ := json.Marshal(text)
	return Reply{
		Stdout: fmt.Appendf(nil, `{"systemMessage":%s,"hookSpecificOutput":{"hookEventName":"%s","permissionDecision":"deny","permissionDecisionReason":%s}}`+"\n", q, event, q),
		Stderr: text + "\n", Exit: 2,
	}
}

func promptRefusal(text string) Reply {
	q, _ := json.Marshal(text)
	return Reply{
		Stdout: fmt.Appendf(nil, `{"systemMessage":%s,"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":%s}}}`+"\n", q, q),
		Stderr: text + "\n", Exit: 2,
	}
}

func said(text string) Reply {
	q, _ := json.Marshal(text)
	return Reply{Stdout: fmt.Appendf(nil, `{"systemMessage":%s}`+"\n", q)}
}

func TestClaudeAnswers(t *testing.T) {
	ask := Reply{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":` +
		`"ambit asks about ` + "`npm install`" + `: it adds file to what you see.\n  file write  config/local.json  scripts/setup.js:4"}}` + "\n")}
	none := map[string]any{"tool_use_id": nil}
	for _, c := range []struct {
		name    string
		event   string
		more    map[string]any
		verdict mediate.Verdict
		err     error
		want    Reply
	}{
		{"no objection", "PreToolUse", nil, sealed(policy.Allow, ""), nil, Reply{}},
		{"question", "PreToolUse", nil, sealed(policy.Ask, asks), nil, ask},
		{"denial", "PreToolUse", nil, sealed(policy.Deny, "ambit denies `rm`: no."), nil, denial("ambit denies `rm`: no.")},
		{"denial that is not sealed", "PreToolUse", nil, mediate.Verdict{Text: "no space"}, nil, denial("no space")},
		{"zero verdict", "PreToolUse", nil, mediate.Verdict{}, nil, denial("ambit denies this call.")},
		{"yes that is not sealed", "PreToolUse", nil, mediate.Verdict{Is: policy.Allow}, nil, denial("ambit denies this call.")},
		{"question that is not sealed", "PreToolUse", nil, mediate.Verdict{Is: policy.Ask, Text: asks}, nil, denial(asks)},
		{"a kind of verdict that is not known", "PreToolUse", nil, sealed(policy.Kind(7), "x"), nil, denial("x")},
		{"question without words", "PreToolUse", nil, sealed(policy.Ask, " \n"), nil, Reply{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse",` +
			`"permissionDecision":"ask","permissionDecisionReason":"ambit asks about this call."}}` + "\n")}},
		{"words that are no UTF-8", "PreToolUse", nil, sealed(policy.Deny, "a\xffb"), nil, denial("a�b")},

		{"skill, no objection", "PreSkillShellCommand", nil, sealed(policy.Allow, ""), nil, Reply{}},
		{"skill, question", "PreSkillShellCommand", nil, sealed(policy.Ask, "ambit asks."), nil,
			refusal("PreSkillShellCommand", "ambit asks.\nNobody can be asked before a command of a skill runs, so it does not run.")},
		{"skill, denial", "PreSkillShellCommand", nil, sealed(policy.Deny, "no"), nil, refusal("PreSkillShellCommand", "no")},

		{"prompt, sealed before", "PermissionRequest", none, sealed(policy.Ask, ""), nil, Reply{}},
		{"prompt of the agent's own", "PermissionRequest", none, sealed(policy.Allow, ""), nil, Reply{}},
		{"prompt, denial", "PermissionRequest", none, sealed(policy.Deny, "no"), nil, promptRefusal("no")},
		{"prompt that cannot be recorded", "PermissionRequest", none, mediate.Verdict{Is: policy.Ask, Text: "no space"}, nil, promptRefusal("no space")},

		{"outcome", "PostToolUse", map[string]any{"tool_response": map[string]any{}}, mediate.Verdict{}, nil, Reply{}},
		{"outcome that is not sealed", "PostToolUse", map[string]any{"tool_response": map[string]any{}}, mediate.Verdict{}, errors.New("the disk is full."),
			said("ambit: the outcome of this call is not sealed as it should be: the disk is full.\nNext: ambit log verify")},
		{"outcome of an unnamed call", "PostToolUse", map[string]any{"tool_use_id": nil}, mediate.Verdict{}, nil,
			said("ambit: the outcome of this call is not sealed: its input is not complete: tool_use_id is missing, or not what it must be.\n" +
				"Next: look for a newer ambit (ambit version), and report this if there is none.")},
		{"failure", "PostToolUseFailure", map[string]any{"error": "Exit code 3"}, mediate.Verdict{}, nil, Reply{}},
		{"denied by the agent", "PermissionDenied", map[string]any{"reason": "risky"}, mediate.Verdict{}, nil, Reply{}},

		{"an event that gates nothing", "Stop", map[string]any{"tool_name": nil, "tool_input": nil, "tool_use_id": nil}, mediate.Verdict{}, nil, Reply{}},
		{"a member that is new", "PreToolUse", map[string]any{"new": []any{1}}, sealed(policy.Allow, ""), nil, Reply{}},
		{"a tool that is new", "PreToolUse", map[string]any{"tool_name": "Brandnew"}, sealed(policy.Ask, asks), nil, ask},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Claude(t.Context(), strings.NewReader(event(c.event, c.more)), &monitor{verdict: c.verdict, err: c.err}, Options{})
			if diff := cmp.Diff(text(c.want), text(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// text is a reply for reading.
func text(r Reply) string {
	return fmt.Sprintf("exit %d\nstdout %s\nstderr %s", r.Exit, r.Stdout, r.Stderr)
}

// What cannot be read in exactly one way is refused, and nobody is asked about it.
func TestSafetyClaudeRefusesWhatItCannotRead(t *testing.T) {
	good := event("PreToolUse", nil)
	for name, in := range map[string]string{
		"nothing":                     "",
		"blanks":                      " \n",
		"cut off":                     good[:len(good)-1],
		"two values":                  good + good,
		"no object":                   `["PreToolUse"]`,
		"null":                        "null",
		"not UTF-8":                   strings.Replace(good, "npm install", "npm \xff", 1),
		"half a surrogate":            strings.Replace(good, "npm install", `npm \ud800`, 1),
		"byte order mark":             "\ufeff" + good,
		"a comment":                   "/**/" + good,
		"a member twice":              strings.Replace(good, `{`, `{"tool_name":"Read",`, 1),
		"a member of the input twice": strings.Replace(good, `"command":`, `"command":"ls","command":`, 1),
		"deep in what is not read":    strings.Replace(good, `{`, `{"new":{"a":1,"a":2},`, 1),
		"too deep":                    strings.Replace(good, `{`, `{"new":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+",", 1),
		"no event":                    strings.Replace(good, `"hook_event_name":"PreToolUse",`, "", 1),
		"event in other letters":      strings.Replace(good, "hook_event_name", "Hook_Event_Name", 1),
		"an unknown event":            event("PreEverything", nil),
		"an event of another case":    event("preToolUse", nil),
		"event of another type":       event("PreToolUse", map[string]any{"hook_event_name": 1}),
		"no session":                  event("PreToolUse", map[string]any{"session_id": nil}),
		"session of another type":     event("PreToolUse", map[string]any{"session_id": 1}),
		"no folder":                   event("PreToolUse", map[string]any{"cwd": nil}),
		"folder that is not absolute": event("PreToolUse", map[string]any{"cwd": "shop"}),
		"no tool":                     event("PreToolUse", map[string]any{"tool_name": nil}),
		"no input":                    event("PreToolUse", map[string]any{"tool_input": nil}),
		"input that is text":          event("PreToolUse", map[string]any{"tool_input": `{"command":"ls"}`}),
		"input that is null":          strings.Replace(good, `{"command":"npm install","description":"d"}`, "null", 1),
		"no call":                     event("PreToolUse", map[string]any{"tool_use_id": nil}),
	} {
		t.Run(name, func(t *testing.T) {
			m := &monitor{verdict: sealed(policy.Allow, "")}
			r := Claude(t.Context(), strings.NewReader(in), m, Options{})
			checkRefused(t, r)
			if len(m.decided)+len(m.prompted)+len(m.ran) > 0 {
				t.Error("the monitor was asked about what could not be read")
			}
		})
	}
	t.Run("too large", func(t *testing.T) {
		checkRefused(t, Claude(t.Context(), io.LimitReader(blanks{}, maxInput+10), &monitor{verdict: sealed(policy.Allow, "")}, Options{Deadline: time.Minute}))
	})
	t.Run("broken pipe", func(t *testing.T) {
		checkRefused(t, Claude(t.Context(), io.MultiReader(strings.NewReader(good), broken{}), &monitor{verdict: sealed(policy.Allow, "")}, Options{}))
	})
}

type blanks struct{}

func (blanks) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte(" "), len(p))), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("input/output error") }

// checkRefused: in each of the ways that Claude Code listens to, with the next step.
func checkRefused(t *testing.T, r Reply) {
	t.Helper()
	var out struct {
		System   string `json:"systemMessage"`
		Specific struct{ HookEventName, PermissionDecision, PermissionDecisionReason string }
	}
	var raw struct {
		Specific json.RawMessage `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(r.Stdout, &out); err != nil {
		t.Fatalf("%v in %q", err, r.Stdout)
	}
	if err := json.Unmarshal(r.Stdout, &raw); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw.Specific, &out.Specific); err != nil {
		t.Fatalf("%v in %q", err, r.Stdout)
	}
	if out.Specific.HookEventName != "PreToolUse" || out.Specific.PermissionDecision != "deny" || r.Exit != 2 {
		t.Errorf("exit %d: %s", r.Exit, r.Stdout)
	}
	for _, s := range []string{out.System, out.Specific.PermissionDecisionReason, r.Stderr} {
		if !strings.HasPrefix(s, "ambit denies this call: ") || !strings.Contains(s, "\nNext: ") {
			t.Errorf("no reason with a next step: %q", s)
		}
	}
}

// The whole answer has a deadline: input that does not end, a monitor that does not come back.
func TestSafetyClaudeKeepsItsDeadline(t *testing.T) {
	o := Options{Deadline: 20 * time.Millisecond}
	t.Run("input", func(t *testing.T) {
		in, w := io.Pipe()
		defer w.Close()
		checkRefused(t, Claude(t.Context(), in, &monitor{verdict: sealed(policy.Allow, "")}, o))
	})
	stuck := make(chan struct{})
	defer close(stuck)
	m := &monitor{verdict: sealed(policy.Allow, ""), do: func() { <-stuck }}
	t.Run("monitor", func(t *testing.T) {
		checkRefused(t, Claude(t.Context(), strings.NewReader(event("PreToolUse", nil)), m, o))
	})
	t.Run("prompt", func(t *testing.T) {
		r := Claude(t.Context(), strings.NewReader(event("PermissionRequest", nil)), m, o)
		if !strings.Contains(string(r.Stdout), `"decision":{"behavior":"deny","message":"ambit denies this call: it had no answer within`) || r.Exit != 2 {
			t.Error(text(r))
		}
	})
	t.Run("outcome", func(t *testing.T) {
		r := Claude(t.Context(), strings.NewReader(event("PostToolUse", nil)), m, o)
		if !strings.HasPrefix(string(r.Stdout), `{"systemMessage":"ambit: the outcome of this call is not sealed: it had no answer within`) || r.Exit != 0 {
			t.Error(text(r))
		}
	})
}

// A defect of ambit's own is a refusal.
func TestSafetyClaudeSurvivesItself(t *testing.T) {
	m := &monitor{verdict: sealed(policy.Allow, ""), do: func() { panic("defect") }}
	checkRefused(t, Claude(t.Context(), strings.NewReader(event("PreToolUse", nil)), m, Options{}))
	checkRefused(t, Claude(t.Context(), strings.NewReader(event("PreToolUse", nil)), nil, Options{}))
	r := Claude(t.Context(), strings.NewReader(event("PostToolUse", nil)), m, Options{})
	if r.Exit != 0 || !strings.Contains(string(r.Stdout), "systemMessage") {
		t.Error(text(r))
	}
}

// The monitor is asked about the call as it stands in the event.
func TestClaudeCall(t *testing.T) {
	input := `{"command":"echo  1.50","description":"d"}`
	in := strings.Replace(event("PreToolUse", map[string]any{"agent_id": "a1", "agent_type": "general-purpose", "permission_mode": "auto", "cwd": "/home/u/shop/./web"}),
		`{"command":"npm install","description":"d"}`, input, 1)
	call := mediate.Call{
		Agent: "claude-code", Session: "s1", Event: "PreToolUse", ID: "toolu_1", Mode: "auto", Subagent: "a1 general-purpose",
		Dir: "/home/u/shop/web", Workspace: "/home/u/shop", Tool: "Bash", Args: []byte(input),
	}
	m := &monitor{}
	Claude(t.Context(), strings.NewReader(in), m, Options{Project: "/home/u/shop/"})
	if diff := cmp.Diff([]mediate.Call{call}, m.decided); diff != "" {
		t.Error(diff)
	}
	for project, want := range map[string]string{
		"": "", "/": "/", "shop": "", "/home/u/shop/web": "/home/u/shop/web", "/home/u/shop/w": "", "/home/u/other": "", "/home/u/shop/web/x": "",
	} {
		m := &monitor{}
		Claude(t.Context(), strings.NewReader(in), m, Options{Project: project})
		if got := m.decided[0].Workspace; got != want {
			t.Errorf("project %q: workspace %q, want %q", project, got, want)
		}
	}
	m = &monitor{}
	Claude(t.Context(), strings.NewReader(event("PreToolUse", map[string]any{"agent_type": "reviewer"})), m, Options{})
	if m.decided[0].Subagent != "" {
		t.Errorf("the agent itself is taken for the subagent %q", m.decided[0].Subagent)
	}
}

func TestClaudeOutcome(t *testing.T) {
	for _, c := range []struct {
		name string
		more map[string]any
		want mediate.Outcome
	}{
		{"PostToolUse", map[string]any{"tool_response": map[string]any{"stdout": "x"}, "duration_ms": 129.5},
			mediate.Outcome{Ran: true, Response: []byte(`{"stdout":"x"}`), Duration: 129.5}},
		{"PostToolUse", map[string]any{"tool_response": "text"}, mediate.Outcome{Ran: true, Response: []byte(`"text"`)}},
		{"PostToolUseFailure", map[string]any{"error": "Exit code 3", "duration_ms": 2, "is_interrupt": true},
			mediate.Outcome{Ran: true, Failed: true, Error: "Exit code 3", Duration: 2}},
		{"PermissionDenied", map[string]any{"reason": "risky"}, mediate.Outcome{Error: "risky"}},
		{"PreSkillShellCommand", nil, mediate.Outcome{Error: "Nobody can be asked before a command of a skill runs, so it does not run."}},
	} {
		m := &monitor{verdict: sealed(policy.Ask, asks)}
		Claude(t.Context(), strings.NewReader(event(c.name, c.more)), m, Options{})
		if diff := cmp.Diff([]mediate.Outcome{c.want}, m.outcomes); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if len(m.ran) != 1 || m.ran[0].ID != "toolu_1" || m.ran[0].Event != c.name {
			t.Errorf("%s: %+v", c.name, m.ran)
		}
	}
}

// Claude Code caps each string of the output at 10,000 UTF-16 units.
func TestClaudeClips(t *testing.T) {
	for _, long := range []string{strings.Repeat("x", 50000), strings.Repeat("😀", 9000), strings.Repeat("\x01", 9000)} {
		for _, k := range []policy.Kind{policy.Deny, policy.Ask} {
			r := Claude(t.Context(), strings.NewReader(event("PreToolUse", nil)), &monitor{verdict: sealed(k, long)}, Options{})
			checkStrings(t, r)
			if !strings.Contains(string(r.Stdout), "(the rest is in the record: ambit log)") {
				t.Error("what is cut does not say so")
			}
		}
	}
}

// checkStrings: standard output is nothing, or one JSON value on one line with strings that are not too long.
func checkStrings(t *testing.T, r Reply) {
	t.Helper()
	if len(r.Stdout) == 0 {
		return
	}
	if bytes.Count(r.Stdout, []byte("\n")) != 1 || !bytes.HasSuffix(r.Stdout, []byte("\n")) || r.Stdout[0] != '{' {
		t.Errorf("standard output is not one line: %q", r.Stdout)
	}
	var v any
	if err := json.Unmarshal(r.Stdout, &v); err != nil {
		t.Errorf("%v in %q", err, r.Stdout)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if n := len(utf16.Encode([]rune(v))); n > 10000 {
				t.Errorf("a string of %d units", n)
			}
		case map[string]any:
			for _, m := range v {
				walk(m)
			}
		}
	}
	walk(v)
}

// Whatever comes in, the answer is one of the forms that Claude Code understands, and only a monitor's sealed yes is a yes.
func FuzzClaude(f *testing.F) {
	for _, name := range []string{"PreToolUse", "PreSkillShellCommand", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PermissionDenied", "Stop", "x"} {
		f.Add([]byte(event(name, map[string]any{"tool_response": "x"})), uint8(2))
	}
	f.Add([]byte("{"), uint8(2))
	f.Add([]byte(`{"hook_event_name":"PreToolUse","hook_event_name":"Stop"}`), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, kind uint8) {
		m := &monitor{verdict: sealed(policy.Kind(kind), "text")}
		r := Claude(t.Context(), bytes.NewReader(in), m, Options{})
		checkStrings(t, r)
		if r.Exit != 0 && r.Exit != 2 || r.Exit == 2 && (r.Stderr == "" || len(r.Stdout) == 0) {
			t.Fatal(text(r))
		}
		if r.Exit == 0 && len(r.Stdout) == 0 && len(m.decided) > 0 && m.verdict.Is != policy.Allow {
			t.Fatalf("no objection where the monitor has one: %s", in)
		}
		var e struct {
			Event string `json:"hook_event_name"`
		}
		if r.Exit == 2 || len(m.decided)+len(m.prompted)+len(m.ran) > 0 {
			return
		}
		if err := json.Unmarshal(in, &e); err != nil {
			t.Fatalf("%s is no JSON, and was not refused: %s", in, text(r))
		}
		if at := momentOf(e.Event); at != noGate && (at != afterTool || len(r.Stdout) == 0) {
			t.Fatalf("nobody looked at %s, and it was not refused: %s", in, text(r))
		}
	})
}
