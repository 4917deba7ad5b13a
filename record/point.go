package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// The folder open has pointers from calls that are running to their entries, so that an outcome finds its intent without reading the
// log. It is a table of 65,536 places, each a small file; a key has one place, and a later key of the same place takes it over. So it
// is bounded without ever being cleaned, whatever becomes of the calls, and a pointer that is lost costs a link, nothing else: no
// decision may depend on it. Nothing in it is flushed.
func openName(key string) (name, sum string) {
	h := sha256.Sum256([]byte(key))
	sum = hex.EncodeToString(h[:])
	return "open/" + sum[:2] + "/" + sum[2:4], sum
}

// Point notes which entry a key (of a call) stands for. It is written in place, without the lock and without a rename: a reader that
// comes in between finds nothing, as if the pointer were lost.
func (l *Log) Point(key string, s Sealed) error {
	name, sum := openName(key)
	b := fmt.Appendf(nil, "%s %d %s\n", sum, s.Seq, s.Leaf)
	err := l.state.write(name, b, false)
	if errors.Is(err, fs.ErrNotExist) {
		if err = l.state.mkdirs(path.Dir(name)); err == nil {
			err = l.state.write(name, b, false)
		}
	}
	if err != nil {
		return blame(err, "cannot write in "+l.place.State)
	}
	return nil
}

// Pointed is what Point noted for the key. It is a hint: Entry says what is there.
func (l *Log) Pointed(key string) (Sealed, bool) {
	name, sum := openName(key)
	b, err := l.state.read(name, maxNote)
	if err != nil {
		return Sealed{}, false
	}
	var s Sealed
	rest, ok := bytes.CutPrefix(b, []byte(sum+" "))
	if n, err := fmt.Sscanf(string(rest), "%d %s\n", &s.Seq, &s.Leaf); !ok || n != 2 || err != nil || s.Seq < 0 || !isHash(s.Leaf) {
		return Sealed{}, false
	}
	return s, true
}

// Unpoint forgets the key.
func (l *Log) Unpoint(key string) error {
	name, _ := openName(key)
	if _, ok := l.Pointed(key); !ok {
		return nil
	}
	if err := again(func() error { return l.state.remove(name) }); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return blame(err, "cannot remove a file in "+l.place.State)
	}
	return nil
}
