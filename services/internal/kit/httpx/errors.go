package httpx

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
)

// statusClientGone is for metrics, if the client has disconnected.
const statusClientGone = 499

var statuses = map[fault.Kind]int{
	fault.Invalid:          http.StatusBadRequest,
	fault.Unauthenticated:  http.StatusUnauthorized,
	fault.Forbidden:        http.StatusForbidden,
	fault.NotFound:         http.StatusNotFound,
	fault.MethodNotAllowed: http.StatusMethodNotAllowed,
	fault.TooLarge:         http.StatusRequestEntityTooLarge,
	fault.Limited:          http.StatusTooManyRequests,
	fault.Upstream:         http.StatusBadGateway,
	fault.Unavailable:      http.StatusServiceUnavailable,
	fault.Timeout:          http.StatusGatewayTimeout,
}

// Status returns the HTTP status of a kind, by default 500.
func Status(k fault.Kind) int { return cmp.Or(statuses[k], http.StatusInternalServerError) }

// errorHandler writes errors as JSON or as a page, with Cache-Control: no-store and Retry-After if it is known.
// 5xx are logged once, with their cause. If the response has begun, the error is only logged.
func errorHandler(o Options) echo.HTTPErrorHandler {
	return func(err error, c echo.Context) {
		ctx := c.Request().Context()
		if c.Response().Committed {
			requestLog(o.Log, c).WarnContext(ctx, "answer broken off", "error", err)
			return
		}
		if errors.Is(ctx.Err(), context.Canceled) {
			c.Response().Status = statusClientGone
			return
		}
		f := classify(err)
		status := Status(f.Kind)
		SetCode(c, f.Code)
		if status >= http.StatusInternalServerError && !errors.Is(err, errPanic) {
			requestLog(o.Log, c).ErrorContext(ctx, "request failed", "code", f.Code, "status", status, "error", err)
		}
		header := c.Response().Header()
		header.Set(echo.HeaderCacheControl, "no-store")
		if f.RetryAfter > 0 {
			header.Set(echo.HeaderRetryAfter, retryAfter(f.RetryAfter))
		}
		if err := o.writeError(c, status, f); err != nil {
			requestLog(o.Log, c).WarnContext(ctx, "error answer not written", "error", err)
		}
	}
}

func requestLog(log *slog.Logger, c echo.Context) *slog.Logger {
	return log.With("method", c.Request().Method, "route", c.Path(), "request_id", RequestID(c))
}

// retryAfter returns whole seconds (RFC 9110, section 10.2.3), rounded up.
func retryAfter(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}

func (o Options) writeError(c echo.Context, status int, f *fault.Error) error {
	if o.ErrorPage != nil {
		if written, err := o.ErrorPage(c.Response(), c.Request(), status, f); written || err != nil {
			return err
		}
	}
	if c.Request().Method == http.MethodHead {
		c.Response().Header().Set(echo.HeaderContentType, echo.MIMEApplicationJSON)
		return c.NoContent(status)
	}
	return c.JSON(status, o.ErrorBody(f))
}

// classify returns the fault in err, or translates an error of echo or net/http.
func classify(err error) *fault.Error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	var h *echo.HTTPError
	var binding *echo.BindingError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		h = echo.ErrStatusRequestEntityTooLarge
	case errors.As(err, &binding):
		h = binding.HTTPError
	case !errors.As(err, &h):
		return fault.From(err)
	}
	switch h.Code {
	case http.StatusNotFound:
		return fault.Wrap(err, fault.NotFound, "not_found", "Nie znaleziono zasobu.")
	case http.StatusMethodNotAllowed:
		return fault.Wrap(err, fault.MethodNotAllowed, "method_not_allowed",
			"Ta metoda nie jest dozwolona dla tego adresu.")
	case http.StatusRequestEntityTooLarge:
		return fault.Wrap(err, fault.TooLarge, "body_too_large", "Treść żądania jest zbyt duża.")
	}
	if h.Code >= http.StatusBadRequest && h.Code < http.StatusInternalServerError {
		return fault.Wrap(err, fault.Invalid, "bad_request", "Nieprawidłowe żądanie.")
	}
	return fault.From(err)
}
