package script

import (
	"path"
	"strings"
)

// Place knows where relative paths lead, and which paths the program has changed.
type Place struct {
	Dir     string   // working directory, "" when it is not known
	touched []string // what the program writes or deletes: whether it is there is open
}

// Abs makes a relative path absolute where the working directory is known.
func (p *Place) Abs(text string) string {
	if text == "" || text[0] == '/' || text[0] == '~' || strings.HasPrefix(text, Hole) || p.Dir == "" {
		return CleanPath(text)
	}
	return CleanPath(p.Dir + "/" + text)
}

// Paths are the absolute paths that v may be; numbers are open descriptors, not paths.
func (p *Place) Paths(v Val) []Value {
	var keep Val
	for _, a := range Alts(v) {
		if _, number := a.(float64); !number {
			keep = Join(keep, a)
		}
	}
	if keep == nil {
		return nil
	}
	list := Values(keep)
	for i := range list {
		text := list[i].Text
		if rest, ok := strings.CutPrefix(text, "file://"); ok {
			text = strings.ReplaceAll(rest, "%20", " ")
		}
		list[i] = Pattern(p.Abs(text))
	}
	return list
}

// reached is Paths for what the kernel makes of them: ".." behind a symbolic link leaves the folder that the link leads to
// (path_resolution(7)), where cleaning the text would leave the link's own.
func (p *Place) reached(ev *Eval, v Val) []Value {
	list := p.Paths(v)
	for i, raw := range Values(v) {
		text := raw.Text
		if len(list) != len(Values(v)) || !raw.Known || !strings.Contains(text+"/", "/../") || p.Dir == "" && !strings.HasPrefix(text, "/") {
			continue
		}
		if !strings.HasPrefix(text, "/") {
			text = p.Dir + "/" + text
		}
		dir, base := path.Split(text)
		if base == "" || base == "." || base == ".." {
			dir, base = text, ""
		}
		list[i] = Known(path.Join(ev.FS.Real(strings.TrimSuffix(dir, "/")), base))
	}
	return list
}

// Present tells whether a path is there at the start; known is false where the program may
// have changed it.
func (p *Place) Present(ev *Eval, v Val) (exists, known bool) {
	list := p.Paths(v)
	if len(list) == 0 {
		return false, false
	}
	for i, x := range list {
		if !x.Known || !strings.HasPrefix(x.Text, "/") {
			return false, false
		}
		for _, t := range p.touched {
			if strings.HasPrefix(x.Text, t) || strings.HasPrefix(t, x.Text+"/") {
				return false, false
			}
		}
		e := ev.FS.Exists(x.Text)
		if i > 0 && e != exists {
			return false, false
		}
		exists = e
	}
	return exists, true
}

// Effect reports a file that is read, written or deleted. A read of a path of which nothing
// is known is not reported: it says nothing.
func (p *Place) Effect(ev *Eval, rule, access string, v Val) { p.effect(ev, rule, access, v, false) }

// Tree is Effect for all below a folder.
func (p *Place) Tree(ev *Eval, rule, access string, v Val) { p.effect(ev, rule, access, v, true) }

func (p *Place) effect(ev *Eval, rule, access string, v Val, tree bool) {
	for _, x := range p.reached(ev, v) {
		if x.Text == "" {
			continue
		}
		if access == "read" && !x.Known && strings.Trim(x.Prefix, "/.") == "" {
			continue
		}
		if access != "read" && len(p.touched) < 1000 {
			p.touched = append(p.touched, x.Prefix)
		}
		ev.Emit(Finding{Kind: Effect, Rule: rule, Class: "file", Access: access, Target: x, Tree: tree})
	}
}

// Link reports a symbolic link that is made at a path. What it leads to is as it is written: relative to the link's folder.
func (p *Place) Link(ev *Eval, rule string, at, to Val) {
	for _, x := range p.Paths(at) {
		for _, target := range Values(to) {
			if x.Text == "" || target.Text == "" {
				continue
			}
			if len(p.touched) < 1000 {
				p.touched = append(p.touched, x.Prefix)
			}
			ev.Emit(Finding{Kind: Effect, Rule: rule, Class: "file", Access: "write", Target: x, Link: &target})
		}
	}
}

// HardLink reports a second name for a file. Whoever uses it changes the file, so the file counts as written.
func (p *Place) HardLink(ev *Eval, rule string, at, to Val) {
	p.Effect(ev, rule, "write", at)
	p.Effect(ev, rule, "write", to)
}

// Moved reports a file or folder that gets another name. A link that is moved leads where it led before.
func (p *Place) Moved(ev *Eval, rule string, from, to Val) {
	p.Effect(ev, rule, "delete", from)
	link, tree := false, false
	for _, x := range p.Paths(from) {
		tree = tree || x.Known && strings.HasPrefix(x.Text, "/") && ev.FS.IsDir(x.Text)
		if real := ev.FS.Real(x.Text); x.Known && real != x.Text && strings.HasPrefix(x.Text, "/") {
			p.Link(ev, rule, to, real)
			link = true
		}
	}
	if !link {
		p.effect(ev, rule, "write", to, tree)
	}
}

// Into is the path at which a copy comes to lie, where the target may be a folder that is there: shutil.copy(file, folder).
func (p *Place) Into(ev *Eval, from, to Val) Val {
	dirs, files := p.Paths(to), p.Paths(from)
	if len(dirs) != 1 || !dirs[0].Known || !strings.HasPrefix(dirs[0].Text, "/") || !ev.FS.IsDir(dirs[0].Text) {
		return to
	}
	var r Val
	for _, f := range files {
		base := Hole
		if i := strings.LastIndexByte(f.Text, '/'); f.Known {
			base = f.Text[i+1:]
		}
		r = Join(r, FromPattern(dirs[0].Text+"/"+base))
	}
	return r
}

// Contents is the text of a file that is there from the start, where it may matter to what
// the program does: configuration, not data.
func (p *Place) Contents(ev *Eval, v Val) (string, bool) {
	const most = 256 << 10
	list := p.Paths(v)
	if len(list) != 1 || !list[0].Known || ev.OverBudget() {
		return "", false
	}
	switch path.Ext(list[0].Text) {
	case ".json", ".txt", ".yml", ".yaml", ".js", ".py", ".toml", "", ".cfg", ".ini", ".md", ".version":
	default:
		return "", false
	}
	if exists, known := p.Present(ev, v); !known || !exists || ev.FS.IsDir(list[0].Text) {
		return "", false
	}
	b, err := ev.ReadSource(list[0].Text)
	if err != nil || len(b) > most || strings.Contains(string(b), Hole) {
		return "", false
	}
	return string(b), true
}

// CleanPath is path.Clean for texts with holes: what follows ".." behind a hole is unknown.
func CleanPath(p string) string {
	i := strings.Index(p, Hole)
	if i < 0 {
		if p == "" {
			return ""
		}
		return path.Clean(p)
	}
	if strings.Contains(p[i:], "..") {
		return cleanPrefix(p[:i]) + Hole
	}
	return cleanPrefix(p[:i]) + p[i:]
}

// cleanPrefix cleans what stands before a hole and keeps its closing slash.
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

// JoinPath joins path elements; with restart an absolute element drops what is before it.
func JoinPath(restart bool, parts ...Val) Val {
	const most = 12
	var joined Val = ""
	for i, p := range parts {
		if i == most {
			p = NewUnk()
		} else if i > most {
			break
		}
		var r Val
		for _, b := range Values(joined) {
			for _, x := range Values(p) {
				t := x.Text
				switch {
				case b.Text == "" || restart && strings.HasPrefix(t, "/"):
				case t == "":
					t = b.Text
				default:
					t = strings.TrimSuffix(b.Text, "/") + "/" + t
				}
				r = Join(r, FromPattern(t))
			}
		}
		joined = r
	}
	return joined
}

// maxNames bounds the folders whose entries are followed one by one.
const maxNames = 200

// List are the entries of a folder as it is at the start; false where that is not known.
func (p *Place) List(ev *Eval, dir Val) ([]string, bool) {
	lister, ok := ev.FS.(Lister)
	list := p.Paths(dir)
	if !ok || len(list) != 1 || !list[0].Known || !strings.HasPrefix(list[0].Text, "/") {
		return nil, false
	}
	for _, t := range p.touched {
		if strings.HasPrefix(t, list[0].Text) || strings.HasPrefix(list[0].Text, t) {
			return nil, false
		}
	}
	names, err := lister.Names(list[0].Text)
	if err != nil || len(names) > maxNames {
		return nil, false
	}
	ev.Charge(32 * len(names))
	return names, true
}
