package predict_test

import (
	"encoding/json"
	"os"
	"testing"
)

func TestDebug(t *testing.T) {
	cmd := os.Getenv("DBG")
	if cmd == "" {
		t.Skip("debugging aid")
	}
	p := plan(t, os.Getenv("DBGDIR"), cmd)
	for _, e := range p.Effects {
		t.Log(e.View, e.Kind(), e.On, e.Sources[0].File, e.Sources[0].Line, e.Sources[0].Rule)
	}
	for _, u := range p.Unknowns {
		t.Log("UNKNOWN", u.From.File, u.From.Line, u.Why, u.Could)
	}
	_ = json.Marshal
}
