package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/internal/kit/fault"
)

// forms are the addresses that change something.
var forms = []string{
	"/konto/logowanie", "/konto/wylogowanie", "/konto/integracje/polacz/provider_search/search_profile",
	"/konto/integracje/polacz/provider_search", "/konto/integracje/odswiez/provider_search/search_profile", "/konto/integracje/lokalizacja/audyt",
	"/konto/integracje/rozlacz/provider_search/search_profile", "/konto/statystyki/facebook",
	"/konto/integracje/strona", "/konto/integracje/lokalizacja", "/audyt/piekarnia",
	"/konto/haslo", "/konto/reset", "/konto/nowe-haslo", "/konto/sesje", "/konto/firmy/nowa", "/konto/firmy/1",
	"/konto/uzytkownicy", "/konto/uzytkownicy/1", "/konto/uzytkownicy/1/sesje", "/konto/uzytkownicy/1/link", "/konto/uzytkownicy/1/usun",
	"/konto/dane", "/konto/dane/adres", "/konto/nowy-adres", "/konto/osoby", "/konto/osoby/1/usun",
	hooksPath, hooksPath + "/1/proba", hooksPath + "/1/klucz", hooksPath + "/1/usun", hooksPath + "/1/ponow",
}

// readable are the pages by whether they need a login.
var readable = map[string]bool{
	"/": false, "/konto": false, "/konto/logowanie": false, "/audyt": false, "/audyt/piekarnia": false,
	"/konto/usuniecie-danych/c0de": false,
	"/docs":                        false, "/docs/hardware": false, "/openapi/directory.yaml": false, "/openapi/hardware.yaml": false, "/konto/static/site.css": false,
	"/konto/przeglad": true, "/konto/statystyki": true, "/konto/deweloper": true, "/konto/integracje": true, "/konto/integracje/strona": true, "/konto/integracje/lokalizacja": true, "/konto/audyt": true, "/konto/firmy": true,
	"/konto/haslo": true, "/konto/reset": false, "/konto/nowe-haslo": false, "/konto/sesje": true, "/konto/firmy/nowa": true, "/konto/firmy/1": true,
	"/konto/dane": true, "/konto/nowy-adres": false, "/konto/osoby": true,
	"/konto/uzytkownicy": true, "/konto/uzytkownicy/1": true,
}

// TestEveryRouteIsListed: what is listed nowhere would escape the tests below.
func TestEveryRouteIsListed(t *testing.T) {
	w := newWorld(t)
	for _, route := range w.echo.Routes() {
		if strings.HasSuffix(route.Path, "/*") && route.Path != "/konto/static/*" {
			continue // leads nowhere
		}
		pattern := strings.NewReplacer(":provider/:service", "provider_search/search_profile", ":provider", "provider_search", ":slug", "piekarnia", ":id", "1",
			":code", "c0de", ":kanal", "facebook", "*", "site.css").Replace(route.Path)
		_, listed := readable[pattern]
		if route.Method == http.MethodPost {
			listed = slices.Contains(forms, pattern)
		}
		if !listed {
			t.Errorf("%s %s is not listed", route.Method, route.Path)
		}
	}
}

func TestPagesNeedALogin(t *testing.T) {
	w := newWorld(t)
	for path, needed := range readable {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			target := path + "?x=1"
			a := w.do(method, target, "")
			location := a.Header().Get("Location")
			if want := "/konto/logowanie?powrot=" + url.QueryEscape(target); needed != (location == want) {
				t.Errorf("%s %s: %d to %q", method, path, a.Code, location)
			}
		}
	}
	for _, path := range forms {
		w.browser.did = nil
		a := w.post(path, "wybor=1")
		own := slices.Contains([]string{"/konto/logowanie", "/konto/wylogowanie", "/konto/reset", "/konto/nowe-haslo", "/konto/nowy-adres"}, path)
		if !own && (a.Header().Get("Location") != "/konto/logowanie" || len(w.browser.did)+len(w.Trail()) > 0) {
			t.Errorf("%s: %d to %q, did %q", path, a.Code, a.Header().Get("Location"), w.browser.did)
		}
	}
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	for _, path := range forms {
		for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}} {
			w.do(http.MethodPost, path, "wybor=1", headers...).shows(http.StatusForbidden, "Formularz z innej witryny został odrzucony.")
		}
		if len(w.browser.did)+len(w.Trail()) > 0 {
			t.Errorf("%s did %q", path, w.browser.did)
		}
	}
}

func TestErrorsArePages(t *testing.T) {
	away := errors.New("dial tcp 10.0.0.7:5432: refused")
	for name, tt := range map[string]struct {
		spoil  func(*world)
		path   string
		status int
		text   string
	}{
		"unknown page":      {func(*world) {}, "/konto/nic", 404, "Nie ma takiej strony."},
		"below a page":      {func(*world) {}, "/audyt/piekarnia/x", 404, "Nie ma takiej strony."},
		"unknown reference": {func(*world) {}, "/docs/x", 404, "Nie ma takiej strony."},
		"unknown document":  {func(*world) {}, "/openapi/directory.json", 404, "Nie ma takiej strony."},
		"unknown deletion":  {func(*world) {}, "/konto/usuniecie-danych/c0de", 404, "Nie znaleziono zgłoszenia o takim kodzie."},
		"unknown asset":     {func(*world) {}, "/konto/static/x.css", 404, "Nie ma takiej strony."},
		"unknown company":   {func(*world) {}, "/audyt/inna", 404, "Nie znaleziono firmy."},
		"session":           {func(w *world) { w.browser.user, w.browser.userErr = nil, away }, "/konto/integracje", 500, "Wystąpił nieoczekiwany błąd."},
		"company":           {func(w *world) { w.Store.Fail["Company"] = away }, "/konto/integracje", 500, "Wystąpił nieoczekiwany błąd."},
		"status":            {func(w *world) { w.Hide("oauth_tokens") }, "/konto/integracje", 500, "Wystąpił nieoczekiwany błąd."},
		"statistics":        {func(w *world) { w.Hide("social_statistics") }, "/konto/statystyki", 500, "Wystąpił nieoczekiwany błąd."},
		"audits":            {func(w *world) { w.Hide("profile_audits") }, "/konto/audyt", 500, "Wystąpił nieoczekiwany błąd."},
		"database is away": {func(w *world) {
			w.Store.Fail["Company"] = fault.Wrap(away, fault.Unavailable, "database_unavailable", "Baza danych nie odpowiada.")
		}, "/konto/integracje", 503, "Baza danych nie odpowiada."},
		"earlier statistics": {func(w *world) {
			w.keepPage(readPage())
			w.Hide("social_statistics_history")
		}, "/konto/przeglad", 500, "Wystąpił nieoczekiwany błąd."},
		"provider": {func(w *world) { w.Social.Fail["Pages"] = away }, "/konto/integracje/strona", 500, "Wystąpił nieoczekiwany błąd."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).loggedIn(account.Manager)
			w.connectPage()
			tt.spoil(w)
			a := w.get(tt.path).shows(tt.status, tt.text).lacks("10.0.0.7", "Zaloguj się")
			if w.browser.userErr == nil {
				a.shows(tt.status, "Połączenia Audyt", "Anna <i> Wyloguj się")
			}
		})
	}
	if a := newWorld(t).get("/nigdzie"); a.Code != 404 || !strings.HasPrefix(a.Header().Get("Content-Type"), "application/json") {
		t.Errorf("an unknown path: %d %s", a.Code, a.Header().Get("Content-Type"))
	}
}

func TestHome(t *testing.T) {
	w := newWorld(t)
	w.get("/").shows(200, "Zaloguj się", "Działa", "Kontakt")
	w.loggedIn(account.Manager).get("/").shows(200, "Anna <i>", "Wyloguj")
	w.ping, w.browser.userErr = errors.New("away"), errors.New("away")
	w.get("/").shows(200, "Baza danych nie odpowiada").lacks("Anna")
}

func TestPagesLetVisitorsLogOut(t *testing.T) {
	w := newWorld(t).loggedIn(account.Admin)
	w.connectPage()
	w.keep(audited())
	w.shown.Deletion = func(context.Context, string) (erasure.Deletion, error) { return erasure.Deletion{}, nil }
	for path := range readable {
		if a := w.get(path); a.Code == http.StatusOK && strings.Contains(a.Body.String(), "<main") && !strings.HasPrefix(path, "/docs") {
			a.shows(http.StatusOK, "Anna <i> Wyloguj się")
		}
	}
}

// TestPagesAreLight: a page with all that it needs to be shown, as it goes over the
// network, is smaller than 15 kB, figures than 20 kB.
func TestPagesAreLight(t *testing.T) {
	w := newWorld(t).loggedIn(account.Admin)
	w.connectPage()
	for range 3 {
		w.keepPage(readPage())
		w.keepPhotos(readPhotos())
		w.keep(audited())
		w.Now = w.Now.Add(24 * time.Hour)
	}
	packed := func(text string) int {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		return out.Len()
	}
	files := regexp.MustCompile(`(?:src|href)="(/konto/static/[^"]+)"`)
	for path := range readable {
		a := w.get(path)
		if a.Code != http.StatusOK || !strings.Contains(a.Body.String(), "<main") || strings.HasPrefix(path, "/docs") {
			continue // the reference has a library of its own
		}
		size, parts := packed(a.Body.String()), map[string]bool{}
		for _, found := range files.FindAllStringSubmatch(a.Body.String(), -1) {
			parts[found[1]] = true
		}
		for part := range parts {
			size += packed(w.get(part).Body.String())
		}
		limit := 15_000
		if path == "/konto/statystyki" {
			limit = 20_000
		}
		if size >= limit || len(parts) < 3 {
			t.Errorf("%s: %d bytes with %d files", path, size, len(parts))
		}
	}
}
