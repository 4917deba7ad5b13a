package nodepkg

import (
	"slices"
	"strings"
)

// Parse reads a command line of a package manager, without its name, as the manager does. It is for callers that have the
// words; ok is false when the words ask for nothing that runs or changes anything here (help, version, an informational verb).
func Parse(manager string, argv []string) (Request, bool) {
	switch manager {
	case "npm":
		return parseNPM(argv)
	case "npx":
		return parseNPX(argv)
	case "pnpm", "pn":
		return parsePNPM(argv)
	case "pnpx", "pnx":
		return parsePNPM(append([]string{"dlx"}, argv...))
	case "yarn", "yarnpkg":
		return parseYarn(argv)
	case "bun":
		return parseBun(argv)
	case "bunx":
		return parseBun(append([]string{"x"}, argv...))
	}
	return Request{}, false
}

// parseNPM reads npm's options wherever they stand before "--" (nopt; lib/npm.js).
func parseNPM(argv []string) (Request, bool) {
	req := Request{Manager: "npm"}
	words, after := req.Flags.npmOptions(argv)
	if len(words) == 0 {
		return req, false
	}
	verb, names := npmVerb(words[0]), words[1:]
	switch verb {
	case "":
		return req, false
	case "exec", "run", "test", "start", "stop", "restart", "init":
		// The first word names what runs, all others are passed on to it.
		if n := min(len(names), 1); verb == "exec" || verb == "run" || verb == "init" {
			req.Names, req.Args = names[:n], append(slices.Clone(names[n:]), after...)
			if n == 0 && len(after) > 0 {
				req.Names, req.Args = after[:1], after[1:]
			}
		} else {
			req.Args = append(slices.Clone(names), after...)
		}
	default:
		req.Names = append(slices.Clone(names), after...)
	}
	req.Verb = verb
	req.Flags.npmTake()
	return req, !req.Flags.on("usage") && !req.Flags.on("version")
}

// parseNPX reads npx: options end at the first word that is none (bin/npx-cli.js).
func parseNPX(argv []string) (Request, bool) {
	req := Request{Manager: "npx", Verb: "exec"}
	i := 0
	for ; i < len(argv) && argv[i] != "--"; i++ {
		a := argv[i]
		if !strings.HasPrefix(a, "-") {
			break
		}
		key, value, has := strings.Cut(strings.TrimLeft(a, "-"), "=")
		switch key {
		case "p":
			key = "package"
		case "shell":
			key = "script-shell"
		case "no-install":
			key, value, has = "yes", "false", true
		}
		key, value, has = npmShort(key, value, has)
		if !has && !npmSwitch(strings.TrimPrefix(key, "no-")) && i+1 < len(argv) && (!strings.HasPrefix(argv[i+1], "-") || key == "package" || key == "call") {
			i++
			value, has = argv[i], true
		}
		req.Flags.set(key, value, has)
	}
	rest := argv[i:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		req.Names, req.Args = rest[:1], rest[1:]
	}
	req.Flags.npmTake()
	return req, !req.Flags.on("usage") && !req.Flags.on("version") && (len(rest) > 0 || req.Flags.Call != "")
}

// npmOptions takes options out of a command line; what stands behind "--" is given apart.
func (f *Flags) npmOptions(argv []string) (words, after []string) {
	for i := 0; i < len(argv); i++ {
		a := argv[i]
		if a == "--" {
			return words, argv[i+1:]
		}
		if len(a) < 2 || a[0] != '-' {
			words = append(words, a)
			continue
		}
		key, value, has := strings.Cut(strings.TrimLeft(a, "-"), "=")
		key, value, has = npmShort(key, value, has)
		if bare := strings.TrimPrefix(key, "no-"); !has && !npmSwitch(bare) && i+1 < len(argv) && npmValued(key, argv[i+1]) {
			i++
			value, has = argv[i], true
		} else if !has && i+1 < len(argv) && npmSwitch(key) && (argv[i+1] == "true" || argv[i+1] == "false") {
			i++ // nopt takes a boolean's word
			value, has = argv[i], true
		}
		f.set(key, value, has)
	}
	return words, nil
}

// npmValued tells whether the word behind an option is its value: npm takes it for every option of its own that is no switch, and
// nopt for an unknown one when it does not look like an option.
func npmValued(key, next string) bool {
	return !strings.HasPrefix(next, "-") || key == "package" || key == "call"
}

func (f *Flags) set(key, value string, has bool) {
	if f.Options == nil {
		f.Options = map[string][]string{}
	}
	if bare, no := strings.CutPrefix(key, "no-"); no && !has {
		key, value = bare, "false"
	} else if !has {
		value = "true"
	}
	f.Options[key] = append(f.Options[key], value)
}

func (f *Flags) on(key string) bool {
	list := f.Options[key]
	return len(list) > 0 && (list[len(list)-1] == "true" || list[len(list)-1] == "")
}

func (f *Flags) last(key string) string {
	if list := f.Options[key]; len(list) > 0 {
		return list[len(list)-1]
	}
	return ""
}

// npmTake fills the fields from npm's options.
func (f *Flags) npmTake() {
	f.IgnoreScripts = f.on("ignore-scripts")
	f.Global = f.on("global") || f.last("location") == "global"
	f.Offline, f.IfPresent, f.DryRun = f.on("offline"), f.on("if-present"), f.on("dry-run")
	f.AllWorkspaces, f.IncludeRoot = f.on("workspaces"), f.on("include-workspace-root")
	f.ForegroundScripts, f.LockfileOnly = f.on("foreground-scripts"), f.on("package-lock-only")
	f.OmitDev = slices.Contains(f.Options["omit"], "dev") || f.on("production") || strings.HasPrefix(f.last("only"), "prod")
	if slices.Contains(f.Options["include"], "dev") {
		f.OmitDev = false
	}
	f.Workspaces, f.Packages = f.Options["workspace"], f.Options["package"]
	f.Call, f.Prefix, f.ScriptShell = f.last("call"), f.last("prefix"), f.last("script-shell")
}

// npmShort resolves npm's short options (@npmcli/config lib/definitions).
func npmShort(key, value string, has bool) (string, string, bool) {
	long := ""
	switch key {
	case "a":
		long = "all"
	case "c":
		long = "call"
	case "f":
		long = "force"
	case "g":
		long = "global"
	case "j":
		long = "json"
	case "l":
		long = "long"
	case "m":
		long = "message"
	case "p", "porcelain":
		long = "parseable"
	case "w":
		long = "workspace"
	case "y":
		long = "yes"
	case "B":
		long = "save-bundle"
	case "C":
		long = "prefix"
	case "D":
		long = "save-dev"
	case "E":
		long = "save-exact"
	case "L":
		long = "location"
	case "O":
		long = "save-optional"
	case "P":
		long = "save-prod"
	case "S":
		long = "save"
	case "iwr":
		long = "include-workspace-root"
	case "ws":
		long = "workspaces"
	case "reg":
		long = "registry"
	case "local":
		return "global", "false", true
	case "n", "no":
		return "yes", "false", true
	case "h", "H", "?", "help":
		long = "usage"
	case "v":
		long = "version"
	case "s", "silent", "q", "quiet", "d", "dd", "ddd", "verbose":
		return "loglevel", key, true
	default:
		return key, value, has
	}
	return long, value, has
}

// npmSwitch tells whether an option of npm takes no value.
func npmSwitch(key string) bool {
	switch key {
	case "all", "allow-same-version", "audit", "bin-links", "commit-hooks", "dangerously-allow-all-scripts", "description", "dev", "dry-run",
		"engine-strict", "expect-results", "force", "foreground-scripts", "format-package-lock", "fund", "git-tag-version", "global", "global-style",
		"if-present", "ignore-scripts", "include-staged", "include-workspace-root", "install-links", "json", "legacy-bundling", "legacy-peer-deps",
		"link", "long", "offline", "omit-lockfile-registry-resolved", "optional", "package-lock", "package-lock-only", "parseable",
		"allow-scripts-pending", "allow-scripts-pin", "prefer-dedupe", "prefer-offline", "prefer-online", "production", "progress", "provenance",
		"read-only", "rebuild-bundle", "save", "save-bundle", "save-dev", "save-exact", "save-optional", "save-peer", "save-prod", "shrinkwrap",
		"sign-git-commit", "sign-git-tag", "strict-peer-deps", "strict-allow-scripts", "strict-ssl", "timing", "unicode", "update-notifier",
		"usage", "version", "versions", "workspaces", "workspaces-update", "yes", "color", "browser", "init-private", "ignore-extension":
		return true
	}
	return false
}

// npmWords are npm's subcommands and aliases, any of which may be shortened as far as it stays unambiguous.
const npmWords = `access adduser approve-scripts audit bugs cache ci completion config dedupe deny-scripts deprecate diff dist-tag docs doctor
edit exec explain explore find-dupes fund get help help-search init install install-ci-test install-scripts install-test link ll login
logout ls org outdated owner pack ping pkg prefix profile prune publish query rebuild repo restart root run sbom search set shrinkwrap
stage star stars start stop team test token trust undeprecate uninstall unpublish unstar update version view whoami
author home issues info show find add unlink remove rm r un rb list ln create i it cit u up c s se tst t ddp v run-script clean-install
clean-install-test x why la verison ic innit in ins inst insta instal isnt isnta isntal isntall install-clean isntall-clean hlep
dist-tags upgrade udpate rum sit urn ogr add-user`

// npmVerb is a subcommand's own name (lib/utils/cmd-list.js); empty for those that run and change nothing of a project.
func npmVerb(s string) string {
	if v := npmAlias(s); v != "" {
		return v
	}
	found := ""
	for word := range strings.FieldsSeq(npmWords) {
		if word == s {
			return ""
		}
		if strings.HasPrefix(word, s) {
			if found != "" {
				return ""
			}
			found = word
		}
	}
	return npmAlias(found)
}

func npmAlias(s string) string {
	switch s {
	case "install", "add", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall":
		return "install"
	case "ci", "clean-install", "ic", "install-clean", "isntall-clean":
		return "ci"
	case "install-test", "it":
		return "install-test"
	case "install-ci-test", "cit", "clean-install-test", "sit":
		return "install-ci-test"
	case "uninstall", "unlink", "remove", "rm", "r", "un":
		return "remove"
	case "update", "u", "up", "upgrade", "udpate":
		return "update"
	case "rebuild", "rb":
		return "rebuild"
	case "dedupe", "ddp":
		return "dedupe"
	case "link", "ln":
		return "link"
	case "prune", "version", "pack", "publish", "start", "stop", "restart":
		return s
	case "verison":
		return "version"
	case "test", "tst", "t":
		return "test"
	case "run", "run-script", "rum", "urn":
		return "run"
	case "exec", "x":
		return "exec"
	case "init", "create", "innit":
		return "init"
	}
	return ""
}
