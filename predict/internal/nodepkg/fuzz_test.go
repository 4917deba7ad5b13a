package nodepkg

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// FuzzPlan gives every manager a project of hostile files: a plan comes out, and every unknown of it says what could be behind it.
func FuzzPlan(f *testing.F) {
	names := []string{"package-lock.json", "node_modules/.package-lock.json", "pnpm-lock.yaml", "node_modules/.modules.yaml", "yarn.lock", "bun.lock", ".npmrc",
		"pnpm-workspace.yaml", ".yarnrc.yml", ".yarnrc", "bunfig.toml", "node_modules/.yarn-integrity", "node_modules/.pnpm-workspace-state-v1.json"}
	f.Fuzz(func(t *testing.T, manifest, other []byte, which uint8, argv string) {
		dir := t.TempDir()
		write := func(name string, data []byte) {
			p := filepath.Join(dir, name)
			if os.MkdirAll(filepath.Dir(p), 0o755) != nil || os.WriteFile(p, data, 0o644) != nil {
				t.Fatal(p)
			}
		}
		write("package.json", manifest)
		write("node_modules/dep/package.json", manifest)
		write("node_modules/.pnpm/dep@1.0.0/node_modules/dep/package.json", manifest)
		write(names[int(which)%len(names)], other)
		env := func(string) (string, bool) { return "", false }
		for _, m := range []string{"npm", "npx", "pnpm", "yarn", "bun"} {
			req, ok := Parse(m, split(argv))
			if !ok {
				req = Request{Manager: m, Verb: "install"}
			}
			req.Dir, req.Home, req.Env = dir, filepath.Join(dir, "home"), env
			r := Plan(workspace.New("", workspace.Limits{Files: 100, Names: 1000}), req)
			for _, u := range r.Unknowns {
				if u.Why == "" || len(u.Could) == 0 {
					t.Errorf("%s: %+v", m, u)
				}
			}
			for _, j := range r.Jobs {
				if set := btoi(j.Shell != "") + btoi(len(j.Argv) > 0) + btoi(j.Script != ""); set != 1 || j.Dir == "" {
					t.Errorf("%s: %+v", m, j)
				}
			}
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// split cuts a command line at blanks, keeping empty words.
func split(s string) (words []string) {
	word := ""
	for _, c := range s {
		if c == ' ' {
			words, word = append(words, word), ""
			continue
		}
		word += string(c)
	}
	return append(words, word)
}
