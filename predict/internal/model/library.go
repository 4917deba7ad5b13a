package model

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

// Library finds models by the name of a program. A file of models is YAML whose top-level keys are names ("gcc|cc|c++"), or
// the way to a subcommand ("git commit"); only the block of a name that is asked for is ever parsed, since most processes
// need one or two of them, and parsing all of git takes longer than an answer may.
type Library struct {
	Files fs.FS // every *.yaml in its root

	once    sync.Once
	err     error
	blocks  map[string]block
	parents map[string]bool // the keys that have subcommands in blocks of their own
	twice   []string        // names that have more than one block
	mu      sync.Mutex
	parsed  map[string]*Command
}

// block is the text of one model and the first of its names, by which its subcommands are found.
type block struct {
	text []byte
	name string
}

// Names lists every program that has a model, without order.
func (l *Library) Names() ([]string, error) {
	l.once.Do(l.load)
	names := make([]string, 0, len(l.blocks))
	for n := range l.blocks {
		if !strings.Contains(n, " ") {
			names = append(names, n)
		}
	}
	return names, l.err
}

// Check parses every model and tells what is wrong with any of them: text that does not parse, a name that two blocks
// claim, subcommands of a program that is not there.
func (l *Library) Check() error {
	l.once.Do(l.load)
	errs := []error{l.err}
	for n := range l.blocks {
		c, err := l.Find(n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if err := c.check(); err != nil {
			errs = append(errs, fmt.Errorf("command model %s: %w", n, err))
		}
	}
	for _, n := range l.twice {
		errs = append(errs, fmt.Errorf("command model %s: two blocks have this name: join them", n))
	}
	for n := range l.parents {
		if l.blocks[n].name != n {
			errs = append(errs, fmt.Errorf("command model %s: it has subcommands but no block: add one, under its first name", n))
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
	b, ok := l.blocks[name]
	if !ok {
		return nil, nil
	}
	l.mu.Lock()
	c, ok := l.parsed[b.name]
	l.mu.Unlock()
	if ok {
		return c, nil
	}
	c, err := parse(b.text)
	if err == nil {
		c.ways = l.ways(b.name)
		c, err = l.prepare(c, depth)
	}
	if err != nil {
		return nil, fmt.Errorf("command model %s: %w", name, err)
	}
	l.mu.Lock()
	l.parsed[b.name] = c
	l.mu.Unlock()
	return c, nil
}

// ways gives the place where the subcommands of a key are found, if there are any.
func (l *Library) ways(key string) []way {
	if !l.parents[key] {
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
	l.blocks, l.parents, l.parsed = map[string]block{}, map[string]bool{}, map[string]*Command{}
	names, err := fs.Glob(l.Files, "*.yaml")
	if err != nil {
		l.err = err
		return
	}
	for _, n := range names {
		data, err := fs.ReadFile(l.Files, n)
		if err != nil {
			l.err = fmt.Errorf("command models %s: %w", path.Base(n), err)
			return
		}
		l.split(data)
	}
}

// split cuts a file at its top-level keys.
func (l *Library) split(data []byte) {
	start, key := -1, ""
	end := func(at int) {
		if start < 0 {
			return
		}
		parent, last := "", key
		if i := strings.LastIndexByte(key, ' '); i >= 0 {
			parent, last = key[:i+1], key[i+1:]
			l.parents[key[:i]] = true
		}
		b := block{text: data[start:at]}
		for _, n := range strings.Split(last, "|") {
			if b.name == "" {
				b.name = parent + n
			}
			if _, ok := l.blocks[parent+n]; ok {
				l.twice = append(l.twice, parent+n)
			}
			l.blocks[parent+n] = b
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
				start, key = at, strings.Trim(string(k), `"'`)
			}
		}
		at += next + 1
	}
	end(len(data))
}
