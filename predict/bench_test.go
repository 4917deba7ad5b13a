package predict_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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

// BenchmarkPackages plans in a project with 300 installed packages, ten of them with an install script. The workflows of the
// labelled corpus are timed in package bench.
func BenchmarkPackages(b *testing.B) {
	dir := b.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	deps, lock := "", ""
	for i := range 300 {
		name, script := fmt.Sprintf("part-%03d", i), ""
		if i > 0 {
			deps, lock = deps+",", lock+","
		}
		deps += fmt.Sprintf("%q: %q", name, "1.0.0")
		lock += fmt.Sprintf(`"node_modules/%s": {"version": "1.0.0", "resolved": "https://packages.example.com/%[1]s.tgz", "hasInstallScript": %t}`, name, i%30 == 0)
		if i%30 == 0 {
			script = `, "scripts": {"install": "node install.js"}`
			write("node_modules/"+name+"/install.js", "const fs = require('fs')\nfs.writeFileSync(__dirname + '/made', process.env.PART || 'x')\n")
		}
		write("node_modules/"+name+"/package.json", fmt.Sprintf(`{"name": %q, "version": "1.0.0"%s}`, name, script))
	}
	write("package.json", `{"name": "whole", "version": "1.0.0", "scripts": {"build": "node build.js && cp -r src dist"}, "dependencies": {`+deps+`}}`)
	write("package-lock.json", `{"name": "whole", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {"name": "whole", "version": "1.0.0", "dependencies": {`+deps+`}},`+lock+`}}`)
	write("build.js", "require('fs').writeFileSync('out.txt', 'x')\n")
	for _, c := range []string{"npm install", "npm ci", "npm run build", "npm rebuild"} {
		b.Run(c, func(b *testing.B) { benchPredict(b, dir, c) })
	}
}
