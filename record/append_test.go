package record

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// TestSafetyRolledBack: the log folder is put back to an earlier state, or another takes its place. Append refuses, and says so, until
// a person decides.
func TestSafetyRolledBack(t *testing.T) {
	at := func(entries int) *memory {
		m, _, _ := standing(t, entries)
		m.mustLog(t)
		return m
	}
	// folder puts the log folder of one into another.
	folder := func(from, to *memory) {
		for name := range to.state.files {
			if strings.HasPrefix(name, "state/log/") {
				delete(to.state.files, name)
			}
		}
		for name, ino := range from.state.files {
			if strings.HasPrefix(name, "state/log/") {
				for dir := range from.state.dirs {
					to.state.dirs[dir] = true
				}
				to.next++
				to.state.files[name], to.state.data[to.next] = to.next, from.state.data[ino]
			}
		}
	}
	// forked has the key and the length of m, and other entries from some point on.
	forked := func(from, entries int) *memory {
		m := at(from)
		l := m.mustLog(t)
		for i := from; i < entries; i++ {
			if _, err := l.Append("intent", map[string]any{"other": i}); err != nil {
				t.Fatal(err)
			}
		}
		return m
	}
	for name, tt := range map[string]struct {
		log  *memory
		code Code
		says string
	}{
		"as it is":                   {at(20), "", ""},
		"by one":                     {at(19), CodeRolledBack, "its checkpoint has 19 entries, and this machine signed one of 20"},
		"to the beginning":           {at(0), CodeRolledBack, "has 0 entries"},
		"another of the same size":   {forked(10, 20), CodeRolledBack, "replaced: its first 20 entries"},
		"another that is longer":     {forked(10, 300), CodeRolledBack, "replaced"},
		"longer, from the same":      {forked(20, 25), "", ""},
		"longer, and from much less": {forked(0, 257), CodeRolledBack, "replaced"},
	} {
		m := at(20)
		folder(tt.log, m)
		l := m.mustLog(t)
		_, err := l.Append("intent", bodyOf(0))
		if err == nil && tt.code == "" {
			continue
		}
		if code(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		// The person decides.
		delete(m.state.files, "state/seen")
		if _, err := l.Append("intent", bodyOf(0)); err != nil {
			t.Errorf("%s, without seen: %v", name, err)
		}
	}
}

// TestSeen: what is not exactly what the key made is as good as lost, and losing it costs nothing but time.
func TestSeen(t *testing.T) {
	m, _, _ := standing(t, 20)
	text := m.file("state/seen")
	key := []byte(m.file("state/commit.key"))
	s, ok := parseSeen([]byte(text), key)
	if !ok || string(s.note) != m.file("state/log/checkpoint") || s.length != int64(len(m.file("state/log/tile/entries/000.p/20"))) {
		t.Fatalf("%v %+v", ok, s)
	}
	for i := range len(text) {
		b := []byte(text)
		b[i] ^= 1
		if _, ok := parseSeen(b, key); ok {
			t.Errorf("byte %d may be changed", i)
		}
		if _, ok := parseSeen([]byte(text[:i]), key); ok {
			t.Errorf("it may end at %d", i)
		}
	}
	if _, ok := parseSeen([]byte(text), key[1:]); ok {
		t.Error("another key is taken")
	}
	for _, lost := range []string{"", text[:50], strings.Replace(text, "ambit-seen-v1\n", "ambit-seen-v2\n", 1), "\x00\x00"} {
		f := m.fork()
		f.next++
		f.state.files["state/seen"], f.state.data[f.next] = f.next, []byte(lost)
		if err := stands(f, nil); err != nil {
			t.Errorf("with %q: %v", lost, err)
		}
	}
}

// TestNewerEntries: entries of a newer version are appended after, read as they stand, and verified for what was sealed.
func TestNewerEntries(t *testing.T) {
	m, _, _ := standing(t, 0)
	l := m.mustLog(t)
	if _, err := l.Append("intent", bodyOf(0)); err != nil {
		t.Fatal(err)
	}
	// A newer ambit writes two.
	raw := [][]byte{[]byte(`{"at":{"prev":"` + strings.Repeat("0", 64) + `","seq":1,"time":"x"},"body":{"b":1},"kind":"plan","version":2}`), []byte(`{"what":[],"version":7}`)}
	for _, b := range raw {
		h, err := l.head()
		if err != nil {
			t.Fatal(err)
		}
		f, err := l.frontier(h)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.write(h, f, b, tlog.RecordHash(b)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := l.Append("outcome", bodyOf(3))
	if err != nil || s.Seq != 3 {
		t.Fatal(s, err)
	}
	e, err := l.Entry(1)
	if err != nil || e.Version != 2 || e.Note == "" || e.Body != nil || e.Kind != "plan" || !bytes.Equal(e.Raw, raw[0]) {
		t.Errorf("%v %+v", err, e)
	}
	e, err = l.Entry(2)
	if err != nil || e.Version != 7 || e.Note == "" || !bytes.Equal(e.Raw, raw[1]) {
		t.Errorf("%v %+v", err, e)
	}
	if e, err = l.Entry(3); err != nil || e.Note != "" {
		t.Errorf("%v %+v", err, e)
	}
	r, _ := l.reader()
	n := 0
	for range r.All(Newest) {
		n++
	}
	rep, err := m.verify(VerifyOptions{})
	if n != 4 || err != nil || !rep.OK() || len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "2 entries were made by a newer ambit") {
		t.Errorf("%d %v %+v", n, err, rep)
	}
}

// TestOrders: newest first is oldest first the other way round, over bundles; and one can stop.
func TestOrders(t *testing.T) {
	m, _, raw := history(t, 520)
	d, _ := m.open("/state")
	r, err := newReader(tiles{d, "log/"})
	if err != nil {
		t.Fatal(err)
	}
	i := len(raw)
	for e, err := range r.All(Newest) {
		if i--; err != nil || e.Seq != int64(i) || !bytes.Equal(e.Raw, raw[i]) {
			t.Fatalf("%d: %v %d", i, err, e.Seq)
		}
		if i == 250 {
			break
		}
	}
	if i != 250 {
		t.Errorf("it ended at %d", i)
	}
	// What cannot be read is said entry by entry, and the rest is read.
	delete(m.state.files, "state/log/tile/entries/000")
	bad, good := 0, 0
	for e, err := range r.All(Oldest) {
		if e == nil {
			t.Fatal("no entry")
		}
		if err != nil {
			bad++
		} else {
			good++
		}
	}
	if bad != 256 || good != 264 {
		t.Errorf("%d bad, %d good", bad, good)
	}
	// A size that nobody signed does not keep it busy for ever.
	r.check.Size = 1 << 60
	for _, o := range []Order{Oldest, Newest} {
		n := 0
		for range r.All(o) {
			n++
		}
		if n > (maxMissing+3)*full {
			t.Errorf("%d entries", n)
		}
	}
}

// TestBlobIsMended: a detached value that is there and something else is written anew; one that is gone is said.
func TestBlobIsMended(t *testing.T) {
	m, _, _ := standing(t, 4)
	l := m.mustLog(t)
	e, err := l.Entry(3)
	if err != nil {
		t.Fatal(err)
	}
	_, blobs, _ := parseEntry(3, e.Raw)
	name := "state/log/" + blobName(blobs[0].Sum)
	m.state.data[m.state.files[name]] = []byte("x")
	if e, err := l.Entry(3); code(err) != CodeDamaged || e == nil || e.Body != nil || e.Raw == nil {
		t.Errorf("%v %+v", err, e)
	}
	if _, err := l.Append("intent", bodyOf(3)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Entry(3); err != nil {
		t.Error(err)
	}
}

// TestVerifyWhileAppending: readers that come in the middle of appends see a log that verifies.
func TestVerifyWhileAppending(t *testing.T) {
	p := newPlace(t)
	l := mustOpen(t, p)
	const entries = 300
	done := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		defer close(done)
		for i := range entries {
			if _, err := l.Append("intent", bodyOf(i)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	key, err := os.ReadFile(p.PublicKeyFile())
	if err != nil {
		t.Fatal(err)
	}
	var since []byte
	rounds := 0
	for running := true; running; rounds++ {
		select {
		case <-done:
			running = false
		default:
		}
		rep, err := Verify(p.LogDir(), string(key), VerifyOptions{Since: since})
		if err != nil || !rep.OK() {
			t.Fatalf("round %d: %v %+v", rounds, err, rep)
		}
		since = rep.Checkpoint.Note
		if r, err := Read(p.LogDir()); err != nil {
			t.Fatal(err)
		} else {
			for n := r.Size() - 1; n >= 0; n /= 2 {
				if _, err := r.Entry(n); err != nil {
					t.Fatal(err)
				}
				if p, err := r.ProveInclusion(n); err != nil || len(p.Checkpoint) == 0 {
					t.Fatal(err)
				}
				if n == 0 {
					break
				}
			}
			r.Close()
		}
	}
	if rounds < 5 {
		t.Errorf("only %d rounds", rounds)
	}
}

// TestPoint: a pointer is found by its key until it is taken back, or its place is taken over.
func TestPoint(t *testing.T) {
	p := newPlace(t)
	l := mustOpen(t, p)
	at := func(i int) Sealed { return Sealed{int64(i), fmt.Sprintf("%064x", i)} }
	if _, ok := l.Pointed("a"); ok {
		t.Error("something is there")
	}
	for i := range 300 {
		if err := l.Point(fmt.Sprint("call\n", i), at(i)); err != nil {
			t.Fatal(err)
		}
	}
	missing := 0
	for i := range 300 {
		s, ok := l.Pointed(fmt.Sprint("call\n", i))
		if !ok {
			missing++ // two keys may share a place
		} else if s != at(i) {
			t.Errorf("%d is %v", i, s)
		}
	}
	if missing > 10 {
		t.Errorf("%d pointers are not there", missing)
	}
	if err := l.Point("a", at(7)); err != nil {
		t.Fatal(err)
	}
	if err := l.Point("a", at(8)); err != nil {
		t.Fatal(err)
	}
	if s, ok := l.Pointed("a"); !ok || s != at(8) {
		t.Error(s, ok)
	}
	for range 2 {
		if err := l.Unpoint("a"); err != nil {
			t.Error(err)
		}
	}
	if s, ok := l.Pointed("a"); ok {
		t.Error(s)
	}
	// What is there and no pointer is none.
	check(t, l.Point("b", at(9)))
	name, sum := openName("b")
	for _, text := range []string{"", "x", sum + " 9", sum + " -1 " + at(9).Leaf + "\n", sum + " 9 zz\n", strings.Repeat("0", 64) + " 9 " + at(9).Leaf + "\n"} {
		check(t, os.WriteFile(filepath.Join(p.State, name), []byte(text), 0o600))
		if s, ok := l.Pointed("b"); ok {
			t.Errorf("%q is %v", text, s)
		}
	}
}

// TestReadWhileRenamed: an append renames the file between the listing and the opening, again and again; the reader follows.
func TestReadWhileRenamed(t *testing.T) {
	m, _, _ := standing(t, 20)
	d, _ := m.open("/state")
	s := tiles{d, "log/"}
	w := 20
	m.call = func(what, name string) fault {
		dir := "state/log/tile/entries/000.p/"
		if at := fmt.Sprint(dir, w); what == "open" && name == at && w < 30 {
			w++
			m.do(&op{what: "rename", name: fmt.Sprint(dir, w), from: at, file: m.state.files[at]})
		}
		return fault{}
	}
	if list, err := s.entries(tile{bundles, 0, 10}); err != nil || len(list) != 10 || w != 30 {
		t.Errorf("%v: %d entries, at width %d", err, len(list), w)
	}
}
