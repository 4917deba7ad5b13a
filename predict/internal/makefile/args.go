package makefile

import (
	"strings"
)

// ParseArgs reads the arguments of make, without the program's name, and what MAKEFLAGS and GNUMAKEFLAGS of the
// environment add (manual, "Summary of Options"). Options that do not change what runs are skipped. The folder that -C
// leads to is Chdir's.
func ParseArgs(dir string, argv []string, env func(string) (string, bool)) Args {
	a := Args{Env: env}
	if env != nil {
		for _, name := range []string{"GNUMAKEFLAGS", "MAKEFLAGS"} {
			if text, ok := env(name); ok {
				v := flagWords(text)
				if len(v) > 0 && v[0][0] != '-' && !strings.Contains(v[0], "=") {
					v[0] = "-" + v[0] // MAKEFLAGS starts with letters alone
				}
				a.parse(v)
			}
		}
	}
	a.Targets = nil
	a.parse(argv)
	return a
}

// flagWords splits MAKEFLAGS, where a backslash quotes what follows.
func flagWords(s string) []string {
	var out []string
	var b strings.Builder
	in := false
	for i := 0; i < len(s); i++ {
		switch {
		case isSpace(s[i]):
			if in {
				out = append(out, b.String())
				b.Reset()
			}
			in = false
			continue
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		in = true
		b.WriteByte(s[i])
	}
	if in {
		out = append(out, b.String())
	}
	return out
}

// Chdir gives the folder in which make works: dir, and then every -C in turn.
func Chdir(dir string, argv []string) string {
	(&Args{}).options(argv, func(opt, value string) {
		if opt == "C" || opt == "directory" {
			if strings.HasPrefix(value, "/") {
				dir = value
			} else if value != "" {
				dir = strings.TrimRight(dir, "/") + "/" + value
			}
		}
	}, func(string) {})
	return dir
}

func (a *Args) parse(argv []string) {
	a.options(argv, a.option, func(word string) {
		if name, op, value, ok := splitAssignment(word); ok && !strings.ContainsAny(name, " \t") {
			a.Overrides = append(a.Overrides, Override{name, op, value})
			return
		}
		a.Targets = append(a.Targets, word)
	})
}

// options walks over the arguments as getopt_long does: options and operands may be mixed, long names may be shortened.
func (a *Args) options(argv []string, option func(opt, value string), operand func(string)) {
	for i := 0; i < len(argv); i++ {
		s := argv[i]
		switch {
		case s == "--":
			for _, o := range argv[i+1:] {
				operand(o)
			}
			return
		case strings.HasPrefix(s, "--"):
			name, value, has := strings.Cut(s[2:], "=")
			name, takes := longOption(name)
			if takes && !has && i+1 < len(argv) {
				i++
				value = argv[i]
			}
			option(name, value)
		case len(s) > 1 && s[0] == '-':
			for j := 1; j < len(s); j++ {
				c := s[j]
				switch {
				case strings.IndexByte("CfIoWE", c) >= 0:
					value := s[j+1:]
					if value == "" && i+1 < len(argv) {
						i++
						value = argv[i]
					}
					option(string(c), value)
					j = len(s)
				case strings.IndexByte("jlO", c) >= 0: // the argument is optional and, when there, mostly attached
					value := s[j+1:]
					if value == "" && c != 'O' && i+1 < len(argv) && argv[i+1] != "" && strings.Trim(argv[i+1], "0123456789.") == "" {
						i++
						value = argv[i]
					}
					option(string(c), value)
					j = len(s)
				default:
					option(string(c), "")
				}
			}
		default:
			operand(s)
		}
	}
}

// longOption completes a shortened long option and tells whether it takes a separate argument.
func longOption(name string) (string, bool) {
	with := []string{"directory", "file", "makefile", "include-dir", "old-file", "assume-old", "what-if", "new-file", "assume-new", "eval"}
	without := []string{"always-make", "debug", "environment-overrides", "help", "ignore-errors", "jobs", "keep-going", "load-average",
		"max-load", "just-print", "dry-run", "recon", "no-builtin-rules", "no-builtin-variables", "no-keep-going", "no-print-directory",
		"no-silent", "output-sync", "print-data-base", "print-directory", "question", "quiet", "silent", "shuffle", "stop", "touch",
		"trace", "version", "warn-undefined-variables", "jobserver-auth", "jobserver-style"}
	for _, o := range append(with, without...) {
		if name != "" && strings.HasPrefix(o, name) {
			for _, x := range with {
				if x == o {
					return o, true
				}
			}
			return o, false
		}
	}
	return name, false
}

func (a *Args) option(opt, value string) {
	switch opt {
	case "f", "file", "makefile":
		a.File = append(a.File, value)
	case "I", "include-dir":
		a.IncludeDirs = append(a.IncludeDirs, value)
	case "E", "eval":
		a.Eval = append(a.Eval, value)
	case "n", "just-print", "dry-run", "recon":
		a.DryRun = true
	case "q", "question":
		a.Question = true
	case "t", "touch":
		a.Touch = true
	case "B", "always-make":
		a.AlwaysMake = true
	case "k", "keep-going":
		a.KeepGoing = true
	case "e", "environment-overrides":
		a.EnvOverrides = true
	case "r", "no-builtin-rules":
		a.NoRules = true
	case "R", "no-builtin-variables":
		a.NoRules, a.NoVariables = true, true
	case "j", "jobs":
		a.Jobs = value
	case "h", "help", "v", "version":
		a.Help = true
	}
}

// makeflags is the text of MAKEFLAGS for the recipes: letters, then the variables of the command line.
func makeflags(a Args) string {
	var b strings.Builder
	for _, f := range []struct {
		on     bool
		letter byte
	}{{a.AlwaysMake, 'B'}, {a.EnvOverrides, 'e'}, {a.KeepGoing, 'k'}, {a.DryRun, 'n'}, {a.Question, 'q'}, {a.NoRules, 'r'}, {a.NoVariables, 'R'}, {a.Touch, 't'}} {
		if f.on {
			b.WriteByte(f.letter)
		}
	}
	for _, d := range a.IncludeDirs {
		b.WriteString(" -I" + d)
	}
	if a.Jobs != "" {
		b.WriteString(" -j" + a.Jobs)
	}
	for i, o := range a.Overrides {
		if i == 0 {
			b.WriteString(" --")
		}
		b.WriteString(" " + o.Name + o.Op + strings.ReplaceAll(o.Value, " ", `\ `))
	}
	return b.String()
}
