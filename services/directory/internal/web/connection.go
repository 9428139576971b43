package web

import (
	"context"
	"net/http"
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
}

// choice leads to where an account's page or location is chosen.
type choice struct{ Href, Offer, Change, Missing string }

var (
	pagesPair   = provider.Pair{Provider: provider.Social, Service: provider.SocialPages}
	photosPair  = provider.Pair{Provider: provider.Social, Service: provider.SocialPhotos}
	profilePair = provider.Pair{Provider: provider.Search, Service: provider.SearchProfile}
)

// choices are the services that need one.
var choices = map[provider.Pair]choice{
	pagesPair:   {pagePath, "Wybierz stronę", "Zmień stronę", "Wybierz stronę firmy, aby odczytywać jej statystyki."},
	profilePair: {locationPath, "Wybierz lokalizację", "Zmień lokalizację", "Wybierz lokalizację, aby audyt odczytywał jej dane."},
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
	pages, website := status[pagesPair.String()], status[analyticsPair.String()]
	view.Statistics, err = h.statistics(ctx, companyID, view.MayEdit && pages.Connected && pages.Chosen && !pages.Broken)
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
	return shown
}

func pairOf(c echo.Context) provider.Pair {
	return provider.Pair{Provider: provider.Name(c.Param("provider")), Service: provider.Service(c.Param("service"))}
}

// connect answers POST /konto/integracje/polacz/{provider}/{service} with a page
// that says who will ask for what, and leads there. A redirect would not do anyway:
// browsers hold the redirects after a form to the policy's form-action, and those at
// the provider go to hosts that cannot be listed.
func (h *Handlers) connect(c echo.Context, v visitor) error {
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
func (h *Handlers) disconnect(c echo.Context, v visitor) error {
	if err := h.Connections.Disconnect(c.Request().Context(), v.Actor, pairOf(c)); err != nil {
		return h.refused(c, integrationsPath, err)
	}
	return h.redirect(c, integrationsPath, "disconnected")
}
