package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func (w *world) routes() (routes []string) {
	for _, route := range w.echo.Routes() {
		routes = append(routes, route.Method+" "+route.Path)
	}
	return routes
}

func TestRoutesAreTheDocumentedOnes(t *testing.T) {
	withService(t, func(t *testing.T, w *world) { checker.RequireRoutes(t, w.routes()) })
}

// paths gives an address for every path of the API, with the methods that it has.
func (w *world) paths() map[string][]string {
	fill := strings.NewReplacer(":provider", "provider_search", ":service", "search_profile", ":slug", "piekarnia")
	paths := map[string][]string{}
	for _, route := range w.routes() {
		method, path, _ := strings.Cut(route, " ")
		if method == strings.ToUpper(method) {
			path = fill.Replace(path)
			paths[path] = append(paths[path], method)
		}
	}
	return paths
}

func TestOptions(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		for path, methods := range w.paths() {
			a := w.browser().do(http.MethodOptions, path, "").want(204)
			if a.Body.Len() > 0 {
				t.Errorf("%s: body %s", path, a.Body)
			}
			requireAllow(t, a, methods)
		}
	})
}

func TestOtherMethods(t *testing.T) {
	all := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "INVENTED", "get"}
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		for path, methods := range w.paths() {
			for _, method := range all {
				if slices.Contains(methods, method) {
					continue
				}
				a := b.do(method, path, "").want(405)
				requireAllow(t, a, methods)
				if method != http.MethodHead {
					a.wantErrorOnly(405, textNotThisMethod)
				}
			}
		}
	})
}

func requireAllow(t *testing.T, a answer, methods []string) {
	t.Helper()
	allowed := strings.Split(a.Header().Get("Allow"), ", ")
	slices.Sort(allowed)
	want := slices.Sorted(slices.Values(append([]string{"OPTIONS"}, methods...)))
	if !slices.Equal(allowed, want) {
		t.Errorf("Allow %q, want %q", allowed, want)
	}
}

func TestUnknownPaths(t *testing.T) {
	paths := []string{
		"/", "/api", "/api/", "/api/auth", "/api/auth/", "/api/auth/login/", "/api/auth/login/x", "/api/oauth", "/api/oauth/",
		"/api/oauth/connect", "/api/oauth/connect/", "/api/oauth/connect/provider_search", "/api/oauth/connect/provider_search/",
		"/api/oauth/connect//search_profile", "/api/oauth/connect/provider_search/search_profile/",
		"/api/oauth/connect/provider_search/search_profile/x", "/api/oauth/callback", "/api/oauth/callback/",
		"/api/oauth/callback/provider_search/", "/api/oauth/callback/provider_search/x?code=a", "/api/oauth/disconnect//",
		"/api/oauth/provider_search/sync-facebook", "/api/oauth/provider_social/discover-locations", "/api/oauth/status/x",
		"/api/bizprofile", "/api/bizprofile/audit/", "/api/bizprofile/audit//history", "/api/bizprofile/audit/piekarnia/",
		"/api/bizprofile/audit/piekarnia/x", "/api/bizprofile/audit/piekarnia/history/x", "/api/bizprofile/audit/piekarnia/history/",
		"/api/bizprofile/audit/health/", "/api%2Foauth/status", "//api/oauth/status", "/API/oauth/status", "/konto/integracje",
		"/metrics", "/healthz", "/readyz", "/favicon.ico",
	}
	withService(t, func(t *testing.T, w *world) {
		for _, path := range paths {
			for _, b := range []*browser{w.browser(), w.loggedInAs(w.Anna)} {
				for _, method := range []string{"GET", "POST", "OPTIONS", "INVENTED"} {
					if a := b.do(method, path, ""); a.Code != 404 {
						t.Errorf("%s %s: %d %s", method, path, a.Code, a.Body)
					} else {
						a.wantErrorOnly(404, textNotFound)
					}
				}
				if a := b.do(http.MethodHead, path, ""); a.Code != 404 || a.Body.Len() > 0 {
					t.Errorf("HEAD %s: %d %s", path, a.Code, a.Body)
				}
			}
		}
	})
}

// TestHeadIsGetWithoutBody asks a real server, which writes the headers itself.
func TestHeadIsGetWithoutBody(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		anna := w.loggedInAs(w.Anna)
		anna.post("/api/bizprofile/audit", `{"slug":"piekarnia"}`).want(200)
		paths := map[string]int{ // path → status for anna
			"/api/auth/me": 200, "/api/oauth/status": 200, "/api/bizprofile/audit/health": 200,
			"/api/bizprofile/audit": 400, "/api/bizprofile/audit?slug=piekarnia": 200, "/api/bizprofile/audit?company_id=x": 400,
			"/api/bizprofile/audit/piekarnia": 200, "/api/bizprofile/audit/x": 404,
			"/api/bizprofile/audit/piekarnia/history": 200, "/api/bizprofile/audit/piekarnia/history?limit=0": 400, "/x": 404,
		}
		server := httptest.NewServer(w)
		defer server.Close()
		for path, status := range paths {
			get, content := w.fetch(anna, http.MethodGet, server.URL+path)
			head, nothing := w.fetch(anna, http.MethodHead, server.URL+path)
			if get.StatusCode != status || head.StatusCode != status || nothing != "" || content == "" {
				t.Errorf("%s: GET %d, HEAD %d %q, want %d", path, get.StatusCode, head.StatusCode, nothing, status)
			}
			for _, name := range []string{"Cache-Control", "ETag"} {
				if g, h := get.Header.Get(name), head.Header.Get(name); g != h {
					t.Errorf("%s: %s is %q, for HEAD %q", path, name, g, h)
				}
			}
		}
		for _, path := range []string{"/api/auth/me", "/api/oauth/status"} {
			if head, nothing := w.fetch(w.browser(), http.MethodHead, server.URL+path); head.StatusCode != 401 || nothing != "" {
				t.Errorf("%s without a login: %d %q", path, head.StatusCode, nothing)
			}
		}
	})
}

// fetch sends a request of b to a server.
func (w *world) fetch(b *browser, method, address string) (*http.Response, string) {
	w.t.Helper()
	r := b.request(method, address, "").WithContext(w.t.Context())
	r.RequestURI = ""
	response, err := http.DefaultClient.Do(r)
	w.ok(err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	w.ok(err)
	return response, string(content)
}
