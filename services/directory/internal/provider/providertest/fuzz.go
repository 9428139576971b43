package providertest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

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
	expires := token.ExpiresAt
	if err == nil && (token.AccessToken == "" || expires != nil && (!expires.After(Now) || expires.Year() > 9999)) {
		t.Errorf("token of %d bytes until %v", len(token.AccessToken), expires)
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
