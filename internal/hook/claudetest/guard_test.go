//go:build linux

package claudetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shop is a project whose postinstall script writes a file and tells a host about it.
const shop = `
-- package.json --
{"name": "shop", "version": "1.0.0", "scripts": {"postinstall": "node scripts/setup.js"}}
-- scripts/setup.js --
const fs = require('fs')
const https = require('https')

fs.writeFileSync('config.json', '{}')
https.get('https://telemetry.example.com/installed')
-- a.txt --
hi
-- web/b.txt --
bee
`

func bash(command string) Call {
	return Call{"Bash", map[string]any{"command": command, "description": "x"}}
}

// want is what the model is told about a call: whether it is an error, and texts that are in it.
type want struct {
	failed bool
	texts  []string
}

func checkResults(t *testing.T, got []Result, wants []want) {
	t.Helper()
	if len(got) != len(wants) {
		t.Fatalf("the model received %d results, want %d: %+v", len(got), len(wants), got)
	}
	for i, w := range wants {
		if got[i].Error != w.failed {
			t.Errorf("call %d: failed %t, want %t: %s", i, got[i].Error, w.failed, got[i].Text)
		}
		for _, text := range w.texts {
			if !strings.Contains(got[i].Text, text) {
				t.Errorf("call %d: %q is not in\n%s", i, text, got[i].Text)
			}
		}
	}
}

// Claude Code asks before npm install runs what the project adds, lets an edit inside the workspace through, and is denied when it
// edits its own hook settings, in whichever mode it runs. Nobody is there to be asked, so what is asked does not run. Each decision is in the log,
// with who answered.
func TestHeadless(t *testing.T) {
	for mode, args := range map[string][]string{
		"allowed tools": {"--allowedTools", "Bash,Edit,Write,mcp__notes__note"},
		"accept edits":  {"--permission-mode", "acceptEdits", "--allowedTools", "Bash,mcp__notes__note"},
		"bypass":        {"--permission-mode", "bypassPermissions"},
	} {
		t.Run(mode, func(t *testing.T) {
			a := guarded(t, shop, args...)
			a.addServer(t)
			settings := filepath.Join(a.Dir, ".claude", "settings.json")
			before := read(t, settings)
			m := model(t, Script{Calls: []Call{
				bash("npm install"),
				{"Read", map[string]any{"file_path": filepath.Join(a.Dir, "a.txt")}},
				{"Edit", map[string]any{"file_path": filepath.Join(a.Dir, "a.txt"), "old_string": "hi", "new_string": "ho"}},
				{"Read", map[string]any{"file_path": settings}},
				{"Edit", map[string]any{"file_path": settings, "old_string": "block", "new_string": "continue", "replace_all": true}},
				{"Write", map[string]any{"file_path": settings, "content": "{}"}},
				bash("echo '{}' > .claude/settings.json"),
				bash("cd web"),
				bash("ls"),
				{"mcp__notes__note", map[string]any{"path": filepath.Join(a.Dir, "noted")}},
			}})
			if _, err := a.Run(t.Context(), m, "do it"); err != nil {
				t.Fatal(err)
			}
			denied := want{true, []string{"ambit denies ", "which says what agents may do and which hooks they run"}}
			checkResults(t, m.Results(""), []want{
				{true, []string{
					"ambit asks about `npm install`: it adds file and network to what you see.",
					"telemetry.example.com", "scripts/setup.js:5", "config.json", "scripts/setup.js:4",
				}},
				{false, nil}, {false, nil}, {false, nil}, denied, denied, denied, {false, nil},
				{false, []string{"b.txt"}},
				{true, []string{"ambit asks about ", "notes"}},
			})
			if read(t, settings) != before {
				t.Error("the agent has changed its own hook settings")
			}
			if got := read(t, filepath.Join(a.Dir, "a.txt")); got != "ho\n" {
				t.Errorf("the edit inside the workspace did not pass: %q", got)
			}
			for _, name := range []string{"config.json", "package-lock.json", "node_modules", "noted"} {
				if exists(filepath.Join(a.Dir, name)) {
					t.Errorf("%s is there: what was asked about ran", name)
				}
			}
			entries := a.log(t)
			if diff := cmp.Diff([]string{
				"intent Bash: ask, ask by agent-prompt claude-code",
				"intent Read: pass-through, allow by rule within-explicit-view",
				"outcome Read of entry 1: ran true, by agent-rules claude-code",
				"intent Edit: pass-through, allow by rule within-explicit-view",
				"outcome Edit of entry 3: ran true, by agent-rules claude-code",
				"intent Read: pass-through, allow by rule within-explicit-view",
				"outcome Read of entry 5: ran true, by agent-rules claude-code",
				"intent Edit: local-denial, deny by rule invariant/agent-settings",
				"intent Write: local-denial, deny by rule invariant/agent-settings",
				"intent Bash: local-denial, deny by rule invariant/agent-settings",
				"intent Bash: pass-through, allow by rule within-explicit-view",
				"outcome Bash of entry 10: ran true, by agent-rules claude-code",
				"intent Bash: pass-through, allow by rule within-explicit-view",
				"outcome Bash of entry 12: ran true, by agent-rules claude-code",
				"intent mcp__notes__note: ask, ask by agent-prompt claude-code",
			}, lines(entries)); diff != "" {
				t.Error(diff)
			}
			if first := m.Results("")[0]; entries[0].Body.Shown.Text != first.Text {
				t.Errorf("sealed as shown: %q, shown: %q", entries[0].Body.Shown.Text, first.Text)
			}
			if got := entries[12].Body.Base.Workspace; got != a.Dir {
				t.Errorf("the workspace of a call in a folder below is %q", got)
			}
			if outside := m.Outside(); len(outside) > 0 {
				t.Errorf("something wanted to reach %q", outside)
			}
		})
	}
}

// addServer gives the project an MCP server with the tool mcp__notes__note.
func (a *Agent) addServer(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"notes": map[string]any{"command": self, "args": []string{"mcp-server"}}}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(a.Dir, ".mcp.json"), string(config))
	write(t, filepath.Join(a.Home, ".claude", "settings.json"), `{"enableAllProjectMcpServers": true}`)
}

// In a terminal the person sees the effects with their sources, and the answer decides. The record has the prompt and the outcome.
func TestTerminalQuestion(t *testing.T) {
	calls := map[string]Call{
		"shell": bash("sh web/build.sh"),
		"mcp":   {"mcp__notes__note", map[string]any{"path": "made"}},
	}
	for _, c := range []struct {
		call, mode, key string
		sees            []string
		runs            bool
	}{
		{"shell", "default", "1", []string{"it adds file", "web/build.sh:1"}, true},
		{"shell", "default", "2", []string{"it adds file", "web/build.sh:1"}, false},
		{"shell", "bypassPermissions", "1", []string{"it adds file", "web/build.sh:1"}, true},
		{"mcp", "default", "1", []string{"unknown"}, true},
	} {
		t.Run(c.call+" "+c.mode+" "+c.key, func(t *testing.T) {
			a := guarded(t, shop, "--permission-mode", c.mode)
			a.addServer(t)
			write(t, filepath.Join(a.Dir, "web", "build.sh"), "touch made\n")
			m := model(t, Script{Calls: []Call{calls[c.call]}})
			term, err := a.Start(m, "do it")
			if err != nil {
				t.Fatal(err)
			}
			defer term.Close()
			if _, err := term.Wait(t.Context(), append(c.sees, "ambit asks about", "The record: ambit log show ", "1. Yes")...); err != nil {
				t.Fatal(err)
			}
			if err := a.waitFor(t, "prompt"); err != nil {
				t.Fatal(err)
			}
			if err := term.Type(c.key); err != nil {
				t.Fatal(err)
			}
			after, tool := "Interrupted", calls[c.call].Tool
			want := []string{"intent " + tool + ": ask, ask by agent-prompt claude-code", "prompt " + tool + " of entry 0"}
			if c.runs {
				after, want = "● done", append(want, "outcome "+tool+" of entry 0: ran true, by agent-prompt claude-code")
			}
			if _, err := term.Wait(t.Context(), after); err != nil {
				t.Fatal(err)
			}
			if exists(filepath.Join(a.Dir, "made")) != c.runs {
				t.Errorf("it ran: %t, want %t", !c.runs, c.runs)
			}
			if diff := cmp.Diff(want, lines(a.log(t))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A subagent is asked about as the agent is, and named in the record.
func TestSubagent(t *testing.T) {
	a := guarded(t, shop, "--permission-mode", "bypassPermissions")
	m := model(t, Script{When: "the part", Calls: []Call{bash("touch made")}}, Script{Calls: []Call{
		{"Agent", map[string]any{"description": "d", "prompt": "the part", "subagent_type": "general-purpose", "run_in_background": false}},
	}})
	if _, err := a.Run(t.Context(), m, "do it"); err != nil {
		t.Fatal(err)
	}
	checkResults(t, m.Results("the part"), []want{{true, []string{"ambit asks about `touch made`: it adds file"}}})
	if exists(filepath.Join(a.Dir, "made")) {
		t.Error("what was asked about ran")
	}
	entries := a.log(t)
	if diff := cmp.Diff([]string{
		"intent Agent: pass-through, allow by rule within-explicit-view",
		"intent Bash: ask, ask by agent-prompt claude-code",
		"outcome Agent of entry 0: ran true, by agent-rules claude-code",
	}, lines(entries)); diff != "" {
		t.Fatal(diff)
	}
	if got := entries[1].Body.Base.Subagent; !strings.HasSuffix(got, " general-purpose") {
		t.Errorf("the subagent is %q", got)
	}
}

// A command in the text of a skill runs before the model sees anything, and nobody is asked: it runs only if there is nothing to ask.
func TestSkill(t *testing.T) {
	for command, line := range map[string]string{
		"ls web":                         "intent Bash: pass-through, allow by rule within-explicit-view",
		"touch made":                     "intent Bash: ask, ask by agent-prompt claude-code",
		"echo > .claude/settings.json":   "intent Bash: local-denial, deny by rule invariant/agent-settings",
		"cat web/b.txt; touch made; env": "intent Bash: ask, ask by agent-prompt claude-code",
	} {
		t.Run(command, func(t *testing.T) {
			a := guarded(t, shop, "--permission-mode", "bypassPermissions")
			write(t, filepath.Join(a.Dir, ".claude", "commands", "greet.md"), "---\nallowed-tools: Bash(*)\n---\nSaid: !`"+command+"`\n")
			before := read(t, filepath.Join(a.Dir, ".claude", "settings.json"))
			m := model(t, Script{})
			if _, err := a.Run(t.Context(), m, "/greet"); err != nil {
				t.Fatal(err)
			}
			if exists(filepath.Join(a.Dir, "made")) || read(t, filepath.Join(a.Dir, ".claude", "settings.json")) != before {
				t.Error("it ran")
			}
			entries := a.log(t)
			if got := entries[0].line(); got != line || entries[0].Body.Base.Event != "PreSkillShellCommand" {
				t.Errorf("%s at %s, want %s", got, entries[0].Body.Base.Event, line)
			}
			if strings.Contains(line, "ask") && (len(entries) != 2 || entries[1].Kind != "outcome" || entries[1].Body.Ran) {
				t.Errorf("that it did not run is not in the record: %q", lines(entries))
			}
		})
	}
}
