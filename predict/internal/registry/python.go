package registry

import (
	"path"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// setting is a value that may have several parts, with where it stands.
type setting struct {
	values []string
	file   *workspace.File
	line   int
}

func (s setting) hosts() []Host {
	var list []Host
	for _, v := range s.values {
		h := Host{Name: Named("pip", v)}
		if s.file != nil {
			h.From = source(s.file, s.line)
		}
		list = append(list, h)
	}
	return list
}

// pip reads pip's configuration (pip.pypa.io, "Configuration"): options, PIP_ variables, the virtual environment's file, the user's,
// the system's; the section of the subcommand is not told apart from [global].
func pip(w *workspace.FS, q Place) []Host {
	files := []string{}
	if v, ok := env(q, "VIRTUAL_ENV"); ok {
		files = append(files, path.Join(v, "pip.conf"))
	}
	config, ok := env(q, "XDG_CONFIG_HOME")
	if !ok {
		config = path.Join(q.Home, ".config")
	}
	files = append(files, path.Join(config, "pip/pip.conf"), path.Join(q.Home, ".pip/pip.conf"))
	for _, dir := range strings.Split(first(q.Env("XDG_CONFIG_DIRS")), ":") {
		if dir != "" {
			files = append(files, path.Join(dir, "pip/pip.conf"))
		}
	}
	files = append(files, "/etc/xdg/pip/pip.conf", "/etc/pip.conf")
	if v, ok := env(q, "PIP_CONFIG_FILE"); ok {
		files = append([]string{v}, files...)
		if v == "/dev/null" {
			files = nil
		}
	}
	find := func(key string) (setting, bool) {
		if list := q.Options[key]; len(list) > 0 {
			return setting{values: list}, true
		}
		if v, ok := env(q, "PIP_"+strings.ToUpper(strings.ReplaceAll(key, "-", "_"))); ok {
			return setting{values: strings.Fields(v)}, true
		}
		for _, name := range files {
			if f, err := w.Read(workspace.Join(q.Dir, name)); err == nil {
				if s, ok := configParser(f, key); ok {
					return s, true
				}
			}
		}
		return setting{}, false
	}
	var hosts []Host
	if s, ok := find("no-index"); !ok || !truth(s) {
		if s, ok := find("index-url"); ok && len(s.values) > 0 {
			s.values = s.values[len(s.values)-1:]
			hosts = s.hosts()
		} else {
			hosts = []Host{{Name: "@pypi"}}
		}
		if s, ok := find("extra-index-url"); ok {
			hosts = append(hosts, s.hosts()...)
		}
	}
	if s, ok := find("find-links"); ok {
		for _, h := range s.hosts() {
			if strings.Contains(h.Name, "://") && !strings.HasPrefix(h.Name, "file:") {
				hosts = append(hosts, h)
			}
		}
	}
	return hosts
}

func first(s string, _ bool) string { return s }

func truth(s setting) bool {
	if len(s.values) == 0 {
		return true // a bare option
	}
	switch strings.ToLower(s.values[len(s.values)-1]) {
	case "1", "true", "yes", "on", "y", "t", "":
		return true
	}
	return false
}

// configParser finds a key in any section of a file of Python's configparser: "key = value" or "key: value", continued on lines that
// are indented.
func configParser(f *workspace.File, key string) (setting, bool) {
	s, found, open := setting{file: f}, false, false
	n := 0
	for l := range strings.Lines(string(f.Data)) {
		n++
		t := strings.TrimSpace(l)
		switch {
		case t == "" || t[0] == '#' || t[0] == ';':
		case l[0] == ' ' || l[0] == '\t':
			if open {
				s.values = append(s.values, strings.Fields(t)...)
			}
		case t[0] == '[':
			open = false
		default:
			i := strings.IndexAny(t, "=:")
			if i < 0 {
				i = len(t)
			}
			k := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(t[:i])), "_", "-")
			if open = k == key; open {
				s.values, s.line, found = strings.Fields(strings.TrimLeft(t[i:], "=: ")), n, true
			}
		}
	}
	return s, found
}

// uvConfig is what uv.toml and [tool.uv] of pyproject.toml have in common.
type uvConfig struct {
	IndexURL string   `toml:"index-url"`
	Extra    []string `toml:"extra-index-url"`
	NoIndex  bool     `toml:"no-index"`
	Index    []struct {
		URL     string `toml:"url"`
		Default bool   `toml:"default"`
	} `toml:"index"`
}

// uv reads uv's configuration (docs.astral.sh, "Package indexes", "Configuration files"): options, variables, then uv.toml or
// pyproject.toml of the nearest folder that has one, the user's, the system's.
func uv(w *workspace.FS, q Place) []Host {
	var more []Host
	general := ""
	for _, key := range [...]string{"default-index", "index-url"} {
		if list := q.Options[key]; len(list) > 0 && general == "" {
			general = list[len(list)-1]
		}
	}
	for _, key := range [...]string{"index", "extra-index-url"} {
		for _, v := range q.Options[key] {
			more = append(more, Host{Name: Named("pip", indexURL(v))})
		}
	}
	if general == "" {
		general, _ = env(q, "UV_DEFAULT_INDEX", "UV_INDEX_URL")
	}
	for _, key := range [...]string{"UV_INDEX", "UV_EXTRA_INDEX_URL"} {
		if v, ok := env(q, key); ok {
			for _, u := range strings.Fields(v) {
				more = append(more, Host{Name: Named("pip", indexURL(u))})
			}
		}
	}
	var base *Host
	if general != "" {
		base = &Host{Name: Named("pip", indexURL(general))}
	}
	config, ok := env(q, "XDG_CONFIG_HOME")
	if !ok {
		config = path.Join(q.Home, ".config")
	}
	files := []string{path.Join(config, "uv/uv.toml"), "/etc/uv/uv.toml"}
	if at := upward(w, q.Dir, "uv.toml", "pyproject.toml"); at != "" {
		name := path.Join(at, "uv.toml")
		if !w.Exists(name) {
			name = path.Join(at, "pyproject.toml")
		}
		files = append([]string{name}, files...)
	}
	for _, name := range files {
		f, c, ok := uvFile(w, name)
		if !ok {
			continue
		}
		at := func(u string) Host { return Host{Named("pip", u), source(f, lineOf(f.Data, u))} }
		if base == nil && c.IndexURL != "" {
			h := at(c.IndexURL)
			base = &h
		}
		for _, i := range c.Index {
			if h := at(i.URL); i.Default && base == nil {
				base = &h
			} else if i.URL != "" && !i.Default {
				more = append(more, h)
			}
		}
		for _, u := range c.Extra {
			more = append(more, at(u))
		}
	}
	if base == nil {
		base = &Host{Name: "@pypi"}
	}
	return append(more, *base) // extra indexes are asked first
}

// indexURL takes the name off "name=url".
func indexURL(s string) string {
	if name, u, ok := strings.Cut(s, "="); ok && !strings.Contains(name, "/") {
		return u
	}
	return s
}

func uvFile(w *workspace.FS, name string) (*workspace.File, uvConfig, bool) {
	f, err := w.Read(name)
	if err != nil {
		return nil, uvConfig{}, false
	}
	if path.Base(name) == "pyproject.toml" {
		var p struct {
			Tool struct {
				UV uvConfig `toml:"uv"`
			} `toml:"tool"`
		}
		err = toml.Unmarshal(f.Data, &p)
		return f, p.Tool.UV, err == nil
	}
	var c uvConfig
	err = toml.Unmarshal(f.Data, &c)
	return f, c, err == nil
}
