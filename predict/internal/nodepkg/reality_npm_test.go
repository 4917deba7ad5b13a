package nodepkg

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// fakeGyp stands for node-gyp, which would need a compiler: it leaves its marker. It lies above the project, where PATH finds it
// before the one that npm brings along.
const fakeGyp = "#!/usr/bin/env node\nrequire('fs').appendFileSync(process.env.LOG, 'node-gyp:rebuild\\n')\n"

// TestRealityNPM runs the npm of this machine. Without one, nothing here is proven: that is a failure in CI.
func TestRealityNPM(t *testing.T) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("npm is not on PATH: the rules of this package are not compared with a real npm")
		}
		t.Skip("npm is not on PATH")
	}
	skipQuick(t)
	managers := map[string]manager{"npm": {argv: []string{npm}}}
	all := lifecycleEvents
	shop := map[string]string{
		"package.json":            pkg("root", `"workspaces": ["packages/*"], "dependencies": {"local": "file:./local"}`, all...),
		"packages/a/package.json": pkg("a", "", all...),
		"packages/b/package.json": pkg("b", "", all...),
		"local/package.json":      pkg("local", "", all...),
	}
	tars := map[string]string{
		"package.json": pkg("root", `"dependencies": {"dep": "file:./dep.tgz"}, "devDependencies": {"tool": "file:./tool.tgz"}`, "postinstall"),
		"dep.tgz":      pkg("dep", "", "preinstall", "install", "postinstall", "prepare", "prepack"),
		"tool.tgz":     pkg("tool", "", "postinstall"),
	}
	replay(t, managers, []scenario{
		{"workspaces and links", shop, []step{
			{argv: "npm install"},
			{argv: "npm install"},
			{argv: "npm ci"},
			{argv: "npm install --ignore-scripts"},
			{argv: "npm rebuild"},
			{argv: "npm rebuild a"},
			{argv: "npm install -w a"},
			{argv: "npm ci --workspace=a"},
			{argv: "npm install --no-workspaces"},
			{argv: "npm install --omit=dev"},
			{argv: "npm install ./local", more: true},
			{argv: "npm uninstall local"},
			{argv: "npm update", tell: "updated"},
			{argv: "npm prune"},
			{argv: "npm dedupe"},
			{argv: "npm install", dir: "packages/a"},
			{argv: "npm ci", dir: "packages/b"},
			{argv: "npm it"},
			{argv: "npm install", env: "npm_config_ignore_scripts=true"},
			{argv: "npm install", do: map[string]string{".npmrc": "ignore-scripts = true ; no\n"}},
			{argv: "npm run build", do: map[string]string{".npmrc": "ignore-scripts = true\n"}},
		}},
		{"run", shop, []step{
			{argv: "npm run build"},
			{argv: "npm run build --ignore-scripts"},
			{argv: "npm run build -ws"},
			{argv: "npm run build -w b"},
			{argv: "npm run build -w packages/a -iwr"},
			{argv: "npm run build", dir: "packages/a"},
			{argv: "npm test"}, {argv: "npm t"}, {argv: "npm start"}, {argv: "npm stop"},
			{argv: "npm run nothing", fail: true},
			{argv: "npm run nothing --if-present"},
			{argv: "npm pack"},
			{argv: "npm pack -ws"},
			{argv: "npm version patch"},
			{argv: "npm version minor -w a"},
		}},
		{"tarballs", tars, []step{
			{argv: "npm install", tell: "dep"},
			{argv: "npm install"},
			{argv: "npm ci"},
			{argv: "npm ci --omit=dev"},
			{argv: "npm install --include=dev", tell: "tool"},
			{argv: "npm ci", env: "NODE_ENV=production"},
			{argv: "npm rebuild"},
			{argv: "npm rebuild dep"},
			{argv: "npm ci", rm: "node_modules", tell: "not on disk"},
			{argv: "npm ci --ignore-scripts"},
			{argv: "npm install"},
			{argv: "npm install", rm: "node_modules/.package-lock.json"},
			{argv: "npm rebuild"},
			{argv: "npm ci", do: map[string]string{"package-lock.json": "{"}, fail: true, tell: "JSON", more: true},
		}},
		{"old lockfile", tars, []step{
			{argv: "npm install --lockfile-version=1", tell: "dep"},
			{argv: "npm install"},
			{argv: "npm ci"},
			{argv: "npm install", rm: "node_modules", tell: "not on disk"},
		}},
		{"binding.gyp", map[string]string{
			"package.json": pkg("root", `"dependencies": {"native": "file:./native.tgz", "opted": "file:./opted.tgz"}`),
			"native.tgz":   pkg("native", "") + "-- package/binding.gyp --\n{}",
			"opted.tgz":    pkg("opted", `"gypfile": false`) + "-- package/binding.gyp --\n{}",
		}, []step{
			{argv: "npm install --ignore-scripts"},
			{argv: "npm ci"},
			{argv: "npm rebuild"},
			{argv: "npm install", do: map[string]string{"binding.gyp": "{}"}},
			{argv: "npm ci", do: map[string]string{"package.json": pkg("root", `"dependencies": {"native": "file:./native.tgz", "opted": "file:./opted.tgz"}`, "preinstall")}},
		}},
		{"dependencies script", map[string]string{
			"package.json": pkg("root", `"dependencies": {"dep": "file:./dep.tgz"}`, "predependencies", "dependencies", "postdependencies"),
			"dep.tgz":      pkg("dep", ""),
		}, []step{
			{argv: "npm install", tell: "dep"},
			{argv: "npm install"},
			{argv: "npm ci"},
		}},
		{"server.js", map[string]string{
			"package.json": pkg("root", ""),
			"server.js":    "require('fs').appendFileSync(process.env.LOG, 'node:server.js\\n')\n",
		}, []step{{argv: "npm start"}}},
		{"allowScripts denies", map[string]string{
			"package.json":       pkg("root", `"allowScripts": {"dep": false, "./local": false}, "dependencies": {"dep": "file:./dep.tgz", "local": "file:./local"}`),
			"dep.tgz":            pkg("dep", "", "postinstall"),
			"local/package.json": pkg("local", "", "postinstall"),
		}, []step{
			{argv: "npm install", tell: "dep"},
			{argv: "npm ci"}, // an entry by name is not for a tarball
			{argv: "npm ci --allow-scripts=dep", fail: true},
			{argv: "npm ci --dangerously-allow-all-scripts"},
			{argv: "npm ci", do: map[string]string{"package.json": pkg("root",
				`"allowScripts": {"file:dep.tgz": false}, "dependencies": {"dep": "file:./dep.tgz", "local": "file:./local"}`)}},
		}},
	})
}

// TestLockfileConcealsScript shows that npm itself believes a lockfile that keeps quiet about a script, so that believing it here
// conceals nothing that would run; and that links, which npm reads from disk, are read from disk here.
func TestLockfileConcealsScript(t *testing.T) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not on PATH (TestRealityNPM says so loudly)")
	}
	skipQuick(t)
	lock := `{"name": "root", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {
		"": {"name": "root", "version": "1.0.0", "workspaces": ["w"], "dependencies": {"dep": "file:dep.tgz"}},
		"node_modules/dep": {"version": "1.0.0", "resolved": "file:dep.tgz"},
		"node_modules/w": {"resolved": "w", "link": true},
		"w": {"version": "1.0.0"}}}`
	replay(t, map[string]manager{"npm": {argv: []string{npm}}}, []scenario{{"quiet lockfile", map[string]string{
		"package.json":      pkg("root", `"workspaces": ["w"], "dependencies": {"dep": "file:./dep.tgz"}`),
		"dep.tgz":           pkg("dep", "", "postinstall"),
		"w/package.json":    pkg("w", "", "postinstall"),
		"package-lock.json": lock,
	}, []step{
		{argv: "npm ci"},
		{argv: "npm ci"},
		{argv: "npm install"},
		{argv: "npm rebuild", more: true},
		{argv: "npm rebuild", rm: "node_modules/.package-lock.json"},
	}}})
}

// TestRealityNPM12 compares with npm 12, which runs only what allowScripts lists, and the project's preinstall first.
func TestRealityNPM12(t *testing.T) {
	dir := managersOrSkip(t)
	node := managerNode(t, dir)
	cli := filepath.Join(dir, "npm12/bin/npm-cli.js")
	url := fakeRegistry(t, shelf())
	m := manager{argv: []string{node, cli}, path: onPath(t, "npm", cli, "node", node), env: []string{"npm_config_registry=" + url}}
	project := func(allow string) map[string]string {
		return map[string]string{
			"package.json": pkg("root", `"workspaces": ["w"], "dependencies": {"dep": "1.0.0", "outer": "1.0.0", "local": "file:./local"}, "allowScripts": `+allow,
				"preinstall", "postinstall", "prepare"),
			"w/package.json":     pkg("w", "", "postinstall", "prepare"),
			"local/package.json": pkg("local", "", "postinstall"),
		}
	}
	replay(t, map[string]manager{"npm": m}, []scenario{
		{"nothing", project(`{}`), []step{{argv: "npm install"}, {argv: "npm ci"}, {argv: "npm rebuild"}, {argv: "npm ci --dangerously-allow-all-scripts"}}},
		{"some", project(`{"dep": true, "inner@1.0.0 || 2.0.0": true, "outer@2.0.0": true, "file:local": true}`), []step{
			{argv: "npm install", tell: "dep"},
			{argv: "npm ci"},
			{argv: "npm rebuild"},
			{argv: "npm ci", rm: "node_modules", tell: "dep@1.0.0"},
			{argv: "npm ci", do: project(`{"dep": true, "dep@1.0.0": false}`)},
		}},
		{"extension", map[string]string{
			"package.json":       pkg("root", `"dependencies": {"plain": "1.0.0"}`, "postinstall"),
			".npm-extension.cjs": "require('fs').appendFileSync(process.env.LOG, 'extension:ran ');\nmodule.exports = {transformManifest: p => p}\n",
		}, []step{{argv: "npm install"}, {argv: "npm ci"}, {argv: "npm install --ignore-scripts"}}},
	})
}
