package secret

import "strings"

// whole is about a text that a name holds: {"password": "..."}. It tells whether nothing is left to look for.
func (c *scanner) whole(in context) bool {
	n := nameOf(in.name)
	c.data = true
	defer func() { c.data = false }()
	f := found{named: n, strong: true, quoted: true, val: value{start: 0, end: len(c.s), quoted: '"'}}
	v := c.s
	switch n.class {
	case nothing:
		return false
	case header:
		rest := c.credentials(0, len(v))
		if rest.kind == "" {
			return false
		}
		f.kind, f.val.start, f.val.end = rest.kind, rest.start, rest.end
	case cookie:
		if reference(v, false) || strings.IndexByte(v, '=') < 1 {
			return false
		}
	case seed:
		return c.seeds(&found{named: n, strong: true}, 0) > 1
	case webhook:
		if !strings.HasPrefix(v, "http") {
			return false
		}
	case signature:
		return false
	default:
		if !c.secret(&f, in.name, v) {
			return false
		}
	}
	c.take(&f)
	return len(c.spans) > 0 && c.spans[0].Start == 0 && c.spans[0].End == len(v)
}

// awaits is about the argument behind an option for a secret. It tells whether nothing is left to look for.
func (c *scanner) awaits(in context) bool {
	if strings.HasPrefix(c.s, "-") && (in.awaited.class != password || strings.HasPrefix(c.s, "--") || c.s == "-") {
		return false
	}
	c.data = true
	defer func() { c.data = false }()
	f := found{named: in.awaited, strong: true, quoted: true, val: value{start: 0, end: len(c.s), quoted: '"'}}
	switch {
	case in.part != allOf:
		c.literally(f.val, in.part, f.kind, 0)
		return false
	case f.class == header, f.class == cookie, f.class == seed, f.class == signature:
		in.name = map[class]string{header: "authorization", cookie: "cookie", seed: "seed"}[f.class]
		return c.whole(in)
	case !c.secret(&f, "", c.s):
		return false
	}
	c.take(&f)
	return true
}
