package source

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/gocolly/colly/v2"

	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
)

// failure translates an error of a look-up made under ctx. Faults pass as they
// are; when ctx is over, its error is what the caller wants to know.
func failure(ctx context.Context, err error) error {
	var classified *fault.Error
	switch {
	case errors.As(err, &classified):
		return classified
	case ctx.Err() != nil:
		return fmt.Errorf("look-up given up: %w", ctx.Err())
	case errors.Is(err, colly.ErrRobotsTxtBlocked):
		return hardware.Blocked(err, 0)
	case isTimeout(err):
		return hardware.Slow(err)
	case errors.Is(err, errLayout), errors.Is(err, colly.ErrForbiddenDomain), errors.Is(err, errRedirects):
		return hardware.Changed(err)
	}
	return hardware.Unreachable(err)
}

func isTimeout(err error) bool {
	var timed net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timed) && timed.Timeout()
}
