package jsscan

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// builtin tells Node's own modules.
func builtin(spec string) (string, bool) {
	name := strings.TrimPrefix(spec, "node:")
	base, _, _ := strings.Cut(name, "/")
	switch base {
	case "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "diagnostics_channel", "dns", "domain",
		"events", "fs", "http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process", "punycode", "querystring", "readline",
		"repl", "stream", "string_decoder", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib":
		if base != name {
			switch name {
			case "fs/promises", "dns/promises", "timers/promises", "readline/promises", "stream/promises", "stream/web", "path/posix", "path/win32", "util/types", "assert/strict":
			default:
				return "", false
			}
		}
		return name, true
	case "sea", "sqlite", "test":
		return name, spec != name
	}
	return "", false
}

// canonical gives each builtin one path.
func canonical(name string) string {
	switch name {
	case "fs/promises":
		return "fs.promises"
	case "dns/promises":
		return "dns"
	case "timers/promises":
		return "timers.promises"
	case "stream/promises":
		return "stream"
	case "path/posix":
		return "path"
	}
	return strings.ReplaceAll(name, "/", ".")
}

// packageName is the package of a bare specifier, "" for other specifiers.
func packageName(spec string) string {
	if spec == "" || relative(spec) || spec[0] == '#' || strings.Contains(spec, ":") {
		return ""
	}
	parts := strings.SplitN(spec, "/", 3)
	if spec[0] == '@' && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// packagePath is the Native path of a package that is not followed.
func packagePath(spec string) string {
	switch spec {
	case "fs-extra", "graceful-fs", "fs-extra/esm", "jsonfile", "mz/fs", "fs-jetpack":
		return "fs"
	case "mz/child_process":
		return "child_process"
	case "original-fs":
		return "fs"
	}
	return "pkg:" + spec
}

// resolve finds the file that spec names in the file from, as Node does.
func (l *lang) resolve(ev *script.Eval, from, spec string, esm bool) (string, bool) {
	dir := path.Dir(from)
	if strings.HasPrefix(spec, "file://") {
		spec = fileURL(spec)
	}
	if i := strings.IndexAny(spec, "?"); i > 0 && esm && relative(spec) {
		spec = spec[:i]
	}
	switch {
	case spec == "":
		return "", false
	case relative(spec):
		p := spec
		if !strings.HasPrefix(spec, "/") {
			p = path.Join(dir, spec)
			if strings.HasSuffix(spec, "/") {
				p += "/"
			}
		}
		return l.file(ev, p)
	case spec[0] == '#':
		return l.imports(ev, dir, spec, esm)
	}
	name := packageName(spec)
	if name == "" {
		return "", false
	}
	sub := strings.TrimPrefix(spec[len(name):], "/")
	for d, n := dir, 0; n < 64; d, n = path.Dir(d), n+1 {
		if path.Base(d) != "node_modules" {
			root := path.Join(d, "node_modules", name)
			if ev.FS.IsDir(root) {
				if f, ok := l.inPackage(ev, ev.FS.Real(root), sub, esm); ok {
					return f, true
				}
			}
		}
		if pkg, ok := l.manifest(ev, d); ok && pkg.str("name") == name && pkg["exports"] != nil {
			return l.inPackage(ev, d, sub, esm) // a package may import itself
		}
		if d == "/" || d == "." {
			break
		}
	}
	return "", false
}

// file finds p as a file, with an extension added, or as a folder.
func (l *lang) file(ev *script.Eval, p string) (string, bool) {
	isFile := func(f string) bool { return ev.FS.Exists(f) && !ev.FS.IsDir(f) }
	if !strings.HasSuffix(p, "/") {
		if isFile(p) {
			return ev.FS.Real(p), true
		}
		for _, ext := range []string{".js", ".json", ".node", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".mts", ".cts"} {
			if isFile(p + ext) {
				return ev.FS.Real(p + ext), true
			}
		}
		// TypeScript names the file that it will become.
		switch ext := path.Ext(p); ext {
		case ".js", ".mjs", ".cjs":
			if ts := strings.TrimSuffix(p, "js") + "ts"; isFile(ts) {
				return ev.FS.Real(ts), true
			}
		}
	}
	p = strings.TrimSuffix(p, "/")
	if p == "" || !ev.FS.IsDir(p) {
		return "", false
	}
	if pkg, ok := l.manifest(ev, p); ok {
		if main := pkg.str("main"); main != "" {
			m := path.Join(p, main)
			if m != p {
				if f, ok := l.file(ev, m); ok {
					return f, true
				}
			}
		}
	}
	for _, ext := range []string{".js", ".json", ".node", ".mjs", ".cjs", ".ts", ".tsx"} {
		if f := path.Join(p, "index"+ext); isFile(f) {
			return ev.FS.Real(f), true
		}
	}
	return "", false
}

// manifest is a package.json.
type manifest map[string]any

func (m manifest) str(key string) string {
	s, _ := m[key].(string)
	return s
}

func (l *lang) manifest(ev *script.Eval, dir string) (manifest, bool) {
	if m, ok := l.manifests[dir]; ok {
		return m, m != nil
	}
	m, ok := readManifest(ev, path.Join(dir, "package.json"))
	l.manifests[dir] = m
	return m, ok
}

func readManifest(ev *script.Eval, name string) (manifest, bool) {
	if !ev.FS.Exists(name) {
		return nil, false
	}
	b, err := ev.ReadSource(name)
	if err != nil {
		return nil, false
	}
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil || m == nil {
		return nil, false
	}
	return m, true
}

func (l *lang) inPackage(ev *script.Eval, root, sub string, esm bool) (string, bool) {
	pkg, ok := l.manifest(ev, root)
	if ok && pkg["exports"] != nil {
		key := "."
		if sub != "" {
			key = "./" + sub
		}
		target, ok := exportTarget(pkg["exports"], key, esm)
		if !ok {
			return "", false
		}
		f := path.Join(root, target)
		if !strings.HasPrefix(f, root+"/") {
			return "", false
		}
		if ev.FS.Exists(f) && !ev.FS.IsDir(f) {
			return ev.FS.Real(f), true
		}
		return "", false
	}
	return l.file(ev, path.Join(root, sub))
}

// exportTarget looks key up in an exports or imports map.
func exportTarget(exports any, key string, esm bool) (string, bool) {
	m, isMap := exports.(map[string]any)
	if isMap {
		conditions := true
		for k := range m {
			conditions = conditions && !strings.HasPrefix(k, ".") && !strings.HasPrefix(k, "#")
		}
		if !conditions {
			if v, ok := m[key]; ok {
				return condition(v, esm, 0)
			}
			return exportPattern(m, key, esm)
		}
	}
	if key != "." {
		return "", false
	}
	return condition(exports, esm, 0)
}

// exportPattern matches the longest "./prefix*suffix" key.
func exportPattern(m map[string]any, key string, esm bool) (string, bool) {
	best, middle := "", ""
	for k := range m {
		before, after, ok := strings.Cut(k, "*")
		if !ok || !strings.HasPrefix(key, before) || !strings.HasSuffix(key, after) || len(key) < len(before)+len(after) {
			continue
		}
		// The longest part before the star counts, then the longest key (PATTERN_KEY_COMPARE of node's resolution).
		if at := strings.IndexByte(best, '*'); best == "" || len(before) > at || len(before) == at && (len(k) > len(best) || len(k) == len(best) && k < best) {
			best, middle = k, key[len(before):len(key)-len(after)]
		}
	}
	if best == "" {
		return "", false
	}
	t, ok := condition(m[best], esm, 0)
	return strings.ReplaceAll(t, "*", middle), ok
}

// condition picks the first target whose conditions hold for node. JSON objects lose their
// order in a map; node's own conditions are tried from the most to the least specific.
func condition(v any, esm bool, depth int) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		for _, x := range v {
			if t, ok := condition(x, esm, depth+1); ok {
				return t, true
			}
		}
	case map[string]any:
		if depth > 16 {
			return "", false
		}
		names := []string{"node", "import", "module-sync", "default"}
		if !esm {
			names = []string{"node", "require", "module-sync", "default"}
		}
		for _, n := range names {
			if x, ok := v[n]; ok {
				if t, ok := condition(x, esm, depth+1); ok {
					return t, true
				}
			}
		}
	}
	return "", false
}

// imports resolves a #name through the package around dir.
func (l *lang) imports(ev *script.Eval, dir, spec string, esm bool) (string, bool) {
	for d, n := dir, 0; n < 64; d, n = path.Dir(d), n+1 {
		if pkg, ok := l.manifest(ev, d); ok {
			m, _ := pkg["imports"].(map[string]any)
			if m == nil {
				return "", false
			}
			target, ok := exportTarget(m, spec, esm)
			if !ok {
				return "", false
			}
			if strings.HasPrefix(target, "./") {
				return l.file(ev, path.Join(d, target))
			}
			return l.resolve(ev, path.Join(d, "package.json"), target, esm)
		}
		if d == "/" || d == "." {
			break
		}
	}
	return "", false
}

// fileURL is the path of a file: URL.
func fileURL(u string) string {
	if p, ok := strings.CutPrefix(u, "file://"); ok {
		return strings.ReplaceAll(p, "%20", " ")
	}
	return u
}
