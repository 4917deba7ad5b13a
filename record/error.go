package record

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Code says what kind of failure an Error is. A program branches on it; a person reads Message and Next.
type Code string

// The codes of Error.
const (
	CodeNewer      Code = "newer"       // the log was made by a newer ambit
	CodeKey        Code = "key"         // a key is missing, malformed, readable by others, or not the log's
	CodeRolledBack Code = "rolled-back" // the log is older than, or another than, what this machine signed last
	CodeDamaged    Code = "damaged"     // what is in the log is not what was signed
	CodeMissing    Code = "missing"     // the log, or a part of it, is gone
	CodeFull       Code = "full"        // no space or no quota left
	CodeState      Code = "state"       // a folder or file cannot be used: permission, read-only, not a folder, input/output
	CodeBody       Code = "body"        // what should be sealed is no JSON object, or too large
)

// Error is every failure of Open, Append, Read and the readers' methods. Nothing was sealed, unless Message says that it may have been.
type Error struct {
	Code    Code
	Message string // what is wrong, and where
	Next    string // what a person can do about it
	Err     error  // the cause; nil if there is none below
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

func fail(code Code, next, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Next: next}
}

// blame turns what a file operation returned into an Error. what is the beginning of a sentence: "cannot write the log in /x".
// An error that is one already stays as it is.
func blame(err error, what string) *Error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e
	}
	code, next := CodeState, "see that the folder is on a working disk, and that you may read and write it; then try again"
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		code, next = CodeFull, "free some space on that disk, then try again"
	case errors.Is(err, syscall.EROFS):
		next = "that file system is read-only: make it writable, or set XDG_STATE_HOME to a folder that is"
	case errors.Is(err, fs.ErrPermission):
		next = "give yourself access to that folder and what is in it (chmod -R u+rwX), then try again"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, fs.ErrExist):
		next = "something that is no plain file or folder stands in its place: move it away, then try again"
	case errors.Is(err, syscall.EIO):
		next = "the disk reports an error: look at the system's log, and copy the folder to another disk"
	}
	return &Error{Code: code, Message: what, Next: next, Err: err}
}
