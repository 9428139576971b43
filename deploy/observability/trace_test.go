package observability

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"backend.example/deploy/test/harness"
)

// TestOneTrace follows one request from the gateway through the hardware service to Redis and
// to the source.
func TestOneTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs are not started by short tests")
	}
	collector := newCollector(t)
	backend := harness.New(t, harness.Options{Redis: true, Collector: collector.URL})

	harness.Text(t, backend.Gateway+"/api/benchmark/cpu?limit=1&private=4711")
	var trace map[string]span
	harness.Eventually(t, "all spans are received", func() bool {
		trace = traceOf(received(t, collector), "GET /api/benchmark/:type", "GET 127.0.0.1")
		return trace["gateway GET"].id != "" && trace["gateway ReverseProxy"].id != ""
	})
	server := trace["hardware GET /api/benchmark/:type"]
	for name, parent := range map[string]string{
		"gateway ReverseProxy":              trace["gateway GET"].id,
		"hardware GET /api/benchmark/:type": trace["gateway ReverseProxy"].id,
		"hardware get":                      server.id,
		"hardware GET 127.0.0.1":            server.id,
	} {
		if s := trace[name]; s.id == "" || s.parent != parent {
			t.Errorf("%s: span %+v, want the parent %q", name, s, parent)
		}
	}
	if got := trace["hardware get"].attributes["db.system"]; got != "redis" {
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

// traceOf returns the spans of the trace with all the names, by service and name, or nil.
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

// span is a span, as far as the test checks it.
type span struct {
	service, name     string
	trace, id, parent string
	attributes        map[string]string // those with text values
}

// received returns the spans that a collector has received so far.
func received(t *testing.T, c *collector) (all []span) {
	t.Helper()
	for _, export := range c.Exports() {
		data := &tracev1.TracesData{} // encoded as an ExportTraceServiceRequest is
		if err := proto.Unmarshal(export, data); err != nil {
			t.Fatal(err)
		}
		for _, resource := range data.GetResourceSpans() {
			all = append(all, spansOf(resource)...)
		}
	}
	return all
}

func spansOf(resource *tracev1.ResourceSpans) (all []span) {
	service := texts(resource.GetResource().GetAttributes())["service.name"]
	for _, scope := range resource.GetScopeSpans() {
		for _, s := range scope.GetSpans() {
			all = append(all, span{
				service: service, name: s.GetName(), attributes: texts(s.GetAttributes()),
				trace: hex.EncodeToString(s.GetTraceId()), id: hex.EncodeToString(s.GetSpanId()),
				parent: hex.EncodeToString(s.GetParentSpanId()),
			})
		}
	}
	return all
}

func texts(attributes []*commonv1.KeyValue) map[string]string {
	values := map[string]string{}
	for _, a := range attributes {
		values[a.GetKey()] = a.GetValue().GetStringValue()
	}
	return values
}

// collector receives traces like an OpenTelemetry collector (OTLP over HTTP, in Protocol
// Buffers).
type collector struct {
	URL     string
	mu      sync.Mutex
	exports [][]byte
}

// newCollector runs a collector until the test ends.
func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			body, _ = gzip.NewReader(r.Body) // nil fails below
		}
		export, err := io.ReadAll(body)
		if err != nil {
			t.Errorf("traces from %s: %v", r.UserAgent(), err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.exports = append(c.exports, export)
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// Exports returns what was received so far.
func (c *collector) Exports() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.exports)
}
