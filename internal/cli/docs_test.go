package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/action"
)

func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// fenced are the code blocks of a page in one language.
func fenced(t *testing.T, text, language string) (blocks []string) {
	t.Helper()
	parts := strings.Split(text, "\n```"+language+"\n")
	for _, part := range parts[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		blocks = append(blocks, block)
	}
	if len(blocks) == 0 {
		t.Fatalf("the page has no block of %s", language)
	}
	return blocks
}

// The digest that docs/formats.md gives is the one that is computed.
func TestFormatsVector(t *testing.T) {
	act, err := action.NewShell("cli", "", "/tmp", "ls")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page(t, "docs/formats.md"), "`"+act.Digest()+"`") {
		t.Errorf("docs/formats.md lacks the digest %s of its example", act.Digest())
	}
}

// Every example of JSON in docs/formats.md is JSON.
func TestFormatsExamples(t *testing.T) {
	for _, block := range fenced(t, page(t, "docs/formats.md"), "json") {
		dec := json.NewDecoder(strings.NewReader(block))
		for dec.More() {
			var v map[string]any
			if err := dec.Decode(&v); err != nil {
				t.Errorf("%v in\n%s", err, block)
				break
			}
		}
	}
}
