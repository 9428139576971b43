package connection

import (
	"context"
	"fmt"
	"slices"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// ServiceStatus is what the status shows of one service.
type ServiceStatus struct {
	Name           string       `json:"name"`
	Description    string       `json:"description"`
	Connected      bool         `json:"connected"`
	AccountID      httpapi.Text `json:"account_id"`
	AccountName    httpapi.Text `json:"account_name"`
	ExpiresAt      *time.Time   `json:"expires_at"`
	Expired        bool         `json:"is_expired"` // and cannot be renewed
	NeedsReconnect bool         `json:"needs_reconnect"`
	Reason         httpapi.Text `json:"reason"` // why, in Polish
	State          ServiceState `json:"state"`

	DataAccessExpiresAt *time.Time `json:"data_access_expires_at"` // null: not known

	// For pages and commands.
	Own            bool   `json:"-"` // has a connection of its own
	OwnerName      string `json:"-"`
	Property       string `json:"-"` // of Search Console
	LostChoice     string `json:"-"`
	Chosen         bool   `json:"-"` // the account is a page or a location
	Broken         bool   `json:"-"` // nothing can be read
	DataAccessEnds bool   `json:"-"` // soon; connecting again puts it off
}

// dataAccessWarning is how long before the end of data access people are warned.
const dataAccessWarning = 14 * 24 * time.Hour

// Reasons for connecting again.
const (
	reasonScope   = "Nie udzielono wszystkich wymaganych zgód. Połącz konto ponownie i zaznacz każdą z nich."
	reasonExpired = "Dostęp wygasł i nie można go odnowić. Połącz konto ponownie."
	reasonData    = "Facebook nie udostępnia już danych, bo od ostatniego logowania minęło zbyt wiele czasu. Połącz " +
		"konto ponownie."

	// ReasonUnreadable is that of a connection whose secrets no key decrypts.
	ReasonUnreadable = "Zapisanego dostępu nie można odczytać. Połącz konto ponownie."
)

func reasonLost(p provider.Pair, name string) string {
	account, choice := "na Facebooku", "stroną"
	if p.Provider == provider.Search {
		account, choice = "Google", "lokalizacją"
	}
	return fmt.Sprintf("To konto %s nie zarządza %s „%s”. Wybierz inną lub połącz właściwe konto.", account, choice,
		name)
}

// Status returns the state of each pair for the actor's company, by the pair's name; it is
// empty without a company.
func (s *Service) Status(ctx context.Context, actor account.Actor) (map[string]ServiceStatus, error) {
	if actor.User.CompanyID == nil {
		return map[string]ServiceStatus{}, nil
	}
	return s.StatusOf(ctx, *actor.User.CompanyID)
}

// StatusOf is Status of any company, for operators.
func (s *Service) StatusOf(ctx context.Context, companyID int64) (map[string]ServiceStatus, error) {
	services := map[string]ServiceStatus{}
	for _, p := range provider.Pairs() {
		services[p.String()] = ServiceStatus{
			Name: p.Name(), Description: p.Description(), State: ServiceState{Progress: ProgressNone, Act: ActConnect},
		}
	}
	connections, err := s.Store.List(ctx, companyID)
	if err != nil {
		return nil, err
	}
	byPair := map[provider.Pair]Connection{}
	for _, c := range connections {
		byPair[c.Pair] = c
		status, ok := services[c.Pair.String()]
		switch {
		case !ok: // a pair that is no longer offered
		case !c.Active: // one that was ended from outside says so
			status.Reason, status.NeedsReconnect = httpapi.Text(c.ReconnectReason), c.ReconnectReason != ""
			status.State.Reason = status.Reason
			services[c.Pair.String()] = status
		default:
			status.Own = true
			services[c.Pair.String()] = s.describe(status, c)
		}
	}
	photos := provider.PhotosPair.String()
	if via := s.photosVia(byPair[provider.PagesPair], byPair[provider.PhotosPair]); via.Pair == provider.PagesPair {
		if c := asPhotos(via); s.reason(c) != reasonScope {
			services[photos] = s.describe(services[photos], c)
		}
	}
	return services, nil
}

func (s *Service) describe(status ServiceStatus, c Connection) ServiceStatus {
	status.Connected = true
	status.AccountID = httpapi.Text(c.AccountID)
	status.AccountName = httpapi.Text(c.AccountName)
	status.ExpiresAt = c.ExpiresAt
	status.State = s.state(c, c.Pair.Service)
	status.OwnerName, status.LostChoice = c.OwnerName, c.LostChoice
	status.Property = c.Property
	status.Chosen, status.DataAccessExpiresAt = c.Chosen != ChosenNothing, c.DataAccessExpiresAt
	status.Expired = s.expired(c)
	now := s.Store.Now()
	status.DataAccessEnds = c.dataAccessExpired(now.Add(dataAccessWarning)) && !c.dataAccessExpired(now)
	status.Reason = httpapi.Text(s.reason(c))
	status.NeedsReconnect, status.Broken = status.Reason != "", c.ReconnectReason != "" || status.Expired
	return status
}

func (s *Service) expired(c Connection) bool {
	return c.ExpiresAt != nil && !c.ExpiresAt.After(s.Store.Now()) && (c.RefreshToken == "" || c.ReconnectReason != "")
}

// reason returns in Polish why only the user can mend c now; empty if no action is needed.
func (s *Service) reason(c Connection) string {
	switch {
	case c.ReconnectReason != "":
		return c.ReconnectReason
	case s.expired(c):
		return reasonExpired
	case c.dataAccessExpired(s.Store.Now()):
		return reasonData
	case c.NeedsUser():
		return c.reason()
	case s.lacksScope(c):
		return reasonScope
	}
	return ""
}

func (s *Service) lacksScope(c Connection) bool {
	client := s.Providers[c.Pair.Provider]
	return client != nil && c.Pair.Valid() && len(client.Lacks(c.Pair.Service, c.Scopes)) > 0
}

// Reading is the outcome of the tries to read a service with a connection.
type Reading struct {
	At       time.Time `json:"at,omitzero"`        // of the newest success
	Of       string    `json:"of,omitempty"`       // what was read
	FailedAt time.Time `json:"failed_at,omitzero"` // zero if the newest try succeeded
	Code     string    `json:"code,omitempty"`     // of the failure
	Reason   string    `json:"reason,omitempty"`   // of the failure, in Polish
}

// Progress is how far a company is with a service.
type Progress string

// The stages of a service.
const (
	ProgressNone    Progress = "not_connected"
	ProgressReading Progress = "reading" // connected, and not read yet
	ProgressRead    Progress = "read"
	ProgressFailed  Progress = "failed" // cannot be read
)

// Act is what has to be done so that a service can be read.
type Act string

// MarshalJSON implements json.Marshaler.
func (a Act) MarshalJSON() ([]byte, error) { return httpapi.Text(a).MarshalJSON() }

// The acts. All but ActWait and ActOperator are for a person of the company.
const (
	ActNone           Act = ""
	ActConnect        Act = "connect"
	ActReconnect      Act = "reconnect"
	ActChoosePage     Act = "choose_page"
	ActChooseLocation Act = "choose_location"
	ActAddProperty    Act = "add_property"
	ActMendAccount    Act = "mend_account" // in the app or on the site of the provider
	ActWait           Act = "wait"
	ActOperator       Act = "contact_operator"
)

// ServiceState is the state of a service of a company that API, pages and commands show.
type ServiceState struct {
	Progress Progress     `json:"progress"`
	At       *time.Time   `json:"read_at"` // of the newest reading; null if there is none
	FailedAt time.Time    `json:"-"`       // of a later try to read it; zero if none failed
	Of       httpapi.Text `json:"of"`      // whose data were read
	Reason   httpapi.Text `json:"reason"`  // why it cannot be read, in Polish
	Act      Act          `json:"act"`     // what mends it
}

func (s *Service) state(c Connection, service provider.Service) ServiceState {
	r := c.Readings[service]
	state := ServiceState{Progress: ProgressReading, Of: httpapi.Text(r.Of), FailedAt: r.FailedAt}
	if !r.At.IsZero() {
		state.Progress, state.At = ProgressRead, &r.At
	}
	reason, act := s.obstacle(c, service)
	if act == ActNone && !r.FailedAt.IsZero() {
		reason, act = r.Reason, actFor(r.Code)
	}
	if act != ActNone {
		state.Progress = ProgressFailed
		state.Reason = httpapi.Text(reason)
		state.Act = act
	}
	return state
}

// obstacle returns what prevents a reading before it is tried.
func (s *Service) obstacle(c Connection, service provider.Service) (reason string, act Act) {
	chooses := map[provider.Service]Act{
		provider.SocialPages: ActChoosePage, provider.SearchProfile: ActChooseLocation,
	}[service]
	switch reason = s.reason(c); {
	case c.LostChoice != "" && reason == reasonLost(c.Pair, c.LostChoice):
		return reason, chooses
	case reason != "":
		return reason, ActReconnect
	case chooses == ActChoosePage && c.Chosen == ChosenNothing:
		return "Najpierw wybierz stronę firmy na Facebooku.", chooses
	case chooses == ActChooseLocation && c.Chosen == ChosenNothing:
		return "Najpierw wybierz lokalizację firmy w Google.", chooses
	}
	return "", ActNone
}

func actFor(code string) Act {
	switch code {
	case provider.CodeReconnect.Name, provider.CodePermission.Name:
		return ActReconnect
	case provider.CodeGone.Name, "no_figures":
		return ActMendAccount
	case provider.CodeOperator.Name:
		return ActOperator
	case CodeNoPage.Name:
		return ActChoosePage
	case "no_location", "location_not_found":
		return ActChooseLocation
	case "no_site", "property_lost":
		return ActAddProperty
	}
	return ActWait
}

// PhotosVia returns the connection through which the company's photo-network account is read:
// social_pages with a chosen page, unless that cannot read the account and there is a
// social_photos connection. pageID is the page that the account is linked to, empty if none is
// chosen. The faults are no_connection and no_page.
func (s *Service) PhotosVia(ctx context.Context, companyID int64) (via Connection, pageID string, err error) {
	pages, err := s.activeOrNone(ctx, companyID, provider.PagesPair)
	if err != nil {
		return via, "", err
	}
	var photos Connection
	if !s.readsPhotos(pages) {
		if photos, err = s.activeOrNone(ctx, companyID, provider.PhotosPair); err != nil {
			return via, "", err
		}
	}
	if pages.Chosen == ChosenPage {
		pageID = pages.AccountID
	}
	via = s.photosVia(pages, photos)
	switch {
	case via.Active && (via.Pair == provider.PhotosPair || via.Chosen == ChosenPage):
		return via, pageID, nil
	case pages.Active:
		return via, "", CodeNoPage.Fault()
	}
	return via, "", CodeNoConnection.Fault()
}

func (s *Service) activeOrNone(ctx context.Context, companyID int64, p provider.Pair) (Connection, error) {
	c, err := s.Active(ctx, companyID, p)
	if fault.Is(err, CodeNoConnection) {
		return Connection{}, nil
	}
	return c, err
}

// photosVia chooses between two connections, either of which may be missing. A page whose choice
// was lost has to be chosen again: any other page could be the wrong one.
func (s *Service) photosVia(pages, photos Connection) Connection {
	if !pages.Active {
		return photos
	}
	if pages.LostChoice != "" {
		return pages
	}
	if pages.Chosen == ChosenPage && (!photos.Active || s.readsPhotos(pages)) {
		return pages
	}
	return photos
}

func (s *Service) readsPhotos(pages Connection) bool {
	return pages.Chosen == ChosenPage && s.reason(asPhotos(pages)) == ""
}

// asPhotos returns a social_pages connection as the one of social_photos.
func asPhotos(pages Connection) Connection {
	pages.Pair = provider.PhotosPair
	pages.Denied = slices.DeleteFunc(slices.Clone(pages.Denied), func(s provider.Service) bool {
		return s != provider.SocialPhotos
	})
	return pages
}
