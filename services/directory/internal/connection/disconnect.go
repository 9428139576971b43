package connection

import (
	"context"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// Disconnect ends a connection at once and wipes its secrets, also one whose pair is no
// longer on the list of pairs; the grant is then withdrawn at the provider, see Revoke. The faults are no_company,
// not_allowed and no_connection.
func (s *Service) Disconnect(ctx context.Context, actor account.Actor, p provider.Pair) error {
	companyID, err := s.companyOf(actor)
	if err != nil {
		return err
	}
	r, err := s.end(ctx, companyID, p, actor.Entry(companyID, "disconnect", p, s.now()))
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	s.background(func() { s.Revoke(ctx, actor, r) })
	return nil
}

func (s *Service) end(ctx context.Context, companyID int64, p provider.Pair, e trail.Entry) (*Revocation, error) {
	held, err := s.store.Hold(ctx, companyID, p)
	if err != nil {
		return nil, err
	}
	defer held.Release()
	held.End()
	return held.SaveEnded(&e)
}
