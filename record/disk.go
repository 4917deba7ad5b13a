package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"
)

// disk is every way in which this package touches files, below one folder. Names are relative to it, with slashes. Tests put a
// disk in its place whose n-th call fails, or that loses what was not flushed.
type disk struct {
	open   func(name string, flag int) (file, error) // with O_NOFOLLOW a symbolic link in the last place is an error; one that leads out of the folder always is
	mkdir  func(name string) error
	rename func(from, to string) error
	remove func(name string) error
	list   func(name string) ([]string, error)
	close  func() error
}

type file interface {
	ReadAt(b []byte, off int64) (int, error)
	WriteAt(b []byte, off int64) (int, error)
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Sync() error
	DataSync() error // as Sync, but may leave out times and what else is not needed to read the data
	Lock() error     // waits; errUnlinked if the file was removed in the meantime
	Close() error
}

var errUnlinked = errors.New("the lock file was removed")

// openDisk is the real disk. os.Root keeps every name inside the folder, whatever symbolic links lie in it; the folder itself may be
// reached through one.
func openDisk(folder string) (disk, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return disk{}, err
	}
	return disk{
		open: func(name string, flag int) (file, error) {
			// os.Root follows links that stay inside, whatever the flags say.
			if flag&unix.O_NOFOLLOW != 0 {
				if info, err := root.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
					return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
				}
			}
			// Not blocking: a FIFO in the place of a file must not hold up the caller.
			f, err := root.OpenFile(name, flag|unix.O_NONBLOCK, 0o600)
			if err != nil {
				return nil, err
			}
			return osFile{f}, nil
		},
		mkdir:  func(name string) error { return root.Mkdir(name, 0o700) },
		rename: root.Rename,
		remove: root.Remove,
		list: func(name string) ([]string, error) {
			f, err := root.Open(name)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			return f.Readdirnames(-1)
		},
		close: root.Close,
	}, nil
}

type osFile struct{ *os.File }

func (f osFile) Lock() error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	// A person may have removed "a stale lock": then the next process locks another file, and two would write.
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink == 0 {
		return errUnlinked
	}
	return nil
}

// again repeats what a signal interrupted.
func again(op func() error) error {
	for {
		if err := op(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func (d disk) openFile(name string, flag int) (f file, err error) {
	err = again(func() (err error) { f, err = d.open(name, flag); return err })
	return f, err
}

// size is that of a plain file; anything else is an error.
func size(f file) (n int64, mode fs.FileMode, err error) {
	var info fs.FileInfo
	err = again(func() (err error) { info, err = f.Stat(); return err })
	if err != nil {
		return 0, 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, 0, fmt.Errorf("%s is no plain file: %w", info.Name(), fs.ErrExist)
	}
	return info.Size(), info.Mode(), nil
}

// read is the whole of a file of at most limit bytes.
func (d disk) read(name string, limit int64) ([]byte, error) {
	b, _, err := d.readMode(name, 0, limit)
	return b, err
}

func (d disk) readMode(name string, flag int, limit int64) ([]byte, fs.FileMode, error) {
	f, err := d.openFile(name, os.O_RDONLY|flag)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	n, mode, err := size(f)
	if err != nil {
		return nil, 0, err
	}
	if n > limit {
		return nil, 0, fmt.Errorf("%s has %d bytes, more than the %d that it can have", name, n, limit)
	}
	b := make([]byte, n)
	got, err := readAt(f, b, 0)
	return b[:got], mode, err
}

// readAt fills b, or stops at the end of the file.
func readAt(f file, b []byte, off int64) (int, error) {
	done := 0
	for done < len(b) {
		n, err := f.ReadAt(b[done:], off+int64(done))
		done += n
		switch {
		case errors.Is(err, io.EOF), err == nil && n == 0:
			return done, nil
		case err != nil && !errors.Is(err, syscall.EINTR):
			return done, err
		}
	}
	return done, nil
}

// writeAt writes all of b or says why not.
func writeAt(f file, b []byte, off int64) error {
	for len(b) > 0 {
		n, err := f.WriteAt(b, off)
		b, off = b[n:], off+int64(n)
		switch {
		case err == nil && n == 0:
			return io.ErrShortWrite
		case err != nil && !errors.Is(err, syscall.EINTR) && !errors.Is(err, io.ErrShortWrite):
			return err
		}
	}
	return nil
}

// replace puts b in the place of a file: the old or the new content is there at every moment, also for readers. With flush, the content
// is durable before the name is; the name is durable only after a syncDir. The temporary name is fixed, so that a crash leaves one at most:
// the caller holds the lock, or gives a name of its own.
func (d disk) replace(name, temp string, b []byte, flush bool) error {
	if err := d.write(temp, b, flush); err != nil {
		return err
	}
	return again(func() error { return d.rename(temp, name) })
}

func (d disk) write(name string, b []byte, flush bool) error {
	f, err := d.openFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NOFOLLOW)
	if err != nil {
		return err
	}
	// The content is flushed or need not be: what Close could report changes nothing.
	defer f.Close()
	if _, _, err := size(f); err != nil {
		return err
	}
	if err := writeAt(f, b, 0); err != nil {
		return err
	}
	if flush {
		return again(f.Sync)
	}
	return nil
}

// syncDir makes the names in a folder durable.
func (d disk) syncDir(name string) error {
	f, err := d.openFile(name, os.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer f.Close()
	return again(f.Sync)
}

// syncDirs does it for a folder and those above, up to and including top.
func (d disk) syncDirs(name, top string) error {
	for {
		if err := d.syncDir(name); err != nil || name == top {
			return err
		}
		name = path.Dir(name)
	}
}

// names lists a folder.
func (d disk) names(dir string) (list []string, err error) {
	err = again(func() (err error) { list, err = d.list(dir); return err })
	return list, err
}

// mkdirs makes a folder and those above it that are not there. It flushes nothing.
func (d disk) mkdirs(name string) error {
	err := again(func() error { return d.mkdir(name) })
	if errors.Is(err, fs.ErrNotExist) && path.Dir(name) != "." {
		if err := d.mkdirs(path.Dir(name)); err != nil {
			return err
		}
		err = again(func() error { return d.mkdir(name) })
	}
	if errors.Is(err, fs.ErrExist) {
		return nil // if it is no folder, the next step fails and says so
	}
	return err
}
