package directory

import (
	"context"
	"fmt"
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
	// ReturnUse forgets the newest of the subject's uses.
	ReturnUse(ctx context.Context, l Limit) error
	// ClearLimit forgets the subject's uses.
	ClearLimit(ctx context.Context, l Limit) error
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

// workWindow is in what time a company may make the service ask a provider so often.
const workWindow = 10 * time.Minute

// mayDiscover and maySync count one use for the company, whoever asks; too many are the
// fault too_much_work.
func (o *OAuth) mayDiscover(ctx context.Context, companyID int64, s Service) error {
	return o.mayWork(ctx, Limit{Kind: "discover", Subject: workSubject(companyID, s), Max: o.discovers, Window: workWindow})
}

func (o *OAuth) maySync(ctx context.Context, companyID int64, s Service) error {
	return o.mayWork(ctx, Limit{Kind: "sync", Subject: workSubject(companyID, s), Max: o.syncs, Window: workWindow})
}

func workSubject(companyID int64, s Service) string { return fmt.Sprintf("%d %s", companyID, s) }

func (o *OAuth) mayWork(ctx context.Context, l Limit) error {
	return take(ctx, o.limits, o.now(), CodeTooMuchWork, l)
}

// take counts a use of each limit, as TakeLimits does. One that is used up is the fault
// tooMany, which says when to come again.
func take(ctx context.Context, limits Limits, now time.Time, tooMany Code, wanted ...Limit) error {
	state, err := limits.TakeLimits(ctx, wanted, now)
	if err == nil && !state.OK {
		err = tooMany.Fault().After(state.RetryAfter)
	}
	return err
}
