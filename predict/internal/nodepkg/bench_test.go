package nodepkg

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// bigProject makes a project with n installed packages, of which every hundredth has an install script, as npm and pnpm lay them
// out.
func bigProject(t testing.TB, n int) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	type entry map[string]any
	packages, deps := map[string]entry{}, map[string]string{}
	tree := map[string]string{}
	lock := "lockfileVersion: '9.0'\n\npackages:\n"
	for i := range n {
		name := fmt.Sprintf("package-number-%04d", i)
		if i%7 == 0 {
			name = "@scope/" + name
		}
		text := pkg(name, `"license": "MIT", "main": "index.js"`, "test", "build")
		e := entry{"version": "1.0.0", "resolved": "https://r.example/" + name + "/-/" + filepath.Base(name) + "-1.0.0.tgz", "license": "MIT",
			"integrity": fmt.Sprintf("sha512-%088d", i), "dependencies": map[string]string{"a": "^1.0.0", "b": "^2.0.0"}, "engines": map[string]string{"node": ">=18"}}
		if i%100 == 50 {
			text = pkg(name, "", "postinstall")
			e["hasInstallScript"] = true
		}
		if i%20 == 0 {
			deps[name] = "^1.0.0"
		}
		packages["node_modules/"+name] = e
		tree["npm/node_modules/"+name+"/package.json"] = text
		slug := fmt.Sprintf("package-number-%04d@1.0.0", i)
		if i%7 == 0 {
			slug = "@scope+" + slug
		}
		tree["pnpm/node_modules/.pnpm/"+slug+"/node_modules/"+name+"/package.json"] = text
		lock += fmt.Sprintf("\n  '%s@1.0.0':\n    resolution: {integrity: sha512-%088d}\n    engines: {node: '>=18'}\n", name, i)
	}
	depsText, _ := json.Marshal(deps)
	root := pkg("root", `"packageManager": "pnpm@12.0.0", "dependencies": `+string(depsText), "postinstall", "build", "prebuild")
	hidden, _ := json.MarshalIndent(map[string]any{"name": "root", "lockfileVersion": 3, "requires": true, "packages": packages}, "", "  ")
	packages[""] = entry{"name": "root", "version": "1.0.0", "dependencies": deps}
	full, _ := json.MarshalIndent(map[string]any{"name": "root", "lockfileVersion": 3, "requires": true, "packages": packages}, "", "  ")
	tree["npm/package.json"], tree["npm/package-lock.json"], tree["npm/node_modules/.package-lock.json"] = root, string(full), string(hidden)
	tree["pnpm/package.json"], tree["pnpm/pnpm-lock.yaml"], tree["pnpm/node_modules/.pnpm/lock.yaml"] = root, lock, lock
	tree["pnpm/pnpm-workspace.yaml"] = "allowBuilds:\n  package-number-0050: true\n  package-number-0150: true\n"
	tree["pnpm/node_modules/.modules.yaml"] = "{\n  \"pendingBuilds\": [],\n  \"ignoredBuilds\": []\n}"
	files(t, dir, tree)
	return dir
}

func BenchmarkPlan(b *testing.B) {
	dir := bigProject(b, 1000)
	home := b.TempDir()
	for _, c := range []struct{ name, manager, verb, dir string }{
		{"npm/ci", "npm", "ci", "npm"}, {"npm/install", "npm", "install", "npm"}, {"npm/run", "npm", "run", "npm"}, {"npm/rebuild", "npm", "rebuild", "npm"},
		{"pnpm/install", "pnpm", "install", "pnpm"}, {"pnpm/run", "pnpm", "run", "pnpm"},
	} {
		b.Run(c.name, func(b *testing.B) {
			req := Request{Manager: c.manager, Verb: c.verb, Dir: filepath.Join(dir, c.dir), Home: home,
				Env: func(k string) (string, bool) {
					if k == "PATH" {
						return "/usr/local/bin:/usr/bin:/bin", true
					}
					return "", false
				}}
			if c.verb == "run" {
				req.Names = []string{"build"}
			}
			for b.Loop() {
				if r := Plan(workspace.New("", workspace.Limits{}), req); len(r.Jobs) == 0 {
					b.Fatal(r)
				}
			}
		})
	}
}

// BenchmarkLockfile is the reader of package-lock.json alone.
func BenchmarkLockfile(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(bigProject(b, 1000), "npm/package-lock.json"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if l, err := parseNPMLock(&workspace.File{Data: data}, nil, false); err != nil || l.count != 1000 {
			b.Fatal(l.count, err)
		}
	}
}
