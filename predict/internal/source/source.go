// Package source is what a workflow source (a manifest, a Makefile, a hook manager's configuration) says it sets in motion:
// jobs to follow, effects it has by itself, and the places where reading it stopped. It holds values only and refuses to
// conclude: views, budgets and what counts as an effect are the engine's.
package source

import "github.com/ambit-dev/ambit/effect"

// Job is one command that a source starts. Exactly one of Shell, Argv and Script is set.
type Job struct {
	Shell  string   // shell text, run by Interp (default sh)
	Argv   []string // a program and its arguments, run without a shell
	Script string   // absolute path of a file that is executed (by its #! line, or by Interp)

	Interp string            // "sh", "bash", "node", "python", ...; empty: sh for Shell, the #! line for Script
	Args   []string          // positional arguments of Shell or Script
	Dir    string            // absolute working directory
	Env    map[string]string // variables that the source sets for this job, beyond the launcher's constant set
	Path   []string          // absolute folders put in front of PATH
	Fields map[string]string // variables of the launcher's constant set (npm_package_name, MAKEFLAGS, ...), known by value

	Label string        // for people: "postinstall of esbuild@0.25.0", "target build"
	From  effect.Source // file (absolute path), line, digest and rule
	Group string        // names of jobs that run in the same container or similar; empty: on this machine

	// Container is set for jobs that run inside a container: the image or build stage. Their effects are the engine's.
	Container string
}

// Claim is an effect that a source has by itself. Target is the text of a resource in the terms of its class: a path
// (absolute, or relative to Dir), a host or URL, a variable name, an image, server/tool. Tree means everything below.
type Claim struct {
	Class  effect.Class
	Access effect.Access
	Target string
	Tree   bool
	Dir    string
	From   effect.Source
}

// Unknown is a place where reading stopped, why, and the effects that could be behind it. Why is a full phrase for people.
type Unknown struct {
	From  effect.Source
	Why   string
	Could []effect.Class
}

// Result is everything that a source says, in order.
type Result struct {
	Jobs     []Job
	Claims   []Claim
	Unknowns []Unknown
}

// Add appends what another part of the same source says.
func (r *Result) Add(o Result) {
	r.Jobs = append(r.Jobs, o.Jobs...)
	r.Claims = append(r.Claims, o.Claims...)
	r.Unknowns = append(r.Unknowns, o.Unknowns...)
}
