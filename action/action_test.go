package action

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNumbers has the samples of RFC 8785, appendix B: IEEE 754 bits and the text that stands for them.
func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		bits uint64
		want string
	}{
		{0x0000000000000000, "0"}, {0x8000000000000000, "0"}, {0x0000000000000001, "5e-324"}, {0x8000000000000001, "-5e-324"},
		{0x7fefffffffffffff, "1.7976931348623157e+308"}, {0xffefffffffffffff, "-1.7976931348623157e+308"},
		{0x4340000000000000, "9007199254740992"}, {0xc340000000000000, "-9007199254740992"}, {0x4430000000000000, "295147905179352830000"},
		{0x44b52d02c7e14af5, "9.999999999999997e+22"}, {0x44b52d02c7e14af6, "1e+23"}, {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
		{0x444b1ae4d6e2ef4e, "999999999999999700000"}, {0x444b1ae4d6e2ef4f, "999999999999999900000"}, {0x444b1ae4d6e2ef50, "1e+21"},
		{0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"}, {0x3eb0c6f7a0b5ed8d, "0.000001"},
		{0x41b3de4355555553, "333333333.3333332"}, {0x41b3de4355555554, "333333333.33333325"}, {0x41b3de4355555555, "333333333.3333333"},
		{0x41b3de4355555556, "333333333.3333334"}, {0x41b3de4355555557, "333333333.33333343"},
		{0xbecbf647612f3696, "-0.0000033333333333333333"}, {0x43143ff3c1cb0959, "1424953923781206.2"},
	} {
		in := strconv.FormatFloat(math.Float64frombits(tt.bits), 'e', -1, 64)
		got, err := Canonical([]byte(in))
		if err != nil || string(got) != tt.want {
			t.Errorf("%016x as %s is %s, %v; want %s", tt.bits, in, got, err, tt.want)
		}
	}
}

// TestCanonical has the samples of RFC 8785, section 3.2, and the spellings that must come to one text.
func TestCanonical(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"{\n\"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],\n\"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\n\"literals\": [null, true, false]\n}",
			"{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"},
		{`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"},
		{`{"b":1,"a":{"d":[],"c":{}}}`, `{"a":{"c":{},"d":[]},"b":1}`},
		{" [ 1 , -0 , 0.0 , 1.0 , 10E-1 , 100e-2 , 1e0 ] ", `[1,0,0,1,1,1,1]`},
		{`"\u007f\u2028</script>"`, "\"\u007f\u2028</script>\""}, // nothing is escaped that need not be
		{`"\b\t\n\f\r\u0000\u001F"`, `"\b\t\n\f\r\u0000\u001f"`},
		{`{"a":1,"A":2,"":3}`, `{"":3,"A":2,"a":1}`},
		{`null`, `null`}, {`""`, `""`}, {`9007199254740991`, `9007199254740991`}, {`-9007199254740991`, `-9007199254740991`},
		{`9007199254740992`, `9007199254740992`}, {`1152921504606847000`, `1152921504606847000`}, {`295147905179352830000`, `295147905179352830000`}, {`1E30`, `1e+30`}, {`0e999999999999`, `0`}, {`-0E-1`, `0`}, {`100000000000000000000000e-2`, `1e+21`},
	} {
		got, err := Canonical([]byte(tt.in))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s\nis   %s, %v\nwant %s", tt.in, got, err, tt.want)
		}
	}
}

// TestRefused: what two readers could take for two values, and what is no JSON.
func TestRefused(t *testing.T) {
	for name, in := range map[string]string{
		"duplicate name": `{"a":1,"a":1}`, "duplicate by escape": `{"a":1,"\u0061":2}`, "duplicate inside": `{"x":[{"b":1,"b":2}]}`,
		"invalid UTF-8": "\"a\xffb\"", "invalid UTF-8 in a name": "{\"\xc3\":1}", "half of a surrogate pair": `"\ud83d"`, "halves in the wrong order": `"\ude00\ud83d"`,
		"too large": `1e400`, "too large below zero": `[-1e309]`, "not a number": `NaN`, "infinity": `Infinity`, "plus": `+1`, "leading zero": `01`, "no digit before the dot": `.5`, "no digit after it": `1.`, "hexadecimal": `0x10`,
		"an integer that no double holds": `9007199254740993`, "the same below zero": `{"id":-9007199254740993}`, "a 64-bit identifier": `[1234567890123456789]`, "an amount": `1000000000000000000001`, "a power of two that is written otherwise": `1152921504606846976`, "with a dot": `9007199254740993.0`, "with an exponent": `9007199254740993e0`, "with a shift": `900719925474099.3e1`,
		"two values": `1 2`, "text after": `{} x`, "nothing": ``, "blank": `  `, "cut off": `{"a":`, "single quotes": `{'a':1}`, "comment": `{/**/}`, "comma at the end": `[1,]`, "control character": "\"a\nb\"", "NUL": "\"a\x00b\"", "byte order mark": "\ufeff{}",
		"deep": strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
	} {
		if got, err := Canonical([]byte(in)); err == nil {
			t.Errorf("%s: %.60q is taken as %.60s", name, in, got)
		}
	}
}

func TestInputIsLeftAlone(t *testing.T) {
	in := []byte(`{"b":1, "a":2}`)
	if _, err := Canonical(in); err != nil || string(in) != `{"b":1, "a":2}` {
		t.Errorf("%v, the input is now %s", err, in)
	}
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func must(a Action, err error) Action {
	if err != nil {
		panic(err)
	}
	return a
}

// TestDigest fixes digests: they are sealed in records, and must not change with the program.
func TestDigest(t *testing.T) {
	for _, tt := range []struct {
		a    Action
		json string
	}{
		{must(NewShell("cli", "", "/home/user/project", "npm ci")), `{"agent":"cli","args":{"command":"npm ci"},"dir":"/home/user/project","session":"","tool":"shell"}`},
		{must(New("claude-code", "s1", "/w/", "mcp__docs__get", []byte(` { "b" : [1.0, "\u00e9"], "a" : null } `))), `{"agent":"claude-code","args":{"a":null,"b":[1,"é"]},"dir":"/w","session":"s1","tool":"mcp__docs__get"}`},
	} {
		if got, want := tt.a.Digest(), digestOf(tt.json); got != want {
			t.Errorf("digest of %s is %s, want %s", tt.json, got, want)
		}
	}
}

func TestDigestTellsActionsApart(t *testing.T) {
	base := must(New("a", "s", "/d", "t", []byte(`{"x":1}`)))
	for name, other := range map[string]Action{
		"agent": must(New("b", "s", "/d", "t", []byte(`{"x":1}`))), "session": must(New("a", "r", "/d", "t", []byte(`{"x":1}`))), "dir": must(New("a", "s", "/e", "t", []byte(`{"x":1}`))),
		"tool": must(New("a", "s", "/d", "u", []byte(`{"x":1}`))), "args": must(New("a", "s", "/d", "t", []byte(`{"x":2}`))), "type of an argument": must(New("a", "s", "/d", "t", []byte(`{"x":"1"}`))),
		"moved text": must(New("as", "", "/d", "t", []byte(`{"x":1}`))),
	} {
		if other.Digest() == base.Digest() {
			t.Errorf("another %s has the same digest", name)
		}
	}
	for name, same := range map[string]Action{
		"blanks and spelling": must(New("a", "s", "/d", "t", []byte("{\n \"\\u0078\" : 1.0e0 }"))), "dir": must(New("a", "s", "/c/../d/.", "t", []byte(`{"x":1}`))),
	} {
		if same.Digest() != base.Digest() {
			t.Errorf("other %s gives another digest", name)
		}
	}
	if (Action{}).Digest() == (Action{Args: json.RawMessage(`{}`)}).Digest() {
		t.Error("the zero action has the digest of a real one")
	}
}

func TestNewRefuses(t *testing.T) {
	for name, make := range map[string]func() (Action, error){
		"relative folder":       func() (Action, error) { return New("a", "s", "d", "t", []byte(`{}`)) },
		"no folder":             func() (Action, error) { return New("a", "s", "", "t", []byte(`{}`)) },
		"no tool":               func() (Action, error) { return New("a", "s", "/d", "", []byte(`{}`)) },
		"list":                  func() (Action, error) { return New("a", "s", "/d", "t", []byte(`[]`)) },
		"text":                  func() (Action, error) { return New("a", "s", "/d", "t", []byte(`"{}"`)) },
		"nothing":               func() (Action, error) { return New("a", "s", "/d", "t", nil) },
		"duplicate name":        func() (Action, error) { return New("a", "s", "/d", "t", []byte(`{"a":1,"a":2}`)) },
		"command not UTF-8":     func() (Action, error) { return NewShell("a", "s", "/d", "cat \xff") },
		"folder not UTF-8":      func() (Action, error) { return NewShell("a", "s", "/d\xff", "ls") },
		"agent not UTF-8":       func() (Action, error) { return NewShell("a\xff", "s", "/d", "ls") },
		"session not UTF-8":     func() (Action, error) { return NewShell("a", "s\xff", "/d", "ls") },
		"tool not UTF-8":        func() (Action, error) { return New("a", "s", "/d", "t\xff", []byte(`{}`)) },
		"folder that holds NUL": func() (Action, error) { return NewShell("a", "s", "/d\x00", "ls") },
	} {
		if a, err := make(); err == nil {
			t.Errorf("%s: taken as %+v", name, a)
		}
	}
}

// TestCommandReadsBack: the text that is analysed is the text that was given, byte for byte.
func TestCommandReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "command")
		a, err := NewShell("cli", "", "/", text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		got, ok := a.Command()
		if !ok || got != text {
			t.Fatalf("%q reads back as %q, %v", text, got, ok)
		}
	})
	for name, a := range map[string]Action{
		"another tool": must(New("a", "", "/", "Bash", []byte(`{"command":"x"}`))), "no command": must(New("a", "", "/", Shell, []byte(`{}`))), "a command that is a list": must(New("a", "", "/", Shell, []byte(`{"command":["x"]}`))),
		"null": must(New("a", "", "/", Shell, []byte(`{"command":null}`))), "another case": must(New("a", "", "/", Shell, []byte(`{"Command":"x"}`))),
	} {
		if text, ok := a.Command(); ok {
			t.Errorf("%s: the command is %q", name, text)
		}
	}
}

// TestCanonicalIsStable: canonical text is its own canonical text, means the same, and does not depend on the order of members.
func TestCanonicalIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := map[string]any{}
		for k, f := range rapid.MapOf(rapid.String(), rapid.Float64()).Draw(t, "numbers") {
			if !math.IsNaN(f) && !math.IsInf(f, 0) {
				v[k] = f
			}
		}
		for k, s := range rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "texts") {
			v[k] = s
		}
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		first, err := Canonical(plain)
		if err != nil {
			t.Fatalf("%s: %v", plain, err)
		}
		again, err := Canonical(first)
		if err != nil || string(again) != string(first) {
			t.Fatalf("%s becomes %s, %v", first, again, err)
		}
		indented, err := json.MarshalIndent(v, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if other, err := Canonical(indented); err != nil || string(other) != string(first) {
			t.Fatalf("another layout gives %s, %v; want %s", other, err, first)
		}
		var back map[string]any
		if err := json.Unmarshal(first, &back); err != nil || len(back) != len(v) {
			t.Fatalf("%s: %v", first, err)
		}
		for k, x := range v {
			if back[k] != x {
				t.Fatalf("member %q was %v and is %v", k, x, back[k])
			}
		}
	})
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":1,"a":[1.50,"\u00e9"]}`, `{"a":1,"a":2}`, `1e21`, `9007199254740993`, "\"\xff\"", `[[[]]]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Canonical(b)
		if err != nil {
			return
		}
		again, err := Canonical(c)
		if err != nil || string(again) != string(c) {
			t.Errorf("%q becomes %q, then %q, %v", b, c, again, err)
		}
		if !json.Valid(b) {
			t.Errorf("%q is no JSON to the standard library and becomes %q", b, c)
		}
	})
}
