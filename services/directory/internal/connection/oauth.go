package connection

import (
	"context"
	"log/slog"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// ConnectionStore keeps connections. It is an interface because a database is
// outside of the domain.
type ConnectionStore interface {
	Connection(ctx context.Context, companyID int64, p provider.Pair) (Connection, error)
	Connections(ctx context.Context, companyID int64) ([]Connection, error)
	// SaveConnection stores c in the place of the company's connection of its pair, of
	// which keep brings over what stays. c becomes the connection as stored.
	SaveConnection(ctx context.Context, c *Connection, keep func(before Connection, c *Connection), e trail.Entry) error
	// LockConnection runs change alone, over all replicas, on the connection as it
	// is now, and saves what change made of it together with its entry.
	LockConnection(ctx context.Context, companyID int64, p provider.Pair, change func(context.Context, *Connection) (*trail.Entry, error)) (Connection, error)
	// RenewConnection is LockConnection for a change that calls the provider. It does
	// not delay LockConnection of other connections.
	RenewConnection(ctx context.Context, companyID int64, p provider.Pair, change func(context.Context, *Connection) (*trail.Entry, error)) (Connection, error)
	// GrantShared reports whether another active connection lives on c's grant.
	GrantShared(ctx context.Context, c Connection) (bool, error)
	Record(ctx context.Context, e trail.Entry) error
}

// OAuthOptions are what an OAuth works with.
type OAuthOptions struct {
	Store      ConnectionStore
	Providers  map[provider.Name]Abilities
	PublicURL  string // base of the redirect addresses, without a final slash
	Limits     Limits
	Discovers  int // of one service of a company in any workWindow
	Syncs      int // the same
	Now        func() time.Time
	Background func(func()) // runs what must not hold up an answer, now or later
	Log        *slog.Logger
}

// OAuth connects companies to their accounts at the providers.
type OAuth struct {
	store      ConnectionStore
	providers  map[provider.Name]Abilities
	publicURL  string
	limits     Limits
	discovers  int
	syncs      int
	now        func() time.Time
	background func(func())
	log        *slog.Logger
	reselect   map[provider.Pair]Reselect
}

// NewOAuth returns an OAuth.
func NewOAuth(o OAuthOptions) *OAuth {
	return &OAuth{
		store: o.Store, providers: o.Providers, publicURL: o.PublicURL, limits: o.Limits, discovers: o.Discovers, syncs: o.Syncs,
		now: o.Now, background: o.Background, log: o.Log, reselect: map[provider.Pair]Reselect{},
	}
}

// Connect begins an authorization: the address for the user's browser, and what
// the session has to keep until the callback. The faults are invalid_pair,
// no_company and not_configured.
func (o *OAuth) Connect(actor account.Actor, p provider.Pair) (authURL string, pending *Pending, err error) {
	if !p.Valid() {
		return "", nil, CodeInvalidPair.Fault()
	}
	companyID, err := actor.Company()
	if err != nil {
		return "", nil, err
	}
	abilities := o.providers[p.Provider]
	if !abilities.Configured {
		return "", nil, CodeNotConfigured.Fault()
	}
	pending = &Pending{State: newState(companyID, actor.User.ID, p.Service), Provider: p.Provider, CreatedAt: o.now()}
	if abilities.UsesPKCE {
		pending.Verifier = newVerifier()
	}
	return abilities.AuthURL(p.Service, pending.State, pending.Verifier, o.redirectURL(p.Provider)), pending, nil
}

func (o *OAuth) redirectURL(p provider.Name) string {
	return o.publicURL + "/api/oauth/callback/" + string(p)
}

// ReadRequest reads a request about a person that a provider has signed. The faults are
// not_configured and invalid_request.
func (o *OAuth) ReadRequest(p provider.Name, signed string) (r provider.PersonRequest, err error) {
	abilities := o.providers[p]
	if !abilities.Configured || abilities.ReadRequest == nil {
		return r, CodeNotConfigured.Fault()
	}
	return abilities.ReadRequest(signed)
}
