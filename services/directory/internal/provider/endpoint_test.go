package provider_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
)

// everyCall lists all that the clients can be asked for.
func everyCall(search *provider.Search, social *provider.Social, places *provider.Places) map[string]func(context.Context) error {
	connection := directory.Connection{AccessToken: someToken, RefreshToken: someToken, ProviderUserID: "9"}
	sites := directory.Token{AccessToken: someToken, Scopes: []string{scopeWebmasters, scopeAnalytics}}
	return map[string]func(context.Context) error{
		"search: Exchange": func(ctx context.Context) error {
			_, err := search.Exchange(ctx, directory.SearchProfile, someCode, verifier, redirectURL)
			return err
		},
		"search: Refresh": func(ctx context.Context) error { _, err := search.Refresh(ctx, connection); return err },
		"search: Revoke":  func(ctx context.Context) error { return search.Revoke(ctx, connection) },
		"search: Account": func(ctx context.Context) error {
			_, _, err := search.Account(ctx, directory.SearchAnalytics, sites)
			return err
		},
		"search: Locations": func(ctx context.Context) error { _, err := search.Locations(ctx, someToken); return err },
		"search: ReadLocation": func(ctx context.Context) error {
			_, err := search.ReadLocation(ctx, someToken, "locations/1")
			return err
		},
		"places: by id":   func(ctx context.Context) error { _, err := places.FindPlace(ctx, withPlaceID(nowak, "x")); return err },
		"places: by name": func(ctx context.Context) error { _, err := places.FindPlace(ctx, nowak); return err },
		"social: Exchange": func(ctx context.Context) error {
			_, err := social.Exchange(ctx, directory.SocialPages, someCode, verifier, redirectURL)
			return err
		},
		"social: Refresh": func(ctx context.Context) error { _, err := social.Refresh(ctx, connection); return err },
		"social: Revoke":  func(ctx context.Context) error { return social.Revoke(ctx, connection) },
		"social: Account": func(ctx context.Context) error {
			_, _, err := social.Account(ctx, directory.SocialPages, sites)
			return err
		},
		"social: Pages":      func(ctx context.Context) error { _, err := social.Pages(ctx, someToken, pagesScopes); return err },
		"social: FindPage":   func(ctx context.Context) error { _, err := social.FindPage(ctx, someToken, "1"); return err },
		"social: ReadPage":   func(ctx context.Context) error { _, err := social.ReadPage(ctx, someToken, "1"); return err },
		"social: ReadPhotos": func(ctx context.Context) error { _, err := social.ReadPhotos(ctx, someToken, "1"); return err },
	}
}

// addresses makes every call and returns the addresses without their queries, sorted,
// each once.
func addresses(t *testing.T, base *url.URL) []string {
	var asked []string
	s := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Scheme+"://"+r.Host+r.URL.Path)
		body := `{"access_token":"a","refresh_token":"r","id":"1","name":"locations/1","instagram_business_account":{"id":"2"}}`
		if strings.HasPrefix(r.URL.Path, "/v1/accounts") {
			body = `{"accounts":[{"name":"accounts/1"}]}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}))
	search := provider.NewSearch(provider.SearchOptions{ClientID: clientID, ClientSecret: clientSecret, BaseURL: base, Transport: s, Now: clock})
	social := provider.NewSocial(provider.SocialOptions{ClientID: clientID, ClientSecret: clientSecret, BaseURL: base, Transport: s, Now: clock})
	places := provider.NewPlaces(provider.PlacesOptions{APIKey: apiKey, BaseURL: base, Transport: s, Now: clock})
	for name, call := range everyCall(search, social, places) {
		if err := call(t.Context()); err != nil && name != "places: by name" { // there is no result
			t.Errorf("%s: %v", name, err)
		}
	}
	slices.Sort(asked)
	return slices.Compact(asked)
}

func TestAddresses(t *testing.T) {
	want := []string{
		"https://graph.facebook.com/v25.0/1",
		"https://graph.facebook.com/v25.0/1/insights",
		"https://graph.facebook.com/v25.0/2",
		"https://graph.facebook.com/v25.0/2/insights",
		"https://graph.facebook.com/v25.0/2/media",
		"https://graph.facebook.com/v25.0/9/permissions",
		"https://graph.facebook.com/v25.0/debug_token",
		"https://graph.facebook.com/v25.0/me",
		"https://graph.facebook.com/v25.0/me/accounts",
		"https://graph.facebook.com/v25.0/me/businesses",
		"https://graph.facebook.com/v25.0/me/permissions",
		"https://graph.facebook.com/v25.0/oauth/access_token",
		"https://mybusinessaccountmanagement.googleapis.com/v1/accounts",
		"https://mybusinessbusinessinformation.googleapis.com/v1/accounts/1/locations",
		"https://mybusinessbusinessinformation.googleapis.com/v1/locations/1",
		"https://mybusinessverifications.googleapis.com/v1/locations/1/VoiceOfMerchantState",
		"https://oauth2.googleapis.com/revoke",
		"https://oauth2.googleapis.com/token",
		"https://places.googleapis.com/v1/places/x",
		"https://places.googleapis.com/v1/places:searchText",
		"https://searchconsole.googleapis.com/webmasters/v3/sites",
	}
	if got := addresses(t, nil); !slices.Equal(got, want) {
		t.Errorf("asked %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, got := range addresses(t, &url.URL{Scheme: "http", Host: "127.0.0.1:9093"}) {
		if !strings.HasPrefix(got, "http://127.0.0.1:9093/") {
			t.Errorf("asked %s, want all at the base", got)
		}
	}
}

// failingTransport fails every exchange. The HTTP client adds the whole address to
// the error.
type failingTransport struct{}

func (failingTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("connection cut")
}

func TestConnectionFails(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for name, call := range everyCall(newSearch(failingTransport{}), newSocial(failingTransport{}), newPlaces(failingTransport{})) {
		runQuickly(t, name, func(t *testing.T) {
			wantFault(t, call(t.Context()), temporary)
			if err := call(ended); !errors.Is(err, context.Canceled) {
				t.Errorf("err = %v, want that of the context", err)
			}
		})
	}
}
