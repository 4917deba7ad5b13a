// Package scripttest holds what the tests of the script scanners share: files in memory and
// a short form of findings. It refuses to be used outside tests.
package scripttest

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// Tree is a file system in memory: absolute path to text.
type Tree map[string]string

func (t Tree) Read(p string) ([]byte, error) {
	if s, ok := t[p]; ok {
		return []byte(s), nil
	}
	return nil, errors.New("no such file: " + p)
}

func (t Tree) Exists(p string) bool { _, ok := t[p]; return ok || t.IsDir(p) }

func (t Tree) IsDir(p string) bool {
	for name := range t {
		if strings.HasPrefix(name, strings.TrimSuffix(p, "/")+"/") {
			return true
		}
	}
	return false
}

// Names lists a folder.
func (t Tree) Names(dir string) ([]string, error) {
	if !t.IsDir(dir) {
		return nil, errors.New("no such folder: " + dir)
	}
	seen := map[string]bool{}
	for p := range t {
		if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/"); ok {
			name, _, _ := strings.Cut(rest, "/")
			seen[name] = true
		}
	}
	return slices.Sorted(maps.Keys(seen)), nil
}

func (t Tree) Real(p string) string { return path.Clean(p) }

// Describe writes a finding as "line kind what", with ? where it may not happen and ! where
// it happens after a failure. Unknown parts of texts are written as *.
func Describe(f script.Finding) string {
	s := fmt.Sprintf("%d %s ", f.Line, f.Kind)
	text := func(v script.Value) string { return strings.ReplaceAll(v.Text, script.Hole, "*") }
	switch f.Kind {
	case script.Effect:
		s += f.Class + "." + f.Access + " " + text(f.Target)
	case script.Exec, script.Script:
		var a []string
		for _, v := range f.Argv {
			a = append(a, text(v))
		}
		s += strings.Join(a, " ")
	case script.Unknown:
		s += f.Why
	default:
		s += text(f.Target)
	}
	if f.OnError {
		s += " !"
	} else if f.Maybe {
		s += " ?"
	}
	return s
}

// Findings describes all findings but imports.
func Findings(list []script.FileFindings) []string {
	var out []string
	for _, ff := range list {
		for _, f := range ff.Findings {
			if f.Kind != script.Import {
				out = append(out, Describe(f))
			}
		}
	}
	return out
}

// Options are those of a run of src in /w with home /home/u, one argument "init", and an
// environment where SET is "1", UNSET is not set, and nothing else is known.
func Options(src string) script.Options {
	return script.Options{
		Source: []byte(src), Dir: "/w", Home: "/home/u", Args: []string{"init"},
		Env: func(name string) script.Var {
			switch name {
			case "SET":
				return script.Var{Value: "1", Set: true, Known: true}
			case "UNSET":
				return script.Var{Known: true}
			}
			return script.Var{}
		},
	}
}
