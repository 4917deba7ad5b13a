package main

import (
	"strings"
	"testing"
)

func TestTally(t *testing.T) {
	const (
		passA  = `{"Action":"run","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"p","Test":"TestA"}` + "\n"
		okP    = `{"Action":"pass","Package":"p","Elapsed":1}` + "\n"
		failP  = `{"Action":"fail","Package":"p","Elapsed":1}` + "\n"
		parent = `{"Action":"run","Package":"p","Test":"TestT"}` + "\n" + `{"Action":"run","Package":"p","Test":"TestT/a"}` + "\n" +
			`{"Action":"run","Package":"p","Test":"TestT/b"}` + "\n"
	)
	for _, c := range []struct {
		name, in string
		last     string // the last line
		has      string // somewhere in the output
		good     bool
	}{
		{"one passes", passA + okP, "1 passed, 0 failed, 0 skipped", "ok   p 1.0s", true},
		{"nothing ran", okP, "0 passed, 0 failed, 0 skipped", "no test ran", false},
		{"no input", "", "0 passed, 0 failed, 0 skipped", "no test ran", false},
		{"one fails, its output is shown",
			passA + `{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:7: got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
` + failP, "1 passed, 1 failed, 0 skipped", "b_test.go:7: got 1, want 2", false},
		{"an ordinary skip is listed with its reason and is no failure",
			passA + `{"Action":"output","Package":"p","Test":"TestS","Output":"    s_test.go:3: no node here\n"}
{"Action":"output","Package":"p","Test":"TestS","Output":"--- SKIP: TestS (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestS"}
` + okP, "1 passed, 0 failed, 1 skipped", "p TestS: s_test.go:3: no node here", true},
		{"a safety test that skips fails the run",
			passA + `{"Action":"skip","Package":"p","Test":"TestSafetyX"}` + "\n" + okP,
			"1 passed, 0 failed, 1 skipped", "what they guard was not checked", false},
		{"a safety subtest that skips fails the run",
			passA + `{"Action":"run","Package":"p","Test":"TestSafetyX"}
{"Action":"run","Package":"p","Test":"TestSafetyX/a"}
{"Action":"skip","Package":"p","Test":"TestSafetyX/a"}
{"Action":"pass","Package":"p","Test":"TestSafetyX"}
` + okP, "1 passed, 0 failed, 1 skipped", "TestSafetyX/a", false},
		{"subtests are counted, not their parent",
			parent + `{"Action":"pass","Package":"p","Test":"TestT/a"}
{"Action":"fail","Package":"p","Test":"TestT/b"}
{"Action":"fail","Package":"p","Test":"TestT"}
` + failP, "1 passed, 1 failed, 0 skipped", "p TestT/b", false},
		{"a parent that fails on its own is counted",
			parent + `{"Action":"pass","Package":"p","Test":"TestT/a"}
{"Action":"pass","Package":"p","Test":"TestT/b"}
{"Action":"fail","Package":"p","Test":"TestT"}
` + failP, "2 passed, 1 failed, 0 skipped", "p TestT", false},
		{"a package that does not build is one failure, with the compiler's words",
			passA + okP + `{"ImportPath":"q","Action":"build-output","Output":"q.go:1:1: expected 'package'\n"}
{"Action":"fail","Package":"q","Elapsed":0,"FailedBuild":"q"}
`, "1 passed, 1 failed, 0 skipped", "q.go:1:1: expected 'package'", false},
		{"a process that dies inside a test fails that test",
			passA + `{"Action":"run","Package":"p","Test":"TestDies"}
{"Action":"output","Package":"p","Test":"TestDies","Output":"fatal error: stack overflow\n"}
` + failP, "1 passed, 1 failed, 0 skipped", "fatal error: stack overflow", false},
		{"what go says beside the events is passed on", "go: downloading x\n" + passA + okP, "1 passed, 0 failed, 0 skipped", "go: downloading x", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			tl := newTally(&out)
			if err := tl.read(strings.NewReader(c.in)); err != nil {
				t.Fatal(err)
			}
			good := tl.finish()
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if last := lines[len(lines)-1]; last != c.last {
				t.Errorf("last line %q, want %q", last, c.last)
			}
			if !strings.Contains(out.String(), c.has) {
				t.Errorf("output lacks %q:\n%s", c.has, out.String())
			}
			if good != c.good {
				t.Errorf("good = %v, want %v:\n%s", good, c.good, out.String())
			}
		})
	}
}

func TestTallyNamesWhatFailedBefore(t *testing.T) {
	var out strings.Builder
	tl := newTally(&out)
	tl.before = "gofmt"
	err := tl.read(strings.NewReader(`{"Action":"pass","Package":"p","Test":"TestA"}`))
	if good := tl.finish(); err != nil || good {
		t.Errorf("good = %v, error %v: a failed check must fail the run", good, err)
	}
	if want := "FAILED before the tests: gofmt\n1 passed, 0 failed, 0 skipped\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("output ends in %q, want %q", out.String(), want)
	}
}
