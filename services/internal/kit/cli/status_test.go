package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"backend.example/services/internal/kit/fault"
)

func TestStatus(t *testing.T) {
	for want, errs := range map[int][]error{
		StatusDone:        {nil},
		StatusFailed:      {errors.New("x"), fault.New(fault.Invalid, "x", "")},
		StatusUsage:       {Usagef("x"), fmt.Errorf("y: %w", Usagef("x"))},
		StatusNotFound:    {NotFoundf("x"), fmt.Errorf("y: %w", fault.New(fault.NotFound, "x", ""))},
		StatusInterrupted: {context.Canceled, fmt.Errorf("y: %w", context.Canceled)},
	} {
		for _, err := range errs {
			if got := Status(err); got != want {
				t.Errorf("%v: status %d, want %d", err, got, want)
			}
		}
	}
}

func TestReport(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{fmt.Errorf("y: %w", context.Canceled), ""},
		{fmt.Errorf("write: %w", syscall.EPIPE), ""},
		{errors.New("a\nb"), "tool: a\nb\n"},
		{errors.New("\x1b]0;title\a\x9b31m\u202e"), "tool: \ufffd]0;title\ufffd\ufffd31m\ufffd\n"},
	} {
		var out strings.Builder
		if report(&out, "tool", test.err); out.String() != test.want {
			t.Errorf("%v: reported %q, want %q", test.err, &out, test.want)
		}
	}
}
