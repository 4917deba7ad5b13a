package predict_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/predict"
)

// benchPredict reports the median and P95 of one prediction, warm: models and pages are in memory, as in an agent's session.
func benchPredict(b *testing.B, dir, command string) {
	a, err := action.NewShell("bench", "", dir, command)
	if err != nil {
		b.Fatal(err)
	}
	o := predict.Options{Env: []string{"HOME=/home/user", "PATH=/usr/local/bin:/usr/bin:/bin"}}
	times := make([]time.Duration, 0, b.N)
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		if _, err := predict.Predict(context.Background(), a, o); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-median")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds()), "µs-P95")
}

func BenchmarkSimple(b *testing.B) {
	dir := b.TempDir()
	for name, c := range map[string]string{
		"echo":     "echo hello",
		"status":   "git status",
		"pipeline": "cat a.txt | grep -v b | sort > c.txt",
		"list":     "mkdir -p out && cp a.txt out/ && ls -la out",
	} {
		b.Run(name, func(b *testing.B) { benchPredict(b, dir, c) })
	}
}
