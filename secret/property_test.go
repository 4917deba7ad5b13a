package secret

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// sound checks what holds of every text.
func sound(t interface{ Errorf(string, ...any) }, name, text string) {
	spans := Find(name, text)
	at := 0
	for i, s := range spans {
		switch {
		case s.Start < at || s.End <= s.Start || s.End > len(text):
			t.Errorf("%q, %q: span %d, %+v, overlaps, is empty or out of range", name, text, i, s)
			return
		case !isKind(s.Kind):
			t.Errorf("%q, %q: no kind %q", name, text, s.Kind)
		case utf8.ValidString(text) && !utf8.ValidString(text[s.Start:s.End]), utf8.ValidString(text) && !utf8.ValidString(text[:s.Start]):
			t.Errorf("%q, %q: span %d, %+v, cuts a rune", name, text, i, s)
		}
		at = s.End
	}
	k := NewKeeper(testKey)
	out, bare := k.Text(name, text), (*Keeper)(nil).Text(name, text)
	if len(spans) == 0 && (out != text || bare != text) {
		t.Errorf("%q, %q: nothing was found, and the text changed: %q", name, text, out)
	}
	at = 0
	rest := ""
	for _, s := range spans { // what is between the spans stays, and nothing else
		rest += text[at:s.Start] + "<secret:" + s.Kind + ">"
		at = s.End
	}
	if rest += text[at:]; rest != bare {
		t.Errorf("%q, %q\n got %q\nwant %q", name, text, bare, rest)
	}
	if hidden := Hide(name, out); hidden != bare {
		t.Errorf("%q, %q: shown from the record it is\n     %q\nand else\n     %q", name, text, hidden, bare)
	}
	for _, s := range spans {
		if v := text[s.Start:s.End]; random(v) && strings.Contains(bare, v) {
			t.Errorf("%q, %q: %q is still there: %q", name, text, v, bare)
		}
	}
	if twice := k.Text("", out); Literal(twice) != out {
		t.Errorf("%q, %q: redacted twice it is\n     %q\nwhich goes back to\n     %q\nand not\n     %q", name, text, twice, Literal(twice), out)
	}
}

// pieces are what texts are put together of: what begins, ends, quotes and cuts secrets.
func pieces() []string {
	p := append(hostile(), "hunter2", fill("ghp_{a36}"), fill("sk-ant-api03-{u40}"), fill("{a40}"), fill("{h40}"), " ", "  ", "\"", "=", ":", "&", "?", "@", "/", ",", ";", "}", "]", "PASSWORD", "token", "api_key", "authorization", "Bearer ", "Basic ", "curl", "mysql",
		"<secret:password:"+NewKeeper(testKey).Commit("x")+">", "<secret:password>", "<secret:lookalike:", wrap(fill("PASSWORD=hunter2 ghp_{a36}")), "https://u:p@h/", "ü", "語", "\u202e", "$'", "\\u0067", "eyJhbGciOiJIUzI1NiJ9", "-----END PRIVATE KEY-----")
	return p
}

func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces()), 0, 14).Draw(t, "pieces"), "")
	})
}

func TestSound(t *testing.T) {
	names := []string{"", "", "password", "token", "Authorization", "cookie", "command", "seed", "webhook_url", "api_key_file"}
	rapid.Check(t, func(t *rapid.T) {
		sound(t, rapid.SampledFrom(names).Draw(t, "name"), texts().Draw(t, "text"))
	})
}

// JSON stays JSON: what is no secret stays as it is, and each string is what Text makes of it.
func TestJSONSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyJSON(3).Draw(t, "value")
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		k := NewKeeper(testKey)
		out, err := k.JSON(raw)
		if err != nil {
			t.Skip(err) // two names became one
		}
		var got any
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%s became %s: %v", raw, out, err)
		}
		sameShape(t, v, got)
		hidden, err := HideJSON(out)
		bare, err2 := (*Keeper)(nil).JSON(raw)
		if err == nil && err2 == nil && string(hidden) != string(bare) {
			t.Fatalf("%s\nshown from the record is %s\nand else             %s", raw, hidden, bare)
		}
	})
}

func anyJSON(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		n := rapid.IntRange(0, 6).Draw(t, "kind")
		switch {
		case n == 0:
			return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
		case n == 1:
			return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "literal")
		case n == 2 && depth > 0:
			return rapid.SliceOfN(anyJSON(depth-1), 0, 5).Draw(t, "array")
		case n == 3 && depth > 0:
			names := rapid.SampledFrom([]string{"password", "token", "name", "value", "command", "args", "env", "x", "ü", "Authorization", "default", "seed"})
			return rapid.MapOfN(names, anyJSON(depth-1), 0, 5).Draw(t, "object")
		}
		return strings.ToValidUTF8(texts().Draw(t, "text"), "?")
	})
}

// sameShape compares two values but for what their strings hold.
func sameShape(t *rapid.T, a, b any) {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			t.Fatalf("%v became %v", a, b)
		}
		for name, v := range a {
			if _, ok := b[name]; ok {
				sameShape(t, v, b[name])
			}
		}
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			t.Fatalf("%v became %v", a, b)
		}
		for i := range a {
			sameShape(t, a[i], b[i])
		}
	case string:
		if _, ok := b.(string); !ok {
			t.Fatalf("%v became %v", a, b)
		}
	case float64:
		if s, ok := b.(string); b != a && !(ok && strings.HasPrefix(s, "<secret:")) {
			t.Fatalf("%v became %v", a, b)
		}
	default:
		if a != b {
			t.Fatalf("%v became %v", a, b)
		}
	}
}

// What is not found when nothing is there costs nothing.
func TestNoAllocations(t *testing.T) {
	for _, text := range []string{ordinaryCommand, "git status", "", strings.Repeat("a", 200), "cd /home/user/project/packages/application/source/main && go test ./...", strings.Repeat("a b ", 1000)} {
		if n := testing.AllocsPerRun(100, func() { Find("", text) }); n > 0 {
			t.Errorf("%.40q: %v allocations", text, n)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, p := range pieces() {
		f.Add("", p)
		f.Add("password", p)
	}
	f.Add("", "PASSWORD=hun'ter'2 curl -u me:x -H \"Cookie: a=b; c=d\" https://u:p@h/?token=abc")
	f.Add("", fill("echo ghp_''{a36} | base64; x=%67hp_{a36}"))
	f.Fuzz(func(t *testing.T, name, text string) { sound(t, name, text) })
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"password":"x"}`, `["mysql","-px"]`, `[{"name":"TOKEN","value":"x"}]`, `{"a":{"b":[1,2.50,null]}}`, `{"password":12345}`, `"<secret:password>"`, `{"command":"curl","args":["-u","a:b"]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		k := NewKeeper(testKey)
		out, err := k.JSON(raw)
		if err != nil {
			return
		}
		if !json.Valid(out) {
			t.Fatalf("%s became %s", raw, out)
		}
		twice, err := k.JSON(out)
		if err == nil && !json.Valid(twice) {
			t.Fatalf("%s became %s", out, twice)
		}
	})
}
