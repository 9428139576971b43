package provider_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
)

func TestSocialRefresh(t *testing.T) {
	tests := map[string]struct {
		connection directory.Connection
		reply      string
		life       time.Duration
	}{
		"user's token":          {directory.Connection{AccessToken: metaUserToken}, "", 5183944 * time.Second},
		"token kept for a page": {directory.Connection{AccessToken: metaPageToken, UserAccessToken: metaUserToken, Chosen: directory.ChosenPage}, "", 5183944 * time.Second},
		"end not told": {
			directory.Connection{AccessToken: metaUserToken}, `{"access_token":"` + metaUserToken + `","token_type":"bearer"}`, 60 * 24 * time.Hour,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := newMetaServer(t)
			if test.reply != "" {
				server.replies["POST /oauth/access_token"] = metaReply{200, test.reply}
			}
			token, err := server.social().Refresh(t.Context(), test.connection)
			if err != nil {
				t.Fatal(err)
			}
			if want := metaNow.Add(test.life); token.AccessToken != metaUserToken || token.ExpiresAt == nil || !token.ExpiresAt.Equal(want) {
				t.Errorf("token = %+v, want one until %v", token, want)
			}
			if got := server.calls[0].Form.Get("fb_exchange_token"); got != metaUserToken {
				t.Errorf("exchanged %q, want the user's token", got)
			}
		})
	}
}

func TestSocialRefreshFails(t *testing.T) {
	const at = "POST /oauth/access_token"
	tests := map[string]struct {
		reply *metaReply
		code  string
	}{
		"expired":      {nil, directory.CodeReconnect},
		"app removed":  {&metaReply{400, metaError(190, 458, metaPageToken).body}, directory.CodeReconnect},
		"later":        {&metaReply{500, metaError(2, 0, "").body}, directory.CodeTemporary},
		"no token":     {&metaReply{200, `{"expires_in":5183944}`}, directory.CodeChanged},
		"odd answer":   {&metaReply{200, "access_token=" + metaPageToken}, directory.CodeChanged},
		"limit":        {&metaReply{403, metaError(613, 0, "").body}, directory.CodeThrottled},
		"wrong secret": {&metaReply{400, metaError(1, 0, "").body}, directory.CodeOperator},
	}
	for name, test := range tests {
		quickly(t, name, func(t *testing.T) {
			server := newMetaServer(t)
			if test.reply != nil {
				server.replies[at] = *test.reply
			}
			_, err := server.social().Refresh(t.Context(), directory.Connection{AccessToken: metaPageToken})
			wantFault(t, err, test.code)
			if len(server.calls) != tries(test.code) {
				t.Errorf("%d calls, want %d", len(server.calls), tries(test.code))
			}
		})
	}
}

func TestSocialRevoke(t *testing.T) {
	chosen := directory.Connection{ProviderUserID: metaUserID, AccessToken: metaPageToken, UserAccessToken: metaUserToken}
	tests := map[string]struct {
		connection directory.Connection
		reply      metaReply
		call       string
		token      string
		code       string
	}{
		"as practised":    {chosen, metaReply{200, `{"success":true}`}, "DELETE /" + metaUserID + "/permissions", metaAppToken, ""},
		"as documented":   {chosen, metaReply{200, "true"}, "DELETE /" + metaUserID + "/permissions", metaAppToken, ""},
		"removed before":  {chosen, metaError(190, 458, metaAppToken), "DELETE /" + metaUserID + "/permissions", metaAppToken, ""},
		"user is gone":    {chosen, metaError(100, 33, metaAppToken), "DELETE /" + metaUserID + "/permissions", metaAppToken, ""},
		"app token wrong": {chosen, metaError(190, 0, metaAppToken), "DELETE /" + metaUserID + "/permissions", metaAppToken, directory.CodeReconnect},
		"later":           {chosen, metaError(2, 0, metaAppToken), "DELETE /" + metaUserID + "/permissions", metaAppToken, directory.CodeTemporary},
		"user not known": {
			directory.Connection{AccessToken: metaUserToken}, metaReply{200, "true"}, "DELETE /me/permissions", metaUserToken, "",
		},
	}
	for name, test := range tests {
		quickly(t, name, func(t *testing.T) {
			server := newMetaServer(t)
			server.replies[test.call] = test.reply
			err := server.social().Revoke(t.Context(), test.connection)
			if test.code != "" {
				wantFault(t, err, test.code)
			} else if err != nil {
				t.Fatal(err)
			}
			if got := server.paths(); !slices.Equal(got, slices.Repeat([]string{test.call}, tries(test.code))) || server.calls[0].Token != test.token {
				t.Errorf("calls = %v with %q", got, server.calls[0].Token)
			}
			if got := server.calls[0].Query.Get("appsecret_proof"); got != metaProof(test.token) {
				t.Errorf("proof = %q", got)
			}
		})
	}
}

func TestSocialAccount(t *testing.T) {
	server := newMetaServer(t)
	id, name, err := server.social().Account(t.Context(), directory.SocialPages, directory.Token{AccessToken: metaUserToken})
	if err != nil || id != metaUserID || name != "Anna Nowak" {
		t.Errorf("Account = %q, %q, %v", id, name, err)
	}
	_, _, err = server.social().Account(t.Context(), directory.SocialPages, directory.Token{AccessToken: "EAAGother"})
	wantFault(t, err, directory.CodeReconnect)
}

// brokenRoad fails every exchange; the HTTP client adds the whole address to it.
type brokenRoad struct{}

func (brokenRoad) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("connection cut")
}

func TestSocialOffTheRoad(t *testing.T) {
	server := newMetaServer(t)
	social := server.social(func(o *provider.SocialOptions) { o.Transport = brokenRoad{} })
	ended, end := context.WithCancel(t.Context())
	end()
	calls := map[string]func(context.Context) error{
		"exchange": func(ctx context.Context) error {
			_, err := social.Exchange(ctx, directory.SocialPages, metaCode, "", metaRedirect)
			return err
		},
		"refresh": func(ctx context.Context) error {
			_, err := social.Refresh(ctx, directory.Connection{AccessToken: metaUserToken})
			return err
		},
		"revoke": func(ctx context.Context) error {
			return social.Revoke(ctx, directory.Connection{ProviderUserID: metaUserID})
		},
		"pages": func(ctx context.Context) error {
			_, err := social.Pages(ctx, metaUserToken)
			return err
		},
		"page": func(ctx context.Context) error {
			_, err := social.ReadPage(ctx, metaPageToken, metaPageID)
			return err
		},
		"photos": func(ctx context.Context) error {
			_, err := social.ReadPhotos(ctx, metaPageToken, metaPageID)
			return err
		},
	}
	for name, call := range calls {
		quickly(t, name, func(t *testing.T) {
			wantFault(t, call(t.Context()), directory.CodeTemporary)
			if err := call(ended); !errors.Is(err, context.Canceled) {
				t.Errorf("err = %v, want that of the context", err)
			}
		})
	}
}
