package repo

import (
	"go/ast"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestPackagesSayWhatTheyAre(t *testing.T) {
	docs := map[*pkg]string{}
	for _, s := range sources(t) {
		if s.ast.Doc == nil {
			continue
		}
		if docs[s.pkg] != "" && !s.test {
			t.Errorf("%s: a second package comment: keep one", s.path)
		}
		docs[s.pkg] = s.ast.Doc.Text()
	}
	for _, p := range packages(t) {
		doc, name := docs[p], p.short()
		want := "Package " + p.Name + " "
		if p.Name == "main" {
			want = "Command " + name[strings.LastIndex(name, "/")+1:] + " "
		}
		if !strings.HasPrefix(doc, want) {
			t.Errorf("package %s: the package comment must begin %q and say what the package holds and what it refuses; it is %q", name, want, doc)
		}
	}
}

// limits on sizes. Parsers and dispatch tables may be longer, with a reason here. AMBIT_SIZES=1 go test -v ./internal/repo -run Sizes
// lists what is over the wish.
const (
	maxFileLines  = 700
	maxFuncLines  = 90
	wishFileLines = 600
	wishFuncLines = 60
)

// longer are the functions and files that may be longer than the cap, each with its reason.
var longer = map[string]string{
	"predict/builtin.go builtin": "the dispatch over the commands of the shell itself",
	"secret/rules.go rules":      "a table",
}

func TestSizes(t *testing.T) {
	used := map[string]bool{}
	check := func(key, at string, lines, wish, limit int) {
		if lines > limit && longer[key] == "" {
			t.Errorf("%s: %s has %d lines, the cap is %d: split it, or give the reason in `longer`", at, key, lines, limit)
		} else if lines > wish && os.Getenv("AMBIT_SIZES") != "" {
			t.Logf("%s: %s has %d lines (wish: %d)", at, key, lines, wish)
		}
		used[key] = lines > limit
	}
	for _, s := range sources(t) {
		end := s.fset.Position(s.ast.FileEnd).Line
		if !s.test {
			check(s.path, s.path, end, wishFileLines, maxFileLines)
		}
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || s.test {
				continue
			}
			lines := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1
			check(s.path+" "+f.Name.Name, s.at(f), lines, wishFuncLines, maxFuncLines)
		}
	}
	for key := range longer {
		if !used[key] {
			t.Errorf("`longer` has %q, which is within the cap or gone: delete the row", key)
		}
	}
}

// Work at start-up is paid by every hook call: no init, and nothing heavy in the initialiser of a package variable.
func TestNothingRunsAtStart(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					t.Errorf("%s: init function: call it where it is needed, or use sync.OnceValue", s.at(d))
				}
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
				for _, spec := range d.Specs {
					for _, v := range spec.(*ast.ValueSpec).Values {
						if what := heavy(v); what != "" {
							t.Errorf("%s: %s at package level is built at every start: use a switch, or sync.OnceValue", s.at(v), what)
						}
					}
				}
			}
		}
	}
}

// heavy names what costs time in an initialiser, "" for nothing.
func heavy(v ast.Expr) (what string) {
	const bigLiteral = 16
	ast.Inspect(v, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // runs when it is called
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "regexp" && strings.HasSuffix(sel.Sel.Name, "ompile") {
					what = "a regular expression"
				}
			}
		case *ast.CompositeLit:
			if _, ok := n.Type.(*ast.MapType); ok && len(n.Elts) > bigLiteral {
				what = "a map literal of " + strconv.Itoa(len(n.Elts)) + " entries"
			}
		}
		return true
	})
	return what
}

// forbidden imports, by what may use them all the same.
func TestImportsOfOthers(t *testing.T) {
	libraryOnly := func(s source) bool { return !s.test && s.pkg.Name != "main" }
	rules := []struct {
		path  string
		where func(source) bool
		why   string
	}{
		{"C", func(source) bool { return true }, "no cgo: the binary is static"},
		{"unsafe", func(s source) bool { return !strings.HasSuffix(s.path, "_unsafe.go") }, "unsafe only in files named *_unsafe.go"},
		{"log", libraryOnly, "a library does not log: return an error"},
		{"log/slog", libraryOnly, "a library does not log: return an error"},
		{"flag", func(s source) bool { return libraryOnly(s) && s.pkg.short() != "internal/cli" }, "only internal/cli reads flags"},
		{"github.com/stretchr/testify", func(source) bool { return true }, "compare with == or go-cmp"},
		{"io/ioutil", func(source) bool { return true }, "deprecated: use io and os"},
	}
	for _, s := range sources(t) {
		for _, imp := range s.ast.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rules {
				if (path == r.path || strings.HasPrefix(path, r.path+"/") && r.path != "log") && r.where(s) {
					t.Errorf("%s: imports %s: %s", s.at(imp), path, r.why)
				}
			}
		}
	}
}

// Calls that only some packages may make.
func TestCallsInTheirPlace(t *testing.T) {
	in := func(names ...string) func(source) bool {
		return func(s source) bool { return slices.Contains(names, s.pkg.short()) }
	}
	programs := func(s source) bool { return s.pkg.Name == "main" }
	rules := []struct {
		call    string
		allowed func(source) bool
		why     string
	}{
		{"os.Exit", programs, "only main exits"},
		{"os.Getenv", in("internal/cli", "bench"), "only internal/cli (and bench, which runs commands) reads the environment: take it as an option"},
		{"os.LookupEnv", in("internal/cli", "bench"), "only internal/cli (and bench, which runs commands) reads the environment: take it as an option"},
		{"os.Environ", in("internal/cli", "bench"), // the traced programs need the machine's certificates
			"only internal/cli reads the environment: take it as an option"},
		{"os.UserHomeDir", in("internal/cli", "bench"), "only internal/cli (and bench, which runs commands) reads the environment: take it as an option"},
		{"os.Chdir", in(), "the working directory belongs to the whole process: pass a folder"},
	}
	for _, s := range sources(t) {
		ast.Inspect(s.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			call := x.Name + "." + sel.Sel.Name
			if s.test {
				if call == "time.Sleep" {
					t.Errorf("%s: a test that sleeps: wait for the event", s.at(n))
				}
				return true
			}
			for _, r := range rules {
				if call == r.call && !r.allowed(s) {
					t.Errorf("%s: %s: %s", s.at(n), call, r.why)
				}
			}
			return true
		})
	}
}

// The predictor reads: it has no way to connect and none to run a program.
func TestSafetyPredictorCannotAct(t *testing.T) {
	seen := 0
	for _, s := range sources(t) {
		name := s.pkg.short()
		if s.test || !(matches("predict/...", name) || slices.Contains([]string{"flow", "effect", "action"}, name)) {
			continue
		}
		seen++
		for _, imp := range s.ast.Imports {
			switch path, _ := strconv.Unquote(imp.Path.Value); path {
			case "os/exec", "net", "net/http", "plugin":
				t.Errorf("%s: imports %s: prediction runs nothing and connects to nothing", s.at(imp), path)
			}
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && changesFiles(sel.Sel.Name) {
					t.Errorf("%s: os.%s: prediction changes nothing", s.at(n), sel.Sel.Name)
				}
			}
			return true
		})
	}
	if seen < 10 {
		t.Errorf("only %d files were looked at: where is the predictor?", seen)
	}
}

func changesFiles(name string) bool {
	switch name {
	case "Create", "CreateTemp", "Mkdir", "MkdirAll", "MkdirTemp", "WriteFile", "Remove", "RemoveAll", "Rename", "Chmod", "Chown",
		"Lchown", "Chtimes", "Link", "Symlink", "Truncate", "StartProcess", "Setenv", "Unsetenv", "Clearenv", "CopyFS":
		return true
	}
	return false
}

// ./test fails when a safety test skips, and knows them by the beginning of their name. A new name must not take one out.
func TestSafetyTestsAreThere(t *testing.T) {
	have := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test {
				have[s.pkg.short()+" "+f.Name.Name] = true
			}
		}
	}
	for _, name := range []string{
		"internal/repo TestSafetyPredictorCannotAct",
		"internal/cli TestSafetyPlanningOnlyReads",
		"internal/cli TestSafetyHookFailsClosed",
		"internal/hook TestSafetyClaudeRefusesWhatItCannotRead",
		"internal/hook TestSafetyClaudeKeepsItsDeadline",
		"internal/hook TestSafetyClaudeSurvivesItself",
	} {
		if !have[name] {
			t.Errorf("%s is not there: if it has another name now, change the list; if it is gone, something is not checked", name)
		}
	}
}

// fuzzTargets are the functions of a test file that `go test -fuzz` can drive, and whether they add seeds of their own.
func fuzzTargets(s source) map[string]bool {
	targets := map[string]bool{}
	for _, d := range s.ast.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Body == nil || !strings.HasPrefix(f.Name.Name, "Fuzz") {
			continue
		}
		targets[f.Name.Name] = false
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Add" {
				targets[f.Name.Name] = true
			}
			return true
		})
	}
	return targets
}
