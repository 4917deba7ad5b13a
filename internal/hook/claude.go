package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync/atomic"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ambit-dev/ambit/internal/mediate"
	"github.com/ambit-dev/ambit/policy"
)

// claudeAgent is the agent's name in actions and records.
const claudeAgent = "claude-code"

// moment is what an event of Claude Code is for ambit. The zero value is one that ambit does not know, and refuses.
type moment uint8

const (
	unknownMoment moment = iota
	beforeTool           // PreToolUse: a tool is about to run, and a person can be asked
	beforeSkill          // PreSkillShellCommand: a shell command of a skill is about to run; an ask there is a refusal
	atPrompt             // PermissionRequest: the agent asks its person
	afterTool            // the call is over
	noGate               // nothing depends on a hook's answer
)

// momentOf knows the events of the hook interface (@anthropic-ai/claude-agent-sdk 0.3.332, HOOK_EVENTS).
func momentOf(event string) moment {
	switch event {
	case "PreToolUse":
		return beforeTool
	case "PreSkillShellCommand":
		return beforeSkill
	case "PermissionRequest":
		return atPrompt
	case "PostToolUse", "PostToolUseFailure", "PermissionDenied":
		return afterTool
	case "PostToolBatch", "Notification", "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure",
		"SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "Setup", "TeammateIdle",
		"TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange", "WorktreeCreate", "WorktreeRemove",
		"InstructionsLoaded", "CwdChanged", "FileChanged", "DirectoryAdded", "MessageDisplay":
		return noGate
	}
	return unknownMoment
}

// claudeEvent is what a hook of Claude Code gets on standard input, as far as ambit reads it.
type claudeEvent struct {
	Event     string         `json:"hook_event_name"`
	Session   string         `json:"session_id"`
	Dir       string         `json:"cwd"`
	Mode      string         `json:"permission_mode"`
	Agent     string         `json:"agent_id"`
	AgentType string         `json:"agent_type"`
	Tool      string         `json:"tool_name"`
	Input     jsontext.Value `json:"tool_input"`
	Call      string         `json:"tool_use_id"`
	Response  jsontext.Value `json:"tool_response"`
	Error     string         `json:"error"`
	Reason    string         `json:"reason"`
	Duration  float64        `json:"duration_ms"`
}

// Claude answers one event of Claude Code. It always answers, and within the deadline: an input that does not end, a lock that
// somebody holds, and a defect of ambit's own all end in the safe form.
func Claude(ctx context.Context, in io.Reader, m Monitor, o Options) Reply {
	if o.Deadline == 0 {
		o.Deadline = deadline
	}
	ctx, cancel := context.WithTimeout(ctx, o.Deadline)
	defer cancel()
	c := claude{monitor: m, options: o}
	done := make(chan Reply, 1) // has room, so that an answer that comes too late can be left behind
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- c.safe(fmt.Sprintf("it failed: %v", r), "please report this, with what was asked for")
			}
		}()
		done <- c.answer(ctx, in)
	}()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
		return c.safe(fmt.Sprintf("it had no answer within %s", o.Deadline),
			"try again; if it stays so, see whether another process holds the lock of the log, and whether its disk is slow")
	}
}

type claude struct {
	monitor Monitor
	options Options
	event   atomic.Pointer[string] // the event's name once it is known: each event has a safe form of its own
}

func (c *claude) answer(ctx context.Context, in io.Reader) Reply {
	e, err := readClaude(in)
	if err != nil {
		return c.safe("its input cannot be read: "+oneLine(err), "look for a newer ambit (ambit version), and report this if there is none")
	}
	c.event.Store(&e.Event)
	at := momentOf(e.Event)
	switch at {
	case noGate:
		return Reply{}
	case unknownMoment:
		return c.safe(fmt.Sprintf("it does not know the event %q", clip(e.Event, "")),
			"take ambit out of the hooks for this event (ambit setup claude-code sets those that it knows), or look for a newer ambit")
	}
	call, err := e.call(at, c.options.Project)
	if err != nil {
		return c.safe("its input is not complete: "+oneLine(err), "look for a newer ambit (ambit version), and report this if there is none")
	}
	switch at {
	case beforeTool:
		return c.before(c.monitor.Decide(ctx, call))
	case beforeSkill:
		return c.beforeSkill(ctx, call)
	case atPrompt:
		return c.prompted(c.monitor.Prompted(ctx, call))
	case afterTool:
		return c.after(ctx, call, e.outcome())
	}
	return c.safe("it has no answer for this event", "please report this")
}

// readClaude reads one event, strictly: what two readers could read in two ways is an error.
func readClaude(in io.Reader) (*claudeEvent, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxInput {
		return nil, fmt.Errorf("it has more than %d bytes", maxInput)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("it is empty")
	}
	e := new(claudeEvent)
	if err := jsonv2.Unmarshal(data, e); err != nil {
		return nil, err
	}
	if e.Event == "" {
		return nil, errors.New("it names no event")
	}
	return e, nil
}

// call is what the monitor is asked about.
func (e *claudeEvent) call(at moment, project string) (mediate.Call, error) {
	for _, m := range []struct {
		name    string
		missing bool
	}{
		{"session_id", e.Session == ""},
		{"cwd", !path.IsAbs(e.Dir)},
		{"tool_name", e.Tool == ""},
		{"tool_input", e.Input.Kind() != '{'},
		{"tool_use_id", e.Call == "" && at != atPrompt}, // a PermissionRequest has none
	} {
		if m.missing {
			return mediate.Call{}, fmt.Errorf("%s is missing, or not what it must be", m.name)
		}
	}
	call := mediate.Call{
		Agent: claudeAgent, Session: e.Session, Event: e.Event, ID: e.Call, Mode: e.Mode,
		Dir: path.Clean(e.Dir), Tool: e.Tool, Args: e.Input,
	}
	// A session that was started as a kind of agent has the kind alone, and is no subagent.
	if e.Agent != "" {
		call.Subagent = strings.TrimSpace(e.Agent + " " + e.AgentType)
	}
	if path.IsAbs(project) && within(call.Dir, path.Clean(project)) {
		call.Workspace = path.Clean(project)
	}
	return call, nil
}

// within tells whether a folder is another one, or below it. Both are clean.
func within(dir, base string) bool {
	return dir == base || base == "/" || strings.HasPrefix(dir, base+"/")
}

func (e *claudeEvent) outcome() mediate.Outcome {
	o := mediate.Outcome{Duration: e.Duration}
	switch e.Event {
	case "PostToolUse":
		o.Ran, o.Response = true, e.Response
	case "PostToolUseFailure":
		o.Ran, o.Failed, o.Error = true, true, e.Error
	default: // PermissionDenied
		o.Error = e.Reason
	}
	return o
}

// objection is what a verdict lets happen: a yes or a question only where it is sealed.
func objection(v mediate.Verdict) policy.Kind {
	if !v.Sealed || v.Is > policy.Allow {
		return policy.Deny
	}
	return v.Is
}

func (c *claude) before(v mediate.Verdict) Reply {
	switch objection(v) {
	case policy.Allow:
		return Reply{} // no objection: the agent's own rules and questions hold, which an "allow" would switch off
	case policy.Ask:
		return c.print(claudeOutput{Specific: claudeSpecific{
			Event: "PreToolUse", Decision: "ask", Reason: clip(v.Text, "ambit asks about this call."),
		}})
	}
	return c.refuse(clip(v.Text, "ambit denies this call."))
}

// beforeSkill answers where nobody can be asked: a question keeps the command from running, and that is recorded.
func (c *claude) beforeSkill(ctx context.Context, call mediate.Call) Reply {
	v := c.monitor.Decide(ctx, call)
	switch objection(v) {
	case policy.Allow:
		return Reply{}
	case policy.Ask:
		const why = "Nobody can be asked before a command of a skill runs, so it does not run."
		text := clip(v.Text, "ambit asks about this command.") + "\n" + why
		if err := c.monitor.Ran(ctx, call, mediate.Outcome{Error: why}); err != nil {
			text += "\nThat is not in the record: " + oneLine(err)
		}
		return c.refuse(clip(text, ""))
	}
	return c.refuse(clip(v.Text, "ambit denies this command."))
}

func (c *claude) prompted(v mediate.Verdict) Reply {
	if objection(v) == policy.Deny {
		return c.refuse(clip(v.Text, "ambit denies this call."))
	}
	return Reply{} // the person answers
}

// after records an outcome. Nothing can be blocked any more, so a failure is told to the person.
func (c *claude) after(ctx context.Context, call mediate.Call, o mediate.Outcome) Reply {
	if err := c.monitor.Ran(ctx, call, o); err != nil {
		return c.tell(clip(fmt.Sprintf("ambit: the outcome of this call is not sealed as it should be: %s.\nNext: ambit log verify", strings.TrimRight(oneLine(err), ".")), ""))
	}
	return Reply{}
}

// safe is the answer where ambit has none of its own.
func (c *claude) safe(why, next string) Reply {
	text := clip("ambit denies this call: "+why+".\nNext: "+next+".", "")
	if name := c.event.Load(); name != nil && momentOf(*name) == afterTool {
		return c.tell(clip("ambit: the outcome of this call is not sealed: "+why+".\nNext: "+next+".", ""))
	}
	return c.refuse(text)
}

// claudeOutput is the standard output of a hook.
type claudeOutput struct {
	System   string `json:"systemMessage,omitzero"`
	Specific any    `json:"hookSpecificOutput,omitzero"`
}

type claudeSpecific struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason"`
}

type claudeAnswer struct {
	Event    string         `json:"hookEventName"`
	Decision claudeBehavior `json:"decision"`
}

type claudeBehavior struct {
	Behavior string `json:"behavior"`
	Message  string `json:"message"`
}

// refuse says no in every way that Claude Code listens to, since each alone has a version or a case in which it is not heard: the
// decision on standard output, the reason on standard error, and exit code 2. The reason goes to the model, of which a person
// sees the first row; the system message is what the person reads.
func (c *claude) refuse(text string) Reply {
	var specific any = claudeSpecific{"PreToolUse", "deny", text}
	if name := c.event.Load(); name != nil {
		switch momentOf(*name) {
		case beforeSkill:
			specific = claudeSpecific{*name, "deny", text}
		case atPrompt:
			specific = claudeAnswer{*name, claudeBehavior{"deny", text}}
		}
	}
	r := c.print(claudeOutput{System: text, Specific: specific})
	r.Stderr, r.Exit = text+"\n", 2
	return r
}

// tell has something to say and nothing to decide.
func (c *claude) tell(text string) Reply { return c.print(claudeOutput{System: text}) }

// print makes the output whole, so that it can be written at once: Claude Code takes cut-off JSON for no objection.
func (c *claude) print(o claudeOutput) Reply {
	out, err := jsonv2.Marshal(o)
	if err != nil {
		return Reply{Stderr: "ambit denies this call: its answer cannot be written: " + oneLine(err) + "\n", Exit: 2}
	}
	return Reply{Stdout: append(out, '\n')}
}
