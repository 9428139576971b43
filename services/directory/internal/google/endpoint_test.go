package google_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/provider/providertest"
)

func operations(transport http.RoundTripper, base *url.URL) providertest.Operations {
	search := google.New(google.Options{ClientID: clientID, ClientSecret: clientSecret, BaseURL: base, Transport: transport, Now: clock})
	places := google.NewPlaces(google.PlacesOptions{APIKey: apiKey, BaseURL: base, Transport: transport, Now: clock})
	connection := provider.Token{AccessToken: someToken, RefreshToken: someToken}
	sites := provider.Token{AccessToken: someToken, Scopes: []string{scopeWebmasters, scopeAnalytics}}
	return providertest.Operations{
		"Exchange": func(ctx context.Context) error {
			_, err := search.Exchange(ctx, provider.SearchProfile, someCode, verifier, redirectURL)
			return err
		},
		"Refresh": func(ctx context.Context) error { _, err := search.Refresh(ctx, connection); return err },
		"Revoke":  func(ctx context.Context) error { return search.Revoke(ctx, connection) },
		"Account": func(ctx context.Context) error {
			_, _, err := search.Account(ctx, provider.SearchAnalytics, sites)
			return err
		},
		"Locations": func(ctx context.Context) error { _, err := search.Locations(ctx, someToken); return err },
		"ReadLocation": func(ctx context.Context) error {
			_, err := search.ReadLocation(ctx, someToken, "locations/1")
			return err
		},
		"places: by id":   func(ctx context.Context) error { _, err := places.FindPlace(ctx, withPlaceID(nowak, "x")); return err },
		"places: by name": func(ctx context.Context) error { _, err := places.FindPlace(ctx, nowak); return err },
	}
}

func TestAddresses(t *testing.T) {
	providertest.CheckAddresses(t, operations, []string{
		"https://mybusinessaccountmanagement.googleapis.com/v1/accounts",
		"https://mybusinessbusinessinformation.googleapis.com/v1/accounts/1/locations",
		"https://mybusinessbusinessinformation.googleapis.com/v1/locations/1",
		"https://mybusinessverifications.googleapis.com/v1/locations/1/VoiceOfMerchantState",
		"https://oauth2.googleapis.com/revoke",
		"https://oauth2.googleapis.com/token",
		"https://places.googleapis.com/v1/places/x",
		"https://places.googleapis.com/v1/places:searchText",
		"https://searchconsole.googleapis.com/webmasters/v3/sites",
	})
}

func TestConnectionFails(t *testing.T) { providertest.CheckConnectionFails(t, operations) }
