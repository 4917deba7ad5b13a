package nodepkg

import (
	"fmt"
	"path"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/npmrc"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// npmPolicy is which dependencies' scripts npm allows: "allowScripts" in package.json, or allow-scripts in the configuration
// (lib/utils/resolve-allow-scripts.js). Before 11.16 there was none; until 12 only an entry that says false forbids; from 12 on
// only an entry that says true allows (@npmcli/arborist lib/arborist/rebuild.js, scriptsDenied and scriptsAllowed). Where the
// version of npm is not known, everything is taken to run.
type npmPolicy struct {
	entries  []allowance
	from     effect.Source
	listed   bool   // only what is listed runs (npm 12)
	strict   bool   // a package that is not listed stops the installation
	off      bool   // the policy does not apply
	refuses  string // why npm stops before anything runs
	unlisted string // why a package about which nothing is known does not run
	odd      map[string]bool
}

// npmPolicy reads the policy for this call.
func (p *plan) npmPolicy(root *manifest) {
	po := &p.policy
	*po = npmPolicy{}
	if !p.npmAtLeast("11.16.0") || p.cfg.On("dangerously-allow-all-scripts") {
		po.off = true
		return
	}
	po.listed = p.npmAtLeast("12.0.0")
	po.strict = p.cfg.On("strict-allow-scripts")
	exec := p.req.Verb == "exec" || p.req.Verb == "dlx" || p.req.Verb == "create" || p.req.Verb == "init"
	loose := p.req.Flags.Global || exec
	add := func(v npmrc.Value) {
		for _, item := range v.List {
			for _, key := range strings.Split(item, ",") {
				if key = strings.TrimSpace(key); key != "" {
					po.entries = append(po.entries, allowance{key: key, ok: true})
				}
			}
		}
		po.from = valueSource(v, "npm/allow-scripts")
	}
	if v, ok := p.cfg.In("allow-scripts", npmrc.CLI, npmrc.Env); ok {
		if add(v); len(po.entries) > 0 && !loose {
			po.refuses = "npm stops: allow-scripts is not accepted" + where(v) + " for a project"
			return
		}
	}
	if len(po.entries) == 0 && !loose && root != nil && len(root.allow) > 0 {
		po.entries = root.allow
		po.from = effect.Source{File: root.file.Path, Line: root.allow[0].line, SHA256: root.file.SHA256, Rule: "npm/allow-scripts"}
	}
	if po.drop(); len(po.entries) == 0 {
		if v, ok := p.cfg.In("allow-scripts", npmrc.Project, npmrc.User, npmrc.Global, npmrc.Builtin); ok && !(exec && v.Layer == npmrc.Project) {
			add(v)
			po.drop()
		}
	}
	if po.listed || po.strict {
		allows := false
		for _, e := range po.entries {
			allows = allows || e.ok
		}
		if !allows {
			po.unlisted = "npm " + p.in.Version + " runs install scripts only of packages that allowScripts lists"
			if po.from.Rule == "" {
				po.from.Rule = "npm/allow-scripts"
			}
		}
	}
}

// drop takes out entries that npm refuses: tags and ranges (validatePolicy).
func (po *npmPolicy) drop() {
	kept := po.entries[:0:0]
	for _, e := range po.entries {
		s := parseSpec(e.key)
		if s.kind == tagSpec || s.kind == registrySpec && s.rest != "" && s.rest != "*" && !exact(s.rest) {
			continue
		}
		kept = append(kept, e)
	}
	po.entries = kept
}

// learn notes the names that something depends on by other means than a registry: an entry by name does not hold for those
// (script-allowed.js, isRegistryNode asks every edge).
func (po *npmPolicy) learn(pkgs map[string]*locked, root *manifest) {
	if len(po.entries) == 0 {
		return
	}
	po.odd = map[string]bool{}
	note := func(specs map[string]string) {
		for name, value := range specs {
			if s := parseValue(name, value); s.kind != registrySpec && s.kind != tagSpec {
				po.odd[name] = true
			}
		}
	}
	for _, l := range pkgs {
		note(l.specs)
	}
	if root != nil {
		for _, deps := range root.deps {
			note(deps)
		}
	}
}

// denies says why a dependency's scripts do not run; empty when they do, or may.
func (po *npmPolicy) denies(d *dependency) string {
	if po.off {
		return ""
	}
	allowed := false
	if !d.inBundle {
		for _, e := range po.entries {
			if e.ok {
				allowed = allowed || po.matches(d, e) || po.mayMatch(d, e)
			} else if po.matches(d, e) {
				return fmt.Sprintf("allowScripts denies it (%q)%s", e.key, po.place(e))
			}
		}
	}
	switch {
	case allowed:
		return ""
	case po.listed:
		return "it is not among the allowScripts, and this npm runs no others"
	case po.strict && !d.inBundle && !d.link:
		return "strict-allow-scripts stops the installation: it is not among the allowScripts"
	}
	return ""
}

func (po *npmPolicy) place(e allowance) string {
	if po.from.File == "" {
		return ""
	}
	l := e.line
	if l == 0 {
		l = po.from.Line
	}
	return fmt.Sprintf(" in %s line %d", po.from.File, l)
}

// matches tells whether an entry is for a package (script-allowed.js, matches). Identity is the address in the lockfile, not what
// the package calls itself.
func (po *npmPolicy) matches(d *dependency, e allowance) bool {
	s := parseSpec(e.key)
	switch s.kind {
	case registrySpec:
		if strings.Contains(e.key, "npm:") || d.link || d.git() || po.odd[nameOf(d.loc)] || strings.HasPrefix(d.resolved, "file:") {
			return false
		}
		name, version, ok := fromRegistry(d.resolved)
		if !ok {
			if d.resolved != "" {
				return false
			}
			name = d.packageName() // a lockfile without addresses: the name is the dependant's, the version is not vouched for
		}
		if name != s.name {
			return false
		}
		if s.rest == "" || s.rest == "*" {
			return true
		}
		if !ok {
			return !e.ok
		}
		v, _ := parseVersion(version)
		in, _ := satisfies(v, s.rest)
		return in
	case directorySpec, fileSpec:
		// npm 11 compares spellings that never agree; npm 12 compares absolute paths.
		base := path.Dir(po.from.File)
		return po.listed && path.IsAbs(base) && workspace.Join(base, s.rest) == d.dir
	case remoteSpec:
		return d.resolved == e.key
	case gitSpec:
		key, hash, _ := strings.Cut(e.key, "#")
		have, commit, _ := strings.Cut(d.resolved, "#")
		return have == key && strings.HasPrefix(commit, hash)
	}
	return false
}

// mayMatch tells whether an entry that allows could be for a package in a spelling that is not compared here (a repository has
// many addresses): what may run must not be left out.
func (po *npmPolicy) mayMatch(d *dependency, e allowance) bool {
	switch parseSpec(e.key).kind {
	case gitSpec, remoteSpec:
		return d.git() || strings.Contains(d.resolved, "://")
	case fileSpec, directorySpec:
		return strings.HasPrefix(d.resolved, "file:")
	}
	return false
}
