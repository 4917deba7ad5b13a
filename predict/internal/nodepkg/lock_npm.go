package nodepkg

import (
	"maps"
	"path"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// locked is one package of a lockfile of npm.
type locked struct {
	loc       string // place below the project root: "node_modules/a/node_modules/b", "packages/a"
	name      string // the package's own name where it differs from the place's
	version   string
	resolved  string
	integrity string
	line      int

	link, dev, optional, devOptional, peer, inBundle, extraneous, script bool
	os, cpu, libc                                                        []string
	specs                                                                map[string]string // dependencies, kept only on request
}

// npmLock is what is used of package-lock.json, npm-shrinkwrap.json or node_modules/.package-lock.json.
type npmLock struct {
	file *workspace.File
	// old is set when the file does not say which packages have scripts, so that each has to be looked at: npm believes
	// hasInstallScript only from lockfileVersion 2 on (@npmcli/arborist, lib/arborist/rebuild.js, oldMeta).
	old    bool
	pkgs   []locked          // with scripts or links; every one when old or on request
	root   map[string]string // what the project's package.json asked for when the file was written, by name
	list   bool              // fill places
	only   bool              // keep nothing but what is asked for
	places []string          // of all packages in node_modules, when not old
	count  int               // packages in all, the root not counted
	lines  lines
}

// parseNPMLock reads a lockfile. Packages for whose place keep says so are kept, with their dependencies; with list, the
// places of the others are.
//
// For speed only links and packages with hasInstallScript are kept besides. That is not a way around: npm itself runs the scripts of
// exactly those (a lockfile that conceals a script conceals it from npm, see TestLockfileConcealsScript), and node-gyp's
// binding.gyp, which npm looks for on disk, is looked for on disk here as well. Where a package is named twice both are
// kept, and a flag that is given twice counts when it is true once: never fewer scripts than npm sees.
func parseNPMLock(f *workspace.File, keep func(loc []byte) bool, list bool) (*npmLock, error) {
	l := &npmLock{file: f, list: list}
	full, err := l.read(keep, false)
	if err == nil && l.old && !full && l.count > 0 {
		l = &npmLock{file: f, list: list}
		_, err = l.read(keep, true) // the version was given again, behind the packages
	}
	return l, err
}

// parseRecord reads node_modules/.package-lock.json: of the places that keep names, what was installed.
func parseRecord(f *workspace.File, keep func(loc []byte) bool) (*npmLock, error) {
	l := &npmLock{file: f, only: true}
	_, err := l.read(keep, false)
	return l, err
}

// read reads once; full tells whether every package was kept.
func (l *npmLock) read(keep func(loc []byte) bool, all bool) (full bool, err error) {
	l.old = true
	r := newReader(l.file.Data)
	if r.peek() != '{' {
		r.fail(errSyntax)
	}
	v1 := -1
	r.object(func(key []byte, _ int) {
		switch string(key) {
		case "lockfileVersion":
			raw := string(r.raw())
			l.old = !(len(raw) == 1 && raw >= "2" && raw <= "9")
		case "packages":
			full = all || l.old && !l.only
			k := keep
			if full {
				k = every
			}
			r.object(func(loc []byte, pos int) { l.add(r, loc, pos, k) })
		case "dependencies":
			v1 = r.pos
		}
	})
	if err := r.end(); err != nil {
		return false, err
	}
	if l.count == 0 && v1 >= 0 {
		l.old = true
		r := newReader(l.file.Data)
		r.pos = v1
		l.tree(r, "")
		return true, r.err
	}
	return full, nil
}

// every keeps all packages.
func every([]byte) bool { return true }

func (l *npmLock) add(r *reader, loc []byte, pos int, keep func(loc []byte) bool) {
	if len(loc) == 0 {
		l.root = map[string]string{}
		r.object(func(key []byte, _ int) {
			if strings.HasSuffix(string(key), "ependencies") {
				maps.Copy(l.root, r.texts())
			}
		})
		return
	}
	l.count++
	all := keep != nil && keep(loc)
	if l.only && !all {
		return
	}
	var p locked
	var version, resolved, integrity, name []byte
	r.object(func(key []byte, _ int) {
		switch string(key) {
		case "version":
			version = r.quoted()
		case "resolved":
			resolved = r.quoted()
		case "integrity":
			integrity = r.quoted()
		case "name":
			name = r.quoted()
		case "link":
			p.link = r.truthy() || p.link
		case "dev":
			p.dev = r.truthy()
		case "optional":
			p.optional = r.truthy()
		case "devOptional":
			p.devOptional = r.truthy()
		case "peer":
			p.peer = r.truthy()
		case "inBundle":
			p.inBundle = r.truthy()
		case "extraneous":
			p.extraneous = r.truthy()
		case "hasInstallScript":
			p.script = r.truthy() || p.script
		case "os":
			p.os = r.strings()
		case "cpu":
			p.cpu = r.strings()
		case "libc":
			p.libc = r.strings()
		case "dependencies", "optionalDependencies", "peerDependencies", "devDependencies":
			if all {
				if p.specs == nil {
					p.specs = map[string]string{}
				}
				maps.Copy(p.specs, r.texts())
			}
		}
	})
	if l.list && !p.link && !p.script && !all {
		l.places = append(l.places, string(loc))
	}
	if all || p.script || p.link {
		p.loc = string(loc)
		p.line = l.lines.at(r.data, pos)
		p.version, p.resolved, p.integrity, p.name = r.unquote(version), r.unquote(resolved), r.unquote(integrity), r.unquote(name)
		l.pkgs = append(l.pkgs, p)
	}
}

// tree reads the nested "dependencies" of version 1.
func (l *npmLock) tree(r *reader, parent string) {
	r.object(func(name []byte, pos int) {
		p := locked{loc: path.Join(parent, "node_modules", string(name)), line: l.lines.at(r.data, pos), script: true}
		r.object(func(key []byte, _ int) {
			switch string(key) {
			case "version":
				p.version = r.text()
			case "resolved":
				p.resolved = r.text()
			case "integrity":
				p.integrity = r.text()
			case "dev":
				p.dev = r.truthy()
			case "optional":
				p.optional = r.truthy()
			case "bundled":
				p.inBundle = r.truthy()
			case "dependencies":
				l.tree(r, p.loc)
			}
		})
		// In version 1 the version of what does not come from a registry is its address.
		if rest, ok := strings.CutPrefix(p.version, "file:"); ok && parseValue("", p.version).kind == directorySpec {
			p.link, p.resolved, p.version = true, rest, ""
		} else if p.resolved == "" && strings.ContainsAny(p.version, ":/") {
			p.resolved, p.version = p.version, ""
		}
		l.count++
		l.pkgs = append(l.pkgs, p)
	})
}

// omitted tells whether a package is left out with --omit (@npmcli/arborist, lib/node.js shouldOmit).
func (p *locked) omitted(omit map[string]bool) bool {
	return p.peer && omit["peer"] || p.dev && omit["dev"] || p.optional && omit["optional"] || p.devOptional && omit["dev"] && omit["optional"]
}

// drifted tells whether package.json asks for other things than when the lockfile was written (@npmcli/arborist
// lib/arborist/load-virtual.js, #checkRootEdges).
func (l *npmLock) drifted(root *manifest) bool {
	if root == nil || l.root == nil {
		return true
	}
	asked := map[string]bool{}
	for _, deps := range root.deps {
		for name, value := range deps {
			if asked[name] = true; l.root[name] != value && !sameSpec(parseValue(name, l.root[name]), parseValue(name, value)) {
				return true
			}
		}
	}
	return len(asked) != len(l.root)
}

// packageName is the name under which the package is published: npm records it when the place has another (an alias).
func (p *locked) packageName() string {
	if p.name != "" {
		return p.name
	}
	return nameOf(p.loc)
}

// fromRegistry takes name and version out of the address of a registry's tarball, which the package cannot forge
// (@npmcli/arborist, lib/version-from-tgz.js).
func fromRegistry(url string) (name, version string, ok bool) {
	rest, ok := strings.CutPrefix(url, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(url, "http://"); !ok {
			return "", "", false
		}
	}
	host, pathname, ok := strings.Cut(rest, "/")
	i := strings.LastIndex(pathname, "/-/")
	if !ok || host == "" || i < 0 {
		return "", "", false
	}
	project, file := pathname[:i], pathname[i+3:]
	if strings.ContainsAny(file, "/?#") {
		return "", "", false
	}
	project = strings.NewReplacer("%2f", "/", "%2F", "/").Replace(project)
	scope := path.Base(path.Dir(project))
	project = path.Base(project)
	version, ok1 := strings.CutPrefix(strings.TrimSuffix(file, ".tgz"), project+"-")
	if _, ok2 := parseVersion(version); !ok1 || !ok2 || !strings.HasSuffix(file, ".tgz") {
		return "", "", false
	}
	if strings.HasPrefix(scope, "@") {
		project = scope + "/" + project
	}
	return project, version, true
}
