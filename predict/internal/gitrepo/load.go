package gitrepo

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// RuleConfig names the rule of everything that a git setting says.
const RuleConfig = "git/config"

const (
	maxIncludes   = 10     // nesting, as in git's config.c
	maxAllFiles   = 1000   // files of settings in one load; includes can name the same file again and again
	maxAllEntries = 100000 // settings in one load
)

// load reads every scope in git's order (git-config(1), FILES). Conditions on remote URLs need the URLs first, so they take
// a second pass.
func (r *Repo) load() {
	l := loader{r: r}
	l.all()
	if l.wantsURLs {
		urls := l.entries
		r.Unknowns = nil
		l = loader{r: r, urls: urls, haveURLs: true}
		l.all()
	}
	r.Config = l.entries
}

type loader struct {
	r         *Repo
	entries   Config
	files     int
	wantsURLs bool
	haveURLs  bool
	urls      Config
}

func (l *loader) all() {
	r, env := l.r, l.r.Call.Env
	if v, ok := env["GIT_CONFIG_NOSYSTEM"]; !ok || !(Entry{Value: v, HasValue: true}).isTrue() {
		name := "/etc/gitconfig"
		if v, ok := env["GIT_CONFIG_SYSTEM"]; ok {
			name = v
		}
		l.file(System, name, 0)
	}
	if v, ok := env["GIT_CONFIG_GLOBAL"]; ok {
		l.file(Global, v, 0)
	} else {
		if x := env["XDG_CONFIG_HOME"]; x != "" {
			l.file(Global, x+"/git/config", 0)
		} else if r.Call.Home != "" {
			l.file(Global, r.Call.Home+"/.config/git/config", 0)
		}
		if r.Call.Home != "" {
			l.file(Global, r.Call.Home+"/.gitconfig", 0)
		}
	}
	if r.GitDir != "" {
		l.file(Local, r.CommonDir+"/config", 0)
		if l.entries.Bool("extensions.worktreeconfig", false) {
			l.file(Worktree, r.GitDir+"/config.worktree", 0)
		}
	}
	l.environment()
	for _, s := range r.Call.Config {
		l.add(Command, r.Call.Dir, "", 0, s)
	}
}

func (e Entry) isTrue() bool { v, ok := e.Bool(); return v && ok }

// file reads one file of settings and, at the place of each include, the included ones.
func (l *loader) file(scope Scope, name string, depth int) {
	if name == "" || name == "/dev/null" {
		return
	}
	name = workspace.Join(l.r.Call.Dir, name)
	from := effect.Source{File: name, Rule: RuleConfig}
	if l.files++; l.files > maxAllFiles {
		if l.files == maxAllFiles+1 {
			l.r.unknown(from, "git settings include too many files")
		}
		return
	}
	f, ok := l.r.read(name, RuleConfig)
	if !ok {
		return
	}
	from.SHA256 = f.SHA256
	entries, err := parseConfig(string(f.Data))
	if err != nil {
		from.File = f.Path
		l.r.unknown(from, f.Path+" is no valid git configuration: "+err.Error())
	}
	for _, e := range entries {
		e.From = effect.Source{File: f.Path, Line: e.From.Line, SHA256: f.SHA256, Rule: RuleConfig}
		l.add(scope, path.Dir(name), name, depth, e)
	}
}

// add takes one setting, and follows it where it includes a file. dir is what a relative path is relative to.
func (l *loader) add(scope Scope, dir, file string, depth int, e Entry) {
	if len(l.entries) >= maxAllEntries {
		return
	}
	e.Scope = scope
	l.entries = append(l.entries, e)
	section, cond, name := SplitKey(e.Key)
	if name != "path" || e.Value == "" || section != "include" && section != "includeif" || (section == "include") != (cond == "") {
		return
	}
	if section == "includeif" && !l.holds(cond, file) {
		return
	}
	if depth >= maxIncludes {
		l.r.unknown(e.From, "git settings include each other more than 10 deep")
		return
	}
	p, ok := l.r.Path(e.Value)
	if !ok {
		l.r.unknown(e.From, fmt.Sprintf("git settings include %q, whose place is not known", e.Value))
		return
	}
	l.file(scope, workspace.Join(dir, p), depth+1)
}

// holds evaluates the condition of an includeIf section (git-config(1), Conditional includes).
func (l *loader) holds(cond, file string) bool {
	kind, pattern, _ := strings.Cut(cond, ":")
	switch kind {
	case "gitdir", "gitdir/i":
		return l.r.GitDir != "" && l.gitdirMatches(pattern, file, kind == "gitdir/i")
	case "onbranch":
		if strings.HasSuffix(pattern, "/") {
			pattern += "**"
		}
		return l.r.Branch != "" && wildMatch(pattern, l.r.Branch, false)
	case "hasconfig":
		key, pattern, ok := strings.Cut(pattern, ":")
		if !ok || key != "remote.*.url" {
			return false
		}
		l.wantsURLs = true
		for _, e := range l.urls {
			if s, sub, name := SplitKey(e.Key); s == "remote" && sub != "" && name == "url" && wildMatch(pattern, e.Value, false) {
				return true
			}
		}
	}
	return false
}

func (l *loader) gitdirMatches(pattern, file string, fold bool) bool {
	prefix := ""
	switch {
	case strings.HasPrefix(pattern, "~/"):
		pattern = l.r.Call.Home + pattern[1:]
	case strings.HasPrefix(pattern, "./"):
		if file == "" {
			return false
		}
		prefix, pattern = path.Dir(file), pattern[1:]
	case !path.IsAbs(pattern):
		pattern = "**/" + pattern
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	seen := workspace.Join(l.r.Call.Dir, l.r.GitDir)
	for _, dir := range []string{seen, l.unresolvedGitDir()} {
		rest, ok := strings.CutPrefix(dir, prefix)
		if ok && dir != "" && wildMatch(pattern, rest, fold) {
			return true
		}
	}
	return false
}

// unresolvedGitDir is the repository's path by the directory as the call named it, which git tries too.
func (l *loader) unresolvedGitDir() string {
	dir := path.Clean(l.r.Call.Dir)
	real, err := l.r.FS.Resolve("/", dir, true)
	if err != nil || real == dir {
		return ""
	}
	for {
		if l.r.resolve("/", dir+"/.git") == l.r.GitDir {
			return dir + "/.git"
		}
		if dir == "/" {
			return ""
		}
		dir = path.Dir(dir)
	}
}

// environment reads GIT_CONFIG_COUNT and GIT_CONFIG_PARAMETERS.
func (l *loader) environment() {
	env := l.r.Call.Env
	if text := env["GIT_CONFIG_COUNT"]; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > maxAllEntries {
			l.r.unknown(effect.Source{Rule: RuleConfig}, "GIT_CONFIG_COUNT is not a number that can be read")
			n = 0
		}
		for i := range n {
			k, ok := canonicalKey(env["GIT_CONFIG_KEY_"+strconv.Itoa(i)])
			v, has := env["GIT_CONFIG_VALUE_"+strconv.Itoa(i)]
			if !ok || !has {
				l.r.unknown(effect.Source{Rule: RuleConfig}, fmt.Sprintf("GIT_CONFIG_KEY_%d or its value is missing or broken", i))
				return
			}
			l.add(Command, l.r.Call.Dir, "", 0, Entry{Key: k, Value: v, HasValue: true, From: effect.Source{Rule: RuleConfig}})
		}
	}
	for _, s := range splitParameters(env["GIT_CONFIG_PARAMETERS"]) {
		if e, ok := ParseSetting(s); ok {
			l.add(Command, l.r.Call.Dir, "", 0, e)
		}
	}
}

// splitParameters takes GIT_CONFIG_PARAMETERS apart: 'key=value' or 'key'='value' in shell quotes, separated by blanks.
func splitParameters(text string) []string {
	var out []string
	var b strings.Builder
	quoted, any := false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'':
			quoted, any = !quoted, true
		case !quoted && c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case !quoted && (c == ' ' || c == '\t'):
			if any {
				out = append(out, b.String())
			}
			b.Reset()
			any = false
		default:
			b.WriteByte(c)
			any = true
		}
	}
	if any {
		out = append(out, b.String())
	}
	return out
}

// Path expands what git expands in a setting that is a path: "~/" and "%(prefix)/". Another user's home is not known.
func (r *Repo) Path(value string) (string, bool) {
	value = strings.TrimPrefix(value, ":(optional)")
	if rest, ok := strings.CutPrefix(value, "~/"); ok || value == "~" {
		if value == "~" {
			rest = ""
		}
		return workspace.Join(r.Call.Home, rest), r.Call.Home != ""
	}
	if rest, ok := strings.CutPrefix(value, "%(prefix)/"); ok {
		return "/usr/" + rest, true
	}
	return value, !strings.HasPrefix(value, "~")
}
