package makefile

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// function says how many arguments a function takes; raw ones expand their arguments themselves.
type function struct {
	min, max int
	raw      bool
}

// functions is the table of make's functions (manual, "Functions for Transforming Text"). max 99 is "any number".
func functions(name string) function {
	switch name {
	case "abspath", "basename", "dir", "error", "eval", "firstword", "flavor", "guile", "info", "lastword", "notdir",
		"origin", "realpath", "shell", "sort", "strip", "suffix", "value", "warning", "wildcard", "words":
		return function{min: 1, max: 1}
	case "addprefix", "addsuffix", "filter", "filter-out", "findstring", "join", "word":
		return function{min: 2, max: 2}
	case "patsubst", "subst", "wordlist":
		return function{min: 3, max: 3}
	case "file":
		return function{min: 1, max: 2}
	case "intcmp":
		return function{min: 2, max: 5, raw: true}
	case "let":
		return function{min: 3, max: 3, raw: true}
	case "foreach":
		return function{min: 3, max: 3, raw: true}
	case "if":
		return function{min: 2, max: 3, raw: true}
	case "and", "or":
		return function{min: 1, max: 99, raw: true}
	case "call":
		return function{min: 1, max: 99}
	}
	return function{}
}

func (w *world) function(name string, f function, rest string, open byte, sc *scope) string {
	limit := f.max
	if limit == 99 {
		limit = 0
	}
	args := arguments(rest, open, limit)
	if !w.step(w.at, 1+len(args)) {
		return ""
	}
	if len(args) < f.min {
		w.fail("insufficient number of arguments to function '" + name + "'")
		return ""
	}
	if f.raw {
		return w.rawFunction(name, args, sc)
	}
	for i := range args {
		args[i] = w.expand(args[i], sc)
	}
	if w.over() {
		return ""
	}
	switch name {
	case "call":
		return w.call(args, sc)
	case "eval":
		w.eval(args[0])
		return ""
	case "shell":
		return w.shell(args[0])
	case "value":
		if v := w.lookup(sc, args[0]); v != nil && !hasMark(args[0]) {
			return v.value
		}
		return ""
	case "origin":
		if v := w.lookup(sc, args[0]); v != nil {
			return v.origin.String()
		}
		return "undefined"
	case "flavor":
		if v := w.lookup(sc, args[0]); v != nil {
			if v.recursive {
				return "recursive"
			}
			return "simple"
		}
		return "undefined"
	case "file":
		return w.file(args)
	case "guile":
		w.unknown(w.at, "the Makefile runs a Guile program, which is not read", anything()...)
		return w.fresh("a Guile program", "guile "+args[0])
	case "error":
		w.quit()
		return ""
	case "info", "warning":
		return ""
	}
	return w.textFunction(name, args)
}

// rawFunction runs the functions that expand only some of their arguments.
func (w *world) rawFunction(name string, args []string, sc *scope) string {
	switch name {
	case "if":
		if w.nonEmpty(w.expand(trim(args[0]), sc)) {
			return w.expand(args[1], sc)
		}
		if len(args) == 3 {
			return w.expand(args[2], sc)
		}
	case "or":
		for _, a := range args {
			if t := w.expand(trim(a), sc); w.nonEmpty(t) {
				return t
			}
		}
	case "and":
		t := ""
		for _, a := range args {
			if t = w.expand(trim(a), sc); !w.nonEmpty(t) {
				return ""
			}
		}
		return t
	case "foreach":
		return w.foreach(args, sc)
	case "let":
		return w.let(args, sc)
	case "intcmp":
		return w.intcmp(args, sc)
	}
	return ""
}

func (w *world) foreach(args []string, sc *scope) string {
	name := trim(w.expand(args[0], sc))
	v := &variable{origin: automatic}
	inner := &scope{vars: map[string]*variable{name: v}, parent: sc}
	var out strings.Builder
	for i, word := range words(w.expand(args[1], sc)) {
		if w.over() {
			break
		}
		if i > 0 {
			out.WriteByte(' ')
		}
		v.value = word
		out.WriteString(w.expand(args[2], inner))
	}
	return out.String()
}

func (w *world) let(args []string, sc *scope) string {
	names, list := words(w.expand(args[0], sc)), words(w.expand(args[1], sc))
	inner := &scope{vars: map[string]*variable{}, parent: sc}
	for i, name := range names {
		v := &variable{origin: automatic}
		if i < len(list) {
			v.value = list[i]
			if i == len(names)-1 {
				v.value = strings.Join(list[i:], " ")
			}
		}
		inner.vars[name] = v
	}
	return w.expand(args[2], inner)
}

func (w *world) intcmp(args []string, sc *scope) string {
	a, b := trim(w.expand(args[0], sc)), trim(w.expand(args[1], sc))
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	less, same := x < y, x == y
	if errX != nil || errY != nil {
		if !hasMark(a + b) {
			w.fail("non-numeric argument to 'intcmp' function")
			return ""
		}
		same = w.equal(a, b)
		less = !same && w.decide("lt\x00"+a+"\x00"+b)
	}
	switch {
	case len(args) == 2 && same:
		return a
	case len(args) > 2 && less:
		return w.expand(args[2], sc)
	case len(args) > 3 && same:
		return w.expand(args[3], sc)
	case len(args) > 2 && !less:
		return w.expand(args[len(args)-1], sc)
	}
	return ""
}

// call expands a variable with $(1), $(2), ... set. A name of a function calls the function.
func (w *world) call(args []string, sc *scope) string {
	name := trim(args[0])
	if f := functions(name); f.max > 0 {
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "$", "$$")
		}
		args = args[1:]
		if f.max < 99 && len(args) > f.max {
			args = args[:f.max]
		}
		return w.function(name, f, strings.Join(args, ","), '(', sc)
	}
	v := w.lookup(sc, name)
	if v == nil {
		if hasMark(name) {
			return w.fresh("a call of a function whose name is not known", strings.Join(args, ","))
		}
		return ""
	}
	inner := &scope{vars: map[string]*variable{}, parent: sc, call: true}
	for i, a := range args {
		inner.vars[strconv.Itoa(i)] = &variable{value: a, origin: automatic}
	}
	if !v.recursive {
		return v.value
	}
	at := w.at
	if v.at.file != nil {
		w.at = v.at
	}
	busy := v.busy
	v.busy = false // a called variable may call itself
	text := w.expand(v.value, inner)
	v.busy = busy
	w.at = at
	return text
}

// file writes or reads a file while make runs (manual, "File Function").
func (w *world) file(args []string) string {
	op := trimLeft(args[0])
	switch {
	case strings.HasPrefix(op, "<"):
		name := trim(op[1:])
		if hasMark(name) {
			return w.fresh("a file whose name is not known", "file "+name)
		}
		f, err := w.fs.Read(workspace.Join(w.dir, name))
		if err != nil || w.ran {
			return w.fresh("the file "+name, "file "+name)
		}
		return strings.TrimSuffix(strings.ReplaceAll(string(f.Data), "\x00", ""), "\n")
	case strings.HasPrefix(op, ">"):
		name := trim(strings.TrimLeft(op, ">"))
		if hasMark(name) {
			w.unknown(w.at, "the Makefile writes a file whose name is "+w.why(name), effect.File)
			return ""
		}
		w.claim(source.Claim{Class: effect.File, Access: effect.Write, Target: name, Dir: w.dir, From: w.at.source("make/file")})
		w.written[workspace.Join(w.dir, name)] = true
	default:
		w.fail("invalid file operation")
	}
	return ""
}

// textFunction runs the functions on words and names. Words with marks stay where that is sure to be right; otherwise
// the result is unknown.
func (w *world) textFunction(name string, args []string) string {
	last := args[len(args)-1]
	unknown := func() string {
		return w.fresh("the function "+name+" of a value that is not known", name+" "+strings.Join(args, ","))
	}
	whole := hasMark(strings.Join(args, ""))
	switch name {
	case "strip":
		return strings.Join(words(last), " ")
	case "subst":
		return w.subst(args[0], args[1], last)
	case "patsubst":
		return w.patsubst(trim(args[0]), args[1], last)
	case "findstring":
		switch {
		case !hasMark(args[0]) && strings.Contains(last, args[0]):
			return args[0]
		case whole && (hasMark(args[0]) || hasMark(last)):
			return unknown()
		}
		return ""
	case "filter", "filter-out":
		return w.filter(name == "filter", words(args[0]), words(last), unknown)
	case "sort":
		v := words(last)
		slices.Sort(v)
		return strings.Join(slices.Compact(v), " ")
	case "words", "word", "wordlist", "firstword", "lastword":
		if whole {
			if v := words(last); name == "firstword" && len(v) > 0 && !hasMark(v[0]) {
				return v[0]
			}
			return unknown()
		}
		return w.wordAt(name, args, words(last))
	case "join":
		a, b := words(args[0]), words(last)
		out := make([]string, max(len(a), len(b)))
		for i := range out {
			if i < len(a) {
				out[i] = a[i]
			}
			if i < len(b) {
				out[i] += b[i]
			}
		}
		return strings.Join(out, " ")
	case "addprefix":
		return mapWords(words(last), func(s string) string { return args[0] + s })
	case "addsuffix":
		return mapWords(words(last), func(s string) string { return s + args[0] })
	case "wildcard":
		return w.wildcard(words(last))
	}
	v := words(last)
	out := v[:0]
	for _, s := range v {
		if t := w.nameFunction(name, s); t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, " ")
}

func (w *world) wordAt(name string, args, v []string) string {
	n := func(s string) int {
		i, err := strconv.Atoi(trim(s))
		if err != nil || i < 0 {
			w.fail("invalid argument to '" + name + "' function")
		}
		return i
	}
	switch name {
	case "words":
		return strconv.Itoa(len(v))
	case "word":
		if i := n(args[0]); i >= 1 && i <= len(v) {
			return v[i-1]
		}
	case "wordlist":
		from, to := n(args[0]), min(n(args[1]), len(v))
		if from >= 1 && from <= to {
			return strings.Join(v[from-1:to], " ")
		}
	case "firstword":
		if len(v) > 0 {
			return v[0]
		}
	case "lastword":
		if len(v) > 0 {
			return v[len(v)-1]
		}
	}
	return ""
}

// nameFunction runs a function on one file name; the empty string is left out of the result.
func (w *world) nameFunction(name, s string) string {
	if hasMark(s) {
		file := filePart(s)
		switch {
		case name == "dir" && !hasMark(file) && strings.Contains(s, "/"), name == "notdir" && !hasMark(file),
			name == "suffix" && strings.Contains(knownEnd(file), "."), name == "basename" && strings.Contains(knownEnd(file), "."):
		default:
			return w.fresh("the function "+name+" of a value that is not known", name+" "+s)
		}
	}
	dot := strings.LastIndexByte(filePart(s), '.')
	cut := len(s) - len(filePart(s)) + dot
	switch name {
	case "dir":
		return dirPart(s)
	case "notdir":
		return filePart(s)
	case "suffix":
		if dot < 0 {
			return ""
		}
		return s[cut:]
	case "basename":
		if dot < 0 {
			return s
		}
		return s[:cut]
	case "abspath":
		return workspace.Join(w.dir, s)
	case "realpath":
		p, err := w.fs.Resolve(w.dir, s, true)
		if err != nil || !w.fs.Exists(p) {
			if w.ran {
				return path.Clean(workspace.Join(w.dir, s))
			}
			return ""
		}
		return p
	}
	return s
}

func (w *world) subst(from, to, s string) string {
	if hasMark(from) {
		return w.fresh("a substitution whose pattern is not known", "subst "+from+","+to+","+s)
	}
	if from == "" {
		return s + to
	}
	if n := strings.Count(s, from); !w.spend(w.at, n*len(to)+len(s)) {
		return ""
	}
	return strings.ReplaceAll(s, from, to)
}

func (w *world) patsubst(from, to, s string) string {
	if hasMark(from) {
		return w.fresh("a substitution whose pattern is not known", "patsubst "+from+","+to+","+s)
	}
	p, r := parsePattern(from), parsePattern(to)
	v := words(s)
	if !w.step(w.at, len(v)/8) || !w.spend(w.at, len(v)*len(to)) {
		return ""
	}
	out := make([]string, len(v))
	for i, word := range v {
		stem, ok := p.match(word)
		switch {
		case ok && !p.percent:
			out[i] = to
		case ok:
			out[i] = r.fill(stem)
		case hasMark(word) && p.mayMatch(word):
			out[i] = w.fresh(w.why(word), "patsubst "+from+","+to+","+word)
		default:
			out[i] = word
		}
	}
	return strings.Join(out, " ")
}

func (w *world) filter(keep bool, patterns, v []string, unknown func() string) string {
	ps := make([]pattern, len(patterns))
	for i, s := range patterns {
		if hasMark(s) && len(v) > 0 {
			return unknown()
		}
		ps[i] = parsePattern(s)
	}
	if !w.step(w.at, len(ps)*len(v)/8) {
		return ""
	}
	var out []string
	for _, word := range v {
		hit, may := false, false
		for _, p := range ps {
			_, ok := p.match(word)
			hit = hit || ok
			may = may || !ok && hasMark(word) && p.mayMatch(word)
		}
		switch {
		case may && !hit:
			out = append(out, w.fresh("the part of a value that is not known", "filter "+strings.Join(patterns, " ")+","+word))
		case hit == keep:
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}
