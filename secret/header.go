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
		if b == '<' && c.has(i, opaque) {
			i += len(opaque) - 1
			continue
		}
		if c.open == 0 && !c.data && strings.IndexByte("|&<>()`", b) >= 0 {
			break
		}
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
	return c.place(rest.start, rest.end, kind, f.at+1)
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
		if v := c.s[start:end]; reference(v, false) || path(v) || len(v) > 0 && letterKind(v[0]) == 0 || knownScheme(c.s[start:scheme]) != "" && at >= end || strings.HasSuffix(v, ",") {
			return credential{}
		}
		return credential{start, end, kindAuthorize, true}
	}
	out := credential{start: at, end: end, kind: kindAuthorize}
	switch kind := knownScheme(c.s[start:scheme]); kind {
	case "":
		out.bare = true
		if !hasDigit(c.s[at:end]) {
			return credential{}
		}
	default:
		out.kind = kind
	}
	if out.kind != kindAuthorize { // one word, which may have quotes of its own
		if c.is(at, quote) && c.s[at] != c.open {
			out.start++
		}
		out.end = out.start
		for out.end < end && !c.is(out.end, blank|quote) && c.s[out.end] != '\\' && (c.open != 0 || c.data || c.s[out.end] != ';') {
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
	return c.add(v.start, c.pairs(v.start, v.end), f.kind)
}

// pairs is the end of the row of "name=value; name=value" and attributes that begins at i.
func (c *scanner) pairs(i, end int) int {
	if c.data {
		return end
	}
	for at := i; ; {
		for at < end && !c.is(at, blank) && strings.IndexByte(";|&<>`", c.s[at]) < 0 && !(c.s[at] == '$' && at+1 < end && (c.s[at+1] == '(' || c.s[at+1] == '{')) {
			at++
		}
		if at >= end || c.s[at] != ';' {
			return at
		}
		next := c.run(at+1, end, blank)
		name := c.run(next, end, word|dash|dot)
		switch attribute := c.s[next:name]; {
		case name < end && name > next && c.s[name] == '=':
			if equalFold(attribute, "expires") { // a date, with blanks
				name = c.run(name+1, end, alnum|blank|dash)
				if name < end && (c.s[name] == ',' || c.s[name] == ':') {
					name = c.run(name+1, min(end, name+32), alnum|blank|dash)
				}
				for name < end && c.s[name] == ':' {
					name = c.run(name+1, end, alnum|blank)
				}
			}
		case equalFold(attribute, "httponly"), equalFold(attribute, "secure"), equalFold(attribute, "partitioned"), next >= end:
		default:
			return at
		}
		at = name
	}
}

// seeds is about the words of a wallet (BIP 39: 12 to 24 of them), and the seeds of one-time passwords (RFC 4648 base32).
func (c *scanner) seeds(f *found, i int) int {
	v := c.region(i)
	if f.kind == kindSeedPhrase {
		if end := c.phrase(v.start, v.end); end > 0 && (f.op != '=' || v.quoted != 0 || c.open != 0 || c.data) {
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

// knownScheme is the kind of what follows a scheme of an Authorization header: those of the IANA registry, and what services made up; "" for
// any other word.
func knownScheme(name string) string {
	if len(name) > 16 {
		return ""
	}
	switch strings.ToLower(name) {
	case "basic":
		return kindBasic
	case "bearer", "token", "apikey", "api-key", "jwt", "key", "dpop", "bot", "splunk", "sso-key", "ssws", "geniekey", "gcm":
		return kindBearer
	case "digest", "aws4-hmac-sha256", "negotiate", "ntlm", "hawk", "signature", "sharedkey", "mac", "oauth", "hoba", "mutual", "privatetoken":
		return kindAuthorize
	}
	return ""
}
