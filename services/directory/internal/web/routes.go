// Package web is the directory service's pages for people: the entry page, login,
// a company's overview, statistics and connected accounts, profile audits, and the
// reference of both APIs. It owns their addresses, templates and Polish texts.
//
// The frame, the stylesheet and the charts are those of package site; what a page
// shows is decided by the domain. The JSON API is in the http.go files of the features.
package web

import (
	"embed"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/site"
)

var (
	//go:embed templates
	templates embed.FS
	//go:embed static
	static embed.FS
)

// Handlers holds what the pages need.
type Handlers struct {
	Site        *site.Site // made by NewSite
	Guard       *account.Guard
	Logins      *account.Logins
	Passwords   *account.Passwords
	Users       *account.Users
	Sessions    *account.Sessions
	Connections *connection.Service
	Locations   *location.Service
	Social      *social.Service
	Statistics  *statistics.Service
	Audits      *audit.Service
	Webhooks    *webhook.Service
	Companies   *company.Companies
	Erasures    *erasure.Service
	DB          *database.DB
	Now         func() time.Time
	Log         *slog.Logger
}

// NewSite is the frame of the pages, with a notice on each unless it is empty, and the
// operator's addresses in the footer. It also writes their errors, which show who is logged
// in at sessions.
func NewSite(publicURL, notice string, legal site.Legal, sessions *account.Sessions) (*site.Site, error) {
	return site.New(site.Options{
		Name: "Katalog firm", Home: "/", PublicURL: publicURL,
		Paths:  []string{"/", "/konto", "/audyt", "/docs", "/openapi"},
		Prefix: "/konto/static", Notice: notice, Legal: legal, Pages: site.Folder(templates, "templates"),
		Static: site.Folder(static, "static"),
		Visitor: func(r *http.Request) (any, []site.Link) {
			user, err := sessions.User(r)
			if err != nil { // not known, and to log in is no use now
				return nil, nil
			}
			v := visitor{LoggedIn: user != nil}
			if v.LoggedIn {
				v.User = *user
			}
			return v, v.navigation()
		},
		Navigation: func(*http.Request) []site.Link { return visitor{}.navigation() },
	})
}

// Addresses that pages send the browser to.
const (
	loginPath        = "/konto/logowanie"
	passwordPath     = "/konto/haslo" // #nosec G101 -- an address
	resetPath        = "/konto/reset"
	sessionsPath     = "/konto/sesje"
	profilePath      = "/konto/dane"
	peoplePath       = "/konto/osoby"
	usersPath        = "/konto/uzytkownicy"
	overviewPath     = "/konto/przeglad"
	statisticsPath   = "/konto/statystyki"
	integrationsPath = "/konto/integracje"
	pagePath         = "/konto/integracje/strona"
	locationPath     = "/konto/integracje/lokalizacja"
	propertyPath     = "/konto/integracje/witryna"
	companiesPath    = "/konto/firmy"
	newCompanyPath   = "/konto/firmy/nowa"
	developerPath    = "/konto/deweloper"
	webhooksPath     = "/konto/deweloper/powiadomienia"
	ownAuditPath     = "/konto/audyt"
)

// Register is the URL map of the pages. HEAD answers like GET without the body.
// Every change of state goes through sameSite; asUser sends others to the login, and
// asEditor those who may not edit their company to an address.
func (h *Handlers) Register(e *echo.Echo) {
	read := []string{http.MethodGet, http.MethodHead}
	sameSite := h.Guard.SameSite("Formularz z innej witryny został odrzucony.")

	e.Match(read, "/", h.home)
	e.Match(read, "/favicon.ico", h.icon)
	e.Match(read, "/sitemap.xml", h.sitemap)
	e.Match(read, "/.well-known/security.txt", h.securityText)
	e.Match(read, "/konto", h.account)
	e.Match(read, loginPath, h.loginForm)
	e.POST(loginPath, h.login, sameSite)
	e.POST("/konto/wylogowanie", h.logout, sameSite)

	e.Match(read, passwordPath, h.asUser(h.passwordForm))
	e.POST(passwordPath, h.asUser(h.changePassword), sameSite)
	e.Match(read, resetPath, h.resetForm)
	e.POST(resetPath, h.requestReset, sameSite)
	e.Match(read, account.LinkPath, h.newPasswordForm)
	e.POST(account.LinkPath, h.setNewPassword, sameSite)
	e.Match(read, sessionsPath, h.asUser(h.sessions))
	e.POST(sessionsPath, h.asUser(h.endSessions), sameSite)

	e.Match(read, profilePath, h.asUser(h.own))
	e.POST(profilePath, h.asUser(h.rename), sameSite)
	e.POST(profilePath+"/powiadomienia", h.asUser(h.silence), sameSite)
	e.POST(profilePath+"/adres", h.asUser(h.requestEmail), sameSite)
	e.Match(read, account.EmailLinkPath, h.newEmailForm)
	e.POST(account.EmailLinkPath, h.confirmEmail, sameSite)

	e.Match(read, peoplePath, h.asUser(h.people))
	e.POST(peoplePath, h.asUser(h.invitePerson), sameSite)
	e.POST(peoplePath+"/:id/usun", h.asUser(h.removePerson), sameSite)

	e.Match(read, usersPath, h.asAdmin(h.users))
	e.POST(usersPath, h.asAdmin(h.inviteUser), sameSite)
	e.Match(read, usersPath+"/:id", h.onUser(h.user))
	e.POST(usersPath+"/:id", h.onUser(h.editUser), sameSite)
	e.POST(usersPath+"/:id/sesje", h.onUser(h.endUserSessions), sameSite)
	e.POST(usersPath+"/:id/link", h.onUser(h.linkUser), sameSite)
	e.POST(usersPath+"/:id/usun", h.onUser(h.deleteUser), sameSite)

	e.Match(read, overviewPath, h.asUser(h.overview))
	e.Match(read, statisticsPath, h.asUser(h.statistics))
	e.Match(read, statisticsPath+"/:kanal", h.asUser(h.statisticsTable))
	e.POST(statisticsPath+"/:kanal", h.asEditor(statisticsPath, h.syncChannel), sameSite)
	e.Match(read, integrationsPath, h.asUser(h.integrations))
	e.POST("/konto/integracje/polacz/:provider/:service", h.asEditor(integrationsPath, h.connect), sameSite)
	e.POST("/konto/integracje/polacz/:provider", h.asEditor(integrationsPath, h.connectAll), sameSite)
	e.POST("/konto/integracje/odswiez/:provider/:service", h.asEditor(integrationsPath, h.refresh), sameSite)
	e.POST("/konto/integracje/rozlacz/:provider/:service", h.asEditor(integrationsPath, h.disconnect), sameSite)
	e.Match(read, pagePath, h.asEditor(integrationsPath, h.choosePage))
	e.POST(pagePath, h.asEditor(pagePath, h.selectPage), sameSite)
	e.Match(read, locationPath, h.asEditor(integrationsPath, h.chooseLocation))
	e.POST(locationPath, h.asEditor(locationPath, h.selectLocation), sameSite)
	e.POST(locationPath+"/audyt", h.asEditor(locationPath, h.auditLocation), sameSite)
	e.Match(read, propertyPath, h.asEditor(integrationsPath, h.chooseProperty))
	e.POST(propertyPath, h.asEditor(propertyPath, h.selectProperty), sameSite)

	e.Match(read, companiesPath, h.asUser(h.companies))
	e.Match(read, newCompanyPath, h.asAdmin(h.newCompany))
	e.POST(newCompanyPath, h.asAdmin(h.addCompany), sameSite)
	e.Match(read, companiesPath+"/:id", h.onCompany(h.company))
	e.Match(read, companiesPath+"/:id/zdarzenia", h.onCompany(h.trailPage))
	e.POST(companiesPath+"/:id", h.onCompany(h.editCompany), sameSite)
	e.Match(read, erasure.DeletionPath+":code", h.deletion)
	e.Match(read, developerPath, h.asUser(h.developer))
	e.POST(webhooksPath, h.asEditor(developerPath, h.addWebhook), sameSite)
	e.POST(webhooksPath+"/:id/ponow", h.onWebhook(h.resendWebhook), sameSite)
	e.POST(webhooksPath+"/:id/proba", h.onWebhook(h.testWebhook), sameSite)
	e.POST(webhooksPath+"/:id/klucz", h.onWebhook(h.rotateWebhook), sameSite)
	e.POST(webhooksPath+"/:id/usun", h.onWebhook(h.removeWebhook), sameSite)

	e.Match(read, ownAuditPath, h.asUser(h.ownAudit))
	e.Match(read, "/audyt", h.findAudit)
	e.Match(read, "/audyt/:slug", h.audit)
	e.POST("/audyt/:slug", h.asUser(h.runAudit), sameSite)

	for _, shown := range apis() {
		e.Match(read, shown.Path, h.reference(shown))
		e.Match(read, "/openapi/"+shown.Name+".yaml", h.openapi(shown))
	}
	e.Match(read, "/konto/static/*", func(c echo.Context) error { return h.Site.ServeAsset(c.Response(), c.Request()) })

	for _, prefix := range []string{erasure.DeletionPath + ":code", "/audyt/:slug", companiesPath + "/:id"} {
		e.RouteNotFound(prefix+"/*", echo.NotFoundHandler)
	}
}

// page is one page as its handler describes it.
type page struct {
	name, title string // of the template file, and of the tab
	description string // for search engines and previews of links; empty keeps the page to people
	canonical   string // path, if the page has several
	visitor     visitor
	data        any
	message     *site.Message // if taken is set, in place of that of the previous request
	taken       bool
	script      string // a further one; may be empty
}

// show writes a page. Every page has the script of the forms.
func (h *Handlers) show(c echo.Context, status int, shown page) error {
	message := shown.message
	if !shown.taken {
		message = h.message(c, shown.visitor)
	}
	scripts := []string{"copy.js", "pages.js"}
	if shown.script != "" {
		scripts = append(scripts, shown.script)
	}
	return h.Site.Write(c.Response(), c.Request(), status, shown.name, site.Page{
		Title: shown.title, Description: shown.description, Canonical: shown.canonical, Message: message,
		Scripts: scripts,
		Account: shown.visitor, Navigation: shown.visitor.navigation(), Data: shown.data,
	})
}
