package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/provider"
)

// measureInterval is how often the connections are counted.
const measureInterval = time.Minute

// connectionMetrics show how all connections are, which every replica sees alike.
type connectionMetrics struct {
	broken   *prometheus.GaugeVec
	interval prometheus.Gauge
	due      prometheus.Gauge
	oldest   prometheus.Gauge
}

func newConnectionMetrics(registry prometheus.Registerer) *connectionMetrics {
	m := &connectionMetrics{
		broken: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "directory_connections_broken",
			Help: "Active connections whose credential is lost until their user connects again.",
		}, []string{"provider", "service"}),
		interval: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "directory_scan_interval_seconds", Help: "How often the enrichment scan comes to a connection; 0: this process does not scan.",
		}),
		due: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "directory_scan_due_connections",
			Help: "Connections that the enrichment scan has not come to within its interval; 0 without one.",
		}),
		oldest: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "directory_scan_oldest_timestamp_seconds",
			Help: "When the connection was scanned, or made, that the enrichment scan has not come to for the longest; 0: there is none.",
		}),
	}
	for _, p := range provider.Pairs() {
		m.broken.WithLabelValues(string(p.Provider), string(p.Service))
	}
	registry.MustRegister(m.broken, m.interval, m.due, m.oldest)
	return m
}

// measure counts the connections at once and in each interval, until ctx ends.
func (a *app) measure(ctx context.Context, interval time.Duration) {
	m, tick := newConnectionMetrics(a.registry), time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := a.countConnections(ctx, m); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "connections not counted", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (a *app) countConnections(ctx context.Context, m *connectionMetrics) error {
	m.interval.Set(a.cfg.ScanInterval.Seconds())
	broken, err := a.store.CountBroken(ctx)
	if err != nil {
		return err
	}
	for _, p := range provider.Pairs() {
		m.broken.WithLabelValues(string(p.Provider), string(p.Service)).Set(float64(broken[p]))
	}
	now := time.Now()
	due := 0
	if a.cfg.ScanInterval > 0 {
		if due, err = a.scan.Due(ctx, now.Add(-a.cfg.ScanInterval)); err != nil {
			return err
		}
	}
	oldest, err := a.scan.Oldest(ctx, now)
	if err != nil {
		return err
	}
	m.due.Set(float64(due))
	m.oldest.Set(0)
	if !oldest.IsZero() {
		m.oldest.Set(float64(oldest.Unix()))
	}
	return nil
}
