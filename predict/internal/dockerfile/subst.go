package dockerfile

import (
	"path"
	"strings"
)

// Placeholder stands for a value that is not known, as in package makefile.
const Placeholder = "${AMBIT_UNKNOWN}"

// values are the variables that an instruction sees. get tells whether one is set; a variable that the base image may have
// set is unknown.
type values struct {
	env, args map[string]string
	open      bool // other names may be set by the base image
}

func (v values) get(name string) (string, bool) {
	if s, ok := v.env[name]; ok {
		return s, true
	}
	if s, ok := v.args[name]; ok {
		return s, true
	}
	if v.open {
		return Placeholder, true
	}
	return "", false
}

// expander substitutes variables (Dockerfile reference, "Environment replacement").
type expander struct {
	values
	escape byte
	depth  int
}

// word expands text and takes its quotes away.
func (x expander) word(s string) string {
	var b strings.Builder
	x.to(&b, s)
	return b.String()
}

func (x expander) to(b *strings.Builder, s string) {
	quote := byte(0)
	for i := 0; i < len(s) && b.Len() < maxValue; {
		c := s[i]
		switch {
		case c == x.escape && quote != '\'' && i+1 < len(s):
			if quote == '"' && s[i+1] != '"' && s[i+1] != '$' && s[i+1] != x.escape {
				b.WriteByte(c)
			}
			b.WriteByte(s[i+1])
			i += 2
		case (c == '\'' || c == '"') && quote == 0:
			quote = c
			i++
		case c == quote:
			quote = 0
			i++
		case c == '$' && quote != '\'':
			text, n := x.reference(s[i:])
			b.WriteString(text)
			i += n
		default:
			b.WriteByte(c)
			i++
		}
	}
}

// reference expands the `$name` or `${name...}` at the start of s and gives its length.
func (x expander) reference(s string) (string, int) {
	if len(s) > 1 && s[1] != '{' {
		n := 1
		for n < len(s) && (s[n] == '_' || isAlnum(s[n])) {
			n++
		}
		if n == 1 {
			return "$", 1
		}
		v, _ := x.get(s[1:n])
		return v, n
	}
	end, depth := -1, 0
	for i := 1; i < len(s) && end < 0; i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				end = i
			}
		}
	}
	if end < 0 {
		return Placeholder, len(s) // docker reports an error
	}
	body := s[2:end]
	n := 0
	for n < len(body) && (body[n] == '_' || isAlnum(body[n])) {
		n++
	}
	if x.depth > 20 {
		return Placeholder, end + 1
	}
	return x.operator(body[:n], body[n:]), end + 1
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// operator applies what follows the name inside the braces.
func (x expander) operator(name, op string) string {
	v, set := x.get(name)
	if op == "" {
		return v
	}
	x.depth++
	full := set
	if op[0] == ':' {
		full = set && v != ""
		op = op[1:]
	}
	if op == "" {
		return Placeholder
	}
	rest := x.word(op[1:])
	if v == Placeholder {
		return Placeholder
	}
	switch op[0] {
	case '-':
		if !full {
			return rest
		}
		return v
	case '+':
		if full {
			return rest
		}
		return ""
	case '?':
		return v
	case '#', '%', '/':
		return trimmed(v, op, rest)
	}
	return Placeholder
}

// trimmed does ${x#p}, ${x%p} and ${x/p/r} for patterns without wildcards; others are not known.
func trimmed(v, op, rest string) string {
	rest = strings.TrimPrefix(rest, op[:1])
	if strings.ContainsAny(rest, "*?[") {
		return Placeholder
	}
	switch op[0] {
	case '#':
		return strings.TrimPrefix(v, rest)
	case '%':
		return strings.TrimSuffix(v, rest)
	}
	from, to, _ := strings.Cut(rest, "/")
	n := 1
	if strings.HasPrefix(op, "//") {
		n = -1
	}
	if from == "" {
		return v
	}
	return strings.Replace(v, from, to, n)
}

// fields splits at blanks outside quotes, keeping the quotes.
func (x expander) fields(s string) []string {
	var out []string
	start, quote := -1, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if start >= 0 {
				out = append(out, s[start:i])
			}
			start = -1
			continue
		case c == x.escape && quote != '\'':
			if start < 0 {
				start = i
			}
			i++
			continue
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		out = append(out, s[start:])
	}
	return out
}

// pairs reads `k=v k2="v 2"`, and the old form `k v` where ENV allows it.
func (x expander) pairs(s string, old bool) [][2]string {
	var out [][2]string
	list := x.fields(s)
	if old && len(list) > 1 && !strings.Contains(list[0], "=") {
		_, rest := cutWord(s)
		return [][2]string{{list[0], x.word(rest)}}
	}
	for _, f := range list {
		k, v, _ := strings.Cut(f, "=")
		out = append(out, [2]string{x.word(k), x.word(v)})
	}
	return out
}

// join is path.Join that keeps absolute names.
func join(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}
