package directory

import (
	"context"
	"slices"
	"time"

	"backend.example/services/directory/internal/provider"
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

// active returns the company's active connection of p, or the fault no_connection.
func (o *OAuth) active(ctx context.Context, companyID int64, p Pair) (Connection, error) {
	c, err := o.store.Connection(ctx, companyID, p)
	if err == nil && !c.Active {
		err = CodeNoConnection.Fault()
	}
	if c.ReconnectReason == ReasonUnreadable {
		o.log.ErrorContext(ctx, "secrets of a connection cannot be decrypted", "company", companyID, "pair", p.String())
	}
	return c, err
}

// use reads with a fresh access token and the account of c. A token that the
// provider refuses all the same is renewed once where it can be; when that does
// not help, or the provider says so, the connection is marked for reconnection.
func use[T any](ctx context.Context, o *OAuth, c Connection, read func(ctx context.Context, token, account string) (T, error)) (data T, err error) {
	if c, err = o.fresh(ctx, c); err != nil {
		return data, err
	}
	data, err = read(ctx, c.AccessToken, c.AccountID)
	if fault.Is(err, CodeReconnect) && c.RefreshToken != "" {
		refused := c.AccessToken
		if c, err = o.renewed(ctx, c, func(c Connection) bool { return c.AccessToken == refused }); err != nil {
			return data, err
		}
		data, err = read(ctx, c.AccessToken, c.AccountID)
	}
	if fault.Is(err, CodeReconnect) {
		o.markRevoked(ctx, c, fault.From(err).Message)
	}
	return data, err
}

// useAsUser is use for what is read with the user's token. Once a page was chosen,
// each of the two tokens may be lost while the other is as good as ever: the loss
// of the user's marks nothing, and a mark does not stop its use.
func useAsUser[T any](ctx context.Context, o *OAuth, c Connection, read func(ctx context.Context, userToken string) (T, error)) (data T, err error) {
	if c.Chosen != ChosenPage {
		return use(ctx, o, c, func(ctx context.Context, token, _ string) (T, error) { return read(ctx, token) })
	}
	if c.UserToken() == "" {
		return data, provider.Revoked(nil, c.ReconnectReason)
	}
	c, err = o.renewed(ctx, c, func(c Connection) bool { return c.due(o.now().Add(renewBefore)) })
	if err != nil {
		return data, err
	}
	return read(ctx, c.UserToken())
}

// fresh returns c with an access token that is good for at least renewBefore. One
// caller renews it, whatever number of callers and replicas find it due. After a
// page was chosen the token is the page's, which is never due.
func (o *OAuth) fresh(ctx context.Context, c Connection) (Connection, error) {
	switch {
	case c.ReconnectReason != "":
		return c, provider.Revoked(nil, c.ReconnectReason)
	case c.awaitsPage():
		return o.regainPage(ctx, c)
	}
	return o.renewed(ctx, c, func(c Connection) bool { return c.Chosen != ChosenPage && c.due(o.now().Add(renewBefore)) })
}

// freshEarly is for the scan: it returns c with the user's token renewed long
// before its end where it could not be afterwards. Once a page was chosen its
// failure says nothing of the page's token.
func (o *OAuth) freshEarly(ctx context.Context, c Connection) (Connection, error) {
	if c.losesData(o.now().Add(dataAccessWarning)) {
		o.log.WarnContext(ctx, "data access of a connection ends", "company", c.CompanyID, "pair", c.Pair.String(), "at", c.DataAccessExpiresAt)
	}
	before := renewBefore
	if c.RefreshToken == "" {
		before = renewEarly
	}
	return o.renewed(ctx, c, func(c Connection) bool { return c.due(o.now().Add(before)) })
}

// renewed returns c with its renewable credential, renewed when due says so of the
// connection as it is now. A renewal that has begun goes on when the caller leaves:
// the provider may have replaced the refresh token already.
func (o *OAuth) renewed(ctx context.Context, c Connection, due func(Connection) bool) (Connection, error) {
	if o.providers[c.Pair.Provider].Refresh == nil || !due(c) {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLimit)
	defer cancel()
	var revoked error
	now, err := o.store.RenewConnection(ctx, c.CompanyID, c.Pair, func(ctx context.Context, c *Connection) (entry *Entry, err error) {
		switch {
		case !c.Active:
			return nil, CodeNoConnection.Fault()
		case c.ReconnectReason != "" && (c.Chosen != ChosenPage || c.UserAccessToken == ""):
			return nil, provider.Revoked(nil, c.ReconnectReason)
		case !due(*c):
			return nil, nil
		}
		entry, revoked, err = o.renew(ctx, c)
		return entry, err
	})
	if err == nil {
		err = revoked
	}
	return now, err
}

// renew renews the user-level credential of c. When that is revoked, c is marked for
// reconnection, unless c works with a page's token.
func (o *OAuth) renew(ctx context.Context, c *Connection) (entry *Entry, revoked, err error) {
	token, err := o.providers[c.Pair.Provider].Refresh(ctx, c.grant())
	if fault.Is(err, CodeReconnect) && c.Chosen != ChosenPage {
		return o.markReconnectRequired(c, fault.From(err).Message), err, nil
	}
	if err != nil {
		return nil, nil, err
	}
	c.take(token)
	return &Entry{At: o.now(), CompanyID: c.CompanyID, Action: "refresh", Pair: c.Pair}, nil, nil
}

// markReconnectRequired marks c as one that only its user can mend.
func (o *OAuth) markReconnectRequired(c *Connection, reason string) *Entry {
	c.ReconnectReason = reason
	return &Entry{At: o.now(), CompanyID: c.CompanyID, Action: "reconnect_required", Pair: c.Pair, Detail: reason}
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

// noteDenial marks c as one that needs reconnecting when err says that a permission
// to read s is missing, and takes that back when s was read in full. Unlike a lost
// token it stops nothing: what is permitted is still read. A renewal, which the read may
// have begun with, does not matter; another grant or another choice does.
func (o *OAuth) noteDenial(ctx context.Context, c Connection, s Service, err error) {
	denied := fault.Is(err, CodePermission)
	if slices.Contains(c.Denied, s) == denied || err != nil && !denied {
		return
	}
	_, err = o.store.LockConnection(ctx, c.CompanyID, c.Pair, func(_ context.Context, now *Connection) (*Entry, error) {
		if !now.sameGrant(&c) || now.AccountID != c.AccountID || slices.Contains(now.Denied, s) == denied {
			return nil, nil
		}
		if denied {
			now.Denied = append(slices.Clip(now.Denied), s)
			return &Entry{At: o.now(), CompanyID: c.CompanyID, Action: "reconnect_required", Pair: c.Pair, Detail: CodePermission.Text}, nil
		}
		now.Denied = slices.DeleteFunc(slices.Clone(now.Denied), func(other Service) bool { return other == s })
		return nil, nil
	})
	if err != nil {
		o.log.ErrorContext(ctx, "missing permission not noted", "pair", c.Pair.String(), "error", err)
	}
}
