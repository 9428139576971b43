package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/provider"
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
	sent := 0
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
	if valid[200] < 50 || valid[401] < 50 || invalid[400] < 50 {
		t.Errorf("answers to valid requests: %v, to invalid ones: %v", valid, invalid)
	}
}

// paths returns an address for each path of the API, with its methods.
func paths(a *apptest.App) map[string][]string {
	fill := strings.NewReplacer(
		":provider",
		"provider_search",
		":service",
		"search_profile",
		":slug",
		"piekarnia",
		":id",
		"1",
	)
	found := map[string][]string{}
	for _, route := range a.Routes() {
		method, path, _ := strings.Cut(route, " ")
		if method == strings.ToUpper(method) {
			found[fill.Replace(path)] = append(found[fill.Replace(path)], method)
		}
	}
	return found
}

func TestOtherMethods(t *testing.T) {
	a := apptest.New(t)
	b := a.Browser(a.Anna)
	for path, methods := range paths(a) {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "get"} {
			if slices.Contains(methods, method) {
				continue
			}
			b.Do(method, path, nil).
				WantError(http.StatusMethodNotAllowed, "Ta metoda nie jest dozwolona dla tego adresu.")
		}
		allowed := strings.Split(b.Do("OPTIONS", path, nil).Want(http.StatusNoContent).Header().Get("Allow"), ", ")
		slices.Sort(allowed)
		if want := slices.Sorted(slices.Values(append([]string{"OPTIONS"}, methods...))); !slices.Equal(allowed, want) {
			t.Errorf("%s: Allow %q, want %q", path, allowed, want)
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
	for path, methods := range paths(a) {
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
			t.Errorf("POST %s from the own site: %s", path, response.Body)
		}
	}
}
