package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
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

// TakeLimits adds a use to each of the limits, in their order, up to the first whose
// last Window holds Max of them already, and returns the state of that one, or of the
// last. Callers in all replicas together never pass Max. Callers that name the same
// limits name them in the same order.
func (s *Store) TakeLimits(ctx context.Context, limits []directory.Limit, now time.Time) (state directory.LimitState, err error) {
	err = s.Transaction(ctx, func(tx *gorm.DB) error {
		for _, l := range limits {
			if err := s.Queue(tx, "limit "+l.Kind+" "+limitSubject(l)); err != nil {
				return err
			}
		}
		uses, err := usesOf(tx, limits, now)
		if err != nil {
			return err
		}
		var taken []limitRow
		for _, l := range limits {
			if state = stateOf(l, uses, now); !state.OK {
				break
			}
			state.Left--
			taken = append(taken, limitRow{Kind: l.Kind, Subject: limitSubject(l), UsedAt: database.Instant(now)})
		}
		if len(taken) == 0 {
			return nil
		}
		return tx.Create(&taken).Error
	})
	if err != nil {
		return directory.LimitState{}, failure("take limit", err, nil)
	}
	return state, nil
}

// PeekLimit is TakeLimits of one limit, without a use.
func (s *Store) PeekLimit(ctx context.Context, l directory.Limit, now time.Time) (directory.LimitState, error) {
	uses, err := usesOf(s.Read(ctx), []directory.Limit{l}, now)
	if err != nil {
		return directory.LimitState{}, failure("look at limit", err, nil)
	}
	return stateOf(l, uses, now), nil
}

// ReturnUse forgets the newest use of the limit's subject.
func (s *Store) ReturnUse(ctx context.Context, l directory.Limit) error {
	newest := s.Write(ctx).Model(&limitRow{}).Select("max(id)").Where("kind = ? AND subject = ?", l.Kind, limitSubject(l))
	err := s.Write(ctx).Where("id = (?)", newest).Delete(&limitRow{}).Error
	return failure("return use", err, nil)
}

// ClearLimit forgets the uses of the limit's subject.
func (s *Store) ClearLimit(ctx context.Context, l directory.Limit) error {
	err := s.Write(ctx).Where("kind = ? AND subject = ?", l.Kind, limitSubject(l)).Delete(&limitRow{}).Error
	return failure("clear limit", err, nil)
}

// usesOf reads the uses in the windows of the limits: of each no more than its Max.
// Those of a time that is further away than a window were noted before the clock went
// back, and are no uses.
func usesOf(db *gorm.DB, limits []directory.Limit, now time.Time) (uses []limitRow, err error) {
	query := db
	for _, l := range limits {
		query = query.Or("kind = ? AND subject = ? AND used_at > ? AND used_at <= ?",
			l.Kind, limitSubject(l), database.Instant(now.Add(-l.Window)), database.Instant(now.Add(l.Window)))
	}
	return uses, query.Find(&uses).Error
}

// stateOf looks for the limit's uses. When there are Max, the next one is allowed as
// soon as the oldest of the newest Max leaves the window.
func stateOf(l directory.Limit, uses []limitRow, now time.Time) directory.LimitState {
	if l.Max < 1 {
		return directory.LimitState{RetryAfter: l.Window}
	}
	subject := limitSubject(l)
	var times []time.Time
	for _, use := range uses {
		if use.Kind == l.Kind && use.Subject == subject {
			times = append(times, use.UsedAt)
		}
	}
	if len(times) < l.Max {
		return directory.LimitState{OK: true, Left: l.Max - len(times)}
	}
	slices.SortFunc(times, func(a, b time.Time) int { return b.Compare(a) })
	return directory.LimitState{RetryAfter: times[l.Max-1].Add(l.Window).Sub(database.Instant(now))}
}

// DeleteLimitEntriesBefore forgets all uses before t, of subjects that do not
// come back, too, and returns their number. t has to be older than every Window.
func (s *Store) DeleteLimitEntriesBefore(ctx context.Context, t time.Time) (int64, error) {
	result := s.Write(ctx).Where("used_at < ?", database.Instant(t)).Delete(&limitRow{})
	return result.RowsAffected, failure("forget limits", result.Error, nil)
}
