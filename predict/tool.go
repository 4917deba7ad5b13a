package predict

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"golang.org/x/text/unicode/norm"
	"mvdan.cc/sh/v3/syntax"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/mcpconfig"
)

// tool analyses an action by the tool that it names: a shell command, one of an agent's own tools, or an MCP tool. The names
// are those of Claude Code (its sdk-tools.d.ts lists the arguments); agents that speak its hook's language use them too.
func (e *engine) tool(f *frame, a action.Action) error {
	f.node.Title = a.Tool
	if strings.HasPrefix(a.Tool, "mcp__") {
		return e.mcpTool(f, a)
	}
	switch a.Tool {
	case action.Shell, "Bash":
		return e.shellTool(f, a)
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		return e.fileTool(f, a, effect.Write)
	case "Read", "NotebookRead":
		return e.fileTool(f, a, effect.Read)
	case "WebFetch":
		return e.fetchTool(f, a)
	}
	if known, err := e.agentTool(f, a); known {
		return err
	}
	f.comp = e.newComponent()
	e.unknown(f, f.source(0, "tool/"+a.Tool), "tool "+a.Tool+" is not one that ambit knows")
	return nil
}

// arguments reads those of a tool's arguments that matter here. A member that is missing is the caller's to judge.
func arguments(a action.Action, into any, need string) error {
	if err := json.Unmarshal(a.Args, into); err != nil {
		return wants(a, need)
	}
	return nil
}

func wants(a action.Action, need string) error {
	return fmt.Errorf("%w: %s wants %s", ErrTool, a.Tool, need)
}

// noNUL refuses a text that the program behind the tool cannot have meant, and that stands for what is not known here.
func noNUL(a action.Action, texts ...string) error {
	for _, t := range texts {
		if strings.Contains(t, "\x00") {
			return fmt.Errorf("%w: an argument of %s holds a NUL", ErrTool, a.Tool)
		}
	}
	return nil
}

// explicit makes a frame's effects part of what the agent's own approval names, as far as they are of this class.
func (e *engine) explicit(f *frame, c effect.Class) {
	f.view, f.names = effect.Explicit, c
	f.comp = e.newComponent()
}

func (e *engine) shellTool(f *frame, a action.Action) error {
	var args struct {
		Command *string `json:"command"`
	}
	if err := arguments(a, &args, `a string member "command"`); err != nil || args.Command == nil {
		return wants(a, `a string member "command"`)
	}
	f.node.Title = *args.Command
	e.shellCall(f, *args.Command)
	return nil
}

// shellCall is shell text that an agent runs: the approval names the shell, the command line says the rest.
func (e *engine) shellCall(f *frame, command string) {
	e.explicit(f, effect.Process)
	e.note(f, effect.Process, effect.Exec, e.find(f, "bash").pattern(), f.source(0, "shell"))
	f.comp = nil
	f.view = effect.Command
	e.shell(f, command, syntax.LangBash)
}

// fileTool reads or writes the file that its approval names. Agents differ in the member's name; a call that gives several is
// taken to mean each of them, so that none hides another.
func (e *engine) fileTool(f *frame, a action.Action, access effect.Access) error {
	const need = `a string member "file_path"`
	var args struct {
		FilePath     string `json:"file_path"`
		NotebookPath string `json:"notebook_path"`
		Path         string `json:"path"`
	}
	if err := arguments(a, &args, need); err != nil {
		return err
	}
	names := slices.DeleteFunc([]string{args.FilePath, args.NotebookPath, args.Path}, func(s string) bool { return s == "" })
	if len(names) == 0 {
		return wants(a, need)
	}
	if err := noNUL(a, names...); err != nil {
		return err
	}
	e.explicit(f, effect.File)
	f.node.Title = a.Tool + " " + strings.Join(names, " ")
	src := f.source(0, "tool/"+a.Tool)
	for _, n := range names {
		for _, w := range e.spellings(f, n) {
			if access == effect.Read {
				e.read(f, w, false, src)
			} else {
				e.write(f, w, false, src)
			}
		}
	}
	return nil
}

// spellings are the files that a path in a tool's arguments may mean: the one as it is written, and the ones that Claude Code makes
// of it. It takes away the blanks around a path, those that JavaScript knows (ECMA-262, String.prototype.trim), puts the home
// folder in the place of a tilde, and composes characters (Unicode's form NFC).
func (e *engine) spellings(f *frame, name string) []word {
	var ws []word
	seen := map[string]bool{"": true}
	add := func(text string) {
		if !seen[text] {
			seen[text] = true
			ws = append(ws, word{text: text, quoted: true})
		}
	}
	add(name)
	for _, t := range []string{name, strings.TrimSpace(name), strings.TrimFunc(name, jsSpace)} {
		if t == "~" || strings.HasPrefix(t, "~/") {
			t = e.homeText(f) + t[1:]
		}
		add(t)
		add(norm.NFC.String(t))
	}
	return ws
}

// jsSpace tells what JavaScript takes for a blank: the byte order mark is one, NEL is none.
func jsSpace(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) }

func (e *engine) fetchTool(f *frame, a action.Action) error {
	const need = `a string member "url"`
	var args struct {
		URL string `json:"url"`
	}
	if err := arguments(a, &args, need); err != nil || args.URL == "" {
		return wants(a, need)
	}
	if err := noNUL(a, args.URL); err != nil {
		return err
	}
	e.explicit(f, effect.Network)
	f.node.Title = "WebFetch " + args.URL
	e.network(f, word{text: args.URL, quoted: true}, effect.Fetch, f.source(0, "tool/WebFetch"))
	return nil
}

// mcpTool analyses a call mcp__SERVER__TOOL: the call itself, and what the server's configuration says of it.
func (e *engine) mcpTool(f *frame, a action.Action) error {
	r := e.mcpRequest(f, a)
	server, tool, ok := mcpconfig.Split(e.fs, r, a.Tool)
	if !ok {
		return fmt.Errorf("%w: %s is not of the form mcp__SERVER__TOOL", ErrTool, a.Tool)
	}
	name, err := json.Marshal(tool)
	if err != nil {
		return fmt.Errorf("%w: the name of %s cannot be written as JSON", ErrTool, a.Tool)
	}
	args := a.Args
	if len(args) == 0 {
		args = []byte("{}")
	}
	e.mcpCall(f, r, server, tool, messages("tools/call", `{"name":`+string(name)+`,"arguments":`+string(args)+"}"))
	return nil
}

func (e *engine) mcpRequest(f *frame, a action.Action) mcpconfig.Request {
	return mcpconfig.Request{Agent: a.Agent, Dir: f.dir, Home: e.home, Env: e.environment(f)}
}

// mcpCall is one request to a server. Input is what the client writes to the server's standard input.
func (e *engine) mcpCall(f *frame, r mcpconfig.Request, server, tool, input string) {
	f.node.Title = server + "/" + tool
	e.explicit(f, effect.MCP)
	on := effect.Any(effect.ToolKind)
	if res, err := effect.New(effect.ToolKind, server, tool); err == nil {
		on = effect.Exactly(res)
	}
	e.note(f, effect.MCP, effect.Call, on, f.source(0, "mcp/call"))
	f.view = effect.Command
	plan, program := mcpconfig.Plan(e.fs, r, server, tool)
	e.follow(f, plan)
	if program != nil {
		g := *f
		g.server = true
		g.in = &stdin{text: word{text: input, quoted: true}}
		e.job(&g, *program)
	}
}

// messages are what a client writes to an MCP server for one request (specification of the protocol, stdio transport: one JSON-RPC
// message a line).
func messages(method, params string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"client","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + "}\n"
}
