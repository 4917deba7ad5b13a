package bench

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/policy"
	"github.com/ambit-dev/ambit/predict"
)

// ShellReport says how much of a corpus of everyday commands is understood.
type ShellReport struct {
	Commands int            `json:"commands"`
	Parsed   int            `json:"parsed"`   // the shell text parses
	Modelled int            `json:"modelled"` // parsed, and every program has a model or is part of the shell
	Complete int            `json:"complete"` // no unknown at all
	Asks     int            `json:"asks"`     // the first policy would ask, protected places aside
	Failed   int            `json:"failed"`   // no prediction was made: a defect
	Median   time.Duration  `json:"median"`
	P95      time.Duration  `json:"p95"`
	Worst    time.Duration  `json:"worst"`
	WorstOf  string         `json:"worst_command"`
	Missing  []MissingModel `json:"missing"` // the programs without a model, most frequent first
	Reasons  []Reason       `json:"reasons"` // why commands ask, most frequent first
}

// Reason is one that commands ask for: an effect, by its kind and the rule that it follows from, or an unknown, by its words.
type Reason struct {
	Why   string `json:"why"`
	Uses  int    `json:"uses"`  // commands that have it
	Alone int    `json:"alone"` // those that ask for nothing else
}

// MissingModel is a program that the corpus uses and that has no model.
type MissingModel struct {
	Name string `json:"name"`
	Uses int    `json:"uses"`
}

// Shell predicts each command of a corpus in an empty folder. The corpus is JSON lines, perhaps gzipped, with a member "cmd"
// (placeholders as {{...}}, as the tldr pages write them) or "args": {"command": ...}. Where the commands were taken from a workspace
// at some path, that path stands for the empty folder. Nothing is run.
func Shell(file, workspace string, progress func(done int)) (ShellReport, error) {
	var r ShellReport
	commands, err := Commands(file)
	if err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "ambit-shell-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return r, err
	}
	opts := predict.Options{Env: []string{"HOME=" + dir, "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "TMPDIR=/tmp"}, Workspace: dir}
	missing, reasons := map[string]int{}, map[string]*Reason{}
	times := make([]time.Duration, 0, len(commands))
	for i, c := range commands {
		if progress != nil && i%1000 == 0 {
			progress(i)
		}
		if workspace != "" {
			c = strings.ReplaceAll(c, workspace, dir)
		}
		start := time.Now()
		a, err := action.NewShell("bench", "", dir, c)
		if err != nil {
			r.Failed++
			continue
		}
		p, err := predict.Predict(context.Background(), a, opts)
		took := time.Since(start)
		times = append(times, took)
		if took > r.Worst {
			r.Worst, r.WorstOf = took, c
		}
		if err != nil {
			r.Failed++
			continue
		}
		r.count(p, c, missing)
		r.asks(p, reasons)
	}
	r.Commands = len(commands)
	slices.Sort(times)
	if n := len(times); n > 0 {
		r.Median, r.P95 = times[n/2], times[n*95/100]
	}
	for n, uses := range missing {
		r.Missing = append(r.Missing, MissingModel{n, uses})
	}
	for _, x := range reasons {
		r.Reasons = append(r.Reasons, *x)
	}
	slices.SortFunc(r.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Uses, a.Uses), cmp.Compare(a.Why, b.Why))
	})
	slices.SortFunc(r.Missing, func(a, b MissingModel) int {
		return cmp.Or(cmp.Compare(b.Uses, a.Uses), cmp.Compare(a.Name, b.Name))
	})
	return r, nil
}

func (r *ShellReport) count(p *predict.Prediction, command string, missing map[string]int) {
	if _, err := syntax.NewParser().Parse(strings.NewReader(command), ""); err == nil {
		r.Parsed++
	}
	parsed, modelled := true, true
	for _, u := range p.Unknowns {
		switch {
		case u.From.Rule == predict.RuleDefect:
			r.Failed++
		case u.From.Rule == "shell/syntax" || u.From.Rule == "shell/text":
			parsed = false
		case strings.Contains(u.Why, "there is no model"):
			modelled = false
			name, _, _ := strings.Cut(u.Why, ":")
			missing[name]++
		}
	}
	if parsed && modelled {
		r.Modelled++
	}
	if len(p.Unknowns) == 0 {
		r.Complete++
	}
}

// asks counts a command that the first policy asks about, and why it does.
func (r *ShellReport) asks(p *predict.Prediction, reasons map[string]*Reason) {
	in := policy.Input{Explicit: p.Views(effect.Explicit), Effects: p.Effects}
	for _, u := range p.Unknowns {
		in.Unknowns = append(in.Unknowns, policy.Unknown{Why: u.Why, Could: u.Could})
	}
	added := policy.Added(in)
	if len(added) == 0 {
		return
	}
	r.Asks++
	why := map[string]bool{}
	for _, e := range p.Effects {
		if slices.Contains(added, e.Class) && !policy.Quiet(e) {
			rule := ""
			if len(e.Sources) > 0 {
				rule = e.Sources[0].Rule
			}
			why[e.Kind()+" "+rule] = true
		}
	}
	for _, u := range p.Unknowns {
		if slices.ContainsFunc(u.Could, func(c effect.Class) bool { return slices.Contains(added, c) }) {
			why["unknown "+u.From.Rule+": "+u.Why] = true
		}
	}
	for w := range why {
		x := reasons[w]
		if x == nil {
			x = &Reason{Why: w}
			reasons[w] = x
		}
		x.Uses++
		if len(why) == 1 {
			x.Alone++
		}
	}
}

// Commands reads a corpus as Shell takes it, with the placeholders filled in.
func Commands(file string) (commands []string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		var row struct {
			Cmd  string `json:"cmd"`
			Args struct {
				Command string `json:"command"`
			} `json:"args"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if c := cmp.Or(row.Cmd, row.Args.Command); c != "" {
			commands = append(commands, fillPlaceholders(c))
		}
	}
	return commands, lines.Err()
}

// fillPlaceholders makes a command of a tldr page one that a person could type: of alternatives the last (the long option, or
// the second choice), and example text as it stands.
func fillPlaceholders(c string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(c, "{{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		inside, after, ok := strings.Cut(rest, "}}")
		if !ok {
			b.WriteString("{{" + rest)
			return b.String()
		}
		for strings.HasPrefix(after, "}") { // "${{{name}}}"
			inside, after = inside+"}", after[1:]
		}
		if t, ok := strings.CutPrefix(inside, "["); ok && strings.HasSuffix(t, "]") {
			inside = t[:len(t)-1]
		}
		if i := strings.LastIndexByte(inside, '|'); i >= 0 {
			inside = inside[i+1:]
		}
		b.WriteString(inside)
		c = after
	}
}
