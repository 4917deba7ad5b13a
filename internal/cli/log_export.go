package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/ambit-dev/ambit/record"
)

type logExportCommand struct {
	logPlace
	Format string `enum:"jsonl,in-toto" default:"jsonl" placeholder:"FORMAT" help:"jsonl: each entry whole, on a line. in-toto: a signed statement for each call's entries, on a line."`
	From   int64  `placeholder:"SEQ" help:"The first entry."`
	To     int64  `default:"-1" placeholder:"SEQ" help:"The last entry."`
	Output string `short:"o" placeholder:"FILE" help:"Write to this file, which is replaced when all is written."`
}

// Help is shown by kong below the command's own line.
func (logExportCommand) Help() string {
	return `The statements are DSSE envelopes (docs/formats.md) that are signed with the log's key; log.pub checks them. Secrets stay
commitments in both formats.`
}

// The types of what in-toto defines, and of our predicate.
const (
	inTotoPayload   = "application/vnd.in-toto+json"
	inTotoStatement = "https://in-toto.io/Statement/v1"
	inTotoPredicate = "https://github.com/ambit-dev/ambit/record/v1"
)

func (c logExportCommand) Run(a *app) (err error) {
	r, err := c.open(a)
	if err != nil {
		return err
	}
	defer r.Close()
	last := r.Size() - 1
	if c.To >= 0 {
		last = c.To
	}
	if c.From < 0 || c.From > last && r.Size() > 0 || last >= r.Size() {
		return faultf(codeNoEntry, "ambit log lists what there is", "there are no entries %d to %d: the log has %s", c.From, last, count(int(r.Size()), "entry", "entries"))
	}
	write := c.entry
	if c.Format == "in-toto" {
		signer, err := c.signer(a, r)
		if err != nil {
			return err
		}
		defer signer.log.Close()
		write = signer.statement
	}
	if c.Output == "" {
		return c.each(r, last, a.out, write)
	}
	return replaceFile(c.Output, func(out *bufio.Writer) error { return c.each(r, last, out, write) })
}

// replaceFile writes a file beside the one that it then takes the place of.
func replaceFile(name string, write func(*bufio.Writer) error) error {
	broken := func(err error) error {
		return faultf(codeBadOutput, "give a file in a folder that can be written", "cannot write %s: %v", name, err)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return broken(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	out := bufio.NewWriterSize(f, 64<<10)
	if err := write(out); err != nil {
		return err
	}
	if err := errors.Join(out.Flush(), f.Close()); err != nil {
		return broken(err)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return broken(err)
	}
	return nil
}

// each writes the entries one after the other. It ends at the first that is not whole: a program that reads on would take what it has for all.
func (c logExportCommand) each(r *record.Reader, last int64, out *bufio.Writer, write func(*bufio.Writer, *record.Entry) error) error {
	for e, err := range r.All(record.Oldest) {
		switch {
		case e.Seq < c.From:
			continue
		case e.Seq > last:
			return nil
		case err != nil:
			return recordFault(err)
		}
		if err := write(out, e); err != nil {
			return err
		}
	}
	return nil
}

func writeLine(out *bufio.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (c logExportCommand) entry(out *bufio.Writer, e *record.Entry) error {
	return writeLine(out, objectOf(e))
}

// signer makes statements of entries.
type signer struct {
	log    *record.Log
	reader *record.Reader
	key    string
}

func (c logExportCommand) signer(a *app, r *record.Reader) (*signer, error) {
	place, err := a.place()
	if err != nil {
		return nil, err
	}
	key, err := readUpTo(place.PublicKeyFile(), 4096)
	if err != nil {
		return nil, faultf(codeNotSigned, "put it back from a copy", "cannot read the public key: %v", err)
	}
	log, err := record.Open(place, record.Options{})
	if err != nil {
		return nil, recordFault(err)
	}
	return &signer{log, r, strings.TrimSpace(string(key))}, nil
}

// statement is an in-toto Statement v1 about the action of a call: docs/formats.md, "Statements".
type statement struct {
	Type          string            `json:"_type"`
	Subject       []subject         `json:"subject"`
	PredicateType string            `json:"predicateType"`
	Predicate     recordedPredicate `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

type recordedPredicate struct {
	Leaf       string          `json:"leaf"`
	Entry      json.RawMessage `json:"entry"`
	Body       json.RawMessage `json:"body"`
	Checkpoint string          `json:"checkpoint"`
	Proof      string          `json:"proof"`
}

// statement writes one, for entries about an action. It signs nothing that is not proven to be in the signed log.
func (s *signer) statement(out *bufio.Writer, e *record.Entry) error {
	if e.Note != "" {
		return faultf(codeNewer, "install a newer ambit, or leave it out with --from and --to", "no statement can be made of entry %d: %s", e.Seq, e.Note)
	}
	var body sealed
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return faultf(codeNewer, "install a newer ambit, or leave it out with --from and --to", "no statement can be made of entry %d, which is of a form that is not known: %v", e.Seq, err)
	}
	name, digest := body.Agent+" "+body.Tool, body.Digest
	if e.Kind == "intent" {
		name, digest = body.Base.Agent+" "+body.Base.Action.Tool, body.Base.Action.Digest
	}
	digest, ok := strings.CutPrefix(digest, "sha256:")
	if !ok {
		return nil
	}
	p, err := s.reader.ProveInclusion(e.Seq)
	if err == nil {
		err = record.CheckInclusion(s.key, p, e.Raw)
	}
	if err != nil {
		return faultf(codeNotSigned, "ambit log verify", "entry %d is not proven to be what was signed: %v", e.Seq, err)
	}
	proof, err := p.MarshalText()
	if err != nil {
		return err
	}
	var payload strings.Builder
	enc := json.NewEncoder(&payload)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(statement{
		Type: inTotoStatement, Subject: []subject{{name, map[string]string{"sha256": digest}}}, PredicateType: inTotoPredicate,
		Predicate: recordedPredicate{e.Leaf, e.Raw, e.Body, string(p.Checkpoint), string(proof)},
	}); err != nil {
		return err
	}
	envelope, err := s.log.Envelope(inTotoPayload, []byte(strings.TrimSuffix(payload.String(), "\n")))
	if err != nil {
		return recordFault(err)
	}
	return writeLine(out, envelope)
}
