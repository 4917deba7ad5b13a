package registry

import (
	"path"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/npmrc"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// NPM is the registry that npm's configuration names for packages of a scope ("@babel", or empty), and where it does. A scope's own
// registry comes before the general one (npm help scope).
func NPM(c *npmrc.Config, scope string) (target string, from effect.Source) {
	if scope != "" {
		if v, ok := c.Get(scope + ":registry"); ok && v.Text != "" {
			return npmHost(v)
		}
	}
	if v, ok := c.Get("registry"); ok && v.Text != "" {
		return npmHost(v)
	}
	return "@npm", effect.Source{}
}

func npmHost(v npmrc.Value) (string, effect.Source) {
	return Named("npm", v.Text), effect.Source{File: v.File, Line: v.Line, SHA256: v.SHA256}
}

// PNPM is the registry of pnpm: pnpm_config_registry, then registries of pnpm-workspace.yaml, then what npm's configuration says
// (pnpm.io, "Registry Settings").
func PNPM(w *workspace.FS, c *npmrc.Config, dir string, env func(string) (string, bool), scope string) (string, effect.Source) {
	if v, ok := c.In("registry", npmrc.CLI); ok {
		return npmHost(v)
	}
	for _, key := range [...]string{"pnpm_config_registry", "PNPM_CONFIG_REGISTRY"} {
		if v, ok := env(key); ok && v != "" {
			return Named("npm", v), effect.Source{}
		}
	}
	if at := upward(w, dir, "pnpm-workspace.yaml"); at != "" {
		if f, root := yamlFile(w, path.Join(at, "pnpm-workspace.yaml")); root != nil {
			list := value(root, "registries")
			for _, n := range [...]*yaml.Node{value(list, scope), value(list, "default"), value(root, "registry")} {
				if n != nil && n.Kind == yaml.ScalarNode && n.Value != "" {
					return Named("npm", n.Value), source(f, n.Line)
				}
			}
		}
	}
	return NPM(c, scope)
}

// Yarn is the registry of Yarn classic: the variable, then .yarnrc of the first of some folders that has it, then what npm's
// configuration says.
func Yarn(w *workspace.FS, c *npmrc.Config, dirs []string, env func(string) (string, bool), scope string) (string, effect.Source) {
	if v, ok := env("YARN_REGISTRY"); ok && v != "" {
		return Named("yarn", v), effect.Source{}
	}
	want := "registry"
	if scope != "" {
		want = scope + ":registry"
	}
	for _, dir := range dirs {
		f, err := w.Read(path.Join(dir, ".yarnrc"))
		if err != nil {
			continue
		}
		n := 0
		for l := range strings.Lines(string(f.Data)) {
			n++
			key, v, _ := strings.Cut(strings.TrimSpace(l), " ")
			if key = strings.Trim(key, `":`); key == want || key == "registry" {
				return Named("yarn", strings.Trim(strings.TrimSpace(v), `"`)), source(f, n)
			}
		}
	}
	return NPM(c, scope)
}

// Berry is the registry of Yarn from 2 on: the variable, then npmScopes and npmRegistryServer of the nearest .yarnrc.yml that has
// one.
func Berry(w *workspace.FS, dir, home string, env func(string) (string, bool), scope string) (string, effect.Source) {
	if v, ok := env("YARN_NPM_REGISTRY_SERVER"); ok && v != "" {
		return Named("yarn", v), effect.Source{}
	}
	try := func(dir string) (string, effect.Source, bool) {
		f, root := yamlFile(w, path.Join(dir, ".yarnrc.yml"))
		if root == nil {
			return "", effect.Source{}, false
		}
		scoped := value(value(value(root, "npmScopes"), strings.TrimPrefix(scope, "@")), "npmRegistryServer")
		for _, n := range [...]*yaml.Node{scoped, value(root, "npmRegistryServer")} {
			if n != nil && n.Value != "" {
				return Named("yarn", n.Value), source(f, n.Line), true
			}
		}
		return "", effect.Source{}, false
	}
	for d := path.Clean(dir); ; d = path.Dir(d) {
		if host, from, ok := try(d); ok {
			return host, from
		}
		if d == "/" || d == "." {
			break
		}
	}
	if host, from, ok := try(home); ok && home != "" {
		return host, from
	}
	return "@npm", effect.Source{}
}

// Bun is the registry of bun: the variable, then bunfig.toml of the project, then what npm's configuration says.
func Bun(w *workspace.FS, c *npmrc.Config, dir string, env func(string) (string, bool), scope string) (string, effect.Source) {
	if v, ok := env("BUN_CONFIG_REGISTRY"); ok && v != "" {
		return Named("npm", v), effect.Source{}
	}
	if at := upward(w, dir, "bunfig.toml"); at != "" {
		var fig struct {
			Install struct {
				Registry any            `toml:"registry"`
				Scopes   map[string]any `toml:"scopes"`
			} `toml:"install"`
		}
		if f, err := w.Read(path.Join(at, "bunfig.toml")); err == nil && toml.Unmarshal(f.Data, &fig) == nil {
			list := []any{fig.Install.Registry}
			if scope != "" {
				list = []any{fig.Install.Scopes[scope], fig.Install.Scopes[strings.TrimPrefix(scope, "@")], fig.Install.Registry}
			}
			for _, v := range list {
				if address := address(v); address != "" {
					return Named("npm", address), source(f, lineOf(f.Data, address))
				}
			}
		}
	}
	return NPM(c, scope)
}

// address is a registry in bunfig.toml: a text, or a table with url.
func address(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		s, _ := v["url"].(string)
		return s
	}
	return ""
}

// lineOf is the line on which a text first stands, 1 if nowhere.
func lineOf(data []byte, text string) int {
	i := strings.Index(string(data), text)
	return 1 + strings.Count(string(data[:max(i, 0)]), "\n")
}

// yamlFile reads a YAML file; root is nil when there is none or it is no mapping.
func yamlFile(w *workspace.FS, name string) (*workspace.File, *yaml.Node) {
	f, err := w.Read(name)
	if err != nil {
		return nil, nil
	}
	var doc yaml.Node
	if yaml.Unmarshal(f.Data, &doc) != nil || doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, nil
	}
	return f, doc.Content[0]
}

// value is the value of a key of a mapping.
func value(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode || key == "" {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
