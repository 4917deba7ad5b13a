package repo

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

func TestModuleHasNoReplace(t *testing.T) {
	root, _ := files(t)
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(mod.Replace)+len(mod.Exclude)+len(mod.Retract) > 0 {
		t.Error("go.mod replaces, excludes or retracts: `go install` of the module would refuse it or take other code")
	}
	if mod.Module.Mod.Path != "github.com/ambit-dev/ambit" {
		t.Errorf("module is %s", mod.Module.Mod.Path)
	}
}

// words that must not be in any file. They are put together here from halves so that this file does not have them.
func forbiddenWords() []struct{ word, why string } {
	const (
		registry = "the host of a package registry's default: name the package manager (host:@npm)"
		place    = "the place where the code was written: users do not have it"
	)
	return []struct{ word, why string }{
		{"registry.npm" + "js.org", registry},
		{"registry.yarn" + "pkg.com", registry},
		{"proxy.go" + "lang.org", registry},
		{"sum.go" + "lang.org", registry},
		{"deb.deb" + "ian.org", registry},
		{"security.deb" + "ian.org", registry},
		{"py" + "pi.org", registry},
		{"files.python" + "hosted.org", registry},
		{"index.cra" + "tes.io", registry},
		{"static.cra" + "tes.io", registry},
		{"ruby" + "gems.org", registry},
		{"repo.maven.apa" + "che.org", registry},
		{"repo1.ma" + "ven.org", registry},
		{"/work/ma" + "in", place},
		{"/work/sha" + "red", place},
		{"/work/.lib" + "rary", place},
		{"/tmp/" + "wt/", place},
		{"../sha" + "red", place},
		{"shared/" + "design", place},
		{"shared/" + "formats", place},
		{"shared/" + "reference", place},
		{"shared/" + "style", place},
		{"shared/" + "data", place},
		{"farm-" + "bench", place},
		{"farm-" + "studio", place},
		{"bash_" + "jobs", place},
	}
}

func TestNoForbiddenWords(t *testing.T) {
	root, names := files(t)
	words := forbiddenWords()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		low := bytes.ToLower(data)
		for _, w := range words {
			if i := bytes.Index(low, []byte(w.word)); i >= 0 {
				t.Errorf("%s:%d has %q: %s", name, 1+bytes.Count(low[:i], []byte("\n")), w.word, w.why)
			}
		}
	}
}

// One large file makes every clone slow for ever.
func TestNoLargeFiles(t *testing.T) {
	const limit = 2 << 20
	root, names := files(t)
	for _, name := range names {
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > limit {
			t.Errorf("%s has %d bytes, the cap is %d: generate it in the test", name, info.Size(), limit)
		}
	}
}

// The links between pages lead somewhere.
func TestLinksInPages(t *testing.T) {
	root, names := files(t)
	for _, name := range names {
		if !strings.HasSuffix(name, ".md") || strings.Contains(name, "testdata/") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq(string(data), "](") {
			target, _, ok := strings.Cut(part, ")")
			target, _, _ = strings.Cut(target, "#")
			if !ok || target == "" || strings.ContainsAny(target, " \n:") || !strings.HasSuffix(target, ".md") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), target)); err != nil {
				t.Errorf("%s links to %s: %v", name, target, err)
			}
		}
	}
}

// A fuzz target without a committed seed is only run by whoever starts the fuzzer.
func TestFuzzTargetsHaveSeeds(t *testing.T) {
	for _, s := range sources(t) {
		if !s.test {
			continue
		}
		for name, added := range fuzzTargets(s) {
			entries, err := os.ReadDir(filepath.Join(s.pkg.Dir, "testdata", "fuzz", name))
			if !added && (err != nil || len(entries) == 0) {
				t.Errorf("%s: %s has no seed: commit one in testdata/fuzz/%s, or give it to f.Add", s.path, name, name)
			}
		}
	}
}
