package nodepkg

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// member is one package of a workspace.
type member struct {
	dir  string
	name string
	link string // name in node_modules of a linked folder that is no workspace; empty for a workspace
}

// errPattern is what a workspace pattern that is not understood gives.
var errPattern = errors.New("pattern is not understood")

// folders lists the folders below root that patterns name, in the order of the patterns. A pattern behind "!" takes away what
// matched (npm's @npmcli/map-workspaces; pnpm's find-packages). Folders named node_modules are never entered, nor, except
// where the pattern writes the dot, hidden ones.
func (p *plan) folders(root string, patterns []string) ([]string, error) {
	var list, not []string
	for _, pat := range patterns {
		bang := strings.TrimLeft(pat, "!")
		negated := (len(pat)-len(bang))%2 == 1
		pat = path.Clean(strings.TrimLeft(strings.TrimPrefix(strings.ReplaceAll(bang, `\`, "/"), "./"), "/"))
		if strings.ContainsAny(pat, "()") || !doublestar.ValidatePattern(pat) {
			return nil, fmt.Errorf("workspace %w: %q", errPattern, pat)
		}
		if negated {
			not = append(not, pat)
			continue
		}
		// A later pattern takes back an earlier negation of itself.
		not = slices.DeleteFunc(not, func(n string) bool { return doublestar.MatchUnvalidated(n, pat) })
		if err := p.walk(root, "", strings.Split(pat, "/"), pat, &list); err != nil {
			return nil, err
		}
	}
	out := list[:0]
	seen := map[string]bool{}
	for _, dir := range list {
		if !seen[dir] && !slices.ContainsFunc(not, func(n string) bool { return doublestar.MatchUnvalidated(n, dir) }) {
			seen[dir] = true
			out = append(out, dir)
		}
	}
	return out, nil
}

// walk follows one pattern segment by segment, so that only folders that can match are listed.
func (p *plan) walk(root, at string, segs []string, whole string, out *[]string) error {
	dir := path.Join(root, at)
	if len(segs) == 0 {
		if p.fs.IsDir(dir) {
			*out = append(*out, at)
		}
		return nil
	}
	seg, braces := segs[0], strings.Contains(whole, "{") && strings.Contains(strings.Join(segs, "/"), "{")
	if !braces && !strings.ContainsAny(seg, "*?[") {
		if seg == "node_modules" {
			return nil
		}
		return p.walk(root, path.Join(at, seg), segs[1:], whole, out)
	}
	names, err := p.fs.Names(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || !p.fs.IsDir(dir) {
			return nil
		}
		return err
	}
	deep := seg == "**" || braces
	if deep {
		if match, _ := doublestar.Match(whole, at); at != "" && match {
			*out = append(*out, at)
		}
	}
	for _, name := range names {
		if name == "node_modules" || strings.HasPrefix(name, ".") && !strings.HasPrefix(seg, ".") {
			continue
		}
		if !deep {
			if match, _ := doublestar.Match(seg, name); !match {
				continue
			}
		}
		child := path.Join(dir, name)
		if info, err := p.fs.Lstat(child); err != nil || !info.IsDir() && (deep || !p.fs.IsDir(child)) {
			continue // ** does not follow links
		}
		rest := segs[1:]
		if deep {
			rest = segs
		}
		if err := p.walk(root, path.Join(at, name), rest, whole, out); err != nil {
			return err
		}
	}
	return nil
}

// members are the packages of a workspace root, by its manifest's "workspaces". What cannot be told is an unknown.
func (p *plan) members(root *manifest) []member {
	if root == nil || len(root.workspaces) == 0 {
		return nil
	}
	return p.packagesIn(root.dir, root.workspaces, effect.Source{File: root.file.Path, Line: 1, SHA256: root.file.SHA256, Rule: "node/workspaces"})
}

func (p *plan) packagesIn(root string, patterns []string, from effect.Source) []member {
	dirs, err := p.folders(root, patterns)
	if err != nil {
		p.unknown(from, fmt.Sprintf("the workspaces cannot all be found: %v", err), anything...)
		return nil
	}
	var list []member
	for _, d := range dirs {
		dir := path.Join(root, d)
		m := p.manifest(dir)
		if m == nil {
			continue
		}
		name := m.name
		if name == "" {
			name = path.Base(dir)
		}
		list = append(list, member{dir: dir, name: name})
	}
	return list
}

// selected gives the members that a list of --workspace values names: a name, a path, or a folder of packages
// (npm's lib/utils/get-workspaces.js). Values are relative to cwd, or else to root.
func selected(all []member, values []string, root, cwd string) []member {
	var list []member
	for _, v := range values {
		for _, m := range all {
			dir := workspace.Join(cwd, v)
			byRoot := workspace.Join(root, v)
			if v == m.name || dir == m.dir || byRoot == m.dir || path.Dir(m.dir) == dir || path.Dir(m.dir) == byRoot {
				if !slices.Contains(list, m) {
					list = append(list, m)
				}
			}
		}
	}
	return list
}
