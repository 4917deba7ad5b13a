package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
	"golang.org/x/text/width"
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

// visible is text that came from outside, with everything that could change how a terminal or a reader sees the rest written
// out: control characters, zero-width and bidirectional ones, blanks that are no space, private and unassigned ones as <U+202E>,
// and bytes that are no UTF-8 as <FF>.
func visible(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "<%02X>", s[0])
		case shown(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
		s = s[n:]
	}
	return b.String()
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// shown tells whether a rune is drawn, in its place, as itself.
func shown(r rune) bool {
	switch {
	case r == ' ':
		return true
	case !unicode.IsGraphic(r), unicode.Is(unicode.Zs, r): // controls, format, private, unassigned; all other blanks
		return false
	case unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point): // zero-width, and Hangul fillers
		return false
	case r == '\u2800': // the blank braille pattern
		return false
	}
	return true
}

// columnsOf is how many columns a text takes that visible has seen: East Asian wide forms take two, combining marks none.
func columnsOf(s string) int {
	if plain(s) {
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
