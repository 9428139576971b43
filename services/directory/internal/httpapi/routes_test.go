package httpapi_test

import (
	"net/http"
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

// requireAllRoutes fails for a route that is not listed. HEAD answers like GET.
func requireAllRoutes(t *testing.T, listed []string) {
	t.Helper()
	withService(t, func(t *testing.T, w *world) {
		for _, route := range w.routes() {
			method, path, _ := strings.Cut(route, " ")
			if method == strings.ToUpper(method) && !slices.Contains(listed, strings.Replace(method, "HEAD", "GET", 1)+" "+path) {
				t.Errorf("%s is not listed", route)
			}
		}
	})
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

// TestOtherMethods: every path names the methods that it allows.
func TestOtherMethods(t *testing.T) {
	all := []string{"OPTIONS", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "INVENTED", "get"}
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		for path, methods := range w.paths() {
			for _, method := range all {
				if slices.Contains(methods, method) {
					continue
				}
				a := b.do(method, path, "")
				switch method {
				case http.MethodOptions:
					a.want(204)
				case http.MethodHead:
					a.want(405)
				default:
					a.wantErrorOnly(405, textNotThisMethod)
				}
				requireAllow(t, a, methods)
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

// TestOtherSites: no page of another site makes a browser change anything, and none
// learns whether it is logged in.
func TestOtherSites(t *testing.T) {
	tests := []struct {
		headers []string
		allowed bool
	}{
		{[]string{"Sec-Fetch-Site", "cross-site"}, false},
		{[]string{"Sec-Fetch-Site", "same-site"}, false},
		{[]string{"Origin", "https://evil.example"}, false},
		{[]string{"Origin", "null"}, false},
		{[]string{"Origin", "http://firmy.example"}, false}, // not by https
		{[]string{"Sec-Fetch-Site", "same-origin"}, true},
		{[]string{"Sec-Fetch-Site", "none"}, true},
		{[]string{"Origin", publicURL}, true},
		{nil, true},
	}
	withService(t, func(t *testing.T, w *world) {
		for path, methods := range w.paths() {
			for _, method := range methods {
				for _, test := range tests {
					a := w.browser().do(method, path, "", test.headers...)
					signed := path == deauthorize || path == dataDeletion // by the provider, from its own site
					refused := method == http.MethodPost && !test.allowed && !signed
					if refused {
						a.wantErrorOnly(403, textOtherSite)
					} else if a.Code == 403 {
						t.Errorf("%s %s with %v: %s", method, path, test.headers, a.Body)
					}
				}
			}
		}
	})
}
