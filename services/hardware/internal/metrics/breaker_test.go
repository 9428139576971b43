package metrics_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

// recorder is a breaker that notes its calls and returns rest and ok.
type recorder struct {
	calls []string
	rest  time.Duration
	ok    bool
}

func (r *recorder) note(verb, name string, d time.Duration) {
	r.calls = append(r.calls, fmt.Sprint(verb, " ", name, " ", d))
}

func (r *recorder) Allow(_ context.Context, name string) (time.Duration, bool) {
	r.note("allow", name, 0)
	return r.rest, r.ok
}
func (r *recorder) Pause(_ context.Context, name string, d time.Duration) { r.note("pause", name, d) }
func (r *recorder) Fail(_ context.Context, name, _ string)                { r.note("fail", name, 0) }
func (r *recorder) Succeed(_ context.Context, name string) time.Duration {
	r.note("succeed", name, 0)
	return r.rest
}

func TestBreakerPassesCallsOn(t *testing.T) {
	next := &recorder{rest: 3 * time.Second}
	breaker, ctx := newMetrics().Breaker(next), t.Context()
	if rest, ok := breaker.Allow(ctx, "ceneo"); rest != 3*time.Second || ok {
		t.Errorf("refusal: %v, %t", rest, ok)
	}
	next.rest, next.ok = 0, true
	if rest, ok := breaker.Allow(ctx, "benchmark/gpu"); rest != 0 || !ok {
		t.Errorf("permission: %v, %t", rest, ok)
	}
	breaker.Pause(ctx, "ceneo", time.Minute)
	breaker.Fail(ctx, "ceneo", "")
	next.rest = 2 * time.Second
	if rest := breaker.Succeed(ctx, "benchmark"); rest != 2*time.Second {
		t.Errorf("rest after a success: %v", rest)
	}
	want := []string{"allow ceneo 0s", "allow benchmark/gpu 0s", "pause ceneo 1m0s", "fail ceneo 0s", "succeed benchmark 0s"}
	if !slices.Equal(next.calls, want) {
		t.Errorf("calls %q, want %q", next.calls, want)
	}
}

func TestBreakerShowsItsState(t *testing.T) {
	const paused = "hardware_source_paused{source=ceneo}"
	m, next := newMetrics(), &recorder{}
	breaker, ctx := m.Breaker(next), t.Context()
	wantPaused := func(step string, want float64) {
		t.Helper()
		if got := m.series(t)[paused]; got != want {
			t.Errorf("%s: %s is %v, want %v", step, paused, got, want)
		}
	}
	breaker.Allow(ctx, "ceneo")
	wantPaused("refused", 1)
	next.ok = true
	breaker.Allow(ctx, "ceneo")
	wantPaused("let through", 0)
	breaker.Fail(ctx, "ceneo", "")
	wantPaused("failed once", 0)
	breaker.Pause(ctx, "ceneo", time.Minute)
	wantPaused("paused", 1)
	next.rest = time.Minute
	breaker.Succeed(ctx, "ceneo")
	wantPaused("succeeded during a pause", 1)
	next.rest = 0
	breaker.Succeed(ctx, "ceneo")
	wantPaused("succeeded", 0)
	breaker.Pause(ctx, "benchmark/gpu", time.Minute)
	wantPaused("another one paused", 0)
	if got := m.series(t)["hardware_source_paused{source=benchmark/gpu}"]; got != 1 {
		t.Errorf("a part of a source is not shown: %v", got)
	}
}
