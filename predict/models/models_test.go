package models_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/model"
	"github.com/ambit-dev/ambit/predict/models"
)

var update = flag.Bool("update", false, "write index.txt anew")

// TestIndexIsCurrent: an index of other models would find the wrong text.
func TestIndexIsCurrent(t *testing.T) {
	index, err := model.Index(models.Files)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("index.txt", []byte(index), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if index != models.Index {
		t.Error("index.txt is not that of the models. Next: go generate ./predict/models")
	}
}

// steps writes what a model says of a command line: "verb", "verb argument" for an action that names its own place, and
// "verb=value" for one that acts on a word. Roles without effect are left out.
func steps(t *testing.T, l *model.Library, line string, fill bool) string {
	t.Helper()
	words := split(line)
	c, err := l.Find(words[0])
	if err != nil || c == nil {
		t.Fatalf("%s: no model (%v)", line, err)
	}
	m := c.Match(words[0], words[1:])
	if m.Missing {
		return "missing"
	}
	var out []string
	for _, s := range m.Plan().Do {
		switch {
		case s.Verb == "text" || s.Verb == "skip":
		case s.Verb == "unknown":
			classes, _, _ := strings.Cut(s.Arg, ":")
			out = append(out, "unknown "+classes)
		case !fill && strings.Contains(s.Arg, "{}"):
			out = append(out, s.Verb+" "+strings.ReplaceAll(s.Arg, "{}", s.Value))
		case fill && strings.Contains(s.Arg, "{"):
			for _, text := range m.Expand(s.Arg, s.Value) {
				out = append(out, s.Verb+" "+text)
			}
		case s.Verb == "nothing":
			return s.Verb
		case s.HasValue && s.Arg == "":
			out = append(out, s.Verb+"="+s.Value)
		case s.HasValue && (s.Verb == "command" || s.Verb == "script" || s.Verb == "code" || s.Verb == "module"):
			out = append(out, s.Verb+" "+s.Arg+"="+s.Value)
		case s.Arg != "":
			out = append(out, s.Verb+" "+s.Arg)
		default:
			out = append(out, s.Verb)
		}
	}
	return strings.Join(out, "; ")
}

// split cuts a line at spaces; '...' holds spaces together.
func split(line string) (words []string) {
	quoted := false
	for i, part := range strings.Split(line, "'") {
		switch {
		case i%2 == 1 && quoted:
			words[len(words)-1] += part
		case i%2 == 1:
			words = append(words, part)
		case quoted && part != "" && part[0] != ' ':
			head, rest, _ := strings.Cut(part, " ")
			words[len(words)-1] += head
			words = append(words, strings.Fields(rest)...)
		default:
			words = append(words, strings.Fields(part)...)
		}
		quoted = part != "" && !strings.HasSuffix(part, " ")
	}
	return words
}

// check runs a table of command lines and the steps that their meaning asks for, in any order. Places like {1} stay as they
// are, but for {}.
func check(t *testing.T, table string) { t.Helper(); compare(t, table, false) }

// checkFilled does the same with the places filled.
func checkFilled(t *testing.T, table string) { t.Helper(); compare(t, table, true) }

func compare(t *testing.T, table string, fill bool) {
	t.Helper()
	l := &model.Library{Files: models.Files, Index: models.Index}
	for row := range strings.Lines(table) {
		line, want, ok := strings.Cut(strings.TrimSpace(row), " => ")
		if !ok {
			if line != "" && !strings.HasSuffix(line, "=>") {
				t.Fatalf("row without =>: %q", row)
			}
			line, want = strings.TrimSuffix(line, "=>"), ""
		}
		if line == "" {
			continue
		}
		if got := steps(t, l, line, fill); !same(got, strings.TrimSpace(want)) {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}

func same(a, b string) bool {
	x, y := strings.Split(a, "; "), strings.Split(b, "; ")
	if len(x) != len(y) {
		return false
	}
	count := map[string]int{}
	for i := range x {
		count[x[i]]++
		count[y[i]]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// TestValuesAreTaken gives every option that takes a value one, in each spelling: it must not be read as an operand.
func TestValuesAreTaken(t *testing.T) {
	l := &model.Library{Files: models.Files, Index: models.Index}
	names, err := l.Names()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[*model.Command]bool{}
	options := 0
	for _, name := range names {
		c, err := l.Find(name)
		if err != nil || c == nil {
			t.Fatalf("%s: %v", name, err)
		}
		if seen[c] || c.Style == "raw" || c.Style == "assign" {
			continue
		}
		seen[c] = true
		for _, aliases := range strings.Fields(c.Values) {
			for o := range strings.SplitSeq(aliases, "|") {
				options++
				spellings := [][]string{{o, "VALUE", "operand"}}
				switch {
				case strings.HasPrefix(o, "--"):
					spellings = append(spellings, []string{o + "=VALUE", "operand"})
				case len(o) == 2 && c.Style != "single":
					spellings = append(spellings, []string{o + "VALUE", "operand"})
				}
				for _, argv := range spellings {
					m := c.Match(name, argv)
					if len(m.Opts) != 1 || m.Opts[0].Value != "VALUE" || !m.Opts[0].Known {
						t.Errorf("%s %v: options %v", name, argv, m.Opts)
					}
					if len(m.Operands) > 0 && m.Operands[0].Text != "operand" {
						t.Errorf("%s %v: operands %v", name, argv, m.Operands)
					}
				}
			}
		}
	}
	if options < 2000 {
		t.Errorf("only %d options with a value were tried", options)
	}
}
