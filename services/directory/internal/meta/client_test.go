package meta_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
)

// socialScopes are all that a service of provider_social needs.
var socialScopes = []string{"pages_show_list", "pages_read_engagement", "read_insights", "instagram_basic", "instagram_manage_insights"}

// What our app asks for.
var (
	pagesScopes  = append(slices.Clone(socialScopes), "business_management")
	photosScopes = []string{"pages_show_list", "pages_read_engagement", "instagram_basic", "instagram_manage_insights", "business_management"}
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
			name: "code challenge, another host", options: meta.Options{PKCE: true, BaseURL: &url.URL{Scheme: "http", Host: "sandbox:9000"}},
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
				"client_id": {clientID}, "redirect_uri": {redirectURL}, "state": {"7:8:state"}, "response_type": {"code"},
			}
			maps.Copy(want, test.asked)
			maps.Copy(want, test.pkce)
			if got := meta.New(test.options).AuthURL(test.service, "7:8:state", verifier, redirectURL); got != test.address+"?"+want.Encode() {
				t.Errorf("AuthURL = %s\nwant %s?%s", got, test.address, want.Encode())
			}
		})
	}
}

func TestConfiguredNeedsIDAndSecret(t *testing.T) {
	for _, test := range []struct {
		id, secret string
		want       bool
	}{{"", "", false}, {"1", "", false}, {"", "2", false}, {"1", "2", true}} {
		if got := meta.New(meta.Options{ClientID: test.id, ClientSecret: test.secret, PKCE: test.want}).Configured(); got != test.want {
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
		{service: provider.SocialPhotos, granted: socialScopes[:3], want: []string{"instagram_basic", "instagram_manage_insights"}},
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
		provider.SocialPages: {"pages_show_list", "pages_read_engagement"}, provider.SocialPhotos: {"pages_show_list", "pages_read_engagement", "instagram_basic"},
	} {
		if got := social.Lacks(service, nil); !slices.Equal(got, want) {
			t.Errorf("Lacks(%s) = %v, want %v", service, got, want)
		}
	}
}
