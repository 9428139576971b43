package throttle

import (
	"testing"
	"time"

	"backend.example/services/hardware/internal/redistest"
)

// TestBreakerInAnOutage kills Redis: each replica goes by what it reported
// itself, before and since.
func TestBreakerInAnOutage(t *testing.T) {
	server := redistest.Start(t)
	s := breakerStand{breakers: twoBreakers(server.Client(t)), slack: 5 * time.Second}
	s.breakers[0].Pause(t.Context(), site, time.Hour)
	for range failureLimit - 1 {
		s.breakers[1].Fail(t.Context(), site+"/part")
	}
	s.paused(t, time.Hour)
	server.Kill()

	if rest, ok := s.breakers[0].Allow(t.Context(), site); ok || rest > time.Hour || rest < time.Hour-s.slack {
		t.Errorf("the replica that reported it: allowed %t, paused for %v, want an hour", ok, rest)
	}
	s.allowed(t, 1)
	s.breakers[1].Fail(t.Context(), site+"/part")
	if rest, ok := s.breakers[1].Allow(t.Context(), site+"/part"); ok || rest > failurePause {
		t.Errorf("after the failure that was one too many: allowed %t, paused for %v, want %v", ok, rest, failurePause)
	}
	s.breakers[1].Pause(t.Context(), site, time.Minute)
	if _, ok := s.breakers[1].Allow(t.Context(), site); ok {
		t.Error("a pause that begins in the outage is not kept")
	}

	server.Restart(t)
	s.breakers[1].Pause(t.Context(), site, time.Minute)
	s.paused(t, time.Minute) // shared again
}
