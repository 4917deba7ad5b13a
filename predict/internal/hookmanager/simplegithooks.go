package hookmanager

import (
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// ruleSimple names the rule of what simple-git-hooks does.
const ruleSimple = "hook-manager/simple-git-hooks"

// hookEvents are the names that managers take for hooks (githooks(5)).
const hookEvents = " applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase " +
	"post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout " +
	"pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit " +
	"post-index-change "

func isEvent(name string) bool { return strings.Contains(hookEvents, " "+name+" ") }

// simpleGitHooks is the program simple-git-hooks: it writes a script for each hook that its configuration names, and deletes
// the hooks that it does not name.
func (m *manager) simpleGitHooks() {
	m.claim(effect.Environment, effect.Read, "SKIP_INSTALL_SIMPLE_GIT_HOOKS", false, effect.Source{Rule: ruleSimple})
	if v := m.c.Env["SKIP_INSTALL_SIMPLE_GIT_HOOKS"]; v == "1" || v == "true" {
		return
	}
	var files []string
	if ops := operands(m.c.Args); len(ops) > 0 {
		files = append(files, ops[0])
	}
	for _, prefix := range []string{".", ""} {
		for _, ext := range []string{".cjs", ".js", ".mjs"} {
			files = append(files, prefix+"simple-git-hooks"+ext)
		}
	}
	files = append(files, ".simple-git-hooks.json", "simple-git-hooks.json")
	var config *node
	for _, f := range files {
		if config = m.load(joinPath(m.c.Dir, f), ruleSimple); config != nil {
			break
		}
	}
	if config == nil {
		config = m.load(m.c.Dir+"/package.json", ruleSimple).get("simple-git-hooks")
		if file := config.str(); file != "" {
			config = m.load(joinPath(m.c.Dir, file), ruleSimple)
		}
	}
	if config == nil {
		return // it stops with an error
	}
	if isModule(config) {
		m.module(config, ruleSimple)
	}
	if config.kind == computed {
		m.unknown(config.from(ruleSimple), "the hooks to install are made by code", effect.File)
	}
	m.installScripts(config)
}

// simpleScript is a hook file that simple-git-hooks wrote: it ends when it is switched off, sources the file that a variable
// names, and goes on with the command of the configuration. The lines before the command are accounted for here and emptied.
func (m *manager) simpleScript(file *workspace.File, event string) {
	if m.c.Env["SKIP_SIMPLE_GIT_HOOKS"] == "1" {
		return
	}
	if rc := m.c.Env["SIMPLE_GIT_HOOKS_RC"]; rc != "" {
		m.job(source.Job{Shell: `. "$SIMPLE_GIT_HOOKS_RC"`, Dir: m.top(), Label: "simple-git-hooks start-up file", From: effect.Source{File: file.Path, Line: 7, SHA256: file.SHA256, Rule: ruleSimple}})
	}
	lines := strings.Split(string(file.Data), "\n")
	clear(lines[:simplePrelude(string(file.Data))])
	m.job(source.Job{Shell: strings.Join(lines, "\n"), Args: m.c.Args, Dir: m.top(), Label: event + " hook", From: effect.Source{File: file.Path, Line: 1, SHA256: file.SHA256, Rule: ruleSimple}})
}

// simplePrelude counts the lines that every hook file of simple-git-hooks begins with (since 2.9): two conditions, on its two
// variables. It is 0 for another file.
func simplePrelude(text string) int {
	var b strings.Builder
	conditions := 0
	for i, line := range strings.Split(text, "\n") {
		b.WriteString(line)
		if strings.TrimSpace(line) == "fi" {
			conditions++
		}
		if conditions == 2 {
			begin := b.String()
			if strings.HasPrefix(begin, "#!/bin/sh") && strings.Contains(begin, `"$SKIP_SIMPLE_GIT_HOOKS"`) && strings.Contains(begin, `. "$SIMPLE_GIT_HOOKS_RC"`) {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

func joinPath(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// installScripts writes and deletes the hook files.
func (m *manager) installScripts(config *node) {
	if m.c.HooksDir == "" {
		return
	}
	m.job(source.Job{Argv: []string{"git", "config", "--local", "core.hooksPath"}, Dir: m.c.Dir, Label: "simple-git-hooks", From: config.from(ruleSimple)})
	keep := config.get("preserveUnused")
	for _, event := range strings.Fields(hookEvents) {
		file := path.Join(m.c.HooksDir, event)
		if n := config.get(event); n != nil {
			m.claim(effect.File, effect.Write, file, false, n.from(ruleSimple))
			continue
		}
		if config.kind == computed || keep.isTrue() || slices.Contains(keep.strs(), event) || !m.w.Exists(file) {
			continue
		}
		m.claim(effect.File, effect.Delete, file, false, config.from(ruleSimple))
	}
}
