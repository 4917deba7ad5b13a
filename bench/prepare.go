package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Prepare makes the workspace of a case in dir, which must exist and be empty: a copy of what Prepared keeps.
func Prepare(c Case, dir string) error {
	ready, err := Prepared(c)
	if err != nil {
		return err
	}
	out, err := exec.Command("cp", "-a", ready+"/.", dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("prepare %s: cp: %w: %s", c.ID, err, out)
	}
	return nil
}

// Prepared returns the workspace of a case, symbolic links resolved, ready in the user's cache folder. What the case's setup does
// (it may install packages, with their scripts off) is done once. It is only to be read: what runs needs a copy, see Prepare.
func Prepared(c Case) (string, error) {
	base, err := cacheDir()
	if err != nil {
		return "", err
	}
	sum, err := c.digest()
	if err != nil {
		return "", err
	}
	ready := filepath.Join(base, "cases", sum)
	if _, err := os.Stat(ready); errors.Is(err, fs.ErrNotExist) {
		if err := c.build(base, ready); err != nil {
			return "", fmt.Errorf("prepare %s: %w", c.ID, err)
		}
	}
	return filepath.EvalSymlinks(ready)
}

func cacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder for prepared cases (set XDG_CACHE_HOME): %w", err)
	}
	return filepath.Join(base, "ambit-bench"), nil
}

// build runs the setup in a folder beside the final one and renames it, so that an interrupted build leaves nothing.
func (c Case) build(base, ready string) error {
	if err := os.MkdirAll(filepath.Dir(ready), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(ready), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := c.materialise(tmp); err != nil {
		return err
	}
	search, err := c.searchPath(base)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "ambit-bench-home-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	if err := writeHome(home); err != nil {
		return err
	}
	machine := os.Environ()
	for _, kv := range machine { // the Rust toolchain is found by HOME, which is another here
		if dir, ok := strings.CutPrefix(kv, "HOME="); ok {
			machine = append([]string{"RUSTUP_HOME=" + filepath.Join(dir, ".rustup")}, machine...)
		}
	}
	for _, line := range c.Setup {
		cmd := exec.Command("bash", "-ec", line)
		cmd.Dir = tmp
		cmd.Env = append(slices.Clone(machine), "HOME="+home, "PATH="+search, "PWD="+tmp, "GIT_CONFIG_GLOBAL="+filepath.Join(home, ".gitconfig"), "PYTHONDONTWRITEBYTECODE=1", "npm_config_fetch_retries=3",
			"npm_config_cache="+filepath.Join(base, "npm")) // npm's cache stands several writers
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("setup %q: %w\n%s", line, err, out)
		}
	}
	if err := os.Rename(tmp, ready); err != nil {
		if _, missing := os.Stat(ready); missing != nil { // another process was first otherwise
			return err
		}
	}
	return nil
}

// writeHome makes a home folder with the least that tools ask for. Retries are off: a world without a network would
// otherwise only take longer to give the same label. npm's daily look for a newer npm is off as well: it says nothing
// about the command.
func writeHome(dir string) error {
	files := map[string]string{
		".npmrc":     "fetch-retries=0\nupdate-notifier=false\n",
		".yarnrc":    "cache-folder \"" + filepath.Join(dir, ".cache", "yarn") + "\"\n", // as root it would be one for all users
		".gitconfig": "[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n",
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := replace(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// replace makes a file hold text. Another process may read it meanwhile, and never finds it half written.
func replace(file, text string) error {
	if old, err := os.ReadFile(file); err == nil && string(old) == text {
		return nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(text)
	if err := errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

// The Node.js and npm that the labels were traced with, as npm packages: which scripts npm runs, and what it asks its registry
// for, differs by its version, and a system may have any.
const (
	nodeTool = "node@20.20.2"
	npmTool  = "npm@11.19.1"
)

// tools are the pinned programs that a manager's cases need besides those, as npm packages.
func tools(manager string) []string {
	switch manager {
	case "pnpm":
		return []string{"pnpm@10.34.9"}
	case "yarn":
		return []string{"yarn@1.22.22"}
	case "berry":
		return []string{"@yarnpkg/cli-dist@4.18.1"}
	case "bun":
		return []string{"bun@1.4.5"}
	case "node24": // runs TypeScript
		return []string{"node@24.4.1"}
	}
	return nil
}

// searchPath returns the PATH of a case: the case's own manager, the pinned npm and Node.js, the Go and Rust toolchains, and the
// system's. Other folders of the user's PATH are left out, so that wrappers there do not become part of the truth.
func (c Case) searchPath(base string) (string, error) {
	var dirs []string
	for _, want := range [][]string{tools(c.Manager), {npmTool}, {nodeTool}} {
		if len(want) == 0 {
			continue
		}
		dir, err := installTools(base, want)
		if err != nil {
			return "", err
		}
		dirs = append(dirs, filepath.Join(dir, "node_modules", ".bin"))
	}
	for _, tool := range []string{"go", "cargo"} {
		if p, err := exec.LookPath(tool); err == nil {
			dirs = append(dirs, filepath.Dir(p))
		}
	}
	return strings.Join(append(dirs, "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"), ":"), nil
}

// installTools installs npm packages beside the prepared cases, once, and returns the folder. Several may try at a time:
// the first rename wins.
func installTools(base string, want []string) (string, error) {
	dir := filepath.Join(base, "tools", strings.NewReplacer("/", "-", "@", "-").Replace(strings.Join(want, "+")))
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
	args := append([]string{"install", "--prefix", tmp, "--no-audit", "--no-fund", "--dangerously-allow-all-scripts"}, want...)
	if out, err := exec.Command("npm", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("install %s (is npm there, and its registry?): %w\n%s", want, err, out)
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, missing := os.Stat(dir); missing != nil {
			return "", err
		}
	}
	return dir, nil
}
