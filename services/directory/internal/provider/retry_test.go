package provider

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

var (
	errPassing = directory.Temporary(errors.New("down"))
	errBusy    = directory.Throttled(errors.New("busy"), time.Second)
)

func TestWithRetries(t *testing.T) {
	tests := []struct {
		name     string
		limit    time.Duration
		results  []error // of the calls, in order
		calls    int
		code     string // of the fault; empty: none
		min, max time.Duration
	}{
		{"success", time.Minute, []error{nil}, 1, "", 0, 0},
		{"passes", time.Minute, []error{errPassing, nil}, 2, "", 250 * time.Millisecond, 500 * time.Millisecond},
		{"passes late", time.Minute, []error{errPassing, errPassing, nil}, 3, "", 750 * time.Millisecond, 1500 * time.Millisecond},
		{"stays", time.Minute, []error{errPassing, errPassing, errPassing}, 3, directory.CodeTemporary, 750 * time.Millisecond, 1500 * time.Millisecond},
		{"no limit", 0, []error{errPassing, nil}, 2, "", 250 * time.Millisecond, 500 * time.Millisecond},
		{"another fault", time.Minute, []error{errBusy}, 1, directory.CodeThrottled, 0, 0},
		{"another fault then", time.Minute, []error{errPassing, errBusy}, 2, directory.CodeThrottled, 250 * time.Millisecond, 500 * time.Millisecond},
		{"asked to wait", time.Minute, []error{errPassing.After(4 * time.Second), nil}, 2, "", 4 * time.Second, 4 * time.Second},
		{"asked to wait too long", time.Minute, []error{errPassing.After(time.Hour)}, 1, directory.CodeTemporary, 0, 0},
		{"no time for a pause", 200 * time.Millisecond, []error{errPassing}, 1, directory.CodeTemporary, 0, 0},
		{"no time for the second", 700 * time.Millisecond, []error{errPassing, errPassing}, 2, directory.CodeTemporary, 250 * time.Millisecond, 500 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls, start := 0, time.Now()
				err := withRetries(t.Context(), test.limit, func(context.Context) error {
					calls++
					return test.results[calls-1]
				})
				if calls != test.calls || (err != nil) != (test.code != "") || err != nil && !fault.Is(err, test.code) {
					t.Errorf("%d calls, %v; want %d and fault %q", calls, err, test.calls, test.code)
				}
				if took := time.Since(start); took < test.min || took > test.max {
					t.Errorf("took %v, want %v to %v", took, test.min, test.max)
				}
			})
		})
	}
}

func TestWithRetriesPausesGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pauses []time.Duration
		last := time.Now()
		_ = withRetries(t.Context(), 0, func(context.Context) error {
			pauses, last = append(pauses, time.Since(last)), time.Now()
			return errPassing
		})
		if len(pauses) != 3 || pauses[1] >= 500*time.Millisecond || pauses[2] < 500*time.Millisecond {
			t.Errorf("pauses = %v, want the second to be longer", pauses)
		}
	})
}

// The limit holds for all tries together: a second one that hangs gets what the
// first has left.
func TestWithRetriesEndsWithItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, calls := time.Now(), 0
		client := newClient(road(func(req *http.Request) (*http.Response, error) {
			if calls++; calls == 1 {
				return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody}, nil
			}
			return silence(req)
		}), 9*time.Second)
		_, err := sendWithRetries(t.Context(), client, request{method: http.MethodGet, url: "https://api.example/v1?key=" + httpSecret},
			func(response) error { return errPassing })
		wantHTTPFault(t, err, directory.CodeTemporary)
		if took := time.Since(start); took != 9*time.Second || calls != 2 || !strings.Contains(err.Error(), "timed out") {
			t.Errorf("took %v for %d calls, %v; want two in 9s", took, calls, err)
		}
	})
}

func TestWithRetriesEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		start := time.Now()
		err := withRetries(ctx, time.Minute, func(context.Context) error { return errPassing })
		if took := time.Since(start); took != 100*time.Millisecond || !errors.Is(err, errPassing) {
			t.Errorf("took %v, %v; want the fault as soon as the context ended", took, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := sendWithRetries(ctx, newClient(silence, time.Minute), request{method: http.MethodGet, url: "https://api.example"}, nil)
		if !errors.Is(err, context.DeadlineExceeded) || fault.Is(err, directory.CodeTemporary) {
			t.Errorf("err = %v, want that of the context", err)
		}
	})
}
