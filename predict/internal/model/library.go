package model

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

// Library finds models by the name of a program. A file of models is YAML whose top-level keys are names ("gcc|cc|c++"), or
// the way to a subcommand ("git commit"); only the block of a name that is asked for is ever parsed, since most processes
// need one or two of them, and parsing all of git takes longer than an answer may.
type Library struct {
	Files fs.FS // every *.yaml in its root

	once   sync.Once
	err    error
	blocks []block
	keys   string // of all blocks, in order: NUL, the way to it with a space behind ("docker container "), "|run|r|"
	mu     sync.Mutex
	parsed map[int]*Command // by place in blocks
	places map[string]int   // in blocks, of the names that were asked for; -1: none
}

// block is the text of one model, the place of its key in keys, and the first of its names, by which its subcommands are
// found.
type block struct {
	text []byte
	key  int
	name string
}

// names lists the names of a block, each with the way to it.
func (l *Library) names(b block) (names []string) {
	key := l.keys[b.key+1:]
	if i := strings.IndexByte(key, 0); i >= 0 {
		key = key[:i]
	}
	parent, last, _ := strings.Cut(key, "|")
	for n := range strings.SplitSeq(strings.TrimSuffix(last, "|"), "|") {
		names = append(names, parent+n)
	}
	return names
}

// maxPlaces bounds how many names are remembered: a text may ask for any number of programs.
const maxPlaces = 4096

// lookup finds the last block that has a name; -1 if there is none.
func (l *Library) lookup(name string) int {
	l.mu.Lock()
	n, ok := l.places[name]
	l.mu.Unlock()
	if ok {
		return n
	}
	n = l.search(name)
	l.mu.Lock()
	if len(l.places) < maxPlaces {
		l.places[strings.Clone(name)] = n
	}
	l.mu.Unlock()
	return n
}

// search looks through the text of all keys. That takes microseconds, where a map of all names would take longer to make than
// most processes take for the rest. It goes forwards: strings.Index is many times as fast as strings.LastIndex.
func (l *Library) search(name string) int {
	at := strings.LastIndexByte(name, ' ') + 1
	parent, last := name[:at], "|"+name[at:]+"|"
	if len(last) == 2 || strings.ContainsAny(name, "|\x00") {
		return -1
	}
	found := -1
	for from := 0; ; {
		i := strings.Index(l.keys[from:], last)
		if i < 0 {
			break
		}
		i += from
		start := strings.LastIndexByte(l.keys[:i+1], 0)
		if way, _, _ := strings.Cut(l.keys[start+1:], "|"); way == parent {
			found = start
		}
		from = i + 1
	}
	if found < 0 {
		return -1
	}
	n, _ := slices.BinarySearchFunc(l.blocks, found, func(b block, at int) int { return b.key - at })
	return n
}

// Names lists every program that has a model.
func (l *Library) Names() ([]string, error) {
	l.once.Do(l.load)
	var all []string
	for _, b := range l.blocks {
		for _, n := range l.names(b) {
			if !strings.Contains(n, " ") {
				all = append(all, n)
			}
		}
	}
	return all, l.err
}

// Check parses every model and tells what is wrong with any of them: text that does not parse, a name that two blocks
// claim, subcommands of a program that is not there.
func (l *Library) Check() error {
	l.once.Do(l.load)
	errs := []error{l.err}
	seen := map[string]bool{}
	for i, b := range l.blocks {
		for _, n := range l.names(b) {
			if seen[n] {
				errs = append(errs, fmt.Errorf("command model %s: two blocks have this name: join them", n))
			}
			seen[n] = true
		}
		if at := strings.LastIndexByte(b.name, ' '); at >= 0 {
			if n := l.lookup(b.name[:at]); n < 0 || l.blocks[n].name != b.name[:at] {
				errs = append(errs, fmt.Errorf("command model %s: it has subcommands but no block: add one, under its first name", b.name[:at]))
			}
		}
		c, err := l.at(i, 0)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if err := c.check(); err != nil {
			errs = append(errs, fmt.Errorf("command model %s: %w", b.name, err))
		}
	}
	return errors.Join(errs...)
}

// Find gives the model of a program, nil if there is none. A model that does not parse is an error that names the file's
// block: a broken model must not pass for a harmless program.
func (l *Library) Find(name string) (*Command, error) { return l.find(name, 0) }

func (l *Library) find(name string, depth int) (*Command, error) {
	l.once.Do(l.load)
	if l.err != nil {
		return nil, l.err
	}
	n := l.lookup(name)
	if n < 0 {
		return nil, nil
	}
	return l.at(n, depth)
}

func (l *Library) at(n, depth int) (*Command, error) {
	l.mu.Lock()
	c, ok := l.parsed[n]
	l.mu.Unlock()
	if ok {
		return c, nil
	}
	b := l.blocks[n]
	c, err := parse(b.text)
	if err == nil {
		c.ways = l.ways(b.name)
		c, err = l.prepare(c, depth)
	}
	if err != nil {
		return nil, fmt.Errorf("command model %s: %w", b.name, err)
	}
	l.mu.Lock()
	l.parsed[n] = c
	l.mu.Unlock()
	return c, nil
}

// ways gives the place where the subcommands of a key are found, if there are any.
func (l *Library) ways(key string) []way {
	if !strings.Contains(l.keys, "\x00"+key+" |") {
		return nil
	}
	return []way{{l, key}}
}

// way finds subcommands that are blocks of their own.
type way struct {
	l   *Library
	key string
}

func (w way) find(name string) *Command {
	if strings.Contains(name, " ") {
		return nil
	}
	c, err := w.l.Find(w.key + " " + name)
	if err != nil {
		return nil // as if it were not listed: an unknown
	}
	return c
}

func parse(block []byte) (*Command, error) {
	var m map[string]*Command
	d := yaml.NewDecoder(bytes.NewReader(block))
	d.KnownFields(true)
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	for _, c := range m {
		if c == nil {
			c = &Command{}
		}
		return c, nil
	}
	return nil, fmt.Errorf("empty block")
}

// with is base with what c adds or replaces. Options are merged by index, name by name.
func (base *Command) with(c *Command) *Command {
	out := *base
	out.keys, out.Like = nil, ""
	out.ways = append(append([]way(nil), c.ways...), base.ways...)
	out.base = base
	out.Options, out.Values, out.Flags = c.Options, c.Values, c.Flags
	out.Sub = merged(base.Sub, c.Sub)
	out.Settings = merged(base.Settings, c.Settings)
	out.Env = merged(base.Env, c.Env)
	out.Code = base.Code || c.Code
	if c.Style != "" {
		out.Style = c.Style
	}
	if c.Operands != "" {
		out.Operands = c.Operands
	}
	if c.Handler != "" {
		out.Handler = c.Handler
	}
	out.Does = append(append(Actions(nil), base.Does...), c.Does...)
	out.If = append(append([]Case(nil), base.If...), c.If...)
	return &out
}

func merged[V any](base, add map[string]V) map[string]V {
	if len(base)+len(add) == 0 {
		return nil
	}
	out := make(map[string]V, len(base)+len(add))
	maps.Copy(out, base)
	maps.Copy(out, add)
	return out
}

// prepare resolves 'like' and makes the tables, so that a Command that is shared between goroutines is only read.
func (l *Library) prepare(c *Command, depth int) (*Command, error) {
	if c.Like != "" {
		if depth > 4 {
			return nil, fmt.Errorf("'like' goes in a circle")
		}
		base, err := l.find(c.Like, depth+1)
		if err == nil && base == nil {
			err = fmt.Errorf("no such model")
		}
		if err != nil {
			return nil, fmt.Errorf("like %s: %w", c.Like, err)
		}
		c = base.with(c)
	}
	c.index()
	for k, s := range c.Sub {
		if s == nil {
			s = &Command{}
		}
		s, err := l.prepare(s, depth)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		c.Sub[k] = s
	}
	return c, nil
}

func (l *Library) load() {
	l.parsed, l.places = map[int]*Command{}, map[string]int{}
	names, err := fs.Glob(l.Files, "*.yaml")
	if err != nil {
		l.err = err
		return
	}
	var keys strings.Builder
	for _, n := range names {
		data, err := fs.ReadFile(l.Files, n)
		if err != nil {
			l.err = fmt.Errorf("command models %s: %w", path.Base(n), err)
			return
		}
		l.split(data, &keys)
	}
	l.keys = keys.String()
}

// split cuts a file at its top-level keys.
func (l *Library) split(data []byte, keys *strings.Builder) {
	open := -1 // where the text of the last block starts
	end := func(at int) {
		if open >= 0 {
			l.blocks[len(l.blocks)-1].text = data[open:at]
		}
	}
	for at := 0; at < len(data); {
		next := bytes.IndexByte(data[at:], '\n')
		if next < 0 {
			next = len(data) - at - 1
		}
		line := data[at : at+next]
		if len(line) > 0 && line[0] != ' ' && line[0] != '#' && line[0] != '-' && line[0] != '\t' {
			if k, _, ok := bytes.Cut(line, []byte(":")); ok {
				end(at)
				open = at
				key := strings.Trim(string(k), `"'`)
				i := strings.LastIndexByte(key, ' ') + 1
				first, _, _ := strings.Cut(key[i:], "|")
				l.blocks = append(l.blocks, block{key: keys.Len(), name: key[:i] + first})
				keys.WriteString("\x00" + key[:i] + "|" + key[i:] + "|")
			}
		}
		at += next + 1
	}
	end(len(data))
}
