package cargo

import "strings"

// Args is what cargo was asked.
type Args struct {
	Toolchain    string // +nightly
	Command      string // build, run, ...; an alias or an external command as it is
	Rest         []string
	Packages     []string
	Exclude      []string
	Workspace    bool
	ManifestPath string
	Bins         []string
	Examples     []string
	Tests        []string
	Benches      []string
	Lib          bool
	AllTargets   bool
	NoRun        bool
	Release      bool
	Offline      bool
	Locked       bool
	Target       string
	TargetDir    string
	Config       []string
	Path         string // install --path
	Git          string // install --git
	Operands     []string
	After        []string // behind "--"
	Help         bool
	DryRun       bool
	NoDeps       bool // metadata --no-deps
	Open         bool

	// Env gives a variable of the environment; nil is an empty environment.
	Env func(name string) (string, bool)
}

// ParseArgs reads the arguments of cargo, without the program's name (cargo(1)). Options of commands that it does not know
// are kept in Rest.
func ParseArgs(argv []string, env func(string) (string, bool)) Args {
	a := Args{Env: env}
	for i := 0; i < len(argv); i++ {
		s := argv[i]
		switch {
		case s == "--":
			a.After = argv[i+1:]
			return a
		case strings.HasPrefix(s, "+") && a.Command == "":
			a.Toolchain = s[1:]
		case !strings.HasPrefix(s, "-") || s == "-":
			if a.Command == "" {
				a.Command = s
				a.Rest = argv[i+1:]
				if s == "run" || s == "r" {
					if j := runArgs(a.Rest); j >= 0 {
						a.parse(a.Rest[:j])
						a.After = a.Rest[j:]
						return a
					}
				}
				continue
			}
			a.Operands = append(a.Operands, s)
		default:
			name, value, has := strings.Cut(s, "=")
			if !strings.HasPrefix(s, "--") && len(s) > 2 {
				name, value, has = s[:2], strings.TrimPrefix(s[2:], "="), true
				if !valued(name) {
					for _, c := range s[1:] {
						a.option("-"+string(c), "")
					}
					continue
				}
			}
			if valued(name) && !has {
				if i++; i == len(argv) {
					return a
				}
				value = argv[i]
			}
			a.option(name, value)
		}
	}
	return a
}

// runArgs finds the first operand of `cargo run`: it and all behind it are for the program.
func runArgs(rest []string) int {
	for i := 0; i < len(rest); i++ {
		switch s := rest[i]; {
		case s == "--":
			return -1
		case !strings.HasPrefix(s, "-"):
			return i
		case valued(s):
			i++
		}
	}
	return -1
}

func (a *Args) parse(argv []string) {
	b := ParseArgs(append([]string{a.Command}, argv...), a.Env)
	command, rest, tool := a.Command, a.Rest, a.Toolchain
	*a = b
	a.Command, a.Rest, a.Toolchain = command, rest, tool
}

func valued(name string) bool {
	switch name {
	case "-p", "--package", "--exclude", "--manifest-path", "--bin", "--example", "--test", "--bench", "--target", "--target-dir", "--config", "-Z",
		"-C", "--color", "-F", "--features", "--profile", "-j", "--jobs", "--message-format", "--path", "--git", "--branch", "--tag", "--rev", "--root",
		"--version", "--index", "--registry", "--token", "--lockfile-path", "--artifact-dir", "--out-dir", "--vers", "--name", "--vcs", "--edition", "--precise", "--explain":
		return true
	}
	return false
}

func (a *Args) option(name, value string) {
	switch name {
	case "-p", "--package":
		a.Packages = append(a.Packages, value)
	case "--exclude":
		a.Exclude = append(a.Exclude, value)
	case "--workspace", "--all":
		a.Workspace = true
	case "--manifest-path":
		a.ManifestPath = value
	case "--bin":
		a.Bins = append(a.Bins, value)
	case "--example":
		a.Examples = append(a.Examples, value)
	case "--test":
		a.Tests = append(a.Tests, value)
	case "--bench":
		a.Benches = append(a.Benches, value)
	case "--lib":
		a.Lib = true
	case "--all-targets", "--tests", "--benches", "--examples":
		a.AllTargets = true
	case "--no-run":
		a.NoRun = true
	case "-r", "--release":
		a.Release = true
	case "--profile":
		a.Release = a.Release || value == "release" || value == "bench"
	case "--offline":
		a.Offline = true
	case "--locked":
		a.Locked = true
	case "--frozen":
		a.Locked, a.Offline = true, true
	case "--target":
		a.Target = value
	case "--target-dir":
		a.TargetDir = value
	case "--config":
		a.Config = append(a.Config, value)
	case "--path":
		a.Path = value
	case "--git":
		a.Git = value
	case "-h", "--help", "-V", "--list", "--explain":
		a.Help = true
	case "-n", "--dry-run":
		a.DryRun = true
	case "--no-deps":
		a.NoDeps = true
	case "--open":
		a.Open = true
	}
}
