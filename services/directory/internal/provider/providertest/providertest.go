// Package providertest provides a server without a network, and checks of errors, for
// the tests of the packages that call a provider.
package providertest

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"backend.example/services/internal/kit/fault"

	"backend.example/services/directory/internal/provider"
)

// Our app as it is registered at every provider. None of the secrets may appear in an
// address or in an error.
const (
	ClientID     = "471100"
	ClientSecret = "5ec2e70f5ec2e70f5ec2e70f5ec2e70f" // #nosec G101 -- made up
	APIKey       = "AIzaSyKeyOfThePlaces"             // #nosec G101 -- made up
	RedirectURL  = "https://firma.example/api/oauth/callback"
	Verifier     = "verifier-of-forty-three-characters-at-the-least"
	SomeCode     = "code-of-the-consent-page"
	SomeToken    = "token-of-a-user-or-a-page" // #nosec G101 -- made up
)

// The codes of the faults.
var (
	Reconnect  = provider.CodeReconnect.Name
	Permission = provider.CodePermission.Name
	Throttled  = provider.CodeThrottled.Name
	Temporary  = provider.CodeTemporary.Name
	Operator   = provider.CodeOperator.Name
	Gone       = provider.CodeGone.Name
	Changed    = provider.CodeChanged.Name
)

// Now is the time of the tests, and Secrets is what no error may contain.
var (
	Now     = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)
	Secrets = []string{ClientSecret, APIKey, Verifier, SomeCode, SomeToken}
)

// Clock returns Now.
func Clock() time.Time { return Now }

// Challenge is the PKCE code challenge of verifier (RFC 7636, section 4.2).
func Challenge() string {
	sum := sha256.Sum256([]byte(Verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Call is a request as it reached a provider.
type Call struct {
	Method, Path, Token string // the path is escaped
	Header              http.Header
	Query, Form         url.Values
	Body                string
}

// Reply is a fixed answer; a zero status is 200.
type Reply struct {
	Status int
	Body   string
	Header http.Header
}

// OK returns a successful reply.
func OK(body string) Reply { return Reply{Body: body} }

// Failed returns a reply that is an error.
func Failed(status int, body string) Reply { return Reply{Status: status, Body: body} }

// Server is a provider without a network. It answers with its replies, and passes other
// requests to a fake of the sandbox.
type Server struct {
	t       *testing.T
	Fake    http.Handler     // nil: everything has a reply
	Replies map[string]Reply // "GET /path", or with the metrics or the grant type behind it
	Header  http.Header      // sent with every reply

	mu    sync.Mutex
	Calls []Call
}

// NewServer returns a server in front of a fake; nil if every request has a reply.
func NewServer(t *testing.T, fake http.Handler) *Server {
	return &Server{t: t, Fake: fake, Replies: map[string]Reply{}}
}

// RoundTrip answers one request of an adapter. A secret in its address fails the test.
func (s *Server) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	c := s.record(req)
	recorder := httptest.NewRecorder()
	for _, key := range []string{" " + c.Query.Get("metric"), " " + c.Form.Get("grant_type"), ""} {
		if answer, ok := s.Replies[c.Method+" "+c.Path+key]; ok {
			recorder.Header().Set("Content-Type", "application/json; charset=UTF-8")
			for _, header := range []http.Header{s.Header, answer.Header} {
				for name, values := range header {
					recorder.Header()[name] = values
				}
			}
			recorder.WriteHeader(max(answer.Status, http.StatusOK))
			_, _ = recorder.WriteString(answer.Body)
			return recorder.Result(), nil
		}
	}
	if s.Fake == nil {
		s.t.Errorf("%s %s has no reply", c.Method, c.Path)
		return nil, errors.New("no reply")
	}
	received := httptest.NewRequestWithContext(req.Context(), req.Method, req.URL.String(), strings.NewReader(c.Body))
	received.Header = req.Header
	s.Fake.ServeHTTP(recorder, received)
	return recorder.Result(), nil
}

func (s *Server) record(req *http.Request) Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := Call{Method: req.Method, Path: req.URL.EscapedPath(), Header: req.Header, Query: req.URL.Query()}
	c.Token = strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			s.t.Error(err)
		}
		c.Body = string(body)
	}
	if req.Header.Get("Content-Type") == "application/x-www-form-urlencoded" {
		form, err := url.ParseQuery(c.Body)
		if err != nil {
			s.t.Error(err)
		}
		c.Form = form
	}
	for _, secret := range append(slices.Clone(Secrets), c.Token) {
		if len(secret) > 1 && strings.Contains(req.URL.String(), url.QueryEscape(secret)) {
			s.t.Errorf("secret in the address of %s %s", c.Method, c.Path)
		}
	}
	s.Calls = append(s.Calls, c)
	return c
}

// Requests lists method and path of every call.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var requests []string
	for _, c := range s.Calls {
		requests = append(requests, c.Method+" "+c.Path)
	}
	return requests
}

// CheckFault checks that err is a fault of package directory with a Polish message
// for the user, and that neither the message nor the log holds a secret.
func CheckFault(t *testing.T, err error) *fault.Error {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || !strings.HasPrefix(f.Code, "provider_") || f.RetryAfter < 0 {
		t.Fatalf("err = %v, want a fault of a provider", err)
	}
	if !utf8.ValidString(f.Message) || !strings.HasSuffix(f.Message, ".") || len(f.Message) < 20 {
		t.Errorf("message = %q, want one that says what to do", f.Message)
	}
	for _, secret := range Secrets {
		if strings.Contains(err.Error()+f.Message, secret) {
			t.Errorf("secret in the error %q or in the message %q", err, f.Message)
		}
	}
	return f
}

// WantFault is CheckFault with a code; an empty code wants no error.
func WantFault(t *testing.T, err error, code string) *fault.Error {
	t.Helper()
	if code == "" {
		if err != nil {
			t.Fatal(err)
		}
		return &fault.Error{}
	}
	f := CheckFault(t, err)
	if f.Code != code {
		t.Fatalf("err = %v, want %s", err, code)
	}
	if code == Reconnect && !strings.Contains(f.Message, "ołącz konto ponownie") {
		t.Errorf("message = %q, want it to ask for a new connection", f.Message)
	}
	return f
}

// Tries is how often a call is made that ends in the fault.
func Tries(code string) int {
	if code == Temporary {
		return 3
	}
	return 1
}

// RunQuickly runs a subtest in which the pauses between tries take no time.
func RunQuickly(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}
