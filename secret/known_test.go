package secret

import "testing"

// A secret that was found is hidden where it occurs again, with the same commitment.
func TestSafetyFoundOnceHiddenEverywhere(t *testing.T) {
	for _, text := range []string{
		"API_KEY=«api-key|a1b2c3d4e5f6g7» run «api-key|a1b2c3d4e5f6g7» x", "run «api-key|a1b2c3d4e5f6g7»; API_KEY=«api-key|a1b2c3d4e5f6g7»", "API_KEY=«api-key|a1b2''c3d4e5f6g7» run «api-key|a1b2c3d4e5f6g7»",
		"API_KEY=«api-key|a1b2c3d4e5f6g7» https://h/«api-key|a1b2c3d4e5f6g7»/x", "API_KEY=«api-key|a1b2c3d4e5f6g7» x«api-key|a1b2c3d4e5f6g7»x",
		// What a person chose can be the name of something, which must be seen.
		"PASSWORD=«password|python3» python3 x", "PASSWORD=«password|hunter2» hunter2", "PASSWORD=«password|id_ed25519» cat ~/.ssh/id_ed25519",
	} {
		check(t, "", text)
	}
	k, c := NewKeeper(testKey), NewKeeper(testKey).Commit("a1b2c3d4e5f6g7")
	got, err := k.JSON([]byte(`{"a":"x a1b2c3d4e5f6g7 y","env":{"API_KEY":"a1b2c3d4e5f6g7"},"z":["a1b2c3d4e5f6g7",{"a1b2c3d4e5f6g7":1}]}`))
	p := "<secret:api-key:" + c + ">"
	want := `{"a":"x ` + p + ` y","env":{"API_KEY":"` + p + `"},"z":["` + p + `",{"` + p + `":1}]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestKnowing(t *testing.T) {
	for _, c := range []struct{ call, text, want string }{
		{`{"command":"API_KEY=a1b2c3d4e5f6g7 run","token":"g7f6e5d4c3b2a1"}`, "a1b2c3d4e5f6g7, g7f6e5d4c3b2a1; PASSWORD=x", "<secret:api-key>, <secret:token>; PASSWORD=<secret:password>"},
		{`{"command":"sshpass -p hunter2 ssh h"}`, "exe:hunter2, hunter22, xhunter2", "exe:<secret:password>, hunter22, xhunter2"},
		{`{"password":"-----BEGIN PRIVATE KEY-----\nMII0123456789abcdefghijklmn\n-----END PRIVATE KEY-----"}`, "line MII0123456789abcdefghijklmn", "line <secret:private-key>"},
		// Names of what is touched stay.
		{`{"command":"PASSWORD=python3 python3 x"}`, "exe:python3", "exe:python3"},
		{`{"command":"PASSWORD=evil.example.com curl $PASSWORD"}`, "host:evil.example.com", "host:evil.example.com"},
		{`{"command":"PASSWORD=/home/me/.ssh/id_ed25519; cat $PASSWORD"}`, "file:/home/me/.ssh/id_ed25519", "file:/home/me/.ssh/id_ed25519"},
		{`{"command":"API_TOKEN=evil123.example.com curl $API_TOKEN"}`, "host:evil123.example.com", "host:evil123.example.com"},
		{`{"command":"API_TOKEN=a/b/c/id_ed25519 cat $API_TOKEN"}`, "file:a/b/c/id_ed25519", "file:a/b/c/id_ed25519"},
		{`{"command":"docker run -e POSTGRES_PASSWORD=postgres postgres"}`, "image:postgres", "image:postgres"},
		{`{"command":"PASSWORD=abc x"}`, "abc", "abc"}, {`{"command":"ls"}`, "ls", "ls"},
	} {
		k, err := (*Keeper)(nil).Knowing([]byte(c.call))
		if err != nil {
			t.Fatal(err)
		}
		if got := k.Text("", c.text); got != c.want {
			t.Errorf("knowing %s, %q became %q, want %q", c.call, c.text, got, c.want)
		}
	}
	k := NewKeeper(testKey)
	if same, err := k.Knowing([]byte(`{}`)); err != nil || same != k {
		t.Errorf("nothing is known: %v", err)
	}
	if _, err := k.Knowing([]byte(`{`)); err == nil {
		t.Error("no error for what is no JSON")
	}
	with, err := k.Knowing([]byte(`{"token":"g7f6e5d4c3b2a1"}`))
	if want := "<secret:token:" + k.Commit("g7f6e5d4c3b2a1") + ">"; err != nil || with.Text("", "g7f6e5d4c3b2a1") != want {
		t.Errorf("%v, %q, want %q", err, with.Text("", "g7f6e5d4c3b2a1"), want)
	}
}
