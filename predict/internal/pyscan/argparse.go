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
	otherwise val
}

// argparse follows what the standard argument parser makes of the arguments, which are known.
func (l *lang) argparse(ev *eval, name string, a args) (val, bool) {
	switch {
	case strings.HasSuffix(name, ".add_argument"):
		if o, ok := newOption(a); ok {
			l.options = append(l.options, o)
		} else {
			l.optionsOpen = true
		}
		return script.NewUnk(), true
	case strings.HasSuffix(name, ".add_subparsers"), strings.HasSuffix(name, ".set_defaults"), strings.HasSuffix(name, ".add_parser"):
		l.optionsOpen = true
		return nil, false
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
	for _, o := range l.options {
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
		if len(o.flags) > 0 || o.many {
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
