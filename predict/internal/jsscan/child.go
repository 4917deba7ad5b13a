package jsscan

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// callChild calls a function of child_process.
func (l *lang) callChild(ev *eval, name string, a args) val {
	rule := "js/child_process." + name
	base := strings.TrimSuffix(name, "Sync")
	switch base {
	case "exec":
		l.shell(ev, rule, a.At(0), l.optionsOf(a, 1))
	case "spawn", "execFile":
		l.spawn(ev, rule, a.At(0), a.At(1), l.optionsOf(a, 1))
	case "fork":
		l.script(ev, rule, a.At(0), a.At(1), l.optionsOf(a, 1))
	default:
		if isEvent(name) {
			return l.listen(ev, nat("child_process."+name), a)
		}
		ev.Callbacks(a)
		return script.NewUnk()
	}
	l.errorFirst(ev, a, script.NewUnk(), script.NewLikely(""))
	if name == "spawnSync" {
		o := ev.NewObj()
		o.Open = true
		o.Put("status", script.NewLikely(0.0))
		o.Put("error", script.NewLikely(script.Undef{}))
		o.Put("signal", script.NewLikely(script.Null{}))
		return o
	}
	if base != name {
		return script.NewUnk()
	}
	return &native{Path: "ChildProcess()"}
}

// optionsOf is the options object among the arguments from i on.
func (l *lang) optionsOf(a args, i int) val {
	for _, v := range a.List[min(i, len(a.List)):] {
		switch x := v.(type) {
		case *script.Obj:
			return x
		case *script.Union:
			for _, alt := range x.Alts {
				if o, ok := alt.(*script.Obj); ok {
					return o
				}
			}
		}
	}
	return script.Undef{}
}

// shell reports shell text that is run.
func (l *lang) shell(ev *eval, rule string, text, opts val) {
	dir := l.childOptions(ev, rule, opts)
	for _, t := range script.Values(text) {
		ev.Emit(script.Finding{Kind: script.Shell, Rule: rule, Target: t, Dir: dir})
	}
}

// spawn reports a program that is run, through a shell where the options say so.
func (l *lang) spawn(ev *eval, rule string, program, list, opts val) {
	dir := l.childOptions(ev, rule, opts)
	viaShell := false
	if o, ok := opts.(*script.Obj); ok {
		if t, known := ev.Truthy(ev.Get(o, "shell")); known {
			viaShell = t
		}
	}
	rest := argv(list)
	for _, p := range script.Values(program) {
		all := append([]script.Value{p}, rest...)
		if viaShell {
			words := make([]string, len(all))
			for i, w := range all {
				words[i] = w.Text
			}
			ev.Emit(script.Finding{Kind: script.Shell, Rule: rule, Target: script.Pattern(strings.Join(words, " ")), Dir: dir})
			continue
		}
		ev.Emit(script.Finding{Kind: script.Exec, Rule: rule, Target: p, Argv: all, Dir: dir})
	}
}

// script reports a file that another node runs.
func (l *lang) script(ev *eval, rule string, file, list, opts val) {
	dir := l.childOptions(ev, rule, opts)
	for _, p := range l.Paths(file) {
		ev.Emit(script.Finding{Kind: script.Script, Rule: rule, Target: p, Argv: append([]script.Value{p}, argv(list)...), Dir: dir})
	}
}

// argv is a list of arguments; where it is not known, one unknown argument stands for it.
func argv(list val) []script.Value {
	var out []script.Value
	switch x := list.(type) {
	case *script.Arr:
		for i, e := range x.Elems {
			if i > 64 {
				break
			}
			out = append(out, script.OneValue(e))
		}
		if x.Open {
			out = append(out, script.Pattern(script.Hole))
		}
	case *script.Union:
		for _, a := range x.Alts {
			if arr, ok := a.(*script.Arr); ok {
				return argv(arr)
			}
		}
		out = append(out, script.Pattern(script.Hole))
	case *script.Unk:
		out = append(out, script.Pattern(script.Hole))
	}
	return out
}

// childOptions reports variables that the options give to the child, and returns where it
// starts.
func (l *lang) childOptions(ev *eval, rule string, opts val) *script.Value {
	o, ok := opts.(*script.Obj)
	if !ok {
		return nil
	}
	if env, ok := ev.Get(o, "env").(*script.Obj); ok {
		l.childEnv(ev, rule, env)
	}
	cwd := ev.Get(o, "cwd")
	switch cwd.(type) {
	case script.Undef, script.Null:
		return nil
	}
	v := script.OneValue(cwd)
	if v.Text != script.Hole {
		v = script.Pattern(l.Abs(fileURL(v.Text)))
	}
	return &v
}

// childEnv reports the variables in env that a child would not have had.
func (l *lang) childEnv(ev *eval, rule string, env *script.Obj) {
	for _, k := range env.Keys {
		v := ev.Get(env, k)
		if _, undef := v.(script.Undef); undef {
			continue
		}
		inherited := false
		for _, a := range script.Alts(v) {
			if u, ok := a.(*script.Unk); ok && u.Env == k {
				inherited = true
			}
		}
		if cur := ev.Opts.Env(k); cur.Known && cur.Set && v == val(cur.Value) {
			inherited = true
		}
		if inherited {
			continue
		}
		ev.Emit(script.Finding{Kind: script.Effect, Rule: rule + " env", Class: "environment", Access: "write", Target: script.Known(k)})
	}
}

func (l *lang) worker(ev *eval, path string, a args) {
	if path == "cluster.fork" {
		return
	}
	opts, _ := a.At(1).(*script.Obj)
	if opts != nil && truthy(ev, opts, "eval") {
		l.evaluateText(ev, "Worker", a)
		return
	}
	for _, p := range l.Paths(a.At(0)) {
		if !p.Known || !ev.FS.Exists(p.Text) || l.workers > 2 {
			ev.Unknown("a worker whose file is not known")
			continue
		}
		ev.Later(func() { // in this process, with modules of its own
			modules, workers := l.modules, l.workers
			l.modules, l.workers = map[string]*module{}, l.workers+1
			l.load(ev, p.Text)
			l.modules, l.workers = modules, workers
		})
	}
}

func (l *lang) callProcess(ev *eval, name string, a args) val {
	switch name {
	case "cwd":
		if l.Dir != "" {
			return l.Dir
		}
		return script.NewUnk()
	case "chdir":
		if s, ok := a.At(0).(string); ok {
			l.Dir = l.Abs(s)
		} else {
			l.Dir = ""
		}
		return script.Undef{}
	case "exit", "reallyExit", "abort":
		ev.Exit()
		return script.Undef{}
	case "kill":
		return script.NewUnk()
	case "dlopen", "binding", "_linkedBinding": // compiled code, or what the modules for processes and sockets are made of
		l.addon(ev)
		return script.NewUnk()
	case "getBuiltinModule":
		return l.require(ev, a.At(0))
	case "loadEnvFile":
		var p val = a.At(0)
		if _, undef := p.(script.Undef); undef {
			p = ".env"
		}
		l.envFile(ev, "js/process.loadEnvFile", p)
		return script.Undef{}
	case "on", "once", "addListener":
		return l.listen(ev, nat("process"), a)
	case "stdin.setEncoding", "stdin.resume", "stdin.unref", "stdin.ref":
		return nat("process.stdin")
	case "nextTick":
		cb := a.At(0)
		ev.Later(func() { ev.Contained(func() { ev.Call(cb, script.Undef{}, args{}) }) })
		return script.Undef{}
	}
	if isEvent(name) {
		return l.listen(ev, nat("process."+name[:strings.LastIndexByte(name, '.')]), a)
	}
	ev.Callbacks(a)
	return script.NewUnk()
}

// envFile reports an environment file that is read.
func (l *lang) envFile(ev *eval, rule string, p val) {
	for _, x := range l.Paths(p) {
		ev.Emit(script.Finding{Kind: script.Effect, Rule: rule, Class: "environment", Access: "read", Target: x})
	}
}

func (l *lang) callOS(ev *eval, name string) val {
	switch name {
	case "homedir":
		if ev.Opts.Home != "" {
			return ev.Opts.Home
		}
		return script.FromPattern("~")
	case "tmpdir":
		return ev.Opts.Temp
	case "platform":
		return ev.Opts.Platform
	case "arch":
		return ev.Opts.Arch
	case "endianness":
		return "LE"
	case "type":
		if ev.Opts.Platform == "linux" {
			return "Linux"
		}
	}
	return script.NewUnk()
}

// errorFirst follows the callback at the end of the arguments, whose first parameter is an
// error: there is none unless something failed.
func (l *lang) errorFirst(ev *eval, a args, results ...val) {
	if len(a.List) == 0 {
		return
	}
	cb, ok := a.List[len(a.List)-1].(*script.Fn)
	if !ok || cb.Class {
		return
	}
	list := append([]val{script.NewLikely(script.Null{})}, results...)
	ev.Fallible++
	ev.Conditional(func() {
		ev.Contained(func() { ev.Call(cb, script.Undef{}, args{List: list, Open: true}) })
	})
}
