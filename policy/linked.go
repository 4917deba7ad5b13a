package policy

import (
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/ambit-dev/ambit/effect"
)

// meetLinked finds a protected file that the effect's file is another name of: a hard link has no path to resolve.
func (g *Guards) meetLinked(e effect.Effect) (met []Met) {
	if e.On.Tree || e.Access == effect.Delete {
		return nil // deleting one name leaves the others
	}
	info, err := g.links.Lstat(strings.TrimPrefix(e.On.String(), "file:"))
	if err != nil || !info.Mode().IsRegular() || !linked(info) {
		return nil
	}
	left := maxLooked
	for _, guard := range g.all {
		if guard.at == fold(e.On.Resource) || e.Access == effect.Read && guard.Reads == Allow {
			continue
		}
		other, err := g.links.Lstat(guard.Place())
		switch {
		case err != nil:
		case os.SameFile(info, other):
			met = append(met, Met{guard, e, true})
		case guard.On.Tree && other.IsDir():
			if found, all := g.holds(guard.Place(), info, &left); found || !all {
				met = append(met, Met{guard, e, found})
			}
		}
	}
	return met
}

// maxLooked is how many names below protected folders are looked at for one file with several names. A file that is not among them
// can be one of the rest, so it is asked about.
const maxLooked = 50_000

// lister is a file system whose folders can be listed, as effect.OS is.
type lister interface {
	ReadDir(name string) ([]fs.DirEntry, error)
}

// holds tells whether a file is below a folder under some name, and whether all names there were looked at.
func (g *Guards) holds(dir string, file fs.FileInfo, left *int) (found, all bool) {
	l, ok := g.disk.(lister)
	if !ok {
		return false, true // a file system without hard links: it only tells what is where
	}
	todo := []string{dir}
	for len(todo) > 0 {
		dir, todo = todo[len(todo)-1], todo[:len(todo)-1]
		entries, err := l.ReadDir(dir)
		if err != nil {
			return false, false
		}
		for _, entry := range entries {
			if *left--; *left < 0 {
				return false, false
			}
			name := path.Join(dir, entry.Name())
			if entry.IsDir() {
				todo = append(todo, name)
				continue
			}
			if info, err := g.disk.Lstat(name); err == nil && os.SameFile(file, info) {
				return true, true
			}
		}
	}
	return false, true
}
