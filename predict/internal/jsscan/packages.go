package jsscan

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// packagesText describes well-known packages; see the head of the file for its form.
//
//go:embed packages.txt
var packagesText string

// packageRule is one line of the table.
type packageRule struct {
	member string // "()" for a call of the package itself, ".name", ".*" for any
	effect string
	arg    int // which argument is the target; -1 for none
	name   string
}

// packageTable is the parsed table: the rules of each package.
var packageTable = sync.OnceValue(func() map[string][]packageRule {
	t := map[string][]packageRule{}
	for line := range strings.Lines(packagesText) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0][0] == '#' {
			continue
		}
		if len(f) < 3 {
			t[f[0]] = nil // it has no effect worth following
			continue
		}
		r := packageRule{member: f[1], effect: f[2], arg: -1}
		switch {
		case r.effect == "variable":
			r.name = f[len(f)-1]
		case len(f) > 3 && f[3] != "-":
			r.arg = int(f[3][0] - '0')
		}
		t[f[0]] = append(t[f[0]], r)
	}
	return t
})

// tabled reports packages that the table describes, or that stand in for a builtin: they
// are not followed.
func tabled(name string) bool {
	if !strings.HasPrefix(packagePath(name), "pkg:") {
		return true
	}
	_, ok := packageTable()[name]
	return ok
}

// loaded reports what a package does when it is loaded.
func (l *lang) loaded(ev *eval, name string) {
	for _, r := range packageTable()[name] {
		if r.member == "import" {
			l.packageEffect(ev, "js/"+name, r, args{})
		}
	}
}

// callPackage calls something of a package that is not followed.
func (l *lang) callPackage(ev *eval, n *native, this val, a args, isNew bool) val {
	spec, member, _ := strings.Cut(strings.TrimPrefix(n.Path, "pkg:"), ".")
	name := packageName(spec)
	if name == "" {
		name = spec
	}
	// A dot in a package's own name (socket.io) is not a member.
	full := strings.TrimPrefix(n.Path, "pkg:")
	for p := range packageTable() {
		if strings.Contains(p, ".") && (full == p || strings.HasPrefix(full, p+".")) {
			name, member = p, strings.TrimPrefix(strings.TrimPrefix(full, p), ".")
		}
	}
	if isEvent(n.Path) {
		return l.listen(ev, n, a)
	}
	rules, known := packageTable()[name]
	var ret val = &native{Path: n.Path + "()"}
	if strings.Count(n.Path, "()") > 3 {
		ret = script.NewUnk()
	}
	if known {
		for _, r := range rules {
			if matchMember(r.member, member) {
				l.packageEffect(ev, "js/"+name, r, a)
			}
		}
	}
	if strings.Contains(name, "mcp") || strings.HasPrefix(name, "@modelcontextprotocol/") {
		if l.tool(ev, member, a) {
			return ret
		}
	}
	if v, ok := l.parseArguments(ev, name, member, a); ok {
		return v
	}
	if strings.HasSuffix(member, "listen") {
		l.callNet(ev, nat("server.listen"), a, false)
		return ret
	}
	ev.Callbacks(a)
	return ret
}

// matchMember compares a rule's member with a path such as "create().get".
func matchMember(rule, member string) bool {
	m := strings.TrimSuffix(member, "Sync")
	m = strings.TrimPrefix(m, "promises.")
	switch {
	case rule == "()":
		return m == ""
	case rule == "import":
		return false
	case rule == "*":
		return true
	case strings.HasPrefix(rule, ".") && strings.HasSuffix(rule, "*"):
		return strings.HasPrefix("."+m, strings.TrimSuffix(rule, "*"))
	case strings.HasPrefix(rule, "*."): // on anything that the package made
		return m == rule[2:] || strings.HasSuffix(m, rule[1:])
	}
	return "."+m == rule
}

func (l *lang) packageEffect(ev *eval, rule string, r packageRule, a args) {
	class, access, _ := strings.Cut(r.effect, ".")
	var target val = script.NewUnk()
	if r.arg >= 0 {
		target = a.At(r.arg)
	}
	switch class {
	case "shell":
		l.shell(ev, rule, target, l.optionsOf(a, 1))
	case "exec":
		l.spawn(ev, rule, target, a.At(r.arg+1), l.optionsOf(a, r.arg+1))
	case "run": // a fixed program
		ev.Emit(script.Finding{Kind: script.Exec, Rule: rule, Target: script.Known(access), Argv: []script.Value{script.Known(access), script.Pattern(script.Hole)}})
	case "file":
		l.Place.Effect(ev, rule, access, l.pathArgument(ev, target))
	case "tree":
		l.Place.Tree(ev, rule, access, l.pathArgument(ev, target))
	case "link":
		if access == "hard" {
			l.Place.HardLink(ev, rule, a.At(r.arg+1), target)
		} else {
			l.Place.Link(ev, rule, a.At(r.arg+1), target)
		}
	case "env":
		if o, ok := target.(*script.Obj); ok {
			target = ev.Get(o, "path")
		}
		switch target.(type) {
		case string, *script.Unk, *script.Union:
		default:
			target = ".env"
		}
		l.envFile(ev, rule, target)
	case "network":
		t := script.Pattern(script.Hole)
		if r.arg >= 0 {
			for _, t := range l.urls(ev, args{List: []val{target}}, "https://") {
				ev.Emit(script.Finding{Kind: script.Effect, Rule: rule, Class: class, Access: access, Target: t})
			}
			return
		}
		ev.Emit(script.Finding{Kind: script.Effect, Rule: rule, Class: class, Access: access, Target: t})
	case "variable":
		l.environment(ev, r.name)
	case "unknown":
		ev.Unknown("what " + rule[3:] + " does is not followed")
	case "addon":
		l.addon(ev)
	}
}

// pathArgument is the path in an argument that may be an options object.
func (l *lang) pathArgument(ev *eval, v val) val {
	o, ok := v.(*script.Obj)
	if !ok {
		if arr, ok := v.(*script.Arr); ok {
			var r val
			for _, e := range arr.Elems {
				r = script.Join(r, e)
			}
			return script.Join(r, nil)
		}
		switch v.(type) {
		case script.Undef, script.Null, *script.Fn:
			return script.NewUnk()
		}
		return v
	}
	for _, k := range []string{"cwd", "dir", "directory", "path", "file", "outputDir", "dest", "destination", "cacheDir"} {
		switch x := ev.Get(o, k); x.(type) {
		case script.Undef, script.Null:
		default:
			return x
		}
	}
	return script.NewUnk()
}

// tool follows the handler of an MCP server for the call that standard input makes. It
// returns true for what registers handlers, so that the others are not followed.
func (l *lang) tool(ev *eval, member string, a args) bool {
	call, known := ev.Tool()
	if !known {
		return false
	}
	run := func(handler val, list ...val) {
		ev.Later(func() { ev.Contained(func() { ev.Call(handler, script.Undef{}, args{List: list, Open: true}) }) })
	}
	switch member[strings.LastIndexByte(member, '.')+1:] {
	case "tool", "registerTool":
		if a.At(0) == val(call.Name) && len(a.List) > 1 {
			run(a.List[len(a.List)-1], call.Args)
		}
	case "addTool":
		if o, ok := a.At(0).(*script.Obj); ok && ev.Get(o, "name") == val(call.Name) {
			run(ev.Get(o, "execute"), call.Args)
		}
	case "setRequestHandler":
		schema, _ := a.At(0).(*native)
		if schema == nil || !strings.Contains(schema.Path, "CallTool") {
			return true
		}
		request, params := ev.NewObj(), ev.NewObj()
		params.Put("name", call.Name)
		params.Put("arguments", call.Args)
		request.Put("method", "tools/call")
		request.Put("params", params)
		run(a.At(1), request)
	case "resource", "registerResource", "prompt", "registerPrompt", "addResource", "addPrompt":
	default:
		return false
	}
	return true
}

// lazily is what packages that defer require return: a function that loads a module when what
// it returns is called, and passes the call on.
func (l *lang) lazily(load val) val {
	return &script.Go{Do: func(_ *eval, _ val, id args) val {
		return &script.Go{Do: func(ev *eval, this val, a args) val {
			m := ev.Call(load, script.Undef{}, id)
			if len(a.List) == 0 {
				return m
			}
			return ev.Call(m, this, a)
		}}
	}}
}

// merge is what the packages that copy properties do.
func (l *lang) merge(ev *eval, member string, a args) (val, bool) {
	switch member {
	case "", "assign", "extend", "merge", "defaults", "defaultsDeep", "assignIn":
	default:
		return nil, false
	}
	if deep, ok := a.At(0).(bool); ok && deep && len(a.List) > 1 {
		a.List = a.List[1:]
	}
	target, ok := a.At(0).(*script.Obj)
	if !ok {
		return nil, false
	}
	for _, src := range a.List[1:] {
		if o, ok := src.(*script.Obj); ok && strings.HasPrefix(member, "defaults") {
			for _, k := range o.Keys {
				if _, has := target.Own(k); !has {
					ev.Set(target, k, ev.Get(o, k))
				}
			}
			continue
		}
		ev.Assign(target, src)
	}
	return target, true
}

// parseArguments is what the common parsers of arguments make of those that are known.
func (l *lang) parseArguments(ev *eval, name, member string, a args) (val, bool) {
	switch name {
	case "minimist", "mri", "yargs-parser":
	case "extend", "object-assign", "deepmerge", "deep-extend", "xtend", "lodash":
		return l.merge(ev, member, a)
	case "lazy-req", "import-lazy":
		if member != "" || !callable(a.At(0)) {
			return nil, false
		}
		return l.lazily(a.At(0)), true
	case "detect-libc":
		family := "glibc"
		if musl(ev) {
			family = "musl"
		}
		switch member {
		case "family", "familySync":
			return family, true
		case "isNonGlibcLinux", "isNonGlibcLinuxSync":
			return family != "glibc", true
		}
		return nil, false
	case "inherits":
		return l.callUtil(ev, "inherits", a), true
	case "util-deprecate", "lodash.once", "once", "graceful-fs", "pify", "thenify", "universalify":
		if callable(a.At(0)) {
			return a.At(0), true
		}
		return nil, false
	default:
		return nil, false
	}
	list, ok := a.At(0).(*script.Arr)
	if !ok || member != "" || list.Open {
		return nil, false
	}
	o := ev.NewObj()
	rest := ev.NewArr()
	for i := 0; i < len(list.Elems); i++ {
		s, ok := list.Elems[i].(string)
		if !ok {
			return nil, false
		}
		flag, isFlag := strings.CutPrefix(s, "-")
		if !isFlag {
			rest.Add(s)
			continue
		}
		flag = strings.TrimPrefix(flag, "-")
		key, v, has := strings.Cut(flag, "=")
		switch {
		case has:
			o.Put(key, v)
		case i+1 < len(list.Elems) && !strings.HasPrefix(script.Text(list.Elems[i+1]), "-"):
			i++
			o.Put(key, list.Elems[i])
		default:
			o.Put(key, true)
		}
	}
	o.Put("_", rest)
	if opts, ok := a.At(1).(*script.Obj); ok && len(opts.Keys) > 0 {
		o.Open = true // defaults and aliases
	}
	return o, true
}
