// Package httpapi is the HTTP face of the directory service: the URL map, what is
// read from a request, and how an answer or a fault is written.
//
// What an answer holds is decided by the domain; the contract is
// directory.openapi.yaml.
package httpapi

import (
	"context"
	"log/slog"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
)

// BodyLimit is the longest body of a request, in bytes.
const BodyLimit = 64 << 10

// API holds what the handlers need.
type API struct {
	Guard   *account.Guard
	Logins  *account.Logins
	OAuth   *connection.OAuth
	Company func(ctx context.Context, id int64) (company.Company, error)
	Log     *slog.Logger
}

// NoStore keeps answers out of caches, because most are about one user.
func NoStore(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
		return next(c)
	}
}
