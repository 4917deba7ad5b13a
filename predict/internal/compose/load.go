package compose

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// project is one plan: the files of a project merged, and what was said so far.
type project struct {
	fs     *workspace.FS
	args   Args
	dir    string // working directory of the client
	home   string // project directory
	model  *node  // the merged file
	result source.Result
	seen   map[string]bool

	nodes, text, files int
}

func (p *project) env(name string) (string, bool) {
	if p.args.Env == nil {
		return "", false
	}
	return p.args.Env(name)
}

func (p *project) claim(c source.Claim) {
	key := c.Class.String() + "\x00" + c.Access.String() + "\x00" + c.Target
	if c.Target == "" || p.seen[key] {
		return
	}
	p.seen[key] = true
	c.Dir = cmp.Or(c.Dir, p.home, p.dir)
	p.result.Claims = append(p.result.Claims, c)
}

func (p *project) unknown(from effect.Source, why string, could ...effect.Class) {
	from.Rule = "compose/unknown"
	key := "unknown\x00" + from.File + "\x00" + why
	if !p.seen[key] {
		p.seen[key] = true
		p.result.Unknowns = append(p.result.Unknowns, source.Unknown{From: from, Why: why, Could: could})
	}
}

// all is what a container that is not confined could do.
func all() []effect.Class {
	return []effect.Class{effect.Container, effect.Environment, effect.File, effect.Network, effect.Process}
}

// load finds, reads and merges the files. It is false where there is no project.
func (p *project) load() bool {
	names := p.find()
	if len(names) == 0 {
		return false // compose says that there is no configuration file
	}
	p.home = p.dir
	if names[0] != "-" {
		p.home = path.Dir(names[0])
	}
	if p.args.ProjectDir != "" {
		p.home = workspace.Join(p.dir, p.args.ProjectDir)
	}
	vars := p.variables(p.environmentFiles())
	ok := true
	for _, name := range names {
		if name == "-" {
			p.unknown(effect.Source{}, "a compose file is read from standard input", all()...)
			continue
		}
		n := p.read(name, p.home, vars, effect.Source{}, 0)
		if n == nil {
			ok = false
			continue
		}
		p.model = merge(p.model, n)
	}
	return ok && p.model != nil
}

// find gives the files: -f, COMPOSE_FILE, or the default names in this folder or the nearest one above that has one.
func (p *project) find() []string {
	names := p.args.Files
	if len(names) == 0 {
		if v, ok := p.env("COMPOSE_FILE"); ok && v != "" {
			sep := ":"
			if s, ok := p.env("COMPOSE_PATH_SEPARATOR"); ok && s != "" {
				sep = s
			}
			names = strings.Split(v, sep)
		}
	}
	if len(names) > 0 {
		out := make([]string, len(names))
		for i, n := range names {
			if out[i] = n; n != "-" {
				out[i] = workspace.Join(p.dir, n)
			}
		}
		return out
	}
	for dir := p.dir; ; dir = path.Dir(dir) {
		for _, base := range []string{"compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"} {
			if !p.fs.Exists(path.Join(dir, base)) {
				continue
			}
			out := []string{path.Join(dir, base)}
			for _, over := range []string{"compose.override.yml", "compose.override.yaml", "docker-compose.override.yml", "docker-compose.override.yaml"} {
				if p.fs.Exists(path.Join(dir, over)) {
					return append(out, path.Join(dir, over))
				}
			}
			return out
		}
		if dir == "/" || dir == "." {
			return nil
		}
	}
}

// environmentFiles reads --env-file, COMPOSE_ENV_FILES or the project's .env.
func (p *project) environmentFiles() map[string]string {
	names := p.args.EnvFiles
	if v, ok := p.env("COMPOSE_ENV_FILES"); ok && len(names) == 0 {
		names = strings.Split(v, ",")
	}
	base := p.dir
	if len(names) == 0 {
		names, base = []string{".env"}, p.home
	}
	return p.envFiles(names, base)
}

func (p *project) envFiles(names []string, base string) map[string]string {
	out := map[string]string{}
	for _, n := range names {
		name := workspace.Join(base, n)
		values, f, err := p.readEnvFile(name, p.variables(out))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		from := effect.Source{File: name, Rule: "compose/env-file"}
		if f != nil {
			from.SHA256, from.Line = f.SHA256, 1
		}
		p.claim(source.Claim{Class: effect.Environment, Access: effect.Read, Target: name, From: from})
		if err != nil {
			p.unknown(from, "the environment file cannot be read: "+err.Error(), effect.Environment)
		}
		for k, v := range values {
			out[k] = v
		}
	}
	return out
}

// read reads one file with what it includes, and joins its services to those that they extend.
func (p *project) read(name, dir string, vars lookup, by effect.Source, depth int) *node {
	if p.files++; p.files > maxFiles || depth > maxDepth/4 {
		p.unknown(by, "compose files include each other more often than is followed", all()...)
		return nil
	}
	f, err := p.fs.Read(name)
	if err != nil {
		if by.File == "" && errors.Is(err, fs.ErrNotExist) {
			return nil // compose stops
		}
		by.File = cmp.Or(by.File, name)
		p.unknown(by, "the compose file "+name+" cannot be read: "+err.Error(), all()...)
		return nil
	}
	n, err := p.parse(f, dir, vars)
	if err != nil {
		p.unknown(effect.Source{File: f.Path, SHA256: f.SHA256}, "the compose file cannot be read: "+err.Error(), all()...)
		return nil
	}
	if n.kind != mapping {
		if n.kind != null {
			p.unknown(n.at(""), "the compose file is not a mapping", all()...)
		}
		return &node{kind: mapping, file: f, dir: dir}
	}
	services := n.get("services")
	if services != nil {
		for _, k := range slices.Clone(services.keys) {
			services.fields[k] = p.extended(services, k, vars, nil)
		}
	}
	for _, inc := range listOf(n.get("include")) {
		if m := p.include(inc, vars, depth); m != nil {
			n = merge(m, n)
		}
	}
	return n
}

// listOf is the elements of a sequence, or a value alone.
func listOf(n *node) []*node {
	switch {
	case n == nil || n.kind == null:
		return nil
	case n.kind == sequence:
		return n.list
	}
	return []*node{n}
}

// include reads what one entry of `include` names: files with a project directory and environment of their own.
func (p *project) include(inc *node, vars lookup, depth int) *node {
	paths := inc.strings()
	if inc.kind == mapping {
		paths = inc.get("path").strings()
	}
	if len(paths) == 0 {
		return nil
	}
	first := workspace.Join(inc.dir, paths[0])
	home := path.Dir(first)
	if d := inc.get("project_directory").str(); d != "" {
		home = workspace.Join(inc.dir, d)
	}
	names, base := inc.get("env_file").strings(), inc.dir
	if len(names) == 0 {
		names, base = []string{".env"}, home
	}
	files := p.envFiles(names, base)
	own := func(name string) (string, bool) {
		if v, ok := vars(name); ok {
			return v, true
		}
		v, ok := files[name]
		return v, ok
	}
	var out *node
	for _, name := range paths {
		if strings.Contains(name, Placeholder) || strings.Contains(name, "://") || strings.HasPrefix(name, "git@") {
			p.unknown(inc.at(""), "an included compose file is not in the workspace: "+name, all()...)
			continue
		}
		if n := p.read(workspace.Join(inc.dir, name), home, own, inc.at("compose/include"), depth+1); n != nil {
			out = merge(out, n)
		}
	}
	return out
}

// extended joins a service to the one it extends, which may stand in another file.
func (p *project) extended(services *node, name string, vars lookup, chain []string) *node {
	s := services.get(name)
	ext := s.get("extends")
	if ext == nil {
		return s
	}
	base, file := ext.str(), ext.get("file").str()
	if ext.kind == mapping {
		base = ext.get("service").str()
	}
	key := file + "\x00" + base
	if slices.Contains(chain, key) || len(chain) > 20 {
		p.unknown(ext.at(""), "services extend each other in a circle", all()...)
		return s
	}
	chain = append(chain, key)
	from := services
	if file != "" {
		if p.files++; p.files > maxFiles {
			p.unknown(ext.at(""), "services extend more files than are followed", all()...)
			return s
		}
		name := workspace.Join(ext.dir, file)
		f, err := p.fs.Read(name)
		if err != nil {
			p.unknown(ext.at(""), "the compose file "+name+" cannot be read: "+err.Error(), all()...)
			return s
		}
		n, err := p.parse(f, path.Dir(name), vars)
		if err != nil {
			p.unknown(ext.at(""), "the compose file "+name+" cannot be read: "+err.Error(), all()...)
			return s
		}
		from = n.get("services")
	}
	if from.get(base) == nil {
		return s // compose stops
	}
	b := p.extended(from, base, vars, chain)
	out := merge(b, s)
	if out != nil && out.kind == mapping {
		out.remove("extends")
	}
	return out
}

// merge puts one file or service over another (compose: "Merge"): mappings join, sequences append, and what is marked
// !reset or !override replaces.
func merge(base, over *node) *node { return mergeAt("", base, over, 0) }

func mergeAt(key string, base, over *node, depth int) *node {
	switch {
	case over == nil || over.kind == null && over.tag != "!reset" && base != nil:
		return base
	case over.tag == "!reset":
		return nil
	case base == nil || over.tag == "!override" || depth > maxDepth:
		return over
	}
	switch key {
	case "environment", "labels", "args", "extra_hosts", "sysctls", "annotations", "depends_on", "additional_contexts":
		base, over = asMapping(base), asMapping(over)
	case "command", "entrypoint", "test":
		return over
	case "build":
		base, over = asBuild(base), asBuild(over)
	}
	switch {
	case base.kind == mapping && over.kind == mapping:
		out := *over
		out.keys, out.fields = nil, nil
		for _, k := range base.keys {
			out.set(k, base.fields[k])
		}
		for _, k := range over.keys {
			v := mergeAt(k, base.fields[k], over.fields[k], depth+1)
			if v == nil {
				out.remove(k)
				continue
			}
			out.set(k, v)
		}
		return &out
	case base.kind == sequence && over.kind == sequence || key == "env_file" || key == "dns" || key == "tmpfs":
		out := *over
		out.kind = sequence
		out.list = slices.Concat(listOf(base), listOf(over))
		return &out
	}
	return over
}

// asMapping reads a list of `NAME=VALUE` and `NAME` as a mapping.
func asMapping(n *node) *node {
	if n == nil || n.kind != sequence {
		return n
	}
	out := &node{kind: mapping, file: n.file, line: n.line, dir: n.dir}
	for _, x := range n.list {
		k, v, has := strings.Cut(x.str(), "=")
		item := *x
		item.text = v
		if !has {
			item.kind = null
		}
		out.set(k, &item)
	}
	return out
}

func asBuild(n *node) *node {
	if n == nil || n.kind != scalar {
		return n
	}
	out := &node{kind: mapping, file: n.file, line: n.line, dir: n.dir}
	out.set("context", n)
	return out
}
