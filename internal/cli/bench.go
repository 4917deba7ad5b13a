package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/ambit-dev/ambit/bench"
)

// benchCommand holds the benchmarks of the field: how right predictions are, and how much of everyday shell is understood.
type benchCommand struct {
	Effects benchEffects `cmd:"" help:"Compare predictions with traced runs: three views, two baselines."`
	Shell   benchShell   `cmd:"" help:"Say how much of a corpus of shell commands is understood."`
	Speed   benchSpeed   `cmd:"" help:"Time predictions, in fresh processes and warm, beside programs that do nothing."`
	Hook    benchHook    `cmd:"" help:"Time the hook in fresh processes, its durable record included, and the verification of a long log."`
}

type benchEffects struct {
	JSON   bool     `name:"json" help:"Print the report as JSON."`
	Show   bool     `help:"Print the plan of each case, as plan --json does, before the table."`
	Case   []string `placeholder:"PREFIX" help:"Only cases whose ID starts so; may be given several times."`
	Corpus string   `enum:"effects,holdout" default:"effects" help:"Which labelled cases: effects, which the predictor is developed against, or holdout, which was labelled apart from it."`
}

// Help is shown by kong below the command's own line.
func (benchEffects) Help() string {
	return "Workspaces are prepared once in the user's cache folder: packages come from the npm registry, with their scripts off."
}

func (c benchEffects) Run(a *app) error {
	cases, err := chosen(c.Corpus, c.Case)
	if err != nil {
		return err
	}
	foresee := bench.Foresee
	if c.Show {
		foresee = func(dir string, x bench.Case) (bench.Views, error) {
			p, err := bench.Plan(dir, x)
			if err != nil {
				return bench.Views{}, err
			}
			if err := a.printJSON(p); err != nil {
				return bench.Views{}, err
			}
			return bench.Foresee(dir, x)
		}
	}
	predictions, err := bench.Predictions(cases, foresee)
	if err != nil {
		return err
	}
	r := bench.Score(cases, predictions)
	if c.JSON {
		return r.WriteJSON(a.out)
	}
	return r.WriteText(a.out)
}

// chosen are the cases of a corpus whose identity begins with one of the prefixes; all without prefixes.
func chosen(corpus string, prefixes []string) ([]bench.Case, error) {
	all, err := bench.LoadCorpus(corpus)
	if err != nil {
		return nil, err
	}
	var cases []bench.Case
	for _, x := range all {
		if len(prefixes) == 0 || hasAnyPrefix(x.ID, prefixes) {
			cases = append(cases, x)
		}
	}
	if len(cases) == 0 {
		return nil, faultf(codeUsage, "name the beginning of an ID, see bench/testdata", "no case begins with %s", strings.Join(prefixes, ", "))
	}
	return cases, nil
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

type benchShell struct {
	JSON   bool   `name:"json" help:"Print the report as JSON."`
	Top    int    `default:"30" placeholder:"N" help:"How many programs without a model, and reasons to ask, to list."`
	Place  string `name:"workspace" placeholder:"PATH" help:"The path of the workspace that the commands were taken from; an empty folder stands for it."`
	Corpus string `arg:"" help:"JSON lines, perhaps gzipped, with a member \"cmd\" or \"args\": {\"command\"}."`
}

func (c benchShell) Run(a *app) error {
	r, err := bench.Shell(c.Corpus, c.Place, nil)
	if err != nil {
		return err
	}
	r.Missing = r.Missing[:min(c.Top, len(r.Missing))]
	r.Reasons = r.Reasons[:min(c.Top, len(r.Reasons))]
	if c.JSON {
		return a.printJSON(r)
	}
	share := func(n int) string { return fmt.Sprintf("%6d  %5.1f %%", n, 100*float64(n)/float64(max(r.Commands, 1))) }
	fmt.Fprintf(a.out, "commands          %6d\nparsed            %s\nmodelled          %s\nwithout unknown   %s\nwould ask         %s\nfailed            %s\n", r.Commands,
		share(r.Parsed), share(r.Modelled), share(r.Complete), share(r.Asks), share(r.Failed))
	fmt.Fprintf(a.out, "time of one       median %v, P95 %v, worst %v (%s)\n", r.Median, r.P95, r.Worst, r.WorstOf)
	for i, m := range r.Missing {
		if i == 0 {
			fmt.Fprintln(a.out, "most frequent programs without a model:")
		}
		fmt.Fprintf(a.out, "  %5d  %s\n", m.Uses, m.Name)
	}
	for i, x := range r.Reasons {
		if i == 0 {
			fmt.Fprintln(a.out, "most frequent reasons to ask, in commands and in those that have no other:")
		}
		fmt.Fprintf(a.out, "  %5d  %5d  %s\n", x.Uses, x.Alone, visible(x.Why))
	}
	return nil
}

type benchHook struct {
	JSON    bool `name:"json" help:"Print the report as JSON."`
	Runs    int  `default:"100" placeholder:"N" help:"How often each is run."`
	Entries int  `default:"100000" placeholder:"N" help:"How many entries the long log has; 0 for none."`
}

func (c benchHook) Run(a *app) error {
	if c.Runs < 1 || c.Entries < 0 {
		return faultf(codeUsage, "ambit bench hook --runs 100", "--runs must be at least 1, and --entries not negative")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	r, err := bench.HookSpeed(self, c.Runs, c.Entries, func(s string) { fmt.Fprintln(os.Stderr, s) })
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(r)
	}
	return r.WriteText(a.out)
}

type benchSpeed struct {
	JSON bool     `name:"json" help:"Print the report as JSON."`
	Runs int      `default:"100" placeholder:"N" help:"How often each is run."`
	Show bool     `help:"Print the plan of each case, as plan --json does, before the table."`
	Case []string `placeholder:"PREFIX" help:"Only cases whose ID starts so; may be given several times."`
}

func (c benchSpeed) Run(a *app) error {
	if c.Runs < 1 {
		return faultf(codeUsage, "ambit bench speed --runs 100", "--runs must be at least 1")
	}
	cases, err := chosen("effects", c.Case)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	r, err := bench.Speed(self, cases, c.Runs)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(r)
	}
	return r.WriteText(a.out)
}
