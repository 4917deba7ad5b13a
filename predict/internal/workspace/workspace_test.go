package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, name string, size int) {
	t.Helper()
	if err := os.WriteFile(name, make([]byte, size), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSafetyIrregularFiles: what is no regular file is refused without being opened for reading.
func TestSafetyIrregularFiles(t *testing.T) {
	dir := folder(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "zero")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	w := workspace.New("", workspace.Limits{})
	for _, name := range []string{"fifo", "zero"} {
		if _, err := w.Read(filepath.Join(dir, name)); !errors.Is(err, workspace.ErrNotRegular) {
			t.Errorf("%s: %v, want %v", name, err, workspace.ErrNotRegular)
		}
	}
	for _, name := range []string{"loop", "missing", "."} {
		if _, err := w.Read(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s: was read", name)
		}
	}
}

// TestSafetyLimits: size, number and names are bounded, and each bound says which it is.
func TestSafetyLimits(t *testing.T) {
	dir := folder(t)
	write(t, dir+"/small", 10)
	write(t, dir+"/other", 10)
	write(t, dir+"/third", 10)
	write(t, dir+"/large", 101)
	w := workspace.New("", workspace.Limits{FileBytes: 100, TotalBytes: 25, Files: 10, Names: 5})
	if _, err := w.Read(dir + "/large"); !errors.Is(err, workspace.ErrTooLarge) {
		t.Errorf("large: %v, want %v", err, workspace.ErrTooLarge)
	}
	for range 3 { // one file costs its bytes once
		if _, err := w.Read(dir + "/small"); err != nil {
			t.Errorf("small: %v", err)
		}
	}
	if _, err := w.Read(dir + "/other"); err != nil {
		t.Errorf("other: %v", err)
	}
	if _, err := w.Read(dir + "/third"); !errors.Is(err, workspace.ErrBudget) {
		t.Errorf("third: %v, want %v", err, workspace.ErrBudget)
	}
	if names, err := w.Names(dir); err != nil || len(names) != 4 {
		t.Errorf("names: %v, %v", names, err)
	}
	if got := len(w.Files()); got != 2 {
		t.Errorf("%d files are remembered, want 2", got)
	}
	few := workspace.New("", workspace.Limits{Names: 3})
	if _, err := few.Names(dir); !errors.Is(err, workspace.ErrBudget) {
		t.Errorf("names over the limit: %v, want %v", err, workspace.ErrBudget)
	}
}

// TestRoot: below a root, links and ".." stay inside.
func TestRoot(t *testing.T) {
	root := folder(t)
	if err := os.MkdirAll(root+"/home/user", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, root+"/home/user/x", 3)
	if err := os.Symlink("/home/user/x", root+"/link"); err != nil {
		t.Fatal(err)
	}
	w := workspace.New(root, workspace.Limits{})
	for _, name := range []string{"/link", "/home/../../../home/user/x"} {
		f, err := w.Read(name)
		if err != nil || f.Path != "/home/user/x" {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}
