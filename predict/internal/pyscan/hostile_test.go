package pyscan

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/script"
	"github.com/ambit-dev/ambit/predict/internal/script/scripttest"
)

// Text that is not a program, or one that is made to exhaust the reader, ends in an unknown
// and in time that grows with its size.
func TestHostile(t *testing.T) {
	n := 100_000
	for name, src := range map[string]string{
		"nested brackets":   strings.Repeat("[", n),
		"nested calls":      strings.Repeat("f(", n),
		"nested lambdas":    strings.Repeat("lambda: ", n),
		"nested not":        strings.Repeat("not ", n) + "a",
		"nested ternaries":  strings.Repeat("a if b else ", n) + "c",
		"nested blocks":     nestedBlocks(2000),
		"nested f-strings":  strings.Repeat("f'{", n),
		"string not closed": "'" + strings.Repeat("a", n),
		"long not closed":   "'''" + strings.Repeat("a\n", n),
		"NUL":               "a\x00b",
		"closing bracket":   ")" + strings.Repeat("(", n),
		"chained targets":   strings.Repeat("a = ", n) + "1",
		"decorators alone":  strings.Repeat("@a\n", n),
	} {
		t.Run(name, func(t *testing.T) {
			got := Scan([]byte(src), script.Options{})
			if len(got) == 0 || got[0].Kind != script.Unknown || len(got[0].Could) == 0 {
				t.Errorf("got %v, want an unknown", got)
			}
		})
	}
}

func nestedBlocks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if a:\n")
	}
	return b.String()
}

func TestLongButPlain(t *testing.T) {
	n := 50_000
	write := "\nimport os\nos.mkdir('d')\n"
	for name, src := range map[string]string{
		"long sum":     "x = 1" + strings.Repeat(" + 1", n) + write,
		"many lines":   strings.Repeat("a = 'b'\r\n", n) + write,
		"long list":    "x = [" + strings.Repeat("1,", n) + "]" + write,
		"growing text": "s = 'a'\nfor i in range(30):\n    s += s + s\n" + write,
		"growing list": "s = ['a']\nfor i in range(30):\n    s = [*s, *s, *s]\n    s.extend(s)\n" + write,
		"endless loop": "while True:\n    x = 1\n" + write,
		"recursion":    "def f(x):\n    f(x)\n    f(x)\nf(0)\n" + write,
		"deep indents": nestedBlocks(200) + strings.Repeat(" ", 200) + "pass\n" + write,
	} {
		t.Run(name, func(t *testing.T) {
			list, err := Program(scripttest.Tree{}, "/w/main.py", scripttest.Options(src))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(scripttest.Findings(list), "\n")
			if !strings.Contains(got, "effect file.write /w/d") && !strings.Contains(got, "budget") && !strings.Contains(got, "deeply") {
				t.Errorf("got %q, want the write, or an unknown", got)
			}
		})
	}
}

func FuzzScan(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.py")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range seeds {
		b, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("from subprocess import run as r\nr(f'a {x!r:>{w}} {{b}}', shell=True)\n"))
	f.Add([]byte("@d\nclass A(B, metaclass=C):\n\tx: int = 1\n\tdef f(self, /, *a, k=1, **kw) -> int: return [i for i in a if i]\n"))
	f.Add([]byte("match x:\n  case {'a': 1}: pass\n  case _:\n    y = (z := 3)\nelse_ = a if b else lambda *a: a[1:2, ...]\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) == 0 {
			return
		}
		opts := scripttest.Options(string(src))
		opts.MaxSteps = 20_000
		one, err := Program(scripttest.Tree{}, "/w/main.py", opts)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(src, []byte("\n")) + 1
		for _, ff := range one {
			for _, x := range ff.Findings {
				if x.Line < 1 || x.Line > lines {
					t.Errorf("line %d of %d: %+v", x.Line, lines, x)
				}
				if x.Kind == script.Unknown && (x.Why == "" || len(x.Could) == 0) {
					t.Errorf("an unknown that does not say why or what: %+v", x)
				}
			}
		}
		two, err := Program(scripttest.Tree{}, "/w/main.py", opts)
		if err != nil || !reflect.DeepEqual(one, two) {
			t.Errorf("not deterministic:\n%v\n%v", one, two)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	tool, err := os.ReadFile("testdata/tool.py")
	if err != nil {
		b.Fatal(err)
	}
	var src bytes.Buffer
	for src.Len() < 1<<20 {
		src.WriteString("def f():\n    pass\n")
		for line := range bytes.Lines(tool) {
			src.WriteString("    ")
			src.Write(line)
		}
	}
	b.Run("module", func(b *testing.B) { // 1 MiB of functions that are not called
		b.SetBytes(int64(src.Len()))
		for b.Loop() {
			Scan(src.Bytes(), script.Options{})
		}
	})
	b.Run("tool", func(b *testing.B) {
		b.SetBytes(int64(len(tool)))
		for b.Loop() {
			Scan(tool, script.Options{})
		}
	})
}
