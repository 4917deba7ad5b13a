package predict

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/go-json-experiment/json"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// agentTool analyses the tools of an agent besides those for shell, files and addresses; false for a name that is none of them.
func (e *engine) agentTool(f *frame, a action.Action) (known bool, err error) {
	switch a.Tool {
	case "Glob":
		return true, e.globTool(f, a)
	case "Grep":
		return true, e.grepTool(f, a)
	case "LS":
		return true, e.listTool(f, a)
	case "WebSearch":
		return true, e.searchTool(f, a)
	case "Agent", "Task":
		return true, e.subagentTool(f, a)
	case "Skill", "SlashCommand":
		return true, e.skillTool(f, a)
	case "Monitor":
		return true, e.monitorTool(f, a)
	case "PowerShell":
		return true, e.powerShellTool(f, a)
	case "EnterWorktree":
		return true, e.enterWorktreeTool(f, a)
	case "ExitWorktree":
		return true, e.exitWorktreeTool(f, a)
	case "ListMcpResourcesTool", "ListMcpResources", "ReadMcpResourceTool", "ReadMcpResource", "ReadMcpResourceDirTool", "ReadMcpResourceDir", "RefreshMcpTools":
		return true, e.resourceTool(f, a)
	case "CronCreate":
		return true, e.cronTool(f, a)
	}
	if why := withinAgent(a.Tool); why != "" {
		f.node.Note = why
		return true, nil
	}
	return false, nil
}

// withinAgent says of the tools that stay within the agent what they do; empty for any other.
func withinAgent(tool string) string {
	switch tool {
	case "TodoWrite", "TodoRead", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "ReportFindings":
		return "the agent's own list"
	case "EnterPlanMode", "ExitPlanMode", "AskUserQuestion", "ProposeGoal":
		return "asks the person"
	case "ToolSearch", "ReadNotifications":
		return "looks at what the agent has at hand"
	case "TaskOutput", "BashOutput", "AgentOutput", "AgentOutputTool", "BashOutputTool":
		return "shows the output of what was started before"
	case "TaskStop", "KillShell", "KillBash":
		return "ends what was started before"
	case "ScheduleWakeup", "CronDelete", "CronList":
		return "the agent's own schedule"
	case "SendMessage":
		return "speaks to an agent of the session, whose own calls are looked at one by one"
	}
	return ""
}

// globTool finds files by their names below a folder.
func (e *engine) globTool(f *frame, a action.Action) error {
	const need = `a string member "pattern"`
	var args struct {
		Pattern string `json:"pattern"`
		Path    string `json:"path"`
	}
	if err := arguments(a, &args, need+` and perhaps "path"`); err != nil || args.Pattern == "" {
		return cmp.Or(err, wants(a, need))
	}
	if err := noNUL(a, args.Pattern, args.Path); err != nil {
		return err
	}
	e.explicit(f, effect.File)
	f.node.Title = "Glob " + args.Pattern
	src := f.source(0, "tool/Glob")
	base := cmp.Or(args.Path, ".")
	for _, w := range e.spellings(f, base) {
		e.list(f, w, src)
	}
	if head, _ := doublestar.SplitPattern(args.Pattern); path.IsAbs(args.Pattern) || strings.Contains(args.Pattern, "..") || strings.HasPrefix(args.Pattern, "~") {
		if !path.IsAbs(head) && head[0] != '~' {
			head = base + "/" + head
		}
		for _, w := range e.spellings(f, head) {
			e.list(f, w, src)
		}
	}
	return nil
}

// listTool names what is in a folder.
func (e *engine) listTool(f *frame, a action.Action) error {
	var args struct {
		Path string `json:"path"`
	}
	if err := arguments(a, &args, `a string member "path"`); err != nil {
		return err
	}
	if err := noNUL(a, args.Path); err != nil {
		return err
	}
	e.explicit(f, effect.File)
	f.node.Title = "LS " + args.Path
	for _, w := range e.spellings(f, cmp.Or(args.Path, ".")) {
		e.list(f, w, f.source(0, "tool/LS"))
	}
	return nil
}

// grepTool searches the contents of files below a folder with ripgrep: hidden ones too, but none that git ignores.
func (e *engine) grepTool(f *frame, a action.Action) error {
	const need = `string members "pattern" and perhaps "path", "glob", "type"`
	var args struct {
		Pattern *string `json:"pattern"`
		Path    string  `json:"path"`
		Glob    string  `json:"glob"`
		Type    string  `json:"type"`
	}
	if err := arguments(a, &args, need); err != nil || args.Pattern == nil {
		return cmp.Or(err, wants(a, need))
	}
	if err := noNUL(a, args.Path, args.Glob); err != nil {
		return err
	}
	e.explicit(f, effect.File)
	f.node.Title = "Grep " + *args.Pattern
	src := f.source(0, "tool/Grep")
	for _, w := range e.spellings(f, cmp.Or(args.Path, ".")) {
		p := e.place(f, w, e.folder(f, w), true)
		if !p.Tree {
			e.read(f, w, false, src)
			continue
		}
		dir := filePath(p)
		e.note(f, effect.File, effect.Read, p, src)
		if args.Type != "" && !strings.Contains(args.Type, "env") {
			continue // .env is a file of no other type
		}
		e.eachEnvFile(dir, func(name string) {
			if searched(args.Glob, name) && !e.gitIgnores(dir, name) {
				e.note(f, effect.Environment, effect.Read, e.place(f, word{text: dir + "/" + name}, false, true), src)
			}
		})
	}
	return nil
}

// searched tells whether a filter of ripgrep's (--glob) may let a file through. Several globs in one text are not taken apart.
func searched(glob, name string) bool {
	glob = strings.TrimSpace(glob)
	base, depth := 0, 0 // where the last component begins
	for i, c := range glob {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		case '/':
			if base = i + 1; depth > 0 {
				return true // a choice that spans folders
			}
		case ' ', ',':
			if depth <= 0 {
				return true
			}
		}
	}
	if glob == "" || glob[0] == '!' || glob[base:] == "**" {
		return true
	}
	ok, err := doublestar.Match(glob[base:], name)
	return ok || err != nil
}

// gitIgnores tells whether a file is certainly ignored by a .gitignore on the way up to the repository (gitignore(5)): a line
// that names it, and no line after it that could take it back.
func (e *engine) gitIgnores(dir, name string) bool {
	ignored := false
	var levels []string
	for d := dir; ; d = path.Dir(d) {
		levels = append(levels, d)
		if e.present(d + "/.git") {
			break
		}
		if d == "/" || d == e.workspace && !workspace.Within(path.Dir(d), e.workspace) && !e.present(path.Dir(d)+"/.git") {
			return false // no repository that is known: ripgrep looks at no .gitignore
		}
	}
	slices.Reverse(levels)
	for _, d := range levels {
		for _, rules := range []string{".gitignore", ".ignore", ".rgignore"} {
			file, err := e.fs.Read(d + "/" + rules)
			if err != nil {
				continue
			}
			rel := strings.TrimPrefix(strings.TrimPrefix(dir+"/"+name, d), "/")
			for line := range strings.Lines(string(file.Data)) {
				ignored = ignoreRule(strings.TrimRight(line, "\r\n "), rel, ignored)
			}
		}
	}
	return ignored
}

// ignoreRule applies one line to a file. What cannot be judged ignores nothing, and takes back what it could.
func ignoreRule(rule, rel string, ignored bool) bool {
	if rule == "" || rule[0] == '#' || strings.HasSuffix(rule, "/") && rule[0] != '!' {
		return ignored
	}
	pattern, back := strings.CutPrefix(rule, "!")
	anchored := strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	pattern = strings.Trim(pattern, "/")
	if !anchored {
		pattern = "**/" + pattern
	}
	ok, err := doublestar.Match(pattern, rel)
	switch {
	case back && (ok || err != nil):
		return false
	case ok && err == nil && !back:
		return true
	}
	return ignored
}

// searchTool asks a search engine: what is asked goes out, what comes back may be of any host.
func (e *engine) searchTool(f *frame, a action.Action) error {
	const need = `a string member "query"`
	var args struct {
		Query string `json:"query"`
	}
	if err := arguments(a, &args, need); err != nil || args.Query == "" {
		return cmp.Or(err, wants(a, need))
	}
	e.explicit(f, effect.Network)
	f.node.Title = "WebSearch " + args.Query
	e.note(f, effect.Network, effect.Fetch, effect.Any(effect.HostKind), f.source(0, "tool/WebSearch"))
	return nil
}

// monitorTool watches a shell command, or a WebSocket.
func (e *engine) monitorTool(f *frame, a action.Action) error {
	const need = `a string member "command" or an object "ws" with a string "url"`
	var args struct {
		Command string `json:"command"`
		WS      *struct {
			URL string `json:"url"`
		} `json:"ws"`
	}
	if err := arguments(a, &args, need); err != nil || args.Command == "" && (args.WS == nil || args.WS.URL == "") {
		return cmp.Or(err, wants(a, need))
	}
	if args.WS != nil && args.WS.URL != "" {
		if err := noNUL(a, args.WS.URL); err != nil {
			return err
		}
		e.explicit(f, effect.Network)
		f.node.Title = "Monitor " + args.WS.URL
		e.network(f, word{text: args.WS.URL, quoted: true}, effect.Fetch, f.source(0, "tool/Monitor"))
		f.comp = nil
	}
	if args.Command != "" {
		f.node.Title = args.Command
		e.shellCall(f, args.Command)
	}
	return nil
}

// powerShellTool is text in a language that is not analysed.
func (e *engine) powerShellTool(f *frame, a action.Action) error {
	const need = `a string member "command"`
	var args struct {
		Command *string `json:"command"`
	}
	if err := arguments(a, &args, need); err != nil || args.Command == nil {
		return cmp.Or(err, wants(a, need))
	}
	f.node.Title = *args.Command
	e.explicit(f, effect.Process)
	src := f.source(0, "tool/PowerShell")
	e.note(f, effect.Process, effect.Exec, e.find(f, "pwsh").pattern(), src)
	f.view = effect.Command
	e.unknown(f, src, "PowerShell text is not analysed")
	return nil
}

// resourceTool asks MCP servers for their resources or tools. Without a server's name every configured one is asked.
func (e *engine) resourceTool(f *frame, a action.Action) error {
	const need = `string members "server" and "uri"`
	var args struct {
		Server string `json:"server"`
		URI    string `json:"uri"`
	}
	reads := strings.HasPrefix(a.Tool, "ReadMcpResource")
	if err := arguments(a, &args, need); err != nil || reads && (args.Server == "" || args.URI == "") {
		return cmp.Or(err, wants(a, need))
	}
	if args.Server == "" {
		e.explicit(f, effect.MCP)
		e.note(f, effect.MCP, effect.Call, effect.Any(effect.ToolKind), f.source(0, "mcp/call"))
		return nil
	}
	method, params := "resources/list", "{}"
	switch {
	case a.Tool == "RefreshMcpTools":
		method = "tools/list"
	case reads:
		uri, err := json.Marshal(args.URI)
		if err != nil {
			return wants(a, need)
		}
		method, params = "resources/read", `{"uri":`+string(uri)+"}"
	}
	e.mcpCall(f, e.mcpRequest(f, a), args.Server, strings.ReplaceAll(method, "/", "."), messages(method, params))
	return nil
}

// cronTool schedules a prompt: what the agent does with it then is looked at then. A durable one is kept in the project.
func (e *engine) cronTool(f *frame, a action.Action) error {
	var args struct {
		Durable bool `json:"durable"`
	}
	if err := arguments(a, &args, `a boolean "durable", if any`); err != nil {
		return err
	}
	f.node.Note = "the agent's own schedule"
	if args.Durable {
		e.explicit(f, effect.File)
		e.write(f, word{text: e.workspace + "/.claude/scheduled_tasks.json", quoted: true}, false, f.source(0, "tool/CronCreate"))
	}
	return nil
}

// enterWorktreeTool makes a working tree of the repository below .claude/worktrees and goes there, or goes to one that is there.
func (e *engine) enterWorktreeTool(f *frame, a action.Action) error {
	var args struct {
		Name string `json:"name"`
		Path string `json:"path"`
	}
	if err := arguments(a, &args, `a string member "name" or "path", if any`); err != nil {
		return err
	}
	if err := noNUL(a, args.Name, args.Path); err != nil {
		return err
	}
	e.explicit(f, effect.Process)
	f.view = effect.Command
	if args.Path != "" {
		e.startProgram(f, words("git", "worktree", "list"), 0)
		return nil
	}
	e.makeWorktree(f, cmp.Or(args.Name, hole))
	return nil
}

// makeWorktree is what Claude Code does for a working tree of its own: a branch and a folder, with the hooks that git then runs.
func (e *engine) makeWorktree(f *frame, name string) {
	e.startProgram(f, words("git", "worktree", "add", "-b", "worktree-"+name, e.repositoryRoot(f)+"/.claude/worktrees/"+name), 0)
}

func (e *engine) repositoryRoot(f *frame) string {
	for d := f.dir; ; d = path.Dir(d) {
		if e.present(d + "/.git") {
			return d
		}
		if d == "/" {
			return e.workspace
		}
	}
}

// exitWorktreeTool leaves a working tree, and with "remove" deletes it and its branch.
func (e *engine) exitWorktreeTool(f *frame, a action.Action) error {
	const need = `a string member "action", "keep" or "remove"`
	var args struct {
		Action string `json:"action"`
	}
	if err := arguments(a, &args, need); err != nil {
		return err
	}
	switch args.Action {
	case "keep":
		f.node.Note = "the working tree stays"
		return nil
	case "remove":
	default:
		return wants(a, need)
	}
	dir := hole // which tree the session is in is only known where the call comes out of it
	if i := strings.Index(f.dir+"/", "/.claude/worktrees/"); i >= 0 {
		name, _, _ := strings.Cut(f.dir[min(len(f.dir), i+len("/.claude/worktrees/")):], "/")
		dir = f.dir[:i] + "/.claude/worktrees/" + cmp.Or(name, hole)
	} else {
		dir = e.repositoryRoot(f) + "/.claude/worktrees/" + hole
	}
	e.explicit(f, effect.Process)
	f.view = effect.Command
	e.startProgram(f, words("git", "worktree", "remove", "--force", dir), 0)
	e.startProgram(f, words("git", "branch", "-D", "worktree-"+hole), 0)
	return nil
}

func words(texts ...string) []word {
	ws := make([]word, len(texts))
	for i, t := range texts {
		ws[i] = word{text: t, quoted: true}
	}
	return ws
}
