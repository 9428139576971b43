package provider

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/internal/kit/fault"
)

func TestWithRetries(t *testing.T) {
	temporary := Temporary(errors.New("down"))
	throttled := Throttled(errors.New("busy"), time.Second)
	tests := []struct {
		name     string
		limit    time.Duration
		results  []error // of the calls, in order
		want     error   // the last result
		min, max int     // duration in milliseconds
	}{
		{name: "success", limit: time.Minute, results: []error{nil}},
		{name: "temporary once", limit: time.Minute, results: []error{temporary, nil}, min: 250, max: 500},
		{name: "temporary", limit: time.Minute, results: []error{temporary, temporary, temporary}, want: temporary, min: 750, max: 1500},
		{name: "no limit", results: []error{temporary, nil}, min: 250, max: 500},
		{name: "another fault", limit: time.Minute, results: []error{throttled}, want: throttled},
		{name: "asked to wait", limit: time.Minute, results: []error{temporary.After(4 * time.Second), nil}, min: 4000, max: 4000},
		{name: "no time for a pause", limit: 200 * time.Millisecond, results: []error{temporary}, want: temporary},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls, start := 0, time.Now()
				err := WithRetries(t.Context(), test.limit, func(context.Context) error {
					calls++
					return test.results[calls-1]
				})
				if calls != len(test.results) || !errors.Is(err, test.want) {
					t.Errorf("%d calls, %v; want %d and %v", calls, err, len(test.results), test.want)
				}
				if took := int(time.Since(start).Milliseconds()); took < test.min || took > test.max {
					t.Errorf("took %d ms, want %d to %d", took, test.min, test.max)
				}
			})
		})
	}
}

// The limit holds for all tries together: a second one that hangs has the time that
// the first one left.
func TestSendWithRetriesKeepsTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, calls := time.Now(), 0
		client := NewClient(roundTrip(func(req *http.Request) (*http.Response, error) {
			if calls++; calls == 1 {
				return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody}, nil
			}
			return hang(req)
		}), 9*time.Second)
		_, err := Send(t.Context(), client, secretRequest("https://api.example"),
			func(Response) error { return Temporary(errors.New("down")) })
		wantClientFault(t, err, CodeTemporary.Name)
		if took := time.Since(start); took != 9*time.Second || calls != 2 || !strings.Contains(err.Error(), "timed out") {
			t.Errorf("took %v for %d calls, %v; want two in 9s", took, calls, err)
		}
	})
}

// The end of the caller's context is no fault of the provider.
func TestSendWithRetriesEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := Send(ctx, NewClient(roundTrip(hang), time.Minute), secretRequest("https://api.example"), nil)
		if !errors.Is(err, context.DeadlineExceeded) || fault.Is(err, CodeTemporary.Name) {
			t.Errorf("err = %v, want that of the context", err)
		}
	})
}
