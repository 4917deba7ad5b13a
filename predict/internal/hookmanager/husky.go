package hookmanager

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// ruleHusky names the rule of what husky does.
const ruleHusky = "hook-manager/husky"

// off tells whether husky is switched off for this call. A start-up file may do the same; that is not looked into.
func (m *manager) huskyOff() bool { return m.c.Env["HUSKY"] == "0" }

// huskyNine: .husky/_/EVENT runs ~/.config/husky/init.sh, then .husky/EVENT with sh -e (husky 9).
func (m *manager) huskyNine(file *workspace.File, event string) {
	dir := path.Dir(path.Dir(file.Path))
	script := path.Join(dir, event)
	if !m.w.IsFile(script) {
		return
	}
	config := m.c.Env["XDG_CONFIG_HOME"]
	if config == "" && m.c.Home != "" {
		config = m.c.Home + "/.config"
	}
	m.startup(config + "/husky/init.sh")
	if m.huskyOff() {
		return
	}
	m.job(source.Job{Script: script, Interp: "sh", Args: m.c.Args, Dir: m.top(), Path: m.bin(m.top()), Label: event + " hook", From: m.file(script)})
}

// startup is a file that the wrapper sources when it is there.
func (m *manager) startup(name string) {
	if path.IsAbs(name) && m.w.IsFile(name) {
		m.job(source.Job{Script: name, Interp: "sh", Dir: m.top(), Label: "husky start-up file", From: m.file(name)})
	}
}

func (m *manager) file(name string) effect.Source {
	s := effect.Source{File: name, Line: 1, Rule: ruleHusky}
	if f, err := m.w.Read(name); err == nil {
		s.SHA256 = f.SHA256
	}
	return s
}

// huskyEight: .husky/EVENT sources _/husky.sh, which runs ~/.huskyrc and then the same file again with sh -e (husky 5 to 8).
// The line that sources it is emptied, as it is accounted for here.
func (m *manager) huskyEight(file *workspace.File, event string) {
	if m.huskyOff() {
		return
	}
	if m.c.Home != "" {
		m.startup(m.c.Home + "/.huskyrc")
	}
	lines := strings.Split(string(file.Data), "\n")
	for i, l := range lines {
		if strings.Contains(l, "/_/husky.sh") {
			lines[i] = ""
		}
	}
	m.job(source.Job{Shell: strings.Join(lines, "\n"), Interp: "sh", Args: m.c.Args, Dir: m.top(), Label: event + " hook",
		From: effect.Source{File: file.Path, Line: 1, SHA256: file.SHA256, Rule: ruleHusky}})
}

// huskyFourFiles are where husky 1 to 4 look for {"hooks": {...}} (cosmiconfig), after the member "husky" of package.json.
var huskyFourFiles = [...]string{".huskyrc", ".huskyrc.json", ".huskyrc.yaml", ".huskyrc.yml", ".huskyrc.js", ".huskyrc.cjs", "husky.config.js", "husky.config.cjs"}

// huskyFour: .git/hooks/EVENT runs ~/.huskyrc, then the command of the configuration (husky 1 to 4; before, a script of
// package.json whose name lacks the first dash).
func (m *manager) huskyFour(event string) {
	if v := m.c.Env["HUSKY_SKIP_HOOKS"]; v == "1" || v == "true" || m.huskyOff() {
		return
	}
	if m.c.Home != "" {
		m.startup(m.c.Home + "/.huskyrc")
	}
	pkg := m.load(m.top()+"/package.json", ruleHusky)
	config := pkg.get("husky")
	for i := 0; config == nil && i < len(huskyFourFiles); i++ {
		config = m.load(m.top()+"/"+huskyFourFiles[i], ruleHusky)
	}
	if isModule(config) {
		m.module(config, ruleHusky)
	}
	n := config.get("hooks", event)
	if config != nil && n == nil && (config.kind == computed || config.get("hooks") != nil && config.get("hooks").kind == computed) || n != nil && n.kind == computed {
		m.unknown(config.from(ruleHusky), "the commands of the "+event+" hook are made by code")
	}
	if n.str() == "" {
		n = pkg.get("scripts", strings.Replace(event, "-", "", 1))
	}
	if n.str() != "" {
		m.job(source.Job{Shell: n.str(), Args: m.c.Args, Dir: m.top(), Path: m.bin(m.top()), Label: event + " hook", From: n.from(ruleHusky),
			Fields: map[string]string{"HUSKY_GIT_PARAMS": strings.Join(m.c.Args, " ")}})
	}
}

// husky is the program itself: "husky", "husky install [dir]", "husky init", "husky add|set FILE COMMAND", "husky uninstall". What
// is installed decides between versions; without it the newest is taken.
func (m *manager) husky() {
	major := m.installedMajor("husky", 9)
	from := effect.Source{Rule: ruleHusky}
	args := operands(m.c.Args)
	verb := ""
	if len(args) > 0 {
		verb = args[0]
	}
	switch {
	case given(m.c.Args, "-v", "--version", "-h", "--help"):
	case verb == "init":
		m.claim(effect.File, effect.Write, "package.json", false, from)
		m.claim(effect.File, effect.Write, ".husky/pre-commit", false, from)
		m.huskyInstall(".husky", major, from)
	case verb == "add" || verb == "set":
		if len(args) > 1 && major < 9 {
			m.claim(effect.File, effect.Write, args[1], false, from)
		}
	case verb == "uninstall":
		if major < 9 {
			m.job(source.Job{Argv: []string{"git", "config", "--unset", "core.hooksPath"}, Dir: m.c.Dir, Label: "husky uninstall", From: from})
		}
	case verb == "install" && len(args) > 1 && major < 9:
		m.huskyInstall(args[1], major, from)
	case verb == "install" || verb == "" && major >= 9:
		m.huskyInstall(".husky", major, from)
	case major >= 9:
		m.huskyInstall(verb, major, from)
	}
}

// huskyInstall points core.hooksPath at the folder and writes the wrappers (husky's index.js). It does nothing outside of a
// repository's top or when switched off.
func (m *manager) huskyInstall(dir string, major int, from effect.Source) {
	m.claim(effect.Environment, effect.Read, "HUSKY", false, from)
	if m.huskyOff() || strings.Contains(dir, "..") {
		return
	}
	if _, err := m.w.Lstat(m.c.Dir + "/.git"); err != nil && m.c.GitDir == "" {
		return
	}
	hooks := dir
	if major >= 9 {
		hooks = dir + "/_"
	}
	m.job(source.Job{Argv: []string{"git", "config", "core.hooksPath", hooks}, Dir: m.c.Dir, Label: "husky install", From: from})
	m.claim(effect.File, effect.Write, dir+"/_", true, from)
}

// installedMajor is the major version of a package in node_modules, here or above.
func (m *manager) installedMajor(name string, otherwise int) int {
	for d := m.c.Dir; ; d = path.Dir(d) {
		if f := path.Join(d, "node_modules", name, "package.json"); m.w.IsFile(f) {
			n, err := load(m.w, f)
			if err != nil {
				return otherwise
			}
			major, _, _ := strings.Cut(n.get("version").str(), ".")
			if len(major) == 1 && major[0] >= '0' && major[0] <= '9' {
				return int(major[0] - '0')
			}
			return otherwise
		}
		if d == "/" || d == "." {
			return otherwise
		}
	}
}
