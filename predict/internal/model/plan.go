package model

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

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
			if a.Verb == "code" && !o.HasValue {
				continue // node -p: the text is the first operand
			}
			p.Do = append(p.Do, data(Step{Action: a, Value: value, HasValue: o.HasValue, Index: o.Index, Rule: place}))
		}
	}
	for _, s := range m.roles(operands, rule) {
		p.Do = append(p.Do, data(s))
	}
	p.Do = append(p.Do, m.addresses(rule)...)
	for i := len(m.Levels) - 1; handler == "" && i >= 0; i-- {
		handler = m.Levels[i].Handler // git's subcommands are all git's handler's
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

// addresses reads the operands of a program that has Settings for "operands": "TCP:host:port,option" (socat).
func (m *Match) addresses(rule string) (steps []Step) {
	set := m.Command().Settings["operands"]
	if set == nil {
		return nil
	}
	for _, w := range m.Operands {
		name, rest, _ := strings.Cut(w.Text, ":")
		for n, actions := range set {
			if !strings.EqualFold(n, name) {
				continue
			}
			value, _, _ := strings.Cut(rest, ",")
			for _, a := range actions {
				steps = append(steps, Step{Action: a, Value: value, HasValue: true, Index: w.Index, Rule: rule + "/" + n})
			}
		}
	}
	return steps
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
			v = strings.TrimLeft(v, "|-") // how the text is used, before the text: LESSOPEN="|-program %s" (less(1))
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

// given tells whether one of the options is present, by name or, where "=" follows, with a value of that pattern. "&" joins
// lists of which each must have one.
func (m *Match) given(names string) bool {
	if one, rest, ok := strings.Cut(names, " & "); ok {
		return m.given(one) && m.given(rest)
	}
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

// Expand fills the places of an argument: {} the value, {-o} the value of an option, {-o:-dflt} with a default, {1} an operand,
// {$} the last, {1.stem} without its last extension, {1.base} only its base name. {*} gives one text for each operand. An
// absolute path that is filled in after a slash stands alone. Where an option or an operand is missing there is nothing to act
// on, so there is no text. Variables like $HOME stay as they are.
func (m *Match) Expand(arg, value string) []string {
	texts := []string{""}
	for {
		before, rest, open := strings.Cut(arg, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !open || !closed {
			before = arg
		}
		for i := range texts {
			texts[i] += before
		}
		if !open || !closed {
			return texts
		}
		arg = after
		var filled []string
		for _, t := range texts {
			for _, f := range m.fill(name, value) {
				if strings.HasSuffix(t, "/") && strings.HasPrefix(f, "/") {
					filled = append(filled, f)
				} else {
					filled = append(filled, t+f)
				}
			}
		}
		texts = filled
	}
}

func (m *Match) fill(place, value string) []string {
	name, other, has := strings.Cut(place, ":-")
	switch {
	case place == "":
		return []string{value}
	case place[0] != '-':
		return m.operandTexts(place)
	}
	if o, ok := m.Opt(name); ok && o.HasValue {
		return []string{o.Value}
	}
	if has {
		return []string{other}
	}
	return nil
}

// operandTexts gives the operands that "1", "*" or "$" names, with ".stem" or ".base" only that part of them.
func (m *Match) operandTexts(name string) (texts []string) {
	which, part, _ := strings.Cut(name, ".")
	words := m.Operands
	switch at, err := strconv.Atoi(which); {
	case which == "*":
	case which == "$" && len(words) > 0:
		words = words[len(words)-1:]
	case err == nil && at >= 1 && at <= len(words):
		words = words[at-1 : at]
	default:
		words = nil
	}
	for _, w := range words {
		switch part {
		case "stem":
			texts = append(texts, strings.TrimSuffix(w.Text, path.Ext(w.Text)))
		case "base":
			texts = append(texts, path.Base(w.Text))
		case "repo":
			texts = append(texts, repo(w.Text))
		default:
			texts = append(texts, w.Text)
		}
	}
	return texts
}

// repo is the folder that git clone makes of an address: its last part, without ".git" and "/.git".
func repo(address string) string {
	address = strings.TrimRight(address, "/")
	address = strings.TrimRight(strings.TrimSuffix(address, "/.git"), "/")
	return strings.TrimSuffix(address[strings.LastIndexAny(address, "/:")+1:], ".git")
}
