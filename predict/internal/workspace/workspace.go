// Package workspace is bounded, recorded, read-only access to the files that a prediction looks at. It refuses whatever is
// not a regular file or directory (FIFOs, devices and sockets would block or act), files over a size, and more files or
// bytes in all than a budget, so that a hostile workspace costs a bounded amount.
package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ambit-dev/ambit/effect"
)

// Limits bound what one prediction may read.
type Limits struct {
	FileBytes  int64 // one file
	TotalBytes int64 // all files together
	Files      int   // files opened
	Names      int   // directory entries listed, all together
}

// Default limits: a large monorepo's manifests and scripts fit, a hostile tree ends within tens of milliseconds.
var defaultLimits = Limits{FileBytes: 8 << 20, TotalBytes: 64 << 20, Files: 4000, Names: 100_000}

// Errors that a caller tells apart; all others are "cannot be read".
var (
	ErrBudget     = errors.New("the budget of this prediction is used up")
	ErrTooLarge   = errors.New("the file is larger than the limit")
	ErrNotRegular = errors.New("not a regular file")
)

// File is what was read of one file. Path is absolute with symbolic links resolved.
type File struct {
	Path   string
	Data   []byte
	SHA256 string // hexadecimal
}

// FS reads below Root (the empty string is the machine's own root) and remembers what it read. It is for one prediction and
// one goroutine.
type FS struct {
	Root   string
	limits Limits
	bytes  int64
	names  int
	files  map[string]*File // by resolved path
	lstats map[string]fs.FileInfo
	stats  map[string]reached // of what has been asked for by name
	order  []*File
	// Looked, if not nil, is told of each file whose content was asked for, and of each path that was found missing.
	Looked func(name string, missing bool)
}

// reached is what a path leads to, links followed. Without info nothing is there.
type reached struct {
	path string
	info fs.FileInfo
}

// New makes an FS; zero limits are replaced by the default ones.
func New(root string, l Limits) *FS {
	d := defaultLimits
	if l.FileBytes > 0 {
		d.FileBytes = l.FileBytes
	}
	if l.TotalBytes > 0 {
		d.TotalBytes = l.TotalBytes
	}
	if l.Files > 0 {
		d.Files = l.Files
	}
	if l.Names > 0 {
		d.Names = l.Names
	}
	return &FS{Root: root, limits: d, files: map[string]*File{}, lstats: map[string]fs.FileInfo{}, stats: map[string]reached{}}
}

// Lstat is lstat(2) below Root, remembered.
func (w *FS) Lstat(name string) (fs.FileInfo, error) {
	if info, ok := w.lstats[name]; ok {
		if info == nil {
			return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
		}
		return info, nil
	}
	info, err := os.Lstat(w.Root + name)
	if err == nil {
		w.lstats[name] = info
	} else if errors.Is(err, fs.ErrNotExist) {
		w.lstats[name] = nil
	}
	return info, err
}

// Readlink is readlink(2) below Root.
func (w *FS) Readlink(name string) (string, error) { return os.Readlink(w.Root + name) }

// Resolve is effect.Resolve on this file system.
func (w *FS) Resolve(dir, name string, follow bool) (string, error) {
	return effect.Resolve(w, dir, name, follow)
}

// stat is the information of what a path reaches, and that path.
func (w *FS) stat(name string) (string, fs.FileInfo, error) {
	if r, ok := w.stats[name]; ok {
		if r.info == nil {
			return r.path, nil, &fs.PathError{Op: "lstat", Path: r.path, Err: fs.ErrNotExist}
		}
		return r.path, r.info, nil
	}
	p, err := w.Resolve("/", name, true)
	if err != nil {
		return name, nil, err
	}
	info, err := w.Lstat(p)
	if err == nil || errors.Is(err, fs.ErrNotExist) { // as Lstat remembers
		w.stats[name] = reached{p, info}
	}
	return p, info, err
}

// Real is the path that an absolute path reaches, links followed; the path itself when that cannot be told.
func (w *FS) Real(name string) string {
	p, _, _ := w.stat(name)
	return p
}

// Exists tells whether something is at an absolute path (links followed).
func (w *FS) Exists(name string) bool { _, _, err := w.look(name); return err == nil }

// Present is Exists for a caller that runs nothing other for the answer: Looked is not told.
func (w *FS) Present(name string) bool { _, _, err := w.stat(name); return err == nil }

// look is stat for a caller to whom absence is an answer.
func (w *FS) look(name string) (string, fs.FileInfo, error) {
	p, info, err := w.stat(name)
	if err != nil && w.Looked != nil {
		w.Looked(p, true)
	}
	return p, info, err
}

// Having gives those of some paths relative to an absolute folder in which a file of some name may be: one system call for each,
// and nothing remembered, so that a thousand packages can be asked in half a millisecond. What it gives is a hint to look
// closer; what it leaves out is surely not there.
func (w *FS) Having(dir string, names []string, file string) []string {
	if w.Root != "" {
		return names // below a root, the kernel would follow an absolute link out of it
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return names
	}
	defer unix.Close(fd)
	var have []string
	for _, n := range names {
		if !errors.Is(unix.Faccessat(fd, n+"/"+file, unix.F_OK, 0), unix.ENOENT) {
			have = append(have, n)
		}
	}
	return have
}

// IsDir tells whether a directory is at an absolute path (links followed).
func (w *FS) IsDir(name string) bool {
	_, info, err := w.look(name)
	return err == nil && info.IsDir()
}

// IsFile tells whether a regular file is at an absolute path (links followed).
func (w *FS) IsFile(name string) bool {
	_, info, err := w.look(name)
	return err == nil && info.Mode().IsRegular()
}

// Executable tells whether a regular file with any execute bit is at an absolute path (links followed).
func (w *FS) Executable(name string) bool {
	_, info, err := w.look(name)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// Read gives the whole of a regular file at an absolute path, following links. The same file is read once.
func (w *FS) Read(name string) (*File, error) {
	p, info, err := w.look(name)
	if err != nil {
		return nil, err
	}
	if w.Looked != nil {
		w.Looked(p, false)
	}
	if f, ok := w.files[p]; ok {
		return f, nil
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
	}
	if info.Size() > w.limits.FileBytes {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w (%d bytes, limit %d)", ErrTooLarge, info.Size(), w.limits.FileBytes)}
	}
	if len(w.files) >= w.limits.Files || w.bytes+info.Size() > w.limits.TotalBytes {
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrBudget}
	}
	data, err := w.readRegular(p)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	f := &File{Path: p, Data: data, SHA256: hex.EncodeToString(sum[:])}
	w.bytes += int64(len(data))
	w.files[p] = f
	w.order = append(w.order, f)
	return f, nil
}

// readRegular opens without following a link or blocking, and looks again at what it opened: the path may have been swapped.
func (w *FS) readRegular(p string) ([]byte, error) {
	f, err := os.OpenFile(w.Root+p, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: p, Err: ErrNotRegular}
	}
	data := make([]byte, 0, min(info.Size(), w.limits.FileBytes)+1)
	data, err = appendAll(data, f, w.limits.FileBytes)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: p, Err: err}
	}
	return data, nil
}

func appendAll(data []byte, r io.Reader, limit int64) ([]byte, error) {
	for {
		if len(data) == cap(data) {
			data = slices.Grow(data, 512)
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if int64(len(data)) > limit {
			return nil, ErrTooLarge // it grew after the size was looked at
		}
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// Names lists a directory's entries, sorted.
func (w *FS) Names(dir string) ([]string, error) {
	p, info, err := w.stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "list", Path: dir, Err: errors.New("not a directory")}
	}
	d, err := os.Open(w.Root + p)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	left := w.limits.Names - w.names
	if left <= 0 {
		return nil, &fs.PathError{Op: "list", Path: dir, Err: ErrBudget}
	}
	names, err := d.Readdirnames(left)
	if err != nil && err != io.EOF {
		return nil, err
	}
	w.names += len(names)
	if len(names) == left {
		return nil, &fs.PathError{Op: "list", Path: dir, Err: ErrBudget}
	}
	slices.Sort(names)
	return names, nil
}

// Files lists what was read, in the order of reading.
func (w *FS) Files() []*File { return w.order }

// Join is path.Join for a directory and a name that may be absolute.
func Join(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// Within tells whether an absolute clean path is dir or lies below it.
func Within(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir+"/")
}
