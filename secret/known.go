package secret

import (
	"slices"
	"strings"
)

// known is a secret that was found once: it is one wherever else it stands, also where nothing says so. A program's effects repeat
// its arguments.
type known struct{ kind, value string }

const (
	leastKnown  = 4  // bytes of a value that is looked for elsewhere: a shorter one would be found in every text
	leastInside = 12 // from this length on also inside of a word
	leastLine   = 20 // of one line of a secret of several
	mostKnown   = 256
)

// Knowing is a Keeper that also redacts what the receiver finds in a JSON value, wherever it stands in later texts. It is the receiver
// itself where there is nothing. The error is that of JSON.
func (k *Keeper) Knowing(raw []byte) (*Keeper, error) {
	var all []known
	_, err := rewrite(raw, func(in context, s string) string {
		units := locate(k.context(in), s)
		all = join(all, tellsElsewhere(s, units))
		return k.replace(s, spansOf(s, units)) // so that two member names that become one are an error
	})
	if err != nil || len(all) == 0 {
		return k, err
	}
	out := &Keeper{known: all}
	if k != nil {
		out.key, out.known = k.key, join(all, k.known)
	}
	return out, nil
}

// context adds what the keeper knows.
func (k *Keeper) context(in context) context {
	if k != nil {
		in.known = join(in.known, k.known)
	}
	return in
}

// tellsElsewhere are the found values that are secrets wherever else they stand: those with the form of one, and those that no name of a
// file, a host or a program has. A value that a person chose, like python3, may be such a name too. Where the same text has it in the
// open it stays so: who approves must see what is run and touched.
func tellsElsewhere(s string, units []unit) (out []known) {
	for _, u := range units {
		if !u.found || u.Kind == kindLookalike {
			continue
		}
		text := s[u.Start:u.End]
		for _, v := range []string{text, u.value} {
			switch {
			case len(v) < leastKnown || strings.Contains(v, mark):
			case strings.ContainsAny(v, "\n"):
				for line := range strings.SplitSeq(v, "\n") {
					if len(line) >= leastLine && !strings.HasPrefix(line, "-----") {
						out = append(out, known{u.Kind, line})
					}
				}
			case !general(u.Kind) && len(v) >= leastInside, random(v) && !namesPlace(v), hasMix(v) && !strings.ContainsAny(v, "/\\. \t;|&<>$`'\"=:,()") && !inTheOpen(s, v, units):
				out = append(out, known{u.Kind, v})
			}
		}
	}
	return out
}

// namesPlace tells whether a value can be a path, or the name of a host.
func namesPlace(v string) bool {
	upper := 0
	for i := range len(v) {
		if letterKind(v[i]) == 'A' {
			upper++
		}
	}
	return strings.Contains(v, ".") || path(v) || strings.Contains(v, "/") && upper < 4
}

// inTheOpen tells whether a value also stands in a text where no secret was found.
func inTheOpen(s, v string, units []unit) bool {
	for at := 0; ; {
		n := strings.Index(s[at:], v)
		if n < 0 {
			return false
		}
		start, end := at+n, at+n+len(v)
		if apartIn(s, start, end) && !slices.ContainsFunc(units, func(u unit) bool { return u.Start < end && u.End > start }) {
			return true
		}
		at = end
	}
}

// apartIn tells whether a part of a text is a word of its own.
func apartIn(s string, start, end int) bool {
	isWord := func(b byte) bool { return b == '_' || b >= 0x80 || letterKind(b) != 0 }
	return (start == 0 || !isWord(s[start-1])) && (end == len(s) || !isWord(s[end]))
}

// join adds what is not there yet, up to a bound: more than that are no keys of one call.
func join(all, more []known) []known {
	for _, k := range more {
		if len(all) < mostKnown && !slices.ContainsFunc(all, func(a known) bool { return a.value == k.value }) {
			all = append(all[:len(all):len(all)], k)
		}
	}
	return all
}

// recur finds the values that are known.
func (c *scanner) recur(all []known) {
	for _, k := range all {
		for at := 0; ; {
			n := strings.Index(c.s[at:], k.value)
			if n < 0 {
				break
			}
			start := at + n
			at = start + len(k.value)
			if len(k.value) >= leastInside || apartIn(c.s, start, at) {
				c.add(start, at, k.kind)
			}
		}
	}
}
