package pyscan

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// option is one add_argument of argparse.
type option struct {
	flags     []string // empty: positional
	dest      string
	action    string
	many      bool
	sub       string // the subcommand that it belongs to
	otherwise val
}

// argparse follows what the standard argument parser makes of the arguments, which are known.
func (l *lang) argparse(ev *eval, n *native, a args) (val, bool) {
	name := n.Path
	switch {
	case strings.HasSuffix(name, ".add_argument"):
		if o, ok := newOption(a); ok {
			o.sub, _ = n.Recv.(string)
			l.options = append(l.options, o)
		} else {
			l.optionsOpen = true
		}
		return script.NewUnk(), true
	case strings.HasSuffix(name, ".add_subparsers"):
		l.subDest, _ = a.Get("dest", -1).(string)
	case strings.HasSuffix(name, ".add_parser"):
		sub, ok := a.At(0).(string)
		if !ok {
			l.optionsOpen = true
			return script.NewUnk(), true
		}
		l.subs = append(l.subs, sub)
		return &native{Path: "argparse.ArgumentParser()", Recv: sub}, true
	case strings.HasSuffix(name, ".set_defaults"):
		sub, _ := n.Recv.(string)
		for i, k := range a.Names {
			l.defaults = append(l.defaults, setting{sub, k, a.Named[i]})
		}
		return script.Null{}, true
	case strings.HasSuffix(name, ".parse_args"), strings.HasSuffix(name, ".parse_known_args"):
		ns := l.parsed(ev, a)
		if strings.HasSuffix(name, ".parse_known_args") {
			return ev.NewArr(ns, openList(ev)), true
		}
		return ns, true
	}
	return nil, false
}

func newOption(a args) (option, bool) {
	o := option{otherwise: a.Get("default", -1)}
	if _, none := o.otherwise.(script.Undef); none {
		o.otherwise = script.Null{}
	}
	for _, x := range a.List {
		s, ok := x.(string)
		if !ok {
			return o, false
		}
		if strings.HasPrefix(s, "-") {
			o.flags = append(o.flags, s)
		}
		if o.dest == "" || strings.HasPrefix(s, "--") && !strings.HasPrefix(o.flags[0], "--") {
			o.dest = strings.ReplaceAll(strings.TrimLeft(s, "-"), "-", "_")
		}
	}
	if d, ok := a.Get("dest", -1).(string); ok {
		o.dest = d
	}
	o.action, _ = a.Get("action", -1).(string)
	if o.action == "store_true" {
		if _, none := o.otherwise.(script.Null); none {
			o.otherwise = false
		}
	}
	if o.action == "store_false" {
		if _, none := o.otherwise.(script.Null); none {
			o.otherwise = true
		}
	}
	_, none := a.Get("nargs", -1).(script.Undef)
	o.many = !none
	return o, o.dest != ""
}

// parsed is the namespace that parse_args returns.
func (l *lang) parsed(ev *eval, a args) val {
	ns := ev.NewObj()
	ns.Open = true
	given, known := ev.Opts.Args, true
	switch x := a.Get("args", 0).(type) {
	case script.Undef, script.Null:
	case *script.Arr:
		given = nil
		for _, e := range x.Elems {
			given = append(given, script.Text(e))
		}
		known = !x.Open
	default:
		known = false
	}
	if strings.Contains(strings.Join(given, ""), script.Hole) || l.optionsOpen {
		known = false
	}
	sub := ""
	if known && len(l.subs) > 0 {
		given, sub = l.subcommand(given)
	}
	l.subSettings(ns, sub, known)
	for _, o := range l.options {
		if known && o.sub != "" && o.sub != sub {
			continue
		}
		switch {
		case !known || o.many:
			ns.Put(o.dest, script.Join(o.otherwise, script.NewUnk()))
		case len(o.flags) > 0:
			ns.Put(o.dest, o.value(given))
		}
	}
	if !known {
		return ns
	}
	rest := l.positional(given)
	for _, o := range l.options {
		if len(o.flags) > 0 || o.many || o.sub != "" && o.sub != sub {
			continue
		}
		if len(rest) > 0 {
			ns.Put(o.dest, rest[0])
			rest = rest[1:]
		} else {
			ns.Put(o.dest, o.otherwise)
		}
	}
	return ns
}

// value is what an option is set to.
func (o option) value(given []string) val {
	v := o.otherwise
	for i, g := range given {
		name, text, has := strings.Cut(g, "=")
		for _, f := range o.flags {
			if f != name {
				continue
			}
			switch {
			case o.action == "store_true":
				v = true
			case o.action == "store_false":
				v = false
			case o.action != "" && o.action != "store":
				v = script.NewUnk()
			case has:
				v = text
			case i+1 < len(given):
				v = given[i+1]
			}
		}
	}
	return v
}

// positional are the arguments that belong to no option.
func (l *lang) positional(given []string) []string {
	var rest []string
next:
	for i := 0; i < len(given); i++ {
		g := given[i]
		if !strings.HasPrefix(g, "-") || g == "-" {
			rest = append(rest, g)
			continue
		}
		if strings.Contains(g, "=") {
			continue
		}
		for _, o := range l.options {
			for _, f := range o.flags {
				if f == g && (o.action == "" || o.action == "store") {
					i++
					continue next
				}
			}
		}
	}
	return rest
}

// setting is one name of set_defaults.
type setting struct {
	sub, name string
	value     val
}

// subcommand takes the name of a subcommand out of the arguments.
func (l *lang) subcommand(given []string) (rest []string, sub string) {
	for i, g := range given {
		for _, s := range l.subs {
			if g == s {
				return append(append([]string(nil), given[:i]...), given[i+1:]...), s
			}
		}
	}
	return given, ""
}

// subSettings stores what choosing a subcommand sets; where the choice is open, what any does.
func (l *lang) subSettings(ns *script.Obj, sub string, known bool) {
	if l.subDest != "" {
		switch {
		case !known:
			ns.Put(l.subDest, script.NewUnk())
		case sub == "":
			ns.Put(l.subDest, script.Null{})
		default:
			ns.Put(l.subDest, sub)
		}
	}
	for _, d := range l.defaults {
		if d.sub != "" && known && d.sub != sub {
			continue
		}
		v := d.value
		if old, ok := ns.Own(d.name); ok && !known {
			v = script.Join(old, v)
		}
		ns.Put(d.name, v)
	}
}
