package fault

import (
	"fmt"
	"strings"
)

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
