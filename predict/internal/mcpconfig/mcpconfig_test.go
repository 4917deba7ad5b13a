package mcpconfig

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// lay writes files, with paths relative to root.
func lay(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLookup looks for the server "s" from /w/p/sub, with the home /h.
func TestLookup(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		agent string
		env   map[string]string
		find  string
		want  *Server // nil: not found
		file  string
		line  int
	}{
		{name: "nowhere", want: nil},
		{name: "http of the project", files: map[string]string{"w/p/.mcp.json": "{\n \"mcpServers\": {\n  \"a\": {\"command\":\"x\"},\n  \"s\": {\"type\": \"http\", \"url\": \"https://docs.example/mcp\"}\n }\n}"},
			want: &Server{Transport: StreamableHTTP, URL: "https://docs.example/mcp"}, file: "/w/p/.mcp.json", line: 4},
		{name: "stdio with variables", files: map[string]string{"w/p/.mcp.json": `{"mcpServers":{"s":{"command":"${NODE:-node}","args":["${ROOT}/server.js","--n","${N:-1}","${GONE}",7],"env":{"K":"${KEY}","B":true}}}}`},
			env:  map[string]string{"ROOT": "/w/p", "KEY": "v"},
			want: &Server{Transport: Stdio, Command: "node", Args: []string{"/w/p/server.js", "--n", "1", UnknownValue, "7"}, Env: map[string]string{"K": "v", "B": "true"}}, file: "/w/p/.mcp.json", line: 1},
		{name: "nearest folder wins", files: map[string]string{"w/.mcp.json": `{"mcpServers":{"s":{"command":"far"}}}`, "w/p/sub/.mcp.json": `{"mcpServers":{"s":{"command":"near"}}}`},
			want: &Server{Transport: Stdio, Command: "near"}, file: "/w/p/sub/.mcp.json", line: 1},
		{name: "local scope before project before user", files: map[string]string{
			"h/.claude.json": "{\"mcpServers\":{\"s\":{\"command\":\"user\"}},\n\"projects\":{\"/w/p\":{\"mcpServers\":{\"s\":{\"command\":\"local\"}}}}}", "w/p/.mcp.json": `{"mcpServers":{"s":{"command":"project"}}}`},
			want: &Server{Transport: Stdio, Command: "local"}, file: "/h/.claude.json", line: 2},
		{name: "user scope last", files: map[string]string{"h/.claude.json": `{"numStartups":3,"mcpServers":{"s":{"command":"user"}},"projects":{"/other":{"mcpServers":{"s":{"command":"local"}}}}}`},
			want: &Server{Transport: Stdio, Command: "user"}, file: "/h/.claude.json", line: 1},
		{name: "rejected by the settings", files: map[string]string{"w/p/.mcp.json": `{"mcpServers":{"s":{"command":"project"}}}`, "w/p/.claude/settings.local.json": `{"disabledMcpjsonServers":["s"]}`,
			"h/.claude.json": `{"mcpServers":{"s":{"command":"user"}}}`}, want: &Server{Transport: Stdio, Command: "user"}, file: "/h/.claude.json", line: 1},
		{name: "headers helper", files: map[string]string{"w/p/.mcp.json": `{"mcpServers":{"s":{"type":"streamable-http","url":"https://x.example/${V:-v1}","headersHelper":"./token.sh | cut -f1"}}}`},
			want: &Server{Transport: StreamableHTTP, URL: "https://x.example/v1", HeadersHelper: "./token.sh | cut -f1"}, file: "/w/p/.mcp.json", line: 1},
		{name: "sse", files: map[string]string{"w/p/.mcp.json": `{"mcpServers":{"s":{"type":"sse","url":"http://x.example/sse"}}}`}, want: &Server{Transport: SSE, URL: "http://x.example/sse"}, file: "/w/p/.mcp.json", line: 1},
		{name: "websocket", files: map[string]string{"w/p/.mcp.json": `{"mcpServers":{"s":{"type":"ws","url":"wss://x.example/"}}}`}, want: &Server{Transport: WebSocket, URL: "wss://x.example/"}, file: "/w/p/.mcp.json", line: 1},
		{name: "Cursor", files: map[string]string{"w/p/.cursor/mcp.json": `{"mcpServers":{"s":{"url":"https://${env:HOSTNAME}/mcp"}}}`}, env: map[string]string{"HOSTNAME": "c.example"},
			want: &Server{Transport: StreamableHTTP, URL: "https://c.example/mcp"}, file: "/w/p/.cursor/mcp.json", line: 1},
		{name: "VS Code with comments", files: map[string]string{"w/p/.vscode/mcp.json": "{\n// servers\n\"inputs\":[],\n\"servers\":{\n/* one */ \"s\":{\"type\":\"stdio\",\"command\":\"${workspaceFolder}/run\",\"args\":[\"${input:key}\"],\"envFile\":\".env\",},\n}}"},
			want: &Server{Transport: Stdio, Command: "/w/p/sub/run", Args: []string{UnknownValue}, EnvFile: "/w/p/sub/.env"}, file: "/w/p/.vscode/mcp.json", line: 5},
		{name: "Windsurf", files: map[string]string{"h/.codeium/windsurf/mcp_config.json": `{"mcpServers":{"s":{"serverUrl":"https://w.example/sse"}}}`},
			want: &Server{Transport: StreamableHTTP, URL: "https://w.example/sse"}, file: "/h/.codeium/windsurf/mcp_config.json", line: 1},
		{name: "Gemini", files: map[string]string{"w/p/.gemini/settings.json": `{"theme":"x","mcpServers":{"s":{"httpUrl":"https://g.example/mcp"}}}`},
			want: &Server{Transport: StreamableHTTP, URL: "https://g.example/mcp"}, file: "/w/p/.gemini/settings.json", line: 1},
		{name: "Gemini over websocket", files: map[string]string{"h/.gemini/settings.json": `{"mcpServers":{"s":{"tcp":"ws://g.example:9/mcp"}}}`},
			want: &Server{Transport: WebSocket, URL: "ws://g.example:9/mcp"}, file: "/h/.gemini/settings.json", line: 1},
		{name: "opencode", files: map[string]string{"w/p/opencode.json": `{"mcp":{"s":{"type":"local","command":["bun","x","pkg"],"environment":{"A":"{env:AA}"},"enabled":true}}}`}, env: map[string]string{"AA": "1"},
			want: &Server{Transport: Stdio, Command: "bun", Args: []string{"x", "pkg"}, Env: map[string]string{"A": "1"}}, file: "/w/p/opencode.json", line: 1},
		{name: "opencode of the second version", files: map[string]string{"w/p/.opencode/opencode.jsonc": `{"mcp":{"servers":{"s":{"type":"remote","url":"https://o.example"}}}} // end`},
			want: &Server{Transport: StreamableHTTP, URL: "https://o.example"}, file: "/w/p/.opencode/opencode.jsonc", line: 1},
		{name: "Codex", files: map[string]string{"h/.codex/config.toml": "model = \"m\"\n[mcp_servers.other]\ncommand=\"x\"\n\n[mcp_servers.s]\ncommand = \"npx\"\nargs = [\"-y\", \"pkg\"]\n[mcp_servers.s.env]\nA = \"b\"\n"},
			want: &Server{Transport: Stdio, Command: "npx", Args: []string{"-y", "pkg"}, Env: map[string]string{"A": "b"}}, file: "/h/.codex/config.toml", line: 5},
		{name: "Codex over HTTP", files: map[string]string{"w/p/.codex/config.toml": "mcp_servers.s.url = \"https://x.example/mcp\"\n"}, want: &Server{Transport: StreamableHTTP, URL: "https://x.example/mcp"}, file: "/w/p/.codex/config.toml", line: 1},
		{name: "Zed", files: map[string]string{"w/p/.zed/settings.json": `{"context_servers":{"s":{"command":{"path":"z","args":["a"]}}}}`}, want: &Server{Transport: Stdio, Command: "z", Args: []string{"a"}}, file: "/w/p/.zed/settings.json", line: 1},
		{name: "the agent's own file first", agent: "cursor", files: map[string]string{"h/.cursor/mcp.json": `{"mcpServers":{"s":{"command":"cursor"}}}`, "w/p/.mcp.json": `{"mcpServers":{"s":{"command":"claude"}}}`},
			want: &Server{Transport: Stdio, Command: "cursor"}, file: "/h/.cursor/mcp.json", line: 1},
		{name: "name with other characters", find: "my_docs_v2", files: map[string]string{"w/p/.mcp.json": `{"mcpServers":{"my docs.v2":{"command":"x"}}}`}, want: &Server{Name: "my docs.v2", Transport: Stdio, Command: "x"}, file: "/w/p/.mcp.json", line: 1},
		{name: "last of two", files: map[string]string{"w/p/.mcp.json": "{\"mcpServers\":{\"s\":{\"command\":\"first\"},\n\"s\":{\"command\":\"last\"}}}"}, want: &Server{Transport: Stdio, Command: "last"}, file: "/w/p/.mcp.json", line: 2},
		{name: "plugin", find: "plugin_my_tools_data_base", files: map[string]string{
			"h/.claude/plugins/installed_plugins.json": `{"version":2,"plugins":{"my-x@m":[{"installPath":"/plug/x"}],"my_tools@market":[{"scope":"user","installPath":"/plug/mt"}]}}`,
			"plug/mt/.mcp.json":                        `{"data-base":{"command":"no"},"data_base":{"command":"${CLAUDE_PLUGIN_ROOT}/bin/s","args":["--r","${CLAUDE_PLUGIN_ROOT}"]}}`},
			want: &Server{Name: "data_base", Transport: Stdio, Command: "/plug/mt/bin/s", Args: []string{"--r", "/plug/mt"}}, file: "/plug/mt/.mcp.json", line: 1},
		{name: "plugin with a manifest", find: "plugin_p_s", files: map[string]string{"h/.claude/plugins/installed_plugins.json": `{"plugins":{"p@m":{"installPath":"/plug/p"}}}`,
			"plug/p/.claude-plugin/plugin.json": `{"name":"p","mcpServers":"./servers.json"}`, "plug/p/servers.json": `{"mcpServers":{"s":{"url":"https://p.example"}}}`},
			want: &Server{Transport: StreamableHTTP, URL: "https://p.example"}, file: "/plug/p/servers.json", line: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			lay(t, root, tt.files)
			find := tt.find
			if find == "" {
				find = "s"
			}
			got, ok, unknowns := Lookup(workspace.New(root, workspace.Limits{}), Request{Agent: tt.agent, Dir: "/w/p/sub", Home: "/h", Env: tt.env}, find)
			if len(unknowns) > 0 {
				t.Error("unknowns:", unknowns)
			}
			if tt.want == nil {
				if ok {
					t.Error("found:", got)
				}
				return
			}
			if !ok {
				t.Fatal("not found")
			}
			want := *tt.want
			if want.Name == "" {
				want.Name = "s"
			}
			want.Dir = "/w/p/sub"
			if d := cmp.Diff(want, got, cmpopts.IgnoreFields(Server{}, "From", "Reads"), cmpopts.IgnoreUnexported(Server{})); d != "" {
				t.Error("server (-want +got):", d)
			}
			if got.From.File != tt.file || got.From.Line != tt.line || len(got.From.SHA256) != 64 {
				t.Errorf("from %s:%d, want %s:%d", got.From.File, got.From.Line, tt.file, tt.line)
			}
		})
	}
}

func TestPlan(t *testing.T) {
	tests := []struct {
		name, entry string
		claims      []string // class.access target
		jobs        []string
		program     string
		unknowns    int
	}{
		{"http", `{"type":"http","url":"https://docs.example/v1/mcp?x=1"}`, []string{"mcp.call s/t", "network.send https://docs.example/v1/mcp"}, nil, "", 0},
		{"loopback is said too", `{"url":"http://127.0.0.1:3000/mcp"}`, []string{"mcp.call s/t", "network.send http://127.0.0.1:3000/mcp"}, nil, "", 0},
		{"variables by name", `{"url":"https://a.example","headers":{"A":"Bearer ${TOKEN:-x} ${OTHER}"},"bearer_token_env_var":"B"}`, []string{"mcp.call s/t", "environment.read B", "environment.read OTHER", "environment.read TOKEN", "network.send https://a.example"}, nil, "", 0},
		{"unknown host", `{"url":"https://${NO_SUCH}/mcp"}`, []string{"mcp.call s/t", "environment.read NO_SUCH", "network.send *"}, nil, "", 0},
		{"unknown path", `{"url":"https://a.example/x/k-${NO_SUCH}/mcp"}`, []string{"mcp.call s/t", "environment.read NO_SUCH", "network.send https://a.example/x"}, nil, "", 0},
		{"headers helper", `{"url":"https://a.example","headersHelper":"sh token.sh"}`, []string{"mcp.call s/t", "network.send https://a.example"}, []string{"sh token.sh"}, "", 0},
		{"stdio", `{"command":"node","args":["server.js"]}`, []string{"mcp.call s/t"}, nil, "node server.js", 0},
		{"bridge to a remote", `{"command":"npx","args":["-y","bridge","https://r.example/mcp","--url=wss://q.example","file:///x"]}`,
			[]string{"mcp.call s/t", "network.send https://r.example/mcp", "network.send wss://q.example"}, nil, "npx -y bridge https://r.example/mcp --url=wss://q.example file:///x", 0},
		{"variables from a file", `{"command":"x","envFile":"secrets.env"}`, []string{"mcp.call s/t", "environment.read /p/secrets.env"}, nil, "x", 0},
		{"neither", `{"type":"http"}`, []string{"mcp.call s/t"}, nil, "", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			lay(t, root, map[string]string{"p/.mcp.json": `{"mcpServers":{"s":` + tt.entry + `}}`})
			res, program := Plan(workspace.New(root, workspace.Limits{}), Request{Dir: "/p", Home: "/h"}, "s", "t")
			var claims, jobs []string
			for _, c := range res.Claims {
				claims = append(claims, c.Class.String()+"."+c.Access.String()+" "+c.Target)
			}
			for _, j := range res.Jobs {
				jobs = append(jobs, j.Shell)
			}
			if d := cmp.Diff(tt.claims, claims); d != "" {
				t.Error("claims:", d)
			}
			if d := cmp.Diff(tt.jobs, jobs); d != "" {
				t.Error("jobs:", d)
			}
			got := ""
			if program != nil {
				got = strings.Join(program.Argv, " ")
			}
			if got != tt.program || len(res.Unknowns) != tt.unknowns {
				t.Errorf("program %q, unknowns %v", got, res.Unknowns)
			}
		})
	}
}

func TestPlanOfAnUnknownServer(t *testing.T) {
	res, program := Plan(workspace.New(t.TempDir(), workspace.Limits{}), Request{Dir: "/p", Home: "/h"}, "s", "t")
	if program != nil || len(res.Unknowns) != 1 {
		t.Fatalf("%+v", res)
	}
	if d := cmp.Diff([]effect.Class{effect.File, effect.Network, effect.Process}, res.Unknowns[0].Could); d != "" {
		t.Error(d)
	}
}

func TestSplit(t *testing.T) {
	root := t.TempDir()
	lay(t, root, map[string]string{"p/.mcp.json": `{"mcpServers":{"a__b":{"command":"x"},"a":{"command":"y"}}}`})
	for _, tt := range []struct {
		name, server, tool string
		ok                 bool
	}{
		{"mcp__a__t", "a", "t", true}, {"mcp__a__b__t", "a__b", "t", true}, {"mcp__a__c__t", "a", "c__t", true}, {"mcp__z__b__t", "z", "b__t", true},
		{"mcp__a", "a", "", false}, {"mcp____t", "", "t", false}, {"Bash", "", "", false},
	} {
		s, tool, ok := Split(workspace.New(root, workspace.Limits{}), Request{Dir: "/p"}, tt.name)
		if ok != tt.ok || ok && (s != tt.server || tool != tt.tool) {
			t.Errorf("Split(%s) = %q %q %v", tt.name, s, tool, ok)
		}
	}
}

// TestHostileFiles: what cannot be read is an unknown, and costs no more than the limits.
func TestHostileFiles(t *testing.T) {
	plan := func(root string) source.Result {
		res, _ := Plan(workspace.New(root, workspace.Limits{}), Request{Dir: "/p", Home: "/h"}, "s", "t")
		return res
	}
	deep := strings.Repeat(`{"mcpServers":`, 200_000)
	for name, text := range map[string]string{
		"not JSON": "nope", "cut off": `{"mcpServers":{"s":{"url":"https://x.example"`, "deep": deep, "wrong kind of command": `{"mcpServers":{"s":{"command":7,"args":"x"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			lay(t, root, map[string]string{"p/.mcp.json": text})
			if res := plan(root); len(res.Unknowns) < 2 { // the file, and the server that is not found
				t.Errorf("unknowns: %v", res.Unknowns)
			}
		})
	}
	for name, text := range map[string]string{"array": `[]`, "null": `null`, "servers are a list": `{"mcpServers":[1]}`, "server is a text": `{"mcpServers":{"s":"x"}}`, "empty": `{}`} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			lay(t, root, map[string]string{"p/.mcp.json": text})
			if res := plan(root); len(res.Unknowns) != 1 {
				t.Errorf("unknowns: %v", res.Unknowns)
			}
		})
	}
	t.Run("a FIFO", func(t *testing.T) {
		root := t.TempDir()
		lay(t, root, map[string]string{"p/x": ""})
		if err := syscall.Mkfifo(root+"/p/.mcp.json", 0o644); err != nil {
			t.Fatal(err)
		}
		if res := plan(root); len(res.Unknowns) != 2 {
			t.Errorf("unknowns: %v", res.Unknowns)
		}
	})
	t.Run("a file in place of a folder", func(t *testing.T) {
		root := t.TempDir()
		lay(t, root, map[string]string{"p/.cursor": "x"})
		if res := plan(root); len(res.Unknowns) != 1 {
			t.Errorf("unknowns: %v", res.Unknowns)
		}
	})
}

func FuzzEntry(f *testing.F) {
	for _, s := range []string{`{"mcpServers":{"s":{"command":"a","args":["${B:-c}"]}}}`, `{"mcpServers":{"s":{"url":"https://x/${Y}"}}}`, `{"mcpServers":{"s":{"command":["a",1]}}}`,
		"{// c\n\"mcpServers\":{\"s\":{\"transport\":\"sse\",\"url\":\"x\"},},}", `{"mcpServers":{"s":{"command":{"path":"p"}}}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root := t.TempDir()
		lay(t, root, map[string]string{"p/.mcp.json": text})
		s, ok, unknowns := Lookup(workspace.New(root, workspace.Limits{}), Request{Dir: "/p"}, "s")
		if ok && (s.From.Line < 1 || s.From.Line > 1+strings.Count(text, "\n")) {
			t.Errorf("line %d", s.From.Line)
		}
		if !ok && len(unknowns) == 0 && strings.HasPrefix(text, `{"mcpServers":{"s":{}}}`) {
			t.Error("an entry was dropped without a word")
		}
	})
}
