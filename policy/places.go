package policy

// row is a group of protected places with one rule.
type row struct {
	rule   string
	writes Kind
	places []string
}

// builtin is the table of protected places. An entry begins with the folder that it is counted from: "~" the home folder, "$CONFIG"
// $XDG_CONFIG_HOME, "$CLAUDE", "$CODEX" and "$COPILOT" the folders that these agents can be told to use, "/" the root, and "*" any
// folder, since agents take settings from the project that they are started in. "//" ends the folder that is the place's own,
// "/**" means everything below. Sources are the agents' documentation of their settings and hook locations.
func builtin() []row {
	return []row{
		{RuleOwnFiles, Deny, []string{"/etc/ambit/**", "*/.ambit/**"}},
		{RuleAgentSettings, Deny, []string{
			// Claude Code
			"~/.claude.json", "$CLAUDE/settings.json", "$CLAUDE/settings.local.json", "$CLAUDE/hooks/**", "$CLAUDE/.claude.json",
			"*/.claude//settings.json", "*/.claude//settings.local.json", "*/.claude//hooks/**",
			// what it was told from outside, and shell text that it reads before every command
			"$CLAUDE/remote-settings.json", "$CLAUDE/shell-snapshots/**", "$CLAUDE/session-env/**",
			"/etc/claude-code/**", "/Library/Application Support/ClaudeCode/**",
			// Codex
			"$CODEX/config.toml", "$CODEX/hooks.json", "$CODEX/rules/**", "$CODEX/hooks/**",
			"*/.codex//config.toml", "*/.codex//hooks.json", "*/.codex//rules/**", "*/.codex//hooks/**", "/etc/codex/**",
			// GitHub Copilot
			"$COPILOT/settings.json", "$COPILOT/config.json", "$COPILOT/hooks/**", "$COPILOT/mcp-config.json",
			"*/.copilot//settings.json", "*/.copilot//config.json", "*/.copilot//hooks/**", "*/.copilot//mcp-config.json",
			"*/.github/hooks/**", "*/.github/copilot//settings.json", "*/.github/copilot//settings.local.json", "/etc/github-copilot/**",
			// Qwen Code, Gemini CLI
			"*/.qwen//settings.json", "/etc/qwen-code/**",
			"*/.gemini//settings.json", "*/.gemini//policies/**", "*/.gemini//trustedFolders.json", "/etc/gemini-cli/**",
			// Cursor, Windsurf, Kiro, Cline, OpenCode
			"*/.cursor//hooks.json", "*/.cursor//cli-config.json", "*/.cursor//cli.json", "*/.cursor//hooks/**", "/etc/cursor/**",
			"*/.windsurf//hooks.json", "~/.codeium/windsurf//hooks.json", "/etc/windsurf/**",
			"*/.kiro//agents/**", "*/.kiro//hooks/**",
			"*/.clinerules/hooks/**", "~/Documents/Cline/Hooks/**",
			"$CONFIG/opencode//opencode.json", "$CONFIG/opencode//opencode.jsonc", "$CONFIG/opencode//plugin/**", "$CONFIG/opencode//plugins/**",
			"*/opencode.json", "*/opencode.jsonc", "*/.opencode//plugin/**", "*/.opencode//plugins/**",
		}},
		{RuleRunsLater, Ask, []string{
			// MCP configuration: a server is a program that an agent starts
			"*/.mcp.json", "*/.cursor//mcp.json", "*/.vscode//mcp.json", "*/.kiro/settings//mcp.json", "~/.codeium/windsurf//mcp_config.json",
			"$CONFIG/Claude//claude_desktop_config.json",
			// what an agent obeys or starts: subagents, skills, commands and plugins can carry hooks of their own
			"*/.claude//agents/**", "*/.claude//skills/**", "*/.claude//commands/**", "*/.claude//plugins/**", "$CLAUDE/plugins/**",
			// git hooks, and the configuration that names programs (git-config(1): core.hooksPath, core.fsmonitor, aliases, filters)
			"*/.git/hooks/**", "*/.git/config", "*/.git/config.worktree", "*/.git/modules/**", "*/.git/worktrees/**", "*/.git/commondir", "~/.gitconfig", "$CONFIG/git/**", "*/.husky/**",
			// shell start-up files, and what starts with a session
			"~/.bashrc", "~/.bash_profile", "~/.bash_login", "~/.bash_logout", "~/.bash_aliases", "~/.profile", "~/.inputrc",
			"~/.zshrc", "~/.zshenv", "~/.zprofile", "~/.zlogin", "~/.zlogout", "$CONFIG/fish/**", "~/.pam_environment", "$CONFIG/environment.d/**",
			"$CONFIG/autostart/**", "$CONFIG/systemd/user/**", "~/Library/LaunchAgents/**", "/etc/profile", "/etc/profile.d/**", "/etc/bash.bashrc",
			"/etc/cron.d/**", "/etc/crontab", "/var/spool/cron/**", "/etc/systemd/system/**", "/etc/ld.so.preload", "/etc/sudoers", "/etc/sudoers.d/**",
			"~/.local/share/systemd/user/**", "/usr/lib/systemd/**", "/lib/systemd/**", "/etc/cron.hourly/**", "/etc/cron.daily/**", "/etc/cron.weekly/**", "/etc/cron.monthly/**",
			"/etc/init.d/**", "/etc/rc.local", "/etc/bashrc", "/etc/zsh/**", "/etc/ld.so.conf", "/etc/ld.so.conf.d/**", "~/.xinitrc", "~/.xsession", "$CONFIG/zsh/**",
			// programs that a later command finds by their names, and the agent's own
			"~/.local/bin/**", "~/bin/**", "$CLAUDE/local/**", "~/.local/share/claude/**",
			// who may log in, and as whom
			"~/.ssh/**", "/root/.ssh/**", "/etc/ssh/**", "/etc/pam.d/**", "/etc/security/**",
			// the kernel
			"/sys/**",
			// editors and environments that run what a folder says
			"*/.vscode//tasks.json", "*/.vscode//settings.json", "*/.envrc", "*/.devcontainer/**",
		}},
	}
}
