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

// build makes one target: its prerequisites in order, then its recipe where it may run. Nothing is assumed to be up to
// date, but for a file that exists and depends on nothing.
func (w *world) build(name string, parent *scope, chain int) {
	if w.done[name] || w.active[name] || w.over() || !w.step(w.at, 1) {
		return
	}
	if chain > maxChain {
		w.stop(w.at, "the prerequisites of the Makefile are nested more deeply than is followed")
		return
	}
	if onlyMark(name) && w.targets[name] == nil {
		w.buildUnknown(name, parent, chain)
		w.done[name] = true
		return
	}
	w.active[name] = true
	for _, r := range w.rulesFor(name) {
		w.runRule(name, r, parent, chain)
	}
	delete(w.active, name)
	w.done[name] = true
}

// prepared is a rule ready to run for one target.
type prepared struct {
	*rule
	prereqs, order []string
	stem           string
	intermediate   []string // prerequisites that make deletes afterwards
}

// rulesFor gives the rules that make a target: one with all the prerequisites, or each double-colon rule apart.
func (w *world) rulesFor(name string) []prepared {
	t := w.targets[name]
	if t == nil && !hasMark(name) {
		t = w.markedTarget(name)
	}
	if t == nil {
		t = &target{}
	}
	if len(t.rules) > 0 && t.rules[0].double {
		var out []prepared
		for _, r := range t.rules {
			p := prepared{rule: r, stem: r.stem}
			p.prereqs, p.order = w.prerequisites(name, r, r.stem)
			out = append(out, p)
		}
		return out
	}
	var p prepared
	for _, r := range t.rules {
		pre, ord := w.prerequisites(name, r, r.stem)
		if r.recipe.set {
			p.rule, p.stem = r, r.stem
			p.prereqs = append(pre, p.prereqs...) // the first prerequisite of the rule with the recipe is $<
		} else {
			p.prereqs = append(p.prereqs, pre...)
		}
		p.order = append(p.order, ord...)
	}
	if p.rule == nil && !t.phony {
		if m := w.search(name, 0, nil); m != nil {
			p.rule, p.stem = m.rule, m.stem
			p.intermediate = m.intermediate
			p.prereqs = append(slices.Clone(m.prereqs), p.prereqs...)
			p.order = append(p.order, m.order...)
		}
	}
	if p.rule == nil && len(t.rules) == 0 && !w.exists(name) {
		if d := w.targets[".DEFAULT"]; d != nil && len(d.rules) > 0 {
			p.rule = d.rules[len(d.rules)-1]
		}
	}
	if p.rule == nil {
		p.rule = &rule{recipe: &recipe{}}
	}
	if !p.recipe.set && hasMark(name) && len(t.rules) == 0 {
		return append([]prepared{p}, w.possible(name)...)
	}
	return []prepared{p}
}

// markedTarget finds an explicit rule whose target's name is unknown and could be this name.
func (w *world) markedTarget(name string) *target {
	if w.exists(name) && !slices.Contains(w.args.Targets, name) {
		return nil
	}
	for _, m := range w.marked {
		if canEqual(m, name) {
			return w.targets[m]
		}
	}
	return nil
}

// possible gives the makefile's own pattern rules that a name with unknown parts could match.
func (w *world) possible(name string) []prepared {
	var out []prepared
	for _, r := range w.patterns {
		for _, p := range r.targets {
			if r.recipe.set && p.mayMatch(name) {
				stem, ok := p.match(name)
				if !ok {
					stem = w.fresh(w.why(name), "stem "+name)
				}
				q := prepared{rule: r, stem: stem}
				filled := *r
				filled.prereqs = fillAll(r.prereqs, stem)
				q.prereqs, q.order = w.prerequisites(name, &filled, stem)
				out = append(out, q)
				break
			}
		}
	}
	return out
}

// buildUnknown makes a prerequisite whose whole name is unknown: any pattern rule may, and any other rule.
func (w *world) buildUnknown(name string, parent *scope, chain int) {
	rules := w.possible(name)
	for _, r := range rules {
		w.runRule(name, r, parent, chain)
	}
	if len(rules) == 0 && len(w.targets) > 1 {
		w.unknown(w.at, "the name of a prerequisite is the value of "+w.why(name)+", so that more rules may run", effect.File, effect.Process)
	}
}

func (w *world) runRule(name string, r prepared, parent *scope, chain int) {
	sc := w.targetScope(name, parent)
	at := w.at
	if r.at.file != nil {
		w.at = r.at
	}
	for _, p := range r.prereqs {
		w.build(cleanName(p), sc, chain+1)
	}
	for _, p := range r.order {
		w.build(cleanName(p), sc, chain+1)
	}
	if !w.over() && r.recipe.set && w.mayRun(name, r) && !w.groupDone(name) {
		w.runRecipe(name, r, sc)
		for _, f := range r.intermediate {
			if !w.mentioned[f] {
				w.claim(source.Claim{Class: effect.File, Access: effect.Delete, Target: w.plain(f), Dir: w.dir, From: r.at.source("make/intermediate")})
			}
		}
	}
	w.at = at
}

// groupDone tells whether the recipe ran for another target of the same grouped rule.
func (w *world) groupDone(name string) bool {
	for _, g := range w.groups {
		if slices.Contains(g, name) {
			for _, n := range g {
				if n != name && w.done[n] {
					return true
				}
			}
		}
	}
	return false
}

// mayRun tells whether the recipe may run. Only a file that exists, depends on nothing and cannot have been removed by a
// recipe before it is sure to be up to date.
func (w *world) mayRun(name string, r prepared) bool {
	t := w.targets[name]
	if t != nil && t.phony || w.args.AlwaysMake || hasMark(name) || r.double && len(r.prereqs) == 0 {
		return true
	}
	return len(r.prereqs) > 0 || w.ran || !w.exists(name)
}

func (w *world) exists(name string) bool {
	if hasMark(name) {
		return false
	}
	there, ok := w.there[name]
	if !ok {
		there = w.fs.Present(workspace.Join(w.dir, name))
		w.there[name] = there
	}
	return there
}

// targetScope is the variables of a target in front of those of the target that needs it.
func (w *world) targetScope(name string, parent *scope) *scope {
	sc := &scope{vars: map[string]*variable{}, parent: parent, target: true}
	for _, pv := range w.patternVars {
		if _, ok := pv.pattern.match(name); ok {
			w.addVars(sc, pv.vars)
		}
	}
	if t := w.targets[name]; t != nil {
		w.addVars(sc, t.vars)
	}
	return sc
}

func (w *world) addVars(sc *scope, vars map[string]*variable) {
	for n, v := range vars {
		if old := sc.vars[n]; old != nil && v.appended {
			joined := *old
			joined.value += " " + v.value
			v = &joined
		}
		sc.vars[n] = v
	}
}

// prerequisites splits a rule's prerequisites into normal and order-only ones; with .SECONDEXPANSION it expands them again.
func (w *world) prerequisites(name string, r *rule, stem string) (normal, order []string) {
	deps := r.prereqs
	if r.again && strings.Contains(deps, "$") {
		auto := &automatics{target: name, stem: stem}
		deps = w.expand(deps, &scope{parent: w.targetScope(name, nil), auto: auto})
	}
	list := w.globAll(words(deps))
	for i, d := range list {
		if d == "|" {
			return list[:i], list[i+1:]
		}
	}
	return list, nil
}

func (w *world) runRecipe(name string, r prepared, sc *scope) {
	auto := &automatics{target: name, stem: r.stem, plus: w.located(r.prereqs), order: w.located(r.order)}
	if open := strings.IndexByte(name, '('); open > 0 && strings.HasSuffix(name, ")") {
		auto.target, auto.member = name[:open], name[open+1:len(name)-1]
	}
	if r.stem == "" {
		auto.stem = w.suffixStem(name)
	}
	for _, p := range auto.plus {
		if !slices.Contains(auto.all, p) {
			auto.all = append(auto.all, p)
		}
		if len(auto.all) > 500 && !w.step(w.at, len(auto.all)/64) {
			return
		}
	}
	if len(auto.plus) > 0 {
		auto.first = auto.plus[0]
	}
	in := &scope{vars: sc.vars, parent: sc.parent, auto: auto, target: true}
	w.running = in
	defer func() { w.running = nil }()
	if w.args.Touch {
		if t := w.targets[name]; t == nil || !t.phony {
			w.claim(source.Claim{Class: effect.File, Access: effect.Write, Target: w.plain(name), Dir: w.dir, From: r.at.source("make/touch")})
		}
	}
	if w.oneShell {
		w.runWhole(name, r, in)
		return
	}
	// Make expands all the lines before it runs the first one.
	var texts []recipeLine
	for _, line := range r.recipe.lines {
		texts = append(texts, w.expandLine(r, line, in)...)
	}
	for _, l := range texts {
		if w.over() {
			return
		}
		w.emit(name, r, l.text, l.line, in)
	}
}

// suffixStem is the `$*` of an explicit rule: the name without a known suffix.
func (w *world) suffixStem(name string) string {
	ext := path.Ext(name)
	if ext != "" && w.isSuffix(ext) {
		return strings.TrimSuffix(name, ext)
	}
	return ""
}

// located replaces prerequisites by where the search path finds them.
func (w *world) located(names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		if n != ".WAIT" {
			out = append(out, w.locate(cleanName(n)))
		}
	}
	return out
}

// locate searches VPATH and the vpath directives for a name that is not there and that no rule makes.
func (w *world) locate(name string) string {
	if path.IsAbs(name) || hasMark(name) || w.exists(name) || w.targets[name] != nil && len(w.targets[name].rules) > 0 {
		return name
	}
	var dirs []string
	for _, p := range w.vpaths {
		if _, ok := p.pattern.match(name); ok {
			dirs = append(dirs, p.dirs...)
		}
	}
	if w.lookupGlobal("VPATH") == nil && dirs == nil {
		return name
	}
	dirs = append(dirs, strings.FieldsFunc(w.value(nil, "VPATH"), func(r rune) bool { return r == ':' || r == ' ' || r == '\t' })...)
	for _, d := range dirs {
		if p := path.Join(d, name); w.step(w.at, 1) && w.exists(p) {
			return p
		}
	}
	return name
}

// runWhole emits a recipe under .ONESHELL: one shell for all lines.
func (w *world) runWhole(name string, r prepared, sc *scope) {
	if len(r.recipe.lines) == 0 {
		return
	}
	var lines []string
	runs := w.runsAnyway("")
	for i, line := range r.recipe.lines {
		runs = runs || w.runsAnyway(line.text)
		text := w.expand(line.text, sc)
		if i == 0 || w.posixShell(sc) {
			var plus bool
			text, plus = stripFlags(text)
			runs = runs || plus
		}
		lines = append(lines, text)
	}
	if runs && !w.over() {
		w.emit(name, r, strings.Join(lines, "\n"), r.recipe.lines[0].line, sc)
	}
}

// expandLine gives the commands of one line of a recipe. A line that expands to several is several commands.
func (w *world) expandLine(r prepared, line recipeLine, sc *scope) []recipeLine {
	if r.at.file != nil {
		w.at = loc{r.at.file, line.line}
	}
	raw, plus := stripFlags(line.text)
	runs := plus || w.runsAnyway(line.text)
	if w.args.Touch && !runs || w.over() {
		return nil // with -t make does not even expand it
	}
	var out []recipeLine
	for _, text := range splitLines(w.expand(raw, sc)) {
		text, more := stripFlags(text)
		if (runs || more) && strings.Trim(text, " \t\n") != "" {
			out = append(out, recipeLine{text, line.line})
		}
	}
	return out
}

// runsAnyway tells whether a line runs: without -n, -t and -q every line does, with them those that mention MAKE.
func (w *world) runsAnyway(text string) bool {
	if !w.args.DryRun && !w.args.Question && !w.args.Touch {
		return true
	}
	return strings.Contains(text, "$(MAKE)") || strings.Contains(text, "${MAKE}")
}

// stripFlags takes the characters `@`, `-` and `+` and the blanks before a command away.
func stripFlags(s string) (text string, plus bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '+':
			plus = true
		case '@', '-', ' ', '\t', '\n':
		default:
			return s[i:], plus
		}
	}
	return "", plus
}

// splitLines splits at newlines that no backslash quotes.
func splitLines(s string) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' && !escaped(s, i) {
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// emit adds the job of one command.
func (w *world) emit(name string, r prepared, text string, line int, sc *scope) {
	from := loc{r.at.file, line}.source("make/recipe")
	if r.builtin {
		from.Rule = "make/builtin"
	}
	j := source.Job{Dir: w.dir, Env: w.environment(sc), Label: "target " + w.plain(name), From: from, Fields: map[string]string{
		"MAKEFLAGS": makeflags(w.args), "MAKELEVEL": strconv.Itoa(w.level() + 1), "MAKE": "make",
	}}
	w.setCommand(&j, text, sc)
	w.job(j)
	w.ran = w.ran || !harmless(text)
	if !hasMark(name) {
		w.written[workspace.Join(w.dir, name)] = true
	}
}

// setCommand makes the job run text by the shell that the makefile names. A shell that is not one of the known ones is a
// program that is given the text.
func (w *world) setCommand(j *source.Job, text string, sc *scope) {
	shell := words(w.value(sc, "SHELL"))
	if len(shell) == 0 {
		shell = []string{"/bin/sh"}
	}
	if len(shell) == 2 && path.Base(shell[0]) == "env" {
		shell = shell[1:]
	}
	flags := words(w.value(sc, ".SHELLFLAGS"))
	if len(shell) == 1 && systemShell(shell[0]) && !optionsOnly(flags) { // make hands them to the shell as a shell splits them
		line := shell[0] + " " + strings.Join(flags, " ") + " '" + strings.ReplaceAll(text, "'", `'\''`) + "'"
		j.Shell = w.shellText(line)
		return
	}
	if len(shell) == 1 && systemShell(shell[0]) {
		j.Shell = w.shellText(text)
		if base := path.Base(shell[0]); base != "sh" {
			j.Interp = base
		}
		return
	}
	for _, word := range append(shell, flags...) {
		j.Argv = append(j.Argv, w.plain(word))
	}
	j.Argv = append(j.Argv, w.plain(text))
}

// optionsOnly tells whether a shell's flags are options, the last of which takes the line as the text to run.
func optionsOnly(flags []string) bool {
	for i, f := range flags {
		if !strings.HasPrefix(f, "-") && !strings.HasPrefix(f, "+") && (i == 0 || !strings.HasSuffix(flags[i-1], "o")) || strings.ContainsAny(f, "\"'\\$`;|&") {
			return false
		}
	}
	return len(flags) == 0 || flags[0] != "--" && strings.HasSuffix(flags[len(flags)-1], "c")
}

// posixShell tells whether SHELL is a shell, for which make strips the flags of every line under .ONESHELL.
func (w *world) posixShell(sc *scope) bool {
	v := words(w.value(sc, "SHELL"))
	return len(v) > 0 && systemShell(v[len(v)-1])
}

// systemShell tells whether a name is one of the usual shells in one of the usual places.
func systemShell(s string) bool {
	switch path.Base(s) {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh":
	default:
		return false
	}
	switch path.Dir(s) {
	case "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin":
		return true
	}
	return !strings.Contains(s, "/")
}

// harmless tells whether a command line can take no file away, so that what exists still does after it.
func harmless(text string) bool {
	if strings.ContainsAny(text, "|;&<>$`\n\x00") {
		return false
	}
	word, _ := cutWord(text)
	switch word {
	case "echo", "printf", ":", "true", "mkdir", "touch", "test", "[", "exit", "false":
		return true
	}
	return false
}
