package pyscan

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// open reports what open(path, mode) does.
func (l *lang) open(ev *eval, rule string, p, mode val) {
	access := "read"
	switch m := mode.(type) {
	case string:
		if strings.ContainsAny(m, "wax+") {
			access = "write"
		}
	case script.Undef, script.Null:
	default:
		access = "write"
	}
	l.Place.Effect(ev, rule, access, pathText(p))
	if access == "read" {
		if exists, known := l.Present(ev, p); known && !exists {
			ev.Fallible++
			if ev.InTry() {
				ev.Throw()
			}
		} else if !known {
			ev.Fallible++
		}
	}
}

// pathText is the text of a path, also of a pathlib object.
func pathText(v val) val {
	if n, ok := v.(*native); ok && n.Recv != nil {
		return n.Recv
	}
	return v
}

func newPath(text val) val { return &native{Path: "pathlib.Path()", Recv: cleaned(text)} }

func cleaned(text val) val {
	var r val
	for _, t := range script.Values(text) {
		c := script.CleanPath(t.Text)
		if c == "" {
			c = "."
		}
		r = script.Join(r, script.FromPattern(c))
	}
	return r
}

// osPath calls a function of os.path.
func (l *lang) osPath(ev *eval, name string, a args) val {
	p := pathText(a.At(0))
	switch name {
	case "join":
		parts := make([]val, 0, len(a.List)+1)
		for _, x := range a.List {
			parts = append(parts, pathText(x))
		}
		if a.Open {
			parts = append(parts, script.NewUnk())
		}
		return script.JoinPath(true, parts...)
	case "exists", "isfile", "isdir", "lexists", "islink":
		exists, known := l.Present(ev, p)
		if !known || name == "islink" && exists {
			return script.NewUnk()
		}
		if exists && (name == "isfile" || name == "isdir") {
			if s, ok := p.(string); ok {
				return ev.FS.IsDir(l.Abs(s)) == (name == "isdir")
			}
			return script.NewUnk()
		}
		return exists
	case "splitext", "split":
		arr := ev.NewArr(l.pathPart(ev, map[string]string{"splitext": "root", "split": "dirname"}[name], p), l.pathPart(ev, map[string]string{"splitext": "suffix", "split": "name"}[name], p))
		return arr
	}
	return l.pathPart(ev, name, p)
}

// pathPart computes one part or form of a path.
func (l *lang) pathPart(ev *eval, name string, p val) val {
	var r val
	for _, t := range script.Values(p) {
		r = script.Join(r, l.onePart(ev, name, t))
	}
	return r
}

func (l *lang) onePart(ev *eval, name string, t script.Value) val {
	s := t.Text
	slash := strings.LastIndexByte(s, '/')
	tail := slash >= 0 && !strings.Contains(s[slash:], script.Hole)
	switch name {
	case "dirname", "parent":
		switch {
		case t.Known && name == "dirname":
			d, _ := path.Split(s)
			return strings.TrimSuffix(d, "/")
		case t.Known:
			return path.Dir(s)
		case tail:
			return script.FromPattern(s[:slash])
		}
		return script.FromPattern(t.Prefix + script.Hole)
	case "basename", "name":
		if t.Known || tail {
			return s[slash+1:]
		}
	case "suffix":
		if t.Known || tail {
			return path.Ext(s)
		}
	case "stem", "root":
		if t.Known || tail {
			if name == "stem" {
				s = s[slash+1:]
			}
			return strings.TrimSuffix(s, path.Ext(s))
		}
	case "abspath", "realpath", "resolve", "absolute":
		s = l.Abs(s)
		if t.Known && (name == "realpath" || name == "resolve") && strings.HasPrefix(s, "/") {
			s = ev.FS.Real(s)
		}
		return script.FromPattern(s)
	case "normpath", "normcase":
		return script.FromPattern(script.CleanPath(s))
	case "expanduser":
		if s == "~" || strings.HasPrefix(s, "~/") {
			if ev.Opts.Home != "" {
				return script.FromPattern(ev.Opts.Home + s[1:])
			}
		}
		return script.FromPattern(s)
	case "expandvars":
		if !strings.Contains(s, "$") {
			return script.FromPattern(s)
		}
	case "isabs":
		return strings.HasPrefix(s, "/")
	}
	return script.NewUnk()
}

// pathMember is an attribute of a pathlib.Path.
func (l *lang) pathMember(n *native, name string) val {
	switch name {
	case "parent":
		var r val
		for _, t := range script.Values(n.Recv) {
			r = script.Join(r, l.onePart(nil, "parent", t))
		}
		return newPath(r)
	case "name", "stem", "suffix":
		var r val
		for _, t := range script.Values(n.Recv) {
			r = script.Join(r, l.onePart(nil, name, t))
		}
		return r
	case "parents":
		return &native{Path: "pathlib.Parents()", Recv: n.Recv}
	case "parts", "drive", "anchor":
		return script.NewUnk()
	}
	return &native{Path: "pathlib.Path()." + name, Recv: n.Recv}
}

// pathUses says what methods of pathlib.Path do to the path.
func pathUse(method string) string {
	switch method {
	case "write_text", "write_bytes", "mkdir", "touch", "chmod", "lchmod":
		return "write"
	case "unlink", "rmdir":
		return "delete"
	case "read_text", "read_bytes", "iterdir":
		return "read"
	}
	return ""
}

// pathCall calls pathlib's classes and methods.
func (l *lang) pathCall(ev *eval, n *native, name string, a args) val {
	switch name {
	case "Path", "PurePath", "PosixPath", "PurePosixPath":
		parts := make([]val, 0, len(a.List))
		for _, x := range a.List {
			parts = append(parts, pathText(x))
		}
		return newPath(script.JoinPath(true, parts...))
	case "Path.home":
		if ev.Opts.Home != "" {
			return newPath(ev.Opts.Home)
		}
		return newPath("~")
	case "Path.cwd":
		if l.Dir != "" {
			return newPath(l.Dir)
		}
		return newPath(script.NewUnk())
	}
	method, ok := strings.CutPrefix(name, "Path().")
	if !ok {
		ev.Callbacks(a)
		return script.NewUnk()
	}
	rule := "py/pathlib.Path." + method
	if use := pathUse(method); use != "" {
		if use == "delete" {
			if exists, known := l.Present(ev, n.Recv); known && !exists {
				return script.NewUnk()
			}
		}
		l.Place.Effect(ev, rule, use, n.Recv)
	}
	switch method {
	case "joinpath":
		parts := []val{n.Recv}
		for _, x := range a.List {
			parts = append(parts, pathText(x))
		}
		return newPath(script.JoinPath(true, parts...))
	case "with_name", "with_suffix", "with_stem":
		return newPath(l.withPart(method, n.Recv, a.At(0)))
	case "resolve", "absolute", "expanduser":
		return newPath(l.pathPart(ev, method, n.Recv))
	case "exists", "is_file", "is_dir":
		return l.osPath(ev, map[string]string{"exists": "exists", "is_file": "isfile", "is_dir": "isdir"}[method], args{List: []val{n.Recv}})
	case "symlink_to":
		l.Place.Link(ev, rule, n.Recv, pathText(a.Get("target", 0)))
	case "hardlink_to", "link_to":
		l.Place.HardLink(ev, rule, n.Recv, pathText(a.Get("target", 0)))
	case "rename", "replace":
		l.Place.Moved(ev, rule, n.Recv, pathText(a.At(0)))
		return newPath(pathText(a.At(0)))
	case "open":
		l.open(ev, rule, n.Recv, a.Get("mode", 0))
		return &native{Path: "builtins.open()"}
	case "iterdir", "glob":
		pattern := "*"
		if method == "glob" {
			pattern, _ = a.At(0).(string)
		}
		return l.paths(ev, n.Recv, pattern)
	case "rglob":
		arr := ev.NewArr(newPath(script.JoinPath(false, n.Recv, script.NewUnk())))
		arr.Open = true
		return arr
	case "as_posix", "__str__":
		return n.Recv
	case "as_uri":
		return script.Concat("file://", n.Recv)
	case "read_text":
		if text, ok := l.Contents(ev, n.Recv); ok {
			return text
		}
	}
	return script.NewUnk()
}

func (l *lang) withPart(method string, p, v val) val {
	s, ok := p.(string)
	x, ok2 := v.(string)
	if !ok || !ok2 {
		var r val
		for _, t := range script.Values(p) {
			r = script.Join(r, script.FromPattern(t.Prefix+script.Hole))
		}
		return r
	}
	dir, base := path.Split(s)
	switch method {
	case "with_name":
		return dir + x
	case "with_stem":
		return dir + x + path.Ext(base)
	}
	return dir + strings.TrimSuffix(base, path.Ext(base)) + x
}

// listing is what os.listdir and os.scandir return.
func (l *lang) listing(ev *eval, dir val, pattern string, entries bool) *script.Arr {
	arr := ev.NewArr()
	names, ok := l.List(ev, dir)
	if !ok || pattern == "" || strings.Contains(pattern, "/") || strings.Contains(pattern, "**") {
		arr.Open = true
		if ok = pattern != ""; ok {
			arr.Add(script.NewUnk())
		}
		return arr
	}
	for _, name := range names {
		if match, err := path.Match(pattern, name); err != nil || !match || strings.HasPrefix(name, ".") && pattern != "*" {
			continue
		}
		if !entries {
			arr.Add(name)
			continue
		}
		isDir := ev.FS.IsDir(l.Paths(dir)[0].Text + "/" + name)
		is := func(answer bool) val {
			return &script.Go{Do: func(*eval, val, args) val { return answer }}
		}
		o := ev.NewObj()
		o.Open = true
		o.Put("name", name)
		o.Put("path", script.JoinPath(false, dir, name))
		o.Put("is_dir", is(isDir))
		o.Put("is_file", is(!isDir))
		arr.Add(o)
	}
	return arr
}

// paths are the entries of a folder as pathlib objects.
func (l *lang) paths(ev *eval, dir val, pattern string) val {
	names := l.listing(ev, dir, pattern, false)
	arr := ev.NewArr()
	arr.Open = names.Open
	for _, n := range names.Elems {
		arr.Add(newPath(script.JoinPath(false, dir, n)))
	}
	return arr
}

// glob is glob.glob for a pattern in the last part of a path.
func (l *lang) glob(ev *eval, a args) val {
	p, ok := a.At(0).(string)
	dir, pattern := path.Split(p)
	if !ok || strings.ContainsAny(dir, "*?[") {
		return openList(ev)
	}
	if dir == "" {
		dir = "."
	}
	names := l.listing(ev, dir, pattern, false)
	if p == pattern {
		return names
	}
	arr := ev.NewArr()
	arr.Open = names.Open
	for _, n := range names.Elems {
		arr.Add(script.JoinPath(false, dir, n))
	}
	return arr
}
