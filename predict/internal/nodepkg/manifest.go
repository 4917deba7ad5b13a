package nodepkg

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// script is one entry of "scripts".
type script struct {
	text string
	line int
	bad  bool // not a string
}

// manifest is what is used of one package.json.
type manifest struct {
	dir  string // folder it was asked for, links not resolved
	file *workspace.File

	name, version  string
	private        bool
	scripts        map[string]script
	order          []string // names of scripts as they stand
	noGyp          bool     // "gypfile": false
	bin            map[string]string
	binDir         string
	deps           [depKinds]map[string]string
	optionalPeers  []string
	bundled        []string
	workspaces     []string
	workspacesBad  bool
	packageManager string
	allow          []allowance // npm: allowScripts
	trusted        []string    // bun: trustedDependencies
	hasTrusted     bool
	built          map[string]bool // Yarn: dependenciesMeta.X.built, by descriptor as written
	pnpm           pnpmSettings
	env            map[string]string // npm_package_ variables
	os, cpu, libc  []string
	shape          string // why the file is not a package, empty when it is one
}

// The kinds of dependencies, in the order in which a name that is in several counts (optional wins, npm help package.json).
const (
	prodDeps = iota
	devDeps
	optionalDeps
	peerDeps
	depKinds
)

// allowance is one entry of an allow list: a package, and whether its scripts may run.
type allowance struct {
	key  string
	ok   bool
	line int
}

// Scripts gives the scripts of a package.json and the 1-based line on which each stands. Of repeated keys the last one
// counts, as it does for JSON.parse. Entries that are not strings are left out. Malformed JSON is an error; text that is not
// an object has no scripts.
func Scripts(packageJSON []byte) (text map[string]string, lines map[string]int, err error) {
	m := &manifest{}
	if err := m.parse(packageJSON, false); err != nil {
		return nil, nil, err
	}
	text, lines = make(map[string]string, len(m.scripts)), make(map[string]int, len(m.scripts))
	for name, s := range m.scripts {
		if !s.bad {
			text[name], lines[name] = s.text, s.line
		}
	}
	return text, lines, nil
}

// parse reads package.json. A field of the wrong type is as if it were not there, which is how npm's normalisation treats
// them (@npmcli/package-json, lib/normalize.js).
func (m *manifest) parse(data []byte, loose bool) error {
	r := newReader(data)
	r.loose = loose
	if r.peek() != '{' {
		m.shape = "it is not an object"
		r.skip()
		return r.end()
	}
	r.object(func(key []byte, pos int) { m.field(r, string(key)) })
	return r.end()
}

func (m *manifest) field(r *reader, key string) {
	switch key {
	case "name":
		m.name = r.text()
		m.setEnv("name", m.name)
	case "version":
		m.version = r.text()
		m.setEnv("version", m.version)
	case "private":
		m.private = r.truthy()
	case "scripts":
		m.readScripts(r)
	case "gypfile":
		v, ok := r.boolean()
		m.noGyp = ok && !v
	case "bin":
		m.readBin(r)
	case "directories":
		r.object(func(k []byte, _ int) {
			if string(k) == "bin" {
				m.binDir = r.text()
			}
		})
	case "dependencies":
		m.deps[prodDeps] = r.texts()
	case "devDependencies":
		m.deps[devDeps] = r.texts()
	case "optionalDependencies":
		m.deps[optionalDeps] = r.texts()
	case "peerDependencies":
		m.deps[peerDeps] = r.texts()
	case "peerDependenciesMeta":
		r.object(func(k []byte, _ int) {
			name := string(k)
			r.object(func(k []byte, _ int) {
				if string(k) == "optional" && r.truthy() {
					m.optionalPeers = append(m.optionalPeers, name)
				}
			})
		})
	case "bundleDependencies", "bundledDependencies":
		m.bundled = append(m.bundled, r.strings()...)
	case "workspaces":
		m.readWorkspaces(r)
	case "packageManager":
		m.packageManager = r.text()
	case "allowScripts":
		m.allow = r.allowances()
	case "trustedDependencies":
		m.hasTrusted = true
		m.trusted = r.strings()
	case "dependenciesMeta":
		m.built = map[string]bool{}
		r.object(func(k []byte, _ int) {
			name := string(k)
			r.object(func(k []byte, _ int) {
				if v, ok := r.boolean(); ok && string(k) == "built" {
					m.built[name] = v
				}
			})
		})
	case "pnpm":
		m.pnpm = pnpmSettings{}
		r.object(func(k []byte, _ int) { m.pnpm.field(r, string(k)) })
	case "config", "engines":
		m.envTree(r, key)
	case "os":
		m.os = r.strings()
	case "cpu":
		m.cpu = r.strings()
	case "libc":
		m.libc = r.strings()
	}
}

func (m *manifest) readScripts(r *reader) {
	m.scripts, m.order = map[string]script{}, nil
	r.object(func(k []byte, pos int) {
		name := string(k)
		text, ok := r.str()
		if _, again := m.scripts[name]; !again {
			m.order = append(m.order, name)
		}
		m.scripts[name] = script{text, line(r.data, pos), !ok}
	})
}

func (m *manifest) readBin(r *reader) {
	m.bin = map[string]string{}
	if r.peek() == '"' {
		m.bin[""] = r.text() // the name is the package's own, which may come later
		return
	}
	r.object(func(k []byte, _ int) {
		if s, ok := r.str(); ok {
			m.bin[string(k)] = s
		}
	})
}

// bins are the commands that the package has, by name, as paths below its folder.
func (m *manifest) bins() map[string]string {
	if file, ok := m.bin[""]; ok {
		return map[string]string{m.name[strings.LastIndexByte(m.name, '/')+1:]: file}
	}
	return m.bin
}

func (m *manifest) readWorkspaces(r *reader) {
	m.workspaces = nil
	switch r.peek() {
	case '[':
		m.workspaces = r.strings()
	case '{':
		r.object(func(k []byte, _ int) {
			if string(k) == "packages" {
				m.workspaces = r.strings()
			}
		})
	default:
		m.workspacesBad = string(r.raw()) != "null"
	}
}

// texts reads an object's strings.
func (r *reader) texts() map[string]string {
	m := map[string]string{}
	r.object(func(k []byte, _ int) {
		if s, ok := r.str(); ok {
			m[string(k)] = s
		}
	})
	return m
}

// allowances reads an object of booleans.
func (r *reader) allowances() []allowance {
	var list []allowance
	r.object(func(k []byte, pos int) {
		if v, ok := r.boolean(); ok {
			list = append(list, allowance{string(k), v, line(r.data, pos)})
		}
	})
	return list
}

func (m *manifest) setEnv(key, value string) {
	if m.env == nil {
		m.env = map[string]string{}
	}
	m.env["npm_package_"+key] = value
}

// envTree flattens an object into npm_package_ variables (@npmcli/run-script, lib/package-envs.js; npm/rfcs 183).
func (m *manifest) envTree(r *reader, prefix string) {
	switch r.peek() {
	case '{':
		r.object(func(k []byte, _ int) { m.envTree(r, prefix+"_"+string(k)) })
	case '"':
		m.setEnv(prefix, r.text())
	case '[':
		r.skip()
	default:
		if raw := string(r.raw()); raw == "null" || raw == "false" {
			m.setEnv(prefix, "")
		} else {
			m.setEnv(prefix, raw)
		}
	}
}

// id is name@version, for people.
func (m *manifest) id() string {
	switch {
	case m.name == "":
		return "the package in " + m.dir
	case m.version == "":
		return m.name
	}
	return m.name + "@" + m.version
}

// script gives the text of a script that npm would run. A leading node_modules/.bin is not cut (npm does that only when it
// publishes).
func (m *manifest) script(name string) (script, bool) {
	s, ok := m.scripts[name]
	return s, ok && !s.bad && s.text != ""
}

// fetches tells whether a package has dependencies that are not folders of the workspace.
func (m *manifest) fetches() bool {
	for _, deps := range m.deps[:peerDeps] {
		for name, value := range deps {
			if s := parseValue(name, value); s.kind != workspaceSpec {
				return true
			}
		}
	}
	return false
}
