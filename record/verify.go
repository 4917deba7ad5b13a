package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// The further codes of a Problem; it also has CodeKey, CodeDamaged, CodeMissing and CodeRolledBack.
const (
	CodeChanged     Code = "changed"      // an entry is not what was sealed
	CodeRemoved     Code = "removed"      // an entry is gone
	CodeMoved       Code = "moved"        // entries have changed places
	CodeInserted    Code = "inserted"     // an entry stands where it was not sealed
	CodeRewritten   Code = "rewritten"    // entries that fit together are not those that were signed
	CodeBlobMissing Code = "blob-missing" // a detached value is gone
	CodeBlobChanged Code = "blob-changed" // a detached value is not what was sealed
	CodeTile        Code = "tile"         // a hash tile is not that of the entries
)

// VerifyOptions of Verify. The zero value checks the log as it is.
type VerifyOptions struct {
	Since    []byte                  // an earlier checkpoint of this log, as it was signed: the log must still begin with it
	Progress func(done, total int64) // called now and then with the number of entries that are checked; nil for none
	Workers  int                     // how many goroutines; 0 for one per processor
}

// Report is what Verify found.
type Report struct {
	Checkpoint Checkpoint
	Entries    int64     // how many were checked
	Blobs      int64     // how many detached values
	Problems   []Problem // the first bad entry first; none if the log is what was signed
	Notes      []string  // what is as it may be, and worth knowing

	complete bool
}

// OK is true where everything was checked and is what was signed. It is false for the zero Report.
func (r *Report) OK() bool { return r != nil && r.complete && len(r.Problems) == 0 }

// Problem is one thing that is not as it was signed.
type Problem struct {
	Code Code
	Seq  int64  // the entry; -1 where it is about none
	Text string // a sentence without a full stop: "entry 41 was changed"
}

// Verify checks a log with its folder and the public key alone: the checkpoint's signature; that the entries are those under the
// signature; that the hash tiles are theirs; that every entry has its number and names the one before; that the detached values are
// there; and with Since that nothing of an earlier state was lost or rewritten. What it finds is in the report. An *Error says that
// it could not check at all.
//
// A log that is appended to meanwhile is checked as it was at the beginning.
func Verify(logDir, publicKey string, o VerifyOptions) (*Report, error) {
	d, err := openDisk(logDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Code: CodeMissing, Message: "there is no log in " + logDir, Next: "give the folder that has the file checkpoint", Err: err}
	}
	if err != nil {
		return nil, blame(err, "cannot open the log in "+logDir)
	}
	defer d.close()
	r, err := verify(tiles{d, ""}, publicKey, o)
	if err != nil {
		return nil, blame(err, "cannot verify the log in "+logDir)
	}
	return r, nil
}

// checker is one run of Verify.
type checker struct {
	tiles
	rep    *Report
	key    note.Verifier
	signed bool // the checkpoint's signature is good
	since  *Checkpoint
	parts  []part
	roots  []byte // of the whole bundles, one after the other
}

// part is what is known of one bundle.
type part struct {
	whole     bool   // all its entries could be read
	leaves    []byte // kept for the last bundle and the one in which Since ends
	root      tlog.Hash
	tileRoot  tlog.Hash // of the hash tile, where it is a full one
	tile      tileState
	firstPrev string
	lastLeaf  string
	bad       []Problem // about single entries
	newer     int64
	blobs     int64
	err       error // the bundle cannot be read
}

type tileState int

const (
	tileGood  tileState = iota
	tileShort           // it ends too early, has zeros in the place of hashes, or is not there
	tileWrong
)

func verify(s tiles, publicKey string, o VerifyOptions) (*Report, error) {
	key, err := verifier(publicKey)
	if err != nil {
		return nil, err
	}
	c := &checker{tiles: s, rep: &Report{}, key: key}
	if len(o.Since) > 0 {
		since, err := openCheckpoint(o.Since, key)
		if err != nil {
			return nil, &Error{Code: CodeKey, Message: "the earlier checkpoint is not one of this log", Next: "give a checkpoint that was signed with the same key", Err: err}
		}
		c.since = &since
	}
	if ok, err := c.checkpoint(); !ok || err != nil {
		return c.rep, err
	}
	c.bundles(o)
	c.judge()
	c.rep.complete = true
	return c.rep, nil
}

func (c *checker) problem(code Code, seq int64, format string, args ...any) {
	c.rep.Problems = append(c.rep.Problems, Problem{code, seq, fmt.Sprintf(format, args...)})
}

func (c *checker) note(format string, args ...any) {
	c.rep.Notes = append(c.rep.Notes, fmt.Sprintf(format, args...))
}

// checkpoint reads the checkpoint; false if nothing can be checked against it.
func (c *checker) checkpoint() (bool, error) {
	b, err := c.d.read(c.prefix+"checkpoint", maxNote)
	if errors.Is(err, fs.ErrNotExist) {
		if names, _ := c.d.names(c.prefix + "tile"); len(names) > 0 {
			c.problem(CodeMissing, -1, "the checkpoint is missing")
			return false, nil
		}
		return false, fail(CodeMissing, "give the folder that has the file checkpoint", "there is no log")
	}
	if err != nil {
		return false, err
	}
	check, err := parseCheckpoint(b)
	var e *Error
	if errors.As(err, &e) && e.Code == CodeNewer {
		return false, err
	}
	if err != nil {
		c.problem(CodeDamaged, -1, "%v", err)
		return false, nil
	}
	c.rep.Checkpoint = check
	if _, err := openCheckpoint(b, c.key); errors.As(err, &e) {
		c.problem(e.Code, -1, "%v", err)
	} else {
		c.signed = true
	}
	return true, nil
}

// bundles reads all entries, several bundles at a time.
func (c *checker) bundles(o VerifyOptions) {
	total := c.rep.Checkpoint.Size
	// A size that somebody wrote into the checkpoint must not take all memory.
	c.parts = make([]part, 0, min((total+full-1)>>height, 1<<10))
	var next, done atomic.Int64
	var mu sync.Mutex
	var stop atomic.Bool
	worker := func() {
		for {
			n := next.Add(1) - 1
			if n<<height >= total || stop.Load() {
				return
			}
			p, count := c.bundle(n)
			if p.err != nil && errors.Is(p.err, fs.ErrNotExist) {
				stop.Store(true) // what follows is as good as gone
			}
			mu.Lock()
			for int64(len(c.parts)) <= n {
				c.parts = append(c.parts, part{err: fs.ErrNotExist})
			}
			c.parts[n] = p
			c.rep.Entries += count
			c.rep.Blobs += p.blobs
			if d := done.Add(count); o.Progress != nil {
				o.Progress(d, total)
			}
			mu.Unlock()
		}
	}
	var wg sync.WaitGroup
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for range workers {
		wg.Go(worker)
	}
	wg.Wait()
}

// bundle reads one bundle and its hash tile.
func (c *checker) bundle(n int64) (part, int64) {
	size := c.rep.Checkpoint.Size
	w := int(min(full, size-n<<height))
	list, err := c.tiles.entries(tile{bundles, n, w})
	if err != nil {
		return part{err: err}, 0
	}
	data := leaves(list)
	p := part{whole: true, lastLeaf: hexOf(data[len(data)-tlog.HashSize:])}
	if w == full {
		p.root = rootOf(data)
	}
	if w < full || c.since != nil && c.since.Size>>height == n {
		p.leaves = data
	}
	p.tile, p.tileRoot = c.compare(tile{0, n, w}, data)
	prev := ""
	for i, raw := range list {
		seq := n<<height + int64(i)
		e, blobs, err := parseEntry(seq, raw)
		switch {
		case err != nil:
			p.bad = append(p.bad, Problem{CodeDamaged, seq, fmt.Sprintf("entry %d was sealed in a form that it must not have: %v", seq, err.(*Error).Err)})
		case e.Note != "":
			p.newer++
		case i > 0 && e.Prev != prev:
			p.bad = append(p.bad, Problem{CodeDamaged, seq, fmt.Sprintf("entry %d was sealed with another entry before it", seq)})
		}
		if i == 0 {
			p.firstPrev = e.Prev
		}
		prev = e.Leaf
		for _, b := range blobs {
			p.blobs++
			if bad, ok := c.blob(seq, b); !ok {
				p.bad = append(p.bad, bad)
			}
		}
	}
	return p, int64(len(list))
}

func (c *checker) blob(seq int64, b blob) (Problem, bool) {
	data, err := c.d.read(c.prefix+blobName(b.Sum), max(b.Size, maxBlob))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Problem{CodeBlobMissing, seq, fmt.Sprintf("the blob %s of entry %d (its %s) is missing", b.Sum, seq, b.Path)}, false
	case err != nil:
		return Problem{CodeBlobMissing, seq, fmt.Sprintf("the blob %s of entry %d (its %s) cannot be read: %v", b.Sum, seq, b.Path, err)}, false
	case !isBlob(b, data):
		return Problem{CodeBlobChanged, seq, fmt.Sprintf("the blob %s of entry %d (its %s) was changed", b.Sum, seq, b.Path)}, false
	}
	return Problem{}, true
}

// compare looks whether a hash tile has these hashes, and what its root is.
func (c *checker) compare(t tile, want []byte) (tileState, tlog.Hash) {
	data, _, err := c.hashes(t)
	if err != nil {
		return tileShort, tlog.Hash{}
	}
	var root tlog.Hash
	if t.w == full {
		root = rootOf(data)
	}
	if bytes.Equal(data, want) {
		return tileGood, root
	}
	for i := 0; i < len(data); i += tlog.HashSize {
		if !unwritten(data[i:i+tlog.HashSize], want[i:i+tlog.HashSize]) {
			return tileWrong, root
		}
	}
	return tileShort, root
}

// unwritten says whether a hash is as a loss of power can leave it: with zeros in the place of what was not written. A byte or two that
// are zero are no such thing: somebody changed them.
func unwritten(have, want []byte) bool {
	from, to := 0, len(want)
	for from < to && have[from] == want[from] {
		from++
	}
	for to > from && have[to-1] == want[to-1] {
		to--
	}
	return from == to || to-from > 2 && len(bytes.Trim(have[from:to], "\x00")) == 0
}

func hexOf(b []byte) string { return hexHash(tlog.Hash(b)) }

// root is the tree hash over the first size entries.
func (c *checker) root(size int64) (tlog.Hash, bool) {
	roots := c.roots
	h, err := tlog.TreeHash(size, tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i, x := range indexes {
			level, n := tlog.SplitStoredHashIndex(x)
			from, data := n<<level, []byte(nil)
			if level >= height {
				level -= height
				from, data = n<<level, roots
			} else {
				data = c.parts[from>>height].leaves
				from &= full - 1
			}
			lo, hi := from*tlog.HashSize, (from+1<<level)*tlog.HashSize
			if hi > int64(len(data)) {
				return nil, errShort
			}
			out[i] = rootOf(data[lo:hi])
		}
		return out, nil
	}))
	return h, err == nil
}

// judge makes the report of what was read.
func (c *checker) judge() {
	check := c.rep.Checkpoint
	whole := int64(len(c.parts)) == (check.Size+full-1)>>height && !slices.ContainsFunc(c.parts, func(p part) bool { return !p.whole })
	var root tlog.Hash
	if whole {
		for _, p := range c.parts {
			c.roots = append(c.roots, p.root[:]...)
		}
		root, whole = c.root(check.Size)
	}
	switch {
	case whole && hexHash(root) == check.Root:
		c.sound()
	case whole && !c.signed && c.upper(true):
		// The tiles agree with the entries, and the checkpoint is not to be believed: there is no more to say.
	default:
		c.diagnose()
		for _, p := range c.parts {
			for _, bad := range p.bad {
				if bad.Code == CodeBlobMissing || bad.Code == CodeBlobChanged {
					c.rep.Problems = append(c.rep.Problems, bad)
				}
			}
		}
	}
	if c.since != nil {
		c.compareSince(whole)
	}
	c.surplus()
	// Stable: what is said of one entry stays in the order in which it was found; what is about no entry comes first.
	slices.SortStableFunc(c.rep.Problems, func(a, b Problem) int { return int(max(-1, min(1, a.Seq-b.Seq))) })
}

// sound goes on where the entries are those that were signed.
func (c *checker) sound() {
	prev := string(bytes.Repeat([]byte("0"), 2*tlog.HashSize))
	var newer int64
	for i, p := range c.parts {
		first := int64(i) << height
		if p.firstPrev != prev && p.newer == 0 {
			c.problem(CodeDamaged, first, "entry %d was sealed with another entry before it", first)
		}
		c.rep.Problems = append(c.rep.Problems, p.bad...)
		newer += p.newer
		prev = p.lastLeaf
	}
	c.upper(false)
	if newer > 0 {
		c.note("%d entries were made by a newer ambit: they are what was sealed, but their form was not checked", newer)
	}
}

// upper compares the hash tiles of all levels with the entries. quiet only asks whether they are the same.
func (c *checker) upper(quiet bool) bool {
	good := true
	for i, p := range c.parts {
		t := tile{0, int64(i), full}
		if w := c.rep.Checkpoint.Size - t.n<<height; w < full {
			t.w = int(w)
		}
		good = c.tileIs(t, p.tile, quiet) && good
	}
	data := c.roots[:c.rep.Checkpoint.Size>>height*tlog.HashSize]
	for level := 1; len(data) > 0; level++ {
		var above []byte
		for n := int64(0); len(data) > 0; n++ {
			b := data[:min(len(data), full*tlog.HashSize)]
			data = data[len(b):]
			t := tile{level, n, len(b) / tlog.HashSize}
			state, _ := c.compare(t, b)
			good = c.tileIs(t, state, quiet) && good
			if t.w == full {
				h := rootOf(b)
				above = append(above, h[:]...)
			}
		}
		data = above
	}
	return good
}

func (c *checker) tileIs(t tile, state tileState, quiet bool) bool {
	switch {
	case state == tileGood, quiet && t.level == 0 && t.w < full && state == tileShort:
		return true
	case quiet:
	case t.level == 0 && t.w < full && state == tileShort:
		c.note("the last hash tile (%s) is not complete: a loss of power can leave it so, and the next append makes it anew", t.name())
		return true
	case state == tileShort:
		c.problem(CodeTile, -1, "the hash tile %s is missing or not complete (the entries are those that were signed)", t.name())
	default:
		c.problem(CodeTile, -1, "the hash tile %s was changed (the entries are those that were signed)", t.name())
	}
	return false
}

// compareSince looks whether the log still begins with an earlier state.
func (c *checker) compareSince(whole bool) {
	old, now := c.since, c.rep.Checkpoint
	if old.Size > now.Size {
		c.problem(CodeRolledBack, now.Size, "the log was rolled back: it has %d entries, and the earlier checkpoint %d", now.Size, old.Size)
		return
	}
	if !whole {
		return // what is missing is said
	}
	if root, ok := c.root(old.Size); !ok || hexHash(root) != old.Root {
		c.problem(CodeRewritten, -1, "the log was rewritten: its first %d entries are not those of the earlier checkpoint", old.Size)
	}
}

// surplus looks for entries that the checkpoint does not have. One is what an append leaves that was cut short; more are there when
// somebody put an older checkpoint back, or when others append right now.
func (c *checker) surplus() {
	size := c.rep.Checkpoint.Size
	extra := c.beyond(size)
	if extra == 0 {
		return
	}
	if extra > 1 {
		if b, err := c.d.read(c.prefix+"checkpoint", maxNote); err == nil {
			if now, err := openCheckpoint(b, c.key); err == nil && now.Size >= size+extra-1 {
				return
			}
		}
		c.problem(CodeRolledBack, size, "the checkpoint was rolled back: it has %d entries, but the entries %d to %d are there", size, size, size+extra-1)
		return
	}
	c.note("entry %d is there without a signature: an append that was cut short, and that nobody was told of", size)
}

// beyond counts the entries after the first size ones.
func (c *checker) beyond(size int64) int64 {
	extra := int64(0)
	for n := size >> height; ; n++ {
		most := 0
		// No file can satisfy a wish for more than a tile has: so all are looked at.
		c.each(tile{bundles, n, full}, func(_ string, b []byte) bool {
			list, _ := split(b, full)
			most = max(most, len(list))
			return most == full
		})
		have := int64(0)
		if n == size>>height {
			have = size & (full - 1)
		}
		extra += max(0, int64(most)-have)
		if most < full {
			return extra
		}
	}
}
