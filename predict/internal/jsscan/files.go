package jsscan

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// fsUse says what a function of fs does with its arguments.
type fsUse struct {
	access string // read, write, delete; tree: write all below; move, symlink, link: of argument 0
	arg    int    // which argument is the path
}

// fsUses is the table of fs, fs.promises and fs-extra; names come without Sync.
func fsUses(name string) []fsUse {
	switch name {
	case "writeFile", "appendFile", "mkdir", "mkdtemp", "truncate", "chmod", "chown", "lchown", "lchmod", "utimes", "lutimes", "createWriteStream", "WriteStream",
		"outputFile", "outputJson", "outputJSON", "writeJson", "writeJSON", "ensureDir", "mkdirp", "mkdirs", "ensureFile", "createFile":
		return []fsUse{{"write", 0}}
	case "unlink", "rm", "rmdir", "remove", "emptyDir", "emptydir":
		return []fsUse{{"delete", 0}}
	case "copyFile":
		return []fsUse{{"read", 0}, {"write", 1}}
	case "cp", "copy":
		return []fsUse{{"read", 0}, {"tree", 1}}
	case "rename", "move":
		return []fsUse{{"move", 1}}
	case "symlink", "ensureSymlink", "createSymlink":
		return []fsUse{{"symlink", 1}}
	case "link", "ensureLink", "createLink":
		return []fsUse{{"link", 1}}
	case "readFile", "createReadStream", "ReadStream", "readJson", "readJSON", "opendir", "readdir", "openAsBlob":
		return []fsUse{{"read", 0}}
	}
	return nil
}

// callFS calls a function of fs. name may be "promises.readFile".
func (l *lang) callFS(ev *eval, n *native, name string, a args, isNew bool) val {
	promise := strings.HasPrefix(name, "promises.")
	name = strings.TrimPrefix(name, "promises.")
	if isEvent(name) {
		return l.listen(ev, n, a)
	}
	base, sync := strings.CutSuffix(name, "Sync")
	rule := "js/fs." + name
	switch {
	case base == "Stats()" || strings.HasPrefix(base, "Stats()."):
		return l.stats(ev, n, name)
	case base == "open":
		l.openFile(ev, rule, a)
	}
	for _, use := range fsUses(base) {
		switch use.access {
		case "tree":
			l.Place.Tree(ev, rule, "write", a.At(use.arg))
			continue
		case "move":
			l.Place.Moved(ev, rule, a.At(0), a.At(1))
			continue
		case "symlink":
			l.Place.Link(ev, rule, a.At(1), a.At(0))
			continue
		case "link":
			l.Place.HardLink(ev, rule, a.At(1), a.At(0))
			continue
		case "delete":
			if o, ok := a.At(1).(*script.Obj); !ok || !truthy(ev, o, "force") {
				if exists, known := l.Present(ev, a.At(0)); known && !exists {
					ev.Fallible++
					if sync && ev.InTry() {
						ev.Throw()
						return script.NewUnk()
					}
					continue
				}
			}
		}
		l.Place.Effect(ev, rule, use.access, a.At(use.arg))
	}
	switch base {
	case "exists", "pathExists":
		v := l.exists(ev, a.At(0))
		if !sync && !promise && base == "exists" {
			ev.Later(func() { ev.Contained(func() { ev.Call(a.At(len(a.List)-1), script.Undef{}, args{List: []val{v}}) }) })
			return script.Undef{}
		}
		return v
	case "access", "stat", "lstat", "realpath", "readlink", "readFile", "readdir", "readJson", "readJSON":
		return l.inspect(ev, base, sync || promise || !endsWithFunc(a), a)
	case "createWriteStream", "createReadStream", "WriteStream", "ReadStream":
		return &native{Path: "Stream()"}
	case "mkdtemp":
		v := script.Concat(a.At(0), script.NewUnk())
		if !sync && !promise {
			l.errorFirst(ev, a, v)
		}
		return v
	case "mkdir", "open":
		l.errorFirst(ev, a)
		return script.NewUnk()
	}
	if !sync {
		l.errorFirst(ev, a)
	}
	if isNew {
		return &native{Path: n.Path + "()"}
	}
	if len(fsUses(base)) > 0 {
		return script.Undef{}
	}
	return script.NewUnk()
}

func truthy(ev *eval, o *script.Obj, name string) bool {
	t, known := ev.Truthy(ev.Get(o, name))
	return known && t
}

func endsWithFunc(a args) bool {
	if len(a.List) == 0 {
		return false
	}
	_, ok := a.List[len(a.List)-1].(*script.Fn)
	return ok
}

func (l *lang) openFile(ev *eval, rule string, a args) {
	access := "read"
	switch flags := a.At(1).(type) {
	case string:
		if strings.ContainsAny(flags, "wa+") {
			access = "write"
		}
	case script.Undef, *script.Fn, float64:
	default:
		access = "write"
	}
	l.Place.Effect(ev, rule, access, a.At(0))
}

func (l *lang) exists(ev *eval, p val) val {
	if e, known := l.Present(ev, p); known {
		return e
	}
	return script.NewUnk()
}

// inspect answers functions that only look at a path.
func (l *lang) inspect(ev *eval, base string, direct bool, a args) val {
	exists, known := l.Present(ev, a.At(0))
	if a.At(0) == val(0.0) || a.At(0) == val("/dev/stdin") || a.At(0) == val("/usr/bin/ldd") && base == "readFile" {
		exists, known = true, true
	}
	if known && !exists {
		ev.Fallible++
		if !direct {
			cb := a.List[len(a.List)-1]
			ev.Contained(func() { ev.Call(cb, script.Undef{}, args{List: []val{nat("Error()"), script.Undef{}}}) })
			return script.Undef{}
		}
		if ev.InTry() {
			ev.Throw()
			return script.NewUnk()
		}
		return &script.Rejected{Why: script.Undef{}}
	}
	if !known {
		ev.Fallible++
	}
	var v val = script.NewUnk()
	switch base {
	case "readdir":
		if known {
			v = l.listing(ev, a)
		}
	case "stat", "lstat":
		v = &native{Path: "fs.Stats()", Recv: a.At(0)}
	case "readFile", "readJson", "readJSON":
		if known {
			v = l.contents(ev, base, a.At(0))
		}
	case "realpath":
		if known {
			if s, ok := a.At(0).(string); ok {
				v = ev.FS.Real(l.Abs(s))
			}
		}
	}
	if !direct {
		cb := a.List[len(a.List)-1]
		var failure val = script.NewUnk() // asking whether a path is there fails as often as not
		if known {
			failure = script.Null{}
		}
		ev.Contained(func() { ev.Call(cb, script.Undef{}, args{List: []val{failure, v}}) })
		return script.Undef{}
	}
	return v
}

func (l *lang) stats(ev *eval, n *native, name string) val {
	list := l.Paths(n.Recv)
	if len(list) != 1 || !list[0].Known {
		return script.NewUnk()
	}
	if exists, known := l.Present(ev, n.Recv); !known || !exists {
		return script.NewUnk()
	}
	dir := ev.FS.IsDir(list[0].Text)
	switch {
	case strings.HasSuffix(name, ".isDirectory"):
		return dir
	case strings.HasSuffix(name, ".isFile"):
		return !dir
	}
	return script.NewUnk()
}

func dirname(p string) string { return path.Dir(p) }

// callPath computes with paths.
func (l *lang) callPath(ev *eval, name string, a args) val {
	name = strings.TrimPrefix(name, "posix.")
	var r val
	switch name {
	case "join", "resolve":
		parts := a.List
		if a.Open {
			parts = append(append([]val(nil), parts...), script.NewUnk())
		}
		joined := script.JoinPath(name == "resolve", parts...)
		for _, t := range script.Values(joined) {
			text := script.CleanPath(t.Text)
			if name == "resolve" {
				text = l.Abs(t.Text)
				if t.Text == "" {
					text = l.Dir
				}
			}
			if text == "" {
				text = "."
			}
			r = script.Join(r, script.FromPattern(text))
		}
		return r
	case "dirname", "normalize", "basename", "extname", "isAbsolute", "relative", "toNamespacedPath":
	default:
		return script.NewUnk()
	}
	for _, t := range script.Values(a.At(0)) {
		r = script.Join(r, l.pathPart(name, t, a))
	}
	return r
}

func (l *lang) pathPart(name string, t script.Value, a args) val {
	s := t.Text
	slash := strings.LastIndexByte(s, '/')
	switch name {
	case "dirname":
		if t.Known {
			return path.Dir(s)
		}
		if slash > 0 && !strings.Contains(s[slash:], script.Hole) {
			return script.FromPattern(s[:slash])
		}
		return script.FromPattern(t.Prefix + script.Hole)
	case "normalize", "toNamespacedPath":
		return script.FromPattern(script.CleanPath(s))
	case "basename":
		if !t.Known && !(slash >= 0 && !strings.Contains(s[slash:], script.Hole)) {
			return script.NewUnk()
		}
		b := path.Base(s)
		if ext, ok := a.At(1).(string); ok && b != ext {
			b = strings.TrimSuffix(b, ext)
		}
		return b
	case "extname":
		if t.Known {
			return path.Ext(s)
		}
	case "isAbsolute":
		if s == "" || s[0] != script.Hole[0] {
			return strings.HasPrefix(s, "/")
		}
	case "relative":
		if to, ok := a.At(1).(string); ok && t.Known {
			if rest, ok := strings.CutPrefix(l.Abs(to), l.Abs(s)+"/"); ok {
				return rest
			}
		}
	}
	return script.NewUnk()
}

func (l *lang) contents(ev *eval, base string, p val) val {
	if p == val(0.0) || p == val("/dev/stdin") {
		return ev.Input()
	}
	if p == val("/usr/bin/ldd") { // scripts look into it for the name of the C library
		if musl(ev) {
			return "musl libc"
		}
		return "GNU C Library"
	}
	text, ok := l.Contents(ev, p)
	switch {
	case !ok:
		return script.NewUnk()
	case base != "readFile":
		return ev.ParseJSON(text)
	}
	return text
}

// listing is what readdir returns: names, or entries that know their kind.
func (l *lang) listing(ev *eval, a args) val {
	arr := ev.NewArr()
	names, ok := l.List(ev, a.At(0))
	opts, _ := a.At(1).(*script.Obj)
	if !ok || opts != nil && truthy(ev, opts, "recursive") {
		arr.Open = true
		return arr
	}
	typed := opts != nil && truthy(ev, opts, "withFileTypes")
	for _, name := range names {
		if !typed {
			arr.Add(name)
			continue
		}
		dir := ev.FS.IsDir(l.Paths(a.At(0))[0].Text + "/" + name)
		is := func(answer bool) val {
			return &script.Go{Do: func(*eval, val, args) val { return answer }}
		}
		o := ev.NewObj()
		o.Open = true
		o.Put("name", name)
		o.Put("parentPath", a.At(0))
		o.Put("path", a.At(0))
		o.Put("isDirectory", is(dir))
		o.Put("isFile", is(!dir))
		arr.Add(o)
	}
	return arr
}
