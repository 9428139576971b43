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

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
)

// fuzzed is a service whose requests tests send without a record, and whose database
// nothing fills up.
type fuzzed struct {
	*world
	from *browser
}

func newFuzzed(f *testing.F) *fuzzed {
	w := newWorld(f, databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(f)})
	return &fuzzed{w, w.loggedInAs(w.AddUser("gosc", account.Unaffiliated, &w.Company))}
}

// send sends a request whose answer has to be as the contract says.
func (w *fuzzed) send(t *testing.T, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	w.Log.Reset()
	recorder := httptest.NewRecorder()
	checker.Wrap(t, w.echo).ServeHTTP(recorder, r)
	return recorder
}

// post sends a body of any kind.
func (w *fuzzed) post(t *testing.T, path, contentType, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := w.from.request(http.MethodPost, path, body)
	r.Header["Content-Type"] = []string{contentType}
	return w.send(t, r)
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
	w := newFuzzed(f)
	var email *string
	w.accounts.Logins = account.NewLogins(func(_ context.Context, tried string) (account.User, error) {
		email = &tried
		return account.User{}, account.CodeInvalidLogin.Fault() // before a password is hashed
	}, w.Store.DB, nil, w.Clock, slog.New(slog.DiscardHandler))
	f.Fuzz(func(t *testing.T, contentType, body string) {
		email = nil
		w.pass(time.Hour) // so that no limit is used up
		a := w.post(t, "/api/auth/login", contentType, body)
		tried := email != nil
		if tried != (a.Code == http.StatusUnauthorized) || tried && !utf8.ValidString(*email) {
			t.Errorf("%d; tried is %t", a.Code, tried)
		}
		if strings.Contains(a.Body.String(), "hidden!") || len(a.Result().Cookies()) > 0 {
			t.Errorf("answer %v %s", a.Header(), a.Body)
		}
	})
}

// FuzzAuditBody: a body names a company, which is missing or not the user's, or is refused.
func FuzzAuditBody(f *testing.F) {
	seedBodies(f, `{"company_id":1,"slug":"x","save":false,"fetch_external":null,"force_refresh":true}`, `{"slug":7}`,
		`{"slug":"\u0000","save":"no"}`)
	w := newFuzzed(f)
	f.Fuzz(func(t *testing.T, contentType, body string) {
		if a := w.post(t, runAudit, contentType, body); a.Code < 400 || a.Code >= 500 {
			t.Errorf("%d %s", a.Code, a.Body)
		}
	})
}

// FuzzFormBody: JSON, form and multipart contain a good company id, whose connection is
// looked for and not found, or are refused before that.
func FuzzFormBody(f *testing.F) {
	seedBodies(f, `{"company_id":1}`)
	w := newFuzzed(f)
	looked := false
	w.ok(w.Store.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
		looked = looked || name == "row oauth_tokens"
		return ctx, func(error) {}
	}))
	f.Fuzz(func(t *testing.T, contentType, body string) {
		looked = false
		a := w.post(t, discoverPages, contentType, body)
		if a.Code < 400 || a.Code >= 500 || looked != (a.Code == http.StatusNotFound) {
			t.Errorf("%d %s, looked for the connection: %t", a.Code, a.Body, looked)
		}
	})
}

// FuzzCallback: whatever comes back from a provider, the browser goes to our own
// page with one parameter, and the authorization is spent.
func FuzzCallback(f *testing.F) {
	for _, query := range []string{
		"code=c&state=1:2:search_profile:r", "code=c&state=1:2:social_pages:r", "error=access_denied", "error=%0D%0ALocation:%20https://evil.example",
		"error=//evil.example&code=c", "error=a%26oauth_success%3Dx%23", "code=%ff&state=%00", "state=a&state=b&code=&error=", "%zz;&", "error=" + strings.Repeat("%C5%82", 150),
	} {
		f.Add("provider_search", query)
	}
	f.Add("../../evil", "code=c&state=1:2:search_profile:r")
	f.Add("provider%5Fsearch", "error=x")
	w := newFuzzed(f)
	w.Search.Fail["Exchange"] = errSecret
	pending := connection.Pending{State: "1:2:search_profile:r", Provider: provider.Search, CreatedAt: w.Now}
	f.Fuzz(func(t *testing.T, name, query string) {
		err := w.sessions.Put(httptest.NewRecorder(), w.from.request(http.MethodPost, "/", ""), connection.PendingName, pending.String())
		if err != nil {
			t.Fatal(err)
		}
		r := w.from.request(http.MethodGet, "/", "")
		r.URL = &url.URL{Path: "/api/oauth/callback/" + name, RawQuery: query}
		a := w.send(t, r)
		if a.Code == http.StatusNotFound && (name == "" || strings.Contains(name, "/")) {
			return
		}
		text, found := strings.CutPrefix(a.Header().Get("Location"), "/konto/integracje?oauth_error=")
		value, err := url.QueryUnescape(text)
		if a.Code != http.StatusFound || !found || err != nil || strings.ContainsAny(text, "&#;\r\n\\\"<> ") || !utf8.ValidString(value) ||
			len(value) > 3*len(query)+20 || value == "" || a.Body.Len() > 0 {
			t.Errorf("%d to %q with %s", a.Code, a.Header()["Location"], a.Body)
		}
		left, err := w.sessions.Take(httptest.NewRecorder(), w.from.request(http.MethodGet, "/", ""), connection.PendingName)
		if left != "" || err != nil {
			t.Errorf("the session still holds %q, %v", left, err)
		}
	})
}
