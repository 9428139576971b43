package main

import (
	"context"
	"errors"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/fault"
)

// metrics tells Prometheus what this process does besides answering HTTP. The
// parts of the service are counted from outside (counted.go), and know nothing of it.
type metrics struct {
	calls    *prometheus.CounterVec
	audits   *prometheus.CounterVec
	scans    *prometheus.CounterVec
	lastScan prometheus.Gauge
}

func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "directory_provider_calls_total",
			Help: "Uses of a provider by what for (refresh, location, place, page, photos) and outcome.",
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
	}
	m.begin()
	registry.MustRegister(m.calls, m.audits, m.scans, m.lastScan)
	return m
}

// begin shows the series of the outcomes that alerts look at, at zero: a rate sees
// no increase in a series that begins with its first event.
func (m *metrics) begin() {
	for provider, calls := range map[string][]string{
		"provider_search": {"refresh", "location"}, "provider_social": {"refresh", "page", "photos"}, "places": {"place"},
	} {
		for _, call := range calls {
			for _, outcome := range []string{"ok", "temporary", "throttled", "changed", "setup", "error"} {
				m.calls.WithLabelValues(provider, call, outcome)
			}
		}
	}
	for _, outcome := range []string{"ok", "error"} {
		m.audits.WithLabelValues(outcome)
		m.scans.WithLabelValues(outcome)
	}
}

// outcome is ok, what the provider's adapter said (reconnect, permission,
// throttled, temporary, setup, gone, changed), canceled, limited, refused for what
// the caller has to mend, or error.
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
