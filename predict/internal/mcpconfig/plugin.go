package mcpconfig

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// plugins looks for a server that a plugin of Claude Code brings: rest is "<plugin>_<server>", where both may hold "_".
// Installed plugins stand in plugins/installed_plugins.json with the folder of each.
func (l *lookup) plugins(rest string) {
	claude := l.r.Env["CLAUDE_CONFIG_DIR"]
	if claude == "" && l.r.Home != "" {
		claude = l.r.Home + "/.claude"
	}
	if claude == "" {
		return
	}
	f, ok := l.read(claude + "/plugins/installed_plugins.json")
	if !ok {
		return
	}
	var installed struct {
		Plugins map[string]any `json:"plugins"`
	}
	if err := decode(f.Data, &installed); err != nil {
		l.broken(f, err)
		return
	}
	for _, id := range slices.Sorted(maps.Keys(installed.Plugins)) {
		plugin, _, _ := strings.Cut(id, "@")
		server, ok := strings.CutPrefix(rest, normalName(plugin)+"_")
		if !ok {
			continue
		}
		for _, dir := range installPaths(installed.Plugins[id]) {
			l.plugin(dir, server)
		}
	}
}

// installPaths finds the folders in an entry: one object in the first version of the file, a list of them since.
func installPaths(v any) (dirs []string) {
	switch v := v.(type) {
	case map[string]any:
		if p, ok := v["installPath"].(string); ok && path.IsAbs(p) {
			dirs = append(dirs, p)
		}
	case []any:
		for _, o := range v {
			if _, nested := o.([]any); !nested {
				dirs = append(dirs, installPaths(o)...)
			}
		}
	}
	return dirs
}

// plugin looks into .mcp.json and .claude-plugin/plugin.json of a plugin's folder. Its mcpServers are an object or the name of
// a file; in a file the servers may also stand at the top.
func (l *lookup) plugin(dir, server string) {
	files := map[string][][]string{dir + "/.mcp.json": {{"mcpServers"}, nil}}
	manifest := dir + "/.claude-plugin/plugin.json"
	if f, ok := l.read(manifest); ok {
		files[manifest] = [][]string{{"mcpServers"}}
		var m struct {
			Servers any `json:"mcpServers"`
		}
		if err := decode(f.Data, &m); err != nil {
			l.broken(f, err)
		} else if name, ok := m.Servers.(string); ok {
			files[workspace.Join(dir, name)] = [][]string{{"mcpServers"}, nil}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		f, ok := l.read(file)
		if !ok {
			continue
		}
		for _, keys := range files[file] {
			members, err := l.serversOf(f, keys)
			if err != nil {
				l.broken(f, err)
				break
			}
			for _, m := range members {
				if normalName(m.name) == server {
					l.pluginServer(f, dir, m)
				}
			}
		}
	}
}

func (l *lookup) pluginServer(f *workspace.File, dir string, m member) {
	m.raw = []byte(strings.ReplaceAll(string(m.raw), "${CLAUDE_PLUGIN_ROOT}", dir))
	s, err := l.server(place{agent: "claude-code", file: f.Path, dir: l.r.Dir}, m)
	if err != nil {
		l.broken(f, err)
		return
	}
	s.From = effect.Source{File: f.Path, Line: m.line, SHA256: f.SHA256, Rule: Rule}
	l.found = append(l.found, s)
}
