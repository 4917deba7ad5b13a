package record

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// report gives the median and the 95th percentile of durations, in the unit that a person compares with the budget.
func report(b *testing.B, name string, d []time.Duration, unit time.Duration, suffix string) {
	slices.Sort(d)
	b.ReportMetric(float64(d[len(d)/2])/float64(unit), name+"-p50-"+suffix)
	b.ReportMetric(float64(d[len(d)*95/100])/float64(unit), name+"-p95-"+suffix)
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// benchBody is about as large as an intent of a shell command.
func benchBody(i int) string {
	return fmt.Sprintf(`{"base_context":{"agent":"claude-code","n":%d},"represented":{"reads":["%s"]}}`, i, strings.Repeat("node_modules/x/package.json ", 70))
}

// BenchmarkAppend seals entries, and in turn with it writes as many bytes to the end of a file and flushes it.
func BenchmarkAppend(b *testing.B) {
	l := mustOpen(b, newPlace(b))
	f, err := os.Create(filepath.Join(b.TempDir(), "bare"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	body := map[string]any{"represented": strings.Repeat("node_modules/x/package.json ", 70)}
	bytes := []byte(benchBody(0))
	var appends, bare []time.Duration
	for b.Loop() {
		appends = append(appends, timed(func() {
			if _, err := l.Append("intent", body); err != nil {
				b.Fatal(err)
			}
		}))
		bare = append(bare, timed(func() {
			if _, err := f.Write(bytes); err != nil {
				b.Fatal(err)
			}
			if err := f.Sync(); err != nil {
				b.Fatal(err)
			}
		}))
	}
	report(b, "append", appends, time.Microsecond, "us")
	report(b, "write+fsync", bare, time.Microsecond, "us")
}

// BenchmarkVerify verifies a log of 100,000 entries of 2 kB, and in turn with it reads and hashes the same files.
func BenchmarkVerify(b *testing.B) {
	const entries = 100_000
	p := newPlace(b)
	l := mustOpen(b, p)
	grow(b, l, entries, benchBody)
	key, err := os.ReadFile(p.PublicKeyFile())
	if err != nil {
		b.Fatal(err)
	}
	var verifies, bare []time.Duration
	for b.Loop() {
		verifies = append(verifies, timed(func() {
			if rep, err := Verify(p.LogDir(), string(key), VerifyOptions{}); err != nil || !rep.OK() || rep.Entries != entries {
				b.Fatal(err, rep)
			}
		}))
		bare = append(bare, timed(func() {
			err := filepath.WalkDir(p.LogDir(), func(name string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				data, err := os.ReadFile(name)
				sha256.Sum256(data)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}))
	}
	report(b, "verify", verifies, time.Millisecond, "ms")
	report(b, "read+sha256", bare, time.Millisecond, "ms")
}
