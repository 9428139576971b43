package web_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

const chosen = "nowe-haslo-2026"

func twice(password string, more ...string) string {
	return values(append(more, "nowe", password, "powtorzone", password)...)
}

func TestChangePassword(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.SetPassword(w.Anna, "haslo-anny-2026")
	w.get("/konto/integracje").shows(200)
	w.get("/konto/haslo").shows(200, "Obecne hasło", "Co najmniej 12 znaków.")
	for form, problem := range map[string]string{
		twice(chosen, "obecne", "haslo-ewy-2026"):                                     "Obecne hasło jest nieprawidłowe.",
		twice("krótkie", "obecne", "haslo-anny-2026"):                                 "Hasło musi mieć co najmniej 12 znaków",
		values("obecne", "haslo-anny-2026", "nowe", chosen, "powtorzone", chosen+"x"): "Hasła nie są takie same.",
	} {
		w.post("/konto/haslo", form).shows(422, problem).lacks("haslo-anny", chosen)
	}
	w.post("/konto/haslo", twice(chosen, "obecne", "haslo-anny-2026")).leadsTo("/konto/haslo", "password_changed")
	if want := []string{"begin 1"}; !slices.Equal(w.browser.did, want) {
		t.Errorf("did %q", w.browser.did)
	}
	w.get("/konto/haslo").shows(200, "Hasło zostało zmienione")
}

var tokenIn = regexp.MustCompile(`/konto/nowe-haslo\?token=([\w-]{43})`)

func (w *world) link() string {
	w.t.Helper()
	link, err := w.Passwords.NewLink(w.t.Context(), account.Operator("ola"), w.Anna)
	if err != nil {
		w.t.Fatal(err)
	}
	return tokenIn.FindStringSubmatch(link.URL)[1]
}

// TestLinkWithoutScript: opening a link does not use it up, and other sites do not learn it.
func TestLinkWithoutScript(t *testing.T) {
	w := newWorld(t)
	token := w.link()
	for range 2 {
		page := w.get("/konto/nowe-haslo?token="+token).shows(200, "Ustaw hasło")
		if body := page.Body.String(); !strings.Contains(body, `<meta name="referrer" content="same-origin">`) || !strings.Contains(body, `value="`+token+`"`) {
			t.Errorf("page %s", body)
		}
	}
	w.post("/konto/nowe-haslo", values("token", token, "nowe", chosen, "powtorzone", "x")).shows(422, "Hasła nie są takie same.")
	w.post("/konto/nowe-haslo", twice("krótkie", "token", token)).shows(422, "co najmniej 12 znaków")
	w.post("/konto/nowe-haslo", twice(chosen, "token", token)).leadsTo("/konto/logowanie", "password_set")
	w.post("/konto/nowe-haslo", twice(chosen, "token", token)).shows(404, "Ten link wygasł albo został już użyty.").lacks(token)
	w.get("/konto/nowe-haslo?token="+token).shows(404, "Poproś o nowy link")
	w.get("/konto/nowe-haslo").shows(404, "Ten link wygasł")
	w.post("/konto/logowanie", values("email", w.Anna.Email, "password", chosen)).leadsTo("/konto/przeglad")
	if strings.Contains(w.Log.String(), token) {
		t.Error("the log holds the token")
	}
}

func TestResetForm(t *testing.T) {
	w := newWorld(t)
	w.get("/konto/logowanie").shows(200, "Nie pamiętasz hasła?")
	w.get("/konto/reset").shows(200, "Poproś administratora o link").lacks("<input")
	w.Send = func(context.Context, string, string, string) (bool, error) { return false, nil }
	w.register()
	w.get("/konto/reset").shows(200, "Wyślij link")
	for _, email := range []string{w.Anna.Email, "nikt@poczta.example"} {
		w.post("/konto/reset", values("email", email)).leadsTo("/konto/logowanie", "reset_requested")
		w.get("/konto/logowanie").shows(200, "Jeżeli istnieje konto o tym adresie")
	}
	var recipients []int64
	if err := w.Store.Read(t.Context()).Table("password_mails").Where("user_id IS NOT NULL").Pluck("user_id", &recipients).Error; err != nil || !slices.Equal(recipients, []int64{w.Anna.ID}) {
		t.Errorf("mails to %v, %v, want one to anna", recipients, err)
	}
}

func TestSessionsPage(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	for _, id := range []string{"a", "b"} {
		hash := []byte(strings.Repeat(id, 32))
		if err := w.Store.Sessions().Insert(t.Context(), account.Session{IDHash: hash, UserID: &w.Anna.ID, CreatedAt: now, LastSeenAt: now}); err != nil {
			t.Fatal(err)
		}
	}
	w.get("/konto/sesje").shows(200, "Zalogowane przeglądarki", "Wyloguj wszystkie inne")
	w.post("/konto/sesje", values("sesja", "616161616161")).leadsTo("/konto/sesje", "sessions_ended")
	w.post("/konto/sesje", values("sesja", "616161616161")).leadsTo("/konto/sesje", "sessions_ended") // ended already
	if left, err := w.Store.Sessions().Of(t.Context(), w.Anna.ID); err != nil || len(left) != 1 {
		t.Errorf("%d sessions left, %v", len(left), err)
	}
	w.post("/konto/sesje", "").leadsTo("/konto/sesje", "sessions_ended")
	w.get("/konto/sesje").shows(200, "Na to konto nikt nie jest zalogowany.")
}

func TestUsersPages(t *testing.T) {
	w := newWorld(t).loggedIn(account.Admin)
	w.AddCompany("dawna", func(c *company.Company) { c.Status = company.StatusArchived })
	w.get("/").shows(200, "Użytkownicy")
	w.get("/konto/uzytkownicy").shows(200, w.Anna.Email, "Kierownik", "piekarnia", "Zaproś osobę")
	w.get("/konto/uzytkownicy?szukaj=nikogo").shows(200, "Nie ma takich użytkowników.")
	form := func(email, role, slug string) string {
		return values("email", email, "nazwa", "Jan <b>", "rola", role, "firma", slug)
	}
	for bad, problem := range map[string]string{
		form("jan", "MEMBER", ""): "To nie jest adres e-mail.", form(w.Anna.Email, "MEMBER", ""): "Ten adres e-mail jest już zajęty.",
		form("jan@poczta.example", "BOSS", ""): "Nieprawidłowa wartość pola rola.", form("jan@poczta.example", "MEMBER", "nowa"): "Nie ma takiej firmy. Wybierz firmę z listy.",
		form("jan@poczta.example", "MEMBER", "dawna"): "Ta firma jest zarchiwizowana.",
	} {
		w.post("/konto/uzytkownicy", bad).shows(422, problem)
	}
	w.post("/konto/uzytkownicy", form("jan@poczta.example", "EMPLOYEE", "piekarnia")).shows(200, "Przekaż ten link", "/konto/nowe-haslo?token=")
	jan, err := w.Store.Users().ByEmail(t.Context(), "jan@poczta.example")
	if err != nil || jan.Role != account.Employee || *jan.CompanyID != w.Company.ID {
		t.Fatalf("%+v, %v", jan, err)
	}
	path := fmt.Sprint("/konto/uzytkownicy/", jan.ID)
	w.get(path).shows(200, "jan@poczta.example", "Zaproszono", "Usuń konto")
	w.post(path, form("", "MANAGER", "nowa")).shows(422, "Nie ma takiej firmy. Wybierz firmę z listy.")
	w.post(path, form("", "MANAGER", "")+"&wylaczone=1").leadsTo(path, "user_changed")
	w.get(path).shows(200, "Wyłączone", "Zmiany zostały zapisane.")
	w.post(path, form("", "MANAGER", "piekarnia")).leadsTo(path, "user_changed")
	if jan, err = w.Store.Users().ByID(t.Context(), jan.ID); err != nil || jan.CompanyID == nil || *jan.CompanyID != w.Company.ID {
		t.Errorf("%+v, %v", jan, err)
	}
	w.post(path+"/sesje", "").leadsTo(path, "sessions_ended")
	w.post(path+"/sesje", "sesja=616161616161").leadsTo(path, "sessions_ended") // ended already
	w.post(path+"/link", "").shows(200, "Przekaż ten link")
	w.post(path+"/usun", "").leadsTo("/konto/uzytkownicy", "user_deleted")
	w.get(path).shows(404, "Nie znaleziono użytkownika.")
	w.get("/konto/uzytkownicy/x").shows(404)
	anna := fmt.Sprint("/konto/uzytkownicy/", w.Anna.ID)
	w.SetPassword(w.Anna, "haslo-anny-2026")
	if _, err := w.Store.Users().Edit(t.Context(), w.Anna.ID, account.UserChange{Role: new(account.Admin)}, account.Actor{}); err != nil {
		t.Fatal(err)
	}
	w.post(anna+"/usun", "").leadsTo(anna, "last_admin")
	w.post(anna, form("", "MEMBER", "")).shows(422, "To ostatni administrator.")
}

// TestCompanyForm writes only what differs from what the form showed.
func TestCompanyForm(t *testing.T) {
	w := newWorld(t).loggedIn(account.Admin)
	w.post("/konto/firmy/nowa", values("identyfikator", "A b", "nazwa", "Nowa", "stan", "active", "przed-stan", "active")).
		shows(422, "Nieprawidłowy identyfikator firmy w adresie.")
	w.post("/konto/firmy/nowa", values("identyfikator", "nowa", "nazwa", "Nowa", "uslugi", "Chleb\r\n\r\n Torty ", "stan", "active", "przed-stan", "active")).
		leadsTo("/konto/firmy/2", "company_saved")
	w.get("/konto/firmy/2").shows(200, "Nowa", "Firma została zapisana.")
	stale := values("nazwa", "Nowa", "przed-nazwa", "Nowa", "telefon", "1", "przed-telefon", "", "uslugi", "Chleb\r\nTorty", "przed-uslugi", "Chleb\r\nTorty",
		"stan", "archived", "przed-stan", "active")
	if _, err := w.Store.Companies().Edit(t.Context(), 2, company.Change{Name: new("Inna"), Services: &[]string{"Bułki"}}, trail.Entry{}); err != nil {
		t.Fatal(err)
	}
	w.post("/konto/firmy/2", stale).leadsTo("/konto/firmy/2", "company_saved")
	got, err := w.Store.Companies().ByID(t.Context(), 2)
	if err != nil || got.Name != "Inna" || got.Phone != "1" || got.Active() || !slices.Equal(got.Services, []string{"Bułki"}) {
		t.Errorf("%+v, %v", got, err)
	}
	w.post("/konto/firmy/2", values("nazwa", "", "przed-nazwa", "Inna")).shows(422, "Podaj nazwę firmy.")
	w.get("/konto/firmy").shows(200, "Dodaj firmę", "Inna")
	for _, id := range []string{"99", "x", "0"} {
		w.get("/konto/firmy/"+id).shows(404, "Nie znaleziono firmy.")
	}
}

func TestEveryFieldOfACompanyIsItsOwn(t *testing.T) {
	w := newWorld(t).loggedIn(account.Admin)
	form := []string{"stan", "active", "przed-stan", "active"}
	want := map[string]string{}
	for _, name := range []string{"nazwa", "adres", "telefon", "strona", "godziny", "opis", "kategorie", "uslugi", "logo", "zdjecie", "miejsce"} {
		want[name] = "jej " + name
		if name == "strona" || name == "logo" || name == "zdjecie" {
			want[name] = "https://firma.example/" + name
		}
		form = append(form, name, want[name])
	}
	w.post("/konto/firmy/1", values(form...)).leadsTo("/konto/firmy/1", "company_saved")
	c, err := w.Store.Companies().ByID(t.Context(), 1)
	got := map[string]string{
		"nazwa": c.Name, "adres": c.Address, "telefon": c.Phone, "strona": c.Website, "godziny": c.Hours, "opis": c.Description,
		"kategorie": strings.Join(c.Categories, ";"), "uslugi": strings.Join(c.Services, ";"), "logo": c.LogoURL, "zdjecie": c.CoverPhotoURL, "miejsce": c.PlaceID,
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("saved %v, %v, want %v", got, err, want)
	}
	page := w.get("/konto/firmy/1").Body.String()
	for name, value := range want {
		if hidden := `name="przed-` + name + `" value="` + value + `"`; !strings.Contains(page, hidden) {
			t.Errorf("the form lacks %s", hidden)
		}
	}
}

// TestOthersDoNotAdminister: what administrators have is refused to everybody else.
func TestOthersDoNotAdminister(t *testing.T) {
	w := newWorld(t).loggedIn(account.OfficeManager)
	w.get("/").lacks("/konto/uzytkownicy")
	for _, path := range []string{"/konto/uzytkownicy", "/konto/uzytkownicy/1", "/konto/firmy/nowa", "/konto/firmy/1"} {
		w.get(path).shows(403, "Ta operacja wymaga uprawnień administratora.")
	}
	for _, path := range forms {
		if strings.HasPrefix(path, "/konto/uzytkownicy") || strings.HasPrefix(path, "/konto/firmy") {
			w.post(path, "").shows(403)
		}
	}
}

// TestUnaffiliatedConnectNothing, and are not offered to.
func TestUnaffiliatedConnectNothing(t *testing.T) {
	w := newWorld(t).loggedIn(account.Unaffiliated)
	w.connectPage()
	before := w.Stored(provider.PagesPair)
	w.get("/konto/integracje").shows(200).lacks("/konto/integracje/polacz", "/konto/integracje/rozlacz")
	w.post("/konto/integracje/polacz/provider_social/social_pages", "").leadsTo("/konto/integracje", "not_allowed")
	w.post("/konto/integracje/rozlacz/provider_social/social_pages", "").leadsTo("/konto/integracje", "not_allowed")
	w.WantUnchanged(before)
}
