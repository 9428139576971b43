package directory

import (
	"context"
	"time"
)

// Limits counts what may be done only so often, over all replicas. It is an
// interface because a database is outside of the domain.
type Limits interface {
	// TakeLimits adds a use to each, in their order, up to the first that is used up;
	// it returns the state of that one, or of the last.
	TakeLimits(ctx context.Context, limits []Limit, now time.Time) (LimitState, error)
	// PeekLimit is TakeLimits of one limit, without a use.
	PeekLimit(ctx context.Context, l Limit, now time.Time) (LimitState, error)
}

// Limit allows a subject at most Max uses of Kind in any span of Window. One kind
// has one Window: what is older may be forgotten.
type Limit struct {
	Kind    string // what is counted, e.g. "audit"
	Subject string // who uses it, e.g. a user's id or an address
	Max     int
	Window  time.Duration
}

// LimitState is where a subject stands with a Limit.
type LimitState struct {
	OK         bool          // the use was allowed; of a look only: one would be
	Left       int           // uses that remain
	RetryAfter time.Duration // until the next use is allowed; zero when OK
}
