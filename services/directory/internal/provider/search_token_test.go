package provider_test

import (
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
)

func TestSearchExchange(t *testing.T) {
	server := newGoogleServer(t)
	token, err := server.search().Exchange(t.Context(), directory.SearchProfile, googleCode, googleVerifier, googleRedirect)
	if err != nil {
		t.Fatal(err)
	}
	if token.AccessToken != googleAccess || token.RefreshToken != googleRefresh || token.ProviderUserID != googleSubject {
		t.Errorf("token = %+v", token)
	}
	if want := googleNow.Add(3599 * time.Second); token.ExpiresAt == nil || !token.ExpiresAt.Equal(want) {
		t.Errorf("ExpiresAt = %v, want %v", token.ExpiresAt, want)
	}
	if want := []string{"openid", scopeProfile}; !slices.Equal(token.Scopes, want) {
		t.Errorf("Scopes = %v, want %v", token.Scopes, want)
	}
}

func TestSearchExchangeReplies(t *testing.T) {
	tests := []struct {
		name   string
		reply  googleReply
		scopes []string
		user   string
	}{
		{"unticked", tokenReply(googleRefresh, "openid"), []string{"openid"}, googleSubject},
		{"scope as asked", tokenReply(googleRefresh, ""), []string{"openid", scopeProfile}, googleSubject},
		{"no id token", googleReply{status: 200, body: `{"access_token":"a","refresh_token":"r","scope":"x"}`}, []string{"x"}, ""},
		{"odd id token", googleReply{status: 200, body: `{"access_token":"a","refresh_token":"r","scope":"x","id_token":"a.b"}`}, []string{"x"}, ""},
		{"unreadable claims", googleReply{status: 200, body: `{"access_token":"a","refresh_token":"r","scope":"x","id_token":"a.!.c"}`}, []string{"x"}, ""},
		{"claims of another form", googleReply{status: 200, body: `{"access_token":"a","refresh_token":"r","scope":"x","id_token":"` + idToken(`{"sub":7}`) + `"}`}, []string{"x"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			server.replies["/token"] = test.reply
			token, err := server.search().Exchange(t.Context(), directory.SearchProfile, googleCode, googleVerifier, googleRedirect)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(token.Scopes, test.scopes) || token.ProviderUserID != test.user {
				t.Errorf("token = %+v, want scopes %v of user %q", token, test.scopes, test.user)
			}
		})
	}
}

func TestSearchExchangeRefused(t *testing.T) {
	tests := []struct {
		name                     string
		code, verifier, redirect string
		want                     string
	}{
		{"code", "4/other", googleVerifier, googleRedirect, directory.CodeReconnect},
		{"verifier", googleCode, "other", googleRedirect, directory.CodeReconnect},
		{"redirect", googleCode, googleVerifier, googleRedirect + "/", directory.CodeOperator},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := newGoogleServer(t).search().Exchange(t.Context(), directory.SearchProfile, test.code, test.verifier, test.redirect)
			wantGoogleFault(t, err, test.want)
		})
	}
}

func TestSearchExchangeWithoutRefreshToken(t *testing.T) {
	server := newGoogleServer(t)
	server.replies["/token"] = tokenReply("", "openid "+scopeProfile)
	_, err := server.search().Exchange(t.Context(), directory.SearchProfile, googleCode, googleVerifier, googleRedirect)
	wantGoogleFault(t, err, directory.CodeReconnect)
}

func TestSearchRefresh(t *testing.T) {
	tests := []struct {
		name  string
		reply googleReply // status 0: the stand-in's own
		want  string
	}{
		{"same", googleReply{}, googleRefresh},
		{"rotated", tokenReply("1//rotated", "openid"), "1//rotated"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			if test.reply.status != 0 {
				server.replies["/token"] = test.reply
			}
			token, err := server.search().Refresh(t.Context(), directory.Connection{AccessToken: "ya29.old", RefreshToken: googleRefresh})
			if err != nil {
				t.Fatal(err)
			}
			if token.AccessToken != googleAccess || token.RefreshToken != test.want || !slices.Contains(token.Scopes, "openid") {
				t.Errorf("token = %+v, want refresh token %q", token, test.want)
			}
			if token.ExpiresAt == nil || !token.ExpiresAt.Equal(googleNow.Add(3599*time.Second)) {
				t.Errorf("ExpiresAt = %v", token.ExpiresAt)
			}
		})
	}
}

func TestSearchRefreshWithoutToken(t *testing.T) {
	server := newGoogleServer(t)
	_, err := server.search().Refresh(t.Context(), directory.Connection{AccessToken: googleAccess})
	wantGoogleFault(t, err, directory.CodeReconnect)
	if calls := server.paths(); len(calls) != 0 {
		t.Errorf("calls = %v, want none", calls)
	}
}

func TestSearchRevoke(t *testing.T) {
	tests := []struct {
		name       string
		connection directory.Connection
		reply      googleReply
		want       string // token sent
		code       string // fault; empty: none
	}{
		{"refresh token first", directory.Connection{AccessToken: googleAccess, RefreshToken: googleRefresh}, googleReply{}, googleRefresh, ""},
		{"access token", directory.Connection{AccessToken: googleAccess}, googleReply{}, googleAccess, ""},
		{"gone already", directory.Connection{RefreshToken: "1//old"}, googleReply{}, "1//old", ""},
		{"down", directory.Connection{RefreshToken: googleRefresh}, googleReply{status: 503, body: googleRefresh}, googleRefresh, directory.CodeTemporary},
		{"other error", directory.Connection{RefreshToken: googleRefresh}, googleReply{status: 400, body: `{"error":"invalid_request"}`}, googleRefresh, directory.CodeChanged},
	}
	for _, test := range tests {
		quickly(t, test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			if test.reply.status != 0 {
				server.replies["/revoke"] = test.reply
			}
			err := server.search().Revoke(t.Context(), test.connection)
			if test.code == "" && err != nil {
				t.Fatal(err)
			}
			if test.code != "" {
				wantGoogleFault(t, err, test.code)
			}
			if len(server.calls) != tries(test.code) || server.calls[0].Form.Get("token") != test.want {
				t.Errorf("calls = %+v, want %d with token %q", server.calls, tries(test.code), test.want)
			}
		})
	}
}

func TestSearchWrongClient(t *testing.T) {
	search := newGoogleServer(t).search(func(o *provider.SearchOptions) { o.ClientSecret = "GOCSPX-other" })
	_, err := search.Refresh(t.Context(), directory.Connection{RefreshToken: googleRefresh})
	wantGoogleFault(t, err, directory.CodeOperator)
}
