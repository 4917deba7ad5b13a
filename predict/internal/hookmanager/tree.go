package hookmanager

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// kind is the kind of a node. The zero value is a value that only running code would give.
type kind uint8

const (
	computed kind = iota
	null
	scalar
	list
	object
)

// node is a value in a configuration file of any syntax, with the line that it begins on.
type node struct {
	kind kind
	file *workspace.File
	line int
	text string // of a scalar, as written: true, 3, a text
	bare bool   // the scalar was not quoted: true is a boolean

	keys  []string // of an object, in order
	byKey map[string]*node
	items []*node
}

// Bounds on one configuration file: more never stands in a real one.
const (
	maxNodes = 50_000
	maxDepth = 100
)

var errTooBig = errors.New("it has too many or too deeply nested values")

// get is a member of an object, nil where there is none. All methods take a nil node.
func (n *node) get(keys ...string) *node {
	for _, k := range keys {
		if n == nil || n.kind != object {
			return nil
		}
		n = n.byKey[k]
	}
	return n
}

func (n *node) set(key string, v *node) {
	if _, ok := n.byKey[key]; !ok {
		n.keys = append(n.keys, key)
	}
	if n.byKey == nil {
		n.byKey = map[string]*node{}
	}
	n.byKey[key] = v
}

// names are the keys of an object.
func (n *node) names() []string {
	if n == nil {
		return nil
	}
	return n.keys
}

// str is the text of a scalar, empty for anything else.
func (n *node) str() string {
	if n == nil || n.kind != scalar {
		return ""
	}
	return n.text
}

// isTrue and isFalse tell a boolean.
func (n *node) isTrue() bool  { return n != nil && n.kind == scalar && n.bare && n.text == "true" }
func (n *node) isFalse() bool { return n != nil && n.kind == scalar && n.bare && n.text == "false" }

// strs is a list of texts, or one text as a list of one.
func (n *node) strs() []string {
	if n == nil {
		return nil
	}
	if n.kind == scalar {
		return []string{n.text}
	}
	var out []string
	for _, i := range n.items {
		if i.kind == scalar {
			out = append(out, i.text)
		}
	}
	return out
}

// from is the place of a node as a source.
func (n *node) from(rule string) effect.Source {
	s := effect.Source{Rule: rule}
	if n != nil {
		s.Line = n.line
		if n.file != nil {
			s.File, s.SHA256 = n.file.Path, n.file.SHA256
		}
	}
	return s
}

// load reads a configuration file by its extension; a file without one is YAML, of which JSON is a part for these files. It
// gives nil without an error where there is no file.
func load(w *workspace.FS, name string) (*node, error) {
	f, err := w.Read(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	n, err := parse(f)
	if err != nil {
		return &node{file: f, line: 1}, fmt.Errorf("%s cannot be understood: %w", name, err)
	}
	return n, nil
}

func parse(f *workspace.File) (*node, error) {
	text := strings.TrimPrefix(string(f.Data), "\ufeff")
	switch path.Ext(f.Path) {
	case ".json", ".jsonc", ".json5":
		return parseLiteral(f, text)
	case ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts":
		return parseModule(f, text)
	case ".toml":
		return parseTOML(f, text)
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		if n, err := parseLiteral(f, text); err == nil {
			return n, nil
		}
	}
	return parseYAML(f, text)
}

func parseYAML(f *workspace.File, text string) (*node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, err
	}
	c := yamlReader{file: f}
	return c.node(&doc, 0)
}

// yamlReader turns YAML nodes into ours. Aliases are followed within a bound on all nodes, merge keys are applied.
type yamlReader struct {
	file  *workspace.File
	count int
}

func (c *yamlReader) node(y *yaml.Node, depth int) (*node, error) {
	if c.count++; c.count > maxNodes || depth > maxDepth {
		return nil, errTooBig
	}
	n := &node{file: c.file, line: max(y.Line, 1)}
	switch y.Kind {
	case yaml.DocumentNode:
		if len(y.Content) == 0 {
			n.kind = null
			return n, nil
		}
		return c.node(y.Content[0], depth+1)
	case yaml.AliasNode:
		return c.node(y.Alias, depth+1)
	case yaml.ScalarNode:
		n.kind, n.text, n.bare = scalar, y.Value, y.Tag != "!!str"
		if y.Tag == "!!null" {
			n.kind = null
		}
	case yaml.SequenceNode:
		n.kind = list
		for _, i := range y.Content {
			v, err := c.node(i, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, v)
		}
	case yaml.MappingNode:
		return n, c.mapping(n, y, depth)
	default:
		n.kind = null
	}
	return n, nil
}

func (c *yamlReader) mapping(n *node, y *yaml.Node, depth int) error {
	n.kind = object
	for i := 0; i+1 < len(y.Content); i += 2 {
		v, err := c.node(y.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		key := y.Content[i]
		if key.Tag == "!!merge" || key.Value == "<<" && key.Style == 0 {
			for _, m := range append(v.items, v) {
				for _, k := range m.keys {
					if n.get(k) == nil {
						n.set(k, m.byKey[k])
					}
				}
			}
			continue
		}
		n.set(key.Value, v)
	}
	return nil
}

func parseTOML(f *workspace.File, text string) (*node, error) {
	var doc map[string]any
	if err := toml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, err
	}
	count := 0
	return tomlNode(f, text, doc, 0, &count)
}

// tomlNode has the lines of texts only, found by their first words: the library keeps none.
func tomlNode(f *workspace.File, text string, v any, depth int, count *int) (*node, error) {
	if *count++; *count > maxNodes || depth > maxDepth {
		return nil, errTooBig
	}
	n := &node{file: f, line: 1}
	switch v := v.(type) {
	case map[string]any:
		n.kind = object
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			m, err := tomlNode(f, text, v[k], depth+1, count)
			if err != nil {
				return nil, err
			}
			n.set(k, m)
		}
	case []any:
		n.kind = list
		for _, i := range v {
			m, err := tomlNode(f, text, i, depth+1, count)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, m)
		}
	case string:
		n.kind, n.text = scalar, v
		first, _, _ := strings.Cut(v, "\n")
		if at := strings.Index(text, first); at >= 0 && first != "" {
			n.line = 1 + strings.Count(text[:at], "\n")
		}
	case bool:
		n.kind, n.text, n.bare = scalar, strconv.FormatBool(v), true
	default:
		n.kind, n.text, n.bare = scalar, fmt.Sprint(v), true
	}
	return n, nil
}

// merged lays one object over another: objects are merged, anything else is replaced.
func merged(below, above *node) *node {
	if below == nil || above == nil || below.kind != object || above.kind != object {
		if above != nil && above.kind != null {
			return above
		}
		return below
	}
	n := &node{kind: object, file: above.file, line: above.line}
	for _, k := range below.keys {
		n.set(k, below.byKey[k])
	}
	for _, k := range above.keys {
		n.set(k, merged(below.get(k), above.byKey[k]))
	}
	return n
}
