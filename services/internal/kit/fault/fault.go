// Package fault contains the error type of both services: the kind of a failure, its stable
// code, its Polish text for clients, and its cause, which is only logged. Other errors are
// translated once, with the cause in Err; package httpx maps a Kind to a status.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind classifies a failure by what the caller can do about it.
type Kind uint8

// The kinds. Internal is the zero value, so an unclassified error stays internal.
const (
	Internal         Kind = iota // our own failure; clients see a fixed text
	Invalid                      // the input violates a documented rule
	Unauthenticated              // no login
	Forbidden                    // logged in, but not allowed
	NotFound                     // no such thing, or not visible to the caller
	MethodNotAllowed             // the path exists, the method does not
	TooLarge                     // the request body exceeds its limit
	Limited                      // the caller has exceeded a limit, until RetryAfter
	Upstream                     // an external source returned a bad response
	Unavailable                  // temporarily, until RetryAfter
	Timeout                      // an external source was too slow
)

// Error is a classified failure.
type Error struct {
	Kind       Kind
	Code       string        // stable snake_case identifier, e.g. "query_too_short"
	Message    string        // Polish text for the end user, without internals
	Hint       string        // English text for an operator; may be empty
	RetryAfter time.Duration // zero if waiting does not help
	Err        error         // cause, only for the log
}

// New returns an Error without a cause.
func New(kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// Wrap returns an Error that keeps err as its cause.
func Wrap(err error, kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message, Err: err}
}

// After returns a copy of e with RetryAfter d.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// Error returns the code and the cause, for logs.
func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", e.Code, e.Err)
	}
	return e.Code
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// From returns the outermost Error in err's chain. An unclassified err becomes Internal
// with err as its cause. From(nil) returns a nil *Error, which must not be returned as an
// error.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Wrap(err, Internal, "internal", "Wystąpił nieoczekiwany błąd. Spróbuj ponownie później.")
}

// Is reports whether the outermost Error in err's chain has the code, given as a Code or as
// its name.
func Is[C ~string | Code](err error, code C) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == fmt.Sprint(code)
}

// Code is one way in which a request fails. It has one meaning in the whole service,
// and belongs to the package that returns it.
type Code struct {
	Kind Kind
	Name string // stable snake_case identifier, e.g. "no_audit"
	Text string // Polish text for the end user; %s is the name of a field
	Hint string // English text for an operator; may be empty
}

// NewCode returns a Code. hint is the Hint, for codes that a command can meet.
func NewCode(kind Kind, name, text string, hint ...string) Code {
	return Code{Kind: kind, Name: name, Text: text, Hint: strings.Join(hint, " ")}
}

// String returns the name.
func (c Code) String() string { return c.Name }

// Fault returns an Error with that code.
func (c Code) Fault() *Error { return c.Wrap(nil) }

// Wrap returns an Error with that code that keeps err as its cause.
func (c Code) Wrap(err error) *Error {
	return &Error{Kind: c.Kind, Code: c.Name, Message: c.Text, Hint: c.Hint, Err: err}
}

// Of returns an Error whose text names a field.
func (c Code) Of(field string) *Error {
	e := c.Fault()
	e.Message = fmt.Sprintf(c.Text, field)
	return e
}
