package registry

import (
	"cmp"
	"path"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/npmrc"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Host is one place that a manager fetches from: its name, as "@go", or an address, and where that was read.
type Host struct {
	Name string
	From effect.Source
}

// Place is where and for whom a manager is started.
type Place struct {
	Dir, Home string // absolute
	Env       func(string) (string, bool)
}

// Hosts says which hosts a manager talks to by its configuration: "npm", "pypi", "go", "crates", "debian". Any other manager,
// and one that is not configured, is its own name.
func Hosts(w *workspace.FS, manager string, p Place) []Host {
	var found []Host
	switch manager {
	case "npm":
		name, from := NPM(npmrc.Load(w, npmrc.Options{Env: p.Env, Home: p.Home, Project: p.Dir, Install: npmrc.Find(w, p.Env)}), "")
		return []Host{{name, from}}
	case "pypi":
		found = pypi(w, p)
	case "go":
		found = goproxy(w, p)
	case "crates":
		found = crates(w, p)
	case "debian":
		found = debian(w)
	}
	if len(found) == 0 {
		return []Host{{Name: "@" + manager}}
	}
	return found
}

func source(f *workspace.File, line int) effect.Source {
	return effect.Source{File: f.Path, Line: line, SHA256: f.SHA256}
}

// pypi reads pip's and uv's index: the variables, then pip.conf of the environment, of the user and of the system (pip's
// Configuration, Precedence).
func pypi(w *workspace.FS, p Place) (found []Host) {
	for _, name := range []string{"PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"} {
		if v, ok := p.Env(name); ok && v != "" {
			found = append(found, Host{Name: Named("pypi", v)})
		}
	}
	var files []string
	if v, ok := p.Env("PIP_CONFIG_FILE"); ok && v != "" {
		files = append(files, v)
	}
	if v, ok := p.Env("VIRTUAL_ENV"); ok && v != "" {
		files = append(files, path.Join(v, "pip.conf"))
	}
	config, _ := p.Env("XDG_CONFIG_HOME")
	files = append(files, path.Join(cmp.Or(config, p.Home+"/.config"), "pip/pip.conf"), p.Home+"/.pip/pip.conf", "/etc/pip.conf")
	seen := map[string]bool{}
	for _, name := range files {
		f, err := w.Read(workspace.Join(p.Dir, name))
		if err != nil {
			continue
		}
		n := 0
		for l := range strings.Lines(string(f.Data)) {
			n++
			key, value, ok := strings.Cut(strings.TrimSpace(l), "=")
			key = strings.ReplaceAll(strings.TrimSpace(key), "_", "-")
			if !ok || key != "index-url" && key != "extra-index-url" || key == "index-url" && (seen[key] || len(found) > 0) {
				continue
			}
			seen[key] = true
			for _, u := range strings.Fields(value) {
				found = append(found, Host{Named("pypi", u), source(f, n)})
			}
		}
	}
	return found
}

// goproxy reads GOPROXY: the variable, the user's go/env file, go.env of the toolchain ("go help environment").
func goproxy(w *workspace.FS, p Place) []Host {
	if v, ok := p.Env("GOPROXY"); ok && v != "" {
		return proxies(v, effect.Source{})
	}
	config, _ := p.Env("XDG_CONFIG_HOME")
	root, _ := p.Env("GOROOT")
	files := []string{path.Join(cmp.Or(config, p.Home+"/.config"), "go/env"), path.Join(cmp.Or(root, "/usr/local/go"), "go.env")}
	if v, ok := p.Env("GOENV"); ok && v != "" {
		files[0] = v
	}
	for _, name := range files {
		f, err := w.Read(workspace.Join(p.Dir, name))
		if err != nil {
			continue
		}
		n := 0
		for l := range strings.Lines(string(f.Data)) {
			n++
			if v, ok := strings.CutPrefix(strings.TrimSpace(l), "GOPROXY="); ok && v != "" {
				return proxies(v, source(f, n))
			}
		}
	}
	return nil
}

func proxies(list string, from effect.Source) (found []Host) {
	for _, u := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == '|' }) {
		switch u {
		case "off":
			return found
		case "direct":
			if len(found) == 0 { // each module from where it stands
				found = append(found, Host{"*", from})
			}
		default:
			found = append(found, Host{Named("go", u), from})
		}
	}
	return found
}

// crates reads the replacement of crates.io in cargo's configuration, from the folder upwards, then of the user (The Cargo Book,
// Source Replacement).
func crates(w *workspace.FS, p Place) []Host {
	home, _ := p.Env("CARGO_HOME")
	files := []string{}
	for d := path.Clean(p.Dir); ; d = path.Dir(d) {
		files = append(files, d+"/.cargo/config.toml", d+"/.cargo/config")
		if d == "/" || d == "." {
			break
		}
	}
	home = cmp.Or(home, p.Home+"/.cargo")
	files = append(files, home+"/config.toml", home+"/config")
	for _, name := range files {
		f, err := w.Read(name)
		if err != nil {
			continue
		}
		var c struct {
			Source map[string]struct {
				ReplaceWith string `toml:"replace-with"`
				Registry    string `toml:"registry"`
				Directory   string `toml:"directory"`
			} `toml:"source"`
		}
		if toml.Unmarshal(f.Data, &c) != nil {
			continue
		}
		name := "crates-io"
		for range 8 {
			next := c.Source[name].ReplaceWith
			if next == "" {
				break
			}
			name = next
		}
		if r := c.Source[name].Registry; name != "crates-io" && r != "" {
			return []Host{{Named("crates", strings.TrimPrefix(r, "sparse+")), source(f, 1)}}
		}
	}
	return nil
}

// debian reads apt's sources, which always name their hosts (sources.list(5)).
func debian(w *workspace.FS) (found []Host) {
	files := []string{"/etc/apt/sources.list"}
	names, err := w.Names("/etc/apt/sources.list.d")
	if err == nil {
		for _, n := range names {
			if strings.HasSuffix(n, ".list") || strings.HasSuffix(n, ".sources") {
				files = append(files, "/etc/apt/sources.list.d/"+n)
			}
		}
	}
	seen := map[string]bool{}
	for _, name := range files {
		f, err := w.Read(name)
		if err != nil {
			continue
		}
		n := 0
		for l := range strings.Lines(string(f.Data)) {
			n++
			for _, word := range strings.Fields(l) {
				if word[0] == '#' {
					break
				}
				scheme, rest, ok := strings.Cut(word, "://")
				host, _, _ := strings.Cut(rest, "/")
				if !ok || scheme != "http" && scheme != "https" || seen[scheme+host] {
					continue
				}
				seen[scheme+host] = true
				found = append(found, Host{scheme + "://" + host, source(f, n)})
			}
		}
	}
	return found
}
