package connection

import (
	"context"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/provider"
)

// ServiceStatus is what the status shows of one service.
type ServiceStatus struct {
	Name           string
	Description    string
	Connected      bool
	AccountID      string
	AccountName    string
	Chosen         bool // the account is a page or a location that the company chose
	ExpiresAt      *time.Time
	Expired        bool   // ExpiresAt has passed and the credential cannot be renewed
	Broken         bool   // nothing can be read
	NeedsReconnect bool   // only the user can mend it
	Reason         string // why, in Polish

	DataAccessExpiresAt *time.Time // nil: not known
	DataAccessEnds      bool       // soon; connecting again puts it off
}

// dataAccessWarning is how long before its end people are warned of it.
const dataAccessWarning = 14 * 24 * time.Hour

// Reasons for connecting again.
const (
	reasonScope   = "Nie udzielono wszystkich wymaganych zgód. Połącz konto ponownie i zaznacz każdą z nich."
	reasonExpired = "Dostęp wygasł i nie można go odnowić. Połącz konto ponownie."
	reasonData    = "Dostawca nie udostępnia już danych, bo od ostatniego logowania minęło zbyt wiele czasu. Połącz konto ponownie."
	reasonLost    = "Udzielona zgoda nie obejmuje wybranej wcześniej pozycji „%s”. Wybierz inną albo połącz konto ponownie i zaznacz tę."

	// ReasonUnreadable is that of a connection whose secrets no key decrypts.
	ReasonUnreadable = "Zapisanego dostępu nie można odczytać. Połącz konto ponownie."
)

// Status returns the state of each of Pairs for the actor's company, by the pair's
// name; it is empty for an actor without a company.
func (o *OAuth) Status(ctx context.Context, actor account.Actor) (map[string]ServiceStatus, error) {
	services := map[string]ServiceStatus{}
	if actor.User.CompanyID == nil {
		return services, nil
	}
	for _, p := range provider.Pairs() {
		services[p.String()] = ServiceStatus{Name: p.Name(), Description: p.Description()}
	}
	connections, err := o.store.Connections(ctx, *actor.User.CompanyID)
	if err != nil {
		return nil, err
	}
	for _, c := range connections {
		s, ok := services[c.Pair.String()]
		switch {
		case !ok:
		case !c.Active: // one that was ended from outside says so
			s.Reason, s.NeedsReconnect = c.ReconnectReason, c.ReconnectReason != ""
			services[c.Pair.String()] = s
		default:
			services[c.Pair.String()] = o.describe(s, c)
		}
	}
	return services, nil
}

func (o *OAuth) describe(s ServiceStatus, c Connection) ServiceStatus {
	s.Connected, s.AccountID, s.AccountName, s.ExpiresAt = true, c.AccountID, c.AccountName, c.ExpiresAt
	s.Chosen, s.DataAccessExpiresAt = c.Chosen != ChosenNothing, c.DataAccessExpiresAt
	s.Expired = c.ExpiresAt != nil && !c.ExpiresAt.After(o.now()) && (c.RefreshToken == "" || c.ReconnectReason != "")
	s.DataAccessEnds = c.dataAccessExpired(o.now().Add(dataAccessWarning)) && !c.dataAccessExpired(o.now())
	switch {
	case c.ReconnectReason != "":
		s.Reason = c.ReconnectReason
	case s.Expired:
		s.Reason = reasonExpired
	case c.dataAccessExpired(o.now()):
		s.Reason = reasonData
	case c.NeedsUser():
		s.Reason = c.reason()
	case o.lacksScope(c):
		s.Reason = reasonScope
	}
	s.NeedsReconnect, s.Broken = s.Reason != "", c.ReconnectReason != "" || s.Expired
	return s
}

// lacksScope reports whether the connection was granted less than its service
// needs.
func (o *OAuth) lacksScope(c Connection) bool {
	lacks := o.providers[c.Pair.Provider].Lacks
	return lacks != nil && c.Pair.Valid() && len(lacks(c.Pair.Service, c.Scopes)) > 0
}
