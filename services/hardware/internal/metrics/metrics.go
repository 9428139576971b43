// Package metrics owns the names and labels of the service's own metrics. Those of HTTP requests are in the kit.
package metrics

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/pace"
)

// Metrics counts what the service answers and asks.
type Metrics struct {
	answers  *prometheus.CounterVec
	lookups  *prometheus.CounterVec
	dropped  prometheus.Counter
	turnWait prometheus.Histogram
	turns    *prometheus.CounterVec
	queue    *prometheus.GaugeVec
	paused   *prometheus.GaugeVec
	redisUp  prometheus.Gauge
	listed   *prometheus.GaugeVec
	fetched  map[string]*atomic.Int64 // when a source last gave good data, in Unix nanoseconds
}

// outcomes are those of look-ups that alerts count.
var outcomes = []string{"found", "nothing_matched", "source_blocked", "source_changed", "source_disallowed",
	"source_paused", "source_timeout", "source_unavailable"}

// New registers the metrics. sources are the names of the fetched sources.
func New(registry prometheus.Registerer, sources ...string) *Metrics {
	m := &Metrics{
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hardware_answers_total",
			Help: "Answers by kind (ranking, price) and result: the layer local, shared, collapsed or source, " +
				"the code of the failure, or client_gone.",
		}, []string{"kind", "result"}),
		lookups: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hardware_lookups_total", Help: "Look-ups at an external source, by outcome.",
		}, []string{"source", "outcome"}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "hardware_ranking_rows_dropped_total",
			Help: "Rows left out of fetched rankings, because they could not be read.",
		}),
		turnWait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "hardware_throttle_wait_seconds", Help: "How long a request to the aggregator waits for its slot.",
			Buckets: []float64{.01, .1, .5, 1.2, 2.4, 4.8, 9.6, 15, 30},
		}),
		turns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hardware_turns_total",
			Help: "Slots at the aggregator by class: begun, a person who waits, listed with others, or idle work.",
		}, []string{"class"}),
		queue: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "hardware_queue_length", Help: "Requests of this process that wait for a slot, by class.",
		}, []string{"class"}),
		paused: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "hardware_source_paused", Help: "1 while a source is left alone, as this process last saw it.",
		}, []string{"source"}),
		redisUp: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "hardware_redis_up", Help: "1 while Redis answers, or when the service runs without it.",
		}),
		listed: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "hardware_list_pages",
			Help: "Pages of category lists that this process has, and that the source does not have.",
		}, []string{"state"}),
		fetched: map[string]*atomic.Int64{},
	}
	for _, source := range sources {
		m.paused.WithLabelValues(source)
		for _, outcome := range outcomes {
			m.lookups.WithLabelValues(source, outcome) // a rate ignores the first event of a new series
		}
		at := &atomic.Int64{}
		at.Store(time.Now().UnixNano())
		m.fetched[source] = at
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "hardware_seconds_since_good_fetch", ConstLabels: prometheus.Labels{"source": source},
			Help: "Seconds since the source last gave this process good data.",
		}, func() float64 { return time.Since(time.Unix(0, at.Load())).Seconds() }))
	}
	for _, kind := range []string{"ranking", "price"} {
		for _, via := range []string{"local", "shared", "collapsed", "source"} {
			m.answers.WithLabelValues(kind, via) // as above
		}
	}
	m.Queue(nil)
	m.ListPages(0, 0)
	m.redisUp.Set(1)
	registry.MustRegister(m.answers, m.lookups, m.dropped, m.turnWait, m.turns, m.queue, m.paused, m.redisUp, m.listed)
	for _, class := range pace.Classes() {
		m.turns.WithLabelValues(class.String()) // at zero
	}
	return m
}

// Answered counts an answer of a kind, "ranking" or "price", by where it came from. A client that disconnects is
// no failure.
func (m *Metrics) Answered(kind, via string, err error) {
	result := via
	switch {
	case errors.Is(err, context.Canceled):
		result = "client_gone"
	case err != nil:
		result = fault.From(err).Code
	}
	m.answers.WithLabelValues(kind, result).Inc()
}

// LookedUp counts a look-up by its outcome: "found", "nothing_matched" or the code of a fault.
func (m *Metrics) LookedUp(source, outcome string) {
	m.lookups.WithLabelValues(source, outcome).Inc()
	if outcome == "found" || outcome == "nothing_matched" {
		m.fetched[source].Store(time.Now().UnixNano())
	}
}

// RowsDropped counts rows left out of a ranking.
func (m *Metrics) RowsDropped(n int) { m.dropped.Add(float64(n)) }

// Turn counts a slot and the wait for it.
func (m *Metrics) Turn(class string, waited time.Duration) {
	m.turns.WithLabelValues(class).Inc()
	m.turnWait.Observe(waited.Seconds())
}

// Queue sets the number of waiting requests by class.
func (m *Metrics) Queue(waiting map[pace.Class]int) {
	for _, class := range pace.Classes() {
		m.queue.WithLabelValues(class.String()).Set(float64(waiting[class]))
	}
}

// ListPages sets the number of known and missing pages of category lists.
func (m *Metrics) ListPages(known, missing int) {
	m.listed.WithLabelValues("known").Set(float64(known))
	m.listed.WithLabelValues("missing").Set(float64(missing))
}

// Paused sets whether a source is paused.
func (m *Metrics) Paused(source string, paused bool) {
	m.paused.WithLabelValues(source).Set(number(paused))
}

// RedisUp sets whether Redis answers.
func (m *Metrics) RedisUp(up bool) { m.redisUp.Set(number(up)) }

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
