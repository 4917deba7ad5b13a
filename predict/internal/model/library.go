package model

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

// Library finds models by the name of a program. A file of models is YAML whose top-level keys are names ("gcc|cc|c++");
// only the block of a name that is asked for is ever parsed, since most processes need one or two of them.
type Library struct {
	Files fs.FS // every *.yaml in its root

	once   sync.Once
	err    error
	blocks map[string][]byte
	mu     sync.Mutex
	parsed map[string]*Command
}

// Names lists every program that has a model, without order.
func (l *Library) Names() ([]string, error) {
	l.once.Do(l.load)
	names := make([]string, 0, len(l.blocks))
	for n := range l.blocks {
		names = append(names, n)
	}
	return names, l.err
}

// Find gives the model of a program, nil if there is none. A model that does not parse is an error that names the file's
// block: a broken model must not pass for a harmless program.
func (l *Library) Find(name string) (*Command, error) { return l.find(name, 0) }

func (l *Library) find(name string, depth int) (*Command, error) {
	l.once.Do(l.load)
	if l.err != nil {
		return nil, l.err
	}
	l.mu.Lock()
	c, ok := l.parsed[name]
	l.mu.Unlock()
	if ok {
		return c, nil
	}
	block, ok := l.blocks[name]
	if !ok {
		return nil, nil
	}
	c, err := parse(block)
	if err != nil {
		return nil, fmt.Errorf("command model %s: %w", name, err)
	}
	if c.Like != "" {
		if depth > 4 {
			return nil, fmt.Errorf("command model %s: 'like' goes in a circle", name)
		}
		base, err := l.find(c.Like, depth+1)
		if err != nil || base == nil {
			return nil, fmt.Errorf("command model %s: like %s: not found (%w)", name, c.Like, err)
		}
		c = base.with(c)
	}
	c.prepare()
	l.mu.Lock()
	l.parsed[name] = c
	l.mu.Unlock()
	return c, nil
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

// with is base with what c adds or replaces.
func (base *Command) with(c *Command) *Command {
	out := *base
	out.keys = nil
	out.Options = map[string]Actions{}
	for k, v := range base.Options {
		out.Options[k] = v
	}
	for k, v := range c.Options {
		out.Options[k] = v
	}
	out.Sub = map[string]*Command{}
	for k, v := range base.Sub {
		out.Sub[k] = v
	}
	for k, v := range c.Sub {
		out.Sub[k] = v
	}
	if len(out.Sub) == 0 {
		out.Sub = nil
	}
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

// prepare makes the tables, so that a Command that is shared between goroutines is only read.
func (c *Command) prepare() {
	c.index()
	for k, s := range c.Sub {
		if s == nil {
			s = &Command{}
			c.Sub[k] = s
		}
		s.prepare()
	}
}

func (l *Library) load() {
	l.blocks, l.parsed = map[string][]byte{}, map[string]*Command{}
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
		if start >= 0 {
			for _, n := range strings.Split(key, "|") {
				l.blocks[n] = data[start:at]
			}
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
