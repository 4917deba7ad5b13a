package mediate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/width"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/internal/visible"
	"github.com/ambit-dev/ambit/policy"
	"github.com/ambit-dev/ambit/secret"
)

// A question must fit where it is shown: Claude Code cuts a reason after ten rows of the screen. So it has nine at most, counted as a
// screen of 76 columns breaks them, the verdict first; what does not fit is counted, with the command that shows it.
const (
	questionRows    = 9
	questionColumns = 76
)

// line is one thing that a question names.
type line struct {
	class  string
	text   string
	source string
	weight int // smaller is shown first
}

// question is the text that a person is shown for a judgement that is no plain yes. digest names the record to look up.
func (m *Monitor) question(j *judgement, digest string) (string, error) {
	secrets, err := (*secret.Keeper)(nil).Knowing(j.action.Args)
	if err != nil {
		return "", err
	}
	q := asking{j: j, home: m.variable("HOME"), secrets: secrets}
	lines := q.lines()
	// Only the verdict and its first line are certain to be read, so each class that is added has a line before any has its second.
	lines = spread(lines)
	out := []string{q.verdict()}
	left := questionRows - rows(out[0]) - 1
	n := 0
	for ; n < len(lines) && rows(q.format(lines[n], lines)) <= left; n++ {
		text := q.format(lines[n], lines)
		out = append(out, text)
		left -= rows(text)
	}
	text := strings.Join(append(out, q.tail(lines[n:], digest)), "\n")
	// The record takes secrets out of what it seals, also out of this text. What it would take is taken now, so that the text that is
	// sealed is the one that is shown: a cut can make the rest of a line look like a header's value.
	for range 3 {
		final := q.hidden(text)
		if final == text {
			break
		}
		text = final
	}
	return text, nil
}

type asking struct {
	j       *judgement
	home    string
	secrets *secret.Keeper
}

func (q asking) verdict() string {
	d := q.j.decision
	subject := q.subject()
	switch {
	case d.Is == policy.Deny:
		return sentence("ambit denies "+subject+": "+q.clean(d.Why)) + " If it is wanted, a person makes the change by hand."
	case d.Rule != policy.RuleBeyond:
		return sentence("ambit asks about "+subject+": "+q.clean(d.Why)) + q.reach()
	}
	sure, possible := q.added()
	says := "it adds " + list(sure) + " to what you see."
	switch {
	case len(sure) == 0:
		says = "not all of it is known; it could add " + list(possible) + "."
	case len(possible) > 0:
		says = "it adds " + list(sure) + " to what you see, and could add " + list(possible) + "."
	}
	return "ambit asks about " + subject + ": " + says + q.reach()
}

// reach names the protected places that a wide effect has among others.
func (q asking) reach() string {
	var places []string
	for _, m := range q.j.decision.Met {
		if m.Whole { // it is no wide effect, and has a line of its own
			continue
		}
		if place := shorten(q.clean(q.path(m.Guard.Place()))); !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	const most = 2
	switch {
	case len(places) == 0:
		return ""
	case len(places) > most:
		places = append(places[:most:most], fmt.Sprintf("%d more protected places", len(places)-most))
	}
	return " It can reach " + list(places) + "."
}

// added are the names of the classes beyond the explicit view: those of effects, and those that only unknowns could have.
func (q asking) added() (sure, possible []string) {
	for _, c := range q.j.decision.Added {
		if slices.ContainsFunc(q.j.input.Effects, func(e effect.Effect) bool { return e.Class == c && !policy.Quiet(e) }) {
			sure = append(sure, c.String())
		} else {
			possible = append(possible, c.String())
		}
	}
	return sure, possible
}

// subject is the call in a few words: its first line, short enough to leave room for the rest.
func (q asking) subject() string {
	title := q.j.action.Tool
	if p := q.j.prediction; p != nil && p.Tree != nil {
		title = p.Tree.Title
		if tool, name, ok := strings.Cut(title, " /"); ok && tool == q.j.action.Tool { // a tool and its file
			title = tool + " " + q.path("/"+name)
		}
	}
	title = strings.TrimSpace(q.hidden(title)) // before it is cut: half a secret is not recognised
	first, rest, _ := strings.Cut(title, "\n")
	first = visible.Text(strings.TrimSpace(first))
	const most = 60
	short := []rune(first)
	if cut := len([]rune(visible.Text(title))) - min(len(short), most); rest != "" || len(short) > most {
		return fmt.Sprintf("`%s…` (%s more)", string(short[:min(len(short), most)]), count(cut, "character"))
	}
	return "`" + first + "`"
}

// lines are the effects and unknowns that the question is about, without repetition.
func (q asking) lines() []line {
	var out []line
	seen := map[string]bool{}
	add := func(l line) {
		if key := l.class + " " + l.text; !seen[key] {
			seen[key] = true
			out = append(out, l)
		}
	}
	d := q.j.decision
	for _, m := range d.Met {
		if d.Rule == policy.RuleBeyond {
			break // their effects are among those that are added
		}
		w := 0
		if m.Whole {
			w = ofVerdict
		}
		add(line{m.Effect.Class.String() + " " + m.Effect.Access.String(), q.resource(m.Effect.On), q.source(m.Effect.Sources), w})
	}
	if d.Is == policy.Deny {
		return out
	}
	for _, e := range q.j.input.Effects {
		if slices.Contains(d.Added, e.Class) && !policy.Quiet(e) {
			add(line{e.Class.String() + " " + e.Access.String(), q.resource(e.On), q.source(e.Sources), q.weight(e)})
		}
	}
	if p := q.j.prediction; p != nil {
		for _, u := range p.Unknowns {
			could := slices.DeleteFunc(slices.Clone(u.Could), func(c effect.Class) bool { return !slices.Contains(d.Added, c) })
			if len(could) > 0 {
				add(line{"unknown", q.clean(u.Why), q.source([]effect.Source{u.From}), ofUnknowns})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b line) int { return cmp.Compare(a.weight, b.weight) })
	return out
}

// weight puts what the workspace adds before what the command itself says, of each what lies outside the workspace before what lies
// in it, and what leaves the machine or destroys before the rest: a long list of small things must not push the one that matters
// out of sight.
func (q asking) weight(e effect.Effect) int {
	w := 0
	if e.View != effect.Metadata {
		w = 20
	}
	if q.inside(e) {
		w += 10
	}
	switch e.Access {
	case effect.Send, effect.Delete:
		return w
	case effect.Fetch, effect.Run, effect.Build, effect.Call, effect.Listen:
		return w + 1
	case effect.Write:
		return w + 2
	}
	return w + 3
}

// ofVerdict is the weight of what the verdict itself names: a wide effect beside it must not take its place.
const ofVerdict = -1

// ofUnknowns is the weight of what is not known, which has a line of its own class among the first.
const ofUnknowns = 40

// inside tells whether an effect is on files of the workspace alone.
func (q asking) inside(e effect.Effect) bool {
	p := q.j.prediction
	if p == nil || e.Class != effect.File || e.On.Kind() != effect.FileKind {
		return false
	}
	workspace, err := effect.FilePath(p.Workspace)
	return err == nil && e.On.Within(effect.Below(workspace))
}

// spread reorders lines so that every class has one before any has two, keeping the order within a class.
func spread(lines []line) []line {
	count := map[string]int{}
	type placed struct {
		line
		round int
	}
	var all []placed
	for _, l := range lines {
		class, _, _ := strings.Cut(l.class, " ")
		all = append(all, placed{l, count[class]})
		count[class]++
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(min(a.round, 1), min(b.round, 1)) })
	out := make([]line, len(all))
	for i, p := range all {
		out[i] = p.line
	}
	return out
}

// format lays one line out, in columns where that fits.
func (q asking) format(l line, all []line) string {
	class, text := 0, 0
	for _, o := range all {
		class = max(class, len(o.class))
		if n := len([]rune(o.text)); n <= 40 {
			text = max(text, n)
		}
	}
	s := fmt.Sprintf("  %-*s  %-*s", class, l.class, text, l.text)
	if l.source != "" {
		s += "  " + l.source
	}
	return strings.TrimRight(s, " ")
}

// tail says what was left out, and where all of it is.
func (q asking) tail(left []line, digest string) string {
	effects, unknowns := 0, 0
	for _, l := range left {
		if l.class == "unknown" {
			unknowns++
		} else {
			effects++
		}
	}
	var more []string
	if effects > 0 {
		more = append(more, count(effects, "more effect"))
	}
	if unknowns > 0 {
		more = append(more, count(unknowns, "more unknown"))
	}
	id := strings.TrimPrefix(digest, "sha256:")
	where := "ambit log show " + id[:min(len(id), 8)]
	if len(more) == 0 {
		return "The record: " + where
	}
	return "And " + strings.Join(more, ", ") + ": " + where
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// resource is a resource as a person says it: paths from the workspace or the home folder.
func (q asking) resource(p effect.Pattern) string {
	kind, text, _ := strings.Cut(p.String(), ":")
	switch kind {
	case "file", "exe":
		text = q.path(text)
	case "env":
		text = "$" + text
	}
	return shorten(q.clean(text))
}

func (q asking) path(name string) string {
	if p := q.j.prediction; p != nil {
		if rel := p.Relative(name); rel != name {
			return rel
		}
	}
	if q.home != "" && strings.HasPrefix(name, q.home+"/") {
		return "~" + strings.TrimPrefix(name, q.home)
	}
	return name
}

// source is the place that a reader can open: a file and line before a rule.
func (q asking) source(sources []effect.Source) string {
	for _, s := range sources {
		if s.File != "" {
			at := shorten(q.clean(q.path(s.File)))
			if s.Line > 0 {
				at += fmt.Sprintf(":%d", s.Line)
			}
			return at
		}
	}
	return ""
}

// shorten keeps a name from filling the whole question: the middle is left out, and its length said.
func shorten(s string) string {
	const most = 120
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return fmt.Sprintf("%s…(%d characters)…%s", string(r[:most/2]), len(r)-most, string(r[len(r)-most/2:]))
}

// clean is text from outside as it may be shown: secrets hidden, everything that is not drawn written out, on one line.
func (q asking) clean(s string) string { return visible.Text(q.hidden(s)) }

// hidden is text without its secrets, also those that only the call's arguments tell for what they are. It did not come through the
// record, so no placeholder in it is ours. A person reads <password> in place of one: text of that form is a secret to nobody.
func (q asking) hidden(s string) string {
	return strings.ReplaceAll(q.secrets.Text("", s), "<secret:", "<")
}

// rows is how many rows of the screen a text takes.
func rows(text string) int {
	n := 0
	for l := range strings.SplitSeq(text, "\n") {
		n += max(1, (cells(l)+questionColumns-1)/questionColumns)
	}
	return n
}

// cells is how many columns of the screen a line takes: a wide character two (Unicode Standard Annex 11).
func cells(line string) int {
	n := 0
	for _, r := range line {
		n++
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			n++
		}
	}
	return n
}

// list joins names as prose does.
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// sentence ends a text with an end mark.
func sentence(s string) string {
	if s = strings.TrimSpace(s); strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}
