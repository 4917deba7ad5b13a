package npmrc

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Entry is one line of an ini file. A key without "=" has Bare set and the value "true".
type Entry struct {
	Key   string // without the "[]" that makes a list
	Value string
	List  bool
	Bare  bool
	Line  int // from 1
}

// Parse reads the ini format as npm's own reader does (package ini, lib/ini.js): lines end at CR or LF, ";" and "#" start a
// comment at the start of a line and, unless escaped or quoted, inside a value. Keys below a [section] are left out, since
// npm's options have none. No input is an error.
func Parse(data []byte) []Entry {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var entries []Entry
	section, line := false, 0
	for len(data) > 0 {
		line++
		raw := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			raw, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		for _, part := range strings.Split(string(raw), "\r") {
			t := strings.TrimSpace(part)
			if t == "" || t[0] == ';' || t[0] == '#' {
				continue
			}
			if t[0] == '[' && part[0] == '[' && strings.IndexByte(t, ']') == len(t)-1 {
				section = true
				continue
			}
			key, value, found := strings.Cut(part, "=")
			if section || key == "" {
				continue
			}
			e := Entry{Key: unsafe(key), Value: "true", Bare: !found, Line: line}
			if found {
				e.Value = unsafe(value)
			}
			if len(e.Key) > 2 && strings.HasSuffix(e.Key, "[]") {
				e.Key, e.List = strings.TrimSuffix(e.Key, "[]"), true
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// unsafe is the function of that name in npm's ini: quotes off, escapes resolved, comment cut.
func unsafe(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return s
	}
	if q := s[0]; (q == '"' || q == '\'') && s[len(s)-1] == q {
		if q == '\'' {
			if len(s) < 2 {
				return ""
			}
			s = s[1 : len(s)-1]
		}
		var text string
		if json.Unmarshal([]byte(s), &text) == nil {
			return text
		}
		return s
	}
	if !strings.ContainsAny(s, `\;#`) {
		return s
	}
	var b strings.Builder
	esc := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case esc:
			if c != '\\' && c != ';' && c != '#' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
			esc = false
		case c == ';' || c == '#':
			return strings.TrimSpace(b.String())
		case c == '\\':
			esc = true
		default:
			b.WriteByte(c)
		}
	}
	if esc {
		b.WriteByte('\\')
	}
	return strings.TrimSpace(b.String())
}
