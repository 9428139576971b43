package connection

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

const (
	// revokeLimit bounds an attempt to withdraw a grant.
	revokeLimit = 30 * time.Second
	// revokeFor is how long it is tried.
	revokeFor = 7 * 24 * time.Hour
)

// Withdraw withdraws the grant of a row of revocations at its provider, unless an active
// connection lives on it. A connection of the same grant that is stored while the provider is
// answering may lose its grant; it has to be connected again then. What fails is tried again for
// revokeFor, and no earlier than the provider asks for.
func (s *Service) Withdraw(ctx context.Context, job *river.Job[jobs.Revocation]) error {
	r, err := s.Store.revocation(ctx, job.Args.ID)
	if r == nil || err != nil {
		return err
	}
	stored := context.WithoutCancel(ctx)
	if s.Store.Now().Sub(r.CreatedAt) > revokeFor {
		s.Log.ErrorContext(ctx, "a grant could not be withdrawn and is given up", "provider", r.Provider)
		s.Metrics.RevocationGivenUp(r.Provider)
		return s.Store.finish(stored, r, nil)
	}
	grant, err := s.Store.ended(r)
	if err != nil {
		return fmt.Errorf("grant at %s not withdrawn: %w", r.Provider, err)
	}
	needed, err := s.Store.GrantNeeded(ctx, grant.connection())
	if err != nil {
		return err
	}
	if needed {
		return s.Store.finish(stored, r, nil)
	}
	entry := grant.By
	entry.Action, entry.Detail = "revoke", ""
	entry.AboutUserID, entry.At = 0, s.Store.Now()
	failed := s.withdraw(ctx, grant.connection())
	if failed == nil {
		return s.Store.finish(stored, r, &entry)
	}
	entry.Detail = "failed: " + fault.From(failed).Code
	if err := trail.Record(s.Store.Write(stored), entry); err != nil {
		s.Log.WarnContext(ctx, "withdrawal not recorded",
			"company", entry.CompanyID, "error", err, "request_id", entry.RequestID)
	}
	if wait := fault.From(failed).RetryAfter; wait > 0 {
		s.Log.WarnContext(ctx, "grant not withdrawn; the provider asks to wait",
			"company", entry.CompanyID, "provider", r.Provider, "seconds", wait.Seconds(), "error", failed)
		return river.JobSnooze(wait)
	}
	return fmt.Errorf("grant at %s not withdrawn: %w", r.Provider, failed)
}

func (s *Service) withdraw(ctx context.Context, c Connection) error {
	client := s.Providers[c.Pair.Provider]
	if client == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, revokeLimit)
	defer cancel()
	return client.Revoke(ctx, c.grant())
}

// Disconnect ends a connection at once and wipes its secrets, also one whose pair is no
// longer on the list of pairs; a job then withdraws the grant, see Withdraw. The faults are
// no_company, not_allowed and no_connection.
func (s *Service) Disconnect(ctx context.Context, actor account.Actor, p provider.Pair) error {
	companyID, err := s.companyOf(actor)
	if err != nil {
		return err
	}
	held, err := s.Store.Hold(ctx, companyID, p)
	if err != nil {
		return err
	}
	defer held.Release()
	held.End()
	return held.SaveEnded(actor.Entry(companyID, "disconnect", p))
}
