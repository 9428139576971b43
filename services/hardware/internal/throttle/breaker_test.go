package throttle

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/redistest"
	"backend.example/services/hardware/internal/upstream"
)

var _ upstream.Breaker = (*Breaker)(nil)

const site = "site"

// breakerStand is two replicas' views of one breaker; without Redis there is only
// one replica, which is both.
type breakerStand struct {
	breakers [2]*Breaker
	pass     func(d time.Duration)
	slack    time.Duration // what real time may add
}

// breakerStands run a test on each kind of Breaker.
func breakerStands() map[string]func(t *testing.T, test func(*testing.T, breakerStand)) {
	return map[string]func(t *testing.T, test func(*testing.T, breakerStand)){
		"memory": func(t *testing.T, test func(*testing.T, breakerStand)) {
			synctest.Test(t, func(t *testing.T) {
				b := NewBreaker(slog.New(slog.DiscardHandler))
				test(t, breakerStand{breakers: [2]*Breaker{b, b}, pass: time.Sleep})
			})
		},
		"miniredis": func(t *testing.T, test func(*testing.T, breakerStand)) {
			client, pass := mini(t)
			test(t, breakerStand{breakers: twoBreakers(client), pass: pass})
		},
		"redis": func(t *testing.T, test func(*testing.T, breakerStand)) {
			client := redistest.Client(t)
			test(t, breakerStand{
				breakers: twoBreakers(client), slack: 5 * time.Second,
				pass: func(d time.Duration) { age(t, client, d) },
			})
		},
	}
}

func twoBreakers(client *redis.Client) (b [2]*Breaker) {
	for i := range b {
		b[i] = NewRedisBreaker(client, slog.New(slog.DiscardHandler))
	}
	return b
}

func TestBreaker(t *testing.T) {
	suite := map[string]func(*testing.T, breakerStand){
		"a pause is everybody's":               testPause,
		"a longer pause is not shortened":      testLongerPause,
		"one caller tries after a pause":       testTrial,
		"a trial that is not reported ends":    testTrialForgotten,
		"success on trial ends the pause":      testTrialSucceeds,
		"failure on trial pauses again":        testTrialFails,
		"a refusal on trial pauses again":      testTrialRefused,
		"five failures in a row pause":         testFailures,
		"a success begins the count anew":      testFailuresWithSuccess,
		"failures are forgotten after a while": testOldFailures,
		"a success from before a pause":        testLateSuccess,
		"names are apart":                      testNames,
		"a look at the rest changes nothing":   testRest,
		"a clock that goes back":               testClockBack,
	}
	for implementation, on := range breakerStands() {
		for name, test := range suite {
			t.Run(implementation+"/"+name, func(t *testing.T) { on(t, test) })
		}
	}
}

// allowed fails the test unless replica i may ask.
func (s breakerStand) allowed(t *testing.T, i int) {
	t.Helper()
	if rest, ok := s.breakers[i].Allow(t.Context(), site); !ok || rest != 0 {
		t.Fatalf("replica %d: paused for %v, want it allowed", i, rest)
	}
}

// paused fails the test unless both replicas are paused for rest.
func (s breakerStand) paused(t *testing.T, want time.Duration) {
	t.Helper()
	for i, b := range s.breakers {
		if rest, ok := b.Allow(t.Context(), site); ok || rest > want || rest < want-s.slack {
			t.Fatalf("replica %d: allowed %t, paused for %v, want %v", i, ok, rest, want)
		}
	}
}

// open fails the test unless everybody may ask, and not just one on trial.
func (s breakerStand) open(t *testing.T) {
	t.Helper()
	for range 3 {
		s.allowed(t, 0)
		s.allowed(t, 1)
	}
}

// testClockBack: a pause is no longer for it.
func testClockBack(t *testing.T, s breakerStand) {
	s.breakers[0].Pause(t.Context(), site, time.Minute)
	s.pass(-13 * time.Hour)
	s.paused(t, time.Minute)
	s.pass(time.Minute + time.Second)
	s.allowed(t, 1)
	s.paused(t, trial)
}

func testPause(t *testing.T, s breakerStand) {
	s.open(t)
	s.breakers[0].Pause(t.Context(), site, 10*time.Minute)
	s.paused(t, 10*time.Minute)
	s.pass(9 * time.Minute)
	s.paused(t, time.Minute)
}

func testLongerPause(t *testing.T, s breakerStand) {
	s.breakers[0].Pause(t.Context(), site, 24*time.Hour)
	s.breakers[1].Pause(t.Context(), site, time.Minute)
	for range failureLimit {
		s.breakers[1].Fail(t.Context(), site)
	}
	s.paused(t, 24*time.Hour)
	s.breakers[1].Pause(t.Context(), site, 48*time.Hour)
	s.paused(t, 48*time.Hour)
}

func testTrial(t *testing.T, s breakerStand) {
	s.breakers[0].Pause(t.Context(), site, time.Minute)
	s.pass(time.Minute + s.slack)
	var through atomic.Int32
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			if _, ok := s.breakers[i%2].Allow(t.Context(), site); ok {
				through.Add(1)
			}
		})
	}
	all.Wait()
	if n := through.Load(); n != 1 {
		t.Fatalf("%d of 50 were let through, want 1", n)
	}
	s.paused(t, trial)
}

// onTrial pauses and lets replica 0 try.
func (s breakerStand) onTrial(t *testing.T) {
	t.Helper()
	s.breakers[0].Pause(t.Context(), site, time.Minute)
	s.pass(time.Minute + s.slack)
	s.allowed(t, 0)
	s.paused(t, trial)
}

func testTrialForgotten(t *testing.T, s breakerStand) {
	s.onTrial(t)
	s.pass(trial + s.slack)
	s.allowed(t, 1)
	s.paused(t, trial)
}

func testTrialSucceeds(t *testing.T, s breakerStand) {
	s.onTrial(t)
	s.breakers[0].Succeed(t.Context(), site)
	s.open(t)
}

func testTrialFails(t *testing.T, s breakerStand) {
	s.onTrial(t)
	s.breakers[0].Fail(t.Context(), site)
	s.paused(t, failurePause)
	s.breakers[0].Succeed(t.Context(), site) // of a request that is late
	s.paused(t, failurePause)
}

func testTrialRefused(t *testing.T, s breakerStand) {
	s.onTrial(t)
	s.breakers[0].Pause(t.Context(), site, time.Hour)
	s.paused(t, time.Hour)
}

func testFailures(t *testing.T, s breakerStand) {
	for i := range failureLimit - 1 {
		s.breakers[i%2].Fail(t.Context(), site)
		s.open(t)
	}
	s.breakers[0].Fail(t.Context(), site)
	s.paused(t, failurePause)
	s.pass(failurePause + s.slack)
	s.allowed(t, 1)
	s.paused(t, trial)
}

func testFailuresWithSuccess(t *testing.T, s breakerStand) {
	for range 3 {
		for range failureLimit - 1 {
			s.breakers[0].Fail(t.Context(), site)
		}
		s.breakers[1].Succeed(t.Context(), site)
	}
	s.open(t)
}

func testOldFailures(t *testing.T, s breakerStand) {
	for range failureLimit - 1 {
		s.breakers[0].Fail(t.Context(), site)
	}
	s.pass(failureMemory + time.Second)
	s.breakers[0].Fail(t.Context(), site)
	s.open(t)
}

func testLateSuccess(t *testing.T, s breakerStand) {
	s.breakers[0].Pause(t.Context(), site, time.Hour)
	s.breakers[1].Succeed(t.Context(), site)
	s.breakers[0].Succeed(t.Context(), site)
	s.paused(t, time.Hour)
	s.pass(time.Hour + s.slack)
	s.breakers[1].Succeed(t.Context(), site)
	s.open(t)
}

func testNames(t *testing.T, s breakerStand) {
	s.breakers[0].Pause(t.Context(), site+"/part", time.Hour)
	s.open(t)
	s.breakers[0].Pause(t.Context(), site, time.Hour)
	s.breakers[1].Succeed(t.Context(), site+"/part")
	s.paused(t, time.Hour)
}
