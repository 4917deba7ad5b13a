package nodepkg

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// planCase is a project and a command line; what is expected leaves out what a case is not about (nil).
type planCase struct {
	name     string
	tree     map[string]string
	cmd      string
	dir      string
	env      map[string]string
	jobs     []string // labels
	unknowns []string // parts of the phrases, one for each unknown
	skipped  []string // "label: part of why"
	claims   []string // "class.access target"
}

func (c planCase) plan(t *testing.T) (Result, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files(t, dir, c.tree)
	if err := os.MkdirAll(filepath.Join(dir, c.dir), 0o755); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(c.cmd)
	req, ok := Parse(words[0], words[1:])
	if !ok {
		return Result{}, dir
	}
	req.Dir, req.Home = filepath.Join(dir, c.dir), filepath.Join(dir, "home")
	req.Env = func(k string) (string, bool) {
		v, ok := c.env[k]
		return strings.ReplaceAll(v, "DIR", dir), ok
	}
	return Plan(workspace.New("", workspace.Limits{}), req), dir
}

func (c planCase) check(t *testing.T) {
	t.Helper()
	r, dir := c.plan(t)
	var jobs, claims []string
	for _, j := range r.Jobs {
		jobs = append(jobs, j.Label)
	}
	for _, cl := range r.Claims {
		target := strings.TrimPrefix(strings.ReplaceAll(cl.Target, dir+"/", ""), "./")
		if cl.Tree {
			target += "/**"
		}
		claims = append(claims, cl.Class.String()+"."+cl.Access.String()+" "+target)
	}
	if diff := cmp.Diff(c.jobs, jobs, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("jobs: -want +got\n%s", diff)
	}
	if len(r.Unknowns) != len(c.unknowns) {
		t.Errorf("unknowns: %+v, want %q", r.Unknowns, c.unknowns)
	}
	for _, want := range c.unknowns {
		if !slices.ContainsFunc(r.Unknowns, func(u source.Unknown) bool { return strings.Contains(u.Why, want) && len(u.Could) > 0 }) {
			t.Errorf("no unknown says %q: %+v", want, r.Unknowns)
		}
	}
	for _, want := range c.skipped {
		label, why, _ := strings.Cut(want, ": ")
		if !slices.ContainsFunc(r.Skipped, func(s Skip) bool { return s.Label == label && strings.Contains(s.Why, why) }) {
			t.Errorf("%q is not skipped: %+v", want, r.Skipped)
		}
	}
	if c.skipped != nil && len(c.skipped) != len(r.Skipped) {
		t.Errorf("skipped: %+v, want %q", r.Skipped, c.skipped)
	}
	if c.claims != nil {
		if diff := cmp.Diff(c.claims, claims, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("claims: -want +got\n%s", diff)
		}
	}
}

// lockOf makes a package-lock.json of version 3; entries are JSON members of "packages".
func lockOf(entries ...string) string {
	return `{"name": "root", "lockfileVersion": 3, "packages": {"": {"name": "root", "dependencies": {"dep": "^1.0.0"}}, ` + strings.Join(entries, ", ") + `}}`
}

const depEntry = `"node_modules/dep": {"version": "1.0.0", "resolved": "https://r.example/dep/-/dep-1.0.0.tgz", "integrity": "sha512-a", "hasInstallScript": true}`

// npmTree is a project with one installed dependency that has scripts.
func npmTree(entry string, more map[string]string) map[string]string {
	tree := map[string]string{
		"package.json":                    pkg("root", `"dependencies": {"dep": "^1.0.0"}`),
		"package-lock.json":               lockOf(entry),
		"node_modules/.package-lock.json": lockOf(depEntry),
		"node_modules/dep/package.json":   pkg("dep", "", "preinstall", "postinstall", "prepare"),
	}
	for k, v := range more {
		tree[k] = v
	}
	return tree
}

func npmAt(version string) map[string]string {
	return map[string]string{"npm/bin/npm-cli.js": "#!", "npm/package.json": "{\n  \"version\": \"" + version + "\",\n}", "bin/npm": "#!"}
}

func TestPlanNPM(t *testing.T) {
	both := []string{"preinstall of dep@1.0.0", "postinstall of dep@1.0.0"}
	for _, c := range []planCase{
		{name: "ci", cmd: "npm ci", tree: npmTree(depEntry, nil), jobs: both,
			claims: []string{"network.fetch @npm", "file.write node_modules/**"}},
		{name: "install of what is there", cmd: "npm install", tree: npmTree(depEntry, nil),
			skipped: []string{"preinstall of dep@1.0.0: installed already", "postinstall of dep@1.0.0: installed already"},
			claims:  []string{"network.fetch @npm", "file.write package-lock.json", "file.write node_modules/**"}},
		{name: "other contents under the same version", cmd: "npm install", tree: npmTree(strings.Replace(depEntry, "sha512-a", "sha512-b", 1), nil), unknowns: []string{"other contents"}},
		{name: "ci with other contents", cmd: "npm ci", tree: npmTree(strings.Replace(depEntry, "sha512-a", "sha512-b", 1), nil), unknowns: []string{"other contents"}},
		{name: "another version", cmd: "npm ci", tree: npmTree(strings.ReplaceAll(depEntry, "1.0.0", "1.1.0"), nil), unknowns: []string{"install script of dep@1.1.0 is not on disk yet (version 1.0.0 is)"}},
		{name: "not installed", cmd: "npm ci", tree: map[string]string{"package.json": pkg("root", ""), "package-lock.json": lockOf(depEntry)}, unknowns: []string{"install script of dep@1.0.0"}},
		{name: "not installed, scripts off", cmd: "npm ci --ignore-scripts", tree: map[string]string{"package.json": pkg("root", "", "postinstall"), "package-lock.json": lockOf(depEntry)},
			skipped: []string{"install scripts of dep@1.0.0: --ignore-scripts", "postinstall of root@1.0.0: --ignore-scripts"}},
		{name: "no lockfile", cmd: "npm install", tree: map[string]string{"package.json": pkg("root", `"dependencies": {"a": "1", "b": "2"}`)}, unknowns: []string{"install scripts of a, b (neither"}},
		{name: "no lockfile, installed", cmd: "npm install", tree: map[string]string{"package.json": pkg("root", `"dependencies": {"a": "1"}`), "node_modules/a/package.json": pkg("a", "", "install")}},
		{name: "no lockfile, too old", cmd: "npm install", tree: map[string]string{"package.json": pkg("root", `"dependencies": {"a": "2"}`), "node_modules/a/package.json": pkg("a", "", "install")},
			unknowns: []string{"install scripts of a"}},
		{name: "no dependencies", cmd: "npm install", tree: map[string]string{"package.json": pkg("root", "")}},
		{name: "lockfile behind package.json", cmd: "npm install", tree: npmTree(depEntry, map[string]string{"package.json": pkg("root", `"dependencies": {"dep": "^2.0.0"}`)}), unknowns: []string{"install scripts of dep"}},
		{name: "a flag given twice", cmd: "npm ci", tree: npmTree(strings.Replace(depEntry, `"hasInstallScript": true`, `"hasInstallScript": true, "hasInstallScript": false`, 1), nil), jobs: both},
		{name: "development", cmd: "npm ci --omit=dev", tree: npmTree(strings.Replace(depEntry, `{`, `{"dev": true, `, 1), nil)},
		{name: "development by NODE_ENV", cmd: "npm ci", env: map[string]string{"NODE_ENV": "production"}, tree: npmTree(strings.Replace(depEntry, `{`, `{"dev": true, `, 1), nil)},
		{name: "development asked for", cmd: "npm ci --include=dev", env: map[string]string{"NODE_ENV": "production"}, tree: npmTree(strings.Replace(depEntry, `{`, `{"dev": true, `, 1), nil), jobs: both},
		{name: "called development by a lockfile that is out of date", cmd: "npm install --omit=dev", jobs: nil, unknowns: []string{"install script of dep@1.0.0 is not on disk yet"},
			tree: map[string]string{"package.json": pkg("root", `"dependencies": {"dep": "1"}`), "package-lock.json": lockOf(strings.Replace(depEntry, `{`, `{"dev": true, `, 1))}},
		{name: "another system, forced", cmd: "npm ci --force", tree: npmTree(strings.Replace(depEntry, `{`, `{"optional": true, "os": ["win32"], `, 1), nil), jobs: both},
		{name: "a dependency's dependency is missing", cmd: "npm install", unknowns: []string{"install scripts of b"}, tree: map[string]string{"package.json": pkg("root", `"dependencies": {"a": "1"}`),
			"node_modules/a/package.json": pkg("a", `"dependencies": {"b": "1"}, "optionalDependencies": {"c": "1"}`)}},
		{name: "another system", cmd: "npm ci", tree: npmTree(strings.Replace(depEntry, `{`, `{"optional": true, "os": ["win32"], `, 1), nil), skipped: []string{"install scripts of dep@1.0.0: not for this system"}},
		{name: "another system, not optional", cmd: "npm ci", tree: npmTree(strings.Replace(depEntry, `{`, `{"os": ["win32"], `, 1), nil), jobs: both},
		{name: "git", cmd: "npm ci", tree: npmTree(strings.Replace(depEntry, "https://r.example/dep/-/dep-1.0.0.tgz", "git+ssh://git@h.example/dep.git#abc", 1), nil),
			jobs: append([]string{"prepare of dep@1.0.0"}, both...), unknowns: []string{"git dependency dep@1.0.0"}},
		{name: "broken lockfile", cmd: "npm ci", tree: npmTree(`"x": `, nil), unknowns: []string{"package-lock.json is not valid JSON"}},
		{name: "lockfile that is a folder", cmd: "npm install", tree: map[string]string{"package.json": pkg("root", ""), "package-lock.json/x": ""}, unknowns: []string{"package-lock.json cannot be read"}},
		{name: "package.json that is an array", cmd: "npm install", tree: map[string]string{"package.json": "[]"}, unknowns: []string{"package.json holds no package"}},
		{name: "broken package.json", cmd: "npm run x", tree: map[string]string{"package.json": "{"}, unknowns: []string{"package.json is not valid JSON"}},
		{name: "no package.json", cmd: "npm install", tree: map[string]string{}},
		{name: "named", cmd: "npm install left pad", tree: map[string]string{"package.json": pkg("root", "", "postinstall", "dependencies")}, jobs: []string{"dependencies of root@1.0.0"},
			unknowns: []string{"left and of", "pad and of"},
			claims:   []string{"network.fetch @npm", "file.write package-lock.json", "file.write package.json", "file.write node_modules/**"}},
		{name: "offline", cmd: "npm ci --offline", tree: npmTree(depEntry, nil), jobs: both, claims: []string{"file.write node_modules/**"}},
		{name: "registry", cmd: "npm ci", tree: npmTree(depEntry, map[string]string{".npmrc": "registry=https://r.example/\n"}), jobs: both,
			claims: []string{"network.fetch https://r.example/", "file.write node_modules/**"}},
		{name: "dry run", cmd: "npm install --dry-run", tree: npmTree(depEntry, nil), claims: []string{"network.fetch @npm"}},
		{name: "lockfile only", cmd: "npm install --package-lock-only x", tree: npmTree(depEntry, nil)},
		{name: "environment turns scripts off", cmd: "npm ci", env: map[string]string{"NPM_CONFIG_IGNORE_SCRIPTS": "true"}, tree: npmTree(depEntry, nil)},
		{name: "the command line turns them on again", cmd: "npm ci --no-ignore-scripts", env: map[string]string{"NPM_CONFIG_IGNORE_SCRIPTS": "true"}, tree: npmTree(depEntry, nil), jobs: both},
		{name: "node options from a file", cmd: "npm run x", tree: map[string]string{"package.json": pkg("root", "", "x"), ".npmrc": "node-options=--require ./evil.js\n"}, jobs: []string{"x of root@1.0.0"},
			claims: []string{"environment.write NODE_OPTIONS"}},
		{name: "unreadable configuration", cmd: "npm run x", tree: map[string]string{"package.json": pkg("root", "", "x"), ".npmrc/a": ""}, jobs: []string{"x of root@1.0.0"}, unknowns: []string{"npm's configuration"}},
		{name: "patterns of workspaces", cmd: "npm run x -ws", jobs: []string{"x of a@1.0.0", "x of c@1.0.0", "x of e@1.0.0"}, tree: map[string]string{
			"package.json": pkg("root", `"workspaces": ["./packages/{a,b}", "!packages/b", "deep/**", "last/"]`), "packages/a/package.json": pkg("a", "", "x"), "packages/b/package.json": pkg("b", "", "x"),
			"deep/1/2/package.json": pkg("c", "", "x"), "deep/1/node_modules/d/package.json": pkg("d", "", "x"), "last/package.json": pkg("e", "", "x")}},
		{name: "a pattern that is not understood", cmd: "npm run x -ws", tree: map[string]string{"package.json": pkg("root", `"workspaces": ["@(a|b)"]`)}, unknowns: []string{"workspaces"}},
		{name: "strict", cmd: "npm ci --strict-allow-scripts", env: map[string]string{"PATH": "DIR/bin"}, tree: npmTree(depEntry, npmAt("11.19.1")), jobs: both}, // no link: the version is not known
	} {
		t.Run(c.name, c.check)
	}
}

// TestPlanVersions changes the npm on PATH.
func TestPlanVersions(t *testing.T) {
	allow := func(list string) map[string]string {
		return npmTree(depEntry, map[string]string{"package.json": pkg("root", `"dependencies": {"dep": "^1.0.0"}, "allowScripts": `+list)})
	}
	both := []string{"preinstall of dep@1.0.0", "postinstall of dep@1.0.0"}
	for _, c := range []struct {
		version, allow, cmd string
		jobs                []string
	}{
		{"10.0.0", `{"dep": false}`, "npm ci", both},
		{"11.15.0", `{"dep": false}`, "npm ci", both},
		{"11.16.0", `{"dep": false}`, "npm ci", nil},
		{"11.19.1", `{}`, "npm ci", both},
		{"11.19.1", `{"other": true}`, "npm ci", both},
		{"11.19.1", `{"dep@1.0.0": false}`, "npm ci", nil},
		{"11.19.1", `{"dep@2.0.0": false}`, "npm ci", both},
		{"11.19.1", `{"dep@^1": false}`, "npm ci", both},
		{"11.19.1", `{"dep": true, "dep@1.0.0": false}`, "npm ci", nil},
		{"11.19.1", `{"other": true}`, "npm ci --strict-allow-scripts", nil},
		{"11.19.1", `{"dep": true}`, "npm ci --strict-allow-scripts", both},
		{"11.19.1", `{"dep": false}`, "npm ci --dangerously-allow-all-scripts", both},
		{"11.19.1", `{}`, "npm ci --allow-scripts=dep", nil},
		{"12.0.0", `{}`, "npm ci", nil},
		{"12.0.0", `{"dep@*": true}`, "npm ci", both},
		{"12.0.0", `{"dep@1.0.0 || 3.0.0": true}`, "npm ci", both},
		{"12.0.0", `{"dep@latest": true}`, "npm ci", nil},
	} {
		t.Run(c.version+" "+c.cmd+" "+c.allow, func(t *testing.T) {
			pc := planCase{tree: allow(c.allow), cmd: c.cmd, jobs: c.jobs}
			npm := t.TempDir()
			files(t, npm, map[string]string{"lib/bin/npm-cli.js": "#!", "lib/package.json": "{\n  \"name\": \"npm\",\n  \"version\": \"" + c.version + "\"\n}", "bin/x": ""})
			if err := os.Symlink("../lib/bin/npm-cli.js", filepath.Join(npm, "bin/npm")); err != nil {
				t.Fatal(err)
			}
			pc.env = map[string]string{"PATH": filepath.Join(npm, "bin")}
			pc.check(t)
		})
	}
}

func TestPlanRunAndExec(t *testing.T) {
	bin := map[string]string{"package.json": pkg("root", `"bin": {"own": "cli.js"}`, "x"), "cli.js": "#!/usr/bin/env node\n", "node_modules/.bin/tool": "#!/bin/sh\n",
		"node_modules/kit/package.json": pkg("kit", `"bin": {"kit-cli": "c.js"}`), "node_modules/.bin/kit-cli": "#!/bin/sh\n", "sub/x": ""}
	for _, c := range []planCase{
		{name: "npx of an installed command", cmd: "npx tool a", tree: bin, dir: "sub", jobs: []string{"tool"}, claims: []string{}},
		{name: "npx of a package with another command", cmd: "npx kit", tree: bin, jobs: []string{"kit-cli"}},
		{name: "npx of the project's own command", cmd: "npx own", tree: bin, jobs: []string{"own of root@1.0.0"}},
		{name: "npx of what is not there", cmd: "npx -y other@1 a", tree: bin, unknowns: []string{"other@1 is downloaded and run"},
			claims: []string{"network.fetch @npm", "file.write home/.npm/_npx/1ecfad5bc3ca61dc/**"}},
		{name: "npx of another version", cmd: "npx kit@2", tree: bin, unknowns: []string{"kit@2"}},
		{name: "npx with a package", cmd: "npx -p kit -c kit-cli", tree: bin, jobs: []string{"npx -c"}},
		{name: "npx that must not install", cmd: "npx --no other", tree: bin, skipped: []string{"other: yes is set to false"}},
		{name: "npm exec", cmd: "npm exec -- tool --flag", tree: bin, jobs: []string{"tool"}},
		{name: "npm create", cmd: "npm create thing@latest -- --yes", tree: bin, unknowns: []string{"create-thing@latest"}},
		{name: "npm init without a name", cmd: "npm init -y", tree: bin, claims: []string{"file.write package.json"}},
		{name: "npm version in git", cmd: "npm version patch", tree: map[string]string{"package.json": pkg("root", "", "preversion", "version", "postversion"), ".git/HEAD": ""},
			jobs:   []string{"preversion of root@1.0.0", "version of root@1.0.0", "git add of npm version", "git commit of npm version", "git tag of npm version", "postversion of root@1.0.0"},
			claims: []string{"file.write package.json"}},
		{name: "npm version without git", cmd: "npm version patch --no-git-tag-version", tree: map[string]string{"package.json": pkg("root", "", "version"), ".git/HEAD": ""}, jobs: []string{"version of root@1.0.0"}},
		{name: "npm publish", cmd: "npm publish", tree: map[string]string{"package.json": pkg("root", "", "prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish")},
			jobs:   []string{"prepublishOnly of root@1.0.0", "prepack of root@1.0.0", "prepare of root@1.0.0", "postpack of root@1.0.0", "publish of root@1.0.0", "postpublish of root@1.0.0"},
			claims: []string{"network.send @npm"}},
		{name: "a list", cmd: "npm run", tree: bin},
		{name: "help", cmd: "npm run x --help", tree: bin},
		{name: "shortened", cmd: "npm exe tool", tree: bin, jobs: []string{"tool"}},
		{name: "pnpm falls back to a command", cmd: "pnpm tool", tree: bin, jobs: []string{"tool"}},
		{name: "pnpm dlx", cmd: "pnpm dlx thing@1 a", tree: bin, unknowns: []string{"thing@1 is downloaded"}, claims: []string{"network.fetch @npm"}},
		{name: "pnpm create", cmd: "pnpm create @s/thing", tree: bin, unknowns: []string{"@s/create-thing is downloaded"}},
		{name: "yarn falls back to a command", cmd: "yarn tool", tree: bin, jobs: []string{"tool"}},
		{name: "bunx of an installed command", cmd: "bunx tool", tree: bin, jobs: []string{"tool"}},
		{name: "bunx of what is not there", cmd: "bunx other", tree: bin, unknowns: []string{"other is downloaded"}, claims: []string{"network.fetch @npm"}},
		{name: "bun of a file", cmd: "bun ./a.ts", tree: map[string]string{"a.ts": "", "bunfig.toml": "preload = ['./p.ts']", "p.ts": ""}, jobs: []string{"preload of ./p.ts", "./a.ts"}},
		{name: "bun reads comments", cmd: "bun run x", tree: map[string]string{"package.json": "{// y\n\"scripts\": {\"x\": \"z\",},}"}, jobs: []string{"x of the package in "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "bun reads comments" {
				r, _ := c.plan(t)
				if len(r.Jobs) != 1 || r.Jobs[0].Shell != "z" || r.Jobs[0].From.Line != 2 {
					t.Errorf("%+v", r)
				}
				return
			}
			c.check(t)
		})
	}
}

// TestPlanOthers holds what the real pnpm, Yarn and bun of one version cannot show.
func TestPlanOthers(t *testing.T) {
	store := func(root string, more map[string]string) map[string]string {
		tree := map[string]string{"package.json": root, "pnpm-lock.yaml": "lockfileVersion: '9.0'\n'dep@1.0.0':\n",
			"node_modules/.pnpm/dep@1.0.0/node_modules/dep/package.json": pkg("dep", "", "postinstall")}
		for k, v := range more {
			tree[k] = v
		}
		return tree
	}
	pinned := func(version, more string) string {
		return pkg("root", `"packageManager": "pnpm@`+version+`", "dependencies": {"dep": "1.0.0"}`+more)
	}
	dep := []string{"postinstall of dep@1.0.0"}
	for _, c := range []planCase{
		{name: "pnpm 8 runs all", cmd: "pnpm install", tree: store(pinned("8.0.0", ""), nil), jobs: dep, unknowns: []string{"the dependencies are not on disk"}},
		{name: "pnpm 9 with onlyBuiltDependencies", cmd: "pnpm install", tree: store(pinned("9.0.0", `, "pnpm": {"onlyBuiltDependencies": []}`), nil), skipped: []string{"install scripts of dependencies: only those of dependencies that are allowed"}},
		{name: "pnpm 9 with neverBuiltDependencies", cmd: "pnpm rebuild", tree: store(pinned("9.0.0", `, "pnpm": {"neverBuiltDependencies": ["dep"]}`), nil), skipped: []string{"postinstall of dep@1.0.0: neverBuilt"}},
		{name: "pnpm 10 runs none", cmd: "pnpm install", tree: store(pinned("10.0.0", ""), nil)},
		{name: "pnpm 10 in package.json", cmd: "pnpm install", tree: store(pinned("10.0.0", `, "pnpm": {"onlyBuiltDependencies": ["dep"]}`), nil), jobs: dep},
		{name: "pnpm 10 in a file", cmd: "pnpm install", jobs: dep, tree: store(pinned("10.0.0", `, "pnpm": {"onlyBuiltDependenciesFile": "list.json"}`), map[string]string{"list.json": `["dep"]`})},
		{name: "pnpm 10 in a file that is not there", cmd: "pnpm install", tree: store(pinned("10.0.0", `, "pnpm": {"onlyBuiltDependenciesFile": "list.json"}`), nil), unknowns: []string{"onlyBuiltDependenciesFile"}},
		{name: "pnpm 10 with all but one", cmd: "pnpm rebuild", jobs: dep, tree: store(pinned("10.0.0", ""), map[string]string{"pnpm-workspace.yaml": "neverBuiltDependencies: [other]\n"})},
		{name: "pnpm 11 ignores package.json", cmd: "pnpm install", tree: store(pinned("11.0.0", `, "pnpm": {"onlyBuiltDependencies": ["dep"]}`), nil)},
		{name: "pnpm 11 ignores .npmrc", cmd: "pnpm rebuild", jobs: dep, tree: store(pinned("11.0.0", ""), map[string]string{".npmrc": "ignore-scripts=true\n", "pnpm-workspace.yaml": "allowBuilds: {dep: true}\n"})},
		{name: "pnpm 10 reads .npmrc", cmd: "pnpm rebuild", tree: store(pinned("10.0.0", `, "pnpm": {"onlyBuiltDependencies": ["dep"]}`), map[string]string{".npmrc": "ignore-scripts=true\n"}),
			skipped: []string{"postinstall of dep@1.0.0: ignoreScripts"}},
		{name: "pnpm 12 with permissions", cmd: "pnpm rebuild", jobs: dep, tree: store(pinned("12.11.0", ""), map[string]string{"pnpm-workspace.yaml": "permissions:\n  dep:\n    build: true\n"})},
		{name: "pnpm 12 denies although all are allowed", cmd: "pnpm rebuild", tree: store(pinned("12.12.0", ""), map[string]string{"pnpm-workspace.yaml": "dangerouslyAllowAllBuilds: true\nallowBuilds: {dep: false}\n"}),
			skipped: []string{"postinstall of dep@1.0.0: allowBuilds denies"}},
		{name: "pnpm of no known version", cmd: "pnpm install", tree: store(pkg("root", `"dependencies": {"dep": "1.0.0"}`), nil), unknowns: []string{"version of pnpm is not known: before 10 it runs the install scripts of dep@1.0.0"}},
		{name: "pnpm allows what is not there", cmd: "pnpm install", tree: map[string]string{"package.json": pinned("12.0.0", ""), "pnpm-lock.yaml": "packages:\n  dep@1.0.0: {}\n",
			"pnpm-workspace.yaml": "allowBuilds: {dep: true, other: true}\n"}, unknowns: []string{"install scripts of dep are not on disk"}},
		{name: "pnpm's hooks", cmd: "pnpm install --ignore-scripts", tree: store(pinned("12.0.0", ""), map[string]string{".pnpmfile.cjs": "x", "pnpm-workspace.yaml": "configDependencies: {hooks: 1.0.0+sha}\n"}),
			jobs: []string{"pnpm hooks in .pnpmfile.cjs"}, unknowns: []string{"configuration dependency hooks"}},
		{name: "pnpm's broken workspace file", cmd: "pnpm install", tree: store(pinned("12.0.0", ""), map[string]string{"pnpm-workspace.yaml": "a: [\n"}), unknowns: []string{"not valid YAML"}},
		{name: "pnpm before a script", cmd: "pnpm run x", tree: map[string]string{"package.json": pkg("root", `"packageManager": "pnpm@12.0.0"`, "x", "postinstall")}, jobs: []string{"postinstall of root@1.0.0", "x of root@1.0.0"}},
		{name: "pnpm 9 before a script", cmd: "pnpm run x", tree: map[string]string{"package.json": pkg("root", `"packageManager": "pnpm@9.0.0"`, "x", "prex", "postinstall")}, jobs: []string{"prex of root@1.0.0", "x of root@1.0.0"}},
		{name: "pnpm 8 before a script", cmd: "pnpm run x", tree: map[string]string{"package.json": pkg("root", `"packageManager": "pnpm@8.0.0"`, "x", "prex")}, jobs: []string{"x of root@1.0.0"}},
		{name: "Yarn out of the repository", cmd: "yarn run x", tree: map[string]string{"package.json": pkg("root", "", "x"), ".yarnrc.yml": "yarnPath: .yarn/y.cjs\nplugins:\n  - path: .yarn/p.cjs\n    spec: x\n  - '@yarnpkg/plugin-typescript'\n",
			".yarn/y.cjs": "", ".yarn/p.cjs": "", ".env.yarn": "A=b"}, jobs: []string{"x of root@1.0.0"}, unknowns: []string{"Yarn is run from a file of the repository", "Yarn loads the plugin"}, claims: []string{"environment.read .env.yarn"}},
		{name: "Yarn 1 out of the repository", cmd: "yarn run x", tree: map[string]string{"package.json": pkg("root", "", "x"), ".yarnrc": "yarn-path \"./y.js\"\n"}, jobs: []string{"x of root@1.0.0"}, unknowns: []string{"Yarn is run from a file"}},
		{name: "Yarn with a lockfile of before", cmd: "yarn rebuild", tree: map[string]string{"package.json": pkg("root", `"dependencies": {"dep": "1"}`), ".yarnrc.yml": "nodeLinker: node-modules\n", "yarn.lock": "\n__metadata:\n  version: 8\n",
			"node_modules/dep/package.json": pkg("dep", "", "install")}, jobs: []string{"install of dep@1.0.0"}},
		{name: "Yarn with a lockfile of now", cmd: "yarn rebuild", tree: map[string]string{"package.json": pkg("root", `"dependencies": {"dep": "1"}`), ".yarnrc.yml": "nodeLinker: node-modules\n", "yarn.lock": "\n__metadata:\n  version: 9\n",
			"node_modules/dep/package.json": pkg("dep", "", "install")}, skipped: []string{"install of dep@1.0.0: enableScripts is off"}},
		{name: "bun trusts esbuild", cmd: "bun install --force", tree: map[string]string{"package.json": pkg("root", ""), "node_modules/esbuild/package.json": pkg("esbuild", "", "postinstall"),
			"node_modules/dep/package.json": pkg("dep", "", "postinstall")}, jobs: []string{"postinstall of esbuild@1.0.0"}},
		{name: "bun with a list of its own", cmd: "bun install --force", tree: map[string]string{"package.json": pkg("root", `"trustedDependencies": ["dep"]`), "node_modules/esbuild/package.json": pkg("esbuild", "", "postinstall"),
			"node_modules/dep/package.json": pkg("dep", "", "postinstall")}, jobs: []string{"postinstall of dep@1.0.0"}},
		{name: "bun's binary lockfile", cmd: "bun install", tree: map[string]string{"package.json": pkg("root", `"dependencies": {"dep": "1"}`), "bun.lockb": "x"}, unknowns: []string{"bun.lockb is binary"}},
		{name: "bun's broken configuration", cmd: "bun install", tree: map[string]string{"package.json": pkg("root", ""), "bunfig.toml": "["}, unknowns: []string{"bunfig.toml is not understood"}},
	} {
		t.Run(c.name, c.check)
	}
}

// TestJob looks at every field of one job.
func TestJob(t *testing.T) {
	c := planCase{cmd: "npm run say -- a 'b", dir: "sub", env: map[string]string{}, tree: map[string]string{
		"package.json": "{\"name\": \"@s/n\", \"version\": \"1.2.3\",\n\"config\": {\"port\": 80, \"a\": {\"b\": false}}, \"scripts\": {\n  \"say\": \"echo\"\n}}",
		".npmrc":       "script-shell=./my-sh\n"}}
	r, dir := c.plan(t)
	if len(r.Jobs) != 1 {
		t.Fatalf("%+v", r)
	}
	j := r.Jobs[0]
	want := map[string]string{"npm_lifecycle_event": "say", "npm_lifecycle_script": "echo", "npm_package_name": "@s/n", "npm_package_version": "1.2.3", "npm_package_config_port": "80",
		"npm_package_config_a_b": "", "npm_package_json": dir + "/package.json", "INIT_CWD": dir + "/sub", "npm_command": "run-script", "npm_config_local_prefix": dir, "npm_config_script_shell": "./my-sh", "HOME": dir + "/home"}
	if diff := cmp.Diff(want, j.Fields); diff != "" {
		t.Errorf("fields: -want +got\n%s", diff)
	}
	if j.Shell != `echo a ''\''b'` || j.Interp != dir+"/my-sh" || j.Dir != dir || j.Label != "say of @s/n@1.2.3" || len(j.Env) != 0 {
		t.Errorf("%+v", j)
	}
	if j.From.File != dir+"/package.json" || j.From.Line != 3 || len(j.From.SHA256) != 64 || j.From.Rule != "npm/run" {
		t.Errorf("from %+v", j.From)
	}
	if len(j.Path) < 2 || j.Path[0] != dir+"/node_modules/.bin" || j.Path[1] != filepath.Dir(dir)+"/node_modules/.bin" {
		t.Errorf("path %q", j.Path)
	}
}

// TestLimits plans what a hostile workspace holds, within the bounds of the workspace.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	files(t, dir, map[string]string{"package.json": `{"scripts": {"x": "` + strings.Repeat("a", 1<<16) + `"}}`, "sub/package.json": pkg("root", `"workspaces": ["**"]`),
		"sub/pnpm-workspace.yaml": "packages: ['**']\n"})
	for i := range 300 {
		files(t, dir, map[string]string{"sub/" + strings.Repeat("d/", i%17) + string(rune('a'+i%26)) + "/package.json": pkg("p", "", "postinstall")})
	}
	if err := os.Symlink("..", filepath.Join(dir, "sub/loop")); err != nil {
		t.Fatal(err)
	}
	env := func(string) (string, bool) { return "", false }
	r := Plan(workspace.New("", workspace.Limits{FileBytes: 1 << 12}), Request{Manager: "npm", Verb: "install", Dir: dir, Env: env})
	if len(r.Unknowns) != 1 || !strings.Contains(r.Unknowns[0].Why, "cannot be read") {
		t.Errorf("%+v", r.Unknowns)
	}
	for _, m := range []string{"npm", "pnpm", "yarn", "bun", "nothing"} {
		r := Plan(workspace.New("", workspace.Limits{Files: 20, Names: 50}), Request{Manager: m, Verb: "install", Dir: filepath.Join(dir, "sub"), Env: env})
		if len(r.Unknowns) == 0 {
			t.Errorf("%s: nothing is unknown after the budget", m)
		}
		for _, u := range r.Unknowns {
			if !slices.Contains(u.Could, effect.Process) {
				t.Errorf("%s: %+v", m, u)
			}
		}
	}
}
