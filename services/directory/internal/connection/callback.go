package connection

import (
	"context"
	"errors"

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

// Finish ends an authorization. pending is what the session kept, nil when it
// kept nothing. It returns the pair that is connected, or the value of
// oauth_error, checked in the documented order.
func (s *Service) Finish(ctx context.Context, actor account.Actor, pending *Pending, cb Callback) (p provider.Pair, oauthError string) {
	switch {
	case cb.Error != "":
		return p, cb.Error
	case cb.Code == "" || cb.State == "":
		return p, "missing_params"
	case !pending.meets(cb.Provider, cb.State, s.now()):
		return p, "invalid_state"
	}
	parts, ok := parseState(cb.State)
	if !ok {
		return p, "invalid_state_format"
	}
	if actor.User.ID != parts.userID || actor.User.CompanyID == nil || *actor.User.CompanyID != parts.companyID {
		return p, "unauthorized"
	}
	if _, err := s.companyOf(actor); err != nil { // the role may have changed meanwhile
		return p, "unauthorized"
	}
	p = provider.Pair{Provider: cb.Provider, Service: parts.service}
	token, err := s.exchange(ctx, p, cb.Code, pending.Verifier)
	if err != nil {
		s.log.WarnContext(ctx, "code not exchanged", "pair", p.String(), "error", err, "request_id", actor.RequestID)
		return p, "token_exchange_failed"
	}
	if err := s.save(ctx, actor, p, token); err != nil {
		s.log.ErrorContext(ctx, "connection not saved", "pair", p.String(), "error", err, "request_id", actor.RequestID)
		return p, "save_failed"
	}
	return p, ""
}

func (s *Service) exchange(ctx context.Context, p provider.Pair, code, verifier string) (provider.Token, error) {
	exchange := s.providers[p.Provider].Exchange
	if exchange == nil || !p.Valid() {
		return provider.Token{}, errors.New("state names a pair that does not exist")
	}
	return exchange(ctx, p.Service, code, verifier, s.redirectURL(p.Provider))
}

func (s *Service) save(ctx context.Context, actor account.Actor, p provider.Pair, token provider.Token) error {
	companyID, err := actor.Company()
	if err != nil {
		return err
	}
	c := Connection{
		CompanyID: companyID, UserID: actor.User.ID, Pair: p, AccessToken: token.AccessToken, RefreshToken: token.RefreshToken,
		Scopes: token.Scopes, ExpiresAt: token.ExpiresAt, ProviderUserID: token.ProviderUserID, DataAccessExpiresAt: token.DataAccessExpiresAt,
	}
	c.AccountID, c.AccountName = s.account(ctx, p, token)
	before, err := s.store.Find(ctx, companyID, p)
	if err != nil && !fault.Is(err, CodeNoConnection) {
		return err
	}
	return s.store.Save(ctx, &c, s.keepChoice(ctx, before, c), actor.Entry(companyID, "connect", p, s.now()))
}

// account names the connected account if the provider returns it; a connection
// without a name is still a connection.
func (s *Service) account(ctx context.Context, p provider.Pair, token provider.Token) (id, name string) {
	ask := s.providers[p.Provider].Account
	if ask == nil {
		return "", ""
	}
	id, name, err := ask(ctx, p.Service, token)
	if err != nil {
		s.log.WarnContext(ctx, "account not named", "pair", p.String(), "error", err)
	}
	return id, name
}
