package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/company"
)

const chosenPassword = "pięć innych słów na drogę"

func TestLoginForm(t *testing.T) {
	a := apptest.New(t)
	login := func(b *apptest.Browser, password string) *apptest.Response {
		return b.Submit(
			"/konto/logowanie?powrot=/konto/audyt",
			form("email", a.Anna.Email, "password", password, "powrot", "/konto/audyt"),
		)
	}
	b := a.Visitor()
	shows(t, login(b, "tajne-haslo-123").Want(http.StatusUnprocessableEntity), "Nieprawidłowy adres e-mail lub hasło.")
	leadsTo(t, login(b, apptest.Password), "/konto/audyt")
	for _, other := range []string{"https://evil.example/konto/x", "//evil.example/konto/x", "/konto/../x", "/docs"} {
		leadsTo(
			t,
			b.Submit("/konto/logowanie", form("email", a.Anna.Email, "password", apptest.Password, "powrot", other)),
			"/konto/przeglad",
		)
	}
	leadsTo(t, b.Submit("/konto/wylogowanie", nil), "/konto/logowanie")
	leadsTo(t, b.Get("/konto/przeglad"), "/konto/logowanie?powrot=%2Fkonto%2Fprzeglad")
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
	leadsTo(t, change(apptest.Password, chosenPassword, chosenPassword), "/konto/haslo")
	shows(t, anna.Get("/konto/haslo").Want(200), "Hasło zostało zmienione")
	elsewhere.Get("/konto/haslo").Want(http.StatusSeeOther)
}

// TestLinkWithoutScript: opening a link does not use it up, and other sites do not learn it.
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
	leadsTo(t, set(), "/konto/logowanie")
	shows(t, set().Want(http.StatusNotFound), "Ten link wygasł albo został już użyty.")
	if strings.Contains(a.Log.String(), token) {
		t.Error("the log contains the token")
	}
}

func TestSessionsPage(t *testing.T) {
	a := apptest.New(t)
	here, elsewhere := a.Browser(a.Anna), a.Browser(a.Anna)
	shows(t, here.Get("/konto/sesje").Want(200), "Ta przeglądarka", "203.0.113.7", "Wyloguj wszystkie inne")
	leadsTo(t, here.Submit("/konto/sesje", nil), "/konto/sesje")
	elsewhere.Get("/konto/sesje").Want(http.StatusSeeOther)
	shows(t, here.Get("/konto/sesje").Want(200), "Wybrane przeglądarki nie są już zalogowane.")
}

// TestUsersPages: administrators invite, change, move and delete users.
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
	shows(
		t,
		admin.Submit("/konto/uzytkownicy", user("jan@poczta.example", "EMPLOYEE", "")).Want(200),
		"/konto/nowe-haslo?token=",
	)
	jan, err := a.Users.ByEmail(t.Context(), "jan@poczta.example")
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprint("/konto/uzytkownicy/", jan.ID)
	leadsTo(t, admin.Submit(path, user("", "MANAGER", "piekarnia")), path)
	if jan, err = a.Users.ByID(t.Context(), jan.ID); err != nil || jan.CompanyID == nil || jan.Role != account.Manager {
		t.Errorf("moved user: %+v, %v", jan, err)
	}
	leadsTo(t, admin.Submit(path+"/usun", nil), "/konto/uzytkownicy")
	admin.Get(path).Want(http.StatusNotFound)
	own := fmt.Sprint("/konto/uzytkownicy/", boss.ID)
	leadsTo(t, admin.Submit(own+"/usun", nil), own)
	shows(t, admin.Get(own).Want(200), "To ostatni administrator.")
}

// TestCompanyPages: administrators find companies, and a form changes only what differs from
// what it showed.
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
	leadsTo(t, admin.Submit("/konto/firmy/nowa", created), "/konto/firmy/3")
	phone := form("nazwa", "Nowa", "przed-nazwa", "Nowa", "telefon", "123456789", "przed-telefon", "",
		"stan", "active", "przed-stan", "active")
	renamed := company.Change{Name: new("Inna")}
	if _, err := a.Companies.Edit(t.Context(), 3, renamed, apptest.Actor(a.Anna).By()); err != nil {
		t.Fatal(err)
	}
	leadsTo(t, admin.Submit("/konto/firmy/3", phone), "/konto/firmy/3")
	if c, err := a.Companies.ByID(t.Context(), 3); err != nil || c.Name != "Inna" || c.Phone == "" {
		t.Errorf("saved %+v, %v", c, err)
	}
	shows(t, admin.Get("/konto/firmy/3").Want(200), "Zmieniono dane firmy", "Edytuj dane albo ukryj firmę")
	shows(t, a.Browser(a.Anna).Get("/konto/firmy").Want(200), "Piekarnia Kowalski")
}

// TestOthersDoNotAdminister: what administrators have is refused to all others.
func TestOthersDoNotAdminister(t *testing.T) {
	a := apptest.New(t)
	b := a.Browser(a.AddUser("szefowa", account.OfficeManager, &a.Company))
	for _, path := range []string{"/konto/uzytkownicy", "/konto/uzytkownicy/1", "/konto/firmy/nowa", "/konto/firmy/1"} {
		shows(t, b.Get(path).Want(http.StatusForbidden), "Ta operacja wymaga uprawnień administratora.")
		b.Submit(path, nil).Want(http.StatusForbidden)
	}
}

// TestTrailPage: administrators read who did what to whom, between two days and beyond a page.
func TestTrailPage(t *testing.T) {
	a := apptest.New(t)
	admin := a.Browser(a.AddUser("admin", account.Admin, nil))
	role := account.Member
	if _, err := a.Users.Edit(t.Context(), a.Anna.ID, account.UserChange{Role: &role},
		apptest.Actor(a.Anna)); err != nil {
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

// TestPeoplePages: an office manager sees who has access, invites a person who is logged in
// by the link, and takes the person out.
func TestPeoplePages(t *testing.T) {
	a := apptest.New(t)
	boss := a.Browser(a.AddUser("szefowa", account.OfficeManager, &a.Company))
	shows(t, boss.Get("/konto/osoby").Want(200), "anna@poczta.example", "Zaproś osobę", `value="MANAGER"`)
	if body := boss.Get("/konto/osoby").Body.String(); strings.Contains(body, `value="OFFICE_MANAGER"`) {
		t.Error("the form offers a role that is not below the own")
	}
	a.Browser(a.Anna).Get("/konto/osoby").Want(http.StatusForbidden)

	boss.Submit("/konto/osoby", url.Values{"email": {"adres"}, "rola": {"EMPLOYEE"}}).
		Want(http.StatusUnprocessableEntity)
	page := boss.Submit("/konto/osoby", url.Values{"email": {"jan@poczta.example"}, "rola": {"EMPLOYEE"}}).
		Want(http.StatusOK).Body.String()
	_, rest, _ := strings.Cut(page, apptest.PublicURL)
	link, _, _ := strings.Cut(rest, `"`)
	link, _, _ = strings.Cut(link, "<")
	jan := a.Visitor()
	jan.Get(link).Want(http.StatusOK)
	_, token, _ := strings.Cut(link, "?token=")
	const chosen = "pięć innych słów na drogę"
	invited := jan.Submit("/konto/nowe-haslo", url.Values{"token": {token}, "nowe": {chosen}, "powtorzone": {chosen}})
	if location := invited.Want(http.StatusSeeOther).Header().Get("Location"); location != "/konto/przeglad" {
		t.Errorf("after the invitation the browser is sent to %s", location)
	}
	jan.Get("/konto/przeglad").Want(http.StatusOK)
	boss.Submit("/konto/osoby/3/usun", nil).Want(http.StatusSeeOther)
	shows(t, boss.Get("/konto/osoby"), "Ta osoba nie ma już dostępu do firmy.")
}

// TestOwnDataPages changes the name, and the e-mail address by a link.
func TestOwnDataPages(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	anna.Submit("/konto/dane", url.Values{"nazwa": {"Anna Nowak"}}).Want(http.StatusSeeOther)
	shows(
		t,
		anna.Get("/konto/dane").Want(200),
		"Zmiany zostały zapisane.",
		`value="Anna Nowak"`,
		"Adres może zmienić administrator.",
	)
	a.Passwords.Send = func(context.Context, string, string, string) (bool, error) { return false, nil }
	wrong := anna.Submit("/konto/dane/adres", url.Values{"email": {"anna@nowak.example"}, "obecne": {"zupełnie inne"}})
	shows(t, wrong.Want(http.StatusUnprocessableEntity), "Obecne hasło jest nieprawidłowe.")
	anna.Submit("/konto/dane/adres", url.Values{"email": {"anna@nowak.example"}, "obecne": {apptest.Password}}).
		Want(http.StatusSeeOther)
	shows(t, anna.Get("/konto/dane").Want(200), account.TextEmailRequested)
	shows(t, a.Visitor().Get("/konto/nowy-adres?token=abc").Want(200), `value="abc"`, "Potwierdź adres")
	shows(
		t,
		a.Visitor().Submit("/konto/nowy-adres", url.Values{"token": {"abc"}}).Want(http.StatusNotFound),
		"Ten link wygasł",
	)
}

// TestWebhooksAreForEditors: addresses of webhooks, which often contain a secret, are hidden
// from users without the right to edit the company.
func TestWebhooksAreForEditors(t *testing.T) {
	a := apptest.New(t)
	const address = "https://odbiorca.example/tajne-123"
	if _, err := a.Webhooks.Add(t.Context(), apptest.Actor(a.Anna).By(), &a.Company.ID, address); err != nil {
		t.Fatal(err)
	}
	shows(t, a.Browser(a.Anna).Get("/konto/deweloper").Want(200), address)
	guest := a.Browser(a.AddUser("gosc", account.Unaffiliated, &a.Company))
	if strings.Contains(guest.Get("/konto/deweloper").Want(200).Body.String(), "tajne-123") {
		t.Error("a user without rights sees the address")
	}
}

// TestWebhookPages checks the life of an address: its secret is shown once, a test says
// whether it arrived, and addresses of others are out of reach.
func TestWebhookPages(t *testing.T) {
	const path = "/konto/deweloper/powiadomienia"
	secret := regexp.MustCompile(`whsec_[\w+/=]+`)
	status := http.StatusOK
	receiver := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }),
	)
	t.Cleanup(receiver.Close)
	a, anna := pages(t)
	shows(t, anna.Submit(path, form("adres", "to nie adres")).Want(http.StatusUnprocessableEntity), "to nie adres")
	added := anna.Submit(path, form("adres", receiver.URL)).Want(http.StatusOK)
	shows(t, added, "nie pokażemy go ponownie")
	if first := secret.FindString(added.Body.String()); first == "" {
		t.Error("the secret is not shown")
	}
	if page := anna.Get("/konto/deweloper").Want(http.StatusOK); secret.MatchString(page.Body.String()) {
		t.Error("the secret is shown again")
	}
	leadsTo(t, anna.Submit(path+"/1/proba", nil), "/konto/deweloper#adres-1")
	shows(t, anna.Get("/konto/deweloper"), "Testowe powiadomienie zostało dostarczone.")
	status = http.StatusServiceUnavailable
	leadsTo(t, anna.Submit(path+"/1/proba", nil), "/konto/deweloper#adres-1")
	shows(t, anna.Get("/konto/deweloper"), "Testowe powiadomienie nie dotarło.")
	other := a.AddCompany("inna")
	if _, err := a.Webhooks.Add(t.Context(), apptest.Actor(a.Anna).By(), &other.ID,
		"https://inna.example/"); err != nil {
		t.Fatal(err)
	}
	leadsTo(t, anna.Submit(path+"/2/usun", nil), "/konto/deweloper")
	shows(t, anna.Get("/konto/deweloper"), "Nie ma takiego adresu")
	leadsTo(t, anna.Submit(path+"/1/usun", nil), "/konto/deweloper")
	shows(t, anna.Get("/konto/deweloper"), "Adres powiadomień został usunięty.")
}
