package taskfile

import (
	"runtime"
	"strings"

	"github.com/ambit-dev/ambit/effect"
)

// expand replaces the templates of a text: `{{.NAME}}`, alone or through functions that keep or only quote it, and
// conditions on such values. Any other action is not known.
func (s *scope) expand(text string, line int) string {
	return s.template(text, s.file.at(line, "task/template"), 0)
}

func (s *scope) template(text string, from effect.Source, depth int) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	var b strings.Builder
	for {
		before, action, rest, ok := cutAction(text)
		b.WriteString(before)
		if action == "" && !ok {
			return b.String()
		}
		if !ok || b.Len() > maxValue || depth > 20 || !s.step(from, len(before)) {
			b.WriteString(Placeholder)
			return b.String()
		}
		text = rest
		word, cond, _ := strings.Cut(action, " ")
		switch word {
		case "if", "with", "range":
			var yes, no string
			yes, no, text = branches(text)
			b.WriteString(s.chosen(word, strings.TrimSpace(cond), yes, no, from, depth))
		case "end", "else", "define", "block", "template":
			b.WriteString(Placeholder)
		default:
			b.WriteString(s.action(action))
		}
	}
}

// cutAction cuts a text at its first action, whose dashes take the white space around away. Without one, ok is false.
func cutAction(text string) (before, action, rest string, ok bool) {
	i := strings.Index(text, "{{")
	if i < 0 {
		return text, "", "", false
	}
	end := strings.Index(text[i:], "}}")
	if end < 0 {
		return text[:i], "open", "", false
	}
	before, action, rest = text[:i], text[i+2:i+end], text[i+end+2:]
	if trimmed, ok := strings.CutPrefix(action, "- "); ok {
		before, action = strings.TrimRight(before, " \t\n"), trimmed
	}
	if trimmed, ok := strings.CutSuffix(action, " -"); ok {
		rest, action = strings.TrimLeft(rest, " \t\n"), trimmed
	}
	return before, strings.TrimSpace(action), rest, true
}

// branches takes the text behind an `if` apart: what holds, what holds otherwise, and what follows its end.
func branches(text string) (yes, no, rest string) {
	parts := [2]strings.Builder{}
	depth, part := 0, 0
	for {
		before, action, after, ok := cutAction(text)
		parts[part].WriteString(before)
		if !ok {
			return parts[0].String(), parts[1].String(), ""
		}
		raw := text[len(before) : len(text)-len(after)]
		text = after
		switch word, _, _ := strings.Cut(action, " "); {
		case word == "if" || word == "range" || word == "with":
			depth++
		case word == "end":
			if depth--; depth < 0 {
				return parts[0].String(), parts[1].String(), after
			}
		case word == "else" && depth == 0:
			part = 1
			if cond, ok := strings.CutPrefix(action, "else if "); ok { // the rest is a condition of its own
				parts[1].WriteString("{{if " + cond + "}}")
				in, end := wholeBranch(text)
				parts[1].WriteString(in)
				return parts[0].String(), parts[1].String(), end
			}
			continue
		}
		parts[part].WriteString(raw)
	}
}

// wholeBranch gives the text up to and with the end that closes the condition it is in.
func wholeBranch(text string) (inside, rest string) {
	whole, depth := text, 0
	for {
		_, action, after, ok := cutAction(text)
		if !ok {
			return whole, ""
		}
		text = after
		switch word, _, _ := strings.Cut(action, " "); word {
		case "if", "range", "with":
			depth++
		case "end":
			if depth--; depth < 0 {
				return whole[:len(whole)-len(after)], after
			}
		}
	}
}

// chosen is the branch that a condition takes; where the condition is not known, the text is not, unless both are the same.
func (s *scope) chosen(word, cond, yes, no string, from effect.Source, depth int) string {
	holds, known := s.truth(cond)
	if word == "if" && known {
		if holds {
			return s.template(yes, from, depth+1)
		}
		return s.template(no, from, depth+1)
	}
	a, b := s.template(yes, from, depth+1), s.template(no, from, depth+1)
	if a == b && word == "if" {
		return a
	}
	return Placeholder
}

// truth evaluates `.NAME`, `not X`, and `eq X Y` and `ne X Y` of names and texts.
func (s *scope) truth(cond string) (holds, known bool) {
	if rest, ok := strings.CutPrefix(cond, "not "); ok {
		holds, known = s.truth(strings.TrimSpace(rest))
		return !holds, known
	}
	words := strings.Fields(cond)
	if len(words) == 3 && (words[0] == "eq" || words[0] == "ne") {
		a, b := s.atom(words[1]), s.atom(words[2])
		return (a == b) == (words[0] == "eq"), !strings.Contains(a+b, Placeholder)
	}
	if len(words) != 1 {
		return false, false
	}
	v := s.atom(words[0])
	return v != "" && v != "false", !strings.Contains(v, Placeholder)
}

func (s *scope) atom(text string) string {
	if len(text) > 1 && (text[0] == '"' || text[0] == '`') && text[len(text)-1] == text[0] {
		return text[1 : len(text)-1]
	}
	return s.action(strings.Trim(text, "()"))
}

// action is the value of one action.
func (s *scope) action(text string) string {
	word, rest, _ := strings.Cut(text, " ")
	switch {
	case strings.HasPrefix(text, "/*"), text == "exeExt":
		return ""
	case text == "OS":
		return runtime.GOOS
	case text == "ARCH":
		return runtime.GOARCH
	case word == "default":
		return s.fallback(rest)
	}
	first, pipe, piped := strings.Cut(text, "|")
	name, ok := strings.CutPrefix(strings.TrimSpace(first), ".")
	if !ok || name == "" || strings.ContainsAny(name, " .()\"") {
		return Placeholder
	}
	v := s.value(name)
	for piped {
		var fn string
		fn, pipe, piped = strings.Cut(pipe, "|")
		word, arg, _ := strings.Cut(strings.TrimSpace(fn), " ")
		switch {
		case word == "default":
			if v == "" {
				v = strings.Trim(arg, "\"`")
			}
		case strings.Contains(v, Placeholder):
			return Placeholder
		case word == "trim":
			v = strings.TrimSpace(v)
		case word == "lower":
			v = strings.ToLower(v)
		case word == "upper":
			v = strings.ToUpper(v)
		case word == "toString" || word == "print" || word == "catLines":
		case word == "shellQuote" || word == "q":
			v = "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
		default:
			return Placeholder
		}
	}
	return v
}

// fallback is `default "x" .NAME`.
func (s *scope) fallback(text string) string {
	i := strings.LastIndex(text, " .")
	if i < 0 {
		return Placeholder
	}
	if v := s.value(text[i+2:]); v != "" {
		return v
	}
	arg := strings.TrimSpace(text[:i])
	if name, ok := strings.CutPrefix(arg, "."); ok {
		return s.value(name)
	}
	if strings.ContainsAny(arg, "( ") && !strings.HasPrefix(arg, `"`) {
		return Placeholder
	}
	return strings.Trim(arg, "\"`")
}
