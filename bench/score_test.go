package bench

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func labelled(id, source string, hook bool, classes ...string) Case {
	c := Case{ID: id, Source: source, Command: "x", Truth: &Truth{Classes: classes}}
	if hook {
		c.Hook = &Hook{Package: source}
	}
	return c
}

// Four cases, counted by hand:
//
//	id  label               command view        metadata view
//	a   file process        process             file process
//	b   file network proc.  file process        file network process
//	c   process             file process        file process
//	d   environment proc.   process             process
func fourCases() ([]Case, map[string]Views) {
	p, fp, fnp := []string{"process"}, []string{"file", "process"}, []string{"file", "network", "process"}
	return []Case{
			labelled("a", "one", true, "file", "process"),
			labelled("b", "one", true, "file", "network", "process"),
			labelled("c", "two", false, "process"),
			labelled("d", "three", false, "environment", "process"),
			{ID: "unlabelled", Source: "four", Command: "x"},
		}, map[string]Views{
			"a": {Explicit: p, Command: p, Metadata: fp},
			"b": {Explicit: p, Command: fp, Metadata: fnp, Could: []string{"container", "file"}, Unknown: true},
			"c": {Explicit: p, Command: fp, Metadata: fp},
			"d": {Explicit: p, Command: p, Metadata: p},
		}
}

func TestScore(t *testing.T) {
	r := Score(fourCases())
	if r.Cases != 4 || r.Sources != 3 {
		t.Fatalf("%d cases, %d sources", r.Cases, r.Sources)
	}
	type plain struct {
		Precision, Recall, PrecisionNoProcess, RecallNoProcess float64
		Exact, ResidualRecords                                 float64
		ResidualInstances                                      int
		Size, Unknown, ExactNoEnv, ResidualNoEnv               float64
	}
	want := map[string]plain{
		// Only process is predicted: right in all four. environment, file and network have precision and recall 0.
		"explicit": {1. / 4, 1. / 4, 0, 0, 1. / 4, 3. / 4, 4, 1, 1. / 4, 2. / 4, 2. / 4},
		// file: right in b, extra in c, missed in a.
		"command": {(0 + .5 + 0 + 1) / 4, (0 + .5 + 0 + 1) / 4, .5 / 3, .5 / 3, 0, 3. / 4, 3, 6. / 4, 1. / 4, 1. / 4, 2. / 4},
		// file: right in a and b, extra in c; network right in b; environment missed in d.
		"metadata": {(0 + 2./3 + 1 + 1) / 4, (0 + 1 + 1 + 1) / 4., (2./3 + 1) / 3, 2. / 3, 2. / 4, 1. / 4, 1, 8. / 4, 1. / 4, 3. / 4, 0},
		// As metadata, and container in b, where it does not occur.
		"metadata or unknown": {(0 + 0 + 2./3 + 1 + 1) / 5, (0 + 1 + 1 + 1) / 4., (2./3 + 1) / 4, 2. / 3, 1. / 4, 1. / 4, 1, 9. / 4, 1. / 4, 2. / 4, 0},
		// Six classes each time; container and mcp never occur.
		"everything": {(0 + .25 + .5 + 0 + .25 + 1) / 6, 1, (0 + .25 + .5 + 0 + .25) / 5, 1, 0, 0, 0, 6, 1. / 4, 0, 0},
		// a and b get file and network; network is extra in a.
		"hook implies file and network": {(0 + 1 + .5 + 1) / 4, (0 + 1 + 1 + 1) / 4., 1.5 / 3, 2. / 3, 2. / 4, 1. / 4, 1, (3 + 3 + 1 + 1) / 4., 1. / 4, 3. / 4, 0},
	}
	if len(r.Rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(r.Rows), len(want))
	}
	for _, row := range r.Rows {
		got := plain{row.Precision.Value, row.Recall.Value, row.PrecisionNoProcess, row.RecallNoProcess, row.Exact.Value, row.ResidualRecords.Value,
			row.ResidualInstances, row.Size, row.Unknown, row.ExactNoEnv, row.ResidualNoEnv}
		if d := cmp.Diff(want[row.Name], got, cmpopts.EquateApprox(0, 1e-9)); d != "" {
			t.Errorf("%s: %s", row.Name, d)
		}
		for _, m := range []Measure{row.Precision, row.Recall, row.Exact, row.ResidualRecords} {
			if m.Low > m.Value+1e-9 || m.High < m.Value-1e-9 {
				t.Errorf("%s: %s does not hold its value", row.Name, m)
			}
		}
	}
	if d := cmp.Diff([]Miss{{ID: "c", Extra: []string{"file"}}, {ID: "d", Missed: []string{"environment"}, Silent: []string{"environment"}}}, r.Misses); d != "" {
		t.Error(d)
	}
}

// Cases of one source are drawn together: two sources that differ give the widest interval there is, while the same
// four cases as four sources give a narrower one.
func TestBootstrapDrawsSources(t *testing.T) {
	width := func(sources ...string) float64 {
		var cases []Case
		views := map[string]Views{}
		for i, s := range sources {
			id := string(rune('a' + i))
			cases = append(cases, labelled(id, s, false, "process"))
			v := Views{Metadata: []string{"process"}}
			if i >= len(sources)/2 {
				v.Metadata = []string{"file"}
			}
			views[id] = v
		}
		m := Score(cases, views).Rows[2].Exact
		return m.High - m.Low
	}
	whole := []string{"x", "x", "x", "x", "x", "x", "y", "y", "y", "y", "y", "y"}
	single := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}
	if w := width(whole...); math.Abs(w-1) > 1e-9 {
		t.Errorf("two sources: width %v, want 1", w)
	}
	if w := width(single...); w > 0.8 {
		t.Errorf("twelve sources: width %v, want less", w)
	}
}

func TestReportPrints(t *testing.T) {
	r := Score(fourCases())
	var text, js bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4 cases from 3 sources", "metadata", "66.7 / 100.0", "missed environment", "extra file"} {
		if !bytes.Contains(text.Bytes(), []byte(want)) {
			t.Errorf("text lacks %q:\n%s", want, text.String())
		}
	}
	if err := r.WriteJSON(&js); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(js.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r, back); d != "" {
		t.Error(d)
	}
}
