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
// one was connected again meanwhile. The faults are no_company,
// not_allowed and no_connection.
func (s *Service) Disconnect(ctx context.Context, actor account.Actor, p provider.Pair) error {
	companyID, err := s.companyOf(actor)
	if err != nil {
		return err
	}
	var before Connection
	_, err = s.store.Change(ctx, companyID, p, func(_ context.Context, c *Connection) (*trail.Entry, error) {
		before = *c
		c.End()
		entry := actor.Entry(companyID, "disconnect", p, s.now())
		return &entry, nil
	})
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	s.background(func() { s.Revoke(ctx, actor, before) })
	return nil
}

// revokeLimit bounds the withdrawal of a grant.
const revokeLimit = 30 * time.Second

// Revoke withdraws the grant of c at its provider, unless another connection lives on it.
// A failure is logged.
func (s *Service) Revoke(ctx context.Context, actor account.Actor, c Connection) {
	withdraw := s.providers[c.Pair.Provider].Revoke
	if withdraw == nil || c.AccessToken == "" && c.RefreshToken == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, revokeLimit)
	defer cancel()
	needed, err := s.grantNeeded(ctx, c)
	if err == nil && needed {
		return
	}
	if err == nil {
		err = withdraw(ctx, c.grant())
	}
	entry := actor.Entry(c.CompanyID, "revoke", c.Pair, s.now())
	if err != nil {
		entry.Detail = "failed: " + fault.From(err).Code
		s.log.WarnContext(ctx, "grant not withdrawn", "pair", c.Pair.String(), "error", err, "request_id", actor.RequestID)
	}
	if err := trail.Record(s.store.Write(ctx), entry); err != nil {
		s.log.WarnContext(ctx, "withdrawal not recorded", "error", err, "request_id", actor.RequestID)
	}
}

// grantNeeded reports whether there are tokens that a withdrawal would kill: it
// ends all that the person granted.
func (s *Service) grantNeeded(ctx context.Context, c Connection) (bool, error) {
	now, err := s.store.Find(ctx, c.CompanyID, c.Pair)
	if err != nil || now.Active {
		return now.Active, err
	}
	return s.store.GrantShared(ctx, c)
}
