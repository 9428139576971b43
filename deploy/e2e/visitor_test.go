package e2e

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// demoPassword is that of every user of `directory seed`.
const demoPassword = "demo-haslo-2026"

// visitor is a person with a browser: it keeps cookies, and is shown each redirect.
type visitor struct {
	base string
	http *http.Client
}

func newVisitor(t *testing.T, base string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{base: base, http: &http.Client{
		Jar: jar, Transport: client.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// at is the same visitor, with the same cookies, past the gateway.
func (v *visitor) at(base string) *visitor { return &visitor{base: base, http: v.http} }

func (v *visitor) get(t *testing.T, path string) answer {
	t.Helper()
	return ask(t, v.http, directoryContract, http.MethodGet, v.base+path, nil)
}

func (v *visitor) post(t *testing.T, path string, body any) answer {
	t.Helper()
	return ask(t, v.http, directoryContract, http.MethodPost, v.base+path, body)
}

func (v *visitor) login(t *testing.T, email string) {
	t.Helper()
	if a := v.post(t, "/api/auth/login", map[string]string{"email": email, "password": demoPassword}); a.status != http.StatusOK {
		t.Fatalf("login of %s: %d %s", email, a.status, a.body)
	}
}

// authorize asks for the address of the provider's consent page.
func (v *visitor) authorize(t *testing.T, pair string) string {
	t.Helper()
	a := v.post(t, "/api/oauth/connect/"+pair, nil)
	if a.status != http.StatusOK {
		t.Fatalf("connect %s: %d %s", pair, a.status, a.body)
	}
	return decode[struct {
		AuthURL string `json:"auth_url"`
	}](t, a).AuthURL
}

// decide sends the form of the consent page and returns the path, with its query,
// to which the provider sends the browser back.
func (v *visitor) decide(t *testing.T, consentPage string, form url.Values) string {
	t.Helper()
	response, err := v.http.PostForm(consentPage, form)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	back, found := strings.CutPrefix(response.Header.Get("Location"), v.base)
	if response.StatusCode != http.StatusFound || !found {
		t.Fatalf("consent: %s, Location %q", response.Status, response.Header.Get("Location"))
	}
	return back
}

// callback follows the browser back and returns the one parameter of the page on
// which it ends, name=value.
func (v *visitor) callback(t *testing.T, back string) string {
	t.Helper()
	a := v.get(t, back)
	result, found := strings.CutPrefix(a.header.Get("Location"), "/konto/integracje?")
	if a.status != http.StatusFound || !found {
		t.Fatalf("callback: %d, Location %q", a.status, a.header.Get("Location"))
	}
	return result
}

// connect goes the whole way, with everything allowed.
func (v *visitor) connect(t *testing.T, pair, account string) {
	t.Helper()
	back := v.decide(t, v.authorize(t, pair), allowAll(account))
	if result := v.callback(t, back); result != "oauth_success="+pair {
		t.Fatalf("connect %s: %s", pair, result)
	}
}

// allowAll is the form of a consent page with every scope ticked.
func allowAll(account string) url.Values {
	return url.Values{"decision": {"allow"}, "account": {account}, "scope": {"all"}}
}
