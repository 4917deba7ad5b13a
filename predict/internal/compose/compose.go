// Package compose reads Docker Compose projects and says what a command on one would set in motion: the images it builds
// and starts, what their containers run, which folders and sockets of this machine they are given, which ports are
// published and which variables and secrets are read. It runs nothing and asks no engine, so what an image itself starts
// is known only where the project builds it. The source of its rules is the Compose specification.
package compose

import (
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Args is what compose was asked.
type Args struct {
	Files      []string // -f, in order; "-" is standard input
	ProjectDir string   // --project-directory
	EnvFiles   []string // --env-file
	Profiles   []string // --profile
	Command    string   // up, run, build, ...
	Services   []string // operands; for run and exec the one service
	Rest       []string // the command line of run and exec, the operands of cp

	DryRun       bool // --dry-run: the files are read and nothing is started
	NoDeps       bool
	NoBuild      bool
	NoStart      bool
	Volumes      bool // down -v, rm -v
	Images       bool // down --rmi
	ServicePorts bool // run --service-ports
	WithDeps     bool // build --with-dependencies, pull --include-deps
	Entrypoint   *string
	Workdir      string
	Mounts       []string // run -v
	Publish      []string // run -p
	SetEnv       []string // run -e, exec -e
	BuildArgs    []string // build --build-arg

	// Env gives a variable of the environment; nil is an empty environment.
	Env func(name string) (string, bool)
}

// Plan says what a compose command started in dir sets in motion.
func Plan(fs *workspace.FS, dir string, args Args) source.Result {
	p := &project{fs: fs, args: args, dir: path.Clean(dir), seen: map[string]bool{}}
	switch args.Command {
	case "", "version", "ls", "help", "completion":
		return p.result
	}
	if p.load() && !args.DryRun {
		p.run()
	}
	return p.result
}

// run does what the command asks of the services it is about.
func (p *project) run() {
	services := p.model.get("services")
	switch a := p.args; a.Command {
	case "up", "watch":
		for _, s := range p.closure(p.targets(), !a.NoDeps) {
			p.start(s, nil)
		}
	case "create":
		for _, s := range p.closure(p.targets(), true) {
			p.provide(s)
		}
	case "start", "restart":
		for _, s := range p.closure(p.targets(), a.Command == "start") {
			p.contain(s, nil)
		}
	case "run":
		p.runService()
	case "exec":
		if len(a.Services) == 1 && services.get(a.Services[0]) != nil && len(a.Rest) > 0 {
			s := p.service(a.Services[0])
			p.job(s, a.Rest, "exec in service "+s.name, s.at("compose/exec"))
		}
	case "build":
		for _, s := range p.closure(p.targets(), a.WithDeps) {
			if s.get("build") != nil {
				p.build(s)
			}
		}
	case "pull", "push":
		for _, s := range p.closure(p.targets(), a.WithDeps && a.Command == "pull") {
			p.transfer(s)
		}
	case "down", "stop", "rm", "kill":
		p.down()
	case "cp":
		p.copy()
	}
}

// service is a service of the merged project.
type service struct {
	*node
	name string
}

func (p *project) service(name string) service { return service{p.model.get("services", name), name} }

// targets are the services that were named, or those that the active profiles have.
func (p *project) targets() []string {
	if len(p.args.Services) > 0 {
		return p.args.Services
	}
	services := p.model.get("services")
	if services == nil {
		return nil
	}
	var out []string
	for _, k := range services.keys {
		if p.active(services.get(k)) {
			out = append(out, k)
		}
	}
	return out
}

func (p *project) active(s *node) bool {
	want := s.get("profiles").strings()
	if len(want) == 0 {
		return true
	}
	have := p.args.Profiles
	if v, ok := p.env("COMPOSE_PROFILES"); ok && len(have) == 0 {
		have = strings.Split(v, ",")
	}
	for _, h := range have {
		if h == "*" || slices.Contains(want, h) {
			return true
		}
	}
	return false
}

// closure orders services so that what one depends on comes first.
func (p *project) closure(names []string, deps bool) []service {
	var out []service
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		s := p.service(name)
		if seen[name] || s.node == nil {
			return
		}
		seen[name] = true
		if deps {
			for _, d := range needs(s) {
				visit(d)
			}
		}
		out = append(out, s)
	}
	for _, n := range names {
		visit(n)
	}
	return out
}

// needs lists the services that one depends on, by depends_on or by sharing something with it.
func needs(s service) []string {
	var out []string
	if d := s.get("depends_on"); d != nil && d.kind == mapping {
		out = append(out, d.keys...)
	} else {
		out = append(out, d.strings()...)
	}
	for _, l := range append(s.get("links").strings(), s.get("volumes_from").strings()...) {
		name, _, _ := strings.Cut(l, ":")
		out = append(out, name)
	}
	for _, key := range []string{"network_mode", "ipc", "pid"} {
		if name, ok := strings.CutPrefix(s.get(key).str(), "service:"); ok {
			out = append(out, name)
		}
	}
	return out
}

// runService is `run`: what the service depends on is started, and then a container of it with another command.
func (p *project) runService() {
	if len(p.args.Services) != 1 || p.service(p.args.Services[0]).node == nil {
		return
	}
	s := p.service(p.args.Services[0])
	if !p.args.NoDeps {
		list := p.closure([]string{s.name}, true)
		for _, d := range list[:len(list)-1] {
			p.start(d, nil)
		}
	}
	p.start(s, &p.args)
}

// transfer is `pull` and `push`.
func (p *project) transfer(s service) {
	image := s.get("image")
	access := effect.Fetch
	if p.args.Command == "push" {
		access = effect.Send
		if s.get("build") == nil {
			return
		}
	}
	if image != nil {
		p.claim(source.Claim{Class: effect.Container, Access: access, Target: image.str(), From: image.at("compose/" + p.args.Command)})
	}
}

// down stops containers, and with -v and --rmi deletes volumes and images.
func (p *project) down() {
	for _, s := range p.closure(p.targets(), false) {
		for _, h := range listOf(s.get("pre_stop")) {
			p.hook(s, h, "before "+s.name+" stops")
		}
		if image := s.get("image"); p.args.Images && p.args.Command == "down" && image != nil {
			p.claim(source.Claim{Class: effect.Container, Access: effect.Delete, Target: image.str(), From: image.at("compose/down")})
		}
	}
	if !p.args.Volumes || p.args.Command != "down" {
		return
	}
	volumes := p.model.get("volumes")
	if volumes == nil {
		return
	}
	for _, k := range volumes.keys {
		if v := volumes.get(k); !v.get("external").isTrue() {
			p.claim(source.Claim{Class: effect.Container, Access: effect.Delete, Target: "volume/" + k, From: v.at("compose/down")})
		}
	}
}

// copy is `cp SERVICE:PATH DEST` or the other way.
func (p *project) copy() {
	if len(p.args.Rest) != 2 {
		return
	}
	src, dst := p.args.Rest[0], p.args.Rest[1]
	from := effect.Source{Rule: "compose/cp"}
	switch {
	case strings.Contains(src, ":") && dst != "-":
		p.claim(source.Claim{Class: effect.File, Access: effect.Write, Target: workspace.Join(p.dir, dst), Tree: true, From: from})
	case strings.Contains(dst, ":") && src != "-":
		p.claim(source.Claim{Class: effect.File, Access: effect.Read, Target: workspace.Join(p.dir, src), Tree: true, From: from})
	}
}
