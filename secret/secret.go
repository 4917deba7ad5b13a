// Package secret puts keyed commitments in the place of secrets. What is a secret it does not know yet.
package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// Keeper makes commitments with one key. The nil and the zero Keeper redact without.
type Keeper struct {
	key []byte
}

// NewKeeper takes the key, which should be 32 random bytes.
func NewKeeper(key []byte) *Keeper { return &Keeper{key: append([]byte(nil), key...)} }

// Commit is the commitment of a value: base64url of HMAC-SHA256(key, "ambit secret v1\x00" + value); "" without a key.
func (k *Keeper) Commit(value string) string {
	if k == nil || len(k.key) == 0 {
		return ""
	}
	h := hmac.New(sha256.New, k.key)
	h.Write([]byte("ambit secret v1\x00"))
	h.Write([]byte(value))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Is tells whether a commitment is that of a value.
func (k *Keeper) Is(commitment, value string) bool {
	want := k.Commit(value)
	return want != "" && hmac.Equal([]byte(commitment), []byte(want))
}

// Text is s with each secret replaced by its placeholder.
func (k *Keeper) Text(name, s string) string { return s }

// JSON is Text for every string of a JSON value.
func (k *Keeper) JSON(raw []byte) ([]byte, error) { return raw, nil }

// Hide is Text without commitments, and shortens the placeholders that Text made.
func Hide(name, s string) string { return s }

// Literal puts back what the placeholders of kind "lookalike" stand for.
func Literal(s string) string { return s }
