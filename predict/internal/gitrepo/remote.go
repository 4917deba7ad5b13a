package gitrepo

import (
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// URL is one address of a remote, rewritten by url.*.insteadOf. From is where the address stands, or the rule that rewrote it
// when a setting did.
type URL struct {
	Text string
	From effect.Source
}

// Remote is one remote, or an address that was given in the place of one (Name is empty then).
type Remote struct {
	Name        string
	Fetch, Push []URL
	VCS         Entry // remote.*.vcs: git-remote-<vcs> is run
	UploadPack  Entry // program on the other side, run by the shell for a local path
	ReceivePack Entry
	Proxy       Entry
}

// Remote finds a remote by name; any other text is an address by itself.
func (r *Repo) Remote(name string) Remote {
	rem := Remote{Name: name}
	key := "remote." + name + "."
	var urls, pushURLs []URL
	for _, e := range r.Config {
		k, ok := strings.CutPrefix(e.Key, key)
		if !ok {
			continue
		}
		switch k {
		case "url":
			urls = appendURL(urls, e)
		case "pushurl":
			pushURLs = appendURL(pushURLs, e)
		case "vcs":
			rem.VCS = e
		case "uploadpack":
			rem.UploadPack = e
		case "receivepack":
			rem.ReceivePack = e
		case "proxy":
			rem.Proxy = e
		}
	}
	if urls == nil && pushURLs == nil {
		urls = r.legacyRemote(name)
	}
	if urls == nil && rem.VCS.Key == "" {
		if pushURLs == nil {
			rem.Name = ""
		}
		urls = []URL{{Text: name, From: effect.Source{Rule: "git/remote"}}}
	}
	for _, u := range urls {
		rem.Fetch = append(rem.Fetch, r.rewrite(u, "insteadof"))
		if pushURLs == nil {
			rem.Push = append(rem.Push, r.rewritePush(u))
		}
	}
	for _, u := range pushURLs {
		rem.Push = append(rem.Push, r.rewrite(u, "insteadof"))
	}
	return rem
}

// appendURL adds an address; an empty value forgets those before it.
func appendURL(urls []URL, e Entry) []URL {
	if e.Value == "" {
		return nil
	}
	return append(urls, URL{e.Value, e.From})
}

// legacyRemote reads $GIT_DIR/remotes/NAME and $GIT_DIR/branches/NAME (gitrepository-layout(5)).
func (r *Repo) legacyRemote(name string) []URL {
	if r.CommonDir == "" || name == "" || strings.ContainsAny(name, "/\\") || strings.HasPrefix(name, ".") {
		return nil
	}
	var urls []URL
	if f, err := r.FS.Read(r.CommonDir + "/remotes/" + name); err == nil {
		for i, line := range strings.Split(string(f.Data), "\n") {
			if u, ok := strings.CutPrefix(line, "URL:"); ok {
				urls = append(urls, URL{strings.TrimSpace(u), effect.Source{File: f.Path, Line: i + 1, SHA256: f.SHA256, Rule: "git/remote"}})
			}
		}
		return urls
	}
	if f, err := r.FS.Read(r.CommonDir + "/branches/" + name); err == nil {
		u, _, _ := strings.Cut(strings.TrimSpace(string(f.Data)), "#")
		return []URL{{u, effect.Source{File: f.Path, Line: 1, SHA256: f.SHA256, Rule: "git/remote"}}}
	}
	return nil
}

// rewrite applies the longest url.<base>.insteadOf (or pushInsteadOf) that the address starts with.
func (r *Repo) rewrite(u URL, variable string) URL {
	longest := -1
	out := u
	for _, e := range r.Config {
		section, base, name := SplitKey(e.Key)
		if section == "url" && name == variable && e.HasValue && len(e.Value) > longest && strings.HasPrefix(u.Text, e.Value) {
			longest = len(e.Value)
			out = URL{base + u.Text[len(e.Value):], e.From}
		}
	}
	return out
}

func (r *Repo) rewritePush(u URL) URL {
	if p := r.rewrite(u, "pushinsteadof"); p != u {
		return p
	}
	return r.rewrite(u, "insteadof")
}

// DefaultRemote is the remote that git takes when none is named.
func (r *Repo) DefaultRemote(push bool) string {
	if push {
		if e, ok := r.Config.Get("branch." + r.Branch + ".pushremote"); ok && r.Branch != "" {
			return e.Value
		}
		if e, ok := r.Config.Get("remote.pushdefault"); ok {
			return e.Value
		}
	}
	if e, ok := r.Config.Get("branch." + r.Branch + ".remote"); ok && r.Branch != "" {
		return e.Value
	}
	if names := r.Remotes(); len(names) == 1 {
		return names[0]
	}
	return "origin"
}

// Remotes names the configured remotes in order.
func (r *Repo) Remotes() []string {
	var names []string
	for _, e := range r.Config {
		section, sub, name := SplitKey(e.Key)
		if section == "remote" && sub != "" && (name == "url" || name == "pushurl" || name == "vcs") && !slices.Contains(names, sub) {
			names = append(names, sub)
		}
	}
	return names
}

// Transport is how git reaches an address.
type Transport uint8

// The transports of git's transport.c. The zero value is none.
const (
	LocalPath Transport = iota + 1
	SSH
	HTTP
	GitDaemon
	Helper // a program git-remote-<Helper>
	Bundle
)

// Endpoint is an address taken apart. Host is what effect.Host reads ("ssh://host:port" without a path) and empty for a local
// path; Path is absolute for a local one.
type Endpoint struct {
	Transport Transport
	Host      string
	Path      string
	Helper    string
}

// Endpoint takes an address apart as git's connect.c and transport.c do: helper::address, scheme://..., host:path, path.
func (r *Repo) Endpoint(address string) Endpoint {
	if i := strings.Index(address, "::"); i > 0 && isAlpha(address[0]) && !strings.ContainsFunc(address[:i], notSchemeChar) {
		return Endpoint{Transport: Helper, Helper: address[:i], Path: address[i+2:]}
	}
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		colon, slash := strings.IndexByte(address, ':'), strings.IndexByte(address, '/')
		if colon < 0 || slash >= 0 && slash < colon {
			return r.localEndpoint(address)
		}
		host, p := address[:colon], address[colon+1:]
		if strings.HasPrefix(address, "[") { // [host:port]:path
			if end := strings.Index(address, "]:"); end > 0 {
				host, p = address[1:end], address[end+2:]
				if strings.Count(host, ":") > 1 {
					host = "[" + host + "]"
				}
			}
		}
		return Endpoint{Transport: SSH, Host: "ssh://" + host, Path: p}
	}
	authority, p, _ := strings.Cut(rest, "/")
	e := Endpoint{Host: scheme + "://" + authority, Path: "/" + p}
	switch strings.ToLower(scheme) {
	case "file":
		return r.localEndpoint("/" + p)
	case "ssh", "git+ssh", "ssh+git":
		e.Transport, e.Host = SSH, "ssh://"+authority
	case "git":
		e.Transport = GitDaemon
	case "http", "https", "ftp", "ftps":
		e.Transport = HTTP
	default:
		e.Transport, e.Helper = Helper, scheme
	}
	return e
}

func notSchemeChar(r rune) bool { return notKeyChar(r) && r != '+' && r != '.' }

func (r *Repo) localEndpoint(name string) Endpoint {
	p := workspace.Join(r.Call.Dir, name)
	e := Endpoint{Transport: LocalPath, Path: p}
	if r.FS.Present(p) && r.FS.IsFile(p) || path.Ext(p) == "" && r.FS.Present(p+".bundle") && r.FS.IsFile(p+".bundle") {
		e.Transport = Bundle
	}
	return e
}

// Submodule is one entry of .gitmodules. URL is what the repository's own settings say where they do, and absolute.
type Submodule struct {
	Name, Path string
	URL        URL
}

// Submodules lists the submodules of a work tree (gitmodules(5)).
func Submodules(r *Repo) []Submodule {
	if r.WorkTree == "" {
		return nil
	}
	f, ok := r.read(r.WorkTree+"/.gitmodules", "git/submodule")
	if !ok {
		return nil
	}
	entries, err := parseConfig(string(f.Data))
	if err != nil {
		r.unknown(effect.Source{File: f.Path, SHA256: f.SHA256, Rule: "git/submodule"}, ".gitmodules is broken: "+err.Error())
	}
	var mods []Submodule
	for _, name := range Config(entries).Subsections("submodule") {
		m := Submodule{Name: name, Path: Config(entries).Text("submodule." + name + ".path")}
		e, ok := r.Config.Get("submodule." + name + ".url")
		if !ok {
			if e, ok = Config(entries).Get("submodule." + name + ".url"); ok {
				e.From = effect.Source{File: f.Path, Line: e.From.Line, SHA256: f.SHA256, Rule: "git/submodule"}
			}
		}
		m.URL = r.rewrite(r.relativeURL(URL{e.Value, e.From}), "insteadof")
		mods = append(mods, m)
	}
	return mods
}

// relativeURL resolves "./x" and "../x" against the default remote, as git-submodule(1) says.
func (r *Repo) relativeURL(u URL) URL {
	if !strings.HasPrefix(u.Text, "./") && !strings.HasPrefix(u.Text, "../") {
		return u
	}
	base := r.Remote(r.DefaultRemote(false))
	at := r.Top()
	if len(base.Fetch) > 0 && base.Name != "" {
		at = strings.TrimRight(base.Fetch[0].Text, "/")
	}
	rest := u.Text
	for {
		if t, ok := strings.CutPrefix(rest, "./"); ok {
			rest = t
		} else if t, ok := strings.CutPrefix(rest, "../"); ok {
			rest = t
			if i := strings.LastIndexAny(at, "/:"); i > 0 {
				if at[i] == ':' {
					rest, at = ":"+rest, at[:i]
					return URL{at + rest, u.From}
				}
				at = at[:i]
			}
		} else {
			return URL{at + "/" + rest, u.From}
		}
	}
}
