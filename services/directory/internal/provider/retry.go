package provider

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// How often a call is made, and the longest that the first pause may last.
const (
	maxTries   = 3
	firstPause = 500 * time.Millisecond
)

var errSlow = errors.New("timed out")

// ask is send for a call that does no harm when it is made again. refused
// translates an answer that is not a success.
func ask(ctx context.Context, client *http.Client, r request, refused func(answer) error) (a answer, err error) {
	err = repeat(ctx, client.Timeout, func(ctx context.Context) error {
		if a, err = send(ctx, client, r); err != nil || a.ok() {
			return err
		}
		return refused(a)
	})
	return a, err
}

// repeat makes call again while its fault is Temporary. The pauses double, are
// random, so that not all replicas come back at once, and are never shorter than
// the provider asks for. All tries and pauses together take at most limit, unless
// it is zero: where the time left is too short for a pause, the fault stands.
func repeat(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errSlow)
		defer cancel()
	}
	longest := firstPause
	for range maxTries - 1 {
		err := call(ctx)
		if !fault.Is(err, directory.CodeTemporary) || !rest(ctx, max(jitter(longest), fault.From(err).RetryAfter)) {
			return err
		}
		longest *= 2
	}
	return call(ctx)
}

// jitter is a random half to whole of longest.
func jitter(longest time.Duration) time.Duration {
	return longest/2 + rand.N(longest/2) // #nosec G404 -- spreads load, guards nothing
}

// rest waits for d, and reports whether there is time left afterwards.
func rest(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
