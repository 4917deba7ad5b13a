package gitrepo

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
	"github.com/google/go-cmp/cmp"
)

// git runs the real git in a folder with no settings but those of the test.
func git(t *testing.T, dir string, env map[string]string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "HOME=" + t.TempDir()}
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.Output()
	return string(out), err
}

func mustGit(t *testing.T, dir string, env map[string]string, args ...string) string {
	t.Helper()
	out, err := git(t, dir, env, args...)
	if err != nil {
		t.Fatalf("git %s: %v; these tests compare with git, install it", strings.Join(args, " "), err)
	}
	return out
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// pairs is what "git config --list -z" prints for settings, one string each.
func pairs(entries []Entry) []string {
	out := []string{}
	for _, e := range entries {
		s := e.Key
		if e.HasValue {
			s += "\n" + e.Value
		}
		out = append(out, s)
	}
	return out
}

func splitZ(s string) []string {
	s = strings.TrimSuffix(s, "\x00")
	if s == "" {
		return []string{}
	}
	return strings.Split(s, "\x00")
}

// syntax holds files of git-config(1)'s syntax with what they mean; nil means that git refuses the file.
var syntax = []struct {
	name, text string
	want       []string
}{
	{"empty", "", []string{}},
	{"plain", "[core]\n\tbare = false\n", []string{"core.bare\nfalse"}},
	{"no value is true", "[a]\nb\n", []string{"a.b"}},
	{"empty value", "[a]\nb =\n", []string{"a.b\n"}},
	{"same line as header", "[a] b = c\n", []string{"a.b\nc"}},
	{"case folds but subsections keep it", "[Remote \"Up\"]\nURL=x\n", []string{"remote.Up.url\nx"}},
	{"old subsection folds", "[Remote.Up]\nURL=x\n", []string{"remote.up.url\nx"}},
	{"dots and blanks in subsection", "[url \"https://a.b/c d\"]\ninsteadOf=x\n", []string{"url.https://a.b/c d.insteadof\nx"}},
	{"escapes in subsection", "[a \"q\\\"b\\\\c\\d\"]\nk=v\n", []string{"a.q\"b\\cd.k\nv"}},
	{"trailing blanks and comment", "[a]\nb = c d \t # e\n", []string{"a.b\nc d"}},
	{"quotes keep", "[a]\nb = \" c # d ; \"\n", []string{"a.b\n c # d ; "}},
	{"quotes inside", "[a]\nb = x\"  y  \"z\n", []string{"a.b\nx  y  z"}},
	{"escapes", "[a]\nb = \\\"q\\\" \\\\ \\t \\n!\n", []string{"a.b\n\"q\" \\ \t \n!"}},
	{"continuation", "[a]\nb = one\\\n  two\nc=d\n", []string{"a.b\none  two", "a.c\nd"}},
	{"continuation in a comment is none", "[a]\nb = one # x \\\nc=d\n", []string{"a.b\none", "a.c\nd"}},
	{"carriage returns", "[a]\r\nb = c\r\n", []string{"a.b\nc"}},
	{"byte order mark", "\ufeff[a]\nb=c\n", []string{"a.b\nc"}},
	{"no line feed at the end", "[a]\nb=c", []string{"a.b\nc"}},
	{"semicolon comment", "; x\n[a] ; y\n;z\nb=c\n", []string{"a.b\nc"}},
	{"repeated", "[a]\nb=1\n[c]\nd=2\n[a]\nb=3\n", []string{"a.b\n1", "c.d\n2", "a.b\n3"}},
	{"digits and dashes in names", "[a-b.c]\nd-1=x\n", []string{"a-b.c.d-1\nx"}},
	{"shell alias", "[alias]\nx = !sh -c 'echo \\\"$1\\\"' -\n", []string{"alias.x\n!sh -c 'echo \"$1\"' -"}},
	{"blank in name", "[a]\nb c = d\n", nil},
	{"open quote", "[a]\nb = \"c\n", nil},
	{"bad escape", "[a]\nb = \\q\n", nil},
	{"no section is taken", "b = c\n", []string{"b\nc"}},
	{"open header", "[a\nb=c\n", nil},
	{"open subsection", "[a \"b\nc=d\n", nil},
	{"underscore in name", "[a]\nb_c = d\n", nil},
	{"digit first", "[a]\n1b = d\n", nil},
	{"NUL", "[a]\nb = c\n\x00\n", nil},
}

func TestSyntax(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range syntax {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseConfig(tt.text)
			if (err != nil) != (tt.want == nil) {
				t.Fatalf("error %v, want one: %v", err, tt.want == nil)
			}
			if err == nil {
				if d := cmp.Diff(tt.want, pairs(got)); d != "" {
					t.Error("meaning (-want +got):", d)
				}
			}
			name := filepath.Join(dir, "config")
			write(t, name, tt.text)
			out, err := git(t, dir, nil, "config", "-z", "--list", "--file", name)
			if (err != nil) != (tt.want == nil) {
				t.Fatalf("git says %v; the table is wrong", err)
			}
			if err == nil {
				if d := cmp.Diff(splitZ(out), tt.want); d != "" {
					t.Error("git reads it otherwise (-git +table):", d)
				}
			}
		})
	}
}

func TestLinesAreKept(t *testing.T) {
	got, err := parseConfig("# x\n[a]\n  b = one\\\n two\n\n  c = d\n[e] f = g\n")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for _, e := range got {
		lines[e.Key] = e.From.Line
	}
	if d := cmp.Diff(map[string]int{"a.b": 3, "a.c": 6, "e.f": 7}, lines); d != "" {
		t.Error(d)
	}
}

// TestScopesAndIncludes compares the whole list of settings, with the file of each, to what git itself lists.
func TestScopesAndIncludes(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	mustGit(t, dir, nil, "-c", "init.defaultBranch=main", "init", "-q", ".")
	write(t, home+"/.gitconfig", "[user]\nname=u\n[include]\npath=~/more\npath=missing\n[includeIf \"gitdir:"+dir+"/\"]\npath=here\n"+
		"[includeIf \"gitdir:~/elsewhere/\"]\npath=never\n[includeIf \"onbranch:ma*\"]\npath=onmain\n[includeIf \"onbranch:feature/\"]\npath=never\n"+
		"[includeIf \"hasconfig:remote.*.url:https://host.example/**\"]\npath=hasremote\n[includeIf \"hasconfig:remote.*.url:ssh://**\"]\npath=never\n"+
		"[includeIf \"gitdir/i:"+strings.ToUpper(dir)+"/**\"]\npath=fold\n[user]\nemail=after\n")
	for _, n := range []string{"more", "here", "never", "onmain", "hasremote", "fold"} {
		write(t, home+"/"+n, "[from]\n"+n+"=1\n")
	}
	write(t, home+"/.config/git/config", "[core]\npager=x\n")
	write(t, home+"/other", "[other]\nx=1\n")
	f, err := os.OpenFile(dir+"/.git/config", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("[remote \"origin\"]\nurl=https://host.example/a/b\n[include]\npath=../inc/local\n[extensions]\nworktreeConfig=true\n")
	f.Close()
	write(t, dir+"/inc/local", "[local]\nx=1\n[include]\npath=nested\n")
	write(t, dir+"/inc/nested", "[nested]\nx=1\n")
	write(t, dir+"/.git/config.worktree", "[wt]\nx=1\n")
	write(t, dir+"/sub/deep/x", "")

	for _, tt := range []struct {
		name string
		dir  string
		env  map[string]string
		args []string
	}{
		{"all files", dir, nil, nil},
		{"from a folder below", dir + "/sub/deep", nil, nil},
		{"-C", dir + "/sub", nil, []string{"-C", "deep"}},
		{"outside of the repository", home, nil, nil},
		{"--git-dir", home, nil, []string{"--git-dir", dir + "/.git"}},
		{"GIT_DIR", home, map[string]string{"GIT_DIR": dir + "/.git"}, nil},
		{"-c after all", dir, nil, []string{"-c", "user.name=c", "-c", "a.b", "-c", "Core.EmPty=", "-c", "remote.Up.url=x=y"}},
		{"--config-env", dir, map[string]string{"SECRET": "s"}, []string{"--config-env=x.y=SECRET"}},
		{"-c include", dir, nil, []string{"-c", "include.path=" + home + "/other"}},
		{"environment", dir, map[string]string{"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "e.a", "GIT_CONFIG_VALUE_0": "1", "GIT_CONFIG_KEY_1": "E.b", "GIT_CONFIG_VALUE_1": ""}, []string{"-c", "e.a=2"}},
		{"parameters", dir, map[string]string{"GIT_CONFIG_PARAMETERS": "'a.b'='c d' 'e.f=g'\\''h'"}, nil},
		{"other global file", dir, map[string]string{"GIT_CONFIG_GLOBAL": home + "/other"}, nil},
		{"no global file", dir, map[string]string{"GIT_CONFIG_GLOBAL": "/dev/null"}, nil},
		{"XDG", dir, map[string]string{"XDG_CONFIG_HOME": home + "/.config"}, nil},
		{"system file", dir, map[string]string{"GIT_CONFIG_NOSYSTEM": "false", "GIT_CONFIG_SYSTEM": home + "/other"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := map[string]string{"HOME": home, "GIT_CONFIG_NOSYSTEM": "1"}
			for k, v := range tt.env {
				env[k] = v
			}
			want := strings.Split(strings.TrimSuffix(mustGit(t, tt.dir, env, append(tt.args, "config", "--list", "-z", "--show-origin")...), "\x00"), "\x00")
			r := Open(workspace.New("", workspace.Limits{}), ParseCall(append(tt.args, "status"), tt.dir, home, env))
			var got []string
			for i, p := range pairs(r.Config) {
				origin := "command line:"
				if f := r.Config[i].From.File; f != "" {
					origin = "file:" + f
				}
				got = append(got, origin, p)
			}
			for i, w := range want { // git names a local file relative to where it is
				if rel, ok := strings.CutPrefix(w, "file:"); ok && !filepath.IsAbs(rel) {
					want[i] = "file:" + filepath.Join(dir, rel)
				} else if ok {
					want[i] = "file:" + filepath.Clean(rel)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error("settings (-git +ours):", d)
			}
			if len(r.Unknowns) > 0 {
				t.Error("unknowns:", r.Unknowns)
			}
		})
	}
}

func TestHostileSettings(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	mustGit(t, dir, nil, "init", "-q", ".")
	open := func() *Repo {
		return Open(workspace.New("", workspace.Limits{}), ParseCall([]string{"status"}, dir, home, map[string]string{"GIT_CONFIG_NOSYSTEM": "1"}))
	}
	write(t, home+"/.gitconfig", "[include]\npath=.gitconfig\npath=.gitconfig\n")
	if r := open(); len(r.Unknowns) == 0 {
		t.Error("an include cycle gives no unknown")
	}
	write(t, home+"/.gitconfig", "[alias]\nx = !y\n[broken\n")
	r := open()
	if len(r.Unknowns) != 1 || r.Config.Text("alias.x") != "!y" {
		t.Errorf("a broken file: unknowns %v, alias %q", r.Unknowns, r.Config.Text("alias.x"))
	}
	if err := os.Remove(home + "/.gitconfig"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(home+"/.gitconfig", 0o755); err != nil {
		t.Fatal(err)
	}
	if r := open(); len(r.Unknowns) != 1 {
		t.Error("a folder in place of the file gives no unknown")
	}
	write(t, dir+"/.git/config", strings.Repeat("[include]\npath=config\n", 5000))
	if r := open(); len(r.Unknowns) == 0 {
		t.Error("thousands of includes give no unknown")
	}
}

func TestWildMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"main", "main", true}, {"ma*", "main", true}, {"*", "a/b", false}, {"**", "a/b", true}, {"a/**", "a/b/c", true}, {"a/**", "a", false},
		{"**/b", "b", true}, {"**/b", "a/x/b", true}, {"**/b", "a/xb", false}, {"a/**/b", "a/b", true}, {"a/**/b", "a/x/y/b", true},
		{"a/**/b", "ab", false}, {"a**b", "a/b", false}, {"a?c", "a/c", false}, {"[a-c]x", "bx", true}, {"[!a-c]x", "bx", false}, {"[]]", "]", true},
		{"[[:digit:]]", "5", true}, {"[a", "[a", false}, {`\*`, "*", true}, {`\*`, "a", false}, {"{a,b}", "a", false}, {"{a,b}", "{a,b}", true},
		{strings.Repeat("*a", 300), strings.Repeat("a", 300) + "b", false}, {strings.Repeat("**/", 100) + "x", strings.Repeat("a/", 200) + "y", false},
	} {
		if got := wildMatch(tt.pattern, tt.text, false); got != tt.want {
			t.Errorf("wildMatch(%.40q, %.40q) = %v", tt.pattern, tt.text, got)
		}
	}
}

// TestAgainstGit reads texts made of the syntax's own pieces, in an order that a fixed seed chose, with both readers.
func TestAgainstGit(t *testing.T) {
	pieces := []string{"[a]", "[b \"c\"]", "[d.E]", "\n", "\n", "\n", " ", "\t", "k", "Key-1", "=", " = ", "v", "w x", "\"", "\\", "\\n", "\\\n", "#", ";", "\r\n", "[", "]", "1", "é", "."}
	random := rand.New(rand.NewPCG(1, 2))
	name := filepath.Join(t.TempDir(), "config")
	agreed, refused := 0, 0
	for range 250 {
		text := "[s]\n"
		for range 1 + random.IntN(14) {
			text += pieces[random.IntN(len(pieces))]
		}
		write(t, name, text)
		out, gitErr := git(t, filepath.Dir(name), nil, "config", "-z", "--list", "--file", name)
		got, err := parseConfig(text)
		if (gitErr == nil) != (err == nil) {
			t.Errorf("%q: git says %v, we %v", text, gitErr, err)
			continue
		}
		if err != nil {
			refused++
			continue
		}
		agreed++
		if d := cmp.Diff(strings.ReplaceAll(out, "\t", " "), strings.ReplaceAll(strings.Join(append(pairs(got), ""), "\x00"), "\t", " ")); d != "" {
			t.Errorf("%q (-git +ours; tabs as blanks, which versions before 2.45 make of them): %s", text, d)
		}
	}
	if agreed < 20 || refused < 20 {
		t.Errorf("%d texts read alike and %d refused alike; the pieces no longer try both", agreed, refused)
	}
}

func FuzzConfig(f *testing.F) {
	for _, tt := range syntax {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		entries, _ := parseConfig(text)
		for _, e := range entries {
			if _, ok := canonicalKey("a." + e.Key[strings.LastIndexByte(e.Key, '.')+1:]); !ok {
				t.Errorf("key %q is not one that git takes", e.Key)
			}
			if e.From.Line < 1 || e.From.Line > strings.Count(text, "\n")+1 {
				t.Errorf("line %d of %d", e.From.Line, strings.Count(text, "\n")+1)
			}
		}
		if again, _ := parseConfig(text[:len(text)/2]); len(again) > len(entries)+1 {
			t.Errorf("half of the text has %d settings, the whole %d", len(again), len(entries))
		}
	})
}
