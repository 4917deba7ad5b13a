package cli

import (
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "npm install", "npm install"},
		{"other scripts are text", "größe 数据 данные", "größe 数据 данные"},
		{"an escape sequence", "\x1b[2J", "<U+001B>[2J"},
		{"a line feed and a carriage return", "a\nb\rc", "a<U+000A>b<U+000D>c"},
		{"NUL and DEL", "\x00\x7f", "<U+0000><U+007F>"},
		{"a C1 control", "\u009b31m", "<U+009B>31m"},
		{"right-to-left override", "rm \u202etxt", "rm <U+202E>txt"},
		{"isolates", "\u2066\u2069", "<U+2066><U+2069>"},
		{"zero-width space and joiner", "a\u200bb\u200dc", "a<U+200B>b<U+200D>c"},
		{"byte order mark", "\ufeffx", "<U+FEFF>x"},
		{"soft hyphen", "a\u00adb", "a<U+00AD>b"},
		{"no-break space is no space", "a\u00a0b", "a<U+00A0>b"},
		{"ideographic space", "a\u3000b", "a<U+3000>b"},
		{"hangul filler", "\u3164", "<U+3164>"},
		{"blank braille", "\u2800", "<U+2800>"},
		{"line separator", "a\u2028b", "a<U+2028>b"},
		{"variation selector", "a\ufe0f", "a<U+FE0F>"},
		{"tag characters", "\U000e0041", "<U+E0041>"},
		{"private use", "\ue000", "<U+E000>"},
		{"bytes that are no UTF-8", "a\xff\xc3", "a<FF><C3>"},
		{"the replacement character itself is text", "\ufffd", "\ufffd"},
	} {
		if got := visible(c.in); got != c.want {
			t.Errorf("%s: visible(%+q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestColumnsOf(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int
	}{{"", 0}, {"abc", 3}, {"größe", 5}, {"数据", 4}, {"e\u0301", 1}, {"ＡＢ", 4}} {
		if got := columnsOf(c.in); got != c.want {
			t.Errorf("columnsOf(%q) = %d, want %d", c.in, got, c.want)
		}
	}
}

func TestScreenOf(t *testing.T) {
	for _, c := range []struct {
		name string
		env  map[string]string
		want screen
	}{
		{"no terminal, no colour", nil, screen{columns: 100}},
		{"COLUMNS is taken", map[string]string{"COLUMNS": "72"}, screen{columns: 72}},
		{"a width that nothing fits in is not", map[string]string{"COLUMNS": "3"}, screen{columns: 40}},
		{"nonsense is not", map[string]string{"COLUMNS": "wide"}, screen{columns: 100}},
	} {
		if got := screenOf(new(strings.Builder), func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
