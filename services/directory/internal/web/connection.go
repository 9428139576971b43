package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
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

type integrationsView struct {
	Company   company.Company
	MayEdit   bool
	Providers []providerView
}

type providerView struct {
	Name provider.Name
	offer
	New  []provider.Pair // not connected yet; one consent connects them
	Rows []row
}

type row struct {
	connection.ServiceStatus
	Pair     provider.Pair
	ID       string
	State    grade
	Account  string // what was connected; may be empty
	Choice   *choice
	Reached  string          // the page, location or site; may be empty
	ReadAt   time.Time       // of its newest figures, if any
	FailedAt time.Time       // of a later try to read them; zero if none failed
	Outdated bool            // nothing newer comes
	Note     string          // in Polish; may be empty
	Repair   []provider.Pair // asked for together to mend the service; empty if it works
	Todo     *todo           // why nothing of the account can be shown; nil if something can
	Result   *site.Message   // of the form that led back to the row
}

func rowPath(p provider.Pair) string {
	if id := channelOf(p).ID; id != "" {
		return integrationsPath + "#" + id
	}
	return integrationsPath
}

// integrations shows GET /konto/integracje. After an account was connected of which a page
// or location has to be chosen, it leads on to the choice.
func (h *Handlers) integrations(c echo.Context, v visitor) error {
	if v.User.CompanyID == nil {
		return h.withoutCompany(c, v, "Połączenia")
	}
	ctx := c.Request().Context()
	outcome := h.takeOutcome(c)
	n, place, ok := noticeOf(outcome)
	status, err := h.Connections.Status(ctx, v.Actor)
	if err != nil {
		return err
	}
	view, err := h.integrationsOf(ctx, v, *v.User.CompanyID, status)
	if err != nil {
		return err
	}
	done := pairsIn(outcome, "oauth_success")
	for _, p := range done {
		way, s := channelOf(p), status[p.String()]
		works := s.Connected && !s.NeedsReconnect
		if view.MayEdit && works && !way.isChosen(s) {
			return h.redirect(c, way.Choice.Href, outcome)
		}
	}
	if i := slices.IndexFunc(done, func(p provider.Pair) bool { return status[p.String()].NeedsReconnect }); i >= 0 {
		n = notice{site.Warning, string(status[done[i].String()].Reason)}
	}
	shown := page{name: "integrations", title: "Połączenia", taken: true, data: view}
	if message := n.messageTo(v); ok && !view.place(place, message) {
		shown.message = message
	}
	return h.write(c, v, shown)
}

// place shows a message in the row with that id, and reports whether there is one. A row that asks to connect again
// does not repeat a message that says the same.
func (view *integrationsView) place(id string, m *site.Message) bool {
	for _, p := range view.Providers {
		i := slices.IndexFunc(p.Rows, func(r row) bool { return r.ID == id })
		if i < 0 {
			continue
		}
		if !p.Rows[i].NeedsReconnect || m.Text != refusalTexts[provider.CodeReconnect.Name] {
			p.Rows[i].Result = m
		}
		return true
	}
	return false
}

func (h *Handlers) integrationsOf(
	ctx context.Context, v visitor, companyID int64, status map[string]connection.ServiceStatus,
) (view integrationsView, err error) {
	view.MayEdit = v.canEdit(companyID)
	if view.Company, err = h.Companies.ByID(ctx, companyID); err != nil {
		return view, err
	}
	panels, err := h.panels(ctx, companyID, status, view.MayEdit, lastDays(defaultDays))
	if err != nil {
		return view, err
	}
	for _, name := range provider.Names() {
		shown := providerView{Name: name, offer: offers[name]}
		for _, p := range panels {
			if p.Pair.Provider != name {
				continue
			}
			if s := status[p.Pair.String()]; !s.Connected && !s.NeedsReconnect {
				shown.New = append(shown.New, p.Pair)
			}
			shown.Rows = append(shown.Rows, rowOf(p, status))
		}
		view.Providers = append(view.Providers, shown)
	}
	return view, nil
}

func rowOf(p panel, status map[string]connection.ServiceStatus) row {
	s, pages := status[p.Pair.String()], status[provider.PagesPair.String()]
	isRead := !p.SyncedAt.IsZero()
	r := row{
		ServiceStatus: s, Pair: p.Pair, ID: p.ID, ReadAt: p.SyncedAt,
		Outdated: p.Stale || isRead && s.LostChoice != "",
	}
	if s.Connected && !s.NeedsReconnect && isRead {
		r.FailedAt = p.FailedAt
	}
	if s.Connected {
		r.Choice = p.Choice
	}
	r.Account, r.Reached = p.reached(s)
	r.State = stateOf(r)
	unread := s.Connected && (p.Former || !isRead)
	reads := p.Todo != nil && p.Todo.Action == p.Action()
	if unread && reads && r.State.Level != site.Bad {
		r.Todo, r.State = p.Todo, grade{"Połączono, brak danych", site.Warning}
	}
	if p.Pair == provider.PhotosPair && s.Connected {
		r.notePhotos(pages)
	}
	if r.NeedsReconnect || r.DataAccessEnds {
		r.Repair = repairOf(r.Pair, status)
	}
	return r
}

func (p panel) reached(s connection.ServiceStatus) (account, reached string) {
	switch {
	case p.Pair == provider.AnalyticsPair: // whose account has no name but the site's
		return "", strings.TrimPrefix(cmp.Or(s.Property, p.of), "sc-domain:")
	case p.Pair == provider.PhotosPair:
		return s.OwnerName, p.Account
	case s.Chosen:
		return s.OwnerName, string(s.AccountName)
	}
	return s.OwnerName, ""
}

func stateOf(r row) grade {
	switch {
	case r.LostChoice != "":
		return grade{"Wymaga wyboru", site.Bad}
	case r.NeedsReconnect:
		return grade{"Wymaga ponownego połączenia", site.Bad}
	case !r.Connected:
		return grade{Text: "Nie połączono"}
	case !channelOf(r.Pair).isChosen(r.ServiceStatus):
		return grade{"Połączono, został wybór", site.Warning}
	case r.Outdated:
		return grade{"Połączono, brak nowych danych", site.Warning}
	case !r.FailedAt.IsZero():
		return grade{"Połączono, ostatni odczyt się nie udał", site.Warning}
	}
	return grade{"Połączono", site.Good}
}

func (r *row) notePhotos(pages connection.ServiceStatus) {
	switch {
	case pages.Broken && !r.NeedsReconnect:
		r.State = grade{"Może nie działać", site.Warning}
		r.Reason = "Konto na Instagramie połączono razem ze stroną na Facebooku, do której straciliśmy dostęp. " +
			"Połącz oba konta ponownie."
		r.NeedsReconnect = true
	case !r.Own:
		r.Note = "Czytamy je przez wybraną stronę na Facebooku."
	case !r.Chosen && !pages.Connected:
		r.Note = "Czytamy je przez jedyną stronę na Facebooku, którą zarządza połączona osoba. " +
			"Jeśli zarządza kilkoma, połącz też stronę i wybierz ją."
	}
}

// repairOf returns the services whose consent is asked for together to mend one: all broken ones of its provider, and
// Instagram with the Facebook page through which it is read.
func repairOf(broken provider.Pair, status map[string]connection.ServiceStatus) (together []provider.Pair) {
	of, pages := status[broken.String()], status[provider.PagesPair.String()]
	for _, p := range provider.Pairs() {
		s := status[p.String()]
		if p.Provider != broken.Provider {
			continue
		}
		itself := p == broken && (s.Own || !s.Connected)
		withPage := p == provider.PhotosPair && pages.Broken
		lostTogether := of.LostChoice != "" && s.LostChoice != ""
		failing := s.Broken || s.DataAccessEnds || lostTogether
		ended := !s.Connected && s.NeedsReconnect
		own := s.Own && (failing || withPage)
		if itself || ended || own {
			together = append(together, p)
		}
	}
	if len(together) == 0 { // the service has no connection of its own, and is read through that of the page
		return []provider.Pair{provider.PagesPair}
	}
	return together
}

func pairOf(c echo.Context) provider.Pair {
	return provider.Pair{Provider: provider.Name(c.Param("provider")), Service: provider.Service(c.Param("service"))}
}

func (h *Handlers) connect(c echo.Context, v visitor, _ int64) error {
	return h.leave(c, v, pairOf(c))
}

func (h *Handlers) connectAll(c echo.Context, v visitor, _ int64) error {
	services := c.Request().PostForm["usluga"]
	if len(services) == 0 {
		return connection.CodeInvalidPair.Fault()
	}
	name, more := provider.Name(c.Param("provider")), []provider.Service(nil)
	for _, service := range services[1:] {
		more = append(more, provider.Service(service))
	}
	return h.leave(c, v, provider.Pair{Provider: name, Service: provider.Service(services[0])}, more...)
}

// leave shows a page that says who will ask for what, and leads there, at once if all of it was granted
// before. A redirect would not do: browsers hold those after a form to the policy's form-action, and
// the hosts of providers cannot be listed.
func (h *Handlers) leave(c echo.Context, v visitor, pair provider.Pair, more ...provider.Service) error {
	authURL, pending, err := h.Connections.Connect(v.Actor, pair, more...)
	if err != nil {
		return h.refused(c, integrationsPath, err)
	}
	status, err := h.Connections.Status(c.Request().Context(), v.Actor)
	if err != nil {
		return err
	}
	err = h.Guard.Sessions.PutState(c.Request(), pending.String())
	if fault.Is(err, account.CodeNoSession) {
		return c.Redirect(http.StatusSeeOther, loginPath)
	}
	if err != nil {
		return err
	}
	o := offers[pair.Provider]
	view := leavingView{
		Provider: pair.Provider, Site: o.Site, Title: o.Button, Address: authURL, Asked: askedIn(authURL),
	}
	known := true
	for _, service := range append([]provider.Service{pair.Service}, more...) {
		asked := provider.Pair{Provider: pair.Provider, Service: service}
		view.Services = append(view.Services, asked.Name())
		s := status[asked.String()]
		known = known && (s.Connected || s.NeedsReconnect)
	}
	if len(more) == 0 {
		view.Title = pair.Name()
	}
	if known {
		c.Response().Header().Set("Refresh", "0; url="+authURL)
	}
	return h.show(c, v, "leaving", "Przejście do "+o.Site, view)
}

func (h *Handlers) disconnect(c echo.Context, v visitor, _ int64) error {
	err := h.Connections.Disconnect(c.Request().Context(), v.Actor, pairOf(c))
	return h.finishAt(c, rowPath(pairOf(c)), "disconnected", err)
}

func (h *Handlers) refresh(c echo.Context, _ visitor, companyID int64) error {
	outcome, err := h.sync(c.Request().Context(), companyID, pairOf(c))
	return h.finishAt(c, rowPath(pairOf(c)), outcome, err)
}

type leavingView struct {
	Provider provider.Name
	Site     string // where it leads to, in the genitive
	Title    string
	Services []string
	Address  string
	Asked    []string // what the provider will ask to permit, in Polish
}

// scopeTexts say what a scope permits. What is for our app alone has none.
var scopeTexts = map[string]string{
	"https://www.googleapis.com/auth/business.manage": "zarządzanie Profilem Firmy (Google nie ma zgody na sam " +
		"odczyt; my tylko czytamy)",
	"https://www.googleapis.com/auth/webmasters.readonly": "odczyt danych o witrynie w Search Console",
	"pages_show_list":           "lista stron na Facebooku, którymi zarządzasz",
	"pages_read_engagement":     "odczyt treści tych stron i liczby obserwujących",
	"read_insights":             "odczyt statystyk stron",
	"instagram_basic":           "odczyt połączonego konta na Instagramie i jego publikacji",
	"instagram_manage_insights": "odczyt statystyk konta na Instagramie",
	"business_management":       "dostęp do stron w portfolio firmy",
}

// askedIn lists what the consent page at an address asks for: scopes stand apart by spaces (RFC 6749,
// section 3.3) or, at Meta, by commas. One without a text is shown by its name.
func askedIn(address string) (asked []string) {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	scopes := strings.FieldsFunc(u.Query().Get("scope"), func(r rune) bool { return r == ' ' || r == ',' })
	for _, scope := range scopes {
		switch text, known := scopeTexts[scope]; {
		case known:
			asked = append(asked, text)
		case scope != "openid": // who the person is, which every login reveals
			asked = append(asked, scope)
		}
	}
	return asked
}
