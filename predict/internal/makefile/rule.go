package makefile

import (
	"strings"
)

// rule is one rule as it was written, for one explicit target or for the targets of a pattern.
type rule struct {
	targets  []pattern // of a pattern rule; none for an explicit one
	prereqs  string    // expanded once
	stem     string    // of a static pattern rule
	recipe   *recipe
	double   bool
	terminal bool // a pattern rule with `::`
	builtin  bool
	again    bool // prerequisites are expanded a second time
	at       loc
}

// recipe is the lines below a rule; nil lines with set true is an empty recipe, which also stops the search for another.
type recipe struct {
	set   bool
	lines []recipeLine
}

type recipeLine struct {
	text string
	line int
}

// add appends a line; in its continuation lines the recipe prefix goes away.
func (r *recipe) add(text string, line int, prefix byte) {
	r.set = true
	if strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, "\n"+string(prefix), "\n")
	}
	if strings.Trim(text, " \t") != "" {
		r.lines = append(r.lines, recipeLine{text, line})
	}
}

// target is what the makefile says of one name.
type target struct {
	rules []*rule
	vars  map[string]*variable
	phony bool
}

// patternVars are the pattern-specific variables of one pattern.
type patternVars struct {
	pattern pattern
	vars    map[string]*variable
}

type searchPath struct {
	text    string
	pattern pattern
	dirs    []string
}

func (w *world) target(name string) *target {
	name = cleanName(name)
	t := w.targets[name]
	if t == nil {
		t = &target{}
		w.targets[name] = t
		if hasMark(name) {
			w.marked = append(w.marked, name)
		}
	}
	return t
}

// cleanName takes leading `./` away, as make does with all file names.
func cleanName(s string) string {
	for strings.HasPrefix(s, "./") && len(s) > 2 {
		s = strings.TrimLeft(s[2:], "/")
	}
	return s
}

// ruleLine reads a line that is neither a directive nor an assignment: a rule, or a target-specific variable.
func (w *world) ruleLine(rd *reading, text string) {
	recipeText, hasRecipe := "", false
	if i := findUnquoted(text, ";#"); i >= 0 {
		if text[i] == ';' {
			recipeText, hasRecipe = text[i+1:], true
		}
		text = text[:i]
	}
	text = trimLeft(collapse(text))
	left, done, rest, found := w.untilColon(text)
	if !found {
		if trim(left) == "" {
			return
		}
		if hasMark(left) {
			w.unknown(w.at, "a line of the Makefile is the value of "+w.why(left), anything()...)
			return
		}
		w.fail("missing separator")
		return
	}
	grouped := strings.HasSuffix(left, "&")
	names := w.globAll(words(strings.TrimSuffix(left, "&")))
	if len(names) == 0 {
		rd.dropped = true
		return
	}
	double := false
	if done == "" && strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, ":=") && !strings.HasPrefix(rest, "::=") {
		double, rest = true, rest[1:]
	} else if strings.HasPrefix(done, ":") {
		double, done = true, done[1:]
	}
	if a, ok := parseAssignment(trimLeft(done + rest)); ok && !a.define && !a.undefine {
		if hasRecipe {
			a.value += ";" + recipeText
		}
		w.targetVariable(names, a)
		return
	}
	deps := done + w.expand(rest, nil)
	if !hasRecipe {
		if i := findUnquoted(deps, ";"); i >= 0 {
			recipeText, hasRecipe, deps = deps[i+1:], true, deps[:i]
		}
	}
	r := &rule{double: double, prereqs: deps, recipe: &recipe{}, again: w.secondExpansion, at: w.at}
	if hasRecipe {
		r.recipe.set = true
		r.recipe.add(recipeText, w.at.line, w.prefix)
	}
	rd.rule = &pending{names, r}
	rd.dropped = false
	w.setGoal(rd, names)
	if grouped && len(names) > 1 {
		w.groups = append(w.groups, names)
	}
}

// untilColon expands word by word up to the first colon, for what follows may be a target-specific variable. done is
// text behind the colon that is expanded already, rest is not.
func (w *world) untilColon(s string) (left, done, rest string, found bool) {
	var b strings.Builder
	for i := 0; i < len(s) && !w.over(); {
		if s[i] == ':' && !escaped(s, i) {
			return b.String(), "", s[i+1:], true
		}
		j := i
		for j < len(s) && !(s[j] == ':' && !escaped(s, j)) && !isSpace(s[j]) {
			if s[j] == '$' {
				j = skipRef(s, j)
			} else {
				j++
			}
		}
		if j == i { // white space
			b.WriteByte(' ')
			i++
			continue
		}
		t := w.expand(s[i:j], nil)
		i = j
		if k := findUnquotedColon(t); k >= 0 {
			return b.String() + t[:k], t[k+1:], s[i:], true
		}
		b.WriteString(strings.ReplaceAll(t, `\:`, ":"))
	}
	return b.String(), "", "", false
}

func findUnquotedColon(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == ':' && !escaped(s, i) {
			return i
		}
	}
	return -1
}

// setGoal makes the first target that is no special one the default goal.
func (w *world) setGoal(rd *reading, names []string) {
	if !rd.goal || w.lookupGlobal(".DEFAULT_GOAL").valueOr("") != "" {
		return
	}
	for _, n := range names {
		if strings.HasPrefix(n, ".") && !strings.Contains(n, "/") || strings.Contains(n, "%") {
			continue
		}
		w.globals[".DEFAULT_GOAL"] = &variable{value: n, origin: byFile}
		return
	}
}

func (v *variable) valueOr(s string) string {
	if v == nil {
		return s
	}
	return v.value
}

func (w *world) targetVariable(names []string, a assignmentLine) {
	org := byFile
	if a.override {
		org = byOverride
	}
	name := trim(w.expand(a.name, nil))
	for _, n := range names {
		var vars map[string]*variable
		if p := parsePattern(n); p.percent {
			vars = map[string]*variable{}
			w.patternVars = append(w.patternVars, patternVars{p, vars})
		} else {
			t := w.target(n)
			if t.vars == nil {
				t.vars = map[string]*variable{}
			}
			vars = t.vars
		}
		if v := w.assign(name, a.op, a.value, org, vars, &scope{vars: vars}); v != nil {
			if a.export {
				v.export = exportYes
			}
			v.private = v.private || a.private
		}
	}
}

// endRule records the rule that was being read, now that its recipe is complete.
func (w *world) endRule(rd *reading) {
	pend := rd.rule
	rd.rule, rd.dropped = nil, false
	if pend == nil || w.over() {
		return
	}
	r := pend.rule
	targetPattern, deps, static := cutStatic(r.prereqs)
	if static {
		tp := parsePattern(trim(targetPattern))
		for _, n := range pend.targets {
			stem, ok := tp.match(n)
			if !ok && hasMark(n) && tp.mayMatch(n) {
				stem, ok = w.fresh(w.why(n), "stem "+n), true
			}
			if !ok {
				continue // make warns and drops the prerequisites
			}
			s := *r
			s.stem, s.prereqs = stem, fillAll(deps, stem)
			w.addRule(n, &s)
		}
		return
	}
	if strings.Contains(pend.targets[0], "%") {
		for _, n := range pend.targets {
			r.targets = append(r.targets, parsePattern(cleanName(n)))
		}
		r.terminal = r.double
		w.patterns = append(w.patterns, r)
		return
	}
	for _, n := range pend.targets {
		w.addRule(n, r)
	}
}

// cutStatic takes a static pattern rule's target pattern off. A colon inside a word of the prerequisites that no space
// follows and no pattern precedes is part of a name only where it is quoted.
func cutStatic(s string) (targetPattern, deps string, ok bool) {
	i := findUnquoted(s, ":")
	if i < 0 || !strings.Contains(s[:i], "%") {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

// fillAll puts the stem into every word of a list of prerequisites, once per word.
func fillAll(deps, stem string) string {
	return mapWords(words(deps), func(s string) string { return parsePattern(s).fill(stem) })
}

func (w *world) addRule(name string, r *rule) {
	switch name {
	case ".PHONY":
		for _, n := range words(r.prereqs) {
			w.target(n).phony = true
		}
		return
	case ".SUFFIXES":
		if list := words(r.prereqs); len(list) == 0 {
			w.suffixes = nil
			w.noSuffixes = true
		} else {
			w.suffixes = append(w.suffixes, list...)
		}
		return
	case ".SECONDEXPANSION":
		w.secondExpansion = true
		return
	case ".ONESHELL":
		w.oneShell = true
		return
	case ".EXPORT_ALL_VARIABLES":
		w.exportAll = true
		return
	case ".PRECIOUS", ".INTERMEDIATE", ".SECONDARY", ".SILENT", ".IGNORE", ".NOTPARALLEL", ".POSIX", ".DELETE_ON_ERROR",
		".LOW_RESOLUTION_TIME", ".WAIT", ".NOTINTERMEDIATE":
		return
	}
	t := w.target(name)
	t.rules = append(t.rules, r)
	w.mention(r.prereqs)
}

func (w *world) mention(deps string) {
	for _, n := range words(deps) {
		if n != "|" {
			w.mentioned[cleanName(n)] = true
		}
	}
}
