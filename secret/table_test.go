package secret

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// fill writes out the made-up parts of a text of the tables: "{a36}" is 36 letters and digits. The repository holds no text that
// has the whole form of a real key, so that no scanner of repositories cries out, and nobody wonders whether one was real.
func fill(text string) string {
	alphabets := map[byte]string{
		'a': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
		'h': "0123456789abcdef",
		'A': "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
		'b': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
		'u': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
		'd': "123456789",
		'l': "abcdefghijklmnopqrstuvwxyz0123456789",
	}
	var b strings.Builder
	state := uint32(12345)
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		spec, after, closed := strings.Cut(rest, "}")
		n := 0
		if closed && len(spec) > 1 && alphabets[spec[0]] != "" {
			n, _ = strconv.Atoi(spec[1:])
		}
		if n == 0 {
			b.WriteByte('{')
			text = rest
			continue
		}
		for i := range n {
			state = state*1664525 + 1013904223
			alphabet := alphabets[spec[0]]
			c := alphabet[int(state>>16)%len(alphabet)]
			if i == 0 && (c == '-' || c == '_' || c == '+' || c == '/') {
				c = 'k'
			}
			if i == n-1 && (c == '-' || c == '_') {
				c = 'Z'
			}
			b.WriteByte(c)
		}
		text = after
	}
}

// marked takes the marks out of a text of the tables: each secret stands in «», with its kind before a bar, «password|hunter2».
func marked(t *testing.T, text string) (plain string, want []Span) {
	t.Helper()
	text = fill(text)
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "«")
		b.WriteString(before)
		if !ok {
			return b.String(), want
		}
		inner, after, ok := strings.Cut(rest, "»")
		kind, value, ok2 := strings.Cut(inner, "|")
		if !ok || !ok2 {
			t.Fatalf("marks of %q do not match", text)
		}
		want = append(want, Span{Start: b.Len(), End: b.Len() + len(value), Kind: kind})
		b.WriteString(value)
		text = after
	}
}

func describe(text string, spans []Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		fmt.Fprintf(&b, "%s«%s|%s»", text[at:s.Start], s.Kind, text[s.Start:s.End])
		at = s.End
	}
	return b.String() + text[at:]
}

// check compares what is found in a marked text with its marks.
func check(t *testing.T, name, text string) {
	t.Helper()
	plain, want := marked(t, text)
	if got, want := describe(plain, Find(name, plain)), describe(plain, want); got != want {
		t.Errorf("name %q\n got %s\nwant %s", name, got, want)
	}
}
