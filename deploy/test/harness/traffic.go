package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
)

// Traffic is a steady stream of requests in the background.
type Traffic struct {
	stop     context.CancelFunc
	sending  sync.WaitGroup
	mu       sync.Mutex
	answered int
	failures []error
}

// StartTraffic calls send at an interval, without waiting for the previous call. n counts the calls.
func StartTraffic(t *testing.T, every time.Duration, send func(n int) error) *Traffic {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	f := &Traffic{stop: stop}
	f.sending.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				f.sending.Go(func() { f.record(time.Now(), send(n)) })
			}
		}
	})
	t.Cleanup(func() { _, _ = f.Stop() })
	return f
}

func (f *Traffic) record(sent time.Time, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.failures = append(f.failures, fmt.Errorf("sent at %s: %w", sent.Format(time.TimeOnly), err))
		return
	}
	f.answered++
}

func (f *Traffic) result() (answered int, failures []error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.answered, f.failures
}

// AwaitAnswers waits until n more requests succeed.
func (f *Traffic) AwaitAnswers(t *testing.T, n int) {
	t.Helper()
	before, _ := f.result()
	EventuallyWithin(t, 2*time.Minute, fmt.Sprintf("%d more answers", n), func() bool {
		now, _ := f.result()
		return now >= before+n
	})
}

// Stop waits for the pending requests, and returns how many succeeded and the errors of the others.
func (f *Traffic) Stop() (answered int, failures []error) {
	f.stop()
	f.sending.Wait()
	return f.result()
}

// StopWithoutFailure fails the test if a request failed.
func (f *Traffic) StopWithoutFailure(t *testing.T) {
	t.Helper()
	answered, failures := f.Stop()
	if len(failures) > 0 {
		t.Errorf("%d of %d requests failed:\n%v", len(failures), answered+len(failures),
			errors.Join(failures[:min(len(failures), 10)]...))
	}
}
