package makefile

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// shell is $(shell) and `!=`: the command runs while make reads, also under -n, and its output is known only where it
// follows from what can be seen without running it.
func (w *world) shell(text string) string {
	if w.over() {
		return ""
	}
	if trim(text) == "" {
		return ""
	}
	j := source.Job{Dir: w.dir, Label: "$(shell) in the Makefile", From: w.at.source("make/shell"), Fields: map[string]string{"MAKELEVEL": "1"}}
	w.setCommand(&j, text, nil)
	w.job(j)
	if out, ok := w.output(text); ok && j.Shell != "" && !w.pathChanged() {
		return out
	}
	if !harmless(text) {
		w.shellRan = true
	}
	return w.fresh("$("+"shell "+short(w.plain(text))+")", "shell "+text)
}

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "..."
	}
	return s
}

// pathChanged tells whether the makefile chose where programs are found: then no program is what its name says.
func (w *world) pathChanged() bool {
	v := w.globals["PATH"]
	return v != nil && v.origin != byEnv
}

// output computes what a few commands print that depend only on their arguments, the files of the workspace and the
// machine. A command with anything but words, simple quotes and the discarding of errors is not computed.
func (w *world) output(text string) (string, bool) {
	v, ok := simpleCommand(strings.TrimSuffix(trim(text), "2>/dev/null"))
	if !ok || len(v) == 0 {
		return "", false
	}
	if v[0].globs && v[0].text != "[" {
		return "", false
	}
	if v[0].text == "find" && !w.shellRan {
		return w.find(v[1:])
	}
	args := make([]string, 0, len(v))
	for _, a := range v[1:] {
		if a.globs && v[0].text != "test" && v[0].text != "[" {
			return "", false
		}
		args = append(args, a.text)
	}
	flag := len(args) > 0 && strings.HasPrefix(args[0], "-")
	switch v[0].text {
	case "pwd":
		return w.dir, len(args) == 0
	case "echo":
		return strings.Join(args, " "), !flag
	case "uname":
		return w.uname(args)
	case "cat":
		return w.cat(args)
	case "basename":
		if len(args) == 1 || len(args) == 2 {
			b := path.Base(args[0])
			if len(args) == 2 && b != args[1] {
				b = strings.TrimSuffix(b, args[1])
			}
			return b, !flag
		}
	case "dirname":
		if len(args) == 1 {
			return path.Dir(strings.TrimRight(args[0], "/")), !flag && strings.Trim(args[0], "/") != ""
		}
	case "mkdir", "touch", "rm", "rmdir", "cp", "mv", "ln", "chmod", "test", "[", "true", ":":
		for _, a := range args {
			if strings.HasPrefix(a, "-") && strings.Contains(a, "v") {
				return "", false // verbose
			}
		}
		return "", true
	}
	return "", false
}

// shellWord is a word of a simple command without its quotes. globs tells whether it held a wildcard outside of them.
type shellWord struct {
	text  string
	globs bool
}

// simpleCommand takes a command apart that needs no shell; ok is false for all others.
func simpleCommand(s string) (v []shellWord, ok bool) {
	if strings.ContainsAny(s, "\x00|&;<>()$`\\{}~#\n!=%") {
		return nil, false
	}
	var cur shellWord
	in := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isSpace(c):
			if in {
				v = append(v, cur)
			}
			cur, in = shellWord{}, false
		case c == '\'' || c == '"':
			j := strings.IndexByte(s[i+1:], c)
			if j < 0 {
				return nil, false
			}
			cur.text += s[i+1 : i+1+j]
			in = true
			i += j + 1
		default:
			cur.globs = cur.globs || strings.IndexByte("*?[]", c) >= 0
			cur.text += string(c)
			in = true
		}
	}
	if in {
		v = append(v, cur)
	}
	return v, true
}

func (w *world) uname(args []string) (string, bool) {
	system, machine := w.args.uname()
	flag := "-s"
	if len(args) == 1 {
		flag = args[0]
	}
	switch {
	case len(args) > 1:
	case flag == "-s":
		return system, system != ""
	case flag == "-m":
		return machine, machine != ""
	}
	return "", false
}

// cat gives the files joined, their white space as $(shell) makes it. A command that ran before may have changed them.
func (w *world) cat(args []string) (string, bool) {
	var out []string
	for _, name := range args {
		if strings.HasPrefix(name, "-") || w.shellRan || w.ran {
			return "", false
		}
		f, err := w.fs.Read(workspace.Join(w.dir, name))
		if err != nil || len(f.Data) > 64<<10 || !w.spend(w.at, len(f.Data)) {
			return "", false
		}
		out = append(out, words(strings.ReplaceAll(string(f.Data), "\x00", ""))...)
	}
	return strings.Join(out, " "), len(args) > 0
}

// maxFound is how many folder entries one find looks at; beyond it the output is not known.
const maxFound = 5000

// find lists the files of `find DIR... [-type f|d] [-name PATTERN] [-maxdepth N]`, each file that all tests hold for.
func (w *world) find(args []shellWord) (string, bool) {
	f := finder{world: w, depth: 64, left: maxFound}
	var dirs []string
	for len(args) > 0 && !strings.HasPrefix(args[0].text, "-") {
		if args[0].globs {
			return "", false
		}
		dirs, args = append(dirs, args[0].text), args[1:]
	}
	if len(dirs) == 0 || len(args)%2 != 0 {
		return "", false
	}
	for ; len(args) > 0; args = args[2:] {
		value := args[1].text
		switch args[0].text {
		case "-type":
			f.kind = value
			if value != "f" && value != "d" {
				return "", false
			}
		case "-name":
			if args[1].globs {
				return "", false // the shell expands it first
			}
			f.patterns = append(f.patterns, value)
		case "-maxdepth":
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 {
				return "", false
			}
			f.depth = min(n, f.depth)
		default:
			return "", false
		}
	}
	for _, d := range dirs {
		if !f.walk(d, 0) {
			return "", false
		}
	}
	return strings.Join(f.out, " "), true
}

type finder struct {
	*world
	kind     string
	patterns []string
	depth    int
	left     int
	out      []string
}

// walk tells whether all of a tree was seen.
func (f *finder) walk(name string, depth int) bool {
	info, err := f.fs.Lstat(workspace.Join(f.dir, name))
	if err != nil || !f.step(f.at, 1) {
		return depth == 0 && errors.Is(err, fs.ErrNotExist)
	}
	fits := f.kind == "" || f.kind == "d" && info.IsDir() || f.kind == "f" && info.Mode().IsRegular()
	for _, p := range f.patterns {
		fits = fits && matchName(p, path.Base(name))
	}
	if fits {
		f.out = append(f.out, name)
	}
	if !info.IsDir() || depth == f.depth {
		return true
	}
	if depth > 60 {
		return false
	}
	names, err := f.fs.Names(workspace.Join(f.dir, name))
	if err != nil {
		return false
	}
	if f.left -= len(names); f.left < 0 {
		return false
	}
	for _, n := range names {
		if !f.walk(strings.TrimSuffix(name, "/")+"/"+n, depth+1) {
			return false
		}
	}
	return true
}
