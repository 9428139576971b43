package e2e

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// interval is the least time between two requests to the aggregator.
const interval = 1200 * time.Millisecond

// native skips a test that stops or multiplies programs where there are none of
// our own to stop.
func native(t *testing.T, o options) *stack {
	t.Helper()
	if testing.Short() {
		t.Skip("starts programs")
	}
	return newStack(t, o)
}

// askAll asks every replica for every path n times at once.
func askAll(t *testing.T, s *stack, n int, paths ...string) []answer {
	t.Helper()
	var wg sync.WaitGroup
	answers := make([]answer, n*len(s.hardware)*len(paths))
	for i := range answers {
		wg.Go(func() {
			answers[i] = get(t, s.hardware[i%len(s.hardware)], paths[i/len(s.hardware)%len(paths)])
		})
	}
	wg.Wait()
	return answers
}

// searches counts the searches among requests to the aggregator.
func searches(requests []arrival) (n int) {
	for _, r := range requests {
		if strings.Contains(r.Path, "szukaj-") {
			n++
		}
	}
	return n
}

func TestReplicasLookUpOnce(t *testing.T) {
	s := native(t, options{replicas: 3, redis: true})
	answers := askAll(t, s, 100, "/api/prices/ceneo?q=ryzen+7+7800x3d")
	for _, a := range answers {
		if a.status != 200 || len(decode[price](t, a).Offers) == 0 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	if n := searches(s.sandbox.requests(t, "aggregator")); n != 1 {
		t.Errorf("%d answers took %d look-ups, want 1", len(answers), n)
	}
}

func TestReplicasShareOneTempo(t *testing.T) {
	s := native(t, options{replicas: 3, redis: true})
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			path := fmt.Sprintf("/api/prices/ceneo?q=core+i5+1%d600k", i)
			if a := get(t, s.hardware[i%3], path); a.status != 200 {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
		})
	}
	wg.Wait()
	requests := s.sandbox.requests(t, "aggregator")
	if len(requests) < 6 {
		t.Fatalf("only %d requests reached the aggregator", len(requests))
	}
	for i, gap := range gaps(requests) {
		if gap < interval {
			t.Errorf("%s came %s after %s", requests[i+1].Path, gap, requests[i].Path)
		}
	}
}

func TestRedisDies(t *testing.T) {
	s := native(t, options{replicas: 3, redis: true, env: []string{"HARDWARE_MAX_REPLICAS=3"}})
	cached := "/api/prices/ceneo?q=samsung+980+pro+1tb"
	get(t, s.hardware[0], cached)
	get(t, s.hardware[0], "/api/benchmark/ssd")
	before := len(s.sandbox.requests(t, "aggregator"))

	_ = s.redis.stop(syscall.SIGKILL)
	for _, a := range askAll(t, s, 20, cached, "/api/benchmark/ssd") {
		if a.status != 200 || !strings.Contains(a.header.Get("Cache-Status"), "detail=local") {
			t.Fatalf("cached answer without Redis: %d, Cache-Status %q", a.status, a.header.Get("Cache-Status"))
		}
	}
	if after := len(s.sandbox.requests(t, "aggregator")); after != before {
		t.Errorf("cached answers took %d requests to the source", after-before)
	}

	fresh := "/api/prices/ceneo?q=corsair+rm750e"
	if a := get(t, s.gateway, fresh); a.status != 200 {
		t.Fatalf("new look-up without Redis: %d %s", a.status, a.body)
	}
	for i, gap := range gaps(s.sandbox.requests(t, "aggregator")) {
		if gap < interval {
			t.Errorf("gap %d is %s", i, gap)
		}
	}
}

func TestReplicaDies(t *testing.T) {
	s := native(t, options{replicas: 2, redis: true})
	path := "/api/benchmark/cpu?limit=5"
	get(t, s.gateway, path)
	_ = s.replicas[0].stop(syscall.SIGKILL)
	for range 40 {
		if a := get(t, s.gateway, path); a.status != 200 {
			t.Fatalf("with one of two replicas: %d %s", a.status, a.body)
		}
	}
}

func TestHardwareDrains(t *testing.T) {
	s := native(t, options{})
	get(t, s.gateway, "/api/prices/ceneo?q=ryzen+5+5600") // takes the first turn, so that the next has to wait
	answered := make(chan answer, 1)
	go func() { answered <- get(t, s.hardware[0], "/api/prices/ceneo?q=ryzen+5+7600") }()
	eventually(t, "the look-up reaches the source", func(context.Context) bool {
		return searches(s.sandbox.requests(t, "aggregator")) == 2
	})
	if err := s.replicas[0].stop(syscall.SIGTERM); !exitedCleanly(err) {
		t.Errorf("SIGTERM: %v", err)
	}
	if a := <-answered; a.status != 200 {
		t.Errorf("the request under way got %d %s", a.status, a.body)
	}
}
