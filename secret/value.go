package secret

import "strings"

// value is what stands behind a name: bytes start to end, without quotes around it.
type value struct {
	start, end int
	next       int  // behind a closing quote
	quoted     byte // by what it is quoted, 0 if by nothing
	open       bool // the quote is not closed
}

// quoteAt tells whether a quote begins at i, which may stand behind backslashes: the text can be a string in a string.
func (c *scanner) quoteAt(i int) (size int, q byte) {
	if i < 0 {
		return 0, 0
	}
	j := i
	for j < len(c.s) && c.s[j] == '\\' && j-i < 8 {
		j++
	}
	if j < len(c.s) && c.is(j, quote) && (j == i || c.open != 0 || c.data) {
		return j - i + 1, c.s[j]
	}
	return 0, 0
}

// quoted reads the string whose quote of the given size begins at i. Without an end it goes to the end of the line.
func (c *scanner) quotedAt(i, size int, q byte) value {
	start := i + size
	v := value{start: start, quoted: q}
	if size > 1 { // \" ends at the next \", or where the string around it ends
		n := strings.Index(c.s[start:], c.s[i:start])
		if end, ok := c.closing(start, q); ok && (n < 0 || end < start+n) {
			v.end, v.next = end, end
			return v
		}
		if n >= 0 {
			v.end, v.next = start+n, start+n+size
			return v
		}
	} else if end, ok := c.closing(start, q); ok {
		v.end, v.next = end, end+1
		return v
	}
	v.open = true
	v.end = start
	for v.end < len(c.s) && c.s[v.end] != '\n' {
		v.end++
	}
	v.next = v.end
	return v
}

// closing finds the quote that ends a string. That there is none in the rest of the text is looked for once.
func (c *scanner) closing(i int, q byte) (int, bool) {
	which := 0
	if q == '\'' {
		which = 1
	}
	if q == '`' {
		n := strings.IndexByte(c.s[i:min(len(c.s), i+maxLiteral)], q)
		return i + n, n >= 0
	}
	if c.none[which] {
		return 0, false
	}
	for at := i; ; {
		n := strings.IndexByte(c.s[at:], q)
		if n < 0 {
			c.none[which] = at == i // an escaped one was there: what follows another may still be closed
			return 0, false
		}
		at += n
		if q == '\'' || !c.escaped(at, i) {
			return at, true
		}
		at++
	}
}

// escaped tells whether an odd number of backslashes stands before i.
func (c *scanner) escaped(i, start int) bool {
	n := 0
	for i-n > start && c.s[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// word reads one word of the shell: text, quoted and not, up to a blank or an operator. Of a word that is one string the quotes
// are left out. Inside an open quote it ends where that one is closed.
func (c *scanner) word(i int) value {
	if c.argument && i > 0 && c.s[0] == '-' && c.run(0, i, word|dash|dot) >= i-1 {
		return value{start: i, end: len(c.s), next: len(c.s), quoted: '"'}
	}
	if c.open == 0 {
		if c.has(i, "$'") || c.has(i, "$\"") {
			if v := c.quotedAt(i+1, 1, c.s[i+1]); !c.goesOn(v.next) {
				return v
			}
		} else if size, q := c.quoteAt(i); size == 1 && q != '`' {
			if v := c.quotedAt(i, 1, q); v.open || !c.goesOn(v.next) {
				return v
			}
		} else if size > 1 {
			return c.quotedAt(i, size, q)
		}
	} else if size, q := c.quoteAt(i); size > 0 && (size > 1 || q != c.open) {
		return c.quotedAt(i, size, q)
	}
	if c.last.open == c.open && c.last.start <= i && i < c.last.end {
		return value{start: i, end: c.last.end, next: c.last.end}
	}
	v := c.rest(i)
	c.last.open, c.last.start, c.last.end = c.open, v.start, v.end
	return v
}

// rest reads what of a word begins at i.
func (c *scanner) rest(i int) value {
	start := i
	for i < len(c.s) {
		b := c.s[i]
		switch {
		case b == '<' && c.has(i, opaque):
			i += len(opaque)
			continue
		case c.is(i, blank|line), b == ';', b == '|', b == '&', b == '<', b == '>', b == ')', b == '(', b == '`':
			return value{start: start, end: i, next: i}
		case b == '\\' && i+1 < len(c.s):
			if c.open == '"' && (c.s[i+1] == '"' || c.s[i+1] == 'n' || c.s[i+1] == 'r') || c.s[i+1] == '\n' {
				return value{start: start, end: i, next: i}
			}
			i += 2
			continue
		case b == c.open && b != 0:
			return value{start: start, end: i, next: i}
		case (b == '\'' || b == '"') && c.open == 0:
			end, ok := c.closing(i+1, b)
			if !ok || i > start && strings.IndexByte(c.s[i+1:end], '\n') >= 0 {
				return value{start: start, end: i, next: i}
			}
			i = end + 1
			continue
		}
		i++
	}
	i = min(i, len(c.s))
	return value{start: start, end: i, next: i}
}

// goesOn tells whether the word of a shell goes on at i.
func (c *scanner) goesOn(i int) bool {
	if i >= len(c.s) || c.is(i, blank|line) {
		return false
	}
	switch c.s[i] {
	case ';', '|', '&', '<', '>', '(', ')', ',', '}', ']', ':', '`':
		return false
	}
	return true
}

// inQuote reads to where the quote that is open ends, or the line, or where the next part of a list begins: "&name=", ";name=".
func (c *scanner) inQuote(i int) value {
	v := value{start: i, quoted: c.open}
	for ; i < len(c.s); i++ {
		switch b := c.s[i]; {
		case b == c.open && !(b == '"' && c.escaped(i, v.start)), b == '\n':
			v.end, v.next = i, i
			return v
		case (b == '&' || b == ';' || b == ',') && c.partAt(i+1):
			v.end, v.next = i, i
			return v
		}
	}
	v.end, v.next = i, i
	return v
}

// partAt tells whether a list goes on at i with another "name=", or ends.
func (c *scanner) partAt(i int) bool {
	i = c.run(i, i+2, blank)
	if i >= len(c.s) || c.is(i, line|quote) {
		return true
	}
	end := c.run(i, i+40, word|dash|dot|blank)
	return end > i && end < len(c.s) && c.s[end] == '=' && c.is(i, letter|under)
}

// reference tells whether a value only names the place of the secret, or is none: $TOKEN, <your-token>, ****.
// literal says that the shell would not replace variables in it.
func reference(v string, literal bool) bool {
	if v == "" {
		return true
	}
	switch v[0] {
	case '$':
		if len(v) > 1 && (v[1] == '{' || v[1] == '(' || v[1] == '$') {
			return true
		}
		if len(v) > 1 && (letterKind(v[1]) == 'A' || !literal && (letterKind(v[1]) == 'a' || v[1] == '_')) {
			return true
		}
		return len(v) == 1 || len(v) == 2 && !literal
	case '`':
		return true
	case '<':
		return v[len(v)-1] == '>' && len(v) > 2
	case '[', '(':
		return len(v) < 24 && strings.Contains(strings.ToLower(v), "redact")
	case '{':
		return strings.HasPrefix(v, "{{") || strings.HasPrefix(v, "{%")
	case '#':
		return strings.HasPrefix(v, "#{")
	case '%':
		return len(v) == 2 || strings.HasPrefix(v, "%(") || v[len(v)-1] == '%'
	case '@':
		return len(v) > 1 && (v[1] == '{' || v[1] == '@')
	}
	return hollow(v) || elsewhere(v)
}

// hollow tells whether a value is a row of x or *, or a word for nothing.
func hollow(v string) bool {
	mask := 0
	for i := range len(v) {
		switch v[i] {
		case 'x', 'X':
			mask++
		case '*', '.', '-', '_', '?':
			mask += 3
		default:
			mask = -1 << 20
		}
		if mask < 0 {
			break
		}
	}
	if mask >= 3 && (mask > 3 || v == "xxx" || v == "XXX" || len(v) == 1) || v == "…" || v == "•••" || strings.HasPrefix(v, "••••") {
		return true
	}
	if len(v) > 40 {
		return false
	}
	switch strings.ToLower(v) {
	case "null", "none", "nil", "undefined", "true", "false", "~", "yes", "no", "on", "off":
		return true
	}
	return false
}

// elsewhere tells whether a value says what to put in its place, or where the secret is kept.
func elsewhere(v string) bool {
	for _, p := range []string{
		"your_", "your-", "your ", "<your", "redacted", "replace_", "replace-", "replaceme", "insert_", "insert-", "placeholder", "todo",
		"op://", "vault://", "vault:", "file://", "file:/", "env://", "env:", "arn:aws:", "ssm:/", "keyring:", "secretref:", "ref+", "process.env", "os.environ", "os.getenv",
	} {
		if len(v) >= len(p) && equalFold(v[:len(p)], p) {
			return true
		}
	}
	return false
}

// random tells whether a value looks like what a generator made: no word, no path, no call.
func random(v string) bool {
	const least = 12
	if len(v) < least || isUUID(v) {
		return false
	}
	nDigits, nLetters, nUpper := 0, 0, 0
	for i := range min(len(v), 256) {
		switch k := letterKind(v[i]); {
		case k == '1':
			nDigits++
		case k == 'A':
			nUpper++
			nLetters++
		case k == 'a':
			nLetters++
		case strings.IndexByte("+/=_-~.", v[i]) < 0:
			return false
		}
	}
	return nDigits >= 3 && nLetters >= 3 || len(v) >= 20 && nDigits > 0 && nUpper >= 4 && nLetters-nUpper >= 4
}

// hasMix tells whether a value has a digit or a sign besides letters: no word of a language, no identifier of a program.
func hasMix(v string) bool {
	letters, others := false, false
	for i := range min(len(v), 256) {
		switch k := letterKind(v[i]); {
		case k == 'a' || k == 'A':
			letters = true
		case k == '1', strings.IndexByte("!@#$%^&*+?~", v[i]) >= 0:
			others = true
		case v[i] == '(' || v[i] == '[' || v[i] == '{':
			return false
		}
	}
	return letters && others
}

// path tells whether a value is that of a file.
func path(v string) bool {
	return strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || strings.HasPrefix(v, "~/")
}

// typeWord tells whether a value is a word of a declaration.
func typeWord(v string) bool {
	if len(v) > 12 {
		return false
	}
	switch strings.ToLower(strings.TrimRight(v, "?!")) {
	case "string", "str", "bool", "boolean", "int", "integer", "number", "any", "object", "bytes", "text", "varchar", "required", "optional", "secretstr", "char", "unknown", "self",
		"function", "func", "async", "await", "new", "not", "and", "or", "the", "a", "an", "it", "is", "this", "must", "if", "for", "password", "passwd", "token", "secret", "type", "const", "let", "var":
		return true
	}
	return false
}

// identifier tells whether a value can be an expression of a program: names with dots between them.
func identifier(v string) bool {
	for i := range len(v) {
		if k := letterKind(v[i]); k == 0 && v[i] != '_' && v[i] != '.' || k == '1' && i == 0 {
			return false
		}
	}
	return len(v) > 0
}
