package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ambit-dev/ambit/internal/hook"
)

type setupCommand struct {
	ClaudeCode setupClaudeCommand `cmd:"" name:"claude-code" help:"Make Claude Code ask ambit before it acts: put the hooks into its settings."`
}

type setupClaudeCommand struct {
	User    bool `xor:"where" help:"In your own settings, for all projects: settings.json in $CLAUDE_CONFIG_DIR or ~/.claude. This is the default."`
	Project bool `xor:"where" help:"In your own settings for the project in the current folder: .claude/settings.local.json."`
	Remove  bool `help:"Take the hooks out again."`
	DryRun  bool `help:"Change nothing; print what the file would hold."`
}

// Help is shown by kong below the command's own line.
func (setupClaudeCommand) Help() string {
	return `Everything else in the file stays as it is. A second time changes nothing. A session that runs may keep the hooks that it started with.`
}

func (c setupClaudeCommand) Run(a *app) error {
	file, err := c.file(a)
	if err != nil {
		return err
	}
	binary, err := a.binary()
	if err != nil {
		return err
	}
	old, mode, err := readSettings(file)
	if err != nil {
		return err
	}
	text, err := hook.EditClaudeSettings(old, binary, c.Remove)
	off := errors.Is(err, hook.ErrHooksOff)
	if err != nil && !off {
		return faultf(codeSettings, "correct the file, or move it away, and try again", "cannot edit %s: %v", file, err)
	}
	say := func(format string, args ...any) { fmt.Fprintf(a.out, format+"\n", args...) }
	shown := visible(file)
	switch {
	case bytes.Equal(old, text) && c.Remove:
		say("%s has no hooks of ambit", shown)
	case bytes.Equal(old, text):
		say("%s has the hooks of ambit already", shown)
	case c.DryRun:
		say("%s would hold:", shown)
		_, err = a.out.Write(text)
		return err
	default:
		if err := writeSettings(file, old, text, mode); err != nil {
			return err
		}
		if c.Remove {
			say("the hooks of ambit are out of %s", shown)
		} else {
			say("Claude Code asks %s before it acts: the hooks are in %s", visible(binary), shown)
		}
		say("  next: start Claude Code anew; a session that runs may keep the hooks that it started with")
	}
	if off {
		return faultf(codeSettings, "take disableAllHooks out of it", "no hook runs: %s has disableAllHooks", file)
	}
	return nil
}

// file is the settings file to edit. Where it is a link, it is what the link leads to: the link is somebody's order.
func (c setupClaudeCommand) file(a *app) (string, error) {
	dir := a.getenv("CLAUDE_CONFIG_DIR")
	name := "settings.json"
	switch {
	case c.Project:
		here, err := folder("")
		if err != nil {
			return "", err
		}
		dir, name = filepath.Join(here, ".claude"), "settings.local.json"
	case filepath.IsAbs(dir):
	case filepath.IsAbs(a.getenv("HOME")):
		dir = filepath.Join(a.getenv("HOME"), ".claude")
	default:
		return "", faultf(codeNoFolder, "set HOME to your home folder", "there is no home folder: HOME is not set to an absolute path")
	}
	file := filepath.Join(dir, name)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real, nil
	}
	if _, err := os.Lstat(file); err == nil {
		return "", faultf(codeSettings, "remove the link, or make what it leads to", "%s is a link that leads nowhere", file)
	}
	return file, nil
}

// binary is the path by which an agent should start this program: the one on PATH where that is this program, since it stays the
// same when a package manager puts a new version behind it.
func (a *app) binary() (string, error) {
	real, err := os.Executable()
	if err != nil {
		return "", faultf(codeSettings, "start ambit by its path", "cannot tell where this program is: %v", err)
	}
	if strings.Contains(real, "/go-build") {
		return "", faultf(codeSettings, "go install github.com/ambit-dev/ambit/cmd/ambit@latest, and run that", "%s is a temporary program: Claude Code would find nothing there, and deny everything", real)
	}
	this, err := os.Stat(real)
	if err != nil {
		return "", faultf(codeSettings, "install ambit again", "cannot find this program: %v", err)
	}
	if found, err := exec.LookPath("ambit"); err == nil && filepath.IsAbs(found) {
		if other, err := os.Stat(found); err == nil && os.SameFile(this, other) {
			return found, nil
		}
	}
	return real, nil
}

// readSettings reads a settings file. One that is not there is empty.
func readSettings(file string) (text []byte, mode fs.FileMode, err error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0o644, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	if err == nil {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, 0, faultf(codeSettings, "see that it is a file that you may read", "cannot read %s: %v", file, cause(err))
	}
	return text, info.Mode().Perm(), nil
}

// cause is what went wrong, without the name of the file.
func cause(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// writeSettings puts a new text in the place of the old one: whole, or not at all.
func writeSettings(file string, old, text []byte, mode fs.FileMode) (err error) {
	defer func() {
		if err != nil && !errors.As(err, new(*fault)) {
			err = faultf(codeSettings, "see that you may write its folder, and that the disk has room", "cannot write %s: %v; it is as it was", file, cause(err))
		}
	}()
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".ambit-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // of no effect once it has its name
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if now, _, err := readSettings(file); err != nil || !bytes.Equal(now, old) {
		return faultf(codeSettings, "try again", "%s was changed meanwhile by somebody else", file)
	}
	return os.Rename(f.Name(), file)
}
