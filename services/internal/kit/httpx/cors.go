package httpx

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

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
