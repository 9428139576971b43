package throttle

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/redistest"
)

const site = "site"

// breakerCases are the rules of the breaker, which every implementation has to keep. Reports
// are made by two replicas in turn, for callers that have left. A line is a step:
//
//	open                every request is allowed
//	paused 10m          none is allowed, for ten minutes
//	tried               one is allowed, and then none for 20 s
//	rest 1m             a caller that was allowed before learns that a minute is left
//	after 2h            two hours pass
//	pause 10m           a replica pauses the site
//	fail 4 a            four failures of the look-up a, or of different ones without a name
//	succeed 1h          a success, which leaves an hour of the pause
//	pause 1h part       the same for another name, "site/part"
var breakerCases = map[string]string{
	"a pause holds for every replica":      `open; pause 10m; paused 10m; after 9m; paused 1m`,
	"a longer pause is not shortened":      `pause 24h; pause 1m; fail 5; paused 24h; pause 48h; paused 48h`,
	"a trial without a report ends":        `pause 1m; after 1m; tried; after 20s; tried`,
	"success on trial ends the pause":      `pause 1m; after 1m; tried; succeed 0s; open`,
	"failure on trial pauses again":        `pause 1m; after 1m; tried; fail 1; paused 30s; succeed 30s; paused 30s`,
	"refusal on trial pauses again":        `pause 1m; after 1m; tried; pause 1h; paused 1h`,
	"five failures in a row pause":         `fail 4; open; fail 1; paused 30s; after 30s; tried`,
	"a success restarts the count":         `fail 4; succeed 0s; fail 4; succeed 0s; fail 4; open`,
	"failures are forgotten after a while": `fail 4; after 301s; fail 4; open; after 4m; fail 1; paused 30s`,
	"a look-up counts once": `
		fail 10 a; open; fail 1 b; fail 1 c; fail 1 d; open; fail 1 e; paused 30s; after 30s; tried; fail 1 e; paused 30s`,
	"a late success ends no pause":        `pause 1h; succeed 1h; paused 1h; after 1h; succeed 0s; open`,
	"names are apart":                     `pause 1h part; open; pause 1h; succeed 1h part; paused 1h`,
	"asking for the rest begins no trial": `rest 0s; pause 1m; rest 1m; after 61s; rest 0s; tried; rest 0s`,
	"a clock that goes back":              `pause 1m; after -13h; paused 1m; after 61s; tried`,
}

// TestBreaker runs the same cases against every implementation.
func TestBreaker(t *testing.T) {
	for name, steps := range breakerCases {
		t.Run("memory/"+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { newBreakerInMemory().run(t, steps) })
		})
		t.Run("miniredis/"+name, func(t *testing.T) {
			client, advance := newMiniredis(t)
			(&breakerUnderTest{replicas: newRedisBreakers(client), advance: advance}).run(t, steps)
		})
		t.Run("redis/"+name, func(t *testing.T) {
			client, advance := newRedis(t)
			(&breakerUnderTest{replicas: newRedisBreakers(client), advance: advance, tolerance: 5 * time.Second}).run(t, steps)
		})
	}
}

// breakerUnderTest is one breaker as two replicas see it. Without Redis both are the
// same process.
type breakerUnderTest struct {
	replicas  [2]*Breaker
	advance   func(d time.Duration)
	tolerance time.Duration // by which real time may shorten a pause
	reports   int
}

func newBreakerInMemory() *breakerUnderTest {
	b := NewBreaker(slog.New(slog.DiscardHandler))
	return &breakerUnderTest{replicas: [2]*Breaker{b, b}, advance: time.Sleep}
}

func newRedisBreakers(client *redis.Client) [2]*Breaker {
	log := slog.New(slog.DiscardHandler)
	return [2]*Breaker{NewRedisBreaker(client, log), NewRedisBreaker(client, log)}
}

func (b *breakerUnderTest) run(t *testing.T, steps string) {
	t.Helper()
	for step := range strings.SplitSeq(steps, ";") {
		b.step(t, strings.Fields(step))
	}
}

func (b *breakerUnderTest) step(t *testing.T, words []string) {
	t.Helper()
	left, leave := context.WithCancel(t.Context())
	leave()
	name, argument := site, append(words, "")[1]
	d, _ := time.ParseDuration(argument)
	if words[len(words)-1] == "part" {
		name += "/part"
	}
	reporter := b.replicas[b.reports%2]
	b.reports++
	switch words[0] {
	case "open":
		for range 3 {
			b.wantAllowed(t, 0)
			b.wantAllowed(t, 1)
		}
	case "paused":
		b.wantPaused(t, d)
	case "tried":
		b.wantAllowed(t, b.reports%2)
		b.wantPaused(t, 20*time.Second)
	case "rest":
		for i, replica := range b.replicas {
			if rest := replica.Rest(t.Context(), site); !b.isAbout(rest, d) {
				t.Fatalf("replica %d: %v left of the pause, want %v", i, rest, d)
			}
		}
	case "after":
		b.advance(d)
	case "pause":
		reporter.Pause(left, name, d)
	case "succeed":
		if rest := reporter.Succeed(left, name); !b.isAbout(rest, d) {
			t.Fatalf("after a success %v are left of the pause, want %v", rest, d)
		}
	case "fail":
		times, err := strconv.Atoi(argument)
		if err != nil {
			t.Fatal(err)
		}
		for i := range times {
			b.replicas[i%2].Fail(left, name, strings.Join(words[2:], ""))
		}
	default:
		t.Fatalf("unknown step %q", words)
	}
}

func (b *breakerUnderTest) isAbout(got, want time.Duration) bool {
	return got <= want && got >= want-b.tolerance
}

// wantAllowed fails the test unless replica i may ask now.
func (b *breakerUnderTest) wantAllowed(t *testing.T, i int) {
	t.Helper()
	if rest, ok := b.replicas[i].Allow(t.Context(), site); !ok || rest != 0 {
		t.Fatalf("replica %d: paused for %v, want it allowed", i, rest)
	}
}

// wantPaused fails the test unless all requests are paused for want.
func (b *breakerUnderTest) wantPaused(t *testing.T, want time.Duration) {
	t.Helper()
	for i := range b.replicas {
		b.wantReplicaPaused(t, i, site, want)
	}
}

func (b *breakerUnderTest) wantReplicaPaused(t *testing.T, i int, name string, want time.Duration) {
	t.Helper()
	if rest, ok := b.replicas[i].Allow(t.Context(), name); ok || !b.isAbout(rest, want) {
		t.Fatalf("replica %d: allowed %t, paused for %v, want %v", i, ok, rest, want)
	}
}

// TestOneCallerTriesAfterAPause has 50 callers of two replicas come at the same time.
func TestOneCallerTriesAfterAPause(t *testing.T) {
	client, advance := newRedis(t)
	redis := &breakerUnderTest{replicas: newRedisBreakers(client), advance: advance, tolerance: 5 * time.Second}
	for name, b := range map[string]*breakerUnderTest{"memory": newBreakerInMemory(), "redis": redis} {
		b.run(t, "pause 1ns")
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
			t.Errorf("%s: %d of 50 were allowed, want 1", name, n)
		}
	}
}

// TestBreakerInAnOutage kills Redis: each replica goes by what it reported itself,
// before and since.
func TestBreakerInAnOutage(t *testing.T) {
	server := redistest.Start(t)
	b := &breakerUnderTest{replicas: newRedisBreakers(server.Client(t)), tolerance: 5 * time.Second}
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
