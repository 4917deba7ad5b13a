package gitrepo

import (
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
)

// Expansion is what an alias stands for: another git call, or shell text that git runs in Top of the repository.
type Expansion struct {
	Call  Call
	Shell string // without the exclamation mark; the call's arguments follow as "$@"
	Args  []string
	From  effect.Source
}

// Alias is the text of an alias. Names of git's own commands are never aliases.
func (r *Repo) Alias(name string) (Entry, bool) {
	if IsBuiltin(name) {
		return Entry{}, false
	}
	if e, ok := r.Config.Get("alias." + strings.ToLower(name)); ok {
		return e, e.Value != ""
	}
	e, ok := r.Config.Get("alias." + name + ".command")
	return e, ok && e.Value != ""
}

// Expand follows the aliases of the call's verb to a command of git's own, to a program git-VERB, or to shell text. It gives
// false where the verb is no alias, and where aliases form a loop or cannot be split, which git refuses.
func (r *Repo) Expand() (Expansion, bool) {
	c := r.Call
	var from effect.Source
	seen := map[string]bool{}
	for {
		e, ok := r.Alias(c.Verb)
		if !ok {
			return Expansion{Call: c, From: from}, len(seen) > 0
		}
		if seen[c.Verb] {
			return Expansion{}, false
		}
		seen[c.Verb] = true
		from = e.From
		if text, ok := strings.CutPrefix(e.Value, "!"); ok {
			return Expansion{Shell: text, Args: c.Args, From: from}, true
		}
		words, ok := splitAlias(e.Value)
		if !ok || len(words) == 0 {
			return Expansion{}, false
		}
		next := ParseCall(slices.Concat(words, c.Args), c.Dir, c.Home, c.Env)
		next.Config = slices.Concat(c.Config, next.Config)
		if next.GitDir == "" {
			next.GitDir = c.GitDir
		}
		if next.WorkTree == "" {
			next.WorkTree = c.WorkTree
		}
		next.Bare = next.Bare || c.Bare
		next.NoLocks = next.NoLocks || c.NoLocks
		c = next
	}
}

// splitAlias splits as git's split_cmdline: blanks, both kinds of quotes, backslash.
func splitAlias(s string) ([]string, bool) {
	var words []string
	var b strings.Builder
	quote, word := byte(0), false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == 0 && isSpace(int(c)):
			if word {
				words = append(words, b.String())
				b.Reset()
				word = false
			}
		case quote == 0 && (c == '\'' || c == '"'):
			quote, word = c, true
		case c == quote && quote != 0:
			quote = 0
		case c == '\\' && quote != '\'':
			if i++; i == len(s) {
				return nil, false
			}
			b.WriteByte(s[i])
			word = true
		default:
			b.WriteByte(c)
			word = true
		}
	}
	if word {
		words = append(words, b.String())
	}
	return words, quote == 0
}

// IsBuiltin tells whether git itself has the command, so that no alias can hide it.
func IsBuiltin(verb string) bool {
	_, ok := slices.BinarySearch(strings.Fields(builtins), verb)
	return ok
}
