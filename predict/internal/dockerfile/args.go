package dockerfile

import (
	"strings"
)

// ParseArgs reads the arguments behind `docker build`, `docker buildx build`, `podman build` or `buildah bud` (their manual
// pages). env gives the variables that --build-arg and --secret take from the environment. What the options write on this
// machine is for the command's model to say.
func ParseArgs(argv []string, env func(string) (string, bool)) Args {
	a := Args{BuildArgs: map[string]string{}, Contexts: map[string]string{}}
	if env != nil {
		if v, ok := env("DOCKER_BUILDKIT"); ok && v == "0" {
			a.Legacy = true
		}
	}
	for i := 0; i < len(argv); i++ {
		s := argv[i]
		if s == "--" {
			if i+1 < len(argv) {
				a.Context = argv[i+1]
			}
			break
		}
		if s == "-" || !strings.HasPrefix(s, "-") {
			a.Context = s
			continue
		}
		name, value, has := strings.Cut(s, "=")
		if !strings.HasPrefix(s, "--") && len(s) > 2 {
			name, value, has = s[:2], strings.TrimPrefix(s[2:], "="), true
			if !valued(name) {
				continue // several letters without values
			}
		}
		if valued(name) && !has {
			if i++; i == len(argv) {
				break
			}
			value = argv[i]
		}
		a.option(name, value, env)
	}
	return a
}

// valued tells whether an option takes a value.
func valued(name string) bool {
	switch name {
	case "-f", "--file", "-t", "--tag", "--target", "--build-arg", "--build-context", "--secret", "--ssh", "--platform", "-o", "--output",
		"--cache-from", "--cache-to", "--label", "--network", "--progress", "--iidfile", "--metadata-file", "--add-host", "--allow",
		"--annotation", "--attest", "--builder", "--call", "--cgroup-parent", "-c", "--cpu-period", "--cpu-quota", "--cpu-shares",
		"--cpuset-cpus", "--cpuset-mems", "-m", "--memory", "--memory-swap", "--no-cache-filter", "--shm-size", "--ulimit", "--isolation",
		"--security-opt", "-v", "--volume", "--format", "--authfile", "--runtime", "--userns", "--jobs", "--layers-label", "--ignorefile",
		"--env", "--arch", "--os", "--variant", "--dns", "--cap-add", "--cap-drop", "--device", "--creds", "--cert-dir", "--manifest", "--policy":
		return true
	}
	return false
}

func (a *Args) option(name, value string, env func(string) (string, bool)) {
	switch name {
	case "-f", "--file":
		a.File = value
	case "-t", "--tag":
		if a.Tag == "" {
			a.Tag = value
		}
	case "--target":
		a.Target = value
	case "--platform":
		a.Platform, _, _ = strings.Cut(value, ",")
	case "--ssh":
		a.SSH = true
	case "--build-arg":
		k, v, has := strings.Cut(value, "=")
		if !has && env != nil {
			v, has = env(k)
		}
		if has {
			a.BuildArgs[k] = v
		}
	case "--build-context":
		if k, v, ok := strings.Cut(value, "="); ok {
			a.Contexts[k] = v
		}
	case "--secret":
		a.Secrets = append(a.Secrets, parseSecret(value, env))
	}
}

// parseSecret reads `id=x,src=path`, `id=x,env=NAME` and `id=x`, which is the variable x or else the file x.
func parseSecret(s string, env func(string) (string, bool)) Secret {
	var sec Secret
	for _, kv := range strings.Split(s, ",") {
		k, v, _ := strings.Cut(kv, "=")
		switch k {
		case "id":
			sec.ID = v
		case "src", "source":
			sec.Src = v
		case "env":
			sec.Env = v
		}
	}
	if sec.Src == "" && sec.Env == "" {
		sec.Src = sec.ID
		if env != nil {
			if _, ok := env(sec.ID); ok {
				sec.Src, sec.Env = "", sec.ID
			}
		}
	}
	return sec
}
