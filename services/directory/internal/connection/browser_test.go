package connection_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// TestBrowserLeavesDuringCallback: whichever call to the provider is under way when the
// browser navigates away, the authorization is finished, and the page that the browser
// opens next reports no failure.
func TestBrowserLeavesDuringCallback(t *testing.T) {
	for _, test := range []struct {
		pair  provider.Pair
		calls []string // prefixes of paths
	}{
		{provider.ProfilePair, []string{"/token", "/v1/accounts"}},
		{provider.PagesPair, []string{"/v25.0/oauth/access_token", "/v25.0/me/permissions", "/v25.0/me"}},
	} {
		for _, call := range test.calls {
			t.Run(test.pair.String()+call, func(t *testing.T) {
				a := apptest.New(t)
				anna := a.Browser(a.Anna)
				callback := anna.Authorize(test.pair).Allow("anna")
				ctx, leave := context.WithCancel(t.Context())
				a.Intercept(func(_ http.ResponseWriter, r *http.Request) {
					if strings.HasPrefix(r.URL.Path, call) {
						leave()
					}
				})
				first := httptest.NewRequestWithContext(ctx, http.MethodGet, callback, nil)
				anna.Dress(first)
				a.Handler.ServeHTTP(httptest.NewRecorder(), first)
				if ctx.Err() == nil {
					t.Fatal("the browser has not left")
				}
				if !a.Connection(test.pair).Active {
					t.Fatal("not connected")
				}
				second := anna.Get(callback).Want(http.StatusFound).Header().Get("Location")
				if want := "/konto/integracje?oauth_error=invalid_state"; second != want {
					t.Errorf("the second navigation leads to %s, want %s", second, want)
				}
				if strings.Contains(openPage(anna, second), "trwało zbyt długo") {
					t.Error("the page reports a failure of a service that is connected")
				}
			})
		}
	}
}

// openPage opens a page, which may redirect once, and returns its text.
func openPage(b *apptest.Browser, path string) string {
	response := b.Get(path)
	if location := response.Header().Get("Location"); location != "" {
		response = b.Get(location)
	}
	return response.Body.String()
}

// TestSpeculativeCallback: a browser that asks ahead of its user takes nothing.
func TestSpeculativeCallback(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	callback := anna.Authorize(provider.ProfilePair).Allow("anna")
	for _, header := range [][2]string{{"Sec-Purpose", "prefetch;prerender"}, {"Purpose", "prefetch"}} {
		response := anna.Get(callback, header[0], header[1]).Want(http.StatusServiceUnavailable)
		if got := response.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control %q", got)
		}
	}
	if got := anna.Get(callback).Header().
		Get("Location"); got != "/konto/integracje?oauth_success=provider_search/search_profile" {
		t.Errorf("then the callback leads to %s", got)
	}
}

// TestPersonSharesRefreshToken: Google keeps a limited number of refresh tokens of a
// person, so that those of earlier companies would end.
func TestPersonSharesRefreshToken(t *testing.T) {
	a := apptest.New(t)
	a.Browser(a.Anna).Connect(provider.ProfilePair, "anna")
	first := a.Connection(provider.ProfilePair)
	other := a.AddCompany("druga")
	b := a.Browser(a.AddUser("druga", account.Manager, &other))
	b.Connect(provider.AnalyticsPair, "anna")
	if got := a.Connection(provider.ProfilePair); got.RefreshToken != first.RefreshToken {
		t.Error("a token without the scope for locations is shared")
	}
	b.Connect(provider.ProfilePair, "anna")
	newest, err := a.Store.Find(t.Context(), other.ID, provider.ProfilePair)
	if err != nil {
		t.Fatal(err)
	}
	got := a.Connection(provider.ProfilePair)
	if diff := cmp.Diff(newest.RefreshToken, got.RefreshToken); diff != "" || got.RefreshToken == first.RefreshToken {
		t.Errorf("the first company keeps its refresh token: %s", diff)
	}
	third := a.AddCompany("trzecia")
	a.Browser(a.AddUser("trzecia", account.Manager, &third)).Connect(provider.ProfilePair, "piotr")
	if again := a.Connection(provider.ProfilePair); again.RefreshToken != got.RefreshToken {
		t.Error("the token of another person is shared")
	}
}

// TestDisconnectOfAnyStoredPair: a row whose service is no longer offered can be ended.
func TestDisconnectOfAnyStoredPair(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	anna.Connect(provider.ProfilePair, "anna")
	old := provider.Pair{Provider: provider.Search, Service: "search_ads"}
	err := a.DB.Write(t.Context()).Exec("UPDATE oauth_tokens SET service = ?, access_token = '', refresh_token = ''",
		old.Service).Error
	if err != nil {
		t.Fatal(err)
	}
	anna.Post("/api/oauth/disconnect/provider_search/search_ads", nil).Want(http.StatusOK)
	if a.Connection(old).Active {
		t.Error("still active")
	}
	anna.Post("/api/oauth/disconnect/provider_search/unknown", nil).Want(http.StatusNotFound)
}

// TestConnectedByIsForgotten: after a minute a repeated callback is a failure again.
func TestConnectedByIsForgotten(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	callback := anna.Authorize(provider.ProfilePair).Allow("anna")
	anna.Get(callback)
	a.Clock.Pass(2 * time.Minute)
	if !strings.Contains(openPage(anna, anna.Get(callback).Header().Get("Location")), "trwało zbyt długo") {
		t.Error("the page reports no failure")
	}
	if _, err := a.Store.Find(t.Context(), a.Company.ID, provider.PhotosPair); !fault.Is(
		err, connection.CodeNoConnection,
	) {
		t.Errorf("err = %v", err)
	}
}
