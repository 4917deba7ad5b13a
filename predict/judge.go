package predict

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/flow"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// judge is the one place that says what counts as an effect (the labelling rubric): reads inside the workspace and of
// system folders, the null device, terminals and loopback connections are ordinary.
func (e *engine) judge(c effect.Class, a effect.Access, on effect.Pattern) effectKind {
	switch c {
	case effect.File:
		p := filePath(on)
		if a == effect.Read {
			if e.ordinaryRead(p, on.Tree) {
				return ordinaryEffect
			}
			return realEffect
		}
		if device(p) {
			return ordinaryEffect
		}
	case effect.Network:
		if on.Loopback() {
			return ordinaryEffect
		}
	case effect.Environment:
		if on.Kind() == effect.EnvKind {
			segs := on.Segments()
			if len(segs) > 0 && a == effect.Read && baselineVariable(segs[0]) {
				return ordinaryEffect
			}
		}
	}
	return realEffect
}

func filePath(p effect.Pattern) string {
	return "/" + strings.Join(p.Segments(), "/")
}

// device tells whether writing to a path changes nothing that lasts: /dev but for block devices and shared memory.
func device(p string) bool {
	switch {
	case p == "/dev/null", p == "/dev/zero", p == "/dev/full", p == "/dev/tty", p == "/dev/stdout", p == "/dev/stderr", p == "/dev/stdin",
		p == "/dev/random", p == "/dev/urandom", p == "/dev/console", p == "/dev/ptmx":
		return true
	}
	return strings.HasPrefix(p, "/dev/fd/") || strings.HasPrefix(p, "/dev/pts/") || strings.HasPrefix(p, "/proc/self/fd/")
}

// ordinaryRead tells whether reading a path is below the rubric's threshold. A tree is ordinary only if all of it is, but
// credentials inside the workspace are looked for by name when they are read by name.
func (e *engine) ordinaryRead(p string, tree bool) bool {
	if device(p) {
		return true
	}
	if !tree && credentialFile(p, e.home) {
		return false
	}
	if workspace.Within(p, e.workspace) {
		return true
	}
	if tree && (p == "/" || p == "/root" || p == "/home") {
		return false
	}
	return systemFolder(p) || e.runtimeFolder(p)
}

// systemFolder lists where the operating system keeps what every program may read (hier(7)), without credentials.
func systemFolder(p string) bool {
	for _, d := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/proc", "/sys", "/dev", "/nix", "/snap",
		"/run/systemd/resolve", "/run/resolvconf", "/var/lib/dpkg", "/var/lib/apt", "/var/cache", "/System", "/Library", "/Applications"} {
		if workspace.Within(p, d) {
			return true
		}
	}
	return false
}

// runtimeFolder lists where language runtimes keep themselves and what they downloaded.
func (e *engine) runtimeFolder(p string) bool {
	if e.home == "" || e.home == "/" || !workspace.Within(p, e.home) {
		return false
	}
	rel := strings.TrimPrefix(p, e.home)
	for _, d := range []string{"/.cache", "/.npm", "/.nvm", "/.volta", "/.fnm", "/.local/lib", "/.local/bin", "/.local/share/pnpm", "/.local/share/uv",
		"/.local/state/pnpm", "/.yarn", "/.bun", "/.deno", "/.cargo", "/.rustup", "/go", "/.pyenv", "/.rbenv", "/.gem", "/.bundle", "/.m2", "/.gradle",
		"/.sdkman", "/.asdf", "/.local/share/mise", "/.gitconfig", "/.config/git", "/.dotnet", "/.nuget", "/.node-gyp"} {
		if workspace.Within(rel, d) {
			return true
		}
	}
	return false
}

// credentialFile tells whether a path is a credential store by its place or name.
func credentialFile(p, home string) bool {
	base := path.Base(p)
	switch base {
	case ".netrc", "_netrc", ".pgpass", ".my.cnf", ".git-credentials", ".htpasswd", "shadow", "gshadow", "sudoers", "credentials.json",
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", ".vault-token", ".dockerconfigjson", "kubeconfig",
		"wallet.dat", "Login Data", "logins.json", "key4.db", "cookies.sqlite", "Cookies", "master.key", "service-account.json", ".pypirc":
		return true
	}
	for _, ext := range []string{".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".asc.key"} {
		if strings.HasSuffix(base, ext) {
			return true
		}
	}
	if workspace.Within(p, "/etc/ssl/private") || workspace.Within(p, "/etc/sudoers.d") {
		return true
	}
	if home == "" || !workspace.Within(p, home) {
		for _, d := range []string{"/.ssh/", "/.aws/", "/.gnupg/"} {
			if strings.Contains(p, d) && !strings.HasSuffix(p, ".pub") {
				return true
			}
		}
		return false
	}
	rel := strings.TrimPrefix(p, home)
	for _, d := range []string{"/.ssh", "/.gnupg", "/.aws", "/.azure", "/.config/gcloud", "/.kube", "/.docker/config.json", "/.config/gh", "/.config/hub",
		"/.npmrc", "/.cargo/credentials", "/.cargo/credentials.toml", "/.gem/credentials", "/.config/op", "/.password-store", "/.local/share/keyrings",
		"/Library/Keychains", "/.terraform.d/credentials.tfrc.json", "/.config/rclone", "/.s3cfg", "/.boto", "/.config/sops", "/.config/age"} {
		if workspace.Within(rel, d) && !strings.HasSuffix(rel, ".pub") && base != "known_hosts" && base != "config" || rel == "/.kube/config" {
			return true
		}
	}
	return false
}

// envFile tells whether reading a path reads an environment file: .env and its variants, .envrc, and the files that hold
// a client's tokens as settings.
func envFile(p string) bool {
	base := path.Base(p)
	switch base {
	case ".envrc", ".npmrc", ".netrc", ".yarnrc.yml", ".pypirc":
		return true
	}
	if base != ".env" && !strings.HasPrefix(base, ".env.") {
		return false
	}
	switch strings.TrimPrefix(base, ".env.") { // templates that hold no values by convention
	case "example", "sample", "template", "dist", "defaults":
		return false
	}
	return true
}

// startupFile tells whether changing a path changes the environment of later shells.
func startupFile(p, home string) bool {
	if workspace.Within(p, "/etc/profile.d") || p == "/etc/profile" || p == "/etc/environment" || p == "/etc/bash.bashrc" || p == "/etc/zshenv" {
		return true
	}
	if home == "" || path.Dir(p) != home && p != home+"/.config/fish/config.fish" {
		return false
	}
	switch path.Base(p) {
	case ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".kshrc", ".cshrc", ".tcshrc", ".login",
		"config.fish", ".bash_aliases", ".pam_environment", ".inputrc", ".xprofile", ".xsessionrc":
		return true
	}
	return false
}

// baselineVariable lists the variables that every program finds and that say nothing of the person's secrets or settings:
// what login, the shell and the package managers' launchers set (environ(7), bash(1), npm-run-script).
func baselineVariable(n string) bool {
	switch n {
	case "HOME", "PATH", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "TMPDIR", "TMP", "TEMP", "LANG", "LANGUAGE", "TERM", "COLORTERM", "TZ", "HOSTNAME",
		"HOSTTYPE", "MACHTYPE", "OSTYPE", "UID", "EUID", "PPID", "SHLVL", "RANDOM", "SRANDOM", "SECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "LINENO", "IFS", "COLUMNS", "LINES",
		"OPTARG", "OPTIND", "REPLY", "PS1", "PS2", "PS4", "FUNCNAME", "PIPESTATUS", "DIRSTACK", "GROUPS", "COMP_WORDS", "COMP_CWORD", "INIT_CWD", "NODE", "_",
		"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "DISPLAY", "MAKE", "MAKEFLAGS", "MAKELEVEL", "CURDIR",
		"USERPROFILE", "APPDATA", "LOCALAPPDATA", "ComSpec", "COMSPEC", "SystemRoot", "SYSTEMROOT", "windir", "PATHEXT", "Path", "OUT_DIR", "CARGO_MANIFEST_DIR",
		"TERM_PROGRAM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "NODE_OPTIONS", "NODE_PATH", "NODE_DEBUG", "NODE_V8_COVERAGE", "NODE_EXTRA_CA_CERTS",
		"NODE_TLS_REJECT_UNAUTHORIZED", "NODE_COMPILE_CACHE", "PREFIX":
		return true
	}
	if option, ok := strings.CutPrefix(n, "npm_config_"); ok {
		return npmOwnOption(option) // the others are settings that someone chose
	}
	for _, p := range []string{"LC_", "XDG_", "PYTHON", "BASH", "npm_", "ZSH_", "CARGO_PKG_", "CARGO_CFG_", "CARGO_FEATURE_"} {
		if strings.HasPrefix(n, p) {
			return true
		}
	}
	return false
}

// sensitivity of what comes from a place (design section 5).
func (e *engine) sensitivity(p effect.Pattern) flow.Sensitivity {
	switch p.Kind() {
	case effect.HostKind:
		if p.PrivateHost() || p.Loopback() {
			return flow.Internal
		}
		return flow.Public
	case effect.FileKind:
		name := filePath(p)
		switch {
		case credentialFile(name, e.home), envFile(name):
			return flow.Secret
		case p.Tree && (name == "/" || workspace.Within(e.home, name)):
			return flow.Secret // a whole home holds the credential stores
		case !p.Tree && device(name):
			return flow.Public
		case e.personalFolder(name):
			return flow.Personal
		case !workspace.Within(name, e.workspace) && systemFolder(name):
			return flow.Public
		}
		return flow.Internal
	case effect.EnvKind:
		if segs := p.Segments(); len(segs) == 1 && !secretName(segs[0]) {
			return flow.Internal
		}
		return flow.Secret
	case effect.MailboxKind, effect.ChannelKind:
		return flow.Personal
	}
	return flow.Internal
}

func (e *engine) personalFolder(p string) bool {
	if e.home == "" || !workspace.Within(p, e.home) || workspace.Within(p, e.workspace) {
		return false
	}
	for _, d := range []string{"/Documents", "/Desktop", "/Downloads", "/Pictures", "/Movies", "/Music", "/Videos", "/Mail", "/.mozilla", "/.thunderbird",
		"/.config/google-chrome", "/.config/chromium", "/Library/Mail", "/Library/Messages", "/.local/share/evolution"} {
		if workspace.Within(strings.TrimPrefix(p, e.home), d) {
			return true
		}
	}
	return false
}

// secretName tells whether a variable's name says that its value is a secret.
func secretName(n string) bool {
	n = strings.ToUpper(n)
	for _, w := range []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL", "_AUTH", "_PAT", "DATABASE_URL"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return false
}
