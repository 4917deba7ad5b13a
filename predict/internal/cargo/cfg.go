package cargo

import (
	"runtime"
)

// truth is the outcome of a condition on the configuration of a build.
type truth int8

const (
	no truth = iota - 1
	maybe
	yes
)

// cfg evaluates `cfg(...)` conditions for the machine that predicts (The Rust Reference, "Conditional compilation"). What
// depends on features or flags may hold.
type cfg struct {
	test bool
	toks []token
	pos  int
	left int
}

func evalCfg(toks []token, test bool) truth {
	c := &cfg{toks: toks, test: test, left: 2000}
	return c.predicate(0)
}

func (c *cfg) peek() token {
	if c.pos < len(c.toks) {
		return c.toks[c.pos]
	}
	return token{}
}

func (c *cfg) take(text string) bool {
	if c.peek().text == text && c.peek().kind == punct {
		c.pos++
		return true
	}
	return false
}

func (c *cfg) predicate(depth int) truth {
	if c.left--; c.left < 0 || depth > 50 {
		c.pos = len(c.toks)
		return maybe
	}
	name := c.peek()
	c.pos++
	if c.take("(") {
		var list []truth
		for c.pos < len(c.toks) && !c.take(")") {
			list = append(list, c.predicate(depth+1))
			if !c.take(",") {
				c.take(")")
				break
			}
		}
		return combine(name.text, list)
	}
	if c.take("=") {
		value := c.peek()
		c.pos++
		return equalsCfg(name.text, value.text)
	}
	switch name.text {
	case "test":
		return toTruth(c.test)
	case "unix":
		return toTruth(runtime.GOOS != "windows")
	case "windows":
		return toTruth(runtime.GOOS == "windows")
	case "doc", "doctest", "miri", "loom":
		return no
	}
	return maybe
}

func combine(op string, list []truth) truth {
	switch op {
	case "not":
		if len(list) == 1 {
			return -list[0]
		}
	case "all":
		out := yes
		for _, t := range list {
			out = min(out, t)
		}
		return out
	case "any":
		out := no
		for _, t := range list {
			out = max(out, t)
		}
		return out
	}
	return maybe
}

func toTruth(b bool) truth {
	if b {
		return yes
	}
	return no
}

func equalsCfg(name, value string) truth {
	switch name {
	case "target_os":
		os := runtime.GOOS
		if os == "darwin" {
			os = "macos"
		}
		return toTruth(value == os)
	case "target_family":
		return toTruth(value == "unix" && runtime.GOOS != "windows" || value == "windows" && runtime.GOOS == "windows")
	case "target_arch":
		arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "x86"}[runtime.GOARCH]
		if arch == "" {
			return maybe
		}
		return toTruth(value == arch)
	}
	return maybe
}

// targetApplies tells whether a `[target.X.dependencies]` table may hold for this machine: X is a cfg(...) or a triple.
func targetApplies(x string) bool {
	toks, _ := lex([]byte(x))
	if len(toks) > 2 && toks[0].text == "cfg" && toks[1].text == "(" {
		return evalCfg(toks[2:], false) != no
	}
	system := map[string]string{"linux": "linux", "darwin": "apple", "windows": "windows"}[runtime.GOOS]
	for _, t := range toks {
		if t.text == system {
			return true
		}
	}
	return system == ""
}
