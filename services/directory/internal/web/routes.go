// Package web is the directory service's pages for people. It owns their addresses, templates and
// Polish texts; the frame, the stylesheet and the charts are those of package site. The JSON API is in
// the http.go files of the features.
package web

import (
	"cmp"
	"embed"
	"log/slog"
	"net/http"

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
	"backend.example/services/internal/kit/settings"
	"backend.example/services/internal/kit/site"
)

//go:embed templates static
var files embed.FS

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
	Log         *slog.Logger
}

// NewSite returns the frame of the pages, with a notice on each unless it is empty, and the
// operator's addresses in the footer. Its error pages show who is logged in at sessions.
func NewSite(publicURL, notice string, legal settings.Legal, sessions *account.Sessions) (*site.Site, error) {
	return site.New(site.Options{
		Name: "Katalog firm", Home: "/", PublicURL: publicURL, Prefix: "/konto/static", Files: files,
		Paths: []string{"/", "/konto", "/audyt", "/docs", "/openapi"}, Notice: notice, Legal: legal,
		Visitor: func(r *http.Request) (any, []site.Link) {
			user, err := sessions.User(r)
			if err != nil { // not known, and to log in is no use now
				return nil, visitor{}.navigation()
			}
			v := visitor{LoggedIn: user != nil}
			if v.LoggedIn {
				v.User = *user
			}
			return v, v.navigation()
		},
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

// Register is the URL map of the pages. HEAD answers like GET without the body. asUser sends
// others to the login, and asEditor those who may not edit their company to an address.
func (h *Handlers) Register(e *echo.Echo) {
	sameSite := h.Guard.SameSite("Formularz z innej witryny został odrzucony.")
	get := func(path string, show echo.HandlerFunc) {
		e.Match([]string{http.MethodGet, http.MethodHead}, path, show)
	}
	post := func(path string, change echo.HandlerFunc) { e.POST(path, change, sameSite, withForm) }

	get("/", h.home)
	get("/favicon.ico", h.icon)
	get("/sitemap.xml", h.sitemap)
	get("/.well-known/security.txt", h.securityText)
	get("/konto", h.asAnyone(h.account))
	get(loginPath, h.asAnyone(h.loginForm))
	post(loginPath, h.login)
	post("/konto/wylogowanie", h.logout)

	get(passwordPath, h.asUser(h.passwordForm))
	post(passwordPath, h.asUser(h.changePassword))
	get(resetPath, h.asAnyone(h.resetForm))
	post(resetPath, h.requestReset)
	get(account.LinkPath, h.asAnyone(h.newPasswordForm))
	post(account.LinkPath, h.asAnyone(h.setNewPassword))
	get(sessionsPath, h.asUser(h.sessions))
	post(sessionsPath, h.asUser(h.endSessions))

	get(profilePath, h.asUser(h.own))
	post(profilePath, h.asUser(h.rename))
	post(profilePath+"/powiadomienia", h.asUser(h.silence))
	post(profilePath+"/adres", h.asUser(h.requestEmail))
	get(account.EmailLinkPath, h.asAnyone(h.newEmailForm))
	post(account.EmailLinkPath, h.asAnyone(h.confirmEmail))

	get(peoplePath, h.asUser(h.people))
	post(peoplePath, h.asUser(h.invitePerson))
	post(peoplePath+"/:id/usun", h.asUser(h.removePerson))

	get(usersPath, h.asAdmin(h.users))
	post(usersPath, h.asAdmin(h.inviteUser))
	get(usersPath+"/:id", h.onUser(h.user))
	post(usersPath+"/:id", h.onUser(h.editUser))
	post(usersPath+"/:id/sesje", h.onUser(h.endUserSessions))
	post(usersPath+"/:id/link", h.onUser(h.linkUser))
	post(usersPath+"/:id/usun", h.onUser(h.deleteUser))

	get(overviewPath, h.asUser(h.overview))
	get(statisticsPath, h.asUser(h.statistics))
	get(statisticsPath+"/:kanal", h.asUser(h.statisticsTable))
	post(statisticsPath+"/:kanal", h.asEditor(statisticsPath, h.syncChannel))
	get(integrationsPath, h.asUser(h.integrations))
	post("/konto/integracje/polacz/:provider/:service", h.asEditor(integrationsPath, h.connect))
	post("/konto/integracje/polacz/:provider", h.asEditor(integrationsPath, h.connectAll))
	post("/konto/integracje/odswiez/:provider/:service", h.asEditor(integrationsPath, h.refresh))
	post("/konto/integracje/rozlacz/:provider/:service", h.asEditor(integrationsPath, h.disconnect))
	get(pagePath, h.asEditor(integrationsPath, h.choosePage))
	post(pagePath, h.asEditor(pagePath, h.selectPage))
	get(locationPath, h.asEditor(integrationsPath, h.chooseLocation))
	post(locationPath, h.asEditor(locationPath, h.selectLocation))
	post(locationPath+"/audyt", h.asEditor(locationPath, h.auditLocation))
	get(propertyPath, h.asEditor(integrationsPath, h.chooseProperty))
	post(propertyPath, h.asEditor(propertyPath, h.selectProperty))

	get(companiesPath, h.asUser(h.companies))
	get(newCompanyPath, h.asAdmin(h.newCompany))
	post(newCompanyPath, h.asAdmin(h.addCompany))
	get(companiesPath+"/:id", h.onCompany(h.company))
	get(companiesPath+"/:id/zdarzenia", h.onCompany(h.trailPage))
	post(companiesPath+"/:id", h.onCompany(h.editCompany))
	get(erasure.DeletionPath+":code", h.asAnyone(h.deletion))
	get(developerPath, h.asUser(h.developer))
	post(webhooksPath, h.asEditor(developerPath, h.addWebhook))
	post(webhooksPath+"/:id/ponow", h.onWebhook(h.resendWebhook))
	post(webhooksPath+"/:id/proba", h.onWebhook(h.testWebhook))
	post(webhooksPath+"/:id/klucz", h.onWebhook(h.rotateWebhook))
	post(webhooksPath+"/:id/usun", h.onWebhook(h.removeWebhook))

	get(ownAuditPath, h.asUser(h.ownAudit))
	get("/audyt", h.findAudit)
	get("/audyt/:slug", h.asAnyone(h.audit))
	post("/audyt/:slug", h.asUser(h.runAudit))

	for _, shown := range apis() {
		get(shown.Path, h.reference(shown))
		get("/openapi/"+shown.Name+".yaml", h.openapi(shown))
	}
	get("/konto/static/*", func(c echo.Context) error { return h.Site.ServeAsset(c.Response(), c.Request()) })

	for _, prefix := range []string{erasure.DeletionPath + ":code", "/audyt/:slug", companiesPath + "/:id"} {
		e.RouteNotFound(prefix+"/*", echo.NotFoundHandler)
	}
}

type page struct {
	name, title string // of the template file, and of the tab
	data        any
	status      int           // 200 if it is zero
	description string        // for search engines and previews of links; empty keeps the page to people
	canonical   string        // path, if the page has several
	message     *site.Message // if taken is set, in place of that of the previous request
	taken       bool
	script      string // besides those of the forms
}

// show writes a page with the outcome of the previous request.
func (h *Handlers) show(c echo.Context, v visitor, name, title string, data any) error {
	return h.write(c, v, page{name: name, title: title, data: data})
}

// showForm is show, with the status of a form that has a problem, if it has one.
func (h *Handlers) showForm(c echo.Context, v visitor, name, title string, data any, problem string) error {
	shown := page{name: name, title: title, data: data}
	if problem != "" {
		shown.status, shown.title = http.StatusUnprocessableEntity, problem+" – "+title
	}
	return h.write(c, v, shown)
}

func (h *Handlers) write(c echo.Context, v visitor, p page) error {
	if !p.taken {
		p.message, _ = h.takeMessage(c, v)
	}
	scripts := []string{"copy.js", "pages.js"}
	if p.script != "" {
		scripts = append(scripts, p.script)
	}
	return h.Site.Write(c.Response(), c.Request(), cmp.Or(p.status, http.StatusOK), p.name, site.Page{
		Title: p.title, Description: p.description, Canonical: p.canonical, Message: p.message, Scripts: scripts,
		Account: v, Navigation: v.navigation(), Data: p.data,
	})
}
