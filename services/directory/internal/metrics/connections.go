package metrics

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/provider"
)

// measureInterval is how often the connections are counted.
const measureInterval = time.Minute

// ConnectionOptions say how connections are counted.
type ConnectionOptions struct {
	Broken   func(context.Context) (map[provider.Pair]int, error)
	Due      func(ctx context.Context, before time.Time) (int, error) // not scanned since before
	Oldest   func(ctx context.Context, now time.Time) (time.Time, error)
	Interval time.Duration // of the scan; 0 if this process does not scan
	Log      *slog.Logger
}

// Connections show the state of all connections, which is the same in every replica.
type Connections struct {
	ConnectionOptions
	broken   *prometheus.GaugeVec
	interval prometheus.Gauge
	due      prometheus.Gauge
	oldest   prometheus.Gauge
}

// NewConnections registers the metrics of connections.
func NewConnections(registry prometheus.Registerer, options ConnectionOptions) *Connections {
	m := &Connections{
		ConnectionOptions: options,
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

// Measure counts the connections at once and in each interval, until ctx ends.
func (m *Connections) Measure(ctx context.Context) {
	tick := time.NewTicker(measureInterval)
	defer tick.Stop()
	for {
		if err := m.Count(ctx); err != nil && ctx.Err() == nil {
			m.Log.WarnContext(ctx, "connections not counted", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Count counts the connections.
func (m *Connections) Count(ctx context.Context) error {
	m.interval.Set(m.Interval.Seconds())
	broken, err := m.Broken(ctx)
	if err != nil {
		return err
	}
	for _, p := range provider.Pairs() {
		m.broken.WithLabelValues(string(p.Provider), string(p.Service)).Set(float64(broken[p]))
	}
	now := time.Now()
	due := 0
	if m.Interval > 0 {
		if due, err = m.Due(ctx, now.Add(-m.Interval)); err != nil {
			return err
		}
	}
	oldest, err := m.Oldest(ctx, now)
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
