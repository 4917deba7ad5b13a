package cargo

import (
	"path"
	"strings"
)

// eval gives the text of an expression, as far as it follows from literals, names that were set to them, and the folders
// that cargo gives; what is not known is the placeholder.
func (r *rustFile) eval(toks []token, depth int) string {
	if depth > 12 || len(toks) > 400 {
		return Placeholder
	}
	e := expr{rustFile: r, toks: toks, depth: depth}
	v := e.operand()
	for e.pos < len(e.toks) {
		if e.toks[e.pos].text != "+" || e.toks[e.pos].kind != punct {
			return Placeholder
		}
		e.pos++
		v += e.operand()
		if len(v) > 8192 {
			return Placeholder
		}
	}
	return v
}

// list evaluates an array, a slice or vec![...]; anything else is one unknown element.
func (r *rustFile) list(toks []token) []string {
	for len(toks) > 0 && toks[0].text == "&" {
		toks = toks[1:]
	}
	if len(toks) > 2 && toks[0].text == "vec" && toks[1].text == "!" {
		toks = toks[2:]
	}
	if len(toks) < 2 || toks[0].text != "[" || toks[0].kind == str || toks[len(toks)-1].text != "]" {
		return []string{Placeholder}
	}
	out := []string{}
	for _, a := range splitArgs(toks[1 : len(toks)-1]) {
		if len(out) < 200 {
			out = append(out, r.eval(a, 0))
		}
	}
	return out
}

// splitArgs splits at the commas outside brackets.
func splitArgs(toks []token) [][]token {
	var out [][]token
	depth, start := 0, 0
	for i, t := range toks {
		if t.kind != punct {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 0 {
				out = append(out, toks[start:i])
				start = i + 1
			}
		}
	}
	if start < len(toks) {
		out = append(out, toks[start:])
	}
	return out
}

type expr struct {
	*rustFile
	toks  []token
	pos   int
	depth int
}

func (e *expr) peek() token {
	if e.pos < len(e.toks) {
		return e.toks[e.pos]
	}
	return token{}
}

func (e *expr) at(text string) bool { return e.peek().text == text && e.peek().kind != str }

// group takes a bracketed part and gives what is inside.
func (e *expr) group() []token {
	depth := 0
	for i := e.pos; i < len(e.toks); i++ {
		if e.toks[i].kind != punct {
			continue
		}
		switch e.toks[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				inner := e.toks[e.pos+1 : i]
				e.pos = i + 1
				return inner
			}
		}
	}
	inner := e.toks[min(e.pos+1, len(e.toks)):]
	e.pos = len(e.toks)
	return inner
}

func (e *expr) operand() string {
	for e.at("&") || e.at("*") || e.at("mut") {
		e.pos++
	}
	v := e.primary()
	for {
		switch {
		case e.at("?"):
			e.pos++
		case e.at("."):
			e.pos++
			name := e.peek().text
			e.pos++
			if e.at("(") {
				v = e.applied(v, name, splitArgs(e.group()))
			} else if name != "await" {
				v = Placeholder
			}
		default:
			return v
		}
	}
}

// applied is a value after a method was called on it.
func (e *expr) applied(v, name string, args [][]token) string {
	switch name {
	case "unwrap", "expect", "as_ref", "to_string", "into", "clone", "as_str", "to_owned", "display", "as_path", "to_path_buf", "to_str",
		"to_string_lossy", "unwrap_or_default", "as_os_str", "into_os_string", "into_string", "to_os_string", "into_owned", "trim", "ok",
		"canonicalize", "as_deref", "as_bytes", "ok_or", "ok_or_else", "context", "with_context", "map_err", "iter", "unwrap_or_else", "unwrap_or":
		return v
	case "join":
		if len(args) == 1 {
			w := e.eval(args[0], e.depth+1)
			if strings.HasPrefix(w, "/") {
				return w
			}
			return v + "/" + w
		}
	case "parent":
		if !strings.Contains(v, Placeholder) {
			return path.Dir(v)
		}
	}
	return Placeholder
}

func (e *expr) primary() string {
	t := e.peek()
	switch {
	case t.kind == str:
		e.pos++
		return t.text
	case t.kind == number:
		e.pos++
		return t.text
	case t.kind == punct && t.text == "(":
		return e.eval(e.group(), e.depth+1)
	case t.kind != ident:
		e.pos = len(e.toks)
		return Placeholder
	}
	segs, end := pathAt(e.toks, e.pos)
	e.pos = end + 1
	switch {
	case e.at("!"):
		e.pos++
		return e.macroValue(segs[len(segs)-1], splitArgs(e.group()))
	case e.at("("):
		return e.called(segs, splitArgs(e.group()))
	case len(segs) == 1:
		if v, ok := e.vars[segs[0]]; ok {
			return v
		}
	}
	return Placeholder
}

// called is the value of a call.
func (e *expr) called(segs []string, args [][]token) string {
	for _, full := range e.resolve(segs) {
		switch full {
		case "std::env::var", "std::env::var_os":
			if len(args) == 1 {
				return e.variable(e.eval(args[0], e.depth+1))
			}
		case "std::env::temp_dir":
			return "/tmp"
		case "std::env::current_dir":
			return e.workdir
		}
	}
	if len(segs) > 1 && len(args) == 1 || len(segs) == 1 && (segs[0] == "Some" || segs[0] == "Ok") {
		switch segs[len(segs)-1] {
		case "from", "new", "Some", "Ok", "from_str", "from_static":
			return e.eval(args[0], e.depth+1)
		}
	}
	return Placeholder
}

// variable is the value of an environment variable that cargo sets.
func (e *expr) variable(name string) string {
	switch name {
	case "OUT_DIR":
		if e.outDir != "" {
			return e.outDir
		}
	case "CARGO_MANIFEST_DIR":
		return e.manifest
	case "CARGO":
		return "cargo"
	case "RUSTC":
		return "rustc"
	}
	return Placeholder
}

// macroValue is the value of format!, concat!, env! and the like.
func (e *expr) macroValue(name string, args [][]token) string {
	if len(args) == 0 {
		return Placeholder
	}
	switch name {
	case "env":
		v := e.eval(args[0], e.depth+1)
		if bin, ok := strings.CutPrefix(v, "CARGO_BIN_EXE_"); ok {
			return path.Join(e.targetDir, "debug", bin)
		}
		return e.variable(v)
	case "concat":
		var b strings.Builder
		for _, a := range args {
			b.WriteString(e.eval(a, e.depth+1))
		}
		return b.String()
	case "format":
		if len(args[0]) == 1 && args[0][0].kind == str {
			return e.formatted(args[0][0].text, args[1:])
		}
	}
	return Placeholder
}

// formatted fills the places of a format string.
func (e *expr) formatted(f string, args [][]token) string {
	var b strings.Builder
	for next := 0; ; {
		i := strings.IndexAny(f, "{}")
		if i < 0 {
			b.WriteString(f)
			return b.String()
		}
		b.WriteString(f[:i])
		if i+1 < len(f) && f[i+1] == f[i] {
			b.WriteByte(f[i])
			f = f[i+2:]
			continue
		}
		end := strings.IndexByte(f[i:], '}')
		if f[i] == '}' || end < 0 {
			return Placeholder
		}
		name, _, _ := strings.Cut(f[i+1:i+end], ":")
		f = f[i+end+1:]
		switch v, ok := e.vars[name]; {
		case ok:
			b.WriteString(v)
		case name == "" && next < len(args):
			b.WriteString(e.eval(args[next], e.depth+1))
			next++
		default:
			b.WriteString(Placeholder)
		}
		if b.Len() > 8192 {
			return Placeholder
		}
	}
}
