package pyscan

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// apisText describes functions of the standard library and of well-known packages; see the
// head of the file for its form.
//
//go:embed apis.txt
var apisText string

// apiRule is one line of the table.
type apiRule struct {
	effect  string
	arg     int // position of the target; -1 for none
	keyword string
	from    int // for link: position of what the target is made of, and its keyword
	old     string
}

type table struct {
	rules    map[string][]apiRule // by full path; "~.name" is a method of anything unknown
	packages map[string]bool
}

var apis = sync.OnceValue(func() table {
	t := table{map[string][]apiRule{}, map[string]bool{}}
	for line := range strings.Lines(apisText) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0][0] == '#' {
			continue
		}
		head, _, _ := strings.Cut(f[0], ".")
		t.packages[head] = true
		if len(f) < 2 {
			continue
		}
		r := apiRule{effect: f[1], arg: -1}
		if r.effect == "variable" {
			r.keyword = f[2]
		} else if len(f) > 2 && f[2] != "-" {
			r.arg = int(f[2][0] - '0')
		}
		if len(f) > 3 {
			r.keyword = f[3]
		}
		if len(f) > 5 {
			r.from, r.old = int(f[4][0]-'0'), f[5]
		}
		t.rules[f[0]] = append(t.rules[f[0]], r)
	}
	return t
})

// described reports packages that the table knows, with or without effects.
func described(name string) bool { return apis().packages[name] }

// tableNames are the functions of a module that have rules, for from X import *.
func tableNames(module string) []string {
	var names []string
	for p := range apis().rules {
		if rest, ok := strings.CutPrefix(p, module+"."); ok && !strings.ContainsAny(rest, ".()*") {
			names = append(names, rest)
		}
	}
	switch module {
	case "os":
		names = append(names, "path", "environ", "getenv", "system", "popen", "getcwd", "listdir")
	case "subprocess":
		names = append(names, "run", "call", "check_call", "check_output", "Popen")
	case "pathlib":
		names = append(names, "Path")
	}
	slices.Sort(names)
	return names
}

// lookup finds the rules of a path: its own, or those of "package.*", "*.method".
func lookup(path string) []apiRule {
	t := apis().rules
	if r, ok := t[path]; ok {
		return r
	}
	head, _, _ := strings.Cut(path, ".")
	if i := strings.LastIndexByte(path, '.'); i > 0 {
		if r, ok := t[head+".*."+path[i+1:]]; ok {
			return r
		}
		if strings.Contains(path, "()") {
			if r, ok := t["~."+path[i+1:]]; ok {
				return r
			}
		}
	}
	return t[head+".*"]
}

// apply reports the effects of a call that the table describes.
func (l *lang) apply(ev *eval, path string, rules []apiRule, a args) {
	rule := "py/" + strings.ReplaceAll(path, "()", "")
	for _, r := range rules {
		class, access, _ := strings.Cut(r.effect, ".")
		if class == "variable" {
			l.environment(ev, rule, r.keyword, script.Null{})
			continue
		}
		var target val = script.NewUnk()
		if r.arg >= 0 || r.keyword != "" {
			name := r.keyword
			if name == "" {
				name = "\x00"
			}
			target = a.Get(name, r.arg)
			if _, none := target.(script.Undef); none {
				target = script.NewUnk()
			}
			if _, none := target.(script.Null); none {
				continue
			}
		}
		switch class {
		case "file":
			l.Place.Effect(ev, rule, access, target)
		case "tree":
			l.Place.Tree(ev, rule, access, target)
		case "link":
			from, target := pathText(a.Get(r.old, r.from)), pathText(target)
			switch access {
			case "symbolic":
				l.Place.Link(ev, rule, target, from)
			case "hard":
				l.Place.HardLink(ev, rule, target, from)
			case "copied":
				l.Place.Effect(ev, rule, "write", l.Place.Into(ev, from, target))
			default:
				l.Place.Moved(ev, rule, from, l.Place.Into(ev, from, target))
			}
		case "network":
			for _, t := range script.Values(hostOf(ev, target)) {
				ev.Emit(script.Finding{Kind: script.Effect, Rule: rule, Class: class, Access: access, Target: t})
			}
		case "shell":
			for _, t := range script.Values(target) {
				ev.Emit(script.Finding{Kind: script.Shell, Rule: rule, Target: t})
			}
		case "run":
			ev.Emit(script.Finding{Kind: script.Exec, Rule: rule, Target: script.Known(access), Argv: []script.Value{script.Known(access), script.Pattern(script.Hole)}})
		case "env":
			l.envFile(ev, rule, target)
		case "url": // a path or a URL: only a URL is an effect
			for _, t := range script.Values(target) {
				if strings.Contains(t.Prefix, "://") {
					ev.Emit(script.Finding{Kind: script.Effect, Rule: rule, Class: "network", Access: "fetch", Target: t})
				} else {
					l.Place.Effect(ev, rule, "read", script.FromPattern(t.Text))
				}
			}
		case "unknown":
			ev.Unknown("what " + path + " does is not followed")
		case "addon":
			ev.Unknown("native code: a library is loaded (" + path + ")")
		case "code":
			ev.Unknown("code that is made while running (" + path + ")")
		}
	}
}

// hostOf is the address in a host, a URL, a (host, port) pair or a request object.
func hostOf(ev *eval, v val) val {
	if arr, ok := v.(*script.Arr); ok && len(arr.Elems) >= 2 {
		return script.Concat(arr.Elems[0], ":", arr.Elems[1])
	}
	return v
}

func (l *lang) envFile(ev *eval, rule string, p val) {
	switch x := p.(type) {
	case *script.Unk:
		if x.Text == script.Hole {
			p = ".env"
		}
	case *script.Obj, *script.Fn:
		p = ".env"
	}
	for _, x := range l.Paths(p) {
		ev.Emit(script.Finding{Kind: script.Effect, Rule: rule, Class: "environment", Access: "read", Target: x})
	}
}
