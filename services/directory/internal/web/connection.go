package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
)

// integrationsView is the page of a company's connected accounts.
type integrationsView struct {
	Company    *company.Company // nil: the user has none
	MayEdit    bool
	Admin      bool
	Cards      []card
	Statistics []panel
	Webhooks   *webhooksView
}

// card is one service of a provider.
type card struct {
	connection.ServiceStatus
	Pair     provider.Pair
	Provider provider.Name
	State    grade
	ReadAt   time.Time // of its newest figures; zero: none
	FailedAt time.Time // of a later try to read them; zero: none failed
	Choice   *choice   // nil: the service has nothing to choose
	Note     string    // in Polish: through what its figures are read; may be empty
}

// choice leads to where an account's page or location is chosen.
type choice struct{ Href, Offer, Change, Missing string }

// choices are the services that need one.
var choices = map[provider.Pair]choice{
	provider.PagesPair:   {pagePath, "Wybierz stronę", "Zmień stronę", "Wybierz stronę firmy, aby odczytywać jej statystyki."},
	provider.ProfilePair: {locationPath, "Wybierz lokalizację", "Zmień lokalizację", "Wybierz lokalizację, aby audyt odczytywał jej dane."},
}

// integrations shows GET /konto/integracje.
func (h *Handlers) integrations(c echo.Context, v visitor) error {
	view := integrationsView{Admin: v.User.CanAccessAdminPanel()}
	if id := v.User.CompanyID; id != nil {
		if err := h.fillIntegrations(c.Request().Context(), v, *id, &view); err != nil {
			return err
		}
	}
	return h.show(c, http.StatusOK, page{name: "integrations", title: "Integracje", visitor: v, data: view})
}

func (h *Handlers) fillIntegrations(ctx context.Context, v visitor, companyID int64, view *integrationsView) error {
	company, err := h.Company(ctx, companyID)
	if err != nil {
		return err
	}
	status, err := h.Connections.Status(ctx, v.Actor)
	if err != nil {
		return err
	}
	view.Company, view.MayEdit = &company, v.canEdit(companyID)
	pages, photos, website := status[provider.PagesPair.String()], status[provider.PhotosPair.String()], status[provider.AnalyticsPair.String()]
	view.Statistics, err = h.statistics(ctx, companyID, view.MayEdit && pages.Connected && pages.Chosen && !pages.Broken,
		view.MayEdit && photos.Connected && !photos.Broken)
	if err != nil {
		return err
	}
	profile := status[provider.ProfilePair.String()]
	figures, err := h.performance(ctx, companyID, view.MayEdit && profile.Connected && profile.Chosen && !profile.Broken)
	view.Statistics = append(view.Statistics, figures...)
	if err != nil {
		return err
	}
	search, err := h.analytics(ctx, companyID, view.MayEdit && website.Connected && !website.Broken)
	view.Statistics = append(view.Statistics, search...)
	if err != nil {
		return err
	}
	for _, pair := range provider.Pairs() {
		view.Cards = append(view.Cards, h.cardOf(pair, status[pair.String()], view.Statistics))
	}
	view.Webhooks, err = h.webhooks(ctx, v, companyID)
	return err
}

// staleAfter is how old the newest figures may be before the card says that nothing new
// comes: the scan reads them every day.
const staleAfter = 72 * time.Hour

func (h *Handlers) cardOf(pair provider.Pair, s connection.ServiceStatus, panels []panel) card {
	shown := card{ServiceStatus: s, Pair: pair, Provider: pair.Provider, State: grade{Text: "Niepołączona"}}
	unread := ""
	for _, read := range panels {
		if read.Pair == pair && !read.SyncedAt.IsZero() {
			shown.ReadAt, shown.FailedAt, unread = read.SyncedAt, read.FailedAt, read.Unread
		}
	}
	switch {
	case s.NeedsReconnect:
		shown.State = grade{"Wymaga ponownego połączenia", site.Bad}
	case s.Connected && !shown.ReadAt.IsZero() && h.Now().Sub(shown.ReadAt) > staleAfter:
		shown.State = grade{"Połączona, ale nowych danych nie ma", site.Warning}
	case s.Connected && !shown.FailedAt.IsZero():
		shown.State = grade{"Połączona, ale ostatni odczyt się nie udał", site.Warning}
	case s.Connected && unread != "":
		shown.State = grade{"Połączona, ale nie wszystko da się odczytać", site.Warning}
	case s.Connected:
		shown.State = grade{"Połączona", site.Good}
	}
	if way, ok := choices[pair]; ok && s.Connected {
		shown.Choice = &way
	}
	switch {
	case pair != provider.PhotosPair || !s.Connected:
	case s.Chosen:
		shown.Note = "Konto odczytujemy przez wybraną stronę firmy."
	default:
		shown.Note = "Konto odczytujemy przez jedyną stronę, którą zarządza połączona osoba. Jeśli zarządza kilkoma, połącz też stronę firmy i wybierz ją."
	}
	return shown
}

func pairOf(c echo.Context) provider.Pair {
	return provider.Pair{Provider: provider.Name(c.Param("provider")), Service: provider.Service(c.Param("service"))}
}

// connect answers POST /konto/integracje/polacz/{provider}/{service} with a page
// that says who will ask for what, and leads there. A redirect would not do anyway:
// browsers hold the redirects after a form to the policy's form-action, and those at
// the provider go to hosts that cannot be listed.
func (h *Handlers) connect(c echo.Context, v visitor, _ int64) error {
	pair := pairOf(c)
	authURL, pending, err := h.Connections.Connect(v.Actor, pair)
	if err != nil {
		return h.refused(c, integrationsPath, err)
	}
	err = h.Guard.Sessions.Put(c.Response(), c.Request(), connection.PendingName, pending.String())
	if fault.Is(err, account.CodeNoSession) {
		return c.Redirect(http.StatusSeeOther, loginPath)
	}
	if err != nil {
		return err
	}
	return h.show(c, http.StatusOK, page{
		name: "leaving", title: "Przejście do " + pair.Provider.Title(), visitor: v,
		data: leavingView{Provider: pair.Provider, Service: pair.Name(), Address: authURL, Asked: askedIn(authURL)},
	})
}

// disconnect answers POST /konto/integracje/rozlacz/{provider}/{service}.
func (h *Handlers) disconnect(c echo.Context, v visitor, _ int64) error {
	return h.finish(c, "disconnected", h.Connections.Disconnect(c.Request().Context(), v.Actor, pairOf(c)))
}

// leavingView is the page on the way to a provider.
type leavingView struct {
	Provider provider.Name
	Service  string
	Address  string
	Asked    []string // what the provider will ask to permit, in Polish
}

// scopeTexts say what a scope permits. What is for our app alone has none.
var scopeTexts = map[string]string{
	"https://www.googleapis.com/auth/business.manage":     "zarządzanie Profilem Firmy (Google nie ma zgody na sam odczyt; my tylko czytamy)",
	"https://www.googleapis.com/auth/webmasters.readonly": "odczyt danych o witrynie w Search Console",
	"pages_show_list":           "lista stron na Facebooku, którymi zarządzasz",
	"pages_read_engagement":     "odczyt treści tych stron i liczby obserwujących",
	"read_insights":             "odczyt statystyk stron",
	"instagram_basic":           "odczyt połączonego konta na Instagramie i jego publikacji",
	"instagram_manage_insights": "odczyt statystyk konta na Instagramie",
	"business_management":       "dostęp do stron w portfolio firmy",
}

// askedIn lists what the consent page at an address asks for: scopes stand apart by
// spaces (RFC 6749, section 3.3) or, at Meta, by commas. One that has no text here is
// shown by its name.
func askedIn(address string) (asked []string) {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	for _, scope := range strings.FieldsFunc(u.Query().Get("scope"), func(r rune) bool { return r == ' ' || r == ',' }) {
		switch text, known := scopeTexts[scope]; {
		case known:
			asked = append(asked, text)
		case scope != "openid": // who the person is, which every login reveals
			asked = append(asked, scope)
		}
	}
	return asked
}
