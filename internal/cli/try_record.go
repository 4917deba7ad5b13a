package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ambit-dev/ambit/internal/mediate"
	"github.com/ambit-dev/ambit/policy"
)

// showRecord is the last station: what an agent's hook asks, what is sealed of it, and what happens when somebody changes that. The record
// is a scratch one, in a folder beside the project.
func (a *app) showRecord(l layout, number int, dir string) (err error) {
	scratch, err := os.MkdirTemp("", "ambit-try-record-")
	if err != nil {
		return faultf(codeBadOutput, "set TMPDIR to a folder that can be written", "cannot make a folder for the record of the tour: %v", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	tour := *a
	tour.environ = append(tour.environ, "XDG_STATE_HOME="+filepath.Join(scratch, "state"), "XDG_CONFIG_HOME="+filepath.Join(scratch, "config"))
	tour.getenv = lookup(tour.environ)

	l.row(row{mark: fmt.Sprintf("%d. ", number), rest: "   ", text: `With "ambit setup claude-code" each call of the agent gets there first. Calls without surprises go on; this is what a person is asked about the first command above:`})
	monitor := tour.monitor()
	question := ""
	for i, command := range recorded() {
		v := monitor.Decide(context.Background(), mediate.Call{
			Agent: "claude-code", Session: "tour", Event: "PreToolUse", ID: fmt.Sprint("toolu_", i), Mode: "default", Dir: dir,
			Tool: "Bash", Args: fmt.Appendf(nil, `{"command":%q}`, command),
		})
		if !v.Sealed {
			return fmt.Errorf("a call of the tour was not sealed: %s", v.Text)
		}
		if v.Is == policy.Ask {
			question = v.Text
		}
	}
	l.line("")
	shown := l
	shown.recorded = true
	for line := range strings.SplitSeq(question, "\n") {
		shown.row(row{first: "  │ ", rest: "  │ ", text: line})
	}
	l.line("")
	l.row(row{rest: "   ", text: "   Each judgement was sealed, in a signed log, before the call could run:"})
	if err := tour.stop(l, "ambit log", logListCommand{Number: 30}.Run); err != nil {
		return err
	}
	if err := tour.stop(l, "ambit log verify", logVerifyCommand{}.Run); err != nil {
		return err
	}
	l.line("")
	l.row(row{rest: "   ", text: "   Now somebody makes the record say that the agent asked for something else:"})
	if err := tour.forge("npm install", "npm outdate"); err != nil {
		return err
	}
	if err := tour.stop(l, "ambit log verify", logVerifyCommand{}.Run); exitOf(asFault(err).code) != exitNotSigned {
		return errors.Join(err, errors.New("a changed record was not noticed"))
	}
	l.row(row{text: "Exit code 4."})
	return nil
}

// recorded are the commands of the scratch record. One is asked about.
func recorded() []string {
	return []string{"git status --short", "npm install", "echo '{}' > ~/.claude/settings.json"}
}

// stop shows a command and what it prints.
func (a *app) stop(l layout, title string, run func(*app) error) error {
	l.line("")
	l.row(row{mark: "$ ", rest: "    ", text: title, style: bold})
	return run(a)
}

// forge replaces a text in the entries of the record by another one as long.
func (a *app) forge(what, by string) error {
	place, err := a.place()
	if err != nil {
		return err
	}
	changed := false
	err = filepath.WalkDir(filepath.Join(place.LogDir(), "tile", "entries"), func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(b, []byte(what)) {
			return err
		}
		changed = true
		return os.WriteFile(name, bytes.ReplaceAll(b, []byte(what), []byte(by)), 0o600)
	})
	if err == nil && !changed {
		err = errors.New("the tour's command is not in its record")
	}
	return err
}
