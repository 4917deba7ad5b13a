package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/ambit-dev/ambit/internal/hook"
	"github.com/ambit-dev/ambit/internal/mediate"
	"github.com/ambit-dev/ambit/record"
)

// place is where the record and its keys are: $XDG_STATE_HOME/ambit and $XDG_CONFIG_HOME/ambit, or ~/.local/state/ambit and
// ~/.config/ambit. A variable that is not absolute is ignored (XDG Base Directory Specification).
func (a *app) place() (record.Place, error) {
	in := func(name, otherwise string) string {
		if dir := a.getenv(name); filepath.IsAbs(dir) {
			return filepath.Join(dir, "ambit")
		}
		if home := a.getenv("HOME"); filepath.IsAbs(home) {
			return filepath.Join(home, otherwise, "ambit")
		}
		return ""
	}
	p := record.Place{State: in("XDG_STATE_HOME", ".local/state"), Config: in("XDG_CONFIG_HOME", ".config")}
	if p.State == "" || p.Config == "" {
		return record.Place{}, faultf(codeNoFolder, "set HOME to your home folder", "there is no place for the record: HOME is not set to an absolute path")
	}
	return p, nil
}

// monitor is the monitor of this process. Where there cannot be one, it is one that refuses.
func (a *app) monitor() hook.Monitor {
	p, err := a.place()
	if err != nil {
		return refuser{asFault(err)}
	}
	return mediate.New(mediate.Options{Env: a.environ, Models: a.userModels(), Place: p, Version: version(), Executable: executables()})
}

// executables are the paths of this program: as it was started, and as the system knows it.
func executables() (paths []string) {
	if real, err := os.Executable(); err == nil {
		paths = append(paths, real)
	}
	if called := os.Args[0]; filepath.IsAbs(called) && !slices.Contains(paths, called) {
		paths = append(paths, called)
	}
	return paths
}

// refuser is the monitor where nothing can be recorded.
type refuser struct{ why *fault }

func (r refuser) verdict() mediate.Verdict {
	return mediate.Verdict{Text: "ambit denies this call: it cannot be recorded. " + r.why.message + ".\nNext: " + r.why.next + "."}
}

func (r refuser) Decide(context.Context, mediate.Call) mediate.Verdict   { return r.verdict() }
func (r refuser) Prompted(context.Context, mediate.Call) mediate.Verdict { return r.verdict() }
func (r refuser) Ran(context.Context, mediate.Call, mediate.Outcome) error {
	return errors.New(r.why.message)
}
