package connection

import (
	"context"
	"fmt"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/provider"
)

// ServiceStatus is what the status shows of one service.
type ServiceStatus struct {
	Name           string
	Description    string
	Connected      bool
	Own            bool // it has a connection of its own, which can be ended
	AccountID      string
	AccountName    string
	OwnerName      string // of the connected account, also after a choice; may be empty
	Property       string // of Search Console, chosen to be read; may be empty
	LostChoice     string // name of the page or location that the account does not reach any more
	Chosen         bool   // the account is a page or a location that the company chose
	ExpiresAt      *time.Time
	Expired        bool   // ExpiresAt has passed and the credential cannot be renewed
	Broken         bool   // nothing can be read
	NeedsReconnect bool   // only the user can mend it
	Reason         string // why, in Polish

	State ServiceState

	DataAccessExpiresAt *time.Time // nil: not known
	DataAccessEnds      bool       // soon; connecting again puts it off
}

// dataAccessWarning is how long before its end people are warned of it.
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

// reasonLost names the page or location that the account does not reach any more.
func reasonLost(p provider.Pair, name string) string {
	account, choice := "na Facebooku", "stroną"
	if p.Provider == provider.Search {
		account, choice = "Google", "lokalizacją"
	}
	return fmt.Sprintf("To konto %s nie zarządza %s „%s”. Wybierz inną lub połącz właściwe konto.", account, choice,
		name)
}

// Status returns the state of each of Pairs for the actor's company, by the pair's
// name; it is empty for an actor without a company.
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
		case !ok:
		case !c.Active: // one that was ended from outside says so
			status.Reason, status.NeedsReconnect = c.ReconnectReason, c.ReconnectReason != ""
			status.State.Reason = c.ReconnectReason
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
	status.AccountID = c.AccountID
	status.AccountName = c.AccountName
	status.ExpiresAt = c.ExpiresAt
	status.State = s.state(c, c.Pair.Service)
	status.OwnerName, status.LostChoice = c.OwnerName, c.LostChoice
	status.Property = c.Property
	status.Chosen, status.DataAccessExpiresAt = c.Chosen != ChosenNothing, c.DataAccessExpiresAt
	status.Expired = s.expired(c)
	now := s.Store.Now()
	status.DataAccessEnds = c.dataAccessExpired(now.Add(dataAccessWarning)) && !c.dataAccessExpired(now)
	status.Reason = s.reason(c)
	status.NeedsReconnect, status.Broken = status.Reason != "", c.ReconnectReason != "" || status.Expired
	return status
}

// expired reports whether the access token of c has expired and cannot be renewed.
func (s *Service) expired(c Connection) bool {
	return c.ExpiresAt != nil && !c.ExpiresAt.After(s.Store.Now()) && (c.RefreshToken == "" || c.ReconnectReason != "")
}

// reason returns in Polish why only the user can mend c; it is empty if no action is
// needed.
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

// lacksScope reports whether the connection was granted less than its service
// needs.
func (s *Service) lacksScope(c Connection) bool {
	client := s.Providers[c.Pair.Provider]
	return client != nil && c.Pair.Valid() && len(client.Lacks(c.Pair.Service, c.Scopes)) > 0
}
