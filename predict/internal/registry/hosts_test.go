package registry_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/predict/internal/registry"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

func TestHosts(t *testing.T) {
	for _, c := range []struct {
		name, manager string
		files         map[string]string // below the home folder
		dir, scope    string            // below the home folder; a folder of its own when empty
		env           map[string]string // HOME/ stands for the home folder
		options       map[string][]string
		want          []string
	}{
		{name: "pip's own", manager: "pypi", want: []string{"@pypi"}},
		{name: "pip.conf", manager: "pypi", files: map[string]string{".config/pip/pip.conf": "[global]\nindex-url = https://pip.example.com/simple\nextra-index-url = https://more.example.com/\n"},
			want: []string{"https://pip.example.com/simple", "https://more.example.com/"}},
		{name: "pip's variable", manager: "pypi", env: map[string]string{"PIP_INDEX_URL": "https://v.example.com"},
			files: map[string]string{".pip/pip.conf": "[global]\nindex-url=https://pip.example.com\n"}, want: []string{"https://v.example.com"}},
		{name: "go's variable", manager: "go", env: map[string]string{"GOPROXY": "https://go.example.com,direct"}, want: []string{"https://go.example.com"}},
		{name: "go direct", manager: "go", env: map[string]string{"GOPROXY": "direct"}, want: []string{"*"}},
		{name: "go's file", manager: "go", files: map[string]string{".config/go/env": "GOFLAGS=-x\nGOPROXY=https://go.example.com\n"}, want: []string{"https://go.example.com"}},
		{name: "cargo's own", manager: "crates", want: []string{"@crates"}},
		{name: "cargo replaced", manager: "crates", files: map[string]string{".cargo/config.toml": "[source.crates-io]\nreplace-with = \"in\"\n[source.in]\nregistry = \"sparse+https://crates.example.com/\"\n"},
			want: []string{"https://crates.example.com/"}},
		{name: "npm's own", manager: "npm", want: []string{"@npm"}},
		{name: "npm's file", manager: "npm", files: map[string]string{".npmrc": "registry=https://npm.example.com/\n"}, want: []string{"https://npm.example.com/"}},
		{name: "npm's own, spelled out", manager: "npm", files: map[string]string{".npmrc": "registry = HTTPS://Registry.NPMJS." + "org:443/\n"}, want: []string{"@npm"}},
		{name: "npm's scope", manager: "npm", scope: "@s", files: map[string]string{".npmrc": "registry=https://all.example.com\n@s:registry=https://s.example.com\n"},
			want: []string{"https://s.example.com"}},
		{name: "npm's variable", manager: "npm", env: map[string]string{"npm_config_registry": "https://v.example.com"},
			files: map[string]string{".npmrc": "registry=https://all.example.com\n"}, want: []string{"https://v.example.com"}},
		{name: "npm's option", manager: "npm", options: map[string][]string{"registry": {"https://o.example.com"}},
			env: map[string]string{"npm_config_registry": "https://v.example.com"}, want: []string{"https://o.example.com"}},
		{name: "npm's variable in a file", manager: "npm", env: map[string]string{"WHERE": "in.example.com"},
			files: map[string]string{".npmrc": "registry=https://${WHERE}/npm ; comment\n"}, want: []string{"https://in.example.com/npm"}},
		{name: "npm's project", manager: "npm", files: map[string]string{".npmrc": "registry=https://user.example.com\n", "project/package.json": "{}",
			"project/.npmrc": "registry=https://project.example.com\n"}, dir: "project", want: []string{"https://project.example.com"}},
		{name: "pnpm's workspace", manager: "pnpm", scope: "@s", dir: "project/a", files: map[string]string{"project/pnpm-workspace.yaml": "registries:\n  default: https://d.example.com\n  '@s': https://s.example.com\n"}, want: []string{"https://s.example.com"}},
		{name: "yarn's file", manager: "yarn", files: map[string]string{".yarnrc": "registry \"https://y.example.com\"\n"}, want: []string{"https://y.example.com"}},
		{name: "yarn's own name", manager: "yarn", files: map[string]string{".yarnrc": "registry https://registry.yarnpkg." + "com\n"}, want: []string{"@npm"}},
		{name: "yarn 4", manager: "yarn", dir: "project/a", scope: "@s", files: map[string]string{"project/.yarnrc.yml": "npmRegistryServer: https://y.example.com\nnpmScopes:\n  s:\n    npmRegistryServer: https://s.example.com\n"}, want: []string{"https://s.example.com"}},
		{name: "bun's file", manager: "bun", dir: "project", files: map[string]string{"project/bunfig.toml": "[install]\nregistry = { url = \"https://b.example.com\", token = \"x\" }\n"},
			want: []string{"https://b.example.com"}},
		{name: "pip's option", manager: "pip", options: map[string][]string{"index-url": {"https://o.example.com"}},
			env: map[string]string{"PIP_INDEX_URL": "https://v.example.com"}, want: []string{"https://o.example.com"}},
		{name: "pip's continued lines", manager: "pip", files: map[string]string{".pip/pip.conf": "[global]\nextra_index_url:\n    https://a.example.com\n    https://b.example.com\n# x\n"},
			want: []string{"@pypi", "https://a.example.com", "https://b.example.com"}},
		{name: "pip without index", manager: "pip", env: map[string]string{"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/opt/wheels https://links.example.com"},
			want: []string{"https://links.example.com"}},
		{name: "pip's environment", manager: "pip", env: map[string]string{"VIRTUAL_ENV": "HOME/venv"}, files: map[string]string{
			"venv/pip.conf": "[install]\nindex-url = https://venv.example.com\n", ".config/pip/pip.conf": "[global]\nindex-url = https://user.example.com\n"},
			want: []string{"https://venv.example.com"}},
		{name: "uv's own", manager: "uv", want: []string{"@pypi"}},
		{name: "uv's variable", manager: "uv", env: map[string]string{"UV_INDEX": "name=https://x.example.com", "UV_DEFAULT_INDEX": "https://d.example.com"},
			want: []string{"https://x.example.com", "https://d.example.com"}},
		{name: "uv's project", manager: "uv", dir: "project/a", files: map[string]string{"project/pyproject.toml": "[tool.uv]\n[[tool.uv.index]]\nurl = \"https://x.example.com\"\n[[tool.uv.index]]\nurl = \"https://d.example.com\"\ndefault = true\n"},
			want: []string{"https://x.example.com", "https://d.example.com"}},
		{name: "uv's file before pyproject", manager: "uv", dir: "project", files: map[string]string{"project/pyproject.toml": "[tool.uv]\nindex-url = \"https://p.example.com\"\n",
			"project/uv.toml": "index-url = \"https://u.example.com\"\n"}, want: []string{"https://u.example.com"}},
		{name: "pip or uv", manager: "pypi", env: map[string]string{"UV_INDEX_URL": "https://uv.example.com"}, want: []string{"https://uv.example.com"}},
		{name: "go's own, spelled out", manager: "go", env: map[string]string{"GOPROXY": "https://proxy.golang." + "org,direct"}, want: []string{"@go"}},
		{name: "go off", manager: "go", env: map[string]string{"GOPROXY": "off"}, want: nil},
		{name: "cargo's registry", manager: "cargo", scope: "in", dir: "project", files: map[string]string{"project/.cargo/config.toml": "[registries.in]\nindex = \"sparse+https://r.example.com/i/\"\n"},
			want: []string{"https://r.example.com/i/"}},
		{name: "cargo vendored", manager: "cargo", dir: "project/a", files: map[string]string{"project/.cargo/config.toml": "[source.crates-io]\nreplace-with = \"v\"\n[source.v]\ndirectory = \"vendor\"\n"}, want: nil},
		{name: "cargo in circles", manager: "cargo", dir: "project", files: map[string]string{"project/.cargo/config.toml": "[source.crates-io]\nreplace-with = \"a\"\n[source.a]\nreplace-with = \"crates-io\"\n"}, want: []string{"*"}},
		{name: "docker's own", manager: "docker", want: []string{"@docker"}},
		{name: "docker's mirror", manager: "docker", files: map[string]string{".config/docker/daemon.json": `{"registry-mirrors": ["https://m.example.com"]}`},
			want: []string{"https://m.example.com", "@docker"}},
		{name: "docker's registry by name", manager: "docker", scope: "r.example.com:5000", want: []string{"r.example.com:5000"}},
		{name: "podman's search", manager: "podman", files: map[string]string{".config/containers/registries.conf": "unqualified-search-registries = [\"r.example.com\", \"docker." + "io\"]\n[[registry]]\nlocation = \"r.example.com\"\n[[registry.mirror]]\nlocation = \"m.example.com\"\n"},
			want: []string{"m.example.com", "r.example.com", "@docker"}},
		{name: "another", manager: "rubygems", want: []string{"@rubygems"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			for name, text := range c.files {
				p := filepath.Join(home, name)
				if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			env := func(n string) (string, bool) { v, ok := c.env[n]; return strings.Replace(v, "HOME/", home+"/", 1), ok }
			dir := t.TempDir()
			if c.dir != "" {
				dir = filepath.Join(home, c.dir)
			}
			var got []string
			for _, h := range registry.Hosts(workspace.New("", workspace.Limits{}), c.manager, registry.Place{Dir: dir, Home: home, Env: env, Scope: c.scope, Options: c.options}) {
				got = append(got, h.Name)
				if h.From.File != "" && (h.From.Line < 1 || h.From.SHA256 == "") {
					t.Errorf("the source of %s is not whole: %+v", h.Name, h.From)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestApt reads the sources of packages below a root of its own.
func TestApt(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"/etc/apt/sources.list":                "# deb http://no.example.com x\ndeb [arch=amd64 signed-by=/k] http://list.example.com/debian stable main # y\ndeb http://deb.debian." + "org/debian stable main\n",
		"/etc/apt/sources.list.d/a.sources":    "Types: deb\nURIs: http://one.example.com\n http://two.example.com\nSuites: x\n\nEnabled: no\nURIs: http://off.example.com\n",
		"/etc/apt/sources.list.d/b.list.save":  "deb http://save.example.com x y\n",
		"/etc/apt/sources.list.d/c.list":       "deb file:/srv/repo ./ \ndeb-src http://list.example.com/debian stable main\n",
		"/etc/apt/sources.list.d/broken.list":  "deb [x\n",
		"/etc/apt/sources.list.d/last.sources": "uris: http://last.example.com",
	} {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, h := range registry.Hosts(workspace.New(root, workspace.Limits{}), "apt", registry.Place{Dir: "/"}) {
		got = append(got, h.Name)
	}
	want := []string{"http://list.example.com/debian", "@debian", "http://one.example.com", "http://two.example.com", "http://last.example.com"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
