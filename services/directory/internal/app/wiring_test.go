package app

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/httpx"
)

// everySetting are settings that switch on all that can be configured.
func everySetting(t *testing.T) []string {
	t.Helper()
	return settingsOf(t, "sqlite:"+t.TempDir()+"/directory.db",
		"DIRECTORY_PUBLIC_URL=https://firmy.example/", "DIRECTORY_COMPANY_ACCESS=strict", "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true",
		"DIRECTORY_SMTP_URL=smtp://127.0.0.1:1?from=no-reply@firmy.example&tls=off", "DIRECTORY_SCAN_INTERVAL=1h", "PLACES_API_KEY=key",
		"PROVIDER_SEARCH_CLIENT_ID=id", "PROVIDER_SEARCH_CLIENT_SECRET=secret", "PROVIDER_SOCIAL_CLIENT_ID=id", "PROVIDER_SOCIAL_CLIENT_SECRET=secret",
		"PROVIDER_SOCIAL_PKCE=true", "PROVIDER_SOCIAL_CONFIG_ID=1", "PROVIDER_SOCIAL_BASE_URL=http://127.0.0.1:1",
	)
}

// TestEveryPartIsWired checks which parts of the service miss something, if all is configured
// and if nothing is. Places in slices are not numbered.
func TestEveryPartIsWired(t *testing.T) {
	ofProcess := []string{"tracing", "background", "accessLog", "network"} // that serves, or of a simulation
	noRequests := []string{
		"features.connections.providers.provider_search.ReadRequest", "scans.connections.providers.provider_search.ReadRequest",
		"scan.Options.Steps.{provider_search search_analytics}.Chosen", "scan.Options.Steps.{provider_social social_photos}.Chosen",
	}
	notConfigured := []string{"passwords.PasswordOptions.Send", "sessions.secure", "webhooks.Options.AllowPrivate"}
	for _, of := range []string{"features", "scans"} {
		for _, part := range []string{
			"connections.strict", "social.Options.Strict", "locations.Options.Configured", "audits.options.FindPlace", "connections.providers.provider_search.Configured",
			"connections.providers.provider_social.Configured", "connections.providers.provider_social.UsesPKCE",
		} {
			notConfigured = append(notConfigured, of+"."+part)
		}
	}
	full := openApp(t, everySetting(t))
	settings, _ := newDirectory(t)
	for name, test := range map[string]struct {
		app  *app
		want []string
	}{
		"everything": {full, slices.Concat(ofProcess, noRequests)},
		"nothing":    {openApp(t, settings), slices.Concat(ofProcess, noRequests, notConfigured)},
	} {
		unset := slices.DeleteFunc(unsetBelow(test.app), func(path string) bool { return strings.HasPrefix(path, "cfg.") })
		slices.Sort(unset)
		slices.Sort(test.want)
		if diff := cmp.Diff(test.want, unset); diff != "" {
			t.Errorf("%s configured: not set (-want +got):\n%s", name, diff)
		}
	}
	turn := func(context.Context) error { return nil }
	search, social := full.newSearch(func(context.Context, string) error { return nil }), full.newSocial(turn)
	for name, part := range map[string]any{
		"search": search, "social": social, "places": full.newPlaces(func(context.Context, string) error { return nil }),
		"provider_social": socialProvider(social, true), "budget": full.budgetOf(metrics.New(prometheus.NewRegistry()), provider.Search, "places", 10).Options,
	} {
		if unset := unsetBelow(part); len(unset) > 0 {
			t.Errorf("%s: %q are not set", name, unset)
		}
	}
	if unset := unsetBelow(searchProvider(search)); !slices.Equal(unset, []string{"ReadRequest"}) {
		t.Errorf("provider_search: %q are not set", unset)
	}
	for description, field := range reflect.ValueOf(*full.services()).Fields() {
		if field.IsZero() {
			t.Errorf("%s of commands is not set", description.Name)
		}
	}
}

// unsetBelow returns the paths of the fields below part that are zero.
func unsetBelow(part any) (paths []string) {
	requireSet(reflect.ValueOf(part), "", map[uintptr]bool{}, func(path string) { paths = append(paths, strings.TrimPrefix(path, ".")) })
	return paths
}

// requireSet reports the fields below v that are zero, as far as they are of this module. The
// database is not looked into.
func requireSet(v reflect.Value, path string, seen map[uintptr]bool, report func(path string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			requireSet(v.Elem(), path, seen, report)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			requireSet(v.MapIndex(key), path+"."+fmt.Sprint(key), seen, report)
		}
	case reflect.Slice:
		for i := range v.Len() {
			requireSet(v.Index(i), path, seen, report)
		}
	case reflect.Struct:
		of := v.Type().PkgPath()
		if !strings.HasPrefix(of, "backend.example/services/directory") || strings.HasSuffix(of, "/database") {
			return
		}
		for description, field := range v.Fields() {
			if at := path + "." + description.Name; field.IsZero() {
				report(at)
			} else {
				requireSet(field, at, seen, report)
			}
		}
	}
}

// TestTransportsOfProviders checks which hosts the calls to a provider may reach: without a
// base URL those of the provider, with one its host alone, and in simulations the network.
func TestTransportsOfProviders(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer server.Close()
	a := openApp(t, append(everySetting(t), "PROVIDER_SOCIAL_BASE_URL="+server.URL))
	for name, test := range map[string]struct {
		transport http.RoundTripper
		address   string
		want      int // 0: refused
	}{
		"the base":             {a.transport(a.cfg.SocialBaseURL), server.URL, http.StatusTeapot},
		"a host, without base": {a.transport(nil), server.URL, 0}, // which is not public
	} {
		status := 0
		response, err := test.transport.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, test.address, nil))
		if err == nil {
			status = response.StatusCode
			_ = response.Body.Close()
		}
		if status != test.want {
			t.Errorf("%s: %d, %v, want %d", name, status, err, test.want)
		}
	}
}

// visitor sends requests to a handler, as a browser with the cookie of a session.
type visitor struct {
	handler http.Handler
	cookie  string
}

func (v visitor) send(method, path, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if strings.HasPrefix(body, "{") {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Cookie", v.cookie)
	response := httptest.NewRecorder()
	v.handler.ServeHTTP(response, request)
	return response
}

// TestEveryRouteIsWired requests every address as two users, and posts what reaches each part
// of the service. A part that is missing would make it a failure of the service.
func TestEveryRouteIsWired(t *testing.T) {
	f := newFakeProvider(t)
	a := openApp(t, f.settings)
	var access bytes.Buffer
	a.accessLog = httpx.NewAccessLog(&access)
	handler, err := a.handler()
	ok(t, err)
	as := func(email string) visitor {
		in := visitor{handler, ""}.send(http.MethodPost, "/api/auth/login", `{"email":"`+email+`","password":"`+cli.DemoPassword+`"}`)
		cookie, _, _ := strings.Cut(in.Header().Get("Set-Cookie"), ";")
		return visitor{handler, cookie}
	}
	admin, office := as("admin@demo.example"), as("biuro@demo.example")
	fill := strings.NewReplacer(":provider", "provider_search", ":service", "search_profile", ":slug", "piekarnia-kowalski", ":id", "1", ":kanal", "strona", ":code", "x")
	for _, route := range handler.(*echo.Echo).Routes() {
		for name, v := range map[string]visitor{"admin": admin, "office": office} {
			if route.Method != http.MethodGet {
				continue
			}
			if response := v.send(http.MethodGet, fill.Replace(route.Path), ""); response.Code >= 500 {
				t.Errorf("GET %s as %s: %d %s", route.Path, name, response.Code, response.Body)
			}
		}
	}
	for _, post := range []struct {
		as         visitor
		path, body string
		want       int
		location   string
	}{
		{visitor{handler, ""}, "/konto/logowanie", "email=biuro@demo.example&password=" + cli.DemoPassword, 303, "/konto/przeglad"},
		{office, "/api/auth/password", `{"old_password":"x","new_password":"x"}`, 400, ""},
		{office, "/api/oauth/provider_search/sync-performance", `{"company_id":1}`, 400, ""},
		{office, "/api/oauth/provider_search/sync-analytics", `{"company_id":1}`, 400, ""},
		{office, "/api/oauth/provider_social/sync-facebook", `{"company_id":1}`, 400, ""},
		{office, "/api/oauth/provider_social/sync-instagram", `{"company_id":1}`, 400, ""},
		{office, "/api/oauth/provider_search/discover-locations", `{"company_id":1}`, 404, ""},
		{office, "/api/oauth/provider_social/discover-pages", `{"company_id":1}`, 404, ""},
		{office, "/api/oauth/disconnect/provider_search/search_profile", `{"company_id":1}`, 404, ""},
		{visitor{handler, ""}, "/api/oauth/provider_social/deauthorize", "signed_request=a.b", 503, ""},
		{office, "/api/bizprofile/audit", `{"company_id":1}`, 200, ""},
		{office, "/konto/deweloper/powiadomienia/7/proba", "company_id=1", 303, "/konto/deweloper"},
		{office, "/audyt/piekarnia-kowalski", "", 303, "/konto/audyt"},
		{admin, "/konto/firmy/1", "name=Piekarnia", 303, "/konto/firmy/1"},
		{admin, "/konto/uzytkownicy/5/usun", "", 303, "/konto/uzytkownicy"},
		{admin, "/api/admin/users/6/delete", "", 200, ""},
		{admin, "/api/admin/users/4/reset-link", "", 200, ""},
		{admin, "/api/admin/companies", `{"name":"Firma","slug":"firma"}`, 200, ""},
		{admin, "/konto/firmy/nowa", strings.Repeat("x", 1<<16+1), 413, ""},
	} {
		response := post.as.send(http.MethodPost, post.path, post.body)
		if response.Code != post.want || response.Header().Get("Location") != post.location {
			t.Errorf("POST %s: %d %s to %q, want %d to %q", post.path, response.Code, response.Body, response.Header().Get("Location"), post.want, post.location)
		}
	}
	for _, u := range []string{"czlonek@demo.example", "gosc@demo.example"} {
		if _, err := a.users.ByEmail(t.Context(), u); err == nil {
			t.Errorf("%s was not erased", u)
		}
	}
	for _, provider := range []string{"provider_search", "provider_social"} { // as scanners of links do
		if head := office.send(http.MethodHead, "/api/oauth/callback/"+provider, ""); head.Code != http.StatusFound {
			t.Errorf("HEAD of the callback of %s: %d", provider, head.Code)
		}
	}
	if page := office.send(http.MethodGet, "/konto/nie-ma", ""); page.Code != 404 || !strings.HasPrefix(page.Header().Get("Content-Type"), "text/html") {
		t.Errorf("an unknown page: %d %s", page.Code, page.Body)
	}
	a.accessLog.Flush()
	if text := access.String(); !strings.Contains(text, `"/konto/firmy/nowa"`) {
		t.Errorf("logged %s", text)
	}
	if _, counted := gauges(t, a.registry)["directory_http_requests_in_flight"]; !counted {
		t.Error("requests are not counted")
	}
}
