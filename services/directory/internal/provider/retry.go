package provider

import (
	"context"
	"errors"
	"net/http"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/retry"
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

// repeat makes call again while its fault is Temporary. All tries and pauses
// together take at most limit, unless it is zero: where the time left is too short
// for a pause, the fault stands.
func repeat(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errSlow)
		defer cancel()
	}
	again := retry.Policy{FirstPause: firstPause, MaxTries: maxTries, Passing: isTemporary}
	return again.Do(ctx, call)
}

func isTemporary(err error) (pause time.Duration, ok bool) {
	return fault.From(err).RetryAfter, fault.Is(err, directory.CodeTemporary)
}
