package trace

import (
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Scope says which part of a trace is judged: the whole run, the lifecycle hook of one package, or an MCP call.
type Scope struct {
	Package string // name of the package whose hook is judged; empty for the whole run
	Event   string // preinstall, install, postinstall, prepare, ...; empty for any
	MCP     bool   // the first program is the MCP client: starting the server is not an effect
}

// Seen is what was realised, for information: labels are the classes. Workspace, HOME and the temporary folder are
// written $WS, $HOME and $TMP.
type Seen struct {
	Programs []string `json:"programs,omitempty"`
	Writes   []string `json:"writes,omitempty"`
	Reads    []string `json:"reads,omitempty"` // credential stores and files outside
	Network  []string `json:"network,omitempty"`
	EnvGiven []string `json:"env_given,omitempty"`
	EnvRead  []string `json:"env_read,omitempty"`
	EnvFiles []string `json:"env_files,omitempty"`
	Engines  []string `json:"engines,omitempty"`
}

// Classes returns the effect classes of what was seen, sorted.
func (s Seen) Classes() []string {
	var out []string
	add := func(class string, lists ...[]string) {
		for _, l := range lists {
			if len(l) > 0 {
				out = append(out, class)
				return
			}
		}
	}
	add("container", s.Engines)
	add("environment", s.EnvGiven, s.EnvRead, s.EnvFiles)
	add("file", s.Writes, s.Reads)
	add("network", s.Network)
	add("process", s.Programs)
	return out
}

// Merge adds what another trace saw.
func (s *Seen) Merge(o Seen) {
	join := func(dst *[]string, src []string) {
		*dst = append(*dst, src...)
		slices.Sort(*dst)
		*dst = slices.Compact(*dst)
	}
	join(&s.Programs, o.Programs)
	join(&s.Writes, o.Writes)
	join(&s.Reads, o.Reads)
	join(&s.Network, o.Network)
	join(&s.EnvGiven, o.EnvGiven)
	join(&s.EnvRead, o.EnvRead)
	join(&s.EnvFiles, o.EnvFiles)
	join(&s.Engines, o.Engines)
}

// Judge applies the labelling rubric to the part of the trace that the scope names. ok is false when that part did not
// happen: the hook never ran.
func (t *Trace) Judge(sc Scope) (seen Seen, ok bool) {
	j := &judge{t: t, sc: sc, sets: map[string]map[string]bool{}, made: map[string]bool{}, inside: map[*Image]bool{}}
	ok = sc.Package == ""
	for _, m := range t.Images {
		if j.in(m) {
			ok = true
			j.given(m)
		}
	}
	for _, e := range t.Events {
		if e.Op == Write {
			j.made[e.Target] = true
		}
		if j.in(e.Image) {
			j.event(e)
		}
	}
	if sc.Package == "" {
		j.changed()
	}
	return j.seen(), ok
}

type judge struct {
	t      *Trace
	sc     Scope
	sets   map[string]map[string]bool
	made   map[string]bool
	inside map[*Image]bool
}

func (j *judge) add(set, value string) {
	if j.sets[set] == nil {
		j.sets[set] = map[string]bool{}
	}
	j.sets[set][value] = true
}

// in reports whether an image belongs to the scope.
func (j *judge) in(m *Image) bool {
	if j.sc.Package == "" {
		return true
	}
	if m == nil {
		return false
	}
	if v, ok := j.inside[m]; ok {
		return v
	}
	v := j.in(m.Parent) || m.Env["npm_package_name"] == j.sc.Package && j.lifecycle(m.Env["npm_lifecycle_event"]) && launcher(m.Parent) != ""
	j.inside[m] = v
	return v
}

func (j *judge) lifecycle(event string) bool {
	if j.sc.Event != "" {
		return event == j.sc.Event
	}
	return event == "preinstall" || event == "install" || event == "postinstall"
}

// given compares the environment of a program with that of the program that started it.
func (j *judge) given(m *Image) {
	if m.Parent == nil || j.sc.Package != "" && !j.in(m.Parent) {
		return // what the launcher hands to the hook is the launcher's
	}
	for k, v := range m.Env {
		if old, ok := m.Parent.Env[k]; (!ok || old != v) && !constant(launcher(m.Parent), k) {
			j.add("given", k)
		}
	}
}

// client reports whether an image is the MCP client or what led to it.
func (j *judge) client(m *Image) bool {
	return j.sc.MCP && (m == nil || m.Parent == nil || strings.Contains(strings.Join(m.Argv, " "), "mcpcall.mjs"))
}

func (j *judge) event(e Event) {
	c, kind := j.t.Command, launcher(e.Image)
	switch e.Op {
	case Exec:
		if containerCLI(e.Image.Base()) {
			j.add("engines", e.Image.Base())
		}
		if e.Errno == "" && !(j.client(e.Image) || j.client(e.Image.Parent)) {
			j.add("programs", e.Image.Base())
		}
	case Write:
		if startup(e.Target) && e.Errno == "" {
			j.add("envfiles", j.name(e.Target))
		}
		if !c.ownWrite(kind, e.Target) && !c.probe(e.Image, e.Target) && !(e.Errno == "EEXIST" && within(c.Dir, e.Target)) {
			j.add("writes", j.name(e.Target))
		}
	case Read:
		j.read(e, kind)
	case Connect, Listen, Lookup:
		j.add("network", j.address(e, kind))
	case Socket:
		if engineSocket(e.Target) {
			j.add("engines", e.Target)
		}
	case EnvRead:
		// Code of the workspace may run inside a package manager's process, such as a .pnpmfile.cjs.
		own := launcherSource(e.By) || kind != "" && !within(e.By, c.Dir)
		if !usual(e.Target) && !own && !within(e.By, c.Instr) {
			j.add("envread", e.Target)
		}
	}
}

func (j *judge) read(e Event, kind string) {
	c := j.t.Command
	absent := e.Errno == "ENOENT" || e.Errno == "ENOTDIR"
	switch {
	case absent && kind != "" && envFile(e.Target): // yarn, bun and git look for one in every run
	case ownRead(kind, e.Target), e.Dir, e.Target == "", strings.Contains(e.Target, "/node_modules/"):
	case envFile(e.Target), path.Base(e.Target) == ".npmrc" && holdsToken(e.Target):
		j.add("envfiles", j.name(e.Target))
		if credential(e.Target) {
			j.add("reads", j.name(e.Target))
		}
	case credential(e.Target) && !within(e.Target, c.Dir):
		j.add("reads", j.name(e.Target))
	case absent, e.Errno == "EISDIR", c.system(e.Target), within(e.Target, c.Dir), j.made[e.Target]:
	case within(e.Target, c.Home) || within(e.Target, c.Tmp):
		// Both were fresh: a file that is there was made by this run, through a name we did not see (a rename of its folder).
	default:
		if st, err := os.Stat(e.Target); err == nil && !st.IsDir() {
			j.add("reads", j.name(e.Target))
		}
	}
}

func holdsToken(file string) bool {
	b, err := os.ReadFile(file)
	return err == nil && (strings.Contains(string(b), "_authToken") || strings.Contains(string(b), "_password"))
}

// address names a network target. What a package manager contacts is its registry, written by the manager's name.
func (j *judge) address(e Event, kind string) string {
	switch kind {
	case "npm", "pnpm", "yarn", "bun":
		return "@npm"
	case "pip":
		return "@pypi"
	case "cargo":
		return "@crates"
	case "go":
		return "@go"
	}
	if e.Op == Connect {
		_, port, _ := strings.Cut(e.Target[strings.LastIndex(e.Target, ":"):], ":")
		if port == "53" {
			return "dns"
		}
		return "*:" + port // the address depends on the world; its name is listed as well
	}
	if e.Op == Listen {
		return "listen " + e.Target
	}
	for _, o := range j.t.Events { // the registry's own name, when a hook asks for it too
		if o.Op == Lookup && o.Target == e.Target {
			switch launcher(o.Image) {
			case "npm", "pnpm", "yarn", "bun":
				return "@npm"
			}
		}
	}
	return e.Target
}

// changed adds what the hash snapshots show, whoever did it.
func (j *judge) changed() {
	kinds := map[string]bool{"": true}
	for _, m := range j.t.Images {
		kinds[launcher(m)] = true
	}
	for _, p := range j.t.Changed {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(kinds)), func(k string) bool { return j.t.Command.ownWrite(k, p) }) {
			j.add("writes", j.name(p))
		}
	}
}

// unsteady matches the parts of names that differ from run to run.
var unsteady = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b[0-9a-f]{12,}\b|\b[0-9]{4,}\b|\bsed[A-Za-z0-9]{6}\b|\b_tmp_[0-9a-f_]+`)
})

func (j *judge) name(p string) string {
	c := j.t.Command
	if rel, ok := below(p, c.Dir); ok {
		return strings.TrimSuffix("$WS/"+rel, "/")
	}
	if rel, ok := below(p, c.Home); ok {
		return strings.TrimSuffix("$HOME/"+rel, "/")
	}
	if _, ok := below(p, c.Tmp); ok {
		return "$TMP/*"
	}
	if within(c.Dir, p) {
		return "$WS/.."
	}
	return p
}

const shown = 20 // more names than this are summed up by their folders

func (j *judge) seen() Seen {
	list := func(set string) []string {
		return slices.Sorted(maps.Keys(j.sets[set]))
	}
	return Seen{Programs: list("programs"), Writes: Folders(list("writes"), shown), Reads: Folders(list("reads"), shown), Network: list("network"),
		EnvGiven: list("given"), EnvRead: list("envread"), EnvFiles: list("envfiles"), Engines: list("engines")}
}

// Folders shortens a list of paths to at most n by naming folders ("$WS/node_modules/**") instead of what is below them.
func Folders(paths []string, n int) []string {
	for i, p := range paths {
		paths[i] = unsteady().ReplaceAllString(p, "*")
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	for depth := 5; len(paths) > n && depth > 0; depth-- {
		for i, p := range paths {
			if parts := strings.Split(strings.TrimSuffix(p, "/**"), "/"); len(parts) > depth {
				paths[i] = strings.Join(parts[:depth], "/") + "/**"
			}
		}
		slices.Sort(paths)
		paths = slices.Compact(paths)
	}
	return paths
}
