package testkit

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// Series returns the counters, gauges and numbers of observations that are not 0 by the name of
// the metric and the values of its labels, in the order of the labels' names.
func Series(t testing.TB, registry prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			name := family.GetName()
			for _, label := range series.GetLabel() {
				name += " " + label.GetValue()
			}
			value := series.GetCounter().GetValue() + series.GetGauge().GetValue() +
				float64(series.GetHistogram().GetSampleCount())
			if value != 0 {
				values[name] = value
			}
		}
	}
	return values
}
