package model

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

// Library finds models by the name of a program. A file of models is YAML whose top-level keys are names ("gcc|cc|c++"), or
// the way to a subcommand ("git commit"); only the block of a name that is asked for is ever parsed, since most processes
// need one or two of them, and parsing all of git takes longer than an answer may.
type Library struct {
	Files fs.FS  // every *.yaml in its root
	Index string // what Index gives for Files, made beforehand; empty: they are read for it, which takes a millisecond and more

	once   sync.Once
	err    error
	names  string // of all blocks, sorted: lines of a name ("docker container run"), a tab, and the place of its block's line
	blocks string // lines of a block's first name, its file, offset and length of its text, and the size of the file, with tabs
	mu     sync.Mutex
	parsed map[int]*Command // by the place of their line in blocks
}

// block is where the text of one model is. Name is the first of its names, by which its subcommands are found.
type block struct {
	name, file         string
	offset, text, size int
}

func (l *Library) block(at int) (b block) {
	line, _, _ := strings.Cut(l.blocks[at:], "\n")
	b.name, line, _ = strings.Cut(line, "\t")
	b.file, line, _ = strings.Cut(line, "\t")
	for _, n := range []*int{&b.offset, &b.text, &b.size} {
		var text string
		text, line, _ = strings.Cut(line, "\t")
		*n, _ = strconv.Atoi(text)
	}
	return b
}

// lookup finds the block that has a name; -1 if there is none. A search in a text that is sorted touches a few pages of it, where
// a map of all names would take longer to make than most processes take for the rest.
func (l *Library) lookup(name string) int {
	if found, rest, _ := strings.Cut(l.from(name), "\t"); found == name && name != "" {
		line, _, _ := strings.Cut(rest, "\n")
		if at, err := strconv.Atoi(line); err == nil {
			return at
		}
	}
	return -1
}

// from gives the lines of names from the first that is not less than name.
func (l *Library) from(name string) string {
	lo, hi := 0, len(l.names) // places at which lines begin, or the end
	for lo < hi {
		mid := strings.LastIndexByte(l.names[lo:(lo+hi)/2], '\n') + 1 + lo
		line, _, _ := strings.Cut(l.names[mid:hi], "\n")
		if at, _, _ := strings.Cut(line, "\t"); at < name {
			lo = mid + len(line) + 1
		} else if hi = mid; mid == lo {
			break
		}
	}
	return l.names[lo:]
}

// Names lists every program that has a model.
func (l *Library) Names() ([]string, error) {
	l.once.Do(l.load)
	var all []string
	for line := range strings.Lines(l.names) {
		if n, _, _ := strings.Cut(line, "\t"); !strings.Contains(n, " ") {
			all = append(all, n)
		}
	}
	return all, l.err
}

// Check parses every model and tells what is wrong with any of them: text that does not parse, a name that two blocks
// claim, subcommands of a program that is not there.
func (l *Library) Check() error {
	l.once.Do(l.load)
	errs := []error{l.err}
	last := ""
	for line := range strings.Lines(l.names) {
		n, _, _ := strings.Cut(line, "\t")
		if n == last {
			errs = append(errs, fmt.Errorf("command model %s: two blocks have this name: join them", n))
		}
		last = n
	}
	at := 0
	for line := range strings.Lines(l.blocks) {
		b := l.block(at)
		if i := strings.LastIndexByte(b.name, ' '); i >= 0 {
			if n := l.lookup(b.name[:i]); n < 0 || l.block(n).name != b.name[:i] {
				errs = append(errs, fmt.Errorf("command model %s: it has subcommands but no block: add one, under its first name", b.name[:i]))
			}
		}
		if c, err := l.at(at, 0); err != nil {
			errs = append(errs, err)
		} else if err := c.check(); err != nil {
			errs = append(errs, fmt.Errorf("command model %s: %w", b.name, err))
		}
		at += len(line)
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
	b := l.block(n)
	text, err := l.text(b)
	if err == nil {
		c, err = parse(text)
	}
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
	if !strings.HasPrefix(l.from(key+" "), key+" ") {
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

// text reads a block. The file must be that of the index, or what the index says of it is worth nothing.
func (l *Library) text(b block) ([]byte, error) {
	f, err := l.Files.Open(b.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != int64(b.size) || b.offset+b.text > b.size {
		return nil, fmt.Errorf("%s has changed since its index was made", b.file)
	}
	if r, ok := f.(io.ReaderAt); ok {
		text := make([]byte, b.text)
		if n, err := r.ReadAt(text, int64(b.offset)); n < b.text {
			return nil, err
		}
		return text, nil
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	if len(data) != b.size {
		return nil, fmt.Errorf("%s has changed since its index was made", b.file)
	}
	return data[b.offset : b.offset+b.text], nil
}

func (l *Library) load() {
	l.parsed = map[int]*Command{}
	index := l.Index
	if index == "" {
		if index, l.err = Index(l.Files); l.err != nil {
			return
		}
	}
	head, rest, _ := strings.Cut(index, "\n")
	n, err := strconv.Atoi(head)
	if err != nil || n < 0 || n > len(rest) {
		l.err = errors.New("the index of the command models is broken")
		return
	}
	l.names, l.blocks = rest[:n], rest[n:]
}

// Index reads the keys of all models: a line with the length of the names that follow, the names, and the blocks.
func Index(files fs.FS) (string, error) {
	list, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return "", err
	}
	var names []string
	var blocks strings.Builder
	for _, n := range list {
		data, err := fs.ReadFile(files, n)
		if err != nil {
			return "", fmt.Errorf("command models %s: %w", path.Base(n), err)
		}
		names = append(names, indexFile(&blocks, n, data)...)
	}
	slices.Reverse(names) // of two blocks with one name the last is found
	slices.SortStableFunc(names, func(a, b string) int {
		return strings.Compare(a[:strings.IndexByte(a, '\t')], b[:strings.IndexByte(b, '\t')])
	})
	text := strings.Join(names, "")
	return strconv.Itoa(len(text)) + "\n" + text + blocks.String(), nil
}

// indexFile cuts a file at its top-level keys.
func indexFile(blocks *strings.Builder, file string, data []byte) (names []string) {
	open := -1 // where the text of the last block starts
	end := func(at int) {
		if open >= 0 {
			fmt.Fprintf(blocks, "\t%s\t%d\t%d\t%d\n", file, open, at-open, len(data))
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
				key := strings.ReplaceAll(strings.Trim(string(k), `"'`), "\t", " ")
				i := strings.LastIndexByte(key, ' ') + 1
				for n := range strings.SplitSeq(key[i:], "|") {
					names = append(names, fmt.Sprintf("%s\t%d\n", key[:i]+n, blocks.Len()))
				}
				first, _, _ := strings.Cut(key[i:], "|")
				blocks.WriteString(key[:i] + first)
			}
		}
		at += next + 1
	}
	end(len(data))
	return names
}
