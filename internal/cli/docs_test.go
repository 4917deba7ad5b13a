package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"

	"github.com/ambit-dev/ambit/action"
)

func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// fenced are the code blocks of a page in one language.
func fenced(t *testing.T, text, language string) (blocks []string) {
	t.Helper()
	parts := strings.Split(text, "\n```"+language+"\n")
	for _, part := range parts[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		blocks = append(blocks, block)
	}
	if len(blocks) == 0 {
		t.Fatalf("the page has no block of %s", language)
	}
	return blocks
}

// The digest that docs/formats.md gives is the one that is computed.
func TestFormatsVector(t *testing.T) {
	act, err := action.NewShell("cli", "", "/tmp", "ls")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page(t, "docs/formats.md"), "`"+act.Digest()+"`") {
		t.Errorf("docs/formats.md lacks the digest %s of its example", act.Digest())
	}
}

// Every example of JSON in docs/formats.md is JSON.
func TestFormatsExamples(t *testing.T) {
	for _, block := range fenced(t, page(t, "docs/formats.md"), "json") {
		dec := json.NewDecoder(strings.NewReader(block))
		for dec.More() {
			var v map[string]any
			if err := dec.Decode(&v); err != nil {
				t.Errorf("%v in\n%s", err, block)
				break
			}
		}
	}
}

// The transcripts of README.md are what the program prints in the project of the tour.
func TestReadmeTranscripts(t *testing.T) {
	dir := t.TempDir()
	if err := writeTour(dir); err != nil {
		t.Fatal(err)
	}
	text := page(t, "README.md")
	t.Chdir(filepath.Join(dir, "shop"))
	for _, block := range fenced(t, text, "console") {
		line, want, _ := strings.Cut(block, "\n")
		words, err := shell.Fields(strings.TrimPrefix(line, "$ "), nil)
		if err != nil || len(words) < 2 || words[0] != "ambit" {
			t.Fatalf("%q is no command of ambit: %v", line, err)
		}
		var stdout, stderr strings.Builder
		// Without programs on PATH the places of this machine's do not show.
		code := run(words[1:], strings.NewReader(""), &stdout, &stderr, []string{"HOME=" + filepath.Join(dir, "home"), "PATH="})
		if got := strings.TrimSuffix(stdout.String(), "\n"); code != exitOK || got != want {
			t.Errorf("%s: exit code %d\n%s\nREADME.md has\n%s\n%s", line, code, got, want, stderr.String())
		}
	}
}

// The question of README.md is the one that Claude Code gets in the project of the tour, but for the name of the record.
func TestReadmeQuestion(t *testing.T) {
	dir := t.TempDir()
	if err := writeTour(dir); err != nil {
		t.Fatal(err)
	}
	event, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": filepath.Join(dir, "shop"), "hook_event_name": "PreToolUse",
		"tool_name": "Bash", "tool_input": map[string]any{"command": "npm install"}, "tool_use_id": "t",
	})
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	if code := answerHook(strings.NewReader(string(event)), &stdout, &stderr, []string{"HOME=" + filepath.Join(dir, "home"), "PATH="}); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	var out struct {
		Specific struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(stdout.String()), &out); err != nil {
		t.Fatal(err)
	}
	const record = "\nThe record: ambit log show "
	got, gotID, _ := strings.Cut(out.Specific.Reason, record)
	want, wantID, _ := strings.Cut(fenced(t, page(t, "README.md"), "text")[0], record)
	if out.Specific.Decision != "ask" || got != want || len(gotID) != len(wantID) {
		t.Errorf("%s:\n%s\nREADME.md has\n%s", out.Specific.Decision, out.Specific.Reason, want)
	}
}

// The list of README.md is that of the tour's record, but for the times.
func TestReadmeRecord(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var stdout, stderr strings.Builder
	if code := run([]string{"try"}, strings.NewReader(""), &stdout, &stderr, []string{"PATH="}); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	const shape = "0  00:00:00  "
	calls := func(text string) (list []string) {
		for line := range strings.Lines(text) {
			if len(line) > len(shape) && line[1:3] == "  " && line[5] == ':' && line[8] == ':' {
				list = append(list, line[:3]+line[len(shape)-2:])
			}
		}
		return list
	}
	_, list, _ := strings.Cut(stdout.String(), "\n$ ambit log\n")
	got, want := calls(list), calls(fenced(t, page(t, "README.md"), "text")[1]+"\n")
	if len(got) != len(recorded()) || strings.Join(got, "") != strings.Join(want, "") {
		t.Errorf("the tour has\n%sREADME.md has\n%s", strings.Join(got, ""), strings.Join(want, ""))
	}
}

// The commands that README.md gives work as they stand there.
func TestReadmeCommands(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, block := range fenced(t, page(t, "README.md"), "sh") {
		for line := range strings.SplitSeq(block, "\n") {
			command, _, _ := strings.Cut(line, "#")
			switch command = strings.TrimSpace(command); command {
			case "./test": // which runs this test: only its help
				command = "./test --help"
			case "go install github.com/ambit-dev/ambit/cmd/ambit@latest": // needs a release; the path is what matters
				command = "go list github.com/ambit-dev/ambit/cmd/ambit"
			}
			cmd := exec.Command("bash", "-c", command)
			cmd.Dir = root
			if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
				t.Errorf("%s: %v\n%s", command, err, out)
			}
		}
	}
}
