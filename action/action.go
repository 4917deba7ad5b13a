// Package action is one action of an agent in normal form, its canonical JSON (RFC 8785) and its digest. It refuses
// duplicate member names, text that is not UTF-8, and numbers that no double holds: two readers must not see two actions.
package action

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
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
	args, err := jsontext.AppendQuote([]byte(`{"command":`), command) // an error for text that is not UTF-8
	if err != nil {
		return Action{}, fmt.Errorf("the command cannot be written as JSON: %w", err)
	}
	return New(agent, session, dir, Shell, append(args, '}'))
}

// New makes an action from a tool's raw arguments. It fails if they are no JSON object or cannot be made canonical, and for
// names that are not UTF-8, which the digest could not tell apart.
func New(agent, session, dir, tool string, args []byte) (Action, error) {
	if !path.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return Action{}, fmt.Errorf("directory %q is not an absolute path", dir)
	}
	for _, s := range []string{agent, session, dir, tool} {
		if !utf8.ValidString(s) {
			return Action{}, fmt.Errorf("%q is not UTF-8", s)
		}
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
	// The standard library would take "Command" for it too.
	if jsonv2.Unmarshal(a.Args, &args) != nil || args.Command == nil {
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

// Canonical gives the RFC 8785 form of one JSON value. Duplicate names, invalid UTF-8, trailing data, numbers outside the range
// of a double, and integers whose digits a double cannot keep are errors: RFC 8785 would write 9007199254740993 as ...992, and
// an approval of the one would hold for the other. Pass such identifiers as text.
func Canonical(b []byte) ([]byte, error) {
	v := jsontext.Value(append([]byte(nil), b...))
	if err := v.Canonicalize(); err != nil {
		return nil, err
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(b))
	for {
		t, err := d.ReadToken()
		if err == io.EOF {
			return v, nil
		}
		if err != nil {
			return nil, err
		}
		if t.Kind() == '0' {
			if err := faithful(t.String()); err != nil {
				return nil, err
			}
		}
	}
}

// faithful checks one number as it is written.
func faithful(text string) error {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("number %s is outside the range of a double", text)
	}
	digits, exp := decimal(text)
	kept, keptExp := decimal(strconv.FormatFloat(f, 'e', -1, 64))
	if exp >= 0 && (digits != kept || exp != keptExp) {
		return fmt.Errorf("integer %s has more digits than a double keeps; pass it as text", text)
	}
	return nil
}

// decimal takes a JSON number apart: its digits without zeros at either end, and the power of ten that they are multiplied by.
// The sign is left out.
func decimal(text string) (digits string, exp int) {
	text = strings.TrimPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exp, _ = strconv.Atoi(text[i+1:]) // in range, or the digits are all zero
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	exp -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return "", 0
	}
	return short, exp + len(digits) - len(short)
}
