package provider_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
)

// journey calls all that the adapters can do, and returns the address of every
// request without its query, sorted, each once.
func journey(t *testing.T, base *url.URL) []string {
	t.Helper()
	var asked []string
	transport := memory{func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Scheme+"://"+r.Host+r.URL.Path)
		body := `{"access_token":"a","refresh_token":"r","id":"1","instagram_business_account":{"id":"2"}}`
		if strings.HasPrefix(r.URL.Path, "/v1/accounts") {
			body = `{"accounts":[{"name":"accounts/1"}]}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}}
	search := provider.NewSearch(provider.SearchOptions{ClientID: "i", ClientSecret: "s", BaseURL: base, Transport: transport, Now: time.Now})
	places := provider.NewPlaces(provider.PlacesOptions{APIKey: "k", BaseURL: base, Transport: transport, Now: time.Now})
	social := provider.NewSocial(provider.SocialOptions{ClientID: "i", ClientSecret: "s", BaseURL: base, Transport: transport, Now: time.Now})
	ctx, c := t.Context(), directory.Connection{AccessToken: "a", RefreshToken: "r", ProviderUserID: "9"}
	_, exchanged := search.Exchange(ctx, directory.SearchProfile, "c", "v", googleRedirect)
	_, _, named := search.Account(ctx, directory.SearchAnalytics, directory.Token{Scopes: []string{scopeWebmasters, scopeAnalytics}})
	_, toLocation := search.Locations(ctx, "a")
	_, _ = search.ReadLocation(ctx, "a", "locations/1") // the answer has no name
	_, _ = places.FindPlace(ctx, directory.Company{Name: "x"})
	_, found := places.FindPlace(ctx, directory.Company{PlaceID: "x"})
	_, signedIn := social.Exchange(ctx, directory.SocialPages, "c", "", metaRedirect)
	_, paged := social.Pages(ctx, "a")
	_, read := social.ReadPage(ctx, "a", "1")
	_, pictured := social.ReadPhotos(ctx, "a", "1")
	for _, err := range []error{
		exchanged, named, toLocation, found, signedIn, paged, read, pictured, search.Revoke(ctx, c), social.Revoke(ctx, c),
	} {
		if err != nil {
			t.Error(err)
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
		"https://graph.facebook.com/v25.0/me",
		"https://graph.facebook.com/v25.0/me/accounts",
		"https://graph.facebook.com/v25.0/me/permissions",
		"https://graph.facebook.com/v25.0/oauth/access_token",
		"https://mybusinessaccountmanagement.googleapis.com/v1/accounts",
		"https://mybusinessbusinessinformation.googleapis.com/v1/accounts/1/locations",
		"https://mybusinessbusinessinformation.googleapis.com/v1/locations/1",
		"https://oauth2.googleapis.com/revoke",
		"https://oauth2.googleapis.com/token",
		"https://places.googleapis.com/v1/places/x",
		"https://places.googleapis.com/v1/places:searchText",
		"https://searchconsole.googleapis.com/webmasters/v3/sites",
	}
	if got := journey(t, nil); !slices.Equal(got, want) {
		t.Errorf("asked %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, got := range journey(t, &url.URL{Scheme: "http", Host: "127.0.0.1:9093"}) {
		if !strings.HasPrefix(got, "http://127.0.0.1:9093/") {
			t.Errorf("asked %s, want all at the base", got)
		}
	}
}
