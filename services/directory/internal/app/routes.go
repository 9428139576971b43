package app

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/statistics"
)

// Services are the handlers of the API, one field for each feature.
type Services struct {
	Guard       *account.Guard
	Accounts    *account.Handlers
	Connections *connection.Handlers
	Locations   *location.Service
	Social      *social.Service
	Statistics  *statistics.Service
	Erasures    *erasure.Service
	Audits      *audit.Service
}

// Register maps every URL of the API to its handler. Echo answers other methods with 405 and OPTIONS
// with the allowed ones. Without the last lines a parameter would take in the rest of the path, or
// nothing. Every change of state that a session may make goes through sameSite.
func Register(e *echo.Echo, s Services) {
	e.Use(httpapi.NoStore)
	read := []string{http.MethodGet, http.MethodHead}
	asUser, asAdmin := s.Guard.AsUser, s.Guard.AsAdmin
	sameSite := s.Guard.SameSite(account.CodeOtherSite.Text)

	e.POST("/api/auth/login", s.Accounts.Login, sameSite)
	e.POST("/api/auth/logout", s.Accounts.Logout, sameSite)
	e.Match(read, "/api/auth/me", asUser(s.Accounts.Me))

	e.POST("/api/auth/password", asUser(s.Accounts.ChangePassword), sameSite)
	e.POST("/api/auth/reset", s.Accounts.RequestReset, sameSite)
	e.POST("/api/auth/reset/confirm", s.Accounts.ConfirmReset, sameSite)
	e.Match(read, "/api/auth/sessions", asUser(s.Accounts.GetSessions))
	e.POST("/api/auth/sessions/end", asUser(s.Accounts.EndSessions), sameSite)

	e.POST("/api/auth/profile", asUser(s.Accounts.ChangeProfile), sameSite)
	e.POST("/api/auth/email", asUser(s.Accounts.RequestEmail), sameSite)
	e.POST("/api/auth/email/confirm", s.Accounts.ConfirmEmail, sameSite)

	e.Match(read, "/api/company/users", asUser(s.Accounts.ListColleagues))
	e.POST("/api/company/users", asUser(s.Accounts.InviteColleague), sameSite)
	e.POST("/api/company/users/:id/remove", asUser(s.Accounts.RemoveColleague), sameSite)

	e.Match(read, "/api/admin/companies", asAdmin(s.Accounts.ListCompanies))
	e.POST("/api/admin/companies", asAdmin(s.Accounts.AddCompany), sameSite)
	e.Match(read, "/api/admin/companies/:id", asAdmin(s.Accounts.GetCompany))
	e.POST("/api/admin/companies/:id", asAdmin(s.Accounts.EditCompany), sameSite)
	e.Match(read, "/api/admin/users", asAdmin(s.Accounts.ListUsers))
	e.POST("/api/admin/users", asAdmin(s.Accounts.InviteUser), sameSite)
	e.Match(read, "/api/admin/users/:id", asAdmin(s.Accounts.GetUser))
	e.POST("/api/admin/users/:id", asAdmin(s.Accounts.EditUser), sameSite)
	e.POST("/api/admin/users/:id/delete", asAdmin(s.Erasures.DeleteUser), sameSite)
	e.POST("/api/admin/users/:id/reset-link", asAdmin(s.Accounts.ResetLink), sameSite)
	e.Match(read, "/api/admin/users/:id/sessions", asAdmin(s.Accounts.ListSessionsOf))
	e.POST("/api/admin/users/:id/sessions/end", asAdmin(s.Accounts.EndSessionsOf), sameSite)

	e.POST("/api/oauth/connect/:provider/:service", asUser(s.Connections.Connect), sameSite)
	e.GET("/api/oauth/callback/:provider", s.Connections.Callback)
	e.HEAD("/api/oauth/callback/:provider", s.Connections.CallbackHead)
	e.Match(read, "/api/oauth/status", asUser(s.Connections.Status))
	e.POST("/api/oauth/disconnect/:provider/:service", asUser(s.Connections.Disconnect), sameSite)

	e.POST("/api/oauth/provider_search/discover-locations", asUser(s.Locations.DiscoverLocations), sameSite)
	e.POST("/api/oauth/provider_search/select-location", asUser(s.Locations.SelectLocation), sameSite)
	e.POST("/api/oauth/provider_search/discover-properties", asUser(s.Statistics.PostProperties), sameSite)
	e.POST("/api/oauth/provider_search/select-property", asUser(s.Statistics.PostProperty), sameSite)
	e.POST("/api/oauth/provider_search/sync-analytics", asUser(s.Statistics.PostAnalytics), sameSite)
	e.POST("/api/oauth/provider_search/sync-performance", asUser(s.Statistics.PostPerformance), sameSite)
	e.POST("/api/oauth/provider_social/discover-pages", asUser(s.Social.DiscoverPages), sameSite)
	e.POST("/api/oauth/provider_social/select-page", asUser(s.Social.SelectPage), sameSite)
	e.POST("/api/oauth/provider_social/sync-facebook", asUser(s.Social.SyncFacebook), sameSite)
	e.POST("/api/oauth/provider_social/sync-instagram", asUser(s.Social.SyncInstagram), sameSite)

	// The provider signs these two; a browser may carry them from its site.
	e.POST("/api/oauth/provider_social/deauthorize", s.Erasures.PostDeauthorize)
	e.POST("/api/oauth/provider_social/data-deletion", s.Erasures.PostDeletion)

	e.Match(read, "/api/bizprofile/audit/health", s.Audits.Health)
	e.Match(read, "/api/bizprofile/audit", s.Audits.Get, s.Audits.Available)
	e.POST("/api/bizprofile/audit", asUser(s.Audits.Post), sameSite, s.Audits.Available)
	e.Match(read, "/api/bizprofile/audit/:slug", s.Audits.GetBySlug, s.Audits.Available)
	e.Match(read, "/api/bizprofile/audit/:slug/history", s.Audits.GetHistory, s.Audits.Available)

	for _, prefix := range []string{
		"/api/oauth/connect/:provider/:service", "/api/oauth/callback/:provider",
		"/api/oauth/disconnect/:provider/:service",
		"/api/oauth/connect/", "/api/oauth/disconnect/", "/api/bizprofile/audit/", "/api/admin/companies/",
		"/api/admin/users/", "/api/company/users/",
		"/api/admin/companies/:id",
	} {
		e.RouteNotFound(prefix+"/*", echo.NotFoundHandler)
	}
}
