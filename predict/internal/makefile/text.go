package makefile

import (
	"strings"
	"unicode/utf8"
)

// An unknown value stands in the text of make as a mark: a NUL, which no line of a makefile can hold, and one rune that
// tells which unknown it is. Two places with the same mark hold the same text, whatever that is.

const (
	nul      = '\x00'
	markBase = 0xF0000 // Supplementary Private Use Area-A
	markMax  = 60_000
)

func mark(i int) string { return "\x00" + string(rune(markBase+min(i, markMax))) }

// hasMark tells whether a text is not wholly known.
func hasMark(s string) bool { return strings.IndexByte(s, nul) >= 0 }

// onlyMark tells whether a text is one mark and nothing else.
func onlyMark(s string) bool { return len(s) > 0 && s[0] == nul && markLen(s) == len(s) }

// markLen is the length of the mark at the start of s, which starts with a NUL.
func markLen(s string) int {
	r, n := utf8.DecodeRuneInString(s[1:])
	if r < markBase || r > markBase+markMax {
		return 1 // torn by a substitution on its bytes: still unknown
	}
	return 1 + n
}

// markIndex is the number of the unknown at the start of s, or -1.
func markIndex(s string) int {
	if r, _ := utf8.DecodeRuneInString(s[1:]); r >= markBase && r <= markBase+markMax {
		return int(r - markBase)
	}
	return -1
}

// canEqual tells whether two texts could be the same, each mark standing for any text.
func canEqual(a, b string) bool {
	if !hasMark(a) && !hasMark(b) {
		return a == b
	}
	ap, bp := known(a), known(b)
	n := min(len(ap), len(bp))
	if ap[:n] != bp[:n] {
		return false
	}
	as, bs := knownEnd(a), knownEnd(b)
	n = min(len(as), len(bs))
	if as[len(as)-n:] != bs[len(bs)-n:] {
		return false
	}
	if hasMark(a) && hasMark(b) {
		return true
	}
	if hasMark(b) {
		a, b = b, a
	}
	return markMatch(a, b)
}

// known is the text before the first mark.
func known(s string) string { s, _, _ = strings.Cut(s, "\x00"); return s }

// knownEnd is the text after the last mark.
func knownEnd(s string) string {
	if i := strings.LastIndexByte(s, nul); i >= 0 {
		return s[i+markLen(s[i:]):]
	}
	return s
}

// markMatch matches a text with marks against one without.
func markMatch(pattern, s string) bool {
	first := true
	for {
		i := strings.IndexByte(pattern, nul)
		if i < 0 {
			return first && s == pattern || !first && strings.HasSuffix(s, pattern)
		}
		lit := pattern[:i]
		pattern = pattern[i+markLen(pattern[i:]):]
		if first {
			if !strings.HasPrefix(s, lit) {
				return false
			}
			s = s[len(lit):]
			first = false
			continue
		}
		j := strings.Index(s, lit)
		if j < 0 {
			return false
		}
		s = s[j+len(lit):]
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func trimLeft(s string) string {
	for s != "" && isSpace(s[0]) {
		s = s[1:]
	}
	return s
}

func trim(s string) string {
	s = trimLeft(s)
	for s != "" && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// words splits at make's white space.
func words(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		for i < len(s) && isSpace(s[i]) {
			i++
		}
		j := i
		for j < len(s) && !isSpace(s[j]) {
			j++
		}
		if j > i {
			out = append(out, s[i:j])
		}
		i = j
	}
	return out
}

// pattern is text with at most one `%` that matters; a backslash takes the meaning from a `%` behind it.
type pattern struct {
	pre, post string
	percent   bool
}

func parsePattern(s string) pattern {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '%' || s[i+1] == '\\' && strings.IndexByte(s[i:], '%') > 0 && onlyBackslashes(s[i:])):
			i++
			b.WriteByte(s[i])
		case s[i] == '%':
			return pattern{pre: b.String(), post: s[i+1:], percent: true}
		default:
			b.WriteByte(s[i])
		}
	}
	return pattern{pre: b.String()}
}

// onlyBackslashes tells whether only backslashes stand before the first `%`.
func onlyBackslashes(s string) bool { return strings.Trim(s[:strings.IndexByte(s, '%')], `\`) == "" }

// match gives the stem. With marks in s it matches where the known ends fit.
func (p pattern) match(s string) (stem string, ok bool) {
	if !p.percent {
		return "", s == p.pre
	}
	if len(s) < len(p.pre)+len(p.post) || !strings.HasPrefix(s, p.pre) || !strings.HasSuffix(s, p.post) {
		return "", false
	}
	return s[len(p.pre) : len(s)-len(p.post)], true
}

// mayMatch tells whether s, with marks, could match.
func (p pattern) mayMatch(s string) bool {
	if !hasMark(s) {
		_, ok := p.match(s)
		return ok
	}
	if !p.percent {
		return canEqual(p.pre, s)
	}
	return canEqual(p.pre+mark(0)+p.post, s)
}

// fill puts a stem in place of the `%`.
func (p pattern) fill(stem string) string {
	if !p.percent {
		return p.pre
	}
	return p.pre + stem + p.post
}

// skipRef gives the index behind the variable reference that starts at s[i] == '$'. An open one ends at the end.
func skipRef(s string, i int) int {
	if i+1 >= len(s) {
		return i + 1
	}
	open := s[i+1]
	if open != '(' && open != '{' {
		return i + 2
	}
	if j := closing(s, i+2, open); j >= 0 {
		return j + 1
	}
	return len(s)
}

func closer(open byte) byte {
	if open == '(' {
		return ')'
	}
	return '}'
}

// closing finds the bracket that closes one of kind open, counting only that kind; -1 if there is none.
func closing(s string, i int, open byte) int {
	end, depth := closer(open), 0
	for ; i < len(s); i++ {
		switch s[i] {
		case open:
			depth++
		case end:
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// findUnquoted finds the first of the characters outside variable references that has no odd number of backslashes before it.
func findUnquoted(s, chars string) int {
	for i := 0; i < len(s); {
		switch {
		case s[i] == '$':
			i = skipRef(s, i)
			continue
		case strings.IndexByte(chars, s[i]) >= 0 && !escaped(s, i):
			return i
		}
		i++
	}
	return -1
}

// escaped tells whether an odd number of backslashes stands before s[i].
func escaped(s string, i int) bool {
	n := 0
	for i--; i >= 0 && s[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// collapse joins continued lines: backslash, newline and the blanks around become one space (manual, "Splitting Lines").
func collapse(s string) string {
	if !strings.Contains(s, "\\\n") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '\n')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		head := s[:i]
		s = s[i+1:]
		n := len(head) - len(strings.TrimRight(head, `\`))
		head = head[:len(head)-n] + strings.Repeat(`\`, n/2)
		if n%2 == 0 {
			b.WriteString(head + "\n")
			continue
		}
		b.WriteString(strings.TrimRight(head, " \t"))
		b.WriteByte(' ')
		s = strings.TrimLeft(s, " \t")
	}
}

// uncomment cuts at the first `#` outside variable references that no backslash quotes, and takes quoting backslashes away.
func uncomment(s string) string {
	if strings.IndexByte(s, '#') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		switch s[i] {
		case '$':
			j := skipRef(s, i)
			out = append(out, s[i:j]...)
			i = j
		case '#':
			n := 0
			for len(out) > n && out[len(out)-1-n] == '\\' {
				n++
			}
			out = out[:len(out)-(n+1)/2]
			if n%2 == 0 {
				return string(out)
			}
			out = append(out, '#')
			i++
		default:
			out = append(out, s[i])
			i++
		}
	}
	return string(out)
}
