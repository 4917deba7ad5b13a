package repo

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// mayImport is the table of docs/design.md, section 4, read as: a package of the left may import those of the right and, where
// it says so, the packages below itself. Imports of tests are free: they cannot reach a build.
//
// A pattern that ends in "/..." means the package and all below it; "*" means every package of the module.
var mayImport = []struct {
	pkg  string
	uses []string
}{
	{"cmd/ambit", []string{"internal/cli"}},
	{"internal/cli", []string{
		"internal/hook", "internal/proxy", "internal/web", "internal/term", "internal/audit", "internal/mediate",
		"predict", "policy", "consent", "record", "sandbox", "observe", "datalog", "flow", "action", "effect", "bench", "secret", "internal/visible",
	}},
	{"internal/hook", []string{"internal/mediate", "policy", "internal/visible"}},
	{"internal/hook/claudetest", nil},
	{"internal/proxy", []string{"internal/mediate"}},
	{"internal/web", []string{"internal/mediate", "record"}},
	{"internal/term", []string{"internal/mediate", "record"}},
	{"internal/audit", []string{"record", "effect"}},
	{"internal/mediate", []string{
		"predict", "policy", "consent", "record", "sandbox", "observe", "secret", "flow", "action", "effect", "internal/visible",
	}},
	{"internal/visible", nil},
	{"predict", []string{"flow", "effect", "action", "predict/internal/...", "predict/models"}},
	{"predict/internal/...", []string{"flow", "effect", "action", "predict/internal/...", "predict/models"}},
	{"predict/models", nil},
	{"policy", []string{"datalog", "flow", "effect", "action"}},
	{"consent", []string{"flow", "effect"}},
	{"record", []string{"action", "effect", "secret"}},
	{"sandbox", []string{"effect"}},
	{"observe", []string{"effect"}},
	{"secret", nil},
	{"datalog", nil},
	{"flow", []string{"effect", "secret"}},
	{"action", nil},
	{"effect", nil},
	{"bench/...", []string{"*"}},
	{"internal/repo/...", nil},
}

func matches(pattern, name string) bool {
	if pattern == "*" {
		return true
	}
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == base || strings.HasPrefix(name, base+"/")
	}
	return pattern == name
}

func TestImportsPointDown(t *testing.T) {
	for _, p := range packages(t) {
		name := p.short()
		var uses []string
		known := false
		for _, row := range mayImport {
			if matches(row.pkg, name) {
				known, uses = true, append(uses, row.uses...)
			}
		}
		if !known {
			t.Errorf("package %s has no row in the table of docs/design.md, section 4: add it there and to mayImport, or move it into a package that has one", name)
			continue
		}
	imports:
		for _, imp := range p.Imports {
			rel, ours := strings.CutPrefix(imp, p.Module.Path+"/")
			if !ours {
				continue
			}
			for _, u := range uses {
				if matches(u, rel) {
					continue imports
				}
			}
			t.Errorf("%s imports %s, which docs/design.md, section 4, does not permit: move the code down, or declare the interface where it is used", name, rel)
		}
	}
}

// The design and the table say the same: each package of the table is in the design's.
func TestImportTableIsTheDesign(t *testing.T) {
	design, err := os.ReadFile(filepath.Join("..", "..", "docs", "design.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(design), "\n## 4. ")
	if !ok {
		t.Fatal("docs/design.md has no section 4")
	}
	section, _, _ = strings.Cut(section, "\n## 5. ")
	for _, row := range mayImport {
		name := strings.TrimSuffix(row.pkg, "/...")
		if !strings.Contains(section, "`"+name+"`") && !strings.Contains(section, "`"+path.Dir(name)+"`") {
			t.Errorf("docs/design.md, section 4, has no row for `%s`", name)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"flow", "flow", true},
		{"flow", "flow/x", false},
		{"flow", "flower", false},
		{"predict/internal/...", "predict/internal/jsscan", true},
		{"predict/internal/...", "predict/internal", true},
		{"predict/internal/...", "predict", false},
		{"*", "anything/at/all", true},
	} {
		if got := matches(c.pattern, c.name); got != c.want {
			t.Errorf("matches(%q, %q) = %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}
