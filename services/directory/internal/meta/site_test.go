package meta_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/fake"
	sandbox "backend.example/deploy/sandbox/meta"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

const (
	clientID     = "471100"
	clientSecret = "5ec2e70f5ec2e70f5ec2e70f5ec2e70f" // #nosec G101 -- made up
	redirectURL  = "https://firma.example/api/oauth/callback"
	verifier     = "verifier-of-forty-three-characters-at-the-least"
	someCode     = "code-of-the-consent-page"
	someToken    = "token-of-a-user-or-a-page" // #nosec G101 -- made up

	annaID   = "1022000000100001" // of the sandbox
	bakeryID = "105600000010001"  // the page of her bakery
)

var now = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)

// none is the code of no fault.
var none fault.Code

func clock() time.Time { return now }

// site is the sandbox's provider_social behind HTTP, with a client of it.
type site struct {
	*sandbox.Provider
	*meta.Client
}

func newSite(t *testing.T) site {
	s := site{Provider: sandbox.New(sandbox.Options{
		ClientID: clientID, ClientSecret: clientSecret, RedirectURI: redirectURL, Now: clock,
	})}
	s.Client = meta.New(options(testkit.NewTransport(t, s.Provider)))
	return s
}

func options(transport http.RoundTripper) meta.Options {
	return meta.Options{
		ClientID: clientID, ClientSecret: clientSecret, PKCE: true, Transport: transport, Timeout: 10 * time.Second,
		Now: clock, PagesScopes: pagesScopes, PhotosScopes: photosScopes, PageMetrics: pageMetrics,
		Metrics: metrics.New(nil),
	}
}

func ok(body string) fake.Reply { return fake.Reply{Body: body} }

func failed(status int, body string) fake.Reply { return fake.Reply{Status: status, Body: body} }

// graphError is an error response of the Graph API.
func graphError(code, subcode int, message string) fake.Reply {
	return failed(400, fmt.Sprintf(
		`{"error":{"message":%q,"type":"OAuthException","code":%d,"error_subcode":%d,"fbtrace_id":"AbC"}}`, message,
		code, subcode))
}

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
	for _, secret := range []string{clientSecret, verifier, someCode, someToken} {
		if strings.Contains(err.Error()+f.Message, secret) {
			t.Errorf("secret in the error %q or in the message %q", err, f.Message)
		}
	}
	return f
}
