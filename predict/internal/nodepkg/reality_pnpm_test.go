package nodepkg

import (
	"path/filepath"
	"runtime"
	"testing"
)

// TestRealityPNPM compares with pnpm 12 and pnpm 10.
func TestRealityPNPM(t *testing.T) {
	dir := managersOrSkip(t)
	node := managerNode(t, dir)
	url := fakeRegistry(t, shelf())
	env := []string{"npm_config_registry=" + url, "pnpm_config_registry=" + url, "CI="}
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	twelve := filepath.Join(dir, "@pnpm", "exe."+runtime.GOOS+"-"+arch, "pnpm")
	for name, m := range map[string]manager{
		"12": {argv: []string{twelve}, env: env, path: onPath(t, "pnpm", twelve, "node", node)},
		"10": {argv: []string{node, filepath.Join(dir, "pnpm10/bin/pnpm.cjs")}, env: env, path: onPath(t, "pnpm", filepath.Join(dir, "pnpm10/bin/pnpm.cjs"), "node", node)},
	} {
		t.Run(name, func(t *testing.T) {
			managers := map[string]manager{"pnpm": m}
			all := lifecycleEvents
			shop := map[string]string{
				"package.json":            pkg("root", `"private": true, "dependencies": {"local": "link:./local"}`, all...),
				"pnpm-workspace.yaml":     "packages:\n  - packages/*\n  - '!packages/out'\n",
				"packages/a/package.json": pkg("a", "", all...), "packages/b/package.json": pkg("b", "", all...),
				"packages/out/package.json": pkg("out", "", all...), "local/package.json": pkg("local", "", all...),
			}
			project := func(more string) map[string]string {
				return map[string]string{"package.json": pkg("root", `"dependencies": {"dep": "1.0.0", "outer": "1.0.0", "@s/scoped": "1.0.0"},
					"optionalDependencies": {"winonly": "1.0.0"}`, "postinstall", "prepare", "build", "prebuild"), "pnpm-workspace.yaml": more}
			}
			replay(t, managers, []scenario{
				{"workspace", shop, []step{
					{argv: "pnpm install", loose: true},
					{argv: "pnpm install --ignore-scripts", loose: true},
					{argv: "pnpm install --filter a", loose: true, more: true}, // 12 finds that nothing changed
					{argv: "pnpm -r run build", loose: true},
					{argv: "pnpm run build", loose: true},
					{argv: "pnpm build", loose: true},
					{argv: "pnpm --filter b build", loose: true},
					{argv: "pnpm run build", dir: "packages/a", loose: true},
					{argv: "pnpm run /^b/", loose: true, do: map[string]string{"package.json": pkg("root", `"private": true`, "b1", "c")}},
					{argv: "pnpm pack", loose: true},
				}},
				{"nothing allowed", project("strictDepBuilds: false\n"), []step{{argv: "pnpm install", loose: true}, {argv: "pnpm install --frozen-lockfile", loose: true, more: true}}},
				{"allowBuilds", project("strictDepBuilds: false\nallowBuilds:\n  dep: true\n  'inner@1.0.0 || 2.0.0': true\n  'outer@2.0.0': true\n  '@s/scoped': false\n"), []step{
					{argv: "pnpm install", loose: true, tell: "dep"},
					{argv: "pnpm rebuild", loose: true, more: true},
					{argv: "pnpm install", loose: true, more: true},
					{argv: "pnpm run build", loose: true},
					{argv: "pnpm install", rm: "node_modules", loose: true, tell: "dep"},
				}},
				{"all allowed", project("dangerouslyAllowAllBuilds: true\n"), []step{
					{argv: "pnpm install", loose: true, tell: "dependencies"},
					{argv: "pnpm rebuild", loose: true, more: true},
					{argv: "pnpm rebuild dep", loose: true},
					{argv: "pnpm install", loose: true, more: true},
					{argv: "pnpm add plain", loose: true, tell: "plain", more: true},
					{argv: "pnpm remove plain", loose: true, more: true},
				}},
			})
		})
	}
}

// TestRealityPNPMVerifies shows that pnpm 12 installs before it runs a script when node_modules is not up to date.
func TestRealityPNPMVerifies(t *testing.T) {
	dir := managersOrSkip(t)
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	bin := filepath.Join(dir, "@pnpm", "exe."+runtime.GOOS+"-"+arch, "pnpm")
	url := fakeRegistry(t, shelf())
	m := manager{argv: []string{bin}, env: []string{"npm_config_registry=" + url, "pnpm_config_registry=" + url, "CI="}, path: onPath(t, "pnpm", bin)}
	replay(t, map[string]manager{"pnpm": m}, []scenario{{"run", map[string]string{
		"package.json": pkg("root", `"dependencies": {"dep": "1.0.0"}`, "postinstall", "build")}, []step{
		{argv: "pnpm run build", loose: true},
		{argv: "pnpm install", loose: true, do: map[string]string{"pnpm-workspace.yaml": "allowBuilds:\n  dep: false\n"}},
		{argv: "pnpm run build", loose: true},
		{argv: "pnpm run build", loose: true, do: map[string]string{"package.json": pkg("root", `"dependencies": {"plain": "1.0.0"}`, "postinstall", "build")}},
	}}})
}
