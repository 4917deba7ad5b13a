package predict

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Text that a builtin of bash takes for a variable's name, or a variable for an expression, runs the substitutions that it holds:
// `unset "a[$(x)]"` runs x, although the quotes kept it from running before (bash(1), Arrays and ARITHMETIC EVALUATION).

// namesEvaluated runs what stands in the names that a builtin is given.
func (e *engine) namesEvaluated(f *frame, builtin string, args []word, line int) {
	for i, w := range args {
		if builtin == "printf" {
			joined, ok := strings.CutPrefix(w.text, "-v")
			switch {
			case joined != "" && ok:
				w.text = joined
			case i == 0 || args[i-1].text != "-v":
				continue
			}
		}
		e.subscripts(f, w, line, 8)
	}
}

// declaredEvaluated runs what stands in a declaration's name, and in its value where the options make that an expression, a list
// or another variable's name.
func (e *engine) declaredEvaluated(f *frame, name, value word, options string, line int) {
	e.subscripts(f, name, line, 8)
	if strings.ContainsAny(options, "inaA") && strings.ContainsAny(value.text, "[(") && strings.ContainsAny(value.text, "$`") {
		value.text = ": " + strings.TrimSuffix(strings.TrimPrefix(value.text, "("), ")")
		e.evalText(f.fork(), value, line, "shell/declare")
	}
}

// assignedEvaluated runs what stands in the value of a variable that takes an expression: one that was declared so, or one of bash's own.
func (e *engine) assignedEvaluated(f *frame, name string, declared bool, value word, line int) {
	switch name {
	case "OPTIND", "RANDOM", "HISTCMD", "BASHPID":
		declared = true
	}
	if declared {
		e.subscripts(f, value, line, 0)
	}
}

// promptExpanded is ${x@P}: the value is expanded as a prompt is, substitutions included.
func (e *engine) promptExpanded(f *frame, values []word, x *syntax.Expansion) {
	if x == nil || x.Op != syntax.OtherParamOps || x.Word == nil || x.Word.Lit() != "P" {
		return
	}
	for _, w := range values {
		if !w.known() || strings.ContainsAny(w.text, "$`") {
			w.text = ": \"" + strings.ReplaceAll(w.text, `"`, "") + "\""
			e.evalText(f.fork(), w, lineOf(x.Word), "shell/prompt")
		}
	}
}
