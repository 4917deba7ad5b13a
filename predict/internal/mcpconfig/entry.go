package mcpconfig

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pelletier/go-toml/v2"
	"github.com/tidwall/jsonc"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// member is one server's entry in a file, as JSON.
type member struct {
	name string
	line int // 1-based
	raw  []byte
}

// entry is the union of what clients write for one server.
type entry struct {
	Type          string         `json:"type"`
	Transport     jsontext.Value `json:"transport"`
	Command       jsontext.Value `json:"command"` // a program, or (opencode) a program and its arguments, or (zed) an object
	Path          string         `json:"path"`
	Args          []any          `json:"args"`
	Env           map[string]any `json:"env"`
	Environment   map[string]any `json:"environment"`
	EnvFile       string         `json:"envFile"`
	Cwd           string         `json:"cwd"`
	URL           string         `json:"url"`
	HTTPURL       string         `json:"httpUrl"`
	ServerURL     string         `json:"serverUrl"`
	TCP           string         `json:"tcp"`
	HeadersHelper string         `json:"headersHelper"`
	Headers       map[string]any `json:"headers"`
	RequestInit   struct {
		Headers map[string]any `json:"headers"`
	} `json:"requestInit"`
	TokenVariable string            `json:"bearer_token_env_var"` // codex
	EnvVars       []any             `json:"env_vars"`
	EnvHeaders    map[string]string `json:"env_http_headers"`
	Disabled      bool              `json:"disabled"`
	Enabled       *bool             `json:"enabled"`
}

// decode reads JSON with comments; of members with the same name the last counts, as in the clients.
func decode(data []byte, v any) error {
	return json.Unmarshal(jsonc.ToJSON(data), v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// document is a file of JSON, perhaps with comments, whose objects are taken apart once: a client's file of settings and
// history can be large, and is looked into for every folder above.
type document struct {
	data    []byte
	objects map[int64][]jsonMember // by their offset
}

func newDocument(f *workspace.File) *document {
	data := bytes.TrimPrefix(f.Data, []byte("\ufeff"))
	if bytes.Contains(data, []byte("//")) || bytes.Contains(data, []byte("/*")) || !jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		data = jsonc.ToJSON(data)
	}
	return &document{data: data, objects: map[int64][]jsonMember{}}
}

func (d *document) members(at int64) ([]jsonMember, error) {
	if m, ok := d.objects[at]; ok {
		return m, nil
	}
	m, err := objectMembers(d.data, at)
	if err == nil {
		d.objects[at] = m
	}
	return m, err
}

// servers lists the entries below some members. Members that are missing or of another kind give none.
func (d *document) servers(keys []string) ([]member, error) {
	at := int64(0)
	for _, k := range keys {
		members, err := d.members(at)
		if err != nil {
			return nil, err
		}
		i := lastIndex(members, k)
		if i < 0 {
			return nil, nil
		}
		at = members[i].at
	}
	members, err := d.members(at)
	if err != nil {
		return nil, err
	}
	var out []member
	for _, m := range members {
		if m.kind == '{' {
			out = append(out, member{m.name, 1 + bytes.Count(d.data[:m.at], []byte("\n")), m.raw})
		}
	}
	slices.Reverse(out) // of two entries with one name the last counts, and is found first
	return out, nil
}

// serversOf lists the entries below some members of a file.
func (l *lookup) serversOf(f *workspace.File, keys []string) ([]member, error) {
	if path.Ext(f.Path) == ".toml" {
		return tomlServers(f.Data, keys)
	}
	d := l.documents[f.Path]
	if d == nil {
		d = newDocument(f)
		if l.documents == nil {
			l.documents = map[string]*document{}
		}
		l.documents[f.Path] = d
	}
	return d.servers(keys)
}

type jsonMember struct {
	name string
	at   int64 // of the value
	kind jsontext.Kind
	raw  []byte
}

func lastIndex(members []jsonMember, name string) int {
	for i := len(members) - 1; i >= 0; i-- {
		if members[i].name == name {
			return i
		}
	}
	return -1
}

// objectMembers lists the members of the object at an offset without looking inside of them; a value of another kind has none.
func objectMembers(data []byte, at int64) ([]jsonMember, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(data[at:]), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != '{' {
		return nil, d.SkipValue()
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	var out []jsonMember
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		m := jsonMember{name: name.String(), kind: d.PeekKind()}
		raw, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		m.at = at + d.InputOffset() - int64(len(raw))
		m.raw = data[m.at : m.at+int64(len(raw))]
		out = append(out, m)
	}
	_, err := d.ReadToken()
	return out, err
}

// tomlServers reads config.toml of Codex: tables [mcp_servers.NAME].
func tomlServers(data []byte, keys []string) ([]member, error) {
	var doc map[string]any
	if err := toml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	for _, k := range keys {
		doc, _ = doc[k].(map[string]any)
	}
	var out []member
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		raw, err := json.Marshal(doc[name])
		if err != nil || len(raw) == 0 || raw[0] != '{' {
			continue
		}
		out = append(out, member{name, tomlLine(data, keys, name), raw})
	}
	return out, nil
}

// tomlLine is the line of a table's header, in one of the ways to write it; 1 where none is found.
func tomlLine(data []byte, keys []string, name string) int {
	prefix := strings.Join(keys, ".") + "."
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		for _, n := range []string{name, `"` + name + `"`, "'" + name + "'"} {
			if strings.HasPrefix(line, "["+prefix+n+"]") || strings.HasPrefix(line, "["+prefix+n+".") || strings.HasPrefix(line, prefix+n) {
				return i + 1
			}
		}
	}
	return 1
}

// server makes a server of an entry.
func (l *lookup) server(p place, m member) (Server, error) {
	var e entry
	if err := json.Unmarshal(m.raw, &e, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return Server{}, fmt.Errorf("entry %q: %w", m.name, err)
	}
	x := expander{p: p, r: l.r, reads: map[string]bool{}}
	s := Server{Name: m.name, Dir: p.dir, HeadersHelper: e.HeadersHelper, disabled: e.Disabled || e.Enabled != nil && !*e.Enabled}
	if e.Cwd != "" {
		s.Dir = workspace.Join(p.dir, x.text(e.Cwd))
	}
	command, args, err := e.program()
	if err != nil {
		return Server{}, fmt.Errorf("entry %q: %w", m.name, err)
	}
	s.Command = x.text(command)
	for _, a := range args {
		s.Args = append(s.Args, x.text(a))
	}
	for k, v := range e.Environment {
		s.setEnv(k, x.text(scalar(v)))
	}
	for k, v := range e.Env {
		s.setEnv(k, x.text(scalar(v)))
	}
	if e.EnvFile != "" {
		s.EnvFile = workspace.Join(p.dir, x.text(e.EnvFile))
	}
	s.URL = x.text(cmp.Or(e.URL, e.HTTPURL, e.ServerURL, e.TCP))
	s.Transport = e.transport(s)
	e.namedVariables(x)
	s.Reads = slices.Sorted(maps.Keys(x.reads))
	return s, nil
}

// namedVariables notes the variables that headers and other members name.
func (e entry) namedVariables(x expander) {
	for _, headers := range []map[string]any{e.Headers, e.RequestInit.Headers} {
		for _, v := range headers {
			x.text(scalar(v))
		}
	}
	if e.TokenVariable != "" {
		x.reads[e.TokenVariable] = true
	}
	for _, v := range e.EnvHeaders {
		x.reads[v] = true
	}
	for _, v := range e.EnvVars {
		if name, ok := v.(string); ok {
			x.reads[name] = true
		}
	}
}

func (s *Server) setEnv(k, v string) {
	if s.Env == nil {
		s.Env = map[string]string{}
	}
	s.Env[k] = v
}

// program is the command and its arguments in the forms that clients take.
func (e entry) program() (command string, args []string, err error) {
	for _, a := range e.Args {
		args = append(args, scalar(a))
	}
	switch e.Command.Kind() {
	case '"':
		err = json.Unmarshal(e.Command, &command)
	case '[':
		var words []string
		if err = json.Unmarshal(e.Command, &words); err == nil && len(words) > 0 {
			command, args = words[0], slices.Concat(words[1:], args)
		}
	case '{':
		var inner struct {
			Path string         `json:"path"`
			Args []string       `json:"args"`
			Env  map[string]any `json:"env"`
		}
		err = json.Unmarshal(e.Command, &inner)
		command, args = inner.Path, inner.Args
	}
	return command, args, err
}

// transport is what the entry names, or what its members imply.
func (e entry) transport(s Server) Transport {
	named := e.Type
	if e.Transport.Kind() == '"' {
		named = cmp.Or(named, strings.Trim(string(e.Transport), `"`))
	}
	switch strings.ToLower(named) {
	case "stdio", "local":
		if s.Command != "" {
			return Stdio
		}
	case "http", "streamable-http", "streamable_http", "streamablehttp", "remote":
		if s.URL != "" {
			return StreamableHTTP
		}
	case "sse":
		if s.URL != "" {
			return SSE
		}
	case "ws", "websocket":
		if s.URL != "" {
			return WebSocket
		}
	}
	switch {
	case e.TCP != "" || strings.HasPrefix(s.URL, "ws"):
		return WebSocket
	case s.URL != "":
		return StreamableHTTP
	case s.Command != "":
		return Stdio
	}
	return ""
}

// scalar is a value of a list or of env as text; clients turn numbers and booleans into strings.
func scalar(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return fmt.Sprint(v)
}

// expander replaces the variables of clients in a text.
type expander struct {
	p     place
	r     Request
	reads map[string]bool // variables that were looked up
}

// text expands ${NAME}, ${NAME:-default}, ${env:NAME}, ${workspaceFolder} and the like, and {env:NAME} of opencode. A variable
// without a value, and what is asked of the user, is unknown.
func (x expander) text(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			break
		}
		end := strings.IndexByte(s[i:], '}')
		if end < 0 {
			break
		}
		name := s[i+1 : i+end]
		dollar := i > 0 && s[i-1] == '$'
		v, ok := x.variable(name, dollar)
		if !ok {
			b.WriteString(s[:i+1])
			s = s[i+1:]
			continue
		}
		if dollar {
			i, end = i-1, end+1
		}
		b.WriteString(s[:i])
		b.WriteString(v)
		s = s[i+end+1:]
	}
	b.WriteString(s)
	return b.String()
}

func (x expander) variable(name string, dollar bool) (string, bool) {
	kind, arg, has := strings.Cut(name, ":")
	if !dollar {
		if x.p.agent != "opencode" || !has || kind != "env" && kind != "file" {
			return "", false
		}
		if kind == "file" {
			return UnknownValue, true
		}
		return x.env(arg, "", false), true
	}
	switch {
	case name == "workspaceFolder" || name == "workspaceRoot" || name == "CLAUDE_PROJECT_DIR":
		return x.p.dir, true
	case name == "workspaceFolderBasename":
		return path.Base(x.p.dir), true
	case name == "userHome":
		return x.r.Home, x.r.Home != ""
	case name == "pathSeparator" || name == "/":
		return "/", true
	case has && kind == "env":
		return x.env(arg, "", false), true
	case has && strings.HasPrefix(arg, "-"):
		return x.env(kind, arg[1:], true), true
	case has: // ${input:id}, ${config:...}, ${command:...}
		return UnknownValue, true
	}
	return x.env(name, "", false), true
}

func (x expander) env(name, otherwise string, has bool) string {
	x.reads[name] = true
	if v := x.r.Env[name]; v != "" {
		return v
	}
	if has {
		return otherwise
	}
	if name == "HOME" && x.r.Home != "" {
		return x.r.Home
	}
	return UnknownValue
}
