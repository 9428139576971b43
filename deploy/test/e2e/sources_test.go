package e2e

import (
	"net/http"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

func TestBenchmarkSiteIsDown(t *testing.T) {
	s := own(t, harness.Options{})
	harness.Get(t, s.Gateway, "/api/benchmark/gpu")
	s.Sandbox.Fault(t, "benchmark", `{"kind":"down"}`)

	if a := harness.Get(t, s.Gateway, "/api/benchmark/gpu?limit=2"); !strings.Contains(a.Header.Get("Cache-Status"), "hit") {
		t.Errorf("a cached ranking is no hit while the site is down: %q", a.Header.Get("Cache-Status"))
	}
	asked := len(s.Sandbox.Requests(t, "benchmark"))
	for range 20 {
		a := harness.Get(t, s.Gateway, "/api/benchmark/hdd?limit=10")
		if got := harness.Decode[ranking](t, a); a.Status != http.StatusOK || got.Source != "local-fallback" || got.Count != 10 {
			t.Fatalf("%d %+v", a.Status, got)
		}
		if a.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("fallback may be cached: %v", a.Header)
		}
	}
	if n := len(s.Sandbox.Requests(t, "benchmark")) - asked; n != 1 {
		t.Errorf("20 fallbacks sent %d requests to the site, want 1", n)
	}
}

func TestAggregatorRefuses(t *testing.T) {
	s := own(t, harness.Options{})
	s.Sandbox.Fault(t, "aggregator", `{"kind":"captcha"}`)
	if a := harness.Get(t, s.Gateway, "/api/prices/ceneo?q=rtx+4060"); a.Status != http.StatusBadGateway || harness.Decode[failure](t, a).Code != "source_blocked" {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	asked := len(s.Sandbox.Requests(t, "aggregator"))
	a := harness.Get(t, s.Gateway, "/api/prices/ceneo?q=rtx+4090")
	if a.Status != http.StatusServiceUnavailable || harness.Decode[failure](t, a).Code != "source_paused" || a.Header.Get("Retry-After") == "" {
		t.Errorf("after a refusal: %d %s, Retry-After %q", a.Status, a.Body, a.Header.Get("Retry-After"))
	}
	if n := len(s.Sandbox.Requests(t, "aggregator")) - asked; n != 0 {
		t.Errorf("a paused source got %d requests", n)
	}
}

// TestAggregatorRobotsAreObeyed sends queries whose obvious address robots.txt forbids:
// other addresses are used, and other queries are not affected.
func TestAggregatorRobotsAreObeyed(t *testing.T) {
	s := own(t, harness.Options{})
	for _, query := range []string{"q=klocki+magnetyczne&category=gpu", "q=klocki+magnetyczne", "q=rtx+4060"} {
		if a := harness.Get(t, s.Gateway, "/api/prices/ceneo?"+query); a.Status != http.StatusOK {
			t.Errorf("%s: %d %s", query, a.Status, a.Body)
		}
	}
	for _, request := range s.Sandbox.Requests(t, "aggregator") {
		if strings.HasPrefix(request.Path, "/;") || strings.HasPrefix(strings.ToLower(request.Path), "/click/") {
			t.Errorf("requested %s", request.Path)
		}
	}
}
