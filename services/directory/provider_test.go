package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// fakeProvider answers as provider_search and as the public places do. Each of the
// functions, unless nil, runs inside every request of its kind.
type fakeProvider struct {
	*httptest.Server
	onExchange func()
	onRefresh  func()
	onRevoke   func()
}

func newFakeProvider(t *testing.T) *fakeProvider {
	t.Helper()
	f := &fakeProvider{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", f.token)
	mux.HandleFunc("POST /revoke", func(http.ResponseWriter, *http.Request) {
		if f.onRevoke != nil {
			f.onRevoke()
		}
	})
	empty := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }
	mux.HandleFunc("POST /v1/places:searchText", empty)
	mux.HandleFunc("GET /v1/accounts", empty)
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

// token answers with tokens that expire so soon that each use renews them.
func (f *fakeProvider) token(w http.ResponseWriter, r *http.Request) {
	switch exchange := r.FormValue("grant_type") == "authorization_code"; {
	case exchange && f.onExchange != nil:
		f.onExchange()
	case !exchange && f.onRefresh != nil:
		f.onRefresh()
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"access_token":"access-1","refresh_token":"refresh-1","expires_in":60,"token_type":"Bearer",
		"scope":"openid https://www.googleapis.com/auth/business.manage"}`)
}

// environ points a program with the demonstration data at the fake.
func (f *fakeProvider) environ(t *testing.T, more ...string) []string {
	t.Helper()
	settings := environ(t, append([]string{
		"PROVIDER_SEARCH_CLIENT_ID=search-id", "PROVIDER_SEARCH_CLIENT_SECRET=search-secret", "PROVIDER_SEARCH_BASE_URL=" + f.URL,
		"PLACES_API_KEY=places-key", "PLACES_BASE_URL=" + f.URL,
	}, more...)...)
	require(t, settings, "seed")
	return settings
}
