// Package httpapi is the HTTP face of the directory service: the URL map, what is
// read from a request, who asks, and how an answer or a fault is written.
//
// What an answer holds is decided by the domain; the contract is
// directory.openapi.yaml.
package httpapi

import (
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"
)

// BodyLimit is the longest body of a request, in bytes.
const BodyLimit = 64 << 10

// API holds what the handlers need.
type API struct {
	Sessions  Sessions
	Logins    Logins
	Companies Companies
	OAuth     OAuth
	Locations Locations
	Pages     Pages
	Audits    Audits
	Database  Database

	// Strict makes choosing pages ask for the right to edit the company. The
	// contract asks for a login only.
	Strict bool
	// CrossOrigin refuses requests of other sites' pages; it trusts the origins
	// that were added to it.
	CrossOrigin http.CrossOriginProtection
	// ClientIP tells the network address of the client, past trusted proxies.
	ClientIP func(*http.Request) string
	Log      *slog.Logger
}

// Register is the whole URL map of the service. HEAD answers like GET without
// the body; other methods get 405 and OPTIONS the allowed ones, by echo. Without
// the last lines a parameter would take in the rest of the path, or nothing.
//
// Every change of state goes through sameSite; asUser admits logged-in users.
func (a *API) Register(e *echo.Echo) {
	e.Use(noStore)
	read := []string{http.MethodGet, http.MethodHead}

	e.POST("/api/auth/login", a.login, a.sameSite)
	e.POST("/api/auth/logout", a.logout, a.sameSite)
	e.Match(read, "/api/auth/me", a.asUser(a.me))

	e.POST("/api/oauth/connect/:provider/:service", a.asUser(a.connect), a.sameSite)
	e.GET("/api/oauth/callback/:provider", a.callback)
	e.Match(read, "/api/oauth/status", a.asUser(a.status))
	e.POST("/api/oauth/disconnect/:provider/:service", a.asUser(a.disconnect), a.sameSite)

	e.POST("/api/oauth/provider_search/discover-locations", a.asUser(a.discoverLocations), a.sameSite)
	e.POST("/api/oauth/provider_search/select-location", a.asUser(a.selectLocation), a.sameSite)
	e.POST("/api/oauth/provider_social/discover-pages", a.asUser(a.discoverPages), a.sameSite)
	e.POST("/api/oauth/provider_social/select-page", a.asUser(a.selectPage), a.sameSite)
	e.POST("/api/oauth/provider_social/sync-facebook", a.asUser(a.syncPage), a.sameSite)
	e.POST("/api/oauth/provider_social/sync-instagram", a.asUser(a.syncPhotos), a.sameSite)

	e.Match(read, "/api/bizprofile/audit/health", a.health)
	e.Match(read, "/api/bizprofile/audit", a.audit, a.available)
	e.POST("/api/bizprofile/audit", a.asUser(a.runAudit), a.sameSite, a.available)
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
