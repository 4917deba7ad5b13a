package secret

import (
	"encoding/base64"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// view is a text as it is after something took its quotes and escapes out, and where each byte was.
type view struct {
	text []byte
	at   []int32 // one more than text: where the bytes begin, then the end
}

var views = sync.Pool{New: func() any { return new(view) }}

func (v *view) put(b byte, at int) {
	v.text = append(v.text, b)
	v.at = append(v.at, int32(at))
}

// unwrap looks again, at what a shell, JSON, a URL or base64 would make of the text.
func (c *scanner) unwrap(in context) {
	if len(c.s) < 1<<30 {
		if strings.ContainsAny(c.s, "'\"\\") && cutWord(c.s) {
			c.again(in, unquote)
		}
		if n := strings.IndexByte(c.s, '%'); n >= 0 && n+2 < len(c.s) {
			c.again(in, unescapeURL)
		}
	}
	c.encoded(in)
}

// cutWord tells whether a quote or a backslash stands inside a word, or begins one: else taking them out changes nothing that counts.
func cutWord(s string) bool {
	t := tables()
	for i := 1; i < len(s)-1; i++ {
		switch s[i] {
		case '\'', '"', '\\':
			if t.class[s[i-1]]&any64 != 0 || s[i] == '\\' {
				j := i + 1
				for j < len(s) && (s[j] == '\'' || s[j] == '"' || s[j] == '\\' || s[j] == '\n') {
					j++
				}
				if j < len(s) && t.class[s[j]]&any64 != 0 {
					return true
				}
			}
		}
	}
	return false
}

// again scans a view of the text, and keeps what only the view shows.
func (c *scanner) again(in context, make func(string, *view) bool) {
	v := views.Get().(*view)
	v.text, v.at = v.text[:0], v.at[:0]
	defer func() {
		const most = 1 << 20
		if cap(v.text) <= most {
			views.Put(v)
		}
	}()
	if !make(c.s, v) {
		return
	}
	v.at = append(v.at, int32(len(c.s)))
	text := string(v.text)
	in.deep++
	inner := scanner{t: c.t, s: text, tool: in.tool}
	inner.scan()
	for _, s := range inner.spans {
		start, end := int(v.at[s.Start]), int(v.at[s.End-1])+1
		if s.End < len(v.at) {
			end = c.trimmed(start, int(v.at[s.End]), end)
		}
		if general(s.Kind) && !c.cutName(v, s.Start) || end-start == s.End-s.Start && c.s[start:end] == text[s.Start:s.End] && !general(s.Kind) {
			continue
		}
		value := s.value
		if value == "" {
			value = text[s.Start:s.End]
		}
		c.spans = append(c.spans, Span{Start: start, End: end, Kind: s.Kind, value: value})
	}
}

// trimmed is the end of a span of the text: with the escape that its last byte was written as, but without quotes that follow.
func (c *scanner) trimmed(start, next, end int) int {
	if c.s[end-1] != '\\' && c.s[end-1] != '%' {
		return end
	}
	for next > end && (c.is(next-1, quote) || c.s[next-1] == '\n') {
		next--
	}
	return max(next, end)
}

// cutName tells whether the name before a value was cut: what stands behind a whole name has been seen already.
func (c *scanner) cutName(v *view, start int) bool {
	const far = 24
	from := max(start-far, 0)
	for i := start; i > from; i-- {
		if b := v.text[i-1]; i < start && c.t.class[b]&(word|dash) == 0 && b != '=' && b != ':' && b != ' ' {
			break
		}
		if gap := int(v.at[i]) - int(v.at[i-1]); gap != 1 && c.t.class[v.text[i-1]]&(word|equals) != 0 && !(gap == 2 && v.text[i-1] == '=') {
			return true
		}
	}
	return false
}

// unquote takes out quotes, backslashes and newlines behind them, and reads \x41, \u0041 and \101 as what they stand for to printf,
// $'...' and JSON.
func unquote(s string, v *view) bool {
	changed := false
	var open byte
	for i := 0; i < len(s); {
		b := s[i]
		switch {
		case b == '\'' || b == '"':
			if open == 0 {
				open = b
			} else if open == b {
				open = 0
			}
			changed = true
			i++
		case b == '$' && i+1 < len(s) && (s[i+1] == '\'' || s[i+1] == '"') && open == 0:
			i++
		case b == '\\' && i+1 < len(s):
			changed = true
			i += escape(s[i:], i, open, v)
		default:
			v.put(b, i)
			i++
		}
	}
	return changed
}

// escape reads what a backslash at the start of s begins, and says how long it is.
func escape(s string, at int, open byte, v *view) int {
	number := func(from, most, base int) int {
		n := from
		for n < len(s) && n-from < most {
			if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
				break
			}
			n++
		}
		if r, err := strconv.ParseUint(s[from:n], base, 32); err == nil && r > 0 && r < utf8.RuneSelf {
			v.put(byte(r), at)
			return n
		}
		return 0
	}
	switch b := s[1]; b {
	case 'x':
		if n := number(2, 2, 16); n > 0 {
			return n
		}
	case 'u':
		if n := number(2, 4, 16); n > 0 {
			return n
		}
	case '0', '1':
		if n := number(1, 3, 8); n > 2 {
			return n
		}
	case '\n':
		return 2
	case '\r':
		if len(s) > 2 && s[2] == '\n' {
			return 3
		}
	case 'n', 't', 'r':
		if open != 0 {
			v.put('\n', at)
			return 2
		}
	case '\'', '"', '\\':
		return 1 // what follows is taken out as well
	}
	return 1
}

// unescapeURL reads the percent-encoding of RFC 3986, section 2.1.
func unescapeURL(s string, v *view) bool {
	changed := false
	for i := 0; i < len(s); {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil && n > ' ' && n < utf8.RuneSelf {
				v.put(byte(n), i)
				i += 3
				changed = true
				continue
			}
		}
		v.put(s[i], i)
		i++
	}
	return changed
}

// plainValue is a value as the shell gives it to the program, "" where it is as it is written.
func (c *scanner) plainValue(start, end int, quoted byte) string {
	text := c.s[start:end]
	if quoted != 0 || !strings.ContainsAny(text, "'\"\\") {
		return ""
	}
	var v view
	if !unquote(text, &v) || len(v.text) == 0 {
		return ""
	}
	return string(v.text)
}

// leastEncoded is from how many letters on base64 is looked into: 20 bytes of a token.
const leastEncoded = 28

// encoded looks into the runs of base64.
func (c *scanner) encoded(in context) {
	s := c.s
	for i := 0; i+leastEncoded <= len(s); {
		if !c.is(i+leastEncoded-1, any64) {
			i += leastEncoded
			continue
		}
		start := i
		for start < i+leastEncoded-1 && c.run(start, i+leastEncoded, any64) < i+leastEncoded {
			start = c.run(start, i+leastEncoded, any64) + 1
		}
		end := c.run(i+leastEncoded, len(s), any64)
		if end-start >= leastEncoded {
			c.decode(in, start, end)
		}
		i = end
	}
}

// decode looks for secrets in what a run of base64 stands for. The whole run is the secret then.
func (c *scanner) decode(in context, start, end int) {
	for _, known := range c.spans {
		if known.Start <= start && known.End >= end {
			return
		}
	}
	run := c.s[start:end]
	enc := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		enc = base64.RawURLEncoding
	}
	run = run[:len(run)/4*4+[]int{0, 0, 2, 3}[len(run)%4]]
	buf := make([]byte, enc.DecodedLen(len(run)))
	n, _ := enc.Decode(buf, []byte(run)) // what cannot be read ends it
	if n < 16 {
		return
	}
	text := string(buf[:n])
	var spans []Span
	if in.deep++; printable(text) {
		spans = find(context{deep: in.deep}, text)
	} else {
		inner := scanner{t: c.t, s: text}
		inner.scan()
		for _, s := range inner.spans {
			if !general(s.Kind) {
				spans = append(spans, s)
			}
		}
	}
	for _, s := range spans {
		if s.Kind != kindLookalike {
			c.add(start, c.run(end, end+2, equals), s.Kind)
			return
		}
	}
}

// printable tells whether a text is one for people, not bytes.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\n' && s[i] != '\t' && s[i] != '\r' || s[i] == 0x7f {
			return false
		}
	}
	return utf8.ValidString(s)
}
