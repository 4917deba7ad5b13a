package predict_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict"
)

// toolPlan predicts a call of a tool in dir, with home as the account's folder.
func toolPlan(t *testing.T, home, dir, tool, args string) (*predict.Prediction, error) {
	t.Helper()
	a, err := action.New("claude", "", dir, tool, []byte(args))
	if err != nil {
		t.Fatal(err)
	}
	return predict.Predict(context.Background(), a, predict.Options{Env: []string{"HOME=" + home, "PATH=/usr/local/bin:/usr/bin:/bin"}})
}

// told is a prediction in short: effects as "view class.access resource" with $W for the workspace and ~ for home, then unknowns
// as "? classes".
func told(p *predict.Prediction, home string) []string {
	var out []string
	for _, e := range p.Effects {
		on := strings.NewReplacer(p.Workspace, "$W", home, "~").Replace(e.On.String())
		if e.Class == effect.Process { // where a program lies differs by machine
			on = "exe:" + on[strings.LastIndexAny(on, "/:")+1:]
		}
		out = append(out, e.View.String()+" "+e.Kind()+" "+on)
	}
	for _, u := range p.Unknowns {
		var could []string
		for _, c := range u.Could {
			could = append(could, c.String())
		}
		out = append(out, "? "+strings.Join(could, ","))
	}
	return out
}

// toolHome is a home folder with a project, which has what agents find in one.
func toolHome(t *testing.T) (home, dir string) {
	t.Helper()
	home = tree(t, map[string]string{
		".bashrc": "", ".ssh/id_ed25519": "x", "other/a.txt": "", "Documents/letter.txt": "",
		".claude/skills/mine/SKILL.md":          "---\nname: mine\n---\n!`touch from-home`\n",
		"w/a.txt":                               "",
		"w/.env":                                "A=1\n",
		"w/sub/.env":                            "A=1\n",
		"w/sub/b.txt":                           "",
		"w/ignored/.gitignore":                  ".env*\n!.env.shared\n",
		"w/ignored/.env":                        "",
		"w/ignored/.env.shared":                 "",
		"w/.claude/skills/plain/SKILL.md":       "---\nname: plain\ndescription: no commands\n---\nRead @a.txt and @/etc/shadow, then think.\n",
		"w/.claude/skills/runs/SKILL.md":        "---\nname: runs\n---\nStatus: !`touch seen-$1`\n\n```!\necho x > block\n```\n",
		"w/.claude/skills/hooked/SKILL.md":      "---\nname: hooked\nhooks:\n  PreToolUse: []\n---\nText\n",
		"w/.claude/skills/quoted/SKILL.md":      "---\nname: quoted\n---\n!`echo $ARGUMENTS`\n",
		"w/.claude/commands/deploy.md":          "!`touch deployed`\n",
		"w/.claude/commands/ops/ship.md":        "!`touch shipped`\n",
		"w/.claude/agents/plain.md":             "---\nname: plain-agent\n---\nWork.\n",
		"w/.claude/agents/deep/armed.md":        "---\nname: armed\nmcpServers:\n  - x\n---\nWork.\n",
		"w/.claude/worktrees/t1/README.md":      "",
		"w/.mcp.json":                           `{"mcpServers": {"docs": {"type": "http", "url": "https://mcp.example.com/docs"}}}`,
		"w/.git/HEAD":                           "ref: refs/heads/main\n",
		"w/.git/hooks/post-checkout*":           "#!/bin/sh\ntouch hooked\n",
		"w/.git/config":                         "[core]\n\tbare = false\n",
		"w/.git/refs/heads/main":                strings.Repeat("1", 40) + "\n",
		"w/.git/objects/info/keep":              "",
		"outside/.claude/skills/other/SKILL.md": "!`touch other`\n",
	})
	home, err := filepath.EvalSymlinks(home)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(home, "w")
	for name, to := range map[string]string{"link": home + "/other/a.txt", "dangling": home + "/other/new.txt", "dirlink": home + "/other", "sub/up": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return home, dir
}

func TestTools(t *testing.T) {
	home, dir := toolHome(t)
	const anything = "? container,environment,file,network,process"
	for _, c := range []struct {
		tool, args string
		want       []string
	}{
		{"Write", `{"file_path":"$W/x.txt","content":""}`, []string{"explicit file.write file:$W/x.txt"}},
		{"Write", `{"file_path":"x.txt","content":""}`, []string{"explicit file.write file:$W/x.txt"}},
		{"Write", `{"file_path":"../out","content":""}`, []string{"explicit file.write file:~/out"}},
		{"Write", `{"file_path":"sub/up/../y","content":""}`, []string{"explicit file.write file:~/y"}}, // ".." of what the link leads to
		{"Write", `{"file_path":"$W/link","content":""}`, []string{"explicit file.write file:~/other/a.txt"}},
		{"Write", `{"file_path":"$W/dangling","content":""}`, []string{"explicit file.write file:~/other/new.txt"}},
		{"Edit", `{"file_path":"$W/dirlink/deep/new","old_string":"","new_string":""}`, []string{"explicit file.write file:~/other/deep/new"}},
		{"Write", `{"file_path":"$W/a\nb","content":""}`, []string{"explicit file.write file:$W/a\nb"}},
		{"Write", `{"file_path":"/proc/self/root$H/x","content":""}`, []string{"explicit file.write file:~/x"}},
		{"Write", `{"file_path":"~/x","content":""}`, []string{"explicit file.write file:$W/~/x", "explicit file.write file:~/x"}},
		{"Write", `{"file_path":" ~/x ","content":""}`, []string{"explicit file.write file:$W/ ~/x ", "explicit file.write file:~/x"}},
		{"Write", `{"file_path":"\ufeff$H/x","content":""}`, []string{"explicit file.write file:$W/\ufeff~/x", "explicit file.write file:~/x"}}, // JavaScript trims a byte order mark
		{"Write", `{"file_path":"$H/x\u2029\ufeff ","content":""}`, []string{"explicit file.write file:~/x", "explicit file.write file:~/x\u2029\ufeff", "explicit file.write file:~/x\u2029\ufeff "}},
		{"Write", `{"file_path":"$H/jose\u0301","content":""}`, []string{"explicit file.write file:~/jose\u0301", "explicit file.write file:~/jos\u00e9"}},
		{"Read", `{"file_path":"\ufeff~/x"}`, []string{"explicit file.read file:~/x"}},
		{"Edit", `{"file_path":"~/.bashrc"}`, []string{"explicit file.write file:~/.bashrc", "explicit file.write file:$W/~/.bashrc", "command environment.write file:~/.bashrc"}},
		{"MultiEdit", `{"file_path":"$W/a.txt","edits":[]}`, []string{"explicit file.write file:$W/a.txt"}},
		{"NotebookEdit", `{"notebook_path":"$W/n.ipynb","new_source":""}`, []string{"explicit file.write file:$W/n.ipynb"}},
		{"NotebookEdit", `{"file_path":"$W/a.txt","notebook_path":"/etc/n.ipynb"}`, []string{"explicit file.write file:/etc/n.ipynb", "explicit file.write file:$W/a.txt"}},
		{"Write", `{"path":"$W/x.txt","file_text":""}`, []string{"explicit file.write file:$W/x.txt"}},

		{"Read", `{"file_path":"$W/a.txt"}`, nil},
		{"Read", `{"file_path":"/etc/hosts"}`, nil},
		{"Read", `{"file_path":"~/other/a.txt"}`, []string{"explicit file.read file:~/other/a.txt"}},
		{"Read", `{"file_path":"$W/link"}`, []string{"explicit file.read file:~/other/a.txt"}},
		{"Read", `{"file_path":"$W/.env"}`, []string{"command environment.read file:$W/.env"}},
		{"Read", `{"file_path":"$H/.ssh/id_ed25519"}`, []string{"explicit file.read file:~/.ssh/id_ed25519"}},
		{"NotebookRead", `{"notebook_path":"$H/other/n.ipynb"}`, []string{"explicit file.read file:~/other/n.ipynb"}},

		{"Glob", `{"pattern":"**/*.go"}`, nil},
		{"Glob", `{"pattern":"*","path":"/etc"}`, nil},
		{"Glob", `{"pattern":"*","path":"$H/Documents"}`, []string{"explicit file.read file:~/Documents/**"}},
		{"Glob", `{"pattern":"~/Documents/**"}`, []string{"explicit file.read file:~/Documents/**"}},
		{"Glob", `{"pattern":"../Documents/*"}`, []string{"explicit file.read file:~/Documents/**"}},
		{"LS", `{"path":"$W"}`, nil},
		{"LS", `{"path":"$H/Documents","ignore":[]}`, []string{"explicit file.read file:~/Documents/**"}},
		{"Grep", `{"pattern":"x","path":"$W/ignored"}`, []string{"command environment.read file:$W/ignored/.env.shared"}},
		{"Grep", `{"pattern":"x"}`, []string{"command environment.read file:$W/.env"}},
		{"Grep", `{"pattern":"x","glob":"*.go"}`, nil},
		{"Grep", `{"pattern":"x","glob":"src/**/*.{ts,tsx}"}`, nil},
		{"Grep", `{"pattern":"x","glob":".e*"}`, []string{"command environment.read file:$W/.env"}},
		{"Grep", `{"pattern":"x","glob":"!*.go"}`, []string{"command environment.read file:$W/.env"}},
		{"Grep", `{"pattern":"x","glob":"*.go .env"}`, []string{"command environment.read file:$W/.env"}},
		{"Grep", `{"pattern":"x","type":"go"}`, nil},
		{"Grep", `{"pattern":"x","path":"sub"}`, []string{"command environment.read file:$W/sub/.env"}},
		{"Grep", `{"pattern":"x","path":"$W/.env"}`, []string{"command environment.read file:$W/.env"}},
		{"Grep", `{"pattern":"","path":"$H"}`, []string{"explicit file.read file:~/**"}},
		{"Grep", `{"pattern":"x","path":"$W/dirlink"}`, []string{"explicit file.read file:~/other/**"}},
		{"Grep", `{"pattern":"x","path":"/usr/include"}`, nil},

		{"WebFetch", `{"url":"https://example.com/a","prompt":""}`, []string{"explicit network.fetch host:example.com:443/a"}},
		{"WebSearch", `{"query":"x"}`, []string{"explicit network.fetch host:*"}},
		{"Monitor", `{"description":"","timeout_ms":1,"command":"touch m"}`, []string{"explicit process.exec exe:bash", "command file.write file:$W/m", "command process.exec exe:touch"}},
		{"Monitor", `{"description":"","ws":{"url":"wss://example.com/s"}}`, []string{"explicit network.fetch host:example.com:443/s"}},
		{"PowerShell", `{"command":"Get-Date"}`, []string{"explicit process.exec exe:pwsh", anything}},
		{"Bash", `{"command":"touch x","run_in_background":true}`, []string{"explicit process.exec exe:bash", "command file.write file:$W/x", "command process.exec exe:touch"}},

		{"ListMcpResourcesTool", `{}`, []string{"explicit mcp.call tool:*"}},
		{"ListMcpResourcesTool", `{"server":"docs"}`, []string{"explicit mcp.call tool:docs/resources.list", "metadata network.send host:mcp.example.com:443/docs"}},
		{"ReadMcpResourceTool", `{"server":"docs","uri":"docs://a"}`, nil},
		{"ReadMcpResourceTool", `{"server":"nowhere","uri":"docs://a"}`, nil},

		{"Agent", `{"description":"d","prompt":"p","subagent_type":"general-purpose"}`, nil},
		{"Task", `{"description":"d","prompt":"p","subagent_type":"plain-agent"}`, nil},
		{"Agent", `{"description":"d","prompt":"p","subagent_type":"armed"}`, []string{anything}},
		{"Agent", `{"prompt":"p","isolation":"remote"}`, []string{"command network.send host:*", "? network"}},

		{"Skill", `{"skill":"plain"}`, []string{"metadata file.read file:/etc/shadow"}},
		{"Skill", `{"skill":"runs","args":"one two"}`, []string{"metadata file.write file:$W/block", "metadata file.write file:$W/seen-two", "metadata process.exec exe:bash", "metadata process.exec exe:touch"}},
		{"Skill", `{"skill":"quoted","args":"; touch injected"}`, []string{"metadata file.write file:$W/injected", "metadata process.exec exe:bash", "metadata process.exec exe:touch"}},
		{"Skill", `{"skill":"plain","args":"!` + "`touch sneaked`" + `"}`, []string{"metadata file.read file:/etc/shadow", "metadata file.write file:$W/sneaked", "metadata process.exec exe:bash", "metadata process.exec exe:touch"}},
		{"Skill", `{"skill":"hooked"}`, []string{anything}},
		{"Skill", `{"skill":"mine"}`, []string{"metadata file.write file:$W/from-home", "metadata process.exec exe:bash", "metadata process.exec exe:touch"}},
		{"Skill", `{"skill":"nowhere"}`, []string{anything}},
		{"Skill", `{"skill":"plugin:thing"}`, []string{anything}},
		{"Skill", `{"skill":"../../outside/.claude/skills/other"}`, []string{anything}},
		{"SlashCommand", `{"command":"/deploy now"}`, []string{"metadata file.write file:$W/deployed", "metadata process.exec exe:bash", "metadata process.exec exe:touch"}},
		{"SlashCommand", `{"command":"/ops:ship"}`, []string{"metadata file.write file:$W/shipped", "metadata process.exec exe:bash", "metadata process.exec exe:touch"}},
		{"Skill", `{"skill":"ship"}`, []string{"metadata file.write file:$W/shipped", "metadata process.exec exe:bash", "metadata process.exec exe:touch"}},

		{"TodoWrite", `{"todos":[]}`, nil}, {"TaskCreate", `{}`, nil}, {"TaskGet", `{}`, nil}, {"TaskList", `{}`, nil}, {"TaskUpdate", `{}`, nil},
		{"ExitPlanMode", `{"plan":"x"}`, nil}, {"EnterPlanMode", `{}`, nil}, {"AskUserQuestion", `{"questions":[]}`, nil}, {"ToolSearch", `{}`, nil},
		{"TaskOutput", `{}`, nil}, {"BashOutput", `{}`, nil}, {"TaskStop", `{}`, nil}, {"KillShell", `{}`, nil}, {"KillBash", `{}`, nil},
		{"CronCreate", `{"cron":"* * * * *","prompt":"x"}`, nil},
		{"CronCreate", `{"cron":"* * * * *","prompt":"x","durable":true}`, []string{"explicit file.write file:$W/.claude/scheduled_tasks.json"}},
		{"ExitWorktree", `{"action":"keep"}`, nil},

		{"LSP", `{}`, []string{anything}}, {"Artifact", `{}`, []string{anything}}, {"Workflow", `{}`, []string{anything}}, {"RemoteTrigger", `{}`, []string{anything}},
		{"write", `{"file_path":"x"}`, []string{anything}}, {"Teleport", `{}`, []string{anything}}, {"Bash ", `{"command":"ls"}`, []string{anything}},
	} {
		args := strings.NewReplacer("$W", dir, "$H", home).Replace(c.args)
		p, err := toolPlan(t, home, dir, c.tool, args)
		if err != nil {
			t.Errorf("%s %s: %v", c.tool, c.args, err)
			continue
		}
		if d := cmp.Diff(c.want, told(p, home)); d != "" && !strings.HasPrefix(c.tool, "ReadMcp") {
			t.Errorf("%s %s: -want +got\n%s", c.tool, c.args, d)
		}
	}
}

// A resource of a server is asked for like one of its tools.
func TestMCPResources(t *testing.T) {
	home, dir := toolHome(t)
	for _, c := range []struct {
		args    string
		views   []effect.Class
		unknown bool
	}{
		{`{"server":"docs","uri":"docs://a"}`, []effect.Class{effect.MCP, effect.Network}, false},
		{`{"server":"nowhere","uri":"docs://a"}`, []effect.Class{effect.MCP}, true},
	} {
		p, err := toolPlan(t, home, dir, "ReadMcpResourceTool", c.args)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.views, p.Views(effect.Metadata)); d != "" || !cmp.Equal(p.Views(effect.Explicit), []effect.Class{effect.MCP}) || len(p.Unknowns) > 0 != c.unknown {
			t.Errorf("%s: %v, unknowns %v\n%s", c.args, p.Views(effect.Explicit), p.Unknowns, d)
		}
	}
}

// A working tree of the agent's own is git's doing, hooks included.
func TestWorktreeTools(t *testing.T) {
	home, dir := toolHome(t)
	p, err := toolPlan(t, home, dir, "EnterWorktree", `{"name":"t2"}`)
	if err != nil {
		t.Fatal(err)
	}
	got := told(p, home)
	for _, want := range []string{"command process.exec exe:git", "command file.write file:$W/.claude/worktrees/t2/**"} {
		if !slices.Contains(got, want) {
			t.Errorf("EnterWorktree: %q is missing in %q", want, got)
		}
	}
	if i := slices.IndexFunc(got, func(s string) bool { return strings.Contains(s, "hooked") }); i < 0 {
		t.Errorf("EnterWorktree: the hook is missing in %q", got)
	}
	for _, from := range []string{dir, dir + "/.claude/worktrees/t1"} {
		p, err = toolPlan(t, home, from, "ExitWorktree", `{"action":"remove"}`)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := effect.FilePath(dir + "/.claude/worktrees/t1")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(p.Effects, func(e effect.Effect) bool {
			return e.Access == effect.Delete && e.On.Covers(tree)
		}) {
			t.Errorf("ExitWorktree from %s: nothing is deleted: %q", from, told(p, home))
		}
	}
}

// TestSafetyToolArguments: a call whose arguments cannot be read is no action at all, whatever the agent's tool would make of it.
func TestSafetyToolArguments(t *testing.T) {
	home, dir := toolHome(t)
	for _, c := range [][2]string{
		{"Write", `{}`}, {"Write", `{"file_path":null}`}, {"Write", `{"file_path":["a"]}`}, {"Write", `{"file_path":""}`}, {"Write", `{"file_path":"a","path":1}`},
		{"Edit", `{"FILE_PATH":"a"}`}, {"Read", `{"file_path":true}`}, {"NotebookEdit", `{"new_source":"x"}`}, {"MultiEdit", `{"edits":[]}`},
		{"Write", `{"file_path":"a\u0000b"}`}, {"Read", `{"file_path":"\u0000"}`}, {"Glob", `{"pattern":"*","path":"a\u0000"}`}, {"Grep", `{"pattern":"x","glob":"\u0000"}`},
		{"Bash", `{}`}, {"Bash", `{"command":null}`}, {"Bash", `{"command":["ls"]}`}, {"Bash", `{"Command":"ls"}`}, {"PowerShell", `{}`}, {"Monitor", `{}`}, {"Monitor", `{"ws":{}}`}, {"Monitor", `{"command":1}`},
		{"Glob", `{}`}, {"Glob", `{"pattern":1}`}, {"Glob", `{"pattern":"*","path":1}`}, {"Grep", `{}`}, {"Grep", `{"pattern":"x","path":[]}`}, {"LS", `{"path":7}`}, {"LS", `{"path":"\u0000"}`},
		{"WebFetch", `{"url":""}`}, {"WebFetch", `{"url":{}}`}, {"WebFetch", `{"url":"https://a\u0000b"}`}, {"WebSearch", `{}`}, {"WebSearch", `{"query":["x"]}`},
		{"Agent", `{"subagent_type":1}`}, {"Task", `{"isolation":true}`}, {"Skill", `{}`}, {"Skill", `{"skill":1}`}, {"SlashCommand", `{"command":[]}`}, {"Skill", `{"skill":"a\u0000"}`},
		{"ReadMcpResourceTool", `{"server":"docs"}`}, {"ReadMcpResourceTool", `{"uri":"x"}`}, {"ListMcpResourcesTool", `{"server":1}`},
		{"EnterWorktree", `{"name":1}`}, {"EnterWorktree", `{"name":"\u0000"}`}, {"ExitWorktree", `{}`}, {"ExitWorktree", `{"action":"burn"}`}, {"CronCreate", `{"durable":"yes"}`},
		{"mcp__x", `{}`},
	} {
		if p, err := toolPlan(t, home, dir, c[0], c[1]); !errors.Is(err, predict.ErrTool) || p != nil {
			t.Errorf("%s %s: %v, want ErrTool", c[0], c[1], err)
		}
	}
}

// TestSafetyUnknownTools: a tool that nobody knows, by any spelling, could be anything.
func TestSafetyUnknownTools(t *testing.T) {
	home, dir := toolHome(t)
	for _, tool := range []string{"Teleport", "bash", "BASH", "Shell", "todowrite", "Todo Write", "Write\n", "mcp_x__y", "MCP__x__y", "Task\u200b"} {
		p, err := toolPlan(t, home, dir, tool, `{"command":"ls","file_path":"a.txt"}`)
		if err != nil || len(p.Unknowns) != 1 || len(p.Unknowns[0].Could) < 5 || len(p.Views(effect.Explicit)) > 0 {
			t.Errorf("%q: %v, %v", tool, err, p)
		}
	}
}
