// Package npmrc is the layered configuration of npm and of the tools that read its files (pnpm, Yarn classic, bun): command
// line, environment, and the .npmrc of project, user, installation and npm itself, each value with the place it comes from.
// It refuses to guess: an unreadable file is reported, not skipped.
package npmrc

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Layer is where a value comes from, strongest first (npm help config, "npmrc Files").
type Layer uint8

// The layers that can set an option.
const (
	CLI Layer = iota
	Env
	Project
	User
	Global
	Builtin
	layers
)

// Value is one option as it was set, with ${VARIABLES} replaced.
type Value struct {
	Text   string
	List   []string // every value of a repeated or "key[]" option; Text is the last
	Layer  Layer
	File   string // absolute; empty for command line and environment
	Line   int
	SHA256 string
}

// True tells whether a boolean option is certainly on. npm takes odd texts ("0", "no") for true as well; a caller that hides
// something on the strength of an option must not follow it there.
func (v Value) True() bool { return v.Text == "true" || v.Text == "" }

// False tells whether a boolean option is certainly off.
func (v Value) False() bool { return v.Text == "false" || v.Text == "null" || v.Text == "undefined" }

// Problem is a configuration file that exists and could not be read.
type Problem struct {
	File string
	Err  error
}

// Install is an npm found on PATH. The zero value is none.
type Install struct {
	Dir     string // npm's own folder: holds package.json and perhaps npmrc
	Version string // "11.19.1"
	Node    string // the node on PATH, links resolved; its folder's parent is npm's default prefix
}

// Find looks for npm and node along PATH as the shell would. A wrapper that is not a link to npm-cli.js gives no folder.
func Find(w *workspace.FS, env func(string) (string, bool)) Install {
	var in Install
	paths, _ := env("PATH")
	npm := ""
	for _, dir := range strings.Split(paths, ":") {
		if !path.IsAbs(dir) {
			continue // an empty or relative entry depends on a folder that is not known here
		}
		if in.Node == "" && w.Executable(dir+"/node") {
			in.Node = path.Join(dir, "node")
			if real, err := w.Resolve("/", in.Node, true); err == nil {
				in.Node = real // process.execPath is the file itself
			}
		}
		if npm == "" && w.Executable(dir+"/npm") {
			npm = dir + "/npm"
		}
		if npm != "" && in.Node != "" {
			break
		}
	}
	if npm == "" {
		return in
	}
	real, err := w.Resolve("/", npm, true)
	if err != nil || path.Base(real) != "npm-cli.js" {
		return in
	}
	dir := path.Dir(path.Dir(real))
	f, err := w.Read(dir + "/package.json")
	if err != nil {
		return in
	}
	if version, ok := packageVersion(f.Data); ok {
		in.Dir, in.Version = dir, version
	}
	return in
}

// packageVersion takes "version" out of npm's own package.json, which npm's release process writes with one key to a line.
func packageVersion(data []byte) (string, bool) {
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), `"version": "`); ok {
			v, _, ok := strings.Cut(rest, `"`)
			return v, ok
		}
	}
	return "", false
}

// Options is what Load needs to know besides the files.
type Options struct {
	CLI     map[string][]string // options of the command line, by npm's name without dashes
	Env     func(string) (string, bool)
	Home    string
	Project string // folder of the project's .npmrc; empty: there is none (global mode)
	Install Install
}

// Config is a loaded configuration.
type Config struct {
	layer    [layers]map[string]Value
	env      func(string) (string, bool)
	opts     Options
	Problems []Problem
	Prefix   string // the global prefix
}

// envOptions are the options whose npm_config_ variables are looked at. npm takes any; these are the ones that anything here
// asks for, and looking them up costs less than listing the environment.
var envOptions = [...]string{"registry", "ignore-scripts", "allow-scripts", "strict-allow-scripts", "dangerously-allow-all-scripts", "omit",
	"include", "only", "also", "production", "script-shell", "prefix", "userconfig", "globalconfig", "node-options", "node-gyp", "git",
	"package-lock", "offline", "audit", "yes", "workspaces", "workspace", "os", "cpu", "libc", "install-strategy", "foreground-scripts",
	"git-tag-version", "cache", "global", "location", "if-present", "ignore-extension", "extension-file", "include-workspace-root"}

// Load reads every layer (npm's @npmcli/config, lib/index.js load()).
func Load(w *workspace.FS, o Options) *Config {
	c := &Config{env: o.Env, opts: o}
	if len(o.CLI) > 0 {
		c.layer[CLI] = map[string]Value{}
		for k, list := range o.CLI {
			v := Value{Layer: CLI, List: list}
			if len(list) > 0 {
				v.Text = list[len(list)-1]
			}
			c.layer[CLI][k] = v
		}
	}
	c.loadEnv()
	if o.Install.Dir != "" {
		c.loadFile(w, o.Install.Dir+"/npmrc", Builtin)
	}
	user := c.text("userconfig", CLI, Env, Builtin)
	if user == "" {
		user = o.Home + "/.npmrc"
	}
	if o.Project != "" && path.Join(o.Project, ".npmrc") != path.Clean(user) {
		c.loadFile(w, path.Join(o.Project, ".npmrc"), Project)
	}
	if user = c.text("userconfig", CLI, Env, Project, Builtin); user == "" && o.Home != "" {
		user = o.Home + "/.npmrc"
	}
	if user != "" {
		c.loadFile(w, c.path(user), User)
	}
	c.Prefix = c.defaultPrefix()
	if p := c.text("prefix", CLI, Env, User, Builtin); p != "" {
		c.Prefix = c.path(p)
	}
	global := c.text("globalconfig", CLI, Env, Project, User, Builtin)
	if global == "" && c.Prefix != "" {
		global = c.Prefix + "/etc/npmrc"
	}
	if global != "" {
		c.loadFile(w, c.path(global), Global)
	}
	return c
}

// defaultPrefix is the folder above the one that holds node (loadGlobalPrefix).
func (c *Config) defaultPrefix() string {
	if p, ok := c.env("PREFIX"); ok && p != "" {
		return p
	}
	if c.opts.Install.Node == "" {
		return ""
	}
	return path.Dir(path.Dir(c.opts.Install.Node))
}

func (c *Config) loadEnv() {
	for _, key := range envOptions {
		for _, name := range [...]string{"npm_config_" + strings.ReplaceAll(key, "-", "_"), "NPM_CONFIG_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))} {
			if v, ok := c.env(name); ok && v != "" {
				if c.layer[Env] == nil {
					c.layer[Env] = map[string]Value{}
				}
				c.layer[Env][key] = Value{Text: v, List: strings.Split(v, "\n\n"), Layer: Env}
				break
			}
		}
	}
}

func (c *Config) loadFile(w *workspace.FS, name string, l Layer) {
	f, err := w.Read(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.Problems = append(c.Problems, Problem{name, err})
		}
		return
	}
	m := map[string]Value{}
	for _, e := range Parse(f.Data) {
		key, text := c.replace(e.Key), strings.TrimSpace(c.replace(e.Value))
		v := Value{Text: text, List: []string{text}, Layer: l, File: f.Path, Line: e.Line, SHA256: f.SHA256}
		if old, ok := m[key]; ok && e.List {
			v.List = append(old.List, text)
		}
		m[key] = v
	}
	c.layer[l] = m
}

// replace puts variables in place of ${NAME} and ${NAME?} (lib/env-replace.js); one that is not set stays as written, or
// becomes empty with "?".
func (c *Config) replace(s string) string {
	if !strings.Contains(s, "${") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			break
		}
		j := strings.IndexByte(s[i:], '}')
		if j < 0 {
			break
		}
		name := s[i+2 : i+j]
		slashes := len(s[:i]) - len(strings.TrimRight(s[:i], `\`))
		b.WriteString(s[:i-(slashes+1)/2])
		bare := strings.TrimSuffix(name, "?")
		if v, ok := c.env(bare); slashes%2 == 1 || name == "" || strings.ContainsAny(bare, "${?") {
			b.WriteString(s[i : i+j+1])
		} else if ok {
			b.WriteString(v)
		} else if bare == name {
			b.WriteString(s[i : i+j+1])
		}
		s = s[i+j+1:]
	}
	return b.String() + s
}

// path resolves ~/ as npm does for options that are paths; a relative one is relative to the project.
func (c *Config) path(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok && c.opts.Home != "" {
		return path.Join(c.opts.Home, rest)
	}
	base := c.opts.Project
	if base == "" {
		base = "/"
	}
	return workspace.Join(base, p)
}

func (c *Config) text(key string, from ...Layer) string {
	for _, l := range from {
		if v, ok := c.layer[l][key]; ok && v.Text != "" && v.Text != "true" {
			return v.Text
		}
	}
	return ""
}

// Get is the strongest value of an option.
func (c *Config) Get(key string) (Value, bool) {
	return c.In(key, CLI, Env, Project, User, Global, Builtin)
}

// In is the value of an option in the first of some layers that has it.
func (c *Config) In(key string, from ...Layer) (Value, bool) {
	for _, l := range from {
		if v, ok := c.layer[l][key]; ok {
			return v, true
		}
	}
	return Value{}, false
}

// On tells whether a boolean option is certainly on.
func (c *Config) On(key string) bool { v, ok := c.Get(key); return ok && v.True() }

// Off tells whether a boolean option is certainly off.
func (c *Config) Off(key string) bool { v, ok := c.Get(key); return ok && v.False() }

// Text is the text of an option, empty when it is not set.
func (c *Config) Text(key string) string { v, _ := c.Get(key); return v.Text }

// Given are the options that the command line and the files of the project and the user set, by name. npm gives them to the
// scripts that it runs (@npmcli/config, lib/set-envs.js).
func (c *Config) Given() map[string]string {
	given := map[string]string{}
	for _, l := range []Layer{User, Project, CLI} {
		for key, v := range c.layer[l] {
			given[key] = v.Text
		}
	}
	return given
}
