package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"
)

// buildCookie contains the parameters of the last build, for a visitor who comes back from a page outside the
// wizard. It is a session cookie and identifies nobody.
const buildCookie = "kreator_zestaw"

// maxBuildCookie is in bytes: browsers keep 4096 with name and attributes (RFC 6265 section 6.1).
const maxBuildCookie = 3500

func remember(c echo.Context) {
	b := parseBasket(c.QueryParams())
	if build := b.values().Encode(); len(b.Items) > 0 && len(build) <= maxBuildCookie {
		setBuildCookie(c, build, 0)
	}
}

func forget(c echo.Context) {
	if _, err := c.Cookie(buildCookie); err == nil {
		setBuildCookie(c, "", -1)
	}
}

func setBuildCookie(c echo.Context, code string, maxAge int) {
	secure := c.Scheme() == "https" // as the gateway says; the service may run without TLS
	c.SetCookie(&http.Cookie{       // #nosec G124 -- names parts alone
		Name: buildCookie, Value: code, Path: startPath, MaxAge: maxAge, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: secure,
	})
}

func remembered(c echo.Context) (basket, bool) {
	cookie, err := c.Cookie(buildCookie)
	if err != nil || len(cookie.Value) > maxBuildCookie {
		return basket{}, false
	}
	values, err := url.ParseQuery(cookie.Value)
	if err != nil {
		return basket{}, false
	}
	b := parseBasket(values)
	return b, len(b.Items) > 0
}
