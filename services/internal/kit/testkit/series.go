package testkit

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// Series returns the metrics that are not 0: the value of a counter or gauge, the number of observations of a
// histogram. A key is the name and the values of the labels in the order of their names: "http_failures_total late".
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
