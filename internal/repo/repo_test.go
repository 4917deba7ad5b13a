// Package repo holds the rules of this repository as tests, and nothing else: what imports what, what every package must
// say of itself, and what must not be in any file. It refuses exceptions that are not written in a table here.
package repo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// pkg is the part of `go list -json` that the rules look at.
type pkg struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string
	CgoFiles   []string
	// IgnoredGoFiles are for other operating systems; the rules hold there too.
	IgnoredGoFiles []string
	TestGoFiles    []string
	XTestGoFiles   []string
	Imports        []string
	Module         *struct{ Path, Dir string }
}

// source is one parsed Go file of the module.
type source struct {
	path string // relative to the root of the repository
	test bool
	pkg  *pkg
	ast  *ast.File
	fset *token.FileSet
}

func (s source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line)
}

var loadPackages = sync.OnceValues(func() ([]*pkg, error) {
	cmd := exec.Command("go", "list", "-json", "./...")
	cmd.Dir = filepath.Join("..", "..")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var pkgs []*pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(pkg)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, err
		}
		pkgs = append(pkgs, p)
	}
})

func packages(t *testing.T) []*pkg {
	t.Helper()
	pkgs, err := loadPackages()
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) < 3 {
		t.Fatalf("go list found %d packages: the rules would hold of nothing", len(pkgs))
	}
	return pkgs
}

// short is the import path below the module: "." is the root.
func (p *pkg) short() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, p.Module.Path), "/")
}

func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	for _, p := range packages(t) {
		tests := append(append([]string{}, p.TestGoFiles...), p.XTestGoFiles...)
		code := append(append(append([]string{}, p.GoFiles...), p.CgoFiles...), p.IgnoredGoFiles...)
		for i, name := range append(code, tests...) {
			full := filepath.Join(p.Dir, name)
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, full, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(p.Module.Dir, full)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, source{path: rel, test: i >= len(code) || strings.HasSuffix(name, "_test.go"), pkg: p, ast: file, fset: fset})
		}
	}
	return out
}

// files are all files of the repository that are or would be committed, relative to its root.
func files(t *testing.T) (root string, names []string) {
	t.Helper()
	root = packages(t)[0].Module.Dir
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v: the rules need git and a checkout", err)
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if info, err := os.Lstat(filepath.Join(root, name)); name != "" && err == nil && info.Mode().IsRegular() {
			names = append(names, name)
		}
	}
	if len(names) < 5 {
		t.Fatalf("git ls-files named %d files: the rules would hold of nothing", len(names))
	}
	return root, names
}
