package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Difference says in words how a new trace differs from the committed one; empty when the classes agree. A class that
// either trace calls unstable may come and go.
func Difference(old, now *Truth) string {
	if old == nil {
		return fmt.Sprintf("not labelled yet; traced %v, hook %v, unstable %v", now.Classes, now.Hook, now.Unstable)
	}
	var out []string
	compare := func(what string, a, b, loose []string) {
		for _, class := range Classes() {
			if was, is := slices.Contains(a, class), slices.Contains(b, class); was != is && !slices.Contains(loose, class) {
				out = append(out, fmt.Sprintf("%s %s: labelled %v, traced %v", what, class, was, is))
			}
		}
	}
	compare("command", old.Classes, now.Classes, append(slices.Clone(old.Unstable), now.Unstable...))
	compare("hook", old.Hook, now.Hook, append(slices.Clone(old.HookUnstable), now.HookUnstable...))
	return strings.Join(out, "; ")
}

// Save writes the truth of a case into the corpus below dir, the folder of this package.
func Save(dir string, c Case, t *Truth) error {
	pattern := filepath.Join(dir, c.recipes, "*.json")
	if c.folder != "" {
		pattern = filepath.Join(dir, c.folder, "case.json")
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var list []Case
		if err := json.Unmarshal(b, &list); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if i := slices.IndexFunc(list, func(o Case) bool { return o.ID == c.ID }); i >= 0 {
			list[i].Truth = t
			return writeJSON(name, list)
		}
	}
	return fmt.Errorf("case %s is in no file below %s: run this from the top of the repository", c.ID, dir)
}

func writeJSON(name string, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}
