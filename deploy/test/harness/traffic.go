package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Traffic is a steady stream of requests in the background.
type Traffic struct {
	stop     context.CancelFunc
	sending  sync.WaitGroup
	answered atomic.Int64
	mu       sync.Mutex
	failures []error
}

// StartTraffic calls send at an interval, without waiting for the previous call. n counts the calls.
func StartTraffic(t *testing.T, every time.Duration, send func(n int) error) *Traffic {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	traffic := &Traffic{stop: stop}
	traffic.sending.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			traffic.sending.Go(func() { traffic.record(time.Now(), send(n)) })
			time.Sleep(every)
		}
	})
	t.Cleanup(func() { _, _ = traffic.Stop() })
	return traffic
}

func (f *Traffic) record(sent time.Time, err error) {
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.failures = append(f.failures, fmt.Errorf("sent at %s: %w", sent.Format(time.TimeOnly), err))
		return
	}
	f.answered.Add(1)
}

// AwaitAnswers waits until n more requests succeed.
func (f *Traffic) AwaitAnswers(t *testing.T, n int64) {
	t.Helper()
	want := f.answered.Load() + n
	EventuallyWithin(t, 2*time.Minute, fmt.Sprintf("%d more answers", n), func() bool {
		return f.answered.Load() >= want
	})
}

// Stop waits for the pending requests, and returns how many succeeded and the errors of the others.
func (f *Traffic) Stop() (answered int64, failures []error) {
	f.stop()
	f.sending.Wait()
	return f.answered.Load(), f.failures
}

// StopWithoutFailure fails the test if a request failed.
func (f *Traffic) StopWithoutFailure(t *testing.T) {
	t.Helper()
	answered, failures := f.Stop()
	if len(failures) > 0 {
		t.Errorf("%d requests failed, %d succeeded:\n%v", len(failures), answered,
			errors.Join(failures[:min(len(failures), 10)]...))
	}
}
