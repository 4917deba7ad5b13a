package compose

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/dockerfile"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// start provides the image of a service and starts a container of it; run is set for `compose run`.
func (p *project) start(s service, run *Args) {
	if t := s.get("provider", "type"); t != nil {
		p.provider(s, t)
		return
	}
	im := p.provide(s)
	if p.args.NoStart {
		return
	}
	p.containFrom(s, run, im)
}

// contain starts a container of an image that is there already.
func (p *project) contain(s service, run *Args) {
	p.args.NoBuild = true
	p.containFrom(s, run, p.provide(s))
}

// provider is a service that a program of this machine stands for (compose: "provider").
func (p *project) provider(s service, t *node) {
	words := []string{t.str(), "compose", "up"}
	if opts := s.get("provider", "options"); opts != nil {
		for _, k := range opts.keys {
			for _, v := range opts.get(k).strings() {
				words = append(words, "--"+k+"="+v)
			}
		}
	}
	p.addJob(source.Job{Argv: append(words, s.name), Dir: p.home, Label: "provider of service " + s.name, From: t.at("compose/provider")})
}

// provide claims the image of a service: it is built where the project says how, or else pulled and run.
func (p *project) provide(s service) dockerfile.Image {
	image := s.get("image")
	if s.get("build") != nil && !p.args.NoBuild {
		return p.build(s)
	}
	if image.str() != "" {
		p.claim(source.Claim{Class: effect.Container, Access: effect.Run, Target: image.str(), From: image.at("compose/image")})
	} else if s.get("build") != nil {
		p.claim(source.Claim{Class: effect.Container, Access: effect.Run, Target: s.name, From: s.at("compose/service")})
		_, im := p.readBuild(s)
		return im
	}
	return dockerfile.Image{}
}

// build plans the Dockerfile of a service.
func (p *project) build(s service) dockerfile.Image {
	r, im := p.readBuild(s)
	for _, c := range r.Claims {
		p.claim(c)
	}
	for _, j := range r.Jobs {
		j.Container = s.name + "/" + j.Container
		j.Label += " of service " + s.name
		p.addJob(j)
	}
	p.result.Unknowns = append(p.result.Unknowns, r.Unknowns...)
	return im
}

func (p *project) readBuild(s service) (source.Result, dockerfile.Image) {
	b := asBuild(s.get("build"))
	context := cmp.Or(b.get("context").str(), ".")
	a := dockerfile.Args{
		Context: context, Target: b.get("target").str(), Tag: cmp.Or(s.get("image").str(), s.name), BuildArgs: map[string]string{},
		Contexts: map[string]string{}, SSH: b.get("ssh") != nil,
		File: b.get("dockerfile").str(), Inline: b.get("dockerfile_inline").str(), From: b.at("compose/build"),
	}
	if in := b.get("dockerfile_inline"); in != nil {
		a.From = in.at("compose/build")
	}
	local := !strings.Contains(context, "://") && !strings.HasPrefix(context, "git@")
	if local {
		a.Context = workspace.Join(b.dir, context)
		if a.File != "" {
			a.File = workspace.Join(a.Context, a.File)
		}
	}
	p.pairs(asMapping(b.get("args")), a.BuildArgs)
	for _, kv := range p.args.BuildArgs {
		k, v, has := strings.Cut(kv, "=")
		if !has {
			v, has = p.env(k)
		}
		if has {
			a.BuildArgs[k] = v
		}
	}
	if c := asMapping(b.get("additional_contexts")); c != nil {
		for _, k := range c.keys {
			v := c.get(k).str()
			if name, ok := strings.CutPrefix(v, "service:"); ok {
				v = "docker-image://" + name
			} else if !strings.Contains(v, "://") {
				v = workspace.Join(b.dir, v)
			}
			a.Contexts[k] = v
		}
	}
	for _, x := range listOf(b.get("secrets")) {
		name := cmp.Or(x.str(), x.get("source").str())
		def := p.model.get("secrets", name)
		sec := dockerfile.Secret{ID: cmp.Or(x.get("target").str(), name), Env: def.get("environment").str()}
		if f := def.get("file"); f != nil {
			sec.Src = workspace.Join(f.dir, f.str())
		}
		if sec.Src != "" || sec.Env != "" {
			a.Secrets = append(a.Secrets, sec)
		}
	}
	if b.get("privileged").isTrue() {
		p.unknown(b.get("privileged").at(""), "the image is built without confinement", all()...)
	}
	return dockerfile.Build(p.fs, b.dir, a)
}

// pairs puts a mapping's values into a set; a name without a value takes the one of the environment.
func (p *project) pairs(m *node, into map[string]string) {
	if m == nil || m.kind != mapping {
		return
	}
	for _, k := range m.keys {
		v := m.get(k)
		if v.kind != null {
			into[k] = v.str()
			continue
		}
		p.readsEnv(k, v.line, v.file)
		if value, ok := p.env(k); ok {
			into[k] = shown(k, value)
		}
	}
}

// containFrom claims what a container of a service is given and what it runs.
func (p *project) containFrom(s service, run *Args, im dockerfile.Image) {
	p.privileges(s)
	mounts := p.mounts(s, run)
	p.ports(s, run)
	p.secrets(s)
	env := map[string]string{}
	for k, v := range im.Env {
		env[k] = v
	}
	for _, x := range listOf(s.get("env_file")) {
		p.serviceEnvFile(x, env)
	}
	p.pairs(asMapping(s.get("environment")), env)
	entry := p.words(s.get("entrypoint"))
	command := p.words(s.get("command"))
	from := s.at("compose/service")
	for _, key := range []string{"command", "entrypoint"} {
		if n := s.get(key); n != nil {
			from = n.at("compose/" + key)
			break
		}
	}
	if run != nil {
		from = effect.Source{Rule: "compose/run"}
		if len(run.Rest) > 0 {
			command = run.Rest
		} else if s.node != nil {
			from = s.at("compose/run")
		}
		if run.Entrypoint != nil {
			entry = splitWords(*run.Entrypoint)
			if len(run.Rest) == 0 {
				command = nil
			}
		}
		for _, kv := range run.SetEnv {
			k, v, has := strings.Cut(kv, "=")
			if has {
				env[k] = v
			} else if v, ok := p.env(k); ok {
				env[k] = shown(k, v)
			}
		}
	}
	in := container{service: s, image: im, env: env, mounts: mounts}
	if run != nil && run.Workdir != "" {
		in.workdir = run.Workdir
	}
	if words := im.Command(entry, command); len(words) > 0 {
		if entry == nil && command == nil {
			from = im.EntryFrom
		}
		p.addJob(in.job(words, "service "+s.name, from))
	}
	p.healthcheck(in)
	for _, h := range listOf(s.get("post_start")) {
		p.hook(s, h, "after "+s.name+" starts")
	}
}

// container is what a job of a service needs to be placed.
type container struct {
	service
	image   dockerfile.Image
	env     map[string]string
	mounts  []mount
	workdir string
}

// job places a command in the container. Its folder is the one of this machine that is mounted or was copied there.
func (c container) job(words []string, label string, from effect.Source) source.Job {
	j := c.image.Job(c.name, words)
	j.Label, j.From, j.Env, j.Group = label, from, c.env, c.name
	dir := cmp.Or(c.workdir, c.get("working_dir").str(), c.image.Dir, "/")
	if dir != c.image.Dir {
		j.Dir = path.Join(nowhere, dir)
	}
	for _, m := range c.mounts {
		if dir == m.target || strings.HasPrefix(dir, strings.TrimSuffix(m.target, "/")+"/") {
			j.Dir = path.Join(m.source, strings.TrimPrefix(dir, m.target))
		}
	}
	return j
}

// nowhere is put in front of a container's own paths, which are no files of this machine.
const nowhere = "/dev/null/container"

func (p *project) addJob(j source.Job) {
	if len(p.result.Jobs) == maxJobs {
		p.unknown(j.From, "the compose project runs more commands than are listed", all()...)
		return
	}
	p.result.Jobs = append(p.result.Jobs, j)
}

// job runs words in a running container of a service.
func (p *project) job(s service, words []string, label string, from effect.Source) {
	env := map[string]string{}
	p.pairs(asMapping(s.get("environment")), env)
	in := container{service: s, env: env, mounts: p.mounts(s, nil), workdir: p.args.Workdir}
	if s.get("build") != nil {
		_, in.image = p.readBuild(s)
	}
	p.addJob(in.job(words, label, from))
}

// hook is one entry of post_start or pre_stop.
func (p *project) hook(s service, h *node, label string) {
	if words := p.words(h.get("command")); len(words) > 0 {
		p.addJob(container{service: s, workdir: h.get("working_dir").str()}.job(words, label, h.at("compose/hook")))
	}
}

func (p *project) healthcheck(c container) {
	test := c.get("healthcheck", "test")
	if test == nil || c.get("healthcheck", "disable").isTrue() {
		return
	}
	words := test.strings()
	switch {
	case test.kind == scalar:
		words = []string{"/bin/sh", "-c", test.text}
	case len(words) == 2 && words[0] == "CMD-SHELL":
		words = []string{"/bin/sh", "-c", words[1]}
	case len(words) > 1 && words[0] == "CMD":
		words = words[1:]
	default:
		return
	}
	p.addJob(c.job(words, "health check of service "+c.name, test.at("compose/healthcheck")))
}

// words reads a command: a list as it is, a text split as a shell would without expanding anything. nil is absent.
func (p *project) words(n *node) []string {
	switch {
	case n == nil || n.kind == null:
		return nil
	case n.kind == scalar:
		return splitWords(n.text)
	}
	return slices.Concat([]string{}, n.strings())
}

func splitWords(s string) []string {
	out := []string{}
	var b strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
			in = true
		case quote == 0 && (c == '\'' || c == '"'):
			quote, in = c, true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if in {
				out = append(out, b.String())
				b.Reset()
				in = false
			}
		default:
			b.WriteByte(c)
			in = true
		}
	}
	if in {
		out = append(out, b.String())
	}
	return out
}

func (p *project) serviceEnvFile(x *node, env map[string]string) {
	name := cmp.Or(x.str(), x.get("path").str())
	if name == "" {
		return
	}
	file := workspace.Join(x.dir, name)
	from := x.at("compose/env-file")
	p.claim(source.Claim{Class: effect.Environment, Access: effect.Read, Target: file, From: from})
	values, _, err := p.readEnvFile(file, p.variables(nil))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.unknown(from, "the environment file "+name+" cannot be read: "+err.Error(), effect.Environment)
	}
	for k, v := range values {
		env[k] = v
	}
}

// privileges says where a container is not kept apart from this machine.
func (p *project) privileges(s service) {
	if n := s.get("privileged"); n.isTrue() {
		p.unknown(n.at(""), "the container is privileged and can do what this machine's root can", all()...)
	}
	if n := s.get("network_mode"); n.str() == "host" {
		p.unknown(n.at(""), "the container shares this machine's network and may listen on any port", effect.Network)
	}
	if n := s.get("pid"); n.str() == "host" {
		p.unknown(n.at(""), "the container sees and may control this machine's processes", effect.Process, effect.File)
	}
	for _, c := range listOf(s.get("cap_add")) {
		switch strings.TrimPrefix(strings.ToUpper(c.str()), "CAP_") {
		case "ALL", "SYS_ADMIN", "SYS_MODULE", "SYS_PTRACE", "SYS_RAWIO", "DAC_READ_SEARCH", "BPF":
			p.unknown(c.at(""), "the container has the capability "+c.str()+", which can break out of it", all()...)
		}
	}
	for _, d := range listOf(s.get("devices")) {
		p.unknown(d.at(""), "the container is given the device "+cmp.Or(d.str(), d.get("source").str()), effect.File)
	}
}

// mount is a folder or file of this machine that a container sees.
type mount struct{ source, target string }

// mounts claims what a container can read and write of this machine.
func (p *project) mounts(s service, run *Args) []mount {
	var out []mount
	list := listOf(s.get("volumes"))
	if run != nil {
		for _, text := range run.Mounts {
			list = append(list, &node{kind: scalar, text: text, dir: p.dir})
		}
	}
	for _, v := range list {
		m, readonly, ok := bind(v)
		if !ok {
			continue
		}
		if rest, ok := strings.CutPrefix(m.source, "~"); ok {
			home, _ := p.env("HOME")
			m.source = home + rest
		}
		from := v.at("compose/volume")
		if strings.Contains(m.source, Placeholder) || m.source == "" {
			p.unknown(from, "the container is given a folder of this machine whose name is not known", effect.File)
			continue
		}
		m.source = workspace.Join(v.dir, m.source)
		out = append(out, m)
		if engineSocket(m.source) {
			p.claim(source.Claim{Class: effect.Container, Access: effect.Call, Target: "engine/" + path.Base(m.source), From: from})
			p.unknown(from, "the container is given the container engine's socket and can do through it what this machine's root can", all()...)
			continue
		}
		access := effect.Write
		if readonly {
			access = effect.Read
		}
		p.claim(source.Claim{Class: effect.File, Access: access, Target: m.source, Tree: !p.fs.IsFile(m.source), From: from})
	}
	return out
}

// bind reads a volume that is a bind mount: in the short form, the source is a path.
func bind(v *node) (m mount, readonly, ok bool) {
	if v.kind == mapping {
		m = mount{v.get("source").str(), path.Clean(v.get("target").str())}
		return m, v.get("read_only").isTrue(), v.get("type").str() == "bind"
	}
	src, rest, has := strings.Cut(v.str(), ":")
	if strings.HasPrefix(v.str(), Placeholder) { // the placeholder holds no colon, but may be a name
		return mount{}, false, true
	}
	if !has || src == "" || !strings.ContainsAny(src[:1], "./~") {
		return m, false, false
	}
	target, opts, _ := strings.Cut(rest, ":")
	for _, o := range strings.Split(opts, ",") {
		readonly = readonly || o == "ro" || o == "readonly"
	}
	return mount{src, path.Clean(target)}, readonly, true
}

// engineSocket tells whether a path is where a container engine listens.
func engineSocket(p string) bool {
	switch path.Base(p) {
	case "docker.sock", "podman.sock", "containerd.sock", "crio.sock", "buildkitd.sock":
		return true
	}
	return false
}

// ports claims the ports of this machine that are published, on every address where none is given.
func (p *project) ports(s service, run *Args) {
	list := listOf(s.get("ports"))
	if run != nil {
		if !run.ServicePorts {
			list = nil
		}
		for _, text := range run.Publish {
			list = append(list, &node{kind: scalar, text: text})
		}
	}
	for _, n := range list {
		host, port := "0.0.0.0", ""
		if n.kind == mapping {
			if n.get("target") == nil {
				continue
			}
			host = cmp.Or(n.get("host_ip").str(), host)
			port = n.get("published").str()
		} else {
			text, _, _ := strings.Cut(n.str(), "/")
			i := strings.LastIndexByte(text, ':')
			if i >= 0 {
				port = text[:i]
				if j := strings.LastIndexByte(port, ':'); j >= 0 {
					host, port = cmp.Or(port[:j], host), port[j+1:]
				}
			}
		}
		target := host
		if port != "" && !strings.Contains(port, "-") {
			target += ":" + port
		}
		p.claim(source.Claim{Class: effect.Network, Access: effect.Listen, Target: target, From: n.at("compose/port")})
	}
}

// secrets claims the files and variables behind the secrets and configs of a service.
func (p *project) secrets(s service) {
	for _, kind := range []string{"secrets", "configs"} {
		for _, x := range listOf(s.get(kind)) {
			def := p.model.get(kind, cmp.Or(x.str(), x.get("source").str()))
			if f := def.get("file"); f != nil {
				p.claim(source.Claim{Class: effect.File, Access: effect.Read, Target: workspace.Join(f.dir, f.str()), From: f.at("compose/" + kind)})
			}
			if v := def.get("environment"); v != nil {
				p.claim(source.Claim{Class: effect.Environment, Access: effect.Read, Target: v.str(), From: v.at("compose/" + kind)})
			}
		}
	}
}
