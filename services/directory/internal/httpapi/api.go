// Package httpapi is the HTTP face of the directory service: the URL map, what is
// read from a request, and how an answer or a fault is written.
//
// What an answer holds is decided by the domain; the contract is
// directory.openapi.yaml.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/request"
)

// BodyLimit is the longest body of a request, in bytes.
const BodyLimit = 64 << 10

// API holds what the handlers need.
type API struct {
	Guard     *request.Guard
	Logins    *directory.Logins
	OAuth     *directory.OAuth
	Locations *directory.Locations
	Pages     *directory.Pages
	Analytics *directory.Analytics
	Audits    *directory.Audits
	Erasures  *directory.Erasures
	Company   func(ctx context.Context, id int64) (directory.Company, error)
	Ping      func(ctx context.Context) error // of the database

	// Strict makes choosing pages ask for the right to edit the company. The
	// contract asks for a login only.
	Strict bool
	Build  string // tells answers of this program from those of another version
	Log    *slog.Logger

	bodies *bodies // about audits
}

// Register is the whole URL map of the service. HEAD answers like GET without
// the body; other methods get 405 and OPTIONS the allowed ones, by echo. Without
// the last lines a parameter would take in the rest of the path, or nothing.
//
// Every change of state that a session may make goes through sameSite; asUser admits
// logged-in users.
func (a *API) Register(e *echo.Echo) {
	a.bodies = newBodies()
	e.Use(noStore)
	read := []string{http.MethodGet, http.MethodHead}
	sameSite := a.Guard.SameSite(directory.CodeOtherSite.Text)

	e.POST("/api/auth/login", a.login, sameSite)
	e.POST("/api/auth/logout", a.logout, sameSite)
	e.Match(read, "/api/auth/me", a.asUser(a.me))

	e.POST("/api/oauth/connect/:provider/:service", a.asUser(a.connect), sameSite)
	e.GET("/api/oauth/callback/:provider", a.callback)
	e.Match(read, "/api/oauth/status", a.asUser(a.status))
	e.POST("/api/oauth/disconnect/:provider/:service", a.asUser(a.disconnect), sameSite)

	e.POST("/api/oauth/provider_search/discover-locations", a.asUser(a.discoverLocations), sameSite)
	e.POST("/api/oauth/provider_search/select-location", a.asUser(a.selectLocation), sameSite)
	e.POST("/api/oauth/provider_search/sync-analytics", a.asUser(a.syncAnalytics), sameSite)
	e.POST("/api/oauth/provider_social/discover-pages", a.asUser(a.discoverPages), sameSite)
	e.POST("/api/oauth/provider_social/select-page", a.asUser(a.selectPage), sameSite)
	e.POST("/api/oauth/provider_social/sync-facebook", a.asUser(a.syncPage), sameSite)
	e.POST("/api/oauth/provider_social/sync-instagram", a.asUser(a.syncPhotos), sameSite)

	// The provider signs these two; a browser may carry them from its site.
	e.POST("/api/oauth/provider_social/deauthorize", a.deauthorize)
	e.POST("/api/oauth/provider_social/data-deletion", a.deleteData)

	e.Match(read, "/api/bizprofile/audit/health", a.health)
	e.Match(read, "/api/bizprofile/audit", a.audit, a.available)
	e.POST("/api/bizprofile/audit", a.asUser(a.runAudit), sameSite, a.available)
	e.Match(read, "/api/bizprofile/audit/:slug", a.auditBySlug, a.available)
	e.Match(read, "/api/bizprofile/audit/:slug/history", a.history, a.available)

	for _, prefix := range []string{
		"/api/oauth/connect/:provider/:service", "/api/oauth/callback/:provider",
		"/api/oauth/disconnect/:provider/:service",
		"/api/oauth/connect/", "/api/oauth/disconnect/", "/api/bizprofile/audit/",
	} {
		e.RouteNotFound(prefix+"/*", echo.NotFoundHandler)
	}
}

// asUser admits requests of logged-in users to next.
func (a *API) asUser(next func(echo.Context, directory.Actor) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		actor, err := a.Guard.Actor(c)
		if err != nil {
			return err
		}
		return next(c, actor)
	}
}

// noStore keeps answers out of caches, because most are about one user.
func noStore(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
		return next(c)
	}
}
