package secret

import "strings"

// toolID is a program, or a state of reading its arguments.
type toolID uint8

const (
	noTool toolID = iota
	mysql
	sshpass
	redis
	mongo
	sqlcmd
	ldap
	engine // docker and its like, before "login"
	login  // docker login
	uploader
	openssl
	zip
	sevenZip
	curl
	httpie
	smbclient
	rdp
	gh
	ghSecret
	htpasswd
	vault
	minio
	nmcli
	settings // npm, aws, git: before "set" or "config"
	machine  // .netrc, before "login"
	netrc
	chpasswd
	ipmi
	mosquitto
	keyword // not a program: the next word is the secret

	setWord
	loginWord
	secretWord
	passwordWord
	literalWord
	fileWord
)

type tool struct {
	name string
	id   toolID
}

// tools are the words that a scan stops at.
func tools() []tool {
	var out []tool
	for _, g := range []struct {
		id    toolID
		names string
	}{
		{mysql, "mysql mariadb mysqldump mariadb-dump mysqladmin mariadb-admin mysqlimport mysqlcheck mysqlshow mysqlsh mysqlbinlog mycli"},
		{sshpass, "sshpass"}, {redis, "redis-cli valkey-cli iredis"}, {mongo, "mongo mongosh mongodump mongorestore mongoexport mongoimport"},
		{sqlcmd, "sqlcmd bcp osql"}, {ldap, "ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami"},
		{engine, "docker podman nerdctl buildah skopeo helm oras crane regctl az oc cf argocd rancher ibmcloud"}, {uploader, "twine"},
		{openssl, "openssl"}, {zip, "zip unzip zipcloak"}, {sevenZip, "7z 7za 7zz rar unrar"}, {curl, "curl"}, {httpie, "http https xh"},
		{smbclient, "smbclient rpcclient smbmap"}, {rdp, "xfreerdp wlfreerdp sdl-freerdp"}, {gh, "gh"}, {htpasswd, "htpasswd"}, {vault, "vault cargo bao"},
		{minio, "mc mcli"}, {nmcli, "nmcli"}, {settings, "npm pnpm yarn aws git pip poetry composer gcloud pulumi"}, {machine, "machine"}, {chpasswd, "chpasswd"},
		{ipmi, "ipmitool"}, {mosquitto, "mosquitto_pub mosquitto_sub"}, {keyword, "requirepass masterauth"},
		{setWord, "set"}, {loginWord, "login"}, {secretWord, "secret"}, {passwordWord, "password passwd"}, {literalWord, "--from-literal"}, {fileWord, "--from-file --from-env-file"},
	} {
		for name := range strings.FieldsSeq(g.names) {
			out = append(out, tool{name, g.id})
		}
	}
	return out
}

// part says which part of an option's value is secret.
type part uint8

const (
	allOf        part = iota
	behindColon       // user:password
	behindPct         // user%password
	behindPass        // pass:password (openssl-passphrase-options(1)); env:, file:, fd: and stdin name another place
	cookiePart        // name=value; else it is a file
	attachedOnly      // only -pVALUE: "-p VALUE" asks, and VALUE is another argument
)

// shortOption is an option with one letter, or one that only a program makes the holder of a secret.
type shortOption struct {
	tool toolID
	name string // without the dash
	part part
	kind string
}

func shortOptionOf(t toolID, name string) (shortOption, bool) {
	for _, o := range tables().options {
		if o.tool == t && o.name == name {
			return o, true
		}
	}
	return shortOption{}, false
}

func shortOptions() []shortOption {
	return []shortOption{
		{mysql, "p", attachedOnly, kindPassword}, {sevenZip, "p", attachedOnly, kindPassword},
		{sshpass, "p", allOf, kindPassword}, {redis, "a", allOf, kindPassword}, {mongo, "p", allOf, kindPassword}, {sqlcmd, "P", allOf, kindPassword},
		{ldap, "w", allOf, kindPassword}, {login, "p", allOf, kindPassword}, {uploader, "p", allOf, kindPassword}, {zip, "P", allOf, kindPassword},
		{ipmi, "P", allOf, kindPassword}, {mosquitto, "P", allOf, kindPassword},
		{openssl, "k", allOf, kindPassword}, {openssl, "K", allOf, kindAPIKey}, {openssl, "pass", behindPass, kindPassword},
		{openssl, "passin", behindPass, kindPassword}, {openssl, "passout", behindPass, kindPassword},
		{curl, "u", behindColon, kindPassword}, {curl, "U", behindColon, kindPassword}, {curl, "E", behindColon, kindPassword},
		{curl, "-user", behindColon, kindPassword}, {curl, "-proxy-user", behindColon, kindPassword}, {curl, "-cert", behindColon, kindPassword},
		{curl, "b", cookiePart, kindCookie}, {curl, "-cookie", cookiePart, kindCookie}, {curl, "-pass", allOf, kindPassword}, {curl, "-oauth2-bearer", allOf, kindBearer},
		{httpie, "a", behindColon, kindPassword}, {httpie, "-auth", behindColon, kindPassword},
		{smbclient, "U", behindPct, kindPassword}, {smbclient, "-user", behindPct, kindPassword},
		{ghSecret, "b", allOf, kindSecret}, {ghSecret, "-body", allOf, kindSecret},
	}
}

// standsAlone tells whether a word of a command begins and ends at these places. It may be the last part of a path.
func (c *scanner) standsAlone(start, end int) bool {
	if start > 0 && !c.is(start-1, blank|line|quote|slash) && strings.IndexByte("|;&($=", c.s[start-1]) < 0 {
		return false
	}
	return end >= len(c.s) || c.is(end, blank|line|quote|equals) || strings.IndexByte("\\,;|&)<>", c.s[end]) >= 0 || c.has(end, ".exe")
}

// command is about a word of the table at i: a program, or a word that says what the next ones are. It says where to go on.
func (c *scanner) command(e *entry, i int, id toolID) int {
	end := i + len(e.text)
	switch id {
	case setWord:
		if c.tool == settings {
			return c.setting(end)
		}
		if c.tool == minio {
			return c.nth(end, 4, kindSecret)
		}
	case loginWord:
		switch c.tool {
		case engine:
			c.tool = login
		case machine:
			c.tool = netrc
		case vault:
			return c.nth(end, 1, kindToken)
		}
	case secretWord:
		if c.tool == gh {
			c.tool = ghSecret
		}
	case passwordWord:
		if c.tool == netrc || c.tool == nmcli {
			return c.nth(end, 1, kindPassword)
		}
	case fileWord:
		return c.word(min(end+1, len(c.s))).next
	case literalWord:
		return c.literal(end)
	case keyword:
		if c.is(end, blank) {
			return c.nth(end, 1, kindPassword)
		}
	case chpasswd:
		c.piped(i)
		c.tool = id
	default:
		if c.tool == login && id == engine { // "registry" and the like between them
			return end
		}
		c.tool = id
		if id == htpasswd {
			return c.htpasswd(end)
		}
	}
	return end
}

// following begins the next word of the command behind i; false at the end of the command.
func (c *scanner) following(i int) (int, bool) {
	for i < len(c.s) {
		switch {
		case c.is(i, blank):
			i++
		case c.has(i, "\\\n"):
			i += 2
		case c.has(i, "\\\r\n"):
			i += 3
		case c.is(i, line) && c.tool == netrc:
			i++
		default:
			return i, !c.is(i, line) && strings.IndexByte(";|&<>)", c.s[i]) < 0 && (c.s[i] != c.open || c.open == 0)
		}
	}
	return i, false
}

// nth takes the nth argument that is no option as the secret.
func (c *scanner) nth(i, n int, kind string) int {
	begin := i
	const most = 12
	for range most {
		at, ok := c.following(i)
		if !ok || at == i {
			return begin
		}
		v := c.word(at)
		if v.next <= at {
			return begin
		}
		i = v.next
		if c.s[at] == '-' {
			continue
		}
		if n--; n == 0 {
			return c.literally(v, allOf, kind, begin)
		}
	}
	return begin
}

// htpasswd is about htpasswd -b FILE USER PASSWORD, where -n takes no file.
func (c *scanner) htpasswd(i int) int {
	at, ok := c.following(i)
	if !ok || c.s[at] != '-' {
		return i
	}
	switch flags := c.s[at:c.run(at, at+8, alnum|dash)]; {
	case strings.IndexByte(flags, 'b') < 0:
		return i
	case strings.IndexByte(flags, 'n') > 0:
		return c.nth(i, 2, kindPassword)
	}
	return c.nth(i, 3, kindPassword)
}

// setting is about "npm config set NAME VALUE": behind the word "set".
func (c *scanner) setting(i int) int {
	at, ok := c.following(i)
	if !ok {
		return i
	}
	w := c.word(at)
	name := c.s[w.start:w.end]
	if n := strings.LastIndexAny(name, ":/"); n >= 0 {
		name = name[n+1:]
	}
	n := nameOf(name)
	if strings.Contains(name, "=") || n.class == nothing || n.class == header || n.class == seed {
		return i
	}
	at, ok = c.following(w.next)
	if !ok {
		return i
	}
	return c.literally(c.word(at), allOf, n.kind, i)
}

// literal is about kubectl create secret --from-literal=NAME=VALUE: the value is secret, whatever its name.
func (c *scanner) literal(i int) int {
	if !c.is(i, blank|equals) {
		return i
	}
	v := c.word(i + 1)
	n := strings.IndexByte(c.s[v.start:v.end], '=')
	if n < 0 {
		return i
	}
	name := nameOf(strings.Trim(c.s[v.start:v.start+n], "'\""))
	if name.kind == "" {
		name.kind = kindSecret
	}
	v.start += n + 1
	if v.quoted == 0 && c.is(v.start, quote) {
		v = c.word(v.start)
	}
	return c.literally(v, allOf, name.kind, i)
}

// piped is about echo 'user:password' | chpasswd, seen from its end.
func (c *scanner) piped(i int) {
	const far = 256
	from := max(i-far, 0)
	line := c.s[from:i]
	bar := strings.LastIndexByte(line, '|')
	if bar < 0 {
		return
	}
	line = strings.TrimRight(line[:bar], " ")
	if n := strings.LastIndexAny(line, ";|&\n"); n >= 0 { // only the command before the bar
		line, from = line[n+1:], from+n+1
	}
	echo := strings.LastIndex(line, "echo ")
	if echo < 0 {
		return
	}
	colon := strings.IndexByte(line[echo:], ':')
	if colon < 0 {
		return
	}
	start, end := from+echo+colon+1, from+len(line)
	for end > start && c.is(end-1, quote|blank) {
		end--
	}
	if start < end && !reference(c.s[start:end], false) {
		c.place(start, end, kindPassword, end)
	}
}

// option is about what begins with a dash. It says where to go on.
func (c *scanner) option(i int) int {
	if i > 0 && !c.is(i-1, blank|line|quote) && strings.IndexByte("([,=", c.s[i-1]) < 0 {
		return i + 1
	}
	end := c.run(i+1, i+1+maxName, word|dash|dot)
	name := c.s[i+1 : end]
	if name == "" {
		return i + 1
	}
	if c.tool != 0 {
		if next := c.ofTool(i, end, name); next > i {
			return next
		}
	}
	if len(name) < 3 || end >= len(c.s) || !c.is(end, blank|quote) && c.s[end] != '\\' {
		return i + 1
	}
	f := found{start: i, at: end - 1, op: '-', strong: true, named: nameOf(name)}
	if f.class == nothing || name[0] != '-' && f.class == header {
		return i + 1
	}
	if c.is(end, quote) { // "--password", "hunter2": an argument vector
		return c.inVector(&f, name, end)
	}
	at, ok := c.following(end)
	if !ok || at == end || c.s[at] == '-' && (f.class != password || !c.is(at+1, digits|upper)) {
		return i + 1
	}
	f.val = c.word(at)
	switch f.class {
	case header, cookie, seed:
		return c.judged(&f, name, at)
	}
	if v := c.s[f.val.start:f.val.end]; f.val.next <= at || !c.secret(&f, name, v) {
		return i + 1
	} else if strings.HasSuffix(name, "creds") || strings.HasSuffix(name, "auth") {
		if n := strings.IndexByte(v, ':'); n >= 0 && f.val.start+n+1 < f.val.end {
			f.val.start += n + 1
			f.kind = kindPassword
		}
	}
	return c.take(&f)
}

// inVector is about argument vectors that are written in a program: the name ends with a quote, a comma follows, and the next string.
func (c *scanner) inVector(f *found, name string, end int) int {
	at := c.run(end+1, end+8, blank)
	if at >= len(c.s) || c.s[at] != ',' {
		return end
	}
	at = c.run(at+1, at+64, blank|line)
	size, q := c.quoteAt(at)
	if size == 0 || q == '`' {
		return end
	}
	f.val = c.quotedAt(at, size, q)
	if next := c.run(f.val.next, f.val.next+8, blank); next < len(c.s) && c.s[next] == ':' { // a member of an object
		return end
	}
	v := c.s[f.val.start:f.val.end]
	if strings.HasPrefix(v, "-") || f.val.open || sentence(v) || !c.secret(f, name, v) || !c.flagValue(f, v) {
		return end
	}
	return c.take(f)
}

// flagValue leaves out the help that programs write behind the names of their own options: flag.String("-password", "", "...").
func (c *scanner) flagValue(f *found, v string) bool {
	return f.class == password || len(v) >= 3
}

// ofTool is about the options that mean something with one program alone. It says where to go on, 0 if this is none of them.
func (c *scanner) ofTool(i, end int, name string) int {
	if c.tool == openssl && strings.HasPrefix(name, "pass") || name[0] == '-' {
		o, ok := shortOptionOf(c.tool, name)
		if !ok {
			return 0
		}
		at := end
		if c.is(end, equals) {
			at = end + 1
		} else if at, ok = c.following(end); !ok || at == end {
			return 0
		}
		return c.literally(c.word(at), o.part, o.kind, end)
	}
	// Of "-sSLu me:x" the last letter takes the value, of "-pVALUE" the first. The letters before must be switches, so they are few.
	for n := 0; n < len(name) && n < 5; n++ {
		o, ok := shortOptionOf(c.tool, name[n:n+1])
		if ok {
			return c.letterOption(o, i, i+2+n, n+1 < len(name))
		}
		if n > 0 && c.tool != curl || !c.is(i+1+n, letter) || takesValue(c.tool, name[n]) {
			return 0
		}
	}
	return 0
}

// letterOption takes the value of an option with one letter, which ends at at. attached says that a name goes on there.
func (c *scanner) letterOption(o shortOption, i, at int, attached bool) int {
	switch {
	case attached && (c.tool == openssl || o.part == cookiePart && at > i+2):
		return 0
	case attached || at < len(c.s) && !c.is(at, blank|line) && c.s[at] != '\\' && (c.open == 0 || c.s[at] != c.open):
		if i > 0 && c.open != 0 && c.s[i-1] == c.open { // '-pa b'
			return c.literally(c.inQuote(at), o.part, o.kind, at)
		}
		return c.literally(c.word(at), o.part, o.kind, at)
	case o.part == attachedOnly:
		return 0
	}
	next, ok := c.following(at)
	if !ok {
		return 0
	}
	return c.literally(c.word(next), o.part, o.kind, at)
}

// takesValue tells whether what follows a letter is its value, and no more letters.
func takesValue(t toolID, b byte) bool {
	return t == curl && strings.IndexByte("AcCdDeFhHKmoPQrtTwxXyYz", b) >= 0
}

// literally takes a word of the command line as a secret, whatever it is, if it does not stand for another. other is returned if it does.
func (c *scanner) literally(v value, p part, kind string, other int) int {
	text := c.s[v.start:v.end]
	cut := 0
	switch p {
	case behindColon:
		cut = strings.IndexByte(text, ':') + 1
	case behindPct:
		cut = strings.IndexByte(text, '%') + 1
	case behindPass:
		if !strings.HasPrefix(text, "pass:") {
			return other
		}
		cut = len("pass:")
	case cookiePart:
		if strings.IndexByte(text, '=') < 1 {
			return other
		}
	}
	if cut == 0 && (p == behindColon || p == behindPct) || cut >= len(text) {
		return other
	}
	if p == behindColon && path(text) { // a certificate, not a user
		return other
	}
	if reference(text[cut:], v.quoted == '\'') || p == cookiePart && reference(text[strings.IndexByte(text, '=')+1:], false) {
		return other
	}
	f := found{named: named{password, kind}, val: value{start: v.start + cut, end: v.end, quoted: v.quoted}}
	if c.take(&f) == f.at+1 {
		return other
	}
	return v.next
}
