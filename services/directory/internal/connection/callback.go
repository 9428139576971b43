package connection

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// Callback is what a provider sent the browser back with.
type Callback struct {
	Provider provider.Name
	Code     string
	State    string
	Error    string
}

// incomplete returns the oauth_error of the first two documented checks; empty if they pass.
func (cb Callback) incomplete() string {
	if cb.Error != "" {
		return cb.Error
	}
	if cb.Code == "" || cb.State == "" {
		return "missing_params"
	}
	return ""
}

// Granted is what a callback has connected.
type Granted struct {
	Pair    provider.Pair      // the first of what is connected
	More    []provider.Service // that the same consent has connected, too
	Refused []provider.Service // asked for, but the person did not grant what they need
}

// finishLimit bounds the work on a callback after its state was accepted.
const finishLimit = 30 * time.Second

// Finish ends an authorization. pending is what the session kept; it may be nil. It returns
// what is connected, or the value of oauth_error: the first check that fails, in the documented
// order. Once the state is accepted, it goes on although the browser leaves, because a code can be
// exchanged only once.
func (s *Service) Finish(ctx context.Context, actor account.Actor, pending *Pending, cb Callback) (done Granted,
	oauthError string) {
	if oauthError := cb.incomplete(); oauthError != "" {
		return done, oauthError
	}
	if !pending.meets(cb.Provider, cb.State, s.Store.Now()) {
		return done, "invalid_state"
	}
	defer s.underway.begin(cb.State)()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	parts, ok := parseState(cb.State)
	if !ok {
		return done, "invalid_state_format"
	}
	if actor.User.ID != parts.userID || actor.User.CompanyID == nil || *actor.User.CompanyID != parts.companyID {
		return done, "unauthorized"
	}
	companyID, err := s.companyOf(actor)
	if err != nil { // the role may have changed meanwhile
		return done, "unauthorized"
	}
	asked := slices.Concat([]provider.Service{parts.service}, pending.More)
	token, err := s.exchange(ctx, cb.Provider, asked, cb.Code, pending.Verifier)
	if err != nil {
		s.Log.WarnContext(ctx, "code not exchanged", "provider", cb.Provider, "services", asked, "error", err,
			"request_id", actor.RequestID)
		return done, "token_exchange_failed"
	}
	granted, refused := s.divide(cb.Provider, asked, token.Scopes)
	for _, service := range granted {
		p := provider.Pair{Provider: cb.Provider, Service: service}
		if err := s.save(ctx, actor, companyID, p, token); err != nil { // those before it stay connected
			s.Log.ErrorContext(ctx, "connection not saved", "pair", p.String(), "error", err, "request_id",
				actor.RequestID)
			s.revokeUnsaved(ctx, actor, p, token)
			return done, "save_failed"
		}
	}
	s.shareWithPerson(ctx, cb.Provider, token)
	return Granted{provider.Pair{Provider: cb.Provider, Service: granted[0]}, granted[1:], refused}, ""
}

// revokeUnsaved withdraws at the provider a grant that could not be saved, unless an active
// connection may live on the same grant.
func (s *Service) revokeUnsaved(ctx context.Context, actor account.Actor, p provider.Pair, token provider.Token) {
	c := Connection{
		Pair: p, UserID: actor.User.ID, CompanyID: *actor.User.CompanyID,
		AccessToken: token.AccessToken, RefreshToken: token.RefreshToken, ProviderUserID: token.ProviderUserID,
	}
	if err := s.withdrawUnneeded(ctx, c); err != nil {
		s.Log.ErrorContext(ctx, "grant that was not saved is not withdrawn", "pair", p.String(), "error", err,
			"request_id", actor.RequestID)
	}
}

func (s *Service) withdrawUnneeded(ctx context.Context, c Connection) error {
	needed, err := s.Store.GrantNeeded(ctx, c)
	if err != nil || needed {
		return err
	}
	return s.withdraw(ctx, c)
}

// authorizations are those that this process is finishing: of each state, a channel that is closed
// at the end.
type authorizations struct{ done sync.Map }

func (a *authorizations) begin(state string) (end func()) {
	done := make(chan struct{})
	a.done.Store(state, done)
	return func() {
		a.done.Delete(state)
		close(done)
	}
}

// wait returns once the authorization of a state is finished, at once if none is under way.
func (a *authorizations) wait(ctx context.Context, state string) {
	done, found := a.done.Load(state)
	if !found {
		return
	}
	select {
	case <-done.(chan struct{}):
	case <-ctx.Done():
	}
}

// recent is how long a browser may repeat a callback that has connected a service.
const recent = time.Minute

// ConnectedBy returns the pair that a callback names if the actor connected it within the
// last minute. It waits for an earlier delivery of the same callback.
func (s *Service) ConnectedBy(ctx context.Context, actor account.Actor, cb Callback) (p provider.Pair, connected bool) {
	s.underway.wait(ctx, cb.State)
	parts, ok := parseState(cb.State)
	p = provider.Pair{Provider: cb.Provider, Service: parts.service}
	if !ok || parts.userID != actor.User.ID || !p.Valid() {
		return p, false
	}
	c, err := s.Store.Find(ctx, parts.companyID, p)
	if err != nil {
		return p, false
	}
	byActor := c.Active && c.UserID == actor.User.ID
	return p, byActor && s.Store.Now().Sub(c.ConnectedAt).Abs() < recent
}

// divide separates the services for which the granted scopes suffice from the others. If they suffice
// for none, the first service counts as granted, so that its status can say what is missing.
func (s *Service) divide(name provider.Name, asked []provider.Service, scopes []string) (granted,
	refused []provider.Service) {
	client := s.Providers[name]
	for _, service := range asked {
		if len(client.Lacks(service, scopes)) > 0 {
			refused = append(refused, service)
		} else {
			granted = append(granted, service)
		}
	}
	if len(granted) == 0 {
		granted, refused = refused[:1], refused[1:]
	}
	return granted, refused
}

func (s *Service) exchange(ctx context.Context, name provider.Name, asked []provider.Service, code,
	verifier string) (provider.Token, error) {
	client := s.Providers[name]
	for _, service := range asked {
		if client == nil || !(provider.Pair{Provider: name, Service: service}).Valid() {
			return provider.Token{}, errors.New("state names a pair that does not exist")
		}
	}
	return client.Exchange(ctx, asked, code, verifier, s.redirectURL(name))
}

func (s *Service) save(ctx context.Context, actor account.Actor, companyID int64, p provider.Pair,
	token provider.Token) error {
	c := Connection{
		CompanyID: companyID, UserID: actor.User.ID, Pair: p, AccessToken: token.AccessToken,
		RefreshToken: token.RefreshToken, Scopes: token.Scopes, ExpiresAt: token.ExpiresAt,
		ProviderUserID: token.ProviderUserID,
		Metadata:       Metadata{DataAccessExpiresAt: token.DataAccessExpiresAt},
	}
	c.AccountID, c.AccountName = s.account(ctx, p, token)
	c.OwnerName = c.AccountName
	before, err := s.Store.Find(ctx, companyID, p)
	if err != nil && !fault.Is(err, CodeNoConnection) {
		return err
	}
	return s.Store.Save(ctx, &c, s.keepChoice(ctx, before, c), actor.Entry(companyID, "connect", p))
}

// account returns id and name of the connected account, as far as the provider tells them.
func (s *Service) account(ctx context.Context, p provider.Pair, token provider.Token) (id, name string) {
	id, name, err := s.Providers[p.Provider].Account(ctx, p.Service, token)
	if err != nil {
		s.Log.WarnContext(ctx, "account not named", "pair", p.String(), "error", err)
	}
	return id, name
}
