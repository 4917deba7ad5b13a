package gitrepo

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ambit-dev/ambit/effect"
)

// Scope is where a setting stands. Later scopes win (git-config(1), SCOPES).
type Scope uint8

// The scopes, from weakest to strongest.
const (
	System Scope = iota + 1
	Global
	Local
	Worktree
	Command
)

// Entry is one setting. Key is canonical: section and variable in lower case, the subsection as written
// ("remote.origin.url"). HasValue is false for a name that stands alone, which means true.
type Entry struct {
	Key      string
	Value    string
	HasValue bool
	Scope    Scope
	From     effect.Source
}

// Bool reads the value as git does; a value that is no boolean is given as ok false.
func (e Entry) Bool() (value, ok bool) {
	if !e.HasValue {
		return true, true
	}
	switch strings.ToLower(e.Value) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off", "":
		return false, true
	}
	n, err := strconv.ParseInt(strings.TrimRight(strings.ToLower(e.Value), "kmg"), 0, 64)
	return n != 0, err == nil
}

// Config is every setting that applies, in the order in which git reads them.
type Config []Entry

// Get is the setting that wins: the last one. key is canonical.
func (c Config) Get(key string) (Entry, bool) {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].Key == key {
			return c[i], true
		}
	}
	return Entry{}, false
}

// Text is the value of the setting that wins, empty where there is none.
func (c Config) Text(key string) string { e, _ := c.Get(key); return e.Value }

// Bool is the boolean of the setting that wins, or otherwise where there is none or it is no boolean.
func (c Config) Bool(key string, otherwise bool) bool {
	if e, ok := c.Get(key); ok {
		if v, ok := e.Bool(); ok {
			return v
		}
	}
	return otherwise
}

// All is every setting of a key, in order.
func (c Config) All(key string) []Entry {
	var all []Entry
	for _, e := range c {
		if e.Key == key {
			all = append(all, e)
		}
	}
	return all
}

// Subsections names the subsections of a section, in the order of their first setting.
func (c Config) Subsections(section string) []string {
	var names []string
	seen := map[string]bool{}
	for _, e := range c {
		if s, sub, _ := SplitKey(e.Key); s == section && sub != "" && !seen[sub] {
			seen[sub] = true
			names = append(names, sub)
		}
	}
	return names
}

// SplitKey takes a canonical key apart. The subsection may hold dots.
func SplitKey(key string) (section, sub, name string) {
	i, j := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if i < 0 {
		return key, "", ""
	}
	section, name = key[:i], key[j+1:]
	if i < j {
		sub = key[i+1 : j]
	}
	return section, sub, name
}

// canonicalKey is the form in which settings compare; false for what git refuses on its command line.
func canonicalKey(key string) (string, bool) {
	section, sub, name := SplitKey(key)
	if section == "" || name == "" || !isAlpha(name[0]) || strings.ContainsFunc(name, notKeyChar) {
		return "", false
	}
	k := strings.ToLower(section) + "."
	if sub != "" {
		k += sub + "."
	}
	return k + strings.ToLower(name), true
}

func isAlpha(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func notKeyChar(r rune) bool {
	return r > 127 || !isAlpha(byte(r)) && !(r >= '0' && r <= '9') && r != '-'
}

// parser reads the syntax of git-config(1), SYNTAX, byte by byte as git's config.c does.
type parser struct {
	data    string
	at      int
	line    int
	section string // canonical, with a dot at its end
}

const eof = -1

// next gives one byte; a carriage return before a line feed is skipped.
func (p *parser) next() int {
	if p.at >= len(p.data) {
		p.at = len(p.data) + 1
		return eof
	}
	c := p.data[p.at]
	p.at++
	if c == '\r' && p.at < len(p.data) && p.data[p.at] == '\n' {
		c = '\n'
		p.at++
	}
	if c == '\n' {
		p.line++
	}
	return int(c)
}

// parseConfig gives the settings of one file in order. On an error they are those before it: git itself stops there.
func parseConfig(data string) (entries []Entry, err error) {
	p := &parser{data: strings.TrimPrefix(data, "\ufeff"), line: 1}
	for {
		c := p.next()
		switch {
		case c == eof:
			return entries, nil
		case c == '#' || c == ';':
			p.comment()
		case isSpace(c):
		case c == '[':
			if !p.header() {
				return entries, fmt.Errorf("section header in line %d is broken", p.line)
			}
		case c < 128 && isAlpha(byte(c)):
			line := p.line
			name := p.name()
			value, has, ok := p.assignment()
			if !ok {
				return entries, fmt.Errorf("setting in line %d is broken", line)
			}
			entries = append(entries, Entry{Key: p.section + name, Value: value, HasValue: has, From: effect.Source{Line: line}})
		default:
			return entries, fmt.Errorf("line %d is neither a section nor a setting", p.line)
		}
	}
}

func isSpace(c int) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'
}

func (p *parser) comment() {
	for c := p.next(); c != '\n' && c != eof; c = p.next() {
	}
}

// name reads the rest of a variable's name and leaves what follows unread.
func (p *parser) name() string {
	from := p.at - 1
	for p.at < len(p.data) && p.data[p.at] < 128 && !notKeyChar(rune(p.data[p.at])) {
		p.at++
	}
	return strings.ToLower(p.data[from:p.at])
}

// header reads what follows "[": name], name "sub"] or the old name.sub].
func (p *parser) header() bool {
	var name strings.Builder
	for {
		c := p.next()
		switch {
		case c == ']':
			p.section = strings.ToLower(name.String()) + "."
			return name.Len() > 0
		case c == ' ' || c == '\t':
			return name.Len() > 0 && p.subsection(strings.ToLower(name.String()))
		case c != eof && c < 128 && (c == '.' || !notKeyChar(rune(c))):
			name.WriteByte(byte(c))
		default:
			return false
		}
	}
}

func (p *parser) subsection(section string) bool {
	c := p.next()
	for c == ' ' || c == '\t' {
		c = p.next()
	}
	if c != '"' {
		return false
	}
	var sub strings.Builder
	for {
		c = p.next()
		if c == '\\' {
			if c = p.next(); c == '\n' || c == eof {
				return false
			}
			sub.WriteByte(byte(c))
			continue
		}
		if c == '\n' || c == eof {
			return false
		}
		if c == '"' {
			break
		}
		sub.WriteByte(byte(c))
	}
	p.section = section + "." + sub.String() + "."
	return p.next() == ']'
}

// assignment reads what follows a name: nothing, or "=" and a value.
func (p *parser) assignment() (value string, has, ok bool) {
	c := p.next()
	for c == ' ' || c == '\t' {
		c = p.next()
	}
	switch c {
	case '\n', eof:
		return "", false, true
	case '=':
		value, ok = p.value()
		return value, true, ok
	}
	return "", false, false
}

// value reads to the end of the line: quotes, escapes, continuation lines and comments; white space around is dropped.
func (p *parser) value() (string, bool) {
	var b strings.Builder
	keep := 0 // length up to the last byte that is not trailing white space
	quote := false
	for {
		c := p.next()
		switch {
		case c == eof || c == '\n':
			return b.String()[:keep], !quote
		case isSpace(c) && !quote:
			if b.Len() > 0 {
				b.WriteByte(byte(c))
			}
			continue
		case !quote && (c == '#' || c == ';'):
			p.comment()
			return b.String()[:keep], true
		case c == '"':
			quote = !quote
			keep = b.Len()
			continue
		case c == '\\':
			e, skip, ok := p.escape()
			if !ok {
				return "", false
			}
			if skip {
				continue
			}
			c = e
		}
		b.WriteByte(byte(c))
		keep = b.Len()
	}
}

func (p *parser) escape() (c int, skip, ok bool) {
	switch c := p.next(); c {
	case '\n':
		return 0, true, true
	case 't':
		return '\t', false, true
	case 'b':
		return '\b', false, true
	case 'n':
		return '\n', false, true
	case '\\', '"':
		return c, false, true
	}
	return 0, false, false
}
