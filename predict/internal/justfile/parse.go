package justfile

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

type tokenKind byte

const (
	word     tokenKind = iota + 1 // a name
	text                          // a string, unescaped
	backtick                      // a command in backticks
	sign                          // one or two characters
)

type token struct {
	kind tokenKind
	text string
	line int
}

// load reads one justfile as a module.
func (p *planner) load(name, modName string, depth int) *module {
	m := &module{planner: p, name: modName, work: path.Dir(name), recipes: map[string]*recipe{}, vars: map[string]*variable{}, mods: map[string]*module{},
		settings: map[string][]token{}, set: map[string]bool{}, dotenv: map[string]string{}, loaded: map[string]string{}, loading: map[string]bool{}, ran: map[string]bool{}}
	if !m.read(name, true, depth) {
		return nil
	}
	m.readDotenv()
	return m
}

// read reads a file into a module; an import does it again.
func (m *module) read(name string, must bool, depth int) bool {
	f, err := m.fs.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil && len(f.Data) > maxBytes {
		err = workspace.ErrTooLarge
	}
	if m.files++; m.files > maxFiles || depth > maxDepth/2 {
		err = errors.New("files import each other more often than is followed")
	}
	if err != nil {
		from := at(nil, 0, "just/file")
		from.File = name
		m.unknown(from, "the justfile cannot be read: "+err.Error(), anything()...)
		return false
	}
	if m.file == nil {
		m.file = f
	}
	m.parse(f, depth)
	return true
}

// parse reads statements. A recipe's body is the lines behind it that are indented.
func (m *module) parse(f *workspace.File, depth int) {
	lines := strings.Split(strings.TrimPrefix(string(f.Data), "\ufeff"), "\n")
	attrs := map[string][]token{}
	for i := 0; i < len(lines); {
		line := i + 1
		if !m.step(f, line, len(lines[i])/8) {
			return
		}
		if s := strings.TrimSpace(lines[i]); s == "" || s[0] == '#' || lines[i][0] == ' ' || lines[i][0] == '\t' {
			i++
			continue
		}
		toks, n, err := lexStatement(lines[i:], line)
		if err != "" {
			m.unknown(at(f, line, "just/syntax"), "the justfile is not understood: "+err, anything()...)
			return
		}
		i += n
		if len(toks) == 0 {
			continue
		}
		if is(toks, 0, "[") {
			readAttributes(toks, attrs)
			continue
		}
		if m.statement(f, toks, depth) {
			attrs = map[string][]token{}
			continue
		}
		r, ok := parseRecipe(toks)
		if !ok {
			m.unknown(at(f, line, "just/syntax"), "the justfile is not understood", anything()...)
			return
		}
		r.file, r.line, r.attrs = f, line, attrs
		attrs = map[string][]token{}
		i = r.readBody(lines, i)
		if _, has := m.recipes[r.name]; r.enabled() && !has || r.enabled() && m.recipes[r.name].file == f {
			m.recipes[r.name] = r
			m.order = append(m.order, r)
		}
	}
}

func is(toks []token, i int, s string) bool {
	return i < len(toks) && toks[i].text == s && (toks[i].kind == sign || toks[i].kind == word)
}

// readAttributes reads `[a, b('x'), c: 'y']`.
func readAttributes(toks []token, into map[string][]token) {
	depth, name := 0, ""
	for _, t := range toks {
		switch {
		case t.kind == sign && (t.text == "[" || t.text == "("):
			depth++
		case t.kind == sign && (t.text == "]" || t.text == ")"):
			depth--
		case t.kind == sign && t.text == "," && depth == 1:
			name = ""
		case t.kind == word && depth == 1 && name == "":
			name = t.text
			into[name] = []token{}
		case t.kind == text:
			into[name] = append(into[name], t)
		}
	}
}

// statement reads everything that is no recipe, and tells whether it was one.
func (m *module) statement(f *workspace.File, toks []token, depth int) bool {
	first := toks[0]
	second := func(s string) bool { return is(toks, 1, s) }
	if first.kind != word {
		return false
	}
	switch {
	case first.text == "set" && len(toks) > 1 && toks[1].kind == word && (len(toks) == 2 || is(toks, 2, ":=")):
		name := toks[1].text
		m.set[name] = len(toks) == 2 || !is(toks, 3, "false")
		if len(toks) > 3 {
			m.settings[name] = toks[3:]
			if name == "working-directory" && toks[3].kind == text {
				m.work = workspace.Join(path.Dir(f.Path), toks[3].text)
			}
		}
	case (first.text == "export" || first.text == "eager") && len(toks) > 2 && toks[1].kind == word && is(toks, 2, ":="):
		m.define(f, toks[1].text, toks[3:], true)
	case first.text == "unexport" && len(toks) == 2:
	case second(":="):
		m.define(f, first.text, toks[2:], false)
	case first.text == "alias" && len(toks) >= 4 && is(toks, 2, ":="):
		name := ""
		for _, t := range toks[3:] {
			name += t.text
		}
		m.recipes[toks[1].text] = &recipe{name: toks[1].text, alias: name, file: f, line: first.line}
	case first.text == "import" && toks[len(toks)-1].kind == text && len(toks) <= 3:
		name := workspace.Join(path.Dir(f.Path), toks[len(toks)-1].text)
		m.read(name, !second("?"), depth+1)
	case first.text == "mod" && len(toks) > 1 && !second(":"):
		m.module(f, toks[1:], depth)
	default:
		return false
	}
	return true
}

func (m *module) define(f *workspace.File, name string, expr []token, exported bool) {
	if _, has := m.vars[name]; !has {
		m.varOrder = append(m.varOrder, name)
	}
	m.vars[name] = &variable{expr: expr, exported: exported, file: f}
}

// module reads `mod name` and `mod name 'path'`.
func (m *module) module(f *workspace.File, toks []token, depth int) {
	if is(toks, 0, "?") {
		toks = toks[1:]
	}
	if len(toks) == 0 || toks[0].kind != word || depth > maxDepth/4 {
		return
	}
	name, dir := toks[0].text, path.Dir(f.Path)
	candidates := []string{path.Join(dir, name+".just"), path.Join(dir, name, "mod.just"), m.in(path.Join(dir, name))}
	if len(toks) > 1 && toks[1].kind == text {
		p := workspace.Join(dir, toks[1].text)
		candidates = []string{p}
		if m.fs.IsDir(p) {
			candidates = []string{path.Join(p, "mod.just"), m.in(p)}
		}
	}
	for _, c := range candidates {
		if c != "" && m.fs.Exists(c) {
			if sub := m.load(c, name, depth+1); sub != nil {
				m.mods[name] = sub
			}
			return
		}
	}
}

// parseRecipe reads `@name param='x' +rest: dep (dep 'arg') && after`.
func parseRecipe(toks []token) (*recipe, bool) {
	r := &recipe{}
	i := 0
	if is(toks, i, "@") {
		i++
	}
	if i >= len(toks) || toks[i].kind != word {
		return nil, false
	}
	r.name = toks[i].text
	for i++; i < len(toks) && !is(toks, i, ":"); {
		p := param{}
		if is(toks, i, "*") || is(toks, i, "+") {
			p.variadic = toks[i].text[0]
			i++
		}
		if is(toks, i, "$") {
			p.exported = true
			i++
		}
		if i >= len(toks) || toks[i].kind != word {
			return nil, false
		}
		p.name = toks[i].text
		i++
		if is(toks, i, "=") {
			start := i + 1
			i = valueEnd(toks, start)
			p.def, p.hasDefault = toks[start:i], true
		}
		r.params = append(r.params, p)
	}
	if i >= len(toks) {
		return nil, false
	}
	after := false
	for i++; i < len(toks); {
		switch {
		case is(toks, i, "&&"):
			after = true
			i++
			continue
		case is(toks, i, "("):
			end := closing(toks, i)
			name, n := callName(toks[i+1 : end])
			c := call{name: name}
			for j := i + 1 + n; j < end; {
				k := valueEnd(toks[:end], j)
				if k == j {
					return nil, false
				}
				c.args = append(c.args, toks[j:k])
				j = k
			}
			r.add(c, after)
			i = end + 1
		case toks[i].kind == word:
			name, n := callName(toks[i:])
			r.add(call{name: name}, after)
			i += n
		default:
			return nil, false
		}
	}
	return r, true
}

func (r *recipe) add(c call, after bool) {
	if after {
		r.after = append(r.after, c)
	} else {
		r.deps = append(r.deps, c)
	}
}

// callName reads a::b and gives how many tokens it takes.
func callName(toks []token) (string, int) {
	if len(toks) == 0 {
		return "", 0
	}
	name, n := toks[0].text, 1
	for n+1 < len(toks) && is(toks, n, "::") {
		name += "::" + toks[n+1].text
		n += 2
	}
	return name, n
}

// valueEnd is the index behind one value: a string, a name with its call, brackets, or values joined by + and /.
func valueEnd(toks []token, i int) int {
	for i < len(toks) {
		switch {
		case is(toks, i, "("):
			i = closing(toks, i) + 1
		case toks[i].kind == word && is(toks, i+1, "("):
			i = closing(toks, i+1) + 1
		case toks[i].kind != sign:
			i++
		case is(toks, i, "/"):
			i++
			continue
		default:
			return min(i, len(toks))
		}
		if is(toks, i, "/") || is(toks, i, "+") {
			i++
			continue
		}
		break
	}
	return min(i, len(toks))
}

// closing is the index of the bracket that closes the one at i, or the last index.
func closing(toks []token, i int) int {
	depth := 0
	for ; i < len(toks); i++ {
		if toks[i].kind != sign {
			continue
		}
		switch toks[i].text {
		case "(", "{", "[":
			depth++
		case ")", "}", "]":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(toks) - 1
}

// readBody takes the indented lines at i and gives the index behind them. The indentation of the first one is taken off.
func (r *recipe) readBody(lines []string, i int) int {
	indent := ""
	for ; i < len(lines); i++ {
		s := strings.TrimSuffix(lines[i], "\r")
		if strings.TrimSpace(s) == "" {
			if len(r.body) > 0 {
				r.body = append(r.body, bodyLine{"", i + 1})
			}
			continue
		}
		if s[0] != ' ' && s[0] != '\t' {
			break
		}
		if indent == "" {
			indent = s[:len(s)-len(strings.TrimLeft(s, " \t"))]
		}
		r.body = append(r.body, bodyLine{strings.TrimPrefix(s, indent), i + 1})
	}
	for n := len(r.body); n > 0 && r.body[n-1].text == ""; n = len(r.body) {
		r.body = r.body[:n-1]
	}
	return i
}

// lexStatement reads the tokens of the statement at lines[0] and gives how many lines it takes: more than one where a
// string, a bracket or a backslash goes on.
func lexStatement(lines []string, number int) (toks []token, n int, err string) {
	depth := 0
	s := strings.TrimSuffix(lines[0], "\r")
	n = 1
	more := func() bool {
		if n >= len(lines) {
			return false
		}
		s = strings.TrimSuffix(lines[n], "\r")
		n++
		return true
	}
	for {
		s = strings.TrimLeft(s, " \t")
		line := number + n - 1
		switch {
		case s == "" || s[0] == '#':
			if depth > 0 && more() {
				continue
			}
			return toks, n, ""
		case s == `\`:
			if !more() {
				return toks, n, ""
			}
		case s[0] == '"' || s[0] == '\'' || s[0] == '`' || isPrefixed(s):
			t, rest, used, ok := quoted(s, lines[n:])
			if !ok {
				return nil, n, "a string is not closed"
			}
			n += used
			t.line = line
			toks = append(toks, t)
			s = rest
		case isName(s[:1]):
			k := 1
			for k < len(s) && isName(s[:k+1]) {
				k++
			}
			toks = append(toks, token{word, s[:k], line})
			s = s[k:]
		default:
			k := 1
			for _, two := range []string{":=", "::", "&&", "||", "==", "!=", "=~"} {
				if strings.HasPrefix(s, two) {
					k = 2
				}
			}
			switch s[:k] {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth = max(depth-1, 0)
			}
			toks = append(toks, token{sign, s[:k], line})
			s = s[k:]
		}
		if len(toks) > maxSteps {
			return nil, n, "a statement is too long"
		}
	}
}

// isPrefixed tells whether a string with a prefix letter starts here: f"..." and x"...".
func isPrefixed(s string) bool {
	return len(s) > 1 && (s[0] == 'x' || s[0] == 'f') && (s[1] == '"' || s[1] == '\'')
}

// quoted reads '...', "...", `...` and their tripled forms; following are the lines after this one.
func quoted(s string, following []string) (t token, rest string, used int, ok bool) {
	t.kind = text
	prefixed := isPrefixed(s)
	if prefixed {
		s = s[1:]
	}
	q := s[:1]
	if q == "`" {
		t.kind = backtick
	}
	triple := strings.HasPrefix(s, q+q+q)
	if triple {
		q = q + q + q
	}
	var body strings.Builder
	for line := s[len(q):]; ; {
		if end := closingQuote(line, q); end >= 0 {
			body.WriteString(line[:end])
			t.text, rest = body.String(), line[end+len(q):]
			break
		}
		if used >= len(following) || body.Len() > maxValue {
			return t, "", used, false
		}
		body.WriteString(line + "\n")
		line = strings.TrimSuffix(following[used], "\r")
		used++
	}
	if triple {
		t.text = dedent(t.text)
	}
	if q[0] == '"' {
		t.text = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\"`, `"`, `\\`, `\`, "\\\n", "").Replace(t.text)
	}
	if prefixed && strings.ContainsAny(t.text, "${~") {
		t.text = Placeholder // shell-expanded or formatted
	}
	return t, rest, used, true
}

// closingQuote finds the quotes that end a string in one line; in double quotes a backslash quotes them.
func closingQuote(line, q string) int {
	for from := 0; ; {
		i := strings.Index(line[from:], q)
		if i < 0 {
			return -1
		}
		if i += from; q[0] != '"' || !escaped(line, i) {
			return i
		}
		from = i + 1
	}
}

func escaped(s string, i int) bool {
	n := 0
	for i--; i >= 0 && s[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// dedent takes the common indentation of a tripled string away.
func dedent(s string) string {
	s = strings.TrimPrefix(s, "\n")
	lines := strings.Split(s, "\n")
	common := -1
	for _, l := range lines {
		if t := strings.TrimLeft(l, " \t"); t != "" && (common < 0 || len(l)-len(t) < common) {
			common = len(l) - len(t)
		}
	}
	for i, l := range lines {
		lines[i] = l[min(max(common, 0), len(l)):]
	}
	return strings.Join(lines, "\n")
}
