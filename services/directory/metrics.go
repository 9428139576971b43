package main

import (
	"context"
	"errors"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/fault"
)

// metrics counts for Prometheus what this process does besides answering HTTP. The
// wrappers in instrumentation.go count, so the parts that they wrap need not.
type metrics struct {
	calls    *prometheus.CounterVec
	audits   *prometheus.CounterVec
	scans    *prometheus.CounterVec
	lastScan prometheus.Gauge

	deliveries *prometheus.CounterVec
	waiting    prometheus.Gauge
	overdue    prometheus.Gauge
}

func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "directory_provider_calls_total",
			Help: "Uses of a provider by what for (refresh, location, analytics, place, page, photos) and outcome.",
		}, []string{"provider", "call", "outcome"}),
		audits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "directory_audits_total", Help: "Audits that users asked for, by outcome.",
		}, []string{"outcome"}),
		scans: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "directory_scans_total", Help: "Enrichment scans of this process, by outcome; a company that fails does not fail the scan.",
		}, []string{"outcome"}),
		lastScan: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "directory_scan_last_success_timestamp_seconds", Help: "When this process last ran an enrichment scan to its end; 0: not yet.",
		}),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "directory_webhook_deliveries_total", Help: "Attempts to deliver an event to a webhook, by result.",
		}, []string{"result"}),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "directory_webhook_waiting", Help: "Deliveries in the outbox of all replicas that wait for an attempt.",
		}),
		overdue: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "directory_webhook_overdue_seconds", Help: "For how long the longest due delivery has waited; a wait between attempts does not count.",
		}),
	}
	m.startAtZero()
	registry.MustRegister(m.calls, m.audits, m.scans, m.lastScan, m.deliveries, m.waiting, m.overdue)
	return m
}

// startAtZero creates the series that alerts look at. A rate sees no increase in a
// series that appears with its first event.
func (m *metrics) startAtZero() {
	m.startCall("places", "place")
	for _, outcome := range []string{"ok", "error"} {
		m.audits.WithLabelValues(outcome)
		m.scans.WithLabelValues(outcome)
	}
	for _, result := range []webhook.Result{webhook.Accepted, webhook.Refused, webhook.Unreachable} {
		m.deliveries.WithLabelValues(string(result))
	}
}

// startCall creates the series of a call to a provider.
func (m *metrics) startCall(provider, call string) {
	for _, outcome := range []string{"ok", "temporary", "throttled", "changed", "setup", "error"} {
		m.calls.WithLabelValues(provider, call, outcome)
	}
}

// called counts the end of a call to a provider.
func (m *metrics) called(provider, call string, err error) {
	m.calls.WithLabelValues(provider, call, outcome(err)).Inc()
}

func (m *metrics) audited(err error) { m.audits.WithLabelValues(outcome(err)).Inc() }

func (m *metrics) scanned(err error) {
	m.scans.WithLabelValues(outcome(err)).Inc()
	if err == nil {
		m.lastScan.SetToCurrentTime()
	}
}

// sent counts an attempt to deliver an event.
func (m *metrics) sent(result webhook.Result) {
	m.deliveries.WithLabelValues(string(result)).Inc()
}

// seen shows what waits in the outbox.
func (m *metrics) seen(o webhook.Backlog) {
	m.waiting.Set(float64(o.Waiting))
	m.overdue.Set(o.Overdue.Seconds())
}

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
