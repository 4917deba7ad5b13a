package flow

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ambit-dev/ambit/effect"
)

// places are patterns in a few chains, so that drawn flows often lie below each other.
func places(t *rapid.T) []effect.Pattern {
	var all []effect.Pattern
	for _, s := range []string{"file:/w/a/b", "file:/w/a/**", "file:/w/**", "file:/**", "file:/home/u/.ssh/id", "host:example.com:443/x", "host:example.com:443/**", "host:*.example.com", "host:*public*", "host:*", "host:127.0.0.1:80", "env:HOME", "env:*"} {
		p, err := effect.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func anyFlow(t *rapid.T, label string) Flow {
	ps := places(t)
	f := Flow{
		In:          rapid.SliceOfN(rapid.SampledFrom(ps), 0, 3).Draw(t, label+" in"),
		Out:         rapid.SliceOfN(rapid.SampledFrom(ps), 0, 3).Draw(t, label+" out"),
		Sensitivity: Sensitivity(rapid.IntRange(int(Public), int(Secret)).Draw(t, label+" sensitivity")),
	}
	for range rapid.IntRange(0, 3).Draw(t, label+" effects") {
		f.Effects = f.Effects.With(rapid.SampledFrom([]effect.Class{effect.File, effect.Network}).Draw(t, label+" class"), rapid.SampledFrom([]effect.Access{effect.Read, effect.Send}).Draw(t, label+" access"))
	}
	return f
}

// wider makes a flow that lies above another.
func wider(t *rapid.T, f Flow, label string) Flow {
	ps := places(t)
	up := func(in []effect.Pattern) []effect.Pattern {
		out := rapid.SliceOfN(rapid.SampledFrom(ps), 0, 1).Draw(t, label+" more")
		for _, p := range in {
			for range rapid.IntRange(0, 2).Draw(t, label+" up") {
				p = effect.Below(p.Parent())
			}
			out = append(out, p)
		}
		return out
	}
	g := Flow{In: up(f.In), Out: up(f.Out), Effects: f.Effects.With(effect.Process, effect.Exec)}
	g.Sensitivity = Sensitivity(rapid.IntRange(int(f.Sensitivity), int(Secret)).Draw(t, label+" sensitivity"))
	return g
}

func TestWithinIsAPreorder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFlow(t, "f")
		g := wider(t, f, "g")
		h := wider(t, g, "h")
		if !f.Within(f) {
			t.Fatalf("%+v is not within itself", f)
		}
		if !f.Within(g) || !g.Within(h) || !f.Within(h) {
			t.Fatalf("%+v, %+v and %+v are no chain", f, g, h)
		}
		x := anyFlow(t, "x")
		if x.Within(f) && !x.Within(g) {
			t.Fatalf("%+v is within %+v, not within the wider %+v", x, f, g)
		}
		if g.Within(x) && !f.Within(x) {
			t.Fatalf("%+v is within %+v, the narrower %+v is not", g, x, f)
		}
	})
}

// TestEachComponentCounts: whatever one component exceeds cannot be made up for by another.
func TestEachComponentCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, g := anyFlow(t, "f"), anyFlow(t, "g")
		in := Flow{In: f.In, Sensitivity: Public}.Within(Flow{In: g.In, Sensitivity: Public})
		out := Flow{Out: f.Out, Sensitivity: Public}.Within(Flow{Out: g.Out, Sensitivity: Public})
		want := in && out && f.Sensitivity <= g.Sensitivity && f.Effects.Within(g.Effects)
		if f.Within(g) != want {
			t.Fatalf("%+v within %+v: %v", f, g, !want)
		}
	})
}

// TestWithin has the cases by their meaning.
func TestWithin(t *testing.T) {
	parse := func(texts ...string) (ps []effect.Pattern) {
		for _, s := range texts {
			p, err := effect.Parse(s)
			if err != nil {
				t.Fatal(err)
			}
			ps = append(ps, p)
		}
		return ps
	}
	read := effect.Set(0).With(effect.File, effect.Read)
	send := read.With(effect.Network, effect.Send)
	key, work, net := parse("file:/home/u/.ssh/id"), parse("file:/w/**"), parse("host:example.com:443")
	for _, tt := range []struct {
		name string
		f, g Flow
		want bool
	}{
		{"a file of the workspace to a host", Flow{parse("file:/w/x"), net, Public, send}, Flow{work, net, Public, send}, true},
		{"a key to the same host", Flow{key, net, Secret, send}, Flow{work, net, Secret, send}, false},
		{"the key beside a file", Flow{append(parse("file:/w/x"), key...), net, Secret, send}, Flow{work, net, Secret, send}, false},
		{"more sensitive", Flow{parse("file:/w/x"), net, Personal, send}, Flow{work, net, Internal, send}, false},
		{"another effect", Flow{parse("file:/w/x"), net, Public, send}, Flow{work, net, Public, read}, false},
		{"another host", Flow{parse("file:/w/x"), parse("host:example.org:443"), Public, send}, Flow{work, net, Public, send}, false},
		{"no input needs none", Flow{nil, net, Public, send}, Flow{nil, net, Public, send}, true},
		{"an input where none is allowed", Flow{work, net, Public, send}, Flow{nil, net, Public, send}, false},
		{"each under some element, not all under one", Flow{parse("file:/w/x", "file:/v/y"), nil, Public, read}, Flow{parse("file:/v/**", "file:/w/**"), nil, Public, read}, true},
		{"a tree is not covered by its parts", Flow{parse("file:/w/**"), nil, Public, read}, Flow{parse("file:/w/a/**", "file:/w/b/**", "file:/w"), nil, Public, read}, false},
		{"a sensitivity that was never set", Flow{work, net, 0, send}, Flow{work, net, Secret, send}, false},
		{"a boundary that sets none", Flow{work, net, Public, send}, Flow{work, net, 0, send}, false},
		{"the zero flow", Flow{}, Flow{work, net, Secret, effect.All}, false},
		{"a pattern that is none", Flow{make([]effect.Pattern, 1), nil, Public, read}, Flow{parse("file:/**", "host:*"), nil, Public, read}, false},
	} {
		if got := tt.f.Within(tt.g); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestSensitivityText(t *testing.T) {
	for s, want := range map[Sensitivity]string{Public: "public", Internal: "internal", Personal: "personal", Secret: "secret"} {
		if b, err := s.MarshalText(); err != nil || string(b) != want {
			t.Errorf("%v is written %s, %v", want, b, err)
		}
	}
	for _, s := range []Sensitivity{0, Secret + 1} {
		if b, err := s.MarshalText(); err == nil {
			t.Errorf("%d is written %s", s, b)
		}
	}
	if !(Public < Internal && Internal < Personal && Personal < Secret) {
		t.Error("the chain is out of order")
	}
}
