package gateway

import (
	"net/http"
	"strings"
	"testing"
)

// The hardware service returns 404 for unknown paths. A line is a method and paths.
func TestRoutesReachTheirService(t *testing.T) {
	p, _, _ := startWithServices(t)
	for service, routes := range map[string]string{
		"directory": `
			POST /api/oauth/connect/provider_search/search_profile /api/bizprofile/audit /api/auth/login
			POST /api/admin/users/7/delete /konto/logowanie /audyt/some-company
			GET /api/oauth/callback/provider_social /api/company/users /konto/uzytkownicy/7 /api/oauth /api/auth
			GET / /konto /konto/static/site.0a1b2c.css /audyt /docs /docs/hardware /openapi/hardware.yaml
			GET /favicon.ico /sitemap.xml /.well-known/security.txt /api/admin /api/bizprofile /api/oauth/nothing
			HEAD /api/oauth/status /
			DELETE /api/oauth/status
			OPTIONS /api/oauth/status
		`,
		"hardware": `
			GET /api/benchmark/cpu /api/prices/ceneo /kreator /kreator/ranking/gpu?szukaj=rtx&ile=50
			GET /kreatorium /api/benchmark /index.html /kontobankowe /audyty /docsify /api/oauthority
			GET /ping /metrics /dashboard/ /api/rawdata /debug/pprof/
			HEAD /api/benchmark/cpu /kreator
			POST /api/prices/ceneo/quotes /kreator/z /nothing/here
			OPTIONS /api/prices/ceneo/quotes
		`,
	} {
		for line := range strings.Lines(strings.TrimSpace(routes)) {
			fields := strings.Fields(line)
			for _, path := range fields[1:] {
				got := sendAs(t, p.client, fields[0], p.web+path, "")
				if got.header.Get("X-Backend") != service {
					t.Errorf("%s %s: %d from %q", fields[0], path, got.status, got.header.Get("X-Backend"))
				}
				if fields[0] == http.MethodHead {
					continue
				}
				if e := got.echoed(t); e.Method != fields[0] || e.URI != path {
					t.Errorf("%s %s: the service received %s %s", fields[0], path, e.Method, e.URI)
				}
			}
		}
	}
}

// The path is cleaned before it is routed. The query is not changed, except that a semicolon
// stays inside its value.
func TestPathsAndQueriesArrive(t *testing.T) {
	p, _, _ := startWithServices(t)
	wants := map[string]string{
		"/api/prices/../oauth/status":        "directory /api/oauth/status",
		"/api/oauth/%2e%2e/benchmark/cpu":    "hardware /api/benchmark/cpu",
		"//api//oauth///status":              "directory /api/oauth/status",
		"/api/bizprofile/audit/%C5%82%C3%B3": "directory /api/bizprofile/audit/%C5%82%C3%B3",
		"/api/prices/ceneo?q=i5;14600K&a=b":  "hardware /api/prices/ceneo?q=i5%3B14600K&a=b",
	}
	for _, query := range []string{
		"q=RTX%204070%20SUPER&category=gpu", "q=szukaj%20%C5%82", "q=szukaj%20ł", "q=Ryzen+7+7800X3D",
		"q=a%2Bb%26c%3Dd", "q=%2Fetc%2F..%2Fpasswd", "q=100%25&q=second", "q=%3B&limit=5", "q=a?b/c:d@e",
		"code=4%2F0Ab_x-y&state=1%3A2%3Asearch_profile%3AabC_-", "q=",
	} {
		wants["/api/prices/ceneo?"+query] = "hardware /api/prices/ceneo?" + query
	}
	for target, want := range wants {
		if got := p.raw(t, target, "").echoed(t); got.Backend+" "+got.URI != want {
			t.Errorf("%s: %s received %s, want %s", target, got.Backend, got.URI, want)
		}
	}
}

// The app has every address but the API, the state of a deletion and the assets of pages that
// the services still make. TestRoutesReachTheirService has the routes without it.
func TestWebAppHasItsRoutes(t *testing.T) {
	app := newBackend(t, "app")
	p, _, _ := startWithServices(t, "WEB_APP_URL="+app.public.URL)
	for service, paths := range map[string]string{
		"app": "/ /site.js /konto/integracje/?oauth_success=provider_social/social_pages " +
			"/konto/nowe-haslo?token=mXq0 " +
			"/konto/logowanie /audyt /audyt/some-company /docs /openapi/directory.yaml /kreator /kreator/zestaw /apis",
		"directory": "/api/oauth/status /api/oauth /api/auth/me /api/auth/reset/confirm /api/bizprofile/audit " +
			"/konto/usuniecie-danych/6f1c /konto/static/site.css",
		"hardware": "/api /api/benchmark/cpu /api/prices/ceneo?q=rtx /api/nothing /kreator/static/site.css",
	} {
		for path := range strings.FieldsSeq(paths) {
			if got := p.get(t, path).echoed(t); got.Backend != service || got.URI != path {
				t.Errorf("%s: %q received %s, want %q", path, got.Backend, got.URI, service)
			}
		}
	}
}
