package ceneo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/gocolly/colly/v2"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// failure translates an error of a look-up made with ctx. Faults are returned as
// they are. When ctx has ended, its error takes the place of what followed from it.
func failure(ctx context.Context, err error) error {
	var classified *fault.Error
	switch {
	case errors.As(err, &classified):
		return classified
	case ctx.Err() != nil:
		return fmt.Errorf("look-up given up: %w", ctx.Err())
	case errors.Is(err, colly.ErrRobotsTxtBlocked):
		return lookup.Disallowed(err)
	case isTimeout(err):
		return lookup.Slow(err)
	case errors.Is(err, errLayout), errors.Is(err, colly.ErrForbiddenDomain), errors.Is(err, errRedirects):
		return lookup.Changed(err)
	}
	return lookup.Unreachable(err)
}

// unexpectedStatus is the fault for a page that has this status. Errors of the server
// say that the site is down, any other status concerns the address alone.
func unexpectedStatus(page string, status int) error {
	err := fmt.Errorf("%s: status %d", page, status)
	if status >= http.StatusInternalServerError {
		return lookup.Unreachable(err)
	}
	return lookup.NotAnswered(err)
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}
