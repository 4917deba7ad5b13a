package claudetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Version of Claude Code that the tests run. ./test installs this one.
const Version = "2.1.332"

// module is the npm package that holds the program.
const module = "@anthropic-ai/claude-code-linux-x64"

// limit is the longest that one run may take. It takes a few seconds.
const limit = 60 * time.Second

// Find gives the path of Claude Code in the folder of tools that ./test fills: $AMBIT_TEST_TOOLS, or ambit-test in the cache
// folder of the user. An error says how to get it.
func Find(getenv func(string) string) (string, error) {
	tools := getenv("AMBIT_TEST_TOOLS")
	if tools == "" {
		cache := getenv("XDG_CACHE_HOME")
		if cache == "" {
			cache = filepath.Join(getenv("HOME"), ".cache")
		}
		tools = filepath.Join(cache, "ambit-test")
	}
	dir := filepath.Join(tools, "claude-code@"+Version)
	binary := filepath.Join(dir, "node_modules", module, "claude")
	if _, err := os.Stat(binary); err != nil {
		return "", fmt.Errorf("claude Code %s is not at %s. Next: npm install --prefix %s %s@%s, or ./test, which does that", Version, binary, dir, module, Version)
	}
	return binary, nil
}

// Agent is one installation of Claude Code: the program, with folders of its own.
type Agent struct {
	Binary string
	Home   string // its HOME; made as a fresh one that has answered the questions of the first start
	Dir    string // the project
	Env    []string
	Args   []string // further arguments, for instance --permission-mode bypassPermissions
}

const apiKey = "sk-ant-api03-scripted-model-on-this-machine-AAAA"

func (a Agent) tmp() string { return filepath.Join(a.Home, "tmp") }

// Prepare writes the state of an installation that was used before: no welcome, the project trusted.
func (a Agent) Prepare() error {
	if err := os.MkdirAll(a.tmp(), 0o700); err != nil {
		return err
	}
	state, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark", "bypassPermissionsModeAccepted": true,
		"customApiKeyResponses": map[string]any{"approved": []string{apiKey[len(apiKey)-20:]}, "rejected": []string{}},
		"projects":              map[string]any{a.Dir: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.Home, ".claude.json"), state, 0o600)
}

func (a Agent) environ(m *Model) []string {
	return append([]string{
		"HOME=" + a.Home,
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"SHELL=/bin/bash", "LANG=C.UTF-8", "TMPDIR=" + a.tmp(), "CLAUDE_CODE_TMPDIR=" + a.tmp(),
		"ANTHROPIC_BASE_URL=" + m.server.URL, "ANTHROPIC_API_KEY=" + apiKey,
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"IS_SANDBOX=1", // else it refuses bypassPermissions as root
		"HTTP_PROXY=" + m.server.URL, "HTTPS_PROXY=" + m.server.URL, "NO_PROXY=127.0.0.1,localhost",
	}, a.Env...)
}

// Output is how a headless run ended.
type Output struct {
	Result  string          `json:"result"`
	Error   bool            `json:"is_error"`
	Denials json.RawMessage `json:"permission_denials"`
	Stdout  string          `json:"-"`
	Stderr  string          `json:"-"`
}

// Run gives the agent a task, headless, and waits until it is through. A run that takes longer than a minute is ended, and is an error.
func (a Agent) Run(ctx context.Context, m *Model, task string) (*Output, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, a.Binary, append([]string{"-p", task, "--output-format", "json"}, a.Args...)...)
	cmd.Dir, cmd.Env = a.Dir, a.environ(m)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	out := &Output{Stdout: stdout.String(), Stderr: stderr.String()}
	if ctx.Err() != nil {
		return out, fmt.Errorf("claude Code did not end within %s: %w", limit, ctx.Err())
	}
	if e := (*exec.ExitError)(nil); err != nil && !errors.As(err, &e) {
		return out, err
	}
	if err := json.Unmarshal(stdout.Bytes(), out); err != nil {
		return out, fmt.Errorf("claude Code did not answer with its result: %v; standard output %q, standard error %q", err, out.Stdout, out.Stderr)
	}
	if defects := m.Defects(); len(defects) > 0 {
		return out, fmt.Errorf("the scripted model did not understand Claude Code: %q", defects)
	}
	return out, nil
}
