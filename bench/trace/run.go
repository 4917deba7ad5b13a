package trace

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed instrument/preload.cjs
var nodePreload string

//go:embed instrument/sitecustomize.py
var pythonPreload string

//go:embed instrument/sink.cjs
var sinkServer string

// World is what the network looks like to a run.
type World string

// The three worlds of the labelling rubric.
const (
	Registry World = "registry" // as this machine is: package registries, in tests nothing else is needed
	None     World = "none"     // a network namespace with loopback only
	Sinkhole World = "sinkhole" // a network namespace in which every name and address leads to a server that refuses
)

// Worlds lists all, in the order in which a label visits them.
func Worlds() []World { return []World{Registry, None, Sinkhole} }

// Command is one run to trace. Dir is the workspace, Home and Tmp are fresh folders, Instr is a folder of the tracer's
// own that no effect is counted in. All are absolute and free of symbolic links.
type Command struct {
	World                 World
	Dir, Home, Tmp, Instr string
	Path                  string   // PATH of the run
	Env                   []string // beyond HOME, TMPDIR, PATH and the fixed ones; KEY=value
	Machine               []string // the environment of this machine, of which a run gets what leads to its registries
	Argv                  []string
	Serve                 string // shell text started before the run in the same network, untraced; ended after it
	Port                  int    // loopback port on which Serve listens when it is ready
	Timeout               time.Duration
}

// Trace is what a run did.
type Trace struct {
	Command  Command
	Env      map[string]string // of the first process
	Events   []Event
	Images   []*Image
	Changed  []string // absolute paths whose hash, mode or existence differ afterwards, in Dir, Home and Tmp
	Exit     int      // exit status, -1 when a signal or the time limit ended it
	TimedOut bool
	Output   string // the end of standard output and error
}

const traced = "execve,execveat,fork,vfork,clone,clone3,chdir,fchdir," +
	"open,openat,openat2,creat,truncate,ftruncate,unlink,unlinkat,rmdir,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2," +
	"link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,lchown,fchown,fchownat,setxattr,lsetxattr,removexattr," +
	"connect,bind,listen,sendto,sendmsg,sendmmsg"

// Run executes the command under strace and returns everything it did. An error means the trace could not be taken; a
// command that fails is a result.
func Run(ctx context.Context, c Command) (*Trace, error) {
	if err := c.instruments(); err != nil {
		return nil, err
	}
	before, err := snapshot(c.Dir, c.Home, c.Tmp)
	if err != nil {
		return nil, err
	}
	t := &Trace{Command: c, Env: c.environment()}
	if err := t.execute(ctx); err != nil {
		return nil, err
	}
	after, err := snapshot(c.Dir, c.Home, c.Tmp)
	if err != nil {
		return nil, err
	}
	t.Changed = before.diff(after)
	f, err := os.Open(filepath.Join(c.Instr, "strace.out"))
	if err != nil {
		return nil, fmt.Errorf("no trace was written (is strace allowed here?): %w", err)
	}
	defer f.Close()
	calls, err := parseStrace(f)
	if err != nil {
		return nil, err
	}
	if len(calls) == 0 {
		return nil, fmt.Errorf("strace saw no call: %s", t.Output)
	}
	t.Events, t.Images = follow(calls, c.Dir, t.Env)
	c.endDaemons(calls)
	return t, t.environmentReads()
}

// endDaemons ends what left the run's process group and outlived it. A process is only touched when it carries this
// run's own folder in its environment.
func (c Command) endDaemons(calls []call) {
	done := map[int]bool{}
	for _, k := range calls {
		if done[k.pid] {
			continue
		}
		done[k.pid] = true
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", k.pid))
		if err == nil && strings.Contains(string(env), c.Instr) {
			syscall.Kill(k.pid, syscall.SIGKILL)
		}
	}
}

func (c Command) instruments() error {
	quote := func(name string) string { return strconv.Quote(filepath.Join(c.Instr, name)) }
	files := map[string]string{
		"preload.cjs":         strings.Replace(nodePreload, "LOG", quote("env.jsonl"), 1),
		"py/sitecustomize.py": strings.Replace(pythonPreload, "= LOG", "= "+quote("env.jsonl"), 1),
		"sink.cjs":            sinkServer,
		"resolv.conf":         "nameserver 198.51.100.1\n",
	}
	for name, text := range files {
		file := filepath.Join(c.Instr, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// passed reports whether a run needs a variable of this machine to reach a registry although its HOME is fresh.
func passed(name string) bool {
	switch name {
	case "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "CURL_CA_BUNDLE", "PIP_CERT", "REQUESTS_CA_BUNDLE",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy":
		return true
	}
	return false
}

func (c Command) environment() map[string]string {
	env := map[string]string{
		"HOME": c.Home, "TMPDIR": c.Tmp, "PATH": c.Path, "LANG": "C.UTF-8", "TERM": "dumb", "SHELL": "/bin/bash", "USER": "dev", "LOGNAME": "dev",
		"NODE_OPTIONS": "--require=" + filepath.Join(c.Instr, "preload.cjs"), "PYTHONPATH": filepath.Join(c.Instr, "py"), "PYTHONDONTWRITEBYTECODE": "1",
	}
	for _, kv := range c.Machine {
		k, v, _ := strings.Cut(kv, "=")
		switch {
		case passed(k), k == "RUSTUP_HOME":
			env[k] = v
		case k == "HOME" && env["RUSTUP_HOME"] == "": // the toolchain stays where it is
			env["RUSTUP_HOME"] = filepath.Join(v, ".rustup")
		}
	}
	for _, kv := range c.Env {
		k, v, _ := strings.Cut(kv, "=")
		env[k] = v
	}
	return env
}

// enter is run in the new namespaces, if any: $1 is the instrument folder, $2 the world, $3 and $4 the server, the rest
// the command. What is started here must not become a child of strace, which would wait for it: hence the subshells.
const enter = `instr=$1 world=$2 serve=$3 port=$4; shift 4
if [ "$world" != registry ]; then
  ip link set lo up || exit 97
fi
if [ "$world" = sinkhole ]; then
  ip addr add 198.51.100.1/24 dev lo && ip route add local default dev lo && mount --bind "$instr/resolv.conf" /etc/resolv.conf || exit 97
  (env -u NODE_OPTIONS node "$instr/sink.cjs" "$instr/sink.ready" >/dev/null 2>&1 &)
  n=0
  while [ ! -e "$instr/sink.ready" ]; do n=$((n+1)); [ $n -gt 200 ] && exit 97; sleep 0.05; done
fi
exec 3<&-
if [ -n "$serve" ]; then
  (env -u NODE_OPTIONS sh -c "$serve" >/dev/null 2>&1 &)
  n=0
  until (exec 4<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do n=$((n+1)); [ $n -gt 200 ] && exit 97; sleep 0.05; done
fi
exec "$@"`

// argv wraps the command in strace, and that in namespaces where the world asks for them.
func (c Command) argv() []string {
	run := append([]string{"strace", "-f", "--seccomp-bpf", "-qq", "-y", "-v", "-s", "65536", "-e", "trace=" + traced, "-e", "signal=none",
		"-o", filepath.Join(c.Instr, "strace.out"), "--"}, c.Argv...)
	var ns []string
	if c.World != Registry {
		ns = []string{"unshare", "-n", "-m"}
		if os.Geteuid() != 0 {
			ns = append(ns, "-r")
		}
	}
	return append(append(ns, "bash", "-c", enter, "bash", c.Instr, string(c.World), c.Serve, strconv.Itoa(c.Port)), run...)
}

func (t *Trace) execute(ctx context.Context) error {
	c := t.Command
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	argv := c.argv()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = []string{"PWD=" + c.Dir}
	for k, v := range t.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	hold, release, err := os.Pipe()
	if err != nil {
		return err
	}
	defer release.Close()
	out, err := os.Create(filepath.Join(c.Instr, "output"))
	if err != nil {
		return err
	}
	defer out.Close()
	cmd.ExtraFiles = []*os.File{hold}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", argv[0], err)
	}
	hold.Close()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err = <-done:
	case <-ctx.Done():
		t.TimedOut = true
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		err = <-done
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the sink, the server, and what the run left in its group
	t.Exit = cmd.ProcessState.ExitCode()
	t.Output = tail(out.Name(), 4000)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if t.Exit == 97 {
		return fmt.Errorf("could not set up the network world %q (it needs root or user namespaces, and the ip command): %s", c.World, t.Output)
	}
	return nil
}

func tail(file string, n int64) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Size() > n {
		f.Seek(-n, io.SeekEnd)
	}
	b, _ := io.ReadAll(f)
	return string(b)
}

// environmentReads adds what the second instrument logged. A process is matched to the last image that its number had.
func (t *Trace) environmentReads() error {
	f, err := os.Open(filepath.Join(t.Command.Instr, "env.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	byPID := map[int]*Image{}
	for _, m := range t.Images {
		byPID[m.PID] = m
	}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var r struct {
			PID  int
			Name string
			By   string
		}
		if json.Unmarshal(sc.Bytes(), &r) != nil {
			continue // two processes may have written at once
		}
		if m := byPID[r.PID]; m != nil {
			t.Events = append(t.Events, Event{Image: m, Op: EnvRead, Target: r.Name, By: strings.TrimPrefix(r.By, "file://")})
		}
	}
	return sc.Err()
}
