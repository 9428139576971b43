package app_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/app"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/build"
)

func TestRoutesAreTheDocumentedOnes(t *testing.T) {
	apptest.Checker.RequireRoutes(t, apptest.New(t).Routes())
}

// TestEveryRequestIsAnsweredAsDocumented sends thousands of random requests, valid and
// invalid, of users of each kind, to a company whose state they change.
func TestEveryRequestIsAnsweredAsDocumented(t *testing.T) {
	a := apptest.New(t)
	other := a.AddCompany("cukiernia")
	visitors := []*account.User{nil}
	for _, u := range []account.User{
		a.Anna, a.AddUser("admin", account.Admin, nil), a.AddUser("obcy", account.Member, &other),
		a.AddUser("wolny", account.Unaffiliated, nil),
	} {
		visitors = append(visitors, &u)
	}
	sent := 0 // the visitors take turns
	visit := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		visitor := visitors[sent%len(visitors)]
		sent++
		if visitor != nil && !strings.HasSuffix(r.URL.Path, "/delete") { // so that the visitors stay
			a.Browser(*visitor).Dress(r)
		}
		a.Handler.ServeHTTP(w, r)
	})
	a.Browser(a.Anna).Connect(provider.PagesPair, "anna")
	valid, invalid := apptest.Checker.SendRandom(t, visit, 40, map[string][]any{
		"company_id": {a.Company.ID, other.ID, 999, "9223372036854775808"},
		"slug":       {"piekarnia", "cukiernia", "nie-ma"},
		"page_id":    {"105600000010001", "1"}, "location_name": {"locations/1"},
		"provider": {"provider_search", "provider_social"}, "service": {"search_profile", "social_pages"},
		"id": {1, 2, 999}, "email": {"anna@poczta.example"}, "error": {""},
	})
	const least = 50 // of each important status, or the requests are too much alike
	for name, count := range map[string]int{
		"valid requests with 200": valid[200], "valid requests with 401": valid[401],
		"invalid requests with 400": invalid[400],
	} {
		if count < least {
			t.Errorf("%s: %d, want at least %d", name, count, least)
		}
	}
}

// methodsByPath returns the methods of each path of the API, whose parameters are filled in.
func methodsByPath(a *apptest.App) map[string][]string {
	fill := strings.NewReplacer(":provider", "provider_search", ":service", "search_profile", ":slug", "piekarnia",
		":id", "1")
	found := map[string][]string{}
	for _, route := range a.Routes() {
		method, path, _ := strings.Cut(fill.Replace(route), " ")
		if method == strings.ToUpper(method) { // not one of echo's own, such as echo_route_not_found
			found[path] = append(found[path], method)
		}
	}
	return found
}

// TestOtherMethods are refused, and OPTIONS lists those that a path has.
func TestOtherMethods(t *testing.T) {
	a := apptest.New(t)
	b := a.Browser(a.Anna)
	for path, methods := range methodsByPath(a) {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "get"} {
			if slices.Contains(methods, method) {
				continue
			}
			b.Do(method, path, nil).
				WantError(http.StatusMethodNotAllowed, "Ta metoda nie jest dozwolona dla tego adresu.")
		}
		allowed := strings.Split(b.Do("OPTIONS", path, nil).Want(http.StatusNoContent).Header().Get("Allow"), ", ")
		want := append([]string{"OPTIONS"}, methods...)
		slices.Sort(allowed)
		slices.Sort(want)
		if diff := cmp.Diff(want, allowed); diff != "" {
			t.Errorf("%s: Allow (-want +got):\n%s", path, diff)
		}
	}
}

func TestUnknownPaths(t *testing.T) {
	a := apptest.New(t)
	for _, path := range []string{
		"/api", "/api/", "/api/auth/login/", "/api/auth/login/x", "/api/oauth/connect/",
		"/api/oauth/connect/provider_search/",
		"/api/oauth/connect//search_profile", "/api/oauth/connect/provider_search/search_profile/x",
		"/api/oauth/callback/",
		"/api/oauth/callback/provider_search/x?code=a", "/api/oauth/disconnect//", "/api/bizprofile/audit/",
		"/api/bizprofile/audit//history", "/api/bizprofile/audit/piekarnia/x", "/api/admin/users/1/x",
		"/api%2Foauth/status",
	} {
		for _, method := range []string{"GET", "POST"} {
			a.Browser(a.Anna).Do(method, path, nil).WantError(http.StatusNotFound, "Nie znaleziono zasobu.")
		}
	}
}

// TestOtherSites: a page of another site changes nothing and does not learn whether its
// visitor is logged in.
func TestOtherSites(t *testing.T) {
	a := apptest.New(t)
	for path, methods := range methodsByPath(a) {
		fromMeta := strings.HasSuffix(path, "/deauthorize") || strings.HasSuffix(path, "/data-deletion")
		if fromMeta || !slices.Contains(methods, http.MethodPost) {
			continue
		}
		for _, header := range [][]string{
			{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
			{"Sec-Fetch-Site", "", "Origin", "https://evil.example"},
			{"Sec-Fetch-Site", "", "Origin", "null"},
		} {
			a.Visitor().Post(path, nil, header...).
				WantError(http.StatusForbidden, "Żądanie z innej witryny zostało odrzucone.")
		}
		if response := a.Visitor().Post(path, nil, "Origin", apptest.PublicURL); response.Code == http.StatusForbidden {
			t.Errorf("POST %s from the own site: status 403: %s", path, response.Body)
		}
	}
}

const callback = "/api/oauth/callback/provider_social"

// TestCallbackOrder checks in which order a callback looks for problems. The first checks need
// neither session nor database.
func TestCallbackOrder(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	for name, test := range map[string]struct {
		browser         *apptest.Browser
		query           string
		want            string // the error in the address to which the browser is sent
		withoutDatabase string // the same while no session can be read
	}{
		"an error":              {anna, "?error=access_denied&code=c&state=s", "access_denied", "access_denied"},
		"an error, no login":    {a.Visitor(), "?error=access_denied", "access_denied", "access_denied"},
		"nothing":               {anna, "", "missing_params", "missing_params"},
		"nothing, no login":     {a.Visitor(), "", "missing_params", "missing_params"},
		"no state":              {anna, "?code=c", "missing_params", "missing_params"},
		"no login":              {a.Visitor(), "?code=c&state=s", "unauthorized", "unauthorized"},
		"a state of no one":     {anna, "?code=c&state=s", "invalid_state", "save_failed"},
		"another form of state": {anna, "?code=c&state=1:2", "invalid_state", "save_failed"},
	} {
		test.browser.Get(callback + test.query).WantRedirect("/konto/integracje?oauth_error=" + test.want)
		if err := a.DB.Write(t.Context()).Exec("ALTER TABLE sessions RENAME TO hidden").Error; err != nil {
			t.Fatal(err)
		}
		response := test.browser.Get(callback + test.query)
		if want := "/konto/integracje?oauth_error=" + test.withoutDatabase; response.Header().Get("Location") != want {
			t.Errorf("%s, without the database: sent to %q, want %q", name, response.Header().Get("Location"), want)
		}
		if err := a.DB.Write(t.Context()).Exec("ALTER TABLE hidden RENAME TO sessions").Error; err != nil {
			t.Fatal(err)
		}
	}
}

// TestLoginDuringAnAuthorization: the callback of an authorization that another user began is
// refused, and connects nothing.
func TestLoginDuringAnAuthorization(t *testing.T) {
	a := apptest.New(t)
	other := a.AddUser("jan", account.Manager, &a.Company)
	b := a.Browser(a.Anna)
	back := b.Authorize(provider.PagesPair).Allow("anna")
	b.Post("/api/auth/login", apptest.Body{"email": other.Email, "password": apptest.Password}).Want(http.StatusOK)
	b.Get(back).WantRedirect("/konto/integracje?oauth_error=unauthorized")
	a.WantTrail()
}

func TestRedirectBase(t *testing.T) {
	a := apptest.New(t, "DIRECTORY_REDIRECT_BASE_URL=https://api.firmy.example/")
	const want = "redirect_uri=https%3A%2F%2Fapi.firmy.example%2Fapi%2Foauth%2Fcallback%2Fprovider_social"
	if consent := a.Browser(a.Anna).Authorize(provider.PagesPair); !strings.Contains(consent.URL, want) {
		t.Errorf("consent page %s lacks %s", consent.URL, want)
	}
}

// wantProgress checks how far the services are, by their pairs.
func wantProgress(t *testing.T, b *apptest.Browser, want map[string]string) {
	t.Helper()
	services, _ := b.Get("/api/oauth/status").Want(http.StatusOK).JSON()["services"].(apptest.Body)
	got := map[string]string{}
	for pair, status := range services {
		state, _ := status.(apptest.Body)["state"].(apptest.Body)
		got[pair], _ = state["progress"].(string)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

// TestReadAfterConsentAndChoice checks that everything is read by the jobs that a consent and
// a choice insert, so that the status is true at once, and that no audit is run.
func TestReadAfterConsentAndChoice(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	const profile, website = "provider_search/search_profile", "provider_search/search_analytics"
	const pages, photos = "provider_social/social_pages", "provider_social/social_photos"
	for _, p := range provider.Pairs() {
		anna.Connect(p, "anna")
	}
	wantProgress(t, anna, map[string]string{profile: "failed", website: "reading", pages: "failed", photos: "reading"})
	a.Work()
	wantProgress(t, anna, map[string]string{profile: "failed", website: "read", pages: "failed", photos: "failed"})
	anna.Post("/api/oauth/provider_search/select-location",
		apptest.Body{"location_name": "locations/1002519486895516595"}).Want(http.StatusOK)
	anna.Post("/api/oauth/provider_social/select-page",
		apptest.Body{"company_id": a.Company.ID, "page_id": "105600000010001"}).Want(http.StatusOK)
	wantProgress(t, anna, map[string]string{profile: "reading", website: "read", pages: "read", photos: "reading"})
	a.Work()
	wantProgress(t, anna, map[string]string{profile: "read", website: "read", pages: "read", photos: "read"})
	anna.Get("/api/bizprofile/audit/piekarnia").Want(http.StatusNotFound)
}

// TestChoiceDuringAReading checks that what is chosen while something else is read is read as
// well.
func TestChoiceDuringAReading(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	anna.Connect(provider.AnalyticsPair, "anna")
	const chosen = "sc-domain:piekarnia-kowalski.example"
	var once sync.Once
	a.Intercept(func(_ http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/searchAnalytics/query") {
			once.Do(func() {
				anna.Post("/api/oauth/provider_search/select-property", apptest.Body{"property": chosen}).
					Want(http.StatusOK)
			})
		}
	})
	a.Work()
	if got := a.Connection(provider.AnalyticsPair).Readings[provider.SearchAnalytics].Of; got != chosen {
		t.Errorf("read of %q, want %q", got, chosen)
	}
}

// TestConnectionList checks that the command shows the state of each service that the status
// shows, also of what is read with the connection of another one.
func TestConnectionList(t *testing.T) {
	url := databasetest.NewSQLite(t)
	a := apptest.New(t, apptest.On(url))
	anna := a.Browser(a.Anna)
	anna.Connect(provider.ProfilePair, "anna")
	anna.Connect(provider.PagesPair, "anna")
	anna.Post("/api/oauth/provider_social/select-page", apptest.Body{
		"company_id": a.Company.ID, "page_id": "105600000010002", // has no Instagram account
	}).Want(http.StatusOK)
	a.Work()
	var out strings.Builder
	environ := []string{"DIRECTORY_DATABASE_URL=" + url, "DIRECTORY_ENCRYPTION_KEYS=" + databasetest.Keys,
		"DIRECTORY_SESSION_KEYS=test:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))}
	program := app.NewProgram(build.New("", "", ""), environ, strings.NewReader(""), &out, &out)
	if err := program.Run(t.Context(), []string{"connection", "list", "--json"}); err != nil {
		t.Fatal(err)
	}
	var lines []struct {
		Provider, Service string
		State             apptest.Body `json:"service_state"`
	}
	if err := json.Unmarshal([]byte(out.String()), &lines); err != nil {
		t.Fatal(err)
	}
	services := anna.Get("/api/oauth/status").Want(http.StatusOK).JSON()["services"].(apptest.Body)
	got, want := apptest.Body{}, apptest.Body{}
	for _, line := range lines {
		pair := line.Provider + "/" + line.Service
		got[pair], want[pair] = line.State, services[pair].(apptest.Body)["state"]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states of the command, and of the status (-want +got):\n%s", diff)
	}
	if len(got) != 3 { // the two connections, and the photos, which are read with that of the pages
		t.Errorf("the command lists %d services, want 3: %v", len(got), got)
	}
}

// TestWebhooksReachNoPrivateAddress unless DIRECTORY_WEBHOOK_ALLOW_PRIVATE is true.
func TestWebhooksReachNoPrivateAddress(t *testing.T) {
	reached := false
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(inside.Close)
	for setting, want := range map[string]bool{"false": false, "true": true} {
		a := apptest.New(t, "DIRECTORY_WEBHOOK_ALLOW_PRIVATE="+setting)
		reached = false
		by := apptest.Actor(a.Anna).By()
		hook, err := a.Webhooks.Add(t.Context(), by, &a.Company.ID, inside.URL)
		if allowed := err == nil; allowed != want {
			t.Errorf("setting %s: adding the webhook ends with %v, want success %t", setting, err, want)
		}
		if err == nil {
			_, err = a.Webhooks.Test(t.Context(), by, hook.ID)
			if err != nil {
				t.Errorf("setting %s: the test event: %v", setting, err)
			}
		}
		if reached != want {
			t.Errorf("setting %s: the address was reached: %t, want %t", setting, reached, want)
		}
	}
}

// TestOtherOrigins: web apps on the origins of DIRECTORY_ALLOWED_ORIGINS may call the API with
// the session's cookie, others may not.
func TestOtherOrigins(t *testing.T) {
	const webApp, other = "http://localhost:3000", "http://localhost:3001"
	a := apptest.New(t, "DIRECTORY_ALLOWED_ORIGINS=https://app.example.pl,"+webApp)
	for _, test := range []struct {
		method, path, origin string
		status               int
		allowed              bool
	}{
		{"OPTIONS", "/api/auth/logout", webApp, 204, true},
		{"POST", "/api/auth/logout", webApp, 200, true},
		{"GET", "/api/oauth/status", webApp, 401, true},
		{"OPTIONS", "/api/auth/logout", other, 204, false},
		{"POST", "/api/auth/logout", other, 403, false},
		{"GET", "/api/oauth/status", other, 401, false},
		{"GET", "/konto/logowanie", webApp, 200, false},
	} {
		response := a.Visitor().Do(test.method, test.path, nil, "Origin", test.origin, "Sec-Fetch-Site", "same-site",
			"Access-Control-Request-Method", http.MethodPost).Want(test.status)
		header := response.Header()
		if readable := header.Get("Access-Control-Allow-Origin") == test.origin; readable != test.allowed {
			t.Errorf("%s %s from %s: readable is %t, want %t", test.method, test.path, test.origin, readable,
				test.allowed)
		}
		withCookie := header.Get("Access-Control-Allow-Credentials") == "true"
		if withCookie != test.allowed {
			t.Errorf("%s %s from %s: with cookies is %t, want %t", test.method, test.path, test.origin, withCookie,
				test.allowed)
		}
	}
}
