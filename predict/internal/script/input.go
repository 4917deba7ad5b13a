package script

import "strings"

// ToolCall is the call that an MCP client sends on standard input.
type ToolCall struct {
	Name string
	Args Val // an object
}

// InputLines are the lines of standard input, without line breaks, where it is known.
func (ev *Eval) InputLines() ([]string, bool) {
	if !ev.Opts.HasInput {
		return nil, false
	}
	lines := strings.Split(strings.TrimSuffix(ev.Opts.Input, "\n"), "\n")
	if ev.Opts.Input == "" {
		lines = nil
	}
	return lines, true
}

// NextLine is the next line of standard input with its line break, "" at the end.
func (ev *Eval) NextLine() Val {
	lines, known := ev.InputLines()
	if !known {
		return NewUnk()
	}
	if ev.inputRead >= len(lines) {
		return ""
	}
	ev.inputRead++
	return lines[ev.inputRead-1] + "\n"
}

// Input is all of standard input.
func (ev *Eval) Input() Val {
	if !ev.Opts.HasInput {
		return NewUnk()
	}
	return ev.Opts.Input
}

// Tool finds the tool call among the messages on standard input.
func (ev *Eval) Tool() (ToolCall, bool) {
	lines, _ := ev.InputLines()
	for _, line := range lines {
		m, ok := ev.ParseJSON(line).(*Obj)
		if !ok || ev.get(m, "method") != Val("tools/call") {
			continue
		}
		params := ev.get(m, "params")
		if name, ok := ev.get(params, "name").(string); ok {
			return ToolCall{name, ev.get(params, "arguments")}, true
		}
	}
	return ToolCall{}, false
}
