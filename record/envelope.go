package record

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// Envelope is a DSSE envelope (github.com/secure-systems-lab/dsse, version 1.0.2) that the log's key signed.
type Envelope struct {
	PayloadType string              `json:"payloadType"`
	Payload     string              `json:"payload"` // base64
	Signatures  []EnvelopeSignature `json:"signatures"`
}

// EnvelopeSignature is one signature of an Envelope.
type EnvelopeSignature struct {
	KeyID string `json:"keyid"` // the public key's name, which is the log's origin
	Sig   string `json:"sig"`   // base64 of an Ed25519 signature (RFC 8032)
}

// pae is what is signed: the pre-authentication encoding of DSSE. It begins with "DSSEv1 ", so no signature of a checkpoint, whose text
// begins with an origin, is one of an envelope, nor the other way round.
func pae(payloadType string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
}

// Envelope signs a payload with the log's key.
func (l *Log) Envelope(payloadType string, payload []byte) (Envelope, error) {
	sig, err := l.key.signer.Sign(pae(payloadType, payload))
	if err != nil {
		return Envelope{}, &Error{Code: CodeKey, Message: "cannot sign", Next: "look at " + logKeyFile, Err: err}
	}
	return Envelope{payloadType, base64.StdEncoding.EncodeToString(payload), []EnvelopeSignature{{l.key.signer.Name(), base64.StdEncoding.EncodeToString(sig)}}}, nil
}

// Open gives the payload of an envelope if the public key's owner signed it as being of this type.
func (e Envelope) Open(publicKey, payloadType string) ([]byte, error) {
	v, err := verifier(publicKey)
	if err != nil {
		return nil, err
	}
	payload, err := base64.StdEncoding.DecodeString(e.Payload)
	if err != nil {
		return nil, err
	}
	if e.PayloadType != payloadType {
		return nil, fmt.Errorf("the envelope has a %q, not a %q", e.PayloadType, payloadType)
	}
	for _, s := range e.Signatures {
		if sig, err := base64.StdEncoding.DecodeString(s.Sig); err == nil && v.Verify(pae(e.PayloadType, payload), sig) {
			return payload, nil
		}
	}
	return nil, errors.New("the envelope has no signature of this key")
}

// PublicKeyBytes is the Ed25519 key in a verifier key of this log, for programs that check with the bare key.
func PublicKeyBytes(publicKey string) (ed25519.PublicKey, error) {
	if _, err := verifier(publicKey); err != nil {
		return nil, err
	}
	fields := strings.SplitN(strings.TrimSpace(publicKey), "+", 3)
	b, err := base64.StdEncoding.DecodeString(fields[len(fields)-1])
	if err != nil || len(b) != 1+ed25519.PublicKeySize {
		return nil, errors.New("it has no Ed25519 key")
	}
	return ed25519.PublicKey(b[1:]), nil
}
