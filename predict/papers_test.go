package predict_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict"
)

// sourceOf finds a source of an effect of a class, in a view, whose file has the suffix.
func sourceOf(p *predict.Prediction, c effect.Class, v effect.View, file string) (effect.Source, bool) {
	for _, e := range p.Effects {
		if e.Class != c || e.View > v {
			continue
		}
		for _, s := range e.Sources {
			if strings.HasSuffix(s.File, file) && (file == "") == (s.File == "") {
				return s, true
			}
		}
	}
	return effect.Source{}, false
}

// TestViteProject is the first mapping of the paper (arXiv 2609.28586): "pnpm install" of a Vite project is approved as a
// process, and its metadata says that hooks of the repository are written as well.
func TestViteProject(t *testing.T) {
	dir := tree(t, map[string]string{
		"package.json": `{
  "name": "site",
  "version": "0.0.0",
  "scripts": {
    "dev": "vite",
    "postinstall": "node scripts/hooks.mjs"
  },
  "devDependencies": {"vite": "8.3.4"}
}
`,
		"pnpm-lock.yaml":    "lockfileVersion: '9.0'\n",
		"scripts/hooks.mjs": "import { writeFileSync, chmodSync } from 'node:fs';\n\nwriteFileSync('.git/hooks/pre-commit', '#!/bin/sh\\nnpm test\\n');\nchmodSync('.git/hooks/pre-commit', 0o755);\n",
		".git/HEAD":         "ref: refs/heads/main\n",
	})
	p := plan(t, dir, "pnpm install")
	if got := p.Views(effect.Explicit); !slices.Equal(got, []effect.Class{effect.Process}) {
		t.Errorf("explicit view: %v, want process", got)
	}
	if got := p.Views(effect.Metadata); !slices.Contains(got, effect.Process) || !slices.Contains(got, effect.File) {
		t.Errorf("metadata view: %v, want process and file among them", got)
	}
	if s, ok := sourceOf(p, effect.Process, effect.Metadata, "package.json"); !ok || s.Line != 6 || s.SHA256 == "" {
		t.Errorf("the lifecycle script's source is %+v, want package.json line 6 with a digest", s)
	}
	if s, ok := sourceOf(p, effect.File, effect.Metadata, "scripts/hooks.mjs"); !ok || s.Line != 3 || s.Rule != "js/fs.writeFileSync" {
		t.Errorf("the written hook's source is %+v, want scripts/hooks.mjs line 3", s)
	}
}

// TestDocumentationCall is the second mapping: an MCP call is approved as one, and the entry of .mcp.json says that it leaves
// the machine.
func TestDocumentationCall(t *testing.T) {
	dir := tree(t, map[string]string{".mcp.json": "{\n  \"mcpServers\": {\n    \"docs\": {\"type\": \"http\", \"url\": \"https://docs.example.com/mcp\"}\n  }\n}\n"})
	a, err := action.New("test", "", dir, "mcp__docs__search", []byte(`{"query":"hooks"}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := predict.Predict(context.Background(), a, predict.Options{Env: []string{"HOME=/home/user"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Views(effect.Explicit); !slices.Equal(got, []effect.Class{effect.MCP}) {
		t.Errorf("explicit view: %v, want mcp", got)
	}
	if got := p.Views(effect.Metadata); !slices.Equal(got, []effect.Class{effect.MCP, effect.Network}) {
		t.Errorf("metadata view: %v, want mcp and network", got)
	}
	if s, ok := sourceOf(p, effect.Network, effect.Metadata, ".mcp.json"); !ok || s.Line != 3 || s.SHA256 == "" {
		t.Errorf("the transport's source is %+v, want .mcp.json line 3 with a digest", s)
	}
	if len(p.Unknowns) > 0 {
		t.Errorf("unknown: %+v", p.Unknowns)
	}
}
