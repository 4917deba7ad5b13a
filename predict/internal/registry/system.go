package registry

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// golang reads GOPROXY (go help environment, go help goproxy): the variable, the file of "go env -w", $GOROOT/go.env, the default.
// "direct" is wherever the module's own path leads.
func golang(w *workspace.FS, q Place) []Host {
	v, from := goEnv(w, q, "GOPROXY")
	if v == "" {
		return []Host{{Name: "@go"}}
	}
	var hosts []Host
	for _, entry := range strings.FieldsFunc(v, func(c rune) bool { return c == ',' || c == '|' }) {
		switch entry = strings.TrimSpace(entry); {
		case entry == "off" || entry == "" || strings.HasPrefix(entry, "file:"):
		case entry == "direct":
			if len(hosts) == 0 {
				hosts = append(hosts, Host{Name: "*", From: from.From})
			}
		default:
			hosts = append(hosts, Host{Named("go", entry), from.From})
		}
	}
	return hosts
}

// goEnv is a setting of the go command and where it stands.
func goEnv(w *workspace.FS, q Place, key string) (string, Host) {
	if v, ok := env(q, key); ok {
		return v, Host{}
	}
	config, ok := env(q, "XDG_CONFIG_HOME")
	if !ok {
		config = path.Join(q.Home, ".config")
	}
	files := []string{path.Join(config, "go/env")}
	if v, ok := env(q, "GOENV"); ok {
		files[0] = v
	}
	if root, ok := env(q, "GOROOT"); ok {
		files = append(files, path.Join(root, "go.env"))
	} else if bin := onPath(w, q, "go"); bin != "" {
		files = append(files, path.Join(path.Dir(path.Dir(bin)), "go.env"))
	}
	for _, name := range files {
		f, err := w.Read(workspace.Join(q.Dir, name))
		if err != nil {
			continue
		}
		n := 0
		for l := range strings.Lines(string(f.Data)) {
			n++
			if v, ok := strings.CutPrefix(strings.TrimSpace(l), key+"="); ok {
				return strings.Trim(v, `"'`), Host{From: source(f, n)}
			}
		}
	}
	return "", Host{}
}

// onPath is the file that a command on PATH leads to.
func onPath(w *workspace.FS, q Place, name string) string {
	paths, _ := q.Env("PATH")
	for _, dir := range strings.Split(paths, ":") {
		if path.IsAbs(dir) && w.Executable(path.Join(dir, name)) {
			if real, err := w.Resolve("/", path.Join(dir, name), true); err == nil {
				return real
			}
		}
	}
	return ""
}

// cargoConfig is what is used of .cargo/config.toml (doc.rust-lang.org/cargo, "Configuration", "Source Replacement").
type cargoConfig struct {
	Source map[string]struct {
		ReplaceWith string `toml:"replace-with"`
		Registry    string `toml:"registry"`
		Directory   string `toml:"directory"`
		Local       string `toml:"local-registry"`
		Git         string `toml:"git"`
	} `toml:"source"`
	Registries map[string]struct {
		Index string `toml:"index"`
	} `toml:"registries"`
	Registry struct {
		Default string `toml:"default"`
	} `toml:"registry"`
}

// cargo follows the replacement of the source crates-io, or finds the registry that Scope names, through the configuration files of
// the folder and those above it, and CARGO_HOME's.
func cargo(w *workspace.FS, q Place) []Host {
	type layer struct {
		f *workspace.File
		c cargoConfig
	}
	var layers []layer
	read := func(dir string) {
		for _, n := range [...]string{"config.toml", "config"} {
			f, err := w.Read(path.Join(dir, n))
			if err != nil {
				continue
			}
			l := layer{f: f}
			if toml.Unmarshal(f.Data, &l.c) == nil {
				layers = append(layers, l)
			}
			return
		}
	}
	for d := path.Clean(q.Dir); ; d = path.Dir(d) {
		read(path.Join(d, ".cargo"))
		if d == "/" || d == "." {
			break
		}
	}
	home, ok := env(q, "CARGO_HOME")
	if !ok {
		home = path.Join(q.Home, ".cargo")
	}
	read(home)
	if q.Scope != "" && q.Scope != "crates-io" {
		if v, ok := env(q, "CARGO_REGISTRIES_"+strings.ToUpper(strings.ReplaceAll(q.Scope, "-", "_"))+"_INDEX"); ok {
			return []Host{{Name: cargoAddress(v)}}
		}
		for _, l := range layers {
			if r, ok := l.c.Registries[q.Scope]; ok && r.Index != "" {
				return []Host{{cargoAddress(r.Index), source(l.f, lineOf(l.f.Data, r.Index))}}
			}
		}
		return []Host{{Name: "*"}}
	}
	host, name := Host{Name: "@crates"}, "crates-io"
	for range 10 { // a chain of replacements
		next := ""
		for _, l := range layers {
			s, ok := l.c.Source[name]
			if !ok {
				continue
			}
			switch {
			case s.ReplaceWith != "":
				next = s.ReplaceWith
				if name == "crates-io" {
					host = Host{Name: "*", From: source(l.f, lineOf(l.f.Data, s.ReplaceWith))}
				}
			case s.Directory != "" || s.Local != "":
				return nil // vendored: nothing is fetched
			case s.Registry != "" || s.Git != "":
				address := s.Registry + s.Git
				return []Host{{cargoAddress(address), source(l.f, lineOf(l.f.Data, address))}}
			}
			break
		}
		if next == "" {
			for _, l := range layers {
				if r, ok := l.c.Registries[name]; ok && r.Index != "" {
					return []Host{{cargoAddress(r.Index), source(l.f, lineOf(l.f.Data, r.Index))}}
				}
			}
			return []Host{host}
		}
		name = next
	}
	return []Host{{Name: "*"}}
}

func cargoAddress(s string) string { return Named("cargo", strings.TrimPrefix(s, "sparse+")) }

// apt reads the sources of packages (sources.list(5)): lines "deb [options] address suite components", and deb822 files.
func apt(w *workspace.FS) []Host {
	var hosts []Host
	seen := map[string]bool{}
	add := func(address string, f *workspace.File, line int) {
		name := Named("apt", address)
		if strings.HasPrefix(address, "mirror+file:") || strings.HasPrefix(address, "file:") || strings.HasPrefix(address, "cdrom:") || strings.HasPrefix(address, "copy:") || seen[name] {
			return
		}
		seen[name] = true
		hosts = append(hosts, Host{name, source(f, line)})
	}
	files := []string{"/etc/apt/sources.list"}
	names, _ := w.Names("/etc/apt/sources.list.d")
	for _, n := range names {
		files = append(files, "/etc/apt/sources.list.d/"+n)
	}
	for _, name := range files {
		f, err := w.Read(name)
		if err != nil {
			continue
		}
		switch path.Ext(name) {
		case ".list":
			aptLines(f, add)
		case ".sources":
			aptStanzas(f, add)
		}
	}
	if len(hosts) == 0 {
		return []Host{{Name: "@debian"}}
	}
	return hosts
}

func aptLines(f *workspace.File, add func(string, *workspace.File, int)) {
	n := 0
	for l := range strings.Lines(string(f.Data)) {
		n++
		l, _, _ = strings.Cut(l, "#")
		words := strings.Fields(l)
		if len(words) < 3 || words[0] != "deb" && words[0] != "deb-src" {
			continue
		}
		words = words[1:]
		if strings.HasPrefix(words[0], "[") {
			for len(words) > 0 && !strings.HasSuffix(words[0], "]") {
				words = words[1:]
			}
			if len(words) < 2 {
				continue
			}
			words = words[1:]
		}
		add(words[0], f, n)
	}
}

func aptStanzas(f *workspace.File, add func(string, *workspace.File, int)) {
	type uri struct {
		text string
		line int
	}
	var uris []uri
	on, inURIs, n := true, false, 0
	flush := func() {
		for _, u := range uris {
			if on {
				add(u.text, f, u.line)
			}
		}
		uris, on, inURIs = nil, true, false
	}
	for l := range strings.Lines(string(f.Data)) {
		n++
		t := strings.TrimSpace(l)
		switch {
		case t == "":
			flush()
		case t[0] == '#':
		case l[0] == ' ' || l[0] == '\t':
			if inURIs {
				for _, u := range strings.Fields(t) {
					uris = append(uris, uri{u, n})
				}
			}
		default:
			key, v, _ := strings.Cut(t, ":")
			key = strings.ToLower(key)
			inURIs = key == "uris"
			switch {
			case inURIs:
				for _, u := range strings.Fields(v) {
					uris = append(uris, uri{u, n})
				}
			case key == "enabled":
				v = strings.ToLower(strings.TrimSpace(v))
				on = v != "no" && v != "false" && v != "0"
			}
		}
	}
	flush()
}

// docker gives the registry of an image: the one that its name begins with, or Docker's own, whose mirrors the daemon's
// configuration may name (docs.docker.com, "registry-mirrors").
func docker(w *workspace.FS, q Place) []Host {
	if q.Scope != "" && !builtin("docker", q.Scope) {
		return []Host{{Name: q.Scope}}
	}
	var hosts []Host
	config, ok := env(q, "XDG_CONFIG_HOME")
	if !ok {
		config = path.Join(q.Home, ".config")
	}
	for _, name := range [...]string{"/etc/docker/daemon.json", path.Join(config, "docker/daemon.json")} {
		f, err := w.Read(name)
		if err != nil {
			continue
		}
		var d struct {
			Mirrors []string `json:"registry-mirrors"`
		}
		if json.Unmarshal(f.Data, &d) != nil {
			continue
		}
		for _, m := range d.Mirrors {
			hosts = append(hosts, Host{Named("docker", m), source(f, lineOf(f.Data, m))})
		}
	}
	return append(hosts, Host{Name: "@docker"})
}

// podman gives the registries of an image from registries.conf (containers-registries.conf(5)): a name without a registry is looked
// for in unqualified-search-registries; an entry of a registry may put another location or mirrors in its place.
func podman(w *workspace.FS, q Place) []Host {
	config, ok := env(q, "XDG_CONFIG_HOME")
	if !ok {
		config = path.Join(q.Home, ".config")
	}
	var c struct {
		Search   []string `toml:"unqualified-search-registries"`
		Registry []struct {
			Prefix   string `toml:"prefix"`
			Location string `toml:"location"`
			Mirror   []struct {
				Location string `toml:"location"`
			} `toml:"mirror"`
		} `toml:"registry"`
	}
	var f *workspace.File
	for _, name := range [...]string{path.Join(config, "containers/registries.conf"), "/etc/containers/registries.conf"} {
		got, err := w.Read(name)
		if err == nil && toml.Unmarshal(got.Data, &c) == nil {
			f = got
			break
		}
	}
	names := []string{q.Scope}
	if q.Scope == "" {
		if names = c.Search; len(names) == 0 {
			return []Host{{Name: "@docker"}}
		}
	}
	var hosts []Host
	for _, n := range names {
		h := Host{Name: Named("docker", n)}
		for _, r := range c.Registry {
			if prefix := r.Prefix; prefix != "" && hostOf(prefix) != hostOf(n) || prefix == "" && hostOf(r.Location) != hostOf(n) {
				continue
			}
			for _, m := range r.Mirror {
				hosts = append(hosts, Host{Named("docker", m.Location), source(f, lineOf(f.Data, m.Location))})
			}
			if r.Prefix != "" && r.Location != "" {
				h = Host{Named("docker", r.Location), source(f, lineOf(f.Data, r.Location))}
			}
		}
		if h.From.File == "" && f != nil && q.Scope == "" {
			h.From = source(f, lineOf(f.Data, n))
		}
		hosts = append(hosts, h)
	}
	return hosts
}
