package model_test

import (
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/model"
	"github.com/ambit-dev/ambit/predict/models"
)

// TestShippedModelsParse parses every model: a broken one must be found here, not in front of a person.
func TestShippedModelsParse(t *testing.T) {
	l := &model.Library{Files: models.Files}
	names, err := l.Names()
	if err != nil || len(names) == 0 {
		t.Fatalf("names: %v, %d of them", err, len(names))
	}
	for _, n := range names {
		if c, err := l.Find(n); err != nil || c == nil {
			t.Errorf("%s: %v", n, err)
		}
	}
}
