package predict

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/ambit-dev/ambit/effect"
)

// frame is the state in which shell text is analysed: what a shell process would know at this point.
type frame struct {
	dir        string // absolute; holds a hole where a cd could not be followed
	vars       map[string]variable
	fields     map[string]string // variables of the launcher's constant set, by value
	funcs      map[string]function
	aliases    map[string]word
	params     []word // $0, $1, ...
	openParams bool   // more positional parameters may follow
	path       []string

	view      effect.View
	names     effect.Class  // in the explicit view: the class that the approval names; others belong to the command view
	from      effect.Source // the file that the text stands in
	lineBase  int           // lines before the text in that file
	node      *Node
	comp      *component // of the command being analysed; nil between commands
	stdio     *component // what the surrounding pipeline or redirection connects to
	container string     // the image or stage whose engine runs this; empty: this machine
	depth     int
	ways      int // how many combinations of alternatives this command is one of

	out    *word           // standard output, while a substitution collects it
	args   []word          // what follows program text on a command line or a "-": the program\'s arguments, behind its name
	in     *stdin          // standard input as far as it is known
	fds    map[string]word // files that are open for reading, by the number of their descriptor; never changed in place
	root   string          // the root that the process was given, "" for the machine's own
	ended  bool            // exit, return or exec was reached: what follows in this list does not run
	traps  []trap
	calls  []string // functions being called, against recursion
	drops  []string // classes ("network") and kinds ("file.write") that an option took away
	server bool     // the programs up to the first script are an MCP server, which its client starts
}

type function struct {
	body *syntax.Stmt
	from effect.Source
	base int
	or   *function // what it may be instead, where only one of several ways defines it so
}

// open remembers the file that a descriptor is open for: /dev/fd/N opens it anew, for writing too. No text: another file, which
// is of no interest or was noted.
func (f *frame) open(number string, w word) {
	if w.text == "" && f.fds[number].text == "" {
		return
	}
	if f.fds = maps.Clone(f.fds); f.fds == nil {
		f.fds = map[string]word{}
	}
	if w.text == "" {
		delete(f.fds, number)
		return
	}
	if !strings.HasPrefix(w.text, "/") && !strings.HasPrefix(w.text, hole) {
		w.text = f.abs(w.text)
	}
	f.fds[number] = w
}

// alias remembers a word that the shell replaces.
func (f *frame) alias(name string, text word) {
	f.aliases = maps.Clone(f.aliases)
	if f.aliases == nil {
		f.aliases = map[string]word{}
	}
	f.aliases[name] = text
}

// trap is text that the shell runs on a signal or at its end.
type trap struct {
	text word
	line int
}

// stdin is what a command reads as standard input: literal text from a here-document, or the output of a known command.
type stdin struct {
	text word
	line int           // where literal text stands in the file that is being analysed
	from effect.Source // the file that it was read from, if any
}

// fork is a copy that a subshell could change without being seen.
func (f *frame) fork() *frame {
	c := *f
	c.vars = maps.Clone(f.vars)
	c.funcs = maps.Clone(f.funcs)
	c.params = slices.Clone(f.params)
	c.ended = false
	return &c
}

// branch runs one of several ways that a command may go and joins the variables it leaves behind.
func (e *engine) branches(f *frame, ways ...func(*frame)) {
	before := f.fork()
	var ends []*frame
	for _, way := range ways {
		b := before.fork()
		b.node = f.node
		way(b)
		ends = append(ends, b)
	}
	f.merge(ends)
}

// merge joins what several ways left: a variable that differs has alternatives, a directory that differs is a hole.
func (f *frame) merge(ends []*frame) {
	live := slices.DeleteFunc(slices.Clone(ends), func(b *frame) bool { return b.ended })
	if len(live) == 0 {
		f.ended = true
		return
	}
	first := live[0]
	f.vars, f.funcs, f.dir, f.path, f.params = first.vars, first.funcs, first.dir, first.path, first.params
	for _, b := range live {
		if len(b.traps) > len(f.traps) {
			f.traps = b.traps
		}
	}
	for _, b := range live[1:] {
		if b.dir != f.dir {
			f.dir = hole
		}
		if !slices.Equal(b.path, f.path) {
			f.path = append(slices.Clone(b.path), f.path...)
		}
		for k, v := range b.funcs {
			if old, ok := f.funcs[k]; ok && old.body != v.body {
				v.or = &old
			}
			f.funcs[k] = v
		}
		for k, v := range b.aliases {
			f.alias(k, v)
		}
		for k, v := range b.vars {
			f.vars[k] = joinVariables(f.vars[k], v)
		}
	}
}

func joinVariables(a, b variable) variable {
	out := a
	out.exported = a.exported || b.exported
	out.told = a.told && b.told
	if a.array || b.array {
		if len(b.elems) > len(a.elems) {
			out.elems, out.array = b.elems, true
		}
		return out
	}
	out.vals = slices.Clone(a.vals)
	if len(out.vals) == 0 {
		out.vals = []word{{}} // the other way left it unset
	}
	for _, w := range b.vals {
		if !slices.ContainsFunc(out.vals, func(x word) bool { return x.text == w.text }) {
			out.vals = append(out.vals, w)
		}
	}
	if len(out.vals) > maxAlternatives {
		h := word{text: hole}
		for _, w := range out.vals {
			h.data = joined(h.data, w.data)
		}
		out.vals = []word{h}
	}
	return out
}

// set assigns a variable, keeping its export.
func (f *frame) set(name string, w word) {
	if name == "" {
		return
	}
	old := f.vars[name]
	f.vars[name] = variable{vals: []word{w}, exported: old.exported}
	if name == "PATH" {
		f.path = f.splitPath(w)
	}
}

func (f *frame) splitPath(w word) []string { return strings.Split(w.text, ":") }

// value gives a variable as handlers see it: set by the script, else from the launcher, else from the environment.
func (e *engine) envValue(f *frame) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if v, ok := f.vars[name]; ok && v.exported {
			w := v.one()
			return w.text, w.known()
		}
		if v, ok := f.fields[name]; ok {
			return v, true
		}
		v, ok := e.env[name]
		return v, ok
	}
}

// child is a node below the current one, and a frame that records there.
func (f *frame) child(title string, from effect.Source) *frame {
	c := *f
	c.node = &Node{Title: title, From: from}
	f.node.Children = append(f.node.Children, c.node)
	return &c
}
