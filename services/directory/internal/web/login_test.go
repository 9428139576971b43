package web_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
)

func TestLogin(t *testing.T) {
	w := newWorld(t)
	w.SetPassword(w.Anna, "haslo-anny-2026")
	w.get("/konto/logowanie?powrot=%2Fkonto%2Faudyt").shows(200, "Adres e-mail", "Hasło")
	w.post("/konto/logowanie", values("email", w.Anna.Email, "password", "haslo-anny-2026", "powrot", "/konto/audyt?x=1")).
		leadsTo("/konto/audyt?x=1")
	if want := []string{"begin 1"}; !slices.Equal(w.browser.did, want) || !strings.Contains(w.Log.String(), `"client":"198.51.100.7"`) {
		t.Errorf("did %q, want %q; log %s", w.browser.did, want, w.Log.String())
	}
	w.loggedIn(account.Manager).get("/konto/logowanie?powrot=/audyt/piekarnia").leadsTo("/audyt/piekarnia")
	w.post("/konto/wylogowanie", "").leadsTo("/konto/logowanie", "logged_out")
	w.browser.user = nil
	w.get("/konto/logowanie").shows(200, "Wylogowano.")
}

// TestReturnStaysHere has one of each; FuzzOwnPath has the hostile ones.
func TestReturnStaysHere(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	for address, want := range map[string]string{
		"/audyt/piekarnia?x=a%26b":     "/audyt/piekarnia?x=a%26b",
		"":                             "/konto/integracje",
		"https://evil.example/konto/x": "/konto/integracje",
		"/konto/audyt#//evil.example":  "/konto/audyt",
	} {
		w.get("/konto/logowanie?" + values("powrot", address)).leadsTo(want)
	}
}

func TestLoginFails(t *testing.T) {
	w := newWorld(t)
	form := values("email", `"><b>@firma.example`, "password", "tajne-haslo", "powrot", "/konto/audyt")
	w.post("/konto/logowanie", form).shows(422, "Nieprawidłowy adres e-mail lub hasło. – Logowanie – Katalog firm").lacks("tajne-haslo", `"><b>`)
	w.Store.Fail["UserByEmail"] = account.CodeTooManyAttempts.Fault().After(90 * time.Second)
	a := w.post("/konto/logowanie", form).shows(429, "Zbyt wiele prób logowania.", "90 s")
	if a.Header().Get("Retry-After") != "90" {
		t.Errorf("Retry-After %q", a.Header().Get("Retry-After"))
	}
	w.Store.Fail["UserByEmail"] = errors.New("away")
	w.post("/konto/logowanie", form).shows(500, "Wystąpił nieoczekiwany błąd.").lacks("tajne-haslo")
	w.post("/konto/logowanie", "email=%zz").shows(400, "Nie udało się odczytać formularza.")
	w.post("/konto/logowanie", values("email", string(make([]byte, 5000)))).shows(413, "Treść żądania jest zbyt duża.")
	if len(w.browser.did) > 0 {
		t.Errorf("did %q", w.browser.did)
	}
}
