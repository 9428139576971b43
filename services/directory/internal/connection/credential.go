package connection

import (
	"context"
	"time"

	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

const (
	// renewBefore is how long before its expiry a token is renewed on use.
	renewBefore = 5 * time.Minute
	// renewEarly is the same for the scan, where the token is renewed with itself: an
	// expired one is lost.
	renewEarly = 10 * 24 * time.Hour
	// renewIdle is for how long the scan leaves an expired token that is renewed with a
	// refresh token: syncs renew it on use, but a refresh token that is not used expires.
	renewIdle = 24 * time.Hour
	// renewLimit bounds a renewal including the wait for its turn.
	renewLimit = 30 * time.Second
)

// Use reads with a fresh access token and the account of c. A token that the provider
// refuses all the same is renewed once, if it can be. If it is still refused, the
// connection is marked for reconnection.
func Use[T any](ctx context.Context, s *Service, c Connection,
	read func(ctx context.Context, token, account string) (T, error)) (T, error) {
	return use(ctx, s, c, read, false)
}

// UseOptional is Use for an API without which the service works. That it answers, or is not
// enabled, says nothing of the app: only a refused token is counted.
func UseOptional[T any](ctx context.Context, s *Service, c Connection,
	read func(ctx context.Context, token, account string) (T, error)) (T, error) {
	return use(ctx, s, c, read, true)
}

func use[T any](ctx context.Context, s *Service, c Connection,
	read func(ctx context.Context, token, account string) (T, error), optional bool) (data T, err error) {
	switch {
	case c.ReconnectReason != "":
		return data, provider.Revoked(nil, c.ReconnectReason)
	case c.awaitsPage():
		c, err = s.regainPage(ctx, c)
	case c.Chosen != ChosenPage: // a page's token never expires
		c, err = s.renew(ctx, c, func(c Connection) bool { return c.due(s.Store.Now().Add(renewBefore)) })
	}
	if err != nil {
		return data, err
	}
	data, err = read(ctx, c.AccessToken, c.AccountID)
	if c.RefreshToken != "" && fault.Is(err, provider.CodeReconnect) {
		refused := c.AccessToken
		if c, err = s.renew(ctx, c, func(c Connection) bool { return c.AccessToken == refused }); err != nil {
			return data, err
		}
		data, err = read(ctx, c.AccessToken, c.AccountID)
	}
	of := incident.Subject{Provider: c.Pair.Provider, Service: c.Pair.Service, Kind: incident.Token}
	switch {
	case err == nil && !optional:
		s.succeeded(ctx, of)
	case err == nil:
	case fault.Is(err, provider.CodeReconnect), !optional:
		if err = s.judge(ctx, c, of, err); fault.Is(err, provider.CodeReconnect) {
			s.markRevoked(ctx, c, fault.From(err).Message)
		}
	}
	return data, err
}

// UseAsUser is Use for what is read with the user's token. Once a page is chosen, either
// of the two tokens may be lost while the other stays valid: the loss of the user's
// marks nothing, and a mark does not stop its use.
func UseAsUser[T any](ctx context.Context, s *Service, c Connection,
	read func(ctx context.Context, userToken string) (T, error)) (data T, err error) {
	if c.Chosen != ChosenPage {
		return Use(ctx, s, c, func(ctx context.Context, token, _ string) (T, error) { return read(ctx, token) })
	}
	if c.UserToken() == "" {
		return data, provider.Revoked(nil, c.ReconnectReason)
	}
	c, err = s.renew(ctx, c, func(c Connection) bool { return c.due(s.Store.Now().Add(renewBefore)) })
	if err != nil {
		return data, err
	}
	return read(ctx, c.UserToken())
}

// RenewEarly is for the scan. It renews the user's token long before it expires if it
// could not be renewed afterwards, otherwise if nothing else has renewed it for a day. Once a
// page is chosen, a failure does not concern the page's token.
func (s *Service) RenewEarly(ctx context.Context, c Connection) (Connection, error) {
	if c.dataAccessExpired(s.Store.Now().Add(dataAccessWarning)) {
		s.Log.WarnContext(ctx, "data access of a connection ends", "company", c.CompanyID, "pair", c.Pair.String(),
			"at", c.DataAccessExpiresAt)
	}
	before := -renewIdle
	if c.RefreshToken == "" {
		before = renewEarly
	}
	return s.renew(ctx, c, func(c Connection) bool { return c.due(s.Store.Now().Add(before)) })
}

// renew renews the user-level credential of c if due returns true for the connection as
// it is now. One caller renews it, however many callers and replicas find it due. A
// renewal that has begun is finished although the caller leaves: the provider may have
// replaced the refresh token already. A revoked credential marks c for reconnection,
// unless c works with a page's token.
func (s *Service) renew(ctx context.Context, c Connection, due func(Connection) bool) (Connection, error) {
	client := s.Providers[c.Pair.Provider]
	if client == nil || !due(c) {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLimit)
	defer cancel()
	renewal := incident.Subject{Provider: c.Pair.Provider, Kind: incident.Renewal}
	held, renewed, err := s.renewHeld(ctx, client, c, renewal, due)
	if fault.Is(err, provider.CodeOperator) {
		s.unmarkIncident(ctx, c.Pair.Provider)
	}
	if err != nil {
		return Connection{}, err
	}
	if renewed {
		s.succeeded(ctx, renewal)
		s.shareRefreshToken(ctx, held.Connection, held.before.RefreshToken)
	}
	return held.Connection, nil
}

// renewHeld renews the connection of c as it is now, if it is due, and returns it as stored.
func (s *Service) renewHeld(ctx context.Context, client provider.Client, c Connection, renewal incident.Subject,
	due func(Connection) bool,
) (held *Held, renewed bool, err error) {
	held, err = s.Store.HoldSlowly(ctx, c.CompanyID, c.Pair)
	if err != nil {
		return nil, false, err
	}
	defer held.Release()
	hasPageOnly := held.Chosen == ChosenPage && held.UserAccessToken == ""
	switch {
	case !held.Active:
		return nil, false, CodeNoConnection.Fault()
	case held.ReconnectReason != "" && (held.Chosen != ChosenPage || hasPageOnly):
		return nil, false, provider.Revoked(nil, held.ReconnectReason)
	case !due(held.Connection):
		return held, false, nil
	}
	token, err := client.Refresh(ctx, held.grant())
	if err != nil {
		return nil, false, s.notRenewed(ctx, held, renewal, err)
	}
	held.replaceToken(token)
	err = held.Save(&trail.Entry{CompanyID: c.CompanyID, Action: "refresh", Pair: c.Pair})
	return held, err == nil, err
}

// notRenewed marks held if its credential is lost, and returns what err means during an
// app-wide failure. A page's token is not concerned.
func (s *Service) notRenewed(ctx context.Context, held *Held, renewal incident.Subject, err error) error {
	lost := fault.Is(err, provider.CodeReconnect) && held.Chosen != ChosenPage
	if lost || fault.Is(err, provider.CodeOperator) {
		err = s.refused(ctx, held.Connection, renewal, err)
	}
	if !lost || !fault.Is(err, provider.CodeReconnect) {
		return err
	}
	if err := held.Save(s.requireReconnect(&held.Connection, fault.From(err).Message)); err != nil {
		return err
	}
	return err
}

// shareWithPerson gives the refresh token of a new grant to the other connections of its
// person, of all companies, if its scopes suffice for them: the provider keeps 100 refresh
// tokens of a person and ends the oldest without notice.
func (s *Service) shareWithPerson(ctx context.Context, name provider.Name, token provider.Token) {
	if token.RefreshToken == "" || token.ProviderUserID == "" {
		return
	}
	person := Connection{Pair: provider.Pair{Provider: name}, ProviderUserID: token.ProviderUserID}
	others, err := s.Store.related(ctx, person)
	if err != nil {
		s.Log.ErrorContext(ctx, "connections of a person not read", "provider", name, "error", err)
	}
	for _, other := range others {
		granted := other
		granted.Scopes = token.Scopes
		if other.ReconnectReason != "" || s.lacksScope(granted) {
			continue
		}
		s.giveRefreshToken(ctx, other, token.RefreshToken)
	}
}

// shareRefreshToken gives the refresh token of c to the other connections that have the
// spent one, because one person connected them: a provider that replaces refresh tokens
// accepts each of them once.
func (s *Service) shareRefreshToken(ctx context.Context, c Connection, spent string) {
	if spent == "" || c.RefreshToken == spent {
		return
	}
	others, err := s.Store.related(ctx, c)
	if err != nil {
		s.Log.ErrorContext(ctx, "connections with a spent refresh token not read", "company", c.CompanyID, "error", err)
	}
	for _, other := range others {
		if other.ID == c.ID || other.RefreshToken != spent {
			continue
		}
		s.giveRefreshToken(ctx, other, c.RefreshToken)
	}
}

// giveRefreshToken replaces the refresh token of c, unless it has changed or c is of another
// person by now.
func (s *Service) giveRefreshToken(ctx context.Context, c Connection, token string) {
	if err := s.replaceRefreshToken(ctx, c, token); err != nil {
		s.Log.ErrorContext(ctx, "refresh token not shared", "company", c.CompanyID, "pair", c.Pair.String(),
			"error", err)
	}
}

func (s *Service) replaceRefreshToken(ctx context.Context, c Connection, token string) error {
	held, err := s.Store.Hold(ctx, c.CompanyID, c.Pair)
	if err != nil {
		return err
	}
	defer held.Release()
	isSame := held.RefreshToken == c.RefreshToken && held.ProviderUserID == c.ProviderUserID
	if !held.Active || !isSame {
		return nil
	}
	held.RefreshToken = token
	return held.Save(nil)
}
