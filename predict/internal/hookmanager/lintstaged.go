package hookmanager

import (
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// ruleLintStaged names the rule of what lint-staged does.
const ruleLintStaged = "hook-manager/lint-staged"

// lintStagedNames are its files in a folder, in order, after the member of package.json.
var lintStagedNames = [...]string{"package.yaml", "package.yml", ".lintstagedrc", ".lintstagedrc.json", ".lintstagedrc.yaml", ".lintstagedrc.yml", ".lintstagedrc.mjs", ".lintstagedrc.mts",
	".lintstagedrc.js", ".lintstagedrc.ts", ".lintstagedrc.cjs", ".lintstagedrc.cts", "lint-staged.config.mjs", "lint-staged.config.mts", "lint-staged.config.js",
	"lint-staged.config.ts", "lint-staged.config.cjs", "lint-staged.config.cts"}

// lintStaged runs the commands of each pattern with the staged files that match it. In a monorepo each file uses the nearest
// configuration: those of the workspaces' folders count too.
func (m *manager) lintStaged() {
	dir := m.c.Dir
	if v, ok := option(m.c.Args, "--cwd"); ok {
		dir = joinPath(dir, v)
	}
	if m.c.GitDir != "" { // a backup of the work tree's state, and what the commands changed is added
		m.claim(effect.File, effect.Write, m.c.GitDir, true, effect.Source{Rule: ruleLintStaged})
	}
	if v, ok := option(m.c.Args, "-c", "--config"); ok {
		m.lintStagedConfig(m.load(joinPath(dir, v), ruleLintStaged), dir)
		return
	}
	found := false
	for d := dir; ; d = path.Dir(d) {
		if c := m.lintStagedIn(d); c != nil {
			m.lintStagedConfig(c, d)
			found = true
			break
		}
		if d == m.top() || d == "/" || !workspace.Within(d, m.top()) {
			break
		}
	}
	for _, d := range m.packageDirs() {
		if c := m.lintStagedIn(d); c != nil && (d != dir || !found) {
			m.lintStagedConfig(c, d)
		}
	}
}

// lintStagedIn is the configuration of one folder.
func (m *manager) lintStagedIn(dir string) *node {
	if c := m.load(dir+"/package.json", ruleLintStaged).get("lint-staged"); c != nil {
		return c
	}
	for _, n := range lintStagedNames {
		if !m.w.IsFile(dir + "/" + n) {
			continue
		}
		c := m.load(dir+"/"+n, ruleLintStaged)
		if strings.HasPrefix(n, "package.") {
			c = c.get("lint-staged")
		}
		if c != nil {
			return c
		}
	}
	return nil
}

// packageDirs lists the folders that the "workspaces" of package.json name, two levels deep at most.
func (m *manager) packageDirs() []string {
	ws := m.load(m.top()+"/package.json", ruleLintStaged).get("workspaces")
	if ws.get("packages") != nil {
		ws = ws.get("packages")
	}
	var dirs []string
	for _, p := range ws.strs() {
		p = strings.TrimSuffix(strings.TrimPrefix(p, "./"), "/")
		base, all := strings.CutSuffix(strings.TrimSuffix(p, "/**"), "/*")
		all = all || strings.HasSuffix(p, "/**")
		if strings.ContainsAny(base, "*?[{!") {
			continue
		}
		dir := path.Join(m.top(), base)
		if !all {
			dirs = append(dirs, dir)
			continue
		}
		names, _ := m.w.Names(dir)
		for _, n := range names {
			if m.w.IsFile(dir + "/" + n + "/package.json") {
				dirs = append(dirs, dir+"/"+n)
			}
		}
	}
	return dirs
}

// lintStagedConfig adds the commands of one configuration. The value of a pattern is a command, a list of commands, or code.
func (m *manager) lintStagedConfig(c *node, dir string) {
	if c == nil {
		return
	}
	if isModule(c) {
		m.module(c, ruleLintStaged)
	}
	if c.kind == computed {
		m.unknown(c.from(ruleLintStaged), "the commands of lint-staged are made by code")
		return
	}
	if c.get("linters") != nil { // the form of versions before 8
		c = c.get("linters")
	}
	for _, pattern := range c.keys {
		v := c.byKey[pattern]
		if v.get("title") != nil {
			v = v.get("task")
		}
		if v.kind == computed {
			m.unknown(v.from(ruleLintStaged), "the command of lint-staged for "+pattern+" is made by code")
		}
		for _, cmd := range slices.Concat(items(v), single(v)) {
			m.lintStagedTask(cmd, pattern, dir)
		}
	}
}

func (m *manager) lintStagedTask(cmd *node, pattern, dir string) {
	if cmd.kind == computed {
		m.unknown(cmd.from(ruleLintStaged), "the command of lint-staged for "+pattern+" is made by code")
		return
	}
	argv := words(cmd.str())
	if len(argv) == 0 {
		return
	}
	if strings.HasPrefix(argv[0], "git") {
		dir = m.top()
	}
	j := source.Job{Argv: append(argv, someFiles), Dir: dir, Path: m.bin(dir), Label: "lint-staged " + pattern, From: cmd.from(ruleLintStaged)}
	if given(m.c.Args, "--shell", "-x") {
		j.Argv, j.Shell = nil, cmd.str()+" "+someFiles
	}
	m.job(j)
}

// overcommit is the program overcommit: --install writes hooks, --run runs those of pre-commit.
func (m *manager) overcommit() {
	switch {
	case given(m.c.Args, "-i", "--install"):
		if m.c.HooksDir != "" {
			m.claim(effect.File, effect.Write, m.c.HooksDir, true, effect.Source{Rule: ruleOvercommit})
		}
	case given(m.c.Args, "-r", "--run"):
		m.overcommitRun("pre-commit")
	}
}

const ruleOvercommit = "hook-manager/overcommit"

// overcommitRun: .overcommit.yml names hooks by classes of overcommit's own or of .git-hooks, with a command or without.
func (m *manager) overcommitRun(event string) {
	if m.c.Env["OVERCOMMIT_DISABLE"] == "1" {
		return
	}
	section := ""
	for _, part := range strings.Split(event, "-") {
		if part != "" {
			section += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	config := m.load(m.top()+"/.overcommit.yml", ruleOvercommit).get(section)
	if config == nil {
		return
	}
	all := !config.get("ALL", "enabled").isFalse()
	for _, name := range config.keys {
		h := config.byKey[name]
		if name == "ALL" || h.get("enabled").isFalse() || h.get("enabled") == nil && !all {
			continue
		}
		argv := slices.Concat(h.get("command").strs(), h.get("flags").strs())
		if len(argv) > 0 {
			if len(h.get("command").items) == 0 {
				argv = slices.Concat(words(h.get("command").str()), h.get("flags").strs())
			}
			m.job(source.Job{Argv: append(argv, someFiles), Dir: m.top(), Label: "overcommit " + name, From: h.get("command").from(ruleOvercommit)})
			continue
		}
		m.unknown(h.from(ruleOvercommit), "what overcommit's hook "+name+" runs is not analysed", effect.File, effect.Process)
	}
}
