package githooks

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ambit-dev/ambit/predict/internal/gitrepo"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// tools are programs that settings name. Each logs its name; what it does besides is what git expects of it.
var tools = map[string]string{
	"clean": "cat", "smudge": "cat", "textconv": `cat "$1"`, "difftool": "exit 0", "external": "exit 0", "driver": "exit 0", "editor": "exit 0", "sequence": "exit 0",
	"pager": "cat >/dev/null", "trailer": "echo x", "tar": "cat", "hunks": "cat", "tool": "exit 0", "configured": "exit 0", "update": "exit 0", "ssh": "exit 1", "proxy": "exit 1", "recent": "exit 0",
	"gpg": `echo "[GNUPG:] SIG_CREATED " >&2; echo "-----BEGIN PGP SIGNATURE-----"; echo; echo "-----END PGP SIGNATURE-----"`, "upload": "exit 1", "receive": "exit 1", "step": "exit 0", "strategy": "exit 0", "each": "exit 0",
}

// toolWorld is a copy of the pattern without hooks, with a program for every setting.
func toolWorld(t *testing.T, first *world) *world {
	w := first.copy(t)
	delete(w.env, "GIT_EDITOR")
	w.env["TERM"] = "dumb"
	for name, body := range tools {
		w.file("tools/"+name, "#!/bin/sh\necho "+name+" >> \"$LOG\"\n"+body+"\n")
		if err := os.Chmod(w.root+"/tools/"+name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.file("r/.git/config", strings.NewReplacer("@", w.root+"/tools/").Replace(`[core]
	repositoryformatversion = 0
	hooksPath = /dev/null
	editor = @editor
	pager = @pager
	sshCommand = @ssh
	gitProxy = @proxy for git.invalid
[sequence]
	editor = @sequence
[filter "f"]
	clean = @clean %f
	smudge = @smudge %f
[filter "unused"]
	clean = never
[diff "d"]
	textconv = @textconv
[diff "e"]
	command = @difftool
[diff]
	tool = mine
[difftool "mine"]
	cmd = @tool
[difftool]
	prompt = false
[merge "m"]
	driver = @driver %O %A %B
[interactive]
	diffFilter = @hunks
[gpg]
	program = @gpg
[user]
	signingKey = k
[trailer "t"]
	key = T
	cmd = @trailer
[tar "tt"]
	command = @tar
[gc]
	recentObjectsHook = @recent
[remote "origin"]
	url = ../b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[remote "ssh"]
	url = git@git.invalid:a
[remote "git"]
	url = git://git.invalid/a
[remote "local"]
	url = ../b.git
	uploadpack = @upload
	receivepack = @receive
[alias]
	run = !@each
[branch "main"]
	remote = origin
	merge = refs/heads/main
`))
	w.file("r/.gitattributes", "*.f filter=f\n*.d diff=d\n*.e diff=e\na merge=m\n")
	for _, n := range []string{"x.f", "x.d", "x.e"} {
		w.file("r/"+n, "one\n")
	}
	w.git("add", "-A")
	w.git("commit", "-qm", "tools")
	for _, n := range []string{"x.f", "x.d", "x.e"} {
		w.file("r/"+n, "two two\n")
	}
	return w
}

var toolName = regexp.MustCompile(`/tools/([a-z]+)`)

// toolNames are the programs of tools that some jobs name.
func toolNames(res source.Result) []string {
	var names []string
	for _, j := range res.Jobs {
		for _, m := range toolName.FindAllStringSubmatch(j.Shell+" "+strings.Join(j.Argv, " "), 1) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestProgramsOfVerbs runs each command in a real repository whose settings name a program for everything, and compares those
// that ran with those predicted. Extra names what is predicted and does not run here: pagers want a terminal.
func TestProgramsOfVerbs(t *testing.T) {
	first := pattern(t)
	stop := func(w *world) { // a.side and main differ in a
		w.git("stash", "-q")
		w.git("checkout", "-q", "side")
		w.file("r/a", "side\n")
		w.git("commit", "-qam", "side of a", "--no-verify")
		w.git("checkout", "-q", "main")
		w.file("r/a", "main\n")
		w.git("commit", "-qam", "main of a")
	}
	tests := []struct {
		command string
		prepare func(*world)
		extra   string
	}{
		{"add x.f", nil, ""},
		{"add x.d", nil, "clean"},
		{"commit -qam m", nil, ""},
		{"commit -qa", nil, ""},
		{"commit -q -m m --trailer T:y", func(w *world) { w.git("add", "-A") }, "clean"},
		{"commit -qS -am m", nil, ""},
		{"commit -qam m --gpg-sign", nil, ""},
		{"-c commit.gpgSign=true commit -qam m", nil, ""},
		{"-c commit.gpgSign=true commit -qam m --no-gpg-sign", nil, ""},
		{"commit -qa --amend --no-edit", nil, ""},
		{"commit -qa --amend", nil, ""},
		{"commit -qa -F a", nil, ""},
		{"commit -qa -C HEAD", nil, ""},
		{"commit -qa -c HEAD", nil, ""},
		{"commit -qea -m x", nil, ""},
		{"status", nil, "clean"},
		{"diff", nil, "pager"},
		{"diff --stat", nil, "pager"},
		{"diff --no-ext-diff", nil, "pager"},
		{"diff --no-textconv", nil, "pager"},
		{"-c diff.external=false diff --no-textconv", nil, "pager difftool"},
		{"log -p", nil, "pager"},
		{"log", nil, "pager"},
		{"show", nil, "pager textconv"},
		{"--paginate log", nil, "pager"},
		{"-c pager.log=false log -1", nil, ""},
		{"difftool -y", nil, "clean difftool pager textconv"},
		{"checkout -q x.f", nil, "clean driver"},
		{"restore x.f", nil, "clean driver"},
		{"reset -q --hard", nil, "clean"},
		{"stash", nil, "driver"},
		{"archive --format=tt HEAD -o /dev/null", nil, "smudge"},
		{"archive -o ../out.tt HEAD", nil, ""},
		{"archive -o ../out.tar HEAD", nil, ""},
		{"interpret-trailers a", nil, "trailer"},
		{"tag -a t -m x", nil, "pager"},
		{"tag -a t", nil, "pager"},
		{"tag -s t -m x", nil, "pager"},
		{"tag t", nil, "pager"},
		{"merge -q side --no-edit", stop, "clean smudge"},
		{"merge -q side", stop, "clean smudge editor"}, // no terminal: no editor
		{"rebase -q side", stop, "clean smudge"},
		{"rebase -q -i HEAD~1", stop, "clean smudge driver editor"},
		{"rebase -q HEAD~1 -x @step", stop, "clean smudge driver"},
		{"rebase -q HEAD~1 --exec=@step", stop, "clean smudge driver"},
		{"cherry-pick side", stop, "clean smudge"},
		{"revert HEAD", func(w *world) { w.git("stash", "-q") }, "clean driver smudge editor"},
		{"revert --no-edit HEAD", func(w *world) { w.git("stash", "-q") }, "clean driver smudge"},
		{"fetch -q ssh", nil, ""},
		{"push -q ssh main", nil, ""},
		{"ls-remote ssh", nil, ""},
		{"ls-remote git@git.invalid:b", nil, ""},
		{"fetch -q git", nil, ""},
		{"fetch -q origin", nil, ""},
		{"fetch -q local", nil, ""},
		{"push -q local main:x", nil, ""},
		{"fetch -q --upload-pack=@upload origin", nil, ""},
		{"push -q --receive-pack=@receive origin main:x", nil, ""},
		{"-c core.sshCommand=false fetch -q ssh", nil, ""},
		{"clone -q git@git.invalid:a ../c", nil, ""}, // run inside of a repository: its settings do not count
		{"run x", nil, ""},
		{"gc -q", nil, "recent"},
		{"notes add", nil, ""},
		{"notes add -m x", nil, ""},
		{"config -e", nil, "pager"},
		{"bisect run @step", func(w *world) { w.git("stash", "-q"); w.git("bisect", "start", "HEAD", "HEAD~2") }, "clean smudge"},
		{"ls-remote 'ext::@each x'", nil, ""},
		{"-c protocol.ext.allow=always ls-remote 'ext::@each x'", nil, ""},
		{"blame x.d", nil, "clean pager"},
		{"cat-file --textconv HEAD:x.d", nil, "smudge"},
		{"worktree add -q ../wt side", nil, "clean smudge"},
		{"hash-object x.f", nil, ""},
		{"cat-file --filters HEAD:x.f", nil, "textconv"},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			t.Parallel()
			w := toolWorld(t, first)
			if tt.prepare != nil {
				tt.prepare(w)
			}
			args := splitCommand(strings.ReplaceAll(tt.command, "@step", w.root+"/tools/step"))
			for i, a := range args {
				for _, n := range []string{"upload", "receive", "each"} {
					a = strings.ReplaceAll(a, "@"+n, w.root+"/tools/"+n)
				}
				args[i] = a
			}
			extra := func(n string) bool { return slices.Contains(strings.Fields(tt.extra), n) }
			res := Plan(workspace.New("", workspace.Limits{}), w.call(args))
			got := slices.DeleteFunc(toolNames(res), extra)
			want := slices.DeleteFunc(w.observed(args), extra)
			if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
				t.Error("programs (-ran +predicted):", d)
			}
			for _, j := range res.Jobs {
				if j.From.Rule == "" || j.Dir == "" || !filepath.IsAbs(j.Dir) {
					t.Errorf("job %+v has no rule or no folder", j)
				}
			}
		})
	}
}

// TestContacts: hosts, paths and credential helpers of remotes, without a repository on the other side.
func TestContacts(t *testing.T) {
	config := "[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = https://git.example/a\n[remote \"p\"]\n\turl = https://git.example/a\n\tproxy = proxy.example:3128\n[remote \"s\"]\n\turl = ssh://git@git.example:2222/a\n" +
		"[remote \"two\"]\n\turl = https://one.example/\n\tpushurl = https://push.example/\n\tpushurl = ../local.git\n[remote \"v\"]\n\tvcs = hg\n\turl = https://hg.example/r\n[remotes]\n\tboth = origin two\n" +
		"[credential]\n\thelper = store\n[credential \"https://push.example\"]\n\thelper = \"!f() { cat ~/token; }; f\"\n\thelper = /opt/helper --x\n[credential \"https://other.example\"]\n\thelper = never\n"
	for _, tt := range []struct {
		command string
		want    []string
	}{
		{"fetch", []string{"network.fetch https://git.example", "shell git credential-store get"}},
		{"push", []string{"network.send https://git.example", "shell git credential-store get"}},
		{"fetch p", []string{"network.fetch https://git.example", "network.send http://proxy.example:3128", "shell git credential-store get"}},
		{"pull s", []string{"network.fetch ssh://git@git.example:2222", "argv ssh -p 2222 git@git.example git-upload-pack '/a'"}},
		{"push s", []string{"network.send ssh://git@git.example:2222", "argv ssh -p 2222 git@git.example git-receive-pack '/a'"}},
		{"push two", []string{"network.send https://push.example", "file.write /w/local.git", "shell git credential-store get", "shell f() { cat ~/token; }; f get", "shell /opt/helper --x get"}},
		{"fetch both", []string{"network.fetch https://git.example", "network.fetch https://one.example", "shell git credential-store get", "shell git credential-store get"}},
		{"fetch v", []string{"argv git-remote-hg v https://hg.example/r"}},
		{"-c filter.f.smudge=melt -c credential.helper=mine clone https://c.example/x", []string{"network.fetch https://c.example", "shell git credential-mine get"}},
		{"clone https://c.example/x", []string{"network.fetch https://c.example"}},
		{"clone -b main --depth 1 git@c.example:x d", []string{"network.fetch ssh://git@c.example", "argv ssh git@c.example git-upload-pack 'x'"}},
		{"ls-remote https://c.example/x HEAD", []string{"network.fetch https://c.example", "shell git credential-store get"}},
		{"remote update", []string{"network.fetch https://git.example", "network.fetch https://one.example", "network.fetch ssh://git@git.example:2222"}},
		{"remote -v", nil}, {"remote get-url origin", nil}, {"remote add x https://x.example", nil}, {"remote add -f x https://x.example", []string{"network.fetch https://x.example", "shell git credential-store get"}},
		{"status", nil}, {"commit -m x", nil}, {"archive --remote=origin HEAD", []string{"network.fetch https://git.example", "shell git credential-store get"}},
		{"push ${AMBIT_UNKNOWN}", []string{"unknown"}}, {"fetch --all", nil},
	} {
		root := t.TempDir()
		for name, text := range map[string]string{"w/r/.git/config": config, "w/r/.git/HEAD": "ref: refs/heads/main\n", "w/r/.git/objects/x": "", "w/r/.git/refs/x": ""} {
			(&world{t: t, root: root}).file(name, text)
		}
		r := gitrepo.Open(workspace.New(root, workspace.Limits{}), gitrepo.ParseCall(strings.Fields(tt.command), "/w/r", "/h", nil))
		res := Contacts(r)
		var got []string
		for _, c := range res.Claims {
			got = append(got, c.Class.String()+"."+c.Access.String()+" "+c.Target)
		}
		for _, j := range res.Jobs {
			if j.Shell != "" {
				got = append(got, "shell "+j.Shell)
			} else {
				got = append(got, "argv "+strings.Join(j.Argv, " "))
			}
		}
		for range res.Unknowns {
			got = append(got, "unknown")
		}
		if tt.command == "fetch --all" || tt.command == "remote update" { // each remote once, the same address once
			hosts := map[string]int{}
			for _, g := range got {
				hosts[g]++
			}
			for _, h := range []string{"network.fetch https://git.example", "network.fetch https://one.example", "network.fetch ssh://git@git.example:2222"} {
				if hosts[h] != 1 {
					t.Errorf("%s: %s %d times", tt.command, h, hosts[h])
				}
			}
			continue
		}
		if d := cmp.Diff(tt.want, got, cmpopts.EquateEmpty(), cmpopts.SortSlices(strings.Compare)); d != "" {
			t.Errorf("%s (-want +got): %s", tt.command, d)
		}
	}
}

// TestConfiguredHooks: hooks that settings define (git 2.54), which the git of this machine may not know yet.
func TestConfiguredHooks(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"w/r/.git/HEAD": "ref: refs/heads/main\n", "w/r/.git/objects/x": "", "w/r/.git/refs/x": "",
		"w/r/.git/config": "[hook \"a\"]\n\tcommand = lint --x\n\tevent = pre-commit\n\tevent = pre-push\n[hook \"b\"]\n\tevent = pre-commit\n\tcommand = first\n\tcommand = second\n[hook \"off\"]\n\tevent = pre-commit\n\tcommand = off\n\tenabled = false\n" +
			"[hook \"nothing\"]\n\tevent = pre-commit\n[hook \"reset\"]\n\tevent = pre-commit\n\tevent =\n\tcommand = reset\n[hook \"commit-msg\"]\n\tenabled = false\n[hook \"m\"]\n\tevent = commit-msg\n\tcommand = m\n"} {
		(&world{t: t, root: root}).file(name, text)
	}
	var got []string
	for _, j := range Plan(workspace.New(root, workspace.Limits{}), gitrepo.ParseCall([]string{"commit", "-m", "x"}, "/w/r", "/h", nil)).Jobs {
		got = append(got, j.Label+": "+j.Shell)
	}
	if d := cmp.Diff([]string{"pre-commit hook: lint --x", "pre-commit hook: second"}, got); d != "" {
		t.Error(d)
	}
}
