package policy

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/effect"
)

func fileEffect(t testing.TB, a effect.Access, pattern string) effect.Effect {
	t.Helper()
	on, err := effect.Parse("file:" + pattern)
	if err != nil {
		t.Fatal(err)
	}
	return effect.Effect{Class: effect.File, Access: a, On: on, View: effect.Command, Sources: []effect.Source{{Rule: "test"}}}
}

// tree is a file system of plain files without links.
type tree struct{ fstest.MapFS }

func (t tree) Lstat(name string) (fs.FileInfo, error) { return t.Stat(strings.TrimPrefix(name, "/")) }
func (t tree) Readlink(string) (string, error)        { return "", fs.ErrInvalid }

func surroundings() Surroundings {
	return Surroundings{
		Home: "/home/u", Config: "/home/u/.config", Claude: "/home/u/.claude", Codex: "/home/u/.codex", Copilot: "/home/u/.copilot",
		Ambit:    []string{"/home/u/.config/ambit", "/home/u/.local/state/ambit"},
		Binaries: []string{"/usr/local/bin/ambit"}, Keys: []string{"/home/u/.local/state/ambit/log.key"},
		Workspace: "/home/u/shop", Dir: "/home/u/shop/web",
	}
}

// TestSafetyProtectedPlaces: what an agent may never do to what it is judged by, and the ordinary work beside it that must not be
// denied. "quiet" means that no protected place is met.
func TestSafetyProtectedPlaces(t *testing.T) {
	there := tree{fstest.MapFS{"home/u/shop/.claude/settings.json": {}, "home/u/.claude/settings.json": {}, "home/u/.bashrc": {}, "home/u/.local/state/ambit/log.key": {}}}
	guards := NewGuards(surroundings(), there)
	const W, R, D = effect.Write, effect.Read, effect.Delete
	for _, c := range []struct {
		access effect.Access
		on     string
		want   string
	}{
		{W, "/home/u/.claude/settings.json", "deny"}, {D, "/home/u/.claude/settings.json", "deny"}, {R, "/home/u/.claude/settings.json", "quiet"},
		{W, "/home/u/shop/.claude/settings.json", "deny"}, {W, "/home/u/shop/.claude/settings.local.json", "deny"}, {W, "/elsewhere/.claude/settings.json", "deny"},
		{W, "/elsewhere/deep/er/.claude/hooks/gate.sh", "deny"}, {W, "/home/u/.claude/hooks/x/y", "deny"}, {D, "/elsewhere/.claude/**", "deny"},
		{D, "/home/u/.claude/**", "deny"}, {W, "/home/u/.claude/**", "deny"}, {D, "/home/u/.claude", "deny"}, {D, "/home/u/shop/.claude/**", "deny"},
		{W, "/home/u/.claude", "quiet"}, {W, "/home/u/.claude/CLAUDE.md", "quiet"}, {W, "/home/u/shop/.claude/notes.md", "quiet"}, {W, "/home/u/shop/.claude/plans/**", "quiet"},
		{W, "/home/u/.claude.json", "deny"}, {W, "/etc/claude-code/managed-settings.json", "deny"}, {D, "/etc/claude-code/**", "deny"},
		{W, "/home/u/.local/state/ambit/log/checkpoint", "deny"}, {D, "/home/u/.local/state/ambit/**", "deny"}, {D, "/home/u/.local/state/ambit", "deny"},
		{W, "/home/u/.config/ambit/log.pub", "deny"}, {W, "/home/u/shop/.ambit/policy.yaml", "deny"}, {W, "/etc/ambit/policy.yaml", "deny"},
		{W, "/home/u/.claude/Settings.JSON", "deny"}, {W, "/Home/U/.CLAUDE/\u017fettings.json", "deny"}, {W, "/elsewhere/.Claude/Hooks/gate.sh", "deny"}, {D, "/home/u/.CLAUDE/**", "deny"},
		{D, "/home/u/.Local/State/Ambit/log/**", "deny"}, {R, "/home/u/.local/state/ambit/LOG.KEY", "deny"}, {W, "/Usr/local/bin/AMBIT", "deny"}, {W, "/elsewhere/.GIT/hooks/pre-commit", "ask"},
		{W, "/home/u/.claude/shell-snapshots/snapshot-bash-1.sh", "deny"}, {W, "/home/u/.claude/session-env/s/hook.sh", "deny"}, {W, "/home/u/.claude/remote-settings.json", "deny"},
		{W, "/home/u/shop/.git/modules/sub/hooks/post-checkout", "ask"}, {W, "/home/u/shop/.git/worktrees/w/config.worktree", "ask"}, {W, "/home/u/shop/.git/modules/sub/config", "ask"},
		{W, "/home/u/.local/bin/git", "ask"}, {W, "/home/u/.claude/local/claude", "ask"}, {W, "/proc/self/fd/2", "quiet"}, {W, "/etc/cron.daily/x", "ask"},
		{W, "/home/u/.local/share/systemd/user/x.service", "ask"}, {R, "/home/u/.local/bin/git", "quiet"}, {W, "/home/u/.local/lib/x", "quiet"},
		{W, "/usr/local/bin/ambit", "deny"}, {D, "/usr/local/bin/ambit", "deny"}, {W, "/usr/local/bin/ambits", "quiet"}, {W, "/usr/local/bin/other", "quiet"},
		{R, "/home/u/.local/state/ambit/log.key", "deny"}, {R, "/home/u/.local/state/ambit/**", "deny"}, {R, "/home/u/.local/state/ambit/log/checkpoint", "quiet"},
		{R, "/home/u/.local/**", "ask"}, {R, "/home/u/**", "ask"},
		// wide effects have the settings among others: the person judges
		{D, "/home/u/shop/**", "ask"}, {W, "/home/u/shop/**", "ask"}, {W, "/home/u/**", "ask"}, {D, "/**", "ask"}, {W, "/elsewhere/**", "quiet"},
		// other agents
		{W, "/home/u/.codex/config.toml", "deny"}, {W, "/home/u/shop/.codex/rules/a.rules", "deny"}, {W, "/home/u/shop/.gemini/settings.json", "deny"}, {W, "/home/u/shop/.qwen/settings.json", "deny"},
		{W, "/home/u/shop/.github/hooks/a.json", "deny"}, {W, "/home/u/shop/.github/workflows/ci.yml", "quiet"}, {W, "/home/u/.copilot/config.json", "deny"}, {W, "/home/u/shop/.cursor/hooks.json", "deny"},
		{W, "/home/u/.config/opencode/plugin/a.js", "deny"}, {W, "/home/u/shop/.opencode/plugins/a.ts", "deny"}, {W, "/home/u/shop/.clinerules/hooks/PreToolUse", "deny"}, {W, "/home/u/shop/.clinerules/style.md", "quiet"},
		{W, "/home/u/shop/.kiro/hooks/a.json", "deny"}, {W, "/home/u/.codeium/windsurf/hooks.json", "deny"},
		// what runs later
		{W, "/home/u/shop/.mcp.json", "ask"}, {W, "/home/u/shop/.git/hooks/pre-commit", "ask"}, {W, "/home/u/shop/.git/config", "ask"}, {W, "/home/u/.bashrc", "ask"}, {D, "/home/u/.ssh/id_ed25519", "ask"}, {W, "/home/u/shop/.husky/pre-push", "ask"}, {W, "/home/u/shop/.vscode/tasks.json", "ask"},
		{R, "/home/u/.bashrc", "quiet"}, {W, "/home/u/shop/.git/index", "quiet"}, {W, "/home/u/shop/src/settings.json", "quiet"}, {W, "/home/u/shop/hooks/pre-commit", "quiet"}, {W, "/home/u/shop/node_modules/**", "quiet"}, {W, "/home/u/shop/claude/settings.json", "quiet"},
	} {
		met := guards.Meet([]effect.Effect{fileEffect(t, c.access, c.on)})
		got := "quiet"
		if len(met) > 0 {
			got = Decide(Input{Explicit: effect.Classes(), Met: met}).Is.String()
		}
		if got != c.want {
			t.Errorf("%s %s: %s, want %s (%v)", c.access, c.on, got, c.want, met)
		}
	}
}

// TestSafetyLinkedPlaces: a settings file behind links, and under a second name.
func TestSafetyLinkedPlaces(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{"dotfiles/hooks/deep", "work"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{
		os.WriteFile(filepath.Join(home, "dotfiles", "settings.json"), []byte("{}"), 0o600),
		os.Symlink("dotfiles", filepath.Join(home, ".claude")),
		os.Link(filepath.Join(home, "dotfiles", "settings.json"), filepath.Join(home, "work", "other")),
		os.WriteFile(filepath.Join(home, "dotfiles", "hooks", "deep", "gate.sh"), nil, 0o700),
		os.Link(filepath.Join(home, "dotfiles", "hooks", "deep", "gate.sh"), filepath.Join(home, "work", "gate")),
		os.WriteFile(filepath.Join(home, "work", "plain"), nil, 0o600),
		os.Link(filepath.Join(home, "work", "plain"), filepath.Join(home, "work", "plain2")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	guards := NewGuards(Surroundings{Home: home, Claude: filepath.Join(home, ".claude"), Workspace: filepath.Join(home, "work")}, effect.OS{})
	for _, c := range []struct {
		access effect.Access
		on     string
		want   Kind
	}{
		{effect.Write, "dotfiles/settings.json", Deny}, {effect.Delete, ".claude", Deny}, {effect.Delete, "dotfiles/**", Deny}, {effect.Write, "work/other", Deny},
		{effect.Write, "work/gate", Deny}, {effect.Read, "work/gate", Allow}, {effect.Delete, "work/gate", Allow},
		{effect.Delete, "work/other", Allow}, {effect.Write, "work/plain2", Allow}, {effect.Write, "work/plain", Allow}, {effect.Write, "dotfiles/other", Allow},
	} {
		got := Decide(Input{Explicit: effect.Classes(), Met: guards.Meet([]effect.Effect{fileEffect(t, c.access, filepath.Join(home, c.on))})})
		if got.Is != c.want {
			t.Errorf("%s %s: %s, want %s: %s", c.access, c.on, got.Is, c.want, got.Why)
		}
	}
}

func TestDecide(t *testing.T) {
	index := fileEffect(t, effect.Write, "/w/.git/index")
	index.Sources = []effect.Source{{Rule: "git/status"}}
	exec := effect.Effect{Class: effect.Process, Access: effect.Exec, On: effect.Any(effect.ExeKind)}
	p, f, n := effect.Process, effect.File, effect.Network
	for name, c := range map[string]struct {
		in    Input
		want  Kind
		rule  string
		added []effect.Class
	}{
		"nothing at all":            {Input{}, Allow, RuleWithin, nil},
		"its own class":             {Input{Explicit: []effect.Class{p}, Effects: []effect.Effect{exec}}, Allow, RuleWithin, nil},
		"a class beyond":            {Input{Explicit: []effect.Class{p}, Effects: []effect.Effect{exec, fileEffect(t, effect.Write, "/w/a")}}, Ask, RuleBeyond, []effect.Class{f}},
		"git's index":               {Input{Explicit: []effect.Class{p}, Effects: []effect.Effect{exec, index}}, Allow, RuleWithin, nil},
		"an index by another hand":  {Input{Explicit: []effect.Class{p}, Effects: []effect.Effect{exec, fileEffect(t, effect.Write, "/w/.git/index")}}, Ask, RuleBeyond, []effect.Class{f}},
		"an unknown beyond":         {Input{Explicit: []effect.Class{p}, Unknowns: []Unknown{{"x", []effect.Class{n}}}}, Ask, RuleBeyond, []effect.Class{n}},
		"an unknown within":         {Input{Explicit: []effect.Class{f}, Unknowns: []Unknown{{"x", []effect.Class{f}}}}, Allow, RuleWithin, nil},
		"an unknown without bounds": {Input{Explicit: []effect.Class{f}, Unknowns: []Unknown{{Why: "x"}}}, Ask, RuleBeyond, []effect.Class{effect.Container, effect.Environment, effect.MCP, n, p}},
		"no prediction":             {Input{Explicit: []effect.Class{f}, Defect: "x"}, Ask, RuleDefect, []effect.Class{effect.Container, effect.Environment, effect.MCP, n, p}},
		"ordinary":                  {Input{Explicit: []effect.Class{p}, Ordinary: []effect.Effect{fileEffect(t, effect.Read, "/w/a")}}, Allow, RuleWithin, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := Decide(c.in)
			if c.added == nil {
				c.added = []effect.Class{}
			}
			if got.Is != c.want || got.Rule != c.rule || !cmp.Equal(got.Added, c.added) || got.Why == "" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestSafetyInvariantsComeFirst: nothing in an input turns a denial of an invariant into anything else.
func TestSafetyInvariantsComeFirst(t *testing.T) {
	deny := Met{Guard: Guard{Rule: "r", Writes: Deny}, Effect: fileEffect(t, effect.Write, "/x"), Whole: true}
	ask := Met{Guard: Guard{Rule: "s", Writes: Ask}, Effect: fileEffect(t, effect.Write, "/y"), Whole: true}
	for _, in := range []Input{
		{Met: []Met{deny}}, {Met: []Met{ask, deny}}, {Met: []Met{deny, ask}}, {Met: []Met{deny}, Explicit: effect.Classes()},
		{Met: []Met{deny}, Defect: "x"}, {Met: []Met{ask, deny}, Effects: []effect.Effect{fileEffect(t, effect.Read, "/z")}},
	} {
		if d := Decide(in); d.Is != Deny || d.Rule != "r" || len(d.Met) != 1 {
			t.Errorf("%+v", d)
		}
	}
	if d := Decide(Input{Met: []Met{ask}, Explicit: effect.Classes()}); d.Is != Ask || d.Rule != "s" {
		t.Errorf("%+v", d)
	}
	wide := deny
	wide.Whole = false
	if d := Decide(Input{Met: []Met{wide}, Explicit: effect.Classes()}); d.Is != Ask || d.Rule != "r" {
		t.Errorf("%+v", d)
	}
	if d := Decide(Input{Met: []Met{wide}, Effects: []effect.Effect{fileEffect(t, effect.Write, "/z/**")}}); d.Is != Ask || d.Rule != RuleBeyond || len(d.Met) != 1 {
		t.Errorf("%+v", d)
	}
}

func TestSafetyZeroDecisionDenies(t *testing.T) {
	if (Decision{}).Is != Deny || Kind(0).String() != "deny" || Kind(77).String() != "deny" {
		t.Error("the zero value does not deny")
	}
	k := Allow
	if err := k.UnmarshalText([]byte("Allow")); err == nil || k != Deny {
		t.Errorf("an unknown name gives %s, %v", k, err)
	}
}

func TestDigestIsFixedByTheTable(t *testing.T) {
	if a, b := Digest(), Digest(); a != b || len(a) != 64 {
		t.Errorf("%s, %s", a, b)
	}
}

// TestSafetyLinkedBeyondTheBound: of a file with several names, what was not looked at is not taken for nothing.
func TestSafetyLinkedBeyondTheBound(t *testing.T) {
	home := t.TempDir()
	g := NewGuards(Surroundings{Home: home, Ambit: []string{home}}, effect.OS{})
	file := filepath.Join(home, "a")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat("/")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir  string
		left int
		all  bool
	}{{home, 1, true}, {home, 0, false}, {filepath.Join(home, "nothing"), 9, false}} {
		if found, all := g.holds(c.dir, info, &c.left); found || all != c.all {
			t.Errorf("%s with %d: %t, %t", c.dir, c.left, found, all)
		}
	}
}

// TestSafetyAWideEffectHidesNothing: git checkout . && echo > .claude/settings.json is denied for its second half, in either order.
func TestSafetyAWideEffectHidesNothing(t *testing.T) {
	guards := NewGuards(surroundings(), tree{fstest.MapFS{"home/u/shop/.claude/settings.json": {}}})
	wide, narrow := fileEffect(t, effect.Write, "/home/u/shop/**"), fileEffect(t, effect.Write, "/home/u/shop/.claude/settings.json")
	for _, effects := range [][]effect.Effect{{wide, narrow}, {narrow, wide}} {
		if d := Decide(Input{Met: guards.Meet(effects)}); d.Is != Deny || d.Rule != RuleAgentSettings {
			t.Errorf("%+v", d)
		}
	}
}
