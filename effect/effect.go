// Package effect is the vocabulary of ambit: what is done (Class, Access), to what (Resource, Pattern), and why we
// believe it (Source). It imports nothing of ours and refuses values that are not in the vocabulary: the zero Class,
// Access and Kind are invalid.
package effect

import (
	"fmt"
	"slices"
	"strings"
)

// Class is one of Omega6, the six kinds of effect that a record can represent. The zero value is no class.
type Class uint8

// The six classes, in the order of their names.
const (
	Container Class = iota + 1
	Environment
	File
	MCP
	Network
	Process
)

// Classes lists every class in canonical (alphabetical) order.
func Classes() []Class { return []Class{Container, Environment, File, MCP, Network, Process} }

// String gives the name used in every format.
func (c Class) String() string {
	switch c {
	case Container:
		return "container"
	case Environment:
		return "environment"
	case File:
		return "file"
	case MCP:
		return "mcp"
	case Network:
		return "network"
	case Process:
		return "process"
	}
	return "invalid"
}

// ParseClass is the inverse of String.
func ParseClass(s string) (Class, error) {
	for _, c := range Classes() {
		if c.String() == s {
			return c, nil
		}
	}
	return 0, fmt.Errorf("effect class %q is none of container, environment, file, mcp, network, process", s)
}

// MarshalText writes the name; an invalid class is an error, so that it never reaches a record.
func (c Class) MarshalText() ([]byte, error) {
	if c < Container || c > Process {
		return nil, fmt.Errorf("effect class %d is invalid", c)
	}
	return []byte(c.String()), nil
}

// UnmarshalText reads a name.
func (c *Class) UnmarshalText(b []byte) (err error) { *c, err = ParseClass(string(b)); return err }

// Access is what is done to a resource. The zero value is no access.
type Access uint8

// The ten accesses.
const (
	Build Access = iota + 1
	Call
	Delete
	Exec
	Fetch
	Listen
	Read
	Run
	Send
	Write
)

var accessNames = [...]string{"invalid", "build", "call", "delete", "exec", "fetch", "listen", "read", "run", "send", "write"}

// String gives the name used in every format.
func (a Access) String() string {
	if int(a) < len(accessNames) {
		return accessNames[a]
	}
	return accessNames[0]
}

// ParseAccess is the inverse of String.
func ParseAccess(s string) (Access, error) {
	if i := slices.Index(accessNames[1:], s); i >= 0 {
		return Access(i + 1), nil
	}
	return 0, fmt.Errorf("access %q is none of %s", s, strings.Join(accessNames[1:], ", "))
}

// MarshalText writes the name; an invalid access is an error.
func (a Access) MarshalText() ([]byte, error) {
	if a < Build || a > Write {
		return nil, fmt.Errorf("access %d is invalid", a)
	}
	return []byte(a.String()), nil
}

// UnmarshalText reads a name.
func (a *Access) UnmarshalText(b []byte) (err error) { *a, err = ParseAccess(string(b)); return err }

// View says from how much knowledge an effect is known: each view contains the ones before it.
type View uint8

// The three views of the labelling rubric.
const (
	Explicit View = iota + 1 // what the agent's own approval names
	Command                  // what the command line itself implies
	Metadata                 // what the workspace implies
)

// String gives the name used in every format.
func (v View) String() string {
	switch v {
	case Explicit:
		return "explicit"
	case Command:
		return "command"
	case Metadata:
		return "metadata"
	}
	return "invalid"
}

// ParseView is the inverse of String.
func ParseView(s string) (View, error) {
	for _, v := range []View{Explicit, Command, Metadata} {
		if v.String() == s {
			return v, nil
		}
	}
	return 0, fmt.Errorf("view %q is none of explicit, command, metadata", s)
}

// MarshalText writes the name; an invalid view is an error.
func (v View) MarshalText() ([]byte, error) {
	if v < Explicit || v > Metadata {
		return nil, fmt.Errorf("view %d is invalid", v)
	}
	return []byte(v.String()), nil
}

// UnmarshalText reads a name.
func (v *View) UnmarshalText(b []byte) (err error) { *v, err = ParseView(string(b)); return err }

// Source is why we believe an effect: the place in a file that was read, and the rule that concluded it.
// File is empty where the rule concluded from the command line alone. SHA256 is lower-case hexadecimal.
type Source struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	SHA256 string `json:"sha256"`
	Rule   string `json:"rule"`
}

// Effect is one thing that a call does to one resource, or to all below one.
type Effect struct {
	Class   Class
	Access  Access
	On      Pattern
	View    View
	Sources []Source
}

// Kind says which (class, access) pair an effect has, as "file.write".
func (e Effect) Kind() string { return e.Class.String() + "." + e.Access.String() }

// Set is a set of (class, access) pairs; the zero value is empty.
type Set uint64

func bit(c Class, a Access) Set { return 1 << (uint(c-1)*10 + uint(a-1)) }

// All contains every pair: the top of the effect dimension.
const All Set = 1<<60 - 1

// With adds a pair. An invalid pair gives All: what cannot be named must not look harmless.
func (s Set) With(c Class, a Access) Set {
	if c < Container || c > Process || a < Build || a > Write {
		return All
	}
	return s | bit(c, a)
}

// Has tells whether the pair is in the set.
func (s Set) Has(c Class, a Access) bool {
	return c >= Container && c <= Process && a >= Build && a <= Write && s&bit(c, a) != 0
}

// Within tells whether every pair of s is in t.
func (s Set) Within(t Set) bool { return s&^t == 0 }

// Names lists the pairs as "class.access", sorted.
func (s Set) Names() []string {
	names := []string{}
	for _, c := range Classes() {
		for a := Build; a <= Write; a++ {
			if s.Has(c, a) {
				names = append(names, c.String()+"."+a.String())
			}
		}
	}
	return names
}
