// Package cli is ambit's command line: it translates arguments into calls of the library and results into text or JSON. It
// decides nothing, and it alone reads the arguments and the environment.
package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"github.com/ambit-dev/ambit/secret"
)

// commands is the grammar. Each command is in the file of its name.
type commands struct {
	Plan       planCommand       `cmd:"" help:"Say what a command will set in motion, without running anything."`
	Hook       hookCommand       `cmd:"" help:"Answer an agent that asks before it acts."`
	Log        logCommand        `cmd:"" help:"Read the sealed record: list, show, verify, export."`
	Setup      setupCommand      `cmd:"" help:"Make an agent ask ambit before it acts."`
	Try        tryCommand        `cmd:"" help:"A short tour, in a scratch folder with a small real project in it."`
	Bench      benchCommand      `cmd:"" help:"Measure predictions against labelled corpora."`
	Version    versionCommand    `cmd:"" help:"Print the version."`
	Completion completionCommand `cmd:"" help:"Print a completion script for a shell."`
	Man        manCommand        `cmd:"" help:"Print the manual page."`
}

const description = "ambit says what a command will set in motion, before it runs."

// app is what the commands see of the world.
type app struct {
	in      io.Reader
	out     *bufio.Writer
	getenv  func(string) string
	environ []string
	screen  screen
	grammar *kong.Kong
}

// exited carries a wish of kong to end the program (--help) up to run.
type exited int

// Main runs the command line and returns the exit code.
func Main() int {
	if isHook(os.Args[1:]) {
		return answerHook(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	}
	return run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
}

func run(args []string, in io.Reader, stdout, stderr io.Writer, environ []string) (code int) {
	getenv := lookup(environ)
	a := &app{in: in, out: bufio.NewWriterSize(stdout, 64<<10), getenv: getenv, environ: environ, screen: screenOf(stdout, getenv)}
	asJSON := wantsJSON(args)
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(exited); ok {
				code = int(e)
			} else {
				code = a.fail(stderr, asJSON, fmt.Errorf("unexpected failure: %v", r))
			}
		}
		if err := a.out.Flush(); err != nil && code == exitOK {
			code = a.fail(stderr, false, faultf(codeBadOutput, "check that the place the output goes to has room and is open", "cannot write the output: %v", err))
		}
	}()
	if err := a.dispatch(args, stderr); err != nil {
		if end := exitWith(0); errors.As(err, &end) {
			return int(end)
		}
		return a.fail(stderr, asJSON, err)
	}
	return exitOK
}

// lookup finds a variable in an environment, "" if it is not there. As in the C library, the first one counts.
func lookup(environ []string) func(string) string {
	return func(name string) string {
		for _, entry := range environ {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func (a *app) dispatch(args []string, stderr io.Writer) error {
	var grammar commands
	k, err := kong.New(&grammar,
		kong.Name("ambit"), kong.Description(description),
		kong.Writers(a.out, stderr), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Exit(func(code int) { panic(exited(code)) }),
	)
	if err != nil {
		return err
	}
	a.grammar = k
	for i, arg := range args {
		if !utf8.ValidString(arg) { // kong would silently replace the bytes
			return faultf(codeBadInput, "write such bytes as $'\\xff' in the text of -c", "argument %d is not valid UTF-8", i+1)
		}
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	ctx, err := k.Parse(args)
	if err != nil {
		return usage(err)
	}
	return ctx.Run(a)
}

// usage turns an error of the parser into one that names the help to read.
func usage(err error) error {
	next := "ambit --help"
	if p := (*kong.ParseError)(nil); errors.As(err, &p) && p.Context != nil && p.Context.Selected() != nil {
		next = p.Context.Selected().FullPath() + " --help"
	}
	return &fault{code: codeUsage, message: err.Error(), next: next}
}

// fail prints an error: as an object on standard output for programs, otherwise as text on standard error.
func (a *app) fail(stderr io.Writer, asJSON bool, err error) int {
	f := asFault(err)
	if asJSON {
		if err := a.printJSON(f.object()); err == nil {
			return exitOf(f.code)
		}
	}
	fmt.Fprintf(stderr, "ambit: %s\n  next: %s\n", visible(concealed(f.message)), visible(concealed(f.next)))
	return exitOf(f.code)
}

// printJSON writes one value on one line, without the secrets in it.
func (a *app) printJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	out, err := (*secret.Keeper)(nil).JSON(b.Bytes())
	if err != nil {
		return faultf(codeBadInput, "use the names of secrets, $TOKEN, instead of the secrets", "the answer cannot be written without the secrets in it: %v", err)
	}
	_, err = a.out.Write(out)
	return err
}

// concealed is text without the secrets in it. What has the form of a placeholder is none: nothing here was redacted before.
func concealed(s string) string { return (*secret.Keeper)(nil).Text("", s) }

// wantsJSON looks for --json among ambit's own arguments: an error in the arguments is reported in the form that was asked for.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json")
}
