package effect

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Links is what Resolve needs to see of a file system.
type Links interface {
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
}

// OS is the machine's own file system.
type OS struct{}

// Lstat is os.Lstat.
func (OS) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// Readlink is os.Readlink.
func (OS) Readlink(name string) (string, error) { return os.Readlink(name) }

// ReadDir is os.ReadDir.
func (OS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// ErrLinks is what Resolve returns for a path with more symbolic links than the kernel follows (40, path_resolution(7)).
var ErrLinks = errors.New("too many levels of symbolic links")

const maxLinks = 40

// Resolve gives the absolute path that name, relative to the absolute dir, reaches: each component is taken in the kernel's
// order (path_resolution(7)), so that ".." after a symbolic link leaves the link's target. Components that do not exist
// are kept as written, since a command may create them. With follow false the last component is not followed (unlink,
// rename and the like act on the link itself). An empty name is dir.
func Resolve(l Links, dir, name string, follow bool) (string, error) {
	if !path.IsAbs(name) {
		name = dir + "/" + name
	}
	rest, more := name, true
	at, links, missing := "", 0, false
	for more {
		var c string
		c, rest, more = strings.Cut(rest, "/")
		switch c {
		case "", ".":
			continue
		case "..":
			at = path.Dir("/" + at)
			if at == "/" {
				at = ""
			}
			missing = false
			continue
		}
		next := at + "/" + c
		if missing || (!follow && !more) { // a trailing slash means that the link is followed
			at = next
			continue
		}
		info, err := l.Lstat(next)
		if err != nil {
			missing = errors.Is(err, fs.ErrNotExist)
			at = next
			continue
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", ErrLinks
		}
		target, err := l.Readlink(next)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) {
			at = ""
		}
		if more {
			target += "/" + rest
		}
		rest, more = target, true
	}
	if at == "" {
		at = "/"
	}
	return at, nil
}
