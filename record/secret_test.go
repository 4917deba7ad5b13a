package record

import (
	"strings"
	"testing"
)

// TestSafetySecretsStayOut: whatever a caller puts into a body, none of the log's files has a secret, and its commitment says which it was.
func TestSafetySecretsStayOut(t *testing.T) {
	m := newMemory()
	l := m.mustLog(t)
	const password = "correct-horse-7"
	token := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	body := map[string]any{
		"args":    map[string]any{"command": "curl -u me:" + password + " https://example.com"},
		"large":   strings.Repeat("x ", 4000) + token + strings.Repeat(" x", 4000), // a detached value
		"names":   map[string]any{"password": password},
		"already": "<secret:password:AAAA>",
	}
	s, err := l.Append("intent", body)
	if err != nil {
		t.Fatal(err)
	}
	for name, ino := range m.state.files {
		for _, secret := range []string{password, token} {
			if strings.Contains(string(m.state.data[ino]), secret) {
				t.Errorf("%s has %s", name, secret)
			}
		}
	}
	e, err := l.Entry(s.Seq)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(e.Body), l.Keeper().Commit(password)); n != 2 {
		t.Errorf("the commitment of the password is there %d times: %.300s", n, e.Body)
	}
	if !strings.Contains(string(e.Body), ":"+l.Keeper().Commit(token)+">") || strings.Contains(string(e.Body), `"<secret:password:AAAA>"`) {
		t.Errorf("%.300s", e.Body)
	}
}
