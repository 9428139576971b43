package providertest

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"backend.example/services/directory/internal/provider"
)

// quoted stands in a fuzzed body for every secret of a call: providers quote what
// they were sent.
const quoted = "SECRET"

// NewFuzzServer answers every call with one status and body, and fails the test for an
// address that no call may have.
func NewFuzzServer(t *testing.T, status uint16, retryAfter, body string) *Server {
	body = strings.ReplaceAll(body, quoted, strings.Join(Secrets, " "))
	return NewServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, segment := range strings.Split(r.URL.EscapedPath(), "/")[1:] {
			if segment == "" || segment == "." || segment == ".." {
				t.Errorf("asked for %s", r.URL.Path)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header()["Retry-After"] = []string{retryAfter}
		w.Header()["X-App-Usage"] = []string{body}
		w.WriteHeader(200 + int(status)%400) // any number becomes a status that a server can send
		_, _ = w.Write([]byte(body))
	}))
}

// CheckFuzzFault accepts no error and a fault, and nothing else.
func CheckFuzzFault(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		CheckFault(t, err)
	}
}

// CheckFuzzToken accepts a token that can be stored and used, or a fault.
func CheckFuzzToken(t *testing.T, token provider.Token, err error) {
	t.Helper()
	CheckFuzzFault(t, err)
	if err != nil {
		return
	}
	if token.AccessToken == "" {
		t.Error("an empty token")
	}
	if expires := token.ExpiresAt; expires != nil && (!expires.After(Now) || expires.Year() > 9999) {
		t.Errorf("a token until %v", expires)
	}
}

// CheckFuzzValue accepts a value that JSON can carry, or a fault.
func CheckFuzzValue(t *testing.T, v any, err error) {
	t.Helper()
	CheckFuzzFault(t, err)
	if _, encoding := json.Marshal(v); encoding != nil {
		t.Errorf("%+v: %v", v, encoding)
	}
}

// OAuth is the part of a client that calls token and revocation endpoints.
type OAuth interface {
	Exchange(ctx context.Context, services []provider.Service, code, verifier, redirectURL string) (provider.Token,
		error)
	Refresh(ctx context.Context, t provider.Token) (provider.Token, error)
	Revoke(ctx context.Context, t provider.Token) error
}

// FuzzOAuth checks that whatever those endpoints answer is a token or a fault.
func FuzzOAuth(f *testing.F, service provider.Service, client func(*Server) OAuth) {
	for status, bodies := range map[uint16][]string{
		0: {`{"access_token":"a","expires_in":3599,"refresh_token":"r","scope":"a ` +
			`b","id_token":"e30.eyJzdWIiOiIxIn0.x"}`,
			`{"access_token":"a","refresh_token":"r","expires_in":9223372036854775807}`,
			`{"access_token":"a","refresh_token":"r","expires_in":-1}`,
			`{"access_token":"","expires_in":"x"}`, `access_token=a&refresh_token=r&expires_in=1e9`, `{}`, `[]`, `"`,
			"\xff", ""},
		200: {`{"error":"invalid_grant","error_description":"SECRET"}`, `{"error":"SECRET","error_subtype":"SECRET"}`,
			`{"error":{"message":"SECRET","code":190,"error_subcode":460}}`, `{"error":{"code":1,"is_transient":true}}`,
			`{"error":{"code":100,"error_subcode":36009}}`},
		300: {`<html>SECRET</html>`, `{"error":"internal_failure"}`},
	} {
		for _, body := range bodies {
			f.Add(status, "120", body)
		}
	}
	f.Add(uint16(229), "Fri, 31 Dec 9999 23:59:59 GMT", "")
	f.Fuzz(func(t *testing.T, status uint16, wait, body string) {
		synctest.Test(t, func(t *testing.T) {
			oauth := client(NewFuzzServer(t, status, wait, body))
			c := provider.Token{AccessToken: SomeToken, RefreshToken: SomeToken, ProviderUserID: "1022000000100001"}

			token, err := oauth.Exchange(t.Context(), []provider.Service{service}, SomeCode, Verifier, RedirectURL)
			CheckFuzzToken(t, token, err)
			token, err = oauth.Refresh(t.Context(), c)
			CheckFuzzToken(t, token, err)
			CheckFuzzFault(t, oauth.Revoke(t.Context(), c))
		})
	})
}
