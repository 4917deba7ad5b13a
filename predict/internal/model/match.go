package model

import "strings"

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
		case a != "" && (a[0] == '+' && p.known(a) || p.prefixed(a) != ""):
			p.long(a)
		default:
			if p.c.Subs() {
				p.sub(a)
				continue
			}
			if p.c.Style == "first" || p.c.Style == "second" && len(p.m.Operands) == 1 {
				p.rest()
				return
			}
			p.operand(a)
		}
	}
}

func (p *parser) known(a string) bool {
	n, _, _ := strings.Cut(a, "=")
	_, _, ok := p.lookup(n)
	return ok && (len(n) > 2 || n[0] == '+')
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

// lookup finds an option in the innermost command or in the ones above it, whose options stay valid after the subcommand
// unless their style is "first" (git -C dir status, but git commit -C commit). It gives the option's level, too.
func (p *parser) lookup(name string) (key, int, bool) {
	levels := p.m.Levels
	for i := len(levels) - 1; i >= 0; i-- {
		k, ok := levels[i].index()[name]
		if !ok && levels[i].Style == "single" && strings.HasPrefix(name, "--") {
			k, ok = levels[i].index()[name[1:]] // Go's flag package and others take both
		}
		if ok && (i == len(levels)-1 || levels[i].Style != "first") {
			return k, i, true
		}
	}
	if name == "--help" || name == "--version" && len(p.argv) == 1 {
		return key{names: []string{name}, actions: Actions{{Verb: "nothing"}}}, 0, true // as the GNU coding standards have it
	}
	return key{}, 0, false
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
	k, level, ok := p.lookup(name)
	if !ok && !strings.Contains(name, Hole) {
		level = len(p.m.Levels) - 1
		k, ok = p.abbreviation(name)
	}
	if n := p.prefixed(a); !ok && n != "" {
		k, level, ok = p.lookup(n)
		if k.value == 0 {
			val, has = a[len(n)-1:], true
		}
	}
	if !ok {
		p.m.Opts = append(p.m.Opts, Opt{Name: name, Value: val, HasValue: has, Index: p.i})
		p.i++
		return
	}
	o := Opt{Name: k.names[0], Known: true, Actions: k.actions, Index: p.i, Level: level}
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
		k, level, ok := p.lookup("-" + a[j:j+1])
		if !ok {
			name := "-" + a[j:j+1]
			if a[j:] == Hole || strings.Contains(a[j:], Hole) {
				name = "-" + a[j:]
				j = len(a)
			}
			p.m.Opts = append(p.m.Opts, Opt{Name: name, Index: at})
			continue
		}
		o := Opt{Name: k.names[0], Known: true, Actions: k.actions, Index: at, Level: level}
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
	if k, level, known := p.lookup(name); ok && known {
		p.m.Opts = append(p.m.Opts, Opt{Name: k.names[0], Value: val, HasValue: true, Known: true, Index: p.i, Actions: k.actions, Level: level})
		p.i++
		return
	}
	p.operand(a)
}
