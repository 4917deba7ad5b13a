package secret

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// view is a text as it is after something took its quotes and escapes out, and where each byte was.
type view struct {
	text  []byte
	seams []seam
	end   int // of the whole text
}

// seam is where bytes of a view follow each other that did not in the text.
type seam struct{ at, was int }

// was is where in the text the byte i of a view was.
func (v *view) was(i int) int {
	if i >= len(v.text) {
		return v.end
	}
	n, exact := slices.BinarySearchFunc(v.seams, i, func(s seam, i int) int { return cmp.Compare(s.at, i) })
	if !exact {
		n--
	}
	return v.seams[n].was + i - v.seams[n].at
}

var views = sync.Pool{New: func() any { return new(view) }}

func (v *view) put(b byte, at int) {
	if n := len(v.seams); n == 0 || v.seams[n-1].was+len(v.text)-v.seams[n-1].at != at {
		v.seams = append(v.seams, seam{len(v.text), at})
	}
	v.text = append(v.text, b)
}

// unwrap looks again, at what a shell, JSON, a URL or base64 would make of the text.
func (c *scanner) unwrap(in context) {
	if strings.ContainsAny(c.s, "'\"\\") {
		c.again(in, unquote)
	}
	if n := strings.IndexByte(c.s, '%'); n >= 0 && n+2 < len(c.s) {
		c.again(in, unescapeURL)
	}
	c.encoded(in)
}

// cutWord tells whether a quote or a backslash stands inside a word, or begins an escape: else taking them out changes nothing that counts.
func cutWord(s string) bool {
	t := tables()
	for i := 0; i < len(s)-1; i++ {
		if b := s[i]; b != '\'' && b != '"' && b != '\\' {
			continue
		}
		start, j := i, i
	cut:
		for j < len(s) {
			switch b := s[j]; {
			case b == '\'' || b == '"' || b == '$' && j > start:
				j++
			case b != '\\' || j+1 == len(s):
				break cut
			case s[j+1] == 'x' || s[j+1] == 'u' || s[j+1] == '1' || s[j+1] == '0':
				return true
			case s[j+1] == '\n' || s[j+1] == 'n' || s[j+1] == 'r' || s[j+1] == 't':
				j += 2
			default:
				j++
			}
		}
		if j < len(s) && t.class[s[j]]&any64 != 0 && (start > 0 && t.class[s[start-1]]&any64 != 0 || s[start] == '\\') {
			return true
		}
		i = max(i, j-1)
	}
	return false
}

// again scans a view of the text, and keeps what only the view shows.
func (c *scanner) again(in context, make func(string, *view) bool) {
	v := views.Get().(*view)
	v.text, v.seams, v.end = v.text[:0], v.seams[:0], len(c.s)
	const most = 1 << 22
	defer func() {
		if cap(v.text) <= most {
			views.Put(v)
		}
	}()
	if !make(c.s, v) {
		return
	}
	text := string(v.text)
	in.deep++
	inner := scanner{t: c.t, s: text, tool: in.tool}
	inner.scan()
	for _, s := range inner.spans {
		start := v.was(s.Start)
		end := c.trimmed(start, v.was(s.End), v.was(s.End-1)+1)
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
		if gap := v.was(i) - v.was(i-1); gap != 1 && c.t.class[v.text[i-1]]&(word|equals) != 0 && !(gap == 2 && v.text[i-1] == '=') {
			return true
		}
	}
	return false
}

// unquote takes out quotes, backslashes and newlines behind them, and reads \x41, \u0041 and \101 as what they stand for to printf,
// $'...' and JSON. Lines in which that joins nothing are left out.
func unquote(s string, v *view) bool {
	changed := false
	for i := 0; i < len(s); {
		end := i
		for {
			n := strings.IndexByte(s[end:], '\n')
			if n < 0 {
				end = len(s)
				break
			}
			end += n + 1
			if n == 0 || s[end-2] != '\\' && !strings.HasSuffix(s[:end], "\\\r\n") {
				break
			}
		}
		if cutWord(s[i:end]) {
			unquoteLine(s[i:end], i, v)
			v.put('\n', end-1)
			changed = true
		}
		i = end
	}
	return changed
}

func unquoteLine(s string, at int, v *view) {
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
			i++
		case b == '$' && i+1 < len(s) && (s[i+1] == '\'' || s[i+1] == '"') && open == 0:
			i++
		case b == '\\' && i+1 < len(s):
			i += escape(s[i:], at+i, open, v)
		default:
			v.put(b, at+i)
			i++
		}
	}
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

// unescapeURL reads the percent-encoding of RFC 3986, section 2.1, in the lines that have it.
func unescapeURL(s string, v *view) bool {
	for start := 0; start < len(s); {
		n := nextEscape(s[start:])
		if n < 0 {
			break
		}
		end := len(s)
		if nl := strings.IndexByte(s[start+n:], '\n'); nl >= 0 {
			end = start + n + nl + 1
		}
		for i := start + strings.LastIndexByte(s[start:start+n], '\n') + 1; i < end; i++ {
			if b := unescaped(s[i:]); b != 0 {
				v.put(b, i)
				i += 2
				continue
			}
			v.put(s[i], i)
		}
		start = end
	}
	return len(v.text) > 0
}

// nextEscape is where the next escape stands, -1 if there is none.
func nextEscape(s string) int {
	for at := 0; ; at++ {
		n := strings.IndexByte(s[at:], '%')
		if n < 0 {
			return -1
		}
		if at += n; unescaped(s[at:]) != 0 {
			return at
		}
	}
}

// unescaped is the printable character that an escape at the start of s stands for, 0 if there is none.
func unescaped(s string) byte {
	if len(s) < 3 || s[0] != '%' {
		return 0
	}
	high, low := hexDigit(s[1]), hexDigit(s[2])
	if b := high<<4 | low; high < 8 && low < 16 && b > ' ' {
		return b
	}
	return 0
}

func hexDigit(b byte) byte {
	switch {
	case b >= '0' && b <= '9':
		return b - '0'
	case lowered(b) >= 'a' && lowered(b) <= 'f':
		return lowered(b) - 'a' + 10
	}
	return 0xff
}

// plainValue is a value as the shell gives it to the program, "" where it is as it is written.
func (c *scanner) plainValue(start, end int, quoted byte) string {
	text := c.s[start:end]
	if quoted != 0 || !strings.ContainsAny(text, "'\"\\") {
		return ""
	}
	var v view
	if unquoteLine(text, 0, &v); len(v.text) == 0 {
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
		if start := c.back(i+leastEncoded, leastEncoded, any64); start > i {
			i = start // no run that begins before it is long enough
			continue
		}
		end := c.run(i+leastEncoded, len(s), any64)
		c.decode(in, i, end)
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
	if !promising(enc, run) {
		return
	}
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

// promising tells whether a run is worth decoding: it begins like text, or is long enough to be a file that holds some.
func promising(enc *base64.Encoding, run string) bool {
	const long, first = 512, 24
	if len(run) >= long {
		return true
	}
	var in [first]byte
	var out [first / 4 * 3]byte
	copy(in[:], run)
	n, _ := enc.Decode(out[:], in[:])
	for at := 0; at < n; {
		r, size := utf8.DecodeRune(out[at:n])
		switch {
		case r == utf8.RuneError && n-at >= utf8.UTFMax, r < ' ' && r != '\n' && r != '\t' && r != '\r', r == 0x7f:
			return false
		}
		at += size
	}
	return n > 0
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
