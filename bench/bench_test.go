package bench

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/bench/trace"
)

func TestCorpus(t *testing.T) {
	for name, least := range map[string]struct{ packages, workflows int }{"effects": {28, 18}, "holdout": {15, 12}} {
		t.Run(name, func(t *testing.T) { corpusIsWhole(t, name, least.packages, least.workflows) })
	}
	if _, err := LoadCorpus("other"); err == nil {
		t.Error("a corpus that is not there was loaded")
	}
}

func corpusIsWhole(t *testing.T, name string, leastPackages, leastWorkflows int) {
	cases, err := LoadCorpus(name)
	if err != nil {
		t.Fatal(err)
	}
	packages, workflows := map[string]bool{}, map[string]bool{}
	for _, c := range cases {
		if c.folder != "" {
			workflows[c.Source] = true
		} else if c.Package != "" {
			packages[c.Package] = true
		}
		if c.Tool != "" && c.Truth != nil && !slices.Contains(c.Label(), "mcp") {
			t.Errorf("%s calls a tool and its label has no mcp", c.ID)
		}
		if c.Tool == "" && c.Truth != nil && !slices.Contains(c.Label(), "process") {
			t.Errorf("%s is a shell command and its label has no process", c.ID)
		}
		if c.Truth == nil {
			t.Errorf("%s has no label: go run ./bench/cmd/truth -corpus %s -case %s -write", c.ID, name, c.ID)
		}
		for class, why := range c.Reviewed {
			if why == "" {
				t.Errorf("%s: %s is added by review without a reason", c.ID, class)
			}
		}
	}
	if len(packages) < leastPackages || len(workflows) < leastWorkflows {
		t.Errorf("%d packages and %d workflows, want %d and %d", len(packages), len(workflows), leastPackages, leastWorkflows)
	}
}

func TestCheckRefuses(t *testing.T) {
	good := Case{ID: "a", Source: "a", Command: "true"}
	if err := good.check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Case){
		"no id":                 func(c *Case) { c.ID = "" },
		"neither":               func(c *Case) { c.Command = "" },
		"both":                  func(c *Case) { c.Tool = "mcp__a__b" },
		"tool of another form":  func(c *Case) { c.Command, c.Tool = "", "Write" },
		"server without a port": func(c *Case) { c.Serve = "node x" },
		"unknown class":         func(c *Case) { c.Truth = &Truth{Classes: []string{"disk"}} },
		"unsorted classes":      func(c *Case) { c.Truth = &Truth{Classes: []string{"process", "file"}} },
		"reviewed class":        func(c *Case) { c.Reviewed = map[string]string{"disk": "x"} },
	} {
		c := good
		if change(&c); c.check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestPrepare(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	c := Case{ID: "x", Source: "x", Command: "true", Setup: []string{"echo made > made.txt"},
		Files: map[string]string{"dot-env": "K=1\n", "go.mod.fixture": "module x\n", "run/a.sh": "#!/bin/sh\n"}}
	for range 2 { // the second is a copy of what was kept
		dir := t.TempDir()
		if err := Prepare(c, dir); err != nil {
			t.Fatal(err)
		}
		var got []string
		filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(dir, p)
				got = append(got, rel)
			}
			return err
		})
		if want := []string{".env", "go.mod", "made.txt", "run/a.sh"}; !slices.Equal(got, want) {
			t.Errorf("files %v, want %v", got, want)
		}
		if st, err := os.Stat(filepath.Join(dir, "run/a.sh")); err != nil || st.Mode()&0o111 == 0 {
			t.Errorf("the script is not executable: %v", err)
		}
	}
	c.Setup = []string{"exit 3"}
	if err := Prepare(c, t.TempDir()); err == nil || !strings.Contains(err.Error(), "exit 3") {
		t.Errorf("a failing setup: %v", err)
	}
}

// The truth of the quick cases is taken again: what is committed is what happens. One run each, without a network:
// attempts count.
func TestReplayQuickCases(t *testing.T) {
	for _, tool := range []string{"strace", "unshare", "ip", "node", "npm", "git", "make", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%s is not installed, without which no run can be traced: apt-get install strace util-linux iproute2 nodejs npm git make curl", tool)
		}
	}
	cases, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		if !c.Quick || c.Truth == nil {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			now, err := Trace(context.Background(), c, []trace.World{trace.None}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := Difference(c.Truth, now); d != "" {
				t.Error(d)
			}
		})
	}
	if ran < 5 {
		t.Errorf("only %d quick cases are labelled", ran)
	}
}
