// Package registry says which host a package manager really talks to: the manager's own default, written by its name ("@npm"),
// or the host that some file, variable or option puts in its place, with where it says so. It refuses to guess and to resolve
// names: an address is given as it is written.
package registry

import (
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/npmrc"
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
	case "yarn":
		return [][]string{{"registry", "yarnpkg", "com"}, {"registry", "npmjs", "org"}}
	}
	return nil
}
