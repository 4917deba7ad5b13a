package secret

import (
	"strings"
	"testing"
)

// Of JSON each string is read in its place. The marks are those of marked; all else stays byte for byte.
func TestJSON(t *testing.T) {
	for _, text := range []string{
		`{"password":"«password|hunter2»"}`,
		`{ "b" : [1.50, 1e3, true, null, "x"] , "a" : {"password" : "«password|hunter2»"} }`,
		`{"headers":{"Authorization":"Bearer «bearer-token|x»","Cookie":"«cookie|a=b»","X-Api-Key":"«api-key|abc»","Accept":"*/*"}}`,
		`["mysql","-u","root","-p«password|hunter 2»","db"]`, `["tool","--password","«password|hunter 2»","x"]`, `["tool","--password=«password|hunter 2»"]`, `["curl","-u","me:«password|x y»","https://h"]`,
		`["docker","login","-u","me","-p","«password|x»","reg"]`, `["docker","run","-p","8080:80","nginx"]`, `["sshpass","-p","«password|x»","ssh","h"]`, `["tool","--password","--user","x"]`,
		`{"command":"/usr/bin/mysql","args":["-uroot","-p«password|x»"]}`, `{"args":["-p«password|x»"],"command":"mysql"}`, `{"command":"ls","args":["-p","x"]}`,
		`{"env":["A=b","DB_PASSWORD=«password|a b;c»","HOME=/x"]}`, `{"env":{"API_TOKEN":"«token|abc»","HOME":"/x"}}`, `["aws","configure","set","aws_secret_access_key","«aws-secret-key|{b40}»"]`,
		`[{"name":"DB_PASSWORD","value":"«password|hunter2»"},{"name":"HOME","value":"/x"},{"value":"«token|abc»","name":"API_TOKEN"},{"Name":"DB_PASSWORD","Value":"«password|x»"}]`,
		`{"key":"api_key","value":"«api-key|abc»"}`, `{"password":{"value":"«password|x»","label":"Your password"}}`, `{"passwords":["«password|a»","«password|b»"]}`,
		`{"password":«password|12345678»}`, `{"password":12}`, `{"max_tokens":4096,"token_count":123456,"seed":42}`,
		`{"command":"curl -H \"Authorization: Bearer «bearer-token|abc»\" https://x"}`, `{"content":"A=b\nPASSWORD=«password|hunter2»\nC=d\n"}`,
		`{"arguments":"{\"password\":\"«password|hunter2»\",\"n\":1}"}`, `{"«github-token|ghp_{a36}»":1}`, `{"url":"https://me:«url-password|x»@h"}`,
		`{"description":"sets the password","session_id":"3f2b8c1e-0d4a-4b8a-9d0e-2f6a1c7b5e90","token":null,"password":""}`, `{"token":"$TOKEN","password":"<password>"}`,
		`{"type":"object","properties":{"password":{"type":"string","description":"The password"}},"required":["password"]}`, `"PASSWORD=«password|x»"`, `"x"`, ` 1 `, `[]`, `{}`,
		`{"private_key":"«private-key|-----BEGIN PRIVATE KEY-----\nMII{b60}\n-----END PRIVATE KEY-----\n»"}`, `{"apiVersion":"v1","data":{"password":"«password|aHVudGVyMg==»","user":"«secret|bWU=»"},"kind":"Secret","metadata":{"name":"x"}}`, `{"kind":"ConfigMap","data":{"user":"bWU="}}`, `["curl","-H","X-Api-Key: «api-key|abc»"]`, `["gh","secret","set","N","--body","«secret|x»"]`,
	} {
		plain, spans := marked(t, text)
		var b strings.Builder
		at := 0
		for _, s := range spans {
			before, after := "<secret:"+s.Kind+">", ""
			if plain[s.Start-1] == ':' && s.Kind == kindPassword && plain[s.Start] == '1' { // a number becomes a string
				before, after = `"`+before, `"`
			}
			b.WriteString(plain[at:s.Start] + before + after)
			at = s.End
		}
		b.WriteString(plain[at:])
		got, err := (*Keeper)(nil).JSON([]byte(plain))
		if err != nil || string(got) != b.String() {
			t.Errorf("JSON(%s)\n got %s, %v\nwant %s", plain, got, err, b.String())
		}
		again, err := HideJSON([]byte(plain))
		if err != nil || string(again) != b.String() {
			t.Errorf("HideJSON(%s)\n got %s, %v\nwant %s", plain, again, err, b.String())
		}
	}
}

func TestJSONRefuses(t *testing.T) {
	k := NewKeeper([]byte("k"))
	token := fill("ghp_{a36}")
	for _, text := range []string{
		"", "{", `{"a":1,"a":2}`, `{"a":"` + "\xff" + `"}`, `{"a":1} {}`, `{"a":"\ud800"}`, `{'a':1}`,
		strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1),
		`{"` + token + `":1,"\u0067` + token[1:] + `":2}`, `{"` + token + `":1,"<secret:github-token:` + k.Commit(token) + `>":2,"x":"` + token,
	} {
		if got, err := k.JSON([]byte(text)); err == nil || got != nil {
			t.Errorf("JSON(%s) = %s, %v; want an error", text, got, err)
		} else if strings.Contains(err.Error(), token) {
			t.Errorf("the error tells the secret: %v", err)
		}
	}
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	if _, err := k.JSON([]byte(deep)); err != nil {
		t.Errorf("JSON of depth %d: %v", maxDepth, err)
	}
	// Without commitments two tokens become one name.
	two := fill(`{"ghp_{a36}":1,"ghp_{a36}":2}`)
	if _, err := HideJSON([]byte(two)); err == nil {
		t.Error("two names that become one must be an error")
	}
	if _, err := k.JSON([]byte(two)); err != nil {
		t.Errorf("with commitments they stay two: %v", err)
	}
}
