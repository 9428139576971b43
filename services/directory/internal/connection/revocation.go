package connection

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

const (
	// revokeLimit bounds a try to withdraw a grant.
	revokeLimit = 30 * time.Second
	// revokeClaim is longer than a try, also for a replica whose clock is a minute ahead. The
	// claim of a killed process expires then.
	revokeClaim = 2 * time.Minute
	// A failed try is repeated after as much time as has passed since the connection ended,
	// within these bounds.
	shortestRetry, longestRetry = time.Minute, 24 * time.Hour
	// revokeFor is how long it is tried.
	revokeFor = 7 * 24 * time.Hour
)

// Revoke tries to withdraw the grant of r, unless it is nil, another replica is trying, or
// an active connection lives on the grant. What fails is tried again by RevokeDue.
func (s *Service) Revoke(ctx context.Context, actor account.Actor, r *Revocation) {
	if r == nil {
		return
	}
	if err := s.revoke(ctx, actor, r); err != nil {
		s.log.WarnContext(ctx, "grant not withdrawn; it is tried again", "provider", r.Provider, "error", err,
			"request_id", actor.RequestID)
	}
}

// revoke claims r and tries it once. A connection of the same grant that is stored while the
// provider is answering may lose its grant; it has to be connected again then.
func (s *Service) revoke(ctx context.Context, actor account.Actor, r *Revocation) error {
	if claimed, err := s.store.postpone(ctx, r, s.now().Add(revokeClaim)); err != nil || !claimed {
		return err
	}
	c, err := s.store.ended(r)
	needed := false
	if err == nil {
		needed, err = s.store.GrantNeeded(ctx, c)
	}
	stored := context.WithoutCancel(ctx)
	if err == nil && needed {
		return s.store.finish(stored, r, nil)
	}
	entry := actor.Entry(c.CompanyID, "revoke", c.Pair, s.now())
	if err == nil {
		if err = s.withdraw(ctx, c); err == nil {
			return s.store.finish(stored, r, &entry)
		}
		entry.Detail = "failed: " + fault.From(err).Code
		if err := trail.Record(s.store.Write(stored), entry); err != nil {
			s.log.WarnContext(ctx, "withdrawal not recorded", "error", err, "request_id", actor.RequestID)
		}
	}
	now := s.now()
	wait := min(max(now.Sub(r.CreatedAt), fault.From(err).RetryAfter, shortestRetry), longestRetry)
	if _, err := s.store.postpone(stored, r, now.Add(wait)); err != nil { // it is due when the claim expires
		s.log.WarnContext(ctx, "next try of a withdrawal not stored", "error", err)
	}
	return err
}

func (s *Service) withdraw(ctx context.Context, c Connection) error {
	client := s.providers[c.Pair.Provider]
	if client == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, revokeLimit)
	defer cancel()
	return client.Revoke(ctx, c.grant())
}

// RevokeAllDue withdraws at each provider what is due.
func (s *Service) RevokeAllDue(ctx context.Context) error {
	var all error
	for p := range s.providers {
		if err := s.RevokeDue(ctx, p); err != nil {
			all = errors.Join(all, fmt.Errorf("%s: %w", p, err))
		}
	}
	return all
}

// RevokeDue withdraws the grants at a provider whose next try is due. It ends early if the
// provider does not respond or refuses the app, which concerns the others, too. What has been
// tried for revokeFor is given up.
func (s *Service) RevokeDue(ctx context.Context, p provider.Name) error {
	n, err := s.store.DeleteInBatches(ctx, "revocations", "created_at", "provider = ? AND created_at < ?", p,
		database.Instant(s.now().Add(-revokeFor)))
	if n > 0 {
		if s.onGiveUp != nil {
			s.onGiveUp(p, n)
		}
		s.log.ErrorContext(ctx, "grants could not be withdrawn and are given up", "provider", p, "grants", n)
	}
	for err == nil {
		var r *Revocation
		if r, err = s.store.dueRevocation(ctx, p, s.now()); r == nil || err != nil {
			break
		}
		if err = s.revoke(ctx, account.Actor{}, r); concernsOneGrant(err) {
			s.log.WarnContext(ctx, "grant not withdrawn; it is tried again", "provider", p, "error", err)
			err = nil
		}
	}
	return err
}

// concernsOneGrant reports whether the next withdrawal may succeed.
func concernsOneGrant(err error) bool {
	return err != nil && slices.Contains([]string{
		"secret_unreadable", provider.CodeReconnect.Name, provider.CodePermission.Name, provider.CodeGone.Name,
		provider.CodeChanged.Name,
	}, fault.From(err).Code)
}

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
