package connection

import (
	"context"
	"slices"
	"time"

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
func (o *OAuth) Active(ctx context.Context, companyID int64, p provider.Pair) (Connection, error) {
	c, err := o.store.Connection(ctx, companyID, p)
	if err == nil && !c.Active {
		err = CodeNoConnection.Fault()
	}
	if c.ReconnectReason == ReasonUnreadable {
		o.log.ErrorContext(ctx, "secrets of a connection cannot be decrypted", "company", companyID, "pair", p.String())
	}
	return c, err
}

// Use reads with a fresh access token and the account of c. A token that the provider
// refuses all the same is renewed once, if it can be. If it is still refused, the
// connection is marked for reconnection.
func Use[T any](ctx context.Context, o *OAuth, c Connection, read func(ctx context.Context, token, account string) (T, error)) (data T, err error) {
	switch {
	case c.ReconnectReason != "":
		return data, provider.Revoked(nil, c.ReconnectReason)
	case c.awaitsPage():
		c, err = o.regainPage(ctx, c)
	case c.Chosen != ChosenPage: // a page's token never expires
		c, err = o.renew(ctx, c, func(c Connection) bool { return c.due(o.now().Add(renewBefore)) })
	}
	if err != nil {
		return data, err
	}
	data, err = read(ctx, c.AccessToken, c.AccountID)
	if fault.Is(err, provider.CodeReconnect) && c.RefreshToken != "" {
		refused := c.AccessToken
		if c, err = o.renew(ctx, c, func(c Connection) bool { return c.AccessToken == refused }); err != nil {
			return data, err
		}
		data, err = read(ctx, c.AccessToken, c.AccountID)
	}
	if fault.Is(err, provider.CodeReconnect) {
		o.markRevoked(ctx, c, fault.From(err).Message)
	}
	return data, err
}

// UseAsUser is Use for what is read with the user's token. Once a page is chosen, either
// of the two tokens may be lost while the other stays valid: the loss of the user's
// marks nothing, and a mark does not stop its use.
func UseAsUser[T any](ctx context.Context, o *OAuth, c Connection, read func(ctx context.Context, userToken string) (T, error)) (data T, err error) {
	if c.Chosen != ChosenPage {
		return Use(ctx, o, c, func(ctx context.Context, token, _ string) (T, error) { return read(ctx, token) })
	}
	if c.UserToken() == "" {
		return data, provider.Revoked(nil, c.ReconnectReason)
	}
	c, err = o.renew(ctx, c, func(c Connection) bool { return c.due(o.now().Add(renewBefore)) })
	if err != nil {
		return data, err
	}
	return read(ctx, c.UserToken())
}

// RenewEarly is for the scan. It renews the user's token long before it expires if it
// could not be renewed afterwards. Once a page is chosen, a failure does not concern the
// page's token.
func (o *OAuth) RenewEarly(ctx context.Context, c Connection) (Connection, error) {
	if c.dataAccessExpired(o.now().Add(dataAccessWarning)) {
		o.log.WarnContext(ctx, "data access of a connection ends", "company", c.CompanyID, "pair", c.Pair.String(), "at", c.DataAccessExpiresAt)
	}
	before := renewBefore
	if c.RefreshToken == "" {
		before = renewEarly
	}
	return o.renew(ctx, c, func(c Connection) bool { return c.due(o.now().Add(before)) })
}

// renew renews the user-level credential of c if due returns true for the connection as
// it is now. One caller renews it, however many callers and replicas find it due. A
// renewal that has begun is finished although the caller leaves: the provider may have
// replaced the refresh token already. A revoked credential marks c for reconnection,
// unless c works with a page's token.
func (o *OAuth) renew(ctx context.Context, c Connection, due func(Connection) bool) (Connection, error) {
	refresh := o.providers[c.Pair.Provider].Refresh
	if refresh == nil || !due(c) {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLimit)
	defer cancel()
	var revoked error
	now, err := o.store.RenewConnection(ctx, c.CompanyID, c.Pair, func(ctx context.Context, c *Connection) (*trail.Entry, error) {
		switch {
		case !c.Active:
			return nil, CodeNoConnection.Fault()
		case c.ReconnectReason != "" && (c.Chosen != ChosenPage || c.UserAccessToken == ""):
			return nil, provider.Revoked(nil, c.ReconnectReason)
		case !due(*c):
			return nil, nil
		}
		token, err := refresh(ctx, c.grant())
		if fault.Is(err, provider.CodeReconnect) && c.Chosen != ChosenPage {
			revoked = err
			return o.requireReconnect(c, fault.From(err).Message), nil
		}
		if err != nil {
			return nil, err
		}
		c.replaceToken(token)
		return &trail.Entry{At: o.now(), CompanyID: c.CompanyID, Action: "refresh", Pair: c.Pair}, nil
	})
	if err == nil {
		err = revoked
	}
	return now, err
}

// requireReconnect marks c as one that only its user can renew.
func (o *OAuth) requireReconnect(c *Connection, reason string) *trail.Entry {
	c.ReconnectReason = reason
	return &trail.Entry{At: o.now(), CompanyID: c.CompanyID, Action: "reconnect_required", Pair: c.Pair, Detail: reason}
}

// markRevoked marks c unless its access token has been replaced.
func (o *OAuth) markRevoked(ctx context.Context, c Connection, reason string) {
	_, err := o.store.LockConnection(ctx, c.CompanyID, c.Pair, func(_ context.Context, now *Connection) (*trail.Entry, error) {
		if now.AccessToken != c.AccessToken || now.ReconnectReason != "" {
			return nil, nil
		}
		return o.requireReconnect(now, reason), nil
	})
	if err != nil {
		o.log.ErrorContext(ctx, "reconnection not marked", "pair", c.Pair.String(), "error", err)
	}
}

// NoteDenial marks c for reconnection if err says that a permission to read s is missing,
// and removes the mark once s was read in full. Unlike a lost token it stops nothing:
// what is permitted is still read. Another grant or another choice is not marked; a
// renewal at the beginning of the read does not matter.
func (o *OAuth) NoteDenial(ctx context.Context, c Connection, s provider.Service, err error) {
	denied := fault.Is(err, provider.CodePermission)
	if slices.Contains(c.Denied, s) == denied || err != nil && !denied {
		return
	}
	_, err = o.store.LockConnection(ctx, c.CompanyID, c.Pair, func(_ context.Context, now *Connection) (*trail.Entry, error) {
		if !now.sameGrant(&c) || now.AccountID != c.AccountID || slices.Contains(now.Denied, s) == denied {
			return nil, nil
		}
		if denied {
			now.Denied = append(slices.Clip(now.Denied), s)
			return &trail.Entry{At: o.now(), CompanyID: c.CompanyID, Action: "reconnect_required", Pair: c.Pair, Detail: provider.CodePermission.Text}, nil
		}
		now.Denied = slices.DeleteFunc(slices.Clone(now.Denied), func(other provider.Service) bool { return other == s })
		return nil, nil
	})
	if err != nil {
		o.log.ErrorContext(ctx, "missing permission not noted", "pair", c.Pair.String(), "error", err)
	}
}
