// Package script holds what the JavaScript and Python scanners share: the findings they
// report, the syntax tree they parse into, and an evaluator that follows that tree with
// abstract values. It refuses to execute anything: it reads files through an FS that the
// caller bounds, and where a value, a branch or a module cannot be known it says so.
package script

import (
	"errors"
	"strings"
)

// Kind tells how a Finding is to be used.
type Kind uint8

const (
	// Unknown marks a place where the analysis stopped; Why and Could are set.
	Unknown Kind = iota
	// Import is a module that the program loads; Target is the file or package name.
	Import
	// Effect is an effect of the program itself; Class, Access and Target are set.
	Effect
	// Shell is shell text that the program runs; Target is the text.
	Shell
	// Exec is a program that is run without a shell; Argv holds name and arguments.
	Exec
	// Script is another file run by the same interpreter; Argv holds file and arguments.
	Script
)

func (k Kind) String() string {
	switch k {
	case Import:
		return "import"
	case Effect:
		return "effect"
	case Shell:
		return "shell"
	case Exec:
		return "exec"
	case Script:
		return "script"
	default:
		return "unknown"
	}
}

// Hole stands for each unknown part of a Value's Text. It is a byte that neither a path
// nor an argument can hold.
const Hole = "\x00"

// Value is what is known about a string: a path, URL, host, variable name, shell text.
type Value struct {
	Text   string // the text; unknown parts are written as Hole
	Known  bool   // Text has no unknown part
	Prefix string // the known text before the first Hole (Text itself when Known)
}

// Known returns the value of a literal.
func Known(text string) Value { return Value{Text: text, Known: true, Prefix: text} }

// Pattern returns the value of a text that may have holes.
func Pattern(text string) Value {
	before, _, holed := strings.Cut(text, Hole)
	return Value{Text: text, Known: !holed, Prefix: before}
}

// Finding is one thing a program does, at one place.
type Finding struct {
	Kind   Kind
	Line   int    // 1-based
	Rule   string // the rule that recognised it: "js/fs.writeFile", "py/subprocess.run"
	Class  string // for Effect: file, network, environment, process, container, mcp
	Access string // for Effect: read, write, delete, fetch, send, listen, ...
	Target Value
	Argv   []Value
	Tree   bool     // for an Effect on a file: all below the folder
	Link   *Value   // for an Effect that writes: Target is a symbolic link, and this is what it leads to
	Dir    *Value   // the directory a Shell, Exec or Script starts in, when it is given
	Why    string   // for Unknown: why analysis stopped
	Could  []string // for Unknown: the classes it could have
	Func   string   // the function around it; "" is the top level

	// Maybe is set when a condition that could not be decided stands before it.
	Maybe bool
	// OnError is set when it happens only after something else failed (a catch or
	// except block, an error listener, the branch for a failed child).
	OnError bool
}

// FileFindings are the findings of one file of a program.
type FileFindings struct {
	Path     string // as given to, or made for, the FS; "" is source text without a file
	Findings []Finding
}

// FS is how a scanner reads. Paths are absolute and slash-separated. The implementation
// bounds and records reads; its errors end in an Unknown.
type FS interface {
	Read(path string) ([]byte, error)
	Exists(path string) bool
	IsDir(path string) bool
	// Real resolves symbolic links; it returns path itself where it cannot.
	Real(path string) string
}

// Lister is an FS that can list folders. Names are sorted.
type Lister interface {
	Names(dir string) ([]string, error)
}

// Var is what is known of an environment variable at the start of a program.
type Var struct {
	Value string
	Set   bool
	Known bool // false: it may or may not be set, to anything
}

// Options describe the run to be predicted. The zero value works: what is not given is
// unknown.
type Options struct {
	// Source is the text of the program where it is not in a file (node -e, python -c,
	// standard input). The entry path then only gives the folder for relative imports.
	Source []byte
	Inline bool     // Source stands on a command line: the arguments do not begin with a script's name (process.argv)
	Args   []string // arguments after the script's name, or after the text; unknown parts are written as Hole
	Dir    string   // working directory, absolute
	Home   string   // home directory, absolute
	Temp   string   // folder of temporary files; /tmp when empty
	// Interpreter is the program that runs scripts of this kind ("node", "python3" when
	// empty); a child started through process.execPath or sys.executable is it.
	Interpreter string
	Platform    string // as in process.platform and sys.platform; "linux" when empty
	Arch        string // as in process.arch; "x64" when empty
	Env         func(name string) Var
	// Input is the text on standard input, where HasInput says that it is known. For an MCP
	// server it is the messages of its client.
	Input    string
	HasInput bool

	MaxFiles int // modules followed; 400 when 0
	MaxBytes int // source bytes read; 8 MiB when 0
	MaxSteps int // nodes evaluated; 150,000 when 0
}

func (o Options) withDefaults() Options {
	if o.MaxFiles == 0 {
		o.MaxFiles = 400
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 8 << 20
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = 150_000
	}
	if o.Temp == "" {
		o.Temp = "/tmp"
	}
	if o.Platform == "" {
		o.Platform = "linux"
	}
	if o.Arch == "" {
		o.Arch = "x64"
	}
	if o.Env == nil {
		o.Env = func(string) Var { return Var{} }
	}
	return o
}

// NoFiles is a file system without files, for scanning a text by itself.
type NoFiles struct{}

var errNoFiles = errors.New("there are no files here")

func (NoFiles) Read(string) ([]byte, error) { return nil, errNoFiles }
func (NoFiles) Exists(string) bool          { return false }
func (NoFiles) IsDir(string) bool           { return false }
func (NoFiles) Real(p string) string        { return p }
