package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"github.com/ambit-dev/ambit/internal/hook"
)

type hookCommand struct {
	ClaudeCode claudeHookCommand `cmd:"" name:"claude-code" help:"Answer one event of Claude Code: JSON on standard input, the verdict on standard output."`
}

type claudeHookCommand struct {
	Settings bool `help:"Print what stands in a settings.json that asks this program; ambit setup claude-code puts it there."`
}

// Help is shown by kong below the command's own line.
func (claudeHookCommand) Help() string {
	return `Claude Code starts it; the exit codes are Claude Code's: 0 with nothing said is no objection, 2 is a denial.`
}

func (c claudeHookCommand) Run(a *app) error {
	if c.Settings {
		binary, err := a.binary()
		if err != nil {
			return err
		}
		text, err := hook.ClaudeSettings(binary)
		if err != nil {
			return err
		}
		_, err = a.out.Write(text)
		return err
	}
	return faultf(codeUsage, "ambit hook claude-code, or ambit hook claude-code --settings", "an event of Claude Code is answered only by exactly: ambit hook claude-code")
}

// isHook tells whether the arguments are those that Claude Code gives. Such a call is answered without the parser of the command
// line, which takes longer to build than a command takes to judge.
func isHook(args []string) bool {
	return len(args) == 2 && args[0] == "hook" && args[1] == "claude-code"
}

// answerHook is the whole program when an agent calls it. Every way out of it that is no answer is exit code 2 with a reason: Claude
// Code takes any other code, and a signal, for no objection, unless its settings say otherwise.
func answerHook(in io.Reader, stdout, stderr io.Writer, environ []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(stderr, "ambit denies this call: it failed: %s.\nNext: please report this.\n", visible(fmt.Sprint(r)))
			code = exitDenied
		}
	}()
	signal.Ignore(syscall.SIGPIPE) // else a closed output would be the end, and not an error
	a := &app{in: in, out: bufio.NewWriter(io.Discard), getenv: lookup(environ), environ: environ}
	r := hook.Claude(context.Background(), in, a.monitor(), hook.Options{Project: a.getenv("CLAUDE_PROJECT_DIR")})
	if r.Stderr != "" {
		io.WriteString(stderr, r.Stderr)
	}
	if len(r.Stdout) > 0 {
		if _, err := stdout.Write(r.Stdout); err != nil {
			fmt.Fprintf(stderr, "ambit denies this call: its answer cannot be written: %v.\nNext: see why Claude Code does not read it.\n", err)
			return exitDenied
		}
	}
	return r.Exit
}
