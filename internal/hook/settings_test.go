package hook

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const bin = "/usr/local/bin/ambit"

// ours is the entry of an event that blocks, and of one that does not.
const (
	oursBlock = `{"matcher": "*", "hooks": [{"type": "command", "command": "/usr/local/bin/ambit", "args": ["hook", "claude-code"], "timeout": 20, "onFailure": "block"}]}`
	oursTell  = `{"matcher": "*", "hooks": [{"type": "command", "command": "/usr/local/bin/ambit", "args": ["hook", "claude-code"], "timeout": 20}]}`
)

// whole is a settings file with only ambit's hooks.
const whole = `{
  "hooks": {
    "PreToolUse": [
      ` + oursBlock + `
    ],
    "PreSkillShellCommand": [
      ` + oursBlock + `
    ],
    "PermissionRequest": [
      ` + oursBlock + `
    ],
    "PostToolUse": [
      ` + oursTell + `
    ],
    "PostToolUseFailure": [
      ` + oursTell + `
    ],
    "PermissionDenied": [
      ` + oursTell + `
    ]
  }
}
`

// others are the lists of all events but the first.
var others = whole[strings.Index(whole, `    "PreSkill`):strings.LastIndex(whole, "\n  }")]

func TestEditClaudeSettings(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		remove         bool
	}{
		{"no file", "", whole, false},
		{"blanks", "\n", whole, false},
		{"empty object", "{}\n", whole, false},
		{"there already", whole, whole, false},
		{"taken out", whole, "{}\n", true},
		{"nothing to take out", `{"model": "x"}`, `{"model": "x"}`, true},
		{"no file to take out of", "", "", true},
		{
			"beside other hooks",
			"{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"lint\"}]}\n    ],\n" + others + "\n  }\n}\n",
			"{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"lint\"}]},\n      " + oursBlock + "\n    ],\n" + others + "\n  }\n}\n",
			false,
		},
		{
			"an older one, and one in a shell",
			strings.Replace(strings.Replace(whole, bin, "/old/ambit", 1), `"PostToolUse": [`, `"PostToolUse": [
      {"hooks": [{"type": "command", "command": "'/x y/ambit' hook claude-code"}, {"type": "command", "command": "mine"}]},`, 1),
			strings.Replace(whole, `"PostToolUse": [`, `"PostToolUse": [
      {"hooks": [{"type": "command", "command": "mine"}]},`, 1),
			false,
		},
		{"a second one", strings.Replace(whole, oursTell, oursTell+", "+oursTell, 1), whole, false},
		{"one that does not block any more", strings.Replace(whole, `, "onFailure": "block"`, "", 1), whole, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := EditClaudeSettings([]byte(c.in), bin, c.remove)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Tabs, Windows line ends, one line: what is added looks like the rest.
func TestEditKeepsLayout(t *testing.T) {
	for _, in := range []string{
		"{\n\t\"a\": 1\n}", "{\r\n    \"a\": 1,\r\n    \"b\": [1,  2]\r\n}\r\n", `{"a":1}`, "{ \"a\": \"\\u00e9\\/\" , \"hooks\": { \"Stop\" : [ ] } }",
		"{\n  \"hooks\": {\n    \"Stop\": []\n  },\n  \"z\": 1e2\n}",
	} {
		out, err := EditClaudeSettings([]byte(in), bin, false)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(in, "\r\n") && strings.Count(string(out), "\n") != strings.Count(string(out), "\r\n") {
			t.Errorf("mixed line ends in %q", out)
		}
		if strings.Contains(in, "\t") && strings.Contains(string(out), "\n ") {
			t.Errorf("blanks among tabs in %q", out)
		}
		if back, err := EditClaudeSettings(out, bin, true); err != nil || string(back) != in {
			t.Errorf("taken out again it is %q, %v; it was %q", back, err, in)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	for name, in := range map[string]string{
		"cut off": `{"a": 1`, "a comment": "{\n// x\n}", "a trailing comma": `{"a": 1,}`, "a name twice": `{"a": 1, "a": 2}`, "a list": "[]",
		"hooks that are a list": `{"hooks": []}`, "an event that is an object": `{"hooks": {"PostToolUse": {}}}`, "two values": "{} {}", "no UTF-8": "{\"a\": \"\xff\"}",
		"hooks that are null": `{"hooks": null}`,
	} {
		for _, remove := range []bool{false, true} {
			if out, err := EditClaudeSettings([]byte(in), bin, remove); err == nil {
				t.Errorf("%s: %q", name, out)
			}
		}
	}
	if out, err := EditClaudeSettings(nil, "ambit", false); err == nil {
		t.Errorf("a program that is looked for on PATH: %q", out)
	}
	if out, err := EditClaudeSettings([]byte(`{"disableAllHooks": true}`), bin, false); !errors.Is(err, ErrHooksOff) || !strings.Contains(string(out), oursBlock) {
		t.Errorf("%v, %q", err, out)
	}
}

// Whatever the settings were: ambit's hooks are in, the rest means what it meant, a second time changes nothing, and taking them out leaves what was there.
func TestEditProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := settings(t)
		out, err := EditClaudeSettings([]byte(text), bin, false)
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if again, err := EditClaudeSettings(out, bin, false); err != nil || string(again) != string(out) {
			t.Fatalf("a second time: %v\n%s\n%s", err, out, again)
		}
		var was, is map[string]any
		for raw, v := range map[string]*map[string]any{text: &was, string(out): &is} {
			if err := json.Unmarshal([]byte(raw), v); err != nil {
				t.Fatalf("%v in %s", err, raw)
			}
		}
		for _, event := range claudeEvents() {
			list := is["hooks"].(map[string]any)[event].([]any)
			last, _ := json.Marshal(list[len(list)-1])
			if !isWanted(last, claudeWants(event, bin)) {
				t.Fatalf("%s has no entry in %s", event, out)
			}
			is["hooks"].(map[string]any)[event] = list[:len(list)-1]
		}
		if diff := cmp.Diff(tidy(was), tidy(is)); diff != "" {
			t.Fatal(diff)
		}
		back, err := EditClaudeSettings(out, bin, true)
		if err != nil {
			t.Fatal(err)
		}
		var left map[string]any
		if err := json.Unmarshal(back, &left); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tidy(was), tidy(left)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// tidy drops lists of hooks that are empty, which mean nothing.
func tidy(m map[string]any) map[string]any {
	hooks, _ := m["hooks"].(map[string]any)
	for event, list := range hooks {
		if l, ok := list.([]any); ok && len(l) == 0 {
			delete(hooks, event)
		}
	}
	if len(hooks) == 0 {
		delete(m, "hooks")
	}
	return m
}

// settings draws a settings file in some layout.
func settings(t *rapid.T) string {
	blank := rapid.SampledFrom([]string{"", " ", "\n", "\n    ", "\r\n\t"})
	comma := func(items []string) string {
		s := ""
		for i, item := range items {
			if i > 0 {
				s += blank.Draw(t, "blank") + ","
			}
			s += blank.Draw(t, "blank") + item
		}
		return s + blank.Draw(t, "blank")
	}
	group := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{
			`{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}`, `{"hooks":[]}`, `{}`, `{"hooks": [{"type": "http", "url": "http://127.0.0.1/"}, {"type": "prompt"}]}`,
		}).Draw(t, "group")
	})
	var members []string
	for _, m := range []string{`"model": "x\n\u00e9"`, `"env": {"A": "}", "B": "{"}`, `"n": [1, 2.50, null, true, [[]]]`} {
		if rapid.Bool().Draw(t, "member") {
			members = append(members, m)
		}
	}
	if rapid.Bool().Draw(t, "hooks") {
		var events []string
		for _, e := range append(claudeEvents(), "Stop") {
			if rapid.Bool().Draw(t, e) {
				events = append(events, `"`+e+`": [`+comma(rapid.SliceOfN(group, 0, 3).Draw(t, "groups"))+"]")
			}
		}
		at := rapid.IntRange(0, len(members)).Draw(t, "at")
		members = append(members[:at:at], append([]string{`"hooks": {` + comma(events) + "}"}, members[at:]...)...)
	}
	return blank.Draw(t, "blank") + "{" + comma(members) + "}" + blank.Draw(t, "blank")
}
