package provider_test

import (
	"net/http"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
)

// Each row is tried at the exchange and at the renewal: they differ in the reason
// for an invalid grant alone.
func TestSearchTokenRefusals(t *testing.T) {
	const secret = googleRefresh + " " + googleCode
	tests := []struct {
		name   string
		status int
		body   string
		header http.Header
		want   string
	}{
		{"invalid grant", 400, `{"error":"invalid_grant","error_description":"Token has been expired or revoked. ` + secret + `"}`, nil, directory.CodeReconnect},
		{"sign in again", 400, `{"error":"invalid_grant","error_subtype":"invalid_rapt"}`, nil, directory.CodeReconnect},
		{"policy", 400, `{"error":"admin_policy_enforced"}`, nil, directory.CodeReconnect},
		{"denied", 403, `{"error":"access_denied"}`, nil, directory.CodeReconnect},
		{"client", 401, `{"error":"invalid_client","error_description":"Unauthorized"}`, nil, directory.CodeOperator},
		{"deleted client", 401, `{"error":"deleted_client"}`, nil, directory.CodeOperator},
		{"may not", 401, `{"error":"unauthorized_client"}`, nil, directory.CodeOperator},
		{"redirect", 400, `{"error":"redirect_uri_mismatch"}`, nil, directory.CodeOperator},
		{"server error", 400, `{"error":"server_error"}`, nil, directory.CodeTemporary},
		{"rate", 403, `{"error":"rate_limit_exceeded"}`, http.Header{"Retry-After": {"7"}}, directory.CodeThrottled},
		{"too many", 429, ``, http.Header{"Retry-After": {"7"}}, directory.CodeThrottled},
		{"500", 500, `{"error":"invalid_grant"}`, nil, directory.CodeTemporary},
		{"503 page", 503, `<html>` + secret + `</html>`, http.Header{"Retry-After": {"7"}}, directory.CodeTemporary},
		{"400 page", 400, `<html>` + secret + `</html>`, nil, directory.CodeChanged},
		{"unknown code", 400, `{"error":"` + secret + `"}`, nil, directory.CodeChanged},
		{"error with 200", 200, `{"error":"invalid_grant"}`, nil, directory.CodeReconnect},
		{"page with 200", 200, `<html>` + secret + `</html>`, nil, directory.CodeChanged},
		{"odd expiry", 200, `{"access_token":"a","expires_in":"` + secret + `"}`, nil, directory.CodeChanged},
		{"no token", 200, `{"token_type":"Bearer"}`, nil, directory.CodeChanged},
		{"redirected", 302, ``, http.Header{"Location": {"/other?code=" + googleCode}}, directory.CodeChanged},
	}
	for _, test := range tests {
		quickly(t, test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			server.replies["/token"] = googleReply{test.status, test.body, test.header}
			_, exchangeErr := server.search().Exchange(t.Context(), directory.SearchProfile, googleCode, googleVerifier, googleRedirect)
			_, refreshErr := server.search().Refresh(t.Context(), directory.Connection{RefreshToken: googleRefresh})
			for _, err := range []error{exchangeErr, refreshErr} {
				f := wantGoogleFault(t, err, test.want)
				if wait := test.header.Get("Retry-After"); (wait == "7") != (f.RetryAfter == 7*time.Second) {
					t.Errorf("RetryAfter = %v, told %q", f.RetryAfter, wait)
				}
			}
			if want := 1 + tries(test.want); len(server.calls) != want { // a code is good for one try
				t.Errorf("%d calls, want %d", len(server.calls), want)
			}
		})
	}
}

func TestSearchReasons(t *testing.T) {
	tests := []struct{ name, body, exchange, refresh string }{
		{
			"invalid grant", `{"error":"invalid_grant"}`,
			"Kod autoryzacji wygasł lub został już użyty. Połącz konto ponownie.",
			"Dostęp do konta wygasł lub został cofnięty. Połącz konto ponownie.",
		},
		{
			"sign in again", `{"error":"invalid_grant","error_subtype":"invalid_rapt"}`,
			"Zasady bezpieczeństwa konta wymagają ponownego zalogowania. Połącz konto ponownie.",
			"Zasady bezpieczeństwa konta wymagają ponownego zalogowania. Połącz konto ponownie.",
		},
		{
			"policy", `{"error":"admin_policy_enforced"}`,
			"Administrator konta nie zezwala na ten dostęp. Skontaktuj się z nim i połącz konto ponownie.",
			"Administrator konta nie zezwala na ten dostęp. Skontaktuj się z nim i połącz konto ponownie.",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			server.replies["/token"] = googleReply{status: 400, body: test.body}
			_, err := server.search().Exchange(t.Context(), directory.SearchProfile, googleCode, googleVerifier, googleRedirect)
			if f := wantGoogleFault(t, err, directory.CodeReconnect); f.Message != test.exchange {
				t.Errorf("message = %q, want %q", f.Message, test.exchange)
			}
			_, err = server.search().Refresh(t.Context(), directory.Connection{RefreshToken: googleRefresh})
			if f := wantGoogleFault(t, err, directory.CodeReconnect); f.Message != test.refresh {
				t.Errorf("message = %q, want %q", f.Message, test.refresh)
			}
		})
	}
}
