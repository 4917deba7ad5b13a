package predict

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/ambit-dev/ambit/effect"
)

func lineOf(n syntax.Node) int { return int(n.Pos().Line()) }

// shell analyses shell text in a frame. The rule names what made it run.
func (e *engine) shell(f *frame, text string, lang syntax.LangVariant) {
	if why := e.refuseText(text); why != "" {
		e.unknown(f, f.source(1, "shell/text"), why)
		if len(text) > e.limits.Text || strings.HasPrefix(why, "shell text is nested") {
			return
		}
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\x00", ""), "\r\n", "\n")
	}
	file, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(text), "")
	if err != nil {
		line := 1
		var pe syntax.ParseError
		if errors.As(err, &pe) {
			line = int(pe.Pos.Line())
		}
		e.unknown(f, f.source(line, "shell/syntax"), "shell text does not parse: "+parseMessage(err))
	}
	if file == nil {
		return
	}
	traps := len(f.traps)
	e.stmts(f, file.Stmts)
	for _, t := range f.traps[min(traps, len(f.traps)):] { // they see what the text has left behind
		b := f.fork()
		e.evalText(b, t.text, t.line, "shell/trap")
	}
	f.traps = f.traps[:min(traps, len(f.traps))]
}

func parseMessage(err error) string {
	msg := err.Error()
	if len(msg) > 200 {
		msg = msg[:200] + "..."
	}
	return msg
}

// refuseText says why text is not to be trusted to a parser: too long, nested so deep that a parser's stack would run out, or
// with characters that shells and this parser read differently.
func (e *engine) refuseText(text string) string {
	switch {
	case len(text) > e.limits.Text:
		return fmt.Sprintf("shell text is longer than %d bytes", e.limits.Text)
	case nesting(text) > 400:
		return "shell text is nested deeper than 400"
	case strings.Contains(text, "\x00"):
		return "shell text holds a NUL character, which shells drop"
	case strings.Contains(text, "\r"):
		return "shell text holds a carriage return, which shells read as part of a word"
	}
	return ""
}

// nesting is an upper bound of how deep a parser would recurse: brackets and substitutions of every kind, and compound
// commands by their words at the start of a command.
func nesting(s string) int {
	depth, most, words := 0, 0, 0
	start := true // a command may start here
	ticks, bangs, functions, word := 0, 0, 0, ""
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch c {
		case '(', '{', '[':
			depth++
			if c == '(' && i+1 < len(s) && s[i+1] == ')' {
				functions++ // a declaration, whose body may be a declaration
			} else {
				functions = 0
			}
		case ')', '}', ']':
			depth = max(depth-1, 0)
		case '`':
			ticks++
		case '\\':
			i++
		case '!', '~', '-', '+', '*':
			bangs++
			most = max(most, bangs/4)
			if c == '!' || c == '-' || c == '+' || c == '~' || c == '*' {
				continue
			}
		}
		if c >= 'a' && c <= 'z' {
			bangs = 0
			word += string(c)
			if len(word) > 8 {
				word = "longword"
			}
			continue
		}
		if word != "" {
			if start {
				switch word {
				case "if", "while", "until", "for", "case", "select", "time", "coproc", "function":
					words++
				case "fi", "done", "esac":
					words = max(words-1, 0)
				}
			}
			switch word {
			case "then", "do", "else", "elif", "if", "while", "until", "time", "in":
				start = true
			default:
				start = false
			}
			word = ""
		}
		switch c {
		case '\n', ';', '&', '|', '(', '{', '!':
			start = true
		case ' ', '\t':
			if c != ' ' && c != '\t' {
				start = false
			}
		default:
			bangs = 0
			start = false
		}
		most = max(most, depth+words+functions, ticks/64)
	}
	return max(most, depth+words)
}

func (e *engine) stmts(f *frame, list []*syntax.Stmt) {
	for _, s := range list {
		if f.ended || e.stopped != "" {
			return
		}
		e.stmt(f, s)
	}
}

// stmt analyses one statement with its redirections.
func (e *engine) stmt(f *frame, s *syntax.Stmt) {
	if s == nil || s.Cmd == nil && len(s.Redirs) == 0 {
		return
	}
	if s.Background || s.Coprocess {
		b := f.fork()
		e.command(b, s.Cmd, s.Redirs)
		return
	}
	e.command(f, s.Cmd, s.Redirs)
}

// command analyses a command. Compound commands get a component of their own when they are redirected or piped, which all
// commands inside share.
func (e *engine) command(f *frame, c syntax.Command, redirs []*syntax.Redirect) {
	if call, ok := c.(*syntax.CallExpr); ok || c == nil {
		e.call(f, call, redirs)
		return
	}
	if len(redirs) > 0 {
		outer, in, out, fds := f.stdio, f.in, f.out, f.fds
		f.stdio = e.newComponent()
		f.stdio.join(outer)
		f.comp = f.stdio
		e.changes.begin()
		e.redirects(f, redirs)
		e.end(f, lineOf(c))
		f.comp = nil
		defer func() { f.stdio, f.in, f.out, f.fds = outer, in, out, fds }()
	}
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		e.binary(f, c)
	case *syntax.Block:
		e.stmts(f, c.Stmts)
	case *syntax.Subshell:
		b := f.fork()
		e.stmts(b, c.Stmts)
	case *syntax.IfClause:
		e.ifClause(f, c)
	case *syntax.WhileClause:
		e.loosen(f, append(append([]*syntax.Stmt(nil), c.Cond...), c.Do...)...)
		e.loop(f, lineOf(c), func() {
			e.stmts(f, c.Cond)
			e.branches(f, func(*frame) {}, func(b *frame) {
				e.stmts(b, c.Do)
				b.ended = false
			})
		})
	case *syntax.ForClause:
		e.forClause(f, c)
	case *syntax.CaseClause:
		e.caseClause(f, c)
	case *syntax.FuncDecl:
		if c.Name != nil {
			f.funcs[c.Name.Value] = function{body: c.Body, from: f.from, base: f.lineBase}
		}
	case *syntax.DeclClause:
		e.declare(f, c)
	case *syntax.TestClause:
		e.test(f, c.X)
	case *syntax.ArithmCmd:
		e.arithmetic(f, c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			e.arithmetic(f, x)
		}
	case *syntax.TimeClause:
		e.stmt(f, c.Stmt)
	case *syntax.CoprocClause:
		e.stmt(f.fork(), c.Stmt)
	default:
		e.unknown(f, f.source(lineOf(c), "shell/syntax"), "shell construct is not analysed")
	}
}

// binary analyses lists and pipelines. Both kinds can be very long, and lean to the left or to the right, so they are taken
// apart with a loop.
func (e *engine) binary(f *frame, c *syntax.BinaryCmd) {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		e.pipeline(f, pipeStages(c))
		return
	}
	var chain []*syntax.Stmt
	var ops []syntax.BinCmdOperator
	var left *syntax.Stmt
	for {
		chain = append(chain, c.Y)
		ops = append(ops, c.Op)
		left = c.X
		next, ok := left.Cmd.(*syntax.BinaryCmd)
		if !ok || next.Op == syntax.Pipe || next.Op == syntax.PipeAll || len(left.Redirs) > 0 || left.Negated || left.Background {
			break
		}
		c = next
	}
	slices.Reverse(chain)
	slices.Reverse(ops)
	status := e.truth(f, left)
	e.stmt(f, left)
	for i := 0; i < len(chain) && !f.ended; { // "exit 1 || x": what follows does not run
		and := ops[i] == syntax.AndStmt
		switch {
		case status != either && (status == holds) != and: // it does not run, and leaves the status as it was
			i++
			continue
		case status != either || and && alwaysSucceeds(left):
			status = e.truth(f, chain[i])
			e.stmt(f, chain[i])
			left = chain[i]
			i++
		default: // it may run, and what is joined to it by && only where it does
			n := i + 1
			for and && n < len(chain) && ops[n] == syntax.AndStmt {
				n++
			}
			last := e.perhaps(f, chain[i:n])
			if status = either; last != either && (last == holds) != and {
				status = last // "x || true", "x && false"
			}
			left = chain[n-1]
			i = n
		}
	}
}

// perhaps analyses statements joined by && of which it is not known whether the first one runs: each runs where those before it
// did, with what they left behind, and any may be the last. It gives what is known of the last that may run.
func (e *engine) perhaps(f *frame, list []*syntax.Stmt) (status verdict) {
	const most = 8 // states that are kept apart
	ends := []*frame{f.fork()}
	b := f.fork()
	b.node = f.node
	for i, s := range list {
		status = e.truth(b, s)
		e.stmt(b, s)
		if b.ended || i == len(list)-1 || status == fails {
			break
		}
		if status == either && !alwaysSucceeds(s) {
			if len(ends) == most {
				all := *ends[0]
				all.merge(ends)
				ends = []*frame{&all}
			}
			ends = append(ends, b.fork())
		}
	}
	f.merge(append(ends, b))
	return status
}

// alwaysSucceeds tells whether the right side of && is as good as certain to run, so that "cd x && make" keeps one state.
func alwaysSucceeds(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return true
		}
		switch c.Args[0].Lit() {
		case "cd", "pushd", "popd", "export", "set", "source", ".", "true", ":", "echo", "mkdir", "umask", "eval", "unset", "shift", "read", "printf":
			return !s.Negated
		}
	case *syntax.DeclClause:
		return true
	case *syntax.BinaryCmd:
		return c.Op == syntax.AndStmt && alwaysSucceeds(c.X) && alwaysSucceeds(c.Y)
	}
	return false
}

func pipeStages(c *syntax.BinaryCmd) (stages []*syntax.Stmt) {
	// Left-leaning: ((a | b) | c); right-leaning after parsing in other versions. Collect both without recursion.
	var right []*syntax.Stmt
	cur := c
	for {
		right = append(right, flattenRight(cur.Y)...)
		next, ok := pipeOf(cur.X)
		if !ok {
			right = append(right, cur.X)
			break
		}
		cur = next
	}
	for i := len(right) - 1; i >= 0; i-- {
		stages = append(stages, right[i])
	}
	return stages
}

// flattenRight gives the stages of a right-leaning pipeline in reverse order.
func flattenRight(s *syntax.Stmt) (rev []*syntax.Stmt) {
	var in []*syntax.Stmt
	for {
		b, ok := pipeOf(s)
		if !ok {
			in = append(in, s)
			break
		}
		in = append(in, b.X)
		s = b.Y
	}
	for i := len(in) - 1; i >= 0; i-- {
		rev = append(rev, in[i])
	}
	return rev
}

func pipeOf(s *syntax.Stmt) (*syntax.BinaryCmd, bool) {
	if s == nil || len(s.Redirs) > 0 || s.Negated {
		return nil, false
	}
	b, ok := s.Cmd.(*syntax.BinaryCmd)
	return b, ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll)
}

// pipeline analyses stages that share one component; what a stage prints is what the next one reads.
func (e *engine) pipeline(f *frame, stages []*syntax.Stmt) {
	shared := e.newComponent()
	shared.join(f.stdio)
	outerIn, outerOut := f.in, f.out
	input := f.in
	for i, s := range stages {
		b := f.fork()
		b.stdio = shared
		b.in = input
		if i > 0 {
			b.open("0", word{})
		}
		if i < len(stages)-1 {
			b.out = &word{}
		} else {
			b.out = outerOut
		}
		e.stmt(b, s)
		if i < len(stages)-1 {
			input = &stdin{text: *b.out, line: f.lineBase + lineOf(s)}
		}
	}
	f.in, f.out = outerIn, outerOut
}

func (e *engine) ifClause(f *frame, c *syntax.IfClause) {
	var ways []func(*frame)
	elseSeen := false
	for ; c != nil; c = c.Else {
		if len(c.Cond) == 0 { // else
			body := c.Then
			ways = append(ways, func(b *frame) { e.stmts(b, body) })
			elseSeen = true
			break
		}
		known := either
		if len(c.Cond) == 1 {
			known = e.truth(f, c.Cond[0])
		}
		e.stmts(f, c.Cond)
		if known == fails {
			continue
		}
		body := c.Then
		ways = append(ways, func(b *frame) { e.stmts(b, body) })
		if known == holds {
			elseSeen = true
			break
		}
	}
	if !elseSeen {
		ways = append(ways, func(*frame) {})
	}
	e.branches(f, ways...)
}

// forClause runs the body for each known value of its variable, or once with an unknown one.
func (e *engine) forClause(f *frame, c *syntax.ForClause) {
	body := func(b *frame) {
		e.stmts(b, c.Do)
		b.ended = false
	}
	it, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		if l, ok := c.Loop.(*syntax.CStyleLoop); ok {
			e.arithmetic(f, l.Init)
			e.arithmetic(f, l.Cond)
			e.arithmetic(f, l.Post)
		}
		e.loosen(f, c.Do...)
		e.loop(f, lineOf(c), func() { e.branches(f, func(*frame) {}, body) })
		return
	}
	items := e.fields(f, it.Items)
	if it.InPos.Line() == 0 && len(it.Items) == 0 {
		items = f.params[1:]
		if f.openParams || len(items) == 0 {
			items = append(append([]word(nil), items...), word{text: hole})
		}
	}
	if len(items) > 32 {
		w := word{text: commonPrefix(items) + hole, quoted: true}
		for _, x := range items {
			w.data = joined(w.data, x.data)
		}
		items = []word{w}
		e.loosen(f, c.Do...)
	} else if len(items) == 1 && !items[0].known() {
		e.loosen(f, c.Do...) // one word that may be many
	}
	e.loop(f, lineOf(c), func() {
		for _, x := range items {
			f.set(it.Name.Value, x)
			body(f)
			if e.stopped != "" {
				return
			}
		}
	})
}

// commonPrefix is the folder that all words lie in, as text that ends in a slash; empty if there is none.
func commonPrefix(ws []word) string {
	p := ws[0].text
	for _, w := range ws[1:] {
		for !strings.HasPrefix(w.text, p) {
			p = p[:len(p)-1]
		}
	}
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i+1]
	}
	return ""
}

func (e *engine) caseClause(f *frame, c *syntax.CaseClause) {
	e.literal(f, c.Word)
	ways := []func(*frame){func(*frame) {}}
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			e.literal(f, p)
		}
		body := item.Stmts
		ways = append(ways, func(b *frame) { e.stmts(b, body) })
	}
	e.branches(f, ways...)
}

// test runs the substitutions inside [[ ... ]].
func (e *engine) test(f *frame, x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		e.literal(f, x)
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if w, ok := side.(*syntax.Word); ok {
					e.arithmetic(f, w)
				}
			}
			return
		}
		e.test(f, x.X)
		e.test(f, x.Y)
	case *syntax.UnaryTest:
		if w, ok := x.X.(*syntax.Word); ok && x.Op == syntax.TsVarSet {
			e.subscripts(f, e.literal(f, w), lineOf(w), 8)
		}
		e.test(f, x.X)
	case *syntax.ParenTest:
		e.test(f, x.X)
	}
}

// substitution runs $(...) and gives its output as far as it is known.
func (e *engine) substitution(f *frame, c *syntax.CmdSubst) word {
	b := f.fork()
	out := word{}
	b.out = &out
	b.comp = nil
	b.stdio = e.newComponent()
	if len(c.Stmts) == 1 && c.Stmts[0].Cmd == nil && len(c.Stmts[0].Redirs) == 1 { // $(<file)
		b.comp = b.stdio
		e.redirects(b, c.Stmts[0].Redirs)
		return word{text: hole, data: b.stdio}
	}
	e.stmts(b, c.Stmts)
	out.text = strings.TrimRight(out.text, "\n")
	out.data = joined(b.stdio, out.data)
	if f.comp != nil {
		f.comp.join(out.data)
	}
	out.quoted = false
	return out
}

func (e *engine) processSubstitution(f *frame, p *syntax.ProcSubst) word {
	b := f.fork()
	b.comp = nil
	b.stdio = e.newComponent()
	b.in = nil
	b.out = &word{}
	e.stmts(b, p.Stmts)
	if f.comp != nil {
		f.comp.join(b.stdio)
	}
	name := fmt.Sprintf("/dev/fd/%d", 63+len(e.pipes))
	out := *b.out
	out.data = joined(out.data, b.stdio)
	e.pipes[name] = out
	return word{text: name, data: b.stdio, quoted: true}
}

// redirects notes the files and connections that redirections open. They belong to the command's component.
func (e *engine) redirects(f *frame, redirs []*syntax.Redirect) {
	for _, r := range redirs {
		line := int(r.OpPos.Line())
		src := f.source(line, "shell/redirect")
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			t := e.hereDocument(f, r)
			if r.Hdoc != nil { // nil where the text ends before the document begins
				line = int(r.Hdoc.Pos().Line())
			}
			f.in = &stdin{text: t, line: f.lineBase + line}
			f.open("0", word{})
			continue
		case syntax.WordHdoc:
			f.open("0", word{})
			f.in = &stdin{text: e.literal(f, r.Word), line: f.lineBase + line}
			continue
		}
		ws := e.wordFields(f, r.Word)
		w := word{text: hole}
		if len(ws) == 1 {
			w = ws[0]
		}
		if f.comp != nil && w.data != nil {
			f.comp.join(w.data)
		}
		number := "0"
		if r.N != nil {
			number = r.N.Value
		}
		switch r.Op {
		case syntax.DplIn, syntax.DplOut:
			if isDescriptor(w.text) {
				if file, ok := f.fds[w.text]; ok && (r.Op == syntax.DplIn || r.N != nil) {
					f.open(number, file)
				}
				continue
			}
			if r.Op == syntax.DplIn {
				e.openFile(f, w, false, src)
				f.open(number, w)
				continue
			}
			e.openFile(f, w, true, src)
			f.out = nil
		case syntax.RdrIn:
			e.openFile(f, w, false, src)
			f.open(number, w)
			if number == "0" {
				f.in = e.input(f, w)
			}
		case syntax.RdrInOut:
			f.in = nil
			e.openFile(f, w, true, src)
		default:
			if r.N == nil || r.N.Value == "1" {
				f.out = nil
			}
			e.openFile(f, w, true, src)
		}
	}
}

// input is what a command reads from a file that is its standard input.
func (e *engine) input(f *frame, w word) *stdin {
	if out, ok := e.pipes[w.text]; ok {
		return &stdin{text: out}
	}
	if w.text == "/dev/null" {
		return nil
	}
	in := &stdin{text: word{text: hole, data: w.data}}
	if !w.known() {
		return in
	}
	if file, ok := e.data(f.abs(w.text)); ok && len(file.Data) <= maxText {
		in.text.text = string(file.Data)
		in.from = effect.Source{File: file.Path, SHA256: file.SHA256}
	}
	return in
}

func isDescriptor(s string) bool {
	s = strings.TrimSuffix(s, "-")
	return strings.Trim(s, "0123456789") == ""
}

func (e *engine) hereDocument(f *frame, r *syntax.Redirect) word {
	if r.Hdoc == nil {
		return word{}
	}
	for _, p := range r.Word.Parts { // a quoted delimiter: the text is literal
		switch p := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return word{text: litText(r.Hdoc), quoted: true}
		case *syntax.Lit:
			if strings.Contains(p.Value, `\`) {
				return word{text: litText(r.Hdoc), quoted: true}
			}
		}
	}
	return join(e.quoted(f, r.Hdoc.Parts))
}

func litText(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.WriteString(l.Value)
		}
	}
	return b.String()
}

// openFile is a redirection's file; bash opens /dev/tcp and /dev/udp paths as connections.
func (e *engine) openFile(f *frame, w word, write bool, src effect.Source) {
	for _, p := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, ok := strings.CutPrefix(w.text, p); ok {
			host, port, _ := strings.Cut(rest, "/")
			e.network(f, word{text: host + ":" + port, data: w.data}, effect.Send, src)
			return
		}
	}
	if write {
		e.write(f, w, false, src)
		return
	}
	e.read(f, w, false, src)
}
