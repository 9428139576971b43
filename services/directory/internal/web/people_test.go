package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
)

// shows checks that the page contains texts.
func shows(t *testing.T, r *apptest.Response, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.Body.String(), text) {
			t.Errorf("the page lacks %q", text)
		}
	}
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
