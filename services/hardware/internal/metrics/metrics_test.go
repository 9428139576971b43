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

	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/hardware/internal/upstream"
	"backend.example/services/internal/kit/fault"
)

// bench is a Metrics with a clock that the test moves.
type bench struct {
	*metrics.Metrics
	registry *prometheus.Registry
	now      time.Time
}

func newBench() *bench {
	b := &bench{registry: prometheus.NewPedanticRegistry(), now: time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)}
	b.Metrics = metrics.New(b.registry, func() time.Time { return b.now }, "benchmark", "ceneo")
	return b
}

// series gives every series as "name{label=value,…}" with its value; of a
// histogram, the number of observations.
func (b *bench) series(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := b.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, family := range families {
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

// fresh is what a process shows before its first request.
func fresh() map[string]float64 {
	all := map[string]float64{
		"hardware_redis_up{}":                                 1,
		"hardware_throttle_wait_seconds{}":                    0,
		"hardware_source_paused{source=benchmark}":            0,
		"hardware_source_paused{source=ceneo}":                0,
		"hardware_seconds_since_good_fetch{source=benchmark}": 0,
		"hardware_seconds_since_good_fetch{source=ceneo}":     0,
	}
	for _, result := range []string{"local", "shared", "collapsed", "source"} {
		all["hardware_answers_total{kind=ranking,result="+result+"}"] = 0
		all["hardware_answers_total{kind=price,result="+result+"}"] = 0
	}
	for _, outcome := range []string{"found", "source_blocked", "source_changed", "source_unavailable", "source_timeout"} {
		all["hardware_lookups_total{outcome="+outcome+",source=benchmark}"] = 0
		all["hardware_lookups_total{outcome="+outcome+",source=ceneo}"] = 0
	}
	return all
}

// require compares all series with those of a fresh process and the changes.
func (b *bench) require(t *testing.T, changes map[string]float64) {
	t.Helper()
	want := fresh()
	maps.Copy(want, changes)
	if got := b.series(t); !maps.Equal(got, want) {
		for _, name := range slices.Sorted(maps.Keys(got)) {
			t.Logf("%s %v", name, got[name])
		}
		t.Errorf("series are not as wanted: %v", want)
	}
}

func TestFreshProcess(t *testing.T) { newBench().require(t, nil) }

func TestNamesAreNotTakenTwice(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("metrics were registered twice on one registry")
		}
	}()
	metrics.New(newBench().registry, time.Now)
}

func TestAnswered(t *testing.T) {
	b := newBench()
	b.Answered("ranking", hardware.ViaLocal, nil)
	b.Answered("ranking", hardware.ViaLocal, nil)
	b.Answered("ranking", hardware.ViaShared, nil)
	b.Answered("price", hardware.ViaCollapsed, nil)
	b.Answered("price", hardware.ViaSource, nil)
	b.Answered("price", "", upstream.Blocked(errors.New("status 403"), time.Hour))
	b.Answered("price", "", fmt.Errorf("find: %w", upstream.Slow(context.DeadlineExceeded)))
	b.Answered("price", "", fault.New(fault.Unavailable, "throttle_queue_full", "Zbyt wiele zapytań."))
	b.Answered("price", "", context.Canceled)
	b.Answered("ranking", "", errors.New("open 10.0.3.7: no such file"))
	b.require(t, map[string]float64{
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
	b := newBench()
	start := b.now
	b.now = start.Add(100 * time.Second)
	b.LookedUp("ceneo", "found", start.Add(70*time.Second))
	b.LookedUp("ceneo", upstream.CodeBlocked, start.Add(90*time.Second))
	b.LookedUp("benchmark", upstream.CodeChanged, start.Add(90*time.Second))
	b.require(t, map[string]float64{
		"hardware_lookups_total{outcome=found,source=ceneo}":              1,
		"hardware_lookups_total{outcome=source_blocked,source=ceneo}":     1,
		"hardware_lookups_total{outcome=source_changed,source=benchmark}": 1,
		"hardware_seconds_since_good_fetch{source=ceneo}":                 30,
		"hardware_seconds_since_good_fetch{source=benchmark}":             100,
	})
	b.LookedUp("ceneo", "nothing_matched", b.now)
	if got := b.series(t)["hardware_seconds_since_good_fetch{source=ceneo}"]; got != 0 {
		t.Errorf("a search without a match is a good fetch too: %v", got)
	}
}

func TestWaiting(t *testing.T) {
	b := newBench()
	for _, d := range []time.Duration{0, 10 * time.Millisecond, time.Second, 15 * time.Second, time.Minute} {
		b.Waiting(d)
	}
	b.require(t, map[string]float64{"hardware_throttle_wait_seconds{}": 5})
	families, err := b.registry.Gather()
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

func TestRedisUp(t *testing.T) {
	b := newBench()
	b.RedisUp(false)
	b.require(t, map[string]float64{"hardware_redis_up{}": 0})
	b.RedisUp(true)
	b.require(t, nil)
}
