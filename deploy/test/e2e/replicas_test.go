package e2e

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// watchLateness returns a function that returns the largest delay of a timer since. The
// sandbox may record an arrival with such a delay, and the gap to the next one then
// seems too short.
func watchLateness(t *testing.T) (most func() time.Duration) {
	t.Helper()
	const nap = 5 * time.Millisecond
	var latest atomic.Int64
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	go func() {
		for before := time.Now(); ; before = time.Now() {
			select {
			case <-done:
				return
			case <-time.After(nap):
				latest.Store(max(latest.Load(), int64(time.Since(before)-nap)))
			}
		}
	}()
	return func() time.Duration { return time.Duration(latest.Load()) }
}

// searches counts the searches among requests to the aggregator.
func searches(requests []harness.Arrival) (n int) {
	for _, r := range requests {
		if strings.Contains(r.Path, "szukaj-") {
			n++
		}
	}
	return n
}

func TestReplicasLookUpOnce(t *testing.T) {
	s := own(t, harness.Options{Replicas: 3, Redis: true})
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			a := harness.Get(t, s.Hardware[i%3].URL(), "/api/prices/ceneo?q=ryzen+7+7800x3d")
			if a.Status != 200 || len(harness.Decode[price](t, a).Offers) == 0 {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	if n := searches(s.Sandbox.Requests(t, "aggregator")); n != 1 {
		t.Errorf("300 requests made %d look-ups, want 1", n)
	}
}

func TestReplicasShareOneRate(t *testing.T) {
	s, late := own(t, harness.Options{Replicas: 3, Redis: true}), watchLateness(t)
	clients := &http.Client{Transport: harness.ChangingAddresses()}
	var wg sync.WaitGroup
	for i, part := range []string{"core+i5+12600k", "core+i5+13600k", "core+i5+14600k", "ryzen+5+5600", "ryzen+5+7600"} {
		wg.Go(func() {
			path := "/api/prices/ceneo?q=" + part
			if a, err := harness.Send(t.Context(), clients, http.MethodGet, s.Hardware[i%3].URL()+path, nil); a.Status != 200 {
				t.Errorf("%s: %d %s, %v", path, a.Status, a.Body, err)
			}
		})
	}
	wg.Wait()
	requests := s.Sandbox.Requests(t, "aggregator")
	if len(requests) < 6 {
		t.Fatalf("only %d requests reached the aggregator", len(requests))
	}
	for i, gap := range harness.Gaps(requests) {
		if gap+late() < 1200*time.Millisecond {
			t.Errorf("%s came %s after %s; timers were up to %s late", requests[i+1].Path, gap, requests[i].Path, late())
		}
	}
}

func TestHardwareDrains(t *testing.T) {
	s := own(t, harness.Options{})
	harness.Get(t, s.Gateway, "/api/prices/ceneo?q=ryzen+5+5600") // takes the first slot, so that the next request waits
	answered := make(chan harness.Answer, 1)
	go func() { answered <- harness.Get(t, s.Hardware[0].URL(), "/api/prices/ceneo?q=ryzen+5+7600") }()
	harness.Eventually(t, "the look-up reaches the source", func() bool {
		return searches(s.Sandbox.Requests(t, "aggregator")) == 2
	})
	s.Hardware[0].Terminate(t)
	if a := <-answered; a.Status != 200 {
		t.Errorf("the pending request got %d %s", a.Status, a.Body)
	}
}
