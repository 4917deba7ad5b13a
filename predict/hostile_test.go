package predict_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict"
)

// TestSafetyHostileText: text made to exhaust a parser ends in an unknown, within bounded time.
func TestSafetyHostileText(t *testing.T) {
	n := 1_000_000
	for name, text := range map[string]string{
		"substitutions":   strings.Repeat("$(", n),
		"closed":          strings.Repeat("$(", n) + strings.Repeat(")", n),
		"backquotes":      strings.Repeat("`", n+1),
		"parentheses":     strings.Repeat("(", n),
		"braces":          strings.Repeat("{ ", n),
		"ifs":             strings.Repeat("if ", n/3),
		"ifs on lines":    strings.Repeat("if\n", n/3),
		"cases":           strings.Repeat("case x in x) ", n/20),
		"functions":       strings.Repeat("f() ", n/4),
		"negations":       strings.Repeat("! ", n),
		"tests":           "[[ " + strings.Repeat("! ", n/2) + "x ]]",
		"arithmetic":      "echo $((" + strings.Repeat("-", n) + "1))",
		"arithmetic sum":  "echo $((" + strings.Repeat("1+", n/2) + "1))",
		"powers":          "echo $((" + strings.Repeat("2**", n/3) + "1))",
		"ternaries":       "echo $((" + strings.Repeat("1?2:", n/4) + "1))",
		"parameters":      "echo " + strings.Repeat("${a:-", n/5),
		"quotes":          strings.Repeat("\"$(", n/3),
		"brackets":        "echo $((" + strings.Repeat("a[", n/2),
		"pipes":           "true" + strings.Repeat("|true", n/5),
		"lists":           "true" + strings.Repeat("&&true", n/6),
		"here-documents":  strings.Repeat("cat <<A\n", n/8),
		"sequence":        "echo {1..1000000000}",
		"nested sequence": "echo " + strings.Repeat("{1..1000}", 10),
		"globs":           "echo " + strings.Repeat("*/", 4000),
		"long":            strings.Repeat("x", 10<<20),
		"times":           strings.Repeat("time ", n/5),
		"coprocs":         strings.Repeat("coproc ", n/7),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			p := plan(t, t.TempDir(), text)
			if d := time.Since(start); d > 2*time.Minute {
				t.Errorf("took %v", d)
			}
			if len(p.Unknowns) == 0 && len(p.Effects) < 1 {
				t.Error("neither an effect nor an unknown")
			}
		})
	}
}

// TestSafetyMisread: characters that shells and parsers read differently are never silently accepted.
func TestSafetyMisread(t *testing.T) {
	for _, text := range []string{"echo a \\\r\nrm -rf x", "echo a\x00b", "echo 'unclosed", "echo $(", "if true; then"} {
		if p := plan(t, t.TempDir(), text); len(p.Unknowns) == 0 {
			t.Errorf("%q: no unknown", text)
		}
	}
}

// TestSafetyWorkspace: files made to block, loop or crash a reader end in an unknown.
func TestSafetyWorkspace(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(syscall.Mkfifo(filepath.Join(dir, "fifo.sh"), 0o755))
	must(os.Symlink("loop.sh", filepath.Join(dir, "loop.sh")))
	must(os.Mkdir(filepath.Join(dir, "folder.sh"), 0o755))
	must(os.WriteFile(filepath.Join(dir, "self.sh"), []byte("#!/bin/sh\n./self.sh\n. ./self.sh\n"), 0o755))
	must(os.WriteFile(filepath.Join(dir, "big.sh"), append([]byte("#!/bin/sh\n"), make([]byte, 100<<20)...), 0o755))
	must(os.WriteFile(filepath.Join(dir, "bad.sh"), []byte("#!/bin/sh\n\xff\xfe $( \x80"), 0o755))
	must(os.Symlink("/dev/zero", filepath.Join(dir, "zero.sh")))
	for _, name := range []string{"fifo.sh", "loop.sh", "folder.sh", "big.sh", "bad.sh", "zero.sh", "missing.sh"} {
		for _, command := range []string{"./" + name, ". ./" + name} {
			p := plan(t, dir, command)
			if len(p.Unknowns) == 0 && !(name == "missing.sh" && command[0:2] == ". ") {
				t.Errorf("%s: no unknown", command)
			}
		}
	}
	if p := plan(t, dir, "./self.sh"); len(p.Views(effect.Metadata)) == 0 {
		t.Error("./self.sh: nothing")
	}
}

// TestSafetyBudget: a workspace that multiplies work ends in an unknown that says so.
func TestSafetyBudget(t *testing.T) {
	body := "#!/bin/sh\nfor a in 1 2 3 4 5 6 7 8 9; do for b in 1 2 3 4 5 6 7 8 9; do for c in 1 2 3 4 5 6 7 8 9; do for d in 1 2 3 4 5 6 7 8 9; do for e in 1 2 3 4 5 6 7 8 9; do echo $a$b$c$d$e > f; done; done; done; done; done\n"
	dir := tree(t, map[string]string{"bomb.sh*": body})
	p := plan(t, dir, "./bomb.sh")
	if len(p.Unknowns) == 0 {
		t.Error("no unknown for a script that was not analysed to its end")
	}
	var _ *predict.Prediction = p
}
