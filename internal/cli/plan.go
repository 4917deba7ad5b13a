package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"mvdan.cc/sh/v3/syntax"
)

// maxRequest is how many bytes of one request are read, from a line of a batch or from the input of a tool.
const maxRequest = 64 << 20

type planCommand struct {
	JSON  bool    `name:"json" help:"Print the plan as one JSON object (docs/formats.md)."`
	View  string  `enum:"explicit,command,metadata" default:"metadata" placeholder:"VIEW" help:"The view to show: explicit, command or metadata. Each holds the one before it."`
	Dir   string  `placeholder:"DIR" help:"The folder that the command would run in; the current one if not given."`
	Text  *string `name:"command" short:"c" placeholder:"TEXT" help:"Shell text to plan, as for sh -c."`
	Batch bool    `help:"With --json: read one request {\"dir\", \"command\"} per line from standard input, print one plan per line, in order."`
	Tool  string  `placeholder:"NAME" help:"Plan a call of an agent's tool instead: Bash, Write, Read, Grep, WebFetch, Skill, mcp__SERVER__TOOL and others."`
	Input *string `placeholder:"JSON" help:"The tool's arguments, a JSON object; - reads them from standard input."`

	Command []string `arg:"" optional:"" passthrough:"" name:"words" help:"The command and its arguments, after --."`
}

// Help is shown by kong below the command's own line.
func (planCommand) Help() string {
	return `Nothing is run, nothing is connected to, nothing is written. For example:

    ambit plan -- npm install
    ambit plan -c 'cat a.txt | grep b > c.txt'
    ambit plan --json --tool mcp__docs__search --input '{"query":"x"}'`
}

func (c planCommand) Run(a *app) error {
	if c.Batch {
		return c.batch(a)
	}
	act, err := c.action(a)
	if err != nil {
		return err
	}
	return c.plan(a, act)
}

// plan predicts one action and prints what was predicted.
func (c planCommand) plan(a *app, act action.Action) error {
	p, err := a.predict(act)
	if err != nil {
		return err
	}
	view, err := effect.ParseView(c.View)
	if err != nil {
		return err
	}
	if !c.JSON {
		return a.printPlan(p, view)
	}
	if view == effect.Metadata {
		return a.printJSON(p)
	}
	return a.printView(p, view)
}

// action makes the action that the arguments describe.
func (c planCommand) action(a *app) (action.Action, error) {
	given := 0
	for _, g := range []bool{c.Text != nil, len(c.Command) > 0, c.Tool != ""} {
		if g {
			given++
		}
	}
	const example = "ambit plan -- npm install, or ambit plan -c 'npm install && npm test'"
	switch {
	case given == 0:
		return action.Action{}, faultf(codeUsage, example, "there is no command to plan")
	case given > 1:
		return action.Action{}, faultf(codeUsage, example, "more than one thing to plan: give a command after --, or text with -c, or a tool with --tool")
	case c.Input != nil && c.Tool == "":
		return action.Action{}, faultf(codeUsage, `ambit plan --tool Write --input '{"file_path":"a.txt","content":""}'`, "--input is for a tool, and --tool is not given")
	}
	dir, err := folder(c.Dir)
	if err != nil {
		return action.Action{}, err
	}
	if c.Tool != "" {
		input, err := c.toolInput(a.in)
		if err != nil {
			return action.Action{}, err
		}
		return newAction(dir, c.Tool, input)
	}
	text := ""
	if c.Text != nil {
		text = *c.Text
	} else if text, err = shellText(c.Command); err != nil {
		return action.Action{}, err
	}
	return newShell(dir, text)
}

func (c planCommand) toolInput(in io.Reader) ([]byte, error) {
	if c.Input == nil {
		return nil, faultf(codeUsage, "add --input '{...}', or --input - to read it from standard input", "the tool's arguments are missing")
	}
	if *c.Input != "-" {
		return []byte(*c.Input), nil
	}
	data, err := io.ReadAll(io.LimitReader(in, maxRequest+1))
	if err != nil {
		return nil, faultf(codeBadInput, "check what standard input is connected to", "cannot read the tool's arguments: %v", err)
	}
	if len(data) > maxRequest {
		return nil, faultf(codeTooLarge, "plan a smaller call", "the tool's arguments have more than %d bytes", maxRequest)
	}
	return data, nil
}

// shellText is the text that makes a shell run just this argument vector. The first "--" only ends ambit's own options.
func shellText(argv []string) (string, error) {
	if argv[0] == "--" {
		argv = argv[1:]
	}
	if len(argv) == 0 {
		return "", faultf(codeUsage, "ambit plan -- npm install", "there is no command after --")
	}
	words := make([]string, len(argv))
	for i, arg := range argv {
		word, err := syntax.Quote(arg, syntax.LangBash)
		if err != nil {
			return "", faultf(codeBadInput, "give the text with -c", "argument %d cannot be written as shell text: %v", i+1, err)
		}
		words[i] = word
	}
	return strings.Join(words, " "), nil
}

// folder is the absolute path of an existing folder; "" is the current one.
func folder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", faultf(codeNoFolder, "give a folder with --dir", "the current folder cannot be found: %v", err)
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return "", faultf(codeNoFolder, "give an existing folder with --dir", "cannot plan in %s: %v", abs, errors.Unwrap(err))
	case !info.IsDir():
		return "", faultf(codeNoFolder, "give the folder that holds it with --dir", "cannot plan in %s: it is not a folder", abs)
	}
	return abs, nil
}

// newShell refuses text that JSON cannot hold: the action would be another one than the one that was asked about.
func newShell(dir, text string) (action.Action, error) {
	if !utf8.ValidString(text) {
		return action.Action{}, faultf(codeBadInput, "write the bytes as $'\\xff' in the text", "the command is not valid UTF-8")
	}
	act, err := action.NewShell("cli", "", dir, text)
	if err != nil {
		return action.Action{}, faultf(codeBadInput, "check the command", "%v", err)
	}
	return act, nil
}

func newAction(dir, tool string, input []byte) (action.Action, error) {
	act, err := action.New("cli", "", dir, tool, input)
	if err != nil {
		return action.Action{}, faultf(codeBadInput, `give a JSON object, for instance --input '{"file_path":"a.txt"}'`, "%v", err)
	}
	return act, nil
}

// request is one line of a batch: a shell command, or a tool with its input.
type request struct {
	Dir     string          `json:"dir"`
	Command *string         `json:"command"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
}

// batch answers each line of standard input with one line: a plan, or an error for that line alone.
func (c planCommand) batch(a *app) error {
	if !c.JSON {
		return faultf(codeUsage, "ambit plan --json --batch", "--batch prints JSON")
	}
	if c.Text != nil || len(c.Command) > 0 || c.Tool != "" || c.Input != nil {
		return faultf(codeUsage, "ambit plan --json --batch < requests.jsonl", "with --batch the commands come from standard input, not from the command line")
	}
	in := bufio.NewReaderSize(a.in, 64<<10)
	for {
		line, tooLong, err := readLine(in, maxRequest)
		if err != nil && err != io.EOF {
			return faultf(codeBadInput, "check what standard input is connected to", "cannot read the requests: %v", err)
		}
		if err == io.EOF && len(line) == 0 && !tooLong {
			return nil
		}
		if fail := c.answer(a, line, tooLong); fail != nil {
			if err := a.printJSON(asFault(fail).object()); err != nil {
				return err
			}
		}
		// Whoever reads answer by answer must not wait for the next request.
		if in.Buffered() == 0 {
			if err := a.out.Flush(); err != nil {
				return faultf(codeBadOutput, "check that the place the output goes to has room and is open", "cannot write the output: %v", err)
			}
		}
	}
}

// answer plans one line. A failure, even an unexpected one, is this line's alone.
func (c planCommand) answer(a *app, line []byte, tooLong bool) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("unexpected failure: %v", r)
		}
	}()
	if tooLong {
		return faultf(codeTooLarge, "leave it out", "the request has more than %d bytes", maxRequest)
	}
	act, err := c.requested(line)
	if err != nil {
		return err
	}
	return c.plan(a, act)
}

func (c planCommand) requested(line []byte) (action.Action, error) {
	const example = `{"dir": "/home/user/project", "command": "npm ci"}`
	line, err := action.Canonical(line) // refuses what two readers could read in two ways
	if err != nil {
		return action.Action{}, faultf(codeBadInput, example, "the request is not valid JSON: %v", err)
	}
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) && e.Field != "" {
			return action.Action{}, faultf(codeBadInput, example, "the member %s of the request must not be a JSON %s", e.Field, e.Value)
		}
		return action.Action{}, faultf(codeBadInput, example, "the request is not a JSON object")
	}
	if (r.Command != nil) == (r.Tool != "") {
		return action.Action{}, faultf(codeBadInput, example, "the request must have one of command and tool")
	}
	base := r.Dir
	if !filepath.IsAbs(base) {
		base = filepath.Join(c.Dir, base)
	}
	dir, err := folder(base)
	if err != nil {
		return action.Action{}, err
	}
	if r.Command != nil {
		return newShell(dir, *r.Command)
	}
	return newAction(dir, r.Tool, r.Input)
}

// readLine reads up to and with the next newline. Of a line that is too long the rest is skipped, so that the next one is read from its start.
func readLine(in *bufio.Reader, limit int) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
		}
		if len(line) > limit {
			line, tooLong = nil, true
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		return line, tooLong, err
	}
}
