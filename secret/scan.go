package secret

import (
	"cmp"
	"slices"
)

// context is what is known of a text before it is read.
type context struct {
	name string // of the member, variable or header that holds it
	tool toolID // the program whose argument it is
	deep int    // how many times something was unwrapped to get at it

	known []known // secrets that were found elsewhere

	manifest bool // in the data of a Secret of Kubernetes

	argument bool  // it is one argument of a vector: what begins at its start ends at its end
	awaited  named // what the option before it wants, the class nothing if that is no secret
	part     part
}

// scanner goes over one text once. What it decides at one place looks at no more than a bounded part of the text, or skips what it looked
// at: no text takes more than linear time.
type scanner struct {
	t        *table
	s        string
	spans    []Span
	tool     toolID // the program that the current command of a shell starts
	open     byte   // the quote that is open, 0 for none
	stray    bool   // it stands behind a letter, and may be an apostrophe
	argument bool
	data     bool // all of the text is the value of a name: no shell reads it
	otp      bool // inside an otpauth URL
	none     [2]bool
	pair     [2]int   // where the value of the last "name" or "key" stands
	kube     bool     // in a Secret of Kubernetes
	block    int      // below its data: by how much its names are indented
	last     struct { // the word of the shell that was read last: what begins inside it ends where it ends
		open       byte
		start, end int
	}
}

func find(in context, s string) []Span {
	if len(s) < 1 {
		return nil
	}
	c := scanner{t: tables(), s: s, tool: in.tool, argument: in.argument}
	if in.awaited.class != nothing && c.awaits(in) {
		return c.spans
	}
	if in.name != "" && c.whole(in) {
		return c.spans
	}
	c.scan()
	if in.known != nil {
		c.recur(in.known)
	}
	if in.deep < maxDeep {
		c.unwrap(in)
	}
	return c.spans
}

// maxDeep bounds what is wrapped in what: a token in base64 in quotes in base64.
const maxDeep = 3

// act says what a byte may begin or be.
type act uint8

const (
	actEntry  act = 1 << iota // first byte of an entry
	actAssign                 // = :
	actDash
	actBreak // ends a command
	actQuote
	actTag  // >
	actBack // what is before it tells: . ~
	actSkip // backslash
)

func actOf(b byte) act {
	switch b {
	case '=', ':':
		return actAssign
	case '-':
		return actDash
	case ';', '|', '&', '\n', '(', ')':
		return actBreak
	case '\'', '"':
		return actQuote
	case '>':
		return actTag
	case '.', '~':
		return actBack
	case '\\':
		return actSkip
	}
	return 0
}

func (c *scanner) scan() {
	s, t := c.s, c.t
	for i := 0; i < len(s); {
		a := t.acts[s[i]]
		if a == 0 {
			i++
			continue
		}
		if a&actEntry != 0 && i+1 < len(s) && t.mayBegin(s[i], s[i+1], s[min(i+2, len(s)-1)]) {
			if next := c.entry(i); next > i {
				i = next
				continue
			}
		}
		if a &^= actEntry; a == 0 {
			i++
			continue
		}
		i = max(c.act(a, i), i+1)
	}
}

// act handles the byte at i, and says where to go on.
func (c *scanner) act(a act, i int) int {
	s := c.s
	switch a {
	case actAssign:
		return c.assign(i)
	case actDash:
		return c.option(i)
	case actBreak:
		if s[i] == '\n' {
			if i > 0 && s[i-1] == '\\' {
				return i + 1
			}
			if c.stray {
				c.open, c.stray = 0, false
			}
			if c.tool == netrc {
				return i + 1
			}
		}
		if c.open == 0 || s[i] == '\n' {
			c.tool = 0
		}
	case actQuote:
		switch c.open {
		case 0:
			c.open, c.stray = s[i], s[i] == '\'' && i > 0 && c.is(i-1, alnum)
		case s[i]:
			c.open, c.stray = 0, false
		}
	case actTag:
		return c.element(i)
	case actBack:
		return c.behind(i)
	case actSkip:
		if c.open != '\'' && i+1 < len(s) {
			if q := s[i+1]; q == '"' || q == '\\' || q == '\'' && c.open == 0 {
				return i + 2
			}
		}
	}
	return i + 1
}

// is tells whether the byte at i is in a set; none is outside of the text.
func (c *scanner) is(i int, set charset) bool {
	return i >= 0 && i < len(c.s) && c.t.class[c.s[i]]&set != 0
}

// run is the end of the bytes of a set from i on, at limit at most.
func (c *scanner) run(i, limit int, set charset) int {
	limit = min(limit, len(c.s))
	for i < limit && c.t.class[c.s[i]]&set != 0 {
		i++
	}
	return i
}

// back is the start of the bytes of a set before i, n of them at most.
func (c *scanner) back(i, n int, set charset) int {
	for stop := max(i-n, 0); i > stop && c.t.class[c.s[i-1]]&set != 0; i-- {
	}
	return i
}

func (c *scanner) has(i int, text string) bool {
	return i >= 0 && len(c.s)-i >= len(text) && c.s[i:i+len(text)] == text
}

func (c *scanner) add(start, end int, kind string) int {
	if start < end {
		c.spans = append(c.spans, Span{Start: start, End: end, Kind: kind})
	}
	return end
}

// place adds what stands in a place for a secret, up to what a shell would run: that stays readable, whatever was before it. It says where to
// go on; other, if nothing is left.
func (c *scanner) place(start, end int, kind string, other int) int {
	if end = c.upToCommand(start, end); start >= end {
		return other
	}
	return c.add(start, end, kind)
}

// upToCommand is where in a value the next command, or a substitution, would begin: quotes can be other ones than they seem, behind a
// comment or a document. No password that anybody chose has an operator with a blank beside it.
func (c *scanner) upToCommand(start, end int) int {
	if c.data {
		return end
	}
	for i := start; i < end; i++ {
		switch c.s[i] {
		case '\n', '`':
			return i
		case ';', '|', '&', '<', '>':
			if i+1 < end && c.is(i+1, blank) || i > start && c.is(i-1, blank) {
				return c.back(i, i-start, blank)
			}
		case '$':
			if i+1 < len(c.s) && (c.s[i+1] == '(' || c.s[i+1] == '{') {
				return i
			}
		}
	}
	return end
}

// entry tries everything that begins with the bytes at i, and says where to go on; i for nothing.
func (c *scanner) entry(i int) int {
	if kind, start, end, tool, e := c.match(i); end > 0 {
		if kind == kindLookalike && c.has(i, opaque) {
			return i + len(opaque)
		}
		return c.add(start, end, kind)
	} else if tool != 0 {
		return c.command(e, i, tool)
	}
	return i
}

// match finds the form or the word that stands at i. end is 0 if there is no form.
func (c *scanner) match(i int) (kind string, start, end int, tool toolID, e *entry) {
	b := c.s[i]
	entries := c.t.entries[c.t.first[b]:c.t.first[int(b)+1]]
	for x := range entries {
		e := &entries[x]
		if e.text[1] != c.s[i+1] || !c.has(i, e.text) {
			continue
		}
		switch {
		case e.rule != nil:
			if start, end := c.form(e.rule, i); end > 0 {
				return e.kind, start, end, 0, e
			}
		case e.special:
			if start, end := c.special(e.text, i); end > 0 {
				return e.kind, start, end, 0, e
			}
		case c.standsAlone(i, i+len(e.text)):
			return "", 0, 0, e.tool, e
		}
	}
	return "", 0, 0, 0, nil
}

// merge puts spans in order and joins those that overlap. Of two the longer one gives the kind, of two that are the same the
// one that says more.
func merge(spans []Span, text string) []Span {
	if len(spans) < 2 {
		return spans
	}
	slices.SortStableFunc(spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	out := spans[:1]
	for _, s := range spans[1:] {
		last := &out[len(out)-1]
		switch {
		case s.Start >= last.End:
			out = append(out, s)
		case s.Start == last.Start && s.End == last.End:
			if general(last.Kind) && !general(s.Kind) {
				last.Kind = s.Kind
			}
			last.value = cmp.Or(last.value, s.value)
		case s.End > last.End:
			if general(last.Kind) && !general(s.Kind) {
				last.Kind = s.Kind
			}
			last.End, last.value = s.End, ""
		}
	}
	return out
}

// general tells whether a kind says no more than that a secret stands in a place.
func general(kind string) bool {
	switch kind {
	case kindPassword, kindURLPassword, kindSecret, kindToken, kindAPIKey, kindCredential, kindAuthorize, kindBearer, kindBasic, kindCookie, kindWebhook, kindLookalike:
		return true
	}
	return false
}
