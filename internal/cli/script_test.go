package cli

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The real program is a command of the scripts: arguments, streams and exit codes are what a user has.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ambit": func() { os.Exit(Main()) }})
}

var update = flag.Bool("update", false, "write the golden parts of the scripts anew")

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else each run of a program built with -race ends a second late
			e.Setenv("HOSTILE", "a\x1b[2J\u202eb")
			ambit, err := exec.LookPath("ambit")
			if err != nil {
				return err
			}
			e.Setenv("AMBIT", ambit)
			e.Setenv("ESCAPE", "\x1b[31mred")
			return os.Mkdir(e.WorkDir+"/home", 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "event": event},
	})
}

// event NAME TOOL CALL INPUT [MEMBERS] gives the real program an event of Claude Code, of the session s in the current folder. MEMBERS is
// further JSON: "duration_ms":12.
func event(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 || len(args) > 5 {
		ts.Fatalf("usage: event NAME TOOL CALL INPUT [MEMBERS]")
	}
	text := fmt.Sprintf(`{"session_id":"s","cwd":%q,"hook_event_name":%q,"permission_mode":"default","tool_name":%q,"tool_use_id":%q,"tool_input":%s`,
		ts.MkAbs("."), args[0], args[1], args[2], args[3])
	if len(args) == 5 {
		text += "," + args[4]
	}
	name := ts.MkAbs("../event.json")
	ts.Check(os.WriteFile(name, []byte(text+"}"), 0o600))
	in, err := os.Open(name)
	ts.Check(err)
	defer in.Close()
	cmd := exec.Command(ts.Getenv("AMBIT"), "hook", "claude-code")
	cmd.Env = []string{"HOME=" + ts.Getenv("HOME"), "PATH=/nowhere", "GORACE=atexit_sleep_ms=0"}
	cmd.Stdin = in
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != exitDenied {
		ts.Fatalf("%v: %s", err, out)
	}
}

// exits CODE COMMAND ARG... runs a command and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if e, ok := err.(interface{ ExitCode() int }); ok {
		code = strconv.Itoa(e.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}
