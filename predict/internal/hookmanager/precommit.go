package hookmanager

import (
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// rulePreCommit names the rule of what pre-commit does.
const rulePreCommit = "hook-manager/pre-commit"

// preCommitOptions are the options of pre-commit that take the next argument.
var preCommitOptions = []string{"-c", "--config", "--color", "-t", "--hook-type", "--hook-stage", "--stage", "--files", "--from-ref", "--to-ref", "-s", "--source", "-o", "--origin",
	"--hook-dir", "--remote-branch", "--local-branch", "--remote-name", "--remote-url", "--commit-msg-filename", "--ref", "--rev", "-j", "--jobs"}

// preCommit is the program: run, hook-impl, install, install-hooks, autoupdate, try-repo, uninstall.
func (m *manager) preCommit() {
	ops := operands(m.c.Args, preCommitOptions...)
	verb := "run"
	if len(ops) > 0 {
		verb, ops = ops[0], ops[1:]
	}
	switch verb {
	case "run":
		stage, ok := option(m.c.Args, "--hook-stage", "--stage")
		if !ok {
			stage = "pre-commit"
		}
		m.preCommitRun(stageName(stage), ops)
	case "hook-impl":
		event, _ := option(m.c.Args, "--hook-type")
		if dir, ok := option(m.c.Args, "--hook-dir"); ok {
			m.legacy(path.Join(joinPath(m.c.Dir, dir), event+".legacy"), event)
		}
		m.preCommitRun(event, nil)
	case "install":
		m.preCommitInstall()
	case "install-hooks":
		m.eachRepo(func(r *node) { m.environment(r, "") })
	case "autoupdate":
		m.eachRepo(func(r *node) {
			if url := r.get("repo"); isRemote(url.str()) {
				m.claim(effect.Network, effect.Fetch, url.str(), false, url.from(rulePreCommit))
			}
		})
		m.claim(effect.File, effect.Write, m.preCommitConfigName(), false, effect.Source{Rule: rulePreCommit})
	case "try-repo":
		m.unknown(effect.Source{Rule: rulePreCommit}, "pre-commit fetches hooks of another repository and runs them")
	case "uninstall":
		for _, event := range m.hookTypes() {
			if file := path.Join(m.c.HooksDir, event); m.c.HooksDir != "" && m.w.IsFile(file) {
				m.claim(effect.File, effect.Delete, file, false, effect.Source{Rule: rulePreCommit})
			}
		}
	}
}

// legacy is a hook that was there before pre-commit was installed; it still runs, first.
func (m *manager) legacy(file, event string) {
	if m.w.Executable(file) {
		from := effect.Source{File: file, Line: 1, Rule: rulePreCommit}
		m.job(source.Job{Script: file, Args: m.c.Args, Dir: m.top(), Label: event + " hook kept by pre-commit", From: from})
	}
}

// preCommitScript is the hook file that pre-commit writes: ARGS=(hook-impl --config=FILE --hook-type=EVENT).
func (m *manager) preCommitScript(file *workspace.File, event string) {
	args := []string{}
	for _, line := range strings.Split(string(file.Data), "\n") {
		if rest, ok := strings.CutPrefix(line, "ARGS=("); ok {
			args = words(strings.TrimSuffix(strings.TrimSpace(rest), ")"))
			break
		}
	}
	if c, ok := option(args, "--config"); ok {
		m.c.Args = append([]string{"--config=" + c}, m.c.Args...)
	}
	if t, ok := option(args, "--hook-type"); ok {
		event = t
	}
	from := effect.Source{File: file.Path, Line: 1, SHA256: file.SHA256, Rule: rulePreCommit}
	m.claim(effect.Process, effect.Exec, "pre-commit", false, from)
	m.legacy(path.Join(path.Dir(file.Path), event+".legacy"), event)
	m.preCommitRun(event, nil)
}

func (m *manager) preCommitConfigName() string {
	if v, ok := option(m.c.Args, "-c", "--config"); ok {
		return joinPath(m.c.Dir, v)
	}
	for _, n := range []string{".pre-commit-config.yaml", ".pre-commit-config.yml", "prek.toml"} {
		if f := path.Join(m.top(), n); m.w.IsFile(f) {
			return f
		}
	}
	return path.Join(m.top(), ".pre-commit-config.yaml")
}

func (m *manager) eachRepo(do func(*node)) {
	for _, r := range items(m.load(m.preCommitConfigName(), rulePreCommit).get("repos")) {
		do(r)
	}
}

// stageName is the present name of a stage: commit, push and merge-commit were the names until pre-commit 3.2.
func stageName(s string) string {
	switch s {
	case "commit", "push", "merge-commit":
		return "pre-" + s
	}
	return s
}

// preCommitRun runs the hooks of one stage, or those of one id or alias. Which of them find files to look at is not known.
func (m *manager) preCommitRun(stage string, ids []string) {
	name := m.preCommitConfigName()
	config := m.load(name, rulePreCommit)
	skip := strings.Split(m.c.Env["SKIP"], ",")
	for _, r := range items(config.get("repos")) {
		manifest := m.manifest(r)
		for _, h := range items(r.get("hooks")) {
			id := h.get("id").str()
			h = merged(manifestHook(manifest, id), h)
			if slices.Contains(skip, id) || slices.Contains(skip, h.get("alias").str()) && h.get("alias").str() != "" {
				continue
			}
			if len(ids) > 0 && id != ids[0] && h.get("alias").str() != ids[0] {
				continue
			}
			stages := h.get("stages").strs()
			if len(stages) == 0 {
				stages = config.get("default_stages").strs()
			}
			for i, s := range stages {
				stages[i] = stageName(s)
			}
			if len(stages) > 0 && !slices.Contains(stages, stage) {
				continue
			}
			m.preCommitHook(r, h, id)
		}
	}
}

func isRemote(repo string) bool {
	return repo != "" && repo != "local" && repo != "meta" && repo != "builtin"
}

// manifest is .pre-commit-hooks.yaml of a repository that was cloned into pre-commit's folder, nil where it is not there.
func (m *manager) manifest(r *node) *node {
	if !isRemote(r.get("repo").str()) {
		return nil
	}
	dir, ok := m.cloned(r)
	if !ok {
		return nil
	}
	return m.load(dir+"/.pre-commit-hooks.yaml", rulePreCommit)
}

func manifestHook(manifest *node, id string) *node {
	for _, h := range items(manifest) {
		if h.get("id").str() == id {
			return h
		}
	}
	return nil
}

func (m *manager) store() string {
	switch {
	case m.c.Env["PRE_COMMIT_HOME"] != "":
		return m.c.Env["PRE_COMMIT_HOME"]
	case m.c.Env["XDG_CACHE_HOME"] != "":
		return m.c.Env["XDG_CACHE_HOME"] + "/pre-commit"
	case m.c.Home != "":
		return m.c.Home + "/.cache/pre-commit"
	}
	return ""
}

// cloned finds the clone of a repository at a revision. Which folder it is stands in a database; the clones say it too: by the
// address in their configuration, and by the revision that they fetched.
func (m *manager) cloned(r *node) (string, bool) {
	store, repo, rev := m.store(), r.get("repo").str(), r.get("rev").str()
	names, err := m.w.Names(store)
	if store == "" || err != nil {
		return "", false
	}
	for _, n := range names {
		dir := store + "/" + n
		config, err := m.w.Read(dir + "/.git/config")
		if !strings.HasPrefix(n, "repo") || err != nil || !hasLine(string(config.Data), "url = "+repo) {
			continue
		}
		for _, f := range []string{"/.git/FETCH_HEAD", "/.git/HEAD", "/.git/ORIG_HEAD"} {
			if text, err := m.w.Read(dir + f); err == nil && (strings.Contains(string(text.Data), "'"+rev+"'") || strings.HasPrefix(string(text.Data), rev)) {
				return dir, true
			}
		}
		if m.w.Exists(dir+"/.git/refs/tags/"+rev) && rev != "" {
			return dir, true
		}
	}
	return "", false
}

func hasLine(text, line string) bool {
	for _, l := range strings.Split(text, "\n") {
		if strings.TrimSpace(l) == line {
			return true
		}
	}
	return false
}

// preCommitHook adds one hook. How its entry is run depends on its language (pre-commit's languages folder).
func (m *manager) preCommitHook(r, h *node, id string) {
	repo := r.get("repo").str()
	from := h.get("entry").from(rulePreCommit)
	if from.File == "" {
		from = h.get("id").from(rulePreCommit)
	}
	if repo == "meta" || repo == "builtin" {
		return // checks of pre-commit itself: they read
	}
	language := h.get("language").str()
	entry := words(h.get("entry").str())
	if isRemote(repo) && len(entry) == 0 {
		m.environment(r, language)
		m.unknown(from, "hook "+id+" of "+repo+" is not on this machine")
		return
	}
	if len(entry) == 0 {
		return
	}
	args := slices.Concat(entry[1:], h.get("args").strs())
	if !h.get("pass_filenames").isFalse() {
		args = append(args, someFiles)
	}
	j := source.Job{Dir: m.top(), Label: "pre-commit hook " + id, From: from}
	switch language {
	case "system", "unsupported":
		j.Argv = slices.Concat(entry[:1], args)
	case "script", "unsupported_script":
		dir := m.top()
		if isRemote(repo) {
			dir, _ = m.cloned(r)
		}
		j.Script, j.Args = path.Join(dir, entry[0]), args
	case "pygrep", "fail":
		return // pre-commit's own: they read and print
	case "docker_image":
		j.Argv = slices.Concat(m.dockerRun(), entry[:1], args)
	case "docker":
		m.job(source.Job{Argv: []string{"docker", "build", "--tag", "pre-commit", "."}, Dir: m.top(), Label: "image of pre-commit hook " + id, From: from})
		j.Argv = slices.Concat(m.dockerRun(), []string{"--entrypoint", entry[0], "pre-commit"}, args)
	default:
		j.Path = m.environmentOf(r, h, language)
		j.Argv = slices.Concat(entry[:1], args)
	}
	m.job(j)
}

func (m *manager) dockerRun() []string {
	return []string{"docker", "run", "--rm", "-v", m.top() + ":/src:rw,Z", "--workdir", "/src"}
}

// environmentOf gives the folder of programs of a hook's environment. One that is not there yet is made first.
func (m *manager) environmentOf(r, h *node, language string) []string {
	dir, ok := m.cloned(r)
	if ok {
		names, _ := m.w.Names(dir)
		for _, n := range names {
			if rest, ok := strings.CutPrefix(n, environmentPrefix(language)); ok && strings.HasPrefix(rest, "-") && m.w.IsDir(dir+"/"+n+"/bin") {
				return []string{dir + "/" + n + "/bin"}
			}
		}
	}
	if repo := r.get("repo").str(); repo == "local" && len(h.get("additional_dependencies").strs()) == 0 && language != "python" && language != "node" {
		return nil
	}
	m.environment(r, language)
	return nil
}

func environmentPrefix(language string) string {
	switch language {
	case "python":
		return "py_env"
	case "golang":
		return "golangenv"
	case "ruby":
		return "rbenv"
	case "rust":
		return "rustenv"
	}
	return language + "_env"
}

// environment is what pre-commit does before a hook can run for the first time: clone its repository, install its packages.
func (m *manager) environment(r *node, language string) {
	url := r.get("repo")
	from := url.from(rulePreCommit)
	if isRemote(url.str()) {
		if _, ok := m.cloned(r); ok && language == "" {
			return
		}
		m.job(source.Job{Argv: []string{"git", "fetch", "--depth=1", url.str(), r.get("rev").str()}, Dir: m.top(), Label: "pre-commit repository", From: from})
	}
	if store := m.store(); store != "" {
		m.claim(effect.File, effect.Write, store, true, from)
	}
	host := ""
	switch language {
	case "python":
		host = "@pypi"
	case "node":
		host = "@npm"
	case "golang":
		host = "@go"
	case "rust":
		host = "@crates"
	case "ruby":
		host = "@rubygems"
	}
	if host != "" {
		m.claim(effect.Network, effect.Fetch, host, false, from)
	}
}

// hookTypes are the hooks that install and uninstall act on.
func (m *manager) hookTypes() []string {
	var types []string
	for i, a := range m.c.Args {
		n, v, joined := strings.Cut(a, "=")
		if n != "-t" && n != "--hook-type" {
			continue
		}
		if !joined && i+1 < len(m.c.Args) {
			v = m.c.Args[i+1]
		}
		types = append(types, v)
	}
	if types == nil {
		types = m.load(m.preCommitConfigName(), rulePreCommit).get("default_install_hook_types").strs()
	}
	if types == nil {
		types = []string{"pre-commit"}
	}
	return types
}

// preCommitInstall writes one script for each type of hook; a hook of somebody else is renamed and still run.
func (m *manager) preCommitInstall() {
	if m.c.HooksDir == "" {
		return
	}
	from := effect.Source{Rule: rulePreCommit}
	for _, event := range m.hookTypes() {
		file := path.Join(m.c.HooksDir, event)
		m.claim(effect.File, effect.Write, file, false, from)
		if f, err := m.w.Read(file); err == nil && !strings.Contains(string(f.Data), "File generated by pre-commit") {
			m.claim(effect.File, effect.Write, file+".legacy", false, from)
		}
	}
	if given(m.c.Args, "--install-hooks") {
		m.eachRepo(func(r *node) { m.environment(r, "") })
	}
}
