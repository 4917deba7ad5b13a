package bench

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ambit-dev/ambit/predict"
)

// Timing is one thing that was timed, over several runs. CPU is the median of the processor time, which says what it costs where
// others keep the machine busy; 0 where only the wall was looked at.
type Timing struct {
	Name   string        `json:"name"`
	Median time.Duration `json:"median_ns"`
	P95    time.Duration `json:"p95_ns"`
	CPU    time.Duration `json:"cpu_ns,omitempty"`
}

// CaseSpeed is how long it takes to predict one case: in a process of its own, and in one that has predicted it before.
type CaseSpeed struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"` // "registry package", or "repository workflow"
	Fresh Timing `json:"fresh"`
	Warm  Timing `json:"warm"`
}

// SpeedReport is what Speed measured. Baselines are processes that do next to nothing, timed in turn with the others.
type SpeedReport struct {
	Runs      int         `json:"runs"`
	Baselines []Timing    `json:"baselines"`
	Cases     []CaseSpeed `json:"cases"`   // slowest fresh process first
	Skipped   []string    `json:"skipped"` // cases whose workspace could not be made here, and why
}

// Speed times predictions of the program at an absolute path, and of this process. The fresh processes are run in turn, one of
// each after the other, so that a disturbance of the machine meets all of them.
func Speed(program string, cases []Case, runs int) (*SpeedReport, error) {
	top, err := os.MkdirTemp("", "ambit-speed-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(top)
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return nil, err
	}
	fresh, err := baselines(top, program)
	if err != nil {
		return nil, err
	}
	first := len(fresh) // of the cases
	report := &SpeedReport{Runs: runs}
	for _, c := range cases {
		dir, err := Prepared(c)
		if err != nil {
			why, _, _ := strings.Cut(err.Error(), "\n")
			report.Skipped = append(report.Skipped, why)
			continue
		}
		p, warm, err := timeWarm(dir, program, c, runs)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", c.ID, err)
		}
		fresh = append(fresh, p)
		report.Cases = append(report.Cases, CaseSpeed{ID: c.ID, Kind: c.kind(), Warm: warm})
	}
	timings, err := timeFresh(fresh, runs)
	if err != nil {
		return nil, err
	}
	report.Baselines = timings[:first]
	for i, t := range timings[first:] {
		report.Cases[i].Fresh = t
	}
	slices.SortFunc(report.Cases, func(a, b CaseSpeed) int { return cmp.Compare(b.Fresh.P95, a.Fresh.P95) })
	return report, nil
}

// kind parts what people write from what they install: packages have programs of their own, which are read as well.
func (c Case) kind() string {
	if c.Package != "" {
		return "registry package"
	}
	return "repository workflow"
}

// process is a command line that is timed.
type process struct {
	name   string
	argv   []string
	env    []string
	in     []byte // standard input
	denies bool   // it ends with exit code 2, a hook's denial
}

// baselines are programs beside which the others are read. Hello world is left out where there is no Go to build it.
func baselines(top, program string) ([]process, error) {
	out := []process{}
	if path, err := exec.LookPath("true"); err == nil {
		out = append(out, process{name: "true", argv: []string{path}})
	}
	if _, err := exec.LookPath("go"); err == nil {
		src, bin := filepath.Join(top, "hello.go"), filepath.Join(top, "hello")
		if err := os.WriteFile(src, []byte("package main\n\nfunc main() { println(\"hello, world\") }\n"), 0o600); err != nil {
			return nil, err
		}
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, src)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build hello world: %w\n%s", err, text)
		}
		out = append(out, process{name: "hello world in Go", argv: []string{bin}})
	}
	env := os.Environ()
	return append(out,
		process{name: "ambit version", argv: []string{program, "version"}, env: env},
		process{name: "ambit plan -- echo hello", argv: []string{program, "plan", "--json", "--dir", top, "--", "echo", "hello"}, env: env},
	), nil
}

// timeWarm predicts a case in this process, after some runs that do not count, and gives the command line that does the same in
// a process of its own.
func timeWarm(dir, program string, c Case, runs int) (process, Timing, error) {
	a, env, err := surroundings(dir, c)
	if err != nil {
		return process{}, Timing{}, err
	}
	const unmeasured = 5
	times := make([]time.Duration, 0, runs)
	for i := range runs + unmeasured {
		start := time.Now()
		if _, err := predict.Predict(context.Background(), a, predict.Options{Env: env}); err != nil {
			return process{}, Timing{}, err
		}
		if i >= unmeasured {
			times = append(times, time.Since(start))
		}
	}
	p := process{name: c.ID, argv: []string{program, "plan", "--json", "--dir", dir, "-c", c.Command}, env: env}
	if c.Tool != "" {
		p.argv = []string{program, "plan", "--json", "--dir", dir, "--tool", c.Tool, "--input", string(c.Input)}
	}
	return p, timing(c.ID, times), nil
}

func timeFresh(ps []process, runs int) ([]Timing, error) {
	times, busy := make([][]time.Duration, len(ps)), make([][]time.Duration, len(ps))
	for range runs {
		for i, p := range ps {
			cmd := exec.Command(p.argv[0], p.argv[1:]...)
			cmd.Env, cmd.Stdin = p.env, bytes.NewReader(p.in)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			start := time.Now()
			err := cmd.Run()
			times[i] = append(times[i], time.Since(start))
			if p.denies && cmd.ProcessState.ExitCode() == 2 {
				err = nil
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w: %s", p.name, err, stderr.Bytes())
			}
			busy[i] = append(busy[i], cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
	}
	out := make([]Timing, len(ps))
	for i, p := range ps {
		out[i] = timing(p.name, times[i])
		out[i].CPU = timing("", busy[i]).Median
	}
	return out, nil
}

func timing(name string, times []time.Duration) Timing {
	slices.Sort(times)
	return Timing{Name: name, Median: times[len(times)/2], P95: times[min(len(times)*95/100, len(times)-1)]}
}

func (r *SpeedReport) within(is func(CaseSpeed) bool) (n int) {
	for _, c := range r.Cases {
		if is(c) {
			n++
		}
	}
	return n
}

// WriteText writes the report as the tables of docs/performance.md, in milliseconds.
func (r *SpeedReport) WriteText(w io.Writer) error {
	var b bytes.Buffer
	ms := func(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000) }
	fmt.Fprintf(&b, "Milliseconds over %d runs, median / P95.\n\n| fresh process | median | P95 | processor |\n| --- | ---: | ---: | ---: |\n", r.Runs)
	for _, t := range r.Baselines {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", t.Name, ms(t.Median), ms(t.P95), ms(t.CPU))
	}
	fmt.Fprintf(&b, "\n| worst case of | cases | fresh P95 | warm P95 | warm P95 of the median case |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, kind := range []string{"repository workflow", "registry package"} {
		var fresh, warm []time.Duration
		for _, c := range r.Cases {
			if c.Kind == kind {
				fresh, warm = append(fresh, c.Fresh.P95), append(warm, c.Warm.P95)
			}
		}
		if len(warm) > 0 {
			slices.Sort(warm)
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", kind, len(warm), ms(slices.Max(fresh)), ms(slices.Max(warm)), ms(warm[len(warm)/2]))
		}
	}
	fmt.Fprintf(&b, "\n| case | fresh median | fresh P95 | processor | warm median | warm P95 |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, c := range r.Cases {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", c.ID, ms(c.Fresh.Median), ms(c.Fresh.P95), ms(c.Fresh.CPU), ms(c.Warm.Median), ms(c.Warm.P95))
	}
	fmt.Fprintf(&b, "\n%d of %d cases have a warm P95 of at most 2 ms, %d of %d a fresh P95 of at most 20 ms.\n",
		r.within(func(c CaseSpeed) bool { return c.Warm.P95 <= 2*time.Millisecond }), len(r.Cases),
		r.within(func(c CaseSpeed) bool { return c.Fresh.P95 <= 20*time.Millisecond }), len(r.Cases))
	for i, why := range r.Skipped {
		if i == 0 {
			fmt.Fprintf(&b, "\nNot timed, since their workspaces could not be made here:\n\n")
		}
		fmt.Fprintf(&b, "- %s\n", why)
	}
	_, err := w.Write(b.Bytes())
	return err
}
