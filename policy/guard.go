package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
)

// Surroundings say where the protected places lie on this machine. All are absolute paths; an empty one has no places.
type Surroundings struct {
	Home      string
	Config    string   // $XDG_CONFIG_HOME
	Ambit     []string // ambit's own folders: state and configuration
	Binaries  []string // ambit's own program, under every name it is started by
	Keys      []string // files whose content must not be read: ambit's private keys
	Claude    string   // $CLAUDE_CONFIG_DIR, or ~/.claude
	Codex     string   // $CODEX_HOME
	Copilot   string   // $COPILOT_HOME
	Workspace string
	Dir       string // where the action runs
}

// Guard is one protected place: what is decided about an effect that writes (or deletes) there, and about one that reads.
type Guard struct {
	Rule   string
	Why    string          // after a comma: "which hold ..."
	On     effect.Pattern  // the place
	Folder effect.Resource // the folder that is the place's own: a change to all of it is a change to the place; zero if there is none
	Writes Kind
	Reads  Kind

	there bool // it exists by the time that anything runs: ambit makes it before it answers

	at, own effect.Resource // On and Folder, folded
}

// Place is the path of the place.
func (g Guard) Place() string { return strings.TrimPrefix(g.On.Resource.String(), "file:") }

// The rules of the built-in invariants.
const (
	RuleOwnFiles      = "invariant/ambit-files"
	RuleOwnKeys       = "invariant/ambit-keys"
	RuleAgentSettings = "invariant/agent-settings"
	RuleRunsLater     = "invariant/runs-later"
)

// whyOf says what a rule protects.
func whyOf(rule string) string {
	switch rule {
	case RuleOwnFiles:
		return "which is ambit's own: an agent does not change what it is judged by"
	case RuleOwnKeys:
		return "a key of ambit's: whoever has it can forge the record"
	case RuleAgentSettings:
		return "which says what agents may do and which hooks they run: an agent does not change that"
	default:
		return "which runs or is obeyed later, when nobody is asked"
	}
}

// Guards finds the protected places that an effect meets. It is built once for an action.
type Guards struct {
	disk     effect.Links
	links    effect.Links // the same, remembered
	all      []Guard
	exact    map[effect.Resource][]int // by the place, folded
	anywhere map[string][]suffix       // by the first segment
}

// suffix is a place that is protected in whichever folder it lies.
type suffix struct {
	segments []string
	tree     bool
	folder   int // how many of the segments are the place's own folder, 0 for none
	rule     string
	writes   Kind
}

// NewGuards lays the built-in places out for the surroundings. Paths are resolved: an effect names the file that a path leads to.
func NewGuards(s Surroundings, links effect.Links) *Guards {
	disk := links
	links = &memo{Links: links, seen: map[string]looked{}} // places share the folders that they lie in
	g := &Guards{disk: disk, links: links, exact: map[effect.Resource][]int{}, anywhere: map[string][]suffix{}}
	add := func(p placed, rule string, writes, reads Kind) {
		if !path.IsAbs(p.path) || p.path == "/" {
			return // surroundings that do not say where it lies
		}
		for _, full := range spellings(links, p.path) {
			g.add(full, p, rule, writes, reads)
		}
	}
	for _, dir := range s.Ambit {
		add(placed{path: dir, tree: true, folder: dir, there: true}, RuleOwnFiles, Deny, Allow)
	}
	for _, file := range s.Binaries {
		add(placed{path: file}, RuleOwnFiles, Deny, Allow)
	}
	for _, file := range s.Keys {
		add(placed{path: file, folder: path.Dir(file), there: true}, RuleOwnKeys, Deny, Deny)
	}
	dirs := compact(s.Workspace, s.Dir, s.Home)
	for _, row := range builtin() {
		for _, text := range row.places {
			if rest, ok := strings.CutPrefix(text, "*/"); ok { // by its last segments in every folder; by its path where it can be there
				g.addAnywhere(rest, row.rule, row.writes)
				first, _, _ := strings.Cut(rest, "/")
				for _, dir := range dirs {
					if _, err := links.Lstat(path.Join(dir, first)); err == nil {
						add(parsePlace(dir, rest), row.rule, row.writes, Allow)
					}
				}
				continue
			}
			if base, rest := s.base(text); base != "" {
				add(parsePlace(base, rest), row.rule, row.writes, Allow)
			}
		}
	}
	return g
}

// memo remembers what it looked at.
type memo struct {
	effect.Links
	seen map[string]looked
}

type looked struct {
	info fs.FileInfo
	err  error
}

// Lstat looks once at each name.
func (m *memo) Lstat(name string) (fs.FileInfo, error) {
	l, ok := m.seen[name]
	if !ok {
		l.info, l.err = m.Links.Lstat(name)
		m.seen[name] = l
	}
	return l.info, l.err
}

// placed is a place with its path written out.
type placed struct {
	path   string
	tree   bool
	folder string // "" for none
	there  bool
}

// parsePlace reads one entry of the table: "//" ends the folder that is the place's own, "/**" at the end means all below.
func parsePlace(base, text string) placed {
	own, rest, split := strings.Cut(text, "//")
	p := placed{}
	if split {
		p.folder = path.Join(base, own)
		text = own + "/" + rest
	}
	text, p.tree = strings.CutSuffix(text, "/**")
	p.path = path.Join(base, text)
	if p.tree && p.folder == "" {
		p.folder = p.path
	}
	return p
}

// base splits an entry of the table into the folder that its first word stands for, and the rest.
func (s Surroundings) base(text string) (dir, rest string) {
	name, rest, _ := strings.Cut(text, "/")
	switch name {
	case "~":
		return s.Home, rest
	case "$CONFIG":
		return s.Config, rest
	case "$CLAUDE":
		return s.Claude, rest
	case "$CODEX":
		return s.Codex, rest
	case "$COPILOT":
		return s.Copilot, rest
	}
	return "/", rest // the entry begins with a slash
}

// spellings are the path as written and what it leads to.
func spellings(links effect.Links, name string) []string {
	real, err := effect.Resolve(links, "/", name, true)
	if err != nil || real == name {
		return []string{name}
	}
	return []string{name, real}
}

func (g *Guards) add(full string, p placed, rule string, writes, reads Kind) {
	on, err := effect.FilePath(full)
	if err != nil {
		return // not a path that an effect can name
	}
	guard := Guard{Rule: rule, Why: whyOf(rule), On: effect.Pattern{Resource: on, Tree: p.tree}, Writes: writes, Reads: reads, there: p.there}
	if p.folder != "" {
		// The folder of the resolved place is as many steps up as that of the written one.
		up := on
		for range strings.Count(strings.TrimPrefix(p.path, p.folder), "/") {
			up = up.Parent()
		}
		guard.Folder = up
	}
	guard.at, guard.own = fold(on), fold(guard.Folder)
	for _, i := range g.exact[guard.at] {
		if same := &g.all[i]; same.Rule == rule && same.at == guard.at && same.On.Tree == guard.On.Tree {
			if same.Folder.IsZero() {
				same.Folder, same.own = guard.Folder, guard.own
			}
			return
		}
	}
	g.exact[guard.at] = append(g.exact[guard.at], len(g.all))
	g.all = append(g.all, guard)
}

func (g *Guards) addAnywhere(text, rule string, writes Kind) {
	own, rest, split := strings.Cut(text, "//")
	s := suffix{rule: rule, writes: writes}
	if split {
		s.folder = strings.Count(own, "/") + 1
		text = own + "/" + rest
	}
	text, s.tree = strings.CutSuffix(text, "/**")
	s.segments = strings.Split(text, "/")
	if s.tree && s.folder == 0 {
		s.folder = len(s.segments)
	}
	first := foldName(s.segments[0])
	g.anywhere[first] = append(g.anywhere[first], s)
}

// Meet lists the protected places that the effects write, delete or read, each with the first effect that does. Only file
// effects can.
func (g *Guards) Meet(effects ...[]effect.Effect) []Met {
	var met []Met
	seen := map[string]bool{}
	for _, list := range effects {
		for _, e := range list {
			if e.Class != effect.File || e.On.Kind() != effect.FileKind {
				continue
			}
			for _, m := range g.meet(e) {
				// A wide effect that came first must not hide the one that is on the place itself: only the latter can be denied.
				key := fmt.Sprint(m.Guard.Rule, " ", m.Guard.On, " ", e.Access, " ", m.Whole)
				if m.kind() != Allow && !seen[key] {
					seen[key] = true
					met = append(met, m)
				}
			}
		}
	}
	return met
}

func (g *Guards) meet(e effect.Effect) (met []Met) {
	at := fold(e.On.Resource)
	// Places at the effect, and those above it that hold all below themselves.
	for r, depth := at, 0; ; r, depth = r.Parent(), depth+1 {
		for _, i := range g.exact[r] {
			if guard := g.all[i]; depth == 0 || guard.On.Tree {
				met = append(met, Met{guard, e, true})
			}
		}
		if r == r.Parent() {
			break
		}
	}
	if e.On.Tree || e.Access == effect.Delete { // a folder that is deleted or moved away takes what is below it along
		for _, guard := range g.all {
			if guard.at == at || !guard.at.Under(at) {
				continue
			}
			whole := !guard.Folder.IsZero() && at.Under(guard.own)
			if whole || g.exists(guard) { // of a wide effect only what is there is worth a line: it is asked about by its class anyway
				met = append(met, Met{guard, e, whole})
			}
		}
	}
	return append(append(met, g.meetAnywhere(e)...), g.meetLinked(e)...)
}

func (g *Guards) exists(guard Guard) bool {
	if guard.there {
		return true
	}
	_, err := g.links.Lstat(guard.Place())
	return err == nil
}

func (g *Guards) meetAnywhere(e effect.Effect) (met []Met) {
	segs := e.On.Segments()
	for i, s := range segs {
		for _, x := range g.anywhere[foldName(s)] {
			rest := segs[i:]
			n := 0
			for n < len(rest) && n < len(x.segments) && foldName(rest[n]) == foldName(x.segments[n]) {
				n++
			}
			at := n == len(x.segments) && (len(rest) == n || x.tree)
			// All of the place's own folder, or of a folder inside it on the way to the place.
			around := n == len(rest) && n < len(x.segments) && x.folder > 0 && n >= x.folder && (e.On.Tree || e.Access == effect.Delete)
			if !at && !around {
				continue
			}
			on, err := effect.New(effect.FileKind, slices.Concat(segs[:i], x.segments)...)
			if err != nil {
				continue
			}
			guard := Guard{Rule: x.rule, Why: whyOf(x.rule), On: effect.Pattern{Resource: on, Tree: x.tree}, Writes: x.writes, Reads: Allow}
			met = append(met, Met{guard, e, true})
		}
	}
	return met
}

// Digest identifies the built-in policy: the SHA-256, in hexadecimal, of its rules and places.
func Digest() string {
	h := sha256.New()
	io.WriteString(h, "ambit first policy 1\n"+RuleDefect+" "+RuleBeyond+" "+RuleWithin+"\n")
	for _, row := range builtin() {
		fmt.Fprintf(h, "%s %s %q\n", row.rule, row.writes, row.places)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Name of the policy, as it stands in records.
const Name = "first"

func compact(dirs ...string) []string {
	dirs = slices.DeleteFunc(dirs, func(d string) bool { return d == "" })
	slices.Sort(dirs)
	return slices.Compact(dirs)
}
