package connection

import (
	"context"
	"slices"
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
	// renewLimit bounds a renewal including the wait for its turn.
	renewLimit = 30 * time.Second
)

// Active returns the company's active connection of p, or the fault no_connection.
func (s *Service) Active(ctx context.Context, companyID int64, p provider.Pair) (Connection, error) {
	c, err := s.store.Find(ctx, companyID, p)
	if err == nil && !c.Active {
		err = CodeNoConnection.Fault()
	}
	if c.ReconnectReason == ReasonUnreadable {
		s.log.ErrorContext(ctx, "secrets of a connection cannot be decrypted", "company", companyID, "pair", p.String())
	}
	return c, err
}

// Use reads with a fresh access token and the account of c. A token that the provider
// refuses all the same is renewed once, if it can be. If it is still refused, the
// connection is marked for reconnection.
func Use[T any](ctx context.Context, s *Service, c Connection, read func(ctx context.Context, token, account string) (T, error)) (T, error) {
	return use(ctx, s, c, read, func(error) bool { return true })
}

// UseBeside is Use for an API without which the service works. That it answers, or is not
// enabled, says nothing of the app: only a refused token is counted.
func UseBeside[T any](ctx context.Context, s *Service, c Connection, read func(ctx context.Context, token, account string) (T, error)) (T, error) {
	return use(ctx, s, c, read, func(err error) bool { return fault.Is(err, provider.CodeReconnect) })
}

// use is Use. The outcomes that count selects are judged.
func use[T any](ctx context.Context, s *Service, c Connection, read func(ctx context.Context, token, account string) (T, error), count func(error) bool) (data T, err error) {
	switch {
	case c.ReconnectReason != "":
		return data, provider.Revoked(nil, c.ReconnectReason)
	case c.awaitsPage():
		c, err = s.regainPage(ctx, c)
	case c.Chosen != ChosenPage: // a page's token never expires
		c, err = s.renew(ctx, c, func(c Connection) bool { return c.due(s.now().Add(renewBefore)) })
	}
	if err != nil {
		return data, err
	}
	data, err = read(ctx, c.AccessToken, c.AccountID)
	if fault.Is(err, provider.CodeReconnect) && c.RefreshToken != "" {
		refused := c.AccessToken
		if c, err = s.renew(ctx, c, func(c Connection) bool { return c.AccessToken == refused }); err != nil {
			return data, err
		}
		data, err = read(ctx, c.AccessToken, c.AccountID)
	}
	if count(err) {
		err = s.judge(ctx, c, incident.Subject{Provider: c.Pair.Provider, Service: c.Pair.Service, Kind: incident.Token}, err)
	}
	if fault.Is(err, provider.CodeReconnect) {
		s.markRevoked(ctx, c, fault.From(err).Message)
	}
	return data, err
}

// UseAsUser is Use for what is read with the user's token. Once a page is chosen, either
// of the two tokens may be lost while the other stays valid: the loss of the user's
// marks nothing, and a mark does not stop its use.
func UseAsUser[T any](ctx context.Context, s *Service, c Connection, read func(ctx context.Context, userToken string) (T, error)) (data T, err error) {
	if c.Chosen != ChosenPage {
		return Use(ctx, s, c, func(ctx context.Context, token, _ string) (T, error) { return read(ctx, token) })
	}
	if c.UserToken() == "" {
		return data, provider.Revoked(nil, c.ReconnectReason)
	}
	c, err = s.renew(ctx, c, func(c Connection) bool { return c.due(s.now().Add(renewBefore)) })
	if err != nil {
		return data, err
	}
	return read(ctx, c.UserToken())
}

// RenewEarly is for the scan. It renews the user's token long before it expires if it
// could not be renewed afterwards. Once a page is chosen, a failure does not concern the
// page's token.
func (s *Service) RenewEarly(ctx context.Context, c Connection) (Connection, error) {
	if c.dataAccessExpired(s.now().Add(dataAccessWarning)) {
		s.log.WarnContext(ctx, "data access of a connection ends", "company", c.CompanyID, "pair", c.Pair.String(), "at", c.DataAccessExpiresAt)
	}
	before := renewBefore
	if c.RefreshToken == "" {
		before = renewEarly
	}
	return s.renew(ctx, c, func(c Connection) bool { return c.due(s.now().Add(before)) })
}

// renew renews the user-level credential of c if due returns true for the connection as
// it is now. One caller renews it, however many callers and replicas find it due. A
// renewal that has begun is finished although the caller leaves: the provider may have
// replaced the refresh token already. A revoked credential marks c for reconnection,
// unless c works with a page's token.
func (s *Service) renew(ctx context.Context, c Connection, due func(Connection) bool) (Connection, error) {
	refresh := s.providers[c.Pair.Provider].Refresh
	if refresh == nil || !due(c) {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLimit)
	defer cancel()
	renewal := incident.Subject{Provider: c.Pair.Provider, Kind: incident.Renewal}
	var revoked error
	var spent string // the refresh token before the renewal
	renewed := false
	now, err := s.store.Renew(ctx, c.CompanyID, c.Pair, func(ctx context.Context, c *Connection) (*trail.Entry, error) {
		switch {
		case !c.Active:
			return nil, CodeNoConnection.Fault()
		case c.ReconnectReason != "" && (c.Chosen != ChosenPage || c.UserAccessToken == ""):
			return nil, provider.Revoked(nil, c.ReconnectReason)
		case !due(*c):
			return nil, nil
		}
		token, err := refresh(ctx, c.grant())
		lost := fault.Is(err, provider.CodeReconnect) && c.Chosen != ChosenPage
		if lost || fault.Is(err, provider.CodeOperator) {
			err = s.refused(ctx, *c, renewal, err)
		}
		if lost && fault.Is(err, provider.CodeReconnect) {
			revoked = err
			return s.requireReconnect(c, fault.From(err).Message), nil
		}
		if err != nil {
			return nil, err
		}
		renewed, spent = true, c.RefreshToken
		c.replaceToken(token)
		return &trail.Entry{At: s.now(), CompanyID: c.CompanyID, Action: "refresh", Pair: c.Pair}, nil
	})
	switch {
	case err == nil && renewed:
		s.succeeded(ctx, renewal)
		s.shareRefreshToken(ctx, now, spent)
	case err == nil:
		err = revoked
	case fault.Is(err, provider.CodeOperator):
		s.unmarkIncident(ctx, c.Pair.Provider)
	}
	return now, err
}

// shareRefreshToken gives the refresh token of c to the company's other connections that
// have the spent one, because one consent connected them: a provider that replaces refresh
// tokens accepts each of them once.
func (s *Service) shareRefreshToken(ctx context.Context, c Connection, spent string) {
	if spent == "" || c.RefreshToken == spent {
		return
	}
	for _, p := range provider.Pairs() {
		if p.Provider != c.Pair.Provider || p == c.Pair {
			continue
		}
		_, err := s.store.Change(ctx, c.CompanyID, p, func(_ context.Context, other *Connection) (*trail.Entry, error) {
			if other.RefreshToken == spent {
				other.RefreshToken = c.RefreshToken
			}
			return nil, nil
		})
		if err != nil && !fault.Is(err, CodeNoConnection) {
			s.log.ErrorContext(ctx, "refresh token not shared", "pair", p.String(), "error", err)
		}
	}
}

// requireReconnect marks c as one that only its user can renew.
func (s *Service) requireReconnect(c *Connection, reason string) *trail.Entry {
	c.ReconnectReason = reason
	return &trail.Entry{At: s.now(), CompanyID: c.CompanyID, Action: "reconnect_required", Pair: c.Pair, Detail: reason}
}

// markRevoked marks c unless its access token has been replaced.
func (s *Service) markRevoked(ctx context.Context, c Connection, reason string) {
	_, err := s.store.Change(ctx, c.CompanyID, c.Pair, func(_ context.Context, now *Connection) (*trail.Entry, error) {
		if now.AccessToken != c.AccessToken || now.ReconnectReason != "" {
			return nil, nil
		}
		return s.requireReconnect(now, reason), nil
	})
	if err != nil {
		s.log.ErrorContext(ctx, "reconnection not marked", "pair", c.Pair.String(), "error", err)
	}
}

// NoteDenial marks c for reconnection if err says that a permission to read service is
// missing, and removes the mark once service was read in full or there is nothing to read.
// Unlike a lost token it stops nothing: what is permitted is still read. Another grant or
// another choice is not marked; a renewal at the beginning of the read does not matter. It
// returns err, or what it means during an app-wide failure.
func (s *Service) NoteDenial(ctx context.Context, c Connection, service provider.Service, err error) error {
	denied := fault.Is(err, provider.CodePermission)
	permitted := err == nil || fault.Is(err, provider.CodeGone) || fault.From(err).Kind == fault.NotFound
	permission := incident.Subject{Provider: c.Pair.Provider, Service: service, Kind: incident.Permission}
	if permitted {
		s.succeeded(ctx, permission)
	}
	if slices.Contains(c.Denied, service) == denied || !denied && !permitted {
		return err
	}
	if denied {
		if err = s.judge(ctx, c, permission, err); !fault.Is(err, provider.CodePermission) {
			return err
		}
	}
	_, changeErr := s.store.Change(ctx, c.CompanyID, c.Pair, func(_ context.Context, now *Connection) (*trail.Entry, error) {
		if !now.sameGrant(&c) || now.AccountID != c.AccountID || slices.Contains(now.Denied, service) == denied {
			return nil, nil
		}
		if denied {
			now.Denied = append(slices.Clip(now.Denied), service)
			return &trail.Entry{At: s.now(), CompanyID: c.CompanyID, Action: "reconnect_required", Pair: c.Pair, Detail: provider.CodePermission.Text}, nil
		}
		now.Denied = slices.DeleteFunc(slices.Clone(now.Denied), func(other provider.Service) bool { return other == service })
		return nil, nil
	})
	if changeErr != nil {
		s.log.ErrorContext(ctx, "missing permission not noted", "pair", c.Pair.String(), "error", changeErr)
	}
	return err
}
