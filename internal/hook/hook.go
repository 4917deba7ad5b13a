// Package hook translates between coding agents and the monitor: one file per agent, its JSON in, its verdict out. It decides
// nothing, and whatever it does not understand, cannot seal, or cannot finish in time it refuses, in the form that this agent
// takes for a refusal.
package hook

import (
	"context"
	"strings"
	"time"

	"github.com/ambit-dev/ambit/internal/mediate"
	"github.com/ambit-dev/ambit/internal/visible"
)

// Monitor is what judges and records: mediate.Monitor.
type Monitor interface {
	// Decide judges a call before it runs. The verdict is sealed, or it is a denial.
	Decide(context.Context, mediate.Call) mediate.Verdict
	// Prompted records that the agent shows a question of its own, and judges the call where that was not done before.
	Prompted(context.Context, mediate.Call) mediate.Verdict
	// Ran records what became of a call.
	Ran(context.Context, mediate.Call, mediate.Outcome) error
}

// Options are what the surface knows beyond its input.
type Options struct {
	Project  string        // the agent's project folder, as it stands in its environment; "" if it says none
	Deadline time.Duration // of the whole answer; 0 is five seconds, which is well below the time that an agent waits for a hook
}

const deadline = 5 * time.Second

// Reply is how the process of a hook ends: what it writes, whole, and its exit code.
type Reply struct {
	Stdout []byte
	Stderr string
	Exit   int
}

// maxInput is how many bytes of an event are read. The largest have the content of a file that is to be written.
const maxInput = 64 << 20

// maxText is how many characters of a text are passed on. Claude Code keeps 10,000 UTF-16 units of a string, and a character has one or two.
const maxText = 4000

// clip makes a text one that every agent takes: UTF-8, never empty, and not cut by somebody else.
func clip(text, otherwise string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "�"))
	if text == "" {
		return otherwise
	}
	runes := []rune(text)
	if len(runes) <= maxText {
		return text
	}
	const cut = "\n(the rest is in the record: ambit log)"
	return string(runes[:maxText-len(cut)]) + cut
}

// oneLine is the text of an error, which may quote what came from outside.
func oneLine(err error) string { return visible.Text(err.Error()) }
