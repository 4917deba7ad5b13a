package cargo

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// config is one configuration file (The Cargo Book, "Configuration").
type config struct {
	Build struct {
		Rustc            string `toml:"rustc"`
		Wrapper          string `toml:"rustc-wrapper"`
		WorkspaceWrapper string `toml:"rustc-workspace-wrapper"`
		TargetDir        string `toml:"target-dir"`
		Flags            any    `toml:"rustflags"`
	} `toml:"build"`
	Target map[string]struct {
		Linker string `toml:"linker"`
		Runner any    `toml:"runner"`
		Flags  any    `toml:"rustflags"`
	} `toml:"target"`
	Alias  map[string]any `toml:"alias"`
	Env    map[string]any `toml:"env"`
	Source map[string]struct {
		ReplaceWith string `toml:"replace-with"`
		Directory   string `toml:"directory"`
		Local       string `toml:"local-registry"`
		Registry    string `toml:"registry"`
	} `toml:"source"`
	Registry struct {
		Providers []any `toml:"global-credential-providers"`
		Provider  any   `toml:"credential-provider"`
	} `toml:"registry"`
	Net struct {
		Offline bool `toml:"offline"`
	} `toml:"net"`
	Include any      `toml:"include"`
	Paths   []string `toml:"paths"`

	dir  string // what relative programs and folders are relative to
	file *workspace.File
}

func (c *config) at(key, rule string) effect.Source {
	if c.file == nil {
		return effect.Source{Rule: rule}
	}
	return effect.Source{File: c.file.Path, Line: lineOf(c.file.Data, key), SHA256: c.file.SHA256, Rule: rule}
}

// configs reads the configuration that holds in the working directory, the strongest first.
func (p *planner) configs() []*config {
	var out []*config
	for _, text := range p.args.Config {
		c := &config{dir: p.dir}
		if strings.Contains(text, "=") {
			if err := decode([]byte(text), c); err != nil {
				p.unknown(effect.Source{Rule: "cargo/config"}, "--config cannot be read: "+err.Error(), anything()...)
			}
			out = append(out, c)
		} else {
			out = p.readConfig(out, workspace.Join(p.dir, text), p.dir, 0)
		}
	}
	for dir := p.dir; ; dir = path.Dir(dir) {
		if d := path.Join(dir, ".cargo"); d != p.home {
			out = p.configIn(out, d, dir)
		}
		if dir == "/" || dir == "." {
			break
		}
	}
	return p.configIn(out, p.home, path.Dir(p.home))
}

// configIn reads config, or else config.toml, of a folder.
func (p *planner) configIn(out []*config, folder, dir string) []*config {
	for _, name := range []string{"config", "config.toml"} {
		if f := path.Join(folder, name); p.fs.Exists(f) && !p.fs.IsDir(f) {
			return p.readConfig(out, f, dir, 0)
		}
	}
	return out
}

func (p *planner) readConfig(out []*config, name, dir string, depth int) []*config {
	if depth > 5 || len(out) > 40 {
		return out
	}
	f, err := p.fs.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return out
	}
	c := &config{dir: dir, file: f}
	if err == nil {
		err = decode(f.Data, c)
	}
	if err != nil {
		p.unknown(effect.Source{File: name, Rule: "cargo/config"}, "cargo's configuration cannot be read: "+err.Error(), anything()...)
		return out
	}
	out = append(out, c)
	for _, inc := range stringList(c.Include) {
		out = p.readConfig(out, workspace.Join(path.Dir(name), inc), dir, depth+1)
	}
	return out
}

// stringList reads a value that is a text of words or a list of texts.
func stringList(v any) []string {
	switch v := v.(type) {
	case string:
		return strings.Fields(v)
	case []any:
		var out []string
		for _, x := range v {
			switch x := x.(type) {
			case string:
				out = append(out, x)
			case map[string]any:
				if s, ok := x["path"].(string); ok {
					out = append(out, s)
				}
			}
		}
		return out
	}
	return nil
}

// program makes the path of a program absolute where the configuration gives one with a slash.
func (c *config) program(name string) string {
	if strings.Contains(name, "/") {
		return workspace.Join(c.dir, name)
	}
	return name
}

// tools starts what the configuration puts in front of, or in place of, the compiler and the linker.
func (p *planner) tools(links bool) {
	p.tool("rustc", "RUSTC", func(c *config) string { return c.Build.Rustc }, "rustc", nil)
	p.tool("rustc-wrapper", "RUSTC_WRAPPER", func(c *config) string { return c.Build.Wrapper }, "", []string{"rustc"})
	p.tool("rustc-workspace-wrapper", "RUSTC_WORKSPACE_WRAPPER", func(c *config) string { return c.Build.WorkspaceWrapper }, "", []string{"rustc"})
	if !links {
		return
	}
	linkers := 0
	add := func(words []string, from effect.Source) {
		linkers++
		p.job(source.Job{Argv: words, Dir: p.root.dir, Label: "linker", From: from})
	}
	for _, c := range p.config {
		for _, x := range sortedKeys(c.Target) {
			t := c.Target[x]
			if !p.forTarget(x) {
				continue
			}
			if t.Linker != "" {
				add([]string{c.program(t.Linker)}, c.at("linker", "cargo/linker"))
			}
			if l := linkerFlag(stringList(t.Flags)); l != "" {
				add([]string{workspaceProgram(p.root.dir, l)}, c.at("rustflags", "cargo/linker"))
			}
		}
		if l := linkerFlag(stringList(c.Build.Flags)); l != "" {
			add([]string{workspaceProgram(p.root.dir, l)}, c.at("rustflags", "cargo/linker"))
		}
	}
	if v, ok := p.env("RUSTFLAGS"); ok {
		if l := linkerFlag(strings.Fields(v)); l != "" {
			add([]string{workspaceProgram(p.root.dir, l)}, effect.Source{Rule: "cargo/linker"})
		}
	}
	if linkers == 0 {
		p.exec("cc", effect.Source{Rule: "cargo/link"})
	}
}

// tool starts one program that a variable or the configuration names; without either, the default one.
func (p *planner) tool(key, variable string, value func(*config) string, fallback string, args []string) {
	for _, name := range []string{variable, "CARGO_BUILD_" + variable} {
		if v, ok := p.env(name); ok {
			if v != "" {
				p.job(source.Job{Argv: append([]string{v}, args...), Dir: p.root.dir, Label: key, From: effect.Source{Rule: "cargo/" + key}})
			}
			return // set and empty turns it off
		}
	}
	for _, c := range p.config {
		if v := value(c); v != "" {
			p.job(source.Job{Argv: append([]string{c.program(v)}, args...), Dir: p.root.dir, Label: key, From: c.at(key, "cargo/"+key)})
			return
		}
	}
	if fallback != "" {
		p.exec(fallback, effect.Source{Rule: "cargo/" + key})
	}
}

func workspaceProgram(dir, name string) string {
	if strings.Contains(name, "/") {
		return workspace.Join(dir, name)
	}
	return name
}

// linkerFlag finds `-C linker=x` and `-Clinker=x`.
func linkerFlag(flags []string) string {
	for i, f := range flags {
		if l, ok := strings.CutPrefix(f, "-Clinker="); ok {
			return l
		}
		if l, ok := strings.CutPrefix(f, "linker="); ok && i > 0 && (flags[i-1] == "-C" || flags[i-1] == "--codegen") {
			return l
		}
	}
	return ""
}

// forTarget tells whether a [target.X] table is for what is built.
func (p *planner) forTarget(x string) bool {
	if p.args.Target != "" && !strings.HasPrefix(x, "cfg(") {
		return x == p.args.Target
	}
	return targetApplies(x)
}

// runner gives the program that runs what was built, with its arguments.
func (p *planner) runner() ([]string, effect.Source) {
	for _, c := range p.config {
		for _, x := range sortedKeys(c.Target) {
			if words := stringList(c.Target[x].Runner); len(words) > 0 && p.forTarget(x) {
				return append([]string{c.program(words[0])}, words[1:]...), c.at("runner", "cargo/runner")
			}
		}
	}
	return nil, effect.Source{}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// environment claims the variables of [env] and gives them for the jobs.
func (p *planner) environment() map[string]string {
	env := map[string]string{}
	for _, c := range p.config {
		for _, k := range sortedKeys(c.Env) {
			v := c.Env[k]
			text, ok := v.(string)
			if !ok {
				text, _ = get(v, "value").(string)
				if get(v, "relative") == true {
					text = workspace.Join(c.dir, text)
				}
			}
			_, there := p.env(k)
			if _, has := env[k]; has || there && get(v, "force") != true {
				continue
			}
			env[k] = text
			p.claim(source.Claim{Class: effect.Environment, Access: effect.Write, Target: k, From: c.at(k, "cargo/env")})
		}
	}
	return env
}

// credentials starts the programs that give cargo its tokens; names with "cargo:" are built in.
func (p *planner) credentials() {
	for _, c := range p.config {
		for _, v := range append(slices.Clone(c.Registry.Providers), c.Registry.Provider) {
			words := stringList(v)
			if s, ok := v.(string); ok {
				words = strings.Fields(s)
			}
			if len(words) > 0 && !strings.HasPrefix(words[0], "cargo:") {
				p.job(source.Job{Argv: append([]string{c.program(words[0])}, words[1:]...), Dir: p.dir, Label: "credential provider", From: c.at("global-credential-providers", "cargo/credential-provider")})
			}
		}
	}
}

// vendored gives the folder that replaces the default registry, where the configuration names one.
func (p *planner) vendored() string {
	for _, c := range p.config {
		for name, seen := "crates-io", 0; seen < 5; seen++ {
			s, ok := c.Source[name]
			if !ok {
				break
			}
			if s.Directory != "" {
				return workspace.Join(c.dir, s.Directory)
			}
			name = s.ReplaceWith
		}
	}
	return ""
}

// registryHost is where crates of the default registry come from: cargo's own name for it, or the address that replaces it.
func (p *planner) registryHost() (string, effect.Source) {
	for _, c := range p.config {
		for name, seen := "crates-io", 0; seen < 5; seen++ {
			s, ok := c.Source[name]
			if !ok {
				break
			}
			if s.Registry != "" {
				return strings.TrimPrefix(s.Registry, "sparse+"), c.at("registry", "cargo/source")
			}
			name = s.ReplaceWith
		}
	}
	return "@crates", effect.Source{}
}
