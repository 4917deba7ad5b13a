package secret

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goRoot is where the sources of Go are.
func goRoot(tb testing.TB) string {
	tb.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// Ordinary code has hardly a secret: the sources of Go itself, without its tests, which have keys of their own. What is found there is found
// wrongly, but for the examples in its comments.
func TestOrdinaryCode(t *testing.T) {
	const most = 3 // findings in ten megabytes
	root := filepath.Join(goRoot(t), "src")
	size, found := 0, 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text := string(data)
		for _, s := range Find("", text) {
			found++
			line := 1 + strings.Count(text[:s.Start], "\n")
			t.Logf("%s:%d: %s", strings.TrimPrefix(name, root), line, s.Kind)
		}
		size += len(text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if size < 10<<20 {
		t.Fatalf("only %d bytes of code under %s", size, root)
	}
	t.Logf("%d in %d bytes", found, size)
	if limit := most * size / (10 << 20); found > limit {
		t.Errorf("%d findings in %d bytes of code, want at most %d", found, size, limit)
	}
}

// Long texts of the parts that make a scan look ahead are sound too, and the benchmark of the same name shows that they take linear time.
func TestHostile(t *testing.T) {
	for _, part := range hostile() {
		sound(t, "", strings.Repeat(part, 8<<10/len(part)))
	}
}
