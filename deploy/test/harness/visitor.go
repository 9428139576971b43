package harness

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// The connections that a company can make.
const (
	SearchProfile   = "provider_search/search_profile"
	SearchAnalytics = "provider_search/search_analytics"
	SocialPages     = "provider_social/social_pages"
	SocialPhotos    = "provider_social/social_photos"
)

// DemoPassword is that of every user of `directory seed`.
const DemoPassword = "demo-haslo-2026" // #nosec G101 -- published on purpose

// Visitor is a browser: it keeps cookies, but follows no redirect by itself.
type Visitor struct {
	Base string
	HTTP *http.Client
}

// NewVisitor returns one without cookies, for the pages and the API at base.
func NewVisitor(t *testing.T, base string) *Visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Visitor{Base: base, HTTP: &http.Client{
		Jar: jar, Transport: Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// LoggedIn returns a user of the demonstration data who has logged in at base.
func LoggedIn(t *testing.T, base, email string) *Visitor {
	t.Helper()
	v := NewVisitor(t, base)
	v.Login(t, email)
	return v
}

// At is the same visitor, with the same cookies, past the gateway.
func (v *Visitor) At(base string) *Visitor { return &Visitor{Base: base, HTTP: v.HTTP} }

// Get and Post hold the answer to the contract of the directory service.
func (v *Visitor) Get(t *testing.T, path string) Answer {
	t.Helper()
	return ask(t, v.HTTP, directoryContract(), http.MethodGet, v.Base+path, nil)
}

// Post sends body, unless it is nil, as JSON.
func (v *Visitor) Post(t *testing.T, path string, body any) Answer {
	t.Helper()
	return ask(t, v.HTTP, directoryContract(), http.MethodPost, v.Base+path, body)
}

// Try sends body, unless it is nil, as JSON; the answer may be any, or none.
func (v *Visitor) Try(ctx context.Context, method, path string, body any) (Answer, error) {
	return Send(ctx, v.HTTP, method, v.Base+path, body)
}

// Login logs in a user of the demonstration data.
func (v *Visitor) Login(t *testing.T, email string) {
	t.Helper()
	OK(t, v.Post(t, "/api/auth/login", map[string]string{"email": email, "password": DemoPassword}))
}

// Cookies are those that the browser sends.
func (v *Visitor) Cookies(t *testing.T) []*http.Cookie {
	t.Helper()
	base, err := url.Parse(v.Base)
	if err != nil {
		t.Fatal(err)
	}
	return v.HTTP.Jar.Cookies(base)
}

// Company is the id of the user's company.
func (v *Visitor) Company(t *testing.T) int64 {
	t.Helper()
	return GetAs[struct{ Company struct{ ID int64 } }](t, v, "/api/auth/me").Company.ID
}

// Connection is one as its company sees it.
type Connection struct {
	Connected      bool
	AccountID      *string `json:"account_id"`
	AccountName    *string `json:"account_name"`
	Expired        bool    `json:"is_expired"`
	NeedsReconnect bool    `json:"needs_reconnect"`
	Reason         *string
}

// Connections are those of the user's company, by provider and service.
func (v *Visitor) Connections(t *testing.T) map[string]Connection {
	t.Helper()
	return GetAs[struct{ Services map[string]Connection }](t, v, "/api/oauth/status").Services
}

// Authorize asks for the address of the provider's consent page.
func (v *Visitor) Authorize(t *testing.T, pair string) string {
	t.Helper()
	return PostAs[struct {
		AuthURL string `json:"auth_url"`
	}](t, v, "/api/oauth/connect/"+pair, nil).AuthURL
}

// Decide sends the form of the consent page and returns the path, with its query,
// to which the provider sends the browser back.
func (v *Visitor) Decide(t *testing.T, consentPage string, form url.Values) string {
	t.Helper()
	response, err := v.HTTP.PostForm(consentPage, form)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	back, found := strings.CutPrefix(response.Header.Get("Location"), v.Base)
	if response.StatusCode != http.StatusFound || !found {
		t.Fatalf("consent: %s, Location %q", response.Status, response.Header.Get("Location"))
	}
	return back
}

// Callback follows the browser back and returns the one parameter of the page on
// which it ends, name=value.
func (v *Visitor) Callback(t *testing.T, back string) string {
	t.Helper()
	a := v.Get(t, back)
	result, found := strings.CutPrefix(a.Header.Get("Location"), "/konto/integracje?")
	if a.Status != http.StatusFound || !found {
		t.Fatalf("callback: %d, Location %q", a.Status, a.Header.Get("Location"))
	}
	return result
}

// Connect makes a connection through the consent page, with everything allowed.
func (v *Visitor) Connect(t *testing.T, pair, account string) {
	t.Helper()
	back := v.Decide(t, v.Authorize(t, pair), AllowAll(account))
	if result := v.Callback(t, back); result != "oauth_success="+pair {
		t.Fatalf("connect %s: %s", pair, result)
	}
}

// AllowAll is the form of a consent page with every scope ticked.
func AllowAll(account string) url.Values {
	return url.Values{"decision": {"allow"}, "account": {account}, "scope": {"all"}}
}

// GetAs and PostAs read the JSON of an answer that has to be 200.
func GetAs[T any](t *testing.T, v *Visitor, path string) T {
	t.Helper()
	return Decode[T](t, OK(t, v.Get(t, path)))
}

// PostAs sends body, unless it is nil, as JSON.
func PostAs[T any](t *testing.T, v *Visitor, path string, body any) T {
	t.Helper()
	return Decode[T](t, OK(t, v.Post(t, path, body)))
}
