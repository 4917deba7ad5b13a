package npmrc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/predict/internal/npmrc"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []npmrc.Entry
	}{
		{"plain", "a=b\n c = d \n", []npmrc.Entry{{Key: "a", Value: "b", Line: 1}, {Key: "c", Value: "d", Line: 2}}},
		{"comments", "; x\n# y\na=b ; c\nd=e#f\n", []npmrc.Entry{{Key: "a", Value: "b", Line: 3}, {Key: "d", Value: "e", Line: 4}}},
		{"escapes", `a=b\;c\#d\\e\f`, []npmrc.Entry{{Key: "a", Value: `b;c#d\e\f`, Line: 1}}},
		{"quotes", "a=\"b;c\"\nd='e f'\ng='\n", []npmrc.Entry{{Key: "a", Value: "b;c", Line: 1}, {Key: "d", Value: "e f", Line: 2}, {Key: "g", Value: "", Line: 3}}},
		{"bare", "ignore-scripts\n", []npmrc.Entry{{Key: "ignore-scripts", Value: "true", Bare: true, Line: 1}}},
		{"list", "omit[]=dev\nomit[]=peer\n", []npmrc.Entry{{Key: "omit", Value: "dev", List: true, Line: 1}, {Key: "omit", Value: "peer", List: true, Line: 2}}},
		{"section", "a=1\n[x]\nb=2\n", []npmrc.Entry{{Key: "a", Value: "1", Line: 1}}},
		{"carriage returns", "a=1\r\nb=2\rc=3", []npmrc.Entry{{Key: "a", Value: "1", Line: 1}, {Key: "b", Value: "2", Line: 2}, {Key: "c", Value: "3", Line: 2}}},
		{"byte order mark", "\ufeffa=1", []npmrc.Entry{{Key: "a", Value: "1", Line: 1}}},
		{"nothing", "=x\n\x00\n\n", []npmrc.Entry{{Key: "\x00", Value: "true", Bare: true, Line: 2}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, npmrc.Parse([]byte(c.text))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// layers writes a configuration in every place and gives the options to load it.
func layers(t *testing.T, files map[string]string, env map[string]string) (string, npmrc.Options) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, "/node") || strings.HasSuffix(name, "npm-cli.js") {
			mode = 0o755
		}
		if err := os.WriteFile(p, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	lookup := func(k string) (string, bool) { v, ok := env[k]; return strings.ReplaceAll(v, "DIR", dir), ok }
	return dir, npmrc.Options{Env: lookup, Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project")}
}

func TestLoad(t *testing.T) {
	files := map[string]string{
		"project/.npmrc":             "a=project\np=${NAME}/x\nq=${NONE}\nr=${NONE?}\ns=\\${NAME}\n",
		"home/.npmrc":                "a=user\nb=user\nprefix=~/global\nl[]=1\nl[]=2\n",
		"home/global/etc/npmrc":      "a=global\nb=global\nc=global\n",
		"usr/bin/node":               "",
		"usr/lib/npm/bin/npm-cli.js": "",
		"usr/lib/npm/package.json":   "{\n  \"name\": \"npm\",\n  \"version\": \"11.2.3\"\n}",
		"usr/lib/npm/npmrc":          "a=builtin\nd=builtin\n",
		"other/.npmrc":               "a=other\n",
	}
	w := workspace.New("", workspace.Limits{})
	dir, o := layers(t, files, map[string]string{"NAME": "value", "npm_config_yes": "false", "NPM_CONFIG_OMIT": "dev\n\npeer", "PATH": "relative::DIR/usr/bin"})
	if err := os.Symlink(filepath.Join(dir, "usr/lib/npm/bin/npm-cli.js"), filepath.Join(dir, "usr/bin/npm")); err != nil {
		t.Fatal(err)
	}
	o.Install = npmrc.Find(w, o.Env)
	if o.Install.Version != "11.2.3" || o.Install.Dir != filepath.Join(dir, "usr/lib/npm") || o.Install.Node != filepath.Join(dir, "usr/bin/node") {
		t.Errorf("npm was found as %+v", o.Install)
	}
	o.CLI = map[string][]string{"e": {"1", "2"}}
	c := npmrc.Load(w, o)
	for key, want := range map[string]string{"a": "project", "b": "user", "c": "global", "d": "builtin", "e": "2", "p": "value/x", "q": "${NONE}", "r": "", "s": "${NAME}",
		"yes": "false", "omit": "dev\n\npeer", "none": ""} {
		if got := c.Text(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if v, _ := c.Get("l"); len(v.List) != 2 || v.List[0] != "1" || v.Text != "2" || v.Line != 5 || v.Layer != npmrc.User || v.SHA256 == "" {
		t.Errorf("the list is %+v", v)
	}
	if v, _ := c.Get("omit"); len(v.List) != 2 || v.List[1] != "peer" {
		t.Errorf("the list of the environment is %+v", v)
	}
	if v, ok := c.In("a", npmrc.Global, npmrc.Builtin); !ok || v.Text != "global" {
		t.Errorf("below the user, a is %+v", v)
	}
	if c.Prefix != filepath.Join(dir, "home/global") || !c.Off("yes") || c.On("yes") || c.On("none") || c.Off("none") {
		t.Errorf("prefix %q", c.Prefix)
	}

	_, o = layers(t, files, map[string]string{"npm_config_userconfig": dir + "/other/.npmrc", "NPM_CONFIG_PREFIX": dir + "/home/global"})
	o.Project = ""
	if c := npmrc.Load(w, o); c.Text("a") != "other" || c.Text("c") != "global" {
		t.Errorf("with another user configuration, a is %q and c is %q", c.Text("a"), c.Text("c"))
	}
}

func TestUnreadable(t *testing.T) {
	dir, o := layers(t, map[string]string{"project/.npmrc/x": ""}, nil)
	c := npmrc.Load(workspace.New("", workspace.Limits{}), o)
	if len(c.Problems) != 1 || c.Problems[0].File != filepath.Join(dir, "project/.npmrc") {
		t.Errorf("problems: %v", c.Problems)
	}
}

// TestReality asks the npm of this machine.
func TestReality(t *testing.T) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("npm is not on PATH: its configuration is not compared with a real npm")
		}
		t.Skip("npm is not on PATH")
	}
	dir, o := layers(t, map[string]string{
		"project/package.json": "{}",
		"project/.npmrc":       "init-version=1.${NAME}.3 ; x\ninit-author-name=\"a;b\"\ninit-license=MIT\ntag='t'\nmessage=\"${NAME}\"\n",
		"home/.npmrc":          "init-license=ISC\ninit-author-url=u\\;v#w\ntag-version-prefix=${NONE}\neditor=${NONE?}x\n",
	}, nil)
	env := map[string]string{"NAME": "2", "HOME": filepath.Join(dir, "home"), "PATH": os.Getenv("PATH"), "npm_config_userconfig": filepath.Join(dir, "home/.npmrc"),
		"npm_config_update_notifier": "false"}
	o.Env = func(k string) (string, bool) { v, ok := env[k]; return v, ok }
	w := workspace.New("", workspace.Limits{})
	o.Install = npmrc.Find(w, o.Env)
	c := npmrc.Load(w, o)
	for _, key := range strings.Fields("init-version init-author-name init-license tag message init-author-url tag-version-prefix editor prefix") {
		cmd := exec.Command(npm, "config", "get", key)
		cmd.Dir = filepath.Join(dir, "project")
		for k, v := range env {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		got := c.Text(key)
		if key == "prefix" {
			got = c.Prefix
		}
		if want := strings.TrimSuffix(string(out), "\n"); got != want {
			t.Errorf("%s is %q, npm says %q", key, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a=b\n", "a[]=\"b\"\r\n[c]\n", "=\n'\n\"\n", `a=\`, "a='${x}'"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, e := range npmrc.Parse(data) {
			if e.Line < 1 || e.Line > 1+strings.Count(string(data), "\n") {
				t.Errorf("line %d of %q", e.Line, data)
			}
		}
	})
}
