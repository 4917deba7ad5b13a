package pyscan

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// subprocess calls a function of subprocess.
func (l *lang) subprocess(ev *eval, name string, a args) val {
	rule := "py/subprocess." + name
	switch name {
	case "run", "call", "check_call", "check_output", "Popen":
		l.popen(ev, rule, a)
		if name == "call" || name == "check_call" {
			return script.NewLikely(0.0)
		}
		return &native{Path: "subprocess.Popen()"}
	case "getoutput", "getstatusoutput":
		l.shell(ev, rule, a.Get("cmd", 0), a)
	case "Popen().wait", "Popen().poll":
		return script.NewLikely(0.0)
	default:
		ev.Callbacks(a)
	}
	return script.NewUnk()
}

func (l *lang) popen(ev *eval, rule string, a args) {
	cmd := a.Get("args", 0)
	viaShell := false
	if t, known := ev.Truthy(a.Get("shell", 8)); known {
		viaShell = t
	}
	for _, c := range script.Alts(cmd) {
		arr, isList := c.(*script.Arr)
		switch {
		case viaShell && isList && len(arr.Elems) > 0:
			l.shell(ev, rule, arr.Elems[0], a)
		case viaShell:
			l.shell(ev, rule, c, a)
		case isList:
			list := arr.Elems
			if arr.Open {
				list = append(append([]val(nil), list...), script.NewUnk())
			}
			l.exec(ev, rule, list, a)
		default:
			switch c.(type) {
			case script.Undef, script.Null:
				continue
			case *script.Unk:
				l.exec(ev, rule, []val{c, script.NewUnk()}, a)
			default:
				l.exec(ev, rule, []val{c}, a)
			}
		}
	}
}

// shell reports shell text that is run.
func (l *lang) shell(ev *eval, rule string, text val, a args) {
	dir := l.childOptions(ev, rule, a)
	for _, t := range script.Values(text) {
		ev.Emit(script.Finding{Kind: script.Shell, Rule: rule, Target: t, Dir: dir})
	}
}

// exec reports a program that is run with arguments.
func (l *lang) exec(ev *eval, rule string, list []val, a args) {
	dir := l.childOptions(ev, rule, a)
	if len(list) == 0 {
		list = []val{script.NewUnk()}
	}
	var rest []script.Value
	for i, x := range list[1:] {
		if i > 64 {
			break
		}
		rest = append(rest, script.OneValue(x))
	}
	for _, p := range script.Values(list[0]) {
		ev.Emit(script.Finding{Kind: script.Exec, Rule: rule, Target: p, Argv: append([]script.Value{p}, rest...), Dir: dir})
	}
}

// childOptions reports variables that a child is given, and returns where it starts.
func (l *lang) childOptions(ev *eval, rule string, a args) *script.Value {
	if env, ok := a.Get("env", -1).(*script.Obj); ok {
		for _, k := range env.Keys {
			v := ev.Get(env, k)
			inherited := false
			for _, alt := range script.Alts(v) {
				if u, ok := alt.(*script.Unk); ok && u.Env == k {
					inherited = true
				}
			}
			if cur := ev.Opts.Env(k); cur.Known && cur.Set && v == val(cur.Value) {
				inherited = true
			}
			if !inherited {
				ev.Emit(script.Finding{Kind: script.Effect, Rule: rule + " env", Class: "environment", Access: "write", Target: script.Known(k)})
			}
		}
	}
	cwd := a.Get("cwd", -1)
	switch cwd.(type) {
	case script.Undef, script.Null:
		return nil
	}
	v := script.OneValue(cwd)
	if v.Text != script.Hole {
		v = script.Pattern(l.Abs(v.Text))
	}
	return &v
}

// osCall calls a function of os that the table does not describe.
func (l *lang) osCall(ev *eval, n *native, name string, a args) (val, bool) {
	rule := "py/os." + name
	switch name {
	case "system", "popen":
		l.shell(ev, rule, a.At(0), args{})
		if name == "system" {
			return script.NewLikely(0.0), true
		}
		return script.NewUnk(), true
	case "execv", "execve", "execvp", "execvpe", "spawnv", "spawnvp", "posix_spawn", "posix_spawnp", "spawnve":
		i := 0
		if strings.HasPrefix(name, "spawn") {
			i = 1
		}
		list := []val{a.At(i)}
		if arr, ok := a.At(i + 1).(*script.Arr); ok {
			if len(arr.Elems) > 1 {
				list = append(list, arr.Elems[1:]...)
			}
		} else {
			list = append(list, script.NewUnk())
		}
		l.exec(ev, rule, list, args{})
		if strings.HasPrefix(name, "exec") {
			ev.Exit()
		}
		return script.NewUnk(), true
	case "execl", "execlp", "execle", "execlpe", "spawnl", "spawnlp":
		i := 0
		if strings.HasPrefix(name, "spawn") {
			i = 1
		}
		list := []val{a.At(i)}
		if len(a.List) > i+2 {
			list = append(list, a.List[i+2:]...)
		}
		l.exec(ev, rule, list, args{})
		if strings.HasPrefix(name, "exec") {
			ev.Exit()
		}
		return script.NewUnk(), true
	case "_exit", "abort":
		ev.Exit()
		return script.NewUnk(), true
	}
	return l.osState(ev, n, name, a)
}

// osState calls the functions of os that read or change what a process inherits: variables,
// the working directory, files.
func (l *lang) osState(ev *eval, n *native, name string, a args) (val, bool) {
	rule := "py/os." + name
	switch name {
	case "getenv", "environ.get", "environ.pop", "environ.setdefault":
		var otherwise val = script.Null{}
		if len(a.List) > 1 {
			otherwise = a.At(1)
		} else if d, none := a.Get("default", -1).(script.Undef); !none {
			otherwise = d
		}
		if name == "environ.setdefault" {
			l.Set(ev, nat("os.environ"), a.At(0), a.At(1))
			return a.At(1), true
		}
		return l.environment(ev, rule, a.Get("key", 0), otherwise), true
	case "environ.copy", "environ.items":
		o := ev.NewObj()
		o.Env = true
		return o, true
	case "putenv":
		l.Set(ev, nat("os.environ"), a.At(0), a.At(1))
		return script.NewUnk(), true
	case "environ.update":
		if o, ok := a.At(0).(*script.Obj); ok {
			for _, k := range o.Keys {
				l.Set(ev, nat("os.environ"), k, ev.Get(o, k))
			}
		}
		for i, k := range a.Names {
			l.Set(ev, nat("os.environ"), k, a.Named[i])
		}
		return script.NewUnk(), true
	case "getcwd", "getcwdb":
		if l.Dir != "" {
			return l.Dir, true
		}
		return script.NewUnk(), true
	case "chdir":
		if s, ok := a.At(0).(string); ok {
			l.Dir = l.Abs(s)
		} else {
			l.Dir = ""
		}
		return script.NewUnk(), true
	case "open":
		l.open(ev, rule, a.At(0), "w")
		return script.NewUnk(), true
	case "fspath", "fsencode", "fsdecode":
		return a.At(0), true
	case "listdir", "scandir", "walk":
		l.apply(ev, n.Path, lookup(n.Path), a)
		dir := a.Get("path", 0)
		if _, none := dir.(script.Undef); none {
			dir = "."
		}
		if name != "walk" {
			return l.listing(ev, pathText(dir), "*", name == "scandir"), true
		}
		return openList(ev), true
	case "remove", "unlink", "rmdir":
		if exists, known := l.Present(ev, a.Get("path", 0)); known && !exists {
			ev.Fallible++
			if ev.InTry() {
				ev.Throw()
			}
			return script.NewUnk(), true
		}
		return nil, false
	}
	if strings.HasPrefix(name, "path.") {
		return l.osPath(ev, strings.TrimPrefix(name, "path."), a), true
	}
	return nil, false
}
