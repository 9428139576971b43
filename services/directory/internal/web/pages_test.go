package web_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

const (
	bakery = "locations/1002519486895516595"
	branch = "locations/6223914851933285135"
)

// pages returns a service and the browser of the bakery's manager.
func pages(t *testing.T) (*apptest.App, *apptest.Browser) {
	a := apptest.New(t)
	return a, a.Browser(a.Anna)
}

var markup = regexp.MustCompile(`(?s)<style.*?</style>|<script.*?</script>|<[^>]*>`)

// shows checks that a page has some texts or markup, and lacks those that begin with "!".
func shows(t *testing.T, r *apptest.Response, texts ...string) {
	t.Helper()
	page := r.Body.String()
	text := strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(page, " "))), " ")
	for _, wanted := range texts {
		wanted, absent := strings.CutPrefix(wanted, "!")
		found := strings.Contains(page, wanted) || strings.Contains(text, wanted)
		if found == absent {
			t.Errorf("%q absent: want %t in:\n%s", wanted, absent, text)
		}
	}
}

func wantTexts(t *testing.T, b *apptest.Browser, path string, texts ...string) {
	t.Helper()
	shows(t, b.Get(path).Want(http.StatusOK), texts...)
}

// form returns the fields of a form from names and values by turns.
func form(pairs ...string) url.Values {
	fields := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		fields.Set(pairs[i], pairs[i+1])
	}
	return fields
}

// leadsTo checks that a form sends the browser to a path.
func leadsTo(t *testing.T, r *apptest.Response, path string) {
	t.Helper()
	if location := r.Want(http.StatusSeeOther).Header().Get("Location"); location != path {
		t.Errorf("sent to %s, want %s", location, path)
	}
}

// submit sends a form that leads to an address.
func submit(t *testing.T, b *apptest.Browser, path, target string, fields ...string) {
	t.Helper()
	leadsTo(t, b.Submit(path, form(fields...)), target)
}

// TestOneTruth checks that overview, connections and statistics give the same reason for a
// service without figures, and that nothing is said to work then.
func TestOneTruth(t *testing.T) {
	const works = "Wszystko działa"
	t.Run("no property", func(t *testing.T) {
		a, anna := pages(t)
		_, err := a.Companies.Edit(t.Context(), a.Company.ID, company.Change{Website: new("https://nie-ma.example")},
			trail.Entry{})
		if err != nil {
			t.Fatal(err)
		}
		anna.Connect(provider.AnalyticsPair, "anna")
		submit(t, anna, "/konto/integracje/odswiez/provider_search/search_analytics", "/konto/integracje#wyszukiwarka")
		for _, path := range []string{"/konto/przeglad", "/konto/integracje", "/konto/statystyki"} {
			wantTexts(t, anna, path, "nie ma zweryfikowanej witryny", "Sprawdź ponownie", "!"+works)
		}
	})
	t.Run("not read yet", func(t *testing.T) {
		a, anna := pages(t)
		anna.Connect(provider.AnalyticsPair, "anna")
		for _, path := range []string{"/konto/przeglad", "/konto/integracje", "/konto/statystyki"} {
			wantTexts(t, anna, path, "Pierwsze dane właśnie odczytujemy", "Odczytaj teraz", "!"+works)
		}
		a.Work()
		for _, path := range []string{"/konto/przeglad", "/konto/integracje", "/konto/statystyki"} {
			wantTexts(t, anna, path, "!Pierwsze dane", "!Odczytaj teraz")
		}
	})
	t.Run("all is read", func(t *testing.T) {
		a, anna := pages(t)
		for _, p := range provider.Pairs() {
			anna.Connect(p, "anna")
		}
		submit(t, anna, "/konto/integracje/lokalizacja", "/konto/integracje#profil", "wybor", bakery)
		page := firstPage(t, a, anna)
		submit(t, anna, "/konto/integracje/strona", "/konto/integracje#facebook", "wybor", page)
		for _, channel := range []string{"profil", "wyszukiwarka", "facebook", "instagram"} {
			submit(t, anna, "/konto/statystyki/"+channel, "/konto/statystyki?okres=28#"+channel)
		}
		wantTexts(t, anna, "/konto/przeglad", works)
		a.Clock.Pass(73 * time.Hour)
		wantTexts(t, a.Browser(a.Anna), "/konto/przeglad", "Nowszych nie udało się odczytać", "!"+works)
	})
}

// TestOneConsentPerProvider checks that the overview offers all services of a provider with one
// consent, and a single one alone.
func TestOneConsentPerProvider(t *testing.T) {
	_, anna := pages(t)
	wantTexts(t, anna, "/konto/przeglad", "Połącz Google", "Połącz Facebooka i Instagram")
	anna.Connect(provider.ProfilePair, "anna")
	anna.Connect(provider.PagesPair, "anna")
	wantTexts(t, anna, "/konto/przeglad", "Połącz : Google Search Console", "Połącz : Konto na Instagramie",
		"!Połącz Google")
}

// firstPage returns the id of the first page that Anna can choose.
func firstPage(t *testing.T, a *apptest.App, anna *apptest.Browser) string {
	t.Helper()
	body := apptest.Body{"company_id": a.Company.ID}
	list, _ := anna.Post("/api/oauth/provider_social/discover-pages", body).Want(http.StatusOK).JSON()["pages"].([]any)
	for _, item := range list {
		page := item.(apptest.Body)
		if page["selectable"] == true {
			return page["id"].(string)
		}
	}
	t.Fatal("no page can be chosen")
	return ""
}

// TestFormerFigures checks that figures of the location chosen before are marked on every
// page until those of the new one are read.
func TestFormerFigures(t *testing.T) {
	_, anna := pages(t)
	anna.Connect(provider.ProfilePair, "anna")
	submit(t, anna, "/konto/integracje/lokalizacja", "/konto/integracje#profil", "wybor", bakery)
	submit(t, anna, "/konto/statystyki/profil", "/konto/statystyki?okres=28#profil")
	submit(t, anna, "/konto/integracje/lokalizacja", "/konto/integracje#profil", "wybor", branch)
	for _, path := range []string{"/konto/przeglad", "/konto/integracje", "/konto/statystyki"} {
		wantTexts(t, anna, path, "Pokazujemy dane poprzednio wybranej lokalizacji")
	}
	submit(t, anna, "/konto/statystyki/profil", "/konto/statystyki?okres=28#profil")
	wantTexts(t, anna, "/konto/statystyki", "!poprzednio wybranej")
}

// TestStatisticsOfOneRange checks that every channel has figures of the chosen days, and the
// table of them for download.
func TestStatisticsOfOneRange(t *testing.T) {
	a, anna := pages(t)
	for _, pair := range []provider.Pair{provider.ProfilePair, provider.AnalyticsPair, provider.PagesPair} {
		anna.Connect(pair, "anna")
	}
	submit(t, anna, "/konto/integracje/lokalizacja", "/konto/integracje#profil", "wybor", bakery)
	submit(t, anna, "/konto/integracje/strona", "/konto/integracje#facebook", "wybor", firstPage(t, a, anna))
	channels := []string{"profil", "wyszukiwarka", "facebook", "instagram"}
	for _, channel := range channels {
		submit(t, anna, "/konto/statystyki/"+channel, "/konto/statystyki?okres=28#"+channel)
	}
	wantTexts(t, anna, "/konto/statystyki?okres=miesiac", "od 1 do 31 października 2026",
		"Profil Firmy w Google: wyświetlenia", "Search Console, Facebook i Instagram liczą dni w czasie pacyficznym")
	for days, want := range map[string]struct {
		rows   int
		newest string
	}{
		"okres=7": {7, "2026-11-"}, "okres=90": {90, "2026-11-"}, "okres=miesiac": {31, "2026-10-31"},
		"od=2026-10-05&do=2026-10-06": {2, "2026-10-06"},
	} {
		for _, channel := range channels {
			table := anna.Get("/konto/statystyki/" + channel + ".csv?" + days).Want(http.StatusOK).Body.String()
			lines := strings.Split(strings.TrimSpace(table), "\n")
			if len(lines) != 1+want.rows || !strings.HasPrefix(lines[1], want.newest) {
				t.Errorf("%s of %s: %d lines\n%s", days, channel, len(lines), strings.Join(lines[:2], "\n"))
			}
		}
	}
	anna.Get("/konto/statystyki/nic.csv").Want(http.StatusNotFound)
}

// TestAuditPage checks the way from the choice to the audit, and that another run reads
// Google again.
func TestAuditPage(t *testing.T) {
	a, anna := pages(t)
	anna.Connect(provider.ProfilePair, "anna")
	submit(t, anna, "/konto/integracje/lokalizacja/audyt", "/konto/audyt", "wybor", bakery)
	a.Clock.Pass(time.Hour)
	submit(t, anna, "/audyt/piekarnia", "/konto/audyt")
	wantTexts(t, anna, "/konto/audyt",
		"Odczytaliśmy świeże dane", "Poprawiłem – sprawdź", "ul. Floriańska 12",
		"Dane i ocena z 21 listopada 2026")
	a.Clock.Pass(20 * 24 * time.Hour)
	anna = a.Browser(a.Anna)
	submit(t, anna, "/audyt/piekarnia", "/konto/audyt")
	for _, path := range []string{"/konto/audyt", "/konto/przeglad"} {
		wantTexts(t, anna, path, "24 grudnia 2026, 25 grudnia 2026, 26 grudnia 2026", "!Nic nie trzeba poprawiać")
	}
	wantTexts(t, a.Visitor(), "/audyt/piekarnia", "Kompletność profilu", "!Poprawiłem")
}

// TestLosingAccessIsNoProgress checks that an audit of another source is not compared.
func TestLosingAccessIsNoProgress(t *testing.T) {
	_, anna := pages(t)
	anna.Connect(provider.ProfilePair, "anna")
	submit(t, anna, "/konto/integracje/lokalizacja/audyt", "/konto/audyt", "wybor", bakery)
	submit(t, anna, "/konto/integracje/rozlacz/provider_search/search_profile", "/konto/integracje#profil")
	submit(t, anna, "/audyt/piekarnia", "/konto/audyt")
	wantTexts(t, anna, "/konto/audyt", "Wyniku nie da się porównać z poprzednim")
}

// TestConsentIsAnnounced checks the page on the way to a provider.
func TestConsentIsAnnounced(t *testing.T) {
	_, anna := pages(t)
	page := anna.Submit("/konto/integracje/polacz/provider_search/search_profile", nil)
	shows(t, page.Want(http.StatusOK), "Przejście do Google", "zarządzanie Profilem Firmy")
}

// changing are addresses of forms.
var changing = []string{
	"/konto/integracje/polacz/provider_search/search_profile", "/konto/integracje/lokalizacja",
	"/konto/integracje/rozlacz/provider_search/search_profile", "/konto/statystyki/facebook", "/audyt/piekarnia",
	"/konto/haslo", "/konto/sesje", "/konto/firmy/nowa", "/konto/uzytkownicy", "/konto/deweloper/powiadomienia",
}

// TestPagesNeedALogin checks that pages of an account lead to the login and back.
func TestPagesNeedALogin(t *testing.T) {
	a, _ := pages(t)
	for _, path := range []string{"/konto/przeglad", "/konto/statystyki", "/konto/integracje", "/konto/audyt",
		"/konto/deweloper"} {
		got := a.Visitor().Get(path).Want(http.StatusSeeOther).Header().Get("Location")
		if want := "/konto/logowanie?powrot=" + url.QueryEscape(path); got != want {
			t.Errorf("GET %s leads to %s, want %s", path, got, want)
		}
	}
	for _, path := range changing {
		submit(t, a.Visitor(), path, "/konto/logowanie", "wybor", "1")
	}
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	_, anna := pages(t)
	for _, path := range changing {
		for _, site := range []string{"cross-site", "same-site"} {
			anna.Submit(path, nil, "Sec-Fetch-Site", site).Want(http.StatusForbidden)
		}
	}
}

// TestErrorsArePages checks that people see a page of ours, with the login, and no details.
func TestErrorsArePages(t *testing.T) {
	_, anna := pages(t)
	for path, status := range map[string]int{"/konto/nie-ma": 404, "/audyt/nie-ma": 404, "/konto/firmy/7": 403,
		"/konto/uzytkownicy": 403} {
		page := anna.Get(path).Want(status).Body.String()
		if !strings.Contains(page, "<h1>") || !strings.Contains(page, "Wyloguj") {
			t.Errorf("%s:\n%s", path, page)
		}
	}
}

// TestChooseProperty checks the way of a company whose website no property fits to the figures
// of one that it chooses.
func TestChooseProperty(t *testing.T) {
	a, anna := pages(t)
	_, err := a.Companies.Edit(t.Context(), a.Company.ID, company.Change{Website: new("https://nie-ma.example")},
		trail.Entry{})
	if err != nil {
		t.Fatal(err)
	}
	anna.Connect(provider.AnalyticsPair, "piotr")
	submit(t, anna, "/konto/statystyki/wyszukiwarka", "/konto/statystyki?okres=28#wyszukiwarka")
	for _, path := range []string{"/konto/przeglad", "/konto/integracje", "/konto/statystyki"} {
		wantTexts(t, anna, path, "nie ma zweryfikowanej witryny", "Wybierz witrynę")
	}
	wantTexts(t, anna, "/konto/integracje/witryna", "kwiaciarnia-polna.example cała domena",
		"To nie jest adres strony firmy w katalogu", "Dobierz sam")
	submit(t, anna, "/konto/integracje/witryna", "/konto/integracje#wyszukiwarka",
		"wybor", "sc-domain:kwiaciarnia-polna.example")
	wantTexts(t, anna, "/konto/integracje", "kwiaciarnia-polna.example", "!nie ma zweryfikowanej witryny")
	anna.Post("/api/oauth/provider_search/select-property",
		apptest.Body{"property": "sc-domain:piekarnia-kowalski.example"}).Want(http.StatusOK)
	wantTexts(t, anna, "/konto/statystyki", "Pokazujemy dane innej witryny niż wybrana (kwiaciarnia-polna.example)")
	submit(t, anna, "/konto/integracje/witryna", "/konto/integracje#wyszukiwarka", "wybor", "-")
	wantTexts(t, anna, "/konto/integracje", "nie ma zweryfikowanej witryny")
}

// TestFirstSteps checks that the reference begins with calls that can be pasted, for the
// visitor's own company, and is there for strangers, too.
func TestFirstSteps(t *testing.T) {
	a, anna := pages(t)
	wantTexts(t, anna, "/docs",
		`curl -b cookies.txt -c cookies.txt -X POST -H 'Content-Type: application/json' -d `+
			`'{"email":"anna@poczta.example"`,
		`fetch('/api/bizprofile/audit', {method: 'POST'`, `directory.discoverPages({body: {company_id: 1}})`,
		"curl 'https://firmy.example/api/prices/ceneo?q=rtx+4060'", "!zawsze")
	wantTexts(t, a.Visitor(), "/docs", "anna@example.com", "Log in")
	a.Visitor().Get("/docs/hardware").Want(http.StatusOK)
	apostrophe := a.Browser(a.AddUser("o'neil", account.Member, &a.Company))
	wantTexts(t, apostrophe, "/docs",
		`-d '{"email":"o\u0027neil@poczta.example"`, `{email: 'o\u0027neil@poczta.example'`)
}

// TestSearchEngines checks what search engines and previews of links read: audits describe
// themselves with one address, pages of an account stay out.
func TestSearchEngines(t *testing.T) {
	a := apptest.New(t, apptest.Setting("DIRECTORY_CONTACT=bezpieczenstwo@firmy.example"))
	anna := a.Browser(a.Anna)
	submit(t, anna, "/audyt/piekarnia", "/konto/audyt")
	for path, texts := range map[string][]string{
		"/audyt/piekarnia": {
			`<link rel="canonical" href="https://firmy.example/audyt/piekarnia">`,
			`<meta property="og:title" content="Audyt: Piekarnia Kowalski">`,
			`<meta name="description" content="Wizytówka firmy Piekarnia Kowalski w Google: `,
		},
		"/konto/audyt":              {`<link rel="canonical" href="https://firmy.example/audyt/piekarnia">`},
		"/konto/przeglad":           {`<meta name="robots" content="noindex">`},
		"/sitemap.xml":              {"<loc>https://firmy.example/audyt/piekarnia</loc>"},
		"/.well-known/security.txt": {"Contact: mailto:bezpieczenstwo@firmy.example", "Expires: 2027-11-21T00:00:00Z"},
		"/favicon.ico":              {"<svg"},
	} {
		shows(t, anna.Get(path).Want(http.StatusOK), texts...)
	}
}
