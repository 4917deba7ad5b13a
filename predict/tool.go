package predict

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"mvdan.cc/sh/v3/syntax"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/mcpconfig"
)

// tool analyses an action by the tool that it names: a shell command, one of an agent's own tools, or an MCP tool.
func (e *engine) tool(f *frame, a action.Action) error {
	f.node.Title = a.Tool
	switch a.Tool {
	case action.Shell, "Bash":
		return e.shellTool(f, a)
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		return e.fileTool(f, a, effect.Write)
	case "Read":
		return e.fileTool(f, a, effect.Read)
	case "WebFetch":
		return e.fetchTool(f, a)
	}
	if strings.HasPrefix(a.Tool, "mcp__") {
		return e.mcpTool(f, a)
	}
	f.comp = e.newComponent()
	e.unknown(f, f.source(0, "tool/"+a.Tool), "tool "+a.Tool+" is not one that ambit knows")
	return nil
}

func (e *engine) shellTool(f *frame, a action.Action) error {
	var args struct {
		Command *string `json:"command"`
	}
	if err := json.Unmarshal(a.Args, &args); err != nil || args.Command == nil {
		return fmt.Errorf("%w: %s wants a string member \"command\"", ErrTool, a.Tool)
	}
	f.node.Title = *args.Command
	f.view = effect.Explicit
	f.comp = e.newComponent()
	e.note(f, effect.Process, effect.Exec, e.find(f, "bash").pattern(), f.source(0, "shell"))
	f.comp = nil
	f.view = effect.Command
	e.shell(f, *args.Command, syntax.LangBash)
	return nil
}

func (e *engine) fileTool(f *frame, a action.Action, access effect.Access) error {
	var args struct {
		FilePath     string `json:"file_path"`
		NotebookPath string `json:"notebook_path"`
		Path         string `json:"path"`
	}
	if err := json.Unmarshal(a.Args, &args); err != nil {
		return fmt.Errorf("%w: %s wants a string member \"file_path\"", ErrTool, a.Tool)
	}
	name := args.FilePath
	for _, alt := range []string{args.NotebookPath, args.Path} {
		if name == "" {
			name = alt
		}
	}
	if name == "" {
		return fmt.Errorf("%w: %s wants a string member \"file_path\"", ErrTool, a.Tool)
	}
	if strings.Contains(name, "\x00") {
		return fmt.Errorf("%w: the path of %s holds a NUL", ErrTool, a.Tool)
	}
	f.view = effect.Explicit
	f.comp = e.newComponent()
	f.node.Title = a.Tool + " " + name
	src := f.source(0, "tool/"+a.Tool)
	w := word{text: name, quoted: true}
	if access == effect.Read {
		e.read(f, w, false, src)
		return nil
	}
	e.write(f, w, false, src)
	return nil
}

func (e *engine) fetchTool(f *frame, a action.Action) error {
	var args struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(a.Args, &args); err != nil || args.URL == "" {
		return fmt.Errorf("%w: WebFetch wants a string member \"url\"", ErrTool)
	}
	f.view = effect.Explicit
	f.comp = e.newComponent()
	f.node.Title = "WebFetch " + args.URL
	e.network(f, word{text: args.URL, quoted: true}, effect.Fetch, f.source(0, "tool/WebFetch"))
	return nil
}

// mcpTool analyses a call mcp__SERVER__TOOL: the call itself, and what the server's configuration says of it.
func (e *engine) mcpTool(f *frame, a action.Action) error {
	r := mcpconfig.Request{Agent: a.Agent, Dir: f.dir, Home: e.home, Env: e.environment(f)}
	server, tool, ok := mcpconfig.Split(e.fs, r, a.Tool)
	if !ok {
		return fmt.Errorf("%w: %s is not of the form mcp__SERVER__TOOL", ErrTool, a.Tool)
	}
	f.node.Title = server + "/" + tool
	f.view = effect.Explicit
	f.comp = e.newComponent()
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
		g.in = &stdin{text: word{text: messages(tool, jsontext.Value(a.Args)), quoted: true}}
		e.job(&g, *program)
	}
	return nil
}

// messages are what a client writes to an MCP server to call a tool once (specification of the protocol, stdio transport: one
// JSON-RPC message a line).
func messages(tool string, args jsontext.Value) string {
	name, err := json.Marshal(tool)
	if err != nil {
		return ""
	}
	if len(args) == 0 {
		args = jsontext.Value("{}")
	}
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"client","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + string(name) + `,"arguments":` + string(args) + "}}\n"
}
