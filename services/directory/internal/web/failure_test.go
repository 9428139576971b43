package web_test

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/site"
)

// failing makes one statement of a world's database fail.
type failing struct {
	at   int      // which; 1 is the next one
	seen []string // statements
}

func newFailing(w *world) *failing {
	w.t.Helper()
	f := &failing{}
	see := func(kind string) func(*gorm.DB) {
		return func(tx *gorm.DB) {
			if f.seen = append(f.seen, kind+" "+tx.Statement.Table); len(f.seen) == f.at {
				_ = tx.AddError(errors.New("the database is away"))
			}
		}
	}
	for _, handle := range []*gorm.DB{w.Store.Read(w.t.Context()), w.Store.Write(w.t.Context())} {
		on := handle.Callback()
		if err := errors.Join(
			on.Create().Before("*").Register("fail", see("create")), on.Query().Before("*").Register("fail", see("query")),
			on.Update().Before("*").Register("fail", see("update")), on.Delete().Before("*").Register("fail", see("delete")),
			on.Row().Before("*").Register("fail", see("row")), on.Raw().Before("*").Register("fail", see("raw")),
		); err != nil {
			w.t.Fatal(err)
		}
	}
	return f
}

// full is a world in which administrators have something on each page.
func full(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.mails()
	w.loggedIn(account.Admin)
	w.SetPassword(w.Anna, "haslo-anny-2026")
	w.AddUser("jan", account.Member, &w.Company)
	w.connectAll()
	w.readAll()
	w.keep(audited())
	w.addDeliveries(webhook.Delivery{Type: "a", State: webhook.Parked})
	w.addSessions()
	return w
}

// optional are statements without which an answer is whole, or says what it lacks.
var optional = []string{"row provider_refusals", "create social_statistics", "create social_statistics_history"}

// TestEachFailedStatementIsReported: whichever statement fails, a page is an error, and a form
// reports no success. The form can be sent again, unless the failure came after the change.
func TestEachFailedStatementIsReported(t *testing.T) {
	w := full(t)
	token := w.link()
	f := newFailing(w)
	send := func(method, path, form string, lasting bool) {
		for n := 1; ; n++ {
			f.at, f.seen = n, nil
			a := w.do(method, path, form, "Sec-Fetch-Site", "same-origin")
			if len(f.seen) < n {
				if a.Code >= 400 && method == http.MethodPost && !lasting {
					t.Errorf("%s in the end: %d %s", path, a.Code, a.text())
				}
				break
			}
			if failed := f.seen[n-1]; a.Code != http.StatusInternalServerError && !slices.Contains(optional, failed) {
				t.Errorf("%s: %d %q without %q", path, a.Code, a.outcome, failed)
			}
		}
	}
	pages := []string{"/audyt?firma=piek", companiesPath + "?stan=przerwane", companiesPath + "?szukaj=firma", usersPath + "?szukaj=a"}
	for _, path := range slices.AppendSeq(pages, maps.Keys(readable)) {
		send(http.MethodGet, path, "", false)
	}
	w.Anna.Role = account.Member
	send(http.MethodGet, companiesPath, "", false)
	w.Anna.Role = account.Admin
	user := values("nazwa", "Jan", "rola", "MEMBER", "firma", "piekarnia", "email", "ola@poczta.example")
	for _, form := range []struct {
		path, form string
		lasting    bool
	}{
		{path: statisticsPath + "/profil"}, {path: statisticsPath + "/wyszukiwarka"}, {path: statisticsPath + "/facebook"}, {path: statisticsPath + "/instagram"},
		{path: "/konto/integracje/odswiez/provider_search/search_profile"},
		{path: pagePath, form: "wybor=104118"}, {path: locationPath, form: "wybor=locations/1"}, {path: locationPath + "/audyt", form: "wybor=locations/1"},
		{path: "/audyt/piekarnia"},
		{path: "/konto/integracje/polacz/provider_social/social_pages"}, {path: "/konto/integracje/polacz/provider_social", form: "usluga=social_pages"},
		{path: "/konto/integracje/rozlacz/provider_social/social_pages"},
		{path: hooksPath, form: values("adres", "https://hook.example/b")}, {path: hooksPath + "/1/proba"}, {path: hooksPath + "/1/ponow", form: "zdarzenie=msg_0"},
		{path: hooksPath + "/1/klucz"}, {path: hooksPath + "/1/usun"},
		{path: companiesPath + "/nowa", form: values("identyfikator", "nowa", "nazwa", "Nowa", "stan", "active", "przed-stan", "active")},
		{path: companiesPath + "/1", form: values("telefon", "1")},
		{path: usersPath, form: user, lasting: true}, {path: usersPath + "/2", form: user}, {path: usersPath + "/2/link"}, {path: usersPath + "/2/usun", lasting: true},
		{path: usersPath + "/1/sesje"}, {path: "/konto/sesje"}, {path: "/konto/reset", form: values("email", w.Anna.Email)},
		{path: "/konto/nowe-haslo", form: twice(chosen, "token", token), lasting: true},
		{path: "/konto/haslo", form: twice("haslo-anny-2027", "obecne", chosen), lasting: true},
	} {
		send(http.MethodPost, form.path, form.form, form.lasting)
	}
}

// TestUnreadableFormsAreRefused: none is taken for an empty form.
func TestUnreadableFormsAreRefused(t *testing.T) {
	w := full(t)
	without := []string{"/konto/wylogowanie", usersPath + "/1/link", usersPath + "/1/usun", hooksPath + "/1/proba", hooksPath + "/1/klucz", hooksPath + "/1/usun"}
	for _, path := range forms {
		if strings.Count(path, "/provider_search/") > 0 || strings.HasPrefix(path, statisticsPath) || slices.Contains(without, path) {
			continue // whose address says it all
		}
		w.post(path, "wybor=1&nazwa=%zz").shows(http.StatusBadRequest, "Nie udało się odczytać formularza.")
	}
}

// TestUnknownSessionsAreErrors: while the sessions cannot be read, nobody is taken for a
// visitor without a login; if they cannot be written, no form reports a success.
func TestUnknownSessionsAreErrors(t *testing.T) {
	w := full(t)
	w.browser.userErr = errors.New("the sessions are away")
	w.SetPassword(w.Anna, chosen)
	for path := range readable {
		if strings.HasPrefix(path, "/docs") || strings.HasPrefix(path, "/openapi") || strings.HasPrefix(path, "/konto/static") || path == "/audyt" {
			continue // which are the same for all visitors
		}
		w.get(path).shows(http.StatusInternalServerError)
	}
	w.browser.userErr, w.browser.cookieErr = nil, errors.New("no cookie can be written")
	for path, form := range map[string]string{
		"/konto/logowanie":   values("email", w.Anna.Email, "password", chosen),
		"/konto/wylogowanie": "",
		"/konto/haslo":       twice(chosen, "obecne", chosen),
		"/konto/sesje":       "",
	} {
		w.post(path, form).shows(http.StatusInternalServerError)
	}
}

// TestPagesThatCannotBeMadeAreErrors: no page that a template fails to make is an empty one.
func TestPagesThatCannotBeMadeAreErrors(t *testing.T) {
	w := full(t)
	empty, err := site.New(site.Options{Pages: fstest.MapFS{}, Static: fstest.MapFS{}})
	if err != nil {
		t.Fatal(err)
	}
	w.shown.Site = empty
	for _, user := range []*account.User{w.browser.user, nil} {
		w.browser.user = user
		for path := range readable {
			if strings.HasPrefix(path, "/docs") || strings.HasPrefix(path, "/openapi") || strings.HasPrefix(path, "/konto/static") {
				continue // which are written whole
			}
			if a := w.get(path); a.Code == http.StatusOK {
				t.Errorf("%s is there", path)
			}
		}
		for _, path := range forms {
			if a := w.post(path, ""); a.Code == http.StatusOK {
				t.Errorf("%s is answered", path)
			}
		}
	}
}

// TestRefusedFormsAreLogged checks that the log says which form it was, and why and in which
// request.
func TestRefusedFormsAreLogged(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.do(http.MethodPost, statisticsPath+"/profil", "", "Sec-Fetch-Site", "same-origin", "X-Request-Id", "req-9")
	line := `"level":"WARN","msg":"form refused","route":"/konto/statystyki/:kanal","error":"no_connection"`
	if log := w.Log.String(); !strings.Contains(log, line) || !strings.Contains(log, `"request_id":"req-9"`) {
		t.Errorf("log %s", log)
	}
}
