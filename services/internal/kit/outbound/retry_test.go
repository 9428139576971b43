package outbound_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/internal/kit/outbound"
)

var (
	errPassing = errors.New("busy")
	errAsks    = errors.New("busy for 10 s")
	errFinal   = errors.New("refused")
)

// policy makes three attempts. Its errors are those above.
var policy = outbound.Retry{FirstPause: time.Second, MaxTries: 3, Passing: func(err error) (time.Duration, bool) {
	if errors.Is(err, errAsks) {
		return 10 * time.Second, true
	}
	if err == nil {
		panic("no error to assess")
	}
	return 0, errors.Is(err, errPassing)
}}

func TestDo(t *testing.T) {
	tests := map[string]struct {
		maxTries int
		timeout  time.Duration
		results  []error // of the calls, in order; the last one stays
		err      error
		calls    int
		min, max time.Duration // of all calls and pauses together
	}{
		"succeeds at once":       {3, time.Hour, []error{nil}, nil, 1, 0, 0},
		"succeeds after a pause": {3, time.Hour, []error{errPassing, nil}, nil, 2, time.Second / 2, time.Second},
		"pauses double": {3, time.Hour, []error{errPassing, errPassing, nil}, nil, 3, 3 * time.Second / 2,
			3 * time.Second},
		"fails every time": {3, time.Hour, []error{errPassing}, errPassing, 3, 3 * time.Second / 2,
			3 * time.Second},
		"fails for good": {3, time.Hour, []error{errFinal}, errFinal, 1, 0, 0},
		"fails for good at last": {3, time.Hour, []error{errPassing, errFinal}, errFinal, 2, time.Second / 2,
			time.Second},
		"server asks for a pause": {3, time.Hour, []error{errAsks, nil}, nil, 2, 10 * time.Second, 10 * time.Second},
		"no time for that pause":  {3, 10 * time.Second, []error{errAsks}, errAsks, 1, 0, 0},
		"no time for another one": {3, 3 * time.Second / 2, []error{errPassing}, errPassing, 2, time.Second / 2,
			time.Second},
		// Five pauses take 31 s at most, and six 31.5 s at least.
		"tries until time runs out": {0, 31200 * time.Millisecond, []error{errPassing}, errPassing, 6,
			31 * time.Second / 2, 31 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), test.timeout)
				defer cancel()
				p := policy
				calls := 0
				began := time.Now()
				p.MaxTries = test.maxTries
				err := p.Do(ctx, func(context.Context) error {
					calls++
					return test.results[min(calls, len(test.results))-1]
				})
				if !errors.Is(err, test.err) || calls != test.calls {
					t.Errorf("%d calls, error %v; want %d calls, error %v", calls, err, test.calls, test.err)
				}
				if took := time.Since(began); took < test.min || took > test.max {
					t.Errorf("took %v, want %v to %v", took, test.min, test.max)
				}
			})
		})
	}
}

func TestDoEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		began := time.Now()
		calls := 0
		err := policy.Do(ctx, func(context.Context) error { calls++; return errPassing })
		if took := time.Since(began); took != 100*time.Millisecond || !errors.Is(err, errPassing) || calls != 1 {
			t.Errorf("error %v of %d calls after %v, want that of the call as soon as the context has ended", err,
				calls, took)
		}
	})
}

func TestAfter(t *testing.T) {
	now := time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)
	tests := map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"30":                            30 * time.Second,
		" 30 ":                          30 * time.Second,
		"2147483647":                    2147483647 * time.Second,
		"2147483648":                    0,
		"99999999999999999999":          0,
		"-30":                           0,
		"1.5":                           0,
		"soon":                          0,
		"Sat, 21 Nov 2026 10:01:30 GMT": 90 * time.Second,
		"Sat, 21 Nov 2026 09:00:00 GMT": 0,
		"Fri, 31 Dec 9999 23:59:59 GMT": math.MaxInt64,
	}
	for value, want := range tests {
		if got := outbound.RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("After(%q) = %v, want %v", value, got, want)
		}
	}
	if got := outbound.RetryAfter(http.Header{}, now); got != 0 {
		t.Errorf("After without a header = %v, want 0", got)
	}
}
