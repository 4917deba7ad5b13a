package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/record"
)

// desk is a home folder with a log in it.
type desk struct {
	home string
	record.Place
}

func newDesk(home string) desk {
	return desk{home, record.Place{State: filepath.Join(home, ".local/state/ambit"), Config: filepath.Join(home, ".config/ambit")}}
}

// grow appends entries as mediate writes them: an intent, and an outcome after it. Each tenth has an intent with a detached value.
func (d desk) grow(t *testing.T, entries int) {
	t.Helper()
	l, err := record.Open(d.Place, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var last record.Sealed
	for i := range entries {
		kind, body := "intent", map[string]any{
			"base_context": map[string]any{"agent": "claude-code", "session": "s", "call": fmt.Sprint("t", i), "action": map[string]any{
				"tool": "Bash", "args": map[string]any{"command": fmt.Sprint("echo ", i)}, "digest": "sha256:" + strings.Repeat("ab", 32)}},
			"decision": map[string]any{"is": "allow", "rule": "within-explicit-view"}, "answered_by": map[string]any{"by": "rule"},
		}
		if i%10 == 0 {
			body["represented"] = map[string]any{"reads": []any{map[string]any{"file": strings.Repeat("x", 5000)}}}
		}
		if i%2 == 1 {
			kind, body = "outcome", map[string]any{"intent": map[string]any{"seq": last.Seq, "leaf": last.Leaf}, "ran": true, "tool": "Bash"}
		}
		if last, err = l.Append(kind, body); err != nil {
			t.Fatal(err)
		}
	}
}

// ambit runs the command line in this home.
func (d desk) ambit(args ...string) (code int, out, errs string) {
	var stdout, stderr strings.Builder
	code = run(args, strings.NewReader(""), &stdout, &stderr, []string{"HOME=" + d.home})
	return code, stdout.String(), stderr.String()
}

func (d desk) copy(t *testing.T) desk {
	t.Helper()
	to := newDesk(t.TempDir())
	if err := os.CopyFS(to.home, os.DirFS(d.home)); err != nil {
		t.Fatal(err)
	}
	return to
}

// edit replaces a file of the log folder.
func (d desk) edit(t *testing.T, name string, change func([]byte) []byte) {
	t.Helper()
	name = filepath.Join(d.LogDir(), name)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	after := change(bytes.Clone(b))
	if bytes.Equal(after, b) {
		t.Fatalf("nothing was changed in %s", name)
	}
	if err := os.WriteFile(name, after, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (d desk) remove(t *testing.T, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(d.LogDir(), name)); err != nil {
		t.Fatal(err)
	}
}

// blob is the path of one detached value.
func (d desk) blob(t *testing.T) (name string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(d.LogDir(), "blob"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, err = filepath.Rel(d.LogDir(), path)
		}
		return err
	})
	if err != nil || name == "" {
		t.Fatalf("no blob: %v", err)
	}
	return name
}

func flip(at int) func([]byte) []byte {
	return func(b []byte) []byte { b[at] ^= 1; return b }
}

func half(b []byte) []byte { return b[:len(b)/2] }

// bundle changes the entries of a bundle: each is behind its length in 16 bits.
func bundle(change func([][]byte) [][]byte) func([]byte) []byte {
	return func(b []byte) []byte {
		var list [][]byte
		for len(b) > 0 {
			n := int(binary.BigEndian.Uint16(b))
			list, b = append(list, b[2:2+n]), b[2+n:]
		}
		return joined(change(list))
	}
}

func joined(list [][]byte) (out []byte) {
	for _, e := range list {
		out = append(binary.BigEndian.AppendUint16(out, uint16(len(e))), e...)
	}
	return out
}

func without(i int) func([][]byte) [][]byte {
	return func(list [][]byte) [][]byte { return slices.Delete(list, i, i+1) }
}

// rebuild changes all entries and writes bundles and hash tiles anew, so that all fits together but the checkpoint. It is for 257 to 511
// entries.
func (d desk) rebuild(t *testing.T, size int, change func([][]byte) [][]byte) {
	t.Helper()
	var list [][]byte
	partial := fmt.Sprintf("001.p/%d", size-256)
	for _, name := range []string{"tile/entries/000", "tile/entries/" + partial} {
		d.edit(t, name, func(b []byte) []byte {
			bundle(func(part [][]byte) [][]byte { list = append(list, part...); return part })(b)
			return append(b, 0) // it is written anew below
		})
	}
	list = change(list)
	var hashes []byte
	for _, e := range list {
		h := tlog.RecordHash(e)
		hashes = append(hashes, h[:]...)
	}
	d.remove(t, "tile")
	rest := fmt.Sprintf("001.p/%d", len(list)-256)
	root := subtree(hashes[:256*tlog.HashSize])
	for name, data := range map[string][]byte{
		"tile/entries/000": joined(list[:256]), "tile/entries/" + rest: joined(list[256:]),
		"tile/0/000": hashes[:256*tlog.HashSize], "tile/0/" + rest: hashes[256*tlog.HashSize:], "tile/1/000.p/1": root[:],
	} {
		name = filepath.Join(d.LogDir(), name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// subtree is the hash over a power of two of hashes (RFC 6962, section 2.1).
func subtree(hashes []byte) tlog.Hash {
	if len(hashes) == tlog.HashSize {
		return tlog.Hash(hashes)
	}
	half := len(hashes) / 2
	return tlog.NodeHash(subtree(hashes[:half]), subtree(hashes[half:]))
}

// Whatever is changed in a record, ambit log verify says what, and ends with exit code 4.
func TestSafetyLogTampering(t *testing.T) {
	const size = 300
	good := newDesk(t.TempDir())
	good.grow(t, size)
	older := good.copy(t)
	good.grow(t, 2)
	other := newDesk(t.TempDir())
	other.grow(t, 3)
	const total = size + 2

	replaceLog := func(t *testing.T, d, from desk) {
		d.remove(t, ".")
		if err := os.CopyFS(d.LogDir(), os.DirFS(from.LogDir())); err != nil {
			t.Fatal(err)
		}
	}
	exchange := func(a, b int) func([][]byte) [][]byte {
		return func(list [][]byte) [][]byte { list[a], list[b] = list[b], list[a]; return list }
	}
	changed := func(i int) func([][]byte) [][]byte {
		return func(list [][]byte) [][]byte {
			list[i] = bytes.Replace(list[i], []byte(`"allow"`), []byte(`"allo7"`), 1)
			return list
		}
	}
	partial := fmt.Sprintf("001.p/%d", total-256)
	for name, c := range map[string]struct {
		tamper func(t *testing.T, d desk)
		code   string // of the first problem
		seq    int64  // of its entry; -1: none
	}{
		"an entry":                    {func(t *testing.T, d desk) { d.edit(t, "tile/entries/000", bundle(changed(100))) }, "changed", 100},
		"an entry of the last bundle": {func(t *testing.T, d desk) { d.edit(t, "tile/entries/"+partial, bundle(changed(20))) }, "changed", 276},
		"a hash tile":                 {func(t *testing.T, d desk) { d.edit(t, "tile/0/000", flip(1000)) }, "tile", -1},
		"the last hash tile":          {func(t *testing.T, d desk) { d.edit(t, "tile/0/"+partial, flip(100)) }, "tile", -1},
		"an upper hash tile":          {func(t *testing.T, d desk) { d.edit(t, "tile/1/000.p/1", flip(3)) }, "tile", -1},
		"a detached value":            {func(t *testing.T, d desk) { d.edit(t, d.blob(t), flip(50)) }, "blob-changed", -2},
		"a detached value is gone":    {func(t *testing.T, d desk) { d.remove(t, d.blob(t)) }, "blob-missing", -2},
		"a detached value is cut":     {func(t *testing.T, d desk) { d.edit(t, d.blob(t), half) }, "blob-changed", -2},
		"the checkpoint's origin":     {func(t *testing.T, d desk) { d.edit(t, "checkpoint", flip(20)) }, "", -1},
		"the checkpoint's size":       {func(t *testing.T, d desk) { d.edit(t, "checkpoint", flip(32)) }, "", -1},
		"the checkpoint's root":       {func(t *testing.T, d desk) { d.edit(t, "checkpoint", flip(40)) }, "", -1},
		"the checkpoint's signature": {func(t *testing.T, d desk) {
			d.edit(t, "checkpoint", func(b []byte) []byte { b[len(b)-10] ^= 1; return b })
		}, "", -1},
		"the checkpoint is cut":  {func(t *testing.T, d desk) { d.edit(t, "checkpoint", half) }, "damaged", -1},
		"the checkpoint is gone": {func(t *testing.T, d desk) { d.remove(t, "checkpoint") }, "missing", -1},
		"the checkpoint is rolled back": {func(t *testing.T, d desk) {
			d.edit(t, "checkpoint", func([]byte) []byte { return older.read(t, "checkpoint") })
		}, "rolled-back", -2},
		"an entry is removed":              {func(t *testing.T, d desk) { d.edit(t, "tile/entries/000", bundle(without(100))) }, "removed", 100},
		"an entry is removed, all rebuilt": {func(t *testing.T, d desk) { d.rebuild(t, total, without(100)) }, "removed", 100},
		"the last entry is removed":        {func(t *testing.T, d desk) { d.edit(t, "tile/entries/"+partial, bundle(without(total-257))) }, "removed", total - 1},
		"entries are exchanged":            {func(t *testing.T, d desk) { d.edit(t, "tile/entries/000", bundle(exchange(100, 102))) }, "moved", 100},
		"entries are exchanged, rebuilt":   {func(t *testing.T, d desk) { d.rebuild(t, total, exchange(100, 102)) }, "moved", 100},
		"an entry is changed, rebuilt":     {func(t *testing.T, d desk) { d.rebuild(t, total, changed(100)) }, "changed", 100},
		"an entry is doubled": {func(t *testing.T, d desk) {
			d.edit(t, "tile/entries/"+partial, bundle(func(l [][]byte) [][]byte { return slices.Insert(l, 3, l[2]) }))
		}, "inserted", 259},
		"a bundle is cut":           {func(t *testing.T, d desk) { d.edit(t, "tile/entries/000", half) }, "", -2},
		"a bundle is gone":          {func(t *testing.T, d desk) { d.remove(t, "tile/entries/000") }, "", -2},
		"a hash tile is cut":        {func(t *testing.T, d desk) { d.edit(t, "tile/0/000", half) }, "tile", -1},
		"a hash tile is gone":       {func(t *testing.T, d desk) { d.remove(t, "tile/0/000") }, "tile", -1},
		"the folder is rolled back": {func(t *testing.T, d desk) { replaceLog(t, d, older) }, "rolled-back", size},
		"the log of another key":    {func(t *testing.T, d desk) { replaceLog(t, d, other) }, "key", -1},
		"another log with its key": {func(t *testing.T, d desk) {
			replaceLog(t, d, other)
			key, err := os.ReadFile(other.PublicKeyFile())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(d.PublicKeyFile(), key, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "key", -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := good.copy(t)
			if code, out, errs := d.ambit("log", "verify", "--json"); code != exitOK {
				t.Fatalf("before: exit code %d\n%s%s", code, out, errs)
			}
			c.tamper(t, d)
			code, out, errs := d.ambit("log", "verify", "--json")
			var v verified
			if err := json.Unmarshal([]byte(out), &v); err != nil || code != exitNotSigned || v.OK || len(v.Problems) == 0 {
				t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errs)
			}
			first := v.Problems[0]
			seq := int64(-1)
			if first.Seq != nil {
				seq = *first.Seq
			}
			if c.code != "" && string(first.Code) != c.code || c.seq != -2 && seq != c.seq {
				t.Errorf("the first problem is %s of entry %d: %s", first.Code, seq, first.Text)
			}
			code, out, errs = d.ambit("log", "verify")
			if code != exitNotSigned || !strings.Contains(strings.Join(strings.Fields(out), ""), strings.Join(strings.Fields(first.Text), "")) || !strings.Contains(errs, "is not what was signed") {
				t.Errorf("exit code %d\n%s%s", code, out, errs)
			}
		})
	}
}

func (d desk) read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(d.LogDir(), name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is wrong with one entry is said in the list and where it is shown, and hides no other.
func TestSafetyLogDamageIsListed(t *testing.T) {
	d := newDesk(t.TempDir())
	d.grow(t, 12)
	d.edit(t, "tile/entries/000.p/12", bundle(func(l [][]byte) [][]byte {
		l[4] = bytes.Replace(l[4], []byte(`"seq":4`), []byte(`"seq":7`), 1)
		l[6] = bytes.Replace(l[6], []byte("echo 6"), []byte("rm  -r"), 1)
		return l
	}))
	d.remove(t, d.blob(t)) // of the entries 0 and 10, which have the same
	code, out, errs := d.ambit("log")
	for _, want := range []string{"echo 2", "echo 8", "0  damaged  entry 0 is not whole", "4  damaged  entry 4 is damaged", "10  damaged  entry 10 is not whole"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in the list", want)
		}
	}
	if code != exitNotSigned || !strings.Contains(errs, "3 parts of the record cannot be read as sealed") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	// The outcomes 5 and 7 name intents that are not there as they were, so they stand for themselves.
	code, js, _ := d.ambit("log", "--json")
	if code != exitNotSigned || strings.Count(js, "\n") != 8 || strings.Count(js, `"error":{"code":"not-as-signed"`) != 3 {
		t.Errorf("exit code %d\n%s", code, js)
	}
	if code, out, errs := d.ambit("log", "show", "6"); code != exitNotSigned || !strings.Contains(out, "NOT proven to be what was signed") || !strings.Contains(errs, "entry 6 is not proven") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if code, _, _ := d.ambit("log", "show", "6", "--json"); code != exitNotSigned {
		t.Errorf("exit code %d", code)
	}
	for _, format := range []string{"jsonl", "in-toto"} {
		if code, _, errs := d.ambit("log", "export", "--format", format); code != exitNotSigned {
			t.Errorf("%s: exit code %d: %s", format, code, errs)
		}
	}
	if code, _, errs := d.ambit("log", "export", "--format", "in-toto", "--from", "6", "--to", "6"); code != exitNotSigned || !strings.Contains(errs, "entry 6 is not proven") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	// The whole folder is gone, and the public key says that there must be one.
	d.remove(t, ".")
	for _, command := range []string{"list", "verify", "export"} {
		if code, _, errs := d.ambit("log", command); code != exitNotSigned || !strings.Contains(errs, "the record is gone") {
			t.Errorf("%s: exit code %d: %s", command, code, errs)
		}
	}
}

// An entry of a newer ambit is listed and shown as it stands.
func TestLogOfANewerVersion(t *testing.T) {
	d := newDesk(t.TempDir())
	d.grow(t, 3)
	d.edit(t, "tile/entries/000.p/3", bundle(func(l [][]byte) [][]byte {
		l[2] = bytes.Replace(l[2], []byte(`"version":1`), []byte(`"version":2`), 1)
		return l
	}))
	if code, out, errs := d.ambit("log"); code != exitOK || !strings.Contains(out, "an entry of version 2") || !strings.Contains(out, "echo 0") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if _, out, _ := d.ambit("log", "show", "2"); !strings.Contains(out, "an entry of version 2") || !strings.Contains(strings.Join(strings.Fields(out), ""), `"version":2`) {
		t.Errorf("it is shown as\n%s", out)
	}
	if _, out, _ := d.ambit("log", "show", "2", "--json"); !strings.Contains(out, `"body":null,"note":"an entry of version 2`) || !strings.Contains(out, `"raw":{"at":`) {
		t.Errorf("it is shown as\n%s", out)
	}
}

// A line of a list fits the screen, and says what it leaves out; what comes from outside is written out.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"", 10, ""},
		{"npm ci", 6, "npm ci"},
		{"npm ci\n", 20, "npm ci…(+1)"},
		{"npm install --save", 12, "npm in…(+12)"},
		{"a\nb\nc", 20, "a…(+4)"},
		{"\u202eabc", 11, "<U+202E>abc"},
		{"日本語日本語", 9, "日本…(+4)"},
	} {
		if got := fit(c.text, c.columns); got != c.want {
			t.Errorf("fit(%q, %d) = %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}

// An exported statement is checked with the public key alone: the envelope, the entry's hash, and its proof to be in the signed log.
func TestSafetyStatements(t *testing.T) {
	d := newDesk(t.TempDir())
	d.grow(t, 5)
	key, err := os.ReadFile(d.PublicKeyFile())
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := d.ambit("log", "export", "--format", "in-toto", "--from", "0", "--to", "3")
	if code != exitOK || strings.Count(out, "\n") != 2 { // the outcomes of grow name no action
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	for line := range strings.Lines(out) {
		var e record.Envelope
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		payload, err := e.Open(string(key), inTotoPayload)
		if err != nil {
			t.Fatal(err)
		}
		var s statement
		if err := json.Unmarshal(payload, &s); err != nil {
			t.Fatal(err)
		}
		if s.Type != inTotoStatement || s.PredicateType != inTotoPredicate || len(s.Subject) != 1 || s.Subject[0].Digest["sha256"] != strings.Repeat("ab", 32) {
			t.Errorf("%+v", s)
		}
		raw, err := action.Canonical(s.Predicate.Entry)
		if err != nil {
			t.Fatal(err)
		}
		leaf := tlog.RecordHash(raw)
		if s.Predicate.Leaf != hex.EncodeToString(leaf[:]) {
			t.Errorf("the leaf hash is %x, want %s", leaf[:], s.Predicate.Leaf)
		}
		var p record.Inclusion
		if err := p.UnmarshalText([]byte(s.Predicate.Proof)); err != nil {
			t.Fatal(err)
		}
		if err := record.CheckInclusion(string(key), p, raw); err != nil || string(p.Checkpoint) != s.Predicate.Checkpoint {
			t.Errorf("%v", err)
		}
		if err := record.CheckInclusion(string(key), p, append(raw, ' ')); err == nil {
			t.Error("another entry is proven too")
		}
	}
}

// A record that somebody else made cannot write on the terminal: every text of an entry is escaped, in the list and where it is shown.
func TestSafetyHostileRecord(t *testing.T) {
	d := newDesk(t.TempDir())
	l, err := record.Open(d.Place, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const x = "x\x1b[2J\u202ey\r"
	effects := []any{map[string]any{"class": x, "access": x, "resource": "file:/" + x, "view": x, "sources": []any{map[string]any{"file": x, "rule": x, "sha256": x + x}}}}
	intent := map[string]any{
		"base_context": map[string]any{
			"agent": x, "session": x, "subagent": x, "event": x, "call": x, "mode": x, "workspace": x, "ambit": x,
			"action":      map[string]any{"dir": x, "tool": x, "args": map[string]any{x: x, "command": x}, "digest": x},
			"environment": map[string]any{"names": []any{x}, "commitments": []any{x}}},
		"routing_outcome": x, "policy_input": map[string]any{"policy": x, "policy_sha256": x, "explicit": []any{x}, "defect": x},
		"decision":    map[string]any{"is": x, "rule": x, "why": x, "added": []any{x}, "facts": []any{map[string]any{"rule": x, "place": x, "access": x, "by": x}}},
		"answered_by": map[string]any{"by": x, "name": x}, "shown": map[string]any{"text": x, "sha256": x},
		"represented": map[string]any{"views": map[string]any{"explicit": []any{x}}, "effects": effects, "ordinary": effects, "delegated": effects,
			"unknowns": []any{map[string]any{"why": x, "could": []any{x}, "where": map[string]any{"file": x}}}, "reads": []any{map[string]any{"file": x, "sha256": x}}},
	}
	sealed, err := l.Append("intent", intent)
	if err != nil {
		t.Fatal(err)
	}
	for kind, body := range map[string]map[string]any{
		"prompt":  {"intent": sealedRef(sealed), "agent": x, "session": x, "event": x, "call": x, "tool": x, "action_digest": x},
		"outcome": {"intent": nil, "agent": x, "session": x, "event": x, "call": x, "tool": x, "action_digest": x, "error": x, "answered_by": map[string]any{"by": x}, "response": map[string]any{"commitment": x}},
		"other":   {"a": x},
	} {
		if _, err := l.Append(kind, body); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"log"}, {"log", "show", "0", "--all"}, {"log", "show", "1"}, {"log", "show", "2"}, {"log", "show", "3"}, {"log", "verify"}} {
		code, out, errs := d.ambit(args...)
		if code != exitOK || strings.ContainsAny(out+errs, "\x1b\u202e\r") || len(args) > 2 && !strings.Contains(out, "<U+") && !strings.Contains(out, `\u`) {
			t.Errorf("%q: exit code %d\n%q\n%q", args, code, out, errs)
		}
	}
}

func sealedRef(s record.Sealed) map[string]any { return map[string]any{"seq": s.Seq, "leaf": s.Leaf} }
