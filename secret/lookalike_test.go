package secret

import "testing"

// What looks like a secret and is none stays readable: an approval that hides what it is about is worth less.
func TestLookAlikes(t *testing.T) {
	for _, text := range []string{
		// Digests, identifiers, public keys.
		"git checkout 9fceb02d0ae598e95dc970b74767f19372d61af8",
		"git show 9fceb02:README.md",
		"commit {h40}",
		"id: 123e4567-e89b-12d3-a456-426614174000",
		"docker pull nginx@sha256:{h64}",
		`"integrity": "sha512-{b86}=="`,
		"golang.org/x/mod v0.43.0 h1:{b43}=",
		"sha256sum -c <<< '{h64}  go.tar.gz'",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} me@example.com",
		"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{b300} me@example.com",
		"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA{b43}=\n-----END PUBLIC KEY-----\n",
		"-----BEGIN CERTIFICATE-----\nMIIB{b60}\n{b64}\n-----END CERTIFICATE-----\n",
		"age1{l58}",
		"pk_live_{a24}", "pk_test_{a24}",
		"public_key={b44}", "PUBLIC_KEY: {h64}", "--public-key {h64}", "NEXT_PUBLIC_STRIPE_PUBLISHABLE_KEY=pk_live_{a24}",
		"SSH_PUBLIC_KEY='ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43}'",
		"pk.eyJ1{a30}.{u22}", "mapbox: pk.eyJ1{a30}.{u22}",
		"uid=1000(me) gid=1000(me)",
		"color: #a1b2c3", "#deadbeef", "background=ff00ff",
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",

		// Placeholders and references: the secret stands elsewhere.
		"curl -H 'Authorization: Bearer $TOKEN' https://api.example.com",
		`curl -H "Authorization: Bearer ${GITHUB_TOKEN}" https://api.github.com`,
		`curl -H "Authorization: Bearer $(gh auth token)" https://api.github.com`,
		"curl -H 'Authorization: Bearer <your-token>' https://api.example.com",
		"curl -H 'Authorization: Bearer YOUR_API_KEY' https://api.example.com",
		"curl -u \"$USER:$PASS\" https://example.com", "curl -u me https://example.com", "curl -u me: https://example.com",
		"git clone https://$USER:$TOKEN@example.com/x.git", "git clone https://x-access-token:${TOKEN}@github.com/a/b",
		"git clone https://me@example.com/x.git", "git clone ssh://git@github.com/a/b", "https://user:password123",
		"PASSWORD=$PASSWORD run", "PASSWORD=${SECRET} run", `PASSWORD="$(cat f)" run`, "PASSWORD=`pass show x` run",
		"export TOKEN=", "TOKEN= run", "PASSWORD='' run", `PASSWORD="" run`, "unset PASSWORD", "read -s PASSWORD", "echo $PASSWORD",
		"api_key=<api-key>", "api_key: YOUR_API_KEY", "api_key=xxxxxxxxxxxxxxxx", "token=XXXX", "token: ****", "password=********",
		"password: ${{ secrets.DB_PASSWORD }}", "password: {{ db_password }}", "password=%s", "password=%(password)s", "pwd=%PASSWORD%",
		"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ghp_your_token_here_0123456789abcdef", "ghp_...", "glpat-xxxxxxxxxxxxxxxxxxxx", "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"sk-ant-...", "sk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxxx", "xoxb-your-token-here", "AKIAXXXXXXXXXXXXXXXX", "OPENAI_API_KEY=sk-...",
		"password=[REDACTED]", `"password": null`, `"password": "",`, "password: null", "password: ~", "token: none", "secret: true",
		"api_key=os.environ['API_KEY']", `api_key = os.getenv("API_KEY")`, "password = getpass.getpass()", "token: process.env.TOKEN,",
		"apiKey: process.env.API_KEY", "password := flag.String(\"password\", \"\", \"the password\")", "token=op://vault/item/field",
		"DB_PASSWORD=file:///run/secrets/db", "--from-file=password=./password.txt",

		// Options and names that only sound like it.
		"docker login --username me --password-stdin", "gh auth login --with-token < f", "tool --token-file path/to/f", "--password-file=/run/x",
		"PASSWORD_FILE=/run/secrets/x", "POSTGRES_PASSWORD_FILE=/run/secrets/pg", "docker run -p 8080:80 nginx", "ssh -p 2222 host", "mkdir -p a/b",
		"mysql -p mydb", "mysql -u root -p", "tar -xpf a.tar", "cp -p a b", "ps -p 1", "python -u run.py", "sort -u a", "docker run -u 1000:1000 alpine",
		"sort --key=2", "sort -t: --key 2", "pip install scikit-learn sk-learn", "npm i sk-video-skeleton-loading-component-for-react",
		"a.b.c.d", "eyJhbGciOi.test.spec.ts", "jquery.min.js.map", "lodash@4.17.21", "eyJ.eyJ.x",
		"author: x", "author=me", "tokenizer=fast", "secretary", "secretary: Anna", "keyboard=us", "max_tokens=4096", `{"max_tokens": 4096, "tokens": 12}`,
		"total_tokens: 123456789", "keyword: x1y2z3w4", "monkey=1", "cache-key: ${{ hashFiles('x') }}", "primary_key=True", "foreign_key: user_id", "sort_key=name1",
		"authority=example.com", "authorize=always", "passive=1", "bypass=1", "compass=north1", "pass: 10, fail: 2", "PWD=/home/me", "OLDPWD=/tmp cd -",
		"npm run pass -- 3", "--no-password", "--no-auth https://example.com/x", "token_type=bearer", "token_url=https://example.com/token",
		"grant_type=password", "secret_name=db", "--secret-id prod/db", "aws secretsmanager get-secret-value --secret-id prod/db", "secretKeyRef: {name: db, key: password}",
		"key=value", "key: value", "KEY_ID=abc123def456", "next_token=abc", "pageToken=CAUQAA", "password_min_length=12", "PASSWORD_POLICY=strict8", "auth_type=oauth2",
		"secrets: inherit", "password: string;", "password: str", "password?: string", "Password string `json:\"password\"`", "token Token", "type Token struct{",
		"if (token == 'x') {}", "token != null", "x.token = y.token;", "return token;", "password => true", "const token = await getToken();", "let apiKey;",
		"docker build --secret id=npm,src=.npmrc .", "curl -b cookies.txt -c cookies.txt https://example.com", "kubectl get secret", "kubectl create secret generic x --from-file=a.txt",
		"session_id=3f2b8c1e-0d4a-4b8a-9d0e-2f6a1c7b5e90", "csrf: true", "gpg --armor --export me@example.com", "ssh-keygen -t ed25519 -f key -N ''",

		// Prose.
		"Never write your password into a file.", "The password: it must have 12 characters.", "password must be at least 8 characters",
		"Forgot your password? Reset the token.", "Enter password: ", "a secret is a value that nobody else knows", "fix: the token, which was wrong, is right",
		"The basic auth header is sent", "Bearer tokens are sent in the Authorization header", "Authorization: see below",
		"git commit -m 'auth: check the password before the token'", "docs(token): explain", "see https://example.com/a:b@c",
		"mail me@example.com: password reset", "it's the user's token, isn't it", "12:34:56 INFO token refreshed", "http://localhost:8080/@me", "http://[::1]:80/",
		"s3://bucket/key", "C:\\Users\\me\\secret", "user:group@host",
	} {
		check(t, "", text)
	}
}
