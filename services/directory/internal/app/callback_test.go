package app_test

import (
	"net/http"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/provider"
)

const callback = "/api/oauth/callback/provider_social"

// TestCallbackOrder checks the first of the documented checks, which need neither session nor
// database.
func TestCallbackOrder(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	for name, test := range map[string]struct {
		browser           *apptest.Browser
		query, want, away string // without the database
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
		if want := "/konto/integracje?oauth_error=" + test.away; response.Header().Get("Location") != want {
			t.Errorf("%s, without the database: %q, want %q", name, response.Header().Get("Location"), want)
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
	a := apptest.New(t, apptest.Setting("DIRECTORY_REDIRECT_BASE_URL=https://api.firmy.example/"))
	const want = "redirect_uri=https%3A%2F%2Fapi.firmy.example%2Fapi%2Foauth%2Fcallback%2Fprovider_social"
	if consent := a.Browser(a.Anna).Authorize(provider.PagesPair); !strings.Contains(consent.URL, want) {
		t.Errorf("consent page %s lacks %s", consent.URL, want)
	}
}
