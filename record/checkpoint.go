package record

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// originPrefix begins the name of a log of this version; 16 hexadecimal digits follow. It is the first line of a checkpoint and the name
// of the key.
const originPrefix = "ambit-log-v1/"

// Checkpoint is a signed statement of what is in a log: C2SP tlog-checkpoint.
type Checkpoint struct {
	Origin string // "ambit-log-v1/0123456789abcdef"
	Size   int64  // how many entries
	Root   string // the RFC 6962 tree hash over them, hexadecimal
	Note   []byte // the signed note itself
}

func (c Checkpoint) tree() tlog.Tree {
	t := tlog.Tree{N: c.Size}
	hex.Decode(t.Hash[:], []byte(c.Root)) // well-formed: parseCheckpoint and sign made it
	return t
}

// parseCheckpoint reads a checkpoint without checking its signature.
func parseCheckpoint(b []byte) (Checkpoint, error) {
	text, _, ok := bytes.Cut(b, []byte("\n\n"))
	lines := strings.Split(string(text), "\n")
	if ok && strings.HasPrefix(lines[0], "ambit-log-v") && !strings.HasPrefix(lines[0], originPrefix) {
		return Checkpoint{}, fail(CodeNewer, "install a newer ambit", "the log is of another version: its checkpoint is of %q, and this ambit reads %q", lines[0], originPrefix)
	}
	bad := func(what string) (Checkpoint, error) {
		return Checkpoint{}, fail(CodeDamaged, "run ambit log verify; put the checkpoint back from a copy", "the checkpoint is damaged: %s", what)
	}
	if !ok || len(lines) != 3 {
		return bad("it has not the three lines and the signature of a C2SP checkpoint")
	}
	id, ok := strings.CutPrefix(lines[0], originPrefix)
	if !ok || len(id) != 16 || strings.Trim(id, "0123456789abcdef") != "" {
		return bad(fmt.Sprintf("%q is no origin of an ambit log", lines[0]))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return bad(fmt.Sprintf("%q is no size", lines[1]))
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return bad(fmt.Sprintf("%q is no hash", lines[2]))
	}
	return Checkpoint{Origin: lines[0], Size: size, Root: hex.EncodeToString(root), Note: bytes.Clone(b)}, nil
}

// openCheckpoint reads a checkpoint and checks that v signed it.
func openCheckpoint(b []byte, v note.Verifier) (Checkpoint, error) {
	c, err := parseCheckpoint(b)
	if err != nil {
		return c, err
	}
	const next = "put the checkpoint and the public key of this log back from a copy"
	if c.Origin != v.Name() {
		return c, fail(CodeKey, next, "the checkpoint is of the log %s, the public key of %s", c.Origin, v.Name())
	}
	_, err = note.Open(b, note.VerifierList(v))
	if err == nil {
		err = strictBase64(b)
	}
	var unsigned *note.UnverifiedNoteError
	switch {
	case errors.As(err, &unsigned):
		return c, fail(CodeKey, next, "the checkpoint is signed by another key than %s", v.Name())
	case err != nil:
		return c, fail(CodeDamaged, next, "the checkpoint is not what was signed: %v", err)
	}
	return c, nil
}

// strictBase64 refuses signatures that are written in another way than the one: package note takes those whose unused bits are set.
func strictBase64(b []byte) error {
	_, sigs, _ := bytes.Cut(b, []byte("\n\n"))
	for line := range strings.Lines(string(sigs)) {
		text := strings.TrimSuffix(line[strings.LastIndex(line, " ")+1:], "\n")
		if _, err := base64.StdEncoding.Strict().DecodeString(text); err != nil {
			return err
		}
	}
	return nil
}

// sign makes the checkpoint of a tree.
func sign(t tlog.Tree, s note.Signer) (Checkpoint, error) {
	text := s.Name() + "\n" + strconv.FormatInt(t.N, 10) + "\n" + base64.StdEncoding.EncodeToString(t.Hash[:]) + "\n"
	b, err := note.Sign(&note.Note{Text: text}, s)
	if err != nil {
		return Checkpoint{}, fail(CodeKey, "look at log.key", "cannot sign: %v", err)
	}
	return Checkpoint{Origin: s.Name(), Size: t.N, Root: hex.EncodeToString(t.Hash[:]), Note: b}, nil
}

// seen is what this machine knows of the log outside of the log's folder: the last checkpoint it signed, and the length of the
// last bundle's file then. It is authenticated with commit.key, so that the next append need not check an Ed25519 signature, which costs
// half a millisecond at first use; and it shows that the log's folder was put back to an earlier state.
//
//	ambit-seen-v1
//	<length of the partial bundle in bytes>
//	<hexadecimal HMAC-SHA256 over "ambit seen v1\x00", the line above with its line end, and the checkpoint>
//	<the checkpoint>
type seen struct {
	length int64
	note   []byte
}

const seenHeader = "ambit-seen-v1\n"

func (s seen) mac(key []byte) string {
	m := hmac.New(sha256.New, key)
	fmt.Fprintf(m, "ambit seen v1\x00%d\n%s", s.length, s.note)
	return hex.EncodeToString(m.Sum(nil))
}

func (s seen) text(key []byte) []byte {
	return fmt.Appendf(nil, "%s%d\n%s\n%s", seenHeader, s.length, s.mac(key), s.note)
}

// parseSeen is false for anything that the key did not make, also for what a power cut left of it.
func parseSeen(b, key []byte) (seen, bool) {
	rest, ok := bytes.CutPrefix(b, []byte(seenHeader))
	length, rest, ok2 := bytes.Cut(rest, []byte("\n"))
	mac, text, ok3 := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.ParseInt(string(length), 10, 64)
	if !ok || !ok2 || !ok3 || err != nil {
		return seen{}, false
	}
	s := seen{length: n, note: text}
	return s, hmac.Equal(mac, []byte(s.mac(key)))
}
