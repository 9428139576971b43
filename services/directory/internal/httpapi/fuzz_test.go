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

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/routes"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/internal/kit/httpx"
)

// listener is the API on an empty database. It records the logins and the
// authorizations that requests lead to.
type listener struct {
	echo *echo.Echo

	email *string
	took  bool // the authorization was taken out of the session
}

func newListener(t testing.TB) *listener {
	log, l := slog.New(slog.DiscardHandler), &listener{}
	now := func() time.Time { return directorytest.Start }
	db := storetest.Open(t, databasetest.NewSQLite(t))
	oauth := connection.New(connection.Options{Store: &connection.Store{DB: db.DB}, PublicURL: publicURL, Now: now, Log: log})
	guard := &account.Guard{Sessions: anyBrowser{l: l}, ClientIP: func(*http.Request) string { return "198.51.100.7" }}
	logins := account.NewLogins(l.UserByEmail, db.DB, nil, hourly(), log)
	audits := audit.New(audit.Options{DB: db.DB, Now: now, Log: log})
	l.echo = httpx.New(httpx.Options{
		Log: log, Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "directory"),
		BodyLimit: httpapi.BodyLimit, ErrorBody: httpapi.Render,
	})
	routes.Register(l.echo, routes.Services{
		Guard: guard, Accounts: &account.Handlers{Guard: guard, Logins: logins},
		Connections: &connection.Handlers{Service: oauth, Guard: guard, Log: log},
		Locations:   location.New(location.Options{Connections: oauth, Now: now}),
		Social:      social.New(social.Options{Connections: oauth, Store: &connection.Store{DB: db.DB}, Now: now, Log: log}), Audits: audits,
	})
	return l
}

// hourly returns a clock that advances by an hour with each reading, so that no limit is
// used up.
func hourly() func() time.Time {
	now := directorytest.Start
	return func() time.Time {
		now = now.Add(time.Hour)
		return now
	}
}

// anyBrowser has a user logged in who has an authorization under way.
type anyBrowser struct {
	account.BrowserSessions
	l *listener
}

func (anyBrowser) User(*http.Request) (*account.User, error) {
	return &account.User{ID: 7, CompanyID: ptr(int64(1)), Role: account.Manager, Email: "anna@poczta.example"}, nil
}

func (b anyBrowser) Take(http.ResponseWriter, *http.Request, string) (string, error) {
	b.l.took = true
	pending := connection.Pending{State: "1:7:search_profile:r", Provider: provider.Search, CreatedAt: directorytest.Start}
	return pending.String(), nil
}

func (anyBrowser) SetOutcome(http.ResponseWriter, string) error { return nil }

// UserByEmail fails before a password is hashed.
func (l *listener) UserByEmail(_ context.Context, email string) (account.User, error) {
	l.email = &email
	return account.User{}, account.CodeInvalidLogin.Fault()
}

// send sends a request whose answer has to be as the contract says.
func (l *listener) send(t *testing.T, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	handler, recorder := checker.Wrap(t, l.echo), httptest.NewRecorder()
	l.email, l.took = nil, false
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
	l := newListener(f)
	f.Fuzz(func(t *testing.T, contentType, body string) {
		a := l.post(t, "/api/auth/login", contentType, body)
		tried := l.email != nil
		if tried != (a.Code == http.StatusUnauthorized) || tried && !utf8.ValidString(*l.email) {
			t.Errorf("%d; tried is %t", a.Code, tried)
		}
		if strings.Contains(a.Body.String(), "hidden!") || len(a.Result().Cookies()) > 0 {
			t.Errorf("answer %v %s", a.Header(), a.Body)
		}
	})
}

// FuzzAuditBody: a body names a company, of which there is none, or is refused.
func FuzzAuditBody(f *testing.F) {
	seedBodies(f, `{"company_id":1,"slug":"x","save":false,"fetch_external":null,"force_refresh":true}`, `{"slug":7}`, `{"slug":"\u0000","save":"no"}`)
	l := newListener(f)
	f.Fuzz(func(t *testing.T, contentType, body string) {
		a := l.post(t, runAudit, contentType, body)
		if a.Code < 400 || a.Code >= 500 {
			t.Errorf("%d %s", a.Code, a.Body)
		}
	})
}

// FuzzFormBody: JSON, form and multipart come to a good company id, or are refused.
func FuzzFormBody(f *testing.F) {
	seedBodies(f, `{"company_id":1}`)
	l := newListener(f)
	f.Fuzz(func(t *testing.T, contentType, body string) {
		a := l.post(t, discoverPages, contentType, body)
		if a.Code < 400 || a.Code >= 500 {
			t.Errorf("%d %s", a.Code, a.Body)
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
	l := newListener(f)
	f.Fuzz(func(t *testing.T, provider, query string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL = &url.URL{Path: "/api/oauth/callback/" + provider, RawQuery: query}
		a := l.send(t, r)
		if a.Code == http.StatusNotFound && (provider == "" || strings.Contains(provider, "/")) {
			return
		}
		text, found := strings.CutPrefix(a.Header().Get("Location"), "/konto/integracje?oauth_error=")
		value, err := url.QueryUnescape(text)
		if a.Code != http.StatusFound || !found || err != nil || strings.ContainsAny(text, "&#;\r\n\\\"<> ") || !utf8.ValidString(value) || len(value) > 3*len(query)+20 || value == "" {
			t.Errorf("%d to %q", a.Code, a.Header()["Location"])
		}
		if !l.took || a.Body.Len() > 0 {
			t.Errorf("authorization taken: %t; body %s", l.took, a.Body)
		}
	})
}
