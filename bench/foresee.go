package bench

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict"
)

// Plan makes the prediction of a case whose workspace is dir, in the surroundings that its traced runs had: a fresh home
// folder beside the workspace, and the search path of the case.
func Plan(dir string, c Case) (*predict.Prediction, error) {
	a, env, err := surroundings(dir, c)
	if err != nil {
		return nil, err
	}
	return predict.Predict(context.Background(), a, predict.Options{Env: env})
}

func surroundings(dir string, c Case) (a action.Action, env []string, err error) {
	base, err := cacheDir()
	if err != nil {
		return a, nil, err
	}
	search, err := c.searchPath(base)
	if err != nil {
		return a, nil, err
	}
	home := filepath.Join(filepath.Dir(dir), "home")
	if err := writeHome(home); err != nil {
		return a, nil, err
	}
	if c.Tool != "" {
		a, err = action.New("bench", "", dir, c.Tool, c.Input)
	} else {
		a, err = action.NewShell("bench", "", dir, c.Command)
	}
	env = []string{"HOME=" + home, "PATH=" + search, "TMPDIR=" + filepath.Join(filepath.Dir(dir), "tmp"), "PWD=" + dir, "LANG=C.UTF-8"}
	if h, err := os.UserHomeDir(); err == nil {
		env = append(env, "RUSTUP_HOME="+filepath.Join(h, ".rustup"))
	}
	for k, v := range c.Env {
		env = append(env, k+"="+v)
	}
	return a, env, err
}

// Foresee is the Predict of this program.
func Foresee(dir string, c Case) (Views, error) {
	p, err := Plan(dir, c)
	if err != nil {
		return Views{}, err
	}
	could := []string{}
	for _, u := range p.Unknowns {
		could = append(could, names(u.Could)...)
	}
	slices.Sort(could)
	return Views{
		Explicit: names(p.Views(effect.Explicit)), Command: names(p.Views(effect.Command)), Metadata: names(p.Views(effect.Metadata)),
		Could: slices.Compact(could), Unknown: len(p.Unknowns) > 0,
	}, nil
}

func names(classes []effect.Class) []string {
	out := make([]string, len(classes))
	for i, c := range classes {
		out[i] = c.String()
	}
	return out
}
