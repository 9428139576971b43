package throttle

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/redistest"
)

const site = "site"

// breakerUnderTest is one breaker as two replicas see it. Without Redis both are the
// same process.
type breakerUnderTest struct {
	replicas  [2]*Breaker
	advance   func(d time.Duration)
	tolerance time.Duration // by which real time may shorten a pause
}

func newRedisBreakers(client *redis.Client) [2]*Breaker {
	log := slog.New(slog.DiscardHandler)
	return [2]*Breaker{NewRedisBreaker(client, log), NewRedisBreaker(client, log)}
}

// TestBreaker holds every implementation to the same suite and its figures: five
// failures, none more than five minutes after the one before, pause for 30 s, and who
// tries after a pause has 20 s to report.
func TestBreaker(t *testing.T) {
	suite := map[string]func(*testing.T, breakerUnderTest){
		"a pause holds for every replica":      testPause,
		"a longer pause is not shortened":      testLongerPause,
		"one caller tries after a pause":       testTrial,
		"a trial without a report ends":        testTrialWithoutReport,
		"success on trial ends the pause":      testTrialSucceeds,
		"failure on trial pauses again":        testTrialFails,
		"a refusal on trial pauses again":      testTrialRefused,
		"five failures in a row pause":         testFailures,
		"a success restarts the count":         testFailuresWithSuccess,
		"failures are forgotten after a while": testOldFailures,
		"one question counts once":             testOneQuestion,
		"a late success ends no pause":         testLateSuccess,
		"names are apart":                      testNames,
		"asking for the rest begins no trial":  testRest,
		"a clock that goes back":               testClockBack,
		"a cancelled caller can still report":  testCancelledCaller,
	}
	for name, test := range suite {
		t.Run("memory/"+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := NewBreaker(slog.New(slog.DiscardHandler))
				test(t, breakerUnderTest{replicas: [2]*Breaker{b, b}, advance: time.Sleep})
			})
		})
		t.Run("miniredis/"+name, func(t *testing.T) {
			client, advance := newMiniredis(t)
			test(t, breakerUnderTest{replicas: newRedisBreakers(client), advance: advance})
		})
		t.Run("redis/"+name, func(t *testing.T) {
			client, advance := newRedis(t)
			test(t, breakerUnderTest{replicas: newRedisBreakers(client), advance: advance, tolerance: 5 * time.Second})
		})
	}
}

// wantAllowed fails the test unless replica i may ask now.
func (b breakerUnderTest) wantAllowed(t *testing.T, i int) {
	t.Helper()
	if rest, ok := b.replicas[i].Allow(t.Context(), site); !ok || rest != 0 {
		t.Fatalf("replica %d: paused for %v, want it allowed", i, rest)
	}
}

// wantClosed fails the test unless all may ask, and not just one on trial.
func (b breakerUnderTest) wantClosed(t *testing.T) {
	t.Helper()
	for range 3 {
		b.wantAllowed(t, 0)
		b.wantAllowed(t, 1)
	}
}

// wantPaused fails the test unless all requests are paused for want.
func (b breakerUnderTest) wantPaused(t *testing.T, want time.Duration) {
	t.Helper()
	for i := range b.replicas {
		b.wantReplicaPaused(t, i, site, want)
	}
}

func (b breakerUnderTest) wantReplicaPaused(t *testing.T, i int, name string, want time.Duration) {
	t.Helper()
	if rest, ok := b.replicas[i].Allow(t.Context(), name); ok || rest > want || rest < want-b.tolerance {
		t.Fatalf("replica %d: allowed %t, paused for %v, want %v", i, ok, rest, want)
	}
}

func (b breakerUnderTest) fail(t *testing.T, i, times int) {
	t.Helper()
	for range times {
		b.replicas[i].Fail(t.Context(), site, "")
	}
}

// beginTrial pauses, and lets replica 0 try when the pause is over.
func (b breakerUnderTest) beginTrial(t *testing.T) {
	t.Helper()
	b.replicas[0].Pause(t.Context(), site, time.Minute)
	b.advance(time.Minute + b.tolerance)
	b.wantAllowed(t, 0)
	b.wantPaused(t, 20*time.Second)
}

func testPause(t *testing.T, b breakerUnderTest) {
	b.wantClosed(t)
	b.replicas[0].Pause(t.Context(), site, 10*time.Minute)
	b.wantPaused(t, 10*time.Minute)
	b.advance(9 * time.Minute)
	b.wantPaused(t, time.Minute)
}

func testLongerPause(t *testing.T, b breakerUnderTest) {
	b.replicas[0].Pause(t.Context(), site, 24*time.Hour)
	b.replicas[1].Pause(t.Context(), site, time.Minute)
	b.fail(t, 1, 5)
	b.wantPaused(t, 24*time.Hour)
	b.replicas[1].Pause(t.Context(), site, 48*time.Hour)
	b.wantPaused(t, 48*time.Hour)
}

func testTrial(t *testing.T, b breakerUnderTest) {
	b.replicas[0].Pause(t.Context(), site, time.Minute)
	b.advance(time.Minute + b.tolerance)
	var allowed atomic.Int32
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			if _, ok := b.replicas[i%2].Allow(t.Context(), site); ok {
				allowed.Add(1)
			}
		})
	}
	all.Wait()
	if n := allowed.Load(); n != 1 {
		t.Fatalf("%d of 50 were allowed, want 1", n)
	}
	b.wantPaused(t, 20*time.Second)
}

func testTrialWithoutReport(t *testing.T, b breakerUnderTest) {
	b.beginTrial(t)
	b.advance(20*time.Second + b.tolerance)
	b.wantAllowed(t, 1)
	b.wantPaused(t, 20*time.Second)
}

func testTrialSucceeds(t *testing.T, b breakerUnderTest) {
	b.beginTrial(t)
	b.replicas[0].Succeed(t.Context(), site)
	b.wantClosed(t)
}

func testTrialFails(t *testing.T, b breakerUnderTest) {
	b.beginTrial(t)
	b.fail(t, 0, 1)
	b.wantPaused(t, 30*time.Second)
	b.replicas[0].Succeed(t.Context(), site) // of a request that is late
	b.wantPaused(t, 30*time.Second)
}

func testTrialRefused(t *testing.T, b breakerUnderTest) {
	b.beginTrial(t)
	b.replicas[0].Pause(t.Context(), site, time.Hour)
	b.wantPaused(t, time.Hour)
}

func testFailures(t *testing.T, b breakerUnderTest) {
	for i := range 4 {
		b.fail(t, i%2, 1)
		b.wantClosed(t)
	}
	b.fail(t, 0, 1)
	b.wantPaused(t, 30*time.Second)
	b.advance(30*time.Second + b.tolerance)
	b.wantAllowed(t, 1)
	b.wantPaused(t, 20*time.Second)
}

func testFailuresWithSuccess(t *testing.T, b breakerUnderTest) {
	for range 3 {
		b.fail(t, 0, 4)
		b.replicas[1].Succeed(t.Context(), site)
	}
	b.wantClosed(t)
}

func testOldFailures(t *testing.T, b breakerUnderTest) {
	b.fail(t, 0, 4)
	b.advance(5*time.Minute + time.Second)
	b.fail(t, 0, 4)
	b.wantClosed(t)
	b.advance(4 * time.Minute)
	b.fail(t, 0, 1)
	b.wantPaused(t, 30*time.Second)
}

func testLateSuccess(t *testing.T, b breakerUnderTest) {
	wantRest := func(want time.Duration) {
		t.Helper()
		for i := range b.replicas {
			if rest := b.replicas[1-i].Succeed(t.Context(), site); rest > want || rest < want-b.tolerance {
				t.Fatalf("after a success %v are left of the pause, want %v", rest, want)
			}
		}
	}
	b.replicas[0].Pause(t.Context(), site, time.Hour)
	wantRest(time.Hour)
	b.wantPaused(t, time.Hour)
	b.advance(time.Hour + b.tolerance)
	wantRest(0)
	b.wantClosed(t)
}

func testNames(t *testing.T, b breakerUnderTest) {
	b.replicas[0].Pause(t.Context(), site+"/part", time.Hour)
	b.wantClosed(t)
	b.replicas[0].Pause(t.Context(), site, time.Hour)
	b.replicas[1].Succeed(t.Context(), site+"/part")
	b.wantPaused(t, time.Hour)
}

func testRest(t *testing.T, b breakerUnderTest) {
	wantRest := func(want time.Duration) {
		t.Helper()
		for i, replica := range b.replicas {
			if rest := replica.Rest(t.Context(), site); rest > want || rest < want-b.tolerance {
				t.Fatalf("replica %d: %v left of the pause, want %v", i, rest, want)
			}
		}
	}
	wantRest(0)
	b.replicas[0].Pause(t.Context(), site, time.Minute)
	wantRest(time.Minute)
	b.advance(time.Minute + time.Second)
	wantRest(0)
	b.wantAllowed(t, 0) // only now a caller is on trial
	wantRest(0)
	b.wantPaused(t, 20*time.Second)
}

func testCancelledCaller(t *testing.T, b breakerUnderTest) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.replicas[0].Pause(ctx, site, time.Minute)
	b.wantPaused(t, time.Minute)
}

// testClockBack: a pause must not last longer when the clock goes back.
func testClockBack(t *testing.T, b breakerUnderTest) {
	b.replicas[0].Pause(t.Context(), site, time.Minute)
	b.advance(-13 * time.Hour)
	b.wantPaused(t, time.Minute)
	b.advance(time.Minute + time.Second)
	b.wantAllowed(t, 1)
	b.wantPaused(t, 20*time.Second)
}

// TestBreakerInAnOutage kills Redis: each replica goes by what it reported itself,
// before and since.
func TestBreakerInAnOutage(t *testing.T) {
	server := redistest.Start(t)
	b := breakerUnderTest{replicas: newRedisBreakers(server.Client(t)), tolerance: 5 * time.Second}
	b.replicas[0].Pause(t.Context(), site, time.Hour)
	for range 4 {
		b.replicas[1].Fail(t.Context(), site+"/part", "")
	}
	b.wantPaused(t, time.Hour)
	server.Kill()

	b.wantReplicaPaused(t, 0, site, time.Hour)
	b.wantAllowed(t, 1)
	b.replicas[1].Fail(t.Context(), site+"/part", "")
	b.wantReplicaPaused(t, 1, site+"/part", 30*time.Second)
	b.replicas[1].Pause(t.Context(), site, time.Minute)
	b.wantReplicaPaused(t, 1, site, time.Minute)

	server.Restart(t)
	b.replicas[1].Pause(t.Context(), site, time.Minute)
	b.wantPaused(t, time.Minute) // every replica's again
}

// failFor reports n failures of the look-up of a question.
func (b breakerUnderTest) failFor(t *testing.T, question string, n int) {
	t.Helper()
	for i := range n {
		b.replicas[i%2].Fail(t.Context(), site, question)
	}
}

// testOneQuestion: what the source fails at again and again may be the question.
func testOneQuestion(t *testing.T, b breakerUnderTest) {
	b.failFor(t, "price:a//", 10)
	b.wantClosed(t)
	for n := range 4 {
		b.wantClosed(t)
		b.failFor(t, fmt.Sprint("price:", n), 1)
	}
	b.wantPaused(t, 30*time.Second)
	b.advance(30*time.Second + b.tolerance)
	b.wantAllowed(t, 0)
	b.failFor(t, "price:3", 1) // on trial
	b.wantPaused(t, 30*time.Second)
}
