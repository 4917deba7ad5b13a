package gitrepo

import (
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Call is one git command line, taken apart as git(1) does it.
type Call struct {
	Dir  string            // absolute working directory, -C applied
	Home string            // the user's home; empty if not known
	Env  map[string]string // environment of the call; only GIT_*, XDG_CONFIG_HOME, EDITOR, VISUAL, SSH_ASKPASS and HUSKY-like names matter

	Config           []Entry // -c and --config-env, in order
	GitDir, WorkTree string  // --git-dir, --work-tree, as written
	Bare             bool
	Paginate         bool
	NoLocks          bool // --no-optional-locks

	Verb string   // empty: git was given none
	Args []string // what follows the verb
}

// ParseCall takes the arguments after "git" apart. Options that git does not know end there, as git itself would fail.
func ParseCall(args []string, dir, home string, env map[string]string) Call {
	c := Call{Dir: dir, Home: home, Env: env}
	for len(args) > 0 {
		a := args[0]
		if !strings.HasPrefix(a, "-") {
			c.Verb, c.Args = a, args[1:]
			return c
		}
		name, value, joined := strings.Cut(a, "=")
		takes := false
		switch name {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source":
			takes = true
		}
		args = args[1:]
		if takes && !joined {
			if len(args) == 0 {
				return c
			}
			value, args = args[0], args[1:]
		}
		c.option(name, value)
	}
	return c
}

func (c *Call) option(name, value string) {
	switch name {
	case "-C":
		if value != "" {
			c.Dir = workspace.Join(c.Dir, value)
		}
	case "-c":
		if e, ok := ParseSetting(value); ok {
			c.Config = append(c.Config, e)
		}
	case "--config-env":
		key, variable, _ := strings.Cut(value, "=")
		if k, ok := canonicalKey(key); ok {
			v, has := c.Env[variable]
			c.Config = append(c.Config, Entry{Key: k, Value: v, HasValue: has, From: effect.Source{Rule: RuleConfig}})
		}
	case "--git-dir":
		c.GitDir = value
	case "--work-tree":
		c.WorkTree = value
	case "--bare":
		c.Bare = true
	case "-p", "--paginate":
		c.Paginate = true
	case "--no-optional-locks":
		c.NoLocks = true
	}
}

// ParseSetting reads "key=value" or "key" as given to -c.
func ParseSetting(s string) (Entry, bool) {
	key, value, has := strings.Cut(s, "=")
	k, ok := canonicalKey(key)
	return Entry{Key: k, Value: value, HasValue: has, From: effect.Source{Rule: RuleConfig}}, ok
}

// Long tells whether a long option is among the arguments before "--", also by an abbreviation of at least least bytes,
// and gives its joined value.
func (c Call) Long(name string, least int) (value string, ok bool) {
	for _, a := range c.Args {
		if a == "--" {
			break
		}
		n, v, _ := strings.Cut(a, "=")
		if n == name || len(n) >= least && strings.HasPrefix(name, n) {
			value, ok = v, true
		}
	}
	return value, ok
}

// Short tells whether a one-letter option is among the arguments before "--", also inside a cluster. withValue lists the
// letters whose option takes the rest of the cluster, or the next argument, as a value; opt those that take only the rest.
func (c Call) Short(letter byte, withValue, opt string) bool {
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		if a == "--" {
			return false
		}
		if len(a) < 2 || a[0] != '-' || a[1] == '-' {
			continue
		}
		for j := 1; j < len(a); j++ {
			if a[j] == letter {
				return true
			}
			if strings.IndexByte(opt, a[j]) >= 0 {
				break
			}
			if strings.IndexByte(withValue, a[j]) >= 0 {
				if j == len(a)-1 {
					i++
				}
				break
			}
		}
	}
	return false
}

// Operands lists the arguments that are no options. withValue names the options that take the next argument.
func (c Call) Operands(withValue ...string) []string {
	var out []string
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		if a == "--" {
			return append(out, c.Args[i+1:]...)
		}
		if len(a) < 2 || a[0] != '-' {
			out = append(out, a)
			continue
		}
		for _, o := range withValue {
			if a == o {
				i++
				break
			}
		}
	}
	return out
}
