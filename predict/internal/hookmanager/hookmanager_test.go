package hookmanager

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// lay writes files below root. A name with a "!" at its end is executable.
func lay(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		mode := os.FileMode(0o644)
		if n, ok := strings.CutSuffix(name, "!"); ok {
			name, mode = n, 0o755
		}
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// lines writes a result in a short form, one line for each part. The place is that of the file below /p and its line.
func lines(res source.Result) []string {
	var out []string
	at := func(file string, line int) string {
		if file == "" {
			return ""
		}
		return fmt.Sprintf(" @%s:%d", strings.TrimPrefix(file, "/p/"), line)
	}
	for _, j := range res.Jobs {
		if j.Label == "lefthook" {
			continue // its own look at the work tree: TestLefthookLooks
		}
		s := ""
		switch {
		case j.Script != "":
			s = "script " + j.Script
			if j.Interp != "" {
				s += " by " + j.Interp
			}
		case j.Shell != "":
			s = "shell " + j.Shell
		default:
			s = "argv " + strings.Join(j.Argv, " ")
		}
		if len(j.Args) > 0 {
			s += " <" + strings.Join(j.Args, " ") + ">"
		}
		if j.Dir != "/p" {
			s += " in " + j.Dir
		}
		if len(j.Env) > 0 {
			s += " with " + fmt.Sprint(j.Env)
		}
		if len(j.Path) > 0 {
			s += " path " + strings.Join(j.Path, ":")
		}
		out = append(out, s+at(j.From.File, j.From.Line))
	}
	for _, c := range res.Claims {
		s := c.Class.String() + "." + c.Access.String() + " " + c.Target
		if c.Tree {
			s += "/**"
		}
		out = append(out, s+at(c.From.File, c.From.Line))
	}
	for _, u := range res.Unknowns {
		why, _, _ := strings.Cut(u.Why, " understood: ") // the parser's own words follow
		out = append(out, "unknown "+why+at(u.From.File, u.From.Line))
	}
	return out
}

func command(program string, args ...string) Command {
	return Command{Program: program, Args: args, Dir: "/p", Home: "/h", Top: "/p", GitDir: "/p/.git", HooksDir: "/p/.git/hooks", Branch: "main"}
}

// installed writes lefthook's checksum for the configuration as it is, unless the test has one.
func installed(t *testing.T, root string) {
	t.Helper()
	name := root + "/p/.git/info/lefthook.checksum"
	if _, err := os.Stat(name); err == nil {
		return
	}
	for _, n := range lefthookNames {
		for _, ext := range configExtensions {
			if info, err := os.Stat(root + "/p/" + n + ext); err == nil {
				lay(t, root, map[string]string{"p/.git/info/lefthook.checksum": fmt.Sprintf("0 %d", info.ModTime().Unix())})
				return
			}
		}
	}
}

type runCase struct {
	name  string
	files map[string]string
	call  string // program and arguments
	env   map[string]string
	want  []string
}

func testRuns(t *testing.T, cases []runCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			lay(t, root, tt.files)
			installed(t, root)
			w := strings.Fields(tt.call)
			c := command(w[0], w[1:]...)
			c.Env = tt.env
			res, ok := Run(workspace.New(root, workspace.Limits{}), c)
			if !ok {
				t.Fatal("not taken for a manager")
			}
			if d := cmp.Diff(tt.want, lines(res), cmpopts.EquateEmpty()); d != "" {
				t.Error("(-want +got):", d)
			}
		})
	}
}

func TestLefthook(t *testing.T) {
	testRuns(t, []runCase{
		{name: "nothing configured", call: "lefthook run pre-commit"},
		{name: "commands", call: "lefthook run pre-commit", files: map[string]string{"p/lefthook.yml": "pre-commit:\n  parallel: true\n  commands:\n    lint:\n      glob: \"*.js\"\n      run: npx eslint {staged_files}\n      stage_fixed: true\n    test:\n      root: \"api/\"\n      run: |\n        npm test\n        curl https://x.example\n      env:\n        CI: true\n"},
			want: []string{"shell npx eslint ./${AMBIT_UNKNOWN} @lefthook.yml:6", "argv git add ./${AMBIT_UNKNOWN} @lefthook.yml:7",
				"shell npm test\ncurl https://x.example\n in /p/api with map[CI:true] @lefthook.yml:10"}},
		{name: "another hook", call: "lefthook run pre-push", files: map[string]string{"p/lefthook.yml": "pre-commit:\n  commands:\n    a: {run: x}\n"}},
		{name: "skip and only", call: "lefthook run pre-commit", files: map[string]string{"p/.git/MERGE_HEAD": "x", "p/lefthook.yml": "pre-commit:\n  commands:\n" +
			"    a: {run: a, skip: true}\n    b: {run: b, skip: merge}\n    c: {run: c, skip: [rebase]}\n    d: {run: d, only: [{ref: dev}]}\n    e: {run: e, only: [{ref: main}]}\n    f: {run: f, skip: [{run: test -f x}]}\n    g: {run: g, skip: false}\n    h: {run: h, only: rebase}\n"},
			want: []string{"shell c @lefthook.yml:5", "shell e @lefthook.yml:7", "shell test -f x @lefthook.yml:8", "shell f @lefthook.yml:8", "shell g @lefthook.yml:9"}},
		{name: "whole hook is skipped", call: "lefthook run pre-commit", files: map[string]string{"p/lefthook.yml": "pre-commit:\n  skip: true\n  commands:\n    a: {run: x}\n"}},
		{name: "switched off", call: "lefthook run pre-commit", env: map[string]string{"LEFTHOOK": "0"}, files: map[string]string{"p/lefthook.yml": "pre-commit: {commands: {a: {run: x}}}"}},
		{name: "tags", call: "lefthook run pre-commit", env: map[string]string{"LEFTHOOK_EXCLUDE": "slow,named"}, files: map[string]string{"p/lefthook.yml": "pre-commit:\n  exclude_tags: [old]\n  commands:\n    a: {run: a, tags: slow x}\n    b: {run: b, tags: [old]}\n    named: {run: c}\n    d: {run: d}\n"},
			want: []string{"shell d @lefthook.yml:7"}},
		{name: "chosen command", call: "lefthook run pre-commit --commands b", files: map[string]string{"p/lefthook.yml": "pre-commit: {commands: {a: {run: a}, b: {run: b}}}"}, want: []string{"shell b @lefthook.yml:1"}},
		{name: "scripts", call: "lefthook run commit-msg MSG", files: map[string]string{"p/.lefthook/commit-msg/check.py": "", "p/.lefthook/commit-msg/go!": "", "p/.lefthook/commit-msg/unlisted": "",
			"p/lefthook.yml": "commit-msg:\n  scripts:\n    \"check.py\":\n      runner: python3 -B\n    \"go\": {}\n    \"absent\": {runner: sh}\n"},
			want: []string{`shell python3 -B '/p/.lefthook/commit-msg/check.py' "$@" <MSG> @lefthook.yml:4`, "script /p/.lefthook/commit-msg/go <MSG> @lefthook.yml:5"}},
		{name: "jobs and groups", call: "lefthook run pre-commit", files: map[string]string{"p/lefthook.yml": "pre-commit:\n  setup:\n    - run: first\n  jobs:\n    - run: a\n    - name: g\n      root: sub\n      group:\n        root: nowhere\n        jobs:\n          - run: b {1}\n          - run: c\n            root: other\n"},
			want: []string{"shell first @lefthook.yml:3", "shell a @lefthook.yml:5", "shell b  in /p/sub @lefthook.yml:11", "shell c in /p/other @lefthook.yml:12"}},
		{name: "arguments", call: "lefthook run commit-msg FILE", files: map[string]string{"p/lefthook.yml": "commit-msg: {commands: {a: {run: 'x {1} {0} ${HOME} {2}'}}}"}, want: []string{"shell x FILE FILE ${HOME}  @lefthook.yml:1"}},
		{name: "file lists are commands", call: "lefthook run pre-push", files: map[string]string{"p/lefthook.yml": "pre-push:\n  files: git diff --name-only main\n  commands:\n    a:\n      files: ./list.sh\n      run: x {files}\n"},
			want: []string{"shell git diff --name-only main @lefthook.yml:2", "shell ./list.sh @lefthook.yml:5", "shell x ./${AMBIT_UNKNOWN} @lefthook.yml:6"}},
		{name: "extends and local", call: "lefthook run pre-commit", files: map[string]string{
			"p/lefthook.yml":            "extends: [conf/more.yml]\npre-commit:\n  commands:\n    a: {run: a}\n    b: {run: b}\n",
			"p/conf/more.yml":           "pre-commit:\n  commands:\n    b: {run: more}\n    c: {run: c}\n",
			"p/lefthook-local.yml":      "pre-commit:\n  commands:\n    c: {skip: true}\n    a: {run: 'docker exec x {cmd}'}\n",
			"p/.config/lefthook.yml":    "pre-commit: {commands: {never: {run: never}}}",
			"p/unrelated/lefthook.yaml": "x"},
			want: []string{"shell docker exec x a @lefthook-local.yml:4", "shell more @conf/more.yml:3"}},
		{name: "jobs are merged by name", call: "lefthook run pre-commit", files: map[string]string{"p/lefthook.yml": "pre-commit: {jobs: [{name: x, run: a}, {run: b}]}", "p/lefthook-local.yml": "pre-commit: {jobs: [{name: x, run: l}, {run: n}]}"},
			want: []string{"shell l @lefthook-local.yml:1", "shell b @lefthook.yml:1", "shell n @lefthook-local.yml:1"}},
		{name: "TOML", call: "lefthook run pre-commit", files: map[string]string{"p/lefthook.toml": "[pre-commit]\nparallel = true\n[pre-commit.commands.a]\nrun = \"make lint\"\n"}, want: []string{"shell make lint @lefthook.toml:4"}},
		{name: "JSON", call: "lefthook run pre-commit", files: map[string]string{"p/.lefthook.json": "{\n\t\"pre-commit\": {\"commands\": {\n\t\t\"a\": {\"run\": \"x \\u0026\\u0026 y\"}}}}"}, want: []string{"shell x && y @.lefthook.json:3"}},
		{name: "remote that is not here", call: "lefthook run pre-commit", files: map[string]string{"p/lefthook.yml": "remotes:\n  - git_url: https://git.example/hooks.git\n    ref: v1\npre-commit: {commands: {a: {run: a}}}\n"},
			want: []string{"argv git clone --depth 1 https://git.example/hooks.git /p/.git/info/lefthook-remotes/hooks-v1 @lefthook.yml:2", "shell a @lefthook.yml:4", "unknown the hooks of lefthook's remote https://git.example/hooks.git are not on this machine @lefthook.yml:2"}},
		{name: "remote that is here", call: "lefthook run pre-commit", files: map[string]string{"p/lefthook.yml": "remotes:\n  - git_url: git@git.example:a/hooks\n    configs: [x.yml]\n", "p/.git/info/lefthook-remotes/hooks/x.yml": "pre-commit: {commands: {r: {run: r}}}"},
			want: []string{"shell r @.git/info/lefthook-remotes/hooks/x.yml:1"}},
		{name: "install", call: "lefthook install", files: map[string]string{"p/lefthook.yml": "pre-commit: {}\npre-push: {}\ncustom: {}\nai:\n  claude: {PreToolUse: custom}\n", "p/.git/hooks/pre-push": "#!/bin/sh\n"},
			want: []string{"file.write /p/.git/hooks/pre-commit @lefthook.yml:1", "file.write /p/.git/hooks/pre-push @lefthook.yml:2", "file.write /p/.git/hooks/pre-push.old @lefthook.yml:2", "file.write /p/.git/info/lefthook.checksum @lefthook.yml:1", "file.write /p/.claude/settings.json @lefthook.yml:5"}},
		{name: "install without a configuration", call: "lefthook install", files: map[string]string{"p/node_modules/lefthook/package.json": `{"version":"1.11.0"}`},
			want: []string{"file.write /p/lefthook.yml", "file.write /p/.git/hooks/prepare-commit-msg", "file.write /p/.git/info/lefthook.checksum"}},
		{name: "run after a change", call: "lefthook run pre-commit", files: map[string]string{"p/lefthook.yml": "pre-commit: {commands: {a: {run: a}}}", "p/.git/info/lefthook.checksum": "0 1"},
			want: []string{"shell a @lefthook.yml:1", "file.write /p/.git/hooks/pre-commit @lefthook.yml:1", "file.write /p/.git/info/lefthook.checksum @lefthook.yml:1"}},
		{name: "run after a change without installing", call: "lefthook run pre-commit --no-auto-install", files: map[string]string{"p/lefthook.yml": "pre-commit: {commands: {a: {run: a}}}", "p/.git/info/lefthook.checksum": "0 1"}, want: []string{"shell a @lefthook.yml:1"}},
		{name: "broken", call: "lefthook run pre-commit", files: map[string]string{"p/lefthook.yml": "pre-commit: [\n"}, want: []string{"unknown /p/lefthook.yml cannot be @lefthook.yml:1"}},
		{name: "extends itself", call: "lefthook run pre-commit", files: map[string]string{"p/lefthook.yml": "extends: [lefthook.yml]\npre-commit: {commands: {a: {run: a}}}"}, want: []string{"shell a @lefthook.yml:2", "unknown lefthook is extended by too many files @lefthook.yml:1"}},
	})
}

// TestLefthookLooks: before the hooks of pre-commit, lefthook asks git for files that are staged in part.
func TestLefthookLooks(t *testing.T) {
	for event, want := range map[string]bool{"pre-commit": true, "pre-push": false} {
		root := t.TempDir()
		lay(t, root, map[string]string{"p/lefthook.yml": event + ": {commands: {a: {run: a}}}"})
		installed(t, root)
		res, _ := Run(workspace.New(root, workspace.Limits{}), command("lefthook", "run", event))
		if got := strings.Join(res.Jobs[0].Argv, " ") == "git status --short --porcelain -z"; got != want {
			t.Errorf("%s: %v", event, got)
		}
	}
}

func TestHusky(t *testing.T) {
	nine := map[string]string{"p/.git/config": "", "p/node_modules/husky/package.json": `{"version":"9.1.7"}`}
	eight := map[string]string{"p/.git/config": "", "p/node_modules/husky/package.json": `{"version":"8.0.3"}`}
	testRuns(t, []runCase{
		{name: "install 9", call: "husky", files: nine, want: []string{"argv git config core.hooksPath .husky/_", "environment.read HUSKY", "file.write .husky/_/**"}},
		{name: "folder", call: "husky conf/husky", files: nine, want: []string{"argv git config core.hooksPath conf/husky/_", "environment.read HUSKY", "file.write conf/husky/_/**"}},
		{name: "init", call: "husky init", files: nine, want: []string{"argv git config core.hooksPath .husky/_", "file.write package.json", "file.write .husky/pre-commit", "environment.read HUSKY", "file.write .husky/_/**"}},
		{name: "switched off", call: "husky", files: nine, env: map[string]string{"HUSKY": "0"}, want: []string{"environment.read HUSKY"}},
		{name: "out of the project", call: "husky ../x", files: nine, want: []string{"environment.read HUSKY"}},
		{name: "install 8", call: "husky install", files: eight, want: []string{"argv git config core.hooksPath .husky", "environment.read HUSKY", "file.write .husky/_/**"}},
		{name: "no command 8", call: "husky", files: eight},
		{name: "add 8", call: "husky add .husky/pre-push make", files: eight, want: []string{"file.write .husky/pre-push"}},
		{name: "4 runs package.json", call: "husky-run pre-commit", files: map[string]string{"p/package.json": "{\n\t\"husky\": {\n\t\t\"hooks\": {\n\t\t\t\"pre-commit\": \"lint-staged && tsc\"\n}}}", "h/.huskyrc": "export A=1"},
			want: []string{"script /h/.huskyrc by sh @/h/.huskyrc:1", "shell lint-staged && tsc path /p/node_modules/.bin @package.json:4"}},
		{name: "4 with a file", call: "husky-run commit-msg", files: map[string]string{"p/package.json": "{}", "p/.huskyrc": "hooks:\n  commit-msg: commitlint -E HUSKY_GIT_PARAMS\n"}, want: []string{"shell commitlint -E HUSKY_GIT_PARAMS path /p/node_modules/.bin @.huskyrc:2"}},
		{name: "4 with a module", call: "husky-run pre-commit", files: map[string]string{"p/.huskyrc.js": "const tasks = arr => arr.join(' && ');\nmodule.exports = {\n  hooks: {\n    'pre-commit': tasks(['a', 'b']),\n    'pre-push': 'npm test', // all\n  },\n}\n"},
			want: []string{"script /p/.huskyrc.js by node @.huskyrc.js:1", "unknown the commands of the pre-commit hook are made by code @.huskyrc.js:2"}},
		{name: "4 with a plain module", call: "husky-run pre-push", files: map[string]string{"p/.huskyrc.js": "module.exports = { hooks: { 'pre-push': 'npm test', 'pre-commit': f(1), }, }\n"}, want: []string{"script /p/.huskyrc.js by node @.huskyrc.js:1", "shell npm test path /p/node_modules/.bin @.huskyrc.js:1"}},
		{name: "0.x", call: "husky-run pre-commit", files: map[string]string{"p/package.json": `{"scripts":{"precommit":"npm run lint"}}`}, want: []string{"shell npm run lint path /p/node_modules/.bin @package.json:1"}},
	})
}

// prelude is how simple-git-hooks 2.14 begins a hook file; 2.11 has a blank line more.
const prelude = "#!/bin/sh\nif [ \"$SKIP_SIMPLE_GIT_HOOKS\" = \"1\" ]; then\n    echo \"[INFO] SKIP_SIMPLE_GIT_HOOKS is set to 1, skipping hook.\"\n    exit 0\nfi\n" +
	"if [ -f \"$SIMPLE_GIT_HOOKS_RC\" ]; then\n    . \"$SIMPLE_GIT_HOOKS_RC\"\nfi\n"

// TestHooks: hook files that managers write lead to what they run.
func TestHooks(t *testing.T) {
	tests := []struct {
		name, file, event string
		files             map[string]string
		env               map[string]string
		want              []string
		plain             bool // an ordinary script
	}{
		{name: "plain", file: "p/.git/hooks/pre-commit", files: map[string]string{"p/.git/hooks/pre-commit": "#!/bin/sh\nnpx lint-staged\n"}, event: "pre-commit", plain: true},
		{name: "husky 9", file: "p/.husky/_/pre-commit", event: "pre-commit", files: map[string]string{"p/.husky/_/pre-commit": "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", "p/.husky/_/h": "", "p/.husky/pre-commit": "npm test\n", "h/.config/husky/init.sh": "x"},
			want: []string{"script /h/.config/husky/init.sh by sh @/h/.config/husky/init.sh:1", "script /p/.husky/pre-commit by sh <A> path /p/node_modules/.bin @.husky/pre-commit:1"}},
		{name: "husky 9 without the hook", file: "p/.husky/_/pre-push", event: "pre-push", files: map[string]string{"p/.husky/_/pre-push": "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", "p/.husky/_/h": ""}},
		{name: "husky 9 off", file: "p/.husky/_/pre-commit", event: "pre-commit", env: map[string]string{"HUSKY": "0"}, files: map[string]string{"p/.husky/_/pre-commit": "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", "p/.husky/_/h": "", "p/.husky/pre-commit": "npm test\n"}},
		{name: "husky 8", file: "p/.husky/pre-commit", event: "pre-commit", files: map[string]string{"p/.husky/pre-commit": "#!/usr/bin/env sh\n. \"$(dirname -- \"$0\")/_/husky.sh\"\n\nnpm test\n"},
			want: []string{"shell #!/usr/bin/env sh\n\n\nnpm test\n <A> @.husky/pre-commit:1"}},
		{name: "husky 4", file: "p/.git/hooks/pre-commit", event: "pre-commit", files: map[string]string{"p/.git/hooks/pre-commit": "#!/bin/sh\n# husky\n. \"$(dirname \"$0\")/husky.sh\"\n", "p/.git/hooks/husky.sh": "", "p/package.json": `{"husky":{"hooks":{"pre-commit":"make"}}}`},
			want: []string{"shell make <A> path /p/node_modules/.bin @package.json:1"}},
		{name: "simple-git-hooks", file: "p/.git/hooks/pre-commit", event: "pre-commit", files: map[string]string{"p/.git/hooks/pre-commit": prelude + "npm test"}, want: []string{"shell \n\n\n\n\n\n\n\nnpm test <A> @.git/hooks/pre-commit:1"}},
		{name: "simple-git-hooks off", file: "p/.git/hooks/pre-commit", event: "pre-commit", env: map[string]string{"SKIP_SIMPLE_GIT_HOOKS": "1"}, files: map[string]string{"p/.git/hooks/pre-commit": prelude + "npm test"}},
		{name: "simple-git-hooks with a start-up file", file: "p/.git/hooks/pre-commit", event: "pre-commit", env: map[string]string{"SIMPLE_GIT_HOOKS_RC": "/h/rc"}, files: map[string]string{"p/.git/hooks/pre-commit": prelude + "npm test"},
			want: []string{"shell . \"$SIMPLE_GIT_HOOKS_RC\" @.git/hooks/pre-commit:7", "shell \n\n\n\n\n\n\n\nnpm test <A> @.git/hooks/pre-commit:1"}},
		{name: "another script with two conditions", file: "p/.git/hooks/pre-commit", event: "pre-commit", plain: true, files: map[string]string{"p/.git/hooks/pre-commit": "#!/bin/sh\nif a; then b\nfi\nif c; then d\nfi\n"}},
		{name: "yorkie", file: "p/.git/hooks/pre-commit", event: "pre-commit", files: map[string]string{"p/.git/hooks/pre-commit": "#!/bin/sh\n#yorkie 2.0.0\n", "p/package.json": `{"gitHooks":{"pre-commit":"lint-staged"}}`},
			want: []string{"shell lint-staged <A> path /p/node_modules/.bin @package.json:1"}},
		{name: "ghooks", file: "p/.git/hooks/commit-msg", event: "commit-msg", files: map[string]string{"p/.git/hooks/commit-msg": "#!/usr/bin/env node\nvar x = require('ghooks')", "p/package.json": `{"config":{"ghooks":{"commit-msg":"v"}}}`},
			want: []string{"shell v <A> path /p/node_modules/.bin @package.json:1"}},
		{name: "lefthook", file: "p/.git/hooks/pre-commit", event: "pre-commit", files: map[string]string{"p/.git/hooks/pre-commit": "#!/bin/sh\ncall_lefthook run \"pre-commit\" \"$@\"\n", "p/lefthook.yml": "rc: ~/.lefthookrc\npre-commit: {commands: {a: {run: a}}}"},
			want: []string{"shell . ~/.lefthookrc @lefthook.yml:1", "shell a @lefthook.yml:2", "process.exec lefthook @.git/hooks/pre-commit:1"}},
		{name: "pre-commit", file: "p/.git/hooks/pre-commit", event: "pre-commit", files: map[string]string{"p/.git/hooks/pre-commit": "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\nARGS=(hook-impl --config=conf/pc.yaml --hook-type=pre-commit)\n",
			"p/.git/hooks/pre-commit.legacy!": "#!/bin/sh\n", "p/conf/pc.yaml": "repos:\n- repo: local\n  hooks:\n  - {id: a, language: system, entry: make check, pass_filenames: false}\n"},
			want: []string{"script /p/.git/hooks/pre-commit.legacy <--config=conf/pc.yaml A> @.git/hooks/pre-commit.legacy:1", "argv make check @conf/pc.yaml:4", "process.exec pre-commit @.git/hooks/pre-commit:1"}},
		{name: "overcommit", file: "p/.git/hooks/pre-commit", event: "pre-commit", files: map[string]string{"p/.git/hooks/pre-commit": "#!/usr/bin/env ruby\n# overcommit\n", "p/.overcommit.yml": "PreCommit:\n  ALL: {enabled: false}\n  RuboCop:\n    enabled: true\n  Style:\n    enabled: true\n    command: [bundle, exec, x]\n  Off: {enabled: false}\n"},
			want: []string{"argv bundle exec x ./${AMBIT_UNKNOWN} @.overcommit.yml:7", "unknown what overcommit's hook RuboCop runs is not analysed @.overcommit.yml:4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			lay(t, root, tt.files)
			installed(t, root)
			w := workspace.New(root, workspace.Limits{})
			f, err := w.Read("/" + tt.file)
			if err != nil {
				t.Fatal(err)
			}
			c := command("", "A")
			c.Env = tt.env
			res, ok := Hook(w, c, f, tt.event)
			if ok == tt.plain {
				t.Fatalf("taken for a manager's: %v", ok)
			}
			if d := cmp.Diff(tt.want, lines(res), cmpopts.EquateEmpty()); d != "" {
				t.Error("(-want +got):", d)
			}
		})
	}
}

func TestSimpleGitHooks(t *testing.T) {
	testRuns(t, []runCase{
		{name: "package.json", call: "simple-git-hooks", files: map[string]string{"p/package.json": "{\"simple-git-hooks\": {\n \"pre-commit\": \"npx lint-staged\",\n \"preserveUnused\": [\"post-merge\"]}}", "p/.git/hooks/pre-push": "", "p/.git/hooks/post-merge": "", "p/.git/hooks/mine": ""},
			want: []string{"argv git config --local core.hooksPath @package.json:1", "environment.read SKIP_INSTALL_SIMPLE_GIT_HOOKS", "file.write /p/.git/hooks/pre-commit @package.json:2", "file.delete /p/.git/hooks/pre-push @package.json:1"}},
		{name: "a file before package.json", call: "simple-git-hooks", files: map[string]string{"p/package.json": `{"simple-git-hooks": {"pre-commit": "a"}}`, "p/.simple-git-hooks.json": `{"pre-push": "b"}`},
			want: []string{"argv git config --local core.hooksPath @.simple-git-hooks.json:1", "environment.read SKIP_INSTALL_SIMPLE_GIT_HOOKS", "file.write /p/.git/hooks/pre-push @.simple-git-hooks.json:1"}},
		{name: "module", call: "simple-git-hooks", files: map[string]string{"p/simple-git-hooks.cjs": "module.exports = {\n  'pre-commit': `npx x`,\n}\n"},
			want: []string{"script /p/simple-git-hooks.cjs by node @simple-git-hooks.cjs:1", "argv git config --local core.hooksPath @simple-git-hooks.cjs:1", "environment.read SKIP_INSTALL_SIMPLE_GIT_HOOKS", "file.write /p/.git/hooks/pre-commit @simple-git-hooks.cjs:2"}},
		{name: "code", call: "simple-git-hooks", files: map[string]string{"p/simple-git-hooks.cjs": "module.exports = require('x')(1)\n"},
			want: []string{"script /p/simple-git-hooks.cjs by node @simple-git-hooks.cjs:1", "argv git config --local core.hooksPath @simple-git-hooks.cjs:1", "environment.read SKIP_INSTALL_SIMPLE_GIT_HOOKS", "unknown the hooks to install are made by code @simple-git-hooks.cjs:1"}},
		{name: "off", call: "simple-git-hooks", env: map[string]string{"SKIP_INSTALL_SIMPLE_GIT_HOOKS": "1"}, files: map[string]string{"p/package.json": `{"simple-git-hooks": {"pre-commit": "a"}}`}, want: []string{"environment.read SKIP_INSTALL_SIMPLE_GIT_HOOKS"}},
	})
}

func TestPreCommit(t *testing.T) {
	local := "repos:\n- repo: local\n  hooks:\n"
	testRuns(t, []runCase{
		{name: "nothing configured", call: "pre-commit run"},
		{name: "local hooks", call: "pre-commit run", files: map[string]string{"p/.pre-commit-config.yaml": local +
			"  - id: a\n    name: A\n    language: system\n    entry: sh -c 'make lint'\n    args: [--x]\n  - {id: b, language: script, entry: tools/b.sh -v}\n  - {id: c, language: pygrep, entry: 'TODO'}\n  - {id: d, language: fail, entry: no}\n  - {id: e, language: docker_image, entry: img:1 run, pass_filenames: false}\n"},
			want: []string{"argv sh -c make lint --x ./${AMBIT_UNKNOWN} @.pre-commit-config.yaml:7", "script /p/tools/b.sh <-v ./${AMBIT_UNKNOWN}> @.pre-commit-config.yaml:9",
				"argv docker run --rm -v /p:/src:rw,Z --workdir /src img:1 run @.pre-commit-config.yaml:12"}},
		{name: "stages", call: "pre-commit run --hook-stage push", files: map[string]string{"p/.pre-commit-config.yaml": "default_stages: [commit]\n" + local +
			"  - {id: a, language: system, entry: a}\n  - {id: b, language: system, entry: b, stages: [pre-push, manual]}\n  - {id: c, language: system, entry: c, stages: [push]}\n"},
			want: []string{"argv b ./${AMBIT_UNKNOWN} @.pre-commit-config.yaml:6", "argv c ./${AMBIT_UNKNOWN} @.pre-commit-config.yaml:7"}},
		{name: "one hook", call: "pre-commit run --all-files b", files: map[string]string{"p/.pre-commit-config.yaml": local + "  - {id: a, language: system, entry: a}\n  - {id: b, language: system, entry: b, always_run: true}\n"}, want: []string{"argv b ./${AMBIT_UNKNOWN} @.pre-commit-config.yaml:5"}},
		{name: "SKIP", call: "pre-commit run", env: map[string]string{"SKIP": "a,x"}, files: map[string]string{"p/.pre-commit-config.yaml": local + "  - {id: a, language: system, entry: a}\n"}},
		{name: "meta", call: "pre-commit run", files: map[string]string{"p/.pre-commit-config.yaml": "repos:\n- repo: meta\n  hooks: [{id: identity}]\n"}},
		{name: "remote that is not here", call: "pre-commit run", files: map[string]string{"p/.pre-commit-config.yaml": "repos:\n- repo: https://git.example/hooks\n  rev: v1.0\n  hooks:\n  - id: fmt\n"},
			want: []string{"argv git fetch --depth=1 https://git.example/hooks v1.0 @.pre-commit-config.yaml:2", "file.write /h/.cache/pre-commit/** @.pre-commit-config.yaml:2", "unknown hook fmt of https://git.example/hooks is not on this machine @.pre-commit-config.yaml:5"}},
		{name: "remote with an environment", call: "pre-commit run", files: map[string]string{"p/.pre-commit-config.yaml": "repos:\n- repo: https://git.example/hooks\n  rev: v1.0\n  hooks:\n  - id: fmt\n    args: [-w]\n  - id: sh\n",
			"h/.cache/pre-commit/repoold/.git/config": "[remote \"origin\"]\n\turl = https://git.example/hooks\n", "h/.cache/pre-commit/repoold/.git/FETCH_HEAD": "0a\t\ttag 'v0.9' of https://git.example/hooks\n",
			"h/.cache/pre-commit/repoabc/.git/config": "[remote \"origin\"]\n\turl = https://git.example/hooks\n", "h/.cache/pre-commit/repoabc/.git/FETCH_HEAD": "0b\t\ttag 'v1.0' of https://git.example/hooks\n",
			"h/.cache/pre-commit/repoabc/.pre-commit-hooks.yaml": "- id: fmt\n  entry: fmt-all\n  language: python\n  args: [--old]\n- {id: sh, entry: run.sh, language: script}\n", "h/.cache/pre-commit/repoabc/py_env-python3.11/bin/fmt-all!": ""},
			want: []string{"argv fmt-all -w ./${AMBIT_UNKNOWN} path /h/.cache/pre-commit/repoabc/py_env-python3.11/bin @/h/.cache/pre-commit/repoabc/.pre-commit-hooks.yaml:2",
				"script /h/.cache/pre-commit/repoabc/run.sh <./${AMBIT_UNKNOWN}> @/h/.cache/pre-commit/repoabc/.pre-commit-hooks.yaml:5"}},
		{name: "local environment", call: "pre-commit run", files: map[string]string{"p/.pre-commit-config.yaml": local + "  - {id: a, language: python, entry: black, additional_dependencies: [black]}\n"},
			want: []string{"argv black ./${AMBIT_UNKNOWN} @.pre-commit-config.yaml:4", "file.write /h/.cache/pre-commit/** @.pre-commit-config.yaml:2", "network.fetch @pypi @.pre-commit-config.yaml:2"}},
		{name: "hook-impl", call: "pre-commit hook-impl --config=.pre-commit-config.yaml --hook-type=commit-msg --hook-dir /p/.git/hooks -- FILE", files: map[string]string{"p/.pre-commit-config.yaml": local + "  - {id: a, language: system, entry: a, stages: [commit-msg]}\n"},
			want: []string{"argv a ./${AMBIT_UNKNOWN} @.pre-commit-config.yaml:4"}},
		{name: "install", call: "pre-commit install -t pre-commit --hook-type=pre-push", files: map[string]string{"p/.git/hooks/pre-push": "#!/bin/sh\n"}, want: []string{"file.write /p/.git/hooks/pre-commit", "file.write /p/.git/hooks/pre-push", "file.write /p/.git/hooks/pre-push.legacy"}},
		{name: "install by default types", call: "pre-commit install", files: map[string]string{"p/.pre-commit-config.yaml": "default_install_hook_types: [commit-msg]\nrepos: []\n"}, want: []string{"file.write /p/.git/hooks/commit-msg"}},
		{name: "an alias bomb", call: "pre-commit run", files: map[string]string{"p/.pre-commit-config.yaml": bomb()}, want: []string{"unknown /p/.pre-commit-config.yaml cannot be @.pre-commit-config.yaml:1"}},
	})
}

// bomb is YAML whose aliases stand for ten to the ninth values.
func bomb() string {
	s := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 9; i++ {
		s += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), i-1)
	}
	return s
}

func TestLintStaged(t *testing.T) {
	git := "file.write /p/.git/**"
	testRuns(t, []runCase{
		{name: "package.json", call: "lint-staged", files: map[string]string{"p/package.json": "{\"lint-staged\": {\n\"*.js\": [\"eslint --fix\", \"prettier --write\"],\n\"*.md\": \"git add\"}}"},
			want: []string{"argv eslint --fix ./${AMBIT_UNKNOWN} path /p/node_modules/.bin @package.json:2", "argv prettier --write ./${AMBIT_UNKNOWN} path /p/node_modules/.bin @package.json:2", "argv git add ./${AMBIT_UNKNOWN} path /p/node_modules/.bin @package.json:3", git}},
		{name: "YAML without an extension", call: "lint-staged", files: map[string]string{"p/package.json": "{}", "p/.lintstagedrc": "'*.py':\n  - black \"a b\"\n"}, want: []string{"argv black a b ./${AMBIT_UNKNOWN} path /p/node_modules/.bin @.lintstagedrc:2", git}},
		{name: "module with a function", call: "lint-staged", files: map[string]string{"p/lint-staged.config.mjs": "import x from 'y'\n/** @type {z} */\nexport default {\n  short,\n  '*.ts': () => 'tsc -p tsconfig.json',\n  '*.{js,jsx}': ['eslint', `prettier`],\n  ...x,\n}\n"},
			want: []string{"script /p/lint-staged.config.mjs by node @lint-staged.config.mjs:1", "argv eslint ./${AMBIT_UNKNOWN} path /p/node_modules/.bin @lint-staged.config.mjs:6", "argv prettier ./${AMBIT_UNKNOWN} path /p/node_modules/.bin @lint-staged.config.mjs:6", git,
				"unknown the command of lint-staged for short is made by code @lint-staged.config.mjs:4", "unknown the command of lint-staged for *.ts is made by code @lint-staged.config.mjs:5", "unknown the command of lint-staged for ... is made by code @lint-staged.config.mjs:7"}},
		{name: "named export", call: "lint-staged", files: map[string]string{"p/.lintstagedrc.cjs": "const config = {\n  '*': 'x'\n};\nmodule.exports = config;\n"}, want: []string{"script /p/.lintstagedrc.cjs by node @.lintstagedrc.cjs:1", "argv x ./${AMBIT_UNKNOWN} path /p/node_modules/.bin @.lintstagedrc.cjs:2", git}},
		{name: "code", call: "lint-staged", files: map[string]string{"p/.lintstagedrc.js": "module.exports = async () => ({})\n"}, want: []string{"script /p/.lintstagedrc.js by node @.lintstagedrc.js:1", git, "unknown the commands of lint-staged are made by code @.lintstagedrc.js:1"}},
		{name: "given file", call: "lint-staged -c conf.json", files: map[string]string{"p/conf.json": `{"*": "y"}`, "p/package.json": `{"lint-staged": {"*": "x"}}`}, want: []string{"argv y ./${AMBIT_UNKNOWN} path /p/node_modules/.bin @conf.json:1", git}},
		{name: "workspaces", call: "lint-staged", files: map[string]string{"p/package.json": `{"workspaces":["packages/*"],"lint-staged":{"*":"top"}}`, "p/packages/a/package.json": `{"lint-staged":{"*":"a"}}`, "p/packages/b/package.json": `{}`},
			want: []string{"argv top ./${AMBIT_UNKNOWN} path /p/node_modules/.bin @package.json:1", "argv a ./${AMBIT_UNKNOWN} in /p/packages/a path /p/packages/a/node_modules/.bin @packages/a/package.json:1", git}},
		{name: "package.json is a list", call: "lint-staged", files: map[string]string{"p/package.json": "[]"}, want: []string{git}},
		{name: "package.json is broken", call: "lint-staged", files: map[string]string{"p/package.json": "{"}, want: []string{git, "unknown /p/package.json cannot be @package.json:1", "unknown /p/package.json cannot be @package.json:1"}},
	})
}

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil}, {"  a  b ", []string{"a", "b"}}, {`a "b c" 'd e'f`, []string{"a", "b c", "d ef"}}, {`a\ b "c\"d" ''`, []string{"a b", `c"d`, ""}}, {`'open x`, []string{"open x"}},
	} {
		if d := cmp.Diff(tt.want, words(tt.text), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%q: %s", tt.text, d)
		}
	}
}

func FuzzLiteral(f *testing.F) {
	for _, s := range []string{`{"a": [1, true, null, "b\u0041"]}`, "module.exports = {a: f(`x${y}`), 'b': \"c\", // d\n}", "export default defineConfig({ ...x, y() { return '}' } })", "const c: T = { k: 'v' }\nexport default c", strings.Repeat("[", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := &workspace.File{Path: "/x.js", Data: []byte(text)}
		for _, read := range []func(*workspace.File, string) (*node, error){parseLiteral, parseModule} {
			n, err := read(file, text)
			if err != nil {
				continue
			}
			if n.line < 1 || n.line > 1+strings.Count(text, "\n") {
				t.Errorf("line %d", n.line)
			}
		}
	})
}
