// Package cli contains what the command lines of both services share.
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

// Exit statuses of a program.
const (
	StatusDone        = 0
	StatusFailed      = 1
	StatusUsage       = 2
	StatusNotFound    = 4
	StatusInterrupted = 130 // as shells report Ctrl-C
)

const statusHelp = "Exit status: 0 done, 1 failed, 2 the command line is wrong, 4 what was asked for is not there, " +
	"130 interrupted."

type statusError struct {
	error
	status int
}

func (e *statusError) Unwrap() error { return e.error }

// WithStatus returns err with an exit status.
func WithStatus(status int, err error) error { return &statusError{err, status} }

// Usagef returns an error with StatusUsage. Its text should say how to write the command line.
func Usagef(format string, args ...any) error {
	return WithStatus(StatusUsage, fmt.Errorf(format, args...))
}

// NotFoundf returns an error with StatusNotFound.
func NotFoundf(format string, args ...any) error {
	return WithStatus(StatusNotFound, fmt.Errorf(format, args...))
}

// Status returns the exit status of err.
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

// Main runs the program and exits. The first SIGINT or SIGTERM cancels the context, the second one ends the
// process. If the reader of the output exits, as head does, SIGPIPE ends the process silently.
func Main(name string, run func(ctx context.Context, args []string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Args[1:])
	report(os.Stderr, name, err)
	os.Exit(Status(err))
}

// report prints err, after the name of the program, unless it is an interruption or a closed output.
func report(w io.Writer, name string, err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, syscall.EPIPE) {
		return
	}
	for line := range strings.Lines(name + ": " + err.Error()) {
		fmt.Fprintln(w, Printable(strings.TrimSuffix(line, "\n")))
	}
}
