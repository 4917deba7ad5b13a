package nodepkg

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// document is a YAML file whose top is a mapping.
type document struct {
	file *workspace.File
	root *yaml.Node
}

// yaml reads a YAML file; nil when there is none or when it cannot be used, which is an unknown then. The library bounds nesting
// and aliases.
func (p *plan) yaml(name, rule string) *document {
	f, err := p.fs.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		p.broken(name, rule, fmt.Sprintf("%s cannot be read: %v", name, err))
		return nil
	}
	var node yaml.Node
	if err := yaml.Unmarshal(f.Data, &node); err != nil {
		p.unknown(effect.Source{File: f.Path, Line: 1, SHA256: f.SHA256, Rule: rule}, fmt.Sprintf("%s is not valid YAML: %v", name, err), anything...)
		return nil
	}
	d := &document{file: f, root: &node}
	if node.Kind == yaml.DocumentNode && len(node.Content) == 1 {
		d.root = deref(node.Content[0])
	}
	return d
}

func deref(n *yaml.Node) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.AliasNode && i < 10; i++ {
		n = n.Alias
	}
	return n
}

// get is the value of a key of a mapping, the last one of repeated keys; nil when there is none.
func get(n *yaml.Node, key string) *yaml.Node {
	var found *yaml.Node
	each(n, func(k, v *yaml.Node) {
		if k.Value == key {
			found = v
		}
	})
	return found
}

// each calls f for the members of a mapping.
func each(n *yaml.Node, f func(k, v *yaml.Node)) {
	if n = deref(n); n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		f(deref(n.Content[i]), deref(n.Content[i+1]))
	}
}

// text is a scalar's text.
func text(n *yaml.Node) string {
	if n = deref(n); n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// texts lists a sequence's scalars; a scalar counts as a list of one.
func texts(n *yaml.Node) []string {
	n = deref(n)
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode && n.Value != "" {
		return []string{n.Value}
	}
	var list []string
	if n.Kind == yaml.SequenceNode {
		for _, c := range n.Content {
			if c = deref(c); c != nil && c.Kind == yaml.ScalarNode {
				list = append(list, c.Value)
			}
		}
	}
	return list
}

func (d *document) at(n *yaml.Node, rule string) effect.Source {
	return effect.Source{File: d.file.Path, Line: max(n.Line, 1), SHA256: d.file.SHA256, Rule: rule}
}

// yes and no tell whether a text is a YAML boolean that is certainly on or off.
func yes(s string) bool { return strings.EqualFold(s, "true") }
func no(s string) bool  { return strings.EqualFold(s, "false") }
