package predict

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/githooks"
	"github.com/ambit-dev/ambit/predict/internal/gitrepo"
	"github.com/ambit-dev/ambit/predict/internal/hookmanager"
	"github.com/ambit-dev/ambit/predict/internal/nodepkg"
)

// hookCommand is what a manager of git hooks is told about the place it works in.
func (e *engine) hookCommand(f *frame, dir, program string, args []string) hookmanager.Command {
	env := e.environment(f)
	r := gitrepo.Open(e.fs, gitrepo.Call{Dir: dir, Home: e.home, Env: env})
	c := hookmanager.Command{Program: program, Args: args, Dir: dir, Home: e.home, Env: env, Branch: r.Branch}
	if r.GitDir != "" {
		c.Top, c.GitDir = r.Top(), r.CommonDir
		c.HooksDir, _ = githooks.HooksDir(r)
	}
	return c
}

// hookManager follows a call of husky, lefthook, simple-git-hooks, pre-commit, lint-staged and the like.
func (e *engine) hookManager(f *frame, v *invocation) {
	var args []string
	for _, a := range v.args[1:] {
		args = append(args, shellUnknown(a.text))
	}
	if strings.Contains(f.dir, hole) {
		e.unknown(f, v.src, v.name+" runs in a folder that is not known")
		return
	}
	if r, ok := hookmanager.Run(e.fs, e.hookCommand(f, f.dir, v.name, args)); ok {
		e.follow(f, r)
		return
	}
	e.unknown(f, v.src, v.name+": what it runs is not analysed")
}

// runAll is npm-run-all, run-s and run-p: scripts of package.json by name or pattern, where * stays within one part of a
// name and ** crosses colons.
func (e *engine) runAll(f *frame, v *invocation) {
	file, err := e.fs.Read(f.dir + "/package.json")
	if err != nil {
		return
	}
	scripts, _, err := nodepkg.Scripts(file.Data)
	if err != nil {
		e.unknown(f, v.src, v.name+": package.json cannot be read")
		return
	}
	for _, a := range v.args[1:] {
		if strings.HasPrefix(a.text, "-") {
			continue
		}
		if !a.known() {
			e.unknown(f, v.src, v.name+": the scripts that it runs are not known")
			continue
		}
		pattern, rest, _ := strings.Cut(a.text, " ") // "build -- --watch" is one argument
		for name := range scripts {
			if scriptMatches(pattern, name) {
				argv := []word{{text: "npm"}, {text: "run"}, {text: name}}
				for _, w := range strings.Fields(rest) {
					argv = append(argv, word{text: w})
				}
				e.startProgram(f, argv, v.line)
			}
		}
	}
}

func scriptMatches(pattern, name string) bool {
	if pattern == name {
		return true
	}
	p, n := strings.ReplaceAll(pattern, "/", "\x01"), strings.ReplaceAll(name, "/", "\x01")
	if strings.Contains(p, "**") {
		ok, err := path.Match(strings.ReplaceAll(p, "**", "*"), n)
		return ok && err == nil
	}
	ok, err := path.Match(strings.ReplaceAll(p, ":", "/"), strings.ReplaceAll(n, ":", "/"))
	return ok && err == nil
}

// pip follows what installing local projects and requirement files makes pip run.
func (e *engine) pip(f *frame, v *invocation) {
	verb := v.match.Path[len(v.match.Path)-1]
	if verb == v.match.Path[0] && len(v.match.Path) == 1 {
		return
	}
	for _, o := range v.match.All("-r --requirement") {
		e.requirements(f, v, o.Value, 0)
	}
	var projects []word
	for _, o := range v.match.All("-e --editable") {
		projects = append(projects, v.word(o.Value, o.Index))
	}
	switch verb {
	case "install", "wheel", "download", "sync", "add", "compile":
		projects = append(projects, v.operands()...)
	}
	for _, w := range projects {
		e.pythonProject(f, v, w.text)
	}
}

// requirements reads a requirements file for local projects and further files (pip's Requirements File Format).
func (e *engine) requirements(f *frame, v *invocation, name string, depth int) {
	file, err := e.fs.Read(f.abs(name))
	if err != nil || depth > 8 || strings.Contains(name, hole) {
		e.unknown(f, v.src, v.name+": requirements "+show(name)+" cannot be read")
		return
	}
	g := *f
	g.view = effect.Metadata
	g.from = effect.Source{File: file.Path, SHA256: file.SHA256}
	for _, line := range strings.Split(string(file.Data), "\n") {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
		option, rest, _ := strings.Cut(line, " ")
		switch option {
		case "-r", "--requirement":
			e.requirements(&g, v, path.Join(path.Dir(name), strings.TrimSpace(rest)), depth+1)
		case "-e", "--editable":
			e.pythonProject(&g, v, strings.TrimSpace(rest))
		default:
			e.pythonProject(&g, v, line)
		}
	}
}

// pythonProject runs the build of a project folder: setup.py, or a build back end that stands in the project itself.
func (e *engine) pythonProject(f *frame, v *invocation, name string) {
	name, _, _ = strings.Cut(name, "[")
	if name == "" || strings.Contains(name, "://") || strings.Contains(name, hole) || !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "/") {
		return
	}
	dir := path.Clean(f.abs(name))
	g := *f
	g.dir = dir
	if e.fs.IsFile(dir+"/setup.py") && e.step(f) {
		e.runScript(&g, []word{{text: "setup.py"}, {text: "bdist_wheel"}}, "python", v.line)
	}
	if file, err := e.fs.Read(dir + "/pyproject.toml"); err == nil && strings.Contains(string(file.Data), "backend-path") {
		e.unknown(&g, effect.Source{File: file.Path, SHA256: file.SHA256, Line: 1, Rule: "pip/backend-path"}, "the project builds itself with a back end of its own, which is not analysed")
	}
}
