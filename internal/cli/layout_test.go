package cli

import (
	"bufio"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, in      string
		first, others int
		want          []string
	}{
		{"fits", "npm install", 20, 20, []string{"npm install"}},
		{"at a space", "npm install --save-dev", 12, 12, []string{"npm install", "--save-dev"}},
		{"the first line has less room", "aa bb cc", 3, 8, []string{"aa", "bb cc"}},
		{"no space", "abcdefgh", 3, 4, []string{"abc", "defg", "h"}},
		{"its own lines", "cat <<E\nhello\nE\n", 20, 20, []string{"cat <<E", "hello", "E"}},
		{"wide characters take two columns", "数据数据", 5, 5, []string{"数据", "数据"}},
		{"controls are written out before they are measured", "a\x1bb", 6, 6, []string{"a<U+00", "1B>b"}},
		{"nothing", "", 5, 5, []string{""}},
	} {
		if got := wrap(c.in, c.first, c.others); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRow(t *testing.T) {
	for _, c := range []struct {
		name string
		row  row
		want string
	}{
		{"all in one line", row{first: "├─ ", text: "make", right: "Makefile:3"}, "├─ make                       Makefile:3\n"},
		{"no place", row{first: "├─ ", text: "make"}, "├─ make\n"},
		{"the place goes below", row{first: "├─ ", rest: "│  ", text: "make a-target-with-a-long-name", right: "Makefile:3"},
			"├─ make a-target-with-a-long-name\n│                             Makefile:3\n"},
		{"a place that is wider than the screen is whole", row{rest: "  ", text: "x", right: strings.Repeat("d/", 30) + "f:1"},
			"x\n  " + strings.Repeat("d/", 30) + "f:1\n"},
	} {
		var b strings.Builder
		l := layout{out: bufio.NewWriter(&b), screen: screen{columns: 40}}
		l.row(c.row)
		if err := l.out.Flush(); err != nil || b.String() != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.name, b.String(), c.want, err)
		}
	}
}

// Colours change no column.
func TestRowInColour(t *testing.T) {
	texts := map[bool]string{}
	for _, colour := range []bool{false, true} {
		var b strings.Builder
		l := layout{out: bufio.NewWriter(&b), screen: screen{columns: 40, colour: colour}}
		l.row(row{first: "├─ ", rest: "│  ", mark: l.paint(red, "N") + " ", text: "curl example.com", style: bold, tail: "  (a note)", right: "a.sh:1"})
		if err := l.out.Flush(); err != nil {
			t.Fatal(err)
		}
		texts[colour] = b.String()
	}
	if !strings.Contains(texts[true], "\x1b[31mN\x1b[0m") {
		t.Errorf("no colour in %q", texts[true])
	}
	if got := unpainted(texts[true]); got != texts[false] {
		t.Errorf("without its colours %q, want %q", got, texts[false])
	}
}
