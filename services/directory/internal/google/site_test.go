package google_test

import (
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/fake"
	sandbox "backend.example/deploy/sandbox/google"
	"backend.example/deploy/sandbox/places"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

const (
	clientID     = "471100"
	clientSecret = "5ec2e70f5ec2e70f5ec2e70f5ec2e70f" // #nosec G101 -- made up
	apiKey       = "AIzaSyKeyOfThePlaces"             // #nosec G101 -- made up
	redirectURL  = "https://firma.example/api/oauth/callback"
	verifier     = "verifier-of-forty-three-characters-at-the-least"
	someCode     = "code-of-the-consent-page"
	someToken    = "token-of-a-user" // #nosec G101 -- made up
)

var now = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)

// none is the code of no fault.
var none fault.Code

func clock() time.Time { return now }

// site is the sandbox's provider_search behind HTTP, with a client of it.
type site struct {
	*sandbox.Provider
	*google.Client
}

func newSite(t *testing.T) site { return newSiteAt(t, now) }

func newSiteAt(t *testing.T, now time.Time) site {
	s := site{Provider: sandbox.New(sandbox.Options{
		ClientID: clientID, ClientSecret: clientSecret, RedirectURI: redirectURL, Now: clock,
	})}
	s.Client = google.New(google.Options{
		ClientID: clientID, ClientSecret: clientSecret, Transport: testkit.NewTransport(t, s.Provider),
		Timeout: 10 * time.Second, Now: func() time.Time { return now }, Metrics: metrics.New(nil),
	})
	return s
}

// newPlaces returns the sandbox's public places behind HTTP, and a client of them.
func newPlaces(t *testing.T, key string) (*fake.Fake, *google.Places) {
	fake := places.New(apiKey)
	return fake, google.NewPlaces(google.Options{
		APIKey: key, Transport: testkit.NewTransport(t, fake), Timeout: 10 * time.Second, Now: clock,
		Metrics: metrics.New(nil),
	})
}

// requests lists the methods and paths of the requests that reached a fake, without their queries.
func requests(f *fake.Fake) (list []string) {
	for _, r := range f.Requests() {
		path, _, _ := strings.Cut(r.Path, "?")
		list = append(list, r.Method+" "+path)
	}
	return list
}

func ok(body string) fake.Reply { return fake.Reply{Body: body} }

func failed(status int, body string) fake.Reply { return fake.Reply{Status: status, Body: body} }

// wantFault ends the test unless err has a code; the zero code is no error. Neither the log nor the person may read
// a secret.
func wantFault(t *testing.T, err error, code fault.Code) *fault.Error {
	t.Helper()
	if err == nil && code == none {
		return &fault.Error{}
	}
	if err == nil || !fault.Is(err, code) {
		t.Fatalf("err = %v, want %q", err, code)
	}
	f := fault.From(err)
	for _, secret := range []string{clientSecret, apiKey, verifier, someCode, someToken} {
		if strings.Contains(err.Error()+f.Message, secret) {
			t.Errorf("secret in the error %q or in the message %q", err, f.Message)
		}
	}
	return f
}
