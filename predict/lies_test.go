package predict_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/predict"
)

// missing gives the classes of a list that are neither in the plan nor in what its unknowns could have.
func missing(p *predict.Prediction, want string) []string {
	has := map[string]bool{}
	for _, e := range p.Effects {
		has[e.Class.String()] = true
	}
	for _, u := range p.Unknowns {
		for _, c := range u.Could {
			has[c.String()] = true
		}
	}
	var out []string
	for _, c := range strings.Fields(want) {
		if !has[c] {
			out = append(out, c)
		}
	}
	return out
}

// work is a folder in which nothing uses the network: whatever does, an earlier part of the same command has brought there.
func work() map[string]string {
	return map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n\tbare = false\n", ".git/objects/x": "", ".git/refs/x": "",
		"a.sh*": "#!/bin/sh\necho ok\n", "a.js": "console.log(1)\n", "a.py": "print(1)\n", "evil": "curl http://host.example/\n",
		"Makefile": "all:\n\techo hi\n", "package.json": `{"name":"a","version":"1.0.0","scripts":{"x":"echo x"}}`,
	}
}

// TestChangedBeforeUse: what an action has written, fetched or deleted is not what stood on the disk, whatever wrote it and
// whatever runs it.
func TestChangedBeforeUse(t *testing.T) {
	dir := tree(t, work())
	for _, write := range []string{
		"cat evil > a.sh", "cat evil >> a.sh", "cat evil | tee a.sh", "cp evil a.sh", "mv evil a.sh", "ln -sf evil a.sh", "sed -i s/ok/x/ a.sh",
		"{ cat evil; } > a.sh", "(cd . && cat evil > a.sh)", "f() { cat evil > a.sh; }; f", "exec 3> a.sh", "sh -c 'cat evil > a.sh'",
		`python3 -c "open('a.sh','w').write('x')"`, `node -e "require('fs').writeFileSync('a.sh','x')"`, "dd of=a.sh if=evil", "tar xf x.tar",
		"git pull", "git checkout other", "git stash pop", "curl -so a.sh http://127.0.0.1/", `cat evil > "$UNSEEN"`, "cat evil > a.sh &",
	} {
		for _, use := range []string{"sh a.sh", "./a.sh", "bash < a.sh", "cat a.sh | sh", ". ./a.sh", `eval "$(cat a.sh)"`, "ls | xargs sh a.sh"} {
			command := write + "\n" + use
			if m := missing(plan(t, dir, command), "network environment"); len(m) > 0 {
				t.Errorf("%q: %v neither planned nor among what could be", command, m)
			}
		}
	}
	for _, command := range []string{
		"cp evil Makefile && make", "git pull && make", "sed -i s/x/y/ package.json && npm run x", "npm pkg set scripts.x=y && npm run x",
		"echo script-shell=./evil > .npmrc && npm run x", "git checkout other -- package.json && npm run x", "cp evil a.js && node a.js",
		"cp evil b.js; node -e \"require('./b')\"", "cp evil a.py; python3 -m a", "cp evil a.py; python3 -c 'import a'",
		"cp evil .git/hooks/pre-commit; git commit -m x", "git config core.hooksPath h; git commit -m x", "git config alias.x y; git x",
		"git remote add x 'ext::sh evil' && git -c protocol.ext.allow=always fetch x", "git remote add x https://host.example/x && git fetch x", "mkdir bin; cp evil bin/ls; PATH=./bin:$PATH ls", "cat evil > ~/.bashrc; bash -ic ls",
		"cat evil > ~/.profile; bash -lc ls", "while read l; do sh a.sh; cat evil > a.sh; done", "for i in 1 2; do sh a.sh; cat evil > a.sh; done",
		"trap 'sh a.sh' EXIT; cat evil > a.sh", "f() { sh a.sh; }; cat evil > a.sh; f", "cat evil > s; while read l; do $l; done < s",
		"cat evil > s; mapfile -t a < s; ${a[0]}", "cat evil > x.sed; sed -f x.sed a.sh", "cat evil > x.awk; awk -f x.awk a.sh",
		"rm Makefile; cat evil > GNUmakefile; make", `for i in $(sort names); do cat evil > a.$i; done; sh a.sh`,
	} {
		if m := missing(plan(t, dir, command), "network"); len(m) > 0 {
			t.Errorf("%q: %v neither planned nor among what could be", command, m)
		}
	}
}

// TestLies: commands whose run has an effect that the plan must have, or admit to.
func TestLies(t *testing.T) {
	const site = "curl http://host.example/\n"
	for _, c := range []struct {
		command string
		files   map[string]string
		want    string
	}{
		{"shopt -s expand_aliases\nalias ls='curl http://host.example'\nls", nil, "network"},
		{"trap -- 'curl http://host.example' ERR; false", nil, "network"},
		{"sh -s host.example <<< 'curl $1'", nil, "network"},
		{"f() { \"$@\"; f curl http://host.example; }; f ls", nil, "network"},
		{"if test -e x; then f() { curl http://host.example; }; else f() { ls; }; fi; f", nil, "network"},
		{"if test -e x; then f() { ls; }; else f() { curl http://host.example; }; fi; f", nil, "network"},
		{"rsync a h:b", nil, "network"},
		{"scp a h:b", nil, "network"},
		{"sed -f s a", map[string]string{"s": "1e curl http://host.example\n"}, "network"},
		{"PYTHONPATH=lib python3 -c 'print(1)'", map[string]string{"lib/sitecustomize.py": "import urllib.request\nurllib.request.urlopen('http://host.example')\n"}, "network"},
		{"ZDOTDIR=z zsh -c ls", map[string]string{"z/.zshenv": site}, "network"},
		{"let 'y[$(curl http://host.example)]=1'", nil, "network"},
		{"x='a[$(curl http://host.example)]'; ((x))", nil, "network"},
		{"x='a[$(curl http://host.example)]'; [[ $x -eq 1 ]]", nil, "network"},
		{"x='a[$(curl http://host.example)]'; test -v \"$x\"", nil, "network"},
		{"PS4='$(curl http://host.example)'; set -x; ls", nil, "network"},
		{"PS4='$(curl http://host.example)' bash -xc ls", nil, "network"},
		{"PROMPT_COMMAND='curl http://host.example' bash -i", nil, "network"},
		{"hash -p ./evil ls; ls", map[string]string{"evil*": "#!/bin/sh\n" + site}, "network"},
		{"compgen -C 'curl http://host.example'", nil, "network"},
		{"mapfile -C 'curl http://host.example' -c 1 a < a", nil, "network"},
		{"env 'BASH_FUNC_ls%%=() { x; }' bash -c ls", nil, "network"},
		{"GOFLAGS=-toolexec=./evil go build", map[string]string{"go.mod": "module x\n", "evil*": "#!/bin/sh\n" + site}, "network"},
		{"CC=./evil make", map[string]string{"evil*": "#!/bin/sh\n" + site}, "network"},
		{"JAVA_TOOL_OPTIONS=-javaagent:x.jar java -version", nil, "network"},
		{"DOCKER_HOST=tcp://host.example:2375 docker ps", nil, "network container"},
		{"HOME=. git status", map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "", ".git/refs/x": "", ".gitconfig": "[core]\nfsmonitor=curl http://host.example\n"}, "network"},
		{"gawk -i ./x.awk 1", map[string]string{"x.awk": "BEGIN{system(\"curl http://host.example\")}"}, "network"},
		{"printf '!curl http://host.example\\n' | ex a", nil, "network"},
		{"tclsh <<< 'exec curl http://host.example'", nil, "network"},
		{"dc -e '!curl http://host.example'", nil, "network"},
		{"m4 a", nil, "network"},
		{"node --test", map[string]string{"a.test.js": "require('http').get('http://host.example')"}, "network"},
		{"docker build -o /srv/out .", map[string]string{"Dockerfile": "FROM x\n"}, "container file"},
		{"docker build --output type=local,dest=out .", map[string]string{"Dockerfile": "FROM x\n"}, "container file"},
		{"make", map[string]string{"Makefile": ".SHELLFLAGS=-c \"curl http://host.example\" --\nall:\n\techo hi\n"}, "network"},
		{"git x", map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "", ".git/refs/x": "", ".git/config": "[alias]\nx = -c core.fsmonitor='curl http://host.example' status\n"}, "network"},
		{"stylelint a", map[string]string{"stylelint.config.js": "require('http').get('http://host.example')"}, "network"},
		{"nc -U /var/run/docker.sock", nil, "container"},
		{"node a.js", map[string]string{"a.js": "process.binding('spawn_sync').spawn({})"}, "network"},
		{"node a.js", map[string]string{"a.js": "process.dlopen({exports:{}}, './x.node')"}, "network"},
		{"python3 a.py", map[string]string{"a.py": "import timeit\ntimeit.timeit('import os; os.system(\"x\")')\n"}, "network"},
		{"python3 a.py", map[string]string{"a.py": "import yaml\nyaml.unsafe_load(open('a'))\n"}, "network"},
		{"ENV=e sh -ic ls", map[string]string{"e": site}, "network"},
	} {
		files := map[string]string{"a": "text\n"}
		maps.Copy(files, c.files)
		if m := missing(plan(t, tree(t, files), c.command), c.want); len(m) > 0 {
			t.Errorf("%q: %v neither planned nor among what could be", c.command, slices.Sorted(slices.Values(m)))
		}
	}
}

// TestCombinations: variables with alternatives, and workflows that call themselves, cost a bounded amount and the plan is the
// same each time.
func TestCombinations(t *testing.T) {
	dir := tree(t, map[string]string{
		"Makefile":     "all:\n\t$(MAKE) all\n\techo > Makefile; make x\nx:\n\tmake all\n",
		"package.json": `{"scripts":{"a":"npm run b; npm run b","b":"npm run a; echo > package.json; npm run a"}}`,
	})
	var set, use strings.Builder
	for _, v := range strings.Split("abcdefghijklmnopqrst", "") {
		set.WriteString("if test -e x; then " + v + "=ls; else " + v + "=curl; fi\n")
		use.WriteString(" $" + v)
	}
	for _, command := range []string{set.String() + "echo" + use.String(), "make", "npm run a"} {
		p := plan(t, dir, command)
		for _, u := range p.Unknowns {
			if u.From.Rule == "limit/steps" || u.From.Rule == "limit/depth" {
				t.Errorf("%.20q: %s", command, u.Why)
			}
		}
	}
	p := plan(t, dir, set.String()+"$a $b $c $d $e $f $g $h http://host.example")
	if m := missing(p, "network"); len(m) > 0 {
		t.Errorf("a program out of many: %v neither planned nor among what could be", m)
	}
}
