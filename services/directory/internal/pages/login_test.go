package pages_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

func TestLogin(t *testing.T) {
	w := newWorld(t)
	w.get("/konto/logowanie?powrot=%2Fkonto%2Faudyt").shows(200, "Adres e-mail", "Hasło")
	w.post("/konto/logowanie", values("email", "anna@firma.example", "password", "tajne", "powrot", "/konto/audyt?wynik=audit_done")).
		leadsTo("/konto/audyt?wynik=audit_done")
	if want := []string{"login anna@firma.example tajne 198.51.100.7", "begin"}; !slices.Equal(w.done, want) {
		t.Errorf("did %q", w.done)
	}
	w.as(directory.Manager).get("/konto/logowanie?powrot=/audyt/piekarnia").leadsTo("/audyt/piekarnia")
	w.post("/konto/wylogowanie", "").leadsTo("/konto/logowanie?wynik=logged_out")
	w.user = nil
	w.get("/konto/logowanie?wynik=logged_out").shows(200, "Wylogowano.")
}

// TestReturnStaysHere: the login leads to pages of ours only.
func TestReturnStaysHere(t *testing.T) {
	for address, want := range map[string]string{
		"/konto/audyt":                                "/konto/audyt",
		"/audyt/piekarnia?wynik=a%26b":                "/audyt/piekarnia?wynik=a%26b",
		"/konto/integracje?oauth_error=access_denied": "/konto/integracje?oauth_error=access_denied",
		"":                             "/konto/integracje",
		"/":                            "/konto/integracje",
		"//evil.example/konto/audyt":   "/konto/integracje",
		"///evil.example":              "/konto/integracje",
		"https://evil.example/konto/x": "/konto/integracje",
		`/\evil.example`:               "/konto/integracje",
		"/konto/../../evil":            "/konto/integracje",
		"/konto//evil.example":         "/konto/integracje",
		"javascript:alert(1)":          "/konto/integracje",
		"/konto/\r\nSet-Cookie: a=b":   "/konto/integracje",
		"konto/audyt":                  "/konto/integracje",
		"/api/auth/me":                 "/konto/integracje",
		"http:/konto/audyt":            "/konto/integracje",
		"//konto/audyt":                "/konto/integracje",
		"/konto/audyt#//evil.example":  "/konto/audyt",
	} {
		newWorld(t).post("/konto/logowanie", values("email", "a", "password", "b", "powrot", address)).leadsTo(want)
	}
}

func TestLoginFails(t *testing.T) {
	w := newWorld(t)
	form := values("email", `"><b>@firma.example`, "password", "tajne-haslo", "powrot", "/konto/audyt")
	w.loginErr = fault.New(fault.Unauthenticated, "invalid_login", "Nieprawidłowy adres e-mail lub hasło.")
	w.post("/konto/logowanie", form).shows(422, "Nieprawidłowy adres e-mail lub hasło.").lacks("tajne-haslo", `"><b>`)
	w.loginErr = fault.New(fault.Limited, "too_many_attempts", "Zbyt wiele prób logowania.").After(90 * time.Second)
	a := w.post("/konto/logowanie", form).shows(429, "Zbyt wiele prób logowania.", "90 s")
	if a.Header().Get("Retry-After") != "90" {
		t.Errorf("Retry-After %q", a.Header().Get("Retry-After"))
	}
	w.loginErr = errors.New("away")
	w.post("/konto/logowanie", form).shows(500, "Wystąpił nieoczekiwany błąd.").lacks("tajne-haslo")
	w.post("/konto/logowanie", "email=%zz").shows(400, "Nie udało się odczytać formularza.")
	w.post("/konto/logowanie", values("email", string(make([]byte, 5000)))).shows(413, "Treść żądania jest zbyt duża.")
	if len(w.done) > 0 {
		t.Errorf("did %q", w.done)
	}
}
