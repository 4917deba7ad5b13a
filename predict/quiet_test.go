package predict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/effect"
)

// TestQuiet: everyday commands have exactly the effects that they have, and no unknown.
func TestQuiet(t *testing.T) {
	files := work()
	files["a.txt"] = "text\n"
	files["x.tar"] = ""
	dir := tree(t, files)
	process, file, container := effect.Process, effect.File, effect.Container
	for _, c := range []struct {
		want     []effect.Class
		commands []string
	}{
		{[]effect.Class{process}, []string{
			"git diff --stat HEAD", "git log --oneline | head -5", "ls -la", "grep -r x .", "rg x", "cat a.txt | head", "npm run x",
			"node --version", "make -n", "python3 -c 'print(1)'", "find . -name x", "sed -n 1,5p a.txt", "tar tf x.tar", "curl localhost",
			"./a.sh", "while read l; do echo $l; done < a.txt", "for f in *.txt; do wc -l $f; done", "ls 2>/dev/null", "test -f a.txt && sh a.sh",
		}},
		{[]effect.Class{container, process}, []string{"docker ps"}},
		{[]effect.Class{file, process}, []string{
			"git status", "echo x > out && cat out | head", "mkdir -p out && cp a.txt out/", "git add -A && git commit -m x", "git checkout other && git status",
			"sed -i s/x/y/ a.txt && git diff", "rm -rf dist && mkdir dist && ls dist", "touch a && sh a.sh", "npm run x > log; tail log",
			"rm -f a.o && make", "git config user.name x && git commit -m x", "git stash && git stash pop", "npm version patch && npm run x",
			`for i in $(seq 3); do echo $i > f$i.txt; sh a.sh; done`, "while read l; do echo $l >> o.txt; done < a.txt; sh a.sh",
			"git restore . && git status", "mv a.txt b.txt; sort b.txt > c.txt; diff b.txt c.txt", "git rebase main && git log -1",
		}},
	} {
		for _, command := range c.commands {
			p := plan(t, dir, command)
			if d := cmp.Diff(c.want, p.Views(effect.Metadata)); d != "" {
				t.Errorf("%q (-want +got):\n%s", command, d)
			}
			for _, u := range p.Unknowns {
				t.Errorf("%q: unknown: %s", command, u.Why)
			}
		}
	}
}
