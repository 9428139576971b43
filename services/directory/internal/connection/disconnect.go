package connection

import (
	"context"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// Disconnect ends a connection at once and wipes its secrets; the grant is then
// withdrawn at the provider, unless another connection lives on it, or the same
// one was connected again meanwhile. The faults are no_company and no_connection.
func (o *OAuth) Disconnect(ctx context.Context, actor account.Actor, p provider.Pair) error {
	companyID, err := actor.Company()
	if err != nil {
		return err
	}
	var before Connection
	_, err = o.store.LockConnection(ctx, companyID, p, func(_ context.Context, c *Connection) (*trail.Entry, error) {
		before = *c
		c.End()
		entry := actor.Entry(companyID, "disconnect", p, o.now())
		return &entry, nil
	})
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	o.background(func() { o.Revoke(ctx, actor, before) })
	return nil
}

// revokeLimit bounds the withdrawal of a grant.
const revokeLimit = 30 * time.Second

// Revoke withdraws the grant of c at its provider, unless another connection lives on it.
// A failure is logged.
func (o *OAuth) Revoke(ctx context.Context, actor account.Actor, c Connection) {
	withdraw := o.providers[c.Pair.Provider].Revoke
	if withdraw == nil || c.AccessToken == "" && c.RefreshToken == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, revokeLimit)
	defer cancel()
	needed, err := o.grantNeeded(ctx, c)
	if err == nil && needed {
		return
	}
	if err == nil {
		err = withdraw(ctx, c.grant())
	}
	entry := actor.Entry(c.CompanyID, "revoke", c.Pair, o.now())
	if err != nil {
		entry.Detail = "failed: " + fault.From(err).Code
		o.log.WarnContext(ctx, "grant not withdrawn", "pair", c.Pair.String(), "error", err, "request_id", actor.RequestID)
	}
	if err := trail.Record(o.store.Write(ctx), entry); err != nil {
		o.log.WarnContext(ctx, "withdrawal not recorded", "error", err, "request_id", actor.RequestID)
	}
}

// grantNeeded reports whether there are tokens that a withdrawal would kill: it
// ends all that the person granted.
func (o *OAuth) grantNeeded(ctx context.Context, c Connection) (bool, error) {
	now, err := o.store.Connection(ctx, c.CompanyID, c.Pair)
	if err != nil || now.Active {
		return now.Active, err
	}
	return o.store.GrantShared(ctx, c)
}
