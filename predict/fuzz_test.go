package predict_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict"
)

// checkPlan holds what is true of every prediction: it can be made twice alike, views contain each other, every effect and
// unknown says why it is there.
func checkPlan(t *testing.T, dir, command string) {
	a, err := action.NewShell("fuzz", "", dir, command)
	if err != nil {
		return // text that JSON cannot hold is no action
	}
	var first []byte
	for range 2 {
		p, err := predict.Predict(context.Background(), a, predict.Options{Env: []string{"HOME=/home/user", "PATH=/usr/bin:/bin"}, Limits: predict.Limits{Time: 20 * time.Second, Steps: 500}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Effects {
			if len(e.Sources) == 0 || e.Sources[0].Rule == "" {
				t.Errorf("%s on %s has no rule", e.Kind(), e.On)
			}
			if q, err := effect.Parse(e.On.String()); err != nil || q != e.On {
				t.Errorf("%s does not read back: %v, %v", e.On, q, err)
			}
		}
		for _, u := range p.Unknowns {
			if u.From.Rule == predict.RuleDefect {
				t.Errorf("%s", u.Why)
			}
			if u.Why == "" || len(u.Could) == 0 {
				t.Errorf("unknown without a reason or a class: %+v", u)
			}
		}
		if e, c, m := len(p.Views(effect.Explicit)), len(p.Views(effect.Command)), len(p.Views(effect.Metadata)); e > c || c > m {
			t.Errorf("views do not contain each other: %d, %d, %d", e, c, m)
		}
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !bytes.Equal(first, b) {
			t.Errorf("two predictions differ:\n%s\n%s", first, b)
		}
		first = b
	}
}

func FuzzShell(f *testing.F) {
	for _, s := range []string{
		"echo a > b", "cat <<E | sh\nrm x\nE\n", "for i in {1..3}; do eval \"echo $i > f$i\"; done", "find . -exec rm {} +",
		"x=$(cat y) curl -d \"$x\" https://example.com", "a() { a; }; a", "cd /; rm -rf *", "[[ -f x && $(touch y) ]]", "echo ${a:-${b#c}} $((a=1))",
	} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) { checkPlan(t, dir, text) })
}

func fuzzFile(f *testing.F, name, command string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
		checkPlan(t, dir, command)
	})
}

func FuzzPackageJSON(f *testing.F) {
	fuzzFile(f, "package.json", "npm install", `{"scripts":{"postinstall":"node x.js"}}`, `[]`, `{"scripts":[1]}`, `{"scripts":{"install":"a","install":"b"}}`, "\xff\x00{")
}

func FuzzMakefile(f *testing.F) {
	fuzzFile(f, "Makefile", "make", "all:\n\ttouch x\n", "A=$(B)\nB=$(A)\nall: $(A)\n\techo $(shell ls)\n", "include Makefile\n", "define x\nendef\n")
}

func FuzzDockerfile(f *testing.F) {
	fuzzFile(f, "Dockerfile", "docker build .", "FROM a AS b\nRUN echo x\nFROM b\nCOPY --from=b / /\n", "# escape=`\nFROM a\nRUN a `\nb\n", "FROM\n")
}
