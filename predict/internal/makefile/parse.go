package makefile

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// reader hands out logical lines: continued ones are one, with their backslashes and newlines.
type reader struct {
	data []byte
	line int // number of the line that comes next
}

func (r *reader) next() (text string, line int, ok bool) {
	if len(r.data) == 0 {
		return "", 0, false
	}
	line = r.line
	var b strings.Builder
	for {
		raw, rest, found := bytes.Cut(r.data, []byte{'\n'})
		r.data = rest
		r.line++
		if found {
			raw = bytes.TrimSuffix(raw, []byte{'\r'})
		}
		raw, _, _ = bytes.Cut(raw, []byte{0}) // make drops the rest of a line behind a NUL
		b.Write(raw)
		if slashes := len(raw) - len(bytes.TrimRight(raw, `\`)); slashes%2 == 0 || len(r.data) == 0 {
			return b.String(), line, true
		}
		b.WriteByte('\n')
	}
}

// conditional is one open ifeq, ifdef, ...
type conditional struct {
	skip  bool // the branch that is being read is not taken
	taken bool // some branch was taken
	outer bool // the whole conditional is inside a skipped branch
}

// reading is the state of reading one makefile or one evaluated text.
type reading struct {
	*reader
	conds   []conditional
	rule    *pending
	dropped bool // recipe lines belong to a rule without targets
	goal    bool // rules of this text may set the default goal
}

// pending is a rule whose recipe is still being read.
type pending struct {
	targets []string
	rule    *rule
}

func (rd *reading) skipping() bool {
	n := len(rd.conds)
	return n > 0 && (rd.conds[n-1].skip || rd.conds[n-1].outer)
}

// eval reads a text as a part of the makefile that is being read.
func (w *world) eval(text string) {
	if hasMark(text) {
		text = w.evalUnknown(text)
	}
	w.read(&reading{reader: &reader{data: []byte(text), line: w.at.line}, goal: true}, w.at.file, true)
}

// evalUnknown says of text with marks that is read as a makefile what could be hidden by it. A mark keeps its meaning
// inside a word; where it could be whole lines it hides rules.
func (w *world) evalUnknown(text string) string {
	for _, line := range strings.Split(text, "\n") {
		if line = trim(line); onlyMark(line) {
			w.unknown(w.at, "a part of the Makefile is the value of "+w.why(line), anything()...)
		}
	}
	return text
}

// read evaluates line by line (manual, "How Makefiles Are Parsed"). In a text from eval all lines have the line of the call.
func (w *world) read(rd *reading, file *workspace.File, fixed bool) {
	if w.depth++; w.depth > maxDepth {
		w.stop(w.at, "includes and evals of the Makefile are nested more deeply than is followed")
	}
	saved := w.at
	for !w.over() {
		if !fixed {
			w.at = loc{file, rd.line}
		}
		text, _, ok := rd.next()
		if !ok || !w.step(w.at, 1) || !w.spend(w.at, len(text)/4) {
			break
		}
		w.statement(rd, text)
	}
	if len(rd.conds) > 0 && !w.over() {
		w.fail("missing 'endif'")
	}
	w.endRule(rd)
	w.at = saved
	w.depth--
}

func (w *world) statement(rd *reading, text string) {
	if text != "" && text[0] == w.prefix && (rd.rule != nil || rd.dropped) {
		if rd.rule != nil && !rd.skipping() {
			rd.rule.rule.recipe.add(text[1:], w.at.line, w.prefix)
		}
		return
	}
	line := trimLeft(uncomment(collapse(text)))
	if line == "" {
		return
	}
	if a, ok := parseAssignment(line); ok {
		if rd.skipping() {
			if a.define {
				w.defineBody(rd)
			}
			return
		}
		w.endRule(rd)
		w.assignment(rd, a)
		return
	}
	word, rest := cutWord(line)
	if w.conditional(rd, word, rest) || rd.skipping() {
		return
	}
	switch word {
	case "export", "unexport":
		w.endRule(rd)
		w.export(word == "export", rest)
		return
	case "vpath":
		w.endRule(rd)
		w.vpath(words(w.expand(rest, nil)))
		return
	case "include", "-include", "sinclude":
		w.endRule(rd)
		w.include(words(w.expand(rest, nil)), word == "include", rd.goal)
		return
	case "load", "-load":
		w.endRule(rd)
		w.unknown(w.at, "the Makefile loads a shared object into make", anything()...)
		return
	}
	if text[0] == w.prefix {
		w.fail("recipe commences before first target")
		return
	}
	w.endRule(rd)
	w.ruleLine(rd, text)
}

func cutWord(s string) (word, rest string) {
	i := strings.IndexFunc(s, func(r rune) bool { return r < 128 && isSpace(byte(r)) })
	if i < 0 {
		return s, ""
	}
	return s[:i], trimLeft(s[i:])
}

// assignmentLine is a variable definition with its modifiers.
type assignmentLine struct {
	name, op, value                             string
	override, export, private, undefine, define bool
}

// parseAssignment recognises a definition: modifiers, a name, an operator. A colon that is not part of an operator comes
// first in a rule, and white space inside a name means that it is none.
func parseAssignment(s string) (a assignmentLine, ok bool) {
	for {
		word, rest := cutWord(s)
		if n, _, _, found := splitAssignment(s); found && n == word {
			break // a variable that is called like a modifier
		}
		switch {
		case word == "export" && rest != "":
			a.export = true
		case word == "override" && rest != "":
			a.override = true
		case word == "private" && rest != "":
			a.private = true
		case word == "undefine" && rest != "":
			a.undefine, a.name = true, rest
			return a, true
		case word == "define" && rest != "":
			a.define = true
			a.name, a.op, _, ok = splitAssignment(rest)
			if !ok {
				a.name, a.op = rest, "="
			}
			return a, true
		default:
			goto body
		}
		s = rest
	}
body:
	a.name, a.op, a.value, ok = splitAssignment(s)
	return a, ok
}

// splitAssignment finds the operator outside variable references.
func splitAssignment(s string) (name, op, value string, ok bool) {
	end := -1 // where the name ended in white space
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '$':
			if end >= 0 {
				return
			}
			i = skipRef(s, i)
			continue
		case c == '#':
			return
		case isBlank(c) || c == '\n':
			if end < 0 {
				end = i
			}
			i++
			continue
		default:
			for _, o := range []string{":::=", "::=", ":=", "?=", "+=", "!=", "="} {
				if strings.HasPrefix(s[i:], o) {
					if end < 0 {
						end = i
					}
					return s[:end], o, strings.TrimLeft(s[i+len(o):], " \t\n"), true
				}
			}
			if end >= 0 || c == ':' {
				return
			}
			i++
		}
	}
	return
}

func (w *world) assignment(rd *reading, a assignmentLine) {
	org := byFile
	if a.override {
		org = byOverride
	}
	name := trim(w.expand(a.name, nil))
	if hasMark(name) {
		w.unknown(w.at, "the Makefile sets a variable whose name is "+w.why(name), anything()...)
	}
	if a.undefine {
		if v := w.lookupGlobal(name); v == nil || v.origin <= org || v.origin < byEnvOverride {
			w.globals[name] = nil
		}
		return
	}
	at := w.at
	if a.define {
		at.line++
		a.value = w.defineBody(rd)
	}
	saved := w.at
	w.at = at
	v := w.assign(name, a.op, a.value, org, nil, nil)
	w.at = saved
	if v == nil {
		return
	}
	if a.export {
		v.export = exportYes
		w.exports = nil
	}
	v.private = v.private || a.private
}

// defineBody takes the lines up to the endef that closes the define.
func (w *world) defineBody(rd *reading) string {
	var b strings.Builder
	depth := 1
	for first := true; w.step(w.at, 1); {
		text, _, ok := rd.next()
		if !ok {
			w.fail("missing 'endef', unterminated 'define'")
			break
		}
		if text == "" || text[0] != w.prefix {
			line := trimLeft(uncomment(collapse(text)))
			word, rest := cutWord(line)
			switch {
			case word == "define" && rest != "", (word == "override" || word == "export") && strings.HasPrefix(rest, "define "):
				depth++
			case word == "endef":
				if depth--; depth == 0 {
					return b.String()
				}
			}
		}
		if !first {
			b.WriteByte('\n')
		}
		first = false
		b.WriteString(text)
	}
	return b.String()
}

// conditional handles a conditional directive and tells whether the line was one.
func (w *world) conditional(rd *reading, word, rest string) bool {
	switch word {
	case "ifeq", "ifneq", "ifdef", "ifndef":
		c := conditional{outer: rd.skipping()}
		if len(rd.conds) > maxDepth {
			w.stop(w.at, "conditionals of the Makefile are nested more deeply than is followed")
			return true
		}
		if !c.outer {
			c.taken = w.condition(word, rest)
			c.skip = !c.taken
		}
		rd.conds = append(rd.conds, c)
	case "else":
		n := len(rd.conds)
		if n == 0 {
			w.fail("extraneous 'else'")
			return true
		}
		c := &rd.conds[n-1]
		switch {
		case c.outer:
		case c.taken:
			c.skip = true
		default:
			then, cond := cutWord(rest)
			switch then {
			case "ifeq", "ifneq", "ifdef", "ifndef":
				c.taken = w.condition(then, cond)
			default:
				c.taken = true
			}
			c.skip = !c.taken
		}
	case "endif":
		if len(rd.conds) == 0 {
			w.fail("extraneous 'endif'")
			return true
		}
		rd.conds = rd.conds[:len(rd.conds)-1]
	default:
		return false
	}
	return true
}

// condition evaluates what stands behind ifeq and its like.
func (w *world) condition(word, rest string) bool {
	if word == "ifdef" || word == "ifndef" {
		name := trim(w.expand(rest, nil))
		var defined bool
		if hasMark(name) {
			defined = w.decide("ifdef\x00" + name)
		} else if v := w.lookup(nil, name); v != nil {
			defined = w.nonEmpty(v.value)
			if v.origin == byEnv {
				w.readsEnv(name)
			}
		}
		return defined == (word == "ifdef")
	}
	a, b, ok := splitCondition(rest)
	if !ok {
		w.fail("invalid syntax in conditional")
		return false
	}
	return w.equal(w.expand(a, nil), w.expand(b, nil)) == (word == "ifeq")
}

// splitCondition takes `(a,b)`, `"a" "b"` and `'a' 'b'` apart.
func splitCondition(s string) (a, b string, ok bool) {
	if s == "" {
		return
	}
	if s[0] != '(' {
		a, s, ok = quoted(s)
		if !ok {
			return
		}
		b, _, ok = quoted(trimLeft(s))
		return
	}
	comma, depth := -1, 0
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth == 0 && comma > 0 {
				return strings.TrimRight(s[1:comma], " \t\n"), trimLeft(s[comma+1 : i]), true
			}
			depth--
		case ',':
			if depth == 0 && comma < 0 {
				comma = i
			}
		}
	}
	return
}

func quoted(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return
	}
	text, rest, ok = strings.Cut(s[1:], s[:1])
	return
}

func (w *world) export(yes bool, rest string) {
	w.exports = nil
	to := exportNo
	if yes {
		to = exportYes
	}
	if rest == "" {
		w.exportAll = yes
		return
	}
	for _, name := range words(w.expand(rest, nil)) {
		v := w.lookupGlobal(name)
		if v == nil {
			v = &variable{origin: byFile, at: w.at}
		}
		w.globals[name] = v
		v.export = to
	}
}

// vpath records search directories for a pattern (manual, "The vpath Directive").
func (w *world) vpath(v []string) {
	switch len(v) {
	case 0:
		w.vpaths = nil
	case 1:
		w.vpaths = slices.DeleteFunc(w.vpaths, func(p searchPath) bool { return p.text == v[0] })
	default:
		p := searchPath{text: v[0], pattern: parsePattern(v[0])}
		for _, d := range v[1:] {
			p.dirs = append(p.dirs, strings.Split(d, ":")...)
		}
		w.vpaths = append(w.vpaths, p)
	}
}

// include reads other makefiles; what is missing is remembered, as a rule may make it.
func (w *world) include(names []string, must, goal bool) {
	for _, name := range names {
		if hasMark(name) {
			w.unknown(w.at, "the name of an included makefile is "+w.why(name), anything()...)
			continue
		}
		found := w.glob(name)
		if len(found) == 0 {
			found = []string{name}
		}
		for _, f := range found {
			if w.over() {
				return
			}
			w.readFile(f, must, goal)
		}
	}
}

// readFile reads one makefile, looking in the include directories for a relative one that is not there.
func (w *world) readFile(name string, must, goal bool) {
	p := workspace.Join(w.dir, expandHome(name, w.args.Env))
	if !path.IsAbs(name) && !w.fs.Exists(p) {
		for _, d := range append(slices.Clone(w.args.IncludeDirs), "/usr/local/include", "/usr/include") {
			if q := path.Join(workspace.Join(w.dir, d), name); w.fs.Exists(q) {
				p = q
				break
			}
		}
	}
	if w.reads++; w.reads > maxFiles {
		w.stop(w.at, "the Makefile includes more files than are followed")
		return
	}
	f, err := w.fs.Read(p)
	m := included{name: name, at: w.at, must: must, missing: errors.Is(err, fs.ErrNotExist)}
	w.makefiles = append(w.makefiles, m)
	if err != nil {
		if !m.missing {
			w.unknown(w.at, "the makefile "+name+" cannot be read: "+err.Error(), anything()...)
		}
		return
	}
	list := w.globals["MAKEFILE_LIST"]
	if list == nil {
		list = &variable{origin: byFile}
	}
	w.globals["MAKEFILE_LIST"] = &variable{value: list.value + " " + name, origin: byFile}
	data := bytes.TrimPrefix(f.Data, []byte("\xef\xbb\xbf"))
	w.read(&reading{reader: &reader{data: data, line: 1}, goal: goal}, f, false)
}

func expandHome(name string, env func(string) (string, bool)) string {
	if env != nil && (name == "~" || strings.HasPrefix(name, "~/")) {
		if home, ok := env("HOME"); ok {
			return home + name[1:]
		}
	}
	return name
}
