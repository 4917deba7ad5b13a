package predict

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/ambit-dev/ambit/effect"
)

// param expands $x and ${x...}. What depends on more than known values is a hole.
func (e *engine) param(f *frame, p *syntax.ParamExp, quoted bool) piece {
	if p.Index != nil {
		e.arithmetic(f, p.Index)
	}
	if p.Param == nil {
		return piece{word: word{text: hole}}
	}
	name := p.Param.Value
	if name == "@" || name == "*" || indexAll(p.Index) {
		return e.allElements(f, p, name)
	}
	if p.Excl || p.Names != 0 {
		for _, val := range f.vars[name].vals {
			e.subscripts(f, val, lineOf(p), 8)
		}
		return piece{word: word{text: hole, quoted: quoted}}
	}
	v, set := e.lookup(f, name, lineOf(p))
	if p.Index != nil {
		v = e.element(f, name, p.Index)
	}
	if p.Length {
		return piece{word: word{text: hole, quoted: true}}
	}
	if p.Slice != nil {
		e.arithmetic(f, p.Slice.Offset)
		e.arithmetic(f, p.Slice.Length)
		return piece{word: word{text: hole, data: v.data, quoted: quoted}}
	}
	if p.Repl != nil {
		orig, with := e.literal(f, p.Repl.Orig), e.literal(f, p.Repl.With)
		return piece{word: replaced(v, orig, with, p.Repl.All)}
	}
	if p.Exp != nil {
		return piece{word: e.operated(f, v, set, p.Exp, name)}
	}
	return piece{word: v}
}

func indexAll(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

// allElements expands $@, $* and ${a[@]}.
func (e *engine) allElements(f *frame, p *syntax.ParamExp, name string) piece {
	var list []word
	if name == "@" || name == "*" {
		list = f.params[1:]
		if f.openParams {
			list = append(append([]word(nil), list...), word{text: hole})
		}
	} else {
		v, ok := f.vars[name]
		if !ok {
			return piece{word: word{text: hole}}
		}
		if list = v.elems; !v.array {
			list = v.vals
		}
	}
	if p.Length {
		return piece{word: word{text: hole, quoted: true}}
	}
	if p.Exp != nil && len(list) == 0 {
		return piece{word: e.operated(f, word{}, unset, p.Exp, name)}
	}
	e.promptExpanded(f, list, p.Exp)
	if p.Slice != nil || p.Repl != nil || p.Excl {
		w := word{text: hole}
		for _, x := range list {
			w.data = joined(w.data, x.data)
		}
		list = []word{w}
	}
	return piece{multi: list, list: true}
}

func (e *engine) element(f *frame, name string, index syntax.ArithmExpr) word {
	v, ok := f.vars[name]
	if !ok || !v.array {
		return word{text: hole}
	}
	if w, ok := index.(*syntax.Word); ok {
		if n, err := strconv.Atoi(w.Lit()); err == nil && n >= 0 && n < len(v.elems) {
			return v.elems[n]
		}
	}
	w := word{text: hole}
	for _, x := range v.elems {
		w.data = joined(w.data, x.data)
	}
	return w
}

// known says whether a variable is set: by the script, not at all, or perhaps (it may come from the environment).
type setness uint8

const (
	unset setness = iota
	perhaps
	isSet
)

// lookup is the value of a variable. One that the script did not set comes from the environment: reading it by name is an
// effect; its value is used only where every process has it and it says nothing private.
func (e *engine) lookup(f *frame, name string, line int) (word, setness) {
	if v, ok := f.vars[name]; ok {
		return v.one(), isSet
	}
	switch name {
	case "#", "?", "$", "!", "-", "RANDOM", "SECONDS", "LINENO", "PPID", "UID", "EUID", "BASHPID", unknownName:
		return word{text: hole}, isSet
	case "PWD":
		return word{text: f.dir}, isSet
	case "0":
		return f.params[0], isSet
	case "BASH_SOURCE":
		return f.params[0], isSet
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n < len(f.params) {
			return f.params[n], isSet
		}
		if f.openParams {
			return word{text: hole}, perhaps
		}
		return word{}, unset
	}
	r, err := effect.New(effect.EnvKind, name)
	if err != nil {
		return word{text: hole}, perhaps
	}
	e.note(f, effect.Environment, effect.Read, effect.Exactly(r), f.source(line, "shell/variable"))
	if v, ok := e.env[name]; ok && wellKnownValue(name) {
		return word{text: v}, isSet
	}
	if v, ok := f.fields[name]; ok {
		return word{text: v}, isSet
	}
	data := e.newComponent()
	data.touch(effect.Environment, effect.Read, effect.Exactly(r))
	f.comp.join(data)
	return word{text: hole, data: data}, perhaps
}

// wellKnownValue lists variables whose value the predictor may rely on: places, not settings or secrets.
func wellKnownValue(n string) bool {
	switch n {
	case "HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
		"GOPATH", "GOROOT", "GOBIN", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "PYENV_ROOT", "BUN_INSTALL", "PNPM_HOME", "VIRTUAL_ENV", "JAVA_HOME":
		return true
	}
	return false
}

func (e *engine) operated(f *frame, v word, set setness, x *syntax.Expansion, name string) word {
	switch x.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		alt := e.literal(f, x.Word)
		if set == unset {
			return word{}
		}
		if set == isSet && v.text != "" && v.known() {
			return alt
		}
		if alt.text == "" {
			return word{}
		}
		return word{text: hole, data: joined(v.data, alt.data)}
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		def := e.literal(f, x.Word)
		w := v
		switch {
		case set == unset, set == isSet && v.text == "":
			w = def
		case set == perhaps:
			// Without the variable in the environment the default is the value; with it, the value is not looked at.
			w = word{text: hole, data: joined(v.data, def.data), quoted: def.quoted}
			if _, there := e.env[name]; !there {
				w.text = def.text
			}
		}
		if x.Op == syntax.AssignUnset || x.Op == syntax.AssignUnsetOrNull {
			f.set(name, w)
		}
		return w
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		e.literal(f, x.Word)
		return v
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return trimmed(v, e.pattern(f, x.Word), x.Op)
	case syntax.OtherParamOps:
		e.promptExpanded(f, []word{v}, x)
	}
	e.literal(f, x.Word)
	return word{text: hole, data: v.data}
}

// pattern is a word as a glob pattern, with quoted characters escaped.
func (e *engine) pattern(f *frame, w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range e.pieces(f, w.Parts, true) {
		switch {
		case p.glob != "":
			b.WriteString(p.glob)
		case p.quoted:
			b.WriteString(escapeGlob(p.text))
		default:
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// trimmed removes a matching prefix or suffix (${v#p}, ${v%p} and their greedy forms).
func trimmed(v word, pat string, op syntax.ParExpOperator) word {
	if !v.known() || strings.Contains(pat, hole) || len(v.text) > 4096 {
		return word{text: hole, data: v.data, quoted: v.quoted}
	}
	n := len(v.text)
	match := func(s string) bool {
		// path.Match keeps * from crossing a slash; in parameters it crosses.
		ok, err := path.Match(strings.ReplaceAll(pat, "/", "\x01"), strings.ReplaceAll(s, "/", "\x01"))
		return ok && err == nil
	}
	out := v
	switch op {
	case syntax.RemSmallPrefix:
		for i := 0; i <= n; i++ {
			if match(v.text[:i]) {
				out.text = v.text[i:]
				return out
			}
		}
	case syntax.RemLargePrefix:
		for i := n; i >= 0; i-- {
			if match(v.text[:i]) {
				out.text = v.text[i:]
				return out
			}
		}
	case syntax.RemSmallSuffix:
		for i := n; i >= 0; i-- {
			if match(v.text[i:]) {
				out.text = v.text[:i]
				return out
			}
		}
	case syntax.RemLargeSuffix:
		for i := 0; i <= n; i++ {
			if match(v.text[i:]) {
				out.text = v.text[:i]
				return out
			}
		}
	}
	return out
}

func replaced(v, orig, with word, all bool) word {
	if !v.known() || !orig.known() || !with.known() || strings.ContainsAny(orig.text, "*?[#%") || orig.text == "" {
		return word{text: hole, data: joined(v.data, with.data), quoted: v.quoted}
	}
	n := 1
	if all {
		n = -1
	}
	return word{text: cut(strings.Replace(v.text, orig.text, with.text, n)), data: joined(v.data, with.data), quoted: v.quoted}
}

// subscripts runs the substitutions that a value holds when the shell reads it as an expression: "a[$(x)]" runs x, also where a
// variable holds it (bash(1), ARITHMETIC EVALUATION).
func (e *engine) subscripts(f *frame, w word, line, depth int) {
	if strings.Contains(w.text, "[") && strings.ContainsAny(w.text, "$`") {
		w.text = ": \"" + strings.ReplaceAll(w.text, `"`, "") + "\""
		e.evalText(f.fork(), w, line, "shell/arithmetic")
		return
	}
	if v, ok := f.vars[w.text]; ok && depth < 8 && w.text != "" {
		for _, val := range v.vals {
			e.subscripts(f, val, line, depth+1)
		}
	}
}

// arithmetic runs the substitutions inside an arithmetic expression and makes assigned variables unknown.
func (e *engine) arithmetic(f *frame, x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		if x != nil {
			e.subscripts(f, e.literal(f, x), lineOf(x), 0)
		}
	case *syntax.BinaryArithm:
		for { // long chains lean to the left
			e.arithmetic(f, x.Y)
			if w, ok := x.X.(*syntax.Word); ok && x.Op >= syntax.Assgn && x.Op <= syntax.ShrAssgn {
				f.set(w.Lit(), word{text: hole})
			}
			left, ok := x.X.(*syntax.BinaryArithm)
			if !ok {
				e.arithmetic(f, x.X)
				return
			}
			x = left
		}
	case *syntax.UnaryArithm:
		if w, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.Inc || x.Op == syntax.Dec) {
			f.set(w.Lit(), word{text: hole})
			return
		}
		e.arithmetic(f, x.X)
	case *syntax.ParenArithm:
		e.arithmetic(f, x.X)
	}
}
