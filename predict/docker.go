package predict

import (
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/compose"
	"github.com/ambit-dev/ambit/predict/internal/dockerfile"
	"github.com/ambit-dev/ambit/predict/internal/source"
)

// dockerBuild follows the Dockerfile of a build.
func (e *engine) dockerBuild(f *frame, v *invocation) {
	argv := make([]string, 0, len(v.args))
	for _, a := range v.args[v.match.SubIndex+2:] {
		argv = append(argv, shellUnknown(a.text))
	}
	for _, o := range v.match.All("-o --output") {
		if dest := exportTarget(o.Value); dest != "" {
			e.write(f, v.word(dest, o.Index), true, f.source(v.line, v.name+"/build/output"))
		}
	}
	args := dockerfile.ParseArgs(argv, e.envValue(f))
	args.Podman = localEngine(v.name)
	e.followEngine(f, v, dockerfile.Plan(e.fs, f.dir, args))
}

// exportTarget is the folder or file that the client writes what was built to: "dir", or "type=local,dest=dir" (docker-build(1)).
func exportTarget(value string) string {
	if !strings.Contains(value, "=") {
		return strings.TrimSuffix(value, "-")
	}
	for _, field := range strings.Split(value, ",") {
		if key, dest, _ := strings.Cut(field, "="); key == "dest" && dest != "-" {
			return dest
		}
	}
	return ""
}

// localEngine tells whether a client runs containers below itself. Others only talk to a daemon, which works outside the
// process tree of the command.
func localEngine(name string) bool {
	switch name {
	case "podman", "buildah", "nerdctl", "apptainer", "singularity", "podman-compose":
		return true
	}
	return false
}

// followEngine follows what a container engine is asked to do. What it does by itself (steps, pulls, downloads) is
// delegated; the client only sends the build context.
func (e *engine) followEngine(f *frame, v *invocation, r source.Result) {
	before := len(e.effects)
	g := *f
	g.container = "engine"
	var own source.Result
	pulls := false
	for _, c := range r.Claims {
		switch {
		case c.Class == effect.Container:
			own.Claims = append(own.Claims, c)
			pulls = pulls || c.Access == effect.Run
		case c.Class == effect.File, c.Class == effect.Environment:
			own.Claims = append(own.Claims, c)
		default:
			e.claim(&g, c)
		}
	}
	own.Unknowns = r.Unknowns
	for _, j := range r.Jobs {
		if j.Container == "" {
			own.Jobs = append(own.Jobs, j)
			continue
		}
		if e.step(&g) {
			e.job(&g, j)
		}
	}
	e.follow(f, own)
	could := e.delegatedClasses(before)
	if pulls && !slices.Contains(could, effect.Network) {
		could = append(could, effect.Network)
	}
	if localEngine(v.name) {
		e.ownDelegated(f, before, pulls, v.src)
		return
	}
	if len(could) > 0 {
		e.unknown(f, v.src, "the container engine fetches images and runs steps outside this process tree", could...)
	}
}

func (e *engine) delegatedClasses(from int) (classes []effect.Class) {
	for _, x := range e.effects[from:] {
		if x.kind == delegatedEffect && (x.Class == effect.Network || x.Class == effect.Container) && !slices.Contains(classes, x.Class) {
			classes = append(classes, x.Class)
		}
	}
	return classes
}

// ownDelegated takes over the network effects of steps that run below the client itself.
func (e *engine) ownDelegated(f *frame, from int, pulls bool, src effect.Source) {
	g := *f
	g.view = effect.Metadata
	if pulls {
		e.network(&g, word{text: "@docker"}, effect.Fetch, src)
	}
	for _, x := range slices.Clone(e.effects[from:]) {
		if x.kind == delegatedEffect && x.Class == effect.Network {
			for _, s := range x.Sources {
				e.note(&g, x.Class, x.Access, x.On, s)
			}
		}
	}
}

// dockerRun follows the mounts of a container and what its command does to them. The container itself is the engine's.
func (e *engine) dockerRun(f *frame, v *invocation) {
	src := v.src
	for _, o := range append(v.match.All("-v --volume"), v.match.All("--mount")...) {
		host, inside, readOnly := mount(o.Value)
		if host == "" || strings.Contains(host, hole) && !strings.HasPrefix(host, "/") {
			continue
		}
		w := v.word(host, o.Index)
		if strings.HasSuffix(host, ".sock") {
			e.unknown(f, src, "the container gets the socket "+show(host)+" and can do what its owner can")
			continue
		}
		if !strings.HasPrefix(host, "/") && !strings.HasPrefix(host, ".") && !strings.HasPrefix(host, "~") {
			continue // a named volume
		}
		e.read(f, w, true, src)
		if readOnly {
			continue
		}
		// The engine, not the client, writes below the mount: it may, and nothing here confines it.
		g := *f
		g.container = "engine"
		e.write(&g, w, true, src)
		e.unknown(f, src, "the container can change "+show(host)+" (mounted at "+show(inside)+"), which the engine does outside this process tree", effect.File)
	}
	if o, ok := v.match.Opt("--privileged"); ok && o.Value != "false" {
		e.unknown(f, src, "a privileged container can do anything on this machine")
	}
	if ws := v.operands(); len(ws) > 1 {
		c := f.child("in the container: "+commandTitle(ws[1:]), src)
		c.container = ws[0].text
		c.dir = "/dev/null/container"
		e.startProgram(c, ws[1:], v.line)
	}
	if v.match.Has("--network --net") {
		return
	}
	e.unknown(f, src, "the container's own code runs in the engine, outside this process tree", effect.Network)
}

// mount reads -v HOST:PLACE[:ro] and --mount type=bind,source=HOST,target=PLACE[,readonly].
func mount(s string) (host, inside string, readOnly bool) {
	if !strings.Contains(s, "=") {
		parts := strings.Split(s, ":")
		if len(parts) < 2 {
			return "", s, false
		}
		return parts[0], parts[1], len(parts) > 2 && slices.Contains(strings.Split(parts[2], ","), "ro")
	}
	for _, kv := range strings.Split(s, ",") {
		k, val, _ := strings.Cut(kv, "=")
		switch k {
		case "source", "src":
			host = val
		case "target", "destination", "dst":
			inside = val
		case "readonly", "ro":
			readOnly = val != "false"
		}
	}
	return host, inside, readOnly
}

// composeCommand follows a Compose project.
func (e *engine) composeCommand(f *frame, v *invocation) {
	from := 1
	if v.match.Path[0] == "docker" || v.name == "podman" || v.name == "nerdctl" {
		for from < len(v.args) && v.args[from].text != "compose" {
			from++
		}
		from++
	}
	var argv []string
	for _, a := range v.args[min(from, len(v.args)):] {
		argv = append(argv, shellUnknown(a.text))
	}
	e.followEngine(f, v, compose.Plan(e.fs, v.dir, compose.ParseArgs(argv, e.envValue(f))))
}
