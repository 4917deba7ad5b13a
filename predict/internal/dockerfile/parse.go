package dockerfile

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Limits of one file. Real Dockerfiles stay a factor of ten below.
const (
	maxInstructions = 5000
	maxStages       = 300
	maxText         = 1 << 20 // bytes of one logical line
	maxValue        = 64 << 10
)

// file is a Dockerfile taken apart into instructions.
type file struct {
	instructions []instruction
	syntax       string // image of the frontend that the file asks for
	syntaxLine   int
	escape       byte
	cut          string // why the rest was not read; empty: all was
	cutLine      int
}

// instruction is one logical line.
type instruction struct {
	name  string   // upper case
	flags []string // leading --name or --name=value words
	args  string   // the rest: continued lines joined
	lined string   // the same with the line breaks kept as shell continuations, where that means the same
	exec  []string // the JSON form, where args is one
	docs  []heredoc
	line  int
}

// heredoc is a here-document of RUN, COPY or ADD.
type heredoc struct {
	name   string
	text   string
	expand bool // its delimiter is not quoted
	line   int  // of its first line
}

// parse reads a file (Dockerfile reference, "Format" and "Parser directives"). It never fails: what is no instruction is
// left to the caller, and a limit is noted.
func parse(data []byte) file {
	f := file{escape: '\\'}
	l := &lines{data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), n: 1}
	f.directives(l)
	for {
		if len(f.instructions) == maxInstructions {
			f.cut, f.cutLine = "the Dockerfile has more instructions than are followed", l.n
			return f
		}
		in, ok := f.instruction(l)
		if !ok {
			return f
		}
		f.instructions = append(f.instructions, in)
	}
}

// lines hands out physical lines without their ends.
type lines struct {
	data []byte
	n    int // number of the next line
}

func (l *lines) next() (string, bool) {
	if len(l.data) == 0 {
		return "", false
	}
	raw, rest, _ := bytes.Cut(l.data, []byte{'\n'})
	l.data = rest
	l.n++
	return string(bytes.TrimSuffix(raw, []byte{'\r'})), true
}

// directives reads the `# name=value` comments at the top, up to the first line that is none.
func (f *file) directives(l *lines) {
	for {
		save := *l
		s, ok := l.next()
		if !ok {
			return
		}
		text, isComment := strings.CutPrefix(strings.TrimSpace(s), "#")
		if strings.HasPrefix(text, "!") && save.n == 1 && isComment {
			continue // a #! line may come first
		}
		name, value, isPair := strings.Cut(text, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if !isComment || !isPair || strings.ContainsAny(name, " \t") {
			*l = save
			return
		}
		switch value = strings.TrimSpace(value); name {
		case "escape":
			if value == "`" {
				f.escape = '`'
			}
		case "syntax":
			f.syntax, f.syntaxLine = value, save.n
		}
	}
}

// instruction reads the next logical line: comments and empty lines are dropped, also between continued lines.
func (f *file) instruction(l *lines) (instruction, bool) {
	var joined, kept strings.Builder
	in := instruction{}
	for {
		n := l.n
		s, ok := l.next()
		if !ok {
			break
		}
		if t := strings.TrimSpace(s); t == "" || t[0] == '#' {
			if in.line > 0 {
				kept.WriteString("\\\n")
			}
			continue
		}
		if in.line == 0 {
			in.line = n
			s = strings.TrimLeft(s, " \t")
		}
		body, more := f.continued(s)
		joined.WriteString(body)
		kept.WriteString(body)
		if !more {
			break
		}
		if joined.Len() > maxText {
			f.cut, f.cutLine, l.data = "a line of the Dockerfile is longer than is followed", n, nil
			break
		}
		kept.WriteString("\\\n")
	}
	if in.line == 0 {
		return in, false
	}
	in.take(joined.String(), strings.TrimSuffix(kept.String(), "\\\n"))
	if in.name == "RUN" || in.name == "COPY" || in.name == "ADD" {
		in.heredocs(f, l)
	}
	return in, true
}

// continued tells whether a line ends in the escape character, and gives the line without it.
func (f *file) continued(s string) (string, bool) {
	t := strings.TrimRight(s, " \t")
	if t == "" || t[len(t)-1] != f.escape {
		return s, false
	}
	return t[:len(t)-1], true
}

// take splits a logical line into name, flags and arguments.
func (in *instruction) take(joined, kept string) {
	name, rest := cutWord(joined)
	in.name = strings.ToUpper(name)
	in.args = rest
	_, in.lined = cutWord(kept)
	if in.name == "ONBUILD" {
		return
	}
	for strings.HasPrefix(in.args, "--") {
		var flag string
		flag, in.args = cutWord(in.args)
		lined, same := strings.CutPrefix(strings.TrimLeft(in.lined, " \t\\\n"), flag)
		in.lined = ""
		if same {
			in.lined = strings.TrimLeft(lined, " \t")
		}
		if flag == "--" {
			break
		}
		in.flags = append(in.flags, flag)
	}
	if strings.HasPrefix(in.args, "[") && json.Unmarshal([]byte(in.args), &in.exec) != nil {
		in.exec = nil
	}
	if strings.Contains(in.args, "'") {
		in.lined = "" // a continuation inside single quotes is text to the shell
	}
}

// flag gives the value of --name=value.
func (in *instruction) flag(name string) string {
	for _, f := range in.flags {
		if v, ok := strings.CutPrefix(f, "--"+name+"="); ok {
			return v
		}
	}
	return ""
}

// mounts gives the settings of every --mount of a RUN.
func (in *instruction) mounts() []map[string]string {
	var out []map[string]string
	for _, f := range in.flags {
		text, ok := strings.CutPrefix(f, "--mount=")
		if !ok {
			continue
		}
		m := map[string]string{"type": "bind"}
		for _, kv := range strings.Split(text, ",") {
			k, v, _ := strings.Cut(kv, "=")
			m[strings.ToLower(strings.Trim(k, `"`))] = strings.Trim(v, `"`)
		}
		out = append(out, m)
	}
	return out
}

// heredocs reads the here-documents that the words of the line open, in order.
func (in *instruction) heredocs(f *file, l *lines) {
	for _, w := range strings.Fields(in.args) {
		w = strings.TrimLeft(w, "0123456789")
		name, ok := strings.CutPrefix(w, "<<")
		if !ok {
			continue
		}
		name, tabs := strings.CutPrefix(name, "-")
		bare := strings.Trim(name, `"'`)
		if bare == "" || strings.ContainsAny(bare, "<>()&|;$") || in.exec != nil {
			continue
		}
		d := heredoc{name: bare, expand: bare == name, line: l.n}
		var b strings.Builder
		for {
			s, ok := l.next()
			if !ok {
				break
			}
			if tabs {
				s = strings.TrimLeft(s, "\t")
			}
			if s == bare {
				break
			}
			if b.Len() > maxText {
				f.cut, f.cutLine, l.data = "a here-document of the Dockerfile is longer than is followed", l.n, nil
				break
			}
			b.WriteString(s + "\n")
		}
		d.text = b.String()
		in.docs = append(in.docs, d)
	}
}

func cutWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t\\\n")
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimLeft(s[i:], " \t")
}
