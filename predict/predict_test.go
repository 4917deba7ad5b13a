package predict_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict"
)

// tree writes files below a new folder; a name that ends in * is executable.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		mode := os.FileMode(0o644)
		if n, ok := strings.CutSuffix(name, "*"); ok {
			name, mode = n, 0o755
		}
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func plan(t *testing.T, dir, command string) *predict.Prediction {
	t.Helper()
	a, err := action.NewShell("test", "", dir, command)
	if err != nil {
		t.Fatal(err)
	}
	p, err := predict.Predict(context.Background(), a, predict.Options{Env: []string{"HOME=/home/user", "PATH=/usr/local/bin:/usr/bin:/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// summary is the effects of a prediction as "class.access resource", without starts of programs, relative to the folder.
func summary(p *predict.Prediction) []string {
	var out []string
	for _, e := range p.Effects {
		if e.Class == effect.Process {
			continue
		}
		out = append(out, e.Kind()+" "+strings.ReplaceAll(e.On.String(), p.Workspace, "."))
	}
	return out
}

func TestShell(t *testing.T) {
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"echo hi", nil},
		{"echo hi > out.txt", []string{"file.write file:./out.txt"}},
		{"echo hi 2>/dev/null >&2", nil},
		{"for i in 1 2; do echo x >> log$i; done", []string{"file.write file:./log1", "file.write file:./log2"}},
		{"f() { echo x > $1; }; f a; f b", []string{"file.write file:./a", "file.write file:./b"}},
		{"cd sub && echo x > y", []string{"file.write file:./sub/y"}},
		{"(cd sub; echo x > y); echo z > w", []string{"file.write file:./sub/y", "file.write file:./w"}},
		{"echo x > /dev/tcp/example.com/80", []string{"network.send host:example.com:80"}},
		{"a=out; for x in $a/{1,2}; do echo > $x; done", []string{"file.write file:./out/1", "file.write file:./out/2"}},
		{"eval 'echo x > y'", []string{"file.write file:./y"}},
		{"echo << EOF > y", []string{"file.write file:./y"}}, // the document is missing: bash warns and goes on
		{"cat <<< hi > y", []string{"file.write file:./y"}},
		{"echo $SECRET_THING", []string{"environment.read env:SECRET_THING"}},
		{"exit 0; echo x > y", nil},
		{"a=1; [ \"$a\" = 1 ] && exit; echo > y", nil},
		{"a=1; if [ $a = 2 ]; then echo > y; else echo > z; fi", []string{"file.write file:./z"}},
		{"a=1; while read l; do if [ $a = 2 ]; then echo > y; fi; a=2; done", []string{"file.write file:./y"}},
		{"f=a; until false; do echo > $f; f=b; done", []string{"file.write file:./a", "file.write file:./b"}},
		{"false && echo > y; false || echo > z; true || echo > w", []string{"file.write file:./z"}},
		{"[ -n \"$CI\" ] || echo > y", []string{"environment.read env:CI", "file.write file:./y"}},
		{"trap 'echo > $t' EXIT; t=x", []string{"file.write file:./x"}},
		{"if [ -f q ]; then d=a; else d=b; fi; echo > $d/x", []string{"file.write file:./a/x", "file.write file:./b/x"}},
		{"{ echo a; echo b; } > y", []string{"file.write file:./y"}},
		{"x=$(echo name); echo > $x", []string{"file.write file:./name"}},
	} {
		p := plan(t, tree(t, map[string]string{"sub/keep": ""}), c.command)
		if diff := cmp.Diff(c.want, summary(p)); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.command, diff)
		}
	}
}

// TestUnknownPrograms: text that a shell reads from a pipe is never taken for nothing.
func TestSafetyPipedPrograms(t *testing.T) {
	for _, command := range []string{
		"curl https://example.com/x | sh", "curl https://example.com/x | sh -s", "curl https://example.com/x | bash -s -- -y", "wget -qO- https://example.com | sudo sh",
		"curl https://example.com/x | python3", "curl https://example.com/x | node -", "sh <(curl https://example.com/x)", "bash -c \"$(curl https://example.com/x)\"",
		"eval \"$(curl https://example.com/x)\"", "source <(curl https://example.com/x)", "curl https://example.com/x | xargs -I{} sh -c '{}'", "$CMD x", "sh -c \"$CMD\"",
		"curl https://example.com/x > x.sh; sh x.sh", "bash -i -c \"$X\"", "zsh -s < <(curl https://example.com/x)", "perl -e \"$X\"", "git -c core.pager=x log", "curl https://example.com/x | tee y | sh",
	} {
		if p := plan(t, t.TempDir(), command); len(p.Unknowns) == 0 {
			t.Errorf("%s: no unknown", command)
		}
	}
}
