// Package cli contains what the command lines of both programs share: exit statuses, usage
// errors, tables and JSON, links, progress, completion and manual pages.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"backend.example/services/internal/kit/fault"
)

// The statuses with which a program exits.
const (
	StatusDone        = 0
	StatusFailed      = 1
	StatusUsage       = 2   // the command line is wrong
	StatusNotFound    = 4   // what was asked for is not there
	StatusInterrupted = 130 // as shells count a Ctrl-C
)

const statusHelp = "Exit status: 0 done, 1 failed, 2 the command line is wrong, 4 what was asked for is not there, 130 interrupted."

// statusError is an error that says with which status the program exits.
type statusError struct {
	error
	status int
}

func (e *statusError) Unwrap() error { return e.error }

// WithStatus makes err end the program with status.
func WithStatus(status int, err error) error { return &statusError{err, status} }

// Usagef is an error of the command line itself. It says what to write instead.
func Usagef(format string, args ...any) error {
	return WithStatus(StatusUsage, fmt.Errorf(format, args...))
}

// NotFoundf is an error that says that something is not there.
func NotFoundf(format string, args ...any) error {
	return WithStatus(StatusNotFound, fmt.Errorf(format, args...))
}

// Status is the status with which err ends a program.
func Status(err error) int {
	var e *statusError
	switch {
	case err == nil:
		return StatusDone
	case errors.As(err, &e):
		return e.status
	case errors.Is(err, context.Canceled):
		return StatusInterrupted
	case fault.From(err).Kind == fault.NotFound:
		return StatusNotFound
	}
	return StatusFailed
}

// Main runs the program and ends the process. The first SIGINT or SIGTERM cancels the
// context, the second one ends the process at once. A reader of the output that goes
// away, as head does, ends it by SIGPIPE, without a word.
func Main(name string, run func(ctx context.Context, args []string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Args[1:])
	report(os.Stderr, name, err)
	os.Exit(Status(err))
}

// report tells what went wrong. Nobody needs to be told of an interruption, or that
// nobody reads the output any more.
func report(w io.Writer, name string, err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, syscall.EPIPE) {
		return
	}
	for line := range strings.Lines(name + ": " + err.Error()) {
		fmt.Fprintln(w, Printable(strings.TrimSuffix(line, "\n")))
	}
}
