package secret

import "strings"

// known is a secret that was found once: it is one wherever else it stands, also where nothing says so. A program's effects repeat
// its arguments.
type known struct{ kind, value string }

// Lengths, in bytes, of known values. A shorter one than leastKnown is looked for nowhere else: it would be found in every text. One
// that is shorter than leastInside only counts as a word of its own.
const (
	leastKnown  = 4
	leastInside = 12
	leastLine   = 20 // of one line of a secret of several
)

// Knowing is a Keeper that also redacts what the receiver finds in a JSON value, wherever it stands in later texts. It is the receiver
// itself where there is nothing. The error is that of JSON.
func (k *Keeper) Knowing(raw []byte) (*Keeper, error) {
	var found []known
	_, err := rewrite(raw, func(in context, s string) string {
		spans := merge(find(in, s), s)
		for _, span := range spans {
			value := span.value
			if value == "" {
				value = s[span.Start:span.End]
			}
			found = appendKnown(found, span.Kind, value)
		}
		return k.replace(s, spans) // so that two member names that become one are an error
	})
	if err != nil || len(found) == 0 {
		return k, err
	}
	out := &Keeper{known: found}
	if k != nil {
		out.key, out.known = k.key, append(found, k.known...)
	}
	return out, nil
}

func appendKnown(list []known, kind, value string) []known {
	if kind == kindLookalike {
		return list
	}
	parts := []string{value}
	if strings.Contains(value, "\n") {
		for line := range strings.SplitSeq(value, "\n") {
			if len(line) >= leastLine && !strings.HasPrefix(line, "-----") {
				parts = append(parts, line)
			}
		}
	}
parts:
	for _, p := range parts {
		if len(p) < leastKnown {
			continue
		}
		for _, other := range list {
			if other.value == p {
				continue parts
			}
		}
		list = append(list, known{kind, p})
	}
	return list
}

// spans are the secrets of a text: what is found in it, and what is known.
func (k *Keeper) spans(in context, s string) []Span {
	all := find(in, s)
	if k != nil {
		for _, known := range k.known {
			all = known.in(s, all)
		}
	}
	return merge(all, s)
}

func (v known) in(s string, spans []Span) []Span {
	for at := 0; ; {
		i := strings.Index(s[at:], v.value)
		if i < 0 {
			return spans
		}
		start, end := at+i, at+i+len(v.value)
		if len(v.value) >= leastInside || (start == 0 || !isWord(s[start-1])) && (end == len(s) || !isWord(s[end])) {
			spans = append(spans, Span{Start: start, End: end, Kind: v.kind})
		}
		at = end
	}
}

func isWord(b byte) bool {
	return b == '_' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
