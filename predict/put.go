package predict

import (
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/model"
)

// put does the verbs for targets of cp, mv, ln and their like: the word is written, or where it is a folder, the file of each
// source's name in it. What was there before is reachable by the new name: of a source that gets a second name (a hard link, a
// bind mount) also the source counts as written, as nothing else shows it when the other name is used.
func (e *engine) put(f *frame, v *invocation, s model.Step, w word, src effect.Source) {
	if s.Verb == "bind" {
		e.bind(f, v, s, w, src)
		return
	}
	sources, folder := v.sources(s)
	for _, from := range sources {
		for _, to := range e.landings(f, v, w, from, folder) {
			e.putOne(f, v, s.Verb, from, to, src)
		}
	}
	if len(sources) == 0 {
		e.write(f, w, s.Verb == "put-tree", src)
	}
}

// bind makes a folder visible at another place. As an option of a program that shows it to one command alone (bwrap), it changes
// nothing for others.
func (e *engine) bind(f *frame, v *invocation, s model.Step, w word, src effect.Source) {
	if s.Arg == "" && s.Index > 0 && slices.ContainsFunc(v.match.Opts, func(o model.Opt) bool { return o.Index == s.Index }) {
		e.link(f, w, f.abs(v.args[s.Index].text), false)
		return
	}
	e.write(f, w, true, src)
	sources, _ := v.sources(s)
	for _, from := range sources {
		e.secondName(f, from, true, src)
		e.link(f, w, f.abs(from.text), false)
	}
}

// sources are what a target's step puts there, and whether the target must be a folder.
func (v *invocation) sources(s model.Step) (ws []word, folder bool) {
	for _, o := range v.match.Operands {
		if s.Arg == "" && o.Index == s.Index {
			break
		}
		ws = append(ws, v.word(o.Text, o.Index))
	}
	return ws, s.Arg != "" || len(ws) > 1
}

// landings are the places at which a source may come to lie.
func (e *engine) landings(f *frame, v *invocation, w, from word, folder bool) []word {
	if !w.known() || v.match.Has("-T --no-target-directory") {
		return []word{w}
	}
	inside := inFolder(w, from)
	if folder || strings.HasSuffix(w.text, "/") {
		return []word{inside}
	}
	p := filePath(e.place(f, w, false, true))
	_, made := e.changeOf(p, false, 0)
	switch {
	case made, e.isDir(p) && v.match.Has("-n --no-dereference") && e.isLink(f, w):
		return []word{w, inside} // a file or a folder, as the action has made it; a link to a folder, which -n takes for a file
	case e.isDir(p):
		return []word{inside}
	}
	return []word{w}
}

// inFolder is a source's place in a folder.
func inFolder(dir, from word) word {
	base := path.Base(from.text)
	if i := strings.LastIndexByte(from.text, '/'); strings.ContainsAny(from.text[i+1:], "*?[") || strings.Contains(from.text[i+1:], hole) {
		base = hole // a pattern that fits nothing yet may fit something when the command runs
	}
	if base == "." || base == ".." || base == "/" {
		return dir // its contents
	}
	return word{text: strings.TrimSuffix(dir.text, "/") + "/" + base, data: joined(dir.data, from.data), quoted: true}
}

func (e *engine) putOne(f *frame, v *invocation, verb string, from, to word, src effect.Source) {
	tree := from.known() && e.folder(f, from)
	switch verb {
	case "put":
		e.write(f, to, tree && path.Base(from.text) == ".", src)
		if v.match.Has("-P --no-dereference -d") {
			e.movedTo(f, from, to)
		}
	case "put-tree":
		e.write(f, to, tree || !from.known(), src)
		e.movedTo(f, from, to)
	case "put-moved": // a link is moved, and replaced, as it is: rename(2)
		e.writeAt(f, to, e.folder(f, from), false, src)
		e.movedTo(f, from, to)
	case "put-link":
		target := f.abs(from.text)
		if v.name == "ln" || v.name == "gln" {
			if !v.match.Has("-r --relative") {
				target = from.text
			}
		}
		e.writeAt(f, to, !e.fs.IsFile(e.linkTarget(f, to, target)), false, src)
		e.link(f, to, target, false)
	case "put-hard":
		e.writeAt(f, to, tree, false, src)
		e.secondName(f, from, tree, src)
		e.movedTo(f, from, to) // a link itself may be what gets the second name
	}
}

// movedTo remembers that what lies at a place was moved or copied there, links as links: what counts is a link that leads elsewhere.
func (e *engine) movedTo(f *frame, from, to word) {
	if from.known() && (e.isLink(f, from) || e.folder(f, from)) {
		e.link(f, to, f.abs(from.text), true)
	}
}

// linkTarget is the path that a link's text leads to; the text itself where part of it is not known.
func (e *engine) linkTarget(f *frame, at word, text string) string {
	if path.IsAbs(text) || strings.Contains(text, hole) {
		return text
	}
	return filePath(e.place(f, word{text: path.Dir(at.text) + "/" + text}, false, true))
}

func (e *engine) isLink(f *frame, w word) bool {
	return w.known() && !slices.Equal(e.places(f, w, false, true), e.places(f, w, false, false))
}

// secondName notes what it means that a file gets another name: whoever uses that name reads and writes this file. Nothing of
// its contents has changed so far.
func (e *engine) secondName(f *frame, w word, tree bool, src effect.Source) {
	outer := e.changes.mute
	e.changes.mute = true
	defer func() { e.changes.mute = outer }()
	e.read(f, w, tree, src)
	e.write(f, w, tree, src)
}
