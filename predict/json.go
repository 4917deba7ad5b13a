package predict

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
)

// planJSON is the format that other programs rely on (docs/formats.md, plan version 1).
type planJSON struct {
	Version  int                       `json:"version"`
	Action   actionJSON                `json:"action"`
	Views    map[string][]effect.Class `json:"views"`
	Effects  []effectJSON              `json:"effects"`
	Flows    []flowJSON                `json:"flows"`
	Unknowns []unknownJSON             `json:"unknowns"`
	Reads    []readJSON                `json:"reads"`

	Ordinary  []effectJSON `json:"ordinary"`
	Delegated []effectJSON `json:"delegated"`
}

type actionJSON struct {
	Agent   string          `json:"agent"`
	Session string          `json:"session"`
	Dir     string          `json:"dir"`
	Tool    string          `json:"tool"`
	Command *string         `json:"command,omitempty"`
	Args    json.RawMessage `json:"args,omitempty"`
	Digest  string          `json:"digest"`
}

type effectJSON struct {
	Class    effect.Class    `json:"class"`
	Access   effect.Access   `json:"access"`
	Resource string          `json:"resource"`
	View     effect.View     `json:"view"`
	Sources  []effect.Source `json:"sources"`
}

type flowJSON struct {
	In          []string `json:"in"`
	Out         []string `json:"out"`
	Sensitivity string   `json:"sensitivity"`
	Effects     []string `json:"effects"`
}

type unknownJSON struct {
	Where placeJSON      `json:"where"`
	Why   string         `json:"why"`
	Could []effect.Class `json:"could"`
	View  effect.View    `json:"view"`
}

type placeJSON struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

type readJSON struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// MarshalJSON writes a prediction as one plan of version 1.
func (p *Prediction) MarshalJSON() ([]byte, error) {
	a := p.Action
	out := planJSON{
		Version: 1,
		Action:  actionJSON{Agent: a.Agent, Session: a.Session, Dir: a.Dir, Tool: a.Tool, Digest: a.Digest()},
		Views:   map[string][]effect.Class{},
		Effects: effectsJSON(p.Effects), Ordinary: effectsJSON(p.Ordinary), Delegated: effectsJSON(p.Delegated),
		Flows: []flowJSON{}, Unknowns: []unknownJSON{}, Reads: []readJSON{},
	}
	if cmd, ok := a.Command(); ok && a.Tool == action.Shell {
		out.Action.Command = &cmd
	} else {
		out.Action.Args = a.Args
	}
	for _, v := range []effect.View{effect.Explicit, effect.Command, effect.Metadata} {
		out.Views[v.String()] = p.Views(v)
	}
	for _, f := range p.Flows {
		out.Flows = append(out.Flows, flowJSON{patternTexts(f.In), patternTexts(f.Out), f.Sensitivity.String(), f.Effects.Names()})
	}
	for _, u := range p.Unknowns {
		out.Unknowns = append(out.Unknowns, unknownJSON{placeJSON{u.From.File, u.From.Line}, u.Why, u.Could, u.View})
	}
	for _, r := range p.Reads {
		out.Reads = append(out.Reads, readJSON{p.Relative(r.Path), r.SHA256})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // commands are full of <, > and &, and people read this too
	err := enc.Encode(out)
	return b.Bytes(), err
}

func effectsJSON(es []effect.Effect) []effectJSON {
	out := make([]effectJSON, 0, len(es))
	for _, e := range es {
		out = append(out, effectJSON{e.Class, e.Access, e.On.String(), e.View, e.Sources})
	}
	return out
}

func patternTexts(ps []effect.Pattern) []string {
	texts := make([]string, 0, len(ps))
	for _, p := range ps {
		texts = append(texts, p.String())
	}
	slices.Sort(texts)
	return texts
}
