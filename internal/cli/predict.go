package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict"
)

// predict plans an action in the surroundings of this process.
func (a *app) predict(act action.Action) (*predict.Prediction, error) {
	p, err := predict.Predict(context.Background(), act, predict.Options{Env: a.environ, Models: a.userModels()})
	if errors.Is(err, predict.ErrTool) {
		return nil, faultf(codeBadInput, "give the arguments that the tool takes, see docs/cli.md", "%v", err)
	}
	return p, err
}

// userModels is the folder of the user's own command models, if there is one: $XDG_CONFIG_HOME/ambit/models, or
// ~/.config/ambit/models. A variable that is not absolute is ignored (XDG Base Directory Specification).
func (a *app) userModels() []fs.FS {
	config := a.getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		home := a.getenv("HOME")
		if !filepath.IsAbs(home) {
			return nil
		}
		config = filepath.Join(home, ".config")
	}
	dir := filepath.Join(config, "ambit", "models")
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	return []fs.FS{os.DirFS(dir)}
}

// printView writes a plan whose effects are only those of a view; all other members stay as they are.
func (a *app) printView(p *predict.Prediction, view effect.View) error {
	whole, err := json.Marshal(p)
	if err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(whole, &members); err != nil {
		return err
	}
	for _, name := range []string{"effects", "ordinary", "delegated"} {
		var all []json.RawMessage
		if err := json.Unmarshal(members[name], &all); err != nil {
			return err
		}
		kept := []json.RawMessage{}
		for _, one := range all {
			var e struct{ View effect.View }
			if err := json.Unmarshal(one, &e); err != nil {
				return err
			}
			if e.View <= view {
				kept = append(kept, one)
			}
		}
		if members[name], err = json.Marshal(kept); err != nil {
			return err
		}
	}
	return a.printJSON(members)
}
