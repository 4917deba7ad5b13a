package cli

import (
	"errors"
	"fmt"
)

// The exit codes, all of them. docs/cli.md says the same to users, and a test compares the two.
const (
	exitOK       = 0 // done; a plan with unknowns is a plan
	exitInternal = 1 // ambit failed: a bug, or its output could not be written
	exitUsage    = 2 // the command line is wrong
	exitInput    = 3 // what was asked about cannot be used: no such folder, arguments or settings that are no JSON, text that is no UTF-8

	exitNotSigned = 4 // the record is not what was signed
)

// exitDenied is how a hook says no, in the code that Claude Code gives a meaning (docs/cli.md, "Hooks").
const exitDenied = 2

// The codes of errors, as they stand in JSON. Each has one exit code.
const (
	codeInternal  = "internal"
	codeUsage     = "usage"
	codeNoFolder  = "no-folder"
	codeBadInput  = "bad-input"
	codeTooLarge  = "too-large"
	codeBadOutput = "output"
	codeSettings  = "settings"
	codeNoLog     = "no-log"
	codeNoEntry   = "no-entry"
	codeLogState  = "log-state"
	codeNewer     = "newer"
	codeNotSigned = "not-as-signed"
)

func exitOf(code string) int {
	switch code {
	case codeUsage:
		return exitUsage
	case codeNoFolder, codeBadInput, codeTooLarge, codeSettings, codeNoLog, codeNoEntry, codeLogState, codeNewer:
		return exitInput
	case codeNotSigned:
		return exitNotSigned
	default:
		return exitInternal
	}
}

// exitWith ends the program with a code where all that there is to say is printed.
type exitWith int

func (exitWith) Error() string { return "" }

// fault is an error for the user: what is wrong, and what to do next. Both are whole sentences without an end mark.
type fault struct {
	code    string
	message string
	next    string
}

func (f *fault) Error() string { return f.message }

func faultf(code, next, format string, args ...any) *fault {
	return &fault{code: code, next: next, message: fmt.Sprintf(format, args...)}
}

// asFault makes a fault of any error; one that nobody foresaw is internal.
func asFault(err error) *fault {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f
	}
	return &fault{code: codeInternal, message: err.Error(), next: "please report this with the command that you gave"}
}

// errorObject is a fault in JSON: docs/formats.md, "Errors".
type errorObject struct {
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Next    string `json:"next"`
}

func (f *fault) object() errorObject {
	return errorObject{errorBody{Code: f.code, Message: f.message, Next: f.next}}
}

type exitMeaning struct {
	code    int
	meaning string
}

// exitCodes is the list for people, in the manual page and in docs/cli.md.
func exitCodes() []exitMeaning {
	return []exitMeaning{
		{exitOK, "Done. A plan with unknowns in it is a plan."},
		{exitInternal, "ambit failed: a bug, or its output could not be written."},
		{exitUsage, "The command line is wrong."},
		{exitInput, "What was asked about cannot be used: the folder is not there, the tool's input is no JSON object, the text is too large or no UTF-8, a settings file cannot be edited, there is no record or no such entry."},
		{exitNotSigned, "The record is not what was signed: something in it was changed, removed, put back to an earlier state, or signed by another key."},
	}
}
