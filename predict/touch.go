package predict

import (
	"net/url"
	"path"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// read notes that a file is read: an effect by the rubric only for credentials and places outside, always part of the flow.
func (e *engine) read(f *frame, w word, tree bool, src effect.Source) {
	if f.dropped(effect.File, effect.Read) {
		return
	}
	f.comp.join(w.data)
	if w.pure() { // a path of which nothing is known leads anywhere, a place in the workspace most likely
		f.comp.touch(effect.File, effect.Read, effect.Any(effect.FileKind))
		e.unknown(f, src, "the file that is read is not known before it runs", effect.File)
		return
	}
	for _, p := range e.places(f, w, tree, true) {
		e.readPlace(f, p, tree, src)
	}
}

func (e *engine) readPlace(f *frame, p effect.Pattern, tree bool, src effect.Source) {
	name := filePath(p)
	if tree {
		e.envFilesIn(f, name, src)
	}
	if !p.Tree && envFile(name) {
		e.note(f, effect.Environment, effect.Read, p, src)
		if !credentialFile(name, e.home) && e.ordinaryRead(name, false) {
			return
		}
	}
	e.note(f, effect.File, effect.Read, p, src)
}

// envFilesIn notes the environment files that lie directly in a folder all of which is read.
func (e *engine) envFilesIn(f *frame, dir string, src effect.Source) {
	e.eachEnvFile(dir, func(n string) {
		e.note(f, effect.Environment, effect.Read, e.place(f, word{text: dir + "/" + n}, false, true), src)
	})
}

func (e *engine) eachEnvFile(dir string, do func(name string)) {
	if !workspace.Within(dir, e.workspace) || !e.isDir(dir) {
		return
	}
	names, err := e.fs.Names(dir)
	if err != nil {
		return
	}
	for _, n := range names {
		if n[0] == '.' && envFile(n) {
			do(n)
		}
	}
}

// credential notes that a program reads its own credentials. They go to the service that they are for and nowhere else, so
// they are an effect but no part of the flow: not every call of a service sends a secret.
func (e *engine) credential(f *frame, w word, src effect.Source) {
	if f.dropped(effect.File, effect.Read) {
		return
	}
	g := *f
	g.comp = nil
	e.note(&g, effect.File, effect.Read, e.place(&g, w, false, true), src)
}

// write notes that a file is created or changed. A shell's start-up file changes the environment of later shells as well.
func (e *engine) write(f *frame, w word, tree bool, src effect.Source) {
	e.writeAt(f, w, tree, true, src)
}

// writeAt is write for programs that replace a link instead of following it (follow false).
func (e *engine) writeAt(f *frame, w word, tree, follow bool, src effect.Source) {
	if f.dropped(effect.File, effect.Write) {
		return
	}
	ps := e.places(f, w, tree, follow)
	f.comp.join(w.data)
	for i, p := range ps {
		if i == 0 {
			e.changes.part = f.partOf(w)
		}
		e.note(f, effect.File, effect.Write, p, src)
		e.changes.part = part{}
		if startupFile(filePath(p), e.home) {
			e.note(f, effect.Environment, effect.Write, p, src)
		}
	}
}

// attributes notes that a file's mode, owner or times are changed: an effect like a write, and its contents stay.
func (e *engine) attributes(f *frame, w word, tree bool, src effect.Source) {
	outer := e.changes.mute
	e.changes.mute = true
	e.write(f, w, tree, src)
	e.changes.mute = outer
}

// remove notes that a file, or with tree all below a folder, is deleted. The last link is not followed.
func (e *engine) remove(f *frame, w word, tree bool, src effect.Source) {
	if f.dropped(effect.File, effect.Delete) {
		return
	}
	for _, p := range e.places(f, w, tree, false) {
		e.note(f, effect.File, effect.Delete, p, src)
	}
}

// network notes a connection. Data that flows into the address flows out with it.
func (e *engine) network(f *frame, w word, a effect.Access, src effect.Source) {
	if f.dropped(effect.Network, a) || w.text == "" {
		return
	}
	f.comp.join(w.data)
	if name, ok := strings.CutPrefix(w.text, "@"); ok && a != effect.Listen {
		hosts, from := e.services(f, name, src)
		for i, p := range hosts {
			e.note(f, effect.Network, a, p, from[i])
		}
		return
	}
	p := e.hostPattern(w.text, a)
	e.note(f, effect.Network, a, p, src)
	if a == effect.Fetch && w.data != nil {
		f.comp.touch(effect.Network, effect.Send, p)
	}
}

// hostPattern reads an address as far as it is known; anything else is any host.
func (e *engine) hostPattern(text string, a effect.Access) effect.Pattern {
	if a == effect.Listen {
		return listenPattern(text)
	}
	if i := strings.Index(text, hole); i >= 0 {
		return knownHost(text[:i])
	}
	if u, err := url.Parse(text); err == nil && (u.Scheme == "unix" || u.Scheme == "http+unix") {
		return effect.Any(effect.HostKind)
	}
	r, err := effect.Host(text)
	if err != nil {
		return effect.Any(effect.HostKind)
	}
	if len(r.Segments()) == 0 {
		return effect.Any(effect.HostKind)
	}
	if !strings.Contains(text, "://") {
		return effect.Pattern{Resource: r, Tree: !strings.Contains(text, ":")} // a bare host: any port
	}
	return effect.Exactly(r)
}

// knownHost is the pattern for an address of which only the beginning is known: a host that is complete, or any.
func knownHost(prefix string) effect.Pattern {
	_, rest, ok := strings.Cut(prefix, "://")
	if !ok {
		rest = prefix
	}
	i := strings.IndexAny(rest, "/?#")
	if i < 0 {
		return effect.Any(effect.HostKind)
	}
	dir := prefix[:len(prefix)-len(rest)+i+1]
	if j := strings.LastIndexByte(rest, '/'); j >= i {
		dir = prefix[:len(prefix)-len(rest)+j]
	}
	r, err := effect.Host(dir)
	if err != nil {
		return effect.Any(effect.HostKind)
	}
	return effect.Below(r)
}

// listenPattern: an address that is not loopback, or none, accepts connections from any host.
func listenPattern(text string) effect.Pattern {
	host, port := text, ""
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") && !strings.Contains(text[i:], "/") {
		host, port = text[:i], text[i+1:]
	}
	if strings.Trim(host, "0123456789") == "" {
		host = "" // a port alone
	}
	switch host {
	case "", "*", "0.0.0.0", "::", "[::]":
		return effect.Any(effect.HostKind)
	}
	if strings.Contains(host, hole) {
		return effect.Any(effect.HostKind)
	}
	if port != "" && !strings.Contains(port, hole) {
		host += ":" + port
	}
	r, err := effect.Host(host)
	if err != nil {
		return effect.Any(effect.HostKind)
	}
	return effect.Exactly(r)
}

// remote tells whether a word of scp, rsync, git and the like names another machine: a URL, or host:path without a slash
// before the colon.
func remote(s string) (addr string, ok bool) {
	if scheme, rest, has := strings.Cut(s, "://"); has && scheme != "file" {
		return scheme + "://" + rest, true
	}
	if strings.HasPrefix(s, "file://") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, ".") {
		return "", false
	}
	host, _, has := strings.Cut(s, ":")
	if !has || host == "" || strings.Contains(host, "/") {
		return "", false
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	return "ssh://" + host, true
}

// folder tells whether a word names a folder, so that what is done to it is done to all below.
func (e *engine) folder(f *frame, w word) bool {
	return !w.known() || strings.HasSuffix(w.text, "/") || e.isDir(f.abs(w.text))
}

// from is a source that may be on another machine.
func (e *engine) from(f *frame, w word, src effect.Source) {
	if addr, ok := remote(w.text); ok {
		e.network(f, word{text: addr, data: w.data}, effect.Fetch, src)
		return
	}
	w.text = strings.TrimPrefix(w.text, "file://")
	e.read(f, w, e.folder(f, w), src)
	if w.pure() {
		e.network(f, w, effect.Fetch, src)
	}
}

// to is a target that may be on another machine.
func (e *engine) to(f *frame, w word, src effect.Source) {
	if addr, ok := remote(w.text); ok {
		e.network(f, word{text: addr, data: w.data}, effect.Send, src)
		return
	}
	w.text = strings.TrimPrefix(w.text, "file://")
	e.write(f, w, e.folder(f, w), src)
	if w.pure() {
		e.network(f, w, effect.Send, src)
	}
}

// readVariable notes that a variable is read by name.
func (e *engine) readVariable(f *frame, name string, src effect.Source) {
	if r, err := effect.New(effect.EnvKind, name); err == nil && !strings.Contains(name, hole) && !f.dropped(effect.Environment, effect.Read) {
		e.note(f, effect.Environment, effect.Read, effect.Exactly(r), src)
	}
}

// container notes what is asked of a container engine.
func (e *engine) container(f *frame, a effect.Access, k effect.Kind, text string, src effect.Source) {
	if f.dropped(effect.Container, a) {
		return
	}
	p := effect.Any(k)
	if !strings.Contains(text, hole) && text != "" && text != "." {
		if r, err := effect.Name(k, strings.Trim(path.Clean(text), "/")); err == nil {
			p = effect.Exactly(r)
		}
	}
	e.note(f, effect.Container, a, p, src)
}

// containerCLI tells whether a program is a client of a container engine.
func containerCLI(name string) bool {
	switch name {
	case "docker", "podman", "nerdctl", "buildah", "docker-compose", "podman-compose", "ctr", "crictl", "lxc", "lxc-start", "systemd-nspawn", "apptainer",
		"singularity", "runc", "crun", "kind", "minikube", "k3d", "colima", "buildctl", "docker-buildx":
		return true
	}
	return false
}
