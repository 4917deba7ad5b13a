package justfile

import (
	"path"
	"runtime"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// evaluateAll evaluates every variable, as just does before it runs anything: the commands in backticks run.
func (m *module) evaluateAll() {
	for _, name := range m.varOrder {
		m.value(name)
	}
}

// value is the value of a variable of the file.
func (m *module) value(name string) string {
	if v, ok := m.args.Set[name]; ok && m.name == "" {
		m.loaded[name] = v
		return v
	}
	if v, ok := m.loaded[name]; ok {
		return v
	}
	v, ok := m.vars[name]
	if !ok {
		return constant(name)
	}
	if m.loading[name] {
		return Placeholder // just reports the circle
	}
	m.loading[name] = true
	out := m.eval(v.expr, nil, v.file, 0)
	delete(m.loading, name)
	m.loaded[name] = out
	return out
}

// constant are the names that just defines.
func constant(name string) string {
	switch name {
	case "HEX", "HEXLOWER":
		return "0123456789abcdef"
	case "HEXUPPER":
		return "0123456789ABCDEF"
	}
	if strings.ToUpper(name) == name { // colours of the terminal
		return ""
	}
	return Placeholder
}

// evaluator walks over the tokens of one expression.
type evaluator struct {
	*module
	toks  []token
	pos   int
	scope map[string]string
	file  *workspace.File
	depth int
}

func (m *module) eval(toks []token, scope map[string]string, file *workspace.File, depth int) string {
	if len(toks) == 0 {
		return ""
	}
	if depth > maxDepth || !m.step(file, toks[0].line, 0) {
		return Placeholder
	}
	e := &evaluator{module: m, toks: toks, scope: scope, file: file, depth: depth}
	v := e.expression()
	if len(v) > maxValue || !m.step(file, toks[0].line, len(v)) {
		return Placeholder
	}
	return v
}

func (e *evaluator) is(s string) bool { return is(e.toks, e.pos, s) }

// expression is values joined by +, /, && and ||.
func (e *evaluator) expression() string {
	v := e.operand()
	for e.pos < len(e.toks) {
		switch {
		case e.is("+"):
			e.pos++
			v += e.operand()
		case e.is("/"):
			e.pos++
			v = v + "/" + e.operand()
		case e.is("&&"):
			e.pos++
			if w := e.operand(); v != "" {
				v = w
			}
		case e.is("||"):
			e.pos++
			if w := e.operand(); v == "" {
				v = w
			} else if strings.Contains(v, Placeholder) {
				v = Placeholder
			}
		default:
			return v
		}
		if len(v) > maxValue {
			return Placeholder
		}
	}
	return v
}

// inner evaluates the tokens between the bracket at pos and the one that closes it.
func (e *evaluator) inner() string {
	end := closing(e.toks, e.pos)
	v := e.module.eval(e.toks[min(e.pos+1, end):end], e.scope, e.file, e.depth+1)
	e.pos = end + 1
	return v
}

func (e *evaluator) operand() string {
	if e.pos >= len(e.toks) {
		return ""
	}
	t := e.toks[e.pos]
	switch {
	case t.kind == text:
		e.pos++
		return t.text
	case t.kind == backtick:
		e.pos++
		return e.backtick(t)
	case e.is("("):
		return e.inner()
	case e.is("/"):
		e.pos++
		return "/" + e.operand()
	case e.is("if"):
		return e.condition()
	case t.kind == word && is(e.toks, e.pos+1, "("):
		e.pos++
		end := closing(e.toks, e.pos)
		var args []string
		for i := e.pos + 1; i < end; {
			j := argEnd(e.toks[:end], i)
			args = append(args, e.module.eval(e.toks[i:j], e.scope, e.file, e.depth+1))
			i = j + 1
		}
		e.pos = end + 1
		return e.function(t, args)
	case t.kind == word:
		e.pos++
		if v, ok := e.scope[t.text]; ok {
			return v
		}
		return e.value(t.text)
	}
	e.pos++
	return Placeholder
}

// argEnd is the index of the comma at i or behind, outside brackets.
func argEnd(toks []token, i int) int {
	for ; i < len(toks); i++ {
		switch {
		case is(toks, i, "("), is(toks, i, "{"), is(toks, i, "["):
			i = closing(toks, i)
		case is(toks, i, ","):
			return i
		}
	}
	return len(toks)
}

// backtick runs a command whose output is not known.
func (e *evaluator) backtick(t token) string {
	script := e.interpolate(t.text, e.scope, e.file, t.line)
	e.run(source.Job{Dir: e.work, Env: e.exported(), Label: "backticks", From: at(e.file, t.line, "just/backtick")}, script)
	return Placeholder
}

// run adds the job of a command that an expression starts, once.
func (e *evaluator) run(j source.Job, script string) {
	key := "job\x00" + script + "\x00" + j.From.File
	if e.seen[key] {
		return
	}
	e.seen[key] = true
	e.command(j, script)
}

// condition is `if a == b { x } else { y }`. Where it is not known, the value is not, unless both are the same.
func (e *evaluator) condition() string {
	e.pos++
	a := e.expression()
	op := ""
	if e.pos < len(e.toks) {
		op = e.toks[e.pos].text
		e.pos++
	}
	b := e.expression()
	if !e.is("{") {
		return Placeholder
	}
	var yes, no string
	known := !strings.Contains(a+b, Placeholder) && (op == "==" || op == "!=")
	holds := (a == b) == (op == "==")
	yes = e.branch(!known || holds)
	if e.is("else") {
		e.pos++
		if e.is("if") {
			if known && holds {
				e.pos = len(e.toks)
			} else {
				no = e.condition()
			}
		} else {
			no = e.branch(!known || !holds)
		}
	}
	switch {
	case !known && yes != no:
		return Placeholder
	case holds:
		return yes
	}
	return no
}

// branch evaluates a braced part where it may be taken.
func (e *evaluator) branch(taken bool) string {
	if taken {
		return e.inner()
	}
	e.pos = closing(e.toks, e.pos) + 1
	return ""
}

// function is the value of a call (just manual, "Functions").
func (e *evaluator) function(t token, args []string) string {
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	unknown := strings.Contains(strings.Join(args, ""), Placeholder)
	switch t.text {
	case "env", "env_var", "env_var_or_default":
		return e.variable(t, arg(0), args)
	case "shell":
		e.run(source.Job{Dir: e.work, Args: args[min(1, len(args)):], Label: "shell()", From: at(e.file, t.line, "just/shell")}, arg(0))
		return Placeholder
	case "arch":
		return map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "x86"}[runtime.GOARCH]
	case "os":
		return strings.Replace(runtime.GOOS, "darwin", "macos", 1)
	case "os_family":
		return "unix"
	case "justfile":
		return e.module.file.Path
	case "justfile_directory", "justfile_dir", "source_directory", "source_dir", "module_directory", "module_dir":
		return path.Dir(e.module.file.Path)
	case "invocation_directory", "invocation_dir", "invocation_directory_native", "invocation_dir_native":
		return e.dir
	case "just_executable":
		return "just"
	case "quote":
		if unknown {
			return Placeholder
		}
		return "'" + strings.ReplaceAll(arg(0), "'", `'\''`) + "'"
	case "join":
		out := arg(0)
		for _, a := range args[min(1, len(args)):] {
			out = workspace.Join(out, a)
		}
		return out
	case "read":
		e.claim(source.Claim{Class: effect.File, Access: effect.Read, Target: workspace.Join(e.work, arg(0)), From: at(e.file, t.line, "just/read")})
		return Placeholder
	case "error", "assert":
		return ""
	}
	if unknown {
		return Placeholder
	}
	return pure(t.text, args, arg)
}

// pure are the functions of text alone.
func pure(name string, args []string, arg func(int) string) string {
	switch name {
	case "uppercase":
		return strings.ToUpper(arg(0))
	case "lowercase":
		return strings.ToLower(arg(0))
	case "trim":
		return strings.TrimSpace(arg(0))
	case "trim_start":
		return strings.TrimLeft(arg(0), " \t\n\r")
	case "trim_end":
		return strings.TrimRight(arg(0), " \t\n\r")
	case "replace":
		if len(args) == 3 && args[1] != "" && strings.Count(args[0], args[1])*len(args[2]) < maxValue {
			return strings.ReplaceAll(args[0], args[1], args[2])
		}
	case "trim_start_match":
		return strings.TrimPrefix(arg(0), arg(1))
	case "trim_end_match":
		return strings.TrimSuffix(arg(0), arg(1))
	case "parent_directory", "parent_dir":
		return path.Dir(arg(0))
	case "file_name":
		return path.Base(arg(0))
	case "file_stem":
		return strings.TrimSuffix(path.Base(arg(0)), path.Ext(arg(0)))
	case "extension":
		return strings.TrimPrefix(path.Ext(arg(0)), ".")
	case "without_extension":
		return strings.TrimSuffix(arg(0), path.Ext(arg(0)))
	case "clean":
		return path.Clean(arg(0))
	case "append", "prepend":
		words := strings.Fields(arg(1))
		for i, w := range words {
			if name == "append" {
				words[i] = w + arg(0)
			} else {
				words[i] = arg(0) + w
			}
		}
		return strings.Join(words, " ")
	}
	return Placeholder
}

// variable is an environment variable that the file reads by name.
func (e *evaluator) variable(t token, name string, args []string) string {
	if name == "" || strings.Contains(name, Placeholder) {
		return Placeholder
	}
	switch name {
	case "HOME", "PATH", "USER", "LOGNAME", "SHELL", "PWD", "TERM", "LANG", "TMPDIR":
	default:
		e.claim(source.Claim{Class: effect.Environment, Access: effect.Read, Target: name, From: at(e.file, t.line, "just/env")})
	}
	if v, ok := e.dotenv[name]; ok {
		return v
	}
	if v, ok := e.env(name); ok {
		return hidden(name, v)
	}
	if len(args) > 1 {
		return args[1]
	}
	return Placeholder // just stops
}

// interpolate replaces {{...}}; `{{{{` is two braces.
func (m *module) interpolate(s string, scope map[string]string, file *workspace.File, line int) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "{{")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i+2:]
		if strings.HasPrefix(s, "{{") {
			b.WriteString("{{")
			s = s[2:]
			continue
		}
		end := strings.Index(s, "}}")
		if end < 0 || b.Len() > maxValue || !m.step(file, line, 0) {
			b.WriteString(Placeholder)
			return b.String()
		}
		toks, _, err := lexStatement([]string{s[:end]}, line)
		if err != "" {
			b.WriteString(Placeholder)
		} else {
			b.WriteString(m.eval(toks, scope, file, 1))
		}
		s = s[end+2:]
	}
}

// body runs the lines of a recipe, or its script.
func (m *module) body(r *recipe, scope map[string]string, args []string) {
	if len(r.body) == 0 || m.stopped {
		return
	}
	dir := m.work
	if _, ok := r.attrs["no-cd"]; ok || m.set["no-cd"] {
		dir = m.dir
	}
	if w := r.attrs["working-directory"]; len(w) > 0 {
		dir = workspace.Join(m.work, w[0].text)
	}
	env := m.exported()
	for _, p := range r.params {
		if p.exported || m.set["export"] {
			if env == nil {
				env = map[string]string{}
			}
			env[p.name] = scope[p.name]
		}
	}
	j := source.Job{Dir: dir, Env: env, Label: "recipe " + strings.TrimPrefix(m.name+"::"+r.name, "::")}
	if _, ok := r.attrs["positional-arguments"]; ok || m.set["positional-arguments"] {
		j.Args = args
	}
	if interp := r.script(m); interp != nil {
		m.script(r, j, interp, scope)
		return
	}
	for i := 0; i < len(r.body); i++ {
		line := r.body[i]
		s := line.text
		for strings.HasSuffix(s, `\`) && i+1 < len(r.body) {
			i++
			s += "\n" + strings.TrimLeft(r.body[i].text, " \t")
		}
		s = strings.TrimLeft(s, "@-")
		if strings.HasPrefix(strings.TrimSpace(s), "#") && (m.set["ignore-comments"]) || strings.TrimSpace(s) == "" {
			continue
		}
		if !m.step(r.file, line.line, len(s)) {
			return
		}
		j.From = at(r.file, line.line, "just/recipe")
		m.command(j, m.interpolate(s, scope, r.file, line.line))
	}
}

// script tells by which program the whole body runs: that of its #! line or of [script]; nil where lines run one by one.
func (r *recipe) script(m *module) []string {
	if words, ok := r.attrs["script"]; ok {
		out := []string{}
		for _, w := range words {
			out = append(out, w.text)
		}
		if len(out) == 0 {
			for _, t := range m.settings["script-interpreter"] {
				if t.kind == text {
					out = append(out, t.text)
				}
			}
		}
		if len(out) == 0 {
			out = []string{"sh", "-eu"}
		}
		return out
	}
	if line, ok := strings.CutPrefix(r.body[0].text, "#!"); ok {
		words := strings.Fields(line)
		if len(words) > 1 && path.Base(words[0]) == "env" {
			words = words[1:]
			for len(words) > 1 && strings.HasPrefix(words[0], "-") {
				words = words[1:]
			}
		}
		if len(words) > 0 {
			return words
		}
	}
	return nil
}

func (m *module) script(r *recipe, j source.Job, interp []string, scope map[string]string) {
	var b strings.Builder
	for i, line := range r.body {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(m.interpolate(line.text, scope, r.file, line.line))
		if b.Len() > maxBytes {
			m.unknown(at(r.file, r.line, "just/script"), "the script of a recipe is longer than is followed", anything()...)
			return
		}
	}
	j.From = at(r.file, r.body[0].line, "just/script")
	j.Shell, j.Interp = b.String(), path.Base(interp[0])
	m.result.Jobs = append(m.result.Jobs, j)
}
