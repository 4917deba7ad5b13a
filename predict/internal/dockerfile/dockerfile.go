// Package dockerfile reads Dockerfiles as BuildKit does and says what a build would set in motion: the images it starts
// from, what each RUN of the stages that are needed runs, what is fetched, and which files of the context are sent. It
// runs nothing and asks no registry, so what a base image brings along (its ONBUILD triggers, its environment) is not
// known to it. The source of its rules is the Dockerfile reference.
package dockerfile

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Args is what the build was asked. The zero value builds the last stage of ./Dockerfile with the context ".".
type Args struct {
	File      string            // -f: path of the Dockerfile, relative to the working directory; empty: Dockerfile of the context
	Target    string            // --target
	BuildArgs map[string]string // --build-arg, with the values that the environment gives those without one
	Context   string            // folder, URL, "-"; empty: "."
	Contexts  map[string]string // --build-context name=value
	Secrets   []Secret
	SSH       bool   // --ssh was given
	Tag       string // -t, the first one
	Platform  string // --platform, the first one
	Legacy    bool   // the builder before BuildKit: every stage up to the target runs
	Podman    bool   // podman and buildah look for a Containerfile first
	Inline    string // text of the Dockerfile, given instead of a file (compose: dockerfile_inline)
	From      effect.Source
}

// Secret is one --secret: a file or an environment variable of this machine that RUN --mount=type=secret shows.
type Secret struct{ ID, Src, Env string }

// Image is what the last stage sets for a container that is started from it.
type Image struct {
	Entrypoint, Cmd []string // shell forms are {"/bin/sh", "-c", text}
	Env             map[string]string
	Dir             string // absolute path in the container
	HostDir         string // folder of the context that was copied there; empty: not known
	User            string
	Ports           []string
	Base            string // the external image that it is built on; empty: scratch or not known
	From            effect.Source
	EntryFrom       effect.Source
}

// nowhere is put in front of a container's own paths: they are no files of this machine, and nothing exists below it.
const nowhere = "/dev/null/container"

// Plan says what building sets in motion.
func Plan(fs *workspace.FS, dir string, args Args) source.Result {
	r, _ := Build(fs, dir, args)
	return r
}

// Build is Plan that also tells what a container of the image would run.
func Build(fs *workspace.FS, dir string, args Args) (source.Result, Image) {
	b := &builder{fs: fs, args: args, seen: map[string]bool{}}
	if !b.open(dir) {
		return b.result, Image{}
	}
	b.split()
	b.run()
	return b.result, b.image()
}

type builder struct {
	fs      *workspace.FS
	args    Args
	dir     string // working directory of the client
	context string // absolute; empty: not a folder of this machine
	ignore  ignored
	src     effect.Source // of the Dockerfile, without a line
	file    file
	globals map[string]string
	stages  []*stage
	result  source.Result
	seen    map[string]bool
	target  int
}

// stage is the instructions from one FROM to the next.
type stage struct {
	name   string
	base   string // expanded
	from   instruction
	body   []instruction
	parent int // index of the stage that it starts from; -1: an image
	needs  []int

	done                  bool
	env, vars             map[string]string
	open                  bool // the base image may set more variables
	dir, user             string
	shell, entry, command []string
	entryLine             int
	commandHere           bool // CMD was in this stage
	ports                 []string
	onbuild               []instruction
	copies                []copied
	external              string
}

// copied says that a folder or file of the context was copied into the image.
type copied struct {
	dst, src string // absolute
	dir      bool   // src is a folder
}

func (b *builder) at(line int, rule string) effect.Source {
	s := b.src
	s.Rule = rule
	switch {
	case s.File == "" || line == 0 && s.Line > 0: // the whole build: where it was asked for
	case b.args.Inline != "":
		s.Line = line + b.args.From.Line
	default:
		s.Line = line
	}
	return s
}

func (b *builder) claim(c effect.Class, a effect.Access, target string, tree bool, line int, rule string) {
	key := c.String() + a.String() + target
	if target == "" || b.seen[key] {
		return
	}
	b.seen[key] = true
	b.result.Claims = append(b.result.Claims, source.Claim{Class: c, Access: a, Target: target, Tree: tree, Dir: b.dir, From: b.at(line, rule)})
}

func (b *builder) unknown(line int, why string, could ...effect.Class) {
	b.result.Unknowns = append(b.result.Unknowns, source.Unknown{From: b.at(line, "dockerfile/unknown"), Why: why, Could: could})
}

// open finds and reads the context and the Dockerfile. It is false where there is nothing to follow.
func (b *builder) open(dir string) bool {
	b.dir = dir
	ctx := cmp.Or(b.args.Context, ".")
	b.src = b.args.From
	b.claim(effect.Container, effect.Build, cmp.Or(b.args.Tag, ctx), false, 0, "dockerfile/build")
	switch {
	case ctx == "-":
		b.unknown(0, "the build context is read from standard input", effect.Container)
		return false
	case remote(ctx):
		b.claim(effect.Network, effect.Fetch, ctx, false, 0, "dockerfile/context")
		if b.args.File != "" || b.args.Inline == "" {
			b.unknown(0, "the build context and its Dockerfile are fetched, and so are not known: "+ctx, effect.Container, effect.Network)
			return false
		}
	default:
		b.context = workspace.Join(dir, ctx)
	}
	if b.args.Inline != "" {
		b.file = parse([]byte(b.args.Inline))
		b.ignore = readIgnore(b.fs, b.context, path.Join(b.context, "Dockerfile"))
		return true
	}
	if b.args.File == "-" {
		b.unknown(0, "the Dockerfile is read from standard input", effect.Container)
		return false
	}
	names := []string{"Dockerfile", "Containerfile"}
	if b.args.Podman {
		slices.Reverse(names)
	}
	if b.args.File != "" {
		names = []string{b.args.File}
	}
	for _, n := range names {
		p := workspace.Join(b.context, n)
		if b.args.File != "" {
			p = workspace.Join(dir, n)
			if !b.fs.Exists(p) && b.fs.Exists(workspace.Join(b.context, n)) {
				p = workspace.Join(b.context, n) // podman looks in the context too
			}
		}
		f, err := b.fs.Read(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		b.src = effect.Source{File: p}
		if err != nil {
			b.unknown(0, "the Dockerfile cannot be read: "+err.Error(), effect.Container)
			return false
		}
		b.src = effect.Source{File: f.Path, SHA256: f.SHA256}
		b.file = parse(f.Data)
		b.ignore = readIgnore(b.fs, b.context, p)
		return true
	}
	return false // the build fails
}

// remote tells whether a context or source is a URL or a git repository (docker build, "Build context").
func remote(s string) bool {
	for _, p := range []string{"http://", "https://", "git://", "ssh://", "git@", "github.com/"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// split divides the instructions into stages and finds which of them each one needs.
func (b *builder) split() {
	b.globals = b.predefined()
	x := expander{values: values{args: b.globals}, escape: b.file.escape}
	declared := map[string]string{}
	for _, in := range b.file.instructions {
		switch {
		case in.name == "FROM":
			if len(b.stages) == maxStages {
				b.file.cut, b.file.cutLine = "the Dockerfile has more stages than are followed", in.line
				return
			}
			b.addStage(in, x)
		case len(b.stages) > 0:
			s := b.stages[len(b.stages)-1]
			s.body = append(s.body, in)
		case in.name == "ARG":
			for _, kv := range x.pairs(in.args, false) {
				if v, ok := b.args.BuildArgs[kv[0]]; ok {
					kv[1] = v
				}
				if _, given := b.args.BuildArgs[kv[0]]; given || strings.Contains(in.args, kv[0]+"=") {
					declared[kv[0]] = kv[1]
				}
				b.globals[kv[0]] = kv[1]
			}
		}
	}
	for i, s := range b.stages {
		for _, in := range s.body {
			if f := in.flag("from"); f != "" && in.name == "COPY" {
				b.need(i, f)
			}
			for _, m := range in.mounts() {
				b.need(i, m["from"])
			}
		}
	}
}

// predefined are the variables that BuildKit sets by itself ("Automatic platform ARGs in the global scope").
func (b *builder) predefined() map[string]string {
	build := "linux/" + runtime.GOARCH
	target := cmp.Or(b.args.Platform, build)
	m := map[string]string{}
	for prefix, p := range map[string]string{"BUILD": build, "TARGET": target} {
		parts := append(strings.SplitN(p, "/", 3), "", "")
		m[prefix+"PLATFORM"], m[prefix+"OS"], m[prefix+"ARCH"], m[prefix+"VARIANT"] = p, parts[0], parts[1], parts[2]
	}
	return m
}

func (b *builder) addStage(in instruction, x expander) {
	words := x.fields(in.args)
	s := &stage{from: in, parent: -1}
	if len(words) > 0 {
		s.base = x.word(words[0])
	}
	s.name = "stage " + strconv.Itoa(len(b.stages))
	if len(words) == 3 && strings.EqualFold(words[1], "as") {
		s.name = strings.ToLower(words[2])
	}
	if _, named := b.args.Contexts[s.base]; !named {
		s.parent = b.find(s.base, false)
	}
	if s.parent >= 0 {
		s.needs = append(s.needs, s.parent)
	}
	b.stages = append(b.stages, s)
}

// find gives the last stage of a name so far, or where numbers count the stage of that number.
func (b *builder) find(name string, numbers bool) int {
	for i := len(b.stages) - 1; i >= 0; i-- {
		if b.stages[i].name == strings.ToLower(name) {
			return i
		}
	}
	if n, err := strconv.Atoi(name); err == nil && numbers && n >= 0 && n < len(b.stages) {
		return n
	}
	return -1
}

func (b *builder) need(i int, from string) {
	if _, named := b.args.Contexts[from]; from == "" || named {
		return
	}
	if n := b.find(from, true); n >= 0 && n < i {
		b.stages[i].needs = append(b.stages[i].needs, n)
	}
}

// run goes through the stages that the target needs, in order.
func (b *builder) run() {
	if b.file.cut != "" {
		b.unknown(b.file.cutLine, b.file.cut, effect.Container)
	}
	b.frontend()
	b.target = len(b.stages) - 1
	if b.args.Target != "" {
		b.target = b.find(b.args.Target, true)
	}
	if b.target < 0 {
		return // no FROM, or no such stage: the build fails
	}
	needed := make([]bool, len(b.stages))
	todo := []int{b.target}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !needed[i] {
			needed[i] = true
			todo = append(todo, b.stages[i].needs...)
		}
	}
	for i := range b.target + 1 {
		if needed[i] || b.args.Legacy {
			b.runStage(b.stages[i])
		}
	}
	if b.args.Legacy && b.context != "" {
		b.claim(effect.File, effect.Read, b.context, true, 0, "dockerfile/context")
	}
}

// frontend is the image that reads the Dockerfile, where the file or a build argument names one: it decides what everything
// else means.
func (b *builder) frontend() {
	name, line := b.file.syntax, b.file.syntaxLine
	if v := b.args.BuildArgs["BUILDKIT_SYNTAX"]; v != "" {
		name, line = v, 0
	}
	if name == "" || b.args.Legacy {
		return
	}
	b.claim(effect.Container, effect.Run, name, false, line, "dockerfile/syntax")
	repo, _, _ := strings.Cut(strings.TrimPrefix(name, "docker.io/"), ":")
	repo, _, _ = strings.Cut(repo, "@")
	if repo != "docker/dockerfile" && repo != "docker/dockerfile-upstream" {
		b.unknown(line, "the Dockerfile is read by the program of another image, "+name, effect.Container)
	}
}

// runStage follows one stage.
func (b *builder) runStage(s *stage) {
	s.done = true
	s.env, s.vars, s.dir, s.open = map[string]string{}, map[string]string{}, "/", true
	var triggers []instruction
	switch {
	case s.parent >= 0:
		p := b.stages[s.parent]
		for k, v := range p.env {
			s.env[k] = v
		}
		s.open, s.dir, s.user, s.shell, s.entry, s.command, s.entryLine = p.open, p.dir, p.user, p.shell, p.entry, p.command, p.entryLine
		s.ports, s.copies, s.external = slices.Clone(p.ports), slices.Clone(p.copies), p.external
		triggers = p.onbuild
	case s.base == "scratch":
		s.open = false
	case strings.HasPrefix(s.base, "docker-image://"):
		b.baseImage(s, strings.TrimPrefix(s.base, "docker-image://"))
	default:
		if v, ok := b.args.Contexts[s.base]; ok {
			b.otherContext(v, s.from.line)
			break
		}
		b.baseImage(s, s.base)
	}
	for _, in := range slices.Concat(triggers, s.body) {
		b.instruction(s, in)
	}
}

func (b *builder) baseImage(s *stage, name string) {
	if name == "" || strings.Contains(name, Placeholder) {
		b.unknown(s.from.line, "the base image is not known", effect.Container)
		return
	}
	s.external = name
	b.claim(effect.Container, effect.Run, name, false, s.from.line, "dockerfile/from")
}

// otherContext is a --build-context: a folder, an image, or something to fetch.
func (b *builder) otherContext(value string, line int) {
	switch image, isImage := strings.CutPrefix(value, "docker-image://"); {
	case isImage:
		b.claim(effect.Container, effect.Run, image, false, line, "dockerfile/from")
	case remote(value):
		b.claim(effect.Network, effect.Fetch, value, false, line, "dockerfile/context")
	case strings.HasPrefix(value, "target:"):
	default:
		b.claim(effect.File, effect.Read, workspace.Join(b.dir, strings.TrimPrefix(value, "oci-layout://")), true, line, "dockerfile/context")
	}
}

func (b *builder) expander(s *stage) expander {
	return expander{values: values{env: s.env, args: s.vars, open: s.open}, escape: b.file.escape}
}

// instruction follows one instruction of a stage. Those that only describe the image are skipped.
func (b *builder) instruction(s *stage, in instruction) {
	x := b.expander(s)
	switch in.name {
	case "ARG":
		b.declare(s, in, x)
	case "ENV":
		for _, kv := range x.pairs(in.args, true) {
			s.env[kv[0]] = kv[1]
		}
	case "WORKDIR":
		s.dir = join(s.dir, x.word(in.args))
	case "USER":
		s.user = x.word(in.args)
	case "SHELL":
		if in.exec != nil {
			s.shell = in.exec
		}
	case "EXPOSE":
		for _, p := range x.fields(in.args) {
			s.ports = append(s.ports, x.word(p))
		}
	case "CMD":
		s.command, s.commandHere = b.form(s, in), true
		if s.entry == nil {
			s.entryLine = in.line
		}
	case "ENTRYPOINT":
		s.entry, s.entryLine = b.form(s, in), in.line
		if !s.commandHere {
			s.command = nil // one of the base image does not fit
		}
	case "ONBUILD":
		if len(s.onbuild) < maxStages {
			trigger := instruction{line: in.line}
			trigger.take(in.args, in.lined)
			s.onbuild = append(s.onbuild, trigger)
		}
	case "RUN":
		b.runs(s, in)
	case "ADD", "COPY":
		b.copy(s, in, x)
	case "LABEL", "MAINTAINER", "VOLUME", "STOPSIGNAL", "HEALTHCHECK":
	default:
		b.unknown(in.line, "the instruction "+strconv.Quote(short(in.name))+" is not known", effect.Container)
	}
}

func short(s string) string {
	if len(s) > 30 {
		return strings.ToValidUTF8(s[:30], "") + "..."
	}
	return s
}

// declare gives an ARG its value: of the command line, the default, or the one from before the first FROM.
func (b *builder) declare(s *stage, in instruction, x expander) {
	for _, word := range x.fields(in.args) {
		name, value, has := strings.Cut(word, "=")
		name = x.word(name)
		if v, ok := b.args.BuildArgs[name]; ok {
			s.vars[name] = v
		} else if has {
			s.vars[name] = x.word(value)
		} else if v, ok := b.globals[name]; ok {
			s.vars[name] = v
		} else if _, ok := s.vars[name]; !ok {
			s.vars[name] = ""
		}
	}
}

// form gives the words of an exec or shell form.
func (b *builder) form(s *stage, in instruction) []string {
	if in.exec != nil {
		return in.exec
	}
	return append(slices.Clone(s.shellWords()), in.args)
}

func (s *stage) shellWords() []string {
	if s.shell != nil {
		return s.shell
	}
	return []string{"/bin/sh", "-c"}
}

// image tells what a container of the target would run.
func (b *builder) image() Image {
	if b.target < 0 || b.target >= len(b.stages) || !b.stages[b.target].done {
		return Image{}
	}
	s := b.stages[b.target]
	im := Image{Entrypoint: s.entry, Cmd: s.command, Env: s.env, Dir: s.dir, User: s.user, Ports: s.ports, Base: s.external,
		From: b.at(s.from.line, "dockerfile/image"), EntryFrom: b.at(cmp.Or(s.entryLine, s.from.line), "dockerfile/entrypoint")}
	im.HostDir, _ = b.host(s, s.dir)
	return im
}
