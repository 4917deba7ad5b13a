package cargo

import (
	"path"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// call claims what a call of a known function does. open is the index of its bracket.
func (r *rustFile) call(full string, start, open int) bool {
	args := splitArgs(r.inside(open))
	line := r.tok(start).line
	arg := func(i int) string {
		if i < len(args) {
			return r.eval(args[i], 0)
		}
		return Placeholder
	}
	if isCommand(full) {
		r.command(start, open, source.Job{Argv: []string{arg(0)}}, line)
		return true
	}
	switch full {
	case "subprocess::Exec::shell":
		r.jobs = append(r.jobs, r.newJob(source.Job{Shell: arg(0)}, line))
		return true
	case "duct::cmd":
		j := source.Job{Argv: []string{arg(0)}}
		if len(args) > 1 {
			j.Argv = append(j.Argv, r.list(args[1])...)
		}
		r.command(start, open, j, line)
		return true
	case "std::fs::OpenOptions::new", "tokio::fs::OpenOptions::new", "std::fs::File::options", "fs_err::OpenOptions::new":
		r.openOptions(open, line)
		return true
	}
	a, ok := functions(full)
	if ok {
		r.does(a, arg, line)
	}
	return ok
}

// does claims an effect of the table.
func (r *rustFile) does(a api, arg func(int) string, line int) {
	c := source.Claim{Class: a.class, Access: a.access, Tree: a.tree, Dir: r.workdir, From: r.at(line)}
	if a.arg >= 0 {
		c.Target = arg(a.arg)
	} else {
		c.Target = a.prog
	}
	switch {
	case a.class == effect.Environment && a.arg >= 0 && (ownVariable(c.Target) || strings.Contains(c.Target, Placeholder)):
		return
	case a.class == effect.Environment && a.arg < 0:
		c.Target = path.Join(r.workdir, a.prog)
	case a.class == effect.Process && c.Target == "":
		r.unknown(r.at(line), "the "+r.what+" starts a program through the C library", effect.Process, effect.File, effect.Network)
		return
	case a.class == effect.Network && a.prog == "client":
		if r.client == 0 {
			r.client = line
		}
		return
	case a.class == effect.Network && a.arg < 0:
		c.Target = Placeholder
	case a.class == effect.Network && strings.Contains(c.Target, "://"):
		r.addressed = true
	}
	if c.Target == "" {
		c.Target = Placeholder
	}
	r.claim(c)
}

// method looks at .get("https://...") and the like of an HTTP client, and at a path's own writing methods.
func (r *rustFile) method(name string, end int) {
	if !r.is(end+1, "(") {
		return
	}
	access := effect.Fetch
	switch name {
	case "get", "head", "request":
	case "post", "put", "delete", "patch":
		access = effect.Send
	default:
		return
	}
	for _, a := range splitArgs(r.inside(end + 1)) {
		if v := r.eval(a, 0); strings.HasPrefix(v, "http://") || strings.HasPrefix(v, "https://") {
			r.addressed = true
			r.claim(source.Claim{Class: effect.Network, Access: access, Target: v, From: r.at(r.tok(end).line)})
		}
	}
}

// isCommand tells whether a path makes a builder of a process.
func isCommand(full string) bool {
	switch full {
	case "std::process::Command::new", "tokio::process::Command::new", "async_process::Command::new", "async_std::process::Command::new",
		"assert_cmd::Command::new", "subprocess::Exec::cmd", "smol::process::Command::new", "execa::shell":
		return true
	}
	return false
}

// command records a process builder, with what the calls chained to it add, and the variable that it goes to.
func (r *rustFile) command(start, open int, j source.Job, line int) {
	if len(r.jobs) >= maxFindings {
		return
	}
	j = r.newJob(j, line)
	r.chain(&j, r.closing(open)+1)
	r.jobs = append(r.jobs, j)
	if r.is(start-1, "=") && r.tok(start-2).kind == ident {
		r.commands[r.tok(start-2).text] = len(r.jobs) - 1
	}
}

func (r *rustFile) newJob(j source.Job, line int) source.Job {
	j.Dir, j.Label, j.From, j.Env = r.workdir, r.what, r.at(line), map[string]string{}
	return j
}

// chain adds .arg("x").args([...]).current_dir("d").env("K", "V") at i to a job.
func (r *rustFile) chain(j *source.Job, i int) {
	for {
		if r.is(i, "?") {
			i++
			continue
		}
		if !r.is(i, ".") || r.tok(i+1).kind != ident || !r.is(i+2, "(") {
			return
		}
		end := r.closing(i + 2)
		args := splitArgs(r.inside(i + 2))
		if len(args) > 0 && len(j.Argv) < 200 {
			switch r.tok(i + 1).text {
			case "arg":
				j.Argv = append(j.Argv, r.eval(args[0], 0))
			case "args":
				j.Argv = append(j.Argv, r.list(args[0])...)
			case "current_dir", "cwd", "dir":
				if d := r.eval(args[0], 0); !strings.Contains(d, Placeholder) {
					j.Dir = workspace.Join(r.workdir, d)
				}
			case "env":
				if len(args) == 2 {
					j.Env[r.eval(args[0], 0)] = r.eval(args[1], 0)
				}
			}
		}
		i = end + 1
	}
}

// openOptions claims a write where the options chained behind say so.
func (r *rustFile) openOptions(open, line int) {
	writes := false
	for i := r.closing(open) + 1; r.is(i, ".") && r.is(i+2, "("); {
		end := r.closing(i + 2)
		switch r.tok(i + 1).text {
		case "write", "append", "create", "create_new", "truncate":
			writes = writes || !r.is(i+3, "false")
		case "open":
			access := effect.Read
			if writes {
				access = effect.Write
			}
			target := r.eval(r.inside(i+2), 0)
			if writes || target != Placeholder {
				r.claim(source.Claim{Class: effect.File, Access: access, Target: target, Dir: r.workdir, From: r.at(line)})
			}
			return
		}
		i = end + 1
	}
}

// macro looks at the macros that read, include or run something. open is the index of the bracket.
func (r *rustFile) macro(segs []string, open int) {
	if open >= len(r.toks) {
		return
	}
	line := r.tok(open).line
	args := splitArgs(r.inside(open))
	if len(args) == 0 {
		return
	}
	name := segs[len(segs)-1]
	switch name {
	case "env", "option_env":
		if v := r.eval(args[0], 0); !ownVariable(v) && v != Placeholder {
			r.claim(source.Claim{Class: effect.Environment, Access: effect.Read, Target: v, From: r.at(line)})
		}
	case "include":
		v := r.eval(args[0], 0)
		if strings.Contains(v, Placeholder) || r.outDir != "" && strings.HasPrefix(v, r.outDir) {
			r.unknown(r.at(line), "code that is generated when it is built is compiled in", effect.Environment, effect.File, effect.Network, effect.Process)
			return
		}
		p := workspace.Join(path.Dir(r.src.Path), v)
		r.file(p, path.Dir(p), r.depth+1)
	case "include_str", "include_bytes":
		if v := r.eval(args[0], 0); !strings.Contains(v, Placeholder) && (r.outDir == "" || !strings.HasPrefix(v, r.outDir)) {
			r.claim(source.Claim{Class: effect.File, Access: effect.Read, Target: workspace.Join(path.Dir(r.src.Path), v), From: r.at(line)})
		}
	case "cmd":
		j := source.Job{}
		for _, full := range r.resolve(segs) {
			switch {
			case strings.HasPrefix(full, "xshell::") && len(args) > 1:
				for _, w := range strings.Fields(r.eval(args[1], 0)) {
					if strings.ContainsAny(w, "{}") {
						w = Placeholder
					}
					j.Argv = append(j.Argv, strings.Trim(w, `"'`))
				}
			case strings.HasPrefix(full, "duct::"):
				for _, a := range args {
					j.Argv = append(j.Argv, r.eval(a, 0))
				}
			}
		}
		if len(j.Argv) > 0 {
			r.jobs = append(r.jobs, r.newJob(j, line))
		}
	case "run_cmd", "run_fun", "spawn":
		for _, full := range r.resolve(segs) {
			if strings.HasPrefix(full, "cmd_lib::") {
				r.unknown(r.at(line), "a command in the syntax of cmd_lib is not analysed", effect.Process, effect.File, effect.Network)
			}
		}
	}
}
