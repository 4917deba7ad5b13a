package nodepkg

import (
	"path"
	"strings"
)

// spec is what a package argument or a dependency's value names (npm-package-arg, lib/npa.js, as far as it decides what is run).
type spec struct {
	kind specKind
	name string // package name, where it is given
	rest string // version, range or tag; path; URL
}

type specKind uint8

const (
	registrySpec  specKind = iota // a version, a range, or nothing
	tagSpec                       // a tag of the registry
	directorySpec                 // a folder; rest is its path as written
	fileSpec                      // a tarball on disk
	remoteSpec                    // a tarball by URL
	gitSpec
	workspaceSpec // workspace:, link:, portal: and others of pnpm and Yarn; rest is without the protocol
	patchSpec
)

// parseSpec reads a command line's package argument.
func parseSpec(arg string) spec {
	if folder(arg) {
		return pathSpec("", arg)
	}
	name, rest := arg, ""
	if i := strings.IndexByte(arg[min(1, len(arg)):], '@'); i >= 0 {
		name, rest = arg[:i+1], arg[i+2:]
	}
	if arg == "" || strings.Contains(name, ":") || strings.HasPrefix(arg, "git@") {
		return parseValue("", arg)
	}
	slashes := strings.Count(name, "/")
	if slashes > 1 || slashes == 1 && name[0] != '@' {
		return parseValue("", arg) // owner/repository
	}
	return parseValue(name, rest)
}

// folder tells whether an argument is a path by its look: ., ./x, ../x, /x, ~/x, file:x.
func folder(s string) bool {
	return s == "." || s == ".." || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "/") ||
		strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "file:")
}

func pathSpec(name, s string) spec {
	s = strings.TrimPrefix(s, "file:")
	if rest, ok := strings.CutPrefix(s, "///"); ok {
		s = "/" + rest
	}
	kind := directorySpec
	for _, ext := range [...]string{".tgz", ".tar.gz", ".tar"} {
		if strings.HasSuffix(strings.ToLower(s), ext) {
			kind = fileSpec
		}
	}
	return spec{kind, name, s}
}

// parseValue reads the value of a dependency.
func parseValue(name, s string) spec {
	s = strings.TrimSpace(s)
	if folder(s) {
		return pathSpec(name, s)
	}
	proto, rest, hasProto := strings.Cut(s, ":")
	if hasProto {
		switch proto {
		case "npm":
			alias := parseSpec(rest)
			if alias.name == "" {
				alias.name = name
			}
			return alias
		case "workspace", "link", "portal", "catalog", "jsr", "exec":
			return spec{workspaceSpec, name, rest}
		case "patch":
			return spec{patchSpec, name, rest}
		case "http", "https":
			if strings.HasSuffix(rest, ".git") || strings.Contains(rest, ".git#") {
				return spec{gitSpec, name, s}
			}
			return spec{remoteSpec, name, s}
		}
		return spec{gitSpec, name, s} // git:, git+ssh:, github:, gitlab:, ssh:, user@host:path
	}
	if strings.Contains(s, "/") {
		return spec{gitSpec, name, s} // owner/repository
	}
	if _, ok := satisfies(version{}, s); ok {
		return spec{registrySpec, name, s}
	}
	return spec{tagSpec, name, s}
}

// exact tells whether a range names versions one by one: "1.2.3" or "1.2.3 || 2.0.0" (script-allowed.js,
// isExactVersionDisjunction).
func exact(rng string) bool {
	for alt := range strings.SplitSeq(rng, "||") {
		if _, ok := parseVersion(alt); !ok {
			return false
		}
	}
	return true
}

// nameOf is the package name that a place in node_modules is for.
func nameOf(location string) string {
	i := strings.LastIndex(location, "node_modules/")
	if i < 0 {
		return path.Base(location)
	}
	return location[i+len("node_modules/"):]
}
