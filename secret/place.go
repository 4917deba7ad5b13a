package secret

import "strings"

// found is a name with a value behind it.
type found struct {
	named
	start, at int   // the name begins at start, the sign behind it is at at
	op        byte  // '=' or ':'
	strong    bool  // only data is written like this: NAME=value, "name": "value", --name value
	quoted    bool  // the name stands in quotes
	val       value // what stands behind it
}

// assign is about a name and a value with "=" or ":" between them, in any language. It says where to go on.
func (c *scanner) assign(i int) int {
	s := c.s
	op := s[i]
	switch {
	case op == ':' && c.has(i, "://"):
		return c.userinfo(i)
	case op == ':' && c.has(i, ":AA") && c.telegram(i):
		return i + 1
	case op == ':' && c.tool == rdp && c.has(i-3, " /p:"):
		return c.literally(c.word(i+1), allOf, kindPassword, i+1)
	}
	after, ok := c.assigns(i)
	if !ok {
		return after
	}
	f := found{at: i, op: op}
	spaced := false
	end := i
	if op == '=' && end > 0 && (s[end-1] == '+' || s[end-1] == '?') {
		end--
	}
	if c.is(end-1, blank) {
		spaced = true
		end = c.back(end, 32, blank)
	}
	if end > 0 && (c.is(end-1, quote) || s[end-1] == ']') {
		f.quoted = true
		for n := 0; n < 10 && end > 0 && (c.is(end-1, quote) || s[end-1] == ']' || s[end-1] == '\\'); n++ {
			end--
		}
	}
	f.start = c.back(end, maxName, word|dash|dot)
	if f.start == end {
		return i + 1
	}
	name := s[f.start:end]
	f.named = nameOf(name)
	if f.class == nothing && op == ':' && !f.quoted {
		f.named = c.label(f.start, name)
	}
	start := c.run(after, after+64, blank)
	if f.class == nothing {
		if equalFold(name, "value") && f.start-c.pair[1] < farPair && c.pair[1] > 0 {
			f.named = nameOf(s[c.pair[0]:c.pair[1]])
		} else if (equalFold(name, "name") || equalFold(name, "key")) && !c.query(f.start) {
			c.notePair(start)
		} else if c.manifest(&f, name, start) {
			f.named = named{key, kindSecret}
		} else if equalFold(name, "key") && c.query(f.start) {
			f.named = named{perhaps, kindAPIKey}
		}
		if f.class == nothing {
			return i + 1
		}
	}
	if c.otp && equalFold(name, "secret") {
		f.named = named{secrecy, kindOTPSeed}
	}
	f.strong = c.isStrong(&f, name, spaced, start > after) || c.block > 0 && c.firstOfLine(f.start)
	return c.judged(&f, name, start)
}

// assigns tells whether "=" or ":" at i is an assignment, and no comparison or the like, and where the value or the next thing begins.
func (c *scanner) assigns(i int) (after int, ok bool) {
	switch {
	case c.has(i, "::"), c.has(i, "=="), c.has(i, "=~"):
		return i + 2, false
	case c.has(i, ":="), c.has(i, "=>"):
		return i + 2, true
	case c.s[i] == '=' && i > 0 && strings.IndexByte("=!<>~:", c.s[i-1]) >= 0:
		return i + 1, false
	}
	return i + 1, true
}

// isStrong tells data from code: NAME=value without blanks, or quotes around the name.
func (c *scanner) isStrong(f *found, name string, before, behind bool) bool {
	if f.quoted {
		_, q := c.quoteAt(c.run(f.at+1, f.at+8, blank|equals))
		return q != 0 || c.has(f.at, "=>")
	}
	switch {
	case c.has(f.start-5, "$env:"): // PowerShell
		return true
	case f.op == ':' && !before && strings.IndexByte(strings.TrimLeft(name, "-"), '-') > 0 && f.class != password:
		return c.headerAt(f) // X-Api-Key: ...
	case f.op != '=' || before || behind || c.has(f.at, "=>"):
		return strings.HasPrefix(name, "--") && !before && f.op == '='
	}
	if f.start > 0 {
		if p := c.s[f.start-1]; p == '(' || p == '[' || p == '.' || p == '{' {
			return false
		}
		if c.s[f.start-1] == ' ' && f.start > 1 && c.s[f.start-2] == ',' {
			return false
		}
	}
	return true
}

// headerAt tells whether one word stands behind a name and ":", up to the end of the line or of the string.
func (c *scanner) headerAt(f *found) bool {
	at := c.run(f.at+1, f.at+8, blank)
	end := at
	for end < len(c.s) && end-at < 4*maxLiteral && !c.is(end, blank|line|quote) {
		end++
	}
	end = c.run(end, end+8, blank)
	return end > at && (end >= len(c.s) || c.is(end, line|quote) || c.open == 0 && c.is(end-1, blank))
}

// query tells whether a name is that of a parameter in a URL.
func (c *scanner) query(start int) bool {
	return start > 0 && (c.s[start-1] == '?' || c.s[start-1] == '&')
}

// label takes a second word to a name: "Secret key: ...".
func (c *scanner) label(start int, name string) named {
	if !equalFold(name, "key") && !equalFold(name, "phrase") || !c.is(start-1, blank) {
		return named{}
	}
	first := c.back(start-1, 16, letter)
	return nameOf(c.s[first : start+len(name)])
}

// farPair is how far behind a name its value may stand.
const farPair = 200

// notePair keeps what "name" or "key" says, for the "value" that follows: lists of variables, in YAML, JSON, HCL and XML, are written so.
func (c *scanner) notePair(i int) {
	end := 0
	if size, _ := c.quoteAt(i); size > 0 {
		i += size
	}
	if end = c.run(i, i+maxName, word|dash|dot); end > i {
		c.pair = [2]int{i, end}
	}
}

// manifest is about a Secret of Kubernetes: all values below data and stringData are secret, whatever their names.
func (c *scanner) manifest(f *found, name string, start int) bool {
	if f.op != ':' || f.quoted {
		return false
	}
	indent := f.start - c.back(f.start, 64, blank)
	switch {
	case name == "kind":
		c.kube, c.block = c.has(start, "Secret") && !c.is(start+len("Secret"), word), 0
	case c.kube && (name == "data" || name == "stringData") && c.is(start, line):
		c.block = indent + 1
	case c.block > 0 && indent < c.block:
		c.block = 0
	}
	return c.block > 0 && indent >= c.block && name != "data" && name != "stringData" && !c.is(start, line) && c.firstOfLine(f.start)
}

// judged reads the value of a name and decides. It says where to go on.
func (c *scanner) judged(f *found, name string, start int) int {
	switch f.class {
	case header:
		return c.authorization(f, start)
	case cookie:
		return c.cookies(f, start)
	case seed:
		return c.seeds(f, start)
	case signature:
		if !c.query(f.start) {
			return f.at + 1
		}
	}
	f.val = c.valueOf(f, start)
	v := c.s[f.val.start:f.val.end]
	if !c.secret(f, name, v) {
		return f.at + 1
	}
	return c.take(f)
}

// valueOf reads the value of an assignment.
func (c *scanner) valueOf(f *found, start int) value {
	if c.argument && f.start == 0 && f.op == '=' && start == f.at+1 {
		f.strong = true
		return value{start: start, end: len(c.s), next: len(c.s), quoted: '"'}
	}
	if f.strong && !f.quoted && f.op == '=' {
		if size, _ := c.quoteAt(start); c.open != 0 && size == 0 && c.has(f.start-1, string(c.open)) && c.afterOption(f.start-1) {
			return c.inQuote(start)
		}
		if c.s[f.start:f.at] != "" && c.open != 0 || c.query(f.start) || c.listed(f) {
			return c.item(start, c.has(f.start-1, ","))
		}
		return c.word(start)
	}
	// r"", b"", @"", f"" of programming languages
	if at := c.run(start, start+2, letter); at > start && c.is(at, quote) {
		start = at
	} else if c.has(start, "@\"") {
		start++
	}
	if size, q := c.quoteAt(start); size > 0 && q != '`' && (q != c.open || size > 1) {
		return c.quotedAt(start, size, q)
	}
	return c.plain(start)
}

// afterOption tells whether the argument whose quote stands at i is the value of an option, and no program: -e 'PASSWORD=a b', but
// not sh -c 'PASSWORD=a b'.
func (c *scanner) afterOption(i int) bool {
	end := c.back(i, 8, blank)
	start := c.back(end, 32, word|dash)
	before := c.s[start:end]
	if start == end {
		return false
	}
	return before[0] == '-' && before[len(before)-1] != 'c' && !strings.Contains(before, "command") || before == "export" || before == "env"
}

// listed tells whether an assignment is a part of a list with other separators than the shell's: "Server=x;Password=y".
func (c *scanner) listed(f *found) bool {
	return f.start > 0 && (c.s[f.start-1] == ';' || c.s[f.start-1] == ',')
}

// item reads one value of a list: up to a blank, a quote, "&", or a sign behind which the next name stands.
// comma says that a comma was before the name, so that one ends the value too.
func (c *scanner) item(i int, comma bool) value {
	if size, q := c.quoteAt(i); size > 0 && (q != c.open || size > 1) {
		return c.quotedAt(i, size, q)
	}
	v := value{start: i}
	for ; i < len(c.s); i++ {
		b := c.s[i]
		if b == '<' && c.has(i, opaque) {
			i += len(opaque) - 1
			continue
		}
		if c.is(i, blank|line) || b == '"' || b == '`' || b == '&' || b == ';' || b == '|' || b == '\'' && c.open != '"' || b == '\\' && i+1 < len(c.s) && c.is(i+1, quote) ||
			b == ',' && (comma || c.partAt(i+1)) || b == ')' || b == '#' && c.open == 0 || (b == '>' || b == '<') && i > v.start && c.s[v.start] != '<' {
			break
		}
	}
	v.end, v.next = i, i
	return v
}

// plain reads a value without quotes of a configuration or a program: up to a blank, or a sign that ends it.
func (c *scanner) plain(i int) value {
	v := value{start: i}
	for ; i < len(c.s); i++ {
		b := c.s[i]
		if b == '<' && c.has(i, opaque) {
			i += len(opaque) - 1
			continue
		}
		if c.is(i, blank|line) || b == '"' || b == '`' || b == '\'' || b == ';' || c.open == 0 && (b == '|' || b == '&' || b == '>') || b == '\\' && i+1 < len(c.s) && (c.s[i+1] == 'n' || c.s[i+1] == 'r' || c.s[i+1] == '"') ||
			b == '<' && i > v.start {
			break
		}
	}
	v.next = i
	for i > v.start && strings.IndexByte(",)]}", c.s[i-1]) >= 0 {
		i--
	}
	v.end = i
	return v
}

// secret tells whether a value is one, by its name and by how it is written.
func (c *scanner) secret(f *found, name, v string) bool {
	if reference(v, f.class == password && f.val.quoted == '\'') {
		return false
	}
	switch f.class {
	case perhaps:
		return random(v) || f.kind == kindPassword && f.strong && hasMix(v) && !path(v)
	case signature:
		return len(v) >= 20
	case code:
		return f.strong && len(v) >= 4 && len(v) <= 10 && allDigits(v)
	case webhook:
		return strings.HasPrefix(v, "http")
	}
	if f.strong && f.op == '=' && f.val.quoted == 0 && strings.HasSuffix(v, ",") { // an argument of a call
		f.strong, v = false, v[:len(v)-1]
		f.val.end--
	}
	if !f.strong {
		return c.weak(f, name, v)
	}
	if f.val.quoted == 0 && v != "" && f.op == '=' && (v[0] == '{' || v[0] == '(') {
		return false
	}
	if f.val.quoted == 0 && f.val.end < len(c.s) && (c.s[f.val.end] == '(' || c.s[f.val.end] == '[') || strings.HasSuffix(v, "()") {
		return false // a call
	}
	if f.class == password {
		return !allDots(v)
	}
	return plausible(f, v)
}

// plausible is about tokens and keys in a place where data stands.
func plausible(f *found, v string) bool {
	const fewDigits = 6 // a count, a port, a year
	switch {
	case len(v) < fewDigits && allDigits(v), path(v):
		return false
	case strings.HasSuffix(v, "...") && len(v) < 24: // sk-...
		return false
	case f.class == secrecy && (strings.HasPrefix(v, "id=") || strings.HasPrefix(v, "type=") || strings.HasPrefix(v, "src=")):
		return false // docker build --secret
	}
	return !typeWord(v)
}

// weak is about values in configuration and programs, where most of what stands behind such a name is none.
func (c *scanner) weak(f *found, name, v string) bool {
	if f.val.quoted != 0 {
		if f.class == password {
			return !sentence(v) && !typeWord(v) && !equalFold(v, strings.ToLower(name[:min(len(name), 40)]))
		}
		return random(v) || f.op == ':' && len(v) >= 8 && hasMix(v) && hasDigit(v) && !strings.ContainsAny(v, " /")
	}
	if typeWord(v) || strings.ContainsAny(v[:min(len(v), 200)], "([{") || path(v) || strings.HasPrefix(v, "0x") || hollow(v) {
		return false
	}
	if f.class != password {
		return random(v) && !(identifier(v) && strings.Contains(v, "."))
	}
	if hasMix(v) {
		return !strings.HasSuffix(v, "?") && !strings.HasPrefix(v, "&") && !strings.HasPrefix(v, "*")
	}
	return c.firstOfLine(f.start) && c.endOfLine(f.val) && !strings.Contains(v, ".")
}

// firstOfLine tells whether nothing but blanks and the dash of a list is before a name in its line.
func (c *scanner) firstOfLine(i int) bool {
	i = c.back(i, 64, blank|dash)
	return i == 0 || c.is(i-1, line|quote)
}

// endOfLine tells whether nothing is behind a value in its line, but for a comment.
func (c *scanner) endOfLine(v value) bool {
	if v.end != v.next {
		return false
	}
	i := c.run(v.next, v.next+64, blank)
	return i >= len(c.s) || c.is(i, line|quote) || c.s[i] == '#'
}

// sentence tells whether a text is one for people: words with blanks between them.
func sentence(v string) bool {
	blanks := strings.Count(v[:min(len(v), 256)], " ")
	if blanks == 0 {
		return false
	}
	last := v[len(v)-1]
	return blanks >= 2 && !hasDigit(v) || last == ' ' || last == ':' || last == '.' || last == '?' || last == '!' && blanks > 1
}

func allDigits(v string) bool {
	for i := range len(v) {
		if v[i] < '0' || v[i] > '9' {
			return false
		}
	}
	return v != ""
}

func allDots(v string) bool { return strings.Trim(v, ".") == "" }

// take adds the secret that was found, by the more telling kind where it has the form of one.
func (c *scanner) take(f *found) int {
	start, end := f.val.start, f.val.end
	kind := f.kind
	if f.class == webhook {
		start = pathOf(c.s, start, end)
	}
	if k, a, b := c.formAt(start); b == end && a == start {
		kind = k
	}
	if end = c.upToCommand(start, end); start >= end {
		return f.at + 1
	}
	c.spans = append(c.spans, Span{Start: start, End: end, Kind: kind, value: c.plainValue(start, end, f.val.quoted)})
	return end
}

// formAt reads the form that begins at i.
func (c *scanner) formAt(i int) (kind string, start, end int) {
	if i+2 >= len(c.s) || !c.t.mayBegin(c.s[i], c.s[i+1], c.s[i+2]) {
		return "", 0, 0
	}
	kind, start, end, _, _ = c.match(i)
	return kind, start, end
}

// pathOf is where in a URL the path begins.
func pathOf(s string, start, end int) int {
	if n := strings.Index(s[start:end], "://"); n >= 0 {
		if m := strings.IndexByte(s[start+n+3:end], '/'); m >= 0 {
			return start + n + 3 + m + 1
		}
		return end
	}
	return start
}

// telegram reads the token of a bot: its number, ":", and 35 characters that begin with AA.
func (c *scanner) telegram(i int) bool {
	start := c.back(i, 12, digits)
	end := c.run(i+1, i+41, url64)
	if n := i - start; n < 8 || n > 11 || end-i-1 < 33 || end-i-1 > 36 || c.is(start-1, letter) && !c.has(start-3, "bot") {
		return false
	}
	c.add(start, end, "telegram-token")
	return true
}

// userinfo is about the password of a URL (RFC 3986, section 3.2.1): scheme://user:password@host. A user alone is none, unless it
// has the form of a token.
func (c *scanner) userinfo(i int) int {
	const far = 1024
	s := c.s
	start := i + 3
	colon, at, end := -1, -1, start
scan:
	for ; end < len(s) && end-start < far; end++ {
		switch b := s[end]; {
		case b == '<' && c.has(end, opaque):
			end += len(opaque) - 1
		case b == ':' && colon < 0:
			colon = end
		case b == '@':
			at = end // the last one: a password may have an "@" that should have been escaped
		case b == '/', b == '?', b == '#', b == '<' && at >= 0, b == '>' && at >= 0, c.is(end, blank|line|quote), b == '\\', b == ',' && at >= 0, b == '|', c.open == 0 && strings.IndexByte(";&()<>", b) >= 0, b == ';' && at >= 0:
			break scan
		}
	}
	if c.has(max(i-7, 0), "otpauth://") {
		c.otp = true
	}
	if colon < 0 || at < colon {
		return start
	}
	for i := start; i < colon; i++ { // a token may stand for the user
		if kind, a, b := c.formAt(i); b > 0 && a == i && b <= colon {
			i = c.add(a, b, kind) - 1
		}
	}
	password := s[colon+1 : at]
	if reference(password, false) {
		return at
	}
	kind := kindURLPassword
	if k, a, b := c.formAt(colon + 1); a == colon+1 && b == at {
		kind = k
	}
	return c.place(colon+1, at, kind, start)
}

// element is about XML: <password>hunter2</password>.
func (c *scanner) element(i int) int {
	start := c.back(i, maxName, word|dash|dot)
	if start == i || start == 0 || c.s[start-1] != '<' {
		return i + 1
	}
	f := found{start: start, at: i, op: '>', strong: true, named: nameOf(c.s[start:i])}
	if f.class == nothing || f.class == header || f.class == cookie || f.class == seed {
		return i + 1
	}
	n := strings.IndexByte(c.s[i+1:min(len(c.s), i+1+4*maxLiteral)], '<')
	if n < 1 || !c.has(i+1+n, "</") {
		return i + 1
	}
	f.val = value{start: i + 1, end: i + 1 + n, next: i + 1 + n, quoted: '>'}
	if !c.secret(&f, c.s[start:i], c.s[i+1:i+1+n]) {
		return i + 1
	}
	return c.take(&f)
}
