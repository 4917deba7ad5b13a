package hookmanager

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// ruleLefthook names the rule of what lefthook does.
const ruleLefthook = "hook-manager/lefthook"

// lefthook is the program: "lefthook run HOOK", "lefthook install", "lefthook uninstall" and commands that only show.
func (m *manager) lefthook() {
	ops := operands(m.c.Args, "--command", "--commands", "--job", "--jobs", "--tag", "--tags", "--file", "--exclude", "--remote", "--source-dir")
	if len(ops) == 0 {
		return
	}
	switch ops[0] {
	case "run":
		if len(ops) > 1 {
			m.lefthookRun(ops[1], ops[2:])
		}
	case "install", "add":
		m.lefthookInstall(ops[1:])
	case "uninstall":
		m.lefthookUninstall()
	case "self-update":
		m.unknown(effect.Source{Rule: ruleLefthook}, "lefthook replaces its own program", effect.File, effect.Network)
	}
}

// lefthookScript is the hook file that lefthook writes: it looks for lefthook in many places and runs it. A start-up file
// (rc) is sourced before.
func (m *manager) lefthookScript(file *workspace.File, event string) {
	if m.c.Env["LEFTHOOK"] == "0" || m.c.Env["LEFTHOOK"] == "false" {
		return
	}
	if c := m.lefthookConfig(); c != nil {
		if rc := c.get("rc"); rc.str() != "" {
			m.job(source.Job{Shell: ". " + rc.str(), Dir: m.top(), Label: "lefthook start-up file", From: rc.from(ruleLefthook)})
		}
	}
	m.claim(effect.Process, effect.Exec, "lefthook", false, effect.Source{File: file.Path, Line: 1, SHA256: file.SHA256, Rule: ruleLefthook})
	m.lefthookRun(event, m.c.Args)
}

// lefthookNames are the names of configuration files without their extension, in order (lefthook's load.go).
var lefthookNames = [...]string{"lefthook", ".lefthook", ".config/lefthook"}

var configExtensions = [...]string{".yml", ".yaml", ".toml", ".jsonc", ".json"}

// lefthookConfig merges the main file, what it extends, remotes that were fetched before, and the local file.
func (m *manager) lefthookConfig() *node {
	main := m.firstConfig(m.top(), lefthookNames[:]...)
	if f := m.c.Env["LEFTHOOK_CONFIG"]; f != "" {
		main = m.load(joinPath(m.top(), f), ruleLefthook)
	}
	local := m.firstConfig(m.top(), "lefthook-local", ".lefthook-local", ".config/lefthook-local")
	if main == nil && local == nil {
		return nil
	}
	budget := 50 // files that extend each other
	config := m.extended(main, m.top(), &budget)
	config = m.remotes(config, config)
	config = lefthookMerged(config, m.extended(local, m.top(), &budget))
	return m.remotes(config, local)
}

func (m *manager) firstConfig(dir string, names ...string) *node {
	for _, n := range names {
		for _, ext := range configExtensions {
			if c := m.load(path.Join(dir, n+ext), ruleLefthook); c != nil {
				return c
			}
		}
	}
	return nil
}

// extended lays the files of "extends" over a configuration. A name may be a pattern.
func (m *manager) extended(c *node, dir string, budget *int) *node {
	for _, name := range c.get("extends").strs() {
		files := []string{joinPath(dir, name)}
		if strings.HasPrefix(name, "~/") && m.c.Home != "" {
			files = []string{m.c.Home + name[1:]}
		}
		if strings.ContainsAny(name, "*?[{") {
			m.unknown(c.get("extends").from(ruleLefthook), "lefthook is extended by all files that match "+name)
			continue
		}
		for _, f := range files {
			if *budget--; *budget < 0 {
				m.unknown(c.from(ruleLefthook), "lefthook is extended by too many files")
				return c
			}
			c = lefthookMerged(c, m.extended(m.load(f, ruleLefthook), path.Dir(f), budget))
		}
	}
	return c
}

// remotes lays the configurations of other repositories over one. They lie in .git/info/lefthook-remotes once fetched; one that
// does not is fetched, and is unknown.
func (m *manager) remotes(c, says *node) *node {
	list := says.get("remotes")
	if list == nil {
		return c
	}
	for _, r := range list.items {
		url, ref := r.get("git_url"), r.get("ref").str()
		if url.str() == "" {
			continue
		}
		folder := strings.TrimSuffix(path.Base(url.str()), ".git")
		if ref != "" {
			folder += "-" + strings.ReplaceAll(ref, "/", "-")
		}
		dir := path.Join(m.c.GitDir, "info/lefthook-remotes", folder)
		fetched := m.c.GitDir != "" && m.w.IsDir(dir)
		if !fetched || r.get("refetch").isTrue() || r.get("refetch_frequency").str() == "always" {
			m.job(source.Job{Argv: []string{"git", "clone", "--depth", "1", url.str(), dir}, Dir: m.top(), Label: "lefthook remote", From: url.from(ruleLefthook)})
		}
		if !fetched {
			m.unknown(url.from(ruleLefthook), "the hooks of lefthook's remote "+url.str()+" are not on this machine")
			continue
		}
		configs := r.get("configs").strs()
		if configs == nil {
			configs = []string{"lefthook.yml"}
		}
		for _, name := range configs {
			c = lefthookMerged(c, m.load(path.Join(dir, name), ruleLefthook))
		}
	}
	return c
}

// lefthookMerged lays one configuration over another: jobs of one hook by their names, {cmd} by what it stands over.
func lefthookMerged(below, above *node) *node {
	if below == nil || above == nil {
		return merged(below, above)
	}
	out := merged(below, above)
	for _, event := range out.keys {
		h := out.get(event)
		b, a := below.get(event, "jobs"), above.get(event, "jobs")
		if b != nil && a != nil {
			h.set("jobs", mergedJobs(b, a))
		}
		commands := above.get(event, "commands")
		if commands == nil {
			continue
		}
		for _, name := range commands.keys {
			if run := h.get("commands", name, "run"); run != nil && strings.Contains(run.text, "{cmd}") {
				c := *run
				c.text = strings.ReplaceAll(run.text, "{cmd}", below.get(event, "commands", name, "run").str())
				h.get("commands", name).set("run", &c)
			}
		}
	}
	return out
}

func mergedJobs(below, above *node) *node {
	out := &node{kind: list, file: above.file, line: above.line, items: slices.Clone(below.items)}
	for _, j := range above.items {
		i := -1
		if name := j.get("name").str(); name != "" {
			i = slices.IndexFunc(out.items, func(o *node) bool { return o.get("name").str() == name })
		}
		if i < 0 {
			out.items = append(out.items, j)
		} else {
			out.items[i] = merged(out.items[i], j)
		}
	}
	return out
}

// lefthookRun is "lefthook run EVENT ARGS...".
func (m *manager) lefthookRun(event string, args []string) {
	if v := m.c.Env["LEFTHOOK"]; v == "0" || v == "false" {
		return
	}
	config := m.lefthookConfig()
	m.lfsHook(config, event, args)
	h := config.get(event)
	if h == nil || m.skipped(h) {
		return
	}
	if !config.get("no_auto_install").isTrue() && !given(m.c.Args, "--no-auto-install") && m.lefthookStale() {
		m.lefthookInstall(nil)
	}
	r := lefthookRun{m: m, config: config, event: event, args: args}
	r.only = slices.Concat(optionWords(m.c.Args, "--command", "--commands"), optionWords(m.c.Args, "--job", "--jobs"))
	r.exclude = slices.Concat(h.get("exclude_tags").strs(), strings.Split(m.c.Env["LEFTHOOK_EXCLUDE"], ","))
	if event == "pre-commit" { // are some files staged in part?
		m.job(source.Job{Argv: []string{"git", "status", "--short", "--porcelain", "-z"}, Dir: m.top(), Label: "lefthook", From: h.from(ruleLefthook)})
	}
	for _, s := range items(h.get("setup")) {
		r.shell(s.get("run"), s, "setup", m.top())
	}
	if f := h.get("files"); f.str() != "" {
		r.shell(f, nil, "files of "+event, m.top())
	}
	commands := h.get("commands")
	if commands != nil {
		for _, name := range commands.keys {
			r.command(name, commands.byKey[name])
		}
	}
	if scripts := h.get("scripts"); scripts != nil {
		for _, name := range scripts.keys {
			r.script(name, scripts.byKey[name])
		}
	}
	for _, j := range items(h.get("jobs")) {
		r.jobEntry(j, m.top(), 0)
	}
}

func items(n *node) []*node {
	if n == nil {
		return nil
	}
	return n.items
}

func optionWords(args []string, names ...string) []string {
	v, ok := option(args, names...)
	if !ok {
		return nil
	}
	return strings.Split(v, ",")
}

// lfsHook: where git-lfs is installed, lefthook runs its hooks too.
func (m *manager) lfsHook(config *node, event string, args []string) {
	switch event {
	case "pre-push", "post-checkout", "post-commit", "post-merge":
	default:
		return
	}
	if config.get("skip_lfs").isTrue() || !m.w.Executable("/usr/bin/git-lfs") && !m.w.Executable("/usr/local/bin/git-lfs") {
		return
	}
	m.job(source.Job{Argv: slices.Concat([]string{"git", "lfs", event}, args), Dir: m.top(), Label: "git-lfs hook", From: config.from(ruleLefthook)})
}

type lefthookRun struct {
	m       *manager
	config  *node
	event   string
	args    []string
	only    []string // names that the command line chose
	exclude []string // tags and names to leave out
}

func (r *lefthookRun) left(name string, n *node) bool {
	if len(r.only) > 0 && !slices.Contains(r.only, name) {
		return true
	}
	tags := n.get("tags").strs()
	if len(tags) == 1 {
		tags = strings.Fields(tags[0])
	}
	return slices.ContainsFunc(append(tags, name), func(t string) bool { return t != "" && slices.Contains(r.exclude, t) }) || r.m.skipped(n)
}

func (r *lefthookRun) command(name string, n *node) {
	if r.left(name, n) {
		return
	}
	dir := joinPath(r.m.top(), n.get("root").str())
	if f := n.get("files"); f.str() != "" {
		r.shell(f, n, "files of "+name, dir)
	}
	r.shell(n.get("run"), n, name, dir)
	r.stage(n)
}

// stage is stage_fixed: what the command changed is added to the commit.
func (r *lefthookRun) stage(n *node) {
	if s := n.get("stage_fixed"); s.isTrue() {
		r.m.job(source.Job{Argv: []string{"git", "add", someFiles}, Dir: r.m.top(), Label: "stage_fixed", From: s.from(ruleLefthook)})
	}
}

// shell adds one command, with its templates filled in.
func (r *lefthookRun) shell(run, n *node, name, dir string) {
	if run.str() == "" {
		return
	}
	r.m.job(source.Job{Shell: r.fill(run.str()), Dir: dir, Env: environment(n.get("env")), Label: r.event + ": " + name, From: run.from(ruleLefthook)})
}

func environment(n *node) map[string]string {
	if n == nil || len(n.keys) == 0 {
		return nil
	}
	env := map[string]string{}
	for _, k := range n.keys {
		env[k] = n.get(k).str()
	}
	return env
}

var lefthookTemplate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([a-zA-Z0-9_.-]+)\}`) })

// fill replaces templates: files are known only when the hook runs, arguments are the hook's, others are the configuration's own.
func (r *lefthookRun) fill(text string) string {
	return lefthookTemplate().ReplaceAllStringFunc(text, func(t string) string {
		name := t[1 : len(t)-1]
		switch name {
		case "staged_files", "push_files", "all_files", "files":
			return someFiles
		case "lefthook_job_name":
			return "job"
		case "0":
			return strings.Join(r.args, " ")
		}
		if len(name) == 1 && name[0] >= '1' && name[0] <= '9' {
			if i := int(name[0] - '1'); i < len(r.args) {
				return r.args[i]
			}
			return ""
		}
		if v := r.config.get("templates", name); v != nil {
			return v.str()
		}
		return t
	})
}

// script is a file in .lefthook/EVENT or .lefthook-local/EVENT, run by a runner or by its first line. Lefthook runs those that
// exist only.
func (r *lefthookRun) script(name string, n *node) {
	if r.left(name, n) {
		return
	}
	for _, dir := range []string{sourceDir(r.config, "source_dir", ".lefthook"), sourceDir(r.config, "source_dir_local", ".lefthook-local")} {
		file := path.Join(joinPath(r.m.top(), dir), r.event, name)
		if r.m.w.IsFile(file) {
			r.runScript(file, n, name, r.m.top())
		}
	}
}

func sourceDir(c *node, key, otherwise string) string {
	if v := c.get(key).str(); v != "" {
		return v
	}
	return otherwise
}

func (r *lefthookRun) runScript(file string, n *node, name, dir string) {
	j := source.Job{Args: r.args, Dir: dir, Env: environment(n.get("env")), Label: r.event + ": " + name, From: n.from(ruleLefthook)}
	extra := r.fill(n.get("args").str())
	switch runner := n.get("runner").str(); {
	case runner != "" || extra != "":
		quoted := "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
		j.Shell = strings.Join(slices.DeleteFunc([]string{runner, quoted, extra, `"$@"`}, func(s string) bool { return s == "" }), " ")
	default:
		j.Script = file
	}
	r.m.job(j)
}

// jobEntry is one entry of "jobs": a command, a script or a group of further entries. A root beside the group moves its entries,
// one inside of it does not (lefthook 2.2).
func (r *lefthookRun) jobEntry(n *node, dir string, depth int) {
	name := n.get("name").str()
	if depth > 20 {
		return
	}
	group := n.get("group")
	if group == nil && r.left(name, n) || group != nil && r.m.skipped(n) {
		return
	}
	if root := n.get("root").str(); root != "" {
		dir = joinPath(r.m.top(), root)
	}
	if f := n.get("files"); f.str() != "" {
		r.shell(f, n, "files of "+name, dir)
	}
	switch {
	case group != nil:
		for _, j := range items(group.get("jobs")) {
			r.jobEntry(j, dir, depth+1)
		}
	case n.get("script").str() != "":
		script := n.get("script").str()
		for _, d := range []string{sourceDir(r.config, "source_dir", ".lefthook"), sourceDir(r.config, "source_dir_local", ".lefthook-local")} {
			if file := path.Join(joinPath(r.m.top(), d), r.event, script); r.m.w.IsFile(file) {
				r.runScript(file, n, script, dir)
			}
		}
	default:
		r.shell(n.get("run"), n, name, dir)
		r.stage(n)
	}
}

// skipped evaluates "skip" and "only" (true, merge, rebase, merge-commit, {ref: PATTERN}, {run: COMMAND}). A command that
// decides is run; what it says is not known, and neither is a state that this call does not show, so the entry counts.
func (m *manager) skipped(n *node) bool {
	skip, only := n.get("skip"), n.get("only")
	m.conditionPrograms(skip)
	m.conditionPrograms(only)
	if m.holds(skip) == yes {
		return true
	}
	return only != nil && m.holds(only) == no
}

func (m *manager) conditionPrograms(n *node) {
	for _, c := range items(n) {
		if run := c.get("run"); run.str() != "" {
			m.job(source.Job{Shell: run.str(), Dir: m.top(), Label: "condition", From: run.from(ruleLefthook)})
		}
	}
}

// answer is what is known of a condition.
type answer uint8

const (
	maybe answer = iota
	yes
	no
)

func (m *manager) holds(n *node) answer {
	if n == nil || n.isFalse() {
		return no
	}
	if n.isTrue() {
		return yes
	}
	all := no
	for _, c := range slices.Concat(items(n), single(n)) {
		switch a := m.state(c); {
		case a == yes:
			return yes
		case a == maybe:
			all = maybe
		}
	}
	return all
}

func single(n *node) []*node {
	if n.kind == scalar {
		return []*node{n}
	}
	return nil
}

func (m *manager) state(c *node) answer {
	exists := func(names ...string) answer {
		for _, n := range names {
			if m.c.GitDir != "" && m.w.Exists(path.Join(m.c.GitDir, n)) {
				return yes
			}
		}
		return no
	}
	switch {
	case c.str() == "merge":
		return exists("MERGE_HEAD")
	case c.str() == "rebase":
		return exists("rebase-merge", "rebase-apply")
	case c.get("ref").str() != "" && m.c.Branch != "":
		if ok, err := path.Match(c.get("ref").str(), m.c.Branch); err == nil && !strings.Contains(c.get("ref").str(), "**") {
			if ok {
				return yes
			}
			if !strings.Contains(c.get("ref").str(), "*") {
				return no
			}
		}
	}
	return maybe
}

// lefthookInstall writes a script for each hook of the configuration, and its checksum. A hook of somebody else is kept as .old.
func (m *manager) lefthookInstall(names []string) {
	config := m.lefthookConfig()
	from := config.from(ruleLefthook)
	if m.c.HooksDir == "" {
		return
	}
	if config == nil { // it makes a first configuration, of comments
		m.claim(effect.File, effect.Write, m.top()+"/lefthook.yml", false, from)
	}
	if config.get("prepare-commit-msg") == nil && m.installedMajor("lefthook", 2) < 2 { // always there, to install the others again
		m.claim(effect.File, effect.Write, path.Join(m.c.HooksDir, "prepare-commit-msg"), false, from)
	}
	for _, event := range config.names() {
		if !isEvent(event) || len(names) > 0 && !slices.Contains(names, event) {
			continue
		}
		file := path.Join(m.c.HooksDir, event)
		m.claim(effect.File, effect.Write, file, false, config.get(event).from(ruleLefthook))
		if f, err := m.w.Read(file); err == nil && !strings.Contains(string(f.Data), "lefthook") {
			m.claim(effect.File, effect.Write, file+".old", false, config.get(event).from(ruleLefthook))
		}
	}
	if m.c.GitDir != "" {
		m.claim(effect.File, effect.Write, path.Join(m.c.GitDir, "info/lefthook.checksum"), false, from)
	}
	for _, agent := range [][2]string{{"claude", ".claude/settings.json"}, {"codex", ".codex/hooks.json"}, {"copilot", ".github/hooks/lefthook.json"}, {"cursor", ".cursor/hooks.json"}} {
		if n := config.get("ai", agent[0]); n != nil {
			m.claim(effect.File, effect.Write, path.Join(m.top(), agent[1]), false, n.from(ruleLefthook))
		}
	}
}

// lefthookStale tells whether "lefthook run" would first install its hooks anew: .git/info/lefthook.checksum holds a checksum
// and the time of the configuration that they were installed for.
func (m *manager) lefthookStale() bool {
	if m.c.GitDir == "" {
		return false
	}
	f, err := m.w.Read(path.Join(m.c.GitDir, "info/lefthook.checksum"))
	if err != nil {
		return true
	}
	fields := strings.Fields(string(f.Data))
	config := m.firstConfig(m.top(), lefthookNames[:]...)
	if len(fields) < 2 || config == nil {
		return true
	}
	info, err := m.w.Lstat(config.file.Path)
	return err != nil || strconv.FormatInt(info.ModTime().Unix(), 10) != fields[1]
}

func (m *manager) lefthookUninstall() {
	if m.c.HooksDir == "" {
		return
	}
	names, err := m.w.Names(m.c.HooksDir)
	if err != nil {
		return
	}
	for _, n := range names {
		if f, err := m.w.Read(path.Join(m.c.HooksDir, n)); err == nil && isEvent(n) && strings.Contains(string(f.Data), "call_lefthook") {
			m.claim(effect.File, effect.Delete, f.Path, false, effect.Source{File: f.Path, Line: 1, SHA256: f.SHA256, Rule: ruleLefthook})
		}
	}
}
