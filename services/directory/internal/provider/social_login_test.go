package provider_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
)

func withPKCE(o *provider.SocialOptions) { o.PKCE = true }

func TestSocialAuthURL(t *testing.T) {
	tests := map[string]struct {
		options provider.SocialOptions
		service directory.Service
		address string
		want    url.Values
	}{
		"pages": {
			provider.SocialOptions{ClientID: metaClientID, ClientSecret: metaClientSecret},
			directory.SocialPages, "https://www.facebook.com/v25.0/dialog/oauth",
			url.Values{"scope": {"pages_show_list,pages_read_engagement,read_insights,instagram_basic,instagram_manage_insights,business_management"}},
		},
		"photos, another version": {
			provider.SocialOptions{ClientID: metaClientID, ClientSecret: metaClientSecret, APIVersion: "v26.0"},
			directory.SocialPhotos, "https://www.facebook.com/v26.0/dialog/oauth",
			url.Values{"scope": {"pages_show_list,pages_read_engagement,instagram_basic,instagram_manage_insights,business_management"}},
		},
		"code challenge, another host": {
			provider.SocialOptions{ClientID: metaClientID, PKCE: true, BaseURL: &url.URL{Scheme: "http", Host: "sandbox:9000"}},
			directory.SocialPhotos, "http://sandbox:9000/v25.0/dialog/oauth",
			url.Values{
				"scope":                 {"pages_show_list,pages_read_engagement,instagram_basic,instagram_manage_insights,business_management"},
				"code_challenge_method": {"S256"}, "code_challenge": {"2oA11QGht7dLHF8_GY7NICxrI1BVeoceC6rlM5g6lik"},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := provider.NewSocial(test.options)
			address, query, _ := strings.Cut(s.AuthURL(test.service, "7:8:state", metaVerifier, metaRedirect), "?")
			got, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			test.want.Set("client_id", metaClientID)
			test.want.Set("redirect_uri", metaRedirect)
			test.want.Set("state", "7:8:state")
			test.want.Set("response_type", "code")
			test.want.Set("auth_type", "rerequest")
			if address != test.address || got.Encode() != test.want.Encode() {
				t.Errorf("AuthURL = %s ? %v\nwant %s ? %v", address, got, test.address, test.want)
			}
			if s.Abilities().UsesPKCE != test.options.PKCE {
				t.Errorf("UsesPKCE = %t", s.Abilities().UsesPKCE)
			}
		})
	}
}

func TestSocialConfigured(t *testing.T) {
	tests := []struct {
		id, secret string
		want       bool
	}{{"1", "2", true}, {"1", "", false}, {"", "2", false}}
	for _, test := range tests {
		s := provider.NewSocial(provider.SocialOptions{ClientID: test.id, ClientSecret: test.secret})
		if s.Abilities().Configured != test.want {
			t.Errorf("Configured with %q, %q = %t", test.id, test.secret, !test.want)
		}
	}
}

func TestSocialLacks(t *testing.T) {
	s := provider.NewSocial(provider.SocialOptions{})
	all := []string{"pages_show_list", "pages_read_engagement", "read_insights", "instagram_basic", "instagram_manage_insights"}
	tests := []struct {
		service directory.Service
		granted []string
		want    []string
	}{
		{directory.SocialPages, all, nil},
		{directory.SocialPhotos, all, nil},
		{directory.SocialPages, all[:2], []string{"read_insights"}},
		{directory.SocialPhotos, all[:3], []string{"instagram_basic", "instagram_manage_insights"}},
		{directory.SocialPages, nil, all[:3]},
		{directory.SearchProfile, nil, nil},
	}
	for _, test := range tests {
		if got := s.Lacks(test.service, test.granted); !slices.Equal(got, test.want) {
			t.Errorf("Lacks(%s, %v) = %v, want %v", test.service, test.granted, got, test.want)
		}
	}
}

func TestSocialExchange(t *testing.T) {
	server := newMetaServer(t)
	token, err := server.social().Exchange(t.Context(), directory.SocialPages, metaCode, "", metaRedirect)
	if err != nil {
		t.Fatal(err)
	}
	if token.AccessToken != metaUserToken || token.RefreshToken != "" || token.ProviderUserID != metaUserID {
		t.Errorf("token = %+v, want the long-lived one with its user", token)
	}
	if want := []string{"pages_show_list", "public_profile"}; !slices.Equal(token.Scopes, want) {
		t.Errorf("scopes = %v, want the granted ones %v", token.Scopes, want)
	}
	if want := metaNow.Add(5183944 * time.Second); token.ExpiresAt == nil || !token.ExpiresAt.Equal(want) {
		t.Errorf("expires = %v, want %v", token.ExpiresAt, want)
	}
	if server.calls[0].Form.Has("code_verifier") {
		t.Error("a verifier is sent though there was no challenge")
	}
}

func TestSocialExchangeWithVerifier(t *testing.T) {
	server := newMetaServer(t)
	if _, err := server.social(withPKCE).Exchange(t.Context(), directory.SocialPages, metaCode, metaVerifier, metaRedirect); err != nil {
		t.Fatal(err)
	}
	if got := server.calls[0].Form.Get("code_verifier"); got != metaVerifier {
		t.Errorf("verifier = %q", got)
	}
}

func TestSocialExchangeFails(t *testing.T) {
	const token, permissions = "POST /oauth/access_token", "GET /me/permissions"
	tests := map[string]struct {
		at    string
		reply metaReply
		code  string
	}{
		"code expired":             {token, metaError(100, 36007, metaCode), directory.CodeReconnect},
		"code used":                {token, metaError(100, 36009, metaCode), directory.CodeReconnect},
		"redirect address":         {token, metaError(100, 36008, metaRedirect), directory.CodeOperator},
		"client id":                {token, metaError(101, 0, "Error validating application"), directory.CodeOperator},
		"client secret":            {token, metaError(1, 0, "Error validating client secret: "+metaClientSecret), directory.CodeOperator},
		"passing fault":            {token, metaReply{500, metaError(1, 0, "unknown").body}, directory.CodeTemporary},
		"transient":                {token, metaReply{400, `{"error":{"code":1,"is_transient":true}}`}, directory.CodeTemporary},
		"limit":                    {token, metaError(4, 0, "limit"), directory.CodeThrottled},
		"gateway page":             {token, metaReply{502, "<html>" + metaCode}, directory.CodeTemporary},
		"odd answer":               {token, metaReply{200, "<html>" + metaCode}, directory.CodeChanged},
		"no token":                 {token, metaReply{200, `{"token_type":"bearer"}`}, directory.CodeChanged},
		"longer life refused":      {token + " fb_exchange_token", metaError(190, 463, metaShortToken), directory.CodeReconnect},
		"permissions not told":     {permissions, metaError(2, 0, "later"), directory.CodeTemporary},
		"user not told":            {"GET /me", metaReply{200, `{"name":"Anna"}`}, directory.CodeChanged},
		"token dead at once":       {"GET /me", metaError(190, 460, metaUserToken), directory.CodeReconnect},
		"permissions in odd shape": {permissions, metaReply{200, `{"data":"` + metaUserToken + `"}`}, directory.CodeChanged},
	}
	for name, test := range tests {
		quickly(t, name, func(t *testing.T) {
			server := newMetaServer(t)
			server.replies[test.at] = test.reply
			_, err := server.social(withPKCE).Exchange(t.Context(), directory.SocialPages, metaCode, metaVerifier, metaRedirect)
			wantFault(t, err, test.code)
		})
	}
}
