package record

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Inclusion proves that an entry is in the log of a checkpoint.
type Inclusion struct {
	Seq        int64
	Hashes     []tlog.Hash // the RFC 6962 audit path, from the leaf up
	Checkpoint []byte      // the signed note
}

const proofHeader = "c2sp.org/tlog-proof@v1\n"

// MarshalText writes the proof as a C2SP tlog-proof.
func (p Inclusion) MarshalText() ([]byte, error) {
	b := fmt.Appendf(nil, "%sindex %d\n", proofHeader, p.Seq)
	for _, h := range p.Hashes {
		b = append(base64.StdEncoding.AppendEncode(b, h[:]), '\n')
	}
	return append(append(b, '\n'), p.Checkpoint...), nil
}

// UnmarshalText reads a C2SP tlog-proof. It checks no hash and no signature: CheckInclusion does.
func (p *Inclusion) UnmarshalText(b []byte) error {
	rest, ok := bytes.CutPrefix(b, []byte(proofHeader))
	head, check, ok2 := bytes.Cut(rest, []byte("\n\n"))
	if !ok || !ok2 {
		return errors.New("this is no C2SP tlog-proof")
	}
	lines := strings.Split(string(head), "\n")
	if strings.HasPrefix(lines[0], "extra ") { // it carries nothing that is proven
		lines = lines[1:]
	}
	out := Inclusion{Checkpoint: bytes.Clone(check)}
	if len(lines) == 0 {
		return errors.New("the proof has no index")
	}
	text, ok := strings.CutPrefix(lines[0], "index ")
	n, err := strconv.ParseInt(text, 10, 64)
	if !ok || err != nil || n < 0 || strconv.FormatInt(n, 10) != text || len(lines) > 65 {
		return fmt.Errorf("the proof is malformed at %q", lines[0])
	}
	out.Seq = n
	for _, line := range lines[1:] {
		h, err := base64.StdEncoding.Strict().DecodeString(line)
		if err != nil || len(h) != tlog.HashSize {
			return fmt.Errorf("the proof is malformed at %q", line)
		}
		out.Hashes = append(out.Hashes, tlog.Hash(h))
	}
	*p = out
	return nil
}

// ProveInclusion proves that an entry is in the log. It fails where the tiles are not those of the checkpoint.
func (r *Reader) ProveInclusion(seq int64) (Inclusion, error) {
	if seq < 0 || seq >= r.check.Size {
		return Inclusion{}, fail(CodeMissing, "list the log to see which there are", "there is no entry %d: the log has %d", seq, r.check.Size)
	}
	path, err := tlog.ProveRecord(r.check.Size, seq, r.hashReader())
	if err != nil {
		return Inclusion{}, unproven(err)
	}
	return Inclusion{Seq: seq, Hashes: path, Checkpoint: r.check.Note}, nil
}

// ProveConsistency proves that the log still begins with what it had when it had old entries: RFC 6962, section 2.1.2. Nothing needs to be
// proven for 0.
func (r *Reader) ProveConsistency(old int64) ([]tlog.Hash, error) {
	if old < 0 || old > r.check.Size {
		return nil, fail(CodeMissing, "give a size that the log has had", "there is no size %d: the log has %d entries", old, r.check.Size)
	}
	if old == 0 {
		return nil, nil
	}
	path, err := tlog.ProveTree(r.check.Size, old, r.hashReader())
	if err != nil {
		return nil, unproven(err)
	}
	return path, nil
}

func unproven(err error) *Error {
	return &Error{Code: CodeDamaged, Message: "the log is damaged: its hashes are not those that were signed", Next: "run ambit log verify", Err: err}
}

// verifier reads a public key as log.pub has it.
func verifier(publicKey string) (note.Verifier, error) {
	v, err := note.NewVerifier(strings.TrimSuffix(publicKey, "\n"))
	if err != nil {
		return nil, &Error{Code: CodeKey, Message: "this is no public key of a log", Next: "give the content of log.pub", Err: err}
	}
	return v, nil
}

// CheckInclusion checks that a proof's checkpoint is signed by the key, and that raw is its entry of the number that the proof names. It
// returns nil if so.
func CheckInclusion(publicKey string, p Inclusion, raw []byte) error {
	v, err := verifier(publicKey)
	if err != nil {
		return err
	}
	c, err := openCheckpoint(p.Checkpoint, v)
	if err != nil {
		return err
	}
	if err := tlog.CheckRecord(p.Hashes, c.Size, c.tree().Hash, p.Seq, tlog.RecordHash(raw)); err != nil {
		return &Error{Code: CodeDamaged, Message: fmt.Sprintf("this is not entry %d of the log", p.Seq), Next: "take the entry and the proof from the log anew", Err: err}
	}
	return nil
}

// CheckConsistency checks that two checkpoints are signed by the key, and that the log of the newer begins with the log of the older. It
// returns nil if so.
func CheckConsistency(publicKey string, older, newer []byte, proof []tlog.Hash) error {
	v, err := verifier(publicKey)
	if err != nil {
		return err
	}
	a, err := openCheckpoint(older, v)
	if err != nil {
		return err
	}
	b, err := openCheckpoint(newer, v)
	if err != nil {
		return err
	}
	if a.Size > b.Size {
		return fail(CodeRolledBack, "give the older checkpoint first", "the older checkpoint has %d entries, the newer %d", a.Size, b.Size)
	}
	if a.Size == 0 && len(proof) == 0 {
		return nil
	}
	if err := tlog.CheckTree(proof, b.Size, b.tree().Hash, a.Size, a.tree().Hash); err != nil {
		return &Error{Code: CodeRolledBack, Message: "the newer log does not begin with the older one", Next: "run ambit log verify --since", Err: err}
	}
	return nil
}
