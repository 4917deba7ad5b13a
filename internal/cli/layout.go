package cli

import (
	"bufio"
	"strings"

	"github.com/ambit-dev/ambit/secret"
)

// layout writes rows that fit a screen. Nothing is cut: what does not fit goes on in the next line.
type layout struct {
	out *bufio.Writer
	screen
	secrets  *secret.Keeper // knows the secrets of what is shown; nil knows none that does not show by itself
	recorded bool           // what is shown comes from the record, where no secret is
}

// row is one entry: text after a lead, and a place at the right edge, or below where it does not fit. text, tail and right come
// from outside, and are shown with visible, without secrets; the other parts are the program's own.
type row struct {
	first, rest string // what leads the first line, and the lines that follow it
	mark        string // before the text, may hold colours
	text        string
	style       style
	tail        string // after the text, dim
	right       string
}

func (l layout) line(s string) {
	l.out.WriteString(s)
	l.out.WriteByte('\n')
}

func (l layout) row(r row) {
	if !l.recorded {
		r.text, r.tail, r.right = l.secrets.Text("", r.text), l.secrets.Text("", r.tail), l.secrets.Text("", r.right) // before lines are broken, which would cut a secret in two
	}
	right := visible(r.right)
	const leastText = 20 // columns; a deep tree gets past the edge rather than down to one letter a line
	room := max(l.columns-columnsOf(r.rest), leastText)
	used := columnsOf(r.first) + columnsOf(unpainted(r.mark))
	lead := l.paint(dim, r.first) + r.mark
	for i, line := range wrap(r.text, max(l.columns-used, leastText), room) {
		if i > 0 {
			l.line("")
			used, lead = columnsOf(r.rest), l.paint(dim, r.rest)
		}
		l.out.WriteString(lead + l.paint(r.style, line))
		used += columnsOf(line)
	}
	if tail := visible(r.tail); tail != "" {
		if used+columnsOf(tail) > l.columns {
			l.line("")
			tail = strings.TrimLeft(tail, " ")
			used = columnsOf(r.rest)
			l.out.WriteString(l.paint(dim, r.rest))
		}
		l.out.WriteString(l.paint(dim, tail))
		used += columnsOf(tail)
	}
	if right != "" {
		gap := l.columns - used - columnsOf(right)
		if gap < 2 {
			l.line("")
			l.out.WriteString(l.paint(dim, r.rest))
			gap = max(l.columns-columnsOf(r.rest)-columnsOf(right), 0)
		}
		l.out.WriteString(strings.Repeat(" ", gap) + l.paint(dim, right))
	}
	l.line("")
}

// unpainted is a text of ours without its colours.
func unpainted(s string) string {
	for {
		before, after, ok := strings.Cut(s, "\x1b[")
		if !ok {
			return s
		}
		_, after, _ = strings.Cut(after, "m")
		s = before + after
	}
}

// wrap makes text visible and breaks it into lines, the first of which has less room than the others. It breaks at its own
// newlines, else at a space, else anywhere.
func wrap(text string, first, others int) (lines []string) {
	room := first
	for part := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		part = visible(part)
		for columnsOf(part) > room {
			cut, space, columns := 0, 0, 0
			for i, c := range part {
				columns += columnsOf(string(c))
				if columns > room {
					break
				}
				cut = i + len(string(c))
				if c == ' ' && i > 0 {
					space = cut
				}
			}
			if space > 0 {
				cut = space
			}
			if cut == 0 {
				break // one wide character in no room
			}
			lines = append(lines, strings.TrimRight(part[:cut], " "))
			part, room = part[cut:], others
		}
		lines, room = append(lines, part), others
	}
	return lines
}

func pad(s string, columns int) string {
	return s + strings.Repeat(" ", max(columns-columnsOf(s), 0))
}
