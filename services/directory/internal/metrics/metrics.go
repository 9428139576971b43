// Package metrics counts for Prometheus what a process does besides answering HTTP.
package metrics

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// Metrics are the counters of a process.
type Metrics struct {
	calls      *prometheus.CounterVec
	audits     *prometheus.CounterVec
	turns      *prometheus.CounterVec
	refused    *prometheus.CounterVec
	budgets    *prometheus.GaugeVec
	marks      *prometheus.CounterVec
	givenUp    *prometheus.CounterVec
	jobs       *prometheus.HistogramVec
	deliveries *prometheus.CounterVec
}

// New registers the metrics; with a nil registry nobody collects them.
func New(registry prometheus.Registerer) *Metrics {
	register := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return register.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &Metrics{
		calls: counter("directory_provider_calls_total",
			"Uses of a provider by what for (refresh, location, performance, analytics, place, page, photos) and "+
				"outcome.", "provider", "call", "outcome"),
		audits: counter("directory_audits_total", "Audits that users asked for, by outcome.", "outcome"),
		turns: counter("directory_provider_requests_total",
			"Requests of this process that were given a turn in the budget of an API, by what for (people, scans).",
			"provider", "api", "by"),
		refused: counter("directory_provider_requests_refused_total",
			"Requests of people that this process did not send, because their turn in the budget of an API would "+
				"have come too late.", "provider", "api"),
		budgets: register.NewGaugeVec(prometheus.GaugeOpts{
			Name: "directory_provider_budget_per_minute",
			Help: "Requests to an API that all replicas together may send in a minute.",
		}, []string{"provider", "api"}),
		marks: counter("directory_marks_suppressed_total",
			"Connections that an app-wide failure kept from being marked as broken, or unmarked.",
			"provider", "service"),
		jobs: register.NewHistogramVec(prometheus.HistogramOpts{
			Name: "directory_job_duration_seconds", Help: "Attempts of background jobs by kind and outcome.",
			Buckets: []float64{.01, .1, 1, 10, 60},
		}, []string{"kind", "outcome"}),
		givenUp: counter("directory_revocations_given_up_total",
			"Grants of ended connections that could not be withdrawn at their provider in time.", "provider"),
		deliveries: counter("directory_webhook_deliveries_total",
			"Attempts to deliver an event to a webhook, by result.", "result"),
	}
	m.startAtZero()
	return m
}

// startAtZero creates the series that alerts look at. A rate sees no increase in a
// series that appears with its first event.
func (m *Metrics) startAtZero() {
	for source, calls := range map[string][]string{
		"places":                {"place"},
		string(provider.Search): {"refresh", "location", "performance", "analytics"},
		string(provider.Social): {"refresh", "page", "photos"},
	} {
		for _, call := range calls {
			for _, outcome := range []string{"ok", "temporary", "throttled", "changed", "setup", "error"} {
				m.calls.WithLabelValues(source, call, outcome)
			}
		}
	}
	for _, p := range provider.Pairs() {
		m.marks.WithLabelValues(string(p.Provider), string(p.Service))
	}
	for _, outcome := range []string{"ok", "error"} {
		m.audits.WithLabelValues(outcome)
	}
	for _, result := range []string{"delivered", "refused", "unreachable"} {
		m.deliveries.WithLabelValues(result)
	}
}

// Call counts the end of a call to a provider, for example of "page" to "provider_social".
func (m *Metrics) Call(source, call string, err error) {
	m.calls.WithLabelValues(source, call, outcome(err)).Inc()
}

// MarkSuppressed counts a mark that an app-wide failure prevented or undid.
func (m *Metrics) MarkSuppressed(p provider.Pair) {
	m.marks.WithLabelValues(string(p.Provider), string(p.Service)).Inc()
}

// RevocationGivenUp counts a grant that could not be withdrawn in time.
func (m *Metrics) RevocationGivenUp(p provider.Name) { m.givenUp.WithLabelValues(string(p)).Inc() }

// StartJobs creates the series of a kind of background jobs.
func (m *Metrics) StartJobs(kind string) {
	m.jobs.WithLabelValues(kind, "ok")
	m.jobs.WithLabelValues(kind, "error")
}

// Job counts an attempt of a background job.
func (m *Metrics) Job(kind string, took time.Duration, err error) {
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.jobs.WithLabelValues(kind, result).Observe(took.Seconds())
}

// Audit counts the end of an audit that a user triggered.
func (m *Metrics) Audit(err error) { m.audits.WithLabelValues(outcome(err)).Inc() }

// Budget shows the budget of an API of a provider, and creates the series of its turns.
func (m *Metrics) Budget(p provider.Name, api string, perMinute int) {
	m.budgets.WithLabelValues(string(p), api).Set(float64(perMinute))
	m.turns.WithLabelValues(string(p), api, "people")
	m.turns.WithLabelValues(string(p), api, "scans")
	m.refused.WithLabelValues(string(p), api)
}

// Turn counts a request that was given a turn in a budget, by "people" or "scans".
func (m *Metrics) Turn(p provider.Name, api, by string) {
	m.turns.WithLabelValues(string(p), api, by).Inc()
}

// Refused counts a request of a person that was given no turn.
func (m *Metrics) Refused(p provider.Name, api string) {
	m.refused.WithLabelValues(string(p), api).Inc()
}

// Delivery counts an attempt to deliver an event to a webhook by its result.
func (m *Metrics) Delivery(result string) { m.deliveries.WithLabelValues(result).Inc() }

// outcome is the label of a call's end: ok; what the provider's adapter reported
// (reconnect, permission, throttled, temporary, setup, gone, changed); canceled;
// limited; refused, which the caller has to correct; or error.
func outcome(err error) string {
	if err == nil {
		return "ok"
	}
	f := fault.From(err)
	kind, ofProvider := strings.CutPrefix(f.Code, "provider_")
	switch {
	case ofProvider:
		return kind
	case errors.Is(err, context.Canceled):
		return "canceled"
	case f.Kind == fault.Limited:
		return "limited"
	case f.Kind != fault.Internal:
		return "refused"
	}
	return "error"
}
