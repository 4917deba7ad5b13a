package cli

import (
	"io"
	"os"
	"strconv"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"

	glyph "github.com/ambit-dev/ambit/internal/visible"
)

// screen is what text is laid out for.
type screen struct {
	columns int
	colour  bool
}

// screenOf looks at where the output goes. Colours are only for a terminal, and not where NO_COLOR is set (no-color.org) or the
// terminal is a dumb one. COLUMNS overrides the width of the terminal; without either, lines are laid out for 100 columns.
func screenOf(w io.Writer, getenv func(string) string) screen {
	s := screen{columns: 100}
	f, ok := w.(*os.File)
	if ok && term.IsTerminal(int(f.Fd())) {
		s.colour = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			s.columns = columns
		}
	}
	if columns, err := strconv.Atoi(getenv("COLUMNS")); err == nil && columns > 0 {
		s.columns = columns
	}
	s.columns = max(s.columns, 40)
	return s
}

// style is a parameter of the terminal's SGR sequence (ECMA-48, 8.3.117).
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	blue   style = "34"
	purple style = "35"
	cyan   style = "36"
)

func (s screen) paint(st style, text string) string {
	if !s.colour || st == "" || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}

// visible is text that came from outside, as it may be shown.
func visible(s string) string { return glyph.Text(s) }

// columnsOf is how many columns a text takes that visible has seen: East Asian wide forms take two, combining marks none.
func columnsOf(s string) int {
	if glyph.Plain(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		switch k := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case k == width.EastAsianWide, k == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}
