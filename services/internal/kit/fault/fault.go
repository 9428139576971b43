// Package fault contains the error type of both services. Where another error is first understood, it becomes the
// cause of an Error; package httpx maps a Kind to a status.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind classifies a failure by what the caller can do about it.
type Kind uint8

// The zero value is Internal, so an unclassified error stays internal.
const (
	Internal Kind = iota // our own failure; clients see a fixed text
	Invalid
	Unauthenticated
	Forbidden
	NotFound // or not visible to the caller
	MethodNotAllowed
	TooLarge
	Limited     // too many requests, until RetryAfter has passed
	Upstream    // an external source sent a bad response
	Unavailable // until RetryAfter has passed
	Timeout     // an external source did not respond in time
)

// Error is a classified failure.
type Error struct {
	Kind       Kind
	Code       string        // snake_case, such as "query_too_short"; stable
	Message    string        // Polish text for the end user
	Hint       string        // English text for an operator; may be empty
	RetryAfter time.Duration // when a retry may succeed; 0 if it is unknown, or waiting does not help
	Err        error         `json:"-"` // for the log
}

// New returns an Error without a cause.
func New(kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// Wrap returns an Error with the cause err.
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

// Advice returns the hint, and when to try again. It is empty without a hint.
func (e *Error) Advice() string {
	if e.Hint == "" || e.RetryAfter <= 0 {
		return e.Hint
	}
	return fmt.Sprintf("%s; try again in %s", e.Hint, e.RetryAfter.Round(time.Second))
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// From returns the outermost Error in err's chain. An unclassified err becomes the cause of an Internal one.
// From(nil) returns a nil *Error, which must not be returned as an error.
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

// Is reports whether the outermost Error in err's chain has the code, which is a Code or its name.
func Is[C ~string | Code](err error, code C) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == fmt.Sprint(code)
}

// Code is one way in which a request fails. It has one meaning in the whole service and belongs to the package
// that returns it.
type Code struct {
	Kind Kind
	Name string // snake_case, such as "no_audit"; stable
	Text string // Polish text for the end user; Of replaces %s in it by the name of a field
	Hint string // English text for an operator; may be empty
}

// NewCode returns a Code. Codes that a command can return need a hint.
func NewCode(kind Kind, name, text string, hint ...string) Code {
	return Code{Kind: kind, Name: name, Text: text, Hint: strings.Join(hint, " ")}
}

// String returns the name.
func (c Code) String() string { return c.Name }

// Fault returns an Error with that code.
func (c Code) Fault() *Error { return c.Wrap(nil) }

// Wrap returns an Error with that code and the cause err.
func (c Code) Wrap(err error) *Error {
	return &Error{Kind: c.Kind, Code: c.Name, Message: c.Text, Hint: c.Hint, Err: err}
}

// Of returns an Error whose text names a field.
func (c Code) Of(field string) *Error {
	e := c.Fault()
	e.Message = fmt.Sprintf(c.Text, field)
	return e
}
