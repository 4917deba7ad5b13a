package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// The layout is C2SP tlog-tiles: a tile has the 256 hashes of one level below one node, a bundle has 256 entries; the last of each
// level is partial, and has its width in its name.
const (
	height    = 8
	full      = 1 << height
	bundles   = -1               // the level of entry bundles, as in package tlog
	maxEntry  = 1<<16 - 1        // an entry's length is written in 16 bits
	maxBundle = full * (1 << 16) // bytes
	maxBlob   = 64 << 20
	maxNote   = 4096
)

// tile is the first w hashes (or entries) of tile n of a level.
type tile struct {
	level int
	n     int64
	w     int
}

// dir is the tile's path without a width: "tile/0/x001/067".
func (t tile) dir() string {
	s := fmt.Sprintf("%03d", t.n%1000)
	for n := t.n / 1000; n > 0; n /= 1000 {
		s = fmt.Sprintf("x%03d/%s", n%1000, s)
	}
	if t.level == bundles {
		return "tile/entries/" + s
	}
	return "tile/" + strconv.Itoa(t.level) + "/" + s
}

// name is the tile's path: "tile/0/x001/067", or "tile/0/x001/067.p/5" for one of width 5.
func (t tile) name() string {
	if t.w == full {
		return t.dir()
	}
	return t.dir() + ".p/" + strconv.Itoa(t.w)
}

// last is the right-most tile of a level in a tree of size entries; its width is 0 where the level ends with a full tile or is empty.
func last(level int, size int64) tile {
	n := size >> (height * max(level, 0))
	return tile{level, n >> height, int(n & (full - 1))}
}

// tiles reads the tiles below one folder of a disk.
type tiles struct {
	d      disk
	prefix string // "" or "log/"
}

// wider lists the files that may have the content of t besides t.name(): those of other widths, the nearest wider one first, the
// full tile, and then the narrower ones. A tile is a prefix of every wider one. It is under another name when it has grown since
// the checkpoint was read, when the append that widened it was cut short, and, after a power cut, when the renaming was lost.
func (s tiles) wider(t tile) []string {
	names, _ := s.d.names(s.prefix + t.dir() + ".p")
	var widths []int
	for _, name := range names {
		if w, err := strconv.Atoi(name); err == nil && w > 0 && w < full && strconv.Itoa(w) == name && w != t.w {
			widths = append(widths, w)
		}
	}
	widths = append(widths, full)
	key := func(w int) int {
		if w < t.w {
			return 2*full - w
		}
		return w
	}
	slices.SortFunc(widths, func(a, b int) int { return key(a) - key(b) })
	var out []string
	for _, w := range widths {
		if w != t.w {
			out = append(out, tile{t.level, t.n, w}.name())
		}
	}
	return out
}

// each calls yield with the content of the files that may hold t, best first, until it returns true. It reports whether it did, and
// else an error that is fs.ErrNotExist where there was no file at all.
func (s tiles) each(t tile, yield func(name string, data []byte) bool) (bool, error) {
	limit := int64(maxBundle)
	if t.level != bundles {
		limit = full * tlog.HashSize
	}
	try := func(name string) (bool, error) {
		data, err := s.d.read(s.prefix+name, limit)
		if err != nil {
			return false, err
		}
		return yield(name, data), nil
	}
	done, found := try(t.name())
	if done {
		return true, nil
	}
	// An append may rename the file between the listing and the opening; then it was another append's turn, and the listing is made
	// anew. It ends: a tile has 256 widths.
	for range full {
		missed := false
		for _, name := range s.wider(t) {
			done, err := try(name)
			if done {
				return true, nil
			}
			if errors.Is(err, fs.ErrNotExist) {
				missed = missed || path.Base(name) != path.Base(t.dir())
			} else if found == nil || errors.Is(found, fs.ErrNotExist) {
				found = err
			}
		}
		if !missed {
			break
		}
	}
	if found == nil {
		found = errShort
	}
	return false, found
}

var errShort = errors.New("it ends too early")

// hashes are the w hashes of a tile, from its file alone.
func (s tiles) hashes(t tile) (data []byte, name string, err error) {
	_, err = s.each(t, func(file string, b []byte) bool {
		if len(b) < t.w*tlog.HashSize {
			return false
		}
		data, name = b[:t.w*tlog.HashSize], file
		return true
	})
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", t.name(), err)
	}
	return data, name, nil
}

// entries are the w entries of a bundle.
func (s tiles) entries(t tile) ([][]byte, error) {
	var list [][]byte
	_, err := s.each(t, func(_ string, b []byte) bool {
		list, _ = split(b, t.w)
		return len(list) == t.w
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name(), err)
	}
	return list, nil
}

// split takes a bundle apart: at most w entries, and the number of bytes they take.
func split(b []byte, w int) (list [][]byte, length int) {
	list = make([][]byte, 0, w)
	for len(list) < w && len(b)-length >= 2 {
		end := length + 2 + int(binary.BigEndian.Uint16(b[length:]))
		if end > len(b) {
			break
		}
		list, length = append(list, b[length+2:end]), end
	}
	return list, length
}

// frame is an entry as it stands in a bundle.
func frame(entry []byte) []byte {
	return append(binary.BigEndian.AppendUint16(make([]byte, 0, 2+len(entry)), uint16(len(entry))), entry...)
}

// blobName is where a detached value is kept, by the hexadecimal SHA-256 of its canonical JSON.
func blobName(sum string) string { return "blob/" + sum[:2] + "/" + sum }

func isHash(s string) bool {
	return len(s) == 2*tlog.HashSize && strings.Trim(s, "0123456789abcdef") == ""
}

// leaves are the leaf hashes of entries, one after the other.
func leaves(list [][]byte) []byte {
	data := make([]byte, 0, len(list)*tlog.HashSize)
	for _, raw := range list {
		h := tlog.RecordHash(raw)
		data = append(data, h[:]...)
	}
	return data
}

// rootOf is the hash of the node above a full tile, or above any power of two of hashes.
func rootOf(data []byte) tlog.Hash {
	if len(data) == tlog.HashSize {
		return tlog.Hash(data)
	}
	half := len(data) / 2
	return tlog.NodeHash(rootOf(data[:half]), rootOf(data[half:]))
}

// recompute makes a hash tile from the tiles below it, and those from the entries where they are not there.
func (s tiles) recompute(t tile) ([]byte, error) {
	if t.level == 0 {
		list, err := s.entries(tile{bundles, t.n, t.w})
		return leaves(list), err
	}
	var data []byte
	for i := range int64(t.w) {
		below := tile{t.level - 1, t.n<<height + i, full}
		b, _, err := s.hashes(below)
		if err != nil {
			b, err = s.recompute(below)
		}
		if err != nil {
			return nil, err
		}
		h := rootOf(b)
		data = append(data, h[:]...)
	}
	return data, nil
}
