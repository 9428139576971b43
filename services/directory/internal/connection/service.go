package connection

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// Options configure a Service.
type Options struct {
	Store     *Store
	Providers map[provider.Name]provider.Client
	PublicURL string // base of the redirect addresses, without a final slash
	Incidents *incident.Incidents
	Metrics   *metrics.Metrics
	Limits    *limit.Limits
	Discovers int // of one service of a company in any workWindow
	Syncs     int // the same
	// Strict makes connecting and disconnecting require the right to edit the company, which the
	// contract does not.
	Strict bool
	Log    *slog.Logger
}

// Service connects companies to their accounts at the providers.
type Service struct {
	Options
	underway *authorizations
}

// New returns a Service.
func New(o Options) *Service { return &Service{Options: o, underway: &authorizations{}} }

// ForScans returns a copy with the clients of scans.
func (s *Service) ForScans(clients map[provider.Name]provider.Client) *Service {
	c := *s
	c.Providers = clients
	return &c
}

// Connect begins an authorization of p, and of more services of its provider with the same
// consent: the address for the user's browser, and what the session has to keep until the
// callback. The faults are invalid_pair, no_company, not_allowed and not_configured.
func (s *Service) Connect(actor account.Actor, p provider.Pair, more ...provider.Service) (authURL string,
	pending *Pending, err error) {
	services := slices.Concat([]provider.Service{p.Service}, more)
	for i, service := range services {
		if !(provider.Pair{Provider: p.Provider, Service: service}).Valid() || slices.Contains(services[:i], service) {
			return "", nil, CodeInvalidPair.Fault()
		}
	}
	companyID, err := s.companyOf(actor)
	if err != nil {
		return "", nil, err
	}
	client := s.Providers[p.Provider]
	if client == nil || !client.Configured() {
		return "", nil, CodeNotConfigured.Fault()
	}
	pending = &Pending{State: newState(companyID, actor.User.ID, p.Service), Provider: p.Provider, More: more,
		CreatedAt: s.Store.Now()}
	if client.UsesPKCE() {
		pending.Verifier = newVerifier()
	}
	return client.AuthURL(services, pending.State, pending.Verifier, s.redirectURL(p.Provider)), pending, nil
}

func (s *Service) companyOf(actor account.Actor) (int64, error) {
	id, err := actor.Company()
	if err != nil {
		return id, err
	}
	if s.Strict {
		return id, actor.MayEdit(id)
	}
	return id, nil
}

func (s *Service) redirectURL(p provider.Name) string {
	return s.PublicURL + "/api/oauth/callback/" + string(p)
}

// Active returns the company's active connection of p, or the fault no_connection.
func (s *Service) Active(ctx context.Context, companyID int64, p provider.Pair) (Connection, error) {
	c, err := s.Store.Find(ctx, companyID, p)
	if err != nil {
		return c, err
	}
	if c.ReconnectReason == ReasonUnreadable {
		s.Log.ErrorContext(ctx, "secrets of a connection cannot be decrypted", "company", companyID, "pair", p.String())
	}
	if !c.Active {
		return c, CodeNoConnection.Fault()
	}
	return c, nil
}

// Chosen is Active of a connection whose page or location has been chosen. Without a choice, the
// fault is that of missing.
func (s *Service) Chosen(
	ctx context.Context, companyID int64, p provider.Pair, missing fault.Code,
) (Connection, error) {
	c, err := s.Active(ctx, companyID, p)
	if err != nil {
		return Connection{}, err
	}
	if c.Chosen == ChosenNothing {
		return Connection{}, missing.Fault()
	}
	return c, nil
}

// choiceTries is how often a choice is made while its connection is being replaced.
const choiceTries = 3

// RetryChanged makes a choice, and makes it again if its fault is connection_changed.
func RetryChanged(choose func() error) (err error) {
	for range choiceTries {
		if err = choose(); !fault.Is(err, CodeConnectionChanged) {
			return err
		}
	}
	return err
}

// HoldListed is [Store.Hold] for a choice of what was listed with a connection. If that has
// been replaced, the fault is connection_changed.
func (s *Service) HoldListed(ctx context.Context, listed Connection) (*Held, error) {
	held, err := s.Store.Hold(ctx, listed.CompanyID, listed.Pair)
	if err != nil {
		return nil, err
	}
	switch {
	case !held.Active:
		err = CodeNoConnection.Fault()
	case !held.sameGrant(&listed):
		err = CodeConnectionChanged.Fault()
	default:
		return held, nil
	}
	held.Release()
	return nil, err
}

const workWindow = 10 * time.Minute

// LimitDiscover counts a discovery for the company. Too many are the fault too_much_work.
func (s *Service) LimitDiscover(ctx context.Context, companyID int64, service provider.Service) error {
	return s.mayWork(ctx, "discover", s.Discovers, companyID, service)
}

// LimitSync is LimitDiscover for syncs.
func (s *Service) LimitSync(ctx context.Context, companyID int64, service provider.Service) error {
	return s.mayWork(ctx, "sync", s.Syncs, companyID, service)
}

func (s *Service) mayWork(ctx context.Context, kind string, most int, companyID int64, service provider.Service) error {
	return s.Limits.Take(ctx, s.Store.Now(), limit.CodeTooMuchWork, limit.Limit{
		Kind: kind, Subject: fmt.Sprintf("%d %s", companyID, service), Max: most, Window: workWindow,
	})
}
