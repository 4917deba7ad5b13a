package jsscan

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// fsUse says what a function of fs does with its arguments.
type fsUse struct {
	access string // read, write, delete, stat
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
	case "copyFile", "cp", "copy":
		return []fsUse{{"read", 0}, {"write", 1}}
	case "rename", "move":
		return []fsUse{{"delete", 0}, {"write", 1}}
	case "link", "symlink", "ensureLink", "ensureSymlink", "createLink", "createSymlink":
		return []fsUse{{"write", 1}}
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
	case strings.HasPrefix(base, "existsSync"):
	}
	for _, use := range fsUses(base) {
		if use.access == "delete" && base != "rename" && base != "move" {
			if o, ok := a.At(1).(*script.Obj); !ok || !truthy(ev, o, "force") {
				if exists, known := l.present(ev, a.At(0)); known && !exists {
					ev.Fallible++
					if sync && ev.InTry() {
						ev.Throw()
						return script.NewUnk()
					}
					continue
				}
			}
		}
		l.fileEffect(ev, rule, use.access, a.At(use.arg))
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
		if !sync && !promise && endsWithFunc(a) {
			ev.Callbacks(a)
		}
		return v
	case "mkdir", "open":
		ev.Callbacks(a)
		return script.NewUnk()
	}
	if !sync {
		ev.Callbacks(a)
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
	l.fileEffect(ev, rule, access, a.At(0))
}

// fileEffect reports a file that is read, written or deleted.
func (l *lang) fileEffect(ev *eval, rule, access string, p val) {
	for _, x := range l.paths(p) {
		if x.Text == "" {
			continue
		}
		if access == "read" && !x.Known && strings.Trim(x.Prefix, "/.") == "" {
			continue // nothing is known of what it reads
		}
		if access != "read" {
			l.touched = append(l.touched, x.Prefix)
		}
		ev.Emit(script.Finding{Kind: script.Effect, Rule: rule, Class: "file", Access: access, Target: x})
	}
}

// paths are the absolute paths that p may be; numbers are open descriptors, not paths.
func (l *lang) paths(p val) []script.Value {
	var keep val
	for _, a := range script.Alts(p) {
		switch a.(type) {
		case float64:
		default:
			keep = script.Join(keep, a)
		}
	}
	if keep == nil {
		return nil
	}
	list := script.Values(keep)
	for i := range list {
		list[i] = script.Pattern(l.absolute(fileURL(list[i].Text)))
	}
	return list
}

// absolute makes a relative path absolute where the working directory is known.
func (l *lang) absolute(p string) string {
	if p == "" || p[0] == '/' || strings.HasPrefix(p, script.Hole) || l.dir == "" || p[0] == '~' {
		return clean(p)
	}
	return clean(l.dir + "/" + p)
}

// clean is path.Clean for texts with holes: what follows ".." behind a hole is not known.
func clean(p string) string {
	i := strings.Index(p, script.Hole)
	if i < 0 {
		if p == "" {
			return ""
		}
		return path.Clean(p)
	}
	if strings.Contains(p[i:], "..") {
		return cleanPrefix(p[:i]) + script.Hole
	}
	return cleanPrefix(p[:i]) + p[i:]
}

// cleanPrefix cleans a prefix and keeps its closing slash.
func cleanPrefix(p string) string {
	if p == "" {
		return ""
	}
	c := path.Clean(p)
	if strings.HasSuffix(p, "/") && c != "/" {
		c += "/"
	}
	return c
}

// present tells whether a path is there at the start; known is false where the program may
// have changed it.
func (l *lang) present(ev *eval, p val) (exists, known bool) {
	list := l.paths(p)
	if len(list) == 0 {
		return false, false
	}
	first := true
	for _, x := range list {
		if !x.Known || !strings.HasPrefix(x.Text, "/") {
			return false, false
		}
		for _, t := range l.touched {
			if strings.HasPrefix(x.Text, t) || strings.HasPrefix(t, x.Text+"/") {
				return false, false
			}
		}
		e := ev.FS.Exists(x.Text)
		if !first && e != exists {
			return false, false
		}
		exists, first = e, false
	}
	return exists, true
}

func (l *lang) exists(ev *eval, p val) val {
	if e, known := l.present(ev, p); known {
		return e
	}
	return script.NewUnk()
}

// inspect answers functions that only look at a path.
func (l *lang) inspect(ev *eval, base string, direct bool, a args) val {
	exists, known := l.present(ev, a.At(0))
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
	case "stat", "lstat":
		v = &native{Path: "fs.Stats()", Recv: a.At(0)}
	case "readFile", "readJson", "readJSON":
		if known {
			v = l.contents(ev, base, a)
		}
	case "realpath":
		if known {
			if s, ok := a.At(0).(string); ok {
				v = ev.FS.Real(l.absolute(s))
			}
		}
	}
	if !direct {
		cb := a.List[len(a.List)-1]
		var failure val = script.NewUnk()
		if known {
			failure = script.Null{}
		}
		ev.Contained(func() { ev.Call(cb, script.Undef{}, args{List: []val{failure, v}}) })
		return script.Undef{}
	}
	return v
}

// maxContents bounds the files whose text is followed into the program.
const maxContents = 256 << 10

func (l *lang) contents(ev *eval, base string, a args) val {
	list := l.paths(a.At(0))
	if len(list) != 1 || !list[0].Known {
		return script.NewUnk()
	}
	switch path.Ext(list[0].Text) {
	case ".json", ".txt", ".yml", ".yaml", ".js", ".toml", "", ".cfg", ".ini", ".md", ".version":
	default:
		return script.NewUnk()
	}
	if ev.OverBudget() {
		return script.NewUnk()
	}
	b, err := ev.ReadSource(list[0].Text)
	if err != nil || len(b) > maxContents || strings.Contains(string(b), script.Hole) {
		return script.NewUnk()
	}
	if base != "readFile" {
		return parseJSON(ev, string(b))
	}
	return string(b)
}

func (l *lang) stats(ev *eval, n *native, name string) val {
	list := l.paths(n.Recv)
	if len(list) != 1 || !list[0].Known {
		return script.NewUnk()
	}
	if exists, known := l.present(ev, n.Recv); !known || !exists {
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
		if len(parts) > 12 || a.Open {
			parts = append(append([]val(nil), parts[:min(12, len(parts))]...), script.NewUnk())
		}
		var joined val = ""
		for _, p := range parts {
			joined = l.joinPath(joined, p, name == "resolve")
		}
		for _, t := range script.Values(joined) {
			text := clean(t.Text)
			if name == "resolve" {
				text = l.absolute(t.Text)
				if t.Text == "" {
					text = l.dir
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

func (l *lang) joinPath(before, p val, absolute bool) val {
	var r val
	for _, b := range script.Values(before) {
		for _, x := range script.Values(p) {
			t := x.Text
			switch {
			case b.Text == "" || absolute && strings.HasPrefix(t, "/"):
			case t == "":
				t = b.Text
			default:
				t = b.Text + "/" + t
			}
			r = script.Join(r, script.FromPattern(t))
		}
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
		return script.FromPattern(clean(s))
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
			if rest, ok := strings.CutPrefix(l.absolute(to), l.absolute(s)+"/"); ok {
				return rest
			}
		}
	}
	return script.NewUnk()
}
