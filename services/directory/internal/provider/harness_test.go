package provider_test

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

	"backend.example/deploy/sandbox/places"
	"backend.example/deploy/sandbox/search"
	"backend.example/deploy/sandbox/social"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// Our app as it is registered at every provider. None of the secrets may appear in an
// address or in an error.
const (
	clientID     = "471100"
	clientSecret = "5ec2e70f5ec2e70f5ec2e70f5ec2e70f"
	apiKey       = "AIzaSyKeyOfThePlaces"
	redirectURL  = "https://firma.example/api/oauth/callback"
	verifier     = "verifier-of-forty-three-characters-at-the-least"
	someCode     = "code-of-the-consent-page"
	someToken    = "token-of-a-user-or-a-page"
)

// The codes of the faults.
const (
	reconnect  = directory.CodeReconnect
	permission = directory.CodePermission
	throttled  = directory.CodeThrottled
	temporary  = directory.CodeTemporary
	operator   = directory.CodeOperator
	gone       = directory.CodeGone
	changed    = directory.CodeChanged
)

var (
	now     = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)
	secrets = []string{clientSecret, apiKey, verifier, someCode, someToken}
)

func clock() time.Time { return now }

// challenge is the PKCE code challenge of verifier (RFC 7636, section 4.2).
func challenge() string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// call is a request as it reached a provider.
type call struct {
	Method, Path, Token string // the path is escaped
	Header              http.Header
	Query, Form         url.Values
	Body                string
}

// reply is a fixed answer; a zero status is 200.
type reply struct {
	status int
	body   string
	header http.Header
}

func ok(body string) reply { return reply{body: body} }

func failed(status int, body string) reply { return reply{status: status, body: body} }

// server is a provider without a network: it answers with its replies, and what has
// none with a fake of the sandbox.
type server struct {
	t       *testing.T
	fake    http.Handler     // nil: everything has a reply
	replies map[string]reply // "GET /path", or with the metrics or the grant type behind it
	header  http.Header      // sent with every reply

	mu    sync.Mutex
	calls []call
}

func newServer(t *testing.T, fake http.Handler) *server {
	return &server{t: t, fake: fake, replies: map[string]reply{}}
}

// RoundTrip answers one request of an adapter. A secret in its address fails the test.
func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	c := s.record(req)
	recorder := httptest.NewRecorder()
	for _, key := range []string{" " + c.Query.Get("metric"), " " + c.Form.Get("grant_type"), ""} {
		if answer, ok := s.replies[c.Method+" "+c.Path+key]; ok {
			recorder.Header().Set("Content-Type", "application/json; charset=UTF-8")
			for _, header := range []http.Header{s.header, answer.header} {
				for name, values := range header {
					recorder.Header()[name] = values
				}
			}
			recorder.WriteHeader(max(answer.status, http.StatusOK))
			_, _ = recorder.WriteString(answer.body)
			return recorder.Result(), nil
		}
	}
	if s.fake == nil {
		s.t.Errorf("%s %s has no reply", c.Method, c.Path)
		return nil, errors.New("no reply")
	}
	received := httptest.NewRequestWithContext(req.Context(), req.Method, req.URL.String(), strings.NewReader(c.Body))
	received.Header = req.Header
	s.fake.ServeHTTP(recorder, received)
	return recorder.Result(), nil
}

func (s *server) record(req *http.Request) call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := call{Method: req.Method, Path: req.URL.EscapedPath(), Header: req.Header, Query: req.URL.Query()}
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
	for _, secret := range append(slices.Clone(secrets), c.Token) {
		if len(secret) > 1 && strings.Contains(req.URL.String(), url.QueryEscape(secret)) {
			s.t.Errorf("secret in the address of %s %s", c.Method, c.Path)
		}
	}
	s.calls = append(s.calls, c)
	return c
}

// requests lists method and path of every call.
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var requests []string
	for _, c := range s.calls {
		requests = append(requests, c.Method+" "+c.Path)
	}
	return requests
}

func (s *server) search() *provider.Search { return newSearch(s) }

func (s *server) social() *provider.Social { return newSocial(s) }

func (s *server) places() *provider.Places { return newPlaces(s) }

func newSearch(transport http.RoundTripper) *provider.Search {
	return provider.NewSearch(provider.SearchOptions{
		ClientID: clientID, ClientSecret: clientSecret, Transport: transport, Timeout: 10 * time.Second, Now: clock,
	})
}

func newSocial(transport http.RoundTripper) *provider.Social {
	return provider.NewSocial(provider.SocialOptions{
		ClientID: clientID, ClientSecret: clientSecret, PKCE: true, Transport: transport, Timeout: 10 * time.Second, Now: clock,
		PagesScopes: pagesScopes, PhotosScopes: photosScopes, Metrics: pageMetrics,
	})
}

func newPlaces(transport http.RoundTripper) *provider.Places {
	return provider.NewPlaces(provider.PlacesOptions{APIKey: apiKey, Transport: transport, Timeout: 10 * time.Second, Now: clock})
}

// newGoogle returns the sandbox's fake of provider_search and a server before it.
func newGoogle(t *testing.T) (*search.Provider, *server) {
	fake := search.New(search.Options{ClientID: clientID, ClientSecret: clientSecret, RedirectURI: redirectURL, Now: clock})
	return fake, newServer(t, fake)
}

// newMeta returns the sandbox's fake of provider_social and a server before it.
func newMeta(t *testing.T) (*social.Provider, *server) {
	fake := social.New(social.Options{ClientID: clientID, ClientSecret: clientSecret, RedirectURI: redirectURL, Now: clock})
	return fake, newServer(t, fake)
}

// newPlacesFake returns the sandbox's fake of the public places behind a server.
func newPlacesFake(t *testing.T) *server {
	return newServer(t, places.New(places.Options{APIKey: apiKey}))
}

// checkFault checks that err is a fault of package directory with a Polish message
// for the user, and that neither the message nor the log holds a secret.
func checkFault(t *testing.T, err error) *fault.Error {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || !strings.HasPrefix(f.Code, "provider_") || f.RetryAfter < 0 {
		t.Fatalf("err = %v, want a fault of a provider", err)
	}
	if !utf8.ValidString(f.Message) || !strings.HasSuffix(f.Message, ".") || len(f.Message) < 20 {
		t.Errorf("message = %q, want one that says what to do", f.Message)
	}
	for _, secret := range secrets {
		if strings.Contains(err.Error()+f.Message, secret) {
			t.Errorf("secret in the error %q or in the message %q", err, f.Message)
		}
	}
	return f
}

// wantFault is checkFault with a code; an empty code wants no error.
func wantFault(t *testing.T, err error, code directory.Code) *fault.Error {
	t.Helper()
	if code == "" {
		if err != nil {
			t.Fatal(err)
		}
		return &fault.Error{}
	}
	f := checkFault(t, err)
	if f.Code != string(code) {
		t.Fatalf("err = %v, want %s", err, code)
	}
	if code == reconnect && !strings.Contains(f.Message, "ołącz konto ponownie") {
		t.Errorf("message = %q, want it to ask for a new connection", f.Message)
	}
	return f
}

// tries is how often a call is made that ends in the fault.
func tries(code directory.Code) int {
	if code == temporary {
		return 3
	}
	return 1
}

// runQuickly runs a subtest in which the pauses between tries take no time.
func runQuickly(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}
