package provider

import (
	"context"
	"net/http"
	"time"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/retry"
)

// retryPolicy makes a call again while its fault is Temporary, and waits at least
// as long as the provider asks for.
var retryPolicy = retry.Policy{
	FirstPause: 500 * time.Millisecond, MaxTries: 3,
	Passing: func(err error) (time.Duration, bool) {
		return fault.From(err).RetryAfter, fault.Is(err, CodeTemporary)
	},
}

// WithRetries makes call, which has to do no harm when it is made again. All tries
// and pauses together take at most limit, unless that is zero.
func WithRetries(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errTimeout)
		defer cancel()
	}
	return retryPolicy.Do(ctx, call)
}

// Send makes one request with the retries of WithRetries. toFault translates a response
// that is not a success.
func Send(ctx context.Context, client *http.Client, r Request, toFault func(Response) error) (res Response, err error) {
	err = WithRetries(ctx, client.Timeout, func(ctx context.Context) error {
		if res, err = exchange(ctx, client, r); err != nil || res.OK() {
			return err
		}
		return toFault(res)
	})
	return res, err
}
