package httpapi_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

// listener is a domain that refuses everything, and keeps what it was asked.
type listener struct {
	httpapi.Pages
	httpapi.Audits
	echo *echo.Echo

	email, password string
	audit           *directory.AuditRequest
	companyID       *int64
	took            bool // the authorization was taken out of the session
}

func newListener() *listener {
	log, now := slog.New(slog.DiscardHandler), time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	l := &listener{}
	api := httpapi.API{
		Sessions: anyBrowser{l: l}, Logins: l, Pages: l, Audits: l, Database: l, Log: log,
		OAuth:    directory.NewOAuth(nil, nil, publicURL, func() time.Time { return now }, nil, log),
		ClientIP: func(*http.Request) string { return "198.51.100.7" },
	}
	l.echo = httpx.New(httpx.Options{
		Log: log, Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "directory"),
		BodyLimit: httpapi.BodyLimit, ErrorBody: httpapi.Render,
	})
	api.Register(l.echo)
	return l
}

// anyBrowser has a user logged in who has an authorization under way.
type anyBrowser struct {
	httpapi.Sessions
	l *listener
}

func (anyBrowser) User(*http.Request) (*directory.User, error) {
	return &directory.User{ID: 7, CompanyID: ptr(int64(1)), Role: directory.Manager, Email: "anna@poczta.example"}, nil
}

func (b anyBrowser) Take(http.ResponseWriter, *http.Request) (*directory.Pending, error) {
	b.l.took = true
	return &directory.Pending{
		State: "1:7:search_profile:r", Provider: directory.ProviderSearch,
		CreatedAt: time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC),
	}, nil
}

func (*listener) Ping(context.Context) error { return nil }

func (l *listener) Login(_ context.Context, email, password, _ string) (directory.User, error) {
	l.email, l.password = email, password
	return directory.User{}, fault.New(fault.Unauthenticated, "invalid_login", textWrongLogin)
}

func (l *listener) Trigger(_ context.Context, _ directory.Actor, r directory.AuditRequest) (directory.Company, directory.Audit, *directory.Fetch, error) {
	l.audit = &r
	return directory.Company{}, directory.Audit{}, nil, fault.New(fault.NotFound, "no_company", textUnknown)
}

func (l *listener) Discover(_ context.Context, companyID int64) ([]directory.Page, error) {
	l.companyID = &companyID
	return nil, fault.New(fault.NotFound, "no_connection", textUnknown)
}

// send sends a request whose answer has to be as the contract says.
func (l *listener) send(t *testing.T, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	handler, recorder := checker.Wrap(t, l.echo), httptest.NewRecorder()
	l.email, l.password, l.audit, l.companyID, l.took = "", "", nil, nil, false
	handler.ServeHTTP(recorder, r)
	return recorder
}

// post sends a body of any kind.
func (l *listener) post(t *testing.T, path, contentType, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header["Content-Type"] = []string{contentType}
	return l.send(t, r)
}

// seedBodies adds bodies that are right, wrong and odd.
func seedBodies(f *testing.F, bodies ...string) {
	for _, body := range append(bodies, `{}`, `null`, `[]`, `{"`, "\xff", ``, `{"company_id":"007"}`, `{"company_id":1e2}`, `{"company_id":null,"x":1}`,
		`{"company_id":9223372036854775807}`, `{"company_id":-1}`, `{"company_id":0}`, `{"company_id":1,"company_id":"x"}`, "\ufeff{}", `{"company_id":1}{}`) {
		f.Add("application/json", body)
	}
	f.Add("application/json; charset=\"", `{}`)
	f.Add("application/x-www-form-urlencoded", "company_id=1&company_id=2;%zz")
	f.Add("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"company_id\"\r\n\r\n1\r\n--x--")
	f.Add("multipart/form-data", "--")
	f.Add("", "")
}

// FuzzLoginBody: a login comes to be tried with two texts, or is refused; nothing
// of it comes back.
func FuzzLoginBody(f *testing.F) {
	seedBodies(f, `{"email":"a@b.pl","password":"hidden!"}`, `{"email":"a@b.pl"}`, `{"email":"a@b.pl","password":""}`, `{"email":"\u0000","password":"\ud800"}`, `{"email":["a"],"password":{}}`)
	l := newListener()
	f.Fuzz(func(t *testing.T, contentType, body string) {
		a := l.post(t, "/api/auth/login", contentType, body)
		tried := l.email != "" || l.password != ""
		if tried != (a.Code == http.StatusUnauthorized) || tried && (l.email == "" || l.password == "" || !utf8.ValidString(l.email+l.password)) {
			t.Errorf("%d; tried %q, %q", a.Code, l.email, l.password)
		}
		if len(l.password) > 6 && strings.Contains(a.Body.String(), l.password) || len(a.Result().Cookies()) > 0 {
			t.Errorf("answer %v %s", a.Header(), a.Body)
		}
	})
}

// FuzzAuditBody: an audit is asked for of a company that is named by a good id or
// a text, or it is refused.
func FuzzAuditBody(f *testing.F) {
	seedBodies(f, `{"company_id":1,"slug":"x","save":false,"fetch_external":null,"force_refresh":true}`, `{"slug":7}`, `{"slug":"\u0000","save":"no"}`)
	l := newListener()
	f.Fuzz(func(t *testing.T, contentType, body string) {
		a := l.post(t, runAudit, contentType, body)
		if (l.audit != nil) != (a.Code == http.StatusNotFound) {
			t.Fatalf("%d; asked for %+v", a.Code, l.audit)
		}
		if l.audit != nil && (l.audit.Company.ID != nil && *l.audit.Company.ID <= 0 || !utf8.ValidString(l.audit.Company.Slug)) {
			t.Errorf("asked for %+v", l.audit)
		}
	})
}

// FuzzFormBody: JSON, form and multipart come to a good company id, or are refused.
func FuzzFormBody(f *testing.F) {
	seedBodies(f, `{"company_id":1}`)
	l := newListener()
	f.Fuzz(func(t *testing.T, contentType, body string) {
		a := l.post(t, discoverPages, contentType, body)
		if (l.companyID != nil) != (a.Code == http.StatusNotFound) || l.companyID != nil && *l.companyID <= 0 {
			t.Errorf("%d; asked for %v", a.Code, l.companyID)
		}
	})
}

// FuzzCallback: whatever comes back from a provider, the browser goes to our own
// page with one parameter, and the authorization is spent.
func FuzzCallback(f *testing.F) {
	for _, query := range []string{
		"code=c&state=1:7:search_profile:r", "code=c&state=1:7:social_pages:r", "error=access_denied", "error=%0D%0ALocation:%20https://evil.example",
		"error=//evil.example&code=c", "error=a%26oauth_success%3Dx%23", "code=%ff&state=%00", "state=a&state=b&code=&error=", "%zz;&", "error=" + strings.Repeat("%C5%82", 150),
	} {
		f.Add("provider_search", query)
	}
	f.Add("../../evil", "code=c&state=1:7:search_profile:r")
	f.Add("provider%5Fsearch", "error=x")
	l := newListener()
	f.Fuzz(func(t *testing.T, provider, query string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL = &url.URL{Path: "/api/oauth/callback/" + provider, RawQuery: query}
		a := l.send(t, r)
		if a.Code == http.StatusNotFound && (provider == "" || strings.Contains(provider, "/")) {
			return
		}
		text, found := strings.CutPrefix(a.Header().Get("Location"), "/konto/integracje?oauth_error=")
		value, err := url.QueryUnescape(text)
		if a.Code != http.StatusFound || !found || err != nil || strings.ContainsAny(text, "&#;\r\n\\\"<> ") || !utf8.ValidString(value) || len(value) > 203 || value == "" {
			t.Errorf("%d to %q", a.Code, a.Header()["Location"])
		}
		if !l.took || a.Body.Len() > 0 {
			t.Errorf("authorization taken: %t; body %s", l.took, a.Body)
		}
	})
}
