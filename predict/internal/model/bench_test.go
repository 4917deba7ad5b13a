package model_test

import (
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/model"
	"github.com/ambit-dev/ambit/predict/models"
)

// BenchmarkFirst is what the first command of a process costs: finding the blocks, and parsing those that it needs.
func BenchmarkFirst(b *testing.B) {
	for _, line := range []string{"true", "git status", "git commit -m x", "npm install", "docker run alpine", "kubectl get pods", "go test ./...", "aws s3 ls", "gcc -c a.c", "pytest -q"} {
		words := strings.Fields(line)
		b.Run(line, func(b *testing.B) {
			for b.Loop() {
				l := &model.Library{Files: models.Files, Index: models.Index}
				c, err := l.Find(words[0])
				if err != nil {
					b.Fatal(err)
				}
				if c != nil {
					c.Match(words[0], words[1:]).Plan()
				}
			}
		})
	}
}
