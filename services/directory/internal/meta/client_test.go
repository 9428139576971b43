package meta_test

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/provider/providertest"
	"backend.example/services/internal/kit/pace"
)

// socialScopes are all that a service of provider_social needs.
var socialScopes = []string{"pages_show_list", "pages_read_engagement", "read_insights", "instagram_basic",
	"instagram_manage_insights"}

// What our app asks for.
var (
	pagesScopes  = append(slices.Clone(socialScopes), "business_management")
	photosScopes = []string{"pages_show_list", "pages_read_engagement", "instagram_basic", "instagram_manage_insights",
		"business_management"}
)

func TestSocialAuthURL(t *testing.T) {
	photoScopes := url.Values{"scope": {strings.Join(photosScopes, ",")}, "auth_type": {"rerequest"}}
	tests := []struct {
		name    string
		options meta.Options
		service provider.Service
		address string
		asked   url.Values
		pkce    url.Values
	}{
		{
			name: "pages", service: provider.SocialPages, address: "https://www.facebook.com/v25.0/dialog/oauth",
			asked: url.Values{"scope": {strings.Join(pagesScopes, ",")}, "auth_type": {"rerequest"}},
		},
		{
			name: "photos, another version", options: meta.Options{APIVersion: "v26.0"},
			service: provider.SocialPhotos, address: "https://www.facebook.com/v26.0/dialog/oauth", asked: photoScopes,
		},
		{
			name:    "code challenge, another host",
			options: meta.Options{PKCE: true, BaseURL: &url.URL{Scheme: "http", Host: "sandbox:9000"}},
			service: provider.SocialPhotos, address: "http://sandbox:9000/v25.0/dialog/oauth", asked: photoScopes,
			pkce: url.Values{"code_challenge_method": {"S256"}, "code_challenge": {challenge()}},
		},
		{
			name: "configuration for business", options: meta.Options{ConfigID: "815"}, service: provider.SocialPages,
			address: "https://www.facebook.com/v25.0/dialog/oauth", asked: url.Values{"config_id": {"815"}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.options.ClientID, test.options.ClientSecret = clientID, clientSecret
			test.options.PagesScopes, test.options.PhotosScopes = pagesScopes, photosScopes
			want := url.Values{
				"client_id": {clientID}, "redirect_uri": {redirectURL}, "state": {"7:8:state"},
				"response_type": {"code"},
			}
			maps.Copy(want, test.asked)
			maps.Copy(want, test.pkce)
			if got := meta.New(test.options).AuthURL([]provider.Service{test.service}, "7:8:state", verifier,
				redirectURL); got != test.address+"?"+want.Encode() {
				t.Errorf("AuthURL = %s\nwant %s?%s", got, test.address, want.Encode())
			}
		})
	}
}

// TestSocialAuthURLOfBothServices asks for each scope once.
func TestSocialAuthURLOfBothServices(t *testing.T) {
	social := meta.New(meta.Options{PagesScopes: []string{"a", "b"}, PhotosScopes: []string{"b", "c"}})
	address, err := url.Parse(social.AuthURL([]provider.Service{provider.SocialPages, provider.SocialPhotos}, "state",
		verifier, redirectURL))
	if err != nil || address.Query().Get("scope") != "a,b,c" {
		t.Errorf("AuthURL = %v, %v", address, err)
	}
}

func TestConfiguredNeedsIDAndSecret(t *testing.T) {
	for _, test := range []struct {
		id, secret string
		want       bool
	}{{"", "", false}, {"1", "", false}, {"", "2", false}, {"1", "2", true}} {
		if got := meta.New(meta.Options{ClientID: test.id, ClientSecret: test.secret, PKCE: test.want}).
			Configured(); got != test.want {
			t.Errorf("with id %q and secret %q: configured %t", test.id, test.secret, got)
		}
	}
}

func TestSocialLacks(t *testing.T) {
	social := meta.New(meta.Options{PagesScopes: pagesScopes, PhotosScopes: photosScopes})
	tests := []struct {
		service provider.Service
		granted []string
		want    []string
	}{
		{service: provider.SocialPages, granted: socialScopes},
		{service: provider.SocialPhotos, granted: socialScopes},
		{service: provider.SocialPages, granted: socialScopes[:2], want: []string{"read_insights"}},
		{service: provider.SocialPhotos, granted: socialScopes[:3],
			want: []string{"instagram_basic", "instagram_manage_insights"}},
		{service: provider.SocialPages, want: socialScopes[:3]},
		{service: provider.SearchProfile},
	}
	for _, test := range tests {
		if got := social.Lacks(test.service, test.granted); !slices.Equal(got, test.want) {
			t.Errorf("Lacks(%s, %v) = %v, want %v", test.service, test.granted, got, test.want)
		}
	}
}

// TestSocialLacksOnlyWhatIsAsked: an app without a scope cannot be granted it.
func TestSocialLacksOnlyWhatIsAsked(t *testing.T) {
	social := meta.New(meta.Options{PagesScopes: pagesScopes[:2], PhotosScopes: photosScopes[:3]})
	for service, want := range map[provider.Service][]string{
		provider.SocialPages:  {"pages_show_list", "pages_read_engagement"},
		provider.SocialPhotos: {"pages_show_list", "pages_read_engagement", "instagram_basic"},
	} {
		if got := social.Lacks(service, nil); !slices.Equal(got, want) {
			t.Errorf("Lacks(%s) = %v, want %v", service, got, want)
		}
	}
}

func operations(transport http.RoundTripper, base *url.URL) providertest.Operations {
	social := meta.New(meta.Options{ClientID: clientID, ClientSecret: clientSecret, BaseURL: base, Transport: transport,
		Now: clock})
	connection := provider.Token{AccessToken: someToken, ProviderUserID: "9"}
	return providertest.Operations{
		"Exchange": func(ctx context.Context) error {
			_, err := social.Exchange(ctx, []provider.Service{provider.SocialPages}, someCode, verifier, redirectURL)
			return err
		},
		"Refresh": func(ctx context.Context) error { _, err := social.Refresh(ctx, connection); return err },
		"Revoke":  func(ctx context.Context) error { return social.Revoke(ctx, connection) },
		"Account": func(ctx context.Context) error {
			_, _, err := social.Account(ctx, provider.SocialPages, provider.Token{AccessToken: someToken})
			return err
		},
		"Pages": func(ctx context.Context) error {
			_, err := social.Pages(ctx, someToken, pagesScopes)
			return err
		},
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

// TestTurns checks that calls take a turn, as those of people or of scans, except the renewal,
// which holds a lock.
func TestTurns(t *testing.T) {
	s := newPageServer(t)
	s.Replies["POST /v25.0/oauth/access_token"], s.Replies["GET /v25.0/debug_token"] = ok(`{"access_token":"a"}`),
		ok(`{"data":{}}`)
	turns := map[string]int{}
	client := meta.New(meta.Options{
		ClientID: clientID, ClientSecret: clientSecret, Transport: s, Now: clock, Budget: budget.New(budget.Options{
			PerMinute: 60_000, Clock: &pace.Memory{}, OnTurn: func(by string) { turns[by]++ },
		}),
	})
	if _, err := client.ReadPage(t.Context(), someToken, bakeryID); err != nil {
		t.Fatal(err)
	}
	read := len(s.Calls)
	if _, err := client.ForScans().ReadPage(t.Context(), someToken, bakeryID); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Refresh(t.Context(), provider.Token{AccessToken: someToken}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"people": read, "scans": read}, turns); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
}
