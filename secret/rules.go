package secret

import (
	"slices"
	"strings"
	"sync"
)

// charset is a set of bytes, made of classes.
type charset uint16

const (
	digits  charset = 1 << iota
	lowHex          // a-f
	lowRest         // g-z
	upHex           // A-F
	upRest          // G-Z
	under           // _
	dash            // -
	dot             // .
	plus            // +
	slash           // /
	equals          // =
	blank           // space, tab
	line            // newline, carriage return
	quote           // ' " `

	hex    = digits | lowHex
	lower  = lowHex | lowRest
	upper  = upHex | upRest
	letter = lower | upper
	alnum  = digits | letter
	lowNum = digits | lower
	upNum  = digits | upper
	word   = alnum | under
	url64  = word | dash
	std64  = alnum | plus | slash
	any64  = url64 | plus | slash
)

// rule is one form of a token: a prefix, and a body of min to max bytes of a set. A run that goes on after max is another thing; max 0
// takes the whole run.
type rule struct {
	kind   string
	prefix string
	body   charset
	min    int
	max    int
	how    how
}

// how says what else a rule wants. The parts combine.
type how uint8

const (
	apart    how = 1 << iota // no letter or digit before it
	bodyOnly                 // the prefix is no secret, and stays
	mixed                    // the body has a digit
	padded                   // "=" at the end belongs to it
	dense                    // the body has three digits or more
)

// rules is the table. The forms are those that the issuers document, or show in the tokens that they issue; lengths are lower than
// theirs where a shorter text with this prefix can only be a token that was cut.
func rules() []rule {
	return []rule{
		// Clouds.
		{"aws-access-key-id", "AKIA", upNum, 16, 16, 0},
		{"aws-access-key-id", "ASIA", upNum, 16, 16, 0},
		{"aws-access-key-id", "ABIA", upNum, 16, 16, 0},
		{"aws-access-key-id", "ACCA", upNum, 16, 16, 0},
		{"aws-session-token", "IQoJb3JpZ2lu", std64, 100, 0, padded},
		{"aws-session-token", "FwoGZXIvYXdz", std64, 100, 0, padded},
		{"bedrock-key", "ABSK", std64, 100, 0, padded | apart},
		{"bedrock-key", "bedrock-api-key-", std64, 20, 0, padded},
		{"google-api-key", "AIza", url64, 30, 0, mixed},
		{"google-oauth", "GOCSPX-", url64, 20, 0, 0},
		{"google-oauth", "ya29.", url64 | dot, 20, 0, apart},
		{"google-oauth", "1//0", url64, 40, 0, apart},
		{"alibaba-key", "LTAI", alnum, 12, 20, apart | mixed},
		{"digitalocean-token", "dop_v1_", hex, 32, 0, 0},
		{"digitalocean-token", "doo_v1_", hex, 32, 0, 0},
		{"digitalocean-token", "dor_v1_", hex, 32, 0, 0},
		{"heroku-key", "HRKU-", url64, 30, 0, 0},
		{"fly-token", "fm2_", std64, 40, 0, padded | apart},
		{"fly-token", "fm1r_", std64, 40, 0, padded},
		{"fly-token", "fm1a_", std64, 40, 0, padded},
		{"fly-token", "fo1_", url64, 30, 0, apart},
		{"netlify-token", "nfp_", alnum, 30, 0, apart},
		{"vercel-token", "vcp_", alnum, 24, 0, apart},
		{"vercel-token", "vci_", alnum, 24, 0, apart},
		{"vercel-token", "vca_", alnum, 24, 0, apart},
		{"vercel-token", "vcr_", alnum, 24, 0, apart},
		{"vercel-token", "vck_", alnum, 24, 0, apart},
		{"cloudflare-token", "v1.0-", hex | dash, 100, 0, apart},
		{"databricks-token", "dapi", hex | dash, 32, 34, apart | mixed},
		{"tailscale-key", "tskey-", url64, 16, 0, 0},
		{"e2b-key", "e2b_", hex, 32, 0, apart},
		{"scalingo-token", "tk-us-", url64, 40, 0, apart},
		{"yandex-key", "AQVN", url64, 35, 0, apart | mixed},
		{"openshift-token", "sha256~", url64, 40, 0, apart},
		{"clickhouse-key", "4b1d", alnum, 38, 38, apart},

		// Forges and registries.
		{"github-token", "ghp_", alnum, 20, 0, 0},
		{"github-token", "gho_", alnum, 20, 0, 0},
		{"github-token", "ghu_", alnum, 20, 0, 0},
		{"github-token", "ghs_", alnum, 20, 0, 0},
		{"github-token", "ghr_", alnum, 20, 0, 0},
		{"github-token", "github_pat_", word, 20, 0, 0},
		{"gitlab-token", "glpat-", url64 | dot, 16, 0, 0},
		{"gitlab-token", "gldt-", url64 | dot, 16, 0, apart},
		{"gitlab-token", "glrt-", url64 | dot, 16, 0, apart},
		{"gitlab-token", "glrtr-", url64 | dot, 16, 0, apart},
		{"gitlab-token", "glcbt-", url64 | dot, 16, 0, apart},
		{"gitlab-token", "glptt-", url64 | dot, 16, 0, apart},
		{"gitlab-token", "glft-", url64 | dot, 16, 0, apart},
		{"gitlab-token", "glimt-", url64 | dot, 16, 0, apart},
		{"gitlab-token", "glagent-", url64 | dot, 16, 0, apart},
		{"gitlab-token", "gloas-", url64 | dot, 16, 0, apart},
		{"gitlab-token", "glsoat-", url64 | dot, 16, 0, apart},
		{"gitlab-token", "glffct-", url64 | dot, 16, 0, apart},
		{"gitlab-token", "GR1348941", url64, 16, 0, 0},
		{"bitbucket-token", "ATBB", alnum, 24, 0, apart | mixed},
		{"bitbucket-token", "ATCTT3", url64 | equals, 40, 0, 0},
		{"atlassian-token", "ATATT3", url64 | equals, 40, 0, 0},
		{"npm-token", "npm_", alnum, 30, 0, mixed},
		{"pypi-token", "pypi-AgE", url64, 30, 0, 0},
		{"rubygems-token", "rubygems_", hex, 32, 0, 0},
		{"docker-token", "dckr_pat_", url64, 20, 0, 0},
		{"docker-token", "dckr_oat_", url64, 20, 0, 0},
		{"crates-token", "cio", alnum, 32, 32, apart | mixed},
		{"nuget-key", "oy2", lowNum, 43, 43, apart | mixed},
		{"clojars-token", "CLOJARS_", alnum, 40, 0, 0},
		{"sourcegraph-token", "sgp_", word, 40, 0, apart},
		{"jfrog-key", "AKCp", alnum, 69, 69, apart},
		{"jfrog-key", "cmVmd", alnum, 59, 59, apart},

		// Models.
		{"openai-key", "sk-proj-", url64, 20, 0, apart | mixed},
		{"openai-key", "sk-svcacct-", url64, 20, 0, apart},
		{"openai-key", "sk-admin-", url64, 20, 0, apart | mixed},
		{"openai-key", "sk-None-", url64, 20, 0, apart},
		{"openai-key", "sk-", alnum, 20, 0, apart | mixed},
		{"openrouter-key", "sk-or-v1-", hex, 32, 0, apart},
		{"anthropic-key", "sk-ant-", url64, 20, 0, mixed},
		{"langfuse-key", "sk-lf-", hex | dash, 20, 0, apart},
		{"huggingface-token", "hf_", alnum, 30, 0, apart},
		{"huggingface-token", "api_org_", alnum, 30, 0, apart},
		{"groq-key", "gsk_", alnum, 40, 0, apart},
		{"xai-key", "xai-", alnum, 60, 0, apart},
		{"replicate-token", "r8_", alnum, 30, 0, apart | mixed},
		{"perplexity-key", "pplx-", alnum, 30, 0, apart},
		{"nvidia-key", "nvapi-", url64, 40, 0, apart},
		{"cerebras-key", "csk-", lowNum, 40, 0, apart},
		{"langsmith-key", "lsv2_pt_", word, 32, 0, 0},
		{"langsmith-key", "lsv2_sk_", word, 32, 0, 0},
		{"tavily-key", "tvly-", url64, 20, 0, apart | mixed},
		{"pinecone-key", "pcsk_", word, 40, 0, apart},
		{"together-key", "tgp_v1_", url64, 30, 0, apart},

		// Chat.
		{"slack-token", "xoxb-", url64, 16, 0, mixed},
		{"slack-token", "xoxp-", url64, 16, 0, mixed},
		{"slack-token", "xoxa-", url64, 16, 0, mixed},
		{"slack-token", "xoxr-", url64, 16, 0, mixed},
		{"slack-token", "xoxs-", url64, 16, 0, mixed},
		{"slack-token", "xoxo-", url64, 16, 0, mixed},
		{"slack-token", "xoxc-", url64, 16, 0, mixed},
		{"slack-token", "xoxd-", any64 | equals, 16, 0, mixed},
		{"slack-token", "xoxe-", url64, 16, 0, mixed},
		{"slack-token", "xoxe.xox", url64, 16, 0, mixed},
		{"slack-token", "xapp-", url64, 30, 0, mixed},
		{"slack-webhook", "hooks.slack.com/services/", alnum | slash, 20, 0, bodyOnly},
		{"slack-webhook", "hooks.slack.com/workflows/", alnum | slash, 20, 0, bodyOnly},
		{"slack-webhook", "hooks.slack.com/triggers/", alnum | slash, 20, 0, bodyOnly},
		{"discord-webhook", "discord.com/api/webhooks/", url64 | slash, 40, 0, bodyOnly},
		{"discord-webhook", "discordapp.com/api/webhooks/", url64 | slash, 40, 0, bodyOnly},
		{"teams-webhook", ".webhook.office.com/webhookb2/", url64 | slash, 12, 0, bodyOnly},
		{"teams-webhook", "outlook.office.com/webhook/", url64 | slash, 12, 0, bodyOnly},
		{"webhook", "hooks.zapier.com/hooks/catch/", alnum | slash, 10, 0, bodyOnly},

		// Payment and shops.
		{"stripe-key", "sk_live_", alnum, 16, 0, 0},
		{"stripe-key", "sk_test_", alnum, 16, 0, mixed},
		{"stripe-key", "rk_live_", alnum, 16, 0, 0},
		{"stripe-key", "rk_test_", alnum, 16, 0, mixed},
		{"stripe-key", "sk_org_", word, 16, 0, mixed},
		{"stripe-key", "sk_prod_", alnum, 16, 0, 0},
		{"stripe-key", "rk_prod_", alnum, 16, 0, 0},
		{"flutterwave-key", "FLWSECK", alnum | under | dash, 12, 0, mixed},
		{"plaid-token", "access-sandbox-", hex | dash, 36, 0, mixed},
		{"plaid-token", "access-development-", hex | dash, 36, 0, mixed},
		{"plaid-token", "access-production-", hex | dash, 36, 0, mixed},
		{"duffel-token", "duffel_live_", url64 | equals, 30, 0, 0},
		{"duffel-token", "duffel_test_", url64 | equals, 30, 0, 0},
		{"stripe-key", "whsec_", std64, 24, 0, padded | mixed},
		{"elevenlabs-key", "sk_", hex, 48, 48, apart | mixed},
		{"square-token", "sq0atp-", url64, 20, 0, 0},
		{"square-token", "sq0csp-", url64, 30, 0, 0},
		{"square-token", "EAAA", url64, 60, 60, apart | mixed},
		{"facebook-token", "EAACEdEose0cBA", alnum, 20, 0, 0},
		{"facebook-token", "EAA", alnum, 100, 0, apart | mixed},
		{"shopify-token", "shpat_", alnum, 20, 0, 0},
		{"shopify-token", "shpca_", alnum, 20, 0, 0},
		{"shopify-token", "shppa_", alnum, 20, 0, 0},
		{"shopify-token", "shpss_", alnum, 20, 0, 0},
		{"easypost-key", "EZAK", alnum, 54, 54, apart},
		{"easypost-key", "EZTK", alnum, 54, 54, apart},
		{"shippo-token", "shippo_live_", hex, 30, 0, 0},
		{"shippo-token", "shippo_test_", hex, 30, 0, 0},

		// Mail and telephone.
		{"sendgrid-key", "SG.", url64 | dot, 60, 0, apart | mixed},
		{"mailgun-key", "key-", hex, 32, 32, apart | mixed},
		{"brevo-key", "xkeysib-", alnum | dash, 40, 0, 0},
		{"brevo-key", "xsmtpsib-", alnum | dash, 40, 0, 0},
		{"resend-key", "re_", word, 30, 40, apart | mixed},
		{"twilio-key", "SK", hex, 32, 32, apart | mixed},

		// Services that run and watch programs.
		{"vault-token", "hvs.", url64, 20, 0, apart},
		{"vault-token", "hvb.", url64, 20, 0, apart},
		{"vault-token", "hvr.", url64, 20, 0, apart},
		{"doppler-token", "dp.pt.", alnum, 30, 0, apart},
		{"doppler-token", "dp.ct.", alnum, 30, 0, apart},
		{"doppler-token", "dp.sa.", alnum, 30, 0, apart},
		{"doppler-token", "dp.scim.", alnum, 30, 0, apart},
		{"doppler-token", "dp.audit.", alnum, 30, 0, apart},
		{"doppler-token", "dp.st.", url64 | dot, 30, 0, apart},
		{"vault-token", "s.", alnum, 24, 24, apart | dense},
		{"pulumi-token", "pul-", hex, 40, 0, apart},
		{"octopus-key", "API-", upNum, 26, 26, apart | mixed},
		{"infracost-key", "ico-", alnum, 32, 32, apart | mixed},
		{"grafana-token", "eyJrIjoi", std64, 60, 0, apart | padded},
		{"grafana-token", "glsa_", word, 32, 0, apart},
		{"grafana-token", "glc_", std64, 32, 0, apart | padded},
		{"newrelic-key", "NRAK-", alnum, 20, 0, 0},
		{"newrelic-key", "NRII-", url64, 20, 0, 0},
		{"newrelic-key", "NRRA-", alnum, 20, 0, 0},
		{"sentry-token", "sntrys_", any64 | equals, 32, 0, 0},
		{"sentry-token", "sntryu_", hex, 32, 0, 0},
		{"planetscale-token", "pscale_tkn_", url64 | dot, 20, 0, 0},
		{"planetscale-token", "pscale_pw_", url64 | dot, 20, 0, 0},
		{"planetscale-token", "pscale_oauth_", url64 | dot, 20, 0, 0},
		{"supabase-key", "sbp_", hex, 40, 0, apart},
		{"supabase-key", "sb_secret_", url64, 20, 0, mixed},
		{"circleci-token", "CCIPAT_", word, 30, 0, 0},
		{"circleci-token", "CCIPRJ_", word, 30, 0, 0},
		{"buildkite-token", "bkua_", hex, 30, 0, apart},
		{"dynatrace-token", "dt0c01.", upNum | dot, 60, 0, apart},
		{"dynatrace-token", "dt0s16.", upNum | dot, 60, 0, apart},
		{"sonar-token", "squ_", hex, 40, 0, apart},
		{"sonar-token", "sqp_", hex, 40, 0, apart},
		{"sonar-token", "sqa_", hex, 40, 0, apart},
		{"snyk-token", "snyk_uat.", url64 | dot, 30, 0, 0},
		{"posthog-key", "phx_", alnum, 30, 0, apart},
		{"prefect-key", "pnu_", alnum, 30, 0, apart},
		{"prefect-key", "pnb_", alnum, 30, 0, apart},
		{"terraform-token", ".atlasv1.", url64, 40, 0, 0}, // what is before it belongs to it

		// Work and documents.
		{"linear-key", "lin_api_", alnum, 30, 0, 0},
		{"linear-key", "lin_oauth_", alnum, 30, 0, 0},
		{"notion-token", "ntn_", alnum, 40, 0, apart},
		{"notion-token", "secret_", alnum, 43, 43, apart | mixed},
		{"figma-token", "figd_", url64, 30, 0, apart},
		{"postman-key", "PMAK-", hex | dash, 40, 0, 0},
		{"dropbox-token", "sl.", url64, 120, 0, apart | mixed},
		{"contentful-token", "CFPAT-", url64, 30, 0, 0},
		{"readme-key", "rdme_", lowNum, 40, 0, apart},
		{"typeform-token", "tfp_", url64, 40, 0, apart},
		{"onepassword-token", "ops_eyJ", any64, 60, 0, 0},
		{"adobe-secret", "p8e-", alnum, 32, 32, apart | mixed},
		{"frameio-token", "fio-u-", url64 | equals, 50, 0, apart},

		// Private keys. What is in PEM is found by its first line.
		{"age-key", "AGE-SECRET-KEY-1", upNum, 40, 0, 0},
		{kindPrivateKey, "b3BlbnNzaC1rZXktdjE", std64, 100, 0, padded},
		{kindPrivateKey, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", std64, 100, 0, padded},
		{kindPrivateKey, "MIIEvgIBADANBgkqhkiG9w0BAQEFAASC", std64, 100, 0, padded},
		{kindPrivateKey, "MIIEowIBAAKCAQEA", std64, 100, 0, padded},
		{kindPrivateKey, "MIIEpAIBAAKCAQEA", std64, 100, 0, padded},
		{kindPrivateKey, "MIIEpQIBAAKCAQEA", std64, 100, 0, padded},
		{kindPrivateKey, "MIIJKAIBAAKCAgEA", std64, 100, 0, padded},
		{kindPrivateKey, "MIIJQgIBADANBgkqhkiG9w0BAQEFAASC", std64, 100, 0, padded},
		{kindPrivateKey, "MHcCAQEEI", std64, 80, 0, padded},
		{kindPrivateKey, "MC4CAQAwBQYDK2VwBCIEI", std64, 30, 0, padded},
		{kindPrivateKey, "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg", std64, 80, 0, padded},
		{kindPrivateKey, "RWRTY0Iy", std64, 100, 0, padded}, // minisign
		{kindPrivateKey, "xprv", alnum, 100, 0, apart},      // BIP 32
	}
}

// special are the kinds of tokens that more than a prefix tells. scanner.special reads them.
func special() []rule {
	return []rule{
		{kind: kindJWT, prefix: "eyJ"},
		{kind: "mapbox-token", prefix: "sk.eyJ"},
		{kind: "airtable-token", prefix: "pat"},
		{kind: "launchdarkly-key", prefix: "sdk-"},
		{kind: "launchdarkly-key", prefix: "api-"},
		{kind: "braintree-token", prefix: "access_token$production$"},
		{kind: "braintree-token", prefix: "access_token$sandbox$"},
		{kind: kindPrivateKey, prefix: "-----BEGIN "},
		{kind: kindPrivateKey, prefix: "Private-Lines:"},
		{kind: "mailchimp-key", prefix: "-us"},
		{kind: "newrelic-key", prefix: "NRAL"},
		{kind: "telegram-token", prefix: "api.telegram.org/bot"},
		{kind: kindBearer, prefix: "Bearer "},
		{kind: kindBearer, prefix: "bearer "},
		{kind: kindPassword, prefix: "IDENTIFIED BY "},
		{kind: kindPassword, prefix: "identified by "},
		{kind: kindPassword, prefix: "PASSWORD '"},
		{kind: kindPassword, prefix: "password '"},
		{kind: kindLookalike, prefix: mark},
	}
}

// table is everything that is looked up, built at the first use.
type table struct {
	class   [256]charset
	acts    [256]act
	begins  [1 << 9]uint64 // which three bytes begin a rule, a tool or a word, by the low five bits of each
	first   [257]uint16    // entries by the first byte of their text: first[b] to first[b+1]
	entries []entry
	kinds   map[string]bool
	vendors []vendor
	options []shortOption
}

// entry is something that a scan stops at.
type entry struct {
	text string
	rule *rule // a form
	kind string
	tool toolID

	special bool // a form that special reads
}

var tables = sync.OnceValue(func() *table {
	t := &table{kinds: map[string]bool{}, vendors: vendors(), options: shortOptions()}
	for b := range 256 {
		t.class[b], t.acts[b] = classOf(byte(b)), actOf(byte(b))
	}
	all := rules()
	for i := range all {
		t.entries = append(t.entries, entry{text: all[i].prefix, rule: &all[i], kind: all[i].kind})
	}
	for _, r := range special() {
		t.entries = append(t.entries, entry{text: r.prefix, special: true, kind: r.kind})
	}
	for _, tool := range tools() {
		t.entries = append(t.entries, entry{text: tool.name, tool: tool.id})
	}
	for _, kind := range kindsOf(all) {
		t.kinds[kind] = true
	}
	// The longest text of those that begin alike comes first: "sk-ant-" before "sk-".
	slices.SortStableFunc(t.entries, func(a, b entry) int {
		if a.text[0] != b.text[0] {
			return int(a.text[0]) - int(b.text[0])
		}
		return len(b.text) - len(a.text)
	})
	at := 0
	for b := range 256 {
		t.first[b] = uint16(at)
		for at < len(t.entries) && int(t.entries[at].text[0]) == b {
			t.begin(t.entries[at].text)
			t.acts[b] |= actEntry
			at++
		}
	}
	t.first[256] = uint16(at)
	return t
})

func three(a, b, c byte) uint { return uint(a&31)<<10 | uint(b&31)<<5 | uint(c&31) }

func (t *table) begin(text string) {
	for c := range 32 {
		if len(text) > 2 && c != int(text[2]&31) {
			continue
		}
		n := three(text[0], text[1], byte(c))
		t.begins[n>>6] |= 1 << (n & 63)
	}
}

// mayBegin tells whether an entry may begin with three bytes: few texts have them that have none.
func (t *table) mayBegin(a, b, c byte) bool {
	n := three(a, b, c)
	return t.begins[n>>6]>>(n&63)&1 != 0
}

func classOf(b byte) charset {
	switch {
	case b >= '0' && b <= '9':
		return digits
	case b >= 'a' && b <= 'f':
		return lowHex
	case b >= 'g' && b <= 'z':
		return lowRest
	case b >= 'A' && b <= 'F':
		return upHex
	case b >= 'G' && b <= 'Z':
		return upRest
	}
	switch b {
	case '_':
		return under
	case '-':
		return dash
	case '.':
		return dot
	case '+':
		return plus
	case '/':
		return slash
	case '=':
		return equals
	case ' ', '\t':
		return blank
	case '\n', '\r':
		return line
	case '\'', '"', '`':
		return quote
	}
	return 0
}

// kindsOf are the names of all kinds, sorted.
func kindsOf(all []rule) []string {
	names := []string{
		kindLookalike, kindPassword, kindURLPassword, kindSecret, kindToken, kindAPIKey, kindCredential, kindAuthorize, kindBasic, kindBearer, kindCookie,
		kindSignature, kindSeedPhrase, kindOTPSeed, kindOTPCode, kindWebhook, kindPrivateKey, kindJWT, kindAzureStorage, kindAWSSecret, kindAWSSession,
		"discord-token", "telegram-token", "mailchimp-key", "azure-secret",
	}
	for _, r := range append(slices.Clone(all), special()...) {
		names = append(names, r.kind)
	}
	for _, v := range vendors() {
		names = append(names, v.kind)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// list describes the kinds; the forms come from the rules themselves.
func (t *table) list() (out []Kind) {
	all := append(rules(), special()...)
	for _, name := range kindsOf(rules()) {
		k := Kind{Name: name, Says: says(name)}
		for _, r := range all {
			if r.kind == name {
				k.Forms = append(k.Forms, strings.TrimSpace(r.prefix))
			}
		}
		for _, v := range vendors() {
			if v.kind == name {
				k.Names = append(k.Names, v.word)
			}
		}
		out = append(out, k)
	}
	return out
}
