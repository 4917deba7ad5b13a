// Package visible writes text that came from outside so that a person sees all of it: what could change how a terminal or a reader
// sees the rest is written out. It drops and hides nothing.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is text that came from outside, with everything that could change how a terminal or a reader sees the rest written
// out: control characters, zero-width and bidirectional ones, blanks that are no space, private and unassigned ones as <U+202E>,
// and bytes that are no UTF-8 as <FF>.
func Text(s string) string {
	if Plain(s) {
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

// Plain tells whether a text is printable ASCII.
func Plain(s string) bool {
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
