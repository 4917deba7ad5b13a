// Package policy decides: it takes the whole input of a decision as a value and answers deny, ask or allow, with the rule and the
// facts that led there. It refuses by default: the zero Decision denies, and what it does not understand is asked about.
//
// The policy so far is the first one (docs/design.md, section 6): built-in invariants protect ambit's own files and the settings
// of agents; whatever else has an effect of a class that the agent's own approval does not name is asked about.
package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
)

// Kind is what is decided. The zero value denies.
type Kind uint8

// The kinds of decision, from the strictest.
const (
	Deny Kind = iota
	Ask
	Allow
)

// String gives the name used in every format.
func (k Kind) String() string {
	switch k {
	case Ask:
		return "ask"
	case Allow:
		return "allow"
	}
	return "deny"
}

// MarshalText writes the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a name; anything else is an error, and leaves a denial.
func (k *Kind) UnmarshalText(b []byte) error {
	*k = Deny
	switch string(b) {
	case "deny":
	case "ask":
		*k = Ask
	case "allow":
		*k = Allow
	default:
		return fmt.Errorf("decision %q is none of deny, ask, allow", b)
	}
	return nil
}

// Unknown is a place where prediction stopped, as far as a decision looks at it.
type Unknown struct {
	Why   string
	Could []effect.Class
}

// Input is I(b) of the paper: all that Decide looks at. The same input always gives the same decision.
type Input struct {
	Defect    string          // why there is no prediction; empty if there is one
	Explicit  []effect.Class  // the classes that the agent's own approval names
	Effects   []effect.Effect // what the action sets in motion
	Ordinary  []effect.Effect // what it touches below the threshold of an effect
	Delegated []effect.Effect // what others do on its behalf
	Unknowns  []Unknown
	Met       []Met // the protected places that these effects meet
}

// Met is a protected place that an effect of the action meets: the fact of an invariant.
type Met struct {
	Guard  Guard
	Effect effect.Effect
	Whole  bool // the effect is on the place, or on the folder that is its own; false where the place is one of many below the effect's folder
}

// Decision is d = F(I(b)). Added are the classes beyond the explicit view, in canonical order.
type Decision struct {
	Is    Kind
	Rule  string // name of the rule that decided
	Why   string // one sentence without an end mark
	Added []effect.Class
	Met   []Met
}

// The rules that decide where no protected place does.
const (
	RuleDefect = "no-prediction"
	RuleBeyond = "beyond-explicit-view"
	RuleWithin = "within-explicit-view"
)

// Decide is the first policy. Invariants come before everything else and nothing overrides them; then a new class of effect,
// or an unknown that could have one, asks.
func Decide(in Input) Decision {
	d := Decision{Added: Added(in), Met: strictest(in.Met)}
	whole := slices.IndexFunc(d.Met, func(m Met) bool { return m.Whole })
	switch {
	case len(d.Met) > 0 && d.Met[0].kind() == Deny, whole >= 0:
		m := d.Met[max(whole, 0)]
		d.Is, d.Rule, d.Why = m.kind(), m.Guard.Rule, m.why()
	case in.Defect != "":
		d.Is, d.Rule, d.Why = Ask, RuleDefect, in.Defect
	case len(d.Added) > 0:
		d.Is, d.Rule = Ask, RuleBeyond
		d.Why = "it can have effects that its approval does not name: " + classNames(d.Added)
	case len(d.Met) > 0:
		d.Is, d.Rule, d.Why = Ask, d.Met[0].Guard.Rule, d.Met[0].why()
	default:
		d.Is, d.Rule, d.Why = Allow, RuleWithin, "it has no effects beyond those that its approval names"
	}
	return d
}

// strictest are the protected places that decide: all of the strictest kind, none of those that are only allowed.
func strictest(met []Met) []Met {
	least := Allow
	for _, m := range met {
		least = min(least, m.kind())
	}
	if least == Allow {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(met), func(m Met) bool { return m.kind() != least })
}

// kind of decision that a met place calls for. A wide effect, which has the place below it among others (git checkout, rm -rf of a
// home folder), is the person's to judge: denying it would deny ordinary work. Of what only asks, a wide effect is no fact at all.
func (m Met) kind() Kind {
	k := m.Guard.Writes
	if m.Effect.Access == effect.Read {
		k = m.Guard.Reads
	}
	if m.Whole {
		return k
	}
	if k == Deny {
		return Ask
	}
	return Allow // what is asked about anyway is not worth a second question
}

func (m Met) why() string {
	does := "changes"
	switch m.Effect.Access {
	case effect.Read:
		does = "reads"
	case effect.Delete:
		does = "deletes"
	}
	if !m.Whole {
		does = "can reach"
	}
	return fmt.Sprintf("it %s %s, %s", does, m.Guard.Place(), m.Guard.Why)
}

// Added are the classes that the action has or could have and its approval does not name, in canonical order. What is delegated
// counts by the unknown that stands for it.
func Added(in Input) []effect.Class {
	if in.Defect != "" {
		return subtract(effect.Classes(), in.Explicit)
	}
	var has []effect.Class
	for _, e := range in.Effects {
		if !Quiet(e) {
			has = append(has, e.Class)
		}
	}
	for _, u := range in.Unknowns {
		has = append(has, u.Could...)
		if len(u.Could) == 0 { // an unknown that names nothing could be anything
			has = append(has, effect.Classes()...)
		}
	}
	return subtract(has, in.Explicit)
}

func subtract(has, without []effect.Class) []effect.Class {
	out := []effect.Class{}
	for _, c := range effect.Classes() {
		if slices.Contains(has, c) && !slices.Contains(without, c) {
			out = append(out, c)
		}
	}
	return out
}

// Quiet effects are real, sealed and shown in a plan, and nobody is asked about them: git refreshes its index when it only
// looks (git-status(1), "Background refresh"), and a question at every git status would be answered without reading.
func Quiet(e effect.Effect) bool {
	if e.Class != effect.File || e.Access != effect.Write {
		return false
	}
	name := e.On.String()
	if !strings.HasSuffix(name, "/index") && !strings.HasSuffix(name, "/index.lock") || !strings.Contains(name, "/.git/") {
		return false
	}
	for _, s := range e.Sources {
		if !strings.HasPrefix(s.Rule, "git") {
			return false
		}
	}
	return len(e.Sources) > 0
}

func classNames(cs []effect.Class) string {
	names := make([]string, len(cs))
	for i, c := range cs {
		names[i] = c.String()
	}
	return strings.Join(names, ", ")
}
