package compose

import (
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Placeholder stands for a value that is not known or must not be copied, as in package makefile.
const Placeholder = "${AMBIT_UNKNOWN}"

// lookup gives a variable; fromEnv tells that it came from the environment, not from a file.
type lookup func(name string) (value string, set bool)

// variables looks into the environment first and then into what the environment files set (compose: "Environment variables
// precedence").
func (p *project) variables(files map[string]string) lookup {
	return func(name string) (string, bool) {
		if v, ok := p.env(name); ok {
			return shown(name, v), true
		}
		v, ok := files[name]
		return shown(name, v), ok
	}
}

// shown hides what may be a credential.
func shown(name, value string) string {
	upper := strings.ToUpper(name)
	for _, s := range []string{"TOKEN", "SECRET", "PASSW", "CREDENTIAL", "APIKEY", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "_AUTH"} {
		if strings.Contains(upper, s) && value != "" {
			return Placeholder
		}
	}
	return value
}

// interpolate replaces $NAME, ${NAME} and the forms with an operator (compose: "Interpolation"). Every name is a variable
// that is read.
func (p *project) interpolate(s string, vars lookup, line int, file *workspace.File) string {
	if strings.IndexByte(s, '$') < 0 {
		return s
	}
	in := interpolation{vars: vars, read: func(name string) { p.readsEnv(name, line, file) }}
	return in.expand(s, 0)
}

type interpolation struct {
	vars lookup
	read func(name string)
}

func (in interpolation) expand(s string, depth int) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '$' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		switch next := s[i+1]; {
		case next == '$':
			b.WriteByte('$')
			i += 2
		case next == '{':
			end := braceEnd(s, i+1)
			if end < 0 || depth > 20 {
				b.WriteString(Placeholder)
				return b.String()
			}
			b.WriteString(in.operator(s[i+2:end], depth))
			i = end + 1
		default:
			n := nameLen(s[i+1:])
			if n == 0 {
				b.WriteByte('$')
				i++
				continue
			}
			b.WriteString(in.value(s[i+1 : i+1+n]))
			i += 1 + n
		}
	}
	return b.String()
}

func (in interpolation) value(name string) string {
	in.read(name)
	v, _ := in.vars(name)
	return v
}

func (in interpolation) operator(body string, depth int) string {
	n := nameLen(body)
	name, op := body[:n], body[n:]
	if op == "" {
		return in.value(name)
	}
	in.read(name)
	v, set := in.vars(name)
	if op[0] == ':' {
		set = set && v != ""
		op = op[1:]
	}
	if op == "" {
		return Placeholder
	}
	switch op[0] {
	case '-':
		if !set {
			return in.expand(op[1:], depth+1)
		}
		return v
	case '+':
		if set {
			return in.expand(op[1:], depth+1)
		}
		return ""
	case '?':
		return v // unset, it is an error and nothing runs
	}
	return Placeholder
}

func braceEnd(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func nameLen(s string) int {
	n := 0
	for n < len(s) {
		c := s[n]
		if c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || n > 0 && c >= '0' && c <= '9' {
			n++
			continue
		}
		break
	}
	return n
}

// readsEnv says that a variable is looked up by name, outside those that every program looks at.
func (p *project) readsEnv(name string, line int, file *workspace.File) {
	switch name {
	case "", "HOME", "PATH", "USER", "LOGNAME", "SHELL", "PWD", "TERM", "LANG", "TMPDIR", "HOSTNAME":
		return
	}
	from := effect.Source{Rule: "compose/interpolation"}
	if file != nil {
		from = effect.Source{File: file.Path, Line: line, SHA256: file.SHA256, Rule: from.Rule}
	}
	p.claim(source.Claim{Class: effect.Environment, Access: effect.Read, Target: name, From: from})
}

// readEnvFile reads a file of NAME=VALUE lines. Values in single quotes are literal, others may name variables.
func (p *project) readEnvFile(name string, vars lookup) (map[string]string, *workspace.File, error) {
	f, err := p.fs.Read(name)
	if err != nil {
		return nil, nil, err
	}
	out := map[string]string{}
	if len(f.Data) > maxFileBytes {
		return out, f, errLimit
	}
	in := interpolation{read: func(string) {}, vars: func(n string) (string, bool) {
		if v, ok := out[n]; ok {
			return v, true
		}
		return vars(n)
	}}
	for _, line := range strings.Split(string(f.Data), "\n") {
		line = strings.TrimSpace(line)
		line = strings.TrimPrefix(line, "export ")
		k, v, ok := strings.Cut(line, "=")
		k = strings.TrimSpace(k)
		if !ok || line[0] == '#' || k == "" {
			continue
		}
		if p.text += len(v); p.text > maxText {
			return out, f, errLimit
		}
		v = strings.TrimSpace(v)
		switch {
		case len(v) > 1 && v[0] == '\'':
			v, _, _ = strings.Cut(v[1:], "'")
		case len(v) > 1 && v[0] == '"':
			v, _, _ = strings.Cut(v[1:], `"`)
			v = in.expand(v, 0)
		default:
			v, _, _ = strings.Cut(v, " #")
			v = in.expand(strings.TrimSpace(v), 0)
		}
		if len(v) > 32<<10 {
			v = Placeholder
		}
		out[k] = shown(k, v)
	}
	return out, f, nil
}
