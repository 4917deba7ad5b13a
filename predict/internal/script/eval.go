package script

import (
	"slices"
)

// Lang is what the evaluator asks of a language: its built-in names, and what happens when
// something that is not part of the program is read or called.
type Lang interface {
	// Global is the value of a name that the program does not define.
	Global(ev *Eval, name string) (Val, bool)
	// Member is a property of a value that the program did not put there.
	Member(ev *Eval, obj Val, name string) (Val, bool)
	// Call calls a Native.
	Call(ev *Eval, n *Native, this Val, args Args, isNew bool) Val
	// Method calls a method of a value that is not an object of the program.
	Method(ev *Eval, recv Val, name string, args Args) (Val, bool)
	// Set is told of an assignment to a property of a Native.
	Set(ev *Eval, n *Native, name Val, v Val)
	// Import evaluates an import or export-from statement, or with n.Op OpImport the
	// module named by spec.
	Import(ev *Eval, n *Node, spec Val) Val
	// Export evaluates an OpExport.
	Export(ev *Eval, n *Node)
	// Binary evaluates an operator before the common rules; false leaves it to them.
	Binary(ev *Eval, op string, a, b Val) (Val, bool)
	// Helper calls a function that compilers generate, known by its name ("__importStar"),
	// whose body says less than its purpose. Only names that begin with _ are asked about.
	Helper(ev *Eval, name string, args Args) (Val, bool)
	// Python selects Python's rules of scope, methods and truth.
	Python() bool
}

// Eval follows one program.
type Eval struct {
	Opts Options
	FS   FS
	Lang Lang

	File *File // where the code that is being followed stands
	Line int
	py   bool

	scope   *Scope
	frame   *frame
	halt    halt
	cond    int // conditions around this point that could not be decided
	maybe   int // undecided ways out before this point
	onError int
	// Fallible counts what may have failed so far: a catch block can only run after one.
	Fallible int

	steps, depth, calls int
	inputRead           int // lines of standard input that were read
	tries               int // try blocks around this point
	spent               bool
	files               []*File
	queue               []func()
	methods             map[string][]*Fn
	bytes               int
}

// File is one file of the program.
type File struct {
	Path     string
	Module   any // the language's own
	findings []Finding
	seen     map[findingKey]int // index in findings
}

type findingKey struct {
	kind          Kind
	line          int
	rule, a, b, c string
}

// Scope holds variables.
type Scope struct {
	vars   map[string]*variable
	parent *Scope
	fn     bool // a function's or module's own scope
	class  bool // a Python class body, which its methods do not see
	file   *File
	global map[string]bool // names declared global or nonlocal
}

type variable struct {
	val  Val
	cond int
	ref  func() Val // an import, read when it is used
}

// frame is a call that is being followed.
type frame struct {
	fn      *Fn
	this    Val
	args    Args
	ret     Val
	awaited bool
	name    string
	yields  *Arr
}

type halt uint8

const (
	running halt = iota
	returned
	broke
	continued
	threw
	exited
)

const (
	maxEvalDepth = 2500
	maxCallDepth = 60
	maxIter      = 40 // iterations of a loop whose course is known
	maxRecursion = 4  // calls of a function inside itself
	maxCalls     = 60 // calls of one function that are followed
)

// All are the classes that code about which nothing is known could have.
func All() []string { return []string{"environment", "file", "network", "process"} }

// NewEval prepares to follow a program.
func NewEval(fs FS, lang Lang, opts Options) *Eval {
	opts = opts.withDefaults()
	return &Eval{Opts: opts, FS: fs, Lang: lang, py: lang.Python(), methods: map[string][]*Fn{}}
}

// NewFile adds a file to the program.
func (ev *Eval) NewFile(path string) *File {
	f := &File{Path: path, seen: map[findingKey]int{}}
	ev.files = append(ev.files, f)
	return f
}

// ReadSource reads a file within the budget.
func (ev *Eval) ReadSource(path string) ([]byte, error) {
	b, err := ev.FS.Read(path)
	ev.bytes += len(b)
	return b, err
}

// OverBudget reports whether more files may be followed.
func (ev *Eval) OverBudget() bool {
	return len(ev.files) > ev.Opts.MaxFiles || ev.bytes > ev.Opts.MaxBytes
}

// Findings are the findings of all files, in the order in which they were first reached.
func (ev *Eval) Findings() []FileFindings {
	var out []FileFindings
	for _, f := range ev.files {
		out = append(out, FileFindings{Path: f.Path, Findings: f.findings})
	}
	return out
}

// Emit reports a finding at the place that is being followed.
func (ev *Eval) Emit(f Finding) {
	if ev.File == nil {
		return
	}
	if f.Line == 0 {
		f.Line = max(1, ev.Line)
	}
	if ev.frame != nil {
		f.Func = ev.frame.name
	}
	f.Maybe = ev.cond > 0 || ev.maybe > 0
	f.OnError = ev.onError > 0
	key := findingKey{f.Kind, f.Line, f.Rule, f.Class + f.Access, f.Target.Text, f.Why}
	for _, a := range f.Argv {
		key.b += "\x01" + a.Text
	}
	if f.Kind != Import && f.Access != "read" { // a reader counts its own failures: it knows whether the file is there
		ev.Fallible++
	}
	if i, ok := ev.File.seen[key]; ok { // the surer of two ways to reach it counts
		old := &ev.File.findings[i]
		old.Maybe = old.Maybe && f.Maybe
		old.OnError = old.OnError && f.OnError
		return
	}
	if len(ev.File.findings) >= 2000 || ev.File.crowded(f) {
		return
	}
	ev.File.seen[key] = len(ev.File.findings)
	ev.File.findings = append(ev.File.findings, f)
}

// crowded reports that enough is known of what one line does: more variants of a target
// that is not known add nothing.
func (f *File) crowded(x Finding) bool {
	most := 6
	if x.Target.Known && len(x.Argv) == 0 {
		most = 64
	}
	n := 0
	for i := len(f.findings) - 1; i >= 0; i-- {
		if old := &f.findings[i]; old.Line == x.Line && old.Kind == x.Kind && old.Class == x.Class && old.Access == x.Access && old.Rule == x.Rule {
			if n++; n >= most {
				return true
			}
		}
	}
	return false
}

// Unknown reports that analysis stopped here.
func (ev *Eval) Unknown(why string, could ...string) {
	if len(could) == 0 {
		could = All()
	}
	ev.Emit(Finding{Kind: Unknown, Why: why, Could: could})
}

// Conditional runs do as code that may or may not run.
func (ev *Eval) Conditional(do func()) {
	ev.cond++
	do()
	ev.cond--
}

// Contained runs do so that an exit or exception in it does not end what is around it.
func (ev *Eval) Contained(do func()) {
	if ev.halt != running {
		return
	}
	do()
	if !ev.spent {
		ev.halt = running
	}
}

// Later runs do when the program's own statements are done.
func (ev *Eval) Later(do func()) {
	file, line, onError := ev.File, ev.Line, ev.onError
	if len(ev.queue) < 500 {
		ev.queue = append(ev.queue, func() {
			ev.File, ev.Line, ev.onError = file, line, onError
			do()
		})
	}
}

// RunQueue runs what Later was given.
func (ev *Eval) RunQueue() {
	for n := 0; len(ev.queue) > 0 && n < 1000 && !ev.spent; n++ {
		do := ev.queue[0]
		ev.queue = ev.queue[1:]
		ev.halt, ev.cond, ev.onError = running, 0, 0
		do()
	}
}

// Halted reports that the code being followed does not go on.
func (ev *Eval) Halted() bool { return ev.halt != running }

// Exit ends the program.
func (ev *Eval) Exit() { ev.halt = exited }

// InBranch reports that a was made before a condition that is undecided here.
func (ev *Eval) InBranch(a *Arr) bool { return ev.cond > a.cond }

// InTry reports that an exception would be caught.
func (ev *Eval) InTry() bool { return ev.tries > 0 }

// OnError runs do as code that runs when something failed.
func (ev *Eval) OnError(do func()) {
	before := ev.onError
	ev.onError++
	do()
	ev.onError = before
}

// Survive goes on after code that must have thrown, as if it might not have: a module that
// throws as it is loaded is more likely one that was misjudged.
func (ev *Eval) Survive() {
	if ev.halt == threw && ev.tries == 0 {
		ev.halt = running
		ev.maybe++
	}
}

// Throw raises an exception.
func (ev *Eval) Throw() { ev.halt = threw }

// InModule evaluates statements as the body of a module with the names in globals.
func (ev *Eval) InModule(file *File, globals map[string]Val, this Val, body func(*Scope)) {
	scope := &Scope{vars: map[string]*variable{}, fn: true, file: file}
	for k, v := range globals {
		scope.vars[k] = &variable{val: v, cond: ev.cond}
	}
	oldFile, oldLine, oldScope, oldFrame, oldOnError := ev.File, ev.Line, ev.scope, ev.frame, ev.onError
	ev.File, ev.scope, ev.frame = file, scope, &frame{this: this}
	body(scope)
	ev.File, ev.Line, ev.scope, ev.frame, ev.onError = oldFile, oldLine, oldScope, oldFrame, oldOnError
	if ev.halt == returned {
		ev.halt = running
	}
}

// Define adds a variable to the current scope. ref, if not nil, is asked each time.
func (ev *Eval) Define(name string, v Val, ref func() Val) {
	if ev.scope.vars == nil {
		ev.scope.vars = map[string]*variable{}
	}
	ev.scope.vars[name] = &variable{val: v, cond: ev.cond, ref: ref}
}

// ModuleVar is a variable of a module's scope.
func (s *Scope) Var(name string) (Val, bool) {
	v, ok := s.vars[name]
	if !ok {
		return nil, false
	}
	if v.ref != nil {
		return v.ref(), true
	}
	return v.val, true
}

// Names are the variables of a scope.
func (s *Scope) Names() []string {
	names := make([]string, 0, len(s.vars))
	for n := range s.vars {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func (ev *Eval) step(n *Node) bool {
	ev.steps++
	if ev.steps > ev.Opts.MaxSteps {
		if !ev.spent {
			ev.spent = true
			ev.Line = int(n.Line)
			ev.Unknown("the program is larger than the analysis budget")
		}
		ev.halt = exited
		return false
	}
	return true
}

// Charge counts work that is not in the number of nodes: bytes and elements that are gone
// through.
func (ev *Eval) Charge(n int) { ev.steps += n / 32 }

func (ev *Eval) lookup(name string) *variable {
	for s := ev.scope; s != nil; s = s.parent {
		if s.class && s != ev.scope {
			continue
		}
		if v, ok := s.vars[name]; ok {
			return v
		}
	}
	return nil
}

func (ev *Eval) name(n *Node) Val {
	if v := ev.lookup(n.Str); v != nil {
		if v.ref != nil {
			return v.ref()
		}
		return v.val
	}
	if n.Str == "arguments" && ev.frame != nil && !ev.py {
		a := ev.NewArr(ev.frame.args.List...)
		a.Open = ev.frame.args.Open
		return a
	}
	if v, ok := ev.Lang.Global(ev, n.Str); ok {
		return v
	}
	return NewUnk()
}

// fnScope is the scope that var declares into, and Python assigns into.
func (ev *Eval) fnScope() *Scope {
	s := ev.scope
	for !s.fn && s.parent != nil {
		s = s.parent
	}
	return s
}

func (ev *Eval) declare(s *Scope, name string, v Val) {
	if old, ok := s.vars[name]; ok && old.ref == nil && ev.cond > old.cond {
		old.val = Join(old.val, v)
		return
	}
	if old, ok := s.vars[name]; ok {
		old.val, old.ref = v, nil
		return
	}
	if s.vars == nil {
		s.vars = map[string]*variable{}
	}
	s.vars[name] = &variable{val: v, cond: ev.cond}
}

// assignName stores into the variable that name means here.
func (ev *Eval) assignName(name string, v Val) {
	if ev.py {
		s := ev.fnScope()
		if s.global[name] {
			for p := s.parent; p != nil; p = p.parent {
				if _, ok := p.vars[name]; ok || p.parent == nil {
					ev.declare(p, name, v)
					return
				}
			}
		}
		ev.declare(s, name, v)
		return
	}
	if x := ev.lookup(name); x != nil {
		if ev.cond > x.cond {
			v = Join(x.val, v)
		}
		x.val, x.ref = v, nil
		return
	}
	s := ev.scope
	for s.parent != nil {
		s = s.parent
	}
	ev.declare(s, name, v)
}

// bind stores v into a pattern. declared is the scope of a declaration, nil for assignment.
func (ev *Eval) bind(target *Node, v Val, declared *Scope) {
	if target == nil || !ev.step(target) {
		return
	}
	switch target.Op {
	case OpName:
		if declared != nil && !ev.py {
			ev.declare(declared, target.Str, v)
		} else {
			ev.assignName(target.Str, v)
		}
	case OpAssign:
		if _, undef := v.(Undef); undef {
			v = ev.eval(target.B)
		} else if u, ok := v.(*Union); ok {
			for _, a := range u.Alts {
				if _, undef := a.(Undef); undef {
					v = Join(v, ev.eval(target.B))
				}
			}
		} else if _, unk := v.(*Unk); unk && v.(*Unk).Text == Hole {
			v = Join(ev.eval(target.B), v)
		}
		ev.bind(target.A, v, declared)
	case OpMember:
		ev.set(ev.eval(target.A), target.Str, v)
	case OpIndex:
		ev.setIndex(ev.eval(target.A), ev.eval(target.B), v)
	case OpArray, OpTuple:
		ev.bindList(target, v, declared)
	case OpObject:
		ev.bindObject(target, v, declared)
	case OpSpread:
		ev.bind(target.A, v, declared)
	}
}

func (ev *Eval) bindList(target *Node, v Val, declared *Scope) {
	arr, _ := v.(*Arr)
	for i, t := range target.List {
		switch {
		case t.Op == OpUndef:
		case t.Op == OpSpread:
			rest := ev.NewArr()
			if arr != nil && i <= len(arr.Elems) {
				rest.Add(arr.Elems[i:]...)
				rest.Open = arr.Open
			} else {
				rest.Open = true
			}
			ev.bind(t.A, rest, declared)
		default:
			ev.bind(t, ev.index(v, float64(i)), declared)
		}
	}
}

func (ev *Eval) bindObject(target *Node, v Val, declared *Scope) {
	var taken []string
	for _, t := range target.List {
		if t.Op == OpSpread {
			rest := ev.NewObj()
			if o, ok := v.(*Obj); ok {
				for _, k := range o.Keys {
					if !slices.Contains(taken, k) {
						rest.Put(k, ev.get(o, k))
					}
				}
				rest.Open, rest.Env = o.Open, o.Env
			} else {
				rest.Open = true
			}
			ev.bind(t.A, rest, declared)
			continue
		}
		var key Val = t.A.Str
		if t.A.Op != OpStr {
			key = ev.eval(t.A)
		}
		taken = append(taken, textOf(key))
		ev.bind(t.B, ev.index(v, key), declared)
	}
}
