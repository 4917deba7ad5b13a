package makefile

import (
	"path"
	"slices"
	"sort"
	"strings"
)

// match is an implicit rule that can make a target.
type match struct {
	rule           *rule
	stem           string
	prereqs, order []string
	intermediate   []string
}

// maxImplicit is how many implicit rules may follow each other to make one file. Make itself goes on as long as no rule
// is used twice.
const maxImplicit = 4

// search finds the implicit rule for a target (manual, "Implicit Rule Search Algorithm"): the makefile's pattern and suffix
// rules, shortest stem first, then make's own; first those whose prerequisites exist or are mentioned, then those whose
// prerequisites other implicit rules can make.
func (w *world) search(name string, chain int, used []*rule) *match {
	if hasMark(name) || chain > maxImplicit || name == "" || w.over() {
		return nil
	}
	if chain == 0 {
		if m, ok := w.searched[name]; ok {
			return m
		}
	}
	cands := w.candidates(name)
	var found *match
	for pass := 0; pass < 2 && found == nil; pass++ {
		for _, c := range cands {
			if !w.step(w.at, 1) {
				return nil
			}
			if slices.Contains(used, c.rule) || c.terminalChain(chain) {
				continue
			}
			if found = w.try(name, c, pass == 1, chain, used); found != nil {
				break
			}
		}
	}
	if chain == 0 {
		w.searched[name] = found
	}
	return found
}

// candidate is a rule one of whose targets matches.
type candidate struct {
	rule *rule
	pat  pattern
	stem string
	dir  string // taken off the name before matching, put in front of the prerequisites
}

func (c candidate) length() int { return len(c.dir) + len(c.stem) }

// terminalChain tells whether a match-anything rule may not be used: in a chain only rules with a suffix are.
func (c candidate) terminalChain(chain int) bool {
	return chain > 0 && c.pat.pre == "" && c.pat.post == ""
}

func (w *world) candidates(name string) []candidate {
	var out []candidate
	if !w.step(w.at, len(w.patterns)/4) {
		return nil
	}
	specific := false
	add := func(rules []*rule) {
		for _, r := range rules {
			for _, p := range r.targets {
				c := candidate{rule: r, pat: p}
				text := name
				if !strings.Contains(p.pre+p.post, "/") && strings.Contains(name, "/") {
					c.dir, text = name[:strings.LastIndexByte(name, '/')+1], filePart(name)
				}
				stem, ok := p.match(text)
				if !ok && strings.HasSuffix(name, ")") { // a member of an archive: `(%)` matches what is in the brackets
					c.dir = ""
					stem, ok = p.match(name[max(0, strings.IndexByte(name, '(')):])
				}
				if !ok || stem == "" || !r.recipe.set {
					continue
				}
				c.stem = stem
				specific = specific || p.pre+p.post != ""
				out = append(out, c)
			}
		}
	}
	add(w.patterns)
	add(w.suffixRules())
	sort.SliceStable(out, func(i, j int) bool { return out[i].length() < out[j].length() })
	own := len(out)
	if !w.args.NoRules {
		add(w.builtinRules())
		rest := out[own:]
		sort.SliceStable(rest, func(i, j int) bool { return rest[i].length() < rest[j].length() })
	}
	if specific || w.knownSuffix(name) {
		out = slices.DeleteFunc(out, func(c candidate) bool { return c.pat.pre+c.pat.post == "" && !c.rule.terminal })
	}
	return out
}

// knownSuffix tells whether a name has a suffix of make's list: the rules that match anything do not apply to it.
func (w *world) knownSuffix(name string) bool {
	ext := path.Ext(name)
	return ext != "" && !w.noSuffixes && strings.Contains(defaultSuffixes, " "+ext+" ")
}

// isSuffix tells whether a suffix is on the list that suffix rules go by.
func (w *world) isSuffix(s string) bool {
	return slices.Contains(w.suffixes, s) || !w.noSuffixes && strings.Contains(defaultSuffixes, " "+s+" ")
}

func (w *world) try(name string, c candidate, chains bool, chain int, used []*rule) *match {
	m := &match{rule: c.rule, stem: c.dir + c.stem}
	deps := c.rule.prereqs
	if c.rule.again {
		auto := &automatics{target: name, stem: m.stem}
		deps = w.expand(deps, &scope{parent: w.targetScope(name, nil), auto: auto})
	}
	order := false
	for _, d := range words(deps) {
		if d == "|" {
			order = true
			continue
		}
		p := parsePattern(d)
		f := p.fill(c.stem)
		if p.percent {
			f = c.dir + f
		}
		f = cleanName(f)
		if f == name {
			return nil
		}
		if order {
			m.order = append(m.order, f)
		} else {
			m.prereqs = append(m.prereqs, f)
		}
		if w.available(f) {
			continue
		}
		if !chains || c.rule.terminal {
			return nil
		}
		inner := w.search(f, chain+1, append(slices.Clone(used), c.rule))
		if inner == nil {
			return nil
		}
		m.intermediate = append(m.intermediate, f)
	}
	return m
}

// available tells whether a prerequisite exists or ought to exist: it is a target or is mentioned as a prerequisite.
func (w *world) available(name string) bool {
	if hasMark(name) || w.mentioned[name] || w.written[path.Join(w.dir, name)] {
		return true
	}
	if t := w.targets[name]; t != nil && (len(t.rules) > 0 || t.phony) {
		return true
	}
	return w.exists(name) || w.locate(name) != name
}

// suffixRules gives the makefile's old-fashioned suffix rules as pattern rules (manual, "Suffix Rules").
func (w *world) suffixRules() []*rule {
	if w.suffixAt == len(w.targets) {
		return w.suffixed
	}
	var out []*rule
	for _, name := range w.dotted() {
		if strings.Contains(name, "/") || len(w.targets[name].rules) == 0 {
			continue
		}
		from, to, ok := w.cutSuffixes(name)
		if r := w.targets[name].rules[0]; ok && strings.TrimSpace(r.prereqs) == "" {
			s := *r
			s.targets, s.prereqs = []pattern{{post: to, percent: true}}, "%"+from
			s.double, s.terminal = false, false
			out = append(out, &s)
		}
	}
	w.suffixed, w.suffixAt = out, len(w.targets)
	return out
}

// dotted lists the targets that start with a dot.
func (w *world) dotted() []string {
	var out []string
	for name := range w.targets {
		if strings.HasPrefix(name, ".") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func (w *world) cutSuffixes(name string) (from, to string, ok bool) {
	known := w.isSuffix
	if known(name) {
		return name, "", true
	}
	for i := 1; i < len(name); i++ {
		if name[i] == '.' && known(name[:i]) && known(name[i:]) {
			return name[:i], name[i:], true
		}
	}
	return "", "", false
}

const defaultSuffixes = " .out .a .ln .o .c .cc .C .cpp .p .f .F .m .r .y .l .ym .yl .s .S .mod .sym .def .h .info .dvi .tex .texinfo .texi .txinfo .w .ch .web .sh .elc .el "

// builtinText is make's own rules for C, C++, assembler, Fortran, Yacc, Lex and shell (manual, "Catalogue of Built-In
// Rules"), and those that check files out of SCCS and RCS. The first group goes with the suffixes, the second stays.
const builtinText = `%.o: %.c
	$(COMPILE.c) $(OUTPUT_OPTION) $<
%.o: %.cc
	$(COMPILE.cc) $(OUTPUT_OPTION) $<
%.o: %.C
	$(COMPILE.C) $(OUTPUT_OPTION) $<
%.o: %.cpp
	$(COMPILE.cpp) $(OUTPUT_OPTION) $<
%.o: %.f
	$(COMPILE.f) $(OUTPUT_OPTION) $<
%.o: %.s
	$(COMPILE.s) -o $@ $<
%.o: %.S
	$(COMPILE.S) -o $@ $<
%: %.o
	$(LINK.o) $^ $(LOADLIBES) $(LDLIBS) -o $@
%: %.c
	$(LINK.c) $^ $(LOADLIBES) $(LDLIBS) -o $@
%: %.cc
	$(LINK.cc) $^ $(LOADLIBES) $(LDLIBS) -o $@
%: %.C
	$(LINK.C) $^ $(LOADLIBES) $(LDLIBS) -o $@
%: %.cpp
	$(LINK.cpp) $^ $(LOADLIBES) $(LDLIBS) -o $@
%: %.f
	$(LINK.f) $^ $(LOADLIBES) $(LDLIBS) -o $@
%: %.s
	$(LINK.s) $^ $(LOADLIBES) $(LDLIBS) -o $@
%: %.S
	$(LINK.S) $^ $(LOADLIBES) $(LDLIBS) -o $@
%: %.sh
	cat $< >$@
	chmod a+x $@
%.s: %.c
	$(COMPILE.c) -S $< -o $@
%.c: %.y
	$(YACC.y) $<
	mv -f y.tab.c $@
%.c: %.l
	@$(RM) $@
	$(LEX.l) $< > $@
`

const builtinAlways = `(%): %
	$(AR) $(ARFLAGS) $@ $<
%:: %,v
	$(CO) $(COFLAGS) $< $@
%:: RCS/%,v
	$(CO) $(COFLAGS) $< $@
%:: RCS/%
	$(CO) $(COFLAGS) $< $@
%:: s.%
	$(GET) $(GFLAGS) $(SCCS_OUTPUT_OPTION) $<
%:: SCCS/s.%
	$(GET) $(GFLAGS) $(SCCS_OUTPUT_OPTION) $<
`

// builtinRules parses make's own rules when they are first needed.
func (w *world) builtinRules() []*rule {
	if w.builtins != nil {
		return w.builtins
	}
	text := builtinAlways
	if !w.noSuffixes {
		text = builtinText + builtinAlways
	}
	w.builtins = []*rule{}
	var r *rule
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if line[0] == '\t' {
			r.recipe.add(line[1:], 0, '\t')
			continue
		}
		left, deps, _ := strings.Cut(line, ":")
		r = &rule{builtin: true, targets: []pattern{parsePattern(left)}, recipe: &recipe{}}
		r.terminal = strings.HasPrefix(deps, ":")
		r.prereqs = strings.TrimSpace(strings.TrimPrefix(deps, ":"))
		w.builtins = append(w.builtins, r)
	}
	return w.builtins
}
