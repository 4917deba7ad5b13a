package secret

// class is what a name says about the value that it holds.
type class uint8

const (
	nothing   class = iota
	password        // any value but a placeholder
	secrecy         // any literal value
	token           // any literal value
	key             // any literal value that is no path
	seed            // a seed phrase, or the seed of one-time passwords
	code            // a one-time password
	header          // Authorization: a scheme, then the secret
	cookie          // all of it
	webhook         // the path of a URL
	signature       // of a URL
	perhaps         // a secret if it looks random: a word follows that we do not know
)

// named is a class with the kind that its secrets get.
type named struct {
	class class
	kind  string
}

// vendor makes a kind of names that have a word: what these issue has no form of its own, or none that always holds.
type vendor struct{ word, kind string }

func vendors() []vendor {
	return []vendor{
		{"gitea", "gitea-token"}, {"forgejo", "gitea-token"}, {"github", "github-token"}, {"gitlab", "gitlab-token"}, {"bitbucket", "bitbucket-token"},
		{"cargo", "crates-token"}, {"crates", "crates-token"}, {"nuget", "nuget-key"}, {"heroku", "heroku-key"},
		{"cloudflare", "cloudflare-token"}, {"cf", "cloudflare-token"}, {"dd", "datadog-key"}, {"datadog", "datadog-key"},
		{"paypal", "paypal-secret"}, {"postmark", "postmark-token"}, {"vercel", "vercel-token"}, {"netlify", "netlify-token"}, {"twilio", "twilio-key"},
		{"cohere", "cohere-key"}, {"mistral", "mistral-key"}, {"deepseek", "deepseek-key"}, {"openai", "openai-key"}, {"anthropic", "anthropic-key"},
		{"azure", "azure-secret"}, {"snyk", "snyk-token"}, {"vault", "vault-token"}, {"sentry", "sentry-token"}, {"slack", "slack-token"},
		{"stripe", "stripe-key"}, {"okta", "okta-token"}, {"auth0", "auth0-secret"}, {"algolia", "algolia-key"}, {"fastly", "fastly-token"},
		{"newrelic", "newrelic-key"}, {"mailchimp", "mailchimp-key"}, {"sendgrid", "sendgrid-key"}, {"discord", "discord-token"}, {"telegram", "telegram-token"},
		{"pagerduty", "pagerduty-key"}, {"codecov", "codecov-token"}, {"coveralls", "coveralls-token"}, {"travis", "travis-token"}, {"jenkins", "jenkins-token"},
	}
}

const maxWords = 12

// words are the parts of a name, split where its case or its signs change: "dbPassword2" is db, password, 2.
type words struct {
	name string
	at   [maxWords][2]uint8
	n    int
}

func (w *words) word(i int) string {
	if i < 0 || i >= w.n {
		return ""
	}
	return w.name[w.at[i][0]:w.at[i][1]]
}

// is tells whether a word is one of some in lower case.
func (w *words) is(i int, all ...string) bool {
	word := w.word(i)
	for _, s := range all {
		if equalFold(word, s) {
			return true
		}
	}
	return false
}

// maxName is how long a name may be. A longer one has only its end looked at.
const maxName = 80

func split(name string) (w words) {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	w.name = name
	for i := 0; i < len(name); {
		kind := letterKind(name[i])
		if kind == 0 {
			i++
			continue
		}
		j := i + 1
		for j < len(name) {
			k := letterKind(name[j])
			if k == kind || kind == 'A' && k == 'a' && j == i+1 {
				kind = k
				j++
				continue
			}
			if kind == 'A' && k == 'a' { // APIKey: the last capital begins the next word
				j--
			}
			break
		}
		if w.n == maxWords { // keep the end, which tells most
			copy(w.at[:], w.at[1:])
			w.n--
		}
		w.at[w.n] = [2]uint8{uint8(i), uint8(j)}
		w.n++
		i = j
	}
	return w
}

// letterKind is 'a', 'A' or '1', and 0 for what splits.
func letterKind(b byte) byte {
	switch {
	case b >= 'a' && b <= 'z':
		return 'a'
	case b >= 'A' && b <= 'Z':
		return 'A'
	case b >= '0' && b <= '9':
		return '1'
	}
	return 0
}

func lowered(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// equalFold compares with a text in lower case.
func equalFold(s, low string) bool {
	if len(s) != len(low) {
		return false
	}
	for i := range len(s) {
		if lowered(s[i]) != low[i] {
			return false
		}
	}
	return true
}

func endsFold(s, low string) bool {
	return len(s) >= len(low) && equalFold(s[len(s)-len(low):], low)
}

// nameOf says what a name tells. The last word decides: a password_file is a file. What qualifies the value without changing what it is,
// a number or "prod", is passed over.
func nameOf(name string) named {
	if !mayTell(name) {
		return named{}
	}
	w := split(name)
	end := w.n
	for end > 0 && qualifies(&w, end-1) {
		end--
	}
	if end == 0 {
		end = w.n
	}
	n := w.tell(end)
	if n.class == nothing {
		// A word that we do not know follows: what looks random is a secret all the same, but for what the word says that it is.
		for i := end - 1; i > 0 && n.class == nothing; i-- {
			if describes(&w, i) {
				return named{}
			}
			n = w.tell(i)
		}
		if n.class == nothing || n.class == cookie || n.class == code || n.class == webhook {
			return named{}
		}
		n.class = perhaps
	}
	if negates(&w) {
		return named{}
	}
	switch n.class {
	case secrecy, token, key, perhaps:
		n.kind = w.vendorKind(n.kind)
	}
	return n
}

// mayTell is a quick look for the letters that all telling names have one of: most names are none.
func mayTell(name string) bool {
	for i := 0; i+2 < len(name); i++ {
		switch lowered(name[i]) {
		case 'p': // pass, pwd, psk, phrase, pat
			if c := lowered(name[i+1]); c == 'a' || c == 'w' || c == 's' || c == 'h' {
				return true
			}
		case 's': // secret, seed, sig, session, sid
			if c := lowered(name[i+1]); c == 'e' || c == 'i' {
				return true
			}
		case 't': // token, totp
			if lowered(name[i+1]) == 'o' {
				return true
			}
		case 'k', 'a', 'c', 'j', 'm', 'b', 'o', 'w', 'r': // key, auth, cred, cookie, jwt, mnemonic, bearer, otp, webhook, recovery
			switch a, b := lowered(name[i+1]), lowered(name[i+2]); string([]byte{lowered(name[i]), a, b}) {
			case "key", "aut", "cre", "coo", "jwt", "mne", "bea", "otp", "web", "cod", "mfa":
				return true
			}
		}
	}
	return len(name) == 2 && equalFold(name, "pw")
}

// tell says what the words before end tell.
func (w *words) tell(end int) named {
	last := end - 1
	switch {
	case w.is(last, "password", "passwd", "passphrase", "passwort", "pwd", "pw", "passcode", "psk", "passwords"):
		if w.n == 1 && (w.name == "PWD" || w.name == "pwd") {
			return named{perhaps, kindPassword} // the folder of the shell; in "Pwd=" of a connection string it is a password
		}
		return named{password, kindPassword}
	case w.is(last, "pass"):
		if w.n > 1 || w.name == "PASS" {
			return named{password, kindPassword}
		}
		return named{secrecy, kindPassword}
	case endsFold(w.word(last), "password"), endsFold(w.word(last), "passwd"), endsFold(w.word(last), "passphrase"),
		w.is(last, "storepass", "keypass", "dbpass", "userpass", "adminpass", "rootpass", "requirepass", "masterauth"):
		return named{password, kindPassword}
	case w.is(last, "phrase", "mnemonic") && (w.is(last, "mnemonic") || w.is(last-1, "seed", "recovery", "wallet", "mnemonic", "backup")):
		return named{seed, kindSeedPhrase}
	case w.is(last, "phrase") && w.is(last-1, "pass"):
		return named{password, kindPassword}
	case w.is(last, "word") && w.is(last-1, "pass"):
		return named{password, kindPassword}
	case w.is(last, "seed", "secret", "key") && w.is(last-1, "totp", "otp", "mfa", "2fa", "fa", "authenticator"), w.is(last, "seed") && w.is(last-1, "wallet"):
		return named{seed, kindOTPSeed}
	case w.is(last, "seed"):
		return named{seed, kindSeedPhrase}
	case w.is(last, "otp", "totp", "passcode"):
		return named{code, kindOTPCode}
	case w.is(last, "authorization"):
		return named{header, kindAuthorize}
	case w.is(last, "cookie", "cookies"):
		return named{cookie, kindCookie}
	case w.is(last, "signature", "sig"):
		return named{signature, kindSignature}
	case w.is(last, "webhook"), w.is(last, "url") && w.is(last-1, "webhook", "hook"):
		return named{webhook, kindWebhook}
	}
	return w.tellKey(last)
}

// tellKey is about secrets, tokens and keys.
func (w *words) tellKey(last int) named {
	switch {
	case w.is(last, "secret", "clientsecret", "appsecret", "sharedsecret"):
		return named{secrecy, kindSecret}
	case w.is(last, "secrets"):
		return named{perhaps, kindSecret}
	case w.is(last, "base") && w.is(last-1, "key") && w.is(last-2, "secret"):
		return named{key, kindAPIKey} // SECRET_KEY_BASE
	case w.is(last, "token", "authtoken", "accesstoken", "apitoken", "refreshtoken", "jwt", "bearer"), w.is(last, "pat") && last > 0:
		switch {
		case w.is(last-1, "next", "page", "continuation", "pagination", "sync", "cancel", "cancellation", "start", "stop", "pad", "eos", "bos", "unk"):
			return named{}
		case w.is(last-1, "session") && w.is(last-2, "aws") || w.is(last-1, "security"):
			return named{token, kindAWSSession}
		}
		return named{token, kindToken}
	case w.is(last, "apikey", "secretkey", "accesskey", "authkey", "appkey", "apisecret", "secretaccesskey"):
		return named{key, kindAPIKey}
	case w.is(last, "privatekey"):
		return named{key, kindPrivateKey}
	case w.is(last, "accountkey", "sharedaccesskey"):
		return named{key, kindAzureStorage}
	case w.is(last, "data") && w.is(last-1, "key") && w.is(last-2, "client", "private"):
		return named{key, kindPrivateKey} // of a kubeconfig
	case w.is(last, "key"):
		return w.tellKeyOf(last - 1)
	case w.is(last, "credential", "credentials", "cred", "creds", "auth"):
		return named{secrecy, kindCredential}
	}
	return named{}
}

// tellKeyOf is about the word before "key".
func (w *words) tellKeyOf(i int) named {
	switch {
	case w.is(i, "access") && w.is(i-1, "secret"), w.is(i, "secret") && w.is(i-1, "aws"):
		return named{key, kindAWSSecret}
	case w.is(i, "private"):
		return named{key, kindPrivateKey}
	case w.is(i, "account", "storage"), w.is(i, "access") && w.is(i-1, "shared"):
		return named{key, kindAzureStorage}
	case w.is(i, "api", "secret", "access", "auth", "app", "application", "encryption", "encrypt", "signing", "sign", "master", "client", "consumer",
		"subscription", "license", "licence", "admin", "integration", "ingest", "deploy", "service", "shared", "hmac", "aes", "cipher", "crypto", "webhook",
		"jwt", "session", "write", "preshared", "recaptcha"):
		return named{key, kindAPIKey}
	}
	return named{}
}

// qualifies tells whether a word leaves the value what the words before say that it is.
func qualifies(w *words, i int) bool {
	if letterKind(w.word(i)[0]) == '1' {
		return true
	}
	return w.is(i, "prod", "production", "dev", "development", "test", "testing", "staging", "stage", "live", "sandbox", "local", "old", "new", "current",
		"previous", "backup", "value", "base64", "b64", "plain", "plaintext", "text", "confirm", "confirmation", "again", "default", "override", "override",
		"str", "string", "env", "v", "ci", "ro", "rw", "primary", "secondary", "readonly", "admin", "root")
}

// describes tells whether a word makes of the name of a secret that of something about it.
func describes(w *words, i int) bool {
	return w.is(i, "file", "files", "path", "paths", "dir", "directory", "folder", "filename", "url", "uri", "endpoint", "host", "name", "names", "id", "ids", "type", "kind",
		"len", "length", "size", "count", "limit", "max", "min", "ttl", "expiry", "expires", "expiration", "at", "in", "seconds", "ms", "policy", "rule", "rules",
		"field", "label", "prompt", "hint", "placeholder", "message", "error", "errors", "prefix", "suffix", "ref", "arn", "version", "format", "required",
		"enabled", "disabled", "manager", "provider", "store", "helper", "stdin", "command", "cmd", "program", "source", "mode", "method", "scheme", "algorithm", "alg",
		"input", "reset", "strength", "regex", "pattern", "header", "var", "variable", "index", "usage", "scope", "scopes", "user", "username", "issuer", "audience", "public", "pub",
		"server", "plugin", "class", "handler", "service", "module", "domain", "realm", "status", "state", "level", "level", "group", "role", "sock", "socket", "port", "timeout", "retries", "cache", "age")
}

// negates tells whether the name is that of a switch, or of a public key.
func negates(w *words) bool {
	if w.is(0, "no", "skip", "disable", "enable", "require", "requires", "needs", "has", "is", "show", "hide", "toggle", "forgot", "validate", "check", "use", "allow", "without", "with",
		"max", "min", "num", "ask", "prompt", "forget") && w.n > 1 {
		return true
	}
	for i := range w.n {
		if w.is(i, "public", "pub", "pubkey", "publishable", "anon") {
			return true
		}
	}
	return false
}

func (w *words) vendorKind(kind string) string {
	if kind == kindAWSSecret || kind == kindAWSSession || kind == kindAzureStorage || kind == kindPrivateKey {
		return kind
	}
	for i := range w.n {
		if v := vendorOf(w.word(i)); v != "" {
			return v
		}
	}
	return kind
}

func vendorOf(word string) string {
	if len(word) < 2 || len(word) > 12 {
		return ""
	}
	for _, v := range tables().vendors {
		if equalFold(word, v.word) {
			return v.kind
		}
	}
	return ""
}
