package e2e

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// interval is the least time between two requests to the aggregator.
const interval = 1200 * time.Millisecond

// watchLateness returns a function that tells by how much timers of this machine have
// been late at most since. The sandbox may note an arrival late by as much, which then
// seems too close to the next one.
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

// wantApart holds arrivals at the aggregator to the interval.
func wantApart(t *testing.T, requests []harness.Arrival, late time.Duration) {
	t.Helper()
	for i, gap := range harness.Gaps(requests) {
		if gap+late < interval {
			t.Errorf("%s came %s after %s, and this machine was at most %s late", requests[i+1].Path, gap, requests[i].Path, late)
		}
	}
}

// askAll asks every replica for every path n times at once.
func askAll(t *testing.T, s *harness.Stack, n int, paths ...string) []harness.Answer {
	t.Helper()
	var wg sync.WaitGroup
	answers := make([]harness.Answer, n*len(s.Hardware)*len(paths))
	for i := range answers {
		wg.Go(func() {
			answers[i] = harness.Get(t, s.Hardware[i%len(s.Hardware)].URL(), paths[i/len(s.Hardware)%len(paths)])
		})
	}
	wg.Wait()
	return answers
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
	answers := askAll(t, s, 100, "/api/prices/ceneo?q=ryzen+7+7800x3d")
	for _, a := range answers {
		if a.Status != 200 || len(harness.Decode[price](t, a).Offers) == 0 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	if n := searches(s.Sandbox.Requests(t, "aggregator")); n != 1 {
		t.Errorf("%d answers took %d look-ups, want 1", len(answers), n)
	}
}

func TestReplicasShareOneTempo(t *testing.T) {
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
	wantApart(t, requests, late())
}

func TestRedisDies(t *testing.T) {
	s, late := own(t, harness.Options{Replicas: 3, Redis: true, Env: []string{"HARDWARE_MAX_REPLICAS=3"}}), watchLateness(t)
	cached := "/api/prices/ceneo?q=samsung+980+pro+1tb"
	harness.Get(t, s.Hardware[0].URL(), cached)
	harness.Get(t, s.Hardware[0].URL(), "/api/benchmark/ssd")
	before := len(s.Sandbox.Requests(t, "aggregator"))

	_ = s.Redis.Stop(syscall.SIGKILL)
	for _, a := range askAll(t, s, 20, cached, "/api/benchmark/ssd") {
		if a.Status != 200 || !strings.Contains(a.Header.Get("Cache-Status"), "detail=local") {
			t.Fatalf("cached answer without Redis: %d, Cache-Status %q", a.Status, a.Header.Get("Cache-Status"))
		}
	}
	if after := len(s.Sandbox.Requests(t, "aggregator")); after != before {
		t.Errorf("cached answers took %d requests to the source", after-before)
	}

	fresh := "/api/prices/ceneo?q=corsair+rm750e"
	if a := harness.Get(t, s.Gateway, fresh); a.Status != 200 {
		t.Fatalf("new look-up without Redis: %d %s", a.Status, a.Body)
	}
	wantApart(t, s.Sandbox.Requests(t, "aggregator"), late())
}

// TestReplicaDies: at most the request is lost that takes a connection which the
// killed replica had left open, before the gateway has seen it close. It is not
// repeated, because 502 is also what this service answers when its source fails.
func TestReplicaDies(t *testing.T) {
	s := own(t, harness.Options{Replicas: 2, Redis: true})
	path := "/api/benchmark/cpu?limit=5"
	harness.Get(t, s.Gateway, path)
	_ = s.Hardware[0].Stop(syscall.SIGKILL)
	lost := 0
	for range 40 {
		a, err := harness.Send(t.Context(), harness.Client(), http.MethodGet, s.Gateway+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != 200 {
			lost++
		}
	}
	if lost > 1 {
		t.Errorf("%d of 40 requests failed with one of two replicas", lost)
	}
}

func TestHardwareDrains(t *testing.T) {
	s := own(t, harness.Options{})
	harness.Get(t, s.Gateway, "/api/prices/ceneo?q=ryzen+5+5600") // takes the first turn, so that the next has to wait
	answered := make(chan harness.Answer, 1)
	go func() { answered <- harness.Get(t, s.Hardware[0].URL(), "/api/prices/ceneo?q=ryzen+5+7600") }()
	harness.Eventually(t, "the look-up reaches the source", func() bool {
		return searches(s.Sandbox.Requests(t, "aggregator")) == 2
	})
	s.Hardware[0].Terminate(t)
	if a := <-answered; a.Status != 200 {
		t.Errorf("the request under way got %d %s", a.Status, a.Body)
	}
}
