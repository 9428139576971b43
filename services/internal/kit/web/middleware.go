package web

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
)

const (
	requestIDKey    = "request_id"
	maxRequestIDLen = 64
)

// New returns an echo instance with the shared middleware, from the outside in:
// request id, metrics, recovery, body limit (bytes). render makes the body of
// every error but those of pages.
func New(log *slog.Logger, metrics *Metrics, bodyLimit int64, render func(*fault.Error) any, pages ...ErrorPages) *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = ErrorHandler(log, render, pages...)
	e.Use(requestID, metrics.Middleware(), recovery(log), limitBody(bodyLimit))
	return e
}

// requestID takes over the X-Request-Id of the gateway when it is well formed,
// makes one otherwise, and returns it with the answer.
func requestID(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := c.Request().Header.Get(echo.HeaderXRequestID)
		if !wellFormedID(id) {
			id = rand.Text()
		}
		c.Set(requestIDKey, id)
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		return next(c)
	}
}

// RequestIDOf returns the id of the request that c serves.
func RequestIDOf(c echo.Context) string {
	id, _ := c.Get(requestIDKey).(string)
	return id
}

// wellFormedID accepts what can go into a log line and a header without escaping.
func wellFormedID(id string) bool {
	if id == "" || len(id) > maxRequestIDLen {
		return false
	}
	for _, r := range []byte(id) {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
		default:
			return false
		}
	}
	return true
}

// errPanic marks a failure that recovery has logged already.
var errPanic = errors.New("panic")

// recovery turns a panic into an internal fault; the stack goes to the log.
func recovery(log *slog.Logger) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) (err error) {
			defer func() {
				r := recover()
				if r == nil {
					return
				}
				if e, ok := r.(error); ok && errors.Is(e, http.ErrAbortHandler) {
					panic(r)
				}
				log.With(requestAttrs(c)...).ErrorContext(c.Request().Context(), "panic",
					"panic", fmt.Sprint(r), "stack", string(debug.Stack()))
				err = fmt.Errorf("%w: %v", errPanic, r)
			}()
			return next(c)
		}
	}
}

// limitBody makes reading more than limit bytes of a request body fail with
// http.MaxBytesError.
func limitBody(limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if r := c.Request(); r.Body != nil && r.Body != http.NoBody {
				// The bare writer lets net/http close the connection of such a request.
				r.Body = http.MaxBytesReader(c.Response().Writer, r.Body, limit)
			}
			return next(c)
		}
	}
}
