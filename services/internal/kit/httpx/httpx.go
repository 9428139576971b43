// Package httpx is the HTTP server of both services: an echo instance with shared middleware, the mapping of
// faults to statuses, the admin endpoints, and a graceful shutdown.
package httpx

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
)

// Options configure the echo instance of a service.
type Options struct {
	Log       *slog.Logger
	Metrics   *Metrics
	AccessLog *AccessLog // may be nil
	BodyLimit int64      // in bytes
	CORS      CORS
	Rate      Rate
	Timeout   time.Duration          // after which the context of a request ends; 0 for no limit
	ErrorBody func(*fault.Error) any // returns the JSON body of an error
	Site      *site.Site             // writes errors of its pages; may be nil
}

// New returns an echo instance with the shared middleware, from the outside in: request id and nosniff, access log
// and metrics, compression, recovery, body limit, CORS, rate limit.
func New(o Options) *echo.Echo {
	e := echo.New()
	e.HTTPErrorHandler = o.handleError
	e.Use(o.middleware)
	if len(o.CORS.Origins) > 0 {
		e.Use(o.CORS.middleware())
	}
	if o.Rate.PerSecond > 0 {
		e.Use(o.Rate.middleware())
	}
	return e
}

// noSniff is shared, which saves an allocation.
var noSniff = []string{"nosniff"}

// middleware is one function, because echo creates a function for each middleware in every request.
func (o *Options) middleware(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		r, w := c.Request(), c.Response()
		header := w.Header() // names in canonical form
		header[echo.HeaderXRequestID] = []string{requestIDOf(r)}
		header[echo.HeaderXContentTypeOptions] = noSniff
		o.Metrics.inFlight.Inc()
		defer o.Metrics.inFlight.Dec()
		connection := w.Writer
		if r.Body != http.NoBody {
			// With another writer, net/http would not close the connection after a body that is too large.
			r.Body = http.MaxBytesReader(connection, r.Body, o.BodyLimit)
		}
		compressed := newCompressor(connection, r)
		w.Writer = compressed
		if o.Timeout > 0 {
			ctx, cancel := context.WithTimeout(r.Context(), o.Timeout)
			defer cancel()
			c.SetRequest(r.WithContext(ctx))
		}
		if err := o.recovered(c, next); err != nil {
			c.Error(err)
		}
		compressed.close()
		w.Writer = connection
		took := time.Since(start)
		o.Metrics.finished(c, took)
		if o.AccessLog != nil {
			o.AccessLog.add(c, start, took)
		}
		return nil
	}
}

const (
	maxRequestIDLen = 64
	// idChars need no quoting in a log line or header.
	idChars = "-_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// requestIDOf returns the X-Request-Id of r, or a new one if it is missing or malformed.
func requestIDOf(r *http.Request) string {
	id := r.Header.Get(echo.HeaderXRequestID)
	if id == "" || len(id) > maxRequestIDLen || strings.Trim(id, idChars) != "" {
		return rand.Text()
	}
	return id
}

// RequestID returns the id of the request of c.
func RequestID(c echo.Context) string { return c.Response().Header().Get(echo.HeaderXRequestID) }

// errPanic marks an error that has been logged.
var errPanic = errors.New("panic")

// recovered turns a panic into an internal fault, and logs its stack.
func (o *Options) recovered(c echo.Context, next echo.HandlerFunc) (err error) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if e, _ := r.(error); errors.Is(e, http.ErrAbortHandler) {
			panic(r)
		}
		o.requestLog(c).ErrorContext(c.Request().Context(), "panic",
			"panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		err = fmt.Errorf("%w: %v", errPanic, r)
	}()
	return next(c)
}

// statusClientGone is the status in metrics and logs if the client has disconnected.
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

// handleError writes errors as JSON or as a page, with Cache-Control: no-store and Retry-After if it is known. 5xx
// are logged once, with their cause. If the response has begun, the error is only logged.
func (o *Options) handleError(err error, c echo.Context) {
	ctx := c.Request().Context()
	if c.Response().Committed {
		o.requestLog(c).WarnContext(ctx, "answer broken off", "error", err)
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
		o.requestLog(c).ErrorContext(ctx, "request failed", "code", f.Code, "status", status, "error", err)
	}
	header := c.Response().Header()
	header.Set(echo.HeaderCacheControl, "no-store")
	if f.RetryAfter > 0 { // whole seconds (RFC 9110, section 10.2.3)
		header.Set(echo.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
	if err := o.writeError(c, status, f); err != nil {
		o.requestLog(c).WarnContext(ctx, "error answer not written", "error", err)
	}
}

func (o *Options) requestLog(c echo.Context) *slog.Logger {
	return o.Log.With("method", c.Request().Method, "route", c.Path(), "request_id", RequestID(c))
}

func (o *Options) writeError(c echo.Context, status int, f *fault.Error) error {
	if o.Site != nil {
		if written, err := o.Site.WriteError(c.Response(), c.Request(), status, f); written || err != nil {
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
