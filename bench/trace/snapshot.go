package trace

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// shot maps an absolute path to a digest of its kind, permissions and content.
type shot map[string][sha256.Size]byte

// snapshot hashes every file below the roots. What vanishes or cannot be read meanwhile is left out: it then shows up
// as a difference.
func snapshot(roots ...string) (shot, error) {
	s := shot{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
				return nil
			}
			if err != nil || path == root {
				return err
			}
			if sum, err := digest(path, d); err == nil {
				s[path] = sum
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

func digest(path string, d fs.DirEntry) (sum [sha256.Size]byte, err error) {
	info, err := d.Info()
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	io.WriteString(h, info.Mode().String()+"\n")
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		if err != nil {
			return sum, err
		}
		io.WriteString(h, to)
	case info.Mode().IsRegular():
		f, err := os.Open(path)
		if err != nil {
			return sum, err
		}
		defer f.Close()
		if _, err := io.Copy(h, f); err != nil {
			return sum, err
		}
	}
	h.Sum(sum[:0])
	return sum, nil
}

// diff returns the paths that were made, changed or deleted, sorted.
func (s shot) diff(after shot) []string {
	var out []string
	for p, sum := range after {
		if old, ok := s[p]; !ok || old != sum {
			out = append(out, p)
		}
	}
	for p := range s {
		if _, ok := after[p]; !ok {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}
