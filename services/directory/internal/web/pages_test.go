package web_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
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
	"backend.example/services/internal/kit/testkit"
)

const (
	bakery = "locations/1002519486895516595"
	branch = "locations/6223914851933285135"

	facebookPage = "105600000010001" // of the bakery
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
		switch {
		case found && absent:
			t.Errorf("the page has %q, but must not:\n%s", wanted, text)
		case !found && !absent:
			t.Errorf("the page lacks %q:\n%s", wanted, text)
		}
	}
}

func wantTexts(t *testing.T, b *apptest.Browser, path string, texts ...string) {
	t.Helper()
	shows(t, b.Get(path).Want(http.StatusOK), texts...)
}

// figurePages are the pages that show figures, or why there are none.
var figurePages = []string{"/konto/przeglad", "/konto/integracje", "/konto/statystyki"}

func chooseLocation(b *apptest.Browser, name string) {
	b.Submit("/konto/integracje/lokalizacja", form("wybor", name)).WantRedirect("/konto/integracje#profil")
}

func syncChannel(b *apptest.Browser, id string) {
	b.Submit("/konto/statystyki/"+id, nil).WantRedirect("/konto/statystyki?okres=28#" + id)
}

// form returns the fields of a form from names and values by turns.
func form(pairs ...string) url.Values {
	fields := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		fields.Set(pairs[i], pairs[i+1])
	}
	return fields
}

// All pages give the same reason for a service without figures, and nothing is said to work then.
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
		anna.Submit("/konto/integracje/odswiez/provider_search/search_analytics", nil).
			WantRedirect("/konto/integracje#wyszukiwarka")
		for _, path := range figurePages {
			wantTexts(t, anna, path, "nie ma zweryfikowanej witryny", "Sprawdź ponownie", "!"+works)
		}
	})
	t.Run("not read yet", func(t *testing.T) {
		a, anna := pages(t)
		anna.Connect(provider.AnalyticsPair, "anna")
		for _, path := range figurePages {
			wantTexts(t, anna, path, "Pierwsze dane właśnie odczytujemy", "Odczytaj teraz", "!"+works)
		}
		a.Work()
		for _, path := range figurePages {
			wantTexts(t, anna, path, "!Pierwsze dane", "!Odczytaj teraz")
		}
	})
	t.Run("all is read", func(t *testing.T) {
		a, anna := pages(t)
		for _, p := range provider.Pairs() {
			anna.Connect(p, "anna")
		}
		chooseLocation(anna, bakery)
		anna.Submit("/konto/integracje/strona", form("wybor", facebookPage)).WantRedirect("/konto/integracje#facebook")
		for _, channel := range []string{"profil", "wyszukiwarka", "facebook", "instagram"} {
			syncChannel(anna, channel)
		}
		wantTexts(t, anna, "/konto/przeglad", works)
		a.Clock.Pass(73 * time.Hour)
		wantTexts(t, a.Browser(a.Anna), "/konto/przeglad", "Nowszych nie udało się odczytać", "!"+works)
	})
}

func TestOneConsentPerProvider(t *testing.T) {
	_, anna := pages(t)
	wantTexts(t, anna, "/konto/przeglad", "Połącz Google", "Połącz Facebooka i Instagram")
	anna.Connect(provider.ProfilePair, "anna")
	anna.Connect(provider.PagesPair, "anna")
	wantTexts(t, anna, "/konto/przeglad", "Połącz : Google Search Console", "Połącz : Konto na Instagramie",
		"!Połącz Google")
}

// Figures of the location chosen before are marked until those of the new one are read.
func TestFormerFigures(t *testing.T) {
	_, anna := pages(t)
	anna.Connect(provider.ProfilePair, "anna")
	chooseLocation(anna, bakery)
	syncChannel(anna, "profil")
	chooseLocation(anna, branch)
	for _, path := range figurePages {
		wantTexts(t, anna, path, "Pokazujemy dane poprzednio wybranej lokalizacji")
	}
	syncChannel(anna, "profil")
	wantTexts(t, anna, "/konto/statystyki", "!poprzednio wybranej")
}

func TestStatisticsOfOneRange(t *testing.T) {
	_, anna := pages(t)
	for _, pair := range []provider.Pair{provider.ProfilePair, provider.AnalyticsPair, provider.PagesPair} {
		anna.Connect(pair, "anna")
	}
	chooseLocation(anna, bakery)
	anna.Submit("/konto/integracje/strona", form("wybor", facebookPage)).WantRedirect("/konto/integracje#facebook")
	channels := []string{"profil", "wyszukiwarka", "facebook", "instagram"}
	for _, channel := range channels {
		syncChannel(anna, channel)
	}
	wantTexts(t, anna, "/konto/statystyki?okres=miesiac", "od 1 do 31 października 2026",
		"Profil Firmy w Google: wyświetlenia", "Search Console, Facebook i Instagram liczą dni w czasie pacyficznym")
	for days, want := range map[string]struct {
		rows   int
		newest string // beginning of the first row
	}{
		"okres=7": {7, "2026-11-"}, "okres=90": {90, "2026-11-"}, "okres=miesiac": {31, "2026-10-31"},
		"od=2026-10-05&do=2026-10-06": {2, "2026-10-06"},
	} {
		for _, channel := range channels {
			table := anna.Get("/konto/statystyki/" + channel + ".csv?" + days).Want(http.StatusOK).Body.String()
			rows := strings.Split(strings.TrimSpace(table), "\n")[1:]
			if len(rows) != want.rows {
				t.Errorf("%s of %s: %d rows, want %d", days, channel, len(rows), want.rows)
			} else if !strings.HasPrefix(rows[0], want.newest) {
				t.Errorf("%s of %s: first row %q, want that of %s", days, channel, rows[0], want.newest)
			}
		}
	}
	anna.Get("/konto/statystyki/nic.csv").Want(http.StatusNotFound)
}

func TestAuditPage(t *testing.T) {
	a, anna := pages(t)
	anna.Connect(provider.ProfilePair, "anna")
	anna.Submit("/konto/integracje/lokalizacja/audyt", form("wybor", bakery)).WantRedirect("/konto/audyt")
	a.Clock.Pass(time.Hour)
	anna.Submit("/audyt/piekarnia", nil).WantRedirect("/konto/audyt")
	wantTexts(t, anna, "/konto/audyt",
		"Odczytaliśmy świeże dane", "Poprawiłem – sprawdź", "ul. Floriańska 12",
		"Dane i ocena z 21 listopada 2026")
	a.Clock.Pass(20 * 24 * time.Hour)
	anna = a.Browser(a.Anna)
	anna.Submit("/audyt/piekarnia", nil).WantRedirect("/konto/audyt")
	for _, path := range []string{"/konto/audyt", "/konto/przeglad"} {
		wantTexts(t, anna, path, "24 grudnia 2026, 25 grudnia 2026, 26 grudnia 2026", "!Nic nie trzeba poprawiać")
	}
	wantTexts(t, a.Visitor(), "/audyt/piekarnia", "Kompletność profilu", "!Poprawiłem")
}

func TestLosingAccessIsNoProgress(t *testing.T) {
	_, anna := pages(t)
	anna.Connect(provider.ProfilePair, "anna")
	anna.Submit("/konto/integracje/lokalizacja/audyt", form("wybor", bakery)).WantRedirect("/konto/audyt")
	anna.Submit("/konto/integracje/rozlacz/provider_search/search_profile", nil).
		WantRedirect("/konto/integracje#profil")
	anna.Submit("/audyt/piekarnia", nil).WantRedirect("/konto/audyt")
	wantTexts(t, anna, "/konto/audyt", "Wyniku nie da się porównać z poprzednim")
}

func TestConsentIsAnnounced(t *testing.T) {
	_, anna := pages(t)
	page := anna.Submit("/konto/integracje/polacz/provider_search/search_profile", nil)
	shows(t, page.Want(http.StatusOK), "Przejście do Google", "zarządzanie Profilem Firmy")
}

// Forms need a page of ours, too.
func TestPagesNeedALogin(t *testing.T) {
	a, anna := pages(t)
	for _, path := range []string{"/konto/przeglad", "/konto/statystyki", "/konto/integracje", "/konto/audyt",
		"/konto/deweloper"} {
		a.Visitor().Get(path).WantRedirect("/konto/logowanie?powrot=" + url.QueryEscape(path))
	}
	for _, path := range []string{
		"/konto/integracje/polacz/provider_search/search_profile", "/konto/integracje/lokalizacja",
		"/konto/integracje/rozlacz/provider_search/search_profile", "/konto/statystyki/facebook", "/audyt/piekarnia",
		"/konto/haslo", "/konto/sesje", "/konto/firmy/nowa", "/konto/uzytkownicy", "/konto/deweloper/powiadomienia",
	} {
		a.Visitor().Submit(path, form("wybor", "1")).WantRedirect("/konto/logowanie")
		for _, site := range []string{"cross-site", "same-site"} {
			anna.Submit(path, nil, "Sec-Fetch-Site", site).Want(http.StatusForbidden)
		}
	}
}

func TestErrorsArePages(t *testing.T) {
	_, anna := pages(t)
	for path, status := range map[string]int{"/konto/nie-ma": 404, "/audyt/nie-ma": 404, "/konto/firmy/7": 403,
		"/konto/uzytkownicy": 403} {
		shows(t, anna.Get(path).Want(status), "<h1>", "Wyloguj")
	}
}

func TestChooseProperty(t *testing.T) {
	a, anna := pages(t)
	_, err := a.Companies.Edit(t.Context(), a.Company.ID, company.Change{Website: new("https://nie-ma.example")},
		trail.Entry{})
	if err != nil {
		t.Fatal(err)
	}
	anna.Connect(provider.AnalyticsPair, "piotr")
	syncChannel(anna, "wyszukiwarka")
	for _, path := range figurePages {
		wantTexts(t, anna, path, "nie ma zweryfikowanej witryny", "Wybierz witrynę")
	}
	wantTexts(t, anna, "/konto/integracje/witryna", "kwiaciarnia-polna.example cała domena",
		"To nie jest adres strony firmy w katalogu", "Dobierz sam")
	anna.Submit("/konto/integracje/witryna", form("wybor", "sc-domain:kwiaciarnia-polna.example")).
		WantRedirect("/konto/integracje#wyszukiwarka")
	wantTexts(t, anna, "/konto/integracje", "kwiaciarnia-polna.example", "!nie ma zweryfikowanej witryny")
	anna.Post("/api/oauth/provider_search/select-property",
		apptest.Body{"property": "sc-domain:piekarnia-kowalski.example"}).Want(http.StatusOK)
	wantTexts(t, anna, "/konto/statystyki", "Pokazujemy dane innej witryny niż wybrana (kwiaciarnia-polna.example)")
	anna.Submit("/konto/integracje/witryna", form("wybor", "-")).WantRedirect("/konto/integracje#wyszukiwarka")
	wantTexts(t, anna, "/konto/integracje", "nie ma zweryfikowanej witryny")
}

// The calls can be pasted, for the visitor's own company.
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

// Audits describe themselves with one address, pages of an account stay out.
func TestSearchEngines(t *testing.T) {
	a := apptest.New(t, "DIRECTORY_CONTACT=bezpieczenstwo@firmy.example")
	anna := a.Browser(a.Anna)
	anna.Submit("/audyt/piekarnia", nil).WantRedirect("/konto/audyt")
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

const chosenPassword = "pięć innych słów na drogę"

func TestLoginForm(t *testing.T) {
	a := apptest.New(t)
	login := func(b *apptest.Browser, password string) *apptest.Response {
		return b.Submit("/konto/logowanie?powrot=/konto/audyt",
			form("email", a.Anna.Email, "password", password, "powrot", "/konto/audyt"))
	}
	b := a.Visitor()
	shows(t, login(b, "tajne-haslo-123").Want(http.StatusUnprocessableEntity), "Nieprawidłowy adres e-mail lub hasło.")
	login(b, apptest.Password).WantRedirect("/konto/audyt")
	for _, other := range []string{"https://evil.example/konto/x", "//evil.example/konto/x", "/konto/../x", "/docs"} {
		b.Submit("/konto/logowanie", form("email", a.Anna.Email, "password", apptest.Password, "powrot", other)).
			WantRedirect("/konto/przeglad")
	}
	b.Submit("/konto/wylogowanie", nil).WantRedirect("/konto/logowanie")
	b.Get("/konto/przeglad").WantRedirect("/konto/logowanie?powrot=%2Fkonto%2Fprzeglad")
	for range 10 {
		login(b, "tajne-haslo-123")
	}
	shows(t, login(b, apptest.Password).Want(http.StatusTooManyRequests), "Zbyt wiele prób logowania.")
}

func TestChangePassword(t *testing.T) {
	a := apptest.New(t)
	anna, elsewhere := a.Browser(a.Anna), a.Browser(a.Anna)
	change := func(old, password, again string) *apptest.Response {
		return anna.Submit("/konto/haslo", form("obecne", old, "nowe", password, "powtorzone", again))
	}
	for problem, r := range map[string]*apptest.Response{
		"Obecne hasło jest nieprawidłowe.":      change("zupełnie inne", chosenPassword, chosenPassword),
		"Hasło musi mieć co najmniej 12 znaków": change(apptest.Password, "krótkie", "krótkie"),
		"To hasło jest zbyt popularne.":         change(apptest.Password, "password1234", "password1234"),
		"Hasła nie są takie same.":              change(apptest.Password, chosenPassword, chosenPassword+"x"),
	} {
		shows(t, r.Want(http.StatusUnprocessableEntity), problem)
	}
	change(apptest.Password, chosenPassword, chosenPassword).WantRedirect("/konto/haslo")
	shows(t, anna.Get("/konto/haslo").Want(200), "Hasło zostało zmienione")
	elsewhere.Get("/konto/haslo").Want(http.StatusSeeOther)
}

// Opening a link does not use it up, and other sites do not learn it.
func TestLinkWithoutScript(t *testing.T) {
	a := apptest.New(t)
	link, err := a.Passwords.NewLink(t.Context(), account.Operator("ola"), a.Anna)
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(link.URL, "?token=")
	visitor := a.Visitor()
	for range 2 {
		page := visitor.Get("/konto/nowe-haslo?token=" + token).Want(200)
		shows(t, page, `<meta name="referrer" content="same-origin">`, `value="`+token+`"`)
	}
	set := func() *apptest.Response {
		return visitor.Submit("/konto/nowe-haslo",
			form("token", token, "nowe", chosenPassword, "powtorzone", chosenPassword))
	}
	set().WantRedirect("/konto/logowanie")
	shows(t, set().Want(http.StatusNotFound), "Ten link wygasł albo został już użyty.")
	if strings.Contains(a.Log.String(), token) {
		t.Error("the log contains the token")
	}
}

func TestSessionsPage(t *testing.T) {
	a := apptest.New(t)
	here, elsewhere := a.Browser(a.Anna), a.Browser(a.Anna)
	shows(t, here.Get("/konto/sesje").Want(200), "Ta przeglądarka", "203.0.113.7", "Wyloguj wszystkie inne")
	here.Submit("/konto/sesje", nil).WantRedirect("/konto/sesje")
	elsewhere.Get("/konto/sesje").Want(http.StatusSeeOther)
	shows(t, here.Get("/konto/sesje").Want(200), "Wybrane przeglądarki nie są już zalogowane.")
}

func TestUsersPages(t *testing.T) {
	a := apptest.New(t)
	a.AddCompany("dawna", func(c *company.Company) { c.Status = company.StatusArchived })
	boss := a.AddUser("admin", account.Admin, nil)
	admin := a.Browser(boss)
	shows(t, admin.Get("/konto/uzytkownicy").Want(200), a.Anna.Email, "Kierownik", "Zaproś osobę",
		`<option value="piekarnia">Piekarnia Kowalski</option>`)
	user := func(email, role, slug string) url.Values {
		return form("email", email, "nazwa", "Jan <b>", "rola", role, "firma", slug)
	}
	for problem, fields := range map[string]url.Values{
		"To nie jest adres e-mail.":                   user("jan", "MEMBER", ""),
		"Ten adres e-mail jest już zajęty.":           user(a.Anna.Email, "MEMBER", ""),
		"Nie ma takiej firmy. Wybierz firmę z listy.": user("jan@poczta.example", "MEMBER", "nowa"),
		"Ta firma jest zarchiwizowana.":               user("jan@poczta.example", "MEMBER", "dawna"),
	} {
		shows(t, admin.Submit("/konto/uzytkownicy", fields).Want(http.StatusUnprocessableEntity), problem)
	}
	added := admin.Submit("/konto/uzytkownicy", user("jan@poczta.example", "EMPLOYEE", ""))
	shows(t, added.Want(200), "/konto/nowe-haslo?token=")
	jan, err := a.Users.ByEmail(t.Context(), "jan@poczta.example")
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprint("/konto/uzytkownicy/", jan.ID)
	admin.Submit(path, user("", "MANAGER", "piekarnia")).WantRedirect(path)
	jan, err = a.Users.ByID(t.Context(), jan.ID)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "company of the moved user", jan.CompanyID, &a.Company.ID)
	testkit.Equal(t, "role of the moved user", jan.Role, account.Manager)
	admin.Submit(path+"/usun", nil).WantRedirect("/konto/uzytkownicy")
	admin.Get(path).Want(http.StatusNotFound)
	own := fmt.Sprint("/konto/uzytkownicy/", boss.ID)
	admin.Submit(own+"/usun", nil).WantRedirect(own)
	shows(t, admin.Get(own).Want(200), "To ostatni administrator.")
}

// A form changes only what differs from what it showed.
func TestCompanyPages(t *testing.T) {
	a := apptest.New(t)
	a.AddCompany("lodz", func(c *company.Company) { c.Name = "Łódź <b>" })
	admin := a.Browser(a.AddUser("admin", account.Admin, nil))
	shows(t, admin.Get("/konto/firmy?szukaj=+%C5%82%C3%93d").Want(200), "Łódź &lt;b&gt;")
	shows(t, admin.Get("/konto/firmy?szukaj=zzz").Want(200), "Nie ma takich firm.")
	for _, hostile := range []string{"%25", "_", "'", "%00", "%FF", "zzz&za=x&od=%00", "&za=-1",
		"&za=99999999999999999999"} {
		admin.Get("/konto/firmy?szukaj=" + hostile).Want(200)
	}
	created := form("identyfikator", "nowa", "nazwa", "Nowa", "uslugi", "Chleb\r\n\r\n Torty ",
		"stan", "active", "przed-stan", "active")
	admin.Submit("/konto/firmy/nowa", created).WantRedirect("/konto/firmy/3")
	phone := form("nazwa", "Nowa", "przed-nazwa", "Nowa", "telefon", "123456789", "przed-telefon", "",
		"stan", "active", "przed-stan", "active")
	renamed := company.Change{Name: new("Inna")}
	if _, err := a.Companies.Edit(t.Context(), 3, renamed, apptest.Actor(a.Anna).By()); err != nil {
		t.Fatal(err)
	}
	admin.Submit("/konto/firmy/3", phone).WantRedirect("/konto/firmy/3")
	saved, err := a.Companies.ByID(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "name, which the form did not change", saved.Name, "Inna")
	if saved.Phone == "" {
		t.Error("the telephone number was not saved")
	}
	shows(t, admin.Get("/konto/firmy/3").Want(200), "Zmieniono dane firmy", "Edytuj dane albo ukryj firmę")
	shows(t, a.Browser(a.Anna).Get("/konto/firmy").Want(200), "Piekarnia Kowalski")
}

func TestOthersDoNotAdminister(t *testing.T) {
	a := apptest.New(t)
	b := a.Browser(a.AddUser("szefowa", account.OfficeManager, &a.Company))
	for _, path := range []string{"/konto/uzytkownicy", "/konto/uzytkownicy/1", "/konto/firmy/nowa", "/konto/firmy/1"} {
		shows(t, b.Get(path).Want(http.StatusForbidden), "Ta operacja wymaga uprawnień administratora.")
		b.Submit(path, nil).Want(http.StatusForbidden)
	}
}

func TestTrailPage(t *testing.T) {
	a := apptest.New(t)
	admin := a.Browser(a.AddUser("admin", account.Admin, nil))
	change := account.UserChange{Role: new(account.Member)}
	if _, err := a.Users.Edit(t.Context(), a.Anna.ID, change, apptest.Actor(a.Anna)); err != nil {
		t.Fatal(err)
	}
	by := apptest.Actor(a.Anna).By()
	by.Action = "company edit"
	for i := range 60 {
		phone := fmt.Sprint(123456700 + i)
		if _, err := a.Companies.Edit(t.Context(), a.Company.ID, company.Change{Phone: &phone}, by); err != nil {
			t.Fatal(err)
		}
	}
	const path = "/konto/firmy/1/zdarzenia"
	shows(t, admin.Get(path+"?od=2026-11-21&do=2026-11-21").Want(200), "Zmieniono dane firmy", "anna", "Wcześniejsze")
	shows(t, admin.Get(path+"?pomin=50").Want(200), "Zmieniono rolę", "MANAGER → MEMBER")
	shows(t, admin.Get(path+"?od=2026-11-22").Want(200), "W tym czasie nic się nie wydarzyło.")
	shows(t, admin.Get("/konto/firmy/1").Want(200), "Wszystkie zdarzenia", "Zmieniono dane firmy")
	a.Browser(a.Anna).Get(path).Want(http.StatusForbidden)
}

func TestPeoplePages(t *testing.T) {
	a := apptest.New(t)
	boss := a.Browser(a.AddUser("szefowa", account.OfficeManager, &a.Company))
	shows(t, boss.Get("/konto/osoby").Want(200), "anna@poczta.example", "Zaproś osobę", `value="MANAGER"`,
		`!value="OFFICE_MANAGER"`) // only roles below her own
	a.Browser(a.Anna).Get("/konto/osoby").Want(http.StatusForbidden)

	boss.Submit("/konto/osoby", form("email", "adres", "rola", "EMPLOYEE")).
		Want(http.StatusUnprocessableEntity)
	page := boss.Submit("/konto/osoby", form("email", "jan@poczta.example", "rola", "EMPLOYEE")).
		Want(http.StatusOK).Body.String()
	_, rest, _ := strings.Cut(page, apptest.PublicURL)
	link, _, _ := strings.Cut(rest, `"`)
	link, _, _ = strings.Cut(link, "<")
	jan := a.Visitor()
	jan.Get(link).Want(http.StatusOK)
	_, token, _ := strings.Cut(link, "?token=")
	jan.Submit("/konto/nowe-haslo", form("token", token, "nowe", chosenPassword, "powtorzone", chosenPassword)).
		WantRedirect("/konto/przeglad")
	jan.Get("/konto/przeglad").Want(http.StatusOK)
	boss.Submit("/konto/osoby/3/usun", nil).Want(http.StatusSeeOther)
	shows(t, boss.Get("/konto/osoby"), "Ta osoba nie ma już dostępu do firmy.")
}

func TestOwnDataPages(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	anna.Submit("/konto/dane", form("nazwa", "Anna Nowak")).Want(http.StatusSeeOther)
	shows(t, anna.Get("/konto/dane").Want(200), "Zmiany zostały zapisane.", `value="Anna Nowak"`,
		"Adres może zmienić administrator.")
	a.Passwords.Send = func(context.Context, string, string, string) (bool, error) { return false, nil }
	wrong := anna.Submit("/konto/dane/adres", form("email", "anna@nowak.example", "obecne", "zupełnie inne"))
	shows(t, wrong.Want(http.StatusUnprocessableEntity), "Obecne hasło jest nieprawidłowe.")
	anna.Submit("/konto/dane/adres", form("email", "anna@nowak.example", "obecne", apptest.Password)).
		Want(http.StatusSeeOther)
	shows(t, anna.Get("/konto/dane").Want(200), account.TextEmailRequested)
	shows(t, a.Visitor().Get("/konto/nowy-adres?token=abc").Want(200), `value="abc"`, "Potwierdź adres")
	confirmed := a.Visitor().Submit("/konto/nowy-adres", form("token", "abc"))
	shows(t, confirmed.Want(http.StatusNotFound), "Ten link wygasł")
}

// Addresses of webhooks often contain a secret.
func TestWebhooksAreForEditors(t *testing.T) {
	a := apptest.New(t)
	const address = "https://odbiorca.example/tajne-123"
	if _, err := a.Webhooks.Add(t.Context(), apptest.Actor(a.Anna).By(), &a.Company.ID, address); err != nil {
		t.Fatal(err)
	}
	shows(t, a.Browser(a.Anna).Get("/konto/deweloper").Want(200), address)
	guest := a.Browser(a.AddUser("gosc", account.Unaffiliated, &a.Company))
	wantTexts(t, guest, "/konto/deweloper", "!tajne-123")
}

// The secret is shown once, and addresses of others are out of reach.
func TestWebhookPages(t *testing.T) {
	const path = "/konto/deweloper/powiadomienia"
	secret := regexp.MustCompile(`whsec_[\w+/=]+`)
	status := http.StatusOK
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
	}))
	t.Cleanup(receiver.Close)
	a, anna := pages(t)
	shows(t, anna.Submit(path, form("adres", "to nie adres")).Want(http.StatusUnprocessableEntity), "to nie adres")
	added := anna.Submit(path, form("adres", receiver.URL)).Want(http.StatusOK)
	shows(t, added, "nie pokażemy go ponownie")
	if !secret.MatchString(added.Body.String()) {
		t.Error("the secret is not shown")
	}
	if page := anna.Get("/konto/deweloper").Want(http.StatusOK); secret.MatchString(page.Body.String()) {
		t.Error("the secret is shown again")
	}
	anna.Submit(path+"/1/proba", nil).WantRedirect("/konto/deweloper#adres-1")
	shows(t, anna.Get("/konto/deweloper"), "Testowe powiadomienie zostało dostarczone.")
	status = http.StatusServiceUnavailable
	anna.Submit(path+"/1/proba", nil).WantRedirect("/konto/deweloper#adres-1")
	shows(t, anna.Get("/konto/deweloper"), "Testowe powiadomienie nie dotarło.")
	other := a.AddCompany("inna")
	_, err := a.Webhooks.Add(t.Context(), apptest.Actor(a.Anna).By(), &other.ID, "https://inna.example/")
	if err != nil {
		t.Fatal(err)
	}
	anna.Submit(path+"/2/usun", nil).WantRedirect("/konto/deweloper")
	shows(t, anna.Get("/konto/deweloper"), "Nie ma takiego adresu")
	anna.Submit(path+"/1/usun", nil).WantRedirect("/konto/deweloper")
	shows(t, anna.Get("/konto/deweloper"), "Adres powiadomień został usunięty.")
}
