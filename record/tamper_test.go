package record

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// tampered is a log of 300 entries that somebody is at: bundles, tiles, checkpoint and blobs as values.
type tampered struct {
	*memory
	t       *testing.T
	entries [][]byte
	checks  []Checkpoint
}

func tamper(t *testing.T) *tampered {
	m, checks, raw := history(t, 300)
	m.settle()
	return &tampered{m, t, raw, checks}
}

// write puts a file in place; nil removes it.
func (x *tampered) write(name string, b []byte) {
	name = "state/log/" + name
	if b == nil {
		delete(x.state.files, name)
		return
	}
	for i, c := range name {
		if c == '/' {
			x.state.dirs[name[:i]] = true
		}
	}
	x.next++
	x.state.files[name] = x.next
	x.state.data[x.next] = b
}

// bundles writes x.entries anew. With tiles, the hash tiles are made to fit: what somebody does who knows the format and has not the key.
func (x *tampered) rewrite(tiles bool) {
	for name := range x.state.files {
		if strings.HasPrefix(name, "state/log/tile/entries/") || tiles && strings.HasPrefix(name, "state/log/tile/") {
			delete(x.state.files, name)
		}
	}
	for n := 0; n*full < len(x.entries); n++ {
		part := x.entries[n*full : min(len(x.entries), n*full+full)]
		var b []byte
		for _, e := range part {
			b = append(b, frame(e)...)
		}
		x.write(tile{bundles, int64(n), len(part)}.name(), b)
		if tiles {
			x.write(tile{0, int64(n), len(part)}.name(), leaves(part))
			if len(part) == full {
				h := rootOf(leaves(part))
				x.write("tile/1/000.p/1", h[:])
			}
		}
	}
}

// relink makes the entries from seq on fit together: each names the one before, and has its number.
func (x *tampered) relink(seq int) {
	for i := seq; i < len(x.entries); i++ {
		_, rest, _ := bytes.Cut(x.entries[i], []byte(`,"time"`))
		head, _, _ := bytes.Cut(x.entries[i], []byte(`"prev"`))
		prev := strings.Repeat("0", 64)
		if i > 0 {
			prev = hexHash(leafHash(x.entries[i-1]))
		}
		x.entries[i] = fmt.Appendf(nil, `%s"prev":"%s","seq":%d,"time"%s`, head, prev, i, rest)
	}
}

func (x *tampered) change(seq int) {
	x.entries[seq] = bytes.Replace(x.entries[seq], []byte(`"kind":"intent"`), []byte(`"kind":"outcome"`), 1)
}

// TestSafetyTampered: what is done to a log, and what Verify says of it first.
func TestSafetyTampered(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(x *tampered)
		code Code
		seq  int64
		says string
	}{
		"an entry is changed":              {func(x *tampered) { x.change(41); x.rewrite(false) }, CodeChanged, 41, "entry 41 was changed"},
		"and its hash":                     {func(x *tampered) { x.change(41); x.rewrite(true) }, CodeChanged, 41, "entry 41 was changed"},
		"the last of a bundle":             {func(x *tampered) { x.change(255); x.rewrite(true) }, CodeChanged, 255, "entry 255 was changed"},
		"the first":                        {func(x *tampered) { x.change(0); x.rewrite(true) }, CodeChanged, 0, "entry 0 was changed"},
		"the last":                         {func(x *tampered) { x.change(299); x.rewrite(false) }, CodeChanged, 299, "entry 299 was changed"},
		"the last and its hash":            {func(x *tampered) { x.change(299); x.rewrite(true) }, CodeRewritten, 299, "it is the last one, 299, or"},
		"all from one on":                  {func(x *tampered) { x.change(41); x.relink(42); x.rewrite(false) }, CodeChanged, 41, "entry 41 was changed"},
		"all from one on and their hashes": {func(x *tampered) { x.change(41); x.relink(42); x.rewrite(true) }, CodeRewritten, 299, "they are not those that were signed"},
		"what an entry says of the one before": {func(x *tampered) {
			x.entries[41] = bytes.Replace(x.entries[41], []byte(`"prev":"`), []byte(`"prev":"0`), 1)
			x.entries[41] = bytes.Replace(x.entries[41], []byte(`","seq"`), []byte(`","seq"`), 1)
			x.rewrite(false)
		}, CodeChanged, 41, "entry 41 was changed"},
		"the same, with all hashes": {func(x *tampered) {
			_, rest, _ := bytes.Cut(x.entries[41], []byte(`,"seq"`))
			head, _, _ := bytes.Cut(x.entries[41], []byte(`"prev"`))
			x.entries[41] = fmt.Appendf(nil, `%s"prev":"%064d","seq"%s`, head, 7, rest)
			x.rewrite(true)
		}, CodeChanged, 41, "entry 41 was changed"},
		"an entry is no JSON": {func(x *tampered) { x.entries[41] = []byte("x"); x.rewrite(true) }, CodeChanged, 41, "entry 41 was changed"},
		"an entry is removed": {func(x *tampered) { x.entries = slices.Delete(x.entries, 41, 42); x.rewrite(false) }, CodeRemoved, 41,
			"entry 41 was removed: after entry 40 comes entry 42"},
		"an entry and its hash are removed": {func(x *tampered) { x.entries = slices.Delete(x.entries, 41, 42); x.rewrite(true) }, CodeRemoved, 41, "entry 41 was removed: after entry 40 comes entry 42"},
		"the first is removed":              {func(x *tampered) { x.entries = x.entries[1:]; x.rewrite(true) }, CodeRemoved, 0, "entry 0 was removed"},
		"the last is removed":               {func(x *tampered) { x.entries = x.entries[:299]; x.rewrite(true) }, CodeRemoved, 299, "entry 299 was removed"},
		"the last of a bundle are removed":  {func(x *tampered) { x.entries = append(x.entries[:250:250], x.entries[256:]...); x.rewrite(false) }, CodeRemoved, 250, "entry 250 was removed: after entry 249 comes entry 256"},
		"many are removed at the end":       {func(x *tampered) { x.entries = x.entries[:100]; x.rewrite(true) }, CodeRemoved, 100, "entries 100 to 255 were removed"},
		"a bundle is removed":               {func(x *tampered) { x.write("tile/entries/000", nil) }, CodeRemoved, 0, "entries 0 to 255 were removed: their bundle tile/entries/000 is missing"},
		"entries change places":             {func(x *tampered) { x.entries[41], x.entries[43] = x.entries[43], x.entries[41]; x.rewrite(true) }, CodeMoved, 41, "entries 41 and 43 have changed places"},
		"an entry is repeated":              {func(x *tampered) { x.entries = slices.Insert(x.entries, 41, x.entries[40]); x.rewrite(true) }, CodeInserted, 41, "inserted at 41: it says that it is entry 40"},
		"the checkpoint is rolled back":     {func(x *tampered) { x.write("checkpoint", x.checks[30].Note) }, CodeRolledBack, 30, "it has 30 entries, but the entries 30 to 299 are there"},
		"by two":                            {func(x *tampered) { x.write("checkpoint", x.checks[298].Note) }, CodeRolledBack, 298, "the entries 298 to 299 are there"},
		"over the edge of a bundle":         {func(x *tampered) { x.write("checkpoint", x.checks[255].Note) }, CodeRolledBack, 255, "the entries 255 to 299 are there"},
		"a bit of the root": {func(x *tampered) {
			x.write("checkpoint", bytes.Replace(x.checks[300].Note, []byte("\n300\n"), []byte("\n299\n"), 1))
		}, CodeDamaged, -1, "the checkpoint is not what was signed"},
		"an unused bit of the signature's base64": {func(x *tampered) {
			const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
			b := bytes.Clone(x.checks[300].Note)
			i := bytes.LastIndexByte(b, '=') - 1
			b[i] = alphabet[strings.IndexByte(alphabet, b[i])+1]
			x.write("checkpoint", b)
		}, CodeDamaged, -1, "the checkpoint is not what was signed"},
		"the checkpoint is gone":      {func(x *tampered) { x.write("checkpoint", nil) }, CodeMissing, -1, "the checkpoint is missing"},
		"the checkpoint is something": {func(x *tampered) { x.write("checkpoint", []byte("hello\n")) }, CodeDamaged, -1, "the checkpoint is damaged"},
		"a hash tile is changed": {func(x *tampered) {
			b := bytes.Clone([]byte(x.file("state/log/tile/0/000")))
			b[77] ^= 4
			x.write("tile/0/000", b)
		}, CodeTile, -1, "tile/0/000 was changed (the entries are those that were signed)"},
		"one of the second level": {func(x *tampered) { x.write("tile/1/000.p/1", bytes.Repeat([]byte{1}, 32)) }, CodeTile, -1, "tile/1/000.p/1 was changed"},
		"the last hash tile": {func(x *tampered) {
			b := bytes.Clone([]byte(x.file("state/log/tile/0/001.p/44")))
			b[77] ^= 4
			x.write("tile/0/001.p/44", b)
		}, CodeTile, -1, "tile/0/001.p/44 was changed"},
		"who has the key links wrongly":     {func(x *tampered) { x.change(41); x.sign() }, CodeDamaged, 42, "entry 42 was sealed with another entry before it"},
		"over the edge of a bundle, too":    {func(x *tampered) { x.change(255); x.sign() }, CodeDamaged, 256, "entry 256 was sealed with another entry before it"},
		"who has the key exchanges entries": {func(x *tampered) { x.entries[41], x.entries[43] = x.entries[43], x.entries[41]; x.sign() }, CodeDamaged, 41, "it says that it is entry 43"},
		"a hash tile is removed":            {func(x *tampered) { x.write("tile/0/000", nil) }, CodeTile, -1, "tile/0/000 is missing"},
		"a blob is removed":                 {func(x *tampered) { x.write(x.blobOf(3), nil) }, CodeBlobMissing, 3, "of entry 3 (its /large) is missing"},
		"a blob is changed":                 {func(x *tampered) { x.write(x.blobOf(3), []byte(`"x"`)) }, CodeBlobChanged, 3, "of entry 3 (its /large) was changed"},
		"two things": {func(x *tampered) { x.write(x.blobOf(259), nil); x.change(100); x.rewrite(false) }, CodeChanged, 100,
			"entry 100 was changed"},
		"another log's checkpoint": {func(x *tampered) {
			o := newMemory()
			l, err := Open(memPlace, Options{open: o.open})
			if err != nil {
				x.t.Fatal(err)
			}
			l.Append("intent", bodyOf(0))
			x.write("checkpoint", []byte(o.file("state/log/checkpoint")))
		}, CodeKey, -1, "the checkpoint is of the log"},
		"a checkpoint of the same name with another key": {func(x *tampered) {
			o := newMemory()
			n := 0
			l, err := Open(memPlace, Options{open: o.open, rand: func(b []byte) (int, error) {
				if n++; n < 3 {
					return fixedRand()(b)
				}
				return copy(b, bytes.Repeat([]byte{7}, len(b))), nil
			}})
			if err != nil {
				x.t.Fatal(err)
			}
			c, err := sign(x.checks[300].tree(), l.key.signer)
			if err != nil {
				x.t.Fatal(err)
			}
			text := strings.ReplaceAll(string(c.Note), c.Origin, x.checks[300].Origin)
			x.write("checkpoint", []byte(text))
		}, CodeKey, -1, "signed by another key"},
	} {
		x := tamper(t)
		tt.do(x)
		rep, err := x.verify(VerifyOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if rep.OK() || len(rep.Problems) == 0 {
			t.Errorf("%s: it is not noticed", name)
			continue
		}
		first := rep.Problems[0]
		if first.Code != tt.code || first.Seq != tt.seq || !strings.Contains(first.Text, tt.says) {
			t.Errorf("%s:\n%+v\nwant %s %d %q", name, rep.Problems, tt.code, tt.seq, tt.says)
		}
	}
}

func (x *tampered) blobOf(seq int64) string {
	_, blobs, err := parseEntry(seq, x.entries[seq])
	if err != nil || len(blobs) == 0 {
		x.t.Fatalf("entry %d has no blob: %v", seq, err)
	}
	return blobName(blobs[0].Sum)
}

// TestSafetyEveryBit flips bits all over every file of a log, one at a time.
func TestSafetyEveryBit(t *testing.T) {
	x := tamper(t)
	flips := 0
	for _, name := range slices.Sorted(maps.Keys(x.state.files)) {
		short, ok := strings.CutPrefix(name, "state/log/")
		if !ok || strings.HasSuffix(short, ".tmp") || short == "blob/tmp" {
			continue
		}
		b := x.file(name)
		step := max(1, len(b)*8/60)
		if short == "checkpoint" {
			step = 1
		}
		for bit := 0; bit < len(b)*8; bit += step {
			y := &tampered{memory: x.fork()}
			c := []byte(b)
			c[bit/8] ^= 1 << (bit % 8)
			y.write(short, c)
			flips++
			if rep, err := y.verify(VerifyOptions{Workers: 1}); err == nil && rep.OK() {
				t.Errorf("%s, bit %d: not noticed", short, bit)
			}
		}
	}
	if flips < 1000 {
		t.Errorf("only %d bits", flips)
	}
}

// TestSince: an earlier checkpoint shows what the log alone does not.
func TestSince(t *testing.T) {
	for name, tt := range map[string]struct {
		do    func(x *tampered)
		since int
		code  Code
	}{
		"grown":               {func(*tampered) {}, 100, ""},
		"grown over a bundle": {func(*tampered) {}, 256, ""},
		"from nothing":        {func(*tampered) {}, 0, ""},
		"the same":            {func(*tampered) {}, 300, ""},
		"rolled back whole": {func(x *tampered) {
			x.write("checkpoint", x.checks[200].Note)
			x.entries = x.entries[:200]
			x.rewrite(true)
			x.write("tile/1/000.p/1", nil)
		}, 201, CodeRolledBack},
		"rolled back whole, and older than the earlier one": {func(x *tampered) {
			x.write("checkpoint", x.checks[200].Note)
			x.entries = x.entries[:200]
			x.rewrite(true)
		}, 200, ""},
		"rewritten by who has the key":          {func(x *tampered) { x.forge(41) }, 100, CodeRewritten},
		"rewritten after the earlier one":       {func(x *tampered) { x.forge(141) }, 100, ""},
		"rewritten at the end of a full bundle": {func(x *tampered) { x.forge(255) }, 256, CodeRewritten},
	} {
		x := tamper(t)
		tt.do(x)
		rep, err := x.verify(VerifyOptions{Since: x.checks[tt.since].Note})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var code Code
		if len(rep.Problems) > 0 {
			code = rep.Problems[0].Code
		}
		if code != tt.code || rep.OK() != (tt.code == "") {
			t.Errorf("%s: %+v", name, rep.Problems)
		}
	}
	x := tamper(t)
	for name, since := range map[string]string{"no checkpoint": "x", "a forged one": strings.Replace(string(x.checks[7].Note), "\n7\n", "\n6\n", 1)} {
		if _, err := x.verify(VerifyOptions{Since: []byte(since)}); err == nil {
			t.Errorf("%s is taken as an earlier checkpoint", name)
		}
	}
}

// forge changes an entry, links those after it anew, and signs.
func (x *tampered) forge(seq int) {
	x.change(seq)
	x.relink(seq + 1)
	x.sign()
}

// sign makes tiles and a checkpoint for what is there.
func (x *tampered) sign() {
	x.rewrite(true)
	l, err := x.log()
	if err != nil {
		x.t.Fatal(err)
	}
	tree := x.checks[300].tree()
	hashes := leaves(x.entries)
	var list []tlog.Hash
	for i := 0; i < len(hashes); i += 32 {
		list = append(list, tlog.Hash(hashes[i:]))
	}
	tree.Hash = treeHash(list)
	c, err := sign(tree, l.key.signer)
	if err != nil {
		x.t.Fatal(err)
	}
	x.write("checkpoint", c.Note)
}

// TestUnwritten: zeros in the place of a hash are what a loss of power leaves; a byte that is zero is not.
func TestUnwritten(t *testing.T) {
	want := []byte("0123456789abcdef0123456789ABCDEF")
	for have, ok := range map[string]bool{
		string(want):               true,
		strings.Repeat("\x00", 32): true,
		string(want[:16]) + strings.Repeat("\x00", 16): true,
		strings.Repeat("\x00", 16) + string(want[16:]): true,
		"\x00" + string(want[1:]):                      false,
		string(want[:30]) + "\x00\x00":                 false,
		string(want[:31]) + "f":                        false,
		strings.Repeat("\x00", 31) + "f":               false,
	} {
		if unwritten([]byte(have), want) != ok {
			t.Errorf("%q: want %v", have, ok)
		}
	}
}
