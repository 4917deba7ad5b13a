// Package gosrc is what the go command takes from a module's sources: modules that it must fetch, go:generate directives, and
// that it compiles or runs the workspace's own code. It refuses to say what that code does: Go sources are not analysed, so
// running them is an unknown.
package gosrc

import (
	"bytes"
	"path"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Request is one call of the go command.
type Request struct {
	Verb     string   // build, test, run, generate, vet, list, install, mod, ...
	Patterns []string // packages: "./...", ".", files
	Vendor   bool     // -mod=vendor
	Output   bool     // -o says where the result goes, so the model knows it
	Dir      string   // absolute
	Home     string
	Env      func(string) (string, bool)
}

const (
	maxFolders = 2000
	maxDepth   = 30
)

// Plan says what the call sets in motion besides what its model says.
func Plan(fs *workspace.FS, r Request) source.Result {
	p := planner{fs: fs, r: r}
	if r.Env == nil {
		p.r.Env = func(string) (string, bool) { return "", false }
	}
	p.findModule()
	switch r.Verb {
	case "build":
		p.missingModules()
		p.executable()
	case "install", "list", "vet", "fix":
		p.missingModules()
	case "test":
		p.missingModules()
		p.unknown(effect.Source{Rule: "go/test"}, "go test runs the tests and code of the packages, which are Go sources that are not analysed")
	case "run":
		p.missingModules()
		p.unknown(effect.Source{Rule: "go/run"}, "go run runs a program whose Go sources are not analysed")
	case "generate":
		p.generate()
	}
	return p.res
}

type planner struct {
	fs   *workspace.FS
	r    Request
	root string // folder of go.mod; empty without one
	res  source.Result
	dirs int
}

func (p *planner) unknown(from effect.Source, why string) {
	p.res.Unknowns = append(p.res.Unknowns, source.Unknown{From: from, Why: why,
		Could: []effect.Class{effect.Environment, effect.File, effect.Network, effect.Process}})
}

// findModule looks upwards for go.mod, as cmd/go does.
func (p *planner) findModule() {
	for d := path.Clean(p.r.Dir); ; d = path.Dir(d) {
		if p.fs.IsFile(d + "/go.mod") {
			p.root = d
			return
		}
		if d == "/" {
			return
		}
	}
}

// executable claims the program that go build leaves in its folder: only when it builds one package, and that is a main
// package ("go help build").
func (p *planner) executable() {
	if p.r.Output || len(p.r.Patterns) > 1 && !strings.HasSuffix(p.r.Patterns[0], ".go") {
		return
	}
	from := effect.Source{Rule: "go/build"}
	name := "."
	if len(p.r.Patterns) > 0 {
		name = p.r.Patterns[0]
	}
	switch {
	case strings.Contains(name, "..."):
		return
	case strings.HasSuffix(name, ".go"):
		if p.isMain(workspace.Join(p.r.Dir, name)) {
			p.writes(strings.TrimSuffix(path.Base(name), ".go"), from)
		}
		return
	case !strings.HasPrefix(name, ".") && !path.IsAbs(name):
		p.unknown(from, "go build of "+name+": only packages given by their folder are looked at, and a main package leaves a program here")
		return
	}
	dir := workspace.Join(p.r.Dir, name)
	names, err := p.fs.Names(dir)
	if err != nil {
		return // the go command stops as well
	}
	for _, n := range names {
		if strings.HasSuffix(n, ".go") && !strings.HasSuffix(n, "_test.go") && p.isMain(dir+"/"+n) {
			p.writes(p.programName(dir), from)
			return
		}
	}
}

func (p *planner) writes(name string, from effect.Source) {
	p.res.Claims = append(p.res.Claims, source.Claim{Class: effect.File, Access: effect.Write, Target: name, Dir: p.r.Dir, From: from})
}

// programName is the last element of a package's import path; a major version suffix is not a name.
func (p *planner) programName(dir string) string {
	if dir != p.root {
		return path.Base(dir)
	}
	f, err := p.fs.Read(p.root + "/go.mod")
	if err != nil {
		return path.Base(dir)
	}
	name := modfile.ModulePath(f.Data)
	if prefix, _, ok := module.SplitPathVersion(name); ok {
		name = prefix
	}
	if name == "" {
		return path.Base(dir)
	}
	return path.Base(name)
}

// isMain tells whether a Go file belongs to a main package. Of the files that a build constraint leaves out only those that
// are left out everywhere are known.
func (p *planner) isMain(name string) bool {
	f, err := p.fs.Read(name)
	if err != nil {
		return true // it may be
	}
	for line := range bytes.Lines(f.Data) {
		line = bytes.TrimSpace(line)
		if bytes.Equal(line, []byte("//go:build ignore")) {
			return false
		}
		if rest, ok := bytes.CutPrefix(line, []byte("package ")); ok {
			word, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
			return string(bytes.TrimRight(word, ";")) == "main"
		}
	}
	return false
}

// missingModules claims the network when a required module is not in the module cache, and a vendor folder does not stand in
// for it ("go help modules", "go help environment").
func (p *planner) missingModules() {
	if p.root == "" || p.r.Vendor || p.fs.IsFile(p.root+"/vendor/modules.txt") {
		return
	}
	f, err := p.fs.Read(p.root + "/go.mod")
	if err != nil {
		p.unknown(effect.Source{File: p.root + "/go.mod", Rule: "go/mod"}, "go.mod cannot be read")
		return
	}
	from := effect.Source{File: f.Path, SHA256: f.SHA256, Line: 1, Rule: "go/mod"}
	m, err := modfile.ParseLax(f.Path, f.Data, nil)
	if err != nil {
		p.unknown(from, "go.mod does not parse: "+err.Error())
		return
	}
	cache := p.cache()
	for _, req := range m.Require {
		if p.cached(cache, req.Mod) || replacedByFolder(m, req.Mod.Path) {
			continue
		}
		from.Line = req.Syntax.Start.Line
		p.res.Claims = append(p.res.Claims, source.Claim{Class: effect.Network, Access: effect.Fetch, Target: "@go", From: from})
		return
	}
}

func replacedByFolder(m *modfile.File, name string) bool {
	for _, r := range m.Replace {
		if r.Old.Path == name && r.New.Version == "" {
			return true
		}
	}
	return false
}

// cache is the module cache: GOMODCACHE, else pkg/mod in GOPATH, else in ~/go.
func (p *planner) cache() string {
	if v, ok := p.r.Env("GOMODCACHE"); ok && path.IsAbs(v) {
		return v
	}
	if v, ok := p.r.Env("GOPATH"); ok && v != "" {
		first, _, _ := strings.Cut(v, ":")
		return path.Join(first, "pkg/mod")
	}
	return path.Join(p.r.Home, "go/pkg/mod")
}

func (p *planner) cached(cache string, m module.Version) bool {
	name, err1 := module.EscapePath(m.Path)
	version, err2 := module.EscapeVersion(m.Version)
	if err1 != nil || err2 != nil {
		return false
	}
	return p.fs.IsDir(path.Join(cache, name+"@"+version)) || p.fs.IsFile(path.Join(cache, "cache/download", name, "@v", version+".zip"))
}

// generate reads the go:generate directives of the packages ("go help generate").
func (p *planner) generate() {
	patterns := p.r.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	for _, pat := range patterns {
		dir, all := strings.CutSuffix(pat, "...")
		switch {
		case strings.HasSuffix(pat, ".go"):
			p.directives(workspace.Join(p.r.Dir, pat))
		case strings.HasPrefix(pat, ".") || path.IsAbs(pat):
			p.folder(workspace.Join(p.r.Dir, strings.TrimSuffix(dir, "/")), all, 0)
		default:
			p.unknown(effect.Source{Rule: "go/generate"}, "go generate of "+pat+": only packages given by their folder are looked at")
		}
	}
}

func (p *planner) folder(dir string, all bool, depth int) {
	p.dirs++
	if p.dirs > maxFolders || depth > maxDepth {
		p.unknown(effect.Source{Rule: "go/generate"}, "there are more folders than are looked at for go:generate directives")
		return
	}
	names, err := p.fs.Names(dir)
	if err != nil {
		p.unknown(effect.Source{File: dir, Rule: "go/generate"}, "folder cannot be listed")
		return
	}
	for _, n := range names {
		full := dir + "/" + n
		switch {
		case strings.HasSuffix(n, ".go"):
			p.directives(full)
		case all && n != "testdata" && n != "vendor" && n != "node_modules" && n[0] != '.' && n[0] != '_':
			if info, err := p.fs.Lstat(full); err == nil && info.IsDir() && !p.fs.IsFile(full+"/go.mod") {
				p.folder(full, all, depth+1)
			}
		}
	}
}

func (p *planner) directives(name string) {
	f, err := p.fs.Read(name)
	if err != nil {
		p.unknown(effect.Source{File: name, Rule: "go/generate"}, "Go file cannot be read for its directives")
		return
	}
	if !bytes.Contains(f.Data, []byte("//go:generate ")) {
		return
	}
	short := map[string][]string{}
	for i, line := range strings.Split(string(f.Data), "\n") {
		text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), "//go:generate ")
		if !ok {
			continue
		}
		from := effect.Source{File: f.Path, SHA256: f.SHA256, Line: i + 1, Rule: "go/generate"}
		words, ok := split(text)
		if !ok || len(words) == 0 {
			p.unknown(from, "go:generate directive cannot be split into words")
			continue
		}
		if words[0] == "-command" && len(words) > 2 {
			short[words[1]] = words[2:]
			continue
		}
		if w, ok := short[words[0]]; ok {
			words = append(append([]string(nil), w...), words[1:]...)
		}
		for j, w := range words {
			words[j] = strings.NewReplacer("$GOFILE", path.Base(name), "$GOPACKAGE", "${AMBIT_UNKNOWN}", "$GOLINE", "0", "$DOLLAR", "$").Replace(w)
		}
		p.res.Jobs = append(p.res.Jobs, source.Job{Argv: words, Dir: path.Dir(name), Label: "go:generate in " + path.Base(name), From: from,
			Fields: map[string]string{"GOFILE": path.Base(name)}})
	}
}

// split cuts a directive at blanks, with double-quoted Go strings as one word.
func split(s string) (words []string, ok bool) {
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" {
			return words, true
		}
		if s[0] == '"' {
			end := 1
			for end < len(s) && s[end] != '"' {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(s) {
				return nil, false
			}
			words = append(words, strings.ReplaceAll(s[1:end], `\"`, `"`))
			s = s[end+1:]
			continue
		}
		i := strings.IndexAny(s, " \t")
		if i < 0 {
			i = len(s)
		}
		words = append(words, s[:i])
		s = s[i:]
	}
}
