package telemetry

import (
	"strings"
	"testing"
	"time"
)

// TestTarget: the rest of what the variables say is in TestRequests.
func TestTarget(t *testing.T) {
	for _, test := range []struct {
		environ string
		address string
		timeout time.Duration
	}{
		{"OTEL_TRACES_EXPORTER=otlp", "http://localhost:4318/v1/traces", 10 * time.Second},
		{
			"OTEL_EXPORTER_OTLP_ENDPOINT=https://c:1 OTEL_EXPORTER_OTLP_TIMEOUT=2500",
			"https://c:1/v1/traces", 2500 * time.Millisecond,
		},
		{
			"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://c OTEL_EXPORTER_OTLP_TIMEOUT=7 OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=8",
			"https://c", 8 * time.Millisecond,
		},
	} {
		setEnviron(t, strings.Fields(test.environ)...)
		got, on, err := readTarget()
		if err != nil || !on || got.address.String() != test.address || got.timeout != test.timeout {
			t.Errorf("%s: on %t, %+v, error %v", test.environ, on, got, err)
		}
	}
}
