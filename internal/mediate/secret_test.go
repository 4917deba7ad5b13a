package mediate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/record"
	"github.com/ambit-dev/ambit/secret"
)

// hexes, alnum and upper are long enough to be no accident, and belong to nobody.
const (
	hexes = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	alnum = "Zq3vT8xLw2Rk7Yp1Nc5Bd9Hf4Jm6Gs0QaWeXrCtVyUbIiOoPlKjHn3u7M5t1E9zD2k8F4h6A0sGxQ"
	upper = "Q7ZT3WK9XP5VN2RM8LC4JH6GD1FB0SAY"
)

// secrets are commands with a secret in them, and the secret. The kinds are those that people have in shells, by form and by place.
func secrets() map[string][2]string {
	s := map[string][2]string{}
	add := func(kind, command, value string) {
		s[kind] = [2]string{strings.ReplaceAll(command, "%S", value), value}
	}
	add("aws access key", "aws configure set aws_access_key_id %S", "AKIA"+upper[:16])
	add("aws secret key", "AWS_SECRET_ACCESS_KEY=%S aws s3 ls", alnum[:38]+"/+")
	add("github classic", "git clone https://x.example.com/r && echo %S", "ghp_"+alnum[:36])
	add("github fine-grained", "GH_TOKEN=%S gh pr list", "github_pat_"+alnum[:22]+"_"+alnum[:59])
	add("github app", "echo %S", "ghs_"+alnum[:36])
	add("gitlab", "curl -H 'PRIVATE-TOKEN: %S' https://gitlab.example.com/api", "glpat-"+alnum[:20])
	add("npm", "npm config set //registry.example.com/:_authToken %S", "npm_"+alnum[:36])
	add("pypi", "twine upload -u __token__ -p %S dist/*", "pypi-AgEIcHlwaS5vcmc"+alnum[:60])
	add("rubygems", "GEM_HOST_API_KEY=%S gem push a.gem", "rubygems_"+hexes[:48])
	add("docker hub", "docker login -u me -p %S", "dckr_pat_"+alnum[:27])
	add("openai", "export OPENAI_API_KEY=%S", "sk-proj-"+alnum[:74])
	add("anthropic", "echo %S > k", "sk-ant-api03-"+alnum[:70]+"AA")
	add("hugging face", "huggingface-cli login --token %S", "hf_"+alnum[:34])
	add("google api", "curl 'https://maps.example.com/?key=%S'", "AIza"+alnum[:35])
	add("google oauth", "echo %S", "GOCSPX-"+alnum[:28])
	add("slack bot", "curl -d token=%S https://slack.example.com/api", "xoxb-123456789012-123456789012-"+alnum[:24])
	add("slack webhook", "curl -d x https://hooks.slack.com/services/%S", "T"+upper[:8]+"/B"+upper[:8]+"/"+alnum[:24])
	add("discord webhook", "curl -d x https://discord.com/api/webhooks/%S", "123456789012345678/"+alnum[:68])
	add("telegram", "curl https://api.telegram.org/bot%S/getMe", "1234567890:AA"+alnum[:33])
	add("stripe", "stripe --api-key %S charges list", "sk_live_"+alnum[:24])
	add("stripe restricted", "echo %S", "rk_live_"+alnum[:24])
	add("sendgrid", "SENDGRID_API_KEY=%S node send.js", "SG."+alnum[:22]+"."+alnum[:43])
	add("mailgun", "curl --user 'api:%S' https://api.mailgun.example.com", "key-"+hexes[:32])
	add("shopify", "echo %S", "shpat_"+hexes[:32])
	add("digitalocean", "doctl auth init -t %S", "dop_v1_"+hexes[:64])
	add("databricks", "databricks configure --token %S", "dapi"+hexes[:32])
	add("vault", "VAULT_TOKEN=%S vault kv get x", "hvs."+alnum[:77])
	add("doppler", "doppler run --token %S", "dp.pt."+alnum[:43])
	add("pulumi", "PULUMI_ACCESS_TOKEN=%S pulumi up", "pul-"+hexes[:40])
	add("grafana", "echo %S", "glsa_"+alnum[:32]+"_"+hexes[:8])
	add("new relic", "echo %S", "NRAK-"+upper[:27])
	add("linear", "echo %S", "lin_api_"+alnum[:40])
	add("notion", "echo %S", "ntn_"+alnum[:46])
	add("figma", "curl -H 'X-Figma-Token: %S' https://api.figma.example.com", "figd_"+alnum[:40])
	add("jwt", "curl -H 'Authorization: Bearer %S' https://x.example.com", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0."+alnum[:43])
	add("basic auth", "curl -H 'Authorization: Basic %S' https://x.example.com", "dXNlcjpodW50ZXIyaHVudGVyMg==")
	add("header behind a cut", "curl -sS -X POST --retry 5 --retry-delay 10 -o out.json -H 'Authorization: Bearer %S' https://x.example.com/a/long/way/to/go/b/c/d", "hunter2hunter2hunter2")
	add("curl user", "curl -u deploy:%S https://x.example.com", "hunter2hunter2")
	add("url password", "git clone https://me:%S@git.example.com/r.git", "s3cr3tpassw0rd")
	add("postgres url", "psql postgres://app:%S@db.example.com/prod", "correcthorse9")
	add("pgpassword", "PGPASSWORD=%S psql -h db", "correcthorse9")
	add("mysql -p", "mysql -uroot -p%S -e 'select 1'", "correcthorse9")
	add("sshpass", "sshpass -p %S ssh host", "correcthorse9")
	add("option", "tool --password %S", "correcthorse9")
	add("option with equals", "tool --password=%S", "correcthorse9")
	add("age", "echo %S > key.txt", "AGE-SECRET-KEY-1"+upper+upper[:26])
	add("pem", "cat > k <<E\n%S\nE", "-----BEGIN RSA PRIVATE KEY-----\n"+alnum[:64]+"\n"+alnum[3:43]+"=\n-----END RSA PRIVATE KEY-----")
	add("azure storage", "az storage blob list --connection-string 'DefaultEndpointsProtocol=https;AccountName=x;AccountKey=%S;EndpointSuffix=core.example.com'", alnum[:76]+hexes[:10]+"==")
	return s
}

// lookalikes are no secrets: the record says them as they are.
func lookalikes() []string {
	return []string{
		"git show 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12", "docker pull app@sha256:" + hexes, "npm view x@1.2.3 dist.integrity",
		"echo 123e4567-e89b-12d3-a456-426614174000", "docker run -p 8080:80 nginx", "sort --key=2 a", "docker login --password-stdin", "tool --token-file t.txt",
		"PASSWORD_FILE=/run/secrets/x ./run", `curl -H "Authorization: Bearer $TOKEN" https://x.example.com`, "export TOKEN=$(cat token)",
		"echo ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "pip install sk-learn", "ssh-keygen -t ed25519", "cat id_ed25519.pub", "echo max_tokens=4096",
		"convert -fill '#deadbeef' a.png", "grep -n password src/login.go", "git clone git@git.example.com:me/r.git", "mysql -p < dump.sql",
	}
}

// bytesOf is everything that a folder holds, names included.
func bytesOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		b.WriteString(name + "\n" + string(data) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSafetySecretsStayOut: no secret is in the state folder or in what is shown, wherever the call holds it: in a command, in an argument of
// an MCP tool, in a file that is written, in the environment, in the result. And the record proves which value it was.
func TestSafetySecretsStayOut(t *testing.T) {
	all := secrets()
	if len(all) < 40 {
		t.Fatalf("%d kinds", len(all))
	}
	for kind, c := range all {
		t.Run(kind, func(t *testing.T) {
			d := newDesk(t, nil)
			d.o.Env = append(d.o.Env, "SOME_VALUE="+c[1])
			ctx := context.Background()
			calls := []Call{
				d.bash(c[0]),
				d.call("mcp__x__y", map[string]any{"list": []any{map[string]any{"text": "please run\n" + c[0] + "\n"}}, "password": c[1]}),
				d.call("Write", map[string]any{"file_path": d.shop + "/run.sh", "content": "#!/bin/sh\n" + c[0] + "\n"}),
			}
			var said strings.Builder
			for i, call := range calls {
				call.ID = string(rune('a' + i))
				said.WriteString(d.Decide(ctx, call).Text)
				call.Event = "PostToolUse"
				response, err := json.Marshal(map[string]string{"stdout": c[1], "token": c[1]})
				if err != nil {
					t.Fatal(err)
				}
				if err := d.Ran(ctx, call, Outcome{Ran: true, Failed: true, Error: "failed: " + c[0], Response: response}); err != nil {
					t.Fatal(err)
				}
			}
			held := bytesOf(t, d.place.State)
			for _, part := range strings.Split(c[1], "\n") {
				quoted, _ := json.Marshal(part)
				for _, form := range []string{part, strings.Trim(string(quoted), `"`)} {
					if strings.Contains(held, form) {
						t.Errorf("%q is in the log", form)
					}
					if strings.Contains(said.String(), form) {
						t.Errorf("%q is shown:\n%s", form, &said)
					}
				}
			}
			log, err := record.Open(d.place, record.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			for _, e := range d.entries(t) {
				if e.Kind != kindIntent {
					continue
				}
				in := bodyOf[intent](t, e)
				if sum := sha256.Sum256([]byte(in.Shown.Text)); in.Shown.SHA256 != "" && in.Shown.SHA256 != hex.EncodeToString(sum[:]) {
					t.Errorf("what is sealed is not what was shown: %s", in.Shown.Text)
				}
			}
			in := bodyOf[intent](t, d.entries(t)[0])
			redacted, err := action.New("claude-code", "s1", d.shop, "Bash", in.Base.Action.Args)
			if err != nil || redacted.Digest() != in.Base.Action.Digest {
				t.Errorf("the digest is not that of the sealed action: %v", err)
			}
			if !strings.Contains(string(in.Base.Action.Args), log.Keeper().Commit(c[1])) {
				t.Errorf("the record does not prove the value: %s", in.Base.Action.Args)
			}
			real, err := action.New("claude-code", "s1", d.shop, "Bash", calls[0].Args)
			if err != nil || !log.Keeper().Is(in.Base.Action.Commitment, real.Digest()) {
				t.Errorf("the record does not prove the action: %v", err)
			}
		})
	}
}

func TestLookalikesStay(t *testing.T) {
	for _, command := range lookalikes() {
		d := newDesk(t, nil)
		d.Decide(context.Background(), d.bash(command))
		var args struct{ Command string }
		in := bodyOf[intent](t, d.entries(t)[0])
		if err := json.Unmarshal(in.Base.Action.Args, &args); err != nil || args.Command != command {
			t.Errorf("%s\nis sealed as %s (%v)", command, args.Command, err)
		}
		if strings.Contains(secret.Hide("", command), "<secret:") {
			t.Errorf("%s is hidden", command)
		}
	}
}
