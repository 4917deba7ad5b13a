package githooks

import (
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/gitrepo"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// ruleRemote names the rule of what a remote's address says.
const ruleRemote = "git/remote"

// Contacts says which remotes the call of r reaches, and which programs it starts to reach them: ssh, credential helpers, proxies,
// remote helpers, and the hooks of a repository on this machine that is pushed to.
func Contacts(r *gitrepo.Repo) source.Result {
	k := contacts{r: r, seen: map[string]bool{}}
	does := acts(r)
	c := r.Call
	switch {
	case c.Verb == "push" || c.Verb == "send-pack" || c.Verb == "http-push":
		name := pushTarget(r)
		if k.unknownName(name) {
			break
		}
		rem := r.Remote(name)
		for _, u := range rem.Push {
			k.reach(rem, u, true)
		}
		if len(rem.Push) == 0 {
			k.helper(rem, rem.VCS.Value, "", true)
		}
	case c.Verb == "submodule" && does&fetches != 0:
		k.submodules()
	case does&fetches != 0:
		for _, name := range fetchTargets(r) {
			if k.unknownName(name) {
				continue
			}
			k.fetch(name)
		}
		if c.Verb == "clone" && has(c, "--recurse-submodules", "--recursive") {
			k.res.Unknowns = append(k.res.Unknowns, source.Unknown{From: effect.Source{Rule: ruleRemote}, Why: "the submodules of what is cloned are not known", Could: anything()})
		}
	}
	return k.res
}

type contacts struct {
	r    *gitrepo.Repo
	res  source.Result
	seen map[string]bool
}

func (k *contacts) unknownName(name string) bool {
	if !strings.Contains(name, UnknownValue) {
		return false
	}
	k.res.Unknowns = append(k.res.Unknowns, source.Unknown{From: effect.Source{Rule: ruleRemote}, Why: "the remote is known only when the command runs", Could: anything()})
	return true
}

func (k *contacts) fetch(name string) {
	rem := k.r.Remote(name)
	if len(rem.Fetch) == 0 {
		k.helper(rem, rem.VCS.Value, "", false)
	}
	for i, u := range rem.Fetch {
		if i == 0 { // git fetches from the first address only
			k.reach(rem, u, false)
		}
	}
}

// pushTarget is the remote or address of a push.
func pushTarget(r *gitrepo.Repo) string {
	c := r.Call
	if v, ok := optionValue(c.Args, "--repo"); ok {
		return v
	}
	if ops := c.Operands("-o", "--push-option", "--receive-pack", "--exec", "--repo"); len(ops) > 0 {
		return ops[0]
	}
	return r.DefaultRemote(true)
}

// fetchTargets are the remotes or addresses that a fetching call names, or the default one.
func fetchTargets(r *gitrepo.Repo) []string {
	c := r.Call
	switch c.Verb {
	case "clone":
		return c.Operands(cloneOptions...)[:min(1, len(c.Operands(cloneOptions...)))]
	case "archive":
		v, _ := optionValue(c.Args, "--remote")
		return []string{v}
	case "remote":
		ops := c.Operands("-t", "-m")
		switch {
		case sub(c) == "add" && len(ops) > 2:
			return ops[2:3]
		case sub(c) == "update" && len(ops) < 2:
			return r.Remotes()
		case len(ops) > 1:
			return group(r, ops[1:])
		}
		return nil
	}
	ops := c.Operands("-j", "--jobs", "--depth", "--deepen", "--shallow-since", "--shallow-exclude", "-o", "--server-option", "--upload-pack", "--refmap",
		"--filter", "--negotiation-tip", "-s", "--strategy", "-X", "--strategy-option", "--exec", "--sort")
	switch {
	case has(c, "--all") || len(ops) == 0 && r.Config.Bool("fetch.all", false) && c.Verb == "fetch":
		return r.Remotes()
	case len(ops) == 0:
		return []string{r.DefaultRemote(false)}
	case has(c, "--multiple"):
		return group(r, ops)
	case c.Verb == "fetch" && len(r.Config.All("remotes."+ops[0])) > 0:
		return group(r, ops[:1])
	}
	return ops[:1]
}

// group replaces names of remotes.<group> by their members.
func group(r *gitrepo.Repo, names []string) []string {
	var out []string
	for _, n := range names {
		members := r.Config.All("remotes." + n)
		if len(members) == 0 {
			out = append(out, n)
		}
		for _, m := range members {
			out = append(out, strings.Fields(m.Value)...)
		}
	}
	return out
}

func (k *contacts) submodules() {
	c := k.r.Call
	ops := c.Operands("-b", "--branch", "--name", "--reference", "--depth", "-j", "--jobs", "--filter")
	if sub(c) == "add" {
		if len(ops) > 1 {
			k.fetch(ops[1])
		}
		return
	}
	mods := gitrepo.Submodules(k.r)
	for _, m := range mods {
		if len(ops) < 2 || slices.ContainsFunc(ops[1:], func(p string) bool {
			return workspace.Within(workspace.Join(k.r.Top(), m.Path), workspace.Join(c.Dir, p))
		}) {
			k.reach(gitrepo.Remote{}, m.URL, false)
		}
	}
}

// reach adds what contacting one address does.
func (k *contacts) reach(rem gitrepo.Remote, u gitrepo.URL, push bool) {
	if u.Text == "" || k.seen[u.Text] {
		return
	}
	k.seen[u.Text] = true
	from := u.From
	if from.Rule == "" {
		from.Rule = ruleRemote
	}
	if rem.VCS.Value != "" {
		k.helper(rem, rem.VCS.Value, u.Text, push)
		return
	}
	e := k.r.Endpoint(u.Text)
	access := effect.Fetch
	if push {
		access = effect.Send
	}
	if e.Host != "" && e.Transport != gitrepo.Helper {
		k.res.Claims = append(k.res.Claims, source.Claim{Class: effect.Network, Access: access, Target: e.Host, From: from})
	}
	switch e.Transport {
	case gitrepo.SSH:
		k.ssh(rem, e, from, push)
	case gitrepo.HTTP:
		k.http(rem, u.Text, from)
	case gitrepo.GitDaemon:
		k.proxy(e)
	case gitrepo.Helper:
		k.helper(rem, e.Helper, e.Path, push)
	case gitrepo.LocalPath, gitrepo.Bundle:
		k.local(rem, e, from, push)
	}
}

// remoteProgram is the program that git starts on the other side.
func (k *contacts) remoteProgram(rem gitrepo.Remote, push bool) string {
	args := expandShort(k.r.Call.Args, "-u")
	if push {
		if v, ok := optionValue(args, "--receive-pack", "--exec"); ok {
			return v
		}
		if rem.ReceivePack.Value != "" {
			return rem.ReceivePack.Value
		}
		return "git-receive-pack"
	}
	names := []string{"--upload-pack", "--exec"}
	if k.r.Call.Verb == "clone" {
		names = append(names, "-u")
	}
	if v, ok := optionValue(args, names...); ok {
		return v
	}
	if rem.UploadPack.Value != "" {
		return rem.UploadPack.Value
	}
	return "git-upload-pack"
}

// ssh: GIT_SSH_COMMAND, core.sshCommand (both for the shell), GIT_SSH, ssh (git-config(1), core.sshCommand).
func (k *contacts) ssh(rem gitrepo.Remote, e gitrepo.Endpoint, from effect.Source, push bool) {
	host := strings.TrimPrefix(e.Host, "ssh://")
	args := []string{host}
	if h, port, ok := cutPort(host); ok {
		args = []string{"-p", port, h}
	}
	args = append(args, k.remoteProgram(rem, push)+" '"+strings.ReplaceAll(e.Path, "'", `'\''`)+"'")
	j := source.Job{Dir: k.r.Call.Dir, Label: "ssh to " + host, From: from}
	switch cmd, ok := firstSet(k.r, "GIT_SSH_COMMAND", "core.sshcommand"); {
	case ok:
		j.Shell, j.Args, j.From = withArgs(cmd.Value, args), args, cmd.From
	case k.r.Call.Env["GIT_SSH"] != "":
		j.Argv = slices.Concat([]string{k.r.Call.Env["GIT_SSH"]}, args)
	default:
		j.Argv = slices.Concat([]string{"ssh"}, args)
	}
	k.res.Jobs = append(k.res.Jobs, j)
}

func cutPort(host string) (h, port string, ok bool) {
	i := strings.LastIndexByte(host, ':')
	if i < 0 || strings.Contains(host[i:], "]") {
		return host, "", false
	}
	return host[:i], host[i+1:], true
}

// http: the proxy, the file that curl takes passwords from, and credential helpers.
func (k *contacts) http(rem gitrepo.Remote, address string, from effect.Source) {
	proxy := rem.Proxy
	if proxy.Value == "" {
		proxy, _ = k.r.Config.Get("http.proxy")
		for _, e := range k.matching("http", "proxy", address) {
			proxy = e
		}
	}
	if proxy.Value != "" {
		k.res.Claims = append(k.res.Claims, source.Claim{Class: effect.Network, Access: effect.Send, Target: withScheme(proxy.Value), From: proxy.From})
	}
	if netrc := k.r.Call.Home + "/.netrc"; k.r.Call.Home != "" && k.r.FS.IsFile(netrc) {
		k.res.Claims = append(k.res.Claims, source.Claim{Class: effect.File, Access: effect.Read, Target: netrc, From: rule(from, "git/http/netrc")})
	}
	var helpers []gitrepo.Entry
	for _, e := range k.matching("credential", "helper", address) {
		if e.Value == "" {
			helpers = nil // an empty value forgets those before it
			continue
		}
		helpers = append(helpers, e)
	}
	for _, h := range helpers {
		text := h.Value
		switch {
		case strings.HasPrefix(text, "!"):
			text = text[1:]
		case strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~"):
		default:
			text = "git credential-" + text
		}
		k.res.Jobs = append(k.res.Jobs, source.Job{Shell: text + " get", Dir: k.r.Call.Dir, Label: "credential helper", From: h.From})
	}
	if e, ok := firstSet(k.r, "GIT_ASKPASS", "core.askpass"); ok {
		k.res.Jobs = append(k.res.Jobs, source.Job{Argv: []string{e.Value, UnknownValue}, Dir: k.r.Call.Dir, Label: "askpass", From: e.From})
	}
}

// matching lists the settings <section>.<name> and <section>.<url>.<name> whose URL fits an address, in order.
func (k *contacts) matching(section, name, address string) []gitrepo.Entry {
	var out []gitrepo.Entry
	for _, e := range k.r.Config {
		if s, url, n := gitrepo.SplitKey(e.Key); s == section && n == name && (url == "" || urlFits(url, address)) {
			out = append(out, e)
		}
	}
	return out
}

// urlFits compares as git's urlmatch.c, leniently: scheme, host with "*" for a label, and the path by whole segments.
func urlFits(pattern, address string) bool {
	ps, prest, ok1 := strings.Cut(pattern, "://")
	as, arest, ok2 := strings.Cut(address, "://")
	if !ok1 {
		prest, ps = pattern, as // credential settings may name a host alone
	}
	if !ok2 || !strings.EqualFold(ps, as) {
		return false
	}
	phost, ppath, _ := strings.Cut(prest, "/")
	ahost, apath, _ := strings.Cut(arest, "/")
	if i := strings.LastIndexByte(ahost, '@'); i >= 0 && !strings.Contains(phost, "@") {
		ahost = ahost[i+1:]
	}
	pl, al := strings.Split(strings.ToLower(phost), "."), strings.Split(strings.ToLower(ahost), ".")
	if len(pl) != len(al) {
		return false
	}
	for i := range pl {
		if pl[i] != "*" && pl[i] != al[i] {
			return false
		}
	}
	ppath = strings.TrimRight(ppath, "/")
	return ppath == "" || apath == ppath || strings.HasPrefix(apath, ppath+"/")
}

func withScheme(host string) string {
	if strings.Contains(host, "://") {
		return host
	}
	return "http://" + host
}

// proxy is core.gitProxy, "command" or "command for domain", first match wins; GIT_PROXY_COMMAND before it.
func (k *contacts) proxy(e gitrepo.Endpoint) {
	host := strings.TrimPrefix(e.Host, "git://")
	h, port, ok := cutPort(host)
	if !ok {
		port = "9418"
	}
	if v := k.r.Call.Env["GIT_PROXY_COMMAND"]; v != "" {
		k.res.Jobs = append(k.res.Jobs, source.Job{Argv: []string{v, h, port}, Dir: k.r.Call.Dir, Label: "git proxy", From: effect.Source{Rule: "git/environment"}})
		return
	}
	for _, p := range k.r.Config.All("core.gitproxy") {
		command, domain, limited := strings.Cut(p.Value, " for ")
		if limited && h != domain && !strings.HasSuffix(h, "."+domain) {
			continue
		}
		if command != "none" {
			k.res.Jobs = append(k.res.Jobs, source.Job{Argv: []string{command, h, port}, Dir: k.r.Call.Dir, Label: "git proxy", From: p.From})
		}
		return
	}
}

// helper is a remote helper, git-remote-<name>. "ext" runs any command and is off unless a setting allows it
// (git-remote-ext(1), protocol.allow).
func (k *contacts) helper(rem gitrepo.Remote, name, address string, push bool) {
	if name == "" {
		return
	}
	from := effect.Source{Rule: ruleRemote}
	if rem.VCS.Key != "" {
		from = rem.VCS.From
	} else if len(rem.Fetch) > 0 {
		from = rem.Fetch[0].From
	}
	if name == "ext" {
		if !k.allowed("ext") {
			return
		}
		words := strings.Fields(address)
		for i, w := range words {
			if w == "%S" || w == "%s" {
				words[i] = k.remoteProgram(rem, push)
			}
		}
		if len(words) > 0 {
			k.res.Jobs = append(k.res.Jobs, source.Job{Argv: words, Dir: k.r.Call.Dir, Label: "git-remote-ext", From: from})
		}
		return
	}
	k.res.Jobs = append(k.res.Jobs, source.Job{Argv: []string{"git-remote-" + name, rem.Name, address}, Dir: k.r.Call.Dir, Label: "remote helper " + name, From: from})
	if address == "" || !strings.Contains(address, "://") {
		k.res.Unknowns = append(k.res.Unknowns, source.Unknown{From: from, Why: "the remote helper git-remote-" + name + " decides itself whom it contacts", Could: []effect.Class{effect.Network}})
	}
}

// allowed follows GIT_ALLOW_PROTOCOL, protocol.<name>.allow and protocol.allow for a protocol that is off by default.
func (k *contacts) allowed(protocol string) bool {
	if list, ok := k.r.Call.Env["GIT_ALLOW_PROTOCOL"]; ok {
		return slices.Contains(strings.Split(list, ":"), protocol)
	}
	e, ok := k.r.Config.Get("protocol." + protocol + ".allow")
	if !ok {
		e, ok = k.r.Config.Get("protocol.allow")
	}
	return ok && (e.Value == "always" || e.Value == "user" && k.r.Call.Env["GIT_PROTOCOL_FROM_USER"] != "0")
}

// local is a repository or bundle on this machine: its program runs here, by the shell, and so do its hooks.
func (k *contacts) local(rem gitrepo.Remote, e gitrepo.Endpoint, from effect.Source, push bool) {
	access := effect.Read
	if push {
		access = effect.Write
	}
	k.res.Claims = append(k.res.Claims, source.Claim{Class: effect.File, Access: access, Target: e.Path, Tree: e.Transport == gitrepo.LocalPath, From: from})
	if e.Transport == gitrepo.Bundle {
		return
	}
	if program := k.remoteProgram(rem, push); program != "git-upload-pack" && program != "git-receive-pack" {
		if program == rem.UploadPack.Value {
			from = rem.UploadPack.From
		} else if program == rem.ReceivePack.Value {
			from = rem.ReceivePack.From
		}
		k.res.Jobs = append(k.res.Jobs, source.Job{Shell: program + " '" + strings.ReplaceAll(e.Path, "'", `'\''`) + "'", Dir: k.r.Call.Dir, Label: "program of the remote", From: from})
		return
	}
	there, ok := k.otherSide(e.Path)
	if !ok {
		return
	}
	if !push {
		if h, ok := there.Config.Get("uploadpack.packobjectshook"); ok && h.Scope != gitrepo.Local && h.Scope != gitrepo.Worktree {
			k.res.Jobs = append(k.res.Jobs, source.Job{Shell: withArgs(h.Value, []string{UnknownValue}), Args: []string{UnknownValue}, Dir: e.Path, Label: "uploadpack.packObjectsHook", From: h.From})
		}
		return
	}
	if has(k.r.Call, "--dry-run") || k.r.Call.Short('n', "o", "") {
		return
	}
	k.res.Unknowns = append(k.res.Unknowns, there.Unknowns...)
	for _, ev := range receiveEvents(there.GitDir) {
		k.res.Add(hook(there, ev))
	}
}

// otherSide opens a repository on this machine as its own git-receive-pack or git-upload-pack does: by the path or one with
// ".git" added, in the repository's folder, without the settings that this call's command line has.
func (k *contacts) otherSide(name string) (*gitrepo.Repo, bool) {
	env := map[string]string{}
	for _, n := range []string{"GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"} {
		if v, ok := k.r.Call.Env[n]; ok {
			env[n] = v
		}
	}
	for _, dir := range []string{name + "/.git", name, name + ".git"} {
		there := gitrepo.Open(k.r.FS, gitrepo.Call{Dir: dir, GitDir: dir, Home: k.r.Call.Home, Env: env, Bare: true, Verb: "receive-pack"})
		if there.GitDir != "" {
			return there, true
		}
	}
	return nil, false
}
