package registry_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/predict/internal/registry"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

func TestHosts(t *testing.T) {
	for _, c := range []struct {
		name, manager string
		files         map[string]string // below the home folder
		env           map[string]string
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
			env := func(n string) (string, bool) { v, ok := c.env[n]; return v, ok }
			var got []string
			for _, h := range registry.Hosts(workspace.New("", workspace.Limits{}), c.manager, registry.Place{Dir: t.TempDir(), Home: home, Env: env}) {
				got = append(got, h.Name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
