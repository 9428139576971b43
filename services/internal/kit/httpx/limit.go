package httpx

import (
	"net/netip"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"golang.org/x/time/rate"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/network"
)

// Rate limits the requests of each client, an IPv4 address or an IPv6 /56 network, in this process.
type Rate struct {
	PerSecond      int // 0 disables the limit
	TrustedProxies []netip.Prefix
}

// burst is in seconds' worth of requests.
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
