package record

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"
)

// history is a log in memory with the checkpoint of each size that it had.
func history(t testing.TB, entries int) (m *memory, checks []Checkpoint, raw [][]byte) {
	m = newMemory()
	l := m.mustLog(t)
	add := func() {
		c, err := parseCheckpoint([]byte(m.file("state/log/checkpoint")))
		if err != nil {
			t.Fatal(err)
		}
		checks = append(checks, c)
	}
	add()
	for i := range entries {
		if _, err := l.Append("intent", bodyOf(i)); err != nil {
			t.Fatal(err)
		}
		add()
	}
	r, err := l.reader()
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range r.All(Oldest) {
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, e.Raw)
	}
	return m, checks, raw
}

// TestRoots computes each root anew.
func TestRoots(t *testing.T) {
	_, checks, raw := history(t, 600)
	var leaves []tlog.Hash
	for n, c := range checks {
		if n > 0 {
			leaves = append(leaves, leafHash(raw[n-1]))
		}
		if want := treeHash(leaves); c.Size != int64(n) || c.Root != hexHash(want) {
			t.Fatalf("the checkpoint of %d entries has %d and %s, want %x", n, c.Size, c.Root, want)
		}
	}
}

// TestProofs proves every entry in, and every size before, a number of sizes: also with old checkpoints, whose tiles have grown since.
func TestProofs(t *testing.T) {
	m, checks, raw := history(t, 600)
	d, _ := m.open("/state")
	key := m.file("config/log.pub")
	var sizes []int
	for n := range checks {
		if n <= 12 || n%256 > 254 || n%256 < 2 || n == 600 || n%97 == 3 {
			sizes = append(sizes, n)
		}
	}
	for _, n := range sizes {
		r := &Reader{tiles{d, "log/"}, checks[n]}
		for k := range n {
			p, err := r.ProveInclusion(int64(k))
			if err != nil {
				t.Fatal(err)
			}
			if err := tlog.CheckRecord(p.Hashes, int64(n), checks[n].tree().Hash, int64(k), leafHash(raw[k])); err != nil {
				t.Fatalf("entry %d in %d: %v", k, n, err)
			}
			if k%50 == 7 {
				if err := CheckInclusion(key, p, raw[k]); err != nil {
					t.Fatalf("entry %d in %d: %v", k, n, err)
				}
			}
		}
		for k := range n + 1 {
			p, err := r.ProveConsistency(int64(k))
			if err != nil {
				t.Fatal(err)
			}
			if k > 0 {
				if err := tlog.CheckTree(p, int64(n), checks[n].tree().Hash, int64(k), checks[k].tree().Hash); err != nil {
					t.Fatalf("%d before %d: %v", k, n, err)
				}
			}
			if k%50 == 0 {
				if err := CheckConsistency(key, checks[k].Note, checks[n].Note, p); err != nil {
					t.Fatalf("%d before %d: %v", k, n, err)
				}
			}
		}
	}
	if len(sizes) < 20 {
		t.Errorf("only %d sizes", len(sizes))
	}
}

// TestProofsRefused: what is near a proof and none.
func TestProofsRefused(t *testing.T) {
	m, checks, raw := history(t, 20)
	d, _ := m.open("/state")
	key := m.file("config/log.pub")
	r := &Reader{tiles{d, "log/"}, checks[20]}
	p, err := r.ProveInclusion(7)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckInclusion(key, p, raw[7]); err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(raw[7])
	flipped[20] ^= 1
	other := newMemory()
	l, _ := Open(memPlace, Options{open: other.open})
	s, err := l.Append("intent", bodyOf(0))
	if err != nil {
		t.Fatal(err)
	}
	foreign, _ := l.reader()
	forged := bytes.Replace(checks[20].Note, []byte("\n20\n"), []byte("\n21\n"), 1)
	change := func(f func(*Inclusion)) Inclusion {
		q := Inclusion{p.Seq, slices.Clone(p.Hashes), p.Checkpoint}
		f(&q)
		return q
	}
	for name, tt := range map[string]struct {
		p   Inclusion
		raw []byte
		key string
	}{
		"another entry":           {p, raw[8], key},
		"a flipped bit":           {p, flipped, key},
		"another number":          {change(func(q *Inclusion) { q.Seq = 6 }), raw[7], key},
		"a number outside":        {change(func(q *Inclusion) { q.Seq = 20 }), raw[7], key},
		"a negative number":       {change(func(q *Inclusion) { q.Seq = -1 }), raw[7], key},
		"a hash less":             {change(func(q *Inclusion) { q.Hashes = q.Hashes[1:] }), raw[7], key},
		"a hash more":             {change(func(q *Inclusion) { q.Hashes = append(q.Hashes, tlog.Hash{}) }), raw[7], key},
		"another hash":            {change(func(q *Inclusion) { q.Hashes[2][5] ^= 1 }), raw[7], key},
		"an older checkpoint":     {change(func(q *Inclusion) { q.Checkpoint = checks[19].Note }), raw[7], key},
		"a forged checkpoint":     {change(func(q *Inclusion) { q.Checkpoint = forged }), raw[7], key},
		"no checkpoint":           {change(func(q *Inclusion) { q.Checkpoint = nil }), raw[7], key},
		"a log of another key":    {change(func(q *Inclusion) { q.Checkpoint = foreign.check.Note }), raw[7], key},
		"the key of another":      {p, raw[7], other.file("config/log.pub")},
		"no key":                  {p, raw[7], ""},
		"a key without its check": {p, raw[7], strings.Replace(key, "+", "+0", 1)},
		"the zero proof":          {Inclusion{}, raw[7], key},
	} {
		if err := CheckInclusion(tt.key, tt.p, tt.raw); err == nil {
			t.Errorf("%s is taken (of %v)", name, s)
		}
	}
	proof, err := r.ProveConsistency(11)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		a, b  Checkpoint
		proof []tlog.Hash
	}{
		"the other way round": {checks[20], checks[11], proof},
		"another old one":     {checks[12], checks[20], proof},
		"a hash less":         {checks[11], checks[20], proof[1:]},
		"none":                {checks[11], checks[20], nil},
		"something for 0":     {checks[0], checks[20], proof},
		"foreign":             {foreign.check, checks[20], nil},
	} {
		if err := CheckConsistency(key, tt.a.Note, tt.b.Note, tt.proof); err == nil {
			t.Errorf("consistency with %s is taken", name)
		}
	}
	for _, k := range []int64{-1, 20, 1 << 40} {
		if _, err := r.ProveInclusion(k); err == nil {
			t.Errorf("a proof of entry %d", k)
		}
		if _, err := r.Entry(k); err == nil {
			t.Errorf("an entry %d", k)
		}
		if _, err := r.ProveConsistency(k); err == nil && k != 20 {
			t.Errorf("a proof of size %d", k)
		}
	}
}

// TestProofText: a proof as text comes back; the form is C2SP tlog-proof.
func TestProofText(t *testing.T) {
	m, checks, raw := history(t, 5)
	d, _ := m.open("/state")
	r := &Reader{tiles{d, "log/"}, checks[5]}
	p, err := r.ProveInclusion(4)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := p.MarshalText()
	lines := strings.Split(string(text), "\n")
	if lines[0] != "c2sp.org/tlog-proof@v1" || lines[1] != "index 4" || len(lines[2]) != 44 || lines[3] != "" || lines[4] != checks[5].Origin {
		t.Errorf("%s", text)
	}
	var q Inclusion
	if err := q.UnmarshalText(text); err != nil || CheckInclusion(m.file("config/log.pub"), q, raw[4]) != nil {
		t.Errorf("%v %+v", err, q)
	}
	if err := q.UnmarshalText([]byte(strings.Replace(string(text), "index", "extra AAAA\nindex", 1))); err != nil || q.Seq != 4 {
		t.Errorf("%v %+v", err, q)
	}
	for _, bad := range []string{"", "x", "c2sp.org/tlog-proof@v1\n", "c2sp.org/tlog-proof@v1\nindex 04\n\nx", "c2sp.org/tlog-proof@v1\nindex -1\n\nx",
		"c2sp.org/tlog-proof@v1\nextra AAAA\n\nx", "c2sp.org/tlog-proof@v1\nindex 1\nAAAA\n\nx", "c2sp.org/tlog-proof@v2\nindex 1\n\nx"} {
		if err := q.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestLargeLog appends over the edge of a tile of the second level, and proves over it.
func TestLargeLog(t *testing.T) {
	const start = 65_536 - 3
	p := newPlace(t)
	l := mustOpen(t, p)
	leaves := grow(t, l, start, func(i int) string { return fmt.Sprintf(`{"i":%d}`, i) })
	checks := map[int64]Checkpoint{}
	for i := range 8 {
		s, err := l.Append("intent", map[string]any{"i": start + i})
		if err != nil {
			t.Fatal(err)
		}
		r, err := l.reader()
		if err != nil {
			t.Fatal(err)
		}
		e, err := r.Entry(s.Seq)
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leafHash(e.Raw))
		checks[r.Size()] = r.check
		if want := treeHash(leaves); r.check.Root != hexHash(want) {
			t.Fatalf("the root of %d entries is %s, want %x", r.Size(), r.check.Root, want)
		}
	}
	for _, name := range []string{"tile/1/000", "tile/2/000.p/1", "tile/0/255", "tile/0/256.p/5", "tile/entries/255", "tile/entries/256.p/5"} {
		if l.sizeOf("log/"+name) < 0 {
			t.Errorf("no %s", name)
		}
	}
	if rep := mustVerify(t, p, VerifyOptions{}); !rep.OK() || len(rep.Notes) > 0 {
		t.Fatalf("%+v", rep)
	}
	r, _ := l.reader()
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.Int64Range(0, r.Size()-1).Draw(t, "entry")
		p, err := r.ProveInclusion(k)
		if err != nil || tlog.CheckRecord(p.Hashes, r.Size(), r.check.tree().Hash, k, leaves[k]) != nil {
			t.Fatalf("%d: %v", k, err)
		}
		old := rapid.Int64Range(1, r.Size()).Draw(t, "size")
		q, err := r.ProveConsistency(old)
		if err != nil || tlog.CheckTree(q, r.Size(), r.check.tree().Hash, old, treeHash(leaves[:old])) != nil {
			t.Fatalf("%d: %v", old, err)
		}
	})
}
