// Package limit counts what may be done only so often, over all replicas.
package limit

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/internal/kit/fault"
)

// Limit allows a subject at most Max uses of Kind in any span of Window. One kind
// has one Window: older uses may be deleted.
type Limit struct {
	Kind    string // what is counted, e.g. "audit"
	Subject string // e.g. a user's id or an address
	Max     int
	Window  time.Duration
}

// CodeTooMuchWork is the code of too many calls of an external service.
var CodeTooMuchWork = fault.NewCode(fault.Limited, "too_much_work",
	"Zbyt wiele zapytań w krótkim czasie. Spróbuj ponownie później.", "too many in a short time; wait")

// State is how much of a Limit is left.
type State struct {
	OK         bool          // another use is allowed
	Left       int           // uses that remain
	RetryAfter time.Duration // until the next use is allowed; zero if OK
}

func (l Limit) subject() string {
	sum := sha256.Sum256([]byte(l.Subject))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// state counts the limit's uses. The next one is allowed when the oldest of the newest Max leaves the
// window.
func (l Limit) state(uses []use, now time.Time) State {
	if l.Max < 1 {
		return State{RetryAfter: l.Window}
	}
	subject := l.subject()
	var times []time.Time
	for _, use := range uses {
		if use.Kind == l.Kind && use.Subject == subject {
			times = append(times, use.UsedAt)
		}
	}
	if len(times) < l.Max {
		return State{OK: true, Left: l.Max - len(times)}
	}
	slices.SortFunc(times, func(a, b time.Time) int { return b.Compare(a) })
	return State{RetryAfter: times[l.Max-1].Add(l.Window).Sub(database.Instant(now))}
}

// use is a row of limit_entries. Its subject is hashed: addresses that people typed are
// not stored.
type use struct {
	ID      int64
	Kind    string
	Subject string
	UsedAt  time.Time
}

// TableName implements gorm's schema.Tabler.
func (use) TableName() string { return "limit_entries" }

// Limits counts uses. It is safe for concurrent use.
type Limits struct{ db *database.DB }

// New returns a Limits that stores its uses in db.
func New(db *database.DB) *Limits { return &Limits{db} }

// Take adds a use to each of the limits, up to the first one that is used up, for which it returns
// tooMany with the time to wait. All replicas together never exceed Max. Callers name the same limits
// in the same order.
func (l *Limits) Take(ctx context.Context, now time.Time, tooMany fault.Code, limits ...Limit) error {
	state, full := State{}, ""
	err := l.db.Transaction(ctx, func(tx *gorm.DB) error {
		for _, limit := range limits {
			if err := l.db.Queue(tx, "limit "+limit.Kind+" "+limit.subject()); err != nil {
				return err
			}
		}
		uses, err := usesOf(tx, limits, now)
		if err != nil {
			return err
		}
		var taken []use
		for _, limit := range limits {
			if state = limit.state(uses, now); !state.OK {
				full = limit.Kind
				break
			}
			taken = append(taken, use{Kind: limit.Kind, Subject: limit.subject(), UsedAt: database.Instant(now)})
		}
		if len(taken) == 0 {
			return nil
		}
		return tx.Create(&taken).Error
	})
	if err != nil {
		return err
	}
	if !state.OK {
		return tooMany.Wrap(usedUp(full)).After(state.RetryAfter)
	}
	return nil
}

// usedUp is the cause of the error of Take: the kind of the limit.
type usedUp string

func (kind usedUp) Error() string { return "limit " + string(kind) }

// IsUsedUp reports whether err is the error of Take for a limit of that kind.
func IsUsedUp(err error, kind string) bool {
	var full usedUp
	return errors.As(err, &full) && string(full) == kind
}

// Peek returns the state of a limit without a use.
func (l *Limits) Peek(ctx context.Context, now time.Time, limit Limit) (State, error) {
	uses, err := usesOf(l.db.Read(ctx), []Limit{limit}, now)
	if err != nil {
		return State{}, err
	}
	return limit.state(uses, now), nil
}

// Return deletes the newest use of the limit's subject.
func (l *Limits) Return(ctx context.Context, limit Limit) error {
	newest := l.db.Write(ctx).Model(&use{}).Select("max(id)").
		Where("kind = ? AND subject = ?", limit.Kind, limit.subject())
	return l.db.Write(ctx).Where("id = (?)", newest).Delete(&use{}).Error
}

// Clear deletes the uses of the limit's subject.
func (l *Limits) Clear(ctx context.Context, limit Limit) error {
	return l.db.Write(ctx).Where("kind = ? AND subject = ?", limit.Kind, limit.subject()).Delete(&use{}).Error
}

// DeleteBefore deletes all uses before t, and returns their number. t has to be older
// than every Window.
func (l *Limits) DeleteBefore(ctx context.Context, t time.Time) (int64, error) {
	return l.db.DeleteInBatches(ctx, "limit_entries", "used_at", "used_at < ?", database.Instant(t))
}

// usesOf reads the uses in the windows of the limits. Those that are more than a window
// in the future were stored before the clock was set back, and do not count.
func usesOf(query *gorm.DB, limits []Limit, now time.Time) (uses []use, err error) {
	for _, l := range limits {
		query = query.Or("kind = ? AND subject = ? AND used_at > ? AND used_at <= ?",
			l.Kind, l.subject(), database.Instant(now.Add(-l.Window)), database.Instant(now.Add(l.Window)))
	}
	err = query.Find(&uses).Error
	return uses, err
}
