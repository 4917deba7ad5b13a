package compose

import "strings"

// ParseArgs reads the arguments behind `docker compose` or of docker-compose (docker compose(1)).
func ParseArgs(argv []string, env func(string) (string, bool)) Args {
	a := Args{Env: env}
	rest := a.options(argv, false)
	if len(rest) == 0 {
		return a
	}
	a.Command = rest[0]
	rest = rest[1:]
	switch a.Command {
	case "run", "exec":
		rest = a.options(rest, false)
		if len(rest) > 0 {
			a.Services, a.Rest = rest[:1], rest[1:]
		}
	case "cp":
		a.Rest = a.options(rest, true)
	default:
		a.Services = a.options(rest, true)
	}
	return a
}

// options reads options up to the first operand, or among the operands where they may be mixed; it returns the operands.
func (a *Args) options(argv []string, mixed bool) []string {
	var operands []string
	for i := 0; i < len(argv); i++ {
		s := argv[i]
		if s == "--" {
			return append(operands, argv[i+1:]...)
		}
		if s == "-" || !strings.HasPrefix(s, "-") {
			if !mixed {
				return argv[i:]
			}
			operands = append(operands, s)
			continue
		}
		name, value, has := strings.Cut(s, "=")
		if !strings.HasPrefix(s, "--") {
			if name, value = s[:2], s[2:]; value != "" && !a.valued(name) {
				for _, c := range s[1:] {
					a.option("-"+string(c), "")
				}
				continue
			}
			value = strings.TrimPrefix(value, "=")
			has = value != ""
		}
		if a.valued(name) && !has {
			if i++; i == len(argv) {
				break
			}
			value = argv[i]
		}
		a.option(name, value)
	}
	return operands
}

// valued tells whether an option takes a value. Letters mean different things before and behind the command.
func (a *Args) valued(name string) bool {
	switch name {
	case "--file", "--project-name", "-p", "--project-directory", "--profile", "--env-file", "--ansi", "--progress", "--parallel",
		"--entrypoint", "-e", "--env", "--env-from-file", "-l", "--label", "--name", "-u", "--user", "-w", "--workdir", "--volume", "--publish",
		"--cap-add", "--cap-drop", "--pull", "--scale", "-t", "--timeout", "--wait-timeout", "--attach", "--no-attach", "--exit-code-from",
		"--build-arg", "--builder", "-m", "--memory", "--ssh", "--index", "--rmi", "-s", "--signal", "--policy":
		return true
	case "-f":
		return a.Command == "" // behind the command it is --follow or --force
	case "-v":
		return a.Command == "run"
	}
	return false
}

func (a *Args) option(name, value string) {
	if a.Command == "" {
		switch name {
		case "-f", "--file":
			a.Files = append(a.Files, value)
		case "--project-directory", "--workdir":
			a.ProjectDir = value
		case "--profile":
			a.Profiles = append(a.Profiles, value)
		case "--dry-run":
			a.DryRun = true
		case "--env-file":
			a.EnvFiles = append(a.EnvFiles, value)
		}
		return
	}
	switch name {
	case "--dry-run":
		a.DryRun = true
	case "--no-deps":
		a.NoDeps = true
	case "--no-build":
		a.NoBuild = true
	case "--no-start":
		a.NoStart = true
	case "-v", "--volumes", "--volume":
		if a.Command == "run" {
			a.Mounts = append(a.Mounts, value)
		} else {
			a.Volumes = true
		}
	case "--rmi":
		a.Images = true
	case "-P", "--service-ports":
		a.ServicePorts = true
	case "--with-dependencies", "--include-deps":
		a.WithDeps = true
	case "--entrypoint":
		a.Entrypoint = &value
	case "-w", "--workdir":
		a.Workdir = value
	case "-p", "--publish":
		a.Publish = append(a.Publish, value)
	case "-e", "--env":
		a.SetEnv = append(a.SetEnv, value)
	case "--build-arg":
		a.BuildArgs = append(a.BuildArgs, value)
	}
}
