package httpx

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
)

const maxRequestIDLen = 64

// Options describe the echo instance of one service.
type Options struct {
	Log       *slog.Logger
	Metrics   *Metrics
	AccessLog *AccessLog // nil: answers are not logged
	BodyLimit int64      // of requests, in bytes
	// ErrorBody makes the JSON body of an error.
	ErrorBody func(*fault.Error) any
	// ErrorPage writes an error as a page and reports true when the request is for
	// one of the service's pages; nil: there are none.
	ErrorPage func(w http.ResponseWriter, r *http.Request, status int, f *fault.Error) (bool, error)
}

// New returns an echo instance with the shared middleware, from the outside in:
// request id and nosniff, access log and metrics, recovery, body limit.
func New(o Options) *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = errorHandler(o)
	e.Use((&shared{log: o.Log, metrics: o.Metrics, accessLog: o.AccessLog, bodyLimit: o.BodyLimit}).middleware)
	return e
}

// shared is the middleware of every request. It is one middleware instead of four,
// because echo makes a new function for each of them in every request.
type shared struct {
	log       *slog.Logger
	metrics   *Metrics
	accessLog *AccessLog
	bodyLimit int64
}

func (s *shared) middleware(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		setRequestID(c)
		c.Response().Header()[echo.HeaderXContentTypeOptions] = noSniff // the name is canonical
		start := time.Now()
		s.metrics.inFlight.Inc()
		defer s.metrics.inFlight.Dec()
		if err := s.handle(c, next); err != nil {
			c.Error(err)
		}
		took := time.Since(start)
		s.metrics.observe(c, took)
		if s.accessLog != nil {
			s.accessLog.add(c, start, took)
		}
		return nil
	}
}

// noSniff keeps browsers from taking an answer for another type than it says. All
// answers share it, so that it costs none of them an allocation.
var noSniff = []string{"nosniff"}

// setRequestID keeps the X-Request-Id of the gateway when it is well formed, and
// makes one otherwise. The answer has it as well.
func setRequestID(c echo.Context) {
	id := c.Request().Header.Get(echo.HeaderXRequestID)
	if !wellFormedID(id) {
		id = rand.Text()
	}
	c.Response().Header()[echo.HeaderXRequestID] = []string{id} // the name is canonical
}

// RequestID returns the id of the request that c serves.
func RequestID(c echo.Context) string { return c.Response().Header().Get(echo.HeaderXRequestID) }

// wellFormedID reports whether id fits into a log line and a header as it is.
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

// errPanic marks a failure that is logged already.
var errPanic = errors.New("panic")

// handle calls next. It turns a panic into an internal fault, whose stack is logged,
// and a request body over the limit fails with http.MaxBytesError when it is read.
func (s *shared) handle(c echo.Context, next echo.HandlerFunc) (err error) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if e, ok := r.(error); ok && errors.Is(e, http.ErrAbortHandler) {
			panic(r)
		}
		requestLog(s.log, c).ErrorContext(c.Request().Context(), "panic",
			"panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		err = fmt.Errorf("%w: %v", errPanic, r)
	}()
	if r := c.Request(); r.Body != nil && r.Body != http.NoBody {
		// With echo's own writer, net/http would not close the connection of such a request.
		r.Body = http.MaxBytesReader(c.Response().Writer, r.Body, s.bodyLimit)
	}
	return next(c)
}
