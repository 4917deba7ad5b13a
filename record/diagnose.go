package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"golang.org/x/mod/sumdb/tlog"
)

// diagnose names the first entry that is not what was signed, where the entries do not come to the signed root. If the hash tiles do,
// they tell which. Otherwise they were changed as well, and the entries tell of each other: each has its number and the hash of the
// one before.
func (c *checker) diagnose() {
	good := c.tilesSigned()
	size := c.rep.Checkpoint.Size
	prev := strings.Repeat("0", 2*tlog.HashSize)
	var before, doubt *suspect // the entry before; one that is the first bad unless the next says otherwise
	for n := int64(0); n<<height < size; n++ {
		w := int(min(full, size-n<<height))
		list, err := c.most(tile{bundles, n, w})
		hashes, _, _ := c.hashes(tile{0, n, w})
		for i := range w {
			seq := n<<height + int64(i)
			if i >= len(list) {
				if doubt != nil {
					c.changed(doubt.seq)
				} else {
					c.gone(seq, int64(w)+n<<height, n, list, err)
				}
				return
			}
			s := look(seq, list[i], hashes, i)
			if good {
				if !s.asTile {
					c.describe(s, list[i:])
					return
				}
				continue
			}
			switch {
			case doubt != nil:
				// The entry before this one names another before it. If this one is not content with it either, it is the one that was changed.
				if s.prev != prev && doubt.asTile {
					doubt = before
				}
				c.changed(doubt.seq)
				return
			case !s.ok || s.seq != s.says:
				c.describe(s, list[i:])
				return
			case s.prev != prev && seq == 0:
				c.changed(0)
				return
			case s.prev != prev:
				doubt = before
			}
			before, prev = s, s.leaf
		}
	}
	switch {
	case doubt != nil:
		c.problem(CodeChanged, doubt.seq, "entry %d was changed, or the one after it", doubt.seq)
	case good:
		c.problem(CodeTile, -1, "the hash tiles of the upper levels were changed")
	default:
		c.problem(CodeRewritten, max(0, size-1), "the log was rewritten: its entries fit together, but they are not those that were signed; "+
			"it is the last one, %d, or also entries before it that were linked anew (an earlier checkpoint tells how far back)", max(0, size-1))
	}
}

// suspect is an entry that may not be what was signed.
type suspect struct {
	seq, says  int64 // where it stands, and what it says
	leaf, prev string
	ok         bool // it can be read
	asTile     bool // its hash is in the hash tile
}

func look(seq int64, raw, hashes []byte, i int) *suspect {
	h := tlog.RecordHash(raw)
	s := &suspect{seq: seq, leaf: hexHash(h)}
	s.asTile = (i+1)*tlog.HashSize <= len(hashes) && bytes.Equal(h[:], hashes[i*tlog.HashSize:(i+1)*tlog.HashSize])
	s.says, s.prev, s.ok = placeOf(raw)
	return s
}

// placeOf is what an entry says of its place.
func placeOf(raw []byte) (seq int64, prev string, ok bool) {
	var w wire
	if jsonv2.Unmarshal(raw, &w) != nil && versionOf(raw) <= Version {
		return 0, "", false
	}
	return w.At.Seq, w.At.Prev, isHash(w.At.Prev)
}

// tilesSigned looks whether the hash tiles come to the signed root.
func (c *checker) tilesSigned() bool {
	if !c.signed {
		return false
	}
	size := c.rep.Checkpoint.Size
	var roots []byte
	for n := int64(0); n < size>>height; n++ {
		data, _, err := c.hashes(tile{0, n, full})
		if err != nil {
			return false
		}
		h := rootOf(data)
		roots = append(roots, h[:]...)
	}
	parts := make([]part, size>>height+1)
	if t := last(0, size); t.w > 0 {
		data, _, err := c.hashes(t)
		if err != nil {
			return false
		}
		parts[t.n].leaves = data
	}
	h, ok := (&checker{parts: parts, roots: roots}).root(size)
	return ok && hexHash(h) == c.rep.Checkpoint.Root
}

// most reads as many entries of a bundle as there are.
func (c *checker) most(t tile) (list [][]byte, err error) {
	_, err = c.each(t, func(_ string, b []byte) bool {
		if l, _ := split(b, t.w); len(l) > len(list) {
			list = l
		}
		return len(list) == t.w
	})
	return list, err
}

// gone says that the entries from seq on are not in their bundle, the n-th.
func (c *checker) gone(seq, end, n int64, list [][]byte, err error) {
	what := fmt.Sprintf("entry %d was", seq)
	if end > seq+1 {
		what = fmt.Sprintf("the entries %d to %d were", seq, end-1)
	}
	switch {
	case len(list) > 0 || errors.Is(err, errShort):
		c.problem(CodeRemoved, seq, "%s removed: the checkpoint has %d entries, and their bundle ends before", what, c.rep.Checkpoint.Size)
	case errors.Is(err, fs.ErrNotExist):
		c.problem(CodeRemoved, seq, "%s removed: their bundle %s is missing", what, tile{bundles, n, int(end - n<<height)}.name())
	default:
		c.problem(CodeDamaged, seq, "%s not to be read: %v", what, err)
	}
}

// changed says it of an entry that stands in its place.
func (c *checker) changed(seq int64) { c.problem(CodeChanged, seq, "entry %d was changed", seq) }

// describe says what was done to the entry that should stand where s stands. after begins with s.
func (c *checker) describe(s *suspect, after [][]byte) {
	switch {
	case !s.ok || s.says == s.seq:
		c.changed(s.seq)
	case s.says < s.seq:
		c.problem(CodeInserted, s.seq, "an entry was inserted at %d: it says that it is entry %d", s.seq, s.says)
	default:
		for i, raw := range after {
			if says, _, ok := placeOf(raw); ok && says == s.seq {
				c.problem(CodeMoved, s.seq, "the entries %d and %d have changed places", s.seq, s.seq+int64(i))
				return
			}
		}
		if s.seq == 0 {
			c.problem(CodeRemoved, 0, "entry 0 was removed: the log begins with entry %d", s.says)
			return
		}
		c.problem(CodeRemoved, s.seq, "entry %d was removed: after entry %d comes entry %d", s.seq, s.seq-1, s.says)
	}
}
