package httpx

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"golang.org/x/time/rate"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/network"
)

// CORS lets pages of other origins call a service.
type CORS struct {
	Origins     []string // exact origins, or AnyOrigin alone; CORS is off without any
	Credentials bool     // allows cookies; not with AnyOrigin
	Paths       []string // prefixes of the paths that may be called
}

// AnyOrigin stands for every origin.
const AnyOrigin = "*"

// preflightLifetime is how long browsers may cache a preflight. Chromium allows no more.
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
			hasRoute := c.Get(echo.ContextKeyHeaderAllow) != nil // echo sets it for OPTIONS only
			switch {
			case !o.covers(c.Request().URL.Path), preflight && !hasRoute:
				return next(c)
			case open && !preflight:
				header := c.Response().Header()
				header[echo.HeaderAccessControlAllowOrigin] = anyOrigin // names in canonical form
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

// Rate limits the requests of each client, an IPv4 address or an IPv6 /56 network, in this process.
type Rate struct {
	PerSecond      int // 0 disables the limit
	TrustedProxies []netip.Prefix
}

// burst is the number of seconds whose requests a client may send at once.
const burst = 5

var errTooManyRequests = fault.New(fault.Limited, "too_many_requests",
	"Zbyt wiele żądań w krótkim czasie. Spróbuj ponownie za chwilę.").After(time.Second)

func (o Rate) middleware() echo.MiddlewareFunc {
	store := middleware.NewRateLimiterMemoryStoreWithConfig(middleware.RateLimiterMemoryStoreConfig{
		Rate: rate.Limit(o.PerSecond), Burst: burst * o.PerSecond,
	})
	clientIP := ClientIP(o.TrustedProxies)
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			allowed, err := store.Allow(network.OfClient(clientIP(c.Request())))
			if err != nil {
				return err
			}
			if !allowed {
				return errTooManyRequests
			}
			return next(c)
		}
	}
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
			comma := strings.LastIndexByte(forwarded, ',') // -1 before the only address
			last, err := netip.ParseAddr(strings.Trim(forwarded[comma+1:], " []"))
			if err != nil {
				return peer.Addr().Unmap().String()
			}
			client, forwarded = last.Unmap(), forwarded[:max(comma, 0)]
		}
		return client.String()
	}
}

func isWithin(networks []netip.Prefix, ip netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(ip) })
}
