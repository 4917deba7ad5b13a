package githooks

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/gitrepo"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Programs says which programs the configuration makes the call of r run: every setting of git-config(1) whose value is a
// command, where the command line does what starts it. Programs of remotes are in Contacts.
func Programs(r *gitrepo.Repo) source.Result {
	p := programs{r: r, does: acts(r), dir: r.Top()}
	p.monitor()
	p.filters()
	p.drivers()
	p.editors()
	p.signing()
	p.pager()
	p.perVerb()
	p.partialClone()
	return p.res
}

type programs struct {
	r    *gitrepo.Repo
	does act
	dir  string
	res  source.Result
}

// shell adds a setting that git gives to the shell, with arguments after it.
func (p *programs) shell(e gitrepo.Entry, label string, args ...string) {
	if e.Value == "" {
		return
	}
	p.res.Jobs = append(p.res.Jobs, source.Job{Shell: withArgs(e.Value, args), Args: args, Dir: p.dir, Label: label, From: e.From})
}

// withArgs appends "$@" as git's run-command.c does when there are arguments.
func withArgs(text string, args []string) string {
	if len(args) == 0 {
		return text
	}
	return text + ` "$@"`
}

// argv adds a program that git starts without a shell.
func (p *programs) argv(from effect.Source, label string, words ...string) {
	p.res.Jobs = append(p.res.Jobs, source.Job{Argv: words, Dir: p.dir, Label: label, From: from})
}

// first is the first that is set of some environment variables and settings, named with a dot when a setting.
func (p *programs) first(names ...string) (gitrepo.Entry, bool) { return firstSet(p.r, names...) }

func firstSet(r *gitrepo.Repo, names ...string) (gitrepo.Entry, bool) {
	for _, n := range names {
		if strings.Contains(n, ".") {
			if e, ok := r.Config.Get(n); ok && e.Value != "" {
				return e, true
			}
		} else if v := r.Call.Env[n]; v != "" {
			return gitrepo.Entry{Key: n, Value: v, HasValue: true, Scope: gitrepo.Command, From: effect.Source{Rule: "git/environment"}}, true
		}
	}
	return gitrepo.Entry{}, false
}

// monitor is core.fsmonitor: a boolean starts git's own daemon, anything else is a hook for the shell.
func (p *programs) monitor() {
	e, ok := p.r.Config.Get("core.fsmonitor")
	if p.does&readsIndex == 0 || !ok || p.r.WorkTree == "" {
		return
	}
	if _, isBool := e.Bool(); isBool {
		return
	}
	if v, known := p.r.Path(e.Value); known {
		e.Value = v
	}
	p.shell(e, "core.fsmonitor", "2", UnknownValue)
}

// filters are the clean, smudge and process commands of filters that some attributes file names (gitattributes(5)).
func (p *programs) filters() {
	if p.does&(cleans|smudges) == 0 {
		return
	}
	for _, name := range p.named("filter", "filter", "clean", "smudge", "process") {
		key := "filter." + name + "."
		if e, ok := p.r.Config.Get(key + "process"); ok && e.Value != "" {
			p.shell(e, "filter "+name)
			continue
		}
		if e, ok := p.r.Config.Get(key + "clean"); ok && p.does&cleans != 0 {
			p.shell(fill(e, "%f"), "filter "+name)
		}
		if e, ok := p.r.Config.Get(key + "smudge"); ok && p.does&smudges != 0 {
			p.shell(fill(e, "%f"), "filter "+name)
		}
	}
}

// named lists the drivers of a section that have one of some settings and that an attributes file names, sorted.
func (p *programs) named(attribute, section string, settings ...string) []string {
	set := map[string]bool{}
	for _, e := range p.r.Config {
		s, sub, name := gitrepo.SplitKey(e.Key)
		if s == section && sub != "" && e.Value != "" && slices.Contains(settings, name) {
			set[sub] = true
		}
	}
	if len(set) == 0 {
		return nil // no attributes file needs to be read
	}
	if p.r.Call.Verb == "clone" { // the attributes of what is cloned are not known
		return slices.Sorted(maps.Keys(set))
	}
	used := p.r.Drivers(attribute)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(set)), func(n string) bool { _, ok := used[n]; return !ok })
}

// someFile stands for a file of the work tree that only the run will know, or a copy that git lays there.
const someFile = "./" + UnknownValue

// fill puts some file in the place of what git fills in.
func fill(e gitrepo.Entry, placeholders ...string) gitrepo.Entry {
	for _, ph := range placeholders {
		e.Value = strings.ReplaceAll(e.Value, ph, someFile)
	}
	return e
}

// drivers are external diff, textconv and merge programs.
func (p *programs) drivers() {
	if p.does&diffs != 0 {
		if e, ok := p.first("GIT_EXTERNAL_DIFF", "diff.external"); ok {
			p.shell(e, "external diff", someFile)
		}
		for _, name := range p.named("diff", "diff", "command") {
			e, _ := p.r.Config.Get("diff." + name + ".command")
			p.shell(e, "diff driver "+name, someFile)
		}
	}
	if p.does&converts != 0 {
		for _, name := range p.named("diff", "diff", "textconv") {
			e, _ := p.r.Config.Get("diff." + name + ".textconv")
			p.shell(e, "textconv of "+name, someFile)
		}
	}
	if p.does&merges == 0 {
		return
	}
	names := p.named("merge", "merge", "driver")
	if d := p.r.Config.Text("merge.default"); d != "" && !slices.Contains(names, d) {
		names = append(names, d)
	}
	for _, name := range names {
		if e, ok := p.r.Config.Get("merge." + name + ".driver"); ok {
			p.shell(fill(e, "%O", "%A", "%B", "%L", "%P", "%S", "%X", "%Y"), "merge driver "+name)
		}
	}
}

// editors: git starts one only where a message or list is to be edited. Without any setting it is the system's editor on a
// terminal, of which nothing is said here.
func (p *programs) editors() {
	if p.does&edits != 0 {
		if e, ok := p.first("GIT_EDITOR", "core.editor", "VISUAL", "EDITOR"); ok && e.Value != ":" {
			p.shell(e, "editor", p.r.GitDir+"/COMMIT_EDITMSG")
		}
	}
	if p.does&sequences != 0 {
		if e, ok := p.first("GIT_SEQUENCE_EDITOR", "sequence.editor", "GIT_EDITOR", "core.editor", "VISUAL", "EDITOR"); ok && e.Value != ":" {
			p.shell(e, "sequence editor", p.r.GitDir+"/rebase-merge/git-rebase-todo")
		}
	}
	if p.does&picks != 0 {
		if e, ok := p.first("interactive.difffilter"); ok {
			p.shell(e, "interactive.diffFilter")
		}
	}
}

// signing is the program of gpg.format, to sign or to verify.
func (p *programs) signing() {
	if p.does&(signs|verifies) == 0 {
		return
	}
	format := strings.ToLower(p.r.Config.Text("gpg.format"))
	from := effect.Source{Rule: "git/sign"}
	program, names := "gpg", []string{"gpg.openpgp.program", "gpg.program"}
	switch format {
	case "ssh":
		program, names = "ssh-keygen", []string{"gpg.ssh.program"}
	case "x509":
		program, names = "gpgsm", []string{"gpg.x509.program"}
	}
	if e, ok := p.first(names...); ok {
		program, from = e.Value, e.From
		if v, known := p.r.Path(program); known {
			program = v
		}
	} else if e, ok := p.r.Config.Get("commit.gpgsign"); ok && p.does&signs != 0 {
		from = rule(e.From, "git/sign")
	}
	key := p.r.Config.Text("user.signingkey")
	if p.does&signs != 0 {
		if format == "ssh" {
			if key == "" {
				if e, ok := p.first("gpg.ssh.defaultkeycommand"); ok {
					p.shell(e, "gpg.ssh.defaultKeyCommand")
				}
				key = UnknownValue
			} else if v, known := p.r.Path(key); known {
				key = v
			}
			p.argv(from, "sign", program, "-Y", "sign", "-n", "git", "-f", key, UnknownValue)
			return
		}
		p.argv(from, "sign", program, "--status-fd=2", "-bsau", key)
		return
	}
	if format == "ssh" {
		p.argv(from, "verify", program, "-Y", "verify", "-n", "git", "-f", p.r.Config.Text("gpg.ssh.allowedsignersfile"), "-s", UnknownValue)
		return
	}
	p.argv(from, "verify", program, "--status-fd=1", "--verify", UnknownValue, "-")
}

// pager: git starts it on a terminal only, which a tool call rarely is. What the user has set for their own terminals is
// therefore not said; what the repository or the command line sets is, since nobody chose it for a terminal.
func (p *programs) pager() {
	if p.does&pages == 0 && !p.r.Call.Paginate {
		return
	}
	e, ok := p.first("GIT_PAGER")
	if v, set := p.r.Config.Get("pager." + p.r.Call.Verb); set {
		if b, isBool := v.Bool(); isBool && !b {
			return
		} else if !isBool {
			e, ok = v, true
		}
	}
	if !ok {
		e, ok = p.first("core.pager")
	}
	if ok && e.Scope >= gitrepo.Local && e.Value != "cat" {
		p.shell(e, "pager")
	}
}

// partialClone: a repository that lacks objects fetches them when a command needs them (partial-clone).
func (p *programs) partialClone() {
	if p.does&visits == 0 || p.r.Call.Verb == "clone" {
		return
	}
	for _, e := range p.r.Config {
		section, sub, name := gitrepo.SplitKey(e.Key)
		if section == "remote" && sub != "" && name == "promisor" && p.r.Config.Bool(e.Key, false) {
			p.res.Unknowns = append(p.res.Unknowns, source.Unknown{From: e.From, Why: "objects that this partial clone lacks are fetched from the remote " + sub + " when they are needed",
				Could: []effect.Class{effect.Network, effect.Process}})
			return
		}
	}
}

// perVerb holds the settings and options that single verbs turn into programs.
func (p *programs) perVerb() {
	r, c := p.r, p.r.Call
	switch c.Verb {
	case "rebase":
		if has(c, "--continue", "--skip") {
			_, execs := rebaseSteps(r)
			p.res.Jobs = append(p.res.Jobs, execs...)
		}
		for _, cmd := range optionValues(expandShort(c.Args, "-x"), "-x", "--exec") {
			p.res.Jobs = append(p.res.Jobs, source.Job{Shell: cmd, Dir: p.dir, Label: "rebase --exec", From: effect.Source{Rule: "git/rebase/exec"}})
		}
	case "bisect":
		if len(c.Args) > 1 && c.Args[0] == "run" {
			p.argv(effect.Source{Rule: "git/bisect/run"}, "bisect run", c.Args[1:]...)
		}
	case "submodule":
		p.submodules()
	case "filter-branch":
		for _, o := range []string{"--setup", "--env-filter", "--tree-filter", "--index-filter", "--parent-filter", "--msg-filter", "--commit-filter", "--tag-name-filter"} {
			for _, cmd := range optionValues(c.Args, o) {
				p.res.Jobs = append(p.res.Jobs, source.Job{Shell: cmd, Dir: p.dir, Label: o, From: effect.Source{Rule: "git/filter-branch"}})
			}
		}
	case "difftool", "mergetool":
		p.tool()
	case "archive":
		p.archive()
	case "interpret-trailers":
		p.trailers()
	case "send-email":
		p.sendEmail()
	case "imap-send":
		if e, ok := p.first("imap.tunnel"); ok {
			p.shell(e, "imap.tunnel")
		}
	case "gc", "prune", "repack", "maintenance":
		for _, e := range r.Config.All("gc.recentobjectshook") {
			p.shell(e, "gc.recentObjectsHook")
		}
	case "grep":
		if v, ok := optionValue(c.Args, "--open-files-in-pager"); ok && v != "" {
			p.res.Jobs = append(p.res.Jobs, source.Job{Shell: withArgs(v, []string{UnknownValue}), Args: []string{UnknownValue}, Dir: p.dir, Label: "pager", From: effect.Source{Rule: "git/grep"}})
		}
	case "commit":
		if has(c, "--trailer") {
			p.trailers()
		}
	case "merge", "pull":
		for _, s := range optionValues(expandShort(c.Args, "-s"), "-s", "--strategy") {
			switch s {
			case "ort", "recursive", "resolve", "octopus", "ours", "subtree", "theirs":
			default:
				p.argv(effect.Source{Rule: "git/merge/strategy"}, "merge strategy "+s, "git-merge-"+s, UnknownValue)
			}
		}
	}
}

// expandShort takes the joined form of a short option apart: "-xCMD" is "-x CMD".
func expandShort(args []string, option string) []string {
	var out []string
	for _, a := range args {
		if v, ok := strings.CutPrefix(a, option); ok && v != "" {
			out = append(out, option, v)
			continue
		}
		out = append(out, a)
	}
	return out
}

// submodules: submodule.*.update = !command (ignored in .gitmodules, git-submodule(1)) and foreach.
func (p *programs) submodules() {
	c := p.r.Call
	switch sub(c) {
	case "update":
		for _, e := range p.r.Config {
			section, name, variable := gitrepo.SplitKey(e.Key)
			text, command := strings.CutPrefix(e.Value, "!")
			if section == "submodule" && variable == "update" && command && name != "" {
				e.Value = text
				p.shell(e, "update of submodule "+name, UnknownValue)
			}
		}
	case "foreach":
		words := slices.DeleteFunc(slices.Clone(c.Args[slices.Index(c.Args, "foreach")+1:]), func(a string) bool { return a == "--recursive" || a == "--quiet" || a == "-q" })
		if len(words) == 0 {
			return
		}
		for _, dir := range p.submoduleDirs() {
			j := source.Job{Dir: dir, Label: "submodule foreach", From: effect.Source{Rule: "git/submodule/foreach"}}
			if len(words) == 1 {
				j.Shell = words[0]
			} else {
				j.Argv = words
			}
			p.res.Jobs = append(p.res.Jobs, j)
		}
	}
}

// submoduleDirs lists the folders of the submodules that .gitmodules names; the top itself where none is known.
func (p *programs) submoduleDirs() []string {
	var dirs []string
	for _, m := range gitrepo.Submodules(p.r) {
		dirs = append(dirs, workspace.Join(p.dir, m.Path))
	}
	if dirs == nil {
		return []string{p.dir}
	}
	return dirs
}

// tool is what difftool and mergetool start: *.cmd of the chosen tool for the shell, or a program that git knows by name.
func (p *programs) tool() {
	c := p.r.Call
	section, keys := "difftool", []string{"diff.tool", "merge.tool"}
	if c.Verb == "mergetool" {
		section, keys = "mergetool", []string{"merge.tool"}
	}
	if has(c, "-g", "--gui") {
		keys = append([]string{strings.TrimSuffix(section, "tool") + ".guitool"}, keys...)
	}
	if v, ok := optionValue(expandShort(c.Args, "-x"), "-x", "--extcmd"); ok && section == "difftool" {
		p.res.Jobs = append(p.res.Jobs, source.Job{Shell: withArgs(v, []string{UnknownValue}), Args: []string{UnknownValue, UnknownValue}, Dir: p.dir, Label: "difftool", From: effect.Source{Rule: "git/difftool"}})
		return
	}
	e, ok := p.first(keys...)
	if v, given := optionValue(expandShort(c.Args, "-t"), "-t", "--tool"); given {
		e, ok = gitrepo.Entry{Value: v, From: effect.Source{Rule: "git/" + section}}, true
	}
	if !ok {
		return // git then looks for the first known tool, which asks on a terminal
	}
	for _, s := range []string{section, "mergetool"} {
		if cmd, ok := p.r.Config.Get(s + "." + e.Value + ".cmd"); ok {
			p.shell(cmd, section+" "+e.Value)
			return
		}
		if exe, ok := p.r.Config.Get(s + "." + e.Value + ".path"); ok {
			p.argv(exe.From, section+" "+e.Value, exe.Value, UnknownValue)
			return
		}
	}
	p.argv(e.From, section+" "+e.Value, e.Value, UnknownValue)
}

// archive is tar.<format>.command, chosen by --format or the end of the output's name (git-archive(1)).
func (p *programs) archive() {
	c := p.r.Call
	format, _ := optionValue(c.Args, "--format")
	output, _ := optionValue(expandShort(c.Args, "-o"), "-o", "--output")
	for _, e := range p.r.Config {
		section, name, variable := gitrepo.SplitKey(e.Key)
		if section == "tar" && name != "" && variable == "command" && (format == name || format == "" && strings.HasSuffix(path.Base(output), "."+name)) {
			p.shell(e, "tar."+name+".command")
		}
	}
}

// trailers are trailer.*.cmd and .command (git-interpret-trailers(1)).
func (p *programs) trailers() {
	for _, e := range p.r.Config {
		section, name, variable := gitrepo.SplitKey(e.Key)
		if section != "trailer" || name == "" {
			continue
		}
		switch variable {
		case "cmd":
			p.shell(e, "trailer "+name, UnknownValue)
		case "command":
			p.shell(fill(e, "$ARG"), "trailer "+name)
		}
	}
}

// sendEmail: the mail program or server, and the commands that make up recipients (git-send-email(1)).
func (p *programs) sendEmail() {
	c := p.r.Call
	for _, o := range []string{"tocmd", "cccmd", "headercmd"} {
		option := map[string]string{"tocmd": "--to-cmd", "cccmd": "--cc-cmd", "headercmd": "--header-cmd"}[o]
		if v, ok := optionValue(c.Args, option); ok {
			p.shell(gitrepo.Entry{Value: v, From: effect.Source{Rule: "git/send-email"}}, option, UnknownValue)
		} else if e, ok := p.first("sendemail." + o); ok {
			p.shell(e, "sendemail."+o, UnknownValue)
		}
	}
	if v, ok := optionValue(c.Args, "--sendmail-cmd"); ok {
		p.shell(gitrepo.Entry{Value: v, From: effect.Source{Rule: "git/send-email"}}, "--sendmail-cmd", UnknownValue)
		return
	}
	if e, ok := p.first("sendemail.sendmailcmd"); ok {
		p.shell(e, "sendemail.sendmailCmd", UnknownValue)
		return
	}
	server, from := optionText(c, "--smtp-server"), effect.Source{Rule: "git/send-email"}
	if server == "" {
		if e, ok := p.first("sendemail.smtpserver"); ok {
			server, from = e.Value, e.From
		}
	}
	switch {
	case has(c, "--dry-run"):
	case path.IsAbs(server):
		p.argv(from, "mail program", server, UnknownValue)
	case server != "":
		p.res.Claims = append(p.res.Claims, source.Claim{Class: effect.Network, Access: effect.Send, Target: "smtp://" + server, From: from})
	default:
		p.argv(from, "mail program", "sendmail", UnknownValue)
	}
}
