package record

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func code(err error) Code {
	var e *Error
	if !errors.As(err, &e) || e.Next == "" || e.Message == "" {
		return ""
	}
	return e.Code
}

// TestSafetyBrokenPlace: what can be wrong with the folders and the keys. Each ends in an *Error that says what to do, and nothing is
// made in the place of what is gone.
func TestSafetyBrokenPlace(t *testing.T) {
	file := func(t *testing.T, name, text string, mode fs.FileMode) {
		t.Helper()
		os.Remove(name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(t *testing.T, name string) {
		t.Helper()
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	in := func(p Place, name string) string { return filepath.Join(p.State, name) }
	for name, tt := range map[string]struct {
		used  bool // the log has entries
		brk   func(t *testing.T, p Place)
		code  Code
		atEnd bool // Open may succeed; the append fails
	}{
		"the state folder is a file":              {false, func(t *testing.T, p Place) { file(t, p.State, "x", 0o600) }, CodeState, false},
		"the folder above is a file":              {false, func(t *testing.T, p Place) { file(t, filepath.Dir(p.State), "x", 0o600) }, CodeState, false},
		"the state folder is a link into nowhere": {false, func(t *testing.T, p Place) { link(t, "/nowhere/at/all", p.State) }, CodeState, false},
		"the state folder is a link to itself":    {false, func(t *testing.T, p Place) { link(t, p.State, p.State) }, CodeState, false},
		"the config folder is a file":             {false, func(t *testing.T, p Place) { file(t, p.Config, "x", 0o600) }, CodeState, false},
		"the lock is a folder":                    {false, func(t *testing.T, p Place) { mkdir(t, in(p, "lock")) }, CodeState, false},
		"the lock is a link":                      {false, func(t *testing.T, p Place) { mkdir(t, p.State); link(t, "/dev/null", in(p, "lock")) }, CodeState, false},
		"the log folder is a file":                {false, func(t *testing.T, p Place) { file(t, in(p, "log"), "x", 0o600) }, CodeState, false},
		"the log folder leads out":                {false, func(t *testing.T, p Place) { mkdir(t, p.State); link(t, t.TempDir(), in(p, "log")) }, CodeState, false},
		"log.key is gone":                         {true, func(t *testing.T, p Place) { remove(t, in(p, "log.key")) }, CodeKey, false},
		"log.key is empty":                        {true, func(t *testing.T, p Place) { file(t, in(p, "log.key"), "", 0o600) }, CodeKey, false},
		"log.key is something":                    {true, func(t *testing.T, p Place) { file(t, in(p, "log.key"), "PRIVATE+KEY+x\n", 0o600) }, CodeKey, false},
		"log.key is a folder":                     {true, func(t *testing.T, p Place) { remove(t, in(p, "log.key")); mkdir(t, in(p, "log.key")) }, CodeKey, false},
		"log.key is a FIFO":                       {true, func(t *testing.T, p Place) { remove(t, in(p, "log.key")); fifo(t, in(p, "log.key")) }, CodeKey, false},
		"log.key is open to the group":            {true, func(t *testing.T, p Place) { chmod(t, in(p, "log.key"), 0o640) }, CodeKey, false},
		"log.key is open to all":                  {true, func(t *testing.T, p Place) { chmod(t, in(p, "log.key"), 0o604) }, CodeKey, false},
		"log.key is a link":                       {true, func(t *testing.T, p Place) { rename(t, in(p, "log.key"), in(p, "k")); link(t, "k", in(p, "log.key")) }, CodeKey, false},
		"log.key is large":                        {true, func(t *testing.T, p Place) { file(t, in(p, "log.key"), strings.Repeat("x", 1<<20), 0o600) }, CodeKey, false},
		"log.key is of another log":               {true, func(t *testing.T, p Place) { copyFile(t, in(other(t), "log.key"), in(p, "log.key")) }, CodeKey, false},
		"commit.key is gone":                      {true, func(t *testing.T, p Place) { remove(t, in(p, "commit.key")) }, CodeKey, false},
		"commit.key is short":                     {true, func(t *testing.T, p Place) { file(t, in(p, "commit.key"), "x", 0o600) }, CodeKey, false},
		"commit.key is open to all":               {true, func(t *testing.T, p Place) { chmod(t, in(p, "commit.key"), 0o644) }, CodeKey, false},
		"log.pub is of another log":               {true, func(t *testing.T, p Place) { copyFile(t, other(t).PublicKeyFile(), p.PublicKeyFile()) }, CodeKey, false},
		"log.pub is empty":                        {true, func(t *testing.T, p Place) { file(t, p.PublicKeyFile(), "", 0o600) }, CodeKey, false},
		"log.pub is a folder":                     {true, func(t *testing.T, p Place) { remove(t, p.PublicKeyFile()); mkdir(t, p.PublicKeyFile()) }, CodeState, false},
		"the log is gone":                         {true, func(t *testing.T, p Place) { remove(t, in(p, "log")) }, CodeMissing, false},
		"the log and the key are gone":            {true, func(t *testing.T, p Place) { remove(t, in(p, "log")); remove(t, in(p, "log.key")) }, CodeMissing, false},
		"the state folder is gone":                {true, func(t *testing.T, p Place) { remove(t, p.State) }, CodeMissing, false},
		"the log and log.pub are gone":            {true, func(t *testing.T, p Place) { remove(t, in(p, "log")); remove(t, p.PublicKeyFile()) }, CodeMissing, false},
		"the checkpoint is gone":                  {true, func(t *testing.T, p Place) { remove(t, in(p, "log/checkpoint")) }, CodeMissing, false},
		"the checkpoint, log.pub and seen are gone": {true, func(t *testing.T, p Place) {
			remove(t, in(p, "log/checkpoint"))
			remove(t, in(p, "seen"))
			remove(t, p.PublicKeyFile())
		}, CodeMissing, false},
		"the checkpoint is empty":        {true, func(t *testing.T, p Place) { file(t, in(p, "log/checkpoint"), "", 0o600) }, CodeDamaged, false},
		"the checkpoint is of version 2": {true, func(t *testing.T, p Place) { edit(t, in(p, "log/checkpoint"), "ambit-log-v1", "ambit-log-v2") }, CodeNewer, false},
		"the checkpoint is a FIFO":       {true, func(t *testing.T, p Place) { remove(t, in(p, "log/checkpoint")); fifo(t, in(p, "log/checkpoint")) }, CodeState, false},
		"the checkpoint is of another log": {true, func(t *testing.T, p Place) {
			copyFile(t, in(other(t), "log/checkpoint"), in(p, "log/checkpoint"))
		}, CodeKey, true},
		"the checkpoint is forged": {true, func(t *testing.T, p Place) { edit(t, in(p, "log/checkpoint"), "\n7\n", "\n6\n") }, CodeDamaged, true},
		"the bundle is gone":       {true, func(t *testing.T, p Place) { remove(t, in(p, "log/tile/entries")) }, CodeDamaged, true},
		"the bundle is short":      {true, func(t *testing.T, p Place) { file(t, in(p, "log/tile/entries/000.p/7"), "x", 0o600) }, CodeDamaged, true},
		"the bundle leads out":     {true, func(t *testing.T, p Place) { link2(t, in(p, "log/tile/entries/000.p")) }, CodeDamaged, true},
		"the next bundle is a FIFO": {true, func(t *testing.T, p Place) {
			remove(t, in(p, "log/tile/entries/000.p/7"))
			fifo(t, in(p, "log/tile/entries/000.p/7"))
		}, CodeDamaged, true},
		"a relative place": {false, func(*testing.T, Place) {}, CodeState, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			if tt.used {
				l := mustOpen(t, p)
				for i := range 7 {
					if _, err := l.Append("intent", bodyOf(i)); err != nil {
						t.Fatal(err)
					}
				}
			} else if err := os.MkdirAll(filepath.Dir(filepath.Dir(p.State)), 0o700); err != nil {
				t.Fatal(err)
			}
			if !tt.used && name != "the folder above is a file" {
				mkdir(t, filepath.Dir(p.State))
				mkdir(t, filepath.Dir(p.Config))
			}
			tt.brk(t, p)
			if name == "a relative place" {
				p.State = "state"
			}
			before := snapshot(t, p)
			l, err := Open(p, Options{})
			if err == nil && tt.atEnd {
				defer l.Close()
				_, err = l.Append("intent", bodyOf(8))
			}
			if code(err) != tt.code {
				t.Errorf("%T %v, want code %s", err, err, tt.code)
			}
			if after := snapshot(t, p); tt.used && after != before {
				t.Errorf("the place was changed:\n%s\nis not\n%s", after, before)
			}
		})
	}
}

// snapshot lists a place's files with their sizes.
func snapshot(t *testing.T, p Place) string {
	var b strings.Builder
	for _, dir := range []string{p.State, p.Config} {
		filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && filepath.Base(name) != "lock" {
				info, _ := e.Info()
				b.WriteString(name + " " + info.Mode().String() + " " + info.ModTime().String() + "\n")
			}
			return nil
		})
	}
	return b.String()
}

func other(t *testing.T) Place {
	p := newPlace(t)
	l := mustOpen(t, p)
	if _, err := l.Append("intent", bodyOf(0)); err != nil {
		t.Fatal(err)
	}
	return p
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, name string)             { t.Helper(); check(t, os.Symlink(to, name)) }
func mkdir(t *testing.T, name string)                { t.Helper(); check(t, os.MkdirAll(name, 0o700)) }
func chmod(t *testing.T, name string, m os.FileMode) { t.Helper(); check(t, os.Chmod(name, m)) }
func rename(t *testing.T, from, to string)           { t.Helper(); check(t, os.Rename(from, to)) }
func fifo(t *testing.T, name string)                 { t.Helper(); check(t, unix.Mkfifo(name, 0o600)) }

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	check(t, err)
	check(t, os.WriteFile(to, b, 0o600))
}

func edit(t *testing.T, name, from, to string) {
	t.Helper()
	b, err := os.ReadFile(name)
	check(t, err)
	if !bytes.Contains(b, []byte(from)) {
		t.Fatalf("%s has no %q", name, from)
	}
	check(t, os.WriteFile(name, bytes.Replace(b, []byte(from), []byte(to), 1), 0o600))
}

// link2 moves a folder out of the state folder and leaves a link to it.
func link2(t *testing.T, name string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	rename(t, name, out)
	link(t, out, name)
}

// TestSafetyWritesStayInside: a link in the place of any file that Append writes is not followed out of the state folder.
func TestSafetyWritesStayInside(t *testing.T) {
	for _, name := range []string{"log/checkpoint.tmp", "log/blob/tmp", "seen.tmp", "log/tile/0/000.p/1.tmp", "log/tile/entries/000.p/1.tmp", "open/x"} {
		p := newPlace(t)
		l := mustOpen(t, p)
		victim := filepath.Join(t.TempDir(), "victim")
		check(t, os.WriteFile(victim, []byte("untouched"), 0o600))
		mkdir(t, filepath.Dir(filepath.Join(p.State, name)))
		link(t, victim, filepath.Join(p.State, name))
		_, err := l.Append("intent", bodyOf(3))
		if err != nil && code(err) != CodeState {
			t.Errorf("%s: %v", name, err)
		}
		l.Point("key", Sealed{0, strings.Repeat("0", 64)})
		if b, _ := os.ReadFile(victim); string(b) != "untouched" {
			t.Errorf("%s: a file outside has %q", name, b)
		}
	}
	// The state folder itself may be a link of the user's.
	p := newPlace(t)
	mkdir(t, filepath.Dir(p.State))
	link(t, t.TempDir(), p.State)
	if _, err := mustOpen(t, p).Append("intent", bodyOf(3)); err != nil {
		t.Error(err)
	}
}

// TestModes: files are for the user alone, whatever the umask is.
func TestModes(t *testing.T) {
	was := syscall.Umask(0)
	defer syscall.Umask(was)
	p := newPlace(t)
	l := mustOpen(t, p)
	for i := range 5 {
		if s, err := l.Append("intent", bodyOf(i)); err != nil || l.Point("k", s) != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{p.State, p.Config} {
		check(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			want := fs.FileMode(0o600)
			if e.IsDir() {
				want = 0o700
			}
			if err == nil && info.Mode().Perm() != want {
				t.Errorf("%s has mode %o", name, info.Mode().Perm())
			}
			return err
		}))
	}
}

// TestFirstUseTogether: many make the log at once; there is one log, and all write to it.
func TestFirstUseTogether(t *testing.T) {
	p := newPlace(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			l, err := Open(p, Options{})
			if err == nil {
				defer l.Close()
				_, err = l.Append("intent", bodyOf(3))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if rep := mustVerify(t, p, VerifyOptions{}); !rep.OK() || rep.Entries != 16 {
		t.Errorf("%+v", rep)
	}
}

// TestPublicKeyComesBack: with the log and the key there, the public key is no more than a copy.
func TestPublicKeyComesBack(t *testing.T) {
	p := other(t)
	want, _ := os.ReadFile(p.PublicKeyFile())
	check(t, os.Remove(p.PublicKeyFile()))
	mustOpen(t, p)
	if got, _ := os.ReadFile(p.PublicKeyFile()); !bytes.Equal(got, want) || len(got) == 0 {
		t.Errorf("%q is not %q", got, want)
	}
}

// TestLockIsRemoved: a process that waits for a lock file that is removed takes the new one.
func TestLockIsRemoved(t *testing.T) {
	p := newPlace(t)
	a, b := mustOpen(t, p), mustOpen(t, p)
	unlock, err := a.lock()
	check(t, err)
	f, err := b.state.openFile(lockFile, os.O_RDWR)
	check(t, err)
	check(t, os.Remove(filepath.Join(p.State, lockFile)))
	unlock()
	if err := f.Lock(); !errors.Is(err, errUnlinked) {
		t.Errorf("the removed lock is taken: %v", err)
	}
	f.Close()
	if _, err := b.Append("intent", bodyOf(0)); err != nil {
		t.Error(err)
	}
}
