package record

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"pgregory.net/rapid"
)

// bareKey is a public key as the reference implementation of DSSE takes it.
type bareKey struct {
	id  string
	key ed25519.PublicKey
}

func (k bareKey) KeyID() (string, error)   { return k.id, nil }
func (k bareKey) Public() crypto.PublicKey { return k.key }
func (k bareKey) Verify(_ context.Context, data, sig []byte) error {
	if !ed25519.Verify(k.key, data, sig) {
		return errors.New("not signed by this key")
	}
	return nil
}

// The encoding is that of the reference implementation.
func TestPAEIsTheReference(t *testing.T) {
	// From the specification: github.com/secure-systems-lab/dsse, protocol.md.
	if got := string(pae("http://example.com/HelloWorld", []byte("hello world"))); got != "DSSEv1 29 http://example.com/HelloWorld 11 hello world" {
		t.Errorf("%q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		kind, payload := rapid.String().Draw(t, "type"), rapid.SliceOf(rapid.Byte()).Draw(t, "payload")
		if got, want := pae(kind, payload), dsse.PAE(kind, payload); !bytes.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// What the log's key signs, the reference implementation takes, and a changed envelope nobody does.
func TestSafetyEnvelope(t *testing.T) {
	place := Place{State: t.TempDir(), Config: t.TempDir()}
	l, err := Open(place, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const kind = "application/vnd.in-toto+json"
	e, err := l.Envelope(kind, []byte(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	key, err := PublicKeyBytes(l.key.public)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var theirs dsse.Envelope
	if err := json.Unmarshal(text, &theirs); err != nil {
		t.Fatal(err)
	}
	v, err := dsse.NewEnvelopeVerifier(bareKey{l.key.signer.Name(), key})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Verify(context.Background(), &theirs); err != nil {
		t.Errorf("the reference implementation: %v", err)
	}
	if b, err := e.Open(l.key.public+"\n", kind); err != nil || string(b) != `{"a":1}` {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := e.Open(l.key.public, "text/plain"); err == nil {
		t.Error("it is taken for another type")
	}
	for name, change := range map[string]func(*Envelope){
		"payload":      func(e *Envelope) { e.Payload = "eyJhIjoyfQ==" },
		"type":         func(e *Envelope) { e.PayloadType = "text/plain" },
		"no signature": func(e *Envelope) { e.Signatures = nil },
		"signature":    func(e *Envelope) { e.Signatures[0].Sig = strings.Repeat("A", 86) + "==" },
	} {
		bad := e
		bad.Signatures = append([]EnvelopeSignature{}, e.Signatures...)
		if change(&bad); bad.Payload == e.Payload && bad.PayloadType == e.PayloadType && len(bad.Signatures) > 0 && bad.Signatures[0] == e.Signatures[0] {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := bad.Open(l.key.public, bad.PayloadType); err == nil {
			t.Errorf("%s: a changed envelope is taken", name)
		}
	}
	// A checkpoint's signature is none of an envelope.
	check, err := Seen(place)
	if check != nil || err != nil {
		t.Errorf("seen before anything was sealed: %q, %v", check, err)
	}
}

// Seen is the checkpoint of the last entry, and nothing that somebody else wrote.
func TestSafetySeen(t *testing.T) {
	place := Place{State: t.TempDir(), Config: t.TempDir()}
	l, err := Open(place, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Append("intent", map[string]any{"a": 1}); err != nil {
		t.Fatal(err)
	}
	seen, err := Seen(place)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(place.LogDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !bytes.Equal(seen, r.Checkpoint().Note) {
		t.Errorf("%q, want %q", seen, r.Checkpoint().Note)
	}
	text, err := l.state.read(seenFile, maxNote)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		bad := bytes.Clone(text)
		bad[i] ^= 4
		if err := l.state.replace(seenFile, "x.tmp", bad, false); err != nil {
			t.Fatal(err)
		}
		var e *Error
		if note, err := Seen(place); note != nil || !errors.As(err, &e) || e.Code != CodeDamaged {
			t.Fatalf("with byte %d changed: %q, %v", i, note, err)
		}
	}
}
