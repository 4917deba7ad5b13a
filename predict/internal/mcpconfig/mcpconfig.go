// Package mcpconfig is where agents write down their MCP servers, and what a call of a server's tool sets in motion: the
// transport that it takes, and the program that answers. It refuses to guess: a server that no file names is an unknown.
package mcpconfig

import (
	"cmp"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// UnknownValue stands in a text for a value that only the run will know.
const UnknownValue = "${AMBIT_UNKNOWN}"

// Transport is how a client speaks to a server. The zero value is none.
type Transport string

// The transports of the MCP specification, and the two that clients have besides.
const (
	Stdio          Transport = "stdio"
	StreamableHTTP Transport = "http"
	SSE            Transport = "sse"
	WebSocket      Transport = "ws"
)

// Server is one configured server, with variables expanded. A value that is not known holds UnknownValue.
type Server struct {
	Name          string
	Transport     Transport
	URL           string // of a network transport
	Command       string // of stdio
	Args          []string
	Env           map[string]string
	EnvFile       string   // a file of variables that the client reads for the server
	Dir           string   // where the program starts
	HeadersHelper string   // shell text that prints request headers
	Reads         []string // variables that the client reads by name for the entry, sorted
	From          effect.Source
	disabled      bool
}

// Request is a look-up: from where and for whom. Agent is the client that asks ("claude-code", "cursor", "vscode", "windsurf",
// "gemini-cli", "opencode", "codex", ...); its own files come first, and another one only leads to an order by habit.
type Request struct {
	Agent string
	Dir   string // absolute
	Home  string
	Env   map[string]string
}

// Rule names the rule of everything that is concluded here.
const Rule = "mcp/config"

// Lookup finds a server by the name in a tool's name, where clients write other characters than letters, digits, "_" and "-" as
// "_". Files that cannot be read are unknowns, also when the server is found elsewhere: they could have named it otherwise.
func Lookup(w *workspace.FS, r Request, name string) (Server, bool, []source.Unknown) {
	l := lookup{w: w, r: r, name: name}
	if rest, ok := strings.CutPrefix(name, "plugin_"); ok {
		l.plugins(rest)
	}
	for _, p := range places(r) {
		l.place(p)
	}
	if len(l.found) == 0 {
		return Server{}, false, l.unknowns
	}
	i := slices.IndexFunc(l.found, func(s Server) bool { return !s.disabled })
	return l.found[max(i, 0)], true, l.unknowns
}

// Split takes a tool's name mcp__SERVER__TOOL apart. Where SERVER holds "__" itself, the longest name that is configured counts.
func Split(w *workspace.FS, r Request, toolName string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(toolName, "mcp__")
	if !ok {
		return "", "", false
	}
	server, tool, ok = strings.Cut(rest, "__")
	if !ok || server == "" || !strings.Contains(tool, "__") {
		return server, tool, ok && server != ""
	}
	for i := len(rest) - 2; i > 0; i-- {
		if rest[i:i+2] != "__" {
			continue
		}
		if _, found, _ := Lookup(w, r, rest[:i]); found {
			return rest[:i], rest[i+2:], true
		}
	}
	return server, tool, true
}

// Plan says what a call of a server's tool sets in motion. The second value is the server's own program, nil for a network
// transport: it usually runs already, so that starting it is no effect of the call, but what it does is.
func Plan(w *workspace.FS, r Request, server, tool string) (source.Result, *source.Job) {
	res := source.Result{}
	s, ok, unknowns := Lookup(w, r, server)
	res.Unknowns = unknowns
	from := s.From
	if !ok {
		from = effect.Source{Rule: Rule}
	}
	res.Claims = append(res.Claims, source.Claim{Class: effect.MCP, Access: effect.Call, Target: server + "/" + cmp.Or(tool, "*"), From: from})
	if !ok {
		res.Unknowns = append(res.Unknowns, source.Unknown{From: from, Why: "MCP server " + server + " is in no configuration file that is known",
			Could: []effect.Class{effect.File, effect.Network, effect.Process}})
		return res, nil
	}
	for _, name := range s.Reads {
		res.Claims = append(res.Claims, source.Claim{Class: effect.Environment, Access: effect.Read, Target: name, From: from})
	}
	if s.HeadersHelper != "" {
		j := source.Job{Shell: s.HeadersHelper, Dir: s.Dir, Label: "headers of server " + s.Name, From: from}
		j.From.Rule = "mcp/headers-helper"
		res.Jobs = append(res.Jobs, j)
	}
	switch s.Transport {
	case Stdio:
		return res, s.program(&res)
	case StreamableHTTP, SSE, WebSocket:
		res.Claims = append(res.Claims, source.Claim{Class: effect.Network, Access: effect.Send, Target: target(s.URL), From: from})
	default:
		res.Unknowns = append(res.Unknowns, source.Unknown{From: from, Why: "the entry of MCP server " + server + " has neither a command nor an address",
			Could: []effect.Class{effect.File, effect.Network, effect.Process}})
	}
	return res, nil
}

// program is the job of a stdio server. Addresses among its arguments are what it is told to contact.
func (s Server) program(res *source.Result) *source.Job {
	if s.EnvFile != "" {
		res.Claims = append(res.Claims, source.Claim{Class: effect.Environment, Access: effect.Read, Target: s.EnvFile, Dir: s.Dir, From: s.From})
	}
	for _, a := range s.Args {
		if _, v, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "-") {
			a = v
		}
		if isAddress(a) {
			c := source.Claim{Class: effect.Network, Access: effect.Send, Target: target(a), From: s.From}
			c.From.Rule = "mcp/server-argument"
			res.Claims = append(res.Claims, c)
		}
	}
	return &source.Job{Argv: slices.Concat([]string{s.Command}, s.Args), Dir: s.Dir, Env: s.Env, Label: "server " + s.Name, From: s.From}
}

// isAddress tells whether an argument is a URL of a network service.
func isAddress(a string) bool {
	u, err := url.Parse(a)
	if err != nil || u.Host == "" {
		return false
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss", "postgres", "postgresql", "mysql", "redis", "rediss", "mongodb", "mongodb+srv", "amqp", "amqps", "nats", "ssh", "ftp", "sftp":
		return true
	}
	return false
}

// target is an address for a claim: any host where the host is not known.
func target(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return "*"
	}
	authority, p, _ := strings.Cut(rest, "/")
	if strings.Contains(scheme+authority, UnknownValue) {
		return "*"
	}
	if i := strings.IndexAny(p, "?#"); i >= 0 {
		p = p[:i]
	}
	if i := strings.Index(p, UnknownValue); i >= 0 {
		p = p[:strings.LastIndexByte("/"+p[:i], '/')]
	}
	return strings.TrimRight(scheme+"://"+authority+"/"+p, "/")
}

// place is one file in which a client looks, and the members that lead to its servers.
type place struct {
	agent string
	file  string // absolute
	keys  []string
	dir   string // the folder that relative paths and ${workspaceFolder} mean
}

// places lists the files, nearest and most specific first.
func places(r Request) []place {
	var ps []place
	add := func(agent, dir, name string, keys ...string) {
		ps = append(ps, place{agent, path.Join(dir, name), keys, r.Dir})
	}
	home := r.Home
	claude := home
	if d := r.Env["CLAUDE_CONFIG_DIR"]; d != "" {
		claude = d
	}
	dirs := ancestors(r.Dir)
	add("claude-code", "/etc/claude-code", "managed-mcp.json", "mcpServers")
	if claude != "" {
		for _, d := range dirs {
			add("claude-code", claude, ".claude.json", "projects", d, "mcpServers")
		}
	}
	for _, d := range dirs {
		add("claude-code", d, ".mcp.json", "mcpServers")
		add("cursor", d, ".cursor/mcp.json", "mcpServers")
		add("vscode", d, ".vscode/mcp.json", "servers")
		add("gemini-cli", d, ".gemini/settings.json", "mcpServers")
		add("qwen-code", d, ".qwen/settings.json", "mcpServers")
		for _, n := range []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"} {
			add("opencode", d, n, "mcp", "servers")
			add("opencode", d, n, "mcp")
		}
		add("codex", d, ".codex/config.toml", "mcp_servers")
		add("kiro", d, ".kiro/settings/mcp.json", "mcpServers")
		add("amazon-q", d, ".amazonq/mcp.json", "mcpServers")
		add("roo", d, ".roo/mcp.json", "mcpServers")
		add("zed", d, ".zed/settings.json", "context_servers")
		add("junie", d, ".junie/mcp/mcp.json", "mcpServers")
	}
	if home != "" {
		add("claude-code", claude, ".claude.json", "mcpServers")
		add("cursor", home, ".cursor/mcp.json", "mcpServers")
		add("vscode", home, ".config/Code/User/mcp.json", "servers")
		add("windsurf", home, ".codeium/windsurf/mcp_config.json", "mcpServers")
		add("gemini-cli", home, ".gemini/settings.json", "mcpServers")
		add("qwen-code", home, ".qwen/settings.json", "mcpServers")
		add("copilot-cli", home, ".copilot/mcp-config.json", "mcpServers")
		for _, n := range []string{"opencode.json", "opencode.jsonc"} {
			add("opencode", home, ".config/opencode/"+n, "mcp", "servers")
			add("opencode", home, ".config/opencode/"+n, "mcp")
		}
		codex := cmp.Or(r.Env["CODEX_HOME"], home+"/.codex")
		add("codex", codex, "config.toml", "mcp_servers")
		add("kiro", home, ".kiro/settings/mcp.json", "mcpServers")
		add("amazon-q", home, ".aws/amazonq/mcp.json", "mcpServers")
		add("zed", home, ".config/zed/settings.json", "context_servers")
		add("claude-desktop", home, ".config/Claude/claude_desktop_config.json", "mcpServers")
	}
	slices.SortStableFunc(ps, func(a, b place) int { return cmp.Compare(rank(a, r.Agent), rank(b, r.Agent)) })
	return ps
}

func rank(p place, agent string) int {
	if p.agent == agent {
		return 0
	}
	return 1
}

// ancestors lists a directory and those above it.
func ancestors(dir string) []string {
	var dirs []string
	for d := path.Clean(dir); ; d = path.Dir(d) {
		dirs = append(dirs, d)
		if d == "/" || d == "." {
			return dirs
		}
	}
}

type lookup struct {
	w        *workspace.FS
	r        Request
	name     string
	found    []Server
	unknowns []source.Unknown

	documents map[string]*document // by path
}

// place looks into one file.
func (l *lookup) place(p place) {
	f, ok := l.read(p.file)
	if !ok {
		return
	}
	members, err := l.serversOf(f, p.keys)
	if err != nil {
		l.broken(f, err)
		return
	}
	for _, m := range members {
		if m.name != l.name && normalName(m.name) != l.name {
			continue
		}
		s, err := l.server(p, m)
		s.From = effect.Source{File: f.Path, Line: m.line, SHA256: f.SHA256, Rule: Rule}
		if err != nil {
			l.broken(f, err)
			continue
		}
		s.disabled = s.disabled || path.Base(p.file) == ".mcp.json" && l.turnedOff(path.Dir(p.file), m.name)
		l.found = append(l.found, s)
	}
}

// read reads a file; a missing one is what clients ignore.
func (l *lookup) read(name string) (*workspace.File, bool) {
	f, err := l.w.Read(name)
	if err == nil {
		return f, true
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		l.add(effect.Source{File: name, Rule: Rule}, name+" cannot be read: "+err.Error())
	}
	return nil, false
}

func (l *lookup) broken(f *workspace.File, err error) {
	l.add(effect.Source{File: f.Path, SHA256: f.SHA256, Rule: Rule}, f.Path+" cannot be understood: "+err.Error())
}

// add keeps one unknown for each reason: the same file is looked into for several scopes.
func (l *lookup) add(from effect.Source, why string) {
	if !slices.ContainsFunc(l.unknowns, func(u source.Unknown) bool { return u.Why == why }) {
		l.unknowns = append(l.unknowns, source.Unknown{From: from, Why: why, Could: []effect.Class{effect.File, effect.Network, effect.Process}})
	}
}

// normalName is a server's name as it stands in a tool's name.
func normalName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, name)
}

// turnedOff tells whether Claude Code's settings reject a server of .mcp.json, or accept others only.
func (l *lookup) turnedOff(dir, name string) bool {
	off := false
	for _, file := range []string{l.r.Home + "/.claude/settings.json", dir + "/.claude/settings.json", dir + "/.claude/settings.local.json"} {
		if !path.IsAbs(file) {
			continue
		}
		f, ok := l.read(file)
		if !ok {
			continue
		}
		var s struct {
			Disabled []string `json:"disabledMcpjsonServers"`
		}
		if err := decode(f.Data, &s); err == nil && slices.Contains(s.Disabled, name) {
			off = true
		}
	}
	return off
}
