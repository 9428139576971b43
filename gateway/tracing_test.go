package gateway

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

// outside are headers by which a client would take part in a trace.
var outside = []string{
	"Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	"Tracestate", "vendor=1",
	"Baggage", "user=1",
}

func TestTracingIsOff(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	got := p.get(t, "/api/oauth/status", outside...).echoed(t)
	for _, name := range []string{"Traceparent", "Tracestate", "Baggage"} {
		if value, ok := got.Header[name]; ok {
			t.Errorf("the service received %s: %q", name, value)
		}
	}
}

// TestTracing: with tracing.yml behind traefik.yml, services are told of the
// trace, and the collector of the request, without what is in its query.
func TestTracing(t *testing.T) {
	t.Parallel()
	log := &buffer{}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		content, err := gzip.NewReader(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("a request for %s: %v", r.URL, err)
			return
		}
		if _, err := io.Copy(log, content); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(collector.Close)
	section, err := os.ReadFile("tracing.yml")
	if err != nil {
		t.Fatal(err)
	}
	p, _, _ := newGateway(t, "\nping:\n", "\n"+strings.ReplaceAll(string(section), "http://127.0.0.1:4318", collector.URL)+"\nping:\n")
	got := p.get(t, "/api/oauth/callback/provider_search?code=secret-code&state=secret-state").echoed(t)
	sampled := regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-01$`)
	if value := got.Header.Get("Traceparent"); !sampled.MatchString(value) {
		t.Errorf("the service received Traceparent: %q", value)
	}
	eventually(t, "the trace arrives", func() bool { return strings.Contains(log.String(), "/api/oauth/callback/provider_search") })
	if content := log.String(); strings.Contains(content, "secret") || !strings.Contains(content, "code=REDACTED") {
		t.Error("the trace holds the query")
	}
}
