package bench

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed all:testdata/effects all:testdata/holdout
var corpus embed.FS

// Corpora are the names of the corpora: the one that the predictor is developed against, and one that was labelled apart from it.
func Corpora() []string { return []string{"effects", "holdout"} }

// Classes are the six effect classes, sorted.
func Classes() []string {
	return []string{"container", "environment", "file", "mcp", "network", "process"}
}

// Case is one command in one workspace together with what its traced runs did.
type Case struct {
	ID      string `json:"id"`
	Source  string `json:"source"`            // what the case is drawn from, such as the package: the unit of the bootstrap
	Package string `json:"package,omitempty"` // for a registry package: its name and pinned version
	Version string `json:"version,omitempty"`
	Manager string `json:"manager,omitempty"`

	Files map[string]string `json:"files,omitempty"` // workspace files in place of a fixture folder
	Setup []string          `json:"setup,omitempty"` // shell text that makes the workspace ready; run before, never judged
	Serve string            `json:"serve,omitempty"` // shell text of a server outside the run, and the loopback port it opens
	Port  int               `json:"port,omitempty"`
	Env   map[string]string `json:"env,omitempty"` // variables of the agent's own environment

	Command string          `json:"command,omitempty"` // shell text, or
	Tool    string          `json:"tool,omitempty"`    // mcp__SERVER__TOOL with
	Input   json.RawMessage `json:"input,omitempty"`   // its arguments
	Hook    *Hook           `json:"hook,omitempty"`

	Seconds int    `json:"seconds,omitempty"` // time limit of one run; 0 is 60
	Quick   bool   `json:"quick,omitempty"`   // needs no registry and little time: traced again by the tests
	Truth   *Truth `json:"truth,omitempty"`
	// Reviewed adds what no instrument sees, such as a variable that a shell script reads by name: class and reason.
	Reviewed map[string]string `json:"reviewed,omitempty"`
	Notes    string            `json:"notes,omitempty"`

	folder  string // of the fixture, within the corpora; empty for a recipe
	recipes string // folder of the recipe's file, within the corpora; empty for a fixture
}

// Hook names a lifecycle script that is judged on its own.
type Hook struct {
	Package string `json:"package"`
	Event   string `json:"event,omitempty"` // empty: preinstall, install and postinstall together
}

// Label returns the classes of the whole command: what was traced and what was reviewed.
func (c Case) Label() []string {
	if c.Truth == nil {
		return nil
	}
	out := slices.Clone(c.Truth.Classes)
	for class := range c.Reviewed {
		if !slices.Contains(out, class) {
			out = append(out, class)
		}
	}
	slices.Sort(out)
	return out
}

// Load returns every case of the development corpus, by identity. It fails when one is not well formed.
func Load() ([]Case, error) { return LoadCorpus("effects") }

// LoadCorpus returns every case of one of the Corpora, by identity. It fails when one is not well formed.
func LoadCorpus(name string) ([]Case, error) {
	if !slices.Contains(Corpora(), name) {
		return nil, fmt.Errorf("no corpus %q: choose one of %s", name, strings.Join(Corpora(), ", "))
	}
	root := "testdata/" + name
	var cases []Case
	recipes, err := fs.Glob(corpus, root+"/*.json")
	if err != nil {
		return nil, err
	}
	for _, name := range recipes {
		var list []Case
		if err := decode(name, &list); err != nil {
			return nil, err
		}
		for _, c := range list {
			c.recipes = root
			cases = append(cases, c)
		}
	}
	fixtures, err := fs.Glob(corpus, root+"/workflows/*/case.json")
	if err != nil {
		return nil, err
	}
	for _, name := range fixtures {
		var list []Case
		if err := decode(name, &list); err != nil {
			return nil, err
		}
		for _, c := range list {
			c.folder = path.Dir(name)
			cases = append(cases, c)
		}
	}
	slices.SortFunc(cases, func(a, b Case) int { return strings.Compare(a.ID, b.ID) })
	var errs []error
	for i, c := range cases {
		errs = append(errs, c.check())
		if i > 0 && cases[i-1].ID == c.ID {
			errs = append(errs, fmt.Errorf("case %s: two cases have this identity", c.ID))
		}
	}
	return cases, errors.Join(errs...)
}

func decode(name string, v any) error {
	f, err := corpus.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (c Case) check() error {
	bad := func(format string, a ...any) error {
		return fmt.Errorf("case %q: %s", c.ID, fmt.Sprintf(format, a...))
	}
	switch {
	case c.ID == "" || c.Source == "":
		return bad("id and source are needed")
	case (c.Command == "") == (c.Tool == ""):
		return bad("one of command and tool is needed")
	case c.Tool != "" && !strings.HasPrefix(c.Tool, "mcp__"):
		return bad("tool %q is not of the form mcp__SERVER__TOOL", c.Tool)
	case c.Serve != "" && c.Port == 0:
		return bad("serve needs a port")
	case c.folder != "" && len(c.Files) > 0:
		return bad("a fixture folder and files exclude each other")
	}
	lists := [][]string{}
	if c.Truth != nil {
		lists = append(lists, c.Truth.Classes, c.Truth.Unstable, c.Truth.Hook, c.Truth.HookUnstable)
	}
	for class := range c.Reviewed {
		lists = append(lists, []string{class})
	}
	for _, l := range lists {
		for _, class := range l {
			if !slices.Contains(Classes(), class) {
				return bad("unknown class %q", class)
			}
		}
		if !slices.IsSorted(l) {
			return bad("classes %v are not sorted", l)
		}
	}
	return nil
}

// digest identifies everything that Prepare's result depends on.
func (c Case) digest() (string, error) {
	h := sha256.New()
	enc := json.NewEncoder(h)
	if err := enc.Encode([]any{3, c.Files, c.Setup, c.Manager}); err != nil {
		return "", err
	}
	if c.folder != "" {
		err := fs.WalkDir(corpus, c.folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Base(name) == "case.json" {
				return err
			}
			b, err := corpus.ReadFile(name)
			fmt.Fprintf(h, "%s %d\n%s", name, len(b), b)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:20], nil
}

// materialise writes the case's own files into dir. In a fixture "dot-env" stands for a name that begins with a dot and
// that a repository would not keep, "go.mod.fixture" for one that would make the folder a module of its own, and a file
// that begins with "#!" is executable.
func (c Case) materialise(dir string) error {
	write := func(name string, b []byte) error {
		parts := strings.Split(name, "/")
		for i, p := range parts {
			if rest, ok := strings.CutPrefix(p, "dot-"); ok {
				parts[i] = "." + rest
			}
		}
		file := strings.TrimSuffix(filepath.Join(dir, filepath.Join(parts...)), ".fixture")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(string(b), "#!") {
			mode = 0o755
		}
		return os.WriteFile(file, b, mode)
	}
	for name, text := range c.Files {
		if err := write(name, []byte(text)); err != nil {
			return err
		}
	}
	if c.folder == "" {
		return nil
	}
	return fs.WalkDir(corpus, c.folder, func(name string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(name, c.folder+"/")
		if err != nil || d.IsDir() || rel == "case.json" {
			return err
		}
		b, err := corpus.ReadFile(name)
		if err != nil {
			return err
		}
		return write(rel, b)
	})
}
