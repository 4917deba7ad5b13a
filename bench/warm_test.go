package bench

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ambit-dev/ambit/predict"
)

// BenchmarkCorpus predicts each labelled case, warm, and reports the median and P95. AMBIT_BENCH holds prefixes of the cases
// to take, parted by commas; all without it.
func BenchmarkCorpus(b *testing.B) {
	if _, err := exec.LookPath("npm"); err != nil {
		b.Skip("npm is not installed, without which workspaces cannot be prepared")
	}
	all, err := Load()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range all {
		if !hasPrefix(c.ID, os.Getenv("AMBIT_BENCH")) {
			continue
		}
		b.Run(c.ID, func(b *testing.B) {
			dir, err := Prepared(c)
			if err != nil {
				b.Skip(err)
			}
			a, env, err := surroundings(dir, c)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			times := make([]time.Duration, 0, b.N)
			for b.Loop() {
				start := time.Now()
				if _, err := predict.Predict(context.Background(), a, predict.Options{Env: env}); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			t := timing(c.ID, times)
			b.ReportMetric(float64(t.Median.Microseconds()), "µs-median")
			b.ReportMetric(float64(t.P95.Microseconds()), "µs-P95")
		})
	}
}

func hasPrefix(id, prefixes string) bool {
	for p := range strings.SplitSeq(prefixes, ",") {
		if strings.HasPrefix(id, p) {
			return true
		}
	}
	return false
}
