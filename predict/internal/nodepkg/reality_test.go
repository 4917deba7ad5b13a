package nodepkg

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// lifecycleEvents are all the scripts that a manager could run by itself.
var lifecycleEvents = strings.Fields("preinstall install postinstall prepublish preprepare prepare postprepare predependencies dependencies postdependencies " +
	"prebuild build postbuild pretest test posttest prestart start poststart prestop stop poststop preversion version postversion prepack pack postpack " +
	"prepublishOnly publish postpublish preuninstall uninstall postuninstall pnpm:devPreinstall")

// pkg makes a package.json with a marker script for each event: it writes "name:event" to $LOG. Fields is further JSON members.
func pkg(name, fields string, events ...string) string {
	scripts := map[string]string{}
	for _, e := range events {
		scripts[e] = fmt.Sprintf("echo %s:%s >> $LOG", name, e)
	}
	text, _ := json.Marshal(scripts)
	if fields != "" {
		fields += ", "
	}
	return fmt.Sprintf(`{"name": %q, "version": "1.0.0", %s"scripts": %s}`, name, fields, text)
}

// marker is what a job's or the log's text says about itself.
var marker = regexp.MustCompile(`echo (\S+:\S+) >> \$LOG|(node-gyp rebuild)|(node server\.js)`)

// files writes a tree; a name that ends in .tgz is a package tarball whose text is its package.json, with further members below a
// line "-- NAME --".
func files(t testing.TB, dir string, tree map[string]string) {
	t.Helper()
	for name, text := range tree {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		data := []byte(text)
		if strings.HasSuffix(name, ".tgz") {
			data = tarball(t, text)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(file, data, mode); err != nil {
			t.Fatal(err)
		}
	}
}

func tarball(t testing.TB, text string) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	name := "package/package.json"
	for _, part := range strings.Split("-- "+name+" --\n"+text, "-- package/")[1:] {
		head, body, _ := strings.Cut(part, " --\n")
		if err := w.WriteHeader(&tar.Header{Name: "package/" + head, Mode: 0o644, Size: int64(len(body)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// step is one command of a scenario. It is planned first, then run; what ran must be what was planned.
type step struct {
	argv  string // words, separated by blanks; the first is the manager
	dir   string // below the project
	env   string // NAME=VALUE
	do    map[string]string
	rm    string // removed before, below the project
	fail  bool   // the manager is expected to fail
	more  bool   // the plan may hold more, and must not hold less
	loose bool   // packages run side by side: only the order within each is compared
	tell  string // a word that some unknown of the plan must hold
}

// scenario is a project and what is done with it.
type scenario struct {
	name  string
	tree  map[string]string
	steps []step
}

// manager is how a package manager is started in these tests.
type manager struct {
	argv []string // program and first arguments
	env  []string
	path string // put in front of PATH
}

// replay plans and runs every scenario.
func replay(t *testing.T, managers map[string]manager, scenarios []scenario) {
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			home, above := t.TempDir(), t.TempDir()
			above, err := filepath.EvalSymlinks(above)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(above, "project")
			files(t, above, map[string]string{"node_modules/.bin/node-gyp": fakeGyp, "project/.keep": ""})
			files(t, dir, sc.tree)
			for i, s := range sc.steps {
				if s.rm != "" {
					if err := os.RemoveAll(filepath.Join(dir, s.rm)); err != nil {
						t.Fatal(err)
					}
				}
				files(t, dir, s.do)
				s.play(t, i, managers, home, dir)
			}
		})
	}
}

func (s step) play(t *testing.T, i int, managers map[string]manager, home, dir string) {
	t.Helper()
	words := strings.Fields(s.argv)
	m := managers[words[0]]
	log := filepath.Join(home, "log")
	if err := os.WriteFile(log, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	if m.path != "" {
		path = m.path + ":" + path
	}
	env := map[string]string{"HOME": home, "PATH": path, "LOG": log, "npm_config_audit": "false", "npm_config_fund": "false",
		"npm_config_update_notifier": "false", "npm_config_cache": filepath.Join(home, "cache"), "npm_config_nodedir": "/usr",
		"npm_config_loglevel": "error", "CI": "1"}
	for _, e := range append(slices.Clone(m.env), s.env) {
		if k, v, ok := strings.Cut(e, "="); ok {
			env[k] = v
		}
	}
	req, ok := Parse(words[0], words[1:])
	if !ok {
		t.Fatalf("step %d: %s: Parse gives nothing", i, s.argv)
	}
	req.Dir, req.Home = filepath.Join(dir, s.dir), home
	req.Env = func(k string) (string, bool) { v, ok := env[k]; return v, ok }
	res := Plan(workspace.New("", workspace.Limits{}), req)
	var planned []string
	for _, j := range res.Jobs {
		if j.From.Rule == "npm/extension" {
			planned = append(planned, "extension:ran")
		}
		if m := marker.FindStringSubmatch(j.Shell); m != nil {
			planned = append(planned, m[1]+strings.ReplaceAll(m[2], " ", ":")+strings.ReplaceAll(m[3], " ", ":"))
		}
	}
	cmd := exec.Command(m.argv[0], append(slices.Clone(m.argv[1:]), words[1:]...)...)
	cmd.Dir = req.Dir
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.CombinedOutput()
	if (err != nil) != s.fail {
		t.Fatalf("step %d: %s: %v\n%s", i, s.argv, err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	ran := slices.CompactFunc(strings.Fields(string(data)), func(a, b string) bool { return a == b && a == "extension:ran" })
	// What an unknown names may have run without being planned.
	ran = slices.DeleteFunc(ran, func(r string) bool {
		name, _, _ := strings.Cut(r, ":")
		return !slices.Contains(planned, r) && slices.ContainsFunc(res.Unknowns, func(u source.Unknown) bool {
			return strings.Contains(u.Why, name) || strings.Contains(u.Why, "dependencies are not on disk") || strings.Contains(u.Why, "depend on")
		})
	})
	if s.more {
		for _, r := range ran {
			if !slices.Contains(planned, r) {
				t.Errorf("step %d: %s: %s ran and was not planned (planned %v)", i, s.argv, r, planned)
			}
		}
	} else if diff := cmp.Diff(groups(ran, s.loose), groups(planned, s.loose), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("step %d: %s: what ran (-) and what was planned (+) differ:\n%s%s", i, s.argv, diff, out)
	}
	if s.tell != "" && !slices.ContainsFunc(res.Unknowns, func(u source.Unknown) bool { return strings.Contains(u.Why, s.tell) }) {
		t.Errorf("step %d: %s: no unknown tells of %q: %v", i, s.argv, s.tell, res.Unknowns)
	}
	if s.tell == "" && len(res.Unknowns) > 0 {
		t.Errorf("step %d: %s: unexpected unknowns %v", i, s.argv, res.Unknowns)
	}
}

// groups sorts neighbours with the same event, which managers start side by side; or, when loose, by package.
func groups(list []string, loose bool) []string {
	event := func(s string) string { return s[strings.Index(s, ":")+1:] }
	out := slices.Clone(list)
	if loose {
		name := func(s string) string { return s[:strings.Index(s, ":")] }
		slices.SortStableFunc(out, func(a, b string) int { return strings.Compare(name(a), name(b)) })
		return out
	}
	for i := 0; i < len(out); {
		j := i
		for j < len(out) && event(out[j]) == event(out[i]) {
			j++
		}
		slices.Sort(out[i:j])
		i = j
	}
	return out
}
