package cli

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ambit-dev/ambit/secret"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// shower writes one entry for people.
type shower struct {
	out  layout
	home string
	all  bool
}

const showIndent = "              "

// field is one line, "  name        text". A text of more lines goes on below itself.
func (s *shower) field(name, text, tail string) {
	if text == "" && tail == "" {
		return
	}
	s.out.row(row{mark: "  " + s.out.paint(dim, pad(name, len(showIndent)-2)), rest: showIndent, text: text, tail: tail})
}

func (s *shower) title(text string) {
	s.out.line("")
	s.out.line(s.out.paint(bold, text))
}

func (s *shower) entry(e *shownEntry) {
	s.out.line(s.out.paint(bold, fmt.Sprintf("Entry %d, %s", e.Seq, visible(e.Kind))) + s.out.paint(dim, "  "+e.Time.Local().Format("Monday, 2006-01-02 15:04:05.000 -07:00")))
	if e.more > 0 {
		s.field("", fmt.Sprintf("the newest of %d that this could mean: ambit log lists the numbers", e.more+1), "")
	}
	switch {
	case e.Note != "":
		s.field("note", e.Note, "")
		s.out.row(row{text: concealed(string(e.Raw)), rest: "  "})
	case e.Kind == "intent":
		s.intent(&e.body)
		for _, f := range e.follows {
			s.title(fmt.Sprintf("Entry %d, %s", f.Seq, f.Kind) + "  " + f.Time.Local().Format(time.TimeOnly))
			s.after(&f.body, f.Kind)
		}
		if len(e.follows) == 0 {
			s.title("Afterwards")
			s.field("outcome", "nothing was heard", "")
		}
	case e.Kind == "prompt", e.Kind == "outcome":
		s.after(&e.body, e.Kind)
		if e.body.Intent != nil {
			s.field("about", fmt.Sprintf("entry %d: ambit log show %d", e.body.Intent.Seq, e.body.Intent.Seq), "")
		} else {
			s.field("about", "no intent was sealed before it", "")
		}
	default:
		s.out.row(row{text: secret.Hide("", string(e.Body)), rest: "  "})
	}
	s.title("Seal")
	s.field("leaf", e.Leaf, "")
	s.field("before", e.Prev, "")
	if e.proof != nil {
		s.field("proof", "NOT proven to be what was signed: "+e.proof.Error(), "")
		return
	}
	s.field("proof", fmt.Sprintf("in the signed log of %s", count(int(e.size), "entry", "entries")), "  key "+e.key)
}

func (s *shower) intent(b *sealed) {
	base := b.Base
	who := base.Agent
	if base.Subagent != "" {
		who += ", subagent " + base.Subagent
	}
	s.field("agent", who, "  session "+base.Session+", call "+base.Call)
	s.field("at", strings.TrimSpace(base.Event+" "+base.Mode), "  ambit "+base.Ambit)
	s.field("folder", s.path(base.Action.Dir), "")
	if base.Workspace != base.Action.Dir {
		s.field("workspace", s.path(base.Workspace), "")
	}
	s.title("Asked for")
	s.field("tool", base.Action.Tool, "")
	s.arguments(base.Action.Args)
	s.field("digest", base.Action.Digest, "")
	s.field("environment", count(len(base.Environment.Names), "variable", "variables")+", each value as a commitment", "")
	if s.all {
		s.field("", strings.Join(base.Environment.Names, " "), "")
	}
	s.represented(&b.effects, base.Workspace)

	s.title("Decided")
	d := b.Decision
	s.out.row(row{mark: "  " + s.out.paint(dim, pad("decision", len(showIndent)-2)) + s.out.paint(decisionStyle(d.Is), visible(d.Is)), rest: showIndent, text: "  by " + d.Rule, tail: "  routed: " + b.Routing})
	s.field("why", d.Why, "")
	s.field("because", b.PolicyInput.Defect, "")
	s.field("adds", cmp.Or(strings.Join(d.Added, ", "), "nothing"), "  to "+cmp.Or(strings.Join(b.PolicyInput.Explicit, ", "), "nothing"))
	for _, f := range d.Facts {
		s.field("fact", fmt.Sprintf("%s %s meets %s", f.Access, s.path(f.By), s.path(f.Place)), "  "+f.Rule)
	}
	s.field("policy", b.PolicyInput.Policy, "  sha256 "+b.PolicyInput.SHA256)
	by := b.Answered.By
	if b.Answered.Name != "" {
		by += " " + b.Answered.Name
	}
	s.field("answered by", by, "")
	s.shown(b.Shown)
}

// arguments are a tool's, each on lines of its own.
func (s *shower) arguments(raw json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		s.field("arguments", string(raw), "")
		return
	}
	for _, name := range sortedKeys(members) {
		text := string(members[name])
		var str string
		if json.Unmarshal(members[name], &str) == nil {
			text = str
		}
		s.field(visible(name), text, "")
	}
}

func (s *shower) represented(r *sealedEffects, workspace string) {
	s.title("Would be set in motion")
	for _, view := range []string{"explicit", "command", "metadata"} {
		if classes, ok := r.Views[view]; ok {
			s.field(view, strings.Join(classes, ", "), "")
		}
	}
	for _, e := range r.Effects {
		s.effect(e, "", workspace)
	}
	for _, e := range r.Ordinary {
		s.effect(e, " (ordinary)", workspace)
	}
	for _, e := range r.Delegated {
		s.effect(e, " (inside a container or on another machine)", workspace)
	}
	for _, u := range r.Unknowns {
		s.out.row(row{mark: "  " + s.out.paint(red, "?") + " ", rest: "    ", text: u.Why, tail: "  (could: " + strings.Join(u.Could, ", ") + ")", right: s.source(u.Where, workspace)})
	}
	if len(r.Reads) > 0 {
		s.field("files read", count(len(r.Reads), "file", "files")+", each with its digest", "")
	}
	if s.all {
		for _, f := range r.Reads {
			s.out.row(row{mark: "    ", rest: "      ", text: s.source(f, workspace), tail: "  " + f.SHA256})
		}
	}
}

func (s *shower) effect(e sealedEffect, note, workspace string) {
	kind, name, _ := strings.Cut(e.Resource, ":")
	if kind == "file" || kind == "exe" {
		if rel, ok := strings.CutPrefix(name, workspace+"/"); ok && workspace != "" {
			name = rel
		}
		name = s.path(name)
	} else {
		name = e.Resource
	}
	at := ""
	if len(e.Sources) > 0 {
		at = s.source(e.Sources[0], workspace)
		if n := len(e.Sources) - 1; n > 0 {
			at += fmt.Sprintf(" +%d", n)
		}
	}
	s.out.row(row{mark: "  " + pad(visible(e.Class+" "+e.Access), 20) + "  ", rest: "    ", text: name, tail: note, right: at})
}

// source is file:line with the beginning of the file's digest, or the rule.
func (s *shower) source(from sealedSource, workspace string) string {
	if from.File == "" {
		return from.Rule
	}
	name, ok := strings.CutPrefix(from.File, workspace+"/")
	if !ok || workspace == "" {
		name = s.path(from.File)
	}
	if from.Line > 0 {
		name += fmt.Sprintf(":%d", from.Line)
	}
	if len(from.SHA256) >= 8 {
		name += " @" + from.SHA256[:8]
	}
	return name
}

func (s *shower) path(name string) string {
	if s.home != "" && s.home != "/" {
		if rest, ok := strings.CutPrefix(name, s.home+"/"); ok {
			return "~/" + rest
		}
	}
	return name
}

// shown is what a person got to see, word for word.
func (s *shower) shown(t sealedShown) {
	if t.Text == "" {
		return
	}
	text := t.Text
	sum := sha256.Sum256([]byte(text))
	is := "its digest is the sealed one"
	if hex.EncodeToString(sum[:]) != t.SHA256 {
		is = "its digest is not the sealed one"
		if strings.Contains(text, "<secret:") {
			is = "that of the text before something in it was taken for a secret and replaced"
		}
	}
	s.title("Shown")
	for line := range strings.SplitSeq(text, "\n") {
		s.out.row(row{first: "  │ ", rest: "  │ ", text: line})
	}
	s.field("sha256", t.SHA256, "  "+is)
}

// after is a prompt or an outcome.
func (s *shower) after(b *sealed, kind string) {
	s.field("agent", b.Agent, "  session "+b.Session+", call "+b.Call)
	s.field("at", b.Event, "")
	s.field("tool", b.Tool, "  "+b.Digest)
	if kind == "prompt" {
		s.field("prompt", "the agent showed its own prompt", "")
		return
	}
	became := map[string]string{
		cameRan: "it ran", cameFailed: "it ran, and the tool reported an error", cameNotRun: "it did not run",
		cameChanged: "ANOTHER call than the sealed one ran",
	}[b.outcome()]
	if b.Duration > 0 {
		became += fmt.Sprintf(", %s", time.Duration(b.Duration*float64(time.Millisecond)).Round(time.Millisecond))
	}
	s.field("outcome", became, "")
	s.field("error", b.Error, "")
	s.field("answered by", strings.TrimSpace(b.Answered.By+" "+b.Answered.Name), "")
	if b.Response != nil && b.Response.Commitment != "" {
		s.field("result", fmt.Sprintf("%s of JSON", count(b.Response.Size, "byte", "bytes")), "  commitment "+b.Response.Commitment)
	}
}
