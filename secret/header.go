package secret

import "strings"

// region is the rest of a line, or of the string, that begins at i.
func (c *scanner) region(i int) value {
	if size, q := c.quoteAt(i); size > 0 && (q != c.open || size > 1) {
		return c.quotedAt(i, size, q)
	}
	v := value{start: i}
	for ; i < len(c.s); i++ {
		b := c.s[i]
		if c.is(i, line) || b == c.open && b != 0 && !(b == '"' && c.escaped(i, v.start)) || b == '\\' && i+1 < len(c.s) && (c.s[i+1] == 'r' || c.s[i+1] == 'n') {
			break
		}
	}
	v.end, v.next = i, i
	for v.end > v.start && c.is(v.end-1, blank) {
		v.end--
	}
	return v
}

// authorization is about the header of RFC 9110, section 11.6.2: a scheme, and what follows it.
func (c *scanner) authorization(f *found, i int) int {
	v := c.region(i)
	rest := c.credentials(v.start, v.end)
	if rest.kind == "" || v.quoted == 0 && c.open == 0 && rest.bare && !hasDigit(c.s[rest.start:rest.end]) {
		return f.at + 1 // "Authorization: required" is prose
	}
	kind := rest.kind
	if k, a, b := c.formAt(rest.start); a == rest.start && b == rest.end {
		kind = k
	}
	return c.add(rest.start, rest.end, kind)
}

// credential is the secret part of an Authorization header; kind "" if there is none.
type credential struct {
	start, end int
	kind       string
	bare       bool // without a scheme that we know
}

func (c *scanner) credentials(start, end int) credential {
	scheme := c.run(start, end, alnum|dash)
	at := c.run(scheme, end, blank)
	if at == scheme || at >= end { // no scheme
		if v := c.s[start:end]; reference(v, false) || path(v) {
			return credential{}
		}
		return credential{start, end, kindAuthorize, true}
	}
	out := credential{start: at, end: end, kind: kindAuthorize}
	switch name := c.s[start:scheme]; {
	case equalFold(name, "basic"):
		out.kind = kindBasic
	case equalFold(name, "bearer"), equalFold(name, "token"), equalFold(name, "apikey"), equalFold(name, "jwt"), equalFold(name, "oauth"), equalFold(name, "key"), equalFold(name, "dpop"), equalFold(name, "bot"), equalFold(name, "splunk"):
		out.kind = kindBearer
	case equalFold(name, "digest"), equalFold(name, "aws4-hmac-sha256"), equalFold(name, "negotiate"), equalFold(name, "ntlm"), equalFold(name, "hawk"), equalFold(name, "signature"), equalFold(name, "sharedkey"), equalFold(name, "mac"), equalFold(name, "genie"):
	default:
		out.bare = true
		if !hasDigit(c.s[at:end]) {
			return credential{}
		}
	}
	if out.kind != kindAuthorize { // one word
		out.end = at
		for out.end < end && !c.is(out.end, blank|quote) && c.s[out.end] != '\\' {
			out.end++
		}
	}
	if reference(c.s[out.start:out.end], false) || c.s[at] == '$' || c.s[at] == '<' && strings.IndexByte(c.s[at:end], '>') > 0 {
		return credential{}
	}
	return out
}

// cookies is about the headers of RFC 6265: all of the value, for no part of it says of itself whether it is secret.
func (c *scanner) cookies(f *found, i int) int {
	if f.op != ':' && !f.strong {
		return f.at + 1
	}
	v := c.region(i)
	text := c.s[v.start:v.end]
	n := strings.IndexByte(text, '=')
	if n < 1 || strings.IndexByte(text[:n], ' ') >= 0 || reference(text, false) || reference(text[n+1:], false) {
		return f.at + 1
	}
	return c.add(v.start, v.end, f.kind)
}

// seeds is about the words of a wallet (BIP 39: 12 to 24 of them), and the seeds of one-time passwords (RFC 4648 base32).
func (c *scanner) seeds(f *found, i int) int {
	v := c.region(i)
	if f.kind == kindSeedPhrase {
		if end := c.phrase(v.start, v.end); end > 0 {
			return c.add(v.start, end, kindSeedPhrase)
		}
		if f.class == seed && !f.strong {
			return f.at + 1
		}
	}
	end := v.start
	for end < v.end && (c.is(end, alnum|equals) || c.s[end] == ' ' && v.quoted != 0) {
		end++
	}
	if end-v.start < 16 || !(hasDigit(c.s[v.start:end]) || f.kind == kindOTPSeed) || reference(c.s[v.start:end], false) {
		return f.at + 1
	}
	return c.add(v.start, end, kindOTPSeed)
}

// phrase is the end of the row of 12 words or more, of three to eight small letters, that begins at i; 0 if there is none.
func (c *scanner) phrase(i, end int) int {
	n, last := 0, 0
	for n < 24 {
		j := c.run(i, min(end, i+9), lower)
		if j-i < 3 || j-i > 8 {
			break
		}
		n, last = n+1, j
		if j >= end || c.s[j] != ' ' {
			break
		}
		i = j + 1
	}
	if n < 12 {
		return 0
	}
	return last
}
