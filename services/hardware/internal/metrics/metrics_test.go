package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/internal/kit/fault"
)

// metricsUnderTest is a Metrics with a clock that the test moves.
type metricsUnderTest struct {
	*metrics.Metrics
	registry *prometheus.Registry
	now      time.Time
}

func newMetrics() *metricsUnderTest {
	m := &metricsUnderTest{registry: prometheus.NewPedanticRegistry(), now: time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)}
	m.Metrics = metrics.New(m.registry, func() time.Time { return m.now }, "benchmark", "ceneo")
	return m
}

// series returns the value of every series by its name, as "name{label=value,…}". That
// of a histogram is its number of observations.
func (m *metricsUnderTest) series(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, family := range families {
		if family.GetHelp() == "" {
			t.Errorf("%s has no help", family.GetName())
		}
		for _, metric := range family.GetMetric() {
			var labels []string
			for _, label := range metric.GetLabel() {
				labels = append(labels, label.GetName()+"="+label.GetValue())
			}
			value := metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + float64(metric.GetHistogram().GetSampleCount())
			all[fmt.Sprintf("%s{%s}", family.GetName(), strings.Join(labels, ","))] = value
		}
	}
	return all
}

// freshSeries are those of a process before its first request.
func freshSeries() map[string]float64 {
	all := map[string]float64{
		"hardware_redis_up{}":                                 1,
		"hardware_turns_total{class=awaited}":                 0,
		"hardware_turns_total{class=listed}":                  0,
		"hardware_turns_total{class=idle}":                    0,
		"hardware_queue_length{}":                             0,
		"hardware_throttle_interval_seconds{}":                0,
		"hardware_replicas{state=seen}":                       0,
		"hardware_replicas{state=allowed}":                    0,
		"hardware_throttle_wait_seconds{}":                    0,
		"hardware_ranking_rows_dropped_total{}":               0,
		"hardware_source_paused{source=benchmark}":            0,
		"hardware_source_paused{source=ceneo}":                0,
		"hardware_seconds_since_good_fetch{source=benchmark}": 0,
		"hardware_seconds_since_good_fetch{source=ceneo}":     0,
	}
	for _, result := range []string{"local", "shared", "collapsed", "source"} {
		all["hardware_answers_total{kind=ranking,result="+result+"}"] = 0
		all["hardware_answers_total{kind=price,result="+result+"}"] = 0
	}
	for _, outcome := range []string{"found", "nothing_matched", "source_blocked", "source_disallowed", "source_changed", "source_unavailable", "source_timeout"} {
		all["hardware_lookups_total{outcome="+outcome+",source=benchmark}"] = 0
		all["hardware_lookups_total{outcome="+outcome+",source=ceneo}"] = 0
	}
	return all
}

// wantSeries compares all series with those of a fresh process and the changes.
func (m *metricsUnderTest) wantSeries(t *testing.T, changes map[string]float64) {
	t.Helper()
	want := freshSeries()
	maps.Copy(want, changes)
	if got := m.series(t); !maps.Equal(got, want) {
		for _, name := range slices.Sorted(maps.Keys(got)) {
			t.Logf("%s %v", name, got[name])
		}
		t.Errorf("series are not as wanted: %v", want)
	}
}

func TestAnswered(t *testing.T) {
	m := newMetrics()
	m.Answered("ranking")(lookup.ViaLocal, nil)
	m.Answered("ranking")(lookup.ViaLocal, nil)
	m.Answered("ranking")(lookup.ViaShared, nil)
	m.Answered("price")(lookup.ViaCollapsed, nil)
	m.Answered("price")(lookup.ViaSource, nil)
	m.Answered("price")("", lookup.Blocked(errors.New("status 403"), time.Hour))
	m.Answered("price")("", fmt.Errorf("find: %w", lookup.Slow(context.DeadlineExceeded)))
	m.Answered("price")("", fault.New(fault.Unavailable, "throttle_queue_full", "Zbyt wiele zapytań."))
	m.Answered("price")("", context.Canceled)
	m.Answered("ranking")("", errors.New("open 10.0.3.7: no such file"))
	m.wantSeries(t, map[string]float64{
		"hardware_answers_total{kind=ranking,result=local}":             2,
		"hardware_answers_total{kind=ranking,result=shared}":            1,
		"hardware_answers_total{kind=price,result=collapsed}":           1,
		"hardware_answers_total{kind=price,result=source}":              1,
		"hardware_answers_total{kind=price,result=source_blocked}":      1,
		"hardware_answers_total{kind=price,result=source_timeout}":      1,
		"hardware_answers_total{kind=price,result=throttle_queue_full}": 1,
		"hardware_answers_total{kind=price,result=client_gone}":         1,
		"hardware_answers_total{kind=ranking,result=internal}":          1,
	})
}

func TestLookedUpAndFreshness(t *testing.T) {
	m := newMetrics()
	start := m.now
	m.now = start.Add(100 * time.Second)
	m.LookedUp("ceneo")("found", start.Add(70*time.Second))
	m.LookedUp("ceneo")(lookup.CodeBlocked, start.Add(90*time.Second))
	m.LookedUp("benchmark")(lookup.CodeChanged, start.Add(90*time.Second))
	m.wantSeries(t, map[string]float64{
		"hardware_lookups_total{outcome=found,source=ceneo}":              1,
		"hardware_lookups_total{outcome=source_blocked,source=ceneo}":     1,
		"hardware_lookups_total{outcome=source_changed,source=benchmark}": 1,
		"hardware_seconds_since_good_fetch{source=ceneo}":                 30,
		"hardware_seconds_since_good_fetch{source=benchmark}":             100,
	})
	m.LookedUp("ceneo")("nothing_matched", m.now)
	if got := m.series(t)["hardware_seconds_since_good_fetch{source=ceneo}"]; got != 0 {
		t.Errorf("a search without a match is a good fetch too: %v", got)
	}
}

func TestWaiting(t *testing.T) {
	m := newMetrics()
	for _, d := range []time.Duration{0, 10 * time.Millisecond, time.Second, 15 * time.Second, time.Minute} {
		m.Waiting(d)
	}
	m.wantSeries(t, map[string]float64{"hardware_throttle_wait_seconds{}": 5})
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got, sum := map[float64]uint64{}, 0.0
	for _, family := range families {
		for _, bucket := range family.GetMetric()[0].GetHistogram().GetBucket() {
			got[bucket.GetUpperBound()] = bucket.GetCumulativeCount()
		}
		sum += family.GetMetric()[0].GetHistogram().GetSampleSum()
	}
	want := map[float64]uint64{.01: 2, .1: 2, .5: 2, 1.2: 3, 2.4: 3, 4.8: 3, 9.6: 3, 15: 4, 30: 4}
	if !maps.Equal(got, want) || sum != 76.01 {
		t.Errorf("buckets %v, sum %v", got, sum)
	}
}

func TestSingleSeries(t *testing.T) {
	m := newMetrics()
	m.wantSeries(t, nil)
	m.RowsDropped(3)
	m.RedisUp(false)
	m.wantSeries(t, map[string]float64{"hardware_ranking_rows_dropped_total{}": 3, "hardware_redis_up{}": 0})
	m.RedisUp(true)
	m.wantSeries(t, map[string]float64{"hardware_ranking_rows_dropped_total{}": 3})
	m.Warm(7, 300)
	m.wantSeries(t, map[string]float64{
		"hardware_ranking_rows_dropped_total{}": 3, "hardware_warm_products{state=known}": 7, "hardware_warm_products{state=all}": 300,
	})
}

// recorder is a breaker that records its calls and returns rest and ok.
type recorder struct {
	calls []string
	rest  time.Duration
	ok    bool
}

func (r *recorder) record(call ...any) { r.calls = append(r.calls, fmt.Sprintln(call...)) }

func (r *recorder) Allow(_ context.Context, name string) (time.Duration, bool) {
	r.record("allow", name)
	return r.rest, r.ok
}

func (r *recorder) Pause(_ context.Context, name string, d time.Duration) { r.record("pause", name, d) }

func (r *recorder) Fail(_ context.Context, name, _ string) { r.record("fail", name) }

func (r *recorder) Succeed(_ context.Context, name string) time.Duration {
	r.record("succeed", name)
	return r.rest
}

func TestBreakerPassesCallsOnAndShowsItsState(t *testing.T) {
	m, next := newMetrics(), &recorder{}
	breaker, ctx := m.Breaker(next), t.Context()
	allow := func() (time.Duration, bool) { return breaker.Allow(ctx, "ceneo") }
	succeed := func() (time.Duration, bool) { return breaker.Succeed(ctx, "ceneo"), next.ok }
	pause := func(name string) func() (time.Duration, bool) {
		return func() (time.Duration, bool) { breaker.Pause(ctx, name, time.Minute); return next.rest, next.ok }
	}
	fail := func() (time.Duration, bool) { breaker.Fail(ctx, "ceneo", ""); return next.rest, next.ok }
	for _, step := range []struct {
		name   string
		call   func() (time.Duration, bool)
		rest   time.Duration // what the breaker returns
		ok     bool
		paused float64
	}{
		{"refused", allow, 3 * time.Second, false, 1},
		{"let through", allow, 0, true, 0},
		{"failed once", fail, 0, true, 0},
		{"paused", pause("ceneo"), 0, true, 1},
		{"succeeded during a pause", succeed, time.Minute, true, 1},
		{"succeeded", succeed, 0, true, 0},
		{"another one paused", pause("benchmark/gpu"), 0, true, 0},
	} {
		next.rest, next.ok = step.rest, step.ok
		if rest, ok := step.call(); rest != step.rest || ok != step.ok {
			t.Errorf("%s: %v, %t", step.name, rest, ok)
		}
		if got := m.series(t)["hardware_source_paused{source=ceneo}"]; got != step.paused {
			t.Errorf("%s: the gauge is %v, want %v", step.name, got, step.paused)
		}
	}
	if got := m.series(t)["hardware_source_paused{source=benchmark/gpu}"]; got != 1 {
		t.Errorf("a part of a source is not shown: %v", got)
	}
	want := []string{
		"allow ceneo\n", "allow ceneo\n", "fail ceneo\n", "pause ceneo 1m0s\n", "succeed ceneo\n", "succeed ceneo\n", "pause benchmark/gpu 1m0s\n",
	}
	if !slices.Equal(next.calls, want) {
		t.Errorf("calls %q, want %q", next.calls, want)
	}
}

func TestQueueAndReplicas(t *testing.T) {
	m := newMetrics()
	m.Taken(lookup.Listed)
	m.Taken(lookup.Listed)
	m.Taken(lookup.Idle)
	m.Queue(7, 1200*time.Millisecond)
	m.Replicas(20, 10)
	m.wantSeries(t, map[string]float64{
		"hardware_turns_total{class=listed}": 2, "hardware_turns_total{class=idle}": 1,
		"hardware_queue_length{}": 7, "hardware_throttle_interval_seconds{}": 1.2,
		"hardware_replicas{state=seen}": 20, "hardware_replicas{state=allowed}": 10,
	})
}
