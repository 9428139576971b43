package observability

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// TestOneTrace follows one request from the gateway through the hardware service
// to Redis and to the source.
func TestOneTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs are not started by short tests")
	}
	collector := harness.NewCollector(t)
	backend := harness.New(t, harness.Options{Redis: true, Collector: collector.URL})

	harness.Text(t, backend.Gateway+"/api/benchmark/cpu?limit=1&private=4711")
	var trace map[string]span
	harness.Eventually(t, "all spans have come", func() bool {
		trace = traceOf(received(t, collector), "GET /api/benchmark/:type", "GET 127.0.0.1")
		return trace["gateway GET"].id != "" && trace["gateway ReverseProxy"].id != ""
	})
	server := trace["hardware GET /api/benchmark/:type"]
	for name, parent := range map[string]string{
		"gateway ReverseProxy":              trace["gateway GET"].id,
		"hardware GET /api/benchmark/:type": trace["gateway ReverseProxy"].id,
		"hardware evalsha":                  server.id,
		"hardware GET 127.0.0.1":            server.id,
	} {
		if s := trace[name]; s.id == "" || s.parent != parent {
			t.Errorf("%s: span %+v, want the parent %q", name, s, parent)
		}
	}
	if got := trace["hardware evalsha"].attributes["db.system"]; got != "redis" {
		t.Errorf("db.system is %q", got)
	}
	for _, s := range received(t, collector) {
		for name, value := range s.attributes {
			if strings.Contains(value, "4711") {
				t.Errorf("%s %s has %s=%q", s.service, s.name, name, value)
			}
		}
	}
}

// traceOf returns the spans, by service and name, of the trace that holds all the
// names; nil while there is none.
func traceOf(spans []span, names ...string) map[string]span {
	traces := map[string]map[string]span{}
	for _, s := range spans {
		if traces[s.trace] == nil {
			traces[s.trace] = map[string]span{}
		}
		traces[s.trace][s.service+" "+s.name] = s
	}
	for _, trace := range traces {
		found := slices.Collect(maps.Keys(trace))
		if !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(found, "hardware "+name) }) {
			return trace
		}
	}
	return nil
}
