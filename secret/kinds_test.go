package secret

import (
	"strings"
	"testing"
)

// Each kind that a token shows by its own form.
func TestTokens(t *testing.T) {
	for _, text := range []string{
		"«aws-access-key-id|AKIA{A16}»", "id «aws-access-key-id|ASIA{A16}», secret",
		"«github-token|ghp_{a36}»", "«github-token|gho_{a36}»", "«github-token|ghu_{a36}»", "«github-token|ghs_{a36}»", "«github-token|ghr_{a36}»",
		"«github-token|github_pat_{a22}_{a59}»", "x«github-token|ghp_{a36}»",
		"«gitlab-token|glpat-{u20}»", "«gitlab-token|gldt-{u20}»", "«gitlab-token|glrt-{u20}»", "«gitlab-token|glcbt-{u20}»", "«gitlab-token|glptt-{h40}»",
		"«bitbucket-token|ATBB{a32}»", "«bitbucket-token|ATCTT3xFf{u180}»", "«atlassian-token|ATATT3xFf{u180}»",
		"«npm-token|npm_{a36}»", "«pypi-token|pypi-AgEIcHlwaS5vcmc{u90}»", "«rubygems-token|rubygems_{h48}»", "«docker-token|dckr_pat_{u27}»", "«docker-token|dckr_oat_{u32}»",
		"cargo login «crates-token|cio{a32}»", "«nuget-key|oy2{l43}»", "«clojars-token|CLOJARS_{h60}»",
		"«openai-key|sk-proj-{u74}»", "«openai-key|sk-{a20}T3BlbkFJ{a20}»", "«openai-key|sk-svcacct-{u74}»", "«openai-key|sk-{h32}»",
		"«anthropic-key|sk-ant-api03-{u93}AA»", "«anthropic-key|sk-ant-oat01-{u93}AA»", "«openrouter-key|sk-or-v1-{h64}»",
		"«huggingface-token|hf_{a34}»", "«google-api-key|AIza{u35}»", "«groq-key|gsk_{a52}»", "«xai-key|xai-{a80}»", "«replicate-token|r8_{a37}»", "«perplexity-key|pplx-{a48}»",
		"«nvidia-key|nvapi-{u64}»", "«cerebras-key|csk-{l48}»", "«langsmith-key|lsv2_pt_{h32}_{h10}»", "«tavily-key|tvly-{a32}»", "«pinecone-key|pcsk_{a60}»", "«together-key|tgp_v1_{u43}»",
		"«google-oauth|GOCSPX-{u28}»", "«google-oauth|ya29.{u120}»",
		"«slack-token|xoxb-{d11}-{d11}-{a24}»", "«slack-token|xoxp-{d11}-{d11}-{h32}»", "«slack-token|xapp-1-A{A10}-{d13}-{h64}»", "«slack-token|xoxe.xoxp-1-{a60}»",
		"curl -d x https://hooks.slack.com/services/«slack-webhook|T{A8}/B{A8}/{a24}»",
		"https://discord.com/api/webhooks/«discord-webhook|{d18}/{u68}»", "«discord-token|M{a23}.{u6}.{u38}»",
		"«telegram-token|{d10}:AA{u33}»", "https://api.telegram.org/bot«telegram-token|{d10}:AA{u33}»/getMe",
		"https://x.webhook.office.com/webhookb2/«teams-webhook|{h8}-{h4}@{h8}/IncomingWebhook/{h32}»",
		"«stripe-key|sk_live_{a24}»", "«stripe-key|sk_test_{a24}»", "«stripe-key|rk_live_{a24}»", "«stripe-key|whsec_{a32}»",
		"«square-token|sq0csp-{u43}»", "«square-token|EAAA{u60}»", "«shopify-token|shpat_{h32}»", "«shopify-token|shpss_{h32}»", "«braintree-token|access_token$production${l16}${h32}»",
		"«sendgrid-key|SG.{u22}.{u43}»", "«mailgun-key|key-{h32}»", "«mailchimp-key|{h32}-us12»", "«resend-key|re_{a8}_{a24}»", "«brevo-key|xkeysib-{h64}-{a16}»",
		"«twilio-key|SK{h32}»",
		"«digitalocean-token|dop_v1_{h64}»", "«heroku-key|HRKU-{u60}»", "«fly-token|fm2_{b120}»", "«fly-token|fo1_{u43}»", "«netlify-token|nfp_{a36}»", "«vercel-token|vcp_{a56}»",
		"«databricks-token|dapi{h32}»", "«databricks-token|dapi{h32}-2»", "«vault-token|hvs.{u90}»", "«vault-token|hvb.{u130}»", "«doppler-token|dp.pt.{a43}»", "«doppler-token|dp.st.dev.{a43}»",
		"«pulumi-token|pul-{h40}»", "«terraform-token|{a14}.atlasv1.{u64}»", "«grafana-token|glsa_{a32}_{h8}»", "«grafana-token|glc_{b60}»",
		"«newrelic-key|NRAK-{A27}»", "«newrelic-key|{h36}NRAL»", "«sentry-token|sntrys_{b90}»", "«sentry-token|sntryu_{h64}»", "«planetscale-token|pscale_tkn_{u43}»", "«planetscale-token|pscale_pw_{u43}»",
		"«supabase-key|sbp_{h40}»", "«supabase-key|sb_secret_{u31}»", "«linear-key|lin_api_{a40}»", "«notion-token|ntn_{a46}»", "«notion-token|secret_{a43}»", "«figma-token|figd_{u40}»",
		"«airtable-token|pat{a14}.{h64}»", "«circleci-token|CCIPAT_{a22}_{h40}»", "«buildkite-token|bkua_{h40}»", "«postman-key|PMAK-{h24}-{h34}»",
		"«dynatrace-token|dt0c01.{A24}.{A64}»", "«sonar-token|sqp_{h40}»", "«tailscale-key|tskey-auth-{a17}-{a32}»", "«posthog-key|phx_{a43}»", "«launchdarkly-key|sdk-{h8}-{h4}-{h4}-{h4}-{h12}»",
		"«dropbox-token|sl.{u140}»", "«easypost-key|EZAK{a54}»", "«shippo-token|shippo_live_{h40}»", "«contentful-token|CFPAT-{u43}»", "«prefect-key|pnu_{a36}»", "«readme-key|rdme_{l70}»",
		"«onepassword-token|ops_eyJ{b300}»", "«mapbox-token|sk.eyJ1{a60}.{u22}»", "«alibaba-key|LTAI{a20}»", "«azure-secret|{a3}8Q~{u34}»", "«facebook-token|EAACEdEose0cBA{a80}»",
		"«bedrock-key|ABSK{b120}»", "«e2b-key|e2b_{h40}»", "«cloudflare-token|v1.0-{h24}-{h146}»",
		"«sourcegraph-token|sgp_{h40}»", "«openshift-token|sha256~{u43}»", "«plaid-token|access-sandbox-{h8}-{h4}-{h4}-{h4}-{h12}»", "«octopus-key|API-{A26}»", "«vault-token|s.{a24}»", "«infracost-key|ico-{a32}»", "«adobe-secret|p8e-{a32}»", "«flutterwave-key|FLWSECK_TEST-{h32}-X»",
		"«jfrog-key|AKCp{a69}»", "«yandex-key|AQVN{u36}»", "«stripe-key|sk_prod_{a24}»", "«fly-token|fm1a_{b100}»", "«slack-token|xoxo-{d11}-{d11}-{d11}-{h32}»", "«grafana-token|eyJrIjoi{a90}»", "«duffel-token|duffel_live_{u43}»",
		"«age-key|AGE-SECRET-KEY-1{A58}»",
		"«jwt|eyJ{a33}.eyJ{a80}.{u43}»", "token=«jwt|eyJ{a33}.eyJ{a80}.{u43}»",
		"«private-key|-----BEGIN OPENSSH PRIVATE KEY-----\n{b70}\n{b20}\n-----END OPENSSH PRIVATE KEY-----»\n",
		"cat > k <<E\n«private-key|-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{h32}\n\n{b64}\n{b30}==\n-----END RSA PRIVATE KEY-----»\nE\n",
		`"private_key": "«private-key|-----BEGIN PRIVATE KEY-----\nMII{b60}\n{b30}=\n-----END PRIVATE KEY-----\n»"`,
		"«private-key|-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{b64}\n={b4}\n-----END PGP PRIVATE KEY BLOCK-----»", "«private-key|-----BEGIN EC PRIVATE KEY-----\n{b64}\n{b4}»",
		"echo «private-key|MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{b300}» > k", "«private-key|b3BlbnNzaC1rZXktdjE{b200}»",
		"PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n«private-key|{b43}=»\nPrivate-MAC: {h64}\n",
	} {
		check(t, "", text)
	}
}

// Each place that says that a secret stands there.
func TestPlaces(t *testing.T) {
	for _, text := range []string{
		// Assignments of the shell and of env files.
		"PASSWORD=«password|hunter2» run", "export PASSWORD=«password|hunter2»", `export PASSWORD="«password|hunter 2»"; run`, "PASSWORD='«password|a \"b»' run",
		"PGPASSWORD=«password|x» psql", "MYSQL_PWD=«password|xy» mysql", "DB_PASS=«password|hunter2»", "env DB_PASSWORD_PROD=«password|hunter2» run",
		"docker run -e POSTGRES_PASSWORD=«password|postgres» postgres", "docker run -e 'POSTGRES_PASSWORD=«password|p g;x&y»' postgres", "PASSWORD=«password|changeme»", "PASSWORD=«password|password»",
		"API_KEY=«api-key|{a20}»", "export APIKEY=«api-key|abc»", "SECRET=«secret|abc»", "CLIENT_SECRET=«secret|abc-def»", "TOKEN=«token|abc»", "AUTH_TOKEN=«token|abc»", "$env:API_TOKEN = \"«token|abc»\"",
		"SECRET_KEY_BASE=«api-key|{h128}»", "ENCRYPTION_KEY=«api-key|{b43}=»", "GH_PAT=«token|{a20}»", "set PASSWORD=«password|hunter2»", "PASSWORD=«password|a'b c'\"d\"» run",
		"AWS_SECRET_ACCESS_KEY=«aws-secret-key|{b40}»", "aws_secret_access_key = «aws-secret-key|{b40}»\n", "aws configure set aws_secret_access_key «aws-secret-key|{b40}»", "AWS_SESSION_TOKEN=«aws-session-token|{b300}»",
		"GITEA_TOKEN=«gitea-token|{h40}»", "CARGO_REGISTRY_TOKEN=«crates-token|{a30}»", "NUGET_API_KEY=«nuget-key|{a20}»", "HEROKU_API_KEY=«heroku-key|{h8}-{h4}-{h4}-{h4}-{h12}»",
		"CLOUDFLARE_API_TOKEN=«cloudflare-token|{u40}»", "CF_API_KEY=«cloudflare-token|{h37}»", "DD_API_KEY=«datadog-key|{h32}»", "DATADOG_APP_KEY=«datadog-key|{h40}»", "PAYPAL_CLIENT_SECRET=«paypal-secret|{u80}»",
		"POSTMARK_API_TOKEN=«postmark-token|{h8}-{h4}-{h4}-{h4}-{h12}»", "VERCEL_TOKEN=«vercel-token|{a24}»", "TWILIO_AUTH_TOKEN=«twilio-key|{h32}»", "COHERE_API_KEY=«cohere-key|{a40}»", "MISTRAL_API_KEY=«mistral-key|{a32}»",
		"AZURE_CLIENT_SECRET=«azure-secret|{u34}»", "SNYK_TOKEN=«snyk-token|{h8}-{h4}-{h4}-{h4}-{h12}»",
		"DefaultEndpointsProtocol=https;AccountName=x;AccountKey=«azure-storage-key|{b86}==»;EndpointSuffix=core.windows.net", "Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=«azure-storage-key|{b43}=»",
		"https://x.blob.core.windows.net/c/b?sv=2022-11-02&se=2026-01-01&sr=b&sp=r&sig=«url-signature|{a40}%3D»", "https://b.s3.amazonaws.com/k?X-Amz-Date=x&X-Amz-Signature=«url-signature|{h64}»",
		"MNEMONIC='«seed-phrase|legal winner thank year wave sausage worth useful legal winner thank yellow»'", "seed phrase: «seed-phrase|legal winner thank year wave sausage worth useful legal winner thank yellow»\n",
		"otpauth://totp/x?secret=«otp-seed|{A32}»&issuer=y", "TOTP_SECRET=«otp-seed|{A16}»", "npm publish --otp «otp-code|123456»", "NPM_CONFIG_OTP=«otp-code|123456»",

		// Options of commands.
		"tool --password «password|hunter2» x", "tool --password=«password|hunter2» x", "tool --password='«password|a b»'", "tool --password \"«password|a b»\"", "tool --token «token|abc»", "tool --api-key=«api-key|abc»",
		"tool --client-secret «secret|abc» --x", "tool -password «password|x»", "tool --db-password \\\n  «password|hunter2»", "keytool -storepass «password|changeit» -list", "java -Djavax.net.ssl.keyStorePassword=«password|changeit» -jar x",
		"mysql -uroot -p«password|hunter2» db", "mysqldump -u root '-p«password|x y»' db", "mysql --password=«password|x» db", "/usr/bin/mysql -p«password|x»", "docker exec db mysql -uroot -p«password|x»",
		"curl -u me:«password|hunter2» https://x", "curl -ume:«password|hunter2» https://x", "curl --user 'me:«password|a b»' https://x", "curl --proxy-user me:«password|x» y", "curl -sSLu me:«password|x» y", "curl -b '«cookie|sid=abc»' y",
		"sshpass -p «password|hunter2» ssh me@h", "sshpass -p«password|hunter2» ssh me@h", "redis-cli -h h -a «password|x» ping", "mongosh -u me -p «password|x» db", "sqlcmd -S h -U sa -P «password|x»", "ldapsearch -D cn=x -w «password|x»",
		"docker login -u me -p «password|x» reg", "helm registry login reg -u me -p «password|x»", "az login --service-principal -u x -p «password|y» --tenant z", "openssl enc -aes-256-cbc -pass pass:«password|x» -in a", "openssl rsa -passin pass:«password|x»",
		"openssl enc -k «password|x» -in a", "zip -P «password|x» a.zip b", "unzip -P «password|x» a.zip", "7z x -p«password|x» a.7z", "gpg --batch --passphrase «password|x» -c a", "skopeo copy --src-creds me:«password|x» a b", "smbclient //h/s -U me%«password|x»",
		"kubectl create secret generic x --from-literal=password=«password|y»", "kubectl create secret generic x --from-literal=foo=«secret|y»", "gh secret set NAME --body «secret|abc»", "gh secret set NAME -b\"«secret|abc»\"", "vault login «vault-token|s.{a24}»",
		"htpasswd -b f me «password|x»", "vault kv put secret/x password=«password|y»", "twine upload -u __token__ -p «password|x» dist/*", "npm config set //npm.example.com/:_authToken «token|abc»", "npm config set _auth=«credential|bWU6eA==»",
		"//npm.example.com/:_authToken=«token|{a30}»", "echo 'root:«password|hunter2»' | chpasswd", "mc alias set x https://h ACCESS «secret|abcdefgh12»", "machine example.com login me password «password|hunter2»",
		"wget --http-password=«password|x» u", "xfreerdp /u:me /p:«password|x» /v:h", "ansible-playbook -e ansible_password=«password|x» p.yml", "nmcli dev wifi connect home password «password|hunter22»", "cargo login «token|abcdef0123»",
		"psql -c \"ALTER USER me WITH PASSWORD '«password|x y»'\"", "mysql -e \"CREATE USER me IDENTIFIED BY '«password|x»'\"", "rclone config create x sftp pass=«password|y»", "mount -o username=me,password=«password|x»,rw //h/s /m",

		// URLs and connection strings.
		"git clone https://me:«url-password|hunter2»@example.com/x.git", "git clone https://«github-token|ghp_{a36}»@github.com/x", "git clone https://x-access-token:«github-token|ghs_{a36}»@github.com/x", "git clone https://oauth2:«gitlab-token|glpat-{u20}»@gitlab.com/x",
		"DATABASE_URL=postgres://me:«url-password|p%40ss»@db:5432/x", "psql postgresql://me:«url-password|a:b»@h/x", "mongodb+srv://me:«url-password|x»@h/", "redis://:«url-password|x»@h:6379/0", "amqp://guest:«url-password|guest»@h", "https://user:«url-password|p@ss»@h/x",
		"curl 'https://x/y?api_key=«api-key|abc»&b=c'", "curl https://x/?token=«token|abc»", "https://x/#access_token=«token|abc»&x=y", "https://maps.googleapis.com/x?key=«google-api-key|AIza{u35}»", "https://x/y?key=«api-key|{a24}»",
		"Server=h;User Id=sa;Password=«password|x!y»;Encrypt=true", "jdbc:mysql://h/x?user=me&password=«password|y»", "psql 'host=h user=me password=«password|x» dbname=y'", "Data Source=h;Pwd=«password|abc»", "sqlserver://h;user=sa;password=«password|x»",
		"curl -d 'grant_type=password&username=me&password=«password|x»&scope=y' u", "curl -d password=«password|x» u", "curl -F token=«token|abc» u",

		// Headers.
		"curl -H 'Authorization: Bearer «bearer-token|abc»' u", "curl -H \"Authorization: Basic «basic-auth|bWU6aHVudGVyMg==»\" u", "curl -H 'authorization: token «bearer-token|abc»' u", "Authorization: Bearer «bearer-token|{u40}»\r\nHost: x", "Authorization: «authorization|abc123»\n",
		"Proxy-Authorization: Basic «basic-auth|bWU6eA==»\n", "Authorization: Digest «authorization|username=\"me\", response=\"{h32}\"»\n", "Authorization: AWS4-HMAC-SHA256 «authorization|Credential=x, Signature={h64}»\n", "Authorization: Bearer «jwt|eyJ{a33}.eyJ{a80}.{u43}»",
		"curl -H 'X-Api-Key: «api-key|abc»' u", "curl -H 'X-Auth-Token: «token|abc»' u", "curl -H X-API-Key:«api-key|abc» u", "PRIVATE-TOKEN: «token|abc»\n", "curl -H 'Cookie: «cookie|sid=abc; x=y»' u", "Set-Cookie: «cookie|sid=abc; Path=/; HttpOnly»\r\nX: y", "X-Vault-Token: «vault-token|abc»",
		"http GET u Authorization:'Bearer «bearer-token|abc»'", "Authorization: Basic '«basic-auth|bWU6eA==»'", "git -c http.extraHeader='Authorization: Basic «basic-auth|bWU6eA==»' fetch", "say Bearer «bearer-token|{a40}» to it", "Ocp-Apim-Subscription-Key: «api-key|{h32}»",

		// Configuration.
		"password: «password|hunter2»\n", "  password: \"«password|hunter 2»\"", "password = «password|hunter2»\n", "password = '«password|x y»'", "db:\n  user: me\n  password: «password|letmein»\n", "[db]\npassword=«password|x»\n", "api_key: «api-key|{a24}»",
		`{"password":"«password|hunter2»"}`, `{"user": "me", "apiKey": "«api-key|abc»", "n": 1}`, `{'token': '«token|abc»'}`, `"client_secret" => "«secret|abc»"`, `config["password"] = "«password|x»"`, "curl -d '{\"password\": \"«password|a b»\"}' u",
		`curl -d "{\"password\":\"«password|hunter2»\"}" u`, "<password>«password|x»</password>", "password := \"«password|hunter2»\"", "const apiKey = '«api-key|{a24}»';", "Secret key: «api-key|{a24}»\n", "client-key-data: «private-key|LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ{b60}»",
		"PrivateKey = «private-key|{b43}=»\n", `"auth": "«credential|bWU6aHVudGVyMg==»"`, "requirepass «password|hunter2»\n", "- name: DB_PASSWORD\n  value: «password|hunter2»\n",
		`<add key="ClearTextPassword" value="«password|hunter2»" />`, `[{"name":"API_TOKEN","value":"«token|abc»"},{"name":"HOME","value":"/x"}]`, "name = \"DB_PASSWORD\"\n value = \"«password|hunter2»\"", "- name: LANG\n  value: C\n",
		"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ntype: Opaque\ndata:\n  user: «secret|bWU=»\n  password: «password|aHVudGVyMg==»\nimmutable: true\n---\nkind: ConfigMap\ndata:\n  user: bWU=\n",
		"kind: Secret\nstringData:\n  config: «secret|abc»\n",
	} {
		check(t, "", text)
	}
}

// The same secrets, cut by what a shell, JSON or a URL takes out again.
func TestSplit(t *testing.T) {
	for _, text := range []string{
		`echo '«github-token|ghp_'"{a36}»"`, "echo «github-token|ghp_{a10}\\\n{a26}»", `echo $'«github-token|ghp\x5f{a36}»'`, `echo $'«github-token|\x67hp_{a36}»'`, `echo «github-token|g\h\p_{a36}»`, `echo «github-token|gh""p_{a20}''{a16}»`,
		`printf '«github-token|\147hp_{a36}»'`, `{"x":"«github-token|\u0067hp_{a36}»"}`, "curl 'https://x/?q=«github-token|%67hp_{a36}»'", "curl https://x/?next=%2F%3Ftoken%3D«token|abcdef12»", `tool --pass''word «password|hunter2»`, `PASS"WORD=«password|hunter2»"`,
		`echo «anthropic-key|sk-ant-api03-{u40}'{u53}AA»'`, "PASSWORD=«password|hun'ter'2» x",
	} {
		check(t, "", text)
	}
}

// Wrapped in base64, once or twice: the whole run is the secret.
func TestWrapped(t *testing.T) {
	token := fill("ghp_{a36}")
	for _, text := range []string{
		token, "x " + token, "xy " + token, "GITHUB_TOKEN=" + token + "\nA=b\n", wrap(token),
	} {
		in := wrap(text)
		for _, around := range []string{"%", "echo % | base64 -d", "{\"a\":\"%\"}", "data:text/plain;base64,%"} {
			check(t, "", strings.ReplaceAll(around, "%", "«github-token|"+in+"»"))
		}
	}
	check(t, "", "echo «password|"+wrap("export PASSWORD=hunter2 # and so on")+"» | base64 -d | sh")
	check(t, "", "echo "+wrap("nothing here that anybody should not see")+" | base64 -d")
}

// The name that holds a text says what it is.
func TestNames(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"password", "«password|hunter2»"}, {"password", "«password|correct horse battery staple»"}, {"password", "$PASSWORD"}, {"password", ""}, {"DB_PASSWORD", "«password|12345678»"},
		{"Authorization", "Bearer «bearer-token|x»"}, {"authorization", "Basic «basic-auth|bWU6eA==»"}, {"Cookie", "«cookie|a=b»"}, {"api_key", "«api-key|abc»"}, {"apiKey", "«api-key|abc»"}, {"X-Api-Key", "«api-key|abc»"},
		{"token", "«token|abc»"}, {"token", "«github-token|ghp_{a36}»"}, {"command", "echo hunter2"}, {"tokens", "12"}, {"session_id", "abcdef0123456789"}, {"path", "/etc/passwd"}, {"password_file", "/run/x"}, {"description", "the password is long"},
		{"secret", "«secret|x»"}, {"mnemonic", "«seed-phrase|legal winner thank year wave sausage worth useful legal winner thank yellow»"}, {"command", "PASSWORD=«password|x» run"}, {"url", "https://me:«url-password|x»@h"}, {"webhook_url", "https://h/«webhook|{a24}»"},
		{"auth", "none"}, {"token", "<your-token>"}, {"public_key", "{b43}="}, {"privateKey", "«private-key|{h64}»"}, {"private_key_path", "/x/y"}, {"privateKey", "/x/y.pem"}, {"AWS_SECRET_ACCESS_KEY", "«aws-secret-key|{b40}»"},
	} {
		check(t, c.name, c.text)
	}
}
