package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newPlace(t testing.TB) Place {
	t.Helper()
	dir := t.TempDir()
	return Place{State: filepath.Join(dir, "state", "ambit"), Config: filepath.Join(dir, "config", "ambit")}
}

func mustOpen(t testing.TB, p Place) *Log {
	t.Helper()
	l, err := Open(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func mustVerify(t testing.TB, p Place, o VerifyOptions) *Report {
	t.Helper()
	key, err := os.ReadFile(p.PublicKeyFile())
	if err != nil {
		t.Fatal(err)
	}
	r, err := Verify(p.LogDir(), string(key), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLog is the way of an ordinary log, over the edge of a tile.
func TestLog(t *testing.T) {
	p := newPlace(t)
	l := mustOpen(t, p)
	const n = 600
	for i := range n {
		body := map[string]any{"i": i, "text": strings.Repeat("x", i%7)}
		if i%100 == 7 {
			body["large"] = strings.Repeat("y", 5000+i)
		}
		s, err := l.Append("intent", body)
		if err != nil {
			t.Fatal(i, err)
		}
		if s.Seq != int64(i) {
			t.Fatalf("entry %d is sealed as %d", i, s.Seq)
		}
	}
	r, err := Read(p.LogDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	i := 0
	for e, err := range r.All(Oldest) {
		if err != nil || e.Seq != int64(i) || !strings.Contains(string(e.Body), fmt.Sprintf(`{"i":%d,`, i)) {
			t.Fatalf("entry %d: %v %s", i, err, e.Body)
		}
		i++
	}
	if i != n {
		t.Fatalf("%d entries", i)
	}
	// Folders of partial tiles go when the tile is full.
	for _, name := range []string{"tile/0/000.p", "tile/entries/001.p"} {
		if _, err := os.Stat(filepath.Join(p.LogDir(), name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	rep := mustVerify(t, p, VerifyOptions{})
	if !rep.OK() || rep.Entries != n || rep.Blobs != 6 || len(rep.Notes) > 0 {
		t.Fatalf("%+v", rep)
	}
}
