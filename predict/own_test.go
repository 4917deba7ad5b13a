package predict_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/effect"
)

// TestSafetyAmbitItself: commands of ambit that only tell something are ordinary; the others change what agents are judged by.
func TestSafetyAmbitItself(t *testing.T) {
	const (
		state    = "/home/user/.local/state/ambit"
		settings = "/home/user/.claude/settings.json"
	)
	for _, c := range []struct {
		command string
		writes  []string // each lies in an effect that writes
	}{
		{"ambit plan -- npm install", nil}, {"ambit plan -c 'rm -rf /'", nil}, {"ambit plan --json --tool Write --input '{}'", nil}, {"ambit version", nil},
		{"ambit man", nil}, {"ambit completion bash", nil}, {"ambit log", nil}, {"ambit log list --json", nil}, {"ambit log show 41", nil},
		{"ambit log verify", nil}, {"ambit log export --format in-toto", nil}, {"ambit --help", nil}, {"ambit", nil},
		{"ambit hook claude-code --settings", nil}, {"ambit setup claude-code --dry-run", nil}, {"/usr/bin/env ambit log list", nil},
		{"ambit try", []string{"/tmp/ambit-try-1/x"}},
		{"ambit hook claude-code", []string{state + "/log/checkpoint", "/home/user/.config/ambit/log.pub"}},
		{"ambit hook claude-code < /dev/null", []string{state + "/log/checkpoint"}},
		{"echo '{}' | sudo -E ambit hook codex", []string{state + "/log/checkpoint"}},
		{"ambit setup claude-code", []string{settings, "$W/.claude/settings.json", state + "/log.key"}},
		{"ambit setup claude-code --remove --user", []string{settings}},
		{"HOME=/home/other ambit setup claude-code", []string{"/home/other/.claude/settings.json"}},
		{"XDG_STATE_HOME=/srv/state ambit hook claude-code", []string{"/srv/state/ambit/log/checkpoint"}},
		{"XDG_STATE_HOME=relative ambit hook claude-code", []string{state + "/log/checkpoint"}},
		{"CLAUDE_CONFIG_DIR=/srv/claude ambit setup claude-code", []string{"/srv/claude/settings.json"}},
		{"ambit grant --forever", []string{state + "/log/checkpoint"}}, {"ambit mode observe", []string{state + "/log/checkpoint"}}, {"ambit log prune", []string{state + "/log/checkpoint"}},
	} {
		dir := t.TempDir()
		p := plan(t, dir, c.command)
		var files []effect.Effect
		for _, e := range append(slices.Clone(p.Effects), p.Ordinary...) {
			if e.Class == effect.File && e.Access != effect.Read {
				files = append(files, e)
			}
		}
		if len(c.writes) == 0 && len(files)+len(p.Unknowns) > 0 {
			t.Errorf("%s: writes %v, unknowns %v", c.command, files, p.Unknowns)
		}
		for _, w := range c.writes {
			on, err := effect.FilePath(strings.ReplaceAll(w, "$W", p.Workspace))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(files, func(e effect.Effect) bool { return e.On.Covers(on) }) {
				t.Errorf("%s: %s is not written: %v", c.command, w, files)
			}
		}
	}
}

// TestSafetyKeysAreRead: what reads ambit's keys on behalf of a command says so.
func TestSafetyKeysAreRead(t *testing.T) {
	const key = "/home/user/.local/state/ambit/commit.key"
	on, err := effect.FilePath(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"ambit log show 0 --value -", "ambit log show 0 --value=-", "git blame --contents " + key + " a.txt", "git blame --contents=" + key + " a.txt", "git blame --ignore-revs-file " + key + " a.txt",
	} {
		p := plan(t, t.TempDir(), command)
		if !slices.ContainsFunc(append(slices.Clone(p.Effects), p.Ordinary...), func(e effect.Effect) bool { return e.Access == effect.Read && e.On.Covers(on) }) {
			t.Errorf("%s: the key is not read: %v", command, p.Effects)
		}
	}
}
