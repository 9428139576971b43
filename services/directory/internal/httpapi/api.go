// Package httpapi has what the handlers of all features share: reading requests, and
// writing responses and errors.
package httpapi

import "github.com/labstack/echo/v4"

// BodyLimit is the longest body of a request, in bytes.
const BodyLimit = 64 << 10

// NoStore keeps answers out of caches, because most are about one user.
func NoStore(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
		return next(c)
	}
}
