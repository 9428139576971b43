package directory

import (
	"context"
	"time"

	"backend.example/services/internal/kit/fault"
)

const (
	// renewBefore is how long before its end a token is renewed on use.
	renewBefore = 5 * time.Minute
	// renewEarly is the same for the scan, where the token itself is what it is
	// renewed with: an expired one is lost.
	renewEarly = 10 * 24 * time.Hour
	// renewLimit bounds a renewal with the wait for its turn.
	renewLimit = 30 * time.Second
)

// Fresh returns c with an access token that is good for at least renewBefore. One
// caller renews it, whatever number of callers and replicas find it due. After a
// page was chosen the token is the page's, which is never due.
func (o *OAuth) Fresh(ctx context.Context, c Connection) (Connection, error) {
	if err := c.revoked(); err != nil {
		return c, err
	}
	return o.renewed(ctx, c, func(c Connection) bool { return c.Chosen != ChosenPage && c.due(o.now().Add(renewBefore)) })
}

// FreshEarly is for the scan: it returns c with the user's token renewed long
// before its end where it could not be afterwards. Once a page was chosen its
// failure says nothing of the page's token.
func (o *OAuth) FreshEarly(ctx context.Context, c Connection) (Connection, error) {
	before := renewBefore
	if c.RefreshToken == "" {
		before = renewEarly
	}
	return o.renewed(ctx, c, func(c Connection) bool { return c.due(o.now().Add(before)) })
}

// due reports whether the renewable credential ends before t. After a page was
// chosen that is the user's token, which the page's does not replace.
func (c *Connection) due(t time.Time) bool {
	end := c.ExpiresAt
	if c.Chosen == ChosenPage {
		end = c.UserExpiresAt
	}
	return end != nil && end.Before(t)
}

// revoked is the fault of a connection whose access token is lost for good: the
// user's, or a page's.
func (c *Connection) revoked() error {
	if c.ReconnectReason == "" {
		return nil
	}
	return Revoked(nil, c.ReconnectReason)
}

// renewed returns c with its renewable credential, renewed when due says so of the
// connection as it is now. A renewal that has begun goes on when the caller leaves:
// the provider may have replaced the refresh token already.
func (o *OAuth) renewed(ctx context.Context, c Connection, due func(Connection) bool) (Connection, error) {
	refresh := o.providers[c.Pair.Provider].Refresh
	if refresh == nil || !due(c) {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLimit)
	defer cancel()
	var revoked error
	now, err := o.store.LockConnection(ctx, c.CompanyID, c.Pair, func(ctx context.Context, c *Connection) (entry *Entry, err error) {
		switch {
		case !c.Active:
			return nil, noConnection()
		case c.Chosen != ChosenPage && c.ReconnectReason != "":
			return nil, c.revoked()
		case !due(*c):
			return nil, nil
		}
		entry, revoked, err = o.renew(ctx, refresh, c)
		return entry, err
	})
	if err == nil {
		err = revoked
	}
	return now, err
}

// renew renews the user-level credential of c. When that is revoked, c is marked for
// reconnection, unless c works with a page's token.
func (o *OAuth) renew(ctx context.Context, refresh func(context.Context, Connection) (Token, error), c *Connection) (
	entry *Entry, revoked, err error,
) {
	token, err := refresh(ctx, *c)
	if fault.Is(err, CodeReconnect) && c.Chosen != ChosenPage {
		return o.markReconnectRequired(c, fault.From(err).Message), err, nil
	}
	if err != nil {
		return nil, nil, err
	}
	c.take(token)
	return &Entry{At: o.now(), CompanyID: c.CompanyID, Action: "refresh", Pair: c.Pair}, nil, nil
}

// take replaces the renewed credential.
func (c *Connection) take(t Token) {
	if c.Chosen == ChosenPage {
		c.UserAccessToken, c.UserExpiresAt = t.AccessToken, t.ExpiresAt
		return
	}
	c.AccessToken, c.ExpiresAt = t.AccessToken, t.ExpiresAt
	if t.RefreshToken != "" {
		c.RefreshToken = t.RefreshToken
	}
	if len(t.Scopes) > 0 {
		c.Scopes = t.Scopes
	}
}

// markReconnectRequired marks c as one that only its user can mend.
func (o *OAuth) markReconnectRequired(c *Connection, reason string) *Entry {
	c.ReconnectReason = reason
	return &Entry{At: o.now(), CompanyID: c.CompanyID, Action: "reconnect_required", Pair: c.Pair, Detail: reason}
}

// Use runs call, which works with the access token, with a fresh connection. A
// token that the provider refuses all the same is renewed once where it can be;
// when that does not help, or the provider says so, the connection is marked for
// reconnection.
func (o *OAuth) Use(ctx context.Context, c Connection, call func(context.Context, Connection) error) error {
	c, err := o.Fresh(ctx, c)
	if err != nil {
		return err
	}
	err = call(ctx, c)
	if fault.Is(err, CodeReconnect) && c.RefreshToken != "" {
		refused := c.AccessToken
		if c, err = o.renewed(ctx, c, func(c Connection) bool { return c.AccessToken == refused }); err != nil {
			return err
		}
		err = call(ctx, c)
	}
	if fault.Is(err, CodeReconnect) {
		o.markRevoked(ctx, c, fault.From(err).Message)
	}
	return err
}

// UseAsUser is Use for a call that works with the user's token. Once a page was
// chosen, each of the two tokens may be lost while the other is as good as ever:
// the loss of the user's marks nothing, and a mark does not stop its use.
func (o *OAuth) UseAsUser(ctx context.Context, c Connection, call func(context.Context, Connection) error) error {
	if c.Chosen != ChosenPage {
		return o.Use(ctx, c, call)
	}
	c, err := o.renewed(ctx, c, func(c Connection) bool { return c.due(o.now().Add(renewBefore)) })
	if err != nil {
		return err
	}
	return call(ctx, c)
}

// markRevoked marks c unless its access token was replaced meanwhile.
func (o *OAuth) markRevoked(ctx context.Context, c Connection, reason string) {
	_, err := o.store.LockConnection(ctx, c.CompanyID, c.Pair, func(_ context.Context, now *Connection) (*Entry, error) {
		if now.AccessToken != c.AccessToken || now.ReconnectReason != "" {
			return nil, nil
		}
		return o.markReconnectRequired(now, reason), nil
	})
	if err != nil {
		o.log.ErrorContext(ctx, "reconnection not marked", "pair", c.Pair.String(), "error", err)
	}
}

// Active returns the company's active connection of p, or the fault no_connection.
func (o *OAuth) Active(ctx context.Context, companyID int64, p Pair) (Connection, error) {
	c, err := o.store.Connection(ctx, companyID, p)
	if err == nil && !c.Active {
		err = noConnection()
	}
	return c, err
}

func noConnection() error {
	return fault.New(fault.NotFound, "no_connection", "Nie znaleziono połączenia z tą usługą.")
}
