package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// tempDir is a fresh folder by its real path.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var clean = map[string]string{"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}

func with(env map[string]string) map[string]string {
	all := map[string]string{}
	for k, v := range clean {
		all[k] = v
	}
	for k, v := range env {
		all[k] = v
	}
	return all
}

func open(dir string, env map[string]string, args ...string) *Repo {
	return Open(workspace.New("", workspace.Limits{}), ParseCall(args, dir, "/home/none", with(env)))
}

// TestFind compares the places of the repository with what git itself says.
func TestFind(t *testing.T) {
	root := tempDir(t)
	repo := root + "/repo"
	run := func(dir string, args ...string) { t.Helper(); mustGit(t, dir, clean, args...) }
	run(root, "-c", "init.defaultBranch=main", "init", "-q", "repo")
	run(repo, "commit", "-q", "--allow-empty", "-m", "x")
	run(repo, "worktree", "add", "-q", root+"/wt", "-b", "feature/x")
	run(root, "clone", "-q", "--bare", "repo", "bare.git")
	run(root, "init", "-q", "--separate-git-dir", root+"/apart.git", "apart")
	run(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", root+"/bare.git", "sub/mod")
	write(t, repo+"/deep/er/x", "")
	write(t, repo+"/looks/.git/HEAD", "ref: refs/heads/x\n") // no objects, no refs: not a repository
	if err := os.Symlink(repo+"/deep", root+"/link"); err != nil {
		t.Fatal(err)
	}
	run(root, "init", "-q", "elsewhere")
	run(root+"/elsewhere", "config", "core.worktree", root+"/wt2")
	write(t, root+"/wt2/x", "")
	run(root, "init", "-q", "--object-format=sha256", "sha256")

	for _, tt := range []struct {
		name, dir string
		env       map[string]string
		args      []string
	}{
		{"top", repo, nil, nil}, {"below", repo + "/deep/er", nil, nil}, {"through a link", root + "/link/er", nil, nil}, {"a .git that is none", repo + "/looks", nil, nil},
		{"worktree", root + "/wt", nil, nil}, {"bare", root + "/bare.git", nil, nil}, {"inside bare", root + "/bare.git/refs", nil, nil}, {"inside .git", repo + "/.git", nil, nil},
		{".git file", root + "/apart", nil, nil}, {"submodule", repo + "/sub/mod", nil, nil}, {"core.worktree", root + "/elsewhere", nil, nil}, {"other hash", root + "/sha256", nil, nil},
		{"--git-dir", root, nil, []string{"--git-dir", "repo/.git"}}, {"--git-dir of a .git file", root, nil, []string{"--git-dir=apart/.git"}}, {"--work-tree", root, nil, []string{"--git-dir=repo/.git", "--work-tree=wt2"}},
		{"GIT_DIR", root, map[string]string{"GIT_DIR": root + "/bare.git"}, nil}, {"GIT_WORK_TREE", root, map[string]string{"GIT_DIR": "repo/.git", "GIT_WORK_TREE": "wt2"}, nil},
		{"-C twice", root, nil, []string{"-C", "repo", "-C", "deep"}}, {"ceiling", repo + "/deep", map[string]string{"GIT_CEILING_DIRECTORIES": "/x:" + repo}, nil}, {"ceiling elsewhere", repo + "/deep", map[string]string{"GIT_CEILING_DIRECTORIES": root + "/wt"}, nil},
		{"outside", root, nil, nil}, {"--bare", repo, nil, []string{"--bare"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := open(tt.dir, tt.env, append(tt.args, "status")...)
			say := func(args ...string) string {
				out, err := git(t, tt.dir, with(tt.env), append(append([]string{}, tt.args...), args...)...)
				if err != nil {
					return ""
				}
				return strings.TrimSuffix(out, "\n")
			}
			want := []string{say("rev-parse", "--absolute-git-dir"), say("rev-parse", "--path-format=absolute", "--git-common-dir"), say("rev-parse", "--show-toplevel"), say("symbolic-ref", "--short", "HEAD")}
			if d := cmp.Diff(want, []string{got.GitDir, got.CommonDir, got.WorkTree, got.Branch}); d != "" {
				t.Error("repository, common folder, work tree, branch (-git +ours):", d)
			}
		})
	}
}

// TestRemotes compares addresses with those that git itself makes of them.
func TestRemotes(t *testing.T) {
	dir := tempDir(t)
	mustGit(t, dir, clean, "-c", "init.defaultBranch=main", "init", "-q", ".")
	write(t, dir+"/.git/config", `[core]
	repositoryformatversion = 0
[remote "origin"]
	url = https://git.example/a/b
[remote "two"]
	url = gh:x/y
	url = https://second.example/
[remote "split"]
	url = https://git.example/read
	pushurl = gh:write
[remote "none"]
	fetch = x
[remote "dotted.name"]
	url = dotted
[url "ssh://git@git.example/"]
	pushInsteadOf = https://git.example/
[url "https://github.example/"]
	insteadOf = gh:
[url "https://longer.example/"]
	insteadOf = gh:x/
[branch "topic"]
	remote = two
[branch "fork"]
	remote = origin
	pushRemote = split
`)
	write(t, dir+"/.git/remotes/old", "URL: old.example:path\nPull: refs/heads/x\n")
	write(t, dir+"/.git/branches/older", "https://older.example/r#main\n")
	for _, name := range []string{"origin", "two", "split", "dotted.name", "https://git.example/other", "gh:z", "./local", "git@host.example:p", "nosuch", "old", "older"} {
		rem := open(dir, nil, "fetch").Remote(name)
		want := strings.TrimSuffix(mustGit(t, dir, clean, "ls-remote", "--get-url", name), "\n")
		if rem.Fetch[0].Text != want {
			t.Errorf("%s is fetched from %s, git says %s", name, rem.Fetch[0].Text, want)
		}
		if rem.Name == "" || name == "old" || name == "older" {
			continue
		}
		var fetch, push []string
		for _, u := range rem.Fetch {
			fetch = append(fetch, u.Text)
		}
		for _, u := range rem.Push {
			push = append(push, u.Text)
		}
		lines := func(args ...string) []string {
			return strings.Split(strings.TrimSuffix(mustGit(t, dir, clean, append([]string{"remote", "get-url", "--all"}, args...)...), "\n"), "\n")
		}
		if d := cmp.Diff(lines(name), fetch); d != "" {
			t.Errorf("%s (-git +ours): %s", name, d)
		}
		if d := cmp.Diff(lines("--push", name), push); d != "" {
			t.Errorf("%s for pushing (-git +ours): %s", name, d)
		}
	}
	for branch, want := range map[string][2]string{"main": {"origin", "origin"}, "topic": {"two", "two"}, "fork": {"origin", "split"}} {
		write(t, dir+"/.git/HEAD", "ref: refs/heads/"+branch+"\n")
		r := open(dir, nil, "fetch")
		if got := [2]string{r.DefaultRemote(false), r.DefaultRemote(true)}; got != want {
			t.Errorf("on %s: %v, want %v", branch, got, want)
		}
		url := strings.TrimSuffix(mustGit(t, dir, clean, "ls-remote", "--get-url"), "\n")
		if got := r.Remote(r.DefaultRemote(false)).Fetch[0].Text; got != url {
			t.Errorf("on %s: %s, git says %s", branch, got, url)
		}
	}
	if got := open(dir, nil, "-c", "remote.pushDefault=split", "push").DefaultRemote(true); got != "origin" && got != "split" {
		t.Error(got)
	}
}

// TestSources: an address says where it stands, a rewritten one which line rewrote it.
func TestSources(t *testing.T) {
	dir := tempDir(t)
	mustGit(t, dir, clean, "init", "-q", ".")
	write(t, dir+"/.git/config", "[remote \"origin\"]\n\turl = a:x\n[remote \"b\"]\n\turl = https://b.example\n[url \"https://a.example/\"]\n\tinsteadOf = a:\n")
	r := open(dir, nil, "fetch")
	for name, line := range map[string]int{"origin": 6, "b": 4} {
		if u := r.Remote(name).Fetch[0]; u.From.Line != line || u.From.File != dir+"/.git/config" || len(u.From.SHA256) != 64 {
			t.Errorf("%s is from %+v, want line %d", name, u.From, line)
		}
	}
}

func TestEndpoint(t *testing.T) {
	dir := tempDir(t)
	write(t, dir+"/x.bundle", "")
	write(t, dir+"/repo/HEAD", "")
	r := open(dir, nil, "fetch")
	for address, want := range map[string]Endpoint{
		"https://git.example/a":             {Transport: HTTP, Host: "https://git.example", Path: "/a"},
		"http://u:p@git.example:8080/a.git": {Transport: HTTP, Host: "http://u:p@git.example:8080", Path: "/a.git"},
		"ssh://git@git.example:2222/~/a":    {Transport: SSH, Host: "ssh://git@git.example:2222", Path: "/~/a"},
		"git+ssh://git.example/a":           {Transport: SSH, Host: "ssh://git.example", Path: "/a"},
		"git@git.example:a/b.git":           {Transport: SSH, Host: "ssh://git@git.example", Path: "a/b.git"},
		"git.example:/a":                    {Transport: SSH, Host: "ssh://git.example", Path: "/a"},
		"[git.example:2222]:a":              {Transport: SSH, Host: "ssh://git.example:2222", Path: "a"},
		"[::1]:a":                           {Transport: SSH, Host: "ssh://[::1]", Path: "a"},
		"git://git.example:99/a":            {Transport: GitDaemon, Host: "git://git.example:99", Path: "/a"},
		"file:///srv/a":                     {Transport: LocalPath, Path: "/srv/a"},
		"../a":                              {Transport: LocalPath, Path: filepath.Dir(dir) + "/a"},
		"./a:b":                             {Transport: LocalPath, Path: dir + "/a:b"},
		"/srv/a b":                          {Transport: LocalPath, Path: "/srv/a b"},
		"x.bundle":                          {Transport: Bundle, Path: dir + "/x.bundle"},
		"ext::sh -c whatever":               {Transport: Helper, Helper: "ext", Path: "sh -c whatever"},
		"foo::https://x":                    {Transport: Helper, Helper: "foo", Path: "https://x"},
		"s3://bucket/a":                     {Transport: Helper, Host: "s3://bucket", Path: "/a", Helper: "s3"},
	} {
		if d := cmp.Diff(want, r.Endpoint(address)); d != "" {
			t.Errorf("%s: %s", address, d)
		}
	}
}

func TestExpand(t *testing.T) {
	dir := tempDir(t)
	mustGit(t, dir, clean, "init", "-q", ".")
	write(t, dir+"/.git/config", "[alias]\n\tst = status -s\n\tst2 = st --branch\n\tquoted = \"log '--format=%h %s' a\\\\ b\"\n\tsh = !echo \\\"$1\\\"\n\tviash = sh one\n\tloop = loop2\n\tloop2 = loop\n"+
		"\tcommit = !never\n\topts = -c core.editor=vi commit\n\tUPPER = diff\n\topen = log 'x\n\tempty =\n[alias \"new style\"]\n\tcommand = !echo new\n")
	for _, tt := range []struct {
		args    []string
		ok      bool
		verb    string
		rest    []string
		shell   string
		setting string
		line    int
	}{
		{[]string{"st", "x"}, true, "status", []string{"-s", "x"}, "", "", 2}, {[]string{"st2"}, true, "status", []string{"-s", "--branch"}, "", "", 2}, {[]string{"quoted"}, true, "log", []string{"--format=%h %s", "a b"}, "", "", 4},
		{[]string{"sh", "x", "y"}, true, "", []string{"x", "y"}, `echo "$1"`, "", 5}, {[]string{"viash", "z"}, true, "", []string{"one", "z"}, `echo "$1"`, "", 5},
		{[]string{"loop"}, false, "", nil, "", "", 0}, {[]string{"commit"}, false, "", nil, "", "", 0}, {[]string{"opts", "-m", "x"}, true, "commit", []string{"-m", "x"}, "", "core.editor", 10},
		{[]string{"upper"}, true, "diff", nil, "", "", 11}, {[]string{"open"}, false, "", nil, "", "", 0}, {[]string{"empty"}, false, "", nil, "", "", 0}, {[]string{"nosuch"}, false, "", nil, "", "", 0},
		{[]string{"-c", "alias.x=!cmd", "x"}, true, "", nil, "cmd", "", 0}, {[]string{"new style"}, true, "", nil, "echo new", "", 15},
	} {
		x, ok := open(dir, nil, tt.args...).Expand()
		if ok != tt.ok {
			t.Errorf("%v is an alias: %v", tt.args, ok)
			continue
		}
		if !ok {
			continue
		}
		rest := x.Args
		if x.Shell == "" {
			rest = x.Call.Args
		}
		if x.Call.Verb != tt.verb || x.Shell != tt.shell || x.From.Line != tt.line || cmp.Diff(tt.rest, rest, cmpopts.EquateEmpty()) != "" {
			t.Errorf("%v is %q %q shell %q, line %d", tt.args, x.Call.Verb, rest, x.Shell, x.From.Line)
		}
		if tt.setting != "" && (len(x.Call.Config) != 1 || x.Call.Config[0].Key != tt.setting) {
			t.Errorf("%v sets %v", tt.args, x.Call.Config)
		}
	}
}

// TestDrivers reads attributes of every place, also those that only the index names, in each version of its format.
func TestDrivers(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		for _, format := range []string{"sha1", "sha256"} {
			t.Run(version+" "+format, func(t *testing.T) {
				dir, home := tempDir(t), tempDir(t)
				mustGit(t, dir, clean, "init", "-q", "--object-format="+format, ".")
				write(t, dir+"/.gitattributes", "# c\n*.psd filter=lfs diff=lfs merge=lfs -text\n\"a b\" filter=quoted\n[attr]mac filter=macro\n*.x !filter -filter filter\n")
				write(t, dir+"/a/deep/folder/.gitattributes", "x diff=deep\n")
				for _, n := range []string{"a/1", "a/deep/2", "a/deep/folder/3", "b/4", "é"} {
					write(t, dir+"/"+n, "x")
				}
				mustGit(t, dir, clean, "add", "-A")
				if version == "3" { // an extended flag makes it so
					mustGit(t, dir, clean, "update-index", "--skip-worktree", "a/1")
				} else {
					mustGit(t, dir, clean, "update-index", "--index-version", version)
				}
				write(t, dir+"/.git/info/attributes", "y merge=info\n")
				write(t, home+"/.config/git/attributes", "z diff=home\n")
				r := Open(workspace.New("", workspace.Limits{}), ParseCall([]string{"diff"}, dir, home, clean))
				for attribute, want := range map[string]string{"filter": "lfs macro quoted", "diff": "deep home lfs", "merge": "info lfs"} {
					var got []string
					for name, from := range r.Drivers(attribute) {
						if from.Line < 1 || from.File == "" {
							t.Errorf("%s=%s is from %+v", attribute, name, from)
						}
						got = append(got, name)
					}
					if d := cmp.Diff(strings.Fields(want), got, cmpopts.SortSlices(strings.Compare)); d != "" {
						t.Errorf("%s: %s", attribute, d)
					}
				}
			})
		}
	}
}

func TestHostileIndex(t *testing.T) {
	dir := tempDir(t)
	mustGit(t, dir, clean, "init", "-q", ".")
	for _, text := range []string{"", "DIRC", "DIRC\x00\x00\x00\x02\xff\xff\xff\xff", "DIRC\x00\x00\x00\x04\x00\x00\x00\x02" + strings.Repeat("\xff", 200), "DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + strings.Repeat("a", 62), strings.Repeat("DIRC", 100)} {
		write(t, dir+"/.git/index", text)
		if d := open(dir, nil, "diff").Drivers("filter"); len(d) != 0 {
			t.Errorf("%.20q: %v", text, d)
		}
	}
}

func TestSubmodules(t *testing.T) {
	dir := tempDir(t)
	mustGit(t, dir, clean, "init", "-q", ".")
	write(t, dir+"/.gitmodules", "[submodule \"a\"]\n\tpath = sub/a\n\turl = ../a.git\n[submodule \"b\"]\n\tpath = b\n\turl = https://b.example/x\n[submodule \"c\"]\n\tpath = c\n\turl = ../../up/c\n")
	write(t, dir+"/.git/config", "[remote \"origin\"]\n\turl = git@git.example:team/top.git\n[submodule \"b\"]\n\turl = https://mirror.example/b\n")
	var got []string
	for _, m := range Submodules(open(dir, nil, "submodule", "update")) {
		got = append(got, m.Path+" "+m.URL.Text)
	}
	if d := cmp.Diff([]string{"sub/a git@git.example:team/a.git", "b https://mirror.example/b", "c git@git.example:up/c"}, got); d != "" {
		t.Error(d)
	}
}
