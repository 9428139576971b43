// Package retry makes a call again whose failure may pass, and reads how long a
// server asks its clients to wait.
//
// Which failures may pass, and how long all tries together may take, is decided by
// the callers.
package retry

import (
	"context"
	"math/rand/v2"
	"time"
)

// Policy says when a call is made again.
type Policy struct {
	FirstPause time.Duration // the longest that the first pause may last; it doubles with every try
	MaxTries   int           // zero means as many as the context has time for
	// Passing reports whether the cause of err may pass by itself, and how long the
	// pause has to be at least.
	Passing func(err error) (pause time.Duration, ok bool)
}

// Do makes call until it succeeds or its error is final, and returns the last
// error. The pauses are random, so that not all replicas come back at once. A
// pause that ctx has no time for is not begun.
func (p Policy) Do(ctx context.Context, call func(context.Context) error) error {
	longest := p.FirstPause
	for try := 1; ; try++ {
		err := call(ctx)
		if err == nil || try == p.MaxTries {
			return err
		}
		least, ok := p.Passing(err)
		if !ok || !sleep(ctx, max(jitter(longest), least)) {
			return err
		}
		longest *= 2
	}
}

// jitter is a random half to whole of longest.
func jitter(longest time.Duration) time.Duration {
	return longest/2 + rand.N(longest/2) // #nosec G404 -- spreads load, guards nothing
}

// sleep waits for d, and reports whether there is time left afterwards.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
