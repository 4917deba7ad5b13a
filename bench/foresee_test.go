package bench_test

import (
	"os"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/bench"
)

// TestForesee prints the scores of the cases whose ID has the prefix AMBIT_BENCH.
func TestForesee(t *testing.T) {
	prefix := os.Getenv("AMBIT_BENCH")
	if prefix == "" {
		t.Skip("set AMBIT_BENCH to the prefixes of cases")
	}
	all, err := bench.Load()
	if err != nil {
		t.Fatal(err)
	}
	var cases []bench.Case
	for _, c := range all {
		for _, p := range strings.Split(prefix, ",") {
			if strings.HasPrefix(c.ID, p) {
				cases = append(cases, c)
			}
		}
	}
	preds, err := bench.Predictions(cases, bench.Foresee)
	if err != nil {
		t.Fatal(err)
	}
	r := bench.Score(cases, preds)
	if err := r.WriteText(os.Stdout); err != nil {
		t.Fatal(err)
	}
}
