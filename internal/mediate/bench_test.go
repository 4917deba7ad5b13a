package mediate

import (
	"context"
	"slices"
	"testing"
	"time"
)

// percentiles reports the median and the P95 of what was timed, in microseconds.
func percentiles(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1000, "median-us")
	b.ReportMetric(float64(times[min(len(times)*95/100, len(times)-1)].Nanoseconds())/1000, "P95-us")
}

// BenchmarkJudge is the decision in process, predict and decide, without its record: docs/design.md, section 11.
func BenchmarkJudge(b *testing.B) {
	perCommand(b, func(d desk, c Call) error { _, err := d.judge(context.Background(), c); return err })
}

// BenchmarkDecide is the whole road with the durable record.
func BenchmarkDecide(b *testing.B) {
	perCommand(b, func(d desk, c Call) error { d.Decide(context.Background(), c); return nil })
}

func perCommand(b *testing.B, run func(desk, Call) error) {
	for _, command := range []string{"ls -la", "git status", "cat a.txt | grep -v b | sort > c.txt", "npm install"} {
		b.Run(command, func(b *testing.B) {
			d := newDesk(b, map[string]string{"shop/package.json": shopFiles["shop/package.json"], "shop/scripts/setup.js": shopFiles["shop/scripts/setup.js"]})
			call := d.bash(command)
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				if err := run(d, call); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			percentiles(b, times)
		})
	}
}
