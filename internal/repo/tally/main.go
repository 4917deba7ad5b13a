// Command tally reads the output of `go test -json`, prints it for people, and ends with the line "N passed, N failed,
// N skipped". It refuses a run that failed, that ran no test, or in which a safety test (TestSafety...) was skipped.
//
// Its only argument, if given, is what the checks before the tests found wrong; the verdict, one line before the last, names it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	t := newTally(os.Stdout)
	t.before = strings.Join(os.Args[1:], " ")
	if err := t.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(2)
	}
	if !t.finish() {
		os.Exit(1)
	}
}

// event is one line of `go test -json` (see `go doc test2json`), the parts that are used.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build output
	Test        string
	Elapsed     float64
	Output      string
	FailedBuild string
}

type test struct {
	pkg, name string
}

// tally counts leaves: a test that has subtests is counted by them, unless it failed on its own.
type tally struct {
	out     io.Writer
	before  string                    // what was wrong before the tests ran, "" for nothing
	outcome map[test]string           // pass, fail, skip
	started map[test]bool             // has begun and not ended: the package died in it
	parents map[test]bool             // has subtests
	output  map[test]*strings.Builder // kept until the outcome is known; name "" is the package's own
	build   map[string]*strings.Builder
	broken  []string // packages that failed without a failing test: build, panic, TestMain
}

func newTally(out io.Writer) *tally {
	return &tally{
		out: out, outcome: map[test]string{}, started: map[test]bool{}, parents: map[test]bool{},
		output: map[test]*strings.Builder{}, build: map[string]*strings.Builder{},
	}
}

func (t *tally) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				t.add(e)
			} else {
				fmt.Fprintf(t.out, "%s", line) // not ours: go itself speaks
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (t *tally) add(e event) {
	id := test{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		builder(t.build, e.ImportPath).WriteString(e.Output)
	case "run":
		t.started[id] = true
		if i := strings.LastIndex(e.Test, "/"); i >= 0 {
			for name := e.Test; i >= 0; i = strings.LastIndex(name, "/") {
				name = name[:i]
				t.parents[test{e.Package, name}] = true
			}
		}
	case "output":
		builder(t.output, id).WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			t.endPackage(e)
			return
		}
		delete(t.started, id)
		t.outcome[id] = e.Action
		if e.Action != "fail" {
			if e.Action == "pass" {
				delete(t.output, id)
			}
			return
		}
		fmt.Fprint(t.out, builder(t.output, id).String())
	}
}

func (t *tally) endPackage(e event) {
	failed := false
	for id := range t.started {
		if id.pkg == e.Package { // the process ended inside this test
			t.outcome[id] = "fail"
			fmt.Fprint(t.out, builder(t.output, id).String())
			delete(t.started, id)
		}
	}
	for id, outcome := range t.outcome {
		failed = failed || id.pkg == e.Package && outcome == "fail"
	}
	switch {
	case e.Action == "fail" && !failed:
		t.broken = append(t.broken, e.Package)
		fmt.Fprint(t.out, builder(t.build, e.FailedBuild).String(), builder(t.output, test{pkg: e.Package}).String())
		fmt.Fprintf(t.out, "FAIL %s: it did not build, or died outside a test\n", e.Package)
	case e.Action == "fail":
		fmt.Fprintf(t.out, "FAIL %s %.1fs\n", e.Package, e.Elapsed)
	case e.Action == "pass":
		fmt.Fprintf(t.out, "ok   %s %.1fs\n", e.Package, e.Elapsed)
	}
}

// finish prints the skipped tests and the count, and says whether the run is good.
func (t *tally) finish() bool {
	var passed, failed, safety int
	var skipped, skippedSafety, failures []string
	for _, id := range slices.SortedFunc(maps.Keys(t.outcome), func(a, b test) int { return strings.Compare(a.pkg+" "+a.name, b.pkg+" "+b.name) }) {
		isSafety := strings.HasPrefix(id.name, "TestSafety")
		title := id.pkg + " " + id.name
		if t.parents[id] && !(t.outcome[id] == "fail" && !t.childFailed(id)) {
			continue
		}
		switch t.outcome[id] {
		case "pass":
			passed++
			if isSafety {
				safety++
			}
		case "fail":
			failed++
			failures = append(failures, title)
		case "skip":
			reason := lastLine(builder(t.output, id).String())
			skipped = append(skipped, title+": "+reason)
			if isSafety {
				skippedSafety = append(skippedSafety, title)
			}
		}
	}
	failed += len(t.broken)
	list(t.out, "failed", append(failures, t.broken...))
	list(t.out, "skipped", skipped)
	list(t.out, "safety tests that were skipped: what they guard was not checked, so the run fails", skippedSafety)
	fmt.Fprintf(t.out, "safety tests that passed: %d\n", safety)
	if passed+failed == 0 {
		fmt.Fprintln(t.out, "no test ran: that is a failure")
	}
	good := failed == 0 && passed > 0 && len(skippedSafety) == 0 && t.before == ""
	switch {
	case good:
		fmt.Fprintln(t.out, "all checks passed")
	case t.before != "":
		fmt.Fprintf(t.out, "FAILED before the tests: %s\n", t.before)
	default:
		fmt.Fprintln(t.out, "FAILED")
	}
	fmt.Fprintf(t.out, "%d passed, %d failed, %d skipped\n", passed, failed, len(skipped))
	return good
}

func (t *tally) childFailed(parent test) bool {
	for id, outcome := range t.outcome {
		if outcome == "fail" && id.pkg == parent.pkg && strings.HasPrefix(id.name, parent.name+"/") {
			return true
		}
	}
	return false
}

func list(out io.Writer, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s:\n", title)
	for _, s := range items {
		fmt.Fprintf(out, "  %s\n", s)
	}
}

// lastLine is the last line of a skipped test's output that is not the framework's own: the reason.
func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "===") {
			return line
		}
	}
	return "no reason given"
}

func builder[K comparable](m map[K]*strings.Builder, k K) *strings.Builder {
	if m[k] == nil {
		m[k] = new(strings.Builder)
	}
	return m[k]
}
