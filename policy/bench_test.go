package policy

import (
	"testing"

	"github.com/ambit-dev/ambit/effect"
)

// BenchmarkGuards is what an action that touches files pays for the protected places.
func BenchmarkGuards(b *testing.B) {
	write := fileEffect(b, effect.Write, "/home/u/shop/c.txt")
	for b.Loop() {
		NewGuards(surroundings(), effect.OS{}).Meet([]effect.Effect{write})
	}
}
