package trace

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// Image is one program a process ran: execve makes a new one, fork does not.
type Image struct {
	Parent *Image // what executed it; nil for the root
	PID    int
	Path   string
	Argv   []string
	Env    map[string]string
}

// Base is the name of the program's file.
func (m *Image) Base() string { return path.Base(m.Path) }

// Op says what an event did to its target.
type Op string

// The operations a trace distinguishes.
const (
	Exec    Op = "exec"
	Read    Op = "read"
	Write   Op = "write"
	Connect Op = "connect"
	Listen  Op = "listen"
	Lookup  Op = "lookup"
	Socket  Op = "socket" // a connection to a named local socket
	EnvRead Op = "getenv"
)

// Event is one operation, attempted or done, of one image. Target is an absolute path, an address and port, a name
// that was looked up, or the name of a variable.
type Event struct {
	Image  *Image
	Op     Op
	Target string
	Errno  string // empty when it succeeded
	By     string // for EnvRead: the source file that asked
	Dir    bool   // for Read: the target was opened as a folder
}

type process struct {
	image *Image
	cwd   *string
}

// follower replays the calls of a whole tree and keeps what is needed to name things: working folders, images, sockets.
type follower struct {
	procs  map[int]*process
	peers  map[string]string // socket -> port it is connected to
	bound  map[string]string // socket -> address it is bound to
	events []Event
	images []*Image
}

func sortCalls(calls []call) {
	slices.SortStableFunc(calls, func(a, b call) int { return a.seq - b.seq })
}

// follow turns calls into events. dir is the working folder of the first process, env its environment.
func follow(calls []call, dir string, env map[string]string) ([]Event, []*Image) {
	f := &follower{procs: map[int]*process{}, peers: map[string]string{}, bound: map[string]string{}}
	root := &Image{Env: env}
	for _, c := range calls {
		p := f.procs[c.pid]
		if p == nil {
			d := dir
			p = &process{image: root, cwd: &d}
			f.procs[c.pid] = p
		}
		f.step(p, c)
	}
	return f.events, f.images
}

func (f *follower) emit(p *process, op Op, target, errno string) {
	f.events = append(f.events, Event{Image: p.image, Op: op, Target: target, Errno: errno})
}

func (f *follower) step(p *process, c call) {
	switch c.name {
	case "execve":
		f.exec(p, c, f.path(p, "", c.arg(0)), 1)
	case "execveat":
		f.exec(p, c, f.path(p, c.arg(0), c.arg(1)), 2)
	case "fork", "vfork", "clone", "clone3":
		f.clone(p, c)
	case "chdir":
		if c.errno == "" {
			*p.cwd = f.path(p, "", c.arg(0))
		}
	case "fchdir":
		if c.errno == "" {
			*p.cwd = fdPath(c.arg(0))
		}
	case "connect", "bind", "listen", "sendto", "sendmsg", "sendmmsg":
		f.socket(p, c)
	default:
		f.file(p, c)
	}
}

func (f *follower) clone(p *process, c call) {
	child, err := strconv.Atoi(strings.TrimSpace(c.ret))
	if err != nil || child <= 0 {
		return
	}
	cwd := p.cwd
	if !strings.Contains(strings.Join(c.args, ","), "CLONE_FS") {
		d := *p.cwd
		cwd = &d
	}
	f.procs[child] = &process{image: p.image, cwd: cwd}
}

func (f *follower) exec(p *process, c call, file string, argv int) {
	m := &Image{Parent: p.image, PID: c.pid, Path: file, Argv: stringsIn(c.arg(argv)), Env: map[string]string{}}
	for _, kv := range stringsIn(c.arg(argv + 1)) {
		if k, v, ok := strings.Cut(kv, "="); ok {
			m.Env[k] = v
		}
	}
	f.events = append(f.events, Event{Image: m, Op: Exec, Target: file, Errno: c.errno})
	if c.errno == "" {
		d := *p.cwd
		p.image, p.cwd = m, &d
		f.images = append(f.images, m)
	}
}

// path resolves a printed path against a printed folder descriptor, or the process's working folder when dirfd is empty.
func (f *follower) path(p *process, dirfd, text string) string {
	s, ok := unquote(text)
	if !ok {
		return ""
	}
	if path.IsAbs(s) {
		return path.Clean(s)
	}
	base := *p.cwd
	if dirfd != "" {
		if d := fdPath(dirfd); d != "" {
			base = d
		}
	}
	return path.Join(base, s)
}

func (f *follower) file(p *process, c call) {
	write := func(at, name int) {
		dirfd := ""
		if at >= 0 {
			dirfd = c.arg(at)
		}
		if s := f.path(p, dirfd, c.arg(name)); s != "" {
			f.emit(p, Write, s, c.errno)
		}
	}
	switch c.name {
	case "open":
		f.open(p, c, f.path(p, "", c.arg(0)), c.arg(1))
	case "openat", "openat2":
		f.open(p, c, f.path(p, c.arg(0), c.arg(1)), c.arg(2))
	case "creat", "truncate", "unlink", "rmdir", "mkdir", "mknod", "chmod", "chown", "lchown", "setxattr", "lsetxattr", "removexattr":
		write(-1, 0)
	case "unlinkat", "mkdirat", "mknodat", "fchmodat", "fchmodat2", "fchownat":
		write(0, 1)
	case "rename":
		write(-1, 0)
		write(-1, 1)
	case "renameat", "renameat2":
		write(0, 1)
		write(2, 3)
	case "link", "symlink":
		write(-1, 1)
	case "linkat":
		write(2, 3)
	case "symlinkat":
		write(1, 2)
	case "fchmod", "fchown", "ftruncate":
		if s := fdPath(c.arg(0)); path.IsAbs(s) {
			f.emit(p, Write, s, c.errno)
		}
	}
}

func (f *follower) open(p *process, c call, file, flags string) {
	if file == "" {
		return
	}
	for _, w := range []string{"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_TMPFILE"} {
		if strings.Contains(flags, w) {
			f.emit(p, Write, file, c.errno)
			return
		}
	}
	if strings.Contains(flags, "O_PATH") {
		return
	}
	f.emit(p, Read, file, c.errno)
	f.events[len(f.events)-1].Dir = strings.Contains(flags, "O_DIRECTORY")
}

func (f *follower) socket(p *process, c call) {
	sock := fdPath(c.arg(0))
	addr, port := sockaddr(c.args[min(1, len(c.args)):])
	switch c.name {
	case "connect":
		f.peers[sock] = port
		if port == "unix" {
			f.emit(p, Socket, addr, c.errno)
		} else if port != "" && !loopback(addr) {
			f.emit(p, Connect, join(addr, port), c.errno)
		}
	case "bind":
		f.bound[sock] = ""
		switch {
		case port == "unix" && !strings.HasPrefix(addr, "@"):
			f.emit(p, Write, absolute(*p.cwd, addr), c.errno)
		case port == "" || port == "unix" || loopback(addr) && addr != "0.0.0.0" && addr != "::":
		case port == "0":
			f.bound[sock] = join(addr, port)
		default: // a fixed port: datagram sockets receive without a listen
			f.emit(p, Listen, join(addr, port), c.errno)
		}
	case "listen":
		// Without a bind the kernel chooses a port on every address.
		at, ok := f.bound[sock]
		if !ok {
			at = "*:0"
		}
		if at != "" {
			f.emit(p, Listen, at, c.errno)
		}
	default:
		if port != "" && port != "unix" && !loopback(addr) {
			f.emit(p, Connect, join(addr, port), c.errno)
		}
		if port == "53" || f.peers[sock] == "53" {
			for _, s := range stringsIn(strings.Join(c.args, ",")) {
				if name := question(s); name != "" {
					f.emit(p, Lookup, name, c.errno)
				}
			}
		}
	}
}

func absolute(dir, name string) string {
	if strings.HasPrefix(name, "@") || path.IsAbs(name) {
		return name
	}
	return path.Join(dir, name)
}

func join(addr, port string) string {
	if strings.Contains(addr, ":") {
		addr = "[" + addr + "]"
	}
	return addr + ":" + port
}

// sockaddr reads the first printed socket address: the address and port of an internet socket, the path and "unix" of a
// named one, and nothing for others (netlink, unspecified).
func sockaddr(args []string) (addr, port string) {
	text := strings.Join(args, ",")
	_, text, ok := strings.Cut(text, "sa_family=AF_")
	if !ok {
		return "", ""
	}
	between := func(open, end string) string {
		_, s, ok := strings.Cut(text, open)
		if !ok {
			return ""
		}
		s, _, _ = strings.Cut(s, end)
		return s
	}
	switch family, _, _ := strings.Cut(text, ","); strings.TrimRight(family, "}") {
	case "INET":
		return between(`inet_addr("`, `"`), between("sin_port=htons(", ")")
	case "INET6":
		return between(`inet_pton(AF_INET6, "`, `"`), between("sin6_port=htons(", ")")
	case "UNIX":
		_, s, ok := strings.Cut(text, "sun_path=")
		if !ok {
			return "", ""
		}
		at := ""
		if strings.HasPrefix(s, "@") { // abstract: no file
			at, s = "@", s[1:]
		}
		name, _ := unquote(s)
		return at + name, "unix"
	}
	return "", ""
}

// loopback also takes the unspecified address, which a connect reaches by loopback.
func loopback(addr string) bool {
	addr = strings.TrimPrefix(addr, "::ffff:")
	return strings.HasPrefix(addr, "127.") || addr == "::1" || addr == "::" || addr == "0.0.0.0" || addr == ""
}

// question returns the name asked for by a DNS message (RFC 1035 section 4.1), or "" when s is no query.
func question(s string) string {
	if len(s) < 17 || s[2]&0x80 != 0 || s[4] != 0 || s[5] != 1 {
		return ""
	}
	var labels []string
	for i := 12; i < len(s); {
		n := int(s[i])
		if n == 0 {
			return strings.ToLower(strings.Join(labels, "."))
		}
		if n > 63 || i+1+n > len(s) {
			return ""
		}
		labels = append(labels, s[i+1:i+1+n])
		i += 1 + n
	}
	return ""
}
