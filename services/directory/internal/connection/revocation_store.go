package connection

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// Revocation is the grant of an ended connection that has yet to be withdrawn at its
// provider: a row of revocations. It outlives the connection, its company and its user, to
// which nothing in the clear leads.
type Revocation struct {
	ID        string // random; the secret is bound to it
	Provider  provider.Name
	Secret    string // endedGrant as JSON, encrypted
	CreatedAt time.Time
}

// endedGrant is what the withdrawal of a grant needs of the connection.
type endedGrant struct {
	Pair           provider.Pair
	CompanyID      int64
	UserID         int64
	ProviderUserID string
	AccessToken    string // the user's
	RefreshToken   string
	ConnectedAt    time.Time
	By             trail.Entry // of its end
}

// connection returns g as the connection that it was.
func (g endedGrant) connection() Connection {
	return Connection{
		Pair: g.Pair, CompanyID: g.CompanyID, UserID: g.UserID, ProviderUserID: g.ProviderUserID,
		AccessToken: g.AccessToken, RefreshToken: g.RefreshToken, Metadata: Metadata{ConnectedAt: g.ConnectedAt},
	}
}

func revocationPlace(id string) database.Place { return database.PlaceOf("revocations", "secret", id) }

// SaveEnded stores that the connection has ended. In the same transaction it stores that the
// grant has to be withdrawn, if one is known, and inserts the job that does it.
func (h *Held) SaveEnded(entry trail.Entry) error {
	tx, err := h.Update(&entry)
	if err != nil {
		return err
	}
	noGrant := h.before.AccessToken == "" && h.before.RefreshToken == ""
	if noGrant || !h.Pair.Valid() { // a grant of another provider cannot be withdrawn
		return h.Commit()
	}
	r, err := h.store.newRevocation(h.before, entry)
	if err != nil {
		return err
	}
	if err := tx.Create(&r).Error; err != nil {
		return err
	}
	if err := jobs.New(h.store.DB).Insert(tx, jobs.Revocation{ID: r.ID}); err != nil {
		return err
	}
	return h.Commit()
}

func (s *Store) newRevocation(c Connection, by trail.Entry) (Revocation, error) {
	// #nosec G117 -- sealed below
	text, err := json.Marshal(endedGrant{c.Pair, c.CompanyID, c.UserID, c.ProviderUserID, c.UserToken(), c.RefreshToken,
		c.ConnectedAt, by})
	id := rand.Text()
	return Revocation{ID: id, Provider: c.Pair.Provider, Secret: s.Seal(string(text), revocationPlace(id)),
		CreatedAt: s.At(time.Time{})}, err
}

// ended decrypts the grant of r. The fault is secret_unreadable.
func (s *Store) ended(r *Revocation) (g endedGrant, err error) {
	text, err := s.Unseal(r.Secret, revocationPlace(r.ID))
	if err == nil {
		err = json.Unmarshal([]byte(text), &g)
	}
	return g, err
}

// revocation returns a row of revocations; nil if there is none.
func (s *Store) revocation(ctx context.Context, id string) (*Revocation, error) {
	var found []*Revocation
	err := s.Read(ctx).Where("id = ?", id).Find(&found).Error
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// ScheduleRevocations inserts the jobs of revocations that wait without one.
func (s *Store) ScheduleRevocations(tx *gorm.DB) error {
	var ids []string
	if err := tx.Model(&Revocation{}).Pluck("id", &ids).Error; err != nil {
		return err
	}
	args := make([]river.JobArgs, len(ids))
	for i, id := range ids {
		args[i] = jobs.Revocation{ID: id}
	}
	return jobs.New(s.DB).Ensure(tx, args...)
}

// finish deletes r, with a line of the trail unless e is nil.
func (s *Store) finish(ctx context.Context, r *Revocation, e *trail.Entry) error {
	return s.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Delete(r).Error; err != nil || e == nil {
			return err
		}
		return trail.Record(tx, *e)
	})
}

// PendingRevocations counts the grants that have yet to be withdrawn at a provider, and
// returns when the first of these connections ended; the zero time if there is none.
func (s *Store) PendingRevocations(ctx context.Context, p provider.Name) (n int64, oldest time.Time, err error) {
	pending := s.Read(ctx).Model(&Revocation{}).Where("provider = ?", p).Session(&gorm.Session{})
	var first []time.Time
	if err = pending.Order("created_at").Limit(1).Pluck("created_at", &first).Error; err == nil && len(first) > 0 {
		oldest = first[0].UTC()
		err = pending.Count(&n).Error
	}
	return n, oldest, err
}

// ForgetRevocations deletes the pending revocations of what a person granted at a provider
// until a time, because the provider has ended it.
func (s *Store) ForgetRevocations(ctx context.Context, p provider.Name, personID string, until time.Time) error {
	var all []*Revocation
	if err := s.Read(ctx).Where("provider = ?", p).Find(&all).Error; err != nil {
		return err
	}
	for _, r := range all {
		c, err := s.ended(r)
		// what cannot be read is given up in time
		if err != nil || c.ProviderUserID != personID || c.ConnectedAt.After(until) {
			continue
		}
		if err := s.finish(ctx, r, nil); err != nil {
			return err
		}
	}
	return nil
}
