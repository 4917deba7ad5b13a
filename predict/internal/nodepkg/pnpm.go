package nodepkg

// pnpmSettings are the settings of pnpm that decide which scripts run, as they stand in one file.
type pnpmSettings struct {
	only, never, ignored []string
	onlyFile             string
	builds               []allowance
	hasOnly, hasNever    bool
	hasBuilds, all       bool
}

// field reads one setting of package.json's "pnpm".
func (s *pnpmSettings) field(r *reader, key string) {
	switch key {
	case "onlyBuiltDependencies":
		s.only, s.hasOnly = r.strings(), true
	case "neverBuiltDependencies":
		s.never, s.hasNever = r.strings(), true
	case "ignoredBuiltDependencies":
		s.ignored = r.strings()
	case "onlyBuiltDependenciesFile":
		s.onlyFile = r.text()
	case "allowBuilds":
		s.builds, s.hasBuilds = r.allowances(), true
	case "dangerouslyAllowAllBuilds":
		s.all, _ = r.boolean()
	}
}
