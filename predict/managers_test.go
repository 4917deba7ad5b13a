package predict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHookManagers: from a command of git or of a manager to what the manager's configuration makes it run.
func TestHookManagers(t *testing.T) {
	git := map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "", ".git/refs/x": "", ".git/config": "[core]\n\thooksPath = .husky/_\n"}
	with := func(files map[string]string) map[string]string {
		all := map[string]string{}
		for _, m := range []map[string]string{git, files} {
			for k, v := range m {
				all[k] = v
			}
		}
		return all
	}
	husky := with(map[string]string{".husky/_/pre-commit*": "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", ".husky/_/h": "", ".husky/pre-commit": "echo x > husky.txt\n"})
	lefthook := with(map[string]string{"lefthook.yml": "no_auto_install: true\npre-push:\n  commands:\n    a: {run: curl -O https://x.example/f}\n", "node_modules/lefthook-linux-x64/bin/lefthook*": "\x7fELF\x00", "node_modules/tool/bin/ls*": "\x7fELF\x00"})
	for _, tt := range []struct {
		name, command string
		files         map[string]string
		want          []string
		unknowns      int
	}{
		{"husky's wrapper leads to the hook", "git commit -qm x", husky, []string{"file.write file:./.git/**", "environment.write env:PATH", "file.write file:./husky.txt"}, 0},
		{"no hook with --no-verify", "git commit -nqm x", husky, []string{"file.write file:./.git/**"}, 0},
		{"a compiled manager that a package brought", "node_modules/lefthook-linux-x64/bin/lefthook run pre-push", lefthook, []string{"file.write file:./f", "network.fetch host:x.example:443/f"}, 0},
		{"a compiled program with the name of a system's", "node_modules/tool/bin/ls", lefthook, nil, 1},
		{"status takes the lock", "git status", git, []string{"file.write file:./.git/index"}, 0},
		{"status without locks", "git --no-optional-locks status", git, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := plan(t, tree(t, tt.files), tt.command)
			got := map[string]bool{}
			for _, s := range summary(p) {
				got[s] = true
			}
			want := map[string]bool{}
			for _, s := range tt.want {
				want[s] = true
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error("effects (-want +got):", d)
			}
			if len(p.Unknowns) != tt.unknowns {
				t.Errorf("unknowns: %v", p.Unknowns)
			}
		})
	}
}
