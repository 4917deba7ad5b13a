package compose

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Limits of one project. Real ones stay a factor of ten below.
const (
	maxFileBytes = 128 << 10
	maxNodes     = 50_000 // values, those behind aliases counted each time
	maxDepth     = 40
	maxText      = 4 << 20 // bytes of interpolated text
	maxFiles     = 60      // compose files read, includes and extends counted each time
	maxJobs      = 1000
)

// node is a value of a compose file with its variables replaced. The nil node is an absent value.
type node struct {
	kind   kind
	text   string // of a scalar
	list   []*node
	keys   []string // of a mapping, in order
	fields map[string]*node
	file   *workspace.File
	line   int
	dir    string // what relative paths in it are relative to
	tag    string // "!reset" and "!override" say how it merges
}

type kind uint8

const (
	null kind = iota
	scalar
	sequence
	mapping
)

func (n *node) get(keys ...string) *node {
	for _, k := range keys {
		if n == nil || n.kind != mapping {
			return nil
		}
		n = n.fields[k]
	}
	return n
}

// str is the text of a scalar; empty for anything else.
func (n *node) str() string {
	if n == nil || n.kind != scalar {
		return ""
	}
	return n.text
}

func (n *node) isTrue() bool { return n.str() == "true" }

// strings lists the scalars of a sequence, or a scalar alone.
func (n *node) strings() []string {
	if n == nil {
		return nil
	}
	if n.kind == scalar {
		return []string{n.text}
	}
	var out []string
	for _, x := range n.list {
		out = append(out, x.str())
	}
	return out
}

func (n *node) set(key string, v *node) {
	if n.fields == nil {
		n.fields = map[string]*node{}
	}
	if _, ok := n.fields[key]; !ok {
		n.keys = append(n.keys, key)
	}
	n.fields[key] = v
}

func (n *node) remove(key string) {
	delete(n.fields, key)
	for i, k := range n.keys {
		if k == key {
			n.keys = append(n.keys[:i:i], n.keys[i+1:]...)
			return
		}
	}
}

// at is where a value stands.
func (n *node) at(rule string) effect.Source {
	if n == nil || n.file == nil {
		return effect.Source{Rule: rule}
	}
	return effect.Source{File: n.file.Path, Line: n.line, SHA256: n.file.SHA256, Rule: rule}
}

var errLimit = errors.New("it is larger or more deeply nested than is followed")

// parse reads one file and replaces its variables.
func (p *project) parse(f *workspace.File, dir string, vars lookup) (*node, error) {
	if len(f.Data) > maxFileBytes {
		return nil, errLimit
	}
	if tooDeep(f.Data) {
		return nil, errLimit
	}
	loader, err := yaml.NewLoader(bytes.NewReader(f.Data))
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := loader.Load(&doc); errors.Is(err, io.EOF) {
		return &node{file: f, dir: dir}, nil
	} else if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("it is no YAML that is understood: %s", first)
	}
	c := converter{project: p, file: f, dir: dir, vars: vars}
	n, err := c.convert(&doc, 0)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// tooDeep counts brackets of flow style, which the parser descends into recursively.
func tooDeep(data []byte) bool {
	depth := 0
	for _, c := range data {
		switch c {
		case '[', '{':
			if depth++; depth > 1000 {
				return true
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return false
}

type converter struct {
	*project
	file *workspace.File
	dir  string
	vars lookup
}

func (c *converter) convert(y *yaml.Node, depth int) (*node, error) {
	if c.nodes++; c.nodes > maxNodes || depth > maxDepth {
		return nil, errLimit
	}
	n := &node{file: c.file, line: y.Line, dir: c.dir, tag: y.Tag}
	switch y.Kind {
	case yaml.DocumentNode:
		if len(y.Content) == 0 {
			return n, nil
		}
		return c.convert(y.Content[0], depth+1)
	case yaml.AliasNode:
		if y.Alias == nil {
			return n, nil
		}
		return c.convert(y.Alias, depth+1)
	case yaml.SequenceNode:
		n.kind = sequence
		for _, x := range y.Content {
			v, err := c.convert(x, depth+1)
			if err != nil {
				return nil, err
			}
			n.list = append(n.list, v)
		}
	case yaml.MappingNode:
		n.kind = mapping
		return n, c.mapping(n, y, depth)
	case yaml.ScalarNode:
		if y.Tag == "!!null" {
			return n, nil
		}
		n.kind = scalar
		n.text = c.interpolate(y.Value, c.vars, y.Line, c.file)
		if c.text += len(n.text); c.text > maxText {
			return nil, errLimit
		}
	}
	return n, nil
}

// mapping converts the fields. A `<<` gives those that the mapping itself does not have.
func (c *converter) mapping(n *node, y *yaml.Node, depth int) error {
	var merged []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		k := y.Content[i]
		v, err := c.convert(y.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		if k.Value == "<<" && (k.Tag == "!!merge" || k.Tag == "") {
			if v.kind == sequence {
				merged = append(merged, v.list...)
			} else {
				merged = append(merged, v)
			}
			continue
		}
		if k.Kind == yaml.ScalarNode {
			if v.kind == null {
				v.line = k.Line
			}
			n.set(k.Value, v)
		}
	}
	for _, m := range merged {
		for _, k := range m.keys {
			if _, has := n.fields[k]; !has {
				n.set(k, m.fields[k])
			}
		}
	}
	return nil
}
