package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
)

// The services that a company can connect.
const (
	SearchProfile   = "provider_search/search_profile"
	SearchAnalytics = "provider_search/search_analytics"
	SocialPages     = "provider_social/social_pages"
	SocialPhotos    = "provider_social/social_photos"
)

// DemoPassword is the password of every user of `directory seed`.
const DemoPassword = "demo-haslo-2026" // #nosec G101 -- published on purpose

var (
	hardwareContract  = sync.OnceValue(func() *contracttest.Checker { return contracttest.New(contracts.Hardware()) })
	directoryContract = sync.OnceValue(func() *contracttest.Checker { return contracttest.New(contracts.Directory()) })
)

// Answer is a response with its request.
type Answer = contracttest.Exchange

// Client is shared. Like a browser, it resolves names below localhost to this machine (RFC 6761, section 6.3).
var Client = sync.OnceValue(func() *http.Client {
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		if host, port, err := net.SplitHostPort(addr); err == nil && strings.HasSuffix(host, ".localhost") {
			addr = net.JoinHostPort("127.0.0.1", port)
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512, DialContext: dial}}
})

// From is the transport of a client with this address behind a trusted proxy.
type From string

// ClientNumber is the transport of one of many clients, none of which is near a limit.
func ClientNumber(n int) From { return From(fmt.Sprintf("2001:db8:%x::1", n)) }

// RoundTrip sends a request.
func (f From) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("X-Forwarded-For", string(f))
	return Client().Transport.RoundTrip(r)
}

// Get requests the hardware service and checks the response against the contract.
func Get(t *testing.T, base, path string) Answer {
	t.Helper()
	return sendChecked(t, Client(), hardwareContract(), http.MethodGet, base+path, nil)
}

// Post sends body as JSON, like Get.
func Post(t *testing.T, base, path string, body any) Answer {
	t.Helper()
	return sendChecked(t, Client(), hardwareContract(), http.MethodPost, base+path, body)
}

func sendChecked(t *testing.T, by *http.Client, contract *contracttest.Checker, method, url string, body any) Answer {
	t.Helper()
	a, err := Send(t.Context(), by, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	contract.Check(t, a)
	return a
}

// Send sends body as JSON, unless it is nil. An error means that there was no response within a minute.
func Send(ctx context.Context, by *http.Client, method, url string, body any) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var sent []byte
	if body != nil {
		sent, _ = json.Marshal(body) // the tests send plain values
	}
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(sent))
	if err != nil {
		return Answer{}, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	a, err := Do(by, request)
	a.RequestBody = sent
	return a, err
}

// Do sends a request and reads the whole response.
func Do(by *http.Client, request *http.Request) (Answer, error) {
	response, err := by.Do(request) // #nosec G704 -- the test's own servers
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return Answer{Request: request, Status: response.StatusCode, Header: response.Header, Body: body}, err
}

// CheckOK returns err, or an error if the status is not 200.
func CheckOK(a Answer, err error) error {
	if err != nil || a.Status == http.StatusOK {
		return err
	}
	return fmt.Errorf("%s %s: %d %.300s", a.Request.Method, a.Request.URL, a.Status, a.Body)
}

// OK fails the test if the status is not 200.
func OK(t *testing.T, a Answer) Answer {
	t.Helper()
	if err := CheckOK(a, nil); err != nil {
		t.Fatal(err)
	}
	return a
}

// Text returns the body at url, whose status has to be 200.
func Text(t *testing.T, url string) string {
	t.Helper()
	a, err := Send(t.Context(), Client(), http.MethodGet, url, nil)
	if err = CheckOK(a, err); err != nil {
		t.Fatal(err)
	}
	return string(a.Body)
}

// Decode reads a JSON body.
func Decode[T any](t *testing.T, a Answer) (v T) {
	t.Helper()
	if err := json.Unmarshal(a.Body, &v); err != nil {
		t.Fatalf("answer %d is not JSON: %v\n%.200s", a.Status, err, a.Body)
	}
	return v
}

// Visitor is a browser that keeps cookies and follows no redirect by itself.
type Visitor struct {
	Base string
	HTTP *http.Client
}

// NewVisitor returns one without cookies.
func NewVisitor(base string) *Visitor {
	jar, _ := cookiejar.New(nil) // never fails
	return &Visitor{Base: base, HTTP: &http.Client{
		Jar: jar, Transport: Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Login logs in a user of the demonstration data, and returns the visitor.
func (v *Visitor) Login(t *testing.T, email string) *Visitor {
	t.Helper()
	OK(t, v.Post(t, "/api/auth/login", map[string]string{"email": email, "password": DemoPassword}))
	return v
}

// At returns a visitor of another base address that shares the cookies.
func (v *Visitor) At(base string) *Visitor { return &Visitor{Base: base, HTTP: v.HTTP} }

// Get requests the directory service and checks the response against the contract.
func (v *Visitor) Get(t *testing.T, path string) Answer {
	t.Helper()
	return sendChecked(t, v.HTTP, directoryContract(), http.MethodGet, v.Base+path, nil)
}

// Post sends body as JSON, unless it is nil, like Get.
func (v *Visitor) Post(t *testing.T, path string, body any) Answer {
	t.Helper()
	return sendChecked(t, v.HTTP, directoryContract(), http.MethodPost, v.Base+path, body)
}

// Try is Post without a check. There may be no response.
func (v *Visitor) Try(ctx context.Context, method, path string, body any) (Answer, error) {
	return Send(ctx, v.HTTP, method, v.Base+path, body)
}

// GetAs decodes the JSON body of a response with status 200.
func GetAs[T any](t *testing.T, v *Visitor, path string) T {
	t.Helper()
	return Decode[T](t, OK(t, v.Get(t, path)))
}

// PostAs is GetAs for a request with a body.
func PostAs[T any](t *testing.T, v *Visitor, path string, body any) T {
	t.Helper()
	return Decode[T](t, OK(t, v.Post(t, path, body)))
}

// Company returns the id of the user's company.
func (v *Visitor) Company(t *testing.T) int64 {
	t.Helper()
	return GetAs[struct{ Company struct{ ID int64 } }](t, v, "/api/auth/me").Company.ID
}

// Connection is one connection of GET /api/oauth/status.
type Connection struct {
	Connected      bool
	AccountID      *string `json:"account_id"`
	AccountName    *string `json:"account_name"`
	Expired        bool    `json:"is_expired"`
	NeedsReconnect bool    `json:"needs_reconnect"`
	Reason         *string
}

// Connections returns the connections of the user's company, by pairs of provider and service such as SearchProfile.
func (v *Visitor) Connections(t *testing.T) map[string]Connection {
	t.Helper()
	return GetAs[struct{ Services map[string]Connection }](t, v, "/api/oauth/status").Services
}

// Decide sends the form of the consent page of a pair, and returns the path to which the provider redirects.
func (v *Visitor) Decide(t *testing.T, pair string, form url.Values) string {
	t.Helper()
	page := PostAs[struct {
		AuthURL string `json:"auth_url"`
	}](t, v, "/api/oauth/connect/"+pair, nil).AuthURL
	response, err := v.HTTP.PostForm(page, form)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close() // it was read for its address alone
	back, found := strings.CutPrefix(response.Header.Get("Location"), v.Base)
	if response.StatusCode != http.StatusFound || !found {
		t.Fatalf("the consent page answers %d with Location %q, want a redirect to %s",
			response.StatusCode, response.Header.Get("Location"), v.Base)
	}
	return back
}

// Callback follows the redirect and returns the parameter (name=value) of the page on which it ends.
func (v *Visitor) Callback(t *testing.T, back string) string {
	t.Helper()
	a := v.Get(t, back)
	result, found := strings.CutPrefix(a.Header.Get("Location"), "/konto/integracje?")
	if a.Status != http.StatusFound || !found {
		t.Fatalf("the callback answers %d with Location %q, want a redirect to /konto/integracje",
			a.Status, a.Header.Get("Location"))
	}
	return result
}

// Connect makes a connection with everything allowed.
func (v *Visitor) Connect(t *testing.T, pair, account string) {
	t.Helper()
	back := v.Decide(t, pair, url.Values{"decision": {"allow"}, "account": {account}, "scope": {"all"}})
	if result := v.Callback(t, back); result != "oauth_success="+pair {
		t.Fatalf("connect %s: %s", pair, result)
	}
}
