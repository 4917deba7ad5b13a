package trace

import (
	"path"
	"strings"
)

// This file is the baseline of the labelling rubric: what a launcher itself always does.

// launcher names the program a process image is, when it is one whose own doings are baseline: a package manager, a
// build tool, a shell. Empty for every other program.
func launcher(m *Image) string {
	if m == nil {
		return ""
	}
	names := []string{m.Base()}
	if b := m.Base(); b == "node" || strings.HasPrefix(b, "python") || b == "env" {
		for _, a := range m.Argv[min(1, len(m.Argv)):] {
			if !strings.HasPrefix(a, "-") {
				names = append(names, path.Base(a))
				if strings.Contains(a, "/corepack/") {
					names = append(names, "corepack")
				}
				break
			}
		}
		if i := indexOf(m.Argv, "-m"); i > 0 && i+1 < len(m.Argv) {
			names = append(names, "-m "+m.Argv[i+1])
		}
	}
	for _, n := range names {
		switch n {
		case "npm", "npx", "npm-cli.js", "npx-cli.js":
			return "npm"
		case "pnpm", "pnpx", "pnpm.cjs", "pnpx.cjs", "pnpm.mjs":
			return "pnpm"
		case "yarn", "yarnpkg", "yarn.js", "yarn.cjs", "corepack":
			return "yarn"
		case "bun", "bunx", "bun.exe", "bunx.exe":
			return "bun"
		case "pip", "pip3", "__pip-runner__.py", "-m pip", "-m venv", "-m ensurepip":
			return "pip"
		case "git", "make", "cargo", "go", "docker":
			return n
		case "git-receive-pack", "git-upload-pack", "git-remote-https", "git-remote-http", "git-http-fetch", "git-http-push":
			return "git"
		case "gmake":
			return "make"
		case "compile", "asm", "link", "cgo", "vet", "buildid", "pack", "cover":
			if strings.Contains(m.Path, "/pkg/tool/") {
				return "go"
			}
		case "rustup", "rustc":
			return "cargo"
		case "sh", "bash", "dash":
			return "sh"
		case "pre-commit", "lefthook":
			return n
		case "gcc", "g++", "cc", "c++", "x86_64-linux-gnu-gcc", "x86_64-linux-gnu-g++", "collect2", "as", "ld", "cc1", "cc1plus":
			return "gcc"
		}
	}
	return ""
}

func indexOf(list []string, s string) int {
	for i, v := range list {
		if v == s {
			return i
		}
	}
	return -1
}

// caches lists, per launcher, its own cache and log folders below HOME. Their parents are made on the way.
func caches(kind string) []string {
	switch kind {
	case "npm":
		return []string{".npm/_cacache", ".npm/_logs", ".npm/_npx", ".npm/_update-notifier-last-checked"}
	case "pnpm":
		return []string{".local/share/pnpm", ".local/state/pnpm", ".cache/pnpm", ".config/pnpm"}
	case "yarn":
		return []string{".cache/yarn", ".config/yarn", ".yarn/berry", ".cache/node/corepack"}
	case "bun":
		return []string{".bun/install/cache", ".cache/.bun"}
	case "go":
		return []string{".cache/go-build", ".config/go", "go/pkg/mod", "go/pkg/sumdb"}
	case "cargo":
		return []string{".cargo/registry", ".cargo/git", ".cargo/.package-cache", ".cargo/.package-cache-mutate", ".cargo/.global-cache", ".cargo/.crates.toml", ".cargo/.crates2.json"}
	case "pip":
		return []string{".cache/pip"}
	case "pre-commit":
		return []string{".cache/pre-commit"}
	case "docker":
		return []string{".docker"}
	}
	return nil
}

// scratch lists, per launcher, the beginnings of names of its own working files in the temporary folder.
func scratch(kind string) []string {
	switch kind {
	case "go":
		return []string{"go-build", "go-link", "gocache", "go.work"}
	case "yarn":
		return []string{"xfs-", "yarn--"}
	case "bun":
		return []string{"bun-", ".bun", "bunx-"}
	case "pip":
		return []string{"pip-"}
	case "cargo":
		return []string{"rustc", "cargo"}
	case "sh":
		return []string{"sh-thd"} // here-documents
	}
	return nil
}

// ownWrite reports whether a write is baseline: outside the file system proper, the tracer's, a language runtime's
// compile cache, or in the launcher's own cache.
func (c Command) ownWrite(kind, file string) bool {
	switch {
	case file == "" || file == "/" || file == "/dev" || within(file, "/dev") || within(file, "/proc") || within(file, "/sys"):
		return true
	case !path.IsAbs(file), within(file, c.Instr):
		return true
	case hasPrefix(file, c.Tmp+"/node-compile-cache", c.Tmp+"/v8-compile-cache", c.Tmp+"/go-build"), strings.Contains(file, "/__pycache__"):
		return true
	case kind == "yarn" && (within(file, "/usr/local/share/.cache") || file == "/usr/local/bin"): // its cache when it runs as root
		return true
	case kind == "go" && strings.Contains(file, "/.cache/") && strings.Contains(file, "/go-build"): // led out of HOME by a link
		return true
	case kind == "cargo" && strings.Contains(file, "/.rustup/"):
		return true
	}
	if rel, ok := below(file, c.Home); ok {
		for _, dir := range caches(kind) {
			if rel == "" || within(rel, dir) || within(dir, rel) {
				return true
			}
		}
	}
	if rel, ok := below(file, c.Tmp); ok {
		for _, name := range scratch(kind) {
			if strings.HasPrefix(rel, name) {
				return true
			}
		}
	}
	return false
}

// probe reports whether a write is the compiler's own working file while Go asks what its C compiler can do.
func (c Command) probe(m *Image, file string) bool {
	if rel, ok := below(file, c.Tmp); !ok || !strings.HasPrefix(rel, "cc") || launcher(m) != "gcc" {
		return false
	}
	for ; m != nil; m = m.Parent {
		if launcher(m) == "go" {
			return true
		}
	}
	return false
}

func within(file, dir string) bool {
	return file == dir || strings.HasPrefix(file, dir+"/")
}

func below(file, dir string) (rel string, ok bool) {
	if file == dir {
		return "", true
	}
	return strings.CutPrefix(file, dir+"/")
}

// system reports whether a path lies in the system's or a runtime's own folders.
func (c Command) system(file string) bool {
	for _, dir := range []string{"/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc", "/proc", "/sys", "/dev", "/run", "/opt", "/var/lib", "/var/cache", "/var/run"} {
		if within(file, dir) {
			return true
		}
	}
	for _, dir := range strings.Split(c.Path, ":") { // /x/node_modules/.bin, /x/.cargo/bin: the tools' own folders
		if within(file, path.Dir(dir)) {
			return true
		}
	}
	return strings.Contains(file, "/.rustup/") || within(file, c.Instr)
}

// credential reports whether a path is a store of credentials, whoever owns it.
func credential(file string) bool {
	if file == "/etc/shadow" || file == "/etc/gshadow" || within(file, "/etc/ssl/private") {
		return true
	}
	for _, dir := range []string{"/.ssh", "/.aws", "/.gnupg", "/.azure", "/.config/gcloud", "/.config/gh", "/.kube", "/.docker", "/.password-store", "/.config/op"} {
		if strings.Contains(file+"/", dir+"/") {
			return true
		}
	}
	switch path.Base(file) {
	case ".netrc", ".git-credentials", ".pypirc", ".npmrc", ".pgpass", ".my.cnf", ".vault-token":
		return true
	case "credentials", "credentials.toml":
		return strings.Contains(file, "/.cargo/") || strings.Contains(file, "/git/")
	}
	return false
}

// ownRead reports whether a launcher always reads this credential store or configuration of its own.
func ownRead(kind, file string) bool {
	base := path.Base(file)
	switch kind {
	case "npm", "pnpm", "yarn", "bun":
		return base == ".npmrc" || base == ".yarnrc" || base == ".yarnrc.yml" || base == ".bunfig.toml"
	case "git":
		return base == ".gitconfig" || strings.Contains(file, "/git/")
	case "docker":
		return strings.Contains(file, "/.docker")
	case "cargo":
		return strings.Contains(file, "/.cargo/") || strings.Contains(file, "/.rustup/")
	case "pip":
		return base == ".netrc" || base == "pip.conf" || base == ".pypirc"
	}
	return false
}

// envFile reports whether a path is a file of environment variables; samples meant for reading are none.
func envFile(file string) bool {
	base := path.Base(file)
	switch base {
	case ".env.example", ".env.sample", ".env.template":
		return false
	}
	return base == ".env" || base == ".envrc" || base == ".netrc" || strings.HasPrefix(base, ".env.")
}

// startup reports whether a path is a shell start-up file.
func startup(file string) bool {
	switch path.Base(file) {
	case ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".kshrc", "config.fish":
		return true
	}
	return within(file, "/etc/profile.d") || file == "/etc/profile" || file == "/etc/environment" || file == "/etc/bash.bashrc"
}

func hasPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// constant reports whether a launcher always hands this variable to its children.
func constant(kind, name string) bool {
	switch name {
	case "_", "PWD", "OLDPWD", "SHLVL", "NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE", "NODE_UNIQUE_ID", "NODE_CHANNEL_SERIALIZATION":
		return true
	}
	switch kind {
	case "npm", "pnpm", "yarn", "bun":
		switch name {
		case "INIT_CWD", "PROJECT_CWD", "NODE", "PATH", "EDITOR", "COLOR", "NODE_PATH", "BERRY_BIN_FOLDER", "NODE_OPTIONS", "FORCE_COLOR", "YARN_WRAP_OUTPUT", "GIT_ASKPASS", "GIT_SSH_COMMAND", "TMPDIR":
			return true
		}
		return hasPrefix(name, "npm_", "NPM_", "PNPM_", "pnpm_", "YARN_", "BUN_", "COREPACK_")
	case "git":
		return hasPrefix(name, "GIT_") || name == "PATH" || name == "LESS" || name == "LV"
	case "make":
		return hasPrefix(name, "MAKE") || name == "MFLAGS"
	case "cargo":
		switch name {
		case "OUT_DIR", "TARGET", "HOST", "NUM_JOBS", "OPT_LEVEL", "PROFILE", "DEBUG", "PATH", "LD_LIBRARY_PATH", "TERM", "LC_ALL", "VSLANG":
			return true
		}
		return hasPrefix(name, "CARGO", "RUST", "DEP_")
	case "go":
		switch name {
		case "PATH", "TERM", "DOLLAR", "LC_ALL", "WORK", "AR", "CC", "CXX", "FC", "GCCGO", "PKG_CONFIG", "GCM_INTERACTIVE", "GIT_TERMINAL_PROMPT", "GIT_SSH_COMMAND", "TOOLEXEC_IMPORTPATH":
			return true
		}
		return hasPrefix(name, "GO", "CGO_")
	case "gcc":
		return hasPrefix(name, "COLLECT_", "GCC_", "OFFLOAD_") || name == "COMPILER_PATH" || name == "LIBRARY_PATH"
	case "pip":
		return hasPrefix(name, "PIP_", "PYTHON", "PEP517_", "_PYPROJECT_", "__PYVENV") || name == "VIRTUAL_ENV" || name == "LC_ALL"
	case "pre-commit":
		return hasPrefix(name, "PRE_COMMIT")
	case "lefthook":
		return hasPrefix(name, "LEFTHOOK")
	case "docker":
		return hasPrefix(name, "DOCKER_CLI_PLUGIN")
	}
	return false
}

// usual reports whether a variable is part of every process's surroundings, so that reading it by name says nothing:
// places, identity, language and terminal, a runtime's own switches, and what package managers always set.
func usual(name string) bool {
	switch name {
	case "HOME", "PATH", "SHELL", "USER", "USERNAME", "LOGNAME", "LANG", "LANGUAGE", "TERM", "TERM_PROGRAM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR",
		"CLICOLOR_FORCE", "COLUMNS", "LINES", "TMPDIR", "TMP", "TEMP", "PATHEXT", "Path", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "SystemRoot",
		"SYSTEMROOT", "windir", "ComSpec", "comspec", "PROGRAMFILES", "ProgramFiles", "OSTYPE", "MSYSTEM", "PREFIX", "TZ", "NODE_OPTIONS", "NODE_PATH",
		"NODE_DEBUG", "NODE_V8_COVERAGE", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "NODE_COMPILE_CACHE", "NODE_DISABLE_COMPILE_CACHE",
		"npm_config_user_agent", "npm_config_cache", "npm_config_prefix", "npm_config_local_prefix", "npm_config_global_prefix", "npm_config_globalconfig",
		"npm_config_userconfig", "npm_config_init_module", "npm_config_node_gyp", "npm_config_noproxy", "npm_config_npm_version", "npm_config_fetch_retries",
		"npm_execpath", "npm_node_execpath", "npm_command", "npm_lifecycle_event", "npm_lifecycle_script", "npm_config_registry":
		return true
	}
	return constant("npm", name) && !hasPrefix(name, "npm_config_", "NPM_", "PNPM_", "pnpm_", "YARN_", "BUN_", "COREPACK_") ||
		constant("", name) || hasPrefix(name, "LC_", "XDG_", "PYTHON")
}

// launcherSource reports whether a source file is part of a package manager itself. node-gyp is shipped inside them but
// is a build tool a hook starts.
func launcherSource(file string) bool {
	if file == "" || strings.HasPrefix(file, "node:") || strings.Contains(file, "/node_modules/node-gyp/") {
		return !strings.Contains(file, "/node_modules/node-gyp/")
	}
	if base := path.Base(file); base == ".pnp.cjs" || base == ".pnp.loader.mjs" { // yarn's own, written into the workspace
		return true
	}
	for _, dir := range []string{"/lib/node_modules/npm/", "/lib/node_modules/corepack/", "/node_modules/pnpm/", "/node_modules/@yarnpkg/cli-dist/", "/node_modules/yarn/",
		"/corepack/v1/", "/pip/_internal/", "/pip/_vendor/"} {
		if strings.Contains(file, dir) {
			return true
		}
	}
	return false
}

// containerCLI reports whether a program is a container engine's command line.
func containerCLI(base string) bool {
	switch base {
	case "docker", "docker-compose", "docker-buildx", "podman", "podman-compose", "nerdctl", "buildah", "crictl", "ctr", "skopeo", "buildctl", "lima", "finch", "kind", "minikube":
		return true
	}
	return false
}

func engineSocket(file string) bool {
	return hasPrefix(path.Base(file), "docker.sock", "podman.sock", "containerd.sock", "buildkitd.sock", "crio.sock")
}
