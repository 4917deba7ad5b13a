// Package secret finds secrets in shell commands, tool arguments, URLs, headers and configuration, and puts keyed commitments in
// their place. It refuses to guess from randomness alone: a text is a secret by its form, or by the place that it stands in.
// Nothing is secret to it that a digest, a public key, an identifier or a placeholder has the form of.
package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Span is where a secret stands in a text: bytes Start to End, on the boundaries of runes where the text is UTF-8. Kind is one
// of Kinds.
type Span struct {
	Start, End int
	Kind       string

	// value is the secret as the program gets it that the text is for, without the quotes and escapes that cut it; "" where it
	// stands in the text as it is.
	value string
}

// Find lists what in a text is a secret, in order, without overlap. name is the name of the member, variable or header that
// holds the text, "" if there is none: under the name "password" a whole text can be one.
func Find(name, text string) []Span {
	return merge(find(context{name: name}, text), text)
}

// mark begins a placeholder. It is short, and no shell command and no other text has it by accident.
const mark = "<secret:"

// commitmentLen is the length of a commitment: 32 bytes in base64url without padding (RFC 4648, section 5).
const commitmentLen = 43

// Keeper makes commitments with one key. The nil and the zero Keeper redact without: "<secret:KIND>" in place of
// "<secret:KIND:COMMITMENT>".
type Keeper struct {
	key   []byte
	known []known // see Knowing
}

// NewKeeper takes the key, which should be 32 random bytes: whoever has it can test guesses at what was redacted.
func NewKeeper(key []byte) *Keeper {
	return &Keeper{key: append([]byte(nil), key...)}
}

// Commit is the commitment of a value: base64url of HMAC-SHA256(key, "ambit secret v1\x00" + value). It is "" without a key: a
// commitment that anybody can compute would tell a short password to whoever tries them all.
func (k *Keeper) Commit(value string) string {
	if k == nil || len(k.key) == 0 {
		return ""
	}
	h := hmac.New(sha256.New, k.key)
	h.Write([]byte("ambit secret v1\x00"))
	h.Write([]byte(value))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Is tells whether a commitment is that of a value, in a time that does not depend on where they differ. Without a key nothing is.
func (k *Keeper) Is(commitment, value string) bool {
	want := k.Commit(value)
	return want != "" && hmac.Equal([]byte(commitment), []byte(want))
}

// Text is s with each secret replaced by its placeholder. What a text already has of the form is never taken for one: the
// "<secret:" of a text is itself replaced, as a secret of the kind "lookalike", and what follows it stays. So each "<secret:" of
// the result was put there by Text, and to redact twice by mistake loses nothing: Literal undoes it.
func (k *Keeper) Text(name, s string) string {
	return k.replace(s, k.spans(context{name: name}, s))
}

func (k *Keeper) replace(s string, spans []Span) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, span := range spans {
		b.WriteString(s[at:span.Start])
		value := span.value
		if value == "" {
			value = s[span.Start:span.End]
		}
		b.WriteString(mark)
		b.WriteString(span.Kind)
		if c := k.Commit(value); c != "" {
			b.WriteByte(':')
			b.WriteString(c)
		}
		b.WriteByte('>')
		at = span.End
	}
	b.WriteString(s[at:])
	return b.String()
}

// Hide is for showing what may come from a record: each secret is replaced by "<secret:KIND>", and each placeholder that Text
// made is shortened to that; it is final, nothing is looked for inside. So Hide(name, k.Text(name, s)) is what
// (*Keeper)(nil).Text(name, s) is. For text that did not come through Text use the latter: there nobody can write a placeholder.
func Hide(name, s string) string {
	return hide(context{name: name}, s)
}

func hide(in context, s string) string {
	short, kept := shorten(s)
	spans := merge(find(in, short), short)
	if len(kept) == 0 {
		return (*Keeper)(nil).replace(short, spans)
	}
	out := spans[:0]
	for _, span := range spans {
		for len(kept) > 0 && kept[0].End <= span.Start {
			kept = kept[1:]
		}
		if len(kept) > 0 && kept[0].Start <= span.Start && kept[0].End >= span.End {
			continue
		}
		out = append(out, span)
	}
	return (*Keeper)(nil).replace(short, out)
}

// shorten takes the commitments out of placeholders, and says where the placeholders now are.
func shorten(s string) (string, []Span) {
	if !strings.Contains(s, mark) {
		return s, nil
	}
	var b strings.Builder
	var kept []Span
	for {
		i := strings.Index(s, mark)
		if i < 0 {
			b.WriteString(s)
			return b.String(), kept
		}
		b.WriteString(s[:i])
		s = s[i:]
		kind, size := placeholder(s)
		if size == 0 {
			b.WriteString(mark)
			s = s[len(mark):]
			continue
		}
		start := b.Len()
		b.WriteString(mark + kind + ">")
		kept = append(kept, Span{Start: start, End: b.Len(), Kind: kind})
		s = s[size:]
	}
}

// placeholder reads one with a commitment at the start of s; size is 0 if there is none.
func placeholder(s string) (kind string, size int) {
	rest, ok := strings.CutPrefix(s, mark)
	if !ok {
		return "", 0
	}
	kind, _, ok = strings.Cut(rest[:min(len(rest), maxKindLen+1)], ":")
	if !ok || !isKind(kind) {
		return "", 0
	}
	size = len(mark) + len(kind) + 1 + commitmentLen + 1
	if len(s) < size || s[size-1] != '>' {
		return "", 0
	}
	rest = s[len(mark)+len(kind)+1 : size-1]
	if b, err := base64.RawURLEncoding.Strict().DecodeString(rest); err != nil || len(b) != sha256.Size {
		return "", 0
	}
	return kind, size
}

// Literal puts back what the placeholders of kind "lookalike" stand for, which is always the same eight bytes: after it, text that
// went through Text twice is as it was after the first time. All other placeholders stay.
func Literal(s string) string {
	const lookalike = mark + kindLookalike
	var b strings.Builder
	for {
		i := strings.Index(s, lookalike)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		if _, size := placeholder(s); size > 0 {
			s = s[size:]
		} else if rest, ok := strings.CutPrefix(s, lookalike+">"); ok {
			s = rest
		} else {
			b.WriteString(lookalike)
			s = s[len(lookalike):]
			continue
		}
		b.WriteString(mark)
	}
}
