package cargo

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// Placeholder stands for a value that is not known, as in package makefile.
const Placeholder = "${AMBIT_UNKNOWN}"

// Limits of all the Rust text of one plan.
const (
	maxSources     = 600
	maxSourceBytes = 8 << 20
	maxFindings    = 2000
	maxNesting     = 60
)

// crate is one compilation unit that is scanned: a build script, a macro library, a program or a test.
type crate struct {
	*planner
	what     string // for people: "build script of x"
	rule     string
	manifest string // folder of its Cargo.toml
	workdir  string // where it runs
	outDir   string
	test     bool
	deps     []string // names of crates whose use is unknown unless it is in the tables
	visited  map[string]bool
	used     map[string]int // crates that are named, with the line
	matched  map[string]bool
	usedIn   *workspace.File
}

// scan follows a crate's root file and its modules by what they call. It does not follow which function calls which: all
// code of the crate is taken to run.
func (c *crate) scan(root string) {
	c.visited, c.used, c.matched = map[string]bool{}, map[string]int{}, map[string]bool{}
	c.file(root, path.Dir(root), 0)
	for _, d := range c.deps {
		if line, ok := c.used[d]; ok && !c.matched[d] && !pure(d) {
			from := effect.Source{File: c.usedIn.Path, Line: line, SHA256: c.usedIn.SHA256, Rule: c.rule}
			c.unknown(from, "the "+c.what+" calls the crate "+d+", which is not analysed", effect.Environment, effect.File, effect.Network, effect.Process)
		}
	}
}

// rustFile is the scan of one file.
type rustFile struct {
	*crate
	src       *workspace.File
	toks      []token
	match     []int
	moduleDir string // where `mod x;` is looked for
	uses      map[string]string
	globs     []string
	vars      map[string]string
	commands  map[string]int // jobs by the variable that holds their Command
	jobs      []source.Job
	client    int  // line where an HTTP client is made
	addressed bool // an address was found for it
	depth     int
}

func (c *crate) file(name, moduleDir string, depth int) {
	if c.visited[name] || depth > maxNesting {
		return
	}
	c.visited[name] = true
	f, err := c.fs.Read(name)
	at := effect.Source{File: name, Rule: c.rule}
	if errors.Is(err, fs.ErrNotExist) {
		return // it does not compile
	}
	if err != nil {
		c.unknown(at, "Rust source cannot be read: "+err.Error(), effect.Environment, effect.File, effect.Network, effect.Process)
		return
	}
	c.sources++
	c.sourceBytes += len(f.Data)
	if c.sources > maxSources || c.sourceBytes > maxSourceBytes {
		if !c.full {
			c.full = true
			c.unknown(at, "the crates have more Rust source than is scanned", effect.Environment, effect.File, effect.Network, effect.Process)
		}
		return
	}
	c.usedIn = f
	r := &rustFile{crate: c, src: f, moduleDir: moduleDir, uses: map[string]string{}, vars: map[string]string{}, commands: map[string]int{}, depth: depth}
	if !interesting(f.Data) {
		for _, m := range plainModules(f.Data) {
			r.module(m, "")
		}
		return
	}
	var whole bool
	if r.toks, whole = lex(f.Data); !whole {
		c.unknown(at, "a Rust source file is longer than is scanned", effect.Environment, effect.File, effect.Network, effect.Process)
	}
	r.match = brackets(r.toks)
	r.run()
}

// interesting tells whether a text could call anything of the tables: most of a library does not, and need not be lexed.
func interesting(data []byte) bool {
	for _, s := range []string{"fs::", "process::", "net::", "env", "include", "#[path", "cmd", "Command", "libc::", "nix::", "Exec", "http", "Client", "client",
		"connect", "cc::", "_build", "Build", "Config", "reqwest", "ureq", "surf", "isahc", "minreq", "tempfile", "sled", "redb", "csv::", "git2", "gix", "axum", "hyper",
		"rocket", "warp", "Server", "open", "autocfg", "vergen", "version_check", "rustc_version", "shadow_rs", "bindgen", "pkg_config", "vcpkg"} {
		if bytes.Contains(data, []byte(s)) {
			return true
		}
	}
	return false
}

// plainModules finds the lines `mod name;`.
func plainModules(data []byte) []string {
	var out []string
	for line := range bytes.Lines(data) {
		text, ok := bytes.CutSuffix(bytes.TrimSpace(line), []byte{';'})
		if i := bytes.LastIndexByte(text, ' '); ok && i > 2 && bytes.HasSuffix(text[:i], []byte("mod")) && !bytes.HasPrefix(text, []byte("//")) {
			out = append(out, string(text[i+1:]))
		}
	}
	return out
}

func (r *rustFile) at(line int) effect.Source {
	return effect.Source{File: r.src.Path, Line: line, SHA256: r.src.SHA256, Rule: r.rule}
}

// tok is the token at i; the zero token beyond the end.
func (r *rustFile) tok(i int) token {
	if i >= 0 && i < len(r.toks) {
		return r.toks[i]
	}
	return token{}
}

func (r *rustFile) is(i int, text string) bool { return r.tok(i).kind != str && r.tok(i).text == text }

// run walks over the tokens: first what names stand for, then what is called.
func (r *rustFile) run() {
	for i := 0; i < len(r.toks); i++ {
		switch {
		case r.is(i, "use") && r.tok(i).kind == ident:
			i = r.useTree(i+1, nil, 0)
		case (r.is(i, "const") || r.is(i, "static")) && r.tok(i+1).kind == ident:
			r.define(i + 1)
		}
	}
	override := ""
	for i := 0; i < len(r.toks); i++ {
		t := r.toks[i]
		switch {
		case t.kind == punct && t.text == "#":
			var stop bool
			if i, override, stop = r.attribute(i, override); stop {
				i = len(r.toks)
			}
			continue
		case t.kind != ident:
			continue
		case t.text == "mod" && r.tok(i+1).kind == ident && r.is(i+2, ";"):
			r.module(r.tok(i+1).text, override)
			i += 2
		case t.text == "let":
			j := i + 1
			if r.is(j, "mut") {
				j++
			}
			if r.tok(j).kind == ident {
				r.define(j)
			}
		case t.text == "use":
			for i < len(r.toks) && !r.is(i, ";") {
				i++
			}
		default:
			i = r.path(i)
		}
		override = ""
	}
	if r.client > 0 && !r.addressed {
		r.claim(source.Claim{Class: effect.Network, Access: effect.Fetch, Target: Placeholder, From: r.at(r.client)})
	}
	for _, j := range r.jobs {
		r.job(j)
	}
}

// attribute handles #[...]: a condition that does not hold skips the item behind it, or the file for #![...].
func (r *rustFile) attribute(i int, override string) (next int, path string, stop bool) {
	j := i + 1
	inner := r.is(j, "!")
	if inner {
		j++
	}
	if !r.is(j, "[") {
		return i, override, false
	}
	end := r.closing(j)
	body := r.toks[min(j+1, len(r.toks)):min(end, len(r.toks))]
	holds := yes
	switch {
	case len(body) > 2 && body[0].text == "cfg" && body[1].text == "(":
		holds = evalCfg(body[2:], r.test)
	case len(body) > 0 && body[len(body)-1].text == "test" && !r.test, len(body) > 0 && body[0].text == "bench" && !r.test:
		holds = no // a test function
	case len(body) == 3 && body[0].text == "path" && body[2].kind == str:
		return end, body[2].text, false
	}
	if holds != no {
		return end, override, false
	}
	if inner {
		return end, "", true
	}
	return r.skipItem(end + 1), "", false
}

// closing is the index of the bracket that closes the one at i, or the end.
func (r *rustFile) closing(i int) int {
	if i < 0 || i >= len(r.toks) {
		return len(r.toks)
	}
	return r.match[i]
}

// brackets finds for every opening bracket the one that closes it; for other tokens the end.
func brackets(toks []token) []int {
	match := make([]int, len(toks))
	var open []int
	for i, t := range toks {
		match[i] = len(toks)
		if t.kind != punct {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if n := len(open); n > 0 {
				match[open[n-1]] = i
				open = open[:n-1]
			}
		}
	}
	return match
}

// inside gives the tokens between the brackets at open, at most as many as any real argument list has.
func (r *rustFile) inside(open int) []token {
	from := min(open+1, len(r.toks))
	return r.toks[from:max(from, min(r.closing(open), from+600))]
}

// skipItem gives the last token of the item, statement, field or arm that starts at i.
func (r *rustFile) skipItem(i int) int {
	for r.is(i, "#") && r.is(i+1, "[") {
		i = r.closing(i+1) + 1
	}
	item := false
	for j := i; j < i+4; j++ {
		switch r.tok(j).text {
		case "fn", "mod", "impl", "struct", "enum", "use", "trait", "static", "const", "type", "extern", "macro_rules":
			item = true
		}
	}
	for ; i < len(r.toks); i++ {
		if r.toks[i].kind != punct {
			continue
		}
		switch r.toks[i].text {
		case "(", "[":
			i = r.closing(i)
		case "{":
			return r.closing(i)
		case ";":
			return i
		case ",":
			if !item {
				return i
			}
		case ")", "]", "}":
			return i - 1
		}
	}
	return i
}

// useTree reads one use declaration or a part of one and gives the index of its last token.
func (r *rustFile) useTree(i int, prefix []string, depth int) int {
	segs := slices.Clone(prefix)
	if depth > 20 {
		return i
	}
	for i < len(r.toks) {
		t := r.toks[i]
		switch {
		case t.kind == ident && t.text == "as":
			if len(segs) > 0 {
				r.uses[r.tok(i+1).text] = strings.Join(segs, "::")
			}
			segs = nil
			i++
		case t.kind == ident:
			segs = append(segs, t.text)
		case t.text == "::":
		case t.text == "*":
			r.globs = append(r.globs, strings.Join(segs, "::")+"::")
			segs = nil
		case t.text == "{":
			for i++; i < len(r.toks) && !r.is(i, "}"); i++ {
				i = r.useTree(i, segs, depth+1)
				if !r.is(i, ",") {
					break
				}
			}
			segs = nil
		default: // "," "}" ";"
			r.used1(segs)
			return i
		}
		i++
	}
	r.used1(segs)
	return i
}

// used1 records what one name of a use declaration stands for.
func (r *rustFile) used1(segs []string) {
	if n := len(segs); n > 0 {
		name := segs[n-1]
		if name == "self" && n > 1 {
			segs = segs[:n-1]
			name = segs[n-2]
		}
		if _, has := r.uses[name]; !has {
			r.uses[name] = strings.Join(segs, "::")
		}
	}
}

// module follows `mod name;`.
func (r *rustFile) module(name, override string) {
	if override != "" {
		p := path.Join(path.Dir(r.src.Path), override)
		r.file(p, path.Dir(p), r.depth+1)
		return
	}
	p := path.Join(r.moduleDir, name+".rs")
	if !r.fs.Exists(p) {
		p = path.Join(r.moduleDir, name, "mod.rs")
	}
	r.file(p, path.Join(r.moduleDir, name), r.depth+1)
}

// define records what `NAME = value;` or `NAME: Type = value;` at i sets a name to.
func (r *rustFile) define(i int) {
	j := i + 1
	for n := 0; n < 40 && !r.is(j, "=") && !r.is(j, ";") && j < len(r.toks); n++ {
		j++
	}
	if !r.is(j, "=") {
		return
	}
	end := r.statementEnd(j + 1)
	r.vars[r.tok(i).text] = r.eval(r.toks[j+1:end], 0)
}

// statementEnd is the index of the `;` or closing bracket that ends an expression.
func (r *rustFile) statementEnd(i int) int {
	for ; i < len(r.toks); i++ {
		if r.toks[i].kind != punct {
			continue
		}
		switch r.toks[i].text {
		case "(", "[", "{":
			i = r.closing(i)
		case ";", ")", "]", "}":
			return i
		}
	}
	return len(r.toks)
}

// path reads the path of identifiers at i and what is called by it; it gives the index of the path's last token.
func (r *rustFile) path(i int) int {
	method := r.is(i-1, ".")
	segs, end := pathAt(r.toks, i)
	if method {
		r.method(segs[0], end)
		return end
	}
	if n, ok := r.commands[segs[0]]; ok && len(segs) == 1 && r.is(end+1, ".") {
		r.chain(&r.jobs[n], end+1)
		return end
	}
	macro := r.is(end+1, "!")
	if macro {
		r.macro(segs, end+2)
		return end
	}
	for _, full := range r.resolve(segs) {
		root, _, _ := strings.Cut(full, "::")
		if _, ok := r.used[root]; !ok {
			r.used[root] = r.tok(i).line
		}
		if r.is(end+1, "(") && r.call(full, i, end+1) {
			r.matched[root] = true
			break
		}
	}
	return end
}

// pathAt reads a::b::<T>::c and gives the index of its last token.
func pathAt(toks []token, i int) (segs []string, end int) {
	segs = []string{toks[i].text}
	for i+2 < len(toks) && toks[i+1].text == "::" && toks[i+1].kind == punct {
		if toks[i+2].kind == ident {
			segs = append(segs, toks[i+2].text)
			i += 2
			continue
		}
		if toks[i+2].text == "<" {
			depth, j := 0, i+2
			for ; j < len(toks) && j < i+60; j++ {
				if toks[j].text == "<" {
					depth++
				} else if toks[j].text == ">" {
					if depth--; depth == 0 {
						break
					}
				}
			}
			if depth != 0 || j >= len(toks) {
				break
			}
			if j+2 < len(toks) && toks[j+1].text == "::" && toks[j+2].kind == ident {
				segs = append(segs, toks[j+2].text)
				i = j + 2
				continue
			}
			i = j
		}
		break
	}
	return segs, i
}

// resolve gives the full paths that a path may stand for.
func (r *rustFile) resolve(segs []string) []string {
	if full, ok := r.uses[segs[0]]; ok {
		return []string{strings.Join(append([]string{full}, segs[1:]...), "::")}
	}
	text := strings.Join(segs, "::")
	out := []string{text}
	for _, g := range r.globs {
		out = append(out, g+text)
	}
	return out
}
