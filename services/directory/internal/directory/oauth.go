package directory

import (
	"context"
	"log/slog"
	"time"

	"backend.example/services/internal/kit/fault"
)

// ConnectionStore is what connecting needs of the repository.
type ConnectionStore interface {
	Connection(ctx context.Context, companyID int64, p Pair) (Connection, error)
	Connections(ctx context.Context, companyID int64) ([]Connection, error)
	SaveConnection(ctx context.Context, c *Connection, e Entry) error
	// LockConnection runs change alone, over all replicas, on the connection as it
	// is now, and saves what change made of it together with its entry.
	LockConnection(ctx context.Context, companyID int64, p Pair, change func(context.Context, *Connection) (*Entry, error)) (Connection, error)
	// GrantShared reports whether another active connection lives on c's grant.
	GrantShared(ctx context.Context, c Connection) (bool, error)
	Record(ctx context.Context, e Entry) error
}

// Actor is who asks, for rights and for the audit trail.
type Actor struct {
	User      User
	RequestID string
}

// company returns the actor's company, or the fault no_company.
func (a Actor) company() (int64, error) {
	if a.User.CompanyID == nil {
		return 0, fault.New(fault.Forbidden, "no_company", "Konto nie jest przypisane do żadnej firmy.")
	}
	return *a.User.CompanyID, nil
}

func (a Actor) entry(companyID int64, action string, p Pair, at time.Time) Entry {
	return Entry{At: at, CompanyID: companyID, UserID: &a.User.ID, Action: action, Pair: p, RequestID: a.RequestID}
}

// OAuth connects companies to their accounts at the providers.
type OAuth struct {
	store      ConnectionStore
	providers  map[Provider]Abilities
	publicURL  string // base of the redirect addresses, without a final slash
	now        func() time.Time
	background func(func()) // runs what must not hold up an answer
	log        *slog.Logger
}

// NewOAuth returns an OAuth. background runs its argument, now or later.
func NewOAuth(store ConnectionStore, providers map[Provider]Abilities, publicURL string,
	now func() time.Time, background func(func()), log *slog.Logger,
) *OAuth {
	return &OAuth{store: store, providers: providers, publicURL: publicURL, now: now, background: background, log: log}
}

func (o *OAuth) redirectURL(p Provider) string {
	return o.publicURL + "/api/oauth/callback/" + string(p)
}
