package e2e

import (
	"net/http"
	"strings"
	"testing"
)

func TestBenchmarkSiteIsDown(t *testing.T) {
	s := native(t, options{})
	get(t, s.gateway, "/api/benchmark/gpu")
	s.sandbox.fault(t, "benchmark", `{"kind":"down"}`)

	if a := get(t, s.gateway, "/api/benchmark/gpu?limit=2"); !strings.Contains(a.header.Get("Cache-Status"), "hit") {
		t.Errorf("a cached ranking is no hit while the site is down: %q", a.header.Get("Cache-Status"))
	}
	asked := len(s.sandbox.requests(t, "benchmark"))
	for range 20 {
		a := get(t, s.gateway, "/api/benchmark/hdd?limit=10")
		if got := decode[ranking](t, a); a.status != http.StatusOK || got.Source != "local-fallback" || got.Count != 10 {
			t.Fatalf("%d %+v", a.status, got)
		}
		if a.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("fallback may be cached: %v", a.header)
		}
	}
	if n := len(s.sandbox.requests(t, "benchmark")) - asked; n != 1 {
		t.Errorf("20 fallbacks asked the site %d times, want once", n)
	}
}

func TestAggregatorRefuses(t *testing.T) {
	s := native(t, options{})
	s.sandbox.fault(t, "aggregator", `{"kind":"captcha"}`)
	if a := get(t, s.gateway, "/api/prices/ceneo?q=rtx+4060"); a.status != http.StatusBadGateway || decode[failure](t, a).Code != "source_blocked" {
		t.Fatalf("%d %s", a.status, a.body)
	}
	asked := len(s.sandbox.requests(t, "aggregator"))
	a := get(t, s.gateway, "/api/prices/ceneo?q=rtx+4090")
	if a.status != http.StatusServiceUnavailable || decode[failure](t, a).Code != "source_paused" || a.header.Get("Retry-After") == "" {
		t.Errorf("after a refusal: %d %s, Retry-After %q", a.status, a.body, a.header.Get("Retry-After"))
	}
	if n := len(s.sandbox.requests(t, "aggregator")) - asked; n != 0 {
		t.Errorf("a paused source was asked %d times", n)
	}
}
