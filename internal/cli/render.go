package cli

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/flow"
	"github.com/ambit-dev/ambit/predict"
	"github.com/ambit-dev/ambit/secret"
)

// printPlan writes a plan for people: the tree of what is set in motion, then what the three views hold.
func (a *app) printPlan(p *predict.Prediction, view effect.View) error {
	secrets, err := (*secret.Keeper)(nil).Knowing(p.Action.Args) // effects repeat arguments, where nothing says that they are secrets
	if err != nil {
		return err
	}
	r := &renderer{out: layout{out: a.out, screen: a.screen, secrets: secrets}, p: p, view: view, home: a.getenv("HOME")}
	r.node(r.top(), "", "")
	r.delegated()
	r.summary()
	return nil
}

// renderer walks one prediction.
type renderer struct {
	out  layout
	p    *predict.Prediction
	view effect.View
	home string
}

// top is where the tree begins: a command line that is one command is not shown twice.
func (r *renderer) top() *predict.Node {
	root := r.p.Tree
	if len(root.Children) != 1 || len(root.Unknowns) > 0 || root.Children[0].Title != root.Title {
		return root
	}
	for _, i := range root.Effects {
		if r.p.Effects[i].Class != effect.Process {
			return root
		}
	}
	return root.Children[0]
}

// hasNode tells whether the view reaches an expansion: what a file of the workspace says is only in the widest.
func (r *renderer) hasNode(n *predict.Node) bool {
	return r.view == effect.Metadata || n.From.File == ""
}

// node prints an expansion and all below it. first leads its first line, rest all others.
func (r *renderer) node(n *predict.Node, first, rest string) {
	// What only leads to one other thing shares the line with it: "pre-commit hook › .git/hooks/pre-commit".
	title, mark, at := n.Title, "", r.place(n.From)
	effects, own := r.effectsOf(n)
	for child := r.only(n); child != nil && len(effects) == 0; child = r.only(n) {
		if own {
			mark = r.letter(effect.Process) + " "
		}
		if !strings.HasSuffix(title, strings.TrimPrefix(child.Title, "./")) {
			title += " › " + child.Title
		}
		n, at = child, cmp.Or(at, r.place(child.From))
		effects, own = r.effectsOf(n)
	}
	if own {
		mark = r.letter(effect.Process) + " "
	}
	note := ""
	if n.Note != "" {
		note = "  (" + n.Note + ")"
	}
	r.out.row(row{first: first, rest: rest + "  ", mark: mark, text: title, style: bold, tail: note, right: at})

	var children []*predict.Node
	for _, c := range n.Children {
		if r.hasNode(c) {
			children = append(children, c)
		}
	}
	bar := "   "
	if len(children) > 0 {
		bar = "│  "
	}
	variables, effects := r.variables(effects)
	for _, i := range effects {
		r.effect(r.p.Effects[i], n.From.File, rest+bar)
	}
	if len(variables) > 0 {
		r.readVariables(variables, n.From.File, rest+bar)
	}
	for _, i := range n.Unknowns {
		if u := r.p.Unknowns[i]; u.View <= r.view {
			r.unknown(u, rest+bar)
		}
	}
	for i, c := range children {
		if i == len(children)-1 {
			r.node(c, rest+"└─ ", rest+"   ")
		} else {
			r.node(c, rest+"├─ ", rest+"│  ")
		}
	}
}

// only is the single expansion of one that says nothing else.
func (r *renderer) only(n *predict.Node) *predict.Node {
	if n == r.p.Tree || len(n.Unknowns) > 0 || n.Note != "" || len(n.Children) != 1 || !r.hasNode(n.Children[0]) {
		return nil
	}
	return n.Children[0]
}

// effectsOf are the effects of an expansion that get a line of their own. The start of the one program that its title speaks of
// gets none, where the program lies in a place of the system's: own tells that there is one.
func (r *renderer) effectsOf(n *predict.Node) (lines []int, own bool) {
	starts := 0
	for _, i := range n.Effects {
		e := r.p.Effects[i]
		if e.View > r.view {
			continue
		}
		if e.Class == effect.Process && e.Access == effect.Exec {
			starts++
			own = own || r.ordinaryProgram(n, e)
		}
		lines = append(lines, i)
	}
	if own = own && starts == 1; own {
		lines = slices.DeleteFunc(lines, func(i int) bool { return r.p.Effects[i].Class == effect.Process })
	}
	return lines, own
}

// ordinaryProgram tells whether a program is where its name makes one expect it: the name itself where it could not be found, the
// file that the command names, or a program of the system.
func (r *renderer) ordinaryProgram(n *predict.Node, e effect.Effect) bool {
	program := strings.TrimPrefix(e.On.String(), "exe:")
	command, _, _ := strings.Cut(n.Title, " ")
	if !strings.Contains(program, "/") {
		return true
	}
	if here := r.p.Relative(program); here == path.Clean(command) || here == r.p.Relative(n.From.File) {
		return true
	}
	for _, dir := range []string{"/usr/", "/bin/", "/sbin/", "/lib/", "/nix/store/", "/opt/homebrew/"} {
		if strings.HasPrefix(program, dir) && !strings.HasPrefix(program, r.p.Workspace+"/") {
			return true
		}
	}
	return false
}

// manyVariables is from how many on variables that are read share a line: bundled programs read dozens.
const manyVariables = 4

// variables takes the variables that are read by name out of an expansion's effects, where they are many.
func (r *renderer) variables(effects []int) (read, others []int) {
	for _, i := range effects {
		if e := r.p.Effects[i]; e.Class == effect.Environment && e.Access == effect.Read && e.On.Kind() == effect.EnvKind {
			read = append(read, i)
		} else {
			others = append(others, i)
		}
	}
	if len(read) < manyVariables {
		return nil, effects
	}
	return read, others
}

// readVariables prints the names of variables that are read, all of them, with the place of the first.
func (r *renderer) readVariables(effects []int, file, lead string) {
	names := make([]string, len(effects))
	for i, x := range effects {
		names[i] = r.pattern(r.p.Effects[x].On.String())
	}
	first := r.p.Effects[effects[0]]
	r.out.row(row{
		first: lead, rest: lead + "           ", mark: r.letter(first.Class) + " " + pad(first.Access.String(), 6) + "  ",
		text: strings.Join(names, ", "), right: r.sources(first.Sources, r.p.Relative(file)),
	})
}

// effect prints one effect. Of its sources that one is shown which the expansion comes from.
func (r *renderer) effect(e effect.Effect, file, lead string) {
	r.out.row(row{
		first: lead, rest: lead + "           ", mark: r.letter(e.Class) + " " + pad(e.Access.String(), 6) + "  ",
		text: r.pattern(e.On.String()), right: r.sources(e.Sources, r.p.Relative(file)),
	})
}

func (r *renderer) unknown(u predict.Unknown, lead string) {
	r.out.row(row{
		first: lead, rest: lead + "  ", mark: r.out.paint(red, "?") + " ", text: u.Why,
		tail: "  (could: " + r.letters(u.Could) + ")", right: r.place(u.From),
	})
}

// sources names where an effect follows from: the place in the given file if there is one, and how many others there are.
func (r *renderer) sources(all []effect.Source, file string) string {
	if len(all) == 0 {
		return ""
	}
	i := max(slices.IndexFunc(all, func(s effect.Source) bool { return s.File == file }), 0)
	text := r.place(all[i])
	if text == "" {
		text = all[i].Rule
	}
	if n := len(all) - 1; n > 0 {
		text += fmt.Sprintf(" +%d", n)
	}
	return text
}

// place is file:line, "" for the command line.
func (r *renderer) place(s effect.Source) string {
	if s.File == "" {
		return ""
	}
	name := r.short(r.p.Relative(s.File))
	if s.Line == 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, s.Line)
}

// pattern is a resource without the kinds that go without saying, and a path relative to the workspace or to home.
func (r *renderer) pattern(full string) string {
	kind, name, _ := strings.Cut(full, ":")
	switch {
	case full == "file:/**":
		return "any file"
	case full == "host:*":
		return "any host"
	case kind == "file" && strings.TrimSuffix(name, "/**") == r.p.Workspace:
		return "." + strings.TrimPrefix(name, r.p.Workspace)
	case kind == "file", kind == "exe":
		return r.short(r.p.Relative(name))
	case kind == "host", kind == "env", kind == "tool", kind == "image":
		return name
	}
	return full
}

// short writes the home folder as ~.
func (r *renderer) short(name string) string {
	if rest, ok := strings.CutPrefix(name, r.home+"/"); ok && path.IsAbs(r.home) && r.home != "/" {
		return "~/" + rest
	}
	return name
}

// delegated lists what is done on behalf of the command, but not by its own processes.
func (r *renderer) delegated() {
	var in []effect.Effect
	for _, e := range r.p.Delegated {
		if e.View <= r.view {
			in = append(in, e)
		}
	}
	if len(in) == 0 {
		return
	}
	r.out.line("")
	r.out.line("Inside containers or on other machines, which the command asks for it:")
	for _, e := range in {
		r.effect(e, "", "   ")
	}
}

// summary says what each view holds, which classes the unknowns could add, and what the letters mean.
func (r *renderer) summary() {
	parts := []string{}
	for _, v := range []effect.View{effect.Explicit, effect.Command, effect.Metadata} {
		if v <= r.view {
			parts = append(parts, v.String()+" "+r.letters(r.p.Views(v)))
		}
	}
	r.out.line("")
	r.out.row(row{rest: "  ", text: strings.Join(parts, "  →  "), style: bold})

	for _, f := range r.p.Flows {
		r.flow(f)
	}
	unknowns, could := 0, map[effect.Class]bool{}
	for _, u := range r.p.Unknowns {
		if u.View > r.view {
			continue
		}
		unknowns++
		for _, c := range u.Could {
			could[c] = true
		}
	}
	used := r.p.Views(r.view)
	for _, c := range used {
		delete(could, c)
	}
	if unknowns > 0 {
		text := count(unknowns, "place", "places") + " where analysis stopped"
		if len(could) > 0 {
			text += "; what is there could add " + r.letters(sorted(could))
		}
		r.out.row(row{rest: "  ", mark: r.out.paint(red, "?") + " ", text: text})
	}
	for _, e := range r.p.Delegated {
		could[e.Class] = true
	}
	legend := []string{}
	for _, c := range inOrder() {
		if could[c] || slices.Contains(used, c) {
			legend = append(legend, letterOf(c)+" "+c.String())
		}
	}
	r.out.row(row{rest: "  ", text: strings.Join(legend, "  "), style: dim})
}

// flow names where data goes that more than the workspace's own people should not see.
func (r *renderer) flow(f flow.Flow) {
	if f.Sensitivity < flow.Personal || len(f.In) == 0 || len(f.Out) == 0 {
		return
	}
	text := f.Sensitivity.String() + " data: " + r.patterns(f.In) + " → " + r.patterns(f.Out)
	r.out.row(row{rest: "  ", mark: r.out.paint(red, "!") + " ", text: text})
}

func (r *renderer) patterns(ps []effect.Pattern) string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = r.pattern(p.String())
		if kind, _, _ := strings.Cut(p.String(), ":"); kind == "env" {
			texts[i] = "$" + texts[i]
		}
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

func sorted(set map[effect.Class]bool) (out []effect.Class) {
	for _, c := range inOrder() {
		if set[c] {
			out = append(out, c)
		}
	}
	return out
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func letterOf(c effect.Class) string {
	switch c {
	case effect.Container:
		return "C"
	case effect.Environment:
		return "E"
	case effect.File:
		return "F"
	case effect.MCP:
		return "M"
	case effect.Network:
		return "N"
	case effect.Process:
		return "P"
	}
	return "!"
}

func (r *renderer) letter(c effect.Class) string {
	st := cyan
	switch c {
	case effect.Container:
		st = blue
	case effect.Environment:
		st = green
	case effect.File:
		st = yellow
	case effect.MCP:
		st = purple
	case effect.Network:
		st = red
	}
	return r.out.paint(st, letterOf(c))
}

// inOrder are the classes in the order in which people say them, "P,F,N": what runs, then what it reaches.
func inOrder() []effect.Class {
	return []effect.Class{effect.Process, effect.MCP, effect.File, effect.Environment, effect.Network, effect.Container}
}

// letters names classes by their letters.
func (r *renderer) letters(classes []effect.Class) string {
	out := []string{}
	for _, c := range inOrder() {
		if slices.Contains(classes, c) {
			out = append(out, letterOf(c))
		}
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ",")
}
