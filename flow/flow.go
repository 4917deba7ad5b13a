// Package flow is the lattice: the summary of one data-flow component of an action, its order, and the sensitivity of what
// flows. It refuses to guess: a component that cannot be classified is Top.
package flow

import (
	"fmt"

	"github.com/ambit-dev/ambit/effect"
)

// Sensitivity is a chain, from public to secret. The zero value is not set: a flow without one lies within nothing.
type Sensitivity uint8

// The chain of sensitivities.
const (
	Public Sensitivity = iota + 1
	Internal
	Personal
	Secret
)

// String gives the name used in every format.
func (s Sensitivity) String() string {
	switch s {
	case Public:
		return "public"
	case Internal:
		return "internal"
	case Personal:
		return "personal"
	case Secret:
		return "secret"
	}
	return "invalid"
}

// MarshalText writes the name; an unset sensitivity is an error.
func (s Sensitivity) MarshalText() ([]byte, error) {
	if s < Public || s > Secret {
		return nil, fmt.Errorf("sensitivity %d is invalid", s)
	}
	return []byte(s.String()), nil
}

// Flow is the summary of one data-flow component: where data comes from, where it goes, how sensitive it is at most, and
// what the component does.
type Flow struct {
	In, Out     []effect.Pattern
	Sensitivity Sensitivity
	Effects     effect.Set
}

// Within tells whether f lies below g in the lattice: each element of In and Out under some element of g's, sensitivity and
// effects no more than g's. A flow whose sensitivity was never set lies within nothing: nobody has looked.
func (f Flow) Within(g Flow) bool {
	return f.Sensitivity >= Public && covered(f.In, g.In) && covered(f.Out, g.Out) && f.Sensitivity <= g.Sensitivity && f.Effects.Within(g.Effects)
}

func covered(ps, by []effect.Pattern) bool {
	for _, p := range ps {
		ok := false
		for _, q := range by {
			if p.Within(q) {
				ok = true
				break
			}
		}
		if !ok {
			return false
		}
	}
	return true
}
