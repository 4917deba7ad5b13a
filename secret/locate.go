package secret

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
)

// mark begins a placeholder. It is short, and no shell command and no other text has it by accident.
const mark = "<secret:"

// commitmentLen is the length of a commitment: 32 bytes in base64url without padding (RFC 4648, section 5).
const commitmentLen = 43

// opaque is what a scan sees in the place of each placeholder, and of each secret that was found before.
const opaque = mark + kindLookalike + ">"

// unit is a part of a text that a scan does not look into: a placeholder that is there, or a secret that was found.
type unit struct {
	Span
	found bool
	long  bool // a placeholder with a commitment
}

// locate finds the secrets of a text, and the placeholders that it has. It looks again at what is left when those are replaced, until
// nothing more is found: so a text that was redacted has no secret that the text itself had not.
func locate(in context, s string) []unit {
	units := placeholders(s)
	const rounds = 8
	for range rounds {
		in.known = join(in.known, tellsElsewhere(s, units))
		text, m := condense(s, units)
		more := m.back(merge(find(in, text), text), units)
		if more == nil {
			break
		}
		units = unite(units, more)
	}
	return units
}

// condensed maps the places in a condensed text back.
type condensed struct {
	units []Span // where in the condensed text the units are
}

// condense puts the same short text in the place of each unit.
func condense(s string, units []unit) (string, condensed) {
	var m condensed
	if len(units) == 0 {
		return s, m
	}
	var b strings.Builder
	at := 0
	for _, u := range units {
		b.WriteString(s[at:u.Start])
		m.units = append(m.units, Span{Start: b.Len(), End: b.Len() + len(opaque)})
		b.WriteString(opaque)
		at = u.End
	}
	b.WriteString(s[at:])
	return b.String(), m
}

// back makes units of what was found in a condensed text, but for what is no more than a unit that is there.
func (m condensed) back(spans []Span, units []unit) (out []unit) {
	i, shift := 0, 0 // units before i are behind us; by how much the text was made shorter by them
	gain := func(i int) int { return units[i].End - units[i].Start - len(opaque) }
	for _, span := range spans {
		for i < len(m.units) && m.units[i].End <= span.Start {
			shift += gain(i)
			i++
		}
		u := unit{Span: Span{Start: span.Start + shift, Kind: span.Kind, value: span.value}, found: true}
		last, end := -1, shift
		for j := i; j < len(m.units) && m.units[j].Start < span.End; j++ {
			last = j
			end += gain(j)
		}
		u.End = span.End + end
		if last >= 0 {
			if m.units[i].Start <= span.Start && span.End <= m.units[i].End {
				continue
			}
			u.value = ""
			if m.units[i].Start <= span.Start {
				u.Start = units[i].Start
			}
			if m.units[last].End >= span.End {
				u.End = units[last].End
			}
		}
		out = append(out, u)
	}
	return out
}

// unite adds new units in their places, instead of those that they cover.
func unite(units, more []unit) []unit {
	all := slices.Concat(units, more)
	slices.SortStableFunc(all, func(a, b unit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	out := all[:0]
	for _, u := range all {
		if len(out) == 0 || u.Start >= out[len(out)-1].End {
			out = append(out, u)
			continue
		}
		last := &out[len(out)-1]
		if u.found && !last.found {
			last.found, last.Kind = true, u.Kind
		}
		if u.End > last.End {
			last.End = u.End
			last.value = ""
		}
	}
	return out
}

// placeholders lists what in a text has the form of one.
func placeholders(s string) (units []unit) {
	for at := 0; ; {
		n := strings.Index(s[at:], mark)
		if n < 0 {
			return units
		}
		at += n
		size, long := placeholder(s[at:])
		if size == 0 {
			at += len(mark)
			continue
		}
		units = append(units, unit{Span: Span{Start: at, End: at + size, Kind: kindLookalike}, long: long})
		at += size
	}
}

// placeholder reads one at the start of s, 0 if there is none. What follows one of the kind "lookalike", and was a placeholder before it
// was replaced, belongs to it.
func placeholder(s string) (size int, long bool) {
	if !strings.HasPrefix(s, mark) {
		return 0, false
	}
	kind, n, long := label(s[len(mark):])
	if n == 0 {
		return 0, false
	}
	size = len(mark) + n
	for kind == kindLookalike {
		if kind, n, _ = label(s[size:]); n == 0 {
			break
		}
		size += n
	}
	return size, long
}

// label reads "KIND>" or "KIND:COMMITMENT>".
func label(s string) (kind string, size int, long bool) {
	n := strings.IndexAny(s[:min(len(s), maxKindLen+1)], ":>")
	if n < 0 || !isKind(s[:n]) {
		return "", 0, false
	}
	if s[n] == '>' {
		return s[:n], n + 1, false
	}
	size = n + 1 + commitmentLen + 1
	if len(s) < size || s[size-1] != '>' {
		return "", 0, false
	}
	if b, err := base64.RawURLEncoding.Strict().DecodeString(s[n+1 : size-1]); err != nil || len(b) != sha256.Size {
		return "", 0, false
	}
	return s[:n], size, true
}

// spansOf are the secrets among the units. Of a placeholder that somebody wrote, the "<secret:" is one, and so is a token that stands in
// it.
func spansOf(s string, units []unit) (spans []Span) {
	for _, u := range units {
		if u.found {
			spans = append(spans, u.Span)
			continue
		}
		spans = append(spans, Span{Start: u.Start, End: u.Start + len(mark), Kind: kindLookalike})
		if u.End-u.Start > commitmentLen {
			c := scanner{t: tables(), s: s[:u.End]}
			for at := u.Start + len(mark); at < u.End; at++ {
				if kind, start, end := c.formAt(at); end > 0 && start >= at && !general(kind) {
					spans = append(spans, Span{Start: start, End: end, Kind: kind})
					at = end - 1
				}
			}
		}
	}
	return spans
}
