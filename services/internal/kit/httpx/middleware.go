package httpx

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"backend.example/services/internal/kit/fault"
)

const maxRequestIDLen = 64

// Options configure the echo instance of a service.
type Options struct {
	Log       *slog.Logger
	Metrics   *Metrics
	AccessLog *AccessLog // may be nil
	BodyLimit int64      // in bytes
	CORS      CORS
	Rate      Rate
	// Timeout ends the context of a request, unless it is 0.
	Timeout time.Duration
	// ErrorBody returns the JSON body of an error.
	ErrorBody func(*fault.Error) any
	// ErrorPage writes an error as a page and returns true if the request is for a page. It may be nil.
	ErrorPage func(w http.ResponseWriter, r *http.Request, status int, f *fault.Error) (bool, error)
}

// New returns an echo instance with the shared middleware, from the outside in: request id and nosniff, access log
// and metrics, compression, recovery, body limit, CORS, rate limit.
func New(o Options) *echo.Echo {
	e := echo.New()
	e.HTTPErrorHandler = errorHandler(o)
	e.Use(o.middleware)
	if len(o.CORS.Origins) > 0 {
		e.Use(o.CORS.middleware())
	}
	if o.Rate.PerSecond > 0 {
		e.Use(o.Rate.middleware())
	}
	return e
}

// middleware is one function, because echo creates a function for each middleware in every request.
func (o *Options) middleware(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		setRequestID(c)
		c.Response().Header()[echo.HeaderXContentTypeOptions] = noSniff // the name is canonical
		if o.Timeout > 0 {
			ctx, cancel := context.WithTimeout(c.Request().Context(), o.Timeout)
			defer cancel()
			c.SetRequest(c.Request().WithContext(ctx))
		}
		start := time.Now()
		o.Metrics.inFlight.Inc()
		defer o.Metrics.inFlight.Dec()
		o.serve(c, next)
		took := time.Since(start)
		o.Metrics.finished(c, took)
		if o.AccessLog != nil {
			o.AccessLog.add(c, start, took)
		}
		return nil
	}
}

func (o *Options) serve(c echo.Context, next echo.HandlerFunc) {
	connection := c.Response().Writer
	if r := c.Request(); r.Body != http.NoBody {
		// With another writer, net/http would not close the connection after a body that is too large.
		r.Body = http.MaxBytesReader(connection, r.Body, o.BodyLimit)
	}
	w := newCompressor(connection, c.Request())
	c.Response().Writer = w
	if err := o.handle(c, next); err != nil {
		c.Error(err)
	}
	w.close()
	c.Response().Writer = connection
}

// noSniff is shared, which saves an allocation.
var noSniff = []string{"nosniff"}

// setRequestID returns the X-Request-Id of the request, or a new one if it is missing or malformed.
func setRequestID(c echo.Context) {
	id := c.Request().Header.Get(echo.HeaderXRequestID)
	if !wellFormedID(id) {
		id = rand.Text()
	}
	c.Response().Header()[echo.HeaderXRequestID] = []string{id} // the name is canonical
}

// RequestID returns the id of the request of c.
func RequestID(c echo.Context) string { return c.Response().Header().Get(echo.HeaderXRequestID) }

// wellFormedID reports whether id needs no quoting in a log line or header.
func wellFormedID(id string) bool {
	return id != "" && len(id) <= maxRequestIDLen && !strings.ContainsFunc(id, needsQuoting)
}

func needsQuoting(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_', r == '.':
		return false
	}
	return true
}

// errPanic marks an error that has been logged.
var errPanic = errors.New("panic")

// handle turns a panic into an internal fault, and logs its stack.
func (o *Options) handle(c echo.Context, next echo.HandlerFunc) (err error) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if e, _ := r.(error); errors.Is(e, http.ErrAbortHandler) {
			panic(r)
		}
		requestLog(o.Log, c).ErrorContext(c.Request().Context(), "panic",
			"panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		err = fmt.Errorf("%w: %v", errPanic, r)
	}()
	return next(c)
}

// ClientIP returns the last address in X-Forwarded-For that is not of a trusted proxy, or that of the peer if it
// is no proxy or the header is malformed.
func ClientIP(trusted []netip.Prefix) func(*http.Request) string {
	return func(r *http.Request) string {
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil {
			return ""
		}
		client := peer.Addr().Unmap()
		forwarded := strings.Join(r.Header["X-Forwarded-For"], ",")
		for forwarded != "" && isWithin(trusted, client) {
			i := strings.LastIndexByte(forwarded, ',')
			before, err := netip.ParseAddr(strings.Trim(forwarded[i+1:], " []"))
			if err != nil {
				return peer.Addr().Unmap().String()
			}
			client, forwarded = before.Unmap(), forwarded[:max(i, 0)]
		}
		return client.String()
	}
}

func isWithin(networks []netip.Prefix, ip netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(ip) })
}

// MatchesETag compares If-None-Match with etag, weakly (RFC 9110, section 13.1.2).
func MatchesETag(ifNoneMatch []string, etag string) bool {
	list := strings.Join(ifNoneMatch, ",")
	if strings.TrimSpace(list) == "*" {
		return true
	}
	for candidate := range strings.SplitSeq(list, ",") {
		if strings.TrimPrefix(strings.TrimSpace(candidate), "W/") == etag {
			return true
		}
	}
	return false
}

// CORS lets pages of other origins call a service.
type CORS struct {
	Origins     []string // exact, or AnyOrigin alone; none disables CORS
	Credentials bool     // allows cookies; not with AnyOrigin
	Paths       []string // prefixes
}

// AnyOrigin stands for every origin.
const AnyOrigin = "*"

// preflightLifetime is Chromium's maximum.
const preflightLifetime = 2 * time.Hour

// Headers that pages may send and read besides those that are always allowed.
var (
	requestHeaders  = []string{"Content-Type", "If-None-Match"}
	responseHeaders = []string{"Cache-Status", "ETag", "Retry-After", "X-Request-Id"}
)

// The values for AnyOrigin are shared, which saves allocations.
var (
	anyOrigin      = []string{AnyOrigin}
	exposedHeaders = []string{strings.Join(responseHeaders, ",")}
)

// middleware sets the headers before the handler runs, so that errors have them, too, and answers preflights with
// the methods of the route. Paths without a route remain 404.
// With AnyOrigin every response allows it, even without an Origin, because a cache may pass the response to a
// page. With a list, responses vary by Origin.
func (o CORS) middleware() echo.MiddlewareFunc {
	open := slices.Contains(o.Origins, AnyOrigin)
	negotiate := middleware.CORSWithConfig(middleware.CORSConfig{
		AllowOriginFunc:  func(origin string) (bool, error) { return open || slices.Contains(o.Origins, origin), nil },
		AllowCredentials: o.Credentials, AllowHeaders: requestHeaders, ExposeHeaders: responseHeaders,
		MaxAge: int(preflightLifetime / time.Second),
	})
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		negotiated := negotiate(next)
		return func(c echo.Context) error {
			preflight := c.Request().Method == http.MethodOptions
			switch {
			case !o.covers(c.Request().URL.Path), preflight && c.Get(echo.ContextKeyHeaderAllow) == nil:
				return next(c)
			case open && !preflight:
				header := c.Response().Header()
				header[echo.HeaderAccessControlAllowOrigin] = anyOrigin // the names are canonical
				header[echo.HeaderAccessControlExposeHeaders] = exposedHeaders
				return next(c)
			default:
				return negotiated(c)
			}
		}
	}
}

func (o CORS) covers(path string) bool {
	return slices.ContainsFunc(o.Paths, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}
