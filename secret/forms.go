package secret

import "strings"

// form reads a token by its rule; end is 0 if there is none at i.
func (c *scanner) form(r *rule, i int) (start, end int) {
	if r.how&apart != 0 && c.is(i-1, alnum) {
		return 0, 0
	}
	body := i + len(r.prefix)
	most := len(c.s)
	if r.max > 0 {
		most = body + r.max + 1
	}
	// A first look is at no more than what decides, so that a text of a million prefixes is read once.
	seen := c.run(body, body+max(r.min, 64), r.body)
	if seen-body < r.min || masked(c.s[body:seen]) || r.how&mixed != 0 && !hasDigit(c.s[body:seen]) || r.how&dense != 0 && countDigits(c.s[body:seen]) < 3 {
		return 0, 0
	}
	end = c.run(seen, most, r.body)
	if r.max > 0 && (end-body > r.max || c.is(end, alnum)) {
		return 0, 0
	}
	if r.how&padded != 0 {
		end = c.run(end, end+2, equals)
	}
	if r.body&dot != 0 { // the end of a sentence is no part
		for end > body+r.min && c.s[end-1] == '.' {
			end--
		}
	}
	switch {
	case r.prefix == ".atlasv1.":
		start = c.back(i, 14, alnum)
		if i-start < 14 {
			return 0, 0
		}
		return start, end
	case r.how&bodyOnly != 0:
		if r.kind == "teams-webhook" && end < len(c.s) && c.s[end] == '@' {
			end = c.run(end+1, len(c.s), url64|slash)
		}
		return body, end
	}
	return i, end
}

// masked tells whether the body of a token is none: a row of x, or words like your-token.
func masked(body string) bool {
	const maskedShare = 4 // of 5
	x := 0
	for i := range len(body) {
		if b := body[i]; b == 'x' || b == 'X' || b == '*' || b == '.' || b == '_' || b == '-' {
			x++
		}
	}
	if x*5 >= len(body)*maskedShare {
		return true
	}
	for _, word := range []string{"your_", "your-", "token-here", "token_here", "placeholder", "redacted", "replace-", "replace_", "insert-", "insert_"} {
		if len(body) >= len(word) && equalFold(body[:len(word)], word) {
			return true
		}
	}
	return false
}

func hasDigit(s string) bool {
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			return true
		}
	}
	return false
}

func countDigits(s string) (n int) {
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

// special reads a form that more than a prefix and an alphabet tells; end is 0 if there is none at i.
func (c *scanner) special(prefix string, i int) (start, end int) {
	switch prefix {
	case "eyJ":
		return c.jwt(i)
	case "sk.eyJ":
		return c.parts(i, i+3, 2, 20)
	case "pat":
		return c.airtable(i)
	case "sdk-", "api-":
		if end := i + 4 + 36; !c.is(i-1, word|dash) && c.uuid(i+4) && !c.is(end, word|dash) {
			return i, end
		}
	case "access_token$production$", "access_token$sandbox$":
		a := c.run(i+len(prefix), i+len(prefix)+64, lowNum)
		if a < len(c.s) && c.s[a] == '$' {
			if end := c.run(a+1, a+65, hex); end-a > 16 {
				return i, end
			}
		}
	case "-----BEGIN ":
		return c.pem(i)
	case "Private-Lines:":
		return c.putty(i)
	case mark:
		return i, i + len(mark)
	case "-us":
		return c.mailchimp(i)
	case "NRAL":
		if start := c.back(i, 37, hex); i-start == 36 && !c.is(i+4, word) && !c.is(start-1, word) {
			return start, i + 4
		}
	case "Bearer ", "bearer ":
		return c.bearer(i)
	case "IDENTIFIED BY ", "identified by ":
		return c.sqlLiteral(i + len(prefix))
	case "PASSWORD '", "password '":
		return c.sqlLiteral(i + len(prefix) - 1)
	case "api.telegram.org/bot":
		at := i + len(prefix)
		if end := c.run(at, len(c.s), digits); end < len(c.s) && c.s[end] == ':' && end > at {
			if stop := c.run(end+1, len(c.s), url64); stop-end > 20 {
				return at, stop
			}
		}
	}
	return 0, 0
}

// parts reads n parts of base64url with dots between them, the last of at least some bytes.
func (c *scanner) parts(start, i, n, last int) (int, int) {
	for ; n > 0; n-- {
		end := c.run(i, len(c.s), url64)
		if n == 1 {
			if end-i < last || masked(c.s[i:min(end, i+64)]) {
				return 0, 0
			}
			return start, end
		}
		if end-i < 8 || end >= len(c.s) || c.s[end] != '.' {
			return 0, 0
		}
		i = end + 1
	}
	return 0, 0
}

// jwt reads a JSON web token (RFC 7519) in its compact form: header, payload and signature. The payload is a JSON object too, but in
// an encrypted token.
func (c *scanner) jwt(i int) (int, int) {
	if c.is(i-1, url64) {
		return 0, 0
	}
	first := c.run(i, len(c.s), url64)
	if first-i < 12 || first >= len(c.s) || c.s[first] != '.' {
		return 0, 0
	}
	second := c.run(first+1, len(c.s), url64)
	if second >= len(c.s) || c.s[second] != '.' {
		return 0, 0
	}
	third := c.run(second+1, len(c.s), url64)
	signed := c.has(first+1, "eyJ") && second-first > 8
	switch {
	case signed && (third == second+1 || third-second > 8): // without a signature too: alg none
		return i, third
	case third-second <= 20:
		return 0, 0
	}
	for n := 0; n < 2 && third < len(c.s) && c.s[third] == '.'; n++ { // five parts: RFC 7516
		third = c.run(third+1, len(c.s), url64)
	}
	return i, third
}

func (c *scanner) airtable(i int) (int, int) {
	mid := i + 3 + 14
	if c.is(i-1, word) || c.run(i+3, mid+1, alnum) != mid || mid >= len(c.s) || c.s[mid] != '.' {
		return 0, 0
	}
	if end := c.run(mid+1, mid+66, hex); end == mid+65 {
		return i, end
	}
	return 0, 0
}

// uuid tells whether one stands at i.
func (c *scanner) uuid(i int) bool {
	if len(c.s)-i < 36 {
		return false
	}
	return isUUID(c.s[i : i+36])
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch b := lowered(s[i]); {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if b != '-' {
				return false
			}
		case (b < '0' || b > '9') && (b < 'a' || b > 'f'):
			return false
		}
	}
	return true
}

// pem reads a private key of RFC 7468 or of OpenPGP, with its newlines as they are or escaped, also as the strings of a program. What
// is no base64 ends it: a command between the lines stays readable.
func (c *scanner) pem(i int) (int, int) {
	const begin, end = "-----BEGIN ", "-----END "
	label := c.run(i+len(begin), i+len(begin)+48, upper|digits|blank)
	if !c.has(label, "-----") || !strings.Contains(c.s[i+len(begin):label], "PRIVATE KEY") {
		return 0, 0
	}
	const leastLine = 16
	last, short := 0, false // where the last whole line of base64 ended; a shorter one was there, which must be the last
	for at := c.betweenLines(label + 5); at < len(c.s); at = c.betweenLines(at) {
		if c.has(at, end) {
			if last == 0 {
				return 0, 0
			}
			at = c.run(at+len(end), at+len(end)+48, upper|digits|blank)
			return i, c.run(at, at+5, dash)
		}
		stop := c.run(at, len(c.s), std64|equals)
		if next, ok := c.pemHeader(at); ok && last == 0 {
			at = next
			continue
		}
		switch n := stop - at; {
		case n == 0, short && c.s[at] != '=':
			at = len(c.s)
		case n < leastLine:
			short = true
			if last > 0 && !c.is(stop, letter) && n%4 == 0 {
				last = stop
			}
		default:
			last = stop
		}
		if at < len(c.s) {
			at = stop
		}
	}
	if last == 0 {
		return 0, 0
	}
	return i, last
}

// betweenLines is where behind i the next line of base64 begins.
func (c *scanner) betweenLines(i int) int {
	for i < len(c.s) {
		switch {
		case c.is(i, blank|line|quote), c.s[i] == ',', c.s[i] == '(', c.s[i] == ')':
			i++
		case c.s[i] == '+' && c.is(i-1, blank) && c.is(i+1, blank):
			i++
		case c.s[i] == '\\':
			if i++; i < len(c.s) && (c.s[i] == 'n' || c.s[i] == 'r') {
				i++
			}
		case c.has(i, "%0A"), c.has(i, "%0D"), c.has(i, "%0a"), c.has(i, "%0d"):
			i += 3
		default:
			return i
		}
	}
	return i
}

// pemHeader reads a header line of RFC 1421 or OpenPGP: "Proc-Type: 4,ENCRYPTED".
func (c *scanner) pemHeader(i int) (int, bool) {
	name := c.run(i, i+24, letter|dash)
	if name == i || !c.has(name, ": ") {
		return i, false
	}
	at := name + 1
	for at < len(c.s) && at-name < 100 && (c.is(at, alnum|blank|dot|dash|slash|plus) || strings.IndexByte(",:()@", c.s[at]) >= 0) {
		at++
	}
	return at, at >= len(c.s) || c.is(at, line) || c.s[at] == '\\'
}

// putty reads the private lines of a PuTTY key: their number, then the lines of base64.
func (c *scanner) putty(i int) (int, int) {
	at := i + len("Private-Lines:")
	at = c.run(at, at+16, blank|digits)
	start := c.run(at, at+2, line)
	end := c.run(start, len(c.s), std64|equals|line)
	// The next header begins with letters too: the last line is none of ours if ":" or "-" follows.
	if end < len(c.s) && (c.s[end] == ':' || c.s[end] == '-') {
		end = c.back(end, end-start, std64|equals)
	}
	for end > start && c.is(end-1, line) {
		end--
	}
	if end-start < 16 {
		return 0, 0
	}
	return start, end
}

// mailchimp reads 32 hexadecimal digits and a data centre: ...-us12.
func (c *scanner) mailchimp(i int) (int, int) {
	end := c.run(i+3, i+6, digits)
	start := c.back(i, 33, hex)
	if end == i+3 || c.is(end, word) || i-start != 32 || c.is(start-1, word|dash) {
		return 0, 0
	}
	return start, end
}

// bearer reads what follows the word Bearer in any text, if it is long and has a digit: "Bearer tokens are ..." is prose.
func (c *scanner) bearer(i int) (int, int) {
	if c.is(i-1, word) {
		return 0, 0
	}
	start := i + len("Bearer ")
	end := c.run(start, len(c.s), any64|dot)
	for end < len(c.s) && (c.s[end] == '~' || c.s[end] == '=') {
		end++
	}
	for end > start && c.s[end-1] == '.' {
		end--
	}
	if body := c.s[start:end]; len(body) < 16 || !hasDigit(body) || masked(body) {
		return 0, 0
	}
	return start, end
}

// sqlLiteral reads a string of SQL.
func (c *scanner) sqlLiteral(i int) (int, int) {
	for i < len(c.s) && c.s[i] == '\\' {
		i++
	}
	if i >= len(c.s) || c.s[i] != '\'' {
		return 0, 0
	}
	n := strings.IndexAny(c.s[i+1:min(len(c.s), i+1+maxLiteral)], "'\n")
	if n < 1 || c.s[i+1+n] != '\'' || reference(c.s[i+1:i+1+n], false) {
		return 0, 0
	}
	return i + 1, i + 1 + n
}

const maxLiteral = 512

// behind is about what the bytes before "." or "~" tell.
func (c *scanner) behind(i int) int {
	if c.s[i] == '~' { // Entra client secrets: three characters, a digit, Q~
		if i < 5 || c.s[i-1] != 'Q' || !c.is(i-2, digits) {
			return i + 1
		}
		start := c.back(i-2, 3, word|dash|dot)
		end := i + 1
		for end < len(c.s) && (c.is(end, url64|dot) || c.s[end] == '~') {
			end++
		}
		if i-2-start == 3 && end-i > 30 {
			return c.add(start, end, "azure-secret")
		}
		return i + 1
	}
	// Discord: the account's number in base64, six or seven characters, then 27 and more.
	second := c.run(i+1, i+9, url64)
	if n := second - i - 1; n != 6 && n != 7 || second >= len(c.s) || c.s[second] != '.' {
		return i + 1
	}
	start := c.back(i, 32, url64)
	end := c.run(second+1, second+41, url64)
	if n := i - start; n < 23 || n > 28 || !strings.ContainsRune("MNO", rune(c.s[start])) || end-second < 27 || c.is(end, word) || !hasDigit(c.s[start:i]) {
		return i + 1
	}
	return c.add(start, end, "discord-token")
}
