package provider_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
)

// socialScopes are all that a service of provider_social needs.
var socialScopes = []string{"pages_show_list", "pages_read_engagement", "read_insights", "instagram_basic", "instagram_manage_insights"}

func TestSocialAuthURL(t *testing.T) {
	const photoScopes = "pages_show_list,pages_read_engagement,instagram_basic,instagram_manage_insights,business_management"
	tests := []struct {
		name    string
		options provider.SocialOptions
		service directory.Service
		address string
		scope   string
		pkce    url.Values
	}{
		{
			name: "pages", service: directory.SocialPages, address: "https://www.facebook.com/v25.0/dialog/oauth",
			scope: strings.Join(socialScopes, ",") + ",business_management",
		},
		{
			name: "photos, another version", options: provider.SocialOptions{APIVersion: "v26.0"},
			service: directory.SocialPhotos, address: "https://www.facebook.com/v26.0/dialog/oauth", scope: photoScopes,
		},
		{
			name: "code challenge, another host", options: provider.SocialOptions{PKCE: true, BaseURL: &url.URL{Scheme: "http", Host: "sandbox:9000"}},
			service: directory.SocialPhotos, address: "http://sandbox:9000/v25.0/dialog/oauth", scope: photoScopes,
			pkce: url.Values{"code_challenge_method": {"S256"}, "code_challenge": {challenge()}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.options.ClientID, test.options.ClientSecret = clientID, clientSecret
			want := url.Values{
				"client_id": {clientID}, "redirect_uri": {redirectURL}, "state": {"7:8:state"}, "response_type": {"code"},
				"auth_type": {"rerequest"}, "scope": {test.scope},
			}
			for name, values := range test.pkce {
				want[name] = values
			}
			if got := provider.NewSocial(test.options).AuthURL(test.service, "7:8:state", verifier, redirectURL); got != test.address+"?"+want.Encode() {
				t.Errorf("AuthURL = %s\nwant %s?%s", got, test.address, want.Encode())
			}
		})
	}
}

func TestSocialLacks(t *testing.T) {
	social := provider.NewSocial(provider.SocialOptions{})
	tests := []struct {
		service directory.Service
		granted []string
		want    []string
	}{
		{service: directory.SocialPages, granted: socialScopes},
		{service: directory.SocialPhotos, granted: socialScopes},
		{service: directory.SocialPages, granted: socialScopes[:2], want: []string{"read_insights"}},
		{service: directory.SocialPhotos, granted: socialScopes[:3], want: []string{"instagram_basic", "instagram_manage_insights"}},
		{service: directory.SocialPages, want: socialScopes[:3]},
		{service: directory.SearchProfile},
	}
	for _, test := range tests {
		if got := social.Lacks(test.service, test.granted); !slices.Equal(got, test.want) {
			t.Errorf("Lacks(%s, %v) = %v, want %v", test.service, test.granted, got, test.want)
		}
	}
}
