package dockerfile

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// ignored is a .dockerignore: the last pattern that matches a path or a folder above it decides.
type ignored []ignorePattern

type ignorePattern struct {
	segs []string
	keep bool // "!": not ignored after all
}

// readIgnore reads the Dockerfile's own ignore file, or else the context's.
func readIgnore(fs *workspace.FS, context, dockerfile string) ignored {
	for _, name := range []string{dockerfile + ".dockerignore", path.Join(context, ".dockerignore")} {
		f, err := fs.Read(name)
		if err != nil {
			continue
		}
		var ig ignored
		for _, line := range strings.Split(string(f.Data), "\n") {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' || len(ig) >= 1000 || len(line) > 1000 {
				continue
			}
			p := ignorePattern{}
			if line, p.keep = strings.CutPrefix(line, "!"); line == "" {
				continue
			}
			line = strings.Trim(path.Clean("/"+strings.TrimSpace(line)), "/")
			if line == "" {
				continue
			}
			p.segs = strings.Split(line, "/")
			ig = append(ig, p)
		}
		return ig
	}
	return nil
}

// ignores tells whether a path, relative to the context, is not sent.
func (ig ignored) ignores(name string) bool {
	out := false
	segs := strings.Split(name, "/")
	for _, p := range ig {
		if out != p.keep {
			continue
		}
		for n := 1; n <= len(segs); n++ {
			if matchSegs(p.segs, segs[:n]) {
				out = !p.keep
				break
			}
		}
	}
	return out
}

// matchSegs matches segments, `**` standing for any number of them.
func matchSegs(p, s []string) bool {
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == "**":
			star, mark = i, j
			i++
		case i < len(p) && matchName(p[i], s[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == "**" {
		i++
	}
	return i == len(p)
}

func matchName(p, s string) bool {
	ok, err := path.Match(p, s)
	return err == nil && ok
}
