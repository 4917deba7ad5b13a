package nodepkg

import (
	"slices"
	"strings"
)

// split takes the leading options off a command line. Valued tells which options are followed by their value.
func (f *Flags) split(argv []string, valued func(string) bool, short func(string) string) []string {
	for i := 0; i < len(argv); i++ {
		a := argv[i]
		if a == "--" || len(a) < 2 || a[0] != '-' {
			return argv[i:]
		}
		key, value, has := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if !strings.HasPrefix(a, "--") {
			if long := short(key); long != "" {
				key = long
			}
		}
		if !has && valued(key) && i+1 < len(argv) {
			i++
			value, has = argv[i], true
		}
		f.set(key, value, has)
	}
	return nil
}

// words splits a command line into options, wherever they stand, and words.
func (f *Flags) words(argv []string, valued func(string) bool, short func(string) string) []string {
	var words []string
	for len(argv) > 0 {
		if argv = f.split(argv, valued, short); len(argv) == 0 {
			break
		}
		if argv[0] == "--" {
			return append(words, argv[1:]...)
		}
		words, argv = append(words, argv[0]), argv[1:]
	}
	return words
}

// command reads what runs something: the first word is its name, all behind it is passed on.
func (r *Request) command(argv []string, valued func(string) bool, short func(string) string) {
	rest := r.Flags.split(argv, valued, short)
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		r.Names, r.Args = rest[:1], slices.Clone(rest[1:])
	}
}

// take fills the fields from the options that pnpm, Yarn and bun share.
func (f *Flags) take() {
	f.IgnoreScripts = f.on("ignore-scripts")
	f.Global, f.Offline, f.IfPresent, f.DryRun = f.on("global"), f.on("offline"), f.on("if-present"), f.on("dry-run")
	f.OmitDev = f.on("prod") || f.on("production") || slices.Contains(f.Options["omit"], "dev")
	f.LockfileOnly = f.on("lockfile-only")
	f.AllWorkspaces = f.AllWorkspaces || f.on("recursive")
	if len(f.Workspaces) == 0 {
		f.Workspaces = f.Options["filter"]
	}
	f.Packages = f.Options["package"]
	for _, key := range [...]string{"dir", "cwd"} {
		if v := f.last(key); v != "" {
			f.Prefix = v
		}
	}
	f.ScriptShell = f.last("script-shell")
}

// parsePNPM reads pnpm's command line (pnpm help): options before a script's or a command's name are pnpm's, what follows it is
// passed on.
func parsePNPM(argv []string) (Request, bool) {
	req := Request{Manager: "pnpm"}
	rest := req.Flags.split(argv, pnpmValued, pnpmShort)
	if len(rest) > 0 && (rest[0] == "recursive" || rest[0] == "multi" || rest[0] == "m") {
		req.Flags.AllWorkspaces = true
		rest = req.Flags.split(rest[1:], pnpmValued, pnpmShort)
	}
	if len(rest) == 0 {
		return req, false
	}
	verb, known := pnpmVerb(rest[0])
	switch {
	case !known:
		req.Verb = "run" // pnpm NAME runs a script, or else a command of a package
		req.command(rest, pnpmValued, pnpmShort)
	case verb == "":
		return req, false
	default:
		req.Verb = verb
		switch verb {
		case "run", "exec", "dlx", "create":
			req.command(rest[1:], pnpmValued, pnpmShort)
		case "test", "start", "stop", "restart":
			req.Args = req.Flags.split(rest[1:], pnpmValued, pnpmShort)
		default:
			req.Names = req.Flags.words(rest[1:], pnpmValued, pnpmShort)
			if verb == "install" && len(req.Names) > 0 {
				req.Verb = "add"
			}
		}
	}
	req.Flags.take()
	return req, !req.Flags.on("help") && !req.Flags.on("version")
}

func pnpmShort(key string) string {
	switch key {
	case "r":
		return "recursive"
	case "w":
		return "workspace-root"
	case "C":
		return "dir"
	case "F":
		return "filter"
	case "P":
		return "prod"
	case "D":
		return "dev"
	case "g":
		return "global"
	case "c":
		return "shell-mode"
	case "h":
		return "help"
	case "v":
		return "version"
	}
	return ""
}

func pnpmValued(key string) bool {
	switch key {
	case "filter", "filter-prod", "dir", "reporter", "loglevel", "workspace-concurrency", "store-dir", "registry", "modules-dir", "virtual-store-dir",
		"lockfile-dir", "package", "allow-build", "node-linker", "script-shell", "pack-destination", "changed-files-ignore-pattern", "test-pattern",
		"resume-from", "network-concurrency", "child-concurrency", "hoist-pattern", "public-hoist-pattern", "tag", "access", "otp", "publish-branch",
		"env-file", "preid", "userconfig", "global-dir", "cpu", "os", "libc":
		return true
	}
	return false
}

// pnpmVerb is a subcommand's own name; empty for those that run and change nothing of a project.
func pnpmVerb(s string) (verb string, known bool) {
	switch s {
	case "install", "i":
		return "install", true
	case "ci", "clean-install", "ic", "install-clean":
		return "ci", true
	case "remove", "rm", "uninstall", "un", "uni":
		return "remove", true
	case "update", "up", "upgrade":
		return "update", true
	case "rebuild", "rb":
		return "rebuild", true
	case "link", "ln":
		return "link", true
	case "unlink", "dislink":
		return "unlink", true
	case "install-test", "it":
		return "install-test", true
	case "test", "t", "tst":
		return "test", true
	case "run", "run-script":
		return "run", true
	case "add", "prune", "dedupe", "import", "fetch", "exec", "dlx", "create", "start", "stop", "restart", "pack", "publish", "version", "init":
		return s, true
	case "approve-builds":
		return "rebuild", true
	case "list", "ls", "la", "ll", "why", "outdated", "audit", "config", "c", "get", "set", "store", "root", "bin", "help", "licenses", "env", "doctor",
		"patch", "patch-commit", "patch-remove", "cat-file", "cat-index", "find-hash", "cache", "completion", "setup", "self-update", "server", "view",
		"info", "show", "search", "login", "logout", "whoami", "ignored-builds", "sbom", "permissions":
		return "", true
	}
	return "", false
}

// parseYarn reads Yarn's command line, classic and berry: options before a script's or a command's name are Yarn's.
func parseYarn(argv []string) (Request, bool) {
	req := Request{Manager: "yarn"}
	rest := req.Flags.split(argv, yarnValued, yarnShort)
	if len(rest) == 0 {
		req.Verb = "install"
		req.Flags.take()
		return req, !req.Flags.on("help") && !req.Flags.on("version")
	}
	switch rest[0] {
	case "workspace":
		if len(rest) < 3 {
			return req, false
		}
		in, ok := parseYarn(rest[2:])
		in.Flags.Workspaces = []string{rest[1]}
		in.Flags.Prefix = req.Flags.last("cwd")
		return in, ok
	case "workspaces":
		return parseYarnWorkspaces(rest[1:], req.Flags)
	case "npm":
		if len(rest) < 2 || rest[1] != "publish" {
			return req, false
		}
		rest = rest[1:]
	case "global":
		req.Flags.set("global", "", false)
		if rest = rest[1:]; len(rest) == 0 {
			return req, false
		}
	}
	verb, known := yarnVerb(rest[0])
	switch {
	case !known:
		req.Verb = "run"
		req.command(rest, yarnValued, yarnShort)
	case verb == "":
		return req, false
	default:
		req.Verb = verb
		switch verb {
		case "run", "exec", "dlx", "create", "node":
			req.command(rest[1:], yarnValued, yarnShort)
		case "test", "start", "stop", "restart":
			req.Args = rest[1:]
		default:
			req.Names = req.Flags.words(rest[1:], yarnValued, yarnShort)
		}
	}
	req.Flags.take()
	return req, !req.Flags.on("help") && !req.Flags.on("version")
}

func parseYarnWorkspaces(argv []string, f Flags) (Request, bool) {
	if len(argv) < 2 || argv[0] != "run" && argv[0] != "foreach" {
		if len(argv) > 0 && argv[0] == "focus" {
			return Request{Manager: "yarn", Verb: "install", Flags: f}, true
		}
		return Request{Manager: "yarn"}, false
	}
	if argv[0] == "run" {
		in, ok := parseYarn(argv)
		in.Flags.AllWorkspaces, in.Flags.Prefix = true, f.last("cwd")
		return in, ok
	}
	rest := f.split(argv[1:], func(k string) bool { return k == "from" || k == "include" || k == "exclude" || k == "jobs" }, func(k string) string {
		if k == "j" {
			return "jobs"
		}
		return ""
	})
	in, ok := parseYarn(rest)
	in.Flags.AllWorkspaces, in.Flags.Prefix = true, f.last("cwd")
	in.Flags.set("foreach", "", false)
	for _, key := range [...]string{"include", "exclude"} {
		if list := f.Options[key]; len(list) > 0 {
			in.Flags.Options[key] = list
		}
	}
	return in, ok
}

func yarnShort(key string) string {
	switch key {
	case "W":
		return "ignore-workspace-root-check"
	case "T":
		return "top-level"
	case "p":
		return "package"
	case "h":
		return "help"
	case "v":
		return "version"
	case "c":
		return "call"
	}
	return ""
}

func yarnValued(key string) bool {
	switch key {
	case "cwd", "modules-folder", "cache-folder", "mutex", "network-concurrency", "network-timeout", "registry", "preferred-cache-folder", "use-yarnrc",
		"global-folder", "link-folder", "new-version", "preid", "tag", "access", "otp", "package", "mode", "filename", "out", "message", "require":
		return true
	}
	return false
}

func yarnVerb(s string) (verb string, known bool) {
	switch s {
	case "install", "":
		return "install", true
	case "upgrade", "up", "upgrade-interactive":
		return "update", true
	case "add", "remove", "rebuild", "run", "exec", "dlx", "create", "node", "test", "pack", "publish", "version", "dedupe", "link", "unlink", "init", "import":
		return s, true
	case "set", "plugin", "config", "cache", "info", "why", "list", "licenses", "audit", "outdated", "bin", "help", "login", "logout", "owner", "team",
		"tag", "versions", "check", "constraints", "explain", "patch", "patch-commit", "search", "stage", "unplug", "policies", "autoclean",
		"generate-lock-entry", "access":
		return "", true
	}
	return "", false
}

// parseBun reads bun's command line (bun --help).
func parseBun(argv []string) (Request, bool) {
	req := Request{Manager: "bun"}
	rest := req.Flags.split(argv, bunValued, bunShort)
	if len(rest) == 0 {
		return req, false
	}
	verb, known := bunVerb(rest[0])
	switch {
	case !known:
		req.Verb = "run"
		req.command(rest, bunValued, bunShort)
	case verb == "":
		return req, false
	case verb == "pm":
		return parseBunPM(rest[1:], req)
	default:
		req.Verb = verb
		switch verb {
		case "run", "dlx", "create":
			req.command(rest[1:], bunValued, bunShort)
		case "exec":
			req.Flags.Call = strings.Join(rest[1:], " ")
		default:
			req.Names = req.Flags.words(rest[1:], bunValued, bunShort)
			if verb == "install" && len(req.Names) > 0 {
				req.Verb = "add"
			}
		}
	}
	req.Flags.take()
	return req, !req.Flags.on("help") && !req.Flags.on("version")
}

func parseBunPM(argv []string, req Request) (Request, bool) {
	words := req.Flags.words(argv, bunValued, bunShort)
	req.Flags.take()
	if len(words) == 0 {
		return req, false
	}
	switch words[0] {
	case "trust":
		req.Verb, req.Names = "rebuild", words[1:]
	case "pack", "version":
		req.Verb, req.Names = words[0], words[1:]
	default:
		return req, false
	}
	return req, true
}

func bunShort(key string) string {
	switch key {
	case "F":
		return "filter"
	case "g":
		return "global"
	case "p":
		return "production"
	case "f":
		return "force"
	case "r":
		return "preload"
	case "c":
		return "config"
	case "h":
		return "help"
	case "v":
		return "version"
	}
	return ""
}

func bunValued(key string) bool {
	switch key {
	case "filter", "cwd", "config", "registry", "cache-dir", "backend", "omit", "preload", "require", "import", "env-file", "shell", "elide-lines", "port",
		"cpu", "os", "linker", "tag", "access", "otp", "package", "destination", "filename", "jobs", "network-concurrency", "concurrent-scripts", "ca", "cafile":
		return true
	}
	return false
}

func bunVerb(s string) (verb string, known bool) {
	switch s {
	case "install", "i":
		return "install", true
	case "add", "a":
		return "add", true
	case "remove", "rm", "uninstall":
		return "remove", true
	case "update", "up":
		return "update", true
	case "x":
		return "dlx", true
	case "create", "c":
		return "create", true
	case "ci", "run", "exec", "link", "unlink", "pm", "publish", "init":
		return s, true
	case "test", "build", "repl", "upgrade", "outdated", "audit", "info", "why", "patch", "patch-commit", "completions", "discord", "feedback", "getcompletes":
		return "", true
	}
	return "", false
}
