package connection

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// Revocation is the grant of an ended connection that has yet to be withdrawn at its
// provider: a row of revocations. It outlives the connection, its company and its user, to
// which nothing in the clear leads.
type Revocation struct {
	ID        string // random; the secret is bound to it
	Provider  provider.Name
	Secret    string    // endedGrant as JSON, encrypted
	NextAt    time.Time // of the next try. To change it is to claim the row.
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
}

// connection returns g as the connection that it was.
func (g endedGrant) connection() Connection {
	return Connection{
		Pair: g.Pair, CompanyID: g.CompanyID, UserID: g.UserID, ProviderUserID: g.ProviderUserID,
		AccessToken: g.AccessToken, RefreshToken: g.RefreshToken, ConnectedAt: g.ConnectedAt,
	}
}

func revocationPlace(id string) database.Place { return database.PlaceOf("revocations", "secret", id) }

// SaveEnded stores that the connection has ended, and in the same transaction that its grant
// has to be withdrawn; it returns nil if no grant is known.
func (h *Held) SaveEnded(entry *trail.Entry) (*Revocation, error) {
	tx, err := h.Update(entry)
	if err != nil {
		return nil, err
	}
	noGrant := h.before.AccessToken == "" && h.before.RefreshToken == ""
	if noGrant || !h.Pair.Valid() { // a grant of another provider cannot be withdrawn
		return nil, h.Commit()
	}
	r, err := h.store.newRevocation(h.before)
	if err != nil {
		return nil, err
	}
	if err := tx.Create(r).Error; err != nil {
		return nil, err
	}
	return r, h.Commit()
}

func (s *Store) newRevocation(c Connection) (*Revocation, error) {
	// #nosec G117 -- sealed below
	text, err := json.Marshal(endedGrant{c.Pair, c.CompanyID, c.UserID, c.ProviderUserID, c.UserToken(), c.RefreshToken,
		c.ConnectedAt})
	id, now := rand.Text(), s.At(time.Time{})
	return &Revocation{ID: id, Provider: c.Pair.Provider, Secret: s.Seal(string(text), revocationPlace(id)),
		NextAt: now, CreatedAt: now}, err
}

// ended decrypts the connection of r. The fault is secret_unreadable.
func (s *Store) ended(r *Revocation) (c Connection, err error) {
	text, err := s.Unseal(r.Secret, revocationPlace(r.ID))
	var g endedGrant
	if err == nil {
		err = json.Unmarshal([]byte(text), &g)
	}
	return g.connection(), err
}

// dueRevocation returns the revocation at a provider that has been due for the longest, or
// nil. A time that no try sets is of a clock that was ahead, and counts as due.
func (s *Store) dueRevocation(ctx context.Context, p provider.Name, now time.Time) (*Revocation, error) {
	var due []*Revocation
	err := s.Read(ctx).Where("provider = ? AND (next_at <= ? OR next_at > ?)", p, database.Instant(now),
		database.Instant(now.Add(longestRetry+revokeClaim))).
		Order("next_at").Limit(1).Find(&due).Error
	if err != nil || len(due) == 0 {
		return nil, err
	}
	return due[0], nil
}

// postpone sets the time of the next try of r, unless another process has done so.
func (s *Store) postpone(ctx context.Context, r *Revocation, next time.Time) (claimed bool, err error) {
	next = database.Instant(next)
	result := s.Write(ctx).Model(&Revocation{}).Where("id = ? AND next_at = ?", r.ID, r.NextAt).
		UpdateColumn("next_at", next)
	if claimed = result.RowsAffected == 1; claimed {
		r.NextAt = next
	}
	return claimed, result.Error
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
