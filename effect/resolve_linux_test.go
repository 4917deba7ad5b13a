package effect

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// reached asks the kernel which path a name reaches: it opens it and reads back the name of what it opened.
func reached(dir, name string, flags int) (string, error) {
	if !filepath.IsAbs(name) {
		name = dir + "/" + name
	}
	fd, err := unix.Open(name, flags|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
}

// grow makes folders, files and symbolic links at random below root. Links point up, down, to each other and to nothing.
func grow(t *testing.T, r *rand.Rand, root string) (names []string) {
	t.Helper()
	dirs := []string{""}
	for _, d := range []string{"a", "b", "a/c", "a/c/d", "b/e"} {
		if err := os.Mkdir(root+"/"+d, 0o755); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, d)
	}
	for _, f := range []string{"f", "a/f", "a/c/f", "b/e/f"} {
		if err := os.WriteFile(root+"/"+f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	targets := []string{"..", ".", "../..", "a", "b", "c", "f", "../f", "../a/c", "../b/./e", "l0", "l1", "l2/f", "../l3", "a/../b", "nothing", "nothing/x", "../l4/../f", "c/", "/"}
	for i := range 12 {
		target := targets[r.IntN(len(targets))]
		if r.IntN(4) == 0 {
			target = root + "/" + strings.TrimLeft(target, "/")
		}
		name := filepath.Join(dirs[r.IntN(len(dirs))], fmt.Sprintf("l%d", i%6))
		if err := os.Symlink(target, root+"/"+name); err != nil && !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// TestResolveAgainstKernel compares Resolve with what the kernel opens, in trees and by paths that a fixed seed chose.
func TestResolveAgainstKernel(t *testing.T) {
	opened, created, loops, unfollowed := 0, 0, 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		links := grow(t, r, root)
		parts := []string{"a", "b", "c", "d", "e", "f", "..", ".", "", "l0", "l1", "l2", "l3", "l4", "l5", "new"}
		for range 150 {
			var words []string
			if r.IntN(2) == 0 {
				words = append(words, links[r.IntN(len(links))])
			}
			for range 1 + r.IntN(5) {
				words = append(words, parts[r.IntN(len(parts))])
			}
			name := strings.Join(words, "/")
			if strings.HasPrefix(name, "/") {
				name = "." + name
			}
			dir := root + []string{"", "/a", "/b/e"}[r.IntN(3)]
			got, gotErr := Resolve(OS{}, dir, name, true)
			want, err := reached(dir, name, unix.O_PATH)
			switch {
			case err == nil:
				opened++
				if gotErr != nil || got != want {
					t.Errorf("seed %d: %s in %s reaches %s, Resolve says %s, %v", seed, name, dir, want, got, gotErr)
				}
			case errors.Is(err, unix.ELOOP):
				loops++
				if !errors.Is(gotErr, ErrLinks) {
					t.Errorf("seed %d: %s in %s is a loop, Resolve says %s, %v", seed, name, dir, got, gotErr)
				}
			case errors.Is(err, unix.ENOENT):
				want, err := reached(dir, name, unix.O_CREAT|unix.O_WRONLY|unix.O_EXCL)
				if err != nil { // EXCL refuses a link to nothing
					want, err = reached(dir, name, unix.O_CREAT|unix.O_WRONLY)
				}
				if err != nil {
					break
				}
				created++
				if gotErr != nil || got != want {
					t.Errorf("seed %d: %s in %s makes %s, Resolve says %s, %v", seed, name, dir, want, got, gotErr)
				}
				if err := os.Remove(want); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := reached(dir, name, unix.O_PATH|unix.O_NOFOLLOW); err == nil {
				unfollowed++
				if got, err := Resolve(OS{}, dir, name, false); err != nil || got != want {
					t.Errorf("seed %d: %s in %s is %s itself, Resolve says %s, %v", seed, name, dir, want, got, err)
				}
			}
		}
	}
	if opened < 250 || created < 250 || loops < 30 || unfollowed < 250 {
		t.Errorf("opened %d, made %d, loops %d, not followed %d: the trees no longer try all of it", opened, created, loops, unfollowed)
	}
}

// TestResolveLimit: as many links as the kernel follows, and one more.
func TestResolveLimit(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(root+"/0", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 41; i++ {
		if err := os.Symlink(fmt.Sprint(i-1), fmt.Sprintf("%s/%d", root, i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []string{"1", "40", "41"} {
		want, kernelErr := reached(root, n, unix.O_PATH)
		got, err := Resolve(OS{}, root, n, true)
		if (kernelErr == nil) != (err == nil) || got != want {
			t.Errorf("%s links: the kernel says %s, %v; Resolve %s, %v", n, want, kernelErr, got, err)
		}
	}
}

func TestResolveText(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ dir, name, want string }{
		{root, "", root}, {root, ".", root}, {root, "x", root + "/x"}, {root, "x/", root + "/x"}, {root, "no/../y", root + "/y"}, {root, "no/such/../../y", root + "/y"},
		{root, "/", "/"}, {root, "/..", "/"}, {root, "/../../etc", "/etc"}, {"/", "..", "/"}, {root, "//proc//self/..", "/proc"}, {root, "a//b/./c", root + "/a/b/c"},
	} {
		if got, err := Resolve(OS{}, tt.dir, tt.name, true); err != nil || got != tt.want {
			t.Errorf("%q in %s is %s, %v; want %s", tt.name, tt.dir, got, err, tt.want)
		}
	}
}
