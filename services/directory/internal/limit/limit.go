// Package limit counts what may be done only so often, over all replicas.
package limit

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

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
var CodeTooMuchWork = fault.NewCode(fault.Limited, "too_much_work", "Zbyt wiele zapytań do dostawcy w krótkim czasie. Spróbuj ponownie później.", "too many in a short time; wait")

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

// state counts the limit's uses. When there are Max, the next one is allowed as soon as
// the oldest of the newest Max leaves the window.
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
