package secret

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ordinaryCommand = `cd /home/user/project && git add -A && git commit -m "parser: accept a token after the key" && npm run build --silent 2>&1 | tee build.log; curl -fsSL -H 'Accept: application/json' https://api.example.com/v1/items?page=2`

// goSource is about a megabyte of ordinary text.
func goSource(tb testing.TB) string {
	tb.Helper()
	var b strings.Builder
	root := goRoot(tb)
	for _, dir := range []string{"net/http", "encoding/json", "go/types"} {
		names, err := filepath.Glob(filepath.Join(root, "src", dir, "*.go"))
		if err != nil {
			tb.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				tb.Fatal(err)
			}
			b.Write(data)
		}
	}
	if b.Len() < 1<<20 {
		tb.Fatalf("only %d bytes of source under %s", b.Len(), root)
	}
	return b.String()[:1<<20]
}

func BenchmarkCommand(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if len(Find("", ordinaryCommand)) > 0 {
			b.Fatal("a secret in an ordinary command")
		}
	}
}

func BenchmarkSource(b *testing.B) {
	text := goSource(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Find("", text)
	}
}

func BenchmarkJSON(b *testing.B) {
	raw := []byte(`{"args":{"command":"npm run build && git status","description":"Build the project and show what changed"},"dir":"/home/user/project","session":"3f2b8c1e-0d4a-4b8a-9d0e-2f6a1c7b5e90","tool":"shell"}`)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (*Keeper)(nil).JSON(raw); err != nil {
			b.Fatal(err)
		}
	}
}

// hostile texts repeat what makes a scan look ahead, or back.
func hostile() []string {
	return []string{
		"ghp_", "glpat-", "github_pat_", "eyJ", "eyJ.", "eyJa.", "eyJhbGciOiJ9.", "password=", "password=\"", "password='", "password=\\\"", "password=$", "password=$''", "PASSWORD=a'", "password: ", "password:\"", "password = ", "a=", "a:", "token=x",
		"://", "http://a:", "http://a:b", "http://a@", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq", "Private-Lines: 1\n", "<secret:", "<secret:password:", "--password ", "--password=", "-p ", "mysql -p", "curl -u ", "curl -u a:", "curl -",
		"Cookie: ", "Cookie: a=b; ", "Authorization: ", "Authorization: Basic ", "Bearer ", "Bearer a1", "seed: ", "seed: abc ", "otpauth://", "\\", "\\\\", "\\x67", "%67", "%", "'", "\"", "`", "''\"\"", "g\\h", "a'b", "aaaa", "A", "AAAA/", "YWJj", "0123456789abcdef",
		"<password>", "<password>x", "</password>", ".atlasv1.", "NRAL", "-us1", "Q~", "8Q~", "M.", "a.abcdef.", "12345678:AA", "IDENTIFIED BY '", "PASSWORD '", "npm set _auth ", "vault login ", "mc set a b c d ", "htpasswd -b a ", "kubectl --from-literal=", "--from-file=", "echo a:b | chpasswd ",
		"machine a login b password ", "value: ", "name: password\nvalue: ", "{", "[", "\n", "\\\n", ";", "$(", "${", "access_token$production$", "sk-", "pat", "sdk-", "x", "é", "\xff", "\x00",
	}
}

// No text takes more than linear time: compare the bytes a second of these, for two lengths each.
func BenchmarkHostile(b *testing.B) {
	for _, size := range []int{256 << 10, 4 << 20} {
		for i, part := range hostile() {
			text := strings.Repeat(part, size/len(part))
			b.Run(fmt.Sprintf("%d/%02d-%.12q", size>>10, i, part), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Find("", text)
				}
			})
		}
	}
}
