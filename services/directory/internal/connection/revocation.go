package connection

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

const (
	// revokeLimit bounds an attempt to withdraw a grant.
	revokeLimit = 30 * time.Second
	revokeFor   = 7 * 24 * time.Hour
)

// Revocation is the grant of an ended connection that has yet to be withdrawn at its
// provider: a row of revocations. It outlives the connection, its company and its user, to
// which nothing in the clear leads.
type Revocation struct {
	ID        string // random; the secret is bound to it
	Provider  provider.Name
	Secret    string // ended as JSON, encrypted
	CreatedAt time.Time
}

type ended struct {
	Connection Connection // as it was
	By         trail.Entry
}

func revocationPlace(id string) database.Place { return database.PlaceOf("revocations", "secret", id) }

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

// SaveEnded stores that the connection has ended. In the same transaction it stores that the
// grant has to be withdrawn, if one is known, and inserts the job that does it.
func (h *Held) SaveEnded(entry trail.Entry) error {
	tx, err := h.Update(&entry)
	if err != nil {
		return err
	}
	s := h.store
	noGrant := h.before.AccessToken == "" && h.before.RefreshToken == ""
	if noGrant || !h.Pair.Valid() { // a grant of another provider cannot be withdrawn
		return h.Commit()
	}
	text, err := json.Marshal(ended{h.before, entry}) // #nosec G117 -- sealed below
	if err != nil {
		return err
	}
	id := rand.Text()
	r := Revocation{ID: id, Provider: h.Pair.Provider, Secret: s.Seal(string(text), revocationPlace(id))}
	if err := tx.Create(&r).Error; err != nil {
		return err
	}
	if err := jobs.New(s.DB).Insert(tx, jobs.Revocation{ID: id}); err != nil {
		return err
	}
	return h.Commit()
}

// Withdraw withdraws the grant of a row of revocations at its provider, unless an active connection
// lives on it; one that is stored while the provider is answering may lose it. What fails is tried
// again for revokeFor, and no earlier than the provider asks for.
func (s *Service) Withdraw(ctx context.Context, job *river.Job[jobs.Revocation]) error {
	var found []*Revocation
	err := s.Store.Read(ctx).Where("id = ?", job.Args.ID).Find(&found).Error
	if err != nil || len(found) == 0 {
		return err
	}
	r, stored := found[0], context.WithoutCancel(ctx)
	if s.Store.Now().Sub(r.CreatedAt) > revokeFor {
		s.Log.ErrorContext(ctx, "a grant could not be withdrawn and is given up", "provider", r.Provider)
		s.Metrics.RevocationGivenUp(r.Provider)
		return s.Store.finish(stored, r, nil)
	}
	end, err := s.Store.ended(r)
	if err != nil {
		return fmt.Errorf("grant at %s not withdrawn: %w", r.Provider, err)
	}
	needed, err := s.Store.GrantNeeded(ctx, end.Connection)
	if err != nil {
		return err
	}
	if needed {
		return s.Store.finish(stored, r, nil)
	}
	entry := end.By
	entry.Action, entry.Detail = "revoke", ""
	entry.AboutUserID, entry.At = 0, s.Store.Now()
	failed := s.withdraw(ctx, end.Connection)
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

func (s *Store) ended(r *Revocation) (end ended, err error) {
	text, err := s.Unseal(r.Secret, revocationPlace(r.ID))
	if err != nil {
		return end, err
	}
	err = json.Unmarshal([]byte(text), &end)
	return end, err
}

func (s *Store) finish(ctx context.Context, r *Revocation, e *trail.Entry) error {
	return s.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Delete(r).Error; err != nil || e == nil {
			return err
		}
		return trail.Record(tx, *e)
	})
}

// ScheduleRevocations inserts the jobs of revocations that wait without one.
func (s *Store) ScheduleRevocations(tx *gorm.DB) error {
	job := func(id string) river.JobArgs { return jobs.Revocation{ID: id} }
	return jobs.EnsureEach(jobs.New(s.DB), tx.Model(&Revocation{}), "id", job)
}

// PendingRevocations counts the grants that have yet to be withdrawn at a provider, and
// returns when the first of these connections ended; the zero time if there is none.
func (s *Store) PendingRevocations(ctx context.Context, p provider.Name) (n int64, oldest time.Time, err error) {
	pending := s.Read(ctx).Model(&Revocation{}).Where("provider = ?", p).Session(&gorm.Session{})
	var first []time.Time
	err = pending.Order("created_at").Limit(1).Pluck("created_at", &first).Error
	if err != nil || len(first) == 0 {
		return 0, oldest, err
	}
	err = pending.Count(&n).Error
	return n, first[0].UTC(), err
}

// ForgetRevocations deletes the pending revocations of what a person granted at a provider
// until a time, because the provider has ended it.
func (s *Store) ForgetRevocations(ctx context.Context, p provider.Name, personID string, until time.Time) error {
	var all []*Revocation
	if err := s.Read(ctx).Where("provider = ?", p).Find(&all).Error; err != nil {
		return err
	}
	for _, r := range all {
		end, err := s.ended(r)
		if err != nil { // it is given up in time
			continue
		}
		if end.Connection.ProviderUserID != personID || end.Connection.ConnectedAt.After(until) {
			continue
		}
		if err := s.finish(ctx, r, nil); err != nil {
			return err
		}
	}
	return nil
}
