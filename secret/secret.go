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
	return spansOf(text, locate(context{name: name}, text))
}

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
	return k.replace(s, spansOf(s, locate(k.context(context{name: name}), s)))
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
// made is shortened to that. So Hide(name, k.Text(name, s)) is what (*Keeper)(nil).Text(name, s) is. For text that did not come through
// Text use the latter: there nobody can write a placeholder.
func Hide(name, s string) string {
	return hide(context{name: name}, s)
}

func hide(in context, s string) string {
	units := locate(in, s)
	if len(units) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, u := range units {
		b.WriteString(s[at:u.Start])
		at = u.End
		switch whole := s[u.Start:u.End]; {
		case u.found:
			b.WriteString(mark + u.Kind + ">")
		case u.long:
			kind, size, _ := label(whole[len(mark):])
			b.WriteString(mark + kind + ">" + whole[len(mark)+size:])
		default:
			b.WriteString(opaque + whole[len(mark):])
		}
	}
	b.WriteString(s[at:])
	return b.String()
}

// Literal puts back what the placeholders of kind "lookalike" stand for, which is always the same eight bytes: after it, text that
// went through Text twice is as it was after the first time. All other placeholders stay.
func Literal(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, mark)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i+len(mark)])
		s = s[i+len(mark):]
		if kind, size, _ := label(s); kind == kindLookalike {
			s = s[size:]
		}
	}
}
