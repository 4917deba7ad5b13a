package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// claudeHandler is one program that Claude Code starts at an event. With args it is started directly, without a shell.
type claudeHandler struct {
	Type      string   `json:"type"`
	Command   string   `json:"command"`
	Args      []string `json:"args"`
	Timeout   int      `json:"timeout"` // seconds
	OnFailure string   `json:"onFailure,omitzero"`
}

type claudeGroup struct {
	Matcher string          `json:"matcher"`
	Hooks   []claudeHandler `json:"hooks"`
}

// claudeEvents are the events that ambit wants, in the order in which they happen.
func claudeEvents() []string {
	return []string{"PreToolUse", "PreSkillShellCommand", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PermissionDenied"}
}

// claudeTimeout is in seconds, and well above the deadline of an answer: where Claude Code gives up first, it has its own way.
const claudeTimeout = 20

// claudeWants is the entry for one event. The matcher is every tool: one that ambit does not know is an unknown, which is asked
// about, and not one that nobody looks at. Where a call is to be decided, a hook that does not run, is killed or says nothing that
// can be read blocks (onFailure, Claude Code 2.1.295 and later; earlier ones do not read it).
func claudeWants(event, binary string) claudeGroup {
	h := claudeHandler{Type: "command", Command: binary, Args: []string{"hook", claudeAgent}, Timeout: claudeTimeout}
	switch momentOf(event) {
	case beforeTool, beforeSkill, atPrompt:
		h.OnFailure = "block"
	}
	return claudeGroup{"*", []claudeHandler{h}}
}

// ClaudeSettings is what stands in a settings.json of Claude Code to have it ask this program.
func ClaudeSettings(binary string) ([]byte, error) {
	return EditClaudeSettings(nil, binary, false)
}

// ErrHooksOff means that a settings file has hooks and switches them off.
var ErrHooksOff = errors.New("it has disableAllHooks, so no hook runs")

// EditClaudeSettings puts ambit's hooks into a settings.json, or takes them out. Everything else stays as it is, byte for byte. No
// text is no file. With hooks that are right already the text comes back unchanged. With ErrHooksOff there is a text, too.
func EditClaudeSettings(text []byte, binary string, remove bool) ([]byte, error) {
	if !path.IsAbs(binary) {
		return nil, fmt.Errorf("the program %q is not an absolute path", binary)
	}
	if len(strings.TrimSpace(string(text))) == 0 {
		if remove {
			return text, nil
		}
		text = []byte("{}\n")
	}
	for _, event := range claudeEvents() {
		want := claudeWants(event, binary)
		written, err := jsonv2.Marshal(want, jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
		if err == nil {
			text, err = takeOut(text, event, want, string(written), remove)
		}
		if err == nil && !remove {
			text, err = putIn(text, event, want, string(written))
		}
		if err != nil {
			return nil, err
		}
	}
	var off struct {
		All bool `json:"disableAllHooks"`
	}
	if json.Unmarshal(text, &off) == nil && off.All && !remove {
		return text, ErrHooksOff
	}
	return text, nil
}

// claudeHooks finds the "hooks" of a settings file and the list of one event. What is not there has no children.
func claudeHooks(text []byte, event string) (root, hooks, list node, err error) {
	if root, err = parseJSON(text); err != nil {
		return
	}
	if root.kind != '{' {
		return root, hooks, list, errors.New("it is not a JSON object")
	}
	hooks, there := root.member("hooks")
	if there && hooks.kind != '{' {
		return root, hooks, list, errors.New(`its "hooks" is not an object`)
	}
	list, there = hooks.member(event)
	if there && list.kind != '[' {
		return root, hooks, list, fmt.Errorf("its list of hooks for %s is not an array", event)
	}
	return root, hooks, list, nil
}

// takeOut removes the handlers of ambit from an event; unless all are to go, not a group that is as it should be, and one that is
// outdated becomes that. Groups, lists and the "hooks" that become empty go too.
func takeOut(text []byte, event string, want claudeGroup, written string, all bool) ([]byte, error) {
	for {
		root, hooks, list, err := claudeHooks(text, event)
		if err != nil {
			return nil, err
		}
		right := firstWanted(text, list, want)
		if all {
			right = -1
		}
		group, handler := findOurs(text, list, right)
		if group < 0 {
			return text, nil
		}
		handlers, _ := list.children[group].member("hooks")
		switch {
		case len(handlers.children) > 1:
			text = cut(text, handlers, handler)
		case !all && right < 0:
			text = splice(text, list.children[group].start, list.children[group].end, written)
		case len(list.children) > 1:
			text = cut(text, list, group)
		case len(hooks.children) > 1:
			text = cut(text, hooks, indexOf(hooks, event))
		default:
			text = cut(text, root, indexOf(root, "hooks"))
		}
	}
}

// firstWanted finds the group that is as it should be, -1 for none.
func firstWanted(text []byte, list node, want claudeGroup) int {
	return slices.IndexFunc(list.children, func(n node) bool { return isWanted(text[n.start:n.end], want) })
}

// findOurs finds a handler of ambit in another group than the one that stays, -1 for none.
func findOurs(text []byte, list node, stays int) (group, handler int) {
	for g, n := range list.children {
		handlers, _ := n.member("hooks")
		for h, hn := range handlers.children {
			if g != stays && isOurs(text[hn.start:hn.end]) {
				return g, h
			}
		}
	}
	return -1, -1
}

func isWanted(raw []byte, want claudeGroup) bool {
	wanted, err := json.Marshal(want)
	if err != nil {
		return false
	}
	var a, b any
	return json.Unmarshal(raw, &a) == nil && json.Unmarshal(wanted, &b) == nil && reflect.DeepEqual(a, b)
}

// isOurs tells whether a handler starts ambit's hook, from whichever place: an older one has another path.
func isOurs(raw []byte) bool {
	var h claudeHandler
	if json.Unmarshal(raw, &h) != nil || h.Type != "command" {
		return false
	}
	words := append(strings.Fields(h.Command), h.Args...)
	n := len(words)
	if n < 3 || words[n-2] != "hook" || words[n-1] != claudeAgent {
		return false
	}
	name := path.Base(strings.Trim(words[n-3], `"'`))
	return name == "ambit" || strings.HasPrefix(name, "ambit-") || strings.HasPrefix(name, "ambit.")
}

func indexOf(parent node, name string) int {
	return slices.IndexFunc(parent.children, func(c node) bool { return c.name == name })
}

// putIn adds the entry for one event, unless it is there.
func putIn(text []byte, event string, want claudeGroup, written string) ([]byte, error) {
	for {
		root, hooks, list, err := claudeHooks(text, event)
		switch {
		case err != nil:
			return nil, err
		case hooks.kind == 0:
			text = add(text, root, "hooks", "{}")
		case list.kind == 0:
			text = add(text, hooks, event, "[]")
		case firstWanted(text, list, want) >= 0:
			return text, nil
		default:
			text = add(text, list, "", written)
		}
	}
}
