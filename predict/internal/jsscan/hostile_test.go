package jsscan

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
	n := 200_000
	for name, src := range map[string]string{
		"nested brackets":     strings.Repeat("[", n),
		"nested calls":        strings.Repeat("f(", n),
		"nested braces":       strings.Repeat("{", n),
		"nested templates":    strings.Repeat("`${", n),
		"nested functions":    strings.Repeat("(function(){", n),
		"nested arrows":       strings.Repeat("a=>", n),
		"nested ternaries":    strings.Repeat("a?b:", n) + "c",
		"nested unary":        strings.Repeat("!", n) + "a",
		"nested new":          strings.Repeat("new ", n) + "a",
		"nested elements":     strings.Repeat("<a>", n),
		"string not closed":   "'" + strings.Repeat("a", n),
		"template not closed": "`" + strings.Repeat("a", n),
		"comment not closed":  "/*" + strings.Repeat("a", n),
		"regex not closed":    "x = /" + strings.Repeat("a", n),
		"NUL":                 "a\x00b",
		"not UTF-8":           "a = '\xff\xfe'; b = \xff",
		"brackets mixed":      strings.Repeat("([{", n/3) + strings.Repeat(")", n),
	} {
		t.Run(name, func(t *testing.T) {
			got := Scan([]byte(src), script.Options{})
			if name == "not UTF-8" {
				return // a name may hold any byte from 0x80 on
			}
			if len(got) == 0 || got[0].Kind != script.Unknown || len(got[0].Could) == 0 {
				t.Errorf("got %v, want an unknown", got)
			}
		})
	}
}

func TestLongButPlain(t *testing.T) {
	n := 100_000
	for name, src := range map[string]string{
		"long sum":      "x = 1" + strings.Repeat("+1", n) + ";require('fs').mkdirSync('d')",
		"long chain":    "x" + strings.Repeat(".a()", n) + ";require('fs').mkdirSync('d')",
		"many lines":    strings.Repeat("a = 'b';\r\n", n) + "require('fs').mkdirSync('d')",
		"long list":     "x = [" + strings.Repeat("1,", n) + "];require('fs').mkdirSync('d')",
		"growing text":  "let s = 'a'; for (let i = 0; i < 100; i++) { s += s + s }; require('fs').mkdirSync('d')",
		"growing list":  "let s = ['a']; for (let i = 0; i < 100; i++) { s = [...s, ...s, ...s] }; require('fs').mkdirSync('d')",
		"endless loop":  "while (true) { x = 1 }; require('fs').mkdirSync('d')",
		"recursion":     "function f(x) { f(x + 1); f(x + 2) } f(0); require('fs').mkdirSync('d')",
		"mutual":        "function f(x) { g(x); g(x) } function g(x) { f(x); f(x) } f(0); require('fs').mkdirSync('d')",
		"getter itself": "const o = { get a() { return this.a } }; o.a; require('fs').mkdirSync('d')",
		"own prototype": "function F() {} F.prototype = Object.create(F.prototype); F.prototype.__proto__ = F.prototype; new F().x(); require('fs').mkdirSync('d')",
	} {
		t.Run(name, func(t *testing.T) {
			got := scripttest.Findings(program(t, src))
			if len(got) == 0 || !strings.HasPrefix(got[len(got)-1], "1 effect file.write /w/d") && !strings.Contains(strings.Join(got, "\n"), "budget") && !strings.Contains(strings.Join(got, "\n"), "file.write /w/d") && !strings.Contains(strings.Join(got, "\n"), "deeply") {
				t.Errorf("got %q, want the write, or an unknown", got)
			}
		})
	}
}

func program(t *testing.T, src string) []script.FileFindings {
	t.Helper()
	list, err := Program(scripttest.Tree{}, "/w/main.js", scripttest.Options(src))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func FuzzScan(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.js")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range seeds {
		b, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, false)
	}
	f.Add([]byte("const {execSync: x} = require('child_process'); x(`a ${process.env.B}`)"), false)
	f.Add([]byte("import fs, {type A} from 'fs'; class C<T> { private x?: number = 1 as any; f<U>(a: U): a is B {} }"), true)
	f.Add([]byte("<a b={c}>{...d}'</a>; x = a / b / c; /[/]/.test(`}`)"), false)
	f.Fuzz(func(t *testing.T, src []byte, ts bool) {
		name := "/w/main.js"
		if ts {
			name = "/w/main.ts"
		}
		opts := scripttest.Options(string(src))
		opts.MaxSteps = 20_000
		if len(src) == 0 {
			return
		}
		one, err := Program(scripttest.Tree{}, name, opts)
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
		two, err := Program(scripttest.Tree{}, name, opts)
		if err != nil || !reflect.DeepEqual(one, two) {
			t.Errorf("not deterministic:\n%v\n%v", one, two)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	var src bytes.Buffer
	seeds, err := filepath.Glob("testdata/*.js")
	if err != nil || len(seeds) == 0 {
		b.Fatal("no testdata", err)
	}
	for src.Len() < 1<<20 {
		for _, s := range seeds {
			text, err := os.ReadFile(s)
			if err != nil {
				b.Fatal(err)
			}
			src.WriteString("(function () {\n")
			src.Write(text)
			src.WriteString("\n});\n")
		}
	}
	b.Run("bundle", func(b *testing.B) { // 1 MiB of functions that are not called
		b.SetBytes(int64(src.Len()))
		for b.Loop() {
			Scan(src.Bytes(), script.Options{})
		}
	})
	one, err := os.ReadFile(seeds[0])
	if err != nil {
		b.Fatal(err)
	}
	b.Run("install script", func(b *testing.B) {
		b.SetBytes(int64(len(one)))
		for b.Loop() {
			Scan(one, script.Options{})
		}
	})
}
