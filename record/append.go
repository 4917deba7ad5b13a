package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/ambit-dev/ambit/secret"
)

// Sealed names an entry that is durable.
type Sealed struct {
	Seq  int64  // its place in the log
	Leaf string // its RFC 6962 leaf hash, hexadecimal
}

// head is the state of the log that an append starts from.
type head struct {
	Checkpoint
	length int64 // of the last bundle's file, without what a cut-short append left; -1 if it is not known
}

// Append seals one entry and returns when it is durable, also against a loss of power, as far as fsync keeps its promise. The body
// marshals to a JSON object; secrets are taken out of it here, so that no caller can forget it. Where it fails, with an *Error, the action
// must not go ahead. It waits for the other processes that append.
//
// Three flushes for an ordinary entry, and why no fewer: the entry, before a checkpoint says that it is there; the checkpoint's
// content, before its name points to it; the name of the checkpoint, before the caller is told. A detached value takes the flush of its file and of
// the folders it is in. Once in 256 entries a bundle and a hash tile are full and take their content and folders. What is not flushed can
// be lost and is made anew from what is: the width in a partial file's name, and the partial tile of leaf hashes.
func (l *Log) Append(kind string, body any) (Sealed, error) {
	s, err := l.append(kind, body)
	if err != nil {
		return Sealed{}, blame(err, "cannot write the log in "+l.place.State)
	}
	return s, nil
}

func (l *Log) append(kind string, body any) (Sealed, error) {
	if !isKind(kind) {
		return Sealed{}, fail(CodeBody, "this is a fault of ambit: report it", "%q is no kind of entry", kind)
	}
	canonical, err := canonicalBody(body, l.redact)
	if err != nil {
		return Sealed{}, err
	}
	small, blobs, err := detach(canonical)
	if err != nil {
		return Sealed{}, err
	}
	unlock, err := l.lock()
	if err != nil {
		return Sealed{}, err
	}
	defer unlock()
	h, err := l.head()
	if err != nil {
		return Sealed{}, err
	}
	f, err := l.frontier(h)
	if err != nil {
		return Sealed{}, err
	}
	raw := sealed(small, blobs, kind, h.Size, f.prev, l.opt.Now())
	if len(raw) > maxEntry {
		return Sealed{}, fail(CodeBody, "this is a fault of ambit: report it", "an entry has %d bytes", len(raw))
	}
	for _, b := range blobs {
		if err := l.writeBlob(b); err != nil {
			return Sealed{}, err
		}
	}
	leaf := tlog.RecordHash(raw)
	if err := l.write(h, f, raw, leaf); err != nil {
		return Sealed{}, err
	}
	return Sealed{Seq: h.Size, Leaf: hexHash(leaf)}, nil
}

// redact takes the secrets out of JSON.
func (l *Log) redact(raw []byte) ([]byte, error) { return l.Keeper().JSON(raw) }

// head reads the checkpoint. It is trusted when it is byte for byte what this machine signed last; otherwise its signature is checked, and
// that it extends what was signed last. The caller holds the lock.
func (l *Log) head() (head, error) {
	b, err := l.state.read(checkpointFile, maxNote)
	if errors.Is(err, fs.ErrNotExist) {
		return head{}, fail(CodeMissing, "put the folder log back from a copy", "the log is gone: there is no %s", checkpointFile)
	}
	if err != nil {
		return head{}, err
	}
	var old seen
	known := false
	// What cannot be read is as good as lost, and losing it is safe: see remember.
	if text, err := l.state.read(seenFile, maxNote); err == nil {
		old, known = parseSeen(text, l.commit)
	}
	if known && bytes.Equal(old.note, b) {
		c, err := parseCheckpoint(b)
		return head{c, old.length}, err
	}
	c, err := openCheckpoint(b, l.key.verifier)
	if err != nil {
		return head{}, err
	}
	if known {
		if err := l.extends(c, old.note); err != nil {
			return head{}, err
		}
	}
	// The append that wrote this checkpoint was cut short before it made the name durable. It must be, before another builds on it:
	// or a loss of power could take back more than one entry, which would look like a log that was rolled back.
	return head{c, -1}, l.state.syncDir(logDir)
}

// extends checks that a checkpoint comes after the last one that this machine signed.
func (l *Log) extends(c Checkpoint, oldNote []byte) error {
	const next = "put the newer log back; if you went back to an older copy of it on purpose, remove the file seen beside it"
	old, err := parseCheckpoint(oldNote)
	if err != nil {
		return err
	}
	if c.Size < old.Size {
		return fail(CodeRolledBack, next, "the log was rolled back: its checkpoint has %d entries, and this machine signed one of %d", c.Size, old.Size)
	}
	r := &Reader{tiles: l.tiles(), check: c}
	root, err := tlog.TreeHash(old.Size, r.hashReader())
	if err != nil {
		return &Error{Code: CodeDamaged, Message: "the log is damaged: that it extends what was signed before cannot be shown", Next: "run ambit log verify", Err: err}
	}
	if hexHash(root) != old.Root {
		return fail(CodeRolledBack, next, "the log was replaced: its first %d entries are not those that this machine signed", old.Size)
	}
	return nil
}

// frontier is the right edge of the tree: of each level, the partial tile. It is all that an append needs.
type frontier struct {
	size   int64
	hashes [][]byte // by level
	files  []string // where they are; "" where the tile has no good file
	bundle string   // the file of the last bundle; "" where it has none yet
	length int64    // how much of that file is entries of the log
	prev   string   // the leaf hash of the last entry
}

// ReadHashes finds hashes that are on the right edge, as package tlog asks for them.
func (f *frontier) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		t := tlog.TileForIndex(height, x)
		if t.L >= len(f.hashes) || t.N != last(t.L, f.size).n {
			return nil, fmt.Errorf("%s is not on the right edge", t.Path())
		}
		var err error
		if out[i], err = tlog.HashFromTile(t, f.hashes[t.L], x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (f *frontier) is(root string) bool {
	h, err := tlog.TreeHash(f.size, f)
	return err == nil && hexHash(h) == root
}

// frontier reads the right edge, and finds its way around what a cut-short append or a loss of power left of it: bytes beyond the
// checkpoint's entries were never acknowledged and are written over, and hash tiles are made anew from what is below them. The root
// must come out as it was signed. It costs one tile for each level, not the log.
func (l *Log) frontier(h head) (*frontier, error) {
	s := l.tiles()
	f := &frontier{size: h.Size, length: h.length}
	for level := 0; h.Size>>(height*level) > 0; level++ {
		var data []byte
		var name string
		if t := last(level, h.Size); t.w > 0 {
			var err error
			data, name, err = s.hashes(t)
			if err != nil && level > 0 {
				data, err = s.recompute(t)
			}
			if err != nil {
				data = nil // lastBundle makes the hashes of the lowest level
			}
		}
		f.hashes, f.files = append(f.hashes, data), append(f.files, name)
	}
	if !l.lastBundle(s, h, f) {
		return nil, fail(CodeDamaged, "run ambit log verify, which names the first bad entry; put the log back from a copy",
			"the log is damaged: its %d entries are not those that were signed", h.Size)
	}
	f.prev = strings.Repeat("0", 2*tlog.HashSize)
	if h.Size > 0 {
		r := &Reader{tiles: s, check: h.Checkpoint}
		leaf, err := r.hashReader().ReadHashes([]int64{tlog.StoredHashIndex(0, h.Size-1)})
		if last(0, h.Size).w > 0 { // it is on the edge, and the edge is checked
			leaf, err = f.ReadHashes([]int64{tlog.StoredHashIndex(0, h.Size-1)})
		}
		if err != nil {
			return nil, &Error{Code: CodeDamaged, Message: "the log is damaged: the hash of its last entry is not there", Next: "run ambit log verify", Err: err}
		}
		f.prev = hexHash(leaf[0])
	}
	return f, nil
}

// lastBundle finds the file of the last bundle, and checks the root.
func (l *Log) lastBundle(s tiles, h head, f *frontier) bool {
	t := last(bundles, h.Size)
	if t.w == 0 {
		f.length = 0
		return f.is(h.Root)
	}
	if h.length >= 0 && l.sizeOf(logDir+"/"+t.name()) == h.length && f.is(h.Root) {
		f.bundle = t.name()
		return true
	}
	// Not as the last append left it.
	f.files[0] = ""
	ok, _ := s.each(t, func(name string, data []byte) bool {
		list, length := split(data, t.w)
		if len(list) < t.w {
			return false
		}
		f.bundle, f.length, f.hashes[0] = name, int64(length), leaves(list)
		return f.is(h.Root)
	})
	return ok
}

// sizeOf is the size of a plain file, -1 if there is none.
func (l *Log) sizeOf(name string) int64 {
	f, err := l.state.openFile(name, os.O_RDONLY)
	if err != nil {
		return -1
	}
	defer f.Close()
	n, _, err := size(f)
	if err != nil {
		return -1
	}
	return n
}

func (l *Log) tiles() tiles { return tiles{l.state, logDir + "/"} }

// write puts an entry behind those of h, signs, and returns when it is durable.
func (l *Log) write(h head, f *frontier, raw []byte, leaf tlog.Hash) error {
	t, b := last(bundles, h.Size), frame(raw)
	if err := l.widen(t, f.bundle, f.length, b, b, true); err != nil {
		return err
	}
	length := f.length + int64(len(b))
	if t.w+1 == full {
		length = 0
	}
	carry := leaf[:]
	for level := 0; carry != nil; level++ {
		if level == len(f.hashes) {
			f.hashes, f.files = append(f.hashes, nil), append(f.files, "")
		}
		t, old := last(level, h.Size), f.hashes[level]
		data := append(bytes.Clone(old), carry...)
		// The partial tile of leaf hashes is not flushed when it grows: it can be made from the bundle at any time; the others would take
		// many bundles. A new file is another matter: it replaces what a cut-short append may have left, and that must not come back.
		flush := level > 0 || t.w+1 == full || f.files[level] == ""
		if err := l.widen(t, f.files[level], int64(len(old)), carry, data, flush); err != nil {
			return err
		}
		f.hashes[level], carry = data, nil
		if t.w+1 == full {
			root := rootOf(data)
			f.hashes[level], carry = nil, root[:]
		}
	}
	f.size++
	root, err := tlog.TreeHash(f.size, f)
	if err != nil {
		return err
	}
	c, err := sign(tlog.Tree{N: f.size, Hash: root}, l.key.signer)
	if err != nil {
		return err
	}
	if err := l.state.replace(checkpointFile, checkpointFile+".tmp", c.Note, true); err != nil {
		return err
	}
	if err := l.state.syncDir(logDir); err != nil {
		return err
	}
	l.remember(seen{length, c.Note})
	return nil
}

// remember writes down what was signed last. It is not flushed and may fail: the entry is sealed by now. It is written only after the
// checkpoint is durable, so it can be older than the checkpoint but never newer; and when it is older, or lost, the next append checks the
// signature, and that the log extends what is remembered. What a loss of power can cost is that a log that was rolled back by
// just the entries after it is not recognised.
func (l *Log) remember(s seen) {
	_ = l.state.replace(seenFile, seenFile+".tmp", s.text(l.commit), false)
}

// widen adds one hash or entry to a partial tile. file is where its first off bytes are; what is beyond them was never acknowledged. Since a tile is
// a prefix of every wider one, its file is appended to and renamed. Without a file, whole is written. With flush, the
// content is durable when it returns, under this or an earlier name of the same folder.
func (l *Log) widen(t tile, file string, off int64, added, whole []byte, flush bool) error {
	target := logDir + "/" + tile{t.level, t.n, t.w + 1}.name()
	if t.w == 0 || file == "" {
		if err := l.state.mkdirs(path.Dir(target)); err != nil {
			return err
		}
		if err := l.state.replace(target, target+".tmp", whole, flush); err != nil {
			return err
		}
	} else {
		if err := l.appendAt(logDir+"/"+file, off, added, flush); err != nil {
			return err
		}
		if file = logDir + "/" + file; file != target {
			if err := again(func() error { return l.state.rename(file, target) }); err != nil {
				return err
			}
		}
	}
	if flush && (t.w == 0 || file == "" || t.w+1 == full) {
		if err := l.state.syncDirs(path.Dir(target), logDir); err != nil {
			return err
		}
	}
	if t.w+1 == full {
		l.discard(logDir + "/" + t.dir() + ".p")
	}
	return nil
}

// appendAt writes b at off of a file that is there, and nothing remains beyond it.
func (l *Log) appendAt(name string, off int64, b []byte, flush bool) error {
	f, err := l.state.openFile(name, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	n, _, err := size(f)
	if err != nil {
		return err
	}
	if n > off {
		if err := again(func() error { return f.Truncate(off) }); err != nil {
			return err
		}
	}
	if err := writeAt(f, b, off); err != nil {
		return err
	}
	if flush {
		return again(f.DataSync)
	}
	return nil
}

// discard removes the folder of a tile that is full now, with what crashes left in it. If it fails, it only stays.
func (l *Log) discard(dir string) {
	names, _ := l.state.names(dir)
	for _, name := range names {
		_ = l.state.remove(dir + "/" + name)
	}
	_ = l.state.remove(dir)
}

// writeBlob makes a detached value durable. One that is there and whole is left alone; one that is there and something else is written anew.
func (l *Log) writeBlob(b blob) error {
	name := logDir + "/" + blobName(b.Sum)
	old, err := l.state.read(name, maxBlob)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil || !isBlob(b, old) {
		if err := l.state.mkdirs(path.Dir(name)); err != nil {
			return err
		}
		if err := l.state.replace(name, logDir+"/blob/tmp", b.data, true); err != nil {
			return err
		}
	}
	// Also for one that is there: the append that wrote it may have been cut short.
	return l.state.syncDirs(path.Dir(name), logDir)
}

func isBlob(b blob, data []byte) bool {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]) == b.Sum && int64(len(data)) == b.Size
}

// Keeper makes the commitments that stand in the place of secrets in this log.
func (l *Log) Keeper() *secret.Keeper { return secret.NewKeeper(l.commit) }
