package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/directory"
)

// limitRow is one use. Its subject is hashed: what people typed as their address
// is not kept.
type limitRow struct {
	ID      int64
	Kind    string
	Subject string
	UsedAt  time.Time
}

// TableName implements gorm's schema.Tabler.
func (limitRow) TableName() string { return "limit_entries" }

func limitSubject(l directory.Limit) string {
	sum := sha256.Sum256([]byte(l.Subject))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// TakeLimit adds a use unless the last Window holds Max of them already. Callers
// in all replicas together never pass Max. Uses older than Window are forgotten.
func (s *Store) TakeLimit(ctx context.Context, l directory.Limit, now time.Time) (state directory.LimitState, err error) {
	subject := limitSubject(l)
	err = s.transaction(ctx, func(tx *gorm.DB) error {
		if err := s.engine.queue(tx, "limit "+l.Kind+" "+subject); err != nil {
			return err
		}
		old := tx.Where("kind = ? AND subject = ? AND used_at <= ?", l.Kind, subject, instant(now.Add(-l.Window)))
		if err := old.Delete(&limitRow{}).Error; err != nil {
			return err
		}
		if state, err = countUses(tx, l, now); err != nil || !state.OK {
			return err
		}
		state.Left--
		return tx.Create(&limitRow{Kind: l.Kind, Subject: subject, UsedAt: instant(now)}).Error
	})
	if err != nil {
		return directory.LimitState{}, failure("take limit", err, nil)
	}
	return state, nil
}

// PeekLimit is TakeLimit without a use.
func (s *Store) PeekLimit(ctx context.Context, l directory.Limit, now time.Time) (directory.LimitState, error) {
	state, err := countUses(s.read.WithContext(ctx), l, now)
	return state, failure("look at limit", err, nil)
}

// countUses reads the newest uses of the window. When there are Max, the next one
// is allowed as soon as the oldest of these leaves the window.
func countUses(db *gorm.DB, l directory.Limit, now time.Time) (directory.LimitState, error) {
	if l.Max < 1 {
		return directory.LimitState{RetryAfter: l.Window}, nil
	}
	var uses []limitRow
	err := db.Where("kind = ? AND subject = ? AND used_at > ?", l.Kind, limitSubject(l), instant(now.Add(-l.Window))).
		Order("used_at DESC").Limit(l.Max).Find(&uses).Error
	if err != nil {
		return directory.LimitState{}, err
	}
	if len(uses) == l.Max {
		return directory.LimitState{RetryAfter: uses[l.Max-1].UsedAt.Add(l.Window).Sub(instant(now))}, nil
	}
	return directory.LimitState{OK: true, Left: l.Max - len(uses)}, nil
}

// DeleteLimitEntriesBefore forgets all uses before t, of subjects that do not
// come back, too, and returns their number. t has to be older than every Window.
func (s *Store) DeleteLimitEntriesBefore(ctx context.Context, t time.Time) (int64, error) {
	result := s.write.WithContext(ctx).Where("used_at < ?", instant(t)).Delete(&limitRow{})
	return result.RowsAffected, failure("forget limits", result.Error, nil)
}
