// Package action is one action of an agent in normal form, its canonical JSON (RFC 8785) and its digest. It refuses
// duplicate member names, invalid UTF-8 and numbers that JSON cannot hold: two readers must not see two actions.
package action

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"

	"github.com/go-json-experiment/json/jsontext"
)

// Shell is the tool name of a shell command; its arguments have the one member "command".
const Shell = "shell"

// Action is one thing an agent asks for. Dir is absolute. Args is canonical JSON, an object.
type Action struct {
	Agent   string
	Session string
	Dir     string
	Tool    string
	Args    json.RawMessage
}

// NewShell makes the action of running shell text in a directory.
func NewShell(agent, session, dir, command string) (Action, error) {
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return Action{}, err
	}
	return New(agent, session, dir, Shell, args)
}

// New makes an action from a tool's raw arguments. It fails if they are no JSON object or cannot be made canonical.
func New(agent, session, dir, tool string, args []byte) (Action, error) {
	if !path.IsAbs(dir) {
		return Action{}, fmt.Errorf("directory %q is not absolute", dir)
	}
	if tool == "" {
		return Action{}, fmt.Errorf("the action names no tool")
	}
	c, err := Canonical(args)
	if err != nil {
		return Action{}, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	if len(c) == 0 || c[0] != '{' {
		return Action{}, fmt.Errorf("arguments of %s are not a JSON object", tool)
	}
	return Action{Agent: agent, Session: session, Dir: path.Clean(dir), Tool: tool, Args: c}, nil
}

// Command is the text of a shell action; false for any other tool or where the text is missing.
func (a Action) Command() (string, bool) {
	if a.Tool != Shell {
		return "", false
	}
	var args struct {
		Command *string `json:"command"`
	}
	if json.Unmarshal(a.Args, &args) != nil || args.Command == nil {
		return "", false
	}
	return *args.Command, true
}

// Digest is the action's identity: "sha256:" and the hexadecimal SHA-256 of the canonical JSON of its five members
// {agent, args, dir, session, tool}.
func (a Action) Digest() string {
	b, err := json.Marshal(map[string]any{"agent": a.Agent, "args": a.Args, "dir": a.Dir, "session": a.Session, "tool": a.Tool})
	if err == nil {
		b, err = Canonical(b)
	}
	if err != nil {
		return "" // an action that New did not make; no digest matches the empty one
	}
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Canonical gives the RFC 8785 form of one JSON value. Duplicate names, invalid UTF-8, trailing data and numbers outside
// the range of a double are errors.
func Canonical(b []byte) ([]byte, error) {
	v := jsontext.Value(append([]byte(nil), b...))
	if err := v.Canonicalize(); err != nil {
		return nil, err
	}
	return v, nil
}
