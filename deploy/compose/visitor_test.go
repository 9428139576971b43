package compose

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"
)

// transport takes names below localhost for this machine, as browsers do
// (RFC 6761, section 6.3): the sandbox's pages have such names.
var transport = &http.Transport{
	MaxIdleConnsPerHost: 64,
	DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if host, port, err := net.SplitHostPort(addr); err == nil && (host == "localhost" || strings.HasSuffix(host, ".localhost")) {
			addr = net.JoinHostPort("127.0.0.1", port)
		}
		return (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, network, addr)
	},
}

// visitor is a person with a browser that keeps cookies.
type visitor struct {
	base string
	http *http.Client
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func newVisitor(t *testing.T) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{base: setting(t, "COMPOSE_BASE_URL"), http: &http.Client{
		Jar: jar, Transport: transport, Timeout: 90 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ask makes one request; body is sent as JSON unless it is empty.
func (v *visitor) ask(ctx context.Context, method, address, body string) (answer, error) {
	if strings.HasPrefix(address, "/") {
		address = v.base + address
	}
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := v.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, content}, err
}

// get asks for a page and wants one of the statuses.
func (v *visitor) get(t *testing.T, address string, statuses ...int) answer {
	t.Helper()
	return v.want(t, http.MethodGet, address, "", statuses...)
}

func (v *visitor) want(t *testing.T, method, address, body string, statuses ...int) answer {
	t.Helper()
	a, err := v.ask(t.Context(), method, address, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	for _, status := range statuses {
		if a.status == status {
			return a
		}
	}
	t.Fatalf("%s %s: %d, want %v\n%.300s", method, address, a.status, statuses, a.body)
	return a
}

// login as one of the demonstration users (services/directory/seed.go).
func (v *visitor) login(t *testing.T, email string) {
	t.Helper()
	v.want(t, http.MethodPost, "/api/auth/login", `{"email":"`+email+`","password":"demo-haslo-2026"}`, http.StatusOK)
}

// connect goes the whole way over the provider's consent page and back.
func (v *visitor) connect(t *testing.T, pair, account string) {
	t.Helper()
	start := decode[struct {
		AuthURL string `json:"auth_url"`
	}](t, v.want(t, http.MethodPost, "/api/oauth/connect/"+pair, "", http.StatusOK))
	response, err := v.http.PostForm(start.AuthURL, url.Values{"decision": {"allow"}, "account": {account}, "scope": {"all"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	back := v.get(t, response.Header.Get("Location"), http.StatusFound)
	if got := back.header.Get("Location"); got != "/konto/integracje?oauth_success="+url.QueryEscape(pair) && got != "/konto/integracje?oauth_success="+pair {
		t.Fatalf("the browser ends at %q", got)
	}
}

// connected tells whether a service is connected, and as whom.
func (v *visitor) connected(t *testing.T, pair string) (bool, string) {
	t.Helper()
	status := decode[struct {
		Services map[string]struct {
			Connected   bool
			AccountName *string `json:"account_name"`
		}
	}](t, v.get(t, "/api/oauth/status", http.StatusOK))
	service := status.Services[pair]
	if service.AccountName == nil {
		return service.Connected, ""
	}
	return service.Connected, *service.AccountName
}

// decode reads a JSON body.
func decode[T any](t *testing.T, a answer) (v T) {
	t.Helper()
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("answer %d is not JSON: %v\n%.200s", a.status, err, a.body)
	}
	return v
}

// sourceRequests counts what reached one of the sandbox's sites.
func sourceRequests(t *testing.T, site string) int {
	t.Helper()
	v := newVisitor(t)
	list := decode[struct{ Count int }](t, v.get(t, setting(t, "COMPOSE_SANDBOX_URL")+"/requests?site="+site, http.StatusOK))
	return list.Count
}
