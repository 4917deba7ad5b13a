package taskfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

const maxFileBytes = 128 << 10

var errLimit = errors.New("it is larger or more deeply nested than is followed")

// decode reads the first document of a file.
func decode(data []byte) (*yaml.Node, error) {
	if len(data) > maxFileBytes || tooDeep(data) {
		return nil, errLimit
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := loader.Load(&doc); errors.Is(err, io.EOF) {
		return &doc, nil
	} else if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("it is no YAML that is understood: %s", first)
	}
	return resolve(&doc), nil
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

// resolve follows aliases and the document node.
func resolve(n *yaml.Node) *yaml.Node {
	for range 10 {
		switch {
		case n == nil:
			return nil
		case n.Kind == yaml.AliasNode:
			n = n.Alias
		case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
			n = n.Content[0]
		default:
			return n
		}
	}
	return nil
}

// field is a field of a mapping, its own or one that `<<` brings; nil where there is none.
func field(n *yaml.Node, key string) *yaml.Node { return fieldAt(n, key, 0) }

func fieldAt(n *yaml.Node, key string, depth int) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode || depth > 10 {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return resolve(n.Content[i+1])
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "<<" {
			continue
		}
		m := resolve(n.Content[i+1])
		if v := fieldAt(m, key, depth+1); v != nil {
			return v
		}
		for _, x := range items(m) {
			if v := fieldAt(x, key, depth+1); v != nil {
				return v
			}
		}
	}
	return nil
}

// pair is one field of a mapping, in order.
type pair struct {
	key   string
	line  int
	value *yaml.Node
}

func pairs(n *yaml.Node) []pair {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	var out []pair
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "<<" {
			out = append(out, mergedPairs(resolve(n.Content[i+1]))...)
			continue
		}
		if v := resolve(n.Content[i+1]); v != nil {
			out = append(out, pair{n.Content[i].Value, n.Content[i].Line, v})
		}
	}
	return out
}

// mergedPairs are the fields that `<<` brings, without what it brings itself in turn.
func mergedPairs(n *yaml.Node) []pair {
	var out []pair
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if v := resolve(n.Content[i+1]); v != nil && n.Content[i].Value != "<<" {
			out = append(out, pair{n.Content[i].Value, n.Content[i].Line, v})
		}
	}
	return out
}

// items are the elements of a sequence.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	out := make([]*yaml.Node, 0, len(n.Content))
	for _, x := range n.Content {
		if x = resolve(x); x != nil {
			out = append(out, x)
		}
	}
	return out
}

// list is the elements of a sequence, or a value alone.
func list(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Tag == "!!null" {
		return nil
	}
	if n.Kind == yaml.SequenceNode {
		return items(n)
	}
	return []*yaml.Node{n}
}

// str is the text of a scalar.
func str(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}
