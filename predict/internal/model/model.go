// Package model is command knowledge as data: for each program, which options take a value, and which arguments are read,
// written, executed or contacted. It matches an argument vector against a model; it refuses to conclude anything about
// words that it cannot see (a Hole) beyond what the model says of their place.
package model

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Hole stands inside a word for text that is not known before the command runs. No argument can hold a NUL, so a word with a
// Hole is never mistaken for a literal one.
const Hole = "\x00"

// Command is what one program, or one subcommand, does. docs/models.md describes the YAML.
type Command struct {
	Style    string              `yaml:"style"`    // how arguments are parsed: gnu (default), first, single, bundle, assign, raw
	Options  map[string]Actions  `yaml:"options"`  // "-o --output=": what its presence or value does
	Values   string              `yaml:"values"`   // options that take a value and do nothing: "-n|--lines --color"
	Flags    string              `yaml:"flags"`    // options that take none and do nothing
	Operands string              `yaml:"operands"` // roles of the words that are no options: "read... write"
	Does     Actions             `yaml:"does"`     // what every run does
	If       []Case              `yaml:"if"`       // refinements by options that are present
	Sub      map[string]*Command `yaml:"sub"`      // subcommands: "install|i|add"; "*" is any other
	Handler  string              `yaml:"handler"`  // code of the engine that runs after the rest
	Like     string              `yaml:"like"`     // take options, operands and the rest from another command, then add
	Code     bool                `yaml:"code"`     // where the program's own code is installed in the workspace, that is followed instead
	Note     string              `yaml:"note"`     // for people

	// Settings is for options whose value is itself "name=value" (ssh -o, git -c): option, name in any case, actions.
	Settings map[string]map[string]Actions `yaml:"settings"`
	// Env says what the program does with a variable of its environment: LESSOPEN is shell text for less.
	Env map[string]Actions `yaml:"env"`

	base *Command       // what Like named
	keys map[string]key // every option name, lazily made by index
	ways []way          // where subcommands that are blocks of their own are found
}

// Subs tells whether the command has subcommands.
func (c *Command) Subs() bool { return c.Sub != nil || c.ways != nil }

// Case refines a command. Has, Not, Count, First and Last must all hold. Has and Not name options, one of which must be (Has)
// or none may be (Not) present; "-c=alias.*" asks for the option with a value of that pattern. Count is how many operands
// there are: "0", "1", "2+". First and Last are patterns for the first and the last operand. In patterns "*" is any text.
type Case struct {
	Has      string  `yaml:"has"`
	Not      string  `yaml:"not"`
	Count    string  `yaml:"count"`
	First    string  `yaml:"first"`
	Last     string  `yaml:"last"`
	Operands *string `yaml:"operands"`
	Does     Actions `yaml:"does"`
	Handler  string  `yaml:"handler"`
}

// Action is one thing done: a verb and its argument, as written ("write $HOME/.netrc"). An empty argument means the value
// of the option or operand that the action belongs to.
type Action struct{ Verb, Arg string }

// Actions is a list; in YAML a string, a list of strings, or null for "takes part, does nothing".
type Actions []Action

// UnmarshalYAML reads a string or a list of strings, and refuses verbs that are not in the vocabulary.
func (a *Actions) UnmarshalYAML(n *yaml.Node) error {
	var list []string
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag != "!!null" {
			list = []string{n.Value}
		}
	case yaml.SequenceNode:
		if err := n.Decode(&list); err != nil {
			return err
		}
	default:
		return fmt.Errorf("line %d: want a verb or a list of verbs", n.Line)
	}
	for _, s := range list {
		verb, arg, _ := strings.Cut(strings.TrimSpace(s), " ")
		if !knownVerb(verb) {
			return fmt.Errorf("line %d: %q is no verb; see docs/models.md", n.Line, verb)
		}
		*a = append(*a, Action{verb, strings.TrimSpace(arg)})
	}
	return nil
}

// knownVerb lists the vocabulary of models. docs/models.md says what each means.
func knownVerb(v string) bool {
	switch v {
	case "list", "read", "read-tree", "data", "write", "write-tree", "delete", "delete-tree", "move", "link", "from", "to", "chdir", "root", // places
		"mode", "mode-tree", "touch", "put", "put-tree", "put-moved", "put-link", "put-hard", "bind",
		"exec", "command", "shell", "script", "code", "module", "stdin", // programs
		"fetch", "send", "listen", "registry", // network
		"set-env", "read-env", "env-file", "credential", // environment and what proves who asks
		"image", "build-image", "engine", "call", // container, mcp
		"unknown", "drop", "nothing", "text", "skip", "handler":
		return true
	}
	return false
}

type key struct {
	names   []string // canonical first
	value   byte     // 0 none, '=' a value, '?' an optional attached value, '2' two words, '!' a value after which no option follows
	actions Actions
}

// parseKey reads the "-o --output=" of an option.
func parseKey(text string, actions Actions) key {
	k := key{actions: actions}
	for _, form := range []struct {
		suffix string
		value  byte
	}{{"==", '2'}, {"=?", '?'}, {"=!", '!'}, {"=", '='}} {
		if t, ok := strings.CutSuffix(text, form.suffix); ok {
			text, k.value = t, form.value
			break
		}
	}
	k.names = strings.Fields(text)
	return k
}

// index makes the table of option names. What the command itself says of a name replaces what its base says.
func (c *Command) index() map[string]key {
	if c.keys != nil {
		return c.keys
	}
	c.keys = map[string]key{}
	if c.base != nil {
		for n, k := range c.base.index() {
			c.keys[n] = k
		}
	}
	for _, k := range c.own() {
		for _, n := range k.names {
			c.keys[n] = k
		}
	}
	return c.keys
}

// own lists the options that the command states itself.
func (c *Command) own() (keys []key) {
	for _, w := range strings.Fields(c.Values) {
		keys = append(keys, key{names: strings.Split(w, "|"), value: '='})
	}
	for _, w := range strings.Fields(c.Flags) {
		keys = append(keys, key{names: strings.Split(w, "|")})
	}
	for text, actions := range c.Options {
		keys = append(keys, parseKey(text, actions))
	}
	return keys
}

// check tells which option names the command or a subcommand states more than once: which of them counts would be left to
// chance.
func (c *Command) check() error {
	seen := map[string]bool{}
	for _, k := range c.own() {
		for _, n := range k.names {
			if seen[n] {
				return fmt.Errorf("the option %s is stated twice: keep one", n)
			}
			seen[n] = true
		}
	}
	for name, s := range c.Sub {
		if s == nil {
			continue
		}
		if err := s.check(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Opt is an option that was given. Index is the place of its value in the argument vector (or of the option itself where
// it has none).
type Opt struct {
	Name     string // as in the model, its first name; as written where the model does not know it
	Value    string
	HasValue bool
	Known    bool
	Index    int
	Actions  Actions
	Level    int // place in Levels of the command whose option it is
}

// Word is an operand and its place in the argument vector.
type Word struct {
	Text  string
	Index int
}

// Match is an argument vector read by a model.
type Match struct {
	Path     []string // "git", "commit": the program and its subcommands
	Levels   []*Command
	Opts     []Opt
	Operands []Word
	Missing  bool // there are subcommands, and none of them fits
	SubIndex int  // place of the last subcommand in the argument vector; 0 for none
}

// Command is the innermost command that matched.
func (m *Match) Command() *Command { return m.Levels[len(m.Levels)-1] }

// Has tells whether one of the options is present; names are separated by spaces. A name means the option of the innermost
// command that knows it: of git -c a=b switch -c c, only "c" is the -c of switch.
func (m *Match) Has(names string) bool { _, ok := m.Opt(names); return ok }

// Opt gives the last of the options that is present; names are separated by spaces.
func (m *Match) Opt(names string) (Opt, bool) {
	all := m.All(names)
	if len(all) == 0 {
		return Opt{}, false
	}
	return all[len(all)-1], true
}

// All gives the options of these names, in order.
func (m *Match) All(names string) (opts []Opt) {
	for _, o := range m.Opts {
		for _, n := range strings.Fields(names) {
			if m.is(o, n) {
				opts = append(opts, o)
				break
			}
		}
	}
	return opts
}

// At gives the options of these names that belong to the command at one level; 0 is the program itself.
func (m *Match) At(level int, names string) (opts []Opt) {
	for _, o := range m.Opts {
		for _, n := range strings.Fields(names) {
			if k, ok := m.Levels[level].index()[n]; ok && o.Known && o.Level == level && o.Name == k.names[0] {
				opts = append(opts, o)
				break
			}
		}
	}
	return opts
}

func (m *Match) is(o Opt, name string) bool {
	for i := len(m.Levels) - 1; i >= 0 && o.Known; i-- {
		if k, ok := m.Levels[i].index()[name]; ok {
			return o.Level == i && o.Name == k.names[0]
		}
	}
	return o.Name == name
}
