package predict

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Skills, commands and subagents are Markdown files below .claude. What they ask a model to do comes back as calls that are
// looked at one by one; what is looked at here is what runs merely because one of them is used: commands in the text that are
// replaced by what they print, and hooks and servers that the head of the file names.

// skillTool loads a skill or a command of the project or of the account.
func (e *engine) skillTool(f *frame, a action.Action) error {
	const need = `a string member "skill" or "command"`
	var args struct {
		Skill   string `json:"skill"`
		Command string `json:"command"`
		Args    string `json:"args"`
	}
	if err := arguments(a, &args, need); err != nil || args.Skill == "" && args.Command == "" {
		return cmp.Or(err, wants(a, need))
	}
	if err := noNUL(a, args.Skill, args.Command, args.Args); err != nil {
		return err
	}
	f.comp = e.newComponent()
	for _, name := range []string{args.Skill, args.Command} {
		if name == "" {
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(name), "/"), " ")
		f.node.Title = strings.TrimSpace(a.Tool + " " + name + " " + cmp.Or(args.Args, rest))
		files := e.skillFiles(f, name)
		for _, file := range files {
			e.skill(f, file, cmp.Or(args.Args, rest))
		}
		if len(files) == 0 {
			e.unknown(f, f.source(0, "tool/"+a.Tool), "skill "+name+" is in no folder that is known: what it runs when it is loaded is not known")
		}
	}
	return nil
}

// claudeFolders are the places of skills, commands and subagents: of the folders from here up, and of the account.
func (e *engine) claudeFolders(f *frame) (dirs []string) {
	for d := f.dir; ; d = path.Dir(d) {
		dirs = append(dirs, path.Join(d, ".claude"))
		if d == "/" || d == e.workspace {
			break
		}
	}
	own := path.Join(e.homeOf(f), ".claude")
	if d, ok := e.envValue(f)("CLAUDE_CONFIG_DIR"); ok && path.IsAbs(d) {
		own = path.Clean(d)
	}
	if !slices.Contains(dirs, own) && path.IsAbs(own) {
		dirs = append(dirs, own)
	}
	return dirs
}

// skillFiles finds every file that a name may stand for. Which of several Claude Code takes depends on its version.
func (e *engine) skillFiles(f *frame, name string) (files []*workspace.File) {
	below := strings.ReplaceAll(name, ":", "/") // commands in folders are named folder:command
	if below == "" || path.Clean("/"+below) != "/"+below {
		return nil
	}
	for _, d := range e.claudeFolders(f) {
		names := []string{d + "/skills/" + below + "/SKILL.md", d + "/commands/" + below + ".md"}
		folders, err := e.fs.Names(d + "/commands")
		for _, n := range folders {
			if err == nil && !strings.Contains(n, ".") {
				names = append(names, d+"/commands/"+n+"/"+below+".md")
			}
		}
		for _, n := range names {
			if !e.fs.Exists(n) {
				continue
			}
			if file, err := e.fs.Read(n); err == nil {
				files = append(files, file)
			} else {
				e.unknown(f, f.source(0, "skill/read"), "skill "+n+" cannot be read: "+errorText(err))
			}
		}
	}
	return files
}

// skill runs what a skill's text runs when it is loaded: !`command`, and blocks that are fenced with ```!.
func (e *engine) skill(f *frame, file *workspace.File, args string) {
	from := effect.Source{File: file.Path, SHA256: file.SHA256, Line: 1, Rule: "skill/command"}
	g := f.claimed(from)
	text := string(file.Data)
	e.head(&g, from, text, "skill", "hooks:", "shell:")
	var r source.Result
	for _, c := range skillCommands(withArguments(text, args)) {
		job := from
		job.Line = c.line
		r.Jobs = append(r.Jobs, source.Job{Shell: shellUnknown(c.text), Interp: "bash", Dir: f.dir, From: job, Label: "command in " + path.Base(path.Dir(file.Path)) + "/" + path.Base(file.Path)})
	}
	e.follow(&g, r)
	for n, line := range strings.Split(text, "\n") {
		for _, w := range strings.Fields(line) { // @file puts the file's text there
			if name, ok := strings.CutPrefix(w, "@"); ok && strings.ContainsAny(name, "./~") {
				at := from
				at.Line, at.Rule = n+1, "skill/file"
				for _, s := range append(e.spellings(f, name), e.spellings(f, strings.TrimRight(name, ".,;:!?)"))...) {
					if e.present(f.abs(s.text)) {
						e.read(&g, s, e.folder(f, s), at)
					}
				}
			}
		}
	}
}

// withArguments puts a skill's arguments where its text asks for them, else behind it.
func withArguments(text, args string) string {
	ws := strings.Fields(args)
	if strings.ContainsAny(args, `"'\`) {
		ws = nil // quoting is Claude Code's own
	}
	asked := false
	put := func(mark, value string) {
		asked = asked || strings.Contains(text, mark)
		text = strings.ReplaceAll(text, mark, value)
	}
	for i := range 10 {
		value := hole
		if i < len(ws) {
			value = ws[i]
		} else if ws != nil || args == "" {
			value = ""
		}
		put("$ARGUMENTS["+strconv.Itoa(i)+"]", value)
		put("$"+strconv.Itoa(i), value)
	}
	put("$ARGUMENTS", args)
	if !asked && args != "" {
		text += "\nARGUMENTS: " + args
	}
	return text
}

type skillCommand struct {
	text string
	line int
}

// skillCommands finds the commands in a skill's text. A mark that no blank precedes runs nothing in Claude Code; here it does.
func skillCommands(text string) (cmds []skillCommand) {
	fenced, n := -1, 0
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		switch mark := strings.TrimSpace(l); {
		case fenced >= 0 && strings.HasPrefix(mark, "```"):
			cmds = append(cmds, skillCommand{strings.Join(lines[fenced:i], "\n"), fenced + 1})
			fenced = -1
			continue
		case fenced >= 0:
			continue
		case strings.HasPrefix(mark, "```!"):
			fenced = i + 1
			continue
		}
		n = i + 1
		for rest := l; ; {
			_, after, ok := strings.Cut(rest, "!`")
			if !ok {
				break
			}
			c, next, closed := strings.Cut(after, "`")
			if !closed {
				break
			}
			cmds = append(cmds, skillCommand{c, n})
			rest = next
		}
	}
	if fenced >= 0 {
		cmds = append(cmds, skillCommand{strings.Join(lines[min(fenced, len(lines)):], "\n"), fenced + 1})
	}
	return cmds
}

// head tells of members in the head of a Markdown file that make something run.
func (e *engine) head(f *frame, from effect.Source, text, what string, members ...string) {
	for _, m := range members {
		if line, _ := headLine(text, m); line > 0 {
			at := from
			at.Line, at.Rule = line, what+"/"+m
			e.unknown(f, at, "the head of the "+what+"'s file names "+m+", which are not analysed")
		}
	}
}

// headLine finds the first line of a Markdown file's head (YAML between lines of three dashes) that has a word; 0 for none. The YAML
// is not parsed: a word in a description is taken for the member.
func headLine(text, word string) (n int, line string) {
	for i, l := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		l = strings.TrimSpace(l)
		switch {
		case i == 0 && l != "---", i > 0 && l == "---":
			return 0, ""
		case strings.Contains(l, word):
			return i + 1, l
		}
	}
	return 0, ""
}

// subagentTool starts another agent, whose own calls are looked at one by one.
func (e *engine) subagentTool(f *frame, a action.Action) error {
	const need = `string members, if any, "subagent_type" and "isolation"`
	var args struct {
		Type      string `json:"subagent_type"`
		Isolation string `json:"isolation"`
	}
	if err := arguments(a, &args, need); err != nil {
		return err
	}
	f.comp = e.newComponent()
	f.node.Title = strings.TrimSpace(a.Tool + " " + args.Type)
	f.node.Note = "starts an agent, whose own calls are looked at one by one"
	src := f.source(0, "tool/"+a.Tool)
	switch args.Isolation {
	case "":
	case "worktree":
		e.makeWorktree(f, hole)
	default: // "remote", and what a later version may have
		e.network(f, word{text: hole}, effect.Send, src)
		e.unknown(f, src, "the agent works on another machine, where its calls are not looked at", effect.Network)
	}
	for _, d := range e.claudeFolders(f) {
		e.subagents(f, d+"/agents", args.Type, 0)
	}
	return nil
}

// subagents looks for the definition of a kind of agent. Its name stands in the file's head.
func (e *engine) subagents(f *frame, dir, kind string, depth int) {
	names, err := e.fs.Names(dir)
	if err != nil || kind == "" || depth > 4 {
		return
	}
	for _, n := range names {
		p := dir + "/" + n
		if e.isDir(p) {
			e.subagents(f, p, kind, depth+1)
			continue
		}
		if path.Ext(n) != ".md" {
			continue
		}
		file, err := e.fs.Read(p)
		if err != nil {
			e.unknown(f, f.source(0, "subagent/read"), "the definition of an agent, "+e.relative(p)+", cannot be read: "+errorText(err))
			continue
		}
		text := string(file.Data)
		if n, line := headLine(text, "name:"); n > 0 && !strings.Contains(line, kind) && !strings.Contains(line, `\`) {
			continue // the definition of another agent
		}
		from := effect.Source{File: file.Path, SHA256: file.SHA256, Line: 1}
		g := f.claimed(from)
		e.head(&g, from, text, "subagent", "hooks", "mcpServers")
	}
}
