package meta_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/provider/providertest"
)

func operations(transport http.RoundTripper, base *url.URL) providertest.Operations {
	social := meta.New(meta.Options{ClientID: clientID, ClientSecret: clientSecret, BaseURL: base, Transport: transport, Now: clock})
	connection := provider.Token{AccessToken: someToken, ProviderUserID: "9"}
	return providertest.Operations{
		"Exchange": func(ctx context.Context) error {
			_, err := social.Exchange(ctx, provider.SocialPages, someCode, verifier, redirectURL)
			return err
		},
		"Refresh": func(ctx context.Context) error { _, err := social.Refresh(ctx, connection); return err },
		"Revoke":  func(ctx context.Context) error { return social.Revoke(ctx, connection) },
		"Account": func(ctx context.Context) error {
			_, _, err := social.Account(ctx, provider.SocialPages, provider.Token{AccessToken: someToken})
			return err
		},
		"Pages":      func(ctx context.Context) error { _, err := social.Pages(ctx, someToken, pagesScopes); return err },
		"FindPage":   func(ctx context.Context) error { _, err := social.FindPage(ctx, someToken, "1"); return err },
		"ReadPage":   func(ctx context.Context) error { _, err := social.ReadPage(ctx, someToken, "1"); return err },
		"ReadPhotos": func(ctx context.Context) error { _, err := social.ReadPhotos(ctx, someToken, "1"); return err },
	}
}

func TestAddresses(t *testing.T) {
	providertest.CheckAddresses(t, operations, []string{
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
	})
}

func TestConnectionFails(t *testing.T) { providertest.CheckConnectionFails(t, operations) }
