package record

import (
	"crypto/sha256"
	"math/bits"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// put writes a file on a disk, with its folders.
func put(t testing.TB, d disk, name string, b []byte) {
	t.Helper()
	if err := d.mkdirs(name[:strings.LastIndex(name, "/")]); err != nil {
		t.Fatal(err)
	}
	if err := d.write(name, b, false); err != nil {
		t.Fatal(err)
	}
}

// grow makes an empty log one of n entries at once, without the code of Append. It returns the leaf hashes.
func grow(t testing.TB, l *Log, n int, body func(i int) string) []tlog.Hash {
	t.Helper()
	now := fixedClock()
	prev := strings.Repeat("0", 64)
	hashes := make([]tlog.Hash, 0, n)
	var b []byte
	length := 0
	for i := range n {
		raw := sealed([]byte(body(i)), nil, "intent", int64(i), prev, now())
		h := tlog.RecordHash(raw)
		prev = hexHash(h)
		hashes = append(hashes, h)
		if b = append(b, frame(raw)...); (i+1)%full == 0 || i+1 == n {
			put(t, l.state, "log/"+tile{bundles, int64(i) / full, i%full + 1}.name(), b)
			length, b = len(b), nil
		}
	}
	level := hashes
	for k := 0; len(level) > 0; k++ {
		var above []tlog.Hash
		for i := 0; i < len(level); i += full {
			part := level[i:min(len(level), i+full)]
			var data []byte
			for _, h := range part {
				data = append(data, h[:]...)
			}
			put(t, l.state, "log/"+tile{k, int64(i / full), len(part)}.name(), data)
			if len(part) == full {
				above = append(above, treeHash(part))
			}
		}
		level = above
	}
	c, err := sign(tlog.Tree{N: int64(n), Hash: treeHash(hashes)}, l.key.signer)
	if err != nil {
		t.Fatal(err)
	}
	put(t, l.state, "log/checkpoint", c.Note)
	if n%full == 0 {
		length = 0
	}
	l.remember(seen{int64(length), c.Note})
	return hashes
}

// treeHash is the Merkle tree hash of RFC 6962, section 2.1, over leaf hashes.
func treeHash(leaves []tlog.Hash) tlog.Hash {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return leaves[0]
	}
	k := 1 << (bits.Len(uint(len(leaves)-1)) - 1) // the largest power of two below
	left, right := treeHash(leaves[:k]), treeHash(leaves[k:])
	return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
}

// leafHash is the leaf hash of RFC 6962, section 2.1.
func leafHash(entry []byte) tlog.Hash { return sha256.Sum256(append([]byte{0}, entry...)) }
