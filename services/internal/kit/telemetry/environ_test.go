package telemetry

import (
	"strings"
	"testing"
	"time"
)

func TestTargets(t *testing.T) {
	const on = "OTEL_TRACES_EXPORTER=otlp "
	tests := map[string]struct {
		address, key string
		timeout      time.Duration
		gzip         bool
	}{
		on: {"http://localhost:4318/v1/traces", "", 10 * time.Second, false},
		on + "OTEL_EXPORTER_OTLP_ENDPOINT=https://c:1 OTEL_EXPORTER_OTLP_TIMEOUT=2500":                                     {"https://c:1/v1/traces", "", 2500 * time.Millisecond, false},
		on + "OTEL_EXPORTER_OTLP_ENDPOINT=http://c/otlp/?a=b OTEL_EXPORTER_OTLP_COMPRESSION=gzip":                          {"http://c/otlp/v1/traces?a=b", "", 10 * time.Second, true},
		on + "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://c/in OTEL_EXPORTER_OTLP_ENDPOINT=http://d":                         {"http://c/in", "", 10 * time.Second, false},
		on + "OTEL_EXPORTER_OTLP_HEADERS=key=other OTEL_EXPORTER_OTLP_TRACES_HEADERS=a=b,key=Basic%20eA==":                 {"http://localhost:4318/v1/traces", "Basic eA==", 10 * time.Second, false},
		on + "OTEL_EXPORTER_OTLP_COMPRESSION=gzip OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=none OTEL_EXPORTER_OTLP_HEADERS=,": {"http://localhost:4318/v1/traces", "", 10 * time.Second, false},
	}
	for environ, want := range tests {
		setEnviron(t, strings.Fields(environ)...)
		got, on, err := readTarget()
		if err != nil || !on {
			t.Fatalf("%s: on %t, error %v", environ, on, err)
		}
		if got.address != want.address || got.header.Get("Key") != want.key || got.timeout != want.timeout || got.gzip != want.gzip {
			t.Errorf("%s: %+v, want %+v", environ, got, want)
		}
	}
}
