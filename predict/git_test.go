package predict_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/flow"
)

// TestGitFolder: a model's .git is the repository's, wherever git is started.
func TestGitFolder(t *testing.T) {
	dir := tree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/config": "", "sub/a": "", ".git/objects/x": "", ".git/refs/x": ""})
	for command, want := range map[string]string{
		"git commit -m x":               "file.write file:./.git/**",
		"git -C sub add a":              "file.write file:./.git/**",
		"cd sub && git branch new":      "file.write file:./.git/**",
		"cd sub && git config a.b c":    "file.write file:./.git/config",
		"cd sub && git init":            "file.write file:./sub/.git/**",
		"git --git-dir=other config -l": "",
	} {
		got := summary(plan(t, dir, command))
		if want == "" {
			if len(got) > 0 {
				t.Errorf("%s: %v, want nothing", command, got)
			}
		} else if !slices.Contains(got, want) {
			t.Errorf("%s: %v, want %s among them", command, got, want)
		}
	}
}

// TestCredential: a program's own credentials are an effect, but not data that it sends away.
func TestCredential(t *testing.T) {
	dir := tree(t, map[string]string{"a": ""})
	p := plan(t, dir, "gh pr comment 1 -b hi")
	want := []string{"file.read file:/home/user/.config/gh/hosts.yml", "network.send host:@github"}
	got := summary(p)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("effects (-want +got):\n%s", d)
	}
	for _, f := range p.Flows {
		if f.Sensitivity > flow.Public {
			t.Errorf("flow %v is %v, want public", f, f.Sensitivity)
		}
	}
	secret := false
	for _, f := range plan(t, dir, "cat ~/.config/gh/hosts.yml | gh gist create").Flows {
		secret = secret || f.Sensitivity == flow.Secret && len(f.Out) > 0
	}
	if !secret {
		t.Error("a credential that is piped into a service is not a secret flow")
	}
}
