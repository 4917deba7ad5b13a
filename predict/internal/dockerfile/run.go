package dockerfile

import (
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

const maxJobs = 2000

// runs follows a RUN: its mounts read from this machine, its command runs in the stage.
func (b *builder) runs(s *stage, in instruction) {
	for _, m := range in.mounts() {
		b.mount(s, m, in.line)
	}
	if in.flag("security") == "insecure" {
		b.unknown(in.line, "the command runs without the builder's confinement", effect.Container, effect.File, effect.Network, effect.Process)
	}
	if len(b.result.Jobs) >= maxJobs {
		if len(b.result.Jobs) == maxJobs && !b.seen["jobs"] {
			b.seen["jobs"] = true
			b.unknown(in.line, "the Dockerfile runs more commands than are listed", effect.Container)
		}
		return
	}
	j := source.Job{Label: "RUN in " + s.name, Container: s.name, Group: s.name, From: b.at(in.line, "dockerfile/run"), Env: map[string]string{}}
	for k, v := range s.vars {
		j.Env[k] = v
	}
	for k, v := range s.env {
		j.Env[k] = v
	}
	j.Dir = path.Join(nowhere, s.dir)
	if dir, ok := b.host(s, s.dir); ok {
		j.Dir = dir
	}
	switch {
	case in.exec != nil:
		j.Argv = in.exec
	case len(in.docs) > 0:
		b.heredoc(s, in, &j)
	default:
		text := in.lined
		if text == "" {
			text = in.args
		}
		b.shell(s, text, &j)
	}
	if j.Shell != "" || len(j.Argv) > 0 {
		b.result.Jobs = append(b.result.Jobs, j)
	}
}

// heredoc runs the document itself where it is all there is on the line; otherwise the shell gets it with the line.
func (b *builder) heredoc(s *stage, in instruction, j *source.Job) {
	d := in.docs[0]
	if len(in.docs) == 1 && len(strings.Fields(in.args)) == 1 {
		j.From.Line = b.at(d.line, "").Line
		if first, _, _ := strings.Cut(d.text, "\n"); strings.HasPrefix(first, "#!") {
			words := strings.Fields(first[2:])
			if len(words) > 1 && path.Base(words[0]) == "env" {
				words = words[1:]
			}
			if len(words) > 0 {
				j.Interp = path.Base(words[0])
			}
			j.Shell = d.text
			return
		}
		b.shell(s, d.text, j)
		return
	}
	var t strings.Builder
	t.WriteString(in.args + "\n")
	for _, d := range in.docs {
		t.WriteString(d.text + d.name + "\n")
	}
	b.shell(s, t.String(), j)
}

// shell sets the job's text for the shell of the stage; one that is no POSIX shell is a program.
func (b *builder) shell(s *stage, text string, j *source.Job) {
	words := s.shellWords()
	switch base := path.Base(words[0]); base {
	case "sh", "bash", "ash", "dash", "zsh", "ksh":
		j.Shell = text
		if base != "sh" {
			j.Interp = base
		}
	default:
		j.Argv = append(slices.Clone(words), text)
	}
}

// mount is one --mount: a secret and the context come from this machine, a cache and a tmpfs do not.
func (b *builder) mount(s *stage, m map[string]string, line int) {
	first := func(keys ...string) string {
		for _, k := range keys {
			if m[k] != "" {
				return m[k]
			}
		}
		return ""
	}
	switch m["type"] {
	case "secret":
		id := first("id", "source", "src")
		if id == "" {
			id = path.Base(first("target", "dst", "destination"))
		}
		for _, sec := range b.args.Secrets {
			if sec.ID != id {
				continue
			}
			if sec.Env != "" {
				b.claim(effect.Environment, effect.Read, sec.Env, false, line, "dockerfile/secret")
			} else {
				b.claim(effect.File, effect.Read, workspace.Join(b.dir, sec.Src), false, line, "dockerfile/secret")
			}
		}
	case "ssh":
		if b.args.SSH {
			b.claim(effect.Environment, effect.Read, "SSH_AUTH_SOCK", false, line, "dockerfile/ssh")
		}
	case "bind":
		from := m["from"]
		if from != "" {
			b.externalFrom(from, line)
			return
		}
		if src := b.inContext(first("source", "src")); src != "" {
			b.reads(src, line)
			b.record(s, copied{join(s.dir, first("target", "dst", "destination")), src, b.fs.IsDir(src)})
		}
	}
}

// externalFrom is a --from or from= that names no stage: another context or an image.
func (b *builder) externalFrom(from string, line int) {
	if v, ok := b.args.Contexts[from]; ok {
		b.otherContext(v, line)
		return
	}
	if b.find(from, true) < 0 && !strings.Contains(from, Placeholder) {
		b.claim(effect.Container, effect.Run, from, false, line, "dockerfile/copy-from")
	}
}

// copy follows ADD and COPY: what is fetched, what is read of the context, and where it ends up.
func (b *builder) copy(s *stage, in instruction, x expander) {
	list := in.exec
	if list == nil {
		for _, w := range x.fields(in.args) {
			list = append(list, x.word(w))
		}
	} else {
		for i := range list {
			list[i] = x.word(list[i])
		}
	}
	if len(list) < 2 {
		return
	}
	dst := join(s.dir, list[len(list)-1])
	toFolder := strings.HasSuffix(list[len(list)-1], "/") || len(list) > 2 || path.Clean(list[len(list)-1]) == "."
	from := in.flag("from")
	if from != "" {
		b.copyFrom(s, x.word(from), list[:len(list)-1], dst, in.line)
		return
	}
	for _, src := range list[:len(list)-1] {
		switch {
		case strings.HasPrefix(src, "<<"):
		case in.name == "ADD" && remote(src):
			b.claim(effect.Network, effect.Fetch, src, false, in.line, "dockerfile/add")
		case strings.Contains(src, Placeholder):
			b.unknown(in.line, "the name of a file that is copied into the image is not known", effect.File)
		default:
			b.copyLocal(s, src, dst, toFolder, in.line)
		}
	}
}

// copyFrom copies from another stage, whose own copies of the context are then found here as well.
func (b *builder) copyFrom(s *stage, from string, list []string, dst string, line int) {
	i := b.find(from, true)
	if i < 0 || !b.stages[i].done {
		b.externalFrom(from, line)
		return
	}
	for _, src := range list {
		if p, ok := b.host(b.stages[i], join("/", src)); ok {
			b.record(s, copied{dst, p, b.fs.IsDir(p)})
		}
	}
}

// inContext gives the absolute path of a name in the context; empty where there is no context on this machine. Names
// cannot lead out of it.
func (b *builder) inContext(name string) string {
	if b.context == "" {
		return ""
	}
	return path.Join(b.context, path.Join("/", name))
}

func (b *builder) copyLocal(s *stage, name, dst string, toFolder bool, line int) {
	src := b.inContext(name)
	if src == "" {
		return
	}
	if strings.ContainsAny(name, "*?[") {
		b.copyGlob(s, src, dst, line)
		return
	}
	b.reads(src, line)
	dir := b.fs.IsDir(src)
	if !dir && toFolder {
		dst = path.Join(dst, path.Base(src))
	}
	b.record(s, copied{dst, src, dir})
}

// copyGlob copies what a pattern matches in its last segment; a pattern in a folder's name reads the folder above it.
func (b *builder) copyGlob(s *stage, src, dst string, line int) {
	dir, pat := path.Split(src)
	if strings.ContainsAny(dir, "*?[") {
		for strings.ContainsAny(dir, "*?[") {
			dir = path.Dir(path.Clean(dir))
		}
		b.reads(dir, line)
		return
	}
	names, err := b.fs.Names(path.Clean(dir))
	if err != nil {
		return
	}
	n := 0
	for _, name := range names {
		if matchName(pat, name) {
			if n++; n > 50 {
				b.reads(path.Clean(dir), line)
				return
			}
			p := path.Join(dir, name)
			b.reads(p, line)
			if !b.fs.IsDir(p) {
				b.record(s, copied{path.Join(dst, name), p, false})
			}
		}
	}
}

// reads claims that a file or a tree of the context is sent to the builder, and by name the credential files at its top.
func (b *builder) reads(src string, line int) {
	rel := strings.TrimPrefix(strings.TrimPrefix(src, b.context), "/")
	if rel != "" && b.ignore.ignores(rel) || !b.fs.Exists(src) {
		return // the build fails
	}
	dir := b.fs.IsDir(src)
	b.claim(effect.File, effect.Read, src, dir, line, "dockerfile/copy")
	if !dir {
		return
	}
	names, err := b.fs.Names(src)
	if err != nil {
		return
	}
	for _, n := range names {
		if credentialName(n) && !b.ignore.ignores(path.Join(rel, n)) {
			b.claim(effect.File, effect.Read, path.Join(src, n), b.fs.IsDir(path.Join(src, n)), line, "dockerfile/copy")
		}
	}
}

// credentialName tells whether a file of this name usually holds credentials.
func credentialName(n string) bool {
	switch n {
	case ".env", ".npmrc", ".netrc", ".pypirc", ".git-credentials", ".dockercfg", ".aws", ".ssh", ".docker", ".kube", "credentials.json":
		return true
	}
	return strings.HasPrefix(n, ".env.") && !strings.HasSuffix(n, ".example") && !strings.HasSuffix(n, ".sample") && !strings.HasSuffix(n, ".template") ||
		strings.HasPrefix(n, "id_rsa") || strings.HasPrefix(n, "id_ed25519") || strings.HasSuffix(n, ".pem") || strings.HasSuffix(n, ".key")
}

// maxCopies is how many copies of a stage are remembered; the oldest are forgotten first.
const maxCopies = 100

func (b *builder) record(s *stage, c copied) {
	s.copies = slices.DeleteFunc(s.copies, func(o copied) bool { return o == c })
	if len(s.copies) == maxCopies {
		s.copies = s.copies[1:]
	}
	s.copies = append(s.copies, c)
}

// host finds the file or folder of this machine that was copied to a path of the image, the last copy first. Where files
// were copied into the folder, it is the folder they came from.
func (b *builder) host(s *stage, p string) (string, bool) {
	for i := len(s.copies) - 1; i >= 0; i-- {
		c := s.copies[i]
		switch {
		case c.dst == p:
			return c.src, true
		case c.dir && workspace.Within(p, c.dst):
			if q := path.Join(c.src, strings.TrimPrefix(p, c.dst)); b.fs.Exists(q) {
				return q, true
			}
		case !c.dir && path.Dir(c.dst) == p && path.Base(c.dst) == path.Base(c.src):
			return path.Dir(c.src), true
		}
	}
	return "", false
}

// Command gives what a container of the image runs: the entry point with the command, either of which may be replaced.
func (im Image) Command(entry, command []string) []string {
	if entry != nil {
		return slices.Concat(entry, command)
	}
	if command == nil {
		command = im.Cmd
	}
	return slices.Concat(im.Entrypoint, command)
}

// Job is the start of a container with the given words, which Command made.
func (im Image) Job(name string, words []string) source.Job {
	j := source.Job{Argv: words, Container: name, Label: "container " + name, Env: im.Env, Dir: path.Join(nowhere, im.Dir), From: im.EntryFrom}
	if im.HostDir != "" {
		j.Dir = im.HostDir
	}
	return j
}
