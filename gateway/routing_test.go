package gateway

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestRoutesReachTheirService(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	for _, route := range []struct{ method, path, service string }{
		{"POST", "/api/oauth/connect/provider_search/search_profile", "directory"},
		{"GET", "/api/oauth/callback/provider_social", "directory"},
		{"GET", "/api/oauth/status", "directory"},
		{"HEAD", "/api/oauth/status", "directory"},
		{"POST", "/api/oauth/disconnect/provider_social/social_pages", "directory"},
		{"POST", "/api/oauth/provider_search/discover-locations", "directory"},
		{"POST", "/api/oauth/provider_search/sync-analytics", "directory"},
		{"POST", "/api/oauth/provider_social/discover-pages", "directory"},
		{"POST", "/api/oauth/provider_social/select-page", "directory"},
		{"POST", "/api/oauth/provider_social/sync-facebook", "directory"},
		{"POST", "/api/oauth/provider_social/sync-instagram", "directory"},
		{"POST", "/api/oauth/provider_social/deauthorize", "directory"},
		{"POST", "/api/oauth/provider_social/data-deletion", "directory"},
		{"GET", "/konto/usuniecie-danych/6f1c0a5be2d94f7f", "directory"},
		{"GET", "/api/bizprofile/audit/health", "directory"},
		{"GET", "/api/bizprofile/audit", "directory"},
		{"POST", "/api/bizprofile/audit", "directory"},
		{"GET", "/api/bizprofile/audit/some-company", "directory"},
		{"POST", "/api/auth/login", "directory"},
		{"POST", "/api/auth/logout", "directory"},
		{"GET", "/api/auth/me", "directory"},
		{"GET", "/", "directory"},
		{"HEAD", "/", "directory"},
		{"GET", "/konto", "directory"},
		{"GET", "/konto/integracje", "directory"},
		{"POST", "/konto/logowanie", "directory"},
		{"GET", "/konto/static/site.0a1b2c.css", "directory"},
		{"GET", "/audyt", "directory"},
		{"GET", "/audyt/some-company", "directory"},
		{"POST", "/audyt/some-company", "directory"},
		{"GET", "/docs", "directory"},
		{"GET", "/docs/hardware", "directory"},
		{"GET", "/openapi/directory.yaml", "directory"},
		{"GET", "/openapi/hardware.yaml", "directory"},
		{"DELETE", "/api/oauth/status", "directory"},
		{"GET", "/api/benchmark/cpu", "hardware"},
		{"HEAD", "/api/benchmark/cpu", "hardware"},
		{"GET", "/api/prices/ceneo", "hardware"},
		{"POST", "/api/prices/ceneo", "hardware"},
		{"POST", "/api/prices/ceneo/quotes", "hardware"},
		{"OPTIONS", "/api/benchmark/gpu", "hardware"},
		{"GET", "/kreator", "hardware"},
		{"HEAD", "/kreator", "hardware"},
		{"GET", "/kreator/ranking/gpu?szukaj=rtx&ile=50", "hardware"},
		{"GET", "/kreator/static/site.0123456789ab.css", "hardware"},
		{"POST", "/kreator", "hardware"},
		{"GET", "/kreatorium", "hardware"},
		// The hardware service returns 404 for unknown paths.
		{"GET", "/api/benchmark", "hardware"},
		{"GET", "/index.html", "hardware"},
		{"GET", "/kontobankowe", "hardware"},
		{"GET", "/audyty", "hardware"},
		{"GET", "/docsify", "hardware"},
		{"GET", "/openapi", "hardware"},
		{"GET", "/api/oauthority", "hardware"},
		{"POST", "/nothing/here", "hardware"},
		// The gateway's own pages are not public.
		{"GET", "/ping", "hardware"},
		{"GET", "/metrics", "hardware"},
		{"GET", "/dashboard/", "hardware"},
		{"GET", "/api/rawdata", "hardware"},
		{"GET", "/debug/pprof/", "hardware"},
	} {
		t.Run(route.method+" "+route.path, func(t *testing.T) {
			got := p.send(t, route.method, route.path, "")
			if got.header.Get("X-Backend") != route.service {
				t.Fatalf("answered by %q with %d, want %s", got.header.Get("X-Backend"), got.status, route.service)
			}
			if route.method == http.MethodHead {
				return
			}
			if e := got.echoed(t); e.Method != route.method || e.URI != route.path {
				t.Errorf("the service received %s %s", e.Method, e.URI)
			}
		})
	}
}

func TestQueryArrivesUnchanged(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	for _, query := range []string{
		"q=RTX%204070%20SUPER&category=gpu",
		"q=szukaj%20%C5%82",
		"q=szukaj%20ł",
		"q=Ryzen+7+7800X3D",
		"q=a%2Bb%26c%3Dd",
		"q=%2Fetc%2F..%2Fpasswd",
		"q=100%25&q=second",
		"q=%3B&limit=5",
		"q=a?b/c:d@e",
		"code=4%2F0Ab_x-y&state=1%3A2%3Asearch_profile%3AabC_-",
		"q=",
	} {
		t.Run(query, func(t *testing.T) {
			target := "/api/prices/ceneo?" + query
			if got := p.raw(t, target).echoed(t); got.URI != target {
				t.Errorf("the service received %s", got.URI)
			}
		})
	}
}

func TestSemicolonStaysInsideItsValue(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	got := p.raw(t, "/api/prices/ceneo?q=i5;14600K&category=cpu").echoed(t)
	if want := "/api/prices/ceneo?q=i5%3B14600K&category=cpu"; got.URI != want {
		t.Errorf("the service received %s, want %s", got.URI, want)
	}
}

func TestPathIsCleanedBeforeItIsRouted(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	for target, want := range map[string]struct{ service, uri string }{
		"/api/prices/../oauth/status":        {service: "directory", uri: "/api/oauth/status"},
		"/api/oauth/%2e%2e/benchmark/cpu":    {service: "hardware", uri: "/api/benchmark/cpu"},
		"//api//oauth///status":              {service: "directory", uri: "/api/oauth/status"},
		"/api/bizprofile/audit/%C5%82%C3%B3": {service: "directory", uri: "/api/bizprofile/audit/%C5%82%C3%B3"},
	} {
		t.Run(target, func(t *testing.T) {
			if got := p.raw(t, target).echoed(t); got.Backend != want.service || got.URI != want.uri {
				t.Errorf("%s received %s, want %s and %s", got.Backend, got.URI, want.service, want.uri)
			}
		})
	}
}

func TestAmbiguousPathsAreRefused(t *testing.T) {
	t.Parallel()
	p, directory, _ := newGateway(t)
	for _, encoded := range []string{"%2F", "%2f", "%5C", "%00", "%3B", "%25", "%3F", "%23"} {
		target := "/api/bizprofile/audit/a" + encoded + "b"
		if got := p.raw(t, target); got.status != http.StatusBadRequest {
			t.Errorf("%s: status %d, want 400", target, got.status)
		}
	}
	if n := directory.calls.Load(); n != 0 {
		t.Errorf("the service received %d of them", n)
	}
}

func TestUnknownPathResponsePassesUnchanged(t *testing.T) {
	t.Parallel()
	p, _, hardware := newGateway(t)
	const body = `{"error":"Nie znaleziono.","code":"not_found"}`
	hardware.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, body)
	})
	got := p.get(t, "/nie-ma")
	if got.status != http.StatusNotFound || got.body != body || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("got %d %s %q", got.status, got.header.Get("Content-Type"), got.body)
	}
}

func TestInternalEntryPoint(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	p.get(t, "/api/benchmark/cpu")
	for path, want := range map[string]string{
		"/ping":    "OK",
		"/metrics": `traefik_entrypoint_requests_total{code="200",entrypoint="web"`,
	} {
		got := sendAs(t, p.client, "GET", p.internal+path, "")
		if got.status != http.StatusOK || !strings.Contains(got.body, want) {
			t.Errorf("%s: %d without %q", path, got.status, want)
		}
	}
	if got := sendAs(t, p.client, "GET", p.internal+"/api/benchmark/cpu", ""); got.status != http.StatusNotFound {
		t.Errorf("a public route on the internal entry point: %d", got.status)
	}
}
