package cargo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

const maxManifestBytes = 256 << 10

// manifest is a Cargo.toml as far as it matters (The Cargo Book, "The Manifest Format").
type manifest struct {
	Package *struct {
		Name       string `toml:"name"`
		Version    any    `toml:"version"`
		Build      any    `toml:"build"`
		Links      string `toml:"links"`
		Workspace  string `toml:"workspace"`
		Autobins   *bool  `toml:"autobins"`
		DefaultRun string `toml:"default-run"`
		Metabuild  any    `toml:"metabuild"`
	} `toml:"package"`
	Lib       *unit            `toml:"lib"`
	Bin       []unit           `toml:"bin"`
	Example   []unit           `toml:"example"`
	Test      []unit           `toml:"test"`
	Bench     []unit           `toml:"bench"`
	Deps      map[string]any   `toml:"dependencies"`
	DevDeps   map[string]any   `toml:"dev-dependencies"`
	BuildDeps map[string]any   `toml:"build-dependencies"`
	DevOld    map[string]any   `toml:"dev_dependencies"`
	BuildOld  map[string]any   `toml:"build_dependencies"`
	Targets   map[string]table `toml:"target"`
	Workspace *struct {
		Members        []string       `toml:"members"`
		DefaultMembers []string       `toml:"default-members"`
		Exclude        []string       `toml:"exclude"`
		Deps           map[string]any `toml:"dependencies"`
	} `toml:"workspace"`
	Patch   map[string]map[string]any `toml:"patch"`
	Replace map[string]any            `toml:"replace"`

	dir  string
	file *workspace.File
}

type unit struct {
	Name      string `toml:"name"`
	Path      string `toml:"path"`
	ProcMacro bool   `toml:"proc-macro"`
	ProcOld   bool   `toml:"proc_macro"`
}

type table struct {
	Deps      map[string]any `toml:"dependencies"`
	DevDeps   map[string]any `toml:"dev-dependencies"`
	BuildDeps map[string]any `toml:"build-dependencies"`
}

func (m *manifest) name() string {
	if m.Package == nil {
		return ""
	}
	return m.Package.Name
}

func (m *manifest) procMacro() bool { return m.Lib != nil && (m.Lib.ProcMacro || m.Lib.ProcOld) }

// at is where a key of the manifest stands, found by its text; line 1 where it is not found.
func (m *manifest) at(key, rule string) effect.Source {
	return effect.Source{File: m.file.Path, Line: lineOf(m.file.Data, key), SHA256: m.file.SHA256, Rule: rule}
}

// lineOf finds the first line that starts with a key, or the header of its table; TOML decoding does not say where values
// stand.
func lineOf(data []byte, key string) int {
	for i, line := range bytes.Split(data, []byte{'\n'}) {
		line = bytes.TrimLeft(line, " \t[\"")
		if rest, ok := bytes.CutPrefix(line, []byte(key)); ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t=.]\"\r"), rest[0]) >= 0) {
			return i + 1
		}
		if line, ok := bytes.CutSuffix(bytes.TrimRight(line, " \t\r"), []byte("."+key+"]")); ok && len(line) > 0 {
			return i + 1
		}
	}
	return 1
}

// manifest reads the Cargo.toml of a folder once. It is nil where there is none; one that cannot be read is an unknown.
func (p *planner) manifest(dir string) *manifest {
	if m, ok := p.manifests[dir]; ok {
		return m
	}
	p.manifests[dir] = nil
	name := path.Join(dir, "Cargo.toml")
	f, err := p.fs.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	m := &manifest{dir: dir, file: f}
	if err == nil {
		err = decode(f.Data, m)
	}
	if err != nil {
		p.unknown(effect.Source{File: name, Rule: "cargo/manifest"}, "the manifest cannot be read: "+err.Error(), anything()...)
		return nil
	}
	p.manifests[dir] = m
	return m
}

var errTooLarge = errors.New("it is larger than is read")

func decode(data []byte, v any) error {
	if len(data) > maxManifestBytes || tooDeep(data) {
		return errTooLarge
	}
	err := toml.Unmarshal(data, v)
	if d, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := d.Position()
		return fmt.Errorf("line %d: %s", line, d.Error())
	}
	return err
}

// tooDeep counts brackets that are open at one time, and dots in a row of keys.
func tooDeep(data []byte) bool {
	depth := 0
	for _, c := range data {
		switch c {
		case '[', '{':
			if depth++; depth > 200 {
				return true
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return false
}

// find looks for the manifest in dir and the folders above.
func (p *planner) find(dir string) *manifest {
	for {
		if p.fs.Exists(path.Join(dir, "Cargo.toml")) {
			return p.manifest(dir)
		}
		if dir == "/" || dir == "." {
			return nil
		}
		dir = path.Dir(dir)
	}
}

// rootOf finds the workspace that a package belongs to; the package itself where there is none.
func (p *planner) rootOf(m *manifest) *manifest {
	if m.Workspace != nil {
		return m
	}
	if m.Package != nil && m.Package.Workspace != "" {
		if w := p.manifest(workspace.Join(m.dir, m.Package.Workspace)); w != nil {
			return w
		}
	}
	for dir := path.Dir(m.dir); ; dir = path.Dir(dir) {
		if p.fs.Exists(path.Join(dir, "Cargo.toml")) {
			if w := p.manifest(dir); w != nil && w.Workspace != nil {
				for _, x := range w.Workspace.Exclude {
					if workspace.Within(m.dir, workspace.Join(dir, x)) {
						return m
					}
				}
				return w
			}
		}
		if dir == "/" || dir == "." {
			return m
		}
	}
}

// members lists the packages of a workspace: those that it names, with wildcards, and path dependencies inside it.
func (p *planner) members(root *manifest, names []string) []*manifest {
	var out []*manifest
	add := func(m *manifest) {
		if m != nil && m.Package != nil && !slices.Contains(out, m) && len(out) < 500 {
			out = append(out, m)
		}
	}
	for _, n := range names {
		if !strings.ContainsAny(n, "*?[") {
			add(p.manifest(workspace.Join(root.dir, n)))
			continue
		}
		dirs := []string{root.dir}
		for _, seg := range strings.Split(path.Clean(n), "/") {
			var next []string
			for _, d := range dirs {
				if !strings.ContainsAny(seg, "*?[") {
					next = append(next, path.Join(d, seg))
					continue
				}
				list, err := p.fs.Names(d)
				if err != nil && p.fs.IsDir(d) {
					p.unknown(root.at("members", "cargo/workspace"), "a folder of the workspace cannot be listed: "+err.Error(), anything()...)
				}
				for _, name := range list {
					if ok, err := path.Match(seg, name); err == nil && ok && len(next) < 1000 {
						next = append(next, path.Join(d, name))
					}
				}
			}
			dirs = next
		}
		for _, d := range dirs {
			if p.fs.IsFile(path.Join(d, "Cargo.toml")) {
				add(p.manifest(d))
			}
		}
	}
	return out
}

// dependency is one entry of a dependency table.
type dependency struct {
	name     string // of the package
	key      string // as the code calls it
	path     string // absolute folder; empty: not a path dependency
	git      string
	registry string
}

// dependencies reads a table; entries that inherit from the workspace are looked up there.
func (p *planner) dependencies(m *manifest, tables ...map[string]any) []dependency {
	var out []dependency
	root := p.rootOf(m)
	for _, t := range tables {
		keys := make([]string, 0, len(t))
		for k := range t {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			v, dir := t[k], m.dir
			if get(v, "workspace") == true && root.Workspace != nil {
				v, dir = root.Workspace.Deps[k], root.dir
			}
			d := dependency{name: k, key: strings.ReplaceAll(k, "-", "_")}
			if s, ok := get(v, "package").(string); ok {
				d.name = s
			}
			if s, ok := get(v, "path").(string); ok {
				d.path = workspace.Join(dir, s)
			}
			d.git, _ = get(v, "git").(string)
			d.registry, _ = get(v, "registry").(string)
			out = append(out, d)
		}
	}
	return out
}

func get(v any, key string) any {
	m, _ := v.(map[string]any)
	return m[key]
}

// normal, build and dev dependencies, with those of targets that may be this machine.
func (m *manifest) tables(build, dev bool) []map[string]any {
	out := []map[string]any{m.Deps}
	if build {
		out = append(out, m.BuildDeps, m.BuildOld)
	}
	if dev {
		out = append(out, m.DevDeps, m.DevOld)
	}
	for _, x := range sortedKeys(m.Targets) {
		t := m.Targets[x]
		if !targetApplies(x) {
			continue
		}
		out = append(out, t.Deps)
		if build {
			out = append(out, t.BuildDeps)
		}
		if dev {
			out = append(out, t.DevDeps)
		}
	}
	return out
}

// locked is one package of Cargo.lock.
type locked struct {
	name, version, source string
	deps                  []string // "name" or "name version" or "name version (source)"
	line                  int
}

// readLock reads Cargo.lock, which cargo writes in one form: a table per package, a line per value. Text that is not in
// that form is an error.
func readLock(data []byte) ([]locked, error) {
	var out []locked
	inDeps, inPackage := false, false
	for n := 1; len(data) > 0; n++ {
		raw, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		line := strings.TrimSpace(string(raw))
		switch {
		case line == "" || line[0] == '#':
		case inDeps:
			if line == "]" {
				inDeps = false
				break
			}
			out[len(out)-1].deps = append(out[len(out)-1].deps, strings.Trim(line, `",`))
		case line == "[[package]]":
			if len(out) == 20_000 {
				return nil, errTooLarge
			}
			out = append(out, locked{line: n})
			inPackage = true
		case line[0] == '[':
			inPackage = false
		case inPackage:
			k, v, ok := strings.Cut(line, " = ")
			if !ok {
				return nil, fmt.Errorf("line %d is not in the form that cargo writes", n)
			}
			l := &out[len(out)-1]
			switch k {
			case "name":
				l.name = strings.Trim(v, `"`)
			case "version":
				l.version = strings.Trim(v, `"`)
			case "source":
				l.source = strings.Trim(v, `"`)
			case "dependencies":
				if inDeps = v == "["; !inDeps {
					for _, d := range strings.Split(strings.Trim(v, "[]"), ",") {
						if d = strings.Trim(d, `" `); d != "" {
							l.deps = append(l.deps, d)
						}
					}
				}
			}
		}
	}
	return out, nil
}
