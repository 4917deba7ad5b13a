package makefile

import (
	"strings"
)

// expand replaces the variable references and function calls of a text.
func (w *world) expand(s string, sc *scope) string {
	i := strings.IndexByte(s, '$')
	if i < 0 || w.over() {
		return s
	}
	if w.depth++; w.depth > maxDepth {
		w.stop(w.at, "variables and functions of the Makefile are nested more deeply than is followed")
		w.depth--
		return ""
	}
	var b strings.Builder
	b.WriteString(s[:i])
	for i < len(s) && w.step(w.at, 1) && !w.over() {
		if s[i] != '$' {
			j := strings.IndexByte(s[i:], '$')
			if j < 0 {
				j = len(s) - i
			}
			b.WriteString(s[i : i+j])
			i += j
			continue
		}
		if i+1 == len(s) {
			break
		}
		switch c := s[i+1]; c {
		case '$':
			b.WriteByte('$')
			i += 2
		case '(', '{':
			end := refEnd(s, i+2, c)
			if end < 0 {
				w.fail("unterminated variable reference")
				i = len(s)
				break
			}
			b.WriteString(w.reference(s[i+2:end], c, sc))
			i = end + 1
		default:
			if !isSpace(c) {
				b.WriteString(w.value(sc, string(c)))
			}
			i += 2
		}
	}
	w.depth--
	w.spend(w.at, b.Len())
	return b.String()
}

// refEnd finds the end of a reference whose text starts at i. Without a `$` inside, the first closing bracket ends it;
// otherwise, and in a function call, brackets of the same kind are counted.
func refEnd(s string, i int, open byte) int {
	first := strings.IndexByte(s[i:], closer(open))
	if first < 0 {
		return -1
	}
	if name, _, _ := functionName(s[i:]); name == "" && strings.IndexByte(s[i:i+first], '$') < 0 {
		return i + first
	}
	return closing(s, i, open)
}

// reference expands what stands between the brackets.
func (w *world) reference(text string, open byte, sc *scope) string {
	if name, f, rest := functionName(text); name != "" {
		return w.function(name, f, rest, open, sc)
	}
	text = w.expand(text, sc)
	name, sub, isSub := strings.Cut(text, ":")
	from, to, hasEq := strings.Cut(sub, "=")
	if !isSub || !hasEq {
		return w.value(sc, text)
	}
	value := w.value(sc, name)
	if !strings.Contains(from, "%") {
		from, to = "%"+from, "%"+to
	}
	return w.patsubst(from, to, value)
}

// value is the expanded value of a variable; empty where it is not defined.
func (w *world) value(sc *scope, name string) string {
	if hasMark(name) {
		return w.fresh("a variable whose name is not known", "var "+name)
	}
	v := w.lookup(sc, name)
	if v == nil {
		return ""
	}
	if v.origin == byEnv || v.origin == byEnvOverride {
		w.readsEnv(name)
	}
	text := w.valueOf(v, sc)
	if v.appended {
		for s := sc; s != nil; s = s.parent {
			if s.vars[name] == v {
				if wide := w.value(s.parent, name); wide != "" {
					text = wide + " " + text
				}
				break
			}
		}
	}
	return text
}

// text is the value of a variable that make itself looks at, such as SHELL.
func (w *world) text(name string, sc *scope) string { return trim(w.value(sc, name)) }

func (w *world) valueOf(v *variable, sc *scope) string {
	if !v.recursive || strings.IndexByte(v.value, '$') < 0 {
		return v.value
	}
	if v.busy {
		w.fail("recursive variable references itself")
		return ""
	}
	at := w.at
	if v.at.file != nil {
		w.at = v.at
	}
	v.busy = true
	text := w.expand(v.value, sc)
	v.busy = false
	w.at = at
	return text
}

// functionName recognises a call: the name of a function and white space behind it, or nothing.
func functionName(s string) (name string, f function, rest string) {
	n := 0
	for n < len(s) && n < 12 && (s[n] >= 'a' && s[n] <= 'z' || s[n] == '-') {
		n++
	}
	if n == 0 || n < len(s) && !isSpace(s[n]) {
		return "", function{}, ""
	}
	f = functions(s[:n])
	if f.max == 0 && f.min == 0 {
		return "", function{}, ""
	}
	return s[:n], f, trimLeft(s[n:])
}

// arguments splits at commas outside brackets of the kind that encloses the call; the last one takes the rest.
func arguments(s string, open byte, limit int) []string {
	end, depth, start := closer(open), 0, 0
	var out []string
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == open:
			depth++
		case s[i] == end:
			depth--
		case s[i] == ',' && depth == 0 && (limit == 0 || len(out)+1 < limit):
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// Unknown texts.

// fresh gives the mark of an unknown: the same key gives the same mark. why completes "the value of ...".
func (w *world) fresh(why, key string) string {
	if i, ok := w.markBy[key]; ok {
		return mark(i)
	}
	w.markBy[key] = len(w.marks)
	w.marks = append(w.marks, unknownText{why: why})
	return mark(len(w.marks) - 1)
}

// namedMark gives the mark of an environment variable whose value is not copied.
func (w *world) namedMark(name string) string {
	m := w.fresh("the environment variable "+name, "env "+name)
	w.marks[w.markBy["env "+name]].env = name
	return m
}

// unknownText is what is known of an unknown value.
type unknownText struct {
	why string
	env string // it is the value of this environment variable
}

func (w *world) unknownAt(s string) unknownText {
	if i := markIndex(s); i >= 0 && i < len(w.marks) {
		return w.marks[i]
	}
	return unknownText{why: "a value that is not known"}
}

// why says of a text with marks where the first of them is from.
func (w *world) why(s string) string { return w.unknownAt(s[strings.IndexByte(s, nul):]).why }

// plain puts the placeholder, or the reference to the environment variable, in place of marks.
func (w *world) plain(s string) string {
	if !hasMark(s) {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, nul)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		b.WriteString(w.shown(s[i:]))
		s = s[i+markLen(s[i:]):]
	}
}

func (w *world) shown(s string) string {
	if u := w.unknownAt(s); u.env != "" {
		return "${" + u.env + "}"
	}
	return Placeholder
}

// shellText is plain for shell text: inside single quotes, where a parameter would be literal, the quotes are closed
// around it.
func (w *world) shellText(s string) string {
	if !hasMark(s) {
		return s
	}
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == nul:
			if quote == '\'' {
				b.WriteString(`'"` + w.shown(s[i:]) + `"'`)
			} else {
				b.WriteString(w.shown(s[i:]))
			}
			i += markLen(s[i:]) - 1
			continue
		case c == '\\' && quote != '\'' && i+1 < len(s) && s[i+1] != nul:
			b.WriteByte(c)
			i++
			c = s[i]
		case (c == '\'' || c == '"') && quote == 0:
			quote = c
		case c == quote:
			quote = 0
		}
		b.WriteByte(c)
	}
	return b.String()
}

// Conditions.

// decide gives an outcome of a condition on unknown values: the one this world is for, or else true. Outcomes that no
// world had are put on the list.
func (w *world) decide(key string) bool {
	if out, ok := w.decided[key]; ok {
		return out
	}
	out := true
	if n := len(w.path); n < len(w.choices) {
		out = w.choices[n]
	} else {
		flip := w.at.name() + "\x00" + key
		if !w.flipped[flip] {
			w.flipped[flip] = true
			w.waiting = append(w.waiting, append(append([]bool{}, w.path...), false))
		}
	}
	w.path = append(w.path, out)
	w.decided[key] = out
	return out
}

// equal compares two expanded texts as ifeq does.
func (w *world) equal(a, b string) bool {
	a, b = w.resolved(a), w.resolved(b)
	switch {
	case a == b:
		return true
	case !canEqual(a, b):
		return false
	}
	if onlyMark(b) {
		a, b = b, a
	}
	if b == "" {
		out := !w.decide("set\x00" + a)
		if out {
			w.bound[a] = ""
		}
		return out
	}
	out := w.decide("eq\x00" + a + "\x00" + b)
	if out && onlyMark(a) && !hasMark(b) {
		w.bound[a] = b
	}
	return out
}

// resolved replaces a lone unknown by what an earlier condition made of it.
func (w *world) resolved(s string) string {
	if t, ok := w.bound[s]; ok {
		return t
	}
	return s
}

// nonEmpty tells whether a text that may be unknown has any characters.
func (w *world) nonEmpty(s string) bool {
	s = w.resolved(s)
	if !hasMark(s) {
		return s != ""
	}
	if trim(w.withoutMarks(s)) != "" {
		return true
	}
	return !w.equal(s, "")
}

func (w *world) withoutMarks(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, nul)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		if u := w.unknownAt(s[i:]); u.env != "" {
			b.WriteString("x") // it is set
		}
		s = s[i+markLen(s[i:]):]
	}
}

// over tells whether reading on is useless.
func (w *world) over() bool { return w.failed || w.stopped != "" }
