// Package registry says which hosts a package manager really talks to: the manager's own default, written by its name ("@npm"), or
// the addresses that some file, variable or option puts in its place, with where it says so. It refuses to guess and to resolve
// names: an address is given as it is written.
package registry

import (
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/npmrc"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Host is one place that a manager fetches from: "@npm" for a built-in default, else an address as it is configured; "*" where the
// host depends on what is asked for.
type Host struct {
	Name string
	From effect.Source // zero for a built-in default that nothing names, and for the environment
}

// Place is where and for whom a manager is started, and what it is asked for.
type Place struct {
	Dir, Home string // absolute
	Env       func(string) (string, bool)
	Scope     string              // npm's @scope, cargo's registry name, docker's registry host; empty for the general one
	Options   map[string][]string // options of the command line by their long name without dashes (index-url, registry, ...)
}

// Hosts gives the hosts that a manager talks to, in the order in which it does. The manager is a command ("pip", "uv", "pnpm", "apt")
// or the name of its default ("pypi", "npm", "go", "crates", "debian"); one that is not known here is its own name. Files that
// cannot be read or parsed are left out: the plan of the manager's call reports them.
func Hosts(w *workspace.FS, manager string, q Place) []Host {
	if q.Env == nil {
		q.Env = func(string) (string, bool) { return "", false }
	}
	switch manager {
	case "npm", "npx", "bun", "bunx", "pnpm", "pnpx", "yarn", "yarnpkg":
		return one(node(w, manager, q))
	case "pip", "pip3", "pipx":
		return pip(w, q)
	case "uv", "uvx":
		return uv(w, q)
	case "pypi":
		return pypi(w, q)
	case "go":
		return golang(w, q)
	case "cargo", "crates":
		return cargo(w, q)
	case "apt", "apt-get", "aptitude", "debian":
		return apt(w)
	case "docker":
		return docker(w, q)
	case "podman", "buildah":
		return podman(w, q)
	case "gem", "bundle", "bundler":
		return []Host{{Name: "@rubygems"}}
	case "mvn", "gradle":
		return []Host{{Name: "@maven"}}
	case "composer":
		return []Host{{Name: "@packagist"}}
	}
	return []Host{{Name: "@" + manager}}
}

func node(w *workspace.FS, manager string, q Place) (string, effect.Source) {
	c := npmrc.Load(w, npmrc.Options{CLI: q.Options, Env: q.Env, Home: q.Home, Project: upward(w, q.Dir, ".npmrc", "package.json"), Install: npmrc.Find(w, q.Env)})
	switch manager {
	case "bun", "bunx":
		return Bun(w, c, q.Dir, q.Env, q.Scope)
	case "pnpm", "pnpx":
		return PNPM(w, c, q.Dir, q.Env, q.Scope)
	case "yarn", "yarnpkg":
		if upward(w, q.Dir, ".yarnrc.yml") != "" {
			return Berry(w, q.Dir, q.Home, q.Env, q.Scope)
		}
		return Yarn(w, c, []string{q.Dir, q.Home}, q.Env, q.Scope)
	}
	return NPM(c, q.Scope)
}

// pypi is for a caller that does not know whether pip or uv asks: what either is configured for.
func pypi(w *workspace.FS, q Place) []Host {
	a, b := pip(w, q), uv(w, q)
	own := func(list []Host) bool { return len(list) == 1 && list[0].Name == "@pypi" }
	switch {
	case own(a):
		return b
	case own(b):
		return a
	}
	for _, h := range b {
		if !slices.ContainsFunc(a, func(o Host) bool { return o.Name == h.Name }) {
			a = append(a, h)
		}
	}
	return a
}

func one(name string, from effect.Source) []Host { return []Host{{name, from}} }

// upward is the nearest folder, here or above, that holds one of some files.
func upward(w *workspace.FS, dir string, names ...string) string {
	for d := path.Clean(dir); ; d = path.Dir(d) {
		for _, n := range names {
			if w.Exists(path.Join(d, n)) {
				return d
			}
		}
		if d == "/" || d == "." {
			return ""
		}
	}
}

// Named is an address, or the name of the manager's default when the address is that.
func Named(manager, address string) string {
	if builtin(manager, address) {
		return defaultName(manager)
	}
	return address
}

func defaultName(manager string) string {
	switch manager {
	case "yarn": // Yarn's own name is another one of npm's registry
		return "@npm"
	case "pip":
		return "@pypi"
	case "cargo":
		return "@crates"
	case "apt":
		return "@debian"
	}
	return "@" + manager
}

// builtin tells whether an address is a manager's own default. The names are put together here so that no file of the repository
// holds the address of a public registry, and none is reached by mistake.
func builtin(manager, address string) bool {
	host := hostOf(address)
	for _, parts := range defaults(manager) {
		if host == strings.Join(parts, ".") {
			return true
		}
	}
	return false
}

// hostOf is the host of an address, lower-cased, without user, port and path.
func hostOf(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		rest = address
	}
	rest, _, _ = strings.Cut(rest, "/")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	rest, _, _ = strings.Cut(rest, ":")
	return strings.ToLower(strings.TrimSuffix(rest, "."))
}

func defaults(manager string) [][]string {
	switch manager {
	case "npm":
		return [][]string{{"registry", "npmjs", "org"}}
	case "yarn":
		return [][]string{{"registry", "yarnpkg", "com"}, {"registry", "npmjs", "org"}}
	case "pip":
		return [][]string{{"pypi", "org"}, {"pypi", "python", "org"}, {"files", "pythonhosted", "org"}}
	case "go":
		return [][]string{{"proxy", "golang", "org"}, {"sum", "golang", "org"}}
	case "cargo":
		return [][]string{{"index", "crates", "io"}, {"static", "crates", "io"}, {"crates", "io"}}
	case "apt":
		return [][]string{{"deb", "debian", "org"}, {"security", "debian", "org"}, {"ftp", "debian", "org"}}
	case "docker":
		return [][]string{{"docker", "io"}, {"index", "docker", "io"}, {"registry-1", "docker", "io"}, {"registry", "hub", "docker", "com"}}
	}
	return nil
}

func source(f *workspace.File, line int) effect.Source {
	return effect.Source{File: f.Path, Line: line, SHA256: f.SHA256}
}

func env(q Place, names ...string) (string, bool) {
	for _, n := range names {
		if v, ok := q.Env(n); ok && v != "" {
			return v, true
		}
	}
	return "", false
}
