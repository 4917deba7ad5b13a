package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/ambit-dev/ambit/record"
	"github.com/ambit-dev/ambit/secret"
)

type logShowCommand struct {
	logPlace
	logKey
	JSON  bool   `name:"json" help:"Print the whole entry as one JSON object (docs/formats.md)."`
	All   bool   `help:"Also the names of the environment variables, and the digests of all files that were read."`
	Value string `placeholder:"-" help:"With -: read a value from standard input, and say which commitments of the entry are to it."`

	ID string `arg:"" name:"id" help:"The number of an entry, the first 4 or more digits of an action's digest, or the agent's name of a call."`
}

// Help is shown by kong below the command's own line.
func (logShowCommand) Help() string {
	return `A question of ambit names its record: ambit log show 2f8a1c04. For example:

    ambit log show 41
    printf %s "$TOKEN" | ambit log show 41 --value -`
}

// shownEntry is an entry with all that is known about it.
type shownEntry struct {
	*record.Entry
	body    sealed
	follows []shownEntry // prompts and outcomes that name it
	more    int          // other actions that the ID would fit
	proof   error        // why it is not proven to be in the log; nil if it is
	size    int64        // of the log
	key     string
}

func (c logShowCommand) Run(a *app) error {
	if c.Value != "" && c.Value != "-" {
		return faultf(codeUsage, "printf %s VALUE | ambit log show ID --value -", "a value on the command line can be seen by others: --value takes only -")
	}
	r, err := c.open(a)
	if err != nil {
		return err
	}
	defer r.Close()
	e, err := c.find(r)
	if err != nil {
		return c.fault(a, err)
	}
	if err := c.prove(a, r, e); err != nil {
		return err
	}
	switch {
	case c.Value != "":
		return c.match(a, e)
	case c.JSON:
		err = writeLine(a.out, e.object())
	default:
		(&shower{a.recordLayout(), a.getenv("HOME"), c.All}).entry(e)
	}
	if err == nil && e.proof != nil {
		if c.JSON {
			return exitWith(exitNotSigned)
		}
		return faultf(codeNotSigned, "ambit log verify", "entry %d is not proven to be what was signed: %v", e.Seq, e.proof)
	}
	return err
}

// find looks the entry up, the newest first, and what follows it.
func (c logShowCommand) find(r *record.Reader) (*shownEntry, error) {
	seq, err := strconv.ParseInt(c.ID, 10, 64)
	if err == nil && strconv.FormatInt(seq, 10) == c.ID && seq >= 0 && seq < r.Size() {
		e, err := r.Entry(seq)
		return c.whole(r, e, 0, err)
	}
	var found, other *record.Entry
	more := 0
	digest := strings.TrimPrefix(c.ID, "sha256:")
	action := func(full string) bool {
		return len(digest) >= 4 && strings.HasPrefix(strings.TrimPrefix(full, "sha256:"), digest)
	}
	for e, err := range r.All(record.Newest) {
		if err != nil && e.Body == nil || !bytes.Contains(e.Raw, []byte(digest)) && !bytes.Contains(e.Raw, []byte(`\`)) {
			continue // what cannot be read is named by ambit log and ambit log verify
		}
		var s sealed
		if json.Unmarshal(e.Body, &s) != nil {
			continue
		}
		switch {
		case e.Kind == "intent" && (action(s.Base.Action.Digest) || s.Base.Call == c.ID):
			if found == nil {
				found = e
			} else {
				more++
			}
		case other == nil && (action(s.Digest) || s.Call == c.ID):
			other = e
		}
	}
	if found == nil {
		found = other
	}
	if found == nil {
		return nil, faultf(codeNoEntry, "ambit log --all lists what there is; of a digest at least 4 digits are needed",
			"no entry has the number, the action or the call %q: the log has %s", c.ID, count(int(r.Size()), "entry", "entries"))
	}
	return c.whole(r, found, more, nil)
}

// readBody reads a body as it may be shown: the placeholders of secrets without their commitments, and the text that a person was shown as
// it was then, where what looks like a placeholder was one.
func readBody(body []byte) (s sealed, err error) {
	hidden, err := secret.HideJSON(body)
	if err != nil {
		return s, err
	}
	var was struct{ Shown sealedShown }
	if err := errors.Join(json.Unmarshal(hidden, &s), json.Unmarshal(body, &was)); err != nil {
		return s, err
	}
	s.Shown.Text = secret.Literal(was.Shown.Text)
	if len(s.Represented) > 0 {
		err = json.Unmarshal(s.Represented, &s.effects)
	}
	return s, err
}

// whole adds what later entries say.
func (c logShowCommand) whole(r *record.Reader, e *record.Entry, more int, err error) (*shownEntry, error) {
	if err != nil {
		return nil, err
	}
	s := &shownEntry{Entry: e, more: more, size: r.Size()}
	if e.Note == "" {
		if s.body, err = readBody(e.Body); err != nil {
			s.Note = "its body is of a form that this ambit does not know: " + err.Error()
		}
	}
	if e.Kind != "intent" {
		return s, nil
	}
	for later, err := range r.All(record.Newest) {
		if later.Seq <= e.Seq {
			break
		}
		if err != nil || !bytes.Contains(later.Raw, []byte(e.Leaf)) {
			continue
		}
		f := shownEntry{Entry: later}
		if f.body, err = readBody(later.Body); err == nil && f.body.Intent != nil && *f.body.Intent == (reference{e.Seq, e.Leaf}) {
			s.follows = append([]shownEntry{f}, s.follows...)
		}
	}
	return s, nil
}

// prove checks that the entry is in the log that was signed.
func (c logShowCommand) prove(a *app, r *record.Reader, e *shownEntry) error {
	key, from, err := c.key(a)
	if err != nil {
		e.proof = err
		return nil
	}
	e.key = strings.SplitN(key, "+", 2)[0] + ", from " + from
	p, err := r.ProveInclusion(e.Seq)
	if err == nil {
		err = record.CheckInclusion(key, p, e.Raw)
	}
	e.proof = err
	return nil
}

// entryObject is a whole entry for programs: docs/formats.md, "An entry".
type entryObject struct {
	Seq     int64           `json:"seq"`
	Time    time.Time       `json:"time"`
	Kind    string          `json:"kind"`
	Version int             `json:"version"`
	Prev    string          `json:"prev"`
	Leaf    string          `json:"leaf"`
	Body    json.RawMessage `json:"body"`
	Note    string          `json:"note,omitempty"`
	Raw     json.RawMessage `json:"raw,omitempty"` // of an entry whose body is not read
}

func objectOf(e *record.Entry) entryObject {
	o := entryObject{e.Seq, e.Time, e.Kind, e.Version, e.Prev, e.Leaf, e.Body, e.Note, nil}
	if e.Body == nil {
		o.Body = json.RawMessage("null")
		o.Raw = e.Raw
	}
	return o
}

func (e *shownEntry) object() any {
	o := struct {
		entryObject
		Follows []int64 `json:"follows"`
		More    int     `json:"more"`
		Proven  bool    `json:"proven"`
		Why     string  `json:"why_not_proven,omitempty"`
	}{objectOf(e.Entry), []int64{}, e.more, e.proof == nil, ""}
	for _, f := range e.follows {
		o.Follows = append(o.Follows, f.Seq)
	}
	if e.proof != nil {
		o.Why = e.proof.Error()
	}
	return o
}

// match says which commitments of an entry, and of those that follow it, are to the value on standard input.
func (c logShowCommand) match(a *app, e *shownEntry) error {
	const limit = 64 << 20
	value, err := io.ReadAll(io.LimitReader(a.in, limit+1))
	if err != nil {
		return faultf(codeBadInput, "check what standard input is connected to", "cannot read the value: %v", err)
	}
	if len(value) > limit {
		return faultf(codeTooLarge, "give the value alone", "the value has more than %d bytes", limit)
	}
	place, err := a.place()
	if err != nil {
		return err
	}
	log, err := record.Open(place, record.Options{})
	if err != nil {
		return recordFault(err)
	}
	defer log.Close()
	is := func(commitment string) bool {
		return log.Keeper().Is(commitment, string(value)) || log.Keeper().Is(commitment, strings.TrimSuffix(string(value), "\n"))
	}
	found := []valueMatch{}
	for _, at := range append([]shownEntry{*e}, e.follows...) {
		for _, k := range commitmentsOf(at) {
			if is(k.commitment) {
				found = append(found, valueMatch{at.Seq, k.where, k.commitment})
			}
		}
	}
	if c.JSON {
		return writeLine(a.out, struct {
			Seq     int64        `json:"seq"`
			Matches []valueMatch `json:"matches"`
			Proven  bool         `json:"proven"`
		}{e.Seq, found, e.proof == nil})
	}
	l := a.recordLayout()
	for _, m := range found {
		l.row(row{mark: l.paint(green, "It is the value of "), rest: "  ", text: fmt.Sprintf("%s in entry %d", m.Where, m.Seq), tail: "  (commitment " + m.Commitment + ")"})
	}
	if len(found) == 0 {
		l.row(row{text: fmt.Sprintf("No commitment of entry %d is to this value.", e.Seq)})
	}
	if e.proof != nil {
		return faultf(codeNotSigned, "ambit log verify", "entry %d is not proven to be what was signed: %v", e.Seq, e.proof)
	}
	return nil
}

type valueMatch struct {
	Seq        int64  `json:"seq"`
	Where      string `json:"where"`
	Commitment string `json:"commitment"`
}

type commitment struct{ where, commitment string }

// commitmentsOf are all commitments of an entry with the place of each: the environment's, those in the place of secrets, and of a result.
func commitmentsOf(e shownEntry) (list []commitment) {
	env := e.body.Base.Environment
	for i, name := range env.Names {
		if i < len(env.Commitments) {
			list = append(list, commitment{"$" + name, env.Commitments[i]})
		}
	}
	if e.body.Response != nil && e.body.Response.Commitment != "" {
		list = append(list, commitment{"the tool's result", e.body.Response.Commitment})
	}
	if e.body.Base.Action.Commitment != "" {
		list = append(list, commitment{"the action's digest", e.body.Base.Action.Commitment})
	}
	var body any
	if json.Unmarshal(e.Body, &body) == nil {
		list = placeholders(list, "", body)
	}
	return list
}

// placeholders finds "<secret:KIND:COMMITMENT>" in all strings and names below a value.
func placeholders(list []commitment, at string, v any) []commitment {
	switch v := v.(type) {
	case string:
		for rest := v; ; {
			_, after, ok := strings.Cut(rest, "<secret:")
			if !ok {
				return list
			}
			inside, tail, ok := strings.Cut(after, ">")
			if !ok {
				return list
			}
			if kind, c, ok := strings.Cut(inside, ":"); ok {
				list = append(list, commitment{"the " + kind + " at " + at, c})
			}
			rest = tail
		}
	case []any:
		for i, one := range v {
			list = placeholders(list, fmt.Sprintf("%s/%d", at, i), one)
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			list = placeholders(list, at, name)
			list = placeholders(list, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), v[name])
		}
	}
	return list
}
