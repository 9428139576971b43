package metrics

import (
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestAlertsSeeTheFirstFailure checks that the outcomes that alerts count are there before they occur.
func TestAlertsSeeTheFirstFailure(t *testing.T) {
	registry := prometheus.NewRegistry()
	New(registry, "ceneo")
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, family := range families {
		if family.GetName() != "hardware_lookups_total" {
			continue
		}
		for _, series := range family.GetMetric() {
			for _, label := range series.GetLabel() {
				if label.GetName() == "outcome" {
					got = append(got, label.GetValue())
				}
			}
		}
	}
	if !slices.Equal(got, outcomes) {
		t.Errorf("outcomes of a source at start: %q, want %q", got, outcomes)
	}
}
