// Package fault is the one error type that crosses package borders in both
// services: what kind of failure it is, the stable code and the Polish text a
// client may see, and the cause that only the log may see.
//
// It knows nothing of HTTP, SQL or any provider. Adapters translate a foreign
// error once, with the cause in Err; package httpx turns a Kind into a status.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies a failure by what the caller can do about it.
type Kind uint8

// The kinds. Internal is the zero value, so an unclassified error stays internal.
const (
	Internal         Kind = iota // our own failure; nothing of it is shown
	Invalid                      // the input breaks a documented rule
	Unauthenticated              // nobody is logged in
	Forbidden                    // logged in, but not allowed
	NotFound                     // no such thing, or not visible to the caller
	MethodNotAllowed             // the path exists, the method does not
	TooLarge                     // the request body exceeds its limit
	Limited                      // the caller used up a limit; RetryAfter says how long
	Upstream                     // an external source answered badly
	Unavailable                  // we cannot serve now; RetryAfter says when to come back
	Timeout                      // an external source was too slow
)

// Error is a classified failure.
type Error struct {
	Kind       Kind
	Code       string        // stable snake_case identifier, e.g. "query_too_short"
	Message    string        // Polish text for the end user; never holds internals
	Hint       string        // English text for an operator; may be empty
	RetryAfter time.Duration // zero when waiting does not help
	Err        error         // cause for the log; never shown to a client
}

// New returns an Error without a cause.
func New(kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// Wrap returns an Error that keeps err as its cause.
func Wrap(err error, kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message, Err: err}
}

// After returns a copy of e that asks the caller to wait for d.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// Error is for logs: the code and the cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", e.Code, e.Err)
	}
	return e.Code
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// From returns the outermost Error in err's chain; an unclassified err becomes
// Internal with err as its cause. From(nil) is a nil *Error, which must not be
// returned as an error.
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

// Is reports whether the outermost Error in err's chain has the code, given as a Code
// or as its name.
func Is[C ~string | Code](err error, code C) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == fmt.Sprint(code)
}
