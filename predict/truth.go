package predict

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// verdict is what is known of a condition.
type verdict uint8

const (
	either verdict = iota
	holds
	fails
)

func verdictOf(b bool) verdict {
	if b {
		return holds
	}
	return fails
}

func (v verdict) not() verdict {
	switch v {
	case holds:
		return fails
	case fails:
		return holds
	}
	return either
}

// truth tells whether a condition is certain: a comparison of strings that are known, true, false and their negations.
// What depends on files or on the environment is not: both may change before the run.
func (e *engine) truth(f *frame, s *syntax.Stmt) verdict {
	if s == nil || len(s.Redirs) > 0 || s.Background {
		return either
	}
	v := either
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		v = e.truthOfCall(f, c)
	case *syntax.TestClause:
		v = e.truthOfTest(f, c.X)
	}
	if s.Negated {
		v = v.not()
	}
	return v
}

func (e *engine) truthOfCall(f *frame, c *syntax.CallExpr) verdict {
	if len(c.Args) == 0 || len(c.Assigns) > 0 {
		return either
	}
	name := c.Args[0].Lit()
	if _, hidden := f.funcs[name]; hidden {
		return either
	}
	switch name {
	case "true", ":":
		return holds
	case "false":
		return fails
	case "[", "test":
	default:
		return either
	}
	args := c.Args[1:]
	if name == "[" {
		if len(args) == 0 || args[len(args)-1].Lit() != "]" {
			return either
		}
		args = args[:len(args)-1]
	}
	var ws []string
	for _, a := range args {
		w, ok := e.certain(f, a)
		if !ok {
			return either
		}
		ws = append(ws, w)
	}
	switch {
	case len(ws) == 2 && ws[0] == "-n":
		return verdictOf(ws[1] != "")
	case len(ws) == 2 && ws[0] == "-z":
		return verdictOf(ws[1] == "")
	case len(ws) == 3 && (ws[1] == "=" || ws[1] == "=="):
		return verdictOf(ws[0] == ws[2])
	case len(ws) == 3 && ws[1] == "!=":
		return verdictOf(ws[0] != ws[2])
	}
	return either
}

func (e *engine) truthOfTest(f *frame, x syntax.TestExpr) verdict {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		a, okA := x.X.(*syntax.Word)
		b, okB := x.Y.(*syntax.Word)
		if !okA || !okB || x.Op != syntax.TsMatch && x.Op != syntax.TsMatchShort && x.Op != syntax.TsNoMatch {
			return either
		}
		s, ok1 := e.certain(f, a)
		t, ok2 := e.certain(f, b)
		if !ok1 || !ok2 || strings.ContainsAny(t, `*?[\`) {
			return either
		}
		return verdictOf((s == t) == (x.Op != syntax.TsNoMatch))
	case *syntax.ParenTest:
		return e.truthOfTest(f, x.X)
	case *syntax.UnaryTest:
		w, ok := x.X.(*syntax.Word)
		if x.Op == syntax.TsNot {
			return e.truthOfTest(f, x.X).not()
		}
		if s, known := e.certain(f, w); ok && known && (x.Op == syntax.TsEmpStr || x.Op == syntax.TsNempStr) {
			return verdictOf((s == "") == (x.Op == syntax.TsEmpStr))
		}
	}
	return either
}

// certain gives the value of a word that is made of literals and of variables that the script itself or its caller has set to
// one known value.
func (e *engine) certain(f *frame, w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	ok := certainParts(f, w.Parts, &b)
	return b.String(), ok
}

func certainParts(f *frame, parts []syntax.WordPart, b *strings.Builder) bool {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, `\*?[~{`) && p.Value != "[" {
				return false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if !certainParts(f, p.Parts, b) {
				return false
			}
		case *syntax.ParamExp:
			if p.Param == nil || p.Exp != nil || p.Length || p.Excl || p.Slice != nil || p.Repl != nil || p.Index != nil {
				return false
			}
			v, set := f.vars[p.Param.Value]
			if !set || v.array || len(v.vals) != 1 || !v.vals[0].known() {
				return false
			}
			b.WriteString(v.vals[0].text)
		default:
			return false
		}
	}
	return true
}

// loosen prepares a loop whose body is analysed once: a variable that the body assigns may have any of the values that it is
// given there, or, where those are computed, any value at all.
func (e *engine) loosen(f *frame, body ...*syntax.Stmt) {
	seen := map[string]bool{}
	var look func(n syntax.Node) bool
	look = func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			return false // what they assign does not come back
		case *syntax.Assign:
			if n.Name != nil && !n.Naked {
				f.loosenTo(n.Name.Value, n)
			}
		case *syntax.WordIter:
			f.set(n.Name.Value, word{text: hole})
		case *syntax.UnaryArithm, *syntax.BinaryArithm:
			e.loosenArithmetic(f, n.(syntax.ArithmExpr))
		case *syntax.CallExpr:
			e.loosenCall(f, n, seen, look)
		}
		return true
	}
	for _, s := range body {
		syntax.Walk(s, look)
	}
}

func (f *frame) loosenTo(name string, a *syntax.Assign) {
	old, set := f.vars[name]
	if old.array || a.Array != nil || a.Index != nil || a.Append {
		f.vars[name] = variable{vals: []word{{text: hole}}, exported: old.exported, told: old.told}
		return
	}
	w := word{text: hole}
	if a.Value == nil {
		w.text = ""
	} else if lit := a.Value.Lit(); lit != "" && !strings.ContainsAny(lit, `\~{`) {
		w.text = lit
	}
	next := variable{vals: []word{w}, exported: old.exported, told: old.told}
	if set {
		next = joinVariables(old, next)
		for _, v := range next.vals {
			if !v.known() {
				next.vals = []word{{text: hole, data: v.data}}
			}
		}
	}
	f.vars[name] = next
}

func (e *engine) loosenArithmetic(f *frame, x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.UnaryArithm:
		if w, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.Inc || x.Op == syntax.Dec) {
			f.set(w.Lit(), word{text: hole})
		}
	case *syntax.BinaryArithm:
		if w, ok := x.X.(*syntax.Word); ok && x.Op >= syntax.Assgn && x.Op <= syntax.ShrAssgn {
			f.set(w.Lit(), word{text: hole})
		}
	}
}

// loosenCall looks for builtins that assign, and into functions that the body calls.
func (e *engine) loosenCall(f *frame, c *syntax.CallExpr, seen map[string]bool, look func(syntax.Node) bool) {
	if len(c.Args) == 0 {
		return
	}
	name := c.Args[0].Lit()
	switch name {
	case "read", "getopts", "mapfile", "readarray", "printf":
		for _, a := range c.Args[1:] {
			if lit := a.Lit(); syntax.ValidName(lit) {
				f.set(lit, word{text: hole})
			}
		}
	case "cd", "pushd", "popd":
		f.dir = hole + "/"
	case "shift", "set":
		f.openParams = true
	}
	if fn, ok := f.funcs[name]; ok && !seen[name] {
		seen[name] = true
		syntax.Walk(fn.body, look)
	}
}
