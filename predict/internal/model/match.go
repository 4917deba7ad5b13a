package model

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Match reads an argument vector (without the program's name) by a model. It never fails: what it cannot place is an operand
// or an option that is not Known.
func (c *Command) Match(name string, argv []string) *Match {
	m := &Match{Path: []string{name}, Levels: []*Command{c}}
	p := parser{m: m, c: c, argv: argv}
	p.run()
	return m
}

type parser struct {
	m    *Match
	c    *Command
	argv []string
	i    int
}

func (p *parser) run() {
	for p.i < len(p.argv) {
		a := p.argv[p.i]
		switch {
		case p.c.Style == "raw":
			p.operand(a)
		case p.c.Style == "assign":
			p.assign(a)
		case a == "--":
			p.i++
			p.rest()
			return
		case p.c.Style == "bundle" && p.i == 0 && a != "" && a[0] != '-':
			p.short("-"+a, true)
		case strings.HasPrefix(a, "--") && len(a) > 2:
			p.long(a)
		case len(a) > 1 && a[0] == '-':
			if p.c.Style == "single" || p.known(a) || p.prefixed(a) != "" {
				p.long(a)
			} else {
				p.short(a, false)
			}
		case len(a) > 1 && (a[0] == '+' && p.known(a) || p.prefixed(a) != ""):
			p.long(a)
		default:
			if p.c.Subs() {
				p.sub(a)
				continue
			}
			if p.c.Style == "first" {
				p.rest()
				return
			}
			p.operand(a)
		}
	}
}

func (p *parser) known(a string) bool {
	n, _, _ := strings.Cut(a, "=")
	_, ok := p.lookup(n)
	return ok && len(n) > 2
}

// prefixed finds the longest "-D*" option that a begins with.
func (p *parser) prefixed(a string) (name string) {
	for _, c := range p.m.Levels {
		for n := range c.index() {
			if t, ok := strings.CutSuffix(n, "*"); ok && len(a) > len(t) && strings.HasPrefix(a, t) && len(n) > len(name) {
				name = n
			}
		}
	}
	return name
}

// lookup finds an option in this command or in the ones above it, whose options stay valid after the subcommand.
func (p *parser) lookup(name string) (key, bool) {
	for i := len(p.m.Levels) - 1; i >= 0; i-- {
		if k, ok := p.m.Levels[i].index()[name]; ok {
			return k, true
		}
	}
	return key{}, false
}

func (p *parser) operand(a string) {
	p.m.Operands = append(p.m.Operands, Word{a, p.i})
	p.i++
}

// rest takes all that is left as operands; where a subcommand is still to come it is the first of them.
func (p *parser) rest() {
	if p.c.Subs() && p.i < len(p.argv) {
		p.sub(p.argv[p.i])
		p.run()
		return
	}
	for p.i < len(p.argv) {
		p.operand(p.argv[p.i])
	}
}

// sub descends into the subcommand that a names.
func (p *parser) sub(a string) {
	c := p.c.Subcommand(a)
	if c == nil {
		p.m.Missing = true
		p.c = &Command{Style: "raw"}
		p.m.Path = append(p.m.Path, a)
		p.m.SubIndex = p.i
		p.i++
		return
	}
	p.c = c
	p.m.Levels = append(p.m.Levels, c)
	p.m.SubIndex = p.i
	if c == p.m.Levels[len(p.m.Levels)-2].other() { // the word itself is an operand of the default
		if c.Style == "first" || c.Style == "raw" {
			p.m.Path = append(p.m.Path, "*")
			p.rest()
			return
		}
		p.m.Path = append(p.m.Path, "*")
		if !c.Subs() {
			p.operand(a)
			return
		}
	}
	p.m.Path = append(p.m.Path, a)
	p.i++
}

// Subcommand finds a subcommand by one of its names; "*" stands for any other name that is literal.
func (c *Command) Subcommand(name string) *Command {
	if s, ok := c.Sub[name]; ok && name != "*" {
		return s
	}
	for names, s := range c.Sub {
		if strings.Contains(names, "|") {
			for _, n := range strings.Split(names, "|") {
				if n == name {
					return s
				}
			}
		}
	}
	for _, w := range c.ways {
		if s := w.find(name); s != nil && name != "*" {
			return s
		}
	}
	return c.other()
}

// other is the subcommand that stands for any that is not listed.
func (c *Command) other() *Command {
	if s := c.Sub["*"]; s != nil {
		return s
	}
	for _, w := range c.ways {
		if s := w.find("*"); s != nil {
			return s
		}
	}
	return nil
}

func (p *parser) long(a string) {
	name, val, has := strings.Cut(a, "=")
	k, ok := p.lookup(name)
	if !ok && !strings.Contains(name, Hole) {
		k, ok = p.abbreviation(name)
	}
	if n := p.prefixed(a); !ok && n != "" {
		k, ok = p.lookup(n)
		if k.value == 0 {
			val, has = a[len(n)-1:], true
		}
	}
	if !ok {
		p.m.Opts = append(p.m.Opts, Opt{Name: name, Value: val, HasValue: has, Index: p.i})
		p.i++
		return
	}
	o := Opt{Name: k.names[0], Known: true, Actions: k.actions, Index: p.i}
	p.i++
	if has {
		o.Value, o.HasValue = val, true
	} else {
		p.value(k, &o)
	}
	p.m.Opts = append(p.m.Opts, o)
	p.end(k)
}

// value takes the value of an option from the words that follow it.
func (p *parser) value(k key, o *Opt) {
	words := 0
	switch k.value {
	case '=', '!':
		words = 1
	case '2':
		words = 2
	}
	for ; words > 0 && p.i < len(p.argv); words-- {
		o.Value, o.HasValue, o.Index = p.argv[p.i], true, p.i
		p.i++
	}
}

// end stops reading options after one that ends them, as python's -c and -m do.
func (p *parser) end(k key) {
	if k.value == '!' {
		for p.i < len(p.argv) {
			p.operand(p.argv[p.i])
		}
	}
}

// abbreviation finds the long option that name is the only prefix of, as getopt_long(3) does.
func (p *parser) abbreviation(name string) (key, bool) {
	if !strings.HasPrefix(name, "--") {
		return key{}, false
	}
	var found key
	n := 0
	for full, k := range p.c.index() {
		if strings.HasPrefix(full, name) && (n == 0 || found.names[0] != k.names[0]) {
			found = k
			n++
		}
	}
	return found, n == 1
}

// short reads a cluster of one-letter options; the first that takes a value takes the rest of the word, or the next one.
func (p *parser) short(a string, bundle bool) {
	at := p.i
	p.i++
	for j := 1; j < len(a); j++ {
		k, ok := p.lookup("-" + a[j:j+1])
		if !ok {
			name := "-" + a[j:j+1]
			if a[j:] == Hole || strings.Contains(a[j:], Hole) {
				name = "-" + a[j:]
				j = len(a)
			}
			p.m.Opts = append(p.m.Opts, Opt{Name: name, Index: at})
			continue
		}
		o := Opt{Name: k.names[0], Known: true, Actions: k.actions, Index: at}
		if k.value != 0 {
			if !bundle && j+1 < len(a) {
				o.Value, o.HasValue = strings.TrimPrefix(a[j+1:], "="), true
				j = len(a)
			} else {
				p.value(k, &o)
			}
		}
		p.m.Opts = append(p.m.Opts, o)
		p.end(k)
	}
}

func (p *parser) assign(a string) {
	if strings.HasPrefix(a, "--") && p.known(a) {
		p.long(a)
		return
	}
	name, val, ok := strings.Cut(a, "=")
	if k, known := p.lookup(name); ok && known {
		p.m.Opts = append(p.m.Opts, Opt{Name: k.names[0], Value: val, HasValue: true, Known: true, Index: p.i, Actions: k.actions})
		p.i++
		return
	}
	p.operand(a)
}

// Role is what a model says of one operand.
type Role struct {
	Action
	Word  Word
	Index int // place among the operands
}

// Plan is what a match does: actions with the value they act on, in order.
type Plan struct {
	Do      []Step
	Handler string
}

// Step is one action on one value. Rule is the model's place, as "curl/-o". HasValue is false for actions that belong to no
// value; Rest holds, for the verb command, the index of the first word of the nested command line.
type Step struct {
	Action
	Value    string
	HasValue bool
	Index    int
	Rule     string
}

// Plan lists what the innermost command and its options do with this argument vector.
func (m *Match) Plan() Plan {
	c := m.Command()
	rule := strings.Join(m.Path, "/")
	operands, handler := c.Operands, c.Handler
	does := append(Actions(nil), c.Does...)
	for _, k := range c.If {
		if !m.holds(k) {
			continue
		}
		if k.Operands != nil {
			operands = *k.Operands
		}
		if k.Handler != "" {
			handler = k.Handler
		}
		does = append(does, k.Does...)
	}
	var p Plan
	for _, a := range does {
		p.Do = append(p.Do, Step{Action: a, Rule: rule, Index: -1})
	}
	for _, o := range m.Opts {
		value, place, actions := o.Value, rule+"/"+o.Name, o.Actions
		if name, val, more := m.setting(o); name != "" {
			value, place, actions = val, place+" "+name, append(actions[:len(actions):len(actions)], more...)
		}
		for _, a := range actions {
			p.Do = append(p.Do, data(Step{Action: a, Value: value, HasValue: o.HasValue, Index: o.Index, Rule: place}))
		}
	}
	for _, s := range m.roles(operands, rule) {
		p.Do = append(p.Do, data(s))
	}
	p.Handler = handler
	return p
}

// setting reads the "name=value" or "name value" of an option that has Settings.
func (m *Match) setting(o Opt) (name, value string, actions Actions) {
	i := strings.IndexAny(o.Value, "= \t")
	if i < 0 {
		return "", "", nil
	}
	for _, c := range m.Levels {
		for n, a := range c.Settings[o.Name] {
			if strings.EqualFold(n, o.Value[:i]) {
				return n, strings.TrimLeft(o.Value[i:], "= \t"), a
			}
		}
	}
	return "", "", nil
}

// data turns the verb data into what it means for this value: a file that is read, standard input, or plain text.
// Arguments are the spellings of curl(1): none for "@file", form for "name=@file" and "name=<file", urlencode for "name@file".
func data(s Step) Step {
	if s.Verb != "data" {
		return s
	}
	file := ""
	switch v := s.Value; s.Arg {
	case "form":
		if _, val, ok := strings.Cut(v, "="); ok && val != "" && (val[0] == '@' || val[0] == '<') {
			file, _, _ = strings.Cut(val[1:], ";")
		}
	case "urlencode":
		if i := strings.IndexAny(v, "@="); i >= 0 && v[i] == '@' {
			file = v[i+1:]
		}
	default:
		if strings.HasPrefix(v, "@") {
			file = v[1:]
		}
	}
	s.Arg = ""
	switch file {
	case "":
		s.Verb = "text"
	case "-":
		s.Verb = "stdin"
	default:
		s.Verb, s.Value = "read", strings.Trim(file, `"`)
	}
	return s
}

// Env lists what the program does with variables of its environment; get gives the value of one that is set.
func (m *Match) Env(get func(name string) (string, bool)) (steps []Step) {
	seen := map[string]bool{}
	for i := len(m.Levels) - 1; i >= 0; i-- {
		for _, name := range slices.Sorted(maps.Keys(m.Levels[i].Env)) {
			v, ok := get(name)
			if !ok || seen[name] {
				continue
			}
			seen[name] = true
			for _, a := range m.Levels[i].Env[name] {
				steps = append(steps, Step{Action: a, Value: v, HasValue: true, Index: -1, Rule: m.Path[0] + "/$" + name})
			}
		}
	}
	return steps
}

func (m *Match) holds(k Case) bool {
	if k.Has != "" && !m.given(k.Has) || k.Not != "" && m.given(k.Not) {
		return false
	}
	n := len(m.Operands)
	if k.First != "" && (n == 0 || !glob(k.First, m.Operands[0].Text)) || k.Last != "" && (n == 0 || !glob(k.Last, m.Operands[n-1].Text)) {
		return false
	}
	if k.Count != "" {
		least, plus := strings.CutSuffix(k.Count, "+")
		want, err := strconv.Atoi(least)
		if err != nil || n < want || (!plus && n != want) {
			return false
		}
	}
	return true
}

// given tells whether one of the options is present, by name or, where "=" follows, with a value of that pattern.
func (m *Match) given(names string) bool {
	for _, n := range strings.Fields(names) {
		name, pattern, valued := strings.Cut(n, "=")
		if !valued && m.Has(name) {
			return true
		}
		if valued {
			for _, o := range m.All(name) {
				if glob(pattern, o.Value) {
					return true
				}
			}
		}
	}
	return false
}

// glob matches a whole text; "*" is any text, slashes and nothing included.
func glob(pattern, text string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, head)
	if !ok {
		return false
	}
	parts := strings.Split(rest, "*")
	for _, part := range parts[:len(parts)-1] {
		_, after, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = after
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}

// roles gives each operand the role at its place. One role may end in "..." and takes as many as the others leave; a role
// that ends in "?" is filled only after those that must be. A leading "set-env..." takes the NAME=value words.
func (m *Match) roles(spec, rule string) (steps []Step) {
	roles := strings.Fields(spec)
	at := 0
	if len(roles) > 0 && roles[0] == "set-env..." {
		for ; at < len(m.Operands) && assignment(m.Operands[at].Text); at++ {
			w := m.Operands[at]
			steps = append(steps, Step{Action{"set-env", ""}, w.Text, true, w.Index, rule})
		}
		roles = roles[1:]
	}
	many := -1
	need := 0
	for i, r := range roles {
		if strings.HasSuffix(r, "...") {
			many = i
		} else if !strings.HasSuffix(r, "?") {
			need++
		}
	}
	n := len(m.Operands)
	optional := n - at - need
	for i, r := range roles {
		take := 1
		switch {
		case i == many:
			take = n - at
			for _, later := range roles[i+1:] {
				if !strings.HasSuffix(later, "?") {
					take--
				}
			}
			if r == "command..." {
				take = min(1, n-at)
			}
			take = max(take, 0)
		case strings.HasSuffix(r, "?"):
			if optional <= 0 {
				take = 0
			}
			optional--
		}
		verb, arg, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(r, "..."), "?"), ":")
		for range take {
			if at >= n {
				break
			}
			w := m.Operands[at]
			steps = append(steps, Step{Action{verb, arg}, w.Text, true, w.Index, rule})
			at++
		}
		if r == "command..." {
			break
		}
	}
	return steps
}

// assignment tells whether a word is NAME=value.
func assignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && name != "" && name[0] != '-' && !strings.ContainsAny(name, "/"+Hole)
}

// Expand fills the places of an argument: {} the value, {-o} the value of an option, {-o:dflt} with a default, {1} an operand,
// {1.stem} it without its last extension, {1.base} its base name. {*} gives one text for each operand. Where an option or an
// operand is missing there is nothing to act on, so there is no text. Variables like $HOME stay as they are.
func (m *Match) Expand(arg, value string) []string {
	i := strings.IndexByte(arg, '{')
	if i < 0 {
		return []string{arg}
	}
	n := strings.IndexByte(arg[i:], '}')
	if n < 0 {
		return []string{arg}
	}
	var fill []string
	name, dflt, has := strings.Cut(arg[i+1:i+n], ":")
	switch {
	case name == "":
		fill = []string{value}
	case name == "*":
		for _, w := range m.Operands {
			fill = append(fill, w.Text)
		}
	case name[0] == '-':
		if o, ok := m.Opt(name); ok && o.HasValue {
			fill = []string{o.Value}
		} else if has {
			fill = []string{strings.TrimPrefix(dflt, "-")}
		}
	default:
		digits, part, _ := strings.Cut(name, ".")
		at, err := strconv.Atoi(digits)
		if err != nil || at < 1 || at > len(m.Operands) {
			break
		}
		w := m.Operands[at-1].Text
		switch part {
		case "stem":
			w = strings.TrimSuffix(w, path.Ext(w))
		case "base":
			w = path.Base(w)
		}
		fill = []string{w}
	}
	var out []string
	for _, f := range fill {
		for _, rest := range m.Expand(arg[i+n+1:], value) {
			out = append(out, arg[:i]+f+rest)
		}
	}
	return out
}
