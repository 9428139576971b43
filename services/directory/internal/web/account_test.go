package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/trail"
)

const chosenPassword = "pięć innych słów na drogę"

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
	created := form(
		"identyfikator",
		"nowa",
		"nazwa",
		"Nowa",
		"uslugi",
		"Chleb\r\n\r\n Torty ",
		"stan",
		"active",
		"przed-stan",
		"active",
	)
	leadsTo(t, admin.Submit("/konto/firmy/nowa", created), "/konto/firmy/3")
	phone := form(
		"nazwa",
		"Nowa",
		"przed-nazwa",
		"Nowa",
		"telefon",
		"123456789",
		"przed-telefon",
		"",
		"stan",
		"active",
		"przed-stan",
		"active",
	)
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
	for i := range 60 {
		phone := fmt.Sprint(123456700 + i)
		if _, err := a.Companies.Edit(t.Context(), a.Company.ID, company.Change{Phone: &phone},
			trailOf(a)); err != nil {
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

func trailOf(a *apptest.App) trail.Entry {
	e := apptest.Actor(a.Anna).By()
	e.Action = "company edit"
	return e
}
