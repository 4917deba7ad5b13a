package nodepkg

import (
	"context"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeRegistry serves packages as npm's registry does, on this machine. Packages are given as tarball texts (see files), by name.
func fakeRegistry(t *testing.T, packages map[string]string) string {
	t.Helper()
	tarballs := map[string][]byte{}
	for name, text := range packages {
		tarballs[name] = tarball(t, text)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, file, isFile := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/-/")
		data, ok := tarballs[name]
		switch {
		case !ok || r.Method != http.MethodGet:
			http.NotFound(w, r)
		case isFile && strings.HasSuffix(file, ".tgz"):
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = w.Write(data)
		default:
			text, _, _ := strings.Cut(packages[name], "-- package/")
			var m map[string]any
			if err := json.Unmarshal([]byte(text), &m); err != nil {
				t.Error(err)
			}
			version, _ := m["version"].(string)
			sum, old := sha512.Sum512(data), sha1.Sum(data)
			m["_id"] = name + "@" + version
			m["dist"] = map[string]any{"tarball": "http://" + r.Host + "/" + name + "/-/" + name[strings.LastIndexByte(name, '/')+1:] + "-" + version + ".tgz",
				"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]), "shasum": hex.EncodeToString(old[:])}
			if scripts, _ := m["scripts"].(map[string]any); scripts["preinstall"] != nil || scripts["install"] != nil || scripts["postinstall"] != nil {
				m["hasInstallScript"] = true
			}
			const day = "2020-01-01T00:00:00.000Z"
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"name": name, "dist-tags": map[string]any{"latest": version}, "versions": map[string]any{version: m},
				"time": map[string]any{version: day, "modified": day, "created": day}, "modified": day})
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// versions of the managers that the rules are compared with.
var managerPackages = []string{"pnpm@12.21.0", "pnpm10@npm:pnpm@10.34.9", "npm12@npm:npm@12.2.2", "yarn@1.22.22", "@yarnpkg/cli-dist@4.18.1", "bun@1.4.5"}

// nodeVersion is the Node.js that starts them. Yarn installs nothing only where its record is of the same Node.js, by a number that
// the header files name (thisNode): those of a distribution often lie in a package of their own.
const nodeVersion = "20.20.2"

// nodePackage is the npm package that holds Node.js with its header files for this machine; empty where there is none.
func nodePackage() string {
	if arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]; runtime.GOOS == "linux" && arch != "" {
		return "node-linux-" + arch
	}
	return ""
}

// realManagers installs pnpm, Yarn and bun with npm, once per machine, without running their scripts.
var realManagers = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	packages := slices.Clone(managerPackages)
	if node := nodePackage(); node != "" {
		packages = append(packages, node+"@"+nodeVersion)
	}
	dir := filepath.Join(cache, "ambit-test", strings.NewReplacer("/", "_", ":", "_").Replace(strings.Join(packages, "_")))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", append([]string{"install", "--fetch-retries=0", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", tmp}, packages...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &exec.Error{Name: "npm install of the managers: " + string(out), Err: err}
	}
	if err := os.Rename(tmp, dir); err != nil && !os.IsExist(err) {
		return "", err
	}
	return dir, nil
})

// managersOrSkip gives the folder that realManagers made. Only npm has to be there in CI: the others need the network.
func managersOrSkip(t *testing.T) string {
	t.Helper()
	skipQuick(t)
	dir, err := realManagers()
	if err != nil {
		t.Skipf("NOT COMPARED WITH REAL MANAGERS: they cannot be installed: %v", err)
	}
	return filepath.Join(dir, "node_modules")
}

// managerNode gives the Node.js that the managers are started with.
func managerNode(t *testing.T, managers string) string {
	t.Helper()
	if pinned := nodePackage(); pinned != "" {
		return filepath.Join(managers, pinned, "bin/node")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not on PATH")
	}
	return node
}

// skipQuick leaves out what starts real package managers, for a minute or more in all.
func skipQuick(t *testing.T) {
	t.Helper()
	if testing.Short() || os.Getenv("AMBIT_QUICK") != "" {
		t.Skip("starts real package managers")
	}
}

// onPath makes a folder with commands, for PATH: names, each followed by the file that it is.
func onPath(t *testing.T, commands ...string) string {
	t.Helper()
	dir := t.TempDir()
	for c := range slices.Chunk(commands, 2) {
		if err := os.Chmod(c[1], 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(c[1], filepath.Join(dir, c[0])); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shelf is what the fake registry has.
func shelf() map[string]string {
	install := []string{"preinstall", "install", "postinstall", "prepare"}
	return map[string]string{
		"dep":       pkg("dep", "", install...),
		"outer":     pkg("outer", `"dependencies": {"inner": "1.0.0"}`, "postinstall"),
		"inner":     pkg("inner", "", "postinstall"),
		"@s/scoped": pkg("@s/scoped", "", "install"),
		"plain":     pkg("plain", "", "test"),
		"winonly":   pkg("winonly", `"os": ["win32"]`, "postinstall"),
		"create-x":  pkg("create-x", `"bin": "x.js"`, "postinstall") + "-- package/x.js --\n#!/usr/bin/env node\nconsole.log(1)\n",
	}
}
