// Package retry repeats calls that failed temporarily, and parses Retry-After.
package retry

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Policy configures when a call is repeated.
type Policy struct {
	FirstPause time.Duration // longest first pause; it doubles with every attempt
	MaxTries   int           // zero for as many as fit into the context's deadline
	// Passing reports whether err may be temporary, and the shortest pause.
	Passing func(err error) (pause time.Duration, ok bool)
}

// Do calls call until it succeeds or its error is final, and returns the last error. The
// pauses are random, so that replicas do not retry at the same time. If a pause would
// exceed the deadline of ctx, Do returns at once.
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

// jitter returns a random duration from half of longest to longest.
func jitter(longest time.Duration) time.Duration {
	return longest/2 + rand.N(longest/2) // #nosec G404 -- spreads load, guards nothing
}

// sleep waits for d. It returns false if ctx ends before.
func sleep(ctx context.Context, d time.Duration) bool {
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

// After parses the Retry-After header: seconds or a date (RFC 9110, section 10.2.3). It
// returns zero if the header is absent, in the past or malformed, or above 31 bits of
// seconds, which is 68 years.
func After(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second // #nosec G115 -- 31 bits
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(at.Sub(now), 0)
}
