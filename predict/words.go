package predict

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/ambit-dev/ambit/predict/internal/model"
)

const hole = model.Hole

// word is the value of a shell word as far as it is known: text with holes, and the data that flowed into it.
type word struct {
	text   string
	data   *component // what the text was computed from; nil for literals
	quoted bool       // a hole in it cannot split into several words
	glob   string     // the pattern with quoted characters escaped, when it has active glob characters
}

func (w word) known() bool { return !strings.Contains(w.text, hole) }

// pure tells whether nothing at all is known of the text.
func (w word) pure() bool { return w.text != "" && strings.Trim(w.text, hole) == "" }

// variable is the value of a shell variable: one or several alternatives (both branches of an if set it).
type variable struct {
	vals     []word // alternatives; for an array the elements are in elems
	elems    []word
	array    bool
	exported bool
	told     bool // its export has been noted as an effect

	evaluated bool // what it is given is an expression, or another variable's name
}

const (
	maxAlternatives = 8
	maxFields       = 256
	maxText         = 64 << 10 // one word; longer ones become a hole
)

func (v variable) one() word {
	if v.array {
		if len(v.elems) > 0 {
			return v.elems[0]
		}
		return word{}
	}
	if len(v.vals) == 1 {
		return v.vals[0]
	}
	w := word{text: hole}
	for _, x := range v.vals {
		w.data = joined(w.data, x.data)
	}
	if len(v.vals) == 0 {
		return word{}
	}
	return w
}

func joined(a, b *component) *component {
	if a == nil {
		return b
	}
	a.join(b)
	return a
}

// piece is part of a word during expansion.
type piece struct {
	word
	split bool // unquoted result of an expansion: subject to field splitting
	multi []word
	list  bool // "$@" or "${a[@]}": each element its own field
}

// fields expands words the way a command's arguments are: braces, tildes, parameters, substitutions, splitting, globs.
func (e *engine) fields(f *frame, words []*syntax.Word) []word {
	var out []word
	for _, w := range words {
		for _, b := range e.braces(w) {
			out = append(out, e.wordFields(f, b)...)
			if len(out) > 4*maxFields {
				e.unknown(f, f.source(lineOf(w), "limit/words"), "command has too many arguments to analyse")
				return out[:4*maxFields]
			}
		}
	}
	return out
}

// braces expands {a,b} and {1..9}; a sequence that is too long is one hole.
func (e *engine) braces(w *syntax.Word) []*syntax.Word {
	if lit := w.Lit(); lit != "" && !strings.Contains(lit, "{") {
		return []*syntax.Word{w}
	}
	c := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if !syntax.SplitBraces(c) {
		return []*syntax.Word{w}
	}
	var out []*syntax.Word
	for b, err := range expand.BracesSeq(&expand.Config{}, c) {
		if err != nil || len(out) >= maxFields {
			return []*syntax.Word{{Parts: []syntax.WordPart{&syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: unknownName}}}}}
		}
		out = append(out, b)
	}
	return out
}

// unknownName is the variable that workflow sources put where they do not know a value.
const unknownName = "AMBIT_UNKNOWN"

func (e *engine) wordFields(f *frame, w *syntax.Word) []word {
	pieces := e.pieces(f, w.Parts, false)
	var out []word
	cur := word{}
	var glob strings.Builder
	active, started := false, false
	flush := func() {
		if started {
			cur.quoted = cur.quoted || !cur.pure()
			if active {
				cur.glob = glob.String()
			}
			out = append(out, cur)
		}
		cur, active, started = word{}, false, false
		glob.Reset()
	}
	add := func(x word, quoted bool) {
		cur.text = cut(cur.text + x.text)
		cur.data = joined(cur.data, x.data)
		cur.quoted = cur.quoted || quoted
		started = true
		if quoted {
			glob.WriteString(escapeGlob(x.text))
			return
		}
		if x.glob != "" {
			glob.WriteString(x.glob)
			active = true
			return
		}
		glob.WriteString(x.text)
		active = active || strings.ContainsAny(x.text, "*?[")
	}
	for _, p := range pieces {
		switch {
		case p.list:
			for i, m := range p.multi {
				if i > 0 {
					flush()
				}
				add(m, true)
			}
		case p.split:
			parts := splitFields(p.text)
			if strings.TrimLeft(p.text, " \t\n") != p.text && started {
				flush()
			}
			for i, s := range parts {
				if i > 0 {
					flush()
				}
				add(word{text: s, data: p.data}, false)
			}
			if len(parts) > 0 && strings.TrimRight(p.text, " \t\n") != p.text {
				flush()
			}
		default:
			add(p.word, p.quoted)
		}
	}
	flush()
	var globbed []word
	for _, x := range out {
		globbed = append(globbed, e.expandGlob(f, x)...)
	}
	return globbed
}

func cut(s string) string {
	if len(s) > maxText {
		return hole
	}
	return s
}

func splitFields(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' })
}

func escapeGlob(s string) string {
	if !strings.ContainsAny(s, `*?[]\`) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`*?[]\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// literal expands a word to one value, as in assignments, redirections and here-documents.
func (e *engine) literal(f *frame, w *syntax.Word) word {
	if w == nil {
		return word{}
	}
	return join(e.pieces(f, w.Parts, true))
}

func join(pieces []piece) word {
	out := word{quoted: true}
	for _, p := range pieces {
		if p.list {
			for i, m := range p.multi {
				if i > 0 {
					out.text += " "
				}
				out.text = cut(out.text + m.text)
				out.data = joined(out.data, m.data)
			}
			continue
		}
		out.text = cut(out.text + p.text)
		out.data = joined(out.data, p.data)
	}
	return out
}

func (e *engine) pieces(f *frame, parts []syntax.WordPart, assign bool) []piece {
	var out []piece
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			out = append(out, e.unquoted(f, p.Value, i == 0, assign, i+1 < len(parts)))
		case *syntax.SglQuoted:
			t := p.Value
			if p.Dollar {
				t = ansiC(t)
			}
			out = append(out, piece{word: word{text: t, quoted: true}})
		case *syntax.DblQuoted:
			out = append(out, e.quoted(f, p.Parts)...)
		case *syntax.ParamExp:
			x := e.param(f, p, false)
			x.split = !x.list
			out = append(out, x)
		case *syntax.CmdSubst:
			w := e.substitution(f, p)
			out = append(out, piece{word: w, split: true})
		case *syntax.ArithmExp:
			e.arithmetic(f, p.X)
			out = append(out, piece{word: word{text: hole, quoted: true}})
		case *syntax.ProcSubst:
			out = append(out, piece{word: e.processSubstitution(f, p)})
		case *syntax.ExtGlob:
			out = append(out, piece{word: word{text: hole, quoted: true}})
		default:
			out = append(out, piece{word: word{text: hole}})
		}
	}
	return out
}

// unquoted handles an unquoted literal: backslashes, the tilde at the start, and glob characters that stay active.
func (e *engine) unquoted(f *frame, s string, first, assign, more bool) piece {
	tilde := ""
	if first && strings.HasPrefix(s, "~") {
		user, rest, slash := strings.Cut(s[1:], "/")
		if assign {
			if i := strings.IndexByte(user, ':'); i >= 0 {
				user, rest, slash = user[:i], s[1+i:], false
			}
		}
		if slash || !more {
			switch {
			case user == "":
				tilde = e.homeText(f)
			case user == "+":
				tilde = f.dir
			case user == "-":
				tilde = hole
			default:
				tilde = path.Join("/home", user)
				if user == "root" {
					tilde = "/root"
				}
			}
			s = rest
			if slash {
				s = "/" + rest
			}
		}
	}
	if !strings.ContainsAny(s, `\*?[`) {
		return piece{word: word{text: tilde + s}}
	}
	var text, glob strings.Builder
	active := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i+1 < len(s) {
				i++
				if s[i] == '\n' {
					continue
				}
				text.WriteByte(s[i])
				glob.WriteString(escapeGlob(s[i : i+1]))
			}
		default:
			active = active || c == '*' || c == '?' || c == '['
			text.WriteByte(c)
			glob.WriteByte(c)
		}
	}
	p := piece{word: word{text: tilde + text.String()}}
	if active {
		p.glob = escapeGlob(tilde) + glob.String()
	} else {
		p.quoted = strings.ContainsAny(p.text, "*?[")
	}
	return p
}

func (e *engine) homeText(f *frame) string {
	if v, ok := f.vars["HOME"]; ok {
		return v.one().text
	}
	if h := e.env["HOME"]; h != "" {
		return h
	}
	return hole
}

func (e *engine) quoted(f *frame, parts []syntax.WordPart) []piece {
	out := []piece{{word: word{quoted: true}}}
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			out = append(out, piece{word: word{text: unescapeDouble(p.Value), quoted: true}})
		case *syntax.ParamExp:
			x := e.param(f, p, true)
			x.quoted = true
			out = append(out, x)
		case *syntax.CmdSubst:
			w := e.substitution(f, p)
			w.quoted = true
			out = append(out, piece{word: w})
		case *syntax.ArithmExp:
			e.arithmetic(f, p.X)
			out = append(out, piece{word: word{text: hole, quoted: true}})
		default:
			out = append(out, piece{word: word{text: hole, quoted: true}})
		}
	}
	if len(out) == 2 && out[1].list {
		return out[1:] // "$@" with no elements is no field at all
	}
	return out
}

func unescapeDouble(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansiC decodes $'...' (bash(1), QUOTING).
func ansiC(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		digits := func(base, most int) (n int64) {
			j := i + 1
			for j < len(s) && j-i <= most {
				if _, err := strconv.ParseInt(s[j:j+1], base, 32); err != nil {
					break
				}
				j++
			}
			n, _ = strconv.ParseInt(s[i+1:j], base, 32)
			i = j - 1
			return n
		}
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'a':
			b.WriteByte(7)
		case 'b':
			b.WriteByte(8)
		case 'e', 'E':
			b.WriteByte(27)
		case 'f':
			b.WriteByte(12)
		case 'v':
			b.WriteByte(11)
		case 'x':
			b.WriteByte(byte(digits(16, 2)))
		case 'u':
			b.WriteRune(rune(digits(16, 4)))
		case 'U':
			b.WriteRune(rune(digits(16, 8)))
		case 'c':
			i++
			if i < len(s) {
				b.WriteByte(s[i] & 0x1f)
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			i--
			b.WriteByte(byte(digits(8, 3)))
		default:
			b.WriteByte(c)
		}
	}
	return strings.ReplaceAll(b.String(), hole, "") // bash ends the string at a NUL; holding on to the rest shows more
}

// expandGlob gives the names that a word with active glob characters matches now; the word itself where none does.
func (e *engine) expandGlob(f *frame, w word) []word {
	if w.glob == "" || !w.known() {
		w.glob = ""
		return []word{w}
	}
	names, ok := e.globNames(f, w.glob)
	w.glob = ""
	if !ok {
		dir, _, _ := strings.Cut(w.text, firstGlob(w.text))
		return []word{{text: dir + hole, data: w.data, quoted: true}}
	}
	if len(names) == 0 {
		return []word{w}
	}
	out := make([]word, len(names))
	for i, n := range names {
		out[i] = word{text: n, data: w.data, quoted: true}
	}
	return out
}

func firstGlob(s string) string {
	i := strings.IndexAny(s, "*?[")
	return s[i : i+1]
}

// globNames matches a pattern against the file system, component by component. It gives up (false) when there are more than
// maxFields names.
func (e *engine) globNames(f *frame, pattern string) ([]string, bool) {
	abs := strings.HasPrefix(pattern, "/")
	found := []string{""}
	if abs {
		found = []string{"/"}
	}
	for _, c := range strings.Split(pattern, "/") {
		if c == "" {
			continue
		}
		var next []string
		for _, dir := range found {
			if !strings.ContainsAny(c, "*?[") || strings.Contains(c, `\`) && !globActive(c) {
				n := dir + unescapeGlob(c)
				if e.present(f.abs(n)) {
					next = append(next, n+"/")
				}
				continue
			}
			names, err := e.fs.Names(f.abs(dir))
			if err != nil {
				continue
			}
			for _, n := range names {
				if strings.HasPrefix(n, ".") && !strings.HasPrefix(c, ".") {
					continue
				}
				if ok, err := path.Match(c, n); ok && err == nil {
					next = append(next, dir+n+"/")
				}
			}
			if len(next) > maxFields {
				return nil, false
			}
		}
		found = next
	}
	for i, n := range found {
		if !strings.HasSuffix(pattern, "/") {
			found[i] = strings.TrimSuffix(n, "/")
		}
	}
	return found, true
}

func globActive(c string) bool {
	for i := 0; i < len(c); i++ {
		switch c[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

func unescapeGlob(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// abs is a path as the frame's directory sees it.
func (f *frame) abs(p string) string {
	if path.IsAbs(p) {
		return p
	}
	return f.dir + "/" + p
}
