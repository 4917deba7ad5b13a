package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"

	"golang.org/x/mod/sumdb/tlog"
)

// Reader reads a log as it was when its checkpoint was read; entries that are appended later are not seen. It needs the log's folder
// alone. It checks what it reads for its form only: Verify and the proofs say whether it is what was signed.
type Reader struct {
	tiles tiles
	check Checkpoint
}

// Read opens the log in a folder for reading. It fails with an *Error. Close it after use.
func Read(logDir string) (*Reader, error) {
	d, err := openDisk(logDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Code: CodeMissing, Message: "there is no log in " + logDir, Next: "give the folder that has the file checkpoint; a log is made by the first call that is sealed", Err: err}
	}
	if err != nil {
		return nil, blame(err, "cannot open the log in "+logDir)
	}
	r, err := newReader(tiles{d, ""})
	if err != nil {
		d.close()
		return nil, blame(err, "cannot read the log in "+logDir)
	}
	return r, nil
}

func newReader(s tiles) (*Reader, error) {
	b, err := s.d.read(s.prefix+"checkpoint", maxNote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fail(CodeMissing, "give the folder that has the file checkpoint, or put it back from a copy", "the log has no checkpoint")
	}
	if err != nil {
		return nil, err
	}
	c, err := parseCheckpoint(b)
	return &Reader{s, c}, err
}

// Close releases the folder.
func (r *Reader) Close() error { return r.tiles.d.close() }

// Checkpoint is the log's checkpoint. Its signature has not been checked.
func (r *Reader) Checkpoint() Checkpoint { return r.check }

// Size is how many entries the log has.
func (r *Reader) Size() int64 { return r.check.Size }

// Entry reads one entry. Where its form is broken, or a detached value is missing or not what was sealed, it returns an *Error together
// with what could be read.
func (r *Reader) Entry(seq int64) (*Entry, error) {
	if seq < 0 || seq >= r.check.Size {
		return nil, fail(CodeMissing, "list the log to see which there are", "there is no entry %d: the log has %d", seq, r.check.Size)
	}
	list, err := r.bundle(seq >> height)
	if err != nil {
		return nil, err
	}
	return r.entry(seq, list[seq&(full-1)])
}

// bundle reads one bundle, as far as the checkpoint goes.
func (r *Reader) bundle(n int64) ([][]byte, error) {
	w := min(full, r.check.Size-n<<height)
	list, err := r.tiles.entries(tile{bundles, n, int(w)})
	if err != nil {
		return nil, &Error{Code: CodeDamaged, Message: fmt.Sprintf("the entries %d to %d cannot be read", n<<height, n<<height+w-1), Next: "run ambit log verify", Err: err}
	}
	return list, nil
}

func (r *Reader) entry(seq int64, raw []byte) (*Entry, error) {
	e, blobs, err := parseEntry(seq, raw)
	if err != nil || len(blobs) == 0 {
		return e, err
	}
	body, err := attach(e.Body, blobs, r.load)
	if err != nil {
		e.Body = nil
		return e, &Error{Code: CodeDamaged, Message: fmt.Sprintf("entry %d is not whole", seq), Next: "run ambit log verify", Err: err}
	}
	e.Body = json.RawMessage(body)
	return e, nil
}

// load reads a detached value and checks that it is what was sealed.
func (r *Reader) load(b blob) ([]byte, error) {
	data, err := r.tiles.d.read(r.tiles.prefix+blobName(b.Sum), b.Size)
	if err != nil {
		return nil, fmt.Errorf("the detached value of %q: %w", b.Path, err)
	}
	if !isBlob(b, data) {
		return nil, fmt.Errorf("the detached value of %q is not the one that was sealed", b.Path)
	}
	return data, nil
}

// Order is the order of All.
type Order int

// maxMissing is after how many bundles in a row that cannot be read All gives up.
const maxMissing = 100

// The orders.
const (
	Oldest Order = iota // from the first entry to the last
	Newest              // from the last to the first
)

// All reads the entries one after the other. With an error there is an entry too, with its number and what could be read. It goes on after an
// error, but not without end: a checkpoint that nobody signed can name any size.
func (r *Reader) All(o Order) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		var list [][]byte
		var failed error
		loaded, inARow := int64(-1), 0
		for i := range r.check.Size {
			seq := i
			if o == Newest {
				seq = r.check.Size - 1 - i
			}
			if n := seq >> height; n != loaded {
				loaded = n
				if list, failed = r.bundle(n); failed == nil {
					inARow = 0
				} else if inARow++; inARow > maxMissing {
					return
				}
			}
			if failed != nil {
				if !yield(&Entry{Seq: seq}, failed) {
					return
				}
				continue
			}
			if !yield(r.entry(seq, list[seq&(full-1)])) {
				return
			}
		}
	}
}

// hashReader gives hashes of the tree that are proven against the checkpoint's root.
func (r *Reader) hashReader() tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		h, err := tlog.TileHashReader(r.check.tree(), tileReader{r.tiles, false}).ReadHashes(indexes)
		if err != nil {
			// The last tile of leaf hashes is not flushed: a loss of power may have left anything of it.
			h, err = tlog.TileHashReader(r.check.tree(), tileReader{r.tiles, true}).ReadHashes(indexes)
		}
		return h, err
	})
}

// tileReader is what package tlog wants of a store of tiles.
type tileReader struct {
	tiles
	distrust bool // make the last tile of leaf hashes from the entries, whatever its file says
}

func (tileReader) Height() int                         { return height }
func (tileReader) SaveTiles(_ []tlog.Tile, _ [][]byte) {}

func (r tileReader) ReadTiles(list []tlog.Tile) ([][]byte, error) {
	out := make([][]byte, len(list))
	for i, t := range list {
		t := tile{t.L, t.N, t.W}
		data, _, err := r.hashes(t)
		if err != nil || r.distrust && t.level == 0 && t.w < full {
			data, err = r.recompute(t)
		}
		if err != nil {
			return nil, err
		}
		out[i] = data
	}
	return out, nil
}

// reader reads the log as it is now. It shares the folder of l.
func (l *Log) reader() (*Reader, error) {
	r, err := newReader(l.tiles())
	if err != nil {
		return nil, blame(err, "cannot read the log in "+filepath.Join(l.place.State, logDir))
	}
	return r, nil
}

// Entry reads one entry, see Reader.Entry.
func (l *Log) Entry(seq int64) (*Entry, error) {
	r, err := l.reader()
	if err != nil {
		return nil, err
	}
	return r.Entry(seq)
}

// Size is how many entries the log has.
func (l *Log) Size() (int64, error) {
	r, err := l.reader()
	if err != nil {
		return 0, err
	}
	return r.Size(), nil
}
