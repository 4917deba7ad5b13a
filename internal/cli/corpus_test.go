package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/ambit-dev/ambit/bench"
)

// Shares of everyday commands when they were last raised, in per cent less one point: the text parses; it parses and every program
// has a model; nothing at all is unknown.
const minParsed, minModelled, minComplete = 97.7, 67.7, 46.6

// Everyday commands go through the batch mode: one answer each, in order, and none is a failure.
func TestBatchOfEverydayCommands(t *testing.T) {
	commands, err := bench.Commands("../../bench/testdata/shell/tldr.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(commands) < 1475 {
		t.Fatalf("%d commands, want 1475", len(commands))
	}
	dir := t.TempDir()
	var in, out, errs bytes.Buffer
	for _, c := range commands {
		if err := json.NewEncoder(&in).Encode(map[string]string{"dir": dir, "command": c}); err != nil {
			t.Fatal(err)
		}
	}
	if code := run([]string{"plan", "--json", "--batch"}, &in, &out, &errs, []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}); code != exitOK || errs.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, errs.Bytes())
	}
	answers := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(answers) != len(commands) {
		t.Fatalf("%d answers to %d requests", len(answers), len(commands))
	}
	var parsed, modelled, complete int
	for i, line := range answers {
		var plan struct {
			Action   struct{ Digest string }
			Unknowns []struct{ Why string }
		}
		if err := json.Unmarshal([]byte(line), &plan); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		// The command that is printed may lack its secrets, the digest is that of the command that was asked about.
		if act, err := newShell(dir, commands[i]); err != nil || plan.Action.Digest != act.Digest() {
			t.Fatalf("answer %d is not to %q: %s", i, commands[i], line)
		}
		_, err := syntax.NewParser().Parse(strings.NewReader(commands[i]), "")
		known := err == nil
		for _, u := range plan.Unknowns {
			if strings.HasPrefix(u.Why, "analysis failed") {
				t.Errorf("%s: %s", commands[i], u.Why)
			}
			known = known && !strings.Contains(u.Why, "there is no model")
		}
		for _, is := range []struct {
			true  bool
			count *int
		}{{err == nil, &parsed}, {known, &modelled}, {len(plan.Unknowns) == 0, &complete}} {
			if is.true {
				*is.count++
			}
		}
	}
	for _, s := range []struct {
		name string
		n    int
		min  float64
	}{{"parsed", parsed, minParsed}, {"modelled", modelled, minModelled}, {"without unknown", complete, minComplete}} {
		share := 100 * float64(s.n) / float64(len(commands))
		t.Logf("%-16s %5d of %d, %.1f %%", s.name, s.n, len(commands), share)
		if share < s.min {
			t.Errorf("%s: %.2f %%, want at least %v", s.name, share, s.min)
		}
	}
}
