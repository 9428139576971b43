package observability

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// startRedis runs a Redis of the test's own and returns its address.
func startRedis(t *testing.T) string {
	t.Helper()
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		unavailable(t, "redis-server is not installed")
	}
	addr := freeAddr(t)
	_, port, _ := strings.Cut(addr, ":")
	start(t, t.TempDir(), nil, bin, "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no")
	return addr
}

// startBenchmarkSite runs a source with a ranking of one part.
func startBenchmarkSite(t *testing.T) string {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("Type,Part Number,Brand,Model,Rank,Benchmark,Samples,URL\n" +
			"CPU,,AMD,Ryzen 7 9800X3D,1,131.4,9000,https://cpu.userbenchmark.com/AMD-Ryzen-7-9800X3D/Rating/4200\n"))
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// TestOneTrace follows one request from the gateway through the hardware service
// to Redis and to the source.
func TestOneTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs are not started by short tests")
	}
	collector := newCollector(t)
	hardware := startService(t, "hardware", "HARDWARE_REDIS_URL=redis://"+startRedis(t),
		"HARDWARE_BENCHMARK_BASE_URL="+startBenchmarkSite(t), "HARDWARE_STATE_DIR="+t.TempDir(),
		"OTEL_EXPORTER_OTLP_ENDPOINT="+collector.url, "OTEL_BSP_SCHEDULE_DELAY=100")
	gateway := startGateway(t, "127.0.0.1:1", hardware.server(),
		"\n"+strings.ReplaceAll(read(t, "gateway/tracing.yml"), "http://127.0.0.1:4318", collector.url))
	eventually(t, "the routes are loaded", func() bool { return status("http://"+gateway.addr+"/api/benchmark/none") == http.StatusBadRequest })

	body(t, "http://"+gateway.addr+"/api/benchmark/cpu?limit=1&private=4711")
	var trace map[string]span
	eventually(t, "all spans have come", func() bool {
		trace = traceOf(collector.received(), "GET /api/benchmark/:type", "GET 127.0.0.1")
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
	for _, s := range collector.received() {
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
