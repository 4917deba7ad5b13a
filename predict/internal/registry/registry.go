// Package registry says which host a package manager really talks to: the manager's own default, written by its name ("@npm"),
// or the host that some file, variable or option puts in its place, with where it says so. It refuses to guess and to resolve
// names: an address is given as it is written.
package registry

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/npmrc"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// NPM is the registry that npm's configuration names for packages of a scope ("@babel", or empty), and where it does.
// A scope's own registry comes before the general one (npm help scope).
func NPM(c *npmrc.Config, scope string) (host string, from effect.Source) {
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
	from := effect.Source{File: v.File, Line: v.Line, SHA256: v.SHA256}
	if builtin("npm", v.Text) {
		return "@npm", from
	}
	return v.Text, from
}

// builtin tells whether an address is a manager's own default. The names are put together here so that no file of the
// repository holds the address of a public registry, and none is reached by mistake.
func builtin(manager, address string) bool {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		rest = address
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 && !strings.Contains(rest[:i], "/") {
		rest = rest[i+1:]
	}
	rest, _, _ = strings.Cut(rest, "/")
	rest, _, _ = strings.Cut(rest, ":")
	rest = strings.ToLower(strings.TrimSuffix(rest, "."))
	for _, parts := range defaults(manager) {
		if rest == strings.Join(parts, ".") {
			return true
		}
	}
	return false
}

func defaults(manager string) [][]string {
	switch manager {
	case "npm":
		return [][]string{{"registry", "npmjs", "org"}}
	case "pypi":
		return [][]string{{"pypi", "org"}}
	case "go":
		return [][]string{{"proxy", "golang", "org"}}
	case "crates":
		return [][]string{{"index", "crates", "io"}, {"static", "crates", "io"}}
	case "yarn":
		return [][]string{{"registry", "yarnpkg", "com"}, {"registry", "npmjs", "org"}}
	}
	return nil
}

// Named is an address, or the manager's name when the address is its default.
func Named(manager, address string) string {
	if builtin(manager, address) {
		if manager == "yarn" {
			return "@npm" // Yarn's default is another name of npm's registry
		}
		return "@" + manager
	}
	return address
}

// Yarn is the registry of Yarn classic: the variable, then .yarnrc of the nearest of some folders, then what npm's configuration
// says.
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
			key, value, _ := strings.Cut(strings.TrimSpace(l), " ")
			key = strings.Trim(key, `":`)
			if key == want || key == "registry" {
				return Named("yarn", strings.Trim(strings.TrimSpace(value), `"`)), effect.Source{File: f.Path, Line: n, SHA256: f.SHA256}
			}
		}
	}
	return NPM(c, scope)
}
