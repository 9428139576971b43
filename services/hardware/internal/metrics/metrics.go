// Package metrics counts for Prometheus what the hardware domain does. It owns the
// names and labels of the service's own metrics. Those of HTTP requests are in the
// kit.
package metrics

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// Metrics counts what the service answers and asks.
type Metrics struct {
	answers   *prometheus.CounterVec
	lookups   *prometheus.CounterVec
	dropped   prometheus.Counter
	turnWait  prometheus.Histogram
	turns     *prometheus.CounterVec
	queue     prometheus.Gauge
	interval  prometheus.Gauge
	replicas  *prometheus.GaugeVec
	paused    *prometheus.GaugeVec
	redisUp   prometheus.Gauge
	warm      *prometheus.GaugeVec
	freshness *freshness
}

// New registers the metrics. sources are the names of the sources that are fetched.
func New(registry prometheus.Registerer, now func() time.Time, sources ...string) *Metrics {
	m := &Metrics{
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hardware_answers_total",
			Help: "Answers by kind (ranking, price) and result: the layer local, shared, collapsed or source, the code of the failure, or client_gone.",
		}, []string{"kind", "result"}),
		lookups: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hardware_lookups_total", Help: "Look-ups at an external source, by outcome.",
		}, []string{"source", "outcome"}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "hardware_ranking_rows_dropped_total", Help: "Rows left out of fetched rankings, because they could not be read.",
		}),
		turnWait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "hardware_throttle_wait_seconds", Help: "How long a request to the aggregator waits for its turn.",
			Buckets: []float64{.01, .1, .5, 1.2, 2.4, 4.8, 9.6, 15, 30},
		}),
		turns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hardware_turns_total", Help: "Turns at the aggregator by the class of the look-up: awaited by a caller, listed with others, or idle work.",
		}, []string{"class"}),
		queue: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "hardware_queue_length", Help: "Look-ups of all replicas that wait for a turn; without Redis those of this process.",
		}),
		interval: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "hardware_throttle_interval_seconds", Help: "Time between two requests to the aggregator; without Redis between two of this process.",
		}),
		replicas: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "hardware_replicas", Help: "Replicas that share Redis: seen are those that run, allowed is HARDWARE_MAX_REPLICAS.",
		}, []string{"state"}),
		paused: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "hardware_source_paused", Help: "1 while the breaker of a source is open, as this process last saw it.",
		}, []string{"source"}),
		redisUp: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "hardware_redis_up", Help: "1 while Redis answers, or when the service runs without it.",
		}),
		warm: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "hardware_warm_products", Help: "Products whose prices are kept known: known are those of which this process has a price, all are HARDWARE_WARM of each ranking.",
		}, []string{"state"}),
		freshness: &freshness{now: now, last: map[string]time.Time{}},
	}
	for _, source := range sources {
		m.freshness.last[source] = now()
	}
	m.initSeries(sources)
	m.redisUp.Set(1)
	registry.MustRegister(m.answers, m.lookups, m.dropped, m.turnWait, m.turns, m.queue, m.interval, m.replicas, m.paused, m.redisUp, m.warm, m.freshness)
	return m
}

// initSeries sets the series whose labels are known to zero, because a rate sees no
// increase in a series that begins with its first event.
func (m *Metrics) initSeries(sources []string) {
	for _, kind := range []string{"ranking", "price"} {
		for _, via := range []lookup.Via{lookup.ViaLocal, lookup.ViaShared, lookup.ViaCollapsed, lookup.ViaSource} {
			m.answers.WithLabelValues(kind, string(via))
		}
	}
	for _, class := range []lookup.Class{lookup.Awaited, lookup.Listed, lookup.Idle} {
		m.turns.WithLabelValues(class.String())
	}
	m.Replicas(0, 0)
	for _, source := range sources {
		m.paused.WithLabelValues(source)
		for _, outcome := range []string{"found", "nothing_matched", lookup.CodeBlocked, lookup.CodeDisallowed, lookup.CodeChanged, lookup.CodeUnavailable, lookup.CodeSlow} {
			m.lookups.WithLabelValues(source, outcome)
		}
	}
}

// Answered returns what counts the answers of a kind, "ranking" or "price". A client
// that did not wait for its answer is no failure of the service.
func (m *Metrics) Answered(kind string) func(via lookup.Via, err error) {
	return func(via lookup.Via, err error) {
		result := string(via)
		switch {
		case errors.Is(err, context.Canceled):
			result = "client_gone"
		case err != nil:
			result = fault.From(err).Code
		}
		m.answers.WithLabelValues(kind, result).Inc()
	}
}

// LookedUp returns what counts the look-ups at a source by their outcome: "found",
// "nothing_matched" or the code of a fault.
func (m *Metrics) LookedUp(source string) func(outcome string, at time.Time) {
	return func(outcome string, at time.Time) {
		m.lookups.WithLabelValues(source, outcome).Inc()
		if outcome == "found" || outcome == "nothing_matched" {
			m.freshness.fetched(source, at)
		}
	}
}

// RowsDropped counts rows left out of a ranking.
func (m *Metrics) RowsDropped(n int) { m.dropped.Add(float64(n)) }

// Waiting observes the time left until a turn.
func (m *Metrics) Waiting(d time.Duration) { m.turnWait.Observe(d.Seconds()) }

// Taken counts a turn.
func (m *Metrics) Taken(c lookup.Class) { m.turns.WithLabelValues(c.String()).Inc() }

// Queue shows how many look-ups wait, and the time between two requests.
func (m *Metrics) Queue(waiting int, interval time.Duration) {
	m.queue.Set(float64(waiting))
	m.interval.Set(interval.Seconds())
}

// Replicas shows how many replicas run, and how many may.
func (m *Metrics) Replicas(seen, allowed int) {
	m.replicas.WithLabelValues("seen").Set(float64(seen))
	m.replicas.WithLabelValues("allowed").Set(float64(allowed))
}

// Warm shows how many of all products that are kept warm have a known price.
func (m *Metrics) Warm(known, all int) {
	m.warm.WithLabelValues("known").Set(float64(known))
	m.warm.WithLabelValues("all").Set(float64(all))
}

// RedisUp notes whether Redis answers.
func (m *Metrics) RedisUp(up bool) {
	if up {
		m.redisUp.Set(1)
	} else {
		m.redisUp.Set(0)
	}
}

// Breaker returns next with its state shown in hardware_source_paused.
func (m *Metrics) Breaker(next lookup.Breaker) lookup.Breaker {
	return instrumentedBreaker{Breaker: next, paused: m.paused}
}

// instrumentedBreaker shows in a gauge which sources are paused.
type instrumentedBreaker struct {
	lookup.Breaker
	paused *prometheus.GaugeVec
}

func (b instrumentedBreaker) Allow(ctx context.Context, name string) (time.Duration, bool) {
	rest, ok := b.Breaker.Allow(ctx, name)
	b.show(name, !ok)
	return rest, ok
}

func (b instrumentedBreaker) Pause(ctx context.Context, name string, d time.Duration) {
	b.Breaker.Pause(ctx, name, d)
	b.show(name, true)
}

func (b instrumentedBreaker) Succeed(ctx context.Context, name string) time.Duration {
	rest := b.Breaker.Succeed(ctx, name)
	b.show(name, rest > 0)
	return rest
}

func (b instrumentedBreaker) show(name string, paused bool) {
	value := 0.0
	if paused {
		value = 1
	}
	b.paused.WithLabelValues(name).Set(value)
}

// freshness is a collector of how old the last good fetch of each source is. Before
// the first one it counts from the start of the process.
type freshness struct {
	mu   sync.Mutex
	now  func() time.Time
	last map[string]time.Time
}

var freshnessDesc = prometheus.NewDesc("hardware_seconds_since_good_fetch",
	"Seconds since the source last gave this process good data.", []string{"source"}, nil)

// fetched notes a good fetch.
func (f *freshness) fetched(source string, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last[source] = at
}

// Describe implements prometheus.Collector.
func (f *freshness) Describe(descs chan<- *prometheus.Desc) { descs <- freshnessDesc }

// Collect implements prometheus.Collector.
func (f *freshness) Collect(metrics chan<- prometheus.Metric) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for source, at := range f.last {
		metrics <- prometheus.MustNewConstMetric(freshnessDesc, prometheus.GaugeValue, f.now().Sub(at).Seconds(), source)
	}
}
