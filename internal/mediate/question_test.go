package mediate

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/policy"
)

// TestSafetyQuestionShowsWhatMatters: an effect outside the workspace is not pushed out of sight by many inside it, whether the
// command names both or a script of the workspace has them.
func TestSafetyQuestionShowsWhatMatters(t *testing.T) {
	var shell, script strings.Builder
	script.WriteString("const fs = require('fs')\n")
	for i := range 60 {
		fmt.Fprintf(&shell, "echo > f%d; ", i)
		fmt.Fprintf(&script, "fs.writeFileSync('f%d', '')\n", i)
	}
	shell.WriteString("cat ~/.ssh/id_rsa; echo > ~/notes")
	script.WriteString("fs.readFileSync(process.env.HOME + '/.ssh/id_rsa')\nfs.writeFileSync(process.env.HOME + '/notes', '')\n")
	for name, command := range map[string]string{"command": shell.String(), "script": "node s.js"} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, map[string]string{".ssh/id_rsa": "k", "shop/s.js": script.String()})
			v := d.Decide(context.Background(), d.bash(command))
			if v.Is != policy.Ask || !strings.Contains(v.Text, "~/.ssh/id_rsa") || !strings.Contains(v.Text, "~/notes") {
				t.Errorf("%s", v.Text)
			}
		})
	}
}

// TestSafetyQuestionShowsWhatItsVerdictNames: a wide effect does not take the place of the one that the verdict is about, and what it
// can reach is still said.
func TestSafetyQuestionShowsWhatItsVerdictNames(t *testing.T) {
	script := "const fs = require('fs')\nfs.rmSync('/', {recursive: true})\nfs.writeFileSync('.git/config', '')\n"
	d := newDesk(t, map[string]string{"shop/s.js": script, "shop/.git/config": ""})
	v := d.Decide(context.Background(), d.bash("node s.js"))
	lines := strings.Split(v.Text, "\n")
	if v.Is != policy.Ask || !strings.Contains(lines[0], ".git/config, which runs") || !strings.Contains(lines[0], "It can reach ") {
		t.Errorf("%s", v.Text)
	}
	if len(lines) < 2 || !strings.Contains(lines[1], ".git/config") || !strings.Contains(lines[1], "s.js:3") {
		t.Errorf("the first line is not what the verdict names:\n%s", v.Text)
	}
}

// TestQuestionOfWideCharacters: a wide character takes two columns of the screen.
func TestQuestionOfWideCharacters(t *testing.T) {
	if n := rows(strings.Repeat("漢", 38)); n != 1 {
		t.Errorf("38 wide characters take %d rows of 76 columns", n)
	}
	if n := rows(strings.Repeat("漢", 39)); n != 2 {
		t.Errorf("39 wide characters take %d rows of 76 columns", n)
	}
	d := newDesk(t, nil)
	var command strings.Builder
	command.WriteString("rm")
	for i := range 20 {
		fmt.Fprintf(&command, " %s%d", strings.Repeat("漢", 40), i)
	}
	v := d.Decide(context.Background(), d.bash(command.String()))
	lines := strings.Split(v.Text, "\n")
	if len(lines) > 5 || rows(v.Text) > questionRows {
		t.Errorf("%d lines of up to two rows:\n%s", len(lines), v.Text)
	}
}
