package script

// Op is the kind of a Node.
type Op uint8

// Nodes of both languages. The comment names the fields that are used: Str, A, B, C, List.
const (
	OpBad Op = iota // not understood

	// Expressions.
	OpName    // Str
	OpStr     // Str: the text
	OpNum     // Str: the literal
	OpRegex   // Str: /pattern/flags
	OpTrue    //
	OpFalse   //
	OpNull    // null, None
	OpUndef   // undefined, a hole in an array
	OpThis    //
	OpSuper   //
	OpConcat  // List: the parts of a template or f-string, OpStr or expressions
	OpArray   // List
	OpObject  // List of OpProp, OpSpread
	OpProp    // A key, B value; Str "get", "set", "static" or ""
	OpFunc    // Fn
	OpClass   // Str name, A parent, List of OpProp (B Func or initial value), C decorator list
	OpUnary   // Str operator, A
	OpUpdate  // Str operator, A
	OpBinary  // Str operator, A, B
	OpLogical // Str && || ??, A, B
	OpAssign  // Str operator, A target, B value; as a pattern: A with default B
	OpCond    // A ? B : C
	OpCall    // A callee, List arguments
	OpNew     // A callee, List arguments
	OpMember  // A object, Str name
	OpIndex   // A object, B index
	OpSlice   // A object, B low, C high
	OpSeq     // List
	OpSpread  // A; Str "**" for Python's mapping form
	OpKeyword // Str name, A value: a keyword argument
	OpAwait   // A
	OpYield   // A
	OpTagged  // A tag, B OpConcat or OpStr
	OpImport  // A: import(A)
	OpMeta    // import.meta
	OpComp    // A element, List of loops (OpForOf without a body, or OpIf); a comprehension
	OpTuple   // List
	OpJSX     // List of the expressions inside

	// Statements.
	OpVar        // Str var, let, const; List of OpAssign (A pattern, B value or nil)
	OpReturn     // A or nil
	OpIf         // A, B, C or nil
	OpFor        // A init, B test, C update, List[0] body
	OpForIn      // A target, B object, C body
	OpForOf      // A target, B iterable, C body
	OpWhile      // A, B body
	OpDo         // A test, B body
	OpBreak      //
	OpContinue   //
	OpThrow      // A or nil
	OpTry        // A block, List of OpCatch, B else block, C finally
	OpCatch      // A pattern or nil, B block, C the class that is caught
	OpSwitch     // A, List of OpCase
	OpCase       // A test or nil for default, List body
	OpBlock      // List
	OpWith       // List of OpAssign (A target or nil, B value), C body
	OpGlobal     // List of OpName
	OpDelete     // A
	OpImportFrom // Str module, List of OpAlias; A is not nil for a plain import of the module
	OpAlias      // Str imported name ("*", "default"), A local OpName
	OpExport     // List of OpAlias (Str exported name, A local expression)
	OpExportFrom // Str module, List of OpAlias (Str exported name, A OpName imported name); empty: all
	OpEmpty
)

// Node is one node of a syntax tree.
type Node struct {
	Op   Op
	Opt  bool // ?. on members and calls; a hoisted function declaration
	Line int32
	Str  string
	A    *Node
	B    *Node
	C    *Node
	List []*Node
	Fn   *Func
}

// Func is a function. Its body is parsed when it is first called, so that code that is
// never reached costs no more than finding its end.
type Func struct {
	Name       string
	Line       int
	Params     []*Node // patterns; OpAssign for a default, OpSpread for the rest
	Expr       *Node   // the body of an expression arrow or lambda
	Parse      func() []*Node
	Arrow      bool // takes this from around it
	Async      bool
	Gen        bool
	Kind       string // "", get, set, static, class (a Python classmethod), property
	Self       bool   // its first parameter is the receiver (Python methods)
	Decorators []*Node

	body   []*Node
	parsed bool
	calls  int
	cost   int
	active int
}

// Body returns the statements of f.
func (f *Func) Body() []*Node {
	if !f.parsed {
		f.parsed = true
		if f.Parse != nil {
			f.body = f.Parse()
			f.Parse = nil
		}
	}
	return f.body
}
