package gateway

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAccessLogContainsNoSecrets(t *testing.T) {
	t.Parallel()
	p, directory, _ := newGateway(t)
	directory.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "made-inside")
		w.Header().Set("Set-Cookie", "session=secret-set-cookie")
		w.Header().Set("Location", "/konto/integracje?oauth_error=secret-location")
		w.WriteHeader(http.StatusInternalServerError)
	})
	p.get(t, "/api/oauth/callback/provider_search?code=secret-code&state=secret-state",
		"Cookie", "session=secret-cookie",
		"Authorization", "Bearer secret-token",
		"Referer", "https://app.example/?secret-referer",
		"X-Request-Id", "secret-from-outside",
		"User-Agent", "routing-test/1")

	var line map[string]any
	eventually(t, "the request is logged", func() bool {
		line = logged(t, p, "directory-callback@file")
		return line != nil
	})
	for field, want := range map[string]any{
		"RequestMethod":           "GET",
		"RequestPath":             "/api/oauth/callback/provider_search",
		"DownstreamStatus":        float64(http.StatusInternalServerError),
		"ClientHost":              "127.0.0.1",
		"ServiceAddr":             directory.addr(),
		"downstream_X-Request-Id": "made-inside",
		"request_User-Agent":      "routing-test/1",
	} {
		if line[field] != want {
			t.Errorf("%s: %v, want %v", field, line[field], want)
		}
	}
	if log := p.log.String(); strings.Contains(log, "secret") {
		t.Errorf("a secret in the log:\n%s", log)
	}
}

// The services log all other requests.
func TestAccessLogContainsErrorsAndSlowResponses(t *testing.T) {
	t.Parallel()
	p, _, hardware := newGateway(t)
	hardware.answerWith(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/prices/refused":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/api/prices/slow":
			time.Sleep(time.Second)
		}
	})
	for _, path := range []string{"/api/prices/quick", "/api/prices/refused", "/api/prices/slow"} {
		p.get(t, path)
	}
	var paths []string
	eventually(t, "the slow answer is logged", func() bool {
		paths = nil
		for text := range strings.Lines(p.log.String()) {
			var line struct{ RequestPath string }
			if err := json.Unmarshal([]byte(text), &line); err == nil && line.RequestPath != "" && line.RequestPath != loadedPath {
				paths = append(paths, line.RequestPath)
			}
		}
		return slices.Contains(paths, "/api/prices/slow")
	})
	if want := []string{"/api/prices/refused", "/api/prices/slow"}; !slices.Equal(paths, want) {
		t.Errorf("logged %q, want %q", paths, want)
	}
}

// logged returns the first access log line of a router, or nil. The name of a router is
// preceded by that of its parent.
func logged(t *testing.T, p *process, router string) map[string]any {
	t.Helper()
	for text := range strings.Lines(p.log.String()) {
		var line map[string]any
		if !strings.HasSuffix(text, "\n") {
			return nil
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("not a JSON log line: %v: %s", err, text)
		}
		if name, _ := line["RouterName"].(string); strings.HasSuffix(name, router) {
			return line
		}
	}
	return nil
}

// outside contains headers with which a client would join a trace.
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

// With tracing.yml appended to traefik.yml, services receive the trace context and the
// collector receives the span, without the query.
func TestTracingSendsSpansWithoutQueries(t *testing.T) {
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
		t.Error("the span contains the query")
	}
}
