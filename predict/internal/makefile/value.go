package makefile

import (
	"runtime"
	"strconv"
	"strings"
)

type origin uint8

// Origins, weakest first: an assignment does not replace a variable of a stronger origin (manual, "Origin Function").
const (
	byDefault origin = iota + 1
	byEnv
	byFile
	byEnvOverride
	byCommand
	byOverride
	automatic
)

func (o origin) String() string {
	return [...]string{"undefined", "default", "environment", "file", "environment override", "command line", "override", "automatic"}[o]
}

type exporting uint8

const (
	exportDefault exporting = iota
	exportYes
	exportNo
)

// variable is one definition. A recursive value is expanded when it is used.
type variable struct {
	value     string
	recursive bool
	origin    origin
	export    exporting
	private   bool
	appended  bool // target-specific `+=`: what wider scopes hold comes first
	busy      bool // being expanded
	at        loc
}

// scope is a set of variables in front of a wider one: a target's, or the arguments of a call. The global scope is nil.
type scope struct {
	vars   map[string]*variable
	parent *scope
	auto   *automatics
	call   bool // arguments of $(call): numbers that are not set are empty
	target bool // of a target: private variables of the scopes behind it do not show
}

// automatics are the automatic variables of a recipe.
type automatics struct {
	target, member, first, stem string
	all, plus, order            []string
}

func (a *automatics) get(name string) (string, bool) {
	var v []string
	switch name[0] {
	case '@':
		v = []string{a.target}
	case '%':
		v = words(a.member)
	case '<':
		v = words(a.first)
	case '*':
		v = []string{a.stem}
	case '^', '?': // which prerequisites are newer is not known: all of them may be
		v = a.all
	case '+':
		v = a.plus
	case '|':
		v = a.order
	default:
		return "", false
	}
	switch {
	case len(name) == 1:
		return strings.Join(v, " "), true
	case len(name) == 2 && name[1] == 'D':
		return mapWords(v, func(s string) string {
			d := dirPart(s)
			if d != "/" {
				d = strings.TrimSuffix(d, "/")
			}
			return d
		}), true
	case len(name) == 2 && name[1] == 'F':
		return mapWords(v, filePart), true
	}
	return "", false
}

func mapWords(v []string, f func(string) string) string {
	out := make([]string, len(v))
	for i, s := range v {
		out[i] = f(s)
	}
	return strings.Join(out, " ")
}

func dirPart(s string) string {
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		return s[:i+1]
	}
	return "./"
}

func filePart(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

// lookup finds the definition that holds in a scope. It is nil where the variable is not defined.
func (w *world) lookup(sc *scope, name string) *variable {
	numeric := name != "" && strings.Trim(name, "0123456789") == ""
	inherited := false
	for s := sc; s != nil; s = s.parent {
		if v := s.vars[name]; v != nil && (!v.private || !inherited) {
			return v
		}
		inherited = inherited || s.target
		if s.call && numeric {
			return nil
		}
		if s.auto != nil && name != "" && len(name) <= 2 {
			if text, ok := s.auto.get(name); ok {
				return &variable{value: text, origin: automatic}
			}
		}
	}
	return w.lookupGlobal(name)
}

func (w *world) lookupGlobal(name string) *variable {
	v, ok := w.globals[name]
	if ok {
		if v != nil && v.private && w.running != nil {
			return nil
		}
		return v // nil where it was undefined on purpose
	}
	if v := w.fromEnv(name); v != nil {
		w.globals[name] = v
		return v
	}
	v = w.builtin(name)
	if v != nil && !strings.HasPrefix(name, ".V") {
		w.globals[name] = v
	}
	return v
}

// fromEnv imports an environment variable. SHELL is never taken from it (manual, "Choosing the Shell").
func (w *world) fromEnv(name string) *variable {
	if w.args.Env == nil || name == "" || name == "SHELL" || name == "MAKEFLAGS" || strings.ContainsAny(name, "\x00=") {
		return nil
	}
	text, ok := w.args.Env(name)
	if !ok {
		return nil
	}
	v := &variable{value: strings.ReplaceAll(text, "\x00", ""), recursive: true, origin: byEnv}
	if w.args.EnvOverrides {
		v.origin = byEnvOverride
	}
	if secretName(name) {
		v.value, v.recursive = w.namedMark(name), false
	}
	return v
}

// secretName tells whether a variable of this name may hold a credential: its value must not be copied into a plan.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	for _, s := range []string{"TOKEN", "SECRET", "PASSW", "CREDENTIAL", "APIKEY", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "_AUTH"} {
		if strings.Contains(name, s) {
			return true
		}
	}
	return false
}

// builtin gives the variables that make defines itself (manual, "Implicit Variables" and "Special Variables").
func (w *world) builtin(name string) *variable {
	simple := func(s string) *variable { return &variable{value: s, origin: byDefault} }
	switch name {
	case "MAKE":
		return &variable{value: "make", origin: byDefault}
	case "MAKE_COMMAND":
		return simple("make")
	case "MAKE_VERSION", "MAKE_HOST":
		return &variable{value: w.fresh("the make that runs", name), origin: byDefault}
	case "CURDIR":
		return &variable{value: w.dir, origin: byFile}
	case "MAKECMDGOALS":
		if len(w.args.Targets) == 0 {
			return nil
		}
		return &variable{value: strings.Join(w.args.Targets, " "), origin: byDefault}
	case "MAKEFLAGS":
		return &variable{value: makeflags(w.args), origin: byFile, export: exportYes}
	case "MAKELEVEL":
		return &variable{value: strconv.Itoa(w.level()), origin: byEnv}
	case "MAKEFILE_LIST", ".DEFAULT_GOAL":
		return &variable{origin: byFile}
	case "SHELL":
		return simple("/bin/sh")
	case ".SHELLFLAGS":
		return simple("-c")
	case ".FEATURES":
		return simple("target-specific order-only second-expansion else-if shortest-stem undefine oneshell nocomment grouped-target extra-prereqs archives jobserver output-sync check-symlink load")
	case ".INCLUDE_DIRS":
		return simple("/usr/local/include /usr/include")
	case ".LIBPATTERNS":
		return simple("lib%.so lib%.a")
	case "SUFFIXES":
		return simple(trim(defaultSuffixes))
	case ".VARIABLES":
		return simple(strings.Join(sortedKeys(w.globals), " "))
	}
	if w.args.NoVariables {
		return nil
	}
	if text, ok := implicitVariable(name); ok {
		return &variable{value: text, recursive: true, origin: byDefault}
	}
	return nil
}

func (w *world) level() int {
	if w.args.Env != nil {
		if s, ok := w.args.Env("MAKELEVEL"); ok {
			n, _ := strconv.Atoi(s)
			return n
		}
	}
	return 0
}

func implicitVariable(name string) (string, bool) {
	switch name {
	case "AR":
		return "ar", true
	case "ARFLAGS":
		return "rv", true
	case "AS":
		return "as", true
	case "CC":
		return "cc", true
	case "CXX":
		return "g++", true
	case "CPP":
		return "$(CC) -E", true
	case "FC", "F77":
		return "f77", true
	case "LD":
		return "ld", true
	case "LEX":
		return "lex", true
	case "YACC":
		return "yacc", true
	case "M2C":
		return "m2c", true
	case "PC":
		return "pc", true
	case "MAKEINFO":
		return "makeinfo", true
	case "TEX":
		return "tex", true
	case "TEXI2DVI":
		return "texi2dvi", true
	case "WEAVE":
		return "weave", true
	case "TANGLE":
		return "tangle", true
	case "CO":
		return "co", true
	case "GET":
		return "get", true
	case "RM":
		return "rm -f", true
	case "OUTPUT_OPTION":
		return "-o $@", true
	case "COMPILE.c":
		return "$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c", true
	case "COMPILE.cc", "COMPILE.cpp", "COMPILE.C":
		return "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c", true
	case "COMPILE.f":
		return "$(FC) $(FFLAGS) $(TARGET_ARCH) -c", true
	case "COMPILE.s":
		return "$(AS) $(ASFLAGS) $(TARGET_MACH)", true
	case "COMPILE.S":
		return "$(CC) $(ASFLAGS) $(CPPFLAGS) $(TARGET_MACH) -c", true
	case "LINK.o":
		return "$(CC) $(LDFLAGS) $(TARGET_ARCH)", true
	case "LINK.c":
		return "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)", true
	case "LINK.cc", "LINK.cpp", "LINK.C":
		return "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)", true
	case "LINK.f":
		return "$(FC) $(FFLAGS) $(LDFLAGS) $(TARGET_ARCH)", true
	case "LINK.s":
		return "$(CC) $(ASFLAGS) $(LDFLAGS) $(TARGET_MACH)", true
	case "LINK.S":
		return "$(CC) $(ASFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_MACH)", true
	case "YACC.y":
		return "$(YACC) $(YFLAGS)", true
	case "LEX.l":
		return "$(LEX) $(LFLAGS) -t", true
	}
	return "", false
}

// uname gives the system and machine names that uname prints for the machine that predicts; empty where not known.
func (a Args) uname() (system, machine string) {
	system, machine = a.System, a.Machine
	if system == "" {
		system = map[string]string{"linux": "Linux", "darwin": "Darwin", "freebsd": "FreeBSD", "openbsd": "OpenBSD", "netbsd": "NetBSD"}[runtime.GOOS]
	}
	if machine == "" {
		switch runtime.GOARCH {
		case "amd64":
			machine = "x86_64"
		case "arm64":
			machine = "arm64"
			if runtime.GOOS == "linux" {
				machine = "aarch64"
			}
		}
	}
	return system, machine
}

// assign is one assignment to the global set or, with vars, to a target's own.
func (w *world) assign(name, op, value string, org origin, vars map[string]*variable, sc *scope) *variable {
	if name == "" {
		w.fail(`empty variable name`)
		return nil
	}
	old := w.globals[name]
	if vars != nil {
		old = vars[name]
	} else if old == nil {
		if _, known := w.globals[name]; !known {
			old = w.lookupGlobal(name)
		}
	}
	blocked := func(v *variable) bool { return v != nil && v.origin > org && v.origin >= byEnvOverride }
	if blocked(old) || vars != nil && blocked(w.lookupGlobal(name)) {
		return nil
	}
	v := &variable{origin: org, at: w.at}
	if old != nil {
		v.export = old.export
		v.private = old.private
	}
	switch op {
	case "?=":
		if old != nil || vars != nil && w.lookup(sc, name) != nil {
			return old
		}
		v.value, v.recursive = value, true
	case ":=", "::=":
		v.value = w.expand(value, sc)
	case ":::=":
		v.value, v.recursive = strings.ReplaceAll(w.expand(value, sc), "$", "$$"), true
	case "!=":
		v.value, v.recursive = w.shell(w.expand(value, sc)), true
	case "+=":
		w.appendTo(v, old, value, vars != nil, sc)
	default:
		v.value, v.recursive = value, true
	}
	if vars != nil {
		vars[name] = v
	} else {
		w.globals[name] = v
		w.exports = nil
		w.special(name, v)
	}
	return v
}

func (w *world) appendTo(v, old *variable, value string, local bool, sc *scope) {
	switch {
	case old == nil:
		v.value, v.recursive, v.appended = value, true, local
		return
	case old.recursive:
		v.recursive = true
	default:
		value = w.expand(value, sc)
	}
	v.appended = old.appended
	v.value = old.value + " " + value
	if old.value == "" {
		v.value = value
	}
	w.spend(w.at, len(v.value))
}

// special are the assignments that change how make reads on (manual, "Special Variables").
func (w *world) special(name string, v *variable) {
	switch name {
	case ".RECIPEPREFIX":
		w.prefix = '\t'
		if text := w.text(name, nil); text != "" {
			w.prefix = text[0]
		}
	case "MAKEFLAGS":
		flags := ParseArgs("", words(w.text(name, nil)), nil)
		w.args.NoRules = w.args.NoRules || flags.NoRules || flags.NoVariables
		w.args.AlwaysMake = w.args.AlwaysMake || flags.AlwaysMake
	}
}
