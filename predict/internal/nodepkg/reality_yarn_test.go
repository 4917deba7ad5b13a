package nodepkg

import (
	"path/filepath"
	"runtime"
	"testing"
)

// others is one project with dependencies, for the managers besides npm and pnpm.
func others(more string) map[string]string {
	return map[string]string{
		"package.json": pkg("root", `"dependencies": {"dep": "1.0.0", "outer": "1.0.0", "@s/scoped": "1.0.0", "loc": "file:./loc"},
			"optionalDependencies": {"winonly": "1.0.0"}`+more, "preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepublish", "prebuild", "build", "start"),
		"loc/package.json": pkg("loc", "", "preinstall", "postinstall", "prepare"),
	}
}

// shop is one workspace with two members.
func shop() map[string]string {
	return map[string]string{
		"package.json":            pkg("root", `"private": true, "workspaces": ["packages/*"]`, lifecycleEvents...),
		"packages/a/package.json": pkg("a", "", lifecycleEvents...),
		"packages/b/package.json": pkg("b", "", lifecycleEvents...),
	}
}

// TestRealityYarn compares with Yarn classic.
func TestRealityYarn(t *testing.T) {
	dir := managersOrSkip(t)
	node := managerNode(t, dir)
	url := fakeRegistry(t, shelf())
	script := filepath.Join(dir, "yarn/bin/yarn.js")
	m := manager{argv: []string{node, script}, env: []string{"YARN_REGISTRY=" + url + "/"}, path: onPath(t, "yarn", script, "node", node)}
	replay(t, map[string]manager{"yarn": m}, []scenario{
		{"workspace", shop(), []step{
			{argv: "yarn install", loose: true},
			{argv: "yarn install", loose: true},
			{argv: "yarn run build", loose: true},
			{argv: "yarn build", loose: true, dir: "packages/a"},
			{argv: "yarn workspace b build", loose: true},
			{argv: "yarn workspaces run build", loose: true},
			{argv: "yarn pack", loose: true},
			{argv: "yarn install --force --ignore-scripts", loose: true},
		}},
		{"dependencies", others(""), []step{
			{argv: "yarn", loose: true, tell: "not on disk"},
			{argv: "yarn install", loose: true},
			{argv: "yarn install --force", loose: true},
			{argv: "yarn add plain", loose: true, tell: "plain", more: true},
			{argv: "yarn remove plain", loose: true},
			{argv: "yarn install", loose: true, rm: "node_modules", tell: "not on disk", env: "NODE_ENV=production"},
			{argv: "yarn install --force", loose: true, do: map[string]string{".yarnrc": "ignore-scripts true\n"}},
			{argv: "yarn install --force", loose: true, do: map[string]string{".yarnrc": "", ".npmrc": "ignore-scripts=true\n"}},
		}},
	})
}

// TestRealityBerry compares with Yarn 4.
func TestRealityBerry(t *testing.T) {
	dir := managersOrSkip(t)
	node := managerNode(t, dir)
	url := fakeRegistry(t, shelf())
	script := filepath.Join(dir, "@yarnpkg/cli-dist/bin/yarn.js")
	m := manager{argv: []string{node, script}, path: onPath(t, "yarn", script, "node", node), env: []string{"YARN_NPM_REGISTRY_SERVER=" + url, "CI=",
		"YARN_UNSAFE_HTTP_WHITELIST=127.0.0.1", "YARN_ENABLE_TELEMETRY=0", "YARN_ENABLE_IMMUTABLE_INSTALLS=false", "YARN_NPM_MINIMAL_AGE_GATE=0"}}
	with := func(tree map[string]string, rc string) map[string]string {
		tree[".yarnrc.yml"], tree["yarn.lock"] = rc, ""
		return tree
	}
	replay(t, map[string]manager{"yarn": m}, []scenario{
		{"workspace", with(shop(), "nodeLinker: node-modules\n"), []step{
			{argv: "yarn install", loose: true},
			{argv: "yarn install", loose: true, more: true},
			{argv: "yarn rebuild", loose: true},
			{argv: "yarn rebuild a", loose: true},
			{argv: "yarn build", loose: true},
			{argv: "yarn run build", loose: true, dir: "packages/a"},
			{argv: "yarn workspace b build", loose: true},
			{argv: "yarn workspaces foreach -A run build", loose: true},
			{argv: "yarn workspaces foreach -A --exclude root run build", loose: true},
			{argv: "yarn pack", loose: true},
			{argv: "yarn install --mode=skip-build", loose: true},
		}},
		{"scripts off", with(others(""), "nodeLinker: node-modules\nenableScripts: false\n"), []step{{argv: "yarn install", loose: true}, {argv: "yarn rebuild", loose: true}}},
		{"default", with(others(""), "nodeLinker: node-modules\n"), []step{
			{argv: "yarn install", loose: true, tell: "not on disk"},
			{argv: "yarn rebuild", loose: true},
		}},
		{"scripts on", with(others(`, "dependenciesMeta": {"outer": {"built": false}}`), "nodeLinker: node-modules\nenableScripts: true\n"), []step{
			{argv: "yarn install", loose: true, tell: "not on disk"},
			{argv: "yarn rebuild", loose: true},
			{argv: "yarn install", loose: true, more: true},
		}},
		{"only one", with(others(`, "dependenciesMeta": {"dep": {"built": true}}`), "nodeLinker: node-modules\nenableScripts: false\n"), []step{
			{argv: "yarn install", loose: true, tell: "not on disk"},
			{argv: "yarn rebuild", loose: true},
		}},
		{"plug and play", with(others(""), "nodeLinker: pnp\nenableScripts: true\n"), []step{
			{argv: "yarn install", loose: true, tell: "not on disk"},
			{argv: "yarn rebuild", loose: true},
			{argv: "yarn start", loose: true, tell: ".pnp.cjs"},
		}},
		{"store", with(others(""), "nodeLinker: pnpm\nenableScripts: true\n"), []step{
			{argv: "yarn install", loose: true, tell: "not on disk"},
			{argv: "yarn rebuild", loose: true},
		}},
	})
}

// TestRealityBun compares with bun.
func TestRealityBun(t *testing.T) {
	dir := managersOrSkip(t)
	arch := map[string]string{"amd64": "x64", "arm64": "aarch64"}[runtime.GOARCH]
	bin := filepath.Join(dir, "@oven", "bun-"+runtime.GOOS+"-"+arch, "bin/bun")
	url := fakeRegistry(t, shelf())
	m := manager{argv: []string{bin}, path: onPath(t, "bun", bin), env: []string{"BUN_CONFIG_REGISTRY=" + url + "/", "CI="}}
	replay(t, map[string]manager{"bun": m}, []scenario{
		{"workspace", shop(), []step{
			{argv: "bun install", loose: true},
			{argv: "bun install", loose: true},
			{argv: "bun ci", loose: true},
			{argv: "bun install --ignore-scripts", loose: true},
			{argv: "bun install --filter a", loose: true},
			{argv: "bun run build", loose: true},
			{argv: "bun run --filter a build", loose: true},
			{argv: "bun run build", loose: true, dir: "packages/b"},
			{argv: "bun pm pack", loose: true},
		}},
		{"untrusted", others(""), []step{
			{argv: "bun install", loose: true, tell: "not on disk"},
			{argv: "bun install", loose: true},
			{argv: "bun pm trust dep", loose: true},
		}},
		{"trusted", others(`, "trustedDependencies": ["dep", "inner", "loc"]`), []step{
			{argv: "bun install", loose: true, tell: "not on disk"},
			{argv: "bun install", loose: true},
			{argv: "bun install --force", loose: true},
			{argv: "bun install", loose: true, rm: "node_modules", tell: "dep"},
			{argv: "bun ci", loose: true},
			{argv: "bun start", loose: true},
		}},
		{"bunfig", with2(others(`, "trustedDependencies": ["dep"]`), "bunfig.toml", "[install]\nignoreScripts = true\n"), []step{{argv: "bun install", loose: true}}},
		{"npmrc", with2(others(`, "trustedDependencies": ["dep"]`), ".npmrc", "ignore-scripts=true\n"), []step{{argv: "bun install", loose: true}}},
	})
}

func with2(tree map[string]string, name, text string) map[string]string {
	tree[name] = text
	return tree
}
