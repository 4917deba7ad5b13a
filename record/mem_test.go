package record

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// memory is a file system that knows what was flushed. Every change is an op in a journal; a loss of power keeps the flushed ones and any of
// the others. It promises no more than POSIX does: a file's fsync flushes its content and not its name, a folder's fsync flushes
// the names in it, and nothing else is flushed ever.
type memory struct {
	journal []*op
	state   *image
	next    int // the number of the next file
	// call is asked before every call, with what is called and the name or the file's number. It may panic (a crash).
	call func(what, name string) fault
}

// fault is what happens to a call; the zero value: nothing.
type fault struct {
	err     error // it fails with this
	partial bool  // a write or read does half of its work; with err it fails afterwards
	idle    bool  // a write does nothing and does not say so
	after   bool  // the process is gone after the call, with the half of a write if partial
}

type crash struct{}

// image is a state of the file system: names, and the content of files by number.
type image struct {
	files map[string]int
	dirs  map[string]bool
	data  map[int][]byte
}

// op is one change. name is the target; from, for a renaming, is the other name.
type op struct {
	what    string // "create", "mkdir", "rename", "remove", "write", "truncate"
	name    string
	from    string
	file    int
	off     int64
	data    []byte
	flushed bool
}

func newMemory() *memory {
	m := &memory{state: &image{map[string]int{}, map[string]bool{"state": true, "config": true, ".": true}, map[int][]byte{}}}
	m.call = func(string, string) fault { return fault{} }
	return m
}

func (i *image) clone() *image {
	return &image{maps.Clone(i.files), maps.Clone(i.dirs), maps.Clone(i.data)} // content is never changed in place
}

func (i *image) apply(o *op) {
	if (o.name != "") && !i.dirs[path.Dir(o.name)] {
		return // its folder did not survive
	}
	switch o.what {
	case "create":
		i.files[o.name] = o.file
	case "mkdir":
		i.dirs[o.name] = true
	case "rename":
		if i.files[o.from] == o.file {
			delete(i.files, o.from)
		}
		i.files[o.name] = o.file
	case "remove":
		delete(i.files, o.name)
		delete(i.dirs, o.name)
	case "write":
		old := i.data[o.file]
		d := make([]byte, max(len(old), int(o.off)+len(o.data)))
		copy(d, old)
		copy(d[o.off:], o.data)
		i.data[o.file] = d
	case "truncate":
		d := i.data[o.file]
		if int(o.off) < len(d) {
			i.data[o.file] = d[:o.off:o.off]
		}
	}
}

func (m *memory) do(o *op) {
	m.journal = append(m.journal, o)
	m.state.apply(o)
}

// lostPower is the file system after a loss of power that took the ops for which lost is true.
func (m *memory) lostPower(base *image, lost func(i int, o *op) bool) *memory {
	n := newMemory()
	n.state, n.next = base.clone(), m.next
	for i, o := range m.journal {
		if o.flushed || !lost(i, o) {
			n.state.apply(o)
		}
	}
	return n
}

// settle makes everything durable and forgets how it came to be.
func (m *memory) settle() *image {
	m.journal = nil
	return m.state.clone()
}

// changes tells two moments apart: how much was changed, and how much of it is durable.
func (m *memory) changes() (n [2]int) {
	for _, o := range m.journal {
		n[0]++
		if o.flushed {
			n[1]++
		}
	}
	return n
}

// fork is the file system as another process sees it.
func (m *memory) fork() *memory {
	n := newMemory()
	n.state, n.next = m.state.clone(), m.next
	return n
}

// begin asks for the fault of a call and takes its simple forms. done runs after the call.
func (m *memory) begin(what, name string) (f fault, done func()) {
	f = m.call(what, name)
	return f, func() {
		if f.after {
			panic(crash{})
		}
	}
}

// open is Options.open.
func (m *memory) open(folder string) (disk, error) {
	top := strings.TrimPrefix(folder, "/")
	full := func(name string) string { return path.Join(top, name) }
	return disk{
		open: func(name string, flag int) (file, error) { return m.openFile(full(name), flag) },
		mkdir: func(name string) error {
			name = full(name)
			f, done := m.begin("mkdir", name)
			if f.err != nil {
				return f.err
			}
			defer done()
			_, isFile := m.state.files[name]
			switch {
			case isFile || m.state.dirs[name]:
				return &fs.PathError{Op: "mkdir", Path: name, Err: syscall.EEXIST}
			case !m.state.dirs[path.Dir(name)]:
				return &fs.PathError{Op: "mkdir", Path: name, Err: syscall.ENOENT}
			}
			m.do(&op{what: "mkdir", name: name})
			return nil
		},
		rename: func(from, to string) error {
			from, to = full(from), full(to)
			f, done := m.begin("rename", to)
			if f.err != nil {
				return f.err
			}
			defer done()
			ino, ok := m.state.files[from]
			if !ok || !m.state.dirs[path.Dir(to)] {
				return &fs.PathError{Op: "rename", Path: from, Err: syscall.ENOENT}
			}
			m.do(&op{what: "rename", name: to, from: from, file: ino})
			return nil
		},
		remove: func(name string) error {
			name = full(name)
			f, done := m.begin("remove", name)
			if f.err != nil {
				return f.err
			}
			defer done()
			_, isFile := m.state.files[name]
			if !isFile && !m.state.dirs[name] {
				return &fs.PathError{Op: "remove", Path: name, Err: syscall.ENOENT}
			}
			if m.state.dirs[name] && len(m.children(name)) > 0 {
				return &fs.PathError{Op: "remove", Path: name, Err: syscall.ENOTEMPTY}
			}
			m.do(&op{what: "remove", name: name})
			return nil
		},
		list: func(name string) ([]string, error) {
			name = full(name)
			f, done := m.begin("list", name)
			if f.err != nil {
				return nil, f.err
			}
			defer done()
			if !m.state.dirs[name] {
				return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
			}
			return m.children(name), nil
		},
		close: func() error { return nil },
	}, nil
}

func (m *memory) children(dir string) (names []string) {
	for name := range m.state.files {
		if path.Dir(name) == dir {
			names = append(names, path.Base(name))
		}
	}
	for name := range m.state.dirs {
		if path.Dir(name) == dir && name != dir {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names
}

func (m *memory) openFile(name string, flag int) (file, error) {
	f, done := m.begin("open", name)
	if f.err != nil {
		return nil, f.err
	}
	defer done()
	if flag&unix.O_DIRECTORY != 0 {
		if !m.state.dirs[name] {
			return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
		}
		return &memFile{m: m, name: name, dir: true}, nil
	}
	ino, ok := m.state.files[name]
	switch {
	case m.state.dirs[name]:
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	case !ok && (flag&os.O_CREATE == 0 || !m.state.dirs[path.Dir(name)]):
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
	case !ok:
		m.next++
		ino = m.next
		m.do(&op{what: "create", name: name, file: ino})
	case flag&os.O_TRUNC != 0:
		m.do(&op{what: "truncate", file: ino})
	}
	return &memFile{m: m, name: name, ino: ino}, nil
}

type memFile struct {
	m    *memory
	name string
	ino  int
	dir  bool
}

func (f *memFile) ReadAt(b []byte, off int64) (int, error) {
	ft, done := f.m.begin("read", f.name)
	defer done()
	d := f.m.state.data[f.ino]
	if off >= int64(len(d)) {
		return 0, io.EOF
	}
	n := copy(b, d[off:])
	if ft.partial {
		return n / 2, ft.err
	}
	if ft.err != nil {
		return 0, ft.err
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) WriteAt(b []byte, off int64) (int, error) {
	ft, done := f.m.begin("write", f.name)
	if ft.err != nil && !ft.partial {
		return 0, ft.err
	}
	if ft.partial {
		b = b[:len(b)/2]
	}
	if ft.idle {
		return 0, nil
	}
	defer done()
	f.m.do(&op{what: "write", file: f.ino, off: off, data: slices.Clone(b)})
	return len(b), ft.err
}

func (f *memFile) Truncate(size int64) error {
	ft, done := f.m.begin("truncate", f.name)
	if ft.err != nil {
		return ft.err
	}
	defer done()
	f.m.do(&op{what: "truncate", file: f.ino, off: size})
	return nil
}

func (f *memFile) Sync() error {
	ft, done := f.m.begin("sync", f.name)
	if ft.err != nil {
		return ft.err
	}
	defer done()
	for _, o := range f.m.journal {
		if f.dir && o.name != "" && path.Dir(o.name) == f.name || !f.dir && o.name == "" && o.file == f.ino {
			o.flushed = true
		}
	}
	return nil
}

func (f *memFile) DataSync() error { return f.Sync() }

func (f *memFile) Lock() error {
	ft, done := f.m.begin("lock", f.name)
	defer done()
	return ft.err
}

func (f *memFile) Close() error { return nil }

func (f *memFile) Stat() (fs.FileInfo, error) {
	ft, done := f.m.begin("stat", f.name)
	if ft.err != nil {
		return nil, ft.err
	}
	defer done()
	return memInfo{f}, nil
}

type memInfo struct{ f *memFile }

func (i memInfo) Name() string       { return path.Base(i.f.name) }
func (i memInfo) Size() int64        { return int64(len(i.f.m.state.data[i.f.ino])) }
func (i memInfo) ModTime() time.Time { return time.Time{} }
func (i memInfo) Sys() any           { return nil }
func (i memInfo) IsDir() bool        { return i.f.dir }
func (i memInfo) Mode() fs.FileMode {
	if i.f.dir {
		return fs.ModeDir | 0o700
	}
	return 0o600
}

// The log in memory.

var memPlace = Place{State: "/state", Config: "/config"}

// fixedRand gives the same bytes every time: 1, 2, 3, ...
func fixedRand() func([]byte) (int, error) {
	n := byte(0)
	return func(b []byte) (int, error) {
		for i := range b {
			n++
			b[i] = n
		}
		return len(b), nil
	}
}

// fixedClock is one second later each time it is asked, and begins at a time with a fraction.
func fixedClock() func() time.Time {
	at := time.Date(2026, 12, 1, 1, 39, 49, 123456789, time.UTC)
	return func() time.Time { at = at.Add(time.Second); return at.Add(-time.Second) }
}

func (m *memory) log() (*Log, error) {
	return Open(memPlace, Options{Now: fixedClock(), open: m.open, rand: fixedRand()})
}

func (m *memory) mustLog(t testing.TB) *Log {
	t.Helper()
	l, err := m.log()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (m *memory) file(name string) string { return string(m.state.data[m.state.files[name]]) }

func (m *memory) verify(o VerifyOptions) (*Report, error) {
	d, _ := m.open("/state")
	return verify(tiles{d, "log/"}, m.file("config/log.pub"), o)
}

// names lists the files below a folder, with their sizes, for messages.
func (m *memory) names() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.state.files)) {
		fmt.Fprintf(&b, "  %s %d (#%d)\n", name, len(m.state.data[m.state.files[name]]), m.state.files[name])
	}
	return b.String()
}
