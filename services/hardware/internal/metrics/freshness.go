package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

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
