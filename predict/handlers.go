package predict

import (
	"regexp"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/cargo"
	"github.com/ambit-dev/ambit/predict/internal/gosrc"
	"github.com/ambit-dev/ambit/predict/internal/registry"
)

// handle runs the part of the engine that a model names: the ones that read workspace sources or need more than a table.
func (e *engine) handle(f *frame, name string, v *invocation) {
	switch name {
	case "env":
		e.envCommand(f, v)
	case "xargs":
		e.xargs(f, v)
	case "parallel":
		e.parallel(f, v)
	case "find":
		e.findCommand(f, v)
	case "sed":
		e.sed(f, v)
	case "awk":
		e.awk(f, v)
	case "ssh":
		e.ssh(f, v)
	case "shell":
		e.shellCommand(f, v)
	case "npm":
		e.nodeManager(f, v)
	case "make":
		e.makeCommand(f, v)
	case "just":
		e.just(f, v)
	case "task":
		e.task(f, v)
	case "docker-build":
		e.dockerBuild(f, v)
	case "compose":
		e.composeCommand(f, v)
	case "docker-run":
		e.dockerRun(f, v)
	case "husky", "lefthook", "simple-git-hooks", "pre-commit", "lint-staged", "overcommit":
		e.hookManager(f, v)
	case "npm-run-all":
		e.runAll(f, v)
	case "pip":
		e.pip(f, v)
	case "cargo":
		e.cargoCommand(f, v)
	case "go":
		e.goCommand(f, v)
	case "git":
		e.gitCommand(f, v)
	default:
		e.unknown(f, v.src, v.name+": what it runs is not analysed ("+strings.TrimSpace(name)+")")
	}
}

// services are the hosts that a name like @npm stands for by the configuration of this machine, each with its source.
func (e *engine) services(f *frame, name string, src effect.Source) (hosts []effect.Pattern, from []effect.Source) {
	dir := f.dir
	if strings.Contains(dir, hole) {
		dir = e.workspace
	}
	for _, h := range registry.Hosts(e.fs, name, registry.Place{Dir: dir, Home: e.home, Env: e.envValue(f)}) {
		s := src
		if h.From.File != "" && !strings.HasPrefix(h.Name, "@") {
			s = h.From
			s.Rule = src.Rule
		}
		p := effect.Any(effect.HostKind)
		if r, err := effect.Host(h.Name); err == nil && h.Name != "*" {
			p = effect.Pattern{Resource: r, Tree: !strings.HasPrefix(h.Name, "@")}
		}
		hosts, from = append(hosts, p), append(from, s)
	}
	return hosts, from
}

// operands are the words that are no options.
func (v *invocation) operands() (ws []word) {
	for _, o := range v.match.Operands {
		ws = append(ws, v.word(o.Text, o.Index))
	}
	return ws
}

// envCommand is env(1): assignments, then a command line.
func (e *engine) envCommand(f *frame, v *invocation) {
	if o, ok := v.match.Opt("-S --split-string"); ok {
		e.runText(f, word{text: "env " + o.Value}, v.line, "sh", "env/-S")
	}
	ws := v.operands()
	set := map[string]word{}
	for len(ws) > 0 {
		name, val, ok := strings.Cut(ws[0].text, "=")
		if !ok || strings.Contains(name, hole) {
			break
		}
		set[name] = word{text: val, data: ws[0].data}
		ws = ws[1:]
	}
	g := *f
	for k, w := range set {
		g.export(k, w)
		e.setVariable(&g, k, w, v.line)
	}
	if len(ws) > 0 {
		e.startProgram(&g, ws, v.line)
	}
}

// shellCommand is sh, bash and the like: -c TEXT, a script file, or standard input.
func (e *engine) shellCommand(f *frame, v *invocation) {
	lang := v.name
	if o, ok := v.match.Opt("-c"); ok {
		w := v.word(o.Value, o.Index)
		rest := v.operands()
		if !o.HasValue && len(rest) > 0 { // "-c" may come long before its text: sh -c -e 'text'
			w, rest = rest[0], rest[1:]
		}
		c := *f
		c.params = []word{{text: lang}}
		if len(rest) > 0 {
			c.params = rest
		}
		e.runText(&c, w, v.line, lang, v.name+"/-c")
		return
	}
	ws := v.operands()
	if len(ws) > 0 && !v.match.Has("-s") {
		e.runScript(f, ws, lang, v.line)
		return
	}
	c := *f
	if v.match.Has("-s") {
		c.params = append([]word{{text: lang}}, ws...)
	}
	e.runInput(&c, lang, v.line, v.name+"/stdin")
}

// xargs is xargs(1): a command line whose further arguments come from standard input.
func (e *engine) xargs(f *frame, v *invocation) {
	ws := v.operands()
	if len(ws) == 0 {
		return
	}
	more := []word{{text: hole, quoted: true, data: f.comp}}
	if f.in != nil && !f.in.text.pure() && !v.match.Has("-a --arg-file") {
		more = nil
		split := splitFields
		if v.match.Has("-0 --null -d --delimiter -I -L") {
			split = func(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }
		}
		for _, s := range split(f.in.text.text) {
			more = append(more, word{text: strings.Trim(s, `"'`), quoted: true, data: f.in.text.data})
		}
	}
	if o, ok := v.match.Opt("-I -i --replace"); ok {
		mark := o.Value
		if mark == "" {
			mark = "{}"
		}
		e.eachReplaced(f, ws, mark, more, v.line)
		return
	}
	c := *f
	c.in = nil
	e.startProgram(&c, append(append([]word(nil), ws...), more...), v.line)
}

// eachReplaced runs a command line with a mark replaced by each of a few values, or by an unknown one.
func (e *engine) eachReplaced(f *frame, ws []word, mark string, values []word, line int) {
	if len(values) > 8 {
		values = []word{{text: hole, quoted: true, data: f.comp}}
	}
	c := *f
	c.in = nil
	for _, x := range values {
		args := make([]word, len(ws))
		for i, w := range ws {
			args[i] = w
			args[i].text = strings.ReplaceAll(w.text, mark, x.text)
			if args[i].text != w.text {
				args[i].data = joined(w.data, x.data)
			}
		}
		e.startProgram(&c, args, line)
	}
}

// parallel is GNU parallel: a command template and arguments after ":::", or from standard input.
func (e *engine) parallel(f *frame, v *invocation) {
	var tmpl []string
	var values []word
	seen := false
	for _, w := range v.operands() {
		switch w.text {
		case ":::", "::::", ":::+", "::::+":
			seen = true
			continue
		}
		if seen {
			values = append(values, w)
		} else {
			tmpl = append(tmpl, w.text)
		}
	}
	if !seen || len(values) > 8 {
		values = []word{{text: hole, quoted: true, data: f.comp}}
	}
	text := strings.Join(tmpl, " ")
	c := *f
	c.in = nil
	for _, x := range values {
		t := text
		for _, mark := range []string{"{}", "{.}", "{/}", "{//}", "{/.}", "{1}"} {
			t = strings.ReplaceAll(t, mark, x.text)
		}
		switch {
		case len(tmpl) == 0:
			t = x.text
		case t == text:
			t += " " + x.text
		}
		e.runText(&c, word{text: t, data: x.data}, v.line, "sh", "parallel")
	}
}

// findCommand is find(1): starting points, then an expression whose actions delete, write or run.
func (e *engine) findCommand(f *frame, v *invocation) {
	var roots []word
	args := v.args[1:]
	i := 0
	for i < len(args) && isFindOption(args[i].text) {
		if args[i].text == "-D" {
			i++
		}
		i++
	}
	for i < len(args) && !strings.HasPrefix(args[i].text, "-") && args[i].text != "(" && args[i].text != "!" {
		roots = append(roots, args[i])
		i++
	}
	if len(roots) == 0 {
		roots = []word{{text: "."}}
	}
	src := f.source(v.line, "find")
	for _, r := range roots {
		e.list(f, r, src)
	}
	for ; i < len(args); i++ {
		switch a := args[i].text; a {
		case "-delete":
			for _, r := range roots {
				e.remove(f, r, true, f.source(v.line, "find/-delete"))
			}
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(args) {
				i++
				e.write(f, args[i], false, f.source(v.line, "find/"+a))
			}
		case "-exec", "-execdir", "-ok", "-okdir":
			var cmd []word
			for i++; i < len(args) && args[i].text != ";"; i++ {
				if args[i].text == "+" && len(cmd) > 0 && cmd[len(cmd)-1].text == "{}" {
					break
				}
				cmd = append(cmd, args[i])
			}
			e.findExec(f, cmd, roots, v.line)
		case "-files0-from", "-newer", "-anewer", "-cnewer", "-samefile":
			if i+1 < len(args) {
				i++
				e.read(f, args[i], false, f.source(v.line, "find/"+a))
			}
		}
	}
}

func isFindOption(s string) bool {
	return s == "-H" || s == "-L" || s == "-P" || s == "-D" || strings.HasPrefix(s, "-O")
}

// findExec runs a command for what find finds: some path below a starting point.
func (e *engine) findExec(f *frame, cmd, roots []word, line int) {
	for _, r := range roots {
		args := make([]word, len(cmd))
		for i, w := range cmd {
			args[i] = w
			if strings.Contains(w.text, "{}") {
				args[i] = word{text: strings.ReplaceAll(w.text, "{}", strings.TrimSuffix(r.text, "/")+"/"+hole), quoted: true, data: f.comp}
			}
		}
		e.startProgram(f, args, line)
	}
}

var sedWrite = func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[;{}/!]|\n|[0-9$,])\s*[wW]\s+([^\n;}]+)`) }

// sed is sed(1): scripts that write files (w) or run commands (e), besides the files that -i changes.
func (e *engine) sed(f *frame, v *invocation) {
	var scripts []word
	for _, o := range v.match.All("-e --expression") {
		scripts = append(scripts, v.word(o.Value, o.Index))
	}
	files := v.operands()
	if len(scripts) == 0 && !v.match.Has("-f --file") && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	for _, o := range v.match.All("-f --file") {
		w := v.word(o.Value, o.Index)
		e.read(f, w, false, f.source(v.line, "sed/-f"))
		text := word{text: hole}
		if file, ok := e.data(f.abs(o.Value)); ok && w.known() {
			text.text = string(file.Data)
		} else if o.Value == "-" && f.in != nil {
			text = f.in.text
		}
		scripts = append(scripts, text)
	}
	inPlace := v.match.Has("-i --in-place")
	for _, w := range files {
		e.read(f, w, false, f.source(v.line, "sed"))
		if inPlace {
			e.write(f, w, false, f.source(v.line, "sed/-i"))
		}
	}
	for _, s := range scripts {
		if !s.known() {
			if s.pure() && !v.match.Has("--sandbox") {
				e.unknown(f, v.src, "sed: the script is not known and may write files or run commands")
			}
			continue
		}
		for _, m := range sedWrite().FindAllStringSubmatch(s.text, -1) {
			e.write(f, word{text: strings.TrimSpace(m[1])}, false, f.source(v.line, "sed/w"))
		}
		e.sedExec(f, s.text, v)
	}
}

// sedExec finds the e command, and the e and w flags of the s command.
func (e *engine) sedExec(f *frame, s string, v *invocation) {
	for _, cmd := range sedCommands(s) {
		switch {
		case cmd.name == 'e' && cmd.text != "":
			e.runText(f, word{text: cmd.text}, v.line, "sh", "sed/e")
		case cmd.name == 'e', cmd.name == 's' && strings.Contains(cmd.text, "e"):
			e.unknown(f, v.src, "sed: the script runs its input as commands")
		}
		if cmd.name == 's' {
			if _, file, ok := strings.Cut(cmd.text, "w "); ok {
				e.write(f, word{text: strings.TrimSpace(file)}, false, f.source(v.line, "sed/w"))
			}
		}
	}
}

type sedCommand struct {
	name byte
	text string // flags of s, argument of e
}

// sedCommands finds the commands s and e of a sed script, by its own rules for delimiters.
func sedCommands(s string) (cmds []sedCommand) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '/' || c == '\\' && i+1 < len(s): // an address
			d := c
			if c == '\\' {
				i++
				d = s[i]
			}
			i = skipDelimited(s, i, d)
		case c == 's' || c == 'y':
			if i+1 >= len(s) {
				return cmds
			}
			d := s[i+1]
			i = skipDelimited(s, i+1, d)
			i = skipDelimited(s, i, d)
			end := i + 1
			for end < len(s) && s[end] != ';' && s[end] != '\n' && s[end] != '}' {
				end++
			}
			if c == 's' {
				cmds = append(cmds, sedCommand{'s', s[min(i+1, len(s)):end]})
			}
			i = end
		case c == 'e':
			end := strings.IndexByte(s[i:], '\n')
			if end < 0 {
				end = len(s) - i
			}
			cmds = append(cmds, sedCommand{'e', strings.TrimSpace(s[i+1 : i+end])})
			i += end
		case c == 'a' || c == 'i' || c == 'c' || c == 'r' || c == 'R' || c == 'w' || c == 'W' || c == 'b' || c == 't' || c == 'T' || c == ':' || c == '#':
			end := strings.IndexByte(s[i:], '\n')
			if end < 0 {
				return cmds
			}
			i += end
		}
	}
	return cmds
}

// skipDelimited gives the place of the next unescaped delimiter after i.
func skipDelimited(s string, i int, d byte) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case d:
			return i
		}
	}
	return len(s)
}

// awk finds what an awk program runs, writes and connects to: system(), pipes, redirections, /inet.
func (e *engine) awk(f *frame, v *invocation) {
	files := v.operands()
	for _, o := range v.match.All("-i --include") {
		if file, err := e.fs.Read(f.abs(o.Value)); err == nil {
			e.awkProgram(f, string(file.Data), v)
		}
	}
	if len(files) == 0 || v.match.Has("-f --file") {
		for _, w := range files {
			e.read(f, w, false, f.source(v.line, v.name))
		}
		for _, o := range v.match.All("-f --file") {
			if file, err := e.fs.Read(f.abs(o.Value)); err == nil {
				e.awkProgram(f, string(file.Data), v)
			} else {
				e.unknown(f, v.src, "awk: the program file cannot be read")
			}
		}
		return
	}
	prog := files[0]
	for _, w := range files[1:] {
		if !strings.Contains(w.text, "=") {
			e.read(f, w, false, f.source(v.line, v.name))
		}
	}
	if !prog.known() {
		if prog.pure() {
			e.unknown(f, v.src, "awk: the program is not known and may write files or run commands")
			return
		}
	}
	e.awkProgram(f, prog.text, v)
}

func (e *engine) awkProgram(f *frame, prog string, v *invocation) {
	code := blankStrings(prog)
	if i := strings.Index(code, "/inet"); i >= 0 || strings.Contains(prog, `"/inet`) {
		e.network(f, word{text: hole}, effect.Send, f.source(v.line, v.name+"/inet"))
	}
	for i := 0; i < len(code); i++ {
		rest := code[i:]
		switch {
		case strings.HasPrefix(rest, "system(") || strings.HasPrefix(rest, "system ("):
			e.awkShell(f, prog, i+strings.IndexByte(rest, '(')+1, v)
		case rest[0] == '|' && !strings.HasPrefix(rest, "||") && (i == 0 || code[i-1] != '|'):
			after := i + 1 + len(rest[1:]) - len(strings.TrimLeft(rest[1:], " &\t"))
			if strings.HasPrefix(code[after:], "getline") {
				e.awkShellBefore(f, prog, i, v)
			} else {
				fed := *f // with what the program prints, which is not followed
				fed.in = &stdin{text: word{text: hole}}
				e.awkShell(&fed, prog, after, v)
			}
		case rest[0] == '>' && strings.Contains(code[:i], "print"):
			after := i + 1 + len(rest[1:]) - len(strings.TrimLeft(rest[1:], "> \t"))
			if after < len(prog) && prog[after] == '"' {
				if s, ok := quotedAt(prog, after); ok {
					e.write(f, word{text: s}, false, f.source(v.line, v.name+"/print"))
				}
			} else if statementHasPrint(code[:i]) {
				e.write(f, word{text: hole}, false, f.source(v.line, v.name+"/print"))
			}
		}
	}
}

// statementHasPrint tells whether the awk statement that ends here is a print, so that > is a redirection.
func statementHasPrint(s string) bool {
	i := strings.LastIndexAny(s, ";{}\n")
	stmt := s[i+1:]
	return strings.Contains(stmt, "print") && strings.Count(stmt, "(") == strings.Count(stmt, ")")
}

func (e *engine) awkShell(f *frame, prog string, at int, v *invocation) {
	at += len(prog[at:]) - len(strings.TrimLeft(prog[at:], " \t"))
	if s, ok := quotedAt(prog, at); ok {
		tail := strings.TrimLeft(prog[at+len(s)+2:], " \t")
		if tail == "" || strings.ContainsAny(tail[:1], ");}\n") {
			e.runText(f, word{text: s}, v.line, "sh", v.name+"/system")
			return
		}
		e.runText(f, word{text: s + hole}, v.line, "sh", v.name+"/system")
		return
	}
	e.unknown(f, v.src, v.name+": the program runs commands that it computes")
}

func (e *engine) awkShellBefore(f *frame, prog string, at int, v *invocation) {
	before := strings.TrimRight(prog[:at], " \t")
	if strings.HasSuffix(before, `"`) {
		if i := strings.LastIndexByte(before[:len(before)-1], '"'); i >= 0 {
			e.runText(f, word{text: before[i+1 : len(before)-1]}, v.line, "sh", v.name+"/getline")
			return
		}
	}
	e.unknown(f, v.src, v.name+": the program runs commands that it computes")
}

// quotedAt reads the string literal that starts at a place.
func quotedAt(s string, at int) (string, bool) {
	if at >= len(s) || s[at] != '"' {
		return "", false
	}
	end := skipDelimited(s, at, '"')
	if end >= len(s) {
		return "", false
	}
	return s[at+1 : end], true
}

// blankStrings overwrites the inside of string and regular expression literals, so that what looks like code is code.
func blankStrings(s string) string {
	b := []byte(s)
	for i := 0; i < len(b); i++ {
		if b[i] == '"' || b[i] == '/' && regexPlace(b[:i]) {
			end := skipDelimited(s, i, b[i])
			for j := i + 1; j < end && j < len(b); j++ {
				b[j] = ' '
			}
			i = end
		}
	}
	return string(b)
}

func regexPlace(before []byte) bool {
	t := strings.TrimRight(string(before), " \t")
	return t == "" || strings.ContainsAny(t[len(t)-1:], "~(,{;!&|\n")
}

// ssh is ssh(1): the remote command runs on another machine, where nothing here can follow it.
func (e *engine) ssh(f *frame, v *invocation) {
	ws := v.operands()
	if len(ws) == 0 {
		return
	}
	host := ws[0].text
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	port := "22"
	if o, ok := v.match.Opt("-p"); ok && o.Value != "" {
		port = o.Value
	}
	if !strings.HasPrefix(host, "ssh://") && !strings.Contains(host, ":") {
		host = "ssh://" + host + ":" + port
	}
	src := f.source(v.line, v.name)
	e.network(f, word{text: host, data: ws[0].data}, effect.Send, src)
	f.comp.touch(effect.Network, effect.Fetch, e.hostPattern(host, effect.Fetch))
	if len(ws) > 1 {
		c := f.child("on the other machine: "+commandTitle(ws[1:]), src)
		c.container = remoteMachine
		texts := make([]string, 0, len(ws))
		for _, w := range ws[1:] {
			texts = append(texts, w.text)
		}
		e.delegate(c, strings.Join(texts, " "), v.line)
	}
}

// delegate analyses shell text that another machine or an engine runs: what it does is not done by this process tree.
func (e *engine) delegate(c *frame, text string, line int) {
	e.runText(c, word{text: text}, line, "sh", "remote")
}

// cargoCommand follows build scripts, macros and configuration of a Rust project.
func (e *engine) cargoCommand(f *frame, v *invocation) {
	if strings.Contains(v.dir, hole) {
		e.unknown(f, v.src, "cargo runs in a folder that is not known")
		return
	}
	var argv []string
	for _, a := range v.args[1:] {
		argv = append(argv, shellUnknown(a.text))
	}
	e.follow(f, cargo.Plan(e.fs, v.dir, cargo.ParseArgs(argv, e.envValue(f))))
}

// goCommand follows what the go command takes from the module's sources.
func (e *engine) goCommand(f *frame, v *invocation) {
	if len(v.match.Path) < 2 || strings.Contains(f.dir, hole) {
		return
	}
	r := gosrc.Request{Verb: v.match.Path[1], Dir: f.dir, Home: e.home, Env: e.envValue(f)}
	if o, ok := v.match.Opt("-mod --mod"); ok {
		r.Vendor = o.Value == "vendor"
	}
	r.Output = v.match.Has("-o -n")
	for _, w := range v.operands() {
		r.Patterns = append(r.Patterns, shellUnknown(w.text))
	}
	e.follow(f, gosrc.Plan(e.fs, r))
}
