package cli

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// What is quoted reads back as the same words.
func TestShellText(t *testing.T) {
	for _, argv := range [][]string{
		{"git", "commit", "-m", "a message with $(rm -rf x) and 'quotes'"},
		{"npm install"}, // one argument is one word, even if it looks like two
		{"ls", "--", "-l"},
		{"echo", ""},
		{"echo", "a\nb", "\t", "~", "*", "größe"},
		{"-x"},
	} {
		text, err := shellText(append([]string{"--"}, argv...))
		if err != nil {
			t.Errorf("%q: %v", argv, err)
			continue
		}
		if got := wordsOf(t, text); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", argv) {
			t.Errorf("%q is written %s, which reads as %q", argv, text, got)
		}
	}
	if text, err := shellText([]string{"a", "--", "b"}); err != nil || text != "a -- b" {
		t.Errorf("a later -- is an argument: %q, %v", text, err)
	}
}

// wordsOf are the words of a simple command whose parts are all literal.
func wordsOf(t *testing.T, text string) (words []string) {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil || len(file.Stmts) != 1 {
		t.Fatalf("%s: %v", text, err)
	}
	for _, w := range file.Stmts[0].Cmd.(*syntax.CallExpr).Args {
		var b strings.Builder
		for _, part := range w.Parts {
			switch p := part.(type) {
			case *syntax.Lit:
				b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
			case *syntax.SglQuoted:
				if p.Dollar {
					b.WriteString(strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(p.Value))
				} else {
					b.WriteString(p.Value)
				}
			case *syntax.DblQuoted:
				for _, part := range p.Parts {
					b.WriteString(strings.NewReplacer(`\$`, "$", `\"`, `"`).Replace(part.(*syntax.Lit).Value))
				}
			default:
				t.Fatalf("%s: a part %T is not literal", text, p)
			}
		}
		words = append(words, b.String())
	}
	return words
}

// The parser of arguments replaces bytes that are no UTF-8 by a character: another command would be planned than was asked about.
// (The scripts cannot test this: they replace them too.)
func TestArgumentsThatAreNoText(t *testing.T) {
	for _, args := range [][]string{
		{"plan", "--json", "-c", "a\xffb"},
		{"plan", "--json", "--", "ls", "a\xffb"},
		{"plan", "--json", "--dir", "a\xffb", "--", "ls"},
	} {
		var stdout, stderr strings.Builder
		code := run(args, strings.NewReader(""), &stdout, &stderr, nil)
		if code != exitInput || !strings.HasPrefix(stdout.String(), `{"error":{"code":"bad-input"`) {
			t.Errorf("%q: exit code %d, output %s%s", args, code, stdout.String(), stderr.String())
		}
	}
}

func TestReadLine(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader("one\n"+strings.Repeat("x", 5000)+"\nthree"), 16)
	for _, want := range []struct {
		line    string
		tooLong bool
	}{{"one\n", false}, {"", true}, {"three", false}} {
		line, tooLong, _ := readLine(in, 4999)
		if string(line) != want.line || tooLong != want.tooLong {
			t.Fatalf("got %d bytes, too long %v; want %q, %v", len(line), tooLong, want.line, want.tooLong)
		}
	}
}

// The page for users and the code name the same exit codes, with the same words.
func TestExitCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range exitCodes() {
		if row := fmt.Sprintf("| %d | %s |", e.code, e.meaning); !strings.Contains(string(page), row) {
			t.Errorf("docs/cli.md lacks the row %q", row)
		}
	}
	for _, code := range []string{codeInternal, codeUsage, codeNoFolder, codeBadInput, codeTooLarge, codeBadOutput} {
		if row := fmt.Sprintf("| `%s` | %d |", code, exitOf(code)); !strings.Contains(string(page), row) {
			t.Errorf("docs/cli.md lacks the row %q", row)
		}
	}
}
