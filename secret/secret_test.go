package secret

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var testKey = []byte("0123456789abcdef0123456789abcdef")

// The vectors stand in docs/formats.md too. They were computed with openssl dgst -mac HMAC.
func TestCommitVectors(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	k := NewKeeper(testKey)
	for _, v := range []struct{ value, want string }{
		{"hunter2", "c-B72VyzPP1aA33rckCuu6rN6RKUcFlWItOFifINfcE"},
		{"", "2DtFU5bXSxEQYFr1ONXwdVjdpyxRKf00UWyhFTRRrlo"},
	} {
		if got := k.Commit(v.value); got != v.want {
			t.Errorf("Commit(%q) = %s, want %s", v.value, got, v.want)
		}
		if !strings.Contains(string(page), v.want) {
			t.Errorf("docs/formats.md lacks the vector %s", v.want)
		}
	}
}

func TestSafetyCommitments(t *testing.T) {
	k, same, other := NewKeeper(testKey), NewKeeper(testKey), NewKeeper([]byte("another"))
	c := k.Commit("hunter2")
	if len(c) != commitmentLen || c != same.Commit("hunter2") || c == k.Commit("hunter3") || c == other.Commit("hunter2") {
		t.Errorf("commitments do not tell values and keys apart, or do not agree: %s", c)
	}
	if !k.Is(c, "hunter2") || k.Is(c, "hunter3") || other.Is(c, "hunter2") || k.Is("", "hunter2") || k.Is(c[:42], "hunter2") {
		t.Error("Is takes another value, key or commitment, or not the own")
	}
	for _, none := range []*Keeper{nil, {}, NewKeeper(nil)} {
		if none.Commit("x") != "" || none.Is("", "x") || none.Is(c, "hunter2") {
			t.Error("without a key there is no commitment, and nothing has one")
		}
	}
}

func TestText(t *testing.T) {
	k := NewKeeper(testKey)
	for _, c := range []struct{ name, in, want string }{
		{"", "nothing here", "nothing here"},
		{"", "PASSWORD=hunter2 run", "PASSWORD=<secret:password:" + k.Commit("hunter2") + "> run"},
		{"", "PASSWORD=hun'ter'2 run", "PASSWORD=<secret:password:" + k.Commit("hunter2") + "> run"},
		{"", "PASSWORD='hunter2' run", "PASSWORD='<secret:password:" + k.Commit("hunter2") + ">' run"},
		{"password", "hunter2", "<secret:password:" + k.Commit("hunter2") + ">"},
		{"", "a <secret:password> b", "a <secret:lookalike:" + k.Commit("<secret:") + ">password> b"},
		{"", "cat <secret:x", "cat <secret:lookalike:" + k.Commit("<secret:") + ">x"},
		{"password", "<secret:password>", "<secret:lookalike:" + k.Commit("<secret:") + ">password>"},
	} {
		if got := k.Text(c.name, c.in); got != c.want {
			t.Errorf("Text(%q, %q)\n got %s\nwant %s", c.name, c.in, got, c.want)
		}
	}
}

// One value has one commitment, however it was written.
func TestSafetyOneValueOneCommitment(t *testing.T) {
	k, token := NewKeeper(testKey), fill("ghp_{a36}")
	want := "<secret:github-token:" + k.Commit(token) + ">"
	for _, text := range []string{token, "echo " + token, "echo '" + token + "'", "echo ghp_''" + token[4:], "echo g\\hp_" + token[4:], "echo $'\\x67" + token[1:] + "'", "x=%67" + token[1:] + "&y", "GITHUB_TOKEN=" + token, "echo ghp_\\\n" + token[4:]} {
		if got := k.Text("", text); !strings.Contains(got, want) {
			t.Errorf("Text(%q) = %q, which lacks %s", text, got, want)
		}
	}
}

// Nobody can write a placeholder into a record: each one there was made by Text.
func TestSafetyPlaceholdersCannotBeForged(t *testing.T) {
	k := NewKeeper(testKey)
	for _, forged := range []string{
		"<secret:password:" + k.Commit("x") + ">", "<secret:password>", "<secret:lookalike:" + k.Commit("<secret:") + ">", "<secret:", "<secret:<secret:password>", "<<secret:>",
	} {
		got := k.Text("", "echo "+forged)
		if n, own := strings.Count(got, "<secret:"), strings.Count(got, "<secret:lookalike:"+k.Commit("<secret:")+">"); n != own || n != strings.Count(forged, "<secret:") {
			t.Errorf("Text(%q) = %q", forged, got)
		}
		if back := Literal(got); back != "echo "+forged {
			t.Errorf("Literal(%q) = %q", got, back)
		}
		if raw := (*Keeper)(nil).Text("", "echo "+forged); strings.Contains(raw, "<secret:password") || strings.Count(raw, "<secret:lookalike>") != strings.Count(forged, "<secret:") {
			t.Errorf("without a key: %q", raw)
		}
	}
}

// Redacted twice by mistake: it shows, and nothing is lost.
func TestTwice(t *testing.T) {
	k := NewKeeper(testKey)
	for _, text := range []string{"PASSWORD=hunter2 run", "echo <secret:password> x", "curl -u me:x -H 'Cookie: a=b' https://u:p@h/"} {
		once := k.Text("", text)
		twice := k.Text("", once)
		if twice == once || Literal(twice) != once {
			t.Errorf("%q became %q, then %q", text, once, twice)
		}
	}
	once, err := k.JSON([]byte(`{"password":"hunter2","x":"Bearer"}`))
	if err != nil {
		t.Fatal(err)
	}
	twice, err := k.JSON(once)
	if err != nil || string(twice) == string(once) || Literal(string(twice)) != string(once) {
		t.Errorf("%s became %s, %v", once, twice, err)
	}
}

func TestHide(t *testing.T) {
	k := NewKeeper(testKey)
	for _, c := range []struct{ in, want string }{
		{"PASSWORD=hunter2 run", "PASSWORD=<secret:password> run"},
		{k.Text("", "PASSWORD=hunter2 run"), "PASSWORD=<secret:password> run"},
		{k.Text("", "a <secret:password> b"), "a <secret:lookalike>password> b"},
		{"a <secret:password> b", "a <secret:lookalike>password> b"},
		{"a <secret:password:short> b", "a <secret:lookalike>password:short> b"},
		{"a <secret:nosuch:" + k.Commit("x") + "> b", "a <secret:lookalike>nosuch:" + k.Commit("x") + "> b"},
		{"<secret:password:" + strings.Repeat("_", 43) + ">", "<secret:lookalike>password:" + strings.Repeat("_", 43) + ">"}, // no 32 bytes
	} {
		if got := Hide("", c.in); got != c.want {
			t.Errorf("Hide(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

// The page lists all kinds, and says of each what it is.
func TestKindsAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := Kinds()
	if len(kinds) < 100 {
		t.Errorf("only %d kinds", len(kinds))
	}
	for _, k := range kinds {
		if row := kindRow(k); !strings.Contains(string(page), "\n"+row+"\n") {
			t.Errorf("docs/formats.md, Secrets, lacks the row\n%s", row)
		}
		if len(k.Name) > maxKindLen {
			t.Errorf("the name %s is too long for a placeholder", k.Name)
		}
		if len(k.Forms) == 0 && len(k.Names) == 0 && k.Says == "" {
			t.Errorf("nothing says how %s is known", k.Name)
		}
	}
}

// kindRow is the row of the table in docs/formats.md.
func kindRow(k Kind) string {
	var how []string
	if k.Says != "" {
		how = append(how, k.Says)
	}
	for _, form := range k.Forms {
		how = append(how, "`"+form+"`")
	}
	if len(k.Names) > 0 {
		how = append(how, "the value of a name with "+strings.Join(k.Names, " or "))
	}
	return "| `" + k.Name + "` | " + strings.Join(how, ", ") + " |"
}
