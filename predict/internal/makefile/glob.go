package makefile

import (
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// glob lists what a file name pattern matches, sorted; nothing where nothing matches (manual, "Wildcards").
func (w *world) glob(p string) []string {
	p = expandHome(p, w.args.Env)
	if hasMark(p) || !strings.ContainsAny(p, "*?[") || len(p) > 4096 {
		if !hasMark(p) && w.exists(p) {
			return []string{p}
		}
		return nil
	}
	lead := ""
	if path.IsAbs(p) {
		lead = "/"
	}
	found := []string{lead}
	for _, seg := range strings.Split(strings.Trim(p, "/"), "/") {
		var next []string
		for _, dir := range found {
			next = append(next, w.globIn(dir, seg)...)
			if w.over() {
				return nil
			}
		}
		found = next
	}
	if strings.HasSuffix(p, "/") {
		for i := range found {
			found[i] += "/"
		}
	}
	return found
}

// globIn matches one segment of a pattern in one folder.
func (w *world) globIn(dir, seg string) []string {
	join := func(name string) string {
		if dir == "" || dir == "/" {
			return dir + name
		}
		return dir + "/" + name
	}
	if !strings.ContainsAny(seg, "*?[") {
		if w.exists(join(seg)) {
			return []string{join(seg)}
		}
		return nil
	}
	var out []string
	for _, name := range w.names(workspace.Join(w.dir, dir)) {
		if name[0] == '.' && seg[0] != '.' {
			continue
		}
		if !w.step(w.at, 1+len(seg)/16) {
			return nil
		}
		if matchName(seg, name) {
			out = append(out, join(name))
		}
	}
	return out
}

// names lists a folder once. A folder that cannot be listed is empty to make; a budget that is used up stops the plan.
func (w *world) names(dir string) []string {
	if v, ok := w.dirs[dir]; ok {
		return v
	}
	v, err := w.fs.Names(dir)
	if err != nil && w.fs.IsDir(dir) {
		w.stop(w.at, "a folder that the Makefile searches cannot be listed: "+err.Error())
	}
	w.dirs[dir] = v
	return v
}

// matchName is fnmatch(3) on one name, in time that is linear in both for each star.
func matchName(p, s string) bool {
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(s) {
		if i < len(p) && p[i] == '*' {
			star, mark = i, j
			i++
			continue
		}
		if n, ok := matchOne(p[i:], s[j]); ok {
			i += n
			j++
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		i, j = star+1, mark
	}
	return strings.Trim(p[i:], "*") == ""
}

// matchOne matches one character and gives the length of the pattern that was used.
func matchOne(p string, c byte) (int, bool) {
	if p == "" {
		return 0, false
	}
	switch p[0] {
	case '?':
		return 1, true
	case '\\':
		if len(p) > 1 {
			return 2, p[1] == c
		}
	case '[':
		end := strings.IndexByte(p[min(2, len(p)):], ']')
		if end < 0 {
			break
		}
		end += 2
		set := p[1:end]
		not := set[0] == '!' || set[0] == '^'
		if not {
			set = set[1:]
		}
		in := false
		for k := 0; k < len(set); k++ {
			if k+2 < len(set) && set[k+1] == '-' {
				in = in || set[k] <= c && c <= set[k+2]
				k += 2
			} else {
				in = in || set[k] == c
			}
		}
		return end + 1, in != not
	}
	return 1, p[0] == c
}

// globAll replaces the words that are patterns and match something.
func (w *world) globAll(v []string) []string {
	var out []string
	for i, s := range v {
		if !strings.ContainsAny(s, "*?[") {
			if out != nil {
				out = append(out, s)
			}
			continue
		}
		if out == nil {
			out = slices.Clone(v[:i])
		}
		if found := w.glob(s); len(found) > 0 {
			out = append(out, found...)
		} else {
			out = append(out, s)
		}
	}
	if out == nil {
		return v
	}
	return out
}

// wildcard is the function of that name. Once a recipe has run, files may exist that do not now: the pattern itself then
// stays beside what it matches, for the shell.
func (w *world) wildcard(patterns []string) string {
	var out []string
	for _, p := range patterns {
		if hasMark(p) {
			out = append(out, w.fresh("the files that match a pattern that is not known", "wildcard "+p))
			continue
		}
		found := w.glob(p)
		out = append(out, found...)
		switch {
		case !w.ran || slices.Contains(found, p):
		case strings.ContainsAny(p, "*?["):
			out = append(out, p)
		default:
			out = append(out, w.fresh("whether "+p+" exists after the recipes before", "exists "+p))
		}
	}
	return strings.Join(out, " ")
}
